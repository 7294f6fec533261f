"""Functions of users that are called by events: contacts, joints that break or reach a stop, times."""

import math
from bisect import insort
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from stoss.engine import checks
from stoss.engine.control.errors import NOT_MADE, ControlError
from stoss.engine.control.events import EVENTS, Event, at_stops, bodies_of, is_whole
from stoss.engine.world.body import Body
from stoss.engine.world.joint import Joint
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Relay", "Subscription"]

SOON = 1e-9  # of a step: who is due so little later is due now


@closed
class Subscription:
    """A function that is called at events; `remove` ends that.

    Args:
        relay: whose it is.
        key: number, in the order in which they were made.
        what: event, or time.
        function: the function.
        bodies: those that count, None: any.
        joints: those that count, None: any.
        due, every: next time [s], and how often again [s]; 0: never.
    """

    __slots__ = (
        "_bodies",
        "_due",
        "_enabled",
        "_every",
        "_first",
        "_function",
        "_joints",
        "_key",
        "_relay",
        "_what",
    )

    def __init__(
        self,
        relay: "Relay",
        key: int,
        what: str,
        function: Callable[[Any], Any],
        bodies: tuple[Body, ...] | None = None,
        joints: tuple[Joint, ...] | None = None,
        due: float = math.inf,
        every: float = 0.0,
    ) -> None:
        self._relay, self._key, self._what, self._function = relay, key, what, function
        self._bodies, self._joints = bodies, joints
        self._first, self._due, self._every = due, due, every
        self._enabled = True

    def __repr__(self) -> str:
        return f"<Subscription of {self._told} to {self._what}>"

    def __lt__(self, other: "Subscription") -> bool:
        return (self._due, self._key) < (other._due, other._key)

    @property
    def _told(self) -> str:
        return str(getattr(self._function, "__qualname__", None) or repr(self._function))

    @property
    def enabled(self) -> bool:
        """Whether the function is called; assign to switch it off and on."""
        return self._enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self._enabled = checks.flag("enabled", value)

    def remove(self) -> None:
        """End it: the function is not called any more."""
        self._relay.remove(self)

    def _wants(self, event: Event) -> bool:
        if not self._enabled or self._what != event.kind:
            return False
        if self._joints is not None and not any(joint is event.joint for joint in self._joints):
            return False
        if self._bodies is None:
            return True
        of_event = [any(body is one for one in event.bodies) for body in self._bodies]
        return all(of_event)

    def _plan(self, now: float, close: float) -> None:
        """Find when it is due next, from a time on [s]."""
        self._due = self._first
        if self._due < now - close:
            if self._every == 0.0:
                self._due = math.inf
                return
            self._due += math.ceil((now - close - self._first) / self._every) * self._every


class Relay:
    """Keep the functions, find the events of each step, and call who is told of them.

    Events are found by comparing a state with the one before, and times by the clock, so nothing of it has to
    be saved.
    """

    def __init__(self) -> None:
        self._next_key = 0
        self._subscriptions: list[Subscription] = []  # to events, in their order
        self._clock: list[Subscription] = []  # at times, the next one first
        self._at_stop: frozenset[tuple[int, int]] = frozenset()  # joints and rows by their keys

    @property
    def is_empty(self) -> bool:
        """Return whether there are none."""
        return not self._subscriptions and not self._clock

    @property
    def functions(self) -> Iterable[tuple[str, Callable[..., Any]]]:
        """Give all functions, with what they are called for."""
        return [(one._what, one._function) for one in (*self._subscriptions, *self._clock)]

    # ------------------------------------------------------------- who is told

    def on(self, world: "World", event: Any, function: Any, bodies: Any, joints: Any) -> Subscription:
        """See `World.on`."""
        kind = checks.choice("event", event, EVENTS)
        _check_function(function)
        if bodies is not None and not kind.startswith("contact"):
            raise ValueError(
                f"bodies = {checks.shown(bodies)} go with contacts; give joints=... for event = {kind!r}"
            )
        if joints is not None and kind.startswith("contact"):
            raise ValueError(
                f"joints = {checks.shown(joints)} have no contacts; give bodies=... for event = {kind!r}"
            )
        chosen = _chosen("bodies", bodies, Body, world)
        if chosen is not None and len(chosen) > 2:
            raise ValueError(f"bodies = {checks.shown(bodies)}: give one body, or the two of a contact")
        made = Subscription(
            self, self._next_key, kind, function, chosen, _chosen("joints", joints, Joint, world)
        )
        if kind == "joint_at_stop" and not self._watches("joint_at_stop"):
            self._at_stop = frozenset(at_stops(world))
        self._next_key += 1
        self._subscriptions.append(made)
        return made

    def at(self, world: "World", time: Any, function: Any, every: Any) -> Subscription:
        """See `World.at`."""
        due = checks.number("time", time, "s")
        again = 0.0 if every is None else checks.positive("every", every, "s")
        _check_function(function)
        if due < world.time - SOON * world.time_step and not again:
            raise ValueError(f"time = {due:g} s is over: it is {world.time:g} s in this world")
        made = Subscription(self, self._next_key, f"time {due:g} s", function, due=due, every=again)
        made._plan(world.time, SOON * world.time_step)
        self._next_key += 1
        insort(self._clock, made)
        return made

    def remove(self, subscription: Subscription) -> None:
        """Forget a subscription.

        Raises:
            ValueError: it was removed before.
        """
        for among in (self._subscriptions, self._clock):
            for place, one in enumerate(among):
                if one is subscription:
                    del among[place]
                    return
        raise ValueError(f"{subscription!r} was removed before")

    def _watches(self, kind: str) -> bool:
        return any(one._what == kind for one in self._subscriptions)

    # ------------------------------------------------------------- around a step

    def look(self, world: "World") -> None:
        """Take the world as it is for the beginning: it returned to another state."""
        close = SOON * world.time_step
        for one in self._clock:
            one._plan(world.time, close)
        self._clock.sort()
        if self._watches("joint_at_stop"):
            self._at_stop = frozenset(at_stops(world))

    def before(self, world: "World") -> None:
        """Call the functions whose time has come, before a step."""
        close = SOON * world.time_step
        called = []
        while self._clock and self._clock[0]._due <= world.time + close:
            one = self._clock.pop(0)
            one._plan(world.time + 2.0 * close, 0.0)
            called.append(one)
            insort(self._clock, one)
        for one in called:
            if one._enabled and any(one is left for left in self._clock):
                _call(one, world, world, after=False)

    def after(self, world: "World") -> None:
        """Find the events of the step that was made, and call who is told of them."""
        if not self._subscriptions:
            return
        for event in self._events(world):
            if not is_whole(world, event):
                continue  # another function has removed a body
            for one in tuple(self._subscriptions):
                if one._wants(event) and any(one is left for left in self._subscriptions):
                    _call(one, event, world, after=True)

    def _events(self, world: "World") -> list[Event]:
        now = world.time, world.step_count
        found = []
        if self._watches("joint_broken"):
            found += [
                Event("joint_broken", world, *now, bodies_of(joint), joint) for joint in world.broken_joints
            ]
        events = world.events
        for name in ("begin", "end", "broken"):
            kind, pairs = f"contact_{name}", getattr(events, name)
            if len(pairs) and self._watches(kind):
                handles = world._body_store.handles
                found += [Event(kind, world, *now, (handles[a], handles[b])) for a, b in pairs.tolist()]
        if self._watches("joint_at_stop"):
            present = at_stops(world)
            for key, (joint, coordinate, stop) in present.items():
                if key not in self._at_stop:
                    found.append(
                        Event("joint_at_stop", world, *now, bodies_of(joint), joint, coordinate, stop)
                    )
            self._at_stop = frozenset(present)
        return found


def _check_function(function: Any) -> None:
    if not callable(function):
        raise TypeError(f"function = {checks.shown(function)} must be a function of one argument")


def _chosen(name: str, value: Any, kind: type, world: "World") -> tuple[Any, ...] | None:
    """Return the bodies, or joints, that count, None: any.

    Raises:
        TypeError, ValueError: not such handles of this world, or none.
    """
    if value is None:
        return None
    given = tuple(value) if isinstance(value, list | tuple) else (value,)
    if not given:
        raise ValueError(f"{name} = {checks.shown(value)}: give one at least, or leave it out for any")
    for one in given:
        checks.instance(name, one, kind, "one of this world, or a list of them")
        if one.world is not world:
            raise ValueError(f"{name}: {one!r} is in another world")
    return given


def _call(one: Subscription, argument: Any, world: "World", *, after: bool) -> None:
    """Call the function of a subscription.

    Raises:
        ControlError: it raised; names function and event, and says where the world is.
    """
    try:
        one._function(argument)
    except ControlError:
        raise
    except Exception as error:
        step = world.step_count + (not after)
        left = "the step was made, and the functions behind it were not called" if after else NOT_MADE
        raise ControlError(
            f"{one._told}, called for {one._what} in step {step}, raised {type(error).__name__}: {error}; "
            f"{left}",
            one._told,
            step,
        ) from error

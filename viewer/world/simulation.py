"""The simulation behind the window: a thread of its own, a list of commands in, frames out (B-158, B-159).

Only this thread touches the world. The window asks by `post` and by the run control, and draws the latest
`View`, which no step changes any more; so it never waits for a step, however long one takes.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stoss.engine import SimulationError
from stoss.viewer.world.commands import Command
from stoss.viewer.world.frames import Description, Frame, describe_world, frame_of
from stoss.viewer.world.history import History
from stoss.viewer.world.monitor import Channel, Monitor
from stoss.viewer.world.outline import Outline, outline_of
from stoss.viewer.world.stage import Entry, Stage

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["Failure", "Simulation", "View"]

_PUBLISH = 1.0 / 60.0  # [s] frames are published no more often
_BEHIND = 0.1  # [s] by which a simulation may lag behind the clock and still make up for it
_IDLE = 0.05  # [s] a paused simulation looks for work at least that often


@dataclass(frozen=True)
class Failure:
    """Why the simulation stopped.

    Attributes:
        message: what happened.
        bodies: names of the bodies that took part.
    """

    message: str
    bodies: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """All that the window shows, of one instant.

    Attributes:
        description, frame: what is drawn.
        outline: bodies, joints and settings with the values that can be changed.
        paused: whether it stands.
        rate: simulated seconds per second over the last moments.
        pull: where a body is held and where the pointer is, (3,) each [m], or None.
        failure: why it stopped, or None.
        past: step numbers to which it can go back: the first and the last.
    """

    description: Description
    frame: Frame
    outline: Outline
    paused: bool
    rate: float = 0.0
    pull: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    failure: Failure | None = None
    past: tuple[int, int] = (0, 0)


@dataclass
class _Control:
    """What the window wants, read by the simulation; guarded by its condition."""

    paused: bool = False
    speed: float = 1.0
    steps: int = 0  # to be made although it is paused
    back: int | None = None  # step to go back to
    channels: tuple[Channel, ...] | None = None
    contacts: bool = False
    inspected: tuple[str, str] = ("", "")  # body and joint
    closed: bool = False
    commands: deque[Command] = field(default_factory=deque)
    questions: deque[tuple[Callable[[], Any], "Future[Any]"]] = field(default_factory=deque)


class Simulation:
    """Run a world beside a window. `start` begins the thread; without it, `turn` runs it in the caller's.

    Args:
        world: the world.
        paused: whether to begin standing.
        memory: [bytes] for the states to which it can go back.
    """

    def __init__(self, world: "World", paused: bool = False, memory: float = 400e6) -> None:
        self.stage = Stage(world)
        self.history = History(memory)
        self.monitor = Monitor()
        self.notices: deque[str] = deque(maxlen=50)
        self._control = _Control(paused=paused)
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._failure: Failure | None = None
        self._recorded: deque[Entry] = deque()  # commands that wait for their steps
        self._rate = 0.0
        self._due = 0.0  # clock at which the next step is due
        self._published = -1.0
        self._unsaved, self._saving = (
            0.0,
            0.0,
        )  # [s] of steps since a state was kept; for keeping the last one
        self._inspected = ("", "")  # what the outline of the view is of
        self._shown: tuple[object, ...] = ()  # what the description belongs to
        self._description = describe_world(world)
        self.history.keep(self.stage.save())
        self.view = self._look()

    # ------------------------------------------------------------- for the window

    def start(self) -> None:
        """Begin the thread."""
        self._thread = threading.Thread(target=self._run, name="simulation", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; the world is left after its last whole step."""
        with self._condition:
            self._control.closed = True
            self._condition.notify()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def post(self, *commands: Command) -> None:
        """Put commands into the list; they are carried out before the next step, also while it is paused."""
        with self._condition:
            self._control.commands.extend(commands)
            self._condition.notify()

    def follow(self, log: list[Entry]) -> None:
        """Carry out recorded commands, each at its step."""
        self._recorded = deque(log)

    def ask(self, function: Callable[[], Any]) -> "Future[Any]":
        """Call a function between two steps, in the simulation's thread, and return its promised result."""
        promise: Future[Any] = Future()
        with self._condition:
            self._control.questions.append((function, promise))
            self._condition.notify()
        return promise

    def pause(self, paused: bool = True) -> None:
        """Stop, or go on."""
        with self._condition:
            self._control.paused, self._control.steps = paused, 0
            self._condition.notify()

    @property
    def paused(self) -> bool:
        """Whether it stands, or will after the step it is in."""
        return self._control.paused

    def step(self, count: int = 1) -> None:
        """Stop, and make so many single steps."""
        with self._condition:
            self._control.paused = True
            self._control.steps += count
            self._condition.notify()

    def step_back(self) -> None:
        """Stop, and go back to the state before the last step."""
        self.go_to(self.view.frame.step - 1)

    def go_to(self, step: int) -> None:
        """Stop, and go back to the last kept state up to a step."""
        with self._condition:
            self._control.paused, self._control.steps = True, 0
            self._control.back = step
            self._condition.notify()

    def reset(self) -> None:
        """Stop, and go back to the beginning."""
        self.go_to(-1)

    @property
    def speed(self) -> float:
        """Simulated seconds per second that it aims at; infinite: as fast as it can."""
        return self._control.speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not value > 0.0:
            raise ValueError(f"speed = {value!r} must be above zero; use pause() to stop")
        with self._condition:
            self._control.speed = value
            self._condition.notify()

    def watch(self, *channels: Channel) -> None:
        """Note these curves from now on, in `monitor`."""
        with self._condition:
            self._control.channels = channels
            self._condition.notify()

    def show_contacts(self, wanted: bool) -> None:
        """Say whether frames are to hold the contacts."""
        with self._condition:
            if self._control.contacts != wanted:
                self._control.contacts = wanted
                self._condition.notify()

    def inspect(self, body: str = "", joint: str = "") -> None:
        """Say of which body and joint the outline is to tell."""
        with self._condition:
            if self._control.inspected != (body, joint):
                self._control.inspected = (body, joint)
                self._condition.notify()

    # ------------------------------------------------------------- the thread

    def _run(self) -> None:
        while not self._control.closed:
            if not self.turn():
                with self._condition:
                    self._condition.wait(self._pause_for())

    def _pause_for(self) -> float:
        """Return how long there is nothing to do [s]."""
        if self._control.paused:
            return _IDLE
        return min(_IDLE, max(0.0, self._due - time.perf_counter()))

    def turn(self) -> bool:
        """Do what is to be done now: commands, going back, one step; return whether anything was done."""
        with self._condition:
            control = self._control
            commands = list(control.commands)
            control.commands.clear()
            questions = list(control.questions)
            control.questions.clear()
            back, control.back = control.back, None
            channels, control.channels = control.channels, None
            step = not control.paused
            if control.paused and control.steps > 0 and back is None:
                control.steps -= 1
                step = True
            paced = not control.paused
        if channels is not None:
            self.monitor = Monitor(channels)
        if back is not None:
            self._go_back(back)
        for command in commands:
            self._carry_out(command)
        for function, promise in questions:
            try:
                promise.set_result(function())
            except Exception as error:  # belongs to whoever asked
                promise.set_exception(error)
        if step and paced and not self._is_due():
            step = False
        if step:
            self._step()
        acted = step or bool(commands) or back is not None or channels is not None
        if acted or self._stale_view():
            self._publish(at_once=not paced or bool(commands))
        return acted

    def _carry_out(self, command: Command) -> None:
        try:
            self.stage.carry_out(command)
        except (ValueError, TypeError, KeyError) as error:
            text = error.args[0] if isinstance(error, KeyError) else str(error)
            self.notices.append(f"{command.name}: {text}")

    def _go_back(self, step: int) -> None:
        moment = self.history.at(step)
        self.stage.go_back(moment, max(step, moment.step))
        world = self.stage.world
        self.history.forget_after(world.step_count)
        self.monitor.forget_after(world.time + 0.5 * world.time_step)
        self._failure = None

    def _is_due(self) -> bool:
        """Return whether the clock asks for a step, and set when it asks for the next."""
        now, speed = time.perf_counter(), self._control.speed
        if now < self._due:
            return False
        length = self.stage.world.time_step / speed
        self._due = max(self._due + length, now - _BEHIND)
        return True

    def _step(self) -> None:
        world, began = self.stage.world, time.perf_counter()
        while self._recorded and self._recorded[0][0] <= world.step_count:
            self._carry_out(self._recorded.popleft()[1])
        try:
            self.stage.step()
        except SimulationError as error:
            bodies = (error.body, *(error.contact or ()))
            self._stop(Failure(str(error), tuple(dict.fromkeys(bodies))))
            return
        except Exception as error:  # a callback of the user: it must not end the window, and is shown in it
            self._stop(Failure(f"{type(error).__name__}: {error}"))
            return
        self._remember(time.perf_counter() - began)
        if self.monitor.channels:
            self.monitor.note(world)
        spent = max(time.perf_counter() - began, world.time_step / self._control.speed)
        self._rate += 0.1 * (world.time_step / spent - self._rate)

    def _remember(self, spent: float) -> None:
        """Keep the present state, unless that would take more than a tenth of the time."""
        self._unsaved += spent
        if self._unsaved >= 10.0 * self._saving or self._control.paused:
            begin = time.perf_counter()
            self.history.keep(self.stage.save())
            self._unsaved, self._saving = 0.0, time.perf_counter() - begin

    def _stop(self, failure: Failure) -> None:
        with self._condition:
            self._control.paused, self._control.steps = True, 0
        self._failure = failure

    def _stale_view(self) -> bool:
        """Return whether the view lacks what was asked for, or was made too early to be the last."""
        view = self.view
        return (
            (self._control.contacts and view.frame.contacts is None)
            or view.paused != self._control.paused
            or self._inspected != self._control.inspected
            or view.frame.step != self.stage.world.step_count
        )

    def _publish(self, at_once: bool) -> None:
        now = time.perf_counter()
        if at_once or now - self._published >= _PUBLISH:
            self._published = now
            self.view = self._look()

    def _look(self) -> View:
        world, pull = self.stage.world, self.stage.pull
        shown = (*map(id, world.bodies), *map(id, world.joints), world.masses.tobytes())
        if shown != self._shown:
            self._shown = shown
            self._description = describe_world(world)
        self._inspected = self._control.inspected
        return View(
            description=self._description,
            frame=frame_of(world, self._control.contacts),
            outline=outline_of(world, *self._inspected),
            paused=self._control.paused,
            rate=self._rate,
            pull=None if pull is None else (tuple(pull.point), tuple(pull.pointer)),
            failure=self._failure,
            past=(self.history.ends[0], world.step_count),
        )

"""Interrupt worlds at random times and see that each is the last whole one: `python -m ... 1000`.

A timer raises a signal whose handler raises, as Ctrl-C does, at a random time within a step or between two.
After each the world must have the bits that an undisturbed run had after as many steps, its contacts,
impulses and ledger too; then it goes on, and the next step must have the right bits again. In other rounds
bodies and joints come and go, snapshots are restored and worlds copied under such signals; after each the
world must be whole: a copy of it goes on with the same bits.
"""

import argparse
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from time import perf_counter
from types import FrameType
from typing import Any

import numpy as np

from stoss.collision import Box, Capsule, HalfSpace, Sphere
from stoss.engine import Ball, Hinge, Material, Settings, World

__all__ = ["WORLDS", "Interrupted", "Outcome", "interrupt_changes", "interrupt_steps", "main"]

STEPS = 60  # of a run


class Interrupted(Exception):
    """Raised by the handler, as KeyboardInterrupt is."""


class Fault(AssertionError):
    """A world was not whole after an interrupt."""


# ------------------------------------------------------------- worlds


def _with_floor(**settings: Any) -> World:
    world = World(settings=Settings(**settings))
    world.add_body(HalfSpace((0, 0, 1)), kind="static", name="floor", material=Material(restitution=0.3))
    return world


def _pile(**settings: Any) -> World:
    world = _with_floor(**settings)
    rng = np.random.default_rng(3)
    for k in range(8):
        shape = (Box((0.4, 0.3, 0.3)), Sphere(0.2), Capsule(0.15, 0.3))[k % 3]
        world.add_body(shape, position=(*rng.uniform(-0.2, 0.2, 2), 0.3 + 0.35 * k), velocity=(0, 0, -1))
    return world


def _chain(**settings: Any) -> World:
    world = _with_floor(**settings)
    last = None
    for k in range(6):
        link = world.add_body(
            Capsule(0.05, 0.4), position=(0.5 * k + 0.25, 0, 1.5), quaternion=(0.5**0.5, 0, 0.5**0.5, 0)
        )
        kind = Hinge((0.5 * k, 0, 1.5), (0, 1, 0)) if k % 2 == 0 else Ball((0.5 * k, 0, 1.5))
        joint = world.add_joint(kind, last, link)
        if k == 2:
            joint.pid(0.5, gain=3.0, reset_time=0.5)
        elif k == 4:
            joint.motor(2.0, max_force=4.0).schedule([0.0, 0.3], [0.0, 3.0])
            joint.break_force = 60.0
        last = link
    return world


def _asleep() -> World:
    world = _with_floor(sleeping=True, sleep_time=0.1)
    for k in range(3):
        world.add_body(Box((0.5, 0.5, 0.5)), position=(0, 0, 0.25 + 0.5 * k))
        world.add_body(Box((0.5, 0.5, 0.5)), position=(3, 0, 0.25 + 0.5 * k))
    world.step(20)
    world.add_body(Sphere(0.2), position=(-2.0, 0, 0.6), velocity=(6, 0, 0))
    return world


def _bouncing() -> World:
    world = _with_floor(time_of_impact=True)
    for k in range(3):
        world.add_body(
            Sphere(0.2),
            position=(0.1 * k, 0, 0.5 + 0.6 * k),
            velocity=(0, 0, -3),
            material=Material(restitution=0.8),
        )
    return world


def _mechanisms() -> World:
    world = _with_floor(order=4)
    for k in range(2):
        arm = world.add_body(Box((0.1, 0.1, 1)), position=(2.0 * k, 3, 2.5), angular_velocity=(0, 1 + k, 0))
        world.add_joint(Hinge((2.0 * k, 3, 3), (0, 1, 0)), None, arm)
    world.add_body(Box((0.5, 0.5, 0.5)), position=(0, 0, 0.6))
    return world


WORLDS: dict[str, Callable[[], World]] = {
    "pile, automatic": lambda: _pile(),
    "pile, direct": lambda: _pile(solver="direct"),
    "pile, sweeps": lambda: _pile(solver="gauss_seidel"),
    "chain": lambda: _chain(),
    "chain, sweeps": lambda: _chain(solver="gauss_seidel"),
    "asleep": _asleep,
    "time of impact": _bouncing,
    "order 4": _mechanisms,
}


def _builders() -> dict[str, Callable[[], World]]:
    """Return the worlds, each with a plate that is moved by hand."""

    def with_plate(build: Callable[[], World]) -> World:
        world = build()
        world.add_body(Box((1, 1, 0.1)), position=(0, 2, 0.05), kind="kinematic", name="plate")
        world.add_body(Box((0.3, 0.3, 0.3)), position=(0, 2, 0.25), name="parcel")
        return world

    return {name: partial(with_plate, build) for name, build in WORLDS.items()}


def _give_inputs(world: World, step: int) -> None:
    """Do what a user does before a step: a load of one step, and a move."""
    if step % 3 == 0:
        world.bodies[1].apply_force((0.5, 0.2, 0.0))
    world.body("plate").move_to((0.002 * step, 2, 0.05))
    if step == 30:
        world.time_step = 0.008


def _signature(world: World) -> tuple[Any, ...]:
    c, events = world.contacts, world.events
    gaps = c.gap[: c.count].tobytes()
    arrays = (
        world.contact_impulses,
        events.begin,
        events.persist,
        events.end,
        world._steps.ledger,
        world.forces,
    )
    broken = [joint.name for joint in world.joints if joint.broken]
    values = [joint.force.tobytes() for joint in world.joints]
    now = world.step_count, world.time, world.state_hash(), gaps, *(a.tobytes() for a in arrays)
    return *now, tuple(broken), tuple(values), world.asleep.tobytes()


# ------------------------------------------------------------- interrupts


class Timer:
    """Interrupt what runs, by a signal after a given time.

    Attributes:
        hit: names of the functions of `World` that were interrupted.
    """

    def __init__(self) -> None:
        self.hit: Counter[str] = Counter()

    def _raise(self, number: int, frame: FrameType | None) -> None:
        inside = "between"
        while frame is not None:
            if frame.f_code.co_name in ("_make_step", "_step", "step"):
                inside = "within a step" if frame.f_code.co_name == "_make_step" else "around a step"
                break
            if isinstance(frame.f_locals.get("self"), World):
                inside = "within a change"
            frame = frame.f_back
        self.hit[inside] += 1
        raise Interrupted

    @contextmanager
    def running(self) -> Iterator[None]:
        """Stand as the handler, and put the old one back."""
        before = signal.signal(signal.SIGALRM, self._raise)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def __call__(self, delay: float, action: Callable[[], Any]) -> bool:
        """Interrupt an action, which may be refused, after a delay [s]; return whether that came in time."""
        try:
            with suppress(ValueError, TypeError):
                signal.setitimer(signal.ITIMER_REAL, max(delay, 1e-6))
                action()
            signal.setitimer(signal.ITIMER_REAL, 0)
        except Interrupted:
            return True
        return False


class Outcome(Counter[str]):
    """How many interrupts came where."""


def interrupt_steps(name: str, rng: np.random.Generator, timer: Timer, most: int) -> int:
    """Make one run under interrupts; return how many there were.

    Args:
        name: of the world.
        rng: source of the times.
        timer: interrupts.
        most: interrupts.

    Raises:
        Fault: a world was not the last whole one.
    """
    build = _builders()[name]
    world, expected = build(), [_signature(build())]
    began = perf_counter()
    for step in range(STEPS):
        _give_inputs(world, step)
        world.step()
        expected.append(_signature(world))
    length = (perf_counter() - began) / STEPS
    world, first, made = build(), 0, 0
    first = world.step_count
    given = -1
    while world.step_count - first < STEPS:
        step = world.step_count - first
        if step != given:
            _give_inputs(world, step)
            given = step
        count = 1 if rng.random() < 0.5 or made >= most else STEPS - step
        if count > 1:
            world.before_step = [_Inputs(first, step)]
        if made >= most:
            world.step(count)
        elif timer(rng.uniform(0.0, 1.5 * length), lambda: world.step(count)):  # noqa: B023
            made += 1
        world.before_step = []
        now = world.step_count - first
        if _signature(world) != expected[now]:
            what = "not the last whole one" if now == step else "another one than undisturbed"
            raise Fault(f"{name}: after {now} steps the world is {what}")
        if count > 1 and now > step:
            given = -1
    return made


class _Inputs:
    """Give inputs as a callback, from the step after the one for which they were given by hand."""

    def __init__(self, first: int, given: int) -> None:
        self._first, self._given = first, given

    def __call__(self, world: World) -> None:
        step = world.step_count - self._first
        if step > self._given:
            _give_inputs(world, step)


def interrupt_changes(rng: np.random.Generator, timer: Timer, most: int) -> int:
    """Add, remove, join, restore and copy under interrupts; return how many there were.

    Raises:
        Fault: a world was not whole.
    """
    made = 0
    world = _asleep()
    states = [world.save()]
    while made < most:
        names, joints = [b.name for b in world.bodies], [j.name for j in world.joints]
        body = world.bodies[rng.integers(1, len(names))]
        choice = rng.integers(8)
        found: list[World] = []

        def act(
            choice: int = int(choice),
            body: Any = body,
            states: list[Any] = states,
            found: list[World] = found,
        ) -> None:
            place = rng.uniform(-3, 3, 2)
            if choice == 0:
                world.add_body(Box((0.2, 0.3, 0.4)), position=(*place, 3), name="new")
            elif choice == 1:
                world.add_bodies(Sphere(0.2), [(*place, 3), (*place, 4)], names=["new", "new 2"])
            elif choice == 2:
                world.remove_body(body)
                len(world.positions)
            elif choice == 3:
                world.add_joint(Hinge(tuple(body.position), (0, 1, 0)), None, body, name="new")
            elif choice == 4 and world.joints:
                world.joints[0].pid(0.1, gain=1.0)
                world.remove_joint(world.joints[0])
                world.step()
            elif choice == 5:
                world.restore(states[int(rng.integers(len(states)))])
            elif choice == 6:
                found.append(world.copy())
            else:
                body.sleep()

        made += timer(rng.uniform(0.0, 0.002), act)
        _check_whole(world, names, joints)
        if rng.random() < 0.3:
            states = [*states[-3:], world.save()]
        if len(world.bodies) > 20 or len(world.bodies) < 4:
            world.restore(states[0])
    return made


def _check_whole(world: World, bodies: list[str], joints: list[str]) -> None:
    """Raise unless the world goes on as a copy of it does, and as one that is restored from its snapshot."""
    others = [world.copy(), World(settings=world.settings)]
    others[1].restore(world.save())
    count = len(world.bodies)
    if not (len(world.positions) == len(world.asleep) == count == len({b.name for b in world.bodies})):
        raise Fault(f"the world has {count} bodies and arrays of other lengths; it had {bodies} and {joints}")
    for one in (world, *others):
        one.step(2)
    if len({one.state_hash() for one in (world, *others)}) != 1:
        raise Fault(f"a world with {bodies} and {joints} went on otherwise than its copy after an interrupt")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; return 1 if a world was not whole."""
    parser = argparse.ArgumentParser(description=(__doc__ or "Interrupt worlds.").partition("\n")[0])
    parser.add_argument("count", type=int, nargs="?", default=1000, help="number of interrupts")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    rng, timer = np.random.default_rng(options.seed), Timer()
    made: Counter[str] = Counter()
    wanted = {name: options.count * 3 // 4 // len(WORLDS) + 1 for name in WORLDS}
    with timer.running():
        for name, count in wanted.items():
            while made[name] < count:
                made[name] += interrupt_steps(name, rng, timer, count - made[name])
        made["changes"] += interrupt_changes(rng, timer, options.count - made.total())
    for name, count in made.items():
        print(f"{count:6} interrupts  {name}")
    for name, count in timer.hit.items():
        print(f"{count:6} {name}")
    print(f"{made.total()} interrupts: after each one the world was whole, and went on with the same bits")
    return 0


if __name__ == "__main__":
    sys.exit(main())

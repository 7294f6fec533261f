"""Walks in a world of their own, and what came of them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.scenes.cases.registry import Figure, at_least, at_most

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.engine.humans import GaitRecorder, Humanoid, VirtualModelWalker
    from stoss.engine.humans.gait import GaitReport

__all__ = ["Outcome", "Party", "falls", "follow", "go", "set_out", "stands"]


@dataclass
class Outcome:
    """What came of a walk.

    Attributes:
        lasted: until it fell, or the walk ended [s].
        fell: whether it fell.
        report: of its gait, None where it made too few steps.
        path: (k, 3) of the pelvis, every 10 ms [m].
        joint_error: largest gap of a joint [m].
        recorder: of all that was recorded, if it was.
    """

    lasted: float = 0.0
    fell: bool = False
    report: "GaitReport | None" = None
    path: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    joint_error: float = 0.0
    recorder: "GaitRecorder | None" = None

    def course(self, time: float, over: float = 1.0) -> float:
        """Return the direction of the path in the time before a moment [degrees]."""
        end = min(round(100 * time), len(self.path)) - 1
        way = self.path[end] - self.path[max(end - round(100 * over), 0)]
        return float(np.degrees(np.arctan2(way[1], way[0])))


@dataclass
class Party:
    """A world, a person in it, and who lets them walk."""

    world: "World"
    person: "Humanoid"
    walker: "VirtualModelWalker"

    def push(self, forward: float, left: float) -> None:
        """Give the upper body an impulse [N s]."""
        trunk = self.person.bodies["upper body"]
        trunk.velocity = trunk.velocity + np.array([forward, left, 0.0]) / trunk.mass


def set_out(
    walk: Any = 1.11,
    *,
    variant: str = "22dof",
    human: Any = None,
    friction: float = 2.0,
    torsional: float = 1.0,
    slope: float = 0.0,
    ledge: float = 0.0,
    planar: bool = False,
    soft: bool = False,
    start: tuple[float, float] = (1.0, 0.25),
    plan: tuple[tuple[float, dict[str, float]], ...] = (),
    time_step: float = 0.001,
    before: "Callable[[Humanoid, VirtualModelWalker], None] | None" = None,
    **options: Any,
) -> Party:
    """Return a person who is about to walk.

    Args:
        walk: a `Walk`, or the speed of one, of the man of the thesis [m/s].
        variant, human: of the person.
        friction, torsional: of the ground.
        slope: of the ground, up along x [degrees].
        ledge: height of a step of the ground at x = 3 m [m].
        planar: whether the pelvis is kept in the sagittal plane.
        soft: whether soles are the springs and dampers of the thesis, in place of rigid contacts.
        start: speed and speed to the outside at the beginning [m/s].
        plan: times [s], and what of the walk changes then.
        time_step: of the world [s], a whole part of 10 ms.
        before: called before the first step.
        **options: of the walker.
    """
    import stoss as st
    from stoss.benchmarks.henze.soft_soles import SoftSoles
    from stoss.engine.humans import MALE, VirtualModelWalker, Walk, build_humanoid

    world = st.World(time_step=time_step)
    tilt = np.radians(slope)
    # of both materials of a pair the mean counts: the person's, too
    material = st.Material(friction=friction, torsional_friction=torsional)
    normal = (-np.sin(tilt), 0.0, np.cos(tilt))
    ground = world.add_body(
        st.HalfSpace(normal=normal), kind="static", material=material, name="ground", mask=0 if soft else -1
    )
    if ledge:
        # up: a block from the ledge on; down: one that ends there
        middle = 53.0 if ledge > 0.0 else -47.0
        block = st.Box((100.0, 100.0, abs(ledge)))
        place = (middle, 0.0, 0.5 * abs(ledge))
        world.add_body(block, position=place, kind="static", material=material, name="ledge")
    man = MALE if human is None else human
    person = build_humanoid(world, man, variant=variant, position=(0.0, 0.0, max(-ledge, 0.0)))
    for body in person.bodies.values():
        body.material = material
    wanted = walk if isinstance(walk, Walk) else Walk.at(walk)
    if soft:
        walker: VirtualModelWalker = SoftSoles(person, ground, wanted, **options)
    else:
        walker = VirtualModelWalker(person, wanted, **options)
    walker.start(*start)
    if planar:
        pelvis = person.bodies["pelvis"]
        world.add_joint(st.Planar(tuple(pelvis.position), (0.0, 1.0, 0.0)), None, pelvis)
    world.add_controller(walker)
    for time, changes in plan:
        wanted = replace(wanted, **changes)
        walker.plan(time, wanted)
    if before is not None:
        before(person, walker)
    return Party(world, person, walker)


def follow(party: Party, seconds: float) -> Outcome:
    """Let someone walk on for a time, or until they fall, and return what came of it.

    Args:
        party: who walks.
        seconds: how long [s].
    """
    out, path = Outcome(), []
    steps = round(0.01 / party.world.time_step)
    for _ in range(round(100 * seconds)):
        report = party.world.step(steps)
        out.joint_error = max(out.joint_error, report.joint_error)
        path.append(party.person.bodies["pelvis"].position.copy())
        if party.walker.fallen:
            break
    out.lasted, out.fell, out.path = party.world.time, party.walker.fallen, np.array(path)
    return out


def stands(out: Outcome, seconds: float, what: str = "walked without a fall") -> Figure:
    """Return the figure of a walk that is not to end in a fall."""
    return at_least(what, out.lasted, seconds - 0.02, "s")


def falls(out: Outcome, seconds: float, what: str = "fell after") -> Figure:
    """Return the figure of a walk that is to end in a fall."""
    return at_most(what, out.lasted if out.fell else float("inf"), seconds, "s")


def go(seconds: float, walk: Any = 1.11, *, skip: int = 4, record: bool = False, **options: Any) -> Outcome:
    """Let a person walk from the start on.

    Args:
        seconds: how long [s].
        walk: a `Walk`, or the speed of one [m/s].
        skip: steps that the report leaves out.
        record: whether power and energy are in the report.
        **options: of `set_out`.
    """
    from stoss.engine.humans import GaitRecorder, gait_report

    party = set_out(walk, **options)
    recorder = GaitRecorder(party.walker) if record else None
    out = follow(party, seconds)
    out.recorder = recorder
    if len(party.walker.landings) >= skip + 3:
        out.report = gait_report(party.walker if recorder is None else recorder, skip)
    return out

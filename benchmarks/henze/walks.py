"""Walks in a world of their own, and what came of them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from stoss.engine.humans import Humanoid, VirtualModelWalker
    from stoss.engine.humans.gait import GaitReport

__all__ = ["Outcome", "go"]


@dataclass
class Outcome:
    """What came of a walk.

    Attributes:
        lasted: until it fell, or the walk ended [s].
        fell: whether it fell.
        report: of its gait, None where it made too few steps.
        path: (k, 3) of the pelvis, every 10 ms [m].
        joint_error: largest gap of a joint [m].
    """

    lasted: float = 0.0
    fell: bool = False
    report: "GaitReport | None" = None
    path: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    joint_error: float = 0.0

    def course(self, time: float, over: float = 1.0) -> float:
        """Return the direction of the path in the time before a moment [degrees]."""
        end = min(round(100 * time), len(self.path)) - 1
        way = self.path[end] - self.path[max(end - round(100 * over), 0)]
        return float(np.degrees(np.arctan2(way[1], way[0])))


def go(
    seconds: float,
    walk: Any = 1.11,
    *,
    variant: str = "22dof",
    human: Any = None,
    friction: float = 2.0,
    torsional: float = 1.0,
    slope: float = 0.0,
    planar: bool = False,
    start: tuple[float, float] = (1.0, 0.25),
    plan: tuple[tuple[float, dict[str, float]], ...] = (),
    push: tuple[float, tuple[float, float]] | None = None,
    before: "Callable[[Humanoid, VirtualModelWalker], None] | None" = None,
    skip: int = 4,
    record: bool = False,
    **options: Any,
) -> Outcome:
    """Let a person walk at steps of 1 ms.

    Args:
        seconds: how long [s].
        walk: a `Walk`, or the speed of one [m/s].
        variant, human: of the person.
        friction, torsional: of the ground.
        slope: of the ground, up along x [degrees].
        planar: whether the pelvis is kept in the sagittal plane.
        start: speed and speed to the outside at the beginning [m/s].
        plan: times [s], and what of the walk changes then.
        push: when [s], and the impulse on the upper body, forward and to the left [N s].
        before: called before the first step.
        skip: steps that the report leaves out.
        record: whether power and energy are in the report.
        **options: of the walker.
    """
    import stoss as st
    from stoss.engine.humans import MALE, VirtualModelWalker, Walk, build_humanoid, gait_report

    world = st.World(time_step=0.001)
    tilt = np.radians(slope)
    # of both materials of a pair the mean counts: the person's, too
    material = st.Material(friction=friction, torsional_friction=torsional)
    world.add_body(
        st.HalfSpace(normal=(-np.sin(tilt), 0.0, np.cos(tilt))),
        kind="static",
        material=material,
        name="ground",
    )
    person = build_humanoid(world, MALE if human is None else human, variant=variant)
    for body in person.bodies.values():
        body.material = material
    wanted = walk if isinstance(walk, Walk) else Walk.at(walk)
    walker = VirtualModelWalker(person, wanted, **options)
    walker.start(*start)
    if planar:
        pelvis = person.bodies["pelvis"]
        world.add_joint(st.Planar(tuple(pelvis.position), (0.0, 1.0, 0.0)), None, pelvis)
    recorder = st.GaitRecorder(walker) if record else None
    world.add_controller(walker)
    for time, changes in plan:
        wanted = replace(wanted, **changes)
        walker.plan(time, wanted)
    if before is not None:
        before(person, walker)
    out, path = Outcome(), []
    for k in range(round(100 * seconds)):
        if push is not None and k == round(100 * push[0]):
            trunk = person.bodies["upper body"]
            trunk.velocity = trunk.velocity + np.array([*push[1], 0.0]) / trunk.mass
        report = world.step(10)
        out.joint_error = max(out.joint_error, report.joint_error)
        path.append(person.bodies["pelvis"].position.copy())
        if walker.fallen:
            break
    out.lasted, out.fell, out.path = world.time, walker.fallen, np.array(path)
    if len(walker.landings) >= skip + 3:
        out.report = gait_report(walker if recorder is None else recorder, skip)
    return out

"""The arm with the drill of Krieg 1992, chapter 5: seven sets of gains, in two readings of their units."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.benchmarks.krieg.chain import chain
from stoss.engine.control.servo import Servo
from stoss.scenes.mechanisms.arm_with_drill import GAINS

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.engine.reference import ReferenceRun

__all__ = ["GAINS", "JOINTS", "Motion", "arm", "reference", "simulated"]

JOINTS = ("shoulder", "elbow", "wrist")

TRUNK = 1000.0  # [N m/rad] by which feet and ground hold the trunk


def arm(
    run: str = "R1",
    unit: str = "U1",
    *,
    time_step: float = 1e-3,
    implicit: bool = True,
    hammer: bool = False,
) -> "World":
    """Return the four bodies of the control runs with their controllers.

    Args:
        run: R1 to R7.
        unit: of angles in P and I: U1, all in radians, or U2, in degrees, D in radians.
        time_step: [s].
        implicit: whether the controllers are rows of the solver.
        hammer: let the hand feel 300 sin^2 (2 pi 5 t) N rather than 150 N.
    """
    import stoss as st

    world = chain(time_step, loads=True)
    scale = 180.0 / np.pi if unit == "U2" else 1.0
    p, i, d = GAINS[run]
    if hammer:
        world.load("hand").remove()
        world.add_load(_hammer, name="hand")
    trunk = world.body("trunk")
    world.add_load(st.RotationalSpring(trunk, None, axis=(0.0, 0.0, 1.0), stiffness=TRUNK), name="feet")
    for name in JOINTS:
        servo = st.Servo(
            world.joint(name), kp=p * scale, ki=i * scale, kd=d, target="initial", implicit=implicit
        )
        world.add_actuator(servo, name=name)
    return world


def _hammer(c: Any) -> None:
    """Push the hand back where it holds the drill."""
    c.force("hand", (-300.0 * np.sin(2.0 * np.pi * 5.0 * c.time) ** 2, 0.0, 0.0), at=(0.0, 0.06, 0.0))


@dataclass(frozen=True, eq=False)
class Motion:
    """What a run found, at n times: the engine at its steps, the reference where it was asked.

    Attributes:
        status: "finished", or why it ended.
        times: (n,) [s].
        torques: (n, 3) of shoulder, elbow and wrist [N m], positive on the first body, as in the thesis.
        angles: (n, 3) beyond where they began [degrees].
        trunk: (n,) angle [degrees].
        reactions: (n, 3) sizes of the forces in the joints [N]; of steps, the mean up to a time.
        gap: largest of the joints [m].
        momentum: (n,) angular momentum about the origin [kg m^2/s].
    """

    status: str
    times: np.ndarray
    torques: np.ndarray
    angles: np.ndarray
    trunk: np.ndarray
    reactions: np.ndarray
    gap: float
    momentum: np.ndarray

    def at(self, time: float) -> np.ndarray:
        """Return torques and angles (6,) and the trunk's angle at a time, between the two nearest ones."""
        rows = np.column_stack([self.torques, self.angles, self.trunk])
        return np.array([np.interp(time, self.times, column) for column in rows.T])

    def largest(self, begin: float, end: float) -> float:
        """Return the largest angle of any joint [degrees] from one time to another; NaN beyond the run."""
        own = (self.times >= begin - 1e-9) & (self.times <= end + 1e-9)
        return float(np.abs(self.angles[own]).max()) if own.any() and self.times[-1] > end - 1e-6 else np.nan


def simulated(world: "World", duration: float, reach: float = 50.0) -> Motion:
    """Return the motion of a world of `arm`; it ends when a body is farther than `reach` [m] away."""
    plane = world.plane
    assert plane is not None
    joints = [world.joint(name) for name in JOINTS]
    begin = np.array([joint.value for joint in joints])
    implicit = [isinstance(servo, Servo) and servo.implicit for servo in world.actuators.values()]
    h, status = world.time_step, "finished"
    rows: list[list[float]] = []
    forces: list[list[float]] = []
    gap = 0.0

    def keep() -> None:
        angle = np.degrees(np.array([joint.value for joint in joints]) - begin)
        reaction = [float(np.linalg.norm(joint.force)) for joint in joints]
        turned = float(np.degrees(plane.motion(world.body("trunk")).angle))
        momentum = float(world.report.angular_momentum[2])
        rows.append([world.time, *angle, turned, *reaction, momentum])

    keep()
    for _step in range(round(duration / h)):
        world.step()
        forces.append([-float(world.actuators[name].force) for name in JOINTS])
        keep()
        gap = max([gap, *(joint.error for joint in joints)])
        if np.abs(world.centers_of_mass).max() > reach:
            status = "diverged"
            break
    table = np.array(rows)
    return Motion(
        status,
        table[:, 0],
        _at_steps(np.array(forces), implicit[0]),
        table[:, 1:4],
        table[:, 4],
        table[:, 5:8],
        gap,
        table[:, 8],
    )


def _at_steps(forces: np.ndarray, implicit: bool) -> np.ndarray:
    """Return torques at the ends of steps: explicit ones are those of the beginning, others of the middle."""
    if not implicit:
        return np.vstack([forces, forces[-1:]])
    middle = 0.5 * (forces[1:] + forces[:-1])
    first, last = 1.5 * forces[0] - 0.5 * forces[1], 1.5 * forces[-1] - 0.5 * forces[-2]
    return np.vstack([first, middle, last])


def reference(
    world: "World",
    duration: float,
    every: float = 1e-3,
    rtol: float = 1e-9,
    reach: float = 50.0,
    method: str = "DOP853",
) -> Motion:
    """Return the same of the reference."""
    from stoss.engine.reference import ReferenceSolver

    run: ReferenceRun = ReferenceSolver(world).run(
        duration, every=every, rtol=rtol, atol=0.01 * rtol, reach=reach, max_step=5e-3, method=method
    )
    joints = [run.joint(name) for name in JOINTS]
    angles = np.column_stack([np.degrees(joint.value - joint.value[0]) for joint in joints])
    q = run.quaternions[:, run.row("trunk")]
    return Motion(
        run.status,
        run.times,
        np.column_stack([-joint.drive["angle"] for joint in joints]),
        angles,
        np.degrees(2.0 * np.arctan2(q[:, 3], q[:, 0])),
        np.column_stack([np.linalg.norm(joint.force, axis=1) for joint in joints]),
        max(float(joint.gap.max()) for joint in joints),
        run.angular_momentum[:, 2],
    )

"""Marks within a step: the state at its start and at other instants, to go back to."""

import numpy as np
from stoss.engine.contacts.warm_start import ImpulseMemory
from stoss.engine.stages.constraint_system import Instant
from stoss.engine.world.snapshot import Mark

__all__ = ["StepStart", "back_to", "mark_of"]

# What of the bodies and of the joints changes in a step, pose, velocity and solution first.
BODY_STATE = ("positions", "quaternions", "velocities", "angular_velocities", "forces", "torques")
JOINT_STATE = ("value", "impulse", "state", "total", "target", "target_rate", "history_count", "last_error")
JOINT_SOLUTION = ("value", "impulse", "state", "total", "reaction")


class StepStart:
    """Bodies, joints and impulses as they were at the start of a step.

    Args:
        instant: that changes in the step.
    """

    def __init__(self, instant: Instant) -> None:
        self._instant = instant
        self.memory: ImpulseMemory = instant.memory
        self.step_length = 0.0
        self._bodies: tuple[np.ndarray, ...] = ()
        self._joints: tuple[np.ndarray, ...] = ()

    def keep(self) -> None:
        """Keep the present state."""
        d = self._instant
        bodies = d.bodies
        self._bodies = tuple(getattr(bodies, name).copy() for name in BODY_STATE)
        self._joints = ()
        if d.joint_table.count > 0:
            self._joints = tuple(getattr(d.joints, name).copy() for name in JOINT_STATE)
        self.memory = d.memory
        self.step_length = float(d.step_length[0])

    @property
    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (n, 3) and quaternions (n, 4) of the bodies."""
        return self._bodies[0], self._bodies[1]

    def give_back(self) -> None:
        """Give bodies and joints back their poses, velocities and impulses; forces and set points stay."""
        self._give(4, 3)

    def give_back_all(self) -> None:
        """Give bodies and joints back their whole state, and contacts their impulses."""
        self._give(len(BODY_STATE), len(JOINT_STATE))
        self._instant.memory = self.memory

    def _give(self, body_fields: int, joint_fields: int) -> None:
        d = self._instant
        d.ledger[:] = 0.0
        for name, good in zip(BODY_STATE[:body_fields], self._bodies, strict=False):
            getattr(d.bodies, name)[:] = good
        for name, good in zip(JOINT_STATE[:joint_fields], self._joints, strict=False):
            getattr(d.joints, name)[:] = good


def mark_of(d: Instant) -> Mark:
    """Return an instant within a step, for `back_to`."""
    joints = d.joints if d.joint_table.count > 0 else None
    return Mark(
        bodies=tuple(getattr(d.bodies, name).copy() for name in BODY_STATE[:4]),
        joints=() if joints is None else tuple(getattr(joints, name).copy() for name in JOINT_SOLUTION),
        contacts=d.contacts.copy(),
        impulse=d.rows.impulse.copy(),
        state=d.rows.state.copy(),
        step_length=float(d.step_length[0]),
        memory=d.memory,
        ledger=d.ledger.copy(),
    )


def back_to(d: Instant, mark: Mark) -> None:
    """Return to an instant of this step."""
    for name, good in zip(BODY_STATE, mark.bodies, strict=False):
        getattr(d.bodies, name)[:] = good
    for name, good in zip(JOINT_SOLUTION, mark.joints, strict=False):
        getattr(d.joints, name)[:] = good
    d.contacts = mark.contacts.copy()
    d.contacts.reserve(1)
    d.find_islands()
    d.memory = mark.memory
    d.build()
    d.rows.impulse[:], d.rows.state[:] = mark.impulse, mark.state
    d.step_length[0] = mark.step_length
    d.ledger[:] = mark.ledger

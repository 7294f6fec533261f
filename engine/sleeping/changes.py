"""What changed since bodies fell asleep, found by comparing with copies: so no way to do it is forgotten."""

from typing import NamedTuple

import numpy as np

from stoss.collision.kernels.tables import Table
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.sleeping.rest import mark_changes, moving_supports

__all__ = ["Changes", "Seen"]

# What may change of joints while they sleep: numbering first, then what is said of joints, then of rows. What
# schedules and controllers say shows in the set points.
_WATCHED = (
    *("bodies", "row_key", "part", "enabled"),
    *(
        "active",
        "target",
        "target_rate",
        "lower",
        "upper",
        "restitution",
        "stiffness",
        "damping",
        "max_force",
    ),
)
_NUMBERING, _PER_JOINT = 3, 4
# The first fields of `BodyArrays`, which users may write at any time: poses, velocities, forces, torques.
_STATE_FIELDS = 6


class Seen(NamedTuple):
    """How a world was when it was last looked at, for snapshots."""

    bodies: BodyArrays | None  # None: none sleep
    joints: tuple[np.ndarray, ...]  # the fields `_WATCHED`
    gravity: np.ndarray | None  # None: it was never looked at


class Changes:
    """Remember how bodies asleep, their supports and joints were, and tell what has changed.

    Attributes:
        moving: (n,) which bodies do not react, but moved or were changed when they were last compared.
    """

    def __init__(self) -> None:
        self._bodies: Table[BodyArrays] | None = None  # as they were, if any sleep
        self._joints: tuple[np.ndarray, ...] = ()
        self._gravity: np.ndarray | None = None
        self.moving = np.zeros(0, np.bool_)

    def remember(self, bodies: BodyArrays, joints: JointArrays, chosen: np.ndarray) -> None:
        """Take note of the bodies `chosen` (n,), which fall asleep, and of all joints."""
        self._joints = _watched(joints)
        if self._bodies is None:
            self._bodies = Table(BodyArrays)
            self._bodies.take(bodies)
            return
        for now, then in zip(bodies, self._bodies.arrays, strict=True):
            then[chosen] = now[chosen]

    def forget(self) -> None:
        """Forget the bodies: none sleep."""
        self._bodies = None

    def in_gravity(self, gravity: np.ndarray) -> bool:
        """Return whether gravity (3,) [m/s^2] is another one than when this was last asked."""
        before, self._gravity = self._gravity, gravity.copy()
        return before is not None and not np.array_equal(before, gravity)

    def in_bodies(self, bodies: BodyArrays, constants: bool) -> np.ndarray:
        """Return which bodies (n,) were changed, and take note of those that do not react.

        Args:
            bodies: as they are.
            constants: whether masses, materials and the like may have changed, besides the state and the
                forces.
        """
        assert self._bodies is not None
        changed = np.zeros(len(bodies.kinds), np.bool_)
        watched = len(bodies._fields) if constants else _STATE_FIELDS
        fields = list(zip(bodies, self._bodies.arrays, strict=True))[:watched]
        for now, then in fields:
            mark_changes(now, then, changed)
        fixed = np.flatnonzero(bodies.kinds != DYNAMIC)
        for now, then in fields:
            then[fixed] = now[fixed]
        self.moving = moving_supports(bodies)
        self.moving[fixed] |= changed[fixed]
        return changed

    def in_joints(self, joints: JointArrays) -> np.ndarray:
        """Return the bodies of joints that were changed, or that hold on to a body that moves.

        Where joints or rows were added or removed, these are numbered anew, and all mechanisms count.
        """
        if len(joints.bodies) == 0 and len(self._joints[0]) == 0:
            return np.zeros(0, np.int64)
        now, then = _watched(joints), self._joints
        self._joints = now
        same = all(np.array_equal(now[i], then[i]) for i in range(_NUMBERING))
        if not same:
            bodies = np.concatenate([joints.bodies, then[0]]).ravel()
        else:
            rows = np.zeros(len(joints.part), np.bool_)
            for field, old in zip(now[_PER_JOINT:], then[_PER_JOINT:], strict=True):
                mark_changes(field, old, rows)
            changed = now[_PER_JOINT - 1] != then[_PER_JOINT - 1]
            changed[joints.joint[joints.part[rows]]] = True
            changed |= np.append(self.moving, False)[joints.bodies].any(axis=1) & joints.enabled
            bodies = joints.bodies[changed].ravel()
        return bodies[bodies >= 0]

    def resize(self, count: int) -> None:
        """Expect `count` bodies; what does not react among new ones counts as changed."""
        self.moving = np.concatenate([self.moving, np.zeros(count - len(self.moving), np.bool_)])
        if self._bodies is not None:
            self._bodies.resize(bodies=count)

    def remove_bodies(self, bodies: np.ndarray) -> None:
        """Forget bodies (ascending rows), and renumber those behind them."""
        self.moving = np.delete(self.moving, bodies)
        if self._bodies is not None:
            self._bodies.remove("bodies", bodies)
        if self._joints:
            ends = self._joints[0]
            gone = np.isin(ends, bodies)
            ends -= np.searchsorted(bodies, ends)
            ends[gone] = -1  # their joints went with them; the other body is to wake for that

    def save(self) -> Seen:
        """Return a copy of what is remembered."""
        return Seen(
            None if self._bodies is None else self._bodies.arrays.copy(),
            tuple(field.copy() for field in self._joints),
            None if self._gravity is None else self._gravity.copy(),
        )

    def restore(self, seen: Seen, count: int) -> None:
        """Return to what was remembered of `count` bodies, which is copied."""
        self.moving = np.zeros(count, np.bool_)
        self._bodies = None
        if seen.bodies is not None:
            self._bodies = Table(BodyArrays)
            self._bodies.take(seen.bodies)
        self._joints = tuple(field.copy() for field in seen.joints)
        self._gravity = None if seen.gravity is None else seen.gravity.copy()


def _watched(joints: JointArrays) -> tuple[np.ndarray, ...]:
    """Return copies of what may change of joints."""
    return tuple(getattr(joints, name).copy() for name in _WATCHED)

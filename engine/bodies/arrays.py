"""State and constants of all bodies as a structure of arrays, owned by the world."""

from typing import Annotated

import numpy as np
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints

__all__ = [
    "BY_SETTINGS",
    "BY_SWEEPS",
    "DIRECTLY",
    "DYNAMIC",
    "KIND_NAMES",
    "KINEMATIC",
    "STATIC",
    "BodyArrays",
    "BodyScratch",
    "BodyTable",
    "OldBodies",
]

STATIC, KINEMATIC, DYNAMIC = 0, 1, 2
BY_SETTINGS, DIRECTLY, BY_SWEEPS = 0, 1, 2
KIND_NAMES = ("static", "kinematic", "dynamic")


class BodyArrays(Struct):
    """Arrays of all bodies, as kernels take them; the first axis is the body.

    The body frame of the dynamics has its origin at the centre of mass and its axes along the
    principal axes (Bender 2007, section 3.1.1). `frame_*` is the pose, in that frame, of the reference
    frame in which the user gave the shapes.
    """

    positions: Annotated[Floats, "bodies", 3]  # centre of mass [m]
    quaternions: Annotated[Floats, "bodies", 4]  # principal axes to world
    velocities: Annotated[Floats, "bodies", 3]  # of the centre of mass [m/s]
    angular_velocities: Annotated[Floats, "bodies", 3]  # world [rad/s]
    forces: Annotated[Floats, "bodies", 3]  # [N], constant during a step
    torques: Annotated[Floats, "bodies", 3]  # world [N m], constant during a step
    kinds: Annotated[Ints, "bodies"]  # STATIC, KINEMATIC or DYNAMIC
    masses: Annotated[Floats, "bodies"]  # [kg]; 0 where the body does not react
    inertias: Annotated[Floats, "bodies", 3]  # principal moments [kg m^2]
    inverse_masses: Annotated[Floats, "bodies"]  # [1/kg]; 0 where the body does not react
    root_inverse_masses: Annotated[Floats, "bodies"]  # m^(-1/2)
    root_inverse_inertias: Annotated[Floats, "bodies", 3]  # I^(-1/2)
    restitution: Annotated[Floats, "bodies"]
    friction: Annotated[Floats, "bodies"]  # dynamic coefficient
    static_friction: Annotated[Floats, "bodies"]
    rolling_friction: Annotated[Floats, "bodies"]  # [m]
    torsional_friction: Annotated[Floats, "bodies"]  # [m]
    pair_group: Annotated[Ints, "bodies"]  # number of its material in the table of pairs, 0 for none
    solver: Annotated[Ints, "bodies"]  # which solver its island is to have: BY_SETTINGS, DIRECTLY, BY_SWEEPS
    frame_positions: Annotated[Floats, "bodies", 3]
    frame_quaternions: Annotated[Floats, "bodies", 4]


class OldBodies(Struct):
    """State of the bodies at the start of a sub-step."""

    positions: Annotated[Floats, "bodies", 3]
    quaternions: Annotated[Floats, "bodies", 4]
    velocities: Annotated[Floats, "bodies", 3]
    angular_velocities: Annotated[Floats, "bodies", 3]


class BodyScratch(Struct):
    """Arrays with one entry per body that the stages work with."""

    z: Annotated[Floats, "bodies", 6]  # mass-weighted change of velocity, zero between solves
    roots: Annotated[Floats, "bodies", 9]  # world inverse inertia, its root
    accelerations: Annotated[Floats, "bodies", 6]
    middle_velocities: Annotated[Floats, "bodies", 3]
    middle_angular_velocities: Annotated[Floats, "bodies", 3]
    next_positions: Annotated[Floats, "bodies", 3]  # of the preview
    next_quaternions: Annotated[Floats, "bodies", 4]
    everyone: Annotated[Ints, "bodies"]  # 0, 1, 2 ...
    partner: Annotated[
        Ints, "bodies"
    ]  # whom the body meets at the end of the sub-step: a row, NOBODY or ANYONE
    momenta: Annotated[Floats, "bodies", 6]  # mass-weighted velocities


_SHAPES = {
    "positions": (3,),
    "quaternions": (4,),
    "velocities": (3,),
    "angular_velocities": (3,),
    "forces": (3,),
    "torques": (3,),
    "inertias": (3,),
    "root_inverse_inertias": (3,),
    "frame_positions": (3,),
    "frame_quaternions": (4,),
}


_INTEGER = {"kinds", "solver", "pair_group"}


def _empty(capacity: int) -> BodyArrays:
    return BodyArrays(
        **{
            name: np.zeros((capacity, *_SHAPES.get(name, ())), np.int64 if name in _INTEGER else np.float64)
            for name in BodyArrays._fields
        }
    )


class BodyTable:
    """Hold the arrays of `count` bodies, growing by doubling.

    Attributes:
        count: of bodies.
        storage: the arrays with room for more bodies, in which rows below `count` may be written.
        resists_turning: whether any body may have rolling or torsional friction.
    """

    def __init__(self) -> None:
        self.count = 0
        self.resists_turning = False
        self.storage = _empty(8)
        self._arrays: BodyArrays | None = None

    @property
    def arrays(self) -> BodyArrays:
        """Return views of the first `count` rows of the arrays."""
        if self._arrays is None:
            self._arrays = BodyArrays(*(field[: self.count] for field in self.storage))
        return self._arrays

    def append(self) -> int:
        """Add a body with zero state and return its row."""
        row = self.count
        self._reserve(row + 1)
        self.count, self._arrays = row + 1, None
        return row

    def repeat(self, copies: int) -> None:
        """Add copies of the last body."""
        last, end = self.count - 1, self.count + copies
        self._reserve(end)
        for field in self.storage:
            field[last + 1 : end] = field[last]
        self.count, self._arrays = end, None

    def _reserve(self, count: int) -> None:
        capacity = len(self.storage.kinds)
        if count > capacity:
            grown = _empty(max(count, 2 * capacity))
            for new, old in zip(grown, self.storage, strict=True):
                new[:capacity] = old
            self.storage = grown

    def remove(self, row: int) -> None:
        """Remove a body; the bodies behind it move up by one row, in their order."""
        for field in self.storage:
            field[row : self.count - 1] = field[row + 1 : self.count]
            field[self.count - 1] = 0
        self.count, self._arrays = self.count - 1, None

    def copy_arrays(self) -> BodyArrays:
        """Return independent copies of the arrays."""
        return BodyArrays(*(field.copy() for field in self.arrays))

    def set_arrays(self, arrays: BodyArrays) -> None:
        """Take over the values of `arrays` (copied), which may have another number of bodies."""
        self.count, self._arrays = len(arrays.kinds), None
        if len(self.storage.kinds) < self.count:
            self.storage = _empty(self.count)
        for mine, theirs in zip(self.storage, arrays, strict=True):
            mine[: self.count] = theirs
            mine[self.count :] = 0
        self.resists_turning = bool(
            self.arrays.rolling_friction.any() or self.arrays.torsional_friction.any()
        )

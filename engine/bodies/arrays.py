"""State and constants of all bodies as a structure of arrays, owned by the world."""

from typing import Annotated

import numpy as np

from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Bools, Floats, Ints

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
    sqrt_inverse_masses: Annotated[Floats, "bodies"]  # m^(-1/2)
    sqrt_inverse_inertias: Annotated[Floats, "bodies", 3]  # I^(-1/2)
    restitution: Annotated[Floats, "bodies"]
    friction: Annotated[Floats, "bodies"]  # dynamic coefficient
    static_friction: Annotated[Floats, "bodies"]
    rolling_friction: Annotated[Floats, "bodies"]  # [m]
    torsional_friction: Annotated[Floats, "bodies"]  # [m]
    plane: Annotated[Ints, "bodies"]  # in which it stays: 0 for none, 1 to 3 for one across x, y or z
    pair_group: Annotated[Ints, "bodies"]  # number of its material in the table of pairs, 0 for none
    solver: Annotated[Ints, "bodies"]  # which solver its island is to have: BY_SETTINGS, DIRECTLY, BY_SWEEPS
    frame_positions: Annotated[Floats, "bodies", 3]
    frame_quaternions: Annotated[Floats, "bodies", 4]
    conveys: Annotated[Ints, "bodies"]  # 1 where the surface moves along the body: a conveyor, a turntable
    surface_motion: Annotated[Floats, "bodies", 6]  # velocity of it [m/s, rad/s], in the reference frame
    surface_change: Annotated[Floats, "bodies", 6]  # its acceleration in this step, as it was told to move
    debts: Annotated[Floats, "bodies"]  # what holding and touching gave it since its lowest energy [J]
    placed: Annotated[Bools, "bodies"]  # was put into another body, or with an open joint, and is so still
    overlaps: Annotated[Floats, "bodies", 2]  # the deepest: as found, and as it was displaced to be [m]
    # accelerations of a kinematic body on its way to a pose [m/s^2, rad/s^2], mean angular velocity [rad/s]
    told: Annotated[Floats, "bodies", 9]


class OldBodies(Struct):
    """State of the bodies at the start of a sub-step."""

    positions: Annotated[Floats, "bodies", 3]
    quaternions: Annotated[Floats, "bodies", 4]
    velocities: Annotated[Floats, "bodies", 3]
    angular_velocities: Annotated[Floats, "bodies", 3]


class BodyScratch(Struct):
    """Arrays with one entry per body that the stages work with."""

    z: Annotated[Floats, "bodies", 6]  # mass-weighted change of velocity, zero between solves
    sqrt_inverse_inertia: Annotated[Floats, "bodies", 9]  # world inverse inertia, its root
    accelerations: Annotated[Floats, "bodies", 6]
    middle_velocities: Annotated[Floats, "bodies", 3]
    middle_angular_velocities: Annotated[Floats, "bodies", 3]
    next_positions: Annotated[Floats, "bodies", 3]  # of the preview
    next_quaternions: Annotated[Floats, "bodies", 4]
    everyone: Annotated[Ints, "bodies"]  # 0, 1, 2 ...
    met_body: Annotated[
        Ints, "bodies"
    ]  # whom the body meets at the end of the sub-step: a row, NOBODY or ANYONE
    momenta: Annotated[Floats, "bodies", 6]  # mass-weighted velocities


class BodyTable:
    """Hold the arrays of all bodies.

    Attributes:
        storage: the arrays with room for more bodies, in which rows below `count` may be written.
        resists_turning: whether any body may have rolling or torsional friction.
    """

    def __init__(self) -> None:
        self._table = Table(BodyArrays)
        self.storage = self._table.storage
        self.resists_turning = False

    @property
    def count(self) -> int:
        """Return the number of bodies."""
        return self._table.lengths["bodies"]

    @property
    def arrays(self) -> BodyArrays:
        """Return the arrays, one struct for good."""
        return self._table.arrays

    def append(self) -> int:
        """Add a body with zero state and return its row."""
        row = self._table.append("bodies")
        # whoever kept an array of bodies that were removed may have written there
        self.storage.forces[row] = self.storage.torques[row] = 0.0
        return row

    def repeat(self, copies: int) -> None:
        """Add copies of the last body."""
        first = self._table.append("bodies", copies)
        for field in self.storage:
            field[first : first + copies] = field[first - 1]

    def remove(self, rows: np.ndarray) -> None:
        """Remove bodies (ascending rows); those behind move up, in their order."""
        self._table.remove("bodies", rows)

    def take(self, arrays: BodyArrays) -> None:
        """Take over the values of `arrays` (copied), which may have another number of bodies."""
        self._table.take(arrays)
        self.resists_turning = bool(arrays.rolling_friction.any() or arrays.torsional_friction.any())

"""Ready-made loads as a structure of arrays: one row for each place at which one of them acts."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.joints.placement import JointFrames

__all__ = [
    "CONTACT",
    "COORDINATE",
    "COORDINATE_SPRING",
    "DRAG",
    "FORCE",
    "LAW_STOP",
    "LINE",
    "MUSCLE",
    "NUMBERS",
    "PAIR_TORQUE",
    "RAMP_STOP",
    "SOFT_STOP",
    "SPRING",
    "STATES",
    "STICK_SLIP",
    "TORQUE",
    "WOBBLING",
    "LoadArrays",
    "LoadRows",
    "Motion",
    "Probe",
    "Probes",
]

# What a row does: the laws are in `laws`.
# FORCE: a vector at a point. TORQUE: a vector on a body. PAIR_TORQUE: on one body, its opposite on another.
# WOBBLING: a soft body in a bone. DRAG: against the velocity at a point. CONTACT: of a point with a body.
# STICK_SLIP: the same, by another law.
FORCE, TORQUE, PAIR_TORQUE, WOBBLING, DRAG, CONTACT, STICK_SLIP = range(7)
# Along a coordinate of a joint: given, a spring, a stop with a ramp of damping, a stop that grows smoothly,
# stops by the law of a contact.
COORDINATE, COORDINATE_SPRING, RAMP_STOP, SOFT_STOP, LAW_STOP = 10, 11, 12, 13, 14
# Along the line between two points: given, a spring, a muscle.
LINE, SPRING, MUSCLE = 20, 21, 22

NUMBERS = 16  # constants of a row
STATES = 8  # numbers that a row remembers from step to step


class LoadArrays(Struct):
    """Arrays of all ready-made loads, as kernels take them; the first axis is the row."""

    code: Annotated[Ints, "rows"]
    active: Annotated[Bools, "rows"]
    bodies: Annotated[Ints, "rows", 2]  # rows of the bodies, -1 for the world
    points: Annotated[Floats, "rows", 6]  # on both of them [m], in their principal axes
    frame: Annotated[Ints, "rows"]  # body in whose principal axes `turn` is, -1 for the world
    turn: Annotated[Floats, "rows", 4]  # quaternion of the frame in which vectors are given
    probe: Annotated[Ints, "rows"]  # row of `Probes` that measures its coordinate, -1: none
    numbers: Annotated[Floats, "rows", NUMBERS]
    state: Annotated[Floats, "rows", STATES]
    # results, at the middle of the step
    effort: Annotated[Floats, "rows"]  # [N] or [N m], see `Load.effort`
    value: Annotated[Floats, "rows"]  # what its law is of: length, angle, depth ... [m or rad]
    rate: Annotated[Floats, "rows"]  # of it
    first: Annotated[Floats, "rows", 6]  # force [N] and torque about the centre of mass [N m], first body
    second: Annotated[Floats, "rows", 6]  # on the second one
    potential: Annotated[Floats, "rows"]  # energy [J] that it stores
    stiff: Annotated[Floats, "rows"]  # (h omega)^2 of its stiffness, or 2 h / tau of its damping


class Probes(Struct):
    """Coordinates of joints that loads act on, each with a part and a row of its own."""

    joints: JointArrays
    frames: JointFrames


class Motion(Struct):
    """What is kept of the motion of the bodies for loads; the first axis is the body."""

    positions: Annotated[Floats, "bodies", 3]  # at the start of the step, and so on
    quaternions: Annotated[Floats, "bodies", 4]
    velocities: Annotated[Floats, "bodies", 3]
    angular_velocities: Annotated[Floats, "bodies", 3]
    accelerations: Annotated[Floats, "bodies", 6]  # mean of the last step without impacts
    total: Annotated[Floats, "bodies", 6]  # forces and torques of all loads


class Probe(NamedTuple):
    """A coordinate that a load acts on: of a joint, given by its key and place, or between two frames."""

    joint: int | None
    place: tuple[int, int, int]  # part, measure, axis
    ends: tuple[int, int] = (-1, -1)  # rows of the bodies, and frames on them [m], without a joint
    frames: tuple[Any, Any, Any, Any] = ()  # type: ignore[assignment]


class LoadRows:
    """The rows of one load while it is put in place; fields as those of `LoadArrays`."""

    def __init__(self, count: int, code: int) -> None:
        self.code = np.full(count, code)
        self.bodies = np.full((count, 2), -1)
        self.points = np.zeros((count, 6))
        self.frame = np.full(count, -1)
        self.turn = np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
        self.numbers = np.zeros((count, NUMBERS))
        self.probe: Probe | None = None  # what measures its coordinate

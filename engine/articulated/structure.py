"""What a tree knows of its world: joints as chains of axes, coordinates, what follows what."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stoss.collision.quaternions import ORIGIN, UNTURNED, Quaternion, Vector, conjugate, multiply, rotate
from stoss.collision.quaternions import matrix as rotation_matrix
from stoss.engine.articulated.tree import Tree
from stoss.engine.joints.basic_kinds import Ball, FixedOrientation, ParallelAxes, PointOnLine, PointOnPlane
from stoss.engine.joints.combined_kinds import Cylindrical, Fixed, Free, Hinge, Planar, Slider, Universal
from stoss.engine.joints.coupling_kinds import Screw
from stoss.engine.joints.guided_kinds import SIX, CustomJoint, SplineJoint

if TYPE_CHECKING:
    from stoss.engine.joints.kind import JointKind
    from stoss.engine.world.joint import Joint

__all__ = [
    "PATTERNS",
    "Follow",
    "Law",
    "Structure",
    "TreeJoint",
    "axis_of",
    "flat",
    "inverse",
    "limits_of",
    "pattern_of",
    "then",
]

Pose = tuple[Vector, Quaternion]
Function = Callable[..., Any]  # (value, order of the derivative), as the splines of scipy
# what a coordinate follows: the name of another, and a ratio, or ratio and offset, or a curve; or the time
Follow = tuple[str, float | Function] | tuple[str, float, float] | Function

HERE: Pose = (ORIGIN, UNTURNED)
AXES: dict[str, Vector] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
# What joints leave, as the axes of their chain from the frame A of the first body to B of the second: a slide
# along an axis (capital letter) or a turn about it. The names are those of the coordinates.
PATTERNS: dict[type, tuple[tuple[str, str], ...]] = {
    Fixed: (),
    Hinge: (("z", "angle"),),
    Slider: (("Z", "displacement"),),
    Cylindrical: (("Z", "displacement"), ("z", "angle")),
    Screw: (("Z", "displacement"), ("z", "angle")),
    Universal: (("x", "angle_1"), ("y", "angle_2")),
    Ball: (("x", "x"), ("y", "y"), ("z", "z")),
    SplineJoint: (("X", "x"), ("Y", "y"), ("Z", "z"), ("z", "angle")),
    Planar: (("X", "x"), ("Y", "y"), ("z", "angle")),
    Free: (("X", "x"), ("Y", "y"), ("Z", "z"), ("x", "turn_x"), ("y", "turn_y"), ("z", "turn_z")),
    CustomJoint: tuple(zip("XYZxyz", SIX, strict=True)),
    PointOnLine: (("Z", "displacement"), ("x", "turn_x"), ("y", "turn_y"), ("z", "turn_z")),
    PointOnPlane: (("X", "x"), ("Y", "y"), ("x", "turn_x"), ("y", "turn_y"), ("z", "turn_z")),
    FixedOrientation: (("X", "x"), ("Y", "y"), ("Z", "z")),
    ParallelAxes: (("X", "x"), ("Y", "y"), ("Z", "z"), ("z", "angle")),
}


@dataclass(frozen=True)
class TreeJoint:
    """What carries a body: a joint of the world, or nothing that holds it.

    Attributes:
        name: of the joint, or of the body that nothing holds.
        kind: key of `PATTERNS`.
        joint: None where nothing holds the body.
        bodies: rows of the bodies that A and B are on, -1: the world.
        frame_a, frame_b: in the principal axes of these.
        reversed: whether the second body carries the first.
        axes: numbers of its axes, in the order of the pattern.
        bend: [rad] by which the axes of a universal joint differ from a right angle.
    """

    name: str
    kind: type
    joint: "Joint | None"
    bodies: tuple[int, int]
    frame_a: Pose
    frame_b: Pose
    reversed: bool
    axes: tuple[int, ...]
    bend: float = 0.0


class Law(NamedTuple):
    """How an axis follows another one, or the time (-1): ratio x + offset, or a curve plus offset."""

    first: int
    ratio: float | Function
    offset: float

    def __call__(self, x: float) -> tuple[float, float, float]:
        """Return value and two derivatives at x."""
        if callable(self.ratio):
            value, slope, bend = (float(self.ratio(x, order)) for order in range(3))
            return value + self.offset, slope, bend
        return self.ratio * x + self.offset, self.ratio, 0.0


@dataclass(frozen=True)
class Structure:
    """A tree, and what of the world is not in it.

    Attributes:
        tree: its links are all bodies of the world, in their order.
        joints: what carries each body that moves, carriers first.
        names: of the coordinates.
        own: axis whose displacement each coordinate is.
        closures: joints that close loops.
        curves: axes that follow along curves, or the time: axis, coordinate, -1 for the time, and the laws
            from it to the axis.
    """

    tree: Tree
    joints: tuple[TreeJoint, ...]
    names: tuple[str, ...]
    own: tuple[int, ...]
    closures: tuple["Joint", ...]
    curves: tuple[tuple[int, int, tuple["Law", ...]], ...] = ()


def then(first: Pose, second: Pose) -> Pose:
    """Return the pose `second`, which is given in the frame of `first`."""
    x, y, z = rotate(first[1], second[0])
    a, b, c = first[0]
    return (a + x, b + y, c + z), multiply(first[1], second[1])


def inverse(pose: Pose) -> Pose:
    """Return the pose of the outer frame in the inner one."""
    back = conjugate(pose[1])
    x, y, z = rotate(back, pose[0])
    return (-x, -y, -z), back


def flat(q: Quaternion) -> np.ndarray:
    """Return the rotation matrix (9,) of a unit quaternion, one row after the other."""
    return np.array(rotation_matrix(q)).reshape(-1)


def pattern_of(kind: "JointKind") -> type:
    """Return the key of `PATTERNS`; Free for kinds that hold something else, which then close a loop."""
    return type(kind) if type(kind) in PATTERNS else Free


def axis_of(carried: TreeJoint, coordinate: str) -> int | None:
    """Return the axis of a coordinate of a joint by its name in the world; None if it has none."""
    names = [own for _, own in PATTERNS[carried.kind]]
    if carried.kind is Ball:  # its turns have short names here
        names = [f"turn_{name}" for name in names]
    return carried.axes[names.index(coordinate)] if coordinate in names else None


def limits_of(structure: Structure) -> np.ndarray:
    """Return the bounds (n, 2) of the coordinates by limits of joints, infinite where there are none."""
    found = np.full((len(structure.names), 2), np.inf) * (-1.0, 1.0)
    curved = {k for k, _, _ in structure.curves}
    for carried in structure.joints:
        for limit in carried.joint.limits if carried.joint is not None else ():
            k = axis_of(carried, limit.coordinate) if limit.enabled else None
            if k is None:
                continue
            c, slope, start = (getattr(structure.tree, of)[k] for of in ("coordinate", "slope", "start"))
            if slope == 0.0 or k in curved:
                continue
            ends = np.sort((np.array([limit.lower, limit.upper]) - start) / slope)
            found[c] = max(found[c, 0], ends[0]), min(found[c, 1], ends[1])
    return found

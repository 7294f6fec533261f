"""Basic joint kinds: plain descriptions of what a joint holds between two bodies, and of what it leaves free.

A kind is given in world coordinates at the moment at which the joint is added, and knows nothing of bodies.
Its coordinates say where the second body is relative to the first. Where a kind takes `second_point` or
`second_axis`, they give the place on the second body of a joint that is not closed yet; the world then closes
it (Bender 2007, section 3.3.3). The frame of a joint has z along its axis; x is `x_axis` made perpendicular,
or the x axis of the world (its y axis where the joint's axis is close to x).
"""

from dataclasses import dataclass
from typing import Any

from stoss.collision.quaternions import Vector
from stoss.engine import checks
from stoss.engine.joints.arrays import CROSS, LENGTH
from stoss.engine.joints.frames import Hold, Part, angle_between, axis_frame, direction, turned, two_axes
from stoss.engine.joints.holds import (
    ANGLE,
    AXIS,
    CARDAN_ANGLES,
    DISPLACEMENT,
    IN_PLANE,
    IN_PLANE_PLACE,
    ON_LINE,
    ORIENTATION,
    POINT,
    SWING_TWIST,
    TURNS,
    TWO_ANGLES,
)
from stoss.engine.joints.kind import ORIGIN, UP, Coordinate, JointKind, one_part
from stoss.names import closed

__all__ = [
    "Ball",
    "ParallelAxes",
    "Distance",
    "ConstantAngle",
    "PointOnLine",
    "FixedOrientation",
    "PointOnPlane",
]


# ------------------------------------------------------------------ basic joints, translation


@closed
@dataclass(frozen=True)
class Ball(JointKind):
    """Hold two points together (thesis: Kugelgelenk, section 3.2.3.1). Leaves 3 rotations.

    Swing is the angle between the two z axes, twist the turn about z. The rotations x, y, z are the
    components of the rotation vector, for springs; they end at half a turn. turn_x, turn_y and turn_z are
    three turns, one after the other, as `Articulation` has them; at 90 degrees of the second the others are
    not defined.

    Args:
        point: the common point (3,) [m].
        axis: z of the joint frame (3,), the neutral direction of swing and the axis of twist.
        second_point, second_axis: place on the second body [m], if another.
        x_axis: x of the joint frame (3,).
    """

    point: Any
    axis: Any = UP
    second_point: Any = None
    second_axis: Any = None
    x_axis: Any = None

    def __post_init__(self) -> None:
        self._check(("point", "second_point"), ("axis", "second_axis", "x_axis"))
        self._frame(self.axis, self.x_axis)

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        frame = self._frame(self.axis, self.x_axis)
        return one_part(
            self.point, self.second_point, frame, POINT, turned(frame, self.axis, self.second_axis)
        )

    def coordinates(self) -> dict[str, Coordinate]:
        """Return swing and twist, the rotations x, y, z, and three turns one after the other."""
        return {**SWING_TWIST, **TURNS, **CARDAN_ANGLES}


@closed
@dataclass(frozen=True)
class PointOnLine(JointKind):
    """Hold a point of the second body on a line of the first (thesis: Geradengelenk, section 3.2.3.1).

    Args:
        point: a point of the line (3,) [m], where its displacement is 0.
        axis: direction of the line (3,).
        second_point: the point of the second body [m], if another.
    """

    point: Any
    axis: Any
    second_point: Any = None

    def __post_init__(self) -> None:
        self._check(("point", "second_point"), ("axis",))

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        return one_part(self.point, self.second_point, axis_frame(self.axis), ON_LINE)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the displacement along the line."""
        return dict(DISPLACEMENT)


@closed
@dataclass(frozen=True)
class PointOnPlane(JointKind):
    """Hold a point of the second body in a plane of the first (thesis: Ebenengelenk, section 3.2.3.1).

    Args:
        point: a point of the plane (3,) [m], where x and y are 0.
        normal: normal of the plane (3,).
        second_point: the point of the second body [m], if another.
        x_axis: direction (3,) in which x is measured.
    """

    point: Any
    normal: Any
    second_point: Any = None
    x_axis: Any = None

    def __post_init__(self) -> None:
        self._check(("point", "second_point"), ("normal", "x_axis"))
        self._frame(self.normal, self.x_axis)

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        return one_part(self.point, self.second_point, self._frame(self.normal, self.x_axis), IN_PLANE)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return x and y in the plane."""
        return dict(IN_PLANE_PLACE)


@closed
@dataclass(frozen=True)
class Distance(JointKind):
    """Hold the distance of two points: a rod without mass (thesis: section 3.2.3.1, footnote 1).

    Args:
        point: on the first body (3,) [m].
        second_point: on the second body (3,) [m].
        length: distance to be held [m]; None: the present one.
    """

    point: Any
    second_point: Any
    length: float | None = None

    def __post_init__(self) -> None:
        self._check(("point", "second_point"))
        a, b = self.point, self.second_point
        if a == b:
            raise ValueError(
                f"Distance: second_point = {b!r} is the point on the first body, so the rod has no "
                "direction; give points apart from each other, or use Ball"
            )
        if self.length is not None:
            self._set(length=checks.positive("Distance: length", self.length, "m"))

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        a, b = self.point, self.second_point
        d = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
        present = (d[0] ** 2 + d[1] ** 2 + d[2] ** 2) ** 0.5
        length = present if self.length is None else self.length
        return one_part(a, b, axis_frame(direction("Distance", d)), ((LENGTH, 0, length),))

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the distance."""
        return {"distance": (0, LENGTH, 0)}


# ------------------------------------------------------------------ basic joints, rotation


@closed
@dataclass(frozen=True)
class FixedOrientation(JointKind):
    """Hold the orientation of the bodies to each other (thesis: Translationsgelenk, section 3.2.3.2)."""

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        return one_part(middle, None, axis_frame(UP), ORIENTATION)


@closed
@dataclass(frozen=True)
class ParallelAxes(JointKind):
    """Hold an axis of the second body parallel to one of the first (thesis: Richtungsgelenk, 3.2.3.2).

    Args:
        axis: the common direction (3,).
        second_axis: of the second body, if another.
    """

    axis: Any
    second_axis: Any = None

    def __post_init__(self) -> None:
        self._check((), ("axis", "second_axis"))

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        frame = axis_frame(self.axis)
        return one_part(middle, None, frame, AXIS, turned(frame, self.axis, self.second_axis))

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the angle about the axis."""
        return dict(ANGLE)


@closed
@dataclass(frozen=True)
class ConstantAngle(JointKind):
    """Hold the angle between two axes, one of either body (thesis: Doppelrotationsgelenk, section 3.2.3.2).

    The bodies are left to turn about both axes.

    Args:
        axis: of the first body (3,).
        second_axis: of the second body (3,), not parallel to the first.
    """

    axis: Any
    second_axis: Any

    def __post_init__(self) -> None:
        given = self.second_axis
        self._check((), ("axis", "second_axis"))
        two_axes(self.axis, self.second_axis, type(self).__name__, given)

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        frame, second = two_axes(self.axis, self.second_axis, type(self).__name__)
        holds: tuple[Hold, ...] = ((CROSS, 0, angle_between(self.axis, self.second_axis)),)
        return one_part(middle, None, frame, holds, second)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the angles about the first and the second axis."""
        return dict(TWO_ANGLES)

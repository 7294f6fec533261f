"""Joint kinds: plain descriptions of what a joint holds between two bodies, and of what it leaves free.

A kind is given in world coordinates at the moment at which the joint is added, and knows nothing of bodies.
Its coordinates say where the second body is relative to the first. Where a kind takes `second_point` or
`second_axis`, they give the place on the second body of a joint that is not closed yet; the world then closes
it (Bender 2007, section 3.3.3). The frame of a joint has z along its axis; x is `x_axis` made perpendicular,
or the x axis of the world (its y axis where the joint's axis is close to x).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from stoss.collision.quaternions import Quaternion, Vector
from stoss.engine import checks
from stoss.engine.joints.arrays import (
    ALIGN,
    ANGLE_1,
    ANGLE_2,
    CROSS,
    LENGTH,
    SLIDE,
    SWING,
    TURN,
    TWIST,
)
from stoss.engine.joints.frames import (
    Hold,
    Part,
    angle_between,
    axis_frame,
    direction,
    perpendicular_to,
    plane_frame,
    turned,
)
from stoss.engine.joints.kind import ORIGIN, UP, Coordinate, JointKind, hold, one_part

__all__ = [
    "Ball",
    "Compose",
    "Cylindrical",
    "Direction",
    "Distance",
    "DoubleRotation",
    "Fixed",
    "Free",
    "Hinge",
    "Line",
    "Lock",
    "Planar",
    "Plane",
    "Slider",
    "Universal",
]

_POINT, _ON_LINE, _IN_PLANE = hold(SLIDE, 0, 1, 2), hold(SLIDE, 0, 1), hold(SLIDE, 2)
_ORIENTATION, _AXIS = hold(TURN, 0, 1, 2), hold(ALIGN, 0, 1)

_TURNS: dict[str, Coordinate] = {f"rotation {'xyz'[k]}": (0, TURN, k) for k in range(3)}
_ANGLE: dict[str, Coordinate] = {"angle": (0, TWIST, 0)}
_DISPLACEMENT: dict[str, Coordinate] = {"displacement": (0, SLIDE, 2)}
_IN_PLANE_PLACE: dict[str, Coordinate] = {"x": (0, SLIDE, 0), "y": (0, SLIDE, 1)}
_SWING_TWIST: dict[str, Coordinate] = {"swing": (0, SWING, 0), "twist": (0, TWIST, 0)}
_TWO_ANGLES: dict[str, Coordinate] = {
    "angle_1": (0, ANGLE_1, 0),
    "angle_2": (0, ANGLE_2, 0),
}


# ------------------------------------------------------------------ basic joints, translation


@dataclass(frozen=True)
class Ball(JointKind):
    """Hold two points together (thesis: Kugelgelenk, B-030). Leaves 3 rotations.

    Swing is the angle between the two z axes, twist the turn about z. The rotations x, y, z are the
    components of the rotation vector, for springs; they end at half a turn.

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
            self.point, self.second_point, frame, _POINT, turned(frame, self.axis, self.second_axis)
        )

    def coordinates(self) -> dict[str, Coordinate]:
        """Return swing and twist, and the rotations x, y, z."""
        return {**_SWING_TWIST, **_TURNS}


@dataclass(frozen=True)
class Line(JointKind):
    """Hold a point of the second body on a line of the first (thesis: Geradengelenk, B-032).

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
        return one_part(self.point, self.second_point, axis_frame(self.axis), _ON_LINE)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the displacement along the line."""
        return dict(_DISPLACEMENT)


@dataclass(frozen=True)
class Plane(JointKind):
    """Hold a point of the second body in a plane of the first (thesis: Ebenengelenk, B-033).

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
        return one_part(self.point, self.second_point, self._frame(self.normal, self.x_axis), _IN_PLANE)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return x and y in the plane."""
        return dict(_IN_PLANE_PLACE)


@dataclass(frozen=True)
class Distance(JointKind):
    """Hold the distance of two points: a rod without mass (thesis: section 3.2.3.1, footnote 1, B-031).

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


@dataclass(frozen=True)
class Lock(JointKind):
    """Hold the orientation of the bodies to each other (thesis: Translationsgelenk, B-034)."""

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        return one_part(middle, None, axis_frame(UP), _ORIENTATION)


@dataclass(frozen=True)
class Direction(JointKind):
    """Hold an axis of the second body parallel to one of the first (thesis: Richtungsgelenk, B-035).

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
        return one_part(middle, None, frame, _AXIS, turned(frame, self.axis, self.second_axis))

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the angle about the axis."""
        return dict(_ANGLE)


def _two_axes(kind: JointKind, x: Vector, y: Vector) -> tuple[Quaternion, Quaternion]:
    """Return A with the x axis x and B with the y axis y; z of both is perpendicular to both.

    Raises:
        ValueError: the axes are parallel.
    """
    name = f"{type(kind).__name__}: second_axis"
    return (
        plane_frame(x, perpendicular_to(x, y, name, y)),
        plane_frame(perpendicular_to(y, x, name, y), y),
    )


@dataclass(frozen=True)
class DoubleRotation(JointKind):
    """Hold the angle between two axes, one of either body (thesis: Doppelrotationsgelenk, B-036).

    The bodies are left to turn about both axes.

    Args:
        axis: of the first body (3,).
        second_axis: of the second body (3,), not parallel to the first.
    """

    axis: Any
    second_axis: Any

    def __post_init__(self) -> None:
        self._check((), ("axis", "second_axis"))
        _two_axes(self, self.axis, self.second_axis)

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        frame, second = _two_axes(self, self.axis, self.second_axis)
        holds: tuple[Hold, ...] = ((CROSS, 0, angle_between(self.axis, self.second_axis)),)
        return one_part(middle, None, frame, holds, second)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the angles about the first and the second axis."""
        return dict(_TWO_ANGLES)


# ------------------------------------------------------------------ combined joints


@dataclass(frozen=True)
class _AboutAxis(JointKind):
    """What joints about a common axis share; `_held` is what they hold."""

    point: Any
    axis: Any
    second_point: Any = None
    second_axis: Any = None

    _held: ClassVar[tuple[Hold, ...]] = ()

    def __post_init__(self) -> None:
        self._check(("point", "second_point"), ("axis", "second_axis"))

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        frame = axis_frame(self.axis)
        second = turned(frame, self.axis, self.second_axis)
        return one_part(self.point, self.second_point, frame, self._held, second)


@dataclass(frozen=True)
class Hinge(_AboutAxis):
    """Leave one rotation about an axis: ball and direction (thesis: Drehgelenk, B-040).

    Args:
        point: a point of the axis (3,) [m].
        axis: its direction (3,).
        second_point, second_axis: of the second body, if others.
    """

    _held = _POINT + _AXIS

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the angle."""
        return dict(_ANGLE)


@dataclass(frozen=True)
class Cylindrical(_AboutAxis):
    """Leave turning about an axis and sliding along it (thesis: Schienendrehgelenk, B-041).

    Line and direction together.

    Args:
        point: a point of the axis (3,) [m], where the displacement is 0.
        axis: its direction (3,).
        second_point, second_axis: of the second body, if others.
    """

    _held = _ON_LINE + _AXIS

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the angle and the displacement."""
        return {**_ANGLE, **_DISPLACEMENT}


@dataclass(frozen=True)
class Slider(JointKind):
    """Leave sliding along an axis: line and rotation lock (thesis: Schienengelenk, B-042).

    Args:
        point: a point of the axis (3,) [m], where the displacement is 0.
        axis: its direction (3,).
        second_point: of the second body, if another.
    """

    point: Any
    axis: Any
    second_point: Any = None

    def __post_init__(self) -> None:
        self._check(("point", "second_point"), ("axis",))

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        return one_part(self.point, self.second_point, axis_frame(self.axis), _ON_LINE + _ORIENTATION)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the displacement."""
        return dict(_DISPLACEMENT)


@dataclass(frozen=True)
class Universal(JointKind):
    """Leave rotations about an axis of either body: ball and double rotation (thesis: Kardangelenk, B-043).

    Args:
        point: the point where the axes meet (3,) [m].
        axis: of the first body (3,).
        second_axis: of the second body (3,), not parallel to the first.
        second_point: of the second body, if another.
    """

    point: Any
    axis: Any
    second_axis: Any
    second_point: Any = None

    def __post_init__(self) -> None:
        self._check(("point", "second_point"), ("axis", "second_axis"))
        _two_axes(self, self.axis, self.second_axis)

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        turning = DoubleRotation(self.axis, self.second_axis).parts()[0]
        holds = _POINT + turning.holds
        return one_part(self.point, self.second_point, turning.quaternion_a, holds, turning.quaternion_b)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the angles about the first and the second axis."""
        return dict(_TWO_ANGLES)


@dataclass(frozen=True)
class Fixed(JointKind):
    """Leave nothing free: ball and rotation lock (thesis: Fixierung, B-044).

    Args:
        point: where the bodies are joined (3,) [m]; None: midway between their centres of mass.
        second_point: of the second body, if another.
    """

    point: Any = None
    second_point: Any = None

    def __post_init__(self) -> None:
        self._check(("point", "second_point"))
        if self.point is None and self.second_point is not None:
            raise ValueError("Fixed: point = None with a second_point; give both points")

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        place = middle if self.point is None else self.point
        return one_part(place, self.second_point, axis_frame(UP), _POINT + _ORIENTATION)


@dataclass(frozen=True)
class Planar(JointKind):
    """Leave sliding in a plane and turning about its normal: plane and direction (B-045).

    Args:
        point: a point of the plane (3,) [m], where x and y are 0.
        normal: its normal (3,).
        second_point, second_normal: of the second body, if others.
        x_axis: direction (3,) in which x is measured.
    """

    point: Any
    normal: Any
    second_point: Any = None
    second_normal: Any = None
    x_axis: Any = None

    def __post_init__(self) -> None:
        self._check(("point", "second_point"), ("normal", "second_normal", "x_axis"))
        self._frame(self.normal, self.x_axis)

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        frame = self._frame(self.normal, self.x_axis)
        second = turned(frame, self.normal, self.second_normal)
        return one_part(self.point, self.second_point, frame, _IN_PLANE + _AXIS, second)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return x and y in the plane, and the angle about its normal."""
        return {**_IN_PLANE_PLACE, **_ANGLE}


# ------------------------------------------------------------------ nothing held, and anything


@dataclass(frozen=True)
class Free(JointKind):
    """Hold nothing, but measure: for springs, dampers and velocity joints (B-054, B-056) between any bodies.

    Args:
        point: on the first body (3,) [m].
        axis: z of the joint frame (3,).
        second_point: on the second body (3,) [m], if another.
        x_axis: x of the joint frame (3,).
    """

    point: Any
    axis: Any = UP
    second_point: Any = None
    x_axis: Any = None

    def __post_init__(self) -> None:
        self._check(("point", "second_point"), ("axis", "x_axis"))
        self._frame(self.axis, self.x_axis)

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        return one_part(self.point, self.second_point, self._frame(self.axis, self.x_axis), ())

    def coordinates(self) -> dict[str, Coordinate]:
        """Return all coordinates: x, y, z, distance, rotations x, y, z, swing and twist."""
        place: dict[str, Coordinate] = {"z": (0, SLIDE, 2), "distance": (0, LENGTH, 0)}
        return {**_IN_PLANE_PLACE, **place, **_TURNS, **_SWING_TWIST}


@dataclass(frozen=True, init=False)
class Compose(JointKind):
    """Hold all that several kinds hold, between the same two bodies (B-045).

    A coordinate whose name was used by an earlier kind gets " 2", " 3" and so on.

    Args:
        kinds: the joint kinds, at least one.

    Raises:
        TypeError, ValueError: no kind at all, or something else.
    """

    kinds: tuple[JointKind, ...]

    def __init__(self, *kinds: JointKind) -> None:
        if not kinds:
            raise ValueError("Compose() holds nothing; give at least one joint kind")
        for number, kind in enumerate(kinds):
            if not isinstance(kind, JointKind):
                raise TypeError(
                    f"Compose: kinds[{number}] = {kind!r} is a {type(kind).__name__}, "
                    "not a joint kind such as Line((0, 0, 0), (0, 0, 1))"
                )
        self._set(kinds=kinds)

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts of all kinds, one after the other."""
        return tuple(part for kind in self.kinds for part in kind.parts(middle))

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the coordinates of all kinds."""
        found: dict[str, Coordinate] = {}
        first_part = 0
        for kind in self.kinds:
            for name, (part, measure, axis) in kind.coordinates().items():
                new, count = name, 1
                while new in found:
                    count += 1
                    new = f"{name} {count}"
                found[new] = (first_part + part, measure, axis)
            first_part += len(kind.parts())
        return found

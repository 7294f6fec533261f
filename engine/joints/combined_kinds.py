"""Joint kinds made of basic ones (Bender 2007, section 3.2.4), one that holds nothing, any combination."""

from dataclasses import dataclass
from typing import Any, ClassVar

from stoss.collision.quaternions import Vector
from stoss.engine.joints.arrays import LENGTH, SLIDE
from stoss.engine.joints.basic_kinds import ConstantAngle
from stoss.engine.joints.frames import Hold, Part, axis_frame, turned, two_axes
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
from stoss.engine.joints.kind import ORIGIN, UP, Coordinate, Coupled, JointKind, one_part
from stoss.names import closed

__all__ = [
    "Compose",
    "Cylindrical",
    "Fixed",
    "Free",
    "Hinge",
    "Planar",
    "Slider",
    "Universal",
]


@closed
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


@closed
@dataclass(frozen=True)
class Hinge(_AboutAxis):
    """Leave one rotation about an axis: ball and direction (thesis: Drehgelenk, section 3.2.4).

    Args:
        point: a point of the axis (3,) [m].
        axis: its direction (3,).
        second_point, second_axis: of the second body, if others.
    """

    _held = POINT + AXIS

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the angle."""
        return dict(ANGLE)


@closed
@dataclass(frozen=True)
class Cylindrical(_AboutAxis):
    """Leave turning about an axis and sliding along it (thesis: Schienendrehgelenk, section 3.2.4).

    A point on a line, and parallel axes, together.

    Args:
        point: a point of the axis (3,) [m], where the displacement is 0.
        axis: its direction (3,).
        second_point, second_axis: of the second body, if others.
    """

    _held = ON_LINE + AXIS

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the angle and the displacement."""
        return {**ANGLE, **DISPLACEMENT}


@closed
@dataclass(frozen=True)
class Slider(JointKind):
    """Leave sliding along an axis: line and rotation lock (thesis: Schienengelenk, section 3.2.4).

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
        return one_part(self.point, self.second_point, axis_frame(self.axis), ON_LINE + ORIENTATION)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the displacement."""
        return dict(DISPLACEMENT)


@closed
@dataclass(frozen=True)
class Universal(JointKind):
    """Leave rotations about an axis of either body: ball and double rotation.

    The thesis calls it Kardangelenk (section 3.2.4).

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
        given = self.second_axis
        self._check(("point", "second_point"), ("axis", "second_axis"))
        two_axes(self.axis, self.second_axis, type(self).__name__, given)

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        turning = ConstantAngle(self.axis, self.second_axis).parts()[0]
        holds = POINT + turning.holds
        return one_part(self.point, self.second_point, turning.quaternion_a, holds, turning.quaternion_b)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the angles about the first and the second axis."""
        return dict(TWO_ANGLES)


@closed
@dataclass(frozen=True)
class Fixed(JointKind):
    """Leave nothing free: ball and rotation lock (thesis: Fixierung, section 3.2.4).

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
        return one_part(place, self.second_point, axis_frame(UP), POINT + ORIENTATION)


@closed
@dataclass(frozen=True)
class Planar(JointKind):
    """Leave sliding in a plane and turning about its normal: plane and direction.

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
        return one_part(self.point, self.second_point, frame, IN_PLANE + AXIS, second)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return x and y in the plane, and the angle about its normal."""
        return {**IN_PLANE_PLACE, **ANGLE}


# ------------------------------------------------------------------ nothing held, and anything


@closed
@dataclass(frozen=True)
class Free(JointKind):
    """Hold nothing, but measure: for springs, dampers and velocity joints between any bodies.

    Bender 2007, sections 3.2.6 and 3.2.7.

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
        """Return all coordinates: x, y, z, distance, rotations x, y, z, swing and twist, three turns."""
        place: dict[str, Coordinate] = {"z": (0, SLIDE, 2), "distance": (0, LENGTH, 0)}
        return {**IN_PLANE_PLACE, **place, **TURNS, **SWING_TWIST, **CARDAN_ANGLES}


@closed
@dataclass(frozen=True, init=False)
class Compose(JointKind):
    """Hold all that several kinds hold, between the same two bodies (thesis: sections 3.2.4 and 7.1).

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
                    "not a joint kind such as PointOnLine((0, 0, 0), (0, 0, 1))"
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

    def coupled(self) -> tuple[Coupled, ...]:
        """Return the couplings of all kinds."""
        found: list[Coupled] = []
        first_part = 0
        for kind in self.kinds:
            for (p, i, k), (q, m, n), ratio in kind.coupled():
                found.append(((first_part + p, i, k), (first_part + q, m, n), ratio))
            first_part += len(kind.parts())
        return tuple(found)

"""Joints along curves and surfaces: knees, shoulder blades, cams (Stelzner 2008, 1.3.3 and 1.3.5)."""

from dataclasses import dataclass
from typing import Any

from stoss.collision.quaternions import Vector
from stoss.engine import checks
from stoss.engine.joints.arrays import CARDAN, ELLIPSOID, SLIDE, TWIST
from stoss.engine.joints.curves import Curve, curve_of
from stoss.engine.joints.frames import Part
from stoss.engine.joints.holds import ANGLE, AXIS
from stoss.engine.joints.kind import ORIGIN, UP, Coordinate, Coupled, JointKind, hold, one_part
from stoss.names import closed

__all__ = ["CustomJoint", "PointOnEllipsoid", "SplineJoint"]


@closed
@dataclass(frozen=True)
class PointOnEllipsoid(JointKind):
    """Hold a point of the second body on an ellipsoid of the first, on which it glides.

    One row; two or three points of one body are as many joints. The force acts along the normal, at the point
    of contact on both bodies, so angular momentum and energy are kept also while the ellipsoid turns.
    Stelzner 2008, section 1.3.5; his equation (1.150) forgets that turning.

    Args:
        center: of the ellipsoid (3,) [m].
        radii: its semi-axes along x, y and z of the joint frame (3,) [m].
        point: of the second body (3,) [m].
        axis: z of the joint frame (3,).
        x_axis: x of the joint frame (3,).
    """

    center: Any
    radii: Any
    point: Any
    axis: Any = UP
    x_axis: Any = None

    def __post_init__(self) -> None:
        self._check(("center", "point"), ("axis", "x_axis"))
        x, y, z = checks.vector("PointOnEllipsoid: radii", self.radii).tolist()
        self._set(radii=(x, y, z))
        for radius in self.radii:
            checks.positive("PointOnEllipsoid: radii", radius, "m")
        self._frame(self.axis, self.x_axis)

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        frame = self._frame(self.axis, self.x_axis)
        return (Part(self.center, frame, self.point, frame, hold(ELLIPSOID, 0), self.radii),)


@closed
@dataclass(frozen=True)
class SplineJoint(JointKind):
    """Leave one rotation about an axis that wanders as it turns: along x, y and z by curves of the angle.

    So a knee rolls and slides with a single degree of freedom, as the ligaments lead it that the curves stand
    for. Stelzner 2008, section 1.3.3.

    Args:
        point: where the axis is at angle 0, less what the curves are there (3,) [m].
        axis: its direction (3,), z of the joint frame.
        along_x, along_y, along_z: `Curve`, or its knots, of the displacement along the axes of the joint
            frame [m] over the angle [rad]; None: it stays at 0.
        second_point: of the second body, if another.
        x_axis: x of the joint frame (3,).
    """

    point: Any
    axis: Any
    along_x: Any = None
    along_y: Any = None
    along_z: Any = None
    second_point: Any = None
    x_axis: Any = None

    def __post_init__(self) -> None:
        self._check(("point", "second_point"), ("axis", "x_axis"))
        self._frame(self.axis, self.x_axis)
        for name in ("along_x", "along_y", "along_z"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, Curve):
                self._set(**{name: curve_of(f"{type(self).__name__}: {name}", given)})

    @property
    def curves(self) -> tuple[Curve | None, Curve | None, Curve | None]:
        """Return the curves along x, y and z, None where it stays at 0."""
        return self.along_x, self.along_y, self.along_z

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        straight = tuple(k for k, curve in enumerate(self.curves) if curve is None)
        frame = self._frame(self.axis, self.x_axis)
        return one_part(self.point, self.second_point, frame, hold(SLIDE, *straight) + AXIS)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the angle."""
        return dict(ANGLE)

    def coupled(self) -> tuple[Coupled, ...]:
        """Return the angle, the displacements that follow it, and their curves."""
        return tuple(
            ((0, TWIST, 0), (0, SLIDE, k), curve) for k, curve in enumerate(self.curves) if curve is not None
        )


SIX = ("x", "y", "z", "turn_x", "turn_y", "turn_z")


@closed
@dataclass(frozen=True)
class CustomJoint(JointKind):
    """Leave what is wanted: three displacements and three turns, each free, constant, or led by another one.

    The displacements are along the axes of the joint frame on the first body, the turns about x, y and z, one
    after the other. Each of the six is None: a free coordinate of that name; a number: held there [m or rad];
    or (name, curve): it follows the coordinate of that name along a `Curve`, or its knots. Files have these
    as text: "free", "0.1", "turn_z: 0 0 0.5, 1 0.2 0.3", which are knots of x, value and slope. Coordinates
    of other joints lead by a `Coupling`, functions of time by `Articulation(world, follow)`. The second turn
    stays below 90 degrees. Stelzner 2008, section 1.3.1.

        cam = st.CustomJoint((0, 0, 1), z=("turn_z", [(0, 0), (1.5, 0.02), (3, 0)]), turn_z=None)

    Args:
        point: origin of the frame (3,) [m].
        x, y, z: displacements.
        turn_x, turn_y, turn_z: turns.
        axis: z of the joint frame (3,).
        x_axis: x of the joint frame (3,).
        second_point: of the second body, if another.

    Raises:
        TypeError, ValueError: what leads is not one of the free coordinates, or none is led or free.
    """

    point: Any
    x: Any = 0.0
    y: Any = 0.0
    z: Any = 0.0
    turn_x: Any = 0.0
    turn_y: Any = 0.0
    turn_z: Any = 0.0
    axis: Any = UP
    x_axis: Any = None
    second_point: Any = None

    def __post_init__(self) -> None:
        self._check(("point", "second_point"), ("axis", "x_axis"))
        self._frame(self.axis, self.x_axis)
        for name in SIX:
            if isinstance(getattr(self, name), str):
                self._set(**{name: _read(f"CustomJoint: {name}", getattr(self, name))})
        free = [name for name in SIX if getattr(self, name) is None]
        for name in SIX:
            value, what = getattr(self, name), f"CustomJoint: {name}"
            if value is None:
                continue
            if not isinstance(value, tuple | list):
                self._set(**{name: checks.number(what, value, "m or rad")})
                continue
            if len(value) != 2 or value[0] not in free:
                known = ", ".join(map(repr, free)) or "none: let one be None"
                raise ValueError(
                    f"{what} = {checks.shown(value)} must be None, a number, or (name, curve) with the "
                    f"name of a free coordinate; there are {known}"
                )
            curve = value[1] if isinstance(value[1], Curve) else Curve(value[1])
            self._set(**{name: (value[0], curve)})

    def texts(self) -> dict[str, str]:
        """Return displacements and turns that are not 0, as text."""
        values = {name: getattr(self, name) for name in SIX}
        return {name: _text(value) for name, value in values.items() if value != 0.0}

    def _places(self) -> dict[str, Coordinate]:
        return {name: (0, SLIDE if k < 3 else CARDAN, k % 3) for k, name in enumerate(SIX)}

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in world coordinates."""
        holds = tuple(
            (measure, axis, getattr(self, name))
            for name, (_, measure, axis) in self._places().items()
            if isinstance(getattr(self, name), float)
        )
        return one_part(self.point, self.second_point, self._frame(self.axis, self.x_axis), holds)

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the free ones of the six."""
        return {name: place for name, place in self._places().items() if getattr(self, name) is None}

    def coupled(self) -> tuple[Coupled, ...]:
        """Return what leads, what follows, and the curves."""
        places = self._places()
        led = {name: getattr(self, name) for name in SIX if isinstance(getattr(self, name), tuple)}
        return tuple((places[leader], places[name], curve) for name, (leader, curve) in led.items())


def _text(value: Any) -> str:
    """Return a displacement or turn of a `CustomJoint` as text."""
    if value is None:
        return "free"
    if isinstance(value, float):
        return repr(value)
    return f"{value[0]}: {', '.join(' '.join(map(repr, knot)) for knot in value[1].knots)}"


def _read(what: str, text: str) -> Any:
    """Return what a text says of a displacement or turn."""
    leader, colon, knots = text.partition(":")
    try:
        if colon:
            return leader.strip(), [tuple(map(float, knot.split())) for knot in knots.split(",")]
        return None if text.strip() == "free" else float(text)
    except ValueError:
        wanted = '"free", a number, or a name and knots: "turn_z: 0 0, 1 0.2"'
        raise ValueError(f"{what} = {checks.shown(text)} must be {wanted}") from None

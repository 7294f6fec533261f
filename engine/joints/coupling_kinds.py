"""Couplings of two coordinates: gear, rack, screw, or any two by their ratio."""

from dataclasses import dataclass, field
from math import pi
from typing import Any, ClassVar

from stoss.engine import checks
from stoss.engine.joints.arrays import SLIDE, TWIST
from stoss.engine.joints.combined_kinds import Cylindrical
from stoss.engine.joints.curves import Curve, curve_of
from stoss.engine.joints.kind import Coupled, JointKind
from stoss.names import closed

__all__ = ["Coupling", "Gear", "Rack", "Screw"]


@closed
@dataclass(frozen=True)
class Coupling(JointKind):
    """Couple a coordinate of one joint to one of another: value_2 = ratio value_1 + offset, or along a curve.

    Power that goes in at one joint comes out at the other; angles count turns, so the ratio holds over any
    number of them. It is added without bodies, which its joints know: `world.add_joint(Gear(a, b, -2))`. All
    of these may be dynamic, four at most. Two wheels on axles apart, or a wheel and a rack, push with their
    teeth against each other and so on their axles; in all other cases each joint has forces of its own.

    Args:
        joint_1, joint_2: the joints, or their names.
        ratio: by how much coordinate 2 changes for one unit of coordinate 1; not 0.
        offset: value_2 where value_1 is 0, or what is added to a curve; None: what keeps both as they are.
        coordinate_1, coordinate_2: names of the coordinates, where a joint has several.
        curve: in place of a ratio a `Curve`, or its knots: value_2 = curve(value_1) + offset.
    """

    joint_1: Any
    joint_2: Any
    ratio: float | None = None
    offset: float | None = None
    coordinate_1: str | None = None
    coordinate_2: str | None = None
    curve: Any = None

    # what measures the coordinates: angles, displacements, or None for any
    _measures: ClassVar[tuple[int | None, int | None]] = (None, None)

    def __post_init__(self) -> None:
        kind = type(self).__name__
        for name in ("joint_1", "joint_2"):
            joint = getattr(self, name)
            own = joint if isinstance(joint, str) else getattr(joint, "name", None)
            if not isinstance(own, str):
                raise TypeError(f"{kind}: {name} = {joint!r} must be a joint, or the name of one")
            self._set(**{name: own})
        for name in ("coordinate_1", "coordinate_2"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise TypeError(f"{kind}: {name} = {value!r} must be the name of a coordinate")
        if (self.ratio is None) == (self.curve is None):
            raise ValueError(f"{kind}: ratio = {self.ratio!r}, curve = {self.curve!r}; give one of them")
        if self.ratio is not None:
            self._set(ratio=_ratio(f"{kind}: ratio", self.ratio))
        else:
            self._set(curve=curve_of(f"{kind}: curve", self.curve))
        if self.offset is not None:
            self._set(offset=checks.number(f"{kind}: offset", self.offset, "m or rad"))

    @property
    def law(self) -> "float | Curve":
        """Return the ratio, or the curve."""
        return self.curve if self.ratio is None else self.ratio

    @property
    def measures(self) -> tuple[int | None, int | None]:
        """Return what the coordinates must be measured by: TWIST, SLIDE or None for any."""
        return self._measures


@closed
@dataclass(frozen=True)
class Gear(Coupling):
    """Couple the angles of two hinges: angle_2 = ratio angle_1 + offset.

    Wheels that mesh outside have a negative ratio, minus the radius of the first over that of the second.

    Args:
        joint_1, joint_2: the joints, or their names.
        ratio: turns of the second for one turn of the first; not 0.
        offset: angle of the second where that of the first is 0 [rad]; None: as they are now.
        coordinate_1, coordinate_2: names of the coordinates, where a joint has several.
        curve: in place of a ratio, of wheels that are not round; see `Coupling`.
    """

    _measures = (TWIST, TWIST)


@closed
@dataclass(frozen=True)
class Rack(Coupling):
    """Couple the angle of a hinge to the displacement of a slider: displacement_2 = ratio angle_1 + offset.

    Args:
        joint_1, joint_2: hinge of the pinion and slider of the rack, or their names.
        ratio: displacement for one radian [m]: the radius of the pinion; not 0.
        offset: displacement where the angle is 0 [m]; None: as they are now.
        coordinate_1, coordinate_2: names of the coordinates, where a joint has several.
        curve: in place of a ratio, of a cam; see `Coupling`.
    """

    _measures = (TWIST, SLIDE)


@closed
@dataclass(frozen=True)
class Screw(Cylindrical):
    """Leave a screw motion: turning about an axis, and sliding along it by `pitch` for each turn.

    Args:
        point: a point of the axis (3,) [m].
        axis: its direction (3,).
        second_point, second_axis: of the second body, if others.
        pitch: displacement for one turn [m], negative for a left-hand thread; not 0.
    """

    pitch: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(pitch=_ratio("Screw: pitch", self.pitch))

    def coupled(self) -> tuple[Coupled, ...]:
        """Return the angle, the displacement, and by how much the latter changes with the former."""
        return (((0, TWIST, 0), (0, SLIDE, 2), self.pitch / (2.0 * pi)),)


def _ratio(name: str, value: Any) -> float:
    number = checks.number(name, value, "unit of the second per unit of the first")
    if number == 0.0:
        raise ValueError(f"{name} = {value!r} couples nothing; give a number other than 0")
    return number

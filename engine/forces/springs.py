"""Springs and dampers with laws of any power: between points, along coordinates, about axes, in nets."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stoss.collision.quaternions import UNTURNED, Quaternion, conjugate, multiply
from stoss.engine import checks
from stoss.engine.forces.arrays import COORDINATE_SPRING, SPRING, LoadRows, Probe
from stoss.engine.forces.constant import (
    ReadyLoad,
    checked_coordinate_of,
    coordinate_rows,
    joint_handle,
    line_rows,
    two_ends,
)
from stoss.engine.forces.ends import end_of, place_of
from stoss.engine.joints.arrays import TWIST
from stoss.engine.joints.frames import axis_frame, direction
from stoss.engine.world.load_kind import End, OnJoint, Place
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["CoordinateSpring", "RotationalSpring", "SpringDamper", "SpringNetwork"]

MILLIMETRES = 1000.0


@closed
@dataclass(frozen=True)
class SpringDamper(ReadyLoad):
    """A spring and damper between two points, by powers of elongation and rate (Krieg 1992, section 3.2.5).

    tension = stiffness sgn(e) |e|^power + damping sgn(v) |v|^damping_power, e = length - rest, v = its rate.
    Where both are linear it is a row for the solvers, implicit and stable at any stiffness, else explicit.
    With a rest length of 0 such a damper resists in all directions. Krieg's law of files, a (1000 e)^b +
    c (1000 v)^d e, is `SpringDamper(p, q, l, a, b, c, d, damping_by="deflection", file_units=True)`.
    Different here: both powers keep their sign, and the damper takes energy in compression too, where the
    printed law gives.

    Args:
        first, second: where it acts: bodies, markers, (body, point), or points of the world.
        rest: length without force [m]; None: the length that it has when it is added.
        stiffness: [N/m^power].
        power: of the elongation, above zero.
        damping: [N/(m/s)^damping_power].
        damping_power: of the rate, above zero.
        damping_by: "rate", or "deflection": times |e|, so that there is no damping at rest length.
        file_units: elongation and rate are in mm and mm/s within the powers.
        implicit: False: explicit in any case; True: refuse a law that is not linear.
    """

    first: Place
    second: Place
    rest: float | None = None
    stiffness: float = 0.0
    power: float = 1.0
    damping: float = 0.0
    damping_power: float = 1.0
    damping_by: str = "rate"
    file_units: bool = False
    implicit: bool | None = None

    _ends: ClassVar = ("first", "second")

    def __post_init__(self) -> None:
        name = self._name
        if self.rest is not None:
            self._set(rest=checks.number(f"{name}: rest", self.rest, "m", least=0.0))
        _check_law(self)
        self._set(
            damping_power=checks.number(f"{name}: damping_power", self.damping_power, above=0.0),
            damping_by=checks.choice(f"{name}: damping_by", self.damping_by, ("rate", "deflection")),
            file_units=checks.flag(f"{name}: file_units", self.file_units),
        )
        _check_implicit(self)

    @property
    def _is_linear(self) -> bool:
        linear_damper = self.damping == 0.0 or (self.damping_power == 1.0 and self.damping_by == "rate")
        return self.power == 1.0 and linear_damper

    def _checked(self, what: str, world: "World") -> "SpringDamper":
        first, second = two_ends(what, self.first, self.second, world)
        rest = distance(first, second, world) if self.rest is None else self.rest
        return replace(self, first=first, second=second, rest=rest)

    def _rows(self, world: "World") -> LoadRows:
        rows = line_rows(SPRING, self.first, self.second, world)
        rows.numbers[:, :7] = self._numbers(self.rest)
        return rows

    def _numbers(self, rest: Any) -> tuple[Any, ...]:
        unit = MILLIMETRES if self.file_units else 1.0
        by_deflection = self.damping_by == "deflection"
        return rest, self.stiffness, self.power, self.damping, self.damping_power, by_deflection, unit


def _check_law(load: Any) -> None:
    """Check the numbers that springs have in common."""
    name = load._name
    load._set(
        stiffness=checks.number(f"{name}: stiffness", load.stiffness, least=0.0),
        power=checks.number(f"{name}: power", load.power, above=0.0),
        damping=checks.number(f"{name}: damping", load.damping, least=0.0),
    )


def _check_implicit(load: Any) -> None:
    """Check whether a law may be a row."""
    if load.implicit is not None:
        load._set(implicit=checks.flag(f"{load._name}: implicit", load.implicit))
    if load.implicit and not load._is_linear:
        raise ValueError(
            f"{load._name}: implicit = True, but the law is not linear: give power and damping_power 1, "
            "damping by rate and no ramp, or leave implicit out"
        )


def distance(first: End, second: End, world: "World") -> float:
    """Return the present distance [m] of two ends."""
    return float(np.linalg.norm(world_point(second, world) - world_point(first, world)))


def world_point(end: End, world: "World") -> np.ndarray:
    """Return where an end is at present (3,) [m]."""
    from stoss.collision.quaternions import rotate

    row, point, _ = place_of(end, world)
    if row < 0:
        return np.array(point)
    b = world._all_bodies.arrays
    w, x, y, z = b.quaternions[row].tolist()
    return np.asarray(b.positions[row] + rotate((w, x, y, z), point))


@closed
@dataclass(frozen=True)
class SpringNetwork(ReadyLoad):
    """Springs and dampers between many points, as one load: soft tissue of point masses, a net, a trampoline.

    Each spring is as a `SpringDamper` (Krieg 1992, end of section 3.2.1, after Gruber); all are evaluated in
    one call. `load.effort`, `load.value` and `load.rate` are arrays (k,).

    Args:
        points: n of bodies, markers, (body, point), or points of the world.
        springs: (k, 2) numbers of the points that each of them joins.
        stiffness: [N/m^power], one or k.
        rest: lengths without force [m], one or k; None: those that they have when they are added.
        power: of the elongation, above zero.
        damping: [N s/m], one or k.
    """

    points: list[Place]
    springs: Any
    stiffness: Any = 0.0
    rest: Any = None
    power: float = 1.0
    damping: Any = 0.0

    _ends: ClassVar = ("points",)

    def __post_init__(self) -> None:
        name = self._name
        if not isinstance(self.points, list | tuple) or not len(self.points):
            raise TypeError(
                f"{name}: points = {checks.shown(self.points)} must be a list of bodies or markers"
            )
        pairs = checks.rows(f"{name}: springs", self.springs, None, 2)
        count = len(pairs)
        numbers = pairs.astype(np.int64)
        if (numbers != pairs).any() or (numbers < 0).any() or (numbers >= len(self.points)).any():
            bad = int(
                np.argmax(((numbers != pairs) | (numbers < 0) | (numbers >= len(self.points))).any(axis=1))
            )
            raise ValueError(
                f"{name}: springs[{bad}] = {pairs[bad].tolist()}: give two numbers from 0 to "
                f"{len(self.points) - 1}, of points"
            )
        if (numbers[:, 0] == numbers[:, 1]).any():
            bad = int(np.argmax(numbers[:, 0] == numbers[:, 1]))
            raise ValueError(f"{name}: springs[{bad}] = {numbers[bad].tolist()} joins a point with itself")
        self._set(
            points=list(self.points),
            springs=numbers,
            stiffness=_each(f"{name}: stiffness", self.stiffness, count),
            damping=_each(f"{name}: damping", self.damping, count),
            rest=None if self.rest is None else _each(f"{name}: rest", self.rest, count),
            power=checks.number(f"{name}: power", self.power, above=0.0),
        )

    def _checked(self, what: str, world: "World") -> "SpringNetwork":
        points = [end_of(f"{what}: points[{i}]", point, world) for i, point in enumerate(self.points)]
        rest = self.rest
        if rest is None:
            places = np.array([world_point(point, world) for point in points])
            rest = np.linalg.norm(places[self.springs[:, 1]] - places[self.springs[:, 0]], axis=1)
        return replace(self, points=points, rest=rest)

    def _rows(self, world: "World") -> LoadRows:
        rows = LoadRows(len(self.springs), SPRING)
        places = [place_of(point, world) for point in self.points]
        bodies, local = np.array([body for body, _, _ in places]), np.array([point for _, point, _ in places])
        for which in range(2):
            rows.bodies[:, which] = bodies[self.springs[:, which]]
            rows.points[:, 3 * which : 3 * which + 3] = local[self.springs[:, which]]
        rows.numbers[:, 0], rows.numbers[:, 1], rows.numbers[:, 2] = self.rest, self.stiffness, self.power
        rows.numbers[:, 3], rows.numbers[:, 4], rows.numbers[:, 6] = self.damping, 1.0, 1.0
        return rows


def _each(name: str, value: Any, count: int) -> np.ndarray:
    """Return one number of zero or more for each of `count` springs."""
    out = checks.float_array(name, value, f"a number, or {count} numbers")
    if out.shape not in ((), (count,)):
        raise ValueError(f"{name} has shape {out.shape}; give a number, or {count} numbers")
    if not (np.isfinite(out).all() and (out >= 0.0).all()):
        raise ValueError(f"{name} = {checks.shown(value)} must be finite and 0 or more")
    return np.broadcast_to(out, (count,)).copy()


@closed
@dataclass(frozen=True)
class CoordinateSpring(ReadyLoad):
    """A spring and damper on a coordinate of a joint (Stelzner, appendix A.1.5, and section 2.2).

    effort = -stiffness sgn(e) |e|^power - damping r(|e|) rate, e = value - rest. With a ramp the damping
    grows from zero at rest to its full value at |e| = ramp, as a cubic without jumps. Where it is linear,
    without ramp, it is a row for the solvers, implicit and stable at any stiffness, as `joint.spring`.

    Args:
        joint: the joint.
        coordinate: which one, where the joint has several.
        rest: value without force [m or rad]; None: the value that it has when it is added.
        stiffness: [N/m^power or N m/rad^power].
        power: above zero.
        damping: [N s/m or N m s/rad].
        ramp: deflection [m or rad] from which damping is full; 0: everywhere.
        implicit: False: explicit in any case; True: refuse a law that is not linear.
    """

    joint: OnJoint
    coordinate: str | None = None
    rest: float | None = 0.0
    stiffness: float = 0.0
    power: float = 1.0
    damping: float = 0.0
    ramp: float = 0.0
    implicit: bool | None = None

    _joints: ClassVar = ("joint",)

    def __post_init__(self) -> None:
        _check_law(self)
        self._set(ramp=checks.number(f"{self._name}: ramp", self.ramp, least=0.0))
        if self.rest is not None:
            self._set(rest=checks.number(f"{self._name}: rest", self.rest, "m or rad"))

        _check_implicit(self)

    @property
    def _is_linear(self) -> bool:
        return self.power == 1.0 and self.ramp == 0.0

    def _checked(self, what: str, world: "World") -> "CoordinateSpring":
        joint = joint_handle(self.joint, world)
        name = checked_coordinate_of(joint, self.coordinate)
        rest = joint.value_of(name) if self.rest is None else self.rest
        return replace(self, coordinate=name, rest=rest)

    def _rows(self, world: "World") -> LoadRows:
        rows = coordinate_rows(COORDINATE_SPRING, joint_handle(self.joint, world), self.coordinate)
        rows.numbers[0, :5] = self.rest, self.stiffness, self.power, self.damping, self.ramp
        return rows


@closed
@dataclass(frozen=True)
class RotationalSpring(ReadyLoad):
    """A spring and damper about an axis of two bodies, or of a body and the world, without a joint.

    Stelzner, section 2.2; the support of a trunk by its feet (Krieg 1992, section 5.3). The angle is the turn
    of the second body relative to the first about the axis, 0 as they are when the load is added, counted on
    over full turns. The law is that of `CoordinateSpring`.

    Args:
        first, second: bodies or markers, None for the world.
        axis: (3,), in the world, when the load is added; None: the z axes of the markers.
        rest: angle without torque [rad].
        stiffness: [N m/rad^power].
        power: above zero.
        damping: [N m s/rad].
        ramp: angle [rad] from which damping is full; 0: everywhere.
        implicit: False: explicit in any case; True: refuse a law that is not linear.
    """

    first: Place
    second: Place
    axis: Any = None
    rest: float = 0.0
    stiffness: float = 0.0
    power: float = 1.0
    damping: float = 0.0
    ramp: float = 0.0
    implicit: bool | None = None

    _ends: ClassVar = ("first", "second")

    def __post_init__(self) -> None:
        name = self._name
        _check_law(self)
        self._set(
            ramp=checks.number(f"{name}: ramp", self.ramp, "rad", least=0.0),
            rest=checks.number(f"{name}: rest", self.rest, "rad"),
        )
        if self.axis is not None:
            self._set(axis=direction(f"{name}: axis", self.axis))

        _check_implicit(self)

    @property
    def _is_linear(self) -> bool:
        return self.power == 1.0 and self.ramp == 0.0

    def _checked(self, what: str, world: "World") -> "RotationalSpring":
        first, second = two_ends(what, self.first, self.second, world)
        if self.axis is not None:
            if world.plane is not None:
                world.plane.turn(f"{what}: axis", self.axis)
            frame = axis_frame(self.axis)
            first, second = _turned(first, frame, world), _turned(second, frame, world)
        return replace(self, first=first, second=second, axis=None)

    def _rows(self, world: "World") -> LoadRows:
        rows = LoadRows(1, COORDINATE_SPRING)
        (a, p, q), (b, r, s) = place_of(self.first, world), place_of(self.second, world)
        rows.bodies[0] = b, a
        rows.probe = Probe(None, (0, TWIST, 0), (a, b), (p, q, r, s))
        rows.numbers[0, :5] = self.rest, self.stiffness, self.power, self.damping, self.ramp
        return rows


def _turned(end: End, frame: Quaternion, world: "World") -> End:
    """Return an end with a frame that is given in the world, as its body sees it."""
    if end.body is None:
        return End(None, end.point, frame)
    w, x, y, z = world._all_bodies.registry.of_key(end.body).quaternion.tolist()
    turn = multiply(conjugate((w, x, y, z)), frame)
    for _ in range(3):  # until a marker, which makes its frame a unit one once more, has the same bits
        turn = checks.unit_quaternion("quaternion", turn)
    return End(end.body, end.point, turn if turn != UNTURNED else UNTURNED)

"""Stops of joints that give way: by a force law, in place of the rows of `joint.limit`."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from stoss.engine import checks
from stoss.engine.forces.arrays import LAW_STOP, RAMP_STOP, SOFT_STOP, LoadRows
from stoss.engine.forces.constant import ReadyLoad, checked_coordinate_of, coordinate_rows, joint_handle
from stoss.engine.laws.contact import ContactLaw
from stoss.engine.world.load_kind import OnJoint
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["CoordinateStop", "SoftStop"]


@closed
@dataclass(frozen=True)
class CoordinateStop(ReadyLoad):
    """A stop by a spring of any power whose damper sets in smoothly (Stelzner, section 4.3 and A.1.5).

    Beyond a bound by e it pushes back with stiffness e^power + damping r(e) e'; r grows from 0 to 1 over the
    ramp as a cubic, so there is no jump when the bound is reached. Explicit: `joint.limit(stiffness=...)` is
    implicit and linear, and `joint.limit()` is rigid, with restitution.

    Args:
        joint: the joint.
        lower, upper: bounds [m or rad]; leave one out for a stop on one side.
        stiffness: [N/m^power or N m/rad^power].
        power: above zero.
        damping: [N s/m or N m s/rad].
        ramp: depth [m or rad] from which damping is full; 0: everywhere.
        clamp: never pull towards the bound as the coordinate comes back, which the law itself may do.
        coordinate: which one, where the joint has several.
    """

    joint: OnJoint
    lower: float = -np.inf
    upper: float = np.inf
    stiffness: float = 0.0
    power: float = 1.0
    damping: float = 0.0
    ramp: float = 0.0
    clamp: bool = False
    coordinate: str | None = None

    _joints: ClassVar = ("joint",)

    def __post_init__(self) -> None:
        name = self._name
        _check_bounds(self)
        self._set(
            stiffness=checks.number(f"{name}: stiffness", self.stiffness, least=0.0),
            power=checks.number(f"{name}: power", self.power, above=0.0),
            damping=checks.number(f"{name}: damping", self.damping, least=0.0),
            ramp=checks.number(f"{name}: ramp", self.ramp, least=0.0),
            clamp=checks.flag(f"{name}: clamp", self.clamp),
        )

    def _checked(self, what: str, world: "World") -> "CoordinateStop":
        return replace(
            self, coordinate=checked_coordinate_of(joint_handle(self.joint, world), self.coordinate)
        )

    def _rows(self, world: "World") -> LoadRows:
        rows = coordinate_rows(RAMP_STOP, joint_handle(self.joint, world), self.coordinate)
        law = self.stiffness, self.power, self.damping, self.ramp, float(self.clamp)
        rows.numbers[0, :7] = self.lower, self.upper, *law
        return rows


@closed
@dataclass(frozen=True)
class SoftStop(ReadyLoad):
    """A stop whose torque grows smoothly from zero to a largest one at the bound (Krieg 1992, section 3.2.3).

    From `width` before a bound on, by s: max_torque t(s) / t(width), t(s) = e^s - sum of s^n / n! up to the
    order, and on beyond the bound. It is `order` times differentiable. In the exponent angles are in degrees,
    as widths of a few degrees ask for; or in radians. Different here: it is normalised by the order that it
    has, so that the torque at the bound is the one that is given.

    Args:
        joint: the joint.
        lower, upper: bounds [m or rad]; leave one out for a stop on one side.
        width_lower, width_upper: over which the torque grows before either bound [m or rad], above zero.
        max_torque: at the bounds [N m or N].
        order: 1 or more.
        exponent: "degrees" or "radians" (metres for a displacement).
        cap: largest torque beyond the bounds [N m or N].
        coordinate: which one, where the joint has several.
    """

    joint: OnJoint
    lower: float = -np.inf
    upper: float = np.inf
    width_lower: float = np.radians(3.0)
    width_upper: float = np.radians(3.0)
    max_torque: float = 0.0
    order: int = 3
    exponent: str = "degrees"
    cap: float = np.inf
    coordinate: str | None = None

    _joints: ClassVar = ("joint",)

    def __post_init__(self) -> None:
        name = self._name
        _check_bounds(self)
        self._set(
            width_lower=checks.number(f"{name}: width_lower", self.width_lower, "m or rad", above=0.0),
            width_upper=checks.number(f"{name}: width_upper", self.width_upper, "m or rad", above=0.0),
            max_torque=checks.number(f"{name}: max_torque", self.max_torque, "N m or N", least=0.0),
            order=checks.whole(f"{name}: order", self.order, least=1),
            exponent=checks.choice(f"{name}: exponent", self.exponent, ("degrees", "radians")),
            cap=checks.number(f"{name}: cap", self.cap, "N m or N", above=0.0, finite=False),
        )
        if self.order > 20:
            raise ValueError(f"{name}: order = {self.order} must be 20 or less")
        if self.upper - self.lower < self.width_lower + self.width_upper:
            raise ValueError(
                f"{name}: widths {self.width_lower:g} and {self.width_upper:g} do not fit between lower = "
                f"{self.lower:g} and upper = {self.upper:g}"
            )

    def _checked(self, what: str, world: "World") -> "SoftStop":
        return replace(
            self, coordinate=checked_coordinate_of(joint_handle(self.joint, world), self.coordinate)
        )

    def _rows(self, world: "World") -> LoadRows:
        rows = coordinate_rows(SOFT_STOP, joint_handle(self.joint, world), self.coordinate)
        unit = 180.0 / np.pi if self.exponent == "degrees" else 1.0
        law = self.max_torque, self.order, unit, self.cap
        rows.numbers[0, :8] = self.lower, self.upper, self.width_lower, self.width_upper, *law
        return rows


@closed
@dataclass(frozen=True)
class ContactStop(ReadyLoad):
    """A stop by the law of a contact: bounded, elastic to plastic, or by any other (Specker 2016, 5.2.3).

    The gap of the law is the way to the bound; for angles its metres are radians, its newtons N m. Explicit:
    steps are to resolve its stiffness, as `StepReport` says of loads.

    Args:
        joint: the joint.
        law: such as `RestrictionContact(max_force=50.0, compression=0.05, damping=1.5)`.
        lower, upper: bounds [m or rad] at which it is touched; leave one out for a stop on one side.
        coordinate: which one, where the joint has several.
    """

    joint: OnJoint
    law: ContactLaw
    lower: float = -np.inf
    upper: float = np.inf
    coordinate: str | None = None

    _joints: ClassVar = ("joint",)

    def __post_init__(self) -> None:
        checks.instance(f"{self._name}: law", self.law, ContactLaw, "RestrictionContact(50.0, 0.05, 1.5)")
        _check_bounds(self)

    def _checked(self, what: str, world: "World") -> "ContactStop":
        return replace(
            self, coordinate=checked_coordinate_of(joint_handle(self.joint, world), self.coordinate)
        )

    def _rows(self, world: "World") -> LoadRows:
        rows = coordinate_rows(LAW_STOP, joint_handle(self.joint, world), self.coordinate)
        numbers = self.lower, self.upper, self.law._code, *self.law._numbers
        rows.numbers[0, : len(numbers)] = numbers
        return rows


def _check_bounds(load: "CoordinateStop | SoftStop | ContactStop") -> None:
    """Check both bounds, of which one at least is finite."""
    name = load._name
    lower = checks.number(f"{name}: lower", load.lower, "m or rad", finite=False)
    upper = checks.number(f"{name}: upper", load.upper, "m or rad", finite=False)
    if not lower < upper or (lower == -np.inf and upper == np.inf):
        raise ValueError(
            f"{name}: lower = {lower:g} and upper = {upper:g}: give lower below upper, one of them finite"
        )
    load._set(lower=lower, upper=upper)

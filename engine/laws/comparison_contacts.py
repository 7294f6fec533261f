"""Contact laws of others, known well: Hunt and Crossley, Hertz, a spring with a dashpot."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from stoss.engine import checks
from stoss.engine.laws.contact import ContactLaw, set_values
from stoss.engine.laws.contact_functions import (
    HUNT_CROSSLEY,
    SPRING_DASHPOT,
    restitution_of,
)
from stoss.engine.laws.restriction import BarrierContact, RestrictionContact
from stoss.names import closed

__all__ = ["HertzContact", "HuntCrossleyContact", "SpringDashpotContact", "law_of_numbers"]


@closed
@dataclass(frozen=True)
class HuntCrossleyContact(ContactLaw):
    """A contact by a power of the depth, damped in proportion to it (Hunt and Crossley 1975).

    force = stiffness depth^power (1 - damping rate), never pulling. There is no jump as surfaces meet.

    Args:
        stiffness: [N/m^power].
        damping: lambda [s/m].
        power: 1 or more; 1.5 for curved bodies.

    Raises:
        TypeError, ValueError: a value that makes no sense.
    """

    stiffness: float
    damping: float = 0.0
    power: float = 1.5

    _code: ClassVar[int] = HUNT_CROSSLEY

    def __post_init__(self) -> None:
        set_values(
            self,
            stiffness=checks.number("stiffness", self.stiffness, "N/m^power", above=0.0),
            damping=checks.number("damping", self.damping, "s/m", least=0.0),
            power=checks.number("power", self.power, least=1.0),
        )

    @classmethod
    def from_restitution(cls, restitution: float, speed: float, stiffness: float, power: float = 1.5) -> Self:
        """Return the law that has a restitution at one speed of approach, exactly.

        Args:
            restitution: above 0, up to 1.
            speed: of approach [m/s].
            stiffness, power: as for the class.

        Raises:
            TypeError, ValueError: a value that makes no sense.
        """
        e = checks.number("restitution", restitution, above=0.0, most=1.0)
        v = checks.number("speed", speed, "m/s", above=0.0)
        return cls(stiffness, _hunt_crossley_damping(e, v), power)

    def _parameters(self) -> tuple[float, ...]:
        return self.stiffness, self.damping, self.power

    def _rest_gap(self, load: float) -> float:
        return -float((load / self.stiffness) ** (1.0 / self.power))


@closed
@dataclass(frozen=True)
class HertzContact(ContactLaw):
    """Elastic bodies with curved surfaces: force by depth to the power 3/2 (Hertz 1882).

    Args:
        stiffness: [N/m^1.5]; `of_spheres` computes it.
        damping: [s/m], as in `HuntCrossleyContact`; Hertz has none.

    Raises:
        TypeError, ValueError: a value that makes no sense.
    """

    stiffness: float
    damping: float = 0.0

    _code: ClassVar[int] = HUNT_CROSSLEY

    def __post_init__(self) -> None:
        set_values(
            self,
            stiffness=checks.number("stiffness", self.stiffness, "N/m^1.5", above=0.0),
            damping=checks.number("damping", self.damping, "s/m", least=0.0),
        )

    @classmethod
    def of_spheres(
        cls,
        young: float,
        poisson: float,
        radius: float,
        second_young: float = np.inf,
        second_poisson: float = 0.0,
        second_radius: float = np.inf,
    ) -> Self:
        """Return the law of two elastic spheres: 4/3 E sqrt(R).

        1/E = (1 - poisson^2)/young of both together, 1/R = 1/radius of both together.

        Args:
            young, second_young: moduli of elasticity [Pa]; inf: rigid.
            poisson, second_poisson: Poisson's ratios, -1 to 0.5.
            radius, second_radius: [m]; inf: flat.

        Raises:
            TypeError, ValueError: a value that makes no sense, or two rigid or two flat bodies.
        """
        give = radius_sum = 0.0
        for name, e, p in (("", young, poisson), ("second_", second_young, second_poisson)):
            modulus = checks.number(f"{name}young", e, "Pa", above=0.0, finite=False)
            ratio = checks.number(f"{name}poisson", p, least=-1.0, most=0.5)
            give += (1.0 - ratio * ratio) / modulus
        for name, r in (("radius", radius), ("second_radius", second_radius)):
            radius_sum += 1.0 / checks.number(name, r, "m", above=0.0, finite=False)
        if give == 0.0 or radius_sum == 0.0:
            raise ValueError(
                "two rigid or two flat bodies have no Hertz contact; one has to give, one be round"
            )
        return cls(4.0 / 3.0 / give / float(np.sqrt(radius_sum)))

    def _parameters(self) -> tuple[float, ...]:
        return self.stiffness, self.damping, 1.5

    def _rest_gap(self, load: float) -> float:
        return -float((load / self.stiffness) ** (2.0 / 3.0))


@closed
@dataclass(frozen=True)
class SpringDashpotContact(ContactLaw):
    """A linear spring beside a linear damper, never pulling (Kelvin and Voigt).

    Its force jumps as surfaces meet, and its restitution depends on the mass, not on the speed.

    Args:
        stiffness: [N/m].
        damping: [N s/m].

    Raises:
        TypeError, ValueError: a value that makes no sense.
    """

    stiffness: float
    damping: float = 0.0

    _code: ClassVar[int] = SPRING_DASHPOT

    def __post_init__(self) -> None:
        set_values(
            self,
            stiffness=checks.number("stiffness", self.stiffness, "N/m", above=0.0),
            damping=checks.number("damping", self.damping, "N s/m", least=0.0),
        )

    @classmethod
    def from_restitution(cls, restitution: float, mass: float, stiffness: float) -> Self:
        """Return the law that has a restitution for one effective mass.

        Args:
            restitution: above 0, up to 1.
            mass: effective mass [kg].
            stiffness: [N/m].

        Raises:
            TypeError, ValueError: a value that makes no sense.
        """
        e = checks.number("restitution", restitution, above=0.0, most=1.0)
        m = checks.mass("mass", mass)
        k = checks.number("stiffness", stiffness, "N/m", above=0.0)
        low, high = 0.0, 1.0
        while restitution_of(SPRING_DASHPOT, np.array([k, 2.0 * high * np.sqrt(k * m)]), 1.0, m) > e:
            high *= 2.0
        for _ in range(200):
            middle = 0.5 * (low + high)
            numbers = np.array([k, 2.0 * middle * np.sqrt(k * m)])
            if restitution_of(SPRING_DASHPOT, numbers, 1.0, m) > e:
                low = middle
            else:
                high = middle
        return cls(k, (low + high) * float(np.sqrt(k * m)) if e < 1.0 else 0.0)

    def _parameters(self) -> tuple[float, ...]:
        return self.stiffness, self.damping

    def _rest_gap(self, load: float) -> float:
        return -load / self.stiffness


def law_of_numbers(code: int, numbers: Any) -> ContactLaw:
    """Return the law that has a code and numbers: the inverse of what kernels are given."""
    n = [float(x) for x in numbers]
    if code == SPRING_DASHPOT:
        return SpringDashpotContact(n[0], n[1])
    if code == HUNT_CROSSLEY:
        return HuntCrossleyContact(n[0], n[1], n[2])
    compression = -2.0 * n[2]
    level = _level_of(n[1], compression)
    if n[4] == 0.0:
        return RestrictionContact(n[0], compression, n[3], level)
    back = 2.0 * float(np.arctanh(level)) / n[4]
    return BarrierContact(n[0], compression, 0.5 * back - n[5], back, n[3], level)


def _level_of(transition: float, compression: float) -> float:
    """Return the level of a restriction: one that gives its transition to the last bit if any does."""
    near = float(np.tanh(0.5 * transition * compression))
    below, above = np.nextafter(near, 0.0), np.nextafter(near, 1.0)
    tried = [round(near, 12), near, below, above, np.nextafter(below, 0.0), np.nextafter(above, 1.0)]
    exact = (one for one in tried if one < 1.0 and 2.0 * float(np.arctanh(one)) / compression == transition)
    return float(next(exact, near))


def _hunt_crossley_damping(e: float, speed: float) -> float:
    """Return lambda for a restitution at a speed."""
    if e == 1.0:
        return 0.0
    low, high = 0.0, 1.0
    while restitution_of(HUNT_CROSSLEY, np.array([1.0, high, 1.5]), speed, 1.0) > e:
        high *= 2.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if restitution_of(HUNT_CROSSLEY, np.array([1.0, middle, 1.5]), speed, 1.0) > e:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)

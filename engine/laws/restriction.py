"""Contacts whose force is bounded: the restriction function of Specker 2016, and walls that break."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from stoss.engine import checks
from stoss.engine.laws.contact import ContactLaw, set_values
from stoss.engine.laws.contact_functions import LAW_NUMBERS, RESTRICTION, impact_exit, restitution_of
from stoss.names import closed

__all__ = ["BarrierContact", "RestrictionContact"]

FAINT = 1e-12  # activation below which a restriction function is nothing
SOFTEST = 0.006  # restitution that r_d times speed = 1000 has


@closed
@dataclass(frozen=True)
class RestrictionContact(ContactLaw):
    """A contact whose force is bounded, from elastic to plastic, at rest and in impacts (Specker 2016, 3.2).

    force = activation(gap) max_force / (1 + exp(2 damping rate)). The activation grows from (1 - level)/2 at
    touch to (1 + level)/2 at the depth `compression`, as a hyperbolic tangent. An impact at speed v gives
    back a share that depends on damping times v alone: 0.62 where that is 1, 0.21 where it is 10. At rest a
    contact carries up to half of `max_force`; under more it sinks.

    Args:
        max_force: [N] that is never exceeded; four times the largest static load is a good choice.
        compression: [m], over which the force grows: how soft the surface is.
        damping: r_d [s/m], 0: elastic.
        level: 0.5 to 1, both excluded.

    Raises:
        TypeError, ValueError: a value that makes no sense.
    """

    max_force: float
    compression: float
    damping: float = 0.0
    level: float = 0.99

    _code: ClassVar[int] = RESTRICTION

    def __post_init__(self) -> None:
        set_values(
            self,
            max_force=checks.number("max_force", self.max_force, "N", above=0.0),
            compression=checks.number("compression", self.compression, "m", above=0.0),
            damping=checks.number("damping", self.damping, "s/m", least=0.0),
            level=_level(self.level),
        )

    @classmethod
    def from_restitution(
        cls, restitution: float, speed: float, max_force: float, compression: float, level: float = 0.99
    ) -> Self:
        """Return the law that has a restitution at one speed of approach.

        Args:
            restitution: 0.006 to 1.
            speed: of approach [m/s] at which it holds; slower impacts give back more, faster ones less.
            max_force, compression, level: as for the class.

        Raises:
            TypeError, ValueError: a value that makes no sense.
        """
        e = checks.number(
            "restitution",
            restitution,
            least=SOFTEST,
            most=1.0,
            cure="; without any use damping = 1000 / speed",
        )
        v = checks.number("speed", speed, "m/s", above=0.0)
        return cls(max_force, compression, _damping_for(e) / v, level)

    @property
    def transition(self) -> float:
        """Return the transition coefficient r_t [1/m]."""
        return 2.0 * float(np.arctanh(self.level)) / self.compression

    @property
    def static_limit(self) -> float:
        """Return the largest load [N] that is carried at rest."""
        return 0.5 * self.max_force

    def _parameters(self) -> tuple[float, ...]:
        return self.max_force, self.transition, -0.5 * self.compression, self.damping

    def _rest_gap(self, load: float) -> float:
        return (
            -0.5 * self.compression + float(np.arctanh(1.0 - 4.0 * load / self.max_force)) / self.transition
        )

    def _reach(self) -> tuple[float, float]:
        return -0.5 * self.compression - np.log(FAINT) / (2.0 * self.transition), -np.inf


@closed
@dataclass(frozen=True)
class BarrierContact(ContactLaw):
    """A wall of finite thickness that can be broken through (Specker 2016, section 3.2.5).

    As `RestrictionContact`, but the force fades behind the wall. What comes fast enough is not thrown
    back, it leaves the other side, slower; the work that takes is at most
    max_force times the width of the activation.

    Args:
        max_force: [N].
        compression: [m] over which the force grows at the front.
        thickness: of the wall [m].
        exit_compression: [m] over which the force fades before the back; None: `compression`.
        damping: r_d [s/m].
        level: 0.5 to 1, both excluded.

    Raises:
        TypeError, ValueError: a value that makes no sense, or a wall thinner than both together.
    """

    max_force: float
    compression: float
    thickness: float
    exit_compression: float | None = None
    damping: float = 0.0
    level: float = 0.99

    _code: ClassVar[int] = RESTRICTION

    @property
    def _back(self) -> float:  # type: ignore[override]
        return -self.thickness

    def __post_init__(self) -> None:
        back = self.compression if self.exit_compression is None else self.exit_compression
        set_values(
            self,
            max_force=checks.number("max_force", self.max_force, "N", above=0.0),
            compression=checks.number("compression", self.compression, "m", above=0.0),
            exit_compression=checks.number("exit_compression", back, "m", above=0.0),
            damping=checks.number("damping", self.damping, "s/m", least=0.0),
            level=_level(self.level),
            thickness=checks.number("thickness", self.thickness, "m", above=0.0),
        )
        least = self.compression + float(self.exit_compression or 0.0)
        if self.thickness < least:
            raise ValueError(
                f"thickness = {self.thickness!r} m is below compression + exit_compression = {least!r} m"
            )

    @property
    def static_limit(self) -> float:
        """Return the largest load [N] that is carried at rest."""
        return 0.5 * self.max_force

    @property
    def critical_energy(self) -> float:
        """Return the energy [J] from which on an elastic wall is pierced; damping doubles it at most."""
        numbers = self._numbers
        return 0.5 * self.max_force * float(numbers[2] - numbers[5])

    def critical_speed(self, mass: float) -> float:
        """Return the speed [m/s] from which on the wall is pierced.

        Args:
            mass: effective mass [kg].
        """
        m = checks.mass("mass", mass)
        low, high = 0.0, float(np.sqrt(4.0 * self.critical_energy / m)) * 1.01
        for _ in range(200):
            middle = 0.5 * (low + high)
            if impact_exit(self._code, self._numbers, middle, m) > 0.0:
                high = middle
            else:
                low = middle
        return 0.5 * (low + high)

    def _parameters(self) -> tuple[float, ...]:
        front, back = self.compression, float(self.exit_compression or 0.0)
        root = 2.0 * float(np.arctanh(self.level))
        return (
            self.max_force,
            root / front,
            -0.5 * front,
            self.damping,
            root / back,
            0.5 * back - self.thickness,
        )

    def _rest_gap(self, load: float) -> float:
        front = RestrictionContact(self.max_force, self.compression, self.damping, self.level)
        return front.rest_gap(load)

    def _reach(self) -> tuple[float, float]:
        numbers = self._numbers
        wide = -0.5 * np.log(FAINT)
        return numbers[2] + wide / numbers[1], numbers[5] - wide / numbers[4]


def _level(value: Any) -> float:
    found = checks.number("level", value, above=0.5, most=1.0)
    if found == 1.0:
        raise ValueError("level = 1.0 must be below 1: the activation reaches it nowhere")
    return found


def _damping_for(e: float) -> float:
    """Return r_d times speed for a restitution, by bisection: it falls with it."""
    if e == 1.0:
        return 0.0
    low, high = 0.0, 1.0
    numbers = np.zeros(LAW_NUMBERS)

    def of(u: float) -> float:
        numbers[:4] = 1.0, 1.0, 0.0, u
        return float(restitution_of(RESTRICTION, numbers, 1.0, 1.0))

    while of(high) > e:
        high *= 2.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if of(middle) > e else (low, middle)
    return 0.5 * (low + high)

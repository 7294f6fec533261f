"""Friction laws that remember: bristles (Dahl, LuGre), and smooth laws through a filter."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from stoss.engine import checks
from stoss.engine.laws.anisotropic_friction import Anisotropic
from stoss.engine.laws.friction import DECAYS
from stoss.engine.laws.friction_arrays import (
    BRISTLE,
    CONSTANT,
    DAMPING,
    DECAY,
    FILTER,
    HOLD_SPEED,
    KINETIC,
    SMOOTH,
    SPEED,
    STICKING,
    STIFFNESS,
    STRIBECK,
    TIME,
    VISCOUS,
)
from stoss.engine.laws.friction_law import FrictionLaw, Numbers, numbers_of
from stoss.names import closed

__all__ = ["Dahl", "Filtered", "LuGre", "stored_energy"]


@closed
@dataclass(frozen=True)
class Dahl(FrictionLaw):
    """Bristles that bend before they slide: dry friction with hysteresis (LuGre with static = dynamic).

    Args:
        dynamic: while sliding: coefficient on a contact, [N or N m] on a joint.
        stiffness: of the bristles: per normal force [1/m], on a joint [N/m or N m/rad].
        viscous: force per speed, as of `Viscous`.

    Raises:
        TypeError, ValueError: no number, or not above zero.
    """

    dynamic: float
    stiffness: float
    viscous: float = 0.0

    def __post_init__(self) -> None:
        self._check_all(positive=("dynamic", "stiffness"))

    def _numbers(self) -> Numbers:
        values = {STICKING: self.dynamic, KINETIC: self.dynamic, STIFFNESS: self.stiffness}
        return numbers_of(CONSTANT, BRISTLE, values | {VISCOUS: self.viscous})


@closed
@dataclass(frozen=True)
class LuGre(FrictionLaw):
    """Bristles with damping over a Stribeck curve (Canudas de Wit and others, 1995).

    Args:
        static, dynamic: of the curve: coefficients on a contact, [N or N m] on a joint; above zero.
        speed: Stribeck velocity [m/s or rad/s].
        stiffness: of the bristles: per normal force [1/m], on a joint [N/m or N m/rad].
        damping: of the bristles: per normal force [s/m], on a joint [N s/m or N m s/rad].
        viscous: force per speed, as of `Viscous`.

    Raises:
        TypeError, ValueError: no number, out of range, or static below dynamic.
    """

    static: float
    dynamic: float
    speed: float
    stiffness: float
    damping: float = 0.0
    viscous: float = 0.0

    def __post_init__(self) -> None:
        self._check_all(positive=("static", "dynamic", "speed", "stiffness"))
        self._check_static(self.static, self.dynamic)

    def _numbers(self) -> Numbers:
        values = {STICKING: self.static, KINETIC: self.dynamic, SPEED: self.speed, VISCOUS: self.viscous}
        values |= {STIFFNESS: self.stiffness, DAMPING: self.damping, DECAY: DECAYS["gauss"]}
        return numbers_of(STRIBECK, BRISTLE, values)


@closed
@dataclass(frozen=True)
class Filtered(FrictionLaw):
    """A smooth law whose force follows with a delay and is held at rest: Specker's dynamic friction.

    With a `hold_speed` the filter is slow where the sliding is (LPV): what comes to rest under a load
    keeps its force, with the sign of the last motion. Without it is linear (LTI). The state is that of
    a place, in its plane, not of a generalised coordinate, so it does not depend on axes. Such a law may give
    a little energy back: when the load goes at once, what is held pushes.

    Args:
        law: a smooth law without memory: `Viscous`, `Regularised`, `ContinuousStribeck`, or a
            `FrictionFunction` that does not stick.
        time_constant: of the filter [s].
        hold_speed: [m/s or rad/s] below which it holds; None: nowhere.

    Raises:
        TypeError, ValueError: another law, no number, or not above zero.
    """

    law: FrictionLaw
    time_constant: float
    hold_speed: float | None = None

    def __post_init__(self) -> None:
        checks.instance("Filtered: law", self.law, FrictionLaw, "ContinuousStribeck(0.6, 0.4, 0.05)")
        if isinstance(self.law, Anisotropic):
            raise TypeError("Filtered: law is Anisotropic; filter the law first: Anisotropic(Filtered(...))")
        if self.law._numbers().memory != SMOOTH:
            raise ValueError(
                f"Filtered: law = {checks.shown(self.law)} sticks, or has a memory already; give a smooth "
                "one: Regularised, or ContinuousStribeck"
            )
        self._set(time_constant=self._check("time_constant", "s", above=True))
        if self.hold_speed is not None:
            self._set(hold_speed=self._check("hold_speed", "m/s or rad/s", above=True))

    def _numbers(self) -> Numbers:
        base = self.law._numbers()
        numbers = base.numbers.copy()
        numbers[TIME] = self.time_constant
        numbers[HOLD_SPEED] = 0.0 if self.hold_speed is None else self.hold_speed
        return base._replace(memory=FILTER, numbers=numbers)

    def potential(self, velocity: Any, load: float = 1.0) -> Any:
        """Return the dissipation function of the law that is filtered; see `FrictionLaw.potential`."""
        return self.law.potential(velocity, load)


def stored_energy(law: FrictionLaw, state: Any, load: float = 1.0) -> float:
    """Return the energy [J] that the bristles of one place store, by their deflection; 0 for other laws."""
    row = law._numbers()
    if row.memory != BRISTLE:
        return 0.0
    return float(0.5 * load * row.numbers[STIFFNESS] * np.sum(np.square(state)))

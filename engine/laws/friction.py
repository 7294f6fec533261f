"""Friction laws that remember nothing: viscous, dry, and Stribeck curves."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from stoss.engine import checks
from stoss.engine.laws.friction_arrays import (
    CONSTANT,
    CONTINUOUS,
    DECAY,
    HUMP,
    KINETIC,
    LORENTZ,
    PEAK,
    REGULARISED,
    SET_VALUED,
    SMOOTH,
    SPEED,
    STICKING,
    STRIBECK,
    TRANSITION,
    VISCOUS,
)
from stoss.engine.laws.friction_law import FrictionLaw, Numbers, numbers_of
from stoss.names import closed

__all__ = ["ContinuousStribeck", "Coulomb", "DECAYS", "Regularised", "Stribeck", "Viscous"]

STICKING_SPEED = 1e-6  # [m/s or rad/s] above which a place counts as sliding, of laws with two coefficients
DECAYS = {"gauss": 2.0, "exponential": 1.0, "lorentz": 0.0}


@closed
@dataclass(frozen=True)
class Viscous(FrictionLaw):
    """Friction in proportion to the speed (Specker 2016, section 2.2.1); it holds nothing at rest.

    Args:
        viscous: force per speed: [N s/m] or [N m s/rad] on a joint, per normal force [s/m] on a contact.

    Raises:
        TypeError, ValueError: no number, or below zero.
    """

    viscous: float

    def __post_init__(self) -> None:
        self._check_all()

    def _numbers(self) -> Numbers:
        return numbers_of(CONSTANT, SMOOTH, {VISCOUS: self.viscous})

    def potential(self, velocity: Any, load: float = 1.0) -> Any:
        """Return the dissipation function [W]: half of what is dissipated; see `FrictionLaw.potential`."""
        v = checks.float_array("velocity", velocity, "numbers")
        return 0.5 * load * self.viscous * v * v


@closed
@dataclass(frozen=True)
class Coulomb(FrictionLaw):
    """Dry friction, which holds exactly at rest, with a viscous part if wanted.

    `Material(friction=0.5)` is the same without a law, where there is no viscous part.

    Args:
        dynamic: while sliding: coefficient on a contact, [N or N m] on a joint.
        static: at rest, at least `dynamic`; None: the same.
        viscous: force per speed, as of `Viscous`.

    Raises:
        TypeError, ValueError: no number, below zero, or static below dynamic.
    """

    dynamic: float
    static: float | None = None
    viscous: float = 0.0

    def __post_init__(self) -> None:
        self._check_all(skip=() if self.static is not None else ("static",))
        if self.static is not None:
            self._check_static(self.static, self.dynamic)

    def _numbers(self) -> Numbers:
        static = self.dynamic if self.static is None else self.static
        values = {STICKING: static, KINETIC: self.dynamic, VISCOUS: self.viscous, SPEED: STICKING_SPEED}
        return numbers_of(CONSTANT, SET_VALUED, values)


@closed
@dataclass(frozen=True)
class Regularised(FrictionLaw):
    """Dry friction without its jump: dynamic tanh(v / speed). What is loaded at rest creeps.

    Args:
        dynamic: while sliding: coefficient on a contact, [N or N m] on a joint.
        speed: [m/s or rad/s] of the transition; small: near to dry friction, and no less stable.
        viscous: force per speed, as of `Viscous`.

    Raises:
        TypeError, ValueError: no number, or out of range.
    """

    dynamic: float
    speed: float
    viscous: float = 0.0

    def __post_init__(self) -> None:
        self._check_all(positive=("speed",))

    def _numbers(self) -> Numbers:
        values = {STICKING: self.dynamic, KINETIC: self.dynamic, TRANSITION: self.speed, SPEED: self.speed}
        return numbers_of(REGULARISED, SMOOTH, values | {VISCOUS: self.viscous})

    def potential(self, velocity: Any, load: float = 1.0) -> Any:
        """Return the dissipation function [W]; see `FrictionLaw.potential`."""
        v = checks.float_array("velocity", velocity, "numbers")
        return load * (0.5 * self.viscous * v * v + self.dynamic * self.speed * _log_cosh(v / self.speed))


@closed
@dataclass(frozen=True)
class Stribeck(FrictionLaw):
    """Friction that falls with the speed, from static to dynamic, and holds exactly at rest.

    dynamic + (static - dynamic) g(v), g = exp(-(v / speed)^2), or another decay; taken with the speed at the
    start of the step, viscous friction with that at its end.

    Args:
        static, dynamic: at rest and in fast sliding: coefficients on a contact, [N or N m] on a joint.
        speed: Stribeck velocity [m/s or rad/s].
        viscous: force per speed, as of `Viscous`.
        decay: "gauss", "exponential" (of v / speed), or "lorentz": 1 / (1 + (v / speed)^2).

    Raises:
        TypeError, ValueError: no number, out of range, static below dynamic, or no such decay.
    """

    static: float
    dynamic: float
    speed: float
    viscous: float = 0.0
    decay: str = "gauss"

    def __post_init__(self) -> None:
        checks.choice("Stribeck: decay", self.decay, tuple(DECAYS))
        self._check_all(positive=("speed",), skip=("decay",))
        self._check_static(self.static, self.dynamic)

    def _numbers(self) -> Numbers:
        values = {STICKING: self.static, KINETIC: self.dynamic, SPEED: self.speed, VISCOUS: self.viscous}
        curve = LORENTZ if self.decay == "lorentz" else STRIBECK
        return numbers_of(curve, SET_VALUED, values | {DECAY: DECAYS[self.decay]})


@closed
@dataclass(frozen=True)
class ContinuousStribeck(FrictionLaw):
    """The Stribeck curve without a jump, derived from a dissipation function (Specker 2016, section 2.2.1).

    viscous v + dynamic tanh(v / transition) + more (v / speed) exp((1 - (v / speed)^2) / 2); `more` is what
    makes the whole of it `static` at v = speed. Near that the largest is 0.5 to 7 % higher. What is loaded at
    rest creeps; with `sticks` it is held, and the curve begins with its peak.

    Args:
        static: at the peak; dynamic: in fast sliding: coefficients on a contact, [N or N m] on a joint.
        dynamic: in fast sliding.
        speed: of the peak [m/s or rad/s]: half the `speed` of a `Stribeck` that fits it beyond.
        transition: [m/s or rad/s] of the tanh; None: half of `speed`, as the thesis recommends.
        viscous: force per speed, as of `Viscous`.
        sticks: whether rest is exact.

    Raises:
        TypeError, ValueError: no number, out of range, or static so low that the curve has no peak.
    """

    static: float
    dynamic: float
    speed: float
    transition: float | None = None
    viscous: float = 0.0
    sticks: bool = False

    def __post_init__(self) -> None:
        checks.flag("ContinuousStribeck: sticks", self.sticks)
        skip = ("sticks",) if self.transition is not None else ("sticks", "transition")
        self._check_all(positive=("speed", "transition"), skip=skip)
        self._check_static(self.static, self.dynamic)
        if self._more < 0.0:
            raise ValueError(
                f"ContinuousStribeck: static = {self.static!r} is less than what dynamic and viscous give "
                f"at speed = {self.speed!r}, {self.static - self._more:g}; raise static or lower the others"
            )

    @property
    def _transition(self) -> float:
        return 0.5 * self.speed if self.transition is None else self.transition

    @property
    def _more(self) -> float:
        """Return the height of the Stribeck term."""
        slow = 1.0 if self.sticks else float(np.tanh(self.speed / self._transition))
        return self.static - self.dynamic * slow - self.viscous * self.speed

    def _numbers(self) -> Numbers:
        values = {STICKING: self.static, KINETIC: self.dynamic, SPEED: self.speed, VISCOUS: self.viscous}
        # the top lies a little beyond `speed`, where the rest still rises; the sample is as near as it needs
        grid = self.speed * np.linspace(1.0, 4.0, 3001)
        rest = self.viscous * grid + self.dynamic * np.tanh(grid / self._transition)
        whole = rest + self._more * grid / self.speed * np.exp(0.5 - 0.5 * (grid / self.speed) ** 2)
        top = grid[int(np.argmax(whole - self.viscous * grid))]
        values |= {TRANSITION: self._transition, PEAK: self.speed if self.sticks else float(top)}
        values[HUMP] = self._more
        return numbers_of(CONTINUOUS, SET_VALUED if self.sticks else SMOOTH, values)

    def potential(self, velocity: Any, load: float = 1.0) -> Any:
        """Return the dissipation function [W]; see `FrictionLaw.potential`.

        Raises:
            TypeError: it sticks: then there is none that is smooth.
        """
        if self.sticks:
            return super().potential(velocity, load)
        v = checks.float_array("velocity", velocity, "numbers")
        x = v / self.speed
        dry = self.dynamic * self._transition * _log_cosh(v / self._transition)
        return load * (0.5 * self.viscous * v * v + dry - self._more * self.speed * np.exp(0.5 - 0.5 * x * x))


def _log_cosh(x: np.ndarray) -> np.ndarray:
    """Return log cosh x, which does not overflow."""
    size = np.abs(x)
    return np.asarray(size + np.log1p(np.exp(-2.0 * size)) - np.log(2.0))

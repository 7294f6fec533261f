"""Material values of a body and the rules by which two bodies combine them."""

from dataclasses import dataclass

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats

__all__ = ["COMBINATION_RULES", "IMPACT_LAWS", "Material", "combine", "combine_all"]

COMBINATION_RULES = ("multiply", "add", "minimum", "maximum", "mean", "geometric_mean")
IMPACT_LAWS = ("newton", "poisson", "stronge")  # in the order of the codes of `impulse_path`
_MULTIPLY, _ADD, _MINIMUM, _MAXIMUM, _MEAN, _GEOMETRIC_MEAN = range(6)


@dataclass(frozen=True)
class Material:
    """Surface values of a body; `Settings` says how a pair of bodies combines them.

    Args:
        restitution: share of the approach velocity that is given back, 0 to 1.
        friction: Coulomb coefficient while sliding, 0 or more.
        static_friction: Coulomb coefficient while sticking, at least `friction`; None for the same.
        rolling_friction: [m] torque against rolling over normal force, 0 or more: half the width of the area
            of contact, say. Combined by the friction rule, like the next.
        torsional_friction: [m] torque against spinning about the normal over normal force, 0 or more.
        name: tells materials of equal values apart, where pairs of them have values of their own.

    Raises:
        ValueError: a value out of its range.
    """

    restitution: float = 0.0
    friction: float = 0.5
    static_friction: float | None = None
    rolling_friction: float = 0.0
    torsional_friction: float = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        if not np.isfinite(self.restitution) or not 0 <= self.restitution <= 1:
            raise ValueError(f"restitution = {self.restitution!r} must lie in 0 to 1")
        if not np.isfinite(self.friction) or self.friction < 0:
            raise ValueError(f"friction = {self.friction!r} must be finite and not negative")
        if self.static_friction is not None and not self.friction <= self.static_friction < np.inf:
            raise ValueError(
                f"static_friction = {self.static_friction!r} must be finite and not below "
                f"friction = {self.friction!r}; leave it out to use the same value"
            )
        for name in ("rolling_friction", "torsional_friction"):
            value = getattr(self, name)
            if not np.isfinite(value) or value < 0:
                raise ValueError(
                    f"{name} = {value!r} must be a finite length [m] and not negative; 0 for no resistance"
                )

    @property
    def sticking(self) -> float:
        """Return the coefficient of static friction."""
        return self.friction if self.static_friction is None else self.static_friction


@inner
def combine(rule, a, b):
    """Return the value of a pair from the values of its bodies (Bender 2007, section 5.1.3)."""
    if rule == _MULTIPLY:
        return a * b
    if rule == _ADD:
        return a + b
    if rule == _MINIMUM:
        return min(a, b)
    if rule == _MAXIMUM:
        return max(a, b)
    if rule == _MEAN:
        return 0.5 * (a + b)
    return np.sqrt(a * b)


@kernel(allocates=True)
def combine_all(rule: int, first: Floats, second: Floats) -> Floats:
    """Return the values of many pairs (c,)."""
    out = np.empty(len(first))
    for i in range(len(out)):
        out[i] = combine(rule, first[i], second[i])
    return out

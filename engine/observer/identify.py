"""Parameters of a stop from recorded motions (Specker 2016, section 5.3.3)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from stoss.engine import checks
from stoss.engine.laws.restriction import RestrictionContact
from stoss.names import closed, takes_names

__all__ = ["StopFit", "fit_stop"]

LEVEL = 0.99


@closed
@dataclass(frozen=True)
class StopFit:
    """A stop that was found in data.

    Attributes:
        law: its contact law.
        offset: value of the coordinate [m or rad] at which it is touched.
        residual: root of the mean square of the loads that are left over [N or N m].
    """

    law: RestrictionContact
    offset: float
    residual: float


@takes_names
def fit_stop(value: Any, load: Any, rate: Any = None, *, max_force: float | None = None) -> StopFit:
    """Find the restriction function of a lower stop from coordinates and what the stop gave.

    At rest only what is strength and what is softness is found; damping needs motion: give `rate` too. For an
    upper stop give negative values and rates.

    Args:
        value: coordinate (k,) [m or rad].
        load: force or torque (k,) of the stop [N or N m]: what pressed, where it was at rest.
        rate: of the coordinate (k,) [m/s or rad/s]; None: at rest.
        max_force: strength, if it is known; else it is found too, which needs loads near half of it.

    Raises:
        TypeError, ValueError: no such numbers, or too few to find that many.
    """
    x = checks.array("value", value, (-1,))
    f = checks.array("load", load, (len(x),))
    v = np.zeros(len(x)) if rate is None else checks.array("rate", rate, (len(x),))
    known = None if max_force is None else checks.positive("max_force", max_force, "N")
    unknown = 2 + (rate is not None) + (known is None)
    if len(x) < unknown:
        raise ValueError(f"value has {len(x)} entries; {unknown} numbers to be found need as many at least")
    if not (f > 0.0).any():
        raise ValueError("load is nowhere above zero: nothing touched the stop")
    span = float(np.ptp(x)) or 1.0
    top = 4.0 * float(f.max()) if known is None else known
    # of the logarithms, since all are positive: transition, strength and damping
    start = [np.log(5.0 / span), float(x[np.argmin(np.abs(f - 0.5 * f.max()))])]
    start += [0.0] if rate is not None else []
    start += [np.log(top)] if known is None else []

    def parts(p: np.ndarray) -> tuple[float, float, float, float]:
        damping = float(np.exp(p[2])) if rate is not None else 0.0
        strength = float(np.exp(p[-1])) if known is None else top
        return float(np.exp(p[0])), float(p[1]), damping, strength

    def missing(p: np.ndarray) -> np.ndarray:
        transition, centre, damping, strength = parts(p)
        share = 1.0 / (1.0 + np.exp(np.clip(2.0 * transition * (x - centre), -500.0, 500.0)))
        return np.asarray(share * strength / (1.0 + np.exp(np.clip(2.0 * damping * v, -500.0, 500.0))) - f)

    best = None
    for guess in (0.0, 1.5, 3.0, -1.5):
        trial = np.array(start)
        trial[0] += guess
        found = least_squares(
            missing, trial, x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=2000
        )
        if best is None or found.cost < best.cost:
            best = found
    assert best is not None
    transition, centre, damping, strength = parts(best.x)
    compression = 2.0 * float(np.arctanh(LEVEL)) / transition
    law = RestrictionContact(strength, compression, damping, LEVEL)
    return StopFit(law, centre + 0.5 * compression, float(np.sqrt(2.0 * best.cost / len(x))))

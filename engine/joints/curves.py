"""Curves along which one coordinate follows another: cubic pieces between knots, straight beyond the ends."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.collision.plain_numbers import number, shown
from stoss.names import closed

__all__ = ["Curve", "curve_at", "curve_of", "follow"]

Knot = tuple[float, float, float]


@closed
@dataclass(frozen=True)
class Curve:
    """A smooth function of one number, by what it is at some knots: cubic pieces with given slopes.

    Without slopes it is the spline whose second derivative is continuous, and whose third one is so at the
    second knot and the last but one ("not a knot": natural ends would cost two to three digits). It goes on
    straight beyond its ends. Joints and couplings follow it, in the engine and in `Articulation`.
    Stelzner 2008, section 1.3.3.

        knee = st.Curve([(0.0, 0.0), (0.5, 0.02), (1.0, 0.05), (1.5, 0.06)])
        knee(0.7), knee(0.7, 1)  # value, slope

    Args:
        knots: (x, y), or (x, y, slope), two at least, x growing.

    Raises:
        TypeError, ValueError: no such numbers; x that do not grow; some knots with slopes and some without.
    """

    knots: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "knots", _checked("Curve: knots", self.knots))

    @staticmethod
    def of(function: Callable[[float], float], lower: float, upper: float, count: int = 33) -> "Curve":
        """Return the curve through a function at `count` knots, evenly from `lower` to `upper`."""
        low, high = number("lower", lower, "unit of x"), number("upper", upper, "unit of x")
        if not low < high:
            raise ValueError(
                f"lower = {lower!r}, upper = {upper!r}: the lower end must be below the upper one"
            )
        xs = np.linspace(low, high, int(number("count", count, "knots", least=2)))
        return Curve([(x, float(function(x))) for x in xs.tolist()])

    @property
    def ends(self) -> tuple[float, float]:
        """Return the first and the last x."""
        return self.knots[0][0], self.knots[-1][0]

    def __call__(self, x: float, order: int = 0) -> float:
        """Return the value at x, or the derivative of that order, up to 2."""
        at = float(x)
        (x0, y0, m0), (x1, y1, m1) = self._piece(at)
        if at < x0 or at > x1:
            y, m, end = (y0, m0, x0) if at < x0 else (y1, m1, x1)
            return (y + m * (at - end), m, 0.0)[order]
        h = x1 - x0
        t = (at - x0) / h
        a, b = m0 * h - (y1 - y0), (y1 - y0) - m1 * h
        # y0 + t (y1 - y0) + t (1 - t) ((1 - t) a + t b)
        if order == 0:
            return y0 + t * (y1 - y0) + t * (1.0 - t) * ((1.0 - t) * a + t * b)
        if order == 1:
            return ((y1 - y0) + (1.0 - 2.0 * t) * ((1.0 - t) * a + t * b) + t * (1.0 - t) * (b - a)) / h
        return 2.0 * ((1.0 - 2.0 * t) * (b - a) - ((1.0 - t) * a + t * b)) / (h * h)

    def _piece(self, x: float) -> tuple[Knot, Knot]:
        knots = self.knots
        low, high = 0, len(knots) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if knots[middle][0] <= x else (low, middle)
        return knots[low], knots[high]


def curve_of(what: str, given: Any) -> Curve:
    """Return a curve, or the one through given knots.

    Args:
        what: name of what is given, in messages.
        given: a curve, or its knots.

    Raises:
        TypeError, ValueError: as for `Curve`.
    """
    return given if isinstance(given, Curve) else Curve(_checked(what, given))


def _checked(what: str, given: Any) -> tuple[Knot, ...]:
    """Return knots with slopes."""
    wanted = "must be knots (x, y) or (x, y, slope), two at least"
    if isinstance(given, Curve):
        return given.knots
    knots = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(knots, list | tuple) or len(knots) < 2:
        raise TypeError(f"{what} = {shown(given)} {wanted}")
    widths = {len(one) if isinstance(one, list | tuple | np.ndarray) else 0 for one in knots}
    if widths not in ({2}, {3}):
        raise TypeError(f"{what} = {shown(given)} {wanted}, all of them with slopes or none")
    rows = [tuple(number(f"{what}[{k}]", value) for value in one) for k, one in enumerate(knots)]
    x = np.array([row[0] for row in rows])
    if (np.diff(x) <= 0.0).any():
        k = int(np.flatnonzero(np.diff(x) <= 0.0)[0])
        raise ValueError(f"{what}: x = {x[k]:g} is followed by {x[k + 1]:g}; x must grow from knot to knot")
    if widths == {3}:
        return tuple((row[0], row[1], row[2]) for row in rows)
    from scipy.interpolate import CubicSpline  # slow to import

    y = np.array([row[1] for row in rows])
    slopes = CubicSpline(x, y)(x, 1)
    return tuple(zip(x.tolist(), y.tolist(), slopes.tolist(), strict=True))


@inner
def follow(joints, m, x):
    """Return what the second coordinate of the coupled row m is to be where the first is x, and its slope."""
    s = joints.schedule[m]
    if s < 0:
        return joints.ratio[m] * x, joints.ratio[m]
    first, last = joints.schedule_start[s], joints.schedule_start[s + 1] - 1
    return curve_at(joints.schedule_time, joints.schedule_value, joints.schedule_slope, first, last, x)


@inner
def curve_at(xs, ys, slopes, low, high, x):
    """Return value and slope at x of the curve with the knots `low` to `high`."""
    if x <= xs[low]:
        return ys[low] + slopes[low] * (x - xs[low]), slopes[low]
    if x >= xs[high]:
        return ys[high] + slopes[high] * (x - xs[high]), slopes[high]
    while high - low > 1:
        middle = (low + high) // 2
        if xs[middle] <= x:
            low = middle
        else:
            high = middle
    h = xs[high] - xs[low]
    t = (x - xs[low]) / h
    rise = ys[high] - ys[low]
    a, b = slopes[low] * h - rise, rise - slopes[high] * h
    bent = (1.0 - t) * a + t * b
    value = ys[low] + t * rise + t * (1.0 - t) * bent
    return value, (rise + (1.0 - 2.0 * t) * bent + t * (1.0 - t) * (b - a)) / h

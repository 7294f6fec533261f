"""What contact laws have in common, for pairs of materials and for stops of joints."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from stoss.engine import checks
from stoss.engine.laws.contact_functions import (
    LAW_NUMBERS,
    activation,
    contact_force,
    deepest_gap,
    impact_exit,
    stored_energy,
    usual_duration,
)
from stoss.engine.laws.contact_trace import follow_impact, restitution_under_load
from stoss.names import closed

__all__ = ["ContactLaw", "ImpactOutcome", "set_values"]

# Steps of a trace, and most of them.
STEPS, MOST_STEPS = 2000, 2_000_000


@closed
@dataclass(frozen=True)
class ImpactOutcome:
    """What an impact of one contact comes to.

    Attributes:
        restitution: speed of parting over speed of approach; 0 where a wall is pierced.
        exit_speed: [m/s] behind a wall that is pierced, else 0.
        peak_force: [N].
        peak_compression: depth of the deepest overlap [m]; inf where a wall is pierced.
        compression_time: from touch to the deepest overlap [s].
        duration: from touch until they part, or are through [s]; inf if a load holds them together.
    """

    restitution: float
    exit_speed: float
    peak_force: float
    peak_compression: float
    compression_time: float
    duration: float

    @property
    def pierced(self) -> bool:
        """Return whether a wall is pierced."""
        return self.exit_speed > 0.0


@dataclass(frozen=True)
class ContactLaw:
    """What contact laws have in common: a normal force by gap and rate, and what an impact comes to.

    Gaps are positive apart, negative in an overlap; rates are negative on approach; forces push apart.
    """

    _code: ClassVar[int]
    _back: ClassVar[float] = -np.inf  # gap [m] of the back of a wall

    @staticmethod
    def _checked(value: Any) -> "ContactLaw":
        """Return a law that contacts of worlds may have.

        Raises:
            TypeError: it is none.
        """
        checks.instance("contact_law", value, ContactLaw, "RestrictionContact(200.0, 1e-3, 0.5)")
        found: ContactLaw = value
        return found

    @cached_property
    def _numbers(self) -> np.ndarray:
        out = np.zeros(LAW_NUMBERS)
        given = self._parameters()
        out[: len(given)] = given
        return out

    def _parameters(self) -> tuple[float, ...]:
        raise NotImplementedError

    def force(self, gap: Any, rate: Any = 0.0) -> Any:
        """Return the normal force [N].

        Args:
            gap: [m], negative in an overlap; a number or an array.
            rate: its rate [m/s], negative on approach.
        """
        return self._each(lambda x, v: contact_force(self._code, self._numbers, x, v), gap, rate)

    def activation(self, gap: Any) -> Any:
        """Return how far the contact is established, 0 to 1.

        Args:
            gap: [m].
        """
        return self._each(lambda x: activation(self._code, self._numbers, x), gap)

    def stored_energy(self, gap: Any) -> Any:
        """Return the energy [J] that can be given back at a gap: the integral of the force at rest.

        Args:
            gap: [m].
        """
        return self._each(lambda x: stored_energy(self._code, self._numbers, x), gap)

    @staticmethod
    def _each(function: Any, *values: Any) -> Any:
        names = ("gap", "rate")
        arrays = [np.asarray(_numbers(name, v)) for name, v in zip(names, values, strict=False)]
        out = np.vectorize(function, otypes=[float])(*arrays)
        return float(out) if out.ndim == 0 else out

    def restitution(self, speed: float, mass: float = 1.0, *, load: float = 0.0) -> float:
        """Return speed of parting over speed of approach.

        By the closed form; under a load, which has none, by Runge-Kutta steps.

        Args:
            speed: of approach as the surfaces touch [m/s].
            mass: effective mass of the contact [kg]; matters to springs with linear dampers, and under loads.
            load: constant force [N] that presses meanwhile.
        """
        v = checks.number("speed", speed, "m/s", least=0.0)
        m = checks.mass("mass", mass)
        force = checks.number("load", load, "N", least=0.0)
        if impact_exit(self._code, self._numbers, v, m) > 0.0:
            return 0.0
        if v == 0.0:
            return float(force == 0.0)
        return float(restitution_under_load(self._code, self._numbers, v, m, force / m))

    def rest_gap(self, load: float) -> float:
        """Return the gap [m] at which a contact carries a load at rest.

        Args:
            load: [N], below `static_limit`.

        Raises:
            ValueError: the contact cannot carry it.
        """
        force = checks.number("load", load, "N", above=0.0)
        if force >= self.static_limit:
            raise ValueError(
                f"load = {force!r} N is not carried at rest: the limit is {self.static_limit!r} N, half of "
                "max_force"
            )
        return self._rest_gap(force)

    def _rest_gap(self, load: float) -> float:
        raise NotImplementedError

    @property
    def static_limit(self) -> float:
        """Return the largest load [N] that is carried at rest."""
        return np.inf

    def impact(self, speed: float, mass: float, *, load: float = 0.0) -> ImpactOutcome:
        """Return what an impact comes to.

        Args:
            speed: of approach [m/s], before there is any force; under a load as the surfaces touch.
            mass: effective mass of the contact [kg].
            load: constant force [N] that presses meanwhile.
        """
        v = checks.number("speed", speed, "m/s", above=0.0)
        m = checks.mass("mass", mass)
        force = checks.number("load", load, "N", least=0.0)
        out = float(impact_exit(self._code, self._numbers, v, m)) if force == 0.0 else 0.0
        trace = self.trace(v, m, load=force)
        t, gap, rate, push = trace.T
        low = int(np.argmin(gap))
        inside = np.flatnonzero(gap < 0.0)
        if len(inside) == 0:  # it turns round before the surfaces touch
            inside = np.array([low])
        begin = _crossing(t, gap, int(inside[0]))
        if gap[-1] < self._back:
            out = out or -float(rate[-1])
            behind = int(np.flatnonzero(gap > self._back)[-1]) + 1
            through = _crossing(t, gap - self._back, behind) - begin
            return ImpactOutcome(0.0, out, float(push.max()), np.inf, through, through)
        e = self.restitution(v, m, load=force)
        end = _crossing(t, gap, int(inside[-1]) + 1) if inside[-1] + 1 < len(t) else float(t[-1])
        turning = _crossing(t, rate, low if rate[low] > 0.0 else low + 1)
        top = int(np.argmax(push))
        bottom = float(-gap[low])
        if force == 0.0:
            bottom = -float(deepest_gap(self._code, self._numbers, v, m))
        lasts = end - begin if gap[-1] >= 0.0 else np.inf
        return ImpactOutcome(e, 0.0, _peak(push, top), bottom, turning - begin, lasts)

    def trace(self, speed: float, mass: float, *, load: float = 0.0) -> np.ndarray:
        """Return an impact in time (n, 4): time [s], gap [m], rate [m/s], force [N].

        Args:
            speed: of approach [m/s]; it begins where there is no force yet, under a load as surfaces touch.
            mass: effective mass [kg].
            load: constant force [N] that presses meanwhile.
        """
        v = checks.number("speed", speed, "m/s", above=0.0)
        m = checks.mass("mass", mass)
        force = checks.number("load", load, "N", least=0.0)
        usual = usual_duration(self._code, self._numbers, v, m)
        start, end = self._reach()
        start = start if force == 0.0 else 0.0
        h = float(min(usual, abs(start) / v if start > 0.0 else usual)) / STEPS
        h = max(h, float(usual) / MOST_STEPS * 4.0)
        most = int(
            min(6.0 * usual / h + 4.0 * (start - min(end, 0.0) if end > -np.inf else start) / v / h, 2e6)
        )
        return follow_impact(self._code, self._numbers, m, force, start, v, end, h, most + 10)

    def _reach(self) -> tuple[float, float]:
        """Return the gaps [m] outside which there is no force."""
        return 0.0, -np.inf


def _numbers(name: str, value: Any) -> np.ndarray:
    found = np.asarray(value, float)
    if not np.isfinite(found).all():
        raise ValueError(f"{name} = {checks.shown(value)} must be finite")
    return found


def _crossing(t: np.ndarray, x: np.ndarray, i: int) -> float:
    """Return when x passes zero before its entry i."""
    if i <= 0 or x[i] == x[i - 1]:
        return float(t[min(i, len(t) - 1)])
    return float(t[i - 1] + (t[i] - t[i - 1]) * x[i - 1] / (x[i - 1] - x[i]))


def _peak(x: np.ndarray, i: int) -> float:
    """Return the top of the parabola through entry i and its neighbours."""
    if i in (0, len(x) - 1):
        return float(x[i])
    a, b = 0.5 * (x[i + 1] + x[i - 1]) - x[i], 0.5 * (x[i + 1] - x[i - 1])
    return float(x[i] - 0.25 * b * b / a) if a < 0.0 else float(x[i])


def set_values(law: Any, **values: float) -> None:
    """Give a frozen law the numbers that were checked."""
    for name, value in values.items():
        object.__setattr__(law, name, value)

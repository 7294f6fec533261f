"""What becomes of a signal on its way to an actuator, or from a sensor: delay, lag, noise, limit.

A command is held from one step to the next; what an actuator gives in a step is the mean over that step, so
that its impulse is exact. A measurement is a sample at the end of a step.
"""

import math
import zlib
from typing import Any

import numpy as np

from stoss.engine import checks
from stoss.engine.control.state import Stateful

__all__ = ["Delay", "Lag", "Noise", "Signal", "checked_limit", "limited"]

Value = Any  # a float, or an array that always has the same shape

CLOSE = 1e-9  # of a step: times that differ by less are the same


class Delay(Stateful):
    """Let a signal arrive later.

    Args:
        time: by how much [s].
    """

    def __init__(self, time: float) -> None:
        self.time = time
        self._times: list[float] = []
        self._values: list[Value] = []

    def _note(self, value: Value, now: float) -> None:
        if self._times and now <= self._times[-1]:  # the clock was set back
            self._times, self._values = [], []
        self._times.append(now)
        self._values.append(value)

    def _forget(self, before: float) -> None:
        """Forget what is over at a time, all but the last one of it."""
        over = 0
        while over + 1 < len(self._times) and self._times[over + 1] <= before:
            over += 1
        del self._times[:over], self._values[:over]

    def held(self, value: Value, now: float, h: float) -> Value:
        """Return the mean of the delayed signal over the step from `now` to `now + h` [s], 0 at first.

        Args:
            value: of the signal over that step.
            now, h: beginning and length of the step [s].
        """
        self._note(value, now)
        begin, close = now - self.time, CLOSE * h
        self._forget(begin + close)
        total: Value = 0.0
        ends = [*self._times[1:], now + h]
        for start, end, one in zip(self._times, ends, self._values, strict=True):
            low = begin if abs(start - begin) <= close else max(start, begin)
            high = begin + h if abs(end - begin - h) <= close else min(end, begin + h)
            if low == begin and high == begin + h:
                return one
            if high > low:
                total = total + (high - low) / h * one
        return total

    def sampled(self, value: Value, now: float, h: float) -> Value:
        """Return the delayed signal at `now`, linear between samples, the first sample before that.

        Args:
            value: sample at `now`.
            now: time of the sample [s].
            h: length of a step [s].
        """
        self._note(value, now)
        at, close = now - self.time, CLOSE * h
        self._forget(at + close)
        if len(self._times) == 1 or at <= self._times[0] + close:
            return self._values[0]
        share = (at - self._times[0]) / (self._times[1] - self._times[0])
        return self._values[0] + share * (self._values[1] - self._values[0])


class Lag(Stateful):
    """Let a signal follow with a first-order lag, time dy/dt = u - y, solved exactly for a held signal.

    Args:
        time: its time constant [s].
    """

    def __init__(self, time: float) -> None:
        self.time = time
        self._value: Value = None

    def held(self, value: Value, h: float) -> Value:
        """Return the mean over a step of length h [s] in which the signal has a value; it starts from 0."""
        old = 0.0 if self._value is None else self._value
        gone = -math.expm1(-h / self.time)
        self._value = old + gone * (value - old)
        return value + (old - value) * (gone * self.time / h)

    def sampled(self, value: Value, h: float) -> Value:
        """Return the lagging signal at a sample, h [s] after the one before; it starts from the first one."""
        old = value if self._value is None else self._value
        self._value = old - math.expm1(-h / self.time) * (value - old)
        return self._value


class Noise(Stateful):
    """Add normal random numbers, the same ones in each run.

    Args:
        deviation: standard deviation of each sample, a number or one for each component.
        seed: of the generator.
    """

    def __init__(self, deviation: Any, seed: int) -> None:
        self.deviation = deviation
        self._random = np.random.Generator(np.random.PCG64(seed))

    def added(self, value: Value) -> Value:
        """Return a value with noise."""
        if isinstance(value, np.ndarray):
            return value + self.deviation * self._random.standard_normal(value.shape)
        return value + self.deviation * float(self._random.standard_normal())


class Signal(Stateful):
    """A way of a signal: first the delay, then the lag, then the noise, at last the limit.

    Args:
        delay: [s].
        lag: time constant of a first-order lag [s].
        noise: standard deviation of each sample.
        seed: of the noise; None: one of its own, by the name that `start` is told.
        limit: bounds, lowest and highest value.
    """

    def __init__(
        self,
        delay: Any = 0.0,
        lag: Any = 0.0,
        noise: Any = 0.0,
        seed: Any = None,
        limit: tuple[float, float] = (-math.inf, math.inf),
    ) -> None:
        late = checks.number("delay", delay, "s", least=0.0)
        slow = checks.number("lag", lag, "s", least=0.0)
        loud = checks.float_array("noise", noise, "standard deviations of 0 or more")
        if not (np.isfinite(loud).all() and (loud >= 0.0).all()):
            raise ValueError(f"noise = {checks.shown(noise)} must be standard deviations of 0 or more")
        number = 0 if seed is None else checks.whole("seed", seed, least=0)
        self.limit = limit
        self._delay = Delay(late) if late > 0.0 else None
        self._lag = Lag(slow) if slow > 0.0 else None
        spread = float(loud) if loud.ndim == 0 else loud
        self._noise = Noise(spread, number) if loud.any() else None
        self._seeded = seed is not None

    @property
    def is_plain(self) -> bool:
        """Return whether a signal passes unchanged, up to its limit."""
        return self._delay is None and self._lag is None and self._noise is None

    def start(self, name: str) -> None:
        """Begin, as the signal of what has that name in its world."""
        if self._noise is not None and not self._seeded:
            self._noise = Noise(self._noise.deviation, zlib.crc32(name.encode()))

    def command(self, value: Value, now: float, h: float) -> Value:
        """Return what an actuator gives in the mean over the step from `now`, of length h [s]."""
        if self._delay is not None:
            value = self._delay.held(value, now, h)
        if self._lag is not None:
            value = self._lag.held(value, h)
        if self._noise is not None:
            value = self._noise.added(value)
        return limited(value, self.limit)

    def sample(self, value: Value, now: float, h: float) -> Value:
        """Return what a sensor tells at `now`, the end of a step of length h [s]."""
        if self._delay is not None:
            value = self._delay.sampled(value, now, h)
        if self._lag is not None:
            value = self._lag.sampled(value, h)
        if self._noise is not None:
            value = self._noise.added(value)
        return value


def checked_limit(name: str, value: Any) -> tuple[float, float]:
    """Return a limit as lowest and highest value: a number stands for both directions.

    Raises:
        TypeError, ValueError: not one number of 0 or more, nor two in order.
    """
    given = checks.float_array(name, value, "a largest value, or a lowest and a highest one")
    if given.ndim == 0 and given >= 0.0:
        return -float(given), float(given)
    if given.shape == (2,) and given[0] <= 0.0 <= given[1]:
        return float(given[0]), float(given[1])
    raise ValueError(
        f"{name} = {checks.shown(value)} must be a largest value of 0 or more, or a lowest and a highest one "
        "with 0 between them"
    )


def limited(value: Value, limit: tuple[float, float]) -> Value:
    """Return a value within its limit; of a vector the length, so that it keeps its direction."""
    if not isinstance(value, np.ndarray):
        return min(max(value, limit[0]), limit[1])
    length = float(np.linalg.norm(value))
    return value * (limit[1] / length) if length > limit[1] else value

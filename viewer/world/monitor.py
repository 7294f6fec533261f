"""Curves: numbers of a world over time, noted after every step and read from its recorded past."""

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stoss.viewer.world.channels import Channel, Readings

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.viewer.world.stage import Moment

__all__ = ["Curve", "Monitor"]

_MOST = 20_000  # samples of a curve


class Curve:
    """Values over time. One thread changes it; others may read `samples` meanwhile.

    When there are more than `most` samples, every second one of the older half is dropped, so that the
    beginning stays and the recent past is complete.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._state = np.empty(256), np.empty(256), 0  # times, values, how many; replaced as a whole

    def samples(self) -> tuple[np.ndarray, np.ndarray]:
        """Return times (k,) [s], ascending, and values (k,), as copies."""
        times, values, count = self._state
        return times[:count].copy(), values[:count].copy()

    def append(self, moment: float, value: float) -> None:
        """Add a value at a time [s]; what was known of it and of later times is forgotten."""
        times, values, count = self._state
        if count and moment <= times[count - 1]:
            count = int(np.searchsorted(times[:count], moment))
        if count >= self._most:
            self._put(times[:count], values[:count])
            times, values, count = self._state
        if count == len(times):
            times, values = (np.concatenate([old, np.empty(len(old))]) for old in (times, values))
        times[count], values[count] = moment, value
        self._state = times, values, count + 1

    def merge(self, moments: Iterable[float], values: Iterable[float]) -> None:
        """Add values at any times, where none is known."""
        have, known = self.samples()
        times, rows = np.unique(np.concatenate([have, np.fromiter(moments, float)]), return_index=True)
        self._put(times, np.concatenate([known, np.fromiter(values, float)])[rows])

    def forget_after(self, moment: float) -> None:
        """Drop what is later than a time [s]."""
        times, values, count = self._state
        self._state = times, values, int(np.searchsorted(times[:count], moment, side="right"))

    def _put(self, times: np.ndarray, values: np.ndarray) -> None:
        """Take samples, fewer where there are too many, into memory of its own."""
        while len(times) >= self._most:
            half = len(times) // 2
            kept = np.r_[0:half:2, half : len(times)]
            times, values = times[kept], values[kept]
        room = np.empty((2, max(256, len(times) + len(times) // 2)))
        room[0, : len(times)], room[1, : len(times)] = times, values
        self._state = room[0], room[1], len(times)


class _Filling:
    """Reads curves from recorded states, a few at a time, in a copy of the world."""

    def __init__(self, channels: tuple[Channel, ...], world: "World", moments: "Iterable[Moment]") -> None:
        self.channels = channels
        self.left = deque(replace(moment.snapshot, control=None) for moment in moments)
        self._world = world.copy(callbacks=False)
        self._readings = Readings(self._world, channels)

    def work(self, curves: dict[Channel, Curve], seconds: float) -> None:
        """Read for about so long, and put what was found into curves."""
        times: list[float] = []
        found: list[list[float]] = []
        end = time.perf_counter() + seconds
        while self.left and time.perf_counter() < end:
            self._world.restore(self.left.popleft())
            times.append(self._world.time)
            found.append(self._readings.read())
        for column, channel in enumerate(self.channels):
            if channel in curves:
                curves[channel].merge(times, [row[column] for row in found])


class Monitor:
    """The curves that are noted. All but `curve` belongs to the thread of the world.

    Attributes:
        channels: what is noted.
    """

    def __init__(self) -> None:
        self._curves: dict[Channel, Curve] = {}
        self._fillings: deque[_Filling] = deque()
        self._readings: tuple[World, tuple[Channel, ...], Readings] | None = None

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Return what is noted."""
        return tuple(self._curves)

    def watch(
        self, channels: Iterable[Channel], world: "World | None" = None, moments: "Iterable[Moment]" = ()
    ) -> None:
        """Note these channels from now on; curves that were noted already stay as they are.

        Args:
            channels: what to note.
            world: as it is now.
            moments: recorded states, from which `work` reads what was before.
        """
        wanted = tuple(dict.fromkeys(channels))
        new = tuple(channel for channel in wanted if channel not in self._curves)
        self._curves = {channel: self._curves.get(channel, Curve()) for channel in wanted}
        if world is None or not new:
            return
        for channel, value in zip(new, Readings(world, new).read(), strict=True):
            self._curves[channel].append(world.time, value)
        self.read(world, moments, new)

    def read(
        self, world: "World", moments: "Iterable[Moment]", channels: tuple[Channel, ...] | None = None
    ) -> None:
        """Have `work` read what is not known yet from recorded states.

        Args:
            world: as it is now.
            moments: the states.
            channels: what is read, by default all.
        """
        filling = _Filling(self.channels if channels is None else channels, world, moments)
        if filling.left and filling.channels:
            self._fillings.append(filling)

    def work(self, seconds: float) -> bool:
        """Read from recorded states for about so long; return whether there was anything to do."""
        if not self._fillings:
            return False
        filling = self._fillings[0]
        filling.work(self._curves, seconds)
        if not filling.left:
            self._fillings.popleft()
        return True

    def note(self, world: "World") -> None:
        """Note the present values; what was noted of later times is forgotten."""
        now, channels = world.time, tuple(self._curves)
        known = self._readings
        if known is None or known[0] is not world or known[1] != channels:
            known = self._readings = world, channels, Readings(world, channels)
        for curve, value in zip(self._curves.values(), known[2].read(), strict=True):
            curve.append(now, value)
        self._forget_moments_after(now)

    def put(self, channel: Channel, times: np.ndarray, values: np.ndarray) -> None:
        """Take a whole curve."""
        self._curves = {**self._curves, channel: Curve()}
        self._curves[channel].merge(times, values)

    def forget_after(self, moment: float) -> None:
        """Drop what is later than a time [s]."""
        for curve in self._curves.values():
            curve.forget_after(moment)
        self._forget_moments_after(moment)

    def _forget_moments_after(self, moment: float) -> None:
        for filling in self._fillings:
            while filling.left and filling.left[-1].time > moment:
                filling.left.pop()

    def curve(self, channel: Channel) -> tuple[np.ndarray, np.ndarray]:
        """Return times (k,) [s] and values (k,) of a channel, as copies; empty if it is not noted.

        May be called while another thread notes.
        """
        curve = self._curves.get(channel)
        return (np.zeros(0), np.zeros(0)) if curve is None else curve.samples()

"""Places of markers over time, as a motion-capture system has seen them (Stelzner 2008, 3.2.1 and A.2.5)."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from stoss.engine import checks
from stoss.engine.motion_capture.marker_formats import write_markers
from stoss.names import closed, hint

__all__ = ["MarkerData"]

LARGE = 100.0  # [m] from the origin: a recording in millimetres that is taken for metres reaches farther
SMALL = 1e-2  # [m] that all markers span together: metres that are taken for millimetres span less
FEW = 4  # frames on either side of a gap that a cubic curve over it goes through


@closed
@dataclass(frozen=True)
class MarkerData:
    """Places of markers, frame by frame, in the world: z up, in metres.

    Args:
        names: of the m markers, unique.
        times: (f,) of the frames [s], growing.
        positions: (f, m, 3) [m]; NaN where a marker was not seen.

    Raises:
        TypeError, ValueError: no frames or markers, other shapes, names that are there twice.

    A recording that looks as if it had another unit of length is warned of.
    """

    names: tuple[str, ...]
    times: np.ndarray
    positions: np.ndarray

    def __post_init__(self) -> None:
        names = tuple(self.names)
        for number, name in enumerate(names):
            if not isinstance(name, str) or not name:
                raise TypeError(f"names[{number}] = {name!r} must be the name of a marker")
            if name in names[:number]:
                raise ValueError(f"names[{number}] = {name!r} is there twice; rename one, or leave it out")
        times = checks.array("times", self.times, (-1,))
        positions = np.array(self.positions, dtype=float)
        if not len(times):
            raise ValueError("times = []: a recording without frames")
        if not names:
            raise ValueError("names = []: a recording without markers")
        if positions.shape != (len(times), len(names), 3):
            raise ValueError(
                f"positions have shape {positions.shape}; give ({len(times)}, {len(names)}, 3): frames, "
                "markers, x y z"
            )
        steps = np.diff(times)
        if (steps <= 0.0).any():
            k = int(np.argmax(steps <= 0.0))
            raise ValueError(f"times: {times[k + 1]:g} s follows {times[k]:g} s; give frames in their order")
        seen = np.isfinite(positions).all(axis=2)
        positions[~seen] = np.nan
        if not seen.any():
            raise ValueError("positions are all NaN: no marker was seen in any frame")
        _warn_of_unit(positions)
        for name, value in (("names", names), ("times", times), ("positions", positions)):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        rate = f", {self.rate:.4g} frames/s" if len(self) > 1 else ""
        gone = 1.0 - float(self.seen.mean())
        return f"<MarkerData of {len(self.names)} markers, {len(self)} frames{rate}, {gone:.1%} not seen>"

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.times)

    @property
    def rate(self) -> float:
        """Return the frames per second.

        Raises:
            ValueError: there is only one frame.
        """
        if len(self) < 2:
            raise ValueError("a recording of one frame has no rate; give two frames at least")
        return float((len(self.times) - 1) / (self.times[-1] - self.times[0]))

    @property
    def seen(self) -> np.ndarray:
        """Return which markers were seen (f, m)."""
        return np.asarray(~np.isnan(self.positions[:, :, 0]))

    def marker(self, name: str) -> np.ndarray:
        """Return the places of a marker (f, 3) [m].

        Args:
            name: of the marker.

        Raises:
            KeyError: there is none; the message names the nearest.
        """
        return self.positions[:, self._place(name)]

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise KeyError(f"marker {name!r} is not in the recording{hint(name, self.names)}")
        return self.names.index(name)

    # ------------------------------------------------------------- other recordings out of it

    def select(self, names: Sequence[str]) -> Self:
        """Return the recording of these markers alone, in this order.

        Args:
            names: of markers that are there.
        """
        places = [self._place(name) for name in names]
        return replace(self, names=tuple(names), positions=self.positions[:, places])

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the recording with other names.

        Args:
            names: new ones by the old ones; others stay.
        """
        for name in names:
            self._place(name)
        return replace(self, names=tuple(names.get(name, name) for name in self.names))

    def swapped(self, first: str, second: str, begin: float, end: float) -> Self:
        """Return the recording with two labels that were exchanged put right.

        Args:
            first, second: names of the markers.
            begin, end: times between which they were exchanged [s].
        """
        a, b = self._place(first), self._place(second)
        positions = self.positions.copy()
        within = (self.times >= begin) & (self.times <= end)
        positions[within, a], positions[within, b] = self.positions[within, b], self.positions[within, a]
        return replace(self, positions=positions)

    def between(self, begin: float, end: float) -> Self:
        """Return the frames from one time to another.

        Args:
            begin, end: [s].

        Raises:
            ValueError: there are no frames between them.
        """
        within = (self.times >= begin) & (self.times <= end)
        if not within.any():
            raise ValueError(
                f"no frames between {begin:g} and {end:g} s; the recording goes from {self.times[0]:g} to "
                f"{self.times[-1]:g} s"
            )
        return replace(self, times=self.times[within], positions=self.positions[within])

    def filled(self, longest: float = 0.2) -> Self:
        """Return the recording with short gaps closed by cubic curves through the frames beside them.

        Args:
            longest: gaps that last longer stay [s]; so do those at both ends.
        """
        from scipy.interpolate import CubicSpline

        longest = checks.number("longest", longest, "s", least=0.0)
        positions = self.positions.copy()
        for m in range(len(self.names)):
            there = self.seen[:, m]
            for begin, end in _gaps(there):
                if self.times[end] - self.times[begin - 1] > longest + 1e-9:
                    continue
                before = np.flatnonzero(there[:begin])[-FEW:]
                near = np.concatenate([before, end + np.flatnonzero(there[end:])[:FEW]])
                curve = CubicSpline(self.times[near], self.positions[near, m])
                positions[begin:end, m] = curve(self.times[begin:end])
        return replace(self, positions=positions)

    def smoothed(self, cutoff: float = 6.0) -> Self:
        """Return the recording without what is faster than a frequency: Butterworth, order 4, no delay.

        Each run of frames in which a marker was seen is smoothed by itself; runs too short for it stay.

        Args:
            cutoff: [1/s], below half the frame rate.

        Raises:
            ValueError: the frequency is too high for the frames.
        """
        from scipy.signal import butter, sosfiltfilt

        checks.positive("cutoff", cutoff, "1/s")
        if cutoff >= 0.5 * self.rate:
            raise ValueError(
                f"cutoff = {cutoff:g} 1/s is not below half of {self.rate:g} frames per second; give less"
            )
        # run forth and back: each way at half of the loss
        filters = butter(2, cutoff / (0.5 * self.rate) / (np.sqrt(2.0) - 1.0) ** 0.25, output="sos")
        positions = self.positions.copy()
        for m in range(len(self.names)):
            for begin, end in _runs(self.seen[:, m]):
                if end - begin > 15:
                    positions[begin:end, m] = sosfiltfilt(filters, self.positions[begin:end, m], axis=0)
        return replace(self, positions=positions)

    def resampled(self, rate: float) -> Self:
        """Return the recording at another frame rate, by cubic curves; gaps stay gaps.

        Args:
            rate: frames per second.
        """
        from scipy.interpolate import CubicSpline

        checks.positive("rate", rate, "1/s")
        count = int(np.floor((self.times[-1] - self.times[0]) * rate * (1.0 + 1e-12))) + 1
        times = self.times[0] + np.arange(count) / rate
        positions = np.full((count, len(self.names), 3), np.nan)
        for m in range(len(self.names)):
            for begin, end in _runs(self.seen[:, m]):
                inside = (times >= self.times[begin] - 1e-12) & (times <= self.times[end - 1] + 1e-12)
                if end - begin > 3:
                    curve = CubicSpline(self.times[begin:end], self.positions[begin:end, m])
                    positions[inside, m] = curve(times[inside])
        return replace(self, times=times, positions=positions)

    # ------------------------------------------------------------- files

    def save(self, path: Any) -> None:
        """Write it to a file: `.trc` or `.c3d`, in millimetres.

        Args:
            path: of the file.

        Raises:
            ValueError: another ending.
        """
        write_markers(path, self.names, self.times, self.positions)


def _gaps(there: np.ndarray) -> list[tuple[int, int]]:
    """Return first and last + 1 frame of each gap between frames."""
    return [(begin, end) for begin, end in _runs(~there) if begin > 0 and end < len(there)]


def _runs(there: np.ndarray) -> list[tuple[int, int]]:
    """Return first and last + 1 of each run of what is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(np.int8)))
    return [(int(begin), int(end)) for begin, end in zip(edges[::2], edges[1::2], strict=True)]


def _warn_of_unit(positions: np.ndarray) -> None:
    away = float(np.nanmax(np.abs(positions)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # frames in which nothing was seen
        span = np.nanmax(positions, axis=1) - np.nanmin(positions, axis=1)
    size = float(np.nanmedian(np.linalg.norm(span, axis=1)))
    if away > LARGE:
        warnings.warn(
            f"a marker is {away:.4g} m from the origin: are the numbers millimetres? Give unit='mm' to "
            "load_markers, or positions in metres",
            stacklevel=4,
        )
    elif positions.shape[1] > 3 and size < SMALL:
        warnings.warn(
            f"{positions.shape[1]} markers are within {size:.3g} m: are the numbers metres that were taken "
            "for millimetres? Give unit='m' to load_markers",
            stacklevel=4,
        )

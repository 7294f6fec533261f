"""Motions: generalised coordinates over time, to be played, filtered, kept, analysed and driven."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from stoss.engine import checks
from stoss.engine.articulated import Articulation
from stoss.files import check_place, replacing
from stoss.names import closed, hint

if TYPE_CHECKING:
    from stoss.engine.world.body import Body

__all__ = ["Motion"]

VERSION = 1  # of the file


@closed
@dataclass(frozen=True)
class Motion:
    """Coordinates of an `Articulation` over time.

    Args:
        coordinates: names (n,).
        times: (f,) [s], growing.
        q: (f, n) [rad or m].
        markers: names of the markers that it was made from (m,).
        residuals: (f, m) distance of each marker from where it was seen [m], NaN where it was not.
        about: words, numbers and yes or no that are kept with it, by their names.

    Raises:
        TypeError, ValueError: other shapes, numbers that are not finite, times out of order.
    """

    coordinates: tuple[str, ...]
    times: np.ndarray
    q: np.ndarray
    markers: tuple[str, ...] = ()
    residuals: np.ndarray | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        times = checks.array("times", self.times, (-1,))
        if not len(times):
            raise ValueError("times = []: a motion without frames")
        q = checks.array("q", self.q, (len(times), len(self.coordinates)))
        if (np.diff(times) <= 0.0).any():
            raise ValueError("times must grow from frame to frame")
        names = tuple(self.coordinates)
        for number, name in enumerate(names):
            if name in names[:number]:
                raise ValueError(
                    f"coordinates[{number}] = {name!r} is there twice; rename one, or leave it out"
                )
        found = {
            "coordinates": names,
            "times": times,
            "q": q,
            "markers": tuple(self.markers),
        }
        if self.residuals is not None:
            residuals = np.array(self.residuals, float)
            if residuals.shape != (len(times), len(found["markers"])):
                raise ValueError(
                    f"residuals have shape {residuals.shape}; give one for each frame and marker"
                )
            found["residuals"] = residuals
        for key, value in self.about.items():
            if not isinstance(key, str) or not isinstance(value, str | int | float | bool):
                raise TypeError(f"about[{key!r}] = {value!r} must be a word, a number, or yes or no")
        found["about"] = dict(self.about)
        for name, value in found.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<Motion of {len(self.coordinates)} coordinates, {len(self)} frames, {self.duration:.4g} s>"

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.times)

    @property
    def duration(self) -> float:
        """Return the time from the first frame to the last [s]."""
        return float(self.times[-1] - self.times[0])

    def coordinate(self, name: str) -> np.ndarray:
        """Return a coordinate (f,) over time [rad or m].

        Args:
            name: of the coordinate.

        Raises:
            KeyError: there is none; the message names the nearest.
        """
        if name not in self.coordinates:
            raise KeyError(f"coordinate {name!r} is not in the motion{hint(name, self.coordinates)}")
        return self.q[:, self.coordinates.index(name)]

    @property
    def residual(self) -> float:
        """Return the root mean square distance of markers from where they were seen [m], NaN without any."""
        if self.residuals is None or not np.isfinite(self.residuals).any():
            return float("nan")
        return float(np.sqrt(np.nanmean(self.residuals**2)))

    # ------------------------------------------------------------- at any time

    def _curve(self) -> Callable[..., np.ndarray]:
        from scipy.interpolate import CubicSpline, make_interp_spline

        if len(self) < 4:
            return (
                make_interp_spline(self.times, self.q, k=min(len(self) - 1, 1))
                if len(self) > 1
                else _Still(self.q)
            )
        return CubicSpline(self.times, self.q)

    def at(self, time: Any) -> np.ndarray:
        """Return the coordinates (n,) at a time, or (k, n) at several; before and after, those at the ends.

        Args:
            time: [s], one or (k,).

        Raises:
            ValueError: a time is no finite number.
        """
        if not np.isfinite(time).all():
            raise ValueError(f"time = {checks.shown(time)} must be finite [s]")
        return np.asarray(self._curve()(np.clip(time, self.times[0], self.times[-1])))

    def rates(self) -> np.ndarray:
        """Return the rates (f, n) by a cubic curve [rad/s or m/s]."""
        return np.asarray(self._curve()(self.times, 1))

    def changes(self) -> np.ndarray:
        """Return how the rates change (f, n) by a cubic curve [rad/s^2 or m/s^2]."""
        return np.asarray(self._curve()(self.times, 2))

    # ------------------------------------------------------------- other motions out of it

    def smoothed(self, cutoff: float = 6.0) -> Self:
        """Return the motion without what is faster than a frequency: Butterworth, order 4, no delay.

        Args:
            cutoff: [1/s], below half the frame rate.

        Raises:
            ValueError: the frequency is too high, or there are too few frames.
        """
        from scipy.signal import butter, sosfiltfilt

        checks.positive("cutoff", cutoff, "1/s")
        rate = (len(self) - 1) / self.duration if len(self) > 1 else 0.0
        if cutoff >= 0.5 * rate or len(self) < 16:
            raise ValueError(
                f"cutoff = {cutoff:g} 1/s for {len(self)} frames at {rate:g} per second; it must be "
                "below half of that, and 16 frames are the least"
            )
        filters = butter(2, cutoff / (0.5 * rate) / (np.sqrt(2.0) - 1.0) ** 0.25, output="sos")
        return replace(self, q=sosfiltfilt(filters, self.q, axis=0))

    def resampled(self, rate: float) -> Self:
        """Return the motion at another frame rate, without residuals.

        Args:
            rate: frames per second.
        """
        checks.positive("rate", rate, "1/s")
        count = int(np.floor(self.duration * rate * (1.0 + 1e-12))) + 1
        times = self.times[0] + np.arange(count) / rate
        return replace(self, times=times, q=self.at(times), markers=(), residuals=None)

    def cut(self, begin: float, end: float) -> Self:
        """Return the frames between two times.

        Args:
            begin, end: [s].

        Raises:
            ValueError: there are none.
        """
        within = (self.times >= begin) & (self.times <= end)
        if not within.any():
            raise ValueError(
                f"no frames between {begin:g} and {end:g} s; the motion goes from {self.times[0]:g} to "
                f"{self.times[-1]:g} s"
            )
        residuals = None if self.residuals is None else self.residuals[within]
        return replace(self, times=self.times[within], q=self.q[within], residuals=residuals)

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the motion with other names of coordinates.

        Args:
            names: new ones by the old ones; others stay.
        """
        for name in names:
            self.coordinate(name)
        return replace(self, coordinates=tuple(names.get(name, name) for name in self.coordinates))

    def told(self, **about: Any) -> Self:
        """Return the motion with words and numbers about it, beside those that it has.

        Args:
            about: by their names.
        """
        return replace(self, about={**self.about, **about})

    # ------------------------------------------------------------- with an articulation

    def _order(self, articulation: Articulation) -> np.ndarray:
        """Return where in this motion the coordinates of an articulation are."""
        missing = [name for name in articulation.coordinates if name not in self.coordinates]
        if missing:
            raise ValueError(
                f"the motion has no coordinate {missing[0]!r}, which the bodies have"
                f"{hint(missing[0], self.coordinates)}"
            )
        return np.array([self.coordinates.index(name) for name in articulation.coordinates], np.int64)

    def show(self, articulation: Articulation, time: float) -> None:
        """Move the bodies of a world to where they are at a time, with their velocities.

        Args:
            articulation: of the world, with these coordinates.
            time: [s].
        """
        order, curve = self._order(articulation), self._curve()
        at = float(np.clip(time, self.times[0], self.times[-1]))
        articulation.set_state(curve(at)[order], curve(at, 1)[order])

    def forces(
        self, articulation: Articulation, loads: Callable[[float], "Mapping[Body, Any]"] | None = None
    ) -> np.ndarray:
        """Return the forces (f, n) on the coordinates that the motion takes, by inverse dynamics [N m or N].

        Stelzner 2008, section 1.4.4. Those of a body that nothing holds must come from outside: what is left
        of them is an error of the model or of the recording.

        Args:
            articulation: the bodies, with these coordinates.
            loads: function of the time [s] that returns what acts from outside, as for
                `Articulation.inverse_dynamics`.
        """
        order = self._order(articulation)
        q, rates, changes = self.q[:, order], self.rates()[:, order], self.changes()[:, order]
        return np.array(
            [
                articulation.inverse_dynamics(
                    q[k], rates[k], changes[k], loads and loads(float(self.times[k]))
                )
                for k in range(len(self))
            ]
        )

    # ------------------------------------------------------------- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to an `.npz` file.

        Args:
            path: of the file.
        """
        file = check_place(os.fspath(path), (".npz",))
        residuals = np.zeros((0, 0)) if self.residuals is None else self.residuals
        with replacing(file) as at:
            np.savez_compressed(
                at,
                stoss_coordinates=VERSION,
                coordinates=np.array(self.coordinates),
                times=self.times,
                q=self.q,
                markers=np.array(self.markers, dtype=np.str_),
                residuals=residuals,
                about=np.array(json.dumps(dict(self.about))),
            )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Motion":
        """Return the motion of a file.

        Args:
            path: that `save` wrote.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it holds something else, or is broken.
        """
        file = Path(path)
        if file.suffix.lower() != ".npz":
            raise ValueError(
                f"{file}: motions are in .npz files, which Motion.save writes; load_markers reads markers, "
                "load_bvh a BVH file, and Motion(names, times, q) takes the columns of any table"
            )
        if not file.is_file():
            raise FileNotFoundError(f"{file}: there is no such file")
        try:
            with np.load(file, allow_pickle=False) as found:
                if "stoss_coordinates" not in found:
                    raise ValueError("it holds no motion in generalised coordinates")
                if int(found["stoss_coordinates"]) != VERSION:
                    raise ValueError(
                        f"it is of version {int(found['stoss_coordinates'])}, known is {VERSION}"
                    )
                about = json.loads(str(found["about"]))
                residuals = found["residuals"] if found["residuals"].size else None
                names = tuple(found["coordinates"].tolist()), tuple(found["markers"].tolist())
                return cls(names[0], found["times"], found["q"], names[1], residuals, about)
        except (OSError, KeyError, EOFError, ValueError) as error:
            raise ValueError(f"{file}: no motion that can be read: {error}") from error


class _Still:
    """A curve through one frame."""

    def __init__(self, q: np.ndarray) -> None:
        self.q = q[0]

    def __call__(self, time: Any, order: int = 0) -> np.ndarray:
        shape = np.shape(time) + self.q.shape
        return np.broadcast_to(self.q if order == 0 else np.zeros_like(self.q), shape).copy()

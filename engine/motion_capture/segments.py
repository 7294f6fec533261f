"""Rigid segments out of markers: shapes, and poses frame by frame (Stelzner 2008, section 5.2.1).

The thesis solves for Rodrigues' vector, which is as good as any up to a quarter of a turn, and worse beyond.
Here the rotation is that of least squares (Kabsch, by singular values), and the shape is the mean over all
frames that are laid over each other, so that no frame is better than others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.spatial.transform import Rotation

from stoss.engine import checks
from stoss.engine.motion_capture.marker_data import MarkerData
from stoss.names import closed, hint, takes_names

__all__ = ["Segments", "fit_segments"]

ROUNDS = 100  # of laying frames over each other
SETTLED = 1e-13  # [m] by which a round may change the shape
FLAT = 0.05  # width of markers as a share of their length, below which they are on a line


@closed
@dataclass(frozen=True)
class Segments:
    """Rigid segments, and where they are in each frame.

    The frame of a segment is in the middle of its markers, and turned as the world is in the frame of the
    recording that `reference` numbers.

    Args:
        names: of the segments (s,).
        times: (f,) [s].
        positions: (f, s, 3) [m], NaN where too few markers were seen.
        quaternions: (f, s, 4) (w, x, y, z).
        markers: names of the markers of each segment, with their places in its frame [m].
        residuals: by the name of the marker, by how much it leaves its place (f,) [m], NaN where not seen.
        reference: number of the frame in which segments are turned as the world.

    Raises:
        TypeError, ValueError: shapes that do not fit.
    """

    names: tuple[str, ...]
    times: np.ndarray
    positions: np.ndarray
    quaternions: np.ndarray
    markers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    residuals: Mapping[str, np.ndarray] = field(default_factory=dict)
    reference: int = 0

    def __post_init__(self) -> None:
        times = checks.array("times", self.times, (-1,))
        count = len(times), len(self.names)
        for name, size in (("positions", 3), ("quaternions", 4)):
            value = np.array(getattr(self, name), float)
            if value.shape != (*count, size):
                raise ValueError(
                    f"{name} have shape {value.shape}; give ({count[0]}, {count[1]}, {size}): "
                    "frames, segments"
                )
            object.__setattr__(self, name, value)
        turns = np.linalg.norm(self.quaternions, axis=2)
        if (np.abs(turns - 1.0) > 1e-6).any():
            frame, row = (int(k) for k in np.argwhere(np.abs(turns - 1.0) > 1e-6)[0])
            raise ValueError(
                f"quaternions[{frame}, {row}] has length {turns[frame, row]:.3g}; divide it by that, or NaN"
            )
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "names", tuple(self.names))

    def __repr__(self) -> str:
        return f"<Segments {', '.join(self.names)}, {len(self)} frames, {1e3 * self.residual:.3g} mm>"

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.times)

    def index(self, name: str) -> int:
        """Return the place of a segment in the arrays.

        Args:
            name: of the segment.

        Raises:
            KeyError: there is none; the message names the nearest.
        """
        if name not in self.names:
            raise KeyError(f"segment {name!r} is not there{hint(str(name), self.names)}")
        return self.names.index(name)

    def rotations(self, name: str) -> np.ndarray:
        """Return the matrices (f, 3, 3) from the frame of a segment to the world, NaN where it is not known.

        Args:
            name: of the segment.
        """
        turns = self.quaternions[:, self.index(name)]
        known = ~np.isnan(turns[:, 0])
        out = np.full((len(self), 3, 3), np.nan)
        out[known] = Rotation.from_quat(np.roll(turns[known], -1, axis=1)).as_matrix()
        return out

    @property
    def residual(self) -> float:
        """Return by how much markers leave their places on rigid segments, root mean square [m]."""
        all_of_them = [values for values in self.residuals.values() if np.isfinite(values).any()]
        if not all_of_them:
            return float("nan")
        return float(np.sqrt(np.nanmean(np.concatenate(all_of_them) ** 2)))

    def noise(self, name: str) -> tuple[float, np.ndarray]:
        """Return how uncertain the pose of a segment is, by what its markers leave their places by.

        That is the variance of each coordinate of its place [m^2], and the covariance (3, 3) of its turn in
        its own frame [rad^2].

        Args:
            name: of the segment.
        """
        places = np.array(list(self.markers.get(name, {}).values()), float).reshape(-1, 3)
        left = np.concatenate([self.residuals.get(m, [np.nan]) for m in self.markers.get(name, ())] or [[]])
        if len(places) < 3 or not np.isfinite(left).any():
            return 0.0, np.zeros((3, 3))
        # of 3 m numbers that are seen, 6 make the pose
        share = 3.0 * len(places) / max(3.0 * len(places) - 6.0, 1.0)
        variance = float(np.nanmean(left**2)) * share / 3.0
        spread = places.T @ places
        return variance / len(places), variance * np.linalg.inv(np.trace(spread) * np.eye(3) - spread)

    def seen(self, *names: str) -> np.ndarray:
        """Return in which frames (f,) the poses of all of these segments are known.

        Args:
            names: of the segments.
        """
        rows = [self.index(name) for name in names]
        return np.asarray(~np.isnan(self.positions[:, rows, 0]).any(axis=1))

    def with_poses(self, positions: np.ndarray, quaternions: np.ndarray) -> Self:
        """Return the same segments at other poses, without residuals.

        Args:
            positions: (f, s, 3) [m].
            quaternions: (f, s, 4).
        """
        return type(self)(self.names, self.times, positions, quaternions, self.markers, {}, self.reference)

    def marker_data(self) -> MarkerData:
        """Return where the markers are if they stay at their places on the segments."""
        names: list[str] = []
        places = []
        for row, segment in enumerate(self.names):
            turns = self.rotations(segment)
            for name, local in self.markers.get(segment, {}).items():
                names.append(name)
                places.append(self.positions[:, row] + turns @ np.array(local))
        return MarkerData(tuple(names), self.times, np.stack(places, axis=1))


@takes_names
def fit_segments(data: MarkerData, segments: Mapping[str, Sequence[str]]) -> Segments:
    """Return rigid segments that go along with their markers as closely as can be, by least squares.

    Frames in which less than three markers of a segment were seen, or such on a line, have no pose of it.
    Stelzner 2008, section 5.2.1.

    Args:
        data: the recording.
        segments: names of the markers on each, three at least, not on a line.

    Raises:
        KeyError: a marker is not in the recording; the message names the nearest.
        TypeError, ValueError: too few markers, such on a line, or one on two segments.
    """
    checks.instance("data", data, MarkerData, "load_markers('walk.c3d')")
    if not isinstance(segments, Mapping) or not segments:
        raise TypeError(f"segments = {segments!r} must be {{segment: names of its markers}}")
    owner: dict[str, str] = {}
    for segment, names in segments.items():
        if isinstance(names, str) or len(names) < 3:
            raise ValueError(
                f"segments[{segment!r}] = {names!r}: three markers are the least that tell how it is turned"
            )
        for name in names:
            data.marker(name)
            if name in owner:
                raise ValueError(f"segments: marker {name!r} is on {owner[name]!r} and on {segment!r}")
            owner[name] = segment
    least = np.array([data.select(names).seen.sum(axis=1) for names in segments.values()]).min(axis=0)
    reference = int(np.argmax(least))
    count = len(data), len(segments)
    positions, quaternions = np.full((*count, 3), np.nan), np.full((*count, 4), np.nan)
    markers: dict[str, dict[str, np.ndarray]] = {}
    residuals: dict[str, np.ndarray] = {}
    for row, (segment, names) in enumerate(segments.items()):
        seen = data.select(names).positions
        local, positions[:, row], turns = _fit(segment, seen, reference)
        known = ~np.isnan(positions[:, row, 0])
        quaternions[known, row] = np.roll(
            Rotation.from_matrix(turns[known]).as_quat(canonical=False), 1, axis=1
        )
        markers[segment] = {name: local[m] for m, name in enumerate(names)}
        there = positions[:, row, None] + np.einsum("fij,mj->fmi", turns, local)
        left = np.linalg.norm(seen - there, axis=2)
        residuals |= {name: left[:, m] for m, name in enumerate(names)}
    return Segments(tuple(segments), data.times, positions, quaternions, markers, residuals, reference)


def _fit(segment: str, seen: np.ndarray, reference: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return places of markers on the segment (m, 3), positions (f, 3) and rotations (f, 3, 3) of it."""
    there = ~np.isnan(seen[:, :, 0])
    if not there[reference].sum() >= 3:  # another frame in which enough of these is seen
        reference = int(np.argmax(there.sum(axis=1)))
    begin = seen[reference]
    local = begin - np.nanmean(begin, axis=0)
    for _ in range(ROUNDS):
        at, turns = _poses(seen, local)
        back = np.einsum("fji,fmj->fmi", turns, seen - at[:, None])
        known = ~np.isnan(back[:, :, 0])
        if (~known.any(axis=0)).any():
            raise ValueError(
                f"segments[{segment!r}]: its markers are never seen three at a time and off a line; choose "
                "others"
            )
        mean = np.nanmean(back, axis=0)
        mean -= mean.mean(axis=0)
        # turned as it is in the frame of reference
        _, turn = _poses(begin[None], mean)
        mean = mean @ turn[0].T if not np.isnan(turn).any() else mean
        change = float(np.nanmax(np.abs(mean - local))) if not np.isnan(local).any() else np.inf
        local = mean
        if change <= SETTLED:
            break
    at, turns = _poses(seen, local)
    return local, at, turns


def _poses(seen: np.ndarray, local: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions (f, 3) and rotations (f, 3, 3) that take places (m, 3) to those seen (f, m, 3)."""
    both = ~np.isnan(seen[:, :, 0]) & ~np.isnan(local[:, 0])
    weight = both[:, :, None] / np.maximum(both.sum(axis=1), 1)[:, None, None]
    own, there = np.nan_to_num(local)[None], np.nan_to_num(seen)
    middle, place = (weight * own).sum(axis=1), (weight * there).sum(axis=1)
    own, there = (own - middle[:, None]) * both[:, :, None], (there - place[:, None]) * both[:, :, None]
    left, _, right = np.linalg.svd(np.einsum("fmi,fmj->fij", there, own))
    sign = np.ones((len(seen), 3))
    whole = left @ right
    sign[:, 2] = np.sign(np.einsum("fi,fi->f", np.cross(whole[:, 0], whole[:, 1]), whole[:, 2]))
    turns = (left * sign[:, None]) @ right
    at = place - np.einsum("fij,fj->fi", turns, middle)
    width = np.linalg.svd(own, compute_uv=False)
    enough = (both.sum(axis=1) >= 3) & (width[:, 1] > FLAT * width[:, 0])
    at[~enough], turns[~enough] = np.nan, np.nan
    return at, turns

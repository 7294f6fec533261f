"""Models that follow recorded markers (Stelzner 2008, section 3.2, S-047 to S-051)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stoss.engine import checks
from stoss.engine.articulated import Articulation
from stoss.engine.articulated.inverse_kinematics import damped_step
from stoss.engine.articulated.tree import points_and_jacobian
from stoss.engine.motion_capture.marker_data import MarkerData
from stoss.engine.motion_capture.motion import Motion
from stoss.engine.world.marker import Marker

__all__ = ["calibrate_markers", "track_markers"]

FIRST_ROUNDS, MOST_ROUNDS = 500, 50  # of the first frame, and of the others, which begin at the one before
DAMPING, LESS, MORE, LEAST_DAMPING = 1e-4, 0.1, 5.0, 1e-14
STALLED = 1e-9  # share by which a round must lessen what is missed, or the frame is done


@dataclass
class _Followed:
    """The markers that model and recording have in common, and where they are on the model."""

    articulation: Articulation
    markers: list[Marker]
    columns: np.ndarray  # (m,) of the recording
    roots: np.ndarray  # (m,) square root of the weights
    axes: np.ndarray  # (m,) that they are behind
    local: np.ndarray  # (m, 3) in the frames behind them [m]
    places: np.ndarray  # (m, 3)
    jacobian: np.ndarray  # (3 m, n)

    def missed(self, q: np.ndarray, wanted: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return by how much markers are missed (r,), weighted, with the jacobian of that, and loops."""
        own = self.articulation
        own._place(q)
        points_and_jacobian(own._tree, self.axes, self.local, self.places, self.jacobian)
        roots = np.where(seen, self.roots, 0.0)
        missed = ((self.places - np.where(seen[:, None], wanted, 0.0)) * roots[:, None]).reshape(-1)
        jacobian = self.jacobian * np.repeat(roots, 3)[:, None]
        if len(own._rows):
            errors, rows = own._closures(q)
            return np.concatenate([missed, errors]), np.vstack([jacobian, rows])
        return missed, jacobian

    def distances(self, wanted: np.ndarray) -> np.ndarray:
        """Return the distances (m,) of the last pose from where markers were seen, else NaN."""
        return np.asarray(np.linalg.norm(self.places - wanted, axis=1))


def _followed(articulation: Articulation, data: MarkerData, weights: Mapping[str, float] | None) -> _Followed:
    """Find the markers of the world that the recording has.

    Raises:
        ValueError: it has none of them, or weights are of markers that are not there.
    """
    world = articulation.world
    by_name: dict[str, Marker] = {}
    for marker in world.markers:
        if marker.body is not None:
            by_name[marker.name.rpartition(":")[2]] = by_name[marker.name] = marker
    found = [(k, by_name[name]) for k, name in enumerate(data.names) if name in by_name]
    if not found:
        some = ", ".join(data.names[:5])
        own = ", ".join(sorted(by_name)[:5]) or "none on a body"
        raise ValueError(
            f"no marker of the recording ({some} ...) is one of the world's ({own}); name them alike with "
            "world.add_marker, or rename with data.renamed"
        )
    names = [data.names[k] for k, _ in found]
    for name in weights or {}:
        if name not in names:
            raise ValueError(f"weights[{name!r}]: the marker is not among those that are followed")
    shares = [
        checks.number(f"weights[{name!r}]", (weights or {}).get(name, 1.0), "share", least=0.0)
        for name in names
    ]
    axes, local = np.zeros(len(found), np.int64), np.zeros((len(found), 3))
    for m, (_, marker) in enumerate(found):
        assert marker.body is not None
        axes[m], local[m] = articulation._behind(marker.body, np.array(marker.local_position))
    return _Followed(
        articulation,
        [marker for _, marker in found],
        np.array([k for k, _ in found]),
        np.sqrt(shares),
        axes,
        local,
        np.zeros((len(found), 3)),
        np.zeros((3 * len(found), len(articulation))),
    )


def _follow(
    followed: _Followed, q: np.ndarray, wanted: np.ndarray, limits: np.ndarray, rounds: int
) -> np.ndarray:
    """Return coordinates at which markers are missed least, beginning at q: Levenberg and Marquardt."""
    seen = np.isfinite(wanted).all(axis=1)
    if not seen.any():
        return q
    missed, jacobian = followed.missed(q, wanted, seen)
    cost, damping = float(missed @ missed), DAMPING
    for _ in range(rounds):
        q_next = damped_step(q, missed, jacobian, damping, limits)
        new_missed, new_jacobian = followed.missed(q_next, wanted, seen)
        new_cost = float(new_missed @ new_missed)
        if new_cost < cost:
            slow = cost - new_cost <= STALLED * cost
            q, missed, jacobian, cost = q_next, new_missed, new_jacobian, new_cost
            damping = max(LESS * damping, LEAST_DAMPING)
            if slow:
                break
        else:
            if float(np.abs(q_next - q).max(initial=0.0)) < 1e-12:
                break
            damping *= MORE
            if damping > 1e6:
                break
    followed.missed(q, wanted, seen)  # leaves the pose
    return q


def track_markers(
    articulation: Articulation,
    data: MarkerData,
    q: Any = None,
    *,
    weights: Mapping[str, float] | None = None,
    limits: bool = True,
) -> Motion:
    """Return the motion whose markers are closest to those recorded, frame by frame, by least squares.

    Each frame begins at the one before. Markers that were not seen are left out; in frames without any the
    model stays as it was. Stelzner 2008, S-049.

    Args:
        articulation: of a world with markers on its bodies, named as in the recording.
        data: the recording.
        q: (n,) coordinates to begin with; None: as they are now.
        weights: of what is missed, by the names of markers; 1 where none is given, 0 leaves a marker out.
        limits: whether coordinates stay within the limits of their joints.

    Raises:
        TypeError, ValueError: no marker is both in the world and in the recording, or a value makes no sense.
    """
    checks.instance("articulation", articulation, Articulation, "Articulation(world)")
    checks.instance("data", data, MarkerData, "load_markers('walk.c3d')")
    followed = _followed(articulation, data, weights)
    bounds = _bounds(articulation, limits)
    at = articulation.q if q is None else articulation._given("q", q)
    at = np.clip(at, bounds[:, 0], bounds[:, 1])
    found = np.zeros((len(data), len(articulation)))
    residuals = np.full((len(data), len(followed.markers)), np.nan)
    for k in range(len(data)):
        wanted = data.positions[k, followed.columns]
        at = _follow(followed, at, wanted, bounds, MOST_ROUNDS if k else FIRST_ROUNDS)
        found[k], residuals[k] = at, followed.distances(wanted)
    names = tuple(data.names[k] for k in followed.columns)
    return Motion(articulation.coordinates, data.times, found, names, residuals)


def _bounds(articulation: Articulation, limits: bool) -> np.ndarray:
    if checks.flag("limits", limits):
        return articulation.limits
    return np.full((len(articulation), 2), np.inf) * (-1.0, 1.0)


def calibrate_markers(
    articulation: Articulation,
    data: MarkerData,
    frame: int = 0,
    q: Any = None,
    *,
    weights: Mapping[str, float] | None = None,
    limits: bool = True,
) -> np.ndarray:
    """Move the markers of the world to where they were seen on their bodies; return the coordinates (n,).

    The model is first brought as close to the frame as it comes. Stelzner 2008, S-050. Markers that were not
    seen in this frame stay.

    Args:
        articulation: of a world with markers on its bodies, named as in the recording.
        data: the recording.
        frame: number of the frame.
        q: (n,) coordinates to begin with; None: as they are now.
        weights: as for `track_markers`.
        limits: whether coordinates stay within the limits of their joints.

    Raises:
        TypeError, ValueError: as `track_markers`; or no marker was seen in this frame.
    """
    checks.instance("articulation", articulation, Articulation, "Articulation(world)")
    checks.instance("data", data, MarkerData, "load_markers('walk.c3d')")
    number = checks.whole("frame", frame, least=0)
    if number >= len(data):
        raise ValueError(f"frame = {number}: the recording has {len(data)}, the first of them is 0")
    followed = _followed(articulation, data, weights)
    wanted = data.positions[number, followed.columns]
    seen = np.isfinite(wanted).all(axis=1)
    if not seen.any():
        raise ValueError(f"frame = {number}: no marker of the world was seen in it; choose another frame")
    bounds = _bounds(articulation, limits)
    at = articulation.q if q is None else articulation._given("q", q)
    at = _follow(followed, np.clip(at, bounds[:, 0], bounds[:, 1]), wanted, bounds, FIRST_ROUNDS)
    positions, quaternions = articulation.poses(at)
    for marker, place, there in zip(followed.markers, wanted, seen, strict=True):
        if there:
            assert marker.body is not None
            row = marker.body.index
            marker.local_position = _back(quaternions[row], place - positions[row])
    return at


def _back(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return a vector of the world in the frame that a quaternion (w, x, y, z) turns."""
    t = -2.0 * np.cross(q[1:], v)
    return np.asarray(v + q[0] * t - np.cross(q[1:], t))

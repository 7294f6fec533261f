"""Models that follow recorded markers (Stelzner 2008, sections 3.2 and 3.3)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stoss.engine import checks
from stoss.engine.articulated import Articulation
from stoss.engine.articulated.damped_step import damped_step
from stoss.engine.motion_capture.following import MarkerPoints, marker_equations
from stoss.engine.motion_capture.marker_data import MarkerData
from stoss.engine.motion_capture.motion import Motion
from stoss.engine.world.marker import Marker
from stoss.names import takes_names

__all__ = ["calibrate_markers", "common_markers", "own_name", "track_markers"]

FIRST_ROUNDS, MOST_ROUNDS = 500, 50  # of the first frame, and of the others, which begin at the one before
# Damping to begin with, as a share of the largest diagonal entry, and its changes. It begins low: a frame is
# close to the one before, and what is damped is reached in more rounds.
DAMPING, LESS, MORE, LEAST_DAMPING, MOST_DAMPING = 1e-6, 0.1, 10.0, 1e-14, 1e6
STALLED = 1e-9  # share by which a round must lessen what is missed, or the frame is done
STILL = 1e-13  # [rad or m], of the largest step that is none


class _Followed:
    """The markers that model and recording have in common, and where they are on the model.

    Attributes:
        markers: of the world (m,).
        columns: (m,) of them in the recording.
        rounds: how many were made.
    """

    def __init__(self, articulation: Articulation, found: list[tuple[int, Marker]], shares: Sequence[float]):
        self.articulation = articulation
        self.markers = [marker for _, marker in found]
        self.columns = np.array([k for k, _ in found])
        self.rounds = 0
        self._points = MarkerPoints.zeros(markers=len(found))
        self._points.weights[:] = shares
        for m, marker in enumerate(self.markers):
            assert marker.body is not None
            behind = articulation._behind(marker.body, np.array(marker.local_position))
            self._points.axes[m], self._points.local[m] = behind
        count = len(articulation)
        self._factor, self._memory = np.zeros((count, count)), np.zeros((2, count, count))
        self._slopes = np.zeros((2, count))

    def see(self, wanted: np.ndarray) -> bool:
        """Take the places (m, 3) of a frame, NaN where a marker was not seen; return whether any was."""
        self._points.wanted[:] = wanted
        return bool((~np.isnan(wanted[:, 0])).any())

    def missed(self, q: np.ndarray, memory: int) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the sum of squares of what is missed, with loops, and the equations of the next step."""
        own, slope, matrix = self.articulation, self._slopes[memory], self._memory[memory]
        if own._structure.curves:
            own._placement.place(q)
        cost = marker_equations(own._tree, q, self._points, slope, matrix)
        if len(own._loops):
            errors, rows = own._loops.closures(q)
            slope += rows.T @ errors
            matrix += rows.T @ rows
            cost += float(errors @ errors)
        return cost, slope, matrix

    def follow(self, q: np.ndarray, limits: np.ndarray, rounds: int) -> np.ndarray:
        """Return coordinates at which markers are missed least, beginning at q: Levenberg and Marquardt."""
        at, damping = 0, DAMPING
        cost, slope, matrix = self.missed(q, at)
        for _ in range(rounds):
            self.rounds += 1
            q_next = np.empty_like(q)
            gain = damped_step(q, slope, matrix, damping, limits, self._factor, q_next)
            if float(np.abs(q_next - q).max(initial=0.0)) <= STILL:
                break
            new_cost, new_slope, new_matrix = self.missed(q_next, 1 - at)
            if new_cost < cost:
                done = max(gain, cost - new_cost) <= STALLED * cost
                q, cost, slope, matrix, at = q_next, new_cost, new_slope, new_matrix, 1 - at
                damping = max(LESS * damping, LEAST_DAMPING)
                if done:
                    break
            else:
                damping *= MORE
                if gain <= STALLED * cost or damping > MOST_DAMPING:
                    break
        return q

    def distances(self, q: np.ndarray) -> np.ndarray:
        """Return the distances (m,) of markers at q from where they were seen, else NaN."""
        self.missed(q, 0)
        return np.asarray(np.linalg.norm(self._points.places - self._points.wanted, axis=1))


def own_name(marker: Marker) -> str:
    """Return the name of a marker without that of its body; both may have colons in them."""
    return marker.name if marker.body is None else marker.name.removeprefix(f"{marker.body.name}:")


def common_markers(articulation: Articulation, data: MarkerData) -> list[tuple[int, Marker]]:
    """Return the markers on bodies of the world that the recording has, each with its column there.

    Raises:
        ValueError: there is none.
    """
    by_name: dict[str, Marker] = {}
    for marker in articulation.world.markers:
        if marker.body is not None:
            by_name[own_name(marker)] = by_name[marker.name] = marker
    found = [(k, by_name[name]) for k, name in enumerate(data.names) if name in by_name]
    if not found:
        some = ", ".join(data.names[:5])
        own = ", ".join(sorted(by_name)[:5]) or "none on a body"
        raise ValueError(
            f"no marker of the recording ({some} ...) is one of the world's ({own}); name them alike with "
            "world.add_marker, or rename with data.renamed"
        )
    return found


def _followed(articulation: Articulation, data: MarkerData, weights: Mapping[str, float] | None) -> _Followed:
    """Find the markers of the world that the recording has.

    Raises:
        ValueError: it has none of them, or weights are of markers that are not there, or leave all out.
    """
    found = common_markers(articulation, data)
    names = [data.names[k] for k, _ in found]
    for name in weights or {}:
        if name not in names:
            raise ValueError(f"weights[{name!r}]: the marker is not among those that are followed")
    shares = [
        checks.number(f"weights[{name!r}]", (weights or {}).get(name, 1.0), "share", least=0.0)
        for name in names
    ]
    if not any(shares):
        raise ValueError("weights leave all markers out; give one of them a weight above zero")
    return _Followed(articulation, found, shares)


@takes_names
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
    model stays as it was. Stelzner 2008, section 3.2.2.

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
        if followed.see(data.positions[k, followed.columns]):
            at = followed.follow(at, bounds, MOST_ROUNDS if k else FIRST_ROUNDS)
        found[k], residuals[k] = at, followed.distances(at)
    names = tuple(data.names[k] for k in followed.columns)
    return Motion(articulation.coordinates, data.times, found, names, residuals)


def _bounds(articulation: Articulation, limits: bool) -> np.ndarray:
    if checks.flag("limits", limits):
        return articulation.limits
    return np.full((len(articulation), 2), np.inf) * (-1.0, 1.0)


@takes_names
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

    The model is first brought as close to the frame as it comes. Stelzner 2008, A.2.5. Markers that were not
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
    if not followed.see(wanted):
        raise ValueError(f"frame = {number}: no marker of the world was seen in it; choose another frame")
    bounds = _bounds(articulation, limits)
    at = articulation.q if q is None else articulation._given("q", q)
    at = followed.follow(np.clip(at, bounds[:, 0], bounds[:, 1]), bounds, FIRST_ROUNDS)
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

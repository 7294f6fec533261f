"""Joints between segments whose motion is known: centres, axes, and which kind it is (Stelzner 2008, 5.2.2).

With A and R rotation and place of the first segment, B and S those of the second, a joint is
- fixed: A'B and A'(S - R) stay as they are;
- a hinge: a point is common, R + A r = S + B s, and an axis, A a = B b;
- universal: a point is common, and axes a and b keep their angle, (A a)'(B b) = c;
- a ball: a point is common;
- free: nothing is.

The thesis leaves the choice to the eye. Here each kind is fitted, and told is by how much it moves the
markers of the second segment; what noise of poses would make of that in each kind follows from what markers
leave their segments by. Chosen is the kind with the fewest coordinates that moves markers no more than noise
and tolerance say, beyond what a ball does.
"""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from stoss.engine import checks
from stoss.engine.motion_capture.fitted_joint import FittedJoint
from stoss.engine.motion_capture.segments import Segments
from stoss.names import takes_names

__all__ = ["JOINT_KINDS", "LEVER", "TOLERANCE", "fit_joint"]

# from the one that leaves least to the one that leaves all
JOINT_KINDS = ("fixed", "hinge", "universal", "ball", "free")
TOLERANCE = 1e-3  # [m]: bones are not known better
FACTOR = 1.25  # of what noise makes in the mean, which some fifty frames do not exceed
FAR = 3.0  # times the noise of a direction, below which frames do not tell of it
# Share of the largest singular value below which the frames say nothing of the centre's place in a direction.
RANK = 1e-6
LEVER = 0.1  # [m] by which turns are told as ways, where no markers are known
IN_TURN, MOST_ROUNDS, SETTLED = 8, 30, 1e-14  # rounds of axes for each other, and together


@takes_names
def fit_joint(
    segments: Segments,
    first: str,
    second: str,
    kind: str | None = None,
    *,
    tolerance: float = TOLERANCE,
) -> FittedJoint:
    """Return the joint between two segments, by least squares over all frames in which both are known.

    Stelzner 2008, section 5.2.2; the common point is known as the symmetrical centre of rotation.

    Args:
        segments: whose poses are known.
        first, second: names of two of them.
        kind: "fixed", "hinge", "universal", "ball" or "free"; None: the one with the fewest coordinates that
            fits, a ball where none does.
        tolerance: by which a kind may move markers more than a ball, besides noise [m].

    Raises:
        KeyError: no such segment.
        TypeError, ValueError: no such kind, or both are known in less than three frames.
    """
    checks.instance("segments", segments, Segments, "fit_segments(data, {'thigh': [...]})")
    if kind is not None:
        checks.choice("kind", kind, JOINT_KINDS)
    one, two = segments.index(first), segments.index(second)
    if one == two:
        raise ValueError(f"first = second = {first!r}: a joint is between two segments")
    seen = segments.seen(first, second)
    if seen.sum() < 3:
        raise ValueError(
            f"{first!r} and {second!r} are both known in {int(seen.sum())} frames; three are the least"
        )
    a, b = segments.rotations(first)[seen], segments.rotations(second)[seen]
    away = segments.positions[seen, two] - segments.positions[seen, one]
    checks.number("tolerance", tolerance, "m", least=0.0)
    noise_a, noise_b = segments.noise(first), segments.noise(second)
    turn_noise = float(np.sqrt(np.linalg.eigvalsh(noise_a[1])[-1] + np.linalg.eigvalsh(noise_b[1])[-1]))
    relative = np.swapaxes(a, 1, 2) @ b
    own = np.einsum("fji,fj->fi", a, away)  # of the second in the frame of the first
    hinge = _hinge_axes(relative)
    universal = _universal_axes(relative)
    fixed = Rotation.from_matrix(relative).mean().as_matrix()
    points, directions = _centre(a, b, away, own, turn_noise, None)
    on_hinge, _ = _centre(a, b, away, own, turn_noise, hinge)
    locked = own.mean(axis=0), np.zeros(3)
    markers = _levers(segments, second)
    fits: dict[str, tuple[Any, Any, Any]] = {
        "fixed": (locked, (*hinge, 1.0), np.broadcast_to(fixed, relative.shape)),
        "hinge": (on_hinge, (*hinge, 1.0), _turned(relative, *hinge, 1.0)),
        "universal": (points, universal, _turned(relative, *universal)),
        "ball": (points, (*hinge, 1.0), relative),
    }
    residuals = {
        name: _moved(markers, relative, own, turned, places) for name, (places, _, turned) in fits.items()
    }
    residuals["free"] = 0.0
    spread = _Spread(a, b, noise_a, noise_b)
    noise = {"free": 0.0, "ball": spread.of_point(*points)}
    for name, centre, ways in (
        ("universal", points, _across(a @ universal[0], b @ universal[1])),
        ("hinge", on_hinge, np.linalg.svd((a @ hinge[0])[:, None])[2][:, 1:]),
    ):
        noise[name] = float(np.hypot(noise["ball"], spread.of_turns(markers - centre[1], ways)))
    every = np.broadcast_to(np.eye(3), a.shape)
    noise["fixed"] = float(np.hypot(spread.of_point(*locked), spread.of_turns(markers, every)))

    def fits_well(name: str) -> bool:
        # what a ball leaves is taken off, and what else is in the recording with it
        with_ball = name != "fixed"
        more = residuals[name] ** 2 - with_ball * residuals["ball"] ** 2
        expected = noise[name] ** 2 - with_ball * noise["ball"] ** 2
        return bool(more <= FACTOR**2 * expected + tolerance**2)

    chosen = kind or next((name for name in JOINT_KINDS[:3] if fits_well(name)), "ball")
    places, axes, _ = fits.get(chosen, fits["ball"])
    turn = np.roll(Rotation.from_matrix(fixed).as_quat(canonical=True), 1)
    place_first, place_second = places
    return FittedJoint(
        first,
        second,
        chosen,
        place_first,
        place_second,
        axes[0],
        axes[1],
        float(axes[2]),
        turn,
        residuals,
        noise,
        directions,
    )


class _Spread:
    """What noise of both poses does to points and turns, in the mean over frames."""

    def __init__(
        self,
        a: np.ndarray,
        b: np.ndarray,
        noise_a: tuple[float, np.ndarray],
        noise_b: tuple[float, np.ndarray],
    ) -> None:
        self.place = 3.0 * (noise_a[0] + noise_b[0])  # [m^2]
        self.own = noise_a[1], noise_b[1]
        self.turn = a @ noise_a[1] @ np.swapaxes(a, 1, 2) + b @ noise_b[1] @ np.swapaxes(b, 1, 2)
        self.b = b

    def of_point(self, first: np.ndarray, second: np.ndarray) -> float:
        """Return how far two points that are one come apart, root mean square [m]."""
        found = self.place
        for point, turn in zip((first, second), self.own, strict=True):
            found += float(point @ point * np.trace(turn) - point @ turn @ point)
        return float(np.sqrt(found))

    def of_turns(self, markers: np.ndarray, ways: np.ndarray) -> float:
        """Return by how much markers (m, 3) are moved if turns about ways (f, k, 3) are undone [m]."""
        found = np.einsum("fki,fij,fkj->fk", ways, self.turn, ways)
        there = np.einsum("fij,mj->fmi", self.b, markers)
        levers = (np.cross(ways[:, :, None], there[:, None]) ** 2).sum(axis=3).mean(axis=2)
        return float(np.sqrt((found * levers).sum(axis=1).mean()))


def _across(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the unit vectors (f, 1, 3) about which the angle between two axes changes."""
    way = np.cross(a, b)
    return np.asarray((way / np.maximum(np.linalg.norm(way, axis=1), 1e-300)[:, None])[:, None])


def _levers(segments: Segments, name: str) -> np.ndarray:
    """Return places on a segment by which its turns are told (m, 3) [m]."""
    found = np.array(list(segments.markers.get(name, {}).values()), float).reshape(-1, 3)
    return found if len(found) else LEVER * np.concatenate([np.eye(3), -np.eye(3)])


def _centre(
    a: np.ndarray,
    b: np.ndarray,
    away: np.ndarray,
    own: np.ndarray,
    turn_noise: float,
    axes: tuple[np.ndarray, np.ndarray] | None,
) -> tuple[tuple[np.ndarray, np.ndarray], int]:
    """Return the common point in both frames, and in how many directions frames tell where it is.

    In others, along the axis of a hinge for instance, it is as near to the middle of both segments as can be:
    noise would throw it far away. Of a hinge it is where the axes say that this direction is.
    """
    frames = len(a)
    matrix = np.concatenate([a, -b], axis=2).reshape(3 * frames, 6)
    # about half-way, from which the least is wanted
    back = -np.einsum("fji,fj->fi", b, away)
    begin = 0.5 * np.concatenate([own.mean(axis=0), back.mean(axis=0)])
    missed = away.reshape(-1) - matrix @ begin
    if axes is not None:  # what is along the axis is not asked for
        along = np.concatenate(axes)
        matrix = np.vstack([matrix, np.sqrt(frames) * along])
        missed = np.append(missed, 0.0)
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    least = max(RANK * float(values[0]), FAR * turn_noise * np.sqrt(frames))
    told = values > least
    found = begin + right[told].T @ ((left.T @ missed)[told] / values[told])
    return (found[:3], found[3:]), int(told.sum()) - 3 - (axes is not None)


def _hinge_axes(relative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return axes a and b that minimise the sum of |A a - B b|^2: singular vectors of the mean of A'B."""
    left, _, right = np.linalg.svd(relative.mean(axis=0))
    sign = 1.0 if left[np.argmax(np.abs(left[:, 0])), 0] > 0.0 else -1.0
    return sign * left[:, 0], sign * right[0]


def _universal_axes(relative: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return axes a and b and the cosine c that minimise the sum of (a'A'B b - c)^2, from several starts.

    With c the mean of a'A'B b it is a form of second degree in a and in b; its roots W_m are found once. From
    each start a and b are the best for each other in turn, and then go on together by Gauss and Newton.
    """
    flat = relative.reshape(-1, 9)
    values, vectors = np.linalg.eigh(np.cov(flat.T, bias=True))
    roots = (np.sqrt(np.maximum(values, 0.0)) * vectors).T.reshape(9, 3, 3)
    middle = Rotation.from_matrix(relative).mean().as_matrix()
    turns = Rotation.from_matrix(relative @ middle.T).as_rotvec()
    _, _, axes = np.linalg.svd(turns - turns.mean(axis=0), full_matrices=True)
    best: tuple[float, np.ndarray, np.ndarray] | None = None
    for one in axes:
        for _ in range(IN_TURN):
            two = np.linalg.svd(one @ roots, full_matrices=False)[2][2]
            one = np.linalg.svd(roots @ two, full_matrices=False)[2][2]
        one, two = _together(roots, one, two)
        cost = float(((one @ roots @ two) ** 2).sum())
        if best is None or cost < best[0]:
            best = cost, one, two
    assert best is not None
    _, one, two = best
    return one, two, float(np.clip(one @ relative.mean(axis=0) @ two, -1.0, 1.0))


def _together(roots: np.ndarray, one: np.ndarray, two: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return axes that minimise the squares of a'W_m b near those given."""
    for _ in range(MOST_ROUNDS):
        across = [np.linalg.svd(way[None])[2][1:] for way in (one, two)]
        rows = np.hstack([roots @ two @ across[0].T, one @ roots @ across[1].T])
        step = -np.linalg.pinv(rows, RANK) @ (one @ roots @ two)
        one, two = one + step[:2] @ across[0], two + step[2:] @ across[1]
        one, two = one / np.linalg.norm(one), two / np.linalg.norm(two)
        if float(np.abs(step).max()) <= SETTLED:
            break
    return one, two


def _turned(relative: np.ndarray, one: np.ndarray, two: np.ndarray, cosine: float) -> np.ndarray:
    """Return the rotations closest to A'B at which axes have the angle that they are to have."""
    there = relative @ two
    axis = np.cross(there, one)
    sine = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(sine, there @ one)
    unit = axis / np.maximum(sine, 1e-300)[:, None]
    away = (angle - np.arccos(np.clip(cosine, -1.0, 1.0)))[:, None]
    return np.asarray(Rotation.from_rotvec(away * unit).as_matrix() @ relative)


def _moved(
    markers: np.ndarray,
    relative: np.ndarray,
    own: np.ndarray,
    turned: np.ndarray,
    places: tuple[np.ndarray, np.ndarray],
) -> float:
    """Return how far markers of the second segment are moved by what the joint makes of its pose [m]."""
    at = places[0] - turned @ places[1]
    ways = at - own
    moved = ways[:, None] + np.einsum("fij,mj->fmi", turned - relative, markers)
    return float(np.sqrt((moved**2).sum(axis=2).mean()))

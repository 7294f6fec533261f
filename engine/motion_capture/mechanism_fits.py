"""Sizes of mechanisms out of a recording: rods, condyles, curves (Stelzner 2008, chapter 6, section 1.3.3).

Both segments were followed as free bodies. Of all that a mechanism may be, that one is found which the
measured poses leave least. Where ends, centres and radii are about known, what is known of them is weighed
against what poses tell, by what poses miss: knees tell of their ligaments badly. A fifth of a millimetre and
a tenth of a degree in the poses move ends of a knee's rods by millimetres, if nothing else is known.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from stoss.engine import checks
from stoss.engine.joints.curves import Curve
from stoss.engine.joints.guided_kinds import PointOnEllipsoid
from stoss.engine.motion_capture.joint_fits import LEVER, fit_joint
from stoss.engine.motion_capture.mechanisms import FittedCurves, FittedEllipsoid, FittedRods, MotionPlane
from stoss.engine.motion_capture.rod_search import search_rods
from stoss.engine.motion_capture.segments import Segments
from stoss.names import takes_names

__all__ = ["fit_curves", "fit_ellipsoid", "fit_rods"]

ROUNDS = 30  # of weighing what is known against what poses tell
SETTLED = 1e-3  # share by which the noise may change in a round
LEAST_NOISE = 1e-12  # [m]: rounding of places
RIDGE = 1e-9  # share of the variance that is added: two gaps may be one
Pair = Sequence[Any]


class _Motion:
    """How the first segment sees the second, frame by frame.

    Attributes:
        turns: (f, 3, 3) from the second to the first.
        places: (f, 3) of the second in the first [m].
        frame: row of the frame of reference, or the first that is seen.
        poses: rotation and place in the world in that frame, of the first and the second segment.
    """

    def __init__(self, segments: Segments, first: str, second: str, least: int) -> None:
        checks.instance("segments", segments, Segments, "fit_segments(data, {'thigh': [...]})")
        pair = first, second
        rows = [segments.index(name) for name in pair]
        if first == second:
            raise ValueError(f"first = second = {first!r}: a mechanism is between two segments")
        self.seen = segments.seen(first, second)
        if self.seen.sum() < least:
            raise ValueError(
                f"{first!r} and {second!r} are both known in {int(self.seen.sum())} frames; "
                f"{least} are the least"
            )
        a, b = (segments.rotations(name)[self.seen] for name in pair)
        one, two = (segments.positions[self.seen, row] for row in rows)
        self.turns = np.swapaxes(a, 1, 2) @ b
        self.places = np.einsum("fji,fj->fi", a, two - one)
        numbers = np.flatnonzero(self.seen)
        self.frame = int(np.abs(numbers - segments.reference).argmin())
        self.poses = (a[self.frame], one[self.frame]), (b[self.frame], two[self.frame])
        self._noise = _noises(segments, first, second)

    def own(self, segment: int, point: np.ndarray) -> np.ndarray:
        """Return a point of the world in the frame of reference (3,) in the frame of a segment."""
        turn, place = self.poses[segment]
        return np.asarray(turn.T @ (point - place))

    def way(self, point: np.ndarray) -> np.ndarray:
        """Return where the first segment sees a point (3,) of the second (f, 3)."""
        return np.asarray(self.places + self.turns @ point)

    def covariance(self, points: np.ndarray, ways: np.ndarray) -> np.ndarray:
        """Return the covariance (f, k, k) of where points of the second (k, 3) are seen along ways (k, f, 3).

        It is that of the poses of both segments, up to a common factor.
        """
        (place_1, turn_1), (place_2, turn_2) = self._noise
        pairs = list(zip(points, ways, strict=True))
        one = np.stack([np.cross(self.way(point), way) for point, way in pairs])
        two = np.stack([np.cross(point, np.einsum("fji,fj->fi", self.turns, way)) for point, way in pairs])
        found = (place_1 + place_2) * np.einsum("kfi,lfi->fkl", ways, ways)
        for arm, turn in ((one, turn_1), (two, turn_2)):
            found += np.einsum("kfi,ij,lfj->fkl", arm, turn, arm)
        return np.asarray(found)


def _noises(segments: Segments, first: str, second: str) -> list[tuple[float, np.ndarray]]:
    """Return the variances of place and turn of two segments, alike where markers tell nothing."""
    noises = [segments.noise(name) for name in (first, second)]
    if all(place > 0.0 for place, _ in noises):
        return noises
    return [(1.0, np.eye(3) / LEVER**2)] * 2


def _plane(segments: Segments, motion: _Motion, first: str, second: str) -> MotionPlane:
    """Return the plane of a hinge that is closest to the motion."""
    hinge = fit_joint(segments, first, second, "hinge")
    turn = motion.turns[motion.frame]
    forward = motion.poses[0][0].T @ (
        (1.0, 0.0, 0.0) if abs((motion.poses[0][0] @ hinge.axis_first)[0]) < 0.9 else (0.0, 1.0, 0.0)
    )
    axes = []
    for normal, way in ((hinge.axis_first, forward), (hinge.axis_second, turn.T @ forward)):
        way = way - (way @ normal) * normal
        way = way / np.linalg.norm(way)
        axes.append(np.stack([way, np.cross(normal, way), normal], axis=1))
    height = float(((motion.way(hinge.place_second) - hinge.place_first) @ hinge.axis_first).mean())
    point = hinge.place_first + height * hinge.axis_first
    return MotionPlane(axes[0], axes[1], point, hinge.place_second)


@takes_names
def fit_rods(
    segments: Segments,
    first: str,
    second: str,
    ends: Sequence[Pair] | None = None,
    *,
    within: float = 0.005,
    planar: bool = True,
    count: int = 2,
    reach: float = 0.05,
) -> FittedRods:
    """Return rods that hold two segments as they were seen: of a knee, its cruciate ligaments.

    Stelzner 2008, chapter 6.

        knee = st.fit_rods(segments, "thigh", "shank", [(high_front, low_rear), (high_rear, low_front)])
        print(1e3 * knee.lengths, 1e3 * knee.length_spread)
        model = st.identify_model(data, names, [("pelvis", "thigh"), knee])

    Args:
        segments: whose poses are known.
        first, second: names of two of them.
        ends: of each rod, its point on the first and on the second segment, about, (3,) in the world as it is
            in the frame `segments.reference` [m]. None: searched for, in the plane, by the poses alone.
        within: standard deviation of each coordinate of these ends [m]; 0: lengths alone are fitted.
        planar: whether the segments move in a plane, and rods lie in it.
        count: how many are searched for.
        reach: how far from the mean axis ends on the second segment are searched for [m].

    Raises:
        KeyError: no such segment.
        TypeError, ValueError: numbers that make no sense, too few frames, or no such rods are found.
    """
    within, reach = checks.number("within", within, "m", least=0.0), checks.positive("reach", reach, "m")
    motion = _Motion(segments, first, second, 8)
    plane = _plane(segments, motion, first, second) if checks.flag("planar", planar) else None
    if ends is None:
        if plane is None:
            raise ValueError("ends = None: rods are searched for in a plane alone; give ends, or planar=True")
        count = int(checks.number("count", count, "rods", least=1))
        pairs = search_rods(_in_plane(motion, plane), count, reach)
        begin = [_from_plane(plane, a, b) for a, b in pairs]
        within = np.inf
    else:
        begin = [_ends(motion, number, pair) for number, pair in enumerate(ends)]
        if not begin:
            raise ValueError("ends = [] has no rods; give a point on either segment for each")
    ends_first, ends_second, lengths, spread, left = _rods(motion, plane, np.array(begin), within)
    return FittedRods(
        first,
        second,
        plane,
        float(np.sqrt((left**2).mean())),
        ends_first,
        ends_second,
        lengths,
        np.sqrt(spread[:, -1]),
        np.sqrt(spread[:, :-1].sum(axis=1) / 2),
    )


def _ends(motion: _Motion, number: int, pair: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of a rod in the frames of the segments."""
    if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
        raise TypeError(f"ends[{number}] = {checks.shown(pair)} must be two points, on either segment")
    one, two = (checks.vector(f"ends[{number}][{k}]", point) for k, point in enumerate(pair))
    if np.linalg.norm(one - two) == 0.0:
        raise ValueError(f"ends[{number}]: both ends are {checks.shown(one)}; a rod has a length")
    return motion.own(0, one), motion.own(1, two)


def _in_plane(motion: _Motion, plane: MotionPlane) -> tuple[np.ndarray, np.ndarray]:
    """Return place (f, 2) and turn (f, 2, 2) of the second segment in the plane."""
    across = plane.axes_first[:, :2]
    places = (motion.way(plane.point_second) - plane.point_first) @ across
    return places, across.T @ motion.turns @ plane.axes_second[:, :2]


def _from_plane(plane: MotionPlane, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points of the plane (2,) in the frames of the segments."""
    return plane.point_first + plane.axes_first[:, :2] @ a, plane.point_second + plane.axes_second[:, :2] @ b


def _rods(
    motion: _Motion, plane: MotionPlane | None, ends: np.ndarray, within: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return ends (k, 3), lengths (k,), variances (k, n), what is missed (f, k), near ends (k, 2, 3)."""
    across = [np.eye(3)] * 2 if plane is None else [plane.axes_first[:, :2], plane.axes_second[:, :2]]
    begin = [ends[:, 0], ends[:, 1]]
    if plane is not None:  # all in one plane
        points = plane.point_first, plane.point_second
        begin = [p + (own - p) @ way @ way.T for own, p, way in zip(begin, points, across, strict=True)]
    count, size = len(ends), across[0].shape[1]
    lengths = np.array(
        [np.linalg.norm(motion.way(b) - a, axis=1).mean() for a, b in zip(*begin, strict=True)]
    )

    def placed(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        a, b, more = np.split(x.reshape(count, -1), [size, 2 * size], axis=1)
        return begin[0] + a @ across[0].T, begin[1] + b @ across[1].T, lengths + more[:, 0]

    def missed(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        one, two, long = placed(x)
        away = np.stack([motion.way(b) - a for a, b in zip(one, two, strict=True)])
        far = np.linalg.norm(away, axis=2)
        return far.T - long, motion.covariance(two, away / far[:, :, None])

    deviations = np.full((count, 2 * size + 1), within)
    deviations[:, -1] = np.inf
    x, covariance = _fitted(missed, deviations.ravel())
    return *placed(x), np.diag(covariance).reshape(count, -1), missed(x)[0]


@takes_names
def fit_ellipsoid(
    segments: Segments,
    first: str,
    second: str,
    center: Any,
    radii: Any,
    points: Sequence[Any],
    *,
    axis: Any = (0.0, 0.0, 1.0),
    x_axis: Any = None,
    within: float = 0.01,
    planar: bool = True,
) -> FittedEllipsoid:
    """Return the ellipsoid of the first segment on which points of the second glide: condyles, ribs.

    Stelzner 2008, chapter 6. In a plane nothing tells of the radius across it, which stays as it is given.

    Args:
        segments: whose poses are known.
        first, second: names of two of them.
        center: of the ellipsoid, about (3,), in the world as it is in the frame `segments.reference` [m].
        radii: about, along x, y and z of its frame (3,) [m].
        points: (k, 3) of the second segment, in the world in that frame [m].
        axis, x_axis: z and x of its frame (3,), in the world in that frame.
        within: standard deviation of center and radii [m], each coordinate.
        planar: whether the segments move in a plane: for knees, not for shoulder blades.

    Raises:
        KeyError: no such segment.
        TypeError, ValueError: numbers that make no sense, too few frames, or radii below zero fit best.
    """
    middle, sizes = checks.vector("center", center), checks.vector("radii", radii)
    for size in sizes.tolist():
        checks.positive("radii", size, "m")
    where = checks.array("points", points, (-1, 3))
    if not len(where):
        raise ValueError("points = [] has none that glides; give (3,) of the second segment each")
    within = checks.number("within", within, "m", least=0.0)
    motion = _Motion(segments, first, second, 8)
    plane = _plane(segments, motion, first, second) if checks.flag("planar", planar) else None
    axes = motion.poses[0][0].T @ _frame(axis, x_axis)
    own, middle = np.array([motion.own(1, point) for point in where]), motion.own(0, middle)
    seen = np.stack([motion.way(point) for point in own])
    deviations, flat = np.full(6, within), np.eye(3)
    if plane is not None:  # ways do not leave it; what is seen of that is noise
        normal = plane.axes_first[:, 2]
        flat = np.eye(3) - np.outer(normal, normal)
        seen = seen @ flat + (seen @ normal).mean(axis=1)[:, None, None] * normal
        across = int(np.abs(axes.T @ normal).argmax())
        deviations[[across, 3 + across]] = 0.0

    def missed(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        away = (seen - middle) @ axes - x[:3]
        over = away / (sizes + x[3:]) ** 2
        ways = over @ axes.T @ flat
        size = np.linalg.norm(ways, axis=2)
        left = (np.einsum("kfi,kfi->kf", away, over) - 1.0) / (2.0 * size)
        return left.T, motion.covariance(own, ways / size[:, :, None])

    x, covariance = _fitted(missed, deviations)
    if (sizes + x[3:] <= 0.0).any():
        raise ValueError(
            f"radii = {checks.shown(radii)}: none above zero fit; begin elsewhere, or give less for within"
        )
    spread = np.sqrt(np.diag(covariance))
    return FittedEllipsoid(
        first,
        second,
        plane,
        float(np.sqrt((missed(x)[0] ** 2).mean())),
        middle + axes @ x[:3],
        sizes + x[3:],
        axes,
        own,
        spread[3:],
        spread[:3],
    )


def _frame(axis: Any, x_axis: Any) -> np.ndarray:
    """Return the axes (3, 3), columns, of the frame that joints make of z and x."""
    (part,) = PointOnEllipsoid((0, 0, 0), (1, 1, 1), (0, 0, 1), axis, x_axis).parts()
    return np.asarray(Rotation.from_quat(np.roll(part.quaternion_a, -1)).as_matrix())


@takes_names
def fit_curves(segments: Segments, first: str, second: str, *, knots: int = 9) -> FittedCurves:
    """Return the curves of the angle along which the second segment is led in a plane: a knee, a cam.

    Nothing need be known of what leads it. Stelzner 2008, section 1.3.3.

    Args:
        segments: whose poses are known.
        first, second: names of two of them.
        knots: of each curve, evenly over the angles that are seen.

    Raises:
        KeyError: no such segment.
        TypeError, ValueError: numbers that make no sense, too few frames, or angles that leave knots out.
    """
    number = int(checks.number("knots", knots, "knots", least=2))
    motion = _Motion(segments, first, second, max(8, number))
    plane = _plane(segments, motion, first, second)
    angles = plane.angles(np.broadcast_to(np.eye(3), motion.turns.shape), motion.turns)
    angles = angles - 2.0 * np.pi * np.round(angles[motion.frame] / (2.0 * np.pi))
    at = np.linspace(angles.min(), angles.max(), number)
    if not at[-1] - at[0] > 1e-3:
        raise ValueError(f"{first!r} and {second!r} do not turn against each other; use a hinge or Fixed")
    away = (motion.way(plane.point_second) - plane.point_first) @ plane.axes_first[:, :2]
    shares = np.stack([_values(at, one, angles) for one in np.eye(number)], axis=1)
    found, _, rank, _ = np.linalg.lstsq(shares, away, 1e-9)
    if rank < number:
        raise ValueError(f"knots = {number}: angles that were seen leave some out; give less")
    left = away - shares @ found
    along = {k: Curve(np.stack([at, found[:, k]], axis=1)) for k in (0, 1)}
    return FittedCurves(first, second, plane, float(np.sqrt((left**2).sum(axis=1).mean())), along)


def _values(at: np.ndarray, knots: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Return a curve through knots at angles (f,)."""
    curve = Curve(np.stack([at, knots], axis=1))
    return np.array([curve(angle) for angle in angles])


def _fitted(
    missed: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], deviations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return x (n,) that makes the squares of what is missed least, and its covariance.

    What is missed (f, k) [m] comes with its covariance (f, k, k), by which it is made independent: else gaps
    that noise opens little would be taken for gaps that fit. What is known of x beforehand is that it is
    about zero, with standard deviations: 0 holds it there. That is weighed by the noise, found in rounds.
    """
    from scipy.optimize import least_squares

    free = deviations > 0.0
    known = 1.0 / deviations[free]
    x = np.zeros(len(deviations))
    begin, spread = missed(x)
    usual = np.sqrt(np.trace(spread, axis1=1, axis2=2).mean() / begin.shape[1])
    noise = max(float(np.sqrt((begin**2).mean())), LEAST_NOISE)

    def all_of_it(part: np.ndarray) -> np.ndarray:
        whole = np.zeros(len(x))
        whole[free] = part
        left, spread = missed(whole)
        ridge = RIDGE * np.trace(spread, axis1=1, axis2=2)[:, None, None] * np.eye(left.shape[1])
        own = np.linalg.solve(np.linalg.cholesky(spread + ridge), left[:, :, None])
        return np.append(usual * own.ravel(), noise * known * part)

    for _ in range(ROUNDS):
        found = least_squares(all_of_it, x[free], method="lm", xtol=1e-15, ftol=1e-15, gtol=1e-15)
        x[free] = found.x
        left = found.fun[: begin.size]
        before, more = noise, max(begin.size - len(known), 1)
        noise = max(float(np.sqrt((left**2).sum() / more)), LEAST_NOISE)
        if abs(noise - before) <= SETTLED * noise:
            break
    covariance = np.zeros((len(x), len(x)))
    inverse = np.linalg.pinv(found.jac.T @ found.jac, 1e-14, hermitian=True)
    covariance[np.ix_(free, free)] = noise**2 * inverse
    return x, covariance

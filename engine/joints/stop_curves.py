"""Closed curves that a swinging axis stays within, and bounds of a twist over the swing, as plain numbers.

A curve is a row of numbers: a header, what users said of it, and pieces for kernels (`stop_curve_measures`).

    0  form: ELLIPSE, SPLINE, POLYGON, TWISTS
    1  n rows of w numbers (2) that describe it; 3 how many pieces
    4  a direction that is inside (3), NaN: the axis of the joint
    7  the description, then the pieces, STRIDE numbers each

A piece of a smooth curve is a cubic q(u), 0 <= u <= 1, in space, by which the curve on the unit sphere is
q / |q|: c0, c1, c2, c3 (3 each) and where it begins (3). That of a polygon is an arc of a great circle: both
corners, the unit normal of its plane outwards, directions along it at both corners, and which of them are not
convex (1 the first, 2 the last). That of a twist is a span of swings and two cubics from its beginning: lower
and upper bound.
"""

from typing import Any, NamedTuple

import numpy as np

from stoss.engine import checks

__all__ = [
    "ELLIPSE",
    "FORMS",
    "HEADER",
    "PIECE_COUNT",
    "POLYGON",
    "ROW_COUNT",
    "SPLINE",
    "STRIDE",
    "TWISTS",
    "WIDTH",
    "Described",
    "described",
    "outline",
    "swing_curve",
    "twist_curve",
]

ELLIPSE, SPLINE, POLYGON, TWISTS = range(4)
FORMS = ("ellipse", "spline", "polygon", "twist")
ROW_COUNT, WIDTH, PIECE_COUNT, INSIDE, HEADER, STRIDE = 1, 2, 3, 4, 7, 16
LONGEST = 0.1  # [rad] of a piece: within it the distance has one minimum, near the curve
EXACT, MOST_PIECES = 1e-7, 512  # [rad] by which a curve may miss the ellipse, unless it takes more pieces
NEAR = 1e-6  # [rad] below which two directions are one
ROUNDING = 1e-20  # of the product of two distances of points from a plane in which they lie
LARGEST_SWING = 3.0  # [rad] of an ellipse; half a turn is one direction, whichever way it is swung


class Described(NamedTuple):
    """What users said of a curve."""

    form: str  # of `FORMS`
    rows: np.ndarray  # (n, w)
    inside: np.ndarray | None  # (3,)


def described(values: np.ndarray) -> Described:
    """Return what a curve was made of."""
    n, w = int(values[ROW_COUNT]), int(values[WIDTH])
    inside = values[INSIDE : INSIDE + 3]
    rows = values[HEADER : HEADER + n * w].reshape(n, w).copy()
    return Described(FORMS[int(values[0])], rows, None if np.isnan(inside).any() else inside.copy())


def _pieces(values: np.ndarray) -> np.ndarray:
    first = HEADER + int(values[ROW_COUNT]) * int(values[WIDTH])
    return values[first:].reshape(int(values[PIECE_COUNT]), STRIDE)


def _written(form: int, rows: np.ndarray, pieces: np.ndarray, inside: np.ndarray | None) -> np.ndarray:
    within = np.full(3, np.nan) if inside is None else inside
    header = [form, *rows.shape, len(pieces), *within]
    return np.concatenate([np.array(header, float), rows.ravel(), pieces.ravel()])


def outline(values: np.ndarray, count: int = 64) -> np.ndarray:
    """Return about `count` directions (k, 3) on a closed curve, first and last alike; or a table of twists.

    Of a twist: rows of the swing and both bounds there [rad].
    """
    pieces = _pieces(values)
    if values[0] == TWISTS:
        rows = []
        for piece in pieces:
            t = np.linspace(0.0, piece[1] - piece[0], 9)[:, None] ** np.arange(4)
            rows.append(np.stack([piece[0] + t[:, 1], t @ piece[2:6], t @ piece[6:10]], axis=1))
        return np.concatenate(rows)
    each = max(1, round(count / len(pieces)))
    u = (np.arange(each) / each)[:, None]
    if values[0] == POLYGON:
        found = [(1.0 - u) * piece[:3] + u * piece[3:6] for piece in pieces]
    else:
        found = [(u ** np.arange(4)) @ piece[:12].reshape(4, 3) for piece in pieces]
    points = _unit(np.concatenate(found))
    return np.concatenate([points, points[:1]])


# ------------------------------------------------------------- directions


def _unit(rows: np.ndarray) -> np.ndarray:
    lengths: np.ndarray = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / lengths


def _leaning(swings: np.ndarray) -> np.ndarray:
    """Return the directions (n, 3) of an axis that leans by swings (n, 2) [rad] towards x and y."""
    size = np.linalg.norm(swings, axis=1)
    share = np.sinc(size / np.pi)
    return np.stack([share * swings[:, 0], share * swings[:, 1], np.cos(size)], axis=1)


def _directions(what: str, rows: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (n, 2 or 3) as they were given, and the unit vectors that they mean."""
    given = np.asarray(rows, dtype=object)
    width = given.shape[1] if given.ndim == 2 else 0
    if width not in (2, 3):
        raise ValueError(
            f"{what} = {checks.shown(rows)} must be rows of two swings, towards x and y [rad], or of three "
            "components of directions"
        )
    found = checks.array(what, rows, (-1, width))
    if len(found) < 3:
        raise ValueError(f"{what} has {len(found)} rows; a closed curve takes three at least")
    if width == 3:
        sizes = np.linalg.norm(found, axis=1)
        if (sizes == 0.0).any():
            raise ValueError(f"{what}[{int(np.argmin(sizes))}] is zero and has no direction")
        points = found / sizes[:, None]
    else:
        sizes = np.linalg.norm(found, axis=1)
        if sizes.max() > LARGEST_SWING:
            raise ValueError(
                f"{what}[{int(np.argmax(sizes))}] swings by {sizes.max():.4g} rad; give at most "
                f"{LARGEST_SWING:g}, or directions"
            )
        points = _leaning(found)
    apart = np.arccos(np.clip((points * np.roll(points, -1, axis=0)).sum(axis=1), -1.0, 1.0))
    if apart.min() < NEAR:
        k = int(np.argmin(apart))
        raise ValueError(f"{what}[{k}] and the next one are the same direction; give each once")
    if apart.max() > np.pi - 1e-3:
        k = int(np.argmax(apart))
        raise ValueError(f"{what}[{k}] and the next one are opposite; give one in between")
    return found, points


# ------------------------------------------------------------- closed curves


def swing_curve(what: str, form: str, rows: Any, inside: Any = None) -> np.ndarray:
    """Return a closed curve, checked.

    Args:
        what: the joint and the argument, for messages.
        form: "ellipse", "spline" or "polygon".
        rows: of an ellipse two half-axes or four reaches, else rows of swings or directions.
        inside: a direction (3,) that is inside; None: the axis of the joint.

    Raises:
        TypeError, ValueError: it is no closed curve around what is inside.
    """
    within = None if inside is None else checks.vector(f"{what}: inside", inside)
    if within is not None:
        if not within.any():
            raise ValueError(f"{what}: inside is zero and has no direction")
        within = within / np.linalg.norm(within)
    if form == "ellipse":
        given, pieces = _ellipse(what, rows)
    else:
        given, points = _directions(what, rows)
        pieces = _spline(np.concatenate([points, points[:1]])) if form == "spline" else _polygon(points)
    pieces = _turned_around(what, FORMS.index(form), pieces, within)
    return _written(FORMS.index(form), given, pieces, within)


def _ellipse(what: str, rows: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return half-axes or reaches as a row, and the pieces of an ellipse of swings."""
    reach = checks.array(what, rows, (-1,))
    if len(reach) not in (2, 4):
        raise ValueError(
            f"{what} = {checks.shown(rows)} must be two half-axes, towards x and y, or four numbers: the "
            "lowest and highest swing towards x, then towards y [rad]"
        )
    low, high = (-reach, reach) if len(reach) == 2 else (reach[::2], reach[1::2])
    if (low >= 0.0).any() or (high <= 0.0).any():
        raise ValueError(
            f"{what} = {checks.shown(rows)}: half-axes must be above 0, lowest swings below 0 and highest "
            "ones above it"
        )
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    around = np.linspace(0.0, 2.0 * np.pi, 257)

    def swings(t: np.ndarray) -> np.ndarray:
        found: np.ndarray = middle + half * np.stack([np.cos(t), np.sin(t)], axis=1)
        return found

    most = np.linalg.norm(swings(around), axis=1).max()
    if most > LARGEST_SWING:
        raise ValueError(
            f"{what} = {checks.shown(rows)} swings by up to {most:.4g} rad; give at most {LARGEST_SWING:g}"
        )
    count = 64
    while True:
        pieces = _spline(_leaning(swings(np.linspace(0.0, 2.0 * np.pi, count + 1))), even=True)
        # the error is largest midway between knots
        middles = _unit((0.5 ** np.arange(4)) @ pieces[:, :12].reshape(-1, 4, 3))
        exact = _leaning(swings(2.0 * np.pi / count * (np.arange(count) + 0.5)))
        if np.abs(middles - exact).max() < EXACT or count >= MOST_PIECES:
            return reach[None], pieces
        count *= 2


def _spline(points: np.ndarray, even: bool = False) -> np.ndarray:
    """Return the pieces of a cubic spline of continuous curvature through directions, the first one last too.

    Args:
        points: (n + 1, 3) unit vectors.
        even: whether knots follow each other evenly, in place of by their angles.
    """
    from scipy.interpolate import CubicSpline  # slow to import

    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    knots = np.arange(len(points), dtype=float) if even else np.concatenate([[0.0], np.cumsum(steps)])
    closed = points.copy()
    closed[-1] = closed[0]
    spline = CubicSpline(knots, closed, bc_type="periodic")
    rows = []
    for k, length in enumerate(np.diff(knots)):
        c = spline.c[::-1, k] * length ** np.arange(4)[:, None]  # c0 ... c3 of the share of the span
        cuts = 1 if even else max(1, int(np.ceil(1.2 * steps[k] / LONGEST)))
        for cut in range(cuts):
            s, w = cut / cuts, 1.0 / cuts
            own = [
                c[0] + s * (c[1] + s * (c[2] + s * c[3])),
                w * (c[1] + s * (2.0 * c[2] + 3.0 * s * c[3])),
                w * w * (c[2] + 3.0 * s * c[3]),
                w**3 * c[3],
            ]
            rows.append(np.concatenate([*own, _unit(own[0]), [0.0]]))
    return np.array(rows)


def _polygon(points: np.ndarray) -> np.ndarray:
    """Return the sides of a polygon, counter-clockwise about what is inside."""
    rows = []
    ends = np.roll(points, -1, axis=0)
    across = _unit(np.cross(points, ends))  # inwards
    for k in range(len(points)):
        first, last, inwards = points[k], ends[k], across[k]
        # a corner is convex where the next side turns inwards
        before = across[k - 1] @ ends[k] >= 0.0
        behind = across[(k + 1) % len(points)] @ points[k] >= 0.0
        flags = (0 if before else 1) + (0 if behind else 2)
        along = np.cross(inwards, first), np.cross(inwards, last)
        rows.append(np.concatenate([first, last, -inwards, *along, [flags]]))
    return np.array(rows)


def _reversed(form: int, pieces: np.ndarray) -> np.ndarray:
    """Return the pieces of the same curve, the other way round."""
    if form == POLYGON:
        return _polygon(pieces[::-1, 3:6])
    turned = []
    for piece in pieces[::-1]:
        c = piece[:12].reshape(4, 3)
        own = [c.sum(axis=0), -(c[1] + 2.0 * c[2] + 3.0 * c[3]), c[2] + 3.0 * c[3], -c[3]]
        turned.append(np.concatenate([*own, _unit(own[0]), [0.0]]))
    return np.array(turned)


def _turned_around(what: str, form: int, pieces: np.ndarray, inside: np.ndarray | None) -> np.ndarray:
    """Return the pieces in the order that goes counter-clockwise about what is inside."""
    line = outline(_written(form, np.zeros((0, 0)), pieces, None), 256)
    arcs = line[:-1], line[1:]
    # sides of a polygon are arcs as they are; cut into pieces two of them might meet where both are cut
    sides = (pieces[:, :3], pieces[:, 3:6]) if form == POLYGON else arcs
    count = len(sides[0])
    apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    if (_crossings(*sides, *sides) & (np.minimum(apart, count - apart) > 1)).any():
        raise ValueError(f"{what}: the curve crosses itself; give its places in their order around it")
    if inside is None and not _winds(line):
        raise ValueError(
            f"{what}: the axis of the joint is not within the curve; give inside, a direction that is"
        )
    centre = np.array((0.0, 0.0, 1.0)) if inside is None else inside
    cosines = line @ centre
    if cosines.max() > np.cos(NEAR):
        raise ValueError(f"{what}: what is inside lies on the curve; give another direction as inside")
    # from the left of an arc to what is inside the curve is crossed an even number of times, or it is right
    k = int(np.argmin(np.abs(cosines[:-1])))
    left = _unit(0.5 * (line[k] + line[k + 1]) + 1e-7 * _unit(np.cross(line[k], line[k + 1])))
    way = _unit(left + np.linspace(0.0, 1.0, 33)[:, None] * (centre - left))
    crossed = int(_crossings(way[:-1], way[1:], *arcs).sum())
    return pieces if crossed % 2 == 0 else _reversed(form, pieces)


def _winds(line: np.ndarray) -> bool:
    """Return whether a closed line (k, 3) goes around the axis z."""
    azimuth = np.unwrap(np.arctan2(line[:, 1], line[:, 0]))
    return abs(azimuth[-1] - azimuth[0]) > np.pi


def _crossings(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return which arcs a to b (i, 3) cross which c to d (j, 3), as a matrix."""
    first, second = np.cross(a, b), np.cross(c, d)
    changes: np.ndarray = (first @ c.T) * (first @ d.T) < -ROUNDING
    changes &= ((a @ second.T) * (b @ second.T)) < -ROUNDING
    # both circles meet in two places, and each arc passes one of them
    meets = np.cross(first[:, None], second[None])
    same: np.ndarray = (meets @ (a + b)[:, :, None])[..., 0] * (meets * (c + d)).sum(axis=-1) > 0.0
    return changes & same


# ------------------------------------------------------------- twist over swing


def twist_curve(what: str, rows: Any) -> np.ndarray:
    """Return bounds of a twist over the swing, checked; between the rows smooth, and without overshoot.

    Args:
        what: the joint and the argument, for messages.
        rows: (n, 3) swing, lowest and highest twist there [rad], the smallest swing first.

    Raises:
        TypeError, ValueError: rows in the wrong order, or bounds that leave nothing.
    """
    from scipy.interpolate import PchipInterpolator  # slow to import

    table = checks.array(what, rows, (-1, 3))
    if len(table) < 2:
        raise ValueError(f"{what} has {len(table)} rows; give two swings at least, or limit the twist alone")
    swing, lower, upper = table.T
    if swing[0] < 0.0 or swing[-1] > np.pi or (np.diff(swing) <= 0.0).any():
        raise ValueError(f"{what}: swings {swing.tolist()} must rise, from 0 or more to at most pi")
    if (lower >= upper).any() or (upper - lower > 2.0 * np.pi).any():
        k = int(np.argmax((lower >= upper) | (upper - lower > 2.0 * np.pi)))
        raise ValueError(
            f"{what}[{k}] = {table[k].tolist()}: the lowest twist must be below the highest, within a turn"
        )
    pieces = np.zeros((len(table) - 1, STRIDE))
    pieces[:, 0], pieces[:, 1] = swing[:-1], swing[1:]
    for first, bound in ((2, lower), (6, upper)):
        slopes = PchipInterpolator(swing, bound).derivative()(swing) if len(table) > 2 else np.zeros(2)
        slopes[0] = slopes[-1] = 0.0  # goes on as it ends; without a swing no direction is another
        width = np.diff(swing)
        secant = np.diff(bound) / width
        pieces[:, first], pieces[:, first + 1] = bound[:-1], slopes[:-1]
        pieces[:, first + 2] = (3.0 * secant - 2.0 * slopes[:-1] - slopes[1:]) / width
        pieces[:, first + 3] = (slopes[:-1] + slopes[1:] - 2.0 * secant) / width**2
    return _written(TWISTS, table, pieces, None)

"""Measures of stops whose bounds are curves: closed cones in which an axis swings, and bounds of a twist.

CONE: how far the axis z of B, as a point of the unit sphere in A, is beyond a closed curve on it: the angle
to the nearest place p of the curve, negative within. With the unit tangent t at p, counter-clockwise about
the inside, its rate is t . (w_b - w_a): the axis moves away from the curve by turning about t. That holds
wherever the axis is, so the gradient is of unit length and has no pole, which the swing angle minus its bound
in that direction has where the axes are in line. Two rows, for in a corner the axis meets two sides at once.

TWIST_RANGE: twist minus a bound that depends on the swing. The rate of the twist is (z + z') . w / (1 + cos
swing), not z' . w, by which a swing at constant twist would leak through the stop; that of the bound is its
slope times that of the swing.

Henze 2002, section 2.2: there as moments of springs.
"""

import numpy as np

from stoss.collision.algebra import cross, dot
from stoss.collision.kernels.decorators import inner, kernel
from stoss.engine.constraints.rows import FRESH
from stoss.engine.joints.arrays import CONE, JointArrays
from stoss.engine.joints.placement import PlacedParts
from stoss.engine.joints.stop_curves import HEADER, PIECE_COUNT, POLYGON, ROW_COUNT, STRIDE, WIDTH

FEATURE = "curved stops"  # see `kernels.prepare`

__all__ = ["choose_pieces", "curve_measure", "near_pieces"]

# Value of a row of a cone that has no second place to touch: as far within as can be.
NOTHING = -np.pi
# Least 1 + cosine of a swing at which the twist counts as defined, as in `measures`.
UNDEFINED = 0.01
NEAR = 8  # parts of a smooth curve, within one of which the nearest place stays in a step
SETTLED = 1e-14  # share of a piece to which the nearest place is found


@inner
def _first_piece(v, start):
    """Return where the pieces of the curve at `start` begin."""
    return start + HEADER + int(v[start + ROW_COUNT]) * int(v[start + WIDTH])


@inner
def _axis(places, p):
    """Return the axis z of B in A."""
    q = places.relative
    w, x, y, z = q[p, 0], q[p, 1], q[p, 2], q[p, 3]
    return 2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)


# ------------------------------------------------------------- smooth curves


@inner
def _place(v, p, u):
    """Return the point q and its derivative at u of the piece at p, q = c0 + c1 u + c2 u^2 + c3 u^3."""
    q = (
        v[p] + u * (v[p + 3] + u * (v[p + 6] + u * v[p + 9])),
        v[p + 1] + u * (v[p + 4] + u * (v[p + 7] + u * v[p + 10])),
        v[p + 2] + u * (v[p + 5] + u * (v[p + 8] + u * v[p + 11])),
    )
    d = (
        v[p + 3] + u * (2.0 * v[p + 6] + 3.0 * u * v[p + 9]),
        v[p + 4] + u * (2.0 * v[p + 7] + 3.0 * u * v[p + 10]),
        v[p + 5] + u * (2.0 * v[p + 8] + 3.0 * u * v[p + 11]),
    )
    return q, d


@inner
def _slope(v, p, u, x, y, z):
    """Return |q|^3 times the derivative of z . q / |q| at u: positive where the curve comes nearer."""
    (q0, q1, q2), (d0, d1, d2) = _place(v, p, u)
    nearer = dot(x, y, z, d0, d1, d2) * dot(q0, q1, q2, q0, q1, q2)
    return nearer - dot(x, y, z, q0, q1, q2) * dot(q0, q1, q2, d0, d1, d2)


@inner
def _nearest(v, p, x, y, z):
    """Return where the piece at p is nearest to a direction, 0 to 1: the zero of `_slope`, or an end."""
    low, high = 0.0, 1.0
    f_low = _slope(v, p, low, x, y, z)
    if f_low <= 0.0:
        return 0.0
    f_high = _slope(v, p, high, x, y, z)
    if f_high >= 0.0:
        return 1.0
    u = 0.0
    for _ in range(60):
        # Illinois: a false position whose old end counts half if it stays
        new = (low * f_high - high * f_low) / (f_high - f_low)
        if abs(new - u) <= SETTLED:
            return new
        u = new
        f = _slope(v, p, u, x, y, z)
        if f > 0.0:
            low, f_low, f_high = u, f, 0.5 * f_high
        elif f < 0.0:
            high, f_high, f_low = u, f, 0.5 * f_low
        else:
            return u
    return u


@inner
def _descend(v, first, count, k, most, x, y, z):
    """Return piece and place of the local minimum of the distance to which piece k leads within `most`."""
    way = 0
    u = _nearest(v, first + STRIDE * k, x, y, z)
    for _ in range(most):
        if u <= 0.0 and way <= 0:
            way = -1
        elif u >= 1.0 and way >= 0:
            way = 1
        else:
            break
        k = (k + way + count) % count
        u = _nearest(v, first + STRIDE * k, x, y, z)
    return k, u


@inner
def _beyond(v, p, u, x, y, z):
    """Return how far a direction is beyond the place u of the piece at p, and the unit tangent there."""
    (q0, q1, q2), (d0, d1, d2) = _place(v, p, u)
    size2 = dot(q0, q1, q2, q0, q1, q2)
    along = dot(q0, q1, q2, d0, d1, d2) / size2
    t0, t1, t2 = d0 - along * q0, d1 - along * q1, d2 - along * q2
    size = 1.0 / np.sqrt(dot(t0, t1, t2, t0, t1, t2))
    t0, t1, t2 = size * t0, size * t1, size * t2
    m0, m1, m2 = cross(t0, t1, t2, q0, q1, q2)  # outwards, as long as q
    return np.arctan2(dot(x, y, z, m0, m1, m2), dot(x, y, z, q0, q1, q2)), (t0, t1, t2)


@inner
def _near_smooth(v, first, count, x, y, z):
    """Return the piece with the nearest place, and one with another local minimum of the distance, or -1."""
    k = other = -1
    best = second = -2.0
    before = dot(x, y, z, *_start(v, first, count - 1))
    here = dot(x, y, z, *_start(v, first, 0))
    for i in range(count):
        after = dot(x, y, z, *_start(v, first, (i + 1) % count))
        if here >= before and here > after:
            if here > best:
                other, second = k, best
                k, best = i, here
            elif here > second:
                other, second = i, here
        before, here = here, after
    k = max(k, 0)
    k, u = _descend(v, first, count, k, count, x, y, z)
    if other >= 0:
        other, w = _descend(v, first, count, other, count, x, y, z)
        (q0, q1, q2), _ = _place(v, first + STRIDE * k, u)
        (p0, p1, p2), _ = _place(v, first + STRIDE * other, w)
        apart = abs(q0 - p0) + abs(q1 - p1) + abs(q2 - p2)
        if apart < 1e-6:
            other = -1  # both lead to the same place
    return k, other


@inner
def _start(v, first, k):
    """Return the unit vector where piece k begins."""
    p = first + STRIDE * k
    return v[p + 12], v[p + 13], v[p + 14]


# ------------------------------------------------------------- polygons


@inner
def _side(v, p, x, y, z):
    """Return how far a direction is beyond the side at p, and the direction of the gradient.

    A side goes on beyond a corner that is convex; beyond one that is not, the corner itself is the nearest.
    """
    flags = int(v[p + 15])
    before = dot(x, y, z, v[p + 9], v[p + 10], v[p + 11]) < 0.0
    behind = dot(x, y, z, v[p + 12], v[p + 13], v[p + 14]) > 0.0
    if (flags & 1 and before) or (flags & 2 and behind):
        i = p if flags & 1 and before else p + 3
        d0, d1, d2 = cross(x, y, z, v[i], v[i + 1], v[i + 2])
        size = np.sqrt(dot(d0, d1, d2, d0, d1, d2))
        if size > 1e-12:
            value = -np.arctan2(size, dot(x, y, z, v[i], v[i + 1], v[i + 2]))
            return value, (d0 / size, d1 / size, d2 / size)
    d0, d1, d2 = cross(x, y, z, v[p + 6], v[p + 7], v[p + 8])
    size = np.sqrt(dot(d0, d1, d2, d0, d1, d2))
    high = dot(x, y, z, v[p + 6], v[p + 7], v[p + 8])
    if size < 1e-12:
        return np.arctan2(high, size), (0.0, 0.0, 0.0)  # a quarter of a turn from all of the side
    return np.arctan2(high, size), (d0 / size, d1 / size, d2 / size)


@inner
def _cosine_to_side(v, p, x, y, z):
    """Return the cosine of the angle from a direction to the nearest place of the side at p."""
    after = dot(x, y, z, v[p + 9], v[p + 10], v[p + 11]) >= 0.0
    before = dot(x, y, z, v[p + 12], v[p + 13], v[p + 14]) <= 0.0
    to_first = dot(x, y, z, v[p], v[p + 1], v[p + 2])
    to_last = dot(x, y, z, v[p + 3], v[p + 4], v[p + 5])
    if after and before and to_first + to_last > 0.0:
        high = dot(x, y, z, v[p + 6], v[p + 7], v[p + 8])
        return np.sqrt(max(1.0 - high * high, 0.0))
    return max(to_first, to_last)


@inner
def _near_sides(v, first, count, x, y, z):
    """Return the two sides that are nearest to a direction, the second -1 where that one does not hold it."""
    k, other = 0, -1
    best = second = -2.0
    for i in range(count):
        cosine = _cosine_to_side(v, first + STRIDE * i, x, y, z)
        if cosine > best:
            k, best, other, second = i, cosine, k if best > -2.0 else -1, best
        elif cosine > second:
            other, second = i, cosine
    if other >= 0:
        inside = _side(v, first + STRIDE * k, x, y, z)[0] < 0.0
        flags = int(v[first + STRIDE * k + 15])
        notch = (flags & 1 and other == (k - 1 + count) % count) or (flags & 2 and other == (k + 1) % count)
        if inside:
            # a side goes on through what is inside elsewhere
            notch = _side(v, first + STRIDE * other, x, y, z)[0] > 0.0
        if notch:
            other = -1  # beyond a corner that is not convex the way back over the nearer side is enough
    return k, other


# ------------------------------------------------------------- bounds of the twist


@inner
def _bound(v, first, count, upper, swing):
    """Return a bound of the twist at a swing, and its slope: cubic between its knots, constant outside."""
    p = first
    for i in range(count):
        p = first + STRIDE * i
        if swing <= v[p + 1]:
            break
    t = min(max(swing - v[p], 0.0), v[p + 1] - v[p])
    inside = v[p] < swing < v[p + 1]
    c = p + 6 if upper else p + 2
    value = v[c] + t * (v[c + 1] + t * (v[c + 2] + t * v[c + 3]))
    slope = v[c + 1] + t * (2.0 * v[c + 2] + 3.0 * t * v[c + 3])
    return value, slope if inside else 0.0


@inner
def _twist_beyond(v, first, count, k, places, p, old):
    """Return the twist beyond a bound, and its gradient in the world."""
    q = places.relative
    a, b = places.axes_a[p], places.axes_b[p]
    share = 1.0 + dot(a[6], a[7], a[8], b[6], b[7], b[8])
    if share < UNDEFINED:
        return old, (0.0, 0.0, 0.0)  # swung by half a turn, the twist is not defined: see `measures`
    x, y, z = _axis(places, p)
    sine = np.sqrt(x * x + y * y)
    bound, slope = _bound(v, first, count, k == 0, np.arctan2(sine, z))
    beyond = 2.0 * np.arctan2(q[p, 3], q[p, 0]) - bound
    beyond += 2.0 * np.pi * np.rint((old - beyond) / (2.0 * np.pi))
    share = 1.0 / share
    d0, d1, d2 = share * (a[6] + b[6]), share * (a[7] + b[7]), share * (a[8] + b[8])
    if slope != 0.0 and sine > 1e-12:
        s0, s1, s2 = cross(a[6], a[7], a[8], b[6], b[7], b[8])
        slope /= sine
        d0, d1, d2 = d0 - slope * s0, d1 - slope * s1, d2 - slope * s2
    return beyond, (d0, d1, d2)


# ------------------------------------------------------------- rows


@kernel
def curve_measure(
    joints: JointArrays, places: PlacedParts, m: int, piece: int, old: float
) -> tuple[float, float, float, float]:
    """Return the measure of row m, a CONE or TWIST_RANGE, and its gradient (world).

    Args:
        joints, places: the joints, and where their parts are.
        m: the row.
        piece: of a CONE: the piece of the curve from which the nearest place is sought; -1: there is none.
        old: its last value, from which twists go on.
    """
    v, start, p = joints.curve_value, joints.curve_start[joints.curve[m]], joints.part[m]
    first, count = _first_piece(v, start), int(v[start + PIECE_COUNT])
    if joints.measure[m] != CONE:
        value, d = _twist_beyond(v, first, count, joints.axis[m], places, p, old)
        return value, d[0], d[1], d[2]
    if piece < 0:
        return NOTHING, 0.0, 0.0, 0.0
    x, y, z = _axis(places, p)
    if v[start] == POLYGON:
        value, (t0, t1, t2) = _side(v, first + STRIDE * piece, x, y, z)
    else:
        # no farther than the axis goes in a step: a minimum that is no more would lead to another one
        piece, u = _descend(v, first, count, piece, count // NEAR, x, y, z)
        value, (t0, t1, t2) = _beyond(v, first + STRIDE * piece, u, x, y, z)
    a = places.axes_a[p]
    return (
        value,
        a[0] * t0 + a[3] * t1 + a[6] * t2,
        a[1] * t0 + a[4] * t1 + a[7] * t2,
        a[2] * t0 + a[5] * t1 + a[8] * t2,
    )


@kernel
def near_pieces(joints: JointArrays, places: PlacedParts, m: int) -> tuple[int, int]:
    """Return the pieces of the curve of a CONE, row m, that are nearest: the second -1 if there is none."""
    v, start = joints.curve_value, joints.curve_start[joints.curve[m]]
    x, y, z = _axis(places, joints.part[m])
    first, count = _first_piece(v, start), int(v[start + PIECE_COUNT])
    if v[start] == POLYGON:
        return _near_sides(v, first, count, x, y, z)
    return _near_smooth(v, first, count, x, y, z)


@kernel
def choose_pieces(joints: JointArrays, places: PlacedParts, m: int) -> None:
    """Choose the pieces that both rows of a CONE measure, m and m + 1: each stays near its own where it can.

    A row that comes elsewhere starts there without impulse.
    """
    k, other = near_pieces(joints, places, m)
    start = joints.curve_start[joints.curve[m]]
    count = int(joints.curve_value[start + PIECE_COUNT])
    smooth = joints.curve_value[start] != POLYGON
    first, second = joints.piece[m], joints.piece[m + 1]
    if _way(first, other, count, smooth) + _way(second, k, count, smooth) < (
        _way(first, k, count, smooth) + _way(second, other, count, smooth)
    ):
        k, other = other, k
    for i in range(2):
        new = k if i == 0 else other
        if _way(joints.piece[m + i], new, count, smooth) > (count // NEAR if smooth else 0):
            joints.impulse[m + i] = 0.0
            joints.state[m + i] = FRESH
        joints.piece[m + i] = new


@inner
def _way(old, new, count, smooth):
    """Return how many pieces are between two of a smooth curve; of a polygon, whether they are two sides."""
    if old == new:
        return 0
    if not smooth:
        return 1
    if old < 0 or new < 0:
        return count
    apart = abs(old - new)
    return min(apart, count - apart)

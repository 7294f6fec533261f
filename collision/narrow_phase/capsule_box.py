"""Capsule against box: the core segment against the box, then both ends of the stretch that lies on it."""

import numpy as np

from stoss.collision.algebra import matrix_from_quaternion
from stoss.collision.contacts import NORMAL_FIXED, NORMAL_ON_B
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.narrow_phase.box_pair import BoxScratch, edge_number, write_matrix
from stoss.collision.narrow_phase.pair_contacts import put_from_b
from stoss.collision.shapes.shape_table import ShapeArrays

__all__ = ["collide_capsule_box"]

# A core closer to parallel to an edge than this sine lies along it and touches at both ends of the
# common stretch.
_PARALLEL = 0.02
# Cosine of the angle between normal and face normal up to which the core may also touch farther in on
# that face: a core that lies on a box and hangs over its edge keeps two contacts when it tilts.
_OVER_FACE = 0.98
# Shares of the sum of the half edges: closer to the box than the first the core counts as inside;
# components of the distance below the second are rounding (ten times less, so that one remains).
_TOUCHING = 1e-11
_ROUNDING = 1e-12

# Features: 0 middle contact, 1 and 2 lower and upper end of the stretch, 8 + edge: core through an edge.


@kernel
def collide_capsule_box(a: int, b: int, shapes: ShapeArrays, margin: float, scratch: BoxScratch) -> int:
    """Find the contacts of capsule `a` and box `b` with gap <= margin; return how many (up to 2)."""
    size, position, quaternion = shapes.size, shapes.position, shapes.quaternion
    r, core = scratch.rotation[1], scratch.core
    write_matrix(quaternion[b], r)
    _, _, ux, _, _, uy, _, _, uz = matrix_from_quaternion(quaternion[a])
    half = size[a, 1]
    radius = size[a, 0]
    dx = position[a, 0] - position[b, 0]
    dy = position[a, 1] - position[b, 1]
    dz = position[a, 2] - position[b, 2]
    apart = -np.inf
    for k in range(3):
        core[k, 0] = r[0, k] * dx + r[1, k] * dy + r[2, k] * dz
        core[k, 1] = half * (r[0, k] * ux + r[1, k] * uy + r[2, k] * uz)
        core[k, 2] = size[b, k]
        apart = max(apart, abs(core[k, 0]) - abs(core[k, 1]) - core[k, 2])
    if apart > radius + margin:
        return 0
    smallest = min(size[b, 0], size[b, 1], size[b, 2])
    s, distance = _closest(core)
    if distance > radius + margin:
        return 0
    if distance <= _TOUCHING * (size[b, 0] + size[b, 1] + size[b, 2]):
        return _core_inside(a, b, margin, 1e-3 * smallest, shapes, scratch)
    # faces that the closest point is outside of: one over a face, two beside an edge, three at a corner
    outside, free, f, steepest = 0, 0, 0, 0.0
    for k in range(3):
        over = abs(core[k, 0] + s * core[k, 1]) - core[k, 2]
        if over > steepest:
            f, steepest = k, over
        if over > 1e-12 * core[k, 2]:
            outside += 1
        else:
            free = k
    low, high = s, s
    if outside == 2 and half * half - core[free, 1] * core[free, 1] < _PARALLEL * _PARALLEL * half * half:
        low, high = _slab(core, free, -1.0, 1.0)
    elif steepest > _OVER_FACE * distance:
        # lying over face f; beside its border the closest point is beyond the stretch over the face
        low, high = _slab(core, (f + 1) % 3, -1.0, 1.0)
        low, high = _slab(core, (f + 2) % 3, low, high)
        low, high = (min(low, s), max(high, s)) if low < high else (s, s)
    if high - low < 1e-9:
        number = 1 if s <= -1.0 else (2 if s >= 1.0 else 0)
        return _ball_contact(a, b, s, margin, number, 0, shapes, scratch)
    n = _ball_contact(a, b, low, margin, 1, 0, shapes, scratch)
    return _ball_contact(a, b, high, margin, 2, n, shapes, scratch)


@inner
def _slab(core, k, low, high):
    """Shorten the stretch [low, high] of the core to where coordinate `k` is within the box."""
    c, u, h = core[k, 0], core[k, 1], core[k, 2]
    if abs(u) > 1e-12 * h:
        first, second = (-h - c) / u, (h - c) / u
        low, high = max(low, min(first, second)), min(high, max(first, second))
    return low, high


@inner
def _square_distance(core, s):
    """Return the squared distance of core point `s` from the box and half its derivative by s."""
    square, slope = 0.0, 0.0
    for k in range(3):
        x = core[k, 0] + s * core[k, 1]
        d = x - min(max(x, -core[k, 2]), core[k, 2])
        square += d * d
        slope += d * core[k, 1]
    return square, slope


@inner
def _closest(core):
    """Return (s, distance) of the core point nearest to the box.

    The squared distance is convex and piecewise quadratic in s, its slope continuous and piecewise
    linear with kinks where a coordinate crosses a face: find the piece where the slope changes sign.
    """
    low, high = -1.0, 1.0
    f_low, g_low = _square_distance(core, low)
    if g_low >= 0.0:
        return low, np.sqrt(f_low)
    f_high, g_high = _square_distance(core, high)
    if g_high <= 0.0:
        return high, np.sqrt(f_high)
    for kink in range(6):
        k = kink >> 1
        if core[k, 1] == 0.0:
            continue
        face = core[k, 2] if kink & 1 else -core[k, 2]
        s = (face - core[k, 0]) / core[k, 1]
        if s <= low or s >= high:
            continue
        f, g = _square_distance(core, s)
        if g == 0.0:
            return s, np.sqrt(f)
        if g < 0.0:
            low, g_low = s, g
        else:
            high, g_high = s, g
    s = low + (high - low) * (-g_low / (g_high - g_low))
    return s, np.sqrt(_square_distance(core, s)[0])


@inner
def _write(b, n, number, side, point, normal, gap, shapes, scratch):
    """Write a contact given by the point on the box and the normal, both in the box's frame."""
    position, r = shapes.position, scratch.rotation[1]
    y0, y1, y2 = point
    d0, d1, d2 = normal
    qx = position[b, 0] + r[0, 0] * y0 + r[0, 1] * y1 + r[0, 2] * y2
    qy = position[b, 1] + r[1, 0] * y0 + r[1, 1] * y1 + r[1, 2] * y2
    qz = position[b, 2] + r[2, 0] * y0 + r[2, 1] * y1 + r[2, 2] * y2
    nx = r[0, 0] * d0 + r[0, 1] * d1 + r[0, 2] * d2
    ny = r[1, 0] * d0 + r[1, 1] * d1 + r[1, 2] * d2
    nz = r[2, 0] * d0 + r[2, 1] * d1 + r[2, 2] * d2
    put_from_b(scratch.found, n, number, side, (qx, qy, qz), (nx, ny, nz), gap)


@inner
def _ball_contact(a, b, s, margin, number, n, shapes, scratch):
    """Append the contact of the ball about core point `s`, which is outside the box."""
    core = scratch.core
    x0, x1, x2 = core[0, 0] + s * core[0, 1], core[1, 0] + s * core[1, 1], core[2, 0] + s * core[2, 1]
    y0 = min(max(x0, -core[0, 2]), core[0, 2])
    y1 = min(max(x1, -core[1, 2]), core[1, 2])
    y2 = min(max(x2, -core[2, 2]), core[2, 2])
    d0, d1, d2 = x0 - y0, x1 - y1, x2 - y2
    # the end of a stretch over a face is on the border of that face: rounding there is not an edge
    tiny = _ROUNDING * (core[0, 2] + core[1, 2] + core[2, 2])
    d0, d1, d2 = d0 if abs(d0) > tiny else 0.0, d1 if abs(d1) > tiny else 0.0, d2 if abs(d2) > tiny else 0.0
    distance = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    gap = distance - shapes.size[a, 0]
    if gap > margin or distance == 0.0:
        return n
    side = NORMAL_ON_B if (d0 != 0.0) + (d1 != 0.0) + (d2 != 0.0) == 1 else NORMAL_FIXED
    d0, d1, d2 = d0 / distance, d1 / distance, d2 / distance
    _write(b, n, number, side, (y0, y1, y2), (d0, d1, d2), gap, shapes, scratch)
    return n + 1


@kernel
def _core_inside(
    a: int, b: int, margin: float, tolerance: float, shapes: ShapeArrays, scratch: BoxScratch
) -> int:
    """Write the contacts of a capsule whose core cuts the box: out along the axis of least depth."""
    size, core = shapes.size, scratch.core
    radius = size[a, 0]
    best, f = -np.inf, 0
    for k in range(2, -1, -1):
        gap = abs(core[k, 0]) - abs(core[k, 1]) - core[k, 2]
        if gap > best:
            best, f = gap, k
    edge, edge_gap = -1, best + tolerance + 0.05 * abs(best)
    for k in range(3):  # axes u x e_k
        k1, k2 = (k + 1) % 3, (k + 2) % 3
        u1, u2 = core[k1, 1], core[k2, 1]
        length = np.sqrt(u1 * u1 + u2 * u2)
        if length < 1e-4 * size[a, 1]:
            continue
        gap = abs(core[k1, 0] * u2 - core[k2, 0] * u1) - core[k1, 2] * abs(u2) - core[k2, 2] * abs(u1)
        gap /= length
        if gap > edge_gap:
            edge, edge_gap = k, gap
    if edge >= 0:
        k = edge
        k1, k2 = (k + 1) % 3, (k + 2) % 3
        d1, d2 = core[k2, 1], -core[k1, 1]
        length = np.sqrt(d1 * d1 + d2 * d2)
        if core[k1, 0] * d1 + core[k2, 0] * d2 < 0.0:
            length = -length
        d1, d2 = d1 / length, d2 / length
        y1 = core[k1, 2] if d1 >= 0.0 else -core[k1, 2]
        y2 = core[k2, 2] if d2 >= 0.0 else -core[k2, 2]
        # core point above the edge (x_1, x_2) - (y_1, y_2) parallel to d
        u1, u2 = core[k1, 1], core[k2, 1]
        s = ((y1 - core[k1, 0]) * u1 + (y2 - core[k2, 0]) * u2) / (u1 * u1 + u2 * u2)
        y = core[k, 0] + s * core[k, 1]
        if abs(s) <= 1.0 and abs(y) <= core[k, 2]:
            y0 = y if k == 0 else (y2 if k == 1 else y1)
            z1 = y1 if k == 0 else (y if k == 1 else y2)
            z2 = y2 if k == 0 else (y1 if k == 1 else y)
            n0 = 0.0 if k == 0 else (d2 if k == 1 else d1)
            n1 = d1 if k == 0 else (0.0 if k == 1 else d2)
            n2 = d2 if k == 0 else (d1 if k == 1 else 0.0)
            number = 8 + edge_number(k, 1 if y1 > 0.0 else 0, 1 if y2 > 0.0 else 0)
            gap = edge_gap - radius
            _write(b, 0, number, NORMAL_FIXED, (y0, z1, z2), (n0, n1, n2), gap, shapes, scratch)
            return 1
    up = 1.0 if core[f, 0] >= 0.0 else -1.0
    low, high = _slab(core, (f + 1) % 3, -1.0, 1.0)
    low, high = _slab(core, (f + 2) % 3, low, high)
    if high < low:
        low = high = -up if core[f, 1] > 0.0 else up
    n = 0
    for end in range(2):
        if end == 1 and high - low < 1e-9:
            break
        s = low if end == 0 else high
        gap = up * (core[f, 0] + s * core[f, 1]) - core[f, 2] - radius
        if gap > margin:
            continue
        y0 = min(max(core[0, 0] + s * core[0, 1], -core[0, 2]), core[0, 2])
        y1 = min(max(core[1, 0] + s * core[1, 1], -core[1, 2]), core[1, 2])
        y2 = min(max(core[2, 0] + s * core[2, 1], -core[2, 2]), core[2, 2])
        d0, d1, d2 = 0.0, 0.0, 0.0
        if f == 0:
            y0, d0 = up * core[0, 2], up
        elif f == 1:
            y1, d1 = up * core[1, 2], up
        else:
            y2, d2 = up * core[2, 2], up
        _write(b, n, 1 + end, NORMAL_ON_B, (y0, y1, y2), (d0, d1, d2), gap, shapes, scratch)
        n += 1
    return n

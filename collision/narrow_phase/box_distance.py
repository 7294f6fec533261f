"""Closest features of two boxes that are apart: corners and edges that miss each other's faces.

The closest points of two boxes lie on a vertex and the other box, or on two edges. All 16 vertices are
tried, and those edges that come near the other box.
"""

import numpy as np
from stoss.collision.contacts import NORMAL_FIXED
from stoss.collision.kernels.decorators import inner

__all__ = [
    "EDGE_EDGE",
    "EDGE_VERTEX",
    "FACE_VERTEX",
    "VERTEX_EDGE",
    "VERTEX_FACE",
    "VERTEX_VERTEX",
    "closest_box_features",
    "edge_number",
    "write_contact",
]

# First feature numbers of each kind, a's feature first; see `box_box`.
VERTEX_FACE = 0  # + 6 vertex_a + face_b
FACE_VERTEX = 48  # + 6 vertex_b + face_a
EDGE_EDGE = 96  # + 12 edge_a + edge_b
VERTEX_VERTEX = 240  # + 8 vertex_a + vertex_b
VERTEX_EDGE = 304  # + 12 vertex_a + edge_b
EDGE_VERTEX = 400  # + 12 vertex_b + edge_a

# Below this share of `on_plane` (itself 1e-6 of the smallest half edge) the difference of the closest
# points is rounding and gives no normal.
_TOUCHING = 1e-6


@inner
def write_contact(out, feature, side, n, ax, ay, az, bx, by, bz, nx, ny, nz, gap, number, carrier):
    """Write contact `n` of a pair: points on a and b, normal from b to a, gap, feature, carrier."""
    out[n, 0], out[n, 1], out[n, 2] = ax, ay, az
    out[n, 3], out[n, 4], out[n, 5] = bx, by, bz
    out[n, 6], out[n, 7], out[n, 8] = nx, ny, nz
    out[n, 9] = gap
    feature[n] = number
    side[n] = carrier


@inner
def edge_number(axis, bit_next, bit_after):
    """Return the number of the edge along `axis` at the given signs (0, 1) of the next two axes."""
    return 4 * axis + bit_next + 2 * bit_after


@inner
def _vertex_point(owner, other, size, vertex, of_a, w):
    """Return a vertex of box `owner` in the frame of box `other`; w as in `box_box`."""
    c = w[2]
    x0 = size[owner, 0] if vertex & 1 else -size[owner, 0]
    x1 = size[owner, 1] if vertex & 2 else -size[owner, 1]
    x2 = size[owner, 2] if vertex & 4 else -size[owner, 2]
    if of_a:  # into b's frame: C^T x - t_b
        return (
            c[0, 0] * x0 + c[1, 0] * x1 + c[2, 0] * x2 - w[3, 0, 5],
            c[0, 1] * x0 + c[1, 1] * x1 + c[2, 1] * x2 - w[3, 1, 5],
            c[0, 2] * x0 + c[1, 2] * x1 + c[2, 2] * x2 - w[3, 2, 5],
        )
    return (  # into a's frame: C x + t_a
        c[0, 0] * x0 + c[0, 1] * x1 + c[0, 2] * x2 + w[3, 0, 4],
        c[1, 0] * x0 + c[1, 1] * x1 + c[1, 2] * x2 + w[3, 1, 4],
        c[2, 0] * x0 + c[2, 1] * x1 + c[2, 2] * x2 + w[3, 2, 4],
    )


@inner
def _clamped(x, h):
    return min(max(x, -h), h)


@inner
def _vertex_feature(vertex, other, size, p0, p1, p2, on_plane, of_a):
    """Return the feature number of a vertex against the box region that its point lies over."""
    bits, outside, free, face = 0, 0, 0, 0
    for k in range(3):
        x = p0 if k == 0 else (p1 if k == 1 else p2)
        if x > 0.0:
            bits += 1 << k
        if abs(x) >= size[other, k] - on_plane:
            outside += 1
            face = 2 * k + (1 if x > 0.0 else 0)
        else:
            free = k
    if outside == 3:
        return VERTEX_VERTEX + (8 * vertex + bits if of_a else 8 * bits + vertex)
    if outside == 2:
        edge = edge_number(free, (bits >> (free + 1) % 3) & 1, (bits >> (free + 2) % 3) & 1)
        return VERTEX_EDGE + 12 * vertex + edge if of_a else EDGE_VERTEX + 12 * vertex + edge
    return VERTEX_FACE + 6 * vertex + face if of_a else FACE_VERTEX + 6 * vertex + face


@inner
def closest_box_features(i, j, size, position, axis, axis_gap, on_plane, margin, w, out, feature, side):
    """Write the closest features of boxes `i` and `j` that are apart; return the number of contacts.

    Parallel edges give two contacts, all else one. `axis` is the best separating axis, from b to a, and
    `axis_gap` the gap along it [m]: they stand in when the boxes touch at a point and give no normal.
    Points closer to a plane than `on_plane` [m] lie on it. `w` holds the poses (`box_box`).
    """
    # closest vertex against box, both ways
    best = np.inf
    for number in range(16):
        of_a = number < 8
        owner, other = (i, j) if of_a else (j, i)
        p0, p1, p2 = _vertex_point(owner, other, size, number & 7, of_a, w)
        d0 = p0 - _clamped(p0, size[other, 0])
        d1 = p1 - _clamped(p1, size[other, 1])
        d2 = p2 - _clamped(p2, size[other, 2])
        best = min(best, d0 * d0 + d1 * d1 + d2 * d2)
    best = np.sqrt(best)
    # an edge pair must be closer than that by more than rounding: parallel edges end at a vertex
    limit = min(best - on_plane, margin)
    if limit > 0.0:
        n = _closest_edges(i, j, size, position, limit, w, out, feature, side)
        if n > 0:
            return n
    if best > margin:
        return 0
    n = 0
    for number in range(16):
        if n == 2:
            break
        n = _vertex_contact(
            i, j, size, position, number, best + on_plane, axis, axis_gap, on_plane, n, w, out, feature, side
        )
    if best <= on_plane and n > 0:
        # The difference of points so close turns with every nanometre that the boxes move. The middle of a
        # common stretch, where no end face takes part, gives the normal.
        x = 0.5 * (out[0, 0] + out[n - 1, 0])
        y = 0.5 * (out[0, 1] + out[n - 1, 1])
        z = 0.5 * (out[0, 2] + out[n - 1, 2])
        nx, ny, nz = _touching_normal(i, j, size, position, x, y, z, axis, on_plane, w)
        for k in range(n):
            gap = nx * (out[k, 0] - out[k, 3]) + ny * (out[k, 1] - out[k, 4]) + nz * (out[k, 2] - out[k, 5])
            out[k, 9] = gap
            out[k, 6], out[k, 7], out[k, 8] = nx, ny, nz
            out[k, 3] = out[k, 0] - gap * nx
            out[k, 4] = out[k, 1] - gap * ny
            out[k, 5] = out[k, 2] - gap * nz
    return n


@inner
def _vertex_contact(i, j, size, position, number, reach, axis, axis_gap, on_plane, n, w, out, feature, side):
    """Append the contact of vertex `number` (a: 0 to 7, b: 8 to 15) if it is within `reach`."""
    of_a = number < 8
    owner, other = (i, j) if of_a else (j, i)
    r = w[1] if of_a else w[0]
    p0, p1, p2 = _vertex_point(owner, other, size, number & 7, of_a, w)
    q0, q1, q2 = _clamped(p0, size[other, 0]), _clamped(p1, size[other, 1]), _clamped(p2, size[other, 2])
    d0, d1, d2 = p0 - q0, p1 - q1, p2 - q2
    distance = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    if distance > reach:
        return n
    qx = position[other, 0] + r[0, 0] * q0 + r[0, 1] * q1 + r[0, 2] * q2
    qy = position[other, 1] + r[1, 0] * q0 + r[1, 1] * q1 + r[1, 2] * q2
    qz = position[other, 2] + r[2, 0] * q0 + r[2, 1] * q1 + r[2, 2] * q2
    column = 3 if of_a else 0  # point of `other`
    for k in range(n):  # two vertices meet: the same contact from the other side
        apart = abs(out[k, column] - qx) + abs(out[k, column + 1] - qy) + abs(out[k, column + 2] - qz)
        if apart < 4.0 * on_plane:
            return n
    if distance > _TOUCHING * on_plane:
        # from b to a: from the box to its visitor if that is a's vertex
        scale = 1.0 / distance if of_a else -1.0 / distance
        d0, d1, d2 = d0 * scale, d1 * scale, d2 * scale
        nx = r[0, 0] * d0 + r[0, 1] * d1 + r[0, 2] * d2
        ny = r[1, 0] * d0 + r[1, 1] * d1 + r[1, 2] * d2
        nz = r[2, 0] * d0 + r[2, 1] * d1 + r[2, 2] * d2
        gap = distance
    else:
        nx, ny, nz = axis
        gap = min(axis_gap, 0.0)
    code = _vertex_feature(number & 7, other, size, p0, p1, p2, on_plane, of_a)
    way = gap if of_a else -gap
    vx, vy, vz = qx + way * nx, qy + way * ny, qz + way * nz
    if of_a:
        write_contact(out, feature, side, n, vx, vy, vz, qx, qy, qz, nx, ny, nz, gap, code, NORMAL_FIXED)
    else:
        write_contact(out, feature, side, n, qx, qy, qz, vx, vy, vz, nx, ny, nz, gap, code, NORMAL_FIXED)
    return n + 1


@inner
def _touching_normal(i, j, size, position, x, y, z, axis, on_plane, w):
    """Return the normal where two boxes touch at one point: between their outward directions there.

    The outward direction of a box at a point is the sum of the normals of the faces it lies on.
    """
    nx, ny, nz = 0.0, 0.0, 0.0
    for number in range(2):
        box = i if number == 0 else j
        way = -1.0 if number == 0 else 1.0
        r = w[number]
        dx, dy, dz = x - position[box, 0], y - position[box, 1], z - position[box, 2]
        for k in range(3):
            along = r[0, k] * dx + r[1, k] * dy + r[2, k] * dz
            if abs(along) >= size[box, k] - 2.0 * on_plane:
                s = way if along > 0.0 else -way
                nx, ny, nz = nx + s * r[0, k], ny + s * r[1, k], nz + s * r[2, k]
    length = np.sqrt(nx * nx + ny * ny + nz * nz)
    if length < 1e-3:
        return axis
    return nx / length, ny / length, nz / length


@inner
def _edge_vertices(edge):
    """Return the numbers of the two vertices of an edge, the one on the negative side first."""
    axis = edge >> 2
    first = ((edge & 1) << (axis + 1) % 3) + (((edge >> 1) & 1) << (axis + 2) % 3)
    return first, first + (1 << axis)


@inner
def _edges_near(owner, other, size, reach, of_a, w):
    """Return the edges of box `owner` that come within `reach` of box `other`, as bits."""
    near = 0
    for edge in range(12):
        first, second = _edge_vertices(edge)
        p0, p1, p2 = _vertex_point(owner, other, size, first, of_a, w)
        q0, q1, q2 = _vertex_point(owner, other, size, second, of_a, w)
        if min(p0, q0) > size[other, 0] + reach or max(p0, q0) < -size[other, 0] - reach:
            continue
        if min(p1, q1) > size[other, 1] + reach or max(p1, q1) < -size[other, 1] - reach:
            continue
        if min(p2, q2) > size[other, 2] + reach or max(p2, q2) < -size[other, 2] - reach:
            continue
        near |= 1 << edge
    return near


@inner
def _closest_edges(i, j, size, position, limit, w, out, feature, side):
    """Write the contact of the closest two edges if nearer than `limit` and inside both; return 0 or 1."""
    c, r = w[2], w[0]
    near_a = _edges_near(i, j, size, limit, True, w)
    near_b = _edges_near(j, i, size, limit, False, w)
    best = limit
    n = 0
    for edge_a in range(12):
        if (near_a >> edge_a) & 1 == 0:
            continue
        k = edge_a >> 2
        k1, k2 = (k + 1) % 3, (k + 2) % 3
        a1 = size[i, k1] if edge_a & 1 else -size[i, k1]
        a2 = size[i, k2] if edge_a & 2 else -size[i, k2]
        for edge_b in range(12):
            if (near_b >> edge_b) & 1 == 0:
                continue
            m = edge_b >> 2
            m1, m2 = (m + 1) % 3, (m + 2) % 3
            square = c[k1, m] * c[k1, m] + c[k2, m] * c[k2, m]
            if square < 1e-12:
                continue
            b1 = size[j, m1] if edge_b & 1 else -size[j, m1]
            b2 = size[j, m2] if edge_b & 2 else -size[j, m2]
            # lines (0, a1, a2) + s e_k and t + b1 c_m1 + b2 c_m2 + u c_m, in a's frame
            ek = w[3, k, 4] + b1 * c[k, m1] + b2 * c[k, m2]
            e1 = w[3, k1, 4] + b1 * c[k1, m1] + b2 * c[k1, m2] - a1
            e2 = w[3, k2, 4] + b1 * c[k2, m1] + b2 * c[k2, m2] - a2
            across = e1 * c[k2, m] - e2 * c[k1, m]  # signed distance times |L|
            distance = abs(across) / np.sqrt(square)
            if distance >= best:
                continue
            cosine = c[k, m]
            along = ek * cosine + e1 * c[k1, m] + e2 * c[k2, m]
            s = (ek - cosine * along) / square
            u = (cosine * ek - along) / square
            if abs(s) > size[i, k] or abs(u) > size[j, m]:
                continue
            best = distance
            n = 1
            # from b to a: minus the common perpendicular, which is (0, c_k2m, -c_k1m) / |L| times `across`
            scale = -1.0 / np.sqrt(square) if across >= 0.0 else 1.0 / np.sqrt(square)
            d1, d2 = scale * c[k2, m], -scale * c[k1, m]
            nx = r[0, k1] * d1 + r[0, k2] * d2
            ny = r[1, k1] * d1 + r[1, k2] * d2
            nz = r[2, k1] * d1 + r[2, k2] * d2
            px = position[i, 0] + r[0, k] * s + r[0, k1] * a1 + r[0, k2] * a2
            py = position[i, 1] + r[1, k] * s + r[1, k1] * a1 + r[1, k2] * a2
            pz = position[i, 2] + r[2, k] * s + r[2, k1] * a1 + r[2, k2] * a2
            qx, qy, qz = px - distance * nx, py - distance * ny, pz - distance * nz
            number = EDGE_EDGE + 12 * edge_a + edge_b
            write_contact(
                out, feature, side, 0, px, py, pz, qx, qy, qz, nx, ny, nz, distance, number, NORMAL_FIXED
            )
    return n

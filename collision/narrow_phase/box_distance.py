"""Closest features of two boxes that are apart: corners and edges that miss each other's faces.

The closest points of two boxes lie on a vertex and the other box, or on two edges. All 16 vertices are
tried, and those edges that come near the other box.
"""

import numpy as np

from stoss.collision.contacts import NORMAL_FIXED
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.narrow_phase.box_pair import (
    EDGE_EDGE,
    EDGE_VERTEX,
    FACE_VERTEX,
    VERTEX_EDGE,
    VERTEX_FACE,
    VERTEX_VERTEX,
    BoxScratch,
    edge_number,
)
from stoss.collision.narrow_phase.pair_contacts import put_from_a, put_from_b
from stoss.collision.shapes.shape_table import ShapeArrays

__all__ = ["closest_box_features"]

# Below this share of `on_plane` (itself 1e-6 of the smallest half edge) the difference of the closest
# points is rounding and gives no normal.
_TOUCHING = 1e-6


@inner
def _write_vertices(which, owner, size, scratch):
    """Write the vertices of one box in the frame of the other."""
    c, way, vertices = scratch.axes, scratch.way, scratch.vertices
    for vertex in range(8):
        x0 = size[owner, 0] if vertex & 1 else -size[owner, 0]
        x1 = size[owner, 1] if vertex & 2 else -size[owner, 1]
        x2 = size[owner, 2] if vertex & 4 else -size[owner, 2]
        for k in range(3):
            if which == 0:  # into b's frame: C^T x - t_b
                vertices[0, vertex, k] = c[0, k] * x0 + c[1, k] * x1 + c[2, k] * x2 - way[1, k]
            else:  # into a's frame: C x + t_a
                vertices[1, vertex, k] = c[k, 0] * x0 + c[k, 1] * x1 + c[k, 2] * x2 + way[0, k]


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


@kernel
def closest_box_features(
    i: int,
    j: int,
    axis: tuple[float, float, float],
    axis_gap: float,
    on_plane: float,
    margin: float,
    shapes: ShapeArrays,
    scratch: BoxScratch,
) -> int:
    """Write the closest features of boxes `i` and `j` that are apart; return the number of contacts.

    Parallel edges give two contacts, all else one. `axis` is the best separating axis, from b to a, and
    `axis_gap` the gap along it [m]: they stand in when the boxes touch at a point and give no normal.
    Points closer to a plane than `on_plane` [m] lie on it.
    """
    size, found, vertices = shapes.size, scratch.found, scratch.vertices
    # closest vertex against box, both ways
    best = np.inf
    for which in range(2):
        owner, other = (i, j) if which == 0 else (j, i)
        _write_vertices(which, owner, size, scratch)
        for vertex in range(8):
            square = 0.0
            for k in range(3):
                p = vertices[which, vertex, k]
                d = p - _clamped(p, size[other, k])
                square += d * d
            best = min(best, square)
    best = np.sqrt(best)
    # an edge pair must be closer than that by more than rounding: parallel edges end at a vertex
    limit = min(best - on_plane, margin)
    if limit > 0.0:
        n = _closest_edges(i, j, limit, shapes, scratch)
        if n > 0:
            return n
    if best > margin:
        return 0
    n = 0
    for number in range(16):
        if n == 2:
            break
        n = _vertex_contact(i, j, number, best + on_plane, axis, axis_gap, on_plane, n, shapes, scratch)
    if best <= on_plane and n > 0:
        # The difference of points so close turns with every nanometre that the boxes move. The middle of a
        # common stretch, where no end face takes part, gives the normal.
        pa, pb, normal = found.point_a, found.point_b, found.normal
        x, y, z = (
            0.5 * (pa[0, 0] + pa[n - 1, 0]),
            0.5 * (pa[0, 1] + pa[n - 1, 1]),
            0.5 * (pa[0, 2] + pa[n - 1, 2]),
        )
        nx, ny, nz = _touching_normal(i, j, (x, y, z), axis, on_plane, shapes, scratch)
        for k in range(n):
            gap = nx * (pa[k, 0] - pb[k, 0]) + ny * (pa[k, 1] - pb[k, 1]) + nz * (pa[k, 2] - pb[k, 2])
            found.gap[k] = gap
            normal[k, 0], normal[k, 1], normal[k, 2] = nx, ny, nz
            pb[k, 0] = pa[k, 0] - gap * nx
            pb[k, 1] = pa[k, 1] - gap * ny
            pb[k, 2] = pa[k, 2] - gap * nz
    return n


@inner
def _vertex_contact(i, j, number, reach, axis, axis_gap, on_plane, n, shapes, scratch):
    """Append the contact of vertex `number` (a: 0 to 7, b: 8 to 15) if it is within `reach`."""
    of_a = number < 8
    size, position, found = shapes.size, shapes.position, scratch.found
    other = j if of_a else i
    which = number >> 3
    r, p = scratch.rotation[1 - which], scratch.vertices[which, number & 7]
    p0, p1, p2 = p[0], p[1], p[2]
    q0, q1, q2 = _clamped(p0, size[other, 0]), _clamped(p1, size[other, 1]), _clamped(p2, size[other, 2])
    d0, d1, d2 = p0 - q0, p1 - q1, p2 - q2
    distance = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    if distance > reach:
        return n
    qx = position[other, 0] + r[0, 0] * q0 + r[0, 1] * q1 + r[0, 2] * q2
    qy = position[other, 1] + r[1, 0] * q0 + r[1, 1] * q1 + r[1, 2] * q2
    qz = position[other, 2] + r[2, 0] * q0 + r[2, 1] * q1 + r[2, 2] * q2
    points = found.point_b if of_a else found.point_a  # of `other`
    for k in range(n):  # two vertices meet: the same contact from the other side
        apart = abs(points[k, 0] - qx) + abs(points[k, 1] - qy) + abs(points[k, 2] - qz)
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
    if of_a:
        put_from_b(found, n, code, NORMAL_FIXED, (qx, qy, qz), (nx, ny, nz), gap)
    else:
        put_from_a(found, n, code, NORMAL_FIXED, (qx, qy, qz), (nx, ny, nz), gap)
    return n + 1


@inner
def _touching_normal(i, j, point, axis, on_plane, shapes, scratch):
    """Return the normal where two boxes touch at one point: between their outward directions there.

    The outward direction of a box at a point is the sum of the normals of the faces it lies on.
    """
    size, position = shapes.size, shapes.position
    x, y, z = point
    nx, ny, nz = 0.0, 0.0, 0.0
    for number in range(2):
        box = i if number == 0 else j
        way = -1.0 if number == 0 else 1.0
        r = scratch.rotation[number]
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
def _edges_near(which, other, size, reach, vertices):
    """Return the edges of box `which` (0: a, 1: b) that come within `reach` of box `other`, as bits."""
    near = 0
    for edge in range(12):
        first, second = _edge_vertices(edge)
        outside = False
        for k in range(3):
            p, q, limit = vertices[which, first, k], vertices[which, second, k], size[other, k] + reach
            outside = outside or min(p, q) > limit or max(p, q) < -limit
        if not outside:
            near |= 1 << edge
    return near


@kernel
def _closest_edges(i: int, j: int, limit: float, shapes: ShapeArrays, scratch: BoxScratch) -> int:
    """Write the contact of the closest two edges if nearer than `limit` and inside both; return 0 or 1."""
    size, position = shapes.size, shapes.position
    c, r, way = scratch.axes, scratch.rotation[0], scratch.way
    near_a = _edges_near(0, j, size, limit, scratch.vertices)
    near_b = _edges_near(1, i, size, limit, scratch.vertices)
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
            ek = way[0, k] + b1 * c[k, m1] + b2 * c[k, m2]
            e1 = way[0, k1] + b1 * c[k1, m1] + b2 * c[k1, m2] - a1
            e2 = way[0, k2] + b1 * c[k2, m1] + b2 * c[k2, m2] - a2
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
            number = EDGE_EDGE + 12 * edge_a + edge_b
            put_from_a(scratch.found, 0, number, NORMAL_FIXED, (px, py, pz), (nx, ny, nz), distance)
    return n

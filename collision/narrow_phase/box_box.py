"""Box against box: best separating axis, then the contact region.

The axis is the one of the 15 candidates (3 + 3 face normals, 9 edge products) with the largest signed
gap; faces win over edges, and the first box over the second, unless the other is better by more than a
tolerance. For a face, the other box's most opposed face is clipped against the side planes of the
reference face (Bender 2007, section 4.5.2.1) and each point's gap is its height above that face, so
the manifold of a box at rest is exact and each gap is linear in the pose's translation. For crossing
edges there is one contact. Boxes apart whose faces do not overlap get the true closest features.

Feature numbers name the geometry alone (vertex, edge or face of either box), not the way it was found,
so a contact keeps its number when the reference face changes over.

    0 + 6 vertex_a + face_b        48 + 6 vertex_b + face_a      96 + 12 edge_a + edge_b
    240 and up: vertex and edge pairs of boxes apart (`stoss.collision.narrow_phase.box_distance`)

Vertex numbers: bit k set when coordinate k is positive. Edge: 4 axis + sign bits of the next two axes.
Face: 2 axis + (1 when positive).
"""

import numpy as np
from stoss.collision.algebra import matrix_from_quaternion
from stoss.collision.contacts import NORMAL_FIXED, NORMAL_ON_A, NORMAL_ON_B
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2, Floats3, Ints, Ints2
from stoss.collision.narrow_phase.box_distance import (
    EDGE_EDGE,
    FACE_VERTEX,
    VERTEX_FACE,
    closest_box_features,
    edge_number,
    write_contact,
)

__all__ = [
    "AXIS_TOLERANCE",
    "AXIS_TOLERANCE_RELATIVE",
    "BOX_SCRATCH_FLOATS",
    "BOX_SCRATCH_INTEGERS",
    "collide_box_box",
]

# An edge axis, or a face of the second box, must beat the first box's face by this share of the
# smallest half edge. Beside it: stacks flip between features from step to step and lose their warm
# start; much more, and crossing edges are seen late.
AXIS_TOLERANCE = 1e-3
# In overlap an edge axis must also beat the face by this share of the depth: deep overlaps are decided
# by the faces, whose manifold holds the box upright.
AXIS_TOLERANCE_RELATIVE = 0.05
# Points this close to a side plane (share of the smallest half edge) count as on it and are not clipped.
# Far above rounding, so that equal boxes exactly on each other keep their features.
_ON_PLANE = 1e-6
# Edges closer to parallel than this angle [rad] make no axis: its rounding grows as 1e-16 / angle, and
# the faces bound the same gap up to angle x edge length.
_PARALLEL_EDGES = 1e-4

# Scratch arrays of `collide_box_box`. Floats: [0] and [1] rotation matrices of a and b (3 x 3); [2] axes
# of b in the frame of a; [3] axes (columns 0 to 2) and centre (3) of the other box in the reference
# box's frame, centre of b from a in the frames of a (4) and b (5); [4] and [5] polygons: rows u, v,
# height above the face. Integers: tags and labels of either polygon.
BOX_SCRATCH_FLOATS = (6, 3, 16)
BOX_SCRATCH_INTEGERS = (4, 16)


@kernel
def collide_box_box(
    # in
    i: int,
    j: int,
    size: Floats2,
    position: Floats2,
    quaternion: Floats2,
    margin: float,
    # scratch
    w: Floats3,
    tags: Ints2,
    # out
    out: Floats2,
    feature: Ints,
    side: Ints,
) -> int:
    """Find the contacts of boxes `i` (a) and `j` (b) with gap <= margin; return how many (up to 8)."""
    ra, rb, c = w[0], w[1], w[2]
    _matrix_into(quaternion[i], ra)
    _matrix_into(quaternion[j], rb)
    tx = position[j, 0] - position[i, 0]
    ty = position[j, 1] - position[i, 1]
    tz = position[j, 2] - position[i, 2]
    smallest = min(size[i, 0], size[i, 1], size[i, 2], size[j, 0], size[j, 1], size[j, 2])
    tolerance = AXIS_TOLERANCE * smallest

    # faces of a: gap = |a_k . t| - h_ak - sum_l h_bl |a_k . b_l|
    face_gap, face_axis, face_of_a = -np.inf, 0, True
    for k in range(3):
        w[3, k, 4] = ra[0, k] * tx + ra[1, k] * ty + ra[2, k] * tz
        reach = size[i, k]
        for m in range(3):
            c[k, m] = ra[0, k] * rb[0, m] + ra[1, k] * rb[1, m] + ra[2, k] * rb[2, m]
            reach += size[j, m] * abs(c[k, m])
        gap = abs(w[3, k, 4]) - reach
        if gap > margin:
            return 0
        if gap > face_gap:
            face_gap, face_axis = gap, k
    # faces of b
    needed = face_gap + tolerance
    for m in range(3):
        w[3, m, 5] = rb[0, m] * tx + rb[1, m] * ty + rb[2, m] * tz
        reach = size[j, m]
        for k in range(3):
            reach += size[i, k] * abs(c[k, m])
        gap = abs(w[3, m, 5]) - reach
        if gap > margin:
            return 0
        if gap > needed:
            face_gap, face_axis, face_of_a = gap, m, False
            needed = gap
    # edges: L = a_k x b_m has the components (a frame) L_k1 = -c_k2m, L_k2 = c_k1m, L_k = 0
    needed = face_gap + tolerance + AXIS_TOLERANCE_RELATIVE * max(0.0, -face_gap)
    edge_gap, edge_k, edge_m = -np.inf, -1, -1
    for k in range(3):
        k1, k2 = (k + 1) % 3, (k + 2) % 3
        for m in range(3):
            m1, m2 = (m + 1) % 3, (m + 2) % 3
            raw = abs(w[3, k2, 4] * c[k1, m] - w[3, k1, 4] * c[k2, m])
            raw -= size[i, k1] * abs(c[k2, m]) + size[i, k2] * abs(c[k1, m])
            raw -= size[j, m1] * abs(c[k, m2]) + size[j, m2] * abs(c[k, m1])
            # |L| <= 1: a negative gap only gets worse by the division
            if raw <= needed and raw <= 0.0:
                continue
            length = np.sqrt(c[k1, m] * c[k1, m] + c[k2, m] * c[k2, m])
            if length < _PARALLEL_EDGES:
                continue
            gap = raw / length
            if gap > margin:
                return 0
            if gap > needed and gap > edge_gap:
                edge_gap, edge_k, edge_m = gap, k, m
    if edge_k >= 0:
        n = _edge_contact(i, j, size, position, edge_k, edge_m, edge_gap, w, out, feature, side, False)
        if n > 0:
            return n
    on_plane = _ON_PLANE * smallest
    corners, n = _face_contacts(
        i, j, size, position, face_axis, face_of_a, on_plane, margin, w, tags, out, feature, side
    )
    if n > 0:
        return n
    best_gap = max(face_gap, edge_gap)
    if best_gap > on_plane and 0 < corners < 3:
        # The faces only graze each other's border: a box sliding over a floor of boxes must not be
        # caught by the side of the next one, whose top is level with its bottom.
        return 0
    if best_gap > -on_plane:
        axis = _outward(face_axis, face_of_a, w)
        return closest_box_features(
            i, j, size, position, axis, best_gap, on_plane, margin, w, out, feature, side
        )
    if edge_k >= 0:
        return _edge_contact(i, j, size, position, edge_k, edge_m, edge_gap, w, out, feature, side, True)
    return _deepest_vertex(i, j, size, position, face_axis, face_of_a, w, out, feature, side)


@inner
def _matrix_into(q, r):
    (
        r[0, 0],
        r[0, 1],
        r[0, 2],
        r[1, 0],
        r[1, 1],
        r[1, 2],
        r[2, 0],
        r[2, 1],
        r[2, 2],
    ) = matrix_from_quaternion(q)


@inner
def _outward(f, of_a, w):
    """Return the unit normal of face axis `f`, pointing from b to a."""
    column = 4 if of_a else 5
    r = w[0] if of_a else w[1]
    up = -1.0 if w[3, f, column] >= 0.0 else 1.0
    return up * r[0, f], up * r[1, f], up * r[2, f]


@inner
def _edge_contact(i, j, size, position, k, m, gap, w, out, feature, side, force):
    """Write the contact of edge `k` of a with edge `m` of b; 0 when their closest points lie outside.

    With `force` the points are moved to the ends of the edges instead.
    """
    ra, c = w[0], w[2]
    k1, k2 = (k + 1) % 3, (k + 2) % 3
    m1, m2 = (m + 1) % 3, (m + 2) % 3
    square = c[k1, m] * c[k1, m] + c[k2, m] * c[k2, m]
    length = np.sqrt(square)
    # direction d = +-L / |L| from a to b, in a's frame
    flip = 1.0 if w[3, k2, 4] * c[k1, m] - w[3, k1, 4] * c[k2, m] >= 0.0 else -1.0
    d1, d2 = -flip * c[k2, m] / length, flip * c[k1, m] / length
    # the edges that reach furthest: a's along d, b's along -d (b_m1 . L = c_km2, b_m2 . L = -c_km1)
    a1 = size[i, k1] if d1 >= 0.0 else -size[i, k1]
    a2 = size[i, k2] if d2 >= 0.0 else -size[i, k2]
    b1 = -size[j, m1] if flip * c[k, m2] >= 0.0 else size[j, m1]
    b2 = size[j, m2] if flip * c[k, m1] >= 0.0 else -size[j, m2]
    # closest points of the lines a = (0, a1, a2) + s e_k and b = t + b1 c_m1 + b2 c_m2 + u c_m
    ek = w[3, k, 4] + b1 * c[k, m1] + b2 * c[k, m2]
    e1 = w[3, k1, 4] + b1 * c[k1, m1] + b2 * c[k1, m2] - a1
    e2 = w[3, k2, 4] + b1 * c[k2, m1] + b2 * c[k2, m2] - a2
    cosine = c[k, m]
    along = ek * cosine + e1 * c[k1, m] + e2 * c[k2, m]
    s = (ek - cosine * along) / square
    u = (cosine * ek - along) / square
    if abs(s) > size[i, k] or abs(u) > size[j, m]:
        if not force:
            return 0
        s = min(max(s, -size[i, k]), size[i, k])
    px = position[i, 0] + ra[0, k] * s + ra[0, k1] * a1 + ra[0, k2] * a2
    py = position[i, 1] + ra[1, k] * s + ra[1, k1] * a1 + ra[1, k2] * a2
    pz = position[i, 2] + ra[2, k] * s + ra[2, k1] * a1 + ra[2, k2] * a2
    nx = -(ra[0, k1] * d1 + ra[0, k2] * d2)
    ny = -(ra[1, k1] * d1 + ra[1, k2] * d2)
    nz = -(ra[2, k1] * d1 + ra[2, k2] * d2)
    edge_a = edge_number(k, 1 if a1 > 0.0 else 0, 1 if a2 > 0.0 else 0)
    edge_b = edge_number(m, 1 if b1 > 0.0 else 0, 1 if b2 > 0.0 else 0)
    number = EDGE_EDGE + 12 * edge_a + edge_b
    bx, by, bz = px - gap * nx, py - gap * ny, pz - gap * nz
    write_contact(out, feature, side, 0, px, py, pz, bx, by, bz, nx, ny, nz, gap, number, NORMAL_FIXED)
    return 1


@inner
def _enter_reference_frame(i, j, of_a, w):
    """Write the other box's axes and centre in the reference box's frame to w[3]; return both rows."""
    rel, c = w[3], w[2]
    for k in range(3):
        for m in range(3):
            rel[k, m] = c[k, m] if of_a else c[m, k]
        rel[k, 3] = rel[k, 4] if of_a else -rel[k, 5]
    return (i, j) if of_a else (j, i)


@inner
def _face_contacts(i, j, size, position, f, of_a, on_plane, margin, w, tags, out, feature, side):
    """Clip the incident face against reference face `f`; return (corners of the region, contacts).

    A region without width has two corners and no contacts.
    """
    ref, other = _enter_reference_frame(i, j, of_a, w)
    rel = w[3]
    f1, f2 = (f + 1) % 3, (f + 2) % 3
    up = 1.0 if rel[f, 3] >= 0.0 else -1.0
    # incident face: the axis most parallel to the reference normal, the side that looks back
    m = 0
    for candidate in range(1, 3):
        if abs(rel[f, candidate]) > abs(rel[f, m]) + 1e-6:
            m = candidate
    m1, m2 = (m + 1) % 3, (m + 2) % 3
    back = -up if rel[f, m] >= 0.0 else up
    h, h1, h2 = back * size[other, m], size[other, m1], size[other, m2]
    bit = 1 << m if back > 0.0 else 0
    now = 0
    count = 4
    for v in range(4):  # (+,+) (-,+) (-,-) (+,-)
        s1 = h1 if v == 0 or v == 3 else -h1
        s2 = h2 if v < 2 else -h2
        w[4, 0, v] = rel[f1, 3] + h * rel[f1, m] + s1 * rel[f1, m1] + s2 * rel[f1, m2]
        w[4, 1, v] = rel[f2, 3] + h * rel[f2, m] + s1 * rel[f2, m1] + s2 * rel[f2, m2]
        height = rel[f, 3] + h * rel[f, m] + s1 * rel[f, m1] + s2 * rel[f, m2]
        w[4, 2, v] = up * height - size[ref, f]
        tags[0, v] = bit + (1 << m1 if s1 > 0.0 else 0) + (1 << m2 if s2 > 0.0 else 0)
        tags[1, v] = v
    for plane in range(4):
        row = plane >> 1
        way = 1.0 if plane & 1 == 0 else -1.0
        limit = size[ref, f1] if row == 0 else size[ref, f2]
        outside = False
        for v in range(count):
            if way * w[4 + now, row, v] - limit > on_plane:
                outside = True
        if not outside:
            continue
        count = _clip(plane, row, way, limit, on_plane, count, now, w, tags)
        now = 1 - now
        if count == 0:
            return 0, 0
    if _is_line(count, now, on_plane, w):
        return 2, 0
    r = w[0] if of_a else w[1]
    ox, oy, oz = up * r[0, f], up * r[1, f], up * r[2, f]
    nx, ny, nz = (-ox, -oy, -oz) if of_a else (ox, oy, oz)
    carrier = NORMAL_ON_A if of_a else NORMAL_ON_B
    face = 2 * f + (1 if up > 0.0 else 0)
    incident = 2 * m + (1 if back > 0.0 else 0)
    n = 0
    for v in range(count):
        gap = w[4 + now, 2, v]
        if gap > margin:
            continue
        pu, pv, pw = w[4 + now, 0, v], w[4 + now, 1, v], size[ref, f]
        px = position[ref, 0] + r[0, f1] * pu + r[0, f2] * pv + ox * pw
        py = position[ref, 1] + r[1, f1] * pu + r[1, f2] * pv + oy * pw
        pz = position[ref, 2] + r[2, f1] * pu + r[2, f2] * pv + oz * pw
        number = _region_feature(tags[2 * now, v], f, face, m, incident, of_a)
        qx, qy, qz = px + gap * ox, py + gap * oy, pz + gap * oz
        if of_a:
            write_contact(out, feature, side, n, px, py, pz, qx, qy, qz, nx, ny, nz, gap, number, carrier)
        else:
            write_contact(out, feature, side, n, qx, qy, qz, px, py, pz, nx, ny, nz, gap, number, carrier)
        n += 1
    return count, n


@inner
def _clip(plane, row, way, limit, on_plane, count, now, w, tags):
    """Clip the polygon `now` at one side plane into the other polygon; return its corner count.

    tags[2 now] names each corner: 0..7 a vertex, 8 + 4 label + plane a crossing. tags[2 now + 1] is
    the label of the edge that leaves it: 0..3 an edge of the incident face, 4 + plane a side plane.
    """
    here, there = 4 + now, 5 - now
    tag_in, label_in, tag_out, label_out = 2 * now, 2 * now + 1, 2 - 2 * now, 3 - 2 * now
    n = 0
    for v in range(count):
        following = v + 1 if v + 1 < count else 0
        d0 = way * w[here, row, v] - limit
        d1 = way * w[here, row, following] - limit
        if d0 <= on_plane:
            for x in range(3):
                w[there, x, n] = w[here, x, v]
            tags[tag_out, n] = tags[tag_in, v]
            leaves_along = d1 > on_plane and d0 >= -on_plane
            tags[label_out, n] = 4 + plane if leaves_along else tags[label_in, v]
            n += 1
        if (d0 < -on_plane and d1 > on_plane) or (d0 > on_plane and d1 < -on_plane):
            share = d0 / (d0 - d1)
            for x in range(3):
                w[there, x, n] = w[here, x, v] + share * (w[here, x, following] - w[here, x, v])
            w[there, row, n] = way * limit
            tags[tag_out, n] = 8 + 4 * tags[label_in, v] + plane
            tags[label_out, n] = 4 + plane if d0 < 0.0 else tags[label_in, v]
            n += 1
    return n


@inner
def _is_line(count, now, on_plane, w):
    """Return whether a polygon has no width: twice its area is below `on_plane` times its extent."""
    u, v = w[4 + now, 0], w[4 + now, 1]
    twice_area, extent = 0.0, 0.0
    for k in range(1, count):
        extent = max(extent, abs(u[k] - u[0]), abs(v[k] - v[0]))
        if k > 1:
            twice_area += (u[k - 1] - u[0]) * (v[k] - v[0]) - (u[k] - u[0]) * (v[k - 1] - v[0])
    return abs(twice_area) <= on_plane * extent


@inner
def _plane_bits(plane):
    """Return (axis 1 or 2 relative to the face, sign bit) of a side plane."""
    return 1 + (plane >> 1), 1 - (plane & 1)


@inner
def _region_feature(tag, f, face, m, incident, of_a):
    if tag < 8:  # a vertex of the other box over the reference face
        return FACE_VERTEX + 6 * tag + face if of_a else VERTEX_FACE + 6 * tag + face
    label, plane = (tag - 8) >> 2, (tag - 8) & 3
    step, bit = _plane_bits(plane)
    up_bit, back_bit = face & 1, incident & 1
    if label >= 4:  # a corner of the reference face within the incident face
        step2, bit2 = _plane_bits(label - 4)
        vertex = (up_bit << f) + (bit << (f + step) % 3) + (bit2 << (f + step2) % 3)
        return VERTEX_FACE + 6 * vertex + incident if of_a else FACE_VERTEX + 6 * vertex + incident
    # an edge of the incident face over an edge of the reference face
    if step == 1:  # side plane of the next axis: the edge runs along the one after
        edge_ref = edge_number((f + 2) % 3, up_bit, bit)
    else:
        edge_ref = edge_number((f + 1) % 3, bit, up_bit)
    if label == 0 or label == 2:  # runs along m1, at the + or - side of m2
        edge_other = edge_number((m + 1) % 3, 1 if label == 0 else 0, back_bit)
    else:  # runs along m2, at the - or + side of m1
        edge_other = edge_number((m + 2) % 3, back_bit, 1 if label == 3 else 0)
    if of_a:
        return EDGE_EDGE + 12 * edge_ref + edge_other
    return EDGE_EDGE + 12 * edge_other + edge_ref


@inner
def _deepest_vertex(i, j, size, position, f, of_a, w, out, feature, side):
    """Write one contact at the other box's deepest vertex, moved sideways onto the reference face."""
    ref, other = _enter_reference_frame(i, j, of_a, w)
    rel = w[3]
    r = w[0] if of_a else w[1]
    up = 1.0 if rel[f, 3] >= 0.0 else -1.0
    vertex = 0
    for k in range(3):
        w[4, 0, k] = rel[k, 3]
    for m in range(3):
        h = -size[other, m] if up * rel[f, m] >= 0.0 else size[other, m]
        if h > 0.0:
            vertex += 1 << m
        for k in range(3):
            w[4, 0, k] += h * rel[k, m]
    gap = up * w[4, 0, f] - size[ref, f]
    px, py, pz = position[ref, 0], position[ref, 1], position[ref, 2]
    for k in range(3):
        x = up * size[ref, f] if k == f else min(max(w[4, 0, k], -size[ref, k]), size[ref, k])
        px, py, pz = px + r[0, k] * x, py + r[1, k] * x, pz + r[2, k] * x
    ox, oy, oz = up * r[0, f], up * r[1, f], up * r[2, f]
    qx, qy, qz = px + gap * ox, py + gap * oy, pz + gap * oz
    face = 2 * f + (1 if up > 0.0 else 0)
    if of_a:
        number = FACE_VERTEX + 6 * vertex + face
        write_contact(out, feature, side, 0, px, py, pz, qx, qy, qz, -ox, -oy, -oz, gap, number, NORMAL_ON_A)
    else:
        number = VERTEX_FACE + 6 * vertex + face
        write_contact(out, feature, side, 0, qx, qy, qz, px, py, pz, ox, oy, oz, gap, number, NORMAL_ON_B)
    return 1

"""Box against box: best separating axis, then the contact manifold.

The axis is the one of the 15 candidates (3 + 3 face normals, 9 edge products) with the largest signed
gap; faces win over edges, and the first box over the second, unless the other is better by more than a
tolerance. For a face, the other box's most opposed face is clipped against the side planes of the
reference face (`box_faces`). For crossing edges there is one contact. Boxes apart whose faces do not overlap
get the true closest features (`box_distance`).
"""

import numpy as np

from stoss.collision.contacts import NORMAL_FIXED
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.narrow_phase.box_distance import closest_box_features
from stoss.collision.narrow_phase.box_faces import deepest_vertex, face_contacts
from stoss.collision.narrow_phase.box_pair import EDGE_EDGE, BoxScratch, edge_number, write_matrix
from stoss.collision.narrow_phase.pair_contacts import put_from_a
from stoss.collision.shapes.shape_table import ShapeArrays

__all__ = ["AXIS_TOLERANCE", "AXIS_TOLERANCE_RELATIVE", "collide_box_box"]

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


@kernel
def collide_box_box(i: int, j: int, shapes: ShapeArrays, margin: float, scratch: BoxScratch) -> int:
    """Find the contacts of boxes `i` (a) and `j` (b) with gap <= margin; return how many (up to 8)."""
    size, position = shapes.size, shapes.position
    ra, rb, c, way = scratch.rotation[0], scratch.rotation[1], scratch.axes, scratch.way
    write_matrix(shapes.quaternion[i], ra)
    write_matrix(shapes.quaternion[j], rb)
    tx = position[j, 0] - position[i, 0]
    ty = position[j, 1] - position[i, 1]
    tz = position[j, 2] - position[i, 2]
    smallest = min(size[i, 0], size[i, 1], size[i, 2], size[j, 0], size[j, 1], size[j, 2])
    tolerance = AXIS_TOLERANCE * smallest

    # faces of a: gap = |a_k . t| - h_ak - sum_l h_bl |a_k . b_l|
    face_gap, face_axis, face_of_a = -np.inf, 0, True
    for k in range(3):
        way[0, k] = ra[0, k] * tx + ra[1, k] * ty + ra[2, k] * tz
        reach = size[i, k]
        for m in range(3):
            c[k, m] = ra[0, k] * rb[0, m] + ra[1, k] * rb[1, m] + ra[2, k] * rb[2, m]
            reach += size[j, m] * abs(c[k, m])
        gap = abs(way[0, k]) - reach
        if gap > margin:
            return 0
        if gap > face_gap:
            face_gap, face_axis = gap, k
    # faces of b
    needed = face_gap + tolerance
    for m in range(3):
        way[1, m] = rb[0, m] * tx + rb[1, m] * ty + rb[2, m] * tz
        reach = size[j, m]
        for k in range(3):
            reach += size[i, k] * abs(c[k, m])
        gap = abs(way[1, m]) - reach
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
            raw = abs(way[0, k2] * c[k1, m] - way[0, k1] * c[k2, m])
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
        n = _edge_contact(i, j, edge_k, edge_m, edge_gap, False, shapes, scratch)
        if n > 0:
            return n
    on_plane = _ON_PLANE * smallest
    corners, n = face_contacts(i, j, face_axis, face_of_a, on_plane, margin, shapes, scratch)
    if n > 0:
        return n
    best_gap = max(face_gap, edge_gap)
    if best_gap > on_plane and 0 < corners < 3:
        # The faces only graze each other's border: a box sliding over a floor of boxes must not be
        # caught by the side of the next one, whose top is level with its bottom.
        return 0
    if best_gap > -on_plane:
        axis = _outward(face_axis, face_of_a, scratch)
        return closest_box_features(i, j, axis, best_gap, on_plane, margin, shapes, scratch)
    if edge_k >= 0:
        return _edge_contact(i, j, edge_k, edge_m, edge_gap, True, shapes, scratch)
    return deepest_vertex(i, j, face_axis, face_of_a, shapes, scratch)


@inner
def _outward(f, of_a, scratch):
    """Return the unit normal of face axis `f`, pointing from b to a."""
    which = 0 if of_a else 1
    r = scratch.rotation
    up = -1.0 if scratch.way[which, f] >= 0.0 else 1.0
    return up * r[which, 0, f], up * r[which, 1, f], up * r[which, 2, f]


@kernel
def _edge_contact(
    i: int, j: int, k: int, m: int, gap: float, force: bool, shapes: ShapeArrays, scratch: BoxScratch
) -> int:
    """Write the contact of edge `k` of a with edge `m` of b; 0 when their closest points lie outside.

    With `force` the points are moved to the ends of the edges instead.
    """
    size, position = shapes.size, shapes.position
    ra, c, way = scratch.rotation[0], scratch.axes, scratch.way
    k1, k2 = (k + 1) % 3, (k + 2) % 3
    m1, m2 = (m + 1) % 3, (m + 2) % 3
    square = c[k1, m] * c[k1, m] + c[k2, m] * c[k2, m]
    length = np.sqrt(square)
    # direction d = +-L / |L| from a to b, in a's frame
    flip = 1.0 if way[0, k2] * c[k1, m] - way[0, k1] * c[k2, m] >= 0.0 else -1.0
    d1, d2 = -flip * c[k2, m] / length, flip * c[k1, m] / length
    # the edges that reach furthest: a's along d, b's along -d (b_m1 . L = c_km2, b_m2 . L = -c_km1)
    a1 = size[i, k1] if d1 >= 0.0 else -size[i, k1]
    a2 = size[i, k2] if d2 >= 0.0 else -size[i, k2]
    b1 = -size[j, m1] if flip * c[k, m2] >= 0.0 else size[j, m1]
    b2 = size[j, m2] if flip * c[k, m1] >= 0.0 else -size[j, m2]
    # closest points of the lines a = (0, a1, a2) + s e_k and b = t + b1 c_m1 + b2 c_m2 + u c_m
    ek = way[0, k] + b1 * c[k, m1] + b2 * c[k, m2]
    e1 = way[0, k1] + b1 * c[k1, m1] + b2 * c[k1, m2] - a1
    e2 = way[0, k2] + b1 * c[k2, m1] + b2 * c[k2, m2] - a2
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
    put_from_a(scratch.found, 0, number, NORMAL_FIXED, (px, py, pz), (nx, ny, nz), gap)
    return 1

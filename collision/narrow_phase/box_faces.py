"""Boxes face to face: one box's face clipped to a face of the other.

The other box's most opposed face is clipped against the side planes of the reference face (Bender 2007,
section 4.5.2.1) and each point's gap is its height above that face, so the manifold of a box at rest is exact
and each gap is linear in the pose's translation.
"""

from stoss.collision.contacts import NORMAL_ON_A, NORMAL_ON_B
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.narrow_phase.box_pair import (
    EDGE_EDGE,
    FACE_VERTEX,
    VERTEX_FACE,
    BoxScratch,
    edge_number,
)
from stoss.collision.narrow_phase.pair_contacts import put_from_a, put_from_b
from stoss.collision.shapes.shape_table import ShapeArrays

__all__ = ["deepest_vertex", "face_contacts"]


@inner
def _enter_reference_frame(i, j, of_a, scratch):
    """Write the other box's axes and centre in the reference box's frame; return both rows."""
    rel, centre, c, way = scratch.other_axes, scratch.other_centre, scratch.axes, scratch.way
    for k in range(3):
        for m in range(3):
            rel[k, m] = c[k, m] if of_a else c[m, k]
        centre[k] = way[0, k] if of_a else -way[1, k]
    return (i, j) if of_a else (j, i)


@kernel
def face_contacts(
    i: int,
    j: int,
    f: int,
    of_a: bool,
    on_plane: float,
    margin: float,
    shapes: ShapeArrays,
    scratch: BoxScratch,
) -> tuple[int, int]:
    """Clip the incident face against reference face `f`; return (corners of the manifold, contacts).

    A manifold without width has two corners and no contacts.

    Inputs:
        i, j: boxes a and b.
        f, of_a: axis of the reference face, and whether it is one of a.
        on_plane: distance [m] within which points count as on a side plane.
    """
    size, position, polygon = shapes.size, shapes.position, scratch.polygon
    ref, other = _enter_reference_frame(i, j, of_a, scratch)
    rel, centre = scratch.other_axes, scratch.other_centre
    f1, f2 = (f + 1) % 3, (f + 2) % 3
    up = 1.0 if centre[f] >= 0.0 else -1.0
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
        polygon[0, 0, v] = centre[f1] + h * rel[f1, m] + s1 * rel[f1, m1] + s2 * rel[f1, m2]
        polygon[0, 1, v] = centre[f2] + h * rel[f2, m] + s1 * rel[f2, m1] + s2 * rel[f2, m2]
        height = centre[f] + h * rel[f, m] + s1 * rel[f, m1] + s2 * rel[f, m2]
        polygon[0, 2, v] = up * height - size[ref, f]
        scratch.tags[0, v] = bit + (1 << m1 if s1 > 0.0 else 0) + (1 << m2 if s2 > 0.0 else 0)
        scratch.labels[0, v] = v
    for plane in range(4):
        row = plane >> 1
        way = 1.0 if plane & 1 == 0 else -1.0
        limit = size[ref, f1] if row == 0 else size[ref, f2]
        outside = False
        for v in range(count):
            if way * polygon[now, row, v] - limit > on_plane:
                outside = True
        if not outside:
            continue
        count = _clip(plane, row, way, limit, on_plane, count, now, scratch)
        now = 1 - now
        if count == 0:
            return 0, 0
    if _is_line(count, polygon[now], on_plane):
        return 2, 0
    r, found, tags = scratch.rotation[0 if of_a else 1], scratch.found, scratch.tags
    ox, oy, oz = up * r[0, f], up * r[1, f], up * r[2, f]
    face = 2 * f + (1 if up > 0.0 else 0)
    incident = 2 * m + (1 if back > 0.0 else 0)
    n = 0
    for v in range(count):
        gap = polygon[now, 2, v]
        if gap > margin:
            continue
        pu, pv, pw = polygon[now, 0, v], polygon[now, 1, v], size[ref, f]
        px = position[ref, 0] + r[0, f1] * pu + r[0, f2] * pv + ox * pw
        py = position[ref, 1] + r[1, f1] * pu + r[1, f2] * pv + oy * pw
        pz = position[ref, 2] + r[2, f1] * pu + r[2, f2] * pv + oz * pw
        number = _clipped_feature(tags[now, v], f, face, m, incident, of_a)
        if of_a:  # the normal points from b to a, against the face of a
            put_from_a(found, n, number, NORMAL_ON_A, (px, py, pz), (-ox, -oy, -oz), gap)
        else:
            put_from_b(found, n, number, NORMAL_ON_B, (px, py, pz), (ox, oy, oz), gap)
        n += 1
    return count, n


@inner
def _clip(plane, row, way, limit, on_plane, count, now, scratch):
    """Clip the polygon `now` at one side plane into the other polygon; return its corner count."""
    other, tags, labels = 1 - now, scratch.tags, scratch.labels
    old, new = scratch.polygon[now], scratch.polygon[other]
    n = 0
    for v in range(count):
        following = v + 1 if v + 1 < count else 0
        d0 = way * old[row, v] - limit
        d1 = way * old[row, following] - limit
        if d0 <= on_plane:
            for x in range(3):
                new[x, n] = old[x, v]
            tags[other, n] = tags[now, v]
            leaves_along = d1 > on_plane and d0 >= -on_plane
            labels[other, n] = 4 + plane if leaves_along else labels[now, v]
            n += 1
        if (d0 < -on_plane and d1 > on_plane) or (d0 > on_plane and d1 < -on_plane):
            share = d0 / (d0 - d1)
            for x in range(3):
                new[x, n] = old[x, v] + share * (old[x, following] - old[x, v])
            new[row, n] = way * limit
            tags[other, n] = 8 + 4 * labels[now, v] + plane
            labels[other, n] = 4 + plane if d0 < 0.0 else labels[now, v]
            n += 1
    return n


@inner
def _is_line(count, polygon, on_plane):
    """Return whether a polygon has no width: twice its area is below `on_plane` times its extent."""
    u, v = polygon[0], polygon[1]
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
def _clipped_feature(tag, f, face, m, incident, of_a):
    """Return the feature number of a corner of the clipped face."""
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


@kernel
def deepest_vertex(i: int, j: int, f: int, of_a: bool, shapes: ShapeArrays, scratch: BoxScratch) -> int:
    """Write one contact at the other box's deepest vertex, moved sideways onto the reference face."""
    size, position = shapes.size, shapes.position
    ref, other = _enter_reference_frame(i, j, of_a, scratch)
    rel, centre, point = scratch.other_axes, scratch.other_centre, scratch.polygon[0, 0]
    r, found = scratch.rotation[0 if of_a else 1], scratch.found
    up = 1.0 if centre[f] >= 0.0 else -1.0
    vertex = 0
    for k in range(3):
        point[k] = centre[k]
    for m in range(3):
        h = -size[other, m] if up * rel[f, m] >= 0.0 else size[other, m]
        if h > 0.0:
            vertex += 1 << m
        for k in range(3):
            point[k] += h * rel[k, m]
    gap = up * point[f] - size[ref, f]
    px, py, pz = position[ref, 0], position[ref, 1], position[ref, 2]
    for k in range(3):
        x = up * size[ref, f] if k == f else min(max(point[k], -size[ref, k]), size[ref, k])
        px, py, pz = px + r[0, k] * x, py + r[1, k] * x, pz + r[2, k] * x
    ox, oy, oz = up * r[0, f], up * r[1, f], up * r[2, f]
    face = 2 * f + (1 if up > 0.0 else 0)
    if of_a:
        number = FACE_VERTEX + 6 * vertex + face
        put_from_a(found, 0, number, NORMAL_ON_A, (px, py, pz), (-ox, -oy, -oz), gap)
    else:
        number = VERTEX_FACE + 6 * vertex + face
        put_from_b(found, 0, number, NORMAL_ON_B, (px, py, pz), (ox, oy, oz), gap)
    return 1

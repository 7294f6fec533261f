"""Contact regions: from two shapes and a normal to contact points with exact gaps.

A collision library says how deep two shapes overlap and in which direction; a body needs to know on what
it stands. If a flat face of either shape is (nearly) perpendicular to the normal, that face becomes the
reference: its normal replaces the given one, the feature with which the other shape looks at it is clipped
to it, and every gap is measured from its plane. Otherwise two lines meet (one contact, or two if they are
parallel), or a curved surface touches (one).
"""

import numpy as np
from numba import njit

from collision.clipping import (
    MAX_CANDIDATES,
    clip_disc_disc,
    clip_disc_polygon,
    clip_polygon,
    clip_segment,
    feature_number,
    inside_disc,
    inside_polygon,
    reduce_candidates,
)
from collision.contacts import NORMAL_FIXED, NORMAL_ON_A, NORMAL_ON_B, Contacts
from collision.features import (
    FLAT_DISC,
    FLAT_NONE,
    MAX_CORNERS,
    POSE_SIZE,
    WHAT_SIZE,
    edge_feature,
    support,
    support_polygon,
    to_shape,
)
from collision.shape_table import ShapeTable

__all__ = ["MAX_CONTACTS", "contact_arrays", "contact_region", "face_region", "make_scratch", "separation",
           "shape_arrays"]

MAX_CONTACTS = 8  # contacts per pair of shapes

# Cosine of the angle within which a face replaces the given normal: 0.02 rad. The clipped gaps then differ
# from the distances along the given normal by 2e-4 of themselves, a fifth of what resting needs to notice
# nothing; and a cube that is tilted by less keeps its four contacts instead of rocking on one edge.
FACE_COSINE = np.cos(0.02)
LINE_SINE = 0.02  # a line counts as perpendicular to the normal, or lines as parallel, within this angle [rad]
# The second shape's face is the reference only if it separates better by this [relative to the faces' size]:
# with a smaller value rounding could swap the faces of a resting pair, and all feature numbers with them.
SWAP_BIAS = 1e-6
SLACK = 1e-7  # widening of reference faces, relative to their size


def shape_arrays(table: ShapeTable) -> tuple[np.ndarray, ...]:
    """Return the arrays of a table that kernels on pairs of shapes read, as a plain tuple."""
    return (table.kind, table.size, table.polyhedron, table.position, table.quaternion, table.body)


def contact_arrays(contacts: Contacts) -> tuple[np.ndarray, ...]:
    """Return the arrays of `contacts` that kernels write, as a plain tuple."""
    return (contacts.body_a, contacts.body_b, contacts.shape_a, contacts.shape_b, contacts.feature,
            contacts.normal_side, contacts.point_a, contacts.point_b, contacts.normal, contacts.gap,
            contacts.radius_a, contacts.radius_b)


@njit(cache=True)
def make_scratch():
    """Return the work arrays of `contact_region`; make them once per batch."""
    corners = np.empty((2, MAX_CORNERS + 1, 4))
    ids = np.empty((2, MAX_CORNERS + 1), np.int64)
    flat = np.empty((2, MAX_CORNERS + 1, 3))
    return (corners, ids, flat, np.empty((2, MAX_CANDIDATES, 3)), np.empty((2, MAX_CANDIDATES, 2), np.int64),
            np.empty(MAX_CANDIDATES, np.int64), np.empty((2, 2, 3)), np.empty(MAX_CONTACTS, np.int64),
            np.empty((2, 4)), np.zeros((2, WHAT_SIZE), np.int64), np.zeros((2, POSE_SIZE)))


@njit(cache=True)
def separation(what, pose, vertices, nx, ny, nz):
    """Return the gap along a unit normal n (from b to a): min n.x over a minus max n.x over b [m].

    Its maximum over n is the signed distance of two convex shapes.
    """
    ax, ay, az = support(0, what, pose, vertices, -nx, -ny, -nz)
    bx, by, bz = support(1, what, pose, vertices, nx, ny, nz)
    reach = pose[0, 16] + pose[1, 16]
    return nx * (ax - bx) + ny * (ay - by) + nz * (az - bz) - reach


@njit(cache=True)
def put_contact(out, at, what, feature, side, px, py, pz, nx, ny, nz, gap, radius_a, radius_b):
    """Write a contact whose points lie at p + gap n (on a) and p (on b)."""
    out[0][at], out[1][at] = what[0, 6], what[1, 6]
    out[2][at], out[3][at] = what[0, 5], what[1, 5]
    out[4][at], out[5][at] = feature, side
    out[6][at, 0], out[6][at, 1], out[6][at, 2] = px + gap * nx, py + gap * ny, pz + gap * nz
    out[7][at, 0], out[7][at, 1], out[7][at, 2] = px, py, pz
    out[8][at, 0], out[8][at, 1], out[8][at, 2] = nx, ny, nz
    out[9][at], out[10][at], out[11][at] = gap, radius_a, radius_b


@njit(cache=True)
def _disc(k, pose, corners, cx, cy, cz, t, n, out):
    """Write the disc of a cap in the coordinates of the reference plane: x, y, h, radius."""
    px, py, pz = pose[k, 0] - cx, pose[k, 1] - cy, pose[k, 2] - cz
    # the centre of the cap: from the shape's origin along its axis, by the height of the rim
    _, _, lz = to_shape(k, pose, corners[0, 0] - pose[k, 0], corners[0, 1] - pose[k, 1], corners[0, 2] - pose[k, 2])
    px, py, pz = px + pose[k, 5] * lz, py + pose[k, 8] * lz, pz + pose[k, 11] * lz
    out[0] = px * t[0] + py * t[1] + pz * t[2]
    out[1] = px * t[3] + py * t[4] + pz * t[5]
    out[2] = px * n[0] + py * n[1] + pz * n[2]
    out[3] = pose[k, 12]


@njit(cache=True)
def face_region(ref, ref_kind, ref_count, rx, ry, rz, inc, inc_kind, inc_count, ix, iy, iz, what, pose, margin,
                 scratch, out, count):
    """Clip the feature of one shape to the face of the other and write the contacts within the margin.

    Args:
        ref, inc: 0 if the first shape (a) has that part, 1 if the second.
        ref_kind, ref_count, rx, ry, rz: kind, corners and outward normal of the reference face.
        inc_kind, inc_count, ix, iy, iz: the same of the incident feature.
        what, pose, margin, scratch, out, count: as for `contact_region`.

    Returns:
        Number of contacts, `count` included.
    """
    corners, ids, flat, found, tags, numbers, _, chosen, discs, _, _ = scratch
    a_is_ref = ref == 0
    n = (rx, ry, rz)
    cx, cy, cz = corners[ref, 0, 0], corners[ref, 0, 1], corners[ref, 0, 2]
    # tangents: from the first corner to the second, and n x that
    ux, uy, uz = corners[ref, 1, 0] - cx, corners[ref, 1, 1] - cy, corners[ref, 1, 2] - cz
    along = ux * rx + uy * ry + uz * rz
    ux, uy, uz = ux - along * rx, uy - along * ry, uz - along * rz
    length = np.sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux / length, uy / length, uz / length
    vx, vy, vz = ry * uz - rz * uy, rz * ux - rx * uz, rx * uy - ry * ux
    t = (ux, uy, uz, vx, vy, vz)
    size = 0.0
    for side in range(2):
        which = ref if side == 0 else inc
        for k in range(ref_count if side == 0 else inc_count):
            px, py, pz = corners[which, k, 0] - cx, corners[which, k, 1] - cy, corners[which, k, 2] - cz
            flat[side, k, 0] = px * ux + py * uy + pz * uz
            flat[side, k, 1] = px * vx + py * vy + pz * vz
            flat[side, k, 2] = px * rx + py * ry + pz * rz
            if side == 0:
                size = max(size, abs(flat[0, k, 0]), abs(flat[0, k, 1]))
    slack = SLACK * size
    disc_ref, disc_inc = discs[0], discs[1]
    if ref_kind == FLAT_DISC:
        _disc(ref, pose, corners[ref], cx, cy, cz, t, n, disc_ref)
    if inc_kind == FLAT_DISC:
        _disc(inc, pose, corners[inc], cx, cy, cz, t, n, disc_inc)
    # height of the incident plane: h = g0 + gx x + gy y, from its normal m: m . (p - p0) = 0
    plane = (0.0, 0.0, 0.0)
    if inc_kind != FLAT_NONE and (ref_kind == FLAT_DISC or inc_kind == FLAT_DISC):
        mx, my = ix * ux + iy * uy + iz * uz, ix * vx + iy * vy + iz * vz
        mz = ix * rx + iy * ry + iz * rz
        if abs(mz) < 0.1:  # a face seen from its edge has no height: its edge decides
            return count
        plane = (flat[1, 0, 2] + (mx * flat[1, 0, 0] + my * flat[1, 0, 1]) / mz, -mx / mz, -my / mz)
    if inc_count == 1:
        x, y = flat[1, 0, 0], flat[1, 0, 1]
        hit = inside_disc(disc_ref, x, y, 0.0, slack) if ref_kind == FLAT_DISC else inside_polygon(
            flat[0], ref_count, x, y, slack)
        if not hit:
            return count
        found[0, 0, 0], found[0, 0, 1], found[0, 0, 2] = x, y, flat[1, 0, 2]
        numbers[0] = feature_number(a_is_ref, 2, 0, ids[inc, 0])
        total = 1
    elif inc_kind == FLAT_NONE:
        polygon_count = 0 if ref_kind == FLAT_DISC else ref_count
        total = clip_segment(flat[0], ids[ref], polygon_count, disc_ref, flat[1], ids[inc], a_is_ref, slack,
                             found[0], numbers)
    elif ref_kind == FLAT_DISC and inc_kind == FLAT_DISC:
        total = clip_disc_disc(disc_ref, flat[0], ids[ref], ref_count, disc_inc, flat[1], ids[inc], inc_count,
                               plane, a_is_ref, slack, found[0], numbers)
    elif ref_kind == FLAT_DISC:
        total = clip_disc_polygon(disc_ref, flat[0], ids[ref], ref_count, flat[1], ids[inc], inc_count, plane,
                                  True, a_is_ref, slack, found[0], numbers)
    elif inc_kind == FLAT_DISC:
        total = clip_disc_polygon(disc_inc, flat[1], ids[inc], inc_count, flat[0], ids[ref], ref_count, plane,
                                  False, a_is_ref, slack, found[0], numbers)
    else:
        total = clip_polygon(flat[0], ids[ref], ref_count, flat[1], ids[inc], inc_count, a_is_ref, slack,
                             found[1], tags, found[0], numbers)
    reach = pose[inc, 16]
    near = 0
    for i in range(total):
        if found[0, i, 2] - reach <= margin:
            for c in range(3):
                found[0, near, c] = found[0, i, c]
            numbers[near] = numbers[i]
            near += 1
    kept = reduce_candidates(found[0], near, MAX_CONTACTS, False, chosen)
    for k in range(kept):
        i = chosen[k]
        x, y, h = found[0, i, 0], found[0, i, 1], found[0, i, 2]
        gap = h - reach
        px, py, pz = cx + x * ux + y * vx, cy + x * uy + y * vy, cz + x * uz + y * vz  # on the reference face
        radius = corners[inc, 0, 3] if inc_count <= 2 else 0.0
        if inc_count == 2 and corners[inc, 0, 3] != corners[inc, 1, 3]:
            radius = max(corners[inc, 0, 3], corners[inc, 1, 3])
        if a_is_ref:  # the normal points from b to a, against the face of a
            put_contact(out, count, what, numbers[i], NORMAL_ON_A, px + gap * rx, py + gap * ry,
                        pz + gap * rz, -rx, -ry, -rz, gap, 0.0, radius)
        else:
            put_contact(out, count, what, numbers[i], NORMAL_ON_B, px, py, pz, rx, ry, rz, gap, radius,
                        0.0)
        count += 1
    return count


@njit(cache=True)
def contact_region(what, pose, faces, nx, ny, nz, margin, scratch, out, count):
    """Write the contacts of two convex shapes that touch along a normal.

    Args:
        what, pose: the shapes a and b (no half-space, no mesh), as `load_pair` wrote them.
        faces: `face_arrays`.
        nx, ny, nz: unit normal from b to a, (nearly) the one along which the shapes are least separated.
        margin: contacts farther apart than this [m] are left out.
        scratch: `make_scratch()`.
        out: `contact_arrays`, with room for MAX_CONTACTS behind `count`.
        count: contacts that are there already.

    Returns:
        Number of contacts, `count` included.
    """
    corners, ids, _, _, _, _, edges, _, _, _, _ = scratch
    ca, flat_a, ax, ay, az = support_polygon(0, what, pose, faces, -nx, -ny, -nz, corners[0], ids[0])
    cb, flat_b, bx, by, bz = support_polygon(1, what, pose, faces, nx, ny, nz, corners[1], ids[1])
    use_a = flat_a != FLAT_NONE and -(ax * nx + ay * ny + az * nz) >= FACE_COSINE
    use_b = flat_b != FLAT_NONE and bx * nx + by * ny + bz * nz >= FACE_COSINE
    a_first = use_a
    if use_a and use_b:
        size = abs(corners[0, 0, 0] - corners[0, 2, 0]) + abs(corners[0, 0, 1] - corners[0, 2, 1]) + abs(
            corners[0, 0, 2] - corners[0, 2, 2])
        better = separation(what, pose, faces[0], bx, by, bz) - separation(what, pose, faces[0], -ax, -ay, -az)
        a_first = better <= SWAP_BIAS * size
    before = count
    for attempt in range(2):
        if a_first == (attempt == 0):
            if use_a:
                count = face_region(0, flat_a, ca, ax, ay, az, 1, flat_b, cb, bx, by, bz, what, pose, margin,
                                     scratch, out, count)
        elif use_b:
            count = face_region(1, flat_b, cb, bx, by, bz, 0, flat_a, ca, ax, ay, az, what, pose, margin,
                                 scratch, out, count)
        if count > before:
            return count
    reach_a, reach_b = pose[0, 16], pose[1, 16]
    lean_a, edge_a = edge_feature(0, what, pose, faces,
                                  -nx, -ny, -nz, edges[0])
    lean_b, edge_b = edge_feature(1, what, pose, faces,
                                  nx, ny, nz, edges[1])
    radius_a, radius_b = corners[0, 0, 3], corners[1, 0, 3]
    if flat_a != FLAT_NONE:
        radius_a = 0.0
    if flat_b != FLAT_NONE:
        radius_b = 0.0
    px, py, pz = support(0, what, pose, faces[0], -nx, -ny, -nz)
    qx, qy, qz = support(1, what, pose, faces[0], nx, ny, nz)
    gap = nx * (px - qx) + ny * (py - qy) + nz * (pz - qz) - reach_a - reach_b
    if gap > margin:
        return count
    line_a, line_b = lean_a <= LINE_SINE, lean_b <= LINE_SINE
    ux, uy, uz = edges[0, 1, 0] - edges[0, 0, 0], edges[0, 1, 1] - edges[0, 0, 1], edges[0, 1, 2] - edges[0, 0, 2]
    vx, vy, vz = edges[1, 1, 0] - edges[1, 0, 0], edges[1, 1, 1] - edges[1, 0, 1], edges[1, 1, 2] - edges[1, 0, 2]
    uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
    if line_a and line_b and uu > 0.0 and vv > 0.0:
        wx, wy, wz = edges[1, 0, 0] - edges[0, 0, 0], edges[1, 0, 1] - edges[0, 0, 1], edges[1, 0, 2] - edges[0, 0, 2]
        wu, wv = wx * ux + wy * uy + wz * uz, wx * vx + wy * vy + wz * vz
        if uu * vv - uv * uv < LINE_SINE * LINE_SINE * uu * vv:
            # parallel: where they lie side by side, in the parameter of the first line
            s0, s1 = wu / uu, (wu + uv) / uu
            low, high = max(0.0, min(s0, s1)), min(1.0, max(s0, s1))
            if high - low > 1e-6:
                for end in range(2):
                    s = low if end == 0 else high
                    r = min(max((s * uv - wv) / vv, 0.0), 1.0)
                    px, py, pz = edges[0, 0, 0] + s * ux, edges[0, 0, 1] + s * uy, edges[0, 0, 2] + s * uz
                    qx, qy, qz = edges[1, 0, 0] + r * vx, edges[1, 0, 1] + r * vy, edges[1, 0, 2] + r * vz
                    number = feature_number(True, 3, edge_a * 2 + end, edge_b)
                    count = _put_single(what, number, px, py, pz, qx, qy, qz, nx, ny, nz, reach_a, reach_b,
                                        radius_a, radius_b, margin, out, count)
                return count
            line_a = line_b = False
        else:
            det = uu * vv - uv * uv
            s = min(max((wu * vv - wv * uv) / det, 0.0), 1.0)
            r = min(max((s * uv - wv) / vv, 0.0), 1.0)
            px, py, pz = edges[0, 0, 0] + s * ux, edges[0, 0, 1] + s * uy, edges[0, 0, 2] + s * uz
            qx, qy, qz = edges[1, 0, 0] + r * vx, edges[1, 0, 1] + r * vy, edges[1, 0, 2] + r * vz
    elif line_a and uu > 0.0:
        s = ((qx - edges[0, 0, 0]) * ux + (qy - edges[0, 0, 1]) * uy + (qz - edges[0, 0, 2]) * uz) / uu
        s = min(max(s, 0.0), 1.0)
        px, py, pz = edges[0, 0, 0] + s * ux, edges[0, 0, 1] + s * uy, edges[0, 0, 2] + s * uz
    elif line_b and vv > 0.0:
        s = ((px - edges[1, 0, 0]) * vx + (py - edges[1, 0, 1]) * vy + (pz - edges[1, 0, 2]) * vz) / vv
        s = min(max(s, 0.0), 1.0)
        qx, qy, qz = edges[1, 0, 0] + s * vx, edges[1, 0, 1] + s * vy, edges[1, 0, 2] + s * vz
    # the gap is that of the supports; the lines only say where along them the contact lies
    mx, my, mz = 0.5 * (px + qx), 0.5 * (py + qy), 0.5 * (pz + qz)
    shift = 0.5 * (reach_b - reach_a - gap)
    number = feature_number(True, 3, edge_a if line_a else 0, edge_b if line_b else 0)
    put_contact(out, count, what, number, NORMAL_FIXED, mx + shift * nx, my + shift * ny, mz + shift * nz,
                nx, ny, nz, gap, radius_a, radius_b)
    return count + 1


@njit(cache=True)
def _put_single(what, number, px, py, pz, qx, qy, qz, nx, ny, nz, reach_a, reach_b, radius_a, radius_b,
                margin, out, count):
    """Write the contact between two points of the cores, with the gap along the normal."""
    gap = nx * (px - qx) + ny * (py - qy) + nz * (pz - qz) - reach_a - reach_b
    if gap > margin:
        return count
    mx, my, mz = 0.5 * (px + qx), 0.5 * (py + qy), 0.5 * (pz + qz)
    shift = 0.5 * (reach_b - reach_a - gap)
    put_contact(out, count, what, number, NORMAL_FIXED, mx + shift * nx, my + shift * ny, mz + shift * nz,
                nx, ny, nz, gap, radius_a, radius_b)
    return count + 1

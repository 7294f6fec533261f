"""Contacts between spheres, capsules, boxes and half-spaces, without FCL.

One kernel walks over all pairs and looks at the two kinds; nothing happens in Python per pair.
Every function here takes its two shapes in one order of kinds and reports them as a and b; the walk
swaps a and b where the pair has the other order.
"""

import numpy as np
from stoss.collision.algebra import dot, matrix_from_quaternion, perpendicular, rotate, rotate_inverse
from stoss.collision.contacts import NORMAL_FIXED, NORMAL_ON_A, NORMAL_ON_B, ContactArrays, Contacts
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Ints2
from stoss.collision.narrow_phase.box_box import BOX_SCRATCH_FLOATS, BOX_SCRATCH_INTEGERS, collide_box_box
from stoss.collision.narrow_phase.box_distance import write_contact
from stoss.collision.narrow_phase.capsule_box import collide_capsule_box
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable
from stoss.collision.shapes.shapes import BOX, CAPSULE, HALFSPACE, SPHERE

__all__ = ["NATIVE_KINDS", "collide_native_pairs"]

# Kinds whose pairs among themselves `collide_native_pairs` knows (two half-spaces never meet).
NATIVE_KINDS = (SPHERE, BOX, CAPSULE, HALFSPACE)

# No pair has more contacts: a box against a half-space or a box, at most eight.
_MOST_PER_PAIR = 8
# Capsules closer to parallel than this sine count as lying along each other and touch at both ends of
# the common stretch; the middle of the stretch is then off the ends' gaps by less than the square of it.
_PARALLEL_CAPSULES = 0.02
# Ends closer than this share of the half length count as one; far above rounding.
_SAME_END = 1e-6
# Squared distance [m^2] below which centres coincide and a fixed normal is taken.
_COINCIDENT = 1e-30


def collide_native_pairs(pairs: np.ndarray, table: ShapeTable, margin: float, contacts: Contacts) -> None:
    """Append the contacts of pairs of spheres, capsules, boxes and half-spaces.

    Args:
        pairs: (p, 2) rows of the table, smaller first, C-contiguous int64.
        table: the shapes with their world poses.
        margin: contacts with a gap above this are left out [m].
        contacts: where the contacts go; grows as needed.
    """
    first = 0
    while True:
        contacts.count, first = _collide(pairs, first, table.arrays, margin, contacts.count, contacts.arrays)
        if first == len(pairs):
            return
        contacts.reserve(2 * contacts.capacity + _MOST_PER_PAIR)


@kernel(allocates=True)
def _collide(
    # in
    pairs: Ints2,
    first: int,
    shapes: ShapeArrays,
    margin: float,
    # in and out
    count: int,
    contacts: ContactArrays,
) -> tuple[int, int]:
    """Return (contacts, pairs done); stops early when the next pair might not fit."""
    kind, size, body = shapes.kind, shapes.size, shapes.body
    position, quaternion = shapes.position, shapes.quaternion
    w = np.empty(BOX_SCRATCH_FLOATS)
    tags = np.empty(BOX_SCRATCH_INTEGERS, np.int64)
    out = np.empty((_MOST_PER_PAIR, 10))
    number = np.empty(_MOST_PER_PAIR, np.int64)
    side = np.empty(_MOST_PER_PAIR, np.int64)
    room = len(contacts.gap) - _MOST_PER_PAIR
    for p in range(first, len(pairs)):
        if count > room:
            return count, p
        i, j = pairs[p, 0], pairs[p, 1]
        # order of the kinds: capsule, sphere, box, half-space
        rank_i, rank_j = _rank(kind[i]), _rank(kind[j])
        swapped = rank_i > rank_j
        if swapped:
            a, b, rank_a, rank_b = j, i, rank_j, rank_i
        else:
            a, b, rank_a, rank_b = i, j, rank_i, rank_j
        n = 0
        if rank_b == 3:
            if rank_a == 0:
                n = _capsule_halfspace(a, b, size, position, quaternion, margin, out, number, side)
            elif rank_a == 1:
                n = _sphere_halfspace(a, b, size, position, quaternion, margin, out, number, side)
            elif rank_a == 2:
                n = _box_halfspace(a, b, size, position, quaternion, margin, out, number, side)
        elif rank_b == 2:
            if rank_a == 0:
                n = collide_capsule_box(a, b, size, position, quaternion, margin, w, out, number, side)
            elif rank_a == 1:
                n = _sphere_box(a, b, size, position, quaternion, margin, out, number, side)
            else:
                n = collide_box_box(a, b, size, position, quaternion, margin, w, tags, out, number, side)
        elif rank_b == 1:
            if rank_a == 0:
                n = _capsule_sphere(a, b, size, position, quaternion, margin, out, number, side)
            else:
                n = _sphere_sphere(a, b, size, position, margin, out, number, side)
        else:
            n = _capsule_capsule(a, b, size, position, quaternion, margin, out, number, side)
        for k in range(n):
            contacts.body_a[count] = body[i]
            contacts.body_b[count] = body[j]
            contacts.shape_a[count] = i
            contacts.shape_b[count] = j
            contacts.feature[count] = number[k]
            contacts.gap[count] = out[k, 9]
            # spheres and capsules are round, their radius is the first size; boxes and planes are not
            contacts.radius_a[count] = size[i, 0] if rank_i < 2 else 0.0
            contacts.radius_b[count] = size[j, 0] if rank_j < 2 else 0.0
            if swapped:
                for x in range(3):
                    contacts.point_a[count, x] = out[k, 3 + x]
                    contacts.point_b[count, x] = out[k, x]
                    contacts.normal[count, x] = -out[k, 6 + x]
                contacts.normal_side[count] = NORMAL_FIXED
                if side[k] == NORMAL_ON_A:
                    contacts.normal_side[count] = NORMAL_ON_B
                elif side[k] == NORMAL_ON_B:
                    contacts.normal_side[count] = NORMAL_ON_A
            else:
                for x in range(3):
                    contacts.point_a[count, x] = out[k, x]
                    contacts.point_b[count, x] = out[k, 3 + x]
                    contacts.normal[count, x] = out[k, 6 + x]
                contacts.normal_side[count] = side[k]
            count += 1
    return count, len(pairs)


@inner
def _rank(kind):
    if kind == CAPSULE:
        return 0
    if kind == SPHERE:
        return 1
    return 2 if kind == BOX else 3


@inner
def _balls(ax, ay, az, ra, bx, by, bz, rb, fx, fy, fz, margin, number, n, out, feature, side):
    """Append the contact of two balls, unless apart; (fx, fy, fz) is the normal of coinciding centres."""
    dx, dy, dz = ax - bx, ay - by, az - bz
    square = dx * dx + dy * dy + dz * dz
    reach = ra + rb + margin
    if square > reach * reach:
        return n
    distance = np.sqrt(square)
    if square > _COINCIDENT:
        nx, ny, nz = dx / distance, dy / distance, dz / distance
    else:
        nx, ny, nz = fx, fy, fz
        distance = 0.0
    gap = distance - ra - rb
    px, py, pz = ax - ra * nx, ay - ra * ny, az - ra * nz
    qx, qy, qz = px - gap * nx, py - gap * ny, pz - gap * nz
    write_contact(out, feature, side, n, px, py, pz, qx, qy, qz, nx, ny, nz, gap, number, NORMAL_FIXED)
    return n + 1


@inner
def _sphere_sphere(a, b, size, position, margin, out, feature, side):
    return _balls(
        position[a, 0],
        position[a, 1],
        position[a, 2],
        size[a, 0],
        position[b, 0],
        position[b, 1],
        position[b, 2],
        size[b, 0],
        0.0,
        0.0,
        1.0,
        margin,
        0,
        0,
        out,
        feature,
        side,
    )


@inner
def _sphere_box(a, b, size, position, quaternion, margin, out, feature, side):
    """Contact of a sphere with the nearest point of a box; from inside, with the nearest face."""
    r = size[a, 0]
    hx, hy, hz = size[b, 0], size[b, 1], size[b, 2]
    q = quaternion[b]
    x, y, z = rotate_inverse(
        q, position[a, 0] - position[b, 0], position[a, 1] - position[b, 1], position[a, 2] - position[b, 2]
    )
    cx, cy, cz = min(max(x, -hx), hx), min(max(y, -hy), hy), min(max(z, -hz), hz)
    dx, dy, dz = x - cx, y - cy, z - cz
    square = dx * dx + dy * dy + dz * dz
    if square > (r + margin) * (r + margin):
        return 0
    carrier = NORMAL_ON_B
    if square > _COINCIDENT:
        distance = np.sqrt(square)
        dx, dy, dz = dx / distance, dy / distance, dz / distance
        if (dx != 0.0) + (dy != 0.0) + (dz != 0.0) > 1:
            carrier = NORMAL_FIXED  # edge or corner: the normal turns about it
    else:
        # inside: depth of the nearest face; ties go to z, then y, so that things pop out upwards
        deep_x, deep_y, deep_z = hx - abs(x), hy - abs(y), hz - abs(z)
        dx, dy, dz = 0.0, 0.0, 0.0
        if deep_z <= deep_x and deep_z <= deep_y:
            distance = -deep_z
            dz = 1.0 if z >= 0.0 else -1.0
            cz = dz * hz
        elif deep_y <= deep_x:
            distance = -deep_y
            dy = 1.0 if y >= 0.0 else -1.0
            cy = dy * hy
        else:
            distance = -deep_x
            dx = 1.0 if x >= 0.0 else -1.0
            cx = dx * hx
    gap = distance - r
    nx, ny, nz = rotate(q, dx, dy, dz)
    bx, by, bz = rotate(q, cx, cy, cz)
    bx, by, bz = bx + position[b, 0], by + position[b, 1], bz + position[b, 2]
    px, py, pz = bx + gap * nx, by + gap * ny, bz + gap * nz
    write_contact(out, feature, side, 0, px, py, pz, bx, by, bz, nx, ny, nz, gap, 0, carrier)
    return 1


@inner
def _axis(a, size, quaternion):
    """Return the half axis of a capsule (world): from its middle to the centre of the end at +z."""
    return rotate(quaternion[a], 0.0, 0.0, size[a, 1])


@inner
def _capsule_sphere(a, b, size, position, quaternion, margin, out, feature, side):
    ux, uy, uz = _axis(a, size, quaternion)
    dx, dy = position[b, 0] - position[a, 0], position[b, 1] - position[a, 1]
    dz = position[b, 2] - position[a, 2]
    half = size[a, 1]
    # closest point of the axis: s u, |s| <= 1
    s = min(max(dot(dx, dy, dz, ux, uy, uz) / (half * half), -1.0), 1.0)
    fx, fy, fz = perpendicular(ux / half, uy / half, uz / half)
    return _balls(
        position[a, 0] + s * ux,
        position[a, 1] + s * uy,
        position[a, 2] + s * uz,
        size[a, 0],
        position[b, 0],
        position[b, 1],
        position[b, 2],
        size[b, 0],
        fx,
        fy,
        fz,
        margin,
        0,
        0,
        out,
        feature,
        side,
    )


@inner
def _capsule_capsule(a, b, size, position, quaternion, margin, out, feature, side):
    """Contacts of two capsules: the closest points, or both ends of the stretch they lie along."""
    ux, uy, uz = _axis(a, size, quaternion)
    vx, vy, vz = _axis(b, size, quaternion)
    ra, rb = size[a, 0], size[b, 0]
    uu, vv = size[a, 1] * size[a, 1], size[b, 1] * size[b, 1]
    ax, ay, az = position[a, 0], position[a, 1], position[a, 2]
    bx, by, bz = position[b, 0], position[b, 1], position[b, 2]
    dx, dy, dz = ax - bx, ay - by, az - bz
    uv = dot(ux, uy, uz, vx, vy, vz)
    ud, vd = dot(ux, uy, uz, dx, dy, dz), dot(vx, vy, vz, dx, dy, dz)
    # centre line of crossing axes, or any perpendicular of parallel ones
    wx, wy, wz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    ww = dot(wx, wy, wz, wx, wy, wz)
    if ww > 1e-16 * uu * vv:
        length = np.sqrt(ww)
        fx, fy, fz = wx / length, wy / length, wz / length
    else:
        fx, fy, fz = perpendicular(ux / size[a, 1], uy / size[a, 1], uz / size[a, 1])
    if ww < _PARALLEL_CAPSULES * _PARALLEL_CAPSULES * uu * vv:
        # ends of either axis that lie beside the other one; feature: 0, 1 end of a, 2, 3 end of b
        n = 0
        low, high = 2.0, -2.0  # stretch already used, along a
        for end in range(4):
            way = 1.0 if end & 1 == 1 else -1.0
            if end < 2:
                s = way
                t = (vd + s * uv) / vv
                # the slack keeps equal capsules, exactly beside each other, on the same features
                if abs(t) > 1.0 + _SAME_END:
                    continue
                t = min(max(t, -1.0), 1.0)
            else:
                t = way
                s = (t * uv - ud) / uu
                if abs(s) > 1.0 or abs(s - low) < _SAME_END or abs(s - high) < _SAME_END:
                    continue
            low, high = min(low, s), max(high, s)
            if n == 2:
                continue
            n = _balls(
                ax + s * ux,
                ay + s * uy,
                az + s * uz,
                ra,
                bx + t * vx,
                by + t * vy,
                bz + t * vz,
                rb,
                fx,
                fy,
                fz,
                margin,
                end,
                n,
                out,
                feature,
                side,
            )
        if high > low:
            return n
    s, t = closest_on_segments(uu, vv, uv, ud, vd)
    return _balls(
        ax + s * ux,
        ay + s * uy,
        az + s * uz,
        ra,
        bx + t * vx,
        by + t * vy,
        bz + t * vz,
        rb,
        fx,
        fy,
        fz,
        margin,
        4,
        0,
        out,
        feature,
        side,
    )


@inner
def closest_on_segments(uu, vv, uv, ud, vd):
    """Return (s, t) in [-1, 1]: the closest points a + s u and b + t v; d = a - b, xy = x . y."""
    determinant = uu * vv - uv * uv
    s = 0.0
    if determinant > 1e-14 * uu * vv:
        s = min(max((uv * vd - ud * vv) / determinant, -1.0), 1.0)
    t = (vd + s * uv) / vv
    if abs(t) > 1.0:
        t = 1.0 if t > 0.0 else -1.0
        s = min(max((t * uv - ud) / uu, -1.0), 1.0)
    return s, t


@inner
def _plane(b, size, position, quaternion):
    """Return the world normal of a half-space and a point on its surface."""
    nx, ny, nz = rotate(quaternion[b], size[b, 0], size[b, 1], size[b, 2])
    offset = size[b, 3]
    x, y, z = position[b, 0] + offset * nx, position[b, 1] + offset * ny, position[b, 2] + offset * nz
    return nx, ny, nz, x, y, z


@inner
def _ball_halfspace(x, y, z, r, nx, ny, nz, ox, oy, oz, margin, number, n, out, feature, side):
    gap = (x - ox) * nx + (y - oy) * ny + (z - oz) * nz - r
    if gap > margin:
        return n
    px, py, pz = x - r * nx, y - r * ny, z - r * nz
    qx, qy, qz = px - gap * nx, py - gap * ny, pz - gap * nz
    write_contact(out, feature, side, n, px, py, pz, qx, qy, qz, nx, ny, nz, gap, number, NORMAL_ON_B)
    return n + 1


@inner
def _sphere_halfspace(a, b, size, position, quaternion, margin, out, feature, side):
    nx, ny, nz, ox, oy, oz = _plane(b, size, position, quaternion)
    x, y, z = position[a, 0], position[a, 1], position[a, 2]
    return _ball_halfspace(x, y, z, size[a, 0], nx, ny, nz, ox, oy, oz, margin, 0, 0, out, feature, side)


@inner
def _capsule_halfspace(a, b, size, position, quaternion, margin, out, feature, side):
    nx, ny, nz, ox, oy, oz = _plane(b, size, position, quaternion)
    ux, uy, uz = _axis(a, size, quaternion)
    n = 0
    for end in range(2):
        way = 1.0 if end == 1 else -1.0
        x, y, z = position[a, 0] + way * ux, position[a, 1] + way * uy, position[a, 2] + way * uz
        n = _ball_halfspace(x, y, z, size[a, 0], nx, ny, nz, ox, oy, oz, margin, end, n, out, feature, side)
    return n


@inner
def _box_halfspace(a, b, size, position, quaternion, margin, out, feature, side):
    """Contacts of all vertices of a box that are below the margin; the feature is the vertex."""
    nx, ny, nz, ox, oy, oz = _plane(b, size, position, quaternion)
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = matrix_from_quaternion(quaternion[a])
    hx, hy, hz = size[a, 0], size[a, 1], size[a, 2]
    cx, cy, cz = position[a, 0], position[a, 1], position[a, 2]
    # height of a vertex: height of the centre +- e_x +- e_y +- e_z
    height = (cx - ox) * nx + (cy - oy) * ny + (cz - oz) * nz
    ex = hx * dot(r00, r10, r20, nx, ny, nz)
    ey = hy * dot(r01, r11, r21, nx, ny, nz)
    ez = hz * dot(r02, r12, r22, nx, ny, nz)
    if height - abs(ex) - abs(ey) - abs(ez) > margin:
        return 0
    n = 0
    for vertex in range(8):
        sx = 1.0 if vertex & 1 else -1.0
        sy = 1.0 if vertex & 2 else -1.0
        sz = 1.0 if vertex & 4 else -1.0
        gap = height + sx * ex + sy * ey + sz * ez
        if gap > margin:
            continue
        x, y, z = sx * hx, sy * hy, sz * hz
        px = cx + r00 * x + r01 * y + r02 * z
        py = cy + r10 * x + r11 * y + r12 * z
        pz = cz + r20 * x + r21 * y + r22 * z
        qx, qy, qz = px - gap * nx, py - gap * ny, pz - gap * nz
        write_contact(out, feature, side, n, px, py, pz, qx, qy, qz, nx, ny, nz, gap, vertex, NORMAL_ON_B)
        n += 1
    return n

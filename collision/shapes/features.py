"""Features of convex shapes: what of a shape is extreme in a direction, as a point, edge or face.

Kernels here take one shape as row `k` of `what` and `pose` (see `pair_data`). Points are those of the core.
"""

import numpy as np
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2, Ints, Ints2
from stoss.collision.narrow_phase.pair_data import from_shape, to_shape
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shapes import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, MESH, SPHERE

FEATURE = "convex"  # see `kernels.prepare`

__all__ = [
    "FLAT_DISC",
    "FLAT_NONE",
    "FLAT_POLYGON",
    "MAX_CORNERS",
    "RIM_POINTS",
    "edge_feature",
    "face_normal",
    "support",
    "support_polygon",
]

FLAT_NONE = 0  # a point or a segment
FLAT_POLYGON = 1
FLAT_DISC = 2

# Points on the rim of a flat round face, fixed on the body so that their numbers stay. Eight points lose
# 1 - cos(22.5 deg) = 8 % of the radius of the support area in the worst direction; what a tilted cap
# touches with is added as a ninth point once it tilts by RIM_TILT [rad] (below it, the missed depth is
# 0.08 r 1e-4, and the direction of the lowest point would jump about).
RIM_POINTS = 8
RIM_TILT = 1e-4
MAX_CORNERS = 64  # corners of a face that take part; faces with more are thinned evenly

_COS = np.cos(2.0 * np.pi * np.arange(RIM_POINTS) / RIM_POINTS)
_SIN = np.sin(2.0 * np.pi * np.arange(RIM_POINTS) / RIM_POINTS)


@inner
def support(k, what, pose, vertices, dx, dy, dz):
    """Return the point of the core that lies farthest in direction d (world; any length above zero)."""
    kind = what[k, 0]
    if kind == SPHERE:
        return pose[k, 0], pose[k, 1], pose[k, 2]
    if kind == MESH:
        best, at = -np.inf, 17
        for c in range(17, 26, 3):
            height = pose[k, c] * dx + pose[k, c + 1] * dy + pose[k, c + 2] * dz
            if height > best:
                best, at = height, c
        return pose[k, at], pose[k, at + 1], pose[k, at + 2]
    x, y, z = to_shape(k, pose, dx, dy, dz)
    if kind == BOX:
        lx = pose[k, 12] if x >= 0.0 else -pose[k, 12]
        ly = pose[k, 13] if y >= 0.0 else -pose[k, 13]
        lz = pose[k, 14] if z >= 0.0 else -pose[k, 14]
    elif kind == HULL:
        best, at = -np.inf, 0
        for v in range(what[k, 1], what[k, 2]):
            height = vertices[v, 0] * x + vertices[v, 1] * y + vertices[v, 2] * z
            if height > best:
                best, at = height, v
        lx, ly, lz = vertices[at, 0], vertices[at, 1], vertices[at, 2]
    elif kind == CAPSULE:
        lx, ly = 0.0, 0.0
        lz = pose[k, 13] if z >= 0.0 else -pose[k, 13]
    elif kind == CYLINDER or kind == CONE:
        lx, ly = 0.0, 0.0
        across = np.sqrt(x * x + y * y)
        if across > 0.0:
            lx, ly = pose[k, 12] * x / across, pose[k, 12] * y / across
        if kind == CYLINDER:
            lz = pose[k, 13] if z >= 0.0 else -pose[k, 13]
        elif (
            z * pose[k, 13] > pose[k, 12] * across - z * pose[k, 13]
        ):  # apex higher than the rim: z h > r |xy| - z h
            lx, ly, lz = 0.0, 0.0, pose[k, 13]
        else:
            lz = -pose[k, 13]
    else:  # ELLIPSOID: x_i = a_i^2 d_i / |a d|
        sx, sy, sz = pose[k, 12] * x, pose[k, 13] * y, pose[k, 14] * z
        scale = 1.0 / np.sqrt(sx * sx + sy * sy + sz * sz)
        lx, ly, lz = pose[k, 12] * sx * scale, pose[k, 13] * sy * scale, pose[k, 14] * sz * scale
    x, y, z = from_shape(k, pose, lx, ly, lz)
    return x + pose[k, 0], y + pose[k, 1], z + pose[k, 2]


@inner
def _put(points, ids, at, k, pose, x, y, z, radius, number):
    wx, wy, wz = from_shape(k, pose, x, y, z)
    points[at, 0] = wx + pose[k, 0]
    points[at, 1] = wy + pose[k, 1]
    points[at, 2] = wz + pose[k, 2]
    points[at, 3] = radius
    ids[at] = number


@inner
def _put_cap(points, ids, k, pose, r, z, side, x, y):
    """Write a rim at height z, counter-clockwise from outside, with the lowest point in direction (x, y)."""
    across = np.sqrt(x * x + y * y)
    extra = -1
    if across > RIM_TILT:
        turn = np.arctan2(y * side, x) / (2.0 * np.pi)
        extra = int(np.floor((turn - np.floor(turn)) * RIM_POINTS)) % RIM_POINTS
    count = 0
    for i in range(RIM_POINTS):
        _put(points, ids, count, k, pose, r * _COS[i], side * r * _SIN[i], z, 0.0, i)
        count += 1
        if i == extra:
            _put(points, ids, count, k, pose, r * x / across, r * y / across, z, 0.0, RIM_POINTS)
            count += 1
    return count


@inner
def _face_through_support(k, what, solids, x, y, z):
    """Return the face of a hull that looks most in direction d among those through its support vertex."""
    vertices, planes = solids.vertices, solids.planes
    best, at = -np.inf, 0
    for v in range(what[k, 1], what[k, 2]):
        height = vertices[v, 0] * x + vertices[v, 1] * y + vertices[v, 2] * z
        if height > best:
            best, at = height, v
    vx, vy, vz = vertices[at, 0], vertices[at, 1], vertices[at, 2]
    # a vertex belongs to a face if it is this near to its plane: rounding of the offsets [relative to the
    # size]
    slack = 1e-9 * (abs(vx) + abs(vy) + abs(vz) + abs(best))
    best, face = -np.inf, -1
    for f in range(what[k, 3], what[k, 4]):
        facing = planes[f, 0] * x + planes[f, 1] * y + planes[f, 2] * z
        if (
            facing > best
            and planes[f, 0] * vx + planes[f, 1] * vy + planes[f, 2] * vz >= planes[f, 3] - slack
        ):
            best, face = facing, f
    return face, at


@inner
def face_normal(k, what, pose, solids, dx, dy, dz):
    """Return (found, nx, ny, nz): the outward normal of the flat face that `support_polygon` writes."""
    kind = what[k, 0]
    if kind == SPHERE or kind == CAPSULE or kind == ELLIPSOID:
        return False, 0.0, 0.0, 0.0
    if kind == MESH:
        facing = pose[k, 26] * dx + pose[k, 27] * dy + pose[k, 28] * dz > 0.0
        return facing, pose[k, 26], pose[k, 27], pose[k, 28]
    x, y, z = to_shape(k, pose, dx, dy, dz)
    lx, ly, lz = 0.0, 0.0, 0.0
    if kind == BOX:
        ax, ay, az = abs(x), abs(y), abs(z)
        if ax > ay and ax > az:
            lx = 1.0 if x >= 0.0 else -1.0
        elif ay > az:
            ly = 1.0 if y >= 0.0 else -1.0
        else:
            lz = 1.0 if z >= 0.0 else -1.0
    elif kind == HULL:
        face, _ = _face_through_support(k, what, solids, x, y, z)
        lx, ly, lz = solids.planes[face, 0], solids.planes[face, 1], solids.planes[face, 2]
    elif kind == CYLINDER:
        if abs(z) < 0.7:
            return False, 0.0, 0.0, 0.0
        lz = 1.0 if z > 0.0 else -1.0
    else:
        r, length = pose[k, 12], 2.0 * pose[k, 13]
        if -z <= (length * np.sqrt(x * x + y * y) + r * z) / np.sqrt(r * r + length * length):
            return False, 0.0, 0.0, 0.0
        lz = -1.0
    nx, ny, nz = from_shape(k, pose, lx, ly, lz)
    return True, nx, ny, nz


@kernel
def support_polygon(
    k: int,
    what: Ints2,
    pose: Floats2,
    solids: PolyhedronArrays,
    dx: float,
    dy: float,
    dz: float,
    points: Floats2,
    ids: Ints,
) -> tuple[int, int, float, float, float]:
    """Write the face, edge or point with which a shape looks in direction d (unit, world).

    It is written whole, however much it is tilted: who asks keeps what is near enough.

    Inputs:
        k, what, pose: the shape, as `load_pair` wrote it.
        solids: arrays of all polyhedra.
        dx, dy, dz: unit direction, world.
        points: (MAX_CORNERS, 4) out: corners [m], world, counter-clockwise seen from outside, and the
            radius of curvature [m] there. Spheres and capsules: points of the core.
        ids: (MAX_CORNERS,) out: number of each corner within the shape.

    Returns:
        count, flat (FLAT_NONE, FLAT_POLYGON, FLAT_DISC), outward unit normal of the flat face (world).
    """
    kind = what[k, 0]
    x, y, z = to_shape(k, pose, dx, dy, dz)
    if kind == MESH:
        for i in range(3):
            for c in range(3):
                points[i, c] = pose[k, 17 + 3 * i + c]
            points[i, 3] = 0.0
            ids[i] = 3 * what[k, 3] + i
        return 3, FLAT_POLYGON, pose[k, 26], pose[k, 27], pose[k, 28]
    if kind == SPHERE:
        _put(points, ids, 0, k, pose, 0.0, 0.0, 0.0, pose[k, 12], 0)
        return 1, FLAT_NONE, 0.0, 0.0, 0.0
    if kind == CAPSULE:
        count = 0
        if z < 0.7:  # 45 degrees: an end that much higher never matters
            _put(points, ids, 0, k, pose, 0.0, 0.0, -pose[k, 13], pose[k, 12], 0)
            count = 1
        if z > -0.7:
            _put(points, ids, count, k, pose, 0.0, 0.0, pose[k, 13], pose[k, 12], 1)
            count += 1
        return count, FLAT_NONE, 0.0, 0.0, 0.0
    if kind == BOX:
        ax, ay, az = abs(x), abs(y), abs(z)
        axis = 2
        if ax > ay and ax > az:
            axis = 0
        elif ay > az:
            axis = 1
        side = 1.0 if (x, y, z)[axis] >= 0.0 else -1.0
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for i in range(4):
            su = -1.0 if i == 0 or i == 3 else 1.0
            sv = -side if i < 2 else side
            number = (
                (1 << axis if side > 0.0 else 0) + (1 << u if su > 0.0 else 0) + (1 << v if sv > 0.0 else 0)
            )
            lx = pose[k, 12] if number & 1 else -pose[k, 12]
            ly = pose[k, 13] if number & 2 else -pose[k, 13]
            lz = pose[k, 14] if number & 4 else -pose[k, 14]
            _put(points, ids, i, k, pose, lx, ly, lz, 0.0, number)
        nx, ny, nz = from_shape(k, pose, side * (axis == 0), side * (axis == 1), side * (axis == 2))
        return 4, FLAT_POLYGON, nx, ny, nz
    if kind == HULL:
        face, _ = _face_through_support(k, what, solids, x, y, z)
        first, last = solids.corner_range[face, 0], solids.corner_range[face, 1]
        stride = 1 + (last - first - 1) // MAX_CORNERS
        count = 0
        for c in range(first, last, stride):
            v = solids.corners[c]
            _put(
                points,
                ids,
                count,
                k,
                pose,
                solids.vertices[v, 0],
                solids.vertices[v, 1],
                solids.vertices[v, 2],
                0.0,
                v - what[k, 1],
            )
            count += 1
        nx, ny, nz = from_shape(
            k, pose, solids.planes[face, 0], solids.planes[face, 1], solids.planes[face, 2]
        )
        return count, FLAT_POLYGON, nx, ny, nz
    if kind == ELLIPSOID:
        a, b, c = pose[k, 12], pose[k, 13], pose[k, 14]
        sx, sy, sz = a * x, b * y, c * z
        h = np.sqrt(sx * sx + sy * sy + sz * sz)
        # Gaussian curvature K = (h^2 / (a b c))^2 where h is the support distance; radius = 1 / sqrt(K)
        radius = (a * b * c) / (h * h)
        _put(points, ids, 0, k, pose, a * sx / h, b * sy / h, c * sz / h, radius, 0)
        return 1, FLAT_NONE, 0.0, 0.0, 0.0
    r, half = pose[k, 12], pose[k, 13]
    across = np.sqrt(x * x + y * y)
    ux, uy = (x / across, y / across) if across > 0.0 else (1.0, 0.0)
    if kind == CYLINDER:
        if abs(z) >= 0.7:
            side = 1.0 if z > 0.0 else -1.0
            count = _put_cap(points, ids, k, pose, r, side * half, side, x, y)
            nx, ny, nz = from_shape(k, pose, 0.0, 0.0, side)
            return count, FLAT_DISC, nx, ny, nz
        radius = r if abs(z) < 0.1 else 0.0  # it rolls on its side, not on its rim
        _put(points, ids, 0, k, pose, r * ux, r * uy, -half, radius, RIM_POINTS + 1)
        _put(points, ids, 1, k, pose, r * ux, r * uy, half, radius, RIM_POINTS + 2)
        return 2, FLAT_NONE, 0.0, 0.0, 0.0
    # CONE: the normal of its side has the components 2 h / s across and r / s along the axis, s the slant
    # length
    slant = np.sqrt(r * r + 4.0 * half * half)
    facing_side = (2.0 * half * across + r * z) / slant
    if -z > facing_side:
        count = _put_cap(points, ids, k, pose, r, -half, -1.0, x, y)
        nx, ny, nz = from_shape(k, pose, 0.0, 0.0, -1.0)
        return count, FLAT_DISC, nx, ny, nz
    if facing_side < 0.7:
        if z > 0.0 and 2.0 * half * z > r * across:
            _put(points, ids, 0, k, pose, 0.0, 0.0, half, 0.0, RIM_POINTS + 1)
        else:
            _put(points, ids, 0, k, pose, r * ux, r * uy, -half, 0.0, RIM_POINTS + 2)
        return 1, FLAT_NONE, 0.0, 0.0, 0.0
    _put(points, ids, 0, k, pose, r * ux, r * uy, -half, r * slant / (2.0 * half), RIM_POINTS + 2)
    _put(points, ids, 1, k, pose, 0.0, 0.0, half, 0.0, RIM_POINTS + 1)
    return 2, FLAT_NONE, 0.0, 0.0, 0.0


@kernel
def edge_feature(
    k: int,
    what: Ints2,
    pose: Floats2,
    solids: PolyhedronArrays,
    dx: float,
    dy: float,
    dz: float,
    edge: Floats2,
) -> tuple[float, int]:
    """Write the straight line on a shape through its support point that is most nearly perpendicular to d.

    Inputs:
        k, what, pose: the shape, as `load_pair` wrote it.
        solids: arrays of all polyhedra.
        dx, dy, dz: unit direction, world.
        edge: (2, 3) out: both ends [m], world; of the core for capsules.

    Returns:
        |cosine| between the line and d (2 if there is no line) and the number of the line in the shape.
    """
    kind = what[k, 0]
    x, y, z = to_shape(k, pose, dx, dy, dz)
    found, number = 2.0, 0
    ax, ay, az, bx, by, bz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if kind == MESH:
        top = -np.inf
        for i in range(3):
            c, d = 17 + 3 * i, 17 + 3 * ((i + 1) % 3)
            ex, ey, ez = (
                pose[k, d] - pose[k, c],
                pose[k, d + 1] - pose[k, c + 1],
                pose[k, d + 2] - pose[k, c + 2],
            )
            rise = (ex * dx + ey * dy + ez * dz) / np.sqrt(ex * ex + ey * ey + ez * ez)
            height = max(
                pose[k, c] * dx + pose[k, c + 1] * dy + pose[k, c + 2] * dz,
                pose[k, d] * dx + pose[k, d + 1] * dy + pose[k, d + 2] * dz,
            )
            # of the two edges at the highest corner the flatter one
            if height > top or height == top and abs(rise) < found:
                top, found, number = height, abs(rise), 3 * what[k, 3] + i
                for j in range(3):
                    edge[0, j], edge[1, j] = pose[k, c + j], pose[k, d + j]
        return found, number
    if kind == BOX:
        along = 0
        if abs(y) < abs(x):
            along = 1
        if abs(z) < abs((x, y)[along]):
            along = 2
        bx = pose[k, 12] if x >= 0.0 else -pose[k, 12]
        by = pose[k, 13] if y >= 0.0 else -pose[k, 13]
        bz = pose[k, 14] if z >= 0.0 else -pose[k, 14]
        ax, ay, az = bx, by, bz
        number = along + 3 * (
            (x >= 0.0 and along != 0) + 2 * (y >= 0.0 and along != 1) + 4 * (z >= 0.0 and along != 2)
        )
        if along == 0:
            ax, bx = -pose[k, 12], pose[k, 12]
        elif along == 1:
            ay, by = -pose[k, 13], pose[k, 13]
        else:
            az, bz = -pose[k, 14], pose[k, 14]
        found = abs((x, y, z)[along])
    elif kind == CAPSULE:
        az, bz = -pose[k, 13], pose[k, 13]
        found = abs(z)
    elif kind == CYLINDER or kind == CONE:
        across = np.sqrt(x * x + y * y)
        if across > 0.0:
            ax, ay, az = pose[k, 12] * x / across, pose[k, 12] * y / across, -pose[k, 13]
            bz = pose[k, 13]
            if kind == CYLINDER:
                bx, by = ax, ay
                found = abs(z)
            else:
                length = np.sqrt(pose[k, 12] * pose[k, 12] + 4.0 * pose[k, 13] * pose[k, 13])
                found = abs(2.0 * pose[k, 13] * z - pose[k, 12] * across) / length
    elif kind == HULL:
        _, at = _face_through_support(k, what, solids, x, y, z)
        vertices, corners = solids.vertices, solids.corners
        bx, by, bz = vertices[at, 0], vertices[at, 1], vertices[at, 2]
        for f in range(what[k, 3], what[k, 4]):
            first, last = solids.corner_range[f, 0], solids.corner_range[f, 1]
            for c in range(first, last):
                if corners[c] != at:
                    continue
                # each edge has two faces and runs once in each direction: looking ahead finds them all
                other = corners[c + 1 if c + 1 < last else first]
                ex, ey, ez = vertices[other, 0] - bx, vertices[other, 1] - by, vertices[other, 2] - bz
                length = np.sqrt(ex * ex + ey * ey + ez * ez)
                cosine = abs(ex * x + ey * y + ez * z) / length
                if cosine < found:
                    found = cosine
                    ax, ay, az = bx + ex, by + ey, bz + ez
                    low, high = min(at, other) - what[k, 1], max(at, other) - what[k, 1]
                    number = low * 1024 + high
        if number // 1024 == at - what[k, 1]:  # the lower vertex first, whichever end was found
            ax, ay, az, bx, by, bz = bx, by, bz, ax, ay, az
    if found > 1.5:
        return found, number
    wx, wy, wz = from_shape(k, pose, ax, ay, az)
    edge[0, 0], edge[0, 1], edge[0, 2] = wx + pose[k, 0], wy + pose[k, 1], wz + pose[k, 2]
    wx, wy, wz = from_shape(k, pose, bx, by, bz)
    edge[1, 0], edge[1, 1], edge[1, 2] = wx + pose[k, 0], wy + pose[k, 1], wz + pose[k, 2]
    return found, number

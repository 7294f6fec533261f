"""Features of convex shapes: what of a shape is extreme in a direction, as a point, edge or face.

Spheres and capsules are a *core* (a point, a segment) with a rounding radius; every other shape is its
own core. Kernels here take one shape as `kind, size, row, position, quaternion` (see `ShapeTable`; `row`
is its row among the polyhedra) and `hulls`, the tuple that `hull_arrays` makes.
"""

import numpy as np
from numba import njit

from collision.algebra import rotate, rotate_inverse
from collision.polyhedra import PolyhedronArrays
from collision.shapes import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE

__all__ = ["FLAT_DISC", "FLAT_NONE", "FLAT_POLYGON", "MAX_CORNERS", "RIM_POINTS", "centre_of", "edge_feature",
           "hull_arrays", "rounding", "support", "support_polygon"]

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


def hull_arrays(arrays: PolyhedronArrays) -> tuple[np.ndarray, ...]:
    """Return what the kernels on convex shapes need of the polyhedra, as a plain tuple."""
    return (arrays.vertex_start, arrays.vertices, arrays.centre, arrays.face_start, arrays.corner_range,
            arrays.corners, arrays.normals, arrays.offsets)


@njit(cache=True)
def rounding(kind, size):
    """Return the radius [m] around the core of a shape."""
    if kind == SPHERE or kind == CAPSULE:
        return size[0]
    return 0.0


@njit(cache=True)
def centre_of(kind, row, hulls, position, quaternion):
    """Return a point inside the shape (world)."""
    if kind != HULL:
        return position[0], position[1], position[2]
    x, y, z = rotate(quaternion, hulls[2][row, 0], hulls[2][row, 1], hulls[2][row, 2])
    return x + position[0], y + position[1], z + position[2]


@njit(cache=True)
def support(kind, size, row, hulls, position, quaternion, dx, dy, dz):
    """Return the point of the core that lies farthest in direction d (world; any length above zero)."""
    if kind == SPHERE:
        return position[0], position[1], position[2]
    x, y, z = rotate_inverse(quaternion, dx, dy, dz)
    if kind == BOX:
        lx = size[0] if x >= 0.0 else -size[0]
        ly = size[1] if y >= 0.0 else -size[1]
        lz = size[2] if z >= 0.0 else -size[2]
    elif kind == HULL:
        vertices = hulls[1]
        best, at = -np.inf, 0
        for v in range(hulls[0][row], hulls[0][row + 1]):
            height = vertices[v, 0] * x + vertices[v, 1] * y + vertices[v, 2] * z
            if height > best:
                best, at = height, v
        lx, ly, lz = vertices[at, 0], vertices[at, 1], vertices[at, 2]
    elif kind == CAPSULE:
        lx, ly = 0.0, 0.0
        lz = size[1] if z >= 0.0 else -size[1]
    elif kind == CYLINDER or kind == CONE:
        lx, ly = 0.0, 0.0
        across = np.sqrt(x * x + y * y)
        if across > 0.0:
            lx, ly = size[0] * x / across, size[0] * y / across
        if kind == CYLINDER:
            lz = size[1] if z >= 0.0 else -size[1]
        elif z * size[1] > size[0] * across - z * size[1]:  # apex higher than the rim: z h > r |xy| - z h
            lx, ly, lz = 0.0, 0.0, size[1]
        else:
            lz = -size[1]
    else:  # ELLIPSOID: x_i = a_i^2 d_i / |a d|
        sx, sy, sz = size[0] * x, size[1] * y, size[2] * z
        scale = 1.0 / np.sqrt(sx * sx + sy * sy + sz * sz)
        lx, ly, lz = size[0] * sx * scale, size[1] * sy * scale, size[2] * sz * scale
    x, y, z = rotate(quaternion, lx, ly, lz)
    return x + position[0], y + position[1], z + position[2]


@njit(cache=True)
def _put(points, ids, at, position, quaternion, x, y, z, radius, number):
    wx, wy, wz = rotate(quaternion, x, y, z)
    points[at, 0] = wx + position[0]
    points[at, 1] = wy + position[1]
    points[at, 2] = wz + position[2]
    points[at, 3] = radius
    ids[at] = number


@njit(cache=True)
def _put_cap(points, ids, position, quaternion, r, z, side, x, y):
    """Write a rim at height z, counter-clockwise from outside, with the lowest point in direction (x, y)."""
    across = np.sqrt(x * x + y * y)
    extra = -1
    if across > RIM_TILT:
        turn = np.arctan2(y * side, x) / (2.0 * np.pi)
        extra = int(np.floor((turn - np.floor(turn)) * RIM_POINTS)) % RIM_POINTS
    count = 0
    for k in range(RIM_POINTS):
        _put(points, ids, count, position, quaternion, r * _COS[k], side * r * _SIN[k], z, 0.0, k)
        count += 1
        if k == extra:
            _put(points, ids, count, position, quaternion, r * x / across, r * y / across, z, 0.0, RIM_POINTS)
            count += 1
    return count


@njit(cache=True)
def _face_through_support(row, hulls, x, y, z):
    """Return the face of a hull that looks most in direction d among those through its support vertex."""
    vertices, normals, offsets = hulls[1], hulls[6], hulls[7]
    best, at = -np.inf, 0
    for v in range(hulls[0][row], hulls[0][row + 1]):
        height = vertices[v, 0] * x + vertices[v, 1] * y + vertices[v, 2] * z
        if height > best:
            best, at = height, v
    vx, vy, vz = vertices[at, 0], vertices[at, 1], vertices[at, 2]
    # a vertex belongs to a face if it is this near to its plane: rounding of the offsets, relative to the size
    slack = 1e-9 * (abs(vx) + abs(vy) + abs(vz) + abs(best))
    best, face = -np.inf, -1
    for f in range(hulls[3][row], hulls[3][row + 1]):
        facing = normals[f, 0] * x + normals[f, 1] * y + normals[f, 2] * z
        if facing > best:
            height = normals[f, 0] * vx + normals[f, 1] * vy + normals[f, 2] * vz
            if height >= offsets[f] - slack:
                best, face = facing, f
    return face, at


@njit(cache=True)
def support_polygon(kind, size, row, hulls, position, quaternion, dx, dy, dz, points, ids):
    """Write the face, edge or point with which a shape looks in direction d (unit, world).

    It is written whole, however much it is tilted: who asks keeps what is near enough.

    Args:
        kind, size, row, hulls, position, quaternion: the shape.
        dx, dy, dz: unit direction, world.
        points: (MAX_CORNERS, 4) out: corners [m], world, counter-clockwise seen from outside, and the
            radius of curvature [m] there. Spheres and capsules: points of the core.
        ids: (MAX_CORNERS,) out: number of each corner within the shape.

    Returns:
        count, flat (FLAT_NONE, FLAT_POLYGON, FLAT_DISC), outward unit normal of the flat face (world).
    """
    x, y, z = rotate_inverse(quaternion, dx, dy, dz)
    if kind == SPHERE:
        _put(points, ids, 0, position, quaternion, 0.0, 0.0, 0.0, size[0], 0)
        return 1, FLAT_NONE, 0.0, 0.0, 0.0
    if kind == CAPSULE:
        count = 0
        if z < 0.7:  # 45 degrees: an end that much higher never matters
            _put(points, ids, 0, position, quaternion, 0.0, 0.0, -size[1], size[0], 0)
            count = 1
        if z > -0.7:
            _put(points, ids, count, position, quaternion, 0.0, 0.0, size[1], size[0], 1)
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
        for k in range(4):
            su = -1.0 if k == 0 or k == 3 else 1.0
            sv = -side if k < 2 else side
            number = (1 << axis if side > 0.0 else 0) + (1 << u if su > 0.0 else 0) + (1 << v if sv > 0.0 else 0)
            lx = size[0] if number & 1 else -size[0]
            ly = size[1] if number & 2 else -size[1]
            lz = size[2] if number & 4 else -size[2]
            _put(points, ids, k, position, quaternion, lx, ly, lz, 0.0, number)
        nx, ny, nz = rotate(quaternion, side * (axis == 0), side * (axis == 1), side * (axis == 2))
        return 4, FLAT_POLYGON, nx, ny, nz
    if kind == HULL:
        face, _ = _face_through_support(row, hulls, x, y, z)
        first, last = hulls[4][face, 0], hulls[4][face, 1]
        stride = 1 + (last - first - 1) // MAX_CORNERS
        count = 0
        for c in range(first, last, stride):
            v = hulls[5][c]
            _put(points, ids, count, position, quaternion, hulls[1][v, 0], hulls[1][v, 1], hulls[1][v, 2], 0.0,
                 v - hulls[0][row])
            count += 1
        nx, ny, nz = rotate(quaternion, hulls[6][face, 0], hulls[6][face, 1], hulls[6][face, 2])
        return count, FLAT_POLYGON, nx, ny, nz
    if kind == ELLIPSOID:
        a, b, c = size[0], size[1], size[2]
        sx, sy, sz = a * x, b * y, c * z
        h = np.sqrt(sx * sx + sy * sy + sz * sz)
        # Gaussian curvature K = (h^2 / (a b c))^2 where h is the support distance; radius = 1 / sqrt(K)
        radius = (a * b * c) / (h * h)
        _put(points, ids, 0, position, quaternion, a * sx / h, b * sy / h, c * sz / h, radius, 0)
        return 1, FLAT_NONE, 0.0, 0.0, 0.0
    r, half = size[0], size[1]
    across = np.sqrt(x * x + y * y)
    ux, uy = (x / across, y / across) if across > 0.0 else (1.0, 0.0)
    if kind == CYLINDER:
        if abs(z) >= 0.7:
            side = 1.0 if z > 0.0 else -1.0
            count = _put_cap(points, ids, position, quaternion, r, side * half, side, x, y)
            nx, ny, nz = rotate(quaternion, 0.0, 0.0, side)
            return count, FLAT_DISC, nx, ny, nz
        radius = r if abs(z) < 0.1 else 0.0  # it rolls on its side, not on its rim
        _put(points, ids, 0, position, quaternion, r * ux, r * uy, -half, radius, RIM_POINTS + 1)
        _put(points, ids, 1, position, quaternion, r * ux, r * uy, half, radius, RIM_POINTS + 2)
        return 2, FLAT_NONE, 0.0, 0.0, 0.0
    # CONE: the normal of its side has the components 2 h / s across and r / s along the axis, s the slant length
    slant = np.sqrt(r * r + 4.0 * half * half)
    facing_side = (2.0 * half * across + r * z) / slant
    if -z > facing_side:
        count = _put_cap(points, ids, position, quaternion, r, -half, -1.0, x, y)
        nx, ny, nz = rotate(quaternion, 0.0, 0.0, -1.0)
        return count, FLAT_DISC, nx, ny, nz
    if facing_side < 0.7:
        if z > 0.0 and 2.0 * half * z > r * across:
            _put(points, ids, 0, position, quaternion, 0.0, 0.0, half, 0.0, RIM_POINTS + 1)
        else:
            _put(points, ids, 0, position, quaternion, r * ux, r * uy, -half, 0.0, RIM_POINTS + 2)
        return 1, FLAT_NONE, 0.0, 0.0, 0.0
    _put(points, ids, 0, position, quaternion, r * ux, r * uy, -half, r * slant / (2.0 * half), RIM_POINTS + 2)
    _put(points, ids, 1, position, quaternion, 0.0, 0.0, half, 0.0, RIM_POINTS + 1)
    return 2, FLAT_NONE, 0.0, 0.0, 0.0


@njit(cache=True)
def edge_feature(kind, size, row, hulls, position, quaternion, dx, dy, dz, edge):
    """Write the straight line on a shape through its support point that is most nearly perpendicular to d.

    Args:
        kind, size, row, hulls, position, quaternion: the shape.
        dx, dy, dz: unit direction, world.
        edge: (2, 3) out: both ends [m], world; of the core for capsules.

    Returns:
        |cosine| between the line and d (2 if there is no line) and the number of the line in the shape.
    """
    x, y, z = rotate_inverse(quaternion, dx, dy, dz)
    found, number = 2.0, 0
    ax, ay, az, bx, by, bz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if kind == BOX:
        along = 0
        if abs(y) < abs(x):
            along = 1
        if abs(z) < abs((x, y)[along]):
            along = 2
        bx = size[0] if x >= 0.0 else -size[0]
        by = size[1] if y >= 0.0 else -size[1]
        bz = size[2] if z >= 0.0 else -size[2]
        ax, ay, az = bx, by, bz
        number = along + 3 * ((x >= 0.0 and along != 0) + 2 * (y >= 0.0 and along != 1)
                              + 4 * (z >= 0.0 and along != 2))
        if along == 0:
            ax, bx = -size[0], size[0]
        elif along == 1:
            ay, by = -size[1], size[1]
        else:
            az, bz = -size[2], size[2]
        found = abs((x, y, z)[along])
    elif kind == CAPSULE:
        az, bz = -size[1], size[1]
        found = abs(z)
    elif kind == CYLINDER or kind == CONE:
        across = np.sqrt(x * x + y * y)
        if across > 0.0:
            ax, ay, az = size[0] * x / across, size[0] * y / across, -size[1]
            bz = size[1]
            if kind == CYLINDER:
                bx, by = ax, ay
                found = abs(z)
            else:
                length = np.sqrt(size[0] * size[0] + 4.0 * size[1] * size[1])
                found = abs(2.0 * size[1] * z - size[0] * across) / length
    elif kind == HULL:
        _, at = _face_through_support(row, hulls, x, y, z)
        vertices, corners = hulls[1], hulls[5]
        bx, by, bz = vertices[at, 0], vertices[at, 1], vertices[at, 2]
        for f in range(hulls[3][row], hulls[3][row + 1]):
            first, last = hulls[4][f, 0], hulls[4][f, 1]
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
                    low, high = min(at, other) - hulls[0][row], max(at, other) - hulls[0][row]
                    number = low * 1024 + high
        if number // 1024 == at - hulls[0][row]:  # the lower vertex first, whichever end was found
            ax, ay, az, bx, by, bz = bx, by, bz, ax, ay, az
    if found > 1.5:
        return found, number
    wx, wy, wz = rotate(quaternion, ax, ay, az)
    edge[0, 0], edge[0, 1], edge[0, 2] = wx + position[0], wy + position[1], wz + position[2]
    wx, wy, wz = rotate(quaternion, bx, by, bz)
    edge[1, 0], edge[1, 1], edge[1, 2] = wx + position[0], wy + position[1], wz + position[2]
    return found, number

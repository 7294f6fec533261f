"""The straight line on a convex shape that is most nearly perpendicular to a direction."""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2
from stoss.collision.shapes.features import face_through_support
from stoss.collision.shapes.kinds import BOX, CAPSULE, CONE, CYLINDER, HULL, MESH
from stoss.collision.shapes.shape_pair import ShapePair, from_shape, to_shape

FEATURE = "convex"  # see `kernels.prepare`

__all__ = ["edge_feature"]


@inner
def _triangle_edge(k, pair, dx, dy, dz, edge):
    """Write, of the two edges at the highest corner of a triangle, the flatter one."""
    corners = pair.corners
    top, found, number = -np.inf, 2.0, 0
    for i in range(3):
        j = (i + 1) % 3
        ax, ay, az = corners[k, i, 0], corners[k, i, 1], corners[k, i, 2]
        bx, by, bz = corners[k, j, 0], corners[k, j, 1], corners[k, j, 2]
        ex, ey, ez = bx - ax, by - ay, bz - az
        rise = (ex * dx + ey * dy + ez * dz) / np.sqrt(ex * ex + ey * ey + ez * ez)
        height = max(ax * dx + ay * dy + az * dz, bx * dx + by * dy + bz * dz)
        if height > top or height == top and abs(rise) < found:
            top, found, number = height, abs(rise), 3 * pair.face_range[k, 0] + i
            edge[0, 0], edge[0, 1], edge[0, 2] = ax, ay, az
            edge[1, 0], edge[1, 1], edge[1, 2] = bx, by, bz
    return found, number


@inner
def _box_edge(k, pair, x, y, z):
    """Return (cosine, number, both ends) of the flattest edge at the support vertex of a box."""
    size = pair.size
    along = 0
    if abs(y) < abs(x):
        along = 1
    if abs(z) < abs((x, y)[along]):
        along = 2
    bx = size[k, 0] if x >= 0.0 else -size[k, 0]
    by = size[k, 1] if y >= 0.0 else -size[k, 1]
    bz = size[k, 2] if z >= 0.0 else -size[k, 2]
    ax, ay, az = bx, by, bz
    number = along + 3 * (
        (x >= 0.0 and along != 0) + 2 * (y >= 0.0 and along != 1) + 4 * (z >= 0.0 and along != 2)
    )
    if along == 0:
        ax, bx = -size[k, 0], size[k, 0]
    elif along == 1:
        ay, by = -size[k, 1], size[k, 1]
    else:
        az, bz = -size[k, 2], size[k, 2]
    return abs((x, y, z)[along]), number, (ax, ay, az, bx, by, bz)


@inner
def _hull_edge(k, pair, x, y, z):
    """Return (cosine, number, both ends) of the flattest edge at the support vertex of a hull."""
    solids, first_vertex = pair.solids, pair.vertex_range[k, 0]
    vertices, corners, corner_range = solids.vertices, solids.corners, solids.corner_range
    _, at = face_through_support(k, pair, x, y, z)
    found, number = 2.0, 0
    ax, ay, az = 0.0, 0.0, 0.0
    bx, by, bz = vertices[at, 0], vertices[at, 1], vertices[at, 2]
    for i in range(solids.around_start[at], solids.around_start[at + 1]):
        f = solids.around[i]
        first, last = corner_range[f, 0], corner_range[f, 1]
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
                low, high = min(at, other) - first_vertex, max(at, other) - first_vertex
                number = low * 1024 + high
    if number // 1024 == at - first_vertex:  # the lower vertex first, whichever end was found
        return found, number, (bx, by, bz, ax, ay, az)
    return found, number, (ax, ay, az, bx, by, bz)


@kernel
def edge_feature(
    k: int, pair: ShapePair, dx: float, dy: float, dz: float, edge: Floats2
) -> tuple[float, int]:
    """Write the straight line on a shape through its support point that is most nearly perpendicular to d.

    Inputs:
        k, pair: the shape, as `load_pair` wrote it.
        dx, dy, dz: unit direction, world.
        edge: (2, 3) out: both ends [m], world; of the core for capsules.

    Returns:
        |cosine| between the line and d (2 if there is no line) and the number of the line in the shape.
    """
    kind, size, position = pair.kind[k], pair.size, pair.position
    if kind == MESH:
        return _triangle_edge(k, pair, dx, dy, dz, edge)
    x, y, z = to_shape(k, pair, dx, dy, dz)
    found, number = 2.0, 0
    ends = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if kind == BOX:
        found, number, ends = _box_edge(k, pair, x, y, z)
    elif kind == CAPSULE:
        ends = (0.0, 0.0, -size[k, 1], 0.0, 0.0, size[k, 1])
        found = abs(z)
    elif kind == CYLINDER or kind == CONE:
        across = np.sqrt(x * x + y * y)
        r, half = size[k, 0], size[k, 1]
        if across > 0.0:
            ax, ay = r * x / across, r * y / across
            if kind == CYLINDER:
                ends = (ax, ay, -half, ax, ay, half)
                found = abs(z)
            else:
                ends = (ax, ay, -half, 0.0, 0.0, half)
                found = abs(2.0 * half * z - r * across) / np.sqrt(r * r + 4.0 * half * half)
    elif kind == HULL:
        found, number, ends = _hull_edge(k, pair, x, y, z)
    if found > 1.5:
        return found, number
    wx, wy, wz = from_shape(k, pair, ends[0], ends[1], ends[2])
    edge[0, 0], edge[0, 1], edge[0, 2] = wx + position[k, 0], wy + position[k, 1], wz + position[k, 2]
    wx, wy, wz = from_shape(k, pair, ends[3], ends[4], ends[5])
    edge[1, 0], edge[1, 1], edge[1, 2] = wx + position[k, 0], wy + position[k, 1], wz + position[k, 2]
    return found, number

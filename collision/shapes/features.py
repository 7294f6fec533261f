"""Features of convex shapes: what of a shape is extreme in a direction, its point and its flat face.

Kernels here take shape `k` (0 or 1) of a `ShapePair`. Points are those of the core.
"""

from typing import Annotated

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints
from stoss.collision.shapes.hull_search import MANY_CORNERS, highest_corner
from stoss.collision.shapes.kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, MESH, SPHERE
from stoss.collision.shapes.shape_pair import from_shape, to_shape

__all__ = [
    "FLAT_DISC",
    "FLAT_NONE",
    "FLAT_POLYGON",
    "MAX_CORNERS",
    "FacingFeatures",
    "face_normal",
    "face_through_support",
    "support",
]

FLAT_NONE = 0  # a point or a segment
FLAT_POLYGON = 1
FLAT_DISC = 2

MAX_CORNERS = 64  # corners of a face that take part; faces with more are thinned evenly


class FacingFeatures(Struct):
    """The face, edge or point with which each shape of a pair looks at the other, see `support_polygon`.

    Attributes:
        corners: [m], world, counter-clockwise seen from outside, and the radius of curvature [m] there.
            Of spheres and capsules points of the core.
        ids: number of each corner within the shape.
        count: of corners.
        kind: FLAT_NONE, FLAT_POLYGON or FLAT_DISC.
        normal: outward, of a flat face, unit length, world.
    """

    corners: Annotated[Floats, "two", MAX_CORNERS + 1, 4]
    ids: Annotated[Ints, "two", MAX_CORNERS + 1]
    count: Annotated[Ints, "two"]
    kind: Annotated[Ints, "two"]
    normal: Annotated[Floats, "two", 3]


@inner
def support(k, pair, dx, dy, dz):
    """Return the point of the core that lies farthest in direction d (world; any length above zero)."""
    kind, position, size = pair.kind[k], pair.position, pair.size
    if kind == SPHERE:
        return position[k, 0], position[k, 1], position[k, 2]
    if kind == MESH:
        corners = pair.corners
        best, at = -np.inf, 0
        for c in range(3):
            height = corners[k, c, 0] * dx + corners[k, c, 1] * dy + corners[k, c, 2] * dz
            if height > best:
                best, at = height, c
        return corners[k, at, 0], corners[k, at, 1], corners[k, at, 2]
    x, y, z = to_shape(k, pair, dx, dy, dz)
    a, b, c = size[k, 0], size[k, 1], size[k, 2]
    if kind == BOX:
        lx = a if x >= 0.0 else -a
        ly = b if y >= 0.0 else -b
        lz = c if z >= 0.0 else -c
    elif kind == HULL:
        vertices = pair.solids.vertices
        at, _ = highest_corner(pair.solids, pair.vertex_range[k, 0], pair.vertex_range[k, 1], x, y, z)
        lx, ly, lz = vertices[at, 0], vertices[at, 1], vertices[at, 2]
    elif kind == CAPSULE:
        lx, ly, lz = 0.0, 0.0, b if z >= 0.0 else -b
    elif kind == CYLINDER or kind == CONE:
        lx, ly = 0.0, 0.0
        across = np.sqrt(x * x + y * y)
        if across > 0.0:
            lx, ly = a * x / across, a * y / across
        if kind == CYLINDER:
            lz = b if z >= 0.0 else -b
        elif z * b > a * across - z * b:  # apex higher than the rim: z h > r |xy| - z h
            lx, ly, lz = 0.0, 0.0, b
        else:
            lz = -b
    else:  # ELLIPSOID: x_i = a_i^2 d_i / |a d|
        sx, sy, sz = a * x, b * y, c * z
        scale = 1.0 / np.sqrt(sx * sx + sy * sy + sz * sz)
        lx, ly, lz = a * sx * scale, b * sy * scale, c * sz * scale
    x, y, z = from_shape(k, pair, lx, ly, lz)
    return x + position[k, 0], y + position[k, 1], z + position[k, 2]


@inner
def face_through_support(k, pair, x, y, z):
    """Return the face of a hull that looks most in direction d, and the support vertex it goes through."""
    solids = pair.solids
    vertices, planes = solids.vertices, solids.planes
    first, last = pair.vertex_range[k, 0], pair.vertex_range[k, 1]
    at, best = highest_corner(solids, first, last, x, y, z)
    vx, vy, vz = vertices[at, 0], vertices[at, 1], vertices[at, 2]
    # a vertex belongs to a face if it is this near to its plane: rounding of the offsets [relative to the
    # size]
    slack = 1e-9 * (abs(vx) + abs(vy) + abs(vz) + abs(best))
    best, face = -np.inf, -1
    # of many faces those at the corner alone
    alone = last - first > MANY_CORNERS
    begin, end = pair.face_range[k, 0], pair.face_range[k, 1]
    if alone:
        begin, end = solids.around_start[at], solids.around_start[at + 1]
    for i in range(begin, end):
        f = solids.around[i] if alone else i
        nx, ny, nz = planes[f, 0], planes[f, 1], planes[f, 2]
        facing = nx * x + ny * y + nz * z
        if facing > best and nx * vx + ny * vy + nz * vz >= planes[f, 3] - slack:
            best, face = facing, f
    return face, at


@inner
def face_normal(k, pair, dx, dy, dz):
    """Return (found, nx, ny, nz): the outward normal of the flat face that `support_polygon` writes."""
    kind = pair.kind[k]
    if kind == SPHERE or kind == CAPSULE or kind == ELLIPSOID:
        return False, 0.0, 0.0, 0.0
    if kind == MESH:
        nx, ny, nz = pair.normal[k, 0], pair.normal[k, 1], pair.normal[k, 2]
        return nx * dx + ny * dy + nz * dz > 0.0, nx, ny, nz
    x, y, z = to_shape(k, pair, dx, dy, dz)
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
        face, _ = face_through_support(k, pair, x, y, z)
        planes = pair.solids.planes
        lx, ly, lz = planes[face, 0], planes[face, 1], planes[face, 2]
    elif kind == CYLINDER:
        if abs(z) < 0.7:
            return False, 0.0, 0.0, 0.0
        lz = 1.0 if z > 0.0 else -1.0
    else:
        r, length = pair.size[k, 0], 2.0 * pair.size[k, 1]
        if -z <= (length * np.sqrt(x * x + y * y) + r * z) / np.sqrt(r * r + length * length):
            return False, 0.0, 0.0, 0.0
        lz = -1.0
    nx, ny, nz = from_shape(k, pair, lx, ly, lz)
    return True, nx, ny, nz

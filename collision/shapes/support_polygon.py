"""The face, edge or point with which a convex shape looks in a direction, as a list of corners."""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.shapes.features import (
    FLAT_DISC,
    FLAT_NONE,
    FLAT_POLYGON,
    MAX_CORNERS,
    FacingFeatures,
    face_through_support,
)
from stoss.collision.shapes.kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, HULL, MESH, SPHERE
from stoss.collision.shapes.shape_pair import ShapePair, from_shape, to_shape

FEATURE = "convex"  # see `kernels.prepare`

__all__ = ["RIM_POINTS", "support_polygon"]

# Points on the rim of a flat round face, fixed on the body so that their numbers stay. Eight points lose
# 1 - cos(22.5 deg) = 8 % of the radius of the support area in the worst direction; what a tilted cap
# touches with is added as a ninth point once it tilts by RIM_TILT [rad] (below it, the missed depth is
# 0.08 r 1e-4, and the direction of the lowest point would jump about).
RIM_POINTS = 8
RIM_TILT = 1e-4

_COS = np.cos(2.0 * np.pi * np.arange(RIM_POINTS) / RIM_POINTS)
_SIN = np.sin(2.0 * np.pi * np.arange(RIM_POINTS) / RIM_POINTS)


@inner
def _put(k, pair, features, x, y, z, radius, number):
    """Append a corner, given in the shape's frame."""
    at, corners, position = features.count[k], features.corners, pair.position
    wx, wy, wz = from_shape(k, pair, x, y, z)
    corners[k, at, 0] = wx + position[k, 0]
    corners[k, at, 1] = wy + position[k, 1]
    corners[k, at, 2] = wz + position[k, 2]
    corners[k, at, 3] = radius
    features.ids[k, at] = number
    features.count[k] = at + 1


@inner
def _flat(k, pair, features, kind, x, y, z):
    """Say that the feature is a flat face with that outward normal, in the shape's frame."""
    features.kind[k] = kind
    normal = features.normal
    normal[k, 0], normal[k, 1], normal[k, 2] = from_shape(k, pair, x, y, z)


@inner
def _put_cap(k, pair, features, z, side, x, y):
    """Write a rim at height z, counter-clockwise from outside, with the lowest point in direction (x, y)."""
    r = pair.size[k, 0]
    across = np.sqrt(x * x + y * y)
    extra = -1
    if across > RIM_TILT:
        turn = np.arctan2(y * side, x) / (2.0 * np.pi)
        extra = int(np.floor((turn - np.floor(turn)) * RIM_POINTS)) % RIM_POINTS
    for i in range(RIM_POINTS):
        _put(k, pair, features, r * _COS[i], side * r * _SIN[i], z, 0.0, i)
        if i == extra:
            _put(k, pair, features, r * x / across, r * y / across, z, 0.0, RIM_POINTS)
    _flat(k, pair, features, FLAT_DISC, 0.0, 0.0, side)


@inner
def _box_face(k, pair, features, x, y, z):
    """Write the face of a box that looks most in direction (x, y, z)."""
    size = pair.size
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
        number = (1 << axis if side > 0.0 else 0) + (1 << u if su > 0.0 else 0) + (1 << v if sv > 0.0 else 0)
        lx = size[k, 0] if number & 1 else -size[k, 0]
        ly = size[k, 1] if number & 2 else -size[k, 1]
        lz = size[k, 2] if number & 4 else -size[k, 2]
        _put(k, pair, features, lx, ly, lz, 0.0, number)
    _flat(k, pair, features, FLAT_POLYGON, side * (axis == 0), side * (axis == 1), side * (axis == 2))


@inner
def _hull_face(k, pair, features, x, y, z):
    """Write the face of a hull that looks most in direction (x, y, z) among those at its support vertex."""
    solids = pair.solids
    face, _ = face_through_support(k, pair, x, y, z)
    vertices, planes, corners = solids.vertices, solids.planes, solids.corners
    first, last = solids.corner_range[face, 0], solids.corner_range[face, 1]
    stride = 1 + (last - first - 1) // MAX_CORNERS
    for c in range(first, last, stride):
        v = corners[c]
        number = v - pair.vertex_range[k, 0]
        _put(k, pair, features, vertices[v, 0], vertices[v, 1], vertices[v, 2], 0.0, number)
    _flat(k, pair, features, FLAT_POLYGON, planes[face, 0], planes[face, 1], planes[face, 2])


@inner
def _round_side(k, pair, features, x, y, z):
    """Write the cap, the line or the point of a cylinder or a cone."""
    r, half = pair.size[k, 0], pair.size[k, 1]
    across = np.sqrt(x * x + y * y)
    ux, uy = (x / across, y / across) if across > 0.0 else (1.0, 0.0)
    if pair.kind[k] == CYLINDER:
        if abs(z) >= 0.7:
            side = 1.0 if z > 0.0 else -1.0
            _put_cap(k, pair, features, side * half, side, x, y)
            return
        radius = r if abs(z) < 0.1 else 0.0  # it rolls on its side, not on its rim
        _put(k, pair, features, r * ux, r * uy, -half, radius, RIM_POINTS + 1)
        _put(k, pair, features, r * ux, r * uy, half, radius, RIM_POINTS + 2)
        return
    # CONE: the normal of its side has the components 2 h / s across and r / s along the axis, s the slant
    # length
    slant = np.sqrt(r * r + 4.0 * half * half)
    facing_side = (2.0 * half * across + r * z) / slant
    if -z > facing_side:
        _put_cap(k, pair, features, -half, -1.0, x, y)
        return
    on_side = facing_side >= 0.7
    if on_side or not (z > 0.0 and 2.0 * half * z > r * across):
        radius = r * slant / (2.0 * half) if on_side else 0.0
        _put(k, pair, features, r * ux, r * uy, -half, radius, RIM_POINTS + 2)
        if not on_side:
            return
    _put(k, pair, features, 0.0, 0.0, half, 0.0, RIM_POINTS + 1)


@kernel
def support_polygon(
    k: int, pair: ShapePair, dx: float, dy: float, dz: float, features: FacingFeatures
) -> None:
    """Write the face, edge or point with which a shape looks in direction d (unit, world).

    It is written whole, however much it is tilted: who asks keeps what is near enough.

    Inputs:
        k, pair: the shape, as `load_pair` wrote it.
        dx, dy, dz: unit direction, world.

    Outputs:
        features: row k.
    """
    kind, size = pair.kind[k], pair.size
    normal = features.normal
    features.kind[k], features.count[k] = FLAT_NONE, 0
    normal[k, 0], normal[k, 1], normal[k, 2] = 0.0, 0.0, 0.0
    x, y, z = to_shape(k, pair, dx, dy, dz)
    if kind == MESH:
        corners, given = features.corners, pair.corners
        for i in range(3):
            for c in range(3):
                corners[k, i, c] = given[k, i, c]
            corners[k, i, 3] = 0.0
            features.ids[k, i] = 3 * pair.face_range[k, 0] + i
        features.count[k], features.kind[k] = 3, FLAT_POLYGON
        for c in range(3):
            normal[k, c] = pair.normal[k, c]
    elif kind == SPHERE:
        _put(k, pair, features, 0.0, 0.0, 0.0, size[k, 0], 0)
    elif kind == CAPSULE:
        for end in range(2):  # beyond 45 degrees the end that is that much higher never matters
            if (z < 0.7 and end == 0) or (z > -0.7 and end == 1):
                lz = size[k, 1] if end == 1 else -size[k, 1]
                _put(k, pair, features, 0.0, 0.0, lz, size[k, 0], end)
    elif kind == BOX:
        _box_face(k, pair, features, x, y, z)
    elif kind == HULL:
        _hull_face(k, pair, features, x, y, z)
    elif kind == ELLIPSOID:
        a, b, c = size[k, 0], size[k, 1], size[k, 2]
        sx, sy, sz = a * x, b * y, c * z
        h = np.sqrt(sx * sx + sy * sy + sz * sz)
        # Gaussian curvature K = (h^2 / (a b c))^2 where h is the support distance; radius = 1 / sqrt(K)
        radius = (a * b * c) / (h * h)
        _put(k, pair, features, a * sx / h, b * sy / h, c * sz / h, radius, 0)
    else:
        _round_side(k, pair, features, x, y, z)

"""Spheres and capsules against each other, and spheres against boxes."""

import numpy as np

from stoss.collision.algebra import dot, perpendicular, rotate, rotate_inverse
from stoss.collision.contacts import NORMAL_FIXED, NORMAL_ON_B
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.narrow_phase.pair_contacts import PairContacts, put_from_a, put_from_b
from stoss.collision.shapes.shape_table import ShapeArrays

__all__ = ["capsule_capsule", "capsule_sphere", "half_axis", "sphere_box", "sphere_sphere"]

# Capsules closer to parallel than this sine count as lying along each other and touch at both ends of
# the common stretch; the middle of the stretch is then off the ends' gaps by less than the square of it.
_PARALLEL_CAPSULES = 0.02
# Ends closer than this share of the half length count as one; far above rounding.
_SAME_END = 1e-6
# Squared distance [m^2] below which centres coincide and a fixed normal is taken.
_COINCIDENT = 1e-30


@inner
def _balls(a, ra, b, rb, fallback, margin, number, n, found):
    """Append the contact of two balls, unless apart; `fallback` is the normal of coinciding centres."""
    ax, ay, az = a
    bx, by, bz = b
    dx, dy, dz = ax - bx, ay - by, az - bz
    square = dx * dx + dy * dy + dz * dz
    reach = ra + rb + margin
    if square > reach * reach:
        return n
    distance = np.sqrt(square)
    if square > _COINCIDENT:
        nx, ny, nz = dx / distance, dy / distance, dz / distance
    else:
        nx, ny, nz = fallback
        distance = 0.0
    point = (ax - ra * nx, ay - ra * ny, az - ra * nz)
    put_from_a(found, n, number, NORMAL_FIXED, point, (nx, ny, nz), distance - ra - rb)
    return n + 1


@inner
def sphere_sphere(a, b, shapes, margin, found):
    """Write the contact of two spheres; return how many."""
    size, position = shapes.size, shapes.position
    p = (position[a, 0], position[a, 1], position[a, 2])
    q = (position[b, 0], position[b, 1], position[b, 2])
    return _balls(p, size[a, 0], q, size[b, 0], (0.0, 0.0, 1.0), margin, 0, 0, found)


@inner
def sphere_box(a, b, shapes, margin, found):
    """Contact of a sphere with the nearest point of a box; from inside, with the nearest face."""
    size, position, quaternion = shapes.size, shapes.position, shapes.quaternion
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
    side = NORMAL_ON_B
    if square > _COINCIDENT:
        distance = np.sqrt(square)
        dx, dy, dz = dx / distance, dy / distance, dz / distance
        if (dx != 0.0) + (dy != 0.0) + (dz != 0.0) > 1:
            side = NORMAL_FIXED  # edge or corner: the normal turns about it
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
    put_from_b(found, 0, 0, side, (bx, by, bz), (nx, ny, nz), gap)
    return 1


@inner
def half_axis(a, shapes):
    """Return the half axis of a capsule (world): from its middle to the centre of the end at +z."""
    return rotate(shapes.quaternion[a], 0.0, 0.0, shapes.size[a, 1])


@inner
def capsule_sphere(a, b, shapes, margin, found):
    """Write the contact of a capsule and a sphere; return how many."""
    size, position = shapes.size, shapes.position
    ux, uy, uz = half_axis(a, shapes)
    dx, dy = position[b, 0] - position[a, 0], position[b, 1] - position[a, 1]
    dz = position[b, 2] - position[a, 2]
    half = size[a, 1]
    # closest point of the axis: s u, |s| <= 1
    s = min(max(dot(dx, dy, dz, ux, uy, uz) / (half * half), -1.0), 1.0)
    p = (position[a, 0] + s * ux, position[a, 1] + s * uy, position[a, 2] + s * uz)
    q = (position[b, 0], position[b, 1], position[b, 2])
    fallback = perpendicular(ux / half, uy / half, uz / half)
    return _balls(p, size[a, 0], q, size[b, 0], fallback, margin, 0, 0, found)


@kernel
def capsule_capsule(a: int, b: int, shapes: ShapeArrays, margin: float, found: PairContacts) -> int:
    """Contacts of two capsules: the closest points, or both ends of the stretch they lie along."""
    size, position = shapes.size, shapes.position
    ux, uy, uz = half_axis(a, shapes)
    vx, vy, vz = half_axis(b, shapes)
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
            p = (ax + s * ux, ay + s * uy, az + s * uz)
            q = (bx + t * vx, by + t * vy, bz + t * vz)
            n = _balls(p, ra, q, rb, (fx, fy, fz), margin, end, n, found)
        if high > low:
            return n
    s, t = _closest_on_segments(uu, vv, uv, ud, vd)
    p, q = (ax + s * ux, ay + s * uy, az + s * uz), (bx + t * vx, by + t * vy, bz + t * vz)
    return _balls(p, ra, q, rb, (fx, fy, fz), margin, 4, 0, found)


@inner
def _closest_on_segments(uu, vv, uv, ud, vd):
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

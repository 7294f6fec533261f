"""Surfaces whose curvature differs from place to place: ellipsoids, sides and rims of cylinders and cones.

What rolls on such a surface touches it somewhere else after each step, at another distance from the centre of
mass; no point that is fixed in the body says where. So contacts of such surfaces keep the surface itself: its
centre c and three half axes h_i, in the frame of the body, of which a disc has two and a ball three of equal
length. The point that is farthest in direction d, and what it moves by as d turns, are

    p(d) = c + sum_i h_i (h_i . d) / |H d|,    |H d|^2 = sum_i (h_i . d)^2.

The side of a cylinder is a disc that goes on along a line: there the normal is square to the line, and the
place on it is free. So two crossing cylinders touch where their axes are nearest, wherever they roll.

Spheres, capsules and flat faces need none of it: a fixed anchor and a radius, or a fixed point, are exact.
"""

import numpy as np

from stoss.collision.algebra import cross, dot, perpendicular, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Floats2
from stoss.collision.shapes.kinds import CONE, CYLINDER, ELLIPSOID
from stoss.collision.shapes.shape_table import ShapeArrays
from stoss.engine.bodies.arrays import BodyArrays

__all__ = ["CURVED_A", "CURVED_B", "RIM", "SURFACE", "curved_gap", "has_curved_surface", "place_surface"]

# Values of `ContactFrames.curved`: the sum of these, which surfaces need more than an anchor.
CURVED_A, CURVED_B = 1, 2
# What `place_surface` finds.
NOT_CURVED, ELLIPSOIDAL, SIDE, RIM = 0, 1, 2, 3
# Numbers that describe a surface: centre, half axes, the direction of its line or nothing, where it touches.
SURFACE = 18
HALF_AXES, LINE, POINT = 3, 12, 15
# Least angle [rad] between the axis of a disc and the direction in which it touches: flatter it lies on a
# face, with several contacts.
LEAST_LEAN = 0.02
# How far beside the rim of its disc a contact may lie, as a share of the radius.
BESIDE = 1e-4
# Largest step [rad] of Newton's method for the normal; beyond it the surfaces are not what touches any more.
LARGEST_TURN = 0.5
# Sine of the angle between two lines from which on they cross at one place, not lie along each other.
LEAST_CROSSING = 0.02
# How near to its end [radii] a contact on a side is at the rim.
AT_END = 1e-6
NEWTON_ROUNDS = 2
# The gap of surfaces that are nowhere near each other.
NOWHERE = float("nan")


@inner(always=True)
def has_curved_surface(kind):
    """Return whether a kind of shape may touch with a surface that an anchor and a radius do not describe."""
    return kind == ELLIPSOID or kind == CYLINDER or kind == CONE


@kernel
def place_surface(
    shapes: ShapeArrays,
    shape: int,
    bodies: BodyArrays,
    body: int,
    point: tuple[float, float, float],
    direction: tuple[float, float, float],
    radius: float,
    out: Floats,
) -> int:
    """Write the surface that touches at a point; return how it is curved, NOT_CURVED if not as meant here.

    Where it is not, a ball of the given radius is written, which may be a point.

    Args:
        shapes, shape: shapes of all bodies, and which of them touches.
        bodies, body: bodies, and which of them carries the shape.
        point: (3,) on the surface, in the world [m].
        direction: (3,) unit vector out of the surface, in the world.
        radius: of curvature where the surface is not curved in this sense [m].
        out: (SURFACE,) receives it in the frame of the body [m].
    """
    q, turn, kind = bodies.quaternions[body], shapes.local_quaternion[shape], shapes.kind[shape]
    d0, d1, d2 = rotate_inverse(q, direction[0], direction[1], direction[2])
    p0, p1, p2 = rotate_inverse(
        q,
        point[0] - bodies.positions[body, 0],
        point[1] - bodies.positions[body, 1],
        point[2] - bodies.positions[body, 2],
    )
    x, y, z = rotate_inverse(turn, d0, d1, d2)
    a = b = c = radius
    curved = NOT_CURVED
    if kind == ELLIPSOID:
        curved = ELLIPSOIDAL
        a, b, c = shapes.size[shape, 0], shapes.size[shape, 1], shapes.size[shape, 2]
    elif kind == CYLINDER or kind == CONE:
        across = np.sqrt(x * x + y * y)
        if across > LEAST_LEAN:
            r, origin = shapes.size[shape, 0], shapes.local_position[shape]
            u, v, w = rotate_inverse(turn, p0 - origin[0], p1 - origin[1], p2 - origin[2])
            if abs(u - r * x / across) + abs(v - r * y / across) < BESIDE * r:
                inside = abs(w) < shapes.size[shape, 1] - AT_END * r
                curved = SIDE if kind == CYLINDER and inside else RIM
                a, b, c = r, r, 0.0
    if curved != NOT_CURVED:
        s = 1.0 / np.sqrt(a * a * x * x + b * b * y * y + c * c * z * z)
        x, y, z = rotate(turn, s * a * a * x, s * b * b * y, s * c * c * z)
    else:
        x, y, z = radius * d0, radius * d1, radius * d2
    out[0], out[1], out[2] = p0 - x, p1 - y, p2 - z
    out[3], out[4], out[5] = rotate(turn, a, 0.0, 0.0)
    out[6], out[7], out[8] = rotate(turn, 0.0, b, 0.0)
    out[9], out[10], out[11] = rotate(turn, 0.0, 0.0, c)
    out[12], out[13], out[14] = rotate(turn, 0.0, 0.0, 1.0 if curved == SIDE else 0.0)
    out[15], out[16], out[17] = p0, p1, p2
    return curved


@inner
def _farthest(surface, quaternion, position, d, e):
    """Return the point of a surface that is farthest in direction d, and how it moves as d turns to e."""
    x, y, z = rotate_inverse(quaternion, d[0], d[1], d[2])
    f, g, h = rotate_inverse(quaternion, e[0], e[1], e[2])
    size = along = 0.0
    p0 = p1 = p2 = r0 = r1 = r2 = 0.0
    for i in range(HALF_AXES, LINE, 3):
        u, v, w = surface[i], surface[i + 1], surface[i + 2]
        m = u * x + v * y + w * z
        n = u * f + v * g + w * h
        size += m * m
        along += m * n
        p0, p1, p2 = p0 + u * m, p1 + v * m, p2 + w * m
        r0, r1, r2 = r0 + u * n, r1 + v * n, r2 + w * n
    if size > 0.0:
        scale = 1.0 / np.sqrt(size)
        along *= scale * scale
        p0, p1, p2 = scale * p0, scale * p1, scale * p2
        r0, r1, r2 = scale * r0 - along * p0, scale * r1 - along * p1, scale * r2 - along * p2
    p0, p1, p2 = rotate(quaternion, surface[0] + p0, surface[1] + p1, surface[2] + p2)
    return (p0 + position[0], p1 + position[1], p2 + position[2]), rotate(quaternion, r0, r1, r2)


@inner
def _is_elsewhere(surface, quaternion, position, point):
    """Return whether a point (3) of a surface lies farther than its size from where it touched.

    So it is when a disc that lay almost flat tips over to the other side of its rim: what touches there is
    another contact, and an impulse here is not to prevent it.
    """
    x, y, z = rotate_inverse(
        quaternion, point[0] - position[0], point[1] - position[1], point[2] - position[2]
    )
    x, y, z = x - surface[POINT], y - surface[POINT + 1], z - surface[POINT + 2]
    size = 0.0
    for i in range(HALF_AXES, LINE, 3):
        u, v, w = surface[i], surface[i + 1], surface[i + 2]
        size = max(size, dot(u, v, w, u, v, w))
    return size > 0.0 and dot(x, y, z, x, y, z) > size


@inner
def _square_to_lines(normal, lines):
    """Return how many lines the normal (3) has to be square to, and the nearest one that is.

    Args:
        normal: (3,) unit vector.
        lines: directions (3) of both surfaces, unit vectors or zero.
    """
    n0, n1, n2 = normal
    (u0, u1, u2), (v0, v1, v2) = lines
    c0, c1, c2 = cross(u0, u1, u2, v0, v1, v2)
    size = np.sqrt(dot(c0, c1, c2, c0, c1, c2))
    if size > LEAST_CROSSING:
        size = size if dot(n0, n1, n2, c0, c1, c2) >= 0.0 else -size
        return 2, (c0 / size, c1 / size, c2 / size)
    if u0 == 0.0 and u1 == 0.0 and u2 == 0.0:
        u0, u1, u2 = v0, v1, v2
    if u0 == 0.0 and u1 == 0.0 and u2 == 0.0:
        return 0, (n0, n1, n2)
    along = dot(n0, n1, n2, u0, u1, u2)
    n0, n1, n2 = n0 - along * u0, n1 - along * u1, n2 - along * u2
    size = np.sqrt(dot(n0, n1, n2, n0, n1, n2))
    return 1, (n0 / size, n1 / size, n2 / size)


@inner
def _move_along_lines(nearest, lines):
    """Move the points on the surfaces along their lines to where they face each other."""
    (u0, u1, u2), (v0, v1, v2) = lines
    a, b = nearest[1], nearest[2]
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    # w - p u + q v square to u and v
    wu, wv, uv = dot(x, y, z, u0, u1, u2), dot(x, y, z, v0, v1, v2), dot(u0, u1, u2, v0, v1, v2)
    det = 1.0 - uv * uv
    p, q = wu, -wv
    if det > LEAST_CROSSING * LEAST_CROSSING and uv != 0.0:
        p, q = (wu - uv * wv) / det, (uv * wu - wv) / det
    a[0], a[1], a[2] = a[0] - p * u0, a[1] - p * u1, a[2] - p * u2
    b[0], b[1], b[2] = b[0] - q * v0, b[1] - q * v1, b[2] - q * v2


@kernel
def curved_gap(
    surfaces: Floats2,
    a: int,
    b: int,
    positions: Floats2,
    quaternions: Floats2,
    normal: tuple[float, float, float],
    fixed: bool,
    nearest: Floats2,
) -> float:
    """Return the gap of two surfaces for any poses; find the normal, and the points nearest along it.

    Where no face has the normal, it is the one along which the gap is largest, found from the given one by
    Newton's method: with w the vector between the points and t the tangents, w . t = 0. It stays square to
    lines in the surfaces. NaN if the surfaces then touch somewhere else altogether.

    Args:
        surfaces: (2, SURFACE) of the bodies a and b, as `place_surface` wrote them.
        a, b: the bodies.
        positions, quaternions: of all bodies [m].
        normal: (3,) in the world, from b to a.
        fixed: whether a face has the normal.
        nearest: (3, 3) receives the normal and the points on a and b.
    """
    n0, n1, n2 = normal
    lines = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    bound = 0
    if not fixed:
        first, second = surfaces[0], surfaces[1]
        lines = (
            rotate(quaternions[a], first[LINE], first[LINE + 1], first[LINE + 2]),
            rotate(quaternions[b], second[LINE], second[LINE + 1], second[LINE + 2]),
        )
        bound, (n0, n1, n2) = _square_to_lines(normal, lines)
    best = -np.inf
    for number in range(NEWTON_ROUNDS + 1):
        t = perpendicular(n0, n1, n2)
        if bound == 1:
            line = lines[0] if lines[0] != (0.0, 0.0, 0.0) else lines[1]
            t = cross(line[0], line[1], line[2], n0, n1, n2)
        d = (-n0, -n1, -n2)
        point_a, f = _farthest(surfaces[0], quaternions[a], positions[a], d, t)
        point_b, g = _farthest(surfaces[1], quaternions[b], positions[b], (n0, n1, n2), t)
        x, y, z = point_a[0] - point_b[0], point_a[1] - point_b[1], point_a[2] - point_b[2]
        gap = n0 * x + n1 * y + n2 * z
        if not gap > best:  # the largest one is the distance
            break
        best = gap
        nearest[0, 0], nearest[0, 1], nearest[0, 2] = n0, n1, n2
        nearest[1, 0], nearest[1, 1], nearest[1, 2] = point_a
        nearest[2, 0], nearest[2, 1], nearest[2, 2] = point_b
        if fixed or bound == 2 or number == NEWTON_ROUNDS:
            break
        s = cross(n0, n1, n2, t[0], t[1], t[2])
        f0, f1, f2 = f[0] + g[0], f[1] + g[1], f[2] + g[2]
        k00 = dot(t[0], t[1], t[2], f0, f1, f2) + gap
        k01 = dot(s[0], s[1], s[2], f0, f1, f2)
        _, f = _farthest(surfaces[0], quaternions[a], positions[a], d, s)
        _, g = _farthest(surfaces[1], quaternions[b], positions[b], (n0, n1, n2), s)
        k11 = dot(s[0], s[1], s[2], f[0] + g[0], f[1] + g[1], f[2] + g[2]) + gap
        u, v = dot(t[0], t[1], t[2], x, y, z), dot(s[0], s[1], s[2], x, y, z)
        if bound == 1:  # about the line alone
            k01, k11, v = 0.0, 1.0, 0.0
        det = k00 * k11 - k01 * k01
        if not (det > 0.0 and k00 > 0.0):
            break
        u, v = (k11 * u - k01 * v) / det, (k00 * v - k01 * u) / det
        if u * u + v * v > LARGEST_TURN * LARGEST_TURN:
            break
        n0, n1, n2 = n0 + u * t[0] + v * s[0], n1 + u * t[1] + v * s[1], n2 + u * t[2] + v * s[2]
        size = 1.0 / np.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
        n0, n1, n2 = n0 * size, n1 * size, n2 * size
    for half in range(2):
        i = a if half == 0 else b
        if _is_elsewhere(surfaces[half], quaternions[i], positions[i], nearest[1 + half]):
            return NOWHERE
    if bound > 0:
        _move_along_lines(nearest, lines)
    return best

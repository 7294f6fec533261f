"""What a tree of axes says of bodies and points: poses, velocities, Jacobians (Stelzner 2008, 1.3)."""

import numpy as np

from stoss.collision.algebra import cross
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats, Floats2
from stoss.engine.articulated.tree import Tree

__all__ = [
    "link_jacobian",
    "write_accelerations",
    "write_poses",
    "write_velocities",
]


@kernel
def link_jacobian(tree: Tree, k: int, point: Floats, out: Floats2) -> None:
    """Add to out (6, n) the velocity of a point behind axis k, then the angular velocity, per unit rate.

    Args:
        tree: placed.
        k: the axis, -1: the world.
        point: (3,) world [m].
        out: linear rows first.
    """
    r = tree.reference
    x, y, z = point[0] - r[0], point[1] - r[1], point[2] - r[2]
    while k >= 0:
        m, j, share = tree.motions[k], tree.coordinate[k], tree.slope[k]
        u, v, w = cross(m[0], m[1], m[2], x, y, z)
        out[0, j] += share * (m[3] + u)
        out[1, j] += share * (m[4] + v)
        out[2, j] += share * (m[5] + w)
        for n in range(3):
            out[3 + n, j] += share * m[n]
        k = tree.carrier[k]


@kernel
def write_poses(tree: Tree, moves: Bools, positions: Floats2, quaternions: Floats2) -> None:
    """Write centres and principal axes of the links that move, of the placed tree, as poses of bodies."""
    for i in range(len(tree.holder)):
        if not moves[i]:
            continue
        for n in range(3):
            positions[i, n] = tree.centres[i, n]
        w, x, y, z = _quaternion(tree.link_frames, i)
        q = quaternions[i]
        sign = -1.0 if w * q[0] + x * q[1] + y * q[2] + z * q[3] < 0.0 else 1.0
        size = sign / np.sqrt(w * w + x * x + y * y + z * z)
        q[0], q[1], q[2], q[3] = size * w, size * x, size * y, size * z


@inner
def _quaternion(m, k):
    """Return the quaternion of the matrix in row k, by its largest component; about a unit one."""
    a, b, c = m[k, 0], m[k, 4], m[k, 8]
    if a + b + c > 0.0:
        w = 0.5 * np.sqrt(1.0 + a + b + c)
        s = 0.25 / w
        return w, s * (m[k, 7] - m[k, 5]), s * (m[k, 2] - m[k, 6]), s * (m[k, 3] - m[k, 1])
    if a >= b and a >= c:
        x = 0.5 * np.sqrt(1.0 + a - b - c)
        s = 0.25 / x
        return s * (m[k, 7] - m[k, 5]), x, s * (m[k, 1] + m[k, 3]), s * (m[k, 2] + m[k, 6])
    if b >= c:
        y = 0.5 * np.sqrt(1.0 - a + b - c)
        s = 0.25 / y
        return s * (m[k, 2] - m[k, 6]), s * (m[k, 1] + m[k, 3]), y, s * (m[k, 5] + m[k, 7])
    z = 0.5 * np.sqrt(1.0 - a - b + c)
    s = 0.25 / z
    return s * (m[k, 3] - m[k, 1]), s * (m[k, 2] + m[k, 6]), s * (m[k, 5] + m[k, 7]), z


@kernel
def write_velocities(tree: Tree, moves: Bools, velocities: Floats2, angular_velocities: Floats2) -> None:
    """Write the velocities of the links that move, after `accelerate`: of their centres, and angular."""
    for i in range(len(tree.holder)):
        k = tree.holder[i]
        if not moves[i]:
            continue
        if k < 0:  # held by the world
            for n in range(3):
                velocities[i, n] = angular_velocities[i, n] = 0.0
            continue
        r, p, c = tree.rates[k], tree.reference, tree.centres[i]
        x, y, z = cross(r[0], r[1], r[2], c[0] - p[0], c[1] - p[1], c[2] - p[2])
        velocities[i, 0], velocities[i, 1], velocities[i, 2] = r[3] + x, r[4] + y, r[5] + z
        for n in range(3):
            angular_velocities[i, n] = r[n]


@kernel
def write_accelerations(tree: Tree, moves: Bools, out: Floats2) -> None:
    """Write accelerations (links, 6) of what moves, after `accelerate`, into zeros: linear ones first."""
    for i in range(len(tree.holder)):
        k = tree.holder[i]
        if not moves[i] or k < 0:
            continue
        r, a, p, c = tree.rates[k], tree.changes[k], tree.reference, tree.centres[i]
        d0, d1, d2 = c[0] - p[0], c[1] - p[1], c[2] - p[2]
        x, y, z = cross(r[0], r[1], r[2], d0, d1, d2)
        x, y, z = cross(r[0], r[1], r[2], r[3] + x, r[4] + y, r[5] + z)
        u, v, w = cross(a[0], a[1], a[2], d0, d1, d2)
        out[i, 0], out[i, 1], out[i, 2] = a[3] + x + u, a[4] + y + v, a[5] + z + w
        for n in range(3):
            out[i, 3 + n] = a[n]

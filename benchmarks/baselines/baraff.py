"""Lagrange multipliers in linear time for trees: Baraff's sparse factorisation.

The unknown accelerations a and joint forces l solve

    M a - B^T l = F,   B a + e l = target,

e = 0 for multipliers, e = 1 / strength for the penalty force. Bodies and joints are the
nodes of a tree; eliminating every node after those that hang on it, the factorisation has no fill. Pivots of
bodies are positive definite, those of joints negative definite, so no pivoting is needed:

    body i:        D_i = M_i + sum over its children's joints of B_p^T S^-1 B_p = L L^T,   y = L^-1 z_i
    its joint j:   X = L^-1 B_i^T,   S = X^T X + e,   u = target_j - X^T y
    parent p:      z_p += B_p^T S^-1 u
    and back:      l_j = S^-1 (u - B_p a_p),   a_i = L^-T (y + X l_j).

Per joint the relation is taken as child minus parent, so that B_i = (E, -r_i*) and B_p = -(E, -r_p*).
"""

from typing import NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import compiled

__all__ = ["TreeWork", "solve_tree", "tree_work"]


class TreeWork(NamedTuple):
    """Work arrays of the factorisation, by body; its joint towards the root is kept with it."""

    factor: np.ndarray  # (n, 6, 6) D, then L with the inverses of its diagonal
    z: np.ndarray  # (n, 6) right side, then y, then the acceleration
    x: np.ndarray  # (n, 6, 3) X
    s: np.ndarray  # (n, 6) S^-1, elements xx, xy, xz, yy, yz, zz
    u: np.ndarray  # (n, 3)


def tree_work(bodies: int) -> TreeWork:
    """Return work arrays for a number of bodies."""
    shapes = ((6, 6), (6,), (6, 3), (6,), (3,))
    return TreeWork(*(np.zeros((bodies, *shape)) for shape in shapes))


@compiled
def _load(model, tensor, torque, work):
    """Write M and F."""
    for i in range(len(tensor)):
        d = work.factor[i]
        for r in range(6):
            for c in range(r + 1):
                d[r, c] = 0.0
        m = model.masses[i]
        d[0, 0], d[1, 1], d[2, 2] = m, m, m
        d[3, 3], d[4, 3], d[4, 4] = tensor[i, 0], tensor[i, 1], tensor[i, 3]
        d[5, 3], d[5, 4], d[5, 5] = tensor[i, 2], tensor[i, 4], tensor[i, 5]
        for k in range(3):
            work.z[i, k] = m * model.gravity[k]
            work.z[i, 3 + k] = torque[i, k]


@compiled
def _eliminate_body(d, z):
    """Overwrite D with L (inverses on its diagonal) and z with y = L^-1 z."""
    for c in range(6):
        s = d[c, c]
        for k in range(c):
            s -= d[c, k] * d[c, k]
        inverse = 1.0 / np.sqrt(s)
        d[c, c] = inverse
        for r in range(c + 1, 6):
            s = d[r, c]
            for k in range(c):
                s -= d[r, k] * d[c, k]
            d[r, c] = s * inverse
    for r in range(6):
        s = z[r]
        for k in range(r):
            s -= d[r, k] * z[k]
        z[r] = s * d[r, r]


@compiled
def _eliminate_joint(d, y, r0, r1, r2, compliance, x, s, u):
    """Write X, S^-1, and S^-1 u in place of u."""
    # rows of B_i^T = (E; r*)
    x[0, 0], x[0, 1], x[0, 2] = 1.0, 0.0, 0.0
    x[1, 0], x[1, 1], x[1, 2] = 0.0, 1.0, 0.0
    x[2, 0], x[2, 1], x[2, 2] = 0.0, 0.0, 1.0
    x[3, 0], x[3, 1], x[3, 2] = 0.0, -r2, r1
    x[4, 0], x[4, 1], x[4, 2] = r2, 0.0, -r0
    x[5, 0], x[5, 1], x[5, 2] = -r1, r0, 0.0
    s0, s1, s2, s3, s4, s5 = compliance, 0.0, 0.0, compliance, 0.0, compliance
    u0, u1, u2 = u[0], u[1], u[2]
    for r in range(6):
        a, b, c = x[r, 0], x[r, 1], x[r, 2]
        for k in range(r):
            a -= d[r, k] * x[k, 0]
            b -= d[r, k] * x[k, 1]
            c -= d[r, k] * x[k, 2]
        a *= d[r, r]
        b *= d[r, r]
        c *= d[r, r]
        x[r, 0], x[r, 1], x[r, 2] = a, b, c
        s0 += a * a
        s1 += a * b
        s2 += a * c
        s3 += b * b
        s4 += b * c
        s5 += c * c
        u0 -= a * y[r]
        u1 -= b * y[r]
        u2 -= c * y[r]
    c0, c1, c2 = s3 * s5 - s4 * s4, s2 * s4 - s1 * s5, s1 * s4 - s2 * s3
    scale = 1.0 / (s0 * c0 + s1 * c1 + s2 * c2)
    s[0], s[1], s[2] = scale * c0, scale * c1, scale * c2
    s[3], s[4], s[5] = scale * (s0 * s5 - s2 * s2), scale * (s1 * s2 - s0 * s4), scale * (s0 * s3 - s1 * s1)
    u[0] = s[0] * u0 + s[1] * u1 + s[2] * u2
    u[1] = s[1] * u0 + s[3] * u1 + s[4] * u2
    u[2] = s[2] * u0 + s[4] * u1 + s[5] * u2


@compiled
def _add_to_parent(d, z, r0, r1, r2, s, u):
    """Add B_p^T S^-1 B_p to D and B_p^T S^-1 u to z, with B_p = -(E, -r*); `u` is S^-1 u already."""
    z[0] -= u[0]
    z[1] -= u[1]
    z[2] -= u[2]
    z[3] -= r1 * u[2] - r2 * u[1]
    z[4] -= r2 * u[0] - r0 * u[2]
    z[5] -= r0 * u[1] - r1 * u[0]
    d[0, 0] += s[0]
    d[1, 0] += s[1]
    d[2, 0] += s[2]
    d[1, 1] += s[3]
    d[2, 1] += s[4]
    d[2, 2] += s[5]
    # q = r* S^-1, row by row
    a0, a1, a2 = r1 * s[2] - r2 * s[1], r1 * s[4] - r2 * s[3], r1 * s[5] - r2 * s[4]
    b0, b1, b2 = r2 * s[0] - r0 * s[2], r2 * s[1] - r0 * s[4], r2 * s[2] - r0 * s[5]
    c0, c1, c2 = r0 * s[1] - r1 * s[0], r0 * s[3] - r1 * s[1], r0 * s[4] - r1 * s[2]
    d[3, 0] += a0
    d[3, 1] += a1
    d[3, 2] += a2
    d[4, 0] += b0
    d[4, 1] += b1
    d[4, 2] += b2
    d[5, 0] += c0
    d[5, 1] += c1
    d[5, 2] += c2
    # -q r*
    d[3, 3] += a2 * r1 - a1 * r2
    d[4, 3] += b2 * r1 - b1 * r2
    d[5, 3] += c2 * r1 - c1 * r2
    d[4, 4] += b0 * r2 - b2 * r0
    d[5, 4] += c0 * r2 - c2 * r0
    d[5, 5] += c1 * r0 - c0 * r1


@compiled
def solve_tree(model, tree, tensor, torque, arm, target, compliance, work, force, dx):
    """Write joint forces and the accelerations of all bodies.

    Args:
        model: the model's arrays.
        tree: a `TreeOrder`.
        tensor: (n, 6) inertia tensors in the world frame [kg m^2].
        torque: (n, 3) torques without those of the joints [N m].
        arm: (m, 2, 3) arms of the joints [m].
        target: (m, 3) wanted C'' without its velocity terms [m/s^2].
        compliance: e [1/kg].
        work: a `TreeWork`.
        force: (m, 3) out, force on the second body of each joint [N].
        dx: (n, 13) out, columns 7 to 12: accelerations.
    """
    _load(model, tensor, torque, work)
    for step in range(len(tree.body)):
        i = tree.body[step]
        d, z = work.factor[i], work.z[i]
        _eliminate_body(d, z)
        j = tree.joint[i]
        if j < 0:
            continue
        side = tree.side[i]
        sign = 1.0 if side == 1 else -1.0
        s, u = work.s[i], work.u[i]
        u[0], u[1], u[2] = sign * target[j, 0], sign * target[j, 1], sign * target[j, 2]
        _eliminate_joint(d, z, arm[j, side, 0], arm[j, side, 1], arm[j, side, 2], compliance, work.x[i], s, u)
        p = tree.parent[i]
        if p >= 0:
            r = arm[j, 1 - side]
            _add_to_parent(work.factor[p], work.z[p], r[0], r[1], r[2], s, u)
    for step in range(len(tree.body) - 1, -1, -1):
        i = tree.body[step]
        d, z = work.factor[i], work.z[i]
        j = tree.joint[i]
        if j >= 0:
            side = tree.side[i]
            sign = 1.0 if side == 1 else -1.0
            s, x = work.s[i], work.x[i]
            l0, l1, l2 = work.u[i, 0], work.u[i, 1], work.u[i, 2]
            p = tree.parent[i]
            if p >= 0:
                a = work.z[p]
                r0, r1, r2 = arm[j, 1 - side, 0], arm[j, 1 - side, 1], arm[j, 1 - side, 2]
                b0 = a[0] + a[4] * r2 - a[5] * r1
                b1 = a[1] + a[5] * r0 - a[3] * r2
                b2 = a[2] + a[3] * r1 - a[4] * r0
                l0 += s[0] * b0 + s[1] * b1 + s[2] * b2
                l1 += s[1] * b0 + s[3] * b1 + s[4] * b2
                l2 += s[2] * b0 + s[4] * b1 + s[5] * b2
            force[j, 0], force[j, 1], force[j, 2] = sign * l0, sign * l1, sign * l2
            for k in range(6):
                z[k] += x[k, 0] * l0 + x[k, 1] * l1 + x[k, 2] * l2
        for r in range(5, -1, -1):
            t = z[r]
            for k in range(r + 1, 6):
                t -= d[k, r] * z[k]
            z[r] = t * d[r, r]
            dx[i, 7 + r] = z[r]

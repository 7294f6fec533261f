"""Lagrange multipliers, the standard method: a dense system for all joint forces at once.

Bender 2007, section 2.1.3.1:

    A l = b,  A = B M^-1 B^T,  b = -B M^-1 F - c - 2 alpha C' - beta^2 C,

with B the Jacobian of the joints, blocks +-(E, -r*), F all forces but those of the joints, and the last two
terms Baumgarte's (section 2.1.3.3). A is written block by block, only where two joints share a body; the
thesis does not say how it formed A, or how it solved for l.
"""

from stoss.collision.kernels.decorators import compiled

__all__ = ["assemble"]


@compiled
def assemble(model, inverse_tensor, torque, arm, target, matrix, right_side):
    """Write A and b.

    Args:
        model: the model's arrays.
        inverse_tensor: (n, 6) J^-1 in the world frame.
        torque: (n, 3) torques without those of the joints [N m].
        arm: (m, 2, 3) arms of the joints [m].
        target: (m, 3) wanted C'' without its velocity terms [m/s^2].
        matrix: (3 m, 3 m) out.
        right_side: (3 m,) out.
    """
    matrix[:] = 0.0
    for j in range(len(target)):
        for k in range(3):
            right_side[3 * j + k] = target[j, k]
    for i in range(len(torque)):
        a = inverse_tensor[i]
        t0, t1, t2 = torque[i, 0], torque[i, 1], torque[i, 2]
        w0 = a[0] * t0 + a[1] * t1 + a[2] * t2
        w1 = a[1] * t0 + a[3] * t1 + a[4] * t2
        w2 = a[2] * t0 + a[4] * t1 + a[5] * t2
        scale = 1.0 / model.masses[i]
        begin, end = model.incident_start[i], model.incident_start[i + 1]
        for first in range(begin, end):
            j, side = model.incident[first, 0], model.incident[first, 1]
            sign = 1.0 if side == 1 else -1.0
            r0, r1, r2 = arm[j, side, 0], arm[j, side, 1], arm[j, side, 2]
            right_side[3 * j] -= sign * (model.gravity[0] + w1 * r2 - w2 * r1)
            right_side[3 * j + 1] -= sign * (model.gravity[1] + w2 * r0 - w0 * r2)
            right_side[3 * j + 2] -= sign * (model.gravity[2] + w0 * r1 - w1 * r0)
            for second in range(begin, end):
                k, other = model.incident[second, 0], model.incident[second, 1]
                both = sign if other == 1 else -sign
                for column in range(3):
                    # column of E/m - r_j* J^-1 r_k*: a unit force at k moves the point j
                    p = arm[k, other]
                    f0 = 1.0 if column == 0 else 0.0
                    f1 = 1.0 if column == 1 else 0.0
                    f2 = 1.0 if column == 2 else 0.0
                    t0, t1, t2 = p[1] * f2 - p[2] * f1, p[2] * f0 - p[0] * f2, p[0] * f1 - p[1] * f0
                    u0 = a[0] * t0 + a[1] * t1 + a[2] * t2
                    u1 = a[1] * t0 + a[3] * t1 + a[4] * t2
                    u2 = a[2] * t0 + a[4] * t1 + a[5] * t2
                    matrix[3 * j, 3 * k + column] += both * (scale * f0 + u1 * r2 - u2 * r1)
                    matrix[3 * j + 1, 3 * k + column] += both * (scale * f1 + u2 * r0 - u0 * r2)
                    matrix[3 * j + 2, 3 * k + column] += both * (scale * f2 + u0 * r1 - u1 * r0)

"""Kernels that all baselines share: body and joint terms, RK4, energy and joint error.

The state of a body is a row of 13 numbers: position s, quaternion q (w, x, y, z), velocity v, and
angular velocity w, all but q in the world frame. Its derivative is

    ds/dt = v,  dq/dt = 1/2 (0, w) q,  m dv/dt = m g + F,  J dw/dt = t - w x J w + T,

with F, T of the joints and J = R diag(inertias) R^T. The gyroscopic term is a force like the others.

With r the joint's point relative to the centre, turned into the world, a ball joint holds (b - a stands for
second body minus first body)

    C   = (s + r)_b - (s + r)_a,   C' = (v + w x r)_b - (v + w x r)_a,
    C'' = (dv/dt + dw/dt x r)_b - (dv/dt + dw/dt x r)_a + c,   c = (w x (w x r))_b - (w x (w x r))_a.
"""

import numpy as np

from stoss.collision.kernels.decorators import compiled

__all__ = [
    "body_terms",
    "derivative_of_pose",
    "derivative_of_velocity",
    "joint_terms",
    "measure",
    "rk4_begin",
    "rk4_finish",
    "rk4_stage",
]


@compiled
def _world_tensor(r, d0, d1, d2):
    """Return the six elements xx, xy, xz, yy, yz, zz of R diag(d) R^T."""
    return (
        r[0] * r[0] * d0 + r[1] * r[1] * d1 + r[2] * r[2] * d2,
        r[0] * r[3] * d0 + r[1] * r[4] * d1 + r[2] * r[5] * d2,
        r[0] * r[6] * d0 + r[1] * r[7] * d1 + r[2] * r[8] * d2,
        r[3] * r[3] * d0 + r[4] * r[4] * d1 + r[5] * r[5] * d2,
        r[3] * r[6] * d0 + r[4] * r[7] * d1 + r[5] * r[8] * d2,
        r[6] * r[6] * d0 + r[7] * r[7] * d1 + r[8] * r[8] * d2,
    )


@compiled
def body_terms(x, model, torque_share, inverse, rotation, tensor, torque):
    """Write rotation matrices, world inertia tensors and torques without those of the joints.

    Args:
        x: (n, 13) state; the length of q does not matter, as the stages of RK4 change it.
        model: the model's arrays.
        torque_share: 1 while the external torques act, else 0.
        inverse: write the inverse tensors J^-1 instead.
        rotation: (n, 9) out, row by row.
        tensor: (n, 6) out, elements xx, xy, xz, yy, yz, zz.
        torque: (n, 3) out, t - w x J w in the world frame [N m].
    """
    for i in range(len(x)):
        a, b, c, d = x[i, 3], x[i, 4], x[i, 5], x[i, 6]
        s = 2.0 / (a * a + b * b + c * c + d * d)
        r = (
            1.0 - s * (c * c + d * d),
            s * (b * c - d * a),
            s * (d * b + c * a),
            s * (b * c + d * a),
            1.0 - s * (d * d + b * b),
            s * (c * d - b * a),
            s * (d * b - c * a),
            s * (c * d + b * a),
            1.0 - s * (b * b + c * c),
        )
        for k in range(9):
            rotation[i, k] = r[k]
        j0, j1, j2 = model.inertias[i, 0], model.inertias[i, 1], model.inertias[i, 2]
        xx, xy, xz, yy, yz, zz = _world_tensor(r, j0, j1, j2)
        w0, w1, w2 = x[i, 10], x[i, 11], x[i, 12]
        l0 = xx * w0 + xy * w1 + xz * w2
        l1 = xy * w0 + yy * w1 + yz * w2
        l2 = xz * w0 + yz * w1 + zz * w2
        torque[i, 0] = torque_share * model.torques[i, 0] - (w1 * l2 - w2 * l1)
        torque[i, 1] = torque_share * model.torques[i, 1] - (w2 * l0 - w0 * l2)
        torque[i, 2] = torque_share * model.torques[i, 2] - (w0 * l1 - w1 * l0)
        if inverse:
            xx, xy, xz, yy, yz, zz = _world_tensor(r, 1.0 / j0, 1.0 / j1, 1.0 / j2)
        tensor[i, 0], tensor[i, 1], tensor[i, 2] = xx, xy, xz
        tensor[i, 3], tensor[i, 4], tensor[i, 5] = yy, yz, zz


@compiled
def joint_terms(x, model, rotation, acceleration_factor, rate_factor, value_factor, arm, target):
    """Write the arms of all joints and target = -(acceleration_factor c + rate_factor C' + value_factor C).

    Args:
        x: (n, 13) state.
        model: the model's arrays.
        rotation: (n, 9) rotation matrices.
        acceleration_factor: 1 for a target of C'' without its velocity terms, 0 for spring forces.
        rate_factor: 2 alpha of Baumgarte [1/s], or a damping [N s/m].
        value_factor: beta^2 of Baumgarte [1/s^2], or a stiffness [N/m].
        arm: (m, 2, 3) out, r of first and second body in the world frame [m].
        target: (m, 3) out.
    """
    for j in range(len(arm)):
        t0, t1, t2 = 0.0, 0.0, 0.0
        for side in range(2):
            sign = 1.0 if side == 1 else -1.0
            i = model.joint_bodies[j, side]
            p0, p1, p2 = model.points[j, side, 0], model.points[j, side, 1], model.points[j, side, 2]
            if i < 0:
                arm[j, side, 0], arm[j, side, 1], arm[j, side, 2] = 0.0, 0.0, 0.0
                t0 -= sign * value_factor * p0
                t1 -= sign * value_factor * p1
                t2 -= sign * value_factor * p2
                continue
            r0 = rotation[i, 0] * p0 + rotation[i, 1] * p1 + rotation[i, 2] * p2
            r1 = rotation[i, 3] * p0 + rotation[i, 4] * p1 + rotation[i, 5] * p2
            r2 = rotation[i, 6] * p0 + rotation[i, 7] * p1 + rotation[i, 8] * p2
            arm[j, side, 0], arm[j, side, 1], arm[j, side, 2] = r0, r1, r2
            w0, w1, w2 = x[i, 10], x[i, 11], x[i, 12]
            u0, u1, u2 = w1 * r2 - w2 * r1, w2 * r0 - w0 * r2, w0 * r1 - w1 * r0
            c0, c1, c2 = w1 * u2 - w2 * u1, w2 * u0 - w0 * u2, w0 * u1 - w1 * u0
            t0 -= sign * (
                acceleration_factor * c0 + rate_factor * (x[i, 7] + u0) + value_factor * (x[i, 0] + r0)
            )
            t1 -= sign * (
                acceleration_factor * c1 + rate_factor * (x[i, 8] + u1) + value_factor * (x[i, 1] + r1)
            )
            t2 -= sign * (
                acceleration_factor * c2 + rate_factor * (x[i, 9] + u2) + value_factor * (x[i, 2] + r2)
            )
        target[j, 0], target[j, 1], target[j, 2] = t0, t1, t2


@compiled
def derivative_of_pose(x, i, dx):
    """Write ds/dt and dq/dt of body i."""
    dx[i, 0], dx[i, 1], dx[i, 2] = x[i, 7], x[i, 8], x[i, 9]
    q0, q1, q2, q3 = x[i, 3], x[i, 4], x[i, 5], x[i, 6]
    w0, w1, w2 = x[i, 10], x[i, 11], x[i, 12]
    dx[i, 3] = -0.5 * (w0 * q1 + w1 * q2 + w2 * q3)
    dx[i, 4] = 0.5 * (w0 * q0 + w1 * q3 - w2 * q2)
    dx[i, 5] = 0.5 * (w1 * q0 + w2 * q1 - w0 * q3)
    dx[i, 6] = 0.5 * (w2 * q0 + w0 * q2 - w1 * q1)


@compiled
def derivative_of_velocity(model, inverse_tensor, torque, arm, force, dx):
    """Write dv/dt and dw/dt of all bodies under given joint forces.

    Args:
        model: the model's arrays.
        inverse_tensor: (n, 6) J^-1 in the world frame.
        torque: (n, 3) torques without those of the joints [N m].
        arm: (m, 2, 3) arms of the joints [m].
        force: (m, 3) force on the second body of each joint; the first gets the opposite one [N].
        dx: (n, 13) out, columns 7 to 12.
    """
    for i in range(len(dx)):
        f0, f1, f2 = 0.0, 0.0, 0.0
        t0, t1, t2 = torque[i, 0], torque[i, 1], torque[i, 2]
        for k in range(model.incident_start[i], model.incident_start[i + 1]):
            j, side = model.incident[k, 0], model.incident[k, 1]
            sign = 1.0 if side == 1 else -1.0
            g0, g1, g2 = sign * force[j, 0], sign * force[j, 1], sign * force[j, 2]
            r0, r1, r2 = arm[j, side, 0], arm[j, side, 1], arm[j, side, 2]
            f0 += g0
            f1 += g1
            f2 += g2
            t0 += r1 * g2 - r2 * g1
            t1 += r2 * g0 - r0 * g2
            t2 += r0 * g1 - r1 * g0
        scale = 1.0 / model.masses[i]
        dx[i, 7] = model.gravity[0] + scale * f0
        dx[i, 8] = model.gravity[1] + scale * f1
        dx[i, 9] = model.gravity[2] + scale * f2
        a = inverse_tensor[i]
        dx[i, 10] = a[0] * t0 + a[1] * t1 + a[2] * t2
        dx[i, 11] = a[1] * t0 + a[3] * t1 + a[4] * t2
        dx[i, 12] = a[2] * t0 + a[4] * t1 + a[5] * t2


@compiled
def rk4_begin(x, middle, total):
    """Let the first stage be the state itself."""
    for i in range(len(x)):
        for k in range(13):
            middle[i, k] = x[i, k]
            total[i, k] = 0.0


@compiled
def rk4_stage(stage, h, x, dx, middle, total):
    """Add the derivative of a stage (0 to 3) with its weight, and write the state of the next stage."""
    weight = h / 3.0 if stage == 1 or stage == 2 else h / 6.0
    ahead = h if stage == 2 else 0.5 * h
    for i in range(len(x)):
        for k in range(13):
            total[i, k] += weight * dx[i, k]
            middle[i, k] = x[i, k] + ahead * dx[i, k]


@compiled
def rk4_finish(x, total):
    """Write the state after the step, with quaternions of length 1; return whether it is finite."""
    check = 0.0
    for i in range(len(x)):
        for k in range(13):
            x[i, k] += total[i, k]
            check += 0.0 * x[i, k]  # NaN as soon as one number is infinite or NaN
        scale = 1.0 / np.sqrt(x[i, 3] ** 2 + x[i, 4] ** 2 + x[i, 5] ** 2 + x[i, 6] ** 2)
        for k in range(3, 7):
            x[i, k] *= scale
            check += 0.0 * x[i, k]
    return check == 0.0


@compiled
def measure(x, model, rotation, tensor, torque, arm, value):
    """Return mechanical energy of the bodies [J], largest |C| [m] and largest |C'| [m/s].

    Args:
        x: (n, 13) state.
        model: the model's arrays.
        rotation, tensor, torque, arm, value: work arrays as in `body_terms` and `joint_terms`.
    """
    body_terms(x, model, 0.0, False, rotation, tensor, torque)
    energy = 0.0
    for i in range(len(x)):
        v0, v1, v2, w0, w1, w2 = x[i, 7], x[i, 8], x[i, 9], x[i, 10], x[i, 11], x[i, 12]
        j = tensor[i]
        energy += 0.5 * model.masses[i] * (v0 * v0 + v1 * v1 + v2 * v2)
        energy += 0.5 * (j[0] * w0 * w0 + j[3] * w1 * w1 + j[5] * w2 * w2)
        energy += j[1] * w0 * w1 + j[2] * w0 * w2 + j[4] * w1 * w2
        energy -= model.masses[i] * (
            model.gravity[0] * x[i, 0] + model.gravity[1] * x[i, 1] + model.gravity[2] * x[i, 2]
        )
    error, speed = 0.0, 0.0
    for pick in range(2):
        joint_terms(x, model, rotation, 0.0, float(pick), 1.0 - pick, arm, value)
        largest = 0.0
        for j in range(len(value)):
            largest = max(largest, value[j, 0] ** 2 + value[j, 1] ** 2 + value[j, 2] ** 2)
        if pick == 0:
            error = np.sqrt(largest)
        else:
            speed = np.sqrt(largest)
    return energy, error, speed

"""Explicit integrators of the rotation of one body, selectable for comparison.

All of them solve, in principal body axes (Bender 2007, eqs 3.4 and 3.7, with the order of the
quaternion product and the frame of the torque in its Taylor series corrected),

    dq/dt = 1/2 q (0, w),    dw/dt = J^-1 (R(q)^T t - w x J w),

with `t` the torque, constant in the world during the step. The quaternion is normalised once, at the
end of the step. None of them conserves energy or angular momentum, and none is time-symmetric: a step
of correction, motion and settling loses its second order and its bounded energy with them. The
default of the engine is in `stoss.engine.motion.free_motion`.

All take orientation q (4), angular velocity w (3, world), principal moments (3), torque (3) and time h, and
return q and w. Inside, the state is a tuple (q0, q1, q2, q3, w0, w1, w2), w in body axes.
"""

import numpy as np

from stoss.collision.algebra import quaternion_multiply, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner

__all__ = [
    "ADAPTIVE_TOLERANCE",
    "TAYLOR_ORDER",
    "rotate_adaptive",
    "rotate_euler",
    "rotate_rk4",
    "rotate_taylor",
]

# Largest error of one sub-step of the adaptive method, in a component of the quaternion or as a share
# of |w|. Below 1e-14 rounding would keep the step size from settling.
ADAPTIVE_TOLERANCE = 1e-10

# Sub-steps of the adaptive method never get shorter than this share of the step: at 1/65536 a body
# that turns 10^4 rad per step still meets the tolerance, and the loop always ends.
ADAPTIVE_FLOOR = 2.0**-16

# Number of terms of the Taylor series: the error of a step is O(h^(order + 1)).
TAYLOR_ORDER = 6


@inner
def _rate(x, inertia, torque):
    """Return the time derivative of the state."""
    q0, q1, q2, q3, w0, w1, w2 = x
    j0, j1, j2 = inertia
    t0, t1, t2 = torque
    if t0 != 0.0 or t1 != 0.0 or t2 != 0.0:
        t0, t1, t2 = rotate_inverse((q0, q1, q2, q3), t0, t1, t2)
    return (
        -0.5 * (q1 * w0 + q2 * w1 + q3 * w2),
        0.5 * (q0 * w0 + q2 * w2 - q3 * w1),
        0.5 * (q0 * w1 + q3 * w0 - q1 * w2),
        0.5 * (q0 * w2 + q1 * w1 - q2 * w0),
        (t0 + (j1 - j2) * w1 * w2) / j0,
        (t1 + (j2 - j0) * w2 * w0) / j1,
        (t2 + (j0 - j1) * w0 * w1) / j2,
    )


@inner
def _add(x, scale, k):
    """Return x + scale k."""
    return (
        x[0] + scale * k[0],
        x[1] + scale * k[1],
        x[2] + scale * k[2],
        x[3] + scale * k[3],
        x[4] + scale * k[4],
        x[5] + scale * k[5],
        x[6] + scale * k[6],
    )


@inner
def _begin(q, w):
    """Return the state tuple: angular velocity from world to body axes."""
    w0, w1, w2 = rotate_inverse(q, w[0], w[1], w[2])
    return q[0], q[1], q[2], q[3], w0, w1, w2


@inner
def _finish(x):
    """Return normalised quaternion and world angular velocity."""
    scale = 1.0 / np.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3])
    q = (x[0] * scale, x[1] * scale, x[2] * scale, x[3] * scale)
    return q, rotate(q, x[4], x[5], x[6])


@inner
def rotate_euler(q, w, inertia, torque, h):
    """Advance by one explicit Euler step, order 1 (Bender 2007, appendix B.1.1)."""
    x = _begin(q, w)
    return _finish(_add(x, h, _rate(x, inertia, torque)))


@inner
def rotate_rk4(q, w, inertia, torque, h):
    """Advance by one classical Runge-Kutta step, order 4 (Bender 2007, appendix B.1.3)."""
    x = _begin(q, w)
    k1 = _rate(x, inertia, torque)
    k2 = _rate(_add(x, 0.5 * h, k1), inertia, torque)
    k3 = _rate(_add(x, 0.5 * h, k2), inertia, torque)
    k4 = _rate(_add(x, h, k3), inertia, torque)
    middle = _add(k2, 1.0, k3)
    return _finish(_add(_add(x, h / 6.0, _add(k1, 1.0, k4)), h / 3.0, middle))


@inner
def rotate_adaptive(q, w, inertia, torque, h):
    """Advance by Cash-Karp steps of order 5 whose length follows `ADAPTIVE_TOLERANCE`.

    Bender 2007, appendix B.1.4, Table B.1; the step size rule has a safety factor of 0.9 and changes
    the step by a factor between 0.1 and 5 (the thesis has neither).
    """
    x = _begin(q, w)
    done, step = 0.0, 1.0  # shares of h
    while done < 1.0:
        last = step >= 1.0 - done
        if last:
            step = 1.0 - done
        s = step * h
        k1 = _rate(x, inertia, torque)
        k2 = _rate(_add(x, s / 5.0, k1), inertia, torque)
        k3 = _rate(_add(_add(x, s * 3.0 / 40.0, k1), s * 9.0 / 40.0, k2), inertia, torque)
        y = _add(_add(_add(x, s * 0.3, k1), s * -0.9, k2), s * 1.2, k3)
        k4 = _rate(y, inertia, torque)
        y = _add(_add(x, s * -11.0 / 54.0, k1), s * 2.5, k2)
        k5 = _rate(_add(_add(y, s * -70.0 / 27.0, k3), s * 35.0 / 27.0, k4), inertia, torque)
        y = _add(_add(x, s * 1631.0 / 55296.0, k1), s * 175.0 / 512.0, k2)
        y = _add(_add(y, s * 575.0 / 13824.0, k3), s * 44275.0 / 110592.0, k4)
        k6 = _rate(_add(y, s * 253.0 / 4096.0, k5), inertia, torque)
        y = _add(_add(x, s * 37.0 / 378.0, k1), s * 250.0 / 621.0, k3)
        y = _add(_add(y, s * 125.0 / 594.0, k4), s * 512.0 / 1771.0, k6)
        # difference between the results of order 5 and 4: sum (c_i - c*_i) k_i
        zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        e = _add(_add(zero, s * (37.0 / 378.0 - 2825.0 / 27648.0), k1), s * -277.0 / 14336.0, k5)
        e = _add(e, s * (250.0 / 621.0 - 18575.0 / 48384.0), k3)
        e = _add(e, s * (125.0 / 594.0 - 13525.0 / 55296.0), k4)
        e = _add(e, s * (512.0 / 1771.0 - 0.25), k6)
        turn = max(abs(e[0]), abs(e[1]), abs(e[2]), abs(e[3]))
        spin = max(abs(e[4]), abs(e[5]), abs(e[6]))
        speed = np.sqrt(y[4] * y[4] + y[5] * y[5] + y[6] * y[6])
        error = max(turn, spin / speed if speed > 0.0 else spin) / ADAPTIVE_TOLERANCE
        factor = 5.0 if error < 1e-4 else min(5.0, max(0.1, 0.9 * error**-0.2))
        if error <= 1.0 or step <= ADAPTIVE_FLOOR or not error < np.inf:  # NaN: carry it on, visible
            x = y
            done = 1.0 if last else done + step
        step = max(step * factor, ADAPTIVE_FLOOR)
    return _finish(x)


@inner(allocates=True)
def rotate_taylor(q, w, inertia, torque, h):
    """Advance by a Taylor series of `TAYLOR_ORDER` terms (Bender 2007, appendix B.1.2).

    With coefficients f_n = f^(n) / n! of w, the body-frame torque T and the rotation of the step d:

        (n + 1) w_{n+1} = J^-1 (T_n - sum w_k x J w_{n-k}),   (n + 1) T_{n+1} = - sum w_k x T_{n-k},
        (n + 1) d_{n+1} = 1/2 sum d_{n-k} (0, w_k),           q(h) = q d(h).

    As printed there the quaternion product has the other order, and a torque that is constant in the world is
    taken for one that is constant in the body. It needs one small work array per call, the others none.
    """
    j0, j1, j2 = inertia
    c = np.zeros((TAYLOR_ORDER + 1, 10))  # columns: w 0:3, T 3:6, d 6:10
    c[0, 0], c[0, 1], c[0, 2] = rotate_inverse(q, w[0], w[1], w[2])
    c[0, 3], c[0, 4], c[0, 5] = rotate_inverse(q, torque[0], torque[1], torque[2])
    c[0, 6] = 1.0
    for n in range(TAYLOR_ORDER):
        a0, a1, a2 = c[n, 3], c[n, 4], c[n, 5]
        b0, b1, b2 = 0.0, 0.0, 0.0
        d0, d1, d2, d3 = 0.0, 0.0, 0.0, 0.0
        for k in range(n + 1):
            u0, u1, u2 = c[k, 0], c[k, 1], c[k, 2]
            m = n - k
            v0, v1, v2 = j0 * c[m, 0], j1 * c[m, 1], j2 * c[m, 2]
            a0 -= u1 * v2 - u2 * v1
            a1 -= u2 * v0 - u0 * v2
            a2 -= u0 * v1 - u1 * v0
            b0 -= u1 * c[m, 5] - u2 * c[m, 4]
            b1 -= u2 * c[m, 3] - u0 * c[m, 5]
            b2 -= u0 * c[m, 4] - u1 * c[m, 3]
            e0, e1, e2, e3 = quaternion_multiply(c[m, 6], c[m, 7], c[m, 8], c[m, 9], 0.0, u0, u1, u2)
            d0 += e0
            d1 += e1
            d2 += e2
            d3 += e3
        scale = 1.0 / (n + 1)
        c[n + 1, 0], c[n + 1, 1], c[n + 1, 2] = scale * a0 / j0, scale * a1 / j1, scale * a2 / j2
        c[n + 1, 3], c[n + 1, 4], c[n + 1, 5] = scale * b0, scale * b1, scale * b2
        scale *= 0.5
        c[n + 1, 6], c[n + 1, 7], c[n + 1, 8], c[n + 1, 9] = scale * d0, scale * d1, scale * d2, scale * d3
    for n in range(TAYLOR_ORDER - 1, -1, -1):  # Horner, down to row 0
        for i in range(10):
            c[n, i] += h * c[n + 1, i]
    r0, r1, r2, r3 = quaternion_multiply(q[0], q[1], q[2], q[3], c[0, 6], c[0, 7], c[0, 8], c[0, 9])
    return _finish((r0, r1, r2, r3, c[0, 0], c[0, 1], c[0, 2]))

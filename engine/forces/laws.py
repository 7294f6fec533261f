"""Laws of loads: what a row gives, by the number that it is of and its rate.

Each returns the effort, its stiffness and its damping (the derivatives, for what tells how stiff it is), and
the energy that it stores.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.engine.forces.arrays import (
    COORDINATE_SPRING,
    LAW_STOP,
    MUSCLE,
    RAMP_STOP,
    SOFT_STOP,
    SPRING,
)
from stoss.engine.laws.contact_functions import contact_slopes, stored_energy

__all__ = ["along_coordinate", "along_line", "exponential_tail", "power_of"]

# Largest argument of the exponential of a soft stop: far beyond its torque, and its square is a float.
LARGEST_EXPONENT = 300.0


@inner
def power_of(x, p):
    """Return sgn(x) |x|^p."""
    if p == 1.0:
        return x
    if x == 0.0:
        return 0.0
    return np.sign(x) * abs(x) ** p


@inner
def exponential_tail(s, order):
    """Return e^s less its series up to s^order / order!, for s >= 0: by the rest of the series.

    All terms are positive, so nothing cancels where s is small.
    """
    term = 1.0
    for n in range(1, order + 1):
        term *= s / n
    out, n = 0.0, order
    while True:
        n += 1
        term *= s / n
        out += term
        if term <= 1e-17 * out:
            return out


@inner
def along_line(code, n, length, rate):
    """Return tension [N], stiffness, damping and stored energy of a row along a line.

    SPRING: k (u e)^p + d (u v)^q, e the elongation, by their signs; d may be scaled by |e|. The numbers are
    rest, k, p, d, q, whether it is scaled, and u: 1, or 1000 for laws in millimetres.
    MUSCLE: a F exp(-((l / l0 - 1) / w)^2) g(v): of activation a, largest force F, optimal length l0 and width
    w; g falls to 0 where the muscle shortens at `n[4]` [m/s] (Hill), and rises to 1.5 where it is lengthened.
    """
    if code == SPRING:
        unit, e = n[6], length - n[0]
        pull = n[1] * power_of(unit * e, n[2])
        scale = abs(e) if n[5] != 0.0 else 1.0
        drag = n[3] * scale * power_of(unit * rate, n[4])
        stiffness = abs(n[2] * pull / e) if e != 0.0 else n[1] * unit * (n[2] == 1.0)
        damping = abs(n[4] * drag / rate) if rate != 0.0 else n[3] * scale * unit * (n[4] == 1.0)
        return pull + drag, stiffness, damping, pull * e / (n[2] + 1.0)
    if code == MUSCLE:
        x = (length / n[2] - 1.0) / n[3]
        force = n[0] * n[1] * np.exp(-x * x)
        stiffness = abs(2.0 * x * force / (n[3] * n[2]))
        if n[4] == np.inf:
            return force, stiffness, 0.0, 0.0
        v = -rate / n[4]  # of shortening, 1: it cannot pull
        if v >= 1.0:
            return 0.0, 0.0, 0.0, 0.0
        if v >= 0.0:
            return force * (1.0 - v) / (1.0 + 4.0 * v), stiffness, force * 5.0 / n[4], 0.0
        # a smooth continuation: the same slope at 0, and 1.5 far beyond
        return force * (1.0 - 5.0 * v * 0.5 / (0.5 - 5.0 * v)), stiffness, force * 5.0 / n[4], 0.0
    return n[0], 0.0, 0.0, 0.0


@inner
def along_coordinate(code, n, q, u):
    """Return torque [N m] or force [N] along a coordinate q of rate u, stiffness, damping, stored energy.

    COORDINATE_SPRING: -c sgn(e) |e|^p - d r(|e|) u, e = q - rest. Numbers: rest, c, p, d, ramp.
    RAMP_STOP: beyond `lower` or `upper` by e > 0, c e^p + d r(e) e' back into the range; with `clamp` it
    never pulls. Numbers: lower, upper, c, p, d, ramp, clamp.
    r(e) grows from 0 to 1 over the ramp, as a cubic without jumps; without ramp it is 1.
    SOFT_STOP: from `width` before a stop on, M (e^s - sum of s^n / n!) / (the same at the stop), s the way
    into it. Numbers: lower, upper, both widths, M, order, unit of s per radian, cap.
    LAW_STOP: the law of a contact at either bound. Numbers: lower, upper, code and numbers of the law.
    """
    if code == LAW_STOP:
        law, numbers = int(n[2]), n[3:]
        low, stiffness, damping = contact_slopes(law, numbers, q - n[0], u)
        high, more, most = contact_slopes(law, numbers, n[1] - q, -u)
        stored = stored_energy(law, numbers, q - n[0]) + stored_energy(law, numbers, n[1] - q)
        return low - high, stiffness + more, damping + most, stored
    if code == COORDINATE_SPRING:
        e = q - n[0]
        pull = n[1] * power_of(e, n[2])
        d = n[3] * _ramp(abs(e), n[4])
        stiffness = abs(n[2] * pull / e) if e != 0.0 else n[1] * (n[2] == 1.0)
        return -pull - d * u, stiffness, d, pull * e / (n[2] + 1.0)
    if code == RAMP_STOP:
        side, e = 1.0, n[0] - q
        if q > n[1]:
            side, e = -1.0, q - n[1]
        if not e > 0.0:
            return 0.0, 0.0, 0.0, 0.0
        push = n[2] * e ** n[3]
        d = n[4] * _ramp(e, n[5])
        back = push - side * d * u
        if n[6] != 0.0:
            back = max(back, 0.0)
        return side * back, n[3] * push / e, d, push * e / (n[3] + 1.0)
    if code == SOFT_STOP:
        unit, order = n[6], int(n[5])
        s, width, side = n[0] + n[2] - q, n[2], 1.0
        if q > n[1] - n[3]:
            s, width, side = q - n[1] + n[3], n[3], -1.0
        if not s > 0.0:
            return 0.0, 0.0, 0.0, 0.0
        s = min(unit * s, LARGEST_EXPONENT)
        a = n[4] / exponential_tail(unit * width, order)
        push = a * exponential_tail(s, order)
        if push >= n[7]:
            return side * n[7], 0.0, 0.0, 0.0
        stiffness = a * unit * exponential_tail(s, order - 1)
        return side * push, stiffness, 0.0, a / unit * exponential_tail(s, order + 1)
    return n[0], 0.0, 0.0, 0.0


@inner
def _ramp(e, width):
    """Return 0 to 1 over a width, a cubic with no slope at either end; 1 without a width."""
    if width <= 0.0 or e >= width:
        return 1.0
    x = e / width
    return x * x * (3.0 - 2.0 * x)

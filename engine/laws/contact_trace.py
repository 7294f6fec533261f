"""One impact followed in time, by Runge-Kutta steps: what closed forms leave out, loads and durations."""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Floats2
from stoss.engine.laws.contact_functions import contact_force, restitution_of, usual_duration

__all__ = ["follow_impact", "restitution_under_load"]

# Error of a step, as a share of the speed of an impact, that is small enough; share of the usual duration
# that the first one takes, and by how much the next one may be longer or shorter.
SMALL, FIRST, MOST_CHANGE, LEAST_CHANGE = 1e-6, 0.02, 4.0, 0.2
MOST_STEPS = 2000
# Change of the rate up to which it is interpolated where surfaces part, as a share of the speed of an impact.
EVEN = 1e-4


@inner
def _step(code, n, mass, load, gap, rate, h):
    """Return gap and rate after a Runge-Kutta step of order 4."""
    a1 = (contact_force(code, n, gap, rate) - load) / mass
    v2 = rate + 0.5 * h * a1
    a2 = (contact_force(code, n, gap + 0.5 * h * rate, v2) - load) / mass
    v3 = rate + 0.5 * h * a2
    a3 = (contact_force(code, n, gap + 0.5 * h * v2, v3) - load) / mass
    v4 = rate + h * a3
    a4 = (contact_force(code, n, gap + h * v3, v4) - load) / mass
    sixth = h / 6.0
    return gap + sixth * (rate + 2.0 * (v2 + v3) + v4), rate + sixth * (a1 + 2.0 * (a2 + a3) + a4)


@kernel(allocates=True)
def follow_impact(
    code: int,
    numbers: Floats,
    mass: float,
    load: float,
    start: float,
    speed: float,
    end: float,
    h: float,
    most: int,
) -> Floats2:
    """Return time, gap, rate and force (m, 4) from a gap on, until it is at `start` or below `end` again.

    Args:
        code, numbers: the law.
        mass: effective mass [kg].
        load: force that presses [N].
        start: gap [m] to begin with.
        speed: of approach [m/s].
        end: gap [m] below which a body is through.
        h: length of a step [s].
        most: number of steps.
    """
    out = np.empty((most + 1, 4))
    gap, rate, count = start, -speed, 0
    for i in range(most + 1):
        out[i, 0], out[i, 1], out[i, 2] = i * h, gap, rate
        out[i, 3] = contact_force(code, numbers, gap, rate)
        count = i + 1
        if i > 0 and (gap < end or (gap >= start and rate > 0.0)):
            break
        gap, rate = _step(code, numbers, mass, load, gap, rate, h)
    return out[:count].copy()


@inner
def restitution_under_load(code, n, speed, mass, pressing):
    """Return the restitution of an impact during which a load presses, 0 if that keeps the surfaces together.

    There is no closed form: it is followed in time, from touch to parting, by Runge-Kutta steps whose
    lengths follow their error (Dormand and Prince 1980).

    Args:
        code, n: the law.
        speed: of approach as the surfaces touch [m/s].
        mass: effective mass [kg].
        pressing: acceleration of the approach by the load [m/s^2].
    """
    free = restitution_of(code, n, speed, mass)
    if not pressing > 0.0 or free == 1.0:
        return free
    gap, rate = 0.0, -speed
    h = FIRST * usual_duration(code, n, speed, mass)
    a = contact_force(code, n, gap, rate) / mass - pressing
    for _ in range(MOST_STEPS):
        next_gap, next_rate, next_a, off = _embedded_step(code, n, mass, pressing, gap, rate, a, h)
        off /= SMALL * speed
        if off <= 1.0:
            if next_gap >= 0.0 and next_rate > 0.0:
                share = gap / (gap - next_gap)
                if (1.0 - share) * abs(next_rate - rate) > EVEN * speed:
                    h *= share  # closer to the parting
                    continue
                square = rate * rate + share * (next_rate * next_rate - rate * rate)
                return min(np.sqrt(max(square, 0.0)) / speed, free)
            if rate > 0.0 and next_rate <= 0.0:
                return 0.0
            gap, rate, a = next_gap, next_rate, next_a
        h *= min(max(0.9 / max(off, 1e-9) ** 0.2, LEAST_CHANGE), MOST_CHANGE)
    return 0.0


@inner
def _embedded_step(code, n, mass, pressing, u, v, a, h):
    """Return gap, rate and acceleration after a step of order 5, and the error of the rate of order 4.

    Args:
        code, n: the law.
        mass: effective mass [kg].
        pressing: acceleration by the load [m/s^2].
        u, v, a: gap [m], rate [m/s] and acceleration [m/s^2] before.
        h: its length [s].
    """
    v2 = v + h * a / 5.0
    b = contact_force(code, n, u + h * v / 5.0, v2) / mass - pressing
    v3 = v + h / 40.0 * (3.0 * a + 9.0 * b)
    c = contact_force(code, n, u + h / 40.0 * (3.0 * v + 9.0 * v2), v3) / mass - pressing
    v4 = v + h / 45.0 * (44.0 * a - 168.0 * b + 160.0 * c)
    d = contact_force(code, n, u + h / 45.0 * (44.0 * v - 168.0 * v2 + 160.0 * v3), v4) / mass - pressing
    v5 = v + h / 6561.0 * (19372.0 * a - 76080.0 * b + 64448.0 * c - 1908.0 * d)
    x = u + h / 6561.0 * (19372.0 * v - 76080.0 * v2 + 64448.0 * v3 - 1908.0 * v4)
    e = contact_force(code, n, x, v5) / mass - pressing
    p, q, r, s, t = 9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0
    v6 = v + h * (p * a + q * b + r * c + s * d + t * e)
    x = u + h * (p * v + q * v2 + r * v3 + s * v4 + t * v5)
    f = contact_force(code, n, x, v6) / mass - pressing
    p, r, s, t, w = 35.0 / 384.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0
    v7 = v + h * (p * a + r * c + s * d + t * e + w * f)
    x = u + h * (p * v + r * v3 + s * v4 + t * v5 + w * v6)
    g = contact_force(code, n, x, v7) / mass - pressing
    off = 71.0 / 57600.0 * a - 71.0 / 16695.0 * c + 71.0 / 1920.0 * d - 17253.0 / 339200.0 * e
    return x, v7, g, h * abs(off + 22.0 / 525.0 * f - g / 40.0)

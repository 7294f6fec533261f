"""One impact followed in time, by Runge-Kutta steps: what closed forms leave out, loads and durations."""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Floats2
from stoss.engine.laws.contact_functions import contact_force

__all__ = ["follow_impact"]


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

"""What friction resists per load: curves over the speed, and how memory turns them into a force.

A law with memory is, for a speed s of sliding at the end of a time dt, linear in its state z (a vector) and
in the velocity v (|v| = s):

    force / load = a(s) z + b(s) v,        state at the end = alpha(s) z + beta(s) v.

So all laws are implicit rows of one form, in the plane as along a line, and only the number s is to be found.

Sources: Specker 2016, sections 2.2 and 2.3; the implicit forms are ours.
"""

from typing import Any

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats
from stoss.engine.laws.calling import call_curve
from stoss.engine.laws.friction_arrays import (
    BRISTLE,
    CONSTANT,
    CONTINUOUS,
    DAMPING,
    DECAY,
    FILTER,
    HOLD_SPEED,
    HUMP,
    KINETIC,
    LORENTZ,
    PEAK,
    REGULARISED,
    SET_VALUED,
    SMOOTH,
    SPEED,
    STICKING,
    STIFFNESS,
    STRIBECK,
    TIME,
    TRANSITION,
    USER,
    VISCOUS,
    FrictionLaws,
)

__all__ = ["coefficient", "coefficients", "dry", "end_speed", "slip_speed", "terms"]

# Slowest speed [m/s] by which a smooth curve is divided: below it is a line.
SLOWEST = 1e-12
# Samples among which the first of several solutions is looked for, from a share of the fastest; bisections.
SAMPLES, SLOWEST_SHARE, BISECTIONS = 64, 1e-7, 200
RATIO_OF_SAMPLES = SLOWEST_SHARE ** (-1.0 / SAMPLES)
# Share of the speed up to which a law is straight at which nothing of its curve is seen.
STILL = 1e-7
# The same at which it is so straight that there is one solution at most.
SINGLE = 1e-2
# How often a speed is followed from above.
FOLLOWED = 100
# Golden section, and how often it is taken to find out whether a minimum is below zero.
GOLDEN, SECTIONS = 0.6180339887498949, 20
# Within this factor of the speed of the last look the next one is looked for first.
NEAR = 1.2
# Share of the speed that is rounding.
ROUNDING = 1e-15
# A place that slid slower than this many times the speed of the peak stays on the rising branch.
RISING = 1.2


@inner
def dry(laws, k, s):
    """Return what law k resists per load at a speed s >= 0, but for its viscous part."""
    code, n = laws.curve[k], laws.numbers[k]
    if code == USER:
        if laws.address[k] == 0:
            return n[KINETIC]
        found: Any = call_curve(laws.address[k], s, laws.own[k])  # type: ignore[call-arg]
        if not (found >= 0.0 and found < np.inf):
            laws.fault[k] = 1
            return 0.0
        return found
    if code == CONSTANT:
        return n[KINETIC] if s > n[SPEED] else n[STICKING]
    if code == STRIBECK:
        x = s / n[SPEED]
        x = x * x if n[DECAY] == 2.0 else x ** n[DECAY]
        return n[KINETIC] + (n[STICKING] - n[KINETIC]) * np.exp(-x)
    if code == LORENTZ:
        x = s / n[SPEED]
        return n[KINETIC] + (n[STICKING] - n[KINETIC]) / (1.0 + x * x)
    if code == REGULARISED:
        return n[KINETIC] * np.tanh(s / n[TRANSITION])
    # CONTINUOUS, the thesis's form: the whole of it is `static` at the speed of the peak
    x = s / n[SPEED]
    if laws.memory[k] == SET_VALUED:
        if x <= 1.0:
            return n[STICKING] - n[VISCOUS] * s
        return n[KINETIC] + n[HUMP] * x * np.exp(0.5 - 0.5 * x * x)
    return n[KINETIC] * np.tanh(s / n[TRANSITION]) + n[HUMP] * x * np.exp(0.5 - 0.5 * x * x)


@inner
def coefficient(laws, k, s):
    """Return what law k resists per load at a steady speed s >= 0."""
    return dry(laws, k, s) + laws.numbers[k, VISCOUS] * s


@inner
def terms(laws, k, s, dt):
    """Return a, b, alpha and beta of law k at a speed s >= 0 at the end of a time dt [s]; see above."""
    n, memory = laws.numbers[k], laws.memory[k]
    if memory == BRISTLE:
        stiffness, damping = n[STIFFNESS], n[DAMPING]
        grown = 1.0 + dt * stiffness * s / dry(laws, k, s)
        a = stiffness / grown + damping / dt * (1.0 / grown - 1.0)
        b = (stiffness * dt + damping) / grown + n[VISCOUS]
        return a, b, 1.0 / grown, dt / grown
    s = max(s, SLOWEST)
    b = coefficient(laws, k, s) / s
    if memory != FILTER:
        return 0.0, b, 0.0, 0.0
    rate = 1.0 / n[TIME]
    if n[HOLD_SPEED] > 0.0:
        x = s / n[HOLD_SPEED]
        rate *= -np.expm1(-x * x)
    new = -np.expm1(-dt * rate)
    return 1.0 - new, new * b, 1.0 - new, new * b


@inner
def _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, s):
    """Return by how much s is below the speed that follows from it."""
    a, b, _, _ = terms(laws, k, s, dt)
    x, y = (v0 - load0 * a * z0) / (1.0 + load0 * b), (v1 - load1 * a * z1) / (1.0 + load1 * b)
    return np.sqrt(x * x + y * y) - s


@inner
def slip_speed(laws, k, load, v):
    """Return the speed s >= 0 with which a place slides whose law sticks, 0: it stops.

    s + load c(s) = v, with c what law k resists. Of several it is the fastest: what slides goes on sliding
    while it can. A falling curve leads there from above, without a step too far.

    Args:
        laws, k: the law.
        load: velocity by which a coefficient of 1 slows down [m/s].
        v: speed that there would be without friction [m/s].
    """
    n = laws.numbers[k]
    grown = 1.0 + load * n[VISCOUS]
    high = s = v / grown
    if laws.curve[k] == CONSTANT:
        s = (v - load * n[KINETIC]) / grown
        return s if s > n[SPEED] else max((v - load * n[STICKING]) / grown, 0.0)
    if laws.curve[k] != USER and load * (n[STICKING] - n[KINETIC]) < grown * n[SPEED]:
        # so steep a curve is none: there is one speed
        low = (v - load * dry(laws, k, 0.0)) / grown
        return _between(laws, k, 0.0, load, load, v, 0.0, 0.0, 0.0, low, high) if low > 0.0 else 0.0
    for _ in range(FOLLOWED):
        following = (v - load * dry(laws, k, s)) / grown
        if following >= s:  # a curve that rises: it is between this one and the last
            break
        if following <= 0.0:
            s = 0.0
            break
        high, s = s, following
        if high - s <= ROUNDING * high:
            return s
    if s == 0.0 and v <= load * dry(laws, k, 0.0):
        return 0.0
    return _between(laws, k, 0.0, load, load, v, 0.0, 0.0, 0.0, s, high)


@inner
def _straight(laws, k, dt):
    """Return the speed far below which a law is a straight line, 0: there may be none."""
    n = laws.numbers[k]
    if laws.curve[k] == USER:
        return 0.0
    if laws.memory[k] == BRISTLE:
        return min(n[SPEED], n[KINETIC] / (dt * n[STIFFNESS]))
    least = n[TRANSITION]
    if laws.memory[k] == FILTER and n[HOLD_SPEED] > 0.0:
        least = min(least, n[HOLD_SPEED])
    return least


@inner
def _falls(laws, k, dt, load, slow, high):
    """Return whether a law may fall so steeply that several speeds up to `high` satisfy it."""
    n = laws.numbers[k]
    if laws.curve[k] == USER or laws.memory[k] == FILTER:
        return True
    if laws.memory[k] == SMOOTH and high <= slow:
        return False  # it rises
    height, width = n[STICKING], n[SPEED]
    if laws.curve[k] != CONTINUOUS:
        height -= n[KINETIC]
    if laws.memory[k] == BRISTLE:
        if high < width:
            # no Stribeck curve is steeper, on the way to its speed, than twice what it falls by
            height, width = 2.0 * (dry(laws, k, 0.0) - dry(laws, k, high)), high
        height *= 1.0 + n[DAMPING] / (n[STIFFNESS] * dt)
    return load * height > width  # no curve is steeper than e^-x


@inner
def end_speed(laws, k, dt, load0, load1, v0, v1, z0, z1, before, now):
    """Return the speed s = |v| at the end, where v + load (a z + b v) is the velocity without friction.

    A curve that falls may leave several. A place that was slow stays so while it can, and one that slid
    goes on sliding (Specker 2016); as it did when last looked at.

    Args:
        laws, k: the law.
        dt: time over which it acts [s].
        load0, load1: velocities by which a coefficient of 1 slows down along both axes [m/s].
        v0, v1: velocity that there would be without friction [m/s].
        z0, z1: state.
        before: speed in the last step.
        now: the same when last looked at, near which it is looked for first; 0: not yet.
    """
    n, load = laws.numbers[k], max(load0, load1)
    a, _, _, _ = terms(laws, k, 0.0, dt)
    high = np.sqrt(v0 * v0 + v1 * v1) + load * abs(a) * np.sqrt(z0 * z0 + z1 * z1)
    if high == 0.0:
        return 0.0
    for _ in range(60):
        if _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, high) <= 0.0:
            break
        high *= 2.0
    straight = _straight(laws, k, dt)
    if high < STILL * straight:
        return high + _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, high)
    slow = n[PEAK]
    if laws.memory[k] == BRISTLE:
        slow = n[SPEED]
    elif laws.memory[k] == FILTER:
        slow = max(slow, n[HOLD_SPEED])
    if now > 0.0 and NEAR * now < high and (now < RISING * slow) == (before < RISING * slow):
        low = now / NEAR
        if _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, low) > 0.0:
            if _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, NEAR * now) <= 0.0:
                return _between(laws, k, dt, load0, load1, v0, v1, z0, z1, low, NEAR * now)
    if not _falls(laws, k, dt, load, slow, high):
        return _between(laws, k, dt, load0, load1, v0, v1, z0, z1, 0.0, high)
    lower, upper = 0.0, high
    if before < RISING * slow:
        s = max(high * SLOWEST_SHARE, SINGLE * straight)
        if laws.memory[k] == SMOOTH and slow < high:
            # up to its peak the curve rises
            if _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, slow) <= 0.0:
                return _between(laws, k, dt, load0, load1, v0, v1, z0, z1, 0.0, slow)
            lower, s = slow, max(slow, s)
        left, f, e = 0.0, np.inf, np.inf
        for _ in range(SAMPLES + 1):
            s = min(s, high)
            g = _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, s)
            if g > f and f < e:  # it may fall to zero in between
                dip = _dip(laws, k, dt, load0, load1, v0, v1, z0, z1, left, s)
                if dip > 0.0:
                    lower, upper = left, dip
                    break
            if g <= 0.0:
                upper = s
                break
            left, lower, s = lower, s, s * RATIO_OF_SAMPLES
            e, f = f, g
    else:
        s = high
        for _ in range(SAMPLES):
            s /= RATIO_OF_SAMPLES
            if _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, s) > 0.0:
                lower = s
                break
            upper = s
    return _between(laws, k, dt, load0, load1, v0, v1, z0, z1, lower, upper)


@inner
def _dip(laws, k, dt, load0, load1, v0, v1, z0, z1, low, high):
    """Return a speed between two at which nothing is lacking, 0 if there is none: by golden section."""
    s = high - GOLDEN * (high - low)
    t = low + GOLDEN * (high - low)
    f = _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, s)
    g = _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, t)
    for _ in range(SECTIONS):
        if f <= 0.0:
            return s
        if g <= 0.0:
            return t
        if f < g:
            high, t, g = t, s, f
            s = high - GOLDEN * (high - low)
            f = _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, s)
        else:
            low, s, f = s, t, g
            t = low + GOLDEN * (high - low)
            g = _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, t)
    return 0.0


@inner
def _between(laws, k, dt, load0, load1, v0, v1, z0, z1, low, high):
    """Return the solution between two speeds, by false position with halving (Illinois)."""
    f = _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, low)
    g = _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, high)
    if not f > 0.0:
        return low
    side = 0
    for _ in range(BISECTIONS):
        if g == 0.0 or high - low <= ROUNDING * high:
            break
        s = high - g * (high - low) / (g - f)
        if not low < s < high:
            s = 0.5 * (low + high)
            if not low < s < high:
                break
        y = _lacks(laws, k, dt, load0, load1, v0, v1, z0, z1, s)
        if abs(y) <= ROUNDING * s:
            return s
        if y > 0.0:
            low, f = s, y
            if side > 0:
                g *= 0.5
            side = 1
        else:
            high, g = s, y
            if side < 0:
                f *= 0.5
            side = -1
    return high


@kernel
def coefficients(laws: FrictionLaws, k: int, speeds: Floats, out: Floats) -> None:
    """Write what law k resists per load at steady speeds (n,)."""
    for i in range(len(speeds)):
        out[i] = coefficient(laws, k, speeds[i])

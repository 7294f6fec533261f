"""Stops, springs and drives as rows: bounds of the impulse, bias and softness, at either end of a step."""

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.engine.joints.arrays import HOLD, ROTOR

# Square of the phase of a spring that swings once in two steps, and share of h k that damps faster ones.
HALF_TURN = np.pi**2
UNRESOLVED = 0.5

__all__ = [
    "damping_of",
    "drive_at_end",
    "drive_at_start",
    "eased",
    "kept_error",
    "nearer_stop",
    "one_sided",
    "crosses_stops",
    "soft_at_start",
    "soft_pull",
]


@inner
def nearer_stop(value, lower, upper):
    """Return on which side a stop is nearer: -1 the lower one, 1 the upper one, 0 if they coincide."""
    if lower == upper:
        return 0
    return -1 if value - lower < upper - value else 1


@inner
def kept_error(error, reach):
    """Return what an error may still be at the end of the step: what one step cannot take off it gently."""
    return error - min(max(error, -reach), reach)


@inner
def one_sided(side):
    """Return the bounds of the impulse of a stop on this side."""
    return (-np.inf if side >= 0 else 0.0), (np.inf if side <= 0 else 0.0)


@inner
def eased(joints, j, m, mobility):
    """Return the rate per impulse of row m of joint j, which has `mobility` without its rotors."""
    for n in range(joints.row_start[j], joints.row_start[j + 1]):
        if joints.role[n] == ROTOR and joints.active[n] and joints.part[n] == joints.part[m]:
            if joints.measure[n] == joints.measure[m] and joints.axis[n] == joints.axis[m]:
                mobility /= 1.0 + joints.inertia[n] * mobility
    return mobility


@inner
def damping_of(joints, j, m, h, mobility):
    """Return the damping of drive m of joint j in a step of length h [s].

    In a joint that holds nothing, springs turn freely. There one whose period is shorter than two steps is
    not followed, only held: the mean force over the step, half of it along the direction at either end, feeds
    what swings in the spring as the direction turns, without bound. A damping of h k / 2, with which the
    force is that of the end of the step, takes that off; it grows from zero where the period is two steps.
    Its sign is that of h, so it is damped backwards in time too, by the negative steps of a composition.
    """
    k, d = joints.stiffness[m], joints.damping[m]
    swing = h * h * k * mobility
    if swing <= HALF_TURN or d == np.inf or joints.role[joints.row_start[j]] == HOLD:
        return d
    least = UNRESOLVED * h * k * (1.0 - HALF_TURN / swing)
    return d if abs(d) >= abs(least) else least


@inner
def drive_at_start(k, d, target, target_rate, most, value, mean, half):
    """Return bounds, bias and softness of a drive at t; `mean` is the previewed mean rate."""
    if d == np.inf:
        return -most, most, mean - target_rate, 0.0
    stiff = half * k + d
    if stiff == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    return -most, most, mean + (k * (value - target) - d * target_rate) / stiff, 1.0 / (half * stiff)


@inner
def drive_at_end(pull, d, lower, upper, mean, rate, half, mobility):
    """Return bounds, bias and softness of a drive at t + h.

    As at t, spring and damper take the mean over the step: so the step is symmetric in time, of order 2. But
    a damper that would turn the rate round in half a step (it multiplies it by 1 - half d mobility) takes as
    much of it from the end of the step as lets it stop the motion instead.

    Args:
        pull: of the spring, in the mean over the step.
        d: damping.
        lower, upper: bounds of the impulse.
        mean, rate: beyond its target rate: the mean rate, and the present one.
        half: half the length of the step [s].
        mobility: rate per impulse, of the row alone.
    """
    if d == np.inf:
        return lower, upper, rate, 0.0
    turned = abs(half * d * mobility)
    late = 0.0 if turned <= 1.0 else d - d / turned
    given = -half * (pull + (d - late) * mean)
    if late == 0.0:
        given = min(max(given, lower), upper)
        return given, given, 0.0, 0.0
    softness = 1.0 / (half * late)
    return lower, upper, rate - softness * given, softness


@inner
def soft_pull(k, x, y):
    """Return the mean force of a soft stop on the way from depth x to y, and its slope by y.

    That times the way is the difference of the energy k x^2 / 2 that is stored beyond the stop, also where
    the way begins or ends short of it (a discrete gradient): so no step that enters or leaves a stop, however
    stiff, gives energy. The force grows with y, ever more steeply.
    """
    if x > 0.0 and y > 0.0:
        return 0.5 * k * (x + y), 0.5 * k
    if x <= 0.0 and y <= 0.0:
        return 0.0, 0.0
    way = y - x
    if y > 0.0:
        return 0.5 * k * y * y / way, 0.5 * k * y * (y - 2.0 * x) / (way * way)
    return -0.5 * k * x * x / way, 0.5 * k * x * x / (way * way)


@inner
def _depth_reached(k, x, free, compliance):
    """Return the depth y = free - compliance `soft_pull`(x, y), where a row alone comes to from depth x."""
    c = 0.5 * compliance * k
    total = free + x
    if x > 0.0:
        y = (free - c * x) / (1.0 + c)
        return y if y > 0.0 else 0.5 * (total - np.sqrt((free - x) ** 2 + 4.0 * c * x * x))
    if free <= 0.0:
        return free
    return 0.5 * (total + np.sqrt(total * total - 4.0 * (1.0 + c) * free * x)) / (1.0 + c)


@inner
def crosses_stops(k, x, y, width, half, mobility):
    """Return whether a row alone goes from depth x in one soft stop beyond the other one within a step.

    Args:
        k: of the stops.
        x, y: depth beyond the first at t, and in a preview without the impulse of the row.
        width: from one stop to the other.
        half, mobility: as for `soft_at_start`.
    """
    return x > 0.0 and _depth_reached(k, x, y, 2.0 * half * half * mobility) < -width


@inner
def crossing_pull(k, x, y, width, behind):
    """Return as `soft_pull` does the force of both stops on a way that begins beyond the other one.

    Args:
        k: of both.
        x, y: depth beyond the stop that the way leads to; x is negative.
        width: from one stop to the other.
        behind: depth beyond the other one at the start.
    """
    deep, back, way = max(y, 0.0), max(-y - width, 0.0), y - x
    if abs(way) < 1e-9 * behind:
        return -k * behind, 0.5 * k
    pull = 0.5 * k * (deep * deep + back * back - behind * behind) / way
    return pull, (k * (deep - back) - pull) / way


@inner
def soft_at_start(k, d, x, y, p, half, mobility, width, behind):
    """Return bias and softness of a soft stop at t, and what its impulse misses in its law, as a depth.

    The force is linearised where the row alone would come to.

    Args:
        k, d: of the stop.
        x, y: depth beyond it at t, and in the preview.
        p: impulse that the preview contains.
        half: half the length of the step [s].
        mobility: rate per impulse, of the row alone.
        width, behind: as for `crossing_pull`; 0 behind unless the way begins beyond the other stop.
    """
    h, rate = 2.0 * half, 0.5 * (y - x) / half
    free, compliance = y - h * mobility * p, h * half * mobility
    if behind > 0.0:
        wanted = -half * (crossing_pull(k, x, y, width, behind)[0] + d * rate)
        c = 0.5 * compliance * k
        total = free + x
        square = total * total - 4.0 * (1.0 + c) * (free * x - c * behind * behind)
        at = 0.5 * (total + np.sqrt(square)) / (1.0 + c)
        pull, slope = crossing_pull(k, x, at, width, behind)
    else:
        wanted = min(-half * (soft_pull(k, x, y)[0] + d * rate), 0.0)
        at = _depth_reached(k, x, free, compliance)
        pull, slope = soft_pull(k, x, at)
    if slope == 0.0:  # it is not reached: the force is no less than that of a spring in the middle of the way
        at, pull, slope = y, 0.5 * k * (x + y), 0.5 * k
    stiff = h * slope + d
    bias = (pull + slope * (y - at) + d * rate) / stiff
    return bias, 1.0 / (half * stiff), abs(p - wanted) * h * mobility

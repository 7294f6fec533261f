"""Rows of joints for `settle`, the velocity-level solve: joints have no rate, stops are not run into."""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.constraints.bounces import least_bounce
from stoss.engine.constraints.options import RowOptions
from stoss.engine.constraints.rows import FRESH, SHARED, Rows
from stoss.engine.joints.arrays import DRIVE, HOLD, LAW, LENGTH, LIMIT, ROTOR, SUM, JointArrays
from stoss.engine.joints.couplings import coupled_rate
from stoss.engine.joints.leading import RATE, VALUE, led_after, led_rate_after
from stoss.engine.joints.measures import relative_rate
from stoss.engine.joints.placement import JointFrames
from stoss.engine.joints.roles import (
    damping_of,
    drive_at_end,
    eased,
    nearer_stop,
    one_sided,
    soft_pull,
)

__all__ = ["BEFORE_IMPACTS", "prepare_joints_settle"]

# In place of the number of a round of impacts: all is settled but stops that are about to be hit.
BEFORE_IMPACTS = -2


@kernel
def prepare_joints_settle(
    joints: JointArrays,
    frames: JointFrames,
    rows: Rows,
    bodies: BodyArrays,
    h: float,
    options: RowOptions,
    impact_round: int,
    find_approaches: bool,
    displaced: Bools,
    given: Floats,
) -> int:
    """Set the rows at the end of the step: joints have no rate, stops are not run into.

    In a round of impacts (`impact_round` >= 0) stops that are met too fast to rest (`least_bounce`) are
    stopped: judged in the first round by the rate with which they were met (found by a call with
    `find_approaches`), later by what the last round caused. Forces do nothing in the instant of an impact.
    With `impact_round` = BEFORE_IMPACTS those stops are left open, all else is as without impacts.
    In islands that are `displaced` since the step began coupled drives and stops take the end of the step for
    its mean: what joints measure has changed by more than their motion. Others have left that out.
    `given` (rows,) are the impulses of rounds of impacts in this stage, which rotors have taken up.
    Returns how many stops are met that ask for more (`find_approaches`, see `_meet_stop`), or how many are
    hit in this round.
    """
    half = 0.5 * h
    impact = impact_round >= 0
    hits = 0
    measures, values, active, roles = joints.measure, joints.value, joints.active, joints.role
    for j in range(len(frames.first_row)):
        r = frames.first_row[j] - 1
        if r < -1:
            continue
        a, b = joints.bodies[j, 0], joints.bodies[j, 1]
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not active[m]:
                continue
            r += 1
            role = roles[m]
            value = values[m]
            if find_approaches and role != LIMIT:
                continue
            linear = measures[m] <= LENGTH
            if measures[m] >= SUM:
                rate = coupled_rate(joints, frames, m, bodies.velocities, bodies.angular_velocities)
            else:
                rate = relative_rate(linear, m, a, b, frames, bodies.velocities, bodies.angular_velocities)
            if impact:
                rows.impulse[r] = 0.0
                rows.state[r] = FRESH
                if rows.kind[r] == SHARED:
                    rows.impulse[r - 1], rows.state[r - 1] = 0.0, FRESH
            if role == HOLD:
                rows.bias[r] = rate
                continue
            if role == LAW:
                if impact:  # friction does nothing in an instant
                    rows.bias[r] = rows.lower[r] = rows.upper[r] = 0.0
                    rows.softness[r] = 0.0
                continue  # else it is set by `friction_laws`
            k, d = joints.stiffness[m], joints.damping[m]
            start, mobility = frames.start[m], eased(joints, j, m, rows.inverse_effective_mass[r])
            # what a soft stop cannot have been bent was brought back, and is no other motion for that
            moved = not displaced[frames.island[j]] or (role == LIMIT and frames.beyond[m] > 0.0)
            moved = moved or (role == DRIVE and measures[m] < SUM)
            middle, mean = (0.5 * (start + value), (value - start) / h) if moved else (value, rate)
            lower = upper = bias = softness = 0.0
            if role == LIMIT:
                if find_approaches:
                    hits += _look_for_stop(joints, frames, bodies, j, m, h, options)
                    continue
                if k == np.inf:
                    lower, upper, bias, hit = _rigid_stop(joints, frames, m, rate, h, options, impact_round)
                    hits += hit
                elif not impact and h > 0.0:
                    begin = start if moved else value
                    lower, upper, bias, softness = _soft_stop(joints, m, begin, mean, rate, h, mobility)
            elif role == ROTOR:
                # as fast as the coordinate whenever an impact comes: then joints are settled
                lower, upper, softness = -np.inf, np.inf, 1.0 / joints.inertia[m]
                bias = 0.0 if impact else rate - frames.start_rate[m] + given[r] * softness
            elif impact:
                pass
            elif role == DRIVE:
                most = joints.max_force[m] * abs(half)
                away, wanted = middle - led_after(joints, m, VALUE, -half), joints.led[m, RATE]
                lag = mean - led_after(joints, m, RATE, -half)
                d = damping_of(joints, j, m, h, mobility)
                lower, upper, bias, softness = drive_at_end(
                    k * away, d, -most, most, lag, rate - wanted, half, mobility
                )
            else:
                lower = upper = half * joints.target_rate[m]
            rows.bias[r] = bias
            rows.softness[r] = softness
            rows.lower[r] = lower
            rows.upper[r] = upper
            rows.impulse[r] = min(max(rows.impulse[r], lower), upper)
    return hits


@inner
def _rigid_stop(joints, frames, m, rate, h, options, impact_round):
    """Return bounds and bias of the rigid stop of row m, and whether it is hit in this round of impacts."""
    side = nearer_stop(joints.value[m], joints.led[m, 0], joints.led[m, 1])
    end = 1 if side > 0 else 0
    if side != 0 and not _touches(joints, m, side, h, options):
        return 0.0, 0.0, 0.0, False
    rate -= joints.led_rate[m, end]
    first = impact_round == 0 or impact_round == BEFORE_IMPACTS
    approach = frames.approach[m] if first else side * rate
    hit = side != 0 and side * rate > 0.0 and approach > frames.least_bounce[m]
    lower, upper = one_sided(side)
    if impact_round >= 0 and side != 0:
        return (lower, upper, rate, True) if hit else (0.0, 0.0, rate, False)
    if impact_round == BEFORE_IMPACTS and (hit or _is_just_met(joints, frames, m, side, h, options)):
        return 0.0, 0.0, rate, False
    return lower, upper, rate, False


@inner
def _touches(joints, m, side, h, options):
    """Return whether row m is at its stop on a side at the end of a step, of positive length."""
    past = side * (joints.value[m] - joints.led[m, 1 if side > 0 else 0])
    return h > 0.0 and past >= -options.touch_distance


@inner
def _is_just_met(joints, frames, m, side, h, options):
    """Return whether row m came to its stop on a side in a sub-step that ends for that."""
    if not options.exact or side == 0:
        return False
    end = 1 if side > 0 else 0
    return side * (frames.start[m] - led_after(joints, m, end, -h)) < -options.touch_distance


@inner
def _soft_stop(joints, m, start, mean, rate, h, mobility):
    """Return bounds, bias and softness of the soft stops of row m, which was at `start` as the step began."""
    pull, side = _pull_of_stops(joints, m, start, joints.value[m], h)
    end = 1 if side > 0 else 0
    own = joints.led_rate[m, end] if side != 0 else 0.0
    mean_own = led_rate_after(joints, m, end, -0.5 * h) if side != 0 else 0.0
    lower, upper = one_sided(side)
    beyond = side == 0 or side * (joints.value[m] - joints.led[m, end]) > 0.0
    d = joints.damping[m] if beyond else 0.0
    return drive_at_end(pull, d, lower, upper, mean - mean_own, rate - own, 0.5 * h, mobility)


@inner
def _pull_of_stops(joints, m, start, value, h):
    """Return the mean pull of the soft stops of row m on the way that ends at `value`, and the side it is of.

    Both may act within the way; the side is 0 where they coincide.
    """
    k = joints.stiffness[m]
    if joints.led[m, 0] == joints.led[m, 1]:
        return k * (0.5 * (start + value) - joints.led[m, 0]), 0
    pull, nearer = 0.0, nearer_stop(value, joints.led[m, 0], joints.led[m, 1])
    for end in range(2):
        side, bound = 2 * end - 1, joints.led[m, end]
        if np.isfinite(bound):
            before = led_after(joints, m, end, -h)
            pull += side * soft_pull(k, side * (start - before), side * (value - bound))[0]
    if pull != 0.0:
        nearer = 1 if pull > 0.0 else -1
    return pull, nearer


@inner
def _look_for_stop(joints, frames, bodies, j, m, h, options):
    """Return whether a rigid stop of row m of joint j was met, as `_meet_stop` does."""
    side = nearer_stop(joints.value[m], joints.led[m, 0], joints.led[m, 1])
    if joints.stiffness[m] == np.inf and side != 0 and _touches(joints, m, side, h, options):
        return _meet_stop(joints, frames, bodies, j, m, h, options)
    frames.approach[m] = 0.0
    return False


@inner
def _meet_stop(joints, frames, bodies, j, m, h, options):
    """Find with what speed the stop of row m of joint j was met in the step; return whether it asks for more.

    It does if it bounces, or if the sub-step ends because it was met. That was at distance x from here and
    with u^2 = u1^2 - 2 a x, a the acceleration of the rate. Restitution is to take (1 - e^2) u^2 from the
    squared rate, here where it is u1^2: nothing if e is 1, and the right share of the energy else. What it
    leaves is e times the approach that is noted.
    """
    linear = joints.measure[m] <= LENGTH
    a, b = joints.bodies[j, 0], joints.bodies[j, 1]
    value = joints.value[m]
    side = nearer_stop(value, joints.led[m, 0], joints.led[m, 1])
    end = 1 if side > 0 else 0
    own = joints.led_rate[m, end]
    rate = side * (relative_rate(linear, m, a, b, frames, bodies.velocities, bodies.angular_velocities) - own)
    acceleration = (rate - side * (frames.start_rate[m] - led_rate_after(joints, m, end, -h))) / h
    frames.approach[m] = 0.0
    pressing = np.inf if joints.impulse[m] != 0.0 else acceleration
    frames.least_bounce[m] = least_bounce(
        pressing, joints.restitution[m], options.step, options.resting_speed
    )
    if rate <= 0.0:
        return False
    e = joints.restitution[m]
    squared = rate * rate
    over = max(side * (value - joints.led[m, end]), 0.0)
    met = min(max(squared - 2.0 * acceleration * over, 0.0), 4.0 * squared)
    if met > frames.least_bounce[m] ** 2:
        squared = max(squared - (1.0 - e * e) * met, 0.0) / (e * e) if e > 0.0 else met
        frames.approach[m] = np.sqrt(squared)
    return e > 0.0 or _is_just_met(joints, frames, m, side, h, options)

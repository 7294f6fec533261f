"""Rows of joints for `settle`, the velocity-level solve: joints have no rate, stops are not run into."""

import numpy as np

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Bools
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.constraints.rows import FRESH, Rows, soften_row
from stoss.engine.joints.arrays import DRIVE, HOLD, LENGTH, LIMIT, JointArrays
from stoss.engine.joints.measures import relative_rate
from stoss.engine.joints.placement import JointFrames
from stoss.engine.joints.roles import drive_at_end, nearer_stop, one_sided

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
    touch: float,
    resting_speed: float,
    impact_round: int,
    find_approaches: bool,
    displaced: Bools,
) -> int:
    """Set the rows at the end of the step: joints have no rate, stops are not run into.

    In a round of impacts (`impact_round` >= 0) stops that are met faster than `resting_speed` are stopped:
    judged in the first round by the rate with which they were met (found by a call with `find_approaches`),
    later by what the last round caused. Forces do nothing in the instant of an impact.
    With `impact_round` = BEFORE_IMPACTS those stops are left open, all else is as without impacts.
    In islands that are `displaced` since the step began drives take the end of the step for its mean: what
    joints measure has changed by more than their motion.
    Returns how many elastic stops are met (`find_approaches`), or how many stops are hit in this round.
    """
    half = 0.5 * h
    impact = impact_round >= 0
    before_impacts = impact_round == BEFORE_IMPACTS
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
            rate = relative_rate(linear, m, a, b, frames, bodies)
            if impact:
                rows.impulse[r] = 0.0
                rows.state[r] = FRESH
            if role == HOLD:
                rows.bias[r] = rate
                continue
            k, d = joints.stiffness[m], joints.damping[m]
            start, mobility = frames.start[m], rows.inverse_effective_mass[r]
            moved = not displaced[frames.island[j]]
            middle, mean = (0.5 * (start + value), (value - start) / h) if moved else (value, rate)
            lower = upper = bias = softness = 0.0
            if role == LIMIT:
                side = nearer_stop(value, joints.lower[m], joints.upper[m])
                bound = joints.upper[m] if side > 0 else joints.lower[m]
                # a step back in time is part of a composition, in which no stop is touched
                touches = h > 0.0 and side * (value - bound) >= -touch
                if find_approaches:
                    meets = k == np.inf and side != 0 and touches and side * rate > 0.0
                    frames.approach[m] = side * rate if meets else 0.0
                    hits += meets and joints.restitution[m] > 0.0
                    continue
                if k < np.inf:
                    if not impact and h > 0.0:
                        lower, upper = one_sided(side)
                        d = d if side * (value - bound) > 0.0 else 0.0
                        lower, upper, bias, softness = drive_at_end(
                            k, d, lower, upper, middle - bound, mean, rate, half, mobility
                        )
                elif touches or side == 0:
                    bias = rate
                    approach = frames.approach[m] if impact_round == 0 or before_impacts else side * rate
                    hit = side * rate > 0.0 and approach > resting_speed
                    if side == 0 or not (impact or (before_impacts and hit)):
                        lower, upper = one_sided(side)
                    elif hit and impact:
                        lower, upper = one_sided(side)
                        bias = rate
                        hits += 1
            elif impact:
                pass
            elif role == DRIVE:
                most = joints.max_force[m] * abs(half)
                away, wanted = middle - joints.target[m], joints.target_rate[m]
                lower, upper, bias, softness = drive_at_end(
                    k, d, -most, most, away, mean - wanted, rate - wanted, half, mobility
                )
            else:
                lower = upper = half * joints.target_rate[m]
            rows.bias[r] = bias
            soften_row(rows, r, softness)
            rows.lower[r] = lower
            rows.upper[r] = upper
            rows.impulse[r] = min(max(rows.impulse[r], lower), upper)
    return hits

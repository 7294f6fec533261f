"""Rows of joints for `correct`, the position-level solve: joints are to hold at t + h."""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats, Floats2, Ints
from stoss.engine.bodies.arrays import BodyArrays, BodyScratch
from stoss.engine.constraints.bounces import least_bounce
from stoss.engine.constraints.options import RowOptions
from stoss.engine.constraints.rows import SHARED, Rows, add_impulse
from stoss.engine.joints.arrays import CONE, DRIVE, FORCE, HOLD, LAW, LENGTH, ROTOR, SLIDE, SUM, JointArrays
from stoss.engine.joints.couplings import coupled_preview, coupled_rate
from stoss.engine.joints.leading import RATE, VALUE, led_after, led_way
from stoss.engine.joints.measures import counts_turns, measure, relative_rate, slide, turned
from stoss.engine.joints.placement import JointFrames, place_parts
from stoss.engine.joints.roles import (
    crosses_stops,
    damping_of,
    drive_at_start,
    eased,
    kept_error,
    nearer_stop,
    one_sided,
    soft_at_start,
)
from stoss.engine.joints.stop_curve_measures import curve_measure

__all__ = ["prepare_joints_correct", "previewed", "start_held_rows"]


@kernel
def prepare_joints_correct(
    joints: JointArrays,
    frames: JointFrames,
    rows: Rows,
    bodies: BodyArrays,
    scratch: BodyScratch,
    options: RowOptions,
    h: float,
    chosen: Bools,
    first_pass: bool,
    by_velocity: bool,
    worst: Floats,
) -> float:
    """Set the rows so that joints hold at t + h, by the preview of the poses.

    An error that is larger than `correction_speed` times h is kept for `separate`, but for that part of it.

    Args:
        joints, frames, rows, bodies: of time t; the places of the frames become those of the preview.
        scratch: previewed poses.
        options: of the step; stops that are hit faster than `resting_speed` are left to `settle`.
        h: length of the step [s]; may be negative.
        chosen: (islands,) which islands are to be prepared.
        first_pass: whether the solve is the first of this step.
        by_velocity: whether the preview is of first order: by the velocities of `preview_velocities`, at
            which open joints stay as open as they are.
        worst: (islands,) receives the largest error of the preview.

    Returns:
        The largest error at t of what is held [m or rad].
    """
    if not by_velocity:
        place_parts(joints, scratch.next_positions, scratch.next_quaternions, frames.places)
    reach = 0.0 if by_velocity else options.correction_speed * abs(h)
    half = 0.5 * h
    farthest = 0.0
    for j in range(len(frames.first_row)):
        r = frames.first_row[j] - 1
        island = frames.island[j]
        if r < -1 or not chosen[island]:
            continue
        error = 0.0
        held = 0.0
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not joints.active[m]:
                continue
            r += 1
            value, role = joints.value[m], joints.role[m]
            if role == LAW:
                continue  # set by `friction_laws`
            if joints.measure[m] >= SUM:
                v, w = scratch.middle_velocities, scratch.middle_angular_velocities
                if by_velocity:
                    new = value + h * coupled_rate(joints, frames, m, v, w)
                else:
                    new = coupled_preview(joints, frames, m, bodies, h)
            elif by_velocity:
                a, b, linear = joints.bodies[j, 0], joints.bodies[j, 1], joints.measure[m] <= LENGTH
                v, w = scratch.middle_velocities, scratch.middle_angular_velocities
                new = value + h * relative_rate(linear, m, a, b, frames, v, w)
            else:
                new = previewed(joints, frames, bodies, j, m, h)
            if role == HOLD:
                off = value - joints.target[m]
                farthest = max(farthest, abs(off))
                miss = new - joints.target[m] - kept_error(off, reach)
                held += miss * miss
                rows.bias[r] = miss / h
                continue
            if role == DRIVE:
                most = joints.max_force[m] * abs(half)
                k, mean = joints.stiffness[m], (new - value) / h
                d = damping_of(joints, j, m, h, eased(joints, j, m, rows.inverse_effective_mass[r]))
                lower, upper, bias, softness = drive_at_start(
                    *(k, d, led_after(joints, m, VALUE, half), led_after(joints, m, RATE, half)),
                    *(most, value, mean, half),
                )
            elif role == FORCE:
                lower = upper = half * joints.target_rate[m]
                bias = softness = 0.0
            elif role == ROTOR:
                lower, upper = -np.inf, np.inf
                bias, softness = (new - value) / h - frames.start_rate[m], 1.0 / joints.inertia[m]
            elif joints.stiffness[m] < np.inf:
                lower, upper, bias, softness, miss = _soft_stop_at_start(
                    joints, rows, j, m, r, new, first_pass, h
                )
                error = max(error, miss)
            else:
                loaded = rows.impulse[r] != 0.0
                left = not first_pass and rows.lower[r] == rows.upper[r]
                lower, upper, bias, miss = _stop_at_start(
                    joints, frames, bodies, j, m, new, loaded, left, h, options
                )
                softness = 0.0
                error = max(error, miss)
            rows.bias[r] = bias
            rows.softness[r] = softness
            if first_pass:
                # bounds stay as they are in later passes, whose impulses are applied already
                rows.lower[r] = lower
                rows.upper[r] = upper
                rows.impulse[r] = min(max(rows.impulse[r], lower), upper)
        worst[island] = max(worst[island], error, np.sqrt(held))
    return farthest


@inner
def previewed(joints, frames, bodies, j, m, h):
    """Return the measure of row m of joint j at t + h, whose frames are placed there."""
    kind, axis, p, places = joints.measure[m], joints.axis[m], joints.part[m], frames.places
    if kind == SLIDE:
        return slide(axis, p, places)[0]
    old = joints.value[m]
    if counts_turns(kind):
        a, b = joints.bodies[j, 0], joints.bodies[j, 1]
        old += turned(kind, p, places, a, b, bodies.angular_velocities, h)
    if kind >= CONE:
        return curve_measure(joints, places, m, joints.piece[m], old)[0]
    return measure(kind, axis, p, places, old)


@inner
def _soft_stop_at_start(joints, rows, j, m, r, new, first_pass, h):
    """Return bounds, bias and softness of the soft stop of row r, and what it misses in the preview `new`.

    The stop on whose side the preview is in the first pass stays the one that acts, or both do where the row
    goes from beyond the one to beyond the other.
    """
    value, k, d = joints.value[m], joints.stiffness[m], joints.damping[m]
    low, high = joints.led[m, 0], joints.led[m, 1]
    half = 0.5 * h
    if low == high:
        _, _, bias, softness = drive_at_start(k, d, high, 0.0, 0.0, value, (new - value) / h, half)
        return -np.inf, np.inf, bias, softness, 0.0
    side = nearer_stop(value, low, high)
    if not first_pass:
        side = 1 if rows.upper[r] == 0.0 else -1
    elif low < value < high and (new <= low or new >= high):
        side = 1 if new >= high else -1
    mobility, width = eased(joints, j, m, rows.inverse_effective_mass[r]), high - low
    x, y = _depths(joints, m, side, value, new, h)
    crosses = crosses_stops(k, x, y, width, half, mobility) if first_pass else rows.lower[r] == -rows.upper[r]
    behind = 0.0
    if crosses:
        side = -nearer_stop(value, low, high)
        behind = -side * (value - joints.led[m, 0 if side > 0 else 1])
        x, y = _depths(joints, m, side, value, new, h)
    d = d if x > 0.0 or crosses else 0.0  # the damper acts beyond the stop only
    if h < 0.0 or k + d == 0.0:
        # a part of a composition, in which no stop is touched
        return 0.0, 0.0, 0.0, 0.0, 0.0
    lower, upper = one_sided(0 if crosses else side)
    p = 0.0 if first_pass else side * rows.impulse[r]
    bias, softness, miss = soft_at_start(k, d, x, y, p, half, mobility, width, behind)
    return lower, upper, side * bias, softness, miss


@inner
def _depths(joints, m, side, value, new, h):
    """Return how far beyond its stop on a side row m is at t, and in the preview `new`."""
    end = 1 if side > 0 else 0
    bound = joints.led[m, end]
    return side * (value - bound), side * (new - bound - led_way(joints, m, end, h))


@inner
def _stop_at_start(joints, frames, bodies, j, m, new, loaded, left, h, options):
    """Return bounds and bias of the rigid stop of row m at t, and its error in the preview.

    Args:
        joints, frames, bodies, j, m: row m of joint j.
        new: previewed measure.
        loaded: whether the row has an impulse: then an error of either sign counts.
        left: whether the first pass has left the stop to `settle`: what takes part is decided there.
        h, options: as for `prepare_joints_correct`.
    """
    value = joints.value[m]
    side = nearer_stop(value, joints.led[m, 0], joints.led[m, 1])
    end = 1 if side > 0 else 0
    bound = joints.led[m, end]
    lower, upper = one_sided(side)
    if h < 0.0 and side != 0:
        # part of a composition, in which no stop is touched
        return 0.0, 0.0, 0.0, 0.0
    # what is beyond a stop already is displaced by `separate`: an impulse would leave a velocity behind
    over = value - bound if side == 0 else side * max(side * (value - bound), 0.0)
    over = over if abs(over) > options.position_tolerance else 0.0
    moved = led_way(joints, m, end, h)
    miss = new - bound - moved - over
    if options.exact and side * (value - bound) < -options.touch_distance:
        left = True  # the sub-step ends where it is met
    if left and side != 0:
        return 0.0, 0.0, miss / h, 0.0
    if joints.restitution[m] > 0.0 and side != 0:
        a, b = joints.bodies[j, 0], joints.bodies[j, 1]
        rate = relative_rate(
            joints.measure[m] <= LENGTH, m, a, b, frames, bodies.velocities, bodies.angular_velocities
        )
        pressing = np.inf if loaded else side * 2.0 * ((new - value) / h - rate) / h
        rate -= joints.led_rate[m, end]
        if side * rate > least_bounce(pressing, joints.restitution[m], options.step, options.resting_speed):
            # left to `settle`, else this row would swallow the bounce
            return 0.0, 0.0, miss / h, 0.0
    return lower, upper, miss / h, abs(miss) if loaded else side * miss


@kernel(allocates=True)
def start_held_rows(
    joints: JointArrays,
    frames: JointFrames,
    blocks: Ints,
    contact_start: Ints,
    rows: Rows,
    z: Floats2,
    applied: Bools,
) -> None:
    """Add the effect of the impulses with which held rows start to z, and note that in `applied` (rows,).

    Only in islands where nothing else carries load, neither contacts nor stops nor drives: half of what keeps
    a body in place would turn it far away.
    """
    jacobian, impulse = rows.jacobian, rows.impulse
    alone = contact_start[:-1] == contact_start[1:]
    for start in range(2):
        for j in range(len(frames.first_row)):
            r = frames.first_row[j] - 1
            island = frames.island[j]
            if r < -1 or not alone[island]:
                continue
            for m in range(joints.row_start[j], joints.row_start[j + 1]):
                if not joints.active[m]:
                    continue
                r += 1
                if joints.role[m] != HOLD:
                    alone[island] = alone[island] and impulse[r] == 0.0
                    continue
                if start == 0:
                    continue
                first = r - 1 if rows.kind[r] == SHARED else r
                for part in range(first, r + 1):
                    applied[part] = True
                    ends = rows.bodies[blocks[j] - (r - part)]
                    add_impulse(jacobian, part, ends[0], ends[1], impulse[r], z)

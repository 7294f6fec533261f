"""How joints stand: their errors, reactions and turns after a phase, and what drives want before a step."""

import numpy as np

from stoss.collision.algebra import cross
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Ints
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.constraints.islands import Layout
from stoss.engine.constraints.rows import Rows
from stoss.engine.joints.arrays import ALIGN, DRIVE, FORCE, HOLD, LENGTH, LIMIT, ROTOR, SUM, JointArrays
from stoss.engine.joints.couplings import coupled_value, gather_coupled
from stoss.engine.joints.leading import RATE, VALUE
from stoss.engine.joints.measures import measure
from stoss.engine.joints.placement import JointFrames, place_parts

__all__ = [
    "any_overloaded",
    "errors_at_start",
    "fastest_turns",
    "find_joint_errors",
    "gather_joints",
    "held_errors",
    "is_open",
    "open_joints",
    "overloaded_joints",
    "update_drives",
]

# [m] A shorter lever is rounding of a centre of mass that lies on the joint, or what the joint is open by, on
# which a light body would seem to swing fast; its turning does not matter.
SHORTEST_LEVER = 1e-6


@kernel
def find_joint_errors(joints: JointArrays, frames: JointFrames, bodies: BodyArrays, out: Floats) -> None:
    """Raise out (islands,) to the largest error [m or rad] of the joints of each at the present poses.

    That of a joint is how far its points are apart, or its axes, as `held_errors` has it.
    """
    place_parts(joints, bodies.positions, bodies.quaternions, frames.places)
    _raise_errors(joints, frames, False, out)


@inner
def errors_at_start(joints, frames, out):
    """Raise out (islands,) to what `find_joint_errors` would have found when the sub-step began."""
    _raise_errors(joints, frames, True, out)


@inner
def _raise_errors(joints, frames, at_start, out):
    """Raise out (islands,) to the largest error of the joints of each, `at_start` or as they are placed."""
    for j in range(len(frames.first_row)):
        if frames.first_row[j] < 0:
            continue
        length = angle = 0.0
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.role[m] != HOLD:
                continue
            if at_start:
                value = frames.start[m]
            elif joints.measure[m] >= SUM:
                value = coupled_value(joints, frames, m)
            else:
                p = joints.part[m]
                value = measure(joints.measure[m], joints.axis[m], p, frames.places, joints.value[m])
            miss = value - joints.target[m]
            if joints.measure[m - 1 if joints.measure[m] >= SUM else m] <= LENGTH:
                length += miss * miss
            else:
                angle += miss * miss
        island = frames.island[j]
        out[island] = max(out[island], np.sqrt(max(length, angle)))


@kernel
def gather_joints(joints: JointArrays, frames: JointFrames, rows: Rows, impulses: Floats) -> None:
    """Remember impulses and states of rows, and add `impulses` (rows,) to totals, reactions and rotors."""
    total, measures, directions, levers = joints.total, joints.measure, frames.direction, frames.lever_b
    reaction = joints.reaction
    for j in range(len(frames.first_row)):
        r = frames.first_row[j]
        if r < 0:
            continue
        first = -1
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not joints.active[m]:
                continue
            if first < 0:
                first = m
            joints.impulse[m] = rows.impulse[r]
            joints.state[m] = rows.state[r]
            f = impulses[r]
            r += 1
            total[m] += f
            if joints.role[m] == ROTOR:
                frames.start_rate[m] -= f / joints.inertia[m]
            if measures[m] >= SUM:
                gather_coupled(joints, frames, j, m, f)
                continue
            d0, d1, d2 = f * directions[m, 0], f * directions[m, 1], f * directions[m, 2]
            if measures[m] <= LENGTH:
                reaction[j, 0] += d0
                reaction[j, 1] += d1
                reaction[j, 2] += d2
                # the torque is about the point of the joint's first row
                d0, d1, d2 = cross(
                    levers[m, 0] - levers[first, 0],
                    levers[m, 1] - levers[first, 1],
                    levers[m, 2] - levers[first, 2],
                    d0,
                    d1,
                    d2,
                )
            reaction[j, 3] += d0
            reaction[j, 4] += d1
            reaction[j, 5] += d2


@kernel
def held_errors(joints: JointArrays, frames: JointFrames) -> tuple[float, float]:
    """Return how far the worst enabled joint is open: a distance [m] and an angle [rad].

    Being and staying beyond a stop counts, as `stops_passed` has noted; an impact does not.
    """
    worst_length = 0.0
    worst_angle = 0.0
    for j in range(len(joints.enabled)):
        if not joints.enabled[j]:
            continue
        length = 0.0
        angle = 0.0
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            miss = 0.0
            if joints.role[m] == HOLD:
                miss = joints.value[m] - joints.target[m]
            elif joints.role[m] == LIMIT and frames.beyond[m] > 0.0 and joints.stiffness[m] == np.inf:
                miss = max(joints.value[m] - joints.upper[m], joints.lower[m] - joints.value[m], 0.0)
            kind = joints.measure[m - 1 if joints.measure[m] >= SUM else m]
            if kind <= LENGTH:
                length += miss * miss
            else:
                angle += miss * miss
        worst_length = max(worst_length, length)
        worst_angle = max(worst_angle, angle)
    return np.sqrt(worst_length), np.sqrt(worst_angle)


@kernel(allocates=True)
def open_joints(joints: JointArrays, tolerance: float) -> Ints:
    """Return the enabled joints that are open, or beyond a hard stop, by more than a tolerance [m or rad]."""
    out = np.empty(len(joints.enabled), np.int64)
    count = 0
    for j in range(len(joints.enabled)):
        if joints.enabled[j] and is_open(joints, j, tolerance):
            out[count] = j
            count += 1
    return out[:count].copy()


@inner
def is_open(joints, j, tolerance):
    """Return whether a joint is open, or beyond a hard stop, by more than a tolerance [m or rad]."""
    worst = 0.0
    for m in range(joints.row_start[j], joints.row_start[j + 1]):
        value = joints.value[m]
        if joints.role[m] == HOLD:
            worst = max(worst, abs(value - joints.target[m]))
        elif joints.role[m] == LIMIT and joints.active[m] and joints.stiffness[m] == np.inf:
            worst = max(worst, max(joints.lower[m] - value, value - joints.upper[m]))
    return worst > tolerance


@inner
def clear_reactions(joints):
    """Count the impulses of joints from zero."""
    for m in range(len(joints.total)):
        joints.work_at_start[m] = joints.work[m]
        joints.total[m] = 0.0
    for j in range(len(joints.reaction)):
        for k in range(6):
            joints.reaction[j, k] = 0.0


@kernel
def any_overloaded(joints: JointArrays, h: float) -> bool:
    """Return whether `overloaded_joints` finds any."""
    for j in range(len(joints.enabled)):
        if joints.enabled[j] and (joints.break_force[j] < np.inf or joints.break_torque[j] < np.inf):
            if _is_overloaded(joints, j, h):
                return True
    return False


@inner
def _is_overloaded(joints, j, h):
    p = joints.reaction[j]
    force = np.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / h
    torque = np.sqrt(p[3] * p[3] + p[4] * p[4] + p[5] * p[5]) / h
    return force > joints.break_force[j] or torque > joints.break_torque[j]


@kernel(allocates=True)
def overloaded_joints(joints: JointArrays, h: float) -> Ints:
    """Return the joints whose mean force or torque over a step of length h exceeds what they bear."""
    out = np.empty(len(joints.enabled), np.int64)
    count = 0
    for j in range(len(joints.enabled)):
        if joints.enabled[j] and _is_overloaded(joints, j, h):
            out[count] = j
            count += 1
    return out[:count].copy()


@kernel
def fastest_turns(
    joints: JointArrays, frames: JointFrames, layout: Layout, rows: Rows, bodies: BodyArrays, h: float
) -> tuple[float, float, float]:
    """Return how fast [rad/s] a joint's lever or axis turns, and how fast a loaded joint could swing.

    The last of the three is the same for joints of islands with contacts, which may be jammed.

    A wheel that spins about its own axle turns neither. A body that hangs on a joint by a lever r with a
    force F swings with about sqrt(F / (M r)), M its effective mass there: a light body between heavy ones
    fast. Where a joint holds rotations too, neither body swings at it. The impulses in `rows` are those
    of half a step of length h.
    """
    fastest = 0.0
    swing = jammed = 0.0
    first_row, pairs, parts = frames.first_row, joints.bodies, joints.part
    measures, roles, active, impulses = joints.measure, joints.role, joints.active, rows.impulse
    jacobian, w, kinds = rows.jacobian, bodies.angular_velocities, bodies.kinds
    for j in range(len(first_row)):
        if first_row[j] < 0:
            continue
        for half in range(2):
            i = pairs[j, half]
            if i < 0 or kinds[i] != DYNAMIC:
                continue
            levers = frames.lever_a if half == 0 else frames.lever_b
            force = 0.0
            turning = 0.0
            lever = 0.0
            held = 0
            part = -1
            r = first_row[j] - 1
            for m in range(joints.row_start[j], joints.row_start[j + 1]):
                if not active[m]:
                    continue
                r += 1
                if roles[m] != HOLD or measures[m] >= SUM:
                    continue
                if measures[m] == ALIGN:
                    held += 1
                    # an axis perpendicular to the one that is held: turning about it turns that one
                    axes = frames.direction
                    along = w[i, 0] * axes[m, 0] + w[i, 1] * axes[m, 1] + w[i, 2] * axes[m, 2]
                    fastest = max(fastest, along * along)
                    continue
                linear = measures[m] <= LENGTH
                held += not linear
                if linear:
                    # by the row's jacobian: how easily the joint's point moves as the body turns
                    force += impulses[r] * impulses[r]
                    for k in range(6 * half + 3, 6 * half + 6):
                        turning += 0.5 * jacobian[r, k] * jacobian[r, k]
                    if parts[m] == part:
                        continue  # the same lever as that of the row before
                    part = parts[m]
                turned = levers if linear else frames.direction
                x, y, z = cross(w[i, 0], w[i, 1], w[i, 2], turned[m, 0], turned[m, 1], turned[m, 2])
                size = turned[m, 0] * turned[m, 0] + turned[m, 1] * turned[m, 1] + turned[m, 2] * turned[m, 2]
                if size > SHORTEST_LEVER * SHORTEST_LEVER:
                    fastest = max(fastest, (x * x + y * y + z * z) / size)
                    if linear:
                        lever = max(lever, size)
            if lever > 0.0 and turning > 0.0 and held < 3 and h != 0.0:
                lever = np.sqrt(lever)
                mobility = bodies.inverse_masses[i]
                gyration = lever * np.sqrt(mobility / turning)
                force = 2.0 * np.sqrt(force) / abs(h)
                square = force * (turning / lever + mobility / (lever + gyration))
                if layout.contact_start[frames.island[j]] < layout.contact_start[frames.island[j] + 1]:
                    jammed = max(jammed, square)
                else:
                    swing = max(swing, square)
    return np.sqrt(fastest), np.sqrt(swing), np.sqrt(jammed)


@inner
def _set_point(joints, s, at):
    """Return the set point of schedule s at a time [s]: linear between its points, constant outside."""
    first, last = joints.schedule_start[s], joints.schedule_start[s + 1] - 1
    times, values = joints.schedule_time, joints.schedule_value
    if at <= times[first]:
        return values[first]
    if at >= times[last]:
        return values[last]
    while times[first + 1] < at:
        first += 1
    share = (at - times[first]) / (times[first + 1] - times[first])
    return values[first] + share * (values[first + 1] - values[first])


@kernel
def update_drives(joints: JointArrays, time: float, h: float) -> None:
    """Take set points (of a motor: rates) from schedules and forces from controllers, for a step of length h.

    A servo follows the slope of its schedule too, as its wanted rate.

    PID (Bender 2007, eq. 3.23): gain (e + sum e h / reset_time + derivative_time de / h), the sum over the
    recent past only, and frozen while the force is at its bound.
    """
    for m in range(len(joints.part)):
        s = joints.schedule[m]
        if s >= 0 and joints.measure[m] < SUM:
            point = _set_point(joints, s, time + h)
            before = _set_point(joints, s, time)
            slope = (point - before) / h
            if joints.role[m] != DRIVE:
                joints.target[m] = point
            elif joints.stiffness[m] == 0.0:
                joints.target_rate[m] = point
                joints.led[m, RATE], joints.led_rate[m, RATE] = before, slope
            else:
                # the damper does not hold back what the schedule asks for
                joints.target[m], joints.target_rate[m] = point, slope
                joints.led[m, VALUE], joints.led_rate[m, VALUE] = before, slope
                joints.led[m, RATE], joints.led_rate[m, RATE] = slope, 0.0
        c = joints.pid[m]
        if joints.role[m] != FORCE or c < 0 or not joints.active[m]:
            continue
        error = joints.target[m] - joints.value[m]
        room = joints.history.shape[1]
        count = joints.history_count[c]
        recent = min(count, room, max(int(joints.window[c] / h), 1))
        total = 0.0
        for i in range(recent):
            total += joints.history[c, (count - 1 - i) % room]
        slope = (error - joints.last_error[c]) / h if count > 0 else 0.0
        force = joints.gain[c] * (
            error + h / joints.reset_time[c] * total + joints.derivative_time[c] * slope
        )
        bound = joints.max_force[m]
        joints.target_rate[m] = min(max(force, -bound), bound)
        joints.history[c, count % room] = error if abs(force) <= bound else 0.0
        joints.last_error[c] = error
        joints.history_count[c] = count + 1

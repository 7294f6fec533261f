"""Friction laws on coordinates of joints: their rows, as those of contacts along a line with a load of 1."""

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats2
from stoss.engine.constraints.rows import FRESH, Rows, yield_row
from stoss.engine.contacts.friction_laws import AT_EDGE, LOOSE, SLIPS, UNBOUNDED, beyond, stretch_of
from stoss.engine.joints.arrays import LAW, LENGTH, SUM, JointArrays
from stoss.engine.joints.couplings import coupled_rate
from stoss.engine.joints.measures import relative_rate
from stoss.engine.joints.placement import JointFrames
from stoss.engine.laws.friction_arrays import SET_VALUED, VISCOUS, FrictionLaws
from stoss.engine.laws.friction_curves import dry, end_speed, slip_speed, terms

__all__ = ["finish_joint_laws", "look_at_joint_laws", "start_joint_laws"]


@inner
def _rate(joints, frames, j, m, velocities, angular_velocities):
    """Return the rate of row m of joint j for velocities of the bodies."""
    if joints.measure[m] >= SUM:
        return coupled_rate(joints, frames, m, velocities, angular_velocities)
    a, b, linear = joints.bodies[j, 0], joints.bodies[j, 1], joints.measure[m] <= LENGTH
    return relative_rate(linear, m, a, b, frames, velocities, angular_velocities)


@kernel
def start_joint_laws(
    joints: JointArrays, frames: JointFrames, velocities: Floats2, angular_velocities: Floats2, j: int
) -> bool:
    """Return whether joint j has friction laws; those that are new note the rate at the given velocities."""
    found = False
    for m in range(joints.row_start[j], joints.row_start[j + 1]):
        if joints.active[m] and joints.role[m] == LAW:
            found = True
            if joints.slid[m] < 0.0:
                joints.slid[m] = abs(_rate(joints, frames, j, m, velocities, angular_velocities))
    return found


@kernel
def look_at_joint_laws(
    joints: JointArrays,
    frames: JointFrames,
    rows: Rows,
    laws: FrictionLaws,
    velocities: Floats2,
    angular_velocities: Floats2,
    applied: Bools,
    h: float,
    island: int,
    close: tuple[float, float],
) -> float:
    """Set the rows of friction laws on joints; see `look_at_contact_laws`.

    Args:
        joints, frames, rows, laws: of the system.
        velocities, angular_velocities: of the bodies (n, 3): in the mean over the step, or at its end.
        applied: (rows,) whether these are those after the impulses of the rows.
        h: length of the step [s].
        island: whose joints are looked at.
        close: velocity [m/s or rad/s], and share of it, by which friction may be off.

    Returns:
        By how much [m/s or rad/s] friction of the last solve was not what the laws say, 0: close enough;
        LOOSE before one.
    """
    worst, load = 0.0, 0.5 * abs(h)
    for j in range(len(frames.first_row)):
        r = frames.first_row[j] - 1
        if r < -1 or frames.island[j] != island:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not joints.active[m]:
                continue
            r += 1
            if joints.role[m] != LAW:
                continue
            rows.bias[r] = _rate(joints, frames, j, m, velocities, angular_velocities)
            law = joints.law[m]
            if laws.memory[law] == SET_VALUED:
                off = _set_bounds(joints, frames, rows, laws, m, law, r, applied[r], load, close)
            else:
                off = _set_row(joints, frames, rows, laws, m, law, r, applied[r], load, close)
            worst = max(worst, off)
    return worst


@inner
def _set_bounds(joints, frames, rows, laws, m, law, r, applied, load, close):
    """Bound a row that sticks; return by how much its bound was not what its law says, as a velocity."""
    n, v, p, own = laws.numbers[law], rows.bias[r], rows.impulse[r], rows.inverse_effective_mass[r]
    response = own * stretch_of(frames.seen[m], v, 0.0, own * p, 0.0, applied)
    viscous, changed, most = n[VISCOUS], 0.0, rows.upper[r]
    if not applied:
        # as fast as it was; the next look knows better
        found = dry(laws, law, joints.slid[m])
        found += viscous * max((abs(v) - own * load * found) / (1.0 + own * load * viscous), 0.0)
        most, changed = load * found, LOOSE
        rows.impulse[r] = min(max(p, -most), most)
    elif abs(v) > SLIPS and abs(p) >= AT_EDGE * most and abs(v - response * p) > response * most:
        speed = slip_speed(laws, law, response * load, abs(v - response * p))
        most = load * (dry(laws, law, speed) + viscous * speed)
        changed = beyond(abs(most - rows.upper[r]) * response, speed, close)
        if abs(p) > most:
            rows.state[r] = FRESH
    rows.lower[r], rows.upper[r] = -most, most
    rows.softness[r] = 0.0
    return changed


@inner
def _set_row(joints, frames, rows, laws, m, law, r, applied, load, close):
    """Set a row that does not stick; return by how much it was not what its law says."""
    dt, v, p, z = load, rows.bias[r], rows.impulse[r], joints.bent[m]
    own = rows.inverse_effective_mass[r]
    response = own * stretch_of(frames.seen[m], v, 0.0, own * p, 0.0, applied)
    off = LOOSE
    a = b = now = 0.0
    if applied:
        now = abs(v)
        a, b, _, _ = terms(laws, law, now, dt)
        off = abs(p + load * (a * z + b * v)) * response / (1.0 + response * load * b)
        off = beyond(off, now, close)
    if off > 0.0:
        if applied:
            v -= response * p
        speed = end_speed(laws, law, dt, response * load, 0.0, v, 0.0, z, 0.0, joints.slid[m], now)
        a, b, _, _ = terms(laws, law, speed, dt)
        v = (v - response * load * a * z) / (1.0 + response * load * b)
    yield_row(rows, r, -load * (a * z + b * v), v, load * b)
    rows.lower[r], rows.upper[r] = -UNBOUNDED, UNBOUNDED
    return off


@kernel
def finish_joint_laws(
    joints: JointArrays,
    frames: JointFrames,
    rows: Rows,
    laws: FrictionLaws,
    velocities: Floats2,
    angular_velocities: Floats2,
    h: float,
    ends: bool,
) -> None:
    """Bring what friction laws on joints remember on by half a step; see `finish_contact_laws`."""
    for j in range(len(frames.first_row)):
        if frames.first_row[j] < 0:
            continue
        r = frames.first_row[j] - 1
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not joints.active[m]:
                continue
            r += 1
            if joints.role[m] != LAW:
                continue
            v, law = _rate(joints, frames, j, m, velocities, angular_velocities), joints.law[m]
            if laws.memory[law] == SET_VALUED:
                held = abs(rows.impulse[r]) < AT_EDGE * rows.upper[r]
                joints.slid[m] = 0.0 if held else abs(v)
            else:
                _, _, alpha, beta = terms(laws, law, abs(v), 0.5 * abs(h))
                joints.bent[m] = alpha * joints.bent[m] + beta * v
                if ends:
                    joints.slid[m] = abs(v)

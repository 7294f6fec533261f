"""How far a step has gone beyond the stops of joints, and when it has met them."""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats2
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays, OldBodies
from stoss.engine.bodies.energy import kinetic_energy
from stoss.engine.joints.arrays import CONE, DRIVE, LENGTH, LIMIT, ROTOR, SUM, JointArrays
from stoss.engine.joints.leading import led_way
from stoss.engine.joints.measures import counts_turns, measure, relative_rate, turned
from stoss.engine.joints.placement import JointFrames, place_parts
from stoss.engine.joints.roles import nearer_stop
from stoss.engine.joints.stop_curve_measures import curve_measure

__all__ = ["first_stop", "leave_out_displacement", "note_start", "stops_passed"]


# Multiples of the energy of the motion that may bend a soft stop in one sub-step, as loads act as well; more
# is brought back to where that energy bends it.
BENDING = 2.0


@inner
def note_start(joints, frames, old):
    """Note measures, and rates of stops and rotors, with which a step starts, from the velocities `old`."""
    for m in range(len(joints.value)):
        frames.start[m] = joints.value[m]
        if joints.role[m] == LIMIT or joints.role[m] == ROTOR:
            j = joints.joint[joints.part[m]]
            a, b = joints.bodies[j, 0], joints.bodies[j, 1]
            frames.start_rate[m] = relative_rate(
                joints.measure[m] <= LENGTH, m, a, b, frames, old.velocities, old.angular_velocities
            )


@kernel
def leave_out_displacement(
    joints: JointArrays,
    frames: JointFrames,
    bodies: BodyArrays,
    displaced: Bools,
    positions: Floats2,
    quaternions: Floats2,
) -> None:
    """Let drives start from where their motion alone would have brought them to where they are.

    What bodies were displaced by is no motion: a damper is not to answer it. Coupled measures are left.

    Args:
        joints, frames, bodies: after the displacement.
        displaced: (islands,) which were.
        positions, quaternions: (n, 3) and (n, 4) of the bodies before.
    """
    for sign in (-1.0, 1.0):
        if sign < 0.0:
            place_parts(joints, positions, quaternions, frames.places)
        else:
            place_parts(joints, bodies.positions, bodies.quaternions, frames.places)
        for j in range(len(frames.first_row)):
            if frames.first_row[j] < 0 or not displaced[frames.island[j]]:
                continue
            for m in range(joints.row_start[j], joints.row_start[j + 1]):
                if not joints.active[m] or joints.role[m] != DRIVE or joints.measure[m] >= SUM:
                    continue
                kind, axis, p = joints.measure[m], joints.axis[m], joints.part[m]
                frames.start[m] += sign * measure(kind, axis, p, frames.places, joints.value[m])


@inner
def _value_now(joints, frames, bodies, j, m, h):
    """Return the measure of row m of joint j after a motion of length h, whose frames are placed."""
    kind, old = joints.measure[m], joints.value[m]
    if counts_turns(kind):
        a, b = joints.bodies[j, 0], joints.bodies[j, 1]
        old += turned(kind, joints.part[m], frames.places, a, b, bodies.angular_velocities, h)
    if kind >= CONE:
        return curve_measure(joints, frames.places, m, joints.piece[m], old)[0]
    return measure(kind, joints.axis[m], joints.part[m], frames.places, old)


@inner
def _energy_of_motion(bodies, old):
    """Return the kinetic energy of all bodies, now or before, whichever is more [J]."""
    energy = before = 0.0
    for i in range(len(bodies.kinds)):
        if bodies.kinds[i] == DYNAMIC:
            v, w = bodies.velocities[i], bodies.angular_velocities[i]
            energy += kinetic_energy(bodies, i, bodies.quaternions[i], v, w)
            v, w = old.velocities[i], old.angular_velocities[i]
            before += kinetic_energy(bodies, i, old.quaternions[i], v, w)
    return max(energy, before)


@kernel
def stops_passed(
    joints: JointArrays,
    frames: JointFrames,
    bodies: BodyArrays,
    old: OldBodies,
    h: float,
    tolerance: float,
    speed: float,
    passed: Bools,
) -> bool:
    """Note how far beyond rigid stops joints are after a motion of length h [s] and stay (`frames.beyond`).

    What passes a stop within the motion is an impact and comes back by itself; so does what is on its way
    back faster than `speed` [m/s or rad/s]. A soft stop is passed where it is bent farther than all motion
    there is could bend it: a step that goes deep into it at once would store energy that nothing had.

    Args:
        joints, frames: with the values and directions of the start of the motion.
        bodies, old: at its end, and before its impulses.
        h: its length [s].
        tolerance: [m or rad] up to which a stop is not passed.
        passed: (islands,) set where a stop is.

    Returns:
        Whether any is.
    """
    place_parts(joints, bodies.positions, bodies.quaternions, frames.places)
    found = False
    energy = -1.0
    for j in range(len(frames.first_row)):
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            frames.beyond[m] = 0.0
            if frames.first_row[j] < 0 or joints.role[m] != LIMIT or not joints.active[m]:
                continue
            value = _value_now(joints, frames, bodies, j, m, h)
            side = nearer_stop(value, joints.led[m, 0], joints.led[m, 1])
            end = 1 if side > 0 else 0
            off = value - joints.led[m, end]
            if joints.stiffness[m] < np.inf:
                if side * off <= tolerance or joints.stiffness[m] == 0.0:
                    continue
                if energy < 0.0:
                    energy = _energy_of_motion(bodies, old)
                start = nearer_stop(frames.start[m], joints.led[m, 0], joints.led[m, 1])
                bent = start * (frames.start[m] - joints.led[m, 1 if start > 0 else 0])
                square = max(bent, 0.0) ** 2
                most = np.sqrt(square + 2.0 * energy / joints.stiffness[m])
                if side * off > np.sqrt(square + BENDING * 2.0 * energy / joints.stiffness[m]) + tolerance:
                    frames.beyond[m] = side * off - most
                    passed[frames.island[j]] = True
                    found = True
                continue
            moved = led_way(joints, m, end, -h)
            before = frames.start[m] - joints.led[m, end] - moved
            back = side * (frames.start[m] - value - moved)
            if side * before <= tolerance or back > speed * abs(h):
                continue
            frames.beyond[m] = max(side * off, 0.0)
            if frames.beyond[m] > tolerance:
                passed[frames.island[j]] = True
                found = True
    return found


@kernel
def first_stop(
    joints: JointArrays, frames: JointFrames, bodies: BodyArrays, old: OldBodies, h: float, tolerance: float
) -> tuple[float, float, bool]:
    """Find when in the sub-step of length h that was made a rigid stop was first met.

    As `time_of_impact.first_contact`, by the parabola through the values at both ends with the rate at the
    last one; the search repeats the sub-step, so that its error goes away.
    """
    earliest, next_one, meets = h, np.inf, False
    place_parts(joints, bodies.positions, bodies.quaternions, frames.places)
    for j in range(len(frames.first_row)):
        if frames.first_row[j] < 0:
            continue
        a, b = joints.bodies[j, 0], joints.bodies[j, 1]
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.role[m] != LIMIT or not joints.active[m] or joints.stiffness[m] < np.inf:
                continue
            value = _value_now(joints, frames, bodies, j, m, h)
            side = nearer_stop(value, joints.led[m, 0], joints.led[m, 1])
            end = 1 if side > 0 else 0
            rate = relative_rate(
                joints.measure[m] <= LENGTH, m, a, b, frames, bodies.velocities, bodies.angular_velocities
            )
            speed = side * (rate - joints.led_rate[m, end])
            gap = -side * (value - joints.led[m, end])
            gap_0 = -side * (frames.start[m] - joints.led[m, end] - led_way(joints, m, end, -h))
            if side == 0 or gap_0 <= tolerance:
                continue
            if gap > tolerance:
                if speed > 0.0:
                    next_one = min(next_one, h + gap / speed)
                continue
            if gap >= -tolerance:
                meets = meets or speed > 0.0
                continue
            # gap(t) = gap - speed (t - h) + bend (t - h)^2, with gap(0) = gap_0; backwards by s = h - t
            bend = (gap_0 - gap - speed * h) / (h * h)
            root = np.sqrt(max(speed * speed - 4.0 * bend * gap, 0.0))
            back = -2.0 * gap / (speed + root) if speed + root > 0.0 else 0.5 * h
            earliest = min(earliest, h - min(max(back, 0.0), h))
    return earliest, next_one, meets

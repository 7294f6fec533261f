"""Rows of joints that store energy, or only take it: what each of them has stored, and what it took."""

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.joints.arrays import DRIVE, HOLD, LIMIT
from stoss.engine.joints.leading import RATE, VALUE, is_moved
from stoss.engine.joints.roles import nearer_stop

__all__ = ["book_elastic", "clear_rows", "elastic_energy", "find_taken", "is_elastic", "own_rate"]


@inner
def is_elastic(joints, m):
    """Return whether row m only stores energy, or takes it, in the motion relative to its own rate.

    Soft stops that do not move, springs, dampers and dry friction, servos whose set point rests, and motors
    of constant rate, which brake what is faster than they are.
    """
    if joints.role[m] == LIMIT:
        return joints.stiffness[m] < np.inf and not is_moved(joints, m, 0) and not is_moved(joints, m, 1)
    if joints.role[m] != DRIVE or is_moved(joints, m, RATE):
        return False
    return joints.stiffness[m] == 0.0 or (joints.led[m, RATE] == 0.0 and not is_moved(joints, m, VALUE))


@inner
def own_rate(joints, m):
    """Return the rate at which a row that `is_elastic` does no work: that of a motor, else 0."""
    return joints.led[m, RATE] if joints.role[m] == DRIVE else 0.0


@inner
def elastic_energy(joints, m, value):
    """Return the energy [J] that a row which `is_elastic` stores at a value of its measure.

    Beyond its largest force a spring goes on with that.
    """
    k = joints.stiffness[m]
    if joints.role[m] == LIMIT:
        side = nearer_stop(value, joints.led[m, 0], joints.led[m, 1])
        deep = max(side * (value - joints.led[m, 1 if side > 0 else 0]), 0.0)
        return 0.5 * k * deep * deep
    if k == 0.0:
        return 0.0
    bent = abs(value - joints.target[m])
    elastic = min(bent, joints.max_force[m] / k)
    return k * elastic * (bent - 0.5 * elastic)


@inner
def _reacting(s, j):
    """Return the body of joint j that reacts and is booked the work of its rows, -1 if none does."""
    i = -1
    for half in range(2):
        if s.joints.bodies[j, half] >= 0 and s.bodies.kinds[s.joints.bodies[j, half]] == DYNAMIC:
            i = max(i, s.joints.bodies[j, half])
    return i


@inner
def book_elastic(s, sign):
    """Enter what soft stops and springs store now in `work.elastic`: negative at the start of a sub-step.

    It is then what they gave, less what they had to give, and so no more than zero; at the end of the
    sub-step (`sign` 1) what they have left is added.
    """
    joints = s.joints
    for j in range(len(s.joint_frames.first_row)):
        if s.joint_frames.first_row[j] < 0:
            continue
        i = _reacting(s, j)
        if i < 0:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.active[m] and is_elastic(joints, m):
                energy = sign * elastic_energy(joints, m, joints.value[m])
                s.work.elastic[i] += energy
                s.joint_frames.kept[m] += energy


@inner
def clear_rows(s):
    """Begin a sub-step, in which no row has done anything."""
    for m in range(len(s.joint_frames.work)):
        s.joint_frames.work[m] = s.joint_frames.kept[m] = 0.0


@inner
def find_taken(s):
    """Set `work.taken` to what drives took from bodies in this sub-step, negative, less what they gave.

    A drive that stores what it takes, or gets nothing, has taken nothing: it took what neither the bodies
    nor it have at the end, and no more than its own work.
    """
    joints, frames = s.joints, s.joint_frames
    for i in range(len(s.bodies.kinds)):
        s.work.taken[i] = 0.0
    for j in range(len(frames.first_row)):
        i = _reacting(s, j) if frames.first_row[j] >= 0 else -1
        if i < 0:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.active[m] and joints.role[m] != HOLD and joints.role[m] != LIMIT:
                own = frames.work[m]
                s.work.taken[i] += own if own > 0.0 else max(own, min(own + frames.kept[m], 0.0))

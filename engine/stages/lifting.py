"""Islands that will be lifted by the end of a sub-step without anything that works for it."""

import numpy as np

from stoss.collision.algebra import dot, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import KINEMATIC
from stoss.engine.constraints.rows import plus_velocity
from stoss.engine.joints.arrays import HOLD, LIMIT
from stoss.engine.joints.leading import is_moved
from stoss.engine.laws.contact_functions import RIGID

__all__ = ["lifting"]


@inner
def lifting(s, island, h, means, tolerance):
    """Return whether an island will be lifted beyond its means and beyond the work of its drives.

    What closes joints and contacts that contradict each other lifts bodies within the sub-step, and at its
    end there is no motion left that this could be taken from. Gravity and loads take what is lifted; what
    drives give now they give once more at the end. What moves as it is told, and contacts that give way and
    store what they take, may lift by any amount.

    Args:
        s: system, its bodies as they leave the start of the sub-step.
        island: with joints.
        h: length of the sub-step [s].
        means: energy [J] of the motion that the island had, less what it owes.
        tolerance: way [m] by which each body may always be lifted.
    """
    lift, least = _taken_by_loads(s, island, h, tolerance)
    means = max(means, least)
    if lift <= means or _is_carried(s, island):
        return False
    _find_momenta_on_the_way(s, island, h)
    return lift > means + max(_work_of_drives(s, island), 0.0)


@inner
def _taken_by_loads(s, island, h, tolerance):
    """Return the work [J] that gravity and loads take from an island in h [s], and on a way that is short."""
    bodies, accelerations, taken, least = s.bodies, s.scratch.accelerations, 0.0, 0.0
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        a, v, w, t = accelerations[i], bodies.velocities[i], bodies.angular_velocities[i], bodies.torques[i]
        size = dot(a[0], a[1], a[2], a[0], a[1], a[2])
        fall = dot(a[0], a[1], a[2], v[0], v[1], v[2]) + 0.5 * h * size
        turn = dot(t[0], t[1], t[2], w[0], w[1], w[2]) + 0.5 * h * dot(t[0], t[1], t[2], a[3], a[4], a[5])
        taken -= h * (bodies.masses[i] * fall + turn)
        least += bodies.masses[i] * np.sqrt(size) * tolerance
    return taken, least


@inner
def _is_carried(s, island):
    """Return whether an island touches or hangs on what is moved, touches by a law, or has moved stops."""
    contacts, joints, frames, kinds = s.contacts, s.joints, s.joint_frames, s.bodies.kinds
    for k in range(s.layout.contact_start[island], s.layout.contact_start[island + 1]):
        c = s.layout.contacts[k]
        told = kinds[contacts.body_a[c]] == KINEMATIC or kinds[contacts.body_b[c]] == KINEMATIC
        if told or s.frames.conveys[k] != 0 or s.frames.contact_law[k] != RIGID:
            return True
    for j in range(len(frames.first_row)):
        if frames.first_row[j] < 0 or frames.island[j] != island:
            continue
        for half in range(2):
            if joints.bodies[j, half] >= 0 and kinds[joints.bodies[j, half]] == KINEMATIC:
                return True
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.role[m] == LIMIT and (is_moved(joints, m, 0) or is_moved(joints, m, 1)):
                return True
    return False


@inner
def _find_momenta_on_the_way(s, island, h):
    """Fill `scratch.momenta` with M^(1/2) times the velocities half-way through the sub-step."""
    bodies, accelerations, out = s.bodies, s.scratch.accelerations, s.scratch.momenta
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        a, v, w, q = (
            accelerations[i],
            bodies.velocities[i],
            bodies.angular_velocities[i],
            bodies.quaternions[i],
        )
        roots = bodies.sqrt_inverse_inertias[i]
        for k in range(3):
            out[i, k] = (v[k] + 0.5 * h * a[k]) / bodies.sqrt_inverse_masses[i]
        x, y, z = rotate_inverse(q, w[0] + 0.5 * h * a[3], w[1] + 0.5 * h * a[4], w[2] + 0.5 * h * a[5])
        out[i, 3], out[i, 4], out[i, 5] = rotate(q, x / roots[0], y / roots[1], z / roots[2])


@inner
def _work_of_drives(s, island):
    """Return the work [J] that drives and soft stops of an island do in the sub-step, at both its ends."""
    joints, frames, rows, work = s.joints, s.joint_frames, s.rows, 0.0
    for j in range(len(frames.first_row)):
        r = frames.first_row[j] - 1
        if r < -1 or frames.island[j] != island:
            continue
        block = s.layout.joint_block[j]
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not joints.active[m]:
                continue
            r += 1
            rigid = joints.role[m] == HOLD or (joints.role[m] == LIMIT and joints.stiffness[m] == np.inf)
            if not rigid and rows.impulse[r] != 0.0:
                rate = plus_velocity(0.0, rows.jacobian, r, a, b, s.scratch.momenta)
                work += 2.0 * rows.impulse[r] * rate
    return work

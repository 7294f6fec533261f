"""Motors without a greatest force in a jam: of rows that contradict each other they are the ones to yield.

A motor that may press without bound takes a jam of links, stops and contacts to where its rows fit together
in the last digits alone, along a direction in which bodies have next to no way: then it gives thousands of
times what all of them have at the speeds it asks for. No motor does: such an island is solved again, with
motors that press no harder than it takes to bring all of it to these speeds and to bear its loads.
"""

import numpy as np

from stoss.collision.algebra import dot
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.bodies.energy import kinetic_energy
from stoss.engine.joints.arrays import DRIVE, HOLD, LENGTH, LIMIT
from stoss.engine.stages.elastic_rows import own_rate

__all__ = ["outruns", "yield_drives"]

# Multiples of the energy that an island has at the speeds that its motors ask for, and of what moves and
# loads it, that these may give in a sub-step where it touches anything or is at a stop.
OUTRUN = 30.0
# Multiples of the impulse that brings all of it to these speeds up to which a motor that yields may press.
LEVERAGE = 4.0


@inner
def _is_unbounded(joints, m):
    """Return whether row m is a motor that may press without bound."""
    if not joints.active[m] or joints.role[m] != DRIVE or joints.damping[m] != np.inf:
        return False
    return joints.max_force[m] == np.inf


@inner
def _inertia(s, island, j, m):
    """Return what an island has of inertia [kg or kg m^2] in the coordinate of row m of joint j."""
    bodies, linear, inertia = s.bodies, s.joints.measure[m] <= LENGTH, 0.0
    a, b = s.joints.bodies[j, 0], s.joints.bodies[j, 1]
    place = bodies.positions[b if b >= 0 and bodies.kinds[b] == DYNAMIC else a]
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        if linear:
            inertia += bodies.masses[i]
            continue
        p, own = bodies.positions[i], bodies.inertias[i]
        x, y, z = p[0] - place[0], p[1] - place[1], p[2] - place[2]
        inertia += bodies.masses[i] * dot(x, y, z, x, y, z) + max(own[0], max(own[1], own[2]))
    return inertia


@inner
def _energy_asked_for(s, island, h):
    """Return the energy [J] of an island by which its motors are measured.

    That of its motion at the start of the sub-step, at the speeds that motors without bound ask for, and of
    what its loads and its other drives would move within h [s]. And what these motors have given.
    """
    bodies, joints, rows, old, energy, given = s.bodies, s.joints, s.rows, s.old, 0.0, 0.0
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        a, own = s.scratch.accelerations[i], bodies.inertias[i]
        largest = max(own[0], max(own[1], own[2]))
        energy += kinetic_energy(bodies, i, old.quaternions[i], old.velocities[i], old.angular_velocities[i])
        energy += 0.5 * h * h * bodies.masses[i] * dot(a[0], a[1], a[2], a[0], a[1], a[2])
        energy += 0.5 * h * h * largest * dot(a[3], a[4], a[5], a[3], a[4], a[5])
    for j in range(len(s.joint_frames.first_row)):
        r = s.joint_frames.first_row[j] - 1
        if r < -1 or s.joint_frames.island[j] != island:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not joints.active[m]:
                continue
            r += 1
            if _is_unbounded(joints, m):
                rate = own_rate(joints, m)
                energy += 0.5 * _inertia(s, island, j, m) * rate * rate
                given += s.joint_frames.work[m]
            elif joints.role[m] != HOLD and not (joints.role[m] == LIMIT and joints.stiffness[m] == np.inf):
                energy += 0.5 * rows.inverse_effective_mass[r] * rows.impulse[r] * rows.impulse[r]
    return energy, given


@inner
def _presses(s, island):
    """Return whether an island presses on anything: a contact, or a rigid stop."""
    rows = s.rows
    for block in range(s.islands.block_start[island], s.islands.block_start[island + 1]):
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.impulse[r] != 0.0 and (rows.lower[r] == 0.0 or rows.upper[r] == 0.0):
                return True
    return False


@inner
def outruns(s, island, h):
    """Return whether motors without bound gave an island that presses on something more than any would.

    h: length of the sub-step [s].
    """
    if not s.has_joints[island]:
        return False
    active = 0.0
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        active = max(active, s.work.active[s.islands.bodies[at]])
    if active <= 0.0 or not _presses(s, island):
        return False
    energy, given = _energy_asked_for(s, island, h)
    return given > OUTRUN * energy


@inner
def yield_drives(s, h, islands):
    """Bound motors of some islands that have no bounds, by what it takes to move and bear all of an island.

    To be called after their rows are set. h: length of the sub-step [s].
    """
    joints, rows = s.joints, s.rows
    for island in range(len(islands)):
        if not (islands[island] and s.has_joints[island]):
            continue
        energy = -1.0  # not known yet
        for j in range(len(s.joint_frames.first_row)):
            r = s.joint_frames.first_row[j] - 1
            if r < -1 or s.joint_frames.island[j] != island:
                continue
            for m in range(joints.row_start[j], joints.row_start[j + 1]):
                if not joints.active[m]:
                    continue
                r += 1
                if _is_unbounded(joints, m):
                    if energy < 0.0:
                        energy, _ = _energy_asked_for(s, island, h)
                    most = LEVERAGE * np.sqrt(2.0 * energy * _inertia(s, island, j, m))
                    rows.lower[r], rows.upper[r] = -most, most

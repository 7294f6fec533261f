"""Displacement lifts bodies: who pays for it, and who need not."""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Floats2
from stoss.engine.bodies.energy import kinetic_energy
from stoss.engine.joints.arrays import LIMIT
from stoss.engine.joints.roles import nearer_stop
from stoss.engine.joints.state import find_joint_errors
from stoss.engine.stages.elastic_rows import elastic_energy
from stoss.engine.stages.energy_account import FALL_OF_DEBTORS
from stoss.engine.stages.state import System

__all__ = ["charge_lift", "charge_lift_of_loose", "find_placed", "note_placed"]


@inner
def _is_placed(s, island):
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        if s.bodies.placed[s.islands.bodies[at]]:
            return True
    return False


@inner
def _find_driven(s, out):
    """Set out (islands,) where stops move: a rope that is reeled in lifts what hangs on it."""
    joints = s.joints
    for j in range(len(s.joint_frames.first_row)):
        if s.joint_frames.first_row[j] < 0:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.role[m] == LIMIT and (joints.stop_rate[m, 0] != 0.0 or joints.stop_rate[m, 1] != 0.0):
                out[s.joint_frames.island[j]] = True


@inner
def _find_released(s, out):
    """Add to out (islands,) what soft stops store less, bent back as far as motion can bend them."""
    joints, frames = s.joints, s.joint_frames
    for j in range(len(frames.first_row)):
        if frames.first_row[j] < 0:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            soft = joints.role[m] == LIMIT and joints.active[m] and joints.stiffness[m] < np.inf
            if soft and frames.beyond[m] > 0.0:
                side = nearer_stop(joints.value[m], joints.stop[m, 0], joints.stop[m, 1])
                before = elastic_energy(joints, m, joints.value[m])
                after = elastic_energy(joints, m, joints.value[m] - side * frames.beyond[m])
                out[frames.island[j]] += before - after


@inner
def _lift(s, island, positions, gravity):
    """Return by how much displacement from some positions (n, 3) has lifted an island [J]."""
    bodies, lift = s.bodies, 0.0
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        for k in range(3):
            lift -= bodies.masses[i] * gravity[k] * (bodies.positions[i, k] - positions[i, k])
    return lift


@inner
def _bounces(s, island):
    """Return whether any body that an island touches is elastic."""
    for at in range(s.layout.contact_start[island], s.layout.contact_start[island + 1]):
        c = s.layout.contacts[at]
        a, b = s.contacts.body_a[c], s.contacts.body_b[c]
        if s.bodies.restitution[a] > 0.0 or s.bodies.restitution[b] > 0.0:
            return True
    return False


@inner
def charge_lift_of_loose(s, positions, gravity):
    """Enter what the displacement of islands without joints added to their potential energy in their gains.

    Impacts pay for most of it at once (`meet`); what is lifted as it leaves, or turns far in a step, is paid
    for by motion. Where nothing bounces, landing has taken more than that. Nobody pays for bodies that users
    have put into each other.
    """
    for island in range(len(s.has_joints)):
        if s.has_joints[island] or not s.work.displaced[island] or _is_placed(s, island):
            continue
        if _bounces(s, island):
            body = s.islands.bodies[s.islands.body_start[island]]
            s.work.gain[body] += _lift(s, island, positions, gravity)


@kernel(allocates=True)
def charge_lift(
    s: System,
    positions: Floats2,
    quaternions: Floats2,
    gaps: Floats,
    points_a: Floats2,
    points_b: Floats2,
    gravity: Floats,
    h: float,
) -> None:
    """Enter what the displacement of islands with joints added to their potential energy in what they gained.

    Bodies that fall while a joint is closed, or while links are pushed apart, would else be lifted for
    nothing in every step, and gain speed without end. The certificate has them pay for it at the end of this
    sub-step or later; so they are lifted no farther than their motion can pay for. Those that users have put
    into each other, or with open joints, pay what they can, and are lifted at any price; what stops lift that
    move is the work of these.

    Args:
        s: system, its bodies and contacts displaced.
        positions, quaternions, gaps, points_a, points_b: of bodies and contacts before that.
        gravity: [m/s^2].
        h: length of the sub-step [s].
    """
    bodies, islands, layout, contacts = s.bodies, s.islands, s.layout, s.contacts
    driven, released = np.zeros(len(s.has_joints), np.bool_), np.zeros(len(s.has_joints))
    _find_driven(s, driven)
    _find_released(s, released)
    free = gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]
    for island in range(len(s.has_joints)):
        if not s.has_joints[island] or not s.work.displaced[island] or driven[island]:
            continue
        first, last = islands.body_start[island], islands.body_start[island + 1]
        lift, means = _lift(s, island, positions, gravity), released[island]
        for at in range(first, last):
            i = islands.bodies[at]
            v, w = bodies.velocities[i], bodies.angular_velocities[i]
            means += kinetic_energy(bodies, i, bodies.quaternions[i], v, w)
            means += FALL_OF_DEBTORS * 0.5 * bodies.masses[i] * free * h * h
            means -= bodies.debts[i] + s.work.gain[i]
        means = max(means, 0.0)
        if lift > means and _is_placed(s, island):
            lift = means
        elif lift > means:
            share = means / lift
            lift = means
            for at in range(first, last):
                i = islands.bodies[at]
                size = 0.0
                for k in range(3):
                    p = positions[i, k]
                    bodies.positions[i, k] = p + share * (bodies.positions[i, k] - p)
                for k in range(4):
                    q = quaternions[i, k]
                    bodies.quaternions[i, k] = q + share * (bodies.quaternions[i, k] - q)
                    size += bodies.quaternions[i, k] * bodies.quaternions[i, k]
                for k in range(4):
                    bodies.quaternions[i, k] /= np.sqrt(size)
            for at in range(layout.contact_start[island], layout.contact_start[island + 1]):
                c = layout.contacts[at]
                contacts.gap[c] = gaps[c] + share * (contacts.gap[c] - gaps[c])
                for k in range(3):
                    a, b = points_a[c, k], points_b[c, k]
                    contacts.point_a[c, k] = a + share * (contacts.point_a[c, k] - a)
                    contacts.point_b[c, k] = b + share * (contacts.point_b[c, k] - b)
        s.work.gain[islands.bodies[first]] += max(lift, 0.0)


@kernel(allocates=True)
def find_placed(s: System, slop: float, tolerance: float) -> None:
    """Note which bodies were put into each other by more than `slop` [m], or open by more than `tolerance`.

    Called where users have moved something, with contacts, rows and joints of the present poses.
    """
    errors = np.zeros(len(s.has_joints))
    find_joint_errors(s.joints, s.joint_frames, s.bodies, errors)
    for island in range(len(s.has_joints)):
        if _is_open(s, island, slop) or errors[island] > tolerance:
            for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
                s.bodies.placed[s.islands.bodies[at]] = True


@inner
def note_placed(s, slop, tolerance, errors):
    """Forget which bodies were put into each other where they are so no longer; see `find_placed`.

    Those on joints are so together, as long as any of their island is. errors (islands,) is memory.
    """
    any_placed = False
    for i in range(len(s.bodies.kinds)):
        any_placed = any_placed or s.bodies.placed[i]
    if not any_placed:
        return
    overlaps = s.work.hits
    for i in range(len(s.bodies.kinds)):
        overlaps[i] = 0
    for c in range(len(s.touching)):
        if s.contacts.gap[c] < -slop:
            overlaps[s.contacts.body_a[c]] = overlaps[s.contacts.body_b[c]] = 1
    for island in range(len(s.has_joints)):
        errors[island] = 0.0
    find_joint_errors(s.joints, s.joint_frames, s.bodies, errors)
    for island in range(len(s.has_joints)):
        if s.has_joints[island] and (_is_open(s, island, slop) or errors[island] > tolerance):
            for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
                overlaps[s.islands.bodies[at]] = 1
    for i in range(len(s.bodies.kinds)):
        s.bodies.placed[i] = s.bodies.placed[i] and overlaps[i] == 1


@inner
def _is_open(s, island, slop):
    """Return whether bodies of an island overlap by more than `slop` [m]."""
    for at in range(s.layout.contact_start[island], s.layout.contact_start[island + 1]):
        if s.contacts.gap[s.layout.contacts[at]] < -slop:
            return True
    return False

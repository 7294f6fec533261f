"""Displacement lifts bodies: who pays for it, and who need not."""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.engine.joints.arrays import LIMIT
from stoss.engine.joints.leading import is_moved
from stoss.engine.joints.state import errors_at_start, find_joint_errors
from stoss.engine.stages.energy_account import LIFTED, motion_of
from stoss.engine.stages.slowing import energy_and_turning, rigid_motion_of_free
from stoss.engine.stages.state import System

__all__ = [
    "AJAR",
    "charge_lift",
    "charge_lift_of_loose",
    "find_driven",
    "find_placed",
    "is_placed",
    "is_unheld",
    "lift_of",
    "means_of",
    "note_placed",
]
AJAR = 1000.0  # position tolerances from which on joints count as put open
CLOSED = 100.0  # the same below which they are closed again, where contacts may contradict them


@inner
def is_placed(s, island):
    """Return whether users have put any body of an island into another one, or with open joints."""
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        if s.bodies.placed[s.islands.bodies[at]]:
            return True
    return False


@inner
def is_unheld(s, island):
    """Return whether any body of an island was held by nothing in this sub-step."""
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        if s.work.unheld[s.islands.bodies[at]]:
            return True
    return False


@inner
def find_driven(s, out):
    """Set out (islands,) to whether their stops move: a rope that is reeled in lifts what hangs on it."""
    joints, frames = s.joints, s.joint_frames
    for island in range(len(s.has_joints)):
        out[island] = False
    for j in range(len(frames.first_row)):
        if frames.first_row[j] < 0:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.role[m] == LIMIT and (is_moved(joints, m, 0) or is_moved(joints, m, 1)):
                out[frames.island[j]] = True


@inner
def lift_of(s, island, positions, gravity):
    """Return by how much displacement from some positions (n, 3) has lifted an island [J]."""
    bodies, lift = s.bodies, 0.0
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        for k in range(3):
            lift -= bodies.masses[i] * gravity[k] * (bodies.positions[i, k] - positions[i, k])
    return lift


@inner
def means_of(s, island, free, gravity, h):
    """Return the energy [J] that an island may be lifted by in a sub-step of length h [s].

    That of its motion (about its motion as one rigid body, if it is `free` of all outside), less what it
    owes, and a share of free fall.
    """
    bodies, means = s.bodies, 0.0
    if free:
        means, _ = energy_and_turning(s, island, rigid_motion_of_free(s, island))
    else:
        means = motion_of(s, island, bodies)
    fall = gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        means += LIFTED * 0.5 * bodies.masses[i] * fall * h * h
        means -= bodies.debts[i] + s.work.gain[i]
    return means


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
        if s.has_joints[island] or not s.work.displaced[island] or is_placed(s, island):
            continue
        if _bounces(s, island):
            body = s.islands.bodies[s.islands.body_start[island]]
            s.work.gain[body] += lift_of(s, island, positions, gravity)


@inner
def charge_lift(s, positions, motion, driven, gravity, h):
    """Enter what the displacement of islands with joints added to their energy in what they gained.

    Bodies that fall while a joint is closed, or while links are pushed apart, would else be lifted for
    nothing in every step, and gain speed without end. The certificate has them pay for it at the end of this
    sub-step or later; so they are lifted no farther than their motion can pay for (`unpaid`). Those that
    users have put into each other, or with open joints, pay what they can, and are lifted at any price; what
    stops lift that move is the work of these.

    Args:
        s: system, its bodies displaced.
        positions: (n, 3) of bodies before that [m].
        motion: (islands,) energy of their motion before that [J]; what turns closer together has more.
        driven: (islands,) of which stops move.
        gravity: [m/s^2].
        h: length of the sub-step [s].
    """
    for island in range(len(s.has_joints)):
        if not s.has_joints[island] or not s.work.displaced[island] or driven[island]:
            continue
        lift = lift_of(s, island, positions, gravity)
        if is_placed(s, island):
            lift = min(lift, max(means_of(s, island, False, gravity, h), 0.0))
        faster = motion_of(s, island, s.bodies) - motion[island]
        s.work.gain[s.islands.bodies[s.islands.body_start[island]]] += max(lift, 0.0) + max(faster, 0.0)


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
def note_placed(s, slop, tolerance, errors, started):
    """Forget which bodies were put into each other where they are so no longer; see `find_placed`.

    Those on joints are so together, as long as any of their island is. Joints that are open by less than
    would count are so while they close: what opens them again is none of the users' doing. errors and started
    (islands,) are memory.
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
        errors[island] = started[island] = 0.0
    find_joint_errors(s.joints, s.joint_frames, s.bodies, errors)
    errors_at_start(s.joints, s.joint_frames, started)
    for island in range(len(s.has_joints)):
        alone = s.layout.contact_start[island] == s.layout.contact_start[island + 1]
        least = tolerance if alone else CLOSED * tolerance
        closes = AJAR * tolerance < errors[island] or least < errors[island] < started[island]
        if s.has_joints[island] and (closes or _is_open(s, island, slop)):
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

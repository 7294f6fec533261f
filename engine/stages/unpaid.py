"""Islands with joints are displaced, and go through a sub-step, no farther than their motion can pay for."""

import numpy as np

from stoss.collision.algebra import dot, quaternion_multiply, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.joints.arrays import CONE, SLIDE, SUM
from stoss.engine.joints.couplings import coupled_preview
from stoss.engine.joints.measures import measure, slide
from stoss.engine.joints.placement import place_parts
from stoss.engine.joints.stop_curve_measures import curve_measure
from stoss.engine.stages.elastic_rows import elastic_energy, is_elastic
from stoss.engine.stages.energy_account import motion_of, sum_over
from stoss.engine.stages.lift import is_placed, is_unheld, lift_of, means_of
from stoss.engine.stages.scratch import copy_matrix

__all__ = ["any_unheld", "take_back_unpaid"]

ROUNDS = 4  # in which a share of a displacement is looked for
SHORTEST = 0.1  # share of a way that is made; less is none


@inner
def any_unheld(s):
    """Return whether any body was held by nothing in this sub-step."""
    for i in s.islands.bodies:
        if s.work.unheld[i]:
            return True
    return False


@inner
def take_back_unpaid(s, w, gravity, h):
    """Take islands back from where they were displaced to, as far as their motion cannot pay for it.

    Closing joints lifts bodies, and bends springs and soft stops, which do not resist a displacement. Nobody
    works for either, and what the motion has may be less than that: then a share of the displacement will do.
    Where motion itself has bent more than it had, as links do that nothing holds, it is taken back, too, half
    of it, three quarters, or all: where the sub-step began nothing is to be paid. Time passes more slowly for
    what nothing can hold. What users have put into each other is pushed apart at any price.

    Args:
        s: system, its bodies displaced.
        w: what their displacement works on, with the poses before it.
        gravity: [m/s^2].
        h: length of the sub-step [s].
    """
    bodies, joints, places = s.bodies, s.joints, s.joint_frames.places
    ends, turns = s.scratch.next_positions, s.scratch.next_quaternions
    place_parts(joints, w.positions, w.quaternions, places)
    _find_stored(s, w.stored)
    place_parts(joints, bodies.positions, bodies.quaternions, places)
    _find_stored(s, w.bent)
    copied = False
    for island in range(len(s.has_joints)):
        if not s.has_joints[island] or not s.work.displaced[island]:
            continue
        if is_placed(s, island) or w.driven[island]:
            continue
        means = max(means_of(s, island, w.free[island], gravity, h), 0.0) + w.stored[island]
        if is_unheld(s, island):
            # what was bent on the way beyond what was done for it; others do half of that at the end
            means -= max(w.stored[island] + sum_over(s, island, s.work.elastic), 0.0)
        else:
            means += max(_lost(s, w, island, gravity), 0.0)
        cost = max(lift_of(s, island, w.positions, gravity), 0.0) + w.bent[island]
        if cost <= max(means, 0.0):
            continue
        if not copied:
            copy_matrix(bodies.positions, ends, len(bodies.kinds))
            copy_matrix(bodies.quaternions, turns, len(bodies.kinds))
            copied = True
        if not _shorten_displacement(s, w, island, cost, means, gravity):
            _shorten_way(s, w, island, means, gravity)
        _carry_contacts(s, island, ends, turns)


@inner
def _lost(s, w, island, gravity):
    """Return what an island has lost since the sub-step began [J], before it was displaced.

    What runs into something goes too far into it, and its springs and servos with it: dampers take what these
    give on that way. Taken back, they store again what they had where it met.
    """
    bodies, lost = s.bodies, motion_of(s, island, s.old) - motion_of(s, island, s.bodies)
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        for k in range(3):
            lost += bodies.masses[i] * gravity[k] * (w.positions[i, k] - s.old.positions[i, k])
    return lost - sum_over(s, island, s.work.elastic) - w.stored[island]


@inner
def _shorten_displacement(s, w, island, cost, means, gravity):
    """Leave an island a share of its displacement, perhaps none; return whether that is within its means."""
    ends, turns, least = s.scratch.next_positions, s.scratch.next_quaternions, w.stored[island]
    share = 1.0
    for number in range(ROUNDS + 1):
        affordable = number < ROUNDS and cost > least
        share *= max((means - least) / (cost - least), 0.0) if affordable else 0.0
        _place_island(s, island, w.positions, w.quaternions, share, ends, turns)
        cost = _cost(s, w, island, gravity)
        if cost <= means or share == 0.0:
            break
    return cost <= means


@inner
def _shorten_way(s, w, island, means, gravity):
    """Leave an island a share of its way through the sub-step, perhaps none, that is within its means."""
    old, share = s.old, 1.0
    while share > 0.0:
        share = 0.5 * share if share > SHORTEST else 0.0
        _place_island(s, island, old.positions, old.quaternions, share, w.positions, w.quaternions)
        if _cost(s, w, island, gravity) <= means:
            break


@inner
def _find_stored(s, out):
    """Set out (islands,) to what springs and soft stops store [J] where frames are placed."""
    for island in range(len(s.has_joints)):
        out[island] = 0.0
    for j in range(len(s.joint_frames.first_row)):
        if s.joint_frames.first_row[j] >= 0 and s.work.displaced[s.joint_frames.island[j]]:
            out[s.joint_frames.island[j]] += _stored(s, j)


@inner
def _stored(s, j):
    """Return what springs and soft stops of joint j store [J] where its frames are placed."""
    joints, stored = s.joints, 0.0
    for m in range(joints.row_start[j], joints.row_start[j + 1]):
        if joints.active[m] and is_elastic(joints, m) and joints.stiffness[m] > 0.0:
            stored += elastic_energy(joints, m, _value_at(s, m))
    return stored


@inner
def _value_at(s, m):
    """Return the measure of row m where its frames are placed, next to what it was at the start."""
    joints, frames = s.joints, s.joint_frames
    kind, axis, p, start = joints.measure[m], joints.axis[m], joints.part[m], frames.start[m]
    if kind >= SUM:
        return coupled_preview(joints, frames, m, s.bodies, 0.0)
    if kind == SLIDE:
        return slide(axis, p, frames.places)[0]
    if kind >= CONE:
        return curve_measure(joints, frames.places, m, joints.piece[m], start)[0]
    return measure(kind, axis, p, frames.places, start)


@inner
def _cost(s, w, island, gravity):
    """Return the energy [J] that an island stores, whose frames are placed, and by which it was lifted."""
    cost = max(lift_of(s, island, w.positions, gravity), 0.0)
    for j in range(len(s.joint_frames.first_row)):
        if s.joint_frames.first_row[j] >= 0 and s.joint_frames.island[j] == island:
            cost += _stored(s, j)
    return cost


@inner
def _place_island(s, island, starts, first, share, ends, last):
    """Place an island and its frames at a share of the way from one set of poses to another."""
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        _place_between(s.bodies, s.islands.bodies[at], starts, first, share, ends, last)
    place_parts(s.joints, s.bodies.positions, s.bodies.quaternions, s.joint_frames.places)


@inner
def _place_between(bodies, i, starts, first, share, ends, last):
    """Place body i at a share of a way; its spin turns with it."""
    q, w = bodies.quaternions[i], bodies.angular_velocities[i]
    x, y, z = rotate_inverse(q, w[0], w[1], w[2])
    p, t = first[i], last[i]
    way = -share if p[0] * t[0] + p[1] * t[1] + p[2] * t[2] + p[3] * t[3] < 0.0 else share
    square = 0.0
    for k in range(4):
        q[k] = (1.0 - share) * p[k] + way * t[k]
        square += q[k] * q[k]
    for k in range(4):
        q[k] /= np.sqrt(square)
    w[0], w[1], w[2] = rotate(q, x, y, z)
    for k in range(3):
        bodies.positions[i, k] = starts[i, k] + share * (ends[i, k] - starts[i, k])


@inner
def _carry_contacts(s, island, ends, turns):
    """Let the points of contacts go with bodies that were at `ends`, `turns`; normals are kept."""
    bodies, contacts = s.bodies, s.contacts
    for at in range(s.layout.contact_start[island], s.layout.contact_start[island + 1]):
        c, n = s.layout.contacts[at], contacts.normal
        for half in range(2):
            i = contacts.body_a[c] if half == 0 else contacts.body_b[c]
            if bodies.kinds[i] != DYNAMIC:
                continue
            point = contacts.point_a[c] if half == 0 else contacts.point_b[c]
            q, t, place = bodies.quaternions[i], turns[i], bodies.positions[i]
            turn = quaternion_multiply(q[0], q[1], q[2], q[3], t[0], -t[1], -t[2], -t[3])
            x, y, z = rotate(turn, point[0] - ends[i, 0], point[1] - ends[i, 1], point[2] - ends[i, 2])
            point[0], point[1], point[2] = place[0] + x, place[1] + y, place[2] + z
        a, b = contacts.point_a[c], contacts.point_b[c]
        contacts.gap[c] = dot(n[c, 0], n[c, 1], n[c, 2], a[0] - b[0], a[1] - b[1], a[2] - b[2])

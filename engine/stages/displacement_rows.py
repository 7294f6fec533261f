"""Rows of contacts for the displacement of bodies: gaps, by how much overlaps shrink, and what sticks."""

import numpy as np

from stoss.collision.algebra import cross, dot, perpendicular
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.constraints.rows import (
    ACTIVE,
    BOUNDED,
    finish_rows,
    start_row,
    write_force,
)

__all__ = ["HELD_ROWS", "build_contact_rows", "find_held"]

HELD_ROWS = 3  # of a contact that sticks: its normal, and two tangents
# Share of what would be displaced by which tangents give way. They are no reason for bodies to stay wedged:
# where gaps contradict them they yield, as weak springs do.
YIELDING = 1e-4


@inner
def find_held(contacts, count, memory, chosen, layout, touch, margin, held):
    """Set held (contacts,) for those that stick, by the impulses with which the sub-step began.

    In the `chosen` islands alone, whose joints pass on what one link is displaced by: a foot that lands would
    else push the one that stands. What overlaps by more than `margin` [m] is displaced as it must.
    """
    for c in range(count):
        held[c] = False
    starts = layout.contact_start
    for island in range(len(chosen)):
        if chosen[island]:
            for at in range(starts[island], starts[island + 1]):
                c = layout.contacts[at]
                held[c] = -margin <= contacts.gap[c] <= touch
    first = 0
    for c in range(count):  # both lists are sorted by the pairs of shapes
        if held[c]:
            a, b = contacts.shape_a[c], contacts.shape_b[c]
            while first < len(memory.feature) and (
                memory.shape_a[first] < a or (memory.shape_a[first] == a and memory.shape_b[first] < b)
            ):
                first += 1
            held[c] = _stuck(memory, first, a, b, contacts.feature[c])


@inner
def _stuck(memory, first, a, b, feature):
    """Return whether a point stuck, of two shapes whose points are in memory from `first` on."""
    m = first
    while m < len(memory.feature) and memory.shape_a[m] == a and memory.shape_b[m] == b:
        if memory.feature[m] == feature:
            return memory.normal_impulse[m] > 0.0 and memory.state[m, 1] == ACTIVE
        m += 1
    return False


@inner
def build_contact_rows(s, w, h, first_round):
    """Build the normal row of each contact, in the order of the blocks: its gap after the displacement.

    Those that are held have two more: their points are to stay above each other.

    A contact across a gap may close it, not more. An overlap shrinks by what the bodies have approached in
    this step, or, if that is more, by the share `rate` of it, at the most by `speed` and the fastest approach
    in its island: where bodies are hit again and again, what one step leaves would else add up. What tumbles
    may leave again already where it is deepest: without joints, all that was not there before is new, and
    goes in the step whose impact takes more than that. The first round notes the gap that this leaves in
    `goals` (contacts,), and later ones ask for what is left to it.
    The first rows of the blocks are in place.

    Args:
        s, w: system, and what its displacement works on.
        h: length of the sub-step [s].
        first_round: whether nothing was displaced yet.
    """
    contacts, bodies, rows, goals, held = s.contacts, s.bodies, w.rows, w.goals, w.held
    order, blocks = s.layout.contacts, s.layout.contact_block
    sqrt_inverse_inertia = s.scratch.sqrt_inverse_inertia
    run = last = rows.start[blocks[0]] if len(order) > 0 else 0  # rows that follow each other
    for k in range(len(order)):
        c = order[k]
        block = blocks[k]
        r = rows.start[block]
        a = contacts.body_a[c]
        b = contacts.body_b[c]
        n0, n1, n2 = contacts.normal[c, 0], contacts.normal[c, 1], contacts.normal[c, 2]
        approach = 0.0
        for half in range(2):
            i = a if half == 0 else b
            sign = 1.0 if half == 0 else -1.0
            arm0 = 0.5 * (contacts.point_a[c, 0] + contacts.point_b[c, 0]) - bodies.positions[i, 0]
            arm1 = 0.5 * (contacts.point_a[c, 1] + contacts.point_b[c, 1]) - bodies.positions[i, 1]
            arm2 = 0.5 * (contacts.point_a[c, 2] + contacts.point_b[c, 2]) - bodies.positions[i, 2]
            x, y, z = cross(arm0, arm1, arm2, n0, n1, n2)
            v, spin = bodies.velocities[i], bodies.angular_velocities[i]
            approach -= sign * (dot(n0, n1, n2, v[0], v[1], v[2]) + dot(x, y, z, spin[0], spin[1], spin[2]))
            arm = (arm0, arm1, arm2)
            write_force(rows, r, half, sign, (n0, n1, n2), arm, bodies, sqrt_inverse_inertia, i)
            if held[c]:
                first = perpendicular(n0, n1, n2)
                second = cross(n0, n1, n2, first[0], first[1], first[2])
                write_force(rows, r + 1, half, sign, first, arm, bodies, sqrt_inverse_inertia, i)
                write_force(rows, r + 2, half, sign, second, arm, bodies, sqrt_inverse_inertia, i)
            rows.bodies[block, half] = i if bodies.kinds[i] == DYNAMIC else -1
        gap = contacts.gap[c]
        if gap >= 0.0:
            rows.bias[r] = gap
            if first_round:
                goals[c] = 0.0
        elif first_round:
            goals[c] = approach
        else:
            rows.bias[r] = gap - goals[c]
        start_row(rows, r, BOUNDED, 0.0, np.inf)
        if r != last:
            finish_rows(rows, run, last)
            run = r
        last = r + 1
        if held[c]:
            last = r + HELD_ROWS
            for i in range(r + 1, last):
                start_row(rows, i, BOUNDED, -np.inf, np.inf)
                rows.bias[i] = 0.0
    finish_rows(rows, run, last)
    for k in range(len(order)):
        if held[order[k]]:
            r = rows.start[blocks[k]]
            for i in range(r + 1, r + HELD_ROWS):
                rows.softness[i] = YIELDING * rows.inverse_effective_mass[i]
    if first_round:
        _set_goals(s, w, h)


@inner
def _set_goals(s, w, h):
    """Set by how much overlaps shrink, see `build_contact_rows`; `goals` holds speeds of approach [m/s]."""
    contacts, layout, goals, rows, starts = s.contacts, s.layout, w.goals, w.rows, s.layout.contact_start
    for island in range(len(starts) - 1):
        fastest = 0.0
        for k in range(starts[island], starts[island + 1]):
            c = layout.contacts[k]
            if contacts.gap[c] < 0.0:
                fastest = max(fastest, goals[c])
        for k in range(starts[island], starts[island + 1]):
            c, r = layout.contacts[k], rows.start[layout.contact_block[k]]
            if contacts.gap[c] < 0.0:
                depth = max(-contacts.gap[c] - w.slop, 0.0)
                came = goals[c] * h if s.has_joints[island] else max(goals[c] * h, _sunk(s, w, c))
                removed = min(depth, max(came, min(w.rate * depth, (w.speed + fastest) * h)))
                if removed > w.most[c]:
                    w.contradicted[c] = w.contradicted[c] or removed > 2.0 * w.most[c]
                    w.doubted[island] = True
                    removed = w.most[c]
                rows.bias[r], goals[c] = -removed, contacts.gap[c] + removed


@inner
def _sunk(s, w, c):
    """Return by how much contact c is deeper than its bodies were left before, or may have been [m].

    0 where it is elastic, for its impact pays for what approaches alone, or where users have put it so.
    """
    bodies, a, b = s.bodies, s.contacts.body_a[c], s.contacts.body_b[c]
    if bodies.placed[a] or bodies.placed[b] or bodies.restitution[a] > 0.0 or bodies.restitution[b] > 0.0:
        return 0.0
    return -s.contacts.gap[c] - max(min(bodies.overlaps[a, 1], bodies.overlaps[b, 1]), w.margin)

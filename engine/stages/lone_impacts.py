"""Impacts of two bodies that are hit nowhere else, each integrated in the impulse domain by itself."""

from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.constraints.rows import add_impulse
from stoss.engine.contacts.compliance import barrier_of_law
from stoss.engine.contacts.impact_group import collide_as_one
from stoss.engine.contacts.impact_path import collide

__all__ = ["add_alone", "collide_alone"]

# Contacts of an island among which those of one pair are looked for; the detector gives them together.
WINDOW = 64


@inner
def _count_hits(s):
    """Write how many contacts hit each body."""
    rows, frames, contacts, number = s.rows, s.frames, s.contacts, s.work.hits
    for i in range(len(s.bodies.kinds)):
        number[i] = 0
    for k in range(len(frames.contact)):
        if rows.upper[frames.row[k]] > 0.0:
            number[contacts.body_a[frames.contact[k]]] += 1
            number[contacts.body_b[frames.contact[k]]] += 1


@inner
def _gather(s, k, end, a, b):
    """Write the contacts that hit the bodies a and b of contact k, up to `end`, into the group.

    Returns their number; 0 if these bodies are hit elsewhere too, or resist rolling.
    """
    rows, frames, contacts, kinds, number = s.rows, s.frames, s.contacts, s.bodies.kinds, s.work.hits
    count = number[a] if kinds[a] == DYNAMIC else number[b]
    if kinds[a] == DYNAMIC and kinds[b] == DYNAMIC and number[a] != number[b]:
        return 0
    found = 0
    for other in range(k, min(end, k + WINDOW)):
        if rows.upper[frames.row[other]] == 0.0:
            continue
        c = frames.contact[other]
        if contacts.body_a[c] != a or contacts.body_b[c] != b or frames.resists[other] != 0:
            continue
        if count > 1 and frames.friction_law[other] >= 0:
            continue  # their tangents may be no unit vectors
        s.work.group[found] = other
        found += 1
        if found == count:
            return count
    return 0


@inner
def _collide_single(s, k, rates, hit, first, second):
    """Write the impulses of compression and restitution of a contact that hits alone."""
    rows, r = s.rows, s.frames.row[k]
    jacobian = rows.jacobian
    k01 = k02 = k12 = k11 = k22 = 0.0
    for i in range(12):
        k01 += jacobian[r, i] * jacobian[r + 1, i]
        k02 += jacobian[r, i] * jacobian[r + 2, i]
        k11 += jacobian[r + 1, i] * jacobian[r + 1, i]
        k12 += jacobian[r + 1, i] * jacobian[r + 2, i]
        k22 += jacobian[r + 2, i] * jacobian[r + 2, i]
    damping, strength = barrier_of_law(s.frames, k)
    first[r], first[r + 1], first[r + 2], second[r], second[r + 1], second[r + 2], broken = collide(
        (rows.inverse_effective_mass[r], k01, k02, k11, k12, k22),
        (rates[r], rates[r + 1], rates[r + 2]),
        rows.friction[r + 1],
        rows.static_friction[r + 1],
        hit[r, 0],
        int(hit[r, 2]),
        hit[r, 1],
        damping,
        strength,
    )
    s.frames.broken[k] = broken


@inner
def collide_alone(s, rates, hit, chosen, stops, first, second):
    """Resolve contacts whose bodies are hit nowhere else, each by itself; choose the islands of the others.

    Args:
        s: system whose rows are set for compression.
        rates: (rows,) velocities before the impact.
        hit: (rows, 3) restitution, approach, law.
        chosen: (islands,) receives which islands the solvers are needed for.
        stops: whether stops of joints are hit.
        first, second: (rows,) receive the impulses of compression and restitution.
    """
    rows, frames, contacts, w = s.rows, s.frames, s.contacts, s.work
    _count_hits(s)
    for island in range(len(chosen)):
        chosen[island] = stops and s.has_joints[island]
        end = s.layout.contact_start[island + 1]
        for k in range(s.layout.contact_start[island], end):
            if rows.upper[frames.row[k]] == 0.0:
                continue
            c = frames.contact[k]
            count = 0
            if not s.has_joints[island]:
                count = _gather(s, k, end, contacts.body_a[c], contacts.body_b[c])
            if count == 1:
                _collide_single(s, k, rates, hit, first, second)
            elif count == 0 or not collide_as_one(
                rows, frames, w.group, count, rates, hit, (w.places, w.motions, w.shifts), first, second
            ):
                chosen[island] = True
                continue
            for m in range(count):
                rows.upper[frames.row[w.group[m]]] = 0.0  # the solvers leave it alone


@inner
def add_alone(s, impulses):
    """Add what `impulses` (rows,) of the contacts that were resolved alone do to z."""
    rows, frames = s.rows, s.frames
    for k in range(len(frames.contact)):
        r = frames.row[k]
        if rows.upper[r] > 0.0 or impulses[r] == 0.0:
            continue
        block = s.layout.contact_block[k]
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        for i in range(3):
            add_impulse(rows.jacobian, r + i, a, b, impulses[r + i], s.scratch.z)

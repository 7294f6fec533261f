"""Contacts that give way by a law: what their normal rows ask for, and whether an impact is resolved in time.

The force of a law acts over half a step at either end of it. In `correct` it is that of the gaps that the
step leads to, found anew in each pass: with v the rate of the gap, p = h/2 F(gap + h v, v) is solved for each
contact by itself and made linear there, so that what rows do to each other is solved for all at once. In
`settle` there are two ways, by whether a step of length h [s] resolves the swing of the contact, by h^2
stiffness / mass:

    resolved    the same impulse as in `correct`: by the mean of the force between both gaps, which is the
                discrete gradient of what is stored. An elastic contact keeps its energy, whatever h.
    not so      that of the gap there is, softer by how the gap goes on: damped, and stable at any h.

An impact that takes few steps is none of this: it gets its restitution at once (`stages.impacts`), by the
closed form of its law, or under a load by following it. So do all impacts on a wall that can break: how deep
a body is in it says the law, not the shape. It is broken where the law lets the body through, or where a load
has pushed that as far as the force fades.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.engine.constraints.rows import yield_row
from stoss.engine.contacts.frames import gap_at, vector
from stoss.engine.contacts.impact_path import BY_LAW, NEWTON
from stoss.engine.laws.contact_functions import (
    LAW_NUMBERS,
    RESTRICTION,
    RIGID,
    contact_force,
    contact_slopes,
    impact_exit,
    impulse_potential,
    mean_force,
    stored_energy,
    usual_approach,
    usual_duration,
)
from stoss.engine.laws.contact_trace import restitution_under_load

__all__ = [
    "BEGUN",
    "barrier_of_law",
    "book_compliance",
    "can_break",
    "exit_by_law",
    "follows_impact",
    "gives_way",
    "hold_compliant",
    "is_pushed_through",
    "is_resolved",
    "most_of_wall",
    "restitution_by_law",
    "settle_compliant",
    "write_law",
]

# Steps that an impact takes, at least, to be followed in time; and those to its deepest: what is plastic
# enters at once and comes back slowly.
RESOLVED_STEPS, RESOLVED_APPROACH = 8.0, 1.5
# Depth, for the way of a step, from which on an impact has begun before.
BEGUN = 0.5
# h^2 stiffness / mass up to which a step resolves a contact at rest.
RESOLVED = 0.5
MOST_STEPS = 60
# Error of an impulse, as a share of it, that is none, and what of it is rounding [m/s]; least that one is.
CLOSE, SLOWEST = 1e-8, 1e-12
JUST_ABOVE = 1.01


@inner
def write_law(frames, k, own, first):
    """Give contact k the law that its pair of materials has; `own` are the values of the pair."""
    if not np.isnan(own[first]):
        frames.contact_law[k] = int(own[first])
        for i in range(LAW_NUMBERS):
            frames.contact_numbers[k, i] = own[first + 1 + i]
        frames.restitution[k] = 1.0  # what the slowest impact has
        frames.law[k] = BY_LAW if frames.contact_law[k] == RESTRICTION else NEWTON


@inner
def gives_way(frames, first, last):
    """Return whether any of the contacts first to last - 1 has a law."""
    for k in range(first, last):
        if frames.contact_law[k] != RIGID:
            return True
    return False


@inner
def is_resolved(frames, k, gap, speed, mass, h):
    """Return whether steps of length h [s] resolve an impact of contact k at a gap [m] and a speed [m/s].

    Or have done so: it is deeper than an impact that is to begin could be.
    """
    law = frames.contact_law[k]
    if law == RIGID:
        return False
    if -gap > BEGUN * speed * h:
        return True
    return follows_impact(law, frames.contact_numbers[k], speed, mass, h)


@inner
def follows_impact(law, n, speed, mass, h):
    """Return whether steps of length h [s] follow an impact that begins at a speed [m/s]."""
    if _is_wall(law, n) or usual_approach(law, n, speed, mass) <= RESOLVED_APPROACH * h:
        return False
    return usual_duration(law, n, speed, mass) > RESOLVED_STEPS * h


@inner
def restitution_by_law(frames, k, speed, mass):
    """Return the restitution of an impact of contact k, with the load that presses; see `meet`."""
    if frames.contact_law[k] == RIGID:
        return frames.restitution[k]
    law, n = frames.contact_law[k], frames.contact_numbers[k]
    return restitution_under_load(law, n, speed, mass, frames.pressing[k])


@inner
def _is_wall(law, n):
    return law == RESTRICTION and n[4] > 0.0


@inner
def can_break(frames, k):
    """Return whether contact k is one with a wall that can break, and has not."""
    return _is_wall(frames.contact_law[k], frames.contact_numbers[k]) and not frames.broken[k]


@inner
def most_of_wall(frames, k, speed):
    """Return the impulse with which the wall of contact k just stops what approaches at a speed [m/s]."""
    damping, strength = barrier_of_law(frames, k)
    return strength * speed / impulse_potential(damping, -speed)


@inner
def exit_by_law(frames, k, speed, mass):
    """Return the speed [m/s] behind the wall of contact k, 0 if it holds; see `impact_exit`."""
    return impact_exit(frames.contact_law[k], frames.contact_numbers[k], speed, mass)


@inner
def is_pushed_through(frames, k, gap):
    """Return whether a gap [m] is that of a body which a wall has no hold of any more."""
    return can_break(frames, k) and gap < frames.contact_numbers[k, 5]


@inner
def barrier_of_law(frames, k):
    """Return r_d [s/m] of contact k, and its strength times the width of its activation [J].

    Infinite, if it cannot break; r_d is 0 if it is not by a restriction function.
    """
    n = frames.contact_numbers[k]
    if frames.contact_law[k] != RESTRICTION:
        return 0.0, np.inf
    return n[3], n[0] * (n[2] - n[5]) if n[4] > 0.0 else np.inf


@inner
def _is_followed(law, n, gap, w, h):
    """Return whether a step resolves the swing of a contact at a gap; w is its velocity per impulse."""
    return h * h * contact_slopes(law, n, gap, 0.0)[1] * w < RESOLVED


@inner
def _yield(rows, r, impulse, velocity, slope, most):
    """Let row r give `impulse` at a velocity, and less by `slope` for each that it is more, up to `most`."""
    yield_row(rows, r, impulse, velocity, slope)
    rows.lower[r], rows.upper[r] = 0.0, most


@inner
def _most(law, n, h):
    """Return the largest impulse of half a step."""
    return 0.5 * h * n[0] if law == RESTRICTION else np.inf


@inner
def hold_compliant(rows, frames, k, gap, next_gap, applied, h, tolerance):
    """Set the normal row of contact k for `correct`; return how far [m] the preview is from its law.

    Args:
        rows, frames: of the system.
        k: the contact.
        gap, next_gap: at the start of the step, and in the preview of its end [m].
        applied: whether the preview has the impulse that the row has now.
        h: length of the step [s].
        tolerance: error [m] above which the preview is made again.
    """
    r, law, n = frames.row[k], frames.contact_law[k], frames.contact_numbers[k]
    w, half = rows.inverse_effective_mass[r], 0.5 * h
    followed = _is_followed(law, n, gap, w, h)
    rate, p = (next_gap - gap) / h, rows.impulse[r]
    rows.bias[r] = rate
    if not applied:
        # from rest: the next pass knows better
        force, stiffness, damping = contact_slopes(law, n, gap, 0.0)
        _yield(rows, r, half * force, 0.0, half * (h * stiffness + damping), _most(law, n, h))
        again = p > 0.0 or force > 0.0 or contact_force(law, n, next_gap, rate) > 0.0
        return np.inf if again else 0.0
    low, high = 0.0, max(half * _force(law, n, gap, gap + h * (rate - w * p), rate - w * p, followed), p)
    found, v = p, rate
    for _ in range(MOST_STEPS):
        v = rate + w * (found - p)
        off = half * _force(law, n, gap, gap + h * v, v, followed) - found
        if off > 0.0:
            low = found
        else:
            high = found
        _, stiffness, damping = contact_slopes(law, n, gap + h * v, v)
        change = off / (1.0 + w * half * ((0.5 * h if followed else h) * stiffness + damping))
        found += change
        if not low <= found <= high:
            found = 0.5 * (low + high)
        if abs(change) <= 1e-14 * high:
            break
    v = rate + w * (found - p)
    _, stiffness, damping = contact_slopes(law, n, gap + h * v, v)
    slope = half * ((0.5 * h if followed else h) * stiffness + damping)
    _yield(rows, r, found, v, slope, _most(law, n, h))
    missed = abs(found - p)
    if missed > CLOSE * max(found, p) and missed * w > SLOWEST:
        # what is little way in a short step may be much of the force
        return max(missed * w * h, JUST_ABOVE * tolerance)
    return 0.0


@inner
def _force(law, n, gap, next_gap, rate, followed):
    """Return the force [N] over a step: its mean if the step resolves the contact, else that of its end."""
    if followed:
        return mean_force(law, n, gap, next_gap, rate)
    return contact_force(law, n, next_gap, rate)


@inner
def settle_compliant(rows, frames, k, a, b, gap, old, h):
    """Set the normal row of contact k for `settle`; its bias is the velocity before.

    Args:
        rows, frames: of the system.
        k, a, b: the contact and its bodies.
        gap: at the end of the step [m].
        old: bodies as they were at its start.
        h: length of the step [s].
    """
    r, law, n = frames.row[k], frames.contact_law[k], frames.contact_numbers[k]
    w, half = rows.inverse_effective_mass[r], 0.5 * h
    before = gap_at(frames, k, a, b, vector(frames.axes[k, 0]), old.positions, old.quaternions)
    rate = (gap - before) / h
    if _is_followed(law, n, before, w, h):
        _yield(rows, r, half * mean_force(law, n, before, gap, rate), rate, 0.0, np.inf)
        return
    force, stiffness, damping = contact_slopes(law, n, gap, rate)
    slope = half * (h * stiffness + damping)
    held = rate * half * damping / slope if slope > 0.0 else rate
    _yield(rows, r, half * force, held, slope, _most(law, n, h))


@inner
def book_compliance(s, sign):
    """Enter what contacts with laws store now in `work.elastic`, as `book_elastic` does for soft stops."""
    frames, contacts = s.frames, s.contacts
    for k in range(len(frames.contact)):
        law = frames.contact_law[k]
        if law == RIGID:
            continue
        c = frames.contact[k]
        energy = stored_energy(law, frames.contact_numbers[k], contacts.gap[c])
        block = s.layout.contact_block[k]
        i = max(s.rows.bodies[block, 0], s.rows.bodies[block, 1])
        if i >= 0:
            s.work.elastic[i] += sign * energy

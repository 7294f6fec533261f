"""Friction laws of contacts: the tangent rows of those that have one.

A law that sticks keeps the friction pair, with the coefficient of the speed that it leads to. All others are
linear in the velocity once the speed at the end is known (`friction_curves`), so their tangents are two rows
without bounds, p = -P (a z + b v), P the normal impulse. The speed is found from how the contact gave way so
far, and looked at again after each solve.
"""

import numpy as np

from stoss.collision.algebra import dot
from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats2
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.constraints.rows import (
    BOUNDED,
    FRESH,
    FRICTION,
    SECOND_TANGENT,
    SLIDING,
    Rows,
    finish_pair,
    finish_row,
    row_product,
    yield_row,
)
from stoss.engine.contacts.frames import ContactFrames, contact_velocity, vector
from stoss.engine.laws.friction_arrays import (
    CONSTANT,
    KINETIC,
    SET_VALUED,
    SLID,
    STATE,
    STEP_WORK,
    STICKING,
    VISCOUS,
    WORK,
    FrictionLaws,
)
from stoss.engine.laws.friction_curves import coefficient, dry, end_speed, slip_speed, terms

__all__ = [
    "LOOSE",
    "beyond",
    "UNBOUNDED",
    "finish_contact_laws",
    "look_at_contact_laws",
    "pair_for_impact",
    "start_contact_laws",
    "stretch_of",
]

FEATURE = "laws"  # see `kernels.prepare`

# Bounds of rows that have none, which are not those of what is held.
UNBOUNDED = 1e300
# Least change [m/s, and of what impulses make in all] by which it is seen how much velocity an impulse makes.
# Of less than that, what other contacts do, or turning, is more.
SEEN, SEEN_SHARE = 1e-13, 1e-6
# How much more, or less, a contact may be found to give way than the rows of its pair say.
COLLECTIVE = 1e3
# A contact slides from a speed [m/s] on, with an impulse of this share of what it resists: one that others
# hold in place may have all of it and not move, but for what sweeps have left.
SLIPS, AT_EDGE = 1e-6, 1.0 - 1e-6
# What is returned before anything is solved: not settled by far [m/s].
LOOSE = 1e100


@inner
def beyond(off, speed, close):
    """Return by how much friction is off [m/s], 0 if less than is `close`: [m/s], and of the speed."""
    return off if off > max(close[0], close[1] * speed) else 0.0


@inner
def _as_rows(rows, r):
    """Let the tangents behind the normal row r be two rows of their own."""
    if rows.kind[r + 1] != BOUNDED:
        rows.kind[r + 1] = rows.kind[r + 2] = BOUNDED
        rows.friction[r + 1] = rows.static_friction[r + 1] = 0.0
        for i in range(1, 3):
            if rows.state[r + i] == SLIDING:  # else it goes on from what it was, as in a copy of a world
                rows.state[r + i] = FRESH
        finish_row(rows, r + 1)
        finish_row(rows, r + 2)


@inner
def _as_pair(rows, r):
    """Let the tangents behind the normal row r be a friction pair."""
    if rows.kind[r + 1] == FRICTION:
        return
    rows.kind[r + 1], rows.kind[r + 2] = FRICTION, SECOND_TANGENT
    for i in range(1, 3):
        rows.softness[r + i] = 0.0
        rows.lower[r + i], rows.upper[r + i] = -np.inf, np.inf
        finish_row(rows, r + i)
    finish_pair(rows, r + 1, row_product(rows.jacobian, r + 1, r + 2))


@kernel
def pair_for_impact(rows: Rows, frames: ContactFrames, laws: FrictionLaws, k: int) -> None:
    """Give contact k the friction pair of an impact: with the coefficient of the speed in the biases."""
    law, r = frames.friction_law[k], frames.row[k]
    _as_pair(rows, r)
    v, w = rows.bias[r + 1], rows.bias[r + 2]
    found = frames.friction_scale[k] * coefficient(laws, law, np.sqrt(v * v + w * w))
    _grip(rows, r, found, found)


@inner
def _unit(axis):
    """Return the direction of an axis, whose length scales friction along it."""
    x, y, z = axis[0], axis[1], axis[2]
    size = np.sqrt(x * x + y * y + z * z)
    return (x / size, y / size, z / size) if size > 0.0 else (0.0, 0.0, 0.0)


@inner
def _state_along(frames, k):
    """Return the state of contact k along its tangents."""
    z = vector(frames.friction_state[k])
    first, second = _unit(frames.axes[k, 1]), _unit(frames.axes[k, 2])
    return dot(*first, z[0], z[1], z[2]), dot(*second, z[0], z[1], z[2])


@inner
def stretch_of(seen, v0, v1, g0, g1, applied):
    """Return how much more velocity an impulse makes than is known from its rows; note what was seen.

    After a solve, as it turned out: what else gives way, or holds, counts.

    Args:
        seen: velocities and what impulses should have made of them when last looked at, and the stretch.
        v0, v1: velocities [m/s].
        g0, g1: what the impulses should have made of them [m/s].
        applied: whether they did.
    """
    stretch = 1.0
    if applied and seen[4] > 0.0:
        stretch = seen[4]
        d0, d1 = g0 - seen[2], g1 - seen[3]
        size, turned = d0 * d0 + d1 * d1, (v0 - seen[0]) * d0 + (v1 - seen[1]) * d1
        if size > max(SEEN * SEEN, SEEN_SHARE * SEEN_SHARE * (g0 * g0 + g1 * g1)) and turned > 0.0:
            stretch = min(max(turned / size, 1.0 / COLLECTIVE), COLLECTIVE)
    seen[0], seen[1], seen[4] = v0, v1, stretch
    seen[2], seen[3] = (g0, g1) if applied else (0.0, 0.0)
    return stretch


@inner
def _by_impulses(rows, frames, k, first, last):
    """Return the velocity at k by friction of the contacts first to last, and that which 1 per load makes.

    They are those of one pair of bodies. Where there are several they hold it upright and slide alike, so
    its turning is left out. Also the velocity that their states make, each as a force per load: what a place
    remembers is that of all together.
    """
    r, alone = frames.row[k], last == first + 1
    x = y = load0 = load1 = bent0 = bent1 = 0.0
    for j in range(first, last):
        q = frames.row[j]
        if rows.upper[q] == 0.0:
            continue
        g00 = g01 = g10 = g11 = 0.0
        for i in range(12):
            if alone or i % 6 < 3:
                a, b = rows.jacobian[r + 1, i], rows.jacobian[r + 2, i]
                c, d = rows.jacobian[q + 1, i], rows.jacobian[q + 2, i]
                g00, g01, g10, g11 = g00 + a * c, g01 + a * d, g10 + b * c, g11 + b * d
        x += g00 * rows.impulse[q + 1] + g01 * rows.impulse[q + 2]
        y += g10 * rows.impulse[q + 1] + g11 * rows.impulse[q + 2]
        load = frames.friction_scale[j] * max(rows.impulse[q], 0.0)
        load0, load1 = load0 + g00 * load, load1 + g11 * load
        z0, z1 = _state_along(frames, j)
        bent0, bent1 = bent0 + load * (g00 * z0 + g01 * z1), bent1 + load * (g10 * z0 + g11 * z1)
    return x, y, load0, load1, bent0, bent1


@kernel
def look_at_contact_laws(
    rows: Rows,
    frames: ContactFrames,
    contacts: ContactArrays,
    laws: FrictionLaws,
    applied: Bools,
    h: float,
    first: int,
    last: int,
    close: tuple[float, float],
) -> float:
    """Set the tangents of contacts that have laws, for the velocities in the biases.

    Args:
        rows, frames, contacts, laws: of the system.
        applied: (rows,) whether the velocities are those after the impulses of the rows.
        h: length of the step [s], of which friction acts at either end over a half.
        first, last: the contacts, in the order of `frames`, the last one excluded.
        close: velocity [m/s], and share of the speed, by which friction may be off.

    Returns:
        By how much [m/s] friction of the last solve was not what the laws say, 0: close enough; LOOSE before
        one.
    """
    worst, dt = 0.0, 0.5 * abs(h)
    begin = end = first
    for k in range(first, last):
        if k == end:
            begin, c, end = k, frames.contact[k], k + 1
            while end < last and _same_pair(contacts, c, frames.contact[end]):
                end += 1
        law = frames.friction_law[k]
        if law < 0:
            continue
        r = frames.row[k]
        if rows.upper[r] == 0.0:
            if laws.memory[law] != SET_VALUED:
                _as_rows(rows, r)
                for i in range(1, 3):
                    rows.lower[r + i] = rows.upper[r + i] = 0.0
            frames.friction_seen[k, 4] = 0.0
        elif laws.memory[law] == SET_VALUED:
            worst = max(worst, _set_pair(rows, frames, laws, k, law, r, applied[r + 1], begin, end, close))
        else:
            off = _set_rows(rows, frames, laws, k, law, r, applied[r + 1], dt, begin, end, close)
            worst = max(worst, off)
    return worst


@inner
def _same_pair(contacts, c, d):
    """Return whether two contacts are between the same bodies."""
    return contacts.body_a[c] == contacts.body_a[d] and contacts.body_b[c] == contacts.body_b[d]


@kernel
def start_contact_laws(rows: Rows, frames: ContactFrames, laws: FrictionLaws) -> None:
    """Give contacts that stick the coefficients that they begin a step with, whatever was done before."""
    for k in range(len(frames.contact)):
        law, r = frames.friction_law[k], frames.row[k]
        if law >= 0 and laws.memory[law] == SET_VALUED:
            slide, stick = _coefficients(laws, law, frames.friction_state[k, SLID])
            _grip(rows, r, frames.friction_scale[k] * slide, frames.friction_scale[k] * stick)


@inner
def _coefficients(laws, law, speed):
    """Return the coefficients of a law that sticks, sliding and at rest, but for viscous friction."""
    if laws.curve[law] == CONSTANT:
        return laws.numbers[law, KINETIC], laws.numbers[law, STICKING]
    found = dry(laws, law, speed)
    return found, found


@inner
def _set_pair(rows, frames, laws, k, law, r, applied, begin, end, close):
    """Give a contact that sticks its coefficient; return by how much friction was not what its law says."""
    _as_pair(rows, r)
    n, scale, constant = laws.numbers[law], frames.friction_scale[k], laws.curve[law] == CONSTANT
    viscous = n[VISCOUS]
    frames.friction_slides[k] = True
    if constant and viscous == 0.0:
        _grip(rows, r, scale * n[KINETIC], scale * n[STICKING])
        return 0.0
    v, w, seen = rows.bias[r + 1], rows.bias[r + 2], frames.friction_seen[k]
    speed = np.sqrt(v * v + w * w)
    if applied and (speed <= SLIPS or not _is_at_edge(rows, r)):
        frames.friction_slides[k], seen[4] = False, 0.0
        return 0.0
    if not applied and viscous == 0.0:
        # as fast as it was; the next look knows better
        slide, stick = _coefficients(laws, law, frames.friction_state[k, SLID])
        _grip(rows, r, scale * slide, scale * stick)
        seen[4] = 0.0
        return LOOSE
    x, y, load, load1, _, _ = _by_impulses(rows, frames, k, begin, end)
    stretch = stretch_of(seen, v, w, x, y, applied)
    load = stretch * max(load, load1)
    if not applied:
        slide, stick = _coefficients(laws, law, frames.friction_state[k, SLID])
        slide += viscous * max((speed - load * slide) / (1.0 + load * viscous), 0.0)
        _grip(rows, r, scale * slide, scale * max(stick, slide))
        return LOOSE
    free = np.sqrt((v - stretch * x) ** 2 + (w - stretch * y) ** 2)
    if free <= load * rows.friction[r + 1] / scale:
        frames.friction_slides[k] = False
        return 0.0  # what all contacts of the two bodies resist holds them, whatever sweeps have left
    speed = slip_speed(laws, law, load, free)
    slide = dry(laws, law, speed) + viscous * speed
    changed = abs(slide - rows.friction[r + 1] / scale) * load
    _grip(rows, r, scale * slide, scale * (max(n[STICKING], slide) if constant else slide))
    return beyond(changed, speed, close)


@inner
def _is_at_edge(rows, r):
    """Return whether the friction pair behind the normal row r gives all that it may."""
    p, q, edge = (
        rows.impulse[r + 1],
        rows.impulse[r + 2],
        rows.active_friction[r + 1] * rows.impulse[r] * AT_EDGE,
    )
    return rows.impulse[r] > 0.0 and p * p + q * q >= edge * edge


@inner
def _grip(rows, r, slide, stick):
    """Give the friction pair behind the normal row r its coefficients, sliding and at rest."""
    for i in range(1, 3):
        rows.friction[r + i], rows.static_friction[r + i] = slide, stick


@inner
def _set_rows(rows, frames, laws, k, law, r, applied, dt, begin, end, close):
    """Set the rows of a contact that does not stick; return by how much they were not what its law says."""
    _as_rows(rows, r)
    load = max(rows.impulse[r], 0.0) * frames.friction_scale[k]
    v, w, p, q = rows.bias[r + 1], rows.bias[r + 2], rows.impulse[r + 1], rows.impulse[r + 2]
    z0, z1 = _state_along(frames, k)
    x, y, load0, load1, m0, m1 = _by_impulses(rows, frames, k, begin, end)
    m0, m1 = m0 / load0 if load0 > 0.0 else z0, m1 / load1 if load1 > 0.0 else z1
    stretch = stretch_of(frames.friction_seen[k], v, w, x, y, applied)
    response = max(rows.inverse_effective_mass[r + 1], rows.inverse_effective_mass[r + 2])
    off = LOOSE
    a = b = now = 0.0
    if applied:
        speed = now = np.sqrt(v * v + w * w)
        a, b, _, _ = terms(laws, law, speed, dt)
        d0, d1 = p + load * (a * z0 + b * v), q + load * (a * z1 + b * w)
        # as a velocity: by how much a step towards the law would change it
        off = np.sqrt(d0 * d0 + d1 * d1) * response / (1.0 + response * load * b)
        off = beyond(off, speed, close)
    if off > 0.0:
        if applied:
            v, w = v - stretch * x, w - stretch * y
        load0, load1 = stretch * load0, stretch * load1
        speed = end_speed(laws, law, dt, load0, load1, v, w, m0, m1, frames.friction_state[k, SLID], now)
        a, b, _, _ = terms(laws, law, speed, dt)
        v, w = (v - load0 * a * m0) / (1.0 + load0 * b), (w - load1 * a * m1) / (1.0 + load1 * b)
    yield_row(rows, r + 1, -load * (a * z0 + b * v), v, load * b)
    yield_row(rows, r + 2, -load * (a * z1 + b * w), w, load * b)
    for i in range(1, 3):
        rows.lower[r + i], rows.upper[r + i] = -UNBOUNDED, UNBOUNDED
    return off


@kernel
def finish_contact_laws(
    rows: Rows,
    frames: ContactFrames,
    contacts: ContactArrays,
    laws: FrictionLaws,
    bodies: BodyArrays,
    velocities: Floats2,
    angular_velocities: Floats2,
    h: float,
    ends: bool,
) -> None:
    """Write the states that contacts with laws have after half a step into `frames.friction_next`.

    Args:
        rows, frames, contacts, laws, bodies: of the system.
        velocities, angular_velocities: of the bodies (n, 3), in the mean over the step, or at its end.
        h: length of the step [s].
        ends: whether the step ends: then the states are those from now on, with the speeds.
    """
    dt = 0.5 * abs(h)
    for k in range(len(frames.contact)):
        law = frames.friction_law[k]
        if law < 0:
            continue
        r, c, new = frames.row[k], frames.contact[k], frames.friction_next[k]
        x, y, z = contact_velocity(
            frames, k, contacts.body_a[c], contacts.body_b[c], velocities, angular_velocities
        )
        v, w = dot(*vector(frames.axes[k, 1]), x, y, z), dot(*vector(frames.axes[k, 2]), x, y, z)
        if frames.conveys[k] != 0:
            v, w = v + frames.drift[k, 0], w + frames.drift[k, 1]
        speed = np.sqrt(v * v + w * w)
        presses = rows.impulse[r] > 0.0
        for i in range(3):
            new[i] = 0.0
        if presses and laws.memory[law] != SET_VALUED:
            _, _, alpha, beta = terms(laws, law, speed, dt)
            x, y = _state_along(frames, k)
            first, second = _unit(frames.axes[k, 1]), _unit(frames.axes[k, 2])
            x, y = alpha * x + beta * v, alpha * y + beta * w
            for i in range(3):
                new[i] = x * first[i] + y * second[i]
        state, work = frames.friction_state[k], frames.friction_work[k, 0]
        new[SLID], new[WORK], new[STEP_WORK] = state[SLID], state[WORK] + work, state[STEP_WORK] + work
        frames.friction_work[k, 0] = 0.0
        if laws.memory[law] == SET_VALUED:
            new[SLID] = speed if frames.friction_slides[k] or not presses else 0.0
        elif ends:
            new[SLID] = speed
        if ends:
            for i in range(STATE):
                state[i] = new[i]

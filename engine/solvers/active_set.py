"""The active set of the direct solver: which rows act as equalities, which rest at a limit, which slide.

Bounded rows are equalities while their impulse lies within its limits and leave the system at a limit, until
the velocity asks for them again. A friction pair sticks (two equalities), slides (its impulse follows the
normal one, against the sliding) or is off (nothing presses). Bender 2007, sections 5.1.4 and 5.3.3.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.engine.constraints.rows import (
    ACTIVE,
    BOUNDED,
    FRESH,
    FRICTION,
    OFF,
    SECOND_TANGENT,
    SLIDING,
    add_impulse,
    redress,
    row_velocity,
    soft_effective_mass,
)

__all__ = [
    "RELEASE",
    "choose_first_set",
    "clip_sticking",
    "count_slipping",
    "follow_sliding",
    "forget",
    "is_known",
    "longest_step",
    "mark_sliding",
    "release",
    "repair_set",
    "worst_fault",
]

# Pull [tolerances] that a contact may exert before it is let go. Contacts at the rim of a pile carry almost
# nothing; without this slack, rounding would take them in and out in every step, at a factorisation each.
RELEASE = 100.0
# What `_fault` asks of a pair that slides although it was given all of its static friction.
SLIPPED = 4
ALIKE = 1e-3  # share of a softness that the matrix may be off by
TURNED = 0.05  # turn of the sliding direction [rad] up to which the matrix keeps the old one
LONG_STEP = 0.1  # share of a step from which on all rows that the whole step would release go at once


@inner
def _set_pair(rows, r, a, b, p0, p1, z):
    """Give a friction pair the impulse (p0, p1); return the change as a velocity."""
    d0 = p0 - rows.impulse[r]
    d1 = p1 - rows.impulse[r + 1]
    rows.impulse[r] = p0
    rows.impulse[r + 1] = p1
    add_impulse(rows.jacobian, r, a, b, d0, z)
    add_impulse(rows.jacobian, r + 1, a, b, d1, z)
    return np.sqrt(d0 * d0 + d1 * d1) * rows.inverse_effective_mass[r]


@inner
def follow_sliding(rows, b0, b1, z, work):
    """Let sliding pairs oppose their sliding, as strongly as their normal rows press.

    Writes the friction per normal impulse and the slip for the matrix. Returns the
    largest change of a pair's impulse [m/s], how many pairs slide, whether any direction has turned away
    from what the matrix knows by more than `TURNED`, and by how much [m/s] friction drives, most of all, the
    sliding that it is to oppose: such a pair sticks.
    """
    friction_ratio, old_friction_ratio = work.friction_ratio, work.old_friction_ratio
    worst, driven = 0.0, -np.inf
    count = 0
    turned = False
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] != FRICTION or rows.state[r] != SLIDING:
                continue
            count += 1
            limit = rows.active_friction[r] * max(rows.impulse[rows.start[block]], 0.0)
            v0 = row_velocity(rows, r, a, b, z) + rows.bias[r]
            v1 = row_velocity(rows, r + 1, a, b, z) + rows.bias[r + 1]
            work.slip_compliance[r + 1] = np.sqrt(v0 * v0 + v1 * v1) / max(limit, 1e-300)
            mass = soft_effective_mass(rows, r)
            p0 = rows.impulse[r] - mass * v0
            p1 = rows.impulse[r + 1] - mass * v1
            size = np.sqrt(p0 * p0 + p1 * p1)
            if rows.static_friction[r] > 0.0:
                driven = max(driven, (limit - size) * rows.inverse_effective_mass[r])
            if size > 0.0:
                p0 /= size
                p1 /= size
            worst = max(worst, _set_pair(rows, r, a, b, p0 * limit, p1 * limit, z))
            s0 = rows.active_friction[r] * p0
            s1 = rows.active_friction[r] * p1
            off = (s0 - old_friction_ratio[r]) ** 2 + (s1 - old_friction_ratio[r + 1]) ** 2
            if off > (TURNED * rows.active_friction[r]) ** 2:
                turned = True
            friction_ratio[r] = s0
            friction_ratio[r + 1] = s1
    return worst, count, turned, driven


@inner
def clip_sticking(rows, b0, b1, z):
    """Take from pairs that stick what is beyond their discs, so that others that stick take it over.

    Where points hold a body several times over, how they share its friction is free, and it does not slide as
    long as any way to share it holds. Returns the largest change of a pair's impulse [m/s].
    """
    worst = 0.0
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] != FRICTION or rows.state[r] != ACTIVE:
                continue
            limit = rows.static_friction[r] * max(rows.impulse[rows.start[block]], 0.0)
            p0, p1 = rows.impulse[r], rows.impulse[r + 1]
            size = np.sqrt(p0 * p0 + p1 * p1)
            if size > limit:
                share = limit / size
                worst = max(worst, _set_pair(rows, r, a, b, share * p0, share * p1, z))
    return worst


@inner
def forget(rows, b0, b1, z):
    """Take all impulses back, but those that are given, and forget the states."""
    for block in range(b0, b1):
        for r in range(rows.start[block], rows.start[block + 1]):
            rows.state[r] = FRESH
            given = rows.kind[r] == BOUNDED and rows.lower[r] == rows.upper[r]
            if rows.impulse[r] != 0.0 and not given:
                a, b = rows.bodies[block, 0], rows.bodies[block, 1]
                add_impulse(rows.jacobian, r, a, b, -rows.impulse[r], z)
                rows.impulse[r] = 0.0


@inner
def choose_first_set(rows, b0, b1, z, tolerance, work):
    """Choose the first active set from the starting impulses and velocities.

    Returns whether friction waits, whether the states are those that the matrix was made for, and how many
    pairs slide.

    Without any starting impulse, friction is off at first: of all impulses that hold a pile, those that need
    no friction are found, as between bodies that were set down gently, if there are any. Else the
    least-norm solution leans on the edges of the cones as in an arch, and much of it would slide.
    """
    cold = same = True
    sliding = 0
    for r in range(rows.start[b0], rows.start[b1]):
        if rows.impulse[r] != 0.0:
            cold = False
            break
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        first, last = rows.start[block], rows.start[block + 1]
        for r in range(first, last):
            if rows.kind[r] == BOUNDED:
                if rows.upper[r] == rows.lower[r] or rows.effective_mass[r] == 0.0:
                    rows.state[r] = OFF
                elif rows.lower[r] < rows.impulse[r] < rows.upper[r]:
                    rows.state[r] = ACTIVE
                elif rows.state[r] != ACTIVE:
                    v = row_velocity(rows, r, a, b, z) + rows.bias[r] + rows.softness[r] * rows.impulse[r]
                    # a fresh contact that just touches carries load more often than not; one that carried
                    # none in the last phase needs a reason, or contacts at the rim of a pile would flicker
                    slack = tolerance if rows.state[r] == FRESH else -tolerance
                    closes = v < slack if rows.impulse[r] <= rows.lower[r] else v > -slack
                    rows.state[r] = ACTIVE if closes else OFF
            elif rows.kind[r] == FRICTION:
                rows.active_friction[r] = rows.static_friction[r]
                if rows.state[r] == SLIDING:
                    edge = rows.friction[r] * rows.impulse[first] * (1.0 + 1e-9)
                    if rows.impulse[r] ** 2 + rows.impulse[r + 1] ** 2 <= edge * edge:
                        rows.active_friction[r] = rows.friction[r]
                if rows.state[first] == OFF and rows.impulse[first] <= 0.0:
                    rows.state[r] = OFF
                    if rows.impulse[r] != 0.0 or rows.impulse[r + 1] != 0.0:
                        _set_pair(rows, r, a, b, 0.0, 0.0, z)
                elif cold:
                    rows.state[r] = OFF
                elif rows.state[r] != SLIDING or rows.friction[r] == 0.0:
                    rows.state[r] = SLIDING if rows.static_friction[r] == 0.0 else ACTIVE
                rows.state[r + 1] = rows.state[r]
                sliding += rows.state[r] == SLIDING
            elif rows.kind[r] != SECOND_TANGENT:
                rows.state[r] = OFF if rows.effective_mass[r] == 0.0 else ACTIVE
        same = same and is_known(rows, first, last, work)
    return cold, same, sliding


@inner
def mark_sliding(rows, b0, b1, z, threshold):
    """Let pairs slide that move faster than `threshold` [m/s], and all others stick."""
    for block in range(b0, b1):
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] != FRICTION:
                continue
            v = row_velocity(rows, r, a, b, z) + rows.bias[r]
            w = row_velocity(rows, r + 1, a, b, z) + rows.bias[r + 1]
            slides = v * v + w * w > threshold * threshold
            rows.state[r] = rows.state[r + 1] = SLIDING if slides else ACTIVE


@inner
def is_known(rows, r0, r1, work):
    """Return whether the matrix was made for the states and softnesses of rows r0 to r1 - 1."""
    for r in range(r0, r1):
        if work.state[r] != rows.state[r]:
            return False
        # refinement makes good for what of the softness is a little off
        if abs(work.softness[r] - rows.softness[r]) > ALIKE * work.softness[r]:
            return False
    return True


@inner
def _suspects(rows, b0, b1, found):
    """Write the rows (and their blocks) that are not plainly in the right state by their impulse alone.

    Returns how many there are; `found` (rows of the blocks, 2) is large enough.
    """
    kind, state, lower, upper, impulse = rows.kind, rows.state, rows.lower, rows.upper, rows.impulse
    friction, start = rows.static_friction, rows.start
    count = 0
    for block in range(b0, b1):
        first = start[block]
        for r in range(first, start[block + 1]):
            if kind[r] >= SECOND_TANGENT:
                continue
            if kind[r] == BOUNDED:
                if state[r] == ACTIVE:
                    if lower[r] <= impulse[r] <= upper[r]:
                        continue
                elif lower[r] == upper[r]:
                    continue
            elif state[r] == ACTIVE and state[first] == ACTIVE:
                reach = friction[r] * impulse[first]
                if (
                    reach >= 0.0
                    and impulse[r] * impulse[r] + impulse[r + 1] * impulse[r + 1] <= reach * reach
                ):
                    continue
            found[count, 0] = r
            found[count, 1] = block
            count += 1
    return count


@inner
def count_slipping(rows, b0, b1):
    """Return how many pairs slide with less friction than what would hold them."""
    count = 0
    for r in range(rows.start[b0], rows.start[b1]):
        slides = rows.kind[r] == FRICTION and rows.state[r] == SLIDING
        count += slides and rows.active_friction[r] < rows.static_friction[r]
    return count


@inner
def _fault(rows, r, block, z, tolerance, grip, waited):
    """Return by how much [m/s] row r is in the wrong state, 0 if it is right, and the right state.

    A pair that leaves its cone keeps the static coefficient, until it is seen to slide in spite of it: the
    least-norm solution overloads some contacts, whose neighbours can still take over.
    """
    a, b, first = rows.bodies[block, 0], rows.bodies[block, 1], rows.start[block]
    if rows.kind[r] == BOUNDED:
        if rows.lower[r] == rows.upper[r] or rows.effective_mass[r] == 0.0:
            return 0.0, OFF
        if rows.state[r] == ACTIVE:
            excess = (
                max(rows.lower[r] - rows.impulse[r], rows.impulse[r] - rows.upper[r])
                * rows.inverse_effective_mass[r]
            )
            return (excess, OFF) if excess > RELEASE * tolerance else (0.0, ACTIVE)
        v = row_velocity(rows, r, a, b, z) + rows.bias[r] + rows.softness[r] * rows.impulse[r]
        v *= redress(rows, r)
        excess = -v if rows.impulse[r] == rows.lower[r] else v
        return (excess, ACTIVE) if excess > tolerance else (0.0, OFF)
    limit = max(rows.impulse[first], 0.0)
    v0 = row_velocity(rows, r, a, b, z) + rows.bias[r]
    v1 = row_velocity(rows, r + 1, a, b, z) + rows.bias[r + 1]
    speed = np.sqrt(v0 * v0 + v1 * v1)
    p0 = rows.impulse[r]
    p1 = rows.impulse[r + 1]
    if rows.state[r] == OFF:
        # what closes again slides at first, what waited for the normal rows sticks
        if rows.state[first] == ACTIVE:
            state = ACTIVE if waited and rows.static_friction[r] > 0.0 else SLIDING
            return max(speed, 2.0 * tolerance), state
        return 0.0, OFF
    if rows.state[first] == OFF and limit == 0.0:
        return max(np.sqrt(p0 * p0 + p1 * p1) * rows.inverse_effective_mass[r], 2.0 * tolerance), OFF
    if rows.state[r] == ACTIVE:
        excess = (np.sqrt(p0 * p0 + p1 * p1) - rows.static_friction[r] * limit) * rows.inverse_effective_mass[
            r
        ]
        return (excess, SLIDING) if excess > RELEASE * tolerance else (0.0, ACTIVE)
    if rows.static_friction[r] == 0.0:
        return 0.0, SLIDING
    # a sliding pair sticks again where its impulse would have to drive the sliding instead of opposing it
    if rows.active_friction[r] > rows.friction[r] and speed > RELEASE * tolerance:
        return speed, SLIPPED
    mass = soft_effective_mass(rows, r)
    p0 -= mass * v0
    p1 -= mass * v1
    shortfall = (rows.active_friction[r] * limit - np.sqrt(p0 * p0 + p1 * p1)) * rows.inverse_effective_mass[
        r
    ]
    return (max(shortfall, 2.0 * tolerance), ACTIVE) if shortfall > grip else (0.0, SLIDING)


@inner
def _enter(rows, r, a, b, state, z):
    """Move row r (for friction: the pair) into a state, with the impulse that belongs to it."""
    rows.state[r] = state
    if rows.kind[r] == BOUNDED:
        if state == OFF:
            limit = rows.lower[r] if rows.impulse[r] < rows.lower[r] else rows.upper[r]
            amount = limit - rows.impulse[r]
            rows.impulse[r] = limit
            add_impulse(rows.jacobian, r, a, b, amount, z)
        return
    if state == SLIPPED:
        rows.active_friction[r] = rows.friction[r]
        rows.state[r] = SLIDING
        return
    rows.state[r + 1] = state
    rows.active_friction[r] = rows.static_friction[r]
    if state == OFF:
        _set_pair(rows, r, a, b, 0.0, 0.0, z)


@inner
def longest_step(rows, b0, b1, amount, tolerance):
    """Return the largest share, up to 1, of the step `amount` that keeps all bounded rows in their limits.

    Active rows that contradict each other (four corners of a box of which one is a hair too high) would let
    the impulses run away along the contradiction; the row that reaches its limit first is to be let go.
    """
    friction_ratio = 1.0
    for r in range(rows.start[b0], rows.start[b1]):
        if rows.kind[r] != BOUNDED or rows.state[r] != ACTIVE:
            continue
        slack = RELEASE * tolerance * rows.effective_mass[r]
        new = rows.impulse[r] + amount[r]
        if new < rows.lower[r] - slack:
            friction_ratio = min(friction_ratio, max((rows.lower[r] - rows.impulse[r]) / amount[r], 0.0))
        elif new > rows.upper[r] + slack:
            friction_ratio = min(friction_ratio, max((rows.upper[r] - rows.impulse[r]) / amount[r], 0.0))
    return friction_ratio


@inner
def release(rows, b0, b1, z, amount, friction_ratio, tolerance, friction_too):
    """Let go of the rows that have reached their limits after `share` of the step `amount` was made.

    After a long step, all those that the whole step would have driven beyond. With
    `friction_too`, what sticks lets go as well, else it slides before: in a jam, friction may be what
    contradicts joints.
    """
    reach = 1.0 if friction_ratio > LONG_STEP else friction_ratio * (1.0 + 1e-9)
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        first, last = rows.start[block], rows.start[block + 1]
        for r in range(first, last):
            if rows.kind[r] != BOUNDED or rows.state[r] != ACTIVE:
                continue
            slack = RELEASE * tolerance * rows.effective_mass[r]
            old = rows.impulse[r] - friction_ratio * amount[r]
            if amount[r] < 0.0 and old + amount[r] < rows.lower[r] - slack:
                limit = rows.lower[r]
                gone = old + reach * amount[r] <= limit + 1e-12 * abs(amount[r])
            elif amount[r] > 0.0 and old + amount[r] > rows.upper[r] + slack:
                limit = rows.upper[r]
                gone = old + reach * amount[r] >= limit - 1e-12 * abs(amount[r])
            else:
                continue
            if not gone:
                continue
            add_impulse(rows.jacobian, r, a, b, limit - rows.impulse[r], z)
            rows.impulse[r] = limit
            sticks = False
            pair = r + 1
            while r == first and pair < last and rows.kind[pair] == FRICTION:
                if friction_too:
                    rows.state[pair] = rows.state[pair + 1] = OFF
                    _set_pair(rows, pair, a, b, 0.0, 0.0, z)
                elif rows.state[pair] == ACTIVE:
                    # what sticks would have to be pulled: before it lets go, it slides
                    rows.state[pair] = rows.state[pair + 1] = SLIDING
                    sticks = True
                pair += 2
            if not sticks:
                rows.state[r] = OFF


@inner(allocates=True)
def worst_fault(rows, b0, b1, z, tolerance):
    """Return by how much [m/s] the row that is in the wrong state most is so."""
    found = np.empty((rows.start[b1] - rows.start[b0], 2), np.int64)
    return _worst_of(rows, found, _suspects(rows, b0, b1, found), z, tolerance)


@inner
def _worst_of(rows, found, count, z, tolerance):
    worst = 0.0
    for i in range(count):
        worst = max(worst, _fault(rows, found[i, 0], found[i, 1], z, tolerance, tolerance, False)[0])
    return worst


@inner(allocates=True)
def repair_set(rows, b0, b1, z, tolerance, grip, only_worst, friction_waits, waited):
    """Put rows that are in the wrong state into the right one; return how many there were.

    `only_worst` changes the worst one alone; `friction_waits` leaves friction pairs as they are; after that,
    `waited` lets all of them stick.
    """
    found = np.empty((rows.start[b1] - rows.start[b0], 2), np.int64)
    count = _suspects(rows, b0, b1, found)
    return _repair(rows, found, count, z, tolerance, grip, only_worst, friction_waits, waited)


@inner
def _repair(rows, found, count, z, tolerance, grip, only_worst, friction_waits, waited):
    changed = 0
    worst = 0.0
    worst_row = -1
    worst_block = -1
    worst_state = OFF
    for i in range(count):
        r, block = found[i, 0], found[i, 1]
        if friction_waits and rows.kind[r] == FRICTION:
            continue
        fault, state = _fault(rows, r, block, z, tolerance, grip, waited)
        if fault == 0.0:
            continue
        changed += 1
        if not only_worst:
            _enter(rows, r, rows.bodies[block, 0], rows.bodies[block, 1], state, z)
        elif fault > worst:
            worst = fault
            worst_row = r
            worst_block = block
            worst_state = state
    if only_worst and worst_row >= 0:
        _enter(rows, worst_row, rows.bodies[worst_block, 0], rows.bodies[worst_block, 1], worst_state, z)
    return changed

"""The velocity-level solve of RATTLE, with impacts: impulses at t + h after which nothing approaches.

Joints and resting contacts come to rest; contacts and stops that are hit faster than the resting threshold
get their restitution first, round by round; friction goes with all of them.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats
from stoss.engine.constraints.rows import ACTIVE, OFF
from stoss.engine.contacts.compliance import book_compliance
from stoss.engine.contacts.frames import gap_at, vector
from stoss.engine.contacts.rolling_friction import row_count
from stoss.engine.contacts.settle import meet, prepare_settle
from stoss.engine.joints.arrays import LIMIT
from stoss.engine.joints.settle import BEFORE_IMPACTS, prepare_joints_settle
from stoss.engine.joints.state import gather_joints
from stoss.engine.laws.contact_functions import RIGID
from stoss.engine.solvers.allowance import is_at_end
from stoss.engine.solvers.arrays import is_direct
from stoss.engine.stages.build import build
from stoss.engine.stages.certificate import (
    BOUNDED,
    SWEPT,
    bound,
    certify_settled,
    climb,
)
from stoss.engine.stages.elastic_rows import book_elastic
from stoss.engine.stages.energy_account import close_account
from stoss.engine.stages.impacts import impact_round, mend_walls
from stoss.engine.stages.laws import finish_laws, look_at_laws, rubs
from stoss.engine.stages.ledger import book, keep_velocities
from stoss.engine.stages.scratch import copy_vector
from stoss.engine.stages.solve import (
    keep_account,
    note_account,
    note_given,
    return_to_noted,
    solve_and_book,
    solve_by_sweeps,
    start_cold,
    start_over,
    sweep_rows,
    sweeps_contacts,
)
from stoss.engine.stages.state import Building, Options, System
from stoss.engine.stages.yielding import yield_drives

__all__ = ["settle", "settle_velocities"]

# Rounds of impacts in one step: a cradle of n balls needs n - 1. What still approaches afterwards is
# stopped without restitution by the velocity rows.
MOST_IMPACT_ROUNDS = 20
# Solves in which friction laws are followed.
MOST_LOOKS = 40
# Share of the change of resting impulses that the next step starts from. Half of it would be what bodies need
# that were at rest at the start; where what is left adds up over n steps before it is solved for, 1 / 2n.
SHARE_KEPT = 0.25
# Speed [tolerances] from which on what presses nothing slides.
SLIDES = 100.0


@kernel
def settle(s: System, b: Building, o: Options, h: float, statistics: Floats) -> None:
    """Build the rows of t + h and solve them, see `build` and `settle_velocities`.

    Contacts that are `touching` touched before bodies were displaced, and need their impulse; what was pushed
    close by that touches now.
    """
    build(s, b, h)
    if len(s.rows.bias) == 0:
        return
    for c in range(len(s.touching)):
        s.touching[c] = s.touching[c] or s.contacts.gap[c] <= o.rows.touch_distance
    settle_velocities(s, o, h, o.cold, statistics)


@kernel
def settle_velocities(s: System, o: Options, h: float, cold: bool, statistics: Floats) -> None:
    """Give impulses at t + h: impacts with restitution, then nothing approaches and friction holds.

    With `cold` the rows start from nothing, and what they had counts for the total alone.
    """
    rows, frames, bodies, contacts, w = s.rows, s.frames, s.bodies, s.contacts, s.work
    count = len(rows.impulse)
    if cold:
        copy_vector(rows.impulse, s.total, count)
        start_cold(rows)
    for r in range(count):
        w.start[r] = rows.impulse[r]
        w.states[r] = rows.state[r]
        w.given[r] = 0.0
        w.applied[r] = False
    if not cold:
        _start_from_last_settled(s)
    for island in range(len(s.has_joints)):
        s.solver.enough[island], s.solver.still[island] = 0.0, o.velocity_tolerance
    if len(s.joints.bodies) > 0:
        book_elastic(s, 1.0)
    book_compliance(s, 1.0)
    keep_velocities(bodies, w.last_velocities, w.last_angular_velocities)
    touches = len(frames.contact) > 0
    elastic, waits = _find_impacts(s, o, h)
    if elastic:
        copy_vector(rows.impulse, w.settled, count)
        note_account(s)
    if waits:
        # the rate of an impact is that which joints leave: without this its energy is wrong by h times forces
        _settle_what_is_held(s, o, h, statistics)
    if elastic:
        for number in range(MOST_IMPACT_ROUNDS):
            if number > 0 and is_at_end(statistics):
                break
            goes_on = impact_round(s, o, h, number, statistics)
            for r in range(count):
                w.given[r] += rows.impulse[r]
            if not goes_on:
                break
        copy_vector(w.settled, rows.impulse, count)
        copy_vector(w.states, rows.state, count)
    note_given(s)
    if touches:
        prepare_settle(rows, frames, contacts, bodies, s.old, s.touching, h, not (elastic or waits))
    _prepare_joints(s, o, h, -1, False)
    if not (elastic or waits):
        _press_what_slides(s, o)
    look_at_laws(s, h, True, w.everything, 0)
    loads = 0.0 if waits else -0.5 * h
    solve_and_book(s, o, not waits, w.everything[: len(s.has_joints)], loads, statistics)
    _follow_laws(s, o, h, loads, statistics)
    swept, bounded = w.failing[: len(s.has_joints)], w.chosen[: len(s.has_joints)]
    if certify_settled(s, o, h, swept, bounded):
        climb(s, swept, SWEPT)
        yield_drives(s, h, swept)
        solve_by_sweeps(s, o, swept, loads)
        if certify_settled(s, o, h, swept, bounded) and elastic:
            _settle_without_impacts(s, o, h, swept, bounded, statistics)
        if certify_settled(s, o, h, swept, bounded):
            for island in range(len(bounded)):
                bounded[island] = bounded[island] or swept[island]
            climb(s, bounded, BOUNDED)
            bound(s, o, h, bounded)
    close_account(s, o, h)
    for r in range(count):
        w.given[r] += rows.impulse[r]
        before = s.total[r] if cold else 0.0
        s.total[r] = w.start[r] + w.given[r] + before
    finish_laws(s, h, True)
    _start_from_rest(s, o)
    if len(s.joints.bodies) > 0:
        gather_joints(s.joints, s.joint_frames, rows, w.given[:count])


@inner
def _start_from_last_settled(s):
    """Let contacts that are swept start from what settled them last, see `remember_settled`."""
    starts = s.layout.contact_start
    for island in range(len(s.has_joints)):
        if not sweeps_contacts(s, island):
            continue
        for k in range(starts[island], starts[island + 1]):
            if s.frames.was_settled[k]:
                first = s.frames.row[k]
                for r in range(first, first + row_count(s.frames.resists[k])):
                    s.rows.impulse[r] = s.work.last_settled[r]


@inner
def _press_what_slides(s, o):
    """Let contacts of islands with joints that slide and press nothing start from the mean load of others.

    Where bodies are held several times over, any share of the load would do, but a wheel that spins on the
    ground is pressed there: it would else spin for ever.
    """
    rows, frames, starts = s.rows, s.frames, s.layout.contact_start
    for island in range(len(s.has_joints)):
        if not s.has_joints[island] or not is_direct(s.solver, island):
            continue
        load, loaded = 0.0, 0
        for k in range(starts[island], starts[island + 1]):
            impulse = rows.impulse[frames.row[k]]
            load, loaded = load + impulse, loaded + (impulse > 0.0)
        if loaded == 0:
            continue
        for k in range(starts[island], starts[island + 1]):
            r = frames.row[k]
            if s.touching[frames.contact[k]] and rows.impulse[r] == 0.0 and rows.state[r] == OFF:
                v, w = rows.bias[r + 1], rows.bias[r + 2]
                if (
                    rows.bias[r] <= o.velocity_tolerance
                    and v * v + w * w > (SLIDES * o.velocity_tolerance) ** 2
                ):
                    rows.impulse[r], rows.state[r] = load / loaded, ACTIVE


@inner
def _follow_laws(s, o, h, loads, statistics):
    """Look at the friction laws again after a solve, and solve again, until friction is what they say."""
    if len(s.laws.curve) == 0:
        return
    w, chosen = s.work, s.work.chosen[: len(s.has_joints)]
    for island in range(len(chosen)):
        chosen[island] = w.lawful[island]
    for number in range(1, MOST_LOOKS):
        note_given(s)
        if len(s.frames.contact) > 0:
            prepare_settle(s.rows, s.frames, s.contacts, s.bodies, s.old, s.touching, h, False)
        _prepare_joints(s, o, h, -1, False)
        if look_at_laws(s, h, True, chosen, number) == 0.0 or is_at_end(statistics):
            return
        going_on = False
        for island in range(len(chosen)):
            chosen[island] = chosen[island] and rubs(s, island, number)
            going_on = going_on or chosen[island]
        if not going_on:
            return
        solve_and_book(s, o, False, chosen, loads, statistics)


@inner
def _settle_without_impacts(s, o, h, swept, bounded, statistics):
    """Settle the islands that impacts gave energy once more from the start of the stage, by sweeps alone."""
    rows, w = s.rows, s.work
    chosen = w.hit_islands[: len(swept)]
    for island in range(len(swept)):
        chosen[island] = swept[island] or (bounded[island] and s.has_joints[island])
        if chosen[island]:
            mend_walls(s, island)
    for r in range(len(rows.impulse)):
        w.booked[r] = 0.0
    for island in range(len(swept)):
        first, last = s.islands.block_start[island], s.islands.block_start[island + 1]
        for r in range(rows.start[first], rows.start[last]):
            if chosen[island]:
                w.booked[r] = -(w.given[r] + rows.impulse[r])
                w.given[r] = 0.0
    keep_velocities(s.bodies, s.scratch.middle_velocities, s.scratch.middle_angular_velocities)
    copy_vector(rows.impulse, w.settled, len(rows.impulse))
    start_over(s, chosen, w.last_velocities, w.last_angular_velocities, w.nothing)
    book(s, w.booked, s.scratch.middle_velocities, s.scratch.middle_angular_velocities, 0.0)
    return_to_noted(s, chosen)
    if len(s.frames.contact) > 0:
        prepare_settle(rows, s.frames, s.contacts, s.bodies, s.old, s.touching, h, False)
    _prepare_joints(s, o, h, -1, False)
    look_at_laws(s, h, True, w.everything, 0)
    _start_chosen_from_nothing(s, chosen)
    yield_drives(s, h, chosen)
    keep_velocities(s.bodies, s.scratch.middle_velocities, s.scratch.middle_angular_velocities)
    keep_account(s)
    sweep_rows(s, o, chosen)
    for r in range(len(rows.impulse)):
        w.booked[r] = rows.impulse[r] - w.booked[r]
    book(s, w.booked, s.scratch.middle_velocities, s.scratch.middle_angular_velocities, -0.5 * h)


@inner
def _start_chosen_from_nothing(s, chosen):
    """Let rows of the chosen islands start from nothing, of the others from `work.settled`; note them."""
    rows, w, blocks = s.rows, s.work, s.islands.block_start
    for island in range(len(chosen)):
        for r in range(rows.start[blocks[island]], rows.start[blocks[island + 1]]):
            # sweeps take each row to its bounds
            rows.impulse[r] = w.booked[r] = 0.0 if chosen[island] else w.settled[r]


@inner
def _find_impacts(s, o, h):
    """Return whether contacts or stops are hit, and whether that is to wait until all else is settled."""
    frames, starts = s.frames, s.layout.contact_start
    everything = s.work.everything[: len(s.has_joints)]
    elastic = waits = o.stops and _prepare_joints(s, o, h, -1, True) > 0
    for island in range(len(s.has_joints)):
        s.work.waiting[island] = waits and s.has_joints[island]
    if len(frames.contact) > 0:
        elastic = _meet(s, o, everything, h, False) or elastic
        for island in range(len(s.has_joints)):
            held, met = s.has_joints[island], False
            if not (held or o.rows.exact):
                continue
            for k in range(starts[island], starts[island + 1]):
                held = held or (o.rows.exact and s.work.start[frames.row[k]] > 0.0)
                met = met or _is_met(s, o, k)
            s.work.waiting[island] = s.work.waiting[island] or (held and met)
            waits = waits or s.work.waiting[island]
    return elastic, waits


@inner
def _is_met(s, o, k):
    """Return whether a contact is hit, or has just been made where sub-steps end for that."""
    frames, old = s.frames, s.old
    if frames.approach[k] > frames.least_bounce[k]:
        return True
    if not (o.rows.exact and frames.approach[k] > 0.0):
        return False
    c, axis = frames.contact[k], vector(frames.axes[k, 0])
    a, b = s.contacts.body_a[c], s.contacts.body_b[c]
    return gap_at(frames, k, a, b, axis, old.positions, old.quaternions) > o.rows.touch_distance


@inner
def _meet(s, o, chosen, h, settled):
    starts, loaded, rows = s.layout.contact_start, s.work.start, o.rows
    return meet(
        loaded,
        s.rows,
        s.frames,
        s.contacts,
        s.bodies,
        s.old,
        s.scratch,
        s.touching,
        rows,
        starts,
        chosen,
        s.work.displaced,
        s.work.lifted,
        h,
        settled,
    )


@inner
def _settle_what_is_held(s, o, h, statistics):
    """Settle all but what is hit, and look again how fast that is."""
    rows, frames, w = s.rows, s.frames, s.work
    touches = len(frames.contact) > 0
    everything = w.everything[: len(s.has_joints)]
    note_given(s)
    if touches:
        prepare_settle(rows, frames, s.contacts, s.bodies, s.old, s.touching, h, False)
        for k in range(len(frames.contact)):
            if _is_met(s, o, k):
                first = frames.row[k]
                rows.upper[first] = 0.0
                for r in range(first, first + row_count(frames.resists[k])):
                    rows.impulse[r] = 0.0
    _prepare_joints(s, o, h, BEFORE_IMPACTS, False)
    look_at_laws(s, h, True, w.everything, 0)
    solve_and_book(s, o, True, everything, -0.5 * h, statistics)
    given, bounded = w.failing[: len(s.has_joints)], w.chosen[: len(s.has_joints)]
    if certify_settled(s, o, h, given, bounded):
        # what is too much for another reason waits for the end: impacts take of it
        climb(s, given, SWEPT)
        yield_drives(s, h, given)
        solve_by_sweeps(s, o, given, -0.5 * h)
    if o.rows.exact:
        _keep_what_was_borne(s)
    copy_vector(rows.impulse, w.settled, len(rows.impulse))
    copy_vector(rows.state, w.states, len(rows.impulse))
    if o.stops:
        _prepare_joints(s, o, h, -1, True)
    if touches:
        _meet(s, o, everything if o.rows.exact else s.has_joints, h, True)


@inner
def _keep_what_was_borne(s):
    """Let what contacts and stops have given before the impacts stay, whatever these take off them.

    A block that rocks has stood on one edge until the other one hits and the first leaves the ground.
    """
    frames, joints, joint_frames, starts = s.frames, s.joints, s.joint_frames, s.layout.contact_start
    for island in range(len(s.has_joints)):
        if not s.work.waiting[island]:
            continue
        for k in range(starts[island], starts[island + 1]):
            if frames.contact_law[k] == RIGID and frames.friction_law[k] < 0:
                for i in range(row_count(frames.resists[k])):
                    _keep(s, frames.row[k] + i)
    for j in range(len(joint_frames.first_row)):
        r = joint_frames.first_row[j] - 1
        if r < -1 or not s.work.waiting[joint_frames.island[j]]:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.active[m]:
                r += 1
                if joints.role[m] == LIMIT and joints.stiffness[m] == np.inf:
                    _keep(s, r)


@inner
def _keep(s, r):
    """Let what row r gives from now on be counted apart from what it has given."""
    s.work.given[r] += s.rows.impulse[r]
    s.rows.impulse[r], s.work.applied[r] = 0.0, False


@inner
def _prepare_joints(s, o, h, impact_round, find_approaches):
    """Set the rows of joints, if there are any; return how many stops are hit."""
    if len(s.joints.bodies) == 0:
        return 0
    return prepare_joints_settle(
        s.joints,
        s.joint_frames,
        s.rows,
        s.bodies,
        h,
        o.rows,
        impact_round,
        find_approaches,
        s.work.displaced,
        s.work.given,
    )


@inner
def _start_from_rest(s, o):
    """Let the next step start from resting impulses where this one held an impact that contacts pass on.

    And from the impulses of `correct`, with a share of what was changed since, where contacts rest: what
    places are off by rounding takes as much in `correct` as it gives back here. To start from the last ones
    would do the same in the next step, with the other sign, and so on for ever, at a solve in each step.
    """
    rows, starts = s.rows, s.layout.contact_start
    for island in range(len(s.has_joints)):
        hit = o.rows.exact and s.work.waiting[island]
        for k in range(starts[island], starts[island + 1]):
            hit = hit or s.frames.approach[k] > s.frames.least_bounce[k]
        if hit:
            first_block, last_block = s.islands.block_start[island], s.islands.block_start[island + 1]
            for r in range(rows.start[first_block], rows.start[last_block]):
                rows.impulse[r] = s.work.start[r]
                if o.rows.exact and s.work.waiting[island] and s.work.start[r] != 0.0:
                    rows.state[r] = s.work.states[r]
        elif not s.has_joints[island] and is_direct(s.solver, island):
            _start_between(rows, s.frames.row, s.work.start, starts[island], starts[island + 1])


@inner
def _start_between(rows, first_row, start, first, last):
    """Take back most of what was changed since `start` (rows,), of contacts that stuck before and do now."""
    for k in range(first, last):
        r = first_row[k]
        if rows.state[r] == ACTIVE and rows.state[r + 1] == ACTIVE and start[r] > 0.0:
            for i in range(r, r + 3):
                rows.impulse[i] = start[i] + SHARE_KEPT * (rows.impulse[i] - start[i])

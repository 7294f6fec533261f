"""The stages of a step that solve rows, `correct` and `settle`, and the sub-steps of what touches nothing.

One call of a kernel costs as much as a joint or two, for the arrays that it takes; so a stage is one kernel.
`Dynamics` owns the arrays, detects contacts between the stages and calls them.
"""

import numpy as np
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.constraints.rows import FRESH, apply_warm_start
from stoss.engine.contacts.constraints import (
    apply_rows,
    build_rows,
    free_accelerations,
    meet,
    prepare_correct,
    prepare_settle,
    preview_curvature,
    world_root_inverse_inertias,
)
from stoss.engine.contacts.rolling_friction import row_count
from stoss.engine.contacts.warm_start import ImpulseMemory, recall, remember
from stoss.engine.joints.constraints import (
    BEFORE_IMPACTS,
    build_joint_rows,
    prepare_joints_correct,
    prepare_joints_settle,
    start_held_rows,
)
from stoss.engine.joints.state import fastest_turns, gather_joints
from stoss.engine.motion.free_motion import advance_bodies, preview_bodies
from stoss.engine.solvers.arrays import is_direct, still_holds_all
from stoss.engine.solvers.solve_islands import solve_islands
from stoss.engine.solvers.statistics import CLOSED, PASSES, PREVIEW_ERROR, SUB_STEPS
from stoss.engine.stages.impacts import impact_round
from stoss.engine.stages.ledger import book, keep_velocities, work_of_loads
from stoss.engine.stages.state import Building, Options, System

__all__ = [
    "DONE",
    "GIVEN_UP",
    "OPEN",
    "build",
    "correct",
    "move",
    "run_apart",
    "settle",
]

# How `run_apart` ends.
DONE, OPEN, GIVEN_UP = range(3)

# Rounds of impacts in one step: a cradle of n balls needs n - 1. What still approaches afterwards is
# stopped without restitution by the velocity rows.
MOST_IMPACT_ROUNDS = 20
# Evaluations of the preview for islands without joints: contacts that change in between might go on for ever.
MOST_CONTACT_PASSES = 3
# Share of the last error of the preview above which a pass with joints was too little: the step is split.
SLOW = 0.5
# The same for sweeps that end early: another pass is in vain, and the errors of many of them would grow.
STUCK = 0.9
# Share of the tolerance at which sweeps over joints end, which converge slowly.
SWEEP_SHARE = 0.1
# Phase [rad] of the fastest swing of a loaded joint in a sub-step, by an estimate from above: the step is
# stable up to 2; a step in which the load turns out to be much larger is split.
LARGEST_SWING = 0.8
SPLIT_SWING = 2.4
# Error of the preview [tolerances] that a composition puts up with where rounding keeps it from less.
ROUNDING = 100.0
# Gap at which resting contacts are held, as a share of the position tolerance: well above rounding.
SLACK = 1e-3


@inner
def _solve(s, o, members, sweep_tolerance, applied, warm, chosen, figures):
    """Solve the rows of the chosen islands and change the velocities of the bodies `members`.

    Impulses that the rows start with and that are not `applied` (rows,) yet are applied first.
    """
    apply_warm_start(s.rows, s.scratch.z, applied)
    solve_islands(
        s.rows,
        s.scratch.z,
        s.islands,
        s.solver,
        chosen,
        o.solver,
        sweep_tolerance,
        warm,
        figures,
    )
    apply_rows(s.scratch.z, members, s.bodies, s.scratch.roots)


@inner
def _take_back(s, impulses, states):
    """Undo the impulses of `correct`."""
    for i in range(len(s.old.velocities)):
        for k in range(3):
            s.bodies.velocities[i, k] = s.old.velocities[i, k]
            s.bodies.angular_velocities[i, k] = s.old.angular_velocities[i, k]
    for r in range(len(impulses)):
        s.rows.impulse[r] = impulses[r]
        s.rows.state[r] = states[r]


@inner(allocates=True)
def _members(islands, chosen):
    """Return the bodies of the chosen islands."""
    out = np.empty(len(islands.bodies), np.int64)
    count = 0
    for island in range(len(chosen)):
        if chosen[island]:
            for i in range(islands.body_start[island], islands.body_start[island + 1]):
                out[count] = islands.bodies[i]
                count += 1
    return out[:count]


@kernel(allocates=True)
def _correct(s: System, o: Options, h: float, gravity: Floats, figures: Floats) -> bool:
    """Give impulses at t so that joints and resting contacts hold at t + h: preview, solve, repeat.

    Returns whether that was possible. If not, joints turn too far or pull too hard, nothing has changed,
    and the step is to be split; one that is too short for that is always taken as it is.
    """
    bodies, rows, scratch, joints, islands = s.bodies, s.rows, s.scratch, s.joints, s.islands
    s.old.positions[:] = bodies.positions
    s.old.quaternions[:] = bodies.quaternions
    s.old.velocities[:] = bodies.velocities
    s.old.angular_velocities[:] = bodies.angular_velocities
    figures[CLOSED] = 0.0
    free_accelerations(bodies, gravity, scratch.roots, scratch.accelerations)
    count = len(islands.body_start) - 1
    if count == 0:
        figures[SUB_STEPS] += 1
        return True
    jointed = False
    for island in range(count):
        jointed = jointed or s.has_joints[island]
    if s.step_length[0] != h and s.step_length[0] != 0.0:
        for r in range(len(rows.impulse)):
            rows.impulse[r] *= h / s.step_length[0]
    s.step_length[0] = h
    impulses, states = rows.impulse.copy(), rows.state.copy()
    s.joint_frames.start[:] = joints.value
    splittable = jointed and (o.composed or abs(h) >= 2.0 * o.shortest)
    last_velocities, last_angular_velocities = np.empty((0, 3)), np.empty((0, 3))
    last_impulses = np.empty(0)
    if jointed:
        last_velocities, last_angular_velocities = bodies.velocities.copy(), bodies.angular_velocities.copy()
        last_impulses = impulses.copy()
    # the last change of a sweep is a fraction of what is still missing
    sweep_tolerance = (SWEEP_SHARE if jointed else 1.0) * o.tolerance / abs(h)
    reach = o.correction_speed * abs(h)
    chosen = np.ones(count, np.bool_)
    straight = np.zeros(count, np.bool_)
    worst, last_worst = np.zeros(count), np.full(count, np.inf)
    members = scratch.everyone
    farthest = 0.0
    before = np.inf
    applied = np.zeros(len(rows.impulse), np.bool_)
    if jointed:
        # joints start from the impulses that settled them: the preview is then almost right
        start_held_rows(joints, s.joint_frames, s.layout.contact_start, rows, scratch.z, applied)
        apply_rows(scratch.z, islands.bodies, bodies, scratch.roots)
    for number in range(o.preview_passes):
        preview_bodies(
            o.motion, members, bodies, gravity, h, scratch.next_positions, scratch.next_quaternions
        )
        worst[:] = 0.0
        if len(s.frames.contact) > 0:
            prepare_correct(
                rows,
                s.frames,
                s.contacts,
                bodies,
                scratch.accelerations,
                scratch.middle_velocities,
                scratch.middle_angular_velocities,
                scratch.next_positions,
                scratch.next_quaternions,
                h,
                o.resting_speed,
                o.touch_distance,
                o.touch_distance if o.exact else np.inf,
                SLACK * o.position_tolerance,
                s.layout.contact_start,
                chosen,
                number == 0,
                worst,
            )
        if jointed:
            farthest = prepare_joints_correct(
                joints,
                s.joint_frames,
                s.places,
                rows,
                bodies,
                scratch.next_positions,
                scratch.next_quaternions,
                h,
                reach,
                o.resting_speed,
                chosen,
                number == 0,
                worst,
            )
            if farthest > reach:
                splittable = False  # joints that contradict each other do so in the shortest step as well
        if number > 0:
            error = 0.0
            going_on = False
            for island in range(count):
                figures[PREVIEW_ERROR] = max(figures[PREVIEW_ERROR], worst[island])
                chosen[island] = chosen[island] and worst[island] > o.tolerance
                if s.has_joints[island] and not is_direct(s.solver, island):
                    chosen[island] = chosen[island] and worst[island] < STUCK * last_worst[island]
                last_worst[island] = worst[island]
                going_on = going_on or chosen[island]
                if chosen[island] and s.has_joints[island] and is_direct(s.solver, island):
                    error = max(error, worst[island])
            slow = (number > 1 and error > SLOW * before) or number + 1 == o.preview_passes
            if slow and o.composed and error < ROUNDING * o.tolerance:
                going_on = False
                error = 0.0
            if splittable and error > 0.0 and slow:
                _take_back(s, impulses, states)
                return False
            if jointed and slow and error > before:
                # near a singular pose the passes diverge at any length of the step: keep the last good one
                bodies.velocities[:] = last_velocities
                bodies.angular_velocities[:] = last_angular_velocities
                rows.impulse[:] = last_impulses
                break
            before = error
            if not going_on:
                figures[CLOSED] = 1.0 if jointed and farthest <= reach else 0.0
                break
        if jointed:
            last_velocities[:] = bodies.velocities
            last_angular_velocities[:] = bodies.angular_velocities
            last_impulses[:] = rows.impulse
        figures[PASSES] += 1
        _solve(s, o, members, sweep_tolerance, applied, bool(0), chosen, figures)
        for island in range(count):
            if number == 0:
                chosen[island] = s.has_joints[island] or is_direct(s.solver, island)
            elif number + 1 >= MOST_CONTACT_PASSES:
                chosen[island] = chosen[island] and s.has_joints[island]
            straight[island] = chosen[island] and not s.has_joints[island]
        if len(s.frames.contact) > 0:
            preview_curvature(
                s.frames, s.contacts, bodies, h, s.layout.contact_start, straight, o.position_tolerance
            )
        going_on = False
        for island in range(count):
            chosen[island] = chosen[island] and (straight[island] or s.has_joints[island])
            going_on = going_on or chosen[island]
        if not going_on:
            break
        members = _members(islands, chosen)
    if jointed:
        if splittable:
            _, swing = fastest_turns(joints, s.joint_frames, rows, bodies, h)
            if swing * abs(h) > SPLIT_SWING and not o.composed:
                _take_back(s, impulses, states)
                return False
        gather_joints(joints, s.joint_frames, rows, rows.impulse)
    book(s, rows.impulse, s.old.velocities, s.old.angular_velocities)
    figures[SUB_STEPS] += 1
    return True


@inner(allocates=True)
def _solve_and_book(s, o, applied, warm, chosen, figures):
    """Solve for the end of the step, and enter the work of the impulses in the ledger."""
    impulse, scratch = s.rows.impulse, s.scratch
    given = impulse.copy()
    for r in range(len(given)):
        if not applied[r]:
            given[r] = 0.0
    keep_velocities(s.bodies, scratch.middle_velocities, scratch.middle_angular_velocities)
    _solve(s, o, s.islands.bodies, o.velocity_tolerance, applied, warm, chosen, figures)
    for r in range(len(given)):
        given[r] = impulse[r] - given[r]
    book(s, given, scratch.middle_velocities, scratch.middle_angular_velocities)


@inner
def _prepare_joints(s, o, h, impact_round, find_approaches):
    return prepare_joints_settle(
        s.joints,
        s.joint_frames,
        s.rows,
        s.bodies,
        h,
        o.touch_distance,
        o.resting_speed,
        impact_round,
        find_approaches,
    )


@kernel(allocates=True)
def _settle(s: System, o: Options, h: float, cold: bool, figures: Floats) -> None:
    """Give impulses at t + h: impacts with restitution, then nothing approaches and friction holds.

    With `cold` the rows start from nothing, and what they had counts for the total alone.
    """
    before = s.rows.impulse.copy()
    if cold:
        _start_cold(s.rows)
    else:
        before[:] = 0.0
    rows, frames, bodies, contacts = s.rows, s.frames, s.bodies, s.contacts
    touching, speed = s.touching, o.resting_speed
    everything = np.ones(len(s.has_joints), np.bool_)
    touches = len(frames.contact) > 0
    carried, states = rows.impulse.copy(), rows.state.copy()
    given = np.zeros(len(carried))
    applied = np.zeros(len(carried), np.bool_)
    elastic = jointed = o.stops and _prepare_joints(s, o, h, np.int64(-1), bool(1)) > 0
    starts, partner, touch = s.layout.contact_start, s.scratch.partner, o.touch_distance
    accelerations = s.scratch.accelerations
    if touches and meet(
        frames, contacts, bodies, accelerations, s.old, partner, touching, touch, starts, everything, 0.0
    ):
        elastic = True
        for island in range(len(s.has_joints)):
            for k in range(starts[island], starts[island + 1]):
                hit = frames.restitution[k] > 0.0 and frames.approach[k] > speed
                jointed = jointed or (hit and s.has_joints[island])
    settled, first = carried, True
    if jointed:
        # the rate of an impact is that which joints leave: without this its energy is wrong by h times forces
        if touches:
            prepare_settle(rows, frames, contacts, bodies, touching)
            for k in range(len(frames.contact)):
                if frames.approach[k] > speed:
                    rows.upper[frames.row[k]] = 0.0
                    rows.impulse[frames.row[k] : frames.row[k] + row_count(frames.resists[k])] = 0.0
        _prepare_joints(s, o, h, np.int64(BEFORE_IMPACTS), bool(0))
        _solve_and_book(s, o, applied, bool(1), everything, figures)
        settled, states, first = rows.impulse.copy(), rows.state.copy(), False
        if o.stops:
            _prepare_joints(s, o, h, np.int64(-1), bool(1))
        if touches:
            meet(
                frames,
                contacts,
                bodies,
                accelerations,
                s.old,
                partner,
                touching,
                touch,
                starts,
                s.has_joints,
                h,
            )
    if elastic:
        for number in range(MOST_IMPACT_ROUNDS):
            if not impact_round(s, o, h, number, figures):
                break
            given += rows.impulse
        rows.impulse[:] = settled
        rows.state[:] = states
    if touches:
        prepare_settle(rows, frames, contacts, bodies, touching)
    _prepare_joints(s, o, h, np.int64(-1), bool(0))
    _solve_and_book(s, o, applied, first, everything, figures)
    given += rows.impulse
    s.total[:] = carried + given + before
    for island in range(len(s.has_joints)):
        # where this step held an impact, which many contacts pass on, the next starts from resting impulses
        hit = False
        for k in range(starts[island], starts[island + 1]):
            hit = hit or frames.approach[k] > speed
        if hit:
            first_block, last_block = s.islands.block_start[island], s.islands.block_start[island + 1]
            for r in range(rows.start[first_block], rows.start[last_block]):
                rows.impulse[r] = carried[r]
    gather_joints(s.joints, s.joint_frames, rows, given)


@inner
def _start_cold(rows):
    """Let the rows start from nothing."""
    for r in range(len(rows.impulse)):
        rows.impulse[r] = 0.0
        rows.state[r] = FRESH


@kernel(allocates=True)
def _build(s: System, b: Building, h: float) -> None:
    """Build the rows of contacts and joints, with the impulses of the last phase, which was h ago [s]."""
    rows, contacts, frames, bodies, roots = s.rows, s.contacts, s.frames, s.bodies, s.scratch.roots
    for block in range(len(rows.start)):
        rows.start[block] = s.layout.start[block]
    for r in range(len(s.total)):
        s.total[r] = 0.0
    world_root_inverse_inertias(bodies, roots)
    order = s.layout.contacts
    if len(order) > 0:
        build_rows(
            contacts,
            order,
            s.layout.contact_block,
            b.resists,
            bodies,
            roots,
            b.friction_rule,
            b.restitution_rule,
            b.impact_law,
            b.pairs,
            rows,
            frames,
        )
        place = np.empty(len(order), np.int64)
        for k in range(len(order)):
            place[order[k]] = k
        recall(b.memory, contacts, len(order), place, rows, frames)
    build_joint_rows(
        s.joints, s.joint_frames, s.places, s.layout.joint_block, bool(0), bodies, roots, rows, h
    )
    still_holds_all(rows, s.islands, s.solver)


@kernel
def build(s: System, b: Building, h: float) -> None:
    """Build the rows of contacts and joints, with the impulses of the last phase, which was h ago [s].

    Args:
        s: system with memory for the rows.
        b: what else they are built from.
        h: length of the step that ends here [s].
    """
    _build(s, b, h)


@kernel
def correct(s: System, o: Options, memory: ImpulseMemory, h: float, gravity: Floats, figures: Floats) -> bool:
    """Make the impulses at t, see `_correct`, and write those of contacts into `memory`.

    Returns whether it was possible.
    """
    if o.cold:
        _start_cold(s.rows)
    if not _correct(s, o, h, gravity, figures):
        return False
    remember(s.rows, s.frames, s.contacts, memory)
    return True


@kernel
def settle(s: System, b: Building, o: Options, h: float, figures: Floats) -> None:
    """Build the rows of t + h and solve them, see `build` and `_settle`.

    Contacts that are `touching` touched before bodies were displaced, and need their impulse; what was pushed
    close by that touches now.
    """
    _build(s, b, h)
    if len(s.rows.bias) == 0:
        return
    for c in range(len(s.touching)):
        s.touching[c] = s.touching[c] or s.contacts.gap[c] <= o.touch_distance
    _settle(s, o, h, o.cold, figures)


@kernel
def move(bodies: BodyArrays, method: int, gravity: Floats, h: float, ledger: Floats) -> None:
    """Move every body freely from t to t + h; the work of forces on the way is entered in the ledger."""
    work_of_loads(bodies, h, False, ledger)
    advance_bodies(method, bodies, gravity, h)
    work_of_loads(bodies, h, True, ledger)


@kernel(allocates=True)
def run_apart(s: System, o: Options, pending: Floats, gravity: Floats, figures: Floats) -> tuple[Floats, int]:
    """Make sub-steps while nothing touches: all but the last, which is to find new contacts.

    Args:
        s, o: system without contacts, and options.
        pending: lengths [s] of the sub-steps, the next one last.
        gravity: [m/s^2].
        figures: receives figures.

    Returns:
        The lengths that are left, and how it ended: DONE, OPEN (a joint is open at the end of the sub-step at
        the end of the list, which was moved but not settled) or GIVEN_UP (the composition fails).
    """
    stack = np.empty(len(pending) + 64)
    stack[: len(pending)] = pending
    left = len(pending)
    b = s.bodies
    while left > 1:
        h = stack[left - 1]
        if not _correct(s, o, h, gravity, figures):
            if o.composed:
                return stack[:left].copy(), GIVEN_UP
            if left + 1 > len(stack):
                stack = np.concatenate((stack, np.empty(64)))
            stack[left - 1] = 0.5 * h
            stack[left] = 0.5 * h
            left += 1
            continue
        move(b, o.motion, gravity, h, s.ledger)
        if figures[CLOSED] == 0.0 and len(s.has_joints) > 0:
            return stack[:left].copy(), OPEN
        world_root_inverse_inertias(b, s.scratch.roots)
        build_joint_rows(
            s.joints, s.joint_frames, s.places, s.layout.joint_block, bool(0), b, s.scratch.roots, s.rows, h
        )
        still_holds_all(s.rows, s.islands, s.solver)
        _settle(s, o, h, bool(0), figures)
        left -= 1
    return stack[:left].copy(), DONE

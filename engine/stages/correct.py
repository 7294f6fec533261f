"""The position-level solve of RATTLE: impulses at t so that joints and resting contacts hold at t + h.

Positions at t + h are previewed, the linear rows are solved for what is missing there, and again until
nothing is (Bender 2007, section 3.2.2; the matrix is that of time t in all passes).
"""

import numpy as np

from stoss.collision.algebra import dot
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats
from stoss.engine.constraints.islands import MECHANISM, TREE
from stoss.engine.constraints.mass_weighting import apply_rows, free_accelerations
from stoss.engine.contacts.compliance import gives_way
from stoss.engine.contacts.correct import (
    ROLLING_SHARE,
    prepare_contacts_correct,
    preview_curvature,
    preview_velocities,
)
from stoss.engine.contacts.warm_start import ImpulseMemory, remember, remember_settled
from stoss.engine.joints.arrays import LIMIT
from stoss.engine.joints.correct import prepare_joints_correct, start_held_rows
from stoss.engine.joints.state import fastest_turns, gather_joints
from stoss.engine.joints.stops import note_start
from stoss.engine.motion.free_motion import preview_bodies
from stoss.engine.solvers.allowance import is_at_end, is_dear
from stoss.engine.solvers.arrays import is_direct
from stoss.engine.solvers.doubts import add_doubt, is_doubted
from stoss.engine.solvers.statistics import CLOSED, PARTS, PASSES, PREVIEW_ERROR, SHORTEST, SUB_STEPS
from stoss.engine.stages.certificate import (
    BOUNDED,
    BY_VELOCITY,
    SHORTER,
    SWEPT,
    certify,
    climb,
    gave_up,
)
from stoss.engine.stages.energy_account import clear_account
from stoss.engine.stages.laws import finish_laws, look_at_laws, rubs, start_laws
from stoss.engine.stages.ledger import book, keep_velocities
from stoss.engine.stages.scratch import copy_matrix, copy_vector
from stoss.engine.stages.slowing import slow_unheld
from stoss.engine.stages.solve import (
    give_anew,
    keep_account,
    return_account,
    solve_rows,
    start_cold,
    start_over,
    sweep_rows,
    sweeps_contacts,
)
from stoss.engine.stages.state import Options, System
from stoss.engine.stages.yielding import yield_drives

__all__ = ["LARGEST_SWING", "correct", "hold_positions"]

# Evaluations of the preview for islands without joints: contacts that change in between might go on for ever.
MOST_CONTACT_PASSES = 3
# Share of the last error of the preview above which a pass with joints was too little: the step is split.
SLOW = 0.5
# The same for sweeps that end early: another pass is in vain, and the errors of many of them would grow.
STUCK = 0.9
# Loops pass poses in which bars are in line, where an error of the preview turns them by its root: their
# share of the tolerance, and the least that rounding allows [m].
LOOP_SHARE, LEAST = 1e-4, 1e-13
# Multiples of the error at the start of a sub-step up to which that of the preview may come of it.
CARRIED = 10.0
# Error of the preview [tolerances] that is put up with where joints and contacts contradict each other.
JAMMED = 5.0
# Share of the tolerance to which mechanisms are solved that may keep their energy, but never less than what
# is far above the rounding of places some metres away [m or rad].
FEW_BODIES = 12
FINE, FINEST = 1e-3, 1e-10
# Shortest sub-steps that a sub-step must have to be split once an island was held otherwise in this step: 2
# before.
COARSE = 4.0
# Joints that are open by more than this are torn [m or rad]: shorter sub-steps are no cure.
TORN = 0.02
# Error of a preview that did not converge [m or rad] above which its impulses are not given.
MISS = 1e-3
# Share of the tolerance at which sweeps over joints end, which converge slowly.
SWEEP_SHARE = 0.1
# The same for direct solutions, whose residual is a part of what the next preview misses; what is to be held
# more closely is solved to the end.
DIRECT_SHARE = 1e-3
# Phase [rad] of the fastest swing of a loaded joint in a sub-step, by an estimate from above: the step is
# stable up to 2; a step in which the load turns out to be much larger is split.
LARGEST_SWING = 0.8
SPLIT_SWING = 2.4
# Error of the preview [tolerances] that a composition puts up with where rounding keeps it from less.
ROUNDING = 100.0
# Turn of a body in a sub-step [rad] from which on it touches others elsewhere at its end.
FAR_TURN = 0.5
# After more passes than this, or impulses that were so many times as large, velocities are added up anew.
FEW_PASSES, PEAK = 4, 1e4
# What to do after a look at the errors: solve again, stop, stop although something is missed, take the last
# good pass, or split the step.
GO_ON, STOP, MISSED, LAST_GOOD, SPLIT = range(5)


@kernel
def correct(
    s: System, o: Options, memory: ImpulseMemory, h: float, gravity: Floats, statistics: Floats
) -> bool:
    """Make the impulses at t, see `hold_positions`, and write those of contacts into `memory`.

    Returns whether it was possible.
    """
    if o.cold:
        start_cold(s.rows)
    if not hold_positions(s, o, h, gravity, statistics):
        return False
    remember(s.rows, s.frames, s.contacts, memory)
    starts = s.layout.contact_start
    for island in range(len(s.has_joints)):
        if sweeps_contacts(s, island):
            remember_settled(s.rows, s.frames, memory, s.work.start, starts[island], starts[island + 1])
    return True


@kernel
def hold_positions(s: System, o: Options, h: float, gravity: Floats, statistics: Floats) -> bool:
    """Give impulses at t so that joints and resting contacts hold at t + h: preview, solve, repeat.

    Returns whether that was possible. If not, joints turn too far or pull too hard, nothing has changed,
    and the step is to be split; one that is too short for that is always taken as it is.
    """
    bodies, rows, islands, w = s.bodies, s.rows, s.islands, s.work
    _keep_bodies(s)
    statistics[CLOSED] = 0.0
    for island in range(len(w.displaced)):
        w.displaced[island] = False
    free_accelerations(bodies, gravity, s.scratch.sqrt_inverse_inertia, s.scratch.accelerations)
    count = len(islands.body_start) - 1
    clear_account(s)
    if count == 0:
        statistics[SUB_STEPS] += 1
        return True
    jointed = False
    for island in range(count):
        jointed = jointed or s.has_joints[island]
    _start(s, h, jointed)
    start_laws(s)
    _set_tolerances(s, o, jointed)
    least = COARSE if gave_up(s) else 2.0
    coarse = (
        abs(h) >= least * statistics[SHORTEST]
        and statistics[PARTS] < o.most_parts
        and not is_at_end(statistics)
    )
    splittable = jointed and (o.composed or coarse)
    reach = o.rows.correction_speed * abs(h)
    chosen, straight = w.chosen[:count], w.straight[:count]
    for island in range(count):
        chosen[island], straight[island], w.last_worst[island] = True, False, np.inf
        # the last change of a sweep is a fraction of what is still missing
        share = SWEEP_SHARE if s.has_joints[island] else 1.0
        s.solver.still[island] = share * o.tolerance / abs(h)
        s.solver.enough[island] = (
            DIRECT_SHARE * o.tolerance / abs(h) if w.tolerance[island] == o.tolerance else 0.0
        )
    members = s.scratch.everyone
    before = np.inf
    peak = 0.0
    missed = False
    for number in range(o.preview_passes):
        farthest = _preview(s, o, members, h, gravity, jointed, number, statistics)
        if farthest > max(reach, TORN):
            splittable = False  # joints that contradict each other do so in the shortest step as well
        if number > 0:
            verdict, error = _judge(s, o, number, splittable, jointed, before, farthest, statistics)
            before = error
            if verdict == SPLIT:
                climb(s, w.chosen, SHORTER)
                _take_back(s, statistics)
                return False
            if verdict == LAST_GOOD:
                missed = True
                copy_matrix(w.last_velocities, bodies.velocities, len(bodies.kinds))
                copy_matrix(w.last_angular_velocities, bodies.angular_velocities, len(bodies.kinds))
                copy_vector(w.last, rows.impulse, len(rows.impulse))
                break
            if verdict == MISSED:
                missed = True
                break
            if verdict == STOP:
                statistics[CLOSED] = 1.0 if jointed and farthest <= reach else 0.0
                break
            if number > 1 and is_at_end(statistics):
                missed = jointed
                break
        if jointed:
            keep_velocities(bodies, w.last_velocities, w.last_angular_velocities)
            copy_vector(rows.impulse, w.last, len(rows.impulse))
        statistics[PASSES] += 1
        solve_rows(s, o, members, False, chosen, statistics)
        peak = max(peak, _largest(rows.impulse)) if jointed else 0.0
        if not _choose_again(s, o, number, h):
            break
        members = w.members[: _members(islands, chosen, w.members)]
    if jointed and (number >= FEW_PASSES or peak > PEAK * _largest(rows.impulse)):
        give_anew(s)
    if jointed and splittable:
        _, swing, _ = fastest_turns(s.joints, s.joint_frames, s.layout, rows, bodies, h)
        if swing * abs(h) > SPLIT_SWING and not o.composed:
            _take_back(s, statistics)
            return False
    keep_account(s)
    refused, splits = _book_and_certify(s, o, h, gravity, missed, False)
    if refused:
        return_account(s)
        halvable = splittable or (coarse and not jointed)
        if halvable and splits and _may_be_split(s, h, w.failing):
            climb(s, w.failing, SHORTER)
            _take_back(s, statistics)
            return False
        statistics[CLOSED] = 0.0
        if is_dear(statistics):
            _doubt_splits(s, w.failing)
        _hold_otherwise(s, o, h, gravity, statistics)
    if len(s.laws.curve) > 0:
        preview_velocities(bodies, s.scratch, h)
        finish_laws(s, h, False)
    if jointed:
        gather_joints(s.joints, s.joint_frames, rows, rows.impulse)
    statistics[SUB_STEPS] += 1
    return True


@inner
def _largest(impulse):
    """Return the largest of some impulses."""
    largest = 0.0
    for r in range(len(impulse)):
        largest = max(largest, abs(impulse[r]))
    return largest


@inner
def _book_and_certify(s, o, h, gravity, missed, held):
    """Enter the work of the impulses; return whether any island was given more energy than it may.

    If the preview has `missed`, also whether it did by far; `held` as for `certify`.
    """
    book(s, s.rows.impulse, s.old.velocities, s.old.angular_velocities, 0.5 * h)
    refused, splits = certify(s, o, h, gravity, s.work.failing, held)
    for island in range(len(s.has_joints)):
        if missed and s.has_joints[island] and s.work.chosen[island] and is_direct(s.solver, island):
            if not s.work.worst[island] <= MISS:
                s.work.failing[island] = refused = splits = True
    return refused, splits


@inner
def _hold_otherwise(s, o, h, gravity, statistics):
    """Hold the failing islands by velocity, else by sweeps, else not at all; enter the work of it all."""
    failing, rows = s.work.failing[: len(s.has_joints)], s.rows
    for rung in range(BY_VELOCITY, SWEPT + 1):
        climb(s, failing, rung)
        start_over(s, failing, s.old.velocities, s.old.angular_velocities, s.work.nothing)
        _by_velocity(s, o, h, failing, statistics)
        _start_forced(s, failing, rung == SWEPT)
        yield_drives(s, h, failing)
        if rung == BY_VELOCITY:
            solve_rows(s, o, s.scratch.everyone, False, failing, statistics)
        else:
            sweep_rows(s, o, failing)
        if not _book_and_certify(s, o, h, gravity, False, True)[0]:
            return
        return_account(s)
    climb(s, failing, BOUNDED)
    start_over(s, failing, s.old.velocities, s.old.angular_velocities, s.work.nothing)
    book(s, rows.impulse, s.old.velocities, s.old.angular_velocities, 0.5 * h)
    slow_unheld(s, h, failing)


@inner
def _may_be_split(s, h, islands):
    """Return whether sub-steps shorter than h [s] may be a cure for any of some islands.

    Not for bodies without joints that hardly turn: what a contact asks of them does not change by that.
    """
    for island in range(len(s.has_joints)):
        if islands[island] and not is_doubted(s.solver.splits, s.solver.step[0], s.islands, island):
            if s.has_joints[island] or _turns_far(s, h, island):
                return True
    return False


@inner
def _turns_far(s, h, island):
    """Return whether any body of an island turns so far in h [s] that it touches others elsewhere then."""
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        w = s.old.angular_velocities[s.islands.bodies[at]]
        if dot(w[0], w[1], w[2], w[0], w[1], w[2]) * h * h > FAR_TURN * FAR_TURN:
            return True
    return False


@inner
def _doubt_splits(s, islands):
    """Note where shorter sub-steps were no cure."""
    for island in range(len(s.has_joints)):
        if islands[island] and s.work.rung[s.islands.bodies[s.islands.body_start[island]]] >= SHORTER:
            add_doubt(s.solver.splits, s.solver.step[0], s.islands, island)


@inner
def _start_forced(s, islands, swept):
    """Let impulses that are given, as those of controllers, be applied by the next solve of some islands."""
    for island in range(len(islands)):
        if islands[island]:
            first, last = s.islands.block_start[island], s.islands.block_start[island + 1]
            for r in range(s.rows.start[first], s.rows.start[last]):
                s.work.applied[r] = False
                if swept:
                    s.rows.impulse[r] = 0.0  # sweeps take each row to its bounds


@inner
def _by_velocity(s, o, h, islands, statistics):
    """Set the rows of some islands so that they hold by the velocities half-way through the sub-step."""
    bodies, rows, scratch, worst = s.bodies, s.rows, s.scratch, s.work.worst
    preview_velocities(bodies, scratch, h)
    for island in range(len(islands)):
        if islands[island]:
            begin, end = s.layout.contact_start[island], s.layout.contact_start[island + 1]
            prepare_contacts_correct(
                rows, s.frames, s.contacts, bodies, scratch, o.rows, h, begin, end, True, True, s.work.applied
            )
    if len(s.joints.bodies) > 0:
        prepare_joints_correct(
            s.joints, s.joint_frames, rows, bodies, scratch, o.rows, h, islands, True, True, worst
        )
    look_at_laws(s, h, False, islands, 0)


@inner
def _keep_bodies(s):
    """Keep the state of the bodies at the start of the sub-step."""
    count = len(s.bodies.kinds)
    copy_matrix(s.bodies.positions, s.old.positions, count)
    copy_matrix(s.bodies.quaternions, s.old.quaternions, count)
    keep_velocities(s.bodies, s.old.velocities, s.old.angular_velocities)


@inner
def _start(s, h, jointed):
    """Let the rows start from the impulses of the last stage, scaled to a step of another length."""
    rows, w = s.rows, s.work
    if s.step_length[0] != h and s.step_length[0] != 0.0:
        for r in range(len(rows.impulse)):
            rows.impulse[r] *= h / s.step_length[0]
    s.step_length[0] = h
    starts = s.layout.contact_start
    for island in range(len(s.has_joints)):
        w.compliant[island] = gives_way(s.frames, starts[island], starts[island + 1])
    for r in range(len(rows.impulse)):
        w.start[r] = rows.impulse[r]
        w.states[r] = rows.state[r]
        w.applied[r] = False
    note_start(s.joints, s.joint_frames, s.old)
    if jointed:
        keep_velocities(s.bodies, w.last_velocities, w.last_angular_velocities)
        # joints start from the impulses that settled them: the preview is then almost right
        z = s.scratch.z
        applied = w.applied[: len(rows.impulse)]
        start_held_rows(s.joints, s.joint_frames, s.layout.joint_block, starts, rows, z, applied)
        apply_rows(z, s.islands.bodies, s.bodies, s.scratch.sqrt_inverse_inertia)


@inner
def _is_small(s, island):
    """Return whether an island has so few bodies that its motion repeats itself, and a drift would show."""
    return s.islands.body_start[island + 1] - s.islands.body_start[island] <= FEW_BODIES


@inner
def _set_tolerances(s, o, jointed):
    """Set for each island the error of the preview [m or rad] that will do.

    What a mechanism without contacts and stops misses breaks the symmetry in time of the step, and its energy
    drifts: where it costs little, with a direct solution, it is solved to a fraction of the tolerance.
    """
    tolerance, starts, joints = s.work.tolerance, s.layout.contact_start, s.joints
    fine = min(o.tolerance, max(FINE * o.tolerance, FINEST))
    for island in range(len(s.has_joints)):
        alone = s.has_joints[island] and starts[island] == starts[island + 1] and not o.composed
        tolerance[island] = o.tolerance
        if s.closure[island] == MECHANISM:
            tolerance[island] = max(LOOP_SHARE * o.tolerance, LEAST)
        elif s.closure[island] == TREE and alone and _is_small(s, island) and is_direct(s.solver, island):
            tolerance[island] = fine
    if not (jointed and o.stops):
        return
    for j in range(len(s.joint_frames.first_row)):
        if s.joint_frames.first_row[j] < 0:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.active[m] and joints.role[m] == LIMIT:
                island = s.joint_frames.island[j]
                if s.closure[island] != MECHANISM:
                    tolerance[island] = o.tolerance


@inner
def _preview(s, o, members, h, gravity, jointed, number, statistics):
    """Look where everything is at t + h and set the rows; `work.worst` receives the errors of the islands.

    Returns how far joints are from where they can be brought in this step [m or rad].
    """
    bodies, rows, scratch, count = s.bodies, s.rows, s.scratch, len(s.islands.body_start) - 1
    positions, quaternions = scratch.next_positions, scratch.next_quaternions
    chosen, worst, slid = s.work.chosen[:count], s.work.worst[:count], s.work.slid[:count]
    preview_bodies(o.rows.motion, members, bodies, gravity, h, positions, quaternions)
    for island in range(count):
        worst[island] = slid[island] = 0.0
    if len(s.frames.contact) > 0:
        preview_velocities(bodies, scratch, h)
        for island in range(count):
            if chosen[island]:
                begin, end = s.layout.contact_start[island], s.layout.contact_start[island + 1]
                worst[island], slid[island], s.work.lever[island] = prepare_contacts_correct(
                    rows,
                    s.frames,
                    s.contacts,
                    bodies,
                    scratch,
                    o.rows,
                    h,
                    begin,
                    end,
                    number == 0,
                    False,
                    s.work.applied,
                )
    farthest = 0.0
    if jointed:
        farthest = prepare_joints_correct(
            s.joints, s.joint_frames, rows, bodies, scratch, o.rows, h, chosen, number == 0, False, worst
        )
    if len(s.laws.curve) > 0:
        preview_velocities(bodies, scratch, h)
        look_at_laws(s, h, False, chosen, number)
    return farthest


@inner
def _judge(s, o, number, splittable, jointed, before, farthest, statistics):
    """Choose the islands that need another pass; return what to do, and the worst error of direct joints.

    Near a singular pose the passes diverge at any length of the step: then the last good one is kept.
    """
    chosen, worst, last_worst, slid = s.work.chosen, s.work.worst, s.work.last_worst, s.work.slid
    error = curable = 0.0
    going_on = False
    for island in range(len(s.has_joints)):
        statistics[PREVIEW_ERROR] = max(statistics[PREVIEW_ERROR], worst[island])
        direct, held = is_direct(s.solver, island), worst[island] <= s.work.tolerance[island]
        # feet that stick to the ground are not to creep; but friction that changes its mind is no reason to
        # split joints, or to go on for ever
        rolls = ROLLING_SHARE * slid[island] > o.tolerance
        rolls = rolls and (not s.has_joints[island] or (direct and number < MOST_CONTACT_PASSES))
        rubbing = chosen[island] and rubs(s, island, number)
        chosen[island] = chosen[island] and (rolls or not held)
        if not _takes_passes(s, island, False):
            # laws of friction ask for passes of their own, by which places get no nearer than without
            chosen[island] = chosen[island] and direct and number < MOST_CONTACT_PASSES
        if s.has_joints[island]:
            if not direct:
                chosen[island] = chosen[island] and worst[island] < STUCK * last_worst[island]
            elif number > 1 and s.layout.contact_start[island] < s.layout.contact_start[island + 1]:
                # joints and contacts that contradict each other do so in shorter steps as well
                slow = last_worst[island] > s.work.tolerance[island]
                slow = slow and SLOW * last_worst[island] < worst[island] <= JAMMED * o.tolerance
                chosen[island] = chosen[island] and (rolls or not slow)
            elif number > 1 and s.closure[island] == MECHANISM and worst[island] <= CARRIED * farthest:
                # a loop in a stiff pose cannot close what it was open by at the start
                chosen[island] = chosen[island] and worst[island] < STUCK * last_worst[island]
        last_worst[island] = worst[island]
        if chosen[island] and s.has_joints[island] and direct and not held:
            error = max(error, worst[island])
            if not is_doubted(s.solver.splits, s.solver.step[0], s.islands, island):
                curable = max(curable, worst[island])
        chosen[island] = chosen[island] or rubbing
        going_on = going_on or chosen[island]
    last = (number > 1 and error > SLOW * before) or number + 1 == o.preview_passes
    if last and o.composed and error < ROUNDING * o.tolerance:
        going_on = False
        error = curable = 0.0
    if splittable and curable > 0.0 and last:
        return SPLIT, error
    if jointed and last and error > before:
        return LAST_GOOD, error
    if last and error > 0.0 and curable == 0.0:
        return MISSED, error
    return GO_ON if going_on else STOP, error


@inner
def _takes_passes(s, island, by_friction):
    """Return whether an island has rows that are not linear, whatever turns: of joints or of laws.

    Of laws of friction too, if they are asked for.
    """
    lawful = by_friction and s.work.lawful[island]
    return s.has_joints[island] or s.work.compliant[island] or lawful


@inner
def _choose_again(s, o, number, h):
    """Choose the islands whose preview is looked at again after a solve; return whether there are any."""
    chosen, straight, count = s.work.chosen, s.work.straight, len(s.has_joints)
    for island in range(count):
        stays = _takes_passes(s, island, True)
        if number == 0:
            chosen[island] = stays or is_direct(s.solver, island)
        elif number + 1 >= MOST_CONTACT_PASSES:
            chosen[island] = chosen[island] and stays
        straight[island] = chosen[island] and not stays
    if len(s.frames.contact) > 0:
        preview_curvature(s.islands, s.bodies, h, straight[:count], s.work.lever, o.rows.position_tolerance)
    going_on = False
    for island in range(count):
        chosen[island] = chosen[island] and (straight[island] or _takes_passes(s, island, True))
        going_on = going_on or chosen[island]
    return going_on


@inner
def _members(islands, chosen, out):
    """Write the bodies of the chosen islands; return how many."""
    count = 0
    for island in range(len(chosen)):
        if chosen[island]:
            for i in range(islands.body_start[island], islands.body_start[island + 1]):
                out[count] = islands.bodies[i]
                count += 1
    return count


@inner
def _take_back(s, statistics):
    """Undo the impulses of this stage: the sub-step is to be split."""
    statistics[PARTS] += 1.0
    copy_matrix(s.old.velocities, s.bodies.velocities, len(s.bodies.kinds))
    copy_matrix(s.old.angular_velocities, s.bodies.angular_velocities, len(s.bodies.kinds))
    copy_vector(s.work.start, s.rows.impulse, len(s.rows.impulse))
    copy_vector(s.work.states, s.rows.state, len(s.rows.impulse))

"""The direct solver: rows of an island as one linear system, exact, with an active set for what has limits.

Active rows enter a matrix with one 6x6 block per body (`linear_system`, `block_cholesky`). Its regularisation
makes redundant rows harmless and is then removed by refinement: the residual velocities are solved for again
and added to the impulses (proximal point iteration), which converges by a factor of about regularisation /
smallest eigenvalue per pass. Rows that turn out to be in the wrong state change it (`active_set`), and the
system is solved again. Impulses act through the rows only, so momentum is conserved to rounding whatever the
matrix is.

Bender 2007, section 3.3.2 (the LGS method) solves the same rows in the space of impulses; the space of
bodies needs no special case for loops (3.3.2.3) and lets contacts take part (5.4.2).
"""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2
from stoss.engine.constraints.islands import Islands
from stoss.engine.constraints.rows import FRESH, Rows, add_impulse
from stoss.engine.solvers.active_set import (
    RELEASE,
    choose_first_set,
    clip_sticking,
    count_slipping,
    follow_sliding,
    forget,
    is_known,
    longest_step,
    mark_sliding,
    release,
    repair_set,
    worst_fault,
)
from stoss.engine.solvers.arrays import SolverArrays
from stoss.engine.solvers.block_cholesky import factorise, solve
from stoss.engine.solvers.block_lu import factorise_general, solve_general
from stoss.engine.solvers.elimination import factor_work
from stoss.engine.solvers.gauss_seidel import sweep
from stoss.engine.solvers.interior_point import find_interior
from stoss.engine.solvers.linear_system import (
    apply_impulses,
    assemble,
    drop_contradictions,
    find_impulses,
    find_loops,
    largest_residual,
    look_over,
    right_side,
    unbounded,
)

__all__ = ["COSTLY", "PASS", "SWEEP", "solve_island"]

PASS_VISITS = 30_000  # row visits that the refinement passes of one search may cost, within these numbers:
LEAST_PASSES, MOST_PASSES = 10, 100
MOST_SETS = 12  # times that the states are reviewed in one search
ALL_AT_ONCE = 6  # reviews in which all wrong rows change; later only the worst one, against cycling
FACTOR_WORK = 4e6  # multiplications that the factorisations of one search may cost, within these numbers:
LEAST_FACTORISATIONS, MOST_FACTORISATIONS = 4, 100
THRIFTY_FACTORISATIONS = 3
COSTLY = FACTOR_WORK / LEAST_FACTORISATIONS  # multiplications from which on a search has the least number
# Share of the work that a step may still cost that the factorisations of one search may.
ROOM_SHARE = 0.35
DIVERGED = 1e3  # residual relative to the velocities that are asked for, at which a search is given up
# Share of the residual above which a pass is no progress, unless friction slides: the rows contradict each
# other (two points of one edge, in the last digits), and what remains cannot be met.
STAGNANT = 0.7
# Residual [velocities that are asked for] from which on slow passes are first tried with a regularisation
# that is less by this factor, a few times: that of a row is in proportion to what it moves by itself, which
# for a light bracket between a heavy door and the world is 1e4 times more than what it moves in the system.
SLOW, LESS, TIMES = 1e-3, 1e-3, 2
DOUBT = 4.0
# Passes in which points that hold a body several times over may hand friction on to each other.
MOST_CLIPS = 20
# After this many reviews, errors of this share of the velocities that are asked for are good enough: the
# sweeps that would take over leave a hundred times more, and the next phase starts from here.
SETTLE_FOR_LESS = 3
GOOD_ENOUGH = 1e-5
# Where bodies slide on points that hold them several times over, passes move loads along a contradiction of
# the last digits, and change the residual by less than this share; then they go so much farther at once, to
# where a row reaches its limit.
STEADY, FAR = 0.05, 1e4
NEWTON = 0.2  # share of the residual above which a pass with sliding friction calls for a new factor
# Row visits of the sweeps after a failed search, and their least number.
SWEEP_VISITS = 10_000
BRIEF_VISITS = 2_500  # the same of a brief one
FEW = 8  # bodies of the largest island for which sweeps are a better start than an interior point
# Most factorisations of a search there before sweeps, if no joints are about: what takes longer goes round.
FEW_FACTORISATIONS = 24
# The same where it was put down at rest: one solution serves for long, and of an arch or a vault, whose
# contacts lean on each other, sweeps in such number show which of them carry.
PATIENT_SEARCH, PATIENT_VISITS = 40, 500_000
LEAST_SWEEPS = 15
AFTER_INTERIOR = 20  # factorisations of a search that starts from an interior point
# Last change of sweeps [velocities that are asked for] that tells what slides from what does not, and their
# most; what a search that goes on from there may cost.
SETTLED, SETTLING_SWEEPS = 1e-3, 2000
SETTLED_FACTORISATIONS, SETTLED_PASSES = 40, 60
# Multiplications per row for one refinement pass and one sweep.
PASS, SWEEP = 80.0, 40.0
# What a search starts from.
WARM, SETTLING, COLD, INTERIOR, SWEPT = range(5)
# With a factor at hand a pass is cheap, and residuals left below the tolerance would come back in every step.
# What rests on contacts starts from the impulses of the last phase and goes on with what is left: it adds up.
POLISH, FINE_POLISH = 0.01, 0.001


@inner
def _keep(rows, r0, r1, z, body, c0, c1, impulses, kept_z):
    """Remember impulses and z of an island."""
    for r in range(r0, r1):
        impulses[r] = rows.impulse[r]
    for j in range(c0, c1):
        for k in range(6):
            kept_z[j, k] = z[body[j], k]


@inner
def _restore(rows, r0, r1, z, body, c0, c1, impulses, kept_z):
    """Go back to what was remembered: a search that failed may have left anything, NaN included."""
    for r in range(r0, r1):
        rows.impulse[r] = impulses[r]
        rows.state[r] = FRESH
    for j in range(c0, c1):
        for k in range(6):
            z[body[j], k] = kept_z[j, k]


@inner
def _forget_unbounded(rows, b0, b1, z):
    """Take back the impulses that have no bounds; a spring's at the end of a step is given and stays."""
    for block in range(b0, b1):
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.impulse[r] != 0.0 and unbounded(rows, r):
                a, b = rows.bodies[block, 0], rows.bodies[block, 1]
                add_impulse(rows.jacobian, r, a, b, -rows.impulse[r], z)
                rows.impulse[r] = 0.0


@inner(allocates=True)
def _settle(rows, b0, b1, z, body, most, scale, tolerance):
    """Sweep until it shows which pairs slide; return how often.

    Sweeps push no farther than friction holds, so loads stay shared as they were: what is drawn from under
    one does not take it along, though it might, as rigid bodies may share a load in many ways.
    """
    count = max(int(min(most, SETTLING_SWEEPS)), LEAST_SWEEPS)
    enough = max(SETTLED * scale, tolerance)
    made, change = sweep(rows, np.arange(b0, b1), z, count, enough, body, -1, False)
    mark_sliding(rows, b0, b1, z, max(DOUBT * change, RELEASE * tolerance))
    return made


@inner
def _find_active_set(rows, z, islands, solver, island, tolerance, known, budget, traits, shared, careful):
    """Try active sets until one holds; return whether it did, and the figures of `solve_island`.

    And whether it is rash: a pair has begun to slip, with less friction than holds what sticks, and states
    were changed before a set was solved to the end, as a `careful` search never does. Where static friction
    exceeds dynamic one, both may hold, and what can stick is to stick.
    """
    b0, b1 = islands.block_start[island], islands.block_start[island + 1]
    c0, c1 = islands.body_start[island], islands.body_start[island + 1]
    structure, work = solver.structure, solver.work
    (most, most_passes), (loop, jam, limited, scale, polish) = budget, traits
    factorisations = 0
    passes = 0
    residual = error = 0.0
    start, row = structure.start, structure.row
    friction_waits, same, sliding = choose_first_set(rows, b0, b1, z, tolerance, work)
    slipping, hurried = count_slipping(rows, b0, b1) if sliding > 0 else 0, False
    share = 1.0
    for attempt in range(MOST_SETS):
        slid, turned, driven = 0.0, False, -np.inf
        if attempt > 0:
            same = is_known(rows, rows.start[b0], rows.start[b1], work)
        if attempt > 0 or sliding > 0:
            slid, sliding, turned, driven = follow_sliding(rows, b0, b1, z, work)
        known = known and same and not turned
        last = 1e300
        clips, clipped = 0, 0.0
        contradiction = early = False
        for number in range(most_passes - passes):
            residual = largest_residual(rows, b0, b1, z, work.friction_ratio, work.amount)
            error = residual + slid
            if residual <= tolerance and slid <= tolerance and clipped <= tolerance:
                # polish while it is cheap and helps; what joints alone leave, the next step corrects anyway
                if not (known and limited) or error <= polish * tolerance or error > 0.1 * last:
                    break
            # not by what slides: friction that stuck between surfaces which move against each other has no
            # bounds, and is given back
            if not residual < DIVERGED * scale:
                return False, factorisations, passes, residual, False
            slow = number > 1 and residual > STAGNANT * last
            # what friction drives by more than the solution is off sticks; where passes help no more, at
            # first also what hardly slides
            grip = error if not slow else -error if attempt < SETTLE_FOR_LESS else tolerance
            early = not careful and number > 0 and not friction_waits and driven > grip
            if early:
                hurried = True
                break
            drifts = slow and sliding > 0 and clipped == 0.0 and slid <= DOUBT * residual
            drifts = drifts and abs(residual - last) < STEADY * last and error < GOOD_ENOUGH * scale
            if slow and slid <= 0.1 * residual and clipped == 0.0 and not drifts:
                if loop or share < 1.1 * LESS**TIMES or residual < SLOW * scale:
                    contradiction = True
                    break
                share *= LESS
                known = False
                last = 1e300
            if sliding > 0 and clipped == 0.0 and residual > NEWTON * last:
                known = False
            last = residual
            if not known:
                if factorisations >= most:
                    return False, factorisations, passes, residual, False
                general = sliding > 0
                assemble(
                    rows, b0, b1, structure, islands.block_pair, c0, c1, work, general, loop, share, shared
                )
                if general:
                    factorise_general(start, row, c0, c1, work.diagonal, work.off_diagonal, work.upper)
                else:
                    factorise(start, row, c0, c1, work.diagonal, work.off_diagonal)
                known = True
                factorisations += 2 if general else 1
            passes += 1
            for j in range(c0, c1):
                for k in range(6):
                    work.x[j, k] = 0.0
            right_side(rows, b0, b1, structure.column, work)
            if sliding > 0:
                solve_general(start, row, c0, c1, work.diagonal, work.off_diagonal, work.upper, work.x)
            else:
                solve(start, row, c0, c1, work.diagonal, work.off_diagonal, work.x)
            find_impulses(rows, b0, b1, structure.column, work)
            if (loop or jam) and sliding == 0:
                drop_contradictions(rows, b0, b1, structure.column, work, jam)
                for j in range(c0, c1):
                    for k in range(6):
                        work.x[j, k] = 0.0
                right_side(rows, b0, b1, structure.column, work)
                solve(start, row, c0, c1, work.diagonal, work.off_diagonal, work.x)
                find_impulses(rows, b0, b1, structure.column, work)
            if drifts:
                for r in range(rows.start[b0], rows.start[b1]):
                    work.amount[r] *= FAR
            friction_ratio = longest_step(rows, b0, b1, work.amount, tolerance)
            if drifts and friction_ratio == 1.0:
                contradiction = True
                break
            apply_impulses(rows, b0, b1, z, work, friction_ratio)
            if friction_ratio < 1.0:
                release(rows, b0, b1, z, work.amount, friction_ratio, tolerance, shared or not jam)
                known = False
                last = 1e300
            clipped = 0.0
            if shared and clips < MOST_CLIPS:
                clipped = clip_sticking(rows, b0, b1, z)
                clips += clipped > 0.0
            if sliding > 0 or friction_ratio < 1.0:
                slid, sliding, turned, driven = follow_sliding(rows, b0, b1, z, work)
                known = known and not turned
        if attempt >= SETTLE_FOR_LESS and not friction_waits:
            good = GOOD_ENOUGH * scale
            if max(residual, slid) <= good and worst_fault(rows, b0, b1, z, tolerance) <= good:
                rash = hurried and count_slipping(rows, b0, b1) > slipping
                return True, factorisations, passes, residual, rash
        # rows that contradict each other by so much cannot tell states apart that differ by less
        level = grip = tolerance
        if early:
            grip = min(error, 0.5 * driven) if driven > 0.0 else -error
            level = max(tolerance, abs(grip))
        elif contradiction:
            level = max(tolerance, DOUBT * residual)
        one_by_one = attempt >= ALL_AT_ONCE
        wrong = repair_set(rows, b0, b1, z, level, grip, one_by_one, friction_waits, False)
        if friction_waits and (wrong == 0 or one_by_one):
            friction_waits = False
            wrong = repair_set(rows, b0, b1, z, level, grip, False, False, True)
        if wrong == 0 and (contradiction or (residual <= tolerance and slid <= tolerance)):
            rash = hurried and count_slipping(rows, b0, b1) > slipping
            return True, factorisations, passes, residual, rash
    return False, factorisations, passes, residual, False


@inner
def _fault(rows, b0, b1, z, work, tolerance):
    """Return the largest velocity [m/s] by which a row is missed, or that asks for another state of it."""
    residual = largest_residual(rows, b0, b1, z, work.friction_ratio, work.amount)
    return max(residual, worst_fault(rows, b0, b1, z, tolerance))


@kernel(allocates=True)
def solve_island(
    rows: Rows,
    z: Floats2,
    islands: Islands,
    solver: SolverArrays,
    island: int,
    tolerance: float,
    thrifty: bool,
    inside: bool,
    room: float,
    warm: bool,
) -> tuple[int, int, int, float, bool, int]:
    """Solve the rows of one island.

    The search starts from the impulses of the last phase, which are right for what rests. Where joints and
    friction push against each other, and it fails or ends with rows that contradict each other, it is made
    again from what sweeps make of these impulses. Then it starts from none at all, and then, but in small
    islands, from inside all limits (`interior_point`), which is the end where nothing slides and no search
    finds more. So are rows looked at that contradict each other: friction that sticks may be what is in the
    way of a motor. A search that was rash is made again with care, and counts if nothing else is found. Where
    no active set is found, sweeps have the last word, unless a search came closer; in small islands, and in
    those put down at rest, they also give a better start to a last search.

    Args:
        rows, z: with the starting impulses already in z.
        islands, solver: of these rows; `solver.known` says whether `solver.work` still holds the factor of
            the island, for the states it remembers.
        island: its number.
        tolerance: [m/s] largest residual, unless `solver.enough` will do.
        thrifty: whether to search once and briefly.
        inside: whether to look for an interior point even so, unless the island is small.
        room: work in factorisations and refinements that is allowed; without, the search is brief too.
        warm: whether the impulses are those of the last phase, not of the last pass of this one.

    Returns:
        Number of factorisations (an unsymmetric one counts twice), of refinement passes, of sweeps if they
        had the last word, the residual [m/s], or else the last change of a row's velocity in these sweeps,
        whether an active set was looked for at length and not found, and the number of all sweeps.
    """
    b0, b1 = islands.block_start[island], islands.block_start[island + 1]
    c0, c1 = islands.body_start[island], islands.body_start[island + 1]
    r0, r1 = rows.start[b0], rows.start[b1]
    structure, work = solver.structure, solver.work
    known = solver.known[island]
    all_factorisations = 0
    all_passes = 0
    island_work = 0.0
    for j in range(c0, c1):
        d = structure.start[j + 1] - structure.start[j]
        island_work += factor_work(d)
    most = int(min(max(FACTOR_WORK / island_work, LEAST_FACTORISATIONS), MOST_FACTORISATIONS))
    thrifty, inside = thrifty or room <= 0.0, inside and room > 0.0 and c1 - c0 > FEW
    body = structure.body
    holds, touches, shared, limited, scale = look_over(rows, b0, b1, tolerance)
    if not limited:
        tolerance = max(tolerance, solver.enough[island])
    loop = holds and find_loops(rows, b0, b1, structure.column, c0, c1)
    jam = holds and touches
    if loop and warm:
        # impulses that move nothing would wander: of all that hold the loop, the least ones are found
        _forget_unbounded(rows, b0, b1, z)
    _keep(rows, r0, r1, z, body, c0, c1, work.start, work.z)
    usual_passes = min(max(PASS_VISITS // (r1 - r0), LEAST_PASSES), MOST_PASSES)
    patient = solver.patient[island] and c1 - c0 <= PATIENT_SEARCH
    at_length = not thrifty
    sweeps = all_sweeps = 0
    change = 0.0
    best = np.inf
    traits, careful = (loop, jam, limited, scale, FINE_POLISH if warm else POLISH), False
    search = WARM
    loaded = np.any(rows.impulse[r0:r1])
    while True:
        # a share of what is allowed for each search, and one factor for the refinements that go with it
        share = ROOM_SHARE * (room - all_factorisations - all_passes)
        thrifty = thrifty or share <= 0.0
        if thrifty:
            most = THRIFTY_FACTORISATIONS
        elif share < most:
            most = max(int(share), THRIFTY_FACTORISATIONS)
        if search <= COLD and c1 - c0 <= FEW and not holds:
            most = min(most, FEW_FACTORISATIONS)
        most_passes = LEAST_PASSES if most <= THRIFTY_FACTORISATIONS else usual_passes
        if search == SETTLING:
            most = min(int(share) + LEAST_FACTORISATIONS, SETTLED_FACTORISATIONS)
            most_passes = SETTLED_PASSES
        elif search == INTERIOR:
            most = AFTER_INTERIOR
        first = shared and search == WARM
        found, factorisations, passes, residual, rash = _find_active_set(
            rows, z, islands, solver, island, tolerance, known, (most, most_passes), traits, first, careful
        )
        all_factorisations += factorisations
        all_passes += passes
        contradicted = found and residual > max(GOOD_ENOUGH * scale, tolerance) and (inside or jam)
        settles = search == WARM and not thrifty and loaded and jam
        if found and not rash and not contradicted:
            return all_factorisations, all_passes, sweeps, residual, False, all_sweeps
        known = False
        fault = _fault(rows, b0, b1, z, work, tolerance)
        if fault < best:
            best = fault
            _keep(rows, r0, r1, z, body, c0, c1, work.best, work.best_z)
        _restore(rows, r0, r1, z, body, c0, c1, work.start, work.z)
        if rash:
            careful = True
            continue
        if settles:
            all_sweeps += _settle(rows, b0, b1, z, body, PASS / SWEEP * share, scale, tolerance)
            search = SETTLING
            continue
        if search <= SETTLING and not (thrifty or contradicted) and loaded:
            forget(rows, b0, b1, z)
            search = COLD
            continue
        if search < INTERIOR and inside:
            forget(rows, b0, b1, z)
            inside, plain, factorisations = find_interior(rows, z, islands, solver, island, scale)
            all_factorisations += factorisations
            for r in range(r0, r1):
                work.state[r] = FRESH  # the factor is another one
            if inside:
                # where nothing slides it is the solution, even if no search from there finds it more exactly
                slid = follow_sliding(rows, b0, b1, z, work)[0]
                fault = max(slid, _fault(rows, b0, b1, z, work, tolerance))
                if fault <= DOUBT * GOOD_ENOUGH * scale and fault < best:
                    best = fault
                    _keep(rows, r0, r1, z, body, c0, c1, work.best, work.best_z)
                if plain:
                    search = INTERIOR
                    continue
                inside = False
            _restore(rows, r0, r1, z, body, c0, c1, work.start, work.z)
        if search == SWEPT or contradicted or best <= DOUBT * GOOD_ENOUGH * scale:
            break
        visits = PATIENT_VISITS if patient else BRIEF_VISITS if thrifty else SWEEP_VISITS
        count = max(LEAST_SWEEPS, visits // (r1 - r0))
        sweeps, change = sweep(rows, np.arange(b0, b1), z, count, tolerance, body, -1, False)
        all_sweeps += sweeps
        if thrifty or not (patient or c1 - c0 <= FEW) or change <= tolerance:
            break
        _keep(rows, r0, r1, z, body, c0, c1, work.start, work.z)
        search = SWEPT
    if sweeps == 0 or best < change:
        _restore(rows, r0, r1, z, body, c0, c1, work.best, work.best_z)
        return all_factorisations, all_passes, 0, best, at_length, all_sweeps
    return all_factorisations, all_passes, sweeps, change, at_length, all_sweeps

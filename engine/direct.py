"""The direct solver: rows of an island as one linear system, exact, with an active set for what has limits.

Active rows enter a matrix with one 6x6 block per body (`body_system`, `block_cholesky`). Its regularisation
makes redundant rows harmless and is then removed by refinement: the residual velocities are solved for again
and added to the impulses (proximal point iteration), which converges by a factor of about regularisation /
smallest eigenvalue per pass. Rows that turn out to be in the wrong state change it (`active_set`), and the
system is solved again. Impulses act through the rows only, so momentum is conserved to rounding whatever the
matrix is.

Bender 2007, section 3.3.2 (the LGS method) solves the same rows in the space of impulses; the space of
bodies needs no special case for loops (3.3.2.3) and lets contacts take part (5.4.2).
"""

from numba import njit

from engine.active_set import (
    choose_first_set,
    follow_sliding,
    longest_step,
    release,
    repair_set,
    set_states,
)
from engine.block_cholesky import factor_work, factorise, solve
from engine.body_system import apply_impulses, assemble, find_impulses, largest_residual, right_side
from engine.gauss_seidel import sweep
from engine.rows import add_impulse

__all__ = ["solve_island"]

MOST_PASSES = 60  # refinement passes for one active set; sliding friction converges linearly
MOST_SETS = 12  # times that the states are reviewed in one search
ALL_AT_ONCE = 6  # reviews in which all wrong rows change; later only the worst one, against cycling
FACTOR_WORK = 4e6  # multiplications that the factorisations of one search may cost, within these numbers:
LEAST_FACTORISATIONS, MOST_FACTORISATIONS = 8, 60
SECOND_SEARCH = 4  # bodies of the largest island that is searched a second time
ALL_AT_ONCE = 6  # active sets in which all wrong rows change; later only the worst one, against cycling
DIVERGED = 1e3  # residual relative to the velocities that are asked for, at which a search is given up
# Share of the residual above which a pass is no progress, unless friction slides: the rows contradict each
# other (two points of one edge, in the last digits), and what remains cannot be met.
STAGNANT = 0.7
# Row visits of the sweeps between the searches, and their least number.
SWEEP_VISITS = 10_000
LEAST_SWEEPS = 15
# With a factor at hand a pass is cheap, and residuals left below the tolerance would come back in every step.
POLISH = 0.01


@njit(cache=True)
def _restore(rows, b0, b1, z, start):
    """Go back to the impulses in `start`."""
    for block in range(b0, b1):
        for r in range(rows.start[block], rows.start[block + 1]):
            back = start[r] - rows.impulse[r]
            if back != 0.0:
                rows.impulse[r] = start[r]
                add_impulse(rows, r, rows.bodies[block, 0], rows.bodies[block, 1], back, z)


@njit(cache=True)
def _find_active_set(rows, b0, b1, z, structure, block_pair, c0, c1, work, tolerance, known, most_factorisations):
    """Try active sets until one holds; return whether it did, and the figures of `solve_island`."""
    factorisations = 0
    passes = 0
    residual = 0.0
    friction_waits = choose_first_set(rows, b0, b1, z, tolerance)
    r0 = rows.start[b0]
    r1 = rows.start[b1]
    scale = tolerance
    for r in range(r0, r1):
        scale = max(scale, abs(rows.bias[r]))
    for attempt in range(MOST_SETS):
        for r in range(r0, r1):
            if work.state[r] != rows.state[r]:
                known = False
                break
        slid = follow_sliding(rows, b0, b1, z)
        last = 1e300
        contradiction = False
        for number in range(MOST_PASSES):
            residual = largest_residual(rows, b0, b1, z, work.amount)
            error = residual + slid
            if residual <= tolerance and slid <= tolerance:
                # polish while it is cheap and helps
                if not known or error <= POLISH * tolerance or error > 0.1 * last:
                    break
            if not error < DIVERGED * scale:
                return False, factorisations, passes, residual
            if number > 1 and residual > STAGNANT * last and slid <= 0.1 * residual:
                contradiction = True
                break
            last = residual
            if not known:
                if factorisations == most_factorisations:
                    return False, factorisations, passes, residual
                assemble(rows, b0, b1, structure, block_pair, c0, c1, work)
                factorise(structure.start, structure.row, c0, c1, work.diagonal, work.off_diagonal)
                known = True
                factorisations += 1
            passes += 1
            for j in range(c0, c1):
                for k in range(6):
                    work.x[j, k] = 0.0
            right_side(rows, b0, b1, structure.column, work)
            solve(structure.start, structure.row, c0, c1, work.diagonal, work.off_diagonal, work.x)
            find_impulses(rows, b0, b1, structure.column, work)
            share = longest_step(rows, b0, b1, work.amount, tolerance)
            apply_impulses(rows, b0, b1, z, work.amount, share)
            if share < 1.0:
                release(rows, b0, b1, z, work.amount, share, tolerance)
                known = False
                last = 1e300
            slid = follow_sliding(rows, b0, b1, z)
        one_by_one = attempt >= ALL_AT_ONCE
        wrong = repair_set(rows, b0, b1, z, tolerance, one_by_one, friction_waits)
        if friction_waits and (wrong == 0 or one_by_one):
            friction_waits = False
            wrong = repair_set(rows, b0, b1, z, tolerance, False, False)
        if wrong == 0 and (contradiction or (residual <= tolerance and slid <= tolerance)):
            return True, factorisations, passes, residual
    return False, factorisations, passes, residual


@njit(cache=True)
def solve_island(rows, b0, b1, z, structure, block_pair, c0, c1, work, tolerance, known):
    """Solve blocks b0 to b1 - 1 of one island, whose columns are c0 to c1 - 1.

    Where no active set holds, sweeps find a better start for a second search, or have the last word.

    Args:
        rows, z: with the starting impulses already in z.
        structure, block_pair: sparsity, and the coupled pair of each block.
        work: memory of the solver.
        tolerance: [m/s] largest residual.
        known: whether `work` still holds the factor of these rows, for the states it remembers.

    Returns:
        Number of factorisations, of refinement passes, of sweeps, and the residual [m/s], or where sweeps
        had the last word, their last change of a row's velocity.
    """
    r0 = rows.start[b0]
    r1 = rows.start[b1]
    all_factorisations = 0
    all_passes = 0
    all_sweeps = 0
    swept = 0.0
    island_work = 0.0
    for j in range(c0, c1):
        d = structure.start[j + 1] - structure.start[j]
        island_work += factor_work(d)
    most = int(min(max(FACTOR_WORK / island_work, LEAST_FACTORISATIONS), MOST_FACTORISATIONS))
    for search in range(2 if c1 - c0 <= SECOND_SEARCH else 1):
        work.start[r0:r1] = rows.impulse[r0:r1]
        found, factorisations, passes, residual = _find_active_set(
            rows, b0, b1, z, structure, block_pair, c0, c1, work, tolerance, known, most
        )
        all_factorisations += factorisations
        all_passes += passes
        if found:
            return all_factorisations, all_passes, all_sweeps, residual
        _restore(rows, b0, b1, z, work.start)
        if search == 0:
            count = max(LEAST_SWEEPS, SWEEP_VISITS // (r1 - r0))
            all_sweeps, swept = sweep(rows, b0, b1, z, count, tolerance)
            if swept <= tolerance:
                break
            set_states(rows, b0, b1)
            known = False
    return all_factorisations, all_passes, all_sweeps, swept

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

from engine.active_set import choose_first_set, follow_sliding, repair_set, set_states
from engine.block_cholesky import factorise, solve
from engine.body_system import apply_solution, assemble, largest_residual, right_side
from engine.gauss_seidel import sweep
from engine.rows import add_impulse

__all__ = ["solve_island"]

MOST_PASSES = 60  # refinement passes for one active set; sliding friction converges linearly
# Active sets tried from the impulses of the last phase, which are right for what rests, and then from
# those that sweeps have found.
FIRST_SETS = 6
SECOND_SETS = 10
SECOND_SEARCH = 4  # bodies of the largest island that is searched a second time
ALL_AT_ONCE = 6  # active sets in which all wrong rows change; later only the worst one, against cycling
# Residuals relative to the velocities that are asked for: an active set is given up above DIVERGED. Rows that
# contradict each other in the last digits (two points of one edge, say) end above the tolerance; below
# CONTRADICTION, a residual that stays is taken for that.
DIVERGED = 1e3
CONTRADICTION = 1e-6
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
def _find_active_set(rows, b0, b1, z, structure, block_pair, c0, c1, work, tolerance, known, most_sets):
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
    for attempt in range(most_sets):
        for r in range(r0, r1):
            if work.state[r] != rows.state[r]:
                known = False
                break
        slid = follow_sliding(rows, b0, b1, z)
        last = 1e300
        contradiction = False
        for _ in range(MOST_PASSES):
            residual = largest_residual(rows, b0, b1, z, work.amount)
            error = residual + slid
            if residual <= tolerance and slid <= tolerance:
                # polish while it is cheap and helps
                if not known or error <= POLISH * tolerance or error > 0.1 * last:
                    break
            if not error < DIVERGED * scale:
                return False, factorisations, passes, residual
            if error > 0.95 * last and error < CONTRADICTION * scale:
                contradiction = True
                break
            last = error
            if not known:
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
            apply_solution(rows, b0, b1, z, structure.column, work)
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
    for search in range(2 if c1 - c0 <= SECOND_SEARCH else 1):
        most_sets = FIRST_SETS if search == 0 else SECOND_SETS
        work.start[r0:r1] = rows.impulse[r0:r1]
        found, factorisations, passes, residual = _find_active_set(
            rows, b0, b1, z, structure, block_pair, c0, c1, work, tolerance, known, most_sets
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

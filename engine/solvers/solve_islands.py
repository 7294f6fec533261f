"""Solve the rows of all islands, each with the solver that was chosen for it."""

from typing import Any

import numpy as np
from numba import types

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats, Floats2
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.constraints.islands import Islands
from stoss.engine.constraints.rows import Rows
from stoss.engine.solvers.allowance import is_dear, room, room_at_end
from stoss.engine.solvers.arrays import SolverArrays, SolverOptions, is_direct
from stoss.engine.solvers.direct import COSTLY, PASS, SWEEP, solve_island
from stoss.engine.solvers.doubts import add_doubt, has_failed, is_doubted
from stoss.engine.solvers.gauss_seidel import sweep_islands
from stoss.engine.solvers.shock_propagation import propagate_shock
from stoss.engine.solvers.statistics import (
    CHANGE,
    FACTORISATIONS,
    REFINEMENTS,
    RESCUES,
    RESIDUAL,
    SUB_STEP_WORK,
    SWEEPS_MADE,
)

__all__ = ["solve_islands"]

SHOCK_SHARE = 1e-3  # share of the tolerance of sweeps to which shock propagation solves each level
ASSEMBLY = 150.0  # multiplications of the direct solver per row, for one assembly
# Sweeps that an island gets beyond the usual ones [of these], if they have not converged and it hardly moves:
# what they leave would stir it for ever, and it comes to rest once that is less.
FURTHER = 3
SWEEPS_PER_CLOCK = 4  # sweeps between two looks at the clock when there is a time limit

# Processor time in units of 1e-6 s: the clock of the C library, which compiled code can read.
_clock: Any = types.ExternalFunction("clock", types.intp())
CLOCKS_PER_SECOND = 1e6
# Factorisations of a step, and those per island, after which searches are brief.
HARD, HARD_PER_ISLAND = 300, 10


@inner
def _solve_directly(rows, z, islands, solver, chosen, options, warm, statistics):
    """Solve the chosen islands that have the direct solver; later ones briefly if all cost too much."""
    spent = 0.0
    for island in range(len(chosen)):
        if not chosen[island]:
            continue
        # a step that has cost so much goes on briefly: what no active set was found for has none in the next
        # pass
        hard = statistics[FACTORISATIONS] > HARD + HARD_PER_ISLAND * len(chosen)
        patient = solver.patient[island]
        left = room_at_end(statistics) if patient else room(statistics)
        hard = hard or (not patient and is_doubted(solver.searches, solver.step[0], islands, island))
        # what has cost much and found nothing finds no more in the next pass
        costly = solver.yields[island] and solver.structure.work[island] > COSTLY
        tried = costly and not warm and has_failed(solver.searches, solver.step[0], islands, island)
        brief = hard or tried or spent > options.budget
        factorisations, passes, sweeps, residual, in_vain, all_sweeps = solve_island(
            rows, z, islands, solver, island, options.tolerance, brief, not (hard or tried), left, warm
        )
        if in_vain and (costly or is_dear(statistics)):
            add_doubt(solver.searches, solver.step[0], islands, island)
        size = rows.start[islands.block_start[island + 1]] - rows.start[islands.block_start[island]]
        factor = solver.structure.work[island] + ASSEMBLY * size
        swept = all_sweeps * SWEEP * size
        spent += factorisations * factor + passes * PASS * size + swept
        statistics[RESCUES] += swept / factor
        solver.known[island] = solver.known[island] or factorisations > 0
        solver.failed[island] = solver.failed[island] or sweeps > 0
        statistics[FACTORISATIONS] += factorisations
        statistics[REFINEMENTS] += passes
        statistics[RESIDUAL] = max(statistics[RESIDUAL], residual)


@inner
def _is_quiet(islands, island, bodies, z, settles, speed):
    """Return whether no body of an island moves faster than `speed` [m/s], but for the loads of the step.

    What holds positions starts from velocities that are settled; where they are settled, that is after it.
    """
    for k in range(islands.body_start[island], islands.body_start[island + 1]):
        i, square = islands.bodies[k], 0.0
        share = bodies.sqrt_inverse_masses[i] if settles else 0.0
        for axis in range(3):
            square += (bodies.velocities[i, axis] + share * z[i, axis]) ** 2
        if square > speed * speed:
            return False
    return True


@inner(allocates=True)
def _sweep(rows, z, islands, solver, chosen, most, options, changes, statistics):
    """Sweep over the chosen islands; `changes` (islands,) receives the last change of a row's velocity."""
    deadline = _clock() + options.time_limit * CLOCKS_PER_SECOND
    timed = options.time_limit > 0.0
    graph, which = solver.graph, np.flatnonzero(chosen)
    if len(which) == 0:
        return
    start = np.zeros(len(which) + 1, np.int64)
    for i in range(len(which)):
        island = which[i]
        start[i + 1] = start[i] + islands.block_start[island + 1] - islands.block_start[island]
    blocks, last = np.empty(start[-1], np.int64), np.zeros(len(which))
    for i in range(len(which)):
        begin = islands.block_start[which[i]]
        for k in range(start[i + 1] - start[i]):
            blocks[start[i] + k] = graph.order[begin + k]
    still, made = solver.still[which], 0
    while made < most:
        # all islands have had their turn when time is up
        chunk = min(most - made, SWEEPS_PER_CLOCK) if timed else most
        largest = sweep_islands(rows, blocks, start, z, chunk, still, graph.level, -1, True, last)
        all_still = True
        for i in range(len(which)):
            changes[which[i]] = last[i]
            all_still = all_still and last[i] <= still[i]
        statistics[SWEEPS_MADE] += largest
        made += chunk
        if all_still or made >= most or (timed and _clock() >= deadline):
            break


@kernel(allocates=True)
def solve_islands(
    rows: Rows,
    z: Floats2,
    islands: Islands,
    solver: SolverArrays,
    bodies: BodyArrays,
    chosen: Bools,
    options: SolverOptions,
    warm: bool,
    statistics: Floats,
) -> None:
    """Solve the chosen islands, each by its method; adds to z and to the rows' impulses.

    Args:
        rows: rows of the islands, with biases and limits.
        z: (bodies, 6) what the impulses that the rows carry do, as far as it is not done already.
        islands, solver, bodies: of these rows.
        chosen: (islands,)
        options: how far the solvers go.
        warm: whether impulses are those of the last phase, not of the last pass of this one, as where
            velocities are settled.
        statistics: receives statistics.
    """
    count = len(chosen)
    directly, swept = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    for island in range(count):
        directly[island] = chosen[island] and is_direct(solver, island)
        swept[island] = chosen[island] and not directly[island]
    _solve_directly(rows, z, islands, solver, directly, options, warm, statistics)
    changes = np.zeros(count)
    graph = solver.graph
    # half of what a step may still cost, but no less than half a usual sub-step: the sweeps of one phase
    most = int(min(float(options.sweeps), 0.5 * max(statistics[SUB_STEP_WORK], 1.5 * room(statistics))))
    _sweep(rows, z, islands, solver, swept, most, options, changes, statistics)
    more = FURTHER * options.sweeps
    may_go_on = options.time_limit == 0.0 and more <= room(statistics)
    for island in range(count):
        goes_on = swept[island] and may_go_on and changes[island] > solver.still[island]
        swept[island] = goes_on and _is_quiet(islands, island, bodies, z, warm, options.quiet)
    _sweep(rows, z, islands, solver, swept, more, options, changes, statistics)
    for island in range(count):
        still = solver.still[island]
        if options.shock and changes[island] > still and graph.grounded[island]:
            blocks = graph.order[islands.block_start[island] : islands.block_start[island + 1]]
            # closer than the sweeps: what is left of each level adds up to a creep of the whole tower
            changes[island] = propagate_shock(rows, blocks, z, graph.level, SHOCK_SHARE * still)
        statistics[CHANGE] = max(statistics[CHANGE], changes[island])

"""Solve the rows of all islands, each with the solver that suits it."""

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.block_cholesky import Structure, analyse, empty_structure
from engine.body_system import Workspace, grow_workspace, still_holds
from engine.direct import solve_island
from engine.gauss_seidel import sweep
from engine.islands import Islands
from engine.rows import Rows, apply_warm_start
from engine.settings import Settings

__all__ = ["DIRECT", "SWEEPS", "IslandSolver", "SolveStatistics", "SolverState"]

SWEEPS, DIRECT, NEITHER = 0, 1, 2

# An island of at least this many bodies that would cost too much, or for which no active set was found (a
# moving pile, as a rule), is left to the sweeps for a while: trying costs as much as many sweeps.
LARGE_ISLAND = 3
STEPS_BEFORE_RETRY = 30
WORK_PER_WAIT = 1e4  # multiplications of a factorisation that add one step to that
MOST_WAIT = 500
SEPARATION_SWEEPS = 10
# Multiplications of the direct solver per row, for one assembly and for one refinement pass.
ASSEMBLY, PASS = 150.0, 80.0
SWEEPS_PER_CLOCK = 4  # sweeps between two looks at the clock when there is a time limit


@dataclass
class SolveStatistics:
    """What solving took, summed over the phases of a step."""

    factorisations: int = 0
    refinements: int = 0
    sweeps: int = 0
    rescues: int = 0
    residual_direct: float = 0.0
    residual_sweeps: float = 0.0

    def add(self, numbers: np.ndarray) -> None:
        """Add the figures of one solve."""
        self.factorisations += int(numbers[0])
        self.refinements += int(numbers[1])
        self.rescues += int(numbers[2])
        self.sweeps += int(numbers[3])
        self.residual_direct = max(self.residual_direct, float(numbers[4]))
        self.residual_sweeps = max(self.residual_sweeps, float(numbers[5]))


class SolverState(NamedTuple):
    """What the choice of solvers and the reuse of factors depend on.

    Its arrays are made anew at every change, so they may be shared, but for the last three.
    """

    structure: Structure
    methods: np.ndarray
    pairs: np.ndarray
    bodies: np.ndarray
    limits: np.ndarray
    step: int
    shape: np.ndarray
    refused_until: np.ndarray  # copied, since it and what follows is written in place
    known: np.ndarray
    work: Workspace


@njit(cache=True)
def _refused_islands(body_start, bodies, refused_until, step):
    """Return which islands consist, by half or more, of bodies that are left to the sweeps for now."""
    out = np.zeros(len(body_start) - 1, np.bool_)
    for island in range(len(out)):
        count = 0
        for k in range(body_start[island], body_start[island + 1]):
            count += refused_until[bodies[k]] > step
        out[island] = 2 * count >= body_start[island + 1] - body_start[island]
    return out


@njit(cache=True)
def _solve(
    rows,
    z,
    block_start,
    column_start,
    methods,
    known,
    structure,
    block_pair,
    work,
    sweeps,
    tolerances,
    budget,
):
    """Solve each island by its method; return six figures, and which islands had no active set that held."""
    numbers = np.zeros(6)
    failed = np.zeros(len(methods), np.bool_)
    spent = 0.0
    for island in range(len(methods)):
        if methods[island] == NEITHER:
            continue
        b0 = block_start[island]
        b1 = block_start[island + 1]
        if methods[island] == DIRECT:
            factorisations, passes, rescues, residual = solve_island(
                rows,
                b0,
                b1,
                z,
                structure,
                block_pair,
                column_start[island],
                column_start[island + 1],
                work,
                tolerances[1],
                known[island],
                spent > budget,
            )
            size = rows.start[b1] - rows.start[b0]
            spent += factorisations * (structure.work[island] + ASSEMBLY * size) + passes * PASS * size
            known[island] = known[island] or factorisations > 0
            numbers[0] += factorisations
            numbers[1] += passes
            numbers[2] += rescues
            failed[island] = rescues > 0
            numbers[4] = max(numbers[4], residual)
        else:
            made, change = sweep(rows, b0, b1, z, sweeps, tolerances[0])
            numbers[3] = max(numbers[3], made)
            numbers[5] = max(numbers[5], change)
    return numbers, failed


class IslandSolver:
    """Choose and run solvers; keep elimination order and factors while they are valid."""

    def __init__(self) -> None:
        self.structure: Structure = empty_structure()
        self.methods = np.zeros(0, np.int64)
        self._pairs = np.zeros((0, 2), np.int64)
        self._bodies = np.zeros(0, np.int64)
        self._limits = np.zeros(0)
        self._known = np.zeros(0, np.bool_)
        self._refused_until = np.zeros(0, np.int64)  # per body: step from which it may be solved directly
        self._islands: Islands | None = None
        self._step = 0
        self._shape = np.zeros(0, np.int64)
        self._work: Workspace = grow_workspace(None, 0, 0, 0)
        self._spare_work: Workspace = grow_workspace(None, 0, 0, 0)  # of `displace`, to keep the factors

    def save(self) -> SolverState:
        """Return what the choice of solvers in later steps depends on."""
        return SolverState(
            self.structure,
            self.methods,
            self._pairs,
            self._bodies,
            self._limits,
            self._step,
            self._shape,
            self._refused_until.copy(),
            self._known.copy(),
            Workspace(*(field.copy() for field in self._work)),
        )

    def restore(self, state: SolverState) -> None:
        """Return to a saved state."""
        self.structure, self.methods = state.structure, state.methods
        self._pairs, self._bodies, self._limits = state.pairs, state.bodies, state.limits
        self._step = state.step
        self._shape, self._known = state.shape, state.known.copy()
        self._refused_until = state.refused_until.copy()
        self._work = Workspace(*(field.copy() for field in state.work))

    def choose(
        self, islands: Islands, start: np.ndarray, body_count: int, settings: Settings, step: int
    ) -> None:
        """Choose a solver for each island; `start` (blocks + 1,) is the first row of each block."""
        self._islands, self._step = islands, step
        if len(self._refused_until) != body_count:
            self._refused_until = np.zeros(body_count, np.int64)
        limits = self._limits_of(settings, np.diff(start[islands.block_start]), islands)
        same = (
            len(self.structure.column) == body_count
            and np.array_equal(islands.bodies, self._bodies)
            and np.array_equal(islands.pairs, self._pairs)
            and np.array_equal(limits > 0.0, self._limits > 0.0)
        )
        if not same:
            column, body, start, row, work, position, flipped = analyse(
                body_count, islands.bodies, islands.body_start, islands.pairs, islands.pair_start, limits
            )
            self.structure = Structure(column, body, start, row, islands.body_start, work, position, flipped)
            self._bodies, self._pairs, self._limits = islands.bodies, islands.pairs, limits
            self.methods = np.where(work >= 0.0, DIRECT, SWEEPS)
            self._refuse(np.flatnonzero((work < 0.0) & (limits > 0.0)))
        shape = np.concatenate([islands.block_start, islands.block_pair, start])
        if not same or not np.array_equal(shape, self._shape):
            self._known = np.zeros(len(self.methods), np.bool_)
        self._shape = shape

    def take(self, rows: Rows) -> None:
        """Take over newly built rows; factors that still serve are kept."""
        if self._islands is None:
            return
        self._work = self._grown(self._work, len(rows.bias))
        still_holds(rows, self._islands.block_start, self._work, self._known)

    def _grown(self, work: Workspace, rows: int) -> Workspace:
        grown = grow_workspace(work, len(self._bodies), len(self.structure.row), rows)
        if grown.diagonal is not work.diagonal or grown.off_diagonal is not work.off_diagonal:
            self._known[:] = False
        return grown

    def displace(
        self, rows: Rows, z: np.ndarray, displaced: np.ndarray, settings: Settings, tolerance: float
    ) -> None:
        """Solve the rows of `separation` for the islands `displaced`; z receives the displacement."""
        assert self._islands is not None
        self._spare_work = grow_workspace(
            self._spare_work, len(self._bodies), len(self.structure.row), len(rows.bias)
        )
        _solve(
            rows,
            z,
            self._islands.block_start,
            self._islands.body_start,
            np.where(displaced, self.methods, NEITHER),
            np.zeros(len(self.methods), np.bool_),
            self.structure,
            self._islands.block_pair,
            self._spare_work,
            SEPARATION_SWEEPS,
            (tolerance, tolerance),
            settings.direct_budget if settings.solver == "auto" else np.inf,
        )

    def _limits_of(self, settings: Settings, row_counts: np.ndarray, islands: Islands) -> np.ndarray:
        """Return the work that a factorisation of each island may cost, 0 for islands left to the sweeps."""
        if settings.solver == "gauss_seidel":
            return np.zeros(len(row_counts))
        if settings.solver == "direct":
            return np.full(len(row_counts), np.inf)
        limits = settings.direct_work * row_counts
        limits[_refused_islands(islands.body_start, islands.bodies, self._refused_until, self._step)] = 0.0
        return limits

    def _refuse(self, numbers: np.ndarray) -> None:
        """Leave large islands that the direct solver is not made for, for now, to the sweeps."""
        if self._islands is None:
            return
        for i in numbers:
            members = self._islands.bodies[self._islands.body_start[i] : self._islands.body_start[i + 1]]
            if len(members) >= LARGE_ISLAND:
                wait = STEPS_BEFORE_RETRY + max(self.structure.work[i], 0.0) / WORK_PER_WAIT
                self._refused_until[members] = self._step + int(min(wait, MOST_WAIT))

    def postpone(self, bodies: np.ndarray) -> None:
        """Leave bodies that are left to the sweeps, and that were just hit, to them for a while longer."""
        waiting = bodies[self._refused_until[bodies] > self._step]
        self._refused_until[waiting] = np.maximum(
            self._refused_until[waiting], self._step + STEPS_BEFORE_RETRY
        )

    def solve(
        self,
        rows: Rows,
        z: np.ndarray,
        settings: Settings,
        statistics: SolveStatistics,
        *,
        sweep_tolerance: float,
        warm: bool,
        chosen: np.ndarray | None = None,
    ) -> None:
        """Solve the rows for their present biases and limits; adds to z and to the rows' impulses.

        Args:
            rows: rows of the islands given to `prepare`.
            z: (bodies, 6) zero; receives the mass-weighted change of velocity.
            settings: settings of the world.
            statistics: receives the figures.
            sweep_tolerance: [m/s] change of a row's velocity below which sweeps end.
            warm: whether the impulses that the rows carry are a starting value still to be applied.
            chosen: (islands,) which islands are to be solved; None for all.
        """
        if self._islands is None or len(rows.bodies) == 0:
            return
        if warm:
            apply_warm_start(rows, 0, len(rows.bodies), z)
        tolerances = (sweep_tolerance, settings.velocity_tolerance)
        sweeps = settings.sweeps
        deadline = time.perf_counter() + settings.time_limit if settings.time_limit > 0.0 else 0.0
        chunk = min(sweeps, SWEEPS_PER_CLOCK) if deadline else sweeps
        methods = self.methods if chosen is None else np.where(chosen, self.methods, NEITHER)
        while True:
            numbers, failed = _solve(
                rows,
                z,
                self._islands.block_start,
                self._islands.body_start,
                methods,
                self._known,
                self.structure,
                self._islands.block_pair,
                self._work,
                chunk,
                tolerances,
                settings.direct_budget if settings.solver == "auto" else np.inf,
            )
            statistics.add(numbers)
            if settings.solver == "auto" and numbers[2] > 0.0:
                self._refuse(np.flatnonzero(failed))
            sweeps -= chunk
            if sweeps <= 0 or numbers[5] <= sweep_tolerance or time.perf_counter() > deadline:
                return
            methods = np.where(methods == SWEEPS, SWEEPS, NEITHER)

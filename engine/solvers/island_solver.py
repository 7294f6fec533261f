"""Solve the rows of all islands, each with the solver that suits it."""

from typing import Annotated, Any, NamedTuple

import numpy as np
from numba import types
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Floats2, Ints
from stoss.engine.bodies.arrays import BY_SWEEPS, DIRECTLY
from stoss.engine.constraints.islands import Islands
from stoss.engine.constraints.rows import Rows
from stoss.engine.settings import Settings
from stoss.engine.solvers.block_cholesky import Structure, analyse, empty_structure, match_islands
from stoss.engine.solvers.contact_graph import ContactGraph, empty_graph, find_graph
from stoss.engine.solvers.direct import solve_island
from stoss.engine.solvers.gauss_seidel import sweep
from stoss.engine.solvers.linear_system import Workspace, grow_workspace, move_factors, still_holds
from stoss.engine.solvers.shock_propagation import propagate_shock

__all__ = [
    "DIRECT",
    "SWEEPS",
    "IslandSolver",
    "SolverArrays",
    "SolverState",
    "is_direct",
    "solve_islands",
    "still_holds_all",
]

SWEEPS, DIRECT = 0, 1

# An island of at least this many bodies that would cost too much, or for which no active set was found (a
# moving pile, as a rule), is left to the sweeps for a while: trying costs as much as many sweeps.
LARGE_ISLAND = 3
STEPS_BEFORE_RETRY = 30
# Also an island with joints, if they have no more than this share of its rows: where a pendulum hit a wall.
# Others are tried directly in every phase, whatever happened before: a few sweeps leave joints so wide
# open that the way back is violent.
JOINT_SHARE = 0.05
REST_ALLOWANCE = 30.0  # how much more a factorisation may cost for an island that is put down at rest
WORK_PER_WAIT = 1e4  # multiplications of a factorisation that add one step to that
MOST_WAIT = 500
SEPARATION_SWEEPS = 10
SHOCK_SHARE = 1e-3  # share of the tolerance of sweeps to which shock propagation solves each level
# Multiplications of the direct solver per row, for one assembly and for one refinement pass.
ASSEMBLY, PASS = 150.0, 80.0
SWEEPS_PER_CLOCK = 4  # sweeps between two looks at the clock when there is a time limit


# Places of the figures that solves and the stages of a step add to.
FACTORISATIONS, REFINEMENTS, RESCUES, SWEEPS_MADE, RESIDUAL, CHANGE = range(6)
PASSES, PREVIEW_ERROR, SUB_STEPS, IMPACT_ROUNDS, CLOSED, BOUNDED_IMPACTS = range(6, 12)
FIGURES = 12


class SolverState(NamedTuple):
    """What the choice of solvers and the reuse of factors depend on.

    Its arrays are made anew at every change, so they may be shared, but for the last three.
    """

    structure: Structure
    methods: np.ndarray
    pairs: np.ndarray
    pair_start: np.ndarray
    bodies: np.ndarray
    limits: np.ndarray
    step: int
    shape: np.ndarray
    row_start: np.ndarray
    refused_until: np.ndarray  # copied, since it and what follows is written in place
    known: np.ndarray
    work: Workspace


@kernel(allocates=True)
def _refused_islands(body_start: Ints, bodies: Ints, refused_until: Ints, step: int) -> Bools:
    """Return which islands consist, by half or more, of bodies that are left to the sweeps for now."""
    out = np.zeros(len(body_start) - 1, np.bool_)
    for island in range(len(out)):
        count = 0
        for k in range(body_start[island], body_start[island + 1]):
            count += refused_until[bodies[k]] > step
        out[island] = 2 * count >= body_start[island + 1] - body_start[island]
    return out


class SolverArrays(Struct):
    """What the solvers need besides the rows."""

    methods: Annotated[Ints, "islands"]  # SWEEPS, DIRECT
    known: Annotated[Bools, "islands"]  # whether `work` holds the factor of the rows
    failed: Annotated[Bools, "islands"]  # set where no active set was found
    yields: Annotated[Bools, "islands"]  # which are left to the sweeps from then on
    structure: Structure
    work: Workspace
    graph: ContactGraph  # of the islands that are swept


@inner
def is_direct(solver, island):
    """Return whether an island is solved directly: by choice, and because that has not failed."""
    return solver.methods[island] == DIRECT and not (solver.failed[island] and solver.yields[island])


# Processor time in units of 1e-6 s: the clock of the C library, which compiled code can read.
_clock: Any = types.ExternalFunction("clock", types.intp())
CLOCKS_PER_SECOND = 1e6


@kernel(allocates=True)
def solve_islands(
    rows: Rows,
    z: Floats2,
    islands: Islands,
    solver: SolverArrays,
    chosen: Bools,
    sweeps: int,
    sweep_tolerance: float,
    direct_tolerance: float,
    budget: float,
    time_limit: float,
    shock: bool,
    warm: bool,
    figures: Floats,
) -> None:
    """Solve the chosen islands, each by its method; adds to z and to the rows' impulses.

    Args:
        rows: rows of the islands, with biases and limits.
        z: (bodies, 6) what the impulses that the rows carry do, as far as it is not done already.
        islands, solver: of these rows.
        chosen: (islands,)
        sweeps: most sweeps.
        sweep_tolerance, direct_tolerance: [m/s] last change of a row's velocity; residual.
        budget: multiplications of direct solves after which the others are brief.
        time_limit: [s] for the sweeps, 0 for none.
        shock: whether shock propagation ends sweeps that have not converged.
        warm: whether impulses are those of the last phase, not of the last pass of this one.
        figures: receives figures.
    """
    spent = 0.0
    start = rows.start
    structure = solver.structure
    solved = np.zeros(len(chosen), np.bool_)
    for island in range(len(chosen)):
        if not chosen[island] or not is_direct(solver, island):
            continue
        solved[island] = True
        b0 = islands.block_start[island]
        b1 = islands.block_start[island + 1]
        factorisations, passes, rescues, residual = solve_island(
            rows,
            b0,
            b1,
            z,
            structure,
            islands.block_pair,
            islands.body_start[island],
            islands.body_start[island + 1],
            solver.work,
            direct_tolerance,
            solver.known[island],
            spent > budget,
            warm,
        )
        size = start[b1] - start[b0]
        spent += factorisations * (structure.work[island] + ASSEMBLY * size) + passes * PASS * size
        solver.known[island] = solver.known[island] or factorisations > 0
        solver.failed[island] = solver.failed[island] or rescues > 0
        figures[FACTORISATIONS] += factorisations
        figures[REFINEMENTS] += passes
        figures[RESCUES] += rescues
        figures[RESIDUAL] = max(figures[RESIDUAL], residual)
    graph = solver.graph
    changes = np.zeros(len(chosen))
    swept = np.zeros(len(chosen), np.bool_)
    for island in range(len(chosen)):
        swept[island] = chosen[island] and not solved[island]
    deadline = _clock() + time_limit * CLOCKS_PER_SECOND
    made = 0
    while made < sweeps:
        # all islands have had their turn when time is up
        chunk = min(sweeps - made, SWEEPS_PER_CLOCK) if time_limit > 0.0 else sweeps
        largest = 0
        worst = 0.0
        for island in range(len(chosen)):
            if swept[island]:
                blocks = graph.order[islands.block_start[island] : islands.block_start[island + 1]]
                number, changes[island] = sweep(
                    rows, blocks, z, chunk, sweep_tolerance, graph.level, np.int64(-1), bool(1)
                )
                largest = max(largest, number)
                worst = max(worst, changes[island])
        figures[SWEEPS_MADE] += largest
        made += chunk
        if worst <= sweep_tolerance or made >= sweeps or (time_limit > 0.0 and _clock() >= deadline):
            break
    for island in range(len(chosen)):
        if shock and changes[island] > sweep_tolerance and graph.grounded[island]:
            blocks = graph.order[islands.block_start[island] : islands.block_start[island + 1]]
            # closer than the sweeps: what is left of each level adds up to a creep of the whole tower
            changes[island] = propagate_shock(rows, blocks, z, graph.level, SHOCK_SHARE * sweep_tolerance)
        figures[CHANGE] = max(figures[CHANGE], changes[island])


@inner
def still_holds_all(rows, islands, solver):
    """Keep factors only where rows that were built anew are the same."""
    still_holds(rows, islands.block_start, solver.work, solver.known)


class IslandSolver:
    """Choose and run solvers; keep elimination order and factors while they are valid."""

    def __init__(self) -> None:
        self.structure: Structure = empty_structure()
        self.methods = np.zeros(0, np.int64)
        self.failed = np.zeros(0, np.bool_)  # islands whose search failed in the present stage
        self._yields = np.zeros(0, np.bool_)  # islands that are left to the sweeps once their search failed
        self._pairs = np.zeros((0, 2), np.int64)
        self._pair_start = np.zeros(1, np.int64)
        self._row_start = np.zeros(1, np.int64)  # first row of each island, and the end
        self._bodies = np.zeros(0, np.int64)
        self._limits = np.zeros(0)
        self._known = np.zeros(0, np.bool_)
        self._refused_until = np.zeros(0, np.int64)  # per body: step from which it may be solved directly
        self._islands: Islands | None = None
        self._unsettled = False  # whether the choice may come out differently for the same islands
        self.step = 0  # number of the present step
        self._shape = np.zeros(0, np.int64)
        self._graph = empty_graph(0, 0, 0)
        self._graph_of: list[np.ndarray] = []  # what the graph depends on
        self._contact_count = 0
        self._shock = False
        self._arrays: SolverArrays | None = None
        self._work: Workspace = grow_workspace(None, 0, 0, 0)
        self._other_work: Workspace = grow_workspace(None, 0, 0, 0)  # factors move there as islands change
        self._spare_work: Workspace = grow_workspace(None, 0, 0, 0)  # of `displace`, to keep the factors

    def save(self) -> SolverState:
        """Return what the choice of solvers in later steps depends on."""
        return SolverState(
            self.structure,
            self.methods,
            self._pairs,
            self._pair_start,
            self._bodies,
            self._limits,
            self.step,
            self._shape,
            self._row_start,
            self._refused_until.copy(),
            self._known.copy(),
            Workspace(*(field.copy() for field in self._work)),
        )

    def restore(self, state: SolverState) -> None:
        """Return to a saved state."""
        self.structure, self.methods = state.structure, state.methods
        self._pairs, self._pair_start, self._bodies = state.pairs, state.pair_start, state.bodies
        self._limits, self.step = state.limits, state.step
        self._shape, self._row_start, self._known = state.shape, state.row_start, state.known.copy()
        self._refused_until = state.refused_until.copy()
        self._work = Workspace(*(field.copy() for field in state.work))
        self._update_graph()
        self.failed = np.zeros(len(self.methods), np.bool_)

    def choose(
        self,
        islands: Islands,
        first_rows: np.ndarray,
        wishes: np.ndarray,
        joint_rows: np.ndarray,
        at_rest: np.ndarray,
        contact_count: int,
        settings: Settings,
    ) -> None:
        """Choose a solver for each island.

        Args:
            islands: the islands.
            first_rows: (blocks + 1,) first row of each block.
            wishes: (bodies,) which solver a body wants: BY_SETTINGS, DIRECTLY, BY_SWEEPS.
            joint_rows: (islands,) number of rows of joints.
            at_rest: (bodies,) which bodies rest. An island that is put down at rest may
                cost more: its factor serves for as long as it rests, and sweeps would bring a big pile down.
            contact_count: number of contacts; the other sources of blocks are joints.
            settings: settings of the world.
        """
        body_count = len(wishes)
        self._islands = islands
        if len(self._refused_until) != body_count:
            self._refused_until = np.zeros(body_count, np.int64)
        self._unsettled = bool((self._refused_until > self.step).any())
        row_start = first_rows[islands.block_start]
        row_counts = np.diff(row_start)
        self._yields = joint_rows <= JOINT_SHARE * row_counts
        self._yields &= (np.diff(islands.body_start) >= LARGE_ISLAND) & (settings.solver == "auto")
        limits = self._limits_of(settings, row_counts, islands)
        if wishes.any() and len(limits):
            wish = np.maximum.reduceat(wishes[islands.bodies], islands.body_start[:-1])
            self._yields &= wish != DIRECTLY
            limits = np.where(wish == DIRECTLY, np.inf, np.where(wish == BY_SWEEPS, 0.0, limits))
        if len(limits) and settings.solver == "auto":
            moving = np.add.reduceat(~at_rest[islands.bodies], islands.body_start[:-1])
            limits[moving == 0] *= REST_ALLOWANCE
        same = (
            len(self.structure.column) == body_count
            and np.array_equal(islands.bodies, self._bodies)
            and np.array_equal(islands.pairs, self._pairs)
            and np.array_equal(limits > 0.0, self._limits > 0.0)
        )
        self.failed = np.zeros(len(limits), np.bool_)
        shape = np.concatenate([islands.block_start, islands.block_pair, first_rows])
        if not same or not np.array_equal(shape, self._shape):
            old = self.structure
            match = np.arange(len(limits)) if same else self._analyse(islands, body_count, limits)
            source = self._work
            self._work = grow_workspace(
                self._other_work, len(self._bodies), len(self.structure.row), row_start[-1]
            )
            self._other_work = source
            self._known = move_factors(
                match, self._known, old, self.structure, self._row_start, row_start, source, self._work
            )
            self._shape, self._row_start = shape, row_start
        self._contact_count, self._shock = contact_count, settings.shock_propagation
        self._update_graph()

    def _analyse(self, islands: Islands, body_count: int, limits: np.ndarray) -> np.ndarray:
        """Find structure and method of each island; return which old island each one is, -1 for none."""
        match = match_islands(
            body_count,
            islands.bodies,
            islands.body_start,
            islands.pairs,
            islands.pair_start,
            self._bodies,
            self.structure.island_start,
            self._pairs,
            self._pair_start,
        )
        column, body, start, row, work, position, flipped = analyse(
            body_count,
            islands.bodies,
            islands.body_start,
            islands.pairs,
            islands.pair_start,
            limits,
            match,
            self.structure,
        )
        self.structure = Structure(column, body, start, row, islands.body_start, work, position, flipped)
        self._bodies, self._pairs, self._pair_start = islands.bodies, islands.pairs, islands.pair_start
        self._limits = limits
        self.methods = np.where(self.structure.work >= 0.0, DIRECT, SWEEPS)
        self._refuse(np.flatnonzero((self.structure.work < 0.0) & (limits > 0.0)))
        return match

    def _update_graph(self) -> None:
        """Find the contact graph of the islands that are swept, if it is wanted and not known."""
        islands = self._islands
        assert islands is not None
        wanted = (self.methods == SWEEPS) & self._shock
        needs = [wanted, islands.bodies, islands.body_start, islands.order, islands.block_start]
        needs += [islands.pairs, islands.pair_start, islands.block_pair]
        needs.append(np.array([len(self._refused_until), self._contact_count]))
        if len(self._graph_of) == len(needs) and all(map(np.array_equal, needs, self._graph_of)):
            return
        self._graph_of = needs
        self._graph = empty_graph(len(self._refused_until), len(wanted), len(islands.order))
        if wanted.any():
            find_graph(islands, self._contact_count, wanted, self._graph)

    @property
    def settled(self) -> bool:
        """Return whether the choice of solvers will stay as long as the islands do."""
        return not self._unsettled

    @property
    def arrays(self) -> SolverArrays:
        """Return what the solvers need besides the rows."""
        now = self.methods, self._known, self.failed, self._yields, self.structure, self._work, self._graph
        if self._arrays is None:
            self._arrays = SolverArrays(*now)
        else:
            self._arrays.update(*now)
        return self._arrays

    def take(self, rows: Rows) -> None:
        """Take over newly built rows; factors that still serve are kept."""
        if self._islands is not None:
            still_holds(rows, self._islands.block_start, self._work, self._known)

    def learn(self, settings: Settings) -> None:
        """Leave islands that the direct solver could not solve to the sweeps for a while."""
        if settings.solver == "auto" and self.failed.any():
            self._refuse(np.flatnonzero(self.failed))
        self.failed[:] = False

    def displace(
        self, rows: Rows, z: np.ndarray, displaced: np.ndarray, settings: Settings, tolerance: float
    ) -> None:
        """Solve the rows of `separation` for the islands `displaced`; z receives the displacement."""
        assert self._islands is not None
        self._spare_work = grow_workspace(
            self._spare_work, len(self._bodies), len(self.structure.row), len(rows.bias)
        )
        nothing = np.zeros(len(self.methods), np.bool_)
        solver = SolverArrays(
            self.methods, nothing, nothing.copy(), nothing, self.structure, self._spare_work, self._graph
        )
        solve_islands(
            rows,
            z,
            self._islands,
            solver,
            displaced,
            SEPARATION_SWEEPS,
            tolerance,
            tolerance,
            settings.budget,
            0.0,
            settings.shock_propagation,
            False,
            np.zeros(FIGURES),
        )

    def _limits_of(self, settings: Settings, row_counts: np.ndarray, islands: Islands) -> np.ndarray:
        """Return the work that a factorisation of each island may cost, 0 for islands left to the sweeps."""
        if settings.solver == "gauss_seidel":
            return np.zeros(len(row_counts))
        if settings.solver == "direct":
            return np.full(len(row_counts), np.inf)
        limits = settings.direct_work * row_counts
        refused = _refused_islands(islands.body_start, islands.bodies, self._refused_until, self.step)
        limits[refused & self._yields] = 0.0
        return limits

    def _refuse(self, numbers: np.ndarray) -> None:
        """Leave large islands that the direct solver is not made for, for now, to the sweeps."""
        if self._islands is None:
            return
        for i in numbers:
            members = self._islands.bodies[self._islands.body_start[i] : self._islands.body_start[i + 1]]
            if len(members) >= LARGE_ISLAND:
                wait = STEPS_BEFORE_RETRY + max(self.structure.work[i], 0.0) / WORK_PER_WAIT
                self._unsettled = True
                self._refused_until[members] = self.step + int(min(wait, MOST_WAIT))

    def postpone(self, bodies: np.ndarray) -> None:
        """Leave bodies that are left to the sweeps, and that were just hit, to them for a while longer."""
        waiting = bodies[self._refused_until[bodies] > self.step]
        self._refused_until[waiting] = np.maximum(
            self._refused_until[waiting], self.step + STEPS_BEFORE_RETRY
        )

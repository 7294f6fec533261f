"""The solvers of the islands of a world: which one each has, and what they keep between solves."""

from typing import NamedTuple

import numpy as np

from stoss.collision.kernels.axes import ROOM, Axis, set_length
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.constraints.axes import Axes
from stoss.engine.constraints.islands import Islands, Layout
from stoss.engine.settings import Settings
from stoss.engine.solvers.arrays import DIRECT, SolverArrays
from stoss.engine.solvers.choice import (
    BODIES,
    COUNTS,
    DIRECTLY_SOLVED,
    METHOD_OF,
    SWEPT,
    UNSETTLED,
    Choice,
    choose,
    keep_factors,
    no_doubts,
    refuse,
    settle_choice,
)
from stoss.engine.solvers.contact_graph import ContactGraph, find_graph
from stoss.engine.solvers.elimination import Analysed, FactorStructure, analyse, take_analysed
from stoss.engine.solvers.factors import DirectWorkspace, move_factors

__all__ = ["Choosing", "IslandSolver", "SolverState", "choose_solvers"]


class Choosing(Struct):
    """What `choose_solvers` works on besides islands and bodies."""

    choice: Choice
    analysed: Analysed
    kept: FactorStructure  # the structure that was found for these
    solver: SolverArrays
    work: DirectWorkspace  # factors, with all the room there is
    fill: Axis  # off-diagonal blocks
    slow: float  # velocity below which a body rests [m/s or rad/s]
    method: int  # see `choose`
    work_per_row: float
    shock: bool  # whether islands that are swept are so from the ground up


@kernel
def choose_solvers(c: Choosing, islands: Islands, layout: Layout, bodies: BodyArrays) -> int:
    """Choose a solver for each island, and keep factors as long as they are valid.

    Args:
        c: what it works on; its arrays have the right lengths, but for the off-diagonal blocks.
        islands, layout: the islands.
        bodies: which solvers they want, and whether they rest.

    Returns:
        The room that there should be for off-diagonal blocks, 0: it was enough.
    """
    same = choose(islands, layout, bodies, c.slow, c.method, c.work_per_row, c.analysed, c.choice, c.solver)
    if not same:
        set_length(c.fill, c.fill.size[ROOM])
        found = analyse(islands, c.choice.limits, c.choice.match, c.kept, c.solver.structure)
        if found < 0:
            return -found
        set_length(c.fill, found)
        settle_choice(islands, len(bodies.kinds), c.choice, c.solver)
    keep_factors(islands, layout, c.choice, c.solver)
    move_factors(c.choice.factor, c.kept, c.solver.structure, c.choice.row_start, islands, layout, c.work)
    if not same:
        take_analysed(islands, c.solver.structure, c.analysed, c.kept)
    find_graph(islands, len(layout.contacts), c.shock, c.solver.methods, c.solver.graph)
    return 0


class ChoiceState(NamedTuple):
    """What later choices depend on."""

    structure: FactorStructure
    methods: np.ndarray
    analysed: Islands
    limits: np.ndarray
    step: int
    patient: np.ndarray
    unsettled: bool
    refused_until: np.ndarray
    doubts: np.ndarray


class FactorState(NamedTuple):
    """The factors of all islands."""

    known: np.ndarray
    row_start: np.ndarray
    work: DirectWorkspace


class SolverState(NamedTuple):
    """What the choice of solvers and the reuse of factors depend on."""

    choice: ChoiceState
    factors: FactorState


class IslandSolver:
    """Solve the islands: what was chosen for each, and what is kept while it is valid.

    Args:
        axes: to whose tables its own belong.

    Attributes:
        arrays: what the solvers need besides the rows.
        spare: the same solvers with memory of their own, for displacements: these keep their factors. All but
            the methods, which are to be copied.
        choosing: what `choose_solvers` works on.
    """

    def __init__(self, axes: Axes) -> None:
        self._flags, self._spare_flags = Table(SolverArrays), Table(SolverArrays)
        self._work, self._spare_work = Table(DirectWorkspace), Table(DirectWorkspace)
        self._structure, self._graph = Table(FactorStructure), Table(ContactGraph)
        choice, analysed, kept = Table(Choice, counts=COUNTS), Table(Analysed, one=1), Table(FactorStructure)
        self.arrays, self.spare = self._flags.arrays, self._spare_flags.arrays
        self._step = np.zeros(1, np.int64)  # number of the present one
        for arrays, work in ((self.arrays, self._work), (self.spare, self._spare_work)):
            arrays.structure, arrays.work = self._structure.arrays, work.arrays
            arrays.graph, arrays.step = self._graph.arrays, self._step
        flags, spare_flags, work, spare_work = self._flags, self._spare_flags, self._work, self._spare_work
        structure, graph = self._structure, self._graph
        axes.islands.add_all(flags, spare_flags, structure, graph, choice, analysed, kept, name="islands")
        axes.members.add_all(structure, work, spare_work, kept, name="columns")
        axes.members.add_all(analysed, name="members")
        axes.fill.add_all(structure, work, spare_work, kept, name="blocks")
        axes.pairs.add_all(structure, analysed, kept, name="pairs")
        axes.bodies.add_all(structure, graph, choice, kept, name="bodies")
        axes.blocks.add_all(graph, name="blocks")
        axes.rows.add_all(work, name="rows")
        axes.displaced.add_all(spare_work, name="rows")
        self._axes, self._choice, self._analysed = axes, choice.storage, analysed.storage
        self.choosing = Choosing(
            *(self._choice, self._analysed, kept.storage, self.arrays, self._work.storage),
            *(axes.fill.arrays, 0.0, 0, 0.0, False),
        )
        self._settings: Settings | None = None
        self._doubts = no_doubts(0)
        self.forget(0)

    def forget(self, bodies: int) -> None:
        """Forget what was learnt of bodies, factors and structures; from now on there are so many bodies."""
        self._choice.refused_until[:] = 0
        self._analysed.count[0] = 0
        self.arrays.known[:] = False
        self._choice.counts[:] = 0
        self.have_bodies(bodies)
        self._show_doubts(no_doubts(bodies))

    def have_bodies(self, count: int) -> None:
        """Have another number of bodies, of which nothing has failed yet."""
        if count != self._axes.bodies.length:
            self._axes.bodies.set(count)
        if count != self._doubts.shape[1]:
            self._choice.refused_until[:] = 0
            self._show_doubts(no_doubts(count))

    def _show_doubts(self, doubts: np.ndarray) -> None:
        self._doubts = doubts
        self.arrays.searches, self.spare.searches = doubts[0], doubts[1]
        self.arrays.splits = self.spare.splits = doubts[2]

    def take_settings(self, settings: Settings, rest: float) -> None:
        """Choose by these settings; a body is at rest below so many velocity tolerances."""
        if settings is not self._settings:
            self._settings, c = settings, self.choosing
            c.slow, c.method = rest * settings.velocity_tolerance, METHOD_OF[settings.solver]
            c.work_per_row, c.shock = settings.direct_work, settings.shock_propagation

    @property
    def methods(self) -> np.ndarray:
        """Return the method (islands,) of each island: SWEEPS, DIRECT."""
        return self.arrays.methods

    @property
    def any_failed(self) -> bool:
        """Return whether any search for an active set failed in the present stage."""
        return bool(np.count_nonzero(self.arrays.failed))

    @property
    def counts(self) -> tuple[int, int]:
        """Return how many islands are solved directly, and how many by sweeps."""
        counts = self._choice.counts
        return int(counts[DIRECTLY_SOLVED]), int(counts[SWEPT])

    @property
    def counted(self) -> np.ndarray:
        """Return counts of islands by their solvers, for kernels; see `choice`."""
        return self._choice.counts

    @property
    def settled(self) -> bool:
        """Return whether the choice of solvers will stay as long as the islands do."""
        return not self._choice.counts[UNSETTLED]

    def begin(self, step: int) -> None:
        """Begin a step of this number, by which the choice counts how long islands are refused."""
        self._step[0] = step

    def learn(self, islands: Islands, settings: Settings) -> None:
        """Leave islands that the direct solver could not solve to the sweeps for a while."""
        failed = self.arrays.failed
        if settings.solver == "auto":
            refuse(islands, failed, self._choice, self.arrays)
        failed[:] = False

    def save(self, islands: Islands) -> SolverState:
        """Return what the choice of solvers in later steps depends on; `islands`: the present ones."""
        count, bodies, choice = len(self.methods), self._axes.bodies.length, self._choice
        return SolverState(
            ChoiceState(
                self._structure.arrays.copy(),
                self.methods.copy(),
                islands.copy(),
                choice.old_limits[:count].copy(),
                int(self._step[0]),
                self.arrays.patient.copy(),
                not self.settled,
                choice.refused_until[:bodies].copy(),
                self._doubts.copy(),
            ),
            FactorState(
                self.arrays.known.copy(), choice.row_start[: count + 1].copy(), self._work.arrays.copy()
            ),
        )

    def restore(self, state: SolverState, islands: Islands, layout: Layout) -> None:
        """Return to a saved state, after solvers were chosen for its islands, which are the present ones."""
        saved, factors, choice = state.choice, state.factors, self._choice
        count, bodies = len(self.methods), self._axes.bodies.length
        self._axes.fill.set(len(saved.structure.row))
        for arrays, source in ((self.arrays.structure, saved.structure), (self.arrays.work, factors.work)):
            for name in arrays.array_fields():
                getattr(arrays, name)[:] = getattr(source, name)
        self.arrays.methods[:], self.arrays.patient[:] = saved.methods, saved.patient
        self.arrays.known[:], self.arrays.failed[:] = factors.known, False
        choice.old_limits[:count], choice.row_start[: count + 1] = saved.limits, factors.row_start
        choice.refused_until[:bodies] = saved.refused_until
        directly = int(np.count_nonzero(saved.methods == DIRECT))
        choice.counts[DIRECTLY_SOLVED], choice.counts[SWEPT] = directly, count - directly
        choice.counts[UNSETTLED], choice.counts[BODIES] = saved.unsettled, bodies
        self._show_doubts(saved.doubts.copy())
        self._step[0] = saved.step
        take_analysed(islands, self.arrays.structure, self._analysed, self.choosing.kept)
        find_graph(islands, len(layout.contacts), self.choosing.shock, self.methods, self.arrays.graph)

"""The solvers of the islands of a world: which one each has, and what they keep between solves."""

from typing import NamedTuple

import numpy as np

from stoss.collision.kernels.tables import Table
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.constraints.islands import Islands
from stoss.engine.settings import Settings
from stoss.engine.solvers.arrays import DIRECT, SWEEPS, SolverArrays
from stoss.engine.solvers.choice import ChoiceState, SolverChoice
from stoss.engine.solvers.contact_graph import ContactGraph, empty_graph, find_graph
from stoss.engine.solvers.factors import DirectWorkspace, Factors, FactorState

__all__ = ["IslandSolver", "SolverState"]

NO_GRAPH = -1, -1, -1


class SolverState(NamedTuple):
    """What the choice of solvers and the reuse of factors depend on."""

    choice: ChoiceState
    factors: FactorState
    row_shape: np.ndarray


class IslandSolver:
    """Solve the islands: choose their solvers, and keep factors and contact graphs while they are valid.

    Attributes:
        failed: (islands,) whose search for an active set failed in the present stage.
    """

    def __init__(self) -> None:
        self.choice = SolverChoice()
        self.factors = Factors()
        self._counted, self._direct = self.choice.methods, 0
        self._islands = Islands.zeros()
        self.failed = np.zeros(0, np.bool_)
        self._row_shape = np.zeros(0, np.int64)  # which rows the islands have
        self.graph = empty_graph(0, 0, 0)
        self._graph_of: list[np.ndarray] = []  # what the graph depends on
        self._graph_for = 0, 0, False  # numbers of bodies and contacts, and whether it is wanted
        self._plain = Table(ContactGraph)  # the graph of which nothing is known, and its lengths
        self._plain_for = NO_GRAPH
        self._arrays: SolverArrays | None = None
        self._spare_work = Table(DirectWorkspace)  # of `for_displacement`
        self._spare_arrays: SolverArrays | None = None
        self._nothing = np.zeros(0, np.bool_)  # no island
        self._spare_flags = self._nothing, self._nothing  # known, failed
        self._step = np.zeros(1, np.int64)  # number of the present one

    @property
    def methods(self) -> np.ndarray:
        """Return the method (islands,) of each island: SWEEPS, DIRECT."""
        return self.choice.methods

    @property
    def counts(self) -> tuple[int, int]:
        """Return how many islands are solved directly, and how many by sweeps."""
        methods = self.choice.methods
        if methods is not self._counted:
            self._counted, self._direct = methods, int(np.count_nonzero(methods == DIRECT))
        return self._direct, len(methods) - self._direct

    @property
    def settled(self) -> bool:
        """Return whether the choice of solvers will stay as long as the islands do."""
        return self.choice.settled

    @property
    def arrays(self) -> SolverArrays:
        """Return what the solvers need besides the rows."""
        choice, factors = self.choice, self.factors
        now = (
            choice.methods,
            factors.known,
            self.failed,
            choice.yields,
            choice.patient,
            choice.structure,
            factors.work,
            self.graph,
            self._step,
            choice.doubts[0],
            choice.doubts[2],
        )
        if self._arrays is None:
            self._arrays = SolverArrays(*now)
        else:
            self._arrays.update(*now)
        return self._arrays

    def begin(self, step: int) -> None:
        """Begin a step of this number, by which the choice counts how long islands are refused."""
        self.choice.step = self._step[0] = step

    def choose(
        self,
        islands: Islands,
        first_rows: np.ndarray,
        joint_rows: np.ndarray,
        bodies: BodyArrays,
        slow: float,
        contact_count: int,
        settings: Settings,
    ) -> None:
        """Choose a solver for each island.

        Args:
            islands: the islands, arrays of their own.
            first_rows: (blocks + 1,) first row of each block.
            joint_rows: (islands,) number of rows of joints.
            bodies: which solvers they want, and whether they rest. An island that is put down at rest may
                cost more: its factor serves for as long as it rests, and sweeps would bring a big pile down.
            slow: velocity [m/s or rad/s] below which a body rests.
            contact_count: number of contacts; the other sources of blocks are joints.
            settings: settings of the world.
        """
        choice, old = self.choice, self.choice.structure
        match = choice.choose(islands, first_rows, joint_rows, bodies, slow, settings)
        self._islands = islands
        self.failed = np.zeros(len(choice.methods), np.bool_)
        row_shape = np.concatenate([islands.block_start, islands.block_pair, first_rows])
        if match is not None or not np.array_equal(row_shape, self._row_shape):
            match = np.arange(len(choice.methods)) if match is None else match
            self.factors.move(match, old, choice.structure, first_rows[islands.block_start])
            self._row_shape = row_shape
        self._graph_for = len(bodies.kinds), contact_count, settings.shock_propagation
        self._update_graph()

    def _update_graph(self) -> None:
        """Find the contact graph of the islands that are swept, if it is wanted and not known."""
        body_count, contact_count, shock = self._graph_for
        islands, methods = self._islands, self.choice.methods
        if not shock:
            lengths = body_count, len(methods), len(islands.order)
            self._graph_of = []
            if self.graph is not self._plain.arrays or lengths != self._plain_for:
                self._plain_for = lengths
                self._show_plain_graph(*lengths)
            return
        wanted = methods == SWEEPS
        needs = [wanted, islands.bodies, islands.body_start, islands.order, islands.block_start]
        needs += [islands.pairs, islands.pair_start, islands.block_pair]
        needs.append(np.array([body_count, contact_count]))
        if len(self._graph_of) == len(needs) and all(map(np.array_equal, needs, self._graph_of)):
            return
        self._graph_of = needs
        self.graph = empty_graph(body_count, len(wanted), len(islands.order))
        if wanted.any():
            find_graph(islands, contact_count, wanted, self.graph)

    def _show_plain_graph(self, bodies: int, islands: int, blocks: int) -> None:
        """Let the graph be one of which nothing is known."""
        memory = self._plain.storage
        had = len(memory.level), len(memory.order)
        self.graph = self._plain.resize(keep=False, bodies=bodies, islands=islands, blocks=blocks)
        if had != (len(memory.level), len(memory.order)):
            known = empty_graph(len(memory.level), 0, len(memory.order))
            memory.level[:], memory.order[:] = known.level, known.order

    def learn(self, settings: Settings) -> None:
        """Leave islands that the direct solver could not solve to the sweeps for a while."""
        if settings.solver == "auto":
            self.choice.refuse(self.failed)
        self.failed[:] = False

    def postpone(self, bodies: np.ndarray) -> None:
        """Leave bodies that are left to the sweeps, and that were just hit, to them for a while longer."""
        self.choice.postpone(bodies)

    def for_displacement(self, rows: int) -> SolverArrays:
        """Return the same solvers, with memory of their own for so many rows: these keep their factors."""
        choice, structure, nothing = self.choice, self.choice.structure, self._nothing
        if len(nothing) != len(choice.methods):
            nothing = self._nothing = np.zeros(len(choice.methods), np.bool_)
            self._spare_flags = nothing.copy(), nothing.copy()
        work = self._spare_work.resize(
            keep=False, columns=len(structure.body), blocks=len(structure.row), rows=rows
        )
        doubts = self._step, choice.doubts[1], choice.doubts[2]
        now = (choice.methods, *self._spare_flags, nothing, nothing, structure, work, self.graph, *doubts)
        if self._spare_arrays is None:
            self._spare_arrays = SolverArrays(*now)
        else:
            self._spare_arrays.update(*now)
        return self._spare_arrays

    def save(self) -> SolverState:
        """Return what the choice of solvers in later steps depends on."""
        return SolverState(self.choice.save(), self.factors.save(), self._row_shape)

    def restore(self, state: SolverState) -> None:
        """Return to a saved state, after the solvers of its islands were chosen."""
        self.choice.restore(state.choice)
        self._step[0] = self.choice.step
        self.factors.restore(state.factors)
        self._row_shape = state.row_shape
        self._update_graph()
        self.failed = np.zeros(len(self.methods), np.bool_)

"""Choose a solver for each island: direct where it pays, sweeps for the others."""

from typing import NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Bools, Ints
from stoss.engine.bodies.arrays import BY_SWEEPS, DIRECTLY
from stoss.engine.constraints.islands import Islands
from stoss.engine.settings import Settings
from stoss.engine.solvers.arrays import DIRECT, SWEEPS
from stoss.engine.solvers.elimination import FactorStructure, find_structure, match_islands

__all__ = ["ChoiceState", "SolverChoice"]

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


class ChoiceState(NamedTuple):
    """What later choices depend on; all but the last is made anew at every change, so it may be shared."""

    structure: FactorStructure
    methods: np.ndarray
    analysed: Islands
    limits: np.ndarray
    step: int
    patient: np.ndarray
    unsettled: bool
    refused_until: np.ndarray


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


class SolverChoice:
    """Choose the solver of each island by what a factorisation costs, and by what failed before.

    Attributes:
        structure: elimination order of the islands that are solved directly.
        methods: (islands,) SWEEPS, DIRECT.
        yields: (islands,) which are left to the sweeps once their search for an active set failed.
        patient: (islands,) which consist of bodies at rest, with few joints: what lean on each other are
            contacts, and joints that contradict them are not to be searched for long.
        step: number of the present step.
    """

    def __init__(self) -> None:
        self.structure = FactorStructure.zeros()
        self.methods = np.zeros(0, np.int64)
        self.yields = np.zeros(0, np.bool_)
        self.patient = np.zeros(0, np.bool_)
        self.step = 0
        self._islands = self._analysed = Islands.zeros()  # the present ones; those of the structure
        self._limits = np.zeros(0)
        self._refused_until = np.zeros(0, np.int64)  # per body: step from which it may be solved directly
        self._unsettled = False  # whether the choice may come out differently for the same islands

    @property
    def settled(self) -> bool:
        """Return whether the choice will stay as long as the islands do."""
        return not self._unsettled

    def choose(
        self,
        islands: Islands,
        row_counts: np.ndarray,
        joint_rows: np.ndarray,
        wishes: np.ndarray,
        at_rest: np.ndarray,
        settings: Settings,
    ) -> np.ndarray | None:
        """Choose for other islands, or anew for the same ones; see `IslandSolver.choose`.

        Args:
            islands: the islands.
            row_counts, joint_rows: (islands,) number of all rows, and of those of joints.
            wishes, at_rest: of the bodies.
            settings: settings of the world.

        Returns:
            For each island the number that it had, -1 for a new one; None if bodies, pairs and methods are
            the same as before.
        """
        self._islands = islands
        self.patient = np.zeros(len(row_counts), np.bool_)
        if len(row_counts):
            self.patient = ~np.logical_or.reduceat(~at_rest[islands.bodies], islands.body_start[:-1])
        if len(self._refused_until) != len(wishes):
            self._refused_until = np.zeros(len(wishes), np.int64)
        self._unsettled = bool((self._refused_until > self.step).any())
        few_joints = joint_rows <= JOINT_SHARE * row_counts
        self.patient &= few_joints
        large = np.diff(islands.body_start) >= LARGE_ISLAND
        self.yields = few_joints & large & (settings.solver == "auto")
        limits = self._find_limits(row_counts, wishes, settings)
        if (
            len(self.structure.column) == len(wishes)
            and np.array_equal(islands.bodies, self._analysed.bodies)
            and np.array_equal(islands.pairs, self._analysed.pairs)
            and np.array_equal(limits > 0.0, self._limits > 0.0)
        ):
            return None
        match = match_islands(len(wishes), islands, self._analysed)
        self.structure = find_structure(len(wishes), islands, limits, match, self.structure)
        self._analysed, self._limits = islands, limits
        self.methods = np.where(self.structure.work >= 0.0, DIRECT, SWEEPS)
        self.refuse(np.flatnonzero((self.structure.work < 0.0) & (limits > 0.0)))
        return match

    def _find_limits(self, row_counts: np.ndarray, wishes: np.ndarray, settings: Settings) -> np.ndarray:
        """Return the work that a factorisation of each island may cost, 0 for islands left to the sweeps.

        Islands that a body wants to be solved directly do not yield.
        """
        islands = self._islands
        if settings.solver == "gauss_seidel":
            limits = np.zeros(len(row_counts))
        elif settings.solver == "direct":
            limits = np.full(len(row_counts), np.inf)
        else:
            limits = settings.direct_work * row_counts
            refused = _refused_islands(islands.body_start, islands.bodies, self._refused_until, self.step)
            limits[refused & self.yields] = 0.0
        if wishes.any() and len(limits):
            wish = np.maximum.reduceat(wishes[islands.bodies], islands.body_start[:-1])
            self.yields &= wish != DIRECTLY
            limits = np.where(wish == DIRECTLY, np.inf, np.where(wish == BY_SWEEPS, 0.0, limits))
        if len(limits) and settings.solver == "auto":
            limits[self.patient] *= REST_ALLOWANCE
        return limits

    def refuse(self, numbers: np.ndarray) -> None:
        """Leave large islands that the direct solver is not made for, for now, to the sweeps."""
        islands = self._islands
        for i in numbers:
            members = islands.bodies[islands.body_start[i] : islands.body_start[i + 1]]
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

    def save(self) -> ChoiceState:
        """Return what later choices depend on."""
        return ChoiceState(
            self.structure,
            self.methods,
            self._analysed,
            self._limits,
            self.step,
            self.patient,
            self._unsettled,
            self._refused_until.copy(),
        )

    def restore(self, state: ChoiceState) -> None:
        """Return to a saved state."""
        self.structure, self.methods, self._analysed, self._limits, self.step, self.patient = state[:6]
        self._unsettled, self._refused_until = state.unsettled, state.refused_until.copy()

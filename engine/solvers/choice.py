"""Choose a solver for each island: direct where it pays, sweeps for the others."""

from typing import NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.bodies.arrays import BY_SETTINGS, BY_SWEEPS, DIRECTLY, BodyArrays
from stoss.engine.constraints.islands import Islands
from stoss.engine.settings import Settings
from stoss.engine.solvers.arrays import DIRECT
from stoss.engine.solvers.doubts import LONG_AGO
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
METHOD_OF = {"auto": BY_SETTINGS, "direct": DIRECTLY, "gauss_seidel": BY_SWEEPS}


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
    doubts: np.ndarray


def no_doubts(bodies: int) -> np.ndarray:
    """Return doubts of so many bodies of which nothing has failed yet."""
    doubts = np.zeros((3, bodies, 3), np.int64)
    doubts[:, :, 0] = doubts[:, :, 2] = LONG_AGO
    return doubts


@kernel(allocates=True)
def _weigh(
    islands: Islands,
    first_rows: Ints,
    joint_rows: Ints,
    bodies: BodyArrays,
    slow: float,
    method: int,
    work_per_row: float,
    refused_until: Ints,
    step: int,
) -> tuple[Floats, Bools, Bools, bool]:
    """Find what the choice for each island depends on.

    Args:
        islands: the islands.
        first_rows: (blocks + 1,) first row of each block.
        joint_rows: (islands,) rows of joints.
        bodies: their wishes, and their velocities: those below `slow` [m/s or rad/s] are at rest.
        method: BY_SETTINGS for "auto", DIRECTLY or BY_SWEEPS if one method is for all that have no wish.
        work_per_row: that a factorisation may cost.
        refused_until: (bodies,) step from which each may be solved directly.
        step: the present one.

    Returns:
        The work that a factorisation of each island may cost, 0 for islands left to the sweeps; which yield;
        which are patient; and whether any body is left to the sweeps for now.
    """
    count = len(islands.body_start) - 1
    limits, yields, patient = np.zeros(count), np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    for island in range(count):
        begin, end = islands.body_start[island], islands.body_start[island + 1]
        first, last = islands.block_start[island], islands.block_start[island + 1]
        row_count = first_rows[last] - first_rows[first]
        few_joints = joint_rows[island] <= JOINT_SHARE * row_count
        rests, wish, refused = few_joints, BY_SETTINGS, 0
        for k in range(begin, end):
            i = islands.bodies[k]
            wish = max(wish, bodies.solver[i])
            refused += refused_until[i] > step
            for axis in range(3):
                rests = rests and abs(bodies.velocities[i, axis]) < slow
                rests = rests and abs(bodies.angular_velocities[i, axis]) < slow
        patient[island] = rests
        # those that a body wants to be solved directly do not yield
        may_yield = few_joints and end - begin >= LARGE_ISLAND and method == BY_SETTINGS
        yields[island] = may_yield and wish != DIRECTLY
        wish = wish if wish != BY_SETTINGS else method
        if wish == DIRECTLY:
            limits[island] = np.inf
        elif wish == BY_SETTINGS and not (may_yield and 2 * refused >= end - begin):
            limits[island] = work_per_row * row_count
        if rests and method == BY_SETTINGS:
            limits[island] *= REST_ALLOWANCE
    unsettled = False
    for i in range(len(refused_until)):
        unsettled = unsettled or refused_until[i] > step
    return limits, yields, patient, unsettled


@kernel
def _refuse(islands: Islands, chosen: Bools, work: Floats, refused_until: Ints, step: int) -> bool:
    """Leave the bodies of large islands among the chosen ones to the sweeps for a while; tell if any."""
    refused = False
    for island in range(len(chosen)):
        begin, end = islands.body_start[island], islands.body_start[island + 1]
        if chosen[island] and end - begin >= LARGE_ISLAND:
            wait = min(STEPS_BEFORE_RETRY + max(work[island], 0.0) / WORK_PER_WAIT, MOST_WAIT)
            for k in range(begin, end):
                refused_until[islands.bodies[k]] = step + int(wait)
            refused = True
    return refused


@kernel
def _postpone(bodies: Ints, refused_until: Ints, step: int) -> None:
    """Put off until when some bodies are left to the sweeps, if they are now."""
    for i in bodies:
        if refused_until[i] > step:
            refused_until[i] = max(refused_until[i], step + STEPS_BEFORE_RETRY)


class SolverChoice:
    """Choose the solver of each island by what a factorisation costs, and by what failed before.

    Attributes:
        structure: elimination order of the islands that are solved directly.
        methods: (islands,) SWEEPS (0) or DIRECT (1).
        yields: (islands,) which are left to the sweeps once their search for an active set failed.
        patient: (islands,) which consist of bodies at rest, with few joints: what lean on each other are
            contacts, and joints that contradict them are not to be searched for long.
        step: number of the present step.
        doubts: (3, bodies, 3) of searches, of those for displacements, and of splits; see `doubts`.
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
        self.doubts = no_doubts(0)
        self._unsettled = False  # whether the choice may come out differently for the same islands

    @property
    def settled(self) -> bool:
        """Return whether the choice will stay as long as the islands do."""
        return not self._unsettled

    def choose(
        self,
        islands: Islands,
        first_rows: np.ndarray,
        joint_rows: np.ndarray,
        bodies: BodyArrays,
        slow: float,
        settings: Settings,
    ) -> np.ndarray | None:
        """Choose for other islands, or anew for the same ones; see `IslandSolver.choose`.

        Returns:
            For each island the number that it had, -1 for a new one; None if bodies, pairs and methods are
            the same as before.
        """
        self._islands = islands
        count = len(bodies.kinds)
        if len(self._refused_until) != count:
            self._refused_until = np.zeros(count, np.int64)
            self.doubts = no_doubts(count)
        method, work = METHOD_OF[settings.solver], settings.direct_work
        limits, self.yields, self.patient, self._unsettled = _weigh(
            islands, first_rows, joint_rows, bodies, slow, method, work, self._refused_until, self.step
        )
        match, same = match_islands(count, islands, self._analysed)
        if same and len(self.structure.column) == count and ((limits > 0.0) == (self._limits > 0.0)).all():
            return None
        self.structure = find_structure(count, islands, limits, match, self.structure)
        self._analysed, self._limits = islands, limits
        found = self.structure.work >= 0.0
        self.methods = found * DIRECT
        self.refuse(~found & (limits > 0.0))
        return match

    def refuse(self, chosen: np.ndarray) -> None:
        """Leave large islands that the direct solver is not made for, for now, to the sweeps.

        Args:
            chosen: (islands,) which.
        """
        refused = _refuse(self._islands, chosen, self.structure.work, self._refused_until, self.step)
        self._unsettled = self._unsettled or refused

    def postpone(self, bodies: np.ndarray) -> None:
        """Leave bodies that are left to the sweeps, and that were just hit, to them for a while longer."""
        _postpone(bodies, self._refused_until, self.step)

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
            self.doubts.copy(),
        )

    def restore(self, state: ChoiceState) -> None:
        """Return to a saved state."""
        self.structure, self.methods, self._analysed, self._limits, self.step, self.patient = state[:6]
        self._unsettled, self._refused_until = state.unsettled, state.refused_until.copy()
        self.doubts = state.doubts.copy()

"""Choose a solver for each island: direct where it pays, sweeps for the others."""

from typing import Annotated

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.bodies.arrays import BY_SETTINGS, BY_SWEEPS, DIRECTLY, BodyArrays
from stoss.engine.constraints.islands import Islands, Layout
from stoss.engine.solvers.arrays import DIRECT, SWEEPS, SolverArrays
from stoss.engine.solvers.doubts import LONG_AGO
from stoss.engine.solvers.elimination import Analysed, match_islands

__all__ = [
    "COUNTS",
    "DIRECTLY_SOLVED",
    "METHOD_OF",
    "SWEPT",
    "UNSETTLED",
    "Choice",
    "begin_choice",
    "choose",
    "keep_factors",
    "no_doubts",
    "postpone",
    "refuse",
    "settle_choice",
]

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


# Places in `Choice.counts`: islands that are solved directly, and by sweeps; whether the choice may come out
# differently for the same islands; bodies that there were when it was made; whether a new one is under way.
DIRECTLY_SOLVED, SWEPT, UNSETTLED, BODIES, BEGUN = range(5)
COUNTS = 5


class Choice(Struct):
    """What choices of solvers depend on, in arrays with room for more."""

    limits: Annotated[
        Floats, "islands"
    ]  # multiplications that a factorisation may cost, 0: left to the sweeps
    old_limits: Annotated[Floats, "islands"]  # the same of the islands that the structure was found for
    match: Annotated[Ints, "islands"]  # of those, the number that each island has, -1 for a new one
    factor: Annotated[Ints, "islands"]  # number of the factor that each goes on with, -1 without
    had_factor: Annotated[Bools, "islands"]  # which of the old islands have one
    row_start: Annotated[Ints, "islands+1"]  # first row of each, and the end, when factors were last moved
    joint_rows: Annotated[Ints, "islands"]  # rows of joints
    refused_until: Annotated[Ints, "bodies"]  # step from which each body may be solved directly
    counts: Annotated[Ints, "counts"]


def no_doubts(bodies: int) -> np.ndarray:
    """Return doubts of so many bodies of which nothing has failed yet."""
    doubts = np.zeros((3, bodies, 3), np.int64)
    doubts[:, :, 0] = doubts[:, :, 2] = LONG_AGO
    return doubts


@inner
def _weigh(islands, first_rows, bodies, slow, method, work_per_row, choice, solver):
    """Find what the choice for each island depends on; see `choose`."""
    refused_until, step, limits = choice.refused_until, solver.step[0], choice.limits
    for island in range(len(islands.body_start) - 1):
        begin, end = islands.body_start[island], islands.body_start[island + 1]
        first, last = islands.block_start[island], islands.block_start[island + 1]
        row_count = first_rows[last] - first_rows[first]
        few_joints = choice.joint_rows[island] <= JOINT_SHARE * row_count
        rests, wish, refused = few_joints, BY_SETTINGS, 0
        for k in range(begin, end):
            i = islands.bodies[k]
            wish = max(wish, bodies.solver[i])
            refused += refused_until[i] > step
            for axis in range(3):
                rests = rests and abs(bodies.velocities[i, axis]) < slow
                rests = rests and abs(bodies.angular_velocities[i, axis]) < slow
        solver.patient[island] = rests
        # those that a body wants to be solved directly do not yield
        may_yield = few_joints and end - begin >= LARGE_ISLAND and method == BY_SETTINGS
        solver.yields[island] = may_yield and wish != DIRECTLY
        wish = wish if wish != BY_SETTINGS else method
        limits[island] = 0.0
        if wish == DIRECTLY:
            limits[island] = np.inf
        elif wish == BY_SETTINGS and not (may_yield and 2 * refused >= end - begin):
            limits[island] = work_per_row * row_count
        if rests and method == BY_SETTINGS:
            limits[island] *= REST_ALLOWANCE
    choice.counts[UNSETTLED] = 0
    for i in range(len(bodies.kinds)):
        if refused_until[i] > step:
            choice.counts[UNSETTLED] = 1


@kernel
def choose(
    islands: Islands,
    layout: Layout,
    bodies: BodyArrays,
    slow: float,
    method: int,
    work_per_row: float,
    old: Analysed,
    choice: Choice,
    solver: SolverArrays,
) -> bool:
    """Say what a factorisation of each island may cost; return whether the choice stays as it was.

    That is where bodies, coupled pairs and who is left to the sweeps are the same.

    Args:
        islands, layout: the islands.
        bodies: their wishes, and their velocities: those below `slow` [m/s or rad/s] are at rest. An island
            that is put down at rest may cost more: its factor serves for as long as it rests, and sweeps
            would bring a big pile down.
        method: BY_SETTINGS for "auto", DIRECTLY or BY_SWEEPS if one method is for all that have no wish.
        work_per_row: that a factorisation may cost.
        old: islands that the structure was found for.
        choice: `joint_rows` of the islands are known; limits and matches are written.
        solver: which islands yield and are patient is written.
    """
    count = len(bodies.kinds)
    _weigh(islands, layout.start, bodies, slow, method, work_per_row, choice, solver)
    same = match_islands(count, islands, old, choice.match) and choice.counts[BODIES] == count
    for island in range(len(islands.body_start) - 1):
        same = same and (choice.limits[island] > 0.0) == (choice.old_limits[island] > 0.0)
    return same


@kernel
def settle_choice(islands: Islands, bodies: int, choice: Choice, solver: SolverArrays) -> None:
    """Choose the direct solver where a structure was found; leave what costs too much to the sweeps."""
    direct = 0
    count = len(solver.methods)
    for island in range(count):
        found = solver.structure.work[island] >= 0.0
        solver.methods[island] = DIRECT if found else SWEEPS
        direct += found
        choice.old_limits[island] = choice.limits[island]
        if not found and choice.limits[island] > 0.0:
            _refuse_island(islands, island, choice, solver)
    choice.counts[DIRECTLY_SOLVED], choice.counts[SWEPT], choice.counts[BODIES] = (
        direct,
        count - direct,
        bodies,
    )


@kernel
def begin_choice(choice: Choice, solver: SolverArrays) -> None:
    """Note which islands have factors, once until the choice is settled: others come in their place."""
    if choice.counts[BEGUN] == 0:
        for island in range(len(solver.known)):
            choice.had_factor[island] = solver.known[island]
        choice.counts[BEGUN] = 1


@kernel
def keep_factors(islands: Islands, layout: Layout, choice: Choice, solver: SolverArrays) -> None:
    """Say which factor each island goes on with, and forget what failed.

    Args:
        islands, layout: the islands, of whose structure and matches all is known.
        choice: `factor` is written.
        solver: `known` is written.
    """
    count, choice.counts[BEGUN], first_rows = len(solver.methods), 0, layout.start
    for island in range(count):
        before = choice.match[island]
        first, last = islands.block_start[island], islands.block_start[island + 1]
        kept = before >= 0 and choice.had_factor[before] and solver.structure.work[island] >= 0.0
        if kept:
            rows = choice.row_start[before + 1] - choice.row_start[before]
            kept = rows == first_rows[last] - first_rows[first]
        choice.factor[island] = before if kept else -1
    for island in range(count):
        solver.known[island], solver.failed[island] = choice.factor[island] >= 0, False


@inner
def _refuse_island(islands, island, choice, solver):
    """Leave the bodies of an island, if it is large, to the sweeps for a while."""
    begin, end = islands.body_start[island], islands.body_start[island + 1]
    if end - begin >= LARGE_ISLAND:
        wait = min(STEPS_BEFORE_RETRY + max(solver.structure.work[island], 0.0) / WORK_PER_WAIT, MOST_WAIT)
        for k in range(begin, end):
            choice.refused_until[islands.bodies[k]] = solver.step[0] + int(wait)
        choice.counts[UNSETTLED] = 1


@kernel
def refuse(islands: Islands, chosen: Bools, choice: Choice, solver: SolverArrays) -> None:
    """Leave large islands among the chosen ones (islands,) to the sweeps for a while."""
    for island in range(len(chosen)):
        if chosen[island]:
            _refuse_island(islands, island, choice, solver)


@inner
def postpone(body, choice, step):
    """Put off until when a body is left to the sweeps, if it is now."""
    if choice.refused_until[body] > step:
        choice.refused_until[body] = max(choice.refused_until[body], step + STEPS_BEFORE_RETRY)

"""What a step may cost beside its planned sub-steps, so that none takes far longer than a usual one.

Work is counted, in solutions, factorisations, refinements and sweeps, and not measured by a clock: the same
input gives the same bits. A step may cost `Settings.most_cost` usual ones. Its planned sub-steps have their
share of that; what is left is the allowance for searches, splits and rounds of impacts that turn out to be
needed. It is spent as it is asked for. When much of it is gone the step is *thrifty*: what no active set
was found for is swept. When most of it is gone the step comes to its *end*: no sub-step is split, those
that are left are made as one, and impacts are not followed any farther. The certificate holds all the same.

A usual step is one with a factor and a few refinements of each island. Where mechanisms that touch nothing
have long needed more, as a chain that snaps and is split finely, the end is put off by what has become usual.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.engine.solvers.statistics import (
    ALLOWANCE,
    DISPLACEMENTS,
    END_OF_ALLOWANCE,
    FACTORISATIONS,
    IMPACT_ROUNDS,
    PARTS,
    PASSES,
    PLANNED,
    REFINEMENTS,
    SUB_STEP_WORK,
    SUB_STEPS,
    SWEEPS_MADE,
)

__all__ = [
    "LEAST_USUAL",
    "allow",
    "is_at_end",
    "is_dear",
    "most_parts",
    "next_usual",
    "room",
    "room_at_end",
    "spent",
    "usual_after",
]

# Share of what a step may cost that it is given to spend: what is begun is finished.
GIVEN = 0.9
# Work of a usual sub-step: that of the first island that is solved directly, and of each other one.
FIRST_ISLAND, NEXT_ISLAND = 7.0, 6.0
# The least work of a step that is a measure of others.
LEAST_USUAL = 30.0
# Shares of the allowance from which on a step is thrifty, and at its end; what is usual puts off the end. A
# ball that falls on a stack takes 0.47 of it in its 20 rounds of impacts, which are to be followed.
THRIFTY, END, MOST_BY_USUAL = 0.55, 0.7, 10.0
# Share of what makes a step thrifty from which on it is dear.
DEAR = 0.5
# Least share of the budget that is left for what was not planned.
SPARE = 0.2
# Growth of what counts as usual in a step that costs more, and its fall in one that costs less: it follows
# the median of some hundreds of steps. That of tens rises to that of a jam, or a whip, within it.
GROWTH = 1.005


@inner
def allow(statistics, direct, swept, sweeps, parts, usual, most):
    """Set the allowance of a step that is planned in so many parts, and note these.

    Args:
        statistics: of the step; written.
        direct, swept: how many islands are solved directly, and by sweeps.
        sweeps: of one phase.
        parts: planned sub-steps.
        usual: work of a step of late; 0 where that is not to count.
        most: usual steps that it may cost.
    """
    work = _usual_work(direct, swept, sweeps)
    budget = GIVEN * most * max(LEAST_USUAL, work)
    allowance = max(budget - parts * work, SPARE * budget)
    statistics[SUB_STEP_WORK], statistics[PARTS], statistics[PLANNED] = work, parts, parts
    statistics[ALLOWANCE] = THRIFTY * allowance
    statistics[END_OF_ALLOWANCE] = max(END * allowance, MOST_BY_USUAL * usual - parts * work)


def next_usual(usual: float, statistics: np.ndarray) -> float:
    """Return what counts as the work of a usual step after one more of them."""
    figures: list[float] = statistics.tolist()  # which Python looks at one by one far quicker
    after: float = usual_after(usual, figures)
    return after


@inner
def usual_after(usual, statistics):
    """Return what `next_usual` does."""
    work = spent(statistics) + _reserved(statistics)
    return max(usual * GROWTH if work > usual else usual / GROWTH, LEAST_USUAL)


@inner
def _usual_work(direct, swept, sweeps):
    """Return the work of a usual sub-step; see `allow`."""
    work = FIRST_ISLAND + NEXT_ISLAND * max(direct - 1, 0)
    return max(work, 2.0 * sweeps + 2.0) if swept else work


@inner
def most_parts(direct, swept, sweeps, most):
    """Return into how many parts a step may be planned where sweeps solve; see `allow`."""
    work = _usual_work(direct, swept, sweeps)
    return max(int((1.0 - SPARE) * GIVEN * most * max(LEAST_USUAL, work) / work), 1)


@inner
def _reserved(statistics):
    """Return the work that was reserved for the planned ones of the sub-steps that were made."""
    return statistics[SUB_STEP_WORK] * min(statistics[SUB_STEPS], statistics[PLANNED])


@inner
def spent(statistics):
    """Return the work that a step, or a displacement, has cost beside planned sub-steps."""
    return (
        statistics[PASSES]
        + statistics[FACTORISATIONS]
        + statistics[REFINEMENTS]
        + statistics[SWEEPS_MADE]
        + statistics[DISPLACEMENTS]
        + statistics[IMPACT_ROUNDS]
        + statistics[SUB_STEPS]
        - _reserved(statistics)
    )


@inner
def room(statistics):
    """Return the work that may still be done until the step is thrifty; without an allowance, any."""
    if statistics[ALLOWANCE] == 0.0:
        return np.inf
    return statistics[ALLOWANCE] - spent(statistics)


@inner
def room_at_end(statistics):
    """Return the work that may still be done until the step is at its end; without an allowance, any."""
    if statistics[ALLOWANCE] == 0.0:
        return np.inf
    return statistics[END_OF_ALLOWANCE] - spent(statistics)


@inner
def is_dear(statistics):
    """Return whether a step has cost so much that what was tried in vain was no trifle."""
    return room(statistics) < (1.0 - DEAR) * statistics[ALLOWANCE]


@inner
def is_at_end(statistics):
    """Return whether a step has cost so much that it is brought to its end."""
    return room_at_end(statistics) < 0.0

"""What the solvers of islands take, besides the rows."""

from typing import Annotated

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.solvers.contact_graph import ContactGraph
from stoss.engine.solvers.elimination import FactorStructure
from stoss.engine.solvers.factors import DirectWorkspace, still_holds

__all__ = ["DIRECT", "SWEEPS", "SolverArrays", "SolverOptions", "is_direct", "still_holds_all"]

SWEEPS, DIRECT = 0, 1


class SolverArrays(Struct):
    """Which solver each island has, and what the solvers keep."""

    methods: Annotated[Ints, "islands"]  # SWEEPS, DIRECT
    known: Annotated[Bools, "islands"]  # whether `work` holds the factor of the rows
    failed: Annotated[Bools, "islands"]  # set where no active set was found
    yields: Annotated[Bools, "islands"]  # which are left to the sweeps from then on
    patient: Annotated[Bools, "islands"]  # which were put down at rest: a first solution may cost more
    enough: Annotated[
        Floats, "islands"
    ]  # residual [m/s] that will do where no impulse has a limit, unless that of the options is larger
    still: Annotated[Floats, "islands"]  # last change of a row's velocity [m/s] at which sweeps end
    structure: FactorStructure
    work: DirectWorkspace
    graph: ContactGraph  # of the islands that are swept
    # what failed of late, see `doubts`
    step: Annotated[Ints, "one"]  # number of the present one
    searches: Annotated[Ints, "bodies", 3]  # for an active set
    splits: Annotated[Ints, "bodies", 3]  # into shorter sub-steps


class SolverOptions(Struct):
    """How far the solvers go."""

    sweeps: int  # most sweeps
    tolerance: float  # residual of the direct solver [m/s]
    budget: float  # multiplications of direct solves after which the others are brief
    quiet: float  # speed below which an island is swept further [m/s]
    time_limit: float  # for the sweeps [s], 0 for none
    shock: bool  # whether shock propagation ends sweeps that have not converged


@inner
def is_direct(solver, island):
    """Return whether an island is solved directly: by choice, and because that has not failed."""
    return solver.methods[island] == DIRECT and not (solver.failed[island] and solver.yields[island])


@inner
def still_holds_all(rows, islands, solver):
    """Keep factors only where rows that were built anew are the same."""
    still_holds(rows, islands.block_start, solver.work, solver.known)

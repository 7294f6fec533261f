"""One solve of a stage: rows of the chosen islands, velocities of their bodies, and the ledger."""

from stoss.collision.kernels.decorators import inner
from stoss.engine.constraints.mass_weighting import apply_rows
from stoss.engine.constraints.rows import FRESH, apply_warm_start
from stoss.engine.solvers.solve_islands import solve_islands
from stoss.engine.stages.ledger import book, keep_velocities

__all__ = ["solve_and_book", "solve_for_z", "solve_rows", "start_cold"]


@inner
def solve_rows(s, o, members, sweep_tolerance, warm, chosen, statistics):
    """Solve the rows of the chosen islands and change the velocities of the bodies `members`."""
    solve_for_z(s, o.solver, s.work.applied, sweep_tolerance, warm, chosen, statistics)
    apply_rows(s.scratch.z, members, s.bodies, s.scratch.sqrt_inverse_inertia)


@inner
def solve_for_z(s, solver, applied, sweep_tolerance, warm, chosen, statistics):
    """Solve the rows of the chosen islands on top of what z holds.

    `solver` says how far the solvers go. Impulses that the rows start with and that are not `applied` yet are
    applied first.
    """
    apply_warm_start(s.rows, s.scratch.z, applied)
    solve_islands(
        s.rows,
        s.scratch.z,
        s.islands,
        s.solver,
        chosen,
        solver,
        sweep_tolerance,
        warm,
        statistics,
    )


@inner
def solve_and_book(s, o, warm, chosen, statistics):
    """Solve for the end of the step, and enter the work of the impulses in the ledger."""
    impulse, scratch, applied, booked = s.rows.impulse, s.scratch, s.work.applied, s.work.booked
    for r in range(len(impulse)):
        booked[r] = impulse[r] if applied[r] else 0.0
    keep_velocities(s.bodies, scratch.middle_velocities, scratch.middle_angular_velocities)
    solve_rows(s, o, s.islands.bodies, o.velocity_tolerance, warm, chosen, statistics)
    for r in range(len(impulse)):
        booked[r] = impulse[r] - booked[r]
    book(s, booked, scratch.middle_velocities, scratch.middle_angular_velocities)


@inner
def start_cold(rows):
    """Let the rows start from nothing."""
    for r in range(len(rows.impulse)):
        rows.impulse[r] = 0.0
        rows.state[r] = FRESH

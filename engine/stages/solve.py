"""One solve of a stage: rows of the chosen islands, velocities of their bodies, and the ledger."""

from stoss.collision.kernels.decorators import inner
from stoss.engine.constraints.mass_weighting import apply_rows
from stoss.engine.constraints.rows import FRESH, add_impulse, apply_warm_start
from stoss.engine.solvers.arrays import is_direct
from stoss.engine.solvers.gauss_seidel import sweep
from stoss.engine.solvers.solve_islands import solve_islands
from stoss.engine.stages.ledger import DRIVES, HELD, LOADS, NORMAL, book, keep_velocities
from stoss.engine.stages.scratch import copy_vector

__all__ = [
    "give_anew",
    "keep_account",
    "note_account",
    "note_given",
    "return_account",
    "return_to_noted",
    "solve_and_book",
    "solve_by_sweeps",
    "solve_for_z",
    "solve_rows",
    "start_cold",
    "start_over",
    "sweeps_contacts",
    "sweep_rows",
]

SWEEP_VISITS = 10_000  # row visits of the sweeps of an island that no other method could solve


@inner
def solve_rows(s, o, members, warm, chosen, statistics):
    """Solve the rows of the chosen islands and change the velocities of the bodies `members`."""
    solve_for_z(s, o.solver, s.work.applied, warm, chosen, statistics)
    apply_rows(s.scratch.z, members, s.bodies, s.scratch.sqrt_inverse_inertia)


@inner
def solve_for_z(s, solver, applied, warm, chosen, statistics):
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
        s.bodies,
        chosen,
        solver,
        warm,
        statistics,
    )


@inner
def sweep_rows(s, o, islands):
    """Solve the rows of some islands by sweeps from no impulses, and change the velocities."""
    rows, parts, z = s.rows, s.islands, s.scratch.z
    for island in range(len(islands)):
        if not islands[island]:
            continue
        first, last = parts.block_start[island], parts.block_start[island + 1]
        visits = rows.start[last] - rows.start[first]
        blocks = s.solver.graph.order[first:last]
        count = max(o.solver.sweeps, SWEEP_VISITS // max(visits, 1))
        sweep(rows, blocks, z, count, o.velocity_tolerance, s.solver.graph.level, -1, False)
        members = parts.bodies[parts.body_start[island] : parts.body_start[island + 1]]
        apply_rows(z, members, s.bodies, s.scratch.sqrt_inverse_inertia)


@inner
def give_anew(s):
    """Let the velocities be those of the start of the sub-step and what the impulses do to them, at once.

    After many solves digits are lost where impulses were large in between, as those of a preview that does
    not converge, and both bodies of a row no longer got the same.
    """
    rows, bodies, z = s.rows, s.bodies, s.scratch.z
    for i in s.islands.bodies:
        for k in range(3):
            bodies.velocities[i, k] = s.old.velocities[i, k]
            bodies.angular_velocities[i, k] = s.old.angular_velocities[i, k]
    for block in range(len(rows.bodies)):
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.impulse[r] != 0.0:
                a, b = rows.bodies[block, 0], rows.bodies[block, 1]
                add_impulse(rows.jacobian, r, a, b, rows.impulse[r], z)
    apply_rows(z, s.islands.bodies, bodies, s.scratch.sqrt_inverse_inertia)


@inner
def note_given(s):
    """Note in `work.booked` what the rows have given so far, before they are set anew for another solve."""
    for r in range(len(s.rows.impulse)):
        s.work.booked[r] = s.rows.impulse[r] if s.work.applied[r] else 0.0


@inner
def solve_and_book(s, o, warm, chosen, loads, statistics):
    """Solve for the end of the step, and enter the work of the impulses in the ledger.

    `work.booked` holds what rows have given (`note_given`); those that were set otherwise since then, to what
    a spring or a force gives now, give the difference.
    """
    scratch = s.scratch
    keep_velocities(s.bodies, scratch.middle_velocities, scratch.middle_angular_velocities)
    _give_difference(s)
    solve_rows(s, o, s.islands.bodies, warm, chosen, statistics)
    keep_account(s)
    _book_solve(s, loads)


@inner
def _give_difference(s):
    """Add to z what rows that have given something are set to give more than that."""
    rows, w = s.rows, s.work
    for block in range(len(rows.bodies)):
        for r in range(rows.start[block], rows.start[block + 1]):
            if w.applied[r] and rows.impulse[r] != w.booked[r]:
                a, b = rows.bodies[block, 0], rows.bodies[block, 1]
                add_impulse(rows.jacobian, r, a, b, rows.impulse[r] - w.booked[r], s.scratch.z)


@inner
def _book_solve(s, loads):
    """Enter the work of the impulses that `solve_and_book` added."""
    impulse, booked = s.rows.impulse, s.work.booked
    for r in range(len(impulse)):
        booked[r] = impulse[r] - booked[r]
    book(s, booked, s.scratch.middle_velocities, s.scratch.middle_angular_velocities, loads)


@inner
def solve_by_sweeps(s, o, islands, loads):
    """Solve the rows of some islands again, after `solve_and_book`, by sweeps from nothing."""
    impulse, booked, scratch = s.rows.impulse, s.work.booked, s.scratch
    return_account(s)
    for r in range(len(impulse)):
        booked[r] = impulse[r] - booked[r]
    start_over(s, islands, scratch.middle_velocities, scratch.middle_angular_velocities, booked)
    sweep_rows(s, o, islands)
    _book_solve(s, loads)


@inner
def keep_account(s):
    """Remember the ledger and what bodies have gained."""
    copy_vector(s.ledger, s.work.entries, len(s.ledger))
    copy_vector(s.work.gain, s.work.gain_before, len(s.bodies.kinds))
    copy_vector(s.work.driven, s.work.driven_before, len(s.bodies.kinds))
    copy_vector(s.work.elastic, s.work.elastic_before, len(s.bodies.kinds))
    copy_vector(s.work.drives, s.work.drives_before, len(s.bodies.kinds))
    copy_vector(s.work.active, s.work.active_before, len(s.bodies.kinds))
    copy_vector(s.work.motors, s.work.motors_before, len(s.bodies.kinds))
    copy_vector(s.work.shared, s.work.shared_before, len(s.bodies.kinds))
    copy_vector(s.joint_frames.work, s.joint_frames.work_before, len(s.joint_frames.work))
    copy_vector(s.joint_frames.kept, s.joint_frames.kept_before, len(s.joint_frames.kept))
    if len(s.laws.work) > 0:
        copy_vector(s.laws.work, s.laws.work_before, len(s.laws.work))
        copy_vector(s.joints.work, s.joints.work_before, len(s.joints.work))
        _copy_work(s.frames, 0, 1)
    _clear_gross(s)


@inner
def return_account(s):
    """Return to what `keep_account` has remembered."""
    copy_vector(s.work.entries, s.ledger, len(s.ledger))
    copy_vector(s.work.gain_before, s.work.gain, len(s.bodies.kinds))
    copy_vector(s.work.driven_before, s.work.driven, len(s.bodies.kinds))
    copy_vector(s.work.elastic_before, s.work.elastic, len(s.bodies.kinds))
    copy_vector(s.work.drives_before, s.work.drives, len(s.bodies.kinds))
    copy_vector(s.work.active_before, s.work.active, len(s.bodies.kinds))
    copy_vector(s.work.motors_before, s.work.motors, len(s.bodies.kinds))
    copy_vector(s.work.shared_before, s.work.shared, len(s.bodies.kinds))
    copy_vector(s.joint_frames.work_before, s.joint_frames.work, len(s.joint_frames.work))
    copy_vector(s.joint_frames.kept_before, s.joint_frames.kept, len(s.joint_frames.kept))
    if len(s.laws.work) > 0:
        copy_vector(s.laws.work_before, s.laws.work, len(s.laws.work))
        copy_vector(s.joints.work_before, s.joints.work, len(s.joints.work))
        _copy_work(s.frames, 1, 0)
    _clear_gross(s)


@inner
def note_account(s):
    """Note what bodies and drives have gained as a stage begins, for `return_to_noted`."""
    w, frames = s.work, s.joint_frames
    for i in range(len(s.bodies.kinds)):
        noted = w.account[i]
        noted[0], noted[1], noted[2] = w.gain[i], w.driven[i], w.elastic[i]
        noted[3], noted[4], noted[5], noted[6] = w.drives[i], w.active[i], w.motors[i], w.shared[i]
    for m in range(len(frames.work)):
        frames.account[m, 0], frames.account[m, 1] = frames.work[m], frames.kept[m]


@inner
def return_to_noted(s, islands):
    """Return some islands to what `note_account` has noted, after all that they were given was taken back.

    Booked at once, what was given in several solves comes back as a sum that is right, of works that are not:
    drives and loads would seem to have taken from bodies what joints gave them, or the other way round.
    """
    w, frames = s.work, s.joint_frames
    for island in range(len(islands)):
        if not islands[island]:
            continue
        drives = shared = 0.0
        for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
            i = s.islands.bodies[at]
            noted = w.account[i]
            drives += w.drives[i] - noted[3]
            shared += w.shared[i] - noted[6]
            w.gain[i], w.driven[i], w.elastic[i] = noted[0], noted[1], noted[2]
            w.drives[i], w.active[i], w.motors[i], w.shared[i] = noted[3], noted[4], noted[5], noted[6]
        s.ledger[DRIVES] -= drives
        s.ledger[LOADS] += shared
        s.ledger[HELD if s.has_joints[island] else NORMAL] += drives - shared
    for j in range(len(frames.first_row)):
        if frames.first_row[j] >= 0 and islands[frames.island[j]]:
            for m in range(s.joints.row_start[j], s.joints.row_start[j + 1]):
                frames.work[m], frames.kept[m] = frames.account[m, 0], frames.account[m, 1]


@inner
def _copy_work(frames, old, new):
    for k in range(len(frames.contact)):
        frames.friction_work[k, new] = frames.friction_work[k, old]


@inner
def _clear_gross(s):
    for i in range(len(s.bodies.kinds)):
        s.work.gross[i] = 0.0


@inner
def start_over(s, islands, velocities, angular_velocities, impulses):
    """Give the bodies of some islands these velocities (bodies, 3), and their rows these impulses (rows,)."""
    bodies, rows, parts = s.bodies, s.rows, s.islands
    for island in range(len(islands)):
        if not islands[island]:
            continue
        for at in range(parts.body_start[island], parts.body_start[island + 1]):
            i = parts.bodies[at]
            for k in range(3):
                bodies.velocities[i, k] = velocities[i, k]
                bodies.angular_velocities[i, k] = angular_velocities[i, k]
        first, last = parts.block_start[island], parts.block_start[island + 1]
        for r in range(rows.start[first], rows.start[last]):
            rows.impulse[r] = impulses[r]
            rows.state[r] = FRESH


@inner
def sweeps_contacts(s, island):
    """Return whether an island is held by contacts alone, and swept."""
    return not (s.has_joints[island] or is_direct(s.solver, island))


@inner
def start_cold(rows):
    """Let the rows start from nothing."""
    for r in range(len(rows.impulse)):
        rows.impulse[r] = 0.0
        rows.state[r] = FRESH

"""The direct solver: rows of an island as one linear system, exact, with an active set for what has limits.

Rows that act as equalities enter H = 1 + sum jacobian^T jacobian / (softness + regularisation), one 6x6 block
per body (`block_cholesky`). The regularisation makes redundant rows harmless and is then removed by
refinement: the residual velocities are solved for again and added to the impulses (proximal point
iteration), which converges by a factor of about regularisation / smallest eigenvalue per pass. Rows at a
limit leave the matrix; friction at the edge of its disc is a given impulse that follows the limiting one.
Impulses act through the rows only, so momentum is conserved to rounding whatever the matrix is.

Bender 2007, section 3.3.2 (the LGS method) solves the same rows in the space of impulses; the space of
bodies needs no special case for loops (3.3.2.3) and lets contacts take part (5.4.2).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from engine.block_cholesky import factorise, solve
from engine.gauss_seidel import sweep
from engine.rows import ACTIVE, BOUNDED, FRESH, FRICTION, OFF, PARTNER, SLIDING, add_impulse, row_velocity

__all__ = ["REGULARISATION", "Workspace", "grow_workspace", "solve_island", "still_holds"]

# Regularisation relative to a row's own 1/effective mass. Smaller: fewer refinement passes; larger: a better
# conditioned matrix. Rounding leaves about 1e-16 / REGULARISATION of the residual per pass.
REGULARISATION = 1e-6
FRICTION_REGULARISATION = 1e-4
MOST_PASSES = 60  # refinement passes for one active set; sliding friction converges linearly
MOST_SETS = 40  # active sets tried before sweeps take over
ALL_AT_ONCE = 12  # active sets in which all wrong rows change; later only the worst one, against cycling
DIVERGED = 1e4  # residual relative to the velocities that are asked for, at which an active set is given up
# Pull [tolerances] that a contact may exert before it is let go. Contacts at the rim of a pile carry almost
# nothing; without this slack, rounding would take them in and out in every step, at a factorisation each.
RELEASE = 100.0
# Sweeps, from the impulses at the start, where no active set was found: friction that slides all over a
# tall pile at once is not a fixed point that can be iterated to.
RESCUE_SWEEPS = 50
# Relative change of the rows up to which an old factor still serves: it is only a preconditioner of the
# refinement, which then converges by REUSE / REGULARISATION per pass.
REUSE = 1e-9
# With a factor at hand a pass is cheap, and residuals left below the tolerance would come back in every step.
POLISH = 0.01


@njit(cache=True)
def _weight(rows, r):
    """Return 1 / (softness + regularisation) of a row."""
    share = REGULARISATION if rows.kind[r] == BOUNDED else FRICTION_REGULARISATION
    return 1.0 / (rows.softness[r] + share / rows.inverse_k[r])


class Workspace(NamedTuple):
    """Memory of the direct solver: the factor, what it was made from, and scratch."""

    diagonal: np.ndarray  # (columns, 6, 6) factor
    off_diagonal: np.ndarray  # (blocks, 6, 6) factor
    factored: np.ndarray  # (rows,) which rows the factor holds
    jacobian: np.ndarray  # (rows, 12) with these jacobians
    x: np.ndarray  # (columns, 6) scratch
    velocity: np.ndarray  # (rows,) scratch
    start: np.ndarray  # (rows,) scratch: impulses at the start


def grow_workspace(old: Workspace | None, columns: int, fill: int, rows: int) -> Workspace:
    """Return a workspace of at least the given size; its contents are lost where it had to grow."""
    sizes = {"diagonal": columns, "x": columns, "off_diagonal": fill}
    widths = {"diagonal": (6, 6), "off_diagonal": (6, 6), "jacobian": (12,), "x": (6,)}
    fields = []
    for name in Workspace._fields:
        size = sizes.get(name, rows)
        memory = None if old is None else getattr(old, name)
        if memory is None or len(memory) < size:
            dtype = np.bool_ if name == "factored" else np.float64
            memory = np.zeros((3 * size // 2 + 8, *widths.get(name, ())), dtype)
        fields.append(memory)
    return Workspace(*fields)


@njit(cache=True)
def still_holds(rows, block_start, work, known):
    """Keep `known` only for islands whose rows are those of the factor, up to `REUSE`."""
    for island in range(len(known)):
        if not known[island]:
            continue
        for r in range(rows.start[block_start[island]], rows.start[block_start[island + 1]]):
            off = 0.0
            for k in range(12):
                d = rows.jacobian[r, k] - work.jacobian[r, k]
                off += d * d
            if off * rows.inverse_k[r] > REUSE * REUSE:
                known[island] = False
                break


@njit(cache=True)
def _assemble(rows, b0, b1, structure, block_pair, c0, c1, work):
    """Build H of an island from its active rows and remember which rows these are."""
    diagonal, off_diagonal, factored = work.diagonal, work.off_diagonal, work.factored
    column = structure.column
    for j in range(c0, c1):
        for k in range(6):
            for i in range(6):
                diagonal[j, k, i] = 0.0
            diagonal[j, k, k] = 1.0
        for p in range(structure.start[j], structure.start[j + 1]):
            for k in range(6):
                for i in range(6):
                    off_diagonal[p, k, i] = 0.0
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        pair = block_pair[block]
        position = structure.pair_position[pair]
        flipped = structure.pair_flipped[pair] == 1
        for r in range(rows.start[block], rows.start[block + 1]):
            factored[r] = rows.state[r] == ACTIVE
            for k in range(12):
                work.jacobian[r, k] = rows.jacobian[r, k]
            if not factored[r]:
                continue
            weight = _weight(rows, r)
            if a >= 0:
                target = diagonal[column[a]]
                for k in range(6):
                    f = weight * rows.jacobian[r, k]
                    for i in range(k + 1):
                        target[k, i] += f * rows.jacobian[r, i]
            if b >= 0:
                target = diagonal[column[b]]
                for k in range(6):
                    f = weight * rows.jacobian[r, 6 + k]
                    for i in range(k + 1):
                        target[k, i] += f * rows.jacobian[r, 6 + i]
            if a >= 0 and b >= 0:
                target = off_diagonal[position]
                low = 0 if flipped else 6
                for k in range(6):
                    f = weight * rows.jacobian[r, low + k]
                    for i in range(6):
                        target[k, i] += f * rows.jacobian[r, 6 - low + i]


@njit(cache=True)
def _residual(rows, b0, b1, z, column, x, velocity):
    """Fill x with -jacobian^T weight * residual of the active rows; return the largest residual."""
    worst = 0.0
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.state[r] != ACTIVE:
                continue
            v = row_velocity(rows, r, a, b, z) + rows.bias[r] + rows.softness[r] * rows.impulse[r]
            velocity[r] = v
            worst = max(worst, abs(v))
            f = -v * _weight(rows, r)
            if a >= 0:
                j = column[a]
                for k in range(6):
                    x[j, k] += rows.jacobian[r, k] * f
            if b >= 0:
                j = column[b]
                for k in range(6):
                    x[j, k] += rows.jacobian[r, 6 + k] * f
    return worst


@njit(cache=True)
def _correct(rows, b0, b1, z, column, x, velocity):
    """Turn the solution x of H x = -jacobian^T weight residual into impulses, and apply them to z."""
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.state[r] != ACTIVE:
                continue
            v = velocity[r]
            if a >= 0:
                j = column[a]
                for k in range(6):
                    v += rows.jacobian[r, k] * x[j, k]
            if b >= 0:
                j = column[b]
                for k in range(6):
                    v += rows.jacobian[r, 6 + k] * x[j, k]
            amount = -v * _weight(rows, r)
            rows.impulse[r] += amount
            add_impulse(rows, r, a, b, amount, z)


@njit(cache=True)
def _set_pair(rows, r, a, b, p0, p1, z):
    """Give a friction pair the impulse (p0, p1); return the change as a velocity."""
    d0 = p0 - rows.impulse[r]
    d1 = p1 - rows.impulse[r + 1]
    rows.impulse[r] = p0
    rows.impulse[r + 1] = p1
    add_impulse(rows, r, a, b, d0, z)
    add_impulse(rows, r + 1, a, b, d1, z)
    return np.sqrt(d0 * d0 + d1 * d1) / rows.relaxation[r]


@njit(cache=True)
def _slide(rows, b0, b1, z):
    """Let the sliding pairs follow their limiting impulses, against the sliding; return the largest change."""
    worst = 0.0
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] != FRICTION or rows.state[r] != SLIDING:
                continue
            limit = rows.friction[r] * max(rows.impulse[rows.limiting[r]], 0.0)
            p0 = rows.impulse[r] - rows.relaxation[r] * (row_velocity(rows, r, a, b, z) + rows.bias[r])
            p1 = rows.impulse[r + 1] - rows.relaxation[r] * (
                row_velocity(rows, r + 1, a, b, z) + rows.bias[r + 1]
            )
            size = np.sqrt(p0 * p0 + p1 * p1)
            scale = limit / size if size > 0.0 else 0.0
            worst = max(worst, _set_pair(rows, r, a, b, p0 * scale, p1 * scale, z))
    return worst


@njit(cache=True)
def _begin(rows, b0, b1, z, tolerance):
    """Choose the first active set from the starting impulses and velocities."""
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] == BOUNDED:
                if rows.upper[r] == rows.lower[r] or rows.inverse_k[r] == 0.0:
                    rows.state[r] = OFF
                elif rows.lower[r] < rows.impulse[r] < rows.upper[r]:
                    rows.state[r] = ACTIVE
                elif rows.state[r] != ACTIVE:
                    v = row_velocity(rows, r, a, b, z) + rows.bias[r] + rows.softness[r] * rows.impulse[r]
                    # a fresh contact that just touches carries load more often than not; one that carried
                    # none in the last phase needs a reason, or contacts at the rim of a pile would flicker
                    slack = tolerance if rows.state[r] == FRESH else -tolerance
                    closes = v < slack if rows.impulse[r] <= rows.lower[r] else v > -slack
                    rows.state[r] = ACTIVE if closes else OFF
            elif rows.kind[r] == FRICTION:
                if rows.state[rows.limiting[r]] == OFF and rows.impulse[rows.limiting[r]] <= 0.0:
                    rows.state[r] = OFF
                    if rows.impulse[r] != 0.0 or rows.impulse[r + 1] != 0.0:
                        _set_pair(rows, r, a, b, 0.0, 0.0, z)
                elif rows.state[r] != SLIDING or rows.friction[r] == 0.0:
                    rows.state[r] = SLIDING if rows.static_friction[r] == 0.0 else ACTIVE
                rows.state[r + 1] = rows.state[r]


@njit(cache=True)
def _plainly_right(rows, r):
    """Return whether row r is in the right state by its impulse alone: the frequent case, told cheaply."""
    if rows.kind[r] == BOUNDED:
        if rows.state[r] == ACTIVE:
            return rows.lower[r] <= rows.impulse[r] <= rows.upper[r]
        return rows.lower[r] == rows.upper[r]
    if rows.state[r] == ACTIVE and rows.state[rows.limiting[r]] == ACTIVE:
        p0 = rows.impulse[r]
        p1 = rows.impulse[r + 1]
        reach = rows.static_friction[r] * rows.impulse[rows.limiting[r]]
        return reach >= 0.0 and p0 * p0 + p1 * p1 <= reach * reach
    return False


@njit(cache=True)
def _fault(rows, r, a, b, z, tolerance):
    """Return by how much [m/s] row r is in the wrong state, 0 if it is right, and the right state."""
    if rows.kind[r] == BOUNDED:
        if rows.lower[r] == rows.upper[r] or rows.inverse_k[r] == 0.0:
            return 0.0, OFF
        if rows.state[r] == ACTIVE:
            excess = max(rows.lower[r] - rows.impulse[r], rows.impulse[r] - rows.upper[r]) / rows.inverse_k[r]
            return (excess, OFF) if excess > RELEASE * tolerance else (0.0, ACTIVE)
        v = row_velocity(rows, r, a, b, z) + rows.bias[r] + rows.softness[r] * rows.impulse[r]
        excess = -v if rows.impulse[r] == rows.lower[r] else v
        return (excess, ACTIVE) if excess > tolerance else (0.0, OFF)
    limit = max(rows.impulse[rows.limiting[r]], 0.0)
    if rows.state[r] == OFF:
        if rows.state[rows.limiting[r]] == ACTIVE:
            return 1.0, (SLIDING if rows.static_friction[r] == 0.0 else ACTIVE)
        return 0.0, OFF
    if rows.state[rows.limiting[r]] == OFF and limit == 0.0:
        return 1.0, OFF
    p0 = rows.impulse[r]
    p1 = rows.impulse[r + 1]
    if rows.state[r] == ACTIVE:
        excess = (np.sqrt(p0 * p0 + p1 * p1) - rows.static_friction[r] * limit) / rows.relaxation[r]
        return (excess, SLIDING) if excess > RELEASE * tolerance else (0.0, ACTIVE)
    if rows.static_friction[r] == 0.0:
        return 0.0, SLIDING
    # a sliding pair sticks again where its impulse would have to drive the sliding instead of opposing it
    v0 = row_velocity(rows, r, a, b, z) + rows.bias[r]
    v1 = row_velocity(rows, r + 1, a, b, z) + rows.bias[r + 1]
    p0 -= rows.relaxation[r] * v0
    p1 -= rows.relaxation[r] * v1
    shortfall = (rows.friction[r] * limit - np.sqrt(p0 * p0 + p1 * p1)) / rows.relaxation[r]
    return (shortfall, ACTIVE) if shortfall > tolerance else (0.0, SLIDING)


@njit(cache=True)
def _enter(rows, r, a, b, state, z):
    """Move row r (for friction: the pair) into a state, with the impulse that belongs to it."""
    rows.state[r] = state
    if rows.kind[r] == BOUNDED:
        if state == OFF:
            limit = rows.lower[r] if rows.impulse[r] < rows.lower[r] else rows.upper[r]
            amount = limit - rows.impulse[r]
            rows.impulse[r] = limit
            add_impulse(rows, r, a, b, amount, z)
        return
    rows.state[r + 1] = state
    if state == OFF:
        _set_pair(rows, r, a, b, 0.0, 0.0, z)


@njit(cache=True)
def _repair(rows, b0, b1, z, tolerance, only_worst):
    """Put rows that are in the wrong state into the right one; return how many there were."""
    changed = 0
    worst = 0.0
    worst_row = -1
    worst_block = -1
    worst_state = OFF
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] == PARTNER or _plainly_right(rows, r):
                continue
            fault, state = _fault(rows, r, a, b, z, tolerance)
            if fault == 0.0:
                continue
            changed += 1
            if not only_worst:
                _enter(rows, r, a, b, state, z)
            elif fault > worst:
                worst = fault
                worst_row = r
                worst_block = block
                worst_state = state
    if only_worst and worst_row >= 0:
        _enter(rows, worst_row, rows.bodies[worst_block, 0], rows.bodies[worst_block, 1], worst_state, z)
    return changed


@njit(cache=True)
def solve_island(rows, b0, b1, z, structure, block_pair, c0, c1, work, tolerance, known):
    """Solve blocks b0 to b1 - 1 of one island, whose columns are c0 to c1 - 1.

    Args:
        rows, z: with the starting impulses already in z.
        work: memory of the solver.
        tolerance: [m/s] largest residual.
        known: whether `work` still holds the factor of these rows, for the active set it remembers.

    Returns:
        Number of factorisations, of refinement passes, of rescue sweeps, and the residual [m/s].
    """
    x, velocity, start = work.x, work.velocity, work.start
    factorisations = 0
    passes = 0
    residual = 0.0
    _begin(rows, b0, b1, z, tolerance)
    r0 = rows.start[b0]
    r1 = rows.start[b1]
    scale = tolerance
    for r in range(r0, r1):
        start[r] = rows.impulse[r]
        scale = max(scale, abs(rows.bias[r]))
    diverged = False
    for attempt in range(MOST_SETS):
        for r in range(r0, r1):
            if work.factored[r] != (rows.state[r] == ACTIVE):
                known = False
                break
        slid = _slide(rows, b0, b1, z)
        for _ in range(MOST_PASSES):
            for j in range(c0, c1):
                for k in range(6):
                    x[j, k] = 0.0
            residual = _residual(rows, b0, b1, z, structure.column, x, velocity)
            wanted = POLISH * tolerance if known else tolerance
            if residual <= wanted and slid <= tolerance:
                break
            if not residual + slid < DIVERGED * scale:
                diverged = True
                break
            if not known:
                _assemble(rows, b0, b1, structure, block_pair, c0, c1, work)
                factorise(structure.start, structure.row, c0, c1, work.diagonal, work.off_diagonal)
                known = True
                factorisations += 1
            passes += 1
            solve(structure.start, structure.row, c0, c1, work.diagonal, work.off_diagonal, x)
            _correct(rows, b0, b1, z, structure.column, x, velocity)
            slid = _slide(rows, b0, b1, z)
        if diverged:
            break
        wrong = _repair(rows, b0, b1, z, tolerance, attempt >= ALL_AT_ONCE)
        if wrong == 0 and residual <= tolerance and slid <= tolerance:
            return factorisations, passes, 0, residual
    for block in range(b0, b1):
        for r in range(rows.start[block], rows.start[block + 1]):
            back = start[r] - rows.impulse[r]
            rows.impulse[r] = start[r]
            add_impulse(rows, r, rows.bodies[block, 0], rows.bodies[block, 1], back, z)
    sweeps, residual = sweep(rows, b0, b1, z, RESCUE_SWEEPS, tolerance)
    return factorisations, passes, sweeps, residual

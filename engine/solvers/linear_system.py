"""The linear part of the direct solver: assembly of its matrix over bodies, and refinement.

H = 1 + sum push^T jacobian / (softness + regularisation), the sum over the active rows, where `push` is what
an impulse of the row does to the velocities: its jacobian, and for a normal row whose friction slides also
the friction that follows it, n + mu d. So sliding is coupled to pressing in the matrix, which it makes
unsymmetric; without sliding it is symmetric, and its factorisation costs half. A sliding pair also keeps one
equality, in the place of its second row: no velocity v across its friction f, which turns d against the
sliding. Turning by an angle needs f times the angle and takes v times the angle off that velocity, so this
row is soft by v / f.
"""

from typing import Annotated

import numpy as np
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.constraints.rows import ACTIVE, BOUNDED, PARTNER, SLIDING, Rows, half_velocity, row_velocity
from stoss.engine.solvers.block_cholesky import Structure

__all__ = [
    "Workspace",
    "apply_impulses",
    "assemble",
    "drop_contradictions",
    "find_impulses",
    "find_loops",
    "grow_workspace",
    "largest_residual",
    "move_factors",
    "right_side",
    "still_holds",
    "unbounded",
]

# Regularisation relative to a row's own 1/effective mass. Smaller: fewer refinement passes. Larger: less
# noise, since rounding that contradicts itself in redundant rows stirs the impulses by 1 / REGULARISATION.
REGULARISATION = 1e-6
# Friction is given more: of all impulses that hold a pile, refinement then finds those with little friction,
# as between bodies that were set down gently, instead of arches that lean on the edge of their cones.
FRICTION_REGULARISATION = 1e-4
# What is held always (joints) can do with less: its impulses have no limits that noise could make them cross.
# The motion is the same whatever they are; the refinement of long chains is ten times faster.
HOLD_REGULARISATION = 1e-9
# In a loop, though, they may be redundant, and where it is open by its tolerance, almost so: less noise.
LOOP_REGULARISATION = 1e-7
# Relative change of the rows up to which an old factor still serves: it is only a preconditioner of the
# refinement, which then converges by REUSE / REGULARISATION per pass.
REUSE = 1e-9


class Workspace(Struct):
    """Memory of the direct solver: the factor, what it was made from, and scratch."""

    diagonal: Annotated[Floats, "columns", 6, 6]  # factor
    off_diagonal: Annotated[Floats, "blocks", 6, 6]  # factor
    upper: Annotated[Floats, "blocks", 6, 6]  # factor above the diagonal, where friction slides
    state: Annotated[Ints, "rows"]  # states of the rows at the time
    softness: Annotated[Floats, "rows"]
    jacobian: Annotated[Floats, "rows", 12]  # jacobians of the rows at the time
    push: Annotated[Floats, "rows", 12]  # what an impulse of the row does
    share: Annotated[Floats, "rows"]  # friction per normal impulse, of sliding pairs
    old_share: Annotated[Floats, "rows"]  # the same, as the factor has it
    slip: Annotated[Floats, "rows"]  # speed of sliding over friction impulse, of sliding pairs
    weight: Annotated[Floats, "rows"]  # 1 / (softness + regularisation)
    x: Annotated[Floats, "columns", 6]  # scratch
    z: Annotated[Floats, "columns", 6]  # scratch: z at the start
    amount: Annotated[Floats, "rows"]  # scratch: residual, then impulse
    start: Annotated[Floats, "rows"]  # scratch: impulses at the start
    best: Annotated[Floats, "rows"]  # scratch: impulses of the best failed search
    best_z: Annotated[Floats, "columns", 6]  # scratch: z with them


def grow_workspace(old: Workspace | None, columns: int, fill: int, rows: int) -> Workspace:
    """Return a workspace of at least the given size; contents are lost where it had to grow."""
    sizes = {
        "diagonal": columns,
        "x": columns,
        "z": columns,
        "best_z": columns,
        "off_diagonal": fill,
        "upper": fill,
    }
    blocks = dict.fromkeys(("diagonal", "off_diagonal", "upper"), (6, 6))
    widths = {**blocks, "jacobian": (12,), "push": (12,), "x": (6,), "z": (6,), "best_z": (6,)}
    fields = []
    for name in Workspace._fields:
        size = sizes.get(name, rows)
        memory = None if old is None else getattr(old, name)
        if memory is None or len(memory) < size:
            dtype = np.int64 if name == "state" else np.float64
            memory = np.zeros((3 * size // 2 + 8, *widths.get(name, ())), dtype)
        fields.append(memory)
    return Workspace(*fields)


@kernel(allocates=True)
def move_factors(
    match: Ints,
    known: Bools,
    old: Structure,
    new: Structure,
    old_row_start: Ints,
    row_start: Ints,
    source: Workspace,
    target: Workspace,
) -> Bools:
    """Move the factors of islands that go on to where they stand now; return which islands have one.

    Args:
        match: (islands,) number that each island had, -1 for a new one.
        known: (old islands,) which had a factor.
        old, new: structures.
        old_row_start, row_start: first row of each island, and the end.
        source, target: workspaces, which share no memory.
    """
    out = np.zeros(len(match), np.bool_)
    for island in range(len(match)):
        before = match[island]
        if before < 0 or not known[before] or new.work[island] < 0.0:
            continue
        r0, r1, s0 = row_start[island], row_start[island + 1], old_row_start[before]
        if old_row_start[before + 1] - s0 != r1 - r0:
            continue
        c0, c1, d0 = new.island_start[island], new.island_start[island + 1], old.island_start[before]
        target.diagonal[c0:c1] = source.diagonal[d0 : d0 + c1 - c0]
        p0, p1, q0 = new.start[c0], new.start[c1], old.start[d0]
        target.off_diagonal[p0:p1] = source.off_diagonal[q0 : q0 + p1 - p0]
        target.upper[p0:p1] = source.upper[q0 : q0 + p1 - p0]
        s1 = s0 + r1 - r0
        target.state[r0:r1] = source.state[s0:s1]
        target.softness[r0:r1] = source.softness[s0:s1]
        target.jacobian[r0:r1] = source.jacobian[s0:s1]
        target.push[r0:r1] = source.push[s0:s1]
        target.share[r0:r1] = source.share[s0:s1]
        target.old_share[r0:r1] = source.old_share[s0:s1]
        target.slip[r0:r1] = source.slip[s0:s1]
        target.weight[r0:r1] = source.weight[s0:s1]
        out[island] = True
    return out


@kernel
def still_holds(rows: Rows, block_start: Ints, work: Workspace, known: Bools) -> None:
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


@inner
def acts(state, kind):
    """Return whether a row of this state and kind is an equality of the system.

    Takes numbers, not the rows: a call that is not inlined would copy that whole tuple of arrays.
    """
    return state == ACTIVE or (state == SLIDING and kind == PARTNER)


@inner
def assemble(rows, b0, b1, structure, block_pair, c0, c1, work, general, loop):
    """Build H of an island from its active rows and remember what it was made from.

    In a `loop` joints may be redundant. With `general`, some friction slides: all of H is built, else its
    lower triangle.
    """
    diagonal, lower, upper = work.diagonal, work.off_diagonal, work.upper
    hold_regularisation = LOOP_REGULARISATION if loop else HOLD_REGULARISATION
    jacobian, push = work.jacobian, work.push
    column = structure.column
    for j in range(c0, c1):
        for k in range(6):
            for i in range(6):
                diagonal[j, k, i] = 0.0
            diagonal[j, k, k] = 1.0
        for p in range(structure.start[j], structure.start[j + 1]):
            for k in range(6):
                for i in range(6):
                    lower[p, k, i] = 0.0
                    upper[p, k, i] = 0.0
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            work.state[r] = rows.state[r]
            work.softness[r] = rows.softness[r]
            for k in range(12):
                jacobian[r, k] = rows.jacobian[r, k]
                push[r, k] = rows.jacobian[r, k]
            if rows.kind[r] == PARTNER and rows.state[r] == SLIDING:
                n = rows.limiting[r]
                s0 = work.share[r - 1]
                s1 = work.share[r]
                work.old_share[r - 1] = s0
                work.old_share[r] = s1
                scale = 1.0 / np.sqrt(s0 * s0 + s1 * s1) if s0 != 0.0 or s1 != 0.0 else 0.0
                for k in range(12):
                    push[n, k] += s0 * rows.jacobian[r - 1, k] + s1 * rows.jacobian[r, k]
                    push[r, k] = scale * (s0 * rows.jacobian[r, k] - s1 * rows.jacobian[r - 1, k])
                    jacobian[r, k] = push[r, k]
        position = structure.pair_position[block_pair[block]]
        low = 0 if structure.pair_flipped[block_pair[block]] == 1 else 6
        high = 6 - low
        for r in range(rows.start[block], rows.start[block + 1]):
            if not acts(rows.state[r], rows.kind[r]):
                continue
            regularisation = FRICTION_REGULARISATION
            if rows.kind[r] == BOUNDED:
                held = rows.upper[r] == np.inf and rows.lower[r] == -np.inf
                regularisation = hold_regularisation if held else REGULARISATION
            softness = work.slip[r] if rows.state[r] == SLIDING else rows.softness[r]
            weight = 1.0 / (softness + regularisation / rows.inverse_k[r])
            work.weight[r] = weight
            if a >= 0:
                _add_diagonal(diagonal[column[a]], push, jacobian, r, 0, weight, general)
            if b >= 0:
                _add_diagonal(diagonal[column[b]], push, jacobian, r, 6, weight, general)
            if a >= 0 and b >= 0:
                target = lower[position]
                for k in range(6):
                    f = weight * jacobian[r, low + k]
                    for i in range(6):
                        target[k, i] += f * push[r, high + i]
                if general:
                    target = upper[position]
                    for k in range(6):
                        f = weight * push[r, low + k]
                        for i in range(6):
                            target[k, i] += f * jacobian[r, high + i]


@inner
def _add_diagonal(target, push, jacobian, r, offset, weight, general):
    for k in range(6):
        f = weight * push[r, offset + k]
        for i in range(6 if general else k + 1):
            target[k, i] += f * jacobian[r, offset + i]


@inner
def largest_residual(rows, b0, b1, z, share, amount):
    """Measure the residuals of the active rows into `amount`; return the largest [m/s]."""
    worst = 0.0
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if not acts(rows.state[r], rows.kind[r]):
                continue
            v = row_velocity(rows, r, a, b, z) + rows.bias[r] + rows.softness[r] * rows.impulse[r]
            if rows.state[r] == SLIDING:
                s0 = share[r - 1]
                s1 = share[r]
                size = np.sqrt(s0 * s0 + s1 * s1)
                w = row_velocity(rows, r - 1, a, b, z) + rows.bias[r - 1]
                v = (s0 * v - s1 * w) / size if size > 0.0 else 0.0
            amount[r] = v
            if not abs(v) < np.inf:
                return np.inf
            worst = max(worst, abs(v))
    return worst


@inner
def right_side(rows, b0, b1, column, work):
    """Fill x with -push^T weight residual."""
    x, push = work.x, work.push
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if not acts(rows.state[r], rows.kind[r]):
                continue
            f = -work.amount[r] * work.weight[r]
            if a >= 0:
                j = column[a]
                for k in range(6):
                    x[j, k] += push[r, k] * f
            if b >= 0:
                j = column[b]
                for k in range(6):
                    x[j, k] += push[r, 6 + k] * f


@inner
def find_impulses(rows, b0, b1, column, work):
    """Turn the solution x of H x = -push^T weight residual into impulses, in `amount`."""
    x, jacobian, amount = work.x, work.jacobian, work.amount
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if not acts(rows.state[r], rows.kind[r]):
                continue
            v = amount[r]
            if a >= 0:
                v += half_velocity(jacobian, r, 0, x, column[a])
            if b >= 0:
                v += half_velocity(jacobian, r, 6, x, column[b])
            amount[r] = -v * work.weight[r]


@inner
def unbounded(kind, lower, upper):
    """Return whether the impulse of a row has no bounds: what joints hold, and springs.

    Takes numbers, not the rows: a call that is not inlined would copy that whole tuple of arrays.
    """
    return kind == BOUNDED and lower == -np.inf and upper == np.inf


@inner(allocates=True)
def find_loops(rows, b0, b1, column, c0, c1):
    """Return whether the joints of an island form a loop.

    Blocks that hold are the edges of a graph whose nodes are the columns and the world, node c1.
    """
    parent = np.arange(c0, c1 + 1)
    loop = False
    for block in range(b0, b1):
        holds = False
        for r in range(rows.start[block], rows.start[block + 1]):
            if unbounded(rows.kind[r], rows.lower[r], rows.upper[r]):
                holds = holds or rows.softness[r] == 0.0
        if not holds:
            continue
        i = column[rows.bodies[block, 0]] if rows.bodies[block, 0] >= 0 else c1
        k = column[rows.bodies[block, 1]] if rows.bodies[block, 1] >= 0 else c1
        while parent[i - c0] != i:
            parent[i - c0] = parent[parent[i - c0] - c0]
            i = parent[i - c0]
        while parent[k - c0] != k:
            parent[k - c0] = parent[parent[k - c0] - c0]
            k = parent[k - c0]
        if i == k:
            loop = True
        parent[i - c0] = k
    return loop


@inner
def drop_contradictions(rows, b0, b1, column, work):
    """Turn the impulses in `amount` back into residuals, without what no impulses of rows that hold can meet.

    In a loop such rows are redundant, and the previewed errors contradict each other, by as much as the loop
    bends in a step. What the solution x leaves of their residuals, -amount / weight, would be answered with
    an impulse of 1 / `LOOP_REGULARISATION` that moves nothing; its rounding would. Their residuals become
    what x does meet, -J x.
    """
    x, jacobian, amount = work.x, work.jacobian, work.amount
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if not acts(rows.state[r], rows.kind[r]):
                continue
            v = 0.0
            if a >= 0:
                v += half_velocity(jacobian, r, 0, x, column[a])
            if b >= 0:
                v += half_velocity(jacobian, r, 6, x, column[b])
            held = rows.softness[r] == 0.0 and unbounded(rows.kind[r], rows.lower[r], rows.upper[r])
            amount[r] = -v if held else -amount[r] / work.weight[r] - v


@inner
def apply_impulses(rows, b0, b1, z, work, part):
    """Add a part of the impulses in `amount` to the active rows, and what they do to z."""
    amount, push, old_share = work.amount, work.push, work.old_share
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            f = part * amount[r]
            if rows.state[r] == SLIDING:
                if rows.kind[r] == PARTNER:
                    s0 = old_share[r - 1]
                    s1 = old_share[r]
                    size = np.sqrt(s0 * s0 + s1 * s1)
                    if size == 0.0:
                        continue
                    g = part * amount[rows.limiting[r]] if rows.state[rows.limiting[r]] == ACTIVE else 0.0
                    rows.impulse[r - 1] += s0 * g - s1 / size * f
                    rows.impulse[r] += s1 * g + s0 / size * f
                else:
                    continue
            elif rows.state[r] == ACTIVE:
                rows.impulse[r] += f
            else:
                continue
            if a >= 0:
                for k in range(6):
                    z[a, k] += push[r, k] * f
            if b >= 0:
                for k in range(6):
                    z[b, k] += push[r, 6 + k] * f

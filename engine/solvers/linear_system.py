"""The linear part of the direct solver: assembly of its matrix over bodies, and refinement.

H = 1 + sum push^T jacobian / (softness + regularisation), the sum over the active rows, where `push` is what
an impulse of the row does to the velocities: its jacobian, and for a normal row whose friction slides also
the friction that follows it, n + mu d. So sliding is coupled to pressing in the matrix, which it makes
unsymmetric; without sliding it is symmetric, and its factorisation costs half. A sliding pair also keeps one
equality, in the place of its second row: no velocity v across its friction f, which turns d against the
sliding. Turning by an angle needs f times the angle and takes v times the angle off that velocity, so this
row is soft by v / f.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.lanes import LANES, lanes_of, load, load_two, numbers, splat, store, store_two
from stoss.engine.constraints.row_lanes import pushed, rate_along, read_motion, three_rates, write_motion
from stoss.engine.constraints.rows import (
    ACTIVE,
    BOUNDED,
    FRICTION,
    REST,
    SECOND_TANGENT,
    SHARED,
    SLIDING,
    redress,
)

__all__ = [
    "add_product",
    "clear_matrix",
    "columns_of",
    "apply_impulses",
    "assemble",
    "drop_contradictions",
    "find_impulses",
    "find_loops",
    "largest_residual",
    "look_over",
    "right_side",
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
# Least load, as a share of the largest, by which shared friction is divided.
LEAST_SHARE = 0.01


@inner
def acts(rows, r):
    """Return whether row r is an equality of the system."""
    return rows.state[r] == ACTIVE or (rows.state[r] == SLIDING and rows.kind[r] == SECOND_TANGENT)


@inner
def clear_matrix(structure, c0, c1, work, general):
    """Let the matrix of columns c0 to c1 - 1 be 1, with its part above the diagonal if it is `general`."""
    diagonal, lower, upper = work.diagonal, work.off_diagonal, work.upper
    for j in range(c0, c1):
        for k in range(6):
            work.x[j, k] = 0.0
            for i in range(6):
                diagonal[j, k, i] = 0.0
            diagonal[j, k, k] = 1.0
        for p in range(structure.start[j], structure.start[j + 1]):
            for k in range(6):
                for i in range(6):
                    lower[p, k, i] = 0.0
        if general:
            for p in range(structure.start[j], structure.start[j + 1]):
                for k in range(6):
                    for i in range(6):
                        upper[p, k, i] = 0.0


@inner
def assemble(rows, b0, b1, structure, block_pair, c0, c1, work, general, loop, share, shared):
    """Build H of an island from its active rows and remember what it was made from.

    In a `loop` joints may be redundant. With `general`, some friction slides: all of H is built, else its
    lower triangle. Regularisations of other rows than friction are this `share` of the usual ones. Friction
    that is `shared` by points that hold a body several times over is so in proportion to their loads.
    """
    diagonal, lower, upper = work.diagonal, work.off_diagonal, work.upper
    hold_regularisation = LOOP_REGULARISATION if loop else HOLD_REGULARISATION
    jacobian, impulse_response = work.jacobian, work.impulse_response
    column = structure.column
    largest = 0.0
    if shared:
        for block in range(b0, b1):
            for r in range(rows.start[block], rows.start[block + 1]):
                if rows.kind[r] == FRICTION and rows.state[r] == ACTIVE:
                    largest = max(largest, rows.impulse[rows.start[block]])
    clear_matrix(structure, c0, c1, work, general)
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        first = rows.start[block]
        for r in range(first, rows.start[block + 1]):
            work.state[r] = rows.state[r]
            work.softness[r] = rows.softness[r]
            for k in range(12):
                jacobian[r, k] = rows.jacobian[r, k]
            if general:
                for k in range(12):
                    impulse_response[r, k] = rows.jacobian[r, k]
            if rows.kind[r] == SECOND_TANGENT and rows.state[r] == SLIDING:
                s0 = work.friction_ratio[r - 1]
                s1 = work.friction_ratio[r]
                work.old_friction_ratio[r - 1] = s0
                work.old_friction_ratio[r] = s1
                scale = 1.0 / np.sqrt(s0 * s0 + s1 * s1) if s0 != 0.0 or s1 != 0.0 else 0.0
                for k in range(12):
                    impulse_response[first, k] += s0 * rows.jacobian[r - 1, k] + s1 * rows.jacobian[r, k]
                    impulse_response[r, k] = scale * (s0 * rows.jacobian[r, k] - s1 * rows.jacobian[r - 1, k])
                    jacobian[r, k] = impulse_response[r, k]
        position = structure.pair_position[block_pair[block]]
        low = 0 if structure.pair_flipped[block_pair[block]] == 1 else 6
        high = 6 - low
        together = not general and rows.start[block + 1] == first + 3 and _three_equalities(rows, first)
        for r in range(first, rows.start[block + 1]):
            if not acts(rows, r) or rows.kind[r] == REST:
                continue
            regularisation = FRICTION_REGULARISATION
            if rows.kind[r] != FRICTION and rows.kind[r] != SECOND_TANGENT:
                held = unbounded(rows, r)
                regularisation = share * (hold_regularisation if held else REGULARISATION)
            elif shared:
                load = max(rows.impulse[first], LEAST_SHARE * largest)
                if load > 0.0:
                    regularisation *= largest / load
            softness = work.slip_compliance[r] if rows.state[r] == SLIDING else rows.softness[r]
            weight = 1.0 / (softness + regularisation / rows.effective_mass[r])
            work.weight[r] = weight
            if together:
                continue
            # without sliding impulses do what jacobians say
            response = impulse_response if general else jacobian
            if a >= 0:
                add_product(diagonal, column[a], weight, response, r, 0, jacobian, r, 0)
            if b >= 0:
                add_product(diagonal, column[b], weight, response, r, 6, jacobian, r, 6)
            if a >= 0 and b >= 0:
                add_product(lower, position, weight, jacobian, r, low, response, r, high)
                if general:
                    add_product(upper, position, weight, response, r, low, jacobian, r, high)
            if rows.kind[r] == SHARED:
                _add_shared(rows, r, block, structure, block_pair, weight, work, general)
        if together:
            if a >= 0:
                _add_three_products(diagonal, column[a], work.weight, jacobian, first, 0, 0)
            if b >= 0:
                _add_three_products(diagonal, column[b], work.weight, jacobian, first, 6, 6)
            if a >= 0 and b >= 0:
                _add_three_products(lower, position, work.weight, jacobian, first, low, high)


@inner
def _add_shared(rows, r, block, structure, block_pair, weight, work, general):
    """Add to H what a SHARED row has besides that of its own two bodies."""
    diagonal, jacobian, column = work.diagonal, work.jacobian, structure.column
    work.weight[r - 1] = weight
    y = rows.bodies[block, 1]
    z, w = rows.bodies[block - 1, 0], rows.bodies[block - 1, 1]
    add_product(diagonal, column[z], weight, jacobian, r - 1, 0, jacobian, r - 1, 0)
    _add_coupling(structure, block_pair[block - 1], weight, work, r - 1, 0, r - 1, 6, general)
    _add_coupling(structure, block_pair[block + 1], weight, work, r, 0, r - 1, 0, general)
    if w == y:
        # the joint's second body again, of which this half says nothing
        _add_coupling(structure, block_pair[block - 1], weight, work, r - 1, 0, r, 6, general)
        return
    add_product(diagonal, column[w], weight, jacobian, r - 1, 6, jacobian, r - 1, 6)
    _add_coupling(structure, block_pair[block + 2], weight, work, r, 0, r - 1, 6, general)
    _add_coupling(structure, block_pair[block + 3], weight, work, r, 6, r - 1, 0, general)
    _add_coupling(structure, block_pair[block + 4], weight, work, r, 6, r - 1, 6, general)


@inner
def _add_coupling(structure, pair, weight, work, r, low, s, high, general):
    """Add a product of halves of rows r and s to the block of H of a pair of bodies."""
    position, jacobian = structure.pair_position[pair], work.jacobian
    if structure.pair_flipped[pair] != 1:
        r, low, s, high = s, high, r, low
    add_product(work.off_diagonal, position, weight, jacobian, r, low, jacobian, s, high)
    if general:
        add_product(work.upper, position, weight, jacobian, r, low, jacobian, s, high)


@inner(always=True)
def add_product(blocks, p, weight, first, r, low, second, s, high):
    """Add weight times the product of six numbers of two rows to block p.

    Those are the numbers of row r of `first` from `low` on, and of row s of `second` from `high` on.
    """
    left, right = load(second, 12 * s + high), load_two(second, 12 * s + high + LANES)
    for k in range(6):
        f, at = splat(weight * first[r, low + k]), 36 * p + 6 * k
        store(blocks, at, load(blocks, at) + f * left)
        store_two(blocks, at + LANES, load_two(blocks, at + LANES) + f * right)


@inner(always=True)
def _add_three_products(blocks, p, weight, rows, r, low, high):
    """Do for rows r to r + 2 of an array what `add_product` does, in their order."""
    at = 12 * r + high
    l0, r0 = load(rows, at), load_two(rows, at + LANES)
    l1, r1 = load(rows, at + 12), load_two(rows, at + 12 + LANES)
    l2, r2 = load(rows, at + 24), load_two(rows, at + 24 + LANES)
    for k in range(6):
        f, g = splat(weight[r] * rows[r, low + k]), splat(weight[r + 1] * rows[r + 1, low + k])
        h, at = splat(weight[r + 2] * rows[r + 2, low + k]), 36 * p + 6 * k
        store(blocks, at, load(blocks, at) + f * l0 + g * l1 + h * l2)
        at += LANES
        store_two(blocks, at, load_two(blocks, at) + f * r0 + g * r1 + h * r2)


@inner(always=True)
def _three_equalities(rows, r):
    """Return whether rows r to r + 2 are rigid equalities: of a contact that sticks, of a joint."""
    kind, state, softness = rows.kind, rows.state, rows.softness
    plain = kind[r + 1] == FRICTION or (kind[r + 1] == BOUNDED and kind[r + 2] == BOUNDED)
    active = state[r] == ACTIVE and state[r + 1] == ACTIVE and state[r + 2] == ACTIVE
    rigid = softness[r] == softness[r + 1] == softness[r + 2] == 0.0
    return kind[r] == BOUNDED and plain and active and rigid


@inner
def largest_residual(rows, b0, b1, z, friction_ratio, amount):
    """Measure the residuals of the active rows into `amount`; return the largest [m/s]."""
    worst = 0.0
    for block in range(b0, b1):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        motion = read_motion(z, a, b)
        first, last = rows.start[block], rows.start[block + 1]
        if last == first + 3 and _three_equalities(rows, first):  # as most are
            bias = lanes_of(rows.bias[first], rows.bias[first + 1], rows.bias[first + 2], 0.0)
            u, v, w, _ = numbers(three_rates(rows.jacobian, first, motion) + bias)
            amount[first], amount[first + 1], amount[first + 2] = u, v, w
            size = max(abs(u), max(abs(v), abs(w)))
            if not (abs(u) + abs(v)) + abs(w) < np.inf:
                return np.inf
            worst = max(worst, size)
            continue
        for r in range(first, last):
            if not acts(rows, r):
                continue
            v = rate_along(rows.jacobian, r, motion) + rows.bias[r] + rows.softness[r] * rows.impulse[r]
            if rows.kind[r] == REST:
                amount[r] = v
                continue
            if rows.kind[r] == SHARED:
                v += amount[r - 1]
                amount[r - 1] = v
            if rows.state[r] == SLIDING:
                w = rate_along(rows.jacobian, r - 1, motion) + rows.bias[r - 1]
                v = _across(friction_ratio, r, w, v)
            amount[r] = v
            if not abs(v) < np.inf:
                return np.inf
            worst = max(worst, abs(v) * redress(rows, r))
    return worst


@inner
def columns_of(rows, block, column):
    """Return the columns of the bodies of a block; -1 for one that does not move."""
    a, b = rows.bodies[block, 0], rows.bodies[block, 1]
    return (column[a] if a >= 0 else -1), (column[b] if b >= 0 else -1)


@inner(always=True)
def _across(friction_ratio, r, v, w):
    """Return the share across the friction of velocities v and w of the pair whose second row is r."""
    s0, s1 = friction_ratio[r - 1], friction_ratio[r]
    size = np.sqrt(s0 * s0 + s1 * s1)
    return (s0 * w - s1 * v) / size if size > 0.0 else 0.0


@inner(always=True)
def _pair_impulses(friction_ratio, r, g, f):
    """Return the impulses of the sliding pair with second row r: f across it, along it what g presses."""
    s0, s1 = friction_ratio[r - 1], friction_ratio[r]
    size = np.sqrt(s0 * s0 + s1 * s1)
    if size == 0.0:
        return 0.0, 0.0
    return s0 * g - s1 / size * f, s1 * g + s0 / size * f


@inner(always=True)
def _rate(rows, work, r, motion):
    """Return the velocity that equality r has by x, as the matrix has it."""
    v = rate_along(rows.jacobian, r, motion)
    if rows.state[r] == SLIDING:
        return _across(work.old_friction_ratio, r, rate_along(rows.jacobian, r - 1, motion), v)
    return v


@inner
def right_side(rows, b0, b1, column, work):
    """Fill x with -push^T weight residual.

    The rows are taken as they are, of which the matrix may be the one of a moment ago: what does a
    preconditioner's work need not be exact, and no copy of the rows is read.
    """
    x, jacobian, amount, weight = work.x, rows.jacobian, work.amount, work.weight
    for block in range(b0, b1):
        i, j = columns_of(rows, block, column)
        motion = read_motion(x, i, j)
        for r in range(rows.start[block], rows.start[block + 1]):
            if not acts(rows, r):
                continue
            f = -amount[r] * weight[r]
            if rows.state[r] == SLIDING:
                n = rows.start[block]
                g = -amount[n] * weight[n] if rows.state[n] == ACTIVE else 0.0
                first, second = _pair_impulses(work.old_friction_ratio, r, g, f)
                motion = pushed(jacobian, r, second, pushed(jacobian, r - 1, first, motion))
            else:
                motion = pushed(jacobian, r, f, motion)
        write_motion(x, i, j, motion)


@inner
def find_impulses(rows, b0, b1, column, work):
    """Turn the solution x of H x = -push^T weight residual into impulses, in `amount`."""
    amount = work.amount
    for block in range(b0, b1):
        i, j = columns_of(rows, block, column)
        motion = read_motion(work.x, i, j)
        first, last = rows.start[block], rows.start[block + 1]
        if last == first + 3 and _three_equalities(rows, first):
            u, v, w, _ = numbers(three_rates(rows.jacobian, first, motion))
            amount[first] = -(amount[first] + u) * work.weight[first]
            amount[first + 1] = -(amount[first + 1] + v) * work.weight[first + 1]
            amount[first + 2] = -(amount[first + 2] + w) * work.weight[first + 2]
            continue
        for r in range(first, last):
            if not acts(rows, r):
                continue
            v = _rate(rows, work, r, motion)
            if rows.kind[r] == REST:
                amount[r] = v
                continue
            if rows.kind[r] == SHARED:
                v += amount[r - 1]
            amount[r] = -(amount[r] + v) * work.weight[r]
            if rows.kind[r] == SHARED:
                amount[r - 1] = amount[r]


@inner
def unbounded(rows, r):
    """Return whether the impulse of row r has no bounds: what joints hold, and springs."""
    kind = rows.kind[r]
    bounded = kind == BOUNDED or kind == SHARED or kind == REST
    return bounded and rows.lower[r] == -np.inf and rows.upper[r] == np.inf


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
            if unbounded(rows, r):
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
def drop_contradictions(rows, b0, b1, column, work, jam):
    """Turn the impulses in `amount` back into residuals, without what no impulses of rows that hold can meet.

    In a loop such rows are redundant, and the previewed errors contradict each other, by as much as the loop
    bends in a step. What the solution x leaves of their residuals, -amount / weight, would be answered with
    an impulse of 1 / `LOOP_REGULARISATION` that moves nothing; its rounding would. Their residuals become
    what x does meet, -J x. In a `jam` that holds for contacts too, as long as they stick: the impulses become
    the least ones, weighted by the regularisations.
    """
    amount = work.amount
    for block in range(b0, b1):
        i, j = columns_of(rows, block, column)
        motion = read_motion(work.x, i, j)
        for r in range(rows.start[block], rows.start[block + 1]):
            if not acts(rows, r):
                continue
            v = _rate(rows, work, r, motion)
            if rows.kind[r] == REST:
                amount[r] = v
                continue
            if rows.kind[r] == SHARED:
                v += amount[r - 1]
            held = rows.softness[r] == 0.0 and ((jam and rows.state[r] != SLIDING) or unbounded(rows, r))
            amount[r] = -v if held else -amount[r] / work.weight[r] - v
            if rows.kind[r] == SHARED:
                amount[r - 1] = amount[r]


@inner
def look_over(rows, b0, b1, tolerance):
    """Return what a search has to know of the rows of blocks b0 to b1 - 1, those of an island.

    Returns:
        Whether any row holds: what joints do. Whether contacts have friction. Whether two contacts or more
        resist spinning, by pairs whose second row is empty: such points hold the same body several times
        over, as those of a sole do. Whether any impulse has a limit. The largest velocity that is asked for,
        at least `tolerance` [m/s].
    """
    holds = touches = limited = False
    turning, scale = 0, tolerance
    for block in range(b0, b1):
        first = rows.start[block]
        for r in range(first, rows.start[block + 1]):
            scale = max(scale, abs(rows.bias[r]) * redress(rows, r))
            limited = limited or rows.lower[r] > -np.inf or rows.upper[r] < np.inf
            if rows.kind[r] == FRICTION:
                touches = touches or rows.upper[first] > 0.0
                turning += rows.inverse_effective_mass[r + 1] == 0.0
            elif unbounded(rows, r):
                holds = holds or rows.softness[r] == 0.0
    return holds, touches, turning > 1, limited, scale


@inner
def apply_impulses(rows, b0, b1, z, work, part):
    """Add a part of the impulses in `amount` to the active rows, and what they do to z."""
    amount, jacobian = work.amount, rows.jacobian
    for block in range(b0, b1):
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        motion = read_motion(z, a, b)
        for r in range(rows.start[block], rows.start[block + 1]):
            if not acts(rows, r):
                continue
            f = part * amount[r]
            if rows.state[r] == SLIDING:
                n = rows.start[block]
                g = part * amount[n] if rows.state[n] == ACTIVE else 0.0
                first, second = _pair_impulses(work.old_friction_ratio, r, g, f)
                rows.impulse[r - 1] += first
                rows.impulse[r] += second
                motion = pushed(jacobian, r, second, pushed(jacobian, r - 1, first, motion))
            else:
                rows.impulse[r] += f
                motion = pushed(jacobian, r, f, motion)
        write_motion(z, a, b, motion)

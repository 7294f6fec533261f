"""Gauss-Seidel sweeps over rows: the iterative method, which may be stopped after any sweep.

Bender 2007, sections 3.3.1, 5.2.1, 5.2.5 and 5.3. Equation 5.7 sums impulses before they are clamped; here
those that were applied are accumulated. Equation 5.8 adds friction also where a later iteration takes normal
impulse back; here the cone, a circular one, bounds the accumulated impulse.

Several blocks are solved at once (`wide_rows`), with the numbers of a sweep over one block after the other.
What couples more than two bodies has its turn behind them (`shared_rows`).
"""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.lane_places import RECORD, gather, scatter
from stoss.collision.kernels.lanes import (
    WIDE,
    absolute,
    largest,
    load_wide,
    numbers,
    select_equal,
    select_greater,
    select_not_greater,
    splat_wide,
    square_root,
    store,
)
from stoss.collision.kernels.types import Floats, Floats2, Ints
from stoss.engine.constraints.rows import ACTIVE, FRICTION, SLIDING, Rows, row_velocity
from stoss.engine.solvers.shared_rows import enter_shared, find_shared, sweep_shared
from stoss.engine.solvers.wide_rows import (
    ALONE,
    BOUNDED_ROW,
    HOME,
    JACOBIAN,
    MOVES,
    PAIR,
    READ,
    WRITE,
    WideRows,
    acting_blocks,
    drop_groups,
    fill_frictions,
    fill_groups,
    let_rest,
    place_blocks,
    return_impulses,
    return_velocities,
)

__all__ = ["begin_to_slide", "first_grips", "remember_sliding", "sweep", "sweep_islands"]

# Slip [last changes of a row in a sweep, or tolerances] from which on a pair that was given all of its static
# friction counts as sliding: less may be what the sweeps have not come to yet.
SLIP = 10.0
# A pair counts as being at the edge of its disc within this share of it.
EDGE = 1e-9


@kernel(allocates=True)
def sweep(
    rows: Rows,
    blocks: Ints,
    z: Floats2,
    sweeps: int,
    tolerance: float,
    level: Ints,
    below: int,
    remember: bool,
) -> tuple[int, float]:
    """Sweep over blocks, forwards and backwards in turn, until nothing changes by more than `tolerance`.

    Args:
        rows: the rows; those of a block are bounded ones, then friction pairs that the first one bounds.
        blocks: the blocks to sweep over, in this order.
        z: (bodies, 6) what the impulses of the rows do; changed with them.
        sweeps: most sweeps.
        tolerance: [m/s]
        level, below: impulses do not move bodies whose `level` (bodies,) is less than `below`, at most one
            of each block; with -1 they move all.
        remember: whether to leave in the states of the rows which pairs slide.

    Returns:
        The sweeps made and the largest change of a row's velocity in the last one [m/s].
    """
    start, changes, still = np.array([0, len(blocks)]), np.zeros(1), np.full(1, tolerance)
    made = sweep_islands(rows, blocks, start, z, sweeps, still, level, below, remember, changes)
    return made, changes[0]


@kernel(allocates=True)
def sweep_islands(
    rows: Rows,
    blocks: Ints,
    start: Ints,
    z: Floats2,
    sweeps: int,
    still: Floats,
    level: Ints,
    below: int,
    remember: bool,
    changes: Floats,
) -> int:
    """Sweep over several islands, each until nothing of it changes any more; see `sweep`.

    What is too small to fill all lanes by itself shares them with others.

    Args:
        rows, z, sweeps, level, below, remember: as for `sweep`.
        blocks: the blocks of all islands, island by island.
        start: (islands + 1,) where those of each begin.
        still: (islands,) largest change at which each is done [m/s].
        changes: (islands,) receives the largest change of a row's velocity in the last sweep of each [m/s].

    Returns:
        The sweeps made, over the island that took most.
    """
    islands, room = len(start) - 1, len(blocks)
    acting, shapes = np.empty(room, np.int64), np.empty((room, 2), np.int64)
    first, number = np.zeros(islands + 1, np.int64), np.empty(len(z), np.int64)
    acting_blocks(rows, blocks, start, acting, shapes, first, number)
    for island in range(islands):
        changes[island] = 0.0
    shared = find_shared(rows, blocks, start, number, level, below)
    count = first[islands]
    if count + len(shared.row) == 0:
        return min(sweeps, 1)
    bodies = min(2 * count + 4 * len(shared.row), len(z)) + 2
    wide = WideRows(
        acting,
        first,
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.empty((count, 2), np.int64),
        np.empty(count + 1, np.int64),
        np.empty((6, WIDE * count), np.int64),
        np.empty(bodies, np.int64),
        np.empty(islands + 1, np.int64),
        np.empty(RECORD * bodies),
    )
    groups = place_blocks(rows, wide, shapes, shared, number, np.empty(bodies, np.int64), z, level, below)
    enter_shared(shared, number)
    hesitant, working = np.zeros(islands, np.bool_), np.ones(islands, np.bool_)
    left = np.empty(islands, np.int64)
    remaining = 0
    for island in range(islands):
        hesitant[island] = first_grips(rows, acting[first[island] : first[island + 1]])
        if first[island] < first[island + 1] or shared.first[island] < shared.first[island + 1]:
            left[remaining] = island
            remaining += 1
    data = np.empty(wide.begin[groups])
    fill_groups(rows, wide, groups, level, below, data)
    order = np.arange(groups)
    for done in range(sweeps):
        for i in range(remaining):
            changes[left[i]] = 0.0
        _sweep_groups(wide, data, order[:groups], done % 2 == 1, below >= 0, changes)
        if len(shared.row) > 0:
            sweep_shared(rows, shared, wide.records, working, done % 2 == 1, changes)
        staying = 0
        for i in range(remaining):
            island = left[i]
            converged = changes[island] <= still[island]
            if hesitant[island] and (converged or done + 1 == sweeps // 2 or done + 1 == 3 * sweeps // 4):
                part = acting[first[island] : first[island + 1]]
                return_impulses(rows, wide, island, data)
                return_velocities(wide, island, z)
                if begin_to_slide(rows, part, z, SLIP * max(changes[island], still[island])):
                    fill_frictions(rows, wide, island, data)
                    converged = False
            if converged:
                working[island] = False
                let_rest(wide, island, data)
            else:
                left[staying] = island
                staying += 1
        if staying < remaining:
            groups = drop_groups(wide, order[:groups], working)
            remaining = staying
        if remaining == 0:
            sweeps = done + 1
            break
    for island in range(islands):
        return_impulses(rows, wide, island, data)
        return_velocities(wide, island, z)
        if remember and hesitant[island]:
            remember_sliding(rows, acting[first[island] : first[island + 1]])
    return sweeps


@inner(always=True)
def _sweep_groups(wide, data, order, backwards, part, changes):
    """Sweep once over the groups `order`; raise `changes` of each island to the largest change of a row.

    With `part` some bodies are frozen: their records say that impulses do not move them.
    """
    shapes, begin, who, records = wide.shapes, wide.begin, wide.who, wide.records
    read_a, read_b, write_a, write_b, home = who[READ], who[READ + 1], who[WRITE], who[WRITE + 1], who[HOME]
    count = len(order)
    change = splat_wide(0.0)
    island = -1  # whose change it is, as long as all lanes are of one
    for i in range(count):
        group = order[count - 1 - i if backwards else i]
        place = WIDE * group
        if island != who[ALONE, place]:
            if island >= 0:
                changes[island] = max(changes[island], largest(change))
            island = who[ALONE, place]
            change = splat_wide(0.0)
        a = gather(records, read_a, place)
        b = gather(records, read_b, place)
        at = begin[group]
        normal = at + WIDE * (BOUNDED_ROW - 1)  # the impulse that bounds those of the pairs
        for _ in range(shapes[group, 0]):
            d, size = _solve_bounded(data, at, a, b)
            change = _larger(change, size)
            a = _pushed(data, at, d * a[MOVES] if part else d, a)
            b = _pushed(data, at + 6 * WIDE, d * b[MOVES] if part else d, b)
            at += WIDE * BOUNDED_ROW
        for _ in range(shapes[group, 1]):
            d, e, size = _solve_pair(data, at, load_wide(data, normal), a, b)
            change = _larger(change, size)
            a = _pushed_twice(data, at, d * a[MOVES] if part else d, e * a[MOVES] if part else e, a)
            at += 6 * WIDE
            b = _pushed_twice(data, at, d * b[MOVES] if part else d, e * b[MOVES] if part else e, b)
            at += WIDE * (PAIR - 6)
        scatter(records, write_a, place, a)
        scatter(records, write_b, place, b)
        if island < 0:
            sizes = numbers(change)
            for lane in range(WIDE):
                to = home[place + lane]
                changes[to] = max(changes[to], sizes[lane])
            change = splat_wide(0.0)
    if island >= 0:
        changes[island] = max(changes[island], largest(change))


@inner(always=True)
def _larger(a, b):
    """Return the larger number in each lane."""
    return select_greater(b, a, b, a)


@inner(always=True)
def _half_velocity(data, at, z):
    """Return one body's half of jacobian z, summed as in `rows.half_velocity`."""
    return (
        (load_wide(data, at) * z[0] + load_wide(data, at + WIDE) * z[1])
        + (load_wide(data, at + 2 * WIDE) * z[2] + load_wide(data, at + 3 * WIDE) * z[3])
    ) + (load_wide(data, at + 4 * WIDE) * z[4] + load_wide(data, at + 5 * WIDE) * z[5])


@inner(always=True)
def _velocity(data, at, bias, a, b):
    """Return the velocities of rows whose jacobians are at `at`."""
    return bias + _half_velocity(data, at, a) + _half_velocity(data, at + 6 * WIDE, b)


@inner(always=True)
def _pushed(data, at, d, z):
    """Return z after impulses d on the rows whose halves are at `at`."""
    return (
        z[0] + load_wide(data, at) * d,
        z[1] + load_wide(data, at + WIDE) * d,
        z[2] + load_wide(data, at + 2 * WIDE) * d,
        z[3] + load_wide(data, at + 3 * WIDE) * d,
        z[4] + load_wide(data, at + 4 * WIDE) * d,
        z[5] + load_wide(data, at + 5 * WIDE) * d,
        z[6],
        z[7],
    )


@inner(always=True)
def _pushed_twice(data, at, d, e, z):
    """Return z after impulses d and e on pairs of rows; the halves of the first ones are at `at`."""
    to = at + WIDE * JACOBIAN
    return (
        z[0] + (load_wide(data, at) * d + load_wide(data, to) * e),
        z[1] + (load_wide(data, at + WIDE) * d + load_wide(data, to + WIDE) * e),
        z[2] + (load_wide(data, at + 2 * WIDE) * d + load_wide(data, to + 2 * WIDE) * e),
        z[3] + (load_wide(data, at + 3 * WIDE) * d + load_wide(data, to + 3 * WIDE) * e),
        z[4] + (load_wide(data, at + 4 * WIDE) * d + load_wide(data, to + 4 * WIDE) * e),
        z[5] + (load_wide(data, at + 5 * WIDE) * d + load_wide(data, to + 5 * WIDE) * e),
        z[6],
        z[7],
    )


@inner(always=True)
def _solve_bounded(data, at, a, b):
    """Solve the bounded rows at `at`; return what their impulses and their velocities change by."""
    end = at + WIDE * JACOBIAN
    v = _velocity(data, at, load_wide(data, end), a, b)
    mass = load_wide(data, end + WIDE)
    old = load_wide(data, end + 6 * WIDE)
    new = old - (v + load_wide(data, end + 2 * WIDE) * old) * mass
    lower, upper = load_wide(data, end + 3 * WIDE), load_wide(data, end + 4 * WIDE)
    new = select_greater(lower, new, lower, new)
    new = select_greater(new, upper, upper, new)
    new = select_equal(mass, splat_wide(0.0), old, new)  # what nothing moves is left alone
    store(data, end + 6 * WIDE, new)
    d = new - old
    return d, absolute(d) * load_wide(data, end + 5 * WIDE)


@inner(always=True)
def _solve_pair(data, at, normal, a, b):
    """Solve the friction pairs at `at`, whose `normal` impulses are given; return what changes by how much.

    First the exact 2x2 solve that stops the sliding (one impulse along it, as in equation 5.9, would leave
    some across), kept if it lies in the disc. Else the projection of p - soft_effective_mass * v on the disc:
    its fixed point is Coulomb's law, the impulse exactly opposite to the velocity. (Projecting the exact
    solve instead would turn it to K v.)
    """
    end = at + 2 * WIDE * JACOBIAN
    v = _velocity(data, at, load_wide(data, end), a, b)
    w = _velocity(data, at + WIDE * JACOBIAN, load_wide(data, end + WIDE), a, b)
    zero = splat_wide(0.0)
    normal = select_greater(zero, normal, zero, normal)
    mass = load_wide(data, end + 5 * WIDE)
    limit = load_wide(data, end + 6 * WIDE) * normal
    p, q = load_wide(data, end + 8 * WIDE), load_wide(data, end + 9 * WIDE)
    i0, i1, i2 = (
        load_wide(data, end + 2 * WIDE),
        load_wide(data, end + 3 * WIDE),
        load_wide(data, end + 4 * WIDE),
    )
    exact_p, exact_q = p - (i0 * v + i1 * w), q - (i1 * v + i2 * w)
    new_p, new_q = p - mass * v, q - mass * w
    size, edge = new_p * new_p + new_q * new_q, limit * limit
    scale = limit / square_root(size)
    new_p = select_greater(size, edge, new_p * scale, new_p)
    new_q = select_greater(size, edge, new_q * scale, new_q)
    inside = exact_p * exact_p + exact_q * exact_q
    new_p = select_not_greater(inside, edge, exact_p, new_p)
    new_q = select_not_greater(inside, edge, exact_q, new_q)
    # what nothing presses or moves is left alone
    idle = select_equal(absolute(p) + absolute(q), zero, normal, splat_wide(1.0))
    idle = select_equal(mass, zero, zero, idle)
    new_p, new_q = select_equal(idle, zero, p, new_p), select_equal(idle, zero, q, new_q)
    store(data, end + 8 * WIDE, new_p)
    store(data, end + 9 * WIDE, new_q)
    d, e = new_p - p, new_q - q
    return d, e, _larger(absolute(d), absolute(e)) * load_wide(data, end + 7 * WIDE)


@inner
def begin_to_slide(rows, blocks, z, threshold):
    """Give the dynamic coefficient to pairs that slide in spite of all their static friction; return if any.

    Decided between sweeps: within them a pair may lack the normal impulse that it will have at the end.
    """
    any_slips = False
    for block in blocks:
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] != FRICTION or rows.active_friction[r] <= rows.friction[r]:
                continue
            edge = rows.active_friction[r] * max(rows.impulse[rows.start[block]], 0.0) * (1.0 - EDGE)
            if edge == 0.0 or rows.impulse[r] ** 2 + rows.impulse[r + 1] ** 2 < edge * edge:
                continue
            v = row_velocity(rows, r, a, b, z) + rows.bias[r]
            w = row_velocity(rows, r + 1, a, b, z) + rows.bias[r + 1]
            if v * v + w * w > threshold * threshold:
                rows.active_friction[r] = rows.friction[r]
                any_slips = True
    return any_slips


@inner
def first_grips(rows, blocks):
    """Set the coefficients that pairs start with: the dynamic one for those that were sliding.

    Returns whether it can change in any pair.
    """
    hesitant = False
    for block in blocks:
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] != FRICTION:
                continue
            rows.active_friction[r] = rows.static_friction[r]
            if rows.static_friction[r] <= rows.friction[r]:
                continue
            hesitant = True
            if rows.state[r] == SLIDING:
                edge = rows.friction[r] * rows.impulse[rows.start[block]] * (1.0 + EDGE)
                if rows.impulse[r] ** 2 + rows.impulse[r + 1] ** 2 <= edge * edge:
                    rows.active_friction[r] = rows.friction[r]
    return hesitant


@inner
def remember_sliding(rows, blocks):
    """Write into the states of pairs whether they slide, where it matters, for the next solve of the rows."""
    for block in blocks:
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] != FRICTION or rows.static_friction[r] <= rows.friction[r]:
                continue
            edge = rows.active_friction[r] * max(rows.impulse[rows.start[block]], 0.0) * (1.0 - EDGE)
            slides = edge > 0.0 and rows.impulse[r] ** 2 + rows.impulse[r + 1] ** 2 >= edge * edge
            rows.state[r] = rows.state[r + 1] = SLIDING if slides else ACTIVE

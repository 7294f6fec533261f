"""Blocks of rows side by side, four at a time, in an order that Gauss-Seidel cannot tell from theirs.

A *group* is up to four blocks of the same shape that share no body which moves: a sweep solves them at once,
each in a lane of its own (see `kernels.lanes`). A block stands in the first group with room for it behind all
groups with an earlier block of one of its bodies. So what depends on each other is solved in the order of the
blocks, forwards as backwards, and sweeps come to the same numbers, to the last bit, as block by block.

The velocities z stand in *records*, one for each body of the blocks: the six numbers, and whether impulses
move the body. Two records are nobody's: lanes read NOTHING in place of a body that does not react, and write
to BIN what is not to be written.
"""

from typing import NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.lanes import LANES, RECORD, load_each, load_turned, splat, store
from stoss.engine.constraints.rows import BOUNDED, FRICTION, pair_terms

__all__ = [
    "ALONE",
    "BOUNDED_ROW",
    "HOME",
    "JACOBIAN",
    "MOVES",
    "PAIR",
    "READ",
    "WRITE",
    "WideRows",
    "acting_blocks",
    "drop_groups",
    "fill_frictions",
    "fill_groups",
    "fill_records",
    "half_product",
    "let_rest",
    "moves",
    "number_bodies",
    "offsets",
    "place_blocks",
    "return_impulses",
    "return_velocities",
]

WINDOW = 256  # groups that a block looks back at for room

NOTHING, BIN = 0, 1  # records of nobody
MOVES = 6  # place in a record: 1 if impulses move the body, else 0

# Numbers of each lane. Of a bounded row: jacobian, then bias, soft effective mass, softness, lower and upper
# limit, inverse effective mass, impulse. Of a friction pair: two jacobians, two biases, inverse (three), soft
# effective mass, coefficient, largest inverse effective mass, two impulses.
JACOBIAN = 12
BOUNDED_ROW, PAIR = JACOBIAN + 7, 2 * JACOBIAN + 10
PAIR_INVERSE, PAIR_MASS, PAIR_FRICTION, PAIR_SIZE, PAIR_IMPULSE = (2 * JACOBIAN + k for k in (2, 5, 6, 7, 8))


@inner
def moves(i, level, below):
    """Return whether impulses move body i; it is -1 if it does not react."""
    return i >= 0 and (below < 0 or level[i] >= below)


class WideRows(NamedTuple):
    """Blocks of islands in groups."""

    acting: np.ndarray  # (blocks,) those that can act, island by island
    first: np.ndarray  # (islands + 1,) where those of each island begin
    places: np.ndarray  # (blocks,) LANES times the group of each, plus its lane
    shapes: np.ndarray  # (groups, 2) how many bounded rows and pairs the blocks of each group have
    begin: np.ndarray  # (groups + 1,) where the numbers of each group begin
    who: np.ndarray  # (6, LANES * groups) READ, WRITE, HOME, ALONE
    data: np.ndarray  # the numbers


# Of each lane: records that it reads, for the first and the second body, and that it writes; its island; and
# the island of its group, -1 if its lanes are of several. The first row stands where ALONE is written later.
READ, WRITE, HOME, ALONE = 0, 2, 4, 5


@inner
def acting_blocks(rows, blocks, start, acting, shapes, first):
    """Write the blocks that can act into `acting`, their numbers of bounded rows and pairs into `shapes`.

    A contact whose normal impulse is fixed at zero has no friction either. `start` and `first` (islands + 1,)
    say where the islands begin in both lists. Returns how many can act.
    """
    count = 0
    for island in range(len(start) - 1):
        for i in range(start[island], start[island + 1]):
            block = blocks[i]
            acts = False
            bounded = pairs = 0
            for r in range(rows.start[block], rows.start[block + 1]):
                if rows.kind[r] == BOUNDED:
                    bounded += 1
                    acts = acts or rows.lower[r] < rows.upper[r] or rows.impulse[r] != rows.lower[r]
                elif rows.kind[r] == FRICTION:
                    pairs += 1
            if acts:
                acting[count] = block
                shapes[count, 0], shapes[count, 1] = bounded, pairs
                count += 1
        first[island + 1] = count
    return count


@inner
def number_bodies(rows, acting, number):
    """Give the bodies of the blocks numbers of records, as they occur; return the end of them."""
    for block in acting:
        for half in range(2):
            if rows.bodies[block, half] >= 0:
                number[rows.bodies[block, half]] = -1
    end = BIN + 1
    for block in acting:
        for half in range(2):
            i = rows.bodies[block, half]
            if i >= 0 and number[i] < 0:
                number[i] = end
                end += 1
    return end


@inner
def place_blocks(rows, acting, shapes, number, level, below, last, places, filled, group_shapes):
    """Find the place of each block, LANES times its group plus its lane; return how many groups there are.

    Args:
        rows, acting, shapes: the blocks.
        number: (bodies,) records of the bodies.
        level, below: see `sweep`.
        last: (records,) memory for the last group of each body.
        places: (blocks,) receives the places.
        filled: (groups,) receives how many blocks each group has.
        group_shapes: (groups, 2) receives their shape.
    """
    for i in range(len(last)):
        last[i] = -1
    groups = full = 0
    for at in range(len(acting)):
        while full < groups and filled[full] == LANES:
            full += 1
        a, b = rows.bodies[acting[at], 0], rows.bodies[acting[at], 1]
        moves_a, moves_b = moves(a, level, below), moves(b, level, below)
        bounded, pairs = shapes[at, 0], shapes[at, 1]
        group = max(groups - WINDOW, full)
        if moves_a:
            group = max(group, last[number[a]] + 1)
        if moves_b:
            group = max(group, last[number[b]] + 1)
        while group < groups and (
            filled[group] == LANES or group_shapes[group, 0] != bounded or group_shapes[group, 1] != pairs
        ):
            group += 1
        if group == groups:
            groups += 1
            filled[group], group_shapes[group, 0], group_shapes[group, 1] = 0, bounded, pairs
        places[at] = LANES * group + filled[group]
        filled[group] += 1
        if moves_a:
            last[number[a]] = group
        if moves_b:
            last[number[b]] = group
    return groups


@inner
def offsets(group_shapes, begin):
    """Write where the numbers of each group begin, one more at the end; return that."""
    begin[0] = 0
    for group in range(len(group_shapes)):
        lane = group_shapes[group, 0] * BOUNDED_ROW + group_shapes[group, 1] * PAIR
        begin[group + 1] = begin[group] + LANES * lane
    return begin[len(group_shapes)]


@inner
def fill_groups(rows, wide, filled, number, level, below):
    """Copy the rows of all blocks into their lanes.

    Args:
        rows: the rows.
        wide: receives who is in which lane, and the numbers.
        filled: (groups,) how many blocks each group has.
        number, level, below: see `place_blocks`.
    """
    acting, first, places, shapes, begin, who, data = wide
    row = who[ALONE]
    for island in range(len(first) - 1):
        for i in range(first[island], first[island + 1]):
            block, place = acting[i], places[i]
            row[place], who[HOME, place] = rows.start[block], island
            for half in range(2):
                body = rows.bodies[block, half]
                who[READ + half, place] = number[body] if body >= 0 else NOTHING
                who[WRITE + half, place] = number[body] if moves(body, level, below) else BIN
    for group in range(len(shapes)):
        place = LANES * group
        for lane in range(place + filled[group], place + LANES):
            # what is left over repeats the first lane, without effect
            who[READ, lane] = who[READ + 1, lane] = NOTHING
            who[WRITE, lane] = who[WRITE + 1, lane] = BIN
            row[lane], who[HOME, lane] = row[place], who[HOME, place]
        at = begin[group]
        p, q, s, t = row[place], row[place + 1], row[place + 2], row[place + 3]
        for _ in range(shapes[group, 0]):
            _fill_bounded(rows, (p, q, s, t), filled[group], at, data)
            at += LANES * BOUNDED_ROW
            p, q, s, t = p + 1, q + 1, s + 1, t + 1
        for _ in range(shapes[group, 1]):
            _fill_pair(rows, (p, q, s, t), filled[group], at, data)
            at += LANES * PAIR
            p, q, s, t = p + 2, q + 2, s + 2, t + 2
        alone = who[HOME, place]
        for lane in range(place + 1, place + LANES):
            if who[HOME, lane] != alone:
                alone = -1
        for lane in range(place, place + LANES):
            who[ALONE, lane] = alone
    if below >= 0:
        for i in range(len(acting)):
            group, lane = places[i] // LANES, places[i] % LANES
            _fill_part(rows, acting[i], shapes[group], begin[group] + lane, level, below, data)


@inner
def _fill_jacobian(jacobian, rows, at, data):
    """Copy the jacobians of four rows."""
    for k in range(JACOBIAN // LANES):
        part = load_turned(jacobian, rows, JACOBIAN, LANES * k)
        for i in range(LANES):
            store(data, at + LANES * i, part[i])
        at += LANES * LANES


@inner
def _fill_bounded(rows, four, filled, at, data):
    """Copy four bounded rows, of which the first `filled` are to have an effect."""
    _fill_jacobian(rows.jacobian, four, at, data)
    at += LANES * JACOBIAN
    store(data, at, load_each(rows.bias, four, 1, 0))
    store(data, at + LANES, load_each(rows.soft_effective_mass, four, 1, 0))
    for lane in range(filled, LANES):
        data[at + LANES + lane] = 0.0
    store(data, at + 2 * LANES, load_each(rows.softness, four, 1, 0))
    store(data, at + 3 * LANES, load_each(rows.lower, four, 1, 0))
    store(data, at + 4 * LANES, load_each(rows.upper, four, 1, 0))
    store(data, at + 5 * LANES, load_each(rows.inverse_effective_mass, four, 1, 0))
    store(data, at + 6 * LANES, load_each(rows.impulse, four, 1, 0))


@inner
def _fill_pair(rows, four, filled, at, data):
    """Copy the friction pairs that begin with four rows, as `_fill_bounded` does."""
    p, q, s, t = four
    _fill_jacobian(rows.jacobian, four, at, data)
    _fill_jacobian(rows.jacobian, (p + 1, q + 1, s + 1, t + 1), at + LANES * JACOBIAN, data)
    at += 2 * LANES * JACOBIAN
    store(data, at, load_each(rows.bias, four, 1, 0))
    store(data, at + LANES, load_each(rows.bias, four, 1, 1))
    store(data, at + 2 * LANES, load_each(rows.pair_inverse, four, 3, 0))
    store(data, at + 3 * LANES, load_each(rows.pair_inverse, four, 3, 1))
    store(data, at + 4 * LANES, load_each(rows.pair_inverse, four, 3, 2))
    store(data, at + 5 * LANES, load_each(rows.soft_effective_mass, four, 1, 0))
    for lane in range(filled, LANES):
        data[at + 5 * LANES + lane] = 0.0
    store(data, at + 6 * LANES, load_each(rows.active_friction, four, 1, 0))
    store(data, at + 7 * LANES, load_each(rows.inverse_effective_mass, four, 1, 0))
    store(data, at + 8 * LANES, load_each(rows.impulse, four, 1, 0))
    store(data, at + 9 * LANES, load_each(rows.impulse, four, 1, 1))


@inner
def half_product(jacobian, r, s, offset):
    """Return the product of one body's halves of rows r and s; offset 0 for the first, 6 for the second."""
    k = 0.0
    for i in range(offset, offset + 6):
        k += jacobian[r, i] * jacobian[s, i]
    return k


@inner
def _fill_part(rows, block, shape, at, level, below, data):
    """Let the rows of a block act on one body alone if its other one is frozen."""
    a, b = rows.bodies[block, 0], rows.bodies[block, 1]
    moves_a, moves_b = moves(a, level, below), moves(b, level, below)
    if (a < 0 or moves_a) and (b < 0 or moves_b):
        return
    offset = 0 if moves_a else 6
    r = rows.start[block]
    for _ in range(shape[0]):
        if rows.soft_effective_mass[r] != 0.0:
            size = half_product(rows.jacobian, r, r, offset)
            data[at + LANES * (JACOBIAN + 1)] = 1.0 / (size + rows.softness[r]) if size > 0.0 else 0.0
            data[at + LANES * (JACOBIAN + 5)] = size
        at += LANES * BOUNDED_ROW
        r += 1
    for _ in range(shape[1]):
        if rows.soft_effective_mass[r] != 0.0:
            k0 = half_product(rows.jacobian, r, r, offset)
            k1 = half_product(rows.jacobian, r + 1, r + 1, offset)
            size, i0, i1, i2 = pair_terms(k0, k1, half_product(rows.jacobian, r, r + 1, offset))
            data[at + LANES * PAIR_INVERSE] = i0
            data[at + LANES * (PAIR_INVERSE + 1)] = i1
            data[at + LANES * (PAIR_INVERSE + 2)] = i2
            data[at + LANES * PAIR_MASS] = 1.0 / size if size > 0.0 else 0.0
            data[at + LANES * PAIR_SIZE] = size
        at += LANES * PAIR
        r += 2


@inner
def fill_frictions(rows, wide, island):
    """Copy the coefficients of friction that are in force in an island, after they changed."""
    for i in range(wide.first[island], wide.first[island + 1]):
        group, lane = wide.places[i] // LANES, wide.places[i] % LANES
        bounded, pairs = wide.shapes[group, 0], wide.shapes[group, 1]
        at = wide.begin[group] + lane + LANES * (bounded * BOUNDED_ROW + PAIR_FRICTION)
        r = rows.start[wide.acting[i]] + bounded
        for _ in range(pairs):
            wide.data[at] = rows.active_friction[r]
            at += LANES * PAIR
            r += 2


@inner
def let_rest(wide, island):
    """Let the rows of an island do nothing in further sweeps."""
    for i in range(wide.first[island], wide.first[island + 1]):
        group, lane = wide.places[i] // LANES, wide.places[i] % LANES
        at = wide.begin[group] + lane
        for _ in range(wide.shapes[group, 0]):
            wide.data[at + LANES * (JACOBIAN + 1)] = 0.0
            at += LANES * BOUNDED_ROW
        for _ in range(wide.shapes[group, 1]):
            wide.data[at + LANES * PAIR_MASS] = 0.0
            at += LANES * PAIR


@inner
def drop_groups(wide, order, working):
    """Take groups without an island that is `working` out of the list `order`; return how many are left."""
    kept = 0
    for group in order:
        works = False
        for lane in range(LANES * group, LANES * group + LANES):
            works = works or working[wide.who[HOME, lane]]
        if works:
            order[kept] = group
            kept += 1
    return kept


@inner
def return_impulses(rows, wide, island):
    """Copy the impulses of an island back to its rows."""
    data = wide.data
    for i in range(wide.first[island], wide.first[island + 1]):
        group, lane = wide.places[i] // LANES, wide.places[i] % LANES
        at = wide.begin[group] + lane + LANES * (BOUNDED_ROW - 1)
        r = rows.start[wide.acting[i]]
        for _ in range(wide.shapes[group, 0]):
            rows.impulse[r] = data[at]
            at += LANES * BOUNDED_ROW
            r += 1
        at += LANES * (PAIR_IMPULSE - BOUNDED_ROW + 1)
        for _ in range(wide.shapes[group, 1]):
            rows.impulse[r], rows.impulse[r + 1] = data[at], data[at + LANES]
            at += LANES * PAIR
            r += 2


@inner
def fill_records(rows, acting, number, level, below, z, records):
    """Copy z (bodies, 6) of the bodies of the blocks into their records."""
    nothing = splat(0.0)
    for k in range(4):
        store(records, LANES * k, nothing)
    for block in acting:
        for half in range(2):
            i = rows.bodies[block, half]
            if i < 0:
                continue
            at = RECORD * number[i]
            for k in range(6):
                records[at + k] = z[i, k]
            records[at + MOVES] = 1.0 if moves(i, level, below) else 0.0
            records[at + MOVES + 1] = 0.0


@inner
def return_velocities(rows, acting, number, records, z):
    """Copy the records back to z (bodies, 6)."""
    for block in acting:
        for half in range(2):
            i = rows.bodies[block, half]
            if i >= 0:
                for k in range(6):
                    z[i, k] = records[RECORD * number[i] + k]

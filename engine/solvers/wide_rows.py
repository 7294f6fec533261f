"""Blocks of rows side by side, `WIDE` at a time, in an order that Gauss-Seidel cannot tell from theirs.

A *group* is up to `WIDE` blocks of the same shape that share no body which moves, four or eight as the
processor has it: a sweep solves them at once, each in a lane of its own (see `kernels.lanes`). A block stands
in the first group with room for it behind all
groups with an earlier block of one of its bodies. So what depends on each other is solved in the order of the
blocks, forwards as backwards, and sweeps come to the same numbers, to the last bit, as block by block.

The velocities z stand in *records*, one for each body of the blocks: the six numbers, and whether impulses
move the body. Two records are nobody's: lanes read NOTHING in place of a body that does not react, and write
to BIN what is not to be written.
"""

from typing import NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.lane_places import RECORD, load_each, load_places, load_turned
from stoss.collision.kernels.lanes import LANES, WIDE, load_wide, select_greater, splat_wide, store
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
    "half_product",
    "let_rest",
    "moves",
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
    """Blocks of islands in groups, and their bodies."""

    acting: np.ndarray  # (blocks,) those that can act, island by island
    first: np.ndarray  # (islands + 1,) where those of each island begin
    places: np.ndarray  # (blocks,) WIDE times the group of each, plus its lane
    filled: np.ndarray  # (groups,) how many blocks each group has
    shapes: np.ndarray  # (groups, 2) how many bounded rows and pairs each of its blocks has
    begin: np.ndarray  # (groups + 1,) where the numbers of each group begin
    who: np.ndarray  # (6, WIDE * groups) READ, WRITE, HOME, ALONE
    members: np.ndarray  # (records,) body of each record
    first_member: np.ndarray  # (islands + 1,) where the records of each island begin
    records: np.ndarray  # (records * RECORD,)


# Of each lane: records that it reads, for the first and the second body, and that it writes; its island; and
# the island of its group, -1 if its lanes are of several. The first row stands where ALONE is written later.
READ, WRITE, HOME, ALONE = 0, 2, 4, 5


@inner
def acting_blocks(rows, blocks, start, acting, shapes, first, number):
    """Write the blocks that can act into `acting`, their numbers of bounded rows and pairs into `shapes`.

    A contact whose normal impulse is fixed at zero has no friction either. `start` and `first` (islands + 1,)
    say where the islands begin in both lists; `number` (bodies,) is -1 afterwards for bodies of what can act.
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
                for half in range(2):
                    if rows.bodies[block, half] >= 0:
                        number[rows.bodies[block, half]] = -1
        first[island + 1] = count


@inner
def place_blocks(rows, wide, shapes, shared, number, last, z, level, below):
    """Find the place of each block, and enter its bodies; return how many groups there are.

    Args:
        rows: the rows.
        wide: `acting` and `first` are known, the rest is written.
        shapes: (blocks, 2) of the blocks.
        shared: rows of more than two bodies, see `shared_rows`, whose bodies are entered too.
        number: (bodies,) -1, receives the records of the bodies.
        last: (records,) memory for the last group of each body.
        z: (bodies, 6) see `sweep`.
        level, below: see `sweep`.
    """
    acting, first, places, filled, group_shapes, begin, who, _, first_member, _ = wide
    groups = full = begin[0] = 0
    end = BIN + 1
    for island in range(len(first) - 1):
        first_member[island] = end
        for at in range(first[island], first[island + 1]):
            block = acting[at]
            end = _enter(rows.bodies[block, 0], wide, end, number, last, z, level, below)
            end = _enter(rows.bodies[block, 1], wide, end, number, last, z, level, below)
            a, b = rows.bodies[block, 0], rows.bodies[block, 1]
            p, q = number[a] if a >= 0 else NOTHING, number[b] if b >= 0 else NOTHING
            moves_a, moves_b = moves(a, level, below), moves(b, level, below)
            bounded, pairs = shapes[at, 0], shapes[at, 1]
            while full < groups and filled[full] == WIDE:
                full += 1
            group = max(groups - WINDOW, full)
            if moves_a:
                group = max(group, last[p] + 1)
            if moves_b:
                group = max(group, last[q] + 1)
            while group < groups and (
                filled[group] == WIDE or group_shapes[group, 0] != bounded or group_shapes[group, 1] != pairs
            ):
                group += 1
            if group == groups:
                groups += 1
                filled[group], group_shapes[group, 0], group_shapes[group, 1] = 0, bounded, pairs
                begin[groups] = begin[group] + WIDE * (bounded * BOUNDED_ROW + pairs * PAIR)
            place = WIDE * group + filled[group]
            filled[group] += 1
            places[at] = place
            who[READ, place], who[READ + 1, place] = p, q
            who[WRITE, place] = p if moves_a else BIN
            who[WRITE + 1, place] = q if moves_b else BIN
            who[HOME, place], who[ALONE, place] = island, rows.start[block]
            if moves_a:
                last[p] = group
            if moves_b:
                last[q] = group
        for i in range(shared.first[island], shared.first[island + 1]):
            for k in range(4):
                end = _enter(shared.body[i, k], wide, end, number, last, z, level, below)
    first_member[len(first) - 1] = end
    return groups


@inner
def _enter(i, wide, end, number, last, z, level, below):
    """Give body i a record if it has none yet, the next one being `end`; return which is next."""
    if i < 0 or number[i] >= 0:
        return end
    number[i], wide.members[end], last[end] = end, i, -1
    at = RECORD * end
    for k in range(6):
        wide.records[at + k] = z[i, k]
    wide.records[at + MOVES] = 1.0 if moves(i, level, below) else 0.0
    wide.records[at + MOVES + 1] = 0.0
    return end + 1


@inner
def fill_groups(rows, wide, groups, level, below, data):
    """Copy the rows of all blocks into their lanes: `data` receives the numbers of all groups."""
    shapes, begin, who, filled = wide.shapes, wide.begin, wide.who, wide.filled
    row = who[ALONE]
    nothing = splat_wide(0.0)
    for k in range(0, 2 * RECORD, WIDE):
        store(wide.records, k, nothing)
    for group in range(groups):
        place = WIDE * group
        for lane in range(place + filled[group], place + WIDE):
            # what is left over repeats the first lane, without effect
            who[READ, lane] = who[READ + 1, lane] = NOTHING
            who[WRITE, lane] = who[WRITE + 1, lane] = BIN
            row[lane], who[HOME, lane] = row[place], who[HOME, place]
        at = begin[group]
        for k in range(shapes[group, 0]):
            _fill_bounded(rows, load_places(row, place, k), filled[group], at, data)
            at += WIDE * BOUNDED_ROW
        for k in range(shapes[group, 1]):
            _fill_pair(rows, load_places(row, place, shapes[group, 0] + 2 * k), filled[group], at, data)
            at += WIDE * PAIR
        alone = who[HOME, place]
        for lane in range(place + 1, place + WIDE):
            if who[HOME, lane] != alone:
                alone = -1
        for lane in range(place, place + WIDE):
            who[ALONE, lane] = alone
    if below >= 0:
        for i in range(wide.first[-1]):
            group, lane = wide.places[i] // WIDE, wide.places[i] % WIDE
            _fill_part(rows, wide.acting[i], shapes[group], begin[group] + lane, level, below, data)


@inner
def _fill_jacobian(jacobian, places, offset, at, data):
    """Copy the jacobians of rows, as many as there are lanes; `offset` is added to their places."""
    for k in range(0, JACOBIAN, LANES):
        part = load_turned(jacobian, places, JACOBIAN, JACOBIAN * offset + k)
        for i in range(LANES):
            store(data, at + WIDE * (k + i), part[i])


@inner(always=True)
def _soft_effective_masses(rows, places):
    """Return what `rows.soft_effective_mass` does, for as many rows as there are lanes."""
    k, nothing = load_each(rows.inverse_effective_mass, places, 1, 0), splat_wide(0.0)
    return select_greater(k, nothing, splat_wide(1.0) / (k + load_each(rows.softness, places, 1, 0)), nothing)


@inner
def _fill_bounded(rows, places, filled, at, data):
    """Copy bounded rows, one for each lane, of which the first `filled` are to have an effect."""
    _fill_jacobian(rows.jacobian, places, 0, at, data)
    at += WIDE * JACOBIAN
    store(data, at, load_each(rows.bias, places, 1, 0))
    store(data, at + WIDE, _soft_effective_masses(rows, places))
    for lane in range(filled, WIDE):
        data[at + WIDE + lane] = 0.0
    store(data, at + 2 * WIDE, load_each(rows.softness, places, 1, 0))
    store(data, at + 3 * WIDE, load_each(rows.lower, places, 1, 0))
    store(data, at + 4 * WIDE, load_each(rows.upper, places, 1, 0))
    store(data, at + 5 * WIDE, load_each(rows.inverse_effective_mass, places, 1, 0))
    store(data, at + 6 * WIDE, load_each(rows.impulse, places, 1, 0))


@inner
def _fill_pair(rows, places, filled, at, data):
    """Copy the friction pairs that begin at these places, as `_fill_bounded` does."""
    _fill_jacobian(rows.jacobian, places, 0, at, data)
    _fill_jacobian(rows.jacobian, places, 1, at + WIDE * JACOBIAN, data)
    mass = _soft_effective_masses(rows, places)
    _fill_pair_inverse(data, at, mass)
    at += 2 * WIDE * JACOBIAN
    store(data, at, load_each(rows.bias, places, 1, 0))
    store(data, at + WIDE, load_each(rows.bias, places, 1, 1))
    store(data, at + 5 * WIDE, mass)
    for lane in range(filled, WIDE):
        data[at + 5 * WIDE + lane] = 0.0
    store(data, at + 6 * WIDE, load_each(rows.active_friction, places, 1, 0))
    store(data, at + 7 * WIDE, load_each(rows.inverse_effective_mass, places, 1, 0))
    store(data, at + 8 * WIDE, load_each(rows.impulse, places, 1, 0))
    store(data, at + 9 * WIDE, load_each(rows.impulse, places, 1, 1))


@inner(always=True)
def _products(data, at, to):
    """Return the products of the jacobians at two places, summed in the order of `rows.row_product`."""
    return (_three_products(data, at, to, 0) + _three_products(data, at, to, 2)) + (
        _three_products(data, at, to, 1) + _three_products(data, at, to, 3)
    )


@inner(always=True)
def _three_products(data, at, to, k):
    """Return the sum of the products of every fourth number from the k-th on."""
    p = load_wide(data, at + WIDE * k) * load_wide(data, to + WIDE * k)
    q = load_wide(data, at + WIDE * (k + 4)) * load_wide(data, to + WIDE * (k + 4))
    return (p + q) + load_wide(data, at + WIDE * (k + 8)) * load_wide(data, to + WIDE * (k + 8))


@inner(always=True)
def _fill_pair_inverse(data, at, mass):
    """Write the inverses of pairs, as `rows.pair_terms` returns them, from their jacobians."""
    to, end = at + WIDE * JACOBIAN, at + WIDE * PAIR_INVERSE
    k0, k1, c = _products(data, at, at), _products(data, to, to), _products(data, at, to)
    determinant, least = k0 * k1 - c * c, splat_wide(1e-12) * k0 * k1
    inverse = splat_wide(1.0) / determinant
    store(data, end, select_greater(determinant, least, k1 * inverse, mass))
    store(
        data, end + WIDE, select_greater(determinant, least, splat_wide(-1.0) * c * inverse, splat_wide(0.0))
    )
    store(data, end + 2 * WIDE, select_greater(determinant, least, k0 * inverse, mass))


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
        if rows.inverse_effective_mass[r] != 0.0:
            size = half_product(rows.jacobian, r, r, offset)
            data[at + WIDE * (JACOBIAN + 1)] = 1.0 / (size + rows.softness[r]) if size > 0.0 else 0.0
            data[at + WIDE * (JACOBIAN + 5)] = size
        at += WIDE * BOUNDED_ROW
        r += 1
    for _ in range(shape[1]):
        if rows.inverse_effective_mass[r] != 0.0:
            k0 = half_product(rows.jacobian, r, r, offset)
            k1 = half_product(rows.jacobian, r + 1, r + 1, offset)
            size, i0, i1, i2 = pair_terms(k0, k1, half_product(rows.jacobian, r, r + 1, offset))
            data[at + WIDE * PAIR_INVERSE] = i0
            data[at + WIDE * (PAIR_INVERSE + 1)] = i1
            data[at + WIDE * (PAIR_INVERSE + 2)] = i2
            data[at + WIDE * PAIR_MASS] = 1.0 / size if size > 0.0 else 0.0
            data[at + WIDE * PAIR_SIZE] = size
        at += WIDE * PAIR
        r += 2


@inner
def fill_frictions(rows, wide, island, data):
    """Copy the coefficients of friction that are in force in an island, after they changed."""
    for i in range(wide.first[island], wide.first[island + 1]):
        group, lane = wide.places[i] // WIDE, wide.places[i] % WIDE
        bounded, pairs = wide.shapes[group, 0], wide.shapes[group, 1]
        at = wide.begin[group] + lane + WIDE * (bounded * BOUNDED_ROW + PAIR_FRICTION)
        r = rows.start[wide.acting[i]] + bounded
        for _ in range(pairs):
            data[at] = rows.active_friction[r]
            at += WIDE * PAIR
            r += 2


@inner
def let_rest(wide, island, data):
    """Let the rows of an island do nothing in further sweeps."""
    for i in range(wide.first[island], wide.first[island + 1]):
        group, lane = wide.places[i] // WIDE, wide.places[i] % WIDE
        at = wide.begin[group] + lane
        for _ in range(wide.shapes[group, 0]):
            data[at + WIDE * (JACOBIAN + 1)] = 0.0
            at += WIDE * BOUNDED_ROW
        for _ in range(wide.shapes[group, 1]):
            data[at + WIDE * PAIR_MASS] = 0.0
            at += WIDE * PAIR


@inner
def drop_groups(wide, order, working):
    """Take groups without an island that is `working` out of the list `order`; return how many are left."""
    kept = 0
    for group in order:
        works = False
        for lane in range(WIDE * group, WIDE * group + WIDE):
            works = works or working[wide.who[HOME, lane]]
        if works:
            order[kept] = group
            kept += 1
    return kept


@inner
def return_impulses(rows, wide, island, data):
    """Copy the impulses of an island back to its rows."""
    for i in range(wide.first[island], wide.first[island + 1]):
        group, lane = wide.places[i] // WIDE, wide.places[i] % WIDE
        at = wide.begin[group] + lane + WIDE * (BOUNDED_ROW - 1)
        r = rows.start[wide.acting[i]]
        for _ in range(wide.shapes[group, 0]):
            rows.impulse[r] = data[at]
            at += WIDE * BOUNDED_ROW
            r += 1
        at += WIDE * (PAIR_IMPULSE - BOUNDED_ROW + 1)
        for _ in range(wide.shapes[group, 1]):
            rows.impulse[r], rows.impulse[r + 1] = data[at], data[at + WIDE]
            at += WIDE * PAIR
            r += 2


@inner
def return_velocities(wide, island, z):
    """Copy the records of an island back to z (bodies, 6)."""
    for at in range(wide.first_member[island], wide.first_member[island + 1]):
        i = wide.members[at]
        for k in range(6):
            z[i, k] = wide.records[RECORD * at + k]

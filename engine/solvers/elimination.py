"""Elimination order and fill of the matrix over bodies, by minimum degree.

They depend only on which bodies are coupled, and are kept while that set is unchanged; islands that go on
take theirs along. Islands whose factorisation would cost too much are not analysed to the end.
"""

from typing import Annotated

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.sorting import place_among, sort_numbers
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints
from stoss.engine.constraints.islands import Islands

__all__ = ["Analysed", "FactorStructure", "analyse", "factor_work", "match_islands", "take_analysed"]

BLOCK_WORK = 216.0  # multiplications of a product of two 6x6 blocks


class FactorStructure(Struct):
    """Elimination order and sparsity of the factor, for all islands one after the other."""

    column: Annotated[Ints, "bodies"]  # column of each body, -1 for bodies without rows
    body: Annotated[Ints, "columns"]  # body of each column
    start: Annotated[Ints, "columns+1"]  # first off-diagonal block of each column
    row: Annotated[Ints, "blocks"]  # row of each off-diagonal block, ascending within a column
    island_start: Annotated[Ints, "islands+1"]  # first column of each island
    work: Annotated[Floats, "islands"]  # multiplications of a factorisation; -1 over the limit: not analysed
    pair_position: Annotated[Ints, "pairs"]  # off-diagonal block of each coupled pair, -1 without reaction
    pair_flipped: Annotated[Ints, "pairs"]  # 1 where the first body of the pair owns the column


class Analysed(Struct):
    """Islands that a structure was found for, see `Islands`, in arrays with room for more."""

    bodies: Annotated[Ints, "members"]
    body_start: Annotated[Ints, "islands+1"]
    pairs: Annotated[Ints, "pairs", 2]
    pair_start: Annotated[Ints, "islands+1"]
    count: Annotated[Ints, "one"]  # how many there are


@inner
def factor_work(degree):
    """Return the multiplications of one column with `degree` off-diagonal blocks."""
    return BLOCK_WORK * (0.3 + degree + 0.5 * degree * (degree + 1))


@inner
def _bit_count(x):
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner(allocates=True)
def _eliminate(adjacent, count, limit, order, column_start, column_nodes):
    """Eliminate nodes by minimum degree from a graph given as bit sets.

    Writes the order and, for each eliminated node, its remaining neighbours. Returns the number of
    neighbours written, and the multiplications of a factorisation, or (0, -1) once they exceed `limit`.
    """
    words = adjacent.shape[1]
    degree = np.zeros(count, np.int64)
    for i in range(count):
        for w in range(words):
            degree[i] += _bit_count(adjacent[i, w])
    alive = np.ones(count, np.bool_)
    written = 0
    work = 0.0
    column_start[0] = 0
    one = np.uint64(1)
    for step in range(count):
        best = -1
        for i in range(count):
            if alive[i] and (best < 0 or degree[i] < degree[best]):
                best = i
                if degree[i] <= 1:
                    break
        alive[best] = False
        order[step] = best
        d = degree[best]
        work += factor_work(d)
        if work > limit or written + d > len(column_nodes):
            return 0, -1.0
        begin = written
        for w in range(words):
            word = adjacent[best, w]
            while word != np.uint64(0):
                lowest = word & (~word + one)
                column_nodes[written] = 64 * w + _bit_count(lowest - one)
                written += 1
                word ^= lowest
        column_start[step + 1] = written
        own_word = best // 64
        own_bit = one << np.uint64(best % 64)
        for p in range(begin, written):
            i = column_nodes[p]
            total = 0
            for w in range(words):
                adjacent[i, w] |= adjacent[best, w]
            adjacent[i, i // 64] &= ~(one << np.uint64(i % 64))
            adjacent[i, own_word] &= ~own_bit
            for w in range(words):
                total += _bit_count(adjacent[i, w])
            degree[i] = total
    return written, work


@kernel(allocates=True)
def match_islands(body_count: int, now: Islands, old: Analysed, match: Ints) -> bool:
    """Find for each island the old one with the same bodies and coupled pairs, -1 where there is none.

    Returns whether all are what they were, in the same order. `match` has room for all islands; its numbers
    ascend, as the lowest bodies of islands do.
    """
    bodies, start, pairs, pair_start = now.bodies, now.body_start, now.pairs, now.pair_start
    old_bodies, old_start = old.bodies, old.body_start
    old_pairs, old_pair_start = old.pairs, old.pair_start
    islands = len(start) - 1
    home = np.full(body_count, -1, np.int64)
    for island in range(old.count[0]):
        for i in range(old_start[island], old_start[island + 1]):
            if old_bodies[i] < body_count:
                home[old_bodies[i]] = island
    for island in range(islands):
        match[island] = -1
        before = home[bodies[start[island]]]
        if before < 0:
            continue
        count = start[island + 1] - start[island]
        pair_count = pair_start[island + 1] - pair_start[island]
        if (
            old_start[before + 1] - old_start[before] != count
            or old_pair_start[before + 1] - old_pair_start[before] != pair_count
        ):
            continue
        equal = True
        for i in range(count):
            if bodies[start[island] + i] != old_bodies[old_start[before] + i]:
                equal = False
                break
        for p in range(pair_count):
            a, b = pair_start[island] + p, old_pair_start[before] + p
            if not equal or pairs[a, 0] != old_pairs[b, 0] or pairs[a, 1] != old_pairs[b, 1]:
                equal = False
                break
        if equal:
            match[island] = before
    same = islands == old.count[0]
    for island in range(islands):
        same = same and match[island] == island
    return same


@kernel
def take_analysed(now: Islands, structure: FactorStructure, old: Analysed, kept: FactorStructure) -> None:
    """Copy islands and the structure that was found for them to where there is room for them."""
    count = old.count[0] = len(now.body_start) - 1
    for i in range(count + 1):
        old.body_start[i], old.pair_start[i] = now.body_start[i], now.pair_start[i]
        kept.island_start[i] = structure.island_start[i]
    for i in range(count):
        kept.work[i] = structure.work[i]
    for i in range(len(now.bodies)):
        old.bodies[i], kept.body[i] = now.bodies[i], structure.body[i]
    for i in range(len(structure.start)):
        kept.start[i] = structure.start[i]
    for i in range(len(structure.row)):
        kept.row[i] = structure.row[i]
    for i in range(len(now.pairs)):
        old.pairs[i, 0], old.pairs[i, 1] = now.pairs[i, 0], now.pairs[i, 1]


@inner(allocates=True)
def _adjacency(pairs, p0, p1, local, count):
    """Return as bit sets which of the `count` bodies of an island are coupled; `local` numbers them."""
    adjacent = np.zeros((count, (count + 63) // 64), np.uint64)
    for p in range(p0, p1):
        if pairs[p, 0] >= 0 and pairs[p, 1] >= 0:
            i = local[pairs[p, 0]]
            j = local[pairs[p, 1]]
            adjacent[i, j // 64] |= np.uint64(1) << np.uint64(j % 64)
            adjacent[j, i // 64] |= np.uint64(1) << np.uint64(i % 64)
    return adjacent


@inner
def _place_pairs(pairs, column, start, row, position, flipped):
    """Write the off-diagonal block of each coupled pair, and whether its first body owns the column."""
    for p in range(len(pairs)):
        position[p] = -1
        flipped[p] = 0
        if pairs[p, 0] < 0 or pairs[p, 1] < 0:
            continue
        i = column[pairs[p, 0]]
        j = column[pairs[p, 1]]
        if i < 0:
            continue
        if i < j:
            flipped[p] = 1
        low = min(i, j)
        high = max(i, j)
        position[p] = place_among(row, start[low], start[low + 1], high)


@kernel(allocates=True)
def analyse(
    islands: Islands, limits: Floats, match: Ints, old: FactorStructure, structure: FactorStructure
) -> int:
    """Choose the elimination order and find the fill of all islands.

    Args:
        islands: the islands.
        limits: (islands,) multiplications above which an island is not analysed (work = -1).
        match, old: (islands,) islands of the `old` structure with the same bodies and pairs, or -1. What
            was analysed there is taken over, whatever its work is.
        structure: has the right lengths, but for `row`, which has room; is written.

    Returns:
        How many off-diagonal blocks there are; negative: the room that `row` should have.
    """
    bodies, pairs = islands.bodies, islands.pairs
    column, body, start, row, work = (
        structure.column,
        structure.body,
        structure.start,
        structure.row,
        structure.work,
    )
    filled = start[0] = structure.island_start[0] = 0
    for i in range(len(column)):
        column[i] = -1
    local = np.zeros(len(column), np.int64)
    for island in range(len(islands.body_start) - 1):
        first = islands.body_start[island]
        count = islands.body_start[island + 1] - first
        structure.island_start[island + 1] = first + count
        written = 0
        order = np.zeros(count, np.int64)
        column_start = np.zeros(count + 1, np.int64)
        column_nodes = np.zeros(0, np.int64)
        kept = match[island] if match[island] >= 0 and limits[island] > 0.0 else -1
        if kept >= 0 and old.work[kept] < 0.0:
            kept = -1
        if limits[island] <= 0.0:
            work[island] = -1.0
        elif kept >= 0:
            work[island] = old.work[kept]
            written = old.start[old.island_start[kept + 1]] - old.start[old.island_start[kept]]
        else:
            for i in range(count):
                local[bodies[first + i]] = i
            p0, p1 = islands.pair_start[island], islands.pair_start[island + 1]
            adjacent = _adjacency(pairs, p0, p1, local, count)
            # the work limit bounds the fill too: at least one product of blocks for each
            room = count * (count - 1) // 2
            if limits[island] / BLOCK_WORK < room:
                room = int(limits[island] / BLOCK_WORK) + count
            column_nodes = np.zeros(room, np.int64)
            written, work[island] = _eliminate(
                adjacent, count, limits[island], order, column_start, column_nodes
            )
        if work[island] < 0.0:
            for i in range(count):
                body[first + i] = bodies[first + i]
                start[first + i + 1] = filled
            continue
        if filled + written > len(row):
            return -2 * (filled + written)
        if kept >= 0:
            shift = first - old.island_start[kept]
            for i in range(first, first + count):
                body[i] = old.body[i - shift]
                column[body[i]] = i
                for p in range(old.start[i - shift], old.start[i - shift + 1]):
                    row[filled] = old.row[p] + shift
                    filled += 1
                start[i + 1] = filled
            continue
        for i in range(count):
            body[first + i] = bodies[first + order[i]]
            column[body[first + i]] = first + i
        for i in range(count):
            begin = filled
            for p in range(column_start[i], column_start[i + 1]):
                row[filled] = column[bodies[first + column_nodes[p]]]
                filled += 1
            sort_numbers(row, begin, filled)
            start[first + i + 1] = filled
    _place_pairs(pairs, column, start, row, structure.pair_position, structure.pair_flipped)
    return filled

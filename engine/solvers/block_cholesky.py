"""Sparse Cholesky factorisation of H = 1 + G^T G with one 6x6 block per body.

The blocks couple bodies, so the size of the system is the number of bodies, whatever the number of rows,
and a tree or a chain has no fill: linear time. The elimination order (minimum degree) depends only on
which bodies are coupled and is kept while that set is unchanged.

Off-diagonal blocks are stored transposed (column body first), so that the innermost loops of all kernels
run over contiguous memory.
"""

from typing import Annotated

import numpy as np
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints, Ints2

__all__ = ["Structure", "empty_structure", "analyse", "factor_work", "factorise", "match_islands", "solve"]


class Structure(Struct):
    """Elimination order and sparsity of the factor, for all islands one after the other."""

    column: Annotated[Ints, "bodies"]  # column of each body, -1 for bodies without rows
    body: Annotated[Ints, "columns"]  # body of each column
    start: Annotated[Ints, "columns+1"]  # first off-diagonal block of each column
    row: Annotated[Ints, "blocks"]  # row of each off-diagonal block, ascending within a column
    island_start: Annotated[Ints, "islands+1"]  # first column of each island
    work: Annotated[
        Floats, "islands"
    ]  # multiplications of a factorisation; -1 if over the limit: not analysed
    pair_position: Annotated[Ints, "pairs"]  # off-diagonal block of each coupled pair, -1 without reaction
    pair_flipped: Annotated[Ints, "pairs"]  # 1 where the first body of the pair owns the column


def empty_structure() -> Structure:
    """Return the structure of no bodies."""
    none = np.zeros(0, np.int64)
    first = np.zeros(1, np.int64)
    return Structure(none, none, first, none, first, np.zeros(0), none, none)


@inner
def factor_work(degree):
    """Return the multiplications of one column with `degree` off-diagonal blocks."""
    return 216.0 * (0.3 + degree + 0.5 * degree * (degree + 1))


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
def match_islands(
    body_count: int,
    bodies: Ints,
    start: Ints,
    pairs: Ints2,
    pair_start: Ints,
    old_bodies: Ints,
    old_start: Ints,
    old_pairs: Ints2,
    old_pair_start: Ints,
) -> Ints:
    """Return for each island the old one with the same bodies and coupled pairs, -1 where there is none."""
    home = np.full(body_count, -1, np.int64)
    for island in range(len(old_start) - 1):
        for i in range(old_start[island], old_start[island + 1]):
            if old_bodies[i] < body_count:
                home[old_bodies[i]] = island
    match = np.full(len(start) - 1, -1, np.int64)
    for island in range(len(match)):
        old = home[bodies[start[island]]]
        if old < 0:
            continue
        count = start[island + 1] - start[island]
        pair_count = pair_start[island + 1] - pair_start[island]
        if (
            old_start[old + 1] - old_start[old] != count
            or old_pair_start[old + 1] - old_pair_start[old] != pair_count
        ):
            continue
        equal = True
        for i in range(count):
            if bodies[start[island] + i] != old_bodies[old_start[old] + i]:
                equal = False
                break
        for p in range(pair_count):
            a, b = pair_start[island] + p, old_pair_start[old] + p
            if not equal or pairs[a, 0] != old_pairs[b, 0] or pairs[a, 1] != old_pairs[b, 1]:
                equal = False
                break
        if equal:
            match[island] = old
    return match


@kernel(allocates=True)
def analyse(
    body_count: int,
    island_bodies: Ints,
    island_start: Ints,
    pairs: Ints2,
    island_pairs: Ints,
    limits: Floats,
    match: Ints,
    old: Structure,
) -> tuple[Ints, Ints, Ints, Ints, Floats, Ints, Ints]:
    """Choose the elimination order and find the fill for each island.

    Args:
        body_count: number of bodies.
        island_bodies, island_start: reacting bodies of island i: island_bodies[island_start[i]:...].
        pairs: (p, 2) coupled bodies, -1 for one that does not react, grouped by island.
        island_pairs: (islands + 1,) first pair of each island.
        limits: (islands,) multiplications above which an island is not analysed (work = -1).
        match, old: (islands,) islands of the `old` structure with the same bodies and pairs, or -1. What
            was analysed there is taken over, whatever its work is.
    """
    islands = len(island_start) - 1
    columns = len(island_bodies)
    column = np.full(body_count, -1, np.int64)
    body = np.zeros(columns, np.int64)
    start = np.zeros(columns + 1, np.int64)
    row = np.zeros(4 * len(pairs) + 16, np.int64)
    work = np.zeros(islands)
    filled = 0
    local = np.zeros(body_count, np.int64)
    for island in range(islands):
        first = island_start[island]
        count = island_start[island + 1] - first
        p0 = island_pairs[island]
        p1 = island_pairs[island + 1]
        for i in range(count):
            local[island_bodies[first + i]] = i
        words = (count + 63) // 64
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
            adjacent = np.zeros((count, words), np.uint64)
            for p in range(p0, p1):
                if pairs[p, 0] >= 0 and pairs[p, 1] >= 0:
                    i = local[pairs[p, 0]]
                    j = local[pairs[p, 1]]
                    adjacent[i, j // 64] |= np.uint64(1) << np.uint64(j % 64)
                    adjacent[j, i // 64] |= np.uint64(1) << np.uint64(i % 64)
            # the work limit bounds the fill too: 216 multiplications per block at least
            room = count * (count - 1) // 2
            if limits[island] / 216.0 < room:
                room = int(limits[island] / 216.0) + count
            column_nodes = np.zeros(room, np.int64)
            written, work[island] = _eliminate(
                adjacent, count, limits[island], order, column_start, column_nodes
            )
        if work[island] < 0.0:
            for i in range(count):
                body[first + i] = island_bodies[first + i]
                start[first + i + 1] = filled
            continue
        if filled + written > len(row):
            grown = np.zeros(2 * (filled + written), np.int64)
            grown[:filled] = row[:filled]
            row = grown
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
            body[first + i] = island_bodies[first + order[i]]
            column[body[first + i]] = first + i
        for i in range(count):
            begin = filled
            for p in range(column_start[i], column_start[i + 1]):
                row[filled] = column[island_bodies[first + column_nodes[p]]]
                filled += 1
            row[begin:filled].sort()
            start[first + i + 1] = filled
    pair_position = np.full(len(pairs), -1, np.int64)
    pair_flipped = np.zeros(len(pairs), np.int64)
    for p in range(len(pairs)):
        if pairs[p, 0] < 0 or pairs[p, 1] < 0:
            continue
        i = column[pairs[p, 0]]
        j = column[pairs[p, 1]]
        if i < 0:
            continue
        if i < j:
            pair_flipped[p] = 1
        low = min(i, j)
        high = max(i, j)
        pair_position[p] = start[low] + np.searchsorted(row[start[low] : start[low + 1]], high)
    return column, body, start, row[:filled].copy(), work, pair_position, pair_flipped


@inner
def factorise(start, row, first, last, diagonal, off_diagonal):
    """Factorise columns first to last - 1 in place: H = C C^T.

    Reads the lower triangles of `diagonal` (columns, 6, 6) and the transposed blocks `off_diagonal`
    (blocks, 6, 6); leaves C there, with the reciprocals of its diagonal on the diagonal.
    """
    for j in range(first, last):
        c = diagonal[j]
        for i in range(6):
            s = c[i, i]
            for k in range(i):
                s -= c[i, k] * c[i, k]
            inverse = 1.0 / np.sqrt(s)
            c[i, i] = inverse
            for r in range(i + 1, 6):
                s = c[r, i]
                for k in range(i):
                    s -= c[r, k] * c[i, k]
                c[r, i] = s * inverse
        for p in range(start[j], start[j + 1]):
            block = off_diagonal[p]
            for k in range(6):
                for i in range(k):
                    f = c[k, i]
                    for r in range(6):
                        block[k, r] -= f * block[i, r]
                f = c[k, k]
                for r in range(6):
                    block[k, r] *= f
        for p in range(start[j], start[j + 1]):
            source = off_diagonal[p]
            i = row[p]
            target = diagonal[i]
            for k in range(6):
                for r in range(6):
                    f = source[k, r]
                    for s in range(r + 1):
                        target[r, s] -= f * source[k, s]
            # blocks below: row[q] > i lies in column i too, found by walking both sorted lists
            at = start[i]
            for q in range(p + 1, start[j + 1]):
                while row[at] < row[q]:
                    at += 1
                other = off_diagonal[q]
                fill = off_diagonal[at]
                for k in range(6):
                    for r in range(6):
                        f = source[k, r]
                        for s in range(6):
                            fill[r, s] -= f * other[k, s]


@inner
def solve(start, row, first, last, diagonal, off_diagonal, x):
    """Solve C C^T x = x in place for columns first to last - 1; x is (columns, 6)."""
    for j in range(first, last):
        c = diagonal[j]
        for i in range(6):
            s = x[j, i]
            for k in range(i):
                s -= c[i, k] * x[j, k]
            x[j, i] = s * c[i, i]
        for p in range(start[j], start[j + 1]):
            i = row[p]
            for k in range(6):
                f = x[j, k]
                for r in range(6):
                    x[i, r] -= off_diagonal[p, k, r] * f
    for j in range(last - 1, first - 1, -1):
        for p in range(start[j], start[j + 1]):
            i = row[p]
            for k in range(6):
                s = 0.0
                for r in range(6):
                    s += off_diagonal[p, k, r] * x[i, r]
                x[j, k] -= s
        c = diagonal[j]
        for i in range(5, -1, -1):
            s = x[j, i]
            for k in range(i + 1, 6):
                s -= c[k, i] * x[j, k]
            x[j, i] = s * c[i, i]

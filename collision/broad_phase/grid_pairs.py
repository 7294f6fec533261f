"""Pairs of overlapping bounds by a hierarchical grid.

Level l has cells of edge base * 2^l, a shape lies in one cell of the lowest level whose cells are as large as
its bounds. So two shapes of one level can only meet in neighbouring cells, and a small shape looks at a few
cells of each occupied higher level: a floor a thousand times larger than the rest costs one look per shape.
Cells are kept in a hash table by counting sort; those of one column (x, y) lie next to each other, so that
three neighbours are one range of entries.

Tried and lost: sweep along one axis with insertion sort (a pile of 10 000 has 500 overlapping
intervals per shape).
"""

from math import floor, frexp, ldexp

import numpy as np
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats2, Ints, Ints2
from stoss.collision.shapes.shapes import HALFSPACE

__all__ = ["grid_pairs"]

# Levels run from base / 2^16, where all smaller shapes are filed too, to 2^47 base.
_LEVEL_ZERO = 16


@inner
def _base_edge(count, kind, lower, upper, extent):
    """Write the largest edge of all bounds, -1 for half-spaces; return that of the largest ordinary shape.

    Ordinary is what is at most about twice the geometric mean, so that a huge floor or a grain of dust
    does not set the cell size of all others.
    """
    finite, exponents = 0, 0
    for s in range(count):
        extent[s] = -1.0
        if kind[s] != HALFSPACE:
            edge = max(upper[s, 0] - lower[s, 0], upper[s, 1] - lower[s, 1], upper[s, 2] - lower[s, 2])
            extent[s] = max(edge, 1e-300)
            finite += 1
            exponents += frexp(extent[s])[1]
    ordinary = ldexp(1.0, int(round(exponents / finite)) + 1)
    base = 0.0
    for s in range(count):
        if base < extent[s] <= ordinary:
            base = extent[s]
    return base if base > 0.0 else ordinary


@inner
def _column_key(level, x, y):
    """Pack level and column of a cell into one number; columns 2^28 apart share it, bounds differ."""
    low = (1 << 28) - 1
    return (level << 56) | ((x & low) << 28) | (y & low)


@inner
def _column_bucket(key, shift):
    # Fibonacci hashing: the high bits of key * 2^64 / golden ratio
    return np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift))


@kernel(allocates=True)
def grid_pairs(
    count: int,
    finite: int,
    kind: Ints,
    body: Ints,
    lower: Floats2,
    upper: Floats2,
    movable: Bools,
    n: int,
    found: Ints2,
) -> int:
    """Append the pairs of overlapping finite bounds, at least one movable, unsorted."""
    room = len(found)
    extent = np.empty(count)
    base = _base_edge(count, kind, lower, upper, extent)
    bits = 4
    while (1 << bits) < 2 * finite:
        bits += 1
    shift = 64 - bits
    last = (1 << bits) - 1
    # start[b + 1] counts bucket b, then becomes its first entry, so that start[b + 2] is its end
    start = np.zeros((1 << bits) + 2, np.int64)
    cell = np.empty((count, 4), np.int64)  # level (offset _LEVEL_ZERO) and coordinates
    bucket = np.empty(count, np.int64)
    occupied = np.zeros(64, np.bool_)
    for s in range(count):
        if extent[s] < 0.0:
            continue
        # extent / base = mantissa 2^exponent with 1/2 <= mantissa < 1
        mantissa, exponent = frexp(extent[s] / base)
        level = min(max((exponent - 1 if mantissa == 0.5 else exponent) + _LEVEL_ZERO, 0), 63)
        occupied[level] = True
        inverse = 0.5 / ldexp(base, level - _LEVEL_ZERO)
        cell[s, 0] = level
        for x in range(3):
            cell[s, 1 + x] = floor((lower[s, x] + upper[s, x]) * inverse)
        key = _column_key(level, cell[s, 1], cell[s, 2])
        bucket[s] = (_column_bucket(key, shift) + cell[s, 3]) & last
        start[bucket[s] + 1] += 1
    for b in range((1 << bits) + 1):
        start[b + 1] += start[b]
    # file the shapes by bucket, last first; their bounds lie next to each other then
    shape = np.empty(finite, np.int64)
    keys = np.empty(finite, np.int64)
    box = np.empty((finite, 6))
    moves = np.empty(finite, np.bool_)
    for s in range(count - 1, -1, -1):
        if extent[s] < 0.0:
            continue
        start[bucket[s] + 1] -= 1
        at = start[bucket[s] + 1]
        shape[at] = s
        keys[at] = _column_key(cell[s, 0], cell[s, 1], cell[s, 2])
        moves[at] = movable[body[s]]
        for x in range(3):
            box[at, x] = lower[s, x]
            box[at, 3 + x] = upper[s, x]
    highest = 0
    for level in range(64):
        if occupied[level]:
            highest = level
    for at in range(finite):
        s = shape[at]
        x0, y0, z0, x1, y1, z1 = box[at, 0], box[at, 1], box[at, 2], box[at, 3], box[at, 4], box[at, 5]
        for level in range(cell[s, 0], highest + 1):
            if not occupied[level]:
                continue
            own = level == cell[s, 0]
            if own:
                low_x, high_x = cell[s, 1], cell[s, 1] + 1
                low_y, high_y = cell[s, 2] - 1, cell[s, 2] + 1
                low_z, high_z = cell[s, 3] - 1, cell[s, 3] + 1
            else:
                # centres of that level whose bounds reach these: at most half a cell beyond them
                inverse = 1.0 / ldexp(base, level - _LEVEL_ZERO)
                low_x, high_x = floor(x0 * inverse - 0.5), floor(x1 * inverse + 0.5)
                low_y, high_y = floor(y0 * inverse - 0.5), floor(y1 * inverse + 0.5)
                low_z, high_z = floor(z0 * inverse - 0.5), floor(z1 * inverse + 0.5)
            for x in range(low_x, high_x + 1):
                for y in range(low_y, high_y + 1):
                    bottom = low_z
                    same = own and x == cell[s, 1] and y == cell[s, 2]
                    if own and x == cell[s, 1]:
                        # of the neighbours on one level only those that follow: each pair once
                        if y < cell[s, 2]:
                            continue
                        if same:
                            bottom = cell[s, 3]
                    key = _column_key(level, x, y)
                    b = _column_bucket(key, shift)
                    first, end = (b + bottom) & last, (b + high_z) & last
                    # the cells of a column follow each other, round the end of the table if need be
                    wraps = first > end
                    for part in range(2 if wraps else 1):
                        if part == 1:
                            begin, stop = start[1], start[end + 2]
                        else:
                            begin = at + 1 if same else start[first + 1]
                            stop = finite if wraps else start[end + 2]
                        for other in range(begin, stop):
                            # the bitwise form has no branches to mispredict
                            if (
                                (keys[other] == key)
                                & (x0 <= box[other, 3])
                                & (box[other, 0] <= x1)
                                & (y0 <= box[other, 4])
                                & (box[other, 1] <= y1)
                                & (z0 <= box[other, 5])
                                & (box[other, 2] <= z1)
                                & (moves[at] | moves[other])
                            ):
                                if n < room:
                                    found[n, 0] = min(s, shape[other])
                                    found[n, 1] = max(s, shape[other])
                                n += 1
    return n

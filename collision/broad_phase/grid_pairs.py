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
from typing import Annotated

import numpy as np

from stoss.collision.broad_phase.pair_cache import GrownBounds
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints, Ints2
from stoss.collision.shapes.kinds import HALFSPACE
from stoss.collision.shapes.shape_table import ShapeArrays

__all__ = ["GridScratch", "grid_pairs", "grid_size"]

# Levels run from base / 2^16, where all smaller shapes are filed too, to 2^47 base.
_LEVEL_ZERO = 16


class GridScratch(Struct):
    """The hash table, and shapes in its order.

    Attributes:
        extent: largest edge of the bounds of each shape [m], -1 for half-spaces.
        cell: level (offset _LEVEL_ZERO) and coordinates of the cell of each shape.
        bucket: of each shape.
        start: first entry of each bucket, one place further back, so that start[b + 2] is its end.
        shape, key, moves, box: of each entry its row, column, whether it is movable, and bounds [m].
    """

    extent: Annotated[Floats, "shapes"]
    cell: Annotated[Ints, "shapes", 4]
    bucket: Annotated[Ints, "shapes"]
    start: Annotated[Ints, "buckets+2"]
    shape: Annotated[Ints, "shapes"]
    key: Annotated[Ints, "shapes"]
    moves: Annotated[Bools, "shapes"]
    box: Annotated[Floats, "shapes", 6]


def grid_size(count: int) -> dict[str, int]:
    """Return the lengths of a `GridScratch` for so many shapes."""
    return {"shapes": count, "buckets": 1 << max(4, (2 * count - 1).bit_length())}


@inner
def _base_edge(shapes, grown, extent):
    """Write the largest edge of all bounds, -1 for half-spaces; return that of the largest ordinary shape.

    Ordinary is what is at most about twice the geometric mean, so that a huge floor or a grain of dust
    does not set the cell size of all others.
    """
    lower, upper, count = grown.lower, grown.upper, len(grown.moves)
    finite, exponents = 0, 0
    for s in range(count):
        extent[s] = -1.0
        if shapes.kind[s] != HALFSPACE:
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


@inner
def _file_shapes(count, finite, base, shift, last, grown, grid):
    """File shapes by the bucket of their cells, last first; return which levels are occupied, as bits."""
    lower, upper, cell, bucket, start = grown.lower, grown.upper, grid.cell, grid.bucket, grid.start
    for b in range(last + 3):
        start[b] = 0
    occupied = 0
    for s in range(count):
        if grid.extent[s] < 0.0:
            continue
        # extent / base = mantissa 2^exponent with 1/2 <= mantissa < 1
        mantissa, exponent = frexp(grid.extent[s] / base)
        level = min(max((exponent - 1 if mantissa == 0.5 else exponent) + _LEVEL_ZERO, 0), 63)
        occupied |= 1 << level
        inverse = 0.5 / ldexp(base, level - _LEVEL_ZERO)
        cell[s, 0] = level
        for x in range(3):
            cell[s, 1 + x] = floor((lower[s, x] + upper[s, x]) * inverse)
        key = _column_key(level, cell[s, 1], cell[s, 2])
        bucket[s] = (_column_bucket(key, shift) + cell[s, 3]) & last
        start[bucket[s] + 1] += 1
    for b in range(last + 2):
        start[b + 1] += start[b]
    # bounds of neighbours lie next to each other then
    box = grid.box
    for s in range(count - 1, -1, -1):
        if grid.extent[s] < 0.0:
            continue
        start[bucket[s] + 1] -= 1
        at = start[bucket[s] + 1]
        grid.shape[at] = s
        grid.key[at] = _column_key(cell[s, 0], cell[s, 1], cell[s, 2])
        grid.moves[at] = grown.moves[s]
        for x in range(3):
            box[at, x] = lower[s, x]
            box[at, 3 + x] = upper[s, x]
    return occupied


@inner
def _search_column(at, key, begin, stop, grid, n, found):
    """Append the pairs of entry `at` with the entries of one column from `begin` to `stop`."""
    keys, box, moves, shape = grid.key, grid.box, grid.moves, grid.shape
    s, room = shape[at], len(found)
    x0, y0, z0, x1, y1, z1 = box[at, 0], box[at, 1], box[at, 2], box[at, 3], box[at, 4], box[at, 5]
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


@inner
def _search_level(at, level, base, finite, shift, last, grid, n, found):
    """Append the pairs of entry `at` with the shapes of one level, its own or a higher one."""
    cell, box, start, s = grid.cell, grid.box, grid.start, grid.shape[at]
    own = level == cell[s, 0]
    if own:
        low_x, high_x = cell[s, 1], cell[s, 1] + 1
        low_y, high_y = cell[s, 2] - 1, cell[s, 2] + 1
        low_z, high_z = cell[s, 3] - 1, cell[s, 3] + 1
    else:
        # centres of that level whose bounds reach these: at most half a cell beyond them
        inverse = 1.0 / ldexp(base, level - _LEVEL_ZERO)
        low_x, high_x = floor(box[at, 0] * inverse - 0.5), floor(box[at, 3] * inverse + 0.5)
        low_y, high_y = floor(box[at, 1] * inverse - 0.5), floor(box[at, 4] * inverse + 0.5)
        low_z, high_z = floor(box[at, 2] * inverse - 0.5), floor(box[at, 5] * inverse + 0.5)
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
                n = _search_column(at, key, begin, stop, grid, n, found)
    return n


@kernel
def grid_pairs(shapes: ShapeArrays, grown: GrownBounds, grid: GridScratch, n: int, found: Ints2) -> int:
    """Append the pairs of overlapping finite bounds, at least one movable, unsorted.

    Inputs:
        grid: of `grid_size`.
        n: pairs that are there already.

    Returns:
        How many pairs there are, also if `found` has no room for all.
    """
    count, finite = len(grown.moves), 0
    base = _base_edge(shapes, grown, grid.extent)
    for s in range(count):
        if grid.extent[s] >= 0.0:
            finite += 1
    bits = 4
    while (1 << bits) < 2 * finite:
        bits += 1
    shift, last = 64 - bits, (1 << bits) - 1
    occupied = _file_shapes(count, finite, base, shift, last, grown, grid)
    for at in range(finite):
        for level in range(grid.cell[grid.shape[at], 0], 64):
            rest = np.uint64(occupied) >> np.uint64(level)
            if rest == 0:
                break
            if rest & np.uint64(1):
                n = _search_level(at, level, base, finite, shift, last, grid, n, found)
    return n

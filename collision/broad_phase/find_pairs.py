"""Broad phase: pairs of shapes whose bounds overlap, in a fixed order.

The bounds are grown a little and their pairs kept, so that a search serves several calls (`pair_cache`). A
search of everything goes through a grid (`grid_pairs`), or through all pairs of a handful of shapes;
half-spaces are tested against all shapes.
"""

from typing import Annotated

import numpy as np

from stoss.collision.broad_phase.grid_pairs import GridScratch, grid_pairs, grid_size
from stoss.collision.broad_phase.pair_cache import (
    MOST_LEAVERS,
    GrownBounds,
    PairLists,
    grow_bounds,
    leavers,
    merge_pairs,
    overlapping_pairs,
    pairs_of,
    reaches,
    write_planes,
)
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Bools, Ints, Ints2
from stoss.collision.shapes.kinds import HALFSPACE
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable

__all__ = ["BODY_BITS", "BroadPhase", "KnownPairs", "find_again", "is_excluded", "pair_keys"]

# Up to this many shapes all pairs are tested: about 1 ns each, the grid costs 100 ns a shape.
_FEW_SHAPES = 96
BODY_BITS = 32


def pair_keys(bodies: np.ndarray) -> np.ndarray:
    """Return the sorted keys of body pairs (n, 2), in either order, for `BroadPhase.find`."""
    low, high = np.minimum(bodies[:, 0], bodies[:, 1]), np.maximum(bodies[:, 0], bodies[:, 1])
    return np.unique((low.astype(np.int64) << BODY_BITS) | high)


# Places in `KnownPairs.counts`.
_CALLS, _KEPT, OVERLAPPING = range(3)


class KnownPairs(Struct):
    """What is kept between calls.

    Attributes:
        leavers: scratch, shapes that left their grown bounds.
        counts: numbers of calls, of pairs of grown bounds (-1: not known), of pairs that overlap now.
    """

    grown: GrownBounds
    lists: PairLists
    leavers: Annotated[Ints, "leavers"]
    counts: Annotated[Ints, "counts"]


class BroadPhase:
    """Find candidate pairs of a table of shapes; keeps pairs of grown bounds between calls.

    Attributes:
        arrays: what is kept, for kernels.
    """

    def __init__(self) -> None:
        self._lists = Table(PairLists, pairs=256)
        self._grown = Table(GrownBounds, sides=6)
        self._grid = Table(GridScratch)
        self._everyone = np.empty(0, np.int64)
        # what the kept pairs are for
        self._table: ShapeTable | None = None
        self._version = -1
        self._margin = -1.0
        self._excluded: np.ndarray | None = None
        self.arrays = KnownPairs(
            self._grown.arrays, self._lists.arrays, np.empty(MOST_LEAVERS, np.int64), np.zeros(3, np.int64)
        )

    def knows(self, table: ShapeTable, excluded: np.ndarray, margin: float) -> bool:
        """Return whether the kept pairs are for these shapes: then `find_again` may serve."""
        known = table is self._table and table.version == self._version
        return known and margin == self._margin and excluded is self._excluded

    def find(self, table: ShapeTable, movable: np.ndarray, excluded: np.ndarray, margin: float) -> np.ndarray:
        """Return the pairs (p, 2) of rows whose bounds overlap, i < j, sorted by (i, j).

        Pairs are left out when both shapes belong to one body, when neither body is movable, when the
        mask of one does not contain a group of the other, or when the body pair is excluded.

        Args:
            table: shapes with up-to-date bounds.
            movable: which bodies can move (n,), bool.
            excluded: sorted keys of body pairs, see `pair_keys`; another array whenever they change.
            margin: half-spaces reach this much beyond their surface [m].

        Returns:
            A view into a buffer that the next call overwrites.
        """
        known = self.knows(table, excluded, margin)
        if not (known and find_again(table.arrays, movable, excluded, margin, self.arrays)):
            self.search(table, movable, excluded, margin)
        return self.overlapping

    @property
    def overlapping(self) -> np.ndarray:
        """Return the pairs (p, 2) that were last found."""
        return self._lists.arrays.overlapping[: self.arrays.counts[OVERLAPPING]]

    def search(self, table: ShapeTable, movable: np.ndarray, excluded: np.ndarray, margin: float) -> None:
        """Find all pairs anew, for the arguments of `find`."""
        shapes, counts = table.arrays, self.arrays.counts
        counts[_CALLS] += 1
        if table is not self._table or table.version != self._version:
            self._resize(table.count)
        grown = self._grown.arrays
        grow_bounds(self._everyone, shapes, movable, counts[_CALLS], grown)
        write_planes(shapes, margin, grown)
        self._search_all(shapes, movable, excluded)
        self._table, self._version = table, table.version
        self._margin, self._excluded = margin, excluded
        lists = self._lists.arrays
        counts[OVERLAPPING] = overlapping_pairs(shapes, grown, counts[_KEPT], lists)

    def _resize(self, count: int) -> None:
        """Make room for another set of shapes, of which no motion is known yet."""
        self._everyone = np.arange(count)
        self._grown.resize(keep=False, shapes=count).grown_at[:] = -1
        self._lists.resize(shapes=count)
        self._grid.resize(keep=False, **grid_size(count))

    def _search_all(self, shapes: ShapeArrays, movable: np.ndarray, excluded: np.ndarray) -> None:
        """Find all pairs whose grown bounds overlap."""
        lists = self._lists.arrays
        while True:
            count = _find_pairs(shapes, movable, excluded, self._grown.arrays, self._grid.arrays, lists)
            if count <= len(lists.found):
                break
            self._lists.resize(keep=False, pairs=count + count // 2)
        self.arrays.counts[_KEPT] = count


@kernel
def find_again(shapes: ShapeArrays, movable: Bools, excluded: Ints, margin: float, known: KnownPairs) -> bool:
    """Find the pairs whose bounds overlap by those that are kept, and search again for the few that left.

    Args:
        shapes, movable, excluded, margin: as for `BroadPhase.find`.
        known: what is kept; the pairs are `lists.overlapping`.

    Returns:
        Whether it was possible: else all pairs are to be searched.
    """
    counts, grown, lists = known.counts, known.grown, known.lists
    counts[_CALLS] += 1
    if counts[_KEPT] < 0:
        return False
    leaving = leavers(shapes, movable, margin, grown, known.leavers)
    if leaving < 0:
        return False
    if leaving > 0:
        rows = known.leavers[:leaving]
        grow_bounds(rows, shapes, movable, counts[_CALLS], grown)
        kept = _refile(rows, shapes, movable, excluded, grown, counts[_KEPT], lists)
        counts[_KEPT] = kept
        if kept < 0:
            return False
    counts[OVERLAPPING] = overlapping_pairs(shapes, grown, counts[_KEPT], lists)
    return True


@inner
def is_excluded(excluded, a, b):
    """Return whether two bodies are among the sorted keys of pairs."""
    key = (min(a, b) << BODY_BITS) | max(a, b)
    low, high = 0, len(excluded)
    while low < high:
        middle = (low + high) >> 1
        if excluded[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < len(excluded) and excluded[low] == key


@kernel
def _filter(count: int, pairs: Ints2, shapes: ShapeArrays, movable: Bools, excluded: Ints) -> int:
    """Keep the pairs that may touch at all, in order; return how many."""
    body, group, mask = shapes.body, shapes.group, shapes.mask
    kept = 0
    for p in range(count):
        i, j = pairs[p, 0], pairs[p, 1]
        a, b = body[i], body[j]
        if a == b or not (movable[a] or movable[b]):
            continue
        if group[i] & mask[j] == 0 or group[j] & mask[i] == 0:
            continue
        if len(excluded) > 0 and is_excluded(excluded, a, b):
            continue
        pairs[kept, 0], pairs[kept, 1] = i, j
        kept += 1
    return kept


@kernel
def _refile(
    rows: Ints,
    shapes: ShapeArrays,
    movable: Bools,
    excluded: Ints,
    grown: GrownBounds,
    kept_count: int,
    lists: PairLists,
) -> int:
    """Search the pairs of some rows anew, and put them in order among the kept ones of others.

    Returns:
        How many kept pairs there are then, -1 if the lists are too short.
    """
    found = lists.found
    n = pairs_of(rows, shapes, grown, found)
    if n + kept_count > len(found):
        return -1
    new = _filter(n, found, shapes, movable, excluded)
    _sort_pairs(new, lists, lists.fresh)
    return merge_pairs(kept_count, grown.fresh, new, lists)


@kernel
def _find_pairs(
    shapes: ShapeArrays,
    movable: Bools,
    excluded: Ints,
    grown: GrownBounds,
    grid: GridScratch,
    lists: PairLists,
) -> int:
    """Write the sorted pairs to `kept`; return how many, or how much room is needed if it is too small."""
    count, found = len(grown.moves), lists.found
    n = 0
    finite = 0
    for s in range(count):
        if shapes.kind[s] == HALFSPACE:
            n = _halfspace_pairs(s, shapes.kind, grown, n, found)
        else:
            finite += 1
    if count <= _FEW_SHAPES:
        n = _all_pairs(shapes.kind, grown, n, found)
    elif finite > 1:
        n = grid_pairs(shapes, grown, grid, n, found)
    if n > len(found):
        return n
    n = _filter(n, found, shapes, movable, excluded)
    _sort_pairs(n, lists, lists.kept)
    return n


@inner
def _halfspace_pairs(h, kind, grown, n, found):
    """Append the pairs of half-space `h` with the bounds that reach it."""
    plane, lower, upper = grown.planes[h], grown.lower, grown.upper
    nx, ny, nz, level = plane[0], plane[1], plane[2], plane[3]
    for s in range(len(grown.moves)):
        if kind[s] != HALFSPACE and reaches(nx, ny, nz, level, lower, upper, s):
            if n < len(found):
                found[n, 0], found[n, 1] = min(s, h), max(s, h)
            n += 1
    return n


@inner
def _all_pairs(kind, grown, n, found):
    """Append the pairs of overlapping finite bounds by testing each with each."""
    lower, upper, count = grown.lower, grown.upper, len(grown.moves)
    for i in range(count):
        if kind[i] == HALFSPACE:
            continue
        x0, y0, z0 = lower[i, 0], lower[i, 1], lower[i, 2]
        x1, y1, z1 = upper[i, 0], upper[i, 1], upper[i, 2]
        for j in range(i + 1, count):
            # the bitwise form has no branches to mispredict
            if (
                (x0 <= upper[j, 0])
                & (lower[j, 0] <= x1)
                & (y0 <= upper[j, 1])
                & (lower[j, 1] <= y1)
                & (z0 <= upper[j, 2])
                & (lower[j, 2] <= z1)
                & (kind[j] != HALFSPACE)
            ):
                if n < len(found):
                    found[n, 0], found[n, 1] = i, j
                n += 1
    return n


@kernel
def _sort_pairs(n: int, lists: PairLists, pairs: Ints2) -> None:
    """Sort `n` of the found pairs by (i, j): two stable counting sorts, linear whatever touches what."""
    found, place, order = lists.found, lists.place, lists.order
    count = len(place) - 1
    for column in range(1, -1, -1):
        for s in range(count + 1):
            place[s] = 0
        for p in range(n):
            place[found[p, column] + 1] += 1
        for s in range(count):
            place[s + 1] += place[s]
        for p in range(n):
            source = p if column == 1 else order[p]
            s = found[source, column]
            if column == 1:
                order[place[s]] = source
            else:
                pairs[place[s], 0], pairs[place[s], 1] = found[source, 0], found[source, 1]
            place[s] += 1

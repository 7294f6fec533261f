"""Broad phase: pairs of shapes whose bounds overlap, in a fixed order.

The bounds are grown a little and their pairs kept, so that a search serves several calls (`kept_pairs`). A
search of everything goes through a grid (`grid_pairs`), or through all pairs of a handful of shapes;
half-spaces are tested against all shapes.
"""

import numpy as np
from stoss.collision.broad_phase.grid_pairs import grid_pairs
from stoss.collision.broad_phase.pair_cache import (
    MOST_LEAVERS,
    grow_bounds,
    leavers,
    merge_pairs,
    overlapping_pairs,
    pairs_of,
    reaches,
    write_planes,
)
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats2, Ints, Ints2
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import HALFSPACE

__all__ = ["BroadPhase", "pair_keys"]

# Up to this many shapes all pairs are tested: about 1 ns each, the grid costs 100 ns a shape.
_FEW_SHAPES = 96
_BODY_BITS = 32


def pair_keys(bodies: np.ndarray) -> np.ndarray:
    """Return the sorted keys of body pairs (n, 2), in either order, for `BroadPhase.find`."""
    low, high = np.minimum(bodies[:, 0], bodies[:, 1]), np.maximum(bodies[:, 0], bodies[:, 1])
    return np.unique((low.astype(np.int64) << _BODY_BITS) | high)


class BroadPhase:
    """Find candidate pairs of a table of shapes; keeps pairs of grown bounds between calls."""

    def __init__(self) -> None:
        self._pairs = np.empty((256, 2), np.int64)
        self._kept = np.empty((256, 2), np.int64)
        self._spare = np.empty((256, 2), np.int64)
        self._new = np.empty((256, 2), np.int64)
        self._kept_count = 0
        self._call = 0
        self._leavers = np.empty(MOST_LEAVERS, np.int64)
        # what the kept pairs are for
        self._table: ShapeTable | None = None
        self._version = -1
        self._margin = -1.0
        self._excluded: np.ndarray | None = None

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
        self._call += 1
        known = table is self._table and table.version == self._version
        if not known:
            self._resize(table.count)
        leaving = -1
        if known and margin == self._margin and excluded is self._excluded:
            leaving = leavers(
                table.count,
                table.kind,
                table.size,
                table.body,
                movable,
                self._moves,
                table.position,
                table.quaternion,
                margin,
                table.aabb_min,
                table.aabb_max,
                self._planes,
                self._lower,
                self._upper,
                self._leavers,
            )
        if leaving != 0:
            self._search(table, movable, excluded, margin, leaving)
            self._table, self._version = table, table.version
            self._margin, self._excluded = margin, excluded
        count = overlapping_pairs(
            self._kept,
            self._kept_count,
            table.kind,
            table.aabb_min,
            table.aabb_max,
            self._planes,
            self._pairs,
        )
        return self._pairs[:count]

    def _resize(self, count: int) -> None:
        """Make room for another set of shapes, of which no motion is known yet."""
        self._rows = np.arange(count)
        self._base_lower, self._base_upper = np.empty((count, 3)), np.empty((count, 3))
        self._lower, self._upper = np.empty((count, 3)), np.empty((count, 3))
        self._grown_at = np.full(count, -1, np.int64)
        self._planes = np.empty((count, 4))
        self._moves = np.empty(count, np.bool_)
        self._columns = np.empty((6, count))
        self._hit, self._fresh = np.empty(count, np.bool_), np.empty(count, np.bool_)

    def _search(
        self, table: ShapeTable, movable: np.ndarray, excluded: np.ndarray, margin: float, leaving: int
    ) -> None:
        """Find the pairs whose grown bounds overlap: those of the leaving shapes, or all if that is -1."""
        grow_bounds(
            self._rows if leaving < 0 else self._leavers,
            table.count if leaving < 0 else leaving,
            table.kind,
            table.body,
            movable,
            table.aabb_min,
            table.aabb_max,
            self._call,
            self._base_lower,
            self._base_upper,
            self._grown_at,
            self._moves,
            self._lower,
            self._upper,
            self._columns,
        )
        if leaving < 0:
            write_planes(
                table.count, table.kind, table.size, table.position, table.quaternion, margin, self._planes
            )
            while True:
                count = _find_pairs(
                    table.count,
                    table.kind,
                    table.body,
                    table.group,
                    table.mask,
                    self._planes,
                    self._lower,
                    self._upper,
                    movable,
                    excluded,
                    self._spare,
                )
                if count <= len(self._spare):
                    break
                self._spare = np.empty((count + count // 2, 2), np.int64)
        else:
            while True:
                count, new = _refile(
                    table.count,
                    table.kind,
                    table.body,
                    table.group,
                    table.mask,
                    self._planes,
                    self._lower,
                    self._upper,
                    self._columns,
                    movable,
                    excluded,
                    self._leavers,
                    leaving,
                    self._hit,
                    self._fresh,
                    self._kept,
                    self._kept_count,
                    self._new,
                    self._spare,
                )
                if count >= 0:
                    break
                room = 2 * (self._kept_count + new)
                self._new = np.empty((max(room, len(self._new)), 2), np.int64)
                self._spare = np.empty((max(room, len(self._spare)), 2), np.int64)
        self._kept, self._spare, self._kept_count = self._spare, self._kept, count
        if len(self._pairs) < len(self._kept):
            self._pairs = np.empty_like(self._kept)


@inner
def _filter(count, pairs, body, group, mask, movable, excluded):
    """Keep the pairs that may touch at all, in order; return how many.

    The tests are written out: passing the arrays to a function per pair costs more than the tests.
    """
    kept = 0
    for p in range(count):
        i, j = pairs[p, 0], pairs[p, 1]
        a, b = body[i], body[j]
        if a == b or not (movable[a] or movable[b]):
            continue
        if group[i] & mask[j] == 0 or group[j] & mask[i] == 0:
            continue
        if len(excluded) > 0:
            key = (min(a, b) << _BODY_BITS) | max(a, b)
            low, high = 0, len(excluded)
            while low < high:
                middle = (low + high) >> 1
                if excluded[middle] < key:
                    low = middle + 1
                else:
                    high = middle
            if low < len(excluded) and excluded[low] == key:
                continue
        pairs[kept, 0], pairs[kept, 1] = i, j
        kept += 1
    return kept


@kernel
def _refile(
    # in
    count: int,
    kind: Ints,
    body: Ints,
    group: Ints,
    mask: Ints,
    planes: Floats2,
    lower: Floats2,
    upper: Floats2,
    columns: Floats2,
    movable: Bools,
    excluded: Ints,
    rows: Ints,
    row_count: int,
    hit: Bools,
    fresh: Bools,
    kept: Ints2,
    kept_count: int,
    new: Ints2,
    # out
    pairs: Ints2,
) -> tuple[int, int]:
    """Write the kept pairs, sorted, with those of some rows searched anew.

    Returns:
        (How many pairs there are, or -1 if `new` or `pairs` is too small; how many have been found.)
    """
    n = pairs_of(rows, row_count, count, kind, planes, lower, upper, columns, hit, fresh, new)
    if 2 * n > len(new) or n + kept_count > len(pairs):
        return -1, n
    found = n
    n = _filter(n, new, body, group, mask, movable, excluded)
    in_order = new[n : 2 * n]
    _sort_pairs(count, n, new, in_order)
    return merge_pairs(kept, kept_count, fresh, in_order, n, pairs), found


@kernel(allocates=True)
def _find_pairs(
    # in
    count: int,
    kind: Ints,
    body: Ints,
    group: Ints,
    mask: Ints,
    planes: Floats2,
    lower: Floats2,
    upper: Floats2,
    movable: Bools,
    excluded: Ints,
    # out
    pairs: Ints2,
) -> int:
    """Write the sorted pairs; return how many there are, or how much room is needed if it is too small."""
    room = len(pairs)
    found = np.empty((room, 2), np.int64)
    n = 0
    finite = 0
    for s in range(count):
        if kind[s] == HALFSPACE:
            n = _halfspace_pairs(s, count, kind, planes[s], lower, upper, n, found)
        else:
            finite += 1
    if count <= _FEW_SHAPES:
        n = _all_pairs(count, kind, lower, upper, n, found)
    elif finite > 1:
        n = grid_pairs(count, finite, kind, body, lower, upper, movable, n, found)
    if n > room:
        return n
    n = _filter(n, found, body, group, mask, movable, excluded)
    _sort_pairs(count, n, found, pairs)
    return n


@inner
def _halfspace_pairs(h, count, kind, plane, lower, upper, n, found):
    """Append the pairs of half-space `h` with the bounds that reach it."""
    nx, ny, nz, level = plane[0], plane[1], plane[2], plane[3]
    for s in range(count):
        if kind[s] != HALFSPACE and reaches(nx, ny, nz, level, lower, upper, s):
            if n < len(found):
                found[n, 0], found[n, 1] = min(s, h), max(s, h)
            n += 1
    return n


@inner
def _all_pairs(count, kind, lower, upper, n, found):
    """Append the pairs of overlapping finite bounds by testing each with each."""
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


@inner(allocates=True)
def _sort_pairs(count, n, found, pairs):
    """Sort by (i, j): two stable counting sorts, linear also when one shape touches all others."""
    place = np.empty(count + 1, np.int64)
    order = np.empty(n, np.int64)
    for column in range(1, -1, -1):
        place[:] = 0
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

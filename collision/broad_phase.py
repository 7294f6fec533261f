"""Broad phase: pairs of shapes whose bounds overlap, in a fixed order.

Shapes are filed in a hierarchical grid, rebuilt at every call: level l has cells of edge base * 2^l, a
shape lies in one cell of the lowest level whose cells are as large as its bounds. So two shapes of one
level can only meet in neighbouring cells, and a small shape looks at a few cells of each occupied
higher level: a floor a thousand times larger than the rest costs one look per shape. Cells are kept in
a hash table by counting sort. Half-spaces are tested against all shapes. A handful of shapes is tested
pair by pair.

Tried and lost: sweep along one axis with insertion sort (a pile of 10 000 has 500 overlapping
intervals per shape).
"""

from math import floor, frexp, ldexp

import numpy as np
from numba import njit

from collision.algebra import rotate
from collision.shape_table import ShapeTable
from collision.shapes import HALFSPACE

__all__ = ["BroadPhase", "pair_keys"]

# Up to this many shapes all pairs are tested: about 1 ns each, the grid costs 100 ns a shape.
_FEW_SHAPES = 96
_BODY_BITS = 32


def pair_keys(bodies: np.ndarray) -> np.ndarray:
    """Return the sorted keys of body pairs (n, 2), in either order, for `BroadPhase.find`."""
    low, high = np.minimum(bodies[:, 0], bodies[:, 1]), np.maximum(bodies[:, 0], bodies[:, 1])
    return np.unique((low.astype(np.int64) << _BODY_BITS) | high)


class BroadPhase:
    """Find candidate pairs of a table of shapes; keeps the buffer between calls."""

    def __init__(self) -> None:
        self._pairs = np.empty((256, 2), np.int64)

    def find(
        self, table: ShapeTable, movable: np.ndarray, excluded: np.ndarray, margin: float
    ) -> np.ndarray:
        """Return the pairs (p, 2) of rows whose bounds overlap, i < j, sorted by (i, j).

        Pairs are left out when both shapes belong to one body, when neither body is movable, when the
        mask of one does not contain a group of the other, or when the body pair is excluded.

        Args:
            table: shapes with up-to-date bounds.
            movable: which bodies can move (n,), bool.
            excluded: sorted keys of body pairs, see `pair_keys`.
            margin: half-spaces reach this much beyond their surface [m].

        Returns:
            A view into a buffer that the next call overwrites.
        """
        while True:
            count = _find_pairs(
                table.count,
                table.kind,
                table.size,
                table.body,
                table.group,
                table.mask,
                table.position,
                table.quaternion,
                table.aabb_min,
                table.aabb_max,
                movable,
                excluded,
                margin,
                self._pairs,
            )
            if count <= len(self._pairs):
                return self._pairs[:count]
            self._pairs = np.empty((count + count // 2, 2), np.int64)


@njit(cache=True, inline="always")
def _accepts(i, j, body, group, mask, movable, excluded):
    """Return whether two shapes may touch at all."""
    a, b = body[i], body[j]
    if a == b or not (movable[a] or movable[b]):
        return False
    if group[i] & mask[j] == 0 or group[j] & mask[i] == 0:
        return False
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
            return False
    return True


@njit(cache=True, inline="always")
def _bounds_overlap(i, j, lower, upper):
    return (
        lower[i, 0] <= upper[j, 0]
        and lower[j, 0] <= upper[i, 0]
        and lower[i, 1] <= upper[j, 1]
        and lower[j, 1] <= upper[i, 1]
        and lower[i, 2] <= upper[j, 2]
        and lower[j, 2] <= upper[i, 2]
    )


@njit(cache=True)
def _reaches_halfspace(s, h, size, position, quaternion, lower, upper, margin):
    """Return whether the bounds of shape `s` come within `margin` of half-space `h`."""
    nx, ny, nz = rotate(quaternion[h], size[h, 0], size[h, 1], size[h, 2])
    offset = size[h, 3] + nx * position[h, 0] + ny * position[h, 1] + nz * position[h, 2]
    # the corner of the bounds that lies deepest
    x = lower[s, 0] if nx > 0.0 else upper[s, 0]
    y = lower[s, 1] if ny > 0.0 else upper[s, 1]
    z = lower[s, 2] if nz > 0.0 else upper[s, 2]
    return nx * x + ny * y + nz * z - offset <= margin


@njit(cache=True)
def _find_pairs(
    # in
    count,
    kind,
    size,
    body,
    group,
    mask,
    position,
    quaternion,
    lower,
    upper,
    movable,
    excluded,
    margin,
    # out
    pairs,
):
    """Write the sorted pairs; return how many there are, also when they do not fit."""
    room = len(pairs)
    n = 0
    if count <= _FEW_SHAPES:
        for i in range(count):
            flat = kind[i] == HALFSPACE
            for j in range(i + 1, count):
                if flat or kind[j] == HALFSPACE:
                    if flat and kind[j] == HALFSPACE:
                        continue
                    s, h = (j, i) if flat else (i, j)
                    if not _reaches_halfspace(s, h, size, position, quaternion, lower, upper, margin):
                        continue
                elif not _bounds_overlap(i, j, lower, upper):
                    continue
                if _accepts(i, j, body, group, mask, movable, excluded):
                    if n < room:
                        pairs[n, 0], pairs[n, 1] = i, j
                    n += 1
        return n

    found = np.empty((room, 2), np.int64)
    # extents of the bounds; the base edge is that of the largest shape of ordinary size
    extent = np.empty(count)
    finite = 0
    exponents = 0
    for s in range(count):
        if kind[s] == HALFSPACE:
            extent[s] = -1.0
            for other in range(count):
                if kind[other] == HALFSPACE or not _reaches_halfspace(
                    other, s, size, position, quaternion, lower, upper, margin
                ):
                    continue
                if _accepts(s, other, body, group, mask, movable, excluded):
                    if n < room:
                        found[n, 0], found[n, 1] = min(s, other), max(s, other)
                    n += 1
            continue
        edge = max(
            upper[s, 0] - lower[s, 0], upper[s, 1] - lower[s, 1], upper[s, 2] - lower[s, 2], 1e-300
        )
        extent[s] = edge
        finite += 1
        exponents += frexp(edge)[1]
    if finite > 0:
        ordinary = ldexp(1.0, int(round(exponents / finite)) + 1)  # about twice the mean extent
        base = 0.0
        for s in range(count):
            if base < extent[s] <= ordinary:
                base = extent[s]
        if base == 0.0:
            base = ordinary
        n = _grid_pairs(count, finite, base, extent, body, group, mask, lower, upper, movable, excluded, n, found)
    if n > room:
        return n
    _sort_pairs(count, n, found, pairs)
    return n


@njit(cache=True)
def _cell_key(level, x, y, z):
    """Pack a cell into one number; cells 2^19 apart share it, which the bounds tell apart."""
    low = (1 << 19) - 1
    return (level << 57) | ((x & low) << 38) | ((y & low) << 19) | (z & low)


@njit(cache=True)
def _bucket(key, shift):
    # Fibonacci hashing: the high bits of key * 2^64 / golden ratio
    return np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift))


@njit(cache=True)
def _grid_pairs(
    count, finite, base, extent, body, group, mask, lower, upper, movable, excluded, n, found
):
    """Append the pairs of shapes with finite bounds, unsorted; return how many pairs there are."""
    room = len(found)
    bits = 4
    while (1 << bits) < 2 * finite:
        bits += 1
    shift = 64 - bits
    start = np.zeros((1 << bits) + 1, np.int64)
    # cells: level (offset 32), coordinates
    levels = np.zeros(64, np.int64)
    cell = np.empty((count, 4), np.int64)
    key_of = np.empty(count, np.int64)
    for s in range(count):
        if extent[s] < 0.0:
            continue
        mantissa, exponent = frexp(extent[s] / base)  # extent / base = mantissa 2^exponent, 1/2 <= mantissa < 1
        level = exponent - 1 if mantissa == 0.5 else exponent
        level = min(max(level + 32, 0), 63)
        levels[level] += 1
        inverse = 0.5 / ldexp(base, level - 32)
        x = floor((lower[s, 0] + upper[s, 0]) * inverse)
        y = floor((lower[s, 1] + upper[s, 1]) * inverse)
        z = floor((lower[s, 2] + upper[s, 2]) * inverse)
        cell[s, 0], cell[s, 1], cell[s, 2], cell[s, 3] = level, int(x), int(y), int(z)
        key_of[s] = _cell_key(level, int(x), int(y), int(z))
        start[_bucket(key_of[s], shift) + 1] += 1
    for b in range(1 << bits):
        start[b + 1] += start[b]
    # file the shapes by bucket, their bounds next to each other
    shape = np.empty(finite, np.int64)
    keys = np.empty(finite, np.int64)
    box = np.empty((finite, 6))
    for s in range(count - 1, -1, -1):
        if extent[s] < 0.0:
            continue
        b = _bucket(key_of[s], shift)
        start[b + 1] -= 1
        at = start[b + 1]
        shape[at] = s
        keys[at] = key_of[s]
        for x in range(3):
            box[at, x] = lower[s, x]
            box[at, 3 + x] = upper[s, x]
    # now start[b + 1] is the first entry of bucket b, and start[b + 2] its end
    last = 1 << bits
    for at in range(finite):
        s = shape[at]
        level, cx, cy, cz = cell[s, 0], cell[s, 1], cell[s, 2], cell[s, 3]
        for step in range(14):  # own cell, then the 13 neighbours that follow it
            if step == 0:
                key = keys[at]
                b = _bucket(key, shift)
                first = at + 1
            else:
                offset = step + 13
                key = _cell_key(level, cx + offset // 9 - 1, cy + offset // 3 % 3 - 1, cz + offset % 3 - 1)
                b = _bucket(key, shift)
                first = start[b + 1]
            end = start[b + 2] if b + 1 < last else finite
            for other in range(first, end):
                if keys[other] == key:
                    n = _consider(at, other, shape, box, body, group, mask, movable, excluded, n, room, found)
        for higher in range(level + 1, 64):
            if levels[higher] == 0:
                continue
            edge = ldexp(base, higher - 32)
            inverse = 1.0 / edge
            # centres of shapes of that level that reach these bounds: at most edge / 2 beyond them
            x0, x1 = floor(box[at, 0] * inverse - 0.5), floor(box[at, 3] * inverse + 0.5)
            y0, y1 = floor(box[at, 1] * inverse - 0.5), floor(box[at, 4] * inverse + 0.5)
            z0, z1 = floor(box[at, 2] * inverse - 0.5), floor(box[at, 5] * inverse + 0.5)
            for x in range(int(x0), int(x1) + 1):
                for y in range(int(y0), int(y1) + 1):
                    for z in range(int(z0), int(z1) + 1):
                        key = _cell_key(higher, x, y, z)
                        b = _bucket(key, shift)
                        end = start[b + 2] if b + 1 < last else finite
                        for other in range(start[b + 1], end):
                            if keys[other] == key:
                                n = _consider(
                                    at, other, shape, box, body, group, mask, movable, excluded, n, room, found
                                )
    return n


@njit(cache=True, inline="always")
def _consider(at, other, shape, box, body, group, mask, movable, excluded, n, room, found):
    if (
        box[at, 0] <= box[other, 3]
        and box[other, 0] <= box[at, 3]
        and box[at, 1] <= box[other, 4]
        and box[other, 1] <= box[at, 4]
        and box[at, 2] <= box[other, 5]
        and box[other, 2] <= box[at, 5]
    ):
        i, j = shape[at], shape[other]
        if _accepts(i, j, body, group, mask, movable, excluded):
            if n < room:
                found[n, 0], found[n, 1] = min(i, j), max(i, j)
            n += 1
    return n


@njit(cache=True)
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

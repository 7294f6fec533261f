"""Rows over three or four bodies in sweeps: each is solved behind the blocks of a sweep, one after the other.

They are few, and their bodies rarely leave a lane to another block; so what sweeps over blocks side by side
(`wide_rows`) does not know them. Impulses are those of the rows themselves, velocities stand in the records.
"""

from typing import NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.lane_places import RECORD
from stoss.engine.constraints.rows import SHARED
from stoss.engine.solvers.wide_rows import MOVES, half_product, moves

__all__ = ["SharedRows", "enter_shared", "find_shared", "sweep_shared"]


class SharedRows(NamedTuple):
    """The SHARED rows of islands."""

    row: np.ndarray  # (n,)
    body: np.ndarray  # (n, 4) those of the row, and those of the REST of it
    first: np.ndarray  # (islands + 1,) where those of each island begin
    record: np.ndarray  # (n, 4) of the bodies
    mass: np.ndarray  # (n,) effective mass, of what impulses move


@inner(allocates=True)
def find_shared(rows, blocks, start, number, level, below):
    """Return the rows of islands over more than two bodies; `number` (bodies,) becomes -1 for these.

    Args:
        rows: the rows.
        blocks, start: of the islands, see `sweep_islands`.
        number: (bodies,)
        level, below: see `sweep`.
    """
    first = np.zeros(len(start), np.int64)
    count = 0
    for island in range(len(start) - 1):
        for i in range(start[island], start[island + 1]):
            r = rows.start[blocks[i]]
            count += r < rows.start[blocks[i] + 1] and rows.kind[r] == SHARED
        first[island + 1] = count
    found = SharedRows(
        np.empty(count, np.int64),
        np.empty((count, 4), np.int64),
        first,
        np.empty((count, 4), np.int64),
        np.empty(count),
    )
    if count == 0:
        return found
    at = 0
    for i in range(len(blocks)):
        block = blocks[i]
        r = rows.start[block]
        if r == rows.start[block + 1] or rows.kind[r] != SHARED:
            continue
        found.row[at] = r
        size = 0.0
        for k in range(4):
            half = k % 2
            body = rows.bodies[block - k // 2, half]
            found.body[at, k] = body
            number[body] = -1
            if moves(body, level, below):
                size += half_product(rows.jacobian, r - k // 2, r - k // 2, 6 * half)
        found.mass[at] = 1.0 / size if size > 0.0 else 0.0
        at += 1
    return found


@inner
def enter_shared(shared, number):
    """Write which records the bodies of the rows have; `number` (bodies,) says it."""
    for i in range(len(shared.row)):
        for k in range(4):
            shared.record[i, k] = number[shared.body[i, k]]


@inner
def sweep_shared(rows, shared, records, working, backwards, changes):
    """Solve the rows of the islands that are `working`; raise `changes` of each to the largest of a row."""
    count = len(shared.row)
    island = len(shared.first) - 2 if backwards else 0
    for n in range(count):
        i = count - 1 - n if backwards else n
        while i < shared.first[island]:
            island -= 1
        while i >= shared.first[island + 1]:
            island += 1
        r, mass = shared.row[i], shared.mass[i]
        if not working[island] or mass == 0.0:
            continue
        v = rows.bias[r]
        for k in range(4):
            at, own, offset = RECORD * shared.record[i, k], r - k // 2, 6 * (k % 2)
            for x in range(6):
                v += rows.jacobian[own, offset + x] * records[at + x]
        d = -v * mass
        for k in range(4):
            at, own, offset = RECORD * shared.record[i, k], r - k // 2, 6 * (k % 2)
            moved = d * records[at + MOVES]
            for x in range(6):
                records[at + x] += rows.jacobian[own, offset + x] * moved
        rows.impulse[r] += d
        rows.impulse[r - 1] = rows.impulse[r]
        changes[island] = max(changes[island], abs(v))

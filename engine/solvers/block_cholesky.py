"""Sparse Cholesky factorisation of H = 1 + G^T G with one 6x6 block per body.

The blocks couple bodies, so the size of the system is the number of bodies, whatever the number of rows,
and a tree or a chain has no fill: linear time. `elimination` says in which order.

Off-diagonal blocks are stored transposed (column body first), so that the innermost loops of all kernels
run over contiguous memory: a row of a block is one register of four numbers and one of two.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.lanes import LANES, load, load_two, splat, store, store_two, turned

__all__ = ["factorise", "solve", "subtract_product"]

ROW, BLOCK = 6, 36  # numbers of a row of a block, and of a block


@inner(always=True)
def subtract_product(first, p, second, q, target, i):
    """Subtract the product of block p of `first`, transposed, and block q of `second` from block i."""
    for r in range(ROW):
        at = BLOCK * i + ROW * r
        left, right = load(target, at), load_two(target, at + LANES)
        for k in range(ROW):
            f, other = splat(first[p, k, r]), BLOCK * q + ROW * k
            left = left - f * load(second, other)
            right = right - f * load_two(second, other + LANES)
        store(target, at, left)
        store_two(target, at + LANES, right)


@inner
def factorise(start, row, first, last, diagonal, off_diagonal):
    """Factorise columns first to last - 1 in place: H = C C^T.

    Reads the lower triangles of `diagonal` (columns, 6, 6) and the transposed blocks `off_diagonal`
    (blocks, 6, 6); leaves C there, with the reciprocals of its diagonal on the diagonal, and anything above.
    """
    for j in range(first, last):
        c = diagonal[j]
        for i in range(ROW):
            s = c[i, i]
            for k in range(i):
                s -= c[i, k] * c[i, k]
            inverse = 1.0 / np.sqrt(s)
            c[i, i] = inverse
            for r in range(i + 1, ROW):
                s = c[r, i]
                for k in range(i):
                    s -= c[r, k] * c[i, k]
                c[r, i] = s * inverse
        for p in range(start[j], start[j + 1]):
            for k in range(ROW):
                at = BLOCK * p + ROW * k
                left, right = load(off_diagonal, at), load_two(off_diagonal, at + LANES)
                for i in range(k):
                    f, above = splat(c[k, i]), BLOCK * p + ROW * i
                    left = left - f * load(off_diagonal, above)
                    right = right - f * load_two(off_diagonal, above + LANES)
                f = splat(c[k, k])
                store(off_diagonal, at, left * f)
                store_two(off_diagonal, at + LANES, right * f)
        for p in range(start[j], start[j + 1]):
            i = row[p]
            subtract_product(off_diagonal, p, off_diagonal, p, diagonal, i)
            # blocks below: row[q] > i lies in column i too, found by walking both sorted lists
            at = start[i]
            for q in range(p + 1, start[j + 1]):
                while row[at] < row[q]:
                    at += 1
                subtract_product(off_diagonal, p, off_diagonal, q, off_diagonal, at)


@inner
def solve(start, row, first, last, diagonal, off_diagonal, x):
    """Solve C C^T x = x in place for columns first to last - 1; x is (columns, 6)."""
    for j in range(first, last):
        c = diagonal[j]
        for i in range(ROW):
            s = x[j, i]
            for k in range(i):
                s -= c[i, k] * x[j, k]
            x[j, i] = s * c[i, i]
        for p in range(start[j], start[j + 1]):
            at = ROW * row[p]
            left, right = load(x, at), load_two(x, at + LANES)
            for k in range(ROW):
                f, block = splat(x[j, k]), BLOCK * p + ROW * k
                left = left - load(off_diagonal, block) * f
                right = right - load_two(off_diagonal, block + LANES) * f
            store(x, at, left)
            store_two(x, at + LANES, right)
    for j in range(last - 1, first - 1, -1):
        at = ROW * j
        left, right = load(x, at), load_two(x, at + LANES)
        for p in range(start[j], start[j + 1]):
            above, below = _times(off_diagonal, BLOCK * p, x, ROW * row[p])
            left, right = left - above, right - below
        store(x, at, left)
        store_two(x, at + LANES, right)
        c = diagonal[j]
        for i in range(ROW - 1, -1, -1):
            s = x[j, i]
            for k in range(i + 1, ROW):
                s -= c[k, i] * x[j, k]
            x[j, i] = s * c[i, i]


@inner(always=True)
def _times(blocks, block, x, at):
    """Return the product of the block that begins at `block` and x from `at` on: four numbers and two."""
    left, right, nothing = load(x, at), load_two(x, at + LANES), splat(0.0)
    a, b = load(blocks, block) * left, load(blocks, block + ROW) * left
    c, d = load(blocks, block + 2 * ROW) * left, load(blocks, block + 3 * ROW) * left
    e, f = load(blocks, block + 4 * ROW) * left, load(blocks, block + 5 * ROW) * left
    block += LANES
    g, h = load_two(blocks, block) * right, load_two(blocks, block + ROW) * right
    i, j = load_two(blocks, block + 2 * ROW) * right, load_two(blocks, block + 3 * ROW) * right
    k, m = load_two(blocks, block + 4 * ROW) * right, load_two(blocks, block + 5 * ROW) * right
    a, b, c, d = turned(a, b, c, d)
    g, h, i, j = turned(g, h, i, j)
    above = a + b + c + d + g + h
    a, b, c, d = turned(e, f, nothing, nothing)
    g, h, i, j = turned(k, m, nothing, nothing)
    return above, a + b + c + d + g + h

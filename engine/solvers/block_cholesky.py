"""Sparse Cholesky factorisation of H = 1 + G^T G with one 6x6 block per body.

The blocks couple bodies, so the size of the system is the number of bodies, whatever the number of rows,
and a tree or a chain has no fill: linear time. `elimination` says in which order.

Off-diagonal blocks are stored transposed (column body first), so that the innermost loops of all kernels
run over contiguous memory.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner

__all__ = ["factorise", "solve"]


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

"""Sparse LU factorisation in the structure of `block_cholesky`: sliding friction makes systems unsymmetric.

Without pivoting: the matrix is 1 plus a sum of outer products that are symmetric but for the friction of
sliding contacts, and small pivots mean that a body jams, where no impulse would help.
"""

from stoss.collision.kernels.decorators import inner
from stoss.engine.solvers.block_cholesky import subtract_product

__all__ = ["factorise_general", "solve_general"]


@inner
def factorise_general(start, row, first, last, diagonal, lower, upper):
    """Factorise columns first to last - 1 in place: A = L U, L with ones on its diagonal.

    `diagonal` (columns, 6, 6) is read in full. Block p of column j and row i: `lower[p]` is the block (i, j),
    transposed; `upper[p]` is the block (j, i). The diagonal of U is left as reciprocals.
    """
    for j in range(first, last):
        d = diagonal[j]
        for k in range(6):
            inverse = 1.0 / d[k, k]
            d[k, k] = inverse
            for r in range(k + 1, 6):
                d[r, k] *= inverse
                f = d[r, k]
                for s in range(k + 1, 6):
                    d[r, s] -= f * d[k, s]
        for p in range(start[j], start[j + 1]):
            low = lower[p]
            up = upper[p]
            for k in range(6):
                for m in range(k):
                    f = d[m, k]
                    g = d[k, m]
                    for r in range(6):
                        low[k, r] -= f * low[m, r]
                        up[k, r] -= g * up[m, r]
                f = d[k, k]
                for r in range(6):
                    low[k, r] *= f
        for p in range(start[j], start[j + 1]):
            i = row[p]
            subtract_product(lower, p, upper, p, diagonal, i)
            at = start[i]
            for q in range(p + 1, start[j + 1]):
                while row[at] < row[q]:
                    at += 1
                subtract_product(lower, p, upper, q, upper, at)
                subtract_product(upper, p, lower, q, lower, at)


@inner
def solve_general(start, row, first, last, diagonal, lower, upper, x):
    """Solve L U x = x in place for columns first to last - 1; x is (columns, 6)."""
    for j in range(first, last):
        d = diagonal[j]
        for r in range(6):
            s = x[j, r]
            for k in range(r):
                s -= d[r, k] * x[j, k]
            x[j, r] = s
        for p in range(start[j], start[j + 1]):
            i = row[p]
            for k in range(6):
                f = x[j, k]
                for r in range(6):
                    x[i, r] -= lower[p, k, r] * f
    for j in range(last - 1, first - 1, -1):
        for p in range(start[j], start[j + 1]):
            i = row[p]
            for k in range(6):
                s = 0.0
                for r in range(6):
                    s += upper[p, k, r] * x[i, r]
                x[j, k] -= s
        d = diagonal[j]
        for r in range(5, -1, -1):
            s = x[j, r]
            for k in range(r + 1, 6):
                s -= d[r, k] * x[j, k]
            x[j, r] = s * d[r, r]

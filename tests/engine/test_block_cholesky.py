"""The sparse factorisation solves what a dense one does, whatever is coupled."""

import numpy as np
import pytest

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Floats2, Floats3, Ints
from stoss.engine.solvers.block_cholesky import factorise, solve


@kernel
def solve_all(start: Ints, row: Ints, diagonal: Floats3, lower: Floats3, x: Floats2) -> None:
    """Factorise columns in place and solve for x (columns, 6)."""
    factorise(start, row, 0, len(x), diagonal, lower)
    solve(start, row, 0, len(x), diagonal, lower, x)


def chain(count: int) -> set[tuple[int, int]]:
    """Return the pairs of neighbours in a row."""
    return {(j, j + 1) for j in range(count - 1)}


def filled(count: int, seed: int) -> set[tuple[int, int]]:
    """Return random pairs with all that elimination adds."""
    random = np.random.default_rng(seed)
    pairs = {(j, i) for j in range(count) for i in range(j + 1, count) if random.random() < 0.3}
    for j in range(count):
        below = sorted(i for k, i in pairs if k == j)
        pairs |= {(a, b) for n, a in enumerate(below) for b in below[n + 1 :]}
    return pairs


@pytest.mark.parametrize("weight", [1e3, 1e9])
@pytest.mark.parametrize(
    "pairs", [set(), chain(9), filled(9, 1), filled(9, 2)], ids=["none", "chain", "a", "b"]
)
def test_solution_is_that_of_a_dense_matrix(pairs, weight):
    """Solve H x = b as numpy does, to rounding times the condition of H."""
    random = np.random.default_rng(7)
    count = 9
    matrix = np.eye(6 * count)
    for j, i in sorted(pairs) + [(j, j) for j in range(count)]:
        rows = np.zeros((3, 6 * count))
        rows[:, 6 * j : 6 * j + 6] = random.normal(size=(3, 6))
        rows[:, 6 * i : 6 * i + 6] = random.normal(size=(3, 6))
        matrix += weight * rows.T @ rows
    row = np.array([i for _, i in sorted(pairs)], np.int64)
    start = np.array([sum(k < j for k, _ in pairs) for j in range(count + 1)], np.int64)
    blocks = matrix.reshape(count, 6, count, 6)
    diagonal = np.array([blocks[j, :, j] for j in range(count)])
    lower = np.array([blocks[j, :, i] for j, i in sorted(pairs)]).reshape(-1, 6, 6)
    right = random.normal(size=(count, 6))
    x = right.copy()
    solve_all(start, row, diagonal, lower, x)
    wanted = np.linalg.solve(matrix, right.ravel())
    assert np.abs(x.ravel() - wanted).max() < 1e-13 * np.linalg.cond(matrix) * np.abs(wanted).max()
    residual = matrix @ x.ravel() - right.ravel()
    assert np.abs(residual).max() < 1e-13 * np.linalg.norm(matrix, 2) * np.abs(x).max()

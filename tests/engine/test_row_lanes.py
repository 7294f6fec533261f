"""Rows over lanes do what rows do one number after the other."""

import numpy as np
import pytest

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.lanes import lanes_of, numbers
from stoss.collision.kernels.types import Floats, Floats2
from stoss.engine.constraints.row_lanes import (
    force_halves,
    halves_along,
    pushed,
    rate_along,
    read_motion,
    row_distance,
    three_rates,
    write_motion,
    write_three,
)

ROUNDING = 1e-14


@kernel
def work_out(
    jacobian: Floats2, other: Floats2, z: Floats2, a: int, b: int, out: Floats2, far: Floats
) -> None:
    """Write rates of all rows, the halves of these and distances; then push all rows by 1, 2, ..."""
    motion = read_motion(z, a, b)
    for r in range(len(jacobian)):
        out[r, 0] = rate_along(jacobian, r, motion)
        out[r, 1], out[r, 2] = halves_along(jacobian, r, motion)
        far[r] = row_distance(jacobian, other, r)
    far[-3], far[-2], far[-1], _ = numbers(three_rates(jacobian, 1, motion))
    for r in range(len(jacobian)):
        motion = pushed(jacobian, r, r + 1.0, motion)
    write_motion(z, a, b, motion)


@pytest.mark.parametrize(("a", "b"), [(0, 1), (2, 0), (-1, 2), (1, -1), (-1, -1)])
def test_rows_over_lanes(a, b):
    """Give rates, impulses and distances of plain sums, and leave other bodies and halves of none alone."""
    random = np.random.default_rng(3)
    jacobian, other, z = random.normal(size=(4, 12)), random.normal(size=(4, 12)), random.normal(size=(3, 6))
    out, far, before = np.zeros((4, 3)), np.zeros(7), z.copy()
    work_out(jacobian, other, z, a, b, out, far)
    of_a = jacobian[:, :6] @ before[a] if a >= 0 else np.zeros(4)
    of_b = jacobian[:, 6:] @ before[b] if b >= 0 else np.zeros(4)
    assert np.allclose(out, np.c_[of_a + of_b, of_a, of_b], rtol=0, atol=ROUNDING)
    assert np.allclose(far[:4], ((jacobian - other) ** 2).sum(axis=1), rtol=ROUNDING)
    assert np.array_equal(far[4:], out[1:, 0])  # three at once, to the bit
    wanted = before.copy()
    for body, half in ((a, jacobian[:, :6]), (b, jacobian[:, 6:])):
        if body >= 0:
            wanted[body] += np.arange(1.0, 5.0) @ half
    assert np.allclose(z, wanted, rtol=0, atol=10 * ROUNDING)
    others = [i for i in range(3) if i not in (a, b)]
    assert np.array_equal(z[others], before[others])


@kernel
def write_rows(
    axes: Floats2, levers: Floats2, roots: Floats, w: Floats2, out: Floats2, sizes: Floats
) -> None:
    """Write three rows along the axes, and what they are among each other."""
    x = lanes_of(axes[0, 0], axes[1, 0], axes[2, 0], 0.0)
    y = lanes_of(axes[0, 1], axes[1, 1], axes[2, 1], 0.0)
    z = lanes_of(axes[0, 2], axes[1, 2], axes[2, 2], 0.0)
    on_a = force_halves(1.0, roots[0], w[0], levers[0], x, y, z)
    on_b = force_halves(-1.0, roots[1], w[1], levers[1], x, y, z)
    squares, sizes[3] = write_three(out, 1, on_a, on_b)
    sizes[0], sizes[1], sizes[2], _ = numbers(squares)


def test_three_rows_of_a_contact_at_once():
    """Write sign (d m^(-1/2), W (lever x d)) for both bodies and nothing else, and the products of these."""
    random = np.random.default_rng(4)
    axes, levers, w = random.normal(size=(3, 3)), random.normal(size=(2, 3)), random.normal(size=(2, 9))
    roots, out, sizes = random.normal(size=2), np.full((5, 12), 7.0), np.zeros(4)
    write_rows(axes, levers, roots, w, out, sizes)
    halves = [
        sign * np.c_[m * axes, np.cross(arm, axes) @ root.reshape(3, 3).T]
        for sign, m, arm, root in zip((1.0, -1.0), roots, levers, w, strict=True)
    ]
    rows = np.concatenate(halves, axis=1)
    assert np.allclose(out[1:4], rows, rtol=0, atol=ROUNDING * 10)
    assert (out[[0, 4]] == 7.0).all()
    products = rows @ rows.T
    assert np.allclose(sizes, [*np.diag(products), products[1, 2]], rtol=10 * ROUNDING, atol=10 * ROUNDING)

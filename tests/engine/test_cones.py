"""The algebra of the cone of friction, against its definitions."""

import numpy as np
import pytest

from stoss.engine.solvers.cones import cone_target, find_scaling, from_axes, to_axes, way_to_cone

PAIRS = [((1.0, 0.0, 0.0), (2.0, 0.0, 0.0))]
_random = np.random.default_rng(3)
for share in (0.3, 0.9, 0.9999):
    for _ in range(4):
        pair = []
        for _ in range(2):
            rays = _random.normal(size=2)
            first = 10.0 ** _random.uniform(-3, 3)
            pair.append((first, *(share * first * rays / np.linalg.norm(rays))))
        PAIRS.append(tuple(pair))


def scaled(vector, scaling, u, v):
    """Return the scaling's matrix times a vector."""
    return np.array(from_axes(*(np.array(to_axes(*vector, u, v)) / scaling), u, v))


def product(x, y):
    """Return the product of the cone's algebra."""
    x, y = np.array(x), np.array(y)
    return np.array([x @ y, *(x[0] * y[1:] + y[0] * x[1:])])


@pytest.mark.parametrize(("x", "y"), PAIRS)
def test_the_scaling_takes_the_impulse_to_the_velocity(x, y):
    """Multiply by a symmetric matrix that maps the cone onto itself: its eigenvalues are a, b, sqrt(a b)."""
    along, against, across, u, v = find_scaling(*x, *y)
    assert scaled(x, (along, against, across), u, v) == pytest.approx(np.array(y), rel=1e-7, abs=1e-7 * y[0])
    assert u * u + v * v == pytest.approx(1.0)
    assert along * against == pytest.approx(across * across)


@pytest.mark.parametrize(("x", "y"), PAIRS)
def test_axes_there_and_back(x, y):
    """Return to the vector, whose length stays what it is."""
    u, v = 0.6, -0.8
    assert from_axes(*to_axes(*x, u, v), u, v) == pytest.approx(x)
    assert np.linalg.norm(to_axes(*x, u, v)) == pytest.approx(np.linalg.norm(x))


@pytest.mark.parametrize(("x", "y"), PAIRS)
def test_the_target_is_that_of_the_linear_equation(x, y):
    """Solve l o (W dx + dy / W) = aim - (W dx0) o (dy0 / W), without what l is by itself."""
    aim, before, change = 0.3, 0.05 * np.array(x[::-1]), 0.02 * np.array(y[::-1])
    along, against, across, u, v = find_scaling(*x, *y)
    roots = np.sqrt([along, against, across])
    target = cone_target(x, before, change, aim, (along, against, across), u, v)

    def in_frame(vector, by):
        return np.array(from_axes(*(np.array(to_axes(*vector, u, v)) * by), 1.0, 0.0))

    # impulses are divided by the roots, velocities multiplied by them
    left = product(in_frame(x, 1.0 / roots), in_frame(target, roots))
    right = np.array([aim, 0.0, 0.0]) - product(in_frame(before, 1.0 / roots), in_frame(change, roots))
    assert left == pytest.approx(right, rel=1e-6, abs=1e-6 * np.abs(right).max())


@pytest.mark.parametrize(("x", "d"), PAIRS)
def test_the_way_ends_on_the_cone(x, d):
    """Go against d until the first number is the length of the rest."""
    share = way_to_cone(*x, *(-np.array(d)))
    end = np.array(x) - share * np.array(d)
    assert end[0] == pytest.approx(np.hypot(end[1], end[2]), abs=1e-7 * (x[0] + share * d[0]))
    assert way_to_cone(*x, *d) == np.inf

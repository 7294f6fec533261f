"""Heaps that no active set is found for come to rest, with default settings, and do not stir for ever."""

import numpy as np
import pytest

import stoss as st
from stoss.scenes.registry import find_scene


@pytest.mark.parametrize("friction", [0.3, 0.4, 0.5])
def test_fallen_dominoes_lie_still(friction):
    """Let a ring of dominoes fall: each lies on the next, so all of it is one heap that leans on itself."""
    world = find_scene("dominoes").build(friction=friction)
    world.step(1300)
    start = world.positions.copy()
    world.step(200)
    assert np.abs(world.velocities).max() < 1e-6
    assert np.abs(world.positions - start).max() < 1e-6


@pytest.mark.parametrize("solver", ["auto", "gauss_seidel"])
def test_sweeps_go_on_while_a_heap_hardly_moves(solver):
    """Fill a funnel: most of what lies in it lies still, whichever solver it has."""
    world = find_scene("funnel").build(bodies=60, settings=st.Settings(solver=solver))
    world.step(900)
    assert np.median(np.linalg.norm(world.velocities, axis=1)) < 1e-6


def test_a_heap_that_hardly_moves_is_swept_further_where_places_are_held():
    """Sweep four times as often for places, and as ever for velocities."""
    world = find_scene("funnel").build(bodies=60, settings=st.Settings(solver="gauss_seidel"))
    world.step(300)
    sweeps = [world.step().sweeps for _ in range(100)]
    assert 2 * 15 < max(sweeps) <= 5 * 15

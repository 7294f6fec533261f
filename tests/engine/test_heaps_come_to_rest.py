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


def test_a_heap_that_hardly_moves_is_swept_further():
    """Sweep up to four times as often, for places and for velocities."""
    world = find_scene("funnel").build(bodies=60, settings=st.Settings(solver="gauss_seidel"))
    world.step(300)
    sweeps = [world.step().sweeps for _ in range(100)]
    assert 2 * 15 < max(sweeps) <= 8 * 15


def swept_tower(shape, height, count, time_step, masses=None, friction=0.5):
    """Put bodies on each other, each a little to the side, in a world that is swept."""
    world = st.World(time_step=time_step, settings=st.Settings(solver="gauss_seidel"))
    material, rng = st.Material(friction=friction), np.random.default_rng(0)
    world.add_body(st.HalfSpace(), kind="static", material=material)
    for k in range(count):
        place = (*(0.02 * height * rng.uniform(-1.0, 1.0, 2)), (k + 0.5) * height)
        world.add_body(shape, position=place, mass=masses[k] if masses else 1.0, material=material)
    return world


TOWERS = {
    "cubes": (st.Box((1.0, 1.0, 1.0)), 1.0, 8),
    "slabs": (st.Box((1.0, 1.0, 0.2)), 0.2, 10),
    "posts": (st.Box((0.4, 0.4, 1.0)), 1.0, 4),
    "cylinders": (st.Cylinder(0.4, 1.0), 1.0, 4),
    "small": (st.Box((0.1, 0.1, 0.1)), 0.1, 8),
}


@pytest.mark.parametrize("time_step", [0.005, 0.01, 1 / 60])
@pytest.mark.parametrize("name", TOWERS)
def test_swept_towers_do_not_sway(name, time_step):
    """Come to rest with the usual sweeps: starts of the other stage made slow swaying grow in each step.

    It went on at 1e-3 J for ever, and towers of ten crept by centimetres.
    """
    world = swept_tower(*TOWERS[name], time_step)
    world.step(round(4.0 / time_step))
    start, early = world.positions.copy(), world.report.kinetic_energy
    world.step(round(6.0 / time_step))
    assert world.report.kinetic_energy < max(1e-6, 0.1 * early)
    assert np.abs(world.positions - start).max() < 2e-3


@pytest.mark.parametrize("masses", [(1.0, 1.0, 1.0, 1.0, 3.0), (5.0, 4.0, 3.0, 2.0, 1.0)])
def test_swept_towers_of_unequal_bodies_do_not_sway(masses):
    """The same, with the heavy one on top or below."""
    world = swept_tower(st.Box((1.0, 1.0, 1.0)), 1.0, 5, 0.01, masses)
    world.step(600)
    assert world.report.kinetic_energy < 1e-9 and world.report.max_overlap < 1e-6


@pytest.mark.parametrize(("scene", "parameters"), [("pyramid", {"base": 10}), ("wall", {"rows": 8})])
def test_swept_walls_and_pyramids_come_to_rest(scene, parameters):
    """The same where bodies rest on several others."""
    world = find_scene(scene).build(settings=st.Settings(solver="gauss_seidel"), **parameters)
    world.step(600)
    assert world.report.kinetic_energy < 1e-6 and world.report.max_overlap < 1e-6


@pytest.mark.parametrize(("force", "way"), [(4.0, 0.0), (8.0, 0.5 * (8.0 - 0.5 * 9.81) * 0.25)])
def test_a_swept_tower_answers_to_a_push(force, way):
    """Slide as Coulomb says, or not at all: starts decide nothing but how far sweeps come."""
    world = swept_tower(*TOWERS["cubes"][:2], 3, 0.005)
    world.step(200)
    top = world.bodies[-1]
    start = top.position[0]
    for _ in range(100):
        top.apply_force((force, 0.0, 0.0))
        world.step()
    assert top.position[0] - start == pytest.approx(way, abs=2e-3)

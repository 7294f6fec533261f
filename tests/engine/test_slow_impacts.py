"""Slow impacts bounce where nothing presses the bodies together again, and rest where something does."""

import pytest

from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Material, Settings, World


@pytest.mark.parametrize("speed", [0.09, 0.03, 0.005])
@pytest.mark.parametrize("e", [1.0, 0.5])
@pytest.mark.parametrize("shape", [Sphere(0.1), Box((0.2, 0.2, 0.2))])
@pytest.mark.parametrize(
    "settings", [{}, {"solver": "gauss_seidel"}, {"sleeping": True, "sleep_time": 100.0}]
)
def test_two_bodies_in_free_space(speed, e, shape, settings):
    """Part with e times the approach however slow it is, and keep the momentum."""
    world = World(gravity=(0, 0, 0), settings=Settings(**settings))
    material = Material(restitution=e, friction=0.0)
    a = world.add_body(shape, mass=1.0, velocity=(speed, 0, 0), material=material)
    b = world.add_body(shape, mass=3.0, position=(0.2 + 0.21 * speed, 0, 0), material=material)
    world.step(40)
    assert b.velocity[0] - a.velocity[0] == pytest.approx(e * speed, rel=1e-6)
    assert a.velocity[0] + 3.0 * b.velocity[0] == pytest.approx(speed, rel=1e-9)


def test_slow_cradle():
    """Pass a slow elastic impact on through a row of balls."""
    world = World(gravity=(0, 0, 0))
    material = Material(restitution=1.0, friction=0.0)
    row = [
        world.add_body(Sphere(0.1), mass=1.0, position=(0.2 * k, 0, 0), material=material) for k in range(4)
    ]
    world.add_body(Sphere(0.1), mass=1.0, position=(-0.205, 0, 0), velocity=(0.05, 0, 0), material=material)
    world.step(60)
    assert [ball.velocity[0] for ball in row] == pytest.approx([0.0, 0.0, 0.0, 0.05], abs=1e-9)


def test_slow_impact_on_ice():
    """Bounce off sideways on a floor that carries both bodies: it does not press them together."""
    world = World()
    ice = Material(friction=0.0, restitution=1.0)
    world.add_body(HalfSpace(), kind="static", material=Material(friction=0.0))
    world.set_material_pair(ice, Material(friction=0.0), restitution=0.0)
    box = Box((0.2, 0.2, 0.2))
    a = world.add_body(box, mass=1.0, position=(0, 0, 0.1), velocity=(0.05, 0, 0), material=ice)
    b = world.add_body(box, mass=1.0, position=(0.203, 0, 0.1), material=ice)
    world.step(60)
    assert (a.velocity[0], b.velocity[0]) == pytest.approx((0.0, 0.05), abs=1e-6)


@pytest.mark.parametrize("time_step", [0.01, 0.002])
def test_rest_where_gravity_presses(time_step):
    """Come to rest on the floor and on each other after elastic bounces under gravity."""
    world = World(time_step=time_step)
    material = Material(restitution=0.5)
    world.add_body(HalfSpace(), kind="static", material=material)
    boxes = [
        world.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, position=(0, 0, z), material=material)
        for z in (0.2, 0.5)
    ]
    world.step(int(2.5 / time_step))
    assert [box.position[2] for box in boxes] == pytest.approx([0.1, 0.3], abs=1e-5)
    assert world.report.kinetic_energy < 1e-12

"""Contradictory contacts: bodies that others leave no room for. Finite, without energy, and reported."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Material, Settings, World
from tests.engine.worlds import run, world_with_floor

SOLVERS = ["direct", "gauss_seidel"]
H = 0.01


def slot(shape, width: float, solver: str) -> World:
    """Return a weightless world with a body of 1 m in a slot between two static blocks."""
    world = World(gravity=(0, 0, 0), time_step=H, settings=Settings(solver=solver))
    for name, side in (("left", -1.0), ("right", 1.0)):
        world.add_body(Box((1, 3, 3)), kind="static", position=(side * (0.5 + 0.5 * width), 0, 0), name=name)
    world.add_body(shape, position=(0.01, 0, 0), mass=1.0, name="wedged")
    return world


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("shape", [Box((1, 1, 1)), Sphere(0.5)], ids=["box", "sphere"])
def test_body_in_a_slot_that_is_too_narrow(solver, shape):
    """Keep a body at rest that two walls overlap by 0.1 m together, and name both bodies of what remains.

    No place in the slot is free: at least half of the 0.1 m stays on one side, wherever the body is.
    """
    world = slot(shape, 0.9, solver)
    body = world.body("wedged")
    for _ in range(60):
        report = world.step()
        assert np.isfinite(world.positions).all() and report.kinetic_energy < 1e-12
        # never more than what both sides have together and the displacement of one step adds
        assert 0.05 - 1e-9 <= report.max_overlap < 0.1 + 0.02
        names = {name for pair in report.jammed for name in pair}
        assert "wedged" in names and names & {"left", "right"}
    assert np.abs(body.position).max() < 0.1
    assert np.abs(body.angular_velocity).max() < 1e-6


@pytest.mark.parametrize("solver", SOLVERS)
def test_slot_that_is_wide_enough(solver):
    """Push a body out of an overlap that has room on the other side, and report nothing jammed."""
    world = slot(Box((1, 1, 1)), 1.02, solver)
    world.body("wedged").position = (0.02, 0, 0)
    for _ in range(60):
        assert world.step().jammed == ()
    assert world.report.max_overlap < 1e-5


@pytest.mark.parametrize("solver", SOLVERS)
def test_ball_in_a_narrow_wedge(solver):
    """Lift a ball out of the overlap with both sides of a steep V, without speed, and rest it there."""
    angle, radius = np.radians(75), 0.5
    settings = Settings(solver=solver, sweeps=200)
    world = World(time_step=H, settings=settings)
    for side in (-1.0, 1.0):
        normal = (side * np.sin(angle), 0, np.cos(angle))
        world.add_body(HalfSpace(normal=normal), kind="static", material=Material(friction=0.5))
    height = radius / np.cos(angle)
    ball = world.add_body(Sphere(radius), position=(0, 0, height - 0.05), mass=1.0)
    speeds = run(world, 60, lambda w: np.abs(ball.velocity).max())
    assert world.report.jammed == () and world.report.max_overlap < 1e-5
    assert np.abs(ball.position - [0, 0, height]).max() < 1e-4
    assert speeds.max() < 1e-6


@pytest.mark.parametrize("solver", SOLVERS)
def test_pile_under_a_press(solver):
    """Stay finite and near under a press that does not yield, and report the overlap that it leaves.

    Three cubes of 1 m between floor and a plate that comes down by 0.3 m: that much is missing in the end,
    shared by four contacts, so one of them has at least a quarter of it.
    """
    world = world_with_floor(time_step=H, settings=Settings(solver=solver))
    cubes = [
        world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5 + k), mass=1.0, name=f"cube {k}") for k in range(3)
    ]
    press = world.add_body(
        Box((2, 2, 0.5)), kind="kinematic", position=(0, 0, 3.25), velocity=(0, 0, -0.5), name="press"
    )
    for _ in range(60):
        report = world.step()
        assert np.isfinite(world.positions).all()
        assert np.abs(world.velocities).max() < 5.0
    press.velocity = (0, 0, 0)
    for _ in range(20):
        report = world.step()
    assert 0.3 / 4 - 1e-6 <= report.max_overlap < 0.3 + 0.01
    assert report.jammed
    for cube in cubes:
        assert np.abs(cube.position[:2]).max() < 0.3 and 0.0 < cube.position[2] < 3.0

"""Contradictory contacts: bodies that others leave no room for. Finite, without energy, and reported."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Ball, Hinge, Material, Settings, World
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


@pytest.mark.parametrize(
    ("kind", "lean", "masses", "time_step"),
    [
        (Hinge, 0.05, (1.0, 1.0), 0.0167),
        (Hinge, 0.2, (4.0, 0.1), 0.0167),
        (Hinge, 0.0, (0.2, 3.0), 0.033),
        (Ball, 0.1, (1.0, 2.0), 0.005),
        (Ball, 0.3, (3.0, 1.0), 0.033),
    ],
)
def test_links_that_one_joint_holds_inside_each_other(kind, lean, masses, time_step):
    """Leave links where they are that overlap about their joint, whichever way they turn, and name them.

    A ball and a bar begin at one point of a third body. Nowhere do they come apart; to shrink the overlap by
    millimetres, they would have to turn by radians.
    """
    world = World(gravity=(0.0, 0.0, 0.0), time_step=time_step)
    base = world.add_body(Box((0.4, 0.05, 0.05)), position=(-0.2, 0.0, 0.0), mass=1.0)
    ball = world.add_body(Sphere(0.18), position=(0.02, 0.17, 0.03), mass=masses[0])
    side = np.array([np.sin(lean), np.cos(lean), 0.0])
    bar = world.add_body(Box((0.06, 0.06, 0.4)), position=(0.0, 0.03, 0.0) + 0.1 * side, mass=masses[1])
    for link in (ball, bar):
        joint = Hinge((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)) if kind is Hinge else Ball((0.0, 0.0, 0.0))
        world.add_joint(joint, base, link)
    world.step(round(0.5 / time_step))
    named = 0
    for _ in range(round(0.3 / time_step)):
        before = ball.quaternion, bar.quaternion
        report = world.step()
        named += len(report.jammed) > 0
        for link, old in zip((ball, bar), before, strict=True):
            assert 2.0 * np.arccos(min(abs(link.quaternion @ old), 1.0)) < 0.15
        assert report.kinetic_energy < 1e-2 and report.joint_error < 1e-3
    assert named > 0 or report.max_overlap < 1e-3

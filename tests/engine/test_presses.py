"""What is pressed by bodies that are moved: as fast as the slope says, never faster than any press can."""

import math

import numpy as np
import pytest

import stoss
from stoss.engine import Settings, World

SMOOTH = stoss.Material(friction=0.0)
FASTEST = 32.0  # times the speed of the press: the root of what is taken for a contradiction


@pytest.mark.parametrize("slope", [45.0, 20.0, 5.0, 2.5])
@pytest.mark.parametrize("solver", ["auto", "direct"])
def test_a_ball_is_pressed_out_of_a_gap(slope, solver):
    """Let a ball without friction leave at u / tan(slope), where a plate so inclined comes down at u."""
    angle, radius, u = math.radians(slope), 0.1, 0.2
    world = World(gravity=(0, 0, 0), time_step=0.001, settings=Settings(solver=solver))
    world.add_body(stoss.Box((20, 20, 2)), kind="static", position=(0, 0, -1), material=SMOOTH)
    ball = world.add_body(stoss.Sphere(radius), mass=1.5, position=(0, 0, radius), material=SMOOTH)
    normal = np.array([-math.sin(angle), 0.0, math.cos(angle)])  # of the plate, away from the ball
    half = math.cos(0.5 * angle), (0.0, -math.sin(0.5 * angle), 0.0)
    plate = world.add_body(
        stoss.Box((20, 20, 2)),
        kind="kinematic",
        position=np.array([0, 0, radius]) + (radius + 1.0) * normal,
        quaternion=(half[0], *half[1]),
        material=SMOOTH,
    )
    plate.velocity = (0.0, 0.0, -u)
    world.step(20)
    assert ball.velocity[0] == pytest.approx(u / math.tan(angle), rel=1e-6)


def heap(seed: int) -> World:
    """Return bodies that stand in each other by metres, on a floor, with one that is moved among them."""
    dice = np.random.default_rng(seed)
    world = World()
    world.add_body(stoss.Box((4, 4, 1)), kind="static", position=(0, 0, -0.5))
    for _ in range(dice.integers(3, 9)):
        shapes = (
            stoss.Box(tuple(dice.uniform(0.5, 2, 3))),
            stoss.Sphere(dice.uniform(0.3, 1)),
            stoss.Capsule(dice.uniform(0.2, 0.5), dice.uniform(0.3, 1)),
            stoss.Cylinder(dice.uniform(0.3, 0.8), dice.uniform(0.5, 1.5)),
        )
        shape, mass = shapes[dice.integers(4)], dice.uniform(0.5, 5)
        body = world.add_body(shape, mass=mass, position=dice.uniform(-0.1, 0.1, 3) + (0, 0, 0.5))
        body.velocity, body.angular_velocity = dice.uniform(-1, 1, 3), dice.uniform(-1, 1, 3)
    edges, place = tuple(dice.uniform(0.5, 2, 3)), dice.uniform(-0.1, 0.1, 3) + (0, 0, 0.8)
    press = world.add_body(stoss.Box(edges), kind="kinematic", position=place)
    press.velocity, press.angular_velocity = dice.uniform(-1, 1, 3), dice.uniform(-1, 1, 3)
    return world


@pytest.mark.parametrize("seed", [22, 24, 27, 31, 51, 53])
def test_bodies_that_stand_in_each_other_are_not_flung_by_a_press(seed):
    """Keep what has no solution, a heap of concentric bodies under a press, at speeds of the press's kind."""
    world = heap(seed)
    press = world.bodies[len(world.bodies) - 1]
    own = np.linalg.norm(press.velocity) + 1.8 * np.linalg.norm(press.angular_velocity)
    energy = 0.0
    for _ in range(4):
        energy = max(energy, world.step().kinetic_energy)
    masses = sum(body.mass for body in world.bodies if body.kind == "dynamic")
    assert energy < FASTEST**2 * 0.5 * masses * own**2

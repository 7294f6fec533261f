"""Static and dynamic friction, slip and rolling: closed forms at several steps, in both solvers."""

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Free, Material, Settings
from tests.engine.worlds import G, axis_angle, downhill, on_slope, run, slope, world_with_floor

SOLVERS = ["direct", "gauss_seidel"]


def strict(solver: str) -> Settings:
    """Return settings with as many sweeps as the tolerances take, both far below those of the tests."""
    return Settings(solver=solver, sweeps=1000, position_tolerance=1e-11)


def test_block_pulled_by_a_spring_sticks_and_slips():
    """Hold a block up to mu_s m g of a spring's pull, then let it jump by the closed form, and stick again.

    The spring's end moves at V. From rest at the stretch mu_s m g / k on, the block slides with mu_d until it
    has the speed 0 again: its stretch oscillates about mu_d m g / k with w^2 = k / m, from A = (mu_s - mu_d)
    m g / k to -A, in the time (2 pi - 2 atan(A w / V)) / w. The jump is V times that, plus 2 A.

    The slip begins at the end of the step in which the pull gets too large: up to V h late in stretch, by
    which A is larger and the jump twice as much; it ends within a step, and loses A w^2 h^2 / 8 there; the
    frequency of the midpoint rule is off by (w h)^2 / 24.
    """
    h, mass, stiffness, pull = 1e-3, 2.0, 200.0, 0.02
    mu_s, mu_d = 0.6, 0.3
    material = Material(friction=mu_d, static_friction=mu_s)
    world = world_with_floor(material, h, strict("direct"))
    block = world.add_body(Box((0.2, 0.2, 0.1)), position=(0, 0, 0.05), mass=mass, material=material)
    limit, mean = (mu * mass * G / stiffness for mu in (mu_s, mu_d))
    ahead = 0.0203  # s until the pull is too large, not on a step
    end = world.add_body((), kind="kinematic", position=(0, 0, 0.05), velocity=(pull, 0, 0))
    spring = world.add_joint(Free((0, 0, 0.05)), end, block)
    end.position = (limit - pull * ahead, 0, 0.05)
    spring.spring(stiffness, coordinate="x")
    seen = run(world, 420, lambda w: (block.position[0], block.velocity[0]))
    t = h * np.arange(421)
    moves = np.flatnonzero(np.abs(seen[:, 1]) > 1e-6)
    amplitude, w = limit - mean, np.sqrt(stiffness / mass)
    duration = (2 * np.pi - 2 * np.arctan(amplitude * w / pull)) / w
    jump = pull * duration + 2 * amplitude
    assert np.abs(seen[t <= ahead]).max() < 1e-9
    assert 0.0 <= t[moves[0]] - ahead <= 2 * h
    assert abs(t[moves[-1]] - ahead - duration) <= 3 * h
    tolerance = 2 * pull * h + amplitude * w**2 * h**2 / 8 + 2 * amplitude * (w * h) ** 2 / 24 + pull * 2 * h
    assert seen[-1, 0] == pytest.approx(jump, abs=tolerance)
    assert np.abs(seen[moves[-1] + 1 :, 0] - seen[-1, 0]).max() < 1e-9


@pytest.mark.parametrize(
    "solver, share",
    [("direct", 0.99), ("direct", 1.01), ("gauss_seidel", 0.6), ("gauss_seidel", 1.01)],
)
def test_static_friction_from_rest(solver, share):
    """Hold a box that is pushed with less than mu_s m g from its first step on; above it slides with mu_d.

    Pushed at its foot, the box loads its contacts evenly. Sweeps start from a weight that the four contacts
    carry in other shares than in the end, and so give way earlier: they are asked for 0.6 of it.
    """
    mu_s, mu_d, mass, h = 0.5, 0.2, 2.0, 0.01
    material = Material(friction=mu_d, static_friction=mu_s)
    world = world_with_floor(material, h, strict(solver))
    box = world.add_body(Box((1, 1, 0.1)), position=(0, 0, 0.05), mass=mass, material=material)
    push = share * mu_s * mass * G
    world.forces[1] = (push, 0, 0)
    world.torques[1] = (0, -push * 0.05, 0)
    seen = run(world, 20, lambda w: box.velocity[0])
    a = push / mass - mu_d * G if share > 1.0 else 0.0
    assert np.abs(seen - a * h * np.arange(21)).max() < 1e-8


@pytest.mark.parametrize("fraction", [0.0, 0.25, 0.6])
@pytest.mark.parametrize("rate", [60, 120, 240, 1000])
def test_no_bias_in_braking_distance(rate, fraction):
    """Stop after v^2 / (2 mu g) at any step, wherever in a step the end lies: no error of first order in h.

    Half of friction acts at either end of a step, so only the last step is off, by mu g h^2 / 8 at most.
    An explicit scheme is off by v h / 2, 17 mm at 60 Hz.
    """
    mu, h = 0.4, 1.0 / rate
    speed = mu * G * h * (round(0.5 * rate) + fraction)
    material = Material(friction=mu)
    world = world_with_floor(material, h)
    box = world.add_body(
        Box((0.5, 0.5, 0.2)), position=(0, 0, 0.1), velocity=(speed, 0, 0), mass=3.0, material=material
    )
    world.step(round(0.5 * rate) + 5)
    assert box.position[0] == pytest.approx(speed**2 / (2 * mu * G), abs=mu * G * h**2 / 8 + 1e-9)
    assert abs(box.velocity[0]) < 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_creep_in_a_minute(solver):
    """Keep two boxes on top of each other on a slope where they are, to 1e-8 m over 60 s."""
    angle = np.radians(25)
    material = Material(friction=np.tan(np.radians(26)))
    world = slope(angle, material, 1 / 60, strict(solver))
    boxes = [
        world.add_body(
            Box((1, 1, 0.3)),
            position=on_slope(angle, 0.15 + 0.3 * k),
            quaternion=axis_angle((0, 1, 0), angle),
            mass=1.0 + k,
            material=material,
        )
        for k in range(2)
    ]
    world.step(60)
    start = [box.position for box in boxes]
    world.step(3600)
    for box, place in zip(boxes, start, strict=True):
        assert np.abs(box.position - place).max() < 1e-8
        assert abs(box.velocity @ downhill(angle)) < 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("h", [0.01, 0.001])
@pytest.mark.parametrize("back_spin", [0.0, 2.0, 4.0])
def test_billiard_ball(solver, h, back_spin):
    """Turn sliding into rolling by the closed form; with much back spin the ball comes back.

    Friction acts on v - R w, which shrinks by 7/2 mu g per second, from v0 + R b for the back spin b: rolling
    begins at 2 (v0 + R b) / (7 mu g), with the speed (5 v0 - 2 R b) / 7, which angular momentum about the
    floor demands. Back spin is given in v0 / R; beyond 5/2 the ball returns.
    """
    mu, radius, speed = 0.25, 0.05, 0.6
    material = Material(friction=mu)
    world = world_with_floor(material, h, strict(solver))
    ball = world.add_body(
        Sphere(radius),
        position=(0, 0, radius),
        velocity=(speed, 0, 0),
        angular_velocity=(0, -back_spin * speed / radius, 0),
        mass=0.2,
        material=material,
    )
    turn = 2 * speed * (1 + back_spin) / (7 * mu * G)
    last = speed * (5 - 2 * back_spin) / 7
    steps = int(turn / h) + 5
    seen = run(world, steps, lambda w: (ball.velocity[0], radius * ball.angular_velocity[1]))
    t = h * np.arange(steps + 1)
    slides = t < turn
    assert np.abs(seen[slides, 0] - (speed - mu * G * t[slides])).max() < 1e-9
    assert np.abs(seen[slides, 1] - (-back_spin * speed + 2.5 * mu * G * t[slides])).max() < 1e-8
    # rolling from the first step that ends after the moment on, and on at that speed
    rolls = np.flatnonzero(~slides)[1:]
    assert np.abs(seen[rolls] - last).max() < 1e-8
    assert abs(ball.position[2] - radius) < 1e-9 and np.abs(ball.angular_velocity[[0, 2]]).max() < 1e-9

"""Reported bugs of other engines: friction that creeps, pulls to one side or stops at the wrong place."""

import numpy as np
import pytest

from collision import Box
from engine import Material
from tests.cases.builders import floor_world, record, turn, turned_by

GRAVITY = 9.81


@pytest.mark.parametrize("degrees", [3.0, 10.0, 20.0, 30.0, 40.0])
@pytest.mark.parametrize("friction", [0.1, 0.3, 0.5, 0.7, 1.0])
def test_r11_box_on_a_ramp_sticks_or_slides(friction, degrees):
    """Hold a box on a ramp below the angle of friction, and let it slide as a = g (sin - mu cos) above.

    R11, newton friction grid: met there with 30 sub-steps to a frame of 1/60 s, here with one. The case
    asks for less than 20 mm and 0.1 m/s below the angle, more than 20 mm above, and 3 % of the acceleration.
    Friction acts half at the start and half at the end of a step, so a slide is exact, and what rests does
    not creep.
    """
    slope = np.radians(degrees)
    world = floor_world(time_step=1 / 60)
    material = Material(friction=friction)
    tilted = turn((1.0, 0.0, 0.0), slope)
    up = np.array([0.0, -np.sin(slope), np.cos(slope)])
    down = -np.array([0.0, np.cos(slope), np.sin(slope)])
    middle = np.array([0.0, 0.0, 3.0])
    world.add_body(Box((1.0, 5.0, 0.1)), kind="static", position=middle, quaternion=tilted, material=material)
    box = world.add_body(
        Box((0.4, 0.4, 0.1)), position=middle + 0.101 * up, quaternion=tilted, material=material
    )
    world.step(30)
    place, speed = box.position, box.velocity @ down
    world.step(15)
    way, gain = (box.position - place) @ down, box.velocity @ down - speed
    if np.tan(slope) < friction:
        assert np.linalg.norm(box.velocity) < 1e-8
        assert abs(way) < 1e-6
    else:
        acceleration = GRAVITY * (np.sin(slope) - friction * np.cos(slope))
        assert gain / 0.25 == pytest.approx(acceleration, rel=1e-6)
        assert way == pytest.approx(speed * 0.25 + 0.5 * acceleration * 0.25**2, rel=1e-6)
        assert way >= 0.02
    assert turned_by(box.quaternion, tilted) < 1e-6
    assert (box.position - middle) @ up == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize("time_step", [1 / 60, 1 / 240])
@pytest.mark.parametrize("friction", [0.2, 0.4, 0.7])
def test_r12_sliding_box_stops_after_the_known_distance(friction, time_step):
    """Stop a box that slides at 2 m/s after v^2 / (2 mu g): 1.0194, 0.5097, 0.2913 m.

    R12, newton stopping distance. Sliding is exact; in the step in which the box stops it may go
    wrong by what it would still slide there, mu g h^2 / 2 at most.
    """
    world = floor_world(friction=friction, time_step=time_step)
    box = world.add_body(
        Box((0.4, 0.4, 0.1)),
        position=(0.0, 0.0, 0.05),
        velocity=(2.0, 0.0, 0.0),
        material=Material(friction=friction),
    )
    world.step(round(2.0 / (friction * GRAVITY) / time_step) + 30)
    distance = 2.0**2 / (2.0 * friction * GRAVITY)
    assert box.position[0] == pytest.approx(distance, abs=0.5 * friction * GRAVITY * time_step**2 + 1e-6)
    np.testing.assert_allclose(box.velocity, 0.0, atol=1e-8)
    assert abs(box.position[1]) < 1e-6


@pytest.mark.parametrize("degrees", range(0, 360, 30))
def test_r13_friction_is_the_same_in_all_directions(degrees):
    """Brake a box as much, and as straight, whatever the direction it slides in.

    R13, JoltPhysics friction test: clamping each of two tangents by itself brakes harder along one of
    them and bends the path. A cube of 2 m, 1 mm inside the floor, 20 m/s, mu = sqrt(0.9 0.8), one second at
    60 Hz: 1e-2 m and 2e-2 m/s.
    """
    friction = np.sqrt(0.9 * 0.8)
    world = floor_world(friction=0.9, time_step=1 / 60)
    ahead = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0])
    box = world.add_body(
        Box((2.0, 2.0, 2.0)),
        position=(0.0, 0.0, 0.999),
        velocity=20.0 * ahead,
        material=Material(friction=0.8),
    )
    world.step(60)
    level = np.array([1.0, 1.0, 0.0])
    np.testing.assert_allclose(
        box.position * level, (20.0 - 0.5 * friction * GRAVITY) * ahead, rtol=0.0, atol=1e-2
    )
    np.testing.assert_allclose(box.velocity, (20.0 - friction * GRAVITY) * ahead, rtol=0.0, atol=2e-2)
    assert turned_by(box.quaternion, (1.0, 0.0, 0.0, 0.0)) < 1e-2


def test_r15_resting_cube_does_not_wander():
    """Keep a cube within 1e-6 m and 1e-6 rad of where it was set down on another.

    R15, bullet3#3049: 0.25 m of drift, or 0.05 m and a turn, in ten hours at 240 Hz. 2e4 steps here in
    place of the 2e5 of the case, to keep the test short.
    """
    world = floor_world(time_step=1 / 240)
    world.add_body(Box((1.0, 1.0, 1.0)), kind="static", position=(0.0, 0.0, 0.5))
    start = np.array([0.0, 0.0, 1.25])
    cube = world.add_body(Box((0.5, 0.5, 0.5)), position=start, mass=1.0)

    def drift():
        world.step(999)
        return np.linalg.norm(cube.position - start), turned_by(cube.quaternion, (1.0, 0.0, 0.0, 0.0))

    drifts = record(world, 20, drift)
    assert drifts[:, 0].max() < 1e-6
    assert drifts[:, 1].max() < 1e-6

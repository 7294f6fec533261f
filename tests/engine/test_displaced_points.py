"""Bodies that are displaced out of what they hit touch the ground below them, not where that was."""

import itertools

import numpy as np
import pytest

from stoss.collision import Box, Capsule, Cylinder, HalfSpace, Sphere, rotation
from stoss.engine import Hinge, Material, Settings, World

RADIUS = 0.0285  # [m] of a billiard ball
SPEED = 2.0  # [m/s]
STEPS = (0.003, 0.01, 0.014)  # [s]; at 2 m/s the balls meet within each other by up to their radius

LYING = rotation.from_axis_angle((1, 0, 0), np.pi / 2)
# shapes that roll along x, how they lie, and the share of their momentum about the ground that is spin
ROLLERS = {
    "ball": (Sphere(RADIUS), (1, 0, 0, 0), 2 / 7),
    "cylinder": (Cylinder(RADIUS, 0.04), LYING, 1 / 3),
    "capsule": (Capsule(RADIUS, 0.04), LYING, None),
}
# what touches at one point is solved by sweeps as well, exactly
CASES = [("ball", "direct"), ("ball", "gauss_seidel"), ("cylinder", "direct"), ("capsule", "direct")]


def _table(time_step, solver, friction):
    world = World(time_step=time_step, settings=Settings(solver=solver))
    smooth, cloth = Material(friction=0.0, restitution=1.0), Material(friction=friction)
    world.set_material_pair(smooth, cloth, friction=friction, restitution=0.0)
    world.add_body(HalfSpace(), kind="static", material=cloth)
    return world, smooth


def _roll(world, material, shape, quaternion, x):
    body = world.add_body(shape, position=(x, 0, RADIUS), quaternion=quaternion, mass=0.17, material=material)
    body.velocity, body.angular_velocity = (SPEED, 0, 0), (0, SPEED / RADIUS, 0)
    return body


@pytest.mark.parametrize("time_step", STEPS)
@pytest.mark.parametrize(("roller", "solver"), CASES)
def test_what_rolls_into_another_keeps_its_spin(roller, time_step, solver):
    """Leave it spinning in its place on a smooth ground, and the other sliding; neither leaves the ground."""
    shape, quaternion, _ = ROLLERS[roller]
    world, smooth = _table(time_step, solver, friction=0.0)
    cue = _roll(world, smooth, shape, quaternion, 0.0)
    other = world.add_body(
        shape, position=(0.3, 0, RADIUS), quaternion=quaternion, mass=0.17, material=smooth
    )
    for _ in range(round(0.25 / time_step)):
        world.step()
        assert np.abs(world.velocities[:, 2]).max() < 1e-8
    assert abs(cue.velocity[0]) < 1e-8 and abs(other.velocity[0] - SPEED) < 1e-8
    assert abs(cue.angular_velocity[1] - SPEED / RADIUS) < 1e-6
    assert np.abs(other.angular_velocity).max() < 1e-6


@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
@pytest.mark.parametrize("time_step", STEPS)
def test_ball_that_rolls_into_another_follows_it(time_step, solver):
    """Let both balls roll on at last, with 2/7 and 5/7 of the speed: momenta about the ground stay."""
    world, smooth = _table(time_step, solver, friction=0.2)
    cue = _roll(world, smooth, *ROLLERS["ball"][:2], 0.0)
    other = world.add_body(Sphere(RADIUS), position=(0.3, 0, RADIUS), mass=0.17, material=smooth)
    world.step(round(1.5 / time_step))
    assert abs(cue.velocity[0] - SPEED * 2 / 7) < 1e-6
    assert abs(other.velocity[0] - SPEED * 5 / 7) < 1e-6


@pytest.mark.parametrize("time_step", STEPS)
@pytest.mark.parametrize(("roller", "solver"), CASES[:3])
def test_what_rolls_against_a_smooth_wall_comes_back_slower(roller, time_step, solver):
    """Let it come back sliding, with its spin, and roll at last as its momentum about the ground says."""
    shape, quaternion, share = ROLLERS[roller]
    world, smooth = _table(time_step, solver, friction=0.2)
    body = _roll(world, smooth, shape, quaternion, 0.0)
    towards = rotation.from_axis_angle((0, 1, 0), -np.pi / 2)  # its normal is -x
    world.add_body(HalfSpace(), kind="static", position=(0.3, 0, 0), quaternion=towards, material=smooth)
    world.step(round(1.5 / time_step))
    assert abs(body.velocity[0] + SPEED * (1.0 - 2.0 * share)) < 1e-6


# wheels of a cart, and how they lie
WHEELS = {"cylinder": (Cylinder(0.1, 0.05), LYING), "ball": (Sphere(0.1), (1, 0, 0, 0))}


def _cart(world, material, wheel, speed, length):
    """Return a cart of four wheels that rolls along x; its front is at x = 0."""
    shape, quaternion = WHEELS[wheel]
    x = -0.5 * length
    chassis = world.add_body(
        Box((length, 0.3, 0.1)), position=(x, 0, 0.15), mass=4.0, material=material, velocity=(speed, 0, 0)
    )
    for place in itertools.product((x - 0.25, x + 0.25), (-0.22, 0.22), (0.1,)):
        body = world.add_body(
            shape,
            position=place,
            quaternion=quaternion,
            mass=0.3,
            material=material,
            velocity=(speed, 0, 0),
            angular_velocity=(0, speed / 0.1, 0),
        )
        world.add_joint(Hinge(place, (0, 1, 0)), chassis, body)
    return chassis


@pytest.mark.parametrize("time_step", [0.005, 0.01, 1 / 60, 0.033])
@pytest.mark.parametrize("speed", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("wheel", WHEELS)
def test_cart_that_runs_into_a_wall_stands_before_it(wheel, speed, time_step):
    """Displace it out of the wall by up to 13 cm on its wheels: they stand on the ground below them.

    The chassis hits the wall, without restitution: nothing lifts the cart, and nothing rolls it back.
    """
    world = World(time_step=time_step)
    material = Material(friction=0.8)
    world.add_body(HalfSpace(), kind="static", material=material)
    world.add_body(Box((0.2, 4, 2)), kind="static", position=(0.65, 0, 1.0), material=material)
    cart = _cart(world, material, wheel, speed, length=0.9)
    energy = world.report.energy
    for _ in range(round(1.5 / time_step)):
        report = world.step()
        assert report.energy < energy + 1e-9
        assert np.abs(world.velocities[:, 2]).max() < 1e-3
    assert abs(cart.position[0] - 0.1) < 1e-3 and np.abs(cart.velocity).max() < 1e-6
    assert np.abs(world.angular_velocities).max() < 1e-6

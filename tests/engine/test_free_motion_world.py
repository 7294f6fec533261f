"""Bodies that touch nothing, through the world: closed forms, reference motions, conservation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stoss.collision import Box, Sphere
from stoss.engine import Settings, World, from_values
from tests.engine.worlds import G, matrix, random_quaternion, run

# reference/multibody.md: body-frame angular velocity and orientation (w, x, y, z) of I = (0.2, 0.5, 0.4),
# omega = (0.7, -0.5, 0.9), from DOP853 at 1e-12; ten digits behind the point are given, nine are right.
REFERENCE = {
    1: ((0.512786658, -0.261457693, 1.072648482), (0.818162211, 0.268739923, -0.188884232, 0.471923932)),
    5: ((0.791573024, 0.599391593, 0.777893451), (-0.797686956, -0.516030284, 0.044639399, 0.308894141)),
    10: ((0.445346187, 0.129099112, -1.116915467), (0.052863086, 0.637105806, -0.701969880, -0.313910775)),
}


def test_free_fall_is_the_closed_form():
    """Follow x0 + v0 t + g t^2 / 2 to 1e-12 m over a second, in body and whole array."""
    gravity = np.array([0.3, -0.2, -9.81])
    world = World(gravity=gravity)
    start, speed = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 4.0])
    body = world.add_body(Box((0.3, 0.4, 0.5)), position=start, velocity=speed)
    seen = run(world, 100, lambda w: body.position)
    t = 0.01 * np.arange(101)[:, None]
    assert np.abs(seen - (start + speed * t + 0.5 * gravity * t * t)).max() < 1e-12
    assert np.abs(body.velocity - (speed + gravity)).max() < 1e-12
    assert (world.positions[0] == body.position).all() and world.time == pytest.approx(1.0, abs=1e-12)


def test_intermediate_axis_flips():
    """Flip 20 times in 100 s about the middle axis, keeping energy and angular momentum to 1e-8."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(
        mass_properties=from_values(1.0, (1.0, 2.0, 3.0)), angular_velocity=(0.01, 5.0, 0.01)
    )
    world.step()
    energy, momentum = world.report.kinetic_energy, world.report.angular_momentum
    signs = []
    worst = 0.0
    for _ in range(10000):
        report = world.step()
        worst = max(worst, abs(report.kinetic_energy / energy - 1.0))
        worst = max(worst, np.linalg.norm(report.angular_momentum - momentum) / np.linalg.norm(momentum))
        signs.append((matrix(body.quaternion).T @ body.angular_velocity)[1] > 0.0)
    assert np.count_nonzero(np.diff(signs)) == 20
    assert worst < 1e-8


@pytest.mark.parametrize("motion", ["symmetric", "rk4", "adaptive"])
def test_free_body_meets_the_reference(motion):
    """Meet the reference motion of a free body at 1, 5 and 10 s to 1e-6 with steps of 1 ms."""
    world = World(gravity=(0, 0, -G), time_step=1e-3, settings=Settings(motion=motion))
    properties = from_values(2.0, (0.2, 0.5, 0.4))
    body = world.add_body(mass_properties=properties, angular_velocity=(0.7, -0.5, 0.9))
    for time, (spin, turn) in REFERENCE.items():
        world.step(1000 * time - world.step_count)
        local = matrix(body.quaternion).T @ body.angular_velocity
        assert np.abs(local - spin).max() < 1e-6
        assert min(np.abs(body.quaternion - turn).max(), np.abs(body.quaternion + turn).max()) < 1e-6


def test_sphere_under_force_and_torque_is_the_closed_form():
    """Move and turn a sphere under constant force and torque exactly: 1e-12 after a second."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(Sphere(0.5), mass=2.0)
    world.forces[0] = (1.0, 2.0, -3.0)
    world.torques[0] = (0.0, 0.0, 0.4)
    world.step(100)
    inertia = 0.4 * 2.0 * 0.25
    assert np.abs(body.position - np.array([1.0, 2.0, -3.0]) / 4.0).max() < 1e-12
    assert np.abs(body.angular_velocity - [0.0, 0.0, 0.4 / inertia]).max() < 1e-12
    angle = 0.5 * 0.4 / inertia
    assert np.abs(body.quaternion - [np.cos(0.5 * angle), 0, 0, np.sin(0.5 * angle)]).max() < 1e-12


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_free_bodies_conserve(seed):
    """Keep momentum, angular momentum and energy of bodies that touch nothing, whatever their state."""
    rng = np.random.default_rng(seed)
    world = World(gravity=(0, 0, 0))
    for k in range(4):
        world.add_body(
            Box(rng.uniform(0.1, 1.0, 3)),
            position=(200.0 * k, 0, 0),
            quaternion=random_quaternion(rng),
            velocity=rng.uniform(-5, 5, 3),
            angular_velocity=rng.uniform(-5, 5, 3),
        )
    before = world.report
    after = world.step(50)
    size = np.abs(world.masses).sum() * 5.0
    assert np.abs(after.momentum - before.momentum).max() < 1e-13 * size
    assert np.abs(after.angular_momentum - before.angular_momentum).max() < 1e-12 * size * 1000.0
    assert after.kinetic_energy == pytest.approx(before.kinetic_energy, rel=1e-9)


def test_methods_agree_for_small_steps():
    """Reach the same pose by all five rotation methods as the step shrinks, to the error of their order.

    The symmetric method may be off by 1e-14 per step, 1e-11 in 1000 steps.
    """
    ends = {}
    for motion in ("symmetric", "rk4", "adaptive", "taylor", "euler"):
        world = World(gravity=(0, 0, 0), time_step=1e-4, settings=Settings(motion=motion))
        body = world.add_body(
            mass_properties=from_values(1.0, (0.2, 0.5, 0.4)), angular_velocity=(0.7, -0.5, 0.9)
        )
        world.step(1000)
        ends[motion] = body.quaternion
    for motion, bound in (("rk4", 1e-11), ("adaptive", 1e-7), ("taylor", 1e-7), ("euler", 1e-4)):
        assert np.abs(ends[motion] - ends["symmetric"]).max() < bound

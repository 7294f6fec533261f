"""Motors, dry friction and servos of joints, and the handles of drives."""

import math

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace
from stoss.engine import Ball, Free, Hinge, Settings, Slider, World
from tests.engine.joint_worlds import (
    ball,
    pendulum,
    rail,
    strict,
    totals,
    wheel,
)
from tests.engine.worlds import G

H = 0.01
SOLVERS = ["direct", "gauss_seidel"]


def weightless(joint):
    """Return the joint in a world without gravity."""
    joint.world.gravity = (0, 0, 0)
    return joint


# ------------------------------------------------------------------ motors and dry friction


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_motor_with_bounded_force(sign, solver):
    """Speed up by F/I until the rate is reached, then keep it with no force."""
    joint = weightless(wheel(0.5, settings=Settings(solver=solver)))
    motor = joint.motor(sign * 3.0, max_force=2.0)
    for k in range(1, 120):
        joint.world.step()
        # 4 rad/s^2: at the rate after 0.75 s
        assert joint.rate == pytest.approx(sign * min(0.04 * k, 3.0), abs=1e-9)
        if k < 75:
            assert motor.force == pytest.approx(sign * 2.0, abs=1e-9)
            assert joint.value == pytest.approx(sign * 2.0 * (k * H) ** 2, abs=1e-9)
        elif k > 76:
            assert motor.force == pytest.approx(0.0, abs=1e-6)


def test_motor_of_a_slider():
    """Push a mass by F/m until the speed is reached, against gravity with what that leaves."""
    joint = rail(mass=2.0, axis=(0, 0, 1), gravity=G)
    motor = joint.motor(0.5, max_force=2.0 * G + 4.0)
    for k in range(1, 60):
        joint.world.step()
        assert joint.rate == pytest.approx(min(0.02 * k, 0.5), abs=1e-9)
    assert motor.force == pytest.approx(2.0 * G, abs=1e-9)


def test_velocity_joint():
    """Have the wanted rate at the end of the very first step, and keep it whatever acts."""
    joint = pendulum(0.5)
    motor = joint.motor(1.5)
    for k in range(1, 200):
        joint.world.step()
        assert joint.rate == pytest.approx(1.5, abs=1e-9)
        assert joint.value == pytest.approx(1.5 * k * H, abs=1e-6)
        # the force is a mean over the step, of angles up to w h apart
        angle = 0.5 + 1.5 * (k - 0.5) * H
        if k > 1:
            assert motor.force == pytest.approx(G * 0.5 * np.sin(angle), abs=G * 0.5 * 1.5 * H)


@pytest.mark.parametrize("coordinate", ["x", "y", "z", "rotation x", "rotation y", "rotation z"])
def test_velocity_joints_of_every_kind(coordinate):
    """Hold any rate between two free bodies without a joint, and leave the other five as they were.

    The bodies are balls whose anchors are their centres, so rates do not mix.
    """
    world = World(gravity=(0, 0, 0))
    a = world.add_body(ball(0.2), mass=1.0, position=(0, 0, 0))
    b = world.add_body(ball(0.3), mass=2.0, position=(0, 0, 0))
    joint = world.add_joint(Free((0, 0, 0)), a, b)
    joint.motor(0.7, coordinate=coordinate)
    world.step(50)
    for name in ("x", "y", "z", "rotation x", "rotation y", "rotation z"):
        expected = 0.7 if name == coordinate else 0.0
        assert joint.rate_of(name) == pytest.approx(expected, abs=1e-9)
        assert joint.value_of(name) == pytest.approx(0.5 * expected, abs=1e-6)
    assert np.abs(totals(world)[:6]).max() < 1e-12


def test_blocked_motor():
    """Give all its force against what does not move, and no motion."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(Box((0.4, 0.3, 0.2)), mass=1.0)
    hinge = world.add_joint(Hinge((0, 0, 0), (0, 0, 1)), None, body)
    world.add_joint(Ball((0.5, 0, 0)), None, body)
    motor = hinge.motor(5.0, max_force=3.0)
    world.step(100)
    assert hinge.rate == pytest.approx(0.0, abs=1e-12)
    assert abs(hinge.value) < 1e-9
    assert motor.force == pytest.approx(3.0, abs=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_dry_friction(solver):
    """Slow down evenly by F/I, then stop for good, at w^2 I / (2 F)."""
    joint = weightless(wheel(0.5, rate=6.0, settings=Settings(solver=solver)))
    friction = joint.friction(2.5)
    for k in range(1, 200):
        joint.world.step()
        # 5 rad/s^2: at rest after 1.2 s
        assert joint.rate == pytest.approx(max(6.0 - 0.05 * k, 0.0), abs=1e-9)
        if k <= 120:
            assert friction.force == pytest.approx(-2.5, abs=1e-6)
    assert joint.value == pytest.approx(6.0**2 / (2.0 * 5.0), abs=1e-9)
    assert friction.force == pytest.approx(0.0, abs=1e-9)


def test_dry_friction_holds():
    """Hold a load below its bound without creep, and let one above it go with what is left."""
    joint = pendulum(0.3)
    load = G * 0.5 * np.sin(0.3)
    friction = joint.friction(1.2 * load)
    joint.world.step(500)
    assert abs(joint.value) < 1e-9 and abs(joint.rate) < 1e-9
    assert friction.force == pytest.approx(load, abs=1e-6)
    free = rail(mass=2.0, axis=(0, 0, -1), gravity=G)
    free.friction(0.25 * 2.0 * G)
    for _ in range(50):
        free.world.step()
        assert free.rate == pytest.approx(0.75 * G * free.world.time, abs=1e-9)


def test_motor_and_friction_together():
    """Let the motor work against the friction: what speeds up is the difference."""
    joint = weightless(wheel(0.5))
    joint.motor(10.0, max_force=3.0)
    joint.friction(1.0)
    joint.world.step(50)
    assert joint.rate == pytest.approx(2.0 / 0.5 * 0.5, abs=1e-9)


# ------------------------------------------------------------------ servos


@pytest.mark.parametrize("zeta", [1.0, 1.06])
def test_servo_without_overshoot(zeta):
    """Reach the target of a critically damped servo from below and stay there.

    The damper is of order 1: in steps of w h = 0.2 it damps by up to w h/4 = 5 % less than said, so critical
    damping overshoots by exp(-pi z / sqrt(1 - z^2)), z = 0.95, and a little more damping does not at all.
    """
    joint = weightless(wheel(0.5))
    servo = joint.servo(1.0, stiffness=200.0, damping=2.0 * zeta * np.sqrt(200.0 * 0.5))
    highest = 0.0
    for _ in range(200):
        joint.world.step()
        highest = max(highest, joint.value)
    # w = 20 / s; the slower root of 1.06 is 14 / s, so e^-28 is left after 2 s
    assert joint.value == pytest.approx(1.0, abs=1e-9)
    assert highest < 1.0 + (np.exp(-np.pi * 0.95 / np.sqrt(1.0 - 0.95**2)) if zeta == 1.0 else 1e-9)
    servo.target = -0.5
    joint.world.step(200)
    assert joint.value == pytest.approx(-0.5, abs=1e-9)


def test_servo_holds_a_load():
    """Hold a pendulum where spring and weight are in balance."""
    joint = pendulum(0.0)
    servo = joint.servo(0.6, stiffness=100.0, damping=20.0)
    joint.world.step(1000)
    assert 100.0 * (0.6 - joint.value) == pytest.approx(G * 0.5 * np.sin(joint.value), abs=1e-6)
    assert servo.force == pytest.approx(100.0 * (0.6 - joint.value), abs=1e-6)


def test_servo_saturates():
    """Accelerate with the largest force, no more, as long as a servo is far from its target."""
    joint = weightless(wheel(0.5))
    servo = joint.servo(100.0, stiffness=1e5, damping=1e3, max_force=4.0)
    for k in range(1, 101):
        joint.world.step()
        assert servo.force == pytest.approx(4.0, abs=1e-9)
        assert joint.rate == pytest.approx(8.0 * k * H, abs=1e-9)
        assert joint.value == pytest.approx(4.0 * (k * H) ** 2, abs=1e-9)


def test_weak_servo_gives_way():
    """Let a load above the largest force of a servo sink."""
    joint = rail(mass=2.0, axis=(0, 0, 1), gravity=G)
    servo = joint.servo(0.0, stiffness=1e4, damping=1e3, max_force=1.5 * G)
    # the damper takes part at once: it is at its bound at 1.5 m/s / 100
    joint.world.step(50)
    before = joint.rate
    joint.world.step(50)
    assert joint.rate - before == pytest.approx(-0.25 * G * 0.5, abs=1e-9)
    assert servo.force == pytest.approx(1.5 * G, abs=1e-9)


def test_drive_handles():
    """Act from the next step on what a handle changes, switches off or removes."""
    joint = weightless(wheel(0.5))
    motor = joint.motor(1.0, max_force=1.0)
    joint.world.step(10)
    assert joint.rate == pytest.approx(0.2, abs=1e-12)
    motor.max_force = 2.0
    joint.world.step(10)
    assert joint.rate == pytest.approx(0.6, abs=1e-12)
    motor.enabled = False
    joint.world.step(10)
    assert joint.rate == pytest.approx(0.6, abs=1e-12)
    assert motor.force == 0.0
    motor.enabled = True
    motor.target_rate = -1.0
    joint.world.step(10)
    assert joint.rate == pytest.approx(0.2, abs=1e-12)
    motor.remove()
    joint.world.step(10)
    assert joint.rate == pytest.approx(0.2, abs=1e-12)
    assert joint.drives == []


def test_slider_drive_on_two_bodies():
    """Share the motion of a motor between two free bodies against their masses."""
    world = World(gravity=(0, 0, 0), settings=strict())
    a = world.add_body(Box((0.2, 0.2, 0.2)), mass=1.0)
    b = world.add_body(Box((0.2, 0.2, 0.2)), mass=3.0, position=(1, 0, 0))
    joint = world.add_joint(Slider((0, 0, 0), (1, 0, 0)), a, b)
    joint.motor(2.0, max_force=6.0)
    world.step(10)
    assert a.velocity == pytest.approx((-0.6, 0, 0), abs=1e-9)
    assert b.velocity == pytest.approx((0.2, 0, 0), abs=1e-9)
    world.step(100)
    assert a.velocity == pytest.approx((-1.5, 0, 0), abs=1e-9)
    assert b.velocity == pytest.approx((0.5, 0, 0), abs=1e-9)


@pytest.mark.parametrize("lift", [0.0, 5e-4])
def test_dampers_do_not_answer_displacement(lift):
    """Turn a wheel at the rate of torque over damping, on a block at rest and on one that is lifted.

    The block begins with an edge in the ground; what brings it out is no motion.
    """
    world = World(time_step=H)
    world.add_body(HalfSpace(), kind="static")
    block = world.add_body(Box((2.0, 1.0, 1.0)), position=(0, 0, 0.5 - lift), density=1e6)
    block.quaternion = (math.cos(lift), 0.0, math.sin(lift), 0.0)
    disc = world.add_body(Box((1.0, 0.2, 1.0)), position=(0, 1.0, 1.5), mass=6.0)
    world.add_joint(Hinge((0, 1.0, 1.5), (0, 1, 0)), block, disc).damper(400.0)
    tilts = []
    for _ in range(3):
        world.torques[disc.index] = (0.0, 20.0, 0.0)
        world.step()
        tilts.append(float(block.quaternion[2]))
        if len(tilts) > 1:  # it has landed
            assert disc.angular_velocity[1] == pytest.approx(20.0 / 400.0, rel=1e-5)
    assert lift == 0.0 or tilts[0] - tilts[1] > 1e-4  # it is turned meanwhile

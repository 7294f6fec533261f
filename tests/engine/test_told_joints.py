"""Rates, values and stops of joints that are assigned in every step hold at its end, at order 2."""

from collections.abc import Callable

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Free, Hinge, Joint, Material, Screw, Servo, Settings, Slider, VelocityActuator, World

G = 9.81
AXIS = (0, 0, 1)
SOLVERS = pytest.mark.parametrize("solver", ["auto", "gauss_seidel"])
KINDS = [Hinge((0, 0, 0), AXIS), Slider((0, 0, 0), AXIS), Screw((0, 0, 0), AXIS, pitch=0.1)]
FAST, SLOWED = 12.0, 0.8 * G / 12.0  # [rad/s] of the sine, [m/s]: slowed down by 0.8 g at most


def sine(time: float) -> tuple[float, float, float]:
    """Return position, velocity and acceleration of what goes up and down."""
    c, s = np.cos(FAST * time), np.sin(FAST * time)
    return SLOWED / FAST * (1 - c), SLOWED * s, SLOWED * FAST * c


def parabola(time: float) -> tuple[float, float, float]:
    """Return the same of what is accelerated evenly."""
    return time * time, 2.0 * time, 2.0


Motion = Callable[[float], tuple[float, float, float]]


def lift(step: float, solver: str, motion: Motion) -> np.ndarray:
    """Return errors (steps, 3) of a motor's lift: force on its load [weights], velocity, value."""
    world = World(time_step=step, settings=Settings(solver=solver))
    cabin = world.add_body(Box((1, 1, 0.2)), mass=20.0)
    rough = Material(friction=0.5)
    box = world.add_body(Box((0.3, 0.3, 0.3)), position=(0, 0, 0.25), mass=1.5, material=rough)
    joint = world.add_joint(Slider((0, 0, 0), AXIS), None, cabin)
    motor = joint.motor(0.0, max_force=1e5)
    world.step(5)
    errors = []
    for k in range(1, round(0.8 / step) + 1):
        motor.target_rate = motion(k * step)[1]
        assert not world.step().ladder
        force = sum(contact.force_on(box)[2] for contact in box.contacts)
        value, rate, _ = motion(k * step)
        weights = force / (1.5 * G) - 1.0 - motion((k - 0.5) * step)[2] / G
        errors.append((weights, box.velocity[2] - rate, joint.value - value))
    return np.array(errors)


@SOLVERS
def test_motor_that_is_told_rates_carries(solver):
    """Press what lies on a lift with m (g + a), and lead it to the integral of its rates, at order 2."""
    runs = [np.abs(lift(step, solver, sine)) for step in (0.02, 0.01, 0.005)]
    for step, run in zip((0.02, 0.01, 0.005), runs, strict=True):
        # mean acceleration of a step, and trapezoidal rule
        assert run[5:, 0].max() < 1.5 * 0.8 * (FAST * step) ** 2 / 24
        assert run[:, 1].max() < 1e-6
        assert run[:, 2].max() < 1.5 * SLOWED * step * (FAST * step) * (1 + FAST / 12 * 0.8)
    for column in (0, 2):
        errors = [np.median(run[5:, column]) for run in runs]
        assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.4)
        assert errors[1] / errors[2] == pytest.approx(4.0, abs=0.4)


@SOLVERS
@pytest.mark.parametrize("step", [0.02, 0.01, 0.0025])
def test_even_acceleration_is_exact(step, solver):
    """Carry exactly what is accelerated evenly; the first step, a jump, is early by a h^2 / 2."""
    errors = lift(step, solver, parabola)
    assert np.abs(errors[1:, 0]).max() < 1e-6
    assert np.abs(errors[:, 1]).max() < 1e-6
    assert errors[1:, 2] == pytest.approx(step * step, abs=1e-6)


def told(kind, step: float, settings: Settings | None = None) -> tuple[World, Joint]:
    """Return a world in which a joint follows rates 4 sin 3t that are assigned before each step."""
    world = World(time_step=step, settings=settings)
    body = world.add_body(Box((1, 0.2, 0.1)), position=(0.3, 0, 0), mass=2.0)
    joint = world.add_joint(kind, None, body)
    joint.motor(0.0, max_force=1e5, coordinate="angle" if isinstance(kind, Screw) else None)
    world.before_step.append(tell)
    return world, joint


def tell(world: World) -> None:
    """Assign the rate that the motor is to have after the step that comes."""
    world.joints[0].drives[0].target_rate = 4.0 * np.sin(3 * (world.time + world.time_step))


@SOLVERS
@pytest.mark.parametrize("step", [0.02, 0.01, 0.0025])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_value_is_the_integral(kind, step, solver):
    """Lead a coordinate to the integral of its rates, linear in each step, and have the last one."""
    world, joint = told(kind, step, Settings(solver=solver))
    exact = 1e-6 if solver == "auto" else 1e-3
    begins = 0.5 * step * 4.0 * np.sin(3 * step)  # it starts at once
    for _ in range(5):
        world.step(round(0.2 / step))
        rates = 4.0 * np.sin(3 * step * np.arange(world.step_count + 1))
        integral = begins + 0.5 * step * (rates[1:] + rates[:-1]).sum()
        coordinate = joint.drives[0].coordinate
        assert joint.value_of(coordinate) == pytest.approx(integral, abs=exact)
        assert joint.rate_of(coordinate) == pytest.approx(rates[-1], abs=exact)


@pytest.mark.parametrize("settings", [{"largest_turn": 0.01}, {"order": 4}, {"time_of_impact": True}])
def test_sub_steps_follow_too(settings):
    """Come to the same in sub-steps, composed ones and such as are made again, with a pendulum at it."""
    world, joint = told(KINDS[0], 0.01, Settings(**settings))
    bob = world.add_body(Sphere(0.05), position=(1, 0, 0), mass=0.5)
    world.add_joint(Hinge((0.8, 0, 0), AXIS), world.bodies[0], bob)
    for _ in range(5):
        world.step(20)
        rates = 4.0 * np.sin(0.03 * np.arange(world.step_count + 1))
        integral = 0.005 * (rates[1] + (rates[1:] + rates[:-1]).sum())
        assert joint.value == pytest.approx(integral, abs=2e-6)


@pytest.mark.parametrize("bound", [np.inf, 5.0])
def test_one_assignment_is_a_jump(bound):
    """Have a rate that is assigned once in the whole step, as far as the motor can, and so after pauses."""
    world = World(gravity=(0, 0, 0), time_step=0.01)
    body = world.add_body(Box((0.2, 0.2, 0.2)), mass=1.0)
    joint = world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, body)
    motor = joint.motor(0.0, max_force=bound)
    way = rate = 0.0
    for wanted in (2.0, 3.0, -1.0, -3.0):
        motor.target_rate = wanted
        for _ in range(50):
            world.step()
            before, rate = rate, rate + np.clip(wanted - rate, -0.01 * bound, 0.01 * bound)
            way += 0.01 * (rate if np.isinf(bound) else 0.5 * (before + rate))
            assert joint.rate == pytest.approx(rate, abs=1e-9)
        assert joint.value == pytest.approx(way, abs=1e-9 if np.isinf(bound) else 0.02 * abs(wanted))


@pytest.mark.parametrize("gain", [0.3, 1.0, 1.7])
def test_loops_of_users_are_stable(gain):
    """Come to rest at a goal by rates in proportion to what is missing, up to the gain of one step."""
    world = World(gravity=(0, 0, 0), time_step=0.01)
    body = world.add_body(Box((0.2, 0.2, 0.2)), mass=1.0)
    joint = world.add_joint(Hinge((0, 0, 0), AXIS), None, body)
    motor = joint.motor(0.0)
    for k in range(120):
        motor.target_rate = gain / 0.01 * (1.0 - joint.value)
        world.step()
        assert k > 0 or joint.value == pytest.approx(gain, abs=1e-9)
    assert joint.value == pytest.approx(1.0, abs=1e-6)


def driven(time: float, equation: Callable[[float, np.ndarray], np.ndarray], size: int = 2) -> np.ndarray:
    """Return value and rate at a time, from rest, by Runge's method."""
    y, h = np.zeros(size), 1e-3
    for k in range(round(time / h)):
        t = k * h
        a = equation(t, y)
        b = equation(t + h / 2, y + h / 2 * a)
        c = equation(t + h / 2, y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + equation(t + h, y + h * c))
    return y


@SOLVERS
@pytest.mark.parametrize(("stiffness", "with_rate"), [(100.0, False), (100.0, True), (0.0, True)])
def test_servos_that_are_told_where_to_be(stiffness, with_rate, solver):
    """Follow the oscillator m x'' = k (s - x) + d (s' - x'), s told in every step, at order 2."""

    def equation(t, y):
        rate = 3 * np.sin(3 * t) if with_rate else 0.0
        return np.array([y[1], (stiffness * (1 - np.cos(3 * t) - y[0]) + 10.0 * (rate - y[1])) / 2.0])

    errors = []
    for step in (0.02, 0.01, 0.005):
        world = World(gravity=(0, 0, 0), time_step=step, settings=Settings(solver=solver))
        body = world.add_body(Box((0.1, 0.1, 0.1)), mass=2.0)
        joint = world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, body)
        servo = joint.servo(0.0, stiffness=stiffness, damping=10.0)
        for k in range(1, round(1.2 / step) + 1):
            servo.target = 1 - np.cos(3 * k * step)
            if with_rate:
                servo.target_rate = 3 * np.sin(3 * k * step)
            world.step()
        errors.append(np.linalg.norm(np.array([joint.value, joint.rate]) - driven(1.2, equation)))
    assert errors[1] < 1.5e-3
    ratios = np.array([errors[0] / errors[1], errors[1] / errors[2]])
    assert ratios == pytest.approx(4.0, abs=0.4)


def test_commands_of_velocity_actuators():
    """Lead a coordinate to the integral of the commands, at order 2."""
    errors = []
    for step in (0.02, 0.01, 0.005):
        world = World(gravity=(0, 0, 0), time_step=step)
        body = world.add_body(Box((0.1, 0.1, 0.1)), mass=2.0)
        joint = world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, body)
        actuator = world.add_actuator(VelocityActuator(joint))
        world.step()
        for k in range(1, round(0.6 / step) + 1):
            actuator.command = np.sin(6 * k * step)
            world.step()
        assert joint.rate == pytest.approx(np.sin(3.6), abs=1e-8)
        errors.append(abs(joint.value - (1 - np.cos(3.6)) / 6))
    assert errors[1] < 3e-4
    assert [errors[0] / errors[1], errors[1] / errors[2]] == pytest.approx([4.0, 4.0], abs=0.2)


@pytest.mark.parametrize("ki", [0.0, 80.0])
def test_servos_as_actuators(ki):
    """Follow m x'' = kp e + ki (integral of e) + kd e', told in every step, at order 2."""

    def equation(t, y):
        error = 1 - np.cos(3 * t) - y[0]
        force = 100 * error + ki * y[2] + 10 * (3 * np.sin(3 * t) - y[1])
        return np.array([y[1], force / 2.0, error])

    exact, errors = driven(0.6, equation, 3)[:2], []
    for step in (0.01, 0.005, 0.0025):
        world = World(gravity=(0, 0, 0), time_step=step)
        body = world.add_body(Box((0.1, 0.1, 0.1)), mass=2.0)
        joint = world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, body)
        servo = world.add_actuator(Servo(joint, kp=100.0, ki=ki, kd=10.0))
        world.step()
        for k in range(1, round(0.6 / step) + 1):
            servo.target, servo.target_rate = 1 - np.cos(3 * k * step), 3 * np.sin(3 * k * step)
            world.step()
        errors.append(np.linalg.norm(np.array([joint.value, joint.rate]) - exact))
    assert errors[0] < 2e-3
    assert [errors[0] / errors[1], errors[1] / errors[2]] == pytest.approx([4.0, 4.0], abs=0.4)


def raised(step: float, solver: str, motion: Motion, rope: bool) -> np.ndarray:
    """Return errors (steps, 3) of what a stop raises, or a rope: its force [weights], velocity, value."""
    world = World(time_step=step, settings=Settings(solver=solver))
    body = world.add_body(Box((0.2, 0.2, 0.2)), mass=2.0)
    if rope:
        joint = world.add_joint(Free((0, 0, 3), second_point=(0, 0, 0)), None, body)
        joint.limit(upper=3.0, coordinate="distance")
    else:
        joint = world.add_joint(Slider((0, 0, 0), AXIS), None, body)
        joint.limit(0.0, 10.0)
    stop = joint.limits[0]
    world.step(5)
    errors = []
    for k in range(1, round(0.8 / step) + 1):
        value, rate, _ = motion(k * step)
        if rope:
            stop.upper = 3.0 - value
        else:
            stop.lower = value
        world.step()
        weights = abs(stop.force) / (2.0 * G) - 1.0 - motion((k - 0.5) * step)[2] / G
        errors.append((weights, body.velocity[2] - rate, body.position[2] - value))
    return np.array(errors)


@SOLVERS
@pytest.mark.parametrize("rope", [False, True])
def test_stops_that_are_moved_carry(rope, solver):
    """Hold what a stop or a rope raises with m (g + a), where it slows down too, at order 2."""
    runs = [np.abs(raised(step, solver, sine, rope)[8:]) for step in (0.01, 0.005, 0.0025)]
    for run, jerk in zip(runs, (0.045, 0.025, 0.015), strict=True):
        assert run[:, 0].max() < jerk  # where the jerk turns round, one step is of order 1
        assert run[:, 2].max() < 1e-5
    for column in (0, 1):
        errors = [np.median(run[:, column]) for run in runs]
        assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.5)
        assert errors[1] / errors[2] == pytest.approx(4.0, abs=0.5)


@SOLVERS
@pytest.mark.parametrize("step", [0.02, 0.005])
def test_stop_that_is_accelerated_evenly_is_exact(step, solver):
    """Hold with m (g + a), exactly from the third step on, what a stop accelerates evenly."""
    errors = np.abs(raised(step, solver, parabola, rope=False)[3:])
    assert errors[:, 0].max() < 1e-8 and errors[:, 1:].max() < 1e-9


def test_half_way_is_saved_and_undone():
    """Go on from snapshots and copies with the same bits."""
    world, joint = told(KINDS[0], 0.01)
    arm = world.add_body(Box((0.2, 0.2, 0.2)), position=(3, 0, 0), mass=1.0)
    other = world.add_joint(Slider((3, 0, 0), AXIS), None, arm)
    other.limit(0.0, 5.0)
    world.before_step.append(raise_stop)
    world.step(20)
    twin, snapshot = world.copy(), world.save()
    world.step(20)
    expected = world.state_hash()
    twin.step(20)
    world.restore(snapshot)
    world.step(20)
    assert twin.state_hash() == expected == world.state_hash()


def raise_stop(world: World) -> None:
    """Move the stop of the second joint."""
    world.joints[1].limits[0].lower = 0.2 * np.sin(3 * (world.time + world.time_step)) ** 2

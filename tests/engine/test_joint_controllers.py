"""PID controllers, and set points that follow a schedule."""

import numpy as np
import pytest

from stoss.collision import Box
from stoss.engine import Hinge, Settings, World
from tests.engine.joint_worlds import pendulum, rail, totals, wheel

H = 0.01
THESIS = dict(gain=8.0, reset_time=2.0, derivative_time=0.35, window=2.0)


def pid_oracle(
    target: float, inertia: float, steps: int, *, gain, reset_time, derivative_time, window, bound=np.inf
) -> np.ndarray:
    """Return the angles of a wheel under eq. 3.23 of the thesis, its force constant in a step.

    sg = K (e + h/TN sum of the last e + TV (e - e_last)/h), the sum frozen while sg is at its bound.
    """
    angle = rate = 0.0
    past: list[float] = []
    out = np.zeros(steps)
    last = target
    for k in range(steps):
        error = target - angle
        recent = past[-round(window / H) :]
        wanted = gain * (error + H / reset_time * sum(recent) + derivative_time * (error - last) / H)
        torque = min(max(wanted, -bound), bound)
        past.append(error if wanted == torque else 0.0)
        last = error
        angle += H * rate + 0.5 * H * H * torque / inertia
        rate += H * torque / inertia
        out[k] = angle
    return out


@pytest.mark.parametrize("bound", [np.inf, 5.0])
@pytest.mark.parametrize("inertia", [0.1, 0.5])
def test_pid_is_that_of_the_thesis(inertia, bound):
    """Follow the discrete PID law of the thesis step by step, with and without a bound on its torque."""
    joint = wheel(inertia)
    joint.world.gravity = (0, 0, 0)
    controller = joint.pid(1.2, max_force=bound, **THESIS)
    expected = pid_oracle(1.2, inertia, 600, bound=bound, **THESIS)
    strongest = 0.0
    for k in range(600):
        joint.world.step()
        strongest = max(strongest, abs(controller.force))
        assert joint.value == pytest.approx(expected[k], abs=1e-9)
    assert strongest <= bound
    assert bound == np.inf or strongest == pytest.approx(bound, rel=1e-12)


def test_pid_reaches_its_target():
    """Turn a hinge between two free bodies to 60 degrees within 0.3 after 6 s, without angular momentum.

    Parameters and figures of the thesis (section 3.2.5); the bodies are ours.
    """
    world = World(gravity=(0, 0, 0))
    a = world.add_body(Box((0.5, 0.5, 0.5)), mass=3.0)
    b = world.add_body(Box((0.5, 0.5, 0.5)), mass=1.5, position=(0, 0, 0.6))
    joint = world.add_joint(Hinge((0, 0, 0.3), (0, 0, 1)), a, b)
    joint.pid(np.radians(60.0), **THESIS)
    world.step(600)
    assert np.degrees(joint.value) == pytest.approx(60.0, abs=0.3)
    assert np.abs(totals(world)[:6]).max() < 1e-14
    assert joint.error < 1e-9


def test_pid_removes_a_lasting_error():
    """Bring a loaded pendulum nearer to its target with the integral than without it."""
    left = []
    for reset_time in (np.inf, 2.0):
        joint = pendulum(0.0)
        joint.pid(0.5, gain=30.0, reset_time=reset_time, derivative_time=0.2, window=2.0)
        joint.world.step(3000)
        left.append(abs(joint.value - 0.5))
    # without integral K e balances the weight: e = m g L/2 sin(a) / K
    assert 30.0 * left[0] == pytest.approx(9.81 * 0.5 * np.sin(0.5 - left[0]), rel=1e-6)
    # over the window of 2 s the integral multiplies the gain by 1 + window / reset time = 2
    assert 60.0 * left[1] == pytest.approx(9.81 * 0.5 * np.sin(0.5 - left[1]), rel=1e-6)


def test_pid_of_a_slider():
    """Move a mass along a rail to its place."""
    joint = rail(mass=2.0)
    joint.pid(0.4, gain=50.0, derivative_time=0.4)
    joint.world.step(1000)
    assert joint.value == pytest.approx(0.4, abs=1e-6)


TIMES, VALUES = [0.5, 1.0, 2.0, 2.5], [0.0, 1.0, -0.5, -0.5]


def test_servo_schedule():
    """Take the target from the schedule: linear between its points, constant before and after them."""
    joint = wheel()
    joint.world.gravity = (0, 0, 0)
    servo = joint.servo(9.0, stiffness=1e6, damping=1e4)
    servo.schedule(TIMES, VALUES)
    for _ in range(300):
        joint.world.step()
        expected = np.interp(joint.world.time, TIMES, VALUES)
        assert servo.target == pytest.approx(expected, abs=1e-12)
        # damping/stiffness = 10 ms late at 1.5 to 2 rad/s
        assert joint.value == pytest.approx(expected, abs=0.04)
    assert joint.value == pytest.approx(-0.5, abs=1e-6)


def test_motor_schedule():
    """Take the rate of a motor from the schedule, exactly at the end of every step."""
    joint = pendulum(0.2)
    motor = joint.motor()
    motor.schedule(TIMES, VALUES)
    for _ in range(300):
        joint.world.step()
        expected = np.interp(joint.world.time, TIMES, VALUES)
        assert motor.target_rate == pytest.approx(expected, abs=1e-12)
        assert joint.rate == pytest.approx(expected, abs=1e-9)
    # the area under the schedule, each step having the rate of its end: (last - first rate) h/2 more
    assert joint.value == pytest.approx(np.trapezoid(VALUES, TIMES) - 0.25, abs=3.0 * H)


def test_pid_schedule():
    """Take the target of a controller from its schedule, until one is assigned."""
    joint = wheel(0.1)
    joint.world.gravity = (0, 0, 0)
    controller = joint.pid(0.0, **THESIS)
    controller.schedule([0.0, 1.0], [0.0, 0.5])
    joint.world.step(50)
    assert controller.target == pytest.approx(0.25, abs=1e-12)
    controller.target = -0.3
    joint.world.step(10)
    assert controller.target == -0.3


def test_schedule_ends_when_a_target_is_assigned():
    """Keep an assigned rate in place of the schedule."""
    joint = wheel()
    motor = joint.motor()
    motor.schedule([0.0, 10.0], [0.0, 10.0])
    joint.world.step(100)
    assert joint.rate == pytest.approx(1.0, abs=1e-9)
    motor.target_rate = -2.0
    joint.world.step()
    assert joint.rate == pytest.approx(-2.0, abs=1e-9)


@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
def test_a_controller_that_pushes_against_a_stop_says_how_hard(solver):
    """Tell the controller's torque and the stop's against it, although neither moves anything."""
    world = World(time_step=0.005, gravity=(0, 0, 0), settings=Settings(solver=solver))
    rod = world.add_body(Box((1, 0.1, 0.1)), mass=1.0, position=(0.5, 0, 0))
    hinge = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, rod)
    stop, drive = hinge.limit(-0.2, 0.2), hinge.pid(1.0, gain=10.0)
    world.step(400)
    assert hinge.value == pytest.approx(0.2, abs=1e-9)
    assert (drive.force, stop.force) == pytest.approx((8.0, -8.0), rel=1e-6)

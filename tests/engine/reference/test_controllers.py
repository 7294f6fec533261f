"""Servos of a world in the reference: laws that are continuous in time, and what it refuses."""

import numpy as np
import pytest

import stoss as st
from stoss.engine.reference import ReferenceSolver


def wheel(time_step=0.01):
    """Return a wheel of 2 kg m^2 on a hinge, nothing else acting on it."""
    world = st.World(gravity=(0.0, 0.0, 0.0), time_step=time_step)
    body = world.add_body(mass_properties=st.from_values(1.0, 2.0 * np.eye(3)), name="wheel")
    world.add_joint(st.Hinge((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), None, body, name="axle")
    return world


@pytest.mark.parametrize("implicit", [True, False])
def test_a_pid_is_that_of_the_cubic(implicit):
    """Follow the solution of J x''' + kd x'' + kp x' + ki x = ki goal, x the angle."""
    world = wheel()
    kp, ki, kd, goal = 30.0, 20.0, 8.0, 0.7
    world.add_actuator(st.Servo(world.joint("axle"), kp=kp, ki=ki, kd=kd, target=goal, implicit=implicit))
    run = ReferenceSolver(world).run(3.0, every=0.1)
    system = np.array([[0.0, 1.0, 0.0], [-kp / 2.0, -kd / 2.0, ki / 2.0], [-1.0, 0.0, 0.0]])
    values, vectors = np.linalg.eig(system)
    wanted = np.array([0.0, goal * kp / 2.0, goal])  # of the constant part
    rest = np.linalg.solve(system, -wanted)
    weights = np.linalg.solve(vectors, (np.zeros(3) - rest).astype(complex))
    angles = [(vectors @ (weights * np.exp(values * t)) + rest)[0].real for t in run.times]
    np.testing.assert_allclose(run.joint("axle").value, angles, atol=1e-9)
    assert len(world.actuators) == 1  # of the world itself
    world.step(300)
    assert world.joint("axle").value == pytest.approx(angles[-1], abs=2e-3)


def test_limits_paths_and_torques():
    """Keep within limits without winding up, follow a moving target, give constant torques."""
    world = wheel()
    world.add_actuator(st.Servo(world.joint("axle"), kp=500.0, ki=300.0, kd=60.0, target=2.0, limit=3.0))
    run = ReferenceSolver(world).run(4.0, every=0.01, rtol=1e-9, max_step=0.01)
    axle = run.joint("axle")
    assert np.abs(axle.drive["angle"]).max() <= 3.0
    np.testing.assert_allclose(axle.value[:50], 0.75 * run.times[:50] ** 2, atol=1e-8)
    world.step(400)
    assert world.joint("axle").value == pytest.approx(axle.value[-1], abs=0.02)

    world = wheel()
    world.add_actuator(st.Servo(world.joint("axle"), kp=400.0, kd=40.0, target=lambda t: 0.5 * np.sin(t)))
    run = ReferenceSolver(world).run(2.0, every=0.05)
    world.step(200)
    assert world.joint("axle").value == pytest.approx(run.joint("axle").value[-1], abs=1e-3)
    # the force of the target's own acceleration is what is missing: J x'' over kp
    np.testing.assert_allclose(run.joint("axle").value[-1], 0.5 * np.sin(2.0), atol=2.0 * 0.5 / 400.0 + 1e-3)

    world = wheel()
    motor = world.add_actuator(st.TorqueActuator(world.joint("axle")))
    motor.command = 0.4
    run = ReferenceSolver(world).run(1.0, every=0.5)
    np.testing.assert_allclose(run.joint("axle").value, (0.0, 0.025, 0.1), atol=1e-9)


def test_what_acts_at_steps_is_refused():
    """Refuse controllers, delays, actuators of rates and functions before steps; name each."""

    def refused(world, told):
        with pytest.raises(ValueError, match=told):
            ReferenceSolver(world)

    world = wheel()
    world.add_controller(lambda world: None, name="brain")
    refused(world, "controllers 'brain'.*steps")
    world = wheel()
    world.before_step.append(print)
    refused(world, "functions before steps")
    world = wheel()
    world.add_actuator(st.Servo(world.joint("axle"), kp=1.0, delay=0.1, implicit=False), name="late")
    refused(world, "'axle'.*'late'")
    world = wheel()
    world.add_actuator(st.VelocityActuator(world.joint("axle")), name="fan")
    refused(world, "'axle'.*'fan', a VelocityActuator")

"""Forces after a change of the step's length, settings from numpy, a margin that fits step and gravity."""

import warnings

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Hinge, Settings, Slider, World

G = 9.81


@pytest.mark.parametrize("sleeping", [False, True])
@pytest.mark.parametrize("other", [0.002, 0.05])
def test_forces_after_a_change_of_the_step(sleeping, other):
    """Read the mean forces of the last step, whatever length the next one is to have."""
    world = World(settings=Settings(sleeping=sleeping, sleep_time=0.05))
    body = world.add_body(Sphere(0.1), mass=2.0)
    joint = world.add_joint(Slider((0, 0, 0), (0, 0, 1)), None, body)
    motor = joint.motor()
    world.step(20)
    for _ in range(2):
        assert joint.force[2] == pytest.approx(2.0 * G, rel=1e-9)
        assert motor.force == pytest.approx(2.0 * G, rel=1e-9)
        world.time_step = other
        assert motor.force == pytest.approx(2.0 * G, rel=1e-9)
        snapshot = world.save()
        world.step(1)
    world.restore(snapshot)
    assert motor.force == pytest.approx(2.0 * G, rel=1e-9)


def test_settings_from_numpy():
    """Take numbers of numpy, and make them floats, ints and bools."""
    settings = Settings(
        sweeps=np.int64(20), resting_speed=np.float32(0.25), direct_work=2000, sleeping=np.bool_(True)
    )
    assert type(settings.sweeps) is int and settings.sweeps == 20
    assert type(settings.direct_work) is float and type(settings.resting_speed) is float
    assert settings.sleeping is True
    for bad in (np.float64(20.0), np.bool_(True), 0):
        with pytest.raises((TypeError, ValueError), match="settings.sweeps"):
            Settings(sweeps=bad)


@pytest.mark.parametrize("damping", [90.0, 400.0])
@pytest.mark.parametrize("h", [0.01, 0.002])
def test_servo_follows_the_slope_of_its_schedule(damping, h):
    """Be at the set point of a ramp, not damping/stiffness late, after the start has died away."""
    world = World(gravity=(0, 0, 0), time_step=h)
    body = world.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, position=(1, 0, 0))
    joint = world.add_joint(Hinge((0, 0, 0), (0, 0, 1)), None, body)
    servo = joint.servo(0.0, stiffness=4000.0, damping=damping)
    servo.schedule([0, 1, 2], [0, 1, -1])
    for _ in range(round(0.9 / h)):
        world.step()
    assert joint.value == pytest.approx(world.time, abs=1e-6) and joint.rate == pytest.approx(1.0, abs=1e-4)
    world.step(round(1.0 / h))
    # the preview of a step is right to 1e-6 m, at 1 m from the hinge
    assert joint.value == pytest.approx(3.0 - 2.0 * world.time, abs=5e-6)
    servo.target = 0.5
    assert servo.target_rate == 0.0


def dice(settings, h=0.01):
    """Return a column of dice of 2 mm."""
    world = World(time_step=h, settings=settings)
    world.add_body(HalfSpace(), kind="static")
    for k in range(3):
        world.add_body(Box((0.002, 0.002, 0.002)), mass=1e-5, position=(0, 0, 0.001 + 0.002 * k))
    return world


def test_margin_below_what_gravity_moves():
    """Warn once, naming margin, step and cure, where bodies at rest would be seen too late."""
    world = dice(Settings().scaled(0.001))
    with pytest.warns(UserWarning, match="contact_margin.*time_step.*scaled"):
        world.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world.step(2)
        world.time_step = 0.01 * 0.001**0.5
        world.step()
        dice(Settings().scaled(0.001), 0.01 * 0.001**0.5).step()
        dice(Settings()).step()
        World(time_step=0.1, gravity=(0, 0, 0)).step()
    world.time_step = 0.01
    world.gravity = (0, 0, -20.0)
    with pytest.warns(UserWarning, match="contact_margin"):
        world.step()

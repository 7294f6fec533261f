"""Motors whose rate a schedule changes lead to the integral of it, at order 2, and carry without jerks."""

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Hinge, Material, Screw, Settings, Slider, World

G = 9.81
AXIS = (0, 0, 1)
KINDS = [Hinge((0, 0, 0), AXIS), Slider((0, 0, 0), AXIS), Screw((0, 0, 0), AXIS, pitch=0.1)]


def scheduled(kind, step, settings=None, rate=4.0, bound=1e5):
    """Return a world, and a joint whose motor follows rate sin 3t, linear between points each 20 ms."""
    world = World(time_step=step, settings=settings)
    body = world.add_body(Box((1, 0.2, 0.1)), position=(0.3, 0, 0), mass=2.0)
    joint = world.add_joint(kind, None, body)
    times = np.linspace(0, 3, 151)
    coordinate = "angle" if isinstance(kind, Screw) else None
    joint.motor(0.0, max_force=bound, coordinate=coordinate).schedule(times, rate * np.sin(3 * times))
    return world, joint


def integral(time, rate=4.0):
    """Return the integral of the schedule up to a time that is one of its points."""
    values = rate * np.sin(3 * np.linspace(0, time, round(time / 0.02) + 1))
    return 0.01 * (values[1:] + values[:-1]).sum()


@pytest.mark.parametrize("solver", ["auto", "gauss_seidel"])
@pytest.mark.parametrize("step", [0.02, 0.01, 0.0025])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_value_is_the_integral(kind, step, solver):
    """Lead a coordinate to the integral of its rate, linear in each step, and have that rate there."""
    world, joint = scheduled(kind, step, Settings(solver=solver))
    exact = 1e-6 if solver == "auto" else 1e-3
    for _ in range(5):
        world.step(round(0.2 / step))
        coordinate = joint.drives[0].coordinate
        assert joint.value_of(coordinate) == pytest.approx(integral(world.time), abs=exact)
        assert joint.rate_of(coordinate) == pytest.approx(4.0 * np.sin(3 * world.time), abs=exact)


@pytest.mark.parametrize("settings", [{"largest_turn": 0.01}, {"order": 4}, {"time_of_impact": True}])
def test_sub_steps_follow_too(settings):
    """Come to the same in sub-steps, composed ones and such as are made again, with a free pendulum at it."""
    world, joint = scheduled(KINDS[0], 0.01, Settings(**settings))
    bob = world.add_body(Sphere(0.05), position=(1, 0, 0), mass=0.5)
    world.add_joint(Hinge((0.8, 0, 0), AXIS), world.bodies[0], bob)
    for _ in range(5):
        report = world.step(20)
        assert joint.value == pytest.approx(integral(world.time), abs=2e-6)
    assert "largest_turn" not in settings or report.sub_steps > 2


@pytest.mark.parametrize("step", [0.001, 0.005, 0.01])
def test_lift_carries_without_jerks(step):
    """Press what lies on a lift with m (g + a), also where the lift is slowed down by most of gravity."""
    world = World(time_step=step)
    lift = world.add_body(Box((1, 1, 0.2)), mass=20.0)
    box = world.add_body(
        Box((0.3, 0.3, 0.3)), position=(0, 0, 0.25), mass=1.5, material=Material(friction=0.5)
    )
    joint = world.add_joint(Slider((0, 0, 0), AXIS), None, lift)
    times = np.linspace(0, 2, 2001)
    frequency, amplitude = 12.0, 0.8 * G / 12.0
    joint.motor(0.0, max_force=1e5).schedule(times, amplitude * np.sin(frequency * times))
    world.step(5)
    for _ in range(round(0.8 / step)):
        assert not world.step().ladder
        force = sum(abs(contact.impulse[2]) for contact in box.contacts) / step
        middle = world.time - 0.5 * step
        wanted = 1.5 * (G + amplitude * frequency * np.cos(frequency * middle))
        assert force == pytest.approx(wanted, abs=0.02 * 1.5 * G)
        assert box.position[2] - lift.position[2] < 0.25 + 1e-9


def test_half_way_is_saved():
    """Go on from snapshots and copies with the same bits."""
    world, _ = scheduled(KINDS[0], 0.01)
    world.step(20)
    other, snapshot = world.copy(), world.save()
    world.step(20)
    expected = world.state_hash()
    other.step(20)
    world.restore(snapshot)
    world.step(20)
    assert other.state_hash() == expected == world.state_hash()


def test_rate_of_the_user_takes_over():
    """Hold a rate that is assigned, in place of the schedule."""
    world, joint = scheduled(KINDS[0], 0.01)
    world.step(20)
    joint.drives[0].target_rate = 1.5
    before = joint.value
    world.step(10)
    assert joint.rate == pytest.approx(1.5, abs=1e-9) and joint.value == pytest.approx(
        before + 0.15, abs=1e-6
    )


def test_weak_motor_gives_what_it_may():
    """Turn as the bound of the torque lets it where the schedule asks for more."""
    world, joint = scheduled(KINDS[0], 0.01, rate=40.0, bound=1.0)
    inertia = 2.0 * (0.3**2 + (1 + 0.2**2) / 12)
    world.step(30)
    assert joint.rate == pytest.approx(0.3 / inertia, rel=1e-5)
    assert joint.value == pytest.approx(0.5 * 0.3**2 / inertia, rel=1e-5)

"""Stops of joints: heights after bounces, stops that are set elsewhere or move, slow impacts."""

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Free, Hinge, Settings, Slider, World

G = 9.81


def slider(e, h=0.01, height=1.0, **settings):
    """Return a slider above a stop, in which it has fallen by `height` [m]."""
    world = World(time_step=h, settings=Settings(**settings))
    body = world.add_body(Box((0.2, 0.2, 0.2)), mass=2.0, position=(0, 0, height))
    joint = world.add_joint(Slider((0, 0, height), (0, 0, 1)), None, body)
    joint.limit(lower=-height, restitution=e)
    return world, body


@pytest.mark.parametrize("e", [0.4, 0.7, 1.0])
@pytest.mark.parametrize("settings", [{}, {"time_of_impact": True}, {"solver": "gauss_seidel"}])
@pytest.mark.parametrize("h", [0.01, 0.003])
def test_heights_of_bounces(e, settings, h):
    """Leave a stop with e^2 of the energy at it, at every bounce and step length."""
    world, body = slider(e, h, **settings)
    bounces, before = 0, -1.0
    for _ in range(int(2.0 / h)):
        world.step()
        now = body.velocity[2]
        if before < -0.3 and now > 0.0:
            bounces += 1
            height = body.position[2] + now * now / (2.0 * G)
            assert height == pytest.approx(e ** (2 * bounces), rel=1e-6)
        before = now
    assert bounces >= 2


def test_time_of_impact_sees_stops():
    """End a sub-step where a stop is met: never be beyond it, and count it."""
    world, body = slider(0.7, time_of_impact=True)
    found = 0
    for _ in range(150):
        found += world.step().times_of_impact
        assert body.position[2] >= -1e-6
    assert found >= 2


@pytest.mark.parametrize("h", [0.01, 0.005])
def test_restitution_on_a_spring(h):
    """Take (1 - e^2) of the kinetic energy at a stop that a spring pulls to."""
    world = World(gravity=(0, 0, 0), time_step=h)
    body = world.add_body(Box((0.2, 0.2, 0.2)), mass=2.0)
    joint = world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, body)
    joint.spring(50.0, rest=0.6)
    joint.limit(upper=0.503, restitution=0.6)
    while joint.rate >= 0.0:
        world.step()
    # from rest at 0 to 0.503; energies of the spring about its rest
    met = 0.5 * 50.0 * (0.6**2 - 0.097**2)
    total = joint.rate**2 + 0.5 * 50.0 * (joint.value - 0.6) ** 2
    # (w h)^2, w = 5 / s
    assert total == pytest.approx(0.36 * met + 0.5 * 50.0 * 0.097**2, abs=25.0 * h * h * met)


@pytest.mark.parametrize("kind", ["slider", "hinge", "distance"])
@pytest.mark.parametrize("sleeping", [False, True])
def test_stop_set_elsewhere(kind, sleeping):
    """Bring a joint to a stop that is set beyond it, at the recovery speed, at rest; report it."""
    world = World(gravity=(0, 0, 0), settings=Settings(sleeping=sleeping))
    body = world.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, position=(0, 0, -1))
    if kind == "slider":
        joint = world.add_joint(Slider((0, 0, 0), (0, 0, 1)), None, body)
        limit = joint.limit(-1.0, 2.0)
    elif kind == "hinge":
        joint = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, body)
        limit = joint.limit(-1.0, 2.0)
    else:
        joint = world.add_joint(Free((0, 0, 0), second_point=(0, 0, -1)), None, body)
        limit = joint.limit(upper=2.0, coordinate="distance")
    value = joint.value_of(limit.coordinate)
    world.step(3)
    if kind == "distance":
        limit.upper = value - 0.3
    else:
        limit.lower = value + 0.3
    report = world.step()
    error = report.joint_angle_error if kind == "hinge" else report.joint_error
    assert error == pytest.approx(0.3 - 0.01, abs=1e-3)
    world.step(35)
    off = joint.value_of(limit.coordinate) - value
    assert off == pytest.approx(-0.3 if kind == "distance" else 0.3, abs=2e-6)
    assert world.report.kinetic_energy < 1e-8
    assert world.report.joint_error < 2e-6 and world.report.joint_angle_error < 2e-6


@pytest.mark.parametrize("speed", [0.05, 0.8, 3.0])
@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
def test_rope_that_is_reeled_in(speed, solver):
    """Hoist a load with a rope that is shortened in every step: at its speed, carrying the weight."""
    world = World(settings=Settings(solver=solver))
    body = world.add_body(Sphere(0.1), mass=5.0, position=(0, 0, -2))
    joint = world.add_joint(Free((0, 0, 0), second_point=(0, 0, -2)), None, body)
    rope = joint.limit(upper=2.0, coordinate="distance")
    world.step(5)
    for _ in range(40):
        rope.upper = rope.upper - speed * world.time_step
        world.step()
    assert joint.value_of("distance") == pytest.approx(rope.upper, abs=3e-6)
    assert body.velocity[2] == pytest.approx(speed, abs=1e-3)
    assert rope.force == pytest.approx(-5.0 * G, rel=1e-3)


def test_stop_that_moves_through_sub_steps():
    """Push a rod by its stop, also where the step is split: the rod turns with the stop."""
    world = World(gravity=(0, 0, 0), settings=Settings(largest_turn=0.005))
    body = world.add_body(Box((0.1, 0.1, 1.0)), mass=1.0, position=(0, 0, -0.5))
    joint = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, body)
    stop = joint.limit(lower=0.0)
    for _ in range(50):
        stop.lower = stop.lower + 0.03
        report = world.step()
    assert report.sub_steps > 2
    # position_tolerance, and that within a sub-step of some milliseconds
    assert joint.value == pytest.approx(1.5, abs=1e-5) and joint.rate == pytest.approx(3.0, abs=1e-3)


@pytest.mark.parametrize("speed", [0.09, 0.03, 0.004])
@pytest.mark.parametrize("e", [1.0, 0.6])
def test_slow_bounce_of_a_stop(speed, e):
    """Come back from a stop with e times the slowest speed, where nothing presses against it."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, velocity=(speed, 0, 0))
    joint = world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, body)
    joint.limit(upper=0.0105 * speed / 0.03, restitution=e)
    world.step(60)
    assert joint.rate == pytest.approx(-e * speed, rel=1e-9)


def test_rest_on_a_stop():
    """Rest on an elastic stop under gravity in the end."""
    world, body = slider(0.5, height=0.2)
    world.step(300)
    assert abs(body.velocity[2]) < 1e-9 and abs(body.position[2]) < 2e-6
    assert np.isclose(world.joints[0].limits[0].force, 2.0 * G, rtol=1e-6)

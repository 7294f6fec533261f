"""Jams at rest are not lifted by what holds them, and what moves as it is told or is driven is."""

import pytest

from stoss.benchmarks.worlds import check, draw
from stoss.collision import Box
from stoss.engine import Body, Hinge, Settings, Slider, World
from stoss.engine.stages.lifting import lifting

G = 9.81
TOLERANCE = 1e-6


@pytest.mark.filterwarnings("ignore:settings.contact_margin")
@pytest.mark.parametrize(
    ("number", "duration"),
    [
        (10417, 3.0),  # links wedged on the ground were lifted by 0.016 J in a step, again and again
        (31044, 5.0),  # a loop that is swept, and stays open: 0.0076 J of 0.22
        (31122, 4.0),  # links at a stop that users have put with open joints: 0.016 J of 1.4
    ],
)
def test_jams_are_lifted_by_nobody(number, duration):
    """Gain nothing where links and contacts that contradict each other are at rest."""
    assert not check(draw(number), duration, timed=False).rules


def pair(time_step: float, floor: str = "static", **settings: object) -> tuple[World, Body, Body, Body]:
    """Return two boxes on a hinge, side by side on a floor."""
    world = World(time_step=time_step, settings=Settings(contact_margin=0.02, **settings))
    ground = world.add_body(Box((4, 4, 0.2)), kind=floor, position=(0, 0, -0.1))
    first = world.add_body(Box((0.4, 0.4, 0.2)), position=(0, 0, 0.1), mass=1.0)
    second = world.add_body(Box((0.4, 0.4, 0.2)), position=(0.5, 0, 0.1), mass=2.0)
    world.add_joint(Hinge((0.25, 0, 0.1), (0, 1, 0)), first, second)
    return world, ground, first, second


def lifts(world: World, speed: float, means: float) -> bool:
    """Return whether the island of the world will be lifted beyond its means at a speed upward [m/s]."""
    world.step(2)
    system, h = world._stepper.system.system, world.time_step
    system.scratch.accelerations[:] = 0.0
    system.scratch.accelerations[1:, 2] = -G
    system.bodies.velocities[1:] = (0, 0, speed)
    system.bodies.angular_velocities[1:] = 0.0
    return bool(lifting(system, 0, h, means, TOLERANCE))


@pytest.mark.parametrize("h", [0.005, 0.033])
def test_lift_is_the_work_against_gravity(h):
    """Count m g (v h - g h^2 / 2) of all bodies, and let pass what is within the tolerance of places."""
    for speed in (0.3, 1.0, 5.0):
        lift = 3.0 * G * (speed * h - 0.5 * G * h * h)
        assert lifts(pair(h)[0], speed, 1.001 * lift) is False
        assert lifts(pair(h)[0], speed, 0.999 * lift) is True
    rest = 0.5 * G * h
    assert lifts(pair(h)[0], rest + 0.5 * TOLERANCE / h, 0.0) is False
    assert lifts(pair(h)[0], rest + 2.0 * TOLERANCE / h, 0.0) is True


def test_who_is_carried_may_be_lifted():
    """Lift what rests on a body that moves as it is told, however slowly it does."""
    assert lifts(pair(0.01, "kinematic")[0], 5.0, 0.0) is False


@pytest.mark.parametrize("solver", ["auto", "direct", "gauss_seidel"])
@pytest.mark.parametrize("time_step", [0.005, 0.033])
def test_slow_lifts_go_on(time_step, solver):
    """Carry two links upward more slowly than they fall within a step, by nothing unusual."""
    world, ground, first, _ = pair(time_step, "kinematic", solver=solver)
    world.step(10)
    ground.velocity = (0, 0, 0.02)
    start, time = first.position[2], world.time
    for _ in range(round(1.0 / time_step)):
        assert not world.step().ladder
    assert first.position[2] - start == pytest.approx(0.02 * (world.time - time), abs=1e-3)


@pytest.mark.parametrize("solver", ["auto", "direct", "gauss_seidel"])
@pytest.mark.parametrize("time_step", [0.005, 0.033])
def test_slow_motors_lift_from_the_ground(time_step, solver):
    """Raise a load with a motor more slowly than it falls within a step, off the ground on which it rests."""
    world, ground, first, second = pair(time_step, solver=solver)
    world.step(10)
    slider = world.add_joint(Slider((0, 0, 0.1), axis=(0, 0, 1)), ground, first)
    slider.motor(velocity=0.02, max_force=200.0)
    start = first.position[2]
    for step in range(round(1.0 / time_step)):
        assert step < 5 or not world.report.ladder
        world.step()
    assert first.position[2] - start == pytest.approx(0.02, abs=1e-3)
    assert second.position[2] - 0.1 == pytest.approx(0.01, abs=2e-3)

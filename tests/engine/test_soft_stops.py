"""Soft stops: a step that enters or leaves one, however stiff, gives no energy."""

from dataclasses import replace

import numpy as np
import pytest

import stoss
from stoss.benchmarks.worlds import Watch, draw, run
from stoss.engine import Ball, Hinge, Settings, Slider, World

HALF_STEPS = (
    0.005  # of the energy: what a rigid hinge and gravity leave at order two, with the certificate's share
)


def _gain(world: World, duration: float) -> float:
    watch = Watch(world)
    world.step(round(duration / world.time_step))
    return watch.gain / watch.scale


def _swinging(stiffness: float, time_step: float, spin: float, gravity: float, solver: str = "auto") -> World:
    """Return a rod on a hinge whose stops at 0.3 rad are soft."""
    world = World(gravity=(0.0, 0.0, -gravity), time_step=time_step, settings=Settings(solver=solver))
    rod = world.add_body(
        stoss.Box((0.3, 0.1, 0.1)),
        mass=1.0,
        position=(0.15, 0.0, 0.0),
        velocity=(0.0, 0.0, -0.15 * spin),
        angular_velocity=(0.0, spin, 0.0),
    )
    hinge = world.add_joint(Hinge((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)), None, rod)
    hinge.limit(-0.3, 0.3, stiffness=stiffness)
    return world


@pytest.mark.parametrize("time_step", [0.005, 0.01, 0.0167, 0.033])
@pytest.mark.parametrize("stiffness", [50.0, 2e3, 2e5])
def test_a_stop_gives_back_what_it_was_given(stiffness, time_step):
    """Keep the energy of a rod between soft stops, from a phase of 0.2 to 80 rad of the spring per step."""
    assert _gain(_swinging(stiffness, time_step, 5.0, 0.0), 3.0) < 1e-3


@pytest.mark.parametrize("stiffness", [50.0, 600.0, 2e4])
def test_a_weight_bounces_on_a_soft_stop_without_gain(stiffness):
    """Gain nothing where gravity presses the rod on its stop."""
    for spin in (0.0, 5.0):
        assert _gain(_swinging(stiffness, 0.01, spin, 9.81), 3.0) < HALF_STEPS


def test_a_slider_between_soft_stops():
    """Keep the energy of a slider that goes to and fro between two stops, to rounding."""
    world = World(gravity=(0.0, 0.0, 0.0), time_step=0.02)
    box = world.add_body(stoss.Box((0.1, 0.1, 0.1)), mass=2.0, velocity=(3.0, 0.0, 0.0))
    world.add_joint(Slider((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), None, box).limit(-0.07, 0.12, stiffness=3e3)
    energies = []
    for _ in range(300):
        world.step()
        x = box.position[0]
        deep = max(x - 0.12, -0.07 - x, 0.0)
        energies.append(world.report.kinetic_energy + 0.5 * 3e3 * deep**2)
    assert np.ptp(energies) < 1e-6 * 9.0


def test_a_slider_leaves_a_soft_stop_as_fast_as_it_came():
    """Turn a slider round without loss, at any place within the step where the stop is met."""
    for offset in np.linspace(0.0, 0.03, 7):
        world = World(gravity=(0.0, 0.0, 0.0), time_step=0.01)
        box = world.add_body(
            stoss.Box((0.1, 0.1, 0.1)), mass=1.0, position=(offset, 0.0, 0.0), velocity=(3.0, 0.0, 0.0)
        )
        joint = world.add_joint(Slider((offset, 0.0, 0.0), (1.0, 0.0, 0.0)), None, box)
        joint.limit(-1.0, 0.2 - offset, stiffness=4e4)
        world.step(20)
        assert box.velocity[0] == pytest.approx(-3.0, rel=1e-9)


@pytest.mark.parametrize("coordinate", ["swing", "twist"])
def test_soft_stops_of_ball_joints(coordinate):
    """Gain nothing in a chain of ball joints with stiff soft stops that is thrown about."""
    world = World(time_step=0.0167)
    before = None
    for k in range(3):
        body = world.add_body(
            stoss.Capsule(0.03, 0.2),
            mass=1.0 + k,
            position=(0.0, 0.0, -0.15 - 0.3 * k),
            velocity=(0.4 * k, 0.1, 0.0),
        )
        joint = world.add_joint(Ball((0.0, 0.0, -0.3 * k), axis=(0.0, 0.0, -1.0)), before, body)
        if coordinate == "swing":
            joint.limit(upper=0.4, coordinate="swing", stiffness=1500.0)
        else:
            joint.limit(upper=1.5, coordinate="swing")
            joint.limit(-0.2, 0.3, coordinate="twist", stiffness=1500.0)
        before = body
    assert _gain(world, 4.0) < 0.01


def test_a_damped_stop_takes():
    """Come to rest on a stop with a damper, without ever gaining."""
    world = _swinging(500.0, 0.01, 0.0, 9.81)
    hinge = world.joints[0]
    hinge.limits[0].damping = 5.0
    assert _gain(world, 4.0) < HALF_STEPS
    assert world.report.kinetic_energy < 1e-6


def test_sweeps_that_end_early_do_not_bend_stops_for_nothing():
    """Keep stops that are swept from storing what nobody gave: a heavy ball between light rods."""
    for solver in ("auto", "direct"):
        assert run(replace(draw(86), solver=solver), 4.0).gain < 1e-3
    assert run(draw(86), 4.0).gain < 0.05


@pytest.mark.parametrize(("solver", "damping"), [("direct", 0.0), ("direct", 5.0), ("gauss_seidel", 0.0)])
@pytest.mark.parametrize("mass", [0.5, 3.0])
@pytest.mark.parametrize(("time_step", "speed"), [(0.005, 6.0), (0.0167, 6.0), (0.0167, 1.0)])
def test_two_soft_stops_within_the_way_of_one_step(solver, mass, time_step, speed, damping):
    """Gain nothing between stops that are 2 cm, or 0.02 rad, apart: a step goes from one into the other."""
    for turns in (False, True):
        for gravity in (0.0, 9.81):
            world = World(gravity=(0.0, 0.0, -gravity), time_step=time_step, settings=Settings(solver=solver))
            place = (0.0, 0.0, 0.3) if turns else (0.0, 0.0, 0.0)
            rod = world.add_body(stoss.Box((0.2, 0.2, 0.6)), mass=mass, position=place)
            rod.velocity = (0.6 * speed, 0.0, 0.0) if turns else (0.0, 0.0, speed)
            if turns:
                rod.angular_velocity = (0.0, 2.0 * speed, 0.0)
            joint = Hinge((0, 0, 0), (0, 1, 0)) if turns else Slider((0, 0, 0), (0, 0, 1))
            world.add_joint(joint, None, rod).limit(-0.01, 0.01, stiffness=2e3, damping=damping)
            assert _gain(world, 1.0) < 2.0 * HALF_STEPS

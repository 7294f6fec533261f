"""The contact experiments of the thesis keep to theory within the error of the step."""

import math

import numpy as np
import pytest

from stoss.benchmarks.thesis_tables.contacts import CRADLE_THESIS, swing_and_hit
from stoss.engine import Settings
from stoss.engine.bodies.material import COMBINATION_RULES, combine
from stoss.scenes import SCENES
from stoss.scenes.building.materials import pair_friction
from stoss.scenes.friction.braking import braking_distance, braking_frictions

G = 9.81  # [m/s^2]


def _cubes(world):
    return np.array([body.position for body in world.bodies if body.kind == "dynamic"])


@pytest.mark.parametrize(("time_step", "angle_deg"), [(0.01, 15.0), (0.004, 25.0)])
def test_braking_distances_are_those_of_theory(time_step, angle_deg):
    """Stop within an eighth of a h^2 short of the closed form, and stay there."""
    world = SCENES["braking"].build(bodies=3, free=1.0, angle_deg=angle_deg, time_step=time_step)
    world.step(round(1.0 / time_step))
    starts = _cubes(world)
    angle = math.radians(angle_deg)
    slowest = 2.0 * braking_distance(braking_frictions()[0], angle, 1.0) / (G * math.sin(angle))
    world.step(round(slowest / time_step) + 2)
    ends = _cubes(world)
    for friction, distance in zip(braking_frictions(3), np.linalg.norm(ends - starts, axis=1), strict=True):
        theory = braking_distance(friction, angle, 1.0)
        # A step that begins with the speed v < a h is the last one; its friction, half at either end, stops
        # the body at once if v < a h / 2, else after (v - a h / 2) h: both fall short of v^2 / (2 a), by
        # no more than a h^2 / 8. The rest are the tolerances of velocities and gaps.
        deceleration = G * (friction * math.cos(angle) - math.sin(angle))
        assert theory - 0.125 * deceleration * time_step**2 - 1e-8 <= distance <= theory + 1e-8
    world.step(50)
    assert np.abs(_cubes(world) - ends).max() < 1e-9


def test_braking_continues_from_a_saved_state():
    """Brake at the same time and place when a state from before or after is restored."""
    world = SCENES["braking"].build(bodies=2, free=0.2, time_step=0.01)
    world.step(10)
    before = world.save()
    world.step(20)
    after = world.save()
    world.step(10)
    end = world.state_hash()
    for snapshot, steps in ((before, 30), (after, 10)):
        world.restore(snapshot)
        world.step(steps)
        assert world.state_hash() == end


@pytest.mark.parametrize("rule", COMBINATION_RULES)
def test_pairs_have_the_friction_that_is_stated(rule):
    """Combine the values of ground and body to that of the pair, with one value of the ground for all."""
    grounds = set()
    for friction in (0.0, 0.05, 0.85, 2.0):
        ground, body = pair_friction(rule, friction)
        grounds.add(ground)
        assert combine(COMBINATION_RULES.index(rule), ground, body) == pytest.approx(friction, rel=1e-12)
    assert len(grounds) == 1


def test_braking_does_not_depend_on_the_rule():
    """Slide as far with the friction that combines by another rule."""
    ends = []
    for rule in ("add", "geometric_mean", "minimum"):
        world = SCENES["braking"].build(
            bodies=2, free=0.1, time_step=0.01, settings=Settings(friction_rule=rule)
        )
        world.step(30)
        ends.append(_cubes(world))
    # the square of a root is rounded
    np.testing.assert_allclose(ends[1:], [ends[0]] * 2, atol=1e-12)


def test_unknown_rules_are_refused():
    """Raise ValueError that names the rule and those there are."""
    with pytest.raises(ValueError, match="friction_rule = 'sum' is unknown; choose one of multiply"):
        pair_friction("sum", 0.3)


@pytest.mark.parametrize("raised", [1, 2, 3, 4])
def test_cradle_hits_as_exactly_as_in_the_thesis(raised):
    """Keep energy and angular velocity in the impact within the deviations of table 5.3."""
    world = SCENES["cradle"].build(raised=raised)
    energy, rate, fall = swing_and_hit(world, raised, meet=True)
    energy_thesis, rate_thesis = CRADLE_THESIS[raised - 1]
    assert energy <= energy_thesis and rate <= rate_thesis
    # order 2: (omega h)^2 of the rate, which is that of a pendulum of 4 m
    assert fall < G / 4.0 * world.time_step**2 * 1.2


@pytest.mark.parametrize("raised", [1, 2, 3, 4])
def test_cradle_lets_out_as_many_balls_as_come_in(raised):
    """Let the outer balls leave with the speed of the raised ones, and the others hang still."""
    world = SCENES["cradle"].build(raised=raised, time_step=0.005)
    energy, rate, fall = swing_and_hit(world, raised, meet=False)
    rates = np.abs([world.joint(f"hinge {k}").rate for k in range(5)])
    length, speed = 4.0, rates.max() * 4.0
    # found late, balls are up to v h out of the lowest place, where each has this much more energy, or less
    lift = speed * world.time_step
    assert energy < raised * G * lift**2 / (2.0 * length)
    slip = G / length * lift / length * world.time_step  # what gravity changes there within a step
    expected = np.where(np.arange(5) >= 5 - raised, speed / length, 0.0)
    assert np.abs(rates - expected).max() < 2.0 * slip and rate < 2.0 * slip
    assert fall < 2.0 * slip + G / length * world.time_step**2


def test_wall_that_a_pendulum_hits_is_left_to_the_sweeps():
    """Sweep a wall in turmoil although a pendulum is part of its island, without splitting steps.

    The joint stays closed to ten times the tolerance of the preview.
    """
    world = SCENES["wall_hit"].build(courses=8, columns=5, length=3.0)
    tolerance, swept = world.settings.position_tolerance, 0
    for _ in range(round(1.5 / world.time_step)):
        report = world.step()
        assert report.joint_error <= 10.0 * tolerance
        in_wall = any("ball" in pair for pair in _touching_names(world))
        if in_wall and report.direct_islands < report.islands:
            swept += 1
            assert report.sub_steps == 1
    assert swept >= 10


def _touching_names(world):
    """Return the names of the bodies of the contacts that touch."""
    contacts, bodies = world.contacts, world.bodies
    touching = np.flatnonzero(contacts.gap[: contacts.count] <= world.settings.touch_distance)
    return [{bodies[contacts.body_a[c]].name, bodies[contacts.body_b[c]].name} for c in touching]

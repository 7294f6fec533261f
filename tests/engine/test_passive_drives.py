"""Springs, servos that rest and dampers give no more than they store, whatever sweeps leave of their rows."""

import math
from dataclasses import replace

import pytest

import stoss
from stoss.benchmarks.worlds import Watch, check, draw, run
from stoss.engine import Ball, Hinge, Settings, World

# Share of the energy by which springs may be bent while overlaps of the start are removed; servos that run
# away give many times the energy there is.
BENT = 0.1


@pytest.mark.parametrize(("number", "duration"), [(323, 0.17), (6, 0.05), (2, 0.3)])
def test_servos_of_chains_that_are_swept_give_what_they_store(number, duration):
    """Gain nothing where light links on stiff servos are swept at large steps."""
    family = None if number > 300 else "drives"
    outcome = check(draw(number, family), duration)
    assert not outcome.rules & {"energy", "ledger", "exception"}, outcome.violations


@pytest.mark.parametrize("time_step", [0.005, 0.0167])
def test_the_same_chain_at_other_steps(time_step):
    """Gain no more than what bends springs where links that begin inside each other are pushed apart."""
    outcome = run(replace(draw(323), time_step=time_step), 0.1)
    assert outcome.gain < BENT


def test_forces_of_springs_are_given_where_impacts_are_settled_again():
    """Keep the ledger to rounding where a displaced island is hit, and settled without its impacts."""
    outcome = run(draw(9, "drives"), 0.5)
    assert outcome.miss < 1e-9
    assert "exception" not in outcome.rules


@pytest.mark.parametrize("solver", ["auto", "direct", "gauss_seidel"])
@pytest.mark.parametrize("light", [1.0, 1e-2, 1e-4])
def test_a_servo_moves_a_light_link(solver, light):
    """Reach the set point with a servo that is stiff for the link it moves, and gain nothing on the way."""
    world = World(gravity=(0.0, 0.0, 0.0), time_step=0.0167, settings=Settings(solver=solver))
    base = world.add_body(stoss.Box((0.2, 0.2, 0.2)), mass=5.0)
    link = world.add_body(stoss.Cylinder(0.02, 0.4), mass=light, position=(0.0, 0.0, 0.3))
    joint = world.add_joint(Ball((0.0, 0.0, 0.1), axis=(0.0, 0.0, 1.0)), base, link)
    joint.servo(target=0.6, stiffness=400.0, damping=4.0, coordinate="twist")
    watch = Watch(world)
    world.step(60)
    assert watch.gain < 1e-3 * watch.scale
    assert joint.value_of("twist") == pytest.approx(0.6, abs=1e-3)


@pytest.mark.parametrize("solver", ["auto", "gauss_seidel"])
def test_motors_give_no_more_than_their_force_does_on_its_way(solver):
    """Bound the energy of a flywheel by the torque of its motor times the turn, and let it reach its rate."""
    world = World(gravity=(0.0, 0.0, 0.0), settings=Settings(solver=solver))
    wheel = world.add_body(stoss.Cylinder(0.2, 0.05), mass=2.0)
    hinge = world.add_joint(Hinge((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), None, wheel)
    hinge.motor(velocity=20.0, max_force=3.0)
    inertia, energy = 0.5 * 2.0 * 0.2**2, 0.0
    for _ in range(100):
        energy = world.step().kinetic_energy
        assert energy <= 3.0 * abs(hinge.value) + 1e-9
    assert energy == pytest.approx(0.5 * inertia * 20.0**2, rel=1e-9)


@pytest.mark.parametrize("speed", [0.0, 0.1])
def test_what_a_spring_between_a_body_and_one_that_is_moved_stores_is_the_bodys(speed):
    """Let a body that was added first swing on a spring whose other end is moved: no ladder is climbed."""
    world = stoss.World(time_step=0.01, gravity=(0, 0, 0))
    body = world.add_body(stoss.Box((0.1, 0.1, 0.02)), position=(0, 0, 0), mass=0.1)
    end = world.add_body((), kind="kinematic", position=(0.2, 0, 0))
    end.velocity = (speed, 0, 0)
    world.add_load(stoss.SpringDamper(end, body, 0.05, 10.0))
    for _ in range(12):  # before the body is where the end is
        assert not world.step().ladder
    swing = 10.0 * world.time
    ahead = 0.15 * (1.0 - math.cos(swing)) + speed * (world.time - math.sin(swing) / 10.0)
    assert body.position[0] == pytest.approx(ahead, rel=5e-3)


@pytest.mark.parametrize(
    ("number", "family", "solver", "time_step", "duration"),
    [
        (316, None, "gauss_seidel", 0.033, 0.6),  # a controller that runs away on a thin rod
        (51, "drives", "gauss_seidel", 0.0167, 0.6),
        (51, "drives", "gauss_seidel", 0.04, 0.6),
        (51, "drives", "direct", 0.0167, 0.6),
        (89, "drives", "direct", 0.04, 0.6),
        (873, None, "auto", 0.0167, 2.0),  # springs that are bent back by nobody
        (492, None, "auto", 0.01, 2.4),
    ],
)
def test_joints_give_nothing_beside_drives_that_run_away(number, family, solver, time_step, duration):
    """Take neither the work of motors nor what springs lose for a reason that joints and contacts give."""
    outcome = run(replace(draw(number, family), time_step=time_step, solver=solver), duration)
    assert outcome.gain < 0.01


@pytest.mark.parametrize("time_step", [0.0167, 0.025, 0.033, 0.04])
def test_stops_of_links_that_are_hurled_store_nothing_of_nothing(time_step):
    """Bend no soft stop by a turn in which nothing held: a controller hurls thin links from stop to stop."""
    outcome = run(replace(draw(477), time_step=time_step), 0.6)
    assert outcome.gain < 0.01

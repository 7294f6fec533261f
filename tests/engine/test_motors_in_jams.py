"""Motors without a greatest force in jams: nothing is given that they do not give, and they yield."""

import numpy as np
import pytest

from stoss.benchmarks.worlds import draw, run
from stoss.benchmarks.worlds.build import build
from stoss.collision import Box, HalfSpace
from stoss.engine import Hinge, Material, Settings, Slider, World
from stoss.engine.stages.solve import note_account, return_to_noted
from stoss.engine.stages.yielding import LEVERAGE, outruns, yield_drives

G, H = 9.81, 0.01


@pytest.mark.parametrize(
    ("number", "family", "duration"),
    [
        (2094, None, 4.2),  # 13 J of 2.1: impacts of links that what holds had given 37 kJ, and 144 kJ
        (31324, None, 1.8),  # 2.6 J of 0.06: on a kinematic body, by 69 J
        (32055, "drives", 0.3),  # 0.24 J of 0.09
    ],
)
def test_impacts_start_from_no_gift(number, family, duration):
    """Certify what joints are settled by before stops and contacts are hit, as all other solves are."""
    assert not run(draw(number, family), duration).rules & {"energy", "ledger"}


@pytest.mark.filterwarnings("ignore:settings.contact_margin")
def test_motors_give_no_more_than_any_would():
    """Keep a motor of 0.5 m/s from giving links 9.8 kJ in one step, as rows ask that nearly contradict."""
    world, most = build(draw(30859)), 0.0
    for _ in range(300):
        most = max(most, world.step().kinetic_energy)
    assert most < 0.2 * 9800.0  # which of its jams gives most, 990 J or 1050 J, is a matter of rounding
    assert not run(draw(30859), 9.9).rules & {"energy", "ledger"}


def pressed(*, rate: float, mass: float = 2.0, gravity: float = 0.0, bound: float = np.inf) -> World:
    """Return a block on a slider whose motor presses it against the ground, after some steps."""
    world = World(time_step=H, gravity=(0, 0, -gravity))
    world.add_body(HalfSpace(), kind="static")
    block = world.add_body(Box((0.2, 0.2, 0.2)), mass=mass, position=(0, 0, 0.1))
    slider = world.add_joint(Slider((0, 0, 0.1), axis=(0, 0, 1)), None, block)
    slider.motor(velocity=rate, max_force=bound)
    return world


@pytest.mark.parametrize("rate", [-0.5, -3.0])
def test_motors_that_yield_press_by_what_moves_all_of_it(rate):
    """Bound a motor by the impulse that brings all that it moves to its rate, times what levers may take."""
    world = pressed(rate=rate)
    world.step()
    system = world._stepper.system.system
    first = system.joint_frames.first_row[0]
    rows = slice(first, first + int(system.joints.active.sum()))
    system.rows.impulse[rows] = 0.0
    system.old.velocities[:] = 0.0
    before = system.rows.upper[rows].copy()
    yield_drives(system, H, np.array([True]))
    changed = np.flatnonzero(system.rows.upper[rows] != before)
    assert len(changed) == 1
    assert system.rows.upper[rows][changed[0]] == pytest.approx(LEVERAGE * 2.0 * abs(rate))
    assert system.rows.lower[rows][changed[0]] == -system.rows.upper[rows][changed[0]]


def test_motors_that_have_a_bound_keep_it():
    """Leave alone what users have said."""
    world = pressed(rate=-0.5, bound=10.0)
    world.step()
    system = world._stepper.system.system
    upper = system.rows.upper.copy()
    yield_drives(system, H, np.array([True]))
    assert np.array_equal(system.rows.upper, upper)


@pytest.mark.parametrize("heavy", [1.0, 1e3])
@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("h", [0.005, 0.02])
def test_motors_that_work_do_not_yield(heavy, friction, h):
    """Push a row of blocks over the ground as fast as is asked for, however heavy."""
    world = World(time_step=h, gravity=(0, 0, -G))
    stuff = Material(friction=friction)
    world.add_body(HalfSpace(), kind="static", material=stuff)
    pusher = world.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, position=(0, 0, 0.15), material=stuff)
    slider = world.add_joint(Slider((0, 0, 0.15), axis=(1, 0, 0)), None, pusher)
    slider.motor(velocity=0.2)
    load = world.add_body(Box((0.2, 0.2, 0.2)), mass=heavy, position=(0.2, 0, 0.1), material=stuff)
    for _ in range(round(1.0 / h)):
        world.step()
        assert not outruns(world._stepper.system.system, 0, h)
    assert not world.report.ladder
    assert load.velocity[0] == pytest.approx(0.2, rel=1e-6)
    assert pusher.velocity[0] == pytest.approx(0.2, rel=1e-6)


def test_motors_lift_what_they_are_to_lift():
    """Turn a long arm with a weight up from the ground: what bears it is no run."""
    world = World(time_step=H, gravity=(0, 0, -G))
    world.add_body(HalfSpace(), kind="static")
    arm = world.add_body(Box((2.0, 0.1, 0.1)), mass=20.0, position=(1.0, 0, 0.05))
    hinge = world.add_joint(Hinge((0, 0, 0.05), (0, -1, 0)), None, arm)
    hinge.motor(velocity=0.05)
    for _ in range(100):
        world.step()
        assert not outruns(world._stepper.system.system, 0, H)
    assert not world.report.ladder
    assert arm.angular_velocity[1] == pytest.approx(-0.05, rel=1e-9)


def test_what_is_taken_back_is_as_if_it_had_not_been():
    """Return bodies and drives to what they had at the start of a stage; the sum of the ledger stays."""
    world = pressed(rate=-0.5)
    world.step()
    system = world._stepper.system.system
    work, frames = system.work, system.joint_frames
    bodies = len(system.bodies.kinds)
    fields = [work.gain, work.driven, work.elastic, work.drives, work.active, work.motors]
    for k, values in enumerate(fields):
        values[:bodies] = np.arange(bodies) + 10.0 * k
    frames.work[:], frames.kept[:] = 3.0, 4.0
    noted = [values[:bodies].copy() for values in fields]
    note_account(system)
    for values in fields:
        values[:bodies] += 7.0
    frames.work[:] += 1.0
    frames.kept[:] -= 1.0
    ledger = system.ledger.sum()
    return_to_noted(system, np.array([False]))
    assert (frames.work == 4.0).all()
    return_to_noted(system, np.array([True]))
    moved = system.bodies.kinds == 0
    for values, before in zip(fields, noted, strict=True):
        member = system.islands.bodies[: len(system.islands.bodies)]
        assert np.array_equal(values[member], before[member])
    assert moved.any()
    assert (frames.work == 3.0).all() and (frames.kept == 4.0).all()
    assert system.ledger.sum() == pytest.approx(ledger, abs=1e-12)


@pytest.mark.parametrize("solver", ["auto", "gauss_seidel"])
def test_a_motor_against_a_wall_gives_nothing(solver):
    """Turn a link without bound into a corner for a second: it stays, and nothing moves fast."""
    world = World(time_step=H, gravity=(0, 0, -G), settings=Settings(solver=solver))
    world.add_body(HalfSpace(), kind="static")
    link = world.add_body(Box((0.6, 0.1, 0.1)), mass=1.0, position=(0.3, 0, 0.3))
    end = world.add_body(Box((0.6, 0.1, 0.1)), mass=1.0, position=(0.9, 0, 0.3))
    world.add_joint(Hinge((0, 0, 0.3), (0, 1, 0)), None, link).motor(velocity=1.0)
    world.add_joint(Hinge((0.6, 0, 0.3), (0, 1, 0)), link, end).motor(velocity=0.5)
    for _ in range(100):
        world.step()
    assert np.abs(world.velocities).max() < 3.0
    assert world.report.max_overlap < 0.02

"""Surfaces whose motion is assigned in every step have it at its end, and carry at order 2 in the step."""

import numpy as np
import pytest

from stoss.collision import Box, Cylinder, HalfSpace, Sphere
from stoss.engine import Material, Settings, SimulationError, World

RATE, SPEED = 6.0, 1.0  # [rad/s], [m/s] of a belt that goes to and fro
STEPS = (0.02, 0.01, 0.005)
SOLVERS = pytest.mark.parametrize("solver", ["auto", "gauss_seidel"])


def belt(step, solver="auto", load=None, kind="static", **resists):
    """Return a world, a belt and what lies on it: a box."""
    world = World(time_step=step, settings=Settings(solver=solver))
    rough = Material(friction=2.0, **resists)
    floor = world.add_body(Box((40, 40, 1)), position=(0, 0, -0.5), kind=kind, material=rough)
    shape = Box((0.4, 0.4, 0.2)) if load is None else load
    box = world.add_body(shape, position=(0, 0, 0.1), mass=1.0, material=rough)
    world.step(5)
    return world, floor, box


def rode(step, solver, kind):
    """Return errors (steps, 3) of force [N], velocity [m/s] and place [m] of a box on a belt that is told."""
    world, floor, box = belt(step, solver, kind=kind)
    start, errors = box.position[0], []
    for k in range(1, round(0.8 / step) + 1):
        t = k * step
        floor.surface_velocity = (SPEED * np.sin(RATE * t), 0, 0)
        assert not world.step().ladder
        assert floor.surface_velocity[0] == SPEED * np.sin(RATE * t)
        force = sum(contact.force_on(box)[0] for contact in box.contacts)
        away = SPEED / RATE * (1 - np.cos(RATE * t))
        errors.append(
            (
                force - SPEED * RATE * np.cos(RATE * (t - 0.5 * step)),
                box.velocity[0] - SPEED * np.sin(RATE * t),
                box.position[0] - start - away,
            )
        )
    return np.abs(np.array(errors))


@SOLVERS
@pytest.mark.parametrize("kind", ["static", "kinematic"])
def test_load_goes_with_the_belt(solver, kind):
    """Take a box along by m a, at the speed and to the place that the belt says, at order 2."""
    runs = [rode(step, solver, kind)[3:] for step in STEPS]
    for step, run in zip(STEPS, runs, strict=True):
        assert run[:, 0].max() < 1.1 * SPEED * RATE * (RATE * step) ** 2 / 24
        assert run[:, 1].max() < 1e-8
        assert run[:, 2].max() < 0.5 * SPEED * RATE * step * step
    for column in (0, 2):
        errors = [np.median(run[:, column]) for run in runs]
        assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.3)
        assert errors[1] / errors[2] == pytest.approx(4.0, abs=0.3)


@pytest.mark.parametrize("load", [None, "disc"])
def test_load_turns_with_the_table(load):
    """Turn a box, or a disc that torsional friction alone takes along, with a table that goes to and fro."""
    shape = Sphere(0.1) if load else None
    errors = []
    for step in STEPS:
        world, floor, box = belt(step, load=shape, **({"torsional_friction": 0.5} if load else {}))
        for k in range(1, round(0.5 / step) + 1):
            floor.surface_angular_velocity = (0, 0, np.sin(RATE * k * step))
            world.step()
        w, *_, z = box.quaternion
        turn = 2 * np.arctan2(z, w)
        errors.append(abs(turn - (1 - np.cos(RATE * 0.5)) / RATE))
        assert box.angular_velocity[2] == pytest.approx(np.sin(RATE * 0.5), abs=1e-6)
    assert errors[0] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.4)
    assert errors[1] / errors[2] == pytest.approx(4.0, abs=0.4)


def test_roller_on_a_belt():
    """Let a cylinder that rolls on an accelerated belt gain a third of its speed, at order 2."""
    errors = []
    for step in (0.01, 0.005, 0.0025):
        world = World(time_step=step)
        rough = Material(friction=2.0)
        floor = world.add_body(HalfSpace(), kind="static", material=rough)
        lying = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)
        roller = world.add_body(
            Cylinder(0.1, 0.4), position=(0, 0, 0.1), quaternion=lying, mass=1.0, material=rough
        )
        world.step(5)
        start = roller.position[0]
        for k in range(1, round(0.3 / step) + 1):
            floor.surface_velocity = (np.sin(3 * k * step) ** 2, 0, 0)
            world.step()
        errors.append(abs(roller.position[0] - start - (0.15 - np.sin(1.8) / 12) / 3))
        assert roller.velocity[0] == pytest.approx(np.sin(0.9) ** 2 / 3, abs=1e-5)
    assert errors[0] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.5)
    assert errors[1] / errors[2] == pytest.approx(4.0, abs=0.5)


def test_one_assignment_is_a_jump():
    """Have a speed that is assigned once from the start of the step on, also after pauses, and stop so."""
    world, floor, box = belt(0.01)
    for speed in (0.05, 0.09, 0.0, -0.08):
        floor.surface_velocity = (speed, 0, 0)
        before = box.position[0]
        for k in range(1, 11):
            world.step()
            assert box.velocity[0] == pytest.approx(speed, abs=1e-8)
            assert box.position[0] - before == pytest.approx(0.01 * k * speed, abs=1e-8)


def test_half_way_is_saved_and_undone():
    """Go on from a snapshot, a copy and a step that failed with the same bits, looked at or not."""

    def move(world, first, last, look=False):
        for k in range(first, last):
            if k % 12 < 9:
                world.bodies[0].surface_velocity = (0.3 * np.sin(0.2 * k), 0.1, 0)
            if look:
                assert len(world.contacts)
            world.step()
        return world.state_hash()

    world, floor, box = belt(0.01)
    move(world, 0, 20)
    floor.surface_velocity = (0.2, 0.1, 0)
    twin, snapshot = world.copy(), world.save()
    expected = move(world, 20, 40)
    assert move(twin, 20, 40, look=True) == expected
    world.restore(snapshot)
    assert move(world, 20, 40) == expected
    world.restore(snapshot)
    box.velocity = (0, 0, 1e9)
    with pytest.raises(SimulationError):
        world.step()
    assert floor.surface_velocity == pytest.approx((0.2, 0.1, 0), abs=0.0)
    world.restore(snapshot)
    assert move(world, 20, 40) == expected

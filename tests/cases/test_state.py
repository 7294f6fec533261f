"""Reported bugs of other engines: states that are not restored whole, and runs that are not repeated."""

import numpy as np
import pytest

from collision import Box, Capsule, Placed, Sphere
from engine import Material, World
from tests.cases.builders import add_column, floor_world, turn


def heap() -> World:
    """Return a world in which compounds, boxes, capsules and balls fall on each other."""
    world = floor_world(time_step=1 / 120)
    material = Material(restitution=0.3, friction=0.4)
    angle = [
        Placed(Box((0.8, 0.2, 0.2)), (0.3, 0.0, 0.0)),
        Placed(Box((0.2, 0.2, 0.8)), (0.0, 0.0, 0.3)),
        Placed(Sphere(0.15), (0.7, 0.0, 0.0)),
    ]
    for i in range(4):
        place = (0.1 * i, 0.05 * i, 0.5 + 0.9 * i)
        spin = turn((0.6, 0.0, 0.8), 0.7 * i)
        world.add_body(angle, position=place, quaternion=spin, material=material, name=f"angle {i}")
        world.add_body(Box((0.4, 0.4, 0.4)), position=(-0.8, 0.02 * i, 0.3 + 0.45 * i), name=f"box {i}")
        world.add_body(Capsule(0.15, 0.4), position=(0.9, 0.03 * i, 0.3 + 0.5 * i), quaternion=spin)
        world.add_body(Sphere(0.2), position=(0.0, 0.7 + 0.01 * i, 0.3 + 0.45 * i), material=material)
    return world


def crates(count: int) -> World:
    """Return a column of crates beside a column of balls."""
    world = floor_world()
    add_column(world, count, mass=10.0)
    for i in range(count // 2):
        world.add_body(Sphere(0.4), position=(3.0, 0.0, 0.4 + 0.9 * i), mass=5.0)
    return world


def hashes(world: World, steps: int) -> list[str]:
    """Return the hash of the state after every step."""
    return [world.step().step and world.state_hash() for _ in range(steps)]


@pytest.mark.parametrize("before", [1, 40, 90, 250])
def test_r56_restored_world_repeats_itself(before):
    """Repeat every step bitwise after going back to a saved state, compounds and warm starts included.

    R56, bullet3#2982 and #4387: the rerun differed, for the impulses and the order of the contacts had not
    been part of the state.
    """
    world = heap()
    world.step(before)
    state = world.save()
    first = hashes(world, 120)
    world.restore(state)
    assert world.step_count == before
    assert hashes(world, 120) == first
    world.restore(state)
    assert hashes(world, 120) == first


def test_r56_restored_world_forgets_and_recalls_bodies():
    """Repeat every step bitwise although bodies were added and removed after the save.

    R56, bullet3#4387.
    """
    world = heap()
    world.step(60)
    state = world.save()
    first = hashes(world, 80)
    world.restore(state)
    world.remove_body(world.body("angle 1"))
    world.add_body(Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 5.0), name="late")
    world.step(30)
    world.restore(state)
    assert "late" not in [body.name for body in world.bodies]
    assert hashes(world, 80) == first


def test_r56_save_does_not_disturb():
    """Go on bitwise as without the save; what was saved stays as it was while the world goes on.

    R56, bullet3#2982.
    """
    plain, saved = heap(), heap()
    expected = hashes(plain, 150)
    seen, states = [], []
    for k in range(150):
        if k % 25 == 0:
            states.append((k, saved.save()))
        saved.step()
        seen.append(saved.state_hash())
    assert seen == expected
    other = heap()
    for k, state in reversed(states):
        other.restore(state)
        assert hashes(other, 25) == expected[k : k + 25]


@pytest.mark.parametrize("count", [10, 20, 40])
def test_r57_five_runs_are_one(count):
    """End in the same bits five times, however the run is split into calls.

    R57, sbox-public#11663: stacked crates and a column of balls differed from run to run.
    """
    steps = 200
    ends = set()
    for run in range(5):
        world = crates(count)
        part = (1, 7, 50, 100, 200)[run]
        while world.step_count < steps:
            world.step(min(part, steps - world.step_count))
        ends.add(world.state_hash())
    assert len(ends) == 1


def test_r57_crates_stand_and_balls_stay_a_column():
    """Keep 40 crates where they were set down.

    R57, sbox-public#11663.
    """
    world = crates(40)
    start = world.positions[1:41].copy()
    world.step(300)
    np.testing.assert_allclose(world.positions[1:41], start, atol=1e-6)

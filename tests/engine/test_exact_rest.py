"""Exact rest: what has come back to the same state keeps it, until anything changes; no error adds up."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Hinge, Material, Settings, World
from tests.engine.test_waking import CHANGES, WAKES_ALL, check_who_wakes
from tests.engine.worlds import tower, world_with_floor

EXACT = Settings(rest="exact")
WINDOW = 10  # steps of 10 ms for which all must have stayed
CREEP = (
    2e-10  # [m] by which what is computed sinks within the tolerance of velocities, 1e-10 m/s, and comes back
)


def towers() -> World:
    """Return two towers of three cubes whose outcome is kept, "a ..." and "b ...", 5 m apart."""
    world = world_with_floor(settings=EXACT)
    for tag, x in (("a", 0.0), ("b", 5.0)):
        for k in range(3):
            place = (x + 1e-3 * (k == 1), 0, 0.5 + k)
            world.add_body(Box((1, 1, 1)), position=place, mass=1.0, name=f"{tag} {k}")
    world.step(10 * WINDOW)
    assert world.asleep[1:].all()
    return world


def test_it_is_off_unless_asked_for():
    """Compute each step by default, and refuse what makes no sense together."""
    world = tower(3)
    world.step(10 * WINDOW)
    assert not world.asleep.any()
    with pytest.raises(ValueError, match=r"settings\.rest = 'exact' with sleeping = True"):
        Settings(rest="exact", sleeping=True)
    with pytest.raises(ValueError, match=r"settings\.rest = 'eternal'"):
        Settings(rest="eternal")


def test_thousands_of_steps_at_rest_are_those_that_are_computed():
    """Keep poses to rounding, and energy and impulses, over 5000 steps; not a bit changes on the way."""
    ours, theirs = tower(5, settings=EXACT), tower(5)
    ours.step(10 * WINDOW)
    kept = ours.state_hash()
    ours.step(5000 - 10 * WINDOW)
    theirs.step(5000)
    assert ours.asleep[1:].all() and ours.state_hash() == kept
    assert np.abs(ours.positions - theirs.positions).max() < CREEP
    assert np.abs(ours.quaternions - theirs.quaternions).max() < CREEP
    weight = 9.81 * sum(body.mass for body in ours.bodies[1:])
    assert ours.report.energy == pytest.approx(theirs.report.energy, abs=weight * CREEP)
    np.testing.assert_allclose(ours.contact_impulses, theirs.contact_impulses, atol=1e-7)
    assert ours.time == pytest.approx(theirs.time)


def test_velocities_are_kept_to_the_bit():
    """Take away nothing of what velocities are left, as sleep does: being kept changes no bit."""
    world = tower(4, settings=EXACT)
    states = [world.state_hash()]
    while not world.asleep.any():
        assert len(states) < 10 * WINDOW
        world.step()
        states.append(world.state_hash())
    world.settings = replace(EXACT, rest="computed")
    assert world.state_hash() == states[-1]
    assert np.abs(world.velocities).max() < 1e-9


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_computes_its_island_anew(name):
    """Compute the tower of which something is changed, with the next step, and keep the other one."""
    check_who_wakes(towers(), CHANGES[name])


ALL: dict[str, Callable[[World], Any]] = {
    **WAKES_ALL,
    "time step": lambda w: setattr(w, "time_step", 0.005),
    "settings": lambda w: setattr(w, "settings", replace(EXACT, sweeps=16)),
}


@pytest.mark.parametrize("name", ALL)
def test_what_concerns_all_computes_all_anew(name):
    """Compute both towers after gravity, the floor, the time step or settings changed."""
    world = towers()
    ALL[name](world)
    world.step()
    assert not world.asleep.any()


def test_a_force_that_grows_slowly_is_felt_at_once():
    """Follow a force on a smooth floor that grows by 1e-9 N in each step, as without."""
    places = []
    for settings in (EXACT, Settings()):
        world = world_with_floor(Material(friction=0.0), settings=settings)
        box = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), mass=1.0, material=Material(friction=0.0))
        world.step(10 * WINDOW)
        assert box.asleep == (settings is EXACT)
        start = box.position[0]
        for step in range(200):
            world.forces[1, 0] = 1e-9 * (step + 1)
            world.step()
            assert not box.asleep
        places.append(box.position[0] - start)
    assert places[0] == pytest.approx(places[1], abs=1e-13)
    assert places[1] > 1e-8


@pytest.mark.parametrize("by_hand", [False, True])
@pytest.mark.filterwarnings("ignore:position of kinematic body")
def test_a_support_that_creeps_carries_its_load(by_hand):
    """Move with a plate that rises by 1e-8 m in a second, by its velocity or put there, as without."""
    heights = []
    for settings in (EXACT, Settings()):
        world = World(settings=settings)
        plate = world.add_body(Box((4, 4, 1)), position=(0, 0, -0.5), kind="kinematic", name="plate")
        box = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), mass=1.0)
        world.step(10 * WINDOW)
        assert box.asleep == (settings is EXACT)
        if not by_hand:
            plate.velocity = (0, 0, 1e-8)
        for step in range(100):
            if by_hand:
                plate.position = (0, 0, -0.5 + 1e-10 * (step + 1))
            world.step()
            assert by_hand or not box.asleep
        heights.append(box.position[2])
    assert heights[0] == pytest.approx(heights[1], abs=CREEP)
    assert by_hand or heights[0] - 0.5 == pytest.approx(1e-8, abs=CREEP)


def test_bodies_by_themselves_are_always_computed():
    """Keep no body that nothing holds, however slowly it moves: a small force adds up."""
    world = World(gravity=(0, 0, 0), settings=EXACT)
    body = world.add_body(Sphere(0.5), mass=1.0)
    world.forces[0, 0] = 1e-13
    world.step(10 * WINDOW)
    assert not body.asleep
    assert body.position[0] == pytest.approx(0.5 * 1e-13 * (0.01 * 10 * WINDOW) ** 2, rel=0.02)


def test_a_pendulum_at_its_turning_point_goes_on():
    """Keep nothing that swings, also with a small amplitude about the point where it hangs."""
    world = World(settings=EXACT)
    rod = world.add_body(Box((0.1, 0.1, 1)), position=(0, 0, -0.5), mass=1.0)
    world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), rod)
    rod.angular_velocity = (0, 1e-7, 0)
    moved = 0.0
    for _ in range(20 * WINDOW):
        world.step()
        assert not rod.asleep
        moved = max(moved, abs(rod.position[0]))
    assert moved > 1e-9


def test_a_hit_from_a_ball_is_that_of_a_stack_that_is_computed():
    """Compute a tower from the step on in which a ball comes near, with the motion that it has without."""
    worlds = []
    for settings in (EXACT, Settings()):
        world = tower(3, settings=settings)
        world.step(10 * WINDOW)
        world.add_body(Sphere(0.3), position=(0.1, 0.05, 4.0), mass=1.0, name="ball")
        world.step()
        assert world.asleep[1:4].all() == (settings is EXACT)
        woke = False
        for _ in range(45):
            world.step()
            woke = woke or not world.asleep[1:4].any()
        assert woke
        worlds.append(world)
    assert np.abs(worlds[0].positions - worlds[1].positions).max() < 1e-9


def test_saved_copied_and_pickled_it_goes_on_to_the_same_bits():
    """Keep what is kept through copies, pickles and snapshots, and wake alike in all of them."""
    world = towers()
    saved = world.save()
    others = [world.copy(), pickle.loads(pickle.dumps(world)), towers()]
    others[2].restore(saved)
    for one in (world, *others):
        assert one.asleep[1:].all()
        one.body("a 0").apply_impulse((0.5, 0, 0))
        one.step(20)
    assert len({one.state_hash() for one in (world, *others)}) == 1

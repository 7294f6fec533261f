"""Chains of many and of unequal links, solvers against each other, and a ragdoll that comes to rest."""

from typing import Any

import numpy as np
import pytest

import stoss.scenes.mechanisms.ragdoll  # noqa: F401
from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Ball, Settings, World
from stoss.scenes import SCENES

LINK = 0.2  # [m]


def chain(
    links: int, angle: float = np.pi / 2, first: float = 1.0, last: float = 1.0, **settings: Any
) -> World:
    """Return a straight chain of links of 1 kg but for the two ends, let go at an angle from the vertical."""
    world = World(settings=Settings(**settings))
    along = np.array((np.sin(angle), 0.0, -np.cos(angle)))
    tilt = 0.5 * (0.5 * np.pi - angle)
    before = None
    for k in range(links):
        link = world.add_body(
            Box((LINK, 0.04, 0.04)),
            position=LINK * (k + 0.5) * along,
            quaternion=(np.cos(tilt), 0.0, np.sin(tilt), 0.0),
            mass=first if k == 0 else last if k == links - 1 else 1.0,
            mask=0,
        )
        world.add_joint(Ball(LINK * k * along), before, link)
        before = link
    return world


def swing(world: World, seconds: float) -> tuple[float, float, float]:
    """Return the largest error of a joint [m], of the energy [J], and the largest kinetic energy [J]."""
    start = world.report.energy
    opened = lost = moved = 0.0
    for _ in range(round(seconds / world.time_step)):
        report = world.step()
        opened = max(opened, report.joint_error)
        lost = max(lost, abs(report.energy - start))
        moved = max(moved, report.kinetic_energy)
    return opened, lost, moved


def test_chain_of_fifty_keeps_its_joints_and_its_energy():
    """Whip 50 links from horizontal at 100 Hz: joints within 1e-6 m, energy within 1 % of what it moves."""
    opened, lost, moved = swing(chain(50), 3.0)
    assert opened <= 1e-6
    assert lost < 0.01 * moved


@pytest.mark.parametrize("masses", [dict(last=1e4), dict(first=1e4), dict(last=1e-4)])
def test_chain_of_unequal_masses_stays_closed(masses):
    """Keep joints within 1e-6 m where the end of a chain is 10^4 times as heavy or as light as its links."""
    opened, lost, moved = swing(chain(10, 1.2, **masses), 3.0)
    assert opened <= 1e-6
    assert lost < 0.02 * moved


def test_heavy_end_keeps_its_energy():
    """Keep a millionth of the energy where nothing whips: ten links pull 10 t."""
    _, lost, moved = swing(chain(10, 1.2, last=1e4), 3.0)
    assert lost < 1e-5 * moved


def test_both_solvers_give_the_same_motion():
    """Move a chain by sweeps to the end as the direct solver moves it.

    Both close joints to 1e-10 m in each of 50 steps: 1e-8 m/s each, which half a second turns into less
    than 1e-6 m.
    """
    exact = dict(position_tolerance=1e-10, most_sub_steps=1, largest_turn=10.0)
    worlds = [
        chain(5, 1.0, solver="direct", **exact),
        chain(5, 1.0, solver="gauss_seidel", sweeps=5000, **exact),
    ]
    for world in worlds:
        world.step(50)
    np.testing.assert_allclose(worlds[0].positions, worlds[1].positions, atol=1e-6)
    np.testing.assert_allclose(worlds[0].velocities, worlds[1].velocities, atol=1e-5)


def test_sweeps_that_end_early_are_stable_and_recover():
    """Gain no energy with ten sweeps a step, and close the joints once they are solved directly.

    The way back takes at most `recovery_speed`: 1 m/s for what is left open.
    """
    world = chain(10, solver="gauss_seidel", sweeps=10)
    start = world.report.energy
    for _ in range(300):
        report = world.step()
        assert report.energy < start + 0.02 * 10 * 9.81
        assert report.joint_error < LINK
    for body in world.bodies:
        body.solver = "direct"
    world.step(100)
    start = world.report.energy
    for _ in range(200):
        report = world.step()
        assert report.joint_error <= 1e-6
        assert report.energy < start + 0.02 * 10 * 9.81


def test_ragdoll_comes_to_rest():
    """Drop a ragdoll of 22 joints with stops: closed within 1e-5 m, at rest but for what rolls to and fro.

    A round foot that rocks does so without loss, as it should: its few mJ, of 52 J, only ever become less.
    """
    world = SCENES["ragdoll"].build()
    assert (world.report.body_count, world.report.joint_count) == (24, 22)
    opened, energies = 0.0, []
    for _ in range(4000):
        report = world.step()
        opened = max(opened, report.joint_error, report.joint_angle_error)
        energies.append(report.energy)
    assert opened < 1e-5
    assert report.kinetic_energy < 1e-3 * report.energy
    parts = [max(energies[k : k + 500]) for k in range(1000, 4000, 500)]
    assert all(late <= early + 1e-6 for early, late in zip(parts, parts[1:], strict=False))
    rest = world.positions.copy()
    world.step(400)
    np.testing.assert_allclose(world.positions, rest, atol=0.02)
    for joint in world.joints:
        for limit in joint.limits:
            value = joint.value_of(limit.coordinate)
            assert limit.lower - 1e-5 <= value <= limit.upper + 1e-5


@pytest.mark.parametrize("seed", [1, 2, 5, 6, 7, 8])
def test_ragdolls_that_land_in_other_ways_stay_within_their_stops(seed):
    """Throw it a little to the side: what lifts it out of the ground turns no toes beyond their stops."""
    world = SCENES["ragdoll"].build()
    throw = 0.06 * np.random.default_rng(seed).normal(size=3)
    for body in world.bodies:
        if body.kind == "dynamic":
            body.velocity = body.velocity + throw
    for _ in range(300 if seed == 2 else 130):
        report = world.step()
        assert report.joint_error < 1e-5
        assert report.joint_angle_error < 1e-5


@pytest.mark.parametrize(("solver", "sweeps"), [("auto", 15), ("gauss_seidel", 15), ("gauss_seidel", 400)])
def test_a_heap_falls_the_same_beside_a_pendulum_far_away(solver, sweeps):
    """Solve and displace island by island: joints elsewhere in the world change no bit."""
    places = []
    for pendulum in (False, True):
        world = World(settings=Settings(solver=solver, sweeps=sweeps))
        world.add_body(HalfSpace(), kind="static")
        random = np.random.default_rng(2)
        for k in range(8):
            turn = random.normal(size=4)
            place = (*(0.1 * random.normal(size=2)), 0.3 + 0.12 * k)
            quaternion = turn / np.linalg.norm(turn)
            world.add_body(Box((0.4, 0.1, 0.05)), position=place, quaternion=quaternion, mass=1.0)
        if pendulum:
            bob = world.add_body(Sphere(0.1), position=(50, 0, 5), mass=1.0)
            world.add_joint(Ball((50, 0, 5.5)), None, bob)
        world.step(120)
        places.append(world.positions[1:9].copy())
    np.testing.assert_array_equal(places[0], places[1])

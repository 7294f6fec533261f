"""Gauss-Seidel in the world: the direct solver's motion with many sweeps, a stable one with few."""

from dataclasses import replace

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Material, Settings, World
from tests.engine.worlds import (
    G,
    axis_angle,
    check_momentum_of_meeting_cubes,
    random_quaternion,
    tower,
    world_with_floor,
)

SWEPT = Settings(solver="gauss_seidel")
MANY = replace(SWEPT, sweeps=20000)


def box_on_an_edge(settings: Settings) -> World:
    """Return a box that lands on an edge and slides."""
    world = world_with_floor(settings=settings)
    world.add_body(
        Box((1.0, 0.6, 0.4)), position=(0, 0, 0.8), quaternion=axis_angle((0.3, 1, 0.2), 0.7),
        velocity=(0.5, 0.2, -0.5), mass=2.0,
    )  # fmt: skip
    return world


def sphere_and_boxes(settings: Settings) -> World:
    """Return a sphere that hits a box, which hits another, on a smooth floor: the motion is unique."""
    world = world_with_floor(Material(friction=0.0), settings=settings)
    world.add_body(Box((0.8, 0.9, 0.5)), position=(1.0, 0.05, 0.25), mass=2.0)
    world.add_body(Box((0.5, 0.4, 0.3)), position=(1.75, 0.32, 0.15), mass=0.7)
    world.add_body(
        Sphere(0.3), position=(-0.2, 0.13, 0.31), velocity=(3, 0.1, 0), mass=1.5,
        material=Material(restitution=0.4, friction=0.3),
    )  # fmt: skip
    return world


def three_cubes(settings: Settings) -> World:
    """Return three cubes at rest."""
    return tower(3, settings=settings)


@pytest.mark.parametrize(
    ("build", "steps"), [(box_on_an_edge, 45), (sphere_and_boxes, 18), (three_cubes, 60)]
)
def test_many_sweeps_move_as_the_direct_solver(build, steps):
    """Move as with the direct solver when sweeps go on until they change less than the tolerances.

    Sweeps of the correction end at a change of position_tolerance / h in a row's velocity; with that
    tolerance at 1e-12 m the motions agree to the conditioning of the rows. Both evaluate the preview once;
    islands that are swept do no more. The steps end before several contacts overlap at once, which sweeps
    separate in part only.
    """
    same = {"preview_passes": 1, "position_tolerance": 1e-12, "velocity_tolerance": 1e-11}
    direct = build(Settings(solver="direct", **same))
    swept = build(replace(MANY, **same))
    for _ in range(steps):
        direct.step()
        swept.step()
        assert np.abs(direct.positions - swept.positions).max() < 1e-7
    assert direct.report.direct_islands == direct.report.islands and swept.report.direct_islands == 0
    assert np.abs(direct.velocities - swept.velocities).max() < 1e-5


def test_impulses_agree_where_they_are_unique():
    """Find the same contact impulses of spheres by both solvers: three points carry one sphere."""
    totals = []
    for settings in (Settings(solver="direct"), replace(MANY, velocity_tolerance=1e-13)):
        material = Material(friction=0.0)
        world = world_with_floor(material, settings=settings)
        for k in range(3):
            angle = 2 * np.pi * k / 3
            world.add_body(
                Sphere(0.5), kind="static", position=(0.55 * np.cos(angle), 0.55 * np.sin(angle), 0.5),
                material=material,
            )  # fmt: skip
        height = 0.5 + np.sqrt(1.0 - 0.55**2)
        world.add_body(Sphere(0.5), position=(0, 0, height), mass=2.0, material=material)
        world.step(5)
        assert world.contacts.count == 3
        totals.append(world.contact_impulses.copy())
        share = 2.0 * G * 0.01 / 3 / np.sqrt(1.0 - 0.55**2)
        # resting gaps are held at 1e-9 m: m 1e-9 / h = 2e-7 N s may be needed to get there
        assert np.abs(np.linalg.norm(totals[-1], axis=1) - share).max() < 2e-7
    assert np.abs(totals[0] - totals[1]).max() < 2e-7


@pytest.mark.parametrize("sweeps", [1, 2, 3, 5])
def test_few_sweeps_keep_a_tower_calm(sweeps):
    """Stop after any number of sweeps: five cubes gain no energy beyond what sinking in gives, and stand."""
    world = tower(5, settings=replace(SWEPT, sweeps=sweeps))
    start = world.report.energy
    for _ in range(300):
        report = world.step()
        assert report.kinetic_energy < 5.0
        assert report.energy < start + 0.5
    assert np.isfinite(world.positions).all()
    assert world.positions[1:, 2].max() < 5.0


@pytest.mark.parametrize("sweeps", [1, 3, 5])
def test_few_sweeps_keep_a_pile_bounded(sweeps):
    """Stop after any number of sweeps: a pile of 20 bodies loses energy, stays inside and calms down."""
    rng = np.random.default_rng(2)
    world = world_with_floor(settings=replace(SWEPT, sweeps=sweeps))
    for x in (-1.6, 1.6):
        for axis in range(2):
            size, place = [0.2, 4.0, 4.0], [x, 0.0, 2.0]
            if axis:
                size, place = [4.0, 0.2, 4.0], [0.0, x, 2.0]
            world.add_body(Box(size), kind="static", position=place)
    for k in range(20):
        world.add_body(
            Box((0.6, 0.5, 0.4)) if k % 2 else Sphere(0.3),
            position=(*rng.uniform(-0.9, 0.9, 2), 0.6 + 0.4 * k),
            quaternion=random_quaternion(rng),
            mass=1.0,
        )
    start = world.report.energy
    highest = start
    for _ in range(400):
        highest = max(highest, world.step().energy)
    assert highest < start * 1.01
    assert world.report.kinetic_energy < 0.05 * start
    assert (world.positions[5:, 2] > 0.0).all() and np.abs(world.positions[5:, :2]).max() < 1.6
    assert world.report.max_overlap < 0.1


def test_more_sweeps_hold_better():
    """Sink less with more sweeps: a tower of ten after 0.1 s, as it finds what it weighs."""
    sunk = []
    for sweeps in (2, 10, 50, 250):
        world = tower(10, settings=replace(SWEPT, sweeps=sweeps))
        world.step(10)
        sunk.append(np.abs(world.positions[1:, 2] - (0.5 + np.arange(10))).max())
    assert sunk[0] > sunk[1] > sunk[2] > sunk[3]
    assert sunk[3] < 1e-4


def test_momentum_is_kept_whatever_is_left():
    """Keep momentum and angular momentum of bodies in free space, however few sweeps are made."""
    check_momentum_of_meeting_cubes(replace(SWEPT, sweeps=1), 100)


def test_time_limit_ends_sweeps():
    """End the sweeps of a phase at the time limit, whatever the count is."""
    world = tower(10, settings=replace(MANY, time_limit=1e-6, velocity_tolerance=0.0))
    world.step(2)
    assert 0 < world.report.sweeps < 200


def test_sweeps_end_by_tolerance():
    """End the sweeps when they change less than the tolerance."""
    world = tower(2, settings=MANY)
    world.step(20)
    assert 0 < world.report.sweeps < 500
    assert world.report.sweep_change <= 1e-10 or world.report.sweep_change <= 1e-6 / 0.01

"""Bodies at rest: towers, pyramids, every shape on the floor, overlap that is removed without energy."""

import numpy as np
import pytest

from stoss.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, Placed, Sphere
from stoss.engine import Material, Settings, World, from_values
from tests.engine.worlds import G, axis_angle, floor, pyramid, run, tower, world_with_floor

CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


@pytest.mark.parametrize(("bodies", "steps"), [(10, 500), (20, 500), (50, 500)])
def test_tower_stands(bodies, steps):
    """Hold a tower of cubes set down with 1 mm offsets: drift, overlap and speed stay at rounding level.

    The rows are met to 1e-10 m/s, so 5 s could bring 5e-10 m if every step erred to the same side.
    """
    world = tower(bodies)
    start = world.positions.copy()
    overlap = 0.0
    for _ in range(steps // 50):
        overlap = max(overlap, world.step(50).max_overlap)
    assert np.abs(world.positions - start).max() < 1e-9
    assert overlap < 1e-9
    assert np.abs(world.velocities).max() < 1e-9
    assert np.abs(world.quaternions[:, 0] - 1.0).max() < 1e-15


def test_pyramid_stands():
    """Hold a pyramid of 210 cubes for 2 s: no cube moves by more than rounding."""
    world = pyramid(20)
    start = world.positions.copy()
    report = world.step(200)
    assert np.abs(world.positions - start).max() < 1e-8
    assert report.max_overlap < 1e-9
    assert np.abs(world.velocities).max() < 1e-8


def test_towers_at_rest_are_solved_for_rarely():
    """Solve for a tower at rest in less than every second step: what rounding leaves goes not to and fro."""
    world = tower(10)
    world.step(140)
    start, solved = world.positions.copy(), 0
    for _ in range(60):
        solved += world.step().refinements
    assert 0 < solved < 30
    assert np.abs(world.positions - start).max() < 1e-12
    assert np.abs(world.velocities).max() < 1e-12


RESTING = {
    "sphere": (Sphere(0.3), (1, 0, 0, 0), 0.3),
    "upright box": (Box((0.2, 0.3, 1.0)), (1, 0, 0, 0), 0.5),
    "upright capsule": (Capsule(0.2, 0.6), (1, 0, 0, 0), 0.5),
    "lying capsule": (Capsule(0.2, 0.6), axis_angle((1, 0, 0), np.pi / 2), 0.2),
    "upright cylinder": (Cylinder(0.3, 1.0), (1, 0, 0, 0), 0.5),
    "lying cylinder": (Cylinder(0.3, 1.0), axis_angle((1, 2, 0), np.pi / 2), 0.3),
    "cone": (Cone(0.4, 1.0), (1, 0, 0, 0), 0.5),
    "ellipsoid": (Ellipsoid((0.5, 0.4, 0.3)), (1, 0, 0, 0), 0.3),
    "hull": (ConvexHull(CUBE), axis_angle((0, 0, 1), 0.4), 0.5),
    "compound": (
        [Placed(Box((0.2, 0.2, 1)), position=(0.4, 0, 0)), Placed(Sphere(0.3), position=(-0.4, 0, -0.2))],
        (1, 0, 0, 0),
        0.5,
    ),
}


@pytest.mark.parametrize("name", RESTING)
def test_every_shape_rests(name):
    """Hold each shape where it was set down, without speed, for 2 s.

    Positions may creep by the tolerance of the velocity rows, 1e-10 m/s, in each of 200 steps.
    """
    shapes, turn, height = RESTING[name]
    world = world_with_floor()
    body = world.add_body(shapes, position=(1, 2, height), quaternion=turn, mass=2.0)
    world.step(200)
    assert np.abs(body.position - [1, 2, height]).max() < 1e-8
    assert np.abs(body.quaternion - turn).max() < 1e-8
    assert np.abs(body.velocity).max() < 1e-9 and np.abs(body.angular_velocity).max() < 1e-8
    assert world.contact_impulses.sum(axis=0)[2] == pytest.approx(-2.0 * G * 0.01, rel=1e-8)


@pytest.mark.parametrize("time_step", [1 / 30, 1 / 60, 1 / 100, 1 / 1000])
def test_resting_does_not_depend_on_the_step(time_step):
    """Hold five cubes for any step, without a bounce and without sinking (R21, R44)."""
    world = tower(5, time_step=time_step)
    start = world.positions.copy()
    world.step(100)
    assert np.abs(world.positions - start).max() < 1e-8
    assert np.abs(world.velocities).max() < 1e-8


def test_small_cubes_rest():
    """Hold a tower of ten cubes of 4 cm: no oscillation (genesis#893)."""
    world = world_with_floor()
    for k in range(10):
        world.add_body(Box((0.04, 0.04, 0.04)), position=(0, 0, 0.02 + 0.04 * k))
    start = world.positions.copy()
    world.step(200)
    assert np.abs(world.positions - start).max() < 1e-9 and np.abs(world.velocities).max() < 1e-9


def test_cube_on_a_static_cube_stays(seconds=10):
    """Keep a 0.5 m cube on a static 1 m cube, unmoved and unturned, at 240 Hz (bullet3#3049)."""
    world = World(time_step=1 / 240)
    world.add_body(Box((1, 1, 1)), kind="static", position=(0, 0, 0.5))
    body = world.add_body(Box((0.5, 0.5, 0.5)), position=(0.1, 0.05, 1.25), mass=1.0)
    world.step(240 * seconds)
    assert np.abs(body.position - [0.1, 0.05, 1.25]).max() < 1e-9
    assert np.abs(body.quaternion[1:]).max() < 1e-9


@pytest.mark.parametrize("ratio", [5.0, 50.0, 100.0, 10000.0])
def test_heavy_rests_on_light(ratio):
    """Carry a cube that is up to 10000 times as heavy without sinking in (Jolt#1390)."""
    world = world_with_floor()
    world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), mass=1.0)
    world.add_body(Box((1, 1, 1)), position=(0, 0, 1.5), mass=ratio)
    start = world.positions.copy()
    report = world.step(200)
    assert np.abs(world.positions - start).max() < 1e-8 and report.max_overlap < 1e-8


def test_heavy_cylinder_rests_on_a_light_cube():
    """Carry a cylinder of 60 kg on a cube of 1 kg (godot-jolt#1041)."""
    world = world_with_floor()
    world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), mass=1.0)
    world.add_body(Cylinder(0.4, 1.0), position=(0, 0, 1.5), mass=60.0)
    start = world.positions.copy()
    world.step(200)
    assert np.abs(world.positions - start).max() < 1e-8


@pytest.mark.parametrize("friction", [0.0, 1e-4, 1e-3])
def test_almost_frictionless_boxes_rest(friction):
    """Hold box on box with hardly any friction: no contact dropped, no NaN (mujoco_warp#1526)."""
    material = Material(friction=friction)
    world = world_with_floor(material, time_step=1 / 240, gravity=(0, 0, -10))
    properties = from_values(1.0, (1, 1, 1))
    for half, height in ((0.2, 0.2), (0.1, 0.5)):
        size = (2 * half,) * 3
        world.add_body(Box(size), position=(0, 0, height), mass_properties=properties, material=material)
    world.step(240)
    assert abs(world.positions[2, 2] - 0.5) < 1e-8 and np.abs(world.velocities).max() < 1e-8


def test_peg_rests_across_a_small_cube():
    """Come to rest: a peg that falls 25 mm on a static cube (mujoco#2356)."""
    world = World()
    world.add_body(Box((0.05, 0.05, 0.05)), kind="static")
    peg = world.add_body(Box((0.096, 0.02, 0.02)), position=(0, 0, 0.06))
    world.step(100)
    assert np.abs(peg.velocity).max() < 1e-8 and np.abs(peg.angular_velocity).max() < 1e-6
    assert peg.position[2] == pytest.approx(0.035, abs=1e-6)


def test_hull_rests_like_the_box():
    """Give the hull of a cube the contacts, the rest height and the motion of the box (mujoco#1665)."""
    ends = []
    for shape in (Box((1, 1, 1)), ConvexHull(CUBE)):
        world = world_with_floor()
        body = world.add_body(shape, position=(0, 0, 0.6), velocity=(1, 0, 0), mass=1.0)
        world.step(100)
        assert world.contacts.count == 4
        ends.append(np.concatenate([body.position, body.velocity, np.abs(body.quaternion)]))
    assert np.abs(ends[1] - ends[0]).max() < 1e-6


def test_dropped_tower_comes_to_rest():
    """Let ten cubes, dropped with gaps of 0.25 m, end as a tower at rest (box3d BoxStack)."""
    world = world_with_floor()
    for k in range(10):
        world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5 + 1.25 * k), mass=1.0)
    world.step(400)
    assert np.abs(world.positions[1:, 2] - (0.5 + np.arange(10))).max() < 1e-4
    assert np.abs(world.velocities).max() < 1e-6
    assert np.abs(world.positions[:, :2]).max() < 1e-3


@pytest.mark.parametrize("share", [0.05, 0.25])
def test_deep_overlap_separates_slowly(share):
    """Push apart a pyramid of cubes set a quarter of their edge into each other at less than 3 m/s (R28)."""
    world = world_with_floor()
    step = 1.0 - share
    for row in range(4):
        for k in range(4 - row):
            world.add_body(
                Box((1, 1, 1)), position=(k - 0.5 * (3 - row), 0, 0.5 - share + row * step), mass=1.0
            )
    fastest = 0.0
    for _ in range(300):
        before = world.positions.copy()
        report = world.step()
        fastest = max(fastest, np.linalg.norm(world.positions - before, axis=1).max() / world.time_step)
        assert np.linalg.norm(world.velocities, axis=1).max() < 3.0
    assert fastest < 3.0
    assert report.max_overlap < 1e-3 and np.abs(world.velocities).max() < 0.05


def test_separating_adds_no_energy():
    """Push two overlapping spheres apart without giving them any velocity when nothing else acts."""
    world = World(gravity=(0, 0, 0))
    world.add_body(Sphere(0.5), position=(0, 0, 0), mass=1.0)
    world.add_body(Sphere(0.5), position=(0.3, 0, 0.7), mass=3.0)
    center = world.masses @ world.positions / 4.0
    world.step(100)
    assert world.report.kinetic_energy == 0.0
    assert np.linalg.norm(world.positions[1] - world.positions[0]) == pytest.approx(1.0, abs=1e-6)
    assert np.abs(world.masses @ world.positions / 4.0 - center).max() < 1e-14


def test_body_leaves_the_floor_when_gravity_turns():
    """Let a resting body go without sticking when gravity turns round."""
    world = tower(3, offset=0.0)
    world.step(10)
    world.gravity = (0, 0, G)
    world.step(50)
    assert np.abs(world.positions[1:, 2] - (0.5 + np.arange(3) + 0.5 * G * 0.25)).max() < 1e-9
    assert np.abs(world.velocities[1:] - [0, 0, 0.5 * G]).max() < 1e-9


def test_lift_carries_a_body():
    """Carry a body up and down on a kinematic lift: it stays on top, at the lift's velocity."""
    world = World()
    lift = world.add_body(Box((2, 2, 1)), kind="kinematic", position=(0, 0, -0.5), velocity=(0, 0, 1.0))
    body = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), velocity=(0, 0, 1.0))
    for speed in (1.0, -0.05, 0.0):
        lift.velocity = (0, 0, speed)
        world.step(100)
        assert body.position[2] - lift.position[2] == pytest.approx(1.0, abs=1e-6)
        assert body.velocity[2] == pytest.approx(speed, abs=1e-6)


def test_turntable_carries_a_body():
    """Carry a body round on a turntable that turns slowly enough for friction to hold it.

    The step is of second order: what the body creeps outwards is r omega t times (omega h)^2 = 4e-4 m in 2 s,
    not r omega t times omega h / 2 = 2e-2 m.
    """
    world = World()
    world.add_body(Cylinder(3.0, 1.0), kind="kinematic", position=(0, 0, -0.5), angular_velocity=(0, 0, 1.0))
    body = world.add_body(
        Box((0.5, 0.5, 0.5)), position=(2, 0, 0.25), velocity=(0, 2, 0), angular_velocity=(0, 0, 1)
    )
    seen = run(world, 200, lambda w: body.position)
    assert np.abs(np.hypot(seen[:, 0], seen[:, 1]) - 2.0).max() < 2e-3
    assert np.abs(np.arctan2(seen[-1, 1], seen[-1, 0]) - 2.0) < 1e-3
    assert np.abs(seen[:, 2] - 0.25).max() < 1e-6


def test_tilted_gravity_pile_in_a_corner():
    """Hold a cube in a corner of three planes under gravity that points into it."""
    world = World(gravity=(-3, -4, -9))
    for turn in ((1, 0, 0, 0), axis_angle((0, 1, 0), np.pi / 2), axis_angle((1, 0, 0), -np.pi / 2)):
        if turn[0] == 1:
            floor(world)
        else:
            from stoss.collision import HalfSpace

            world.add_body(HalfSpace(), kind="static", quaternion=turn)
    body = world.add_body(Box((1, 1, 1)), position=(0.5, 0.5, 0.5), mass=1.0)
    world.step(200)
    assert np.abs(body.position - 0.5).max() < 1e-9 and np.abs(body.velocity).max() < 1e-9


def test_sphere_between_two_walls():
    """Squeeze a sphere that just fits between two static boxes without moving it."""
    world = World(settings=Settings())
    for x in (-1.0, 1.0):
        world.add_body(Box((1, 2, 2)), kind="static", position=(x, 0, 0))
    world.add_body(Box((3, 3, 1)), kind="static", position=(0, 0, -1.5))
    body = world.add_body(Sphere(0.5), position=(0, 0, -0.5), mass=1.0)
    world.step(100)
    assert np.abs(body.position - [0, 0, -0.5]).max() < 1e-9 and np.abs(body.velocity).max() < 1e-9

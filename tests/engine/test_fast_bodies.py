"""Fast bodies do not pass through others, and lose nothing but a part of a step."""

import numpy as np
import pytest

from stoss.collision import Box, Capsule, HalfSpace, Placed, Sphere, TriangleMesh
from stoss.engine import Hinge, Material, Settings, World
from stoss.scenes import SCENES

BULLET, SPEED, STEP = 0.01, 300.0, 0.01  # radius [m], speed [m/s], time step [s]


def weightless(restitution=0.0, settings=None, step=STEP):
    world = World(gravity=(0, 0, 0), time_step=step, settings=settings)
    return world, Material(friction=0.0, restitution=restitution)


def shoot(world, material, position=(0, 0, 0), direction=(1, 0, 0), mass=0.01):
    velocity = SPEED * np.asarray(direction) / np.linalg.norm(direction)
    return world.add_body(Sphere(BULLET), position=position, velocity=velocity, mass=mass, material=material)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("place", np.linspace(0.3, 2.9, 5))
def test_bullet_meets_a_thin_wall(restitution, place):
    """Turn a bullet of 1 cm and 300 m/s round at a wall of 5 mm, wherever in the step they meet.

    It is held up to 5e-6 m before the wall (half of the touching distance).
    """
    world, material = weightless(restitution)
    world.add_body(Box((0.005, 1, 1)), kind="static", position=(place, 0, 0), material=material)
    bullet = shoot(world, material)
    world.step()
    assert bullet.position[0] == pytest.approx(place - 0.0025 - BULLET, abs=6e-6)
    np.testing.assert_allclose(bullet.velocity, [-restitution * SPEED, 0, 0], atol=1e-6)
    world.step(3)
    assert bullet.position[0] <= place - 0.0025 - BULLET + 1e-6


def test_without_sweeping_the_bullet_passes():
    """Pass through the wall when sweeping is off: what the other tests prevent does happen."""
    world, material = weightless(settings=Settings(continuous_collision=False))
    world.add_body(Box((0.005, 1, 1)), kind="static", position=(1, 0, 0), material=material)
    bullet = shoot(world, material)
    world.step()
    assert bullet.position[0] == pytest.approx(3.0)


@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_bullet_gives_a_thin_plate_its_momentum(restitution):
    """Exchange momentum with a free plate of 5 mm as two bodies on one line do: closed form."""
    world, material = weightless(restitution)
    plate = world.add_body(Box((0.005, 1, 1)), position=(1.3, 0, 0), mass=2.0, material=material)
    bullet = shoot(world, material)
    world.step()
    common = 0.01 * SPEED / 2.01
    assert plate.velocity[0] == pytest.approx((1 + restitution) * common, rel=1e-9)
    assert bullet.velocity[0] == pytest.approx(common - restitution * (SPEED - common), rel=1e-9)
    np.testing.assert_allclose(world.report.momentum, [0.01 * SPEED, 0, 0], atol=1e-9)
    world.step(5)
    assert bullet.position[0] < plate.position[0]


def sheet(cells, size):
    """Return a flat mesh in the plane x = 0 that faces -x."""
    grid = np.linspace(-size, size, cells + 1)
    vertices = [(0.0, y, z) for y in grid for z in grid]
    faces = []
    for i in range(cells):
        for j in range(cells):
            a = i * (cells + 1) + j
            b, c, d = a + 1, a + cells + 1, a + cells + 2
            faces += [(a, b, c), (b, d, c)]
    return TriangleMesh(np.array(vertices), np.array(faces))


@pytest.mark.parametrize("shape", [Sphere(BULLET), Box((0.03, 0.02, 0.02)), Capsule(0.01, 0.02)])
def test_bullet_meets_a_mesh(shape):
    """Stop bodies of several shapes at a static mesh, a skin without thickness."""
    world, material = weightless()
    world.add_body(sheet(6, 1.0), kind="static", position=(1.7, 0.03, 0.05), material=material)
    bullet = world.add_body(shape, velocity=(SPEED, 4, 2), mass=0.01, material=material)
    world.step()
    assert 1.65 < bullet.position[0] < 1.7
    assert bullet.velocity[0] == pytest.approx(0.0, abs=1e-6)
    world.step(5)
    assert bullet.position[0] < 1.7


def test_mesh_is_open_from_behind():
    """Let a bullet through a mesh from its back, as ordinary contacts do."""
    world, material = weightless()
    world.add_body(sheet(6, 1.0), kind="static", position=(-1.7, 0.03, 0.05), material=material)
    bullet = shoot(world, material, direction=(-1, 0, 0))
    world.step()
    assert bullet.position[0] == pytest.approx(-3.0)


def test_bullet_meets_a_half_space():
    """Stop a bullet on the ground, with all of its motion along the ground."""
    world, material = weightless()
    world.add_body(HalfSpace(), kind="static", material=material)
    bullet = shoot(world, material, position=(0, 0, 0.4), direction=(0.8, 0, -0.6))
    world.step()
    np.testing.assert_allclose(bullet.position, [0.8 * SPEED * STEP, 0, BULLET], atol=2e-6)
    np.testing.assert_allclose(bullet.velocity, [0.8 * SPEED, 0, 0], atol=1e-6)


def test_spinning_rod_meets_a_ball():
    """Let a thin rod that turns by 2 rad per step hit a ball in its way, and keep both momenta."""
    world, material = weightless(1.0)
    rod = world.add_body(Capsule(0.004, 1.0), angular_velocity=(0, 200, 0), mass=0.1, material=material)
    angle = 1.2
    centre = 0.4 * np.array([np.sin(angle), 0, np.cos(angle)])
    ball = world.add_body(Sphere(0.01), position=centre, mass=0.02, material=material)
    before = world.report
    world.step()
    report = world.report
    assert np.linalg.norm(ball.velocity) > 50
    assert ball.velocity @ np.array([np.cos(angle), 0, -np.sin(angle)]) > 50
    np.testing.assert_allclose(report.momentum, before.momentum, atol=1e-9)
    # both bodies take the impulse at one point, across a gap of up to 5e-6 m
    np.testing.assert_allclose(report.angular_momentum, before.angular_momentum, rtol=1e-9, atol=1e-9)
    assert report.kinetic_energy == pytest.approx(before.kinetic_energy, rel=1e-9)
    assert rod.angular_velocity[1] < 200


def test_two_bullets_head_on():
    """Exchange the velocities of two equal elastic bullets that meet."""
    world, material = weightless(1.0)
    left = shoot(world, material)
    right = shoot(world, material, position=(2.2, 0, 0), direction=(-1, 0, 0))
    world.step()
    assert left.position[0] == pytest.approx(1.1 - BULLET, abs=6e-6)
    assert right.position[0] == pytest.approx(1.1 + BULLET, abs=6e-6)
    assert left.velocity[0] == pytest.approx(-SPEED)
    assert right.velocity[0] == pytest.approx(SPEED)


def test_body_that_skims_flies_on():
    """Leave the flight of a bullet alone that passes a wall closely, and of one that slides along it."""
    for clearance in (1e-3, 0.0):
        world, material = weightless()
        world.add_body(Box((4, 1, 1)), kind="static", position=(1, 0, -0.5), material=material)
        bullet = shoot(world, material, position=(0, 0, BULLET + clearance))
        world.step()
        assert bullet.position[0] == pytest.approx(3.0, abs=1e-9)
        assert bullet.velocity[0] == pytest.approx(SPEED, abs=1e-9)


def test_held_body_has_the_energy_of_its_place():
    """Hold a falling bullet with the velocity it has there: its energy is that of the start, exactly."""
    world = World(time_step=STEP)
    material = Material(friction=0.0, restitution=1.0)
    world.add_body(Box((9, 9, 0.005)), kind="static", position=(0, 0, -1), material=material)
    bullet = shoot(world, material, direction=(0.6, 0, -0.8))
    before = world.report.energy
    for _ in range(4):
        world.step()
        assert world.report.energy == pytest.approx(before, abs=1e-9 * before)
    assert bullet.position[2] > -1


def test_cargo_of_a_held_body_is_held_too():
    """Hold what a held box carries before it flies through the wall of the box."""
    world, material = weightless()
    walls = [Placed(Box((0.01, 0.5, 0.5)), position=(x, 0, 0)) for x in (-0.3, 0.3)]
    world.add_body(Box((0.005, 3, 3)), kind="static", position=(1.5, 0, 0), material=material)
    car = world.add_body(walls, velocity=(SPEED, 0, 0), mass=1.0, material=material)
    cargo = world.add_body(Sphere(0.05), velocity=(SPEED, 0, 0), mass=0.1, material=material)
    for _ in range(5):
        world.step()
        assert abs(cargo.position[0] - car.position[0]) < 0.3 - 0.005 - 0.05 + 1e-4
        assert car.position[0] < 1.2


def test_hammer_on_a_hinge_meets_a_thin_wall():
    """Stop a jointed rod that turns by half a radian per step at a thin plate, with its joint closed."""
    world, material = weightless(1.0)
    rod = world.add_body(Box((0.02, 0.02, 1)), position=(0, 0, -0.5), mass=1.0, material=material)
    world.add_joint(Hinge(point=(0, 0, 0), axis=(0, 1, 0)), None, rod)
    rod.angular_velocity, rod.velocity = (0, -60, 0), (30, 0, 0)
    world.add_body(Box((0.3, 0.2, 0.005)), kind="static", position=(0.75, 0, -0.004), material=material)
    before = world.report.kinetic_energy
    for _ in range(6):
        report = world.step()
        assert report.joint_error < 1e-3
        angle = np.arctan2(rod.position[0], -rod.position[2])
        assert angle < np.pi / 2 + 1e-3
    assert rod.angular_velocity[1] > 0
    assert report.kinetic_energy == pytest.approx(before, rel=1e-3)


def test_heavy_ball_into_a_jointed_frame():
    """Keep a frame of four hinged bars that a ball of 1 m at 100 m/s flies into finite, and its energy."""
    world = World(time_step=STEP)
    material = Material(friction=0.3, restitution=0.2)
    upright, level = Box((0.1, 0.1, 2)), Box((1.9, 0.1, 0.1))
    bars = [
        world.add_body(shape, position=(x, 0, z), density=1000.0, material=material)
        for x, z, shape in ((-1, 0, upright), (1, 0, upright), (0, -1, level), (0, 1, level))
    ]
    for i, j, x, z in ((0, 2, -1, -1), (2, 1, 1, -1), (1, 3, 1, 1), (3, 0, -1, 1)):
        world.add_joint(Hinge(point=(x, 0, z), axis=(0, 1, 0)), bars[i], bars[j])
    ball = Sphere(0.5)
    world.add_body(ball, position=(0.9, -2, 0), velocity=(0, 100, 0), density=1000.0, material=material)
    before = world.report.energy
    for _ in range(60):
        report = world.step()
        assert np.isfinite(world.velocities).all()
        assert report.energy <= before * (1 + 1e-3)


@pytest.mark.parametrize(
    ("name", "options"), [("stack", {"bodies": 4}), ("pyramid", {"base": 4}), ("chain", {"bodies": 5})]
)
def test_slow_scenes_do_not_notice(name, options):
    """Give bitwise the same motion with and without sweeping where nothing is fast."""
    hashes = []
    for swept in (True, False):
        world = SCENES[name].build(**options, settings=Settings(continuous_collision=swept))
        world.step(60)
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


def test_accuracy_mode_sees_bullets_too():
    """Settle a bullet at the time of contact and let it fly on in the same step, in the accuracy mode."""
    world, material = weightless(1.0, Settings(time_of_impact=True))
    world.add_body(Box((0.005, 1, 1)), kind="static", position=(1, 0, 0), material=material)
    bullet = shoot(world, material)
    report = world.step()
    assert report.times_of_impact == 1
    path = 1 - 0.0025 - BULLET
    assert bullet.position[0] == pytest.approx(path - (SPEED * STEP - path), abs=2e-6)


@pytest.mark.parametrize(("mass", "gap"), [(1.0, 0.05), (10.0, 0.02), (0.3, 0.01)])
def test_what_is_taken_along_meets_what_was_in_nobodys_way(mass, gap):
    """Stop a bar at a thin plate that neither it nor the ball that hits it would have met alone."""
    world, material = weightless()
    bar = world.add_body(Box((0.02, 2.0, 0.02)), mass=1.0, material=material)
    ball = world.add_body(
        Sphere(0.05), position=(-0.5, 0, 0), velocity=(90, 0, 0), mass=mass, material=material
    )
    for side in (-0.9, 0.9):
        place = (0.01 + gap + 0.0025, side, 0.0)
        world.add_body(Box((0.005, 0.1, 0.5)), position=place, kind="static", material=material)
    for _ in range(4):
        world.step()
        assert bar.position[0] < gap + 1e-4
        assert ball.position[0] < bar.position[0]

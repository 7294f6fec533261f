"""Momentum and angular momentum of free bodies are constants, whatever happens between them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stoss.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, Shape, Sphere
from stoss.engine import Ball, Body, Cylindrical, Fixed, Hinge, Material, Settings, Slider, World
from tests.engine.worlds import random_quaternion

# Rounding of some hundred steps with some hundred impulses each, as a share of the largest value.
ROUNDING = 1e-12


def random_shape(rng: np.random.Generator, number: int) -> Shape:
    """Return a shape of a size of about 0.5 m."""
    shapes: list[Callable[[], Shape]] = [
        lambda: Box(tuple(rng.uniform(0.2, 0.6, 3))),
        lambda: Ellipsoid(tuple(rng.uniform(0.1, 0.3, 3))),
        lambda: Cylinder(*rng.uniform(0.1, 0.4, 2)),
        lambda: Capsule(*rng.uniform(0.1, 0.4, 2)),
        lambda: ConvexHull(rng.normal(size=(12, 3)) * 0.2),
        lambda: Cone(*rng.uniform(0.2, 0.5, 2)),
        lambda: Sphere(rng.uniform(0.1, 0.3)),
    ]
    return shapes[number % len(shapes)]()


def swarm(
    seed: int,
    settings: Settings | None = None,
    bodies: int = 10,
    speed: float = 1.0,
    material: Material | None = None,
) -> tuple[World, list[Body]]:
    """Return spinning bodies of masses from 0.1 to 10 kg that fly towards each other, without gravity."""
    rng = np.random.default_rng(seed)
    world = World(gravity=(0, 0, 0), time_step=0.01, settings=settings)
    material = Material(friction=0.5, restitution=0.4) if material is None else material
    members = []
    for k in range(bodies):
        place = 0.8 * np.array([k % 3, k // 3 % 3, k // 9]) + rng.uniform(-0.1, 0.1, 3)
        members.append(
            world.add_body(
                random_shape(rng, k),
                position=place,
                quaternion=random_quaternion(rng),
                velocity=speed * (0.8 - place + 0.3 * rng.normal(size=3)),
                angular_velocity=4.0 * rng.normal(size=3),
                mass=10 ** rng.uniform(-1, 1),
                material=material,
            )
        )
    return world, members


def assert_momentum_is_kept(world: World, steps: int) -> int:
    """Step; assert that momenta stay what they are in every step. Return in how many bodies met or parted."""
    momentum, angular = world.report.momentum, world.report.angular_momentum
    scale = sum(b.mass * np.linalg.norm(b.velocity) for b in world.bodies)
    turn = scale + np.linalg.norm(angular)  # at distances of about a metre
    touched = 0
    for _ in range(steps):
        world.step()
        touched += len(world.events.begin) > 0
        assert np.abs(world.report.momentum - momentum).max() < ROUNDING * scale
        assert np.abs(world.report.angular_momentum - angular).max() < ROUNDING * turn
    return touched


OPTIONS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "sweeps": {"solver": "gauss_seidel"},
    "direct": {"solver": "direct"},
    "time of impact": {"time_of_impact": True},
    "sleeping": {"sleeping": True},
    "newton": {"impact_law": "newton"},
    "stronge": {"impact_law": "stronge"},
    "order 4": {"order": 4},
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", OPTIONS)
def test_collisions(name, seed):
    """Keep both momenta while bodies of all shapes collide, slide and roll over each other."""
    world, _ = swarm(seed, Settings(**OPTIONS[name]))
    assert assert_momentum_is_kept(world, 120) > 3


@pytest.mark.parametrize("restitution", [0.0, 1.0])
@pytest.mark.parametrize("friction", [0.0, 1.5])
def test_materials(friction, restitution):
    """Keep both momenta without friction and with much, for soft and for elastic impacts."""
    world, _ = swarm(5, material=Material(friction=friction, restitution=restitution))
    assert assert_momentum_is_kept(world, 120) > 3


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["defaults", "sweeps", "order 4"])
def test_joints_and_contacts(name, seed):
    """Keep both momenta where colliding bodies hang together by joints with stops and motors."""
    world, bodies = swarm(seed, Settings(**OPTIONS[name]))
    for k in range(4):
        a, b = bodies[2 * k], bodies[2 * k + 1]
        middle = 0.5 * (a.position + b.position)
        kinds: list[Any] = [
            Ball(point=middle),
            Hinge(point=middle, axis=(0, 0, 1)),
            Slider(point=middle, axis=(1, 0, 0)),
            Fixed(),
        ]
        joint = world.add_joint(kinds[k], a, b)
        if k == 1:
            joint.motor(3.0, max_force=2.0)
        if k == 2:
            joint.limit(-0.2, 0.2)
    assert assert_momentum_is_kept(world, 120) > 3


@pytest.mark.parametrize("seed", range(3))
def test_fast_bodies(seed):
    """Keep both momenta where bodies move by more than their size in a step and are stopped on the way."""
    world, _ = swarm(seed, speed=60.0)
    assert_momentum_is_kept(world, 60)


@pytest.mark.parametrize("joints", [0, 3])
@pytest.mark.parametrize(("speed", "seed"), [(20.0, 1), (20.0, 2), (60.0, 0), (60.0, 2)])
def test_fast_bodies_that_fall(speed, seed, joints):
    """Let the centre of mass of fast bodies that meet fall as if they did not, and loads turn them."""
    world, bodies = swarm(seed, speed=speed)
    world.gravity = (0.0, 0.0, -9.81)
    for k in range(joints):
        a, b = bodies[2 * k], bodies[2 * k + 1]
        world.add_joint(Ball(point=0.5 * (a.position + b.position)), a, b)
    world.torques[1] = (0.3, 0.0, 0.2)
    h, g, mass = world.time_step, np.array(world.gravity), sum(b.mass for b in bodies)

    def state() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        where = sum((b.mass * b.center_of_mass for b in bodies), np.zeros(3))
        return where, world.report.momentum, world.report.angular_momentum

    scale = 10.0 * mass * speed
    for _ in range(25):
        where, momentum, angular = state()
        world.step()
        after, fallen, turned = state()
        np.testing.assert_allclose(fallen, momentum + mass * h * g, rtol=0.0, atol=ROUNDING * scale)
        np.testing.assert_allclose(
            after, where + 0.5 * h * (momentum + fallen), rtol=0.0, atol=ROUNDING * scale
        )
        expected = angular + np.cross(0.5 * h * (where + after), g) + h * world.torques.sum(axis=0)
        np.testing.assert_allclose(turned, expected, rtol=0.0, atol=10.0 * ROUNDING * scale)


@pytest.mark.parametrize("seed", range(3))
def test_bodies_that_overlap_at_first(seed):
    """Keep both momenta, and add no energy, while bodies that start inside each other are separated."""
    rng = np.random.default_rng(seed)
    world = World(gravity=(0, 0, 0), time_step=0.01)
    for k in range(6):
        world.add_body(
            random_shape(rng, k),
            position=rng.uniform(-0.15, 0.15, 3),
            quaternion=random_quaternion(rng),
            velocity=rng.normal(size=3),
            angular_velocity=rng.normal(size=3),
            mass=1.0,
            material=Material(friction=0.5),
        )
    start = world.report.kinetic_energy
    assert assert_momentum_is_kept(world, 100) > 0
    assert world.report.kinetic_energy < start


def test_displacement_keeps_energy_and_angular_momentum():
    """Give back the energy of two elastic balls that met within a step and were displaced, off centre.

    Displaced along the line of centres by d each, they fly past each other as far apart as they did before.
    """
    world = World(gravity=(0, 0, 0), time_step=0.01)
    elastic = Material(friction=0.0, restitution=1.0)
    for side in (-1.0, 1.0):
        world.add_body(
            Sphere(0.5),
            position=(0.53 * side, 0.3 * side, 0.0),
            velocity=(-7.0 * side, 0, 0),
            mass=1.0,
            material=elastic,
        )
    start = world.report.kinetic_energy
    assert assert_momentum_is_kept(world, 30) > 0
    np.testing.assert_allclose(world.report.kinetic_energy, start, rtol=1e-9)


def test_what_rests_on_the_floor_is_not_touched():
    """Leave bodies alone that the floor pushes: displaced out of it, they keep their velocities."""
    world = World(gravity=(0, 0, 0), time_step=0.01)
    smooth = Material(friction=0.0)
    world.add_body(Box((10, 10, 1)), position=(0, 0, -0.5), kind="static", material=smooth)
    for k in range(3):
        world.add_body(
            Box((0.4, 0.4, 0.4)),
            position=(0, 0, 0.19 + 0.38 * k),
            velocity=(0.3 * k, 0, 0),
            mass=1.0,
            material=smooth,
        )
    world.step(5)
    for k in range(3):
        np.testing.assert_allclose(world.bodies[k + 1].velocity, (0.3 * k, 0, 0), atol=1e-9)


@pytest.mark.parametrize(
    ("spin", "time_step", "g", "mass"),
    [(60.0, 0.01, 9.81, 0.3), (60.0, 0.0167, 30.0, 1.0), (30.0, 0.02, 9.81, 1.0), (90.0, 0.005, 1.6, 5.0)],
)
def test_links_that_clap_at_speed_lose_no_fall(spin, time_step, g, mass):
    """Fall as fast as gravity says where fast links of one body are stopped at each other."""
    world = World(gravity=(0.0, 0.0, -g), time_step=time_step)
    base = world.add_body(Box((0.4, 0.05, 0.05)), mass=2.0)
    bodies = [base]
    for sign in (1.0, -1.0):
        x, turn = sign * 0.2, np.array([0.0, -sign * spin, 0.0])
        arm = world.add_body(
            Box((0.01, 0.05, 0.5)),
            mass=mass,
            position=(x, 0.0, 0.28),
            angular_velocity=turn,
            velocity=np.cross(turn, [0.0, 0.0, 0.28]),
        )
        world.add_joint(Ball((x, 0.0, 0.0)), base, arm, collide=False)
        bodies.append(arm)
    total = sum(body.mass for body in bodies)
    for k in range(1, 9):
        world.step()
        momentum = sum(body.mass * body.velocity for body in bodies)
        assert momentum == pytest.approx([0.0, 0.0, -total * g * k * time_step], abs=1e-9 * total * spin)


def spun_links(seed: int) -> World:
    """Return two or three links on joints at which they overlap, one of which spins fast."""
    rng = np.random.default_rng(seed)
    time_step, count, g = rng.choice([0.005, 0.01, 0.0167, 0.033]), int(rng.integers(2, 4)), 9.81
    solver = str(rng.choice(["auto", "direct"]))
    world = World(gravity=(0, 0, -g), time_step=time_step, settings=Settings(solver=solver, most_cost=20))
    end = np.zeros(3)
    for k in range(count):
        length, direction = rng.uniform(0.2, 0.5), rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        turn = np.array([1.0 + direction[2], -direction[1], direction[0], 0.0])
        shapes = [Box((0.1, 0.05, length)), Sphere(0.5 * length), Capsule(0.03, length - 0.06)]
        link = world.add_body(
            shapes[int(rng.integers(3))],
            position=tuple(end + 0.5 * length * direction),
            quaternion=tuple(turn / np.linalg.norm(turn)),
            mass=10 ** rng.uniform(-1, 1),
        )
        if k > 0:
            axis = tuple(rng.normal(size=3))
            kinds: list[Any] = [Ball(end), Hinge(end, axis), Fixed(end), Cylindrical(end, axis)]
            world.add_joint(kinds[int(rng.integers(4))], world.bodies[k - 1], link, collide=True)
        end = end + length * direction
    spun = world.bodies[int(rng.integers(count))]
    spun.angular_velocity = rng.normal(size=3) * rng.choice([30.0, 100.0])
    return world


SEEDS = (27, 29, 61, 89, 144, 184, 194, 226)


@pytest.mark.parametrize("seed", SEEDS)
def test_fast_links_lose_no_digits(seed):
    """Keep angular momentum to rounding where a preview asks for impulses of which no digits are left.

    The last preview is right, but velocities were what all that came before had added up to.
    """
    world = spun_links(seed)
    h, g = world.time_step, np.array(world.gravity)
    for _ in range(12):
        where, angular = sum(b.mass * b.center_of_mass for b in world.bodies), world.report.angular_momentum
        world.step()
        after = sum(b.mass * b.center_of_mass for b in world.bodies)
        expected = angular + np.cross(0.5 * h * (where + after), g)
        scale = sum(b.mass * (1.0 + np.linalg.norm(b.velocity)) for b in world.bodies)
        assert np.abs(world.report.angular_momentum - expected).max() < 10.0 * ROUNDING * scale

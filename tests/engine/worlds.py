"""Small worlds that several tests build, and the geometry that their closed forms need."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stoss.collision import Box, HalfSpace
from stoss.engine import Body, Material, Settings, World

G = 9.81


def axis_angle(axis: Sequence[float], angle: float) -> np.ndarray:
    """Return the quaternion of a turn by `angle` [rad] about `axis`."""
    unit = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.array([np.cos(0.5 * angle), *(np.sin(0.5 * angle) * unit)])


def random_quaternion(rng: np.random.Generator) -> np.ndarray:
    """Return a uniformly random unit quaternion."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def matrix(q: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def product(p: Sequence[float] | np.ndarray, q: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the quaternion product p q."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def floor(world: World, material: Material | None = None, **options: Any) -> Body:
    """Add the static half-space z <= 0."""
    return world.add_body(HalfSpace(), kind="static", material=material, name="floor", **options)


def world_with_floor(
    material: Material | None = None,
    time_step: float = 0.01,
    settings: Settings | None = None,
    gravity: Sequence[float] = (0.0, 0.0, -G),
) -> World:
    """Return a world with the half-space z <= 0."""
    world = World(gravity=gravity, time_step=time_step, settings=settings)
    floor(world, material)
    return world


def tower(
    bodies: int,
    *,
    offset: float = 1e-3,
    seed: int = 0,
    material: Material | None = None,
    settings: Settings | None = None,
    time_step: float = 0.01,
) -> World:
    """Return a world with unit cubes of 1 kg on top of each other, each shifted by up to `offset` [m]."""
    rng = np.random.default_rng(seed)
    world = world_with_floor(material, time_step, settings)
    for k in range(bodies):
        place = (*rng.uniform(-offset, offset, 2), 0.5 + k)
        world.add_body(Box((1, 1, 1)), position=place, mass=1.0, material=material, name=f"cube {k}")
    return world


def pyramid(base: int, *, settings: Settings | None = None, time_step: float = 0.01) -> World:
    """Return a world with a wall of unit cubes of 1 kg whose rows get shorter by one."""
    world = world_with_floor(time_step=time_step, settings=settings)
    for row in range(base):
        for k in range(base - row):
            world.add_body(Box((1, 1, 1)), position=(k - 0.5 * (base - row - 1), 0, 0.5 + row), mass=1.0)
    return world


def slope(
    angle: float,
    material: Material,
    time_step: float = 0.01,
    settings: Settings | None = None,
    gravity: float = G,
) -> World:
    """Return a world whose half-space rises towards -x by `angle` [rad]; downhill is `downhill(angle)`."""
    world = World(gravity=(0.0, 0.0, -gravity), time_step=time_step, settings=settings)
    normal = (np.sin(angle), 0.0, np.cos(angle))
    world.add_body(HalfSpace(normal=normal), kind="static", material=material, name="slope")
    return world


def downhill(angle: float) -> np.ndarray:
    """Return the unit vector down the slope of `slope`."""
    return np.array([np.cos(angle), 0.0, -np.sin(angle)])


def on_slope(angle: float, height: float, along: float = 0.0) -> np.ndarray:
    """Return the point `height` [m] above the slope and `along` [m] down from its origin."""
    return height * np.array([np.sin(angle), 0.0, np.cos(angle)]) + along * downhill(angle)


def run(world: World, steps: int, watch: Callable[[World], Any]) -> np.ndarray:
    """Step and return what `watch` saw before the first step and after each: (steps + 1, ...)."""
    seen = [np.array(watch(world))]
    for _ in range(steps):
        world.step()
        seen.append(np.array(watch(world)))
    return np.array(seen)


def loose_body(world: World, seed: int = 3) -> Body:
    """Add a body with three different moments, anywhere and anyhow."""
    rng = np.random.default_rng(seed)
    return world.add_body(
        Box((0.3, 0.5, 0.9)),
        position=rng.uniform(-1, 1, 3),
        quaternion=random_quaternion(rng),
        velocity=rng.uniform(-1, 1, 3),
        angular_velocity=rng.uniform(-1, 1, 3),
        mass=2.0,
    )


def check_momentum_of_meeting_cubes(settings: Settings, steps: int) -> None:
    """Let eight cubes in free space fly into each other, and compare their momentum with that before."""
    rng = np.random.default_rng(4)
    world = World(gravity=(0, 0, 0), settings=settings)
    for k in range(8):
        place = np.array([k & 1, (k >> 1) & 1, k >> 2]) - 0.5
        world.add_body(
            Box((0.9, 0.9, 0.9)),
            position=1.2 * place,
            velocity=-place,
            quaternion=random_quaternion(rng),
            mass=1.0,
        )
    before = world.report
    hits = 0
    for _ in range(steps):
        report = world.step()
        hits += report.touching_count
    assert hits > 50
    assert np.abs(report.momentum - before.momentum).max() < 1e-12

"""What the cases share: worlds with a floor, columns and pyramids of cubes, and ways to look at a run."""

from collections.abc import Callable
from typing import Any

import numpy as np

from stoss.collision import Box, HalfSpace
from stoss.engine import Body, Material, Settings, World

__all__ = [
    "GRAVITY",
    "UPRIGHT",
    "add_column",
    "add_pyramid",
    "apexes",
    "drift",
    "floor_world",
    "largest_speed",
    "record",
    "turn",
    "turned_by",
]


GRAVITY = 9.81  # [m/s^2]
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def floor_world(
    *,
    friction: float = 0.5,
    restitution: float = 0.0,
    time_step: float = 0.01,
    gravity: float = GRAVITY,
    settings: Settings | None = None,
) -> World:
    """Return a world with the static half-space z <= 0, body 0, named "floor"."""
    world = World(gravity=(0.0, 0.0, -gravity), time_step=time_step, settings=settings)
    material = Material(friction=friction, restitution=restitution)
    world.add_body(HalfSpace(), kind="static", material=material, name="floor")
    return world


def add_column(
    world: World,
    count: int,
    *,
    edge: float = 1.0,
    spacing: float | None = None,
    place: tuple[float, float] = (0.0, 0.0),
    **properties: Any,
) -> list[Body]:
    """Add cubes above each other, the lowest one on z = 0, centres `spacing` [m] apart (the edge if None)."""
    distance = edge if spacing is None else spacing
    cube = Box((edge, edge, edge))
    return [
        world.add_body(cube, position=(*place, 0.5 * edge + i * distance), **properties) for i in range(count)
    ]


def add_pyramid(
    world: World,
    base: int,
    *,
    edge: float = 1.0,
    spacing: float = 1.0,
    rise: float = 1.0,
    **properties: Any,
) -> list[Body]:
    """Add a flat pyramid of cubes, `base` in the lowest row; spacing and rise are in edges."""
    cube = Box((edge, edge, edge))
    bodies = []
    for row in range(base):
        for column in range(base - row):
            x = (column - 0.5 * (base - row - 1)) * spacing * edge
            z = (0.5 + row * rise) * edge
            bodies.append(world.add_body(cube, position=(x, 0.0, z), **properties))
    return bodies


def turn(axis: tuple[float, float, float], angle: float) -> np.ndarray:
    """Return the quaternion of a turn by `angle` [rad] about a unit axis."""
    return np.array([np.cos(0.5 * angle), *(np.sin(0.5 * angle) * np.asarray(axis))])


def turned_by(first: Any, second: Any) -> float:
    """Return the angle [rad] between two orientations, from the vector part of their quotient."""
    p, q = np.asarray(first), np.asarray(second)
    vector = p[0] * q[1:] - q[0] * p[1:] - np.cross(p[1:], q[1:])
    return float(2.0 * np.arcsin(min(1.0, float(np.linalg.norm(vector)))))


def largest_speed(world: World) -> float:
    """Return the largest speed of a centre of mass [m/s]."""
    return float(np.linalg.norm(world.velocities, axis=1).max())


def drift(world: World, start: np.ndarray) -> float:
    """Return the largest distance [m] of a centre of mass from where it was."""
    return float(np.linalg.norm(world.positions - start, axis=1).max())


def record(world: World, steps: int, look: Callable[[], Any]) -> np.ndarray:
    """Step and look after every step; return what was seen (steps, ...)."""
    seen = []
    for _ in range(steps):
        world.step()
        seen.append(look())
    return np.array(seen)


def apexes(heights: np.ndarray, speeds: np.ndarray, gravity: float) -> np.ndarray:
    """Return the tops of the flights in a record of heights [m] and vertical speeds [m/s].

    The free flight of a step is exact, so the parabola through the last rising sample of a flight tops out
    where the flight does.
    """
    last = np.nonzero((speeds[:-1] > 0.0) & (speeds[1:] <= 0.0))[0]
    return heights[last] + speeds[last] ** 2 / (2.0 * gravity)

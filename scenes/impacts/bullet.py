"""Bullets that move metres in a step, against a thin wall, a thin plate and a mesh."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_count, check_positive
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["bullet"]

_CELLS = 8


def _skin(size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and triangles of a wavy skin about the plane x = 0 that faces -x."""
    grid = np.linspace(-0.5 * size, 0.5 * size, _CELLS + 1)
    vertices = np.array([(0.03 * np.sin(4.0 * y) * np.cos(3.0 * z), y, z) for y in grid for z in grid])
    faces = []
    for i in range(_CELLS):
        for j in range(_CELLS):
            a = i * (_CELLS + 1) + j
            b, c, d = a + 1, a + _CELLS + 1, a + _CELLS + 2
            faces += [(a, b, c), (b, d, c)]
    return vertices, np.array(faces)


@scene(
    "bullet",
    "Bullets hit a thin wall, a thin plate that stands and a mesh.",
    duration=2.0,
    body_count=13,
    moment=0.02,
    view=(-50, 22),
)
def bullet(
    *,
    bodies: int = 4,
    speed: float = 300.0,
    radius: float = 0.01,
    thickness: float = 0.005,
    restitution: float = 0.3,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Shoot bullets in a row at each of three targets side by side: static wall, free plate, static mesh.

    Args:
        bodies: number of bullets for each target.
        speed: of the bullets [m/s].
        radius: of the bullets [m].
        thickness: of wall and plate [m].
        restitution: of all pairs, 0 to 1.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box, Sphere, TriangleMesh

    check_count("bodies", bodies)
    check_positive("speed", speed)
    check_positive("radius", radius)
    check_positive("thickness", thickness)
    world, material = world_on_ground(time_step, settings, friction=0.4, restitution=restitution)
    target = Box((thickness, 1.0, 1.0))
    world.add_body(target, kind="static", position=(0.0, -1.5, 0.5), material=material, name="wall")
    world.add_body(target, position=(0.0, 0.0, 0.5), density=2700.0, material=material, name="plate")
    skin = TriangleMesh(*_skin(1.0))
    world.add_body(skin, kind="static", position=(0.0, 1.5, 0.5), material=material, name="mesh")
    ball = Sphere(radius)
    for number in range(bodies):
        for place, name in ((-1.5, "wall"), (0.0, "plate"), (1.5, "mesh")):
            # spread over the step, so that they meet their targets at different shares of it
            start = -1.0 - 10.0 * radius * number - 0.37 * number
            height = 0.4 + 0.4 * (number + 0.5) / bodies
            world.add_body(
                ball,
                position=(start, place, height),
                velocity=(speed, 0.0, 0.0),
                density=7800.0,
                material=material,
                name=f"bullet {number} at the {name}",
            )
    return world

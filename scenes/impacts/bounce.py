"""Balls of different restitution."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_count, check_range
from stoss.scenes.building.ground import add_ground, new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["bounce"]

_RADIUS = 0.5


@scene(
    "bounce",
    "Balls dropped side by side, from fully plastic to fully elastic.",
    duration=5.0,
    body_count=6,
    moment=0.95,
    view=(-80, 10),
)
def bounce(
    *,
    bodies: int = 6,
    height: float = 2.0,
    lowest: float = 0.0,
    highest: float = 1.0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a row of balls of radius 0.5 m and 1 kg over the ground; each rebounds to e^2 height.

    Args:
        bodies: number of balls.
        height: free space between ball and ground at the start [m].
        lowest: coefficient of restitution of the first ball, 0 to 1.
        highest: coefficient of restitution of the last ball, 0 to 1; those between are spaced evenly.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Sphere
    from stoss.engine import Material

    check_count("bodies", bodies)
    check_range("height", height, 0.0)
    check_range("lowest", lowest, 0.0, 1.0)
    check_range("highest", highest, 0.0, 1.0)
    world = new_world(time_step, settings)
    # The pair has the larger restitution of the two bodies: that of the ball.
    add_ground(world, Material(restitution=0.0))
    ball = Sphere(_RADIUS)
    for index, restitution in enumerate(np.linspace(lowest, highest, bodies)):
        world.add_body(
            ball,
            position=((index - 0.5 * (bodies - 1)) * 3.0 * _RADIUS, 0.0, height + _RADIUS),
            mass=1.0,
            material=Material(restitution=float(restitution)),
            name=f"ball {index}",
        )
    return world

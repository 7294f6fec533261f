"""The wall of Specker 2016, section 3.3.1, that balls bounce off or break through."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_count, check_positive
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["breakthrough"]

_RADIUS, _MASS, _PLATE = 0.1, 0.05, 0.02  # of a ball [m], [kg]; thickness of what is drawn [m]
_START, _APART = 0.2, 0.25  # from centre to wall at the start, and from ball to ball [m]


@scene(
    "breakthrough",
    "Balls shot at a wall that breaks: slower ones bounce, faster ones go through.",
    duration=0.02,
    body_count=8,
    moment=0.006,
    view=(-40, 35),
)
def breakthrough(
    *,
    balls: int = 8,
    slowest: float = 200.0,
    fastest: float = 270.0,
    settings: "Settings | None" = None,
    time_step: float = 1e-4,
) -> "World":
    """Shoot balls of 50 g and 10 cm radius side by side at a wall of 10 kN, without gravity (X-08).

    From 256.5 m/s on it lets them through: at 200 m/s a ball comes back with 41.2 m/s, at 270 m/s it goes on
    with 83.1 m/s. What breaks is between the wall and that ball: `world.on("contact_broken", ...)` tells.

    Args:
        balls: their number.
        slowest, fastest: speeds of the first and the last one [m/s], evenly spaced in between.
        settings: settings of the engine.
        time_step: time step [s]; speeds are the same at any.
    """
    from stoss.collision import Box, Sphere
    from stoss.engine import Material
    from stoss.engine.laws.restriction import BarrierContact

    check_count("balls", balls)
    check_positive("slowest", slowest)
    check_positive("fastest", fastest)
    world = new_world(time_step, settings, (0.0, 0.0, 0.0))
    law = BarrierContact(max_force=1e4, compression=0.02, thickness=0.2, exit_compression=0.05, damping=0.05)
    world.add_body(
        Box((_PLATE, _APART * (balls + 1), 4.0 * _RADIUS)),
        kind="static",
        position=(-0.5 * _PLATE, 0.0, 0.0),
        material=Material(contact_law=law, name="wall"),
        name="wall",
    )
    for number, speed in enumerate(np.linspace(slowest, fastest, balls)):
        world.add_body(
            Sphere(_RADIUS),
            position=(_START, _APART * (number - 0.5 * (balls - 1)), 0.0),
            velocity=(-speed, 0.0, 0.0),
            mass=_MASS,
            name=f"{speed:.0f} m/s",
        )
    return world

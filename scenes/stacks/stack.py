"""One tower of unit cubes."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_count, check_range
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["stack"]


@scene(
    "stack",
    "Unit cubes on top of each other, slightly out of line.",
    duration=10.0,
    body_count=10,
    moment=0.0,
)
def stack(
    *,
    bodies: int = 10,
    offset: float = 1e-3,
    friction: float = 0.5,
    seed: int = 0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a tower of unit cubes of 1 kg at rest, touching each other exactly.

    Args:
        bodies: number of cubes.
        offset: largest random shift of a cube along x and along y [m], 0 to 0.4.
        friction: coefficient of friction of each pair.
        seed: seed of the random shifts.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box

    check_count("bodies", bodies)
    check_range("offset", offset, 0.0, 0.4)
    check_count("seed", seed, 0)
    world, material = world_on_ground(time_step, settings, friction=friction)
    cube = Box((1.0, 1.0, 1.0))
    shifts = np.random.default_rng(seed).uniform(-offset, offset, (bodies, 2))
    for index, (x, y) in enumerate(shifts):
        world.add_body(cube, position=(x, y, 0.5 + index), mass=1.0, material=material, name=f"cube {index}")
    return world

"""Boxes on a slope, each with its own coefficient of friction."""

import math
from typing import TYPE_CHECKING

from stoss.collision.quaternions import rotation
from stoss.scenes.building.checks import check_count, check_finite, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["incline"]

# Distance between neighbouring boxes across the slope [m].
_SPACING = 2.0


@scene(
    "incline",
    "Unit cubes on a slope: some slide, some hold.",
    duration=5.0,
    body_count=5,
    moment=1.2,
    view=(-35, 20),
)
def incline(
    *,
    bodies: int = 5,
    angle_deg: float = 20.0,
    friction: float = 0.30,
    friction_step: float = 0.04,
    speed: float = 0.0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a slope that falls towards +x, with unit cubes of 1 kg side by side on it.

    The pair of slope and cube i has friction + i friction_step. A cube slides with the acceleration
    g (sin a - mu cos a) while mu < tan a, else it stays. Bender 2007, section 5.5.2 is: bodies 10,
    angle_deg 15, friction 0.535, friction_step 0.035, speed 12.695, time_step 0.001.

    Args:
        bodies: number of cubes.
        angle_deg: angle of the slope with the horizontal [degrees], 0 to 80.
        friction: coefficient of friction of the first cube.
        friction_step: how much the coefficient grows from cube to cube.
        speed: velocity down the slope at the start [m/s].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box, HalfSpace
    from stoss.engine import Material

    check_count("bodies", bodies)
    check_range("angle_deg", angle_deg, 0.0, 80.0)
    check_range("friction", friction, 0.0)
    check_range("friction_step", friction_step, 0.0)
    check_finite("speed", speed)
    world = new_world(time_step, settings)
    sine, cosine = math.sin(math.radians(angle_deg)), math.cos(math.radians(angle_deg))
    world.add_body(
        HalfSpace(normal=(sine, 0.0, cosine)), kind="static", material=Material(friction=1.0), name="slope"
    )
    cube = Box((1.0, 1.0, 1.0))
    for index in range(bodies):
        # The geometric mean of 1 and mu^2 is the wanted mu of the pair.
        pair_friction = friction + index * friction_step
        world.add_body(
            cube,
            position=(0.5 * sine, (index - 0.5 * (bodies - 1)) * _SPACING, 0.5 * cosine),
            quaternion=rotation((0.0, 1.0, 0.0), math.radians(angle_deg)),
            velocity=(speed * cosine, 0.0, -speed * sine),
            mass=1.0,
            material=Material(friction=pair_friction * pair_friction),
            name=f"cube {index}",
        )
    return world

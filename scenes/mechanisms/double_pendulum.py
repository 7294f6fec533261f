"""A double pendulum, of which the motion and all forces are known (Stelzner 2008)."""

from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_finite, check_positive
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["double_pendulum"]

_PIVOT = 2.2  # height of the first hinge [m]
_THICKNESS = 0.05


@scene(
    "double_pendulum",
    "Two rods swing from level; what the hinges carry is known.",
    duration=10.0,
    body_count=2,
    moment=0.6,
    view=(-80, 10),
)
def double_pendulum(
    *,
    length: float = 1.0,
    mass: float = 1.0,
    angle_deg: float = 0.0,
    settings: "Settings | None" = None,
    time_step: float = 0.002,
) -> "World":
    """Build two slender rods in a row that are let go at rest; `world.run_both(1.0)` checks the motion.

    Args:
        length: of each rod [m].
        mass: of each rod [kg].
        angle_deg: by which both hang from level at the start [degrees].
        settings: settings of the engine.
        time_step: time step [s].
    """
    import math

    from stoss.collision import Box, Placed
    from stoss.engine import Hinge, from_values

    check_positive("length", length)
    check_positive("mass", mass)
    check_finite("angle_deg", angle_deg)
    world = new_world(time_step, settings)
    angle = math.radians(angle_deg)
    across = mass * length**2 / 12.0
    turn = (math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0)
    last = None
    for k in range(2):
        place = (k * length * math.cos(angle), 0.0, _PIVOT - k * length * math.sin(angle))
        rod = world.add_body(
            [Placed(Box((length, _THICKNESS, _THICKNESS)), (0.5 * length, 0.0, 0.0))],
            position=place,
            quaternion=turn,
            mass_properties=from_values(
                mass, (0.001 * mass * length**2, across, across), (0.5 * length, 0, 0)
            ),
            name=f"rod {k + 1}",
            mask=0,
        )
        world.add_joint(Hinge(place, (0.0, 1.0, 0.0)), last, rod, name=f"q{k + 1}")
        last = rod
    return world

"""A flat pyramid of unit cubes."""

from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_count, check_range
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["pyramid"]


@scene(
    "pyramid",
    "Rows of unit cubes, each row one shorter than the one below.",
    duration=5.0,
    body_count=210,
    moment=0.5,
    view=(-70, 14),
)
def pyramid(
    *,
    base: int = 20,
    spacing: float = 1.1,
    friction: float = 0.5,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a flat pyramid of unit cubes of 1 kg: `base` cubes in the lowest row, 1 in the highest.

    Args:
        base: cubes in the lowest row; base (base + 1) / 2 in all.
        spacing: distance between the centres of neighbours in a row [m], 1 to 1.9.
        friction: coefficient of friction of each pair.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box

    check_count("base", base)
    check_range("spacing", spacing, 1.0, 1.9)
    world, material = world_on_ground(time_step, settings, friction=friction)
    cube = Box((1.0, 1.0, 1.0))
    for row in range(base):
        length = base - row
        for column in range(length):
            world.add_body(
                cube,
                position=((column - 0.5 * (length - 1)) * spacing, 0.0, 0.5 + row),
                mass=1.0,
                material=material,
                name=f"cube {row}.{column}",
            )
    return world

"""Cubes of growing weight fall on light ones."""

from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_count, check_positive, check_range
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["heavy_on_light"]

_LIGHT = 1000.0  # [kg/m^3]


@scene(
    "heavy_on_light",
    "Cubes 5 to 50 times as heavy fall on light ones.",
    duration=5.0,
    body_count=20,
    moment=1.0,
    view=(-68, 14),
)
def heavy_on_light(
    *,
    pairs: int = 10,
    ratio: float = 5.0,
    edge: float = 10.0,
    drop: float = 5.0,
    friction: float = 0.5,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build pairs of equal cubes, the upper one of pair i (from 1) ratio times i as dense as the lower.

    Args:
        pairs: number of pairs.
        ratio: of the masses in the first pair.
        edge: of the cubes [m].
        drop: how far the lower cube falls [m], and the upper one on it two times as far.
        friction: coefficient of friction of each pair.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box

    check_count("pairs", pairs)
    check_positive("ratio", ratio)
    check_positive("edge", edge)
    check_range("drop", drop, 0.0)
    world, material = world_on_ground(time_step, settings, friction=friction)
    cube = Box((edge, edge, edge))
    for i in range(1, pairs + 1):
        for name, level, density in (("light", 1, _LIGHT), ("heavy", 2, _LIGHT * ratio * i)):
            world.add_body(
                cube,
                position=(1.5 * edge * (i - 0.5 * (pairs + 1)), 0.0, (level - 0.5) * edge + level * drop),
                density=density,
                material=material,
                name=f"{name} {i}",
            )
    return world

"""Pyramids on which ever heavier tops fall."""

from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_count, check_positive, check_range
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["mass_ratio_pyramids"]

_EDGE = 2.0  # of a cube [m]


@scene(
    "mass_ratio_pyramids",
    "Tops 100, 200 and 300 times as heavy fall on pyramids.",
    duration=10.0,
    body_count=165,
    moment=1.0,
    view=(-66, 14),
)
def mass_ratio_pyramids(
    *,
    pyramids: int = 3,
    rows: int = 10,
    ratio: float = 100.0,
    drop: float = 2.0,
    friction: float = 0.5,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build flat pyramids of cubes of 2 m and density 1 kg/m^3 whose highest cubes are heavy and hang above.

    Args:
        pyramids: number of pyramids, side by side.
        rows: of each, the top included.
        ratio: of the mass of the first top to that of a cube; twice that of the second, and so on.
        drop: how far the tops fall [m].
        friction: coefficient of friction of each pair.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box

    check_count("pyramids", pyramids)
    check_count("rows", rows)
    check_positive("ratio", ratio)
    check_range("drop", drop, 0.0)
    world, material = world_on_ground(time_step, settings, friction=friction)
    cube = Box((_EDGE, _EDGE, _EDGE))
    for k in range(pyramids):
        middle = (k - 0.5 * (pyramids - 1)) * (rows + 1) * _EDGE
        for row in range(rows):
            length = rows - row
            for column in range(length):
                top = length == 1
                world.add_body(
                    cube,
                    position=(
                        middle + (column - 0.5 * (length - 1)) * _EDGE,
                        0.0,
                        (row + 0.5) * _EDGE + (drop if top else 0.0),
                    ),
                    density=ratio * (k + 1) if top else 1.0,
                    material=material,
                    name=f"top {k}" if top else f"cube {k}.{row}.{column}",
                )
    return world

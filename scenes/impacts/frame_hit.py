"""A frame of welded beams is hit by a heavy ball."""

from typing import TYPE_CHECKING, Any

from stoss.scenes.building.checks import check_count, check_finite
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["frame_hit"]

_CELL = 3.0  # distance between the middles of columns, and height of a storey [m]
_THICK = 0.3  # edge of the square section of a beam [m]
_DENSITY = 1000.0  # [kg/m^3]


@scene(
    "frame_hit",
    "A ball at 100 m/s hits a frame of welded beams.",
    duration=5.0,
    body_count=27,
    moment=0.25,
    view=(-50, 16),
)
def frame_hit(
    *,
    storeys: int = 2,
    bays: int = 2,
    speed: float = 100.0,
    friction: float = 0.5,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a frame of columns and beams, welded at its nodes and free on the ground, and a ball that flies.

    Args:
        storeys: number of storeys.
        bays: along x; there is one across.
        speed: of the ball of radius 1 m, along x [m/s].
        friction: coefficient of friction of each pair.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box, Sphere
    from stoss.engine import Fixed

    check_count("storeys", storeys)
    check_count("bays", bays)
    check_finite("speed", speed)
    world, material = world_on_ground(time_step, settings, friction=friction)
    common: dict[str, Any] = {"density": _DENSITY, "material": material}
    free = _CELL - _THICK
    for storey in range(storeys):
        floor, level = storey * _CELL, (storey + 1) * _CELL - 0.5 * _THICK
        below = {}
        for i in range(bays + 1):
            for j in range(2):
                x, y = (i - 0.5 * bays) * _CELL, (j - 0.5) * _CELL
                node = f"{storey}.{i}.{j}"
                # A column runs through the node above it; beams are welded to its sides.
                column = world.add_body(
                    Box((_THICK, _THICK, _CELL)),
                    position=(x, y, floor + 0.5 * _CELL),
                    name=f"column {node}",
                    **common,
                )
                below[i, j] = column
                if storey:
                    foot = world.body(f"column {storey - 1}.{i}.{j}")
                    world.add_joint(Fixed((x, y, floor)), foot, column, name=f"foot {node}")
        for (i, j), column in below.items():
            x, y, _ = column.position
            if i < bays:
                beam = world.add_body(
                    Box((free, _THICK, _THICK)),
                    position=(x + 0.5 * _CELL, y, level),
                    name=f"beam x {storey}.{i}.{j}",
                    **common,
                )
                for end, other in ((-0.5, column), (0.5, below[i + 1, j])):
                    place = (x + 0.5 * _CELL + end * free, y, level)
                    world.add_joint(Fixed(place), other, beam)
            if j == 0:
                beam = world.add_body(
                    Box((_THICK, free, _THICK)),
                    position=(x, y + 0.5 * _CELL, level),
                    name=f"beam y {storey}.{i}",
                    **common,
                )
                for end, other in ((-0.5, column), (0.5, below[i, 1])):
                    world.add_joint(Fixed((x, y + 0.5 * _CELL + end * free, level)), other, beam)
    world.add_body(
        Sphere(1.0),
        position=(-0.5 * bays * _CELL - 3.0, 0.0, storeys * _CELL - 0.5 * _THICK),
        velocity=(speed, 0.0, 0.0),
        name="ball",
        **common,
    )
    return world

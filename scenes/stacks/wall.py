"""A brick wall in running bond."""

from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_count
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["wall"]

# A brick is 0.99 m long on a pitch of 1 m, so neighbours stand 10 mm apart and do not touch.
_PITCH = 1.0
_GAP = 0.01
_DEPTH = 0.5
_HEIGHT = 0.5


@scene(
    "wall",
    "Brick wall in running bond, with half bricks at the ends.",
    duration=5.0,
    body_count=105,
    moment=0.5,
    view=(-62, 16),
)
def wall(
    *,
    rows: int = 10,
    columns: int = 10,
    friction: float = 0.5,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a wall of bricks 0.99 x 0.5 x 0.5 m of 1 kg; half bricks weigh in proportion.

    Args:
        rows: number of courses.
        columns: whole bricks in the lowest course and in every second one above it.
        friction: coefficient of friction of each pair.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box

    check_count("rows", rows)
    check_count("columns", columns)
    world, material = world_on_ground(time_step, settings, friction=friction)
    whole = Box((_PITCH - _GAP, _DEPTH, _HEIGHT))
    half = Box((0.5 * _PITCH - _GAP, _DEPTH, _HEIGHT))
    left = -0.5 * columns * _PITCH
    for row in range(rows):
        # (brick, x of its centre) from left to right
        if row % 2 == 0:
            course = [(whole, left + (column + 0.5) * _PITCH) for column in range(columns)]
        else:
            course = [(half, left + 0.25 * _PITCH)]
            course += [(whole, left + (column + 1) * _PITCH) for column in range(columns - 1)]
            course += [(half, -left - 0.25 * _PITCH)]
        for column, (brick, x) in enumerate(course):
            world.add_body(
                brick,
                position=(x, 0.0, (row + 0.5) * _HEIGHT),
                mass=brick.size[0] / whole.size[0],
                material=material,
                name=f"brick {row}.{column}",
            )
    return world

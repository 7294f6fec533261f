"""A binary tree of boxes on ball joints, set turning by one push."""

from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_finite
from stoss.scenes.building.ground import new_world
from stoss.scenes.mechanisms.jointed_boxes import TREE_TORQUE, add_jointed_boxes, tree_boxes
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["tree"]


@scene(
    "tree",
    "A mobile of boxes on ball joints, turned by one push.",
    duration=16.0,
    body_count=127,
    moment=6.0,
    view=(-60, 38),
)
def tree(
    *,
    levels: int = 7,
    drop: float = 0.0,
    torque: float = TREE_TORQUE,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build the tree of Bender 2007, section 3.3.3.1: 31, 63, 127 or 255 boxes on 5 to 8 levels.

    Each box carries two, one at either end; a torque acts on the uppermost one during the first step, which
    takes 1/30 s there. The thesis states neither where the children hang nor the axis of the torque: here
    each box hangs on its own centre and the axis is vertical. The boxes pass through each other.

    Args:
        levels: number of levels; there are 2^levels - 1 boxes.
        drop: how far below its joint the centre of each box but the first hangs [m].
        torque: about the vertical, on the uppermost box, during the first step [N m].
        settings: settings of the engine.
        time_step: time step [s].
    """
    check_finite("torque", torque)
    world = new_world(time_step, settings)
    boxes = add_jointed_boxes(world, tree_boxes(levels, drop=drop))
    boxes[0].apply_torque((0.0, 0.0, torque))
    return world

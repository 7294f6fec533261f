"""A chain of boxes on ball joints."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from stoss.scenes.building.checks import check_count, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.mechanisms.jointed_boxes import add_jointed_boxes, chain_boxes
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["chain"]


@scene(
    "chain",
    "Links on ball joints fall from the horizontal and whip.",
    duration=10.0,
    body_count=50,
    moment=1.3,
    view=(-80, 10),
)
def chain(
    *,
    bodies: int = 50,
    length: float = 0.2,
    thickness: float = 0.06,
    start: Literal["horizontal", "hanging"] = "horizontal",
    speed: float = 0.0,
    seed: int = 0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a chain of links of 1 kg that hangs on the origin; the links pass through each other.

    The default values are those of the comparison with other engines. A length of Bender 2007, section
    3.3.3.1 is: bodies 10 to 50, length 1, thickness 0.1, start hanging, speed 2.

    Args:
        bodies: number of links.
        length: of a link, from joint to joint [m].
        thickness: of a link across [m].
        start: horizontal (along x) or hanging.
        speed: of each link's centre at the start [m/s], in random directions; the first step takes from it
            what the joints do not let through.
        seed: seed of these directions.
        settings: settings of the engine.
        time_step: time step [s].
    """
    check_range("speed", speed, 0.0)
    check_count("seed", seed, 0)
    boxes = chain_boxes(bodies, horizontal=start == "horizontal", length=length, thickness=thickness)
    world = new_world(time_step, settings)
    add_jointed_boxes(world, boxes)
    directions = np.random.default_rng(seed).normal(size=(bodies, 3))
    world.velocities[:] = speed * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    return world

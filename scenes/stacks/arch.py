"""A semicircular arch of equal voussoirs with a stack of boxes on its crown."""

import math
from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_count, check_positive
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["arch"]

_DENSITY = 200.0  # [kg/m^3]
_BOX_HEIGHT = 0.5  # of a box on the crown, in widths


@scene(
    "arch",
    "A dry arch of 17 voussoirs carries four boxes on its crown.",
    duration=10.0,
    body_count=21,
    moment=0.5,
    view=(-72, 10),
)
def arch(
    *,
    voussoirs: int = 17,
    thickness: float = 1.0,
    radius: float = 5.0,
    boxes: int = 4,
    friction: float = 0.6,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a semicircular arch on the ground, its joints along radii, and boxes on its keystone.

    A dry arch stands by its shape alone. Without boxes a semicircle of infinitely many voussoirs needs a
    thickness of at least 0.1075 radii (Milankovitch 1907); a thinner one folds on hinges.

    Args:
        voussoirs: equal stones of the arch, an odd number of at least 3.
        thickness: of the arch, along its radii [m].
        radius: of the line half-way between intrados and extrados [m].
        boxes: stacked on the keystone; each 0.9 times as wide as it and half as high as wide.
        friction: coefficient of friction of each pair.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box, ConvexHull

    check_count("voussoirs", voussoirs, 3)
    if voussoirs % 2 == 0:
        raise ValueError(f"voussoirs is {voussoirs}; give an odd number, so that there is a keystone")
    check_positive("radius", radius)
    check_positive("thickness", thickness)
    if thickness >= 2.0 * radius:
        raise ValueError(f"thickness is {thickness:g}; give less than two radii, {2.0 * radius:g}")
    check_count("boxes", boxes, 0)
    world, material = world_on_ground(time_step, settings, friction=friction)
    angles = np.pi * np.arange(voussoirs + 1) / voussoirs
    for k, (first, second) in enumerate(zip(angles[:-1], angles[1:], strict=True)):
        corners = [
            (r * math.cos(a), y, r * math.sin(a))
            for a in (first, second)
            for r in (radius - 0.5 * thickness, radius + 0.5 * thickness)
            for y in (-0.5 * thickness, 0.5 * thickness)
        ]
        middle = np.mean(corners, axis=0)
        world.add_body(
            ConvexHull(np.array(corners) - middle),
            position=middle,
            density=_DENSITY,
            material=material,
            name=f"voussoir {k}",
        )
    # The keystone is flat between its two upper edges.
    half = 0.5 * np.pi / voussoirs
    top = (radius + 0.5 * thickness) * math.cos(half)
    width = 0.9 * 2.0 * (radius + 0.5 * thickness) * math.sin(half)
    box = Box((width, thickness, _BOX_HEIGHT * width))
    for k in range(boxes):
        world.add_body(
            box,
            position=(0.0, 0.0, top + (k + 0.5) * _BOX_HEIGHT * width),
            density=_DENSITY,
            material=material,
            name=f"box {k}",
        )
    return world

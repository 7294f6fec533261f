"""Dominoes in a row or a ring; the first one is pushed."""

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from stoss.collision.quaternions import rotation
from stoss.scenes.building.checks import check_count, check_positive, check_range
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["dominoes"]

_DENSITY = 600.0  # [kg/m^3], wood
_WIDTH = 0.5  # across the row, in heights


@scene(
    "dominoes",
    "A ring of dominoes falls, one after the other.",
    duration=15.0,
    body_count=60,
    moment=5.0,
    view=(-60, 32),
)
def dominoes(
    *,
    bodies: int = 60,
    layout: Literal["ring", "row"] = "ring",
    height: float = 1.0,
    thickness: float = 0.15,
    gap: float = 0.3,
    friction: float = 0.5,
    push: float = 1.0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build upright dominoes at equal distances, the first of which begins to tip over.

    Args:
        bodies: number of dominoes.
        layout: a closed ring, in which the last falls against the first, or a row along x.
        height: of a domino [m].
        thickness: along the row [m].
        gap: free distance between neighbours, below the height [m]; in the ring along the mean circle.
        friction: coefficient of friction of each pair.
        push: angular velocity of the first about its lower front edge at the start [rad/s].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box

    check_count("bodies", bodies)
    check_positive("height", height)
    check_range("thickness", thickness, 0.0, height)
    check_positive("thickness", thickness)
    check_range("gap", gap, 0.0, height)
    check_positive("gap", gap)
    check_range("push", push, 0.0)
    world, material = world_on_ground(time_step, settings, friction=friction)
    pitch = thickness + gap
    shape = Box((thickness, _WIDTH * height, height))
    # Neighbours in a ring stand on the sides of a regular polygon, each with its middle on a corner.
    radius = 0.5 * pitch / math.sin(math.pi / max(bodies, 3))
    if layout == "ring" and radius < 2.0 * height:
        raise ValueError(f"bodies is {bodies}; the ring is too narrow, give more dominoes or a larger gap")
    for k in range(bodies):
        if layout == "ring":
            heading = 2.0 * math.pi * k / bodies
            place = (radius * math.sin(heading), -radius * math.cos(heading), 0.5 * height)
        else:
            heading, place = 0.0, (k * pitch, 0.0, 0.5 * height)
        ahead = np.array([math.cos(heading), math.sin(heading), 0.0])
        spin = push * np.array([-ahead[1], ahead[0], 0.0]) if k == 0 else np.zeros(3)
        lever = np.array([0.0, 0.0, 0.5 * height]) - 0.5 * thickness * ahead
        world.add_body(
            shape,
            position=place,
            quaternion=rotation((0.0, 0.0, 1.0), heading),
            velocity=np.cross(spin, lever),
            angular_velocity=spin,
            density=_DENSITY,
            material=material,
            name=f"domino {k}",
        )
    return world

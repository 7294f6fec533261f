"""A tower of wooden blocks in layers that cross, from which blocks can be drawn."""

import math
from typing import TYPE_CHECKING

from stoss.collision.quaternions import rotation
from stoss.scenes.building.checks import check_count, check_range
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["jenga"]

_LENGTH, _WIDTH, _HEIGHT = 0.75, 0.25, 0.15  # of a block [m], ten times those of the game
_GAP = 0.002  # between the blocks of a layer [m], so that they can be drawn one by one
_DENSITY = 600.0  # [kg/m^3], wood
_BEFORE, _SOFT = 0.5, 0.2  # time before the hand moves, and that in which it gets up to speed [s]


@scene(
    "jenga",
    "A tower of 18 crossed layers; one block is drawn.",
    duration=10.0,
    body_count=54,
    moment=3.0,
    view=(-55, 12),
)
def jenga(
    *,
    layers: int = 18,
    drawn: int = 6,
    speed: float = 0.25,
    friction: float = 0.4,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build layers of three blocks, and a hand that draws the middle block of one of them.

    The hand holds the block level, and moves it lengthwise by 1.2 times its length; it bears nothing, so that
    the block falls once it is out.

    Args:
        layers: number of layers.
        drawn: layer whose middle block is drawn, from 1; 0 for none.
        speed: of the drawn block [m/s], above zero.
        friction: coefficient of friction of each pair.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine import Compose, FixedOrientation, PointOnPlane

    check_count("layers", layers)
    check_count("drawn", drawn, 0)
    if drawn > layers:
        raise ValueError(f"drawn is {drawn}; there are only {layers} layers")
    check_range("speed", speed, 1e-3)
    world, material = world_on_ground(time_step, settings, friction=friction)
    block = Box((_LENGTH, _WIDTH, _HEIGHT))
    for layer in range(layers):
        crossed = layer % 2 == 1
        for k in (-1, 0, 1):
            across = k * (_WIDTH + _GAP)
            world.add_body(
                block,
                position=(across if crossed else 0.0, 0.0 if crossed else across, (layer + 0.5) * _HEIGHT),
                quaternion=rotation((0.0, 0.0, 1.0), 0.5 * math.pi if crossed else 0.0),
                density=_DENSITY,
                material=material,
                name=f"block {layer + 1}.{k + 2}",
            )
    if drawn:
        axis, side = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
        if drawn % 2 == 0:
            axis, side = side, axis
        middle = world.body(f"block {drawn}.2")
        plane = PointOnPlane(tuple(middle.position), side, x_axis=axis)
        hand = world.add_joint(Compose(FixedOrientation(), plane), None, middle, name="hand")
        end = _BEFORE + 1.2 * _LENGTH / speed
        hand.motor(coordinate="x").schedule(
            (_BEFORE, _BEFORE + _SOFT, end, end + _SOFT), (0.0, speed, speed, 0.0)
        )
    return world

"""A house of cards."""

import math
from typing import TYPE_CHECKING

from stoss.collision.quaternions import rotation
from stoss.scenes.building.checks import check_count, check_range
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["card_house"]

_LENGTH, _WIDTH, _THICKNESS = 0.4, 0.2, 0.002  # of a card [m]
_DENSITY = 1000.0  # [kg/m^3]
_CLEARANCE = 1e-3  # between cards that lie end to end [m]


@scene(
    "card_house",
    "Pairs of leaning cards, five storeys high.",
    duration=10.0,
    body_count=40,
    moment=0.3,
    view=(-62, 12),
)
def card_house(
    *,
    storeys: int = 5,
    angle_deg: float = 25.0,
    friction: float = 0.7,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a house of cards of 0.4 x 0.2 x 0.002 m: pairs that lean on each other, with cards flat on top.

    A flat card rests on the upper edges of two neighbouring pairs and ties them: each of these cards wants
    to fall outwards, with tan(angle) times what it carries, and is held by friction. The house stands if
    the coefficient of friction exceeds that tangent.

    Args:
        storeys: number of storeys; the lowest has as many pairs.
        angle_deg: of a leaning card with the vertical [degrees], 5 to 29.
        friction: coefficient of friction of each pair.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box

    check_count("storeys", storeys)
    # Above 29 degrees the feet of a pair would stand beside the card below.
    check_range("angle_deg", angle_deg, 5.0, 29.0)
    world, material = world_on_ground(time_step, settings, friction=friction)
    card = Box((_THICKNESS, _WIDTH, _LENGTH))
    angle = math.radians(angle_deg)
    # The middle of a leaning card beside the line on which the two touch, and above its lowest edge.
    beside = 0.5 * (_LENGTH * math.sin(angle) + _THICKNESS * math.cos(angle))
    above = 0.5 * (_LENGTH * math.cos(angle) + _THICKNESS * math.sin(angle))
    pitch = _LENGTH + _CLEARANCE
    floor = 0.0
    for storey in range(storeys):
        pairs = storeys - storey
        for k in range(pairs):
            x = (k - 0.5 * (pairs - 1)) * pitch
            for side, lean in (("left", 1.0), ("right", -1.0)):
                world.add_body(
                    card,
                    position=(x - lean * beside, 0.0, floor + above),
                    quaternion=rotation((0.0, 1.0, 0.0), lean * angle),
                    density=_DENSITY,
                    material=material,
                    name=f"{side} {storey}.{k}",
                )
        floor += 2.0 * above
        for k in range(pairs - 1):
            x = (k - 0.5 * (pairs - 2)) * pitch
            world.add_body(
                card,
                position=(x, 0.0, floor + 0.5 * _THICKNESS),
                quaternion=rotation((0.0, 1.0, 0.0), 0.5 * math.pi),
                density=_DENSITY,
                material=material,
                name=f"flat {storey}.{k}",
            )
        floor += _THICKNESS
    return world

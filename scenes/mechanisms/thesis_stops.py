"""Joint stops in two ways: by limits of the joint, and by spheres that collide, as the thesis has them."""

import math
from typing import TYPE_CHECKING

from stoss.collision.quaternions import rotation
from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["thesis_stops"]

_CARRIAGE = (0.3, 0.2, 0.1)  # [m]
_CARRIAGE_MASS = 1.0  # [kg]
_RAIL = 0.04  # thickness of a rail [m]
_BUFFER = 0.05  # radius of a sphere [m]
_STOPS = 2  # bit of the group in which spheres collide, and nothing else
_APART = 0.4  # of the two rails [m]


@scene(
    "thesis_stops",
    "Carriages on rails bounce off stops: limits and spheres.",
    duration=10.0,
    body_count=2,
    moment=1.0,
    view=(-75, 16),
)
def thesis_stops(
    *,
    slope_deg: float = 15.0,
    travel: float = 1.0,
    restitution: float = 0.7,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build two carriages side by side that slide down rails from rest, each up to a stop.

    One has a limit on the coordinate of its slider. The other has a sphere at its front, which collides with
    a sphere at the end of the rail and with nothing else (Bender 2007, section 5.4.3). They move alike.

    Args:
        slope_deg: of the rails [degrees], 0 to 80.
        travel: free way to the stop at the start [m].
        restitution: coefficient of restitution of the stops, 0 to 1.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box, Placed, Sphere
    from stoss.engine import Material, Slider

    check_range("slope_deg", slope_deg, 0.0, 80.0)
    check_positive("travel", travel)
    check_range("restitution", restitution, 0.0, 1.0)
    world = new_world(time_step, settings)
    material = Material(restitution=restitution, friction=0.0)
    slope = math.radians(slope_deg)
    turn = rotation((0.0, 1.0, 0.0), slope)
    down = (math.cos(slope), 0.0, -math.sin(slope))

    def along(distance: float, y: float, lift: float = 0.0) -> tuple[float, float, float]:
        """Return a place on the rail: distance downhill from the start, y, and height above the rail."""
        return (
            distance * down[0] + lift * math.sin(slope),
            y,
            distance * down[2] + lift * math.cos(slope),
        )

    front = 0.5 * _CARRIAGE[0] + _BUFFER
    lift = 0.5 * (_RAIL + _CARRIAGE[2])
    for name, y in (("limit", 0.5 * _APART), ("spheres", -0.5 * _APART)):
        rail_length = travel + 2.0 * front + 3.0 * _BUFFER
        rail = world.add_body(
            Box((rail_length, _RAIL, _RAIL)),
            position=along(0.5 * rail_length - front, y, -lift),
            quaternion=turn,
            kind="static",
            name=f"rail, {name}",
            mask=0,
        )
        shapes: list[Box | Placed] = [Box(_CARRIAGE)]
        group, mask = 1, 0
        if name == "spheres":
            shapes.append(Placed(Sphere(_BUFFER), position=(front, 0.0, 0.0)))
            group = mask = _STOPS
            world.add_body(
                Sphere(_BUFFER),
                position=along(front + travel + 2.0 * _BUFFER, y),
                kind="static",
                material=material,
                name="buffer",
                group=group,
                mask=mask,
            )
        carriage = world.add_body(
            shapes,
            position=along(0.0, y),
            quaternion=turn,
            mass=_CARRIAGE_MASS,
            material=material,
            name=f"carriage, {name}",
            group=group,
            mask=mask,
        )
        slider = world.add_joint(Slider(along(0.0, y), down), rail, carriage, name=name)
        if name == "limit":
            slider.limit(upper=travel, restitution=restitution)
    return world

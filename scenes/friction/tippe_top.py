"""A tippe top: spun on its round side, it turns over and stands on its pin."""

import math
from typing import TYPE_CHECKING

from stoss.collision.quaternions import rotation
from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["DEPTH", "RADIUS", "tippe_top"]

RADIUS = 0.02  # of the ball, outside [m]
_CUT = 0.7 * RADIUS  # height above the centre at which it is cut off [m]
_PIN_RADIUS = 0.1 * RADIUS
_KNOB_RADIUS = 0.3 * RADIUS  # of a ball at the end of the pin
# Height of the knob above the centre [m]: it comes down to the ground when the rim does, so that what was cut
# off the ball never touches.
_KNOB_HEIGHT = RADIUS * (RADIUS - _KNOB_RADIUS) / _CUT
_MASS = 0.008  # [kg]
DEPTH = 0.15 * RADIUS  # of the centre of mass below the centre of the ball [m]
# Moments of inertia about the centre of mass, along the axis (a hollow ball: 0.67 m R^2) and across [kg m^2].
_ALONG, _ACROSS = 0.6 * _MASS * RADIUS**2, 0.6 * _MASS * RADIUS**2


@scene(
    "tippe_top",
    "A spinning top that turns over and stands on its pin.",
    duration=3.0,
    body_count=1,
    moment=0.8,
    view=(-60, 20),
)
def tippe_top(
    *,
    friction: float = 0.3,
    spin: float = 200.0,
    tilt_deg: float = 10.0,
    settings: "Settings | None" = None,
    time_step: float = 0.001,
) -> "World":
    """Build a tippe top as in Bender 2007, section 5.5.3: a hollow ball, cut off, with a pin, that spins.

    The thesis gives no numbers. Here the ball has a radius R of 2 cm, its centre of mass lies 0.15 R below
    the centre of the ball, and the moments of inertia across and along the axis are equal. A top turns over
    if it spins fast and the ratio of these moments lies in 1 +- 0.15 (Ebenfeld and Scheck 1995). It starts
    with its angular velocity about the vertical and its axis tilted.

    Args:
        friction: coefficient of friction of top and ground.
        spin: angular velocity about the vertical [rad/s].
        tilt_deg: of the axis against the vertical at the start [degrees], 0 to 45.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Cylinder, Placed, Sphere
    from stoss.engine import from_values

    check_positive("spin", spin)
    check_range("tilt_deg", tilt_deg, 0.0, 45.0)
    world, material = world_on_ground(time_step, settings, friction=friction)
    turn = rotation((0.0, 1.0, 0.0), math.radians(tilt_deg))
    pin = Placed(Cylinder(_PIN_RADIUS, _KNOB_HEIGHT), position=(0.0, 0.0, 0.5 * _KNOB_HEIGHT))
    knob = Placed(Sphere(_KNOB_RADIUS), position=(0.0, 0.0, _KNOB_HEIGHT))
    world.add_body(
        [Sphere(RADIUS), pin, knob],
        position=(0.0, 0.0, RADIUS),
        quaternion=turn,
        angular_velocity=(0.0, 0.0, spin),
        mass_properties=from_values(_MASS, (_ACROSS, _ACROSS, _ALONG), (0.0, 0.0, -DEPTH)),
        material=material,
        name="top",
    )
    return world

"""A celt (rattleback): spun against its preferred direction, it begins to rock and turns round."""

import math
from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.quaternions import rotation
from stoss.scenes.building.checks import check_finite, check_positive, check_range
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import MassProperties, Settings, World

__all__ = ["RADII", "celt", "celt_mass"]

RADII = (0.1, 0.02, 0.02)  # of the ellipsoid of which the celt is the lower half [m]
_DENSITY = 700.0  # of the half ellipsoid [kg/m^3], wood
_BALL_RADIUS = 0.006  # of the two balls that lie on its flat side [m]
_BALL_DENSITY = 7850.0  # [kg/m^3], steel
_BALL_PLACE = (0.65 * RADII[0], 0.65 * RADII[1])  # of one of them; the other lies opposite [m]


def celt_mass() -> "MassProperties":
    """Return the mass properties of the half ellipsoid z < 0 with two balls diagonally on its flat side."""
    from stoss.engine import from_values

    a, b, c = RADII
    body = 2.0 / 3.0 * math.pi * a * b * c * _DENSITY
    ball = 4.0 / 3.0 * math.pi * _BALL_RADIUS**3 * _BALL_DENSITY
    depth = 3.0 * c / 8.0
    moments = 0.2 * body * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    parts = [(body, (0.0, 0.0, -depth), np.diag(moments - body * depth**2 * np.array([1.0, 1.0, 0.0])))]
    for side in (1.0, -1.0):
        place = (side * _BALL_PLACE[0], side * _BALL_PLACE[1], _BALL_RADIUS)
        parts.append((ball, place, 0.4 * ball * _BALL_RADIUS**2 * np.eye(3)))
    mass = sum(part for part, _, _ in parts)
    center = np.sum([part * np.array(place) for part, place, _ in parts], axis=0) / mass
    inertia = np.zeros((3, 3))
    for part, place, own in parts:
        arm = np.array(place) - center
        inertia += own + part * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return from_values(mass, inertia, center)


@scene(
    "celt",
    "A rattleback rocks and reverses its spin.",
    duration=5.0,
    body_count=1,
    moment=0.5,
    view=(-60, 28),
)
def celt(
    *,
    spin: float = -5.0,
    tilt_deg: float = 0.5,
    friction: float = 1.0,
    settings: "Settings | None" = None,
    time_step: float = 0.001,
) -> "World":
    """Build a celt as in Bender 2007, section 5.5.3: half an ellipsoid with two balls set diagonally on it.

    The thesis gives no numbers. Here the celt is 20 cm long, 4 cm wide and 2 cm high; the balls turn its
    principal axes by 4 degrees against those of its shape. It reverses a negative spin (clockwise from
    above); a positive one is its preferred direction.

    Args:
        spin: angular velocity about the vertical at the start [rad/s].
        tilt_deg: of the long axis against the horizontal at the start [degrees], -10 to 10.
        friction: coefficient of friction of celt and ground.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Ellipsoid

    check_finite("spin", spin)
    check_range("tilt_deg", tilt_deg, -10.0, 10.0)
    check_positive("friction", friction)
    world, material = world_on_ground(time_step, settings, friction=friction)
    tilt = math.radians(tilt_deg)
    # the height of the centre of an ellipsoid that touches the ground
    height = math.hypot(RADII[0] * math.sin(tilt), RADII[2] * math.cos(tilt))
    turn = rotation((0.0, 1.0, 0.0), tilt)
    lowest = np.array([RADII[0] ** 2 * math.sin(tilt), 0.0, -(RADII[2] ** 2) * math.cos(tilt)]) / height
    # it turns about the vertical through the point on which it stands
    body = world.add_body(
        Ellipsoid(RADII),
        position=(0.0, 0.0, height),
        quaternion=turn,
        angular_velocity=(0.0, 0.0, spin),
        mass_properties=celt_mass(),
        material=material,
        name="celt",
    )
    arm = body.center_of_mass - body.world_point(lowest)
    body.velocity = np.cross((0.0, 0.0, spin), arm)
    return world

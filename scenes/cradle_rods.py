"""Newton's cradle: steel balls on rods."""

import math
from typing import TYPE_CHECKING

from scenes.checks import check_count, check_positive, check_range
from scenes.ground import new_world
from scenes.poses import rotation
from scenes.registry import scene

if TYPE_CHECKING:
    from engine import Settings, World

__all__ = ["cradle_rods"]

_BALL_DENSITY = 7850.0  # [kg/m^3], steel
_ROD_RADIUS = 0.05  # of the rods, in radii of a ball
_BEAM = 0.02  # thickness of the beam [m]


@scene("cradle_rods", "Newton's cradle with rods: one ball in, one ball out.", duration=10.0, body_count=5)
def cradle_rods(
    *,
    balls: int = 5,
    raised: int = 1,
    angle_deg: float = 40.0,
    length: float = 0.5,
    radius: float = 0.05,
    restitution: float = 1.0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a row of steel balls that touch, each on a rod that is hinged to a beam, some of them raised.

    Args:
        balls: number of balls.
        raised: how many of them, from the left, start raised.
        angle_deg: by how much [degrees], 0 to 85.
        length: from the hinge to the centre of the ball [m], at least two radii.
        radius: of a ball [m].
        restitution: coefficient of restitution of two balls, 0 to 1.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from collision import Box, Cylinder, Placed, Sphere
    from engine import Hinge, Material

    check_count("balls", balls)
    check_count("raised", raised, 0)
    if raised > balls:
        raise ValueError(f"raised is {raised}; there are only {balls} balls")
    check_range("angle_deg", angle_deg, 0.0, 85.0)
    check_positive("radius", radius)
    check_range("length", length, 2.0 * radius)
    check_range("restitution", restitution, 0.0, 1.0)
    world = new_world(time_step, settings)
    material = Material(restitution=restitution, friction=0.0)
    height = length + 2.0 * radius
    width = 2.0 * radius * balls
    beam = world.add_body(
        Box((width, _BEAM, _BEAM)), position=(0.0, 0.0, height), kind="static", name="beam", mask=0
    )
    rod = Cylinder(_ROD_RADIUS * radius, length - radius)
    shapes: list[Sphere | Placed] = [
        Sphere(radius),
        Placed(rod, position=(0.0, 0.0, 0.5 * (length + radius))),
    ]
    for k in range(balls):
        hinge = (2.0 * radius * (k - 0.5 * (balls - 1)), 0.0, height)
        angle = math.radians(angle_deg) if k < raised else 0.0
        pendulum = world.add_body(
            shapes,
            position=(hinge[0] - length * math.sin(angle), 0.0, height - length * math.cos(angle)),
            quaternion=rotation((0.0, 1.0, 0.0), angle),
            density=_BALL_DENSITY,
            material=material,
            name=f"ball {k}",
        )
        world.add_joint(Hinge(hinge, (0.0, 1.0, 0.0)), beam, pendulum, name=f"hinge {k}")
    return world

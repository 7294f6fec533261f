"""Newton's cradle: balls on rods, the one of the thesis."""

import math
from typing import TYPE_CHECKING

from stoss.collision.quaternions import rotation
from stoss.scenes.building.checks import check_count, check_positive, check_range
from stoss.scenes.building.drawn import drawn_ground, drawn_rod
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Drawn, Settings, World

__all__ = ["cradle", "hinge_name"]

_MASS = 1.0  # of a ball [kg]; rods have none
_ROD_RADIUS = 0.05  # of the rods, in radii of a ball
_BEAM = 0.2  # thickness of the beam, in radii of a ball
_STANCE = 2.4  # of the legs, from the plane in which the balls swing, in radii of a ball


def hinge_name(ball: int) -> str:
    """Return the name of the hinge of a ball, counted from the left from 0."""
    return f"hinge {ball}"


@scene(
    "cradle",
    "Newton's cradle with rods: as many balls out as in.",
    duration=12.0,
    body_count=5,
    moment=0.0,
    view=(-65, 10),
)
def cradle(
    *,
    balls: int = 5,
    raised: int = 1,
    angle_deg: float = 45.0,
    length: float = 4.0,
    radius: float = 1.0,
    restitution: float = 1.0,
    settings: "Settings | None" = None,
    time_step: float = 0.001,
) -> "World":
    """Build a row of balls of 1 kg that touch, each on a rod that is hinged to a beam, some of them raised.

    With default values it is the experiment of Bender 2007, section 5.5.3, which does not state the length
    of the rods nor their mass: here 4 m, and none. Angles of the hinges grow to the left, where the raised
    balls are.

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
    from stoss.collision import Box, Cylinder, Placed, Sphere
    from stoss.engine import Hinge, Material, from_shapes

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
    beam = world.add_body(
        Box((2.0 * radius * balls, _BEAM * radius, _BEAM * radius)),
        position=(0.0, 0.0, height),
        kind="static",
        name="beam",
        mask=0,
    )
    beam.display = [drawn_ground(-height), *_legs(radius * balls, radius, height)]
    ball = Sphere(radius)
    rod = Placed(
        Cylinder(_ROD_RADIUS * radius, length - radius), position=(0.0, 0.0, 0.5 * (length + radius))
    )
    for k in range(balls):
        hinge = (2.0 * radius * (k - 0.5 * (balls - 1)), 0.0, height)
        angle = math.radians(angle_deg) if k < raised else 0.0
        pendulum = world.add_body(
            [ball, rod],
            position=(hinge[0] - length * math.sin(angle), 0.0, height - length * math.cos(angle)),
            quaternion=rotation((0.0, 1.0, 0.0), angle),
            mass_properties=from_shapes([Placed(ball)], mass=_MASS),
            material=material,
            name=f"ball {k}",
        )
        world.add_joint(Hinge(hinge, (0.0, 1.0, 0.0)), beam, pendulum, name=hinge_name(k))
    return world


def _legs(half: float, radius: float, height: float) -> "list[Drawn]":
    """Return what the beam stands on, which is only drawn: two legs at either end, clear of the balls."""
    return [
        drawn_rod((end, 0.0, 0.0), (end, side * _STANCE * radius, -height), 0.5 * _BEAM * radius)
        for end in (-half, half)
        for side in (-1.0, 1.0)
    ]

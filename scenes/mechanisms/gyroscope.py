"""A gyroscope: a wheel on an arm that is held at one end only."""

import math
from typing import TYPE_CHECKING, Literal

from stoss.scenes.building.checks import check_positive
from stoss.scenes.building.drawn import drawn_ground
from stoss.scenes.building.ground import new_world
from stoss.scenes.mechanisms.linkage import add_bar
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["gyroscope"]

_ARM_MASS = 0.1  # [kg]
_ARM_THICKNESS = 0.03  # [m]
_WHEEL_WIDTH = 0.06  # [m]
_POST = 1.0  # height of the pivot [m]


@scene(
    "gyroscope",
    "A spinning wheel on a level arm circles its pivot.",
    duration=10.0,
    body_count=2,
    moment=2.0,
    view=(-50, 16),
)
def gyroscope(
    *,
    spin: float = 60.0,
    arm: float = 0.4,
    radius: float = 0.25,
    mass: float = 2.0,
    start: Literal["steady", "rest"] = "steady",
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a wheel that is hinged to the end of a level arm, which hangs on a ball joint on a post.

    It circles the post at m g r / (I w): I and w are moment and angular velocity of the wheel about the arm,
    m r the mass of wheel and arm times the distance of their centre from the pivot. Let go at rest, it nods.

    Args:
        spin: angular velocity w of the wheel about the arm [rad/s].
        arm: distance of the wheel from the pivot [m].
        radius: of the wheel [m].
        mass: of the wheel [kg].
        start: steady (it circles already) or rest (the arm is let go).
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box, Cylinder
    from stoss.engine import Ball, Hinge

    for name, value in (("spin", spin), ("arm", arm), ("radius", radius), ("mass", mass)):
        check_positive(name, value)
    world = new_world(time_step, settings)
    post = world.add_body(
        Box((0.06, 0.06, _POST)), position=(0.0, 0.0, 0.5 * _POST), kind="static", name="post"
    )
    post.display = [drawn_ground(-0.5 * _POST)]
    pivot, hub = (0.0, 0.0, _POST), (arm, 0.0, _POST)
    rod = add_bar(world, "arm", pivot, hub, thickness=_ARM_THICKNESS, mass=_ARM_MASS)
    # the axis of a cylinder is z: turned to x
    half = math.sqrt(0.5)
    wheel = world.add_body(
        Cylinder(radius, _WHEEL_WIDTH),
        position=hub,
        quaternion=(half, 0.0, half, 0.0),
        mass=mass,
        name="wheel",
        mask=0,
    )
    world.add_joint(Ball(pivot), None, rod, name="pivot")
    world.add_joint(Hinge(hub, (1.0, 0.0, 0.0)), rod, wheel, name="axle")
    circling = 0.0
    if start == "steady":
        moment = 0.5 * mass * radius**2
        circling = 9.81 * arm * (mass + 0.5 * _ARM_MASS) / (moment * spin)
    rod.angular_velocity = (0.0, 0.0, circling)
    rod.velocity = (0.0, 0.5 * arm * circling, 0.0)
    wheel.angular_velocity = (spin, 0.0, circling)
    wheel.velocity = (0.0, arm * circling, 0.0)
    return world

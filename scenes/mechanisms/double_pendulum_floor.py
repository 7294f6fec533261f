"""The double pendulum of Specker 2016, sections 3.3.2 and 4.3.1, that falls on a floor."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.building.sticks import stick_figure
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["double_pendulum_floor"]

_LENGTH, _MASS, _BASE = 0.1, 0.1, 0.01  # of the rods [m], of the balls [kg], height of the joint [m]
_ANGLES = 3.0 * np.pi / 8.0, -0.5 * np.pi  # [rad]
_INERTIA = 1e-7  # of a ball [kg m^2], nearly that of a point


@scene(
    "double_pendulum_floor",
    "A double pendulum falls on a floor that its balls give way on.",
    duration=1.5,
    body_count=2,
    moment=0.2,
    view=(-90, 5),
    plots=(
        "contact.ground-inner.normal_force [N]",
        "contact.ground-outer.normal_force [N]",
        "contact.ground-outer.force.x [N]",
        "energy.total [J]",
    ),
)
def double_pendulum_floor(
    *,
    friction: float = 0.36,
    static_friction: float = 0.4,
    radius: float = 0.01,
    settings: "Settings | None" = None,
    time_step: float = 0.001,
) -> "World":
    """Let an inverted double pendulum fall, whose outer ball rubs (X-09, X-10).

    With the friction of the default it stands as an arch, with half of it the inner ball comes down late,
    without any at 0.29 s. Contacts have 400 N, compression 4 mm and 4 s/m, and balls touch where their
    centres are at 10 mm, whatever their radius; the thesis's friction acts at the centres.

    Args:
        friction, static_friction: coefficients of the outer ball.
        radius: of the balls [m].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import HalfSpace, Sphere
    from stoss.engine import Hinge, MassProperties, Material
    from stoss.engine.laws.restriction import RestrictionContact

    check_range("friction", friction, 0.0)
    check_range("static_friction", static_friction, friction)
    check_positive("radius", radius)
    world = new_world(time_step, settings)
    law = RestrictionContact(max_force=400.0, compression=4e-3, damping=4.0)
    floor, smooth = Material(friction=0.0, name="floor"), Material(friction=0.0, contact_law=law)
    rough = Material(friction=friction, static_friction=static_friction, contact_law=law, name="rough")
    world.add_body(
        HalfSpace(), kind="static", position=(0.0, 0.0, 0.01 - radius), material=floor, name="ground"
    )
    world.set_material_pair(floor, rough, friction=friction, static_friction=static_friction, contact_law=law)
    first, second = _ANGLES
    base = np.array([0.0, 0.0, _BASE])
    inner = base + _LENGTH * np.array([np.cos(first), 0.0, np.sin(first)])
    outer = inner + _LENGTH * np.array([np.cos(first + second), 0.0, np.sin(first + second)])
    point = MassProperties(_MASS, np.zeros(3), np.full(3, _INERTIA), np.eye(4)[0])
    balls = [
        world.add_body(Sphere(radius), position=place, mass_properties=point, material=surface, name=name)
        for name, place, surface in (("inner", inner, smooth), ("outer", outer, rough))
    ]
    world.add_joint(Hinge(tuple(base), (0.0, 1.0, 0.0)), balls[0], name="base")
    world.add_joint(Hinge(tuple(inner), (0.0, 1.0, 0.0)), *balls, name="elbow")
    stick_figure(world, radius=0.2 * radius)
    return world

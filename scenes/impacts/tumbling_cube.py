"""The cube of Specker 2016, sections 3.3.3 and 4.3.2, that falls on a floor and tumbles."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["tumbling_cube"]

_EDGE, _MASS, _RADIUS = 0.1, 0.1, 0.002  # [m], [kg], of the spheres at the corners [m]


@scene(
    "tumbling_cube",
    "A cube with spheres at its corners that give way, thrown on a floor.",
    duration=4.0,
    body_count=1,
    moment=0.44,
    view=(-70, 15),
    plots=(
        "contact.ground-cube.normal_force [N]",
        "contact.ground-cube.force.x [N]",
        "contact.ground-cube.stored_energy [J]",
        "energy.total [J]",
    ),
)
def tumbling_cube(
    *,
    friction: float = 0.25,
    static_friction: float = 0.3,
    radius: float = _RADIUS,
    settings: "Settings | None" = None,
    time_step: float = 0.001,
) -> "World":
    """Throw a cube of 10 cm and 100 g from 1 m with 2 and 1 m/s and 10 and 1 rad/s (X-11, X-12).

    Its corners are spheres of 400 N, compression 1 mm and 0.3 s/m. They touch where their centres are at
    2 mm, whatever their radius; the thesis's friction acts at the centres.

    Args:
        friction, static_friction: coefficients; 0 for the frictionless cube.
        radius: of the spheres [m].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import HalfSpace, Placed, Sphere
    from stoss.engine import MassProperties, Material
    from stoss.engine.laws.restriction import RestrictionContact

    check_range("friction", friction, 0.0)
    check_range("static_friction", static_friction, friction)
    check_positive("radius", radius)
    world = new_world(time_step, settings)
    law = RestrictionContact(max_force=400.0, compression=1e-3, damping=0.3)
    surface = Material(friction=friction, static_friction=static_friction, contact_law=law)
    # both alike: whatever rule combines them
    world.add_body(
        HalfSpace(), kind="static", position=(0.0, 0.0, _RADIUS - radius), material=surface, name="ground"
    )
    half, inertia = 0.5 * _EDGE, _MASS * _EDGE * _EDGE / 6.0
    world.add_body(
        [
            Placed(Sphere(radius), (x, y, z))
            for x in (-half, half)
            for y in (-half, half)
            for z in (-half, half)
        ],
        position=(0.0, 0.0, 1.0),
        velocity=(2.0, 1.0, 0.0),
        angular_velocity=(10.0, 1.0, 0.0),
        mass_properties=MassProperties(_MASS, np.zeros(3), np.full(3, inertia), np.eye(4)[0]),
        material=surface,
        name="cube",
    )
    return world

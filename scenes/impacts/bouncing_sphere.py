"""Balls that bounce by different contact laws, side by side."""

from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import add_ground, new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["bouncing_sphere"]

_RADIUS, _MASS = 0.1, 1.0
_STRENGTH, _SOFT = 2000.0, 5e-3  # of the restriction function [N], [m]
_STIFFNESS = 1e6  # of springs [N/m] or [N/m^1.5]


@scene(
    "bouncing_sphere",
    "Balls that give back the same at one speed, by different contact laws.",
    duration=5.0,
    body_count=7,
    moment=0.8,
    view=(-80, 10),
    plots=(
        "contact.ground-rigid.normal_force [N]",
        "contact.ground-restriction.normal_force [N]",
        "contact.ground-plastic.normal_force [N]",
        "body.restriction.position.z [m]",
        "body.plastic.position.z [m]",
    ),
)
def bouncing_sphere(
    *,
    height: float = 1.0,
    restitution: float = 0.7,
    speed: float = 4.4,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a row of balls of radius 0.1 m and 1 kg over the ground, one for each contact law.

    All but three have the restitution at the speed. From bounce to bounce, as they come slower, laws whose
    damping goes with the depth give back more, the spring with its dashpot and the rigid ball the same.

    Args:
        height: free space between ball and ground at the start [m].
        restitution: at the speed, 0.01 to 1.
        speed: of approach [m/s].
        settings: settings of the engine.
        time_step: time step [s]; below a tenth of a millisecond impacts are followed in time.
    """
    from stoss.collision import Sphere
    from stoss.engine import Material
    from stoss.engine.laws.comparison_contacts import HertzContact, HuntCrossleyContact, SpringDashpotContact
    from stoss.engine.laws.restriction import RestrictionContact

    check_range("height", height, 0.0)
    check_range("restitution", restitution, 0.01, 1.0)
    check_positive("speed", speed)
    world = new_world(time_step, settings)
    add_ground(world, Material(restitution=0.0))
    laws = {
        "rigid": None,
        "restriction": RestrictionContact.from_restitution(restitution, speed, _STRENGTH, _SOFT),
        "elastic": RestrictionContact(_STRENGTH, _SOFT),
        "plastic": RestrictionContact(_STRENGTH, _SOFT, 100.0),
        "Hunt-Crossley": HuntCrossleyContact.from_restitution(restitution, speed, _STIFFNESS),
        "Hertz": HertzContact(_STIFFNESS),
        "spring and dashpot": SpringDashpotContact.from_restitution(restitution, _MASS, _STIFFNESS),
    }
    for index, (name, law) in enumerate(laws.items()):
        surface = Material(contact_law=law) if law is not None else Material(restitution=restitution)
        world.add_body(
            Sphere(_RADIUS),
            position=((index - 0.5 * (len(laws) - 1)) * 3.0 * _RADIUS, 0.0, height + _RADIUS),
            mass=_MASS,
            material=surface,
            name=name,
        )
    return world

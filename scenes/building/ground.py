"""What most scenes begin with: an empty world, and the floor z = 0."""

from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_range

if TYPE_CHECKING:
    from stoss.engine import Body, Material, Settings, World

__all__ = ["add_ground", "new_world", "world_on_ground"]


def new_world(
    time_step: float, settings: "Settings | None", gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
) -> "World":
    """Return an empty world.

    Args:
        time_step: time step [s].
        settings: settings of the engine; None stands for the default ones.
        gravity: acceleration [m/s^2].
    """
    from stoss.engine import Settings, World

    return World(gravity=gravity, time_step=time_step, settings=Settings() if settings is None else settings)


def add_ground(world: "World", material: "Material") -> "Body":
    """Add the static half-space z <= 0, named "ground", and return it."""
    from stoss.collision import HalfSpace

    return world.add_body(HalfSpace(), kind="static", material=material, name="ground")


def world_on_ground(
    time_step: float, settings: "Settings | None", friction: float, restitution: float = 0.0
) -> "tuple[World, Material]":
    """Return a world that has a ground, and the material of the ground and of what is to lie on it.

    Args:
        time_step: time step [s].
        settings: settings of the engine; None stands for the default ones.
        friction: coefficient of friction.
        restitution: coefficient of restitution, 0 to 1.

    Raises:
        ValueError: a coefficient is out of range.
    """
    from stoss.engine import Material

    check_range("friction", friction, 0.0)
    check_range("restitution", restitution, 0.0, 1.0)
    world = new_world(time_step, settings)
    material = Material(friction=friction, restitution=restitution)
    add_ground(world, material)
    return world, material

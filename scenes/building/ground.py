"""What most scenes begin with: an empty world, and the floor z = 0."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stoss.engine import Body, Material, Settings, World

__all__ = ["add_ground", "new_world"]


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

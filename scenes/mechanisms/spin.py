"""A free body that spins about its unstable axis and turns over again and again."""

from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_finite
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["spin"]


@scene(
    "spin",
    "A free body that spins about its middle axis and keeps turning over.",
    duration=100.0,
    body_count=1,
    moment=4.6,
)
def spin(
    *,
    rate: float = 5.0,
    disturbance: float = 0.01,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a world without gravity and in it one body of 1 kg with the moments of inertia 1, 2, 3 kg m^2.

    With the default values the body turns over 20 times in 100 s. Its box is there to be seen; the
    moments are given, not those of the box.

    Args:
        rate: angular velocity about the middle axis y [rad/s].
        disturbance: angular velocity about the axes x and z [rad/s].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine import from_values

    check_finite("rate", rate)
    check_finite("disturbance", disturbance)
    world = new_world(time_step, settings, gravity=(0.0, 0.0, 0.0))
    world.add_body(
        Box((2.0, 1.2, 0.3)),
        angular_velocity=(disturbance, rate, disturbance),
        mass_properties=from_values(1.0, (1.0, 2.0, 3.0)),
        name="body",
    )
    return world

"""Cubes that fall on the ground and end as a heap."""

from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_count
from stoss.scenes.building.crowd import add_turned
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.building.poses import lattice
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["drop"]

# Lattice spacing [m]: unit cubes in any orientation fit into balls of diameter sqrt(3) = 1.732 m.
_SPACING = 1.8


@scene(
    "drop",
    "Unit cubes, randomly turned, fall on the ground in a heap.",
    duration=5.0,
    body_count=1000,
    moment=2.0,
)
def drop(
    *,
    bodies: int = 1000,
    friction: float = 0.5,
    restitution: float = 0.0,
    seed: int = 0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build the world of Bender 2007, section 4.6: cubes fall on the ground and end as a heap.

    The thesis states the number of cubes (1000) and nothing else; here unit cubes of 1 kg start at rest
    on a 10 x 10 lattice of 1.8 m, one layer above the other, each turned at random.

    Args:
        bodies: number of cubes.
        friction: coefficient of friction of each pair.
        restitution: coefficient of restitution of each pair, 0 to 1.
        seed: seed of the random orientations.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box

    check_count("bodies", bodies)
    check_count("seed", seed, 0)
    world, material = world_on_ground(time_step, settings, friction=friction, restitution=restitution)
    places = lattice(bodies, columns=10, spacing=_SPACING, lowest=0.5 * _SPACING + 0.5)
    add_turned(world, {"cube": Box((1.0, 1.0, 1.0))}, places, seed, material, mass=1.0)
    return world

"""Ten cubes slide down a slope and brake: the braking distances of the thesis."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from stoss.collision.quaternions import rotation
from stoss.scenes.building.checks import check_count, check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.building.materials import pair_friction
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Body, Settings, World

__all__ = ["braking", "braking_distance", "braking_frictions"]

GRAVITY = 9.81  # [m/s^2]
_FIRST, _STEP = 0.535, 0.035  # friction of the first cube, and how it grows
_SPACING = 2.0  # of neighbours across the slope [m]


def braking_frictions(bodies: int = 10) -> list[float]:
    """Return the coefficients of friction of the pairs of slope and cube: 0.535, 0.570, ..."""
    return [_FIRST + _STEP * index for index in range(bodies)]


def braking_distance(friction: float, angle: float, free: float) -> float:
    """Return the way [m] in which a body comes to rest on a slope by friction (Bender 2007, eq. 5.12).

    Args:
        friction: coefficient of friction, above tan(angle).
        angle: of the slope [rad].
        free: time [s] for which it slid down without friction before.
    """
    speed = GRAVITY * math.sin(angle) * free
    return speed**2 / (2.0 * GRAVITY * (friction * math.cos(angle) - math.sin(angle)))


@scene(
    "braking",
    "Cubes slide without friction for 5 s, then brake.",
    duration=11.0,
    body_count=10,
    moment=6.5,
    view=(-38, 24),
)
def braking(
    *,
    bodies: int = 10,
    angle_deg: float = 15.0,
    free: float = 5.0,
    settings: "Settings | None" = None,
    time_step: float = 0.001,
) -> "World":
    """Build the slope of Bender 2007, section 5.5.2: it falls towards +x, with unit cubes of 1 kg on it.

    They start at rest and slide without friction; after the time `free`, which is to be a multiple of the
    time step, the pair of slope and cube i has friction 0.535 + 0.035 i. All stop within 6 s.

    Args:
        bodies: number of cubes.
        angle_deg: angle of the slope with the horizontal [degrees], 0 to 28: there it still stops.
        free: time without friction [s].
        settings: settings of the engine; by default friction adds, as in the thesis.
        time_step: time step [s].
    """
    from stoss.collision import Box, HalfSpace
    from stoss.engine import Material, Settings

    check_count("bodies", bodies)
    check_range("angle_deg", angle_deg, 0.0, 28.0)
    check_positive("free", free)
    if settings is None:
        settings = Settings(friction_rule="add", restitution_rule="multiply")
    world = new_world(time_step, settings, (0.0, 0.0, -GRAVITY))
    angle = math.radians(angle_deg)
    sine, cosine = math.sin(angle), math.cos(angle)
    slope_friction, _ = pair_friction(settings.friction_rule, 0.0)
    world.add_body(
        HalfSpace(normal=(sine, 0.0, cosine)),
        kind="static",
        material=Material(friction=slope_friction),
        name="slope",
    )
    cubes = [
        world.add_body(
            Box((1.0, 1.0, 1.0)),
            position=(0.5 * sine, (index - 0.5 * (bodies - 1)) * _SPACING, 0.5 * cosine),
            quaternion=rotation((0.0, 1.0, 0.0), angle),
            mass=1.0,
            material=Material(friction=0.0),
            name=f"cube {index}",
        )
        for index in range(bodies)
    ]
    world.before_step.append(_brake(cubes, settings.friction_rule, free))
    return world


def _brake(cubes: list["Body"], rule: str, free: float) -> Callable[["World"], None]:
    """Return what gives the cubes their friction in the first step that starts at `free` [s] or later."""

    def brake(world: "World") -> None:
        from stoss.engine import Material

        # the time is a sum of steps; a state that was restored may lie before or after
        if world.time < free - 0.5 * world.time_step or cubes[0].material.friction > 0.0:
            return
        for cube, friction in zip(cubes, braking_frictions(len(cubes)), strict=True):
            cube.material = Material(friction=pair_friction(rule, friction)[1])

    return brake

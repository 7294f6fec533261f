"""A drum that turns, with bodies tumbling in it."""

import math
from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.quaternions import rotation
from stoss.scenes.building.checks import check_count, check_finite, check_range
from stoss.scenes.building.crowd import add_turned
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["washer"]

_RADIUS = 3.0  # from the axis to the staves [m]
_DEPTH = 3.0  # of the drum, inside [m]
_WALL = 0.3  # thickness of staves and ends [m]
_STAVES = 16
_PADDLE = 0.6  # height of the four paddles [m]
_EDGE = 0.3  # of a cube; no body is longer than its diagonal [m]
_SPACING = 0.55  # of the lattice in which the bodies start [m]


@scene(
    "washer",
    "Bodies tumble in a drum that turns.",
    duration=10.0,
    body_count=200,
    moment=3.0,
    view=(-72, 14),
    see_through=("drum",),
)
def washer(
    *,
    bodies: int = 200,
    rate: float = 1.0,
    friction: float = 0.5,
    seed: int = 0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a drum about the y axis, of staves with paddles between two ends, and bodies floating in it.

    The drum is kinematic: it turns at its rate whatever the bodies do.

    Args:
        bodies: number of bodies: cubes, spheres and capsules in turn; at most 225.
        rate: angular velocity of the drum [rad/s].
        friction: coefficient of friction of each pair.
        seed: seed of the random orientations.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box, Capsule, Placed, Sphere
    from stoss.engine import Material

    check_count("bodies", bodies)
    check_finite("rate", rate)
    check_range("friction", friction, 0.0)
    check_count("seed", seed, 0)
    places = _places()
    if bodies > len(places):
        raise ValueError(f"bodies is {bodies}; the drum holds {len(places)} at the start")
    world = new_world(time_step, settings)
    material = Material(friction=friction)
    parts = []
    # Staves overlap at their edges, so that the drum is tight.
    width = 2.0 * (_RADIUS + _WALL) * math.tan(math.pi / _STAVES)
    for k in range(_STAVES):
        angle = 2.0 * math.pi * k / _STAVES
        turn = rotation((0.0, 1.0, 0.0), angle)
        out = np.array([math.sin(angle), 0.0, math.cos(angle)])
        parts.append(Placed(Box((width, _DEPTH, _WALL)), tuple((_RADIUS + 0.5 * _WALL) * out), turn))
        if k % 4 == 0:
            middle = tuple((_RADIUS - 0.5 * _PADDLE) * out)
            parts.append(Placed(Box((0.5 * _WALL, _DEPTH, _PADDLE)), middle, turn))
    disc = Box((2.0 * (_RADIUS + _WALL), _WALL, 2.0 * (_RADIUS + _WALL)))
    parts += [Placed(disc, (0.0, side * 0.5 * (_DEPTH + _WALL), 0.0)) for side in (-1.0, 1.0)]
    world.add_body(parts, kind="kinematic", angular_velocity=(0.0, rate, 0.0), material=material, name="drum")
    shapes = {
        "cube": Box((_EDGE, _EDGE, _EDGE)),
        "ball": Sphere(0.6 * _EDGE),
        "capsule": Capsule(0.4 * _EDGE, 0.8 * _EDGE),
    }
    add_turned(world, shapes, places[:bodies], seed, material, density=500.0)
    return world


def _places() -> np.ndarray:
    """Return the points (n, 3) of a lattice inside the paddles, from below [m]."""
    reach = _RADIUS - _PADDLE - 0.5 * math.sqrt(3.0) * _EDGE
    steps = np.arange(-4, 5) * _SPACING
    layers = np.arange(-2, 3) * _SPACING
    points = [(x, y, z) for z in steps for x in steps for y in layers if math.hypot(x, z) < reach]
    return np.array(points)

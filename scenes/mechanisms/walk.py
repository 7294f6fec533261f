"""A man who walks by virtual springs, and turns (Henze 2002)."""

import math
from typing import TYPE_CHECKING, Literal

from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["walk"]


@scene(
    "walk",
    "A man walks by virtual springs, and turns.",
    duration=10.0,
    body_count=8,
    moment=2.0,
    view=(-60, 10),
    follow="pelvis",
)
def walk(
    *,
    speed: float = 1.11,
    heading: float = 0.0,
    turn_at: float = 3.0,
    turn_rate: float = 9.0,
    slope: float = 0.0,
    stature: float = 1.8,
    mass: float = 75.0,
    spine: Literal["free", "rigid"] = "free",
    settings: "Settings | None" = None,
    time_step: float = 0.001,
) -> "World":
    """Build a man in the middle of a step who walks on along x, and turns to another direction.

    His controller is `world.controllers["walk"]`. In the window the arrow keys steer him.

    Args:
        speed: at which he is to walk, 0.73 to 1.33 at 1.80 m [m/s].
        heading: direction to which he turns, to the left from x [degrees].
        turn_at: when he begins to turn [s].
        turn_rate: how fast he turns [degrees/s].
        slope: of the ground, up along x [degrees], -10 to 10.
        stature: of the man [m].
        mass: of the man [kg].
        spine: whether it bends: "free" or "rigid".
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import HalfSpace
    from stoss.engine.humans import MALE, SOLE, VirtualModelWalker, Walk, build_humanoid

    check_range("turn_at", turn_at, 0.0)
    check_positive("turn_rate", turn_rate)
    check_range("slope", slope, -10.0, 10.0)
    world = new_world(time_step, settings)
    tilt = math.radians(slope)
    normal = (-math.sin(tilt), 0.0, math.cos(tilt))
    world.add_body(HalfSpace(normal=normal), kind="static", material=SOLE, name="ground")
    human = MALE
    if stature != MALE.stature or mass != MALE.mass:
        human = MALE.scaled(stature=stature, mass=mass)
    man = build_humanoid(world, human, variant="20dof" if spine == "rigid" else "22dof")
    walker = VirtualModelWalker(man, Walk.at(speed, human=human), turn_rate=math.radians(turn_rate))
    walker.start()
    if heading != 0.0:
        walker.plan(turn_at, Walk.at(speed, math.radians(heading), human))
    world.add_controller(walker, name="walk")
    return world

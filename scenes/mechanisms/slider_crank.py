"""A crank, a rod and a piston."""

import math
from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_finite, check_positive
from stoss.scenes.building.ground import new_world
from stoss.scenes.mechanisms.linkage import TURN_AXIS, add_bar
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["slider_crank"]

_THICKNESS = 0.05
_MASS_PER_METRE = 4.0  # [kg/m]
_PISTON = (0.2, 0.16, 0.16)  # [m]
_PISTON_MASS = 2.0  # [kg]
_WALL = 0.03  # [m]


@scene(
    "slider_crank",
    "A motor turns a crank that drives a piston.",
    duration=10.0,
    body_count=3,
    moment=1.0,
    view=(-75, 14),
)
def slider_crank(
    *,
    crank: float = 0.25,
    rod: float = 0.75,
    rate: float = 2.0 * math.pi,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a crank on a fixed hinge, a rod, and a piston that slides along x.

    The piston is at r cos a + sqrt(l^2 - r^2 sin^2 a), a the angle of the crank. Of the twenty rows of three
    hinges and a slider three are redundant.

    Args:
        crank: length r of the crank [m].
        rod: length l of the rod [m], above that of the crank.
        rate: of the crank [rad/s].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine import Hinge, Slider

    check_positive("crank", crank)
    check_finite("rod", rod)
    if rod <= crank:
        raise ValueError(f"rod is {rod:g}; give a number above crank = {crank:g}, else the crank is blocked")
    check_finite("rate", rate)
    world = new_world(time_step, settings)
    y = -_THICKNESS
    bars = [
        add_bar(world, name, start, end, thickness=_THICKNESS, mass=_MASS_PER_METRE * length)
        for name, length, start, end in (
            ("crank", crank, (0.0, y, 0.0), (crank, y, 0.0)),
            ("rod", rod, (crank, 0.0, 0.0), (crank + rod, 0.0, 0.0)),
        )
    ]
    place = (crank + rod, 0.0, 0.0)
    piston = world.add_body(Box(_PISTON), position=place, mass=_PISTON_MASS, name="piston", mask=0)
    for side, height in (("lower", -0.5), ("upper", 0.5)):
        world.add_body(
            Box((2.0 * crank + _PISTON[0], _PISTON[1], _WALL)),
            position=(rod, 0.0, height * (_PISTON[2] + _WALL)),
            kind="static",
            name=f"{side} wall",
        )
    drive = world.add_joint(Hinge((0.0, 0.0, 0.0), TURN_AXIS), None, bars[0], name="crank")
    world.add_joint(Hinge((crank, 0.0, 0.0), TURN_AXIS), bars[0], bars[1], name="crank pin")
    world.add_joint(Hinge(place, TURN_AXIS), bars[1], piston, name="piston pin")
    world.add_joint(Slider(place, (1.0, 0.0, 0.0)), None, piston, name="piston")
    drive.motor(rate)
    return world

"""A tower crane: a slewing jib, a trolley, and a load on a chain."""

import math
from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_count, check_finite, check_positive, check_range
from stoss.scenes.building.drawn import IRON, drawn_rod
from stoss.scenes.building.ground import add_ground, new_world
from stoss.scenes.mechanisms.linkage import add_bar
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    import numpy as np

    from stoss.engine import Body, Drawn, Settings, World

__all__ = ["crane"]

_HEIGHT = 10.0  # of the jib [m]
_BACK, _FRONT = 3.0, 9.0  # from the mast to the ends of the jib [m]
_JIB_MASS = 600.0  # [kg]
_APEX = 1.8  # of the ties, above the jib [m]
_TROLLEY = (0.6, 0.5, 0.2)  # [m]
_TROLLEY_MASS = 60.0  # [kg]
_TROLLEY_START = 3.5  # from the mast [m]
_LOAD = (1.2, 0.8, 0.6)  # [m]
_CHAIN_MASS = 4.0  # [kg/m]
_CHAIN_THICKNESS = 0.06  # [m]
# The set points of the drives: [s], and in shares of the whole way or of the highest rate.
_SLEW_TIMES, _SLEW_RATES = (0.0, 1.0, 3.0, 6.0, 8.0), (0.0, 0.0, 1.0, 1.0, 0.0)
_SLEW_SECONDS = 5.0  # at the highest rate, with the ramps
_TROLLEY_TIMES, _TROLLEY_WAY = (0.0, 2.0, 7.0), (0.0, 0.0, 1.0)
_TROLLEY_STIFFNESS, _TROLLEY_DAMPING = 2e5, 2e4  # [N/m], [N s/m]


@scene(
    "crane",
    "A crane turns, runs out its trolley, and its load swings.",
    duration=20.0,
    body_count=15,
    moment=9.0,
    view=(-55, 12),
)
def crane(
    *,
    links: int = 12,
    chain: float = 6.0,
    load: float = 200.0,
    turn_deg: float = 90.0,
    way: float = 4.0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a tower crane. A motor turns the jib from 1 s to 8 s, a servo drives the trolley from 2 s to 7 s.

    Args:
        links: number of links of the chain between trolley and load.
        chain: length of the chain [m], 1 to 8.
        load: mass of the load [kg].
        turn_deg: by how much the jib turns [degrees].
        way: how far the trolley runs out [m], 0 to 5.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine import Ball, Hinge, Material, Slider

    check_count("links", links)
    check_range("chain", chain, 1.0, 8.0)
    check_positive("load", load)
    check_finite("turn_deg", turn_deg)
    check_range("way", way, 0.0, 5.0)
    world = new_world(time_step, settings)
    add_ground(world, Material())
    world.add_body(
        Box((0.8, 0.8, _HEIGHT - 0.4)), position=(0.0, 0.0, 0.5 * _HEIGHT - 0.2), kind="static", name="mast"
    )
    jib = add_bar(world, "jib", (-_BACK, 0.0, _HEIGHT), (_FRONT, 0.0, _HEIGHT), thickness=0.4, mass=_JIB_MASS)
    jib.display = _superstructure(jib.position)
    under = _HEIGHT - 0.2 - 0.5 * _TROLLEY[2]
    place = (_TROLLEY_START, 0.0, under)
    trolley = world.add_body(Box(_TROLLEY), position=place, mass=_TROLLEY_MASS, name="trolley", mask=0)
    slew = world.add_joint(Hinge((0.0, 0.0, _HEIGHT), (0.0, 0.0, 1.0)), None, jib, name="slew")
    run = world.add_joint(Slider(place, (1.0, 0.0, 0.0)), jib, trolley, name="trolley")
    upper: Body = trolley
    top = under - 0.5 * _TROLLEY[2]
    length = chain / links
    for k in range(links):
        ends = [(_TROLLEY_START, 0.0, top - number * length) for number in (k, k + 1)]
        link = add_bar(world, f"link {k}", *ends, thickness=_CHAIN_THICKNESS, mass=_CHAIN_MASS * length)
        world.add_joint(Ball(ends[0]), upper, link, name=f"link {k}")
        upper = link
    hook = (_TROLLEY_START, 0.0, top - chain)
    box = world.add_body(
        Box(_LOAD), position=(hook[0], 0.0, hook[2] - 0.5 * _LOAD[2]), mass=load, name="load"
    )
    world.add_joint(Ball(hook), upper, box, name="hook")
    highest = math.radians(turn_deg) / _SLEW_SECONDS
    slew.motor().schedule(_SLEW_TIMES, [highest * share for share in _SLEW_RATES])
    servo = run.servo(0.0, stiffness=_TROLLEY_STIFFNESS, damping=_TROLLEY_DAMPING)
    servo.schedule(_TROLLEY_TIMES, [way * share for share in _TROLLEY_WAY])
    return world


def _superstructure(middle: "np.ndarray") -> "list[Drawn]":
    """Return what is only drawn on the jib: ring, post, ties, cab and counterweight.

    Args:
        middle: (3,) origin of the jib's frame [m], along which it points.
    """
    from stoss.collision import Box, Cylinder
    from stoss.engine import Drawn

    mast, back, front = -float(middle[0]), -_BACK - float(middle[0]), _FRONT - float(middle[0])
    apex = (mast, 0.0, _APEX)
    return [
        Drawn(Cylinder(0.6, 0.25), (mast, 0.0, -0.3), color=IRON),
        drawn_rod((mast, 0.0, 0.0), apex, 0.12),
        drawn_rod(apex, (back + 0.3, 0.0, 0.2), 0.04),
        drawn_rod(apex, (mast + 0.6 * (front - mast), 0.0, 0.2), 0.04),
        Drawn(Box((0.8, 0.8, 0.9)), (back + 0.5, 0.0, -0.4), color=IRON),
        Drawn(Box((0.8, 0.7, 0.9)), (mast + 0.5, -0.6, -0.5)),
    ]

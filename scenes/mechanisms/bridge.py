"""A suspension bridge of planks."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_count, check_positive
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.mechanisms.linkage import add_bar
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Body, Settings, World

__all__ = ["bridge"]

_PITCH = 0.6  # length of a plank with its gap [m]
_GAP = 0.02  # [m]
_WIDTH = 1.6  # of the deck [m]
_THICKNESS = 0.08  # of a plank [m]
_CABLE = 0.05  # thickness of the cables [m]
_CABLE_MASS = 2.0  # of a piece between two hangers [kg]
_DECK = 3.0  # height of the deck [m]
_SHORTEST = 0.4  # hanger [m]
_TOWER = 0.3  # [m]
_WALKER = 0.5  # edge of a crate [m]


@scene(
    "bridge",
    "Crates fall on a bridge of planks that hangs on two cables.",
    duration=10.0,
    body_count=64,
    moment=4.0,
    view=(-64, 14),
)
def bridge(
    *,
    planks: int = 20,
    sag: float = 1.5,
    plank_mass: float = 20.0,
    crates: int = 4,
    crate_mass: float = 30.0,
    drop: float = 0.5,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a deck of hinged planks that hangs on two cables by massless rods, and crates above it.

    Without crates it is in balance: cables with equal loads at equal distances lie on a parabola, and pull
    with (m_plank / 2 + m_cable) g L^2 / (8 f l) along the bridge; L is the span, f the sag, l the pitch of
    the planks. The deck is hinged to one bank and slides on the other.

    Args:
        planks: number of planks, an even one, at least 2; there are as many pieces in either cable.
        sag: of the cables [m].
        plank_mass: of a plank [kg].
        crates: number of crates, at most as many as planks.
        crate_mass: of a crate [kg].
        drop: free space between crates and deck at the start [m].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine import Ball, Distance, Hinge, PointOnPlane

    check_count("planks", planks, 2)
    if planks % 2:
        raise ValueError(f"planks is {planks}; give an even number, for the cables hang deepest between two")
    check_count("crates", crates, 0)
    if crates > planks:
        raise ValueError(f"crates is {crates}; give at most one for each of the {planks} planks")
    for name, value in (("sag", sag), ("plank_mass", plank_mass), ("crate_mass", crate_mass)):
        check_positive(name, value)
    check_positive("drop", drop)
    world, material = world_on_ground(time_step, settings, friction=0.6)
    x = _PITCH * (np.arange(planks + 1) - 0.5 * planks)
    end = float(x[-1])
    height = _DECK + _SHORTEST + sag * (x / end) ** 2
    plank = Box((_PITCH - _GAP, _WIDTH, _THICKNESS))
    deck: list[Body] = []
    for k in range(planks):
        middle = (0.5 * float(x[k] + x[k + 1]), 0.0, _DECK)
        deck.append(
            world.add_body(plank, position=middle, mass=plank_mass, material=material, name=f"plank {k}")
        )
    for k, place in enumerate(x[:-1].tolist()):
        name = f"deck {k}" if k > 0 else "bank"
        hinge = Hinge((place, 0.0, _DECK), (0.0, 1.0, 0.0))
        world.add_joint(hinge, deck[k - 1] if k > 0 else None, deck[k], name=name)
    # were it guided across the bridge as well, the deck would be clamped between the banks
    world.add_joint(PointOnPlane((end, 0.0, _DECK), (0.0, 0.0, 1.0)), None, deck[-1], name="sliding bank")
    for side, y in (("left", 0.5 * _WIDTH), ("right", -0.5 * _WIDTH)):
        nodes = [(float(a), y, float(b)) for a, b in zip(x, height, strict=True)]
        pieces = [
            add_bar(world, f"{side} {k}", *nodes[k : k + 2], thickness=_CABLE, mass=_CABLE_MASS)
            for k in range(planks)
        ]
        for k, node in enumerate(nodes):
            first, second = (pieces[k - 1] if k > 0 else None, pieces[k] if k < planks else None)
            world.add_joint(Ball(node), first, second, name=f"{side} {k}")
            if 0 < k < planks:
                foot = (node[0], y, _DECK)
                world.add_joint(Distance(node, foot), pieces[k], deck[k], name=f"{side} hanger {k}")
        for bank, place in (("start", -end), ("end", end)):
            top = float(height[0])
            world.add_body(
                Box((_TOWER, _TOWER, top)),
                position=(place + np.sign(place) * 0.5 * _TOWER, y, 0.5 * top),
                kind="static",
                name=f"{side} tower, {bank}",
                mask=0,
            )
    crate = Box((_WALKER, _WALKER, _WALKER))
    for k in range(crates):
        number = (2 * k + 1) * planks // (2 * crates)
        place = deck[number].position + (0.0, 0.3 * (-1) ** k, 0.5 * (_THICKNESS + _WALKER) + drop)
        world.add_body(crate, position=place, mass=crate_mass, material=material, name=f"crate {k}")
    return world

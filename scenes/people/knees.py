"""Knees: four kinds side by side, and stops in three ways (Stelzner 2008, sections 4.2.1 and 4.3)."""

import math
from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Body, Settings, World

__all__ = ["knee_stop", "knee_variants"]

_HEIGHT = 1.0  # of the knees [m]
_APART = 0.35  # of neighbours [m]


def _leg(world: "World", name: str, y: float) -> "tuple[Body, Body]":
    """Add a thigh that stands still, and a shank that hangs straight down from it, not yet joined."""
    from stoss.collision import Capsule, Placed
    from stoss.engine.humans import MALE
    from stoss.engine.humans.levels.bones import properties_of

    thigh = world.add_body(
        [Placed(Capsule(0.05, 0.3), (0.0, 0.0, 0.22))],
        position=(0.0, y, _HEIGHT),
        kind="static",
        name=f"{name} thigh",
        mask=0,
    )
    shank = world.add_body(
        [Placed(Capsule(0.04, 0.32), (0.0, 0.0, -0.22))],
        position=(0.0, y, _HEIGHT),
        mass_properties=properties_of(MALE.shank),
        name=f"{name} shank",
        mask=0,
    )
    return thigh, shank


@scene(
    "knee_variants",
    "Shanks swing on four kinds of knees, side by side.",
    duration=5.0,
    body_count=4,
    moment=0.2,
    view=(-50, 12),
)
def knee_variants(
    *,
    flexion_deg: float = 90.0,
    lowest_deg: float = 2.0,
    settings: "Settings | None" = None,
    time_step: float = 0.005,
) -> "World":
    """Build four legs that are let go bent: a hinge, curves, crossed rods, and condyles that glide.

    The curves stand for the rods: both swing alike. The hinge is ahead of them, as its axis stays.

    Args:
        flexion_deg: at which they are let go [degrees], 10 to 130.
        lowest_deg: flexion at which they stop [degrees], 0 to 10.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.engine.articulated import Articulation
    from stoss.engine.humans.levels import KNEES, add_knee
    from stoss.engine.model import Model

    check_range("flexion_deg", flexion_deg, 10.0, 130.0)
    check_range("lowest_deg", lowest_deg, 0.0, 10.0)
    world = new_world(time_step, settings)
    names = []
    for k, kind in enumerate(KNEES):
        y = _APART * (1.5 - k)
        thigh, shank = _leg(world, kind, y)
        joint = add_knee(world, kind, thigh, shank, (0.0, y, _HEIGHT), name=f"{kind} knee")
        names.append(joint.name if len(joint.coordinates) == 1 and kind == "hinge" else f"{joint.name}.angle")
    both = Articulation(world)
    flexions = [both.index(name) for name in names]
    others = [k for k in range(len(both)) if k not in flexions]
    q = both.q
    steps = max(math.ceil(flexion_deg / 10.0), 1)
    for step in range(1, steps + 1):  # loops are closed from near by, at these angles
        q[flexions] = math.radians(flexion_deg * step / steps)
        for _ in range(8):
            q[others] -= np.linalg.solve(both.loop_jacobian(q)[:, others], both.loop_errors(q))
    both.set_state(q)
    for kind in KNEES:
        joint = world.joint(f"{kind} knee")
        joint.limit(math.radians(lowest_deg), math.radians(140.0), coordinate="angle")
    return Model.of(world).build()  # joints are told where the bodies have come to, to the last bit


@scene(
    "knee_stop",
    "Shanks fall into stops: by impulse, by spring, by a law.",
    duration=5.0,
    body_count=3,
    moment=0.3,
    view=(-50, 12),
)
def knee_stop(
    *,
    stiffness: float = 5729.578,
    damping: float = 57.29578,
    restitution: float = 0.15,
    settings: "Settings | None" = None,
    time_step: float = 0.00025,
) -> "World":
    """Build three shanks on hinges that fall from 90 degrees into stops at 2 degrees of flexion.

    One stops by impulses, which hold at any step; one by a spring and damper of the joint, taken implicitly;
    one by the law of the thesis, whose damper sets in gradually.

    Args:
        stiffness: of the springs [N m/rad].
        damping: of the dampers [N m s/rad].
        restitution: of the stop by impulses, 0 to 1.
        settings: settings of the engine.
        time_step: time step [s]; the law, taken explicitly, is stiff: at 0.5 ms it is warned of.
    """
    from stoss.engine import CoordinateStop
    from stoss.engine.humans.levels import add_knee

    check_positive("stiffness", stiffness)
    check_positive("damping", damping)
    check_range("restitution", restitution, 0.0, 1.0)
    world = new_world(time_step, settings)
    limit, start = math.radians(2.0), 0.5 * math.pi
    for k, name in enumerate(("impulse", "spring", "law")):
        y = _APART * (1.0 - k)
        thigh, shank = _leg(world, name, y)
        joint = add_knee(world, "hinge", thigh, shank, (0.0, y, _HEIGHT), name=f"{name} knee")
        shank.quaternion = (math.cos(0.5 * start), 0.0, math.sin(0.5 * start), 0.0)
        if name == "impulse":
            joint.limit(limit, math.radians(140.0), restitution=restitution)
        elif name == "spring":
            joint.limit(limit, math.radians(140.0), stiffness=stiffness, damping=damping)
        else:
            law = CoordinateStop(
                joint, limit, stiffness=stiffness, damping=damping, ramp=math.radians(0.5), coordinate="angle"
            )
            world.add_load(law, name="law stop")
    return world

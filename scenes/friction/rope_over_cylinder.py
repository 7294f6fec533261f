"""A rope of rods over a fixed cylinder, held by friction, with a weight on one end."""

import math
from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.quaternions import rotation
from stoss.scenes.building.checks import check_count, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["rope_over_cylinder"]

_RADIUS = 0.25  # of the cylinder [m]
_THIN = 0.02  # radius of the rope [m]
_SPACING = 0.05  # between the joints [m]
_MASS = 0.5  # of a rod [kg]


@scene(
    "rope_over_cylinder",
    "A rope over a cylinder holds a weight on one end by friction.",
    duration=5.0,
    body_count=102,
    moment=1.5,
    view=(-65, 12),
)
def rope_over_cylinder(
    *,
    rods: int = 101,
    ratio: float = 3.0,
    friction: float = 0.5,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a rope of capsules, jointed end to end, over a fixed cylinder along y.

    A rope that is thin against the cylinder holds while the tensions on both sides differ by less than
    exp(pi mu) times, 4.81 for 0.5 (Euler and Eytelwein).

    Args:
        rods: number of rods, an odd number of at least 41.
        ratio: of what hangs on the +x side to what hangs on the other, at least 1; the weight makes up
            the difference.
        friction: coefficient of friction of each pair.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Capsule, Cylinder, Sphere
    from stoss.engine import Ball, Material

    check_count("rods", rods, 41)
    if rods % 2 == 0:
        raise ValueError(f"rods is {rods}; give an odd number, so that one lies on top")
    check_range("ratio", ratio, 1.0)
    check_range("friction", friction, 0.0)
    world = new_world(time_step, settings)
    material = Material(friction=friction)
    world.add_body(
        Cylinder(_RADIUS, 1.0),
        quaternion=rotation((1.0, 0.0, 0.0), 0.5 * math.pi),
        kind="static",
        material=material,
        name="cylinder",
    )
    # The rods on the cylinder touch it in their middle; those that would turn beyond the vertical hang.
    bend = 2.0 * math.atan(0.5 * _SPACING / (_RADIUS + _THIN))
    half = rods // 2
    joints = [np.array([0.5 * _SPACING, 0.0, _RADIUS + _THIN])]
    for k in range(1, half + 1):
        angle = min(k * bend, 0.5 * math.pi)
        joints.append(joints[-1] + _SPACING * np.array([math.cos(angle), 0.0, -math.sin(angle)]))
    mirrored = [point * np.array([-1.0, 1.0, 1.0]) for point in joints[::-1]]
    points = mirrored + joints
    shape = Capsule(_THIN, _SPACING)
    last = None
    for k, (first, second) in enumerate(zip(points[:-1], points[1:], strict=True)):
        along = second - first
        rod = world.add_body(
            shape,
            position=0.5 * (first + second),
            quaternion=rotation((0.0, 1.0, 0.0), math.atan2(along[0], along[2])),
            mass=_MASS,
            material=material,
            name=f"rod {k}",
            # Neighbours but one of a bent rope may touch; what lies on the cylinder is what matters.
            group=2,
            mask=1,
        )
        if last is not None:
            world.add_joint(Ball(tuple(first)), last, rod, name=f"joint {k}")
        last = rod
    hanging = sum(_MASS for k in range(1, half + 1) if k * bend >= 0.5 * math.pi)
    load = world.add_body(
        Sphere(0.1),
        position=points[-1] - [0.0, 0.0, 0.1],
        mass=max((ratio - 1.0) * hanging, 1e-3),
        material=material,
        name="weight",
        group=2,
        mask=1,
    )
    world.add_joint(Ball(tuple(points[-1])), last, load, name="hook")
    return world

"""A closed chain with six hinges: a platform that rises straight, on two folding legs."""

import math
from typing import TYPE_CHECKING, Literal

from stoss.scenes.building.checks import check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.mechanisms.linkage import add_bar
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import JointKind, Settings, World

__all__ = ["closed_chain"]

_HALF_WIDTH = 0.3  # of the platform, where the legs are [m]
_THICKNESS = 0.06  # [m]
_WIDTH = 0.3  # of a leg [m]
_LEG_MASS = 1.0  # of either half of a leg [kg]
_PLATFORM_MASS = 4.0  # [kg]


@scene(
    "closed_chain",
    "A platform on two folding legs bounces straight up and down.",
    duration=10.0,
    body_count=5,
    moment=1.0,
    view=(-65, 14),
)
def closed_chain(
    *,
    length: float = 0.5,
    angle_deg: float = 35.0,
    rest_deg: float = 60.0,
    stiffness: float = 100.0,
    joints: Literal["hinges", "independent"] = "hinges",
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a platform that is hinged to two legs, which fold in planes at right angles (Sarrus's linkage).

    Six hinges join five bodies and the ground, and leave one freedom, though they have thirty rows: the
    closed chain of Bender 2007, section 3.3.2.3. Where either leg alone would let the platform turn, the
    other one forbids it. A torsion spring in the lowest hinge of the first leg carries the platform.

    Args:
        length: of either half of a leg [m].
        angle_deg: of the halves with the ground at the start [degrees], 5 to 80.
        rest_deg: angle at which the spring has no torque [degrees], 5 to 85.
        stiffness: of the spring [N m/rad].
        joints: hinges, or independent: one hinge is replaced by a universal joint, which leaves the same
            freedom with 29 rows, as the thesis does.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine import Hinge, Universal

    check_range("length", length, 0.1)
    check_range("angle_deg", angle_deg, 5.0, 80.0)
    check_range("rest_deg", rest_deg, 5.0, 85.0)
    check_range("stiffness", stiffness, 0.0)
    world = new_world(time_step, settings)
    angle = math.radians(angle_deg)
    reach, rise = length * math.cos(angle), length * math.sin(angle)
    size = (2.0 * _HALF_WIDTH, 2.0 * _HALF_WIDTH, _THICKNESS)
    base = world.add_body(Box(size), kind="static", name="base")
    platform = world.add_body(
        Box(size), position=(0.0, 0.0, 2.0 * rise), mass=_PLATFORM_MASS, name="platform", mask=0
    )
    # the first leg folds in the plane of x and z, the second in that of y and z
    for name, outwards, axis in (("x", (1, 0), (0.0, -1.0, 0.0)), ("y", (0, 1), (1.0, 0.0, 0.0))):
        foot, knee, top = (
            (far * outwards[0], far * outwards[1], height)
            for far, height in ((_HALF_WIDTH, 0.0), (_HALF_WIDTH + reach, rise), (_HALF_WIDTH, 2.0 * rise))
        )
        lower, upper = (
            add_bar(
                world,
                f"{part} {name}",
                a,
                b,
                thickness=_THICKNESS,
                width=_WIDTH,
                across=axis,
                mass=_LEG_MASS,
            )
            for part, a, b in (("lower", foot, knee), ("upper", knee, top))
        )
        hinge = world.add_joint(Hinge(foot, axis), base, lower, name=f"foot {name}")
        world.add_joint(Hinge(knee, axis), lower, upper, name=f"knee {name}")
        kind: JointKind = Hinge(top, axis)
        if name == "y" and joints == "independent":
            kind = Universal(top, axis, (0.0, 0.0, 1.0))
        world.add_joint(kind, upper, platform, name=f"top {name}")
        if name == "x" and stiffness > 0.0:
            # the angle of the hinge is 0 at the start
            hinge.spring(stiffness, rest=math.radians(rest_deg - angle_deg))
    return world

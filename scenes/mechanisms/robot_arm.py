"""A robot arm with five servos that goes through a series of poses."""

import math
from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_positive
from stoss.scenes.building.ground import add_ground, new_world
from stoss.scenes.mechanisms.linkage import add_bar
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Body, Settings, World

__all__ = ["POSES", "TIMES", "robot_arm"]

# Axes of the joints, from the base on, in the upright pose: name, height [m], axis.
_JOINTS = (
    ("base", 0.1, (0.0, 0.0, 1.0)),
    ("shoulder", 0.35, (0.0, 1.0, 0.0)),
    ("elbow", 0.85, (0.0, 1.0, 0.0)),
    ("wrist", 1.25, (0.0, 1.0, 0.0)),
    ("hand", 1.35, (0.0, 0.0, 1.0)),
)
_TOP = 1.55  # tip of the hand [m]
_MASSES = (12.0, 8.0, 5.0, 1.5, 1.0)  # of the bodies after each joint [kg]
_WIDTHS = (0.24, 0.14, 0.11, 0.08, 0.06)  # [m]
_STRENGTH = (1.0, 1.0, 0.5, 0.1, 0.05)  # of the servos, in shares of the first one's

# When the set points are reached [s], and they [degrees], joint by joint; linear between.
TIMES = (0.0, 1.0, 3.0, 4.0, 6.0, 7.0, 9.0)
POSES = (
    (0.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0, 0.0),
    (60.0, 50.0, 60.0, 60.0, 90.0),
    (60.0, 70.0, 50.0, 55.0, 90.0),
    (-60.0, 20.0, 90.0, 60.0, -90.0),
    (-60.0, 45.0, 85.0, 45.0, -90.0),
    (0.0, 30.0, 60.0, 0.0, 0.0),
)


@scene(
    "robot_arm",
    "A robot arm with five servos goes through poses.",
    duration=10.0,
    body_count=5,
    moment=4.0,
    view=(-50, 16),
)
def robot_arm(
    *,
    stiffness: float = 1e4,
    damping: float = 1e3,
    max_torque: float = 1e3,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build an arm of five hinges with servos that follow set points over 9 s and hold the last pose.

    The servos are springs and dampers taken implicitly, so they may be as stiff as one likes: at rest a joint
    sags by the torque of the weight over the stiffness. The outer servos are weaker by fixed shares.

    Args:
        stiffness: of the two lowest servos [N m/rad].
        damping: of the two lowest servos [N m s/rad].
        max_torque: of the two lowest servos [N m].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.engine import Hinge, Material

    for name, value in (("stiffness", stiffness), ("damping", damping), ("max_torque", max_torque)):
        check_positive(name, value)
    world = new_world(time_step, settings)
    add_ground(world, Material())
    lower: Body | None = None
    heights = [height for _, height, _ in _JOINTS[1:]] + [_TOP]
    for k, (name, height, axis) in enumerate(_JOINTS):
        body = add_bar(
            world,
            f"after {name}",
            (0.0, 0.0, height),
            (0.0, 0.0, heights[k]),
            thickness=_WIDTHS[k],
            across=(0.0, 1.0, 0.0),
            mass=_MASSES[k],
        )
        joint = world.add_joint(Hinge((0.0, 0.0, height), axis), lower, body, name=name)
        servo = joint.servo(
            0.0,
            stiffness=stiffness * _STRENGTH[k],
            damping=damping * _STRENGTH[k],
            max_force=max_torque * _STRENGTH[k],
        )
        servo.schedule(TIMES, [math.radians(pose[k]) for pose in POSES])
        lower = body
    return world

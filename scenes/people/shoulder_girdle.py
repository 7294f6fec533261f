"""Shoulders whose blades glide on the ribs (Stelzner 2008, section 4.2.3)."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["shoulder_girdle"]

_HEIGHT = 1.4  # of the shoulders [m]


@scene(
    "shoulder_girdle",
    "Arms rise; the shoulder blades glide on the ribs.",
    duration=6.0,
    body_count=6,
    moment=2.5,
    view=(140, 15),
)
def shoulder_girdle(
    *,
    raised_deg: float = 80.0,
    forward_deg: float = 30.0,
    seconds: float = 2.0,
    settings: "Settings | None" = None,
    time_step: float = 0.005,
) -> "World":
    """Build ribs that stand still, with clavicles, shoulder blades and arms, which servos raise and lower.

    Two points of each blade stay on the ellipsoid of the ribs, so of the five angles of a girdle three are
    free: servos lead them as the rhythm of the shoulder has them.

    Args:
        raised_deg: how far arms go to the side against the blades [degrees], 0 to 90.
        forward_deg: how far they go forward [degrees], 0 to 60.
        seconds: that raising takes, and lowering again [s].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Ellipsoid
    from stoss.engine import Ball
    from stoss.engine.humans import MALE
    from stoss.engine.humans.levels import add_girdle
    from stoss.engine.humans.levels.bones import Bones, properties_of
    from stoss.engine.humans.levels.shoulders import RADII, RIBS, rhythm

    check_range("raised_deg", raised_deg, 0.0, 90.0)
    check_range("forward_deg", forward_deg, 0.0, 60.0)
    check_positive("seconds", seconds)
    world = new_world(time_step, settings)
    bones = Bones(world)
    middle = np.array([0.0, 0.0, _HEIGHT])
    place = middle + RIBS
    bones.bodies["thorax"] = world.add_body(
        Ellipsoid(RADII), position=(place[0], place[1], place[2]), kind="static", name="ribs", mask=0
    )
    times = seconds * np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5])
    shares = np.array([0.0, 0.5, 1.0, 1.0, 0.5, 0.0])
    raised, forward = np.radians(raised_deg), np.radians(forward_deg)
    for side, sign in (("right", -1.0), ("left", 1.0)):
        shoulder = middle + (0.0, sign * 0.18725, -0.01)
        blade = add_girdle(bones, side, sign, "thorax", middle, shoulder)
        down = (0.0, 0.0, -MALE.upper_arm.length)
        bones.add(f"{side} arm", shoulder, properties_of(MALE.upper_arm), down, 0.03)
        x, y, z = shoulder.tolist()
        bones.join(f"{side} shoulder", Ball((x, y, z)), blade, f"{side} arm")
        goals = {"turn_x": sign * raised * shares, "turn_y": -forward * shares, "turn_z": 0.0 * shares}
        for coordinate, values in goals.items():
            servo = bones.joints[f"{side} shoulder"].servo(
                0.0, stiffness=60.0, damping=3.0, coordinate=coordinate
            )
            servo.schedule(times, values)
        for joint, coordinate, leads, curve in rhythm(side, sign):
            servo = bones.joints[joint].servo(0.0, stiffness=200.0, damping=8.0, coordinate=coordinate)
            servo.schedule(times, [curve(value) for value in goals[leads]])
    return world

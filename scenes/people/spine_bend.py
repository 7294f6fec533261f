"""A spine of 24 vertebrae that bends (Stelzner 2008, section 4.2.2)."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["spine_bend"]

_HEIGHT = 0.9  # of the sacrum [m]


@scene(
    "spine_bend",
    "Servos bend and turn a spine, vertebra by vertebra.",
    duration=6.0,
    body_count=25,
    moment=2.2,
    view=(-60, 10),
)
def spine_bend(
    *,
    flexion_deg: float = 60.0,
    lateral_deg: float = 15.0,
    axial_deg: float = 20.0,
    neck_flexion_deg: float = 40.0,
    neck_lateral_deg: float = 0.0,
    neck_axial_deg: float = 50.0,
    seconds: float = 2.0,
    settings: "Settings | None" = None,
    time_step: float = 0.005,
) -> "World":
    """Build a spine on a pelvis that stands still; servos share six angles out among its joints.

    The shares are those of table 4.1 of the thesis. Servos hold against the weight of the trunk.

    Args:
        flexion_deg: of lumbar and thoracic vertebrae together, forward [degrees], 0 to 85.
        lateral_deg: to the right [degrees], -40 to 40.
        axial_deg: turn to the left [degrees], -41 to 41.
        neck_flexion_deg: of neck and head [degrees], 0 to 85.
        neck_lateral_deg: of neck and head [degrees], -40 to 40.
        neck_axial_deg: of neck and head [degrees], -85 to 85.
        seconds: that bending takes, and rising again [s].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine.articulated import Articulation
    from stoss.engine.humans import MALE
    from stoss.engine.humans.levels import add_spine
    from stoss.engine.humans.levels.bones import Bones

    goals = {}
    for word, value, lower, upper in (
        ("flexion", flexion_deg, 0.0, 85.0),
        ("lateral", lateral_deg, -40.0, 40.0),
        ("axial", axial_deg, -41.0, 41.0),
        ("neck flexion", neck_flexion_deg, 0.0, 85.0),
        ("neck lateral", neck_lateral_deg, -40.0, 40.0),
        ("neck axial", neck_axial_deg, -85.0, 85.0),
    ):
        check_range(f"{word.replace(' ', '_')}_deg", value, lower, upper)
        goals[word] = np.radians(value)
    check_positive("seconds", seconds)
    world = new_world(time_step, settings)
    bones = Bones(world)
    bones.bodies["pelvis"] = world.add_body(
        Box((0.15, 0.24, 0.1)), position=(0.0, 0.0, _HEIGHT - 0.05), kind="static", name="pelvis", mask=0
    )
    add_spine(bones, MALE, "full", np.array([0.0, 0.0, _HEIGHT]), limits=False)
    led = Articulation(world, bones.follow)
    q = np.zeros(len(led))
    for word, value in goals.items():
        coordinate, share = bones.leaders[word]
        q[led.index(coordinate)] = share * value
    straight = led.q
    led.set_state(q)
    bent = {
        (name, coordinate): joint.value_of(coordinate)
        for name, joint in bones.joints.items()
        for coordinate in joint.coordinates
        if coordinate.startswith(("turn_", "angle"))
    }
    led.set_state(straight)
    times = seconds * np.array([0.0, 1.0, 1.5, 2.5])
    for (name, coordinate), value in bent.items():
        stiffness = 20000.0 if name[0] in "LT" else 2000.0
        servo = bones.joints[name].servo(
            0.0, stiffness=stiffness, damping=0.01 * stiffness, coordinate=coordinate
        )
        servo.schedule(times, value * np.array([0.0, 1.0, 1.0, 0.0]))
    return world

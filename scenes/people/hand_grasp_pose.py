"""A hand of twenty joints closes on a ball (Stelzner 2008, section 4.2.4)."""

import math
from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["hand_grasp_pose"]

_HEIGHT = 0.6  # of the wrist [m]


@scene(
    "hand_grasp_pose",
    "A hand closes its fingers on a ball and holds it.",
    duration=4.0,
    body_count=17,
    moment=2.0,
    view=(150, 15),
)
def hand_grasp_pose(
    *,
    radius: float = 0.035,
    friction: float = 0.9,
    closed_deg: float = 65.0,
    settings: "Settings | None" = None,
    time_step: float = 0.002,
) -> "World":
    """Build a right hand, palm up, on a forearm that stands still; its fingers close on a ball.

    The wrist has two axes that do not meet; each finger has a base that bends and spreads, and two hinges.

    Args:
        radius: of the ball [m], 0.02 to 0.045.
        friction: between fingers and ball.
        closed_deg: angle that the joints of the fingers want [degrees], 0 to 90.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Capsule, Placed, Sphere, rotation
    from stoss.engine import Material
    from stoss.engine.articulated import Articulation
    from stoss.engine.humans import MALE
    from stoss.engine.humans.levels.bones import Bones
    from stoss.engine.humans.levels.hands import add_hand
    from stoss.engine.model import Model

    check_range("radius", radius, 0.02, 0.045)
    check_positive("friction", friction)
    check_range("closed_deg", closed_deg, 0.0, 90.0)
    world = new_world(time_step, settings)
    bones = Bones(world)
    skin = Material(friction=friction, name="skin")
    bones.bodies["forearm"] = world.add_body(
        [Placed(Capsule(0.03, 0.2), (0.0, 0.0, 0.11))],
        position=(0.0, 0.0, _HEIGHT),
        kind="static",
        name="forearm",
        mask=0,
    )
    place = np.array([0.0, 0.0, _HEIGHT])
    add_hand(bones, MALE, "right", -1.0, "forearm", place, fingers=True, limits=True)
    for body in bones.bodies.values():
        body.material = skin
    closed = math.radians(closed_deg)
    both = Articulation(world)
    q = both.q
    for name, joint in bones.joints.items():
        for coordinate in joint.coordinates:
            if name == "right wrist":
                joint.servo(0.0, stiffness=40.0, damping=1.0, coordinate=coordinate)
                continue
            bends = coordinate in ("angle", "angle_1")
            share = (0.4 if "thumb" in name else 1.0) if bends else 0.0
            start = 0.5 * share * closed
            q[both.index(name if len(joint.coordinates) == 1 else f"{name}.{coordinate}")] = start
            servo = joint.servo(start, stiffness=2.0, damping=0.05, max_force=1.5, coordinate=coordinate)
            servo.schedule([0.0, 0.3, 1.3], [start, start, share * closed])
    both.set_state(q)
    # at the palm, which looks back as long as the hand hangs
    world.add_body(
        Sphere(radius),
        position=(-0.0112 - radius, 0.0, _HEIGHT - 0.01 - 0.06),
        mass=0.05,
        material=skin,
        name="ball",
    )
    up = rotation.from_axis_angle((0.0, 1.0, 0.0), 0.5 * math.pi)
    for body in world.bodies:
        body.position = place + rotation.rotate(up, body.position - place)
        body.quaternion = rotation.compose(up, body.quaternion)
    return Model.of(world).build()  # joints are told where the bodies have come to, to the last bit

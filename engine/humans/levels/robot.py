"""A robot of 24 degrees of freedom, onto which motions of people are brought (Stelzner 2008, section 3.3)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision import Box, Cylinder, Placed, Sphere
from stoss.engine import checks
from stoss.engine.humans.anthropometry import MALE, Human
from stoss.engine.humans.humanoid import SIDES
from stoss.engine.humans.levels.bones import Bones, X, Y, Z, rod
from stoss.engine.humans.levels.skeleton import Skeleton
from stoss.engine.joints.basic_kinds import Ball
from stoss.engine.joints.combined_kinds import Hinge, Planar, Universal
from stoss.names import takes_names

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["build_robot"]


@takes_names
def build_robot(
    world: "World", human: Human = MALE, *, position: Any = (0.0, 0.0, 0.0), prefix: str = ""
) -> Skeleton:
    """Add a robot of a person's size on a platform, with hinges, universal and ball joints only.

    Its 24 degrees of freedom are as many as the robot has that the thesis brings motions to: 3 of the
    platform, which stays on the ground, 3 of the trunk, 4 of the neck and 7 of each arm. Bones have the names
    of a `Skeleton`'s, so markers and targets go by the same ones. Masses are stand-ins.

    Args:
        world: where to.
        human: whose lengths it has.
        position: (3,) of the ground below its middle [m].
        prefix: of the names of bodies and joints.

    Raises:
        TypeError, ValueError: a value that makes no sense.
    """
    human = checks.instance("human", human, Human, "MALE.scaled(stature=1.7)")
    ground = checks.vector("position", position)
    bones = Bones(world, human.stature / MALE.stature, prefix)
    size = bones.size
    assert human.pelvis.proximal is not None and human.pelvis.distal is not None
    hip = human.ankle_height + human.shank.length + human.thigh.length
    middle = ground + (0.0, 0.0, hip - human.pelvis.distal[2])
    base = Placed(Cylinder(0.3 * size, 0.25 * size), (0.0, 0.0, 0.13 * size - middle[2] + ground[2]))
    column = np.array([0.0, 0.0, -0.7 * middle[2]])
    bones.add("pelvis", middle, rod(60.0, column, 0.3 * size), column, 0.08 * size, (base,))
    bones.join("platform", Planar(tuple(ground.tolist()), Z, x_axis=X), None, "pelvis")
    waist = middle + human.pelvis.proximal
    height = human.lumbar.length + human.thorax.length
    trunk = Placed(Box((0.2 * size, 0.3 * size, height)), (0.0, 0.0, 0.5 * height))
    bones.add("thorax", waist, rod(20.0, (0.0, 0.0, height), 0.15 * size), shapes=(trunk,))
    bones.join("waist", Ball(tuple(waist.tolist())), "pelvis", "thorax")
    nape = waist + (0.0, 0.0, height)
    up = np.array([0.0, 0.0, human.neck.length])
    bones.add("neck", nape, rod(1.5, up, 0.04 * size), up, 0.04 * size)
    bones.join("neck", Universal(tuple(nape.tolist()), X, Y), "thorax", "neck")
    skull = Placed(Sphere(0.1 * size), (0.0, 0.0, 0.08 * size))
    bones.add("head", nape + up, rod(4.0, (0.0, 0.0, 0.16 * size), 0.1 * size), shapes=(skull,))
    bones.join("head", Universal(tuple((nape + up).tolist()), Z, Y), "neck", "head")
    assert human.thorax.proximal is not None
    _, aside, high = dict(human.thorax.points)["shoulder"]
    for side, sign in zip(SIDES, (-1.0, 1.0), strict=True):
        place = waist + (0.0, sign * aside, human.lumbar.length + high - human.thorax.proximal[2])
        for name, joint, kind, length, mass in (
            ("upper arm", "shoulder", None, human.upper_arm.length, 3.0),
            ("radius", "elbow", (0.0, -1.0, 0.0), human.forearm.length, 2.0),
            ("hand", "wrist", None, human.hand.length, 0.8),
        ):
            at, end = tuple(place.tolist()), np.array([0.0, 0.0, -length])
            bones.add(f"{side} {name}", place, rod(mass, end, 0.05 * size), end, 0.04 * size)
            before = {"upper arm": "thorax", "radius": f"{side} upper arm", "hand": f"{side} radius"}[name]
            bones.join(
                f"{side} {joint}", Ball(at) if kind is None else Hinge(at, kind), before, f"{side} {name}"
            )
            place = place + end
    return Skeleton(human, bones.bodies, bones.joints)

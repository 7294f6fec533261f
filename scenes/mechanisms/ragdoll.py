"""A ragdoll that falls: 23 bodies, 22 joints with stops, and the ground."""

import math
from typing import TYPE_CHECKING, NamedTuple

from stoss.collision.quaternions import Quaternion, rotation
from stoss.scenes.building.checks import check_count, check_range
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.building.poses import multiply
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Body, Material, Settings, World

__all__ = ["add_ragdoll", "ragdoll"]

Vector = tuple[float, float, float]

UP: Vector = (0.0, 0.0, 1.0)
DOWN: Vector = (0.0, 0.0, -1.0)
FORWARD: Vector = (1.0, 0.0, 0.0)
# Along the capsules' axis: a quarter turn about x takes z to -y.
SIDEWAYS: Quaternion = rotation(FORWARD, 0.5 * math.pi)
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)


class Limb(NamedTuple):
    """One body: a box of three edges, or a capsule of radius and straight length [m]."""

    name: str
    size: tuple[float, ...]
    centre: Vector  # standing with the arms spread, soles on z = 0, looking along x [m]
    turn: Quaternion = UPRIGHT


class Link(NamedTuple):
    """One joint: a hinge (one range of an angle) or a ball with swing and twist."""

    parent: str
    child: str
    point: Vector  # [m]
    axis: Vector  # of a hinge, or in which a ball's limb points
    lower: float  # hinge: angles [rad]; ball: smallest and largest twist
    upper: float
    swing: float = 0.0  # of a ball [rad], 0 for a hinge


TRUNK = (
    Limb("pelvis", (0.18, 0.30, 0.14), (0.0, 0.0, 0.96)),
    Limb("loin", (0.16, 0.26, 0.09), (0.0, 0.0, 1.08)),
    Limb("belly", (0.17, 0.27, 0.09), (0.0, 0.0, 1.175)),
    Limb("chest", (0.20, 0.30, 0.12), (0.0, 0.0, 1.285)),
    Limb("shoulders", (0.18, 0.30, 0.11), (0.0, 0.0, 1.405)),
    Limb("neck", (0.05, 0.02), (0.0, 0.0, 1.525)),
    Limb("head", (0.085, 0.07), (0.0, 0.0, 1.71)),
)
SPINE = (
    Link("pelvis", "loin", (0.0, 0.0, 1.0325), UP, -0.2, 0.2, 0.3),
    Link("loin", "belly", (0.0, 0.0, 1.1275), UP, -0.2, 0.2, 0.3),
    Link("belly", "chest", (0.0, 0.0, 1.2225), UP, -0.2, 0.2, 0.3),
    Link("chest", "shoulders", (0.0, 0.0, 1.3475), UP, -0.2, 0.2, 0.2),
    Link("shoulders", "neck", (0.0, 0.0, 1.4625), UP, -0.4, 0.4, 0.4),
    Link("neck", "head", (0.0, 0.0, 1.5875), UP, -0.5, 0.5, 0.5),
)
# Of the left half, y > 0; the right one is its mirror image.
LIMBS = (
    Limb("collar", (0.08, 0.11, 0.07), (0.0, 0.21, 1.42)),
    Limb("upper arm", (0.045, 0.20), (0.0, 0.415, 1.42), SIDEWAYS),
    Limb("forearm", (0.038, 0.18), (0.0, 0.698, 1.42), SIDEWAYS),
    Limb("hand", (0.08, 0.17, 0.03), (0.0, 0.916, 1.42)),
    Limb("thigh", (0.07, 0.28), (0.0, 0.095, 0.665)),
    Limb("shin", (0.05, 0.27), (0.0, 0.095, 0.265)),
    Limb("foot", (0.17, 0.085, 0.07), (0.035, 0.095, 0.035)),
    Limb("toes", (0.07, 0.085, 0.04), (0.16, 0.095, 0.02)),
)
LINKS = (
    Link("shoulders", "collar", (0.0, 0.1525, 1.42), (0.0, 1.0, 0.0), -0.2, 0.2, 0.3),
    Link("collar", "upper arm", (0.0, 0.2675, 1.42), (0.0, 1.0, 0.0), -0.8, 0.8, 1.4),
    Link("upper arm", "forearm", (0.0, 0.5625, 1.42), UP, 0.0, 2.4),
    Link("forearm", "hand", (0.0, 0.8285, 1.42), (0.0, 1.0, 0.0), -0.6, 0.6, 0.8),
    Link("pelvis", "thigh", (0.0, 0.095, 0.8825), DOWN, -0.5, 0.5, 1.2),
    Link("thigh", "shin", (0.0, 0.095, 0.4525), (0.0, 1.0, 0.0), 0.0, 2.4),
    Link("shin", "foot", (0.0, 0.095, 0.0725), DOWN, -0.3, 0.3, 0.6),
    Link("foot", "toes", (0.1225, 0.095, 0.02), FORWARD, -0.1, 0.1, 0.5),
)
HIP_HEIGHT = 0.96  # [m] of the point about which the whole is tilted


@scene(
    "ragdoll",
    "A ragdoll of 22 joints with stops, dropped on the ground.",
    duration=10.0,
    body_count=23,
    moment=0.75,
    view=(-50, 12),
)
def ragdoll(
    *,
    dolls: int = 1,
    height: float = 0.5,
    tilt: float = 0.4,
    turn: float = 0.3,
    friction: float = 0.6,
    damping: float = 0.02,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build ragdolls that are dropped in a row, 2 m apart, each tilted and turned further than the last.

    Args:
        dolls: number of ragdolls.
        height: of the soles above the ground if they stood upright [m].
        tilt: lean to the front about the hips [rad]; the first one's, and from one to the next.
        turn: turn about the vertical [rad]; the first one's, and from one to the next.
        friction: coefficient of friction of each pair.
        damping: of hinges and of the twist of the other joints [N m s/rad]; without it a limb between two
            balls would spin on for ever.
        settings: settings of the engine.
        time_step: time step [s].
    """
    check_count("dolls", dolls)
    check_range("height", height, 0.0)
    check_range("tilt", tilt, -math.pi, math.pi)
    check_range("turn", turn, -math.pi, math.pi)
    check_range("damping", damping, 0.0)
    world, material = world_on_ground(time_step, settings, friction=friction)
    for k in range(dolls):
        attitude = multiply(rotation(UP, (k + 1) * turn), rotation((0.0, 1.0, 0.0), (k + 1) * tilt))
        name = "" if dolls == 1 else f"{k} "
        # as high as it stands, so that no tilt puts it into the ground
        lift = height + HIP_HEIGHT * abs(math.sin(0.5 * (k + 1) * tilt))
        add_ragdoll(world, (0.0, 2.0 * k, lift), attitude, material, damping, name)
    return world


def add_ragdoll(
    world: "World",
    place: Vector,
    attitude: Quaternion,
    material: "Material",
    damping: float = 0.02,
    prefix: str = "",
) -> dict[str, "Body"]:
    """Add a ragdoll and return its bodies by name, "pelvis" to "right toes".

    Args:
        world: receives 23 bodies of density 1000 kg/m^3 and 22 joints.
        place: where the middle of its soles would be if it stood upright [m].
        attitude: its turn about the hips, (w, x, y, z).
        material: of all bodies.
        damping: of hinges and of the twist of the other joints [N m s/rad].
        prefix: begins the names of bodies and joints.
    """
    from stoss.collision import Box, Capsule
    from stoss.engine import Ball, Hinge

    def put(point: Vector) -> Vector:
        x, y, z = turned(attitude, (point[0], point[1], point[2] - HIP_HEIGHT))
        return place[0] + x, place[1] + y, place[2] + z + HIP_HEIGHT

    limbs, links = _both_sides()
    bodies = {}
    for limb in limbs:
        shape = Box(limb.size) if len(limb.size) == 3 else Capsule(*limb.size)
        bodies[limb.name] = world.add_body(
            shape,
            position=put(limb.centre),
            quaternion=multiply(attitude, limb.turn),
            material=material,
            name=prefix + limb.name,
        )
    for link in links:
        ends = bodies[link.parent], bodies[link.child]
        point, axis = put(link.point), turned(attitude, link.axis)
        if link.swing == 0.0:
            joint = world.add_joint(Hinge(point, axis), *ends, name=prefix + link.child)
            joint.limit(link.lower, link.upper)
            joint.damper(damping)
            continue
        joint = world.add_joint(Ball(point, axis), *ends, name=prefix + link.child)
        joint.limit(upper=link.swing, coordinate="swing")
        joint.limit(link.lower, link.upper, coordinate="twist")
        joint.damper(damping, coordinate="twist")
    return bodies


def turned(q: Quaternion, v: Vector) -> Vector:
    """Return the vector v turned by the unit quaternion q."""
    _, x, y, z = multiply(multiply(q, (0.0, *v)), (q[0], -q[1], -q[2], -q[3]))
    return x, y, z


def _both_sides() -> tuple[list[Limb], list[Link]]:
    """Return all bodies and joints: the trunk, the left half, and its mirror image.

    A hinge's axis that mirrors as an axis of rotation does keeps its angles.
    """
    limbs, links = list(TRUNK), list(SPINE)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        names = {limb.name: f"{side} {limb.name}" for limb in LIMBS}
        for limb in LIMBS:
            x, y, z = limb.centre
            limbs.append(limb._replace(name=names[limb.name], centre=(x, sign * y, z)))
        for link in LINKS:
            (x, y, z), (u, v, w) = link.point, link.axis
            axis = (sign * u, v, sign * w) if link.swing == 0.0 else (u, sign * v, w)
            links.append(
                link._replace(
                    parent=names.get(link.parent, link.parent),
                    child=names[link.child],
                    point=(x, sign * y, z),
                    axis=axis,
                )
            )
    return limbs, links

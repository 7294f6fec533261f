"""Knees in four levels: hinge, curves, crossed rods, condyles that glide (Stelzner 2008, section 4.2.1)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import checks
from stoss.engine.humans.levels.bones import X, Y
from stoss.engine.joints.basic_kinds import Distance
from stoss.engine.joints.combined_kinds import Hinge, Planar
from stoss.engine.joints.curves import Curve
from stoss.engine.joints.guided_kinds import PointOnEllipsoid, SplineJoint

if TYPE_CHECKING:
    from stoss.engine.world.body import Body
    from stoss.engine.world.joint import Joint
    from stoss.engine.world.world import World

__all__ = ["KNEES", "add_knee", "four_bar_place", "instant_centre", "knee_curves"]

KNEES = ("hinge", "spline", "four-bar", "ellipsoid")
# The rods in the sagittal plane, x forward, z up [m]: the front one from A on the femur to B on the tibia,
# the rear one from C to D. That CD is 4/5 of AB, and AC 40 degrees off the femur, is told; lengths are
# stand-ins.
_SLOPE = np.radians(40.0)
A = 0.0065 * np.array([-np.sin(_SLOPE), np.cos(_SLOPE)])
C, B, D = -A, np.array([0.008, 0.0]), np.array([-0.008, 0.0])
RODS = 0.035, 0.028
# Condyles as an ellipsoid, and half the distance of the two points that glide on it [m]; stand-ins.
CONDYLE, HALF = (0.026, 0.030, 0.022), 0.011
MOST_FLEXION = np.radians(130.0)


def _ends(flexion: float) -> tuple[np.ndarray, np.ndarray]:
    """Return where B and D are from the tibia's origin, in the femur's frame."""
    sine, cosine = np.sin(flexion), np.cos(flexion)
    turn = np.array([[cosine, sine], [-sine, cosine]])
    return turn @ B, turn @ D


def four_bar_place(flexion: float) -> tuple[float, float]:
    """Return x and z [m] of the tibia's origin from the middle of AC at a flexion [rad], by the two rods."""
    b, d = _ends(flexion)
    one, other = A - b, C - d  # circles about these, of the rods' lengths, meet there
    away = other - one
    distance = float(np.linalg.norm(away))
    along = (RODS[0] ** 2 - RODS[1] ** 2 + distance**2) / (2.0 * distance)
    way = away / distance
    x, z = one + along * way + np.sqrt(RODS[0] ** 2 - along**2) * np.array([way[1], -way[0]])
    return float(x), float(z)


def instant_centre(flexion: float) -> tuple[float, float]:
    """Return x and z [m] of the instant centre at a flexion [rad]: where the rods cross."""
    b, d = _ends(flexion)
    origin = np.array(four_bar_place(flexion))
    ways = np.stack([origin + b - A, -(origin + d - C)], axis=1)
    share = np.linalg.solve(ways, C - A)[0]
    x, z = A + share * ways[:, 0]
    return float(x), float(z)


def knee_curves(size: float = 1.0, knots: int = 27) -> tuple[Curve, Curve]:
    """Return how the tibia's origin moves forward and up [m] with flexion [rad], from where it is at none.

    Args:
        size: factor of lengths.
        knots: number of knots from 0 to 130 degrees.
    """
    flexions = np.linspace(0.0, MOST_FLEXION, knots)
    places = size * (np.array([four_bar_place(at) for at in flexions]) - four_bar_place(0.0))
    forward, up = (Curve(np.stack([flexions, places[:, k]], axis=1)) for k in range(2))
    return forward, up


def add_knee(
    world: "World",
    kind: str,
    thigh: "Body | None",
    shank: "Body",
    place: Any,
    *,
    size: float = 1.0,
    name: str = "knee",
) -> "Joint":
    """Join thigh and shank, of a leg that is straight, and return the joint whose angle is the flexion.

    Args:
        world: where to.
        kind: "hinge"; "spline", led along curves as the rods of "four-bar" lead it; "four-bar", two crossed
            rods in the sagittal plane for the cruciate ligaments; "ellipsoid", two points of the tibia that
            glide on the condyles.
        thigh: None: one that stands still in the world.
        shank: its frame's origin need not be at the knee.
        place: (3,) of the knee [m], x forward and z up.
        size: factor of lengths.
        name: of the joint; that of others begins with it.

    Raises:
        TypeError, ValueError: no such kind, or a value that makes no sense.
    """
    kind = checks.choice("kind", kind, KNEES)
    knee, size = checks.vector("place", place), checks.positive("size", size, "factor")
    point = tuple(knee.tolist())
    if kind == "hinge":
        return world.add_joint(Hinge(point, Y), thigh, shank, name=name)
    if kind == "spline":
        forward, up = knee_curves(size)
        down = Curve([(at, -value, -slope) for at, value, slope in up.knots])  # y of the joint, about y
        return world.add_joint(SplineJoint(point, Y, forward, down, x_axis=X), thigh, shank, name=name)
    joint = world.add_joint(Planar(point, Y, x_axis=X), thigh, shank, name=name)
    if kind == "four-bar":
        middle = -np.array(four_bar_place(0.0))
        for rod, far, near in (("front rod", middle + A, B), ("rear rod", middle + C, D)):
            high, low = (knee + size * np.array([x, 0.0, z]) for x, z in (far, near))
            world.add_joint(Distance(high, low), thigh, shank, name=f"{name} {rod}")
        return joint
    depth = CONDYLE[2] * np.sqrt(1.0 - (HALF / CONDYLE[0]) ** 2)
    centre = tuple((knee + size * np.array([0.0, 0.0, depth])).tolist())
    radii = tuple(size * radius for radius in CONDYLE)
    for where, x in (("front", HALF), ("rear", -HALF)):
        glides = tuple((knee + size * np.array([x, 0.0, 0.0])).tolist())
        kind_of = PointOnEllipsoid(centre, radii, glides, x_axis=X)
        world.add_joint(kind_of, thigh, shank, name=f"{name} {where} condyle")
    return joint

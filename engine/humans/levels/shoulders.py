"""Shoulders in two levels: a ball, or clavicle and a blade that glides (Stelzner 2008, section 4.2.3)."""

import numpy as np

from stoss.engine.humans.levels.bones import Bones, X, Z, rod
from stoss.engine.joints.basic_kinds import Ball
from stoss.engine.joints.combined_kinds import Universal
from stoss.engine.joints.curves import Curve
from stoss.engine.joints.guided_kinds import PointOnEllipsoid

__all__ = ["RADII", "RIBS", "SHOULDERS", "add_girdle", "add_rhythm", "rhythm"]

SHOULDERS = ("ball", "girdle")
# Stand-ins, of the right side, from a point between both shoulders [m].
STERNUM, CLAVICLE = np.array([0.05, -0.02, 0.0]), np.array([-0.05, -0.14, 0.03])
GLIDES = {
    "upper": np.array([-0.06, 0.09, -0.03]),
    "lower": np.array([-0.08, 0.08, -0.14]),
}  # from the clavicle
RIBS, RADII = np.array([0.0, 0.0, -0.15]), (0.0981369867, 0.1442220511, 0.24)
MASSES = {"clavicle": 0.25, "scapula": 0.70}  # [kg]
# The rhythm of the shoulder: what clavicle and blade do as the arm is lifted to the side, and forward [rad].
RAISED = ((-1.6, -0.30), (-0.8, -0.18), (0.0, 0.0), (0.8, 0.10))  # angle_2 of the clavicle
DRAWN = ((-1.4, 0.15), (-0.7, 0.09), (0.0, 0.0), (0.9, -0.10))  # angle_1 of it
TURNED = ((-1.6, 0.08), (-0.8, 0.05), (0.0, 0.0), (0.8, -0.03))  # turn_z of the blade


def _mirrored(knots: tuple[tuple[float, float], ...], sign: float, both: bool) -> Curve:
    """Return a curve of the right side, or the one of the left."""
    if sign < 0.0:
        return Curve(knots)
    return Curve(sorted((-x if both else x, -y) for x, y in knots))


def add_girdle(
    bones: Bones, side: str, sign: float, carrier: str, middle: np.ndarray, shoulder: np.ndarray
) -> str:
    """Add clavicle and shoulder blade; return the bone that carries the arm.

    Two points of the blade glide on the ribs, an ellipsoid: so of its three turns one is left, which follows
    the arm, as both turns of the clavicle do. `add_rhythm` couples them.

    Args:
        bones: with the one that carries it.
        side: "right" or "left".
        sign: -1 for the right side, 1 for the left.
        carrier: the bone that the ribs are fixed to.
        middle: (3,) of the point between both shoulders [m].
        shoulder: (3,) of the joint of the arm [m].
    """
    way = bones.size * np.array([1.0, -sign, 1.0])
    start = middle + way * STERNUM
    along = way * CLAVICLE
    end = start + along
    mass = bones.size**3
    bones.add(f"{side} clavicle", start, rod(mass * MASSES["clavicle"], along, 0.012), along, 0.008)
    low = way * GLIDES["lower"]
    blade = rod(mass * MASSES["scapula"], low, 0.05 * bones.size)
    bones.add(f"{side} scapula", end, blade, low, 0.01)
    bones.join(
        f"{side} sternoclavicular", Universal(tuple(start.tolist()), Z, X), carrier, f"{side} clavicle"
    )
    ball = Ball(tuple(end.tolist()))
    bones.join(f"{side} acromioclavicular", ball, f"{side} clavicle", f"{side} scapula")
    radii = tuple(bones.size * radius for radius in RADII)
    for name, away in GLIDES.items():
        point = tuple((end + way * away).tolist())
        kind = PointOnEllipsoid(tuple((middle + way * RIBS).tolist()), radii, point, x_axis=X)
        bones.join(f"{side} scapula {name}", kind, carrier, f"{side} scapula")
    return f"{side} scapula"


def rhythm(side: str, sign: float) -> tuple[tuple[str, str, str, Curve], ...]:
    """Return joints and coordinates that follow the arm, the coordinate of its joint that leads, and curves.

    Args:
        side: "right" or "left".
        sign: -1 for the right side, 1 for the left.
    """
    clavicle, blade = (f"{side} {name}" for name in ("sternoclavicular", "acromioclavicular"))
    return (
        (clavicle, "angle_2", "turn_x", _mirrored(RAISED, sign, both=True)),
        (clavicle, "angle_1", "turn_y", _mirrored(DRAWN, sign, both=False)),
        (blade, "turn_z", "turn_x", _mirrored(TURNED, sign, both=True)),
    )


def add_rhythm(bones: Bones, side: str, sign: float) -> None:
    """Let clavicle and shoulder blade follow the arm, whose joint is "SIDE shoulder"."""
    for joint, coordinate, leads, curve in rhythm(side, sign):
        bones.lead((f"{side} shoulder", leads), (joint, coordinate), curve)

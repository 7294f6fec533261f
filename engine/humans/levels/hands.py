"""Hands: a wrist of two turns that do not meet, and fingers (Stelzner 2008, section 4.2.4)."""

from math import cos, sin

import numpy as np

from stoss.collision import Box, Placed
from stoss.engine.humans.anthropometry import Human
from stoss.engine.humans.levels.bones import Bones, X, Y, properties_of, rod
from stoss.engine.joints.combined_kinds import Hinge, Universal
from stoss.engine.joints.curves import Curve
from stoss.engine.joints.guided_kinds import CustomJoint

__all__ = ["FINGERS", "add_hand"]

APART = 0.01  # of the two axes of the wrist [m]
PALM, PALM_SHARE = 0.1111, 0.6  # length [m] and share of the mass
# Lengths of the segments, and where the first begins: towards the thumb, and down the palm [m]; stand-ins.
FINGERS = {
    "thumb": ((0.045, 0.032, 0.026), 0.035, 0.025),
    "index": ((0.040, 0.024, 0.018), 0.030, PALM),
    "middle": ((0.045, 0.027, 0.019), 0.010, PALM),
    "ring": ((0.041, 0.026, 0.019), -0.010, PALM),
    "little": ((0.032, 0.019, 0.017), -0.030, PALM),
}
SEGMENTS = ("base", "middle", "end")
BENT = {"angle": (-5.0, 100.0)}


def wrist(place: np.ndarray, apart: float) -> CustomJoint:
    """Return a wrist at `place` (3,) [m]: it bends about y, and `apart` below that to the sides about x.

    The second axis goes round the first one, which takes a body without mass where joints are only hinges;
    here two of the six displacements and turns follow the bending.
    """
    point = tuple(place.tolist())
    below = (point[0], point[1], point[2] - apart)
    # x of the joint is y, y is x, and z is down
    return CustomJoint(
        point,
        y=("turn_x", Curve.of(lambda angle: -apart * sin(angle), -2.0, 2.0, 41)),
        z=("turn_x", Curve.of(lambda angle: apart * cos(angle), -2.0, 2.0, 41)),
        turn_x=None,
        turn_y=None,
        axis=(0.0, 0.0, -1.0),
        x_axis=Y,
        second_point=below,
    )


def add_hand(
    bones: Bones,
    human: Human,
    side: str,
    sign: float,
    carrier: str,
    place: np.ndarray,
    *,
    fingers: bool,
    limits: bool,
) -> None:
    """Add a hand that hangs with its palm to the back, with 20 degrees of freedom of fingers if asked for.

    Args:
        bones: with the one that carries it.
        human: whose data they are.
        side: "right" or "left".
        sign: -1 for the right side, 1 for the left.
        carrier: the bone at whose end it is.
        place: (3,) of the wrist [m].
        fingers: whether it has any.
        limits: whether its joints stop.
    """
    size = bones.size
    start = place - (0.0, 0.0, size * APART)
    mass = human.hand.mass
    end = np.array([0.0, 0.0, -size * PALM])
    properties = rod(PALM_SHARE * mass, end, 0.03 * size) if fingers else properties_of(human.hand)
    if fingers:
        palm = Placed(Box((0.022 * size, 0.08 * size, 0.095 * size)), (0.0, 0.0, -0.05 * size))
        bones.add(f"{side} hand", start, properties, shapes=(palm,))
    else:
        bones.add(f"{side} hand", start, properties, end, 0.02 * size)
    ranges = {"turn_x": (-70.0, 80.0), "turn_y": (-30.0, 30.0)} if limits else {}
    bones.join(f"{side} wrist", wrist(place, size * APART), carrier, f"{side} hand", **ranges)
    if not fingers:
        return
    total = sum(sum(lengths) for lengths, _, _ in FINGERS.values())
    for finger, (lengths, aside, down) in FINGERS.items():
        way = np.array([0.0, -0.6 * sign, -0.8]) if finger == "thumb" else np.array([0.0, 0.0, -1.0])
        at = start + size * np.array([0.0, -sign * aside, -down])
        last = f"{side} hand"
        for k, (segment, length) in enumerate(zip(SEGMENTS, lengths, strict=True)):
            name = f"{side} {finger} {segment}"
            own = (1.0 - PALM_SHARE) * mass * length / total
            bones.add(
                name, at, rod(own, size * length * way, 0.008 * size), size * length * way, 0.007 * size
            )
            point = tuple(at.tolist())
            if k == 0:
                ranges = {"angle_1": (-10.0, 90.0), "angle_2": (-25.0, 25.0)}
                bones.join(name, Universal(point, Y, X), last, name, **(ranges if limits else {}))
            else:
                bones.join(name, Hinge(point, Y), last, name, **(BENT if limits else {}))
            last, at = name, at + size * length * way

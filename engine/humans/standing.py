"""Standing on both feet, and going from there into a walk; not in the thesis, which begins with a push.

A body on its feet is a pendulum upside down, whose point of capture, centre of mass + velocity / w with
w = sqrt(g / height), runs away from the centre of pressure at the rate w. To stand is to put the centre of
pressure beyond that point: forward and back by the ankles, to the sides by how the legs share the weight. A
walk begins by letting the point run ahead, and then to the foot that is to stand.
"""

from math import cos, sin

import numpy as np

from stoss.engine.humans.leg_state import LegState
from stoss.engine.humans.sagittal import planted
from stoss.engine.humans.strategies import Sight

__all__ = ["aim_of", "feet_of", "stand_still", "step_to_stop"]

STIFF = 1.0  # times the way by which the point of capture is off
# [m] of the man of the thesis: how far from the middle of a foot the pressure goes back and ahead; the ankle
BACK, AHEAD, ANKLE = -0.075, 0.06, 0.0576
LEAST_SHARE = 0.03  # of the weight on a foot that stands
FAR, RUN = 1.0, 0.10  # [m] where the point of capture is let run to, and where it turns to the side
BALL, LONGEST = 0.11, 0.55  # [m] of the balls from the ankle, and of a step that is to stop the body
GROWTH = 3.5  # e^(w T) in the time T of a step
INSIDE = 0.055  # [m] from the foot that is to stand, when the other one lifts off


def feet_of(places: np.ndarray, masses: np.ndarray, heading: float) -> np.ndarray:
    """Return the middle of both feet from the centre of mass, forward and to the left (2, 2) [m].

    Args:
        places: centres of mass (8, 3) of the parts, the feet last [m].
        masses: of the parts [kg].
        heading: of the walk [rad].
    """
    c, s = cos(heading), sin(heading)
    away = places[6:, :2] - (masses @ places[:, :2]) / masses.sum()
    return away @ np.array([[c, -s], [s, c]])


def capture_of(seen: Sight) -> np.ndarray:
    """Return the point of capture from the centre of mass, forward and to the left (2,) [m]."""
    return np.array([seen.forward, seen.sideways]) / seen.gains.rate


def aim_of(seen: Sight, feet: np.ndarray, stand: int) -> tuple[np.ndarray, bool]:
    """Return where the body is to go (2,) [m], and whether the foot that does not stand is to lift off.

    Args:
        seen: what there is to go by.
        feet: middle of the right and the left foot from the centre of mass, forward and left (2, 2) [m].
        stand: the leg that is to stand first: 0 right, 1 left.
    """
    middle, size, point = feet.mean(axis=0), seen.gains.length, capture_of(seen)
    if seen.wish.speed == 0.0:
        return middle, False
    aim = middle + (FAR, 0.0)
    if point[0] - middle[0] < size * RUN:
        return aim, False
    outward = feet[stand, 1] - middle[1]
    aim[1] += 2.0 * outward
    return aim, (feet[stand, 1] - point[1]) * np.sign(outward) < size * INSIDE


def stand_still(legs: list[LegState], seen: Sight, feet: np.ndarray, aim: np.ndarray) -> None:
    """Set torques and dampers of a body on both feet.

    Args:
        legs: right and left.
        seen: what there is to go by.
        feet: middle of the right and the left foot from the centre of mass, forward and left (2, 2) [m].
        aim: where the body is to be brought, from the centre of mass (2,) [m].
    """
    gains, point = seen.gains, capture_of(seen)
    pressure = point + STIFF * (point - aim)
    wide = feet[1, 1] - feet[0, 1]
    left = _clip((pressure[1] - feet[0, 1]) / wide, LEAST_SHARE, 1.0 - LEAST_SHARE) if wide > 0.0 else 0.5
    shares = 1.0 - left, left
    along = pressure[0] - shares[0] * feet[0, 0] - shares[1] * feet[1, 0]
    lever = _clip(along, gains.length * BACK, gains.length * AHEAD) + gains.length * ANKLE
    about_y, about_x, about_z = seen.trunk
    lift = gains.hip_height.spring * (seen.wish.leg - 0.5 * (legs[0].z + legs[1].z))
    lift -= gains.hip_height.damper * 0.5 * (legs[0].zd + legs[1].zd)
    for leg, part in zip(legs, shares, strict=True):
        ankle = part * lever * gains.weight
        leg.torques = planted(leg.model, ankle, part * (gains.carried + lift), part * about_y)
        leg.aa, leg.ps = -part * about_x, -gains.leg_turn.spring * leg.h3 - part * about_z
        side = gains.foot_side
        leg.aa_foot, leg.ps_foot = -side.spring * leg.f2, -side.spring * leg.f3
        leg.hip_dampers = seen.hold_trunk(leg, part)
        leg.ankle_dampers = [(side.damper, 0.0)] * 3


def _clip(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def step_to_stop(seen: Sight, ahead: float) -> float:
    """Return the length of a step that puts the foot where the point of capture will be [m].

    Args:
        seen: what there is to go by.
        ahead: of the foot that is to stand before the hips [m].
    """
    size = seen.gains.length
    ball = size * BALL
    point = ball + (capture_of(seen)[0] - ahead - ball) * GROWTH
    return _clip(point, 0.0, size * LONGEST)

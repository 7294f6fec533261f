"""A leg as it is, by the poses and rates of its bodies, and what it is to do (Henze 2002, chapter 3)."""

from math import atan2, hypot, pi

import numpy as np

from stoss.engine.humans.anthropometry import Human
from stoss.engine.humans.sagittal import Leg
from stoss.engine.humans.senses import NUMBERS, VECTORS, look_at_leg

__all__ = ["LEAST_LOAD", "LegSizes", "LegState", "frames_of", "state_of_leg"]

LEAST_LOAD = 30.0  # [N] of a foot that has touched down
Lever = tuple[float, float]  # length [m], and angle with the sole [rad]


class LegState:
    """A leg as it is, by the kernel `look_at_leg`, and what it is to do."""

    side: int  # 0: right, 1: left
    th4: float  # of the pelvis [rad]
    al: float  # ankle
    th2: float  # angles of the shank, the thigh and the foot in the sagittal plane [rad]
    th3: float
    ph1: float
    x: float  # hip from the ankle [m]
    z: float
    xd: float
    zd: float
    length: float
    length_rate: float
    h1: float  # leg against the pelvis
    h2: float
    h3: float
    f2: float  # foot against the leg
    f3: float
    hip: np.ndarray  # where it is [m], and its velocity [m/s]
    hip_speed: np.ndarray
    spin: np.ndarray  # of the thigh, in the frame of the pelvis [rad/s]
    fe_hip: np.ndarray  # axes of torques
    aa_hip: np.ndarray
    ps_hip: np.ndarray
    fe_knee: np.ndarray
    fe_ankle: np.ndarray
    aa_ankle: np.ndarray
    ps_ankle: np.ndarray
    hip_dampers: list[tuple[float, float]]  # damping and target about x, y, z
    ankle_dampers: list[tuple[float, float]]
    model: Leg
    torques: tuple[float, float, float] = (0.0, 0.0, 0.0)
    aa: float = 0.0
    ps: float = 0.0
    about_z: float = 0.0
    aa_foot: float = 0.0
    ps_foot: float = 0.0

    def __init__(self, side: int, th4: float, numbers: np.ndarray, vectors: np.ndarray) -> None:
        self.side, self.th4 = side, th4
        vars(self).update(zip(NUMBERS, numbers.tolist(), strict=True))
        vars(self).update(zip(VECTORS, vectors, strict=True))


class LegSizes:
    """What does not change of the legs of a human.

    Attributes:
        numbers: lengths of shank and thigh, places of hip and ankle in thigh and foot (8,) [m].
        heel, ball: levers of a foot.
        heel_point: where the heel touches, in the frame of the foot (3,) [m].
    """

    def __init__(self, human: Human) -> None:
        assert human.thigh.proximal is not None and human.foot.proximal is not None
        lengths = (human.shank.length, human.thigh.length)
        self.numbers = np.array((*lengths, *human.thigh.proximal, *human.foot.proximal))
        self.heel, self.ball = levers_of_foot(human)
        self.heel_point = np.array(dict(human.foot.points)["heel"])


def levers_of_foot(human: Human) -> tuple[Lever, Lever]:
    """Return the levers from the heel and from the mean of both balls to the ankle."""
    assert human.foot.proximal is not None
    x, _, z = human.foot.proximal
    points = dict(human.foot.points)
    heel = points["heel"]
    balls = 0.5 * (np.array(points["medial ball"]) + np.array(points["lateral ball"]))
    back, up, fore = x - heel[0], z - heel[2], balls[0] - x
    return (hypot(back, up), atan2(up, back)), (hypot(fore, up), atan2(up, fore))


def state_of_leg(
    sizes: LegSizes,
    side: int,
    parts: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    loads: np.ndarray,
    lean: tuple[float, float],
) -> LegState:
    """Return the state of a leg.

    Args:
        sizes: of the legs.
        side: 0: right, 1: left.
        parts: axes (8, 3, 3), angular velocities, centres of mass and velocities (8, 3) of pelvis, upper
            body, thighs, shanks and feet, right before left [rad/s, m, m/s].
        loads: (3,) on heel, medial and lateral ball [N].
        lean: of the pelvis, forward, and its rate [rad, rad/s].
    """
    numbers, vectors = np.empty(len(NUMBERS)), np.empty((len(VECTORS), 3))
    look_at_leg(side, *parts, sizes.numbers, *lean, numbers, vectors)
    leg = LegState(side, lean[0], numbers, vectors)
    heel, medial, lateral = loads.tolist()
    on_heel = heel > LEAST_LOAD and medial + lateral < LEAST_LOAD
    lever, angle = sizes.heel if on_heel else sizes.ball
    hat = leg.ph1 + (0.5 * pi - angle if on_heel else angle - 0.5 * pi)
    shank, thigh = sizes.numbers[:2].tolist()
    leg.model = Leg(lever, hat, shank, thigh, leg.th2, leg.th3)
    return leg


def frames_of(quaternions: np.ndarray) -> np.ndarray:
    """Return the axes (n, 3, 3) of frames by their quaternions (n, 4), as columns."""
    w, x, y, z = quaternions.T
    f = np.empty((len(quaternions), 3, 3))
    f[:, 0, 0], f[:, 0, 1], f[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    f[:, 1, 0], f[:, 1, 1], f[:, 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    f[:, 2, 0], f[:, 2, 1], f[:, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return f

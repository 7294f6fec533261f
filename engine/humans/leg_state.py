"""A leg as it is, by the poses and rates of its bodies, and what it is to do (Henze 2002, H-425)."""

from math import asin, atan2, cos, hypot, pi, sin, sqrt
from typing import Any

import numpy as np

from stoss.engine.humans.anthropometry import Human
from stoss.engine.humans.sagittal import Leg

__all__ = ["LEAST_LOAD", "LegState", "frames_of", "levers_of_foot", "look_at_leg", "yxz"]

LEAST_LOAD = 30.0  # [N] of a foot that has touched down
Lever = tuple[float, float]  # length [m], and angle with the sole [rad]


class LegState:
    """A leg as it is, and what it is to do."""

    side: int
    al: float  # ankle
    ald: float
    th2: float  # angles of the shank, the thigh and the foot in the sagittal plane [rad]
    th3: float
    ph1: float
    ph1d: float
    x: float  # hip from the ankle [m]
    z: float
    xd: float
    zd: float
    length: float
    length_rate: float
    h1: float  # leg against the pelvis
    h2: float
    h3: float
    h2d: float
    h3d: float
    f2: float  # foot against the leg
    f3: float
    f2d: float
    f3d: float
    th4: float  # of the pelvis [rad]
    hip: np.ndarray  # where it is [m], and its velocity [m/s]
    hip_speed: np.ndarray
    spin: np.ndarray  # of the thigh, in the frame of the pelvis [rad/s]
    hip_dampers: list[tuple[float, float]]  # damping and target about x, y, z
    ankle_dampers: list[tuple[float, float]]
    fe_hip: np.ndarray  # axes of torques
    aa_hip: np.ndarray
    ps_hip: np.ndarray
    fe_knee: np.ndarray
    fe_ankle: np.ndarray
    aa_ankle: np.ndarray
    ps_ankle: np.ndarray
    model: Leg
    torques: tuple[float, float, float] = (0.0, 0.0, 0.0)
    aa: float = 0.0
    ps: float = 0.0
    about_z: float = 0.0
    aa_foot: float = 0.0
    ps_foot: float = 0.0


def levers_of_foot(human: Human) -> tuple[Lever, Lever]:
    """Return the levers from the heel and from the mean of both balls to the ankle; H-403."""
    assert human.foot.proximal is not None
    x, _, z = human.foot.proximal
    points = dict(human.foot.points)
    heel = points["heel"]
    balls = 0.5 * (np.array(points["medial ball"]) + np.array(points["lateral ball"]))
    back, up, fore = x - heel[0], z - heel[2], balls[0] - x
    return (hypot(back, up), atan2(up, back)), (hypot(fore, up), atan2(up, fore))


def look_at_leg(
    human: Human,
    levers: tuple[Lever, Lever],
    side: int,
    frames: np.ndarray,
    spins: np.ndarray,
    places: np.ndarray,
    speeds: np.ndarray,
    loads: np.ndarray,
    lean: tuple[float, float],
) -> LegState:
    """Return the state of a leg.

    Args:
        human: whose leg it is.
        levers: of its foot.
        side: 0: right, 1: left.
        frames, spins, places, speeds: of pelvis, upper body, thighs, shanks and feet, right before left:
            (8, 3, 3), (8, 3) [rad/s], (8, 3) [m], (8, 3) [m/s].
        loads: (3,) on heel, medial and lateral ball [N].
        lean: of the pelvis, forward, and its rate [rad, rad/s].
    """
    (th4, th4d), (heel, ball) = lean, levers
    thigh, shank, foot = (frames[k + side] for k in (2, 4, 6))
    wp, wt, ws, wf = spins[0], spins[2 + side], spins[4 + side], spins[6 + side]
    pelvis = frames[0]
    leg = LegState()
    leg.side = side
    leg.th4 = th4
    ga = yxz(pelvis.T @ thigh)[0]
    be = yxz(thigh.T @ shank)[0]
    al = yxz(shank.T @ foot)[0]
    gad = float((wt - wp) @ pelvis[:, 1])
    bed = float((ws - wt) @ thigh[:, 1])
    leg.al, leg.ald = al, float((wf - ws) @ shank[:, 1])
    leg.th3 = th4 + ga
    leg.th2 = leg.th3 + be
    leg.ph1 = leg.th2 + al
    th3d = th4d + gad
    th2d = th3d + bed
    leg.ph1d = th2d + leg.ald
    l2, l3 = human.shank.length, human.thigh.length
    s2, c2, s3, c3 = sin(leg.th2), cos(leg.th2), sin(leg.th3), cos(leg.th3)
    leg.x, leg.z = l2 * s2 + l3 * s3, l2 * c2 + l3 * c3
    leg.xd, leg.zd = l2 * c2 * th2d + l3 * c3 * th3d, -l2 * s2 * th2d - l3 * s3 * th3d
    leg.length = hypot(leg.x, leg.z)
    leg.length_rate = (leg.x * leg.xd + leg.z * leg.zd) / leg.length
    # the leg as a whole, from ankle to hip
    assert human.thigh.proximal is not None and human.foot.proximal is not None
    hip = leg.hip = places[2 + side] + thigh @ np.array(human.thigh.proximal)
    ankle = places[6 + side] + foot @ np.array(human.foot.proximal)
    leg.spin = pelvis.T @ wt
    leg.hip_speed = speeds[2 + side] + np.cross(wt, hip - places[2 + side])
    z = hip - ankle
    z = z / sqrt(float(z @ z))
    y = thigh[:, 1] - z * float(z @ thigh[:, 1])
    y = y / sqrt(float(y @ y))
    frame = np.stack([np.cross(y, z), y, z], axis=1)
    h1, leg.h2, leg.h3 = yxz(pelvis.T @ frame)
    leg.h1 = h1
    leg.fe_hip, leg.ps_hip = pelvis[:, 1], z
    leg.aa_hip = pelvis @ np.array([cos(h1), 0.0, -sin(h1)])
    leg.h2d, leg.h3d = float((wt - wp) @ leg.aa_hip), float((wt - wp) @ leg.ps_hip)
    f1, leg.f2, leg.f3 = yxz(frame.T @ foot)
    leg.aa_ankle = frame @ np.array([cos(f1), 0.0, -sin(f1)])
    leg.fe_ankle, leg.ps_ankle, leg.fe_knee = shank[:, 1], foot[:, 2], thigh[:, 1]
    leg.f2d, leg.f3d = float((wf - ws) @ leg.aa_ankle), float((wf - ws) @ leg.ps_ankle)
    on_heel = loads[0] > LEAST_LOAD and loads[1] + loads[2] < LEAST_LOAD
    lever, angle = heel if on_heel else ball
    hat = leg.ph1 + (0.5 * pi - angle if on_heel else angle - 0.5 * pi)
    leg.model = Leg(lever, hat, l2, l3, leg.th2, leg.th3)
    return leg


def frames_of(quaternions: np.ndarray) -> np.ndarray:
    """Return the axes (n, 3, 3) of frames by their quaternions (n, 4), as columns."""
    w, x, y, z = quaternions.T
    f = np.empty((len(quaternions), 3, 3))
    f[:, 0, 0], f[:, 0, 1], f[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    f[:, 1, 0], f[:, 1, 1], f[:, 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    f[:, 2, 0], f[:, 2, 1], f[:, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return f


def yxz(m: Any) -> tuple[float, float, float]:
    """Return the angles about y, x and z whose turns, one after the other, make a matrix [rad]."""
    return (
        atan2(m[0, 2], m[2, 2]),
        asin(min(max(-m[1, 2], -1.0), 1.0)),
        atan2(m[1, 0], m[1, 1]),
    )

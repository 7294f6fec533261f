"""What the legs and the spine do in each phase of a walk (Henze 2002, sections 3.4 and 3.7).

A strategy sets torques and dampers of legs by virtual springs between what is wanted and what is.
"""

from dataclasses import dataclass
from math import cos, radians, sin, sqrt

import numpy as np

from stoss.engine.humans.gains import Gain, Gains
from stoss.engine.humans.leg_state import LegState
from stoss.engine.humans.placement import Placement
from stoss.engine.humans.sagittal import shared_by_both, stance, swing
from stoss.engine.humans.steps import LEFT, LIFT_OFF, RIGHT, Steps
from stoss.engine.humans.walk import Walk

__all__ = ["Sight", "give_torques", "stand_on_both", "stand_on_one", "turn_spine"]

Damper = tuple[float, float]  # damping [N m s/rad], and the rate that it aims at [rad/s]

SHORTER_UNTIL = 0.33  # share of a step for which the swinging leg stays short
TOES_UP, LEAN_BACK = radians(-17.0), radians(-30.0)
SLOW = 1.15  # times the wanted speed below which the standing foot lets the body fall forward
OVER = 0.05  # [m] from the ankle: where a body comes to rest
TILT_OUT, TILT_IN = radians(12.0), radians(6.0)
SPINE_TURN = radians(10.0)
UP = np.array([0.0, 0.0, 1.0])


@dataclass
class Sight:
    """What a strategy goes by, beside the legs, in the frame of the walk.

    Attributes:
        wish: what is wanted, in proportion to the body.
        gains: of the body.
        hip: distance of a hip from the middle [m].
        lean, roll, yaw: of the pelvis, about y, x and z [rad].
        lean_rate: [rad/s].
        forward, sideways: speed of the hips, and of the centre of mass to the left [m/s].
        heading_control: whether the trunk is kept in the direction of the walk.
        feed_forward: whether hips make up for the twist of the legs' forces.
        period: of the controller [s].
    """

    wish: Walk
    gains: Gains
    hip: float
    lean: float
    roll: float
    yaw: float
    lean_rate: float
    forward: float
    sideways: float
    heading_control: bool
    feed_forward: bool
    period: float

    @property
    def trunk(self) -> tuple[float, float, float]:
        """Return the moments that are wanted on the trunk, about y, x and z [N m]."""
        spring, damper = self.gains.trunk
        about_y = spring * (self.wish.lean - self.lean) - damper * self.lean_rate
        return about_y, -spring * self.roll, -spring * self.yaw if self.heading_control else 0.0

    def hold_trunk(self, leg: LegState, part: float) -> list[Damper]:
        """Return the dampers of a hip by which a standing leg holds tilt and heading of the trunk.

        Args:
            leg: that stands.
            part: share of this leg.
        """
        trunk, turn = self.gains.trunk.damper, part if self.heading_control else 0.0
        return [
            (part * trunk, leg.spin[0]),
            (0.0, 0.0),
            (self.gains.leg_turn.damper + turn * trunk, turn * leg.spin[2] / (1.0 + turn)),
        ]


def stand_on_one(a: LegState, b: LegState, seen: Sight, steps: Steps, placement: Placement) -> None:
    """Set torques and dampers of single support.

    Args:
        a, b: the leg that stands, and the one that swings.
        seen: what there is to go by.
        steps: the state of the walk.
        placement: of the swinging foot to the side.
    """
    wish, gains = seen.wish, seen.gains
    about_y, about_x, about_z = seen.trunk
    between = a.x - b.x
    share = steps.share(between, steps.length)
    foot = _roll(a, seen, share)
    vertical = _pull(gains.leg_length, wish.leg, a) * a.z / a.length + gains.carried
    a.torques, forward = stance(a.model, foot, vertical, about_y)
    done = between / steps.length if not steps.closes else share
    long = wish.leg * _lengthened(done, wish.shortening)
    pull = _pull(gains.swing_length, long, b)
    ahead = gains.step.spring * (steps.length - between) + gains.step.damper * b.xd
    ahead -= pull * b.x / b.length
    b.torques = swing(b.model, gains.foot_swing.spring * (TOES_UP - b.al), ahead, -pull * b.z / b.length)
    # sideways, and about the vertical
    a.aa, a.ps = -about_x, -gains.leg_turn.spring * a.h3 - about_z
    place = placement.angle(seen.sideways, gains.pendulum, b.h1, seen.yaw)
    rate = placement.follow(place, seen.period, gains.speed)
    b.aa = gains.swing_tilt.spring * share * (place - b.h2)
    b.ps = -gains.swing_turn.spring * b.h3
    a.hip_dampers = seen.hold_trunk(a, 1.0)
    b.hip_dampers = [
        (gains.swing_tilt.damper, rate * cos(b.h1)),
        (0.0, 0.0),
        (gains.swing_turn.damper, -rate * sin(b.h1)),
    ]
    side, free = gains.foot_side, gains.foot_side_swing
    a.aa_foot, a.ps_foot = side.spring * (_tilt(a, seen) - a.f2), -side.spring * a.f3
    b.aa_foot, b.ps_foot = -free.spring * b.f2, -free.spring * b.f3
    a.ankle_dampers = [(side.damper, 0.0), (gains.foot_stance.damper, 0.0), (side.damper, 0.0)]
    b.ankle_dampers = [(free.damper, 0.0)] * 3
    if seen.feed_forward:
        a.about_z = _outward(a) * seen.hip * (forward + ahead)


def _roll(leg: LegState, seen: Sight, share: float) -> float:
    """Return the moment on the standing foot: how far its pressure is behind the balls [N m].

    One who walks too slowly lets the body fall forward. One who is to stand brings the point of capture above
    that foot, which is where the body would come to rest.

    Args:
        leg: that stands.
        seen: what there is to go by.
        share: of the step.
    """
    gains, wish = seen.gains, seen.wish
    if wish.speed > 0.0:
        angle = LEAN_BACK if seen.forward < SLOW * wish.speed else 0.0
        return gains.foot_stance.spring * share * (angle - leg.al)
    falls = leg.x + seen.forward / gains.rate < gains.length * OVER
    return gains.foot_stance.spring * share * ((LEAN_BACK if falls else 0.0) - leg.al)


def _pull(gain: Gain, wanted: float, leg: LegState) -> float:
    """Return the force of the spring and damper along a leg [N]."""
    return gain.spring * (wanted - leg.length) - gain.damper * leg.length_rate


def _lengthened(done: float, shortening: float) -> float:
    """Return the length of a swinging leg, as a share of that of one that stands; (3.16).

    Args:
        done: share of the step.
        shortening: the length in the first part of the step.
    """
    way = (done - SHORTER_UNTIL) / (1.0 - SHORTER_UNTIL)
    return shortening + (1.0 - shortening) * min(max(way, 0.0), 1.0)


def _tilt(leg: LegState, seen: Sight) -> float:
    """Return the tilt of a standing foot against a speed to the side [rad]."""
    speed = seen.sideways
    if abs(speed) <= seen.gains.sideways:
        return 0.0
    out = (speed < 0.0) == (leg.side == LEFT)  # abduction: of the left foot to +x
    return (-1.0 if speed > 0.0 else 1.0) * (TILT_OUT if out else TILT_IN)


def _outward(leg: LegState) -> float:
    return 1.0 if leg.side == RIGHT else -1.0


def stand_on_both(a: LegState, b: LegState, seen: Sight, steps: Steps) -> None:
    """Set torques and dampers of double support.

    Args:
        a, b: the leg behind, and the one before.
        seen: what there is to go by.
        steps: the state of the walk.
    """
    wish, gains = seen.wish, seen.gains
    about_y, about_x, about_z = seen.trunk
    share = steps.share(-b.x, LIFT_OFF * 0.5 * steps.length)
    front = -gains.foot_swing.spring * b.ph1
    rear = gains.foot_stance.spring * (wish.push_off - a.al)
    high = sqrt(max(wish.leg**2 - 0.25 * steps.length**2, 0.0))
    lift = gains.hip_height.spring * (high - 0.5 * (a.z + b.z))
    lift -= gains.hip_height.damper * 0.5 * (a.zd + b.zd)
    pull = _pull(gains.leg_length, wish.leg, a)
    vertical = gains.carried + lift + pull * a.z / a.length
    forward = gains.pace * (wish.speed - seen.forward) + pull * a.x / a.length
    b.torques, a.torques = shared_by_both(b.model, a.model, front, rear, forward, vertical, about_y, share)
    side = gains.foot_side
    for leg, part, damping in (
        (b, share, gains.foot_side_swing.damper),
        (a, 1.0 - share, side.damper),
    ):
        leg.aa, leg.ps = -part * about_x, -gains.leg_turn.spring * leg.h3 - part * about_z
        leg.aa_foot, leg.ps_foot = -side.spring * leg.f2, -side.spring * leg.f3
        leg.hip_dampers = seen.hold_trunk(leg, part)
        leg.ankle_dampers = [(damping, 0.0)] * 3
        if seen.feed_forward:
            leg.about_z = _outward(leg) * seen.hip * leg.model.force_on_hip(leg.torques, 0.5 * forward)


def turn_spine(
    frames: np.ndarray, seen: tuple[float, ...], gains: Gains, turn: float, share: float
) -> tuple[np.ndarray, list[Damper]]:
    """Return the torque on the upper body (3,) [N m], and the dampers of the spine.

    It holds the upper body upright, and turns it against the legs.

    Args:
        frames: axes (2 or more, 3, 3) of the pelvis and the upper body.
        seen: tilt and twist of the upper body, and the rate of the pelvis about its own x [rad, rad/s].
        gains: of the body.
        turn: angle to which it is turned to the left [rad].
        share: of the step that has been made.
    """
    tilt, twist, spin = seen
    torque = -gains.spine_tilt.spring * tilt * frames[0, :, 0]
    torque = torque + gains.spine_twist.spring * share * (turn - twist) * frames[1, :, 2]
    return torque, [(gains.spine_twist.damper, 0.0), (gains.spine_tilt.damper, spin)]


def give_torques(legs: list[LegState], out: np.ndarray) -> None:
    """Add the torques of the legs: on the outer body of a joint, and their opposites on the inner one.

    Args:
        legs: right and left.
        out: receives torques (8, 3) on pelvis, upper body, thighs, shanks and feet, right before left [N m].
    """
    for leg in legs:
        ankle, knee, hip = leg.torques
        of_hip = leg.fe_hip * hip + leg.aa_hip * leg.aa + leg.ps_hip * leg.ps + UP * leg.about_z
        of_knee = leg.fe_knee * knee
        of_ankle = leg.fe_ankle * ankle + leg.aa_ankle * leg.aa_foot + leg.ps_ankle * leg.ps_foot
        side = leg.side
        out[0] -= of_hip
        out[2 + side] += of_hip - of_knee
        out[4 + side] += of_knee - of_ankle
        out[6 + side] += of_ankle

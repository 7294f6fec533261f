"""Gains of the walker (Henze 2002, appendix G.3), and what becomes of them in another body.

The table holds for a man of 75 kg whose legs are 0.88 m long. Gravity is the same for all, so bodies of the
same shape move alike, one as the picture of the other, where times and speeds go with the root of the length
of the leg (Froude's number), and forces with the mass. Each gain is brought to a body by its dimension.
"""

from dataclasses import replace
from math import pi, sqrt
from typing import NamedTuple

from stoss.engine.humans.anthropometry import MALE, Human
from stoss.engine.humans.walk import Walk

__all__ = ["Gain", "Gains"]

PER_DEGREE = 180.0 / pi
# [m] of the pendulum whose lean tells where to put the foot. The thesis gives none; with 0.85 of the leg, the
# foot lands too near, as the leg follows with a lag, and any speed to the side stays: the walk drifts.
PENDULUM = 0.52
SIDEWAYS = 0.2  # [m/s] above which the standing foot tilts against it
GRAVITY, HEIGHT = 9.81, 1.0  # [m/s^2], and [m] of the centre of mass
CARRIED = 467.0  # [N] of the trunk, for the man of the thesis


class Gain(NamedTuple):
    """A spring and a damper between what is wanted and what is."""

    spring: float
    damper: float


def _trunk_of(human: Human) -> float:
    legs = human.thigh.mass + human.shank.mass + human.foot.mass
    return human.mass - 2.0 * legs


class Gains:
    """Gains for a body, of angles in N m/rad and N m s/rad, of lengths in N/m and N s/m.

    Args:
        human: whose they are.

    Attributes:
        length, mass: of the legs and of all, over those of the man of the thesis.
        speed: factor of speeds, and of times.
        torque: factor of torques.
        rate: at which a body that stands falls [1/s].
        weight: [N].
        carried: force that carries the trunk [N].
    """

    def __init__(self, human: Human) -> None:
        self.length = human.leg / MALE.leg
        self.mass = human.mass / MALE.mass
        self.speed = sqrt(self.length)
        self.torque = self.mass * self.length
        self.trunk, self.spine_tilt, self.spine_twist = (
            self._turn(17.5, 3.5),
            self._turn(130, 1.3),
            self._turn(1.3, 0.13),
        )
        self.leg_turn, self.swing_tilt, self.swing_turn = (
            self._turn(17.5, 3.5),
            self._turn(8.8, 0.9),
            self._turn(4.4, 0.9),
        )
        self.foot_stance, self.foot_swing = self._turn(7.0, 0.9), self._turn(3.5, 0.2)
        self.foot_side, self.foot_side_swing = self._turn(3.5, 0.9), self._turn(3.5, 0.2)
        self.shoulder, self.elbow = self._turn(0.15, 0.05), self._turn(0.02, 0.01)
        self.leg_length, self.swing_length = self._move(20000.0, 2000.0), self._move(1500.0, 50.0)
        self.hip_height, self.step = self._move(20000.0, 2000.0), self._move(300.0, 100.0)
        self.pace = self._move(0.0, 100.0).damper
        self.rate = sqrt(GRAVITY / HEIGHT) / self.speed
        self.weight = GRAVITY * human.mass
        self.carried = CARRIED * _trunk_of(human) / _trunk_of(MALE)
        self.pendulum = PENDULUM * self.length
        self.sideways = SIDEWAYS * self.speed

    def _turn(self, spring: float, damper: float) -> Gain:
        """Return a gain of an angle, from N m/deg and N m s/deg."""
        unit = PER_DEGREE * self.torque
        return Gain(unit * spring, unit * self.speed * damper)

    def _move(self, spring: float, damper: float) -> Gain:
        """Return a gain of a length, from N/m and N s/m."""
        return Gain(self.mass / self.length * spring, self.mass / self.speed * damper)

    def of(self, walk: Walk) -> Walk:
        """Return a walk that is told for the man of the thesis, in proportion to this body.

        One who is to stand does not push off.
        """
        return replace(
            walk,
            speed=self.speed * walk.speed,
            step=self.length * walk.step,
            leg=self.length * walk.leg,
            push_off=walk.push_off if walk.speed > 0.0 else 0.0,
        )

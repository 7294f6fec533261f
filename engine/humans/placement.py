"""Where the swinging foot is put aside (Henze 2002, section 3.7.2)."""

from math import acos, atan, cos, exp, isnan, nan, sin, tan

from stoss.engine.control.state import Stateful

__all__ = ["Placement"]

LAG = 0.02  # [s] of the rate of the angle
GRAVITY = 9.81


class Placement(Stateful):
    """The angle to which the swinging leg is put aside, and its rate.

    A foot that lands as far to the side as a pendulum with the speed of the body would still lean brings that
    speed to rest.
    """

    def __init__(self) -> None:
        self.place, self.rate = nan, 0.0

    def begin(self) -> None:
        """Begin with another leg."""
        self.place, self.rate = nan, 0.0

    def angle(self, sideways: float, pendulum: float, flexion: float, yaw: float) -> float:
        """Return the angle of the leg to the side, against the pelvis [rad].

        The place is one of heading and gravity: a leg put aside from a pelvis that is turned lands to its
        other side when it is before the body, and the drift that comes of that keeps the pelvis turned.

        Args:
            sideways: speed of the centre of mass to the left [m/s].
            pendulum: its length [m].
            flexion: angle of the leg against the pelvis, about y [rad].
            yaw: of the pelvis against the heading [rad].
        """
        lean = acos(max(-1.0, 1.0 - sideways * sideways / (2.0 * GRAVITY * pendulum)))
        aside = cos(flexion) * tan(lean if sideways > 0.0 else -lean)
        return atan((sin(yaw) * sin(flexion) + aside) / cos(yaw))

    def follow(self, place: float, period: float, pace: float = 1.0) -> float:
        """Return the rate of the angle, with a lag [rad/s].

        Args:
            place: the angle [rad].
            period: since the one before [s].
            pace: factor of times of the body.
        """
        if isnan(self.place):
            self.place, self.rate = place, 0.0
        self.rate += (1.0 - exp(-period / (pace * LAG))) * ((place - self.place) / period - self.rate)
        self.place = place
        return self.rate

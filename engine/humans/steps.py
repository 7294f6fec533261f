"""The machine of states of a walk: on one foot, on both, and on (Henze 2002, section 3.5)."""

from math import nan

import numpy as np

from stoss.engine.control.state import Stateful
from stoss.engine.humans.humanoid import SIDES
from stoss.engine.humans.leg_state import LEAST_LOAD, LegState
from stoss.engine.humans.walk import Landing, Walk

__all__ = ["LEFT", "LIFT_OFF", "RIGHT", "Steps"]

RIGHT, LEFT = 0, 1
CLOSING = 0.2  # [m] of a step that ends with both feet beside each other
BESIDE = 0.06  # [m] by which it may miss that
LANDING = 14  # numbers of a landing
LIFT_OFF = 0.45  # half steps that the hip is ahead of the rear foot when that lifts off


class Steps(Stateful):
    """The state of a walk, and the steps that were made.

    Attributes:
        phase: "single" or "double" support, or "stand".
        stand: the leg that stands, or that is behind: 0 right, 1 left.
        count: of steps that were made.
        length: of the present step, by the ankles [m].
        stops: whether the walk is to end with this step or the next ones.
        begin: distance that the phase began with: of the ankles in single support, of the front foot before
            the hip in double support [m]; None: not known yet.
    """

    def __init__(self, length: float) -> None:
        self.restart("single", RIGHT, length, 0.0)

    def restart(self, phase: str, stand: int, length: float, time: float) -> None:
        """Begin a walk.

        Args:
            phase: "single", or "stand".
            stand: the leg that stands, or that is to lift off: 0 right, 1 left.
            length: of the first step [m].
            time: of the world [s].
        """
        self.phase, self.stand, self.count, self.length = phase, stand, 0, length
        self.begin: float | None = None
        self.stops = False
        self.switched, self.touched = time, length
        self.landed = np.zeros((0, LANDING))

    @property
    def landings(self) -> list[Landing]:
        """Return the landings of the feet, one after the other."""
        return [
            Landing(time, SIDES[int(side)], (x, y, z), ankles, (px, py, pz), heading, lifted, (hx, hy, hz))
            for time, side, x, y, z, ankles, px, py, pz, hx, hy, hz, heading, lifted in self.landed.tolist()
        ]

    def share(self, now: float, end: float) -> float:
        """Return how far the phase has come, from where it began to an end, 0 to 1.

        Args:
            now: the distance at present [m].
            end: that at which the phase ends [m].
        """
        begin = now if self.begin is None else self.begin
        span = end - begin
        return min(max((now - begin) / span, 0.0), 1.0) if span != 0.0 else 1.0

    def land(
        self, time: float, between: float, ahead: float, where: tuple[float, ...], heading: float
    ) -> None:
        """Note that the swinging foot has touched down: double support.

        Args:
            time: of the world [s].
            between: distance of the ankles [m].
            ahead: of the foot before the hip [m].
            where: from the foot that stands to the other one, then the pelvis, and the heel that landed (9,)
                [m].
            heading: of the walk [rad].
        """
        self.phase, self.begin, self.touched = "double", ahead, between
        landing = (time, 1 - self.stand, *where[:3], between, *where[3:], heading, nan)
        self.landed = np.vstack([self.landed, landing])

    def next_length(self, time: float, wish: Walk) -> float:
        """Return the length of the next step, longer after one that was too fast [m].

        Args:
            time: of the world [s].
            wish: what is wanted, above all a speed.
        """
        took = time - self.switched
        mean = self.touched / took if took > 0.0 else wish.speed
        return wish.step * (1.0 + wish.step_gain * (mean - wish.speed) / wish.speed)

    def lift(self, time: float, between: float, length: float) -> None:
        """Note that the rear foot lifts off: exchange the legs.

        Args:
            time: of the world [s].
            between: distance of the ankles [m].
            length: of the step that begins [m].
        """
        self.length, self.switched = length, time
        self.stand, self.begin, self.phase = 1 - self.stand, -between, "single"
        self.count += 1
        if len(self.landed):
            self.landed[-1, -1] = time

    def touches(self, load: float, swinging: LegState, between: float) -> bool:
        """Return whether the swinging foot has touched down, before the hip or beside the other one.

        Args:
            load: on it [N].
            swinging: the leg.
            between: distance of the ankles [m].
        """
        there = between > self.length - BESIDE if self.closes else swinging.x < 0.0
        return load >= LEAST_LOAD and there

    @property
    def closes(self) -> bool:
        """Return whether the step brings one foot beside the other."""
        return self.length < CLOSING

    def lifts(self, rear: LegState, front: LegState, push_off: float) -> bool:
        """Return whether the rear foot is to lift off."""
        return -front.x < LIFT_OFF * 0.5 * self.length or rear.al >= push_off > 0.0

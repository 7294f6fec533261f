"""The machine of states of a walk: on one foot, on both, and on (Henze 2002, section 3.5)."""

from math import nan

import numpy as np

from stoss.engine.control.state import Stateful
from stoss.engine.humans.humanoid import SIDES
from stoss.engine.humans.leg_state import LEAST_LOAD, LegState
from stoss.engine.humans.walk import Landing, Walk

__all__ = ["LEFT", "LIFT_OFF", "RIGHT", "Steps"]

RIGHT, LEFT = 0, 1
LANDING = 14  # numbers of a landing
LIFT_OFF = 0.45  # half steps that the hip is ahead of the rear foot when that lifts off


class Steps(Stateful):
    """The state of a walk, and the steps that were made.

    Attributes:
        phase: "single" or "double" support.
        stand: the leg that stands, or that is behind: 0 right, 1 left.
        count: of steps that were made.
        length: of the present step, by the ankles [m].
        begin: distance that the phase began with: of the ankles in single support, of the front foot before
            the hip in double support [m]; None: not known yet.
    """

    def __init__(self, length: float) -> None:
        self.restart("single", RIGHT, length, 0.0)

    def restart(self, phase: str, stand: int, length: float, time: float) -> None:
        """Begin a walk.

        Args:
            phase: "single" or "double".
            stand: the leg that stands: 0 right, 1 left.
            length: of the first step [m].
            time: of the world [s].
        """
        self.phase, self.stand, self.count, self.length = phase, stand, 0, length
        self.begin: float | None = None
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
        """Return how far the phase has come, from where it began to an end, 0 to 1; H-409.

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

    def lift(self, time: float, between: float, wish: Walk) -> None:
        """Note that the rear foot lifts off: exchange the legs, and choose the length of the step; H-411.

        Args:
            time: of the world [s].
            between: distance of the ankles [m].
            wish: what is wanted.
        """
        took = time - self.switched
        mean = self.touched / took if took > 0.0 else wish.speed
        self.length = wish.step * (1.0 + wish.step_gain * (mean - wish.speed) / wish.speed)
        self.switched = time
        self.stand, self.begin, self.phase = 1 - self.stand, -between, "single"
        self.count += 1
        if len(self.landed):
            self.landed[-1, -1] = time

    def touches(self, load: float, swinging: LegState) -> bool:
        """Return whether the swinging foot has touched down; H-410."""
        return load >= LEAST_LOAD and swinging.x < 0.0

    def lifts(self, rear: LegState, front: LegState, push_off: float) -> bool:
        """Return whether the rear foot is to lift off; H-410."""
        return -front.x < LIFT_OFF * 0.5 * self.length or rear.al >= push_off > 0.0

"""What is wanted of a walk, and what is kept of it: wishes and landings."""

from dataclasses import dataclass, replace
from math import radians, sqrt

import numpy as np

from stoss.engine import checks
from stoss.engine.humans.anthropometry import MALE, Human
from stoss.names import closed

__all__ = ["Landing", "Walk", "walk_by_key"]

# Walks of the thesis: speed [m/s]; what speed is wanted [m/s], push-off [rad], step [m].
SPEEDS = (
    (0.73, 0.65, 0.0, 0.375),
    (0.88, 0.80, 0.0, 0.425),
    (1.11, 0.95, 0.45, 0.475),
    (1.17, 0.98, 0.45, 0.475),
    (1.33, 1.09, 0.45, 0.475),
)

PACE, TURN = 0.05, radians(10.0)  # [m/s, rad] by each press of an arrow key


@dataclass(frozen=True)
class Landing:
    """A foot that touched down.

    Attributes:
        time: [s].
        side: of the foot.
        apart: from the middle of the other foot to its own (3,) [m].
        ankles: distance of the ankles, in the direction of the walk [m].
        pelvis: (3,) [m].
        heading: of the walk [rad].
        lifted: when the other foot lifted off [s], NaN: it has not yet.
        heel: where that of the foot is (3,) [m].
    """

    time: float
    side: str
    apart: tuple[float, float, float]
    ankles: float
    pelvis: tuple[float, float, float]
    heading: float
    lifted: float
    heel: tuple[float, float, float]


@closed
@dataclass(frozen=True)
class Walk:
    """What is wanted of a walk; the numbers are those of the standard walk of the thesis, section 4.4.

    Speeds and lengths hold for the man of the thesis. Another person walks in proportion: lengths go with the
    length of the leg, speeds with its root (Froude's number).

    Args:
        speed: that the speed control aims at [m/s]; the walk becomes somewhat faster. Zero: stand still.
        push_off: angle of the rear ankle in double support [rad].
        step: distance of the ankles [m].
        lean: of the trunk, forward [rad].
        leg: length of a standing leg, hip to ankle [m].
        shortening: of the swinging leg, share of its length.
        heading: direction [rad], counted to the left from x.
        step_gain: share by which a step is longer for a speed that is too high by one time that wanted.

    Raises:
        ValueError: a value that makes no sense.
    """

    speed: float = 0.95
    push_off: float = 0.45
    step: float = 0.475
    lean: float = radians(2.0)
    leg: float = 0.85
    shortening: float = 0.8
    heading: float = 0.0
    step_gain: float = 0.25

    @classmethod
    def at(cls, speed: float, heading: float = 0.0, human: Human = MALE) -> "Walk":
        """Return a walk of about a speed: between those of the thesis, table 4.2 and section 4.4.2.

        Args:
            speed: of the person [m/s], 0.73 to 1.33 for the man of the thesis.
            heading: direction [rad].
            human: who is to have this speed.

        Raises:
            ValueError: slower or faster than the walks that are known.
        """
        checks.instance("human", human, Human, 'person("female")')
        factor = sqrt(human.leg / MALE.leg)
        speeds = [row[0] for row in SPEEDS]
        checks.number("speed", speed, "m/s", least=factor * speeds[0], most=factor * speeds[-1])
        wanted, push_off, step = (
            float(np.interp(speed / factor, speeds, [row[k] for row in SPEEDS])) for k in (1, 2, 3)
        )
        return cls(speed=wanted, push_off=push_off, step=step, heading=heading)

    @property
    def pace(self) -> float:
        """Return the speed that the man of the thesis is to have [m/s]."""
        return float(np.interp(self.speed, [row[1] for row in SPEEDS], [row[0] for row in SPEEDS]))

    def __post_init__(self) -> None:
        checks.number("Walk: speed", self.speed, "m/s", least=0.0)
        for name, unit in (("step", "m"), ("leg", "m"), ("shortening", "share")):
            checks.positive(f"Walk: {name}", getattr(self, name), unit)
        for name in ("push_off", "lean", "heading"):
            checks.number(f"Walk: {name}", getattr(self, name), "rad")
        checks.number("Walk: step_gain", self.step_gain, "share", least=0.0)


def walk_by_key(walk: Walk, key: str) -> Walk:
    """Return a walk that is faster or slower, or leads to another direction.

    Args:
        walk: before.
        key: "UP", "DOWN", "LEFT" or "RIGHT".
    """
    if key in ("UP", "DOWN"):
        pace = walk.pace + (PACE if key == "UP" else -PACE)
        other = Walk.at(min(max(pace, SPEEDS[0][0]), SPEEDS[-1][0]))
        return replace(walk, speed=other.speed, push_off=other.push_off, step=other.step)
    return replace(walk, heading=walk.heading + (TURN if key == "LEFT" else -TURN))

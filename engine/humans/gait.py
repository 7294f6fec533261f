"""What a walk was like: speed, steps, support (Henze 2002, section 4.2; H-305)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.humans.walker import VirtualModelWalker

__all__ = ["GaitReport", "gait_report"]


@closed
@dataclass(frozen=True)
class GaitReport:
    """Figures of a walk, means over its steps; print it to read it.

    Attributes:
        steps: that were looked at.
        speed: of the pelvis in the direction of the walk [m/s].
        sideways: its speed to the left [m/s].
        step_length: distance of the feet in that direction at touch-down [m].
        step_width: their distance across it [m].
        step_time: from one touch-down to the next [s].
        single_support: share of the time on one foot.
    """

    steps: int
    speed: float
    sideways: float
    step_length: float
    step_width: float
    step_time: float
    single_support: float

    def __str__(self) -> str:
        return (
            f"{self.steps} steps: {self.speed:.3f} m/s, {self.sideways:+.3f} m/s to the left, steps of "
            f"{self.step_length:.3f} m, {self.step_width:.3f} m wide, {self.step_time:.3f} s, "
            f"{self.single_support:.0%} on one foot"
        )


def gait_report(walker: "VirtualModelWalker", skip: int = 4) -> GaitReport:
    """Return figures of the steps that a walker has made.

    Args:
        walker: that has walked.
        skip: steps at the beginning that are left out.

    Raises:
        ValueError: it has made too few steps.
    """
    landings = walker.landings[skip:]
    if len(landings) < 3:
        raise ValueError(
            f"{len(walker.landings)} landings are too few to leave out {skip} and look at two steps"
        )
    times = np.array([landing.time for landing in landings])
    lifts = np.array([landing.lifted for landing in landings[:-1]])
    pelvis = np.array([landing.pelvis for landing in landings])
    turn = walker.walk.heading
    along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    apart = np.array([landing.apart for landing in landings])[:, :2]
    span = times[-1] - times[0]
    way = (pelvis[-1] - pelvis[0])[:2]
    return GaitReport(
        steps=len(landings) - 1,
        speed=float(way @ along / span),
        sideways=float(way @ across / span),
        step_length=float((apart @ along).mean()),
        step_width=float(np.abs(apart @ across).mean()),
        step_time=float(np.diff(times).mean()),
        single_support=float(1.0 - (lifts - times[:-1]).sum() / span),
    )

"""The time that each stage of a step takes."""

from time import perf_counter

import numpy as np

__all__ = [
    "BEGIN",
    "CONTACT_FREE",
    "CORRECT",
    "DETECT",
    "FINISH",
    "MOVE",
    "SEPARATE",
    "SETTLE",
    "STAGES",
    "StageClock",
]

# In the order in which they first end.
STAGES = ("begin", "contact-free", "correct", "move", "detect", "separate", "settle", "finish")
BEGIN, CONTACT_FREE, CORRECT, MOVE, DETECT, SEPARATE, SETTLE, FINISH = range(len(STAGES))


class StageClock:
    """Add up the seconds of each stage of a step, over its sub-steps.

    Attributes:
        seconds: of the last step, in the order of `STAGES`; a new list in each step.
    """

    def __init__(self) -> None:
        self.seconds = [0.0] * len(STAGES)
        self._last = 0.0

    def start(self) -> None:
        """Begin a step."""
        self.seconds = [0.0] * len(STAGES)
        self._last = perf_counter()

    def end(self, stage: int) -> None:
        """Count the time since the last call for this stage."""
        now = perf_counter()
        self.seconds[stage] += now - self._last
        self._last = now

    def take(self, ended: np.ndarray, stages: tuple[int, ...]) -> None:
        """Count the time of stages that were made in one call.

        Args:
            ended: (stages, 2) when each of them ended, by the same clock [s, ns].
            stages: which, in their order.
        """
        times = ended.tolist()
        for stage in stages:
            now = times[stage][0] + 1e-9 * times[stage][1]
            self.seconds[stage] += now - self._last
            self._last = now

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

_Ended = tuple[float, list[list[int]], tuple[int, ...]]
Mark = tuple[list[float], list[_Ended]]


class StageClock:
    """Add up the seconds of each stage of a step, over its sub-steps.

    Attributes:
        seconds: of the last step, in the order of `STAGES`; a new list in each step.
    """

    def __init__(self) -> None:
        self._seconds = [0.0] * len(STAGES)
        self._last = 0.0
        # stages that were made in one call: when it began, when each ended, and which they are
        self._waiting: list[_Ended] = []

    def mark(self) -> "Mark":
        """Return what was counted so far, for `restore`; the next step does not write into it."""
        return self._seconds, self._waiting

    def restore(self, mark: "Mark") -> None:
        """Return to what was counted."""
        self._seconds, self._waiting = mark

    @property
    def seconds(self) -> list[float]:
        """Return the seconds of each stage."""
        for last, times, stages in self._waiting:
            for stage in stages:
                now = _in_seconds(times[stage])
                self._seconds[stage] += now - last
                last = now
        self._waiting.clear()
        return self._seconds

    def start(self) -> None:
        """Begin a step."""
        self._seconds = [0.0] * len(STAGES)
        self._waiting = []
        self._last = perf_counter()

    def end(self, stage: int) -> None:
        """Count the time since the last call for this stage."""
        now = perf_counter()
        self._seconds[stage] += now - self._last
        self._last = now

    def take(self, ended: np.ndarray, stages: tuple[int, ...]) -> None:
        """Count the time of stages that were made in one call.

        Args:
            ended: (stages, 2) when each of them ended, by the same clock [s, ns].
            stages: which, in their order.
        """
        if stages:
            times: list[list[int]] = ended.tolist()
            self._waiting.append((self._last, times, stages))
            self._last = _in_seconds(times[stages[-1]])


def _in_seconds(time: list[int]) -> float:
    """Return a time that is given as seconds and nanoseconds."""
    return time[0] + 1e-9 * time[1]

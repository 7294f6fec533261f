"""The clock of a simulation: when the next step is due, and how fast the last ones were."""

import time

__all__ = ["Pace"]

_BEHIND = 0.1  # [s] by which a simulation may lag behind the clock and still make up for it


class Pace:
    """Keep steps at a pace.

    Attributes:
        rate: simulated seconds per second over the last moments.
    """

    def __init__(self) -> None:
        self.rate = 0.0
        self._due = 0.0  # clock at which the next step is due

    @property
    def rest(self) -> float:
        """Return how long there is until the next step is due [s]."""
        return max(0.0, self._due - time.perf_counter())

    def is_due(self, length: float) -> bool:
        """Return whether the clock asks for a step, and set when it asks for the next.

        Args:
            length: what a step is to last [s].
        """
        now = time.perf_counter()
        if now < self._due:
            return False
        self._due = max(self._due + length, now - _BEHIND)
        return True

    def note(self, time_step: float, spent: float) -> None:
        """Take note of a step of `time_step` [s] that took so long [s]."""
        self.rate += 0.1 * (time_step / spent - self.rate)

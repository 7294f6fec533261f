"""The time that each stage of a step takes."""

from time import perf_counter

__all__ = ["STAGES", "StageClock"]

# In the order in which they first end.
STAGES = ("begin", "contact-free", "correct", "move", "detect", "separate", "settle", "finish")
BEGIN, CONTACT_FREE, CORRECT, MOVE, DETECT, SEPARATE, SETTLE, FINISH = range(len(STAGES))


class StageClock:
    """Add up the seconds of each stage of a step, over its sub-steps."""

    def __init__(self) -> None:
        self._seconds = [0.0] * len(STAGES)
        self._last = 0.0

    def start(self) -> None:
        """Begin a step."""
        self._seconds = [0.0] * len(STAGES)
        self._last = perf_counter()

    def end(self, stage: int) -> None:
        """Count the time since the last call for this stage."""
        now = perf_counter()
        self._seconds[stage] += now - self._last
        self._last = now

    @property
    def times(self) -> dict[str, float]:
        """Return the seconds of the stages of the last step that took any."""
        return {name: spent for name, spent in zip(STAGES, self._seconds, strict=True) if spent > 0.0}

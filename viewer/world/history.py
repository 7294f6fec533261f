"""The past of a simulation: states to which it can go back, within a budget of memory."""

import dataclasses
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

import numpy as np

from stoss.engine import Snapshot
from stoss.viewer.world.stage import Moment

__all__ = ["History", "bytes_of"]


# What each snapshot has of its own; records and materials are shared.
_OWN = ("bodies", "joints", "touching", "events", "system")


def bytes_of(value: Any) -> int:
    """Return the memory [bytes] of the arrays in a snapshot or a part of it, without what all share."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, Snapshot):
        return sum(bytes_of(getattr(value, name)) for name in _OWN)
    if dataclasses.is_dataclass(value):
        return sum(bytes_of(getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, dict):
        return sum(bytes_of(item) for item in value.values())
    if isinstance(value, tuple | list):
        return sum(bytes_of(item) for item in value)
    if hasattr(value, "__dict__"):
        return sum(bytes_of(item) for item in vars(value).values())
    return 0


class History:
    """Keep states in the order of their steps.

    When they exceed the budget, every second one of the older half is dropped: the recent past stays
    complete, the distant past gets coarser, and the beginning is always kept.

    Args:
        budget: memory [bytes].
    """

    def __init__(self, budget: float = 400e6) -> None:
        self.budget = budget
        self._moments: list[Moment] = []
        self._sizes: list[int] = []
        self._total = 0

    def __len__(self) -> int:
        return len(self._moments)

    @property
    def steps(self) -> list[int]:
        """Return the step numbers of what is kept, ascending."""
        return [moment.step for moment in self._moments]

    @property
    def ends(self) -> tuple[int, int]:
        """Return the first and the last step number of what is kept."""
        return self._moments[0].step, self._moments[-1].step

    def keep(self, moment: Moment) -> None:
        """Add a state; those of the same and of later steps are dropped."""
        if self._moments and self._moments[-1].step >= moment.step:
            self.forget_after(moment.step - 1)
        self._moments.append(moment)
        self._sizes.append(bytes_of(moment.snapshot))
        self._total += self._sizes[-1]
        while self._total > self.budget and len(self._moments) > 2:
            self._thin()

    def forget_after(self, step: int) -> None:
        """Drop what is later than a step."""
        count = bisect_right(self.steps, step)
        del self._moments[count:], self._sizes[count:]
        self._total = sum(self._sizes)

    def at(self, step: int) -> Moment:
        """Return the last state up to a step, or the first of all.

        Raises:
            IndexError: nothing is kept.
        """
        return self._moments[max(0, bisect_right(self.steps, step) - 1)]

    def _thin(self) -> None:
        half = max(2, len(self._moments) // 2)
        kept: Iterable[int] = [*range(0, half, 2), *range(half, len(self._moments))]
        self._moments = [self._moments[i] for i in kept]
        self._sizes = [self._sizes[i] for i in kept]
        self._total = sum(self._sizes)

"""The past of a simulation: states to which it can go back, within a budget of memory."""

import dataclasses
from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import Any

import numpy as np

from stoss.engine import Snapshot
from stoss.viewer.world.stage import Moment

__all__ = ["History", "bytes_of"]


# What each snapshot has of its own. Records, materials and the like are shared, one of each per body: to go
# through them took longer than to save a world of a thousand bodies.
_OWN = attrgetter("bodies.arrays", "joints.arrays", "touching", "events", "system")


def bytes_of(value: Any) -> int:
    """Return the memory [bytes] of the arrays in a snapshot or a part of it, without what all share."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, Snapshot):
        return sum(map(bytes_of, _OWN(value)))
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

    When they exceed the budget, every second one of the half that is farthest from where one looks is
    dropped: what is near stays complete, what is far gets coarser, and the first and the last always stay.

    Args:
        budget: memory [bytes].
    """

    def __init__(self, budget: float = 400e6) -> None:
        self.budget = budget
        self._moments: list[Moment] = []
        self._steps: list[int] = []
        self._sizes: list[int] = []
        self._total = 0

    def __len__(self) -> int:
        return len(self._moments)

    @property
    def steps(self) -> list[int]:
        """Return the step numbers of what is kept, ascending."""
        return list(self._steps)

    @property
    def ends(self) -> tuple[int, int]:
        """Return the first and the last step number of what is kept."""
        return self._steps[0], self._steps[-1]

    def keep(self, moment: Moment) -> None:
        """Add a state; those of the same and of later steps are dropped."""
        self.forget_after(moment.step - 1)
        self.insert(moment)

    def insert(self, moment: Moment) -> None:
        """Add a state among the others, unless one of its step is kept; one looks there now."""
        place = bisect_left(self._steps, moment.step)
        if self._steps[place : place + 1] == [moment.step]:
            return
        size = bytes_of(moment.snapshot)
        self._moments.insert(place, moment)
        self._steps.insert(place, moment.step)
        self._sizes.insert(place, size)
        self._total += size
        while self._total > self.budget and len(self._moments) > 2:
            self._thin(moment.step)

    def forget_after(self, step: int) -> list[Moment]:
        """Drop what is later than a step, and return it."""
        count = bisect_right(self._steps, step)
        dropped = self._moments[count:]
        self._total -= sum(self._sizes[count:])
        del self._moments[count:], self._steps[count:], self._sizes[count:]
        return dropped

    def at(self, step: int) -> Moment:
        """Return the last state up to a step, or the first of all.

        Raises:
            IndexError: nothing is kept.
        """
        return self._moments[max(0, bisect_right(self._steps, step) - 1)]

    def _thin(self, near: int) -> None:
        count = len(self._moments)
        by_distance = sorted(range(1, count - 1), key=lambda i: abs(self._steps[i] - near))
        far = sorted(by_distance[(count - 2) // 2 :])
        dropped = set(far[::2]) or {1}
        kept = [i for i in range(count) if i not in dropped]
        self._moments = [self._moments[i] for i in kept]
        self._steps = [self._steps[i] for i in kept]
        self._sizes = [self._sizes[i] for i in kept]
        self._total = sum(self._sizes)

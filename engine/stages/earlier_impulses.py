"""What contacts were given in earlier sub-steps of a step, added to what the last one gave them.

Each sub-step finds its contacts anew, and the rows of contacts tell of it alone; those of joints stay, and
add up by themselves. Nothing of the motion depends on it: it is what contacts are asked for after a step.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stoss.engine.stages.constraint_system import ConstraintSystem

__all__ = ["EarlierImpulses"]


class EarlierImpulses:
    """Impulses of contacts by sub-steps, found again by their shapes and features.

    A contact that is gone at the end of the step takes what it was given with it.

    Args:
        system: whose contacts they are.
    """

    def __init__(self, system: "ConstraintSystem") -> None:
        self._system = system
        self._kept: list[tuple[np.ndarray, np.ndarray]] = []  # (c, 3) shapes and feature, (c, 3) [N s]

    def clear(self) -> None:
        """Begin the step anew."""
        self._kept.clear()

    def keep(self) -> None:
        """Take note of what the contacts were given in the sub-step that is at its end."""
        if self._system.contacts.count:
            self._kept.append((self._keys(), self._system.contact_impulses))

    def add(self) -> None:
        """Add what was kept to what the contacts of the present sub-step were given."""
        system = self._system
        if not self._kept or not len(system.frames.contact):
            return
        now, sums = self._keys(), np.zeros((system.contacts.count, 3))
        for keys, impulses in self._kept:
            if np.array_equal(keys, now):
                sums += impulses
                continue
            _, found = np.unique(np.concatenate([now, keys]), axis=0, return_inverse=True)
            place = np.full(len(now) + len(keys), -1)
            place[found[: len(now)]] = np.arange(len(now))
            at = place[found[len(now) :]]
            np.add.at(sums, at[at >= 0], impulses[at >= 0])
        frames = system.frames
        parts = sums[frames.contact]
        system.total[frames.row[:, None] + np.arange(3)] += (frames.axes @ parts[:, :, None])[:, :, 0]

    def _keys(self) -> np.ndarray:
        arrays, count = self._system.contacts.arrays, self._system.contacts.count
        fields = arrays.shape_a, arrays.shape_b, arrays.feature
        return np.stack([field[:count] for field in fields], axis=1)

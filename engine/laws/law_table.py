"""The laws of a world: numbered, and as kernels take them."""

import numpy as np

from stoss.collision.kernels.tables import Table
from stoss.engine.laws.friction_arrays import FrictionLaws
from stoss.engine.laws.friction_law import FrictionLaw

__all__ = ["LawTable"]


_NO_WORK = np.zeros((2, 0))


class LawTable:
    """Hold the friction laws of a world; equal ones have one number, and none is taken out.

    Attributes:
        laws: by their numbers.
    """

    def __init__(self) -> None:
        self.laws: list[FrictionLaw] = []
        self._table = Table(FrictionLaws)

    @property
    def arrays(self) -> FrictionLaws:
        """Return them as kernels take them, always the same struct."""
        return self._table.arrays

    def number(self, law: FrictionLaw) -> int:
        """Return the number of a law, which is added if it is new."""
        if law in self.laws:
            return self.laws.index(law)
        row = law._numbers()
        k, s = self._table.append("laws"), self._table.storage
        s.curve[k], s.memory[k], s.address[k] = row.curve, row.memory, row.address
        s.numbers[k], s.own[k] = row.numbers, row.own
        s.fault[k], s.work[k], s.work_before[k], s.work_at_start[k] = 0, 0.0, 0.0, 0.0
        self.laws.append(law)
        return k

    @property
    def work(self) -> np.ndarray:
        """Return the work of friction (2, laws) [J], and what it was at the start of the last step."""
        if not self.laws:
            return _NO_WORK
        found: np.ndarray = np.stack([self.arrays.work, self.arrays.work_at_start])
        return found

    def begin_step(self) -> None:
        """Count the work of a step from here."""
        self.arrays.work_at_start[:] = self.arrays.work

    def restore(self, laws: tuple[FrictionLaw, ...], work: np.ndarray | None) -> None:
        """Have these laws, by these numbers, and their work (2, laws) [J]: now, before the last step."""
        if tuple(self.laws) != laws:
            self.laws = []
            self._table.resize(keep=False, laws=0)
            for law in laws:
                self.number(law)
        if work is not None:
            self.arrays.work[:], self.arrays.work_at_start[:] = work

    @property
    def faulty(self) -> FrictionLaw | None:
        """Return a law that gave what no friction gives, and forget it."""
        found = np.flatnonzero(self.arrays.fault)
        self.arrays.fault[:] = 0
        return self.laws[int(found[0])] if len(found) else None

"""The laws of a world: numbered, and as kernels take them."""

import numpy as np

from stoss.collision.kernels.tables import Table
from stoss.engine.laws.friction_arrays import FrictionLaws
from stoss.engine.laws.friction_law import FrictionLaw

__all__ = ["LawTable"]


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
        s.fault[k], s.work[k], s.work_before[k] = 0, 0.0, 0.0
        self.laws.append(law)
        return k

    def restore(self, laws: tuple[FrictionLaw, ...], work: np.ndarray | None) -> None:
        """Have these laws, by these numbers, which have done so much work [J] each."""
        if tuple(self.laws) != laws:
            self.laws = []
            self._table.resize(keep=False, laws=0)
            for law in laws:
                self.number(law)
        if work is not None:
            self.arrays.work[:] = work

    @property
    def faulty(self) -> FrictionLaw | None:
        """Return a law that gave what no friction gives, and forget it."""
        found = np.flatnonzero(self.arrays.fault)
        self.arrays.fault[:] = 0
        return self.laws[int(found[0])] if len(found) else None

"""What is noted between steps by those who watch a world: energies, momenta, depths, work of a step."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stoss.engine import StepReport

__all__ = ["OPEN", "OPEN_ANGLE", "Books", "Depth", "Moment", "work_of"]

OPEN = 1e-4  # [m] by which a joint may be open
OPEN_ANGLE = 1e-3  # [rad]


@dataclass
class Depth:
    """Since when something is too deep, how deep it was at least since, and in the last step.

    It has grown in so many steps beyond the least depth.
    """

    since: float
    least: float
    last: float
    grown: int = 0


class Moment:
    """Energies and momenta of one moment: `elastic` is what counts beside the ledger, `stored` all of it."""

    __slots__ = ("elastic", "energy", "stored", "totals", "where")

    def __init__(self, totals: np.ndarray, elastic: float, stored: float, where: np.ndarray) -> None:
        self.totals, self.elastic, self.stored, self.where = totals, elastic, stored, where
        self.energy = float(totals[0] + totals[1])


class Books:
    """Sums over the steps."""

    def __init__(self) -> None:
        self.level = self.lowest = 0.0  # G since the start [J]
        self.ledger = 0.0  # energy less ledger [J]
        self.least_potential = np.inf
        self.gain_step = self.miss_step = 0
        self.closed = False  # whether joints that were open at the start are closed
        self._apart = True

    def apart(self, report: "StepReport", margin: float) -> bool:
        """Return whether what was inside each other at the start is still being pushed apart."""
        was = self._apart
        if was:
            turned = report.joint_angle_error > OPEN_ANGLE
            self._apart = report.max_overlap > margin or report.joint_error > OPEN or turned
        return was


def work_of(report: "StepReport") -> float:
    """Return the work of a step: solutions, factorisations, refinements, sweeps, of about the same cost."""
    return float(
        report.sub_steps
        + report.passes
        + report.factorisations
        + report.refinements
        + report.sweeps
        + report.impact_rounds
        + report.displacements
    )

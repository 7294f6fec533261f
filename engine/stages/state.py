"""The state of a world between and within its steps: the arrays that the stages change."""

import numpy as np
from stoss.engine.bodies.arrays import BodyArrays, BodyTable
from stoss.engine.contacts.constraints import NOBODY
from stoss.engine.joints.arrays import JointArrays, JointTable
from stoss.engine.settings import Settings
from stoss.engine.sleeping.sleepers import Sleepers
from stoss.engine.solvers.island_solver import FIGURES
from stoss.engine.stages.ledger import ENTRIES
from stoss.engine.stages.stages import BodyScratch, OldBodies

__all__ = ["State"]


class State:
    """Hold bodies and joints as the stages see them, and what a step adds up.

    Args:
        table: the bodies.
        joint_table: the joints.
        settings: settings of the world.

    Attributes:
        sleepers: which bodies sleep.
        gravity: (3,) of the present step [m/s^2].
        step: number of the present step.
        stale: whether poses, bodies or joints changed since the contacts were found.
        statistics: (FIGURES,) of the last step; written by the stages, read by reports.
        ledger: (ENTRIES,) of the last step [J].
        old: bodies at the start of the present sub-step.
        scratch: memory of the stages.
    """

    old: OldBodies
    scratch: BodyScratch

    def __init__(self, table: BodyTable, joint_table: JointTable, settings: Settings) -> None:
        self.table = table
        self.joint_table = joint_table
        self.settings = settings
        self.sleepers = Sleepers(settings.sleep_distance, settings.sleep_time, settings.touch_distance)
        self.gravity = np.zeros(3)
        self.step = 0
        self.stale = True
        self.statistics = np.zeros(FIGURES)
        self.ledger = np.zeros(ENTRIES)
        self.resize()

    @property
    def bodies(self) -> BodyArrays:
        """Return the arrays of the bodies; those that sleep are static."""
        arrays = self.table.arrays
        return self.sleepers.awake_view(arrays) if self.sleepers.count else arrays

    @property
    def joints(self) -> JointArrays:
        """Return the arrays of the joints."""
        return self.joint_table.arrays

    @property
    def idle(self) -> bool:
        """Return whether nothing moves in this step, because all that could is asleep."""
        return self.sleepers.count > 0 and not self.sleepers.movable(self.bodies).any()

    def resize(self) -> None:
        """Make the arrays that have one entry per body."""
        count = self.table.count
        self.old = OldBodies(*(np.zeros((count, width)) for width in (3, 4, 3, 3)))
        z, roots, accelerations, velocities, angular, positions, quaternions, momenta = (
            np.zeros((count, width)) for width in (6, 9, 6, 3, 3, 3, 4, 6)
        )
        self.scratch = BodyScratch(
            z,
            roots,
            accelerations,
            velocities,
            angular,
            positions,
            quaternions,
            np.arange(count),
            np.full(count, NOBODY),
            momenta,
        )

    def clear_reactions(self) -> None:
        """Count the impulses of joints from zero; those that sleep keep what they have."""
        if self.joint_table.count == 0:
            return
        joints = self.joints
        if self.sleepers.count == 0:
            joints.reaction[:] = 0.0
            joints.total[:] = 0.0
            return
        awake = ~self.sleepers.joints_asleep(joints)
        joints.reaction[awake] = 0.0
        joints.total[awake[joints.joint[joints.part]]] = 0.0

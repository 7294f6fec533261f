"""What the stages of a step work on: the state of a world, and what of it kernels take."""

from typing import Annotated

import numpy as np

from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.bodies.arrays import STATIC, BodyArrays, BodyScratch, BodyTable, OldBodies
from stoss.engine.constraints.islands import Islands, Layout
from stoss.engine.constraints.options import RowOptions
from stoss.engine.constraints.rows import Rows
from stoss.engine.contacts.constraints import Building
from stoss.engine.contacts.frames import NOBODY, ContactFrames
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.joints.placement import JointFrames
from stoss.engine.joints.table import JointTable
from stoss.engine.laws.friction_arrays import FrictionLaws
from stoss.engine.laws.law_table import LawTable
from stoss.engine.settings import Settings
from stoss.engine.sleeping.sleepers import Sleepers
from stoss.engine.solvers.allowance import LEAST_USUAL
from stoss.engine.solvers.arrays import SolverArrays, SolverOptions
from stoss.engine.solvers.statistics import STATISTICS
from stoss.engine.stages.ledger import ENTRIES
from stoss.engine.stages.pace import FIRST_PACE, PACE, Pace, read_pace, write_pace
from stoss.engine.stages.scratch import StageScratch

__all__ = ["Building", "Options", "State", "System"]


class System(Struct):
    """All arrays that the stages work on."""

    bodies: BodyArrays
    old: OldBodies
    scratch: BodyScratch
    contacts: ContactArrays
    frames: ContactFrames
    touching: Annotated[Bools, "contacts"]  # contacts that touch
    joints: JointArrays
    joint_frames: JointFrames
    rows: Rows
    total: Annotated[Floats, "rows"]  # impulses over the step
    islands: Islands
    layout: Layout
    has_joints: Annotated[Bools, "islands"]
    closure: Annotated[Ints, "islands"]  # of its joints: TREE, NET or MECHANISM
    solver: SolverArrays
    step_length: Annotated[Floats, ""]  # of the step that the impulses in the rows belong to [s]
    ledger: Annotated[Floats, ""]  # of the step [J]
    work: StageScratch
    contact_place: Annotated[Ints, "contacts"]  # place of each contact in the order of the blocks, when built
    laws: FrictionLaws


class Options(Struct):
    """Settings and circumstances of a step, as numbers."""

    preview_passes: int
    tolerance: float  # of the preview [m]
    velocity_tolerance: float
    rows: RowOptions
    solver: SolverOptions
    impacts: SolverOptions  # the same for impacts
    most_parts: int  # of a step, from which on none is split
    most_cost: float  # usual steps that a step may cost
    largest_turn: float  # of a lever in a sub-step [rad]
    kick: float  # energy that `correct` may give islands with joints, as a share of that of the motion
    impact_law: int  # of stops
    stops: bool  # whether any joint has stops
    led: bool  # whether any has stops, or drives
    cold: bool  # whether phases start from no impulses
    composed: bool  # whether the step is a composition: then it is given up where it would have to be split


class State:
    """Hold bodies and joints as the stages see them, and what a step adds up.

    Args:
        table: the bodies.
        joint_table: the joints.
        settings: settings of the world.
        laws: friction laws of the world.

    Attributes:
        sleepers: which bodies sleep.
        gravity: (3,) of the present step [m/s^2].
        step: number of the present step.
        stale: whether poses, bodies or joints changed since the contacts were found.
        changed: whether users changed them since the last step.
        usual: (1,) `usual_work`, for kernels.
        statistics: (FIGURES,) of the last step; written by the stages, read by reports.
        ledger: (ENTRIES,) of the last step [J].
        aside: (n,) bodies that other stages move; None: no body. See `mechanisms`.
        pace_numbers: (PACE,) `pace`, for kernels.
        old: bodies at the start of the present sub-step.
        scratch: memory of the stages.
    """

    old: OldBodies
    scratch: BodyScratch

    def __init__(self, table: BodyTable, joint_table: JointTable, settings: Settings, laws: LawTable) -> None:
        self.laws = laws
        self.table = table
        self.joint_table = joint_table
        self.settings = settings
        self.sleepers = Sleepers(settings.rest_limits, settings.touch_distance)
        self.gravity = np.zeros(3)
        self.step = 0
        self.stale = True
        self.changed = True
        self.usual = np.array([LEAST_USUAL])
        self.pace_numbers = np.zeros(PACE)
        self.pace = FIRST_PACE
        self.aside: np.ndarray | None = None
        self._view: BodyArrays | None = None
        self._view_of: BodyArrays | None = None
        self.statistics = np.zeros(STATISTICS)
        self.ledger = np.zeros(ENTRIES)
        self.resize()

    @property
    def usual_work(self) -> float:
        """Return the work of a step of late, see `allowance`."""
        return float(self.usual[0])

    @usual_work.setter
    def usual_work(self, work: float) -> None:
        self.usual[0] = work

    @property
    def pace(self) -> Pace:
        """Return into how many parts steps are split, as long as it lasts."""
        return read_pace(self.pace_numbers)

    @pace.setter
    def pace(self, pace: Pace) -> None:
        write_pace(pace, self.pace_numbers)

    @property
    def bodies(self) -> BodyArrays:
        """Return the arrays of the bodies; those that sleep, or are set aside, are static."""
        bodies = self.awake_bodies
        if self.aside is None or len(self.aside) != len(bodies.kinds):
            return bodies
        if self._view is None or self._view_of is not bodies:
            self._view_of = bodies
            self._view = bodies.replace(kinds=np.where(self.aside, STATIC, bodies.kinds))
        return self._view

    @property
    def awake_bodies(self) -> BodyArrays:
        """Return the arrays of the bodies; those that sleep are static."""
        arrays = self.table.arrays
        return self.sleepers.awake_view(arrays) if self.sleepers.count else arrays

    def set_aside(self, bodies: np.ndarray | None) -> None:
        """Let bodies (n,) be static for these stages, since others move them; None: no body."""
        self.aside, self._view = bodies, None

    @property
    def joints(self) -> JointArrays:
        """Return the arrays of the joints."""
        return self.joint_table.arrays

    @property
    def idle(self) -> bool:
        """Return whether nothing moves in this step, because all that could is asleep."""
        return self.sleepers.count > 0 and not self.sleepers.movable(self.awake_bodies).any()

    def resize(self) -> None:
        """Make the arrays that have one entry per body."""
        count = self.table.count
        self.old = OldBodies(*(np.zeros((count, width)) for width in (3, 4, 3, 3)))
        z, sqrt_inverse_inertia, accelerations, velocities, angular, positions, quaternions, momenta = (
            np.zeros((count, width)) for width in (6, 9, 6, 3, 3, 3, 4, 6)
        )
        self.scratch = BodyScratch(
            z,
            sqrt_inverse_inertia,
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
        joints.work_at_start[:] = joints.work
        if self.sleepers.count == 0:
            joints.reaction[:] = 0.0
            joints.total[:] = 0.0
            return
        awake = ~self.sleepers.joints_asleep(joints)
        joints.reaction[awake] = 0.0
        joints.total[awake[joints.joint[joints.part]]] = 0.0

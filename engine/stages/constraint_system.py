"""One instant of a world: contacts, islands and rows of the present poses, and how they are made anew."""

from typing import NamedTuple

import numpy as np
from stoss.collision import Detector
from stoss.collision.contacts import Contacts
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays, BodyScratch, BodyTable, OldBodies
from stoss.engine.bodies.material import COMBINATION_RULES, IMPACT_LAWS
from stoss.engine.bodies.material_pairs import no_pairs
from stoss.engine.constraints.islands import Islands, Layout, find_islands, lay_out
from stoss.engine.constraints.rows import RowStore
from stoss.engine.contacts.constraints import NOBODY, FrameStore
from stoss.engine.contacts.rolling_friction import find_resistance
from stoss.engine.contacts.warm_start import ImpulseMemory, empty_memory, remember
from stoss.engine.joints.arrays import LIMIT, JointArrays, JointTable
from stoss.engine.joints.constraints import count_joint_rows, new_joint_frames
from stoss.engine.joints.measures import new_places
from stoss.engine.settings import Settings
from stoss.engine.sleeping.sleepers import Sleepers
from stoss.engine.solvers.island_solver import FIGURES, IslandSolver
from stoss.engine.stages.ledger import ENTRIES
from stoss.engine.stages.stages import build
from stoss.engine.stages.state import Building, System

__all__ = ["Instant"]

# Velocity [velocity tolerances] below which a body is at rest for the choice of solvers.
REST = 100.0


class _Blocks(NamedTuple):
    """Blocks of rows that islands were made of: bodies of the contacts, and what the joints depend on."""

    body_a: np.ndarray
    body_b: np.ndarray
    joint_version: int
    body_count: int


_NO_BLOCKS = _Blocks(np.zeros(0, np.int64), np.zeros(0, np.int64), -1, -1)


class Instant:
    """Hold contacts, islands and rows of the present poses, and what later instants start from.

    Args:
        table: the bodies.
        joint_table: the joints.
        detector: shapes of the bodies.
        settings: settings of the world.
    """

    def __init__(
        self, table: BodyTable, joint_table: JointTable, detector: Detector, settings: Settings
    ) -> None:
        self.table = table
        self.joint_table = joint_table
        self.detector = detector
        self.settings = settings
        self.contacts = Contacts()
        self.jammed = np.zeros(0, np.int64)  # contacts whose overlap the last step could not lessen
        self.solver = IslandSolver()
        self.figures = np.zeros(FIGURES)  # of the last step
        self.ledger = np.zeros(ENTRIES)  # of the last step [J]
        self.pairs = no_pairs()  # values of pairs of materials that have their own
        self.step = 0
        self.stale = True  # poses, bodies or joints changed since the contacts were found
        self.sleepers = Sleepers(settings.sleep_distance, settings.sleep_time, settings.touch_distance)
        self.met = np.zeros(0, np.int64)  # bodies asleep near which the last detection found awake ones
        self.memory: ImpulseMemory = empty_memory()
        self.touching = np.zeros(0, np.bool_)  # contacts that touched before bodies were displaced
        self.step_length = np.zeros(1)  # of the step that the impulses in the rows belong to [s]
        self.total = np.zeros(0)  # impulses of the rows over the last step
        self._row_store = RowStore()
        self._frame_store = FrameStore()
        self.joint_version = -1
        self._blocks = _NO_BLOCKS  # what the islands were made of
        self._resize()
        self.find_islands()
        self.build()

    @property
    def bodies(self) -> BodyArrays:
        """Return the arrays of the bodies; those that sleep are static."""
        arrays = self.table.arrays
        return self.sleepers.acting(arrays) if self.sleepers.count else arrays

    @property
    def joints(self) -> JointArrays:
        """Return the arrays of the joints."""
        return self.joint_table.arrays

    @property
    def apart(self) -> bool:
        """Return whether nothing is near anything else, so that a part of a step needs no new contacts."""
        return self.contacts.count == 0

    def _resize(self) -> None:
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

    def _resize_joints(self) -> None:
        """Make the arrays that have one entry per joint, part or row of a joint."""
        joints = self.joints
        self.joint_version = self.joint_table.version
        taking_part, self._joint_rows, self.held_rows = count_joint_rows(joints, self.bodies)
        self.acting_joints = np.flatnonzero(taking_part)
        self.has_stops = bool((joints.active & (joints.role == LIMIT)).any())
        self.joint_frames = new_joint_frames(len(joints.enabled), len(joints.part))
        self.places = new_places(joints)

    def detect(self) -> None:
        """Find contacts and islands of the present poses; stop at the contacts if bodies asleep are `met`."""
        b = self.bodies
        movable = self.sleepers.movable(b)
        self.jammed = np.zeros(0, np.int64)
        self.contacts = self.detector.detect(
            b.positions, b.quaternions, movable, self.settings.contact_margin
        )
        self.met = self.sleepers.met(self.contacts, b)
        if len(self.met):
            return
        self.touching = self.contacts.gap[: self.contacts.count] <= self.settings.touch_distance
        self.solver.step = self.step
        if not (self._same_blocks() and self.solver.settled):
            self.find_islands()

    def _same_blocks(self) -> bool:
        """Return whether contacts and joints couple the same bodies, in the same order, as the islands do."""
        c, known = self.contacts, self._blocks
        return (
            known.joint_version == self.joint_table.version
            and known.body_count == self.table.count
            and np.array_equal(known.body_a, c.body_a[: c.count])
            and np.array_equal(known.body_b, c.body_b[: c.count])
        )

    def find_islands(self) -> None:
        """Find islands and layout of the contacts, and choose their solvers."""
        if len(self.scratch.everyone) != self.table.count:
            self._resize()
        if self.joint_version != self.joint_table.version:
            self._resize_joints()
        c, bodies, joints, acting = self.contacts, self.bodies, self.joints, self.acting_joints
        first, second = c.body_a[: c.count].copy(), c.body_b[: c.count].copy()
        self._blocks = _Blocks(first, second, self.joint_table.version, self.table.count)
        if len(acting):
            first = np.concatenate([first, joints.bodies[acting, 0]])
            second = np.concatenate([second, joints.bodies[acting, 1]])
        self.islands = islands = Islands(
            *find_islands(first, second, c.count + len(acting), bodies.kinds == DYNAMIC)
        )
        if c.count > 0 and self.table.resists_turning:
            rule = COMBINATION_RULES.index(self.settings.friction_rule)
            self._resists, extra = find_resistance(c.body_a[: c.count], c.body_b[: c.count], bodies, rule)
        else:
            self._resists = extra = np.zeros(c.count, np.int64)
        self.layout = self.lay_out(3, extra, self._joint_rows)
        count = len(islands.body_start) - 1
        self._has_joints, joint_rows = np.zeros(count, np.bool_), np.zeros(count, np.int64)
        frames = self.joint_frames
        if len(acting):
            frames.first_row[acting] = self.layout.start[self.layout.joint_block[acting]]
            frames.island[:] = self.layout.joint_island
            np.add.at(joint_rows, frames.island[acting], self._joint_rows[acting])
            self._has_joints = joint_rows > 0
        self.solver.step = self.step
        slow = REST * self.settings.velocity_tolerance
        at_rest = (np.abs(bodies.velocities) < slow).all(axis=1)
        at_rest &= (np.abs(bodies.angular_velocities) < slow).all(axis=1)
        self.solver.choose(
            islands,
            self.layout.start,
            bodies.solver,
            joint_rows,
            at_rest,
            c.count,
            self.settings,
        )

    def lay_out(self, contact_rows: int, extra_rows: np.ndarray, joint_rows: np.ndarray) -> Layout:
        """Return the layout of the rows of the present islands."""
        islands, acting = self.islands, self.acting_joints
        return Layout(
            *lay_out(
                islands.order,
                islands.block_start,
                self.contacts.count,
                contact_rows,
                extra_rows,
                acting,
                joint_rows,
                len(joint_rows),
            )
        )

    def resize_rows(self) -> None:
        """Provide memory for the rows of the present islands."""
        layout = self.layout
        self.frames = self._frame_store.resize(self.contacts.count)
        self.rows = self._row_store.resize(len(self.islands.order), layout.start[-1])
        if len(self.total) != len(self.rows.bias):
            self.total = np.zeros(len(self.rows.bias))

    def build(self, h: float = 0.0) -> None:
        """Build the rows of contacts and joints, with the impulses of the last phase, which was h ago [s]."""
        self.resize_rows()
        build(self.system, self.building, h)

    @property
    def building(self) -> Building:
        """Return what rows are built from, besides the system."""
        settings = self.settings
        return Building(
            self.memory,
            self._resists,
            self.pairs,
            COMBINATION_RULES.index(settings.friction_rule),
            COMBINATION_RULES.index(settings.restitution_rule),
            IMPACT_LAWS.index(settings.impact_law),
        )

    def remember(self) -> None:
        """Keep the impulses that contacts have now."""
        self.memory = empty_memory(self.contacts.count)
        if self.contacts.count > 0:
            remember(self.rows, self.frames, self.contacts.arrays, self.memory)

    def forget_islands(self) -> None:
        """Find islands anew at the next detection, whatever touches."""
        self._blocks = _NO_BLOCKS

    def drop_contacts(self) -> None:
        """Have no contacts until the next detection."""
        self.contacts = Contacts()
        self.jammed = np.zeros(0, np.int64)
        self.find_islands()
        self.build()
        self.stale = True

    @property
    def system(self) -> System:
        """Return all arrays that the stages work on."""
        return System(
            bodies=self.bodies,
            old=self.old,
            scratch=self.scratch,
            contacts=self.contacts.arrays,
            frames=self.frames,
            touching=self.touching,
            joints=self.joints,
            joint_frames=self.joint_frames,
            places=self.places,
            rows=self.rows,
            total=self.total,
            islands=self.islands,
            layout=self.layout,
            has_joints=self._has_joints,
            solver=self.solver.arrays,
            step_length=self.step_length,
            ledger=self.ledger,
        )

    @property
    def contact_impulses(self) -> np.ndarray:
        """Impulses (c, 3) [N s] on the first body of each contact: both ends of the step, and impacts."""
        out = np.zeros((self.contacts.count, 3))
        if len(self.total) == len(self.rows.bias) and len(out):
            parts = self.total[self.frames.row[:, None] + np.arange(3)]
            out[self.frames.contact] = (parts[:, :, None] * self.frames.axes).sum(axis=1)
        return out

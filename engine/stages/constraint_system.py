"""The constraint system of one time level: contacts, islands and rows, and how they are made anew."""

from typing import NamedTuple

import numpy as np

from stoss.collision import Detector
from stoss.collision.contacts import Contacts
from stoss.collision.kernels.tables import Table
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.bodies.material import COMBINATION_RULES, IMPACT_LAWS
from stoss.engine.bodies.material_pairs import has_walls, no_pairs
from stoss.engine.constraints.islands import MECHANISM, NET, TREE, Islands, Layout, find_islands, lay_out
from stoss.engine.constraints.rows import Rows
from stoss.engine.contacts.frames import ContactFrames
from stoss.engine.contacts.impulses import write_contact_impulses
from stoss.engine.contacts.rolling_friction import find_resistance
from stoss.engine.contacts.warm_start import ImpulseMemory, empty_memory, remember
from stoss.engine.joints.arrays import HOLD, LIMIT, JointArrays
from stoss.engine.joints.constraints import count_joint_rows
from stoss.engine.joints.placement import new_joint_frames
from stoss.engine.joints.sources import JointSources, find_sources
from stoss.engine.solvers.island_solver import IslandSolver
from stoss.engine.stages.build import build
from stoss.engine.stages.earlier_impulses import GoneContacts
from stoss.engine.stages.scratch import StageScratch
from stoss.engine.stages.state import Building, State, System

__all__ = ["ConstraintSystem"]

# Velocity [velocity tolerances] below which a body is at rest for the choice of solvers.
REST = 100.0


FEW_FREEDOMS = 3  # that a loop is left with by count
MOTIONS = 7  # vectors over both bodies of a contact that an impact needs


class Blocks(NamedTuple):
    """Blocks of rows that islands were made of: bodies of the contacts, and what the joints depend on."""

    body_a: np.ndarray  # (c,)
    body_b: np.ndarray
    joint_version: int
    body_count: int


_NOTHING = np.zeros(0, np.int64)
_NO_BLOCKS = Blocks(_NOTHING, _NOTHING, -1, -1)


class ConstraintSystem:
    """Hold contacts, islands and rows of the present poses, and the impulses that the next phase starts from.

    Args:
        state: bodies and joints.
        detector: shapes of the bodies.

    Attributes:
        contacts: of the last detection.
        touching: (c,) contacts that touched before bodies were displaced.
        jammed: contacts whose overlap the last step could not lessen.
        memory: impulses of the contacts in the last `correct`, from which new rows start.
        first_memory: the same at the start of the step, which may be made again from there.
        unsolved: whether the contacts were found after the last step, so that nobody has solved them yet.
        step_length: (1,) of the step that the impulses in the rows belong to [s].
        total: (rows,) impulses over the last step.
        gone: contacts that acted in it and are not there any more.
        pairs: values of pairs of materials that have their own.
        joint_version: version of the joints that the islands were made of.
        blocks: what these were made of.
    """

    def __init__(self, state: State, detector: Detector) -> None:
        self.state = state
        self.detector = detector
        self.contacts = Contacts()
        self.touching = np.zeros(0, np.bool_)
        self.jammed = np.zeros(0, np.int64)
        self.memory: ImpulseMemory = empty_memory()
        self.first_memory = self.memory
        self.unsolved = False
        self.gone = GoneContacts(self)
        # two in use, one to be written
        self._memories = [(table.arrays, table) for table in (Table(ImpulseMemory) for _ in range(3))]
        self.step_length = np.zeros(1)
        self.total = np.zeros(0)
        self.pairs = no_pairs()
        self._walls_of, self._any_walls = self.pairs, False
        self.solver = IslandSolver()
        self.joint_version = -1
        # those that have a length of their own are there also in a world without bodies
        self._work = StageScratch.zeros(motions=MOTIONS, entries=len(state.ledger))
        self.contact_place = np.zeros(0, np.int64)
        self._row_table = Table(Rows)
        self._frame_table = Table(ContactFrames)
        self.blocks = _NO_BLOCKS  # what the islands were made of
        self._system: System | None = None
        self._building: Building | None = None
        self._start_empty()

    @property
    def broken(self) -> list[tuple[int, int]]:
        """Return the pairs of bodies, by their rows, whose walls the last sub-step broke through."""
        if not self.has_walls or not self.frames.broken.any():
            return []
        rows = self.frames.contact[self.frames.broken]
        ends = np.sort(np.stack([self.contacts.body_a[rows], self.contacts.body_b[rows]], axis=1), axis=1)
        return list(dict.fromkeys(map(tuple, ends.tolist())))

    @property
    def has_walls(self) -> bool:
        """Return whether any pair of materials has walls, which may break."""
        if self.pairs is not self._walls_of:
            self._walls_of, self._any_walls = self.pairs, has_walls(self.pairs)
        return self._any_walls

    def _start_empty(self) -> None:
        """Have no contacts, islands and rows yet; calls no kernel, so that building a world compiles none."""
        nothing = np.zeros(0, np.int64)
        self.islands, self.layout = Islands.zeros(), Layout.zeros()
        self.has_joints, self.has_stops = np.zeros(0, np.bool_), False
        self.closure = np.zeros(0, np.int64)
        self.acting_joints = self.place_rows = self._joint_rows = self.resists = nothing
        self._sources = JointSources(np.zeros((0, 2), np.int64), nothing, nothing, 0)
        self.joint_frames = new_joint_frames(JointArrays.zeros())
        self.resize_rows()

    @property
    def contact_free(self) -> bool:
        """Return whether nothing is near anything else, so that a part of a step needs no new contacts."""
        return self.contacts.count == 0

    def _resize_joints(self) -> None:
        """Make the arrays that have one entry per joint, part or row of a joint."""
        joints = self.state.joints
        self.joint_version = self.state.joint_table.version
        counts = [_NOTHING] * 3
        far = np.zeros((0, 2), np.int64)
        if self.state.joint_table.count > 0:
            taking_part, rows, _, places, far = count_joint_rows(joints, self.state.bodies)
            counts = [taking_part, rows, places]
        taking_part, self._joint_rows, self.place_rows = counts
        self.acting_joints = np.flatnonzero(taking_part)
        self._sources = find_sources(self.acting_joints, joints.bodies, far, self._joint_rows)
        self.has_stops = bool((joints.active & (joints.role == LIMIT)).any())
        self.joint_frames = new_joint_frames(joints)

    def detect(self) -> tuple[Contacts, np.ndarray]:
        """Find contacts and islands of the present poses.

        Returns:
            The contacts, and the bodies asleep near which it found awake ones: with any of these the islands
            are not found, since they are to wake first.
        """
        state, b = self.state, self.state.awake_bodies
        movable = state.sleepers.movable(b)
        self.contacts = contacts = self.detector.detect(
            b.positions, b.quaternions, movable, state.settings.contact_margin
        )
        met_sleepers = state.sleepers.met_sleepers(contacts, b)
        self.jammed = _NOTHING
        if len(met_sleepers) == 0:
            self.note_contacts()
        return contacts, met_sleepers

    def note_contacts(self) -> None:
        """Note what touches among the contacts that were found, and find islands if they are other ones."""
        contacts, state = self.contacts, self.state
        if len(self.touching) != contacts.count:
            self.touching = np.zeros(contacts.count, np.bool_)
        np.less_equal(contacts.gap[: contacts.count], state.settings.touch_distance, self.touching)
        self.solver.begin(state.step)
        # what was set aside meets something, which no block could describe: the step is made again
        if not (self.has_idle_contacts or (self.knows_islands and self._same_blocks())):
            self.find_islands()

    @property
    def has_idle_contacts(self) -> bool:
        """Return whether neither body of a contact reacts, because some are set aside."""
        state, c = self.state, self.contacts
        if state.aside is None or len(state.aside) != state.table.count:
            return False
        reacts = state.bodies.kinds == DYNAMIC
        return not (reacts[c.body_a[: c.count]] | reacts[c.body_b[: c.count]]).all()

    @property
    def knows_islands(self) -> bool:
        """Return whether the islands stay as they are as long as contacts couple the same bodies."""
        return self.knows_blocks and self.solver.settled

    @property
    def knows_blocks(self) -> bool:
        """Return whether the islands are of the bodies and joints that there are now."""
        known, state = self.blocks, self.state
        return known.joint_version == state.joint_table.version and known.body_count == state.table.count

    def _same_blocks(self) -> bool:
        """Return whether contacts couple the same bodies, in the same order, as the islands do."""
        c, known, count = self.contacts, self.blocks, self.contacts.count
        return (
            count == len(known.body_a)
            and known.body_a.tobytes() == c.body_a[:count].tobytes()
            and known.body_b.tobytes() == c.body_b[:count].tobytes()
        )

    def find_islands(self) -> None:
        """Find islands and layout of the contacts, and choose their solvers."""
        state = self.state
        if len(state.scratch.everyone) != state.table.count:
            state.resize()
        if self.joint_version != state.joint_table.version:
            self._resize_joints()
        c, bodies, acting = self.contacts, state.bodies, self.acting_joints
        first, second = c.body_a[: c.count], c.body_b[: c.count]
        self.blocks = Blocks(first.copy(), second.copy(), state.joint_table.version, state.table.count)
        if len(acting):
            first = np.concatenate([first, self._sources.bodies[:, 0]])
            second = np.concatenate([second, self._sources.bodies[:, 1]])
        self.islands = islands = Islands(*find_islands(first, second, len(first), bodies.kinds == DYNAMIC))
        if c.count > 0 and state.table.resists_turning:
            rule = COMBINATION_RULES.index(state.settings.friction_rule)
            self.resists, extra = find_resistance(c.body_a[: c.count], c.body_b[: c.count], bodies, rule)
        else:
            self.resists = extra = np.zeros(c.count, np.int64)
        self.layout = self.lay_out(3, extra)
        count = len(islands.body_start) - 1
        self.closure = np.zeros(count, np.int64)  # TREE
        self.has_joints, joint_rows = np.zeros(count, np.bool_), np.zeros(count, np.int64)
        frames = self.joint_frames
        if len(acting):
            frames.first_row[acting] = self.layout.start[self.layout.joint_block[acting]]
            frames.island[:] = self.layout.joint_island
            np.add.at(joint_rows, frames.island[acting], self._joint_rows[acting])
            self.has_joints = joint_rows > 0
            self.closure = self._find_closures()
        self.solver.begin(state.step)
        slow = REST * state.settings.velocity_tolerance
        self.solver.choose(islands, self.layout.start, joint_rows, bodies, slow, c.count, state.settings)

    def _find_closures(self) -> np.ndarray:
        """Return how the joints of each island close; loops with hardly any freedom are mechanisms."""
        joints, kinds, acting = self.state.joints, self.state.bodies.kinds, self.acting_joints
        ends = joints.bodies[acting]
        moves = (ends >= 0) & (kinds[np.maximum(ends, 0)] == DYNAMIC)
        count = len(self.has_joints)
        islands = self.joint_frames.island[acting]
        edges = np.bincount(islands, minlength=count)
        grounded = np.bincount(islands[~moves.all(axis=1)], minlength=count) > 0
        members = np.diff(self.islands.body_start)
        holds = np.bincount(
            joints.joint[joints.part[joints.active & (joints.role == HOLD)]], minlength=len(joints.enabled)
        )
        held = np.bincount(islands, weights=holds[acting], minlength=count)
        few = held >= 6 * (members - ~grounded) - FEW_FREEDOMS
        return np.where(edges > members - 1 + grounded, np.where(few, MECHANISM, NET), TREE)

    @property
    def shared_joints(self) -> int:
        """Return how many joints have a row over more than two bodies."""
        return len(self._sources.joint) - len(self.acting_joints) - self._sources.empty

    def lay_out(self, contact_rows: int, extra_rows: np.ndarray) -> Layout:
        """Return the layout of the rows of the present islands."""
        islands, sources = self.islands, self._sources
        return Layout(
            *lay_out(
                islands.order,
                islands.block_start,
                self.contacts.count,
                contact_rows,
                extra_rows,
                sources.joint,
                sources.rows,
                len(self._joint_rows),
            )
        )

    def resize_rows(self) -> None:
        """Provide memory for the rows of the present islands."""
        rows = int(self.layout.start[-1])
        self.frames = self._frame_table.resize(keep=False, contacts=self.contacts.count)
        self.rows = self._row_table.resize(keep=False, blocks=len(self.islands.order), rows=rows)
        islands, work = len(self.has_joints), self._work
        if len(self.total) != rows:
            self.total = np.zeros(rows)
        if len(self.contact_place) != self.contacts.count:
            self.contact_place = np.zeros(self.contacts.count, np.int64)
        bodies = self.state.table.count
        if len(work.applied) < rows or len(work.chosen) < islands or len(work.hits) < bodies:
            work.reserve(
                rows=rows, islands=islands, bodies=bodies, motions=MOTIONS, entries=len(self.state.ledger)
            )

    def build(self, h: float = 0.0) -> None:
        """Build the rows of contacts and joints, with the impulses of the last phase, which was h ago [s]."""
        self.resize_rows()
        build(self.system, self.building, h)

    @property
    def building(self) -> Building:
        """Return what rows are built from, besides the system."""
        settings = self.state.settings
        now = (
            self.memory,
            self.detector.table.arrays,
            self.resists,
            self.pairs,
            self.state.laws.arrays,
            COMBINATION_RULES.index(settings.friction_rule),
            COMBINATION_RULES.index(settings.restitution_rule),
            IMPACT_LAWS.index(settings.impact_law),
        )
        if self._building is None:
            self._building = Building(*now)
        else:
            self._building.update(*now)
        return self._building

    def remember(self) -> None:
        """Keep the impulses that contacts have now."""
        self.memory = self.spare_memory()
        if self.contacts.count > 0:
            remember(self.rows, self.frames, self.contacts.arrays, self.memory)

    def remember_solved(self) -> None:
        """Keep the impulses that contacts have now, unless these are but what is remembered already.

        So contacts may be found anew between two steps as often as anyone looks: the next step is the same.
        """
        if self.contacts.count > 0 and not self.unsolved:
            self.remember()

    def spare_memory(self) -> ImpulseMemory:
        """Return room for the impulses of all contacts, which neither this step nor its start uses."""
        count = self.contacts.count
        if count == 0:
            return empty_memory()
        present, first = self.memory, self.first_memory
        arrays, table = next(
            pair for pair in self._memories if pair[0] is not present and pair[0] is not first
        )
        table.resize(keep=False, contacts=count)
        return arrays

    @property
    def rungs(self) -> np.ndarray:
        """Return the rung (bodies,) of the ladder that each body has reached in this step."""
        return self._work.rung[: self.state.table.count]

    def forget_islands(self) -> None:
        """Find islands anew at the next detection, whatever touches."""
        self.blocks = _NO_BLOCKS

    def drop_contacts(self) -> None:
        """Have no contacts until the next detection."""
        self.contacts = Contacts()
        self.touching = np.zeros(0, np.bool_)
        self.jammed = np.zeros(0, np.int64)
        self.find_islands()
        self.build()

    @property
    def system(self) -> System:
        """Return all arrays that the stages work on."""
        state = self.state
        now = (
            state.bodies,
            state.old,
            state.scratch,
            self.contacts.arrays,
            self.frames,
            self.touching,
            state.joints,
            self.joint_frames,
            self.rows,
            self.total,
            self.islands,
            self.layout,
            self.has_joints,
            self.closure,
            self.solver.arrays,
            self.step_length,
            state.ledger,
            self._work,
            self.contact_place,
            state.laws.arrays,
        )
        if self._system is None:
            self._system = System(*now)
        else:
            self._system.update(*now)
        return self._system

    @property
    def contact_impulses(self) -> np.ndarray:
        """Impulses (c, 3) [N s] on the first body of each contact: both ends of the step, and impacts."""
        out = np.zeros((self.contacts.count, 3))
        if len(self.total) == len(self.rows.bias) and len(out):
            write_contact_impulses(self.frames, self.total, out)
        return out

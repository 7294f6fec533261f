"""The constraint system of one time level: contacts, islands and rows, and how they are made anew."""

import numpy as np

from stoss.collision import Detector
from stoss.collision.contacts import Contacts
from stoss.collision.kernels.tables import Table
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.bodies.material import COMBINATION_RULES, IMPACT_LAWS
from stoss.engine.bodies.material_pairs import has_walls, no_pairs
from stoss.engine.constraints.axes import Axes
from stoss.engine.constraints.islands import Islands, Layout, Sources
from stoss.engine.constraints.rows import Rows
from stoss.engine.contacts.frames import ContactFrames
from stoss.engine.contacts.impulses import write_contact_impulses
from stoss.engine.contacts.warm_start import ImpulseMemory, empty_memory, remember
from stoss.engine.joints.arrays import DRIVE, LIMIT
from stoss.engine.joints.constraints import count_joint_rows
from stoss.engine.joints.placement import new_joint_frames
from stoss.engine.joints.sources import find_sources
from stoss.engine.solvers.island_solver import IslandSolver
from stoss.engine.stages.build import build
from stoss.engine.stages.earlier_impulses import EarlierImpacts, GoneContacts
from stoss.engine.stages.regrouping import JointBlocks, Regrouping, regroup
from stoss.engine.stages.scratch import StageScratch
from stoss.engine.stages.state import Building, State, System

__all__ = ["ConstraintSystem"]

# Velocity [velocity tolerances] below which a body is at rest for the choice of solvers.
REST = 100.0
MOTIONS = 7  # vectors over both bodies of a contact that an impact needs
_NOTHING = np.zeros(0, np.int64)
# Fields of `System` that others replace; all else is there for good.
_GIVEN = ("bodies", "old", "scratch", "contacts", "joints", "joint_frames", "ledger", "laws")


class ConstraintSystem:
    """Hold contacts, islands and rows of the present poses, and the impulses that the next phase starts from.

    Args:
        state: bodies and joints.
        detector: shapes of the bodies.

    Attributes:
        contacts: of the last detection.
        jammed: contacts whose overlap the last step could not lessen.
        memory: impulses of the contacts in the last `correct`, from which new rows start.
        first_memory: the same at the start of the step, which may be made again from there.
        unsolved: whether the contacts were found after the last step, so that nobody has solved them yet.
        step_length: (1,) of the step that the impulses in the rows belong to [s].
        gone: contacts that acted in it and are not there any more.
        impacts: of the step, whose contacts were found anew since.
        pairs: values of pairs of materials that have their own.
        joint_version: version of the joints that the islands were made of.
        frames, rows, islands, layout, solver: what is made of the contacts; kept for good.
    """

    def __init__(self, state: State, detector: Detector) -> None:
        self.state = state
        self.detector = detector
        self.contacts = Contacts()
        self.jammed = _NOTHING
        self.memory: ImpulseMemory = empty_memory()
        self.first_memory = self.memory
        self.unsolved = False
        self.gone, self.impacts = GoneContacts(self), EarlierImpacts(self)
        # two in use, one to be written
        self._memories = [(table.arrays, table) for table in (Table(ImpulseMemory) for _ in range(3))]
        self.pairs = no_pairs()
        self._walls_of, self._any_walls = self.pairs, False
        self.joint_version = -1
        self._blocks_of = -1, -1  # version of the joints, and number of bodies, that the islands were made of
        self._have_tables()
        self._building: Building | None = None
        self._regrouping: Regrouping | None = None
        self._have_joints(_NOTHING, _NOTHING, _NOTHING, np.zeros((0, 2), np.int64))

    def _have_tables(self) -> None:
        """Make the tables, empty; call no kernel, so that building a world compiles none."""
        self.axes = axes = Axes()
        table, sources = Table(System), Table(Sources)
        islands, layout, rows, frames = Table(Islands), Table(Layout), Table(Rows), Table(ContactFrames)
        axes.contacts.add_all(table, sources, layout, frames, name="contacts")
        axes.islands.add_all(table, islands, layout, name="islands")
        axes.blocks.add_all(sources, islands, layout, rows, name="blocks")
        axes.pairs.add_all(islands, name="pairs")
        axes.members.add_all(islands, name="members")
        axes.rows.add_all(table, rows, name="rows")
        self.solver = IslandSolver(axes)
        self.islands, self.layout, self.rows, self.frames = (
            islands.arrays,
            layout.arrays,
            rows.arrays,
            frames.arrays,
        )
        self._layout_table, self.sources = layout, sources.arrays
        # those that have a length of their own are there also in a world without bodies
        self._work = StageScratch.zeros(motions=MOTIONS, entries=len(self.state.ledger))
        self.step_length = np.zeros(1)
        self._arrays = s = table.arrays
        s.islands, s.layout, s.rows, s.frames = self.islands, self.layout, self.rows, self.frames
        s.solver, s.work, s.step_length = self.solver.arrays, self._work, self.step_length

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

    @property
    def contact_free(self) -> bool:
        """Return whether nothing is near anything else, so that a part of a step needs no new contacts."""
        return self.contacts.count == 0

    def _count_joints(self) -> None:
        """See which joints take part, and with how many rows."""
        joints = self.state.joints
        acting = rows = places = _NOTHING
        far = np.zeros((0, 2), np.int64)
        if self.state.joint_table.count > 0:
            taking_part, rows, _, places, far = count_joint_rows(joints, self.state.bodies)
            acting = np.flatnonzero(taking_part)
        self._have_joints(acting, rows, places, far)
        self.joint_version = self.state.joint_table.version

    def _have_joints(self, acting: np.ndarray, rows: np.ndarray, places: np.ndarray, far: np.ndarray) -> None:
        """Have these joints; see `find_sources`, and for `places` `count_joint_rows`."""
        joints = self.state.joints
        sources = find_sources(acting, joints.bodies, far, rows)
        self.acting_joints, self.place_rows = acting, places
        displaced = int(places[acting].sum()) + len(sources.joint) - len(acting) - sources.empty
        self._joints = JointBlocks(sources.bodies, sources.joint, sources.rows, acting, rows, displaced)
        self.has_stops = bool((joints.active & (joints.role == LIMIT)).any())
        self.is_led = self.has_stops or bool((joints.active & (joints.role == DRIVE)).any())
        self.joint_frames = new_joint_frames(joints)
        self._layout_table.resize(keep=False, joints=len(rows))

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
        """Find islands if contacts couple others than before, and note what touches."""
        contacts, state = self.contacts, self.state
        self.solver.begin(state.step)
        if self.has_idle_contacts:
            return  # what was set aside meets something, which has no block: the step is made again
        if not (self.knows_islands and self._same_blocks()):
            self.find_islands()
        np.less_equal(contacts.gap[: contacts.count], state.settings.touch_distance, self.touching)

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
        return self._blocks_of == (self.state.joint_table.version, self.state.table.count)

    def _same_blocks(self) -> bool:
        """Return whether contacts couple the same bodies, in the same order, as the islands do."""
        c, known, count = self.contacts, self.sources, self.contacts.count
        return (
            count == len(known.resists)
            and known.first[:count].tobytes() == c.body_a[:count].tobytes()
            and known.second[:count].tobytes() == c.body_b[:count].tobytes()
        )

    def find_islands(self) -> None:
        """Find islands and layout of the contacts, and choose their solvers; see `regroup`."""
        state, work, axes = self.state, self._work, self.axes
        if len(state.scratch.everyone) != state.table.count:
            state.resize()
        if self.joint_version != state.joint_table.version:
            self._count_joints()
        regrouping = self.prepare_regrouping()
        while not regroup(regrouping, self.contacts.count):
            blocks, rows, displaced, fill = regrouping.wanted.tolist()
            axes.reserve(blocks, rows, displaced, fill)
            bodies = state.table.count
            work.reserve(rows=rows, islands=bodies, bodies=bodies, motions=MOTIONS, entries=len(state.ledger))
        self._blocks_of = self.state.joint_table.version, self.state.table.count

    def prepare_regrouping(self) -> Regrouping:
        """Return what `regroup` works on, as it is now; one struct for good."""
        state, solver, system = self.state, self.solver, self.system
        solver.have_bodies(state.table.count)
        solver.take_settings(state.settings, REST)
        g = self._regrouping
        if g is None:
            nothing = np.zeros(0, np.int64)
            g = self._regrouping = Regrouping(
                *(system, self.sources, self.axes.arrays, solver.choosing, nothing, self._joints, 0, False),
                *(solver.arrays.step.copy(), np.zeros(4, np.int64)),
            )
        if len(g.number) != state.table.count:
            g.number = np.zeros(state.table.count, np.int64)
        if g.joints is not self._joints:
            g.joints = self._joints
        g.rule, g.resists = COMBINATION_RULES.index(state.settings.friction_rule), state.table.resists_turning
        g.step[0] = state.step
        return g

    def build(self, h: float = 0.0) -> None:
        """Build the rows of contacts and joints, with the impulses of the last phase, which was h ago [s]."""
        build(self.system, self.building, h)

    @property
    def building(self) -> Building:
        """Return what rows are built from, besides the system."""
        settings = self.state.settings
        now = (
            self.memory,
            self.detector.table.arrays,
            self.sources,
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
        k, memories = 0, self._memories
        while memories[k][0] is self.memory or memories[k][0] is self.first_memory:
            k += 1
        arrays, table = memories[k]
        if table.lengths["contacts"] != count:
            table.resize(keep=False, contacts=count)
        return arrays

    @property
    def rungs(self) -> np.ndarray:
        """Return the rung (bodies,) of the ladder that each body has reached in this step."""
        return self._work.rung[: self.state.table.count]

    def remove_rungs(self, rows: np.ndarray) -> None:
        """Forget the rungs of bodies that are removed (ascending rows)."""
        rungs = self.rungs
        left = np.delete(rungs, rows[rows < len(rungs)])
        rungs[: len(left)], rungs[len(left) :] = left, 0

    def forget_islands(self) -> None:
        """Find islands anew at the next detection, whatever touches."""
        self._blocks_of = -1, -1

    def drop_contacts(self) -> None:
        """Have no contacts until the next detection."""
        self.contacts = Contacts()
        self.jammed = _NOTHING
        self.find_islands()
        self.build()

    @property
    def system(self) -> System:
        """Return all arrays that the stages work on, as they are now."""
        state, s = self.state, self._arrays
        now = (
            *(state.bodies, state.old, state.scratch, self.contacts.arrays, state.joints, self.joint_frames),
            *(state.ledger, state.laws.arrays),
        )
        known = vars(s)
        for name, value in zip(_GIVEN, now, strict=True):
            if known[name] is not value:
                setattr(s, name, value)
        return s

    @property
    def touching(self) -> np.ndarray:
        """Return which contacts (c,) touched before bodies were displaced."""
        return self._arrays.touching

    @property
    def total(self) -> np.ndarray:
        """Return the impulses (rows,) over the last step."""
        return self._arrays.total

    @property
    def contact_impulses(self) -> np.ndarray:
        """Impulses (c, 3) [N s] on the first body of each contact: both ends of the step, and impacts."""
        out = np.zeros((self.contacts.count, 3))
        if len(self.total) == len(self.rows.bias) and len(out):
            write_contact_impulses(self.frames, self.total, out)
        return out

"""The stages of a step over the arrays: correct, move, detect, separate, settle (`World.step` calls them)."""

from typing import NamedTuple

import numpy as np

from collision import Detector
from collision.contacts import Contacts
from engine.bodies import DYNAMIC, BodyArrays, BodyTable
from engine.compositions import COMPOSITIONS
from engine.contact_rows import NOBODY, FrameStore, build_rows, world_root_inverse_inertias
from engine.contact_time import first_contact
from engine.fast_bodies import FastBodies, hold
from engine.impulse_memory import ImpulseMemory, empty_memory, forget_shapes, recall, remember
from engine.islands import Islands, Layout, find_islands, lay_out
from engine.joint_measures import new_places
from engine.joint_rows import (
    build_joint_rows,
    count_joint_rows,
    new_joint_frames,
    set_separation_biases,
)
from engine.joint_state import fastest_turns, find_joint_errors, update_drives
from engine.joint_table import DRIVE, FORCE, LIMIT, JointArrays, JointTable
from engine.ledger import DISPLACED, ENTRIES
from engine.material import COMBINATION_RULES, IMPACT_LAWS
from engine.material_pairs import no_pairs
from engine.motion import METHODS
from engine.observables import energy_and_momentum
from engine.rows import FRESH, Rows, RowStore
from engine.separation import build_separation_rows, displace, jammed_contacts, overlapping_islands
from engine.settings import Settings
from engine.sleeping import Sleepers, join_memories, pick
from engine.snapshot import DynamicsState, Mark
from engine.solver import CLOSED, FIGURES, IslandSolver
from engine.stages import (
    LARGEST_SWING,
    OPEN,
    BodyScratch,
    OldBodies,
    Options,
    System,
    correct,
    move,
    run_apart,
    settle,
)
from engine.turning_rows import find_resistance

__all__ = ["Dynamics"]

# What of the bodies and of the joints changes in a step, pose, velocity and solution first.
BODY_STATE = ("positions", "quaternions", "velocities", "angular_velocities", "forces", "torques")
JOINT_STATE = ("value", "impulse", "state", "total", "target", "target_rate", "history_count", "last_error")
JOINT_SOLUTION = ("value", "impulse", "state", "total", "reaction")
# Rounds of displacement: the first one removes overlaps, the others close the joints that it opened.
SEPARATION_ROUNDS = 3
# The shortest sub-step is that much shorter than the planned ones may be: for slack chains that snap taut.
SPLITS = 16
# Tolerances of preview and velocity rows in a composition, as shares of the usual ones: far below the error
# of its order.
COMPOSED_TOLERANCE = 1e-6
COMPOSED_VELOCITY = 1e-3
# No preview is better than this [m or rad], for bodies of about a metre.
ROUNDING = 1e-13
# Velocity [velocity tolerances] below which a body is at rest for the choice of solvers.
REST = 100.0
# Overlap that is left alone, as a share of the position tolerance.
SLOP = 0.1


class _Blocks(NamedTuple):
    """Blocks of rows that islands were made of: bodies of the contacts, and what the joints depend on."""

    body_a: np.ndarray
    body_b: np.ndarray
    joint_version: int
    body_count: int


_NO_BLOCKS = _Blocks(np.zeros(0, np.int64), np.zeros(0, np.int64), -1, -1)


class Dynamics:
    """Hold what the stages of a step hand to each other: contacts, joints, islands, rows and solvers.

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
        self.order = 2  # of the last step
        self.step = 0
        self.stale = True  # poses, bodies or joints changed since the contacts were found
        self._row_store = RowStore()
        self._frame_store = FrameStore()
        self._separation_store = RowStore()
        self._memory: ImpulseMemory = empty_memory()
        self._touching = np.zeros(0, np.bool_)  # contacts that touched before bodies were displaced
        self._total = np.zeros(0)  # impulses of the rows over the last step
        self._step_length = np.zeros(1)  # of the step that the impulses in the rows belong to [s]
        self._good: tuple[np.ndarray, ...] = ()  # state of the bodies at the start of the step
        self._good_memory = self._memory
        self._good_step_length = 0.0
        self._good_joints: tuple[np.ndarray, ...] = ()
        self._joint_version = -1
        self._blocks = _NO_BLOCKS  # what the islands were made of
        self._shortest = 0.0  # sub-step [s] that is not split
        self.sleepers = Sleepers(settings.sleep_distance, settings.sleep_time, settings.touch_distance)
        self.met = np.zeros(0, np.int64)  # bodies asleep near which the last detection found awake ones
        self._fast = FastBodies(detector)
        self._unseen = 0.0  # time [s] since contacts were last looked for
        self._held = False  # whether any body was held in the last sub-step
        self._resize()
        self._find_islands()
        self._build()

    def change_settings(self, settings: Settings) -> None:
        """Take other settings from the next step on; all bodies must be awake."""
        self.settings = settings
        self.sleepers.configure(settings.sleep_distance, settings.sleep_time, settings.touch_distance)
        self.stale = True

    @property
    def bodies(self) -> BodyArrays:
        """Return the arrays of the bodies; those that sleep are static."""
        arrays = self.table.arrays
        return self.sleepers.acting(arrays) if self.sleepers.count else arrays

    @property
    def joints(self) -> JointArrays:
        """Return the arrays of the joints."""
        return self.joint_table.arrays

    def _resize(self) -> None:
        """Make the arrays that have one entry per body."""
        count = self.table.count
        self._old = OldBodies(*(np.zeros((count, width)) for width in (3, 4, 3, 3)))
        z, roots, accelerations, velocities, angular, positions, quaternions, momenta = (
            np.zeros((count, width)) for width in (6, 9, 6, 3, 3, 3, 4, 6)
        )
        self._scratch = BodyScratch(
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
        self._z, self._roots = z, roots

    def _resize_joints(self) -> None:
        """Make the arrays that have one entry per joint, part or row of a joint."""
        joints = self.joints
        self._joint_version = self.joint_table.version
        taking_part, self._joint_rows, self._held_rows = count_joint_rows(joints, self.bodies)
        self._acting_joints = np.flatnonzero(taking_part)
        self._has_stops = bool((joints.active & (joints.role == LIMIT)).any())
        self.joint_frames = new_joint_frames(len(joints.enabled), len(joints.part))
        self._places = new_places(joints)

    # ------------------------------------------------------------------ a step

    def begin(self, time: float, h: float, gravity: np.ndarray) -> None:
        """Start a step: fresh figures, contacts of what was moved or added by hand, old state kept."""
        self.figures[:] = 0.0
        self._unseen = 0.0
        changed = self.stale
        self.ledger[:] = 0.0
        if self.stale or self._joint_version != self.joint_table.version:
            self.refresh()
        self._good = tuple(getattr(self.bodies, name).copy() for name in BODY_STATE)
        self._good_memory = self._memory
        self._good_step_length = float(self._step_length[0])
        if self.joint_table.count > 0:
            joints = self.joints
            self._good_joints = tuple(getattr(joints, name).copy() for name in JOINT_STATE)
            update_drives(joints, time, h)
        if self.settings.sleeping:
            self._review_sleepers(gravity, changed)
        self._clear_reactions()

    def _clear_reactions(self) -> None:
        """Count the impulses of joints from zero; those that sleep keep what they have."""
        joints = self.joints
        if self.joint_table.count > 0:
            awake = ~self.sleepers.joints_asleep(joints)
            joints.reaction[awake] = 0.0
            joints.total[awake[joints.joint[joints.part]]] = 0.0

    def start_again(self, h: float) -> list[float]:
        """Return to the start of a step whose composition failed, and take it at order 2; see `sub_steps`.

        Nothing was near anything else. The forces of this step stay, and the set points of its drives.
        """
        self._go_back()
        self._clear_reactions()
        self._build()
        self._step_length[0] = self._good_step_length
        return self.sub_steps(h, 2)

    def _go_back(self) -> None:
        """Return bodies and joints to the start of the step."""
        self._unseen = 0.0
        self.ledger[:] = 0.0
        for name, good in zip(BODY_STATE[:4], self._good, strict=False):
            getattr(self.bodies, name)[:] = good
        for name, good in zip(JOINT_STATE[:3], self._good_joints, strict=False):
            getattr(self.joints, name)[:] = good

    def start_awake(self, h: float) -> list[float]:
        """Return to the start of a step that brought bodies near those that sleep, and wake these.

        Returns:
            The sub-steps to take; see `sub_steps`.
        """
        self._go_back()
        self.figures[:] = 0.0
        self._memory, self.contacts = self._good_memory, Contacts()
        self.wake(self.met)
        self.refresh()
        self._clear_reactions()
        self._step_length[0] = self._good_step_length
        return self.sub_steps(h, self.settings.order)

    def sub_steps(self, h: float, order: int) -> list[float]:
        """Return the lengths [s] of the steps that a step is made of, and note their order.

        One, unless a joint's lever turns too far for it. Orders above 2 are compositions of it with negative
        shares, which nothing one-sided or damped would survive: such a step falls back to order 2.
        """
        settings = self.settings
        parts = 1
        if len(self._acting_joints):
            turn, swing = fastest_turns(
                self.joints, self.joint_frames, self.rows, self.bodies, self._step_length[0]
            )
            wanted = max(turn * h / settings.largest_turn, swing * h / LARGEST_SWING)
            # written so that NaN asks for one step, in which it will be found out
            if wanted > 1.0:
                parts = int(min(np.ceil(wanted), settings.most_sub_steps))
        shares = COMPOSITIONS[2]
        self.order = 2
        if order > 2 and self.contacts.count == 0 and self._reversible():
            shares = COMPOSITIONS[order]
            self.order = order
        self._shortest = h / (SPLITS * settings.most_sub_steps)
        return (np.tile(shares, parts) * (h / parts)).tolist()

    def _reversible(self) -> bool:
        """Return whether no joint dissipates or is one-sided."""
        joints = self.joints
        rows = joints.active & joints.enabled[joints.joint[joints.part]]
        drives = rows & (joints.role == DRIVE)
        held = rows & ((joints.role == LIMIT) | (joints.role == FORCE))
        return not held.any() and not (drives & ((joints.damping > 0) | np.isfinite(joints.max_force))).any()

    @property
    def apart(self) -> bool:
        """Return whether nothing is near anything else, so that a part of a step needs no new contacts."""
        return self.contacts.count == 0

    def refresh(self) -> None:
        """Find the contacts of the present poses, without solving anything."""
        if self.contacts.count > 0:
            self._remember()
        self._blocks = _NO_BLOCKS
        self.detect()
        while len(self.met):
            self.contacts = Contacts()
            self.wake(self.met)
            self.detect()
        self._build()
        self.stale = False

    def remove_body(self, row: int) -> None:
        """Remove a body, which has no joints any more; its shapes go, and with them its contacts."""
        if self.sleepers.count:
            self.wake(self.sleepers.leaning_on(row))
        if self.contacts.count > 0:
            self._remember()
        shapes = np.flatnonzero(self.detector.table.body[: self.detector.table.count] == row)
        self._memory = forget_shapes(self._memory, shapes)
        self.sleepers.remove_body(row, shapes)
        self.detector.remove_body(row)
        self.table.remove(row)
        self.joint_table.renumber_body(row)
        self._drop_contacts()

    def roll_back(self) -> None:
        """Return to bodies and joints as they were at the start of the step."""
        for name, good in zip(BODY_STATE, self._good, strict=True):
            getattr(self.bodies, name)[:] = good
        for name, good in zip(JOINT_STATE, self._good_joints, strict=False):
            getattr(self.joints, name)[:] = good
        self._memory = self._good_memory
        self.ledger[:] = 0.0
        self._drop_contacts()

    def mark(self) -> Mark:
        """Return the present instant within a step, for `back`."""
        joints = self.joints if self.joint_table.count > 0 else None
        return Mark(
            bodies=tuple(getattr(self.bodies, name).copy() for name in BODY_STATE[:4]),
            joints=() if joints is None else tuple(getattr(joints, name).copy() for name in JOINT_SOLUTION),
            contacts=self.contacts.copy(),
            impulse=self.rows.impulse.copy(),
            state=self.rows.state.copy(),
            step_length=float(self._step_length[0]),
            memory=self._memory,
            ledger=self.ledger.copy(),
        )

    def back(self, mark: Mark) -> None:
        """Return to an instant of this step."""
        for name, good in zip(BODY_STATE, mark.bodies, strict=False):
            getattr(self.bodies, name)[:] = good
        for name, good in zip(JOINT_SOLUTION, mark.joints, strict=False):
            getattr(self.joints, name)[:] = good
        self.contacts = mark.contacts.copy()
        self.contacts.reserve(1)
        self._find_islands()
        self._memory = mark.memory
        self._build()
        self.rows.impulse[:], self.rows.state[:] = mark.impulse, mark.state
        self._step_length[0] = mark.step_length
        self.ledger[:] = mark.ledger

    def first_contact(
        self, before: Contacts, h: float, gravity: np.ndarray, touch: float, tolerance: float
    ) -> tuple[float, float, bool]:
        """Find when bodies that were apart first met; see `contact_time.first_contact`."""
        if self.contacts.count == 0:
            return h, np.inf, False
        return first_contact(
            self.contacts.arrays,
            self.contacts.count,
            before.arrays,
            before.count,
            self.bodies,
            self._old,
            self._scratch,
            METHODS[self.settings.motion],
            gravity,
            h,
            touch,
            tolerance,
        )

    def set_partner(self, partner: int) -> None:
        """Say whom all bodies meet at the end of this sub-step: NOBODY or ANYONE."""
        self._scratch.partner[:] = partner

    def _drop_contacts(self) -> None:
        """Have no contacts until the next detection."""
        self.contacts = Contacts()
        self.jammed = np.zeros(0, np.int64)
        self._find_islands()
        self._build()
        self.stale = True

    @property
    def _system(self) -> System:
        """Return all arrays that the stages work on."""
        return System(
            bodies=self.bodies,
            old=self._old,
            scratch=self._scratch,
            contacts=self.contacts.arrays,
            frames=self.frames,
            touching=self._touching,
            joints=self.joints,
            joint_frames=self.joint_frames,
            places=self._places,
            rows=self.rows,
            total=self._total,
            islands=self.islands,
            layout=self.layout,
            has_joints=self._has_joints,
            solver=self.solver.arrays,
            step_length=self._step_length,
            ledger=self.ledger,
        )

    @property
    def _options(self) -> Options:
        """Return settings and circumstances as numbers."""
        settings, composed = self.settings, self.order > 2
        return Options(
            motion=METHODS[settings.motion],
            preview_passes=settings.preview_passes,
            tolerance=max(settings.position_tolerance * COMPOSED_TOLERANCE, ROUNDING)
            if composed
            else settings.position_tolerance,
            position_tolerance=settings.position_tolerance,
            velocity_tolerance=settings.velocity_tolerance * (COMPOSED_VELOCITY if composed else 1.0),
            correction_speed=settings.correction_speed,
            resting_speed=settings.resting_speed,
            touch_distance=settings.touch_distance,
            sweeps=settings.sweeps,
            time_limit=settings.time_limit,
            shock=settings.shock_propagation,
            budget=settings.budget,
            shortest=self._shortest,
            impact_law=IMPACT_LAWS.index(settings.impact_law),
            stops=self._has_stops,
            exact=settings.time_of_contact,
            composed=composed,
        )

    @property
    def _cold(self) -> bool:
        """Return whether phases start from no impulses.

        Those of shock propagation act on the upper bodies alone; a start from them would push the lower ones.
        """
        return self.settings.shock_propagation or not self.settings.warm_start

    def correct(self, h: float, gravity: np.ndarray) -> bool:
        """Give impulses at t so that joints and resting contacts hold at t + h; see `stages.correct`.

        Returns:
            Whether that was possible; if not, the step is to be split.
        """
        if self._cold:
            self._start_cold()
        possible = correct(self._system, self._options, h, gravity, self.figures)
        self.solver.learn(self.settings)
        if possible:
            self._remember()
        return bool(possible)

    def _start_cold(self) -> np.ndarray:
        """Let the rows start from nothing; return the impulses of the last phase (rows,)."""
        carried = self.rows.impulse.copy()
        self.rows.impulse[:], self.rows.state[:] = 0.0, FRESH
        return carried

    def run_apart(self, pending: list[float], gravity: np.ndarray) -> tuple[list[float], int]:
        """Make sub-steps while nothing touches, all but the last one; see `stages.run_apart`."""
        left, end = run_apart(self._system, self._options, np.array(pending), gravity, self.figures)
        self.solver.learn(self.settings)
        self._unseen += sum(pending) - left.sum() + (left[-1] if end == OPEN else 0.0)
        return left.tolist(), int(end)

    def move(self, h: float, gravity: np.ndarray) -> None:
        """Move every body freely from t to t + h."""
        move(self.bodies, METHODS[self.settings.motion], gravity, h, self.ledger)
        self._unseen += h

    def hold_back(self, h: float, gravity: np.ndarray) -> None:
        """Hold fast bodies where they met others since the last detection; see `engine.fast_bodies`."""
        b = self.bodies
        if self._held:
            self._scratch.partner[:] = NOBODY
            self._held = False
        start, quaternions = self._unseen_from(h)
        if not self._fast.any_fast(b, start, self._unseen, exact=False):
            return
        jointed, group = self._fast.jointed(self.joints, self.table.arrays.kinds, self.joint_table.version)
        free = b.kinds == DYNAMIC
        if start is not self._old.positions:
            free &= ~jointed  # joints have bent their paths
        close = 0.5 * self.settings.touch_distance
        held = self._fast.holds(
            b, start, quaternions, self._scratch.accelerations, self._unseen, close, group, free
        )
        self._held = len(held) > 0
        if self._held:
            self.ledger[DISPLACED] -= energy_and_momentum(b, gravity)[:2].sum()
            hold(held, b, METHODS[self.settings.motion], gravity, self._unseen, self._scratch.partner)
            self.ledger[DISPLACED] += energy_and_momentum(b, gravity)[:2].sum()

    def may_cross(self, step: float) -> bool:
        """Return whether sub-steps must look for contacts since fast jointed bodies might cross others."""
        if not self.settings.swept or self.order > 2 or not len(self._acting_joints):
            return False
        joined = self._fast.jointed(self.joints, self.table.arrays.kinds, self.joint_table.version)
        return self._fast.may_cross(self.bodies, *joined, step)

    def _unseen_from(self, h: float) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and orientations at the last detection in this step."""
        if abs(self._unseen - h) <= 1e-9 * abs(h):
            return self._old.positions, self._old.quaternions
        return self._good[0], self._good[1]

    def first_meeting(self, h: float) -> float:
        """Return the time [s] in this sub-step at which a fast body first meets another one, or infinity."""
        b, old = self.bodies, self._old
        if not self._fast.any_fast(b, old.positions, h, exact=True):
            return np.inf
        close = 0.5 * self.settings.touch_distance
        share = self._fast.first_meeting(
            b, old.positions, old.quaternions, self._scratch.accelerations, h, close
        )
        return share * h if share < 1.0 else np.inf

    def detect(self) -> None:
        """Find contacts and islands of the present poses; stop at the contacts if bodies asleep are `met`."""
        b = self.bodies
        movable = self.sleepers.movable(b)
        self.jammed = np.zeros(0, np.int64)
        self._unseen = 0.0
        self.contacts = self.detector.detect(
            b.positions, b.quaternions, movable, self.settings.contact_margin
        )
        self.met = self.sleepers.met(self.contacts, b)
        if len(self.met):
            return
        self._touching = self.contacts.gap[: self.contacts.count] <= self.settings.touch_distance
        self.solver.step = self.step
        if self._same_blocks() and self.solver.settled:
            world_root_inverse_inertias(b, self._roots)
        else:
            self._find_islands()

    def _same_blocks(self) -> bool:
        """Return whether contacts and joints couple the same bodies, in the same order, as the islands do."""
        c, known = self.contacts, self._blocks
        return (
            known.joint_version == self.joint_table.version
            and known.body_count == self.table.count
            and np.array_equal(known.body_a, c.body_a[: c.count])
            and np.array_equal(known.body_b, c.body_b[: c.count])
        )

    def _find_islands(self) -> None:
        if len(self._z) != self.table.count:
            self._resize()
        if self._joint_version != self.joint_table.version:
            self._resize_joints()
        c, bodies, joints, acting = self.contacts, self.bodies, self.joints, self._acting_joints
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
        self.layout = self._lay_out(3, extra, self._joint_rows)
        self._has_joints = np.zeros(len(islands.body_start) - 1, np.bool_)
        frames = self.joint_frames
        if len(acting):
            frames.first_row[acting] = self.layout.start[self.layout.joint_block[acting]]
            frames.island[:] = self.layout.joint_island
            self._has_joints[frames.island[acting]] = True
        self.solver.step = self.step
        slow = REST * self.settings.velocity_tolerance
        at_rest = (np.abs(bodies.velocities) < slow).all(axis=1)
        at_rest &= (np.abs(bodies.angular_velocities) < slow).all(axis=1)
        self.solver.choose(
            islands,
            self.layout.start,
            bodies.solver,
            self._has_joints,
            at_rest,
            c.count,
            self.settings,
        )
        world_root_inverse_inertias(bodies, self._roots)

    def _lay_out(self, contact_rows: int, extra_rows: np.ndarray, joint_rows: np.ndarray) -> Layout:
        islands, acting = self.islands, self._acting_joints
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

    def separate(self, h: float, gravity: np.ndarray) -> None:
        """Displace bodies that overlap, or whose joints are open; note energy and failures."""
        gaps = self.contacts.gap[: self.contacts.count]
        depth = -gaps.min() if len(gaps) else 0.0
        before = gaps.copy() if depth > self.settings.contact_margin else gaps[:0]
        self._separate(h, depth, gravity)
        if len(before):
            self.jammed = jammed_contacts(before, gaps, self.settings.contact_margin)

    def _separate(self, h: float, depth: float, gravity: np.ndarray) -> None:
        """Displace bodies that overlap, at most by `depth`, or whose joints are open."""
        c, islands, settings, layout = self.contacts, self.islands, self.settings, self.layout
        slop = SLOP * settings.position_tolerance
        overlaps = depth > slop
        errors = np.zeros(len(islands.body_start) - 1)
        if len(self._acting_joints) and not self.figures[CLOSED]:
            find_joint_errors(self.joints, self.joint_frames, self.bodies, self._places, errors)
        broken = errors > settings.correction_speed * abs(h)
        if not overlaps and not broken.any():
            return
        displaced = broken
        if overlaps:
            displaced = overlapping_islands(c.arrays, layout.contacts, layout.contact_start, slop) | broken
        self.ledger[DISPLACED] -= energy_and_momentum(self.bodies, gravity)[:2].sum()
        self._displace(h, displaced, broken, slop, errors)
        self.ledger[DISPLACED] += energy_and_momentum(self.bodies, gravity)[:2].sum()

    def _displace(
        self, h: float, displaced: np.ndarray, broken: np.ndarray, slop: float, errors: np.ndarray
    ) -> None:
        """Displace the bodies of the islands `displaced`, of which `broken` have open joints.

        Args:
            h: length of the step [s].
            displaced, broken: (islands,)
            slop: overlap [m] that is left alone.
            errors: (islands,) memory for the errors of joints.
        """
        c, islands, settings, layout = self.contacts, self.islands, self.settings, self.layout
        single = self._lay_out(1, np.zeros(c.count, np.int64), self._held_rows)
        for number in range(SEPARATION_ROUNDS):
            rows = self._separation_store.resize(len(islands.order), single.start[-1])
            rows.start[:] = single.start
            if c.count > 0:
                build_separation_rows(
                    c.arrays,
                    layout.contacts,
                    layout.contact_block,
                    self.bodies,
                    self._roots,
                    rows,
                    h,
                    settings.recovery_rate,
                    settings.recovery_speed,
                    slop,
                    number == 0,
                )
            if len(self._acting_joints):
                joints = self.joints
                self._build_joints(rows, 0.0, holds_only=True)
                most = settings.recovery_speed * abs(h)
                set_separation_biases(joints, layout.joint_block, rows, most)
            self.solver.displace(rows, self._z, displaced, settings, 0.1 * slop)
            displace(
                c.arrays,
                layout.contacts,
                layout.contact_start,
                islands.bodies,
                islands.body_start,
                displaced,
                self.bodies,
                self._roots,
                self._z,
                abs(h),
                settings.recovery_speed,
            )
            if not len(self._acting_joints):
                return
            errors[:] = 0.0
            find_joint_errors(self.joints, self.joint_frames, self.bodies, self._places, errors)
            displaced = displaced & (errors > settings.position_tolerance) & ~broken
            if not displaced.any():
                return
            world_root_inverse_inertias(self.bodies, self._roots)

    def settle(self, h: float) -> None:
        """Give impulses at t + h: impacts with restitution, then nothing approaches and friction holds."""
        self._build(h)
        if len(self.rows.bias) == 0:
            return
        # what touched before it was displaced needs its impulse; what was pushed close touches now
        self._touching |= self.contacts.gap[: self.contacts.count] <= self.settings.touch_distance
        carried = self._start_cold() if self._cold else None
        settle(self._system, self._options, h, self.figures)
        if carried is not None:
            self._total += carried
        self.solver.learn(self.settings)
        hit = self.frames.contact[self.frames.approach > self.settings.resting_speed]
        if len(hit):
            self.solver.postpone(np.concatenate([self.contacts.body_a[hit], self.contacts.body_b[hit]]))

    @property
    def contact_impulses(self) -> np.ndarray:
        """Impulses (c, 3) [N s] on the first body of each contact: both ends of the step, and impacts."""
        out = np.zeros((self.contacts.count, 3))
        if len(self._total) == len(self.rows.bias) and len(out):
            parts = self._total[self.frames.row[:, None] + np.arange(3)]
            out[self.frames.contact] = (parts[:, :, None] * self.frames.axes).sum(axis=1)
        return out

    @property
    def idle(self) -> bool:
        """Return whether nothing moves in this step, because all that could is asleep."""
        return self.sleepers.count > 0 and not self.sleepers.movable(self.bodies).any()

    @property
    def all_contacts(self) -> tuple[Contacts, np.ndarray]:
        """Return all contacts of the present poses, those of bodies asleep too, and their impulses (c, 3)."""
        if self.stale:
            self.refresh()
        awake = self.contacts, self.contact_impulses
        return self.sleepers.with_contacts(*awake) if self.sleepers.count else awake

    # ------------------------------------------------------------------ sleeping

    def _review_sleepers(self, gravity: np.ndarray, changed: bool) -> None:
        """Wake what was changed since the last step or leans on what moves; see `Sleepers.review`."""
        self.wake(self.sleepers.review(self.table.arrays, self.joints, gravity, changed))
        if self.stale:
            self.refresh()
        if self.sleepers.count:
            self._remember()  # for the case that the step is to be taken again
            self._good_memory = self._memory

    def wake(self, rows: np.ndarray) -> None:
        """Wake the islands of the bodies `rows`, which go on from the impulses they had and rest anew."""
        memory = self.sleepers.wake(rows, self.table.arrays) if self.settings.sleeping else None
        if memory is None:
            return
        if self.contacts.count > 0:
            self._remember()
        self._memory = join_memories(self._memory, memory)
        self._joint_version = -1
        self._drop_contacts()

    def rest(self, h: float) -> None:
        """Put islands to sleep whose bodies have rested long enough, at the end of a step of length h [s]."""
        numbers = self.sleepers.tired(self.table.arrays, self.islands, self.contacts, self.joints, h)
        if len(self.jammed):
            # what is wedged stays awake, to be reported
            c = self.contacts
            wedged = numbers[np.concatenate([c.body_a[self.jammed], c.body_b[self.jammed]])]
            numbers[np.isin(numbers, wedged)] = 0
        if numbers.any():
            # what is left of their motion ends
            weightless = np.zeros(3)
            self.ledger[DISPLACED] -= energy_and_momentum(self.table.arrays, weightless)[0]
            self._put_to_sleep(numbers)
            self.ledger[DISPLACED] += energy_and_momentum(self.table.arrays, weightless)[0]

    def sleep(self, row: int, gravity: np.ndarray) -> None:
        """Put the island of a body to sleep at once."""
        self._review_sleepers(gravity, True)
        if not self.sleepers.asleep[row]:
            self._put_to_sleep(self.sleepers.island_of(row, self.islands))

    def _put_to_sleep(self, numbers: np.ndarray) -> None:
        """Put bodies to sleep, those with the same number above 0 (n,) together."""
        impulses = self.contact_impulses
        self._remember()
        awake = self.sleepers.put_to_sleep(
            numbers, self.table.arrays, self.joints, self.contacts, impulses, self._memory
        )
        self.contacts.take(awake)
        self.jammed = np.searchsorted(awake, np.intersect1d(self.jammed, awake))
        self._memory, self._touching = pick(self._memory, awake), self._touching[awake]
        self._joint_version = -1
        self._find_islands()
        self._build()
        parts = impulses[awake][self.frames.contact]
        self._total[self.frames.row[:, None] + np.arange(3)] = (self.frames.axes @ parts[:, :, None])[:, :, 0]

    def save(self) -> DynamicsState:
        """Return what the next step starts from, besides bodies and joints."""
        if self.stale or self._joint_version != self.joint_table.version:
            self.refresh()
        return DynamicsState(
            stale=self.stale,
            contacts=self.contacts.copy(),
            impulse=self.rows.impulse.copy(),
            state=self.rows.state.copy(),
            total=self._total.copy(),
            step_length=float(self._step_length[0]),
            memory=ImpulseMemory(*(field.copy() for field in self._memory)),
            solver=self.solver.save(),
            sleepers=self.sleepers.save(),
        )

    def restore(self, state: DynamicsState) -> None:
        """Return to a saved state; bodies and joints are in place already."""
        self.sleepers.restore(state.sleepers)
        self.jammed = np.zeros(0, np.int64)
        self.contacts = state.contacts.copy()
        self.contacts.reserve(1)
        self._resize()
        self._joint_version = -1
        self._find_islands()
        self._memory = ImpulseMemory(*(field.copy() for field in state.memory))
        self._build()
        self.solver.restore(state.solver)
        self.rows.impulse[:], self.rows.state[:] = state.impulse, state.state
        self._total = state.total.copy()
        self._step_length[0] = state.step_length
        self.stale = state.stale

    def _build(self, h: float = 0.0) -> None:
        """Build the rows of contacts and joints, with the impulses of the last phase, which was h ago [s]."""
        c, settings, layout = self.contacts, self.settings, self.layout
        self.frames = self._frame_store.resize(c.count)
        self.rows = self._row_store.resize(len(self.islands.order), layout.start[-1])
        self.rows.start[:] = layout.start
        self._total = np.zeros(layout.start[-1])
        if len(self.rows.bias) == 0 and self.joint_table.count == 0:
            return
        world_root_inverse_inertias(self.bodies, self._roots)
        if c.count > 0:
            build_rows(
                c.arrays,
                layout.contacts,
                layout.contact_block,
                self._resists,
                self.bodies,
                self._roots,
                COMBINATION_RULES.index(settings.friction_rule),
                COMBINATION_RULES.index(settings.restitution_rule),
                IMPACT_LAWS.index(settings.impact_law),
                self.pairs,
                self.rows,
                self.frames,
            )
            place = np.empty(c.count, np.int64)
            place[layout.contacts] = np.arange(c.count)
            recall(self._memory, c.arrays, c.count, place, self.rows, self.frames)
        if self.joint_table.count > 0:
            self._build_joints(self.rows, h, holds_only=False)
        self.solver.take(self.rows)

    def _build_joints(self, rows: Rows, h: float, *, holds_only: bool) -> None:
        build_joint_rows(
            self.joints,
            self.joint_frames,
            self._places,
            self.layout.joint_block,
            holds_only,
            self.bodies,
            self._roots,
            rows,
            h,
        )

    def _remember(self) -> None:
        self._memory = empty_memory(self.contacts.count)
        if self.contacts.count == 0:
            return
        remember(self.rows, self.frames, self.contacts.arrays, self._memory)

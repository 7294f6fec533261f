"""The stages of a step over the arrays: correct, move, detect, separate, settle (`World.step` calls them)."""

from dataclasses import dataclass, field

import numpy as np

from collision import Detector
from collision.contacts import Contacts
from engine.bodies import DYNAMIC, BodyArrays, BodyTable
from engine.compositions import COMPOSITIONS
from engine.contact_rows import (
    FrameStore,
    apply_rows,
    build_rows,
    free_accelerations,
    meet,
    prepare_correct,
    prepare_impacts,
    prepare_settle,
    preview_curvature,
    world_root_inverse_inertias,
)
from engine.impulse_memory import ImpulseMemory, empty_memory, forget_shapes, recall, remember
from engine.islands import Islands, Layout, find_islands, lay_out
from engine.joint_measures import new_places
from engine.joint_rows import (
    build_joint_rows,
    count_joint_rows,
    find_joint_errors,
    gather_joints,
    largest_turn,
    new_joint_frames,
    prepare_joints_correct,
    prepare_joints_settle,
    set_separation_biases,
    update_drives,
)
from engine.joint_table import DRIVE, FORCE, LIMIT, JointArrays, JointTable
from engine.material import COMBINATION_RULES
from engine.motion import METHODS, advance, preview
from engine.rows import Rows, RowStore
from engine.separation import build_separation_rows, displace, overlapping_islands
from engine.settings import Settings
from engine.snapshot import DynamicsState
from engine.solver import DIRECT, IslandSolver, SolveStatistics

__all__ = ["Dynamics", "StepStatistics"]

# Rounds of impacts in one step: a cradle of n balls needs n - 1. What still approaches afterwards is
# stopped without restitution by the velocity rows.
MOST_IMPACT_ROUNDS = 20
# Evaluations of the preview for islands without joints: contacts that change in between might go on for ever.
MOST_CONTACT_PASSES = 3
# Share of the last error of the preview above which a pass with joints was too little: the step is split.
SLOW = 0.5
# What of the joints changes in a step.
JOINT_STATE = ("value", "impulse", "state", "total", "target", "target_rate", "history_count", "last_error")
# Rounds of displacement: the first one removes overlaps, the others close the joints that it opened.
SEPARATION_ROUNDS = 3
# Tolerance of the preview in a composition, as a share of the usual one: far below the error of its order.
COMPOSED_TOLERANCE = 1e-6
# Overlap that is left alone, as a share of the position tolerance.
SLOP = 0.1
# Gap at which resting contacts are held, as a share of the position tolerance: well above rounding.
SLACK = 1e-3


@dataclass
class StepStatistics(SolveStatistics):
    """Figures of one step."""

    passes: int = 0
    impact_rounds: int = 0
    substeps: int = 0
    order: int = 2
    preview_error: float = 0.0
    times: dict[str, float] = field(default_factory=dict)


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
        self.solver = IslandSolver()
        self.statistics = StepStatistics()
        self.step = 0
        self.stale = True  # poses, bodies or joints changed since the contacts were found
        self._row_store = RowStore()
        self._frame_store = FrameStore()
        self._separation_store = RowStore()
        self._memory: ImpulseMemory = empty_memory()
        self._touching = np.zeros(0, np.bool_)  # contacts that touched before bodies were displaced
        self._total = np.zeros(0)  # impulses of the rows over the last step
        self._step_length = 0.0  # of the step that the impulses in the rows belong to [s]
        self._old: BodyArrays = table.copy_arrays()  # bodies at the start of the sub-step
        self._good: BodyArrays = self._old  # and of the step
        self._good_memory = self._memory
        self._good_joints: tuple[np.ndarray, ...] = ()
        self._joint_version = -1
        self._closed = False  # whether all joints are known to be closed at the end of the sub-step
        self._shortest = 0.0  # sub-step [s] that is not split
        self._resize()
        self._find_islands()
        self._build()

    @property
    def bodies(self) -> BodyArrays:
        """Return the arrays of the bodies."""
        return self.table.arrays

    @property
    def joints(self) -> JointArrays:
        """Return the arrays of the joints."""
        return self.joint_table.arrays

    def _resize(self) -> None:
        """Make the arrays that have one entry per body."""
        count = self.table.count
        self._z = np.zeros((count, 6))
        self._roots = np.zeros((count, 9))
        self._accelerations = np.zeros((count, 6))
        self._middle_velocities = np.zeros((count, 3))
        self._middle_angular_velocities = np.zeros((count, 3))
        self._next_positions = np.zeros((count, 3))
        self._next_quaternions = np.zeros((count, 4))
        self._everyone = np.arange(count)

    def _resize_joints(self) -> None:
        """Make the arrays that have one entry per joint, part or row of a joint."""
        joints = self.joints
        self._joint_version = self.joint_table.version
        taking_part, self._joint_rows, self._joint_holds = count_joint_rows(joints, self.bodies)
        self._acting_joints = np.flatnonzero(taking_part)
        self._has_stops = bool((joints.active & (joints.role == LIMIT)).any())
        self.joint_frames = new_joint_frames(len(joints.enabled), len(joints.part))
        self._places = new_places(len(joints.joint))

    # ------------------------------------------------------------------ a step

    def begin(self, time: float, h: float) -> None:
        """Start a step: fresh figures, contacts of what was moved or added by hand, old state kept."""
        self.statistics = StepStatistics()
        if self.stale or self._joint_version != self.joint_table.version:
            self.refresh()
        self._good = self.table.copy_arrays()
        self._good_memory = self._memory
        if self.joint_table.count > 0:
            joints = self.joints
            self._good_joints = tuple(getattr(joints, name).copy() for name in JOINT_STATE)
            update_drives(joints, time, h)
            joints.total[:] = 0.0
            joints.reaction[:] = 0.0

    def sub_steps(self, h: float) -> list[float]:
        """Return the lengths [s] of the steps that a step is made of, and note their order.

        One, unless a joint's lever turns too far for it. Orders above 2 are compositions of it with negative
        shares, which nothing one-sided or damped would survive: such a step falls back to order 2.
        """
        settings, statistics = self.settings, self.statistics
        parts = 1
        if len(self._acting_joints):
            turn = largest_turn(self.joints, self.joint_frames, self.bodies, h)
            # written so that NaN asks for one step, in which it will be found out
            if turn > settings.largest_turn:
                parts = int(min(np.ceil(turn / settings.largest_turn), settings.most_sub_steps))
        shares = COMPOSITIONS[2]
        statistics.order = 2
        if settings.order > 2 and self.contacts.count == 0 and self._reversible():
            shares = COMPOSITIONS[settings.order]
            statistics.order = settings.order
        self._shortest = h / settings.most_sub_steps
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
        self.detect()
        self._build()
        self._total = np.zeros_like(self.rows.impulse)
        self.stale = False

    def remove_body(self, row: int) -> None:
        """Forget a body that is about to be removed; its shapes go, and with them its contacts."""
        if self.contacts.count > 0:
            self._remember()
        shape_body = self.detector.table.body[: self.detector.table.count]
        self._memory = forget_shapes(self._memory, np.flatnonzero(shape_body == row))
        self.detector.remove_body(row)
        self._drop_contacts()

    def roll_back(self) -> None:
        """Return to bodies and joints as they were at the start of the step."""
        self.table.set_arrays(self._good)
        for name, good in zip(JOINT_STATE, self._good_joints, strict=False):
            getattr(self.joints, name)[:] = good
        self._memory = self._good_memory
        self._drop_contacts()

    def _drop_contacts(self) -> None:
        """Have no contacts until the next detection."""
        self.contacts = Contacts()
        self._find_islands()
        self._build()
        self._total = np.zeros(0)
        self.stale = True

    def correct(self, h: float, gravity: np.ndarray) -> bool:
        """Give impulses at t so that joints and resting contacts hold at t + h: preview, solve, repeat.

        Returns:
            Whether that was possible. If not, joints turn too far, nothing has changed, and the step is to be
            split; one that is too short for that is always taken as it is.
        """
        bodies, settings, statistics, islands = self.bodies, self.settings, self.statistics, self.islands
        self._old = self.table.copy_arrays()
        self._closed = False
        free_accelerations(bodies, gravity, self._roots, self._accelerations)
        rows, count = self.rows, len(islands.body_start) - 1
        if count == 0:
            statistics.substeps += 1
            return True
        if self._step_length not in (0.0, h):
            rows.impulse[:] *= h / self._step_length
        self._step_length = h
        joints, frames = self.joints, self.joint_frames
        frames.start[:] = joints.value
        tolerance = self._tolerance
        start = (rows.impulse.copy(), rows.state.copy())
        splittable = len(self._acting_joints) > 0 and abs(h) >= 2.0 * self._shortest
        exact = self._has_joints & (self.solver.methods == DIRECT)
        reach = settings.correction_speed * abs(h)
        farthest = 0.0
        before = np.inf
        chosen = np.ones(count, np.bool_)
        members = self._everyone
        worst = np.zeros(count)
        for number in range(settings.preview_passes):
            self._preview(members, h, gravity)
            worst[:] = 0.0
            if self.contacts.count > 0:
                prepare_correct(
                    rows,
                    self.frames,
                    self.contacts.arrays,
                    bodies,
                    self._accelerations,
                    self._middle_velocities,
                    self._middle_angular_velocities,
                    self._next_positions,
                    self._next_quaternions,
                    h,
                    settings.resting_speed,
                    settings.touch_distance,
                    SLACK * settings.position_tolerance,
                    self.layout.contact_start,
                    chosen,
                    worst,
                )
            if len(self._acting_joints):
                farthest = prepare_joints_correct(
                    joints,
                    frames,
                    self._places,
                    rows,
                    bodies,
                    self._next_positions,
                    self._next_quaternions,
                    h,
                    reach,
                    settings.resting_speed,
                    chosen,
                    number == 0,
                    worst,
                )
            if number > 0:
                chosen &= worst > tolerance
                error = float(worst[chosen & exact].max(initial=0.0))
                slow = number > 1 and error > SLOW * before or number + 1 == settings.preview_passes
                if splittable and error > 0.0 and slow:
                    bodies.velocities[:] = self._old.velocities
                    bodies.angular_velocities[:] = self._old.angular_velocities
                    rows.impulse[:], rows.state[:] = start
                    return False
                before = error
                statistics.preview_error = max(statistics.preview_error, float(worst.max()))
                if not chosen.any():
                    self._closed = farthest <= reach and len(self._acting_joints) > 0
                    break
            statistics.passes += 1
            self._solve(members, tolerance / abs(h), warm=number == 0, chosen=chosen)
            if number == 0:
                chosen = self._has_joints | (self.solver.methods == DIRECT)
            elif number + 1 >= MOST_CONTACT_PASSES:
                chosen &= self._has_joints
            self._drop_straight(chosen, h)
            if not chosen.any():
                break
            members = islands.bodies[np.repeat(chosen, np.diff(islands.body_start))]
        self._remember()
        if len(self._acting_joints):
            gather_joints(joints, frames, rows, rows.impulse)
        statistics.substeps += 1
        return True

    def _drop_straight(self, chosen: np.ndarray, h: float) -> None:
        """Choose no longer the islands without joints whose contact points move almost straight."""
        if self.contacts.count == 0:
            return
        bent = chosen & ~self._has_joints
        start = self.layout.contact_start
        preview_curvature(
            self.frames, self.contacts.arrays, self.bodies, h, start, bent, self.settings.position_tolerance
        )
        chosen &= bent | self._has_joints

    @property
    def _tolerance(self) -> float:
        """Return the tolerance [m] of the preview: of a composition, far below the error of its order."""
        settings = self.settings
        return settings.position_tolerance * (1.0 if self.statistics.order == 2 else COMPOSED_TOLERANCE)

    def move(self, h: float, gravity: np.ndarray) -> None:
        """Move every body freely from t to t + h."""
        b = self.bodies
        advance(
            METHODS[self.settings.motion],
            b.positions,
            b.quaternions,
            b.velocities,
            b.angular_velocities,
            b.inverse_masses,
            b.inertias,
            b.forces,
            b.torques,
            gravity,
            b.kinds,
            h,
        )

    def detect(self) -> None:
        """Find contacts and islands of the present poses."""
        b = self.bodies
        self.contacts = self.detector.detect(
            b.positions, b.quaternions, b.kinds == DYNAMIC, self.settings.contact_margin
        )
        self._touching = self.contacts.gap[: self.contacts.count] <= self.settings.touch_distance
        self._find_islands()

    def _find_islands(self) -> None:
        if len(self._z) != self.table.count:
            self._resize()
        if self._joint_version != self.joint_table.version:
            self._resize_joints()
        c, bodies, joints, acting = self.contacts, self.bodies, self.joints, self._acting_joints
        first, second = c.body_a[: c.count], c.body_b[: c.count]
        if len(acting):
            first = np.concatenate([first, joints.bodies[acting, 0]])
            second = np.concatenate([second, joints.bodies[acting, 1]])
        self.islands = islands = Islands(
            *find_islands(first, second, c.count + len(acting), bodies.kinds == DYNAMIC)
        )
        self.layout = self._lay_out(3, self._joint_rows)
        self._has_joints = np.zeros(len(islands.body_start) - 1, np.bool_)
        frames = self.joint_frames
        if len(acting):
            frames.first_row[acting] = self.layout.start[self.layout.joint_block[acting]]
            frames.island[:] = self.layout.joint_island
            self._has_joints[frames.island[acting]] = True
        self.solver.choose(islands, self.layout.start, self.table.count, self.settings, self.step)
        world_root_inverse_inertias(bodies, self._roots)

    def _lay_out(self, contact_rows: int, joint_rows: np.ndarray) -> Layout:
        islands, acting = self.islands, self._acting_joints
        return Layout(
            *lay_out(
                islands.order,
                islands.block_start,
                self.contacts.count,
                contact_rows,
                acting,
                joint_rows,
                len(joint_rows),
            )
        )

    def separate(self, h: float) -> None:
        """Displace bodies that overlap, or whose joints are open."""
        c, islands, settings, layout = self.contacts, self.islands, self.settings, self.layout
        slop = SLOP * settings.position_tolerance
        overlaps = c.count > 0 and c.gap[: c.count].min() < -slop
        errors = np.zeros(len(islands.body_start) - 1)
        if len(self._acting_joints) and not self._closed:
            find_joint_errors(self.joints, self.joint_frames, self.bodies, self._places, errors)
        broken = errors > settings.correction_speed * abs(h)
        if not overlaps and not broken.any():
            return
        displaced = broken
        if overlaps:
            displaced = overlapping_islands(c.arrays, layout.contacts, layout.contact_start, slop) | broken
        single = self._lay_out(1, self._joint_holds)
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
                self._build_joints(rows, holds_only=True)
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
        self._build()
        rows, frames, bodies, settings = self.rows, self.frames, self.bodies, self.settings
        if len(rows.bias) == 0:
            return
        arrays, touch, elastic = self.contacts.arrays, settings.touch_distance, False
        # what touched before it was displaced needs its impulse; what was pushed close touches now
        touching = self._touching | (self.contacts.gap[: self.contacts.count] <= touch)
        hits = np.zeros(0, np.int64)
        if self.contacts.count > 0:
            elastic = meet(frames, arrays, bodies, self._accelerations, self._old, touching)
            hits = np.flatnonzero(frames.approach > settings.resting_speed)
            hit = frames.contact[hits]
            self.solver.postpone(np.concatenate([self.contacts.body_a[hit], self.contacts.body_b[hit]]))
        if self._has_stops:
            elastic |= self._settle_joints(h, find_approaches=True) > 0
        carried = (rows.impulse.copy(), rows.state.copy())
        given = np.zeros_like(rows.impulse)
        if elastic:
            for number in range(MOST_IMPACT_ROUNDS):
                speed = settings.resting_speed
                approaching = prepare_impacts(rows, frames, arrays, bodies, touching, speed, number == 0)
                approaching += self._settle_joints(h, impact_round=number)
                if approaching == 0:
                    break
                self.statistics.impact_rounds += 1
                self._solve(self.islands.bodies, settings.velocity_tolerance, warm=False)
                given += rows.impulse
            rows.impulse[:], rows.state[:] = carried
        if self.contacts.count > 0:
            prepare_settle(rows, frames, arrays, bodies, touching)
        self._settle_joints(h)
        self._solve(self.islands.bodies, settings.velocity_tolerance, warm=True)
        given += rows.impulse
        self._total = carried[0] + given
        # where this step held an impact, the next one starts from the resting impulse
        for i in range(3):
            rows.impulse[frames.row[hits] + i] = carried[0][frames.row[hits] + i]
        if len(self._acting_joints):
            gather_joints(self.joints, self.joint_frames, rows, given)

    def _settle_joints(self, h: float, *, impact_round: int = -1, find_approaches: bool = False) -> int:
        """Prepare the rows of joints for the end of the step; see `prepare_joints_settle`."""
        if not len(self._acting_joints):
            return 0
        return prepare_joints_settle(
            self.joints,
            self.joint_frames,
            self.rows,
            self.bodies,
            h,
            self.settings.touch_distance,
            self.settings.resting_speed,
            impact_round,
            find_approaches,
        )

    @property
    def contact_impulses(self) -> np.ndarray:
        """Impulses (c, 3) [N s] on the first body of each contact: both ends of the step, and impacts."""
        out = np.zeros((self.contacts.count, 3))
        if len(self._total) == len(self.rows.bias) and len(out):
            parts = self._total[self.frames.row[:, None] + np.arange(3)]
            out[self.frames.contact] = (parts[:, :, None] * self.frames.axes).sum(axis=1)
        return out

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
            step_length=self._step_length,
            memory=ImpulseMemory(*(field.copy() for field in self._memory)),
            solver=self.solver.save(),
        )

    def restore(self, state: DynamicsState) -> None:
        """Return to a saved state; bodies and joints are in place already."""
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
        self._step_length = state.step_length
        self.stale = state.stale

    def _build(self) -> None:
        """Build the rows of contacts and joints, with the impulses they had in the last phase."""
        c, settings, layout = self.contacts, self.settings, self.layout
        self.frames = self._frame_store.resize(c.count)
        self.rows = self._row_store.resize(len(self.islands.order), layout.start[-1])
        self.rows.start[:] = layout.start
        if len(self.rows.bias) == 0 and self.joint_table.count == 0:
            return
        world_root_inverse_inertias(self.bodies, self._roots)
        if c.count > 0:
            build_rows(
                c.arrays,
                layout.contacts,
                layout.contact_block,
                self.bodies,
                self._roots,
                COMBINATION_RULES.index(settings.friction_rule),
                COMBINATION_RULES.index(settings.restitution_rule),
                self.rows,
                self.frames,
            )
            place = np.empty(c.count, np.int64)
            place[layout.contacts] = np.arange(c.count)
            recall(self._memory, c.arrays, c.count, place, self.rows, self.frames)
        if self.joint_table.count > 0:
            self._build_joints(self.rows, holds_only=False)
        self.solver.take(self.rows)

    def _build_joints(self, rows: Rows, *, holds_only: bool) -> None:
        build_joint_rows(
            self.joints,
            self.joint_frames,
            self._places,
            self.layout.joint_block,
            holds_only,
            self.bodies,
            self._roots,
            rows,
        )

    def _remember(self) -> None:
        self._memory = empty_memory(self.contacts.count)
        if self.contacts.count == 0:
            return
        remember(self.rows, self.frames, self.contacts.arrays, self._memory)

    def _preview(self, members: np.ndarray, h: float, gravity: np.ndarray) -> None:
        b = self.bodies
        preview(
            METHODS[self.settings.motion],
            members,
            b.positions,
            b.quaternions,
            b.velocities,
            b.angular_velocities,
            b.inverse_masses,
            b.inertias,
            b.forces,
            b.torques,
            gravity,
            b.kinds,
            h,
            self._next_positions,
            self._next_quaternions,
        )

    def _solve(
        self, members: np.ndarray, sweep_tolerance: float, *, warm: bool, chosen: np.ndarray | None = None
    ) -> None:
        self.solver.solve(
            self.rows,
            self._z,
            self.settings,
            self.statistics,
            sweep_tolerance=sweep_tolerance,
            warm=warm,
            chosen=chosen,
        )
        apply_rows(self._z, members, self.bodies, self._roots)

"""The stages of a step over the arrays: correct, move, detect, separate, settle (`World.step` calls them)."""

from dataclasses import dataclass, field

import numpy as np

from collision import Detector
from collision.contacts import Contacts
from engine.bodies import DYNAMIC, BodyArrays, BodyTable
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
from engine.islands import Islands, find_islands
from engine.material import COMBINATION_RULES
from engine.motion import METHODS, advance, preview
from engine.rows import RowStore
from engine.separation import build_separation_rows, displace, overlapping_islands
from engine.settings import Settings
from engine.snapshot import DynamicsState
from engine.solver import DIRECT, IslandSolver, SolveStatistics

__all__ = ["Dynamics", "StepStatistics"]

# Rounds of impacts in one step: a cradle of n balls needs n - 1. What still approaches afterwards is
# stopped without restitution by the velocity rows.
MOST_IMPACT_ROUNDS = 20
# Overlap that is left alone, as a share of the position tolerance.
SLOP = 0.1
# Gap at which resting contacts are held, as a share of the position tolerance: well above rounding.
SLACK = 1e-3


@dataclass
class StepStatistics(SolveStatistics):
    """Figures of one step."""

    passes: int = 0
    impact_rounds: int = 0
    preview_error: float = 0.0
    times: dict[str, float] = field(default_factory=dict)


class Dynamics:
    """Hold what the stages of a step hand to each other: contacts, islands, rows and solvers.

    Args:
        table: the bodies.
        detector: their shapes.
        settings: settings of the world.
    """

    def __init__(self, table: BodyTable, detector: Detector, settings: Settings) -> None:
        self.table = table
        self.detector = detector
        self.settings = settings
        self.contacts = Contacts()
        self.solver = IslandSolver()
        self.statistics = StepStatistics()
        self.step = 0
        self.stale = True  # poses or bodies changed since the contacts were found
        self._row_store = RowStore()
        self._frame_store = FrameStore()
        self._separation_store = RowStore()
        self._memory: ImpulseMemory = empty_memory()
        self._touching = np.zeros(0, np.bool_)  # contacts that touched before bodies were displaced
        self._total = np.zeros(0)  # impulses of the rows over the last step
        self._old: BodyArrays = table.copy_arrays()  # bodies at the start of the step
        self._old_memory = self._memory
        self._resize()
        self._find_islands()
        self._build()

    @property
    def bodies(self) -> BodyArrays:
        """Return the arrays of the bodies."""
        return self.table.arrays

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

    def begin(self) -> None:
        """Start a step: fresh figures, contacts of what was moved or added by hand, old state kept."""
        self.statistics = StepStatistics()
        if self.stale:
            self.refresh()
        self._old = self.table.copy_arrays()
        self._old_memory = self._memory

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
        """Return to the bodies as they were at the start of the step."""
        self.table.set_arrays(self._old)
        self._memory = self._old_memory
        self._drop_contacts()

    def _drop_contacts(self) -> None:
        """Have no contacts until the next detection."""
        self.contacts = Contacts()
        self._find_islands()
        self._build()
        self._total = np.zeros(0)
        self.stale = True

    def correct(self, h: float, gravity: np.ndarray) -> None:
        """Give impulses at t so that resting contacts hold at t + h: evaluate the preview, solve, repeat."""
        bodies, settings, statistics = self.bodies, self.settings, self.statistics
        free_accelerations(bodies, gravity, self._roots, self._accelerations)
        if self.contacts.count == 0:
            return
        arrays, block_start = self.contacts.arrays, self.islands.block_start
        direct = self.solver.methods == DIRECT
        for number in range(settings.preview_passes):
            self._preview(h, gravity)
            error = prepare_correct(
                self.rows,
                self.frames,
                arrays,
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
                block_start,
                direct if number > 0 else np.ones_like(direct),
            )
            if number > 0:
                statistics.preview_error = error
                if error <= settings.position_tolerance:
                    break
            statistics.passes += 1
            self._solve(settings.position_tolerance / h, warm=number == 0, direct_only=number > 0)
            curvature = preview_curvature(self.frames, arrays, bodies, h, block_start, direct)
            if curvature <= settings.position_tolerance:
                break
        self._remember()

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
        c, reacts = self.contacts, self.bodies.kinds == DYNAMIC
        self.islands = Islands(*find_islands(c.body_a, c.body_b, c.count, reacts))
        self.solver.choose(self.islands, self.table.count, self.settings, self.step)
        world_root_inverse_inertias(self.bodies, self._roots)

    def separate(self, h: float) -> None:
        """Displace bodies that overlap."""
        c, islands, settings = self.contacts, self.islands, self.settings
        slop = SLOP * settings.position_tolerance
        if c.count == 0 or c.gap[: c.count].min() >= -slop:
            return
        rows = self._separation_store.resize(c.count, c.count)
        build_separation_rows(
            c.arrays,
            islands.order,
            self.bodies,
            self._roots,
            rows,
            h,
            settings.recovery_rate,
            settings.recovery_speed,
            slop,
        )
        displaced = overlapping_islands(c.arrays, islands.order, islands.block_start, slop)
        self.solver.displace(rows, self._z, displaced, settings, 0.1 * slop)
        displace(
            c.arrays,
            islands.order,
            islands.block_start,
            islands.bodies,
            islands.body_start,
            displaced,
            self.bodies,
            self._roots,
            self._z,
            h,
            settings.recovery_speed,
        )

    def settle(self) -> None:
        """Give impulses at t + h: impacts with restitution, then nothing approaches and friction holds."""
        self._build()
        if self.contacts.count == 0:
            return
        rows, frames, bodies, settings = self.rows, self.frames, self.bodies, self.settings
        arrays = self.contacts.arrays
        # what touched before it was displaced needs its impulse; what was pushed close touches now
        touching = self._touching | (self.contacts.gap[: self.contacts.count] <= settings.touch_distance)
        bounces = meet(frames, arrays, bodies, self._accelerations, self._old, touching)
        hits = np.flatnonzero(frames.approach > settings.resting_speed)
        hit = frames.contact[hits]
        self.solver.postpone(np.concatenate([self.contacts.body_a[hit], self.contacts.body_b[hit]]))
        carried = (rows.impulse.copy(), rows.state.copy())
        self._total = carried[0].copy()
        if bounces:
            for number in range(MOST_IMPACT_ROUNDS):
                approaching = prepare_impacts(
                    rows, frames, arrays, bodies, touching, settings.resting_speed, number == 0
                )
                if approaching == 0:
                    break
                self.statistics.impact_rounds += 1
                self._solve(settings.velocity_tolerance, warm=False)
                self._total += rows.impulse
            rows.impulse[:], rows.state[:] = carried
        prepare_settle(rows, frames, arrays, bodies, touching)
        self._solve(settings.velocity_tolerance, warm=True)
        self._total += rows.impulse
        # where this step held an impact, the next one starts from the resting impulse
        for i in range(3):
            rows.impulse[3 * hits + i] = carried[0][3 * hits + i]

    @property
    def contact_impulses(self) -> np.ndarray:
        """Impulses (c, 3) [N s] on the first body of each contact: both ends of the step, and impacts."""
        out = np.zeros((self.contacts.count, 3))
        if len(self._total) == 3 * self.contacts.count:
            parts = self._total.reshape(-1, 3, 1) * self.frames.axes
            out[self.frames.contact] = parts.sum(axis=1)
        return out

    def save(self) -> DynamicsState:
        """Return what the next step starts from, besides the bodies."""
        return DynamicsState(
            stale=self.stale,
            contacts=self.contacts.copy(),
            impulse=self.rows.impulse.copy(),
            state=self.rows.state.copy(),
            total=self._total.copy(),
            memory=ImpulseMemory(*(field.copy() for field in self._memory)),
            solver=self.solver.save(),
        )

    def restore(self, state: DynamicsState) -> None:
        """Return to a saved state; the bodies are in place already."""
        self.contacts = state.contacts.copy()
        self.contacts.reserve(1)
        self._resize()
        self._find_islands()
        self._memory = ImpulseMemory(*(field.copy() for field in state.memory))
        self._build()
        self.solver.restore(state.solver)
        self.rows.impulse[:], self.rows.state[:] = state.impulse, state.state
        self._total = state.total.copy()
        self.stale = state.stale

    def _build(self) -> None:
        """Build the rows of the present contacts, with the impulses they had in the last phase."""
        c, settings = self.contacts, self.settings
        self.frames = self._frame_store.resize(c.count)
        self.rows = self._row_store.resize(c.count, 3 * c.count)
        if c.count == 0:
            self.rows.start[0] = 0
            return
        order = self.islands.order
        world_root_inverse_inertias(self.bodies, self._roots)
        build_rows(
            c.arrays,
            order,
            self.bodies,
            self._roots,
            COMBINATION_RULES.index(settings.friction_rule),
            COMBINATION_RULES.index(settings.restitution_rule),
            self.rows,
            self.frames,
        )
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        recall(self._memory, c.arrays, c.count, place, self.rows, self.frames)
        self.solver.take(self.rows)

    def _remember(self) -> None:
        self._memory = empty_memory(self.contacts.count)
        remember(self.rows, self.frames, self.contacts.arrays, self._memory)

    def _preview(self, h: float, gravity: np.ndarray) -> None:
        b = self.bodies
        preview(
            METHODS[self.settings.motion],
            self._everyone,
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

    def _solve(self, sweep_tolerance: float, *, warm: bool, direct_only: bool = False) -> None:
        self.solver.solve(
            self.rows,
            self._z,
            self.settings,
            self.statistics,
            sweep_tolerance=sweep_tolerance,
            warm=warm,
            wanted=DIRECT if direct_only else -1,
        )
        apply_rows(self._z, self.islands.bodies, self.bodies, self._roots)

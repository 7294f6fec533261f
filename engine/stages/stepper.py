"""The stages of a step over the arrays: correct, move, detect, separate, settle (`World.step` calls them)."""

import numpy as np
from stoss.collision import Detector
from stoss.collision.contacts import Contacts
from stoss.engine.bodies.arrays import DYNAMIC, BodyTable
from stoss.engine.bodies.energy import energy_and_momentum
from stoss.engine.bodies.material import IMPACT_LAWS
from stoss.engine.contacts.constraints import NOBODY
from stoss.engine.contacts.warm_start import ImpulseMemory, empty_memory
from stoss.engine.joints.arrays import DRIVE, FORCE, LIMIT, JointTable
from stoss.engine.joints.state import fastest_turns, update_drives
from stoss.engine.motion.compositions import COMPOSITIONS
from stoss.engine.motion.continuous import FastBodies, hold
from stoss.engine.motion.free_motion import METHODS
from stoss.engine.motion.time_of_impact import first_contact
from stoss.engine.settings import Settings
from stoss.engine.stages.checkpoint import StepStart, back_to, mark_of
from stoss.engine.stages.ledger import DISPLACED
from stoss.engine.stages.separate import Displacement
from stoss.engine.stages.stages import LARGEST_SWING, OPEN, correct, move, run_apart, settle
from stoss.engine.stages.state import Options
from stoss.engine.stages.waking import RestingInstant
from stoss.engine.world.snapshot import DynamicsState, Mark

__all__ = ["Dynamics"]

# The shortest sub-step is that much shorter than the planned ones may be: for slack chains that snap taut.
SPLITS = 16
# Tolerances of preview and velocity rows in a composition, as shares of the usual ones: far below the error
# of its order.
COMPOSED_TOLERANCE = 1e-6
COMPOSED_VELOCITY = 1e-3
# No preview is better than this [m or rad], for bodies of about a metre.
ROUNDING = 1e-13


class Dynamics(RestingInstant):
    """Advance an instant by the stages of a step.

    Args:
        table: the bodies.
        joint_table: the joints.
        detector: shapes of the bodies.
        settings: settings of the world.
    """

    def __init__(
        self, table: BodyTable, joint_table: JointTable, detector: Detector, settings: Settings
    ) -> None:
        super().__init__(table, joint_table, detector, settings)
        self.order = 2  # of the last step
        self._start = StepStart(self)
        self._displacement = Displacement(self)
        self._shortest = 0.0  # sub-step [s] that is not split
        self._fast = FastBodies(detector)
        self._unseen = 0.0  # time [s] since contacts were last looked for
        self._held = False  # whether any body was held in the last sub-step

    def change_settings(self, settings: Settings) -> None:
        """Take other settings from the next step on; all bodies must be awake."""
        self.settings = settings
        self.sleepers.configure(settings.sleep_distance, settings.sleep_time, settings.touch_distance)
        self.stale = True

    def begin(self, time: float, h: float, gravity: np.ndarray) -> None:
        """Start a step: fresh figures, contacts of what was moved or added by hand, old state kept."""
        self.figures[:] = 0.0
        self._unseen = 0.0
        changed = self.stale
        self.ledger[:] = 0.0
        if self.stale or self.joint_version != self.joint_table.version:
            self.refresh()
        self._start.keep()
        if self.joint_table.count > 0:
            update_drives(self.joints, time, h)
        if self.settings.sleeping:
            self.review_sleepers(gravity, changed)
            if self.sleepers.count:
                self.remember()  # for the case that the step is to be taken again
                self._start.memory = self.memory
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
        self.build()
        self.step_length[0] = self._start.step_length
        return self.sub_steps(h, 2)

    def _go_back(self) -> None:
        """Return bodies and joints to the start of the step."""
        self._unseen = 0.0
        self._start.give_back()

    def start_awake(self, h: float) -> list[float]:
        """Return to the start of a step that brought bodies near those that sleep, and wake these.

        Returns:
            The sub-steps to take; see `sub_steps`.
        """
        self._go_back()
        self.figures[:] = 0.0
        self.memory, self.contacts = self._start.memory, Contacts()
        self.wake(self.met)
        self.refresh()
        self._clear_reactions()
        self.step_length[0] = self._start.step_length
        return self.sub_steps(h, self.settings.order)

    def sub_steps(self, h: float, order: int) -> list[float]:
        """Return the lengths [s] of the steps that a step is made of, and note their order.

        One, unless a joint's lever turns too far for it. Orders above 2 are compositions of it with negative
        shares, which nothing one-sided or damped would survive: such a step falls back to order 2.
        """
        settings = self.settings
        parts = 1
        if len(self.acting_joints):
            turn, swing = fastest_turns(
                self.joints, self.joint_frames, self.rows, self.bodies, self.step_length[0]
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

    def roll_back(self) -> None:
        """Return to bodies and joints as they were at the start of the step."""
        self._start.give_back_all()
        self.drop_contacts()

    def mark(self) -> Mark:
        """Return the present instant within a step, for `back`."""
        return mark_of(self)

    def back(self, mark: Mark) -> None:
        """Return to an instant of this step."""
        back_to(self, mark)

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
            self.old,
            self.scratch,
            METHODS[self.settings.motion],
            gravity,
            h,
            touch,
            tolerance,
        )

    def set_partner(self, partner: int) -> None:
        """Say whom all bodies meet at the end of this sub-step: NOBODY or ANYONE."""
        self.scratch.partner[:] = partner

    @property
    def _options(self) -> Options:
        """Return settings and circumstances as numbers.

        Phases start cold with shock propagation: its impulses act on the upper bodies alone, and a start from
        them would push the lower ones.
        """
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
            stops=self.has_stops,
            exact=settings.time_of_contact,
            cold=settings.shock_propagation or not settings.warm_start,
            composed=composed,
        )

    def correct(self, h: float, gravity: np.ndarray) -> bool:
        """Give impulses at t so that joints and resting contacts hold at t + h; see `stages.correct`.

        Returns:
            Whether that was possible; if not, the step is to be split.
        """
        memory = empty_memory(self.contacts.count)
        possible = correct(self.system, self._options, memory, h, gravity, self.figures)
        self.solver.learn(self.settings)
        if possible:
            self.memory = memory
        return bool(possible)

    def run_apart(self, pending: list[float], gravity: np.ndarray) -> tuple[list[float], int]:
        """Make sub-steps while nothing touches, all but the last one; see `stages.run_apart`."""
        left, end = run_apart(self.system, self._options, np.array(pending), gravity, self.figures)
        self.solver.learn(self.settings)
        self._unseen += sum(pending) - left.sum() + (left[-1] if end == OPEN else 0.0)
        return left.tolist(), int(end)

    def move(self, h: float, gravity: np.ndarray) -> None:
        """Move every body freely from t to t + h."""
        move(self.bodies, METHODS[self.settings.motion], gravity, h, self.ledger)
        self._unseen += h

    def hold_back(self, h: float, gravity: np.ndarray) -> None:
        """Hold fast bodies where they met others since the last detection; see `continuous`."""
        b = self.bodies
        if self._held:
            self.scratch.partner[:] = NOBODY
            self._held = False
        start, quaternions = self._unseen_from(h)
        if not self._fast.any_fast(b, start, self._unseen, exact=False):
            return
        jointed, group = self._fast.jointed(self.joints, self.table.arrays.kinds, self.joint_table.version)
        free = b.kinds == DYNAMIC
        if start is not self.old.positions:
            free &= ~jointed  # joints have bent their paths
        close = 0.5 * self.settings.touch_distance
        held = self._fast.holds(
            b, start, quaternions, self.scratch.accelerations, self._unseen, close, group, free
        )
        self._held = len(held) > 0
        if self._held:
            self.ledger[DISPLACED] -= energy_and_momentum(b, gravity)[:2].sum()
            hold(held, b, METHODS[self.settings.motion], gravity, self._unseen, self.scratch.partner)
            self.ledger[DISPLACED] += energy_and_momentum(b, gravity)[:2].sum()

    def detect(self) -> None:
        """Find contacts and islands of the present poses; stop at the contacts if bodies asleep are `met`."""
        self._unseen = 0.0
        super().detect()

    def may_cross(self, step: float) -> bool:
        """Return whether sub-steps must look for contacts since fast jointed bodies might cross others."""
        if not self.settings.swept or self.order > 2 or not len(self.acting_joints):
            return False
        joined = self._fast.jointed(self.joints, self.table.arrays.kinds, self.joint_table.version)
        return self._fast.may_cross(self.bodies, *joined, step)

    def _unseen_from(self, h: float) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and orientations at the last detection in this step."""
        if abs(self._unseen - h) <= 1e-9 * abs(h):
            return self.old.positions, self.old.quaternions
        return self._start.poses

    def first_meeting(self, h: float) -> float:
        """Return the time [s] in this sub-step at which a fast body first meets another one, or infinity."""
        b, old = self.bodies, self.old
        if not self._fast.any_fast(b, old.positions, h, exact=True):
            return np.inf
        close = 0.5 * self.settings.touch_distance
        share = self._fast.first_meeting(
            b, old.positions, old.quaternions, self.scratch.accelerations, h, close
        )
        return share * h if share < 1.0 else np.inf

    def separate(self, h: float, gravity: np.ndarray) -> None:
        """Displace bodies that overlap, or whose joints are open; see `Displacement`."""
        self._displacement.separate(h, gravity)

    def settle(self, h: float) -> None:
        """Give impulses at t + h: impacts with restitution, then nothing approaches and friction holds."""
        self.resize_rows()
        settle(self.system, self.building, self._options, h, self.figures)
        self.solver.learn(self.settings)
        if self.solver.settled:
            return
        hit = self.frames.contact[self.frames.approach > self.settings.resting_speed]
        if len(hit):
            self.solver.postpone(np.concatenate([self.contacts.body_a[hit], self.contacts.body_b[hit]]))

    def save(self) -> DynamicsState:
        """Return what the next step starts from, besides bodies and joints."""
        if self.stale or self.joint_version != self.joint_table.version:
            self.refresh()
        return DynamicsState(
            stale=self.stale,
            contacts=self.contacts.copy(),
            impulse=self.rows.impulse.copy(),
            state=self.rows.state.copy(),
            total=self.total.copy(),
            step_length=float(self.step_length[0]),
            memory=ImpulseMemory(*(field.copy() for field in self.memory)),
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
        self.joint_version = -1
        self.find_islands()
        self.memory = ImpulseMemory(*(field.copy() for field in state.memory))
        self.build()
        self.solver.restore(state.solver)
        self.rows.impulse[:], self.rows.state[:] = state.impulse, state.state
        self.total = state.total.copy()
        self.step_length[0] = state.step_length
        self.stale = state.stale

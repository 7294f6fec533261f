"""The stages of a step: correct, move, detect, separate, settle (`SubSteps` says how often)."""

from typing import NamedTuple, Protocol

import numpy as np

from stoss.collision import Detector
from stoss.collision.contacts import Contacts
from stoss.engine.bodies.arrays import BodyTable
from stoss.engine.constraints.islands import Islands
from stoss.engine.joints.leading import advance_led
from stoss.engine.joints.table import JointTable
from stoss.engine.laws.friction_arrays import STEP_WORK
from stoss.engine.laws.law_table import LawTable
from stoss.engine.motion.free_motion import METHODS
from stoss.engine.settings import Settings
from stoss.engine.solvers.allowance import next_usual
from stoss.engine.solvers.statistics import CLOSED
from stoss.engine.stages import clock
from stoss.engine.stages.after_step import Pairs
from stoss.engine.stages.at_once import (
    CORRECTED,
    DETECTED,
    FAST,
    NOTHING,
    REFUSED,
    SETTLED,
    MadeAhead,
)
from stoss.engine.stages.checkpoint import (
    Checkpoint,
    SavedSystem,
    StartOfStep,
    restore,
    restore_bodies_and_joints,
    restore_system,
    save_system,
)
from stoss.engine.stages.clock import StageClock
from stoss.engine.stages.constraint_system import ConstraintSystem
from stoss.engine.stages.contact_free import make_contact_free, move
from stoss.engine.stages.correct import correct
from stoss.engine.stages.crossings import Crossings
from stoss.engine.stages.inputs import StepInputs
from stoss.engine.stages.lift import AJAR, find_placed
from stoss.engine.stages.mechanisms import Mechanisms, SavedMechanisms
from stoss.engine.stages.options import step_options
from stoss.engine.stages.plain_step import PlainSteps
from stoss.engine.stages.planned import Begun, Plan, Planned
from stoss.engine.stages.regrouping import postpone_hit
from stoss.engine.stages.separation import Separation
from stoss.engine.stages.settle import settle
from stoss.engine.stages.splitting import room_for
from stoss.engine.stages.state import Options, State
from stoss.engine.stages.waking import Waking

__all__ = ["Correction", "SavedStep", "Stepper"]

NO_CONTACTS = np.zeros(0, np.int64)


class Correction(NamedTuple):
    """What came of `Stepper.correct`."""

    possible: bool  # if not, nothing has changed, and the sub-step is to be made shorter
    closed: bool  # whether the preview closed the joints, so that none has to be looked at after the motion


class ChangingLoads(Protocol):
    """Loads that are evaluated anew in each sub-step of a composition."""

    def change_to(self, offset: float, h: float) -> np.ndarray:
        """Return forces and torques (n, 6) for the h [s] from `offset` [s] on, from where bodies are."""
        ...

    def whole(self) -> np.ndarray:
        """Return those of the whole step, which is made again."""
        ...

    @property
    def of_whole_step(self) -> np.ndarray:
        """Return those of the whole step."""
        ...


class SavedStep(NamedTuple):
    """What the next step starts from, besides bodies and joints."""

    rest: SavedSystem
    mechanisms: SavedMechanisms | None


class Stepper:
    """Call the stages of a step, and what comes before and after them.

    Args:
        table: the bodies.
        joint_table: the joints.
        detector: shapes of the bodies.
        settings: settings of the world.
        laws: friction laws of the world.

    Attributes:
        state: bodies and joints as the stages see them.
        system: the constraint system of the present poses.
        mechanisms: what is made apart from the rest.
        waking: who falls asleep and wakes.
        crossings: what happens between two detections.
        clock: time per stage.
        plain: makes steps in which nothing is to be done but the stages.
    """

    def __init__(
        self,
        table: BodyTable,
        joint_table: JointTable,
        detector: Detector,
        settings: Settings,
        laws: LawTable,
    ) -> None:
        self.state = State(table, joint_table, settings, laws)
        self.system = ConstraintSystem(self.state, detector)
        self.waking = Waking(self.system)
        self.mechanisms = Mechanisms(self.system)
        self.clock = StageClock()
        self._start = StartOfStep()
        self._inputs = StepInputs(self.state)
        self.crossings = Crossings(self.system)
        self._separation = Separation(self.system)
        self._ahead = MadeAhead(self.system, self.crossings, self._separation, self.clock)
        self._planned = Planned(self.system, self._ahead, self.crossings)
        self._begun = False  # whether a kernel has begun sub-steps that `begun` is to tell of
        self.plain = PlainSteps(
            *(self.system, self._ahead, self._planned, self._start, self._inputs, self.clock),
            self._usual_options,
        )
        self.broken: list[tuple[int, int]] = []  # bodies, by rows, between which a wall broke in this step
        self.loads: ChangingLoads | None = None  # what is evaluated anew in sub-steps of compositions
        self._step_length = 0.0  # of the present step [s]
        self._options: Options | None = None
        self._options_for: tuple[Settings, bool, float, bool, bool] | None = None

    def change_settings(self, settings: Settings) -> None:
        """Take other settings from the next step on; all bodies must be awake."""
        self.state.settings = settings
        self.state.sleepers.configure(settings.rest_limits, settings.touch_distance)
        self.state.stale = True

    @property
    def islands(self) -> list[Islands]:
        """Return the islands of the rest, and those of the mechanisms that are set aside."""
        aside = self.mechanisms.aside is not None
        return [self.system.islands, *([self.mechanisms.system.islands] if aside else [])]

    @property
    def methods(self) -> np.ndarray:
        """Return how each of these islands is solved: SWEEPS, DIRECT."""
        methods = self.system.solver.methods
        if self.mechanisms.aside is None:
            return methods.copy()
        return np.concatenate([methods, self.mechanisms.system.solver.methods])

    # ------------------------------------------------------------- before and after the sub-steps

    def begin(
        self,
        number: int,
        time: float,
        h: float,
        gravity: np.ndarray,
        loads: dict[int, np.ndarray],
        more: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Checkpoint:
        """Start a step: contacts of what was moved or added by hand, set points and loads, who wakes.

        Args:
            number: of the step.
            time, h: at its start, and its length [s].
            gravity: (3,) [m/s^2].
            loads: forces and torques (6,) [N, N m] of this step alone, by the rows of the bodies.
            more: such forces and torques (n, 6) of all bodies, and the rows that wake, since theirs changed.

        Returns:
            The start of the step, for `SubSteps` and `roll_back`.
        """
        state, system = self.state, self.system
        self.clock.start()
        state.step, state.gravity = number, gravity
        if loads:
            self.waking.wake(np.array([row for row, load in loads.items() if load.any()], np.int64))
        if more is not None and len(more[1]):
            self.waking.wake(more[1])
        state.statistics.fill(0.0)
        state.ledger.fill(0.0)
        system.rungs.fill(0)
        self.broken = []
        changed = state.stale
        if changed or system.joint_version != state.joint_table.version:
            self.waking.refresh()
        self._inputs.update_joints(time, h, system.is_led)
        if state.settings.leaves_out:
            self.waking.review(changed)
        if state.laws.laws or (state.settings.leaves_out and state.sleepers.count):
            system.remember()  # for the case that it is made again, with more bodies or after an error
        if state.changed:
            self._look_at_what_was_placed()
        self._set_aside(h)
        system.unsolved = False
        start = self._start.take(system)
        self._count_from_zero()
        self._inputs.add_loads(loads, None if more is None else more[0])
        self.clock.end(clock.BEGIN)
        return start

    def _look_at_what_was_placed(self) -> None:
        """Note which bodies users have put into each other, or with open joints; see `lift`."""
        state, settings = self.state, self.state.settings
        state.changed = False
        touch, tolerance = settings.touch_distance, settings.position_tolerance
        find_placed(self.system.system, 2.0 * touch, AJAR * tolerance)

    def _set_aside(self, h: float) -> None:
        """Choose the mechanisms that make a step of length h [s] apart from the rest."""
        mechanisms = self.mechanisms
        mechanisms.look(h)
        self._step_length = h
        self._choose_mechanisms(self.state.settings.order > 2)

    def _choose_mechanisms(self, composes: bool) -> None:
        mechanisms, h = self.mechanisms, self._step_length
        if composes:
            changed = mechanisms.choose(h, self.crossings.may_cross)
        else:
            changed = mechanisms.release()
        if changed:
            self.waking.refresh()
        if mechanisms.aside is not None:
            self.system.remember()  # for the case that the step is to be made again with all bodies

    def change_loads(self, offset: float, h: float) -> None:
        """Evaluate loads anew for a sub-step of a composition, see `ChangingLoads.change_to`."""
        if self.loads is not None:
            self._inputs.change_loads(self.loads.change_to(offset, h))

    def return_loads(self) -> None:
        """Let loads be those of the whole step."""
        if self.loads is not None:
            self._inputs.change_loads(self.loads.whole())

    def make_mechanisms(self, step: float, shares: list[float], options: Options) -> bool:
        """Bring the mechanisms that are set aside to the end of the step; see `Mechanisms.make`."""
        change = None if self.loads is None else self.change_loads
        made = self.mechanisms.make(step, shares, options, change)
        if self.loads is not None:
            self._inputs.change_loads(self.loads.of_whole_step)
        self.clock.end(clock.CONTACT_FREE)
        return made

    def start_again(self, start: Checkpoint, met_sleepers: np.ndarray, *, composes: bool) -> None:
        """Return to the start of the step, loads and set points unchanged, and wake bodies that it met.

        Args:
            start: the start.
            met_sleepers: rows of the bodies.
            composes: whether mechanisms may be composed, but for those that turned out to be rough.
        """
        self._ahead.made = NOTHING
        self._mend()
        released = self.mechanisms.release()
        self._return_to_start(start)
        self.state.statistics[:] = 0.0
        if len(met_sleepers):
            self.waking.wake(met_sleepers)
        if released or len(met_sleepers):
            self.waking.refresh()
        self._choose_mechanisms(composes)
        self._count_from_zero()

    def return_to(self, mark: Checkpoint, *, at_start: bool) -> None:
        """Return to the start of the sub-step, which is to be made again at another length.

        Args:
            mark: the start.
            at_start: whether that is the start of the step.
        """
        self._ahead.made = NOTHING
        restore(self.system, mark)
        if at_start:
            self._count_from_zero()

    def _return_to_start(self, start: Checkpoint) -> None:
        """Return to the start of the step, whose contacts are then found anew."""
        restore(self.system, start._replace(level=None))

    def _count_from_zero(self) -> None:
        """Begin to count what the step does: impulses of joints, of contacts that go, work of friction."""
        state, system = self.state, self.system
        state.clear_reactions()
        system.gone.clear()
        system.impacts.clear()
        if state.laws.laws:
            state.laws.begin_step()
            system.frames.friction_state[:, STEP_WORK] = 0.0

    def roll_back(self, start: Checkpoint | None, *, whole: bool) -> None:
        """Return to the start of the step, which was not made.

        Args:
            start: the start; None: the error came before there was one, and bodies are as they were.
            whole: whether these stages go on afterwards. Else bodies and joints return alone: the error may
                have come in the middle of anything.
        """
        if start is not None:
            if whole:
                self._return_to_start(start)
            else:
                restore_bodies_and_joints(self.state, start)
        self._ahead.made = NOTHING
        self._mend()
        self._inputs.undo()
        self.state.stale = True

    def finish(self, h: float) -> None:
        """End a step of length h [s] that was made: its loads go, and what has rested falls asleep."""
        self.mechanisms.finish()
        self.state.usual_work = next_usual(self.state.usual_work, self.state.statistics)
        self._inputs.finish()
        if self.state.settings.leaves_out:
            self.waking.rest(h)

    def options(self, *, composed: bool, step: float) -> Options:
        """Return settings and circumstances of sub-steps as numbers.

        Args:
            composed: whether they make up a composition of order 4 or 6.
            step: the whole step [s].
        """
        wanted = self.state.settings, composed, step, self.system.has_stops, self.system.is_led
        if self._options is None or wanted != self._options_for:
            self._options_for, self._options = wanted, step_options(*wanted)
        return self._options

    # ------------------------------------------------------------- the stages

    def make_usual(self, h: float) -> bool:
        """Make the sub-steps of a step of length h [s] that has begun, in one call, as most are: `planned`.

        Returns whether that was possible. If not, `SubSteps` goes on from where it came to.
        """
        self._begun = False
        sub_step = self._planned.prepare(self._start.room(self.state).positions)
        if sub_step is None:
            return False
        self._planned.make(sub_step, self._usual_options(h), h)
        return self.end_usual(h)

    def end_usual(self, h: float) -> bool:
        """Make what is left of the last sub-step of a step of length h [s]; see `make_usual`."""
        self._begun = True
        if self._ahead.made < (SETTLED if self.state.settings.time_of_impact else DETECTED):
            return False
        self._begun = False
        options, part = self._usual_options(h), self._planned.begun(h).left[-1]
        self.detect()
        self.separate(part, closed=bool(self.state.statistics[CLOSED]))
        self.settle(part, options)
        return True

    def begun(self, h: float) -> Begun | None:
        """Return how far sub-steps of a step of length h [s] were made in one call; None: they were not."""
        if not self._begun:
            return None
        self._begun = False
        if self._ahead.made == NOTHING:
            self._learn()
        return self._planned.begun(h)

    @property
    def plan(self) -> Plan:
        """Return what steps are planned from."""
        return self._planned.plan

    def _usual_options(self, h: float) -> Options:
        return self.options(composed=False, step=h)

    def make_plain(
        self,
        number: int,
        time: float,
        h: float,
        gravity: np.ndarray,
        pairs: Pairs,
        goes_on: bool,
        known: bool,
    ) -> int:
        """Begin a step and make it in one call, if nothing is to be done but its stages.

        What it returns, and takes, is that of `PlainSteps.make`; `end_usual` and `SubSteps` go on from there.
        """
        self.broken = []
        return self.plain.make(number, time, h, gravity, pairs, goes_on, known)

    @property
    def is_ahead(self) -> bool:
        """Return whether stages of the sub-step that comes are made already, by `make_usual`."""
        return self._ahead.made != NOTHING

    def make_ahead(self, h: float, options: Options, unseen: float, seen: Checkpoint | None) -> None:
        """Make the stages that follow in one call, as far as nothing unusual comes up; see `at_once`.

        When they are called, they then only see to what Python has to know.

        Args:
            h, options: length [s] and options of the sub-step.
            unseen: time [s] at its end since contacts were last looked for.
            seen: the state at that time; None: the start of the sub-step.
        """
        self._ahead.make(h, options, unseen, None if seen is None else seen.positions)

    @property
    def sees_impacts(self) -> bool:
        """Return whether stages that are made ahead stop where bodies may have met, if that matters."""
        return self._ahead.sees_impacts

    @property
    def nothing_met(self) -> bool:
        """Return whether it is known that bodies meet no others in the present sub-step."""
        return self._ahead.made == SETTLED

    @property
    def nothing_fast(self) -> bool:
        """Return whether it is known that no body is fast in the present sub-step, and contacts are found."""
        return self._ahead.made >= DETECTED

    def correct(self, h: float, options: Options) -> Correction:
        """Give impulses at t, the position-level solve of RATTLE.

        Joints and resting contacts then hold at t + h; see `hold_positions`.
        """
        system, state, made = self.system, self.state, self._ahead.made
        if made == NOTHING:
            memory = system.spare_memory()
            possible = bool(correct(system.system, options, memory, h, state.gravity, state.statistics))
            if possible:
                system.memory = system.gone.corrected = memory
        else:
            possible = made > REFUSED
        if made <= CORRECTED:
            self._learn()
            self.clock.end(clock.CORRECT)
        if not possible:
            self._ahead.made = NOTHING
        return Correction(possible, bool(state.statistics[CLOSED]))

    def move(self, h: float) -> None:
        """Move every body freely from t to t + h."""
        if self._ahead.made >= FAST:
            return
        state = self.state
        move(state.bodies, METHODS[state.settings.motion], state.gravity, h, state.ledger)
        if self.system.is_led:
            advance_led(state.joints, h)
        self.clock.end(clock.MOVE)

    def detect(self) -> tuple[Contacts, np.ndarray]:
        """Find contacts and islands of the present poses.

        Returns:
            The contacts, and the bodies asleep that were met; with any of these the step is to be made again.
        """
        if not self.state.settings.time_of_impact:
            self._ahead.go_on()
        found = self.system.detect() if self._ahead.made < DETECTED else self._take_contacts()
        if self._ahead.made < SETTLED:
            self.clock.end(clock.DETECT)
        return found

    def _take_contacts(self) -> tuple[Contacts, np.ndarray]:
        """Return the contacts that were found ahead, as `detect` does."""
        system = self.system
        system.jammed = NO_CONTACTS
        if self._ahead.made == SETTLED:
            system.solver.begin(self.state.step)
        else:
            system.forget_islands()  # there was no room for others
            system.note_contacts()
        return system.contacts, NO_CONTACTS

    def separate(self, h: float, *, closed: bool) -> None:
        """Displace bodies that overlap, or whose joints are open: the position projection.

        Args:
            h: length of the sub-step [s].
            closed: whether all joints are known to be closed.
        """
        self._ahead.end()
        if self._ahead.made == SETTLED:
            self._separation.note_jammed()
            return
        self._separation.separate(h, closed)
        self.clock.end(clock.SEPARATE)

    def settle(self, h: float, options: Options) -> None:
        """Give impulses at t + h, the velocity-level solve of RATTLE.

        Impacts with restitution, then nothing approaches and friction holds; see `settle_velocities`.
        """
        system, state = self.system, self.state
        if self._ahead.made < SETTLED:
            settle(system.system, system.building, options, h, state.statistics)
        self._learn()
        if not system.solver.settled:
            postpone_hit(system.system, system.solver.choosing.choice)
        for pair in system.broken:
            self.broken.append(pair)
            system.detector.exclude(*pair)
        if self._ahead.made < SETTLED:
            self.clock.end(clock.SETTLE)
        self._ahead.made = NOTHING

    def _mend(self) -> None:
        """Let bodies touch again whose walls broke in the step, which is made again."""
        for pair in self.broken:
            self.system.detector.include(*pair)
        self.broken = []

    def make_contact_free(self, lengths: list[float], options: Options) -> tuple[list[float], float, int]:
        """Make sub-steps in one call while nothing is near anything else, all but the last one.

        Args:
            lengths: of the sub-steps [s], the next one last.
            options: of these sub-steps.

        Returns:
            The lengths that are left, the time [s] that was made, and how it ended; see `contact_free`.
        """
        system, state = self.system, self.state
        room = room_for(state.settings.most_sub_steps, lengths)
        count, end = make_contact_free(
            system.system, options, room, len(lengths), state.gravity, state.pace_numbers, state.statistics
        )
        self._learn()
        self.clock.end(clock.CONTACT_FREE)
        left: list[float] = room[:count].tolist()
        return left, sum(lengths) - sum(left), int(end)

    def _learn(self) -> None:
        """Let the choice of solvers know of islands whose direct solution failed in this stage."""
        if self.system.solver.any_failed:
            self.system.solver.learn(self.system.islands, self.state.settings)

    # ------------------------------------------------------------- what a world asks besides steps

    def sleep(self, row: int, gravity: np.ndarray) -> None:
        """Put the island of a body to sleep at once."""
        self.state.gravity = gravity
        self.waking.sleep(row)

    def save(self) -> SavedStep:
        """Return what the next step starts from, besides bodies and joints."""
        mechanisms = self.mechanisms.save()
        if self.state.stale or self.system.joint_version != self.state.joint_table.version:
            self.waking.refresh(between=True)
        return SavedStep(save_system(self.system), mechanisms)

    def take_figures(self, other: "Stepper") -> None:
        """Take over what is known of the last step, for reports, and the values of pairs of materials."""
        self.state.statistics[:] = other.state.statistics
        self.state.ledger[:] = other.state.ledger
        self.clock, self.system.pairs = other.clock, other.system.pairs

    def restore(self, saved: SavedStep) -> None:
        """Return to a saved state; bodies and joints are in place already."""
        self.mechanisms.restore(saved.mechanisms)
        restore_system(self.system, saved.rest)

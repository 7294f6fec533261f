"""A step in which nothing is to be done but its stages, in one call with what comes before and after them.

What Python does in a step costs more than the stages of a few bodies, and beside large worlds, whose arrays
drive it out of the memory that is close, two to four times as much. So a step without loads, sleepers and
functions of users is begun, made and looked over by one kernel (`make_plain`). Where it comes up
that more is to be done, `Stepper` and `Steps` go on from there, as in any step. Where nothing comes up but
that other pairs touch, nothing else is left to be told; where not even that does, and contacts couple the
same bodies, the step is *uneventful*. If nobody enters the world meanwhile, the next one needs no look at
what may have changed.
"""

from collections.abc import Callable
from typing import Annotated

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats
from stoss.engine.joints.state import any_overloaded, clear_reactions
from stoss.engine.solvers.allowance import usual_after
from stoss.engine.solvers.choice import UNSETTLED
from stoss.engine.solvers.statistics import STATISTICS
from stoss.engine.stages.after_step import Pairs, look_over
from stoss.engine.stages.at_once import (
    NOTHING,
    OTHER_PAIRS,
    SAME_PAIRS,
    SETTLED,
    UNEVENTFUL,
    MadeAhead,
    SubStep,
)
from stoss.engine.stages.checkpoint import Checkpoint, Kept, StartOfStep, keep
from stoss.engine.stages.clock import BEGIN, Mark, StageClock
from stoss.engine.stages.constraint_system import ConstraintSystem
from stoss.engine.stages.inputs import StepInputs
from stoss.engine.stages.pace import PACE, read_pace
from stoss.engine.stages.planned import Plan, Planned, make_planned
from stoss.engine.stages.regrouping import postpone_hit
from stoss.engine.stages.scratch import copy_vector
from stoss.engine.stages.state import Options

__all__ = ["PlainSteps"]


class PlainStep(Struct):
    """What is done around the sub-steps of a step."""

    sub_step: SubStep
    plan: Plan
    kept: Kept  # receives bodies as they are at its start
    pairs: Pairs  # which touch
    speed_limit: float  # [m/s]
    touch: float  # gap up to which surfaces touch [m]
    figures: Annotated[Floats, "figures"]  # receives the statistics of the last step
    entries: Annotated[Floats, "entries"]  # receives the ledger of the last step
    pace: Annotated[Floats, "pace"]  # receives that of the last step


@kernel
def make_plain(p: PlainStep, o: Options, h: float, stays: bool, goes_on: bool) -> int:
    """Make a step of length h [s] as far as nothing unusual comes up; return how far it came: see `at_once`.

    Args:
        p, o: what it works on, and options.
        h: its length [s].
        stays: see `make_at_once`.
        goes_on: whether nothing began or ended to touch in the last step.
    """
    u, s, statistics = p.sub_step, p.sub_step.system, p.sub_step.statistics
    keep(s.bodies, s.joints, p.kept)
    _clear(s, p, statistics)
    made = make_planned(u, p.plan, o, h, stays)
    if made != SETTLED or u.separating.count[0] > 0:
        return made
    for island in range(len(s.solver.failed)):
        if s.solver.failed[island]:
            return made
    good, same = look_over(s.bodies, p.speed_limit, s.contacts, u.count[0], p.touch, p.pairs)
    if not good or (len(s.joints.enabled) > 0 and any_overloaded(s.joints, h)):
        return made
    s.solver.step[0] = u.regrouping.step[0]
    choice = u.regrouping.choosing.choice
    if choice.counts[UNSETTLED] != 0:
        postpone_hit(s, choice)
    p.plan.usual[0] = usual_after(p.plan.usual[0], statistics)
    if not same:
        return OTHER_PAIRS
    return UNEVENTFUL if goes_on and u.count[1] == 0 else SAME_PAIRS


@inner
def _clear(s, p, statistics):
    """Count anew from the start of the step."""
    copy_vector(statistics, p.figures, len(statistics))
    copy_vector(s.ledger, p.entries, len(s.ledger))
    for k in range(len(statistics)):
        statistics[k] = 0.0
    for k in range(len(s.ledger)):
        s.ledger[k] = 0.0
    copy_vector(p.plan.pace, p.pace, len(p.pace))
    for i in range(len(s.bodies.kinds)):
        s.work.rung[i] = 0
    if len(s.joints.enabled) > 0:
        clear_reactions(s.joints)


NO_CONTACTS = np.zeros(0, np.int64)


class PlainSteps:
    """Make plain steps.

    Args:
        system: the constraint system.
        ahead: makes stages ahead.
        planned: what steps are planned from.
        start: keeps the start of a step.
        inputs: set points of drives.
        clock: time per stage.
        options: returns those of a step of a length [s].

    Attributes:
        has_begun: whether the last one that was tried has begun to change anything.
        was_uneventful: whether the last one was.
    """

    def __init__(
        self,
        system: ConstraintSystem,
        ahead: MadeAhead,
        planned: Planned,
        start: StartOfStep,
        inputs: StepInputs,
        clock: StageClock,
        options: Callable[[float], Options],
    ) -> None:
        self._system, self._ahead, self._planned, self._start = system, ahead, planned, start
        self._inputs, self._clock, self._options_of = inputs, clock, options
        self._figures, self._entries = np.zeros(STATISTICS), np.zeros(len(system.state.ledger))
        self._pace = np.zeros(PACE)  # before the step
        self._plain: PlainStep | None = None
        self._options: Options | None = None
        self.has_begun = self.was_uneventful = False
        self._step_length = 0.0  # that impulses belonged to when the step began [s]
        self._times = clock.mark()  # of the step before

    def make(
        self,
        number: int,
        time: float,
        h: float,
        gravity: np.ndarray,
        pairs: Pairs,
        goes_on: bool,
        known: bool,
    ) -> int:
        """Begin a step and make it in one call, as far as possible.

        Args:
            number: of the step.
            time, h: its start and length [s].
            gravity: (3,) [m/s^2].
            pairs: which touch.
            goes_on: whether that went on in the last step, where nothing began or ended to touch.
            known: whether nothing was changed since the last step, which was made in one call.

        Returns:
            How far the last sub-step came (`at_once`): NOTHING if it was not begun, see `has_begun`.
        """
        system, ahead = self._system, self._ahead
        self.has_begun, self._times = False, self._clock.mark()
        self._clock.start()
        if not known and not self._prepare(h, gravity, pairs):
            return NOTHING
        if known and not self.was_uneventful:
            ahead.stays = system.knows_islands
        plain, options = self._plain, self._options
        assert plain is not None and options is not None
        system.state.step = number
        system.gone.clear()
        system.impacts.clear()
        self._step_length = float(system.step_length[0])
        self._start.take_level(system)
        system.first_memory = system.memory
        if system.state.joint_table.count:
            self._inputs.update_joints(time, h, system.is_led)
        self._clock.end(BEGIN)
        self.has_begun = True  # what the kernel does first is to keep the start
        made = ahead.run(make_plain, plain.sub_step, options, plain, options, h, ahead.stays, goes_on)
        self.was_uneventful = made == UNEVENTFUL
        if made > SETTLED:
            self._inputs.finish()
            system.jammed = NO_CONTACTS
            ahead.made = NOTHING
        return made

    def _prepare(self, h: float, gravity: np.ndarray, pairs: Pairs) -> bool:
        """Gather what a step works on; return whether it is a plain one from the outset."""
        system, state = self._system, self._system.state
        settings = state.settings
        if settings.leaves_out or state.stale or state.changed or state.laws.laws or system.has_walls:
            return False
        if system.joint_version != state.joint_table.version:
            return False
        state.gravity = gravity
        kept = self._start.room(state)
        sub_step = self._planned.prepare(kept.positions)
        if sub_step is None:
            return False
        now = (
            *(sub_step, self._planned.plan, kept, pairs, settings.speed_limit, settings.touch_distance),
            *(self._figures, self._entries, self._pace),
        )
        if self._plain is None:
            self._plain = PlainStep(*now)
        else:
            self._plain.update(*now)
        self._options = self._options_of(h)
        system.unsolved = False
        return True

    @property
    def start(self) -> Checkpoint:
        """Return the start of the step that was made."""
        pace = read_pace(self._pace)
        return self._start.taken(self._system, self._step_length, pace, np.zeros_like(self._entries))

    @property
    def last_figures(self) -> tuple[np.ndarray, np.ndarray, Mark]:
        """Return copies of statistics and ledger of the step before, and its times."""
        return self._figures.copy(), self._entries.copy(), self._times

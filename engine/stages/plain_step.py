"""A step in which nothing is to be done but its stages, in one call with what comes before and after them.

What Python does in a step costs more than the stages of a few bodies, and beside large worlds, whose arrays
drive it out of the memory that is close, two to four times as much. So a step without joints, loads,
sleepers and functions of users is begun, made and looked over by one kernel (`make_plain`). Where it comes up
that more is to be done, `Stepper` and `Steps` go on from there, as in any step. Where nothing comes up but
that other pairs touch, nothing else is left to be told. Where not even that does, and contacts couple the
same bodies, the step is *uneventful*: if nobody enters the world meanwhile, the next one needs no look at
what may have changed.
"""

from collections.abc import Callable
from typing import Annotated

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats
from stoss.engine.solvers.allowance import allow, usual_after
from stoss.engine.solvers.choice import UNSETTLED
from stoss.engine.solvers.statistics import ALLOWANCE, END_OF_ALLOWANCE, STATISTICS, SUB_STEP_WORK
from stoss.engine.stages.after_step import Pairs, look_over
from stoss.engine.stages.at_once import (
    NOTHING,
    OTHER_PAIRS,
    SAME_PAIRS,
    SETTLED,
    UNEVENTFUL,
    MadeAhead,
    SubStep,
    make_at_once,
)
from stoss.engine.stages.checkpoint import Checkpoint, Kept, StartOfStep, keep
from stoss.engine.stages.clock import BEGIN, Mark, StageClock
from stoss.engine.stages.constraint_system import ConstraintSystem
from stoss.engine.stages.pace import FIRST_PACE
from stoss.engine.stages.regrouping import postpone_hit
from stoss.engine.stages.scratch import copy_vector
from stoss.engine.stages.state import Options

__all__ = ["PlainSteps"]


class PlainStep(Struct):
    """What is done around the stages of a step that is one sub-step."""

    sub_step: SubStep
    kept: Kept  # receives bodies as they are at its start
    pairs: Pairs  # which touch
    speed_limit: float  # [m/s]
    touch: float  # gap up to which surfaces touch [m]
    allowance: Annotated[Floats, "three"]  # SUB_STEP_WORK, ALLOWANCE, END_OF_ALLOWANCE of the step
    figures: Annotated[Floats, "figures"]  # receives the statistics of the last step
    entries: Annotated[Floats, "entries"]  # receives the ledger of the last step
    usual: Annotated[Floats, "one"]  # work of a usual step


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
    statistics[SUB_STEP_WORK] = p.allowance[0]
    statistics[ALLOWANCE] = p.allowance[1]
    statistics[END_OF_ALLOWANCE] = p.allowance[2]
    made = make_at_once(u, o, h, h, False, stays)
    if made != SETTLED or u.separating.count[0] > 0:
        return made
    for island in range(len(s.solver.failed)):
        if s.solver.failed[island]:
            return made
    good, same = look_over(s.bodies, p.speed_limit, s.contacts, u.count[0], p.touch, p.pairs)
    if not good:
        return made
    s.solver.step[0] = u.regrouping.step[0]
    choice = u.regrouping.choosing.choice
    if choice.counts[UNSETTLED] != 0:
        postpone_hit(s, choice)
    p.usual[0] = usual_after(p.usual[0], statistics)
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
    for i in range(len(s.bodies.kinds)):
        s.work.rung[i] = 0


NO_CONTACTS = np.zeros(0, np.int64)
_ALLOWED = [SUB_STEP_WORK, ALLOWANCE, END_OF_ALLOWANCE]


class PlainSteps:
    """Make plain steps.

    Args:
        system: the constraint system.
        ahead: makes stages ahead.
        start: keeps the start of a step.
        clock: time per stage.
        options: returns those of a step of a length [s] that is one sub-step.

    Attributes:
        has_begun: whether the last one that was tried has begun to change anything.
    """

    def __init__(
        self,
        system: ConstraintSystem,
        ahead: MadeAhead,
        start: StartOfStep,
        clock: StageClock,
        options: Callable[[float], Options],
    ) -> None:
        self._system, self._ahead, self._start = system, ahead, start
        self._clock, self._options_of = clock, options
        self._allowance, self._allowed = np.zeros(len(_ALLOWED)), np.zeros(STATISTICS)
        self._figures, self._entries = np.zeros(STATISTICS), np.zeros(len(system.state.ledger))
        self._plain: PlainStep | None = None
        self._options: Options | None = None
        self.has_begun = False
        self._step_length = 0.0  # that impulses belonged to when the step began [s]
        self._times = clock.mark()  # of the step before

    def make(
        self, number: int, h: float, gravity: np.ndarray, pairs: Pairs, goes_on: bool, known: bool
    ) -> int:
        """Begin a step and make it in one call, as far as possible.

        Args:
            number: of the step.
            h: its length [s].
            gravity: (3,) [m/s^2].
            pairs: which touch.
            goes_on: whether that went on in the last step, where nothing began or ended to touch.
            known: whether nothing was changed since the last step, which was uneventful.

        Returns:
            How far it came (`at_once`): NOTHING if more is to be done from the outset.
        """
        system, ahead = self._system, self._ahead
        self.has_begun, self._times = False, self._clock.mark()
        self._clock.start()
        if not known and not self._prepare(h, gravity, pairs):
            return NOTHING
        plain, options = self._plain, self._options
        assert plain is not None and options is not None
        system.state.step = number
        system.gone.clear()
        self._step_length = float(system.step_length[0])
        system.first_memory = system.memory
        self._clock.end(BEGIN)
        self.has_begun = True  # what the kernel does first is to keep the start
        stays = ahead.stays
        made = ahead.run(make_plain, plain.sub_step, options, h, h, plain, options, h, stays, goes_on)
        if made > SETTLED:
            system.jammed = NO_CONTACTS
            ahead.made = NOTHING
        return made

    def _prepare(self, h: float, gravity: np.ndarray, pairs: Pairs) -> bool:
        """Gather what a step works on; return whether it is a plain one from the outset."""
        system, state = self._system, self._system.state
        settings = state.settings
        unusual = settings.order > 2 or settings.time_of_impact or settings.leaves_out
        if unusual or state.stale or state.changed or state.laws.laws or system.has_walls:
            return False
        if state.joint_table.count or system.joint_version != state.joint_table.version:
            return False
        direct, swept = system.solver.counts
        if swept == 0 and system.contacts.count == 0:
            return False  # what it may cost follows what steps of late have cost
        state.gravity = gravity
        sub_step = self._ahead.prepare(None)
        if sub_step is None:
            return False
        allow(self._allowed, direct, swept, settings.sweeps, 1, 0.0, settings.most_cost)
        self._allowance[:] = self._allowed[_ALLOWED]
        now = (
            *(sub_step, self._start.room(state), pairs, settings.speed_limit, settings.touch_distance),
            *(self._allowance, self._figures, self._entries, state.usual),
        )
        if self._plain is None:
            self._plain = PlainStep(*now)
        else:
            self._plain.update(*now)
        self._options = self._options_of(h)
        state.pace, system.unsolved = FIRST_PACE, False
        return True

    @property
    def start(self) -> Checkpoint:
        """Return the start of the step that was made."""
        return self._start.taken(self._system, self._step_length, np.zeros_like(self._entries))

    @property
    def last_figures(self) -> tuple[np.ndarray, np.ndarray, Mark]:
        """Return copies of statistics and ledger of the step before, and its times."""
        return self._figures.copy(), self._entries.copy(), self._times

"""The sub-steps of a step: how long they are, and which are made again.

A step is made of one sub-step, unless
- a joint's lever turns too far for it: then of several, of equal length or as the motion asks for each
  (`splitting`);
- it is to be of order 4 or 6: then of a composition of it, with negative shares;
- the position rows cannot be satisfied: then the sub-step is halved, for slack chains that snap taut;
- surfaces are to meet just at the end of a sub-step (`Settings.time_of_impact`);
- it brings bodies near others that sleep: then it is made again from its start, with these awake.
"""

from collections.abc import Iterator

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.engine.contacts.events import touching_pairs
from stoss.engine.motion.compositions import COMPOSITIONS
from stoss.engine.motion.time_of_impact import ImpactSearch
from stoss.engine.solvers.allowance import is_at_end
from stoss.engine.solvers.statistics import ALLOWANCE
from stoss.engine.stages.checkpoint import Checkpoint, take_checkpoint
from stoss.engine.stages.contact_free import GIVEN_UP, OPEN
from stoss.engine.stages.earlier_impulses import EarlierImpulses
from stoss.engine.stages.pace import NOT_FOLLOWED, RATE
from stoss.engine.stages.planned import plan_parts, set_allowance
from stoss.engine.stages.state import Options
from stoss.engine.stages.stepper import Stepper

__all__ = ["SubSteps"]

# How often a step is made again with other mechanisms composed, before none is.
MOST_RETRIES = 4
NOBODY_MET = np.zeros(0, np.int64)
# Shares of a step that make it of each order.
SHARES = {order: shares.tolist() for order, shares in COMPOSITIONS.items()}


class SubSteps:
    """Give out the lengths [s] of the sub-steps of a step, and decide what is made again.

    Args:
        stages: the stages; the step has begun.
        start: its start.
        time_step: its length [s].

    Attributes:
        options: of the present sub-step, for the stages.
        order: the highest of what moves. What touches, or is bounded or much damped, is of order 2.
        impacts: the search for times of impact, if there is one.
    """

    options: Options

    def __init__(self, stages: Stepper, start: Checkpoint, time_step: float) -> None:
        self._stages = stages
        self._system = stages.system
        self._settings = settings = stages.state.settings
        self._start = self._mark = start
        self._step = time_step
        self._left: list[float] = []  # lengths [s], the next one last
        self._unseen = 0.0  # time [s] since contacts were last looked for
        self.impacts = ImpactSearch() if settings.time_of_impact else None
        self._looks = True  # whether contacts are looked for in the present sub-step
        # whether contacts are looked for in each sub-step, whatever was near; None: nobody has asked yet
        self._watches: bool | None = None
        self.order = 2
        self._retries = 0
        self._composed = False  # whether the sub-steps make up a composition
        self._made = 0.0  # time [s] of the composition that was made
        self._earlier = EarlierImpulses(self._system)
        self._accepted = True  # whether the present sub-step was made
        self._at_start = start.level is not None  # whether no sub-step was made yet since `start`
        begun = stages.begun(time_step)
        if begun is not None:
            self._left = begun.left
            self.options = stages.options(composed=False, step=time_step)
            self._end_contact_free(begun.made, begun.end)
        elif not stages.state.idle:
            self._plan(settings.order)

    def __iter__(self) -> Iterator[float]:
        """Yield the length [s] of each sub-step that the caller is to make."""
        while self._left:
            if len(self._left) > 1 and self.impacts is None and not self._composed and self._is_at_end:
                self._left = [sum(self._left)]
            loaded = self._composed and self._stages.loads is not None
            if len(self._left) > 1 and self._skips_detection and not loaded:
                self._make_contact_free()
                continue
            h = self._left.pop()
            retries = self._retries
            if loaded:
                self._stages.change_loads(self._made, h)
            first_try = self.impacts is None
            if self.impacts is not None and not self._composed and self.impacts.begin(h):
                self._mark = self._start if self._at_start else take_checkpoint(self._system)
                first_try = self._stages.sees_impacts
            self._looks = not (self._left and self._skips_detection)
            ahead = self._looks and first_try and not self._composed
            if ahead and not self._stages.is_ahead:
                self._stages.make_ahead(h, self.options, self._unseen + h, self._last_seen(h))
            self._accepted = True
            yield h
            self._at_start = self._at_start and not self._accepted
            if self._accepted and not self._composed:
                if self._left:
                    self._earlier.keep()
                else:
                    self._earlier.add()
            self._made += h if self._retries == retries else 0.0
            if self._composed and not self._left and self._stages.mechanisms.acted_roughly(h):
                self._start_again(self._settings.order)

    @property
    def _skips_detection(self) -> bool:
        """Return whether a sub-step that is not the last one needs no new contacts."""
        exact = self.impacts is not None and not self._composed
        if exact or not self._system.contact_free:
            return False
        if self._composed or not self._settings.continuous_collision:
            return True
        if self._watches is None:
            self._watches = self._stages.crossings.may_cross(self._step)
        return not self._watches

    # ------------------------------------------------------------- what is to be made

    def _plan(self, order: int) -> None:
        """Plan the step from the present state; mechanisms that are set aside are made at once."""
        stages, state, system = self._stages, self._stages.state, self._system
        mechanisms = stages.mechanisms
        self.order = 2
        self._made = 0.0
        if self._retries:
            stages.return_loads()
        state.statistics[ALLOWANCE] = 0.0  # without bound: compositions have a cost of their own
        if mechanisms.aside is not None:
            self.options = stages.options(composed=True, step=self._step)
            self.order = order
            if not stages.make_mechanisms(self._step, SHARES[order], self.options):
                self._start_again(order if mechanisms.know_why else 2)
                return
        self._composed = order > 2 and mechanisms.composable
        self.options = options = stages.options(composed=self._composed, step=self._step)
        plan, arrays, acting = stages.plan, system.system, len(system.acting_joints)
        parts = plan_parts(arrays, options, plan, acting, mechanisms.conservative, self._step)
        if self._composed:
            self.order = order
        else:
            set_allowance(arrays, options, plan, parts, self._step, state.statistics)
        length = self._step / parts
        self._left = [share * length for share in SHARES[order if self._composed else 2]] * parts
        self._left.reverse()

    @property
    def _is_at_end(self) -> bool:
        """Return whether the step has cost so much that it is brought to its end."""
        return is_at_end(self._stages.state.statistics)

    def _make_contact_free(self) -> None:
        """Make sub-steps in one call while nothing is near anything else, at most all but the last one."""
        self._left, made, end = self._stages.make_contact_free(self._left, self.options)
        self._end_contact_free(made, end)

    def _end_contact_free(self, made: float, end: int) -> None:
        """Go on after contact-free sub-steps that took the time `made` [s], by how they ended."""
        self._unseen += made
        if end == GIVEN_UP:
            self._give_up()
        elif end == OPEN:  # the next one is moved, but not settled: a joint is open
            h = self._left.pop()
            self._unseen += h
            self._stages.separate(h, closed=False)
            self._stages.settle(h, self.options)

    # ------------------------------------------------------------- what is made again

    def shorten(self, h: float) -> None:
        """Make the sub-step again that could not be made at its length h [s], in two halves.

        Nothing has changed. A composition is made again as a whole, at order 2.
        """
        self._accepted = False
        if self.impacts is not None:
            self.impacts.end()
        if self._composed:
            self._give_up()
        else:
            self._left += [0.5 * h, 0.5 * h]
            # so that what is left is not divided anew, and the halves put together again
            self._stages.state.pace_numbers[RATE] = NOT_FOLLOWED

    def _give_up(self) -> None:
        """Make a step that could not be composed again, without what failed."""
        self._stages.mechanisms.refuse_failing(False)
        self._start_again(self._settings.order)

    def reject(self, h: float) -> bool:
        """Look for contacts after the motion of a sub-step; return whether it is to be made again.

        Args:
            h: its length [s].
        """
        start = self._last_seen(h)
        self._unseen += h
        if not self._looks:
            return False
        if (self.impacts is None or self._composed) and not self._stages.nothing_fast:
            met = self._stages.crossings.stop_fast_bodies(self._unseen, start)
            if len(met):
                self._start_again(self._settings.order, met)
                return True
        contacts, met_sleepers = self._stages.detect()
        self._unseen = 0.0
        if self._stages.mechanisms.met(contacts):
            self._start_again(self._settings.order, met_sleepers)
            return True
        if len(met_sleepers):
            if self.impacts is not None:
                self.impacts.start_again()
            self._start_again(self._settings.order, met_sleepers)
            return True
        if self.impacts is None:
            return False
        if self._stages.nothing_met:
            self.impacts.end()
            return False
        return self._passed_impact(self.impacts, h, contacts)

    def _last_seen(self, h: float) -> Checkpoint | None:
        """Return the state at the last look for contacts; None: the start of the sub-step of length h [s]."""
        return None if abs(self._unseen) <= 1e-9 * abs(h) else self._start

    def _passed_impact(self, impacts: ImpactSearch, h: float, contacts: Contacts) -> bool:
        """Return whether surfaces met within the sub-step of length h [s]; then it is to be made again."""
        touch = self._settings.touch_distance
        if self._composed:
            if self._left or contacts.count == 0 or contacts.gap[: contacts.count].min() > touch:
                return False
            impacts.retries += 1
            self._start_again(2)
            return True
        assert self._mark.level is not None
        first, next_one, meets = self._stages.crossings.first_contact(
            self._mark.level.contacts, h, self.options
        )
        shorter, late = impacts.better_length(h, first, next_one, meets)
        if shorter is not None:
            self._accepted = False
            self._stages.return_to(self._mark, at_start=self._at_start)
            if h < impacts.whole:
                self._left.pop()  # what was left of it
            self._left += [impacts.whole - shorter, shorter]
            return True
        self._stages.crossings.let_meet(not late)
        if meets and not late:
            impacts.found += 1
            impacts.pairs.append(touching_pairs(contacts.arrays, contacts.count, touch))
        impacts.end()
        return False

    def _start_again(self, order: int, met_sleepers: np.ndarray = NOBODY_MET) -> None:
        """Make the whole step again, because a composition failed or bodies that slept were met."""
        self._unseen = 0.0
        self._accepted = self._at_start = False
        self._earlier.clear()
        self._retries += 1
        if self._retries > MOST_RETRIES:
            order = 2
        self._stages.start_again(self._start, met_sleepers, composes=order > 2)
        self._plan(order)

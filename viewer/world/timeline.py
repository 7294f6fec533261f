"""The recording of a simulation, and where in it one looks: looking at the past changes nothing of it.

The world itself is brought to the state that is looked at, so that all that can be read of the present can be
read of the past. What came after it stays, until one goes on from there, or changes something: then it is cut
off, and the cut can be undone.
"""

import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from stoss.viewer.world.commands import Release
from stoss.viewer.world.film_strip import FilmStrip, Mark
from stoss.viewer.world.history import History, bytes_of
from stoss.viewer.world.stage import Command, Entry, Moment, Stage
from stoss.viewer.world.view import Failure

__all__ = ["Timeline"]

# States are kept so often that keeping them takes at most this part of the time, be it that steps take it or
# that the clock is waited for; and this part of the time of steps that are made again to show the past, from
# which one is likely to step back.
_SHARE, _SHARE_AGAIN = 0.1, 1.0
# So many states behind the one that is looked at are made again beforehand, so that stepping back is quick
# where only few are kept; of the memory they take at most this part.
_BEHIND, _BEHIND_SHARE = 30, 0.25
# Part of the memory that futures which were cut off may take.
_CUT_SHARE = 0.5


@dataclass(frozen=True)
class _Future:
    """What came after a step.

    Attributes:
        step: the step.
        moments: states that were kept.
        log: commands.
        marks: of the film strip.
        end: the last state.
        failure: why it ended there, or None.
        done: how many commands were carried out up to the step, and at it before what is looked at.
    """

    step: int
    moments: list[Moment]
    log: list[Entry]
    marks: list[Mark]
    end: Moment
    failure: Failure | None
    done: int

    @property
    def size(self) -> int:
        """Return the memory that it takes [bytes]."""
        return sum(bytes_of(moment.snapshot) for moment in self.moments)


class Timeline:
    """Records a stage. All methods belong to the thread that steps it.

    Args:
        stage: the world, at the beginning of the recording.
        history: the states to which it can go back; the present one becomes the first.
        strip: for what happened when.

    Attributes:
        failure: why the recording ended, or None.
    """

    def __init__(self, stage: Stage, history: History, strip: FilmStrip) -> None:
        self.failure: Failure | None = None
        self._stage = stage
        self._history = history
        self._strip = strip
        self._end: Moment | None = None  # the last state, while one looks back
        self._ahead: list[Entry] = []  # commands that come after what is looked at
        self._cut: list[_Future] = []
        self._replaced: list[_Future] = []  # by undoing a cut
        self._kept = 0.0  # when a state was kept last
        self._unsaved = 0.0  # [s] of steps since then
        self._saving = 0.0  # [s] that keeping the last state took
        self._tried = -1, set[int]()  # from where, and which states behind it were made again
        stage.save()  # the first one loads kernels: what that takes is not what one takes
        self._keep(0.0, _SHARE, surely=True)

    # ------------------------------------------------------------- where one is

    @property
    def looking_back(self) -> bool:
        """Return whether one looks at the past."""
        return self._end is not None

    @property
    def ends(self) -> tuple[int, int]:
        """Return the first and the last step of the recording."""
        last = self._stage.world.step_count if self._end is None else self._end.step
        return self._history.ends[0], last

    @property
    def moments(self) -> list[Moment]:
        """Return the states that are kept, in the order of their steps."""
        kept = [self._history.at(step) for step in self._history.steps]
        return kept if self._end is None else [*kept, self._end]

    @property
    def cuts(self) -> tuple[int, int]:
        """Return how many cuts can be undone, and how many of those that were undone can be made again."""
        return len(self._cut), len(self._replaced)

    # ------------------------------------------------------------- recording

    def carry_out(self, command: Command) -> None:
        """Carry out a command, and note it; see `Stage.carry_out`."""
        step, draft = self._stage.world.step_count, self._stage.draft
        self._stage.carry_out(command)
        self._strip.note_command(command, step)
        if self._stage.draft is not draft:
            # what is built belongs to the state that one goes back to, else the beginning would be without it
            self._keep(0.0, _SHARE, surely=True)

    def note_step(self, spent: float, surely: bool) -> None:
        """Take note of a step that was made.

        Args:
            spent: what it took [s].
            surely: whether its state is to be kept at any cost.
        """
        self.failure = None
        self._strip.note_step(self._stage.world)
        self._keep(spent, _SHARE, surely or time.perf_counter() - self._kept > self._saving / _SHARE)

    def _keep(self, spent: float, share: float, surely: bool = False) -> None:
        """Keep the present state, unless that would take more than a share of the time."""
        self._unsaved += spent
        if surely or share * self._unsaved > self._saving:
            begin = time.perf_counter()
            moment = self._stage.save()
            if self._end is None:
                self._history.keep(moment)
            else:
                self._history.insert(moment)
            self._kept = time.perf_counter()
            spent = self._kept - begin
            # one that was held up by something else must not keep others from being made
            self._unsaved, self._saving = 0.0, min(spent, 2.0 * self._saving) if self._saving else spent

    # ------------------------------------------------------------- looking

    def seek(self, step: int, seconds: float = float("inf"), again: bool = True) -> bool:
        """Bring the world to the state after a step of the recording; return whether it is there.

        Args:
            step: its number; the nearest one that was recorded is taken. Before the first: the beginning,
                without the commands that were carried out there.
            seconds: for how long to make steps again, where no state was kept near by.
            again: whether to make steps again at all, or to look at the nearest state that was kept before.

        Raises:
            Exception: what a step raises, of a world whose callbacks do not do again what they did.
        """
        until = time.perf_counter() + seconds
        first, last = self.ends
        at_end, step, world = step >= last, min(max(step, first), last), self._stage.world
        if at_end:
            if self._end is not None:
                self._restore(self._end, len(self._stage.log) + len(self._ahead))
                self._end = None
            return True
        self._leave_end()
        nearest = self._history.at(step)
        if world.step_count > step or nearest.step > world.step_count:
            self._restore(nearest)
        while again and world.step_count < step:
            if time.perf_counter() > until:
                return False
            begin = time.perf_counter()
            self._step_again()
            self._keep(time.perf_counter() - begin, _SHARE_AGAIN)
        return True

    def fill_behind(self, seconds: float) -> bool:
        """Make states again that one is likely to step back to, for about so long; return whether to go on.

        That is for idle moments. Worlds with callbacks are left alone: those need not do again what they did.
        """
        world, until = self._stage.world, time.perf_counter() + seconds
        if self._end is None or world.before_step or world.after_step:
            return False
        here, count = self._stage.save(), len(self._stage.log)
        if self._tried[0] != here.step:
            self._tried = here.step, set()
        most = _BEHIND_SHARE * self._history.budget / max(1, bytes_of(here.snapshot))
        lowest = max(self._history.ends[0], here.step - min(_BEHIND, int(most)))
        done = self._tried[1].union(self._history.steps)
        wanted = next((step for step in range(here.step - 1, lowest - 1, -1) if step not in done), None)
        if wanted is None:
            return False
        try:
            self._restore(self._history.at(wanted))
            while world.step_count < wanted:
                self._step_again()
                if world.step_count >= lowest:
                    self._history.insert(self._stage.save())
                    self._tried[1].add(world.step_count)
                if time.perf_counter() > until:
                    break
            self._history.insert(self._stage.save())  # from there it goes on next time
        finally:
            self._restore(here, count)
        return True

    @contextmanager
    def at_end(self) -> Iterator[None]:
        """Bring the world to the end of the recording for a while."""
        if self._end is None:
            yield
            return
        here, end, count = self._stage.save(), self._end, len(self._stage.log)
        self._restore(end, count + len(self._ahead))
        self._end = None
        try:
            yield
        finally:
            self._end = end
            self._restore(here, count)

    def _leave_end(self) -> None:
        """Keep the last state, from which one looks back; what is held is let go."""
        if self._end is None:
            if self._stage.pull is not None:
                self._stage.carry_out(Release())
            self._end = self._stage.save()

    def _restore(self, moment: Moment, done: int | None = None) -> None:
        """Bring the world to a state, after the commands before its step, or after so many."""
        log = self._stage.log + self._ahead
        self._stage.restore(moment)
        count = moment.done if done is None else done
        self._stage.log, self._ahead = log[:count], log[count:]
        self._unsaved = 0.0

    def _step_again(self) -> None:
        """Make the next step of the recording, with the commands before it."""
        count = _count_before(self._ahead, self._stage.world.step_count + 1)
        commands, self._ahead = self._ahead[:count], self._ahead[count:]
        for _, command in commands:
            self._stage.carry_out(command)
        self._stage.step()

    # ------------------------------------------------------------- cutting

    def cut(self, step: int | None = None) -> int:
        """Cut off what comes after the state that is looked at, which becomes the end; return how many steps.

        What is held there is let go.

        Args:
            step: that of the state, if the world has gone on from it already.
        """
        if self._end is None:
            return 0
        now = self._stage.world.step_count
        here = now if step is None else step
        log = self._stage.log
        done = len(log) if here == now else _count_before(log + self._ahead, here)
        future = self._take_future(here, done)
        self._cut.append(future)
        self._replaced.clear()
        self._forget_oldest_cuts()
        self._end = None
        self._history.keep(self._stage.save())
        if self._stage.pull is not None:
            self._stage.carry_out(Release())
        return future.end.step - here

    def undo_cut(self) -> bool:
        """Put back what was cut off last, in the place of what came after; look at where it begins."""
        return self._exchange(self._cut, self._replaced)

    def redo_cut(self) -> bool:
        """Put back what the last `undo_cut` replaced."""
        return self._exchange(self._replaced, self._cut)

    def _exchange(self, taken: list[_Future], given: list[_Future]) -> bool:
        if not taken:
            return False
        future = taken.pop()
        self._leave_end()
        given.append(self._take_future(future.step, future.done))
        for moment in future.moments:
            self._history.insert(moment)
        self._strip.add(future.marks)
        self._end, self._ahead, self.failure = future.end, future.log, future.failure
        self._restore(self._history.at(future.step))
        self.seek(future.step)
        return True

    def _take_future(self, step: int, count: int) -> _Future:
        """Return what comes after a step and so many commands, and take it out of the recording."""
        assert self._end is not None
        log = self._stage.log + self._ahead
        self._stage.log, self._ahead = log[:count], []
        moments, marks = self._history.forget_after(step), self._strip.forget_after(step)
        future = _Future(step, moments, log[count:], marks, self._end, self.failure, count)
        self.failure = None
        return future

    def _forget_oldest_cuts(self) -> None:
        """Keep the memory of what was cut off within bounds; the last cut stays, thinned if need be."""
        most = _CUT_SHARE * self._history.budget
        while len(self._cut) > 1 and sum(future.size for future in self._cut) > most:
            self._cut.pop(0)
        while len(self._cut[-1].moments) > 1 and self._cut[-1].size > most:
            self._cut[-1] = replace(self._cut[-1], moments=self._cut[-1].moments[::2])


def _count_before(log: list[Entry], step: int) -> int:
    """Return how many commands of a list were carried out before so many steps were made."""
    return bisect_left(log, step, key=lambda entry: entry[0])

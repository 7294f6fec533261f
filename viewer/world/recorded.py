"""A world that is recorded, in which one looks around and changes things: what all simulations share."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Any

from stoss.viewer.world.channels import Channel
from stoss.viewer.world.commands import Command, Edit, MovePointer
from stoss.viewer.world.control import Look, Remote
from stoss.viewer.world.film_strip import FilmStrip
from stoss.viewer.world.history import History
from stoss.viewer.world.monitor import Monitor
from stoss.viewer.world.stage import Entry, Release, Stage
from stoss.viewer.world.timeline import Timeline

__all__ = ["Recorded"]

# What the hand does that holds a body: nothing, where it began to in what was the future.
_OF_A_PULL = (MovePointer, Release)


class Recorded(Remote):
    """A world that is recorded.

    Args:
        paused: whether to begin standing.
        memory: [bytes] for the states to which it can go back.

    Attributes:
        history: the states to which it can go back.
        strip: what happened when, for the time bar.
        monitor: the curves that are noted.
        notices: what the user is to be told, oldest first.
        refused: the last edit of the model and why it was refused; None if it was carried out.
    """

    def __init__(self, paused: bool, memory: float) -> None:
        super().__init__(paused)
        self.refused: tuple[Edit, Exception] | None = None
        self.history = History(memory)
        self.strip = FilmStrip()
        self.monitor = Monitor()
        self.notices: deque[str] = deque(maxlen=50)
        self._stage: Stage | None = None
        self._timeline: Timeline | None = None
        self._goal: int | None = None  # step of the recording to which it is on the way

    def _record(self, stage: Stage) -> None:
        """Begin the recording."""
        self._stage = stage
        self._timeline = Timeline(self._stage, self.history, self.strip)

    @property
    def stage(self) -> Stage:
        """Return the world under commands, which belongs to the thread.

        Raises:
            RuntimeError: the world is not there yet.
        """
        if self._stage is None:
            raise RuntimeError("the world is not there yet; wait for it")
        return self._stage

    @property
    def timeline(self) -> Timeline:
        """Return the recording, which belongs to the thread.

        Raises:
            RuntimeError: the world is not there yet.
        """
        if self._timeline is None:
            raise RuntimeError("the world is not there yet; wait for it")
        return self._timeline

    @property
    def log(self) -> list[Entry]:
        """Return the commands that were carried out, each with its step."""
        return [] if self._stage is None else list(self._stage.log)

    def undo_cut(self) -> None:
        """Stop, and put back the future that was cut off last, in the place of the present one."""
        self._ask_for_cut("undo_cut", "nothing was cut off from the recording")

    def redo_cut(self) -> None:
        """Stop, and put back the future that `undo_cut` replaced."""
        self._ask_for_cut("redo_cut", "no cut was undone")

    def _ask_for_cut(self, what: str, nothing: str) -> None:
        def exchange() -> None:
            self._goal = None
            if getattr(self.timeline, what)():
                self._forget_curves()
                self.monitor.read(self.stage.world, self.timeline.moments)
            else:
                self.notices.append(nothing)

        self.pause()
        self.ask(exchange)

    def _take_wishes(self) -> list[Command]:
        """Set the goal, and return the commands that were given before one wished to go there."""
        control, timeline, commands = self._control, self.timeline, []
        while control.wishes:
            wish = control.wishes[0]
            if isinstance(wish, Look):
                start = wish.step
                if start is None:
                    start = self.stage.world.step_count if self._goal is None else self._goal
                first, last = timeline.ends
                self._goal = min(max(start, first - 1), last) + wish.by
            elif self._goal is None:
                commands.append(wish)
            else:
                break
            control.wishes.popleft()
        if control.paused and control.steps and self._goal is None and timeline.looking_back and not commands:
            # steps forward go along the recording to its end, and only then make new ones
            here, last = self.stage.world.step_count, timeline.ends[1]
            self._goal = min(here + control.steps, last)
            control.steps -= self._goal - here
        return commands

    def _carry_out(self, command: Command) -> None:
        if self.timeline.looking_back:
            if isinstance(command, _OF_A_PULL):
                return
            self._go_on(changed=True)
        try:
            self.timeline.carry_out(command)
            if isinstance(command, Edit):
                self.refused = None
        except (ValueError, TypeError, KeyError) as error:
            if isinstance(command, Edit):
                self.refused = command, error  # it is told beside the thing
                return
            text = error.args[0] if isinstance(error, KeyError) else str(error)
            self.notices.append(f"{command.name}: {text}")

    def _answer(self, function: Callable[[], Any], at_end: bool, promise: "Future[Any]") -> None:
        try:
            with self.timeline.at_end() if at_end else nullcontext():
                promise.set_result(function())
        except Exception as error:  # belongs to whoever asked
            promise.set_exception(error)

    def _go_on(self, changed: bool = False, step: int | None = None) -> None:
        """Make the state that is looked at, or the one after a step, the end of the recording."""
        if not self.timeline.looking_back:
            return
        step = self.stage.world.step_count if step is None else step
        count = self.timeline.cut(step)
        self._went_on(changed)
        self._forget_curves()
        if self.stage.draft is None:
            self.notices.append(f"{count} steps after step {step} are cut off; Ctrl+Z brings them back")
        elif count:
            self.notices.append(f"{count} steps after step {step} are cut off; the menu Run brings them back")

    def _went_on(self, changed: bool) -> None:
        """Do what is due when the future was cut off.

        Args:
            changed: whether because something was changed.
        """

    def _note_curves(self, channels: tuple[Channel, ...]) -> None:
        self.monitor.watch(channels, self.stage.world, self.timeline.moments)

    def _forget_curves(self) -> None:
        world = self.stage.world
        self.monitor.forget_after(world.time + 0.5 * world.time_step)

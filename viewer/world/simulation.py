"""The simulation behind the window: a thread of its own, a list of commands in, frames out.

Only this thread touches the world, from building it on. The window asks by `post` and by the run control, and
draws the latest `View`, which no step changes any more; so it waits for nothing, neither for kernels that are
being compiled nor for a step, however long one takes.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from stoss.collision.kernels.prepare import watch
from stoss.engine import SimulationError, World
from stoss.viewer.world.canvas import Draw, Marks, drawn_by
from stoss.viewer.world.frames import Describer, frame_of
from stoss.viewer.world.outline import outline_of
from stoss.viewer.world.pace import Pace
from stoss.viewer.world.recorded import Recorded
from stoss.viewer.world.rehearsal import Rehearsal
from stoss.viewer.world.stage import Entry, Stage
from stoss.viewer.world.view import Failure, View, Wait, empty_view

__all__ = ["Simulation"]

_PUBLISH = 1.0 / 60.0  # [s] frames are published no more often
_IDLE = 0.05  # [s] a paused simulation looks for work at least that often
_FILLING = 0.004  # [s] between two steps to read curves from the recorded past
_FILLING_BEHIND = 0.02  # [s] between two looks for something to do, to make states again that were not kept
_PATIENCE = 0.2  # [s] that `close` waits for a world that nobody else has
_SEEKING = 0.1  # [s] of steps that are made again, on the way to a state of the past, between two looks


class _Closed(BaseException):
    """Ends the compilation of kernels that nobody waits for any more."""


class Simulation(Recorded):
    """Run a world beside a window. `start` begins the thread; without it, `turn` runs it in the caller's.

    Args:
        source: the world, or a function that builds it, or a stage with one; it is called in the thread.
        paused: whether to begin standing.
        memory: [bytes] for the states to which it can go back.
        draw: draws over the bodies; it is called in the thread.

    Attributes:
        history: the states to which it can go back.
        strip: what happened when, for the time bar.
        monitor: the curves that are noted.
        notices: what the user is to be told, oldest first.
        view: what is to be seen; empty until the world is there.
        error: why no world could be built, or None.
    """

    def __init__(
        self,
        source: World | Callable[[], World | Stage],
        paused: bool = False,
        memory: float = 400e6,
        draw: Draw | None = None,
    ) -> None:
        super().__init__(paused, memory)
        self._draw = draw
        self._drawing_failed: Failure | None = None  # told as long as the window is open
        self._source = source
        self._begun = threading.Event()  # the world is there, or there will be none
        self._compiling: Wait | None = None
        self._bound = False  # whether what it is in must come to its end
        self.error: Exception | None = None
        self._thread: threading.Thread | None = None
        self._rehearsal: Rehearsal | None = None
        self._followed: list[Entry] = []  # a session that is done again
        self._recorded: deque[Entry] = deque()  # commands of it that wait for their steps
        self._pace = Pace()
        self._published = -1.0
        self._inspected = ("", "")  # what the outline of the view is of
        self._describer = Describer()
        self.view = empty_view(paused)

    # ------------------------------------------------------------- for the window

    def start(self) -> None:
        """Begin the thread, unless it has begun."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="simulation", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the thread.

        A world that was given is left after a whole step, and let go of; a step for which kernels are still
        being compiled is taken back where that can be. A world that was built here nobody else has: its
        thread is left to end by itself, which it does before the next kernel or step.
        """
        with self._condition:
            self._control.closed = True
            self._condition.notify()
        if self._rehearsal is not None:
            self._rehearsal.close()
        if self._thread is not None:
            self._thread.join(None if isinstance(self._source, World) else _PATIENCE)
        if isinstance(self._source, World) and self._stage is not None:
            self._stage.let_go()  # the pointer that pulls is no part of it

    @property
    def busy(self) -> bool:
        """Return whether the thread is alive, be it that what it was in when it was closed takes long."""
        return self._thread is not None and self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Wait until the world is there or cannot be built, at most so long; return whether it is there."""
        self._begun.wait(seconds)
        return self.ready

    @property
    def ready(self) -> bool:
        """Return whether the world is there, and seen in `view`."""
        return self._begun.is_set() and self.error is None

    @property
    def waiting(self) -> Wait | None:
        """Return what has to be ready before it goes on, None if nothing."""
        return self._compiling or (None if self._begun.is_set() else Wait("building the scene"))

    @property
    def preparing(self) -> Wait | None:
        """Return what is made ready beside the simulation for what the user may do, None if nothing."""
        return None if self._rehearsal is None else self._rehearsal.waiting

    def follow(self, log: list[Entry]) -> None:
        """Carry out recorded commands, each at its step."""
        self._followed = list(log)
        self._recorded = deque(log)

    # ------------------------------------------------------------- the thread

    def _run(self) -> None:
        with suppress(_Closed), watch(self._note_compiling):
            while not self._control.closed:
                if not self.turn():
                    with self._condition:
                        self._condition.wait(self._pause_for())

    def _note_compiling(self, done: int, total: int, name: str) -> None:
        """Take note that a kernel is about to be compiled, or that all are.

        Raises:
            _Closed: nobody waits for it any more.
        """
        if threading.current_thread() is not self._thread:
            return
        if self._control.closed and not self._bound:
            raise _Closed
        text = f"compiling {done + 1} of {total} kernels"
        self._compiling = Wait(text, done / total) if done < total else None

    def _pause_for(self) -> float:
        """Return how long there is nothing to do [s]."""
        return _IDLE if self._control.paused else min(_IDLE, self._pace.rest)

    def _begin(self) -> None:
        """Build the world, and have its kernels compiled."""
        try:
            made = self._source if isinstance(self._source, World) else self._source()
            stage = made if isinstance(made, Stage) else Stage(made, editable=made is not self._source)
            world = stage.world
            world.prepare_kernels()
            self._record(stage)
            self.view = self._look()
            if self._thread is not None:
                self._rehearsal = Rehearsal(world.settings, list(world.shape_table.shapes))
                self._rehearsal.start()
        except Exception as error:  # belongs to whoever wrote the function, and is raised where it was given
            self.error = error
        self._begun.set()

    def turn(self) -> bool:
        """Do what is to be done now: commands, going back, one step; return whether anything was done."""
        if not self._begun.is_set():
            self._begin()
        if self.error is not None or self._control.closed:
            return False
        with self._condition:
            control = self._control
            commands = self._take_wishes()
            there = self._goal is None
            # what is asked for is done where one looks, so not before one is there
            questions, control.questions = (
                (control.questions, deque()) if there else (deque(), control.questions)
            )
            channels, control.channels = control.channels, None
            paced = there and not control.paused
            single = there and control.paused and control.steps > 0
            control.steps -= single
        if channels is not None:
            self._note_curves(channels)
        filled = self.monitor.work(_FILLING)
        for command in commands:
            self._carry_out(command)
        if not there:
            self._seek()
        for question in questions:
            self._answer(*question)
        step = single or (paced and self._pace.is_due(self.stage.world.time_step / self.speed))
        if step:
            self._go_on()
            self._step()
        acted = step or bool(commands or questions) or not there or channels is not None
        if acted or self._stale_view():
            self._publish(at_once=not paced or bool(commands))
        idle = not (acted or filled) and self._control.paused
        return acted or filled or (idle and self.timeline.fill_behind(_FILLING_BEHIND))

    def _seek(self) -> None:
        """Go on to the state of the recording that is to be looked at."""
        assert self._goal is not None
        try:
            if self.timeline.seek(self._goal, _SEEKING):
                self._goal = None
        except Exception as error:  # of a callback that does not do again what it did
            self._goal = None
            self.notices.append(f"the past cannot be computed again from here: {error}")

    def _went_on(self, changed: bool) -> None:
        """Have a session that is followed go on, unless something was changed."""
        step = self.stage.world.step_count
        self._recorded = deque(() if changed else (entry for entry in self._followed if entry[0] >= step))

    def _step(self) -> None:
        world, began = self.stage.world, time.perf_counter()
        while self._recorded and self._recorded[0][0] <= world.step_count:
            self._carry_out(self._recorded.popleft()[1])
        before, log = self.history.at(world.step_count), self.stage.log
        changed = before.step != world.step_count or (bool(log) and log[-1][0] == world.step_count)
        self._bound = changed and isinstance(self._source, World)
        try:
            self.stage.step()
        except _Closed:
            self._bound = True
            self.stage.restore(before)
            raise
        except SimulationError as error:
            bodies = (error.body, *(error.contact or ()))
            self._stop(Failure(str(error), tuple(dict.fromkeys(bodies))))
            return
        except Exception as error:  # a callback of the user: it must not end the window, and is shown in it
            self._stop(Failure(f"{type(error).__name__}: {error}"))
            return
        self.timeline.note_step(time.perf_counter() - began, surely=self._control.paused)
        if self.monitor.channels:
            self.monitor.note(world)
        self._pace.note(
            world.time_step, max(time.perf_counter() - began, world.time_step / self._control.speed)
        )

    def _stop(self, failure: Failure) -> None:
        with self._condition:
            self._control.paused, self._control.steps = True, 0
        self.timeline.failure = failure

    def _stale_view(self) -> bool:
        """Return whether the view lacks what was asked for, or was made too early to be the last."""
        view = self.view
        return (
            (self._control.contacts and view.frame.contacts is None)
            or view.paused != self._control.paused
            or self._inspected != self._control.inspected
            or view.frame.step != self.stage.world.step_count
        )

    def _publish(self, at_once: bool) -> None:
        now = time.perf_counter()
        if at_once or now - self._published >= _PUBLISH:
            self._published = now
            self.view = self._look()

    def _look(self) -> View:
        world, pull, timeline = self.stage.world, self.stage.pull, self.timeline
        self._inspected = self._control.inspected
        marks = self._drawn()
        return View(
            description=self._describer.describe(world),
            frame=frame_of(world, self._control.contacts),
            outline=outline_of(world, *self._inspected),
            paused=self._control.paused,
            rate=self._pace.rate,
            pull=None if pull is None else (tuple(pull.point), tuple(pull.pointer)),
            failure=self._drawing_failed or (None if timeline.looking_back else timeline.failure),
            past=timeline.ends,
            looking_back=timeline.looking_back,
            cuts=timeline.cuts,
            marks=marks,
            draft=self.stage.draft,
        )

    def _drawn(self) -> Marks:
        """Return what the user's function draws; one that fails is not called again."""
        try:
            return drawn_by(self._draw, self.stage.world)
        except Exception as error:  # it must not end the window, and is shown in it
            self._draw = None
            self._drawing_failed = Failure(f"the function draw raised {type(error).__name__}: {error}")
            self._stop(self._drawing_failed)
            return Marks()

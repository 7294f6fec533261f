"""The simulation behind the window: a thread of its own, a list of commands in, frames out.

Only this thread touches the world, from building it on. The window asks by `post` and by the run control, and
draws the latest `View`, which no step changes any more; so it waits for nothing, neither for kernels that are
being compiled nor for a step, however long one takes.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from stoss.collision.kernels.prepare import watch
from stoss.engine import SimulationError, World
from stoss.viewer.world.canvas import Draw, Marks, drawn_by
from stoss.viewer.world.channels import Channel
from stoss.viewer.world.commands import Command
from stoss.viewer.world.control import Control
from stoss.viewer.world.frames import Describer, frame_of
from stoss.viewer.world.history import History
from stoss.viewer.world.monitor import Monitor
from stoss.viewer.world.outline import outline_of
from stoss.viewer.world.pace import Pace
from stoss.viewer.world.stage import Entry, Stage
from stoss.viewer.world.view import Failure, View, Wait, empty_view

__all__ = ["Simulation"]

_PUBLISH = 1.0 / 60.0  # [s] frames are published no more often
_IDLE = 0.05  # [s] a paused simulation looks for work at least that often
_FILLING = 0.004  # [s] between two steps to read curves from the recorded past
_PATIENCE = 0.2  # [s] that `close` waits for a world that nobody else has


class _Closed(BaseException):
    """Ends the compilation of kernels that nobody waits for any more."""


class Simulation:
    """Run a world beside a window. `start` begins the thread; without it, `turn` runs it in the caller's.

    Args:
        source: the world, or a function that builds it; it is called in the thread.
        paused: whether to begin standing.
        memory: [bytes] for the states to which it can go back.
        draw: draws over the bodies; it is called in the thread.

    Attributes:
        history: the states to which it can go back.
        monitor: the curves that are noted.
        notices: what the user is to be told, oldest first.
        view: what is to be seen; empty until the world is there.
        error: why no world could be built, or None.
    """

    def __init__(
        self,
        source: World | Callable[[], World],
        paused: bool = False,
        memory: float = 400e6,
        draw: Draw | None = None,
    ) -> None:
        self._draw = draw
        self._source = source
        self._stage: Stage | None = None
        self._begun = threading.Event()  # the world is there, or there will be none
        self._compiling: Wait | None = None
        self._bound = False  # whether what it is in must come to its end
        self.error: Exception | None = None
        self.history = History(memory)
        self.monitor = Monitor()
        self.notices: deque[str] = deque(maxlen=50)
        self._control = Control(paused=paused)
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._failure: Failure | None = None
        self._recorded: deque[Entry] = deque()  # commands that wait for their steps
        self._pace = Pace()
        self._published = -1.0
        self._unsaved = 0.0  # [s] of steps since a state was kept
        self._saving = 0.0  # [s] that keeping the last state took
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

        A world that was given is left after a whole step; a step for which kernels are still being compiled
        is taken back where that can be. A world that was built here nobody else has: its thread is left to
        end by itself, which it does before the next kernel or step.
        """
        with self._condition:
            self._control.closed = True
            self._condition.notify()
        if self._thread is not None:
            self._thread.join(None if isinstance(self._source, World) else _PATIENCE)

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
    def stage(self) -> Stage:
        """Return the world under commands, which belongs to the thread.

        Raises:
            RuntimeError: the world is not there yet.
        """
        if self._stage is None:
            raise RuntimeError("the world is not there yet; wait for it")
        return self._stage

    @property
    def log(self) -> list[Entry]:
        """Return the commands that were carried out, each with its step."""
        return [] if self._stage is None else list(self._stage.log)

    def post(self, *commands: Command) -> None:
        """Put commands into the list; they are carried out before the next step, also while it is paused."""
        with self._condition:
            self._control.commands.extend(commands)
            self._condition.notify()

    def follow(self, log: list[Entry]) -> None:
        """Carry out recorded commands, each at its step."""
        self._recorded = deque(log)

    def ask(self, function: Callable[[], Any]) -> "Future[Any]":
        """Call a function between two steps, in the simulation's thread, and return its promised result."""
        promise: Future[Any] = Future()
        with self._condition:
            self._control.questions.append((function, promise))
            self._condition.notify()
        return promise

    def pause(self, paused: bool = True) -> None:
        """Stop, or go on."""
        with self._condition:
            self._control.paused, self._control.steps = paused, 0
            self._condition.notify()

    @property
    def paused(self) -> bool:
        """Whether it stands, or will after the step it is in."""
        return self._control.paused

    def step(self, count: int = 1) -> None:
        """Stop, and make so many single steps."""
        with self._condition:
            self._control.paused = True
            self._control.steps += count
            self._condition.notify()

    def step_back(self) -> None:
        """Stop, and go back to the state before the last step."""
        self.go_to(self.view.frame.step - 1)

    def go_to(self, step: int) -> None:
        """Stop, and go back to the last kept state up to a step."""
        with self._condition:
            self._control.paused, self._control.steps = True, 0
            self._control.back = step
            self._condition.notify()

    def reset(self) -> None:
        """Stop, and go back to the beginning."""
        self.go_to(-1)

    @property
    def speed(self) -> float:
        """Simulated seconds per second that it aims at; infinite: as fast as it can."""
        return self._control.speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not value > 0.0:
            raise ValueError(f"speed = {value!r} must be above zero; use pause() to stop")
        with self._condition:
            self._control.speed = value
            self._condition.notify()

    def watch(self, *channels: Channel) -> None:
        """Note these curves, in `monitor`: from now on, and as far back as states are kept."""
        with self._condition:
            self._control.channels = channels
            self._condition.notify()

    def show_contacts(self, wanted: bool) -> None:
        """Say whether frames are to hold the contacts."""
        with self._condition:
            if self._control.contacts != wanted:
                self._control.contacts = wanted
                self._condition.notify()

    def inspect(self, body: str = "", joint: str = "") -> None:
        """Say of which body and joint the outline is to tell."""
        with self._condition:
            if self._control.inspected != (body, joint):
                self._control.inspected = (body, joint)
                self._condition.notify()

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
            world = self._source if isinstance(self._source, World) else self._source()
            world.prepare_kernels()
            stage = self._stage = Stage(world)
            self.history.keep(stage.save())
            self.view = self._look()
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
            commands = list(control.commands)
            control.commands.clear()
            questions = list(control.questions)
            control.questions.clear()
            back, control.back = control.back, None
            channels, control.channels = control.channels, None
            step = not control.paused
            if control.paused and control.steps > 0 and back is None:
                control.steps -= 1
                step = True
            paced = not control.paused
        if channels is not None:
            moments = [self.history.at(step) for step in self.history.steps]
            self.monitor.watch(channels, self.stage.world, moments)
        filled = self.monitor.work(_FILLING)
        if back is not None:
            self._go_back(back)
        for command in commands:
            self._carry_out(command)
        for function, promise in questions:
            try:
                promise.set_result(function())
            except Exception as error:  # belongs to whoever asked
                promise.set_exception(error)
        if step and paced:
            step = self._pace.is_due(self.stage.world.time_step / self.speed)
        if step:
            self._step()
        acted = step or bool(commands) or back is not None or channels is not None
        if acted or self._stale_view():
            self._publish(at_once=not paced or bool(commands))
        return acted or filled

    def _carry_out(self, command: Command) -> None:
        try:
            self.stage.carry_out(command)
        except (ValueError, TypeError, KeyError) as error:
            text = error.args[0] if isinstance(error, KeyError) else str(error)
            self.notices.append(f"{command.name}: {text}")

    def _go_back(self, step: int) -> None:
        moment = self.history.at(step)
        self.stage.go_back(moment, max(step, moment.step))
        world = self.stage.world
        self.history.forget_after(world.step_count)
        self.monitor.forget_after(world.time + 0.5 * world.time_step)
        self._failure = None

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
        self._remember(time.perf_counter() - began)
        if self.monitor.channels:
            self.monitor.note(world)
        self._pace.note(
            world.time_step, max(time.perf_counter() - began, world.time_step / self._control.speed)
        )

    def _remember(self, spent: float) -> None:
        """Keep the present state, unless that would take more than a tenth of the time."""
        self._unsaved += spent
        if self._unsaved >= 10.0 * self._saving or self._control.paused:
            begin = time.perf_counter()
            self.history.keep(self.stage.save())
            self._unsaved, self._saving = 0.0, time.perf_counter() - begin

    def _stop(self, failure: Failure) -> None:
        with self._condition:
            self._control.paused, self._control.steps = True, 0
        self._failure = failure

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
        world, pull = self.stage.world, self.stage.pull
        self._inspected = self._control.inspected
        marks = self._drawn()
        return View(
            description=self._describer.describe(world),
            frame=frame_of(world, self._control.contacts),
            outline=outline_of(world, *self._inspected),
            paused=self._control.paused,
            rate=self._pace.rate,
            pull=None if pull is None else (tuple(pull.point), tuple(pull.pointer)),
            failure=self._failure,
            past=(self.history.ends[0], world.step_count),
            marks=marks,
        )

    def _drawn(self) -> Marks:
        """Return what the user's function draws; one that fails is not called again."""
        try:
            return drawn_by(self._draw, self.stage.world)
        except Exception as error:  # it must not end the window, and is shown in it
            self._draw = None
            self._stop(Failure(f"the function draw raised {type(error).__name__}: {error}"))
            return Marks()

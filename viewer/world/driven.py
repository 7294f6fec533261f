"""A world that the user's own loop steps, seen and reached into like a simulation.

All happens in the thread of that loop: `turn` between two steps, and the pull, which has to act in every
step, by a callback of the world. What has been can be looked at and gone on from as far as it was kept;
nothing is simulated anew, since the loop does things to the world of which nobody else knows.
"""

import math
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np

from stoss.engine import World
from stoss.viewer.world.canvas import Canvas, Marks, marks_of
from stoss.viewer.world.channels import Channel
from stoss.viewer.world.commands import Command
from stoss.viewer.world.control import Control
from stoss.viewer.world.frames import Describer, frame_of
from stoss.viewer.world.history import History
from stoss.viewer.world.monitor import Monitor
from stoss.viewer.world.outline import outline_of
from stoss.viewer.world.pace import Pace
from stoss.viewer.world.pull import POINTER, Pull
from stoss.viewer.world.stage import Entry, Stage
from stoss.viewer.world.view import View, Wait

__all__ = ["Driven"]

_FILLING = 0.004  # [s] in each round to read curves from the recorded past
_MEMORY = 1.0  # [s] over which the rate is averaged


class Driven:
    """A world that somebody else steps; has the methods of `Simulation`.

    Args:
        world: the world.
        paused: whether its loop is to wait.
        speed: simulated seconds per second that are aimed at.
        memory: [bytes] for the states to which it can go back.
    """

    def __init__(self, world: World, paused: bool = False, speed: float = 1.0, memory: float = 400e6) -> None:
        self.stage = Stage(world)
        self.ready, self.busy = True, False
        self.error: Exception | None = None
        self.waiting: Wait | None = None
        self.notices: deque[str] = deque(maxlen=50)
        self.history, self.monitor = History(memory), Monitor()
        self._describer, self._pace = Describer(), Pace()
        self._control = Control(paused=paused, speed=speed)
        self._marks = Marks()
        self._noted = time.perf_counter()  # when the last steps were noted
        self._before, self._before_time = world.step_count, world.time  # as they were then
        self._unsaved = self._saving = 0.0  # [s] as in `Simulation`
        self._pull = self._puller()
        self._moved = np.zeros(2)  # [s] that were simulated over the last moments, and how long that took
        self._length = 0.0  # [s] of the steps that were noted last
        self._view: View | None = None
        self._inspected = ("", "")  # what the outline of the view is of
        self.history.keep(self.stage.save())

    # ------------------------------------------------------------- for the loop

    def note(self) -> None:
        """Take note of the steps that were made since this was last called."""
        world, now = self.stage.world, time.perf_counter()
        spent, length = now - self._noted, world.time - self._before_time
        if world.step_count != self._before:
            if world.step_count < self._before:  # the program went back by itself
                self.monitor.forget_after(world.time - 0.5 * world.time_step)
                self._end_lost_pull()
            self._before, self._before_time = world.step_count, world.time
            self.history.forget_after(max(world.step_count - 1, self.history.ends[0]))
            self._remember(spent)
            if self.monitor.channels:
                self.monitor.note(world)
            fade = math.exp(-spent / _MEMORY)
            self._moved = np.array([max(length, 0.0), spent]) + fade * self._moved
        self._length = max(length, 0.0)
        self._noted = now
        self._view = None

    def show_marks(self, canvas: Canvas) -> None:
        """Show from now on what is on a canvas, and take off what is not to stay."""
        self._marks = marks_of(canvas)

    def show_world(self) -> None:
        """Look at the world anew: the program has changed something."""
        self._view = None

    def is_due(self) -> bool:
        """Return whether the loop is to go on: it is not paused, or a single step was asked for."""
        control = self._control
        if control.paused:
            if control.steps <= 0:
                return False
            control.steps -= 1
            return True
        return self._pace.is_due(self._length / control.speed)

    @property
    def rest(self) -> float:
        """Return how long there is until the loop is to go on [s]; without an end while it is paused."""
        return float("inf") if self._control.paused else self._pace.rest

    def turn(self) -> None:
        """Do what was asked for meanwhile: commands, going back, questions."""
        control = self._control
        back, control.back = control.back, None
        channels, control.channels = control.channels, None
        if channels is not None:
            moments = [self.history.at(step) for step in self.history.steps]
            self.monitor.watch(channels, self.stage.world, moments)
        self.monitor.work(_FILLING)
        if back is not None:
            self._go_back(back)
        acted = back is not None or bool(control.commands or control.questions)
        if self.stage.pull is not None:
            self._end_lost_pull()
        while control.commands:
            self._carry_out(control.commands.popleft())
        while control.questions:
            function, promise = control.questions.popleft()
            try:
                promise.set_result(function())
            except Exception as error:  # belongs to whoever asked
                promise.set_exception(error)
        if acted:
            self._view = None

    # ------------------------------------------------------------- for the window

    def start(self) -> None:
        """Nothing is to be begun."""

    def close(self) -> None:
        """Let go of what is pulled: the world is its user's again."""
        self._let_go()

    def wait(self, seconds: float) -> bool:
        """Return at once that the world is there."""
        return True

    @property
    def view(self) -> View:
        """Return what is to be seen now."""
        control, view = self._control, self._view
        if view is None or (
            (control.contacts and view.frame.contacts is None)
            or view.paused != control.paused
            or self._inspected != control.inspected
        ):
            view = self._view = self._look()
        return view

    @property
    def log(self) -> list[Entry]:
        """Return the commands that were carried out, each with its step."""
        return list(self.stage.log)

    def post(self, *commands: Command) -> None:
        """Put commands into the list; they are carried out before the next step."""
        self._control.commands.extend(commands)

    def ask(self, function: Callable[[], Any]) -> "Future[Any]":
        """Call a function between two steps, and return its promised result."""
        promise: Future[Any] = Future()
        self._control.questions.append((function, promise))
        return promise

    @property
    def paused(self) -> bool:
        """Whether the loop waits."""
        return self._control.paused

    def pause(self, paused: bool = True) -> None:
        """Let the loop wait, or go on."""
        self._control.paused, self._control.steps = paused, 0

    def step(self, count: int = 1) -> None:
        """Let the loop wait after so many more rounds."""
        self._control.paused = True
        self._control.steps += count

    def step_back(self) -> None:
        """Let the loop wait, and go back to the kept state before the present one."""
        control = self._control
        self.go_to((self.stage.world.step_count if control.back is None else control.back) - 1)

    def go_to(self, step: int) -> None:
        """Let the loop wait, and go to the last kept state up to a step; later ones stay until it goes on."""
        self._control.paused, self._control.steps = True, 0
        self._control.back = max(step, self.history.ends[0])

    def reset(self) -> None:
        """Let the loop wait, and go back to the beginning."""
        self.go_to(-1)

    @property
    def speed(self) -> float:
        """Simulated seconds per second that are aimed at; infinite: as fast as the loop can."""
        return self._control.speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not value > 0.0:
            raise ValueError(f"speed = {value!r} must be above zero; use pause() to stop")
        self._control.speed = value

    def watch(self, *channels: Channel) -> None:
        """Note these curves, in `monitor`: from now on, and as far back as states are kept."""
        self._control.channels = channels

    def show_contacts(self, wanted: bool) -> None:
        """Say whether frames are to hold the contacts."""
        self._control.contacts = wanted

    def inspect(self, body: str = "", joint: str = "") -> None:
        """Say of which body and joint the outline is to tell."""
        self._control.inspected = (body, joint)

    # ------------------------------------------------------------- inside

    def _carry_out(self, command: Command) -> None:
        try:
            self.stage.carry_out(command)
        except (ValueError, TypeError, KeyError) as error:
            text = error.args[0] if isinstance(error, KeyError) else str(error)
            self.notices.append(f"{command.name}: {text}")
        self._follow_pull()

    def _follow_pull(self) -> None:
        """Have the world call the pull before each step, as long as there is one."""
        calls, pulled = self.stage.world.before_step, self.stage.pull is not None
        if pulled and self._pull not in calls:
            calls.append(self._pull)
        elif not pulled and self._pull in calls:
            calls.remove(self._pull)

    def _puller(self) -> Callable[[World], None]:
        """Return what pulls before each step: a function, which copies of the world do not copy."""

        def pull(world: World) -> None:
            held = self.stage.pull
            if world is self.stage.world and held is not None and held.whole:
                held.follow()

        return pull

    def _end_lost_pull(self) -> None:
        """End a pull of which a part is gone, and remove what is left of one that nobody holds."""
        stage, world = self.stage, self.stage.world
        if stage.pull is not None and not stage.pull.whole:
            stage.pull = None
        if not isinstance(stage.pull, Pull):
            for joint in [joint for joint in world.joints if joint.name == POINTER]:
                world.remove_joint(joint)
            for body in [body for body in world.bodies if body.name == POINTER]:
                world.remove_body(body)
        self._follow_pull()

    def _let_go(self) -> None:
        self._end_lost_pull()
        self.stage.let_go()
        self._follow_pull()

    def _go_back(self, step: int) -> None:
        self.stage.restore(self.history.at(step))
        self._let_go()
        world = self.stage.world
        self.stage.log[:] = [entry for entry in self.stage.log if entry[0] < world.step_count]
        self._before, self._before_time = world.step_count, world.time

    def _remember(self, spent: float) -> None:
        """Keep the present state, unless that would take more than a tenth of the time."""
        self._unsaved += spent
        if self._unsaved >= 10.0 * self._saving or self._control.paused:
            begin = time.perf_counter()
            self.history.keep(self.stage.save())
            self._unsaved, self._saving = 0.0, time.perf_counter() - begin

    def _look(self) -> View:
        world, pull, control = self.stage.world, self.stage.pull, self._control
        self._inspected = control.inspected
        first, last = self.history.ends
        return View(
            description=self._describer.describe(world),
            frame=frame_of(world, control.contacts),
            outline=outline_of(world, *control.inspected),
            paused=control.paused,
            rate=float(self._moved[0] / max(self._moved[1], 1e-9)),
            pull=None if pull is None else (tuple(pull.point), tuple(pull.pointer)),
            past=(first, max(last, world.step_count)),
            marks=self._marks,
        )

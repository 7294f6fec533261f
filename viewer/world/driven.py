"""A world that the user's own loop steps, seen and reached into like a simulation.

All happens in the thread of that loop: `turn` between two steps, and the pull, which has to act in every
step, by a callback of the world. What has been can be looked at and gone on from as far as it was kept;
nothing is simulated anew, since the loop does things to the world of which nobody else knows.
"""

import math
import time
from collections.abc import Callable

import numpy as np

from stoss.engine import World
from stoss.viewer.world.canvas import Canvas, Marks, marks_of
from stoss.viewer.world.frames import Describer, frame_of
from stoss.viewer.world.outline import outline_of
from stoss.viewer.world.pace import Pace
from stoss.viewer.world.pull import POINTER, Pull
from stoss.viewer.world.recorded import Recorded
from stoss.viewer.world.stage import Stage
from stoss.viewer.world.view import View, Wait

__all__ = ["Driven"]

_FILLING = 0.004  # [s] in each round to read curves from the recorded past
_MEMORY = 1.0  # [s] over which the rate is averaged


class Driven(Recorded):
    """A world that somebody else steps; has the methods of `Simulation`.

    Args:
        world: the world.
        paused: whether its loop is to wait.
        speed: simulated seconds per second that are aimed at.
        memory: [bytes] for the states to which it can go back.
    """

    def __init__(self, world: World, paused: bool = False, speed: float = 1.0, memory: float = 400e6) -> None:
        super().__init__(paused, memory)
        self.ready, self.busy = True, False
        self.error: Exception | None = None
        self.waiting: Wait | None = None
        self.preparing: Wait | None = None
        self._describer, self._pace = Describer(), Pace()
        self.speed = speed
        self._marks = Marks()
        self._noted = time.perf_counter()  # when the last steps were noted
        self._before, self._before_time = world.step_count, world.time  # as they were then
        self._pull = self._puller()
        self._moved = np.zeros(2)  # [s] that were simulated over the last moments, and how long that took
        self._length = 0.0  # [s] of the steps that were noted last
        self._view: View | None = None
        self._inspected = ("", "")  # what the outline of the view is of
        self._record(Stage(world, editable=False))

    # ------------------------------------------------------------- for the loop

    def note(self) -> None:
        """Take note of the steps that were made since this was last called."""
        world, now = self.stage.world, time.perf_counter()
        spent, length = now - self._noted, world.time - self._before_time
        if world.step_count != self._before:
            if self.timeline.looking_back:
                self._go_on(step=min(self._before, world.step_count))
            if world.step_count < self._before:  # the program went back by itself
                self.monitor.forget_after(world.time - 0.5 * world.time_step)
                self._end_lost_pull()
            self._before, self._before_time = world.step_count, world.time
            self.timeline.note_step(spent, surely=self._control.paused)
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
        channels, control.channels = control.channels, None
        if channels is not None:
            self._note_curves(channels)
        self.monitor.work(_FILLING)
        if self.stage.pull is not None:
            self._end_lost_pull()
        while control.wishes or self._goal is not None or control.questions:
            for command in self._take_wishes():
                self._carry_out(command)
                self._follow_pull()
            if self._goal is not None:
                self._go_back(self._goal)
                self._goal = None
            elif control.questions:
                self._answer(*control.questions.popleft())
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

    # ------------------------------------------------------------- inside

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
        self._end_lost_pull()
        self.timeline.seek(step, again=False)
        self._let_go()
        world = self.stage.world
        self._before, self._before_time = world.step_count, world.time

    def _look(self) -> View:
        world, pull, control = self.stage.world, self.stage.pull, self._control
        self._inspected = control.inspected
        timeline = self.timeline
        return View(
            description=self._describer.describe(world),
            frame=frame_of(world, control.contacts),
            outline=outline_of(world, *control.inspected),
            paused=control.paused,
            rate=float(self._moved[0] / max(self._moved[1], 1e-9)),
            pull=None if pull is None else (tuple(pull.point), tuple(pull.pointer)),
            past=timeline.ends,
            looking_back=timeline.looking_back,
            cuts=timeline.cuts,
            marks=self._marks,
        )

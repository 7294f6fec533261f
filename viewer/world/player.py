"""A motion read from a file, played like a simulation: paused, stepped, slowed down, sought."""

import time
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import Settings
from stoss.engine.recording import Observable
from stoss.viewer.world.channels import AXES, SIZE, Channel
from stoss.viewer.world.commands import Command
from stoss.viewer.world.differences import angular_velocities, velocities
from stoss.viewer.world.film_strip import FilmStrip
from stoss.viewer.world.frames import describe_trajectory, trajectory_frame
from stoss.viewer.world.monitor import Monitor
from stoss.viewer.world.outline import Outline
from stoss.viewer.world.stage import Entry
from stoss.viewer.world.view import View, Wait

if TYPE_CHECKING:
    from stoss.scenes.running.trajectory import Trajectory

__all__ = ["Player", "is_of_motions"]

# Quantities of bodies that a file of poses tells of, with their units.
_OF_MOTIONS = {"position": "m", "velocity": "m/s", "angular_velocity": "rad/s"}


def is_of_motions(channel: Channel) -> bool:
    """Return whether a file of poses tells of a channel."""
    kind, _, rest = channel.name.partition(".")
    return kind == "body" and rest.rpartition(".")[0].rpartition(".")[2] in _OF_MOTIONS


class Player:
    """Play a motion; has the methods of `Simulation`, but what is recorded cannot be changed.

    Args:
        motion: the motion.
        paused: whether to begin standing.

    Attributes:
        scene_name: the scene that moved, "" where the file does not tell.

    Raises:
        ValueError: it has no samples.
    """

    def __init__(self, motion: "Trajectory", paused: bool = False) -> None:
        if len(motion.times) == 0:
            raise ValueError("the motion has no samples; record it anew")
        self.ready, self.busy = True, False
        self.error: Exception | None = None
        self.waiting: Wait | None = None
        self.preparing: Wait | None = None
        self.log: list[Entry] = []
        self.refused = None
        self.notices: deque[str] = deque(maxlen=50)
        self.monitor = Monitor()
        self.strip = FilmStrip()
        self.paused = paused
        scene = motion.about.get("scene")
        self.scene_name = scene if isinstance(scene, str) else ""
        self._motion = motion
        self._description = describe_trajectory(motion)
        every = int(motion.about.get("every", 1))
        step = float(np.diff(motion.times).mean()) / every if len(motion.times) > 1 else 0.01
        self._outline = Outline((0.0, 0.0, 0.0), step or 0.01, Settings())
        self._speed = 1.0
        self._time = float(motion.times[0])
        self._looked = time.perf_counter()

    def start(self) -> None:
        """Begin to play."""
        self._looked = time.perf_counter()

    def close(self) -> None:
        """Nothing is left behind."""

    def wait(self, seconds: float) -> bool:
        """Return at once that the motion is there."""
        return True

    @property
    def view(self) -> View:
        """Return what is to be seen now."""
        now = time.perf_counter()
        if not self.paused:
            self._time += min(self._speed, 1e6) * (now - self._looked)
            if self._time >= self._motion.times[-1]:
                self._time, self.paused = float(self._motion.times[-1]), True
        self._looked = now
        index = self._index
        return View(
            self._description,
            trajectory_frame(self._motion, index),
            self._outline,
            self.paused,
            rate=0.0 if self.paused else self._speed,
            past=(0, trajectory_frame(self._motion, len(self._motion.times) - 1).step),
        )

    @property
    def _index(self) -> int:
        """Return the sample that is shown: the last one up to the present time."""
        return max(0, int(np.searchsorted(self._motion.times, self._time + 1e-12, side="right")) - 1)

    def _show(self, index: int) -> None:
        self.paused = True
        self._time = float(self._motion.times[int(np.clip(index, 0, len(self._motion.times) - 1))])

    def pause(self, paused: bool = True) -> None:
        """Stop, or go on; at the end: begin anew."""
        _ = self.view
        if not paused and self._index == len(self._motion.times) - 1:
            self._time = float(self._motion.times[0])
        self.paused = paused

    def step(self, count: int = 1) -> None:
        """Stop, and show the sample so many later."""
        self._show(self._index + count)

    def step_back(self) -> None:
        """Stop, and show the sample before."""
        self._show(self._index - 1)

    def go_to(self, step: int) -> None:
        """Stop, and show the sample of a step."""
        self._show(step // int(self._motion.about.get("every", 1)))

    def reset(self) -> None:
        """Stop, and show the first sample."""
        self._show(0)

    @property
    def speed(self) -> float:
        """Recorded seconds per second."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not value > 0.0:
            raise ValueError(f"speed = {value!r} must be above zero; use pause() to stop")
        _ = self.view
        self._speed = value

    def post(self, *commands: Command) -> None:
        """Tell that it cannot be changed."""
        self.notices.append("a recorded motion cannot be changed; open the scene to reach into it")

    def undo_cut(self) -> None:
        """Tell that nothing can be cut off."""
        self.notices.append("a recorded motion cannot be cut")

    redo_cut = undo_cut

    def ask(self, function: Any, at_end: bool = False) -> "Future[Any]":
        """Call a function at once, and return its result as a promise."""
        promise: Future[Any] = Future()
        promise.set_result(function())
        return promise

    def watch(self, *channels: Channel) -> None:
        """Read these curves from the motion: positions of bodies, and velocities from their differences."""
        have = set(self.monitor.channels)
        self.monitor.watch(filter(is_of_motions, channels))
        for channel in self.monitor.channels:
            if channel not in have:
                self.monitor.put(channel, self._motion.times, self._curve(channel))

    @property
    def observables(self) -> tuple[Observable, ...]:
        """Return what can be plotted."""
        names = self._motion.names
        return tuple(
            Observable(f"body.{name}.{what}", unit, AXES)
            for name in names
            for what, unit in _OF_MOTIONS.items()
        )

    def _curve(self, channel: Channel) -> np.ndarray:
        """Return the values (k,) of a channel of a body at all samples, NaN for what files do not hold."""
        motion, samples = self._motion, np.arange(len(self._motion.times))
        whole, _, component = channel.name.rpartition(".")
        body, _, quantity = whole.removeprefix("body.").rpartition(".")
        if body not in motion.names or quantity not in _OF_MOTIONS or component not in (*AXES, SIZE):
            return np.full(len(samples), np.nan)
        row = np.array([motion.names.index(body)])
        if quantity == "position":
            vectors = motion.positions[:, row[0]]
        elif quantity == "velocity":
            vectors = velocities(motion, samples, row)[:, 0]
        else:
            vectors = angular_velocities(motion, samples, row)[:, 0]
        return np.linalg.norm(vectors, axis=1) if component == SIZE else vectors[:, AXES.index(component)]

    def show_contacts(self, wanted: bool) -> None:
        """Contacts were not recorded."""

    def inspect(self, body: str = "", joint: str = "") -> None:
        """Values were not recorded."""

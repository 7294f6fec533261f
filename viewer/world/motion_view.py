"""A motion that was measured, over the bodies of a world: markers, what they are missed by, a ghost."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.engine import checks
from stoss.engine.articulated import Articulation
from stoss.engine.motion_capture import MarkerData, Motion
from stoss.engine.motion_capture.sticks import stick_figure
from stoss.engine.motion_capture.tracking import common_markers
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.viewer.world.canvas import Canvas

__all__ = ["MotionView"]

SEEN, OWN, GHOST = "#1d7fd6", "#f2f2f2", "#7a4fd0"
GOOD, BAD = np.array((0.15, 0.7, 0.25)), np.array((0.9, 0.1, 0.1))
TOO_FAR = 0.02  # [m] at which a line is as red as it gets


@closed
class MotionView:
    """Take the bodies of a world through a motion, and draw what was measured over them.

        motion = st.track_markers(both, data)
        st.show(both.world, draw=st.MotionView(both, motion, data))

    Drawn are markers where they were seen (blue), those of the bodies (white), lines between them, green to
    red at 2 cm, and what is missed in the mean. The window's time bar goes through the motion, and its films
    have all of it, as has `st.picture`. Where something else moves the bodies, servos for instance
    (`st.MotionPlayer`), give play=False: the motion stands beside them as a ghost of lines.

    Args:
        articulation: of the world.
        motion: its motion.
        data: the recording; None: no markers are drawn.
        play: whether bodies are put where the motion has them, after each step.
        ghost: whether the motion is drawn as lines from joint to joint; None: where it is not played.
        begin: time of the world at which its first frame is due [s]; None: now.

    Raises:
        TypeError, ValueError: the motion lacks a coordinate, or recording and world have no marker in common.
    """

    def __init__(
        self,
        articulation: Articulation,
        motion: Motion,
        data: MarkerData | None = None,
        *,
        play: bool = True,
        ghost: bool | None = None,
        begin: float | None = None,
    ) -> None:
        self._both = checks.instance("articulation", articulation, Articulation, "Articulation(world)")
        self._motion = checks.instance("motion", motion, Motion, "track_markers(articulation, data)")
        self._order = motion._order(articulation)
        self._data = data
        self._markers = []
        if data is not None:
            checks.instance("data", data, MarkerData, "load_markers('walk.c3d')")
            self._markers = common_markers(articulation, data)
        self._play = checks.flag("play", play)
        self._ghost = not self._play if ghost is None else checks.flag("ghost", ghost)
        world = articulation.world
        self._begin = world.time if begin is None else checks.number("begin", begin, "s")
        if self._play:
            self._follow(world)
            world.after_step.append(self._follow)

    def __repr__(self) -> str:
        return f"<MotionView of {self._motion!r}>"

    def time(self, world: "World") -> float:
        """Return the time of the motion that is due [s].

        Args:
            world: whose time counts.
        """
        times = self._motion.times
        return float(np.clip(times[0] + world.time - self._begin, times[0], times[-1]))

    def end(self) -> None:
        """Leave the bodies to the world again."""
        calls = self._both.world.after_step
        if self._follow in calls:
            calls.remove(self._follow)

    def _follow(self, world: "World") -> None:
        if world is self._both.world:
            self._motion.show(self._both, self.time(world))

    def __call__(self, canvas: "Canvas", world: "World") -> None:
        """Draw; for `draw` of `st.show`, `st.picture` and others.

        Args:
            canvas: that is drawn on.
            world: the world as it is.
        """
        time = self.time(world)
        if self._ghost:
            lines = stick_figure(self._both, np.asarray(self._motion.at(time))[self._order])
            if len(lines):
                canvas.line(lines[:, 0], lines[:, 1], color=GHOST, width=4.0)
        if self._data is None:
            return
        frame = int(np.argmin(np.abs(self._data.times - time)))
        columns = [column for column, _ in self._markers]
        seen = self._data.positions[frame, columns]
        own = np.array([marker.position for _, marker in self._markers])
        canvas.points(own, color=OWN, width=5.0)
        there = ~np.isnan(seen[:, 0])
        if not there.any():
            return
        canvas.points(seen[there], color=SEEN, width=8.0)
        missed = np.linalg.norm(seen - own, axis=1)
        for k in np.flatnonzero(there).tolist():
            share = min(missed[k] / TOO_FAR, 1.0)
            canvas.line(own[k], seen[k], color=tuple((GOOD + share * (BAD - GOOD)).tolist()), width=2.5)
        mean = float(np.sqrt((missed[there] ** 2).mean()))
        middle = seen[there].mean(axis=0)
        middle[2] = seen[there, 2].max() + 0.1
        canvas.text(middle, f"{time:.2f} s, missed by {1e3 * mean:.1f} mm")

"""Paths of bodies, kept from frame to frame."""

from collections.abc import Sequence

import numpy as np

from stoss.viewer.drawing.marks import lines
from stoss.viewer.drawing.style import base_colours
from stoss.viewer.world.frames import Description, Frame

__all__ = ["Trails"]


class Trails:
    """The paths of bodies over the last frames.

    Args:
        length: how many frames are kept.
        bodies: rows of the bodies; None takes all that move, up to a hundred.
    """

    def __init__(self, length: int = 300, bodies: Sequence[int] | None = None) -> None:
        self.length = length
        self._bodies = None if bodies is None else np.array(bodies, int)
        self._kept: list[np.ndarray] = []
        self._description: Description | None = None
        self._time = -np.inf

    def add(self, description: Description, frame: Frame) -> None:
        """Take the places of a new frame; other bodies or an earlier time begin anew."""
        if description is not self._description or frame.time < self._time:
            self._description, self._kept = description, []
            moving = [row for row, kind in enumerate(description.kinds) if kind != "static"]
            self._shown = np.array(moving[:100], int) if self._bodies is None else self._bodies
            self._colours = 0.75 * base_colours(description, vary=True)[self._shown]
        elif frame.time == self._time:
            return
        self._time = frame.time
        self._kept.append(frame.positions[self._shown])
        del self._kept[: -self.length]

    def lines(self) -> np.ndarray:
        """Return rows of `OverlayGeometry.lines`, fainter the longer ago."""
        if len(self._kept) < 2:
            return np.zeros((0, 11))
        path = np.array(self._kept)
        age = np.linspace(0.1, 0.9, len(path) - 1)
        count = path.shape[1]
        colour = np.empty((len(path) - 1, count, 4))
        colour[..., :3] = self._colours
        colour[..., 3] = age[:, None]
        table = lines(path[:-1].reshape(-1, 3), path[1:].reshape(-1, 3), (0.0, 0.0, 0.0, 1.0), 2.0)
        table[:, 7:] = colour.reshape(-1, 4)
        return table

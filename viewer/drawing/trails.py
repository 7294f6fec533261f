"""Paths of bodies, kept from frame to frame."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.plain_numbers import whole
from stoss.names import closed
from stoss.viewer.drawing.choosing import Names, check_names, chosen_rows
from stoss.viewer.drawing.marks import lines
from stoss.viewer.drawing.style import base_colours
from stoss.viewer.world.frames import Description, Frame, describe_world, frame_of

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["Trails"]

_MOST = 100  # bodies that have paths where none are named


@closed
class Trails:
    """The paths of bodies over the last steps, which pictures show as lines.

        trails = viewer.Trails(bodies=["ball*"])
        world.after_step.append(trails.after_step)
        world.step(100)
        viewer.picture(world, trails=trails)

    Args:
        length: how many steps are kept.
        bodies: names, or patterns such as "ball*"; None takes all that move, up to a hundred.

    Raises:
        TypeError, ValueError: naming the argument, its value and the cure.
    """

    def __init__(self, length: int = 300, bodies: Names | None = None) -> None:
        self._length = whole("length", length, least=1, most=10**9)
        self._bodies = None if bodies is None else check_names("bodies", bodies)
        self._kept: list[np.ndarray] = []
        self._names: tuple[str, ...] | None = None
        self._watched: Description | None = None
        self._time = -np.inf

    def after_step(self, world: "World") -> None:
        """Take the places in a world; for `World.after_step`.

        Args:
            world: the world.
        """
        if self._watched is None or self._watched.names != tuple(body.name for body in world.bodies):
            self._watched = describe_world(world)
        self.add(self._watched, frame_of(world))

    def add(self, description: Description, frame: Frame) -> None:
        """Take the places of a new frame; other bodies or an earlier time begin anew.

        Args:
            description, frame: the bodies, and where they are.
        """
        if description.names != self._names or frame.time < self._time:
            self._names, self._kept = description.names, []
            moving = [row for row, kind in enumerate(description.kinds) if kind != "static"][:_MOST]
            if self._bodies is not None:
                moving = list(chosen_rows("bodies", self._bodies, description.names))
            self._shown = np.array(moving, int)
            self._colours = 0.75 * base_colours(description, vary=True)[self._shown]
        elif frame.time == self._time:
            return
        self._time = frame.time
        self._kept.append(frame.positions[self._shown])
        del self._kept[: -self._length]

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

"""Instant centres, drawn over the bodies: where one body turns about as it is seen from another."""

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.quaternions import matrix
from stoss.engine import checks
from stoss.engine.articulated.instant_axes import instant_axis
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine import Body, World
    from stoss.viewer.world.canvas import Canvas

__all__ = ["InstantCenters"]

AXIS, PATH = "#c2185b", "#f0a2c0"
SLOW = 1e-3  # [rad/s] below which the centre is not told by a motion


@closed
class InstantCenters:
    """Draw the axes about which bodies turn relative to others, and the paths of their centres.

        st.show(world, draw=st.InstantCenters(world, [("thigh", "shank")]))

    Paths are those on the first body, and move along with it: the fixed centrodes of mechanisms.

    Args:
        world: of the bodies.
        pairs: names of two bodies each; None for the first stands for the world.
        length: of the axes that are drawn [m].
        most: points of a path that are kept.

    Raises:
        KeyError: there is no such body; the message names the nearest.
        TypeError, ValueError: no pairs, or a number that makes no sense.
    """

    def __init__(
        self, world: "World", pairs: Sequence[tuple[str | None, str]], *, length: float = 0.2, most: int = 300
    ) -> None:
        from stoss.engine import World as TheWorld

        checks.instance("world", world, TheWorld, "World()")
        if isinstance(pairs, str) or not len(pairs) or not all(len(pair) == 2 for pair in pairs):
            raise ValueError(f"pairs = {pairs!r} must be pairs of names of bodies: [('thigh', 'shank')]")
        self._pairs: list[tuple[Body | None, Body]] = [
            (None if first is None else world.body(first), world.body(second)) for first, second in pairs
        ]
        self._length = checks.positive("length", length, "m")
        self._paths: list[deque[np.ndarray]] = [
            deque(maxlen=checks.whole("most", most, least=1)) for _ in pairs
        ]
        self._step = -1

    def __repr__(self) -> str:
        return f"<InstantCenters of {len(self._pairs)} pairs>"

    def path(self, pair: int = 0) -> np.ndarray:
        """Return the centres of a pair (k, 3) [m], in the frame of the first body's shapes, the oldest first.

        Args:
            pair: its number.
        """
        return np.array(self._paths[pair]).reshape(-1, 3)

    def __call__(self, canvas: "Canvas", world: "World") -> None:
        """Take note of the centres, and draw; for `draw` of `st.show` and `st.picture`.

        Args:
            canvas: that is drawn on.
            world: the world as it is.
        """
        if world.step_count < self._step:  # gone back
            for path in self._paths:
                path.clear()
        new, self._step = world.step_count != self._step, world.step_count
        for (first, second), path in zip(self._pairs, self._paths, strict=True):
            axis = instant_axis(first, second)
            turn, place = np.eye(3), np.zeros(3)
            if first is not None:
                turn, place = np.array(matrix(tuple(first.quaternion.tolist()))), first.position
            if axis is not None and axis.rate > SLOW:
                if new:
                    path.append((axis.point - place) @ turn)
                half = 0.5 * self._length * axis.direction
                canvas.line(axis.point - half, axis.point + half, color=AXIS, width=3.0)
                canvas.points(axis.point, color=AXIS, width=9.0)
            if len(path) > 1:
                points = np.array(path) @ turn.T + place
                canvas.line(points[:-1], points[1:], color=PATH, width=2.0)

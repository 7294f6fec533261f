"""Lines, arrows, points and texts of the user's own, laid over the bodies; plain numbers, no graphics."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.plain_numbers import shown
from stoss.engine import checks
from stoss.engine.control.controller import Controller
from stoss.engine.world.colors import checked_color
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["Canvas", "Draw", "Marks", "check_draw", "drawn_by", "drawn_by_controllers", "marks_of"]

_COLOR = "#e8651a"  # seen on the ground and on most bodies
_HEAD = 0.06  # radius of an arrow's head, in parts of its length
_MOST_TEXT = 1000  # characters


@dataclass(frozen=True)
class Marks:
    """What is laid over the bodies, in world coordinates [m] and sRGB colours with opacity.

    Attributes:
        lines: (k, 11) start (3), width [pixels], stop (3), colour (4). A line of no length is a round point.
        arrows: (a, 11) start (3), radius of the head [m], vector (3), colour (4).
        texts: texts and the points (3,) they belong to.
    """

    lines: np.ndarray = field(default_factory=lambda: np.zeros((0, 11)))
    arrows: np.ndarray = field(default_factory=lambda: np.zeros((0, 11)))
    texts: tuple[tuple[str, np.ndarray], ...] = ()


class _Layer:
    """Marks that come and go together."""

    def __init__(self) -> None:
        self.lines: list[np.ndarray] = []
        self.arrows: list[np.ndarray] = []
        self.texts: list[tuple[str, np.ndarray]] = []


@closed
class Canvas:
    """Draws over the bodies. What is drawn stays until the next picture; with `keep=True` until `clear`."""

    def __init__(self) -> None:
        self._passing, self._kept = _Layer(), _Layer()

    def line(self, a: Any, b: Any, *, color: Any = _COLOR, width: float = 2.5, keep: bool = False) -> None:
        """Draw a line, or several.

        Args:
            a, b: ends, (3,) or (k, 3) [m]; one end may be shared by many lines.
            color: (red, green, blue) from 0 to 1, a name or "#ff8800".
            width: [pixels].
            keep: whether it stays until `clear`.

        Raises:
            TypeError, ValueError: naming the argument, its value and the cure; nothing is drawn.
        """
        self._layer(keep).lines.append(_table("a", a, "b", b, _width("width", width, "pixels"), color))

    def arrow(
        self, a: Any, b: Any, *, color: Any = _COLOR, width: float | None = None, keep: bool = False
    ) -> None:
        """Draw an arrow from one point to another, or several; one without length is left out.

        Args:
            a, b: where it begins and where its tip is, (3,) or (k, 3) [m].
            color: see `line`.
            width: of the head [m]; None takes an eighth of the length.
            keep: whether it stays until `clear`.

        Raises:
            TypeError, ValueError: see `line`.
        """
        head = 0.0 if width is None else 0.5 * _width("width", width, "m")
        table = _table("a", a, "b", b, head, color)
        table[:, 4:7] -= table[:, :3]
        if width is None:
            table[:, 3] = _HEAD * np.linalg.norm(table[:, 4:7], axis=1)
        self._layer(keep).arrows.append(table)

    def points(self, places: Any, *, color: Any = _COLOR, width: float = 8.0, keep: bool = False) -> None:
        """Draw round points.

        Args:
            places: (3,) or (k, 3) [m].
            color: see `line`.
            width: diameter [pixels].
            keep: whether they stay until `clear`.

        Raises:
            TypeError, ValueError: see `line`.
        """
        size = _width("width", width, "pixels")
        self._layer(keep).lines.append(_table("places", places, "places", places, size, color))

    def text(self, place: Any, text: str, *, keep: bool = False) -> None:
        """Write a text beside a point.

        Args:
            place: (3,) [m].
            text: what is written; `str` is applied to what is none.
            keep: whether it stays until `clear`.

        Raises:
            TypeError, ValueError: see `line`.
        """
        point, layer = checks.vector("place", place), self._layer(keep)
        layer.texts.append((str(text)[:_MOST_TEXT], point))

    def clear(self) -> None:
        """Remove everything, also what was to stay."""
        self._passing, self._kept = _Layer(), _Layer()

    def _layer(self, keep: Any) -> _Layer:
        return self._kept if checks.flag("keep", keep) else self._passing

    def _marks(self) -> Marks:
        """Return what is there, and begin a new picture."""
        layers, self._passing = (self._kept, self._passing), _Layer()
        empty = [np.zeros((0, 11))]
        return Marks(
            np.concatenate([*empty, *(table for layer in layers for table in layer.lines)]),
            np.concatenate([*empty, *(table for layer in layers for table in layer.arrows)]),
            tuple(entry for layer in layers for entry in layer.texts),
        )


def marks_of(canvas: Canvas) -> Marks:
    """Return what is on a canvas; what was not to stay is taken off."""
    return canvas._marks()


Draw = Callable[[Canvas, "World"], None]


def check_draw(draw: Any) -> Draw | None:
    """Return a function that draws over a world.

    Raises:
        TypeError: it is none.
    """
    if draw is not None and not callable(draw):
        raise TypeError(f"draw = {shown(draw)} must be a function draw(canvas, world)")
    return draw


def drawn_by(draw: Draw | None, world: "World") -> Marks:
    """Return what a function draws over a world as it is."""
    if draw is None:
        return Marks()
    canvas = Canvas()
    draw(canvas, world)
    return marks_of(canvas)


def drawn_by_controllers(world: "World") -> Marks | None:
    """Return what the controllers of a world draw, None if it has none that do."""
    artists = [one for one in world.controllers.values() if type(one).draw is not Controller.draw]
    if not artists:
        return None
    canvas = Canvas()
    for controller in artists:
        controller.draw(canvas)
    return marks_of(canvas)


def _width(name: str, value: Any, unit: str) -> float:
    return checks.number(name, value, unit, above=0.0)


def _table(first: str, a: Any, second: str, b: Any, width: float, color: Any) -> np.ndarray:
    """Return rows (k, 11) of a start, a width, a stop and a colour."""
    starts, stops = checks.rows_or_row(first, a, 3), checks.rows_or_row(second, b, 3)
    if len(starts) != len(stops) and 1 not in (len(starts), len(stops)):
        raise ValueError(
            f"{first} has {len(starts)} rows, {second} has {len(stops)}; give as many, or one for all"
        )
    shade = checked_color("color", color)
    if shade is None:
        raise TypeError("color = None is no colour; leave it out, or give a name, '#ff8800' or three numbers")
    table = np.empty((max(len(starts), len(stops)), 11))
    table[:, :3], table[:, 3], table[:, 4:7], table[:, 7:10], table[:, 10] = starts, width, stops, shade, 1.0
    return table

"""Where a model comes from: files and lines, for messages."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from stoss.engine.model.errors import ModelError

__all__ = ["NOWHERE", "Origin", "Place", "shown_place"]

Place = tuple[str | int, ...]  # keys from the top of a model: ("bodies", "arm", "mass")
Lines = Callable[[str, Place], int | None]  # text and place to the line, counted from 1


def shown_place(place: Place) -> str:
    """Return a place as messages show it: bodies.arm.shapes[0].size."""
    shown = ""
    for key in place:
        if isinstance(key, int):
            shown += f"[{key}]"
        else:
            plain = key.replace("_", "").replace("-", "").isalnum()
            shown += ("." if shown else "") + (key if plain else f'"{key}"')
    return shown


class Origin:
    """The files from which the parts of a model were read.

    Two models from different files may be equal, so all origins are.

    Args:
        path: the file, None for a text.
        text: what was in it.
        lines: finds the line of a place in that text.
        parts: origins of what was included, by the places where it went.
        prefix: place of the model within another one in the same file.
    """

    def __init__(
        self,
        path: Path | None = None,
        text: str = "",
        lines: Lines | None = None,
        parts: Mapping[Place, "Origin"] | None = None,
        prefix: Place = (),
    ) -> None:
        self.path, self.text, self._lines, self._prefix = path, text, lines, prefix
        self.parts = dict(parts or {})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Origin)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"<Origin {self.path or 'nowhere'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Origin, ()  # of interest while a file is worked on, not for copies elsewhere

    def within(self, prefix: Place) -> "Origin":
        """Return the origin of a model within this one, in the same file."""
        return Origin(self.path, self.text, self._lines, None, (*self._prefix, *prefix))

    def error(self, place: Place, message: str) -> ModelError:
        """Return an error that says file, line and place before a message."""
        for length in range(len(place), 0, -1):
            if place[:length] in self.parts:
                return self.parts[place[:length]].error(place, message)
        place = (*self._prefix, *place)
        where = "" if self.path is None else f"{self.path}:"
        line = None if self._lines is None else self._line(place)
        if line is not None:
            where += f"{line}:" if where else f"line {line}:"
        where += f" {shown_place(place)}:" if place else ""
        return ModelError(f"{where.strip()} {message}".strip(), place, message)

    def _line(self, place: Place) -> int | None:
        """Return the line of a place, or of the nearest one around it."""
        assert self._lines is not None
        for length in range(len(place), 0, -1):
            line = self._lines(self.text, place[:length])
            if line is not None:
                return line
        return None


NOWHERE = Origin()

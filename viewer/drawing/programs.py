"""The shader programs of a renderer, each compiled when it is first used."""

from collections.abc import Iterable

from stoss.viewer.drawing import shaders
from stoss.viewer.drawing.gl import Program

__all__ = ["Programs"]

_SOURCES = {
    "body": (shaders.BODY_VERTEX, shaders.BODY_FRAGMENT),
    "sky": (shaders.SKY_VERTEX, shaders.SKY_FRAGMENT),
    "smooth": (shaders.WHOLE_VERTEX, shaders.SMOOTH_FRAGMENT),
    "line": (shaders.LINE_VERTEX, shaders.LINE_FRAGMENT),
}


class Programs:
    """Programs by what they draw: "body", "sky", "smooth" or "line", and by the switches of their source."""

    def __init__(self) -> None:
        self._made: dict[str, Program] = {}

    def find(self, kind: str, defines: Iterable[str] = ()) -> Program:
        """Return the program of a kind with these switches defined."""
        key = " ".join([kind, *defines])
        if key not in self._made:
            self._made[key] = Program(*_SOURCES[kind], list(defines))
        return self._made[key]

    def delete(self) -> None:
        """Free all of them; they are compiled anew when they are used again."""
        for program in self._made.values():
            program.delete()
        self._made = {}

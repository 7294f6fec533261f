"""Which bodies are meant: names, or patterns of them such as "slab*"."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any

from stoss.collision.plain_numbers import shown
from stoss.names import hint

__all__ = ["Names", "check_names", "chosen_rows"]

# A name or a pattern, or several; a body stands for its name.
Names = str | Iterable[Any]

_TOLD = 8  # names in messages


def check_names(name: str, value: Any) -> tuple[str, ...]:
    """Return names and patterns of bodies.

    Args:
        name: what the argument is called in messages.
        value: see `Names`.

    Raises:
        TypeError: it is none.
    """
    from stoss.engine import Body

    several = [value] if isinstance(value, str | Body) else value
    if isinstance(several, Iterable):
        found = [one.name if isinstance(one, Body) else one for one in several]
        if all(isinstance(one, str) for one in found):
            return tuple(found)
    raise TypeError(f"{name} = {shown(value)} must be names of bodies, such as ['wall', 'slab*'], or bodies")


def chosen_rows(name: str, wanted: Sequence[str], names: Sequence[str]) -> tuple[int, ...]:
    """Return the rows of the bodies that are meant, each once, in their order.

    Args:
        name: what the argument is called in messages.
        wanted: names and patterns, in which * stands for any letters and ? for one.
        names: of all bodies.

    Raises:
        ValueError: there is no body of such a name.
    """
    rows: set[int] = set()
    for word in wanted:
        found = [row for row, own in enumerate(names) if own == word]
        found = found or [row for row, own in enumerate(names) if fnmatchcase(own, word)]
        if not found:
            close = hint(word, names) or f"; there are {', '.join(names[:_TOLD])}"
            raise ValueError(f"{name} = {word!r} is no body here{close}")
        rows.update(found)
    return tuple(sorted(rows))

"""Which columns are meant: names of observables, of their components, and patterns with `*`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from stoss.collision.plain_numbers import shown
from stoss.engine.recording.observable import AXES, Observable

__all__ = ["SIZE", "Column", "Pattern", "checked_names", "chosen", "kinds_of", "unknown_channel"]

SIZE = "size"  # of a vector: its length, as if it were one more component


@dataclass(frozen=True)
class Column:
    """One number of an observable, over time.

    Attributes:
        name: "body.box.position.x".
        observable: what it is a number of.
        component: which one, -1 for the length of a vector.
    """

    name: str
    observable: Observable
    component: int


class Pattern:
    """A name, or one with `*`, which stands for any text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.exact = "*" not in text
        self._match = re.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL).fullmatch

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    def fits(self, name: str) -> bool:
        """Return whether a name is meant."""
        return self._match(name) is not None

    def columns(self, observable: Observable) -> list[Column]:
        """Return the columns of an observable that are meant."""
        if observable.shy and not self.exact:
            return []
        names = observable.columns
        whole = self.fits(observable.name)
        found = [Column(name, observable, k) for k, name in enumerate(names) if whole or self.fits(name)]
        if self.exact and not found and observable.components == AXES:
            name = f"{observable.name}.{SIZE}"
            found = [Column(name, observable, -1)] if self.text == name else []
        return found


def kinds_of(patterns: Iterable[Pattern]) -> frozenset[str] | None:
    """Return the first words of the names that patterns may mean, None: any."""
    firsts = [pattern.text.partition(".")[0] for pattern in patterns]
    return None if any("*" in first for first in firsts) else frozenset(firsts)


def checked_names(name: str, value: Any) -> tuple[str, ...]:
    """Return names or patterns of channels.

    Raises:
        TypeError: no texts; ValueError: none.
    """
    texts = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else [None]
    if not all(isinstance(one, str) for one in texts):
        raise TypeError(f'{name} = {shown(value)} must be names of channels, such as ["energy.*"]')
    if not texts:
        raise ValueError(f'{name} = {shown(value)} names no channel; "*" is all of them')
    return tuple(texts)


def chosen(patterns: Sequence[Pattern], observables: Iterable[Observable]) -> list[Column]:
    """Return the columns that patterns mean, in the order of the patterns, each once."""
    found: dict[str, Column] = {}
    listed = list(observables)
    by_name = {name: one for one in listed for name in (one.name, *one.columns, f"{one.name}.{SIZE}")}
    for pattern in patterns:
        own = [by_name[pattern.text]] if pattern.exact and pattern.text in by_name else listed
        for observable in own if not pattern.exact or pattern.text in by_name else ():
            for column in pattern.columns(observable):
                found.setdefault(column.name, column)
    return list(found.values())


def unknown_channel(text: str, names: Iterable[str], where: str) -> str:
    """Return what is said of a channel that does not exist: the nearest names, or how to see all.

    Args:
        text: what was asked for.
        names: those that there are.
        where: has the channels: "this world", "run.npz".
    """
    if text == "time":
        return f"{where} has no channel {text!r}; recording.time are the times of the samples"
    known = list(dict.fromkeys(names))
    if "*" in text:
        return f"no channel of {where} fits {text!r}; there are {_beginnings(known)}"
    within = [name for name in known if _abridges(text, name)]
    close = get_close_matches(text, within, n=3, cutoff=0.0) or get_close_matches(text, known, n=3)
    if not close:
        last = text.rpartition(".")[2]
        close = [name for name in known if last and name.rpartition(".")[2] == last][:3]
    told = f"; did you mean {', '.join(close)}?" if close else f"; there are {_beginnings(known)}"
    return f"{where} has no channel {text!r}{told}"


def _abridges(text: str, name: str) -> bool:
    """Return whether all words of a text are in a name, in their order: "arm.z" in "body.arm.position.z"."""
    words = iter(name.split("."))
    return all(word in words for word in text.split("."))


def _beginnings(names: Sequence[str]) -> str:
    """Return the first words of names, each with a star."""
    firsts = dict.fromkeys(
        f"{first}.*" if rest else first for first, _, rest in (n.partition(".") for n in names)
    )
    return ", ".join(firsts) or "none"

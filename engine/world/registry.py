"""Keys, names and handles of the bodies, or of the joints, of a world: one for each kind of thing."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from itertools import compress
from typing import Any, Generic, Protocol, TypeVar

from stoss.collision.plain_numbers import shown
from stoss.engine.world.handle import Handle

__all__ = ["Registry"]


class _Record(Protocol):
    @property
    def key(self) -> int: ...
    @property
    def name(self) -> str: ...


R = TypeVar("R", bound=_Record)
H = TypeVar("H", bound=Handle)

FEW = 8  # so many are taken out of lists one by one


class Registry(Generic[R, H]):
    """Find things of one kind by row, key, name or handle.

    The *row* of a thing is its place in the arrays, which changes when others are removed; its *key* is given
    once and stays. The *record* says what it is made of and does not change; the *handle* is what users hold.

    What is dropped is gone for all who ask, but keeps its row until `compact`: so many of them cost one pass
    over the rest, not one each. Keys grow with the rows, so a row is found by bisection: nothing has to be
    numbered anew.

    Args:
        noun, plural: what the things are called in messages.

    Attributes:
        records, handles: in the order of the rows, those that were dropped among them until `compact`.
        next_key: of the next thing.
    """

    def __init__(self, noun: str, plural: str) -> None:
        self.noun, self.plural = noun, plural
        self.records: list[R] = []
        self.handles: list[H] = []
        self.next_key = 0
        self._keys: list[int] = []  # of the rows, ascending
        self._dropped: set[int] = set()  # keys
        self._key_of_name: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.records) - len(self._dropped)

    def __contains__(self, name: object) -> bool:
        return name in self._key_of_name

    @property
    def names(self) -> list[str]:
        """Return the names of all things."""
        return list(self._key_of_name)

    def new_name(self, name: Any) -> str:
        """Return the name of a thing to be added, one with its key if `name` is None.

        Raises:
            TypeError, ValueError: no string, or taken.
        """
        if name is None:
            name = f"{self.noun} {self.next_key}"
        if not isinstance(name, str):
            raise TypeError(f"name = {shown(name)} must be a string")
        if name in self._key_of_name:
            raise ValueError(
                f"name = {name!r} is taken by another {self.noun}; "
                f"names of {self.plural} are unique in a world"
            )
        return name

    def new_names(self, names: Sequence[str] | None, count: int) -> list[str]:
        """Return the names of `count` things to be added; see `new_name`.

        Raises:
            TypeError, ValueError: no strings, taken, twice the same, or another number of them.
        """
        if names is None:
            given = [f"{self.noun} {key}" for key in range(self.next_key, self.next_key + count)]
        else:
            if not isinstance(names, Iterable):
                raise TypeError(f"names = {shown(names)} must be {count} strings")
            given = [names] if isinstance(names, str) else list(names)
        if len(given) != count:
            raise ValueError(
                f"names: {len(given)} of them were given; give one for each of {count}, not {shown(names)}"
            )
        for one in given:
            self.new_name(one)
        if len(set(given)) != count:
            twice = next(name for name in given if given.count(name) > 1)
            raise ValueError(
                f"names = {shown(names)}: {twice!r} is given twice; "
                f"names of {self.plural} are unique in a world"
            )
        return given

    def append(self, record: R, handle: H) -> int:
        """Add a thing with a new key and a name that is free, and return its row."""
        row = len(self.records)
        self.records.append(record)
        self.handles.append(handle)
        self._keys.append(record.key)
        self._key_of_name[record.name] = record.key
        self.next_key = max(self.next_key, record.key + 1)
        return row

    def drop(self, row: int) -> R:
        """Forget a thing and return its record; its row stays as it is until `compact`."""
        record = self.records[row]
        self._dropped.add(record.key)
        del self._key_of_name[record.name]
        return record

    @property
    def has_dropped(self) -> bool:
        """Return whether rows are still there of what was dropped."""
        return bool(self._dropped)

    @property
    def is_sparse(self) -> bool:
        """Return whether more rows are there of what was dropped than of others."""
        return 2 * len(self._dropped) > len(self.records)

    def compact(self) -> list[int]:
        """Take out what was dropped, and return its rows, ascending; those behind move up, in their order."""
        if not self._dropped:
            return []
        rows = sorted(bisect_left(self._keys, key) for key in self._dropped)
        if len(rows) <= FEW:
            for row in reversed(rows):
                del self.records[row], self.handles[row], self._keys[row]
        else:
            kept = [key not in self._dropped for key in self._keys]
            self.records[:] = compress(self.records, kept)
            self.handles[:] = compress(self.handles, kept)
            self._keys[:] = compress(self._keys, kept)
        self._dropped.clear()
        return rows

    def _row(self, key: int) -> int:
        """Return the row of a key, -1 if there is none."""
        row = bisect_left(self._keys, key)
        found = row < len(self._keys) and self._keys[row] == key and key not in self._dropped
        return row if found else -1

    def has(self, handle: H) -> bool:
        """Return whether a handle is valid here."""
        row = self._row(handle._key)
        return row >= 0 and self.handles[row] is handle

    def row(self, handle: H) -> int:
        """Return the present row of a thing.

        Raises:
            ValueError: it is not here.
        """
        row = self._row(handle._key)
        if row < 0 or self.handles[row] is not handle:
            raise ValueError(
                f"{self.noun} {handle.name!r} is not in this world (it was removed, or belongs to another)"
            )
        return row

    def row_of_key(self, key: int) -> int:
        """Return the present row of the thing with that key."""
        row = self._row(key)
        if row < 0:
            raise KeyError(key)
        return row

    def of_key(self, key: int) -> H:
        """Return the handle of the thing with that key."""
        return self.handles[self.row_of_key(key)]

    def named(self, name: str) -> H:
        """Return the handle of the thing of that name.

        Raises:
            KeyError: there is none.
        """
        if not isinstance(name, str) or name not in self._key_of_name:
            near = get_close_matches(str(name), self._key_of_name, 3)
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise KeyError(f"there is no {self.noun} {shown(name)} among {len(self)}{hint}")
        return self.handles[self._row(self._key_of_name[name])]

    def holds(self, records: Sequence[R]) -> bool:
        """Return whether these very records are held, in this order."""
        return len(records) == len(self.records) and all(
            mine is theirs for mine, theirs in zip(self.records, records, strict=True)
        )

    def replace(
        self,
        records: Sequence[R],
        next_key: int,
        make: Callable[[R], H],
        handles: Sequence[H] | None = None,
    ) -> None:
        """Hold other records; handles of those that are held already stay valid, `make` makes the others.

        Args:
            records, next_key: what is to be held.
            make: makes a handle.
            handles: of these records, in place of those.
        """
        known = {id(record): handle for record, handle in zip(self.records, self.handles, strict=True)}
        if handles is not None:
            known = {id(record): handle for record, handle in zip(records, handles, strict=True)}
        self.records, self.handles = [], []
        self._keys.clear()
        self._dropped.clear()
        self._key_of_name.clear()
        for record in records:
            self.append(record, known.get(id(record)) or make(record))
        self.next_key = next_key

"""A struct whose axes grow and shrink: memory that is kept, and views of what is in use."""

import functools
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from stoss.collision.kernels.structs import Struct, axis_length
from stoss.collision.kernels.types import ArrayField

__all__ = ["Table"]

_S = TypeVar("_S", bound=Struct)

FEW = 8  # so many entries are taken out by moving what is between them
SPARE = 256  # entries of memory that are never given back


class Table(Generic[_S]):
    """Memory for the arrays of a struct; numbers and inner structs are left alone.

        rows = Table(Rows)
        rows.resize(blocks=3, rows=12)
        rows.arrays.impulse  # (12,)

    Args:
        struct: class of the struct.
        lengths: of its axes at the beginning; others have none.

    Attributes:
        lengths: of the axes, by name.
        storage: a struct with all the memory, in which entries below the lengths may be written: for those
            who append one entry after the other, and need no views in between.
    """

    def __init__(self, struct: type[_S], **lengths: int) -> None:
        self.storage: _S = struct.zeros(**lengths)
        self._arrays = self.storage.replace()
        self._shown = True  # whether the views have the lengths in use
        self._of_axis = _axes(struct)  # type: ignore[arg-type]
        self.lengths = dict.fromkeys(self._of_axis, 0) | lengths
        self._room = dict.fromkeys(self.lengths, 0)  # up to which length `append` needs no new memory
        self._fit = dict.fromkeys(self.lengths, -1)  # up to which length views are all it takes; -1: unknown

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over the state of another table, copied: the copies of its views are all the memory."""
        self.__dict__.update(state)
        for name in self._arrays.array_fields():
            setattr(self.storage, name, getattr(self.arrays, name))
        self._room, self._fit = dict(self.lengths), dict.fromkeys(self.lengths, -1)

    @property
    def arrays(self) -> _S:
        """Return the struct, one for good, whose arrays are views of exactly the lengths in use."""
        if not self._shown:
            for name, field in self._arrays.array_fields().items():
                shape = tuple(axis_length(axis, self.lengths) for axis in field.axes)
                if getattr(self._arrays, name).shape != shape:
                    setattr(self._arrays, name, getattr(self.storage, name)[: shape[0]])
            self._shown = True
        return self._arrays

    def resize(self, *, keep: bool = True, **lengths: int) -> _S:
        """Change lengths of axes and return the arrays: those that fit stay where they are.

        Args:
            keep: whether entries up to the shorter of both lengths are kept, and new ones are zero; else
                the content is undefined.
            **lengths: by the names of the axes.

        Raises:
            ValueError: no such axis, or a length below 0.
        """
        if lengths.items() <= self.lengths.items():  # as in most steps
            return self.arrays
        changed = {}
        for axis, wanted in lengths.items():
            if axis not in self.lengths or wanted < 0:
                raise ValueError(
                    f"{axis} = {wanted}: axes are {', '.join(self.lengths)}, lengths not below 0"
                )
            if self.lengths[axis] != wanted:
                changed[axis] = wanted
        arrays = self.arrays
        if keep or any(wanted > self._fit[axis] for axis, wanted in changed.items()):
            self._renew(keep, changed)
        else:
            for axis, wanted in changed.items():
                own = self._of_axis[axis]
                arrays.show(self.storage, own.shown, own.words, own.more + wanted)
        self.lengths |= changed  # last: whoever was interrupted before begins anew
        for axis in changed:
            self._room[axis] = self.lengths[axis]
        return arrays

    def _renew(self, keep: bool, changed: dict[str, int]) -> None:
        """Have room for other lengths of axes, and show these; see `resize`."""
        arrays, lengths = self._arrays, self.lengths | changed
        fields = arrays.array_fields()
        for name in {name: None for axis in changed for name in self._of_axis[axis].names}:
            field, old = fields[name], getattr(arrays, name)
            shape = tuple(axis_length(axis, lengths) for axis in field.axes)
            memory = getattr(self.storage, name)
            # views of one open axis are contiguous; of several, memory is made to measure
            if field.open_axes > 1 or len(memory) < shape[0]:
                room = shape if field.open_axes > 1 else (max(3 * shape[0] // 2, 8), *shape[1:])
                memory = np.zeros(room, field.dtype)
                if keep:
                    common = tuple(slice(min(a, b)) for a, b in zip(old.shape, shape, strict=True))
                    memory[common] = old[common]
                setattr(self.storage, name, memory)
            elif keep:
                memory[len(old) : shape[0]] = 0
            setattr(arrays, name, memory[: shape[0]])
        for axis in changed:
            self._fit[axis] = self._fitting(axis)

    def _fitting(self, axis: str) -> int:
        """Return up to which length of an axis its arrays are views of the memory there is, -1 for none."""
        fields, own = self.storage.array_fields(), self._of_axis[axis]
        if any(fields[name].open_axes > 1 for name in own.names):
            return -1
        room = [len(getattr(self.storage, name)) for name in own.names]
        return min((have - more for have, more in zip(room, own.more.tolist(), strict=True)), default=0)

    def share(self, axis: str, room: int) -> tuple[np.ndarray, np.ndarray]:
        """Leave the length of an axis to others, see `axes`; have room for such a length.

        Returns:
            Addresses where kernels read how long the arrays are, and by how much that exceeds the axis.
        """
        own = self._of_axis[axis]
        self.arrays.follow(self.storage, own.shown)
        self.grow(axis, room)
        return self._arrays.address_of_words(own.words), own.more

    def room_of(self, axis: str) -> int:
        """Return up to which length of an axis the memory that there is will do."""
        return self._fitting(axis)

    def grow(self, axis: str, room: int) -> None:
        """Have memory for such a length of an axis that is shared; all that is in it stays."""
        own, memory = self._of_axis[axis], self.storage
        for name, more in zip(own.names, own.more.tolist(), strict=True):
            old = getattr(memory, name)
            if len(old) < room + more:
                new = np.zeros((3 * (room + more) // 2 + 8, *old.shape[1:]), old.dtype)
                new[: len(old)] = old
                setattr(memory, name, new)
            self._arrays.move(name, getattr(memory, name))

    def set_shared(self, axis: str, length: int) -> None:
        """Set the length of an axis that is shared, within its room."""
        own = self._of_axis[axis]
        self._arrays.set_words(own.words, own.more + length)

    def append(self, axis: str, count: int = 1) -> int:
        """Add entries, all zero, at the end of an axis, and return the first: quicker than `resize`.

        The views follow when `arrays` is next read.
        """
        first = self.lengths[axis]
        last = first + count
        if last > self._room[axis]:
            self.resize(keep=True, **{axis: last})
            self._room[axis] = self._clear_room(axis)
        else:
            self._shown = False
            self.lengths[axis] = last
        return first

    def _clear_room(self, axis: str) -> int:
        """Clear the memory behind the entries of an axis; return up to which length it reaches."""
        room = None
        for name, field in self._arrays.array_fields().items():
            named = [one.partition("+") for one in field.axes if isinstance(one, str)]
            if any(one == axis for one, _, _ in named):
                if field.open_axes > 1:
                    return self.lengths[axis]
                memory = getattr(self.storage, name)
                more = int(named[0][2] or 0)
                memory[self.lengths[axis] + more :] = 0
                room = len(memory) - more if room is None else min(room, len(memory) - more)
        return self.lengths[axis] if room is None else room

    def remove(self, axis: str, rows: np.ndarray) -> None:
        """Remove entries (ascending) of the first axis of arrays; those behind move up, in their order.

        Of arrays that have more entries than the axis (starts) those behind the removed ones go.
        Memory is given back where less than a quarter of it is in use then.
        """
        if len(rows) == 0:
            return
        first, count = int(rows[0]), self.lengths[axis]
        kept = np.ones(count, np.bool_)
        kept[rows] = False
        behind = np.flatnonzero(kept[first:])
        ends = [*rows[1:].tolist(), count] if len(rows) <= FEW else []
        for name, field in self.arrays.array_fields().items():
            of, _, more = str(field.axes[0]).partition("+")
            if of == axis:
                array = getattr(self.arrays, name)[int(more or 0) :]
                for by, (row, end) in enumerate(zip(rows.tolist(), ends, strict=False), 1):
                    array[row + 1 - by : end - by] = array[row + 1 : end]
                if not ends:
                    array[first : first + len(behind)] = array[first:][behind]
        self.resize(keep=True, **{axis: count - len(rows)})
        self._shrink(axis)

    def _shrink(self, axis: str) -> None:
        """Give memory back where less than a quarter of it is in use."""
        arrays, fields = self.arrays, self._arrays.array_fields()
        for name in self._of_axis[axis].names:
            shown = getattr(arrays, name)
            if fields[name].open_axes == 1 and len(self.storage.__dict__[name]) > max(4 * len(shown), SPARE):
                memory = shown.copy()
                setattr(self.storage, name, memory)
                setattr(arrays, name, memory[:])
        self._fit[axis] = self._fitting(axis)
        self._room[axis] = self.lengths[axis]

    def take(self, values: _S) -> None:
        """Copy the values of another struct of this class, which may have other lengths."""
        for name, field in self.arrays.array_fields().items():
            shape = getattr(values, name).shape
            lengths = {}
            for axis, length in zip(field.axes, shape, strict=True):
                if isinstance(axis, str):
                    axis, _, more = axis.partition("+")
                    lengths[axis] = length - int(more or 0)
            self.resize(keep=False, **lengths)
            getattr(self.arrays, name)[:] = getattr(values, name)


class _Axis(NamedTuple):
    """The arrays whose shapes depend on an axis."""

    names: tuple[str, ...]
    shown: frozenset[str]  # the same
    words: np.ndarray  # where the table of the struct has their lengths
    more: np.ndarray  # by how much these exceed that of the axis


@functools.cache
def _axes(struct: type[Struct]) -> dict[str, _Axis]:
    """Return which arrays depend on each axis."""
    out = {}
    for axis in struct.axis_names():
        more = {name: _extra(field, axis) for name, field in struct.array_fields().items()}
        names = tuple(name for name, extra in more.items() if extra is not None)
        words = np.array([struct.word_of(name) + 1 for name in names], np.int64)
        out[axis] = _Axis(names, frozenset(names), words, np.array([more[name] for name in names], np.int64))
    return out


def _extra(field: ArrayField, axis: str) -> int | None:
    """Return how much longer than an axis an array is, None if its shape does not depend on it."""
    for one in field.axes:
        name, _, more = str(one).partition("+")
        if isinstance(one, str) and name == axis:
            return int(more or 0)
    return None

"""Axes of tables that kernels make longer and shorter, within the memory that there is.

What a struct says of its arrays does not change while a kernel runs (`structs`). So a kernel that sets
lengths (`set_length`) looks at no array of these tables itself: it has that done by kernels which it calls,
and each of them reads the lengths as they are when it is called. So does Python: a view lasts until then.
"""

from typing import Annotated, Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Ints

__all__ = ["ROOM", "Axis", "CommonAxis", "set_length"]

_intrinsic: Any = intrinsic  # whose first parameter, the context of types, its callers do not see

LENGTH, ROOM = 0, 1


class Axis(Struct):
    """An axis of several tables, for kernels."""

    words: Annotated[Ints, "arrays"]  # addresses of the words that say how long the arrays are
    more: Annotated[Ints, "arrays"]  # by how much each is longer than the axis
    size: Annotated[Ints, "two"]  # LENGTH, and ROOM: how long it may become


@_intrinsic
def _write_word(typing: Any, address: Any, value: Any) -> Any:
    """Write a word at an address."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[1], builder.inttoptr(args[0], ir.IntType(64).as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), code


@inner
def set_length(axis, length):
    """Let an axis have a length, with any content; return whether there is room, else nothing changes."""
    if length > axis.size[ROOM]:
        return False
    if length != axis.size[LENGTH]:
        for i in range(len(axis.words)):
            _write_word(axis.words[i], length + axis.more[i])
        axis.size[LENGTH] = length
    return True


class CommonAxis:
    """An axis that several tables have in common, and whose length it alone changes.

    Attributes:
        arrays: the axis, for kernels; one struct for good.
    """

    def __init__(self) -> None:
        self._size = np.zeros(2, np.int64)
        self.arrays = Axis(np.zeros(0, np.int64), np.zeros(0, np.int64), self._size)
        self._tables: list[tuple[Table[Any], str]] = []

    def add_all(self, *tables: Table[Any], name: str) -> None:
        """Take in tables, which call the axis so."""
        for table in tables:
            self._tables.append((table, name))
            words, more = table.share(name, self.room)
            self.arrays.words = np.concatenate([self.arrays.words, words])
            self.arrays.more = np.concatenate([self.arrays.more, more])
            table.set_shared(name, self.length)
        self._size[ROOM] = min(table.room_of(name) for table, name in self._tables)

    @property
    def length(self) -> int:
        """Return the length."""
        return int(self._size[LENGTH])

    @property
    def room(self) -> int:
        """Return how long it may become."""
        return int(self._size[ROOM])

    def reserve(self, room: int) -> None:
        """Have room for at least such a length; all that is in the memory stays, beyond the length too."""
        if room > self._size[ROOM]:
            for table, name in self._tables:
                table.grow(name, room)
            self._size[ROOM] = min(table.room_of(name) for table, name in self._tables)

    def set(self, length: int) -> None:
        """Let it have a length, with any content."""
        self.reserve(length)
        self._size[LENGTH] = length
        for table, name in self._tables:
            table.set_shared(name, length)

"""Types of what kernels take: annotations that people read, mypy understands and numba is told.

A kernel is annotated with `int`, `float`, `bool`, the arrays below, and structs; these annotations are its
one signature. `Floats` is a vector of numbers, `Annotated[Floats, "bodies", 3]` an array (n, 3) whose first
axis is that of the bodies, `Annotated[Floats, "bodies", "joints"]` one with two open axes. Names matter to
`Struct`, which can make arrays of a given number of bodies; lengths matter to the compiler, which then knows
the strides.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, get_args, get_origin

import numpy as np
from numba.core import types

__all__ = [
    "ArrayField",
    "Bools",
    "Codes",
    "Floats",
    "Floats2",
    "Floats3",
    "Ints",
    "Ints2",
    "numba_type",
]

Floats = Annotated[np.ndarray, np.float64]
Floats2 = Annotated[Floats, "", ""]
Floats3 = Annotated[Floats, "", "", ""]
Ints = Annotated[np.ndarray, np.int64]
Ints2 = Annotated[Ints, "", ""]
Bools = Annotated[np.ndarray, np.bool_]
Codes = Annotated[np.ndarray, np.uint8]  # one of a few constants each

_SCALARS: dict[Any, types.Type] = {
    int: types.int64,
    float: types.float64,
    bool: types.boolean,
    None: types.void,
    type(None): types.void,
}


@dataclass(frozen=True)
class ArrayField:
    """An array as it was declared.

    Attributes:
        dtype: of its elements.
        axes: names of the open axes, which come first, then lengths of the others.
    """

    dtype: np.dtype
    axes: tuple[str | int, ...]

    @cached_property
    def open_axes(self) -> int:
        """Return how many axes have no fixed length."""
        return sum(isinstance(axis, str) for axis in self.axes)

    @cached_property
    def inner(self) -> tuple[int, ...]:
        """Return the lengths of the other axes."""
        return tuple(axis for axis in self.axes if isinstance(axis, int))

    @property
    def numba_type(self) -> types.Array:
        """Return the type that kernels know it by."""
        return types.Array(_DTYPES[self.dtype.type], len(self.axes), "C")

    @classmethod
    def of(cls, annotation: Any) -> "ArrayField | None":
        """Return what an annotation declares, None if it is no array."""
        if get_origin(annotation) is not Annotated:
            return None
        base, dtype, *axes = get_args(annotation)
        if base is not np.ndarray:
            return None
        named = tuple(axes) or ("",)
        if any(isinstance(a, int) and isinstance(b, str) for a, b in zip(named, named[1:], strict=False)):
            raise TypeError(f"{annotation}: open axes come before those of a fixed length")
        return cls(np.dtype(dtype), named)


_DTYPES = {np.float64: types.float64, np.int64: types.int64, np.bool_: types.boolean, np.uint8: types.uint8}


def numba_type(annotation: Any) -> types.Type:
    """Return the numba type that an annotation stands for.

    Raises:
        TypeError: it stands for none.
    """
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    array = ArrayField.of(annotation)
    if array is not None:
        return array.numba_type
    if get_origin(annotation) is tuple:
        return types.Tuple.from_types(tuple(numba_type(part) for part in get_args(annotation)))
    struct = getattr(annotation, "_numba_type_", None)
    if isinstance(struct, types.Type):
        return struct
    raise TypeError(f"{annotation!r} is no type of kernels")

"""What was read from mesh files, kept while the files are the same: worlds are built of them many times."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

__all__ = ["kept"]

MOST_BYTES = 1 << 28  # of all that is kept; what was used longest ago goes first

_Value = TypeVar("_Value")
_values: dict[tuple[Any, ...], tuple[Any, int]] = {}


def kept(file: str, what: tuple[Any, ...], make: Callable[[], _Value]) -> _Value:
    """Return what is made of a file, made anew only if the file has changed.

    Args:
        file: its path.
        what: tells what is made of it apart: scale, kind of shape and so on.
        make: makes it; an error is not kept.
    """
    try:
        state = Path(file).stat()
    except OSError:
        return make()  # which tells why
    key = (file, state.st_mtime_ns, state.st_size, *what)
    if key in _values:
        found = _values.pop(key)
    else:
        value = make()
        found = value, _bytes(value)
    if found[1] <= MOST_BYTES:
        _values[key] = found
    total = sum(size for _, size in _values.values())
    while total > MOST_BYTES:
        total -= _values.pop(next(iter(_values)))[1]
    result: _Value = found[0]
    return result


def _bytes(value: Any) -> int:
    """Return how many bytes the arrays of a value have."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple):
        return sum(map(_bytes, value))
    return sum(map(_bytes, vars(value).values())) if hasattr(value, "__dict__") else 0

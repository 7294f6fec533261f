"""Arrays that are read, not written: results that say so, with the cure, when someone tries."""

from typing import Any

import numpy as np

__all__ = ["ReadOnly", "read_only"]


class ReadOnly(np.ndarray):
    """Numbers that something gives away: as good as any array, and not written in place.

    What is computed from them are plain arrays, copies and pickles too. `x += y` makes a new array, as with
    numbers, so `body.position += (0, 0, 1)` moves the body.
    """

    _cure = "make a copy to write into: array.copy()"

    def _refuse(self) -> ValueError:
        return ValueError(f"elements of a read-only result cannot be assigned; {self._cure}")

    def __setitem__(self, key: Any, value: Any) -> None:
        """Refuse to write, and say what to do."""
        if not self.flags.writeable:
            raise self._refuse()
        super().__setitem__(key, value)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return what is computed as a plain array."""
        return array[()] if return_scalar else np.asarray(array)

    def __reduce__(self) -> Any:
        """Pickle and copy as a plain array."""
        return np.array(self, subok=False).__reduce__()

    def __deepcopy__(self, memo: Any) -> np.ndarray:  # type: ignore[override]
        """Return a plain copy."""
        return np.array(self, subok=False)

    def __copy__(self) -> np.ndarray:  # type: ignore[override]
        """Return a plain copy."""
        return np.array(self, subok=False)

    def copy(self, order: Any = "C") -> np.ndarray:  # type: ignore[override]
        """Return a plain copy, which may be written."""
        return np.array(self, order=order, subok=False)

    def astype(self, dtype: Any, *args: Any, **named: Any) -> np.ndarray:
        """Return a plain copy of another type."""
        return np.array(self, subok=False).astype(dtype, *args, **named)

    def fill(self, value: Any) -> None:
        """Refuse to write, and say what to do."""
        raise self._refuse()

    def sort(self, *args: Any, **named: Any) -> None:
        """Refuse to write, and say what to do."""
        raise self._refuse()

    def __repr__(self) -> str:
        return repr(np.asarray(self))


def _new_in_place(name: str) -> Any:
    """Return an operator such as += that makes a new array."""

    def compute(self: ReadOnly, other: Any) -> Any:
        return getattr(np.asarray(self), name)(other)

    return compute


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
    setattr(ReadOnly, f"__i{_name}__", _new_in_place(f"__{_name}__"))


def read_only(array: np.ndarray, cure: str = "") -> np.ndarray:
    """Return a view of an array that cannot be written.

    Args:
        array: what is shown.
        cure: what to do in place of writing, for the error.
    """
    view = array.view(ReadOnly)
    view.flags.writeable = False
    if cure:
        view._cure = cure
    return view

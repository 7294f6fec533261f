"""Arrays of the bodies that users may write into: views, which go stale when bodies come or go.

A row of such an array belongs to a body only as long as none is added or removed: afterwards it is the row of
another one, or of none, or the memory is no longer that of the world. So whoever kept the array is told when
it is written. What is computed from it is a plain array, as are copies.
"""

from typing import Any

import numpy as np

__all__ = ["BodyView", "Present"]


class Present:
    """The bodies that there are, until some come or go: what all views of them refer to."""

    __slots__ = ("is_over",)

    def __init__(self) -> None:
        self.is_over = False


class BodyView(np.ndarray):
    """One row for each body, in their order; may be written while the bodies are the same."""

    _present: Present | None = None
    _memory: np.ndarray | None = None
    _name = ""

    @classmethod
    def of(cls, array: np.ndarray, present: Present, name: str) -> "BodyView":
        """Return a view of an array of the present bodies, as it is called in a world."""
        view = array.view(cls)
        view._present, view._memory, view._name = present, array, name
        return view

    def __array_finalize__(self, source: Any) -> None:
        """Let parts of a view be such views too."""
        if isinstance(source, BodyView):
            self._present, self._memory, self._name = source._present, source._memory, source._name

    def _check(self) -> None:
        if self._present is None or not self._present.is_over or self._memory is None:
            return
        if np.may_share_memory(self, self._memory):
            raise ValueError(
                f"this array is of the bodies that there were before some were added or removed: take "
                f"world.{self._name} anew before writing into it"
            )

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write, if the bodies are still the same."""
        self._check()
        super().__setitem__(key, value)

    def fill(self, value: Any) -> None:
        """Write the same everywhere, if the bodies are still the same."""
        self[...] = value

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **kwargs: Any) -> Any:
        """Compute with plain arrays; write into this one, as `+=` does, if the bodies are still the same."""
        out = kwargs.get("out", ())
        for target in (*out, *(inputs[:1] if method == "at" else ())):
            if isinstance(target, BodyView):
                target._check()
        if out:
            kwargs["out"] = tuple(map(_plain, out))
        result = getattr(ufunc, method)(*map(_plain, inputs), **kwargs)
        return out[0] if len(out) == 1 else result

    def copy(self, order: Any = "C") -> np.ndarray:  # type: ignore[override]
        """Return a plain copy."""
        return np.array(self, order=order, subok=False)

    def astype(self, dtype: Any, *args: Any, **named: Any) -> np.ndarray:
        """Return a plain copy of another type."""
        return np.array(self, subok=False).astype(dtype, *args, **named)

    def __copy__(self) -> np.ndarray:  # type: ignore[override]
        """Return a plain copy."""
        return self.copy()

    def __deepcopy__(self, memo: Any) -> np.ndarray:  # type: ignore[override]
        """Return a plain copy."""
        return self.copy()

    def __reduce__(self) -> Any:
        """Pickle as a plain array."""
        return self.copy().__reduce__()

    def __repr__(self) -> str:
        return repr(_plain(self))


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, BodyView) else value

"""Hear of the kernels that are being compiled, one by one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

__all__ = ["Listener", "watch"]

Listener = Callable[[int, int, str], None]

_COMPILE = "numba:compile"


class _Count(event.Listener):
    """Count kernels; one makes those that it calls ready as well, so their events nest."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._begun = 0
        self._depth = 0

    def on_start(self, event: Any) -> None:
        """Take note that a kernel is being compiled (called by numba)."""
        self._depth += 1
        self._begun += 1
        self._listener(self._begun - 1, self._begun, event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        """Take note that a kernel is compiled (called by numba)."""
        self._depth -= 1
        if self._depth == 0:
            self._listener(self._begun, self._begun, "")


@contextmanager
def watch(listener: Listener) -> Iterator[None]:
    """Call a function whenever a kernel is about to be compiled, and when all are.

    Args:
        listener: is given how many are done, how many there are in all and the name of the next; called in
            the thread that waits for the kernels. What it raises ends their compilation.
    """
    count = _Count(listener)
    event.register(_COMPILE, count)
    try:
        yield
    finally:
        event.unregister(_COMPILE, count)

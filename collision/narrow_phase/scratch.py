"""Work arrays of the narrow phases: made once for each thread that collides, not for each call."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["OfThread"]

_S = TypeVar("_S")


class OfThread(threading.local, Generic[_S]):
    """Hold one struct for each thread: kernels let other threads run, which may step another world.

    Args:
        make: makes the struct, when a thread first asks for it.
    """

    def __init__(self, make: Callable[[], _S]) -> None:
        self.scratch = make()

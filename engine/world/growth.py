"""How far a world is that is being built: for those who wait for large ones."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["LISTENERS", "watch_growth"]

# Called with the number of bodies whenever some are added, in the thread that adds them.
LISTENERS: list[Callable[[int], None]] = []


@contextmanager
def watch_growth(listener: Callable[[int], None]) -> Iterator[None]:
    """Have `listener(bodies)` called whenever a world gets bodies; what it raises ends the building."""
    LISTENERS.append(listener)
    try:
        yield
    finally:
        LISTENERS.remove(listener)

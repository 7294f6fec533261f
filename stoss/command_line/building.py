"""What those who wait for a large world see, and the end of one that memory does not hold."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stoss.engine.world.growth import watch_growth

__all__ = ["watched_building"]

# Nothing is told of worlds that are there sooner [s]; on a terminal the line is rewritten so often [s].
_PATIENCE, _REFRESH = 1.0, 0.2

# A world ends before the memory of the machine does: then so much of it is free yet [part of all].
_RESERVE = 0.04


@contextmanager
def watched_building(visible: bool) -> Iterator[None]:
    """Tell how many bodies there are while a world is built.

    Args:
        visible: whether to tell.

    Raises:
        MemoryError: the memory of the machine is nearly used up.
    """
    growth = _Growth(visible)
    with watch_growth(growth):
        try:
            yield
        finally:
            growth.end()


class _Growth:
    def __init__(self, visible: bool) -> None:
        self._visible, self._terminal = visible, sys.stderr.isatty()
        self._began = self._told = time.perf_counter()
        self._bodies = 0
        self._shown = False

    def __call__(self, bodies: int) -> None:
        self._bodies = bodies
        now = time.perf_counter()
        if now - self._told < _REFRESH:
            return
        self._told = now
        _check_memory(bodies)
        if not self._visible or now - self._began < _PATIENCE:
            return
        if self._terminal:
            sys.stderr.write(f"\r\033[Kbuilding: {bodies} bodies")
        elif not self._shown:
            sys.stderr.write("building a large world\n")
        self._shown = True
        sys.stderr.flush()

    def end(self) -> None:
        if self._shown:
            start = "\r\033[K" if self._terminal else ""
            seconds = time.perf_counter() - self._began
            sys.stderr.write(f"{start}built {self._bodies} bodies in {seconds:.0f} s\n")


def _check_memory(bodies: int) -> None:
    """Raise MemoryError if little memory is left, where the system tells how much there is."""
    with suppress(OSError, KeyError, ValueError, IndexError):
        told = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        free, all_of_it = (int(told[name].split()[0]) for name in ("MemAvailable", "MemTotal"))
        if free < _RESERVE * all_of_it:
            raise MemoryError(f"{bodies} bodies leave {free // 1024} MB of {all_of_it // 1024} MB")

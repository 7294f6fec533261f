"""Signals wait while a world is being changed: a handler that raises would leave it half changed.

Python runs the handlers of signals in the main thread, between any two instructions, and Ctrl-C is a handler
that raises. While signals are held, a stand-in takes them; when they are released, the handlers are called
for those that came, in their order, and find whole worlds. Nothing is left behind: the handlers are the same
before and after.
"""

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["HeldSignals"]

Handler = Callable[[int, FrameType | None], Any]

# Those whose handlers may want to end what goes on; to look at each costs 0.05 us.
_NAMES = ("INT", "TERM", "ALRM", "HUP", "QUIT", "USR1", "USR2", "VTALRM", "PROF", "XCPU", "BREAK")
_SIGNALS = tuple(int(getattr(signal, f"SIG{name}")) for name in _NAMES if hasattr(signal, f"SIG{name}"))
# `signal.signal` and `signal.getsignal` make an enum of each number: ten times as long
_get_handler: Callable[[int], Any] = signal._signal.getsignal  # type: ignore[attr-defined]
_set_handler: Callable[[int, Handler], Any] = signal._signal.signal  # type: ignore[attr-defined]


class HeldSignals:
    """Hold signals back between `hold` and `release`: in the main thread alone, elsewhere none arrive.

    Attributes:
        waiting: those that came since `hold`, with the frame they interrupted.
    """

    __slots__ = ("_handlers", "_holding", "waiting")

    def __init__(self) -> None:
        self.waiting: list[tuple[int, FrameType | None]] = []
        self._handlers: dict[int, Handler] = {}
        self._holding = False

    def hold(self) -> None:
        """Let signals wait from now on; where one comes before that is so, its handler may raise here."""
        found = [(n, _get_handler(n)) for n in _SIGNALS]
        self._handlers = {n: handler for n, handler in found if callable(handler)}
        self._holding, take = True, self._take
        try:
            for n in self._handlers:
                _set_handler(n, take)
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Give signals back to their handlers, and call these for those that waited; they may raise here."""
        if not self._holding:
            return
        self._holding = False  # from here on `_take` passes on what a handler has not got back yet
        try:
            for number, handler in self._handlers.items():
                _set_handler(number, handler)
        finally:
            self._deliver()

    def _deliver(self) -> None:
        """Call the handlers for the signals that waited, all of them even if one raises."""
        while self.waiting:
            number, frame = self.waiting.pop(0)
            try:
                self._handlers[number](number, frame)
            finally:
                self._deliver()

    def _take(self, number: int, frame: FrameType | None) -> None:
        """Stand in for the handlers of all signals."""
        if self._holding:
            self.waiting.append((number, frame))
            return
        _set_handler(number, self._handlers[number])
        self._handlers[number](number, frame)

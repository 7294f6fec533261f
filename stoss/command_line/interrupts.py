"""Ctrl-C, SIGTERM, a terminal that is closed: at once while there is nothing to keep, else after keeping it.

While modules are loaded and worlds are built, a signal ends the process with one line: an exception there
could come up anywhere, also where Python prints it and goes on. A command that has something to keep, such as
a recording, is interrupted by an exception instead, and ends itself.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

__all__ = [
    "Interruption",
    "end_workers",
    "ending_at_once",
    "exit_code_of",
    "ignored",
    "told_interruption",
    "with_something_to_keep",
]

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_WORDS = {"SIGINT": "interrupted", "SIGTERM": "told to end", "SIGHUP": "left by its terminal"}


class Interruption(KeyboardInterrupt):
    """A signal that asks the process to end.

    Attributes:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = signal.Signals(number)


def exit_code_of(error: KeyboardInterrupt) -> int:
    """Return the exit code after an interruption, as shells have it: 130 for Ctrl-C, 143 for SIGTERM."""
    return 128 + (error.number if isinstance(error, Interruption) else signal.SIGINT)


def told_interruption(error: KeyboardInterrupt) -> str:
    """Return the word for an interruption."""
    return _WORDS[error.number.name if isinstance(error, Interruption) else "SIGINT"]


def ending_at_once() -> None:
    """Let signals end the process at once from now on, with one line."""
    for number in _SIGNALS:
        signal.signal(number, _leave)


def ignored() -> None:
    """Let signals do nothing from now on, for the last moments of a process that is done."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def with_something_to_keep() -> Iterator[None]:
    """Let signals raise `Interruption` within the block: it has something to keep.

    Nothing changes where a program has set handlers of its own, or in another thread than the main one.
    """
    replaced = {}
    try:
        for number in _SIGNALS:
            if signal.getsignal(number) in (_leave, signal.SIG_DFL, signal.default_int_handler):
                replaced[number] = signal.signal(number, _interrupt)
    except ValueError:  # not the main thread: signals do not arrive here
        yield
        return
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)


def end_workers() -> None:
    """End the processes that compile kernels, if there are any."""
    end = getattr(sys.modules.get("stoss.collision.kernels.prepare"), "end_workers", None)
    if end is not None:
        end()


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise Interruption(number)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    line_end = "\r\033[K" if sys.stderr is not None and sys.stderr.isatty() else ""
    word = _WORDS[signal.Signals(number).name]
    try:
        os.write(2, f"{line_end}stoss: {word}\n".encode())
    except OSError:  # the terminal is gone
        pass
    end_workers()
    os._exit(128 + number)

"""What those who wait see on the error stream: how far kernels are compiled, and how far a run is."""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TextIO

from tqdm import tqdm

from stoss.scenes.running.compilation import CompileWatch
from stoss.scenes.running.running import RunFigures

__all__ = ["KernelProgress", "StepBar", "say", "watched_kernels"]

# How often the real-time factor behind the bar of steps is renewed [s].
_REFRESH = 0.25


def say(message: str) -> None:
    """Write a line to the error stream, above a progress bar if there is one."""
    tqdm.write(" ".join(message.split()), file=sys.stderr)


@contextmanager
def watched_kernels(visible: bool) -> Iterator[CompileWatch]:
    """Keep apart the time that kernels take to be ready, and tell when they are compiled.

    Args:
        visible: whether to tell.
    """
    with KernelProgress(visible) as progress, CompileWatch(progress.note) as watch:
        yield watch


class KernelProgress:
    """Tells how far the compilation of kernels is, once there is anything to compile.

    On a terminal that is one line which is rewritten, elsewhere a line at the start and one at the end.

        with KernelProgress(folder=cache_folder()) as progress:
            prepare(progress=progress)

    Args:
        visible: whether to tell anything.
        folder: where the kernels are kept; nothing if that is not known.
        stream: where to; the error stream when left out.
    """

    def __init__(
        self, visible: bool = True, folder: Path | None = None, stream: TextIO | None = None
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._visible = visible
        self._kept = "later runs find them" if folder is None else f"they are kept in {_short(folder)}"
        self._done = self._total = self._width = 0
        self._began: float | None = None

    def __call__(self, done: int, total: int, name: str = "") -> None:
        """Take note that some kernels of a total are compiled.

        Args:
            done: kernels compiled so far.
            total: kernels to compile.
            name: of the kernel that was compiled last; not shown.
        """
        if not self._visible:
            return
        first, self._done, self._total = self._began is None, done, total
        if self._began is None:
            self._began = time.perf_counter()
        if self._stream.isatty():
            self._rewrite(f"compiling {done} of {total} kernels, once; {self._kept}")
        elif first:
            self._write(f"compiling {total} kernels, once; {self._kept}\n")

    def note(self) -> None:
        """Tell that kernels are compiled of which the number is not known."""
        if self._visible:
            say(f"compiling kernels for this machine, once; {self._kept}")

    def __enter__(self) -> "KernelProgress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._began is None:
            return
        if self._stream.isatty():
            self._rewrite("")
        of_all = "" if self._done == self._total else f" of {self._total}"
        seconds = time.perf_counter() - self._began
        self._write(f"compiled {self._done}{of_all} kernels in {seconds:.0f} s\n")

    def _rewrite(self, text: str) -> None:
        """Write over the line; one that is longer than the terminal would stay."""
        text = text[: shutil.get_terminal_size().columns - 1]
        self._write(f"\r{text:<{self._width}}\r{text}")
        self._width = len(text)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _short(folder: Path) -> str:
    """Return a folder as people write it, with ~ for their home."""
    home = Path.home()
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)


class StepBar:
    """A progress bar over the steps of a run, with the real-time factor of the last moments behind it.

    Args:
        steps: number of steps.
        time_step: length of one [s].
        visible: whether to show it.
    """

    def __init__(self, steps: int, time_step: float, visible: bool) -> None:
        self._bar = tqdm(total=steps, unit=" steps", file=sys.stderr, disable=not visible, leave=False)
        self._time_step = time_step
        self._renewed = time.perf_counter()
        self._steps = 0
        self._seconds = 0.0

    def __enter__(self) -> "StepBar":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.close()

    def advance(self, figures: RunFigures) -> None:
        """Move the bar on by one step.

        Args:
            figures: those of the run so far.
        """
        if self._bar.disable:
            return
        now = time.perf_counter()
        if now - self._renewed > _REFRESH and figures.seconds > self._seconds:
            factor = (figures.steps - self._steps) * self._time_step / (figures.seconds - self._seconds)
            self._bar.set_postfix_str(f"{factor:.2f} x real time", refresh=False)
            self._renewed, self._steps, self._seconds = now, figures.steps, figures.seconds
        self._bar.update()

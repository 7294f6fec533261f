"""What those who wait for kernels see on the error stream."""

import shutil
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import TextIO

__all__ = ["KernelProgress"]


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
        """Take note that some kernels of a total are compiled; a single one is not worth a line that stays.

        Args:
            done: kernels compiled so far.
            total: kernels to compile.
            name: of the kernel that was compiled last; not shown.
        """
        if not self._visible:
            return
        terminal = self._stream.isatty()
        if self._began is None:
            self._began = time.perf_counter()
            if not terminal and total > 1:
                self._write(f"compiling {total} kernels, once; {self._kept}\n")
        self._done, self._total = done, total
        if terminal:
            self._rewrite(f"compiling {done} of {total} kernels, once; {self._kept}")
        if done == total:
            self._end()

    def __enter__(self) -> "KernelProgress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        """Say how many were compiled, if any were being compiled."""
        if self._began is None:
            return
        if self._stream.isatty():
            self._rewrite("")
        seconds, self._began = time.perf_counter() - self._began, None
        if self._total > 1:
            of_all = "" if self._done == self._total else f" of {self._total}"
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

"""What a recorder has taken so far: in memory, or in a journal on disk, which a killed run leaves behind."""

import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stoss.engine.recording.columns import Block, Columns, without_later
from stoss.engine.recording.content import ColumnRecord
from stoss.engine.recording.journal import Journal, read_journal
from stoss.errors import FileError
from stoss.files import replacing

__all__ = ["Stream"]

_PATIENCE = 0.5  # [s] of the clock between two writes: what a kill loses, and the time of a step


class Stream:
    """Take samples; with a journal they leave the memory twice a second.

    If the journal cannot be written any more, that is warned of once, and samples stay in memory from then.

    Args:
        path: of the journal, which takes the place of what is there; None: keep all in memory.
        about: of the run.
        columns, blocks: what there is at the beginning.

    Attributes:
        columns: name, unit, and value where missing.
        trouble: why the journal could not be written, None: it could.

    Raises:
        OSError: the journal cannot be written.
    """

    def __init__(
        self,
        path: Path | None,
        about: dict[str, Any],
        columns: Sequence[ColumnRecord] = (),
        blocks: Sequence[Block] = (),
    ) -> None:
        self.columns: list[ColumnRecord] = []
        self.trouble: FileError | None = None
        self._path = path
        self._memory = Columns()
        self._back = np.inf  # samples in the journal that are later are void, which it does not know
        self._journal: Journal | None = None
        self._last = time.monotonic()
        if path is None:
            self.meet(columns)
            self._memory.full = list(blocks)
            return
        with replacing(path, lasting=False) as part:  # the file stays open when it takes the place
            self._journal = Journal(part)
            self._journal.add_json(b"head", about)
            self.meet(columns)
            for block in blocks:
                self._journal.add_rows(block.times, block.values)

    @property
    def blocks(self) -> list[Block]:
        """Return all samples."""
        self.flush()
        return [*self._in_file(), *self._memory.blocks]

    def _in_file(self) -> list[Block]:
        return (
            [] if self._path is None else without_later(read_journal(self._path).content.blocks, self._back)
        )

    def in_memory(self) -> "Stream":
        """Return a stream with the same samples, in memory alone."""
        blocks = [Block(block.times.copy(), block.values.copy()) for block in self.blocks]
        return Stream(None, {}, self.columns, blocks)

    def meet(self, columns: Sequence[ColumnRecord]) -> None:
        """Take columns that are new."""
        if not columns:
            return
        self.columns += columns
        self._memory.missing += [missing for _, _, missing in columns]
        self._write_json(
            b"cols", [[name, unit, None if np.isnan(missing) else missing] for name, unit, missing in columns]
        )

    def append(self, moment: float, values: np.ndarray) -> None:
        """Take a sample of all columns at a time [s]."""
        full = self._memory.append(moment, values)
        if self._journal is not None and (full or time.monotonic() - self._last > _PATIENCE):
            self.flush()

    def forget_after(self, moment: float) -> None:
        """Drop the samples later than a time [s]."""
        self.flush()
        self._memory.forget_after(moment)
        self._write(b"back", np.float64(moment).tobytes())
        if self._journal is None:
            self._back = min(self._back, moment)

    def flush(self) -> None:
        """Write to the journal what is not in it yet."""
        self._last = time.monotonic()
        if self._journal is None:
            return
        blocks = self._memory.blocks
        while blocks and self._tried(lambda journal: journal.add_rows(blocks[0].times, blocks[0].values)):
            del blocks[0]
        self._memory.keep(blocks)

    def finish(self, about: dict[str, Any], snapshot: bytes | None) -> None:
        """Write the last entries of the journal and close it."""
        self.flush()
        if snapshot is not None:
            self._write(b"snap", snapshot)
        self._write_json(b"done", about)
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    # ------------------------------------------------------------- writing

    def _write(self, kind: bytes, content: bytes) -> None:
        self._tried(lambda journal: journal.add(kind, content))

    def _write_json(self, kind: bytes, content: Any) -> None:
        self._tried(lambda journal: journal.add_json(kind, content))

    def _tried(self, write: Any) -> bool:
        """Write something and return whether it is there; where that fails, leave the journal as it is."""
        if self._journal is None:
            return False
        try:
            write(self._journal)
        except OSError as error:
            self._journal.close()
            self._journal = None
            self.trouble = FileError(
                error.errno,
                f"{self._path} cannot be written any more: {error.strerror or error}; it holds all up to "
                "then, and what comes later is kept in memory: recorder.recording.write(another place)",
            )
            warnings.warn(str(self.trouble), stacklevel=2)
            return False
        return True

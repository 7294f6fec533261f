"""Columns of numbers over time: kept in blocks, which grow in number and are never moved."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Block", "Columns", "joined", "without_later"]

_NUMBERS = 1 << 17  # of a block, about: 1 MB
_LEAST, _MOST = 16, 4096  # samples of a block


@dataclass(frozen=True)
class Block:
    """Samples that follow each other.

    Attributes:
        times: (k,) [s].
        values: (c, k) one row for each column, (k,) numbers that lie together; columns that came
            later are not there.
    """

    times: np.ndarray
    values: np.ndarray


class Columns:
    """Samples of columns, of which more may come; in memory, block after block.

    Attributes:
        full: blocks to which nothing is added any more.
        missing: for each column the value where it was not there yet.
    """

    def __init__(self) -> None:
        self.full: list[Block] = []
        self.missing: list[float] = []
        self._times, self._values = np.empty(0), np.empty((0, 0))
        self._count = self._width = 0  # of samples, and of columns of the present block

    def append(self, time: float, values: np.ndarray) -> bool:
        """Add a sample in one piece; return whether the block is full by that.

        Args:
            time: [s].
            values: (c,), one for each of `missing`.
        """
        if len(values) > len(self._values) or self._count == len(self._times):
            self.close()
            width = len(values) + len(values) // 8 + 8
            length = min(max(_NUMBERS // width, _LEAST), _MOST)
            self._times, self._values, self._width = np.empty(length), np.empty((width, length)), len(values)
        k = self._count
        if len(values) > self._width:
            self._values[self._width : len(values), :k] = np.array(self.missing[self._width :])[:, None]
            self._width = len(values)
        self._values[: self._width, k] = values
        self._times[k] = time
        self._count = k + 1
        return self._count == len(self._times)

    def close(self) -> None:
        """Let the next sample begin a new block."""
        if self._count:
            self.full.append(self.present)
        self._times, self._values, self._count = np.empty(0), np.empty((0, 0)), 0

    @property
    def present(self) -> Block:
        """Return the block that is being filled."""
        return Block(self._times[: self._count], self._values[: self._width, : self._count])

    @property
    def blocks(self) -> list[Block]:
        """Return all blocks."""
        return [*self.full, self.present] if self._count else list(self.full)

    def keep(self, blocks: Sequence[Block]) -> None:
        """Keep these blocks alone; without any, go on in the memory of the present one."""
        if blocks:
            self.close()
            self.full = list(blocks)
        else:
            self.full, self._count = [], 0

    def forget_after(self, time: float) -> None:
        """Drop samples later than a time [s]."""
        self.close()
        self.full = without_later(self.full, time)


def without_later(blocks: Sequence[Block], time: float) -> list[Block]:
    """Return blocks without the samples later than a time [s]."""
    kept = []
    for block in blocks:
        count = int(np.searchsorted(block.times, time, side="right"))
        if count:
            whole = count == len(block.times)
            kept.append(block if whole else Block(block.times[:count], block.values[:, :count]))
    return kept


def joined(blocks: Sequence[Block], column: int, missing: float) -> np.ndarray:
    """Return one column (k,) of blocks, `missing` where it was not there yet."""
    parts = [
        block.values[column] if column < len(block.values) else np.full(len(block.times), missing)
        for block in blocks
    ]
    return np.concatenate(parts) if parts else np.zeros(0)

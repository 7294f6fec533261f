"""What a recording is made of: its columns and their samples, what is known of the run, and its end."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stoss.engine.recording.columns import Block, joined
from stoss.engine.recording.observable import AXES, QUATERNION, Observable

__all__ = ["ColumnRecord", "Content", "observables_of"]

ColumnRecord = tuple[str, str, float]  # name, unit, and the value where it was not there yet

_LETTERS = {*AXES, *QUATERNION}


class Content(NamedTuple):
    """All that a recording holds.

    Attributes:
        columns: (c,) name, unit, and value where missing.
        blocks: the samples.
        about: of the run, plain values.
        snapshot: of the world at the end, in the form of its file; None: there is none.
    """

    columns: Sequence[ColumnRecord]
    blocks: Sequence[Block]
    about: dict[str, Any]
    snapshot: bytes | None = None

    @property
    def time(self) -> np.ndarray:
        """Return the times of the samples (k,) [s]."""
        times = [block.times for block in self.blocks]
        return np.concatenate(times) if times else np.zeros(0)

    @property
    def t_end(self) -> float:
        """Return the world time at the end [s]."""
        last = next((float(block.times[-1]) for block in reversed(self.blocks) if len(block.times)), None)
        return float(self.about.get("t_end", self.about.get("begin", 0.0) if last is None else last))

    def column(self, row: int) -> np.ndarray:
        """Return one column (k,)."""
        return joined(self.blocks, row, self.columns[row][2])


def observables_of(columns: Sequence[ColumnRecord]) -> list[Observable]:
    """Return observables whose columns these are: vectors again from their components."""
    members: dict[str, list[str]] = {}
    units: dict[str, str] = {}
    for name, unit, _ in columns:
        whole, dot, last = name.rpartition(".")
        if not (dot and (last in _LETTERS or last.isdecimal())):
            whole, last = name, ""
        members.setdefault(whole, []).append(last)
        units[whole] = unit
    out = []
    for whole, lasts in members.items():
        own = tuple(one for one in lasts if one)
        if "" in lasts:
            out.append(Observable(whole, units[whole]))
        if own:
            out.append(Observable(whole, units[whole], own))
    return out

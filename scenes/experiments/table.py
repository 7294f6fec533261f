"""The results of a sweep: a row for each run."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stoss.dependencies import DependencyError
from stoss.files import check_place, replaced, write_text
from stoss.names import closed, hint
from stoss.scenes.experiments.work import FINISHED, Outcome

__all__ = ["FORMATS", "SweepTable", "row_of"]

FORMATS = (".csv", ".npz", ".parquet")


@closed
class SweepTable:
    """The results of a sweep, a row for each run in the order of the grid.

    Columns are what was varied, the metrics, and of each run: its folder (`run`, "" if it was not kept), how
    it ended (`status`: as that of a `Recording`; or "failed", to be built or measured; or "lost" with its
    process), the `reason`, its `steps`, simulated `time` [s], the `seconds` that it took [s] and the
    `state_hash` of its end, which is the same for the same bits. What a run does not have is NaN, or "" where
    the column is one of texts.

    Attributes:
        columns: arrays (n,) by name, n runs.
    """

    columns: dict[str, np.ndarray]

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        names = {name: None for row in rows for name in row}
        # what says of a run how it ended comes last, also if later rows have more metrics
        last = [name for name in ("run", *_OF_RUNS) if name in names]
        order = [*(name for name in names if name not in last), *last]
        self.columns = {name: _column([row.get(name) for row in rows]) for name in order}

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, column: str) -> np.ndarray:
        """Return a column; an error names the nearest."""
        if column not in self.columns:
            known = [*self.columns]
            raise KeyError(
                f"there is no column {column!r}{hint(column, known)}; there are {', '.join(known)}"
            )
        return self.columns[column]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Give the rows, values by column."""
        for number in range(len(self)):
            yield {name: values[number].item() for name, values in self.columns.items()}

    def __repr__(self) -> str:
        done = int((self["status"] == FINISHED).sum()) if "status" in self.columns else len(self)
        return f"<SweepTable: {len(self)} runs, {done} finished; columns {', '.join(self.columns)}>"

    @property
    def finished(self) -> "SweepTable":
        """The runs that ended well."""
        return SweepTable([row for row in self if row["status"] == FINISHED])

    def best(self, metric: str, *, largest: bool = False) -> dict[str, Any]:
        """Return the row with the smallest value of a metric, of those that ended well.

        Args:
            metric: name of the column.
            largest: take the largest value.

        Raises:
            KeyError: there is no such column.
            ValueError: no run has a value.
        """
        values = self[metric]
        rows = [row for row in self if row["status"] == FINISHED]
        if values.dtype.kind not in "iuf":
            raise ValueError(f"{metric} is no column of numbers")
        rows = [row for row in rows if not np.isnan(row[metric])]
        if not rows:
            raise ValueError(f"no run ended well with a value of {metric}; the column reason says why")
        choose = max if largest else min
        return choose(rows, key=lambda row: row[metric])

    def save(self, path: str | Path) -> None:
        """Write the table: .csv, .npz, or .parquet with `pyarrow`; numbers keep their bits.

        Args:
            path: the file; one that is there is replaced when the new one is complete.

        Raises:
            ValueError: another ending.
            FileError: the file cannot be written.
            DependencyError: `pyarrow` is missing.
        """
        path = check_place(path, FORMATS)
        if path.suffix.lower() == ".csv":
            write_text(path, self._csv())
        elif path.suffix.lower() == ".npz":
            with replaced(path) as file:
                np.savez_compressed(file, **self.columns)  # type: ignore[arg-type]
        else:
            self._save_parquet(path)

    def _csv(self) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*(values.tolist() for values in self.columns.values()), strict=True))
        return text.getvalue()

    def _save_parquet(self, path: Path) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise DependencyError(
                f"{path.name} needs pyarrow (not installed); "
                'install with: python -m pip install "pyarrow>=26"'
            ) from error
        with replaced(path) as file:
            parquet.write_table(pyarrow.table(self.columns), file)

    @classmethod
    def load(cls, path: str | Path) -> "SweepTable":
        """Read a table that `save` wrote as .npz; others are for other programs.

        Args:
            path: the file.

        Raises:
            ValueError: another ending, or no table.
            OSError: the file cannot be read.
        """
        path = Path(path)
        if path.suffix.lower() != ".npz":
            raise ValueError(
                f"{path}: tables are read from .npz; for others take pandas.read_csv and the like"
            )
        try:
            with np.load(path, allow_pickle=False) as content:
                columns = {name: content[name] for name in content.files}
        except (ValueError, EOFError, KeyError) as error:
            raise ValueError(f"{path} is no table of a sweep") from error
        if len({values.shape for values in columns.values()}) != 1 or next(iter(columns.values())).ndim != 1:
            raise ValueError(f"{path} is no table of a sweep: its columns have different lengths")
        table = cls(())
        table.columns = columns
        return table

    def text(self, most: int = 40) -> str:
        """Return the table as lines of text.

        Args:
            most: number of rows.
        """
        shown = [
            name for name in self.columns if name not in ("run", "seconds", "state_hash", "time", "steps")
        ]
        if (self["status"] == FINISHED).all():
            shown = [name for name in shown if name not in ("status", "reason")]
        rows = [[_short(row[name]) for name in shown] for _, row in zip(range(most), self, strict=False)]
        widths = [max(map(len, column)) for column in zip(shown, *rows, strict=True)]
        lines = ["  ".join(map(str.rjust, line, widths)).rstrip() for line in [shown, *rows]]
        if len(self) > most:
            lines.append(f"and {len(self) - most} more")
        return "\n".join(lines)


_OF_RUNS = ("status", "reason", "steps", "time", "seconds", "state_hash")


def row_of(point: Mapping[str, Any], outcome: Outcome, run: str) -> dict[str, Any]:
    """Return the row of a run.

    Args:
        point: what was varied.
        outcome: what came of it.
        run: its folder, "" if it was not kept.
    """
    report = outcome.report
    return {
        **point,
        **outcome.metrics,
        "run": run,
        "status": outcome.status,
        "reason": outcome.reason,
        "steps": int(report.get("steps", 0)),
        "time": float(report.get("time", np.nan)),
        "seconds": float(report.get("seconds", np.nan)),
        "state_hash": str(report.get("state_hash", "")),
    }


def _column(values: list[Any]) -> np.ndarray:
    """Return the values of a column; texts if any is one, else numbers."""
    there = [value for value in values if value is not None]
    if any(isinstance(value, str) for value in there):
        return np.array(["" if value is None else str(value) for value in values], dtype=np.str_)
    if len(there) == len(values) and all(isinstance(value, bool) for value in there):
        return np.array(values, dtype=np.bool_)
    if len(there) == len(values) and all(isinstance(value, int) for value in there):
        return np.array(values, dtype=np.int64)
    return np.array([np.nan if value is None else float(value) for value in values])


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)

"""Recordings in files: .npz of recordings that are complete, the journal of those that run or were killed."""

import csv
import io
import json
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from stoss.collision.plain_numbers import shown
from stoss.containers import MOST_JSON, Arrays, loads, open_arrays
from stoss.declared import check, check_version
from stoss.engine.recording.choosing import Pattern, chosen, unknown_channel
from stoss.engine.recording.columns import Block
from stoss.engine.recording.content import ColumnRecord, Content, observables_of
from stoss.engine.recording.journal import MAGIC, read_journal
from stoss.engine.recording.tables import write_parquet
from stoss.files import replaced

__all__ = ["FORMAT_VERSION", "SUFFIXES", "load", "write"]

FORMAT_VERSION = 1
SUFFIXES = (".npz", ".csv", ".parquet")

_WHAT = "no recording of stoss"
_OWN = ("time", "about", "snapshot")  # entries that are no columns
_MOST_COLUMNS = 1 << 20
_ROWS = 4096  # of a CSV file that are made at once


def write(content: Content, path: Any) -> None:
    """Write a recording to a file; see `Recording.write`."""
    suffix = checked_suffix(path)
    if suffix == ".parquet":
        write_parquet(content, path)
        return
    with replaced(path) as file:
        if suffix == ".npz":
            _write_npz(content, file)
        else:
            for text in _csv(content):
                file.write(text.encode())


def checked_suffix(path: Any) -> str:
    """Return the ending of a path.

    Raises:
        TypeError: it is no path; ValueError: another ending than those of recordings.
    """
    if not isinstance(path, str | Path):
        raise TypeError(f"path = {shown(path)} must be a path")
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"path = {str(path)!r} must end in {', '.join(SUFFIXES)}")
    return suffix


# ------------------------------------------------------------- npz


def _write_npz(content: Content, file: IO[bytes]) -> None:
    """Write column after column, of which one at a time is in memory."""
    about = content.about | {
        "kind": "stoss recording",
        "format": FORMAT_VERSION,
        "columns": [[name, unit, _told(missing)] for name, unit, missing in content.columns],
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        _add(archive, "about", np.array(json.dumps(about)))
        _add(archive, "time", content.time)
        for row, (name, _, _) in enumerate(content.columns):
            _add(archive, _entry(name, row), content.column(row))
        if content.snapshot is not None:
            _add(archive, "snapshot", np.frombuffer(content.snapshot, np.uint8))


def _told(missing: float) -> float | None:
    return None if np.isnan(missing) else missing


def _entry(name: str, row: int) -> str:
    """Return the name of a column in the archive: its own where archives take it."""
    return name if name.isprintable() and "\\" not in name and name not in _OWN else f"column {row}"


def _add(archive: zipfile.ZipFile, name: str, array: np.ndarray) -> None:
    with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
        np.lib.format.write_array(entry, np.asarray(array, order="C"), allow_pickle=False)


def load(path: str | Path, channels: Sequence[str] | None, most_bytes: int) -> Content:
    """Read a recording; see `Recording.load`."""
    if not isinstance(path, str | Path):
        raise TypeError(f"path = {shown(path)} must be a path")
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path} is {'no file' if path.exists() else 'not there'}")
    with path.open("rb") as file:
        begin = file.read(len(MAGIC))
    if begin[:15] == MAGIC[:15]:
        return _of_journal(path, channels)
    with open_arrays(path, _WHAT, most_bytes, most_members=_MOST_COLUMNS) as arrays:
        return _of_arrays(path, arrays, channels)


def _of_arrays(path: Path, arrays: Arrays, channels: Sequence[str] | None) -> Content:
    there = arrays.headers
    if "about" not in there or "time" not in there:
        if "digest" in there:
            raise ValueError("it is a snapshot: world.restore(Snapshot.read(path)) makes a world of it")
        raise ValueError("it is a motion: stoss replay shows it" if "times" in there else "it lacks 'about'")
    head = there["about"]
    if head.dtype.kind != "U" or head.shape or head.dtype.itemsize > 4 * MOST_JSON:
        raise ValueError("what it says about itself is no text")
    about = loads(str(arrays.read("about")))
    check("about", about, dict)
    if about.get("kind") != "stoss recording":
        raise ValueError("it is another file of stoss")
    check_version(about.get("format"), FORMAT_VERSION)
    columns = _checked_columns(about.pop("columns", None))
    times = arrays.read("time")
    if times.dtype != np.float64 or times.ndim != 1:
        raise ValueError(f"'time' is {times.dtype} {times.shape}")
    wanted = _wanted(path, columns, channels)
    values = np.empty((len(wanted), len(times)))
    for place, row in enumerate(wanted):
        name = _entry(columns[row][0], row)
        if name not in arrays.headers:
            raise ValueError(f"the column {name!r} is missing")
        column = arrays.read(name)
        if column.dtype != np.float64 or column.shape != times.shape:
            raise ValueError(f"{name!r} is {column.dtype} {column.shape}, there are {len(times)} samples")
        values[place] = column
    snapshot = arrays.read("snapshot").tobytes() if "snapshot" in arrays.headers else None
    return Content([columns[row] for row in wanted], [Block(times, values)], about, snapshot)


def _checked_columns(told: Any) -> list[ColumnRecord]:
    check("columns", told, list)
    found = []
    for one in told:
        check("a column", one, list)
        name, unit, missing = one
        check("the name of a column", name, str)
        check("a unit", unit, str)
        found.append((name, unit, float("nan") if missing is None else float(missing)))
    _refuse_twice(found)
    return found


def _refuse_twice(columns: Sequence[ColumnRecord]) -> None:
    if len({name for name, _, _ in columns}) != len(columns):
        raise ValueError("a column is there twice")


def _wanted(path: Path, columns: Sequence[ColumnRecord], channels: Sequence[str] | None) -> list[int]:
    """Return the rows of the columns that are wanted."""
    if channels is None:
        return list(range(len(columns)))
    row = {name: k for k, (name, _, _) in enumerate(columns)}
    listed = observables_of(columns)
    rows: dict[int, None] = {}
    for text in channels:
        found = chosen([Pattern(text)], listed)
        if not found:
            raise ValueError(unknown_channel(text, (*(one.name for one in listed), *row), path.name))
        for column in found:
            names = [column.name] if column.component >= 0 else column.observable.columns
            rows |= dict.fromkeys(row[name] for name in names)
    return list(rows)


def _of_journal(path: Path, channels: Sequence[str] | None) -> Content:
    """Return what a run wrote that goes on, or was killed."""
    try:
        told = read_journal(path)
        columns, blocks, about, snapshot = told.content
        check_version(about.get("format", 1), FORMAT_VERSION)
        _refuse_twice(columns)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: {_WHAT}, {' '.join(str(error).split())[:300]}") from error
    wanted = _wanted(path, columns, channels)
    if channels is not None:
        blocks = (
            [Block(b.times, b.values[[k for k in wanted if k < len(b.values)]]) for b in blocks]
            if wanted == sorted(wanted)
            else [_picked(b, wanted, columns) for b in blocks]
        )
    content = Content([columns[k] for k in wanted], blocks, about, snapshot)
    if told.damaged:
        warnings.warn(f"{path}: {told.damaged} bytes are damaged, their samples are left out", stacklevel=4)
    if not told.whole:
        about.setdefault("status", "interrupted")
        about.setdefault("reason", f"the run ended without a word, at {content.t_end:.6g} s or soon after")
    return content


def _picked(block: Block, rows: Sequence[int], columns: Sequence[ColumnRecord]) -> Block:
    values = np.empty((len(rows), len(block.times)))
    for place, row in enumerate(rows):
        values[place] = block.values[row] if row < len(block.values) else columns[row][2]
    return Block(block.times, values)


# ------------------------------------------------------------- csv


def _csv(content: Content) -> Iterator[str]:
    """Yield the lines: a head with units, then a row for each sample; what is not there is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["time [s]", *(f"{name} [{unit}]" if unit else name for name, unit, _ in content.columns)]
    )
    for block in content.blocks:
        for first in range(0, len(block.times), _ROWS):
            part = slice(first, first + _ROWS)
            columns = [block.times[part].tolist()]
            for row, (_, _, missing) in enumerate(content.columns):
                known = row < len(block.values)
                columns.append(block.values[row, part].tolist() if known else [missing] * len(columns[0]))
            for numbers in zip(*columns, strict=True):
                writer.writerow(["" if x != x else repr(x) for x in numbers])
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()

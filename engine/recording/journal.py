r"""The file of a recording while it runs: entries one behind the other, whole ones whenever it is killed.

    stoss recording 1\n
    entry: kind (4 letters), length of its content (uint64), CRC-32 of both and the content (uint32), content

Kinds: `head` JSON about the run; `cols` JSON list of columns that come now, [name, unit, missing]; `rows` k
and c (uint64), k times, then k numbers of each of c columns; `back` a time (float64): samples after it are
void, for the world went back; `snap` a snapshot of the world at the end; `done` JSON that is added to the
head. Numbers are little-endian. What is incomplete at the end is left out, which is all that a crash can do.
"""

import json
import mmap
import struct
import zlib
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from stoss.engine.recording.columns import Block, without_later
from stoss.engine.recording.content import ColumnRecord, Content

__all__ = ["MAGIC", "Journal", "Told", "read_journal"]

MAGIC = b"stoss recording 1\n"
_ENTRY = struct.Struct("<4sQI")
_SIZES = struct.Struct("<QQ")
_KINDS = (b"head", b"cols", b"rows", b"back", b"snap", b"done")
_MOST_JSON = 1 << 28


class Told(NamedTuple):
    """What a journal tells.

    Attributes:
        content: what there is of the recording; arrays of its samples lie in the file.
        whole: whether the end was written.
        damaged: bytes that are not what was written, and left out.
    """

    content: Content
    whole: bool
    damaged: int


class Journal:
    """Write entries to a file, each at once.

    Args:
        path: the file; it begins anew.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = path.open("wb", buffering=0)
        self._end = 0
        self._write(MAGIC)

    def _write(self, content: bytes) -> None:
        """Write at the end; what was written of it is taken back if it is not all.

        Raises:
            OSError: it is not.
        """
        try:
            done = 0
            while done < len(content):
                done += self._file.write(content[done:])
        except OSError:
            self._file.seek(self._end)
            self._file.truncate()
            raise
        self._end += len(content)

    def add(self, kind: bytes, content: bytes) -> None:
        """Add an entry.

        Raises:
            OSError: there is no room.
        """
        check = zlib.crc32(content, zlib.crc32(kind + struct.pack("<Q", len(content))))
        self._write(_ENTRY.pack(kind, len(content), check) + content)

    def add_json(self, kind: bytes, content: Any) -> None:
        """Add an entry of plain values."""
        self.add(kind, json.dumps(content).encode())

    def add_rows(self, times: np.ndarray, values: np.ndarray) -> None:
        """Add samples: times (k,) and columns (c, k)."""
        numbers = np.concatenate([times[None], values]).astype("<f8", copy=False)
        self.add(b"rows", _SIZES.pack(len(times), len(values)) + numbers.tobytes())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_journal(path: Path) -> Told:
    """Read what a journal tells, up to the first entry that is not whole.

    Raises:
        ValueError: it is no journal, or nonsense stands in it.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise ValueError("it is no recording, or one of a later version of stoss")
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    about: dict[str, Any] = {}
    columns: list[ColumnRecord] = []
    blocks: list[Block] = []
    snapshot, whole, damaged = None, False, 0
    at = len(MAGIC)
    while at + _ENTRY.size <= len(data):
        kind, length, check = _ENTRY.unpack_from(data, at)
        begin = at + _ENTRY.size
        if begin + length > len(data):
            break
        content = memoryview(data)[begin : begin + length]
        at = begin + length
        if zlib.crc32(content, zlib.crc32(kind + struct.pack("<Q", length))) != check:
            if kind == b"rows" and (at == len(data) or data[at : at + 4] in _KINDS):
                damaged += length  # samples alone, and what comes next stands where it should
                continue
            damaged += len(data) - at + length
            break
        whole = kind == b"done"
        if kind in (b"head", b"done"):
            about |= _plain(content, dict)
        elif kind == b"cols":
            columns += [_column(one) for one in _plain(content, list)]
        elif kind == b"rows":
            blocks.append(_rows(content, len(columns)))
        elif kind == b"back":
            blocks = without_later(blocks, struct.unpack("<d", content)[0])
        elif kind == b"snap":
            snapshot = bytes(content)
        else:
            raise ValueError(f"it holds {kind!r}, which is not known; update stoss")
    return Told(Content(columns, blocks, about, snapshot), whole, damaged)


def _plain(content: memoryview, kind: type) -> Any:
    if len(content) > _MOST_JSON:
        raise ValueError(f"a text of {len(content)} bytes is too long")
    found = json.loads(bytes(content))
    if not isinstance(found, kind):
        raise ValueError(f"it says {str(found)[:60]!r} where a {kind.__name__} is wanted")
    return found


def _column(told: Any) -> ColumnRecord:
    name, unit, missing = told
    if not (isinstance(name, str) and isinstance(unit, str)):
        raise ValueError(f"{str(told)[:60]!r} is no column")
    return name, unit, float("nan") if missing is None else float(missing)


def _rows(content: memoryview, count: int) -> Block:
    length, width = _SIZES.unpack_from(content)
    if width > count or _SIZES.size + 8 * length * (width + 1) != len(content):
        raise ValueError(f"{length} samples of {width} columns do not fit into {len(content)} bytes")
    numbers = np.frombuffer(content, "<f8", offset=_SIZES.size).reshape(width + 1, length)
    return Block(numbers[0], numbers[1:])

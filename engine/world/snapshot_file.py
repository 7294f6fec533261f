"""Snapshots in files: plain values and arrays, from which no code can run.

A file is an .npz archive without pickled objects:

    header   (b,)  JSON as UTF-8: format, version, who wrote it, `root` and `objects` (see `plain_values`)
    digest   (64,) SHA-256 of the header and of all arrays, in hexadecimal: damage of any kind is found
    float64, int64, bool, ...  (n,) all arrays of that type, one after the other, in the order of `objects`

A world that was restored from one goes on to the same bits as from the snapshot itself.
"""

import hashlib
import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from stoss.containers import Arrays, loads, open_arrays
from stoss.declared import check, check_version
from stoss.engine.world.plain_values import DTYPES, Classes, Reader, Writer
from stoss.files import replaced
from stoss.identity import __version__

_Root = TypeVar("_Root")

__all__ = ["FORMAT", "FORMAT_VERSION", "read_snapshot", "write_snapshot"]

FORMAT = "stoss snapshot"
FORMAT_VERSION = 1


def write_snapshot(snapshot: object, path: str | Path, classes: Classes) -> None:
    """Write a snapshot, whose class is the root of `classes`, to an .npz file; see `Snapshot.write`."""
    if Path(path).suffix != ".npz":
        raise ValueError(f"path = {str(path)!r} must end in .npz")
    writer = Writer(classes)
    root = writer.plain(snapshot)
    header = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "written_by": {
            "stoss": __version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "root": root,
        "objects": writer.objects,
    }
    text = np.frombuffer(json.dumps(header, allow_nan=False).encode(), np.uint8)
    arrays = {name: np.concatenate(parts) for name, parts in sorted(writer.arrays.items())}
    with replaced(path) as file:
        content: dict[str, Any] = {"header": text, "digest": _digest(text, arrays), **arrays}
        np.savez_compressed(file, **content)


def read_snapshot(
    root: type[_Root], check: Callable[[_Root], None], path: str | Path, classes: Classes, most_bytes: int
) -> _Root:
    """Read a snapshot that was written by `write_snapshot`; see `Snapshot.read`.

    Args:
        root: the class of snapshots.
        check: raises ValueError where what was read is no state of a world.
        path, most_bytes: as there.
        classes: which the file may hold.
    """
    with open_arrays(path, "no snapshot of stoss", most_bytes) as file:
        header, arrays = _contents(file)
        reader = Reader(classes, header["objects"], arrays)
        snapshot = reader.value(header["root"])
        if not isinstance(snapshot, root):
            raise ValueError(f"it holds a {type(snapshot).__name__}")
        check(snapshot)
        return snapshot


def _contents(file: Arrays) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return header and arrays of a file whose digest is right.

    Raises:
        ValueError: it is of another format or version, or damaged.
    """
    names = {dtype.name: dtype for dtype in DTYPES}
    for name, wanted in (("header", np.uint8), ("digest", np.uint8), *names.items()):
        head = file.headers.get(name)
        if head is None and name in ("header", "digest"):
            raise ValueError(f"{name} is missing; write one with world.save().write(path)")
        if head is not None and (head.dtype != wanted or len(head.shape) != 1):
            raise ValueError(f"{name} is of type {head.dtype} and shape {head.shape}")
    for name in file.headers:
        if name not in names and name not in ("header", "digest"):
            raise ValueError(f"it holds {name!r}, which is not known")
    text = file.read("header")
    header = loads(text.tobytes().decode())
    check("header", header, dict)
    if header["format"] != FORMAT:
        raise ValueError(f"it is of format {str(header['format'])[:60]!r}")
    check_version(header["version"], FORMAT_VERSION)
    arrays = {name: file.read(name) for name in sorted(file.headers) if name in names}
    if file.read("digest").tobytes() != _digest(text, arrays).tobytes():
        raise ValueError("it was damaged or changed: its digest is that of other content")
    return header, arrays


def _digest(text: np.ndarray, arrays: dict[str, np.ndarray]) -> np.ndarray:
    digest = hashlib.sha256(text.tobytes())
    for name, array in arrays.items():
        digest.update(f"{name} {len(array)} ".encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return np.frombuffer(digest.hexdigest().encode(), np.uint8)

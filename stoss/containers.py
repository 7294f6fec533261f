"""Reading what others wrote: arrays in .npz files and JSON, within limits and before anything is built of it.

Nothing here runs code from a file: arrays are numbers or text, never pickled objects. What a file says of its
sizes is checked before memory is taken for it, and whatever is wrong is a `ValueError` of one line.
"""

import json
import math
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = ["MOST_BYTES", "MOST_JSON", "Arrays", "Header", "loads", "open_arrays", "read_json"]

# What a file may need in memory [bytes]: a motion of 100 bodies over half an hour at 10 ms has 1 GB.
MOST_BYTES = 1 << 30
MOST_JSON = 1 << 26
_MOST_MEMBERS = 100  # arrays in a file
_MOST_HEADER = 10_000  # bytes that say what an array is
_KINDS = "biufU"  # numbers and text
_CHUNK = 1 << 20


class Header(NamedTuple):
    """What an array is.

    Attributes:
        dtype, shape: of the array.
        columns_first: whether it lies column by column.
        begin: where its data begin [bytes].
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    columns_first: bool
    begin: int


class Arrays:
    """The arrays of an open .npz file.

    Attributes:
        headers: what each of them is, by name; their data are read later.
    """

    def __init__(self, file: zipfile.ZipFile, most_members: int = _MOST_MEMBERS) -> None:
        self._file = file
        self.headers: dict[str, Header] = {}
        members = file.infolist()
        if len(members) > most_members:
            raise ValueError(f"it holds {len(members)} arrays, more than {most_members}")
        for member in members:
            name = member.filename.removesuffix(".npy")
            if name == member.filename or name in self.headers:
                raise ValueError(f"{member.filename!r} is no array, or is there twice")
            self.headers[name] = self._header(member)

    @property
    def length(self) -> int:
        """Return how much memory all arrays need [bytes]."""
        return sum(math.prod(head.shape) * head.dtype.itemsize for head in self.headers.values())

    def _header(self, member: zipfile.ZipInfo) -> Header:
        if member.flag_bits & 1:
            raise ValueError(f"{member.filename!r} is encrypted")
        with self._file.open(member) as stream:
            version = np.lib.format.read_magic(stream)
            if version not in ((1, 0), (2, 0), (3, 0)):
                raise ValueError(f"{member.filename!r} is of another format of arrays")
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else _later_header
            shape, columns_first, dtype = read(stream, max_header_size=_MOST_HEADER)
            begin = stream.tell()
        name = member.filename
        if dtype.hasobject or dtype.kind not in _KINDS or dtype.fields is not None or dtype.subdtype:
            raise ValueError(f"{name!r} holds {dtype}, neither numbers nor text")
        if not dtype.isnative or any(length < 0 for length in shape) or len(shape) > 8:
            raise ValueError(f"{name!r} has the shape {shape} and type {dtype}, which stoss does not write")
        if math.prod(shape) * dtype.itemsize != member.file_size - begin:
            raise ValueError(f"{name!r} is said to have the shape {shape}, which its size does not fit")
        return Header(dtype, shape, columns_first, begin)

    def read(self, name: str) -> np.ndarray:
        """Return an array, whose check sum is right."""
        head = self.headers[name]
        length = math.prod(head.shape) * head.dtype.itemsize
        data, begin = np.empty(length, np.uint8), 0
        with self._file.open(f"{name}.npy") as stream:
            stream.read(head.begin)
            while begin < length:
                part = stream.read(min(_CHUNK, length - begin))
                if not part:
                    raise ValueError(f"{name!r} is cut short")
                data[begin : begin + len(part)] = np.frombuffer(part, np.uint8)
                begin += len(part)
            stream.read(1)  # to its end, where the check sum is compared
        out = data.view(head.dtype) if length else np.empty(math.prod(head.shape), head.dtype)
        return out.reshape(head.shape[::-1]).T.copy() if head.columns_first else out.reshape(head.shape)


def _later_header(stream: Any, max_header_size: int) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    return np.lib.format.read_array_header_2_0(stream, max_header_size=max_header_size)


@contextmanager
def open_arrays(
    path: str | Path, what: str, most_bytes: int = MOST_BYTES, most_members: int = _MOST_MEMBERS
) -> Iterator[Arrays]:
    """Open an .npz file.

    Args:
        path: the file.
        what: what messages call a file that is none, such as "no motion".
        most_bytes: how much memory its arrays may need.
        most_members: how many arrays it may hold.

    Raises:
        ValueError: it is none, is damaged or needs more memory, or who reads it raises ValueError.
        OSError: it cannot be read.
    """
    _check_file(path)
    with _one_line(path, what), zipfile.ZipFile(path) as file:
        arrays = Arrays(file, most_members)
        if arrays.length > most_bytes:
            raise ValueError(
                f"its arrays need {arrays.length / 1e9:.3g} GB of memory, more than the limit of "
                f"{most_bytes / 1e9:.3g} GB; allow more if you trust it (most_bytes, stoss replay --memory)"
            )
        yield arrays


def read_json(path: str | Path, what: str, use: Callable[[Any], Any], most_bytes: int = MOST_JSON) -> Any:
    """Read a JSON file and return what is made of it.

    Args:
        path: the file.
        what: what messages call a file that is none, such as "no session".
        use: makes something of its content; a ValueError that it raises is told as one of the file.
        most_bytes: how long the file may be.

    Raises:
        ValueError: it is none, is damaged or too long.
        OSError: it cannot be read.
    """
    _check_file(path)
    with _one_line(path, what):
        length = Path(path).stat().st_size
        if length > most_bytes:
            raise ValueError(
                f"it has {length / 1e6:.3g} MB, more than the limit of {most_bytes / 1e6:.3g} MB"
            )
        return use(loads(Path(path).read_bytes()))


def loads(text: bytes | str) -> Any:
    """Return what a JSON text says.

    Raises:
        ValueError: it says a name twice, or is no JSON.
    """
    try:
        return json.loads(text, object_pairs_hook=_no_name_twice)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a name stands there twice")
    return out


def _check_file(path: str | Path) -> None:
    if not Path(path).is_file():
        known = "no file" if Path(path).exists() else "not there"
        raise FileNotFoundError(f"{path} is {known}")


@contextmanager
def _one_line(path: str | Path, what: str) -> Iterator[None]:
    """Raise whatever damage does in libraries as one line that names the file."""
    try:
        yield
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except MemoryError:
        raise ValueError(f"{path}: {what}, it needs more memory than there is") from None
    except (
        *(ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, EOFError),
        *(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, SyntaxError, OSError),
    ) as error:
        told = error.args[0] if isinstance(error, KeyError) and error.args else error
        if isinstance(error, KeyError):
            told = f"{told!r} is missing"
        text = (
            "it is none of its files"
            if isinstance(error, zipfile.BadZipFile)
            else " ".join(str(told).split())
        )
        raise ValueError(f"{path}: {what}, {text[:300]}") from error

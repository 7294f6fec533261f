"""Reading meshes from files: what a file says of its sizes is checked before trimesh builds anything."""

import logging
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["MOST_BYTES", "load_mesh"]

MOST_BYTES = 1 << 30  # of a mesh file, and of what is packed in it

# What it says of damage besides the error goes to those who ask for it.
logging.getLogger("trimesh").addHandler(logging.NullHandler())

_STL_HEAD, _STL_TRIANGLE = 84, 50  # bytes


def load_mesh(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 3) [m] and triangles (m, 3) of a mesh in a file, of any format that trimesh reads.

    Raises:
        ValueError: there is no such file, it is damaged, too large, of another format, or holds no triangles.
    """
    if not Path(path).is_file():
        raise ValueError(f"path is {str(path)!r}; there is no such file")
    try:
        _check(Path(path))
        mesh = _read(path)
        vertices = np.array(mesh.vertices, dtype=np.float64)
        faces = np.array(mesh.faces, dtype=np.int64)
    except ImportError as error:
        if error.name in ("chardet", "charset_normalizer"):  # trimesh would guess how it is written
            raise ValueError(f"path is {str(path)!r}; the file is no text in UTF-8") from error
        raise ValueError(f"path is {str(path)!r}; to read such files install {error.name}") from error
    except Exception as error:  # whatever damage does in a reader of some format
        told = f"'{error.args[0]}' is not known" if isinstance(error, KeyError) and error.args else str(error)
        told = " ".join(told.split()) or type(error).__name__
        raise ValueError(f"path is {str(path)!r}; the file cannot be read as a mesh: {told[:300]}") from error
    if faces.ndim != 2 or len(faces) == 0:
        raise ValueError(f"path is {str(path)!r}; the file holds no triangles")
    if faces.shape[1:] != (3,) or vertices.ndim != 2 or vertices.shape[1:] != (3,):
        raise ValueError(f"path is {str(path)!r}; the file holds no triangles in space")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise ValueError(
            f"path is {str(path)!r}; its triangles name vertices {faces.min()} to {faces.max()}, but it has "
            f"{len(vertices)}"
        )
    if not np.isfinite(vertices).all():
        raise ValueError(f"path is {str(path)!r}; it has vertices that are not finite")
    return vertices, faces


def _read(path: str | Path) -> Any:
    import trimesh  # slow to import, needed for files only

    with np.errstate(all="ignore"):  # of numbers that are looked at below
        mesh = trimesh.load_mesh(str(path), skip_materials=True)
    if not hasattr(mesh, "faces"):
        raise ValueError("it holds no triangles")
    return mesh


def _check(path: Path) -> None:
    """Raise ValueError for files that are too large, cut short, or not what their name says."""
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise ValueError(f"it has {size / 1e9:.3g} GB, more than the limit of {MOST_BYTES / 1e9:.3g} GB")
    if size == 0:
        raise ValueError("it is empty")
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            unpacked = sum(member.file_size for member in packed.infolist())
        if unpacked > MOST_BYTES:
            raise ValueError(f"{unpacked / 1e9:.3g} GB are packed in it, more than {MOST_BYTES / 1e9:.3g} GB")
    if path.suffix.lower() == ".stl":
        _check_stl(path, size)


def _check_stl(path: Path, size: int) -> None:
    """Raise ValueError unless the file is as long as its head says, or a text with its end."""
    with path.open("rb") as file:
        head = file.read(_STL_HEAD)
        file.seek(max(0, size - 1024))
        tail = file.read()
    if len(head) == _STL_HEAD:
        (count,) = struct.unpack("<I", head[80:])
        if size == _STL_HEAD + _STL_TRIANGLE * count:
            return
    if head.lstrip()[:5].lower() == b"solid" and b"\0" not in head:
        if b"endsolid" not in tail.lower():
            raise ValueError("it is an STL text without its end, 'endsolid'")
        return
    if len(head) < _STL_HEAD:
        raise ValueError(f"an STL file has {_STL_HEAD} bytes at least, this one {size}")
    wanted = _STL_HEAD + _STL_TRIANGLE * count
    raise ValueError(f"an STL file of {count} triangles, as it says, has {wanted} bytes, this one {size}")

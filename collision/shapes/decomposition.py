"""Convex decomposition of closed meshes, by CoACD, kept beside the mesh file.

CoACD (Wei, Liu, Ling, Su: Approximate Convex Decomposition for 3D Meshes with Collision-Aware Concavity and
Tree Search, ACM Transactions on Graphics 41, 2022) cuts a mesh until the convex hull of each part is near
enough to it. That takes seconds to minutes, so the parts are stored.
"""

import hashlib
import warnings
from pathlib import Path

import numpy as np

from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.containers import open_arrays
from stoss.errors import FileError
from stoss.files import replaced
from stoss.names import takes_names

__all__ = ["decompose"]

_FORMAT = 1  # of the stored parts


@takes_names
def decompose(
    mesh: TriangleMesh | str | Path,
    threshold: float = 0.05,
    *,
    most_parts: int | None = None,
    cache: bool = True,
    seed: int = 0,
) -> list[ConvexHull]:
    """Return convex hulls that fill a closed mesh, as parts of a body: `world.add_body(decompose(...))`.

    Args:
        mesh: the mesh, or a file with it (any format trimesh reads), in metres.
        threshold: largest concavity of a part, relative to the size of the mesh, 0.01 to 1: smaller means
            more parts that fit better.
        most_parts: largest number of parts; they fit worse if more were needed. None for no limit.
        cache: keep the parts of a mesh file beside it, as FILE.CODE.npz, where the code stands for the
            mesh and all arguments, and use what is kept there. A folder that cannot be written gives a
            warning. A mesh that is no file is not kept.
        seed: of CoACD's search.

    Raises:
        ImportError: coacd is not installed and the parts are not kept.
        ValueError: the mesh is open, or an argument is out of range.
        TypeError: `mesh` is neither a mesh nor a path.
    """
    if not 0.01 <= threshold <= 1.0:
        raise ValueError(
            f"threshold is {threshold}; give a share of the size from 0.01 (exact) to 1 (coarse)"
        )
    if most_parts is not None and most_parts < 1:
        raise ValueError(f"most_parts is {most_parts}; give a number from 1, or None for no limit")
    if seed < 0:
        raise ValueError(f"seed is {seed}; give a number from 0")
    if isinstance(mesh, str | Path):
        path: Path | None = Path(mesh)
        mesh = TriangleMesh.from_file(mesh)
    elif isinstance(mesh, TriangleMesh):
        path = None
    else:
        raise TypeError(f"mesh is {mesh!r}; give a TriangleMesh or the path of a file")
    vertices, faces = _joined(mesh)
    _check_closed(faces)
    options = (_FORMAT, float(threshold), most_parts, int(seed))
    store = None
    if cache and path is not None:
        code = hashlib.sha256(repr((options, vertices.shape, faces.shape)).encode())
        code.update(vertices.tobytes() + faces.tobytes())
        store = path.with_name(f"{path.name}.{code.hexdigest()[:16]}.npz")
        parts = _read(store)
        if parts is not None:
            return [ConvexHull(points) for points in parts]
    parts = _cut(vertices, faces, threshold, -1 if most_parts is None else most_parts, seed)
    if store is not None:
        _write(store, parts)
    return [ConvexHull(points) for points in parts]


def _joined(mesh: TriangleMesh) -> tuple[np.ndarray, np.ndarray]:
    """Return the mesh with equal vertices as one and without triangles that are lines."""
    vertices, number = np.unique(mesh.vertices, axis=0, return_inverse=True)
    faces = number.reshape(-1)[mesh.faces].astype(np.int64)
    a, b, c = faces.T
    return vertices, np.ascontiguousarray(faces[(a != b) & (b != c) & (c != a)])


def _check_closed(faces: np.ndarray) -> None:
    """Raise unless every edge is passed as often in one direction as in the other."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    ahead = edges[:, 0] < edges[:, 1]
    _, number = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    balance = np.bincount(number.reshape(-1), np.where(ahead, 1.0, -1.0))
    if (balance != 0.0).any():
        raise ValueError(
            f"mesh is open: {int((balance != 0.0).sum())} edges have a triangle on one side only, or "
            "triangles that are turned inside out; close it (trimesh: fill_holes, fix_normals), or give the "
            "no convex parts"
        )


def _cut(
    vertices: np.ndarray, faces: np.ndarray, threshold: float, most_parts: int, seed: int
) -> list[np.ndarray]:
    """Return the corners (n, 3) of each part."""
    try:
        import coacd
    except ImportError as error:
        raise ImportError(
            "decompose needs coacd, which is not installed: pip install 'stoss[decomposition]'"
        ) from error
    coacd.set_log_level("error")
    parts = coacd.run_coacd(
        coacd.Mesh(vertices, faces), threshold=threshold, max_convex_hull=most_parts, seed=seed
    )
    return [np.array(points, dtype=np.float64) for points, _ in parts]


def _read(store: Path) -> list[np.ndarray] | None:
    """Return the parts that are kept in a file, None if there are none or the file is damaged."""
    try:
        with open_arrays(store, "no convex parts") as content:
            points, starts = content.read("points"), content.read("starts")
    except (OSError, ValueError):
        return None  # it will be made anew
    plain = points.ndim == 2 and points.shape[1] == 3 and points.dtype == np.float64 and starts.ndim == 1
    if not (plain and starts.dtype == np.int64 and len(starts) > 1 and np.isfinite(points).all()):
        return None
    if starts[0] != 0 or starts[-1] != len(points) or (np.diff(starts) < 4).any():
        return None
    return [points[a:b] for a, b in zip(starts[:-1], starts[1:], strict=True)]


def _write(store: Path, parts: list[np.ndarray]) -> None:
    """Keep the parts; a reader at the same time sees all of the file or nothing."""
    starts = np.cumsum([0] + [len(points) for points in parts], dtype=np.int64)
    try:
        with replaced(store) as file:
            np.savez_compressed(file, points=np.concatenate(parts), starts=starts)
    except FileError as error:
        warnings.warn(
            f"the convex parts could not be kept and will be computed again next time ({error}); make the "
            "folder writable, or say cache=False",
            stacklevel=3,
        )

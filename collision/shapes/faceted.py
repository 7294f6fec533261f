"""Shapes of corners and faces: convex hulls and triangle meshes."""

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import ClassVar

import numpy as np

from stoss.collision.plain_numbers import flag
from stoss.collision.quaternions import Vector
from stoss.collision.shapes.checks import mesh_corners, triangles, with_area
from stoss.collision.shapes.hull_geometry import hull_polygons, polyhedron_moments
from stoss.collision.shapes.kinds import HULL, MESH
from stoss.collision.shapes.mesh_files import load_mesh
from stoss.collision.shapes.shapes import Shape
from stoss.collision.shapes.winding import check_winding, turned_alike
from stoss.names import closed

__all__ = ["ConvexHull", "TriangleMesh"]


@closed
@dataclass(frozen=True, eq=False)
class ConvexHull(Shape):
    """The convex hull of points.

    Args:
        vertices: points (n, 3) [m]; those that are no corners of the hull are dropped.

    Attributes:
        faces: flat faces as polygons: arrays of vertex numbers, counter-clockwise seen from outside.
    """

    kind: ClassVar[int] = HULL
    vertices: np.ndarray
    faces: tuple[np.ndarray, ...] = field(init=False, repr=False)
    _moments: tuple[float, np.ndarray, np.ndarray] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        points = mesh_corners(
            "ConvexHull", self.vertices, "at least four points that do not lie in one plane", least=4
        )
        polygons = hull_polygons(points)
        corners = np.unique(np.concatenate(polygons))
        renumber = np.full(len(points), -1)
        renumber[corners] = np.arange(len(corners))
        vertices = np.ascontiguousarray(points[corners])
        vertices.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", tuple(renumber[polygon] for polygon in polygons))
        object.__setattr__(self, "_moments", polyhedron_moments(vertices, self.faces))

    def check_restored(self) -> None:
        """Raise ValueError unless faces and moments that were read with the vertices are those of a solid."""
        edges = set()
        for face in self.faces:
            if face.dtype != np.int64 or face.ndim != 1 or len(face) < 3:
                raise ValueError("ConvexHull: a face is no polygon")
            if face.min() < 0 or face.max() >= len(self.vertices):
                raise ValueError(f"ConvexHull: a face names vertices {face.min()} to {face.max()}")
            corners = face.tolist()
            edges |= set(zip(corners, [*corners[1:], corners[0]], strict=True))
        if len(edges) != sum(map(len, self.faces)) or edges != {(b, a) for a, b in edges}:
            raise ValueError("ConvexHull: the faces do not close")
        volume, centroid, moments = polyhedron_moments(self.vertices, self.faces)
        given = [*map(np.asarray, self._moments)]
        for found, right in zip(given, (np.array(volume), centroid, moments), strict=True):
            if not np.allclose(found, right, rtol=1e-9, atol=1e-9 * np.abs(right).max()):
                raise ValueError("ConvexHull: the moments are not those of its faces")

    @cached_property
    def content(self) -> bytes:
        """Return what tells hulls of other geometry apart: equal ones share their place in tables."""
        sizes = np.array([len(face) for face in self.faces])
        return _digest("hull", self.vertices, sizes, np.concatenate(self.faces))

    @classmethod
    def from_file(cls, path: str | Path) -> "ConvexHull":
        """Return the convex hull of the mesh in a file (any format trimesh reads).

        Args:
            path: STL, OBJ, PLY, OFF, GLB or glTF.
        """
        return cls(load_mesh(path)[0])

    @property
    def volume(self) -> float:
        """Return the volume [m^3]."""
        return self._moments[0]

    @property
    def centroid(self) -> np.ndarray:
        """Return the centre of volume (3,) [m]."""
        return self._moments[1].copy()

    @property
    def axis_moments(self) -> Vector:
        """Raise ValueError: see `second_moment`."""
        raise ValueError("ConvexHull has products of inertia too: use second_moment")

    @property
    def second_moment(self) -> np.ndarray:
        """Return the inertia tensor (3, 3) about the centroid for density 1 [m^5]."""
        return self._moments[2].copy()


@closed
@dataclass(frozen=True, eq=False)
class TriangleMesh(Shape):
    """A triangle mesh: terrain and other scenery, static bodies only.

    A mesh is a skin with one free side: bodies touch it from where its triangles are counter-clockwise, and
    come through it from behind. Moving non-convex bodies are compounds of convex parts.

    Args:
        vertices: points (n, 3) [m].
        faces: triangles (m, 3) as vertex numbers, counter-clockwise seen from outside.
        two_sided: let both sides be touched: for sheets, rooms seen from within and triangles wound anyhow.

    Raises:
        ValueError: neighbouring triangles are wound in opposite senses, or a closed surface faces inwards,
            and it is not two-sided.
    """

    kind: ClassVar[int] = MESH
    vertices: np.ndarray
    faces: np.ndarray
    two_sided: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "two_sided", flag("TriangleMesh: two_sided", self.two_sided))
        vertices = mesh_corners("TriangleMesh", self.vertices, "the corners of triangles")
        faces = triangles("TriangleMesh: faces", self.faces, len(vertices))
        if self.two_sided:
            faces = turned_alike(vertices, faces)
        else:
            check_winding("TriangleMesh", vertices, faces, ", or pass two_sided=True to have both sides free")
        vertices.setflags(write=False)
        faces.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)

    @cached_property
    def has_area(self) -> bool:
        """Return whether any triangle has an area beyond rounding; others are left out of collisions."""
        return bool(with_area(self.vertices, self.faces).any())

    @cached_property
    def content(self) -> bytes:
        """Return what tells meshes of other geometry apart: equal ones share their place in tables."""
        return _digest(f"mesh, two-sided: {self.two_sided}", self.vertices, self.faces)

    @classmethod
    def from_file(cls, path: str | Path, *, two_sided: bool = False) -> "TriangleMesh":
        """Return the mesh in a file (any format trimesh reads).

        Args:
            path: STL, OBJ, PLY, OFF, GLB or glTF.
            two_sided: whether bodies are held on both sides, as by a sheet.
        """
        return cls(*load_mesh(path), two_sided)


def _digest(what: str, *arrays: np.ndarray) -> bytes:
    digest = blake2b(what.encode(), digest_size=16)
    for array in arrays:
        digest.update(str((array.shape, array.dtype)).encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.digest()

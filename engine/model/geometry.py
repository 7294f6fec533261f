"""Shapes of a model as the collision detection has them, each mesh once."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from stoss.collision.plain_numbers import shown
from stoss.collision.quaternions import length
from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.hull_geometry import polyhedron_moments
from stoss.collision.shapes.mesh_files import load_mesh
from stoss.collision.shapes.shapes import HalfSpace, Shape
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.kinds import SHAPES, arguments, given
from stoss.engine.model.mesh_cache import kept
from stoss.names import hint

__all__ = ["Geometry", "loaded"]

_UNIT = 1e-15  # directions that miss the length one by less are rounded ones, and stay as they are
_SAME_VOLUME = 1e-9  # relative: faces that enclose less than the hull are those of a mesh with hollows


class Geometry:
    """Make the shapes of a model; bodies that name the same mesh share its geometry.

    Args:
        meshes: of the model.
    """

    def __init__(self, meshes: Iterable[records.Mesh]) -> None:
        self._records = {one.name: one for one in meshes}
        self._meshes: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self._shapes: dict[tuple[Any, ...], Shape] = {}

    def shape(self, record: records.Shape) -> Shape:
        """Return the shape of a record, without its place.

        Raises:
            ModelError, ValueError, TypeError: names what is wrong.
        """
        values = given(record, records.Shape)
        for name, needed in arguments(records.Shape, record.type).items():
            if needed and name not in values:
                raise ModelError(f"{name} is missing; a {record.type} needs it")
        if "mesh" in values:
            return self._of_mesh(record.type, **values)
        made: Shape = SHAPES[record.type](**values)
        if isinstance(made, HalfSpace) and record.normal is not None:
            if abs(length(record.normal) - 1.0) <= _UNIT:
                object.__setattr__(made, "normal", tuple(map(float, record.normal)))
        return made

    def _of_mesh(self, kind: str, mesh: str, two_sided: bool = False) -> Shape:
        key = (kind, mesh, two_sided)
        if key not in self._shapes:
            record = self._records.get(mesh)

            def make() -> Shape:
                vertices, faces = self.mesh(mesh)
                if kind == "convex_hull":
                    return _hull(vertices, self._records[mesh].faces)
                return TriangleMesh(vertices, faces, two_sided=two_sided)

            if record is None or record.file is None:
                self._shapes[key] = make()
            else:
                self._shapes[key] = kept(record.file, (record.scale, kind, two_sided), make)
        return self._shapes[key]

    def mesh(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return vertices (n, 3) [m] and triangles (m, 3) of a mesh.

        Raises:
            ModelError, ValueError: there is no such mesh, or its file cannot be read.
        """
        if name not in self._records:
            known = ", ".join(self._records) or "none"
            raise ModelError(
                f"mesh = {name!r} is unknown{hint(name, self._records)}; there are {known}: "
                "add it to [meshes]"
            )
        if name not in self._meshes:
            self._meshes[name] = loaded(self._records[name])
        return self._meshes[name]


def loaded(record: records.Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 3) [m] and triangles (m, 3) of a mesh.

    Raises:
        ModelError, ValueError: it has neither file nor vertices, or the file cannot be read.
    """
    if (record.file is None) == (not record.vertices):
        have = "neither file nor" if record.file is None else "both file and"
        raise ModelError(f"mesh {record.name!r} has {have} vertices; give one of them")
    if record.file is not None:
        file = record.file
        vertices, faces = kept(file, (), lambda: load_mesh(file))
    else:
        vertices, faces = np.array(record.vertices), _triangles(record)
    if record.scale != (1.0, 1.0, 1.0):
        scale = np.array(record.scale)
        if not (np.isfinite(scale).all() and scale.all()):
            raise ModelError(f"mesh {record.name!r}: scale = {shown(record.scale)} must not be zero")
        vertices = vertices * scale
        if scale.prod() < 0.0:  # a mirror turns triangles inside out
            faces = faces[:, ::-1].copy()
    return vertices, faces


def _triangles(record: records.Mesh) -> np.ndarray:
    """Return the polygons of a mesh as triangles."""
    found = []
    for number, polygon in enumerate(record.faces):
        if len(polygon) < 3 or min(polygon) < 0 or max(polygon) >= len(record.vertices):
            raise ModelError(
                f"mesh {record.name!r}: faces[{number}] = {shown(polygon)} is no polygon of "
                f"{len(record.vertices)} vertices; give at least three of their numbers, from 0"
            )
        found += [(polygon[0], b, c) for b, c in zip(polygon[1:-1], polygon[2:], strict=True)]
    return np.array(found, np.int64).reshape(-1, 3)


def _hull(vertices: np.ndarray, polygons: tuple[tuple[int, ...], ...]) -> ConvexHull:
    """Return a hull; with the very faces that are given, which another search may find in another order.

    Faces that are not those of the hull are those of a mesh whose hull is meant.
    """
    made = ConvexHull(vertices)
    if len(polygons) != len(made.faces) or len(vertices) != len(made.vertices):
        return made
    if tuple(tuple(face.tolist()) for face in made.faces) == polygons:
        return made
    points = np.ascontiguousarray(vertices)
    points.setflags(write=False)
    faces = tuple(np.array(polygon, np.int64) for polygon in polygons)
    kept: ConvexHull = object.__new__(ConvexHull)
    values = {"vertices": points, "faces": faces, "_moments": polyhedron_moments(points, faces)}
    for name, value in values.items():
        object.__setattr__(kept, name, value)
    try:
        kept.check_restored()
    except ValueError:  # a mesh that is open
        return made
    return kept if abs(kept.volume - made.volume) <= _SAME_VOLUME * made.volume else made

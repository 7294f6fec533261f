"""Meshes that a model names in files: found, looked at once, and named in its records."""

from collections.abc import Iterable
from pathlib import Path

from stoss.collision.quaternions import Vector
from stoss.collision.shapes.faceted import ConvexHull
from stoss.engine.exchange.xml_tree import Element
from stoss.engine.model.errors import ModelError
from stoss.engine.model.folders import Folders
from stoss.engine.model.geometry import Geometry
from stoss.engine.model.records import Body, Mesh, Shape

__all__ = ["MeshFiles"]


class MeshFiles:
    """The mesh files of a model.

    Args:
        folders: where files are found.
        missing: "error": what is not there is an error; "skip": it is left out.

    Attributes:
        records: meshes by name.
        hulls: convex hulls by the names of their meshes.
        skipped: what was left out, a line each.
    """

    def __init__(self, folders: Folders, missing: str = "error") -> None:
        if missing not in ("error", "skip"):
            raise ModelError(f"missing = {missing!r}; give 'error' or 'skip'")
        self._folders, self._missing = folders, missing
        self.records: dict[str, Mesh] = {}
        self.hulls: dict[str, ConvexHull | None] = {}
        self.skipped: list[str] = []
        self._names: dict[tuple[Path, Vector], str] = {}
        self._drawn: dict[str, bool] = {}

    def named(self, element: Element, name: str, scale: Vector, of: str, hull: bool) -> str | None:
        """Return the name of a mesh in the records; None where it is left out, which `skipped` tells.

        Args:
            element: that names the file, for messages.
            name: of the file.
            scale: factors along x, y, z.
            of: whose mesh it is, for `skipped`.
            hull: whether its convex hull is needed.

        Raises:
            ModelError: there is no such file, it may not be read, or it holds no mesh.
        """
        if not all(scale):
            raise element.error(f"scale = {scale} is zero along an axis")
        try:
            path = self._folders.find(name)
        except ModelError as error:
            if self._missing == "skip":
                self.skipped.append(f"{of}: mesh {name!r}, which was not found or may not be read")
                return None
            raise element.error(str(error)) from None
        key = path, scale
        if key not in self._names:
            self._names[key] = self._new_name(path)
            self.records[self._names[key]] = Mesh(name=self._names[key], file=str(path), scale=scale)
        found = self._names[key]
        if hull:
            return None if self._hull(found, of) is None else found
        return found if self._is_readable(found, of) else None

    def used(self, bodies: Iterable[Body]) -> tuple[Mesh, ...]:
        """Return the meshes that shapes of bodies name."""
        named = {shape.mesh for body in bodies for shape in (*body.shapes, *body.display)}
        return tuple(mesh for mesh in self.records.values() if mesh.name in named)

    def _new_name(self, path: Path) -> str:
        name, number = path.stem, 2
        while name in self.records:
            name, number = f"{path.stem} {number}", number + 1
        return name

    def _hull(self, name: str, of: str) -> ConvexHull | None:
        """Return the convex hull of a mesh, None where it is left out."""
        if name not in self.hulls:
            self.hulls[name] = None
            try:
                found = Geometry(self.records.values()).shape(Shape(type="convex_hull", mesh=name))
                assert isinstance(found, ConvexHull)
                self.hulls[name] = found
            except (ValueError, TypeError) as error:
                self.skipped.append(f"{of}: collision mesh {name!r}: {error}")
        return self.hulls[name]

    def _is_readable(self, name: str, of: str) -> bool:
        """Return whether a mesh that is only drawn can be; the others are left out."""
        if name not in self._drawn:
            try:
                shape = Shape(type="triangle_mesh", mesh=name, two_sided=True)
                Geometry(self.records.values()).shape(shape)
                self._drawn[name] = True
            except (ValueError, TypeError) as error:
                self._drawn[name] = False
                self.skipped.append(f"{of}: mesh {name!r}, which is only drawn: {error}")
        return self._drawn[name]

"""Meshes that a model names in files: found, looked at once, and named in its records."""

from pathlib import Path

import numpy as np

from stoss.collision.quaternions import Vector
from stoss.collision.shapes.mesh_files import load_mesh
from stoss.collision.shapes.shapes import ConvexHull
from stoss.engine.exchange.folders import Folders
from stoss.engine.exchange.xml_tree import Element
from stoss.engine.model.errors import ModelError
from stoss.engine.model.records import Mesh

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
        if hull and self._hull(found, path, scale, of) is None:
            return None
        return found

    def _new_name(self, path: Path) -> str:
        name, number = path.stem, 2
        while name in self.records:
            name, number = f"{path.stem} {number}", number + 1
        return name

    def _hull(self, name: str, path: Path, scale: Vector, of: str) -> ConvexHull | None:
        """Return the convex hull of a mesh, None where it is left out."""
        if name not in self.hulls:
            try:
                self.hulls[name] = ConvexHull(load_mesh(path)[0] * np.array(scale))
            except (ValueError, TypeError) as error:
                self.hulls[name] = None
                self.skipped.append(f"{of}: collision mesh {path.name!r}: {error}")
        return self.hulls[name]

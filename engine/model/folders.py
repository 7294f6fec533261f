"""Files that a model names: where they are, and which of them may be opened."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from stoss.engine.model.errors import ModelError

__all__ = ["Folders"]

LONGEST = 1000  # characters of a name
SKIP = "or leave out what is not there by missing='skip'"


class Folders:
    """Find the files that a model names, in its folder or below, and where else that is allowed.

    `package://arm/meshes/link.stl` is looked for in the package to which the model belongs (a folder `arm`
    with a file package.xml, which holds the model), in folders `arm` beside it, and where that is allowed.

    Args:
        path: file of the model.
        allowed: further folders from which files may be read; those of packages are found by them too.
        cure: for a file that is not there.
    """

    def __init__(self, path: Path, allowed: Iterable[str | Path] = (), cure: str = SKIP) -> None:
        self.path = path.resolve()
        if isinstance(allowed, str | Path):
            allowed = (allowed,)
        self._cure = cure
        self._allowed = [Path(folder).resolve() for folder in allowed]
        for folder in self._allowed:
            if not folder.is_dir():
                raise ModelError(f"folders: {str(folder)!r} is no folder")

    @property
    def folder(self) -> Path:
        """Return the folder of the model."""
        return self.path.parent

    def find(self, name: str, beside: str = "") -> Path:
        """Return the path of a file.

        Args:
            name: as the model has it.
            beside: folder, as the model has it, in which the format says that names begin.

        Raises:
            ModelError: there is no such file, or it is where files may not be read.
        """
        text = name.strip().replace("\\", "/")
        if not text or "\0" in text or len(text) > LONGEST:
            raise ModelError(f"{name[:80]!r} is no name of a file")
        scheme, separator, rest = text.partition("://")
        if not separator:
            return self._path(text, self.folder / beside / text)
        if scheme in ("package", "model"):
            return self._in_package(text, unquote(rest))
        if scheme == "file":
            return self._path(text, Path(unquote(rest)))
        raise ModelError(f"{text!r}: only package://, file:// and paths are read")

    def _path(self, name: str, place: Path) -> Path:
        """Return the path of a file in the model's folder, or in one that is allowed."""
        found = _resolved(name, place)
        if not any(found.is_relative_to(folder) for folder in (self.folder, *self._allowed)):
            raise ModelError(
                f"{name!r} is outside of the model's folder {str(self.folder)!r}; if you trust the model, "
                f"allow it by folders=[{str(found.parent)!r}]"
            )
        if not found.is_file():
            raise ModelError(f"there is no file {name!r}, looked for at {str(found)!r}; {self._cure}")
        return found

    def _in_package(self, name: str, rest: str) -> Path:
        """Return the path of a file in a package."""
        parts = [part for part in PurePosixPath(rest).parts if part != "/"]
        if len(parts) < 2 or ".." in parts:
            raise ModelError(f"{name!r} must name a package and a file in it, without '..'")
        package, inner = parts[0], Path(*parts[1:])
        # the package that the model itself belongs to, which may be read as a whole
        own = [one for one in self.path.parents if one.name == package and (one / "package.xml").is_file()]
        roots = [*own, *(one for one in self._allowed if one.name == package)]
        # models are often shipped without the folder that names their package
        for folder in (self.folder, *self._allowed):
            roots += [folder / package, folder]
        for root in roots:
            found = _resolved(name, root / inner)
            if found.is_file() and found.is_relative_to(root.resolve()):
                return found
        raise ModelError(
            f"there is no file {name!r}; give folders=[...] with the folder that holds the package "
            f"{package!r}, {self._cure}"
        )


def _resolved(name: str, place: Path) -> Path:
    try:
        return place.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(f"{name!r} is no name of a file: {error}") from error

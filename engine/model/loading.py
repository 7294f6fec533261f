"""Files of models: which there are, what they include, and what they may not."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from stoss.collision.plain_numbers import shown
from stoss.engine.model import json_files, toml_files, xml_files
from stoss.engine.model.errors import ModelError
from stoss.engine.model.model_data import ModelData
from stoss.engine.model.origin import Lines, Origin, Place
from stoss.engine.model.reading import read_model
from stoss.names import hint
from stoss.plugins import format_plugin

__all__ = ["FORMATS", "IMPORTS", "MOST_BYTES", "load_model", "loads_model"]

MOST_BYTES = 256 * 1024 * 1024  # of the file of a model
DEEPEST = 20  # files that include one another
FORMATS = (".toml", ".json", ".xml")

# Formats of others, which another room reads; loaded when it is needed.
IMPORTS = (".urdf", ".mjcf", ".dat", ".usd", ".usda", ".usdc")
_READER = "stoss.engine.exchange"
_FOREIGN = ("mujoco", "mujocoinclude", "robot")  # first elements of XML that is of others

_Model = TypeVar("_Model", bound=ModelData)

_NAMED = ("params", "materials", "meshes", "bodies", "markers", "joints", "coordinates", "forces", "models")
_LISTS = ("material_pairs", "exclude")
_TABLES = ("world", "initial", "record", "camera")


def load_model(
    kind: type[_Model],
    path: str | Path,
    folder: str | Path | None,
    most_bytes: int,
    options: dict[str, Any],
    *,
    check: bool = True,
) -> _Model:
    """Read a model from a file; see `Model.load`.

    Args:
        kind: the class of models.
        path, folder, most_bytes, options: as there.
        check: whether to refuse a model that names what is not in it, which an editor takes in and mends.
    """
    place = Path(path)
    suffix = place.suffix.lower()
    if suffix == ".xacro":
        made = place.stem if place.stem.endswith(".urdf") else f"{place.stem}.urdf"
        raise ModelError(f"{place}: xacro runs code to make URDF; let it: xacro {place.name} > {made}")
    if suffix not in (*FORMATS, *IMPORTS):
        plugin = format_plugin(suffix, "load")
        if plugin is not None:
            _readable(place, most_bytes)
            read: _Model = plugin.load(place, **options)
            return read
        known = [*FORMATS, *IMPORTS]
        what = f"a file {suffix}" if suffix else "a file without an ending"
        raise ModelError(f"{place}: {what} is no model{hint(suffix, known)}; known: {', '.join(known)}")
    _readable(place, most_bytes)
    if suffix in IMPORTS or (suffix == ".xml" and xml_files.root_of(place) in _FOREIGN):
        if folder is not None:
            options = {"folders": [folder], **options}
        found: _Model = import_module(_READER).import_model(place, **options)
        return found
    if options:
        raise ModelError(f"{place}: a model in {suffix} has no option {', '.join(options)}")
    root = (place.parent if folder is None else Path(folder)).resolve()
    with _uncollected():
        return _Loader(kind, root, most_bytes, check).load(place, ())


def loads_model(
    kind: type[_Model], text: str, format: str, folder: str | Path | None, *, check: bool = True
) -> _Model:
    """Read a model from a text; see `Model.loads`, and for `kind` and `check` `load_model`."""
    suffix = f".{format.removeprefix('.')}"
    if suffix not in FORMATS:
        raise ModelError(f"format = {format!r} is unknown; choose one of toml, json, xml")
    root = None if folder is None else Path(folder).resolve()
    loader = _Loader(kind, root, MOST_BYTES, check)
    with _uncollected():
        return loader.model(_parsed(text, suffix, None), root or Path(), ())


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let no garbage be looked for meanwhile: a large file makes a million things, and all of them stay."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@dataclass
class _Document:
    """What one file says, and where."""

    tree: Any
    origin: Origin


def _parsed(text: str, suffix: str, path: Path | None) -> _Document:
    """Return what a text says."""
    lines: Lines
    try:
        if suffix == ".xml":
            tree, lines = xml_files.parse(text)
        elif suffix == ".json":
            tree, lines = json_files.parse(text), json_files.line_of
        else:
            tree, lines = toml_files.parse(text), toml_files.line_of
    except ModelError as error:
        raise Origin(path).error((), str(error)) from error
    return _Document(tree, Origin(path, text, lines))


def _readable(path: Path, most_bytes: int) -> int:
    """Return the size of a file that can be read.

    Raises:
        ModelError: it is not there, no file, or too large.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ModelError(f"{path}: it cannot be read: {(error.strerror or str(error)).lower()}") from error
    if not path.is_file():
        raise ModelError(f"{path}: it is no file; give the file of a model")
    if size > most_bytes:
        raise ModelError(
            f"{path}: it has {size / 1e6:.4g} MB, more than the limit of {most_bytes / 1e6:.4g} MB; give "
            "Model.load a larger most_bytes"
        )
    return size


class _Loader(Generic[_Model]):
    """Read a file with all that it names.

    Args:
        kind: the class of models.
        root: folder in which all files must be; None: there are none.
        most_bytes: of each file.
        check: whether to refuse a model that names what is not in it.
    """

    def __init__(self, kind: type[_Model], root: Path | None, most_bytes: int, check: bool) -> None:
        self.kind, self.root, self.most_bytes, self.check = kind, root, most_bytes, check

    def load(self, path: Path, stack: tuple[Path, ...]) -> _Model:
        document = self.document(path)
        return self.model(document, path.parent, (*stack, path.resolve()))

    def document(self, path: Path) -> _Document:
        """Return what a file says, without what it includes."""
        _readable(path, self.most_bytes)
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            raise ModelError(f"{path}: it is no text in UTF-8: byte {error.start} is {byte:#x}") from None
        except OSError as error:
            raise ModelError(
                f"{path}: it cannot be read: {(error.strerror or str(error)).lower()}"
            ) from error
        return _parsed(text, path.suffix.lower(), path)

    def model(self, document: _Document, folder: Path, stack: tuple[Path, ...]) -> _Model:
        """Return the model of a document with what it includes and the models within it."""
        tree, origin = document.tree, document.origin
        if isinstance(tree, dict):
            self.complete(tree, origin, folder, stack)
        return read_model(self.kind, tree, origin, check=self.check)

    def complete(self, tree: dict[str, Any], origin: Origin, folder: Path, stack: tuple[Path, ...]) -> None:
        """Find the files that a document names, and take in what it includes."""
        self.find_files(tree, origin, folder, stack)
        includes = tree.pop("include", [])
        if isinstance(includes, str):
            includes = [includes]
        if not isinstance(includes, list):
            raise origin.error(("include",), f"include = {shown(includes)} must be a list of files")
        for number, name in enumerate(includes):
            place: Place = ("include", number)
            path = self.file(name, origin, place, folder, stack)
            inner = self.document(path)
            if not isinstance(inner.tree, dict):
                raise inner.origin.error((), "it is no model; write tables such as [bodies.box]")
            self.complete(inner.tree, inner.origin, path.parent, (*stack, path))
            _take_in(tree, origin, inner)

    def find_files(self, tree: dict[str, Any], origin: Origin, folder: Path, stack: tuple[Path, ...]) -> None:
        """Read models within the model, and find the files of meshes."""
        meshes, models = tree.get("meshes"), tree.get("models")
        for name, mesh in meshes.items() if isinstance(meshes, dict) else ():
            if isinstance(mesh, dict) and "file" in mesh:
                place: Place = ("meshes", name, "file")
                mesh["file"] = str(self.file(mesh["file"], origin, place, folder, stack, suffixes=()))
        for name, sub in models.items() if isinstance(models, dict) else ():
            if isinstance(sub, dict):
                sub["model"] = self.within(sub, origin, ("models", name), folder, stack)

    def within(
        self, sub: dict[str, Any], origin: Origin, place: Place, folder: Path, stack: tuple[Path, ...]
    ) -> _Model:
        """Return the model within a model that a table names or holds."""
        if ("file" in sub) == ("model" in sub):
            have = "both file and" if "file" in sub else "neither file nor"
            raise origin.error(place, f"it has {have} model; give one of them")
        if len(stack) > DEEPEST:
            raise origin.error(place, f"models within one another deeper than {DEEPEST}")
        if "file" in sub:
            path = self.file(sub["file"], origin, (*place, "file"), folder, stack)
            sub["file"] = str(path)
            return self.load(path, stack)
        inner = _Document(sub["model"], origin.within((*place, "model")))
        return self.model(inner, folder, (*stack, Path()))

    def file(
        self,
        name: Any,
        origin: Origin,
        place: Place,
        folder: Path,
        stack: tuple[Path, ...],
        suffixes: tuple[str, ...] = FORMATS,
    ) -> Path:
        """Return the file that is named, if it is there and where it may be.

        Raises:
            ModelError: it is not, or it names itself in a circle.
        """
        if not isinstance(name, str) or not name or "\0" in name:
            raise origin.error(place, f"{shown(name)} must be the name of a file")
        if self.root is None:
            raise origin.error(
                place, f"{name!r}: a text has no folder; give Model.loads the folder in which its files are"
            )
        path = Path(os.path.realpath(folder / name))
        if not path.is_relative_to(self.root):
            raise origin.error(
                place,
                f"{name!r} is outside of {self.root}, the folder of the model; move it there, or allow "
                "another folder: Model.load(path, folder=...)",
            )
        if not path.is_file():
            raise origin.error(place, f"{name!r}: there is no such file in {folder.resolve()}")
        if suffixes and path.suffix.lower() not in suffixes:
            raise origin.error(place, f"{name!r} is no model; it must end in {', '.join(suffixes)}")
        if suffixes and path in stack:
            circle = " -> ".join([one.name for one in stack[stack.index(path) :]] + [path.name])
            raise origin.error(place, f"{name!r} includes itself: {circle}; break the circle")
        if len(stack) > DEEPEST:
            raise origin.error(place, f"files that include one another deeper than {DEEPEST}")
        return path


def _take_in(tree: dict[str, Any], origin: Origin, inner: _Document) -> None:
    """Take what an included document says into that which includes it, which has the last word."""
    name = inner.origin.path.name if inner.origin.path else ""
    for key, value in inner.tree.items():
        mine: Any = tree.get(key)
        if key not in tree:
            tree[key] = value
            origin.parts[(key,)] = inner.origin
        elif type(mine) is not type(value):
            raise origin.error((key,), f"{shown(mine)} here, but {shown(value)} in {name}; make both alike")
        elif key in _NAMED and isinstance(mine, dict):
            if key != "params":
                for one in value.keys() & mine.keys():
                    raise origin.error((key, one), f"{name} has one of that name too; rename one of them")
            tree[key] = {**value, **mine}
            own = origin.parts.pop((key,), None)
            if own is not None:
                origin.parts |= {(key, one): own for one in mine if (key, one) not in origin.parts}
            origin.parts |= {(key, one): inner.origin for one in value if one not in mine}
        elif key in _LISTS and isinstance(mine, list):
            tree[key] = [*mine, *value]
        elif key in _TABLES and isinstance(mine, dict):
            tree[key] = {**value, **mine}

"""Models into files."""

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from stoss.engine.model import json_files, records, toml_files, xml_files
from stoss.engine.model.errors import ModelError
from stoss.engine.model.geometry import loaded
from stoss.engine.model.writing import write_model
from stoss.files import write_text
from stoss.names import hint
from stoss.plugins import format_plugin

__all__ = ["EXPORTS", "dumps_model", "save_model"]

_DUMPS = {".toml": toml_files.dump, ".json": json_files.dump, ".xml": xml_files.dump}

# Formats of others: the module that writes them, loaded when it is needed, with `save(model, path)`, which
# returns what the format does not hold.
EXPORTS: dict[str, str] = {
    ".urdf": "stoss.engine.exchange.urdf_writer",
    ".mjcf": "stoss.engine.exchange.mjcf_writer",
    **dict.fromkeys((".usd", ".usda", ".usdc"), "stoss.engine.exchange.usd_writer"),
}


def save_model(model: Any, path: str | Path) -> tuple[str, ...]:
    """Write a model to a file; see `Model.save`."""
    place = Path(path)
    suffix = place.suffix.lower()
    if suffix in EXPORTS:
        left_out: tuple[str, ...] = import_module(EXPORTS[suffix]).save(model, place)
        return left_out
    if suffix not in _DUMPS:
        plugin = format_plugin(suffix, "save")
        if plugin is not None:
            return tuple(plugin.save(model, place) or ())
        known = [*_DUMPS, *EXPORTS]
        raise ModelError(
            f"{place}: models are not written to {suffix or 'files without an ending'}"
            f"{hint(suffix, known)}; known: {', '.join(known)}"
        )
    write_text(place, _DUMPS[suffix](write_model(_with_meshes(model, place.parent.resolve()))))
    return ()


def dumps_model(model: Any, kind: str) -> str:
    """Return a model as a text; see `Model.dumps`."""
    suffix = f".{kind.removeprefix('.')}"
    if suffix not in _DUMPS:
        raise ModelError(f"format = {kind!r} is unknown; choose one of toml, json, xml")
    return _DUMPS[suffix](write_model(_with_meshes(model, None)))


def _with_meshes(model: Any, folder: Path | None) -> Any:
    """Return a model whose meshes are in files of a folder, named from there, or are written into it."""
    subs = tuple(
        sub if sub.model is None else sub.replace(model=_with_meshes(sub.model, folder))
        for sub in model.models
    )
    return model.replace(meshes=tuple(_mesh(one, folder) for one in model.meshes), models=subs)


def _mesh(mesh: records.Mesh, folder: Path | None) -> records.Mesh:
    if mesh.file is None:
        return mesh
    path = Path(os.path.realpath(mesh.file))
    if folder is not None and path.is_relative_to(folder):
        found: records.Mesh = mesh.replace(file=path.relative_to(folder).as_posix())
        return found
    vertices, faces = loaded(mesh.replace(scale=(1.0, 1.0, 1.0)))
    return records.Mesh(
        name=mesh.name,
        vertices=tuple([(x, y, z) for x, y, z in vertices.tolist()]),
        faces=tuple([tuple(face) for face in faces.tolist()]),
        scale=mesh.scale,
    )

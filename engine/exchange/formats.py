"""The formats of others, by the extensions of their files."""

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

from stoss.engine.exchange.mjcf_reader import read_mjcf
from stoss.engine.exchange.simsys import read_simsys
from stoss.engine.exchange.urdf_reader import read_urdf
from stoss.engine.exchange.usd_reader import read_usd
from stoss.engine.exchange.xml_tree import read_xml
from stoss.engine.model.errors import ModelError
from stoss.engine.model.model import Model
from stoss.names import hint

__all__ = ["IMPORTS", "import_model"]

# First element of the XML: who reads it. An extension alone does not say what an .xml holds.
_ROOTS: dict[str, Callable[..., Model]] = {"robot": read_urdf, "mujoco": read_mjcf}

_PARAMETERS = ".dat"  # of simsys, whose parameter files begin with no mark
_USD = (".usd", ".usda", ".usdc")

IMPORTS: dict[str, str] = {
    ".urdf": "URDF",
    ".mjcf": "MJCF of MuJoCo",
    ".xml": "MJCF of MuJoCo, or URDF",
    _PARAMETERS: "parameter file of simsys",
    **dict.fromkeys(_USD, "USD with physics"),
}


def import_model(path: str | Path, **options: Any) -> Model:
    """Return the model of a file of another program; `Model.left_out` says what was not taken over.

    Args:
        path: a file of an extension in `IMPORTS`.
        options: those of the reader of its format: `folders`, for MJCF also `keyframe`, for URDF `missing`,
            `fixed_base` and `self_collision`, for simsys `lenient` and `names`.

    Raises:
        ModelError: there is no such file or format, or the file is wrong; says where.
    """
    file = Path(path)
    reader = _reader(file)
    known = list(signature(reader).parameters)[1:]
    unknown = [name for name in options if name not in known]
    if unknown:
        raise ModelError(
            f"{file}: {unknown[0]} is no option of a file of this format{hint(unknown[0], known)}; "
            f"it has: {', '.join(known)}"
        )
    return reader(file, **options)


def _reader(file: Path) -> Callable[..., Model]:
    """Return who reads a file."""
    if file.suffix.lower() in _USD:
        return read_usd
    if file.suffix.lower() not in IMPORTS:
        known = ", ".join(f"{extension} ({what})" for extension, what in IMPORTS.items())
        raise ModelError(f"{file}: models are imported from {known}")
    if file.suffix.lower() == _PARAMETERS:
        return read_simsys
    root = read_xml(file)
    if root.tag not in _ROOTS:
        raise root.error(f"it begins neither with <{'> nor <'.join(_ROOTS)}>")
    return _ROOTS[root.tag]

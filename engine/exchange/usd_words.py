"""What the reader and the writer of USD share: the library, units, and which joint locks what."""

from math import degrees, radians
from types import ModuleType
from typing import NamedTuple

from stoss.engine.model.errors import ModelError

__all__ = ["AXES", "KINDS", "LOCKS", "Pxr", "angular", "from_usd", "pxr", "to_usd"]

AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")

# What a kind of joint locks, in the frames of the joint, and which degree of freedom each coordinate is.
LOCKS: dict[str, tuple[str, dict[str, str]]] = {
    "cylindrical": ("transX transY rotX rotY", {"displacement": "transZ", "angle": "rotZ"}),
    "universal": ("transX transY transZ rotZ", {"angle_1": "rotX", "angle_2": "rotY"}),
    "planar": ("transZ rotX rotY", {"x": "transX", "y": "transY", "angle": "rotZ"}),
    "point_on_line": ("transX transY", {"displacement": "transZ"}),
    "point_on_plane": ("transZ", {"x": "transX", "y": "transY"}),
    "fixed_orientation": ("rotX rotY rotZ", {}),
    "parallel_axes": ("rotX rotY", {"angle": "rotZ"}),
    "free": ("", {"x": "transX", "y": "transY", "z": "transZ"}),
    # kinds with schemas of their own, which others may write in this way too
    "hinge": ("transX transY transZ rotX rotY", {"angle": "rotZ"}),
    "slider": ("transX transY rotX rotY rotZ", {"displacement": "transZ"}),
    "ball": ("transX transY transZ", {}),
    "fixed": ("transX transY transZ rotX rotY rotZ", {}),
}
KINDS = {frozenset(locked.split()): kind for kind, (locked, _) in LOCKS.items()}


class Pxr(NamedTuple):
    """Modules of usd-core."""

    Gf: ModuleType
    Sdf: ModuleType
    Tf: ModuleType
    Usd: ModuleType
    UsdGeom: ModuleType
    UsdPhysics: ModuleType
    UsdShade: ModuleType
    Vt: ModuleType


def pxr() -> Pxr:
    """Return the modules of usd-core.

    Raises:
        ModelError: it is not installed.
    """
    try:
        from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdPhysics, UsdShade, Vt
    except ImportError as error:
        raise ModelError('USD is read and written by usd-core: python -m pip install "stoss[usd]"') from error
    return Pxr(Gf, Sdf, Tf, Usd, UsdGeom, UsdPhysics, UsdShade, Vt)


def angular(freedom: str) -> bool:
    """Return whether a degree of freedom is an angle, which USD has in degrees."""
    return freedom.startswith("rot") or freedom == "angular"


def to_usd(freedom: str, value: float, *, per: bool = False) -> float:
    """Return a value [m or rad], or one per that, in the units of USD."""
    if not angular(freedom):
        return value
    return radians(value) if per else degrees(value)


def from_usd(freedom: str, value: float, length: float, *, per: bool = False) -> float:
    """Return a value, or one per that, in m or rad, where lengths have a unit [m]."""
    if angular(freedom):
        return degrees(value) if per else radians(value)
    return value / length if per else value * length

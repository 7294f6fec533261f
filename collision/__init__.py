"""Collision detection: shapes and poses in, contacts out; knows nothing of dynamics.

`Detector` holds the shapes of a world and reports its `Contacts`. Importing this package is cheap: each
name is loaded when it is first used.
"""

from stoss.dependencies import require

require(__name__)

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stoss.collision import rotation
    from stoss.collision.contacts import NORMAL_FIXED, NORMAL_ON_A, NORMAL_ON_B, Contacts
    from stoss.collision.detector import BACKENDS, Detector
    from stoss.collision.queries.guests import ShapeHit, overlap, shape_cast
    from stoss.collision.queries.queries import (
        ClosestPoint,
        RayHit,
        RayHits,
        closest_point,
        ray_cast,
        ray_cast_all,
        ray_cast_many,
    )
    from stoss.collision.shapes.decomposition import decompose
    from stoss.collision.shapes.placed import Placed
    from stoss.collision.shapes.shape_table import ShapeTable
    from stoss.collision.shapes.shapes import (
        Box,
        Capsule,
        Cone,
        ConvexHull,
        Cylinder,
        Ellipsoid,
        HalfSpace,
        Shape,
        Sphere,
        TriangleMesh,
    )

# Where each name is found.
_MODULES = {
    "contacts": "NORMAL_FIXED NORMAL_ON_A NORMAL_ON_B Contacts",
    "detector": "BACKENDS Detector",
    "queries.guests": "ShapeHit overlap shape_cast",
    "queries.queries": "ClosestPoint RayHit RayHits closest_point ray_cast ray_cast_all ray_cast_many",
    "shapes.decomposition": "decompose",
    "shapes.placed": "Placed",
    "shapes.shape_table": "ShapeTable",
    "shapes.shapes": "Box Capsule Cone ConvexHull Cylinder Ellipsoid HalfSpace Shape Sphere TriangleMesh",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "BACKENDS",
    "NORMAL_FIXED",
    "NORMAL_ON_A",
    "NORMAL_ON_B",
    "Box",
    "Capsule",
    "ClosestPoint",
    "Cone",
    "Contacts",
    "ConvexHull",
    "Cylinder",
    "Detector",
    "Ellipsoid",
    "HalfSpace",
    "Placed",
    "RayHit",
    "RayHits",
    "Shape",
    "ShapeHit",
    "ShapeTable",
    "Sphere",
    "TriangleMesh",
    "closest_point",
    "decompose",
    "overlap",
    "ray_cast",
    "ray_cast_all",
    "ray_cast_many",
    "shape_cast",
    "rotation",
]


def __getattr__(name: str) -> Any:
    """Load a name when it is first asked for."""
    if name == "rotation":
        return import_module("stoss.collision.rotation")
    if name not in _HOME:
        raise AttributeError(f"module 'stoss.collision' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"stoss.collision.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

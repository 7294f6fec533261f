"""Collision detection: shapes and poses in, contacts out; knows nothing of dynamics.

`Detector` holds the shapes of a world and reports its `Contacts`. Importing this package is cheap: each
name is loaded when it is first used.
"""

from stoss.dependencies import require

require(__name__)

from typing import TYPE_CHECKING

from stoss.lazy import names_of

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
    from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
    from stoss.collision.shapes.placed import Placed
    from stoss.collision.shapes.shape_table import ShapeTable
    from stoss.collision.shapes.shapes import (
        Box,
        Capsule,
        Cone,
        Cylinder,
        Ellipsoid,
        HalfSpace,
        Shape,
        Sphere,
    )

# Where each name is found.
_MODULES = {
    "": "rotation",
    "contacts": "NORMAL_FIXED NORMAL_ON_A NORMAL_ON_B Contacts",
    "detector": "BACKENDS Detector",
    "queries.guests": "ShapeHit overlap shape_cast",
    "queries.queries": "ClosestPoint RayHit RayHits closest_point ray_cast ray_cast_all ray_cast_many",
    "shapes.decomposition": "decompose",
    "shapes.placed": "Placed",
    "shapes.shape_table": "ShapeTable",
    "shapes.faceted": "ConvexHull TriangleMesh",
    "shapes.shapes": "Box Capsule Cone Cylinder Ellipsoid HalfSpace Shape Sphere",
}

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

__getattr__, __dir__ = names_of(__name__, _MODULES)

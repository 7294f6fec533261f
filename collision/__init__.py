"""Collision detection: shapes and poses in, contacts out; knows nothing of dynamics.

`Detector` holds the shapes of a world and reports its `Contacts`.
"""

from stoss.dependencies import require

require(__name__)

from stoss.collision.contacts import NORMAL_FIXED, NORMAL_ON_A, NORMAL_ON_B, Contacts
from stoss.collision.detector import BACKENDS, Detector
from stoss.collision.queries.queries import (
    ClosestPoint,
    RayHit,
    closest_point,
    overlap,
    ray_cast,
    ray_cast_all,
)
from stoss.collision.shapes.decomposition import decompose
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Placed,
    Shape,
    Sphere,
    TriangleMesh,
)

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
    "Shape",
    "ShapeTable",
    "Sphere",
    "TriangleMesh",
    "closest_point",
    "decompose",
    "overlap",
    "ray_cast",
    "ray_cast_all",
]

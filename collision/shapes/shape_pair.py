"""A pair of shapes in small arrays, the form in which the kernels on convex shapes read it.

Spheres and capsules are a *core* (a point, a segment) with a rounding radius; every other shape is its own
core. A pair is loaded once into a `ShapePair`, one row per shape: kernels then index it instead of slicing
the table, which would cost ten times a support point.

The kind MESH stands for one triangle of a mesh here, with one side: `put_triangle` writes it.
"""

from typing import Annotated

from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints
from stoss.collision.shapes.kinds import CAPSULE, HULL, MESH, SPHERE
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays

FEATURE = "convex"  # see `kernels.prepare`

__all__ = ["ShapePair", "centre_of", "from_shape", "load_pair", "load_shape", "put_contact", "to_shape"]


class ShapePair(Struct):
    """Two shapes, a and b, in the world.

    Attributes:
        kind: kind codes.
        row: of the table.
        body: the bodies that carry them.
        vertex_range, face_range: first and last + 1 vertex and face of a hull; of a triangle the first face
            is its number within the mesh.
        position: [m].
        rotation: matrices, shape to world.
        size: as in the table; of hulls a point inside.
        rounding: radius [m] of spheres and capsules about their cores, else 0.
        corners, normal: of a triangle.
        solids: all polyhedra.
    """

    kind: Annotated[Ints, "two"]
    row: Annotated[Ints, "two"]
    body: Annotated[Ints, "two"]
    vertex_range: Annotated[Ints, "two", 2]
    face_range: Annotated[Ints, "two", 2]
    position: Annotated[Floats, "two", 3]
    rotation: Annotated[Floats, "two", 3, 3]
    size: Annotated[Floats, "two", 4]
    rounding: Annotated[Floats, "two"]
    corners: Annotated[Floats, "two", 3, 3]
    normal: Annotated[Floats, "two", 3]
    solids: PolyhedronArrays

    @classmethod
    def new(cls) -> "ShapePair":
        """Return a pair that has not been loaded."""
        return cls.zeros(two=2)


@inner
def load_shape(s, k, shapes, pair):
    """Write row `s` of the table into row `k` of the pair."""
    kind = shapes.kind[s]
    pair.kind[k], pair.row[k], pair.body[k] = kind, s, shapes.body[s]
    sizes, size = shapes.size, pair.size
    position, positions = pair.position, shapes.position
    position[k, 0], position[k, 1], position[k, 2] = positions[s, 0], positions[s, 1], positions[s, 2]
    q, r = shapes.quaternion, pair.rotation
    w, x, y, z = q[s, 0], q[s, 1], q[s, 2], q[s, 3]
    r[k, 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    r[k, 0, 1] = 2.0 * (x * y - z * w)
    r[k, 0, 2] = 2.0 * (x * z + y * w)
    r[k, 1, 0] = 2.0 * (x * y + z * w)
    r[k, 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    r[k, 1, 2] = 2.0 * (y * z - x * w)
    r[k, 2, 0] = 2.0 * (x * z - y * w)
    r[k, 2, 1] = 2.0 * (y * z + x * w)
    r[k, 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    for c in range(4):
        size[k, c] = sizes[s, c]
    if kind == HULL:
        solids, row = pair.solids, shapes.polyhedron[s]
        pair.vertex_range[k, 0], pair.vertex_range[k, 1] = (
            solids.vertex_start[row],
            solids.vertex_start[row + 1],
        )
        pair.face_range[k, 0], pair.face_range[k, 1] = solids.face_start[row], solids.face_start[row + 1]
        for c in range(3):
            size[k, c] = solids.centre[row, c]
    pair.rounding[k] = sizes[s, 0] if kind == SPHERE or kind == CAPSULE else 0.0


@kernel
def load_pair(a: int, b: int, shapes: ShapeArrays, pair: ShapePair) -> None:
    """Write rows `a` and `b` of the table into rows 0 and 1 of the pair."""
    for k in range(2):
        load_shape(a if k == 0 else b, k, shapes, pair)


@inner
def from_shape(k, pair, x, y, z):
    """Return R v: a direction of the shape's frame in the world."""
    r = pair.rotation
    return (
        r[k, 0, 0] * x + r[k, 0, 1] * y + r[k, 0, 2] * z,
        r[k, 1, 0] * x + r[k, 1, 1] * y + r[k, 1, 2] * z,
        r[k, 2, 0] * x + r[k, 2, 1] * y + r[k, 2, 2] * z,
    )


@inner
def to_shape(k, pair, x, y, z):
    """Return R^T v: a direction of the world in the shape's frame."""
    r = pair.rotation
    return (
        r[k, 0, 0] * x + r[k, 1, 0] * y + r[k, 2, 0] * z,
        r[k, 0, 1] * x + r[k, 1, 1] * y + r[k, 2, 1] * z,
        r[k, 0, 2] * x + r[k, 1, 2] * y + r[k, 2, 2] * z,
    )


@inner
def centre_of(k, pair):
    """Return a point inside the shape (world)."""
    if pair.kind[k] == MESH:
        c = pair.corners
        return (
            (c[k, 0, 0] + c[k, 1, 0] + c[k, 2, 0]) / 3.0,
            (c[k, 0, 1] + c[k, 1, 1] + c[k, 2, 1]) / 3.0,
            (c[k, 0, 2] + c[k, 1, 2] + c[k, 2, 2]) / 3.0,
        )
    position = pair.position
    if pair.kind[k] != HULL:
        return position[k, 0], position[k, 1], position[k, 2]
    x, y, z = from_shape(k, pair, pair.size[k, 0], pair.size[k, 1], pair.size[k, 2])
    return x + position[k, 0], y + position[k, 1], z + position[k, 2]


@kernel
def put_contact(
    out: ContactArrays,
    at: int,
    pair: ShapePair,
    feature: int,
    side: int,
    point: tuple[float, float, float],
    normal: tuple[float, float, float],
    gap: float,
    radii: tuple[float, float],
) -> None:
    """Write a contact whose points lie at p + gap n (on a) and p (on b), with the radii of a and b."""
    px, py, pz = point
    nx, ny, nz = normal
    out.body_a[at], out.body_b[at] = pair.body[0], pair.body[1]
    out.shape_a[at], out.shape_b[at] = pair.row[0], pair.row[1]
    out.feature[at], out.normal_side[at] = feature, side
    a, b, n = out.point_a, out.point_b, out.normal
    a[at, 0], a[at, 1], a[at, 2] = px + gap * nx, py + gap * ny, pz + gap * nz
    b[at, 0], b[at, 1], b[at, 2] = px, py, pz
    n[at, 0], n[at, 1], n[at, 2] = nx, ny, nz
    out.gap[at] = gap
    out.radius_a[at], out.radius_b[at] = radii

"""The flat faces of boxes, hulls and cylinders: their normals."""

from stoss.collision.algebra import dot, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.shapes.kinds import BOX, CYLINDER, HULL
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays

__all__ = ["ON_FACE", "face_count", "flat_face", "is_face_normal"]

ON_FACE = 1.0 - 1e-9  # cosine; above the rounding of unit quaternions


@inner
def face_count(i, shapes, solids):
    """Return how many flat faces a box, hull or cylinder has."""
    kind = shapes.kind[i]
    if kind == BOX:
        return 6
    if kind == HULL:
        return solids.face_start[shapes.polyhedron[i] + 1] - solids.face_start[shapes.polyhedron[i]]
    return 2  # the caps of a cylinder


@inner
def flat_face(i, f, shapes, solids):
    """Return the outward normal of flat face f of a piece, in its own frame."""
    if shapes.kind[i] == HULL:
        row = solids.face_start[shapes.polyhedron[i]] + f
        return solids.planes[row, 0], solids.planes[row, 1], solids.planes[row, 2]
    axis, way = (f >> 1, 1.0 if f & 1 else -1.0) if shapes.kind[i] == BOX else (2, 1.0 if f else -1.0)
    return way if axis == 0 else 0.0, way if axis == 1 else 0.0, way if axis == 2 else 0.0


@kernel
def is_face_normal(
    i: int, normal: tuple[float, float, float], shapes: ShapeArrays, solids: PolyhedronArrays
) -> bool:
    """Return whether a piece has a flat face with that outward normal (world), or a side of a cylinder."""
    x, y, z = rotate_inverse(shapes.quaternion[i], normal[0], normal[1], normal[2])
    if shapes.kind[i] == BOX:
        return max(abs(x), abs(y), abs(z)) >= ON_FACE
    if shapes.kind[i] == CYLINDER and x * x + y * y >= ON_FACE:
        return True
    for f in range(face_count(i, shapes, solids)):
        fx, fy, fz = flat_face(i, f, shapes, solids)
        if dot(x, y, z, fx, fy, fz) >= ON_FACE:
            return True
    return False

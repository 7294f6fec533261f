"""How far a shape of the table reaches in a direction, and whether it holds a point."""

import numpy as np

from stoss.collision.algebra import dot, norm, rotate_inverse
from stoss.collision.kernels.decorators import kernel
from stoss.collision.shapes.hull_search import highest_corner
from stoss.collision.shapes.kinds import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HALFSPACE,
    HULL,
    SPHERE,
)
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays

__all__ = ["contains", "reach"]


@kernel
def reach(s: int, dx: float, dy: float, dz: float, shapes: ShapeArrays, solids: PolyhedronArrays) -> float:
    """Return the largest d . x over shape s, with d of unit length (world) [m]; not of meshes.

    Inputs:
        s: row of the table.
        solids: all polyhedra.
    """
    kind, size, position = shapes.kind[s], shapes.size, shapes.position
    base = dot(dx, dy, dz, position[s, 0], position[s, 1], position[s, 2])
    a, b, c = size[s, 0], size[s, 1], size[s, 2]
    if kind == SPHERE:
        return base + a
    x, y, z = rotate_inverse(shapes.quaternion[s], dx, dy, dz)
    if kind == BOX:
        return base + abs(x) * a + abs(y) * b + abs(z) * c
    if kind == HULL:
        row = shapes.polyhedron[s]
        _, best = highest_corner(solids, solids.vertex_start[row], solids.vertex_start[row + 1], x, y, z)
        return base + best
    if kind == CAPSULE:
        return base + a + abs(z) * b
    if kind == CYLINDER:
        return base + a * np.sqrt(x * x + y * y) + abs(z) * b
    if kind == CONE:
        return base + max(z * b, a * np.sqrt(x * x + y * y) - z * b)
    if kind == ELLIPSOID:
        return base + norm(a * x, b * y, c * z)
    if dot(x, y, z, a, b, c) < 1.0 - 1e-12:  # half-space
        return np.inf
    return base + size[s, 3]


@kernel
def contains(
    s: int,
    point: tuple[float, float, float],
    tolerance: float,
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
) -> bool:
    """Return whether a box, hull, cylinder or half-space, grown by a tolerance [m], holds a point (world)."""
    kind, size, position = shapes.kind[s], shapes.size, shapes.position
    x, y, z = rotate_inverse(
        shapes.quaternion[s], point[0] - position[s, 0], point[1] - position[s, 1], point[2] - position[s, 2]
    )
    a, b, c = size[s, 0], size[s, 1], size[s, 2]
    if kind == BOX:
        return abs(x) <= a + tolerance and abs(y) <= b + tolerance and abs(z) <= c + tolerance
    if kind == CYLINDER:
        return x * x + y * y <= (a + tolerance) * (a + tolerance) and abs(z) <= b + tolerance
    if kind == HALFSPACE:
        return dot(x, y, z, a, b, c) <= size[s, 3] + tolerance
    if kind != HULL:
        return False
    planes, row = solids.planes, shapes.polyhedron[s]
    for f in range(solids.face_start[row], solids.face_start[row + 1]):
        if dot(x, y, z, planes[f, 0], planes[f, 1], planes[f, 2]) > planes[f, 3] + tolerance:
            return False
    return True

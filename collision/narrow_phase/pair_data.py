"""A pair of shapes in two small arrays, the form in which the kernels on convex shapes read it.

Spheres and capsules are a *core* (a point, a segment) with a rounding radius; every other shape is its own
core. A pair is loaded once into `what` (integers) and `pose` (floats), one row per shape: kernels then index
them instead of slicing the table, which would cost ten times a support point.

    what[k]: kind, first and last + 1 vertex, first and last + 1 face, shape, body
    pose[k]: position (0:3), rotation matrix by rows (3:12), size (12:16; hulls: a point inside),
        rounding radius (16), corners (17:26) and normal (26:29) of a triangle, world

The kind MESH stands for one triangle of a mesh here, with one side: `put_triangle` writes it.
"""

import numpy as np
from numba import njit
from stoss.collision.contacts import Contacts
from stoss.collision.kernels.decorators import inner
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import CAPSULE, HULL, MESH, SPHERE

__all__ = [
    "POSE_SIZE",
    "WHAT_SIZE",
    "centre_of",
    "contact_arrays",
    "face_arrays",
    "from_shape",
    "hull_arrays",
    "load_pair",
    "put_contact",
    "shape_arrays",
    "to_shape",
]

POSE_SIZE = 29
WHAT_SIZE = 7


def shape_arrays(table: ShapeTable) -> tuple[np.ndarray, ...]:
    """Return the arrays of a table that kernels on pairs of shapes read, as a plain tuple."""
    return (table.kind, table.size, table.polyhedron, table.position, table.quaternion, table.body)


def contact_arrays(contacts: Contacts) -> tuple[np.ndarray, ...]:
    """Return the arrays of `contacts` that kernels write, as a plain tuple."""
    return (
        contacts.body_a,
        contacts.body_b,
        contacts.shape_a,
        contacts.shape_b,
        contacts.feature,
        contacts.normal_side,
        contacts.point_a,
        contacts.point_b,
        contacts.normal,
        contacts.gap,
        contacts.radius_a,
        contacts.radius_b,
    )


def hull_arrays(arrays: PolyhedronArrays) -> tuple[np.ndarray, ...]:
    """Return what `load_shape` needs to know of the polyhedra, as a plain tuple."""
    return arrays.vertex_start, arrays.face_start, arrays.centre


def face_arrays(arrays: PolyhedronArrays) -> tuple[np.ndarray, ...]:
    """Return what kernels on convex shapes read of the polyhedra, as a plain tuple.

    It is kept short: each array that is passed to a kernel costs a few nanoseconds.
    """
    return arrays.vertices, arrays.planes, arrays.corner_range, arrays.corners


@inner
def _load(s, k, kinds, sizes, polyhedra, positions, quaternions, bodies, hulls, what, pose):
    """Write row `s` of the table into row `k` of `what` and `pose`."""
    kind = kinds[s]
    what[k, 0], what[k, 5], what[k, 6] = kind, s, bodies[s]
    if kind == HULL:
        row = polyhedra[s]
        what[k, 1], what[k, 2] = hulls[0][row], hulls[0][row + 1]
        what[k, 3], what[k, 4] = hulls[1][row], hulls[1][row + 1]
    for c in range(3):
        pose[k, c] = positions[s, c]
    w, x, y, z = quaternions[s, 0], quaternions[s, 1], quaternions[s, 2], quaternions[s, 3]
    pose[k, 3], pose[k, 4], pose[k, 5] = (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - z * w),
        2.0 * (x * z + y * w),
    )
    pose[k, 6], pose[k, 7], pose[k, 8] = (
        2.0 * (x * y + z * w),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - x * w),
    )
    pose[k, 9], pose[k, 10], pose[k, 11] = (
        2.0 * (x * z - y * w),
        2.0 * (y * z + x * w),
        1.0 - 2.0 * (x * x + y * y),
    )
    for c in range(4):
        pose[k, 12 + c] = sizes[s, c]
    if kind == HULL:
        for c in range(3):
            pose[k, 12 + c] = hulls[2][polyhedra[s], c]
    pose[k, 16] = sizes[s, 0] if kind == SPHERE or kind == CAPSULE else 0.0


@njit(cache=True)
def load_pair(a, b, shapes, hulls, what, pose):
    """Write rows `a` and `b` of the table (`shape_arrays`) into rows 0 and 1 of `what` and `pose`."""
    kinds, sizes, polyhedra, positions, quaternions, bodies = shapes
    _load(a, 0, kinds, sizes, polyhedra, positions, quaternions, bodies, hulls, what, pose)
    _load(b, 1, kinds, sizes, polyhedra, positions, quaternions, bodies, hulls, what, pose)


@inner
def from_shape(k, pose, x, y, z):
    """Return R v: a direction of the shape's frame in the world."""
    return (
        pose[k, 3] * x + pose[k, 4] * y + pose[k, 5] * z,
        pose[k, 6] * x + pose[k, 7] * y + pose[k, 8] * z,
        pose[k, 9] * x + pose[k, 10] * y + pose[k, 11] * z,
    )


@inner
def to_shape(k, pose, x, y, z):
    """Return R^T v: a direction of the world in the shape's frame."""
    return (
        pose[k, 3] * x + pose[k, 6] * y + pose[k, 9] * z,
        pose[k, 4] * x + pose[k, 7] * y + pose[k, 10] * z,
        pose[k, 5] * x + pose[k, 8] * y + pose[k, 11] * z,
    )


@inner
def centre_of(k, what, pose):
    """Return a point inside the shape (world)."""
    if what[k, 0] == MESH:
        return (
            (pose[k, 17] + pose[k, 20] + pose[k, 23]) / 3.0,
            (pose[k, 18] + pose[k, 21] + pose[k, 24]) / 3.0,
            (pose[k, 19] + pose[k, 22] + pose[k, 25]) / 3.0,
        )
    if what[k, 0] != HULL:
        return pose[k, 0], pose[k, 1], pose[k, 2]
    x, y, z = from_shape(k, pose, pose[k, 12], pose[k, 13], pose[k, 14])
    return x + pose[k, 0], y + pose[k, 1], z + pose[k, 2]


@inner
def put_contact(out, at, what, feature, side, px, py, pz, nx, ny, nz, gap, radius_a, radius_b):
    """Write a contact whose points lie at p + gap n (on a) and p (on b)."""
    out[0][at], out[1][at] = what[0, 6], what[1, 6]
    out[2][at], out[3][at] = what[0, 5], what[1, 5]
    out[4][at], out[5][at] = feature, side
    out[6][at, 0], out[6][at, 1], out[6][at, 2] = px + gap * nx, py + gap * ny, pz + gap * nz
    out[7][at, 0], out[7][at, 1], out[7][at, 2] = px, py, pz
    out[8][at, 0], out[8][at, 1], out[8][at, 2] = nx, ny, nz
    out[9][at], out[10][at], out[11][at] = gap, radius_a, radius_b

"""A pair of shapes in two small arrays, the form in which the kernels on convex shapes read it.

Spheres and capsules are a *core* (a point, a segment) with a rounding radius; every other shape is its own
core. A pair is loaded once into `what` (integers) and `pose` (floats), one row per shape: kernels then index
them instead of slicing the table, which would cost ten times a support point.

    what[k]: kind, first and last + 1 vertex, first and last + 1 face, shape, body
    pose[k]: position (0:3), rotation matrix by rows (3:12), size (12:16; hulls: a point inside),
        rounding radius (16), corners (17:26) and normal (26:29) of a triangle, world

The kind MESH stands for one triangle of a mesh here, with one side: `put_triangle` writes it.
"""

from stoss.collision.kernels.decorators import inner
from stoss.collision.shapes.shapes import CAPSULE, HULL, MESH, SPHERE

__all__ = [
    "POSE_SIZE",
    "WHAT_SIZE",
    "centre_of",
    "from_shape",
    "load_pair",
    "put_contact",
    "to_shape",
]

POSE_SIZE = 29
WHAT_SIZE = 7


@inner
def _load(s, k, shapes, solids, what, pose):
    """Write row `s` of the table into row `k` of `what` and `pose`."""
    kinds, sizes, polyhedra = shapes.kind, shapes.size, shapes.polyhedron
    positions, quaternions, bodies = shapes.position, shapes.quaternion, shapes.body
    kind = kinds[s]
    what[k, 0], what[k, 5], what[k, 6] = kind, s, bodies[s]
    if kind == HULL:
        row = polyhedra[s]
        what[k, 1], what[k, 2] = solids.vertex_start[row], solids.vertex_start[row + 1]
        what[k, 3], what[k, 4] = solids.face_start[row], solids.face_start[row + 1]
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
            pose[k, 12 + c] = solids.centre[polyhedra[s], c]
    pose[k, 16] = sizes[s, 0] if kind == SPHERE or kind == CAPSULE else 0.0


@inner
def load_pair(a, b, shapes, solids, what, pose):
    """Write rows `a` and `b` of the table into rows 0 and 1 of `what` and `pose`."""
    _load(a, 0, shapes, solids, what, pose)
    _load(b, 1, shapes, solids, what, pose)


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
    out.body_a[at], out.body_b[at] = what[0, 6], what[1, 6]
    out.shape_a[at], out.shape_b[at] = what[0, 5], what[1, 5]
    out.feature[at], out.normal_side[at] = feature, side
    out.point_a[at, 0], out.point_a[at, 1], out.point_a[at, 2] = px + gap * nx, py + gap * ny, pz + gap * nz
    out.point_b[at, 0], out.point_b[at, 1], out.point_b[at, 2] = px, py, pz
    out.normal[at, 0], out.normal[at, 1], out.normal[at, 2] = nx, ny, nz
    out.gap[at], out.radius_a[at], out.radius_b[at] = gap, radius_a, radius_b

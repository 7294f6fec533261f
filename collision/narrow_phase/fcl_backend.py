"""Narrow phase through python-fcl: FCL gives distance and normal, the contact manifold is ours.

FCL's answers carry errors of about 1e-6 and, for overlaps, its normal need not be the one of least depth
(libccd's portal refinement). Each normal is therefore a start for `refine_normal`.
"""

from functools import partial
from weakref import WeakKeyDictionary

import fcl
import numpy as np

from stoss.collision.contacts import ContactArrays, Contacts
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Floats2, Ints2
from stoss.collision.manifold.manifold import contact_manifold, separation
from stoss.collision.manifold.scratch import MAX_CONTACTS
from stoss.collision.narrow_phase.convex_scratch import ConvexScratch, convex_scratch
from stoss.collision.narrow_phase.normals import best_face_normal, refine_normal
from stoss.collision.narrow_phase.walk import walk_pairs
from stoss.collision.shapes.shape_pair import centre_of, load_pair
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable
from stoss.collision.shapes.shapes import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, Shape, Sphere

FEATURE = "fcl"  # see `kernels.prepare`

__all__ = ["collide_fcl_pairs"]

FCL_ERROR = 1e-4  # [m] how far FCL's distance is trusted to be from the true one, large shapes included

_objects: "WeakKeyDictionary[ShapeTable, _Objects]" = WeakKeyDictionary()


def _geometry(shape: Shape) -> fcl.CollisionGeometry:
    match shape:
        case Sphere(radius):
            return fcl.Sphere(radius)
        case Box((x, y, z)):
            return fcl.Box(x, y, z)
        case Capsule(radius, length):
            return fcl.Capsule(radius, length)
        case Cylinder(radius, length):
            return fcl.Cylinder(radius, length)
        case Cone(radius, length):
            return fcl.Cone(radius, length)
        case Ellipsoid((x, y, z)):
            return fcl.Ellipsoid(x, y, z)
        case ConvexHull():
            flat = np.concatenate([[len(face), *face] for face in shape.faces]).astype(np.int64)
            return fcl.Convex(np.asarray(shape.vertices), len(shape.faces), flat)
    raise TypeError(
        f"shape is {shape!r}; FCL takes convex solids here, half-spaces and meshes have own kernels"
    )


class _Objects:
    """Keep one FCL object per shape row: they leak when dropped, so rows that go give theirs back."""

    def __init__(self) -> None:
        self.version = -1
        self.rows: list[tuple[fcl.CollisionObject, fcl.CollisionGeometry] | None] = []
        self.owners: list[Shape] = []

    def refresh(self, table: ShapeTable) -> None:
        """Assign objects to the rows of `table` after its set of shapes has changed."""
        if self.version == table.version:
            return
        spare: dict[int, list[tuple[fcl.CollisionObject, fcl.CollisionGeometry]]] = {}
        for owner, item in zip(self.owners, self.rows, strict=True):
            if item is not None:
                spare.setdefault(id(owner), []).append(item)
        self.rows = [spare[id(shape)].pop() if spare.get(id(shape)) else None for shape in table.shapes]
        self.owners = list(table.shapes)
        self.version = table.version

    def at(self, row: int) -> tuple[fcl.CollisionObject, fcl.CollisionGeometry]:
        """Return the object of a row and its geometry; they are made when first needed."""
        item = self.rows[row]
        if item is None:
            geometry = _geometry(self.owners[row])
            item = self.rows[row] = (fcl.CollisionObject(geometry), geometry)
        return item


def _fcl_normals(pairs: np.ndarray, table: ShapeTable, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs within the margin (indices) and FCL's normals (k, 3), from b to a."""
    objects = _objects.setdefault(table, _Objects())
    objects.refresh(table)
    request = fcl.CollisionRequest(
        num_max_contacts=4, enable_contact=True, gjk_solver_type=fcl.GJKSolverType.GST_LIBCCD
    )
    apart = fcl.DistanceRequest(enable_nearest_points=True, gjk_solver_type=fcl.GJKSolverType.GST_LIBCCD)
    rows = {row: objects.at(row) for row in np.unique(pairs).tolist()}
    for row, (item, _) in rows.items():
        item.setTransform(fcl.Transform(table.quaternion[row], table.position[row]))
    near: list[int] = []
    normals: list[np.ndarray] = []
    for index, (a, b) in enumerate(pairs.tolist()):
        (first, geometry), (second, _) = rows[a], rows[b]
        result = fcl.CollisionResult()
        if fcl.collide(first, second, request, result):
            contact = max(result.contacts, key=lambda found: found.penetration_depth)
            # FCL points from o1 to o2, and swaps the pair as it likes
            sign = -1.0 if contact.o1 is geometry else 1.0
            near.append(index)
            normals.append(sign * contact.normal)
            continue
        gap = fcl.DistanceResult()
        distance = fcl.distance(first, second, apart, gap)
        if distance <= margin + FCL_ERROR:
            near.append(index)
            normals.append(gap.nearest_points[0] - gap.nearest_points[1])
    return np.array(near, dtype=np.int64), np.array(normals, dtype=np.float64).reshape(-1, 3)


@kernel
def _collide(
    normals: Floats2,
    pairs: Ints2,
    start: int,
    shapes: ShapeArrays,
    margin: float,
    scratch: ConvexScratch,
    out: ContactArrays,
    count: int,
) -> tuple[int, int]:
    """Refine normals from row `start` on and write contacts; return the next row and the contact count."""
    capacity = len(out.gap)
    pair, manifold = scratch.pair, scratch.manifold
    edges = manifold.edges
    for p in range(start, len(pairs)):
        if count + MAX_CONTACTS > capacity:
            return p, count
        load_pair(pairs[p, 0], pairs[p, 1], shapes, pair)
        nx, ny, nz = normals[p, 0], normals[p, 1], normals[p, 2]
        ax, ay, az = centre_of(0, pair)
        bx, by, bz = centre_of(1, pair)
        cx, cy, cz = ax - bx, ay - by, az - bz
        length = np.sqrt(cx * cx + cy * cy + cz * cz)
        if length > 0.0:
            cx, cy, cz = cx / length, cy / length, cz / length
        else:
            cx, cy, cz = 0.0, 0.0, 1.0
        length = np.sqrt(nx * nx + ny * ny + nz * nz)
        # FCL reports zero normals for some touching pairs
        if length > 0.0:
            nx, ny, nz = nx / length, ny / length, nz / length
            if separation(pair, -nx, -ny, -nz) > separation(pair, nx, ny, nz):
                nx, ny, nz = -nx, -ny, -nz
        else:
            nx, ny, nz = cx, cy, cz
        nx, ny, nz, gap = refine_normal(pair, nx, ny, nz, edges)
        if gap < 0.0:
            cx, cy, cz, other = refine_normal(pair, cx, cy, cz, edges)
            if other > gap + 1e-12:
                nx, ny, nz, gap = cx, cy, cz, other
            # and for touching faces it may be any direction along them
            cx, cy, cz, other = best_face_normal(pair, gap, nx, ny, nz)
            if other > gap + 1e-12:
                nx, ny, nz, gap = refine_normal(pair, cx, cy, cz, edges)
        if gap <= margin:
            count = contact_manifold(pair, nx, ny, nz, margin, manifold, out, count)
    return len(pairs), count


def collide_fcl_pairs(pairs: np.ndarray, table: ShapeTable, margin: float, contacts: Contacts) -> None:
    """Append the contacts of pairs of convex shapes (no half-spaces, no meshes), found by FCL.

    Args:
        pairs: (p, 2) rows of the table, first below second.
        table: the shapes, updated.
        margin: contacts up to this gap [m] are reported.
        contacts: grows as needed.

    Raises:
        TypeError: if a shape is a half-space or a mesh.
    """
    if len(pairs) == 0:
        return
    near, normals = _fcl_normals(pairs, table, margin)
    chosen = np.ascontiguousarray(pairs[near])
    scratch = convex_scratch(table.polyhedra.arrays)
    walk_pairs(partial(_collide, normals), chosen, table, margin, contacts, scratch, MAX_CONTACTS)

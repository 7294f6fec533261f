"""Narrow phase through python-fcl: FCL gives distance and normal, the contact manifold is ours.

FCL's answers carry errors of about 1e-6, more beside large shapes, and, for overlaps, its normal need not be
the one of least depth (libccd's portal refinement). Each normal is therefore a start for `refine_normal`, and
a pair is left out only if the shapes are apart along it: then they are at least that far apart.
"""

from functools import partial
from weakref import WeakKeyDictionary

import fcl
import numpy as np

from stoss.collision.algebra import norm
from stoss.collision.broad_phase.fcl_objects import FclObjects
from stoss.collision.contacts import ContactArrays, Contacts
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Floats2, Ints2
from stoss.collision.manifold.manifold import contact_manifold, separation
from stoss.collision.manifold.scratch import MAX_CONTACTS
from stoss.collision.narrow_phase.convex_scratch import ConvexScratch, convex_scratch
from stoss.collision.narrow_phase.normals import best_face_normal, refine_normal
from stoss.collision.narrow_phase.walk import walk_pairs
from stoss.collision.shapes.faceted import ConvexHull
from stoss.collision.shapes.shape_pair import ShapePair, centre_of, load_pair
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable
from stoss.collision.shapes.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Shape, Sphere

FEATURE = "fcl"  # see `kernels.prepare`

__all__ = ["collide_fcl_pairs"]

LIFT = 0.02  # by how much shapes that touch are lifted off each other, relative to the smaller one
LIFTS = 12  # at most
SHALLOW = 25.0  # lifts: in deeper overlaps there are several ways out, and the first one is as good as any

_solids: "WeakKeyDictionary[ShapeTable, _Solids]" = WeakKeyDictionary()


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


class _Solids:
    """FCL's objects of the solids of a table."""

    def __init__(self) -> None:
        self.objects = FclObjects()
        self._version = -1

    def refresh(self, table: ShapeTable, rows: np.ndarray) -> None:
        """Follow the set of shapes, and bring the objects of some rows to where these are."""
        if self._version != table.version:
            self.objects.fit([_Own(shape) for shape in table.shapes], lambda own: _geometry(own.shape))
            self._version = table.version
        self.objects.place(rows[self.objects.moved(table)[rows]], table)


class _Own:
    """A shape as a key: that very object."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    def __hash__(self) -> int:
        return id(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Own) and self.shape is other.shape


def _fcl_normals(pairs: np.ndarray, table: ShapeTable, margin: float) -> np.ndarray:
    """Return FCL's normals (p, 3) from b to a: of the overlap, or along the shortest way between them."""
    solids = _solids.setdefault(table, _Solids())
    solids.refresh(table, np.unique(pairs))
    objects = solids.objects
    request = fcl.CollisionRequest(
        num_max_contacts=4, enable_contact=True, gjk_solver_type=fcl.GJKSolverType.GST_LIBCCD
    )
    apart = fcl.DistanceRequest(enable_nearest_points=True, gjk_solver_type=fcl.GJKSolverType.GST_LIBCCD)
    normals = np.zeros((len(pairs), 3))
    pair, arrays = convex_scratch(table.polyhedra.arrays).pair, table.arrays
    sizes = table.bounding_radius
    for index, (a, b) in enumerate(pairs.tolist()):
        first, second = objects.at(a), objects.at(b)
        lift = LIFT * min(sizes[a], sizes[b])
        result, gap = fcl.CollisionResult(), fcl.DistanceResult()
        if not fcl.collide(first, second, request, result):
            distance = fcl.distance(first, second, apart, gap)
            normals[index] = normal = gap.nearest_points[0] - gap.nearest_points[1]
            if distance >= lift or distance > margin + lift:
                continue
        else:
            contact = max(result.contacts, key=lambda found: found.penetration_depth)
            # FCL points from o1 to o2, and swaps the pair as it likes
            normal = -contact.normal if contact.o1 is objects.geometry(a) else contact.normal
        load_pair(a, b, arrays, pair)
        turn, place = table.quaternion[a], table.position[a]
        normals[index] = _lifted(
            normal, place - table.position[b], lift, pair, apart, first, second, turn, place
        )
        first.setTransform(fcl.Transform(turn, place))
    return normals


def _lifted(
    normal: np.ndarray,
    between: np.ndarray,
    lift: float,
    pair: ShapePair,
    request: fcl.DistanceRequest,
    first: fcl.CollisionObject,
    second: fcl.CollisionObject,
    turn: np.ndarray,
    place: np.ndarray,
) -> np.ndarray:
    """Return the normal of two shapes that touch or overlap, from FCL's distances of shapes that do not.

    The first shape is lifted off along the normal, by `lift` [m] more than it needs; the shortest way to the
    second one then is a better normal, from which it is done again as long as that lessens the overlap.
    """
    size = float(np.linalg.norm(normal))
    best = normal / size if size > 0.0 else between / max(float(np.linalg.norm(between)), 1e-300)
    depth = separation(pair, *best)
    if separation(pair, *(-best)) > depth:
        best, depth = -best, separation(pair, *(-best))
    if depth < -SHALLOW * lift:
        return best
    for _ in range(LIFTS):
        first.setTransform(fcl.Transform(turn, place + (lift - depth) * best))
        gap = fcl.DistanceResult()
        fcl.distance(first, second, request, gap)
        way = gap.nearest_points[0] - gap.nearest_points[1]
        size = float(np.linalg.norm(way))
        if not size > 0.0:
            break
        way = way / size
        found = separation(pair, *way)
        if found <= depth:
            break
        best, depth = way, found
    return best


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
        length = norm(cx, cy, cz)
        if length > 0.0:
            cx, cy, cz = cx / length, cy / length, cz / length
        else:
            cx, cy, cz = 0.0, 0.0, 1.0
        length = norm(nx, ny, nz)
        # FCL reports zero normals for some touching pairs
        if length > 0.0:
            nx, ny, nz = nx / length, ny / length, nz / length
            if separation(pair, -nx, -ny, -nz) > separation(pair, nx, ny, nz):
                nx, ny, nz = -nx, -ny, -nz
        else:
            nx, ny, nz = cx, cy, cz
        if separation(pair, nx, ny, nz) > margin:
            continue
        nx, ny, nz, gap = refine_normal(pair, nx, ny, nz, edges)
        if gap <= 0.0:
            # for touching faces FCL's normal may be any direction along them
            fx, fy, fz, other = best_face_normal(pair, gap, nx, ny, nz)
            if other > gap + 1e-12:
                nx, ny, nz, gap = refine_normal(pair, fx, fy, fz, edges)
            cx, cy, cz, other = refine_normal(pair, cx, cy, cz, edges)
            if other > gap + 1e-12:
                nx, ny, nz, gap = cx, cy, cz, other
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
    normals = _fcl_normals(pairs, table, margin)
    scratch = convex_scratch(table.polyhedra.arrays)
    walk_pairs(partial(_collide, normals), pairs, table, margin, contacts, scratch, MAX_CONTACTS)

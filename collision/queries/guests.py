"""A shape that is no part of a world, asked about at a pose: what overlaps it, what it meets when it moves.

The signed distance of two convex shapes is a convex function of a translation, so Newton's method, which goes
on to where the plane between the shapes would be reached, comes from outside and never passes the first
touch: conservative advancement with quadratic convergence on curved surfaces, and exact after finitely many
steps between flat ones.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from stoss.collision.algebra import cross, dot, perpendicular, rotate_inverse
from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.collision.manifold.manifold import contact_manifold, separation
from stoss.collision.manifold.scratch import MAX_CONTACTS
from stoss.collision.narrow_phase.convex import convex_normal
from stoss.collision.narrow_phase.convex_scratch import ConvexScratch, convex_scratch
from stoss.collision.narrow_phase.mesh import TREE_DEPTH
from stoss.collision.narrow_phase.mesh_normals import put_triangle
from stoss.collision.narrow_phase.scratch import OfThread
from stoss.collision.orientations import unit_quaternion
from stoss.collision.plain_numbers import shown
from stoss.collision.queries.paths import way_meets_node
from stoss.collision.queries.queries import finite_vector, wanted_shapes
from stoss.collision.shapes.edge_feature import edge_feature
from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.features import support
from stoss.collision.shapes.kinds import HALFSPACE, MESH
from stoss.collision.shapes.shape_pair import centre_of, from_shape, load_shape
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable, check_shape
from stoss.collision.shapes.shapes import HalfSpace, Shape
from stoss.collision.shapes.support_polygon import support_polygon
from stoss.names import closed, takes_names

FEATURE = "queries"  # see `kernels.prepare`

__all__ = ["ShapeHit", "overlap", "shape_cast"]

NEVER = 2.0  # share of the motion: later than its end
MOST_ADVANCES = 64
LINE_SINE = 1e-6  # of the angle with the plane across the normal within which a line lies in it
LEAN = 1e-7  # [rad] by which directions that are nearby differ
ROUNDING = 1e-12  # gap, relative to the coordinates of the shape, at which shapes touch
RESTS = 1e-8  # overlap, relative to them, up to which shapes only touch, as what rests and slides does


@closed
@dataclass(frozen=True)
class ShapeHit:
    """Where a moving shape first meets another one.

    Attributes:
        shape: row of the table.
        body: the body that carries it.
        fraction: of the motion, 0 to 1.
        distance: that the moving shape has gone [m].
        point: (3,) where they touch, in the middle if they touch along faces or edges [m], world.
        normal: (3,) unit normal from the shape that is hit towards the moving one, world.
        gap: between the shapes there [m]: zero, to rounding; negative where they overlap from the start.
    """

    shape: int
    body: int
    fraction: float
    distance: float
    point: np.ndarray
    normal: np.ndarray
    gap: float


class GuestScratch(Struct):
    """Work arrays of questions about a shape, of fixed lengths; made once.

    Attributes:
        convex: the guest as the first shape of the pair, another one as the second.
        stack: nodes of a mesh's tree that are still to be looked at.
        start, way: of the origin of the guest, in the frame of a mesh [m].
        contacts: of the pair.
    """

    convex: ConvexScratch
    stack: Annotated[Ints, "nodes"]
    start: Annotated[Floats, "axes"]
    way: Annotated[Floats, "axes"]
    contacts: ContactArrays

    @classmethod
    def new(cls) -> "GuestScratch":
        """Return new arrays."""
        contacts = ContactArrays.zeros(contacts=MAX_CONTACTS)
        return cls(
            ConvexScratch.new(), np.zeros(2 * TREE_DEPTH, np.int64), np.zeros(3), np.zeros(3), contacts
        )


_own = OfThread(GuestScratch.new)


@inner
def _gap_to(pair, scratch):
    """Return (nx, ny, nz, gap): the normal from the second shape to the guest, and the distance along it."""
    if pair.kind[1] == HALFSPACE:
        nx, ny, nz = from_shape(1, pair, pair.size[1, 0], pair.size[1, 1], pair.size[1, 2])
        x, y, z = support(0, pair, -nx, -ny, -nz)
        p = pair.position
        height = dot(nx, ny, nz, x - p[1, 0], y - p[1, 1], z - p[1, 2])
        return nx, ny, nz, height - pair.size[1, 3] - pair.rounding[0]
    _, nx, ny, nz, gap = convex_normal(pair, np.inf, scratch.search, scratch.manifold.edges)
    return nx, ny, nz, gap


@inner
def _place(pair, guest, motion, s):
    """Write where the guest is at the share s of its motion."""
    for k in range(3):
        pair.position[0, k] = guest.position[0, k] + s * motion[k]


@inner
def _size(guest, motion):
    """Return what lengths are relative to [m]."""
    size = guest.bounding_radius[0]
    for k in range(3):
        size += abs(guest.position[0, k]) + abs(motion[k])
    return size


@kernel
def _meet(
    guest: ShapeArrays, motion: Floats, limit: float, scratch: ConvexScratch
) -> tuple[float, float, float, float, float]:
    """Return (s, nx, ny, nz, gap) where the guest meets the second shape of the pair; s = NEVER if not.

    Inputs:
        motion: (3,) [m].
        limit: share of the motion up to which it is looked.
        scratch: with the pair.
    """
    pair = scratch.pair
    size = _size(guest, motion)
    met, mx, my, mz, least = NEVER, 0.0, 0.0, 1.0, np.inf
    s, within = 0.0, ROUNDING * size
    nx, ny, nz = 0.0, 0.0, 1.0
    for _ in range(MOST_ADVANCES):
        _place(pair, guest, motion, s)
        ox, oy, oz = nx, ny, nz
        nx, ny, nz, gap = _gap_to(pair, scratch)
        if s > 0.0 and pair.kind[1] != HALFSPACE:
            before = separation(pair, ox, oy, oz)
            if (
                before > gap + within
            ):  # where curved shapes barely touch, the search may end beside the best normal
                nx, ny, nz, gap = ox, oy, oz, before
        if met == NEVER and gap <= within:
            met, mx, my, mz, least = s, nx, ny, nz, gap
        if gap <= -RESTS * size:
            break
        speed = -dot(nx, ny, nz, motion[0], motion[1], motion[2])
        # the gap is convex: what no longer approaches never will
        if speed <= 0.0 or (met == NEVER and s + gap / speed > limit + ROUNDING):
            return NEVER, nx, ny, nz, gap
        # what has met must go in, if need be beyond the end of the motion
        s += (gap if met == NEVER else gap + 2.0 * RESTS * size) / speed
    return min(met, 1.0) if met < NEVER else s, mx, my, mz, least


@inner
def _put_face(f, row, shapes, pair):
    """Make triangle `f` of a mesh the second shape, with the side on which the centre of the guest lies."""
    first = pair.solids.face_start[shapes.polyhedron[row]]
    put_triangle(1, f, first, shapes.position[row], shapes.quaternion[row], pair)
    x, y, z = centre_of(0, pair)
    normal, corners = pair.normal, pair.corners
    nx, ny, nz = normal[1, 0], normal[1, 1], normal[1, 2]
    if dot(nx, ny, nz, x - corners[1, 0, 0], y - corners[1, 0, 1], z - corners[1, 0, 2]) < 0.0:
        normal[1, 0], normal[1, 1], normal[1, 2] = -nx, -ny, -nz
        for k in range(3):  # the corners run round the normal
            corners[1, 1, k], corners[1, 2, k] = corners[1, 2, k], corners[1, 1, k]


@kernel
def _meet_mesh(
    row: int,
    shapes: ShapeArrays,
    guest: ShapeArrays,
    motion: Floats,
    limit: float,
    scratch: GuestScratch,
    best: Floats,
) -> int:
    """Write (s, nx, ny, nz, gap) where the guest meets a mesh to `best`; return the triangle, -1 for none.

    Inputs:
        row: of the mesh.
        limit: share of the motion up to which it is looked; without a motion, triangles in the guest count.
        scratch: with the guest in the pair.
    """
    pair, stack, c, d = scratch.convex.pair, scratch.stack, scratch.start, scratch.way
    solids = pair.solids
    node_range = solids.node_range
    q, p, around = shapes.quaternion[row], shapes.position[row], guest.bounding_radius[0]
    o = guest.position[0]
    c[0], c[1], c[2] = rotate_inverse(q, o[0] - p[0], o[1] - p[1], o[2] - p[2])
    d[0], d[1], d[2] = rotate_inverse(q, motion[0], motion[1], motion[2])
    around += ROUNDING * _size(guest, motion)
    found = -1
    waiting = 1
    stack[0] = solids.root[shapes.polyhedron[row]]
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if not way_meets_node(solids, node, c, d, around, limit):
            continue
        if node_range[node, 0] >= 0:
            stack[waiting], stack[waiting + 1] = node_range[node, 1], node_range[node, 0]
            waiting += 2
            continue
        begin = -1 - node_range[node, 0]
        for leaf in range(begin, begin + node_range[node, 1]):
            f = solids.leaf_faces[leaf]
            _place(pair, guest, motion, 0.0)
            _put_face(f, row, shapes, pair)
            s, nx, ny, nz, gap = _meet(guest, motion, limit, scratch.convex)
            if s < NEVER and (found < 0 or s < best[0] or (s == best[0] and gap < best[4])):
                found, limit = f, s
                best[0], best[1], best[2], best[3], best[4] = s, nx, ny, nz, gap
    return found


@inner
def _alone(k, pair, nx, ny, nz, size):
    """Return (alone, x, y, z): the support of a shape, and whether it is that of all directions nearby."""
    x, y, z = support(k, pair, nx, ny, nz)
    tx, ty, tz = perpendicular(nx, ny, nz)
    alone = True
    for i in range(4):
        if i == 2:
            tx, ty, tz = cross(nx, ny, nz, tx, ty, tz)
        lean = LEAN if i % 2 == 0 else -LEAN
        px, py, pz = support(k, pair, nx + lean * tx, ny + lean * ty, nz + lean * tz)
        alone = alone and abs(px - x) + abs(py - y) + abs(pz - z) <= 100.0 * LEAN * size
    return alone, x, y, z


@inner
def _between_lines(pair, nx, ny, nz, edges):
    """Return (known, x, y, z): where, on the second shape, two lines that are not parallel are nearest."""
    lean_a, _ = edge_feature(0, pair, -nx, -ny, -nz, edges[0])
    lean_b, _ = edge_feature(1, pair, nx, ny, nz, edges[1])
    a, b = edges[0, 0], edges[1, 0]
    ux, uy, uz = edges[0, 1, 0] - a[0], edges[0, 1, 1] - a[1], edges[0, 1, 2] - a[2]
    vx, vy, vz = edges[1, 1, 0] - b[0], edges[1, 1, 1] - b[1], edges[1, 1, 2] - b[2]
    wx, wy, wz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    uu, vv, uv = dot(ux, uy, uz, ux, uy, uz), dot(vx, vy, vz, vx, vy, vz), dot(ux, uy, uz, vx, vy, vz)
    wu, wv = dot(wx, wy, wz, ux, uy, uz), dot(wx, wy, wz, vx, vy, vz)
    area = uu * vv - uv * uv
    if lean_a > LINE_SINE or lean_b > LINE_SINE or area <= 1e-12 * uu * vv:
        return False, 0.0, 0.0, 0.0
    # nearest to each other on lines without end, then within both ends
    s = min(max((wu * vv - wv * uv) / area, 0.0), 1.0)
    r = min(max((s * uv - wv) / vv, 0.0), 1.0)
    s = min(max((r * uv + wu) / uu, 0.0), 1.0)
    down = separation(pair, nx, ny, nz) + pair.rounding[0]
    return True, a[0] + s * ux - down * nx, a[1] + s * uy - down * ny, a[2] + s * uz - down * nz


@inner
def _touch(row, face, guest, shapes, motion, best, scratch, point):
    """Write to `point` where the guest touches what it has met: the mean of the deepest contacts."""
    pair, manifold, out = scratch.convex.pair, scratch.convex.manifold, scratch.contacts
    s, nx, ny, nz, gap = best[0], best[1], best[2], best[3], best[4]
    load_shape(row, 1, shapes, pair)
    _place(pair, guest, motion, 0.0)
    if face >= 0:
        _put_face(face, row, shapes, pair)
    _place(pair, guest, motion, s)
    room = 1e-9 * _size(guest, motion)
    count, x, y, z = 0, 0.0, 0.0, 0.0
    if pair.kind[1] == HALFSPACE:
        support_polygon(0, pair, -nx, -ny, -nz, manifold.features)
        corners = manifold.features.corners
        lowest = np.inf
        for i in range(manifold.features.count[0]):
            lowest = min(lowest, dot(nx, ny, nz, corners[0, i, 0], corners[0, i, 1], corners[0, i, 2]))
        for i in range(manifold.features.count[0]):
            cx, cy, cz = corners[0, i, 0], corners[0, i, 1], corners[0, i, 2]
            if dot(nx, ny, nz, cx, cy, cz) <= lowest + room:
                count, x, y, z = count + 1, x + cx, y + cy, z + cz
        down = gap + pair.rounding[0]  # from the core to the plane
        x, y, z = x / count - down * nx, y / count - down * ny, z / count - down * nz
    else:
        contacts = contact_manifold(pair, nx, ny, nz, gap + room, manifold, out, 0)
        lowest = np.inf
        for i in range(contacts):
            lowest = min(lowest, out.gap[i])
        for i in range(contacts):
            if out.gap[i] <= lowest + room:
                count, x, y = count + 1, x + out.point_b[i, 0], y + out.point_b[i, 1]
                z += out.point_b[i, 2]
        x, y, z = x / max(count, 1), y / max(count, 1), z / max(count, 1)
        size = guest.bounding_radius[0]
        known, px, py, pz = _alone(0, pair, -nx, -ny, -nz, size)
        if known or count == 0:  # rounding may have left no contact
            down = gap + pair.rounding[0]
            x, y, z = px - down * nx, py - down * ny, pz - down * nz
        else:
            known, px, py, pz = _alone(1, pair, nx, ny, nz, size)
            if known:
                up = pair.rounding[1]
                x, y, z = px + up * nx, py + up * ny, pz + up * nz
            else:
                known, px, py, pz = _between_lines(pair, nx, ny, nz, manifold.edges)
                if known:
                    x, y, z = px, py, pz
    point[0], point[1], point[2] = x, y, z


@inner
def _far(guest, shapes, row, motion):
    """Return whether the bounds of the guest on its way, and those of a shape, are apart."""
    apart = False
    for k in range(3):
        low, high = guest.aabb_min[0, k], guest.aabb_max[0, k]
        low, high = min(low, low + motion[k]), max(high, high + motion[k])
        room = ROUNDING * (abs(low) + abs(high))
        apart = apart or low - room > shapes.aabb_max[row, k] or high + room < shapes.aabb_min[row, k]
    return apart


@kernel
def _cast(
    guest: ShapeArrays,
    motion: Floats,
    shapes: ShapeArrays,
    wanted: Bools,
    scratch: GuestScratch,
    trial: Floats,
    best: Floats,
    point: Floats,
) -> int:
    """Return the row of the shape that the guest meets first, -1 for none.

    Writes (s, nx, ny, nz, gap) to `best`, and where they touch to `point`; `trial` (5,) is scratch.
    """
    pair = scratch.convex.pair
    found, at = -1, -1
    best[0] = NEVER
    load_shape(0, 0, guest, pair)
    for row in range(len(wanted)):
        if not wanted[row] or _far(guest, shapes, row, motion):
            continue
        load_shape(row, 1, shapes, pair)
        face, limit = -1, min(best[0], 1.0)
        if shapes.kind[row] == MESH:
            face = _meet_mesh(row, shapes, guest, motion, limit, scratch, trial)
            if face < 0:
                continue
        else:
            trial[0], trial[1], trial[2], trial[3], trial[4] = _meet(guest, motion, limit, scratch.convex)
        if trial[0] < best[0] or (trial[0] < NEVER and trial[0] == best[0] and trial[4] < best[4]):
            found, at = row, face
            for k in range(5):
                best[k] = trial[k]
    if found >= 0:
        _touch(found, at, guest, shapes, motion, best, scratch, point)
    return found


@inner
def _reaches_mesh(row, guest, shapes, scratch):
    """Return whether a triangle of a mesh reaches into the guest."""
    pair, stack = scratch.convex.pair, scratch.stack
    solids = pair.solids
    q, p, o = shapes.quaternion[row], shapes.position[row], guest.position[0]
    around = guest.bounding_radius[0]
    x, y, z = rotate_inverse(q, o[0] - p[0], o[1] - p[1], o[2] - p[2])
    waiting = 1
    stack[0] = solids.root[shapes.polyhedron[row]]
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        apart = False
        for k in range(3):
            at = x if k == 0 else (y if k == 1 else z)
            apart = apart or solids.node_min[node, k] - around > at or solids.node_max[node, k] + around < at
        if apart:
            continue
        if solids.node_range[node, 0] >= 0:
            stack[waiting], stack[waiting + 1] = solids.node_range[node, 1], solids.node_range[node, 0]
            waiting += 2
            continue
        begin = -1 - solids.node_range[node, 0]
        for leaf in range(begin, begin + solids.node_range[node, 1]):
            _put_face(solids.leaf_faces[leaf], row, shapes, pair)
            _, _, _, gap = _gap_to(pair, scratch.convex)
            if gap <= 0.0:
                return True
    return False


@kernel
def _find_overlaps(
    guest: ShapeArrays, motion: Floats, shapes: ShapeArrays, wanted: Bools, scratch: GuestScratch
) -> None:
    """Leave in `wanted` those shapes that overlap the guest; the motion is none."""
    pair = scratch.convex.pair
    load_shape(0, 0, guest, pair)
    for row in range(len(wanted)):
        if not wanted[row]:
            continue
        wanted[row] = False
        if _far(guest, shapes, row, motion):
            continue
        load_shape(row, 1, shapes, pair)
        if shapes.kind[row] == MESH:
            wanted[row] = _reaches_mesh(row, guest, shapes, scratch)
        else:
            _, _, _, gap = _gap_to(pair, scratch.convex)
            wanted[row] = gap <= 0.0


@contextmanager
def _guest(
    table: ShapeTable, shape: Shape, position: Any, quaternion: Any
) -> Iterator[tuple[ShapeArrays, GuestScratch]]:
    """Give the arrays of a shape that visits a table, and work arrays, for the time of a question."""
    check_shape("shape", shape)
    if isinstance(shape, HalfSpace | TriangleMesh):
        raise TypeError(f"shape = {shown(shape)} must be a convex solid such as Box((1, 1, 1))")
    own = ShapeTable()
    own.add(shape, 0, position, unit_quaternion("quaternion", quaternion))
    own.update(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]), 0.0)
    arrays, scratch = own.arrays, _own.scratch
    with ExitStack() as stack:
        if isinstance(shape, ConvexHull):
            arrays.polyhedron[0] = stack.enter_context(table.lodging(shape))
        scratch.convex = convex_scratch(table.polyhedra.arrays)
        yield arrays, scratch


@takes_names
def shape_cast(
    table: ShapeTable,
    shape: Shape,
    position: Any,
    quaternion: Any,
    motion: Any,
    mask: int = -1,
    among: np.ndarray | None = None,
) -> ShapeHit | None:
    """Return what a shape meets first when it moves without turning, or None.

    Shapes meet where they touch and would overlap farther on; what slides or rests on another one,
    overlapping by less than 1e-8 of the coordinates, only touches it. What overlaps from the start is met at
    the fraction 0, the deepest first. Triangles of meshes are met from both sides.

    Args:
        table: the shapes, updated (`Detector.table`).
        shape: any convex shape.
        position: where it starts (3,) [m], world.
        quaternion: (w, x, y, z), unit length.
        motion: how far it goes (3,) [m]; none asks for what overlaps.
        mask, among: which shapes are asked, see `wanted_shapes`.

    Raises:
        TypeError: if the shape is a half-space or a mesh.
        ValueError: if the pose or the motion is not finite, or the quaternion not of unit length.
    """
    way = finite_vector("motion", motion)
    best, trial, point = np.zeros(5), np.zeros(5), np.zeros(3)
    with _guest(table, shape, position, quaternion) as (guest, scratch):
        wanted = wanted_shapes(table, mask, among)
        row = _cast(guest, way, table.arrays, wanted, scratch, trial, best, point)
    if row < 0:
        return None
    distance = float(best[0] * np.linalg.norm(way))
    return ShapeHit(
        row, int(table.body[row]), float(best[0]), distance, point, best[1:4].copy(), float(best[4])
    )


@takes_names
def overlap(
    table: ShapeTable,
    shape: Shape,
    position: Any = (0.0, 0.0, 0.0),
    quaternion: Any = (1.0, 0.0, 0.0, 0.0),
    mask: int = -1,
    among: np.ndarray | None = None,
) -> np.ndarray:
    """Return the rows of the shapes that a shape would overlap, in order; `table.body[rows]` are the bodies.

    A mesh is overlapped by what reaches through its surface, not by what lies behind it.

    Args:
        table: the shapes, updated (`Detector.table`).
        shape: any convex shape.
        position: (3,) [m], world.
        quaternion: (w, x, y, z), unit length.
        mask, among: which shapes are asked, see `wanted_shapes`.

    Raises:
        TypeError: if the shape is a half-space or a mesh.
        ValueError: if the pose is not finite or not of unit length.
    """
    with _guest(table, shape, position, quaternion) as (guest, scratch):
        wanted = wanted_shapes(table, mask, among)
        _find_overlaps(guest, np.zeros(3), table.arrays, wanted, scratch)
    return np.flatnonzero(wanted)

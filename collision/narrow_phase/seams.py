"""Seams between pieces that abut: contacts that only one piece by itself would make.

A floor of boxes, a wall of bricks or a compound is one surface to a body that touches several of its
pieces. Each pair is looked at by itself, so a piece may offer a normal that the surface does not have: over
an edge or a side that its neighbour covers. Such a contact acts as a ramp or a stop where there is nothing.
It is told by the neighbours that the body touches as well:

- *level*: the neighbour is touched along the normal m of a face of the piece, in the plane of that face. The
  body, which is convex, lies on that plane; it touches the piece along m or not at all.
- *covered*: the point on the piece is a point of the neighbour, and that goes on beyond it along the contact
  normal. Then the body is nearer to the neighbour than to the piece (apart), or the side is a hidden one.

A contact without overlap is dropped: nothing is lost, as the neighbour's holds. One that overlaps is measured
from the open face of the piece. Where surfaces meet in a hollow, at the foot of a wall, both have their say.
"""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import dot, rotate
from stoss.collision.contacts import NORMAL_ON_A, NORMAL_ON_B, ContactArrays, Contacts, move_contact
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Bools, Ints
from stoss.collision.shapes.extent import contains, reach
from stoss.collision.shapes.flat_faces import ON_FACE, face_count, flat_face, is_face_normal
from stoss.collision.shapes.kinds import BOX, CYLINDER, HALFSPACE, HULL, MESH
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable

__all__ = ["PIECES", "SeamScratch", "Seams", "judge_seams"]

# Kinds that surfaces are made of: those with edges. A half-space may cover, but has no edge.
PIECES = (BOX, HULL, CYLINDER)

# How far surfaces may be off one another and still be level, or abut [m per m of the smallest shape]: above
# the rounding of poses in single precision, below any step that a contact could feel.
LEVEL = 1e-5
SAME_WAY = np.cos(0.02)  # normals of one surface: as far as a face may replace a normal, see `manifold`
INSIDE = 1e-3  # how far along the normal a hidden side is looked through [m per m of the smallest shape]
FEATURE_TURNED = 1 << 60  # set in the feature of a contact that is measured from another face


class SeamScratch(Struct):
    """Work arrays of `judge_seams`, for at least as many contacts as there are.

    Attributes:
        first, fixed: of each shape its first contact, and the last one with what stands still, -1 for none.
        start: of each shape, its first entry in `rows`.
        rows: contacts by shape, in order.
        chosen: contacts of one shape, one for each normal.
        keep: which contacts stay.
    """

    first: Annotated[Ints, "shapes"]
    fixed: Annotated[Ints, "shapes"]
    start: Annotated[Ints, "shapes+1"]
    rows: Annotated[Ints, "entries"]
    chosen: Annotated[Ints, "contacts"]
    keep: Annotated[Bools, "contacts"]


@inner
def _other(contacts, c, a):
    """Return the shape that `a` touches by contact c."""
    return contacts.shape_b[c] if contacts.shape_a[c] == a else contacts.shape_a[c]


@inner
def _seen_from(contacts, c, a):
    """Return the normal towards shape a, and the points on the other shape and on a."""
    first = contacts.shape_a[c] == a
    sign = 1.0 if first else -1.0
    n, p, q = contacts.normal, contacts.point_a, contacts.point_b
    normal = sign * n[c, 0], sign * n[c, 1], sign * n[c, 2]
    x, y = (p[c, 0], p[c, 1], p[c, 2]), (q[c, 0], q[c, 1], q[c, 2])
    return normal, (y if first else x), (x if first else y)


@inner
def _radius_of(contacts, c, a):
    """Return the radius of curvature of shape a at contact c."""
    return contacts.radius_a[c] if contacts.shape_a[c] == a else contacts.radius_b[c]


@kernel
def _open_face(
    a: int,
    i: int,
    j: int,
    normal: tuple[float, float, float],
    same: float,
    point: tuple[float, float, float],
    through: bool,
    tolerance: float,
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
) -> tuple[bool, float, float, float]:
    """Return the face normal of piece i (world) along which a leaves it best, if neighbour j leaves it free.

    Inputs:
        normal, same: of the contact, which is not it: cosine from which on directions are the same.
        point: on the piece; the face goes through it, unless it is hidden.
        through: whether it is.

    A face that has all of a on its inner side is none that a rests on.
    """
    best, found = -np.inf, False
    bx, by, bz = 0.0, 0.0, 0.0
    for f in range(face_count(i, shapes, solids)):
        fx, fy, fz = flat_face(i, f, shapes, solids)
        x, y, z = rotate(shapes.quaternion[i], fx, fy, fz)
        if dot(x, y, z, normal[0], normal[1], normal[2]) >= same:
            continue
        plane = reach(i, x, y, z, shapes, solids)
        if not through and dot(x, y, z, point[0], point[1], point[2]) < plane - tolerance:
            continue
        if reach(a, x, y, z, shapes, solids) <= plane:
            continue  # all of a is beneath it: pieces that cross, as at the corner of a funnel
        gap = -reach(a, -x, -y, -z, shapes, solids) - plane
        if gap > best and reach(j, x, y, z, shapes, solids) <= plane + tolerance:
            best, found = gap, True
            bx, by, bz = x, y, z
    return found, bx, by, bz


@inner
def _same_way(contacts, c, a):
    """Return the cosine from which on other normals are that of contact c.

    A face that leans a little still rests on the piece; what is round does not.
    """
    return ON_FACE if _radius_of(contacts, c, a) > 0.0 else SAME_WAY


@inner
def _near_bounds(j, point, size, shapes):
    """Return whether a point lies in the box around shape j, or so near that tolerances matter."""
    room = LEVEL * size
    near = True
    for k in range(3):
        near = near and shapes.aabb_min[j, k] - room <= point[k] <= shapes.aabb_max[j, k] + room
    return near


@inner
def _nothing_lost(contacts, c, d, a, tolerance):
    """Return whether contact c may go: without overlap, or of what is round and lowest over the neighbour."""
    gap = contacts.gap[c]
    return gap > -tolerance or (_radius_of(contacts, c, a) > 0.0 and contacts.gap[d] <= gap)


@kernel
def _level(
    a: int,
    c: int,
    d: int,
    tolerance: float,
    contacts: ContactArrays,
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
) -> tuple[bool, float, float, float]:
    """Return whether contact d of shape a lies in the plane of a face of the piece of contact c.

    Returns:
        (level, m): m is the face normal from which to measure c instead, zero to drop it.
    """
    i = _other(contacts, c, a)
    (x, y, z), at, _ = _seen_from(contacts, d, a)
    if not is_face_normal(i, (x, y, z), shapes, solids):
        return False, 0.0, 0.0, 0.0
    if abs(reach(i, x, y, z, shapes, solids) - dot(x, y, z, at[0], at[1], at[2])) > tolerance:
        return False, 0.0, 0.0, 0.0
    if contacts.gap[d] > -tolerance or _nothing_lost(contacts, c, d, a, tolerance):
        return True, 0.0, 0.0, 0.0
    return True, x, y, z


@kernel
def _covered(
    a: int,
    c: int,
    d: int,
    tolerance: float,
    contacts: ContactArrays,
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
) -> tuple[bool, float, float, float]:
    """Return whether the shape that touches a by contact d covers the point of contact c.

    Returns:
        (covered, m): as for `_level`.
    """
    i, j = _other(contacts, c, a), _other(contacts, d, a)
    normal, point, _ = _seen_from(contacts, c, a)
    nx, ny, nz = normal
    if not contains(j, point, tolerance, shapes, solids):
        return False, 0.0, 0.0, 0.0
    if reach(j, nx, ny, nz, shapes, solids) <= dot(nx, ny, nz, point[0], point[1], point[2]) + tolerance:
        return False, 0.0, 0.0, 0.0
    through = is_face_normal(i, normal, shapes, solids)
    if through:
        step = INSIDE / LEVEL * tolerance
        beyond = (point[0] + step * nx, point[1] + step * ny, point[2] + step * nz)
        if not contains(j, beyond, -tolerance, shapes, solids):
            return False, 0.0, 0.0, 0.0
    elif contacts.gap[c] > tolerance:
        return True, 0.0, 0.0, 0.0
    same = _same_way(contacts, c, a)
    found, x, y, z = _open_face(a, i, j, normal, same, point, through, tolerance, shapes, solids)
    if found and _nothing_lost(contacts, c, d, a, tolerance):
        return True, 0.0, 0.0, 0.0
    return found, x, y, z


@inner
def _measure_from(contacts, c, a, i, m, shapes, solids):
    """Measure contact c from the face of piece i with the normal m; the point on shape a stays."""
    mx, my, mz = m
    _, _, q = _seen_from(contacts, c, a)
    gap = dot(mx, my, mz, q[0], q[1], q[2]) - reach(i, mx, my, mz, shapes, solids)
    first = contacts.shape_a[c] == a
    sign, of_piece = (1.0, contacts.point_b) if first else (-1.0, contacts.point_a)
    for k in range(3):
        x = mx if k == 0 else (my if k == 1 else mz)
        contacts.normal[c, k] = sign * x
        of_piece[c, k] = q[k] - gap * x
    contacts.gap[c] = gap
    contacts.normal_side[c] = NORMAL_ON_B if first else NORMAL_ON_A
    contacts.feature[c] ^= FEATURE_TURNED


@inner
def _list_by_shape(contacts, count, scratch):
    """Write the contacts of each shape to `rows`, in order."""
    start, rows = scratch.start, scratch.rows
    shapes = len(start) - 1
    for s in range(shapes + 1):
        start[s] = 0
    for c in range(count):
        start[contacts.shape_a[c]] += 1
        start[contacts.shape_b[c]] += 1
    total = 0
    for s in range(shapes):
        total += start[s]
        start[s] = total
    start[shapes] = total
    for back in range(count):
        c = count - 1 - back
        for s in (contacts.shape_a[c], contacts.shape_b[c]):
            start[s] -= 1
            rows[start[s]] = c


@inner
def _is_piece(kind):
    return kind == BOX or kind == HULL or kind == CYLINDER


@inner
def _choose_normals(a, movable, contacts, shapes, scratch):
    """Write to `chosen` one contact of each normal of each shape that touches a.

    Returns:
        (count, aside, joined): how many, whether any is not parallel to the first one, and whether two of the
        shapes move as one.
    """
    start, rows, chosen = scratch.start, scratch.rows, scratch.chosen
    count, aside, joined, fixed = 0, False, False, False
    fx, fy, fz, px, py, pz, last = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1
    for r in range(start[a], start[a + 1]):
        c = rows[r]
        j = _other(contacts, c, a)
        n = contacts.normal
        x, y, z = n[c, 0], n[c, 1], n[c, 2]
        if j == last and dot(x, y, z, px, py, pz) >= ON_FACE:
            continue
        if count == 0:
            fx, fy, fz = x, y, z
        aside = aside or abs(dot(x, y, z, fx, fy, fz)) < ON_FACE
        if j != last:
            stands = not movable[shapes.body[j]]
            joined = joined or (stands and fixed) or (last >= 0 and shapes.body[j] == shapes.body[last])
            fixed = fixed or stands
        chosen[count] = c
        count += 1
        px, py, pz, last = x, y, z, j
    return count, aside, joined


@inner
def _is_behind(i, m, at, shapes):
    """Return whether a point is plainly beneath all faces of piece i with normal m: beneath its centre."""
    if shapes.kind[i] == HULL:
        return False  # whose origin may lie outside
    x, y, z = shapes.position[i, 0], shapes.position[i, 1], shapes.position[i, 2]
    height = dot(m[0], m[1], m[2], x, y, z) - dot(m[0], m[1], m[2], at[0], at[1], at[2])
    return height > LEVEL * shapes.bounding_radius[i]


@inner
def _judge_by(a, c, e, level, contacts, movable, shapes, solids, scratch):
    """Judge contact c of shape a by the contact e of another one; return whether it is false."""
    i, j = _other(contacts, c, a), _other(contacts, e, a)
    radius = shapes.bounding_radius
    tolerance = LEVEL * min(radius[a], radius[i], radius[j])
    if level:
        false, x, y, z = _level(a, c, e, tolerance, contacts, shapes, solids)
    else:
        false, x, y, z = _covered(a, c, e, tolerance, contacts, shapes, solids)
    if false and (x != 0.0 or y != 0.0 or z != 0.0):
        _measure_from(contacts, c, a, i, (x, y, z), shapes, solids)
    elif false:
        scratch.keep[c] = False
    return false


@inner
def _judge_shape(a, movable, contacts, shapes, solids, scratch):
    """Judge the contacts of shape a with pieces."""
    start, rows, keep, chosen = scratch.start, scratch.rows, scratch.keep, scratch.chosen
    count, turned, joined = _choose_normals(a, movable, contacts, shapes, scratch)
    # what touches a floor or a wall is no surface, unless it is of one body
    free = movable[shapes.body[a]]
    if count < 2 or not (joined or (turned and free)):
        return
    last, lx, ly, lz, any_level = -1, 0.0, 0.0, 0.0, False
    for r in range(start[a], start[a + 1]):
        c = rows[r]
        i = _other(contacts, c, a)
        if not keep[c] or not _is_piece(shapes.kind[i]):
            continue
        (nx, ny, nz), point, _ = _seen_from(contacts, c, a)
        same = _same_way(contacts, c, a)
        # contacts of one normal are level with the same neighbours
        known = i == last and dot(nx, ny, nz, lx, ly, lz) >= ON_FACE
        if not known:
            last, lx, ly, lz, any_level = i, nx, ny, nz, False
        if known and not (any_level or joined):
            continue
        false, before = False, -1
        for k in range(count):
            e = chosen[k]
            j = _other(contacts, e, a)
            if j == i or not keep[e]:
                continue
            one = shapes.body[i] == shapes.body[j]
            if turned and (one or free) and (any_level or not known):
                m, at, _ = _seen_from(contacts, e, a)
                across = -SAME_WAY < dot(nx, ny, nz, m[0], m[1], m[2]) < same
                if across and not _is_behind(i, m, at, shapes):
                    false = _judge_by(a, c, e, True, contacts, movable, shapes, solids, scratch)
                    any_level = any_level or false
            if joined and not false and j != before:
                one = one or (free and not (movable[shapes.body[i]] or movable[shapes.body[j]]))
                if one and _near_bounds(j, point, shapes.bounding_radius[a], shapes):
                    false = _judge_by(a, c, e, False, contacts, movable, shapes, solids, scratch)
            before = j
            if false:
                break


@inner
def _may_have_seams(contacts, count, movable, shapes, scratch):
    """Return whether any shape touches others along different normals, or others that move as one."""
    first, fixed, n = scratch.first, scratch.fixed, contacts.normal
    for s in range(len(first)):
        first[s] = fixed[s] = -1
    for c in range(count):
        for half in range(2):
            a = contacts.shape_a[c] if half == 0 else contacts.shape_b[c]
            j = contacts.shape_b[c] if half == 0 else contacts.shape_a[c]
            e = first[a]
            if e < 0:
                first[a] = c
            elif abs(dot(n[c, 0], n[c, 1], n[c, 2], n[e, 0], n[e, 1], n[e, 2])) < ON_FACE:
                return True
            body = shapes.body
            if (j > 0 and body[j - 1] == body[j]) or (j + 1 < len(body) and body[j + 1] == body[j]):
                return True
            if not movable[shapes.body[j]]:
                if fixed[a] >= 0 and fixed[a] != j:
                    return True
                fixed[a] = j
    return False


@kernel
def judge_seams(
    contacts: ContactArrays,
    count: int,
    movable: Bools,
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
    scratch: SeamScratch,
) -> int:
    """Drop or correct the contacts that the neighbours of a piece show to be false; return how many are left.

    Inputs:
        contacts, count: sorted by (shape_a, shape_b).
        movable: (n,) bodies that can move.
    """
    if not _may_have_seams(contacts, count, movable, shapes, scratch):
        return count
    _list_by_shape(contacts, count, scratch)
    start, rows = scratch.start, scratch.rows
    for c in range(count):
        scratch.keep[c] = True
    for a in range(len(start) - 1):
        first, last = start[a], start[a + 1]
        if last - first < 2 or shapes.kind[a] == HALFSPACE or shapes.kind[a] == MESH:
            continue
        if _other(contacts, rows[first], a) == _other(contacts, rows[last - 1], a):
            continue  # of one shape only
        _judge_shape(a, movable, contacts, shapes, solids, scratch)
    kept = 0
    for c in range(count):
        if scratch.keep[c]:
            if kept < c:
                move_contact(contacts, c, kept)
            kept += 1
    return kept


class Seams:
    """Judge the contacts of a detection; keeps the work arrays.

    Attributes:
        scratch: these, one struct for good.
    """

    def __init__(self) -> None:
        self._table = Table(SeamScratch)
        self.scratch = self._table.arrays

    def reserve(self, shapes: int, contacts: int) -> None:
        """Have room for so many contacts between so many shapes."""
        self._table.resize(keep=False, shapes=shapes, entries=2 * contacts, contacts=contacts)

    def judge(self, contacts: Contacts, movable: np.ndarray, table: ShapeTable) -> None:
        """Drop or correct contacts; see `judge_seams`.

        Args:
            contacts: sorted by (shape_a, shape_b).
            movable: (n,) bodies that can move.
            table: the shapes, updated.
        """
        self.reserve(table.count, contacts.capacity)
        contacts.count = judge_seams(
            contacts.arrays, contacts.count, movable, table.arrays, table.polyhedra.arrays, self.scratch
        )

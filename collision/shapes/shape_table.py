"""All shapes of a world as a structure of arrays."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import compress
from math import sqrt
from typing import Annotated, Any, NamedTuple

import numpy as np

from stoss.collision.algebra import matrix_from_quaternion, quaternion_multiply, rotate
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Floats, Floats2, Ints
from stoss.collision.orientations import unit_quaternion
from stoss.collision.plain_numbers import bits, finite_array, plain_floats, shown, whole
from stoss.collision.quaternions import length
from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.kinds import BOX, CAPSULE, CONE, CYLINDER, HALFSPACE, HULL, MESH, SPHERE
from stoss.collision.shapes.polyhedra import PolyhedronArrays, PolyhedronTable, polyhedron_bounds
from stoss.collision.shapes.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Shape, Sphere

__all__ = ["ShapeArrays", "ShapeTable", "check_shape", "place_shapes"]


class ShapeArrays(Struct):
    """The arrays of a `ShapeTable`, as kernels take them."""

    kind: Annotated[Ints, "shapes"]
    size: Annotated[Floats, "shapes", 4]
    polyhedron: Annotated[Ints, "shapes"]
    body: Annotated[Ints, "shapes"]
    group: Annotated[Ints, "shapes"]
    mask: Annotated[Ints, "shapes"]
    bounding_radius: Annotated[Floats, "shapes"]
    local_position: Annotated[Floats, "shapes", 3]
    local_quaternion: Annotated[Floats, "shapes", 4]
    position: Annotated[Floats, "shapes", 3]
    quaternion: Annotated[Floats, "shapes", 4]
    aabb_min: Annotated[Floats, "shapes", 3]
    aabb_max: Annotated[Floats, "shapes", 3]


class _Row(NamedTuple):
    """One row of the arrays that `ShapeTable.add` knows."""

    kind: int
    size: tuple[float, float, float, float]
    polyhedron: int
    body: int
    group: int
    mask: int
    bounding_radius: float
    local_position: tuple[float, ...]
    local_quaternion: tuple[float, ...]


class ShapeTable:
    """Hold `count` shapes, one per row of its arrays.

    Fields, each an array whose first axis is the shape:
        kind: kind code (`stoss.collision.shapes.kinds`).
        size (4): sphere: r; box: half edges; capsule, cylinder, cone: r, half length; ellipsoid: radii;
            half-space: normal and offset [m].
        polyhedron: row in `polyhedra` of a hull or mesh, else -1.
        body: the body that carries the shape.
        group, mask: collision groups of the shape and groups it may touch (bit sets).
        bounding_radius: radius [m] about the shape's origin that holds it all; infinite for half-spaces.
        local_position (3), local_quaternion (4): pose in the body's frame.
        position (3), quaternion (4): pose in the world, written by `update`.
        aabb_min, aabb_max (3): bounds in the world, grown by the margin, written by `update`.

    Attributes:
        shapes: the shape objects by row.
        polyhedra: vertices and faces of hulls and meshes.
        version: counts changes to the set of shapes.
    """

    kind: np.ndarray
    size: np.ndarray
    polyhedron: np.ndarray
    body: np.ndarray
    group: np.ndarray
    mask: np.ndarray
    bounding_radius: np.ndarray
    local_position: np.ndarray
    local_quaternion: np.ndarray
    position: np.ndarray
    quaternion: np.ndarray
    aabb_min: np.ndarray
    aabb_max: np.ndarray

    def __init__(self) -> None:
        self.version = 0
        self.shapes: list[Shape] = []
        self.polyhedra = PolyhedronTable()
        self._polyhedron_rows: dict[bytes, tuple[int, float]] = {}  # by content, with the bounding radius [m]
        self._table = Table(ShapeArrays)
        # shapes that have been added since the arrays were last asked for: one by one they would be resized
        # each time
        self._added: list[_Row] = []

    @property
    def count(self) -> int:
        """Return the number of shapes."""
        return len(self.shapes)

    @property
    def arrays(self) -> ShapeArrays:
        """Return the arrays as kernels take them, one struct for good."""
        if self._added:
            first = self.count - len(self._added)
            arrays = self._table.resize(shapes=self.count)
            for name, values in zip(_Row._fields, zip(*self._added, strict=True), strict=True):
                getattr(arrays, name)[first:] = values
            arrays.position[first:] = arrays.local_position[first:]
            arrays.quaternion[first:] = arrays.local_quaternion[first:]
            self._added = []
        return self._table.arrays

    def __getattr__(self, name: str) -> np.ndarray:
        """Return an array of the shapes."""
        if name not in ShapeArrays.array_fields():
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        array: np.ndarray = getattr(self.arrays, name)
        return array

    def add(
        self,
        shape: Shape,
        body: int,
        position: Any = (0.0, 0.0, 0.0),
        quaternion: Any = (1.0, 0.0, 0.0, 0.0),
        group: int = 1,
        mask: int = -1,
    ) -> int:
        """Append a shape and return its row.

        Args:
            shape: the shape.
            body: number of the body that carries it, from 0.
            position: the shape's origin in the body's frame (3,) [m].
            quaternion: the shape's orientation (w, x, y, z), shape to body, unit length.
            group: bits of the groups the shape belongs to.
            mask: bits of the groups the shape may touch; -1 means all.

        Raises:
            TypeError: `shape` is no shape.
            ValueError: `body` is negative, or a pose is not finite or not of unit length.
        """
        check_shape("shape", shape)
        body = whole("body", body, most=2**31 - 1)
        place = plain_floats(position, 3) or tuple(finite_array("position", position, (3,)).tolist())
        turn = plain_floats(quaternion, 4)
        if turn is None or not abs(length(turn) - 1.0) < 1e-9:
            turn = unit_quaternion("quaternion", quaternion)
        words = bits("group", group), bits("mask", mask)
        if isinstance(shape, ConvexHull | TriangleMesh):
            size = (0.0, 0.0, 0.0, 0.0)
            polyhedron, radius = self._polyhedron_of(shape)
        else:
            polyhedron = -1
            size, radius = _size_row(shape)
        self._added.append(_Row(shape.kind, size, polyhedron, body, *words, radius, place, turn))
        self.shapes.append(shape)
        self.version += 1
        return len(self.shapes) - 1

    def repeat(self, first: int, copies: int) -> None:
        """Append copies of the shapes of the last body for the bodies with the numbers that follow.

        Args:
            first: row of its first shape.
            copies: how many bodies follow.
        """
        end, size = self.count, self.count - first
        last = end + copies * size
        arrays = self.arrays
        self._table.resize(shapes=last)
        for rows in arrays:
            rows[end:last].reshape(copies, size, *rows.shape[1:])[:] = rows[first:end]
        arrays.body[end:last] += np.repeat(np.arange(1, copies + 1), size)
        self.shapes.extend(self.shapes[first:end] * copies)
        self.version += 1

    def _polyhedron_of(self, shape: ConvexHull | TriangleMesh) -> tuple[int, float]:
        """Return the row in `polyhedra` of a hull or mesh, which equal ones share, and its radius [m]."""
        known = self._polyhedron_rows.get(shape.content)
        if known is None:
            if isinstance(shape, ConvexHull):
                row = self.polyhedra.add_hull(shape.vertices, shape.faces)
            else:
                row = self.polyhedra.add_mesh(shape.vertices, shape.faces, shape.two_sided)
            known = row, float(np.linalg.norm(shape.vertices, axis=1).max())
            self._polyhedron_rows[shape.content] = known
        return known

    @contextmanager
    def lodging(self, hull: ConvexHull) -> Iterator[int]:
        """Give the row in `polyhedra` of a hull that need be there only for the time of a question."""
        known = self._polyhedron_rows.get(hull.content)
        if known is not None:
            yield known[0]
            return
        lengths = self.polyhedra.lengths
        try:
            yield self.polyhedra.add_hull(hull.vertices, hull.faces)
        finally:
            self.polyhedra.cut(lengths)

    def place_parts(self, body: int, poses: Sequence[tuple[Sequence[float], Sequence[float]]]) -> None:
        """Give the shapes of a body, in their order, other poses in its frame: (3,) [m] and (4,)."""
        arrays = self.arrays
        rows = np.flatnonzero(arrays.body == body)
        for row, (position, quaternion) in zip(rows.tolist(), poses, strict=True):
            arrays.local_position[row], arrays.local_quaternion[row] = position, quaternion
        self.version += 1

    def remove_body(self, body: int) -> None:
        """Drop the shapes of a body; see `remove_bodies`."""
        self.remove_bodies(np.array([body]))

    def remove_bodies(self, bodies: np.ndarray) -> None:
        """Drop the shapes of bodies (ascending numbers); bodies behind move down, in their order.

        Rows of the shapes behind move up, in order.
        """
        arrays = self.arrays
        gone = np.isin(arrays.body, bodies)
        rows = np.flatnonzero(gone)
        if len(rows):
            self._table.remove("shapes", rows)
            first = int(rows[0])
            self.shapes[first:] = compress(self.shapes[first:], (~gone[first:]).tolist())
            self._free_polyhedra()
        arrays.body[:] -= np.searchsorted(bodies, arrays.body)
        self.version += 1

    def _free_polyhedra(self) -> None:
        """Drop hulls and meshes of no shape, as soon as they are the larger part: that costs all of them."""
        rows = self.arrays.polyhedron
        used = np.zeros(self.polyhedra.count, np.bool_)
        used[rows[rows >= 0]] = True
        sizes = self.polyhedra.sizes
        if used.all() or sizes[~used].sum() < sizes[used].sum():
            return
        gone = np.flatnonzero(~used)
        self.polyhedra.remove(gone)
        rows -= np.searchsorted(gone, rows)
        self._polyhedron_rows = {
            content: (row - int(np.searchsorted(gone, row)), radius)
            for content, (row, radius) in self._polyhedron_rows.items()
            if used[row]
        }

    def update(self, body_positions: np.ndarray, body_quaternions: np.ndarray, margin: float) -> None:
        """Write the world poses and the bounds, grown by `margin` [m], of all shapes.

        Args:
            body_positions: (n, 3) [m], C-contiguous float64.
            body_quaternions: (n, 4) unit quaternions, C-contiguous float64.
            margin: how much the bounds reach beyond the shapes on every side [m].
        """
        place_shapes(body_positions, body_quaternions, margin, self.polyhedra.arrays, self.arrays)


_KINDS = (Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, HalfSpace, Sphere, TriangleMesh)


def check_shape(name: str, value: Any) -> None:
    """Raise unless a value is a shape that a `ShapeTable` can hold.

    Raises:
        TypeError, ValueError: it is not, which is named.
    """
    if not isinstance(value, _KINDS):
        call = "; call it" if isinstance(value, type) and issubclass(value, _KINDS) else ""
        raise TypeError(
            f"{name} = {shown(value)} is a {type(value).__name__}, not a shape such as Box((1, 1, 1)){call}"
        )
    if isinstance(value, TriangleMesh) and not value.has_area:
        raise ValueError(
            f"{name} = {shown(value)}: its triangles have no area; check the units of the vertices and the "
            "numbers of the faces"
        )


def _size_row(shape: Shape) -> tuple[tuple[float, float, float, float], float]:
    """Return the four numbers that kernels read and the bounding radius about the shape's origin [m]."""
    match shape:
        case Sphere(radius):
            return (radius, 0.0, 0.0, 0.0), radius
        case Box((x, y, z)):
            return (0.5 * x, 0.5 * y, 0.5 * z, 0.0), 0.5 * sqrt(x * x + y * y + z * z)
        case Capsule(radius, length):
            return (radius, 0.5 * length, 0.0, 0.0), radius + 0.5 * length
        case Cylinder(radius, length) | Cone(radius, length):
            return (radius, 0.5 * length, 0.0, 0.0), float(np.hypot(radius, 0.5 * length))
        case Ellipsoid((a, b, c)):
            return (a, b, c, 0.0), max(a, b, c)
        case HalfSpace((x, y, z), offset):
            return (x, y, z, offset), np.inf
    raise TypeError(f"shape is {shape!r}; the table does not know this kind")


@kernel
def place_shapes(
    # in
    body_positions: Floats2,
    body_quaternions: Floats2,
    margin: float,
    solids: PolyhedronArrays,
    # out
    shapes: ShapeArrays,
) -> None:
    """Write the poses and bounds of all shapes; see `ShapeTable.update`."""
    kind, size, body = shapes.kind, shapes.size, shapes.body
    local_position, local_quaternion = shapes.local_position, shapes.local_quaternion
    position, quaternion = shapes.position, shapes.quaternion
    aabb_min, aabb_max = shapes.aabb_min, shapes.aabb_max
    for s in range(len(kind)):
        b = body[s]
        local = local_position[s]
        turn = local_quaternion[s]
        q = body_quaternions[b]
        x, y, z = local[0], local[1], local[2]
        if x != 0.0 or y != 0.0 or z != 0.0:
            x, y, z = rotate(q, x, y, z)
        x += body_positions[b, 0]
        y += body_positions[b, 1]
        z += body_positions[b, 2]
        position[s, 0], position[s, 1], position[s, 2] = x, y, z
        qw, qx, qy, qz = q[0], q[1], q[2], q[3]
        if turn[1] != 0.0 or turn[2] != 0.0 or turn[3] != 0.0:
            qw, qx, qy, qz = quaternion_multiply(qw, qx, qy, qz, turn[0], turn[1], turn[2], turn[3])
        quaternion[s, 0], quaternion[s, 1], quaternion[s, 2], quaternion[s, 3] = qw, qx, qy, qz
        k = kind[s]
        if k == HALFSPACE:
            for i in range(3):
                aabb_min[s, i] = -np.inf
                aabb_max[s, i] = np.inf
            continue
        if k == HULL or k == MESH:
            continue
        if k == SPHERE:
            reach = size[s, 0] + margin
            for i in range(3):
                aabb_min[s, i] = position[s, i] - reach
                aabb_max[s, i] = position[s, i] + reach
            continue
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = matrix_from_quaternion(quaternion[s])
        s0, s1, s2 = size[s, 0], size[s, 1], size[s, 2]
        # half extents e_i of the bounds; the axis of round shapes is a = R z
        if k == BOX:  # e_i = sum_j |R_ij| s_j
            ex = abs(r00) * s0 + abs(r01) * s1 + abs(r02) * s2
            ey = abs(r10) * s0 + abs(r11) * s1 + abs(r12) * s2
            ez = abs(r20) * s0 + abs(r21) * s1 + abs(r22) * s2
        elif k == CAPSULE:  # e_i = |a_i| h + r
            ex, ey, ez = abs(r02) * s1 + s0, abs(r12) * s1 + s0, abs(r22) * s1 + s0
        elif k == CYLINDER or k == CONE:  # e_i = |a_i| h + r sqrt(1 - a_i^2); a cone's tip is inside
            ex = abs(r02) * s1 + s0 * np.sqrt(max(0.0, 1.0 - r02 * r02))
            ey = abs(r12) * s1 + s0 * np.sqrt(max(0.0, 1.0 - r12 * r12))
            ez = abs(r22) * s1 + s0 * np.sqrt(max(0.0, 1.0 - r22 * r22))
        else:  # ELLIPSOID: e_i = |(R diag(s))_i|
            ex = np.sqrt((r00 * s0) ** 2 + (r01 * s1) ** 2 + (r02 * s2) ** 2)
            ey = np.sqrt((r10 * s0) ** 2 + (r11 * s1) ** 2 + (r12 * s2) ** 2)
            ez = np.sqrt((r20 * s0) ** 2 + (r21 * s1) ** 2 + (r22 * s2) ** 2)
        ex += margin
        ey += margin
        ez += margin
        aabb_min[s, 0], aabb_max[s, 0] = x - ex, x + ex
        aabb_min[s, 1], aabb_max[s, 1] = y - ey, y + ey
        aabb_min[s, 2], aabb_max[s, 2] = z - ez, z + ez
    if len(solids.root) > 0:
        _bound_polyhedra(margin, solids, shapes)


@kernel
def _bound_polyhedra(margin: float, solids: PolyhedronArrays, shapes: ShapeArrays) -> None:
    polyhedron, position, quaternion = shapes.polyhedron, shapes.position, shapes.quaternion
    aabb_min, aabb_max = shapes.aabb_min, shapes.aabb_max
    for s in range(len(polyhedron)):
        if polyhedron[s] < 0:
            continue
        x0, y0, z0, x1, y1, z1 = polyhedron_bounds(solids, polyhedron[s], position[s], quaternion[s])
        aabb_min[s, 0], aabb_max[s, 0] = x0 - margin, x1 + margin
        aabb_min[s, 1], aabb_max[s, 1] = y0 - margin, y1 + margin
        aabb_min[s, 2], aabb_max[s, 2] = z0 - margin, z1 + margin

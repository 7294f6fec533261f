"""Questions about the shapes of a world: rays, nearest points, overlaps."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stoss.collision.algebra import rotate, rotate_inverse
from stoss.collision.contacts import Contacts
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Floats, Floats2, Ints
from stoss.collision.narrow_phase.convex import collide_convex_pairs
from stoss.collision.narrow_phase.half_space import collide_halfspace_pairs
from stoss.collision.narrow_phase.mesh import TREE_DEPTH, collide_mesh_pairs
from stoss.collision.queries.rays import ray_mesh, ray_shape
from stoss.collision.shapes.distances import nearest_on_mesh, nearest_on_shape
from stoss.collision.shapes.kinds import HALFSPACE, MESH
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable
from stoss.collision.shapes.shapes import HalfSpace, Shape, TriangleMesh

FEATURE = "queries"  # see `kernels.prepare`

__all__ = ["ClosestPoint", "RayHit", "closest_point", "overlap", "ray_cast", "ray_cast_all"]


@dataclass(frozen=True)
class RayHit:
    """Where a ray meets a shape.

    Attributes:
        shape: row of the table.
        body: the body that carries it.
        point: (3,) [m], world.
        normal: (3,) outward unit normal of the surface, world.
        distance: from the origin of the ray [m].
    """

    shape: int
    body: int
    point: np.ndarray
    normal: np.ndarray
    distance: float


@dataclass(frozen=True)
class ClosestPoint:
    """The place on a surface that is nearest to a point.

    Attributes:
        shape: row of the table.
        body: the body that carries it.
        point: (3,) on the surface [m], world.
        distance: signed, negative inside [m].
    """

    shape: int
    body: int
    point: np.ndarray
    distance: float


@kernel
def _ray_all(
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
    mask: int,
    origin: Floats,
    direction: Floats,
    limit: float,
    stack: Ints,
    out: Floats2,
) -> None:
    """Write (t, nx, ny, nz) of the ray against each shape, the normal turned to the world."""
    kinds, positions = shapes.kind, shapes.position
    for s in range(len(kinds)):
        out[s, 0] = np.inf
        if shapes.group[s] & mask == 0:
            continue
        q = shapes.quaternion[s]
        ox, oy, oz = rotate_inverse(
            q, origin[0] - positions[s, 0], origin[1] - positions[s, 1], origin[2] - positions[s, 2]
        )
        dx, dy, dz = rotate_inverse(q, direction[0], direction[1], direction[2])
        if kinds[s] == MESH:
            t, nx, ny, nz = ray_mesh(shapes.polyhedron[s], solids, stack, ox, oy, oz, dx, dy, dz, limit)
        else:
            t, nx, ny, nz = ray_shape(s, shapes, solids, ox, oy, oz, dx, dy, dz)
        if t <= limit:
            out[s, 0] = t
            out[s, 1], out[s, 2], out[s, 3] = rotate(q, nx, ny, nz)


@kernel
def _nearest_all(
    shapes: ShapeArrays, solids: PolyhedronArrays, mask: int, point: Floats, stack: Ints
) -> tuple[int, float, float, float, float]:
    """Return (row, distance, px, py, pz) of the shape with the least signed distance; row -1 for none."""
    kinds, positions = shapes.kind, shapes.position
    row, best, px, py, pz = -1, np.inf, 0.0, 0.0, 0.0
    for s in range(len(kinds)):
        if shapes.group[s] & mask == 0:
            continue
        q = shapes.quaternion[s]
        x, y, z = rotate_inverse(
            q, point[0] - positions[s, 0], point[1] - positions[s, 1], point[2] - positions[s, 2]
        )
        if kinds[s] == MESH:
            distance, lx, ly, lz = nearest_on_mesh(shapes.polyhedron[s], solids, stack, x, y, z, np.inf)
        else:
            distance, lx, ly, lz = nearest_on_shape(s, shapes, solids, x, y, z)
        if distance < best:
            row, best = s, distance
            px, py, pz = rotate(q, lx, ly, lz)
            px, py, pz = px + positions[s, 0], py + positions[s, 1], pz + positions[s, 2]
    return row, best, px, py, pz


def _vector(name: str, value: Sequence[float] | np.ndarray) -> np.ndarray:
    vector = np.array(value, dtype=np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ValueError(f"{name} is {value!r}; give three finite numbers")
    return vector


def ray_cast_all(
    table: ShapeTable,
    origin: Sequence[float] | np.ndarray,
    direction: Sequence[float] | np.ndarray,
    max_distance: float = np.inf,
    mask: int = -1,
) -> list[RayHit]:
    """Return where a ray enters each shape, nearest first.

    A ray that starts inside a solid hits it at distance 0, with the normal against the ray. Triangles of
    meshes are hit from both sides; of a mesh the first hit counts.

    Args:
        table: the shapes, updated (`Detector.table`).
        origin: start of the ray (3,) [m], world.
        direction: any length above zero (3,).
        max_distance: how far the ray reaches [m].
        mask: only shapes of these groups (bit set).

    Raises:
        ValueError: if the ray is not finite, has no direction, or reaches less than 0.
    """
    start, along = _vector("origin", origin), _vector("direction", direction)
    length = float(np.linalg.norm(along))
    if not length > 1e-150:
        raise ValueError(f"direction is {direction!r}; give a vector longer than zero")
    if not max_distance >= 0.0:
        raise ValueError(f"max_distance is {max_distance!r}; give a distance of 0 or more [m]")
    along /= length
    polyhedra = table.polyhedra.arrays
    found = np.empty((table.count, 4))
    stack = np.empty(2 * TREE_DEPTH, np.int64)
    _ray_all(table.arrays, polyhedra, mask, start, along, float(max_distance), stack, found)
    rows = np.flatnonzero(np.isfinite(found[:, 0]))
    rows = rows[np.argsort(found[rows, 0], kind="stable")]
    return [
        RayHit(
            int(row),
            int(table.body[row]),
            start + found[row, 0] * along,
            found[row, 1:].copy(),
            float(found[row, 0]),
        )
        for row in rows
    ]


def ray_cast(
    table: ShapeTable,
    origin: Sequence[float] | np.ndarray,
    direction: Sequence[float] | np.ndarray,
    max_distance: float = np.inf,
    mask: int = -1,
) -> RayHit | None:
    """Return the first hit of a ray, or None; arguments as for `ray_cast_all`."""
    hits = ray_cast_all(table, origin, direction, max_distance, mask)
    return hits[0] if hits else None


def closest_point(
    table: ShapeTable, point: Sequence[float] | np.ndarray, mask: int = -1
) -> ClosestPoint | None:
    """Return the nearest place on any surface, by signed distance; None if there is no shape.

    Args:
        table: the shapes, updated (`Detector.table`).
        point: (3,) [m], world.
        mask: only shapes of these groups (bit set).

    Raises:
        ValueError: if the point is not finite.
    """
    place = _vector("point", point)
    polyhedra = table.polyhedra.arrays
    row, distance, x, y, z = _nearest_all(
        table.arrays, polyhedra, mask, place, np.empty(2 * TREE_DEPTH, np.int64)
    )
    if row < 0:
        return None
    return ClosestPoint(int(row), int(table.body[row]), np.array([x, y, z]), float(distance))


def overlap(
    table: ShapeTable,
    shape: Shape,
    position: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
    quaternion: Sequence[float] | np.ndarray = (1.0, 0.0, 0.0, 0.0),
    mask: int = -1,
) -> np.ndarray:
    """Return the rows of the shapes that a shape would overlap, in order; `table.body[rows]` are the bodies.

    A mesh is overlapped by what reaches through its surface, not by what lies behind it.

    Args:
        table: the shapes, updated (`Detector.table`).
        shape: any convex shape.
        position: (3,) [m], world.
        quaternion: (w, x, y, z), unit length.
        mask: only shapes of these groups (bit set).

    Raises:
        TypeError: if the shape is a half-space or a mesh.
        ValueError: if the pose is not finite or not of unit length.
    """
    if isinstance(shape, HalfSpace | TriangleMesh):
        raise TypeError(f"shape is {shape!r}; ask with a convex solid")
    asked = ShapeTable()
    asked.add(shape, 0, tuple(_vector("position", position)), tuple(np.asarray(quaternion, dtype=np.float64)))
    asked.update(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]), 0.0)
    low, high = asked.aabb_min[0], asked.aabb_max[0]
    count = table.count
    near = ((table.aabb_min[:count] <= high) & (table.aabb_max[:count] >= low)).all(axis=1)
    rows = np.flatnonzero(near & ((table.group[:count] & mask) != 0))
    for index, row in enumerate(rows.tolist()):
        asked.add(table.shapes[row], index + 1)
    bodies = np.zeros((len(rows) + 1, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (len(rows) + 1, 1))
    bodies[0][1:], bodies[1][1:] = table.position[rows], table.quaternion[rows]
    asked.update(bodies[0], bodies[1], 0.0)
    kinds = asked.kind[1 : len(rows) + 1]
    pairs = np.stack([np.zeros(len(rows), np.int64), np.arange(1, len(rows) + 1)], axis=1)
    contacts = Contacts()
    for chosen, collide in (
        (kinds == HALFSPACE, collide_halfspace_pairs),
        (kinds == MESH, collide_mesh_pairs),
        ((kinds != HALFSPACE) & (kinds != MESH), collide_convex_pairs),
    ):
        collide(np.ascontiguousarray(pairs[chosen]), asked, 0.0, contacts)
    hit = np.unique(contacts.shape_b[: contacts.count])
    return rows[hit - 1]

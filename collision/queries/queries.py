"""Questions about the shapes of a world: rays and nearest points.

Each may be asked of some shapes only: of those whose groups are in a `mask`, and whose body is one of
`among`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stoss.collision.algebra import rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats, Floats2, Ints
from stoss.collision.narrow_phase.mesh import TREE_DEPTH
from stoss.collision.plain_numbers import bits, finite_array, float_array, number, shown
from stoss.collision.queries.rays import ray_mesh, ray_shape
from stoss.collision.shapes.distances import nearest_on_mesh, nearest_on_shape
from stoss.collision.shapes.kinds import MESH
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable
from stoss.names import closed, takes_names

FEATURE = "queries"  # see `kernels.prepare`

__all__ = [
    "ClosestPoint",
    "RayHit",
    "RayHits",
    "closest_point",
    "finite_vector",
    "ray_cast",
    "ray_cast_all",
    "ray_cast_many",
    "wanted_shapes",
]

WIDER = 1e-12  # by which share of its distance from the origin of a ray the bounds of a shape are widened


@closed
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


@closed
@dataclass(frozen=True)
class RayHits:
    """Where each of n rays first meets a shape.

    Attributes:
        shapes: (n,) rows of the table, -1 for a ray that meets none.
        bodies: (n,) the bodies that carry them, -1 for none.
        points: (n, 3) [m], world; NaN for none.
        normals: (n, 3) outward unit normals of the surfaces, world; NaN for none.
        distances: (n,) from the origins of the rays [m]; infinite for none.
    """

    shapes: np.ndarray
    bodies: np.ndarray
    points: np.ndarray
    normals: np.ndarray
    distances: np.ndarray


@closed
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


@inner
def _ray_at(s, shapes, solids, stack, o, d, limit):
    """Return (t, nx, ny, nz) of the ray o + t d against a shape, in the world; t = inf for a miss."""
    position, q = shapes.position[s], shapes.quaternion[s]
    ox, oy, oz = rotate_inverse(q, o[0] - position[0], o[1] - position[1], o[2] - position[2])
    dx, dy, dz = rotate_inverse(q, d[0], d[1], d[2])
    if shapes.kind[s] == MESH:
        t, nx, ny, nz = ray_mesh(shapes.polyhedron[s], solids, stack, ox, oy, oz, dx, dy, dz, limit)
    else:
        t, nx, ny, nz = ray_shape(s, shapes, solids, ox, oy, oz, dx, dy, dz)
    if not t <= limit:
        return np.inf, 0.0, 0.0, 0.0
    nx, ny, nz = rotate(q, nx, ny, nz)
    return t, nx, ny, nz


@kernel
def _ray_all(
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
    wanted: Bools,
    origin: Floats,
    direction: Floats,
    limit: float,
    stack: Ints,
    out: Floats2,
) -> None:
    """Write (t, nx, ny, nz) of the ray against each shape, in the world; t = inf for a miss."""
    for s in range(len(wanted)):
        out[s, 0] = np.inf
        if wanted[s]:
            out[s, 0], out[s, 1], out[s, 2], out[s, 3] = _ray_at(
                s, shapes, solids, stack, origin, direction, limit
            )


@inner
def _passes(low, high, o, d, limit):
    """Return whether a ray comes within a box before its limit."""
    enter, leave = 0.0, limit
    for k in range(3):
        room = WIDER * (abs(low[k] - o[k]) + abs(high[k] - o[k]))
        first, last = low[k] - room - o[k], high[k] + room - o[k]
        if d[k] == 0.0:
            if first > 0.0 or last < 0.0:
                return False
            continue
        first, last = first / d[k], last / d[k]
        enter, leave = max(enter, min(first, last)), min(leave, max(first, last))
    return enter <= leave


@kernel
def _first_hits(
    shapes: ShapeArrays,
    solids: PolyhedronArrays,
    wanted: Bools,
    origins: Floats2,
    directions: Floats2,
    limits: Floats,
    stack: Ints,
    rows: Ints,
    out: Floats2,
) -> None:
    """Write for each ray the row of the shape that it meets first, -1 for none, and (t, nx, ny, nz) there."""
    for r in range(len(rows)):
        o, d, best = origins[r], directions[r], limits[r]
        rows[r], out[r, 0] = -1, np.inf
        for s in range(len(wanted)):
            # half-spaces have infinite bounds, which tell nothing
            bounded = shapes.aabb_max[s, 0] < np.inf
            if not wanted[s] or (bounded and not _passes(shapes.aabb_min[s], shapes.aabb_max[s], o, d, best)):
                continue
            t, nx, ny, nz = _ray_at(s, shapes, solids, stack, o, d, best)
            if t < out[r, 0]:
                best, rows[r] = t, s
                out[r, 0], out[r, 1], out[r, 2], out[r, 3] = t, nx, ny, nz


@kernel
def _nearest_all(
    shapes: ShapeArrays, solids: PolyhedronArrays, wanted: Bools, point: Floats, stack: Ints
) -> tuple[int, float, float, float, float]:
    """Return (row, distance, px, py, pz) of the shape with the least signed distance; row -1 for none."""
    kinds, positions = shapes.kind, shapes.position
    row, best, px, py, pz = -1, np.inf, 0.0, 0.0, 0.0
    for s in range(len(kinds)):
        if not wanted[s]:
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


def finite_vector(name: str, value: Any) -> np.ndarray:
    """Return `value` as finite numbers (3,).

    Raises:
        ValueError: it is not.
    """
    return finite_array(name, value, (3,))


def wanted_shapes(table: ShapeTable, mask: int = -1, among: np.ndarray | None = None) -> np.ndarray:
    """Return which shapes are asked (count,).

    Args:
        table: the shapes.
        mask: only shapes of these groups (bit set).
        among: (n,) only shapes of the bodies for which it is true; None for all.

    Raises:
        TypeError, ValueError: no table, no such bits, or no truth value for each body.
    """
    if not isinstance(table, ShapeTable):
        raise TypeError(f"table = {shown(table)} must be a ShapeTable, such as world.shape_table")
    if among is not None and not (
        isinstance(among, np.ndarray)
        and among.dtype == np.bool_
        and among.shape == (len(among),)
        and len(among) > table.body.max(initial=-1)
    ):
        raise ValueError(f"among = {shown(among)} must be an array of truth values, one for each body")
    wanted = (table.group & np.int64(bits("mask", mask))) != 0
    return wanted if among is None else wanted & among[table.body]


def _unit_rows(name: str, value: np.ndarray) -> np.ndarray:
    """Return directions (n, 3) at length one."""
    lengths = np.linalg.norm(value, axis=1)
    for row in np.flatnonzero(~(lengths > 1e-150)):
        raise ValueError(f"{name} = {value[row].tolist()!r} has no length; give a vector longer than zero")
    return value / lengths[:, None]


@takes_names
def ray_cast_all(
    table: ShapeTable,
    origin: Sequence[float] | np.ndarray,
    direction: Sequence[float] | np.ndarray,
    max_distance: float = np.inf,
    mask: int = -1,
    among: np.ndarray | None = None,
) -> list[RayHit]:
    """Return where a ray enters each shape, nearest first.

    A ray that starts inside a solid hits it at distance 0, with the normal against the ray. Triangles of
    meshes are hit from both sides; of a mesh the first hit counts.

    Args:
        table: the shapes, updated (`Detector.table`).
        origin: start of the ray (3,) [m], world.
        direction: any length above zero (3,).
        max_distance: how far the ray reaches [m].
        mask, among: which shapes are asked, see `wanted_shapes`.

    Raises:
        ValueError: if the ray is not finite, has no direction, or reaches less than 0.
    """
    start, along, limit = _one_ray(origin, direction, max_distance)
    polyhedra = table.polyhedra.arrays
    found = np.empty((table.count, 4))
    stack = np.empty(2 * TREE_DEPTH, np.int64)
    _ray_all(table.arrays, polyhedra, wanted_shapes(table, mask, among), start, along, limit, stack, found)
    rows = np.flatnonzero(np.isfinite(found[:, 0]))
    rows = rows[np.argsort(found[rows, 0], kind="stable")]
    return [_hit(table, int(row), start, along, found[row]) for row in rows]


@takes_names
def ray_cast(
    table: ShapeTable,
    origin: Sequence[float] | np.ndarray,
    direction: Sequence[float] | np.ndarray,
    max_distance: float = np.inf,
    mask: int = -1,
    among: np.ndarray | None = None,
) -> RayHit | None:
    """Return the first hit of a ray, or None; arguments as for `ray_cast_all`.

    Args:
        table: the shapes.
        origin, direction: (3,) [m] where it begins, and (3,) where it goes; the direction has any
            length above zero.
        max_distance: how far it goes [m].
        mask: groups of the shapes that count.
        among: which bodies count (n,) bool; None for all.
    """
    start, along, limit = _one_ray(origin, direction, max_distance)
    rows, found = _cast_rays(table, start[None], along[None], np.array([limit]), mask, among)
    return _hit(table, int(rows[0]), start, along, found[0]) if rows[0] >= 0 else None


@takes_names
def ray_cast_many(
    table: ShapeTable,
    origins: np.ndarray,
    directions: np.ndarray,
    max_distances: np.ndarray,
    mask: int = -1,
    among: np.ndarray | None = None,
) -> RayHits:
    """Return where each of many rays first meets a shape, as `ray_cast` does.

    Args:
        table: the shapes, updated (`Detector.table`).
        origins: (n, 3) [m], world, finite.
        directions: (n, 3), any length above zero, finite.
        max_distances: (n,) how far the rays reach [m], 0 or more.
        mask, among: which shapes are asked, see `wanted_shapes`.

    Raises:
        ValueError: a direction without length.
    """
    starts, ways = finite_array("origins", origins, (-1, 3)), finite_array("directions", directions, (-1, 3))
    try:
        reaches = float_array(max_distances)
    except TypeError:
        reaches = np.array(np.nan)
    if not (reaches.shape == (len(starts),) == (len(ways),) and (reaches >= 0.0).all()):
        raise ValueError(
            f"max_distances = {shown(max_distances)} must be {len(starts)} distances of 0 or more, and "
            f"directions {len(starts)} too"
        )
    along = _unit_rows("directions: a row", ways)
    rows, found = _cast_rays(table, starts, along, reaches, mask, among)
    met = (rows >= 0)[:, None]
    with np.errstate(invalid="ignore"):  # infinite times zero, for rays that meet nothing
        points = np.where(met, starts + found[:, :1] * along, np.nan)
    bodies = np.where(rows >= 0, table.body[rows], -1) if table.count else rows.copy()
    return RayHits(rows, bodies, points, np.where(met, found[:, 1:], np.nan), found[:, 0].copy())


def _one_ray(origin: Any, direction: Any, max_distance: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Return origin, unit direction and length of a ray, checked."""
    start, along = finite_vector("origin", origin), finite_vector("direction", direction)
    limit = number("max_distance", max_distance, "m", least=0.0, finite=False)
    return start, _unit_rows("direction", along[None])[0], limit


def _cast_rays(table, origins, along, limits, mask, among):
    """Return rows (n,) and findings (n, 4) of rays; see `_first_hits`."""
    rows, found = np.empty(len(origins), np.int64), np.empty((len(origins), 4))
    stack = np.empty(2 * TREE_DEPTH, np.int64)
    wanted = wanted_shapes(table, mask, among)
    _first_hits(table.arrays, table.polyhedra.arrays, wanted, origins, along, limits, stack, rows, found)
    return rows, found


def _hit(table: ShapeTable, row: int, start: np.ndarray, along: np.ndarray, found: np.ndarray) -> RayHit:
    distance = float(found[0])
    return RayHit(row, int(table.body[row]), start + distance * along, found[1:].copy(), distance)


@takes_names
def closest_point(
    table: ShapeTable,
    point: Sequence[float] | np.ndarray,
    mask: int = -1,
    among: np.ndarray | None = None,
) -> ClosestPoint | None:
    """Return the nearest place on any surface, by signed distance; None if there is no shape.

    Args:
        table: the shapes, updated (`Detector.table`).
        point: (3,) [m], world.
        mask, among: which shapes are asked, see `wanted_shapes`.

    Raises:
        ValueError: if the point is not finite.
    """
    place = finite_vector("point", point)
    polyhedra = table.polyhedra.arrays
    row, distance, x, y, z = _nearest_all(
        table.arrays,
        polyhedra,
        wanted_shapes(table, mask, among),
        place,
        np.empty(2 * TREE_DEPTH, np.int64),
    )
    if row < 0:
        return None
    return ClosestPoint(int(row), int(table.body[row]), np.array([x, y, z]), float(distance))

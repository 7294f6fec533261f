"""A shape that is no part of a world, asked about at a pose: what it overlaps, what it meets on its way."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from stoss.collision.algebra import rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats
from stoss.collision.narrow_phase.convex_scratch import convex_scratch
from stoss.collision.narrow_phase.scratch import OfThread
from stoss.collision.orientations import unit_quaternion
from stoss.collision.plain_numbers import shown
from stoss.collision.queries.guest_meeting import (
    NEVER,
    GuestScratch,
    are_far,
    gap_to,
    meet,
    meet_mesh,
    put_face,
)
from stoss.collision.queries.guest_touching import write_touch
from stoss.collision.queries.queries import finite_vector, wanted_shapes
from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.kinds import MESH
from stoss.collision.shapes.shape_pair import load_shape
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable, check_shape
from stoss.collision.shapes.shapes import HalfSpace, Shape
from stoss.names import closed, takes_names

FEATURE = "queries"  # see `kernels.prepare`

__all__ = ["ShapeHit", "overlap", "shape_cast"]


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


_own = OfThread(GuestScratch.new)


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
        if not wanted[row] or are_far(guest, shapes, row, motion):
            continue
        load_shape(row, 1, shapes, pair)
        face, limit = -1, min(best[0], 1.0)
        if shapes.kind[row] == MESH:
            face = meet_mesh(row, shapes, guest, motion, limit, scratch, trial)
            if face < 0:
                continue
        else:
            trial[0], trial[1], trial[2], trial[3], trial[4] = meet(guest, motion, limit, scratch.convex)
        if trial[0] < best[0] or (trial[0] < NEVER and trial[0] == best[0] and trial[4] < best[4]):
            found, at = row, face
            for k in range(5):
                best[k] = trial[k]
    if found >= 0:
        write_touch(found, at, guest, shapes, motion, best, scratch, point)
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
            put_face(solids.leaf_faces[leaf], row, shapes, pair)
            _, _, _, gap = gap_to(pair, scratch.convex)
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
        if are_far(guest, shapes, row, motion):
            continue
        load_shape(row, 1, shapes, pair)
        if shapes.kind[row] == MESH:
            wanted[row] = _reaches_mesh(row, guest, shapes, scratch)
        else:
            _, _, _, gap = gap_to(pair, scratch.convex)
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

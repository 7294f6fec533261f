"""Broad phase through python-fcl: pairs of shapes from its dynamic trees of bounds, kept between calls.

Each bounded shape has an object in a tree, a box about the shape grown by the margin; one tree holds the
shapes of bodies that move, the other those of all others. Poses are updated for what has moved since the last
call. FCL has no bounds for half-spaces: they are tested against the bounds of all others here.
"""

from collections import defaultdict
from typing import Any

import fcl
import numpy as np

from stoss.collision.broad_phase.fcl_objects import FclObjects, placed
from stoss.collision.broad_phase.find_pairs import BODY_BITS
from stoss.collision.shapes.kinds import CAPSULE, CONE, CYLINDER, HALFSPACE, HULL, MESH, SPHERE
from stoss.collision.shapes.shape_table import ShapeTable

__all__ = ["FclTree"]

Place = tuple[float, float, float]


class FclTree:
    """Find candidate pairs of a table of shapes; see the module."""

    def __init__(self) -> None:
        self._objects = FclObjects()
        self._trees: tuple[Any, Any] = (None, None)  # of what moves, of all else
        self._known: tuple[int, float] = (-1, -1.0)  # version and margin that the boxes are for
        self._moves = np.zeros(0, np.bool_)  # which shapes are in the first tree
        self._offset = np.zeros((0, 3))  # of the middle of each box, in the frame of its shape [m]
        self._half = np.zeros((0, 3))  # half edges [m]

    def find(self, table: ShapeTable, movable: np.ndarray, excluded: np.ndarray, margin: float) -> np.ndarray:
        """Return the pairs (p, 2) of rows whose bounds overlap, i < j, sorted; see `BroadPhase.find`.

        Args:
            table: shapes with up-to-date bounds.
            movable: which bodies can move (n,), bool.
            excluded: sorted keys of body pairs that pass through each other.
            margin: by which bounds are grown and half-spaces reach beyond their surface [m].
        """
        moves = movable[table.body]
        if self._known != (table.version, margin):
            self._measure(table, margin)
            self._plant(table, moves)
            self._known = table.version, margin
        elif not np.array_equal(moves, self._moves):
            self._plant(table, moves)
        else:
            self._follow(table)
        found = self._overlapping(table)
        return _filtered(np.concatenate([found, _of_half_spaces(table, margin)]), table, moves, excluded)

    def _measure(self, table: ShapeTable, margin: float) -> None:
        """Make a box about each shape."""
        arrays, solids = table.arrays, table.polyhedra.arrays
        half = arrays.size[:, :3].copy()
        kind = arrays.kind
        half[kind == SPHERE] = arrays.size[kind == SPHERE, :1]
        rounded = np.isin(kind, (CAPSULE, CONE, CYLINDER))
        half[rounded] = arrays.size[rounded][:, [0, 0, 1]]
        half[kind == CAPSULE, 2] += arrays.size[kind == CAPSULE, 0]
        offset = np.zeros_like(half)
        for row in np.flatnonzero((kind == HULL) | (kind == MESH)):
            p = arrays.polyhedron[row]
            corners = solids.vertices[solids.vertex_start[p] : solids.vertex_start[p + 1]]
            low, high = corners.min(axis=0), corners.max(axis=0)
            half[row], offset[row] = 0.5 * (high - low), 0.5 * (high + low)
        self._half, self._offset = half + margin, offset
        sizes = [tuple(size) for size in (2.0 * self._half).tolist()]
        self._objects.fit(sizes, lambda size: fcl.Box(*size))

    def _plant(self, table: ShapeTable, moves: np.ndarray) -> None:
        """Make both trees anew."""
        self._moves = moves
        bounded = table.kind != HALFSPACE
        self._place(table, np.flatnonzero(bounded))
        trees = []
        for rows in (np.flatnonzero(moves & bounded), np.flatnonzero(~moves & bounded)):
            tree = fcl.DynamicAABBTreeCollisionManager()
            tree.registerObjects([self._objects.at(row) for row in rows.tolist()])
            tree.setup()
            trees.append(tree)
        self._trees = trees[0], trees[1]

    def _follow(self, table: ShapeTable) -> None:
        """Move the boxes of shapes that have moved."""
        moved = np.flatnonzero(self._objects.moved(table) & (table.kind != HALFSPACE))
        self._place(table, moved)
        for tree, rows in zip(
            self._trees, (moved[self._moves[moved]], moved[~self._moves[moved]]), strict=True
        ):
            if len(rows):
                tree.update([self._objects.at(row) for row in rows.tolist()])

    def _place(self, table: ShapeTable, rows: np.ndarray) -> None:
        places = table.position + placed(table.quaternion, self._offset)
        self._objects.place(rows, table, places)

    def _overlapping(self, table: ShapeTable) -> np.ndarray:
        """Return the pairs of boxes that FCL finds, unsorted.

        Its callbacks get wrappers of their own, so shapes are known again by the place of their boxes; those
        with the same place are taken together, and what does not overlap is left out later.
        """
        at: defaultdict[Place, list[int]] = defaultdict(list)
        for row in np.flatnonzero(table.kind != HALFSPACE).tolist():
            at[self._objects.places[row]].append(row)
        found: list[tuple[int, int]] = []
        for rows in at.values():
            found += [(a, b) for k, a in enumerate(rows) for b in rows[k + 1 :]]

        def meet(first: Any, second: Any, _: Any) -> bool:
            a, b = at[tuple(first.getTranslation().tolist())], at[tuple(second.getTranslation().tolist())]
            found.extend([(i, j) for i in a for j in b])
            return False

        moving, fixed = self._trees
        moving.collide(None, meet)
        moving.collide(fixed, None, meet)
        return np.array(found, np.int64).reshape(-1, 2)


def _of_half_spaces(table: ShapeTable, margin: float) -> np.ndarray:
    """Return the pairs of half-spaces and the bounds that reach them."""
    pairs = [np.zeros((0, 2), np.int64)]
    low, high = table.aabb_min, table.aabb_max
    bounded = table.kind != HALFSPACE
    for h in np.flatnonzero(~bounded).tolist():
        normal = placed(table.quaternion[h : h + 1], table.size[h : h + 1, :3])[0]
        level = table.size[h, 3] + normal @ table.position[h] + margin
        deepest = (np.where(normal > 0.0, low, high)[bounded] * normal).sum(axis=1)
        rows = np.flatnonzero(bounded)[deepest <= level]
        pairs.append(np.stack([np.full(len(rows), h), rows], axis=1))
    return np.concatenate(pairs)


def _filtered(pairs: np.ndarray, table: ShapeTable, moves: np.ndarray, excluded: np.ndarray) -> np.ndarray:
    """Return pairs that may touch at all and whose bounds overlap, sorted, each once."""
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    i, j = pairs[:, 0], pairs[:, 1]
    a, b = table.body[i], table.body[j]
    may = (a != b) & (moves[i] | moves[j])
    may &= ((table.group[i] & table.mask[j]) != 0) & ((table.group[j] & table.mask[i]) != 0)
    may &= (table.aabb_min[i] <= table.aabb_max[j]).all(axis=1)
    may &= (table.aabb_min[j] <= table.aabb_max[i]).all(axis=1)
    if len(excluded):
        may &= ~np.isin((np.minimum(a, b) << BODY_BITS) | np.maximum(a, b), excluded)
    return np.ascontiguousarray(pairs[may])

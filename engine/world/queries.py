"""Questions about the shapes of a world at their present poses, answered with bodies."""

from typing import Any

from stoss.collision import ShapeTable
from stoss.collision.queries import queries
from stoss.collision.shapes.shapes import Shape
from stoss.engine.world.body import Body
from stoss.engine.world.body_store import BodyStore

__all__ = ["ShapeQueries"]


class ShapeQueries:
    """Find bodies by rays, points and shapes; see the methods of `World`, which say what is asked.

    Args:
        store: the bodies.
    """

    def __init__(self, store: BodyStore) -> None:
        self._store = store

    def ray_cast(self, origin: Any, direction: Any, max_distance: float) -> tuple[Body, Any] | None:
        """Return the first body on a ray and the hit, or None."""
        hit = queries.ray_cast(self._placed_shapes(), origin, direction, max_distance)
        return None if hit is None else (self._store.handles[hit.body], hit)

    def closest_point(self, point: Any) -> tuple[Body, Any] | None:
        """Return the body whose surface is closest to a point (3,) [m], and the finding, or None."""
        found = queries.closest_point(self._placed_shapes(), point)
        return None if found is None else (self._store.handles[found.body], found)

    def overlap(self, shape: Shape, position: Any, quaternion: Any) -> list[Body]:
        """Return the bodies that overlap a shape."""
        table = self._placed_shapes()
        rows = queries.overlap(table, shape, position, quaternion)
        return [self._store.handles[i] for i in sorted({int(table.body[row]) for row in rows})]

    def _placed_shapes(self) -> ShapeTable:
        """Return the shapes, at the present poses."""
        bodies, table = self._store.arrays, self._store.detector.table
        table.update(bodies.positions, bodies.quaternions, 0.0)
        return table

"""Questions about the shapes of a world at their present poses, answered with bodies."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from stoss.collision import ShapeTable
from stoss.collision.queries import guests, queries
from stoss.collision.queries.guests import ShapeHit
from stoss.collision.queries.queries import ClosestPoint, RayHit, RayHits
from stoss.collision.shapes.shapes import Shape
from stoss.engine import checks
from stoss.engine.bodies.arrays import KIND_NAMES
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

    def ray_cast(
        self, origin: Any, direction: Any, max_distance: Any, choice: tuple[Any, Any, Any]
    ) -> tuple[Body, RayHit] | None:
        """Return the first body on a ray and the hit, or None; `choice` is (without, mask, kinds)."""
        ray, chosen = _ray(origin, direction, max_distance), self._chosen(*choice)
        hit = queries.ray_cast(self._placed_shapes(), *ray, *chosen)
        return None if hit is None else (self._store.handles[hit.body], hit)

    def ray_cast_all(
        self, origin: Any, direction: Any, max_distance: Any, choice: tuple[Any, Any, Any]
    ) -> list[tuple[Body, RayHit]]:
        """Return the bodies on a ray and the hits, nearest first."""
        ray, chosen = _ray(origin, direction, max_distance), self._chosen(*choice)
        hits = queries.ray_cast_all(self._placed_shapes(), *ray, *chosen)
        return [(self._store.handles[hit.body], hit) for hit in hits]

    def ray_cast_many(
        self, origins: Any, directions: Any, max_distances: Any, choice: tuple[Any, Any, Any]
    ) -> RayHits:
        """Return the first hits of many rays."""
        starts, ways = (
            checks.rows_or_row("origins", origins, 3),
            checks.rows_or_row("directions", directions, 3),
        )
        reaches = np.atleast_1d(np.array(checks.reach("max_distances", max_distances)))
        counts = {len(rows) for rows in (starts, ways, reaches)} - {1} or {1}
        if len(counts) > 1:
            raise ValueError(
                f"origins, directions, max_distances: {len(starts)}, {len(ways)} and {len(reaches)} of them; "
                "give as many of each, or one for all rays, not "
                f"{checks.shown(origins)}, {checks.shown(directions)}, {checks.shown(max_distances)}"
            )
        count = counts.pop()
        rays = (
            np.array(np.broadcast_to(starts, (count, 3)), order="C"),
            np.array(np.broadcast_to(ways, (count, 3)), order="C"),
            np.array(np.broadcast_to(reaches, (count,)), order="C"),
        )
        return queries.ray_cast_many(self._placed_shapes(), *rays, *self._chosen(*choice))

    def closest_point(
        self, point: Any, max_distance: Any, choice: tuple[Any, Any, Any]
    ) -> tuple[Body, ClosestPoint] | None:
        """Return the body whose surface is closest to a point (3,) [m], and the finding, or None."""
        place, chosen = checks.vector("point", point), self._chosen(*choice)
        limit = _reach(max_distance)
        found = queries.closest_point(self._placed_shapes(), place, *chosen)
        return None if found is None or found.distance > limit else (self._store.handles[found.body], found)

    def overlap(
        self, shape: Shape, position: Any, quaternion: Any, choice: tuple[Any, Any, Any]
    ) -> list[Body]:
        """Return the bodies that overlap a shape."""
        pose = checks.vector("position", position), checks.quaternion("quaternion", quaternion)
        chosen, table = self._chosen(*choice), self._placed_shapes()
        rows = guests.overlap(table, shape, *pose, *chosen)
        return [self._store.handles[i] for i in sorted({int(table.body[row]) for row in rows})]

    def shape_cast(
        self, shape: Shape, position: Any, quaternion: Any, motion: Any, choice: tuple[Any, Any, Any]
    ) -> tuple[Body, ShapeHit] | None:
        """Return the first body that a moving shape meets, and the hit, or None."""
        pose = checks.vector("position", position), checks.quaternion("quaternion", quaternion)
        way, chosen = checks.vector("motion", motion), self._chosen(*choice)
        hit = guests.shape_cast(self._placed_shapes(), shape, *pose, way, *chosen)
        return None if hit is None else (self._store.handles[hit.body], hit)

    def _chosen(self, without: Any, mask: Any, kinds: Any) -> tuple[int, np.ndarray | None]:
        """Return which groups are asked, and which bodies (n,), None for all."""
        groups = checks.bits("mask", mask)
        if without is None and kinds is None:
            return groups, None
        among = np.ones(self._store.table.count, np.bool_)
        if kinds is not None:
            among[:] = np.isin(self._store.arrays.kinds, _kind_numbers(kinds))
        for body in _bodies(without):
            among[self._store.row(body)] = False
        return groups, among

    def _placed_shapes(self) -> ShapeTable:
        """Return the shapes, at the present poses."""
        bodies, table = self._store.arrays, self._store.detector.table
        table.update(bodies.positions, bodies.quaternions, 0.0)
        return table


def _ray(origin: Any, direction: Any, max_distance: Any) -> tuple[np.ndarray, np.ndarray, float]:
    start, way = checks.vector("origin", origin), checks.vector("direction", direction)
    return start, way, _reach(max_distance)


def _reach(value: Any) -> float:
    """Return how far it is looked [m].

    Raises:
        TypeError, ValueError: no number of 0 or more.
    """
    cure = "; a distance of 0 or more"
    return checks.number("max_distance", value, "m", least=0.0, finite=False, cure=cure)


def _bodies(without: Any) -> list[Body]:
    """Return the bodies that are to be left out.

    Raises:
        TypeError: no bodies.
    """
    bodies = [without] if isinstance(without, Body) else without
    if bodies is None:
        return []
    if isinstance(bodies, str) or not isinstance(bodies, Iterable):
        raise TypeError(f"without = {checks.shown(without)} must be bodies, such as world.body(name) gives")
    bodies = list(bodies)
    for body in bodies:
        if not isinstance(body, Body):
            raise TypeError(f"without = {checks.shown(body)} is no body; world.body(name) finds one")
    return bodies


def _kind_numbers(kinds: Any) -> list[int]:
    """Return the numbers of the kinds of bodies that are asked.

    Raises:
        TypeError, ValueError: no kinds.
    """
    names = [kinds] if isinstance(kinds, str) else kinds
    if not isinstance(names, Iterable):
        raise TypeError(
            f"kinds = {checks.shown(kinds)} must be one of {', '.join(KIND_NAMES)}, or several of them"
        )
    names = list(names)
    if not names:
        raise ValueError("kinds = () asks no body; leave it out to ask all")
    return [KIND_NAMES.index(checks.choice("kinds", name, KIND_NAMES)) for name in names]

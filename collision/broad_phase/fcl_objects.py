"""FCL's objects for the rows of a table of shapes: made when needed, moved when the shapes have moved."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import fcl
import numpy as np

from stoss.collision.shapes.shape_table import ShapeTable

__all__ = ["FclObjects", "placed"]


def placed(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return vectors (n, 3) turned by unit quaternions (n, 4)."""
    axis = quaternions[:, 1:]
    t = 2.0 * np.cross(axis, vectors)
    return vectors + quaternions[:, :1] * t + np.cross(axis, t)


class FclObjects:
    """Keep one FCL object per row: they leak when dropped, so rows that go give theirs back.

    Attributes:
        places: where the object of each row is [m].
    """

    def __init__(self) -> None:
        self._keys: list[Hashable] = []
        self._rows: list[tuple[fcl.CollisionObject, fcl.CollisionGeometry] | None] = []
        self._make: Callable[[Any], fcl.CollisionGeometry] = fcl.Sphere
        self._position = np.zeros((0, 3))  # of the shapes, when their objects were last placed
        self._quaternion = np.zeros((0, 4))
        self.places: list[tuple[float, float, float]] = []

    def fit(self, keys: Sequence[Hashable], make: Callable[[Any], fcl.CollisionGeometry]) -> None:
        """Take other rows.

        Args:
            keys: what the geometry of each row is made of; rows with the same key may swap objects.
            make: makes the geometry of a key.
        """
        spare: defaultdict[Hashable, list[Any]] = defaultdict(list)
        for key, item in zip(self._keys, self._rows, strict=True):
            if item is not None:
                spare[key].append(item)
        self._rows = [spare[key].pop() if spare.get(key) else None for key in keys]
        self._keys, self._make = list(keys), make
        self._position = np.full((len(keys), 3), np.nan)
        self._quaternion = np.full((len(keys), 4), np.nan)
        self.places = [(0.0, 0.0, 0.0)] * len(keys)

    def at(self, row: int) -> fcl.CollisionObject:
        """Return the object of a row; it is made when first needed."""
        return self._item(row)[0]

    def geometry(self, row: int) -> fcl.CollisionGeometry:
        """Return the geometry of a row, by which FCL's results name it."""
        return self._item(row)[1]

    def _item(self, row: int) -> tuple[fcl.CollisionObject, fcl.CollisionGeometry]:
        item = self._rows[row]
        if item is None:
            geometry = self._make(self._keys[row])
            item = self._rows[row] = (fcl.CollisionObject(geometry), geometry)
        return item

    def moved(self, table: ShapeTable) -> np.ndarray:
        """Return which shapes have other poses than when their objects were placed."""
        return (table.position != self._position).any(axis=1) | (table.quaternion != self._quaternion).any(
            axis=1
        )

    def place(self, rows: np.ndarray, table: ShapeTable, places: np.ndarray | None = None) -> None:
        """Move the objects of some rows to where their shapes are, or to `places` (n, 3) with their turns."""
        places = table.position if places is None else places
        for row, place, turn in zip(rows.tolist(), places[rows], table.quaternion[rows], strict=True):
            self.at(row).setTransform(fcl.Transform(turn, place))
            self.places[row] = tuple(place.tolist())
        self._position[rows], self._quaternion[rows] = table.position[rows], table.quaternion[rows]

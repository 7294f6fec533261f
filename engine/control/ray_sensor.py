"""A sensor that measures distances along rays, as a laser scanner does."""

from typing import Any, NamedTuple

import numpy as np

from stoss.collision.quaternions import rotate
from stoss.engine import checks
from stoss.engine.control.part import checked_place
from stoss.engine.control.sensor import Sensor
from stoss.engine.control.state import reading
from stoss.engine.world.body import Body
from stoss.engine.world.marker import Marker
from stoss.names import closed

__all__ = ["RayReading", "RaySensor"]


@reading
class RayReading(NamedTuple):
    """What a `RaySensor` tells, ray by ray.

    Attributes:
        distances: (n,) [m], infinite where nothing is hit within reach.
        bodies: (n,) rows of the bodies that are hit in `world.bodies`, -1 for none.
        points: (n, 3) [m] where, world; NaN for none.
        normals: (n, 3) of the surfaces there, world; NaN for none.
    """

    distances: np.ndarray
    bodies: np.ndarray
    points: np.ndarray
    normals: np.ndarray


@closed
class RaySensor(Sensor):
    """Measure how far it is to the nearest body along rays from a marker or a body; its own body is not seen.

    Args:
        at: marker from whose origin the rays go, or a body: from the origin of its frame.
        directions: (n, 3) or (3,) where they go, in that frame, of any length above zero.
        max_distance: how far they reach [m].
    """

    def __init__(
        self, at: Marker | Body, directions: Any = (1, 0, 0), *, max_distance: float = np.inf
    ) -> None:
        self._frame = checked_place(at)
        self._directions = checks.rows_or_row("directions", directions, 3)
        if not self._directions.any(axis=1).all():
            raise ValueError(f"directions = {checks.shown(directions)}: each must have a length above zero")
        self._reach = checks.number("max_distance", max_distance, "m", above=0.0, finite=False)

    def _at(self) -> tuple[Marker | Body, ...]:
        return (self._frame,)

    def read(self) -> RayReading:
        """Return what the rays hit at present."""
        world, at = self._in_world(), self._frame
        body = at.body if isinstance(at, Marker) else at
        w, x, y, z = at.quaternion.tolist()
        ways = np.array([rotate((w, x, y, z), (v[0], v[1], v[2])) for v in self._directions.tolist()])
        hits = world.ray_cast_many(at.position, ways, self._reach, without=body)
        return RayReading(
            np.array(hits.distances), np.array(hits.bodies), np.array(hits.points), np.array(hits.normals)
        )

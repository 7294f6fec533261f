"""What users assign to all bodies at once: poses, velocities, forces."""

from typing import Any

import numpy as np

from stoss.engine import checks
from stoss.engine.bodies.arrays import STATIC
from stoss.engine.world.body_store import BodyStore
from stoss.engine.world.body_view import BodyView
from stoss.engine.world.poses import reference_positions, reference_quaternions, set_poses

__all__ = ["assign", "assign_positions", "assign_quaternions"]

_ALONG_THE_PLANE = "velocities", "forces"  # where bodies move in one; the others turn about its normal
_OF_WHAT_MOVES = "velocities", "angular_velocities"


def assign_positions(bodies: BodyStore, value: Any) -> None:
    """Move the frames of all bodies to places (n, 3) [m].

    Raises:
        TypeError, ValueError: not as many numbers, or out of the plane of the world.
    """
    rows = checks.rows("positions", value, bodies.table.count, 3)
    if bodies.plane is not None:
        rows = bodies.plane.place("positions", rows)
    set_poses(bodies.arrays, rows, reference_quaternions(bodies.arrays))


def assign_quaternions(bodies: BodyStore, value: Any) -> None:
    """Turn the frames of all bodies (n, 4); raises as `assign_positions` does."""
    turns = checks.unit_quaternions("quaternions", value, bodies.table.count)
    if bodies.plane is not None:
        turns = bodies.plane.orientation("quaternions", turns)
    set_poses(bodies.arrays, reference_positions(bodies.arrays), turns)


def assign(bodies: BodyStore, name: str, value: Any) -> None:
    """Write an array (n, 3) of all bodies: "velocities", "angular_velocities", "forces" or "torques".

    Raises:
        TypeError, ValueError: not as many numbers, across the plane of the world, or what is static moves.
    """
    rows, plane = checks.rows(name, value, bodies.table.count, 3), bodies.plane
    if name in _OF_WHAT_MOVES and not isinstance(value, BodyView):  # what `+=` gives is written already
        _check_static(bodies, name, rows)
    if plane is not None:
        rows = plane.place(name, rows) if name in _ALONG_THE_PLANE else plane.turn(name, rows)
    getattr(bodies.arrays, name)[:] = rows


def _check_static(bodies: BodyStore, name: str, rows: np.ndarray) -> None:
    for i in np.flatnonzero((bodies.arrays.kinds == STATIC) & rows.any(axis=1)):
        what = bodies.handles[i]
        raise ValueError(f"{name}[{i}] = {rows[i].tolist()}: body {what.name!r} is static and does not move")

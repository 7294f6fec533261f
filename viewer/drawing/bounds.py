"""How large bodies are: the boxes about them, and the size of a typical one. Plain numpy."""

from collections.abc import Sequence

import numpy as np

from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Sphere
from stoss.viewer.drawing.geometry import local_bounds, rotate
from stoss.viewer.world.frames import Description, Frame

__all__ = ["body_bounds", "typical_size"]


def typical_size(description: Description) -> float:
    """Return the median over the moving bodies of the diameter of their shapes' boxes [m], 1 without any."""
    sizes = []
    for shape, body in zip(description.shapes, description.shape_body, strict=True):
        if description.kinds[body] != "static" and not isinstance(shape, HalfSpace):
            low, high = local_bounds(shape)
            sizes.append(float(np.linalg.norm(high - low)))
    return float(np.median(sizes)) if sizes else 1.0


def body_bounds(description: Description, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners (n, 3), (n, 3) [m] of the boxes along the axes of the world about all bodies.

    They are exact for every shape; bodies without any, and with half-spaces, have the box from inf to -inf.
    """
    count = len(description.names)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    groups: dict[type, list[int]] = {}
    endless = np.zeros(count, bool)
    for row, shape in enumerate(description.shapes):
        groups.setdefault(type(shape), []).append(row)
    for kind, rows in groups.items():
        body = description.shape_body[rows]
        if kind is HalfSpace:
            endless[body] = True
            continue
        turn = frame.quaternions[body]
        centre = frame.positions[body] + rotate(turn, description.shape_position[rows])
        # Columns: the axes of the shapes in the world.
        axes = np.stack(
            [rotate(turn, rotate(description.shape_quaternion[rows], e[None])) for e in np.eye(3)], axis=-1
        )
        below, above = _extents([description.shapes[row] for row in rows], axes)
        np.minimum.at(low, body, centre + below)
        np.maximum.at(high, body, centre + above)
    low[endless], high[endless] = np.inf, -np.inf
    return low, high


def _extents(shapes: Sequence, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far shapes of one kind reach along the axes of the world, (k, 3) below and above."""
    kind = type(shapes[0])
    if issubclass(kind, ConvexHull | TriangleMesh):
        clouds = [shape.vertices @ turn.T for shape, turn in zip(shapes, axes, strict=True)]
        return np.array([c.min(axis=0) for c in clouds]), np.array([c.max(axis=0) for c in clouds])
    if issubclass(kind, Box):
        half = 0.5 * np.array([shape.size for shape in shapes])
        reach = (np.abs(axes) * half[:, None]).sum(axis=2)
        return -reach, reach
    if issubclass(kind, Sphere | Ellipsoid):
        radii = np.array([[shape.radius] * 3 if kind is Sphere else shape.radii for shape in shapes])
        reach = np.sqrt(((axes * radii[:, None]) ** 2).sum(axis=2))
        return -reach, reach
    assert issubclass(kind, Capsule | Cylinder | Cone)
    radius = np.array([shape.radius for shape in shapes])[:, None]
    along = 0.5 * np.array([shape.length for shape in shapes])[:, None] * axes[:, :, 2]
    if issubclass(kind, Capsule):
        return -np.abs(along) - radius, np.abs(along) + radius
    rim = radius * np.sqrt(np.maximum(0.0, 1.0 - axes[:, :, 2] ** 2))
    if issubclass(kind, Cylinder):
        return -np.abs(along) - rim, np.abs(along) + rim
    # A cone: its apex, and the rim of its base.
    return np.minimum(along, -along - rim), np.maximum(along, -along + rim)

"""How large things are: boxes about bodies and about all that moves."""

import numpy as np

from collision.shapes import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, Shape, Sphere, TriangleMesh
from viewer.frames import Description, Frame

__all__ = ["body_bounds", "rotate_rows", "scene_bounds", "shape_half_size"]


def shape_half_size(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Return the middle and the half edges (3,) [m] of the box about a shape in its own frame.

    A half-space is infinite.
    """
    middle = np.zeros(3)
    if isinstance(shape, Sphere):
        return middle, np.full(3, shape.radius)
    if isinstance(shape, Box):
        return middle, 0.5 * np.array(shape.size)
    if isinstance(shape, Ellipsoid):
        return middle, np.array(shape.radii)
    if isinstance(shape, Capsule):
        return middle, np.array([shape.radius, shape.radius, 0.5 * shape.length + shape.radius])
    if isinstance(shape, Cylinder | Cone):
        return middle, np.array([shape.radius, shape.radius, 0.5 * shape.length])
    if isinstance(shape, ConvexHull | TriangleMesh):
        low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
        return 0.5 * (low + high), 0.5 * (high - low)
    return middle, np.full(3, np.inf)


def rotate_rows(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return R(q) v for quaternions (..., 4) and vectors (..., 3)."""
    axis = quaternions[..., 1:]
    twice = 2.0 * np.cross(axis, vectors)
    return vectors + quaternions[..., :1] * twice + np.cross(axis, twice)


def _shape_boxes(description: Description, frame: Frame, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return low and high corners (k, 3) [m], world, of boxes about the shapes `rows`."""
    sizes = [shape_half_size(description.shapes[row]) for row in rows]
    middles = np.array([size[0] for size in sizes]).reshape(-1, 3)
    halves = np.array([size[1] for size in sizes]).reshape(-1, 3)
    own = description.shape_quaternion[rows]
    bodies = description.shape_body[rows]
    turn = frame.quaternions[bodies]
    middles = description.shape_position[rows] + rotate_rows(own, middles)
    middles = frame.positions[bodies] + rotate_rows(turn, middles)
    reach = np.zeros_like(middles)
    for axis in range(3):
        edge = np.zeros((len(rows), 3))
        edge[:, axis] = 1.0
        with np.errstate(invalid="ignore"):
            reach += np.nan_to_num(
                np.abs(rotate_rows(turn, rotate_rows(own, edge))) * halves[:, axis : axis + 1]
            )
    reach[~np.isfinite(halves).all(axis=1)] = np.inf
    return middles - reach, middles + reach


def body_bounds(description: Description, frame: Frame, body: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners (3,) [m] of a box about a body; a body without shapes is its centre."""
    rows = np.flatnonzero(description.shape_body == body)
    if len(rows) == 0:
        return frame.positions[body].copy(), frame.positions[body].copy()
    low, high = _shape_boxes(description, frame, rows)
    return low.min(axis=0), high.max(axis=0)


def scene_bounds(description: Description, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners (3,) [m] of a box about all finite bodies that move, or about all, if none does."""
    moving = np.array([kind != "static" for kind in description.kinds], bool)[description.shape_body]
    for rows in (np.flatnonzero(moving), np.arange(len(description.shapes))):
        low, high = _shape_boxes(description, frame, rows)
        finite = np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1)
        if finite.any():
            return low[finite].min(axis=0), high[finite].max(axis=0)
    return np.full(3, -1.0), np.full(3, 1.0)

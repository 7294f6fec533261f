"""What a picture should hold: corners of the boxes about shapes, for `Camera.fit`."""

import numpy as np

from stoss.collision.shapes.shapes import HalfSpace
from stoss.viewer.drawing import geometry
from stoss.viewer.world.frames import Description, Frame

__all__ = ["framing_points", "scene_points"]

# Static shapes that are at most so many times as large as all that moves belong into the picture.
_SCENERY = 2.5

# Where there are many bodies, those farther out than three times the distance of nine tenths of them may
# be outside the picture.
_FAR, _MOST, _MANY = 3.0, 0.9, 50


def framing_points(description: Description, frame: Frame) -> np.ndarray:
    """Return points (k, 3) [m] that a picture of a frame should hold.

    They are the corners of what moves, without few bodies that have flown off, and of the scenery about it.
    """
    moving = scene_points(description, frame)
    if len(moving) == 0:
        return moving
    if len(moving) > 8 * _MANY:
        centres = moving.reshape(-1, 8, 3).mean(axis=1)
        far = np.linalg.norm(centres - np.median(centres, axis=0), axis=1)
        moving = moving.reshape(-1, 8, 3)[far <= _FAR * np.quantile(far, _MOST)].reshape(-1, 3)
    extent = float(np.linalg.norm(np.ptp(moving, axis=0)))
    everything = scene_points(description, frame, moving=False).reshape(-1, 8, 3)
    rows = [k for k, shape in enumerate(description.shapes) if not isinstance(shape, HalfSpace)]
    static = np.array([description.kinds[description.shape_body[k]] == "static" for k in rows], bool)
    small = np.linalg.norm(np.ptp(everything, axis=1), axis=1) <= _SCENERY * extent
    return np.concatenate([moving, everything[static & small].reshape(-1, 3)])


def scene_points(description: Description, frame: Frame, moving: bool = True) -> np.ndarray:
    """Return the corners (k, 3) [m] of the boxes about the shapes, for `Camera.fit`.

    Args:
        description, frame: the bodies.
        moving: only of those that are not static, if there are any.
    """
    rows = [k for k, shape in enumerate(description.shapes) if not isinstance(shape, HalfSpace)]
    if moving:
        rows = [k for k in rows if description.kinds[description.shape_body[k]] != "static"] or rows
    if not rows:
        return np.zeros((0, 3))
    low, high = (
        np.array(side)
        for side in zip(*(geometry.local_bounds(description.shapes[k]) for k in rows), strict=True)
    )
    choice = np.array([[(k >> axis) & 1 for axis in range(3)] for k in range(8)], bool)
    corners = np.where(choice[None], high[:, None], low[:, None])
    body = description.shape_body[rows]
    corners = geometry.rotate(description.shape_quaternion[rows][:, None], corners)
    corners = corners + description.shape_position[rows][:, None]
    corners = geometry.rotate(frame.quaternions[body][:, None], corners) + frame.positions[body][:, None]
    return corners.reshape(-1, 3)

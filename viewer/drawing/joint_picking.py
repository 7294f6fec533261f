"""Which joint is seen at a place of the picture. Plain numpy."""

import numpy as np

from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.joint_marks import joint_frames
from stoss.viewer.drawing.rods import rod_parts
from stoss.viewer.world.frames import Description, Frame

__all__ = ["joint_under"]


def joint_under(
    description: Description,
    frame: Frame,
    camera: Camera,
    size: Size,
    place: tuple[float, float],
    reach: float,
    marked: bool,
) -> str:
    """Return the name of the joint whose mark is nearest to a pixel, "" if none is within reach.

    Args:
        description, frame: what is drawn.
        camera, size: of the picture.
        place: the pixel.
        reach: [pixels]; half of it for rods, which are thin.
        marked: whether points of joints are drawn; rods always are.
    """
    parts = description.joint_parts
    if not len(parts.joint):
        return ""
    point_a, _, point_b, _ = joint_frames(description, frame)
    first, second = (camera.project(points, size) for points in (point_a, point_b))
    away = np.full(len(parts.joint), np.inf)
    rods = rod_parts(description)
    if frame.enabled is not None:
        rods = rods[frame.enabled[parts.joint[rods]]]  # only they are drawn
    if marked:
        away = np.minimum(_distance(first, first, place), _distance(second, second, place))
    if len(rods):
        away[rods] = np.minimum(away[rods], 2.0 * _distance(first[rods], second[rods], place))
    nearest = int(np.argmin(away))
    return description.joint_names[parts.joint[nearest]] if away[nearest] <= reach else ""


def _distance(first: np.ndarray, second: np.ndarray, place: tuple[float, float]) -> np.ndarray:
    """Return how far (k,) [pixels] a place is from lines between points (k, 3) of a picture."""
    along = second[:, :2] - first[:, :2]
    to_place = np.array(place) - first[:, :2]
    length = np.maximum(np.einsum("ij,ij->i", along, along), 1e-12)
    share = np.clip(np.einsum("ij,ij->i", along, to_place) / length, 0.0, 1.0)
    away = np.linalg.norm(to_place - share[:, None] * along, axis=1)
    behind = (first[:, 2] <= 0.0) | (second[:, 2] <= 0.0)
    return np.where(behind | ~np.isfinite(away), np.inf, away)

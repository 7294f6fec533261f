"""Rods: joints that hold two points at a distance, drawn as thin cylinders between these. Plain numpy."""

from collections.abc import Sequence

import numpy as np

from stoss.viewer.drawing.geometry import fitting_quaternion
from stoss.viewer.drawing.joint_marks import joint_frames
from stoss.viewer.world.frames import Description, Frame

__all__ = ["rod_instances", "rod_parts", "rod_radius"]

# Radius of a rod, in diameters of a typical body.
_RADIUS = 0.012


def rod_parts(description: Description) -> np.ndarray:
    """Return the rows (k,) of the parts of joints that are drawn as rods."""
    joints: Sequence[int] = description.joint_parts.joint.tolist()
    return np.array(
        [part for part, joint in enumerate(joints) if description.joint_kinds[joint] == "Distance"], np.int64
    )


def rod_radius(size: float) -> float:
    """Return the radius of rods [m] where a typical body has a size [m]."""
    return _RADIUS * size


def rod_instances(
    description: Description, frame: Frame, parts: np.ndarray, origin: np.ndarray, size: float, row: int
) -> np.ndarray:
    """Return an instance (k, 13) of the mesh "cylinder" for each rod, as `Bodies` keeps them.

    Args:
        description, frame: what is drawn.
        parts: rows of the parts of joints.
        origin: (3,) [m] that all is drawn relative to.
        size: of a typical body [m].
        row: of the table of bodies, one that stands at the origin.
    """
    first, _, second, _ = (values[parts] for values in joint_frames(description, frame))
    along = second - first
    length = np.linalg.norm(along, axis=1)
    along[length == 0.0] = (0.0, 0.0, 1.0)
    table = np.zeros((len(parts), 13), np.float32)
    table[:, :3], table[:, 3] = 0.5 * (first + second) - origin, row
    table[:, 4:8] = fitting_quaternion(along)
    table[:, 8] = table[:, 9] = rod_radius(size)
    table[:, 10] = length
    if frame.enabled is not None:  # those of joints that hold nothing have no size
        table[~frame.enabled[description.joint_parts.joint[parts]], 8:11] = 0.0
    table[:, 12] = -1.0
    return table

"""Rigid placements as pairs of a position and a quaternion."""

from collections.abc import Sequence

from stoss.collision.quaternions import (
    ORIGIN,
    UNTURNED,
    Quaternion,
    Vector,
    conjugate,
    length,
    multiply,
    rotate,
)

__all__ = ["HERE", "Pose", "inverse", "normals", "placed", "then"]

Pose = tuple[Vector, Quaternion]
HERE: Pose = (ORIGIN, UNTURNED)

# The direction about which angles in a plane count, so that its axes, in the order of its name, make a
# right-handed frame with it.
normals: dict[str, Vector] = {"xy": (0.0, 0.0, 1.0), "xz": (0.0, -1.0, 0.0), "yz": (1.0, 0.0, 0.0)}


def then(outer: Pose, inner: Pose) -> Pose:
    """Return the placement of what is placed by `inner` in a frame that is placed by `outer`."""
    x, y, z = rotate(outer[1], inner[0])
    return (outer[0][0] + x, outer[0][1] + y, outer[0][2] + z), _unit(multiply(outer[1], inner[1]))


def inverse(pose: Pose) -> Pose:
    """Return the placement that takes this one back."""
    back = conjugate(pose[1])
    x, y, z = rotate(back, pose[0])
    return (-x, -y, -z), back


def placed(pose: Pose, point: Vector) -> Vector:
    """Return a point of the placed frame outside."""
    x, y, z = rotate(pose[1], point)
    return pose[0][0] + x, pose[0][1] + y, pose[0][2] + z


def _unit(q: Sequence[float]) -> Quaternion:
    size = length(q)
    return q[0] / size, q[1] / size, q[2] / size, q[3] / size

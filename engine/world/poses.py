"""Poses of bodies as their users gave them: of the reference frames, in which the shapes stand.

Kernels know a body by its centre of mass and its principal axes; `frame_*` of the arrays is the pose of the
reference frame in these.
"""

import numpy as np

from stoss.collision.quaternions import (
    Quaternion,
    Vector,
    conjugate,
    length,
    multiply_grouped,
    rotate_grouped,
)
from stoss.engine.bodies.arrays import BodyArrays

__all__ = ["body_pose", "reference_positions", "reference_quaternions", "set_poses"]


def body_pose(
    position: Vector, quaternion: Quaternion, frame: Vector, frame_turn: Quaternion
) -> tuple[Vector, Quaternion]:
    """Return the centre of mass and the principal axes of a body whose reference frame has this pose."""
    w, x, y, z = multiply_grouped(quaternion, conjugate(frame_turn))
    size = length((w, x, y, z))
    turn = w / size, x / size, y / size, z / size
    x, y, z = rotate_grouped(turn, frame)
    return (position[0] - x, position[1] - y, position[2] - z), turn


def reference_positions(bodies: BodyArrays) -> np.ndarray:
    """Return the origins of the reference frames (n, 3) [m]."""
    return bodies.positions + _turned(bodies.quaternions, bodies.frame_positions)


def reference_quaternions(bodies: BodyArrays) -> np.ndarray:
    """Return the orientations of the reference frames (n, 4), body to world."""
    return _products(bodies.quaternions, bodies.frame_quaternions)


def set_poses(bodies: BodyArrays, positions: np.ndarray, quaternions: np.ndarray) -> None:
    """Move all bodies so that their reference frames have these poses, (n, 3) [m] and (n, 4)."""
    back = bodies.frame_quaternions * np.array([1.0, -1.0, -1.0, -1.0])
    bodies.quaternions[:] = _products(quaternions, back)
    bodies.positions[:] = positions - _turned(bodies.quaternions, bodies.frame_positions)


def _turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return R(q) v of rows."""
    axis = q[:, 1:]
    t = 2.0 * np.cross(axis, v)
    return v + q[:, :1] * t + np.cross(axis, t)


def _products(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the quaternion products p q of rows."""
    u, v = p[:, 1:], q[:, 1:]
    real = p[:, :1] * q[:, :1] - (u * v).sum(axis=1, keepdims=True)
    return np.hstack([real, p[:, :1] * v + q[:, :1] * u + np.cross(u, v)])

"""Matrices as the handles of ImGuizmo take and give them."""

import numpy as np
from imgui_bundle import imguizmo as guizmo_module

__all__ = ["quaternion_of", "to_guizmo", "with_far_plane"]


def to_guizmo(matrix: np.ndarray) -> "guizmo_module.im_guizmo.Matrix16":
    """Return a matrix (4, 4), column by column."""
    return guizmo_module.im_guizmo.Matrix16([float(x) for x in matrix.T.ravel()])


def with_far_plane(projection: np.ndarray) -> np.ndarray:
    """Return a projection with the far plane at 10 000 near distances: the handles cannot do without one."""
    if projection[3, 3] == 1.0:  # without perspective
        return projection
    near = projection[2, 3] / (projection[2, 2] - 1.0)
    far = 1e4 * near
    projection[2, 2:] = -(far + near) / (far - near), -2.0 * far * near / (far - near)
    return projection


def quaternion_of(matrix: np.ndarray) -> tuple[float, float, float, float]:
    """Return the unit quaternion (w, x, y, z) of a rotation matrix (3, 3), up to rounding in the matrix."""
    m = matrix
    k = np.zeros((4, 4))  # its largest eigenvector is the quaternion (x, y, z, w)
    k[0, 0], k[1, 0], k[1, 1] = m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2]
    k[2, :3] = m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1]
    k[3] = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], np.trace(m)
    _, vectors = np.linalg.eigh(k)
    x, y, z, w = vectors[:, 3] * np.copysign(1.0, vectors[3, 3])
    return float(w), float(x), float(y), float(z)

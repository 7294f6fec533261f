"""Start poses: lattices, rotations about an axis, random orientations."""

import math

import numpy as np

__all__ = ["lattice", "multiply", "random_quaternions", "rotation"]

Quaternion = tuple[float, float, float, float]


def rotation(axis: tuple[float, float, float], angle_rad: float) -> Quaternion:
    """Return the quaternion (w, x, y, z) of the turn by an angle about a unit axis."""
    sine = math.sin(0.5 * angle_rad)
    return math.cos(0.5 * angle_rad), sine * axis[0], sine * axis[1], sine * axis[2]


def multiply(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return the product p q: the turn q followed by the turn p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


def random_quaternions(random: np.random.Generator, count: int) -> np.ndarray:
    """Return `count` orientations, uniform over all rotations, as quaternions (count, 4)."""
    quaternions = random.standard_normal((count, 4))
    return quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)


def lattice(count: int, columns: int, spacing: float, lowest: float) -> np.ndarray:
    """Return `count` points (count, 3) of a cubic lattice, filled layer by layer from below.

    Args:
        count: number of points.
        columns: points per row and rows per layer.
        spacing: distance between neighbours [m].
        lowest: height of the lowest layer [m]; each layer is centred on the z axis.
    """
    index = np.arange(count)
    layer, place = np.divmod(index, columns * columns)
    row, column = np.divmod(place, columns)
    centre = 0.5 * (columns - 1)
    return np.stack([(column - centre) * spacing, (row - centre) * spacing, lowest + layer * spacing], axis=1)

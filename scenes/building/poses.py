"""Start poses: lattices, random orientations."""

import numpy as np

from stoss.collision.quaternions import Quaternion

__all__ = ["lattice", "multiply", "random_quaternions"]


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

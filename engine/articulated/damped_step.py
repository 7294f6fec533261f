"""Steps of Levenberg and Marquardt within limits, by a factor that keeps the zeros of a tree."""

import numpy as np

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Floats, Floats2

__all__ = ["damped_step"]

TINY = 1e-300  # added to what is divided by: a matrix of zeros moves nothing


@kernel
def damped_step(
    q: Floats, slope: Floats, matrix: Floats2, damping: float, limits: Floats2, factor: Floats2, out: Floats
) -> float:
    """Write coordinates after a step; return by how much it lessens a sum of squares that is quadratic.

    The step s solves (J'J + d 1) s = -J'f. Coordinates at a limit that would leave it stand still, and those
    that would go beyond one end there. J'J is L'L, from the last coordinate to the first: what is carried
    comes after what carries it, and two that do not carry each other stay without an entry.

    Args:
        q: (n,) coordinates, within the limits [rad or m].
        slope: (n,) J'f.
        matrix: (n, n) J'J.
        damping: share of the largest diagonal entry that is added to each.
        limits: (n, 2).
        factor: (n, n) memory.
        out: (n,).
    """
    count = len(q)
    largest = TINY
    for i in range(count):
        largest = max(largest, matrix[i, i])
    for i in range(count):
        held = (q[i] <= limits[i, 0] and slope[i] > 0.0) or (q[i] >= limits[i, 1] and slope[i] < 0.0)
        out[i] = 0.0 if held else -slope[i]
        for j in range(i):
            factor[i, j] = matrix[i, j]
        factor[i, i] = matrix[i, i] + damping * largest
        if held:  # a row and a column of the unit matrix
            for j in range(i):
                factor[i, j] = 0.0
            factor[i, i] = -1.0
    for i in range(count):
        if factor[i, i] < 0.0:
            factor[i, i] = 1.0
            for k in range(i + 1, count):
                factor[k, i] = 0.0
    for k in range(count - 1, -1, -1):
        root = np.sqrt(max(factor[k, k], TINY))
        factor[k, k] = root
        for i in range(k):
            factor[k, i] /= root
        for i in range(k):
            share = factor[k, i]
            if share != 0.0:
                for j in range(i + 1):
                    factor[i, j] -= share * factor[k, j]
    for k in range(count - 1, -1, -1):
        value = out[k] / factor[k, k]
        out[k] = value
        if value != 0.0:
            for i in range(k):
                out[i] -= factor[k, i] * value
    gained = 0.0
    for k in range(count):
        value = out[k]
        for i in range(k):
            value -= factor[k, i] * out[i]
        out[k] = value / factor[k, k]
        gained -= out[k] * slope[k]
    for i in range(count):
        out[i] = min(max(q[i] + out[i], limits[i, 0]), limits[i, 1])
    return gained

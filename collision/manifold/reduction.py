"""Which candidates become contacts: those that reach out farthest, and the deepest."""

import numpy as np

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Floats2, Ints

__all__ = ["reduce_candidates"]


@kernel
def reduce_candidates(points: Floats2, count: int, most: int, outermost: bool, chosen: Ints) -> int:
    """Choose at most `most` candidates: those that reach out farthest, and the deepest.

    The directions are fixed in the reference face, and none is parallel to the sides of common faces. Ties
    go to the earlier candidate unless the later one is better by 1e-9 of the extent, so that rounding does
    not change the choice.

    Inputs:
        points: (x, y, h) of the candidates, here those within the margin.
        count: how many.
        most: how many may stay.
        outermost: whether inner candidates are dropped even if all would fit.
        chosen: (most,) out: indices.

    Returns:
        How many were chosen.
    """
    if count <= most and (not outermost or count < 3):
        for i in range(count):
            chosen[i] = i
        return count
    extent, deepest = 0.0, 0
    for i in range(count):
        extent = max(extent, abs(points[i, 0] - points[0, 0]), abs(points[i, 1] - points[0, 1]))
    tie = 1e-9 * extent
    kept = 0
    for d in range(most):
        angle = 2.0 * np.pi * d / most + 0.1
        cx, cy = np.cos(angle), np.sin(angle)
        best = 0
        for i in range(1, count):
            if cx * (points[i, 0] - points[best, 0]) + cy * (points[i, 1] - points[best, 1]) > tie:
                best = i
        fresh = True
        for k in range(kept):
            fresh = fresh and chosen[k] != best
        if fresh:
            chosen[kept] = best
            kept += 1
    deepest = chosen[0]
    for k in range(1, kept):
        if points[chosen[k], 2] < points[deepest, 2]:
            deepest = chosen[k]
    found = deepest
    for i in range(count):
        if points[i, 2] < points[found, 2] - tie:
            found = i
    if found != deepest:
        if kept < most:
            chosen[kept] = found
            return kept + 1
        # in the place of the one nearest to it
        near, place = np.inf, 0
        for k in range(kept):
            x, y = points[chosen[k], 0] - points[found, 0], points[chosen[k], 1] - points[found, 1]
            if x * x + y * y < near:
                near, place = x * x + y * y, k
        chosen[place] = found
    return kept

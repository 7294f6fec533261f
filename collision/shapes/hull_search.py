"""The corner of a hull that lies farthest in a direction."""

import numpy as np

from stoss.collision.kernels.decorators import inner

__all__ = ["MANY_CORNERS", "highest_corner"]

MANY_CORNERS = 256  # up to so many all are looked at: 1 ns each


@inner
def highest_corner(solids, first, last, x, y, z):
    """Return the vertex, from `first` to `last` - 1, that is highest in direction d, and its height.

    Of many corners the highest of a few, spread over all, is where a climb over the faces starts: from a
    corner to the highest one of its faces. On a convex surface that ends at the top, with about the root of
    the number of corners looked at.

    Inputs:
        solids: all polyhedra.
        x, y, z: direction in the frame of the hull, any length.
    """
    vertices = solids.vertices
    step = 1
    if last - first > MANY_CORNERS:
        step = int(np.sqrt(last - first))
    best, at = -np.inf, first
    for v in range(first, last, step):
        height = vertices[v, 0] * x + vertices[v, 1] * y + vertices[v, 2] * z
        if height > best:
            best, at = height, v
    climbing = step > 1
    while climbing:
        climbing = False
        for k in range(solids.around_start[at], solids.around_start[at + 1]):
            f = solids.around[k]
            for c in range(solids.corner_range[f, 0], solids.corner_range[f, 1]):
                v = solids.corners[c]
                height = vertices[v, 0] * x + vertices[v, 1] * y + vertices[v, 2] * z
                if height > best:
                    best, at, climbing = height, v, True
            if climbing:
                break
    return at, best

"""Which shapes may meet on their way through a step: bounds of whole paths, tested pair by pair."""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import norm, rotate
from stoss.collision.broad_phase.find_pairs import is_excluded
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Floats2, Ints, Ints2
from stoss.collision.queries.paths import Paths, pose_at
from stoss.collision.shapes.kinds import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HALFSPACE,
    HULL,
    MESH,
    SPHERE,
)
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable

FEATURE = "fast bodies"  # see `kernels.prepare`

__all__ = ["SweptSizes", "find_candidates", "swept_sizes"]


class SweptSizes(Struct):
    """Sizes of shapes that matter on their paths.

    Attributes:
        inner: radius [m] of the largest ball inside, infinite for half-spaces, 0 for meshes.
        lever: distance [m] of the farthest point from the origin of the body, without what is round about it.
    """

    inner: Annotated[Floats, "shapes"]
    lever: Annotated[Floats, "shapes"]


def swept_sizes(table: ShapeTable) -> SweptSizes:
    """Return how large a ball fits into each shape, and how far turning moves its surface."""
    shapes, solids = table.arrays, table.polyhedra.arrays
    inner, lever = np.empty(table.count), np.empty(table.count)
    offset = np.sqrt((shapes.local_position**2).sum(axis=1))
    for s in range(table.count):
        kind, size, radius = shapes.kind[s], shapes.size[s], shapes.bounding_radius[s]
        lever[s] = offset[s] + radius
        if kind == SPHERE:
            inner[s], lever[s] = size[0], offset[s]
        elif kind == CAPSULE:
            inner[s], lever[s] = size[0], offset[s] + size[1]
        elif kind == BOX or kind == ELLIPSOID:
            inner[s] = size[:3].min()
        elif kind == CYLINDER:
            inner[s] = size[:2].min()
        elif kind == CONE:
            # the circle inside the triangle of base 2 r, height 2 l
            r, height = size[0], 2.0 * size[1]
            inner[s] = r * height / (r + np.hypot(r, height))
        elif kind == HALFSPACE:
            inner[s], lever[s] = np.inf, 0.0
        elif kind == MESH:
            inner[s] = 0.0
        else:
            assert kind == HULL
            p = shapes.polyhedron[s]
            planes = solids.planes[solids.face_start[p] : solids.face_start[p + 1]]
            inner[s] = (planes[:, 3] - planes[:, :3] @ solids.centre[p]).min()
    return SweptSizes(inner, lever)


@kernel
def _sweep_bounds(shapes: ShapeArrays, paths: Paths, low: Floats2, high: Floats2) -> None:
    """Fill low, high (count, 3): bounds of each shape on its path, from those at its end."""
    lower, upper, body, turn, shift = shapes.aabb_min, shapes.aabb_max, shapes.body, paths.turn, paths.shift
    for s in range(len(body)):
        i = body[s]
        angle = norm(turn[i, 0], turn[i, 1], turn[i, 2])
        local = shapes.local_position[s]
        arm = norm(local[0], local[1], local[2])
        grown = 0.0
        x, y, z = shift[i, 0], shift[i, 1], shift[i, 2]
        if angle > 0.0:
            grown = min(angle, 2.0) * shapes.bounding_radius[s]
            if arm > 0.0:
                # an arc leaves its chord by no more than its rise, or by the diameter
                grown += arm * (1.0 - np.cos(0.5 * angle)) if angle < np.pi else 2.0 * arm
                _, _, _, q0, q1, q2, q3 = pose_at(paths, i, 1.0)
                x1, y1, z1 = rotate((q0, q1, q2, q3), local[0], local[1], local[2])
                x0, y0, z0 = rotate(paths.quaternion[i], local[0], local[1], local[2])
                x, y, z = x + x1 - x0, y + y1 - y0, z + z1 - z0
        for k in range(3):
            d = x if k == 0 else (y if k == 1 else z)
            room = grown + 0.25 * abs(paths.bend[i, k])
            low[s, k] = min(lower[s, k], lower[s, k] - d) - room
            high[s, k] = max(upper[s, k], upper[s, k] - d) + room


@kernel
def _pair_candidates(
    shapes: ShapeArrays,
    low: Floats2,
    high: Floats2,
    fast: Bools,
    excluded: Ints,
    pairs: Ints2,
) -> int:
    """Write the pairs of a shape of a fast body and another one that may meet; return how many there are."""
    kind, body, group, mask = shapes.kind, shapes.body, shapes.group, shapes.mask
    count, n = len(body), 0
    for i in range(count):
        a = body[i]
        if not fast[a] or kind[i] == HALFSPACE or kind[i] == MESH:
            continue
        x0, y0, z0, x1, y1, z1 = low[i, 0], low[i, 1], low[i, 2], high[i, 0], high[i, 1], high[i, 2]
        for j in range(count):
            # the bitwise form has no branches to mispredict
            if not (
                (x0 <= high[j, 0])
                & (low[j, 0] <= x1)
                & (y0 <= high[j, 1])
                & (low[j, 1] <= y1)
                & (z0 <= high[j, 2])
                & (low[j, 2] <= z1)
                & (kind[j] != HALFSPACE)
            ):
                continue
            b = body[j]
            if a == b or (fast[b] and j < i and kind[j] != MESH):
                continue
            if group[i] & mask[j] == 0 or group[j] & mask[i] == 0:
                continue
            if len(excluded) > 0 and is_excluded(excluded, a, b):
                continue
            if n < len(pairs):
                pairs[n, 0], pairs[n, 1] = i, j
            n += 1
    return n


def find_candidates(
    table: ShapeTable,
    paths: Paths,
    fast: np.ndarray,
    excluded: np.ndarray,
) -> np.ndarray:
    """Return the pairs (p, 2) of shapes that may meet on their paths, the first one of a fast body.

    Args:
        table: the shapes, updated for the ends of the paths without a margin.
        paths: of the bodies.
        fast: (n,) bodies whose paths are looked at.
        excluded: sorted keys of body pairs that pass through each other.
    """
    count = table.count
    low, high = np.empty((count, 3)), np.empty((count, 3))
    _sweep_bounds(table.arrays, paths, low, high)
    pairs = np.empty((256, 2), np.int64)
    while True:
        found = _pair_candidates(table.arrays, low, high, fast, excluded, pairs)
        if found <= len(pairs):
            return pairs[:found].copy()
        pairs = np.empty((2 * found, 2), np.int64)

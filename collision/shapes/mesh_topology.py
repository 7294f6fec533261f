"""How the triangles of a mesh hang together: neighbours, flat patches, and the tree of their boxes."""

from typing import Annotated, NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Floats2, Ints, Ints2

FEATURE = "mesh topology"  # needed as a mesh is added, not in steps: see `kernels.prepare`

__all__ = [
    "EDGE_CONCAVE",
    "EDGE_CONVEX",
    "EDGE_FLAT",
    "EDGE_OPEN",
    "Tree",
    "build_tree",
    "edge_neighbours",
    "flat_patches",
    "with_back",
]

# How the surface turns at the edge of a mesh triangle. Within FLAT_TOLERANCE (height of the neighbour's
# far corner over the plane, relative to the edge lengths) two triangles are one face: 1e-6 lies above the
# rounding of single-precision mesh files (6e-8 relative, amplified by slim triangles) and below any bend
# that a contact could feel.
EDGE_OPEN = 0
EDGE_CONVEX = 1
EDGE_FLAT = 2
EDGE_CONCAVE = 3
FLAT_TOLERANCE = 1e-6

_LEAF_SIZE = 4  # triangles per leaf: the box test of a node costs about as much as two triangle tests
_RUN = 12  # entries that are sorted by insertion


def edge_neighbours(
    vertices: np.ndarray, triangles: np.ndarray, normals: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (m, 3) neighbour rows and bends; vertices at the same place count as one (STL files).

    An edge that is open or not manifold has no neighbour: both sides may touch it from any side.
    """
    merged = _same_places(vertices)[triangles]
    neighbours = np.full(triangles.shape, -1, dtype=np.int64)
    bends = np.full(triangles.shape, EDGE_OPEN, dtype=np.int64)
    start, end = merged.reshape(-1), merged[:, [1, 2, 0]].reshape(-1)  # of edge 3 face + k
    key = np.minimum(start, end) * len(vertices) + np.maximum(start, end)
    # shapes cannot be written, and kernels take arrays that can
    _join(np.argsort(key), key, start, vertices.copy(), triangles.copy(), normals, neighbours, bends)
    return neighbours, bends


@kernel
def _join(
    order: Ints,
    key: Ints,
    start: Ints,
    vertices: Floats2,
    triangles: Ints2,
    normals: Floats2,
    neighbours: Ints2,
    bends: Ints2,
) -> None:
    """Join edges that run between the same places in opposite directions, two of them and no more."""
    count, i = len(order), 0
    while i < count:
        j = i + 1
        while j < count and key[order[j]] == key[order[i]]:
            j += 1
        if j == i + 2 and start[order[i]] != start[order[i + 1]]:
            for which in range(2):
                edge, twin = order[i + which], order[i + 1 - which]
                face, other = edge // 3, twin // 3
                corner, far = triangles[face, edge % 3], triangles[other, (twin % 3 + 2) % 3]
                height, square, same = 0.0, 0.0, 0.0
                for x in range(3):
                    d = vertices[far, x] - vertices[corner, x]
                    height += normals[face, x] * d
                    square += d * d
                    same += normals[face, x] * normals[other, x]
                neighbours[face, edge % 3] = other
                if abs(height) <= FLAT_TOLERANCE * np.sqrt(square) and same >= 0.0:
                    bends[face, edge % 3] = EDGE_FLAT
                elif height < 0.0 or (same < 0.0 and height <= 0.0):
                    bends[face, edge % 3] = EDGE_CONVEX
                else:
                    bends[face, edge % 3] = EDGE_CONCAVE
        i = j


def _same_places(vertices: np.ndarray) -> np.ndarray:
    """Return a number (n,) for each vertex, the same for those at the same place."""
    order = np.lexsort(vertices.T)
    ordered = vertices[order]
    number = np.empty(len(vertices), np.int64)
    number[order] = np.cumsum(np.append(False, (ordered[1:] != ordered[:-1]).any(axis=1)))
    return number


def with_back(neighbours: np.ndarray, bends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return neighbours and bends of a skin and, behind them, of the same one turned round."""
    swapped = np.array([1, 0, 2])  # corners a, b, c become c, b, a: the edges are b c, a b, c a turned round
    turned = np.where(neighbours >= 0, neighbours + len(neighbours), -1)[:, swapped]
    hollow = np.select([bends == EDGE_CONVEX, bends == EDGE_CONCAVE], [EDGE_CONCAVE, EDGE_CONVEX], bends)
    return np.concatenate([neighbours, turned]), np.concatenate([bends, hollow[:, swapped]])


def flat_patches(neighbours: np.ndarray, bends: np.ndarray) -> np.ndarray:
    """Return for each triangle the lowest one that is connected with it through flat edges."""
    patch = np.full(len(bends), -1, dtype=np.int64)
    _fill_patches(neighbours, bends, patch, np.empty(len(bends), np.int64))
    return patch


@kernel
def _fill_patches(neighbours: Ints2, bends: Ints2, patch: Ints, stack: Ints) -> None:
    for seed in range(len(patch)):
        if patch[seed] >= 0:
            continue
        patch[seed], stack[0], size = seed, seed, 1
        while size > 0:
            size -= 1
            face = stack[size]
            for k in range(3):
                other = neighbours[face, k]
                if bends[face, k] == EDGE_FLAT and patch[other] < 0:
                    patch[other] = seed
                    stack[size] = other
                    size += 1


class Tree(NamedTuple):
    """A tree of boxes, nodes in depth-first order: see `PolyhedronArrays`."""

    node_min: np.ndarray
    node_max: np.ndarray
    node_range: np.ndarray
    leaf_faces: np.ndarray


class _Growing(Struct):
    """A tree as it is built.

    Attributes:
        lower, upper, centre: box of each triangle [m].
        faces: the triangles in the order of the leaves.
        other: scratch of sorting.
        begin, end, parent, side: of parts that wait to be split: their triangles, and whose child they are.
    """

    lower: Annotated[Floats, "faces", 3]
    upper: Annotated[Floats, "faces", 3]
    centre: Annotated[Floats, "faces", 3]
    faces: Annotated[Ints, "faces"]
    other: Annotated[Ints, "faces"]
    begin: Annotated[Ints, "waiting"]
    end: Annotated[Ints, "waiting"]
    parent: Annotated[Ints, "waiting"]
    side: Annotated[Ints, "waiting"]


def build_tree(corners: np.ndarray) -> Tree:
    """Build a tree of boxes by splitting at the median of the longest axis.

    Args:
        corners: (m, 3, 3) of the triangles [m].
    """
    count = len(corners)
    g = _Growing.zeros(faces=count, waiting=count.bit_length() + 2)
    corners.min(axis=1, out=g.lower)
    corners.max(axis=1, out=g.upper)
    g.centre[:] = 0.5 * (g.lower + g.upper)
    g.faces[:] = np.arange(count)
    room = 2 * count  # a part is split as long as it has more than a leaf
    node_min, node_max, node_range = np.empty((room, 3)), np.empty((room, 3)), np.empty((room, 2), np.int64)
    nodes = _grow(g, node_min, node_max, node_range)
    return Tree(node_min[:nodes].copy(), node_max[:nodes].copy(), node_range[:nodes].copy(), g.faces)


@kernel
def _grow(g: _Growing, node_min: Floats2, node_max: Floats2, node_range: Ints2) -> int:
    """Write the nodes, and the triangles in the order of the leaves; return how many nodes there are."""
    g.begin[0], g.end[0], g.parent[0], g.side[0] = 0, len(g.faces), -1, 0
    waiting, nodes = 1, 0
    while waiting > 0:
        waiting -= 1
        begin, end = g.begin[waiting], g.end[waiting]
        if g.parent[waiting] >= 0:
            node_range[g.parent[waiting], g.side[waiting]] = nodes
        axis, widest = 0, -1.0
        for x in range(3):
            low, high, least, most = np.inf, -np.inf, np.inf, -np.inf
            for i in range(begin, end):
                face = g.faces[i]
                low, high = min(low, g.lower[face, x]), max(high, g.upper[face, x])
                least, most = min(least, g.centre[face, x]), max(most, g.centre[face, x])
            node_min[nodes, x], node_max[nodes, x] = low, high
            if most - least > widest:
                axis, widest = x, most - least
        if end - begin <= _LEAF_SIZE:
            node_range[nodes, 0], node_range[nodes, 1] = -1 - begin, end - begin
        else:
            _sort(g, axis, begin, end)
            half = begin + (end - begin) // 2
            g.begin[waiting], g.end[waiting], g.parent[waiting], g.side[waiting] = half, end, nodes, 1
            waiting += 1
            g.begin[waiting], g.end[waiting], g.parent[waiting], g.side[waiting] = begin, half, nodes, 0
            waiting += 1
        nodes += 1
    return nodes


@inner
def _sort(g, axis, begin, end):
    """Sort the triangles begin to end - 1 by their centres on an axis, equal ones in the order they have."""
    centre, faces, other = g.centre, g.faces, g.other
    for first in range(begin, end, _RUN):
        for i in range(first + 1, min(first + _RUN, end)):
            face, j = faces[i], i
            while j > first and centre[faces[j - 1], axis] > centre[face, axis]:
                faces[j] = faces[j - 1]
                j -= 1
            faces[j] = face
    width = _RUN
    while width < end - begin:
        for first in range(begin, end, 2 * width):
            middle, last = min(first + width, end), min(first + 2 * width, end)
            i, j = first, middle
            for k in range(first, last):
                if i < middle and (j == last or not centre[faces[i], axis] > centre[faces[j], axis]):
                    other[k] = faces[i]
                    i += 1
                else:
                    other[k] = faces[j]
                    j += 1
        for k in range(begin, end):
            faces[k] = other[k]
        width *= 2

"""Polyhedra as flat arrays: hulls and triangle meshes in the form the kernels read.

All hulls and meshes of a scene share one set of arrays. A *polyhedron* is a range of vertices and a
range of faces; a face is a range of corners (vertex rows, counter-clockwise seen from outside) with an
outward unit normal and a plane offset: normal . x = offset. Meshes have triangles as faces and, on top,
the neighbour across each edge and a static tree of bounding boxes.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from stoss.collision.algebra import rotate
from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Floats, Ints
from stoss.collision.quaternions import Vector, length

__all__ = [
    "EDGE_CONCAVE",
    "EDGE_CONVEX",
    "EDGE_FLAT",
    "EDGE_OPEN",
    "PolyhedronArrays",
    "PolyhedronTable",
    "polyhedron_bounds",
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


class PolyhedronArrays(Struct):
    """Group the arrays of all polyhedra for kernels; the first axes are polyhedra p, vertices, faces, nodes.

    Attributes:
        vertex_start: (p + 1,) polyhedron i owns the vertex rows vertex_start[i] to vertex_start[i + 1].
        face_start: (p + 1,) the same for face rows.
        centre: (p, 3) mean of the vertices, inside a hull [m].
        vertices: (v, 3) in the shape's frame [m].
        corner_range: (f, 2) first and last + 1 corner of each face.
        corners: (c,) vertex rows.
        planes: (f, 4) outward unit normal and offset [m] of each face.
        neighbours: (f, 3) face row across the edge from corner k to corner k + 1 of a mesh triangle, or -1.
        bends: (f, 3) how the surface turns at that edge: EDGE_OPEN, EDGE_CONVEX, EDGE_FLAT, EDGE_CONCAVE.
        patch: (f,) lowest face (counted within its mesh) of the flat patch that a mesh triangle belongs to.
        root: (p,) first node of a mesh's tree, -1 for hulls.
        node_min, node_max: (n, 3) boxes of the nodes [m].
        node_range: (n, 2) children of an inner node, or (-1 - first, count) into `leaf_faces` for a leaf.
        leaf_faces: face rows in the order of the leaves.
    """

    vertex_start: Annotated[Ints, "polyhedra+1"]
    face_start: Annotated[Ints, "polyhedra+1"]
    centre: Annotated[Floats, "polyhedra", 3]
    vertices: Annotated[Floats, "vertices", 3]
    corner_range: Annotated[Ints, "faces", 2]
    corners: Annotated[Ints, "corners"]
    planes: Annotated[Floats, "faces", 4]
    neighbours: Annotated[Ints, "faces", 3]
    bends: Annotated[Ints, "faces", 3]
    patch: Annotated[Ints, "faces"]
    root: Annotated[Ints, "polyhedra"]
    node_min: Annotated[Floats, "nodes", 3]
    node_max: Annotated[Floats, "nodes", 3]
    node_range: Annotated[Ints, "nodes", 2]
    leaf_faces: Annotated[Ints, "leaves"]


class PolyhedronTable:
    """Collect hulls and meshes; `arrays` gives them to kernels.

    Rows never change; only the last ones may be taken away again, by `cut`.

    Attributes:
        arrays: of all polyhedra, one struct for good.
    """

    def __init__(self) -> None:
        self._table = Table(PolyhedronArrays)
        self.arrays = self._table.arrays

    @property
    def count(self) -> int:
        """Return the number of polyhedra."""
        return self._table.lengths["polyhedra"]

    @property
    def lengths(self) -> dict[str, int]:
        """Return how many polyhedra, vertices, faces and so on there are: see `cut`."""
        return dict(self._table.lengths)

    def cut(self, lengths: dict[str, int]) -> None:
        """Forget the last polyhedra, those that were added since there were so many."""
        self._table.resize(keep=True, **lengths)

    @property
    def vertices(self) -> np.ndarray:
        """Return the vertices of all polyhedra (v, 3) [m], in their shapes' frames."""
        return self.arrays.vertices

    @property
    def vertex_start(self) -> np.ndarray:
        """Return the first vertex row of each polyhedron, and the number of rows at the end (p + 1,)."""
        return self.arrays.vertex_start

    def add_hull(self, vertices: np.ndarray, faces: Sequence[np.ndarray]) -> int:
        """Add a convex polyhedron and return its row.

        Args:
            vertices: (n, 3) [m].
            faces: polygons as vertex indices, counter-clockwise seen from outside.

        Raises:
            ValueError: if an array has the wrong shape, an index is out of range or a face has no area.
        """
        vertices = _checked_vertices(vertices)
        polygons = [np.asarray(face, dtype=np.int64).reshape(-1) for face in faces]
        for row, polygon in enumerate(polygons):
            if len(polygon) < 3:
                raise ValueError(f"faces[{row}] has {len(polygon)} corners; give at least 3")
        lengths = np.array([len(polygon) for polygon in polygons], dtype=np.int64)
        corners = np.concatenate(polygons) if polygons else np.zeros(0, np.int64)
        _check_indices(corners, len(vertices))
        normals = np.empty((len(polygons), 3))
        offsets = np.empty(len(polygons))
        for row, polygon in enumerate(polygons):
            points = vertices[polygon]
            x, y, z = _twice_area(points.tolist())
            size = length((x, y, z))
            if size == 0.0:
                raise ValueError(f"faces[{row}] has no area; remove it")
            normals[row] = x / size, y / size, z / size
            # the outermost corner defines the plane, so that no vertex lies outside it
            offsets[row] = (points @ normals[row]).max()
        self._append(vertices, lengths, corners, normals, offsets)
        return self.count - 1

    def add_mesh(self, vertices: np.ndarray, triangles: np.ndarray, two_sided: bool = False) -> int:
        """Add a triangle mesh and return its row. Triangles without area are left out of collisions.

        Args:
            vertices: (n, 3) [m].
            triangles: (m, 3) vertex indices, counter-clockwise seen from the free side.
            two_sided: whether the other side is free too: a second skin, turned round, lies on the first.

        Raises:
            ValueError: if an array has the wrong shape, an index is out of range or nothing is left.
        """
        vertices = _checked_vertices(vertices)
        triangles = np.asarray(triangles, dtype=np.int64)
        if triangles.ndim != 2 or triangles.shape[1] != 3 or len(triangles) == 0:
            raise ValueError(f"triangles has shape {triangles.shape}; give (m, 3) with m > 0")
        _check_indices(triangles, len(vertices))
        first, second, third = (vertices[triangles[:, k]] for k in range(3))
        area = np.cross(second - first, third - first)
        length = np.linalg.norm(area, axis=1)
        extent = float(np.ptp(vertices, axis=0).max())
        kept = length > 1e-14 * extent * extent  # below this the normal is rounding error
        if not kept.any():
            raise ValueError("triangles have no area; check the units and the vertex indices")
        triangles, area, length, first = triangles[kept], area[kept], length[kept], first[kept]
        normals = area / length[:, None]
        offsets = np.einsum("ij,ij->i", normals, first)
        neighbours, bends = _edge_neighbours(vertices, triangles, normals)
        if two_sided:
            neighbours, bends = _with_back(neighbours, bends)
            triangles = np.concatenate([triangles, triangles[:, ::-1]])
            normals, offsets = np.concatenate([normals, -normals]), np.concatenate([offsets, -offsets])
        lengths = np.full(len(triangles), 3, dtype=np.int64)
        tree = _build_tree(vertices[triangles])
        self._append(vertices, lengths, triangles.reshape(-1), normals, offsets, neighbours, bends, tree)
        return self.count - 1

    def _append(self, vertices, lengths, corners, normals, offsets, neighbours=None, bends=None, tree=None):
        """Write a polyhedron behind the others; rows that are given count from its own first ones."""
        a, first = self.arrays, dict(self._table.lengths)
        vertex, face, corner, node, leaf = (
            first[axis] for axis in ("vertices", "faces", "corners", "nodes", "leaves")
        )
        row = first["polyhedra"]
        added = {"polyhedra": 1, "vertices": len(vertices), "faces": len(lengths), "corners": len(corners)}
        if tree is not None:
            added |= {"nodes": len(tree[0]), "leaves": len(tree[3])}
        self._table.resize(keep=True, **{axis: first[axis] + more for axis, more in added.items()})
        a.vertices[vertex:] = vertices
        a.centre[row] = vertices.mean(axis=0)
        ends = corner + np.cumsum(lengths)
        a.corner_range[face:] = np.stack([ends - lengths, ends], axis=1)
        a.corners[corner:] = corners + vertex
        a.planes[face:, :3], a.planes[face:, 3] = normals, offsets
        a.neighbours[face:] = -1
        if neighbours is not None:
            a.neighbours[face:] = np.where(neighbours >= 0, neighbours + face, -1)
            a.bends[face:] = bends
            a.patch[face:] = _flat_patches(neighbours, bends)
        a.root[row] = -1
        if tree is not None:
            a.root[row] = node
            a.node_min[node:], a.node_max[node:], ranges, faces = tree
            is_inner = ranges[:, :1] >= 0
            a.node_range[node:] = np.where(is_inner, ranges + node, ranges - np.array([leaf, 0]))
            a.leaf_faces[leaf:] = faces + face
        a.vertex_start[row + 1], a.face_start[row + 1] = len(a.vertices), len(a.planes)


def _twice_area(points: list[list[float]]) -> Vector:
    """Return twice the vector area of a polygon (Newell)."""
    x0, y0, z0 = points[0]
    x = y = z = 0.0
    a, b, c = points[1][0] - x0, points[1][1] - y0, points[1][2] - z0
    for px, py, pz in points[2:]:
        p, q, r = px - x0, py - y0, pz - z0
        x, y, z = x + (b * r - c * q), y + (c * p - a * r), z + (a * q - b * p)
        a, b, c = p, q, r
    return x, y, z


def _checked_vertices(vertices: np.ndarray) -> np.ndarray:
    vertices = np.ascontiguousarray(vertices, dtype=np.float64)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or len(vertices) < 3:
        raise ValueError(f"vertices has shape {vertices.shape}; give (n, 3) with n >= 3")
    if not np.isfinite(vertices).all():
        raise ValueError("vertices must be finite; remove NaN and infinite coordinates")
    return vertices


def _check_indices(indices: np.ndarray, count: int) -> None:
    if indices.size and (indices.min() < 0 or indices.max() >= count):
        raise ValueError(
            f"face indices run from {indices.min()} to {indices.max()}; "
            f"they must lie between 0 and {count - 1}"
        )


def _edge_neighbours(vertices, triangles, normals):
    """Return (m, 3) neighbour rows and bends; vertices at the same place count as one (STL files)."""
    _, same = np.unique(vertices, axis=0, return_inverse=True)
    merged = same.reshape(-1)[triangles]
    neighbours = np.full(triangles.shape, -1, dtype=np.int64)
    bends = np.full(triangles.shape, EDGE_OPEN, dtype=np.int64)
    directed: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for face, corner in enumerate(merged.tolist()):
        for k in range(3):
            directed.setdefault((corner[k], corner[(k + 1) % 3]), []).append((face, k))
    for (start, end), owners in directed.items():
        others = directed.get((end, start), [])
        if len(owners) != 1 or len(others) != 1:
            continue  # open or not manifold: both sides may touch the edge from any side
        face, k = owners[0]
        other, m = others[0]
        corner = vertices[triangles[face, k]]
        far = vertices[triangles[other, (m + 2) % 3]] - corner
        height = float(normals[face] @ far)
        scale = float(np.linalg.norm(far))
        neighbours[face, k] = other
        folded = float(normals[face] @ normals[other]) < 0.0
        if abs(height) <= FLAT_TOLERANCE * scale and not folded:
            bends[face, k] = EDGE_FLAT
        else:
            bends[face, k] = EDGE_CONVEX if height < 0.0 or folded and height <= 0.0 else EDGE_CONCAVE
    return neighbours, bends


def _with_back(neighbours, bends):
    """Return neighbours and bends of a skin and, behind them, of the same one turned round."""
    swapped = np.array([1, 0, 2])  # corners a, b, c become c, b, a: the edges are b c, a b, c a turned round
    turned = np.where(neighbours >= 0, neighbours + len(neighbours), -1)[:, swapped]
    hollow = np.select([bends == EDGE_CONVEX, bends == EDGE_CONCAVE], [EDGE_CONCAVE, EDGE_CONVEX], bends)
    return np.concatenate([neighbours, turned]), np.concatenate([bends, hollow[:, swapped]])


def _flat_patches(neighbours: np.ndarray, bends: np.ndarray) -> np.ndarray:
    """Return for each triangle the lowest one that is connected with it through flat edges."""
    patch = np.full(len(bends), -1, dtype=np.int64)
    for seed in range(len(bends)):
        if patch[seed] >= 0:
            continue
        patch[seed] = seed
        stack = [seed]
        while stack:
            face = stack.pop()
            for other, bend in zip(neighbours[face], bends[face], strict=True):
                if bend == EDGE_FLAT and patch[other] < 0:
                    patch[other] = seed
                    stack.append(int(other))
    return patch


def _build_tree(corners: np.ndarray):
    """Build a tree of boxes by splitting at the median of the longest axis; nodes in depth-first order."""
    lower, upper = corners.min(axis=1), corners.max(axis=1)
    centre = 0.5 * (lower + upper)
    node_min: list[np.ndarray] = []
    node_max: list[np.ndarray] = []
    node_range: list[list[int]] = []
    leaf_faces: list[int] = []
    stack = [(np.arange(len(corners)), -1, 0)]  # faces, parent, which child
    while stack:
        faces, parent, side = stack.pop()
        node = len(node_range)
        if parent >= 0:
            node_range[parent][side] = node
        node_min.append(lower[faces].min(axis=0))
        node_max.append(upper[faces].max(axis=0))
        if len(faces) <= _LEAF_SIZE:
            node_range.append([-1 - len(leaf_faces), len(faces)])
            leaf_faces.extend(faces.tolist())
            continue
        node_range.append([0, 0])
        axis = int(np.argmax(np.ptp(centre[faces], axis=0)))
        order = faces[np.argsort(centre[faces, axis], kind="stable")]
        half = len(order) // 2
        stack.append((order[half:], node, 1))
        stack.append((order[:half], node, 0))
    return (
        np.array(node_min),
        np.array(node_max),
        np.array(node_range, dtype=np.int64),
        np.array(leaf_faces, dtype=np.int64),
    )


@inner
def polyhedron_bounds(arrays, row, position, quaternion):
    """Return the world bounding box (x0, y0, z0, x1, y1, z1) of a polyhedron; exact for hulls.

    For meshes it is the box around the turned box of the whole mesh: cheap, and meshes do not move.

    Inputs:
        arrays: `PolyhedronTable.arrays`.
        row: row of the polyhedron.
        position, quaternion: world pose, rows of three and four numbers.
    """
    x0, y0, z0 = np.inf, np.inf, np.inf
    x1, y1, z1 = -np.inf, -np.inf, -np.inf
    node = arrays.root[row]
    first, last = arrays.vertex_start[row], arrays.vertex_start[row + 1]
    if node >= 0:
        first, last = 0, 8
    for k in range(first, last):
        if node >= 0:
            lx = arrays.node_max[node, 0] if k & 1 else arrays.node_min[node, 0]
            ly = arrays.node_max[node, 1] if k & 2 else arrays.node_min[node, 1]
            lz = arrays.node_max[node, 2] if k & 4 else arrays.node_min[node, 2]
        else:
            lx, ly, lz = arrays.vertices[k, 0], arrays.vertices[k, 1], arrays.vertices[k, 2]
        x, y, z = rotate(quaternion, lx, ly, lz)
        x0, y0, z0 = min(x0, x), min(y0, y), min(z0, z)
        x1, y1, z1 = max(x1, x), max(y1, y), max(z1, z)
    return (
        x0 + position[0],
        y0 + position[1],
        z0 + position[2],
        x1 + position[0],
        y1 + position[1],
        z1 + position[2],
    )

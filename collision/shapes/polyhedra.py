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
from stoss.collision.shapes.mesh_topology import build_tree, edge_neighbours, flat_patches, with_back

__all__ = ["PolyhedronArrays", "PolyhedronTable", "polyhedron_bounds"]


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
        around_start: (v + 1,) entries of `around` for each vertex of a hull: its faces, ascending.
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
    around_start: Annotated[Ints, "vertices+1"]
    around: Annotated[Ints, "incidences"]


class PolyhedronTable:
    """Collect hulls and meshes; `arrays` gives them to kernels.

    Rows change when others are removed, as said by `remove`.

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
    def sizes(self) -> np.ndarray:
        """Return the number of vertices and faces of each polyhedron (p,)."""
        return np.diff(self.arrays.vertex_start) + np.diff(self.arrays.face_start)

    def remove(self, rows: np.ndarray) -> None:
        """Remove polyhedra (ascending rows), and give their memory back; those behind move up, in order."""
        a, lengths = self.arrays, self._table.lengths
        gone = {"polyhedra": np.zeros(self.count, np.bool_)}
        gone["polyhedra"][rows] = True
        faces = np.diff(a.face_start)
        gone["vertices"] = np.repeat(gone["polyhedra"], np.diff(a.vertex_start))
        gone["faces"] = np.repeat(gone["polyhedra"], faces)
        gone["corners"] = np.repeat(gone["faces"], a.corner_range[:, 1] - a.corner_range[:, 0])
        gone["leaves"] = np.repeat(gone["polyhedra"], np.where(a.root >= 0, faces, 0))
        meshes = np.flatnonzero(a.root >= 0)
        nodes = np.diff(np.append(a.root[meshes], lengths["nodes"]))
        gone["nodes"] = np.repeat(gone["polyhedra"][meshes], nodes)
        gone["incidences"] = np.repeat(gone["vertices"], np.diff(a.around_start))
        # what is left is numbered anew: by how much is gone before it
        before = {axis: np.append(0, np.cumsum(mask)) for axis, mask in gone.items()}
        for numbers, axis in (
            *((a.vertex_start, "vertices"), (a.corners, "vertices"), (a.face_start, "faces")),
            *((a.leaf_faces, "faces"), (a.around, "faces"), (a.corner_range, "corners")),
            *((a.around_start, "incidences"), (a.root, "nodes"), (a.neighbours, "faces")),
        ):
            numbers -= np.where(numbers >= 0, before[axis][numbers], 0)
        inner_node = a.node_range[:, 0] >= 0
        children = a.node_range[inner_node]
        a.node_range[inner_node] = children - before["nodes"][children]
        leaf = a.node_range[~inner_node, 0]
        a.node_range[~inner_node, 0] = leaf + before["leaves"][-1 - leaf]
        for axis, mask in gone.items():
            self._table.remove(axis, np.flatnonzero(mask))

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
        neighbours, bends = edge_neighbours(vertices, triangles, normals)
        if two_sided:
            neighbours, bends = with_back(neighbours, bends)
            triangles = np.concatenate([triangles, triangles[:, ::-1]])
            normals, offsets = np.concatenate([normals, -normals]), np.concatenate([offsets, -offsets])
        lengths = np.full(len(triangles), 3, dtype=np.int64)
        tree = build_tree(vertices[triangles])
        self._append(vertices, lengths, triangles.reshape(-1), normals, offsets, neighbours, bends, tree)
        return self.count - 1

    def _append(self, vertices, lengths, corners, normals, offsets, neighbours=None, bends=None, tree=None):
        """Write a polyhedron behind the others; rows that are given count from its own first ones."""
        a, first = self.arrays, dict(self._table.lengths)
        vertex, face, corner, node, leaf = (
            first[axis] for axis in ("vertices", "faces", "corners", "nodes", "leaves")
        )
        row, incidence = first["polyhedra"], first["incidences"]
        added = {"polyhedra": 1, "vertices": len(vertices), "faces": len(lengths), "corners": len(corners)}
        around = np.zeros(0, np.int64)
        if tree is not None:
            added |= {"nodes": len(tree[0]), "leaves": len(tree[3])}
        else:
            around = np.argsort(corners, kind="stable")
        added["incidences"] = len(around)
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
            a.patch[face:] = flat_patches(neighbours, bends)
        a.around[incidence:] = face + np.repeat(np.arange(len(lengths)), lengths)[around]
        used = np.bincount(corners[around], minlength=len(vertices))
        a.around_start[vertex + 1 :] = incidence + np.cumsum(used)
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

"""Edges of bodies, for wireframes; convex hulls; boxes as hard to move and to turn as a body. Plain numpy."""

from functools import lru_cache

import numpy as np

from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.shapes import HalfSpace
from stoss.viewer.drawing.geometry import Mesh, instance_size, rotate, shape_mesh, unit_mesh
from stoss.viewer.world.frames import Description, Frame

__all__ = ["hull_edges", "inertia_box_edges", "shape_edges"]

# Corners of circles, fewer where there are many shapes.
_SEGMENTS, _FEW_SEGMENTS, _MANY = 16, 8, 300

# Edges between triangles that bend less than that [cosine] are not drawn, but those of meshes.
_FLAT = np.cos(np.radians(1.0))

_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_PAIRS = np.array([(a, a | bit) for a in range(8) for bit in (1, 2, 4) if not a & bit])


def shape_edges(description: Description, frame: Frame) -> np.ndarray:
    """Return the edges (k, 2, 3) [m] of all shapes: of meshes all, of others those that bend."""
    segments = _SEGMENTS if len(description.shapes) <= _MANY else _FEW_SEGMENTS
    members: dict[object, list[int]] = {}
    meshes: dict[object, Mesh] = {}
    for row, shape in enumerate(description.shapes):
        if isinstance(shape, HalfSpace):
            continue
        key, mesh = shape_mesh(shape, segments)
        members.setdefault(key, []).append(row)
        meshes.setdefault(key, mesh)
    found = [np.zeros((0, 2, 3))]
    for key, rows in members.items():
        all_of_them = isinstance(description.shapes[rows[0]], TriangleMesh)
        if isinstance(key, str):
            ends, shifts = _unit_edges(key, segments)
        else:
            ends, shifts = _edges(meshes[key], all_of_them)
        sizes = np.array([instance_size(description.shapes[row]) for row in rows])
        points = ends[None] * sizes[:, None, None, :3]
        points[..., 2] += shifts[None] * sizes[:, None, None, 3]
        found.append(_in_world(points, rows, description, frame).reshape(-1, 2, 3))
    return np.concatenate(found)


def _in_world(points: np.ndarray, rows: list[int], description: Description, frame: Frame) -> np.ndarray:
    """Return points (k, e, 2, 3) of shapes, given in their frames, in the world."""
    body = description.shape_body[rows]
    points = rotate(description.shape_quaternion[rows][:, None, None], points)
    points = points + description.shape_position[rows][:, None, None]
    return rotate(frame.quaternions[body][:, None, None], points) + frame.positions[body][:, None, None]


@lru_cache(maxsize=32)
def _unit_edges(kind: str, segments: int) -> tuple[np.ndarray, np.ndarray]:
    return _edges(unit_mesh(kind, segments), False)


def _edges(mesh: Mesh, all_of_them: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return ends (e, 2, 3) of edges before the sizes, and their shifts (e, 2)."""
    places, number = np.unique(mesh.vertices[:, :4].round(6), axis=0, return_inverse=True)
    triangles = number.ravel()[mesh.triangles]
    solid = places[:, :3].astype(float)
    solid[:, 2] += places[:, 3]
    corners = solid[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1)
    triangles, normals = triangles[length > 1e-12], normals[length > 1e-12] / length[length > 1e-12, None]
    pairs = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    face = np.arange(len(pairs)) // 3
    edges, first, which = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    bends = np.zeros(len(edges), bool)
    cosine = np.einsum("ij,ij->i", normals[face], normals[face[first[which.ravel()]]])
    bends[which.ravel()[cosine < _FLAT]] = True
    bends[np.bincount(which.ravel(), minlength=len(edges)) == 1] = True
    kept = edges if all_of_them else edges[bends]
    return places[kept][..., :3].astype(float), places[kept][..., 3].astype(float)


# The last description whose hulls were asked for, and their edges in the frames of their bodies.
_hulls: list[tuple[Description, list[tuple[int, np.ndarray]]]] = []


def hull_edges(description: Description, frame: Frame) -> np.ndarray:
    """Return the edges (k, 2, 3) [m] of the convex hulls of bodies that are compounds, hulls or meshes."""
    if not _hulls or _hulls[0][0] is not description:
        _hulls[:] = [(description, [*_local_hulls(description)])]
    found = [rotate(frame.quaternions[body], edges) + frame.positions[body] for body, edges in _hulls[0][1]]
    return np.concatenate([np.zeros((0, 2, 3)), *found])


def _local_hulls(description: Description) -> list[tuple[int, np.ndarray]]:
    clouds: dict[int, list[np.ndarray]] = {}
    kinds: dict[int, list[type]] = {}
    for row, shape in enumerate(description.shapes):
        if isinstance(shape, HalfSpace) or row in description.drawn:
            continue
        points = shape_mesh(shape, _SEGMENTS)[1].placed(instance_size(shape)).astype(float)
        points = rotate(description.shape_quaternion[row], points) + description.shape_position[row]
        body = int(description.shape_body[row])
        clouds.setdefault(body, []).append(points)
        kinds.setdefault(body, []).append(type(shape))
    found = []
    for body, parts in clouds.items():
        if len(parts) > 1 or kinds[body][0] in (ConvexHull, TriangleMesh):
            found.append((body, _hull_of(np.concatenate(parts))))
    return found


def _hull_of(points: np.ndarray) -> np.ndarray:
    """Return the edges (e, 2, 3) of the convex hull of points (n, 3), without those within its faces."""
    from scipy.spatial import ConvexHull as Hull  # slow to import
    from scipy.spatial import QhullError

    size = float(np.ptp(points, axis=0).max())
    points = np.unique((points / size).round(7), axis=0) * size
    try:
        hull = Hull(points)
    except QhullError:
        hull = Hull(points, qhull_options="QJ Pp")  # joggled: a flat mesh has a hull too
    edges: dict[tuple[int, int], list[int]] = {}
    for face, corners in enumerate(hull.simplices.tolist()):
        for a, b in ((0, 1), (1, 2), (2, 0)):
            edges.setdefault((min(corners[a], corners[b]), max(corners[a], corners[b])), []).append(face)
    normals = hull.equations[:, :3]
    kept = [
        pair
        for pair, faces in edges.items()
        if len(faces) < 2 or normals[faces[0]] @ normals[faces[1]] < _FLAT
    ]
    return points[np.array(kept, np.int64).reshape(-1, 2)]


def inertia_box_edges(description: Description, frame: Frame) -> np.ndarray:
    """Return the edges (k, 2, 3) [m] of evenly filled boxes with the mass and the inertia of each body.

    A box with edges a, b, c has m (b^2 + c^2) / 12 about the first axis, so a^2 = 6 (I_2 + I_3 - I_1) / m.
    """
    rows = np.flatnonzero(np.nan_to_num(description.masses) > 0.0)
    moments = description.inertias[rows]
    squares = 6.0 * (moments.sum(axis=1, keepdims=True) - 2.0 * moments) / description.masses[rows, None]
    sizes = np.sqrt(np.maximum(squares, 0.0))
    ends = _CORNERS[_PAIRS][None] * sizes[:, None, None]
    turned = rotate(frame.quaternions[rows][:, None, None], ends)
    return (turned + frame.positions[rows][:, None, None]).reshape(-1, 2, 3)

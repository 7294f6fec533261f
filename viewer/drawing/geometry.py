"""Meshes of all shapes, ready for instanced drawing: plain numpy, no graphics library.

A mesh is drawn at many sizes. Vertex v of an instance with the sizes s (4) lies at

    (base.x s.x, base.y s.y, base.z s.z + shift s.w)

so that one capsule serves all radii and lengths: its ends are shifted outward by half the length.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Shape, Sphere

__all__ = [
    "Mesh",
    "arrow",
    "fitting_quaternion",
    "instance_size",
    "local_bounds",
    "rotate",
    "shape_mesh",
    "unit_mesh",
]


@dataclass(frozen=True)
class Mesh:
    """Triangles with normals.

    Attributes:
        vertices: (n, 7) float32: base (3), shift, normal (3).
        triangles: (m, 3) uint32, counter-clockwise seen from outside.
    """

    vertices: np.ndarray
    triangles: np.ndarray

    def placed(self, size: Sequence[float]) -> np.ndarray:
        """Return the vertices (n, 3) of an instance of the sizes (4), in the frame of the shape [m]."""
        s = np.asarray(size, float)
        points = self.vertices[:, :3] * s[:3]
        points[:, 2] += self.vertices[:, 3] * s[3]
        return points


def _mesh(base: np.ndarray, normals: np.ndarray, triangles: np.ndarray, shift: Any = 0.0) -> Mesh:
    vertices = np.empty((len(base), 7), np.float32)
    vertices[:, :3] = base
    vertices[:, 3] = shift
    vertices[:, 4:] = normals
    return Mesh(vertices, np.ascontiguousarray(triangles, np.uint32))


def _grid(rows: int, columns: int) -> np.ndarray:
    """Return the triangles of a grid of rows x columns vertices; columns run counter-clockwise, rows up."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    return np.concatenate(
        [
            np.stack([corner, corner + 1, corner + columns + 1], 1),
            np.stack([corner, corner + columns + 1, corner + columns], 1),
        ]
    )


def _turned(profile: np.ndarray, normals: np.ndarray, segments: int, shift: Any = 0.0) -> Mesh:
    """Return the surface that a profile (k, 2) of (radius, z), from the bottom up, sweeps about z."""
    angle = np.linspace(0.0, 2.0 * np.pi, segments + 1)
    circle = np.stack([np.cos(angle), np.sin(angle)], 1)

    def sweep(values: np.ndarray) -> np.ndarray:
        around = values[:, None, :1] * circle[None]
        height = np.broadcast_to(values[:, None, 1:], (*around.shape[:2], 1))
        return np.concatenate([around, height], 2).reshape(-1, 3)

    shifts = np.repeat(np.broadcast_to(shift, len(profile)), segments + 1)
    triangles = _grid(len(profile), segments + 1)
    base = sweep(profile)
    corners = base[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    # Rows of a capsule may lie on each other before they are shifted apart: keep what has area then.
    corners[:, :, 2] += shifts[triangles]
    area += np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return _mesh(base, sweep(normals), triangles[area > 1e-9], shifts)


def _joined(*meshes: Mesh) -> Mesh:
    first = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes])
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.triangles + np.uint32(k) for mesh, k in zip(meshes, first, strict=False)]),
    )


def _disc(segments: int, z: float, direction: float, shift: float = 0.0) -> Mesh:
    angle = np.arange(segments) * (2.0 * np.pi / segments)
    base = np.stack([np.cos(angle), np.sin(angle), np.full(segments, z)], 1)
    fan = np.stack([np.zeros(segments - 2, int), np.arange(1, segments - 1), np.arange(2, segments)], 1)
    return _mesh(base, np.array([0.0, 0.0, direction]), fan if direction > 0 else fan[:, ::-1], shift)


def _box() -> Mesh:
    base: list[np.ndarray] = []
    normals: list[np.ndarray] = []
    triangles: list[tuple[int, int, int]] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            u, v = np.roll(np.eye(3), axis, axis=1)[1:] * 0.5
            if sign < 0:
                u, v = v, u
            first = len(base)
            base += [0.5 * normal + a * u + b * v for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            normals += [normal] * 4
            triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return _mesh(np.array(base), np.array(normals), np.array(triangles))


def _sphere(segments: int) -> Mesh:
    # As many rows as make the triangles about square.
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, max(3, segments // 2) + 1)
    profile = np.stack([np.cos(angle), np.sin(angle)], 1)
    profile[[0, -1], 0] = 0.0
    return _turned(profile, profile, segments)


def _capsule(segments: int) -> Mesh:
    angle = np.linspace(0.0, 0.5 * np.pi, max(2, segments // 4) + 1)
    upper = np.stack([np.cos(angle), np.sin(angle)], 1)
    upper[-1, 0] = 0.0
    lower = upper[::-1] * (1.0, -1.0)
    profile = np.concatenate([lower, upper])
    return _turned(profile, profile, segments, np.sign(np.arange(len(profile)) - len(lower) + 0.5))


def _cylinder(segments: int) -> Mesh:
    side = _turned(np.array([[1.0, -0.5], [1.0, 0.5]]), np.array([[1.0, 0.0], [1.0, 0.0]]), segments)
    return _joined(side, _disc(segments, -0.5, -1.0), _disc(segments, 0.5, 1.0))


def _cone(segments: int) -> Mesh:
    # Normals of the cone of radius 1 and height 1; the shader divides them by the sizes.
    side = _turned(np.array([[1.0, -0.5], [0.0, 0.5]]), np.array([[1.0, 1.0], [1.0, 1.0]]) / 2**0.5, segments)
    return _joined(side, _disc(segments, -0.5, -1.0))


def _half_space(segments: int) -> Mesh:
    """Return rings about the origin in the plane z = 0; the outermost has radius 1, the next a fourth."""
    radii = np.array([0.0, *(4.0 ** np.arange(-5.0, 1.0))])
    profile = np.stack([radii, np.zeros(len(radii))], 1)[::-1]
    return _turned(profile, np.tile([0.0, 1.0], (len(radii), 1)), segments)


@lru_cache(maxsize=64)
def arrow(segments: int = 12) -> Mesh:
    """Return an arrow along z from the origin; sizes: radius of the head (2), its length, shaft."""
    shaft = 0.4
    side = _turned(
        np.array([[shaft, 0.0], [shaft, 0.0]]),
        np.array([[1.0, 0.0], [1.0, 0.0]]),
        segments,
        np.array([0.0, 1.0]),
    )
    head = _turned(
        np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 1.0], [1.0, 1.0]]) / 2**0.5, segments, 1.0
    )
    return _joined(side, head, _disc(segments, 0.0, -1.0, 1.0))


@lru_cache(maxsize=64)
def unit_mesh(kind: str, segments: int) -> Mesh:
    """Return the mesh that all shapes of a kind share.

    Args:
        kind: "box", "sphere", "capsule", "cylinder", "cone" or "half-space".
        segments: corners of a circle.
    """
    if kind == "box":
        return _box()
    makers = {
        "sphere": _sphere,
        "capsule": _capsule,
        "cylinder": _cylinder,
        "cone": _cone,
        "half-space": _half_space,
    }
    return makers[kind](segments)


def _flat(vertices: np.ndarray, triangles: np.ndarray) -> Mesh:
    """Return triangles with the normals of their planes."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    shown = length[:, 0] > 0.0
    normals = (normals / np.where(length > 0.0, length, 1.0))[shown]
    base = corners[shown].reshape(-1, 3)
    return _mesh(base, np.repeat(normals, 3, axis=0), np.arange(len(base)).reshape(-1, 3))


# Edges of a mesh sharper than that stay sharp.
_CREASE = np.cos(np.radians(40.0))


def _smooth(vertices: np.ndarray, triangles: np.ndarray) -> Mesh:
    """Return triangles whose normals are smooth over edges that bend little."""
    corners = vertices[triangles]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(areas, axis=1, keepdims=True)
    flat = areas / np.where(length > 0.0, length, 1.0)
    # Corners in the order of their vertices: those of a vertex follow each other; compare in pairs.
    corner = np.argsort(triangles.ravel(), kind="stable")
    vertex, face = triangles.ravel()[corner], corner // 3
    total = areas[face].copy()
    for step in range(1, int(np.bincount(vertex).max())):
        first = np.flatnonzero(vertex[step:] == vertex[:-step])
        one, other = face[first], face[first + step]
        near = np.einsum("ij,ij->i", flat[one], flat[other]) > _CREASE
        first, one, other = first[near], one[near], other[near]
        total[first] += areas[other]
        total[first + step] += areas[one]
    normals = np.empty_like(total)
    normals[corner] = total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
    return _mesh(corners.reshape(-1, 3), normals, np.arange(3 * len(triangles)).reshape(-1, 3))


def shape_mesh(shape: Shape, segments: int) -> tuple[object, Mesh]:
    """Return the mesh of a shape before its sizes, and a key that is equal for shapes that share it.

    Args:
        shape: any shape.
        segments: corners of a circle.
    """
    if isinstance(shape, ConvexHull):
        fans = [
            np.stack([np.full(len(f) - 2, f[0]), f[1:-1], f[2:]], 1) for f in map(np.asarray, shape.faces)
        ]
        return ("hull", shape.vertices.tobytes()), _flat(shape.vertices, np.concatenate(fans))
    if isinstance(shape, TriangleMesh):
        return ("mesh", shape.vertices.tobytes(), shape.faces.tobytes()), _smooth(shape.vertices, shape.faces)
    kind = _KINDS[type(shape)]
    return kind, unit_mesh(kind, segments)


_KINDS: dict[type[Shape], str] = {
    Sphere: "sphere",
    Ellipsoid: "sphere",
    Box: "box",
    Capsule: "capsule",
    Cylinder: "cylinder",
    Cone: "cone",
    HalfSpace: "half-space",
}


def instance_size(shape: Shape) -> tuple[float, float, float, float]:
    """Return the sizes (4) with which the mesh of a shape is drawn."""
    if isinstance(shape, Sphere):
        return (shape.radius,) * 3 + (0.0,)
    if isinstance(shape, Ellipsoid):
        return (*shape.radii, 0.0)
    if isinstance(shape, Box):
        return (*shape.size, 0.0)
    if isinstance(shape, Capsule):
        return (shape.radius,) * 3 + (0.5 * shape.length,)
    if isinstance(shape, Cylinder | Cone):
        return (shape.radius, shape.radius, shape.length, 0.0)
    return (1.0, 1.0, 1.0, 0.0)


def local_bounds(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners (3,), (3,) of the box about a shape in its frame [m]; infinite for half-spaces."""
    if isinstance(shape, ConvexHull | TriangleMesh):
        return shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    if isinstance(shape, HalfSpace):
        return np.full(3, -np.inf), np.full(3, np.inf)
    size = np.array(instance_size(shape))
    half = size[:3] * (0.5 if isinstance(shape, Box) else 1.0)
    if isinstance(shape, Cylinder | Cone):
        half[2] *= 0.5
    half[2] += size[3]
    return -half, half


def fitting_quaternion(directions: np.ndarray) -> np.ndarray:
    """Return quaternions (..., 4) that turn z onto directions (..., 3) by the shortest way."""
    d = np.asarray(directions, float)
    d = d / np.maximum(np.linalg.norm(d, axis=-1, keepdims=True), 1e-300)
    q = np.stack([1.0 + d[..., 2], -d[..., 1], d[..., 0], np.zeros_like(d[..., 0])], -1)
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    upside_down = length < 1e-7
    return np.where(upside_down, [0.0, 1.0, 0.0, 0.0], q / np.where(upside_down, 1.0, length))


def rotate(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return vectors (..., 3) turned by unit quaternions (..., 4)."""
    w, axis = quaternions[..., :1], quaternions[..., 1:]
    turned = 2.0 * np.cross(axis, vectors)
    return vectors + w * turned + np.cross(axis, turned)


def product(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the quaternions (..., 4) that turn by the second, then by the first."""
    a, b = first[..., 1:], second[..., 1:]
    w = first[..., :1] * second[..., :1] - (a * b).sum(axis=-1, keepdims=True)
    return np.concatenate([w, first[..., :1] * b + second[..., :1] * a + np.cross(a, b)], axis=-1)

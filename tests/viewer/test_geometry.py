"""Meshes: closed, turned outward, on the surface, and as large as the shapes."""

import numpy as np
import pytest

from stoss.collision import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Shape,
    Sphere,
    TriangleMesh,
)
from stoss.viewer.drawing.geometry import (
    arrow,
    fitting_quaternion,
    instance_size,
    local_bounds,
    rotate,
    shape_mesh,
)

SHAPES: list[Shape] = [
    Sphere(0.7),
    Box((0.4, 1.1, 2.0)),
    Capsule(0.3, 1.4),
    Cylinder(0.5, 0.8),
    Cone(0.6, 1.5),
    Ellipsoid((0.4, 0.9, 1.3)),
    ConvexHull(np.random.default_rng(2).normal(size=(40, 3))),
]


def volume(corners: np.ndarray) -> float:
    return float(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_volume_converges_to_that_of_the_shape(shape: Shape) -> None:
    """Enclose the volume of the shape, less what polygons cut off, a fourth per doubling."""
    errors = []
    for segments in (16, 32, 64):
        mesh = shape_mesh(shape, segments)[1]
        errors.append(1.0 - volume(mesh.placed(instance_size(shape))[mesh.triangles]) / shape.volume)
    if isinstance(shape, Box | ConvexHull):
        assert errors == pytest.approx([0.0] * 3, abs=1e-6)
    else:
        assert 0.0 < errors[2] < 0.01
        assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_closed_and_turned_outward(shape: Shape) -> None:
    """Have every edge in both directions, and normals on the outer side of all triangles."""
    mesh = shape_mesh(shape, 16)[1]
    size = np.array(instance_size(shape))
    points = mesh.placed(size)
    corners = points[mesh.triangles]
    keys = {tuple(point): number for number, point in enumerate(np.unique(points.round(5), axis=0))}
    numbers = np.array([[keys[tuple(point)] for point in triangle.round(5)] for triangle in corners])
    edges = np.concatenate([numbers[:, [0, 1]], numbers[:, [1, 2]], numbers[:, [2, 0]]])
    assert {tuple(edge) for edge in edges} == {tuple(edge) for edge in edges[:, ::-1]}
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = (mesh.vertices[:, 4:] / size[:3])[mesh.triangles]
    assert (np.einsum("tvk,tk->tv", normals, flat) > 0.0).all()


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_bounds_hold_the_mesh_tightly(shape: Shape) -> None:
    """Bound the shape in its own frame: the mesh touches every side, up to its polygons."""
    mesh = shape_mesh(shape, 64)[1]
    points = mesh.placed(instance_size(shape))
    low, high = local_bounds(shape)
    assert points.min(axis=0) == pytest.approx(low, abs=5e-3)
    assert points.max(axis=0) == pytest.approx(high, abs=5e-3)


def test_meshes_of_same_kind_are_shared() -> None:
    """Give spheres of all sizes one key, equal hulls too, and other hulls another."""
    cloud = np.random.default_rng(0).normal(size=(12, 3))
    assert shape_mesh(Sphere(1.0), 8)[0] == shape_mesh(Ellipsoid((1.0, 2.0, 3.0)), 8)[0]
    assert shape_mesh(ConvexHull(cloud), 8)[0] == shape_mesh(ConvexHull(cloud.copy()), 8)[0]
    assert shape_mesh(ConvexHull(cloud), 8)[0] != shape_mesh(ConvexHull(2.0 * cloud), 8)[0]


def test_half_space_is_a_disc() -> None:
    """Cover the disc of radius 1 in the plane once, seen from its normal."""
    mesh = shape_mesh(HalfSpace(), 32)[1]
    corners = mesh.placed((1.0, 1.0, 1.0, 0.0))[mesh.triangles]
    area = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (area[:, 2] > 0.0).all()
    assert area[:, 2].sum() == pytest.approx(np.pi, rel=0.01)


def test_triangle_mesh_is_smooth_where_it_bends_little() -> None:
    """Turn normals together over flat edges only."""
    height = 0.1
    vertices = np.array(
        [[0, 0, 0], [1, 0, height], [1, 1, height], [0, 1, 0], [2, 0, 0], [2, 1, 0], [2, 0, -5.0]]
    )
    faces = np.array([[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2], [4, 6, 5]])
    mesh = shape_mesh(TriangleMesh(vertices, faces), 8)[1]
    normals = mesh.vertices[:, 4:].reshape(-1, 3, 3)
    assert normals[0, 1] == pytest.approx(normals[2, 0])  # over the ridge at x = 1
    assert normals[4, 0] == pytest.approx([1.0, 0.0, 0.0])  # the steep side stays flat


def test_arrow_has_the_length_of_its_sizes() -> None:
    """Reach from the origin to the sum of shaft and head, as wide as the head."""
    points = arrow(16).placed((0.2, 0.2, 0.3, 1.1))
    assert points[:, 2].min() == pytest.approx(0.0)
    assert points[:, 2].max() == pytest.approx(1.4)
    assert np.abs(points[:, 0]).max() == pytest.approx(0.2)


def test_fitting_quaternion_turns_z() -> None:
    """Turn z onto any direction, straight down too."""
    directions = np.vstack([np.random.default_rng(4).normal(size=(50, 3)), [[0, 0, -1]], [[0, 0, 2]]])
    turned = rotate(fitting_quaternion(directions), np.array([0.0, 0.0, 1.0]))
    assert turned == pytest.approx(directions / np.linalg.norm(directions, axis=1, keepdims=True), abs=1e-7)

import itertools

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.placed import Placed
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Sphere

lengths = st.floats(1e-3, 1e3)
CUBE = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))


def slice_moments(half_axes, pieces):
    """Return volume, centroid height and inertia tensor by integrating elliptic slices over z.

    A slice with the half axes a, b has the area pi a b and the second moments pi a^3 b / 4 and
    pi a b^3 / 4. Gauss-Legendre with 12 points is exact for polynomials to degree 23.
    """
    nodes, weights = np.polynomial.legendre.leggauss(12)
    sums = np.zeros(5)  # 1, z, z^2, x^2, y^2
    for low, high in pieces:
        for node, weight in zip(nodes, weights, strict=True):
            z = 0.5 * (low + high) + 0.5 * (high - low) * node
            a, b = half_axes(z)
            area = np.pi * a * b * weight * 0.5 * (high - low)
            sums += area * np.array([1.0, z, z * z, a * a / 4.0, b * b / 4.0])
    volume, first, zz, xx, yy = sums
    height = first / volume
    zz -= volume * height**2
    return volume, height, np.diag([yy + zz, xx + zz, xx + yy])


def check_against_slices(shape, half_axes, pieces):
    volume, height, inertia = slice_moments(half_axes, pieces)
    assert shape.volume == pytest.approx(volume, rel=1e-12)
    np.testing.assert_allclose(shape.centroid, [0.0, 0.0, height], atol=1e-12)
    np.testing.assert_allclose(shape.second_moment, inertia, rtol=1e-12, atol=1e-12 * inertia.max())


def test_round_primitives_match_integrals_over_slices():
    """Give volume, centroid and inertia of round shapes equal to the integral over their slices."""
    check_against_slices(Sphere(0.7), lambda z: (np.sqrt(0.49 - z * z),) * 2, [(-0.7, 0.7)])
    check_against_slices(Cylinder(0.4, 1.7), lambda z: (0.4, 0.4), [(-0.85, 0.85)])
    check_against_slices(Cone(0.6, 2.0), lambda z: (0.3 * (1.0 - z),) * 2, [(-1.0, 1.0)])

    def capsule(z):
        over = max(0.0, abs(z) - 0.8)
        return (np.sqrt(0.09 - over * over),) * 2

    check_against_slices(Capsule(0.3, 1.6), capsule, [(-1.1, -0.8), (-0.8, 0.8), (0.8, 1.1)])

    def ellipsoid(z):
        scale = np.sqrt(1.0 - (z / 1.3) ** 2)
        return 0.5 * scale, 0.9 * scale

    check_against_slices(Ellipsoid((0.5, 0.9, 1.3)), ellipsoid, [(-1.3, 1.3)])


@given(lengths, lengths, lengths)
def test_hull_of_box_corners_equals_the_box(x, y, z):
    """Give the hull of a box's corners the box's faces, volume and inertia."""
    box = Box((x, y, z))
    hull = ConvexHull(CUBE * box.size + [1.0, -2.0, 3.0])
    assert len(hull.vertices) == 8
    assert sorted(len(face) for face in hull.faces) == [4] * 6
    # the vertices carry a rounding of 1e-16 * 4 m, which the thinnest edge turns into a relative error
    rounding = 1e-14 * max(1.0, 4.0 / min(x, y, z), max(x, y, z) / min(x, y, z))
    assert hull.volume == pytest.approx(box.volume, rel=rounding)
    np.testing.assert_allclose(hull.centroid, [1.0, -2.0, 3.0], atol=rounding * max(1.0, x, y, z))
    moment = box.second_moment
    np.testing.assert_allclose(hull.second_moment, moment, atol=4.0 * rounding * moment.max())


def test_hull_faces_are_planar_and_point_outwards():
    """Number the corners of each hull face counter-clockwise seen from outside, each once."""
    rng = np.random.default_rng(4)
    hulls = [ConvexHull(rng.normal(size=(40, 3)))]
    hulls.append(ConvexHull(np.vstack([CUBE, 0.3 * CUBE, [[0.0, 0.0, 0.5]]])))
    angle = np.arange(12) * np.pi / 6.0
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    hulls.append(ConvexHull(np.vstack([np.column_stack([ring, np.full(12, z)]) for z in (-1.0, 1.0)])))
    assert len(hulls[1].vertices) == 8
    assert sorted(len(face) for face in hulls[2].faces) == [4] * 12 + [12] * 2
    for hull in hulls:
        edges = set()
        for face in hull.faces:
            corners = hull.vertices[face]
            normal = np.cross(corners[1] - corners[0], corners[2] - corners[1])
            normal /= np.linalg.norm(normal)
            heights = (hull.vertices - corners[0]) @ normal
            assert heights.max() < 1e-12
            np.testing.assert_allclose(heights[face], 0.0, atol=1e-12)
            edges |= set(zip(face, np.roll(face, -1), strict=True))
        # closed: every edge runs once each way; Euler: V - E + F = 2
        assert all((end, start) in edges for start, end in edges)
        assert len(hull.vertices) - len(edges) // 2 + len(hull.faces) == 2


def test_hull_moments_match_trimesh():
    """Give a random hull the volume and inertia that trimesh computes."""
    points = np.random.default_rng(1).normal(size=(30, 3)) + 2.0
    hull, mesh = ConvexHull(points), trimesh.convex.convex_hull(points)
    assert hull.volume == pytest.approx(mesh.volume, rel=1e-10)
    np.testing.assert_allclose(hull.centroid, mesh.center_mass, rtol=1e-10)
    inertia = mesh.moment_inertia
    np.testing.assert_allclose(hull.second_moment, inertia, atol=1e-10 * inertia.max())


def test_shapes_load_from_files(tmp_path):
    """Read hulls and meshes from files with the vertices they were written with."""
    path = tmp_path / "box.stl"
    trimesh.creation.box((1.0, 2.0, 3.0)).export(path)
    assert ConvexHull.from_file(path).volume == pytest.approx(6.0, rel=1e-6)  # STL holds single precision
    mesh = TriangleMesh.from_file(path)
    assert mesh.faces.shape == (12, 3)
    with pytest.raises(ValueError, match="no such file"):
        TriangleMesh.from_file(tmp_path / "missing.stl")


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_shapes_refuse_bad_lengths(bad):
    """Refuse lengths that are not finite and positive, naming the argument."""
    for make, name in [
        (lambda: Sphere(bad), "radius"),
        (lambda: Box((1.0, bad, 1.0)), "size"),
        (lambda: Capsule(1.0, bad), "length"),
        (lambda: Cylinder(bad, 1.0), "radius"),
        (lambda: Cone(1.0, bad), "length"),
        (lambda: Ellipsoid((1.0, 1.0, bad)), "radii"),
    ]:
        with pytest.raises(ValueError, match=name):
            make()


def test_shapes_refuse_bad_geometry():
    """Refuse flat hulls, faces out of range, zero normals and other nonsense."""
    with pytest.raises(ValueError, match="plane"):
        ConvexHull(np.column_stack([np.random.default_rng(0).normal(size=(9, 2)), np.zeros(9)]))
    with pytest.raises(ValueError, match="four"):
        ConvexHull(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="NaN"):
        ConvexHull(np.full((5, 3), np.nan))
    with pytest.raises(ValueError, match="0 to 3"):
        TriangleMesh(np.eye(3), np.array([[0, 1, 3]]))
    with pytest.raises(TypeError, match="integer"):
        TriangleMesh(np.eye(3), np.array([[0.0, 1.0, 2.0]]))
    with pytest.raises(ValueError, match="normal"):
        HalfSpace((0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="offset"):
        HalfSpace(offset=np.nan)
    with pytest.raises(ValueError, match="quaternion"):
        Placed(Sphere(1.0), quaternion=(0.0, 0.0, 0.0, 0.0))
    with pytest.raises(TypeError, match="shape"):
        Placed("ball")


def test_shapes_without_volume_say_so():
    """Refuse volume, centroid and inertia of half-spaces and meshes, naming the cure."""
    for shape in (HalfSpace(), TriangleMesh(np.eye(3), np.array([[0, 1, 2]]))):
        for name in ("volume", "centroid", "second_moment"):
            with pytest.raises(ValueError, match="static"):
                getattr(shape, name)


def test_directions_are_stored_with_unit_length():
    """Store the normal of a half-space and the quaternion of a placed shape with length one."""
    assert np.linalg.norm(HalfSpace((1.0, 2.0, -2.0)).normal) == pytest.approx(1.0, abs=1e-15)
    assert Placed(Sphere(1.0), quaternion=(2.0, 0.0, 0.0, 0.0)).quaternion == (1.0, 0.0, 0.0, 0.0)


def surface_points(shape, rng, n=4000):
    """Return points of the surface, dense enough to come near the bounds."""
    d = rng.normal(size=(n, 3))
    d /= np.linalg.norm(d, axis=1)[:, None]
    match shape:
        case Sphere(r):
            return r * d
        case Box(size):
            return CUBE * size
        case Capsule(r, length):
            return r * d + np.sign(d[:, 2:]) * [0.0, 0.0, 0.5 * length]
        case Cylinder(r, length) | Cone(r, length):
            ring = d[:, :2] / np.linalg.norm(d[:, :2], axis=1)[:, None] * r
            low = np.column_stack([ring, np.full(n, -0.5 * length)])
            round_top = isinstance(shape, Cylinder)
            top = low * [1.0, 1.0, -1.0] if round_top else np.array([[0.0, 0.0, 0.5 * length]])
            return np.vstack([low, top])
        case Ellipsoid(radii):
            return d * radii
        case _:
            return shape.vertices


def test_bounds_hold_the_shape_and_are_tight():
    """Give every shape world bounds that hold it, exceeding it by the margin only."""
    rng = np.random.default_rng(3)
    shapes = [
        Sphere(0.4),
        Box((0.3, 0.7, 1.1)),
        Capsule(0.2, 0.9),
        Cylinder(0.5, 0.8),
        Ellipsoid((0.3, 0.5, 0.9)),
        ConvexHull(rng.normal(size=(12, 3))),
    ]
    table = ShapeTable()
    for body, shape in enumerate([*shapes, Cone(0.5, 0.8)]):
        turn = rng.normal(size=4)
        table.add(shape, body, rng.normal(size=3), turn / np.linalg.norm(turn))
    positions = rng.normal(size=(7, 3))
    quaternions = rng.normal(size=(7, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    table.update(positions, quaternions, 0.25)
    for row, shape in enumerate(table.shapes):
        w, x, y, z = table.quaternion[row]
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        turn = np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross
        points = surface_points(shape, rng) @ turn.T + table.position[row]
        lower, upper = table.aabb_min[row] + 0.25, table.aabb_max[row] - 0.25
        assert (points >= lower - 1e-12).all() and (points <= upper + 1e-12).all()
        if not isinstance(shape, Cone):  # its bounds are those of the cylinder around it
            # 4000 random directions leave holes of about 0.05 rad: 1 - cos 0.05 = 0.0013
            size = table.bounding_radius[row]
            assert np.abs(points.min(axis=0) - lower).max() < 0.01 * size
            assert np.abs(points.max(axis=0) - upper).max() < 0.01 * size
        reach = np.linalg.norm(points - table.position[row], axis=1).max()
        assert reach <= table.bounding_radius[row] + 1e-12


def test_table_composes_poses_and_grows():
    """Place a shape at the product of body pose and local pose, whatever the number of shapes."""
    table = ShapeTable()
    half = np.sqrt(0.5)
    for body in range(40):
        table.add(Sphere(1.0), body, (1.0, 0.0, 0.0), (half, 0.0, 0.0, half))
    positions = np.arange(120.0).reshape(40, 3)
    quaternions = np.tile([half, 0.0, 0.0, half], (40, 1))  # a quarter turn about z
    table.update(positions, quaternions, 0.0)
    np.testing.assert_allclose(table.position[:40], positions + [0.0, 1.0, 0.0], atol=1e-14)
    np.testing.assert_allclose(table.quaternion[:40], np.tile([0.0, 0.0, 0.0, 1.0], (40, 1)), atol=1e-15)


def test_arrays_have_the_shapes_that_were_added():
    """Give kernels one struct for good, with a row for each shape, however shapes came and went."""
    table = ShapeTable()
    arrays = table.arrays
    table.add(Sphere(1.0), 0)
    table.add(Box((2.0, 4.0, 6.0)), 0, (1.0, 2.0, 3.0), group=2, mask=5)
    table.repeat(0, 3)
    table.add(ConvexHull(np.eye(4)[:, :3]), 4)
    assert table.arrays is arrays
    assert len(arrays.kind) == len(arrays.aabb_min) == len(table.shapes) == table.count == 9
    assert arrays.body.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4]
    assert arrays.polyhedron.tolist() == [-1] * 8 + [0]
    np.testing.assert_array_equal(table.position[1:8:2], np.tile([1.0, 2.0, 3.0], (4, 1)))
    assert set(table.group[1:8:2]) == {2} and set(table.mask[1:8:2]) == {5}
    table.remove_body(1)
    assert arrays.body.tolist() == [0, 0, 1, 1, 2, 2, 3]
    with pytest.raises(AttributeError, match="corners"):
        _ = table.corners
    with pytest.raises(ValueError, match="mask = 18446744073709551616 .* 64 bits"):
        table.add(Sphere(1.0), 0, mask=1 << 64)
    assert len(table.kind) == table.count == 7


def test_table_keeps_order_when_a_body_goes():
    """Drop a removed body's shapes, keep the order of the rest and lower the higher body numbers."""
    table = ShapeTable()
    for body, radius in [(0, 1.0), (1, 2.0), (2, 3.0), (1, 4.0), (3, 5.0)]:
        table.add(Sphere(radius), body)
    table.remove_body(1)
    assert table.count == 3
    assert [shape.radius for shape in table.shapes] == [1.0, 3.0, 5.0]
    np.testing.assert_array_equal(table.size[:3, 0], [1.0, 3.0, 5.0])
    np.testing.assert_array_equal(table.body[:3], [0, 1, 2])


def test_table_refuses_bad_input():
    """Refuse things that are no shapes, negative bodies and quaternions that are not unit."""
    table = ShapeTable()
    with pytest.raises(TypeError, match="shape"):
        table.add("box", 0)
    with pytest.raises(ValueError, match="body"):
        table.add(Sphere(1.0), -1)
    with pytest.raises(ValueError, match="quaternion"):
        table.add(Sphere(1.0), 0, quaternion=(1.0, 1.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="position"):
        table.add(Sphere(1.0), 0, position=(0.0, np.nan, 0.0))
    assert table.count == 0

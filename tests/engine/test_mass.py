"""Mass properties: closed forms, compounds, given values, meshes, refusals."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.placed import Placed
from stoss.collision.shapes.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Sphere
from stoss.engine.bodies.mass import MassProperties, from_shapes, from_values
from stoss.engine.bodies.mass_of_mesh import from_mesh

LENGTHS = st.floats(0.05, 5.0)
COORDINATES = st.floats(-3.0, 3.0)
DIRECTIONS = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)

# Closed forms end after about ten operations; eigenvectors of a 3x3 tensor after some tens.
ROUNDING = 1e-12


def matrix(quaternion) -> np.ndarray:
    """Return R(q), from the textbook formula R v = v + 2 w (u x v) + 2 u x (u x v)."""
    w, *u = np.asarray(quaternion) / np.linalg.norm(quaternion)
    return np.array([v + 2.0 * w * np.cross(u, v) + 2.0 * np.cross(u, np.cross(u, v)) for v in np.eye(3)]).T


def cube_mesh(size=(1.0, 1.0, 1.0)) -> trimesh.Trimesh:
    return trimesh.creation.box(extents=size)


@pytest.mark.parametrize(
    ("shape", "inertia"),
    [
        # Bender 2007, appendix D.1, with m = 3
        (Sphere(0.7), [0.4 * 3 * 0.7**2] * 3),
        (Cylinder(0.5, 2.0), [3 * (0.5**2 / 4 + 2**2 / 12)] * 2 + [0.5 * 3 * 0.5**2]),
        (Box((1, 2, 3)), [3 / 12 * (4 + 9), 3 / 12 * (1 + 9), 3 / 12 * (1 + 4)]),
        (Cone(0.5, 2.0), [3 * (3 / 20 * 0.5**2 + 3 / 80 * 2**2)] * 2 + [0.3 * 3 * 0.5**2]),
        (Ellipsoid((1, 2, 3)), [3 / 5 * (4 + 9), 3 / 5 * (1 + 9), 3 / 5 * (1 + 4)]),
    ],
)
def test_closed_forms(shape, inertia):
    """Give primitives the textbook moments, on unturned axes."""
    body = from_shapes([Placed(shape)], mass=3.0)
    assert body.mass == pytest.approx(3.0, rel=1e-15)
    np.testing.assert_allclose(body.inertia, inertia, rtol=ROUNDING)
    np.testing.assert_array_equal(body.quaternion, [1, 0, 0, 0])
    np.testing.assert_allclose(body.center, [0, 0, -0.5 if isinstance(shape, Cone) else 0], atol=ROUNDING)


def test_capsule_is_tube_and_two_half_balls():
    """Give a capsule the sum of its cylinder and its half balls."""
    r, length, density = 0.3, 1.2, 800.0
    tube, half_ball = density * np.pi * r**2 * length, density * 2 / 3 * np.pi * r**3
    # half ball about its own centroid, 3 r / 8 from the flat side: 2/5 m r^2 - m (3 r / 8)^2
    across = tube * (r**2 / 4 + length**2 / 12)
    across += 2 * half_ball * (0.4 * r**2 - (3 * r / 8) ** 2 + (length / 2 + 3 * r / 8) ** 2)
    along = tube * r**2 / 2 + 2 * half_ball * 0.4 * r**2
    body = from_shapes([Placed(Capsule(r, length))], density=density)
    assert body.mass == pytest.approx(tube + 2 * half_ball, rel=ROUNDING)
    np.testing.assert_allclose(body.inertia, [across, across, along], rtol=ROUNDING)


@settings(deadline=None, max_examples=50)
@given(st.tuples(LENGTHS, LENGTHS, LENGTHS), st.sampled_from([0, 1, 2]), st.floats(1.0, 1e4))
def test_two_half_boxes_are_one_box(size, axis, density):
    """Put two half boxes together to exactly one box, whatever the origin of the reference frame."""
    half, offset = np.array(size), np.zeros(3)
    half[axis] /= 2
    offset[axis] = half[axis] / 2
    base = np.array([0.3, -0.2, 0.1])
    parts = [Placed(Box(tuple(half)), tuple(base + offset)), Placed(Box(tuple(half)), tuple(base - offset))]
    body, whole = from_shapes(parts, density=density), from_shapes([Placed(Box(size))], density=density)
    assert body.mass == pytest.approx(whole.mass, rel=ROUNDING)
    np.testing.assert_allclose(body.center, base, atol=ROUNDING)
    # offsets of 0.3 m against an edge of 0.05 m cancel: rounding grows by their ratio squared
    np.testing.assert_allclose(body.tensor, whole.tensor, atol=1e-14 * body.mass * (0.5 + max(size) ** 2))


@settings(deadline=None, max_examples=100)
@given(st.tuples(LENGTHS, LENGTHS, LENGTHS), st.tuples(COORDINATES, COORDINATES, COORDINATES), DIRECTIONS)
def test_turned_and_moved_box(size, position, quaternion):
    """Find the principal moments and axes of a turned and moved box again, right-handed."""
    own = from_shapes([Placed(Box(size))], mass=2.0)
    body = from_shapes([Placed(Box(size), position, quaternion)], mass=2.0)
    turn = matrix(quaternion)
    # elements of the tensor below 1e-12 of the trace may be dropped
    atol = 1e-11 * own.inertia.sum()
    np.testing.assert_allclose(body.center, position, atol=ROUNDING)
    np.testing.assert_allclose(np.sort(body.inertia), np.sort(own.inertia), atol=atol)
    np.testing.assert_allclose(body.tensor, turn @ np.diag(own.inertia) @ turn.T, atol=atol)
    np.testing.assert_allclose(body.axes @ body.axes.T, np.eye(3), atol=ROUNDING)
    assert np.linalg.det(body.axes) > 0
    assert abs(np.linalg.norm(body.quaternion) - 1) < 1e-15 * 4


def test_parallel_axes_dumbbell():
    """Give two balls on an axis the moments of the parallel axis theorem."""
    r, d, m = 0.1, 1.0, 2.0
    body = from_shapes([Placed(Sphere(r), (0, 0, d)), Placed(Sphere(r), (0, 0, -d))], mass=2 * m)
    across = 2 * (0.4 * m * r**2 + m * d**2)
    np.testing.assert_allclose(body.inertia, [across, across, 2 * 0.4 * m * r**2], rtol=ROUNDING)
    np.testing.assert_array_equal(body.quaternion, [1, 0, 0, 0])


def test_small_couplings_give_small_turns():
    """Turn the axes by no more than a slightly turned box is turned, and keep their order."""
    angle = 1e-3
    turned = Placed(Box((3, 2, 1)), quaternion=(np.cos(angle / 2), 0, 0, np.sin(angle / 2)))
    body = from_shapes([turned], mass=1.0)
    np.testing.assert_allclose(body.quaternion, turned.quaternion, atol=1e-12)
    np.testing.assert_allclose(body.inertia, from_shapes([Placed(Box((3, 2, 1)))], mass=1.0).inertia)


def test_l_shape_by_hand():
    """Give an L of two unit cubes and one more the tensor computed by hand, with coupled axes."""
    cubes = [Placed(Box((1, 1, 1)), p) for p in [(0, 0, 0), (1, 0, 0), (0, 1, 0)]]
    body = from_shapes(cubes, density=1.0)
    # centre (1/3, 1/3, 0); sums of squares about it: x and y 2/3 each, xy -1/3; own moments 1/6 each
    expected = [[0.5 + 2 / 3, 1 / 3, 0], [1 / 3, 0.5 + 2 / 3, 0], [0, 0, 0.5 + 4 / 3]]
    np.testing.assert_allclose(body.center, [1 / 3, 1 / 3, 0], atol=ROUNDING)
    np.testing.assert_allclose(body.tensor, expected, atol=ROUNDING)
    np.testing.assert_allclose(sorted(body.inertia), [5 / 6, 1.5, 11 / 6], rtol=ROUNDING)


def test_hull_of_a_box_is_the_box():
    """Give a convex hull the same mass properties as the box with the same corners."""
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)], float)
    body = from_shapes([Placed(ConvexHull(corners))], density=500.0)
    box = from_shapes([Placed(Box((1, 2, 3)), (0.5, 1, 1.5))], density=500.0)
    np.testing.assert_allclose(body.tensor, box.tensor, rtol=0, atol=ROUNDING * box.inertia.sum())
    np.testing.assert_allclose(body.center, box.center, atol=ROUNDING)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "exactly one"),
        ({"mass": 1.0, "density": 1.0}, "exactly one"),
        ({"mass": 0.0}, "mass"),
        ({"mass": float("nan")}, "mass"),
        ({"density": -1.0}, "density"),
        ({"density": float("inf")}, "density"),
    ],
)
def test_from_shapes_refuses_wrong_amounts(arguments, words):
    """Refuse both, none, or impossible ones of density and mass, naming them."""
    with pytest.raises(ValueError, match=words):
        from_shapes([Placed(Box((1, 1, 1)))], **arguments)
    with pytest.raises(ValueError, match=words):
        from_mesh(cube_mesh(), **arguments)


def test_from_shapes_refuses_what_has_no_volume():
    """Refuse bodies without shapes, half-spaces and surfaces, and shapes that are not placed."""
    with pytest.raises(ValueError, match="at least one"):
        from_shapes([], mass=1.0)
    for shape in (HalfSpace(), TriangleMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])):
        with pytest.raises(ValueError, match="static"):
            from_shapes([Placed(shape)], mass=1.0)
    with pytest.raises(TypeError, match="Placed"):
        from_shapes([Box((1, 1, 1))], mass=1.0)


def test_given_values_are_kept():
    """Keep given moments in the given order, on the given axes."""
    body = from_values(2.0, (3.0, 1.0, 2.5), center=(1, 2, 3))
    np.testing.assert_array_equal(body.inertia, [3.0, 1.0, 2.5])
    np.testing.assert_array_equal(body.quaternion, [1, 0, 0, 0])
    np.testing.assert_array_equal(body.center, [1, 2, 3])
    assert isinstance(body, MassProperties)
    with pytest.raises(ValueError, match="read-only"):
        body.inertia[0] = 1.0


@settings(deadline=None, max_examples=100)
@given(st.tuples(LENGTHS, LENGTHS, LENGTHS), DIRECTIONS)
def test_given_tensor_is_diagonalised(masses, quaternion):
    """Rebuild a given tensor from its principal moments and axes."""
    spread = np.array(masses)  # second moments of the mass along three axes: any positive numbers
    turn = matrix(quaternion)
    tensor = turn @ np.diag(spread.sum() - spread) @ turn.T
    tensor = 0.5 * (tensor + tensor.T)
    body = from_values(1.0, tensor)
    np.testing.assert_allclose(body.tensor, tensor, atol=1e-11 * spread.sum())
    assert np.trace(body.axes) > 1.9 - 1e-9  # nearest of the 24 right-handed orders and signs


@pytest.mark.parametrize(
    ("mass", "inertia", "words"),
    [
        (0.0, (1, 1, 1), "mass"),
        (-1.0, (1, 1, 1), "mass"),
        (float("nan"), (1, 1, 1), "mass"),
        (float("inf"), (1, 1, 1), "mass"),
        (1.0, (1, 1, 0), "positive"),
        (1.0, (1, 1, 1e-15), "what rounding leaves of zero"),
        (1.0, (1, -1, 1), "positive"),
        (1.0, (1, 1, float("nan")), "inertia.*NaN"),
        (1.0, (1, 1, 2.001), "sum of the other"),
        (1.0, (1, 1), "inertia.*shape"),
        (1.0, np.ones((2, 2)), "inertia.*shape"),
        (1.0, [[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]], "not symmetric"),
        (1.0, [[1, 2, 0], [2, 1, 0], [0, 0, 1]], "positive"),
        (1.0, np.diag([1.0, 1.0, 5.0]), "sum of the other"),
        (1.0, [[1, float("inf"), 0], [float("inf"), 1, 0], [0, 0, 1]], "inertia.*infinity"),
    ],
)
def test_impossible_values_are_refused(mass, inertia, words):
    """Refuse values that no distribution of mass has, naming the argument."""
    with pytest.raises(ValueError, match=words):
        from_values(mass, inertia)


def test_wrong_types_and_centers_are_refused():
    """Refuse texts and nothing where numbers belong, and centres that are not points."""
    with pytest.raises(TypeError, match="mass"):
        from_values(None, (1, 1, 1))
    with pytest.raises(TypeError, match="inertia"):
        from_values(1.0, ("a", "b", "c"))
    with pytest.raises(ValueError, match="center"):
        from_values(1.0, (1, 1, 1), center=(0, 0))
    with pytest.raises(ValueError, match="center"):
        from_values(1.0, (1, 1, 1), center=(0, 0, float("nan")))
    with pytest.raises(ValueError, match="quaternion"):
        MassProperties(1.0, np.zeros(3), np.ones(3), np.array([1.0, 1.0, 0.0, 0.0]))


def test_flat_bodies_are_accepted():
    """Accept J_x + J_y = J_z, the limit of a flat plate, in spite of rounding."""
    from_values(1.0, (0.1, 0.2, 0.1 + 0.2))
    from_shapes([Placed(Box((1, 1, 1e-6)))], mass=1.0)


@pytest.mark.parametrize("offset", [(0, 0, 0), (1000, -2000, 500)])
def test_mesh_of_a_box_is_the_box(offset):
    """Give a closed mesh the mass properties of the solid, also far from the origin."""
    size = (0.4, 0.2, 0.1)
    mesh = cube_mesh(size)
    mesh.apply_translation(offset)
    body, box = from_mesh(mesh, density=1000.0), from_shapes([Placed(Box(size))], density=1000.0)
    # coordinates near 2000 m are rounded to 2e-13 m, 2e-12 of the shortest edge
    assert body.mass == pytest.approx(box.mass, rel=1e-11)
    np.testing.assert_allclose(body.center, offset, atol=1e-11)
    np.testing.assert_allclose(body.inertia, box.inertia, rtol=1e-10)
    assert from_mesh(mesh, mass=2.0).mass == pytest.approx(2.0, rel=1e-15)


def test_mesh_from_arrays_and_file(tmp_path):
    """Read a mesh from arrays, with repeated points, and from a file, to the same result."""
    mesh = cube_mesh((1, 2, 3))
    loose = mesh.triangles.reshape(-1, 3), np.arange(len(mesh.faces) * 3).reshape(-1, 3)
    path = tmp_path / "box.stl"
    mesh.export(path)
    expected = [3 / 12 * (4 + 9), 3 / 12 * (1 + 9), 3 / 12 * (1 + 4)]
    for source in (loose, path, str(path)):
        body = from_mesh(source, mass=3.0)
        np.testing.assert_allclose(body.inertia, expected, rtol=1e-12)


def test_mesh_cavity_is_empty():
    """Subtract a cavity, a surface wound inwards inside the outer one."""
    outer, inner = cube_mesh((2, 2, 2)), cube_mesh((1, 1, 1))
    inner.invert()
    body = from_mesh(trimesh.util.concatenate([outer, inner]), density=1.0)
    assert body.mass == pytest.approx(8 - 1, rel=ROUNDING)
    np.testing.assert_allclose(body.inertia, [8 * 4 / 6 - 1 / 6] * 3, rtol=ROUNDING)


def test_bad_meshes_are_refused(tmp_path):
    """Refuse open, inverted, inconsistent, flat and missing meshes, each with its own reason."""
    cube = cube_mesh()
    inverted = cube.copy()
    inverted.invert()
    one_turned = np.array(cube.faces)
    one_turned[0] = one_turned[0, ::-1]
    flat = cube_mesh()
    flat.vertices[:, 2] = 0.0
    with pytest.raises(ValueError, match=r"inverted.*mesh\.invert"):
        from_mesh(inverted, mass=1.0)
    beside = inverted.copy()
    beside.apply_translation((5, 0, 0))
    with pytest.raises(ValueError, match="invert that part"):
        from_mesh(trimesh.util.concatenate([cube_mesh((2, 2, 2)), beside]), mass=1.0)
    with pytest.raises(ValueError, match="watertight"):
        from_mesh((cube.vertices, cube.faces[:-1]), mass=1.0)
    with pytest.raises(ValueError, match="opposite senses"):
        from_mesh((cube.vertices, one_turned), mass=1.0)
    with pytest.raises(ValueError, match="encloses nothing"):
        from_mesh(trimesh.Trimesh(flat.vertices, flat.faces, process=False), mass=1.0)
    with pytest.raises(ValueError, match="no file"):
        from_mesh(tmp_path / "missing.stl", mass=1.0)
    with pytest.raises(ValueError, match="NaN"):
        from_mesh((np.full((8, 3), np.nan), cube.faces), mass=1.0)
    with pytest.raises(ValueError, match="number them from 0"):
        from_mesh((cube.vertices[:4], cube.faces), mass=1.0)
    with pytest.raises(TypeError, match="integer"):
        from_mesh((cube.vertices, np.array(cube.faces, float)), mass=1.0)
    with pytest.raises(TypeError, match=r"trimesh\.Trimesh"):
        from_mesh(7, mass=1.0)


def test_tessellated_sphere_approaches_the_sphere():
    """Approach the closed form from below, with the square of the facet size."""
    exact = from_shapes([Placed(Sphere(1.0))], density=1.0)
    errors = []
    for fineness in (2, 3):
        body = from_mesh(trimesh.creation.icosphere(fineness, 1.0), density=1.0)
        errors.append(1 - body.inertia[0] / exact.inertia[0])
    assert 0 < errors[1] < errors[0]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)

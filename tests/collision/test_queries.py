import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from stoss.collision.queries.guests import overlap
from stoss.collision.queries.queries import closest_point, ray_cast, ray_cast_all
from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Sphere

CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.4, 0.4) for z in (-0.3, 0.3)])
SOLIDS = [
    Sphere(0.7),
    Box((1.0, 0.8, 0.6)),
    Capsule(0.4, 0.9),
    Cylinder(0.5, 1.1),
    Cone(0.6, 1.2),
    Ellipsoid((0.8, 0.5, 0.3)),
    ConvexHull(CUBE),
    ConvexHull(np.random.default_rng(3).normal(size=(30, 3)) * 0.5),
]


def _table(shape, position=(0.0, 0.0, 0.0), quaternion=(1.0, 0.0, 0.0, 0.0)):
    table = ShapeTable()
    table.add(shape, 0)
    table.update(np.array([position], float), np.array([quaternion], float), 0.0)
    return table


def _inside(shape, points):
    """Tell which points (n, 3) lie in a solid, from its definition."""
    x, y, z = points.T
    across = np.hypot(x, y)
    match shape:
        case Sphere(r):
            return across**2 + z**2 <= r * r
        case Box((a, b, c)):
            return (abs(x) <= a / 2) & (abs(y) <= b / 2) & (abs(z) <= c / 2)
        case Capsule(r, length):
            return np.hypot(across, z - np.clip(z, -length / 2, length / 2)) <= r
        case Cylinder(r, length):
            return (across <= r) & (abs(z) <= length / 2)
        case Cone(r, length):
            return (abs(z) <= length / 2) & (across <= r * (0.5 - z / length))
        case Ellipsoid((a, b, c)):
            return (x / a) ** 2 + (y / b) ** 2 + (z / c) ** 2 <= 1.0
    hull = trimesh.convex.convex_hull(np.asarray(shape.vertices))
    heights = points @ hull.face_normals.T - np.einsum("ij,ij->i", hull.face_normals, hull.triangles[:, 0])
    return (heights <= 1e-12).all(axis=1)


def _directions(rng, count):
    directions = rng.normal(size=(count, 3))
    return directions / np.linalg.norm(directions, axis=1)[:, None]


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda shape: type(shape).__name__)
def test_rays_enter_where_the_solid_begins(shape):
    """Enter so that the ray is outside just before and inside just behind; miss only what is empty."""
    rng = np.random.default_rng(1)
    table = _table(shape)
    for origin, direction in zip(3.0 * _directions(rng, 200), _directions(rng, 200), strict=True):
        direction = direction * 0.3 - origin / 3.0
        direction /= np.linalg.norm(direction)
        hit = ray_cast(table, origin, direction)
        along = origin + np.linspace(0.0, 6.0, 2001)[:, None] * direction
        inside = _inside(shape, along)
        if hit is None:
            # a sampled point inside can only be a graze of less than a sample's length
            assert inside.sum() <= 1
            continue
        step = 1e-7
        assert not _inside(shape, (hit.point - step * direction)[None])[0]
        assert hit.normal @ direction < 0.0
        assert abs(np.linalg.norm(hit.normal) - 1.0) < 1e-12
        if -hit.normal @ direction > 0.1:  # steep enough to be inside after a short step
            assert _inside(shape, (hit.point + step * direction)[None])[0]
        assert not inside[: int(hit.distance / 0.003)].any()


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda shape: type(shape).__name__)
def test_normals_of_rays_belong_to_the_surface(shape):
    """Give a normal along which the whole solid lies behind the tangent plane at the hit."""
    rng = np.random.default_rng(2)
    table = _table(shape)
    cloud = rng.uniform(-1.5, 1.5, (20000, 3))
    solid = cloud[_inside(shape, cloud)]
    for direction in _directions(rng, 50):
        hit = ray_cast(table, -3.0 * direction, direction)
        assert hit is not None
        assert ((solid - hit.point) @ hit.normal).max() < 1e-9


def test_rays_from_inside_hit_at_once():
    """Report distance 0 and a normal against the ray for a ray that starts in a solid."""
    for shape in SOLIDS:
        hit = ray_cast(_table(shape), (0.01, 0.02, 0.0), (0.0, 0.0, 2.0))
        assert hit.distance == 0.0
        assert np.array_equal(hit.normal, [0.0, 0.0, -1.0])


def test_rays_agree_with_trimesh_on_a_mesh():
    """Hit a mesh at the distance that trimesh finds, and never slip through an edge."""
    sphere = trimesh.creation.icosphere(subdivisions=3)
    table = _table(TriangleMesh(sphere.vertices, sphere.faces), (1.0, 2.0, 3.0), (0.5, 0.5, 0.5, 0.5))
    world = sphere.copy()
    world.apply_transform(trimesh.transformations.quaternion_matrix([0.5, 0.5, 0.5, 0.5]))
    world.apply_translation([1.0, 2.0, 3.0])
    rng = np.random.default_rng(4)
    directions = _directions(rng, 200)
    origins = np.array([1.0, 2.0, 3.0]) - 4.0 * directions + 0.3 * rng.normal(size=(200, 3))
    places, rays, _ = world.ray.intersects_location(origins, directions)
    for index in range(200):
        hits = np.linalg.norm(places[rays == index] - origins[index], axis=1)
        hit = ray_cast(table, origins[index], directions[index])
        if len(hits):
            assert abs(hit.distance - hits.min()) < 1e-9
    # through the middle of edges and through corners
    for target in np.concatenate([world.vertices[:50], world.triangles[:50, :2].mean(axis=1)]):
        direction = np.array([1.0, 2.0, 3.0]) - target
        assert ray_cast(table, target - direction, direction).distance == pytest.approx(
            np.linalg.norm(direction), abs=1e-12
        )


def test_rays_report_all_shapes_in_order():
    """Sort the hits by distance, leave out what is too far or of another group."""
    table = ShapeTable()
    for body in range(3):
        table.add(Sphere(0.5), body, group=1 << body)
    table.add(HalfSpace((-1.0, 0.0, 0.0), -8.0), 3, group=8)
    positions = np.array([[4.0, 0.0, 0.0], [2.0, 0.0, 0.0], [6.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    table.update(positions, np.tile([1.0, 0.0, 0.0, 0.0], (4, 1)), 0.0)
    hits = ray_cast_all(table, (0.0, 0.0, 0.0), (3.0, 0.0, 0.0))
    assert [hit.body for hit in hits] == [1, 0, 2, 3]
    assert np.allclose([hit.distance for hit in hits], [1.5, 3.5, 5.5, 8.0], atol=1e-12)
    assert [hit.body for hit in ray_cast_all(table, (0, 0, 0), (1, 0, 0), max_distance=4.0)] == [1, 0]
    assert ray_cast(table, (0, 0, 0), (1, 0, 0), mask=4).body == 2
    assert ray_cast(table, (0, 0, 0), (0, 1, 0)) is None


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda shape: type(shape).__name__)
def test_nearest_points_lie_on_the_surface_and_none_is_nearer(shape):
    """Agree with the largest distance to a supporting plane outside, and with the nearest exit inside."""
    rng = np.random.default_rng(5)
    table = _table(shape)
    cloud = rng.uniform(-1.2, 1.2, (4000, 3))
    solid = cloud[_inside(shape, cloud)]
    for point in rng.uniform(-1.3, 1.3, (150, 3)):
        near = closest_point(table, point)
        assert abs(np.linalg.norm(point - near.point) - abs(near.distance)) < 1e-12
        assert (near.distance < 0.0) == _inside(shape, point[None])[0]
        outward = (point - near.point) / near.distance
        if (
            near.distance > 1e-6
        ):  # the plane through the nearest point separates (projection onto a convex set)
            assert ((solid - near.point) @ outward).max() < 1e-7
        else:  # no point of the surface lies within the ball
            ball = point + 0.999 * near.distance * _directions(rng, 200)
            assert _inside(shape, ball).all()
        # the origin lies inside each solid: a little towards it is in, a little along the normal is out
        about = np.array([near.point + 1e-9 * outward, (1.0 - 1e-9) * near.point])
        assert _inside(shape, about).tolist() == [False, True]


@settings(max_examples=200, deadline=None)
@given(
    st.tuples(*[st.floats(0.05, 3.0)] * 3),
    st.tuples(*[st.sampled_from([0.0, 1e-200, 1e-9, -0.3, 0.7]) | st.floats(-3.0, 3.0)] * 3),
)
def test_nearest_point_on_an_ellipsoid_is_normal_to_it(radii, point):
    """Put the nearest point on the surface, with the offset along the normal there, for any point."""
    near = closest_point(_table(Ellipsoid(radii)), point)
    radii, point = np.array(radii), np.array(point)
    assert abs(np.sum((near.point / radii) ** 2) - 1.0) < 1e-9
    if abs(near.distance) > 1e-6:
        normal = near.point / radii**2
        normal /= np.linalg.norm(normal)
        offset = (point - near.point) / near.distance
        # one bisection interval moves the point by at most rounding times the ratio of the axes squared
        assert np.linalg.norm(offset - normal) < 1e-6


def test_nearest_point_on_an_ellipsoid_beats_an_optimiser():
    """Find no nearer point by minimising the distance over the surface angles."""
    radii = np.array([0.9, 0.5, 0.3])
    table = _table(Ellipsoid(tuple(radii)))
    rng = np.random.default_rng(6)
    for point in rng.uniform(-0.6, 0.6, (10, 3)):

        def distance(angles, point=point):
            u, v = angles
            surface = radii * [np.cos(u) * np.cos(v), np.sin(u) * np.cos(v), np.sin(v)]
            return np.linalg.norm(surface - point)

        best = min(minimize(distance, start, tol=1e-12).fun for start in rng.uniform(-3, 3, (12, 2)))
        assert abs(abs(closest_point(table, point).distance) - best) < 1e-6


def test_nearest_point_on_a_mesh_agrees_with_trimesh():
    """Find the point that trimesh finds, negative behind the surface."""
    torus = trimesh.creation.torus(1.0, 0.3, major_sections=24, minor_sections=12)
    table = _table(TriangleMesh(torus.vertices, torus.faces))
    points = np.random.default_rng(7).uniform(-1.5, 1.5, (100, 3))
    _, distances, _ = trimesh.proximity.closest_point(torus, points)
    for point, distance in zip(points, distances, strict=True):
        near = closest_point(table, point)
        assert abs(abs(near.distance) - distance) < 1e-9
        inside = np.hypot(np.hypot(point[0], point[1]) - 1.0, point[2])
        if inside < 0.25 or inside > 0.35:  # clear of the facets
            assert (near.distance < 0.0) == (inside < 0.3)


def test_nearest_point_chooses_the_nearest_shape():
    """Give shape, body and distance of the nearest of several shapes, half-space included; None for none."""
    table = ShapeTable()
    assert closest_point(table, (0.0, 0.0, 0.0)) is None
    table.add(HalfSpace(), 0)
    table.add(Sphere(1.0), 1)
    table.update(np.array([[0, 0, 0], [0, 0, 3.0]], float), np.tile([1.0, 0, 0, 0], (2, 1)), 0.0)
    low = closest_point(table, (0.0, 0.0, 0.5))
    assert (low.body, low.distance) == (0, 0.5)
    high = closest_point(table, (0.0, 0.0, 1.5))
    assert (high.body, high.distance) == (1, 0.5)
    assert np.allclose(high.point, [0.0, 0.0, 2.0])
    assert closest_point(table, (0.0, 0.0, -0.25)).distance == -0.25


def test_overlap_finds_what_touches_and_nothing_else():
    """Report the rows that a shape would overlap, for each kind of shape."""
    ground = trimesh.creation.box((20.0, 20.0, 1.0))
    table = ShapeTable()
    shapes = [*SOLIDS, HalfSpace(), TriangleMesh(ground.vertices, ground.faces)]
    positions = np.zeros((len(shapes), 3))
    for row, shape in enumerate(shapes):
        table.add(shape, row, group=1 << row)
        positions[row] = (3.0 * row, 0.0, 2.0)
    positions[8:] = (0.0, 0.0, 0.0), (0.0, 50.0, 0.0)
    table.update(positions, np.tile([1.0, 0.0, 0.0, 0.0], (len(shapes), 1)), 0.0)
    for row in range(len(SOLIDS)):
        assert overlap(table, Sphere(0.2), positions[row]).tolist() == [row]
        assert overlap(table, Box((0.2, 0.2, 0.2)), positions[row] + [0.0, 0.0, 1.4]).tolist() == []
        assert overlap(table, Sphere(0.2), positions[row], mask=2 << row).tolist() == []
    assert overlap(table, Capsule(0.3, 1.0), (0.0, -9.0, 0.2)).tolist() == [8]
    assert overlap(table, Box((1.0, 1.0, 1.0)), (0.0, 50.0, 0.9)).tolist() == [9]
    assert overlap(table, Box((1.0, 1.0, 1.0)), (0.0, 50.0, 1.1)).tolist() == []
    assert overlap(table, Box((4.0, 1.0, 1.0)), (1.5, 0.0, 2.0)).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda t: ray_cast(t, (0, 0, np.nan), (1, 0, 0)), ValueError, "origin"),
        (lambda t: ray_cast(t, (0, 0, 0), (0, 0, 0)), ValueError, "direction"),
        (lambda t: ray_cast(t, (0, 0, 0), (1, 0)), ValueError, "direction"),
        (lambda t: ray_cast(t, (0, 0, 0), (1, 0, 0), -1.0), ValueError, "max_distance"),
        (lambda t: closest_point(t, (np.inf, 0, 0)), ValueError, "point"),
        (lambda t: overlap(t, HalfSpace()), TypeError, "convex"),
        (lambda t: overlap(t, Sphere(1.0), quaternion=(2.0, 0, 0, 0)), ValueError, "quaternion"),
    ],
)
def test_bad_questions_are_refused(call, error, words):
    """Raise at once and name the argument."""
    with pytest.raises(error, match=words):
        call(_table(Sphere(1.0)))

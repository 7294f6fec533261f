import numpy as np
import pytest
import trimesh

from stoss.collision.contacts import Contacts
from stoss.collision.narrow_phase.convex import collide_convex_pairs
from stoss.collision.narrow_phase.mesh import collide_mesh_pairs
from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
LYING = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
CUBE = ConvexHull(np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]))


def terrain(height, cells=10, half=2.0):
    """Return a square of triangles with z = height(x, y), two per cell."""
    side = np.linspace(-half, half, cells + 1)
    x, y = (grid.ravel() for grid in np.meshgrid(side, side, indexing="ij"))
    faces = []
    for i in range(cells):
        for j in range(cells):
            a = i * (cells + 1) + j
            b = a + cells + 1
            faces += [[a, b, b + 1], [a, b + 1, a + 1]]
    return TriangleMesh(np.stack([x, y, height(x, y)], axis=1), np.array(faces))


FLAT = terrain(lambda x, y: 0.0 * x)


def collide(first, second, poses, margin=0.01, function=collide_mesh_pairs):
    """Return the contacts of two shapes at poses [(position, quaternion), ...]."""
    table = ShapeTable()
    table.add(first, 0)
    table.add(second, 1)
    quaternions = np.array([quaternion for _, quaternion in poses], float)
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    table.update(np.array([position for position, _ in poses], float), quaternions, margin)
    contacts = Contacts(0)
    function(np.array([[0, 1]]), table, margin, contacts)
    return contacts.copy()


STATIC = ((0.0, 0.0, 0.0), UPRIGHT)
RESTING = {
    # shape, height, orientation, contacts
    "box": (Box((1.0, 1.0, 1.0)), 0.5, UPRIGHT, 4),
    "hull": (CUBE, 0.5, UPRIGHT, 4),
    "sphere": (Sphere(0.5), 0.5, UPRIGHT, 1),
    "lying capsule": (Capsule(0.3, 1.0), 0.3, LYING, 2),
    "standing cylinder": (Cylinder(0.5, 1.0), 0.5, UPRIGHT, 8),
    "lying cylinder": (Cylinder(0.5, 1.0), 0.5, LYING, 2),
    "cone": (Cone(0.5, 1.0), 0.5, UPRIGHT, 8),
    "ellipsoid": (Ellipsoid((0.5, 0.4, 0.3)), 0.3, UPRIGHT, 1),
}


@pytest.mark.parametrize("case", RESTING)
@pytest.mark.parametrize("gap", [-1e-2, -1e-9, 0.0, 1e-9, 5e-3])
@pytest.mark.parametrize("mesh_first", [False, True])
def test_a_flat_mesh_is_a_plane(case, gap, mesh_first):
    """Give the face normal, exact gaps and the contacts of a plane, wherever the triangles end."""
    shape, height, quaternion, count = RESTING[case]
    rng = np.random.default_rng(1)
    for x, y, yaw in np.concatenate([[[0.0, 0.0, 0.0], [0.4, 0.4, 0.0]], rng.uniform(-0.9, 0.9, (12, 3))]):
        w, z = np.cos(yaw / 2), np.sin(yaw / 2)
        a, b, c, d = quaternion
        pose = ((x, y, height + gap), (w * a - z * d, w * b - z * c, w * c + z * b, w * d + z * a))
        if mesh_first:
            result = collide(FLAT, shape, [STATIC, pose])
        else:
            result = collide(shape, FLAT, [pose, STATIC])
        up = -1.0 if mesh_first else 1.0
        assert abs(result.normal - [0.0, 0.0, up]).max() == 0.0
        assert abs(result.gap - gap).max() < 1e-12
        assert result.count == count or case in ("standing cylinder", "cone") and 4 <= result.count <= 8
        assert abs(result.point_a - result.point_b - result.gap[:, None] * result.normal).max() < 1e-15
        assert len(set(result.feature.tolist())) == result.count


def test_a_sliding_box_keeps_its_contacts():
    """Keep the numbers and the gaps of the four corners of a box while it slides over many triangles."""
    for tilt in (0.0, 1e-5):
        first = None
        for x in np.linspace(-0.9, 0.9, 173):
            result = collide(
                Box((1, 1, 1)), FLAT, [((x, 0.3 * x, 0.5 + 1e-6), (1.0, tilt, 0.0, 0.15)), STATIC]
            )
            assert abs(result.normal - [0, 0, 1]).max() == 0.0
            features = sorted(result.feature.tolist())
            first = first or features
            assert features == first
            expected = 1e-6 + (np.array([result.point_a[:, 2]]) - result.point_a[:, 2])[0]
            assert np.allclose(expected, 1e-6)
            assert np.allclose(result.gap, result.point_a[:, 2], atol=1e-15)


def test_a_sphere_rolls_over_flat_edges_without_a_tilt():
    """Give one contact with the face normal for a sphere near inner edges, touching or not."""
    for gap in (-1e-2, -1e-6, 0.0, 1e-6, 5e-3):
        for x in np.concatenate([np.linspace(-0.5, 0.5, 51), [0.4 + 1e-12, 0.4 - 1e-9]]):
            for y in (0.0, 0.4, 0.13):
                result = collide(Sphere(0.5), FLAT, [((x, y, 0.5 + gap), UPRIGHT), STATIC])
                assert result.count == 1
                assert np.array_equal(result.normal[0], [0, 0, 1])
                assert abs(result.gap[0] - gap) < 1e-12


def test_deep_bodies_are_pushed_out_along_the_face():
    """Push a shape that is partly below out along the face normal; leave what is wholly below."""
    for depth in (0.3, 0.6, 0.9):
        for shape in (Box((1, 1, 1)), Sphere(0.5), CUBE, Cylinder(0.5, 1.0), Ellipsoid((0.5, 0.5, 0.5))):
            result = collide(shape, FLAT, [((0.13, 0.21, 0.5 - depth), (1.0, 0.0, 0.0, 0.2)), STATIC])
            assert result.count >= 1
            assert abs(result.normal - [0, 0, 1]).max() < 1e-12
            assert abs(result.gap + depth).max() < 1e-12
    assert collide(Box((1, 1, 1)), FLAT, [((0.1, 0.2, -0.6), UPRIGHT), STATIC]).count == 0


def test_a_ridge_touches_the_inside_of_a_face():
    """Touch the bottom of a box where a ridge meets it, over its whole length, with the box's normal."""
    ridge = terrain(lambda x, y: -0.5 * abs(x))
    for gap in (-1e-4, -1e-9, 1e-9, 1e-3):
        result = collide(Box((1, 1, 1)), ridge, [((0.05, 0.1, 0.5 + gap), UPRIGHT), STATIC])
        assert abs(result.normal - [0, 0, 1]).max() < 1e-12
        assert abs(result.gap - gap).max() < 1e-12
        assert np.allclose([result.point_b[:, 1].min(), result.point_b[:, 1].max()], [-0.4, 0.6], atol=1e-6)
        assert abs(result.point_b[:, 0]).max() < 1e-12


def test_a_peak_touches_the_inside_of_a_face():
    """Touch the flat bottom of a box where a single vertex of the mesh meets it."""
    peak = terrain(lambda x, y: np.maximum(-0.5 * np.hypot(x, y), -1.0))
    for gap in (-1e-4, 1e-4):
        result = collide(Box((1, 1, 1)), peak, [((0.05, 0.1, 0.5 + gap), UPRIGHT), STATIC])
        assert result.count == 1
        assert abs(result.normal[0] - [0, 0, 1]).max() < 1e-12
        assert abs(result.gap[0] - gap) < 1e-12
        assert abs(result.point_b[0]).max() < 1e-12


def test_a_valley_holds_a_sphere_on_both_sides():
    """Give one contact per side of a valley, each with the normal of its side."""
    valley = terrain(lambda x, y: 0.5 * abs(x))
    slope = np.sqrt(1.25)
    result = collide(Sphere(0.5), valley, [((0.0, 0.03, 0.5 * slope - 1e-3), UPRIGHT), STATIC])
    assert result.count == 2
    assert np.allclose(np.sort(result.normal[:, 0]), [-0.5 / slope, 0.5 / slope], atol=1e-12)
    assert np.allclose(result.gap, -1e-3 / slope, atol=1e-12)


@pytest.mark.parametrize(
    "shape",
    [Sphere(0.4), Box((0.7, 0.6, 0.5)), Capsule(0.3, 0.5), CUBE, Ellipsoid((0.5, 0.4, 0.3))],
    ids=lambda shape: type(shape).__name__,
)
def test_a_convex_mesh_agrees_with_the_solid(shape):
    """Find the deepest gap and its normal as against the same convex solid, for shallow contacts and gaps."""
    solid = trimesh.creation.icosphere(subdivisions=1)
    hull, mesh = ConvexHull(solid.vertices), TriangleMesh(solid.vertices, solid.faces)
    rng = np.random.default_rng(5)
    compared = 0
    for _ in range(150):
        direction, quaternion = rng.normal(size=3), rng.normal(size=4)
        direction /= np.linalg.norm(direction)
        pose = (direction * rng.uniform(1.2, 1.6), quaternion)
        expected = collide(shape, hull, [pose, STATIC], 0.02, collide_convex_pairs)
        result = collide(shape, mesh, [pose, STATIC], 0.02)
        if expected.count == 0:
            assert result.count == 0
            continue
        if expected.gap.min() < -0.03:
            continue
        compared += 1
        best, known = result.gap.argmin(), expected.gap.argmin()
        # a face within 0.02 rad of the best normal may replace it
        assert abs(result.gap[best] - expected.gap[known]) < 3e-4
        assert result.normal[best] @ expected.normal[known] > np.cos(0.03)
    assert compared > 5


def test_edges_and_corners_of_a_mesh_box_touch_as_those_of_a_box():
    """Carry spheres over outer edges and corners of a mesh with exact gaps and normals."""
    box = trimesh.creation.box()
    mesh = TriangleMesh(box.vertices, box.faces)
    rng = np.random.default_rng(6)
    for _ in range(100):
        outward = rng.uniform(-1.0, 1.0, 3)
        nearest = np.clip(2.0 * outward, -0.5, 0.5)
        offset = 2.0 * outward - nearest
        if np.linalg.norm(offset) < 0.1:
            continue
        normal = offset / np.linalg.norm(offset)
        gap = rng.uniform(-0.01, 0.01)
        centre = nearest + (0.4 + gap) * normal
        result = collide(Sphere(0.4), mesh, [(centre, UPRIGHT), STATIC], 0.02)
        best = result.gap.argmin()
        assert abs(result.gap[best] - gap) < 1e-9
        assert abs(result.normal[best] - normal).max() < 1e-7
        assert abs(result.point_b[best] - nearest).max() < 1e-7


def test_turned_meshes_give_turned_contacts():
    """Move mesh and body together: the same contacts, moved."""
    hills = terrain(lambda x, y: 0.2 * np.sin(2 * x) * np.cos(3 * y))
    body = ((0.1, 0.2, 0.6), (0.9, 0.1, -0.2, 0.3))
    here = collide(Box((1, 0.8, 0.7)), hills, [body, STATIC])
    turn = trimesh.transformations.random_quaternion(np.array([0.3, 0.6, 0.1]))
    matrix, shift = trimesh.transformations.quaternion_matrix(turn)[:3, :3], np.array([3.0, -2.0, 5.0])
    there = collide(
        Box((1, 0.8, 0.7)),
        hills,
        [
            (matrix @ body[0] + shift, trimesh.transformations.quaternion_multiply(turn, body[1])),
            (shift, turn),
        ],
    )
    assert here.count == there.count > 0
    assert sorted(here.gap.round(9).tolist()) == sorted(there.gap.round(9).tolist())
    places = here.point_b @ matrix.T + shift
    assert max(np.linalg.norm(there.point_b - place, axis=1).min() for place in places) < 1e-9


def test_chamfers_below_a_flat_mesh_are_not_felt():
    """Give a box that slides on tiles only their normal over the grooves between them (R42)."""
    profile = []
    for tile in range(-4, 5):
        profile += [(tile - 0.45, 0.0), (tile + 0.45, 0.0), (tile + 0.5, -0.05)]
    profile = np.array(profile)
    vertices = np.concatenate(
        [np.c_[profile[:, 0], np.full(len(profile), y), profile[:, 1]] for y in (-2.0, 2.0)]
    )
    count = len(profile)
    faces = []
    for i in range(count - 1):
        faces += [[i, i + 1, count + i + 1], [i, count + i + 1, count + i]]
    grooves = TriangleMesh(vertices, np.array(faces))
    for x in np.linspace(-1.0, 1.0, 201):
        for height in (0.0, 1e-9):
            result = collide(
                Box((1, 1, 1)), grooves, [((x, 0.1, 0.5 + height), UPRIGHT), STATIC], margin=1e-3
            )
            touching = result.gap <= 1e-7
            assert touching.any()
            assert abs(result.normal[touching] - [0, 0, 1]).max() < 1e-9


def test_large_meshes_are_searched_by_their_tree():
    """Find the same contact in a mesh of many triangles, high above the ground nothing."""
    large = terrain(lambda x, y: 0.0 * x, cells=60, half=30.0)
    result = collide(Sphere(0.5), large, [((13.3, -7.7, 0.499), UPRIGHT), STATIC])
    assert result.count == 1
    assert abs(result.gap[0] + 1e-3) < 1e-12
    assert collide(Sphere(0.5), large, [((13.3, -7.7, 2.0), UPRIGHT), STATIC]).count == 0


def test_wide_bodies_over_many_triangles_are_reduced():
    """Report the four corners of a plate that covers hundreds of triangles."""
    fine = terrain(lambda x, y: 0.0 * x, cells=40)
    result = collide(Box((3.1, 2.3, 0.2)), fine, [((0.03, 0.02, 0.1 - 1e-6), (1.0, 0, 0, 0.1)), STATIC])
    assert result.count == 4
    assert abs(result.gap + 1e-6).max() < 1e-12
    assert np.isclose(
        np.linalg.norm(result.point_a[:, :2] - [0.03, 0.02], axis=1), np.hypot(1.55, 1.15)
    ).all()

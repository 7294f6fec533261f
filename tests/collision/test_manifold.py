import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stoss.collision.contacts import NORMAL_ON_A, NORMAL_ON_B, Contacts
from stoss.collision.manifold.clipping import clip_polygon
from stoss.collision.manifold.reduction import reduce_candidates
from stoss.collision.manifold.scratch import ManifoldScratch
from stoss.collision.narrow_phase.convex import collide_convex_pairs
from stoss.collision.narrow_phase.fcl_backend import collide_fcl_pairs
from stoss.collision.narrow_phase.half_space import collide_halfspace_pairs
from stoss.collision.narrow_phase.native import collide_native_pairs
from stoss.collision.shapes.faceted import ConvexHull
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
LYING = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)  # the z axis points along x
FLOOR = Box((6.0, 6.0, 1.0))  # its top is at z = 0.5
CUBE = ConvexHull(np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]))
# ways to collide: function and the static shape with its top at z = 0.5
GROUNDS = {
    "convex": (collide_convex_pairs, FLOOR),
    "fcl": (collide_fcl_pairs, FLOOR),
    "plane": (collide_halfspace_pairs, HalfSpace(offset=0.5)),
}


def collide(function, first, second, poses, margin=0.01):
    """Return the contacts of two shapes at poses [(position, quaternion), ...]."""
    table = ShapeTable()
    table.add(first, 0)
    table.add(second, 1)
    quaternions = np.array([quaternion for _, quaternion in poses], float)
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    table.update(np.array([position for position, _ in poses], float), quaternions, margin)
    contacts = Contacts()
    function(np.array([[0, 1]]), table, margin, contacts)
    return contacts.copy()


def turned(quaternion, yaw):
    """Return a rotation about z by `yaw` after another one."""
    w, z = np.cos(yaw / 2), np.sin(yaw / 2)
    a, b, c, d = quaternion
    return (w * a - z * d, w * b - z * c, w * c + z * b, w * d + z * a)


RESTING = {
    # shape, its height over the floor, orientation, number of contacts, radius of curvature there
    "standing cylinder": (Cylinder(0.5, 1.2), 0.6, UPRIGHT, 8, 0.0),
    "lying cylinder": (Cylinder(0.5, 1.2), 0.5, LYING, 2, 0.5),
    "cone on its base": (Cone(0.5, 1.2), 0.6, UPRIGHT, 8, 0.0),
    "hull": (CUBE, 0.5, UPRIGHT, 4, 0.0),
    "hull on its side": (CUBE, 0.5, LYING, 4, 0.0),
    "ellipsoid": (Ellipsoid((0.6, 0.5, 0.3)), 0.3, UPRIGHT, 1, 1.0),
}


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("case", RESTING)
@pytest.mark.parametrize("gap", [-1e-3, -1e-9, 0.0, 1e-9, 5e-3])
def test_resting_shapes_have_full_manifolds(ground, case, gap):
    """Give every corner, end or rim point that rests, with its exact gap, whatever FCL's tolerance."""
    shape, height, quaternion, count, radius = RESTING[case]
    function, floor = GROUNDS[ground]
    quaternion = turned(quaternion, 0.3)
    result = collide(
        function, shape, floor, [((0.2, 0.1, 0.5 + height + gap), quaternion), ((0, 0, 0), UPRIGHT)]
    )
    assert result.count == count
    assert abs(result.gap - gap).max() < 1e-12
    assert abs(result.normal - [0.0, 0.0, 1.0]).max() < 1e-12
    assert (result.normal_side == NORMAL_ON_B).all() or case.startswith("hull") or radius == 0.0
    assert abs(result.radius_a - radius).max() < 1e-12
    assert len(set(result.feature.tolist())) == count
    assert abs(result.point_a - result.point_b - result.gap[:, None] * result.normal).max() < 1e-15
    # the support area reaches around the centre of mass
    if count > 2:
        angles = np.sort(np.arctan2(result.point_a[:, 1] - 0.1, result.point_a[:, 0] - 0.2))
        assert np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() < np.pi / 2 + 1e-6


@pytest.mark.parametrize("case", RESTING)
def test_order_of_shapes_does_not_matter(case):
    """Turn the order of the shapes: the same contacts, points swapped and normal reversed."""
    shape, height, quaternion, count, _ = RESTING[case]
    poses = [((0.2, 0.1, 0.5 + height - 1e-4), quaternion), ((0, 0, 0), UPRIGHT)]
    forth = collide(collide_convex_pairs, shape, FLOOR, poses)
    back = collide(collide_convex_pairs, FLOOR, shape, poses[::-1])
    assert forth.count == back.count == count
    order, reverse = np.lexsort(forth.point_a.round(6).T), np.lexsort(back.point_b.round(6).T)
    assert abs(forth.point_a[order] - back.point_b[reverse]).max() < 1e-6
    assert abs(forth.normal[order] + back.normal[reverse]).max() < 1e-12
    assert abs(forth.gap[order] - back.gap[reverse]).max() < 1e-12


def test_cone_lies_on_its_side():
    """Touch at the rim and at the tip when a cone lies down."""
    r, length = 0.5, 1.2
    tilt = np.pi / 2 + np.arctan2(r, length)  # turns the side horizontal, facing down
    quaternion = (np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0)
    height = length / 2 * r / np.hypot(r, length)  # of the middle of the axis over the side
    for function, floor in GROUNDS.values():
        result = collide(
            function, Cone(r, length), floor, [((0, 0, 0.5 + height), quaternion), ((0, 0, 0), UPRIGHT)]
        )
        assert result.count == 2
        assert abs(result.gap).max() < 1e-12
        assert abs(np.linalg.norm(result.point_a[1] - result.point_a[0]) - np.hypot(r, length)) < 1e-12


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("case", [case for case in RESTING if case != "ellipsoid"])
def test_manifolds_are_steady_under_jitter(ground, case):
    """Keep number, numbers and places of the contacts when the body trembles by 1e-9."""
    shape, height, quaternion, count, _ = RESTING[case]
    function, floor = GROUNDS[ground]
    rng = np.random.default_rng(1)
    poses = [((0.2, 0.1, 0.5 + height), quaternion), ((0, 0, 0), UPRIGHT)]
    first = collide(function, shape, floor, poses)
    for _ in range(30):
        shaken = (
            np.array(poses[0][0]) + 1e-9 * rng.normal(size=3),
            np.array(quaternion) + 1e-9 * rng.normal(size=4),
        )
        again = collide(function, shape, floor, [shaken, poses[1]])
        assert again.feature.tolist() == first.feature.tolist()
        assert abs(again.point_a - first.point_a).max() < 1e-7
        assert abs(again.gap).max() < 1e-8


def test_equal_cubes_on_top_of_each_other_are_steady():
    """Keep the contacts of exactly aligned equal hulls, whose corners and edges coincide, under jitter."""
    rng = np.random.default_rng(2)
    poses = [((0.0, 0.0, 1.0), UPRIGHT), ((0.0, 0.0, 0.0), UPRIGHT)]
    first = collide(collide_convex_pairs, CUBE, CUBE, poses)
    assert first.count == 4
    for _ in range(30):
        shaken = (
            np.array([0, 0, 1.0]) + 1e-9 * rng.normal(size=3),
            np.array(UPRIGHT) + 1e-9 * rng.normal(size=4),
        )
        again = collide(collide_convex_pairs, CUBE, CUBE, [shaken, poses[1]])
        assert again.feature.tolist() == first.feature.tolist()


@settings(max_examples=60, deadline=None)
@given(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.floats(-3.2, 3.2), st.floats(-5e-3, 5e-3))
def test_a_hull_cube_behaves_as_the_box(x, y, yaw, gap):
    """Give the contacts of the primitive box, on a box and on a plane (R39: a cube from a file)."""
    poses = [((x, y, 1.0 + gap), turned(UPRIGHT, yaw)), ((0, 0, 0), UPRIGHT)]
    box = collide(collide_native_pairs, Box((1.0, 1.0, 1.0)), FLOOR, poses)
    for function, floor in GROUNDS.values():
        hull = collide(function, CUBE, floor, poses)
        assert hull.count == box.count == 4
        for point, depth in zip(box.point_a, box.gap, strict=True):
            near = np.linalg.norm(hull.point_a - point, axis=1)
            assert near.min() < 1e-6
            assert abs(hull.gap[near.argmin()] - depth) < 1e-12


def test_small_faces_rest_on_round_ones():
    """Keep all corners of a box that stands on a wide cap, and cut those off that reach over its rim."""
    cap = Cylinder(1.0, 1.0)
    inside = collide(collide_convex_pairs, CUBE, cap, [((0.1, 0.0, 1.0), UPRIGHT), ((0, 0, 0), UPRIGHT)])
    assert inside.count == 4
    over = collide(collide_convex_pairs, CUBE, cap, [((0.8, 0.0, 1.0), UPRIGHT), ((0, 0, 0), UPRIGHT)])
    places = over.point_b[:, :2]
    assert (np.linalg.norm(places, axis=1) < 1.0 + 1e-6).all()
    assert (np.abs(places - [0.8, 0.0]) < 0.5 + 1e-6).all()
    for corner in ([0.3, 0.5], [0.3, -0.5], [np.sqrt(0.75), 0.5], [np.sqrt(0.75), -0.5]):
        assert np.linalg.norm(places - corner, axis=1).min() < 1e-6
    assert abs(over.gap).max() < 1e-12


def test_caps_rest_on_caps():
    """Support a cap on a cap around the area they share."""
    small, large = Cylinder(0.4, 1.0), Cylinder(1.0, 1.0)
    concentric = collide(collide_convex_pairs, small, large, [((0, 0, 1.0), UPRIGHT), ((0, 0, 0), UPRIGHT)])
    assert concentric.count == 8
    assert np.allclose(np.linalg.norm(concentric.point_a[:, :2], axis=1), 0.4, atol=1e-12)
    shifted = collide(collide_convex_pairs, large, large, [((1.0, 0, 1.0), UPRIGHT), ((0, 0, 0), UPRIGHT)])
    places = shifted.point_b[:, :2]
    for crossing in ([0.5, np.sqrt(0.75)], [0.5, -np.sqrt(0.75)]):  # where the rims cross
        assert np.linalg.norm(places - crossing, axis=1).min() < 1e-9
    assert (np.linalg.norm(places, axis=1) < 1.0 + 1e-6).all()
    assert (np.linalg.norm(places - [1.0, 0.0], axis=1) < 1.0 + 1e-6).all()


@pytest.mark.parametrize("function", [collide_convex_pairs, collide_fcl_pairs])
def test_lines_meet_in_one_point_or_two(function):
    """Cross cylinders and edges in one contact, lay parallel ones along each other with two; gaps exact."""
    crossed = collide(
        function,
        Cylinder(0.3, 2.0),
        Cylinder(0.2, 2.0),
        [((0.1, 0.2, 0.499), LYING), ((0, 0, 0), (np.sqrt(0.5), np.sqrt(0.5), 0, 0))],
    )
    assert crossed.count == 1
    assert abs(crossed.gap[0] + 0.001) < 1e-12
    assert abs(crossed.normal[0] - [0, 0, 1]).max() < 1e-9
    assert np.allclose(crossed.point_a[0], [0.0, 0.2, 0.199], atol=1e-9)
    assert (crossed.radius_a[0], crossed.radius_b[0]) == (0.3, 0.2)
    parallel = collide(
        function, Cylinder(0.3, 2.0), Capsule(0.2, 2.0), [((0.5, 0, 0.501), LYING), ((0, 0, 0), LYING)]
    )
    assert parallel.count == 2
    assert abs(parallel.gap - 0.001).max() < 1e-12
    assert np.allclose(np.sort(parallel.point_a[:, 0]), [-0.5, 1.0], atol=1e-9)
    # two cubes edge to edge, each turned by 45 degrees about its own horizontal axis
    s, c = np.sin(np.pi / 8), np.cos(np.pi / 8)
    edges = collide(
        function, CUBE, CUBE, [((0, 0, np.sqrt(2.0) - 1e-3), (c, s, 0, 0)), ((0, 0, 0), (c, 0, s, 0))]
    )
    assert edges.count == 1
    assert abs(edges.gap[0] + 1e-3) < 1e-12
    assert abs(edges.normal[0] - [0, 0, 1]).max() < 1e-12
    assert abs(edges.point_a[0] - [0, 0, np.sqrt(0.5) - 1e-3]).max() < 1e-12


@pytest.mark.parametrize("function", [collide_convex_pairs, collide_fcl_pairs])
def test_a_cylinder_rolls_over_a_seam_without_a_wrong_normal(function):
    """Report nothing that brakes a cylinder that rolls from one box onto the next (R41)."""
    cylinder, box = Cylinder(0.3, 1.0), Box((2.0, 2.0, 1.0))
    lying = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)  # axis along y
    for x in np.concatenate([np.linspace(-0.2, 0.2, 41), [1e-12, -1e-12, 1e-9, 1e-6, 1e-3]]):
        for side in (-1.0, 1.0):
            result = collide(
                function, cylinder, box, [((x, 0, 0.8), lying), ((side, 0, 0), UPRIGHT)], margin=0.05
            )
            beyond = max(0.0, -side * x)  # how far the axis is past the edge of this box
            gap = np.hypot(0.3, beyond) - 0.3
            if result.count == 0:
                assert gap > 0.05
                continue
            # the true distance, and a normal that leans by no more than the geometry says
            assert abs(result.gap - gap).max() < 1e-9
            assert abs(result.normal[:, 0]).max() <= beyond / 0.3 + 1e-9
            assert result.count == 2


def test_deep_overlap_stays_finite():
    """Give finite contacts with a unit normal for shapes that sit in each other, centre on centre too."""
    shapes = [
        Box((1, 1, 1)),
        Capsule(0.4, 1.0),
        Cylinder(0.4, 1.0),
        Cone(0.5, 1.0),
        Ellipsoid((0.5, 0.4, 0.3)),
        CUBE,
    ]
    for first in shapes:
        for second in shapes:
            for offset in ([0, 0, 0], [1e-12, 0, 0], [0.05, -0.1, 0.02]):
                for function in (collide_convex_pairs, collide_fcl_pairs):
                    result = collide(
                        function, first, second, [(offset, UPRIGHT), ((0, 0, 0), turned(UPRIGHT, 0.2))]
                    )
                    assert result.count >= 1
                    assert np.isfinite(result.gap).all() and (result.gap < 0.0).all()
                    assert abs(np.linalg.norm(result.normal, axis=1) - 1.0).max() < 1e-12


def test_faces_carry_the_normal():
    """Say which body's face defines the normal."""
    on_b = collide(
        collide_convex_pairs, Cylinder(0.3, 1.0), FLOOR, [((0, 0, 0.8), LYING), ((0, 0, 0), UPRIGHT)]
    )
    assert (on_b.normal_side == NORMAL_ON_B).all()
    on_a = collide(
        collide_convex_pairs, FLOOR, Cylinder(0.3, 1.0), [((0, 0, 0), UPRIGHT), ((0, 0, 0.8), LYING)]
    )
    assert (on_a.normal_side == NORMAL_ON_A).all()


@settings(max_examples=100, deadline=None)
@given(st.integers(3, 9), st.integers(3, 9), st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 6))
def test_clipping_agrees_with_areas_by_sampling(n, m, x, y, turn):
    """Give a polygon whose corners lie in both polygons and that holds every point of both."""

    def ring(count, phase):
        angles = phase + 2 * np.pi * np.arange(count) / count
        return np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)

    reference, incident = ring(n, 0.1), ring(m, turn) + [x, y, 0.0]
    incident[:, 2] = 0.3 * incident[:, 0] - 0.2 * incident[:, 1]
    scratch = ManifoldScratch.new()
    for side, corners in enumerate((reference, incident)):
        scratch.flat[side, : len(corners)] = corners
        scratch.features.ids[side, : len(corners)] = np.arange(len(corners))
        scratch.features.count[side] = len(corners)
    count = clip_polygon(0, scratch, 0.0)
    out = scratch.found[0]
    assert count <= n + m

    def inside(corners, points, slack):
        edges = np.roll(corners, -1, axis=0)[:, :2] - corners[:, :2]
        offsets = points[:, None, :2] - corners[None, :, :2]
        return (edges[:, 0] * offsets[..., 1] - edges[:, 1] * offsets[..., 0] >= -slack).all(axis=1)

    clipped = out[:count]
    if count:
        assert inside(reference, clipped, 1e-9).all() and inside(incident, clipped, 1e-9).all()
        assert np.allclose(clipped[:, 2], 0.3 * clipped[:, 0] - 0.2 * clipped[:, 1], atol=1e-12)
    sample = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    both = sample[inside(reference, sample, -1e-6) & inside(incident, sample, -1e-6)]
    if len(both):
        assert count >= 3 and inside(clipped, both, 1e-9).all()


def test_reduction_keeps_the_deepest_and_the_outermost():
    """Keep at most the asked number, with the deepest candidate and the reach in every direction."""
    rng = np.random.default_rng(3)
    chosen = np.empty(8, np.int64)
    for _ in range(100):
        points = rng.normal(size=(40, 3))
        kept = chosen[: reduce_candidates(points, 40, 8, False, chosen)]
        assert len(set(kept.tolist())) == len(kept) <= 8
        assert points[:, 2].argmin() in kept
        angles = np.linspace(0, 2 * np.pi, 60)
        directions = np.stack([np.cos(angles), np.sin(angles)])
        whole, part = (points[:, :2] @ directions).max(axis=0), (points[kept, :2] @ directions).max(axis=0)
        assert (part > 0.5 * whole).all()

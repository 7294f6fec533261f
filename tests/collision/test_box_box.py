import numpy as np
import pytest

from stoss.collision.contacts import NORMAL_ON_A, NORMAL_ON_B
from stoss.collision.shapes.shapes import Box
from tests.collision.box_oracle import distance, outside_distance, random_quaternion, rotation, separation
from tests.collision.scene_of_two import IDENTITY, about, check_identities, collide

ORIGIN = (np.zeros(3), IDENTITY)
UNIT = Box((1.0, 1.0, 1.0))


def stack(twist=0.0, gap=0.0, offset=(0.0, 0.0), upper=UNIT, margin=0.01):
    """Return the contacts of a unit cube (a) with a box (b) above it."""
    height = 0.5 + 0.5 * upper.size[2] + gap
    pose = (np.array([*offset, height]), about((0.0, 0.0, 1.0), twist))
    return collide(UNIT, ORIGIN, upper, pose, margin)


@pytest.mark.parametrize("gap", [0.0, 0.005, -0.001, -0.1, -0.4])
def test_stacked_boxes_touch_at_their_corners(gap):
    """Give aligned equal boxes four contacts at the corners, gap exact, normal that of the lower face."""
    contacts = stack(gap=gap)
    assert contacts.count == 4
    check_identities(contacts, 0.01)
    np.testing.assert_allclose(contacts.gap, gap, atol=1e-15)
    np.testing.assert_array_equal(contacts.normal, [[0.0, 0.0, -1.0]] * 4)
    assert (contacts.normal_side == NORMAL_ON_A).all()
    assert sorted(map(tuple, np.sign(contacts.point_a[:, :2]))) == [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    np.testing.assert_allclose(np.abs(contacts.point_a[:, :2]), 0.5, atol=1e-15)
    assert (contacts.radius_a == 0.0).all() and (contacts.radius_b == 0.0).all()


@pytest.mark.parametrize("gap", [0.0, 0.005, -0.1])
def test_boxes_twisted_by_45_degrees_touch_at_eight_points(gap):
    """Give equal boxes stacked with a twist of 45 degrees the eight corners of the octagon (T-19)."""
    contacts = stack(twist=np.pi / 4, gap=gap)
    assert contacts.count == 8
    check_identities(contacts, 0.01)
    np.testing.assert_allclose(contacts.gap, gap, atol=1e-15)
    # corners of a regular octagon with inradius 1/2
    np.testing.assert_allclose(
        np.linalg.norm(contacts.point_a[:, :2], axis=1), 0.5 / np.cos(np.pi / 8), atol=1e-15 * 4
    )


def test_parallel_edges_touch_at_two_points():
    """Give two boxes edge on parallel edge two contacts at the ends of the common stretch (T-19)."""
    turn = about((1.0, 0.0, 0.0), np.pi / 4)
    for gap in (0.0, 1e-9, 0.005):
        upper = (np.array([0.25, 0.0, 2.0 * np.sqrt(0.5) + gap]), turn)
        contacts = collide(UNIT, (np.zeros(3), turn), UNIT, upper, 0.01)
        assert contacts.count == 2
        check_identities(contacts, 0.01)
        np.testing.assert_allclose(contacts.gap, gap, atol=1e-15 * 4)
        # the closest points of edges 1e-9 apart fix the direction to 1e-16 / 1e-9
        np.testing.assert_allclose(contacts.normal, [[0.0, 0.0, -1.0]] * 2, atol=1e-6)
        np.testing.assert_allclose(sorted(contacts.point_a[:, 0]), [-0.25, 0.5], atol=1e-15 * 4)


def test_crossed_edges_touch_at_one_point():
    """Give crossed edges one contact on both edges, its normal perpendicular to them."""
    lower = (np.zeros(3), about((1.0, 0.0, 0.0), np.pi / 4))
    for gap in (0.005, 0.0, -0.05):
        upper = (np.array([0.1, 0.2, np.sqrt(2.0) + gap]), about((0.0, 1.0, 0.0), np.pi / 4))
        contacts = collide(UNIT, lower, UNIT, upper, 0.01)
        assert contacts.count == 1
        check_identities(contacts, 0.01)
        assert contacts.gap[0] == pytest.approx(gap, abs=1e-15 * 4)
        np.testing.assert_allclose(contacts.normal, [[0.0, 0.0, -1.0]], atol=1e-14)
        np.testing.assert_allclose(contacts.point_a, [[0.1, 0.0, np.sqrt(0.5)]], atol=1e-14)


def test_corner_over_a_face_touches_at_one_point():
    """Give a box that stands on its corner one contact with the face below."""
    turn = about((1.0, -1.0, 0.0), np.arccos(np.sqrt(1.0 / 3.0)))
    for gap in (0.005, 0.0, -0.01):
        contacts = collide(
            Box((3.0, 3.0, 1.0)), ORIGIN, UNIT, (np.array([0.3, 0.2, 0.5 + np.sqrt(0.75) + gap]), turn), 0.01
        )
        assert contacts.count == 1
        assert contacts.gap[0] == pytest.approx(gap, abs=1e-15 * 4)
        np.testing.assert_allclose(contacts.point_a, [[0.3, 0.2, 0.5]], atol=1e-15 * 4)


def test_smaller_face_is_clipped_by_nothing():
    """Report the corners of a small box on a large one, whichever comes first in the table."""
    small, pose = Box((0.2, 0.3, 0.4)), (np.array([0.1, -0.2, 0.7]), about((0.0, 0.0, 1.0), 0.3))
    one = collide(UNIT, ORIGIN, small, pose, 0.01)
    two = collide(small, pose, UNIT, ORIGIN, 0.01)
    corners = np.array([[x, y, -0.2] for x in (-0.1, 0.1) for y in (-0.15, 0.15)])
    corners = corners @ rotation(pose[1]).T + pose[0]
    for points in (one.point_b, two.point_a):
        assert len(points) == 4
        for corner in corners:
            assert np.linalg.norm(points - corner, axis=1).min() < 1e-15 * 4
    assert (one.normal_side == NORMAL_ON_A).all()
    np.testing.assert_allclose(one.normal[0], -two.normal[0], atol=1e-15)


@pytest.mark.parametrize("noise", [0.0, 1e-15, 1e-12, 1e-9, 1e-8])
@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.001, -0.002), (0.5, 0.0)])
def test_features_of_a_stack_do_not_flicker(noise, offset):
    """Keep reference face, contact count and feature numbers through small disturbances of the pose."""
    rng = np.random.default_rng(0)
    expected = None
    for _ in range(100):
        turn = np.array([1.0, *(noise * rng.normal(size=3))])
        place = np.array([*offset, 1.0]) + noise * rng.normal(size=3)
        contacts = collide(UNIT, ORIGIN, UNIT, (place, turn / np.linalg.norm(turn)), 0.01)
        expected = expected or contacts.feature.tolist()
        assert contacts.feature.tolist() == expected
        assert (contacts.normal_side == NORMAL_ON_A).all()
        np.testing.assert_allclose(contacts.gap, 0.0, atol=8.0 * noise + 1e-15)


def test_a_contact_keeps_its_feature_when_the_reference_face_changes():
    """Number vertex against face the same whether the face is the reference or the incident one."""
    # a small box tilted on a large one: the corners of the small box touch the large face either way
    seen = set()
    for tilt in (0.0, 1e-6, 1e-3, 0.1, 0.3):
        turn = about((0.0, 1.0, 0.0), tilt)
        height = 0.5 + 0.2 * np.cos(tilt) + 0.1 * np.sin(tilt)
        contacts = collide(UNIT, ORIGIN, Box((0.2, 0.2, 0.4)), (np.array([0.0, 0.0, height]), turn), 0.1)
        seen |= set(contacts.feature[contacts.gap < 1e-9].tolist())
    assert len(seen) == 4


def test_deep_overlap_has_linear_depth_and_a_full_manifold():
    """Report depth linear in z through a small box deep inside a big one, with all four corners."""
    for depth in (0.0, 0.05, 0.2, 0.3, 0.45):
        pose = (np.array([0.1, 0.0, 0.5 + 0.05 - depth]), about((0.0, 0.0, 1.0), 0.2))
        contacts = collide(Box((2.0, 2.0, 1.0)), ORIGIN, Box((0.1, 0.1, 0.1)), pose, 0.01)
        assert contacts.count == 4
        np.testing.assert_allclose(contacts.gap, -depth, atol=1e-15 * 4)
        np.testing.assert_array_equal(contacts.normal, [[0.0, 0.0, -1.0]] * 4)


def test_sliding_over_a_floor_of_boxes_meets_no_sides():
    """Report no sideways contact with the next box of a level floor, before and after its border."""
    for sink in (-1e-12, 0.0, 1e-12, 1e-9, 1e-7):
        for gap in (0.009, 1e-3, 1e-5, -1e-5, -1e-3, -0.1):
            pose = (np.array([-1.0 - gap, 0.0, 1.0 - sink]), IDENTITY)
            contacts = collide(UNIT, ORIGIN, UNIT, pose, 0.01)
            if contacts.count:
                np.testing.assert_allclose(np.abs(contacts.normal[:, 2]), 1.0)


def random_pair(rng, low, high):
    """Return two boxes whose largest axis gap is within [low, high]; some aligned, some equal."""
    size_a, size_b = rng.uniform(0.2, 2.0, 3), rng.uniform(0.2, 2.0, 3)
    if rng.random() < 0.2:
        size_b = size_a.copy()
    turn_a = random_quaternion(rng)
    turn_b = random_quaternion(rng) if rng.random() < 0.7 else turn_a.copy()
    direction = rng.normal(size=3)
    if rng.random() < 0.3:  # face to face, edge to edge or corner to corner
        direction = rotation(turn_a) @ rng.integers(-1, 2, 3)
    if not direction.any():
        direction = np.ones(3)
    direction /= np.linalg.norm(direction)
    a = (size_a / 2, rng.normal(size=3), turn_a)
    wanted = rng.uniform(low, high)
    near, far = 0.0, 6.0
    for _ in range(40):
        middle = 0.5 * (near + far)
        b = (size_b / 2, a[1] + middle * direction, turn_b)
        near, far = (near, middle) if separation(a, b) > wanted else (middle, far)
    return a, b


def shapes_and_poses(a, b):
    return Box(2.0 * a[0]), (a[1], a[2]), Box(2.0 * b[0]), (b[1], b[2])


def test_random_boxes_apart_match_their_distance():
    """Report no gap below the distance, none missing within the margin, and points on the boxes."""
    rng = np.random.default_rng(10)
    margin, found = 0.05, 0
    for _ in range(400):
        a, b = random_pair(rng, 1e-4, 0.06)
        contacts = collide(*shapes_and_poses(a, b), margin)
        check_identities(contacts, margin)
        apart = distance(a, b)
        smallest = min(a[0].min(), b[0].min())
        if apart <= margin - 2e-3 * smallest:
            assert contacts.count > 0
        if contacts.count:
            found += 1
            gap = contacts.gap.min()
            assert gap >= apart - 1e-12
            assert outside_distance(contacts.point_a, a).max() < 1e-13
            assert outside_distance(contacts.point_b, b).max() < 1e-13
    assert found > 200


def test_random_boxes_in_overlap_match_the_separating_axes():
    """Report a contact for every overlap, no deeper than the least depth over the axes allows."""
    rng = np.random.default_rng(11)
    for _ in range(400):
        a, b = random_pair(rng, -0.2, -1e-6)
        contacts = collide(*shapes_and_poses(a, b), 0.01)
        check_identities(contacts, 0.01)
        depth = -separation(a, b)
        assert contacts.count > 0
        # a face may win over an edge that is better by 5 % of the depth and 1e-3 of the smallest half edge
        allowed = 1.06 * depth + 2.1e-3 * min(a[0].min(), b[0].min())
        assert -contacts.gap.min() <= allowed
        assert contacts.gap.min() < 1e-3


def test_swapping_random_boxes_changes_the_depth_by_the_tolerance_at_most():
    """Report the same overlap in either order, up to the tolerance that prefers the first box."""
    rng = np.random.default_rng(12)
    for _ in range(150):
        a, b = random_pair(rng, -0.1, 0.03)
        one = collide(*shapes_and_poses(a, b), 0.05)
        two = collide(*shapes_and_poses(b, a), 0.05)
        assert (one.count > 0) == (two.count > 0)
        if one.count:
            smallest = min(a[0].min(), b[0].min())
            slack = 2.1e-3 * smallest + 0.06 * abs(min(one.gap.min(), two.gap.min()))
            assert one.gap.min() == pytest.approx(two.gap.min(), abs=slack)
            if one.count == two.count and np.allclose(one.normal, -two.normal, atol=1e-9):
                sides = np.array([0, NORMAL_ON_B, NORMAL_ON_A])
                if (sides[one.normal_side] == two.normal_side).all():
                    np.testing.assert_allclose(np.sort(one.gap), np.sort(two.gap), atol=1e-12)


def test_near_touching_grid_poses_are_free_of_nonsense():
    """Report finite contacts with unit normals for boxes at multiples of right angles and half sizes."""
    rng = np.random.default_rng(13)
    for _ in range(2000):
        size_a, size_b = rng.choice([0.5, 1.0, 2.0], 3), rng.choice([0.5, 1.0, 2.0], 3)
        turn = about(np.eye(3)[rng.integers(3)], rng.integers(8) * np.pi / 4)
        signs = rng.integers(-1, 2, 3)
        place = signs * (size_a + size_b) / 2 + rng.choice([0.0, 1e-16, 1e-12, -1e-9, 1e-6, -1e-3], 3)
        contacts = collide(Box(size_a), ORIGIN, Box(size_b), (place, turn), 0.01)
        check_identities(contacts, 0.01)
        a, b = (size_a / 2, np.zeros(3), np.array(IDENTITY)), (size_b / 2, place, turn)
        gap = separation(a, b)
        if gap < -1e-5:
            assert contacts.count > 0
            assert -contacts.gap.min() <= -1.06 * gap + 1e-3
        if gap > 0.0 and contacts.count:
            assert contacts.gap.min() >= distance(a, b) - 1e-6

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from stoss.collision.contacts import NORMAL_FIXED, NORMAL_ON_A, NORMAL_ON_B
from stoss.collision.shapes.shapes import Box, Capsule, HalfSpace, Sphere
from tests.collision.box_oracle import outside_distance, random_quaternion, rotation
from tests.collision.scene_of_two import IDENTITY, about, check_identities, collide

LYING = about((0.0, 1.0, 0.0), np.pi / 2)  # axis z to x
ORIGIN = (np.zeros(3), IDENTITY)
coordinates = st.floats(-2.0, 2.0)


def product(p, q):
    """Return the product of two quaternions."""
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def core(shape, position, quaternion):
    """Return the two ends of a capsule's core, or a sphere's centre twice."""
    half = 0.5 * shape.length if isinstance(shape, Capsule) else 0.0
    step = half * rotation(quaternion)[:, 2]
    return position - step, position + step


def segment_distance(a, b):
    """Return the distance of two segments by minimising over the first one's parameter (convex)."""

    def from_point(s):
        p = a[0] + s * (a[1] - a[0])
        d = b[1] - b[0]
        length = d @ d
        t = np.clip((p - b[0]) @ d / length, 0.0, 1.0) if length > 0.0 else 0.0
        return np.linalg.norm(p - b[0] - t * d)

    best = minimize_scalar(from_point, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-12})
    return min(best.fun, from_point(0.0), from_point(1.0))


def box_core_distance(ends, box):
    """Return the distance of a core from a box, by minimising over the core's parameter (convex)."""

    def from_point(s):
        return outside_distance((ends[0] + s * (ends[1] - ends[0]))[None], box)[0]

    best = minimize_scalar(from_point, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-12})
    return min(best.fun, from_point(0.0), from_point(1.0))


@given(coordinates, coordinates, coordinates)
def test_spheres_touch_along_the_line_of_centres(x, y, z):
    """Report distance minus radii as gap, along the line of centres, with the spheres' radii."""
    centre = np.array([x, y, z])
    contacts = collide(Sphere(0.5), (centre, IDENTITY), Sphere(0.7), ORIGIN, 1.0)
    check_identities(contacts, 1.0)
    distance = np.linalg.norm(centre)
    assert contacts.count == (distance - 1.2 <= 1.0)
    if contacts.count:
        assert contacts.gap[0] == pytest.approx(distance - 1.2, abs=1e-15 * 8)
        assert (contacts.radius_a[0], contacts.radius_b[0]) == (0.5, 0.7)
        assert contacts.normal_side[0] == NORMAL_FIXED
        # the point on the core stays with the body: here the centre
        np.testing.assert_allclose(contacts.point_a[0] + 0.5 * contacts.normal[0], centre, atol=1e-14)


def test_coinciding_shapes_get_a_fixed_normal():
    """Give concentric and coaxial shapes a finite unit normal and the full depth, not NaN."""
    contacts = collide(Sphere(0.5), ORIGIN, Sphere(0.7), ORIGIN, 0.0)
    np.testing.assert_array_equal(contacts.normal[0], [0.0, 0.0, 1.0])
    assert contacts.gap[0] == -1.2
    shapes = [Sphere(0.5), Capsule(0.3, 1.0), Box((1.0, 2.0, 3.0))]
    for first in shapes:
        for second in shapes:
            for turn in (IDENTITY, about((1.0, 2.0, 3.0), 0.7)):
                contacts = collide(first, (np.zeros(3), turn), second, ORIGIN, 0.0)
                assert contacts.count > 0
                check_identities(contacts, 0.0)
    crossed = collide(Capsule(0.3, 1.0), ORIGIN, Capsule(0.3, 1.0), (np.zeros(3), LYING), 0.0)
    assert crossed.gap[0] == -0.6
    assert abs(crossed.normal[0] @ [0.0, 1.0, 0.0]) == pytest.approx(1.0)


@pytest.mark.parametrize("depth", [-0.004, 0.0, 0.003, 0.005, 0.0075, 0.02, 0.2])
def test_sphere_pushed_through_a_box_top_has_linear_depth(depth):
    """Report depth linear in z, also after the whole sphere is below the top face (R40)."""
    box, ball = Box((2.0, 2.0, 1.0)), Sphere(0.005)
    place = np.array([0.1, -0.2, 0.5 + 0.005 - depth])
    contacts = collide(box, ORIGIN, ball, (place, IDENTITY), 0.01)
    assert contacts.gap[0] == pytest.approx(-depth, abs=1e-15)
    np.testing.assert_array_equal(contacts.normal[0], [0.0, 0.0, -1.0])
    assert contacts.normal_side[0] == NORMAL_ON_A
    np.testing.assert_allclose(contacts.point_a[0], [0.1, -0.2, 0.5], atol=1e-15)
    check_identities(contacts, 0.01)


def test_sphere_against_random_boxes_matches_the_distance_of_its_centre():
    """Report the distance of the centre from the box minus the radius, where the centre is outside."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        size, turn = rng.uniform(0.2, 2.0, 3), random_quaternion(rng)
        centre = rng.uniform(-2.0, 2.0, 3)
        contacts = collide(Sphere(0.3), (centre, IDENTITY), Box(size), (np.zeros(3), turn), 0.2)
        distance = outside_distance(centre[None], (size / 2, np.zeros(3), turn))[0]
        check_identities(contacts, 0.2)
        assert contacts.count == (distance <= 0.5)
        if distance > 0.0 and contacts.count:
            assert contacts.gap[0] == pytest.approx(distance - 0.3, abs=1e-14)
            over_faces = (np.abs(rotation(turn).T @ centre) > size / 2).sum()
            assert contacts.normal_side[0] == (NORMAL_ON_B if over_faces == 1 else NORMAL_FIXED)


def test_capsule_lying_on_things_touches_at_both_ends():
    """Give a capsule that lies on a plane, a box or another capsule two exact contacts."""
    capsule, pose = Capsule(0.2, 1.0), (np.array([0.3, 0.1, 0.2]), LYING)
    ends = np.array([[-0.2, 0.1], [0.8, 0.1]])
    below = [
        (HalfSpace(), ORIGIN, ends),
        (Box((4.0, 4.0, 2.0)), (np.array([0.0, 0.0, -1.0]), IDENTITY), ends),
        (Box((1.0, 4.0, 2.0)), (np.array([0.0, 0.0, -1.0]), IDENTITY), np.array([[-0.2, 0.1], [0.5, 0.1]])),
        (Capsule(0.4, 2.0), (np.array([0.0, 0.1, -0.4]), LYING), ends),
        (Capsule(0.2, 1.0), (np.array([0.3, 0.1, -0.2]), LYING), ends),
    ]
    for shape, place, where in below:
        for sink in (-0.005, 0.0, 0.1):
            here = (pose[0] - [0.0, 0.0, sink], pose[1])
            contacts = collide(capsule, here, shape, place, 0.01)
            assert contacts.count == 2, shape
            check_identities(contacts, 0.01)
            np.testing.assert_allclose(contacts.gap, -sink, atol=1e-15)
            np.testing.assert_allclose(contacts.normal, [[0.0, 0.0, 1.0]] * 2, atol=1e-15)
            got = contacts.point_a[np.argsort(contacts.point_a[:, 0])]
            np.testing.assert_allclose(got[:, :2], where, atol=1e-15)
            np.testing.assert_allclose(got[:, 2], -sink, atol=1e-15)
            assert (contacts.radius_a == 0.2).all()


def test_capsule_hanging_over_an_edge_keeps_its_contacts_when_it_tilts():
    """Keep both contacts, features included, of a capsule on a box edge through rounding-sized tilts."""
    box, capsule = Box((1.0, 1.0, 1.0)), Capsule(0.1, 1.0)
    expected = None
    for tilt in (-1e-3, -1e-9, -1e-13, 0.0, 1e-13, 1e-9, 1e-3):
        turn = about((0.0, 1.0, 0.0), np.pi / 2 + tilt)
        contacts = collide(box, ORIGIN, capsule, (np.array([0.3, 0.0, 0.6]), turn), 0.01)
        assert contacts.count == 2
        expected = expected or sorted(contacts.feature.tolist())
        assert sorted(contacts.feature.tolist()) == expected
        np.testing.assert_allclose(contacts.gap, 0.0, atol=1.1e-3)


def test_capsule_along_a_box_edge_touches_at_both_ends_of_the_stretch():
    """Give a capsule beside a parallel box edge two contacts, off both faces by 45 degrees."""
    step = (0.2 + 0.005) / np.sqrt(2.0)
    place = np.array([0.5 + step, 0.25, 0.5 + step])
    capsule = (place, about((1.0, 0.0, 0.0), np.pi / 2))
    contacts = collide(Capsule(0.2, 1.0), capsule, Box((1.0, 1.0, 1.0)), ORIGIN, 0.01)
    assert contacts.count == 2
    np.testing.assert_allclose(contacts.gap, 0.005, atol=1e-15)
    np.testing.assert_allclose(contacts.normal, [[np.sqrt(0.5), 0.0, np.sqrt(0.5)]] * 2, atol=1e-14)
    np.testing.assert_allclose(sorted(contacts.point_b[:, 1]), [-0.25, 0.5], atol=1e-15)


def test_random_capsules_match_the_distance_of_their_cores():
    """Report the distance of the cores minus the radii as the smallest gap."""
    rng = np.random.default_rng(1)
    margin = 0.3
    for _ in range(300):
        first = Capsule(rng.uniform(0.05, 0.4), rng.uniform(0.2, 2.0))
        second = Capsule(0.2, 1.0) if rng.random() < 0.6 else Sphere(0.25)
        pose = (rng.uniform(-1.0, 1.0, 3), random_quaternion(rng))
        contacts = collide(first, pose, second, ORIGIN, margin)
        check_identities(contacts, margin)
        distance = segment_distance(core(first, *pose), core(second, *ORIGIN))
        gap = distance - first.radius - second.radius
        assert (contacts.count > 0) == (gap <= margin)
        if contacts.count:
            # the search for the closest points of the oracle stops at 1e-12 in its parameter
            assert contacts.gap.min() == pytest.approx(gap, abs=1e-8)


def test_random_capsules_and_boxes_match_the_distance_of_the_core():
    """Report the distance of core and box minus the radius as the smallest gap, while the core is outside."""
    rng = np.random.default_rng(2)
    margin, outside = 0.3, 0
    for _ in range(400):
        capsule = Capsule(rng.uniform(0.05, 0.4), rng.uniform(0.2, 2.0))
        box = Box(rng.uniform(0.2, 2.0, 3))
        pose = (rng.uniform(-1.3, 1.3, 3), random_quaternion(rng))
        turn = random_quaternion(rng)
        contacts = collide(capsule, pose, box, (np.zeros(3), turn), margin)
        check_identities(contacts, margin)
        placed = (np.array(box.size) / 2, np.zeros(3), turn)
        distance = box_core_distance(core(capsule, *pose), placed)
        assert (contacts.count > 0) == (distance - capsule.radius <= margin)
        if distance > 1e-9 and contacts.count:
            outside += 1
            assert contacts.gap.min() == pytest.approx(distance - capsule.radius, abs=1e-8)
            assert outside_distance(contacts.point_b, placed).max() < 1e-14 * 10
        elif contacts.count:
            assert (contacts.gap <= -capsule.radius + 1e-12).any()
    assert outside > 100


def test_capsule_whose_core_grazes_a_box_keeps_its_contacts():
    """Report depth r, to rounding, where the core just touches the box, and never lose the contact."""
    for offset in (0.0, 1e-16, 1e-14, 1e-13, 1e-12, 3e-12, 1e-11, 1e-10, -1e-13, -1e-10):
        for turn, count in ((LYING, 2), (IDENTITY, 1)):
            height = 1.0 + offset + (0.5 if turn is IDENTITY else 0.0)
            pose = (np.array([0.3, 0.2, height]), turn)
            contacts = collide(Capsule(0.2, 1.0), pose, Box((4.0, 4.0, 2.0)), ORIGIN, 0.0)
            assert contacts.count == count
            np.testing.assert_allclose(contacts.gap, -0.2 + offset, atol=1e-15 * 4)
            np.testing.assert_allclose(contacts.normal, [[0.0, 0.0, 1.0]] * count, atol=1e-15)


def test_capsule_core_inside_a_box_has_linear_depth():
    """Report depth linear in z when the core is below the top face, at both ends."""
    box = Box((4.0, 4.0, 2.0))
    for depth in (0.15, 0.2, 0.3, 0.5, 0.9):
        pose = (np.array([0.0, 0.0, 1.2 - depth]), LYING)
        contacts = collide(Capsule(0.2, 1.0), pose, box, ORIGIN, 0.01)
        assert contacts.count == 2
        np.testing.assert_allclose(contacts.gap, -depth, atol=1e-15 * 4)
        np.testing.assert_allclose(contacts.normal, [[0.0, 0.0, 1.0]] * 2, atol=1e-15)


def test_box_on_a_plane_touches_with_corner_edge_or_face():
    """Give a box on a plane 4, 2 or 1 contacts: on a face, an edge, a corner (T-19)."""
    cases = [(IDENTITY, 0.5, 4), (about((1.0, 0.0, 0.0), np.pi / 4), np.sqrt(0.5), 2)]
    cases.append((about((1.0, -1.0, 0.0), np.arccos(np.sqrt(1.0 / 3.0))), np.sqrt(0.75), 1))
    for turn, height, count in cases:
        for slope in (0.0, 0.4):
            tilt = about((0.0, 1.0, 0.0), slope)
            plane = HalfSpace(rotation(tilt)[:, 2], 0.3)
            place = (height + 0.3) * rotation(tilt)[:, 2]
            both = product(tilt, np.asarray(turn))
            contacts = collide(Box((1.0, 1.0, 1.0)), (place, both), plane, ORIGIN, 0.01)
            assert contacts.count == count
            np.testing.assert_allclose(contacts.gap, 0.0, atol=1e-15 * 4)
            assert (contacts.normal_side == NORMAL_ON_B).all()
            check_identities(contacts, 0.01)


def test_halfspace_gap_equals_the_height_of_the_lowest_points():
    """Report the height of corner or ball above a moved and turned half-space."""
    rng = np.random.default_rng(5)
    for _ in range(100):
        normal = rng.normal(size=3)
        plane = HalfSpace(normal, 0.2)
        turn, place = random_quaternion(rng), rng.normal(size=3)
        n = rotation(turn) @ plane.normal
        level = n @ place + 0.2
        pose = (rng.normal(size=3), random_quaternion(rng))
        heights = {}
        box = Box(rng.uniform(0.2, 2.0, 3))
        heights[box] = pose[0] @ n - level - np.abs(rotation(pose[1]).T @ n) @ np.array(box.size) / 2
        heights[Sphere(0.4)] = pose[0] @ n - level - 0.4
        capsule = Capsule(0.3, 1.0)
        heights[capsule] = min(end @ n for end in core(capsule, *pose)) - level - 0.3
        for shape, height in heights.items():
            contacts = collide(plane, (place, turn), shape, pose, 0.1)
            check_identities(contacts, 0.1)
            assert (contacts.count > 0) == (height <= 0.1)
            if contacts.count:
                assert contacts.gap.min() == pytest.approx(height, abs=1e-14)
                np.testing.assert_allclose(contacts.normal, np.tile(-n, (contacts.count, 1)), atol=1e-14)
                assert (contacts.normal_side == NORMAL_ON_A).all()


def test_swapping_the_shapes_swaps_the_contacts():
    """Report the same contacts with a and b exchanged when the shapes are listed the other way round."""
    rng = np.random.default_rng(6)
    shapes = [Sphere(0.5), Capsule(0.3, 1.0), Box((0.8, 1.0, 1.2)), HalfSpace((0.1, 0.2, 1.0), -0.1)]
    swap = np.array([NORMAL_FIXED, NORMAL_ON_B, NORMAL_ON_A])
    for i, j in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]:
        for _ in range(20):
            one = (rng.uniform(-0.6, 0.6, 3), random_quaternion(rng))
            two = (rng.uniform(-0.6, 0.6, 3), random_quaternion(rng))
            first = collide(shapes[i], one, shapes[j], two, 0.1)
            second = collide(shapes[j], two, shapes[i], one, 0.1)
            np.testing.assert_array_equal(first.gap, second.gap)
            np.testing.assert_array_equal(first.normal, -second.normal)
            np.testing.assert_array_equal(first.point_a, second.point_b)
            np.testing.assert_array_equal(first.feature, second.feature)
            np.testing.assert_array_equal(first.radius_a, second.radius_b)
            np.testing.assert_array_equal(swap[first.normal_side], second.normal_side)


def test_turning_the_scene_turns_the_contacts():
    """Report the same gaps and features, and turned points and normals, when the whole scene is turned."""
    rng = np.random.default_rng(7)
    shapes = [Sphere(0.5), Capsule(0.3, 1.0), Box((0.8, 1.0, 1.2)), Box((0.5, 2.0, 0.7))]

    for first in shapes:
        for second in shapes:
            for _ in range(10):
                one = (rng.uniform(-0.7, 0.7, 3), random_quaternion(rng))
                two = (rng.uniform(-0.7, 0.7, 3), random_quaternion(rng))
                turn, shift = random_quaternion(rng), rng.normal(size=3)
                r = rotation(turn)
                before = collide(first, one, second, two, 0.1)
                after = collide(
                    first,
                    (r @ one[0] + shift, product(turn, one[1])),
                    second,
                    (r @ two[0] + shift, product(turn, two[1])),
                    0.1,
                )
                np.testing.assert_array_equal(before.feature, after.feature)
                np.testing.assert_allclose(before.gap, after.gap, atol=1e-12)
                np.testing.assert_allclose(before.normal @ r.T, after.normal, atol=1e-10)
                np.testing.assert_allclose(before.point_a @ r.T + shift, after.point_a, atol=1e-10)

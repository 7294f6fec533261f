import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from stoss.collision.detector import BACKENDS, Detector
from stoss.collision.shapes.faceted import TriangleMesh
from stoss.collision.shapes.placed import Placed
from stoss.collision.shapes.shapes import Box, Capsule, Cylinder, HalfSpace, Sphere
from tests.collision.scene_of_two import check_identities

FIELDS = ("body_a", "body_b", "shape_a", "shape_b", "feature", "point_a", "point_b", "normal", "gap")


def still(n):
    """Return positions, quaternions and the movable flags of n bodies at the origin."""
    return np.zeros((n, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)), np.ones(n, bool)


def pile(n, seed=0):
    """Return a detector with a floor and n mixed shapes in a crowd, and their poses."""
    rng = np.random.default_rng(seed)
    detector = Detector()
    detector.add_shape(HalfSpace(), 0)
    shapes = [Sphere(0.5), Box((1.0, 0.8, 0.9)), Capsule(0.3, 0.5)]
    for body in range(1, n + 1):
        detector.add_shape(shapes[rng.integers(3)], body)
    side = max(1.0, 0.9 * n ** (1 / 3))
    positions = rng.uniform(0.0, side, (n + 1, 3))
    quaternions = rng.normal(size=(n + 1, 4))
    positions[0], quaternions[0] = 0.0, [1.0, 0.0, 0.0, 0.0]
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    movable = np.ones(n + 1, bool)
    movable[0] = False
    return detector, positions, quaternions, movable


@pytest.mark.parametrize("n", [1, 10, 300])
def test_contacts_of_a_pile_are_sound_and_sorted(n):
    """Report sound contacts, sorted by shape pair, only of bodies that the broad phase paired."""
    detector, *poses = pile(n)
    contacts = detector.detect(*poses, 0.05).copy()
    check_identities(contacts, 0.05)
    keys = list(zip(contacts.shape_a.tolist(), contacts.shape_b.tolist(), strict=True))
    assert keys == sorted(keys)
    assert all(a < b for a, b in keys)
    assert set(keys) <= set(map(tuple, detector.pairs.tolist()))
    np.testing.assert_array_equal(contacts.body_a, detector.table.body[contacts.shape_a])
    np.testing.assert_array_equal(contacts.body_b, detector.table.body[contacts.shape_b])


def test_contacts_of_a_pile_equal_those_of_each_pair_alone():
    """Report for every pair what a world of that pair alone reports, so that the bounds lose nothing."""
    detector, positions, quaternions, movable = pile(60)
    whole = detector.detect(positions, quaternions, movable, 0.05).copy()
    count = 0
    for i in range(61):
        for j in range(i + 1, 61):
            pair = Detector()
            pair.add_shape(detector.table.shapes[i], 0)
            pair.add_shape(detector.table.shapes[j], 1)
            alone = pair.detect(positions[[i, j]], quaternions[[i, j]], np.ones(2, bool), 0.05)
            rows = np.flatnonzero((whole.shape_a == i) & (whole.shape_b == j))
            assert len(rows) == alone.count
            for name in FIELDS[4:]:
                np.testing.assert_array_equal(getattr(whole, name)[rows], getattr(alone, name)[: alone.count])
            count += alone.count
    assert count == whole.count > 50


def test_detection_is_repeatable_bit_for_bit():
    """Report bitwise the same contacts again, in a used detector and in a new one."""
    detector, *poses = pile(200)
    first = detector.detect(*poses, 0.02).copy()
    detector.detect(poses[0] + 0.3, *poses[1:], 0.5)
    for again in (detector.detect(*poses, 0.02), pile(200)[0].detect(*poses, 0.02)):
        assert again.count == first.count
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(again, name)[: again.count], getattr(first, name))


def test_copied_and_pickled_detectors_report_the_same():
    """Report bitwise the same contacts from a deep copy and from an unpickled detector."""
    detector, *poses = pile(100)
    detector.exclude(3, 4)
    first = detector.detect(*poses, 0.02).copy()
    for twin in (copy.deepcopy(detector), pickle.loads(pickle.dumps(detector))):
        again = twin.detect(*poses, 0.02)
        assert again.count == first.count
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(again, name)[: again.count], getattr(first, name))


def test_contacts_reach_to_the_margin_and_not_beyond():
    """Report a contact whose gap equals the margin's size or less, and none beyond."""
    detector = Detector()
    detector.add_shape(Sphere(0.5), 0)
    detector.add_shape(Sphere(0.5), 1)
    positions, quaternions, movable = still(2)
    for gap, count in [(0.0999, 1), (0.1001, 0)]:
        positions[1, 0] = 1.0 + gap
        assert detector.detect(positions, quaternions, movable, 0.1).count == count


def test_pairs_are_left_out_by_body_mobility_group_and_exclusion():
    """Report no contact within a body, between fixed bodies, of excluded pairs and of masked groups."""
    detector = Detector()
    for body in (0, 0, 1, 2):
        detector.add_shape(Sphere(0.5), body)
    positions, quaternions, movable = still(3)

    def pairs():
        contacts = detector.detect(positions, quaternions, movable, 0.0)
        return {(int(contacts.body_a[k]), int(contacts.body_b[k])) for k in range(contacts.count)}

    assert pairs() == {(0, 1), (0, 2), (1, 2)}
    movable[:] = [False, False, True]
    assert pairs() == {(0, 2), (1, 2)}
    movable[:] = True
    detector.exclude(2, 0)
    assert pairs() == {(0, 1), (1, 2)}
    assert detector.excluded == {(0, 2)}
    detector.include(0, 2)
    assert pairs() == {(0, 1), (0, 2), (1, 2)}
    masked = Detector()
    masked.add_shape(Sphere(0.5), 0, group=1, mask=2)
    masked.add_shape(Sphere(0.5), 1, group=2, mask=1)
    masked.add_shape(Sphere(0.5), 2, group=2, mask=2)
    detector = masked
    assert pairs() == {(0, 1)}  # 2 does not want group 1, 0 is not of a group that 2 wants


def test_removing_a_body_renumbers_shapes_and_exclusions():
    """Keep exclusions with their bodies when a body goes and the numbers behind it move down."""
    detector = Detector()
    for body in range(4):
        detector.add_shape(Sphere(0.5), body)
    detector.exclude(1, 3)
    detector.exclude(0, 2)
    detector.remove_body(0)
    assert detector.excluded == {(0, 2)}
    contacts = detector.detect(*still(3), 0.0).copy()
    pairs = set(zip(contacts.body_a.tolist(), contacts.body_b.tolist(), strict=True))
    assert pairs == {(0, 1), (1, 2)}


def test_placed_shapes_carry_their_offset():
    """Put a placed shape where its offset says, in the body's frame."""
    detector = Detector()
    half = np.sqrt(0.5)
    detector.add_shape(Placed(Sphere(0.5), (1.0, 0.0, 0.0)), 0)
    detector.add_shape(HalfSpace(), 1)
    positions, quaternions, movable = still(2)
    positions[0, 2] = 2.0
    quaternions[0] = [half, 0.0, half, 0.0]  # x of the body points down
    contacts = detector.detect(positions, quaternions, movable, 1.0)
    assert contacts.gap[0] == pytest.approx(0.5, abs=1e-15)
    with pytest.raises(ValueError, match="Placed"):
        detector.add_shape(Placed(Sphere(0.5)), 0, (1.0, 0.0, 0.0))


def test_both_backends_report_the_same_touching_pairs():
    """Report with either backend the same pairs of a pile, and the same smallest gap where they are apart.

    In overlap FCL may find a normal whose depth is not the least, so there its gap is a lower bound.
    """
    native, *poses = pile(80)
    other = Detector("fcl")
    for body, shape in enumerate(native.table.shapes):
        other.add_shape(shape, body)
    smallest = []
    for detector in (native, other):
        contacts = detector.detect(*poses, 0.05).copy()
        gaps: dict[tuple[int, int], float] = {}
        for a, b, gap in zip(contacts.shape_a, contacts.shape_b, contacts.gap, strict=True):
            gaps[a, b] = min(gap, gaps.get((a, b), np.inf))
        smallest.append(gaps)
    # near the margin the tolerance that prefers faces may decide: 1e-3 half edges and their slope
    for pair in smallest[0].keys() ^ smallest[1].keys():
        assert smallest[0].get(pair, smallest[1].get(pair)) > 0.045
    common = smallest[0].keys() & smallest[1].keys()
    assert len(common) > 100
    for pair in common:
        # boxes may be 5 % of the depth deeper in favour of a face
        assert smallest[0][pair] >= smallest[1][pair] - 0.06 * abs(smallest[1][pair]) - 2e-3
        if smallest[1][pair] > 0.0:
            assert smallest[0][pair] == pytest.approx(smallest[1][pair], abs=0.01)


@pytest.mark.parametrize("backend", BACKENDS)
def test_contacts_come_in_order_when_several_narrow_phases_work(backend):
    """Sort the contacts by shape pair also when several narrow phases find some, with either backend."""
    detector = Detector(backend)
    shapes = [HalfSpace(), Cylinder(0.5, 1.0), Box((1.0, 1.0, 1.0)), Cylinder(0.4, 1.0), Sphere(0.5)]
    for body, shape in enumerate(shapes):
        detector.add_shape(shape, body)
    positions, quaternions, movable = still(5)
    positions[:, 0] = [0.0, 0.0, 0.95, 1.8, 2.6]
    positions[1:, 2] = 0.5
    movable[0] = False
    contacts = detector.detect(positions, quaternions, movable, 0.01).copy()
    keys = list(zip(contacts.shape_a.tolist(), contacts.shape_b.tolist(), strict=True))
    assert keys == sorted(keys)
    assert set(keys) == {(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4)}
    check_identities(contacts, 0.01)


def test_fixed_scenery_never_meets_scenery():
    """Report nothing between half-spaces and meshes, whatever their poses."""
    detector = Detector()
    detector.add_shape(HalfSpace(), 0)
    detector.add_shape(HalfSpace((1.0, 0.0, 0.0)), 1)
    mesh = TriangleMesh(np.eye(3) - 0.3, np.array([[0, 1, 2]]))
    detector.add_shape(mesh, 2)
    detector.add_shape(mesh, 3)
    assert detector.detect(*still(4), 0.1).count == 0


def test_an_empty_world_has_no_contacts():
    """Report nothing for no bodies, and for bodies without shapes."""
    assert Detector().detect(*still(0), 0.1).count == 0
    assert Detector().detect(*still(3), 0.1).count == 0


def test_bad_input_is_refused():
    """Name the argument and the cure for unknown backends, wrong array shapes and negative margins."""
    with pytest.raises(ValueError, match="backend"):
        Detector("bullet")
    detector = Detector()
    detector.add_shape(Sphere(1.0), 1)
    positions, quaternions, movable = still(2)
    with pytest.raises(ValueError, match="margin"):
        detector.detect(positions, quaternions, movable, -0.1)
    with pytest.raises(ValueError, match="margin"):
        detector.detect(positions, quaternions, movable, np.nan)
    with pytest.raises(ValueError, match="bodies up to 1"):
        detector.detect(positions[:1], quaternions[:1], movable[:1], 0.1)
    with pytest.raises(ValueError, match="shapes"):
        detector.detect(positions, quaternions[:, :3], movable, 0.1)
    with pytest.raises(ValueError, match="different"):
        detector.exclude(1, 1)


def test_other_layouts_are_converted():
    """Take read-only arrays, other orders and other types: kernels have one signature."""
    detector, positions, quaternions, movable = pile(20)
    expected = detector.detect(positions, quaternions, movable, 0.1).copy()
    positions.setflags(write=False)
    same = detector.detect(np.asfortranarray(positions), quaternions, movable.astype(int), 0.1)
    assert same.count == expected.count
    assert (same.gap[: same.count] == expected.gap).all()


def test_threads_do_not_share_work_arrays():
    """Report in threads that detect at the same time what each reports alone."""
    rng = np.random.default_rng(4)
    shapes = [Box((1.0, 0.6, 0.8)), Cylinder(0.5, 1.0), Capsule(0.3, 0.5)]
    scenes = []
    for _ in range(4):
        detector = Detector()
        for body in range(30):
            detector.add_shape(shapes[body % 3], body)
        turns = rng.normal(size=(30, 4))
        turns /= np.linalg.norm(turns, axis=1)[:, None]
        scenes.append((detector, (rng.uniform(-1.5, 1.5, (30, 3)), turns, np.ones(30, bool), 0.01)))
    alone = [detector.detect(*poses).copy() for detector, poses in scenes]
    for _ in range(5):
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda scene: scene[0].detect(*scene[1]), scenes))
        for one, other in zip(alone, together, strict=True):
            assert one.count == other.count > 0
            np.testing.assert_array_equal(one.gap, other.gap[: other.count])
            np.testing.assert_array_equal(one.feature, other.feature[: other.count])

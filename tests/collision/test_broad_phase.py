import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stoss.collision.broad_phase.find_pairs import BroadPhase, pair_keys
from stoss.collision.detector import Detector
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import Box, HalfSpace, Sphere

NOTHING = np.empty(0, np.int64)


def brute_force(table, movable, excluded, margin):
    """Return the pairs by comparing all bounds with numpy."""
    n = table.count
    low, high = table.aabb_min[:n], table.aabb_max[:n]
    overlap = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=2)
    flat = table.bounding_radius[:n] == np.inf
    for h in np.flatnonzero(flat):
        w, x, y, z = table.quaternion[h]
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        normal = (np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross) @ table.size[h, :3]
        level = normal @ table.position[h] + table.size[h, 3]
        deepest = np.minimum(normal * low[~flat], normal * high[~flat]).sum(axis=1)
        overlap[h, ~flat] = overlap[~flat, h] = deepest <= level + margin
        overlap[h, flat] = False
    body, group, mask = table.body[:n], table.group[:n], table.mask[:n]
    overlap &= body[:, None] != body[None]
    overlap &= movable[body][:, None] | movable[body][None]
    overlap &= (group[:, None] & mask[None] != 0) & (group[None] & mask[:, None] != 0)
    for i, j in excluded:
        overlap &= ~((body[:, None] == i) & (body[None] == j))
        overlap &= ~((body[:, None] == j) & (body[None] == i))
    return np.argwhere(np.triu(overlap, 1))


def random_scene(rng, n, spread, decades, halfspaces=1):
    """Return a table of boxes and spheres of sizes over some decades, and which bodies are movable."""
    table = ShapeTable()
    for k in range(n):
        scale = 10.0 ** rng.uniform(-decades / 2, decades / 2)
        shape = Box(tuple(scale * rng.uniform(0.5, 1.0, 3))) if rng.random() < 0.5 else Sphere(0.5 * scale)
        if k < halfspaces:
            shape = HalfSpace(rng.normal(size=3), rng.normal())
        body = k if rng.random() < 0.9 else int(rng.integers(n))
        table.add(shape, body, group=int(rng.integers(1, 4)), mask=int(rng.integers(1, 8)))
    quaternions = rng.normal(size=(n, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    table.update(rng.uniform(-spread, spread, (n, 3)), quaternions, 0.01)
    return table, rng.random(n) < 0.7


@pytest.mark.parametrize("n", [0, 1, 2, 30, 96, 97, 400])
@pytest.mark.parametrize("decades", [0, 1, 4])
def test_pairs_equal_brute_force(n, decades):
    """Find exactly the pairs that comparing all bounds finds, sorted, for any spread of sizes."""
    rng = np.random.default_rng(n + 1000 * decades)
    for halfspaces in (0, 2):
        table, movable = random_scene(rng, n, max(1, n) ** (1 / 3), decades, halfspaces)
        excluded = rng.integers(0, max(n, 1), (n, 2))
        pairs = BroadPhase().find(table, movable, pair_keys(excluded), 0.005)
        np.testing.assert_array_equal(pairs, brute_force(table, movable, excluded, 0.005).reshape(-1, 2))


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.floats(-8.0, 8.0), st.sampled_from([1.0, 1e-6, 1e6]))
def test_pairs_do_not_depend_on_the_unit_of_length(seed, decades, offset):
    """Find the brute-force pairs at any scale and far from the origin."""
    rng = np.random.default_rng(seed)
    unit = 10.0**decades
    table = ShapeTable()
    for body in range(120):
        table.add(Sphere(unit * rng.uniform(0.1, 1.0)), body)
    positions = unit * (rng.uniform(-3.0, 3.0, (120, 3)) + offset)
    table.update(positions, np.tile([1.0, 0.0, 0.0, 0.0], (120, 1)), 0.0)
    movable = np.ones(120, bool)
    pairs = BroadPhase().find(table, movable, NOTHING, 0.0)
    np.testing.assert_array_equal(pairs, brute_force(table, movable, [], 0.0))


@pytest.mark.parametrize("edge", [1e3, 1e7, 1e12])
def test_one_huge_shape_among_many_is_found_by_all(edge):
    """Pair a floor thousands of times larger with every shape on it, once."""
    table = ShapeTable()
    table.add(Box((edge, edge, 1.0)), 0)
    rng = np.random.default_rng(0)
    for body in range(1, 501):
        table.add(Sphere(0.5), body)
    positions = np.column_stack([rng.uniform(-400.0, 400.0, (501, 2)), np.full(501, 0.9)])
    positions[0] = 0.0
    table.update(positions, np.tile([1.0, 0.0, 0.0, 0.0], (501, 1)), 0.0)
    movable = np.ones(501, bool)
    movable[0] = False
    pairs = BroadPhase().find(table, movable, NOTHING, 0.0)
    np.testing.assert_array_equal(pairs[pairs[:, 0] == 0, 1], np.arange(1, 501))
    np.testing.assert_array_equal(pairs, brute_force(table, movable, [], 0.0))


def test_all_pairs_of_a_crowd_are_reported():
    """Grow the buffer until all pairs fit when everything overlaps."""
    table = ShapeTable()
    for body in range(150):
        table.add(Sphere(1.0), body)
    table.update(np.zeros((150, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (150, 1)), 0.0)
    pairs = BroadPhase().find(table, np.ones(150, bool), NOTHING, 0.0)
    np.testing.assert_array_equal(pairs, np.argwhere(np.triu(np.ones((150, 150)), 1)))


def test_keys_do_not_depend_on_the_order_of_the_bodies():
    """Give a body pair the same key in either order, and every key once."""
    keys = pair_keys(np.array([[5, 2], [2, 5], [0, 1]]))
    np.testing.assert_array_equal(keys, [1, (2 << 32) + 5])


@pytest.mark.parametrize("n", [30, 400])
@pytest.mark.parametrize("speed", [0.003, 0.1])
def test_kept_pairs_equal_brute_force_in_motion(n, speed):
    """Find the brute-force pairs at every call of a motion with jumps and changes of all kinds."""
    rng = np.random.default_rng(n)
    table, movable = random_scene(rng, n, n ** (1 / 3), 1, halfspaces=2)
    excluded = rng.integers(0, n, (n, 2))
    keys, margin = pair_keys(excluded), 0.005
    broad_phase = BroadPhase()
    positions, quaternions = rng.uniform(-(n ** (1 / 3)), n ** (1 / 3), (n, 3)), rng.normal(size=(n, 4))
    velocities = speed * rng.normal(size=(n, 3)) * (rng.random((n, 1)) < 0.5)
    turns = speed * rng.normal(size=(n, 4)) * (rng.random((n, 1)) < 0.3)
    turns[:2] = velocities[:2] = 0.0  # the half-spaces
    for call in range(120):
        positions += velocities
        quaternions += turns
        quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
        if call % 9 == 4:  # some turn round, one jumps far away or into the middle
            velocities[rng.random(n) < 0.1] *= -1.0
            positions[2 + call % (n - 2)] = rng.uniform(-3.0, 3.0, 3)
        if call % 40 == 20:  # another body becomes movable or fixed
            movable[rng.integers(n)] ^= True
        if call % 40 == 25:
            excluded = rng.integers(0, n, (n // 2, 2))
            keys = pair_keys(excluded)
        if call % 40 == 30:  # a half-space moves, or the margin changes, and nothing else
            positions[0] += 0.3
            margin *= 1.0 if call < 40 else 1.5
        if call % 40 == 35:
            table.add(Sphere(0.7), int(rng.integers(n)))
        table.update(positions, quaternions, 0.01)
        pairs = broad_phase.find(table, movable, keys, margin)
        np.testing.assert_array_equal(pairs, brute_force(table, movable, excluded, margin).reshape(-1, 2))


def test_bounds_that_are_no_numbers_meet_nothing_and_recover():
    """Pair a shape with undefined bounds with no other, and with its neighbours once it is back."""
    table = ShapeTable()
    for body in range(3):
        table.add(Sphere(1.0), body)
    positions = np.array([[0.0, 0, 0], [1.5, 0, 0], [3.0, 0, 0]])
    turns, movable = np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)), np.ones(3, bool)
    broad_phase = BroadPhase()
    for x, expected in ((1.5, [[0, 1], [1, 2]]), (np.nan, []), (np.nan, []), (1.6, [[0, 1], [1, 2]])):
        positions[1, 0] = x
        table.update(positions, turns, 0.0)
        pairs = broad_phase.find(table, movable, NOTHING, 0.0)
        np.testing.assert_array_equal(pairs, np.array(expected, np.int64).reshape(-1, 2))


def test_a_detector_with_a_past_finds_what_a_new_one_finds():
    """Report bit for bit the same contacts whatever has been detected before."""
    rng = np.random.default_rng(3)
    old = Detector()
    for body in range(60):
        old.add_shape(Box(tuple(rng.uniform(0.5, 1.0, 3))) if body else HalfSpace(), body)
    positions, turns = rng.uniform(0.0, 2.5, (60, 3)), rng.normal(size=(60, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    movable = np.arange(60) > 0
    for _ in range(20):
        positions += rng.normal(scale=0.01, size=(60, 3))
        contacts = old.detect(positions, turns, movable, 0.01)
    new = Detector()
    for row in range(60):
        new.add_shape(old.table.shapes[row], row)
    fresh = new.detect(positions, turns, movable, 0.01)
    assert contacts.count == fresh.count > 20
    for mine, yours in zip(contacts.arrays, fresh.arrays, strict=True):
        np.testing.assert_array_equal(mine[: contacts.count], yours[: fresh.count])

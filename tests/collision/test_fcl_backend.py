import gc

import numpy as np
import pytest

from stoss.collision.contacts import Contacts
from stoss.collision.narrow_phase import fcl_backend
from stoss.collision.narrow_phase.fcl_backend import collide_fcl_pairs
from stoss.collision.shapes.faceted import ConvexHull
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import Box, HalfSpace, Sphere

UPRIGHT = [1.0, 0.0, 0.0, 0.0]


def _row_of_boxes(count):
    """Return a table of unit cubes along x with 1 mm between them."""
    table = ShapeTable()
    for body in range(count):
        table.add(Box((1.0, 1.0, 1.0)), body)
    positions = np.zeros((count, 3))
    positions[:, 0] = 1.001 * np.arange(count)
    return table, positions, np.tile(UPRIGHT, (count, 1))


def test_gaps_up_to_the_margin_are_reported_and_no_others():
    """Report contacts across a gap when it is within the margin, though FCL itself reports overlaps only."""
    table, positions, quaternions = _row_of_boxes(4)
    table.update(positions, quaternions, 0.01)
    pairs = np.array([[0, 1], [0, 2], [1, 2], [2, 3]])
    contacts = Contacts(0)
    collide_fcl_pairs(pairs, table, 0.01, contacts)
    assert contacts.count == 12
    assert np.allclose(contacts.gap[:12], 0.001, atol=1e-12)
    assert sorted(set(zip(contacts.shape_a[:12].tolist(), contacts.shape_b[:12].tolist(), strict=True))) == [
        (0, 1),
        (1, 2),
        (2, 3),
    ]
    contacts.count = 0
    collide_fcl_pairs(pairs, table, 0.0005, contacts)
    assert contacts.count == 0
    collide_fcl_pairs(np.zeros((0, 2), np.int64), table, 0.01, contacts)
    assert contacts.count == 0


def test_contacts_are_appended():
    """Keep the contacts that are there and put the new ones behind them, growing the arrays."""
    table, positions, quaternions = _row_of_boxes(3)
    table.update(positions, quaternions, 0.01)
    contacts = Contacts(5)
    collide_fcl_pairs(np.array([[0, 1]]), table, 0.01, contacts)
    first = contacts.copy()
    collide_fcl_pairs(np.array([[1, 2]]), table, 0.01, contacts)
    assert contacts.count == 8
    assert np.array_equal(contacts.point_a[:4], first.point_a)
    assert contacts.body_a[4:8].tolist() == [1] * 4


def test_objects_follow_their_shapes_when_rows_move(monkeypatch):
    """Keep one FCL object per shape when bodies come and go, since FCL leaks those that are dropped."""
    made = []
    original = fcl_backend._geometry
    monkeypatch.setattr(fcl_backend, "_geometry", lambda shape: made.append(shape) or original(shape))
    table, positions, quaternions = _row_of_boxes(4)
    table.shapes[0] = table.shapes[1]  # shared shape objects need an object each as well
    table.update(positions, quaternions, 0.01)
    contacts = Contacts()
    pairs = np.array([[0, 1], [1, 2], [2, 3]])
    for _ in range(3):
        contacts.count = 0
        collide_fcl_pairs(pairs, table, 0.01, contacts)
    assert len(made) == 4
    table.remove_body(1)
    table.update(positions[[0, 2, 3]], quaternions[:3], 0.01)
    contacts.count = 0
    collide_fcl_pairs(np.array([[0, 1], [1, 2]]), table, 0.01, contacts)
    assert contacts.count == 4
    assert set(contacts.shape_a[:4].tolist()) == {1}
    table.add(Sphere(0.5), 3)
    table.update(np.array([[0, 0, 0], [2, 0, 0], [3, 0, 0], [4.0, 0, 0]]), quaternions, 0.01)
    contacts.count = 0
    collide_fcl_pairs(np.array([[2, 3]]), table, 0.01, contacts)
    assert contacts.count == 1
    assert len(made) == 5


def test_tables_are_forgotten():
    """Hold on to no table that nobody else uses."""
    table, positions, quaternions = _row_of_boxes(2)
    table.update(positions, quaternions, 0.01)
    collide_fcl_pairs(np.array([[0, 1]]), table, 0.01, Contacts())
    gc.collect()
    before = len(fcl_backend._solids)
    del table
    gc.collect()
    assert len(fcl_backend._solids) == before - 1


def test_normals_do_not_depend_on_the_order_of_kinds():
    """Point from the second body to the first whichever way FCL swaps the pair."""
    cube = ConvexHull(np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]))
    shapes = [Sphere(0.5), Box((1, 1, 1)), cube]
    for first in shapes:
        for second in shapes:
            for gap in (-0.01, -1e-7, 1e-7, 0.005):
                table = ShapeTable()
                table.add(first, 0)
                table.add(second, 1)
                table.update(
                    np.array([[0.0, 1.0 + gap, 0.0], [0.0, 0.0, 0.0]]), np.tile(UPRIGHT, (2, 1)), 0.01
                )
                contacts = Contacts()
                collide_fcl_pairs(np.array([[0, 1]]), table, 0.01, contacts)
                assert contacts.count >= 1
                assert np.allclose(contacts.normal[: contacts.count], [0.0, 1.0, 0.0], atol=1e-9)
                assert np.allclose(contacts.gap[: contacts.count], gap, atol=1e-12)


def test_shapes_that_fcl_cannot_do_are_refused():
    """Raise for half-spaces: FCL crashes on their distances."""
    table = ShapeTable()
    table.add(HalfSpace(), 0)
    table.add(Sphere(0.5), 1)
    table.update(np.zeros((2, 3)), np.tile(UPRIGHT, (2, 1)), 0.01)
    with pytest.raises(TypeError, match="half-space"):
        collide_fcl_pairs(np.array([[0, 1]]), table, 0.01, Contacts())

"""All narrow phases make room for what they find, however many contacts a pair has."""

import numpy as np
import pytest

from stoss.collision.contacts import Contacts
from stoss.collision.narrow_phase.convex import collide_convex_pairs
from stoss.collision.narrow_phase.fcl_backend import collide_fcl_pairs
from stoss.collision.narrow_phase.half_space import collide_halfspace_pairs
from stoss.collision.narrow_phase.mesh import collide_mesh_pairs
from stoss.collision.narrow_phase.native import collide_native_pairs
from stoss.collision.shapes.faceted import TriangleMesh
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import Box, Cylinder, HalfSpace

COUNT = 40
EIGHTH_TURN = (np.cos(np.pi / 8), 0.0, 0.0, np.sin(np.pi / 8))
FLOOR = TriangleMesh(
    np.array([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [9.0, 9.0, 0.0], [-9.0, 9.0, 0.0]]),
    np.array([[0, 1, 2], [0, 2, 3]]),
)
# what stands on the ground, turned by an eighth against it; eight contacts each
WALKS = {
    "native": (collide_native_pairs, Box((1.0, 1.0, 1.0)), Box((1.0, 1.0, 1.0)), -0.5),
    "convex": (collide_convex_pairs, Box((1.0, 1.0, 1.0)), Box((1.0, 1.0, 1.0)), -0.5),
    "fcl": (collide_fcl_pairs, Box((1.0, 1.0, 1.0)), Box((1.0, 1.0, 1.0)), -0.5),
    "plane": (collide_halfspace_pairs, HalfSpace(), Cylinder(0.5, 1.0), 0.0),
    "mesh": (collide_mesh_pairs, FLOOR, Cylinder(0.5, 1.0), 0.0),
}


@pytest.mark.parametrize("name", WALKS)
def test_pairs_with_more_contacts_than_usual_lose_none(name):
    """Give each of many pairs the contacts that the pair has alone, in order, and keep what was there."""
    collide, ground, body, height = WALKS[name]
    table = ShapeTable()
    table.add(ground, 0)
    for number in range(COUNT):
        table.add(body, number + 1)
    positions = np.zeros((COUNT + 1, 3))
    positions[:, 2] = 0.5
    positions[0, 2] = height
    quaternions = np.tile(EIGHTH_TURN, (COUNT + 1, 1))
    quaternions[0] = 1.0, 0.0, 0.0, 0.0
    table.update(positions, quaternions, 0.01)
    pairs = np.stack([np.zeros(COUNT, np.int64), np.arange(1, COUNT + 1)], axis=1)

    alone = Contacts()
    collide(pairs[:1].copy(), table, 0.01, alone)
    assert alone.count == 8
    together = alone.copy()
    collide(pairs[1:].copy(), table, 0.01, together)
    assert together.count == 8 * COUNT
    assert (together.shape_b[: together.count] == np.repeat(pairs[:, 1], 8)).all()
    for field in ("gap", "point_a", "point_b", "normal", "feature"):
        found = getattr(together, field)[: together.count]
        assert (found.reshape(COUNT, 8, -1) == getattr(alone, field)[:8].reshape(8, -1)).all(), field


def test_no_pairs_leave_contacts_alone():
    """Return at once, and change nothing."""
    for collide, *_ in WALKS.values():
        contacts = Contacts()
        collide(np.empty((0, 2), np.int64), ShapeTable(), 0.01, contacts)
        assert contacts.count == 0

"""Overlaps of curved shapes with known depth, and contacts of tilted caps."""

import numpy as np
import pytest

from stoss.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid
from stoss.collision.contacts import Contacts
from stoss.collision.manifold.manifold import SLACK
from stoss.collision.narrow_phase.convex import collide_convex_pairs
from stoss.collision.shapes.shape_table import ShapeTable

# rounding of a few dozen operations on metres
ROUNDING = 1e-13


def collide(shapes, positions, quaternions, margin=0.01):
    """Return the contacts of two shapes."""
    table = ShapeTable()
    for body, shape in enumerate(shapes):
        table.add(shape, body)
    quaternions = np.array(quaternions, float)
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    table.update(np.array(positions, float), quaternions, margin)
    contacts = Contacts(0)
    collide_convex_pairs(np.array([[0, 1]]), table, margin, contacts)
    return contacts.copy()


def turn(q, v):
    """Return v turned by q."""
    w, u = q[0], np.array(q[1:])
    return v + 2.0 * np.cross(u, np.cross(u, v) + w * v)


def orientations(count, seed):
    """Return upright and random unit quaternions."""
    q = np.random.default_rng(seed).normal(size=(count, 4))
    q[0] = (1.0, 0.0, 0.0, 0.0)
    return q / np.linalg.norm(q, axis=1)[:, None]


@pytest.mark.parametrize("sizes", [(2.9, 2.9, 2.0, 3.0), (0.1, 3.0, 2.0, 0.5), (1.0, 0.2, 0.4, 0.1)])
def test_cylinders_with_one_centre_and_axis_leave_the_shortest_way(sizes):
    """Report min(r + R, h + H), the depth of cylinders whose difference is a cylinder about the origin."""
    r, h, other_r, other_h = sizes
    for q in orientations(20, 1):
        found = collide((Cylinder(r, 2.0 * h), Cylinder(other_r, 2.0 * other_h)), np.zeros((2, 3)), (q, q))
        assert found.count > 0
        assert abs(found.gap.min() + min(r + other_r, h + other_h)) < 10 * ROUNDING


@pytest.mark.parametrize("along", [0.0, 0.3, 0.97])
def test_cylinders_that_touch_side_by_side_do_not_overlap(along):
    """Report no depth for parallel cylinders of any size that touch along their sides."""
    rng = np.random.default_rng(2)
    for q in orientations(40, 3):
        r, h = 10.0 ** rng.uniform(-3.0, 1.5, 2), 10.0 ** rng.uniform(-3.0, 1.5, 2)
        angle = rng.uniform(0.0, 2.0 * np.pi)
        offset = np.array([r.sum() * np.cos(angle), r.sum() * np.sin(angle), along * h.sum()])
        shapes = [Cylinder(r[k], 2.0 * h[k]) for k in range(2)]
        found = collide(shapes, (np.zeros(3), turn(q, offset)), (q, q))
        assert found.count > 0
        assert abs(found.gap.min()) < ROUNDING * (r.max() + h.max())


def test_cones_with_parallel_axes_that_touch_do_not_overlap():
    """Report no depth for a cone whose rim touches the side of another of any size."""
    rng = np.random.default_rng(4)
    for q in orientations(40, 5):
        (r, other_r), (length, other_length) = 10.0 ** rng.uniform(-3.0, 1.5, (2, 2))
        part, angle = rng.uniform(0.1, 0.9), rng.uniform(0.0, 2.0 * np.pi)
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        on_side = out * r * (1.0 - part) + [0.0, 0.0, length * (part - 0.5)]
        position = on_side + out * other_r + [0.0, 0.0, 0.5 * other_length]
        shapes = (Cone(r, length), Cone(other_r, other_length))
        found = collide(shapes, (np.zeros(3), turn(q, position)), (q, q))
        assert found.count > 0
        # a base within 0.02 rad of the side replaces it, and is widened by SLACK of its diameter
        widened = 0.02 * SLACK * 2.0 * max(r, other_r)
        assert abs(found.gap.min()) < ROUNDING * (r + length + other_r + other_length) + widened


@pytest.mark.parametrize("radius", [0.35, 3.0])
def test_a_cylinder_in_the_middle_of_a_ball_leaves_sideways(radius):
    """Report R + min(r, h) for a cylinder whose centre is that of a round ellipsoid."""
    for q in orientations(20, 6):
        for r, h in ((0.02, 0.06), (0.3, 0.1)):
            found = collide((Cylinder(r, 2.0 * h), Ellipsoid((radius,) * 3)), np.zeros((2, 3)), (q, q))
            assert abs(found.gap.min() + radius + min(r, h)) < 10 * ROUNDING


@pytest.mark.parametrize("tilt", [1e-3, 0.01, 0.1, 0.4, 0.7])
def test_contacts_of_tilted_caps_lie_on_both_caps(tilt):
    """Give points of the tilted cap and of the flat one, also where their rims cross."""
    rng = np.random.default_rng(7)
    crossings = 0
    for _ in range(60):
        r, other = rng.uniform(0.3, 1.0, 2)
        axis = rng.uniform(0.0, 2.0 * np.pi)
        q = np.array(
            [np.cos(0.5 * tilt), np.sin(0.5 * tilt) * np.cos(axis), np.sin(0.5 * tilt) * np.sin(axis), 0.0]
        )
        flat = np.array([rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), 0.0]) * r
        # the lowest point of the tilted cap is 1 mm over the flat one, or 1 mm inside
        reach = 0.5 * np.cos(tilt) + other * np.sin(tilt)
        position = flat + [0.0, 0.0, 0.5 + reach + rng.choice([-1e-3, 1e-3])]
        found = collide(
            (Cylinder(other, 1.0), Cylinder(r, 1.0)), (position, np.zeros(3)), (q, (1, 0, 0, 0)), 0.5
        )
        back = q * [1.0, -1.0, -1.0, -1.0]
        on_a = np.array([turn(back, p - position) for p in found.point_a])
        if abs(found.normal[:, 2] - 1.0).max() > ROUNDING:  # the lowest point lies beside the flat cap
            continue
        slack = SLACK * 2.0 * r  # by which the reference face is widened
        assert np.hypot(found.point_b[:, 0], found.point_b[:, 1]).max() <= r + slack
        assert abs(found.point_b[:, 2] - 0.5).max() < ROUNDING
        assert np.hypot(on_a[:, 0], on_a[:, 1]).max() <= other + slack
        assert abs(on_a[:, 2] + 0.5).max() <= slack
        crossings += ((found.feature & 3) == 3).sum()
    assert crossings > 10


def test_a_box_and_a_hull_with_one_centre_leave_the_shortest_way():
    """Find the depth of boxes whose difference is a box."""
    rng = np.random.default_rng(8)
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    for q in orientations(60, 9):
        half, other = rng.uniform(0.05, 1.0, (2, 3))
        found = collide((Box(2.0 * half), ConvexHull(corners * other)), np.zeros((2, 3)), (q, q))
        assert abs(found.gap.min() + (half + other).min()) < 10 * ROUNDING


def test_a_line_beside_a_face_has_a_number_of_its_own():
    """Number the contact along the given normal apart from those on the face that replaced it."""
    shapes = (Capsule(21.30537277, 2.0 * 28.63745964), Cylinder(0.00430146, 2.0 * 0.00441727))
    positions = ((-20.80501744, 0.85259612, 0.4135729), (0.50477311, 0.85259612, 0.4135729))
    quaternions = ((0.0, 0.0, 1.0, 0.0), (6.30945621e-05, 7.07144667e-01, -5.51380193e-05, -7.07068888e-01))
    found = collide(shapes, positions, quaternions, 5e-3)
    assert found.count == 3
    assert len(set(found.feature.tolist())) == 3

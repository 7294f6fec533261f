"""Contacts of two shapes at given poses, for the tests."""

import numpy as np

from stoss.collision.detector import Detector

IDENTITY = (1.0, 0.0, 0.0, 0.0)


def about(axis, angle):
    """Return the quaternion of a rotation by an angle [rad] about an axis."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])


def collide(shape_a, pose_a, shape_b, pose_b, margin, backend="native"):
    """Return a copy of the contacts; a pose is (position, quaternion)."""
    detector = Detector(backend)
    detector.add_shape(shape_a, 0)
    detector.add_shape(shape_b, 1)
    positions = np.array([pose_a[0], pose_b[0]], float)
    quaternions = np.array([pose_a[1], pose_b[1]], float)
    return detector.detect(positions, quaternions, np.ones(2, bool), margin).copy()


def check_identities(contacts, margin):
    """Check what holds for all contacts: unit normals, points differing by gap * normal, margin."""
    n = contacts.count
    for name in ("point_a", "point_b", "normal", "gap", "radius_a", "radius_b"):
        assert np.isfinite(getattr(contacts, name)[:n]).all(), name
    np.testing.assert_allclose(np.linalg.norm(contacts.normal[:n], axis=1), 1.0, atol=1e-14)
    difference = contacts.point_a[:n] - contacts.point_b[:n]
    size = 1.0 + np.abs(contacts.point_a[:n]).max(initial=0.0)
    np.testing.assert_allclose(difference, contacts.gap[:n, None] * contacts.normal[:n], atol=4e-15 * size)
    assert (contacts.gap[:n] <= margin).all()
    columns = (contacts.shape_a, contacts.shape_b, contacts.feature)
    keys = set(zip(*(column[:n].tolist() for column in columns), strict=True))
    assert len(keys) == n, "two contacts of one pair share a feature"

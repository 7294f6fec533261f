"""Start poses of scenes against plain matrix algebra."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from stoss.collision.quaternions import rotation
from stoss.scenes.building.poses import lattice, multiply, random_quaternions

ANGLES = st.floats(-10.0, 10.0)
AXES = st.sampled_from([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])


def _matrix(quaternion):
    w, x, y, z = quaternion
    return Rotation.from_quat([x, y, z, w]).as_matrix()


@given(AXES, ANGLES)
def test_rotation_turns_by_the_angle(axis, angle):
    """Equal the rotation matrix of axis and angle to rounding."""
    expected = Rotation.from_rotvec(np.array(axis) * angle).as_matrix()
    np.testing.assert_allclose(_matrix(rotation(axis, angle)), expected, atol=1e-14)


@given(AXES, ANGLES, AXES, ANGLES)
def test_product_is_the_second_turn_after_the_first(axis_p, angle_p, axis_q, angle_q):
    """Equal the product of the matrices to rounding."""
    p, q = rotation(axis_p, angle_p), rotation(axis_q, angle_q)
    np.testing.assert_allclose(_matrix(multiply(p, q)), _matrix(p) @ _matrix(q), atol=1e-14)


def test_random_orientations_are_unit_and_uniform():
    """Have length one, and a mean square of 1/4 in each component, as uniform rotations have."""
    quaternions = random_quaternions(np.random.default_rng(1), 20000)
    np.testing.assert_allclose(np.linalg.norm(quaternions, axis=1), 1.0, atol=1e-15)
    # Var(x^2) = 1/24 - 1/16 + ... <= 1/12; five standard errors of the mean over 20000 samples
    np.testing.assert_allclose((quaternions**2).mean(axis=0), 0.25, atol=5 * math.sqrt(1 / 12 / 20000))


@given(st.integers(1, 300), st.integers(1, 6), st.floats(0.1, 3.0), st.floats(-2.0, 2.0))
def test_lattice_points_keep_their_distance(count, columns, spacing, lowest):
    """Give that many points, none lower than `lowest`, no two closer than `spacing`."""
    points = lattice(count, columns, spacing, lowest)
    assert points.shape == (count, 3)
    assert points[:, 2].min() == lowest
    assert np.abs(points[:, :2]).max() <= 0.5 * (columns - 1) * spacing + 1e-12
    cells = np.round((points - points[0]) / spacing).astype(int)
    np.testing.assert_allclose(cells * spacing, points - points[0], atol=1e-9)
    assert len(np.unique(cells, axis=0)) == count

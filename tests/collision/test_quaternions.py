"""Quaternions as plain numbers against the kernels, to the bit, and against matrices."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from stoss.collision import algebra
from stoss.collision.plain_numbers import finite_array, plain_floats
from stoss.collision.quaternions import conjugate, length, matrix, multiply, rotate, rotation

NUMBERS = st.floats(-10.0, 10.0)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
QUATERNIONS = st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
AXES = st.sampled_from([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.6, -0.8)])


@given(QUATERNIONS, QUATERNIONS, VECTORS)
def test_same_bits_as_the_kernels(p, q, v):
    """Add terms in the order of the kernels: an angle or a point is the same wherever it is computed."""
    assert multiply(p, q) == algebra.quaternion_multiply(*p, *q)
    assert rotate(q, v) == algebra.rotate(q, *v)
    assert rotate(conjugate(q), v) == algebra.rotate_inverse(q, *v)
    assert sum(matrix(q), ()) == algebra.matrix_from_quaternion(q)
    assert length(v) == algebra.norm(*v)


@given(AXES, NUMBERS, AXES, NUMBERS)
def test_turns_are_those_of_matrices(axis, angle, other_axis, other_angle):
    """Equal the rotation matrices of axis and angle, and their product, to rounding."""
    p, q = rotation(axis, angle), rotation(other_axis, other_angle)
    first = Rotation.from_rotvec(np.array(axis) * angle).as_matrix()
    second = Rotation.from_rotvec(np.array(other_axis) * other_angle).as_matrix()
    np.testing.assert_allclose(matrix(p), first, atol=1e-14)
    np.testing.assert_allclose(matrix(multiply(p, q)), first @ second, atol=1e-14)
    np.testing.assert_allclose(rotate(p, other_axis), first @ other_axis, atol=1e-14)
    np.testing.assert_allclose(rotate(conjugate(p), rotate(p, other_axis)), other_axis, atol=1e-14)


def test_plain_numbers():
    """Take tuples, lists and arrays of numbers; leave what is not plain to the thorough check."""
    for value in ((1, 2.0, 3), [1, 2, 3], np.array([1.0, 2.0, 3.0]), (np.float64(1), 2, np.int64(3))):
        assert plain_floats(value, 3) == (1.0, 2.0, 3.0)
        assert set(map(type, plain_floats(value, 3))) == {float}
    for value in (
        (1, 2),
        (1, 2, np.nan),
        (1, np.inf, -np.inf),
        "123",
        None,
        (1, 2, "3"),
        np.eye(3),
        {1, 2, 3},
    ):
        assert plain_floats(value, 3) is None
    large = (1e308, 1e308, 1e308)  # their sum overflows
    assert plain_floats(large, 3) is None and finite_array("large", large, (3,)).tolist() == list(large)

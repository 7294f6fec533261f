"""Results are arrays that cannot be written, say what to do instead, and are plain to use."""

import copy
import pickle

import numpy as np
import pytest

from stoss.collision.read_only import ReadOnly, read_only


def result() -> np.ndarray:
    """Return a read-only result."""
    return read_only(np.array([1.0, 2.0, 3.0]), "assign body.position")


@pytest.mark.parametrize(
    "write",
    [
        lambda r: r.__setitem__(0, 5.0),
        lambda r: r.__setitem__(slice(None), 0.0),
        lambda r: r[1:].__setitem__(0, 5.0),
        lambda r: r.fill(0.0),
        lambda r: r.sort(),
    ],
)
def test_elements_cannot_be_assigned(write):
    """Refuse with what to do in its place, and keep the values."""
    numbers = result()
    with pytest.raises(ValueError, match="read-only"):
        write(numbers)
    with pytest.raises(ValueError, match=r"read-only result cannot be assigned; assign body.position"):
        numbers[0] = 7.0
    with pytest.raises(ValueError, match="read-only"):
        np.add(numbers, 1.0, out=numbers)
    assert numbers.tolist() == [1.0, 2.0, 3.0]


def test_what_is_computed_is_plain():
    """Return plain arrays and numbers from all that is computed, copied and pickled."""
    numbers = result()
    for made in (
        numbers + 1.0,
        2.0 * numbers,
        -numbers,
        np.cross(numbers, (0, 0, 1)),
        np.stack([numbers] * 2),
        numbers.copy(),
        copy.copy(numbers),
        copy.deepcopy(numbers),
        np.array(numbers),
        pickle.loads(pickle.dumps(numbers)),
        numbers.astype(np.float32),
        np.sqrt(numbers),
        numbers == 1.0,
    ):
        assert type(made) is np.ndarray and made.flags.writeable
    for scalar in (numbers[0], numbers.sum(), numbers @ numbers, np.linalg.norm(numbers), numbers.max()):
        assert isinstance(scalar, np.float64)
    assert repr(numbers) == "array([1., 2., 3.])" and f"{numbers}" == "[1. 2. 3.]"
    x, y, z = numbers
    assert (x, y, z) == (1.0, 2.0, 3.0) and isinstance(numbers, ReadOnly)


def test_in_place_operators_make_new_arrays():
    """Let += work as with numbers: the name gets a new array, and the old one stays."""
    before = numbers = result()
    numbers += 1.0
    numbers *= 2.0
    assert type(numbers) is np.ndarray and numbers.tolist() == [4.0, 6.0, 8.0]
    assert before.tolist() == [1.0, 2.0, 3.0]

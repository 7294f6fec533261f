"""Sorting in kernels, against numpy."""

import numpy as np
import pytest

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.sorting import place_among, sort_numbers
from stoss.collision.kernels.types import Ints


@kernel
def sort(values: Ints, begin: int, end: int) -> None:
    sort_numbers(values, begin, end)


@kernel
def find(values: Ints, begin: int, end: int, value: int) -> int:
    return place_among(values, begin, end, value)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 12, 41, 400, 5000])
def test_numbers_are_sorted_and_found(count):
    """Sort a part and leave the rest; find numbers that are there, and those that are not."""
    random = np.random.default_rng(count)
    values = random.integers(0, max(count, 2), count + 7)
    wanted = values.copy()
    wanted[3 : 3 + count].sort()
    sort(values, 3, 3 + count)
    assert values.tolist() == wanted.tolist()
    for value in range(-1, count + 1, max(count // 30, 1)):
        place = 3 + np.searchsorted(values[3 : 3 + count], value)
        assert find(values, 3, 3 + count, value) == place

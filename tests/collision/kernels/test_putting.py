"""What is put into memory stands there, whatever stood there before."""

import numpy as np
import pytest

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.putting import put
from stoss.collision.kernels.types import Floats


@kernel
def _put_all(array: Floats, values: Floats) -> None:
    for i in range(len(array)):
        put(array, i, values[i])


@pytest.mark.parametrize("before", [0.0, 1.5, np.inf, np.nan])
def test_the_value_stands_there_whatever_stood_there_before(before):
    """Put numbers, infinities and what is no number into memory of each."""
    values = np.array([0.0, 1.5, -2.0, np.inf, -np.inf, np.nan])
    array = np.full(6, before)
    _put_all(array, values)
    np.testing.assert_array_equal(array, values)

"""Numbers that users give, as plain floats: no numpy where three numbers are checked ten thousand times."""

from math import isfinite
from typing import Any

import numpy as np

__all__ = ["finite_floats", "plain_floats"]

_FLOAT64 = np.dtype(np.float64)
_NUMBERS = frozenset((float, int, np.float64, np.int64))


def plain_floats(value: Any, length: int) -> tuple[float, ...] | None:
    """Return `value` as finite floats if it plainly is that many numbers.

    Args:
        value: a tuple, list or array of numbers.
        length: how many.

    Returns:
        None if it is anything else: then a thorough check takes it as it may be meant, or says what is wrong.
    """
    if type(value) is np.ndarray and value.dtype is _FLOAT64 and value.ndim == 1:
        numbers = tuple(value.tolist())
    elif type(value) in (tuple, list) and _NUMBERS.issuperset(map(type, value)):
        numbers = tuple(map(float, value))
    else:
        return None
    total = 0.0
    for x in numbers:
        total += x
    # NaN and infinity stay in a sum; one that overflows is left to the thorough check too
    return numbers if len(numbers) == length and isfinite(total) else None


def finite_floats(value: Any, length: int) -> tuple[float, ...] | None:
    """Return whatever numpy takes for that many finite numbers as floats, None if it does not.

    Raises:
        TypeError, ValueError: not numbers.
    """
    numbers = plain_floats(value, length)
    if numbers is None:
        array = np.array(value, dtype=np.float64)
        if array.shape == (length,) and np.isfinite(array).all():
            numbers = tuple(array.tolist())
    return numbers

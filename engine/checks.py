"""Checks of values that come from the user: an error at once that names argument, value and cure."""

from typing import Any

import numpy as np

__all__ = ["choice", "non_negative", "positive", "quaternion", "vector"]

UNIT_TOLERANCE = 1e-6  # largest |q| - 1 that is taken as rounding and normalised away


def vector(name: str, value: Any, length: int = 3) -> np.ndarray:
    """Return `value` as a new array of `length` finite numbers.

    Raises:
        ValueError: another shape, or a value that is not finite.
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} = {value!r} must be {length} numbers") from error
    if array.shape != (length,):
        raise ValueError(f"{name} = {value!r} must be {length} numbers, not of shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} = {value!r} has a value that is not finite; give finite numbers")
    return array


def quaternion(name: str, value: Any) -> np.ndarray:
    """Return `value` as a unit quaternion (w, x, y, z).

    Raises:
        ValueError: not four finite numbers, or not of unit length.
    """
    array = vector(name, value, 4)
    length = float(np.linalg.norm(array))
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise ValueError(
            f"{name} = {value!r} has length {length:.6g}; divide it by its length "
            "(order is w, x, y, z; (1, 0, 0, 0) is no rotation)"
        )
    return array / length


def positive(name: str, value: Any, unit: str) -> float:
    """Return `value` as a float above zero.

    Raises:
        ValueError: not a number, not finite, zero or negative.
    """
    number = float(value)
    if not np.isfinite(number) or number <= 0.0:
        raise ValueError(f"{name} = {value!r} {unit} must be finite and above zero")
    return number


def non_negative(name: str, value: Any, unit: str) -> float:
    """Return `value` as a float of at least zero.

    Raises:
        ValueError: not a number, not finite or negative.
    """
    number = float(value)
    if not np.isfinite(number) or number < 0.0:
        raise ValueError(f"{name} = {value!r} {unit} must be finite and not negative")
    return number


def choice(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return `value`, which must be one of `allowed`.

    Raises:
        ValueError: it is not.
    """
    if value not in allowed:
        raise ValueError(f"{name} = {value!r} is unknown; choose one of {', '.join(allowed)}")
    return value

"""Orientations as users give them: quaternions (w, x, y, z), or scipy's `Rotation`, of unit length."""

from typing import Any

import numpy as np

from stoss.collision.plain_numbers import finite_array, float_array, plain_floats, shown
from stoss.collision.quaternions import Quaternion, length

__all__ = ["turns_of", "unit_quaternion"]

UNIT_TOLERANCE = 1e-6  # largest |q| - 1 that is taken as rounding and normalised away


def turns_of(value: Any) -> Any:
    """Return the quaternions (4,) or (n, 4) of scipy's `Rotation`, anything else as it is.

    scipy is not imported for it: a rotation is known by what it can do.
    """
    if callable(getattr(value, "as_quat", None)) and not isinstance(value, type):
        return np.asarray(value.as_quat(scalar_first=True))
    return value


def unit_quaternion(name: str, value: Any) -> Quaternion:
    """Return an orientation as a unit quaternion (w, x, y, z) of four floats.

    Args:
        name: what it is called in messages.
        value: four numbers, or scipy's `Rotation`.

    Raises:
        TypeError, ValueError: not four finite numbers, or not of unit length.
    """
    numbers = plain_floats(value, 4)
    if numbers is None:
        numbers = _four(name, value)
    w, x, y, z = numbers
    size = length((w, x, y, z))
    if not abs(size - 1.0) <= UNIT_TOLERANCE:
        raise ValueError(
            f"{name} = {shown(value)} has length {size:.6g}; divide it by its length "
            "(order is w, x, y, z; (1, 0, 0, 0) is no rotation)"
        )
    return w / size, x / size, y / size, z / size


def _four(name: str, value: Any) -> tuple[float, ...]:
    cure = "; stoss.rotation makes quaternions of axes, angles and matrices"
    try:
        found = float_array(turns_of(value))
    except TypeError:
        raise TypeError(f"{name} = {shown(value)} must be 4 numbers (w, x, y, z){cure}") from None
    if found.shape != (4,):
        raise ValueError(
            f"{name} = {shown(value)} has shape {found.shape}; give 4 numbers (w, x, y, z){cure}"
        )
    return tuple(finite_array(name, found, (4,)).tolist())

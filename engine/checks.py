"""Checks of values that come from the user: an error at once that names argument, value and cure."""

from math import inf
from typing import Any

import numpy as np

from stoss.collision.plain_numbers import plain_floats
from stoss.collision.quaternions import Quaternion, Vector, length

__all__ = [
    "array",
    "bits",
    "choice",
    "positive",
    "quaternion",
    "reach",
    "rows",
    "rows_or_row",
    "triple",
    "unit_quaternion",
    "unit_quaternions",
    "vector",
]

UNIT_TOLERANCE = 1e-6  # largest |q| - 1 that is taken as rounding and normalised away


def array(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return `value` as a new array of finite numbers; -1 in `shape` stands for any length.

    Raises:
        TypeError: not numbers.
        ValueError: another shape, or a value that is not finite.
    """
    wanted = f"{shape[0]} numbers" if len(shape) == 1 else f"numbers of shape {shape}".replace("-1", "n")
    try:
        out = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} = {value!r} must be {wanted}") from error
    fits = out.ndim == len(shape) and all(
        want in (-1, have) for want, have in zip(shape, out.shape, strict=True)
    )
    if not fits:
        given = " ".join(repr(value).split())
        raise ValueError(f"{name} = {given} has shape {out.shape}; give {wanted}")
    if not np.isfinite(out).all():
        raise ValueError(f"{name} = {out.tolist()} holds NaN or infinity; give finite numbers")
    return out


def vector(name: str, value: Any, length: int = 3) -> np.ndarray:
    """Return `value` as a new array of `length` finite numbers; raises as `array` does."""
    return array(name, value, (length,))


def triple(name: str, value: Any) -> Vector:
    """Return `value` as three finite floats; raises as `array` does."""
    numbers = plain_floats(value, 3)
    x, y, z = array(name, value, (3,)).tolist() if numbers is None else numbers
    return x, y, z


def unit_quaternion(name: str, value: Any) -> Quaternion:
    """Return `value` as a unit quaternion (w, x, y, z) of four floats.

    Raises:
        TypeError, ValueError: not four finite numbers, or not of unit length.
    """
    numbers = plain_floats(value, 4)
    w, x, y, z = array(name, value, (4,)).tolist() if numbers is None else numbers
    size = length((w, x, y, z))
    if abs(size - 1.0) > UNIT_TOLERANCE:
        raise ValueError(
            f"{name} = {value!r} has length {size:.6g}; divide it by its length "
            "(order is w, x, y, z; (1, 0, 0, 0) is no rotation)"
        )
    return w / size, x / size, y / size, z / size


def rows(name: str, value: Any, count: int | None, width: int, *, repeat: bool = False) -> np.ndarray:
    """Return `value` as a new array (n, width) of finite numbers.

    Args:
        name: what it is called in messages.
        value: what the user gave.
        count: n, None for any number of rows.
        width: numbers in a row.
        repeat: one row stands for as many equal ones.

    Raises:
        TypeError: not numbers.
        ValueError: another shape, or a row that is not finite, which is named.
    """
    wanted = f"numbers of shape ({'n' if count is None else count}, {width})"
    try:
        out = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be {wanted}") from error
    if repeat and out.shape == (width,):
        out = np.tile(out, (count or 0, 1))
    if out.ndim != 2 or out.shape != (len(out) if count is None else count, width):
        raise ValueError(f"{name} has shape {out.shape}; give {wanted}")
    bad = np.flatnonzero(~np.isfinite(out).all(axis=1))
    if len(bad):
        raise ValueError(
            f"{name}[{bad[0]}] = {out[bad[0]].tolist()} holds NaN or infinity; give finite numbers"
        )
    return out


def rows_or_row(name: str, value: Any, width: int) -> np.ndarray:
    """Return `value` as finite numbers (n, width), (1, width) for one row; raises as `rows` does."""
    single = np.ndim(value) == 1 if not isinstance(value, str) else False
    return array(name, value, (width,))[None] if single else rows(name, value, None, width)


def reach(name: str, value: Any) -> np.ndarray:
    """Return how far something reaches [m], one number or several, which may be infinite.

    Raises:
        TypeError: no numbers.
        ValueError: one is negative or NaN.
    """
    try:
        out = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} = {value!r} must be a distance of 0 or more [m]") from error
    if isinstance(value, str) or value is None or out.ndim > 1:
        raise TypeError(f"{name} = {value!r} must be a distance of 0 or more [m]")
    if not (out >= 0.0).all():
        raise ValueError(f"{name} = {value!r} must be a distance of 0 or more [m]")
    return out


def bits(name: str, value: Any) -> int:
    """Return `value` as a whole number whose 64 bits name groups.

    Raises:
        TypeError: no whole number.
        ValueError: it has more bits.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} = {value!r} must be a whole number, whose bits name groups")
    if not -(2**63) <= int(value) < 2**64:
        raise ValueError(f"{name} = {value!r} has more than 64 bits, which name groups; -1 has all of them")
    number = int(value)
    return number - 2**64 if number >= 2**63 else number


def unit_quaternions(name: str, value: Any, count: int, *, repeat: bool = False) -> np.ndarray:
    """Return `value` as unit quaternions (count, 4), each as `unit_quaternion` returns it; see `rows`.

    Raises:
        TypeError, ValueError: see `rows`, or a row that is not of unit length, which is named.
    """
    out = rows(name, value, count, 4, repeat=repeat)
    w, x, y, z = out.T
    sizes = np.sqrt(w * w + x * x + y * y + z * z)
    for i in np.flatnonzero(~(np.abs(sizes - 1.0) <= UNIT_TOLERANCE)):
        unit_quaternion(f"{name}[{i}]", out[i].tolist())
    return out / sizes[:, None]


def quaternion(name: str, value: Any) -> np.ndarray:
    """Return `value` as a unit quaternion (4,); raises as `unit_quaternion` does."""
    return np.array(unit_quaternion(name, value))


def positive(name: str, value: Any, unit: str) -> float:
    """Return `value` as a float above zero.

    Raises:
        TypeError: not a number.
        ValueError: not finite, zero or negative.
    """
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} = {value!r} must be a finite number above zero [{unit}]") from error
    if not 0.0 < number < inf:
        raise ValueError(f"{name} = {value!r} must be a finite number above zero [{unit}]")
    return number


def choice(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return `value`, which must be one of `allowed`.

    Raises:
        ValueError: it is not.
    """
    if value not in allowed:
        raise ValueError(f"{name} = {value!r} is unknown; choose one of {', '.join(allowed)}")
    return value

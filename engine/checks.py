"""Checks of values that come from the user: an error at once that names argument, value and cure.

Numbers, switches and choices by the one rule of `stoss.collision.plain_numbers`; here what is made of them.
"""

from typing import Any

import numpy as np

from stoss.collision.orientations import UNIT_TOLERANCE, turns_of, unit_quaternion
from stoss.collision.plain_numbers import (
    bits,
    choice,
    finite_array,
    flag,
    number,
    plain_floats,
    shown,
    whole,
)
from stoss.collision.plain_numbers import float_array as numbers_of
from stoss.collision.quaternions import Vector

__all__ = [
    "array",
    "bits",
    "choice",
    "flag",
    "float_array",
    "instance",
    "mass",
    "number",
    "positive",
    "quaternion",
    "reach",
    "rows",
    "rows_or_row",
    "shown",
    "text",
    "triple",
    "unit_quaternion",
    "unit_quaternions",
    "vector",
    "whole",
]
LIGHTEST, HEAVIEST = 1e-60, 1e60  # [kg] of bodies

array = finite_array


def vector(name: str, value: Any, length: int = 3, cure: str = "") -> np.ndarray:
    """Return `value` as a new array of `length` finite numbers; raises as `array` does, telling the cure."""
    return array(name, value, (length,), cure)


def gravity(value: Any) -> np.ndarray:
    """Return gravity (3,) [m/s^2]; raises as `array` does."""
    return vector("gravity", value, cure=", downwards (0, 0, -9.81)")


def triple(name: str, value: Any) -> Vector:
    """Return `value` as three finite floats; raises as `array` does."""
    numbers = plain_floats(value, 3)
    x, y, z = array(name, value, (3,)).tolist() if numbers is None else numbers
    return x, y, z


def float_array(name: str, value: Any, wanted: str) -> np.ndarray:
    """Return `value` as a new array of numbers of any shape; `wanted` says which, in the error."""
    try:
        return numbers_of(value)
    except TypeError:
        raise TypeError(f"{name} must be {wanted}, not {shown(value)}") from None


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
    out = float_array(name, value, wanted)
    if repeat and out.shape == (width,):
        out = np.tile(out, (count or 0, 1))
    if out.ndim != 2 or out.shape != (len(out) if count is None else count, width):
        raise ValueError(f"{name} has shape {out.shape}; give {wanted}, not {shown(value)}")
    bad = np.flatnonzero(~np.isfinite(out).all(axis=1))
    if len(bad):
        raise ValueError(
            f"{name}[{bad[0]}] = {out[bad[0]].tolist()} holds NaN or infinity; give finite numbers"
        )
    return out


def rows_or_row(name: str, value: Any, width: int) -> np.ndarray:
    """Return `value` as finite numbers (n, width), (1, width) for one row; raises as `rows` does."""
    out = float_array(name, value, f"{width} numbers, or rows of {width}")
    return array(name, value, (width,))[None] if out.ndim == 1 else rows(name, value, None, width)


def reach(name: str, value: Any) -> np.ndarray:
    """Return how far something reaches [m], one number or several, which may be infinite.

    Raises:
        TypeError: no numbers.
        ValueError: one is negative or NaN.
    """
    wanted = "a distance of 0 or more [m]"
    out = float_array(name, value, wanted)
    if out.ndim > 1:
        raise ValueError(f"{name} has shape {out.shape}; give {wanted}, or one for each, not {shown(value)}")
    if not (out >= 0.0).all():
        raise ValueError(f"{name} = {shown(value)} must be {wanted}")
    return out


def unit_quaternions(name: str, value: Any, count: int, *, repeat: bool = False) -> np.ndarray:
    """Return `value` as unit quaternions (count, 4), each as `unit_quaternion` returns it; see `rows`.

    Raises:
        TypeError, ValueError: see `rows`, or a row that is not of unit length, which is named.
    """
    turns = turns_of(value)
    try:
        out = rows(name, turns, count, 4, repeat=repeat)
    except ValueError as error:
        raise ValueError(str(error) if turns is value else f"{error}; from {shown(value)}") from None
    w, x, y, z = out.T
    sizes = np.sqrt(w * w + x * x + y * y + z * z)
    for i in np.flatnonzero(~(np.abs(sizes - 1.0) <= UNIT_TOLERANCE)):
        unit_quaternion(f"{name}[{i}]", out[i].tolist())
    return out / sizes[:, None]


def quaternion(name: str, value: Any) -> np.ndarray:
    """Return `value` as a unit quaternion (4,); raises as `unit_quaternion` does."""
    return np.array(unit_quaternion(name, value))


def positive(name: str, value: Any, unit: str) -> float:
    """Return `value` as a float above zero; raises as `number` does."""
    return number(name, value, unit, above=0.0)


def mass(name: str, value: Any) -> float:
    """Return a mass [kg] above zero, whose moments of inertia and what is divided by them are floats too."""
    cure = '; what never moves is kind="static"' if isinstance(value, int | float) and value == 0 else ""
    above_zero = number(name, value, "kg", above=0.0, cure=cure)
    return number(name, above_zero, "kg", least=LIGHTEST, most=HEAVIEST)


def text(name: str, value: Any) -> str:
    """Return `value`, which must be a string.

    Raises:
        TypeError: it is not.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} = {shown(value)} must be a string")
    return value


def instance(name: str, value: Any, of: type, such_as: str) -> Any:
    """Return `value`, which must be of a class.

    Raises:
        TypeError: it is not; `such_as` says what to give.
    """
    if not isinstance(value, of):
        article = "an" if of.__name__[0] in "AEIO" else "a"
        raise TypeError(f"{name} = {shown(value)} must be {article} {of.__name__}, such as {such_as}")
    return value

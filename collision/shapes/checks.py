"""Checks of the numbers that shapes are given."""

from collections.abc import Sequence
from math import inf

import numpy as np

from stoss.collision.plain_numbers import plain_floats

__all__ = ["finite_array", "finite_numbers", "positive", "positive_triple"]


def positive(owner: str, name: str, value: float) -> float:
    """Return a length [m] above zero.

    Raises:
        ValueError: it is no such number; the message names `owner` and `name`.
    """
    number = float(value)
    if not 0.0 < number < inf:
        raise ValueError(f"{owner}: {name} is {value!r}; give a finite length above zero [m]")
    return number


def positive_triple(owner: str, name: str, value: Sequence[float]) -> tuple[float, float, float]:
    """Return three lengths [m] above zero; errors as for `positive`."""
    x, y, z = finite_numbers(owner, name, value, 3)
    if not (x > 0.0 and y > 0.0 and z > 0.0):
        raise ValueError(f"{owner}: {name} is {value!r}; give three finite lengths above zero [m]")
    return x, y, z


def finite_numbers(owner: str, name: str, value: object, length: int) -> tuple[float, ...]:
    """Return that many finite floats; errors as for `positive`."""
    numbers = plain_floats(value, length)
    return tuple(finite_array(owner, name, value, (length,)).tolist()) if numbers is None else numbers


def finite_array(owner: str, name: str, value: object, shape: tuple[int, ...]) -> np.ndarray:
    """Return a finite float64 copy; -1 in `shape` stands for any length. Errors as for `positive`."""
    array = np.array(value, dtype=np.float64)
    fits = array.ndim == len(shape) and all(
        want in (-1, have) for want, have in zip(shape, array.shape, strict=True)
    )
    if not fits:
        wanted = str(shape).replace("-1", "n")
        raise ValueError(f"{owner}: {name} has shape {array.shape}; give an array of shape {wanted}")
    if not np.isfinite(array).all():
        raise ValueError(f"{owner}: {name} holds NaN or infinity; give finite numbers")
    return array

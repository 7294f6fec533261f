"""Checks of the numbers that shapes are given, by the one rule of `plain_numbers`."""

from typing import Any

import numpy as np

from stoss.collision.plain_numbers import finite_array as _finite_array
from stoss.collision.plain_numbers import number, plain_floats, shown

__all__ = [
    "LARGEST",
    "SMALLEST",
    "mesh_corners",
    "finite_array",
    "finite_numbers",
    "positive",
    "positive_triple",
    "triangles",
    "with_area",
]

# Lengths [m] of shapes: with others, volumes and moments of inertia (fifth powers), or ratios of them, are no
# floats any more.
SMALLEST, LARGEST = 1e-12, 1e12


def positive(owner: str, name: str, value: Any) -> float:
    """Return a length [m] above zero.

    Raises:
        TypeError, ValueError: it is no such number; the message names `owner` and `name`.
    """
    if type(value) is float and SMALLEST <= value <= LARGEST:
        return value
    found = number(f"{owner}: {name}", value, "m", above=0.0)
    return number(f"{owner}: {name}", found, "m", least=SMALLEST, most=LARGEST)


def positive_triple(owner: str, name: str, value: Any) -> tuple[float, float, float]:
    """Return three lengths [m] above zero; errors as for `positive`."""
    x, y, z = finite_numbers(owner, name, value, 3)
    if not (x > 0.0 and y > 0.0 and z > 0.0):
        raise ValueError(f"{owner}: {name} = {shown(value)} must be three lengths above zero [m]")
    if not (SMALLEST <= min(x, y, z) and max(x, y, z) <= LARGEST):
        raise ValueError(
            f"{owner}: {name} = {shown(value)} must be three lengths of {SMALLEST:g} to {LARGEST:g} m"
        )
    return x, y, z


def finite_numbers(owner: str, name: str, value: Any, length: int) -> tuple[float, ...]:
    """Return that many finite floats; errors as for `positive`."""
    numbers = plain_floats(value, length)
    return tuple(finite_array(owner, name, value, (length,)).tolist()) if numbers is None else numbers


def finite_array(owner: str, name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return a finite float64 copy; -1 in `shape` stands for any length. Errors as for `positive`."""
    return _finite_array(f"{owner}: {name}", value, shape)


def mesh_corners(owner: str, value: Any, what: str, *, least: int = 1) -> np.ndarray:
    """Return corners (n, 3) [m], `least` of them at least, within the lengths that shapes may have.

    Raises:
        TypeError, ValueError: as for `positive`; `what` says what is wanted.
    """
    found = finite_array(owner, "vertices", value, (-1, 3))
    if len(found) < least:
        raise ValueError(f"{owner}: vertices = {shown(value)} are {len(found)}; give {what}")
    if np.abs(found).max() > LARGEST:
        raise ValueError(f"{owner}: vertices = {shown(value)} reach beyond {LARGEST:g} m; check the units")
    return found


def triangles(name: str, value: Any, count: int) -> np.ndarray:
    """Return triangles (m, 3) as numbers of `count` vertices.

    Raises:
        TypeError, ValueError: no whole numbers, another shape, or no such vertices.
    """
    try:
        found = np.array(value)
    except ValueError:
        found = np.array(value, dtype=object)
    if found.ndim != 2 or found.shape[1] != 3 or len(found) == 0:
        raise ValueError(f"{name} = {shown(value)} has shape {found.shape}; give triangles (m, 3), m > 0")
    if not np.issubdtype(found.dtype, np.integer):
        raise TypeError(f"{name} = {shown(value)} has type {found.dtype}; give integer vertex numbers")
    if found.min() < 0 or found.max() >= count:
        raise ValueError(
            f"{name} = {shown(value)} name vertices {found.min()} to {found.max()}, but there are {count}; "
            "number them from 0"
        )
    return np.ascontiguousarray(found, dtype=np.int64)


def with_area(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return which triangles (m,) have an area beyond rounding."""
    first, second, third = (vertices[faces[:, k]] for k in range(3))
    extent = float(np.ptp(vertices, axis=0).max())
    # below this the normal is rounding error
    return np.linalg.norm(np.cross(second - first, third - first), axis=1) > 1e-14 * extent * extent

"""Quaternions (w, x, y, z) and vectors as plain numbers, for Python code outside of the kernels.

A kernel called from Python for one vector costs more than this arithmetic, and makes a cold start compile
while a world is being built. Terms are added in the order of `stoss.collision.algebra`, so that both give the
same bits.
"""

from collections.abc import Sequence
from math import cos, sin, sqrt
from typing import Any

import numpy as np

__all__ = [
    "ORIGIN",
    "UNTURNED",
    "Quaternion",
    "Vector",
    "conjugate",
    "length",
    "matrix",
    "multiply",
    "multiply_grouped",
    "quaternion_of",
    "rotate",
    "rotate_grouped",
    "rotation",
    "vector_of",
]

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

ORIGIN: Vector = (0.0, 0.0, 0.0)
UNTURNED: Quaternion = (1.0, 0.0, 0.0, 0.0)


def vector_of(row: Any) -> Vector:
    """Return a row (3,) of numbers as plain ones."""
    x, y, z = np.asarray(row, float).tolist()
    return x, y, z


def quaternion_of(row: Any) -> Quaternion:
    """Return a row (4,) of numbers as plain ones."""
    w, x, y, z = np.asarray(row, float).tolist()
    return w, x, y, z


def length(v: Sequence[float]) -> float:
    """Return |v|."""
    square = 0.0  # `sum` rounds differently from Python 3.12 on
    for x in v:
        square += x * x
    return sqrt(square)


def conjugate(q: Quaternion) -> Quaternion:
    """Return the inverse of a unit quaternion."""
    return q[0], -q[1], -q[2], -q[3]


def multiply(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return the product p q: the turn q followed by the turn p."""
    p0, p1, p2, p3 = p
    q0, q1, q2, q3 = q
    return (
        p0 * q0 - p1 * q1 - p2 * q2 - p3 * q3,
        p0 * q1 + p1 * q0 + p2 * q3 - p3 * q2,
        p0 * q2 + p2 * q0 + p3 * q1 - p1 * q3,
        p0 * q3 + p3 * q0 + p1 * q2 - p2 * q1,
    )


def rotate(q: Quaternion, v: Vector) -> Vector:
    """Return R(q) v: body coordinates to world coordinates; the inverse with `conjugate`."""
    w, a, b, c = q
    x, y, z = v
    tx = 2.0 * (b * z - c * y)
    ty = 2.0 * (c * x - a * z)
    tz = 2.0 * (a * y - b * x)
    return x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx


def multiply_grouped(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return p q with the terms of the cross product added first."""
    p0, p1, p2, p3 = p
    q0, q1, q2, q3 = q
    return (
        p0 * q0 - (p1 * q1 + p2 * q2 + p3 * q3),
        p0 * q1 + q0 * p1 + (p2 * q3 - p3 * q2),
        p0 * q2 + q0 * p2 + (p3 * q1 - p1 * q3),
        p0 * q3 + q0 * p3 + (p1 * q2 - p2 * q1),
    )


def rotate_grouped(q: Quaternion, v: Vector) -> Vector:
    """Return R(q) v = v + w t + u x t with t = 2 u x v, the terms of the second product added first."""
    w, a, b, c = q
    x, y, z = v
    tx = 2.0 * (b * z - c * y)
    ty = 2.0 * (c * x - a * z)
    tz = 2.0 * (a * y - b * x)
    return x + w * tx + (b * tz - c * ty), y + w * ty + (c * tx - a * tz), z + w * tz + (a * ty - b * tx)


def matrix(q: Quaternion) -> tuple[Vector, Vector, Vector]:
    """Return the rows of R(q)."""
    w, x, y, z = q
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (z * x + y * w)),
        (2.0 * (x * y + z * w), 1.0 - 2.0 * (z * z + x * x), 2.0 * (y * z - x * w)),
        (2.0 * (z * x - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)),
    )


def rotation(axis: Vector, angle_rad: float) -> Quaternion:
    """Return the turn by an angle about a unit axis."""
    sine = sin(0.5 * angle_rad)
    return cos(0.5 * angle_rad), sine * axis[0], sine * axis[1], sine * axis[2]

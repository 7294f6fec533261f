"""Quaternions (w, x, y, z) from what orientations are often given by, and back.

    import stoss as st

    st.rotation.from_axis_angle((0, 0, 1), 0.5)                # 0.5 rad about z
    st.rotation.from_axis_angle((0, 0, 1), 30, degrees=True)
    st.rotation.from_euler("xyz", (0.1, 0.2, 0.3))             # about fixed x, then y, then z

Angles are in radians unless `degrees=True` is said. The results go wherever an orientation is asked for; so
does a `scipy.spatial.transform.Rotation` as it is.
"""

from math import atan2, cos, pi, radians, sin, sqrt
from typing import Any

import numpy as np

from stoss.collision.orientations import unit_quaternion
from stoss.collision.plain_numbers import finite_array, flag, number, shown
from stoss.collision.quaternions import UNTURNED, Quaternion, Vector, conjugate, length, matrix, multiply
from stoss.collision.quaternions import rotate as turn_vector
from stoss.names import takes_names

__all__ = [
    "between",
    "compose",
    "from_axis_angle",
    "from_euler",
    "from_matrix",
    "from_rotation_vector",
    "inverse",
    "rotate",
    "to_axis_angle",
    "to_euler",
    "to_matrix",
    "to_rotation_vector",
]

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_ORTHOGONAL = 1e-6  # largest deviation of a matrix from a rotation that is rounding


def _angle(name: str, value: Any, degrees: Any) -> float:
    in_degrees = flag("degrees", degrees)
    found = number(name, value, "degrees" if in_degrees else "rad")
    return radians(found) if in_degrees else found


def _direction(name: str, value: Any) -> Vector:
    """Return a direction of any length above zero as a unit vector."""
    given = finite_array(name, value, (3,))
    largest = float(np.abs(given).max())
    if largest == 0.0:
        raise ValueError(f"{name} = {shown(value)} has no direction; give a vector that is not zero")
    x, y, z = (given / largest).tolist()
    size = length((x, y, z))
    return x / size, y / size, z / size


@takes_names
def from_axis_angle(axis: Any, angle: float, *, degrees: bool = False) -> np.ndarray:
    """Return the quaternion of a turn about an axis.

    Args:
        axis: (3,), any length above zero.
        angle: [rad], counter-clockwise seen against the axis; in degrees if `degrees`.
        degrees: whether the angle is in degrees.
    """
    return np.array(_about(_direction("axis", axis), _angle("angle", angle, degrees)))


def _about(axis: Vector, angle: float) -> Quaternion:
    half = sin(0.5 * angle)
    return cos(0.5 * angle), axis[0] * half, axis[1] * half, axis[2] * half


@takes_names
def from_rotation_vector(vector: Any, *, degrees: bool = False) -> np.ndarray:
    """Return the quaternion of a rotation vector (3,): axis times angle [rad], in degrees if `degrees`."""
    given = finite_array("vector", vector, (3,))
    angle = float(np.linalg.norm(given))
    if flag("degrees", degrees):
        angle, given = radians(angle), np.radians(given)
    if angle == 0.0:
        return np.array(UNTURNED)
    x, y, z = (given / angle).tolist()
    return np.array(_about((x, y, z), angle))


@takes_names
def from_euler(axes: str, angles: Any, *, degrees: bool = False) -> np.ndarray:
    """Return the quaternion of turns about two or three axes, one after the other.

    Args:
        axes: "xyz" turns about the fixed axes of the world in this order, "XYZ" about the axes of the body
            as they have been turned by then, as scipy reads them. One to three letters.
        angles: as many [rad], in degrees if `degrees`.
        degrees: whether the angles are in degrees.
    """
    fixed = _euler_axes(axes)
    turns = finite_array("angles", angles, (len(axes),)).tolist()
    if flag("degrees", degrees):
        turns = [radians(turn) for turn in turns]
    total = UNTURNED
    for letter, turn in zip(axes.lower(), turns, strict=True):
        one = _about(_AXES[letter], turn)
        total = multiply(one, total) if fixed else multiply(total, one)
    return np.array(total)


def _euler_axes(axes: Any) -> bool:
    """Return whether the axes are fixed ones."""
    if not isinstance(axes, str):
        raise TypeError(f'axes = {shown(axes)} must be text such as "xyz" or "ZYX"')
    good = 1 <= len(axes) <= 3 and (set(axes) <= set("xyz") or set(axes) <= set("XYZ"))
    if not good or any(a == b for a, b in zip(axes, axes[1:], strict=False)):
        raise ValueError(
            f"axes = {axes!r} must be one to three of x, y, z, for fixed axes, or of X, Y, Z, for those of "
            "the body, neighbours different"
        )
    return axes.islower()


@takes_names
def from_matrix(matrix: Any) -> np.ndarray:
    """Return the quaternion of a rotation matrix (3, 3), body to world: its columns are the body's axes.

    Raises:
        ValueError: the matrix is no rotation: columns that are not of length one and perpendicular, or
            left-handed.
    """
    m = finite_array("matrix", matrix, (3, 3))
    miss = float(np.abs(m.T @ m - np.eye(3)).max())
    if not miss <= _ORTHOGONAL:
        raise ValueError(
            f"matrix = {shown(m.tolist())} is no rotation: its columns are off length one, or off "
            f"perpendicular, by {miss:.3g}"
        )
    if np.linalg.det(m) < 0.0:
        raise ValueError(
            f"matrix = {shown(m.tolist())} is left-handed, a mirror image; give right-handed axes"
        )
    ((a, b, c), (d, e, f), (g, h, i)) = m.tolist()
    # four ways to the same; the one with the largest component loses no digits
    squares = (1.0 + a + e + i, 1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i)
    largest = squares.index(max(squares))
    found = (
        (squares[0], h - f, c - g, d - b),
        (h - f, squares[1], b + d, c + g),
        (c - g, b + d, squares[2], f + h),
        (d - b, c + g, f + h, squares[3]),
    )[largest]
    size = length(found)
    w, x, y, z = (part / size for part in found)
    return np.array((w, x, y, z))


@takes_names
def to_matrix(quaternion: Any) -> np.ndarray:
    """Return the rotation matrix (3, 3) of an orientation, body to world.

    Args:
        quaternion: (w, x, y, z), or rows of them (n, 4), of length 1.
    """
    return np.array(matrix(unit_quaternion("quaternion", quaternion)))


@takes_names
def to_axis_angle(quaternion: Any) -> tuple[np.ndarray, float]:
    """Return the axis (3,) and the angle [rad], from 0 to pi, of an orientation; x for no rotation.

    Args:
        quaternion: (w, x, y, z), or rows of them (n, 4), of length 1.
    """
    w, x, y, z = unit_quaternion("quaternion", quaternion)
    sine = length((x, y, z))
    if sine == 0.0:
        return np.array((1.0, 0.0, 0.0)), 0.0
    sign = -1.0 if w < 0.0 else 1.0
    return np.array((x, y, z)) * (sign / sine), 2.0 * atan2(sine, abs(w))


@takes_names
def to_rotation_vector(quaternion: Any) -> np.ndarray:
    """Return the rotation vector (3,) [rad] of an orientation: axis times an angle of at most pi.

    Args:
        quaternion: (w, x, y, z), or rows of them (n, 4), of length 1.
    """
    axis, angle = to_axis_angle(quaternion)
    return axis * angle


@takes_names
def to_euler(axes: str, quaternion: Any) -> np.ndarray:
    """Return the angles (3,) [rad] that `from_euler` takes for these three axes.

    The second is between -pi/2 and pi/2, or 0 and pi where the first axis is the third; at its ends the
    first and the last turn about the same axis, and the last is 0.

    Args:
        quaternion: (w, x, y, z), or rows of them (n, 4), of length 1.
    """
    fixed = _euler_axes(axes)
    if len(axes) != 3:
        raise ValueError(f"axes = {axes!r} must be three letters to tell an orientation")
    q = unit_quaternion("quaternion", quaternion)
    letters = axes.lower() if not fixed else axes[::-1]  # as turns about the axes of the body
    i, j, k = ("xyz".index(letter) for letter in letters)
    proper = i == k
    if proper:
        k = 3 - i - j
    sign = 1.0 if (i, j, k) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0
    m = matrix(q)
    if proper:  # m = R_i(a) R_j(b) R_i(c)
        middle = atan2(sqrt(m[j][i] ** 2 + m[k][i] ** 2), m[i][i])
        locked = min(middle, pi - middle) < 1e-7
        first = atan2(sign * m[k][j], m[j][j]) if locked else atan2(m[j][i], -sign * m[k][i])
        last = 0.0 if locked else atan2(m[i][j], sign * m[i][k])
    else:  # m = R_i(a) R_j(b) R_k(c)
        middle = atan2(sign * m[i][k], sqrt(m[i][i] ** 2 + m[i][j] ** 2))
        locked = pi / 2 - abs(middle) < 1e-7
        first = atan2(sign * m[k][j], m[j][j]) if locked else atan2(-sign * m[j][k], m[k][k])
        last = 0.0 if locked else atan2(-sign * m[i][j], m[i][i])
    angles = (first, middle, last)
    return np.array(angles[::-1] if fixed else angles)


@takes_names
def between(first: Any, second: Any) -> np.ndarray:
    """Return the quaternion of the smallest turn that takes one direction (3,) to another.

    Args:
        first, second: directions (3,), of any length above zero.
    """
    a, b = _direction("first", first), _direction("second", second)
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    if dot < -1.0 + 1e-14:  # opposite: half a turn about any axis across
        other = (1.0, 0.0, 0.0) if abs(a[0]) < 0.7 else (0.0, 1.0, 0.0)
        across = np.cross(a, other)
        return np.array(_about(_direction("first", across), pi))
    sine = length((x, y, z))
    if sine == 0.0:
        return np.array(UNTURNED)
    return np.array(_about((x / sine, y / sine, z / sine), atan2(sine, dot)))


@takes_names
def compose(*quaternions: Any) -> np.ndarray:
    """Return the product of orientations: the last one is turned first.

    Args:
        *quaternions: (w, x, y, z) each; the last one turns first.
    """
    total = UNTURNED
    for count, value in enumerate(quaternions):
        total = multiply(total, unit_quaternion(f"quaternions[{count}]", value))
    return np.array(total)


@takes_names
def inverse(quaternion: Any) -> np.ndarray:
    """Return the turn back.

    Args:
        quaternion: (w, x, y, z), or rows of them (n, 4), of length 1.
    """
    return np.array(conjugate(unit_quaternion("quaternion", quaternion)))


@takes_names
def rotate(quaternion: Any, vector: Any) -> np.ndarray:
    """Return a vector (3,) of the body in the world: turned by the orientation.

    Args:
        quaternion: (w, x, y, z), or rows of them (n, 4), of length 1.
    """
    x, y, z = finite_array("vector", vector, (3,)).tolist()
    return np.array(turn_vector(unit_quaternion("quaternion", quaternion), (x, y, z)))

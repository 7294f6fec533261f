"""Frames of joints in the world, in plain numbers: what joint kinds are made of."""

from math import atan2, sqrt
from typing import Any, NamedTuple

from stoss.collision.quaternions import Quaternion, Vector, multiply
from stoss.engine import checks

__all__ = [
    "Hold",
    "Part",
    "angle_between",
    "axis_frame",
    "direction",
    "perpendicular_to",
    "plane_frame",
    "point",
    "turned",
    "two_axes",
]

Hold = tuple[int, int, float]  # measure, axis, target

# Two directions whose angle has a smaller sine are parallel: half of the digits that they are given with.
PARALLEL = 1e-8


class Part(NamedTuple):
    """A frame on either body, in world coordinates, and what is held between them.

    `quaternion_a` and `quaternion_b` turn the frames A (first body) and B (second body) to the world; `holds`
    are triples of measure, axis and target (codes in `stoss.engine.joints.arrays`). `radii` are those of an
    ellipsoid in A, if one is measured [m].
    """

    point_a: Vector
    quaternion_a: Quaternion
    point_b: Vector
    quaternion_b: Quaternion
    holds: tuple[Hold, ...]
    radii: Vector = (1.0, 1.0, 1.0)


def point(name: str, value: Any) -> Vector:
    """Return a point (3,) [m]; raises as `checks.vector` does."""
    x, y, z = checks.vector(name, value).tolist()
    return x, y, z


def direction(name: str, value: Any) -> Vector:
    """Return a direction (3,) of any length above zero as a unit vector.

    Raises:
        TypeError, ValueError: not three finite numbers, or all zero.
    """
    x, y, z = checks.vector(name, value).tolist()
    largest = max(abs(x), abs(y), abs(z))
    if largest == 0.0:
        raise ValueError(f"{name} = {value!r} has no direction; give a vector that is not zero")
    return _unit((x / largest, y / largest, z / largest))


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _unit(a: Vector) -> Vector:
    length = sqrt(_dot(a, a))
    return a[0] / length, a[1] / length, a[2] / length


def angle_between(a: Vector, b: Vector) -> float:
    """Return the angle between two vectors [rad], from 0 to pi, exact near both ends."""
    c = _cross(a, b)
    return atan2(sqrt(_dot(c, c)), _dot(a, b))


def perpendicular_to(axis: Vector, wanted: Vector, name: str, value: Any) -> Vector:
    """Return the unit vector perpendicular to `axis` (unit) in the half plane of `wanted` (unit).

    Raises:
        ValueError: they are parallel; `name` and `value` are what the user gave.
    """
    c = _cross(axis, wanted)
    if sqrt(_dot(c, c)) < PARALLEL:
        raise ValueError(f"{name} = {value!r} is parallel to the other axis; give another direction")
    return _unit(_cross(c, axis))


def axis_frame(axis: Vector, x: Vector | None = None) -> Quaternion:
    """Return the frame with z = `axis` (unit) and x as given (unit, perpendicular).

    Without x it is the x axis of the world made perpendicular to z, or the y axis of the world where
    that one is close to z; so for z upwards the frame is that of the world.
    """
    if x is None:
        world = (1.0, 0.0, 0.0) if abs(axis[0]) < 0.7 else (0.0, 1.0, 0.0)
        x = _unit(_cross(_cross(axis, world), axis))
    return _from_axes(x, _cross(axis, x), axis)


def plane_frame(x: Vector, y: Vector) -> Quaternion:
    """Return the frame of two perpendicular unit axes x and y."""
    return _from_axes(x, y, _cross(x, y))


def two_axes(x: Vector, y: Vector, kind: str, given: Any = None) -> tuple[Quaternion, Quaternion]:
    """Return A with the x axis x and B with the y axis y (unit vectors); z of both is perpendicular to both.

    Raises:
        ValueError: the axes are parallel; `kind` is that of the joint.
    """
    name, value = f"{kind}: second_axis", y if given is None else given
    return (
        plane_frame(x, perpendicular_to(x, y, name, value)),
        plane_frame(perpendicular_to(y, x, name, value), y),
    )


def _from_axes(x: Vector, y: Vector, z: Vector) -> Quaternion:
    """Return the quaternion of the matrix with these columns, by its largest component."""
    t = x[0] + y[1] + z[2]
    if t > 0.0:
        w = 0.5 * sqrt(1.0 + t)
        s = 0.25 / w
        return w, s * (y[2] - z[1]), s * (z[0] - x[2]), s * (x[1] - y[0])
    if x[0] >= y[1] and x[0] >= z[2]:
        a = 0.5 * sqrt(1.0 + x[0] - y[1] - z[2])
        s = 0.25 / a
        return s * (y[2] - z[1]), a, s * (x[1] + y[0]), s * (z[0] + x[2])
    if y[1] >= z[2]:
        b = 0.5 * sqrt(1.0 + y[1] - x[0] - z[2])
        s = 0.25 / b
        return s * (z[0] - x[2]), s * (x[1] + y[0]), b, s * (y[2] + z[1])
    c = 0.5 * sqrt(1.0 + z[2] - x[0] - y[1])
    s = 0.25 / c
    return s * (x[1] - y[0]), s * (z[0] + x[2]), s * (y[2] + z[1]), c


def turned(frame: Quaternion, axis: Vector, second_axis: Vector | None) -> Quaternion:
    """Return a frame turned by the smallest rotation that takes `axis` to `second_axis` (unit vectors).

    None leaves it as it is. Opposite axes: half a turn about the frame's x, which is perpendicular to both.
    """
    if second_axis is None:
        return frame
    w, (x, y, z) = 1.0 + _dot(axis, second_axis), _cross(axis, second_axis)
    length = sqrt(w * w + x * x + y * y + z * z)
    p0, p1, p2, p3 = frame
    if length < PARALLEL:
        return -p1, p0, p3, -p2  # half a turn about the frame's own x: p (0, 1, 0, 0)
    return multiply((w / length, x / length, y / length, z / length), frame)

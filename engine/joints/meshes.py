"""Where the teeth of two wheels on a common carrier meet, for a given ratio."""

from typing import NamedTuple

import numpy as np

__all__ = ["Moving", "find_mesh"]

PARALLEL = 1e-6  # sine of the angle between axes below which they count as parallel
NEAR = 1e-9  # distance of parallel axes, relative to their coordinates, below which they are one


class Moving(NamedTuple):
    """What moves on the carrier: about an axis (`turns`), or along it.

    Attributes:
        point, axis: of the axis in the world, (3,) [m] and (3,) of unit length.
        sign: 1 if the coordinate grows with the motion of what is carried, -1 if with that of the carrier.
    """

    turns: bool
    point: np.ndarray
    axis: np.ndarray
    sign: float


def find_mesh(first: Moving, second: Moving, ratio: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Return a place (3,) [m] and a direction (3,) of a force between both that keeps q2' = ratio q1'.

    Points on that line move along it by m1 and m2 for unit rates of the coordinates, with m1 = ratio m2. None
    if there is no such line: wheels on one axis, equal ones that turn alike, two sliders.
    """
    k = ratio * second.sign / first.sign
    if first.turns and second.turns:
        return _two_wheels(first, second, k)
    if not first.turns and not second.turns:
        return None
    wheel, rack = (first, second) if first.turns else (second, first)
    across = np.cross(rack.axis, wheel.axis)
    sine = float(np.linalg.norm(across))
    if sine < PARALLEL:
        return None
    radius = k if first.turns else 1.0 / k  # of the wheel: way of the rack for one radian
    return wheel.point + radius / sine**2 * across, rack.axis


def _two_wheels(first: Moving, second: Moving, k: float) -> tuple[np.ndarray, np.ndarray] | None:
    a, b, between = first.axis, second.axis, second.point - first.point
    across = np.cross(a, b)
    sine = float(np.linalg.norm(across))
    if sine < PARALLEL:
        apart = between - a * (a @ between)
        distance = float(np.linalg.norm(apart))
        k *= np.sign(a @ b)
        size = float(np.abs(first.point).max() + np.abs(second.point).max() + 1e-3)
        if distance <= NEAR * size or abs(k - 1.0) < PARALLEL:
            return None
        outward = apart / distance
        return first.point + k * distance / (k - 1.0) * outward, np.cross(a, outward)
    normal = across / sine
    # the point of the first axis nearest to the second one, and from there along both
    nearest = first.point + a * (np.cross(between, b) @ across) / sine**2
    reach = max(float(np.linalg.norm(between)), 1e-3) / max(1.0, abs(k))
    return nearest + reach * (a - k * b), normal

"""Bars from joint to joint, and where the joints of a four-bar are."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.quaternions import Quaternion
from stoss.scenes.building.poses import multiply

if TYPE_CHECKING:
    from stoss.engine import Body, World

__all__ = ["TURN_AXIS", "add_bar", "close_four_bar", "in_plane", "turn_to"]

# Axis of the hinges of a mechanism in the plane x + i z: the angle grows from x towards z.
TURN_AXIS = (0.0, -1.0, 0.0)


def turn_to(direction: Any, across: Any = None) -> Quaternion:
    """Return the turn, as a quaternion (w, x, y, z), that takes the x axis to a direction.

    Args:
        direction: (3,), of any length.
        across: (3,) where the y axis goes, as far as it is perpendicular to the direction; None: the smallest
            turn is taken.
    """
    x = np.asarray(direction, dtype=np.float64) / np.linalg.norm(direction)
    first = _reflected_twice(np.array([1.0, 0.0, 0.0]), x, np.array([0.0, 0.0, 1.0]))
    if across is None:
        return first
    y = np.asarray(across, dtype=np.float64) - np.dot(across, x) * x
    y /= np.linalg.norm(y)
    return multiply(_reflected_twice(_rotate(first, (0.0, 1.0, 0.0)), y, x), first)


def _reflected_twice(start: np.ndarray, end: np.ndarray, spare: np.ndarray) -> Quaternion:
    """Return the smallest turn from one unit vector to another; half a turn is about the axis `spare`."""
    cosine = float(start @ end)
    if cosine < -0.999999999999:
        return 0.0, float(spare[0]), float(spare[1]), float(spare[2])
    w = math.sqrt(0.5 * (1.0 + cosine))
    x, y, z = (np.cross(start, end) / (2.0 * w)).tolist()
    return w, x, y, z


def _rotate(q: Quaternion, v: tuple[float, float, float]) -> np.ndarray:
    """Return a vector turned by a quaternion."""
    turned = multiply(multiply(q, (0.0, *v)), (q[0], -q[1], -q[2], -q[3]))
    return np.array(turned[1:])


def add_bar(
    world: "World",
    name: str,
    start: Any,
    end: Any,
    *,
    thickness: float,
    mass: float,
    width: float | None = None,
    across: Any = None,
    slender: bool = False,
) -> "Body":
    """Add a box from one joint to another; it passes through everything.

    Args:
        world: the world.
        name: of the body.
        start, end: centres of the end faces (3,) [m]; the x axis of the body points from start to end.
        thickness: across, along the z axis of the body [m].
        mass: [kg].
        width: across, along its y axis [m]; None: as thick.
        across: direction of its y axis (3,); None: the smallest turn that points the x axis to the end.
        slender: take the moments of inertia of a uniform rod, m L^2 / 12, in place of those of the box.
    """
    from stoss.collision import Box
    from stoss.engine import from_values

    along = np.subtract(end, start)
    length = float(np.linalg.norm(along))
    wide = thickness if width is None else width
    values: dict[str, Any] = {"mass": mass}
    if slender:
        # about its own axis the moment of the box: a rod has none, and a body must have one
        moment = mass * length**2 / 12.0
        values = {
            "mass_properties": from_values(mass, (mass * (thickness**2 + wide**2) / 12.0, moment, moment))
        }
    return world.add_body(
        Box((length, wide, thickness)),
        position=np.add(start, end) / 2.0,
        quaternion=turn_to(along, across),
        name=name,
        mask=0,
        **values,
    )


def in_plane(point: complex, y: float = 0.0) -> tuple[float, float, float]:
    """Return the point x + i z of a vertical plane in space [m]."""
    return point.real, y, point.imag


def close_four_bar(
    ground: tuple[complex, complex], crank: float, coupler: float, rocker: float, angle: float, side: int
) -> tuple[complex, complex]:
    """Return the ends of crank and rocker of a four-bar in the plane x + i z [m].

    Args:
        ground: where crank and rocker turn on the ground link.
        crank, coupler, rocker: lengths [m].
        angle: from the ground link to the crank [rad].
        side: 1 if the end of the rocker is to lie left of the line from the end of the crank to the rocker's
            pivot, -1 if right.

    Raises:
        ValueError: the bars do not reach each other.
    """
    along = (ground[1] - ground[0]) / abs(ground[1] - ground[0])
    crank_end = ground[0] + crank * along * complex(math.cos(angle), math.sin(angle))
    diagonal = ground[1] - crank_end
    distance = abs(diagonal)
    if not abs(coupler - rocker) < distance < coupler + rocker:
        raise ValueError(
            f"coupler is {coupler:g} and rocker {rocker:g}: they do not reach across the {distance:g} m from "
            f"the crank to the pivot of the rocker; change a length or the angle of {angle:g} rad"
        )
    foot = (coupler**2 - rocker**2 + distance**2) / (2.0 * distance)
    height = math.sqrt(coupler**2 - foot**2)
    return crank_end, crank_end + diagonal / distance * complex(foot, side * height)

"""Where in their bodies the shapes are that are only drawn."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.quaternions import conjugate, multiply, rotate

if TYPE_CHECKING:
    from stoss.engine import Body, Drawn

__all__ = ["drawn_on"]


def drawn_on(bodies: "Sequence[Body]") -> "tuple[list[Drawn], np.ndarray, np.ndarray, np.ndarray]":
    """Return the shapes (k) that are only drawn on bodies.

    Returns:
        The shapes; numbers (k,) of their bodies; positions (k, 3) [m] and quaternions (k, 4) in the body
        frames of the dynamics: centre of mass and principal axes.
    """
    shapes, owners, places, turns = [], [], [], []
    for number, body in enumerate(bodies):
        if not body.display:
            continue
        back = conjugate(tuple(body.world.principal_quaternions[body.index].tolist()))
        turn = multiply(back, tuple(body.quaternion.tolist()))
        origin = rotate(back, tuple((body.position - body.center_of_mass).tolist()))
        for one in body.display:
            shapes.append(one)
            owners.append(number)
            places.append(np.add(origin, rotate(turn, one.position)))
            turns.append(multiply(turn, one.quaternion))
    return (
        shapes,
        np.array(owners, np.int64),
        np.array(places, np.float64).reshape(-1, 3),
        np.array(turns, np.float64).reshape(-1, 4),
    )

"""How bodies rest: near an anchor for some time, however they jitter; and what changed since it was seen."""

from typing import Annotated, NamedTuple

import numpy as np

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints, Ints2
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays

__all__ = ["Rest", "RestLimits", "mark_changes", "moving_supports", "update_rest"]


class RestLimits(NamedTuple):
    """When what rests is left out of the steps.

    Attributes:
        distance: [m] from its anchor within which a body rests.
        speed: [m/s] up to which it does, at its surface too.
        time: [s] for which all bodies of an island must rest.
        steps: for which they must at least.
        exact: whether all of it stays as it is, velocities too, and bodies by themselves are never left out.
    """

    distance: float
    speed: float
    time: float
    steps: int
    exact: bool


class Rest(Struct):
    """How bodies rest; the first axis is the body."""

    island: Annotated[Ints, "bodies"]  # number of the island with which it sleeps, 0: it is awake
    sleep_timer: Annotated[Floats, "bodies"]  # time [s] for which it has been near its anchor
    positions: Annotated[Floats, "bodies", 3]  # of the anchors [m]
    quaternions: Annotated[Floats, "bodies", 4]


@kernel
def update_rest(
    bodies: BodyArrays,
    rest: Rest,
    distance: float,
    speed: float,
    h: float,
) -> None:
    """Count the time for which awake bodies are within `distance` [m] of their anchors; else move these.

    So do bodies that are faster than `speed` [m/s]. A turn counts by what it moves at twice the largest
    radius of gyration, about the surface of the body.
    """
    positions, quaternions, inertias = bodies.positions, bodies.quaternions, bodies.inertias
    for i in range(len(bodies.kinds)):
        if bodies.kinds[i] != DYNAMIC or rest.island[i] != 0:
            continue
        moved = 0.0
        for k in range(3):
            moved += (positions[i, k] - rest.positions[i, k]) ** 2
        q, p = quaternions[i], rest.quaternions[i]
        # vector part of q p^-1: half the sine of the angle
        x = -q[0] * p[1] + q[1] * p[0] - q[2] * p[3] + q[3] * p[2]
        y = -q[0] * p[2] + q[1] * p[3] + q[2] * p[0] - q[3] * p[1]
        z = -q[0] * p[3] - q[1] * p[2] + q[2] * p[1] + q[3] * p[0]
        size = 2.0 * np.sqrt(max(inertias[i, 0], inertias[i, 1], inertias[i, 2]) / bodies.masses[i])
        moved = np.sqrt(moved) + 2.0 * size * np.sqrt(x * x + y * y + z * z)
        fast = 0.0
        for k in range(3):
            fast = max(fast, abs(bodies.velocities[i, k]), size * abs(bodies.angular_velocities[i, k]))
        if moved <= distance and fast <= speed:
            rest.sleep_timer[i] += h
            continue
        rest.sleep_timer[i] = 0.0
        for k in range(3):
            rest.positions[i, k] = positions[i, k]
        for k in range(4):
            rest.quaternions[i, k] = q[k]


@kernel
def _mark_bits(now: Ints2, then: Ints2, out: Bools) -> None:
    """Mark the rows of `now` (n, w) that are not bit for bit those of `then`."""
    for i in range(len(out)):
        for k in range(now.shape[1]):
            if now[i, k] != then[i, k]:
                out[i] = True


def mark_changes(now: np.ndarray, then: np.ndarray, out: np.ndarray) -> None:
    """Mark the entries along the first axis in which two arrays of equal shape differ."""
    if len(now) == 0 or now.tobytes() == then.tobytes():
        return  # as a rule: quicker than to look at each entry
    if now.itemsize != 8:
        out |= (now != then).reshape(len(now), -1).any(axis=1)
    else:
        bits = [np.ascontiguousarray(field).view(np.int64).reshape(len(now), -1) for field in (now, then)]
        _mark_bits(bits[0], bits[1], out)


def moving_supports(bodies: BodyArrays) -> np.ndarray:
    """Return which bodies move, or have a surface that does, without reacting."""
    turning = bodies.velocities.any(axis=1) | bodies.angular_velocities.any(axis=1)
    return (bodies.kinds != DYNAMIC) & (turning | (bodies.conveys != 0))

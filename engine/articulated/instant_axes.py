"""The axis about which a body turns relative to another one at the moment, and along which it slides."""

from dataclasses import dataclass

import numpy as np

from stoss.engine import checks
from stoss.engine.world.body import Body
from stoss.names import closed, takes_names

__all__ = ["InstantAxis", "instant_axis"]

STILL = 1e-9  # [rad/s] below which there is no axis


@closed
@dataclass(frozen=True)
class InstantAxis:
    """An axis of relative motion.

    Attributes:
        point: of it, nearest to the second body's centre of mass (3,) [m]; in a plane, the instant centre.
        direction: of it (3,), unit; the second body turns about it counter-clockwise.
        rate: at which it turns [rad/s].
        slip: velocity along the axis [m/s].
    """

    point: np.ndarray
    direction: np.ndarray
    rate: float
    slip: float


@takes_names
def instant_axis(first: Body | None, second: Body) -> InstantAxis | None:
    """Return the axis about which a body turns relative to another one now; None where it does not turn.

    Args:
        first: the body that is looked from; None: the world.
        second: the one that is looked at.

    Raises:
        TypeError, ValueError: no bodies, or of two worlds.
    """
    checks.instance("second", second, Body, "a body of the world")
    turn, way = second.angular_velocity.copy(), second.velocity.copy()
    if first is not None:
        checks.instance("first", first, Body, "a body of the world")
        if first.world is not second.world:
            raise ValueError(f"bodies {first.name!r} and {second.name!r} are in two worlds")
        turn -= first.angular_velocity
        lever = second.center_of_mass - first.center_of_mass
        way -= first.velocity + np.cross(first.angular_velocity, lever)
    rate = float(np.linalg.norm(turn))
    if rate < STILL:
        return None
    point = second.center_of_mass + np.cross(turn, way) / rate**2
    return InstantAxis(point, turn / rate, rate, float(way @ turn) / rate)

"""Parts of scenes that are only drawn: rods, legs, the ground below what hangs."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.quaternions import length

if TYPE_CHECKING:
    from stoss.engine import Drawn

__all__ = ["IRON", "drawn_ground", "drawn_rod"]

IRON = (0.34, 0.36, 0.40)  # colour (sRGB) of what holds others


def drawn_rod(first: Any, second: Any, radius: float, color: Any = IRON) -> "Drawn":
    """Return a rod between two points (3,) [m] of a body's frame."""
    from stoss.collision import Cylinder
    from stoss.engine import Drawn

    a, b = np.asarray(first, float), np.asarray(second, float)
    far = float(np.linalg.norm(b - a))
    x, y, z = ((b - a) / far).tolist()
    # from z onto the rod: the half-way quaternion, and half a turn about x where the rod points down
    turn = (1.0 + z, -y, x, 0.0) if length((1.0 + z, -y, x, 0.0)) > 1e-6 else (0.0, 1.0, 0.0, 0.0)
    return Drawn(Cylinder(radius, far), tuple((0.5 * (a + b)).tolist()), turn, color)


def drawn_ground(height: float) -> "Drawn":
    """Return a ground that nothing touches, at a height [m] in a body's frame whose z points up."""
    from stoss.collision import HalfSpace
    from stoss.engine import Drawn

    return Drawn(HalfSpace(), (0.0, 0.0, height))

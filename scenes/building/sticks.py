"""Bodies as stick figures: rods from the centre of mass to joints and markers (Krieg 1992, 4.1.2)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.names import takes_names
from stoss.scenes.building.drawn import drawn_rod

if TYPE_CHECKING:
    from stoss.engine import Body, World

__all__ = ["is_bare", "stick_figure"]

_THIN = 0.02  # radius of the rods, in lengths of a typical one
_SAME = 1e-9  # [m] places that are less apart are one


def is_bare(world: "World") -> bool:
    """Return whether none of the bodies that move has anything to be seen."""
    moving = [body for body in world.bodies if body.kind != "static"]
    return bool(moving) and not any(body.shapes or body.display for body in moving)


@takes_names
def stick_figure(world: "World", *, bodies: Any = None, radius: float | None = None) -> None:
    """Draw bodies as sticks: a ball at the centre of mass, and rods from it to all joints and markers.

    They become what is only drawn of the bodies (`Body.display`), so that windows, pictures, films and saved
    motions have them. Models whose bodies have nothing to be seen are drawn so by themselves.

    Args:
        world: the world.
        bodies: which ones; None: those that move.
        radius: of the rods [m]; None: a fiftieth of the length of a typical one.

    Raises:
        TypeError, ValueError: no body of the world, or a radius that is not above zero.
    """
    from stoss.collision import Sphere
    from stoss.engine import Drawn, checks

    chosen = [body for body in world.bodies if body.kind != "static"] if bodies is None else list(bodies)
    ends = [_ends(world, body) for body in chosen]
    lengths = [float(np.linalg.norm(end)) for own in ends for end in own]
    size = float(np.median(lengths)) if lengths else 1.0
    thin = _THIN * size if radius is None else checks.positive("radius", radius, "m")
    for body, own in zip(chosen, ends, strict=True):
        center = body.local_point(body.center_of_mass)
        rods = [drawn_rod(center, center + end, thin, None) for end in own]
        balls = [Drawn(Sphere(1.5 * thin), tuple((center + end).tolist())) for end in own]
        body.display = [Drawn(Sphere(2.5 * thin), tuple(center.tolist())), *rods, *balls]


def _ends(world: "World", body: "Body") -> list[np.ndarray]:
    """Return where sticks of a body end, from its centre of mass, in the frame of its shapes."""
    points = [marker.position for marker in world.markers if marker.body is body]
    points += [joint.first_point for joint in world.joints if joint.first is body]
    points += [joint.second_point for joint in world.joints if joint.second is body]
    center = body.local_point(body.center_of_mass)
    found: list[np.ndarray] = []
    for point in points:
        end = body.local_point(point) - center
        if np.linalg.norm(end) > _SAME and all(np.linalg.norm(end - one) > _SAME for one in found):
            found.append(np.asarray(end))
    return found

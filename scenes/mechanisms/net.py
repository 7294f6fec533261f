"""A net of rods on ball joints."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_count, check_positive
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Body, Settings, World

__all__ = ["net"]


@scene(
    "net",
    "A net of rods falls between the two corners it hangs on.",
    duration=10.0,
    body_count=180,
    moment=2.5,
    view=(-60, 12),
)
def net(
    *,
    knots: int = 10,
    length: float = 0.5,
    thickness: float = 0.06,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a level square net of rods of 1 kg that hangs on two opposite corners, at rest.

    Each knot joins its first rod to every other one by a ball joint, so none of them is redundant. The rods
    pass through each other.

    Args:
        knots: number of knots along a side, at least 2; there are 2 knots (knots - 1) rods.
        length: of a rod, from knot to knot [m].
        thickness: of a rod across [m].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine import Ball

    check_count("knots", knots, 2)
    check_positive("length", length)
    check_positive("thickness", thickness)
    world = new_world(time_step, settings)
    rods_at: dict[tuple[int, int], list[Body]] = {}
    for along, step in (("x", (1, 0)), ("y", (0, 1))):
        size = (length if along == "x" else thickness, length if along == "y" else thickness, thickness)
        for row in range(knots):
            for number in range(knots - 1):
                knot = (number, row) if along == "x" else (row, number)
                other = (knot[0] + step[0], knot[1] + step[1])
                middle = _place(np.add(knot, other) / 2.0, knots, length)
                rod = world.add_body(
                    Box(size), position=middle, mass=1.0, name=f"rod {along} {row}.{number}", mask=0
                )
                for end in (knot, other):
                    rods_at.setdefault(end, []).append(rod)
    for knot, rods in sorted(rods_at.items()):
        place = _place(knot, knots, length)
        name = f"knot {knot[0]}.{knot[1]}"
        if knot in ((0, 0), (knots - 1, knots - 1)):
            world.add_joint(Ball(place), None, rods[0], name=f"corner {knot[0]}.{knot[1]}")
        for k, rod in enumerate(rods[1:]):
            world.add_joint(Ball(place), rods[0], rod, name=name if k == 0 else f"{name}, {k + 1}")
    return world


def _place(knot: np.ndarray | tuple[int, int], knots: int, length: float) -> tuple[float, float, float]:
    """Return where a knot is at the start [m]; the net is centred on the origin."""
    x, y = (length * (float(number) - 0.5 * (knots - 1)) for number in knot)
    return x, y, 0.0

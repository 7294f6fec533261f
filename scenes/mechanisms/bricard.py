"""Bricard's linkage: six hinges in a loop that should not move, and does."""

from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_positive
from stoss.scenes.building.ground import new_world
from stoss.scenes.mechanisms.linkage import add_bar
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Body, Settings, World

__all__ = ["bricard"]

# Joints of the loop in units of a rod, and the axes of their hinges.
_JOINTS = (
    ((0, 0, 0), (0, 0, 1)),
    ((1, 0, 0), (0, 1, 0)),
    ((1, 0, -1), (1, 0, 0)),
    ((1, -1, -1), (0, 0, 1)),
    ((0, -1, -1), (0, 1, 0)),
    ((0, -1, 0), (1, 0, 0)),
)


@scene(
    "bricard",
    "Bricard's linkage swings, though its joints leave no freedom.",
    duration=10.0,
    body_count=5,
    moment=1.5,
)
def bricard(
    *,
    length: float = 1.0,
    thickness: float = 0.1,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build the loop of six rods of 1 kg, one of them fixed, along the edges of a cube, at rest.

    Six hinges take thirty freedoms from five bodies, but one row is redundant at every pose. It is the
    Bricard mechanism of the multibody benchmarks, with z up.

    Args:
        length: of a rod [m].
        thickness: of a rod across [m].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine import Hinge

    check_positive("length", length)
    check_positive("thickness", thickness)
    world = new_world(time_step, settings)
    places = [tuple(length * number for number in place) for place, _ in _JOINTS]
    fixed = world.add_body(
        Box((thickness, length, thickness)),
        position=(0.0, -0.5 * length, 0.0),
        kind="static",
        name="fixed rod",
    )
    rods: list[Body] = [
        add_bar(world, f"rod {k}", places[k], places[k + 1], thickness=thickness, mass=1.0) for k in range(5)
    ]
    for k, (_, axis) in enumerate(_JOINTS):
        first, second = (fixed, *rods, fixed)[k : k + 2]
        world.add_joint(Hinge(places[k], axis), first, second, name=f"hinge {k}")
    return world

"""Bodies that pour through a funnel."""

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from stoss.collision.quaternions import rotation
from stoss.scenes.building.checks import check_count
from stoss.scenes.building.ground import add_ground, new_world
from stoss.scenes.building.poses import lattice, multiply
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Material, Settings, World

__all__ = ["add_funnel", "funnel"]

# Geometry [m] of the comparison with other engines: slabs at 45 degrees around a square hole.
_SLAB_HALF_SIZE = (5.0, 9.0, 0.5)
_HOLE_HALF_WIDTH = 1.2
_HOLE_HEIGHT = 3.0
_LATTICE_SPACING = 0.7
_LATTICE_HEIGHT = 7.0
_JITTER = 0.05
_CUBE_EDGE = 0.44
_SPHERE_RADIUS = 0.25


@scene(
    "funnel",
    "Bodies pour through a funnel onto the ground.",
    duration=10.0,
    body_count=1000,
    moment=4.0,
    view=(-58, 20),
    see_through=("slab 0", "slab 1", "slab 2", "slab 3"),
)
def funnel(
    *,
    bodies: int = 1000,
    shapes: Literal["cubes", "mixed", "thesis"] = "cubes",
    seed: int = 0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a funnel of four slabs above the ground, with bodies of 1 kg on a lattice over it.

    "cubes" and "mixed" have friction 0.5 and no restitution. "thesis" has the unit cubes and the
    materials of Bender 2007, section 5.5.1.1 (restitution 0.8, friction 0.05: values of the bodies, which by
    the default rules are those of a pair too; the thesis runs 8 s at a time step of 1 ms). The thesis does
    not state the funnel: here it is the same funnel enlarged in proportion to the cubes.

    Args:
        bodies: number of bodies.
        shapes: cubes (edge 0.44 m), mixed (these and spheres of radius 0.25 m in turn) or thesis (edge 1 m).
        seed: seed of the random shifts in the lattice.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box, Sphere
    from stoss.engine import Material

    check_count("bodies", bodies)
    check_count("seed", seed, 0)
    scale = 1.0 / _CUBE_EDGE if shapes == "thesis" else 1.0
    if shapes == "thesis":
        material = Material(restitution=0.8, friction=0.05)
    else:
        material = Material(restitution=0.0, friction=0.5)
    world = new_world(time_step, settings)
    add_ground(world, material)
    add_funnel(world, material, scale)
    cube = Box((scale * _CUBE_EDGE,) * 3)
    kinds = (Sphere(_SPHERE_RADIUS), cube) if shapes == "mixed" else (cube,)
    positions = lattice(bodies, columns=10, spacing=_LATTICE_SPACING, lowest=_LATTICE_HEIGHT)
    positions += np.random.default_rng(seed).uniform(-_JITTER, _JITTER, (bodies, 3))
    for index in range(bodies):
        world.add_body(
            kinds[index % len(kinds)],
            position=scale * positions[index],
            mass=1.0,
            material=material,
            name=f"body {index}",
        )
    return world


def add_funnel(world: "World", material: "Material", scale: float = 1.0) -> None:
    """Add the four static slabs of the funnel.

    Args:
        world: the world.
        material: material of the slabs.
        scale: factor on all lengths; 1 gives a hole of 2.4 m at a height of 3 m.
    """
    from stoss.collision import Box

    length, width, thickness = _SLAB_HALF_SIZE
    slab = Box((2.0 * scale * length, 2.0 * scale * width, 2.0 * scale * thickness))
    # The upper face begins at the rim of the hole and rises outwards by 45 degrees; the centre lies half
    # the length up the slope and half the thickness below it.
    diagonal = math.sqrt(0.5)
    radius = scale * (_HOLE_HALF_WIDTH + diagonal * (length + thickness))
    height = scale * (_HOLE_HEIGHT + diagonal * (length - thickness))
    for index in range(4):
        turn = 0.5 * math.pi * index
        world.add_body(
            slab,
            position=(radius * math.cos(turn), radius * math.sin(turn), height),
            quaternion=multiply(rotation((0.0, 0.0, 1.0), turn), rotation((0.0, 1.0, 0.0), -0.25 * math.pi)),
            kind="static",
            material=material,
            name=f"slab {index}",
        )

"""Convex bodies of all shapes, some from mesh files, dropped into an open box."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_count
from stoss.scenes.building.crowd import add_turned
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.building.poses import lattice
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.collision.shapes.shapes import Shape
    from stoss.engine import Material, Settings, World

__all__ = ["MESH_FOLDER", "pile", "pile_shapes"]

MESH_FOLDER = Path(__file__).parents[1] / "meshes"

# Every shape fits into a ball of radius 0.37 m about the origin of its frame, whatever its orientation.
_SPACING = 0.75
_WALL_THICKNESS = 0.5


@scene(
    "pile",
    "Mixed convex shapes, also from mesh files, fall into a box.",
    duration=5.0,
    body_count=120,
    moment=3.0,
    view=(-60, 36),
    see_through=("south wall", "east wall"),
)
def pile(
    *,
    bodies: int = 120,
    friction: float = 0.5,
    restitution: float = 0.0,
    seed: int = 0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build an open box of static walls and over it bodies of ten shapes in turn, randomly turned.

    Spheres, boxes, capsules, cylinders, cones, ellipsoids, hulls of points and hulls of the meshes in
    `scenes/meshes`, all of density 1000 kg/m^3 and 0.4 to 0.7 m across.

    Args:
        bodies: number of bodies; the box grows with it.
        friction: coefficient of friction of each pair.
        restitution: coefficient of restitution of each pair, 0 to 1.
        seed: seed of the random orientations.
        settings: settings of the engine.
        time_step: time step [s].
    """
    check_count("bodies", bodies)
    check_count("seed", seed, 0)
    world, material = world_on_ground(time_step, settings, friction=friction, restitution=restitution)
    columns = max(3, math.ceil(bodies ** (1.0 / 3.0)))
    # The bodies need less height once they lie than in the lattice, so none can fall over the walls.
    _add_walls(world, material, inner_width=columns * _SPACING, height=(columns + 1) * _SPACING)
    places = lattice(bodies, columns, spacing=_SPACING, lowest=0.5 * _SPACING)
    add_turned(world, pile_shapes(), places, seed, material, density=1000.0)
    return world


def pile_shapes() -> "dict[str, Shape]":
    """Return the shapes of the pile by name."""
    from stoss.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, Sphere

    golden = 0.5 * (1.0 + math.sqrt(5.0))
    # Corners of a regular icosahedron: cyclic permutations of (0, +-1, +-golden), 0.3 m from the centre.
    corners = [
        np.roll((0.0, a, b * golden), shift) for shift in range(3) for a in (-1.0, 1.0) for b in (-1.0, 1.0)
    ]
    icosahedron = np.array(corners) * (0.3 / math.hypot(1.0, golden))
    return {
        "sphere": Sphere(0.25),
        "box": Box((0.5, 0.4, 0.3)),
        "capsule": Capsule(radius=0.15, length=0.35),
        "cylinder": Cylinder(radius=0.2, length=0.4),
        "cone": Cone(radius=0.25, length=0.45),
        "ellipsoid": Ellipsoid((0.32, 0.22, 0.17)),
        "icosahedron": ConvexHull(icosahedron),
        "gem": ConvexHull.from_file(MESH_FOLDER / "gem.stl"),
        "pebble": ConvexHull.from_file(MESH_FOLDER / "pebble.obj"),
        "wedge": ConvexHull.from_file(MESH_FOLDER / "wedge.obj"),
    }


def _add_walls(world: "World", material: "Material", inner_width: float, height: float) -> None:
    """Add four static walls around a square of the given inner width [m]."""
    from stoss.collision import Box

    distance = 0.5 * (inner_width + _WALL_THICKNESS)
    span = inner_width + 2.0 * _WALL_THICKNESS
    for name, x, y, size in (
        ("east", distance, 0.0, (_WALL_THICKNESS, span, height)),
        ("north", 0.0, distance, (span, _WALL_THICKNESS, height)),
        ("west", -distance, 0.0, (_WALL_THICKNESS, span, height)),
        ("south", 0.0, -distance, (span, _WALL_THICKNESS, height)),
    ):
        world.add_body(
            Box(size), position=(x, y, 0.5 * height), kind="static", material=material, name=f"{name} wall"
        )

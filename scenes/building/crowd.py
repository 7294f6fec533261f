"""Many bodies at once."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.poses import random_quaternions

if TYPE_CHECKING:
    from stoss.collision import Shape
    from stoss.engine import Material, World

__all__ = ["add_turned"]


def add_turned(
    world: "World",
    shapes: "Mapping[str, Shape]",
    places: np.ndarray,
    seed: int,
    material: "Material",
    *,
    mass: float | None = None,
    density: float | None = None,
) -> None:
    """Add a body at each of the places, of the shapes in turn, turned at random.

    Args:
        world: the world.
        shapes: by name; bodies are named after them and numbered.
        places: (n, 3) [m].
        seed: of the random orientations.
        material: of the bodies.
        mass, density: of each [kg], [kg/m^3]; one of them.
    """
    names = list(shapes)
    quaternions = random_quaternions(np.random.default_rng(seed), len(places))
    for index, (place, quaternion) in enumerate(zip(places, quaternions, strict=True)):
        name = names[index % len(names)]
        world.add_body(
            shapes[name],
            position=place,
            quaternion=quaternion,
            mass=mass,
            density=density,
            material=material,
            name=f"{name} {index}",
        )

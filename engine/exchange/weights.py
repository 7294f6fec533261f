"""Inertias that no distribution of mass has, which files are full of, and what is taken in their place."""

from math import pi
from typing import TYPE_CHECKING

import numpy as np

from stoss.collision import Placed
from stoss.engine.bodies.mass import from_shapes, impossible
from stoss.engine.exchange.mechanism import Inertia
from stoss.engine.model.kinds import SHAPES, given
from stoss.engine.model.records import Shape

if TYPE_CHECKING:
    from stoss.engine.exchange.meshes import MeshFiles

__all__ = ["possible"]

WATER = 1000.0  # [kg/m^3]


def possible(
    given_inertia: Inertia, what: str, shapes: list[Shape], files: "MeshFiles", left_out: list[str]
) -> Inertia:
    """Return an inertia if bodies can have it; else that of the shapes at the same mass and centre.

    Args:
        given_inertia: what the file says.
        what: whose it is.
        shapes: collision shapes of the link.
        files: the meshes of these.
        left_out: is told of what was replaced.
    """
    moments = np.linalg.eigvalsh(given_inertia.tensor).tolist()
    if not impossible(moments):
        return given_inertia
    told = ", ".join(f"{moment:.3g}" for moment in moments)
    try:
        solid = from_shapes([_placed(shape, files) for shape in shapes], mass=given_inertia.mass)
        tensor, source = solid.tensor, "that of its collision shapes"
    except (ValueError, TypeError, KeyError):
        # a ball of water of this mass
        radius = (3.0 * given_inertia.mass / (4.0 * pi * WATER)) ** (1.0 / 3.0)
        tensor, source = 0.4 * given_inertia.mass * radius * radius * np.eye(3), "that of a ball of water"
    left_out.append(f"{what}: moments of inertia ({told}) kg m^2, which no body has; {source} is taken")
    return Inertia(given_inertia.mass, given_inertia.center, tensor)


def _placed(shape: Shape, files: "MeshFiles") -> Placed:
    if shape.mesh is not None:
        hull = files.hulls[shape.mesh]
        if hull is None:
            raise ValueError("no solid")
        return Placed(hull, shape.position, shape.quaternion)
    return Placed(SHAPES[shape.type](**given(shape, Shape)), shape.position, shape.quaternion)

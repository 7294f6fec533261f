"""Scenes of boxes and spheres that touch, described once for all engines: those of `presets`."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from stoss.benchmarks.presets import PRESETS, Preset
from stoss.collision import Box, HalfSpace, Sphere
from stoss.collision.shapes.kinds import BOX, HALFSPACE, SPHERE
from stoss.scenes import SCENES

__all__ = [
    "BOX",
    "CONTACT_SCENES",
    "FRICTION",
    "PLANE",
    "SPHERE",
    "ContactScene",
    "contact_scene",
    "scene_of",
]

PLANE = HALFSPACE  # the half-space z <= 0
FRICTION = 0.5  # coefficient of each pair; nothing bounces
HOLE_HEIGHT = 3.0  # of the rim of the funnel [m]


class ContactScene(NamedTuple):
    """Boxes and spheres at rest above a plane; bodies without mass do not move."""

    masses: np.ndarray  # (n,) [kg]
    kinds: np.ndarray  # (n,) BOX, SPHERE or PLANE
    sizes: np.ndarray  # (n, 3) half extents of boxes, radius of spheres three times [m]
    positions: np.ndarray  # (n, 3) of the centres at the start [m]
    quaternions: np.ndarray  # (n, 4) (w, x, y, z), body to world
    hole: float = np.inf  # height [m] below which a body has passed the hole; inf: there is none

    @property
    def moving(self) -> np.ndarray:
        """Return the bodies that move, which are those whose state is read, in this order."""
        return np.flatnonzero(self.masses > 0.0)

    @property
    def inertias(self) -> np.ndarray:
        """Return the moments of inertia (n, 3) [kg m^2]; zero for bodies without mass."""
        squares = self.sizes**2
        boxes = self.masses[:, None] / 3.0 * (squares.sum(axis=1, keepdims=True) - squares)
        return np.where((self.kinds == SPHERE)[:, None], 0.4 * self.masses[:, None] * squares, boxes)

    def shape(self, body: int) -> Box | HalfSpace | Sphere:
        """Return the shape of a body as this package has it."""
        size = self.sizes[body]
        if self.kinds[body] == PLANE:
            return HalfSpace()
        return Box(tuple(2.0 * size)) if self.kinds[body] == BOX else Sphere(size[0])


def contact_scene(preset: str) -> ContactScene:
    """Return the scene of a preset of the benchmark; see `scene_of`."""
    return scene_of(PRESETS[preset])


def scene_of(chosen: Preset) -> ContactScene:
    """Return the scene of a preset, read from the world that it builds.

    Raises:
        ValueError: the scene has other shapes than boxes, spheres and the plane z = 0, or compounds.
    """
    world = SCENES[chosen.scene].build(**chosen.parameters)
    table, bodies = world.shape_table, world.bodies
    kinds = table.kind[: table.count].copy()
    known = np.isin(kinds, (BOX, SPHERE, PLANE)).all()
    if not known or not np.array_equal(table.body[: table.count], np.arange(len(bodies))):
        raise ValueError(
            f"preset {chosen.name!r} has bodies that other engines are not given: only boxes, spheres, planes"
        )
    sizes = table.size[: table.count, :3].copy()
    sizes[kinds == SPHERE, 1:] = sizes[kinds == SPHERE, :1]
    sizes[kinds == PLANE] = 0.0
    return ContactScene(
        masses=world.masses.copy(),
        kinds=kinds,
        sizes=sizes,
        positions=np.array([body.position for body in bodies]),
        quaternions=np.array([body.quaternion for body in bodies]),
        hole=HOLE_HEIGHT if chosen.scene == "funnel" else np.inf,
    )


CONTACT_SCENES: dict[str, Callable[[], ContactScene]] = {
    name: partial(contact_scene, name)
    for name in ("stack50", "pyramid210", "wall105", "funnel500", "funnel1000")
}

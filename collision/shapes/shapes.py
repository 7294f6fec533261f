"""Shapes: plain descriptions of geometry, with the volume integrals that mass properties need.

A shape knows its own frame only. Where it sits is said by `placed.Placed` (within a body) and by the
`ShapeTable` (in the world). Kernels tell shapes apart by the codes of `kinds`. Hulls and meshes: `faceted`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from stoss.collision.plain_numbers import number, shown
from stoss.collision.quaternions import Vector
from stoss.collision.shapes.checks import (
    LARGEST,
    finite_array,
    positive,
    positive_triple,
)
from stoss.collision.shapes.kinds import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HALFSPACE,
    MESH,
    SPHERE,
)
from stoss.names import closed

__all__ = [
    "Box",
    "Capsule",
    "Cone",
    "Cylinder",
    "Ellipsoid",
    "HalfSpace",
    "Shape",
    "Sphere",
]


@closed
@dataclass(frozen=True, eq=False)
class Shape:
    """Base of all shapes. Equal numbers make equal shapes, but a hull or a mesh equals itself alone."""

    kind: ClassVar[int] = -1

    def __new__(cls, *args: Any, **named: Any) -> Self:
        """Return a new shape."""
        if cls is Shape:
            raise TypeError(
                "Shape() is no shape, but what all shapes have in common; give Box((1, 1, 1)) or so"
            )
        return super().__new__(cls)

    @property
    def volume(self) -> float:
        """Return the volume [m^3].

        Raises:
            ValueError: the shape has no finite volume.
        """
        raise ValueError(f"{type(self).__name__} has no volume: make the body static")

    @property
    def centroid(self) -> np.ndarray:
        """Return the centre of volume (3,) [m] in the shape's frame.

        Raises:
            ValueError: the shape has no finite volume.
        """
        if self.kind in (HALFSPACE, MESH):
            raise ValueError(f"{type(self).__name__} has no volume: make the body static")
        return np.zeros(3)

    @property
    def axis_moments(self) -> Vector:
        """Return the moments of inertia (3) about the centroid for density 1 [m^5], shape's axes.

        Raises:
            ValueError: a hull, which has products of inertia too, or a shape without finite volume.
        """
        raise ValueError(f"{type(self).__name__} has no volume: make the body static")

    @property
    def second_moment(self) -> np.ndarray:
        """Return the inertia tensor (3, 3) about the centroid for density 1 [m^5], shape's axes.

        Raises:
            ValueError: the shape has no finite volume.
        """
        return np.diag(self.axis_moments)


@closed
@dataclass(frozen=True)
class Sphere(Shape):
    """A ball about the origin.

    Args:
        radius: radius [m].
    """

    kind: ClassVar[int] = SPHERE
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive("Sphere", "radius", self.radius))

    @property
    def volume(self) -> float:
        """Return the volume [m^3]."""
        return 4.0 / 3.0 * np.pi * self.radius**3

    @property
    def axis_moments(self) -> Vector:
        """Return the moments of inertia (3) about the centroid for density 1 [m^5]."""
        moment = 0.4 * self.volume * self.radius**2
        return moment, moment, moment


@closed
@dataclass(frozen=True)
class Box(Shape):
    """A box centred on the origin.

    Args:
        size: full edge lengths along x, y, z [m].
    """

    kind: ClassVar[int] = BOX
    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", positive_triple("Box", "size", self.size))

    @property
    def volume(self) -> float:
        """Return the volume [m^3]."""
        return self.size[0] * self.size[1] * self.size[2]

    @property
    def axis_moments(self) -> Vector:
        """Return the moments of inertia (3) about the centroid for density 1 [m^5]."""
        xx, yy, zz = (edge * edge for edge in self.size)
        share = self.volume / 12.0
        return (yy + zz) * share, (zz + xx) * share, (xx + yy) * share


@closed
@dataclass(frozen=True)
class Capsule(Shape):
    """A cylinder along z with half balls on both ends, centred on the origin.

    Args:
        radius: radius of the cylinder and of its ends [m].
        length: length of the straight part [m]; the whole is `length + 2 radius` long.
    """

    kind: ClassVar[int] = CAPSULE
    radius: float
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive("Capsule", "radius", self.radius))
        object.__setattr__(self, "length", positive("Capsule", "length", self.length))

    @property
    def volume(self) -> float:
        """Return the volume [m^3]."""
        return np.pi * self.radius**2 * (self.length + 4.0 / 3.0 * self.radius)

    @property
    def axis_moments(self) -> Vector:
        """Return the moments of inertia (3) about the centroid for density 1 [m^5]."""
        r, length = self.radius, self.length
        tube = np.pi * r * r * length
        ball = 4.0 / 3.0 * np.pi * r**3
        across = tube * (3.0 * r * r + length * length) / 12.0
        # half balls, moved out by length/2 (their centroids by 3r/8 more)
        across += ball * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r)
        return across, across, tube * 0.5 * r * r + ball * 0.4 * r * r


@closed
@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder along z, centred on the origin.

    Args:
        radius: radius [m].
        length: distance between the end faces [m].
    """

    kind: ClassVar[int] = CYLINDER
    radius: float
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive("Cylinder", "radius", self.radius))
        object.__setattr__(self, "length", positive("Cylinder", "length", self.length))

    @property
    def volume(self) -> float:
        """Return the volume [m^3]."""
        return np.pi * self.radius**2 * self.length

    @property
    def axis_moments(self) -> Vector:
        """Return the moments of inertia (3) about the centroid for density 1 [m^5]."""
        rr, ll = self.radius**2, self.length**2
        across = (3.0 * rr + ll) / 12.0
        return across * self.volume, across * self.volume, 0.5 * rr * self.volume


@closed
@dataclass(frozen=True)
class Cone(Shape):
    """A cone along z: base at z = -length/2, apex at z = +length/2.

    Its centroid is not the origin but (0, 0, -length/4).

    Args:
        radius: radius of the base [m].
        length: height [m].
    """

    kind: ClassVar[int] = CONE
    radius: float
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive("Cone", "radius", self.radius))
        object.__setattr__(self, "length", positive("Cone", "length", self.length))

    @property
    def volume(self) -> float:
        """Return the volume [m^3]."""
        return np.pi * self.radius**2 * self.length / 3.0

    @property
    def centroid(self) -> np.ndarray:
        """Return the centre of volume (3,) [m]."""
        return np.array([0.0, 0.0, -0.25 * self.length])

    @property
    def axis_moments(self) -> Vector:
        """Return the moments of inertia (3) about the centroid for density 1 [m^5]."""
        rr, ll = self.radius**2, self.length**2
        across = 0.15 * rr + 0.0375 * ll
        return across * self.volume, across * self.volume, 0.3 * rr * self.volume


@closed
@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An ellipsoid centred on the origin.

    Args:
        radii: semi-axes along x, y, z [m].
    """

    kind: ClassVar[int] = ELLIPSOID
    radii: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", positive_triple("Ellipsoid", "radii", self.radii))

    @property
    def volume(self) -> float:
        """Return the volume [m^3]."""
        return 4.0 / 3.0 * np.pi * self.radii[0] * self.radii[1] * self.radii[2]

    @property
    def axis_moments(self) -> Vector:
        """Return the moments of inertia (3) about the centroid for density 1 [m^5]."""
        xx, yy, zz = (radius * radius for radius in self.radii)
        share = self.volume / 5.0
        return (yy + zz) * share, (zz + xx) * share, (xx + yy) * share


@closed
@dataclass(frozen=True)
class HalfSpace(Shape):
    """All points x with normal . x <= offset; for floors and walls, static bodies only.

    Args:
        normal: outward direction, any length above zero; stored with length one.
        offset: distance of the surface from the origin along the normal [m].
    """

    kind: ClassVar[int] = HALFSPACE
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    offset: float = 0.0

    def __post_init__(self) -> None:
        normal = finite_array("HalfSpace", "normal", self.normal, (3,))
        length = float(np.linalg.norm(normal))
        if not (np.isfinite(length) and length > 1e-150):
            raise ValueError(f"HalfSpace: normal = {shown(self.normal)} must be a vector longer than zero")
        if length != 1.0:
            normal = normal / length
        offset = number("HalfSpace: offset", self.offset, "m", least=-LARGEST, most=LARGEST)
        object.__setattr__(self, "normal", (float(normal[0]), float(normal[1]), float(normal[2])))
        object.__setattr__(self, "offset", offset)

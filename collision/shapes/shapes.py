"""Shapes: plain descriptions of geometry, with the volume integrals that mass properties need.

A shape knows its own frame only. Where it sits is said by `placed.Placed` (within a body) and by the
`ShapeTable` (in the world). Kernels tell shapes apart by the codes of `kinds`.
"""

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from stoss.collision.plain_numbers import flag, number, shown
from stoss.collision.quaternions import Vector
from stoss.collision.shapes.checks import (
    LARGEST,
    finite_array,
    mesh_corners,
    positive,
    positive_triple,
    triangles,
    with_area,
)
from stoss.collision.shapes.hull_geometry import hull_polygons, polyhedron_moments
from stoss.collision.shapes.kinds import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HALFSPACE,
    HULL,
    MESH,
    SPHERE,
)
from stoss.collision.shapes.mesh_files import load_mesh
from stoss.collision.shapes.winding import check_winding, turned_alike
from stoss.names import closed

__all__ = [
    "Box",
    "Capsule",
    "Cone",
    "ConvexHull",
    "Cylinder",
    "Ellipsoid",
    "HalfSpace",
    "Shape",
    "Sphere",
    "TriangleMesh",
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


@closed
@dataclass(frozen=True, eq=False)
class ConvexHull(Shape):
    """The convex hull of points.

    Args:
        vertices: points (n, 3) [m]; those that are no corners of the hull are dropped.

    Attributes:
        faces: flat faces as polygons: arrays of vertex numbers, counter-clockwise seen from outside.
    """

    kind: ClassVar[int] = HULL
    vertices: np.ndarray
    faces: tuple[np.ndarray, ...] = field(init=False, repr=False)
    _moments: tuple[float, np.ndarray, np.ndarray] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        points = mesh_corners(
            "ConvexHull", self.vertices, "at least four points that do not lie in one plane", least=4
        )
        polygons = hull_polygons(points)
        corners = np.unique(np.concatenate(polygons))
        renumber = np.full(len(points), -1)
        renumber[corners] = np.arange(len(corners))
        vertices = np.ascontiguousarray(points[corners])
        vertices.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", tuple(renumber[polygon] for polygon in polygons))
        object.__setattr__(self, "_moments", polyhedron_moments(vertices, self.faces))

    def check_restored(self) -> None:
        """Raise ValueError unless faces and moments that were read with the vertices are those of a solid."""
        edges = set()
        for face in self.faces:
            if face.dtype != np.int64 or face.ndim != 1 or len(face) < 3:
                raise ValueError("ConvexHull: a face is no polygon")
            if face.min() < 0 or face.max() >= len(self.vertices):
                raise ValueError(f"ConvexHull: a face names vertices {face.min()} to {face.max()}")
            corners = face.tolist()
            edges |= set(zip(corners, [*corners[1:], corners[0]], strict=True))
        if len(edges) != sum(map(len, self.faces)) or edges != {(b, a) for a, b in edges}:
            raise ValueError("ConvexHull: the faces do not close")
        volume, centroid, moments = polyhedron_moments(self.vertices, self.faces)
        given = [*map(np.asarray, self._moments)]
        for found, right in zip(given, (np.array(volume), centroid, moments), strict=True):
            if not np.allclose(found, right, rtol=1e-9, atol=1e-9 * np.abs(right).max()):
                raise ValueError("ConvexHull: the moments are not those of its faces")

    @cached_property
    def content(self) -> bytes:
        """Return what tells hulls of other geometry apart: equal ones share their place in tables."""
        sizes = np.array([len(face) for face in self.faces])
        return _digest("hull", self.vertices, sizes, np.concatenate(self.faces))

    @classmethod
    def from_file(cls, path: str | Path) -> "ConvexHull":
        """Return the convex hull of the mesh in a file (any format trimesh reads).

        Args:
            path: STL, OBJ, PLY, OFF, GLB or glTF.
        """
        return cls(load_mesh(path)[0])

    @property
    def volume(self) -> float:
        """Return the volume [m^3]."""
        return self._moments[0]

    @property
    def centroid(self) -> np.ndarray:
        """Return the centre of volume (3,) [m]."""
        return self._moments[1].copy()

    @property
    def axis_moments(self) -> Vector:
        """Raise ValueError: see `second_moment`."""
        raise ValueError("ConvexHull has products of inertia too: use second_moment")

    @property
    def second_moment(self) -> np.ndarray:
        """Return the inertia tensor (3, 3) about the centroid for density 1 [m^5]."""
        return self._moments[2].copy()


@closed
@dataclass(frozen=True, eq=False)
class TriangleMesh(Shape):
    """A triangle mesh: terrain and other scenery, static bodies only.

    A mesh is a skin with one free side: bodies touch it from where its triangles are counter-clockwise, and
    come through it from behind. Moving non-convex bodies are compounds of convex parts.

    Args:
        vertices: points (n, 3) [m].
        faces: triangles (m, 3) as vertex numbers, counter-clockwise seen from outside.
        two_sided: let both sides be touched: for sheets, rooms seen from within and triangles wound anyhow.

    Raises:
        ValueError: neighbouring triangles are wound in opposite senses, or a closed surface faces inwards,
            and it is not two-sided.
    """

    kind: ClassVar[int] = MESH
    vertices: np.ndarray
    faces: np.ndarray
    two_sided: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "two_sided", flag("TriangleMesh: two_sided", self.two_sided))
        vertices = mesh_corners("TriangleMesh", self.vertices, "the corners of triangles")
        faces = triangles("TriangleMesh: faces", self.faces, len(vertices))
        if self.two_sided:
            faces = turned_alike(vertices, faces)
        else:
            check_winding("TriangleMesh", vertices, faces, ", or pass two_sided=True to have both sides free")
        vertices.setflags(write=False)
        faces.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)

    @cached_property
    def has_area(self) -> bool:
        """Return whether any triangle has an area beyond rounding; others are left out of collisions."""
        return bool(with_area(self.vertices, self.faces).any())

    @cached_property
    def content(self) -> bytes:
        """Return what tells meshes of other geometry apart: equal ones share their place in tables."""
        return _digest(f"mesh, two-sided: {self.two_sided}", self.vertices, self.faces)

    @classmethod
    def from_file(cls, path: str | Path, *, two_sided: bool = False) -> "TriangleMesh":
        """Return the mesh in a file (any format trimesh reads).

        Args:
            path: STL, OBJ, PLY, OFF, GLB or glTF.
            two_sided: whether bodies are held on both sides, as by a sheet.
        """
        return cls(*load_mesh(path), two_sided)


def _digest(what: str, *arrays: np.ndarray) -> bytes:
    digest = blake2b(what.encode(), digest_size=16)
    for array in arrays:
        digest.update(str((array.shape, array.dtype)).encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.digest()

"""Bodies: their geometry, and frames on them."""

from stoss.collision.quaternions import ORIGIN, UNTURNED, Quaternion, Vector
from stoss.engine.model.records.base import Matrix, Record

__all__ = ["Body", "Frame", "Marker", "Mesh", "Shape"]


class Mesh(Record, frozen=True, kw_only=True):
    """Triangles, or the corners of a hull: from a file, or given here.

    Args:
        name: by which shapes name it.
        file: of any format that trimesh reads, in the folder of the model or below.
        vertices: points (n, 3) [m].
        faces: polygons as numbers of vertices, counter-clockwise seen from outside; of a hull they may be
            left out.
        scale: factors along x, y, z.
    """

    name: str
    file: str | None = None
    vertices: tuple[Vector, ...] = ()
    faces: tuple[tuple[int, ...], ...] = ()
    scale: Vector = (1.0, 1.0, 1.0)


class Shape(Record, frozen=True, kw_only=True):
    """A shape at a place of its body: see `stoss.Box` and so on, and `stoss.Placed`.

    Args:
        type: which one: "box", "sphere", "convex_hull" and so on.
        mesh: name of a mesh, for hulls and triangle meshes.
        color: of a shape that is only displayed; left out: that of the body.
    """

    type: str
    size: Vector | None = None
    radius: float | None = None
    length: float | None = None
    radii: Vector | None = None
    normal: Vector | None = None
    offset: float | None = None
    mesh: str | None = None
    two_sided: bool | None = None
    position: Vector = ORIGIN
    quaternion: Quaternion = UNTURNED
    color: str | Vector | None = None


class Frame(Record, frozen=True, kw_only=True):
    """A place and an orientation.

    Args:
        position: its origin [m].
        quaternion: its orientation (w, x, y, z).
    """

    position: Vector = ORIGIN
    quaternion: Quaternion = UNTURNED


class Marker(Frame, frozen=True, kw_only=True):
    """A named frame on a body, or of the world: joints, sensors and forces refer to it.

    Args:
        name: in the model it is "body:name", of the world "name".
    """

    name: str


class Body(Record, frozen=True, kw_only=True):
    """A body: see `World.add_body`.

    Args:
        name: unique among the bodies.
        shapes: that collide, and have mass where nothing else is said.
        display: that are only drawn.
        center_of_mass, principal_quaternion: pose of the centre of mass and of the principal axes, in place
            of `position` and `quaternion`; a world is written so where those would differ in the last bit.
        inertia: principal moments about the centre of mass, with `mass` [kg m^2]; one number for all three.
        tensor: in place of `inertia`, the rows of the inertia tensor [kg m^2].
        center: centre of mass, with `inertia` or `tensor` [m].
        axes: orientation of the principal axes, with `inertia`.
        mass_mesh: name of a closed mesh that has the mass, in place of the shapes.
        material: name of its material.
        solver: of its island: "auto", "direct" or "gauss_seidel".
        force, torque: that act on it until they are changed [N, N m].
        first_force, first_torque: that act in the first step alone, as `Body.apply_force` has it [N, N m].
        markers: named frames on it.
    """

    name: str
    kind: str = "dynamic"
    shapes: tuple[Shape, ...] = ()
    display: tuple[Shape, ...] = ()
    position: Vector = ORIGIN
    quaternion: Quaternion = UNTURNED
    center_of_mass: Vector | None = None
    principal_quaternion: Quaternion | None = None
    velocity: Vector = ORIGIN
    angular_velocity: Vector = ORIGIN
    mass: float | None = None
    density: float | None = None
    inertia: Vector | None = None
    tensor: Matrix | None = None
    center: Vector | None = None
    axes: Quaternion | None = None
    mass_mesh: str | None = None
    material: str | None = None
    color: str | Vector | None = None
    group: int = 1
    mask: int = -1
    solver: str = "auto"
    surface_velocity: Vector = ORIGIN
    surface_angular_velocity: Vector = ORIGIN
    force: Vector = ORIGIN
    torque: Vector = ORIGIN
    first_force: Vector = ORIGIN
    first_torque: Vector = ORIGIN
    markers: tuple[Marker, ...] = ()

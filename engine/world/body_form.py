"""What a body is made of: shapes, mass properties and collision groups, checked once for all its copies."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from stoss.collision import Placed
from stoss.collision.quaternions import ORIGIN, UNTURNED, Quaternion, Vector, multiply_grouped, rotate_grouped
from stoss.collision.shapes.faceted import TriangleMesh
from stoss.collision.shapes.shape_table import check_shape
from stoss.collision.shapes.shapes import HalfSpace, Shape
from stoss.engine import checks
from stoss.engine.bodies.arrays import DYNAMIC, KIND_NAMES
from stoss.engine.bodies.mass import MassProperties, from_shapes
from stoss.engine.world.plane import Plane

__all__ = ["BodyForm", "LocalPart", "Shapes", "make_form"]

DEFAULT_DENSITY = 1000.0  # [kg/m^3], water: what a body weighs if neither mass nor density is given

Shapes = Shape | Placed | Iterable[Shape | Placed]


class LocalPart(NamedTuple):
    """A shape in the body frame of the dynamics, whose origin is the centre of mass."""

    shape: Shape
    position: Vector  # [m]
    quaternion: Quaternion


class BodyForm(NamedTuple):
    """What a body is made of; many bodies may share one form."""

    kind: int  # STATIC, KINEMATIC or DYNAMIC
    parts: tuple[Placed, ...]  # as they were given, in the reference frame
    local_parts: tuple[LocalPart, ...]
    mass_properties: MassProperties | None  # None: it does not react
    frame_position: Vector  # of the reference frame in the body frame [m]
    frame_quaternion: Quaternion
    group: int
    mask: int


def make_form(
    what: str,
    shapes: Shapes,
    kind: str,
    mass: float | None,
    density: float | None,
    mass_properties: MassProperties | None,
    group: int,
    mask: int,
    plane: Plane | None = None,
) -> BodyForm:
    """Return the form of a body from what the user gave; see `World.add_body`.

    Args:
        what: the body, or the bodies, as messages call them.
        plane: in which it moves, None: in space.
    """
    number = KIND_NAMES.index(checks.choice("kind", kind, KIND_NAMES))
    parts = _as_parts(shapes)
    group, mask = checks.bits("group", group), checks.bits("mask", mask)
    if number != DYNAMIC:
        if mass is not None or density is not None or mass_properties is not None:
            given = {"mass": mass, "density": density, "mass_properties": mass_properties}
            name, value = next((name, value) for name, value in given.items() if value is not None)
            raise ValueError(
                f"{name} = {checks.shown(value)}: {what} is {kind} and does not react; leave it out"
            )
        position, turn = ORIGIN, UNTURNED
    else:
        if not parts and mass_properties is None:
            raise ValueError(
                f"shapes = {checks.shown(shapes)} of a dynamic body, which has no mass then; give a shape, "
                "or mass_properties"
            )
        mass_properties = _mass_properties(parts, mass, density, mass_properties)
        for part in parts:
            if isinstance(part.shape, HalfSpace | TriangleMesh):
                # one would fall through the other, and through its like
                raise ValueError(
                    f"{what}: a {type(part.shape).__name__} is scenery, and this body is dynamic; give a "
                    "ConvexHull of the vertices, several from stoss.decompose(mesh), or kind='kinematic'"
                )
        if plane is not None:
            mass_properties = plane.mass_properties(what, mass_properties)
        position, turn = mass_properties.frame
    local = tuple([LocalPart(part.shape, *_in_body(part, position, turn)) for part in parts])
    return BodyForm(number, parts, local, mass_properties, position, turn, group, mask)


def _as_parts(shapes: Shapes) -> tuple[Placed, ...]:
    """Return the shapes of a body as placed shapes."""
    if isinstance(shapes, Shape | Placed | str | bytes | bytearray | type) or not isinstance(
        shapes, Iterable
    ):
        return (_as_part(shapes),)
    try:
        return tuple(_as_part(shape) for shape in shapes)
    except TypeError as error:
        raise TypeError(f"{error}; of {checks.shown(shapes)}") from None


def _as_part(shape: Any) -> Placed:
    part = shape if isinstance(shape, Placed) else None
    check_shape("shapes", shape if part is None else part.shape)
    return Placed(shape) if part is None else part


def _mass_properties(
    parts: tuple[Placed, ...],
    mass: float | None,
    density: float | None,
    properties: MassProperties | None,
) -> MassProperties:
    """Return the mass properties of a dynamic body from what the user gave."""
    if properties is not None:
        if mass is not None or density is not None:
            raise ValueError(
                f"mass_properties = {checks.shown(properties)}, mass = {checks.shown(mass)}, density = "
                f"{checks.shown(density)}; give only one of them"
            )
        such_as = "stoss.from_values(mass, inertia)"
        found: MassProperties = checks.instance("mass_properties", properties, MassProperties, such_as)
        return found
    if mass is None and density is None:
        density = DEFAULT_DENSITY
    return from_shapes(parts, density=density, mass=mass)


def _in_body(part: Placed, position: Vector, turn: Quaternion) -> tuple[Vector, Quaternion]:
    """Return the pose of a part in the body frame, from the pose of the reference frame there."""
    x, y, z = rotate_grouped(turn, part.position)
    return (position[0] + x, position[1] + y, position[2] + z), multiply_grouped(turn, part.quaternion)

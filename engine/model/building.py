"""From a model to a world: each record calls what it stands for."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from stoss.collision import Placed
from stoss.collision.quaternions import ORIGIN, UNTURNED, length
from stoss.engine.bodies.mass import MassProperties, from_values
from stoss.engine.bodies.mass_of_mesh import from_mesh
from stoss.engine.bodies.material import Material
from stoss.engine.model import records
from stoss.engine.model.assembling import assemble
from stoss.engine.model.errors import ModelError
from stoss.engine.model.geometry import Geometry
from stoss.engine.model.joining import Joining
from stoss.engine.model.laws import law_of
from stoss.engine.model.loads import add_load
from stoss.engine.world.body import Body
from stoss.engine.world.colors import checked_color
from stoss.engine.world.drawn import Drawn
from stoss.engine.world.world import World
from stoss.names import hint

__all__ = ["build_world"]

_UNIT = 1e-15  # quaternions that miss the length one by less are rounded ones, and stay as they are

# Fields in which bodies that are added together may differ; the others make one form.
_OWN = dict(
    name="",
    position=ORIGIN,
    quaternion=UNTURNED,
    velocity=ORIGIN,
    angular_velocity=ORIGIN,
    center_of_mass=None,
    principal_quaternion=None,
    color=None,
    markers=(),
    display=(),
    solver="auto",
    surface_velocity=ORIGIN,
    surface_angular_velocity=ORIGIN,
    force=ORIGIN,
    torque=ORIGIN,
    first_force=ORIGIN,
    first_torque=ORIGIN,
)


def build_world(model: Any) -> World:
    """Return a world of a model that has plain numbers and no models within it.

    Args:
        model: the model, as `Model.flat` returns it.

    Raises:
        ModelError: names the record, the argument, its value and the cure.
    """
    return _Builder(model).build()


class _Builder:
    """What is known while a world is built."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.geometry = Geometry(model.meshes)
        self.materials: dict[str, Material] = {}

    def build(self) -> World:
        model, own = self.model, self.model.world
        with self.told("world"):
            if own.units != "SI":
                raise ModelError(f"units = {own.units!r}: numbers are in SI; write others as 20*mm, 45*deg")
            plane = {} if own.planar is None else {"planar": own.planar}
            world = World(own.gravity, own.time_step, own.settings, **plane)
            world.time = own.time
        self.world = world
        for material in model.materials:
            with self.told("materials", material.name):
                self.materials[material.name] = _material(material)
        for number, pair in enumerate(model.material_pairs):
            with self.told("material_pairs", number):
                first, second = self.material(pair.first), self.material(pair.second)
                values = _with_laws(pair)
                law = values.pop("friction_law", None)
                if law is not None:
                    values["friction"] = law
                world.set_material_pair(first, second, **values)
        for run in _runs(model.bodies):
            self.add_bodies(run)
        for marker in model.markers:
            with self.told("markers", marker.name):
                world.add_marker(marker.name, position=marker.position, quaternion=marker.quaternion)
        for number, (first, second) in enumerate(model.exclude):
            with self.told("exclude", number):
                world.exclude_collision(self.body(first), self.body(second))
        joining = Joining(world, own.planar)
        for joint in model.joints:
            with self.told("joints", joint.name):
                joining.add(joint)
        for coordinate in model.coordinates:
            with self.told("coordinates", coordinate.name):
                joining.add_coordinate(coordinate)
        if model.initial.replace(tolerance=0.0) != records.Initial(tolerance=0.0):
            with self.told("initial"):
                assemble(world, model.initial, {one.name: one for one in model.coordinates})
        joining.capture()
        for load in model.forces:
            with self.told("forces", load.name):
                add_load(world, load)
        return world

    @contextmanager
    def told(self, *place: str | int) -> Iterator[None]:
        """Let errors say which record they come from."""
        try:
            yield
        except (ValueError, TypeError, KeyError) as error:
            raise self.model.origin.error(place, _text(error)) from error

    def body(self, name: str) -> Body:
        return self.world.body(name)

    def material(self, name: str) -> Material:
        if name not in self.materials:
            known = ", ".join(self.materials) or "none"
            raise ModelError(
                f"material = {name!r} is unknown{hint(name, self.materials)}; there are {known}: "
                "add it to [materials]"
            )
        return self.materials[name]

    # ------------------------------------------------------------- bodies

    def add_bodies(self, run: list[records.Body]) -> None:
        """Add bodies that are of one form, and what each has besides."""
        first = run[0]
        with self.told("bodies", first.name):
            form = self.form(first)
        if len(run) == 1:
            with self.told("bodies", first.name):
                body = self.world.add_body(
                    name=first.name,
                    position=first.position,
                    quaternion=first.quaternion,
                    velocity=first.velocity,
                    angular_velocity=first.angular_velocity,
                    **form,
                )
                self.finish(first, body)
            return
        try:
            bodies = self.world.add_bodies(
                positions=[one.position for one in run],
                quaternions=[one.quaternion for one in run],
                velocities=[one.velocity for one in run],
                angular_velocities=[one.angular_velocity for one in run],
                names=[one.name for one in run],
                **form,
            )
        except (ValueError, TypeError):
            for one in run:  # by itself, one of them says what is wrong
                self.add_bodies([one])
            raise
        for record, body in zip(run, bodies, strict=True):
            with self.told("bodies", record.name):
                self.finish(record, body)

    def form(self, body: records.Body) -> dict[str, Any]:
        """Return the arguments of `add_body` that make the form of a body."""
        found: dict[str, Any] = {
            "shapes": [self.shape(number, one) for number, one in enumerate(body.shapes)],
            "kind": body.kind,
            "group": body.group,
            "mask": body.mask,
        }
        found |= self.mass(body)
        if body.material is not None:
            found["material"] = self.material(body.material)
        return found

    def shape(self, number: int, shape: records.Shape) -> Placed:
        try:
            made = Placed(self.geometry.shape(shape), shape.position, shape.quaternion)
        except (ValueError, TypeError) as error:
            raise ModelError(f"shapes[{number}]: {_text(error)}") from error
        if abs(length(shape.quaternion) - 1.0) <= _UNIT:
            # the same bits as where it was read from: dividing by a length of one may change the last one
            object.__setattr__(made, "quaternion", shape.quaternion)
        return made

    def drawn(self, number: int, shape: records.Shape) -> Drawn:
        try:
            color = checked_color("color", shape.color)
            if shape.type == "triangle_mesh":
                shape = shape.replace(two_sided=True)  # nothing touches it, so it may be open and inside out
            made = Drawn(self.geometry.shape(shape), shape.position, shape.quaternion, color)
        except (ValueError, TypeError) as error:
            raise ModelError(f"display[{number}]: {_text(error)}") from error
        if abs(length(shape.quaternion) - 1.0) <= _UNIT:
            object.__setattr__(made, "quaternion", shape.quaternion)  # as for the others
        return made

    def mass(self, body: records.Body) -> dict[str, Any]:
        """Return the arguments of `add_body` that say what a body weighs."""
        if body.inertia is None and body.tensor is None:
            if body.center is not None or body.axes is not None:
                name = "center" if body.center is not None else "axes"
                raise ModelError(f"{name} = {getattr(body, name)} without inertia; give mass and inertia too")
            if body.mass_mesh is None:
                given = {"mass": body.mass, "density": body.density}
                return {name: value for name, value in given.items() if value is not None}
            density = 1000.0 if body.mass is None and body.density is None else body.density
            solid = self.geometry.mesh(body.mass_mesh)
            return {"mass_properties": from_mesh(solid, density=density, mass=body.mass)}
        for name in ("density", "mass_mesh"):
            if getattr(body, name) is not None:
                raise ModelError(
                    f"{name} = {getattr(body, name)!r} with inertia; give mass and inertia alone"
                )
        if body.mass is None:
            raise ModelError("inertia without mass; give mass too")
        center = ORIGIN if body.center is None else body.center
        if body.tensor is not None:
            if body.inertia is not None or body.axes is not None:
                raise ModelError("tensor with inertia or axes; give one of them")
            return {"mass_properties": from_values(body.mass, body.tensor, center)}
        axes: Any = UNTURNED if body.axes is None else body.axes
        return {"mass_properties": MassProperties(body.mass, center, body.inertia, axes)}  # type: ignore[arg-type]

    def finish(self, record: records.Body, body: Body) -> None:
        """Give a body what it has besides its form."""
        if record.color is not None:
            body.color = record.color
        if record.display:
            body.display = [self.drawn(k, shape) for k, shape in enumerate(record.display)]
        if record.solver != "auto":
            body.solver = record.solver
        if record.surface_velocity != ORIGIN:
            body.surface_velocity = record.surface_velocity
        if record.surface_angular_velocity != ORIGIN:
            body.surface_angular_velocity = record.surface_angular_velocity
        load = record.first_force + record.first_torque
        if any(load):
            self.world._all_bodies.next_step.add_load(body._key, np.array(load))
        for name, row in (("forces", record.force), ("torques", record.torque)):
            if any(row):
                self.write(body, name, row)
        if record.center_of_mass is not None:
            self.write(body, "positions", record.center_of_mass)
        if record.principal_quaternion is not None:
            self.write(body, "quaternions", record.principal_quaternion)
        for marker in record.markers:
            self.world.add_marker(marker.name, body, position=marker.position, quaternion=marker.quaternion)

    def write(self, body: Body, name: str, row: tuple[float, ...]) -> None:
        """Write the row of a body in an array; to look at the arrays costs as much as to add the body."""
        getattr(self.world._all_bodies.arrays, name)[body._row] = row


def _text(error: BaseException) -> str:
    """Return what an error says; a KeyError says it in quotes."""
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)


def _with_laws(record: records.Material | records.MaterialPair) -> dict[str, Any]:
    """Return what a record says of surfaces, its laws made."""
    names = ("name", "label", "first", "second")
    found = {one: getattr(record, one) for one in record.__struct_fields__ if one not in names}
    return {
        name: law_of(value) if isinstance(value, records.Law) else value
        for name, value in found.items()
        if value is not None
    }


def _material(record: records.Material) -> Material:
    return Material(name=record.name if record.label is None else record.label, **_with_laws(record))


def _runs(bodies: tuple[records.Body, ...]) -> Iterator[list[records.Body]]:
    """Yield bodies that follow one another and are of one form: they are added together, much faster."""
    run: list[records.Body] = []
    form: records.Body | None = None
    for body in bodies:
        own = body.replace(**_OWN)
        if run and own != form:
            yield run
            run = []
        form = own
        run.append(body)
    if run:
        yield run

"""From a world to a model, bit for bit.

What is written is tried, and the plainest form that gives the same bits is taken.
"""

import dataclasses
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from stoss.collision.quaternions import ORIGIN, UNTURNED, quaternion_of, vector_of
from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.placed import Placed
from stoss.collision.shapes.shapes import Shape
from stoss.engine import checks
from stoss.engine.bodies.arrays import DYNAMIC, KIND_NAMES
from stoss.engine.bodies.mass import MassProperties, from_shapes
from stoss.engine.bodies.material import IMPACT_LAWS, Material
from stoss.engine.bodies.material_pairs import CONTACT, FRICTION_LAW, LAW, OWN, RESTITUTION, SLIDE, STICK
from stoss.engine.laws.comparison_contacts import law_of_numbers
from stoss.engine.model import records
from stoss.engine.model.controlling import described
from stoss.engine.model.describing_joints import JointDescriber
from stoss.engine.model.errors import ModelError
from stoss.engine.model.kinds import type_name
from stoss.engine.model.laws import law_record
from stoss.engine.model.loads import describe_loads
from stoss.engine.settings import SOLVERS
from stoss.engine.world.body_form import BodyForm
from stoss.engine.world.body_store import DEFAULT_MATERIAL
from stoss.engine.world.drawn import Drawn
from stoss.engine.world.plane import usual_gravity
from stoss.engine.world.poses import body_pose
from stoss.engine.world.world import World

__all__ = ["describe"]

_WRITTEN = ("velocities", "angular_velocities", "forces", "torques")  # arrays that users write into


def describe(world: World) -> dict[str, Any]:
    """Return the fields of the model of a world, `left_out` among them.

    Raises:
        ModelError: NaN or infinity was written into an array of the world.
    """
    for name in _WRITTEN:
        try:
            checks.rows(f"world.{name}", getattr(world, name), None, 3)
        except ValueError as error:
            raise ModelError(str(error)) from None
    return _Describer(world).fields()


class _Describer:
    """What is known while a world is described."""

    def __init__(self, world: World) -> None:
        self.world, self.store = world, world._body_store
        self.b = self.store.arrays
        self.meshes: dict[tuple[str, bytes], records.Mesh] = {}
        self.materials: dict[Material, records.Material] = {}
        self.masses: dict[Any, dict[str, Any]] = {}
        self.left_out: list[str] = []

    def fields(self) -> dict[str, Any]:
        world, store = self.world, self.store
        markers = self._markers()
        loads, other = describe_loads(world, markers)
        bodies = tuple([self._body(row, markers.get(record.key, ())) for row, record in self._records()])
        names = {record.key: record.name for record in store.registry.records}
        rows = {record.key: row for row, record in self._records()}
        pairs = sorted(store.excluded, key=lambda pair: (rows[pair[0]], rows[pair[1]]))
        joints = JointDescriber(world)
        self._look_for_the_rest()
        return {
            "world": records.WorldSettings(
                gravity=None
                if _same(world._gravity, usual_gravity(world.planar))
                else vector_of(world._gravity),
                time_step=world.time_step,
                settings=world.settings,
                planar=world.planar,
                time=float(world.time),
            ),
            "material_pairs": tuple(self._material_pairs()),
            "materials": tuple(self.materials.values()),
            "meshes": tuple(self.meshes.values()),
            "bodies": bodies,
            "markers": tuple(markers.get(None, ())),
            "joints": tuple(joints.describe()),
            "exclude": tuple((names[first], names[second]) for first, second in pairs),
            "forces": tuple(loads),
            "left_out": (*self.left_out, *joints.left_out, *other),
        }

    def _records(self) -> Iterable[tuple[int, Any]]:
        return enumerate(self.store.registry.records)

    def _look_for_the_rest(self) -> None:
        """Note what a world may have that is no data."""
        world, store = self.world, self.store
        for when in ("before_step", "after_step"):
            for function in getattr(world, when):
                name = getattr(function, "__qualname__", type(function).__name__)
                self.left_out.append(f"{when}: {name} is Python code")
        if world._control is not None:
            _, known = described(world)
            known = {f"actuator {name!r}" for name in known}
            self.left_out += [one for one in world._control.told if one not in known]
        names = {record.key: record.name for record in store.registry.records}
        told = store.next_step
        for key in {*told.moves, *(key for key, way in told.moving.items() if way.stops)}:
            self.left_out.append(f"body {names[key]!r}: move_to, which is of one step")

    # ------------------------------------------------------------- bodies

    def _markers(self) -> dict[int | None, list[records.Marker]]:
        found: dict[int | None, list[records.Marker]] = {}
        names = {record.key: record.name for record in self.store.registry.records}
        for one in self.world._markers.save():
            own = one.name if one.body is None else one.name[len(names[one.body]) + 1 :]
            made = records.Marker(name=own, position=one.position, quaternion=one.quaternion)
            found.setdefault(one.body, []).append(made)
        return found

    def _body(self, row: int, markers: Iterable[records.Marker]) -> records.Body:
        store, b = self.store, self.b
        record, form = store.registry.records[row], store.form(row)
        kind = int(b.kinds[row])
        changes: dict[str, Any] = {}
        if kind == DYNAMIC:
            changes |= self._mass(row, form)
        changes |= self._pose(row, form)
        material = store.materials[row]
        if material != DEFAULT_MATERIAL:
            changes["material"] = self._material(material)
        color = store.colors.get(record.key)
        if color is not None:
            changes["color"] = color
        display = store.displays.get(record.key, ())
        if display:
            changes["display"] = tuple([self._shape(one) for one in display])
        load = store.next_step.loads.get(record.key)
        if load is not None:
            changes |= {"first_force": vector_of(load[:3]), "first_torque": vector_of(load[3:])}
        motion = b.surface_motion[row]
        return records.Body(
            name=record.name,
            kind=KIND_NAMES[kind],
            shapes=tuple([self._shape(part) for part in form.parts]),
            velocity=vector_of(b.velocities[row]),
            angular_velocity=vector_of(b.angular_velocities[row]),
            group=form.group,
            mask=form.mask,
            solver=SOLVERS[b.solver[row]],
            surface_velocity=vector_of(motion[:3]),
            surface_angular_velocity=vector_of(motion[3:]),
            force=vector_of(b.forces[row]),
            torque=vector_of(b.torques[row]),
            markers=tuple(markers),
            **changes,
        )

    def _pose(self, row: int, form: BodyForm) -> dict[str, Any]:
        """Return the pose of a body's shapes, and that of its centre of mass where rounding would show."""
        body, b = self.store.handles[row], self.b
        position, quaternion = vector_of(body.position), quaternion_of(body.quaternion)
        found: dict[str, Any] = {"position": position, "quaternion": quaternion}
        turn = checks.unit_quaternion("quaternion", quaternion)
        made = body_pose(position, turn, form.frame_position, form.frame_quaternion)
        if not _same(made[0], b.positions[row]):
            found["center_of_mass"] = vector_of(b.positions[row])
        if not _same(made[1], b.quaternions[row]):
            found["principal_quaternion"] = quaternion_of(b.quaternions[row])
        return found

    def _mass(self, row: int, form: BodyForm) -> dict[str, Any]:
        """Return what a dynamic body weighs: nothing where it is of water, or what else says it in short."""
        properties = form.mass_properties
        assert properties is not None
        mass, inertia = float(self.b.masses[row]), self.b.inertias[row]
        changed = mass != properties.mass or not _same(inertia, properties.inertia)
        if changed:
            properties = MassProperties(mass, properties.center, inertia.copy(), properties.quaternion)
            return _weighed(properties, form.parts)
        key = (id(properties), form.parts)
        if key not in self.masses:
            self.masses[key] = _weighed(properties, form.parts)
        return self.masses[key]

    # ------------------------------------------------------------- shapes and materials

    def _shape(self, part: Placed | Drawn) -> records.Shape:
        shape, kind = part.shape, type_name(type(part.shape))
        if isinstance(shape, ConvexHull | TriangleMesh):
            own: dict[str, Any] = {"mesh": self._mesh(shape)}
            if isinstance(shape, TriangleMesh) and shape.two_sided:
                own["two_sided"] = True
        else:
            own = _fields(shape)
        if isinstance(part, Drawn):
            own["color"] = part.color
        return records.Shape(type=kind, position=part.position, quaternion=part.quaternion, **own)

    def _mesh(self, shape: ConvexHull | TriangleMesh) -> str:
        key = (type(shape).__name__, shape.content)
        if key not in self.meshes:
            faces = [face.tolist() for face in shape.faces]
            self.meshes[key] = records.Mesh(
                name=f"mesh {len(self.meshes) + 1}",
                vertices=tuple([(x, y, z) for x, y, z in shape.vertices.tolist()]),
                faces=tuple(map(tuple, faces)),
            )
        return self.meshes[key].name

    def _material(self, material: Material) -> str:
        if material not in self.materials:
            taken = {one.name for one in self.materials.values()}
            number = len(self.materials) + 1
            name = material.name or f"material {number}"
            while name in taken:
                number += 1
                name = f"{material.name or 'material'} {number}"
            values = {
                field.name: getattr(material, field.name)
                for field in dataclasses.fields(Material)
                if field.name != "name" and getattr(material, field.name) != field.default
            }
            for law in ("friction_law", "contact_law"):
                if law in values:
                    values[law] = law_record(values[law])
            if material.friction_law is not None:  # which says them
                values.pop("friction", None)
                values.pop("static_friction", None)
            label = None if material.name == name else material.name
            self.materials[material] = records.Material(name=name, label=label, **values)
        return self.materials[material].name

    def _material_pairs(self) -> Iterable[records.MaterialPair]:
        pairs = self.store.pairs
        by_number = {number: material for material, number in pairs.groups.items()}
        for i in range(1, len(pairs.table)):
            for j in range(i, len(pairs.table)):
                values = pairs.table[i, j]
                found: dict[str, Any] = {}
                if not np.isnan(values[OWN]):
                    law = law_of_numbers(int(values[CONTACT]), values[CONTACT + 1 :])
                    found["contact_law"] = law_record(law)
                if not math.isnan(values[RESTITUTION]):
                    found["restitution"] = float(values[RESTITUTION])
                if not math.isnan(values[SLIDE]) and not math.isnan(values[FRICTION_LAW]):
                    found["friction_law"] = law_record(self.world._laws.laws[int(values[FRICTION_LAW])])
                elif not math.isnan(values[SLIDE]):
                    found["friction"] = float(values[SLIDE])
                    if values[STICK] != values[SLIDE]:
                        found["static_friction"] = float(values[STICK])
                if not math.isnan(values[LAW]):
                    found["impact_law"] = IMPACT_LAWS[int(values[LAW])]
                if not found:
                    continue
                first, second = self._material(by_number[i]), self._material(by_number[j])
                yield records.MaterialPair(first=first, second=second, **found)


def _weighed(properties: MassProperties, parts: tuple[Placed, ...]) -> dict[str, Any]:
    """Return the shortest form in which a body has these mass properties to the last bit."""
    if parts:
        choices: list[dict[str, float]] = [{"density": 1000.0}, {"mass": properties.mass}]
        try:
            density = properties.mass / from_shapes(parts, density=1.0).mass
            choices += [{"density": float(f"{density:.12g}")}, {"density": density}]
            for choice in choices:
                if _equal(from_shapes(parts, **choice), properties):
                    return {} if choice == {"density": 1000.0} else dict(choice)
        except ValueError:  # shapes without volume: the values were given
            pass
    found: dict[str, Any] = {"mass": properties.mass, "inertia": vector_of(properties.inertia)}
    if not _same(properties.center, ORIGIN):
        found["center"] = vector_of(properties.center)
    if not _same(properties.quaternion, UNTURNED):
        found["axes"] = quaternion_of(properties.quaternion)
    return found


def _equal(one: MassProperties, other: MassProperties) -> bool:
    return one.mass == other.mass and all(
        _same(getattr(one, name), getattr(other, name)) for name in ("center", "inertia", "quaternion")
    )


def _fields(shape: Shape) -> dict[str, Any]:
    """Return the numbers of a shape, without those that are the defaults."""
    return {
        field.name: getattr(shape, field.name)
        for field in dataclasses.fields(shape)
        if field.init and getattr(shape, field.name) != field.default
    }


def _same(one: Any, other: Any) -> bool:
    """Return whether numbers have the same bits."""
    return np.asarray(one, np.float64).tobytes() == np.asarray(other, np.float64).tobytes()

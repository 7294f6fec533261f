"""Loads of a model in a world, and those of a world in a model."""

import dataclasses
from typing import Any

import numpy as np

from stoss.collision.quaternions import ORIGIN, UNTURNED, Quaternion, Vector, multiply, quaternion_of, rotate
from stoss.engine.forces.constant import JointTorque, ReadyLoad, Torque
from stoss.engine.forces.ends import end_of
from stoss.engine.forces.load import Load
from stoss.engine.forces.springs import RotationalSpring
from stoss.engine.laws.contact import ContactLaw
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.frames import normals
from stoss.engine.model.kinds import EACH, LOADS, arguments, given, load_class, load_type, type_name
from stoss.engine.model.laws import law_of, law_record
from stoss.engine.world.body import Body
from stoss.engine.world.joint import Joint
from stoss.engine.world.load_kind import End
from stoss.engine.world.marker import Marker
from stoss.engine.world.world import World
from stoss.names import hint

__all__ = ["add_load", "carried_by_loads", "describe_loads"]

_ACTUATORS = "actuator "  # how loads are called by which actuators act


def add_load(world: World, record: records.Load) -> Load:
    """Add a load to a world whose bodies, markers and joints are there.

    Args:
        world: the world.
        record: of the load.

    Raises:
        ModelError, ValueError, TypeError, KeyError: names what is wrong.
    """
    kind = load_class(record.type)
    taken = arguments(records.Load, record.type)
    values = given(record, records.Load)
    if record.parameters and record.type in LOADS:
        raise ModelError(f"parameters are of loads that plug-ins add; a {record.type} has none")
    if record.type not in LOADS:
        return _add_plugin(world, record, kind, taken, values)
    for name, needed in taken.items():
        if needed and name not in values and (name not in kind._ends or name == "points"):
            raise ModelError(f"{name} is missing; a {record.type} needs it")
    for name in kind._ends:
        if name == "points":
            values[name] = [_place(world, name, one) for one in values[name]]
        elif name in values and not (name == "frame" and values[name] in _FRAMES):
            values[name] = _place(world, name, values[name])
        elif name not in values and taken[name]:
            values[name] = None  # the world
    for name in kind._joints:
        values[name] = world.joint(values[name])
    if "law" in values:
        values["law"] = law_of(values["law"])
    for name in ("force", "torque"):
        if name in values:
            values[name] = _amount(world, kind, name, values[name])
    if kind is RotationalSpring and world.plane is not None and world.plane.name != "xy":
        values.setdefault("axis", normals[world.plane.name])
    if isinstance(values.get("damping_by"), str) and record.type == "wobbling_mass":
        values["damping_by"] = float(values["damping_by"])
    for name in EACH:
        if f"each_{name}" in values:
            if name in values:
                raise ModelError(f"each_{name} and {name} say the same; give one of them")
            values[name] = values.pop(f"each_{name}")
    return _added(world, record, kind(**values))


def _added(world: World, record: records.Load, load: Any) -> Load:
    """Add a load, or a function, under the name of a record."""
    made = world.add_load(load, name=record.name)
    if not record.enabled:
        made.enabled = False
    return made


def _add_plugin(
    world: World, record: records.Load, kind: Any, taken: dict[str, bool], values: dict[str, Any]
) -> Load:
    """Add a load of a plug-in: a ready-made one, or an object that is called as a function."""
    for name, needed in taken.items():
        if needed and name not in values:
            raise ModelError(f"{name} is missing; a {record.type} needs it")
    return _added(world, record, kind(**values))


_FRAMES = ("world", "local", "joint", "first", "second")


def _place(world: World, what: str, name: str) -> Body | Marker:
    bodies, markers = world._all_bodies.registry, world._markers.registry
    if name in bodies:
        return bodies.named(name)
    if name in markers:
        return markers.named(name)
    known = [*bodies.names, *markers.names]
    raise ModelError(
        f"{what} = {name!r} is neither a body nor a marker{hint(name, known)}; write 'body' or 'body:marker'"
    )


def _amount(world: World, kind: type[ReadyLoad], name: str, numbers: tuple[float, ...]) -> Any:
    """Return a force or torque as its load takes it: one number, or three."""
    plane, turns = world.plane, name == "torque"
    if len(numbers) == 3:
        return numbers
    if plane is not None and kind is Torque and len(numbers) == 1:
        return plane.turn_vector(numbers[0])
    if plane is not None and not turns and len(numbers) == 2:
        return plane.vector(*numbers)
    one_will_do = kind is JointTorque or kind.__dataclass_fields__[name].type in (float, "float")
    if len(numbers) == 1 and one_will_do:
        return numbers[0]
    wanted = "one number" if one_will_do else "three numbers"
    raise ModelError(f"{name} = {list(numbers)} of a {type_name(kind)} must be {wanted}")


def describe_loads(
    world: World, markers: dict[int | None, list[records.Marker]]
) -> tuple[list[records.Load], list[str]]:
    """Return the records of the loads of a world, and what is no data.

    Args:
        world: the world.
        markers: records of its markers by the keys of their bodies; those that loads need, whose places have
            no name, are added.
    """
    found: list[records.Load] = []
    left_out = [f"integral {one.name!r} is Python code" for one in world.integrals]
    places = _Places(world, markers)
    for load in world.loads:
        if load.name.startswith(_ACTUATORS):
            continue  # of an actuator, which is told by itself
        kind, name = load.kind, load.name
        known = load_type(type(kind)) if dataclasses.is_dataclass(kind) else None
        if known is not None and known not in LOADS:
            found.append(_of_plugin(places, load, known))
            continue
        if known is None:
            what = "Python code" if not isinstance(kind, ReadyLoad) else f"a {type(kind).__name__}"
            left_out.append(f"load {name!r} is {what}")
            continue
        if isinstance(kind, RotationalSpring) and not places.known(kind.first, kind.second):
            kind = _with_axis(world, kind)
        fields: dict[str, Any] = {}
        for field in dataclasses.fields(kind):
            value = getattr(kind, field.name)
            if value is None or (field.default is not dataclasses.MISSING and _same(value, field.default)):
                continue
            if isinstance(value, Joint):
                value = value.name
            elif isinstance(value, ContactLaw):
                value = law_record(value)
            elif field.name == "points":
                value = tuple([places.name(one, f"{name} {i}") for i, one in enumerate(value, 1)])
            elif field.name in kind._ends and not isinstance(value, str):
                if _same(value, ORIGIN):
                    continue  # the world
                value = places.name(value, f"{name} {field.name}")
            elif field.name in ("force", "torque"):
                value = tuple(np.atleast_1d(value).tolist())
            elif field.name == "springs":
                value = tuple(map(tuple, np.asarray(value).tolist()))
            elif field.name in EACH and isinstance(value, np.ndarray):
                if len(set(value.tolist())) > 1:
                    fields[f"each_{field.name}"] = tuple(value.tolist())
                    continue
                value = float(value[0])
            elif field.name == "damping_by":
                value = str(value)
            elif isinstance(value, np.ndarray | tuple | list):
                value = tuple(np.asarray(value).tolist())
            elif isinstance(value, np.generic):
                value = value.item()
            fields[field.name] = value
        found.append(records.Load(name=name, type=known, enabled=load.enabled, **fields))
    return found, left_out


def _of_plugin(places: "_Places", load: Load, known: str) -> records.Load:
    """Return the record of a load of a plug-in: what has a key of its own, and numbers by their names."""
    kind = load.kind
    fields: dict[str, Any] = {}
    numbers: dict[str, float] = {}
    values = {one.name: getattr(kind, one.name) for one in dataclasses.fields(kind) if one.init}
    for name, value in values.items():
        if isinstance(value, Joint):
            fields[name] = value.name
        elif name in getattr(kind, "_ends", ()) and not isinstance(value, str):
            fields[name] = places.name(value, f"{load.name} {name}")
        elif name in records.Load.__struct_fields__:
            fields[name] = value.item() if isinstance(value, np.generic) else value
        elif isinstance(value, int | float | np.number):
            numbers[name] = float(value)
    return records.Load(name=load.name, type=known, enabled=load.enabled, parameters=numbers, **fields)


class _Places:
    """Names of the places of loads: of bodies, of markers that are there, or of ones that are added.

    Args:
        world: the world.
        markers: records of its markers by the keys of their bodies.
    """

    def __init__(self, world: World, markers: dict[int | None, list[records.Marker]]) -> None:
        self._bodies, self._registry = world._all_bodies, world._markers.registry
        self._world, self._markers = world, markers
        self._names: dict[Any, str] = {}  # of markers by body, position and frame; of two, the first
        for one in self._registry.records:
            self._names.setdefault((one.body, one.position, one.quaternion), one.name)

    def known(self, *places: Any) -> bool:
        """Return whether places are bodies or markers that are there."""
        return all(self._key(end_of("place", one, self._world)) in self._names for one in places)

    def name(self, place: Any, wanted: str) -> str:
        """Return the name of a place, that of a new marker if it has none.

        Args:
            place: body, marker, end, point on a body or of the world.
            wanted: name of a new marker.
        """
        if isinstance(place, Body | Marker):
            return place.name
        end = end_of("place", place, self._world)
        key = self._key(end)
        if key not in self._names:
            body = None if end.body is None else self._bodies.registry.of_key(end.body)
            own = self._markers.setdefault(end.body, [])
            taken, name, number = {one.name for one in own}, wanted, 2
            while name in taken:
                name, number = f"{wanted} {number}", number + 1
            own.append(records.Marker(name=name, position=key[1], quaternion=end.quaternion))
            self._names[key] = name if body is None else f"{body.name}:{name}"
        return self._names[key]

    def _key(self, end: End) -> tuple[int | None, Vector, Quaternion]:
        """Return body, position and frame of an end, that of a centre of mass in the frame of the shapes."""
        if end.point is not None or end.body is None:
            return end.body, end.point or (0.0, 0.0, 0.0), end.quaternion
        b, row = self._bodies.arrays, self._bodies.registry.row_of_key(end.body)
        w, x, y, z = b.frame_quaternions[row].tolist()
        p, q, r = b.frame_positions[row].tolist()
        return end.body, rotate((w, -x, -y, -z), (-p, -q, -r)), end.quaternion


def _with_axis(world: World, kind: RotationalSpring) -> RotationalSpring:
    """Return a rotational spring by its bodies and the axis, if that says the same to the last bit."""
    ends = [end_of(name, getattr(kind, name), world) for name in ("first", "second")]
    bodies = [None if end.body is None else world._all_bodies.registry.of_key(end.body) for end in ends]
    for body, end in zip(bodies, ends, strict=True):
        turn = UNTURNED if body is None else quaternion_of(body.quaternion)
        x, y, z = rotate(multiply(turn, end.quaternion), (0.0, 0.0, 1.0))
        for axis in ((round(x, 12) + 0.0, round(y, 12) + 0.0, round(z, 12) + 0.0), (x, y, z)):
            tried = dataclasses.replace(kind, first=bodies[0], second=bodies[1], axis=axis)
            made = tried._checked(kind._name, world)
            if [made.first, made.second] == ends:
                return tried
    return kind


def carried_by_loads(world: World) -> tuple[set[int], set[int]]:
    """Return the keys of joints that belong to loads, and those of drives that loads have at other joints."""
    places = [] if world._loads is None else list(world._loads.rows.places.values())
    joints = {place.joint for place in places if place.own}
    return joints, {drive for place in places if not place.own for drive in place.drives}


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and value == default

"""Loads of a model in a world, and those of a world in a model."""

import dataclasses
from typing import Any

import numpy as np

from stoss.engine.forces.constant import JointTorque, ReadyLoad, Torque
from stoss.engine.forces.load import Load
from stoss.engine.forces.springs import RotationalSpring
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.frames import normals
from stoss.engine.model.kinds import LOADS, arguments, given, type_name
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
    kind = LOADS.get(record.type)
    taken = arguments(records.Load, record.type)
    assert kind is not None
    values = given(record, records.Load)
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
    for name in ("force", "torque"):
        if name in values:
            values[name] = _amount(world, kind, name, values[name])
    if kind is RotationalSpring and world.plane is not None and world.plane.name != "xy":
        values.setdefault("axis", normals[world.plane.name])
    if isinstance(values.get("damping_by"), str) and record.type == "wobbling_mass":
        values["damping_by"] = float(values["damping_by"])
    load = world.add_load(kind(**values), name=record.name)
    if not record.enabled:
        load.enabled = False
    return load


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


def describe_loads(world: World) -> tuple[list[records.Load], list[str]]:
    """Return the records of the loads of a world, and what is no data.

    Args:
        world: the world.
    """
    found: list[records.Load] = []
    left_out = [f"integral {one.name!r} is Python code" for one in world.integrals]
    for load in world.loads:
        if load.name.startswith(_ACTUATORS):
            continue  # of an actuator, which is told by itself
        kind, name = load.kind, load.name
        if type(kind) not in LOADS.values():
            what = "Python code" if not isinstance(kind, ReadyLoad) else f"a {type(kind).__name__}"
            left_out.append(f"load {name!r} is {what}")
            continue
        fields: dict[str, Any] = {}
        missed = ""
        for field in dataclasses.fields(kind):
            value = getattr(kind, field.name)
            if value is None or (field.default is not dataclasses.MISSING and _same(value, field.default)):
                continue
            if isinstance(value, Joint):
                value = value.name
            elif field.name == "points":
                names = [_name_of(world, one) for one in value]
                value, missed = tuple(filter(None, names)), "" if all(names) else field.name
            elif field.name in kind._ends and not isinstance(value, str):
                if value == (0.0, 0.0, 0.0):
                    continue  # the world
                value = _name_of(world, value)
                if value is None:
                    missed = field.name
            elif field.name in ("force", "torque"):
                value = tuple(np.atleast_1d(value).tolist())
            elif field.name == "damping_by":
                value = str(value)
            elif isinstance(value, np.ndarray | tuple | list):
                value = tuple(np.asarray(value).tolist())
            elif isinstance(value, np.generic):
                value = value.item()
            fields[field.name] = value
        if missed:
            left_out.append(f"load {name!r}: {missed} is a point that is no marker; add one")
            continue
        found.append(records.Load(name=name, type=type_name(type(kind)), enabled=load.enabled, **fields))
    return found, left_out


def carried_by_loads(world: World) -> tuple[set[int], set[int]]:
    """Return the keys of joints that belong to loads, and those of drives that loads have at other joints."""
    places = [] if world._loads is None else list(world._loads._rows.places.values())
    joints = {place.joint for place in places if place.own}
    return joints, {drive for place in places if not place.own for drive in place.drives}


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and value == default


def _name_of(world: World, place: Any) -> str | None:
    """Return the name of a place: of a body, or of a marker that is there; None: neither."""
    if isinstance(place, Body | Marker):
        return place.name
    if isinstance(place, End):  # with a frame of its own
        whole = place.body, place.point, place.quaternion
        for record in world._markers.registry.records:
            if (record.body, record.position, record.quaternion) == whole:
                return record.name
        return None
    body, point = place if isinstance(place, tuple) and len(place) == 2 else (None, place)
    for marker in world.markers:
        if marker.body is body and np.array_equal(marker.local_position, np.asarray(point, float)):
            return marker.name
    return None

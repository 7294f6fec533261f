"""What the types of records stand for: classes and methods of the Python API, with their arguments."""

import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from stoss.collision.shapes import faceted, shapes
from stoss.engine.forces import air, constant, point_contact, springs, stick_slip, stops, tissue
from stoss.engine.forces.constant import ReadyLoad
from stoss.engine.joints import basic_kinds, combined_kinds, coupling_kinds, guided_kinds
from stoss.engine.joints.kind import JointKind
from stoss.engine.laws import (
    anisotropic_friction,
    comparison_contacts,
    friction,
    friction_with_memory,
    restriction,
)
from stoss.engine.laws.contact import ContactLaw
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.model.controlling import control
from stoss.engine.model.controlling import friction as joint_friction
from stoss.engine.model.errors import ModelError
from stoss.engine.model.records import Action, Kind, Law, Load, Record, Shape
from stoss.engine.world.joint import Joint
from stoss.foreign_names import CLASSES
from stoss.names import hint
from stoss.plugins import find_plugins

__all__ = [
    "ACTIONS",
    "EACH",
    "JOINT_KINDS",
    "LAWS",
    "LOADS",
    "SHAPES",
    "arguments",
    "given",
    "load_class",
    "load_type",
    "type_name",
    "types_of",
]


def type_name(of: type) -> str:
    """Return the type of a class in models: "half_space" for HalfSpace."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", of.__name__).lower()


SHAPES: dict[str, type[shapes.Shape]] = {
    type_name(getattr(module, name)): getattr(module, name)
    for module in (shapes, faceted)
    for name in module.__all__
    if name != "Shape"
}
SHAPES = dict(sorted(SHAPES.items()))
JOINT_KINDS: dict[str, type[JointKind]] = {
    type_name(getattr(module, name)): getattr(module, name)
    for module in (basic_kinds, combined_kinds, coupling_kinds)
    for name in module.__all__
} | {type_name(getattr(guided_kinds, name)): getattr(guided_kinds, name) for name in guided_kinds.__all__}
ACTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(Joint, name)
    for name in (
        *("limit", "limit_swing", "limit_twist", "motor", "servo", "spring", "damper", "pid", "rotor"),
    )
}
ACTIONS |= {"friction": joint_friction, "control": control}

LOADS: dict[str, type[ReadyLoad]] = {
    type_name(one): one
    for module in (constant, springs, stops, tissue, air, point_contact, stick_slip)
    for one in vars(module).values()
    if isinstance(one, type)
    and issubclass(one, ReadyLoad)
    and one is not ReadyLoad
    and {field.name for field in dataclasses.fields(one)} <= {*Load.__struct_fields__}
}

LAWS: dict[str, Any] = {
    type_name(one): one
    for module in (friction, friction_with_memory, anisotropic_friction, comparison_contacts, restriction)
    for one in vars(module).values()
    if isinstance(one, type)
    and issubclass(one, FrictionLaw | ContactLaw)
    and one not in (FrictionLaw, ContactLaw)
}

# What a net of springs has for all springs, or for each of them.
EACH = ("rest", "stiffness", "damping")

# Fields that every record of a class has, whatever its type.
_COMMON: dict[type[Record], frozenset[str]] = {
    Shape: frozenset(("type", "position", "quaternion", "color")),
    Kind: frozenset(("type",)),
    Action: frozenset(("type", "enabled", "times", "values")),
    Law: frozenset(("type",)),
    Load: frozenset(("name", "type", "enabled", "parameters")),
}
_GEOMETRY = {"convex_hull": ("mesh",), "triangle_mesh": ("mesh", "two_sided")}
_TARGET_RATE = ("servo", "spring")


def types_of(record: type[Record]) -> Mapping[str, Any]:
    """Return what the types of a class of records stand for; nothing for a class without types."""
    if issubclass(record, Shape):
        return SHAPES
    if issubclass(record, Kind):
        return JOINT_KINDS
    if issubclass(record, Law):
        return LAWS
    if issubclass(record, Load):
        return LOADS
    return ACTIONS if issubclass(record, Action) else {}


def load_class(name: str) -> Any:
    """Return what a type of loads stands for: a class, of a plug-in too.

    Args:
        name: the type.

    Raises:
        ModelError: there is none; names the nearest.
    """
    if name in LOADS:
        return LOADS[name]
    added = {one.name: one for one in find_plugins("stoss.loads")}
    if name not in added:
        raise _no_type(name, {**LOADS, **added})
    if added[name].thing is None:
        raise ModelError(f"type = {name!r} of {added[name].package} cannot be loaded: {added[name].error}")
    return added[name].thing


def load_type(of: type) -> str | None:
    """Return the type in models that a class of loads has, None if it has none.

    Args:
        of: the class.
    """
    name = type_name(of)
    if LOADS.get(name) is of:
        return name
    return next((one.name for one in find_plugins("stoss.loads") if one.thing is of), None)


def _no_type(name: str, known: Mapping[str, Any]) -> ModelError:
    meant = CLASSES.get(name.replace("_", " ").title().replace(" ", ""))
    near = f"; it is called {type_name_of(meant)!r} here" if meant else hint(name, known)
    return ModelError(f"type = {name!r} is unknown{near}; there are {', '.join(known)}")


@cache
def arguments(record: type[Record], name: str) -> dict[str, bool]:
    """Return the fields that a type takes, and whether they must be given.

    Args:
        record: `Shape`, `Kind`, `Joint`, `Action`, `Law` or `Load`.
        name: the type.

    Raises:
        ModelError: there is no such type; names the nearest.
    """
    known = types_of(record)
    if name not in known and not issubclass(record, Load):
        raise _no_type(name, known)
    if name in _GEOMETRY:
        return {field: field == "mesh" for field in _GEOMETRY[name]}
    if name == "compose":
        return {"kinds": True}
    of = load_class(name) if issubclass(record, Load) else known[name]
    if isinstance(of, type) and dataclasses.is_dataclass(of):
        missing = dataclasses.MISSING
        taken = {
            field.name: field.default is missing and field.default_factory is missing
            for field in dataclasses.fields(of)
            if field.init
        }
        if name == "spring_network":
            taken |= {f"each_{field}": False for field in EACH}
        return taken
    parameters = [
        one for one in inspect.signature(of).parameters.values() if one.name not in ("self", "joint")
    ]
    found = {one.name: one.default is inspect.Parameter.empty for one in parameters}
    return found | dict.fromkeys(("target_rate",), False) if name in _TARGET_RATE else found


def type_name_of(class_name: str) -> str:
    """Return the type of a class of that name."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", class_name).lower()


def given(record: Record, base: type[Record]) -> dict[str, Any]:
    """Return the arguments that a record has for what its type stands for.

    Args:
        record: a `Shape`, `Kind`, `Joint`, `Action`, `Law` or `Load`.
        base: `Shape`, `Kind`, `Action`, `Law` or `Load`: the class that has the arguments.

    Raises:
        ModelError: no such type, or a field that it does not take.
    """
    name: str = record.type  # type: ignore[attr-defined]
    taken = arguments(base, name)
    common = _COMMON[base]
    found: dict[str, Any] = {}
    for field in base.__struct_fields__:
        value = getattr(record, field)
        if value is None or value in ((), {}) or field in common:
            continue
        if field not in taken:
            raise ModelError(
                f"{field} is no key of a {name}{hint(field, taken)}; it has {', '.join(taken) or 'none'}"
            )
        found[field] = value
    for field in getattr(record, "parameters", ()):  # of a plug-in
        if field not in taken:
            raise ModelError(
                f"parameters.{field}: a {name} has no {field}{hint(field, taken)}; it has "
                f"{', '.join(taken) or 'none'}"
            )
        found[field] = record.parameters[field]  # type: ignore[attr-defined]
    return found

"""Shorter ways to write what people write often, and back: the records know only the long ones."""

from collections.abc import Mapping
from typing import Any

from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.frames import normals
from stoss.engine.model.kinds import ACTIONS

__all__ = ["SHORTHANDS", "folded", "unfolded"]

# Keys that are understood besides the fields of a class of records, with what they mean.
SHORTHANDS: dict[type[records.Record], dict[str, str]] = {
    records.Body: {
        "axis_angle": "`quaternion`, as an axis (three numbers) and an angle about it [rad]",
        "angle": "`quaternion` in a planar model: the angle by which the body is turned [rad]",
    },
    records.Shape: {"axis_angle": "`quaternion`, as an axis and an angle [rad]"},
    records.Frame: {"axis_angle": "`quaternion`, as an axis and an angle [rad]"},
    records.Marker: {"axis_angle": "`quaternion`, as an axis and an angle [rad]"},
    records.SubModel: {"axis_angle": "`quaternion`, as an axis and an angle [rad]"},
    records.Joint: {name: f"one of `actions`, or several in a list: a {name}" for name in ACTIONS},
}


def unfolded(record: type[records.Record], tree: dict[str, Any], plane: str | None) -> dict[str, Any]:
    """Return what a file says of a record without shorthands; the tree itself stays as it is.

    Args:
        record: its class.
        tree: keys and values.
        plane: of the model, if it is planar.

    Raises:
        ModelError: two keys say the same.
    """
    short = SHORTHANDS.get(record, {})
    found = tree
    if short and not short.keys().isdisjoint(tree):
        found = _actions(tree) if record is records.Joint else _turn(tree, plane)
    if record is records.Load:
        found = {
            key: [value] if key in ("force", "torque") and not isinstance(value, list) else value
            for key, value in found.items()
        }
    if record is records.Body:
        inertia = found.get("inertia")
        if isinstance(inertia, int | float | str) and not isinstance(inertia, bool):
            found = {**found, "inertia": [inertia] * 3}
        if plane is not None and isinstance(spin := found.get("angular_velocity"), int | float | str):
            found = {**found, "angular_velocity": _along(normals[plane], spin)}
        if isinstance(found.get("shapes"), dict):
            found = {**found, "shapes": [found["shapes"]]}
    return found


def _actions(tree: dict[str, Any]) -> dict[str, Any]:
    found, actions = {}, []
    for key, value in tree.items():
        if key in ACTIONS:
            for one in value if isinstance(value, list) else [value]:
                if not isinstance(one, dict):
                    raise ModelError(f"{key} = {one!r} must be a table such as {{ ... }}, or a list of them")
                actions.append({"type": key, **one})
        else:
            found[key] = value
    if "actions" in found:
        raise ModelError(f"actions and {actions[0]['type']} too; put all into actions, or none")
    return {**found, "actions": actions}


def _turn(tree: dict[str, Any], plane: str | None) -> dict[str, Any]:
    found = {key: value for key, value in tree.items() if key not in ("axis_angle", "angle")}
    given = [key for key in ("axis_angle", "angle", "quaternion") if key in tree]
    if len(given) > 1:
        raise ModelError(f"{given[0]} and {given[1]} too; give one of them")
    if "angle" in tree:
        if plane is None:
            raise ModelError(
                f"angle = {tree['angle']!r}: the model is not planar; give axis_angle = [x, y, z, angle]"
            )
        return {**found, "quaternion": _quaternion([*normals[plane], tree["angle"]])}
    value = tree["axis_angle"]
    if not isinstance(value, list) or len(value) != 4:
        raise ModelError(f"axis_angle = {value!r} must be four numbers: an axis and an angle [rad]")
    return {**found, "quaternion": _quaternion(value)}


def _quaternion(given: list[Any]) -> list[str]:
    """Return expressions of a quaternion from an axis and an angle, which may be expressions too."""
    x, y, z, angle = (one if isinstance(one, str) else repr(one) for one in given)
    length = f"hypot({x},{y},{z})"
    return [
        f"cos(({angle})/2)",
        *(f"({axis})/{length}*sin(({angle})/2)" for axis in (x, y, z)),
    ]


def _along(normal: tuple[float, float, float], value: Any) -> list[Any]:
    """Return a vector along an axis of the world, as numbers or expressions."""
    if isinstance(value, str):
        return [f"{sign:g}*({value})" if sign else 0.0 for sign in normal]
    return [sign * value if sign else 0.0 for sign in normal]


def folded(record: type[records.Record], tree: dict[str, Any]) -> dict[str, Any]:
    """Return what is written of a record with shorthands where they say the same in the same order."""
    actions = tree.get("actions")
    if record is records.Joint and actions:
        kinds = [one["type"] for one in actions]
        runs = [kind for kind, before in zip(kinds, [None, *kinds], strict=False) if kind != before]
        if len(runs) == len(set(runs)):
            found = {key: value for key, value in tree.items() if key != "actions"}
            for kind in runs:
                own = [_without_type(one) for one in actions if one["type"] == kind]
                found[kind] = own[0] if len(own) == 1 else own
            return found
    return tree


def _without_type(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in tree.items() if key != "type"}

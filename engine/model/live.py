"""Changes of a model that a world which was built of it takes over while it runs, as it is.

Masses, surfaces, what acts on joints, gravity and settings are changed in place. What puts something in a
place, or takes it away, is not: there a new world begins.
"""

import dataclasses
import inspect
import math
from collections.abc import Mapping
from typing import Any

from stoss.engine.control.servo import Servo
from stoss.engine.model import records
from stoss.engine.model.controlling import own_rows
from stoss.engine.model.joining import act
from stoss.engine.model.kinds import ACTIONS
from stoss.engine.model.model import Model
from stoss.engine.settings import Settings
from stoss.engine.world.drives import Limit, RowHandle
from stoss.engine.world.joint import Joint
from stoss.engine.world.snapshot import Snapshot
from stoss.engine.world.world import World

__all__ = ["change_live", "is_live", "restore_with_controls"]

# Fields in which records may differ; those of bodies that weigh, or that only the beginning has.
_OF_MODEL = ("name", "description", "camera", "record", "params", "left_out", "origin")
_LISTS = ("bodies", "joints", "markers", "materials", "meshes")
_MASS = ("mass", "density")
_BEGINNING = ("velocity", "angular_velocity")
_OF_BODY = (*_MASS, *_BEGINNING, "material", "color", "solver", "display", "markers")
_OF_JOINT = ("actions", "enabled", "break_force", "break_torque")

# What arguments of the methods that make actions are called in what they make.
_ATTRIBUTES = {
    "motor": {"velocity": "target_rate"},
    "spring": {"rest": "target"},
}
# What makes another curve or schedule of what acts.
_SHAPE = ("times", "values", "ellipse", "spline", "polygon", "inside", "ranges", "law")


def is_live(old: Model, new: Model) -> bool:
    """Return whether a world of the first model can take over what the second one has otherwise.

    Args:
        old, new: in plain numbers, without models within them.
    """
    lists = dict.fromkeys((*_LISTS, *_OF_MODEL), ())
    same = records.WorldSettings()
    if _but(old, *lists, world=same) != _but(new, *lists, world=same):
        return False
    if old.world.planar != new.world.planar or (old.world.settings.collision != new.world.settings.collision):
        return False
    meshes = {one.name: one for one in new.meshes}
    if any(meshes.get(one.name, one) != one for one in old.meshes):
        return False
    if not _alike(old.bodies, new.bodies, _OF_BODY) or not _alike(old.joints, new.joints, _OF_JOINT):
        return False
    pairs = zip(old.joints, new.joints, strict=True)
    return all(_beginning_controls(after) <= _beginning_controls(before) for before, after in pairs)


def _alike(old: tuple[Any, ...], new: tuple[Any, ...], but: tuple[str, ...]) -> bool:
    """Return whether records are the same ones, but for some fields."""
    return len(old) == len(new) and all(
        a is b or (a.name == b.name and _but(a, *but) == _but(b, *but)) for a, b in zip(old, new, strict=True)
    )


def _but(record: Any, *fields: str, **values: Any) -> Any:
    """Return a record with the usual values, or others, in some fields."""
    usual = {
        name: default
        for name, default in zip(
            reversed(record.__struct_fields__), reversed(record.__struct_defaults__), strict=False
        )
        if name in fields
    }
    return record.replace(**(dict.fromkeys(fields) | usual | values))


def change_live(world: World, old: Model, new: Model) -> None:
    """Let a world take over what a model has otherwise; `is_live` says whether it can.

    Args:
        world: built of `old`, and moved since.
        old, new: in plain numbers, without models within them.

    Raises:
        ModelError, ValueError, TypeError, KeyError: names what is wrong; the world may be changed in part.
    """
    if old.world != new.world:
        _world(world, old.world, new.world)
    materials = _changed(old.materials, new.materials)
    pairs = [
        (a, b)
        for a, b in zip(old.bodies, new.bodies, strict=True)
        if a != b or (b.material is not None and b.material in materials)
    ]
    for before, after in pairs:
        _body(world, before, after, new)
    for was, joint in zip(old.joints, new.joints, strict=True):
        if was is not joint and was != joint:
            _joint(world.joint(joint.name), was, joint)
    if old.markers != new.markers:
        _markers(world, None, old.markers, new.markers)


def restore_with_controls(world: World, snapshot: Snapshot, model: Model) -> None:
    """Restore a snapshot of a world that was built of a model, with the controls of that, and no others.

    Args:
        world: the world, all of whose actuators are controls of some model.
        snapshot: the state.
        model: in plain numbers, without models within it.
    """
    if world.actuators or snapshot.control:
        for one in world.actuators.values():
            one.remove()
        world.restore(dataclasses.replace(snapshot, control=None))
        for record in model.joints:
            for action in record.actions:
                if action.type == "control":
                    act(world.joint(record.name), action)
    world.restore(snapshot)


def _changed(old: tuple[Any, ...], new: tuple[Any, ...]) -> set[str]:
    """Return the names of records that are others now."""
    before = {one.name: one for one in old}
    return {one.name for one in new if before.get(one.name) != one}


def _world(world: World, old: records.WorldSettings, new: records.WorldSettings) -> None:
    if old.gravity != new.gravity and new.gravity is not None:
        world.gravity = new.gravity
    if old.time_step != new.time_step:
        world.time_step = new.time_step
    if old.settings != new.settings:
        world.settings = Settings(**vars(new.settings))


def _body(world: World, old: records.Body, new: records.Body, model: Model) -> None:
    body = world.body(new.name)
    alone = Model(
        world=model.world,
        materials=model.materials,
        meshes=model.meshes,
        bodies=(new.replace(markers=()),),
    )
    made = alone.build().body(new.name)
    if body.kind == "dynamic" and any(getattr(old, name) != getattr(new, name) for name in _MASS):
        world._body_store.set_mass(body.index, made.mass, made.inertia.tolist())
    if body.material != made.material:
        body.material = made.material
    if body.color != made.color:
        body.color = made.color
    if old.display != new.display:
        body.display = made.display
    if body.solver != made.solver:
        body.solver = made.solver
    if old.markers != new.markers:
        _markers(world, new.name, old.markers, new.markers)


def _markers(
    world: World, body: str | None, old: tuple[records.Marker, ...], new: tuple[records.Marker, ...]
) -> None:
    prefix = "" if body is None else f"{body}:"
    for one in old:
        world.remove_marker(world.marker(prefix + one.name))
    owner = None if body is None else world.body(body)
    for one in new:
        world.add_marker(one.name, owner, position=one.position, quaternion=one.quaternion)


# ------------------------------------------------------------- joints


def _joint(joint: Joint, old: records.Joint, new: records.Joint) -> None:
    if old.actions != new.actions:
        _actions(joint, old.actions, new.actions)
    for name in ("break_force", "break_torque"):
        if getattr(old, name) != getattr(new, name):
            value = getattr(new, name)
            setattr(joint, name, math.inf if value is None else value)
    if old.enabled != new.enabled:
        joint.enabled = new.enabled


def _actions(joint: Joint, old: tuple[records.Action, ...], new: tuple[records.Action, ...]) -> None:
    """Change what acts on a joint; what stays keeps what it remembers, such as an integral."""
    _controls(joint, old, new)
    old, new = (tuple(one for one in actions if one.type != "control") for actions in (old, new))
    driven = own_rows(joint.world)
    handles = [one for one in joint._rows if id(one) not in driven][: len(old)]
    kept = 0
    while kept < min(len(old), len(new)) and _tunable(old[kept], new[kept]):
        kept += 1
    if kept < len(old):  # one of them was taken away: those after it may be the same
        rest = new[kept:]
        if len(new) == len(old) - 1 and all(map(_tunable, old[kept + 1 :], rest)):
            handles.pop(kept).remove()
            old = (*old[:kept], *old[kept + 1 :])
            kept = len(new)
        else:
            for handle in handles[kept:]:
                handle.remove()
    for handle, before, after in zip(handles[:kept], old, new, strict=False):
        _tune(handle, before, after)
    for action in new[kept:]:
        act(joint, action)


def _controls(joint: Joint, old: tuple[records.Action, ...], new: tuple[records.Action, ...]) -> None:
    """Change the controls of a joint; those that stay, if with other gains, keep their integrals."""
    old, new = (tuple(one for one in actions if one.type == "control") for actions in (old, new))
    if old == new:
        return
    world = joint.world
    servos = [one for one in world.actuators.values() if isinstance(one, Servo) and one.joint is joint]
    kept = {servo.coordinate: (servo.integral, servo.target) for servo in servos}
    for servo in servos:
        servo.remove()
    for action in new:
        made: Servo = act(joint, action)
        integral, target = kept.get(made.coordinate, (0.0, made.target))
        made.integral = integral
        if action.target is None:  # as the model begins, not as it is
            made.target = target


def _beginning_controls(joint: records.Joint) -> set[str | None]:
    """Return the coordinates with controls whose targets are where the model begins."""
    return {one.coordinate for one in joint.actions if one.type == "control" and one.target is None}


def _tunable(old: records.Action, new: records.Action) -> bool:
    """Return whether what acts can be changed as it is."""
    return (
        old.type == new.type
        and old.coordinate == new.coordinate
        and all(getattr(old, name) == getattr(new, name) for name in _SHAPE)
    )


def _tune(handle: RowHandle, old: records.Action, new: records.Action) -> None:
    usual, names = _usual(new.type), _ATTRIBUTES.get(new.type, {})
    if isinstance(handle, Limit) and (old.lower, old.upper) != (new.lower, new.upper):
        handle.set(
            *(
                usual[name] if getattr(new, name) is None else getattr(new, name)
                for name in ("lower", "upper")
            )
        )
    for name, default in usual.items():
        value = getattr(new, name)
        if value != getattr(old, name) and name not in ("lower", "upper"):
            setattr(handle, names.get(name, name), default if value is None else value)
    if old.enabled != new.enabled:
        handle.enabled = new.enabled


def _usual(kind: str) -> Mapping[str, Any]:
    """Return the defaults of the arguments of what makes an action; without one: 0."""
    parameters = inspect.signature(ACTIONS[kind]).parameters
    found = {
        name: 0.0 if one.default is inspect.Parameter.empty else one.default
        for name, one in parameters.items()
        if name not in ("self", "joint", "coordinate")
    }
    return found | ({"target_rate": 0.0} if kind in ("servo", "spring") else {})

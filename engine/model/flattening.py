"""A model in plain numbers, without models within it: what is built, and what is exported."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from stoss.collision.quaternions import rotate
from stoss.engine.expressions import ExpressionError, with_numbers
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.expressions import Expression, evaluate, evaluate_parameters
from stoss.engine.model.frames import HERE, Pose, inverse, then
from stoss.engine.settings import Settings
from stoss.engine.world.plane import usual_gravity
from stoss.names import hint

__all__ = ["DEEPEST", "flattened", "parameter_values"]

_PLACES = ("at", "body", "first", "second", "soft", "bone", "ground")
_FRAMES = ("world", "local", "joint", "first", "second")
_MAPS = ("anchors", "at", "angles", "orientations", "coordinates", "weights")
DEEPEST = 20  # models within one another
MOST_BODIES = 1_000_000  # that models within one another may make


def parameter_values(
    model: Any, given: Mapping[str, Any] | None, outer: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the values of a model's parameters.

    Args:
        model: the model.
        given: values in place of its own.
        outer: of parameters outside, which the given ones may name.

    Raises:
        ModelError: a name that the model does not have, or no number.
    """
    own: dict[str, float | str] = {one.name: one.value for one in model.params}
    for name, value in (given or {}).items():
        if name not in own:
            known = ", ".join(own) or "none"
            raise ModelError(f"params: there is no parameter {name!r}{hint(name, own)}; there are {known}")
        if isinstance(value, str):
            own[name] = evaluate(value, {**(outer or {}), **_numbers(own)})
        else:
            try:
                own[name] = value if isinstance(value, Expression) else float(value)
            except (TypeError, ValueError):
                raise ModelError(f"params.{name} = {value!r} is no number; give one") from None
        if isinstance(value, float) and math.isnan(value):
            raise ModelError(f"params.{name} = nan is not a number; give one")
    return evaluate_parameters(own)


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    return {name: value for name, value in values.items() if type(value) is float}


def flattened(model: Any, params: Mapping[str, Any] | None = None) -> Any:
    """Return a model like this one in plain numbers, without parameters and without models within it.

    Args:
        model: the model.
        params: values of parameters, in place of those of the model.

    Raises:
        ModelError: a parameter is wrong, or models within one another are too many.
    """
    return _flattened(model, parameter_values(model, params), 0)


def _flattened(model: Any, values: Mapping[str, float], depth: int) -> Any:
    if depth > DEEPEST:
        raise ModelError(f"models within one another deeper than {DEEPEST}")
    flat = _evaluated(model.replace(params=(), models=()), values)
    if flat.world.gravity is None:
        flat = flat.replace(world=flat.world.replace(gravity=usual_gravity(flat.world.planar)))
    for sub in model.models:
        flat = _with(flat, _evaluated_sub(sub, values), values, depth)
    return flat


def _evaluated(value: Any, values: Mapping[str, float]) -> Any:
    """Return a record, or what one holds, with plain numbers in place of expressions."""
    kind = type(value)
    if kind is Expression:
        return evaluate(value.text, values)
    if kind is tuple:
        if _PLAIN.issuperset(map(type, value)):
            return value
        found = tuple([_evaluated(one, values) for one in value])
        return found if any(a is not b for a, b in zip(found, value, strict=True)) else value
    if kind is dict:
        return {key: _evaluated(one, values) for key, one in value.items()}
    if kind is Settings:
        changes = {
            name: _evaluated(one, values) for name, one in vars(value).items() if type(one) is Expression
        }
        return replace(value, **changes) if changes else value
    if isinstance(value, records.Record):
        changes = {}
        for field in kind.__struct_fields__:
            one = getattr(value, field)
            if type(one) in _PLAIN:
                continue
            new = _evaluated(one, values)
            if new is not one:
                changes[field] = new
        if isinstance(value, records.Load) and value.factor is not None:
            try:
                changes["factor"] = with_numbers(value.factor, values)
            except ExpressionError as error:
                raise ModelError(f"forces.{value.name}.factor: {error}") from error
        return msgspec.structs.replace(value, **changes) if changes else value
    return value


_PLAIN = frozenset((float, str, int, bool, type(None)))


def _evaluated_sub(sub: records.SubModel, values: Mapping[str, float]) -> records.SubModel:
    """Return a model within the model at a place in plain numbers, itself as it was."""
    found: records.SubModel = _evaluated(sub.replace(model=None), values)
    return found.replace(model=sub.model)


# ------------------------------------------------------------- a model into another


def _with(flat: Any, sub: records.SubModel, values: Mapping[str, float], depth: int) -> Any:
    """Return a model with the contents of another one at some place."""
    try:
        inner = _flattened(sub.model, parameter_values(sub.model, sub.params, values), depth + 1)
    except ModelError as error:
        raise ModelError(f"models.{sub.name}: {error}") from error
    if len(flat.bodies) + len(inner.bodies) > MOST_BODIES:
        raise ModelError(f"models.{sub.name}: more than {MOST_BODIES} bodies together")
    prefix = f"{sub.name}/" if sub.prefix is None else sub.prefix
    inner = _placed(_renamed(inner, prefix), (sub.position, sub.quaternion))
    lists: tuple[str, ...] = ("materials", "material_pairs", "meshes", "bodies", "markers", "joints")
    lists += ("coordinates", "forces", "exclude")
    changes: dict[str, Any] = {name: getattr(flat, name) + getattr(inner, name) for name in lists}
    changes["initial"] = _merged(flat.initial, inner.initial)
    return flat.replace(**changes)


def _merged(outer: records.Initial, inner: records.Initial) -> records.Initial:
    """Return both initial poses; where both say something, the outer one holds."""
    found: records.Initial = outer.replace(
        **{name: {**getattr(inner, name), **getattr(outer, name)} for name in _MAPS}
    )
    return found


def _renamed(model: Any, prefix: str) -> Any:
    """Return a model with a prefix before all names."""

    def new(name: str | None) -> str | None:
        return None if name is None else prefix + name

    def named(record: Any, *fields: str) -> Any:
        return record.replace(**{field: new(getattr(record, field)) for field in ("name", *fields)})

    def shape(record: records.Shape) -> records.Shape:
        return record.replace(mesh=new(record.mesh)) if record.mesh is not None else record

    def body(record: records.Body) -> records.Body:
        changes: dict[str, Any] = {"shapes": tuple(map(shape, record.shapes))}
        changes["display"] = tuple(map(shape, record.display))
        return named(record, "material", "mass_mesh").replace(**changes)

    def joint(record: records.Joint) -> records.Joint:
        return named(record, "first", "second", "joint_1", "joint_2")

    def load(record: records.Load) -> records.Load:
        frame = record.frame if record.frame in _FRAMES else new(record.frame)
        points = tuple(prefix + one for one in record.points)
        return named(record, *_PLACES, "joint").replace(frame=frame, points=points)

    def keys(values: Mapping[str, Any]) -> dict[str, Any]:
        return {prefix + name: value for name, value in values.items()}

    initial = model.initial
    return model.replace(
        materials=tuple(one.replace(name=prefix + one.name, label=one.label) for one in model.materials),
        material_pairs=tuple(
            one.replace(first=prefix + one.first, second=prefix + one.second) for one in model.material_pairs
        ),
        meshes=tuple(named(one) for one in model.meshes),
        bodies=tuple(map(body, model.bodies)),
        markers=tuple(named(one) for one in model.markers),
        joints=tuple(map(joint, model.joints)),
        coordinates=tuple(named(one, "joint") for one in model.coordinates),
        forces=tuple(map(load, model.forces)),
        exclude=tuple((prefix + first, prefix + second) for first, second in model.exclude),
        initial=initial.replace(
            **{
                **{name: keys(getattr(initial, name)) for name in _MAPS},
                "at": {prefix + name: prefix + other for name, other in initial.at.items()},
            }
        ),
    )


def _placed(model: Any, pose: Pose) -> Any:
    """Return a model whose world is at some place of another one.

    A joint that is given in the coordinates of its world gets frames on its bodies instead, which are the
    same wherever these are.
    """
    if pose == HERE:
        return model
    where = {body.name: (body.position, body.quaternion) for body in model.bodies}
    markers = {marker.name for marker in model.markers}

    def moved(body: records.Body) -> records.Body:
        position, quaternion = then(pose, (body.position, body.quaternion))
        turned: Callable[[Any], Any] = lambda v: rotate(pose[1], v)  # noqa: E731
        return body.replace(
            position=position,
            quaternion=quaternion,
            center_of_mass=None,
            principal_quaternion=None,
            velocity=turned(body.velocity),
            angular_velocity=turned(body.angular_velocity),
            force=turned(body.force),
            torque=turned(body.torque),
        )

    def frame(name: str | None) -> records.Frame:
        place = pose if name is None else inverse(where[name])
        return records.Frame(position=place[0], quaternion=place[1])

    def joined(joint: records.Joint) -> records.Joint:
        changes: dict[str, Any] = {}
        ends = ("first", "second")
        named = [getattr(joint, end) for end in ends]
        framed = [getattr(joint, f"{end}_frame") for end in ends]
        if joint.joint_1 is not None or any(name is not None and name not in where for name in named):
            # at markers, which move along; a frame in the world does not
            for end, name, given in zip(ends, named, framed, strict=True):
                if name is None and given is not None:
                    changes[f"{end}_frame"] = _moved_frame(given, pose)
            return joint.replace(**changes)
        for end, name, given in zip(ends, named, framed, strict=True):
            if given is None and not any(framed):
                changes[f"{end}_frame"] = frame(name)
            elif given is not None and name is None:
                changes[f"{end}_frame"] = _moved_frame(given, pose)
        return joint.replace(**changes)

    def loaded(load: records.Load) -> records.Load:
        # a bone's axis is in the bone, a vector of another frame in that one
        fields = ["wind"] if load.type == "wobbling_mass" else ["axis", "wind"]
        if load.frame == "world" or (load.frame is None and load.type != "joint_torque"):
            fields += ["force", "torque"]
        turned = {name: getattr(load, name) for name in fields}
        return load.replace(
            **{
                name: rotate(pose[1], vector)
                for name, vector in turned.items()
                if vector is not None and len(vector) == 3
            }
        )

    anchors = {name: _point(pose, place) for name, place in model.initial.anchors.items()}
    return model.replace(
        bodies=tuple(map(moved, model.bodies)),
        markers=tuple(_moved_marker(one, pose) for one in model.markers) if markers else (),
        joints=tuple(map(joined, model.joints)),
        forces=tuple(map(loaded, model.forces)),
        initial=model.initial.replace(anchors=anchors),
    )


def _moved_frame(frame: records.Frame, pose: Pose) -> records.Frame:
    position, quaternion = then(pose, (frame.position, frame.quaternion))
    return records.Frame(position=position, quaternion=quaternion)


def _moved_marker(marker: records.Marker, pose: Pose) -> records.Marker:
    position, quaternion = then(pose, (marker.position, marker.quaternion))
    return records.Marker(name=marker.name, position=position, quaternion=quaternion)


def _point(pose: Pose, point: Any) -> Any:
    return then(pose, (point, (1.0, 0.0, 0.0, 0.0)))[0]

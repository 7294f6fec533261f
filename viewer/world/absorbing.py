"""What a world has otherwise than before, taken over into the model that it was built of."""

from typing import Any

from stoss.engine.model import Model, records
from stoss.engine.model.editing import free_name, removed
from stoss.viewer.world.pull import POINTER

__all__ = ["absorbed"]


def absorbed(model: Model, before: Model, after: Model) -> Model:
    """Return a model that takes over what differs between two descriptions of its world.

    Args:
        model: as it was written; itself if nothing differs.
        before, after: the world before and after something was done to it, each by `Model.of`.
    """
    model = _world(model, before, after)
    for section in ("joints", "bodies"):
        left = {one.name for one in getattr(after, section)}
        for one in getattr(before, section):
            if one.name not in left and any(one.name == own.name for own in getattr(model, section)):
                model = removed(model, section, one.name)
    old = {one.name: one for one in before.bodies}
    for body in after.bodies:
        if body.name == POINTER:
            continue
        was = old.get(body.name)
        if was is None:
            model = _with_body(model, after, body)
        elif was != body or _material(before, was) != _material(after, body):
            model = _body_changed(model, before, after, was, body)
    joints = {one.name: one for one in before.joints}
    for joint in after.joints:
        if joint.name == POINTER:
            continue
        was_joint = joints.get(joint.name)
        if was_joint is None:
            model = model.replace(joints=(*model.joints, joint))
        elif was_joint != joint:
            model = _changed(model, "joints", joint.name, _difference(was_joint, joint))
    return model


def _world(model: Model, before: Model, after: Model) -> Model:
    changes = _difference(before.world, after.world)
    changes.pop("time", None)
    if not changes:
        return model
    made: Model = model.replace(world=model.world.replace(**changes))
    return made


def _difference(old: Any, new: Any) -> dict[str, Any]:
    """Return the fields of a record that differ, as they are now."""
    return {
        name: getattr(new, name)
        for name in new.__struct_fields__
        if getattr(new, name) is not getattr(old, name) and getattr(new, name) != getattr(old, name)
    }


def _changed(model: Model, section: str, name: str, changes: dict[str, Any]) -> Model:
    things = tuple(
        one.replace(**changes) if one.name == name and changes else one for one in getattr(model, section)
    )
    made: Model = model.replace(**{section: things})
    return made


def _body_changed(model: Model, before: Model, after: Model, was: records.Body, body: records.Body) -> Model:
    changes = _difference(was, body)
    changes.pop("material", None)
    for shapes in ("shapes", "display"):
        changes.pop(shapes, None)  # the same ones, whose meshes may have other numbers
    material = _material(after, body)
    if material != _material(before, was):
        model, changes["material"] = _with_material(model, material)
    return _changed(model, "bodies", body.name, changes)


def _with_body(model: Model, after: Model, body: records.Body) -> Model:
    """Return a model with a body of a world, and the meshes and the material that it has."""
    meshes = {one.name: one for one in after.meshes}
    lists: dict[str, list[records.Shape]] = {"shapes": [], "display": []}
    for list_name, shapes in lists.items():
        for shape in getattr(body, list_name):
            if shape.mesh is not None:
                name = free_name(model, "meshes", shape.mesh)
                model = model.replace(meshes=(*model.meshes, meshes[shape.mesh].replace(name=name)))
                shape = shape.replace(mesh=name)
            shapes.append(shape)
    model, material = _with_material(model, _material(after, body))
    own = body.replace(shapes=tuple(lists["shapes"]), display=tuple(lists["display"]), material=material)
    made: Model = model.replace(bodies=(*model.bodies, own))
    return made


def _material(model: Model, body: records.Body) -> records.Material | None:
    """Return the material of a body, without the name by which a model calls it."""
    found = next((one for one in model.materials if one.name == body.material), None)
    return None if found is None else _nameless(found)


def _nameless(material: records.Material) -> records.Material:
    made: records.Material = material.replace(name="", label=material.label or material.name)
    return made


def _with_material(model: Model, material: records.Material | None) -> tuple[Model, str | None]:
    """Return a model that has a material, and how that is called in it."""
    if material is None:
        return model, None
    for one in model.materials:
        if _nameless(one) == material:
            return model, one.name
    stem = material.label or "material"
    name = free_name(model, "materials", stem)
    label = None if material.label == name else material.label
    made = material.replace(name=name, label=label)
    return model.replace(materials=(*model.materials, made)), name

"""Changes to models, each a function from a model to another one: what an editor does, step by step.

What is given is as files have it: keys and plain values, texts where a number is an expression. All is read
and checked as it would be in a file, so that errors name the same places.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from stoss.collision.plain_numbers import shown
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.model import Model
from stoss.engine.model.origin import NOWHERE, Place
from stoss.engine.model.reading import read_model
from stoss.engine.model.references import check_references
from stoss.engine.model.shorthands import unfolded
from stoss.engine.model.writing import write_model
from stoss.names import hint

__all__ = [
    "SECTIONS",
    "added",
    "changed",
    "find",
    "free_name",
    "names_of",
    "removed",
    "renamed",
    "tree_of",
    "with_world",
]

# What has a name in a model. A marker of a body is called "body:marker".
SECTIONS: dict[str, type[records.Record]] = {
    "bodies": records.Body,
    "joints": records.Joint,
    "markers": records.Marker,
    "materials": records.Material,
    "meshes": records.Mesh,
    "coordinates": records.Coordinate,
    "forces": records.Load,
    "params": records.Parameter,
}
_ENDS = ("at", "body", "first", "second", "soft", "bone", "frame")  # of loads: where they act


def names_of(model: Model, section: str) -> list[str]:
    """Return the names of all things of a section, in their order; of markers, those of bodies too."""
    own = [one.name for one in getattr(model, _known(section))]
    if section == "markers":
        own += [f"{body.name}:{one.name}" for body in model.bodies for one in body.markers]
    return own


def free_name(model: Model, section: str, stem: str) -> str:
    """Return the first of "stem", "stem 2", "stem 3" ... that no thing of a section has."""
    taken, name, number = set(names_of(model, section)), stem, 1
    while name in taken:
        number += 1
        name = f"{stem} {number}"
    return name


def find(model: Model, section: str, name: str) -> Any:
    """Return the record of that name; an error names the nearest."""
    owner, own = _owner(model, section, name)
    for one in getattr(owner or model, section):
        if one.name == own:
            return one
    names = names_of(model, section)
    known = ", ".join(names[:8]) or "none"
    raise ModelError(
        f"{section}: there is no {name!r}{hint(name, names)}; there are {known}", (section, name)
    )


def tree_of(model: Model, section: str, name: str) -> dict[str, Any]:
    """Return a thing as files have it, without its name and without shorthands."""
    record = find(model, section, name)
    if isinstance(record, records.Parameter):
        return {"value": write_model(Model(params=(record,)))["params"][record.name]}
    alone: Any = Model().replace(**{section: (record,)})
    written = write_model(alone)[section][record.name]
    if not isinstance(written, dict):  # a marker at a place
        return {"position": written}
    return unfolded(type(record), written, None)


# ------------------------------------------------------------- changes


def added(model: Model, section: str, name: str, values: Mapping[str, Any]) -> Model:
    """Return a model with one more thing.

    Args:
        model: the model.
        section: of `SECTIONS`.
        name: its name, "body:marker" for a marker on a body.
        values: what a file would say of it.

    Raises:
        ModelError: the name is taken, or what is wrong with the values, by its place. What was wrong with
            the model before is not told.
    """
    if not isinstance(name, str) or not name:
        raise ModelError(f"name = {shown(name)} must be a text; give it a name", (section, ""))
    if name in names_of(model, section):
        raise ModelError(f"name = {name!r} is taken; give another one", (section, name))
    owner, own = _owner(model, section, name)
    record = _read(model, section, name, own, values)
    return _checked(_with(model, section, owner, (*getattr(owner or model, section), record)), model)


def changed(model: Model, section: str, name: str, values: Mapping[str, Any]) -> Model:
    """Return a model in which a thing has other values.

    Args:
        model: the model.
        section, name: which thing.
        values: by their keys; None takes a key away, so that its default holds.

    Raises:
        ModelError: there is no such thing, or what is wrong with the values, by its place.
    """
    old = find(model, section, name)
    owner, own = _owner(model, section, name)
    tree = tree_of(model, section, name) | dict(values)
    tree = {key: value for key, value in tree.items() if value is not None}
    record = _read(model, section, name, own, tree)
    things = [record if one is old else one for one in getattr(owner or model, section)]
    return _checked(_with(model, section, owner, things), model)


def with_world(model: Model, values: Mapping[str, Any]) -> Model:
    """Return a model in which keys of `[world]` have other values; None takes a key away."""
    tree = write_model(model.replace(**dict.fromkeys(("bodies", "joints", "meshes", "models"), ())))
    own = tree.get("world", {}) | {key: _lists(value) for key, value in values.items()}
    own = {key: value for key, value in own.items() if value is not None}
    made = read_model(Model, {"params": tree.get("params", {}), "world": own}, check=False)
    changed_model: Model = model.replace(world=made.world)
    return changed_model


def removed(model: Model, section: str, name: str) -> Model:
    """Return a model without a thing; of a body its joints and loads go too, and what couples or names these.

    Raises:
        ModelError: there is no such thing, or something else needs it.
    """
    find(model, section, name)
    owner, own = _owner(model, section, name)
    kept, before = [one for one in getattr(owner or model, section) if one.name != own], model
    model = _with(model, section, owner, kept)
    if section == "bodies":
        ends = {name, *(f"{name}:{one}" for one in _marker_names(model, name))}
        for joint in list(model.joints):
            if {_body_of(model, joint.first, name), _body_of(model, joint.second, name)} & ends:
                model = _without_joint(model, joint.name)
        pairs = tuple(pair for pair in model.exclude if name not in pair)
        loads = tuple(
            one
            for one in model.forces
            if not {_body_of(model, getattr(one, end), name) for end in _ENDS} & ends
        )
        model = model.replace(exclude=pairs, forces=loads)
        if model.camera is not None and model.camera.follow == name:
            model = model.replace(camera=model.camera.replace(follow=None))
    elif section == "joints":
        model = _without_joint(model, name)
    return _checked(model, before)


def renamed(model: Model, section: str, name: str, new: str) -> Model:
    """Return a model in which a thing is called otherwise, wherever it is named.

    Raises:
        ModelError: there is no such thing, or the name is taken.
    """
    record = find(model, section, name)
    if not isinstance(new, str) or not new:
        raise ModelError(f"name = {shown(new)} must be a text; give it a name", (section, name, "name"))
    if new == name:
        return model
    if new in names_of(model, section):
        raise ModelError(f"name = {new!r} is taken; give another one", (section, name, "name"))
    owner, own = _owner(model, section, name)
    to, new_own = _owner(model, section, new)
    if (owner is None) != (to is None) or (owner is not None and to is not owner):
        raise ModelError(
            f"name = {new!r} is that of a marker elsewhere; write {name.removesuffix(own)}...",
            (section, name, "name"),
        )
    things = [one.replace(name=new_own) if one is record else one for one in getattr(owner or model, section)]
    made = _RENAMED.get(section, _unnamed)(_with(model, section, owner, things), name, new)
    return _checked(made, model)


# ------------------------------------------------------------- inside


def _known(section: str) -> str:
    if section not in SECTIONS:
        raise ModelError(
            f"section = {shown(section)}{hint(str(section), SECTIONS)}; there are {', '.join(SECTIONS)}"
        )
    return section


def _owner(model: Model, section: str, name: str) -> tuple[records.Body | None, str]:
    """Return the body that a marker is on, None for all else, and the name of a thing in its list."""
    if _known(section) == "markers":
        for body in model.bodies:
            if name.startswith(f"{body.name}:"):
                return body, name[len(body.name) + 1 :]
    return None, name


def _with(model: Model, section: str, owner: records.Body | None, things: Iterable[Any]) -> Model:
    """Return a model with other things in a section, or on a body."""
    if owner is not None:
        body = owner.replace(**{section: tuple(things)})
        section, things = "bodies", [body if one is owner else one for one in model.bodies]
    made: Model = model.replace(**{section: tuple(things), "origin": NOWHERE})
    return made


def _read(model: Model, section: str, name: str, own: str, values: Mapping[str, Any]) -> Any:
    """Return the record that values of a file describe; errors name the thing by its whole name."""
    tree: dict[str, Any] = {key: _lists(value) for key, value in values.items()}
    content: Any = tree.get("value") if section == "params" else tree
    params = write_model(Model(params=model.params)).get("params", {})
    whole: dict[str, Any] = {"params": params, "world": {}, section: {own: content}}
    if section == "params":
        whole = {"params": {**params, own: content}}
    elif model.world.planar is not None:
        whole["world"] = {"planar": model.world.planar}
    try:
        made = getattr(read_model(Model, whole, check=False), section)
    except ModelError as error:
        place: Place = error.place
        if place[:2] == (section, own):
            place = (section, name, *place[2:])
        raise NOWHERE.error(place or (section, name), error.reason) from error
    return next(one for one in made if one.name == own)


def _lists(value: Any) -> Any:
    """Return plain values with lists in place of tuples, as files are read."""
    if isinstance(value, tuple | list):
        return [_lists(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _lists(one) for key, one in value.items()}
    return value


def _checked(model: Model, before: Model) -> Model:
    """Return a model in which all that is named is there, unless that was not so before."""
    if not model.models:
        try:
            check_references(model, NOWHERE)
        except ModelError:
            if _is_sound(before):
                raise
    return model


def _is_sound(model: Model) -> bool:
    try:
        check_references(model, NOWHERE)
    except ModelError:
        return False
    return True


def _marker_names(model: Model, body: str) -> list[str]:
    return [one.name for own in model.bodies if own.name == body for one in own.markers]


def _body_of(model: Model, end: str | None, body: str) -> str | None:
    """Return the name of a body where the end of a joint is on it, else what the end is."""
    if end is not None and end.startswith(f"{body}:") and end not in {one.name for one in model.markers}:
        return body
    return end


def _without_joint(model: Model, name: str) -> Model:
    """Return a model without a joint, without those that couple it, and without coordinates of these."""
    gone, left = {name}, [one for one in model.joints if one.name != name]
    while True:
        more = {one.name for one in left if {one.joint_1, one.joint_2} & gone}
        if not more:
            break
        gone |= more
        left = [one for one in left if one.name not in more]
    coordinates = tuple(one for one in model.coordinates if one.joint not in gone)
    loads = tuple(one for one in model.forces if one.joint not in gone)
    made: Model = model.replace(joints=tuple(left), coordinates=coordinates, forces=loads)
    return made


def _unnamed(model: Model, old: str, new: str) -> Model:
    return model


def _body_renamed(model: Model, old: str, new: str) -> Model:
    def end(name: str | None) -> str | None:
        if name is not None and _body_of(model, name, old) == old:
            return new + name[len(old) :]
        return name

    joints = tuple([_replaced(one, first=end(one.first), second=end(one.second)) for one in model.joints])
    pairs = tuple((new if a == old else a, new if b == old else b) for a, b in model.exclude)
    model = _loads_renamed(model.replace(joints=joints, exclude=pairs), end)
    if model.camera is not None and model.camera.follow == old:
        model = model.replace(camera=model.camera.replace(follow=new))
    return model


def _joint_renamed(model: Model, old: str, new: str) -> Model:
    def other(name: str | None) -> str | None:
        return new if name == old else name

    joints = [_replaced(one, joint_1=other(one.joint_1), joint_2=other(one.joint_2)) for one in model.joints]
    coordinates = [_replaced(one, joint=new if one.joint == old else one.joint) for one in model.coordinates]
    loads = [_replaced(one, joint=other(one.joint)) for one in model.forces]
    made: Model = model.replace(joints=tuple(joints), coordinates=tuple(coordinates), forces=tuple(loads))
    return made


def _loads_renamed(model: Model, end: Callable[[str | None], str | None]) -> Model:
    """Return a model whose loads act where they did, under other names."""
    loads = [_replaced(one, **{name: end(getattr(one, name)) for name in _ENDS}) for one in model.forces]
    made: Model = model.replace(forces=tuple(loads))
    return made


def _marker_renamed(model: Model, old: str, new: str) -> Model:
    def end(name: str | None) -> str | None:
        return new if name == old else name

    joints = [_replaced(one, first=end(one.first), second=end(one.second)) for one in model.joints]
    return _loads_renamed(model.replace(joints=tuple(joints)), end)


def _material_renamed(model: Model, old: str, new: str) -> Model:
    def other(name: str | None) -> Any:
        return new if name == old else name

    bodies = [_replaced(one, material=other(one.material)) for one in model.bodies]
    pairs = [_replaced(one, first=other(one.first), second=other(one.second)) for one in model.material_pairs]
    made: Model = model.replace(bodies=tuple(bodies), material_pairs=tuple(pairs))
    return made


def _mesh_renamed(model: Model, old: str, new: str) -> Model:
    def shapes(own: tuple[records.Shape, ...]) -> tuple[records.Shape, ...]:
        found = tuple([_replaced(one, mesh=new if one.mesh == old else one.mesh) for one in own])
        return own if all(a is b for a, b in zip(found, own, strict=True)) else found

    bodies = [
        _replaced(
            one,
            shapes=shapes(one.shapes),
            display=shapes(one.display),
            mass_mesh=new if one.mass_mesh == old else one.mass_mesh,
        )
        for one in model.bodies
    ]
    made: Model = model.replace(bodies=tuple(bodies))
    return made


def _replaced(record: Any, **values: Any) -> Any:
    """Return a record with other values, itself if they are the same."""
    if all(
        getattr(record, name) is value or getattr(record, name) == value for name, value in values.items()
    ):
        return record
    return record.replace(**values)


_RENAMED = {
    "bodies": _body_renamed,
    "joints": _joint_renamed,
    "markers": _marker_renamed,
    "materials": _material_renamed,
    "meshes": _mesh_renamed,
}

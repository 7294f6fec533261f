"""The tables of keys in docs/models.md, `python -m stoss.engine.model.keys`: the API says what each means."""

import re
from typing import Any

import msgspec

from stoss.collision.shapes.placed import Placed
from stoss.docstrings import argument_descriptions, docstring
from stoss.engine.bodies.material import Material
from stoss.engine.model import records
from stoss.engine.model.kinds import ACTIONS, JOINT_KINDS, LAWS, LOADS, SHAPES, arguments
from stoss.engine.model.model import Model
from stoss.engine.model.schema import Form, forms
from stoss.engine.model.shorthands import SHORTHANDS
from stoss.engine.world.body import Body
from stoss.engine.world.world import World

__all__ = ["key_tables"]

# Where the meaning of a field is said, if the record itself does not say it.
_API: dict[type[records.Record], list[Any]] = {
    records.WorldSettings: [World],
    records.Material: [Material],
    records.MaterialPair: [World.set_material_pair],
    records.Body: [World.add_body, Body.surface_velocity, Body.surface_angular_velocity],
    records.Shape: [Placed, *SHAPES.values()],
    records.Joint: [World.add_joint],
    records.Kind: list(JOINT_KINDS.values()),
    records.Law: list(LAWS.values()),
    records.Load: list(LOADS.values()),
    records.Action: list(ACTIONS.values()),
    records.Marker: [records.Frame],
}
_ORDER = (
    *(
        Model,
        records.WorldSettings,
        records.Law,
        records.Material,
        records.MaterialPair,
        records.Mesh,
        records.Body,
    ),
    *(records.Shape, records.Marker, records.Joint, records.Frame, records.Kind, records.Action),
    *(records.Coordinate, records.Load, records.SubModel, records.Initial, records.Recording, records.Camera),
)
_TITLES = {
    Model: "The file",
    records.WorldSettings: "`[world]`",
    records.Material: "`[materials.NAME]`",
    records.Law: "Laws: `friction_law`, `contact_law` of materials and pairs, "
    "`law` of a contact_stop or of friction of a joint",
    records.MaterialPair: "`[[material_pairs]]`",
    records.Mesh: "`[meshes.NAME]`",
    records.Body: "`[bodies.NAME]`",
    records.Shape: "Shapes: in `shapes` and `display` of a body",
    records.Marker: "Markers: in `markers` of a body, or `[markers.NAME]` of the world",
    records.Joint: "`[joints.NAME]`",
    records.Frame: "Frames: `first_frame`, `second_frame` of a joint",
    records.Kind: "What joints hold: with `type` in `[joints.NAME]`, or in `kinds` of a compose",
    records.Action: "What acts on joints: `limit`, `motor` ... of a joint, or `type` in its `actions`",
    records.Coordinate: "`[coordinates.NAME]`",
    records.Load: "`[forces.NAME]`: forces, torques, springs and the like",
    records.SubModel: "`[models.NAME]`",
    records.Initial: "`[initial]`",
    records.Recording: "`[record]`",
    records.Camera: "`[camera]`",
}


def key_tables() -> str:
    """Return tables of all keys as Markdown."""
    return "\n\n".join(_table(record) for record in _ORDER)


def _table(record: type[records.Record]) -> str:
    own = argument_descriptions(docstring(record))
    defaults = {field.name: field for field in msgspec.structs.fields(record)}
    inherited = forms(records.Kind) if record is records.Joint else {}
    lines = [
        f"### {_TITLES[record]}",
        "",
        "| key | value | when left out | meaning |",
        "| --- | --- | --- | --- |",
    ]
    for name, form in forms(record).items():
        if (name == "name" and record is not Model) or (name in inherited and name != "type"):
            continue
        meaning = own.get(name) or _from_api(record, name)
        left_out = _default(defaults[name], form)
        lines.append(f"| `{name}` | {_written(form)} | {left_out} | {meaning}{_takers(record, name)} |")
    for name, meaning in SHORTHANDS.get(record, {}).items():
        if name not in ACTIONS:
            lines.append(f"| `{name}` | numbers | | stands for {meaning} |")
    return "\n".join(lines)


def _from_api(record: type[records.Record], name: str) -> str:
    for source in _API.get(record, []):
        if isinstance(source, property):
            if source.fget is not None and source.fget.__name__ == name:
                return (source.__doc__ or "").partition("\n")[0].rstrip(".")
            continue
        found = argument_descriptions(docstring(source)).get(name)
        if found:
            return _short(found)
    return ""


def _short(text: str) -> str:
    """Return a meaning without what is of Python alone."""
    return re.sub(r"; see `[^`]*`", "", text).rstrip(".").replace("|", "or")


def _takers(record: type[records.Record], name: str) -> str:
    """Return which types take a field, where not all do."""
    types: Any = {
        records.Shape: SHAPES,
        records.Kind: JOINT_KINDS,
        records.Action: ACTIONS,
        records.Law: LAWS,
        records.Load: LOADS,
    }.get(record)
    if types is None:
        return ""
    takers = [one for one in types if name in arguments(record, one)]
    return f" ({', '.join(takers)})" if 0 < len(takers) < len(types) else ""


def _written(form: Form) -> str:
    if form.what == "numbers":
        return f"{form.size} numbers" if form.size else "numbers"
    if form.what == "records":
        if isinstance(form.of, tuple):
            return "list of pairs"
        return "table of tables by name" if form.named else "list of tables"
    if form.what == "rows":
        inner = "whole numbers" if form.whole else f"{form.size} numbers" if form.size else "numbers"
        return f"list of lists of {inner}"
    if form.what == "map":
        return f"table of names and {_written(form.of)}"
    words = {"whole": "whole number", "flag": "true or false", "texts": "list of texts", "record": "table"}
    return words.get(form.what, "text or 3 numbers" if form.what == "color" else form.what)


def _default(field: Any, form: Form) -> str:
    if field.required:
        return "must be given"
    value = field.default
    if value is None or value == () or form.what in ("record", "map") or value is msgspec.NODEFAULT:
        return ""
    return f"`{list(value) if isinstance(value, tuple) else value}`".replace("True", "true").replace(
        "False", "false"
    )


if __name__ == "__main__":
    print(key_tables())

"""What each field of a record is in a file, derived from the annotations: to read, write and document."""

import types
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from stoss.engine.model import records
from stoss.engine.model.model_data import ModelData
from stoss.engine.settings import Settings

__all__ = ["SINGULAR", "Form", "forms", "is_named", "settings_forms"]

What = Literal[
    "number", "whole", "flag", "text", "color", "numbers", "texts", "rows", "record", "records", "map"
]

# One of many, as XML calls it.
SINGULAR = {
    "params": "param",
    "materials": "material",
    "material_pairs": "material_pair",
    "meshes": "mesh",
    "bodies": "body",
    "markers": "marker",
    "joints": "joint",
    "coordinates": "coordinate",
    "forces": "force",
    "exclude": "exclude",
    "models": "sub_model",
    "shapes": "shape",
    "display": "display",
    "kinds": "kind",
    "actions": "action",
    "anchors": "anchor",
    "angles": "angle",
    "orientations": "orientation",
    "weights": "weight",
    "at": "at",
    "parameters": "parameter",
}


@dataclass(frozen=True)
class Form:
    """What a field is in a file.

    Attributes:
        what: a number, a whole number, a flag (true or false), a text, a colour (three numbers or a text);
            numbers or texts in a row; rows of numbers; a record, records, or a map of names to what `of` is.
        size: how many numbers, of each row; None: any number of them.
        whole: whether the numbers of rows are whole.
        of: the class of records, `Settings`, or the form of what a map holds.
        optional: whether it may be left out because it has no value then.
    """

    what: What
    size: int | None = None
    whole: bool = False
    of: Any = None
    optional: bool = False

    @property
    def named(self) -> bool:
        """Return whether it is records that are found by name."""
        return self.what == "records" and is_named(self.of)


def is_named(record: type[records.Record]) -> bool:
    """Return whether files call records of a class by name."""
    return "name" in record.__struct_fields__ and not issubclass(record, ModelData)


@cache
def forms(record: type[records.Record]) -> dict[str, Form]:
    """Return the form of each field of a class of records that is in files, in their order."""
    hints = get_type_hints(record)
    names = [name for name in record.__struct_fields__ if name not in ("left_out", "origin")]
    if "name" in names:  # first of all, then what it is, and what it joins
        names = [
            *(name for name in ("name", "type", "first", "second") if name in names),
            *(name for name in names if name not in ("name", "type", "first", "second")),
        ]
    return {name: _form(hints[name], name) for name in names}


@cache
def settings_forms() -> dict[str, Form]:
    """Return the form of each setting."""
    hints = get_type_hints(Settings)
    return {field.name: _form(hints[field.name], field.name) for field in fields(Settings)}


def _form(hint: Any, name: str) -> Form:
    if get_origin(hint) in (Union, types.UnionType):
        inner = [one for one in get_args(hint) if one is not type(None)]
        optional = len(inner) < len(get_args(hint))
        if len(inner) == 2:
            return Form("color", 3, optional=optional)
        found = _form(inner[0], name)
        return Form(found.what, found.size, found.whole, found.of, optional)
    simple: dict[Any, What] = {float: "number", int: "whole", bool: "flag", str: "text"}
    if hint in simple:
        return Form(simple[hint])
    if hint is Any:  # the model within a model, whose class is defined later
        return Form("record", of=ModelData, optional=True)
    if hint is Settings:
        return Form("record", of=Settings)
    if isinstance(hint, type) and issubclass(hint, records.Record):
        return Form("record", of=hint)
    if get_origin(hint) is dict:
        return Form("map", of=_form(get_args(hint)[1], name))
    return _sequence(hint)


def _sequence(hint: Any) -> Form:
    """Return the form of a tuple."""
    inner = get_args(hint)
    many = len(inner) == 2 and inner[1] is Ellipsis
    if many and isinstance(inner[0], type) and issubclass(inner[0], records.Record):
        return Form("records", of=inner[0])
    if inner[0] is float:
        return Form("numbers", None if many else len(inner))
    if inner[0] is str:
        return Form("texts")
    row = get_args(inner[0])
    if row[0] is str:
        return Form("records", of=("first", "second"))
    return Form("rows", None if row[1] is Ellipsis else len(row), whole=row[0] is int)

"""From records to plain values as files have them: what is as the API has it anyway is left out."""

from dataclasses import fields
from typing import Any

import msgspec

from stoss.engine.model import records
from stoss.engine.model.expressions import Expression
from stoss.engine.model.schema import Form, forms
from stoss.engine.model.shorthands import folded
from stoss.engine.settings import Settings

__all__ = ["write_model"]


def write_model(model: records.Record) -> dict[str, Any]:
    """Return a model as plain values: dicts, lists, numbers, texts, true and false."""
    return _record(model)


def _record(record: records.Record) -> dict[str, Any]:
    kind = type(record)
    defaults = _defaults(kind)
    found: dict[str, Any] = {}
    for name, form in forms(kind).items():
        value = getattr(record, name)
        if name in defaults and same(value, defaults[name]):
            continue
        if value is not None:
            found[name] = _value(form, value)
    return folded(kind, found)


def _defaults(kind: type[records.Record]) -> dict[str, Any]:
    return {
        field.name: field.default_factory() if field.default is msgspec.NODEFAULT else field.default
        for field in msgspec.structs.fields(kind)
        if not field.required
    }


def same(value: Any, default: Any) -> bool:
    """Return whether a value is a default to the bit: -0.0 is not 0.0, and an expression is none."""
    return type(value) is type(default) and value == default and repr(value) == repr(default)


def _value(form: Form, value: Any) -> Any:
    if form.what == "record":
        if isinstance(value, Settings):
            usual = Settings()
            return {
                field.name: _plain(getattr(value, field.name))
                for field in fields(Settings)
                if not same(getattr(value, field.name), getattr(usual, field.name))
            }
        return _record(value)
    if form.what == "records":
        if isinstance(form.of, tuple):
            return [list(pair) for pair in value]
        if form.of is records.Parameter:
            return {one.name: _plain(one.value) for one in value}
        if form.named:
            return {one.name: _named(one) for one in value}
        return [_record(one) for one in value]
    if form.what == "map":
        return {name: _value(form.of, one) for name, one in value.items()}
    return _plain(value)


def _named(record: Any) -> Any:
    found = _record(record)
    del found["name"]
    if isinstance(record, records.Marker) and found.keys() <= {"position"}:
        return found.get("position", [0.0, 0.0, 0.0])
    if isinstance(record, records.SubModel) and record.model is not None:
        found.pop("file", None)  # what was saved holds all that it needs
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Expression):
        return value.text
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value

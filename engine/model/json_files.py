"""Models as JSON: the form for programs."""

import json
import math
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from stoss.engine.model.errors import ModelError
from stoss.engine.model.origin import Place

__all__ = ["dump", "line_of", "parse"]


def parse(text: str) -> Any:
    """Return what a text in JSON says, as plain values.

    Raises:
        ModelError: it is none, or has a key twice; says the line and what is wrong.
    """
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ModelError(
            f"line {error.lineno}, column {error.colno}: no JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        ) from error
    except RecursionError as error:
        raise ModelError("no model: objects and lists within one another are too deep") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ModelError(f"the key {twice!r} is there twice in one object; leave one out")
    return found


def dump(tree: dict[str, Any]) -> str:
    """Return plain values as JSON: a line for each thing with a name."""
    lines = []
    for key, value in tree.items():
        if isinstance(value, dict) and value and all(isinstance(one, dict) for one in value.values()):
            inner = ",\n".join(f"    {json.dumps(name)}: {_line(one)}" for name, one in value.items())
            lines.append(f"  {json.dumps(key)}: {{\n{inner}\n  }}")
        else:
            lines.append(f"  {json.dumps(key)}: {_line(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:
    """Return values with infinity as an expression, since JSON has no number for it."""
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0.0 else "-inf"
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list) else value


_SPACE = re.compile(r"[ \t\n\r]*")
_ATOM = re.compile(r"[^,\]}\s]+")


def line_of(text: str, place: Place) -> int | None:
    """Return the line of a place, counted from 1; None if there is none."""
    at = _find(text, _SPACE.match(text, 0).end(), list(place))  # type: ignore[union-attr]
    return None if at is None else text.count("\n", 0, at) + 1


def _find(text: str, at: int, wanted: list[str | int]) -> int | None:
    """Return where a place begins in a value that begins at `at`."""
    while wanted:
        key, *wanted = wanted
        closing = {"{": "}", "[": "]"}.get(text[at : at + 1])
        if closing is None:
            return None
        at, number, found = _skip(text, at + 1), 0, None
        while at < len(text) and text[at] != closing:
            own: str | int = number
            here = at
            if closing == "}":
                own, at = scanstring(text, at + 1)
                at = _skip(text, _skip(text, at) + 1)
            if own == key:
                found = (here, at)
                break
            at = _skip(text, _end(text, at))
            number += 1
            if text[at : at + 1] == ",":
                at = _skip(text, at + 1)
        if found is None:
            return None
        begin, at = found
        if not wanted:
            return begin
    return at


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def _end(text: str, at: int) -> int:
    """Return where a value ends."""
    depth = 0
    while True:
        sign = text[at]
        if sign == '"':
            _, at = scanstring(text, at + 1)
        elif sign in "{[":
            depth, at = depth + 1, at + 1
        elif sign in "}]":
            depth, at = depth - 1, at + 1
        elif sign in ",:" or sign.isspace():
            at += 1
        else:
            match = _ATOM.match(text, at)
            assert match is not None
            at = match.end()
        if depth == 0:
            return at

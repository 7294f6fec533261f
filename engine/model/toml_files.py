"""Models as TOML: the form that people write."""

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from stoss.engine.model.errors import ModelError
from stoss.engine.model.origin import Place

__all__ = ["dump", "line_of", "parse"]

LONGEST_LINE = 100  # characters of a list in one line
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def parse(text: str) -> Any:
    """Return what a text in TOML says, as plain values.

    Raises:
        ModelError: it is none; says the line and what is wrong.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"(.*) \(at line (\d+), column (\d+)\)", str(error), re.DOTALL)
        if match is None:  # at the end of the document
            told = str(error).replace(" (at end of document)", "; the text ends")
            raise ModelError(f"line {max(1, len(text.splitlines()))}: no TOML: {told}") from error
        raise ModelError(f"line {match[2]}, column {match[3]}: no TOML: {match[1]}") from error
    except RecursionError as error:
        raise ModelError("no model: tables and lists within one another are too deep") from error


# ------------------------------------------------------------- writing


def dump(tree: dict[str, Any]) -> str:
    """Return plain values as TOML: a table for each thing with a name, all else in lines."""
    lines: list[str] = []
    tables = {key: value for key, value in tree.items() if isinstance(value, dict)}
    lines += [f"{key} = {_inline(value, len(key) + 3)}" for key, value in tree.items() if key not in tables]
    for key, value in tables.items():
        lines += _table((key,), value)
    return "\n".join(lines).strip() + "\n"


_NAMED = ("materials", "meshes", "bodies", "joints", "coordinates", "models")


def _table(path: tuple[str, ...], table: dict[str, Any]) -> Iterator[str]:
    if path[-1] in _NAMED and len(path) in (1, *range(3, 60, 2)):
        for name, one in table.items():
            yield from _table((*path, name), one)
        return
    yield ""
    yield f"[{'.'.join(map(_key, path))}]"
    inner = {key: value for key, value in table.items() if key == "model"}
    for key, value in table.items():
        if key not in inner:
            yield f"{_key(key)} = {_inline(value, len(key) + 3)}"
    for key, model in inner.items():
        for section, value in model.items():
            if isinstance(value, dict):
                yield from _table((*path, key, section), value)
            else:
                yield from (f"{key}.{section} = {_inline(value, 20)}",)


def _inline(value: Any, used: int) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(key)} = {_inline(one, LONGEST_LINE)}" for key, one in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        parts = [_inline(one, LONGEST_LINE) for one in value]
        line = f"[{', '.join(parts)}]"
        if used + len(line) <= LONGEST_LINE or not any(isinstance(one, dict | list) for one in value):
            return line
        return "[\n" + "".join(f"    {part},\n" for part in parts) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    return repr(value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


# ------------------------------------------------------------- lines

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]#]+?)\s*\]\]?\s*(#.*)?$")
_PART = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*""")


def line_of(text: str, place: Place) -> int | None:
    """Return the line of a place, counted from 1; None if it is not said in a line of its own."""
    table: Place = ()
    counts: dict[Place, int] = {}
    open_lists, long_text = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if long_text:
            if long_text in line:
                long_text = ""
            continue
        if open_lists == 0:
            header = _HEADER.match(line)
            if header is not None:
                table = _path(header[2]) or ()
                if header[1] == "[[":
                    counts[table] = counts.get(table, -1) + 1
                    table = (*table, counts[table])
                if table == place:
                    return number
                continue
            key = _path(line)
            if key is not None and (*table, *key) == place:
                return number
        bare = re.sub(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*', "", line.replace('"""', "\0").replace("'''", "\1"))
        for mark, end in (("\0", '"""'), ("\1", "'''")):
            if bare.count(mark) % 2:
                long_text = end
        open_lists = max(
            0, open_lists + bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")
        )
    return None


def _path(text: str) -> Place | None:
    """Return the keys of a header, or in front of an equal sign."""
    keys: list[str] = []
    at = 0
    while True:
        match = _PART.match(text, at)
        if match is None:
            return None
        if match[1] is not None:
            keys.append(json.loads(f'"{match[1]}"') if "\\" in match[1] else match[1])
        else:
            keys.append(match[2] if match[2] is not None else match[3])
        at = match.end()
        if at == len(text) or text[at] == "=":
            return tuple(keys)
        if text[at] != ".":
            return None
        at += 1

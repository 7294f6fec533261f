"""Models as XML, as the thesis has them (Bender 2007, section 6.1); `model.xsd` is the schema.

Numbers and texts are attributes, numbers in a row with spaces between, expressions without spaces; what has a
name, or is one of several, is an element. Document types, and with them entities, are refused.
"""

from pathlib import Path
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from stoss.engine.model.errors import ModelError
from stoss.engine.model.model_data import ModelData
from stoss.engine.model.origin import Lines, Place
from stoss.engine.model.records import Parameter
from stoss.engine.model.schema import SINGULAR, Form, forms, settings_forms
from stoss.engine.model.shorthands import SHORTHANDS
from stoss.engine.settings import Settings
from stoss.names import hint

__all__ = ["NAMESPACE", "dump", "parse", "root_of"]

NAMESPACE = "urn:stoss:model"
DEEPEST = 100  # elements within one another


class _Element:
    """An element: its name, attributes, elements within it, text and line."""

    __slots__ = ("attributes", "inner", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.inner: list[_Element] = []
        self.text = ""


def _elements(text: str) -> _Element:
    """Return the root of a text in XML.

    Raises:
        ModelError: it is none, or has a document type.
    """
    parser = expat.ParserCreate("utf-8")
    content = text.removeprefix("\ufeff").encode("utf-8", "surrogatepass")
    root = _Element("", {}, 0)
    stack = [root]

    def begin(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > DEEPEST:
            raise ModelError(f"line {parser.CurrentLineNumber}: elements deeper than {DEEPEST}")
        attributes.pop("xmlns", None)
        element = _Element(tag, attributes, parser.CurrentLineNumber)
        stack[-1].inner.append(element)
        stack.append(element)

    def end(tag: str) -> None:
        stack.pop()

    def data(content: str) -> None:
        stack[-1].text += content

    def refuse(*arguments: Any) -> None:
        raise ModelError(
            f"line {parser.CurrentLineNumber}: it has a document type (<!DOCTYPE ...>), and with it "
            "entities, which models do not need; take it out"
        )

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = begin, end, data
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        told = expat.errors.messages[error.code]
        raise ModelError(f"line {error.lineno}, column {error.offset + 1}: no XML: {told}") from error
    return root.inner[0]


def root_of(path: Path) -> str:
    """Return the first element of a file, empty if it has none."""
    parser, found = expat.ParserCreate(), list[str]()

    def refuse(*arguments: Any) -> None:
        raise StopIteration

    def begin(tag: str, attributes: dict[str, str]) -> None:
        found.append(tag)
        raise StopIteration

    parser.StartElementHandler, parser.StartDoctypeDeclHandler = begin, refuse
    try:
        with path.open("rb") as file:
            parser.Parse(file.read(1 << 16), False)
    except (expat.ExpatError, StopIteration, OSError):
        pass  # what is wrong is told by who reads it
    return found[0] if found else ""


def parse(text: str) -> tuple[Any, Lines]:
    """Return what a text in XML says, as plain values, and what finds the line of a place.

    Raises:
        ModelError: it is none, or has elements that models do not have.
    """
    root = _elements(text)
    if root.tag != "model":
        raise ModelError(f"line {root.line}: the outermost element is <{root.tag}>; it must be <model>")
    lines: dict[Place, int] = {}
    tree = _record(root, ModelData, (), lines)
    return tree, lambda _, place: lines.get(place)


def _record(element: _Element, kind: Any, place: Place, lines: dict[Place, int]) -> dict[str, Any]:
    lines[place] = element.line
    known = settings_forms() if kind is Settings else forms(kind)
    tree: dict[str, Any] = {}
    short = SHORTHANDS.get(kind, {})
    for key, text in element.attributes.items():
        lines[(*place, key)] = element.line
        if key not in known:
            if key in ("file", "name"):
                tree[key] = text
                continue
            tree[key] = _words(text) if key in short and key == "axis_angle" else _scalar(text)
            continue
        tree[key] = _attribute(known[key], text)
    by_tag = {SINGULAR.get(name, name): (name, form) for name, form in known.items()}
    for inner in element.inner:
        if inner.tag == "include" and kind is ModelData:
            tree.setdefault("include", []).append(inner.attributes.get("file", ""))
            continue
        if inner.tag not in by_tag:
            raise ModelError(
                f"line {inner.line}: there is no <{inner.tag}> in <{element.tag}>"
                f"{hint(inner.tag, by_tag)}; known: {', '.join(by_tag) or 'none'}"
            )
        name, form = by_tag[inner.tag]
        _add(tree, name, form, inner, (*place, name), lines)
    return tree


def _add(
    tree: dict[str, Any], name: str, form: Form, element: _Element, place: Place, lines: dict[Place, int]
) -> None:
    """Add what an element within another says."""
    if form.what == "records" and isinstance(form.of, tuple):
        tree.setdefault(name, []).append([element.attributes.get(end, "") for end in form.of])
    elif form.what == "map" or form.of is Parameter or form.named:
        own = element.attributes.pop("name", None)
        if own is None:
            raise ModelError(f"line {element.line}: <{element.tag}> has no name; give it one")
        table = tree.setdefault(name, {})
        if own in table:
            raise ModelError(
                f"line {element.line}: there is another <{element.tag} name={own!r}>; rename one"
            )
        lines[(*place, own)] = element.line
        if form.named and form.of is not Parameter:
            table[own] = _record(element, form.of, (*place, own), lines)
        else:
            value = Form("number") if form.of is Parameter else form.of
            table[own] = _attribute(value, element.attributes.get("value", ""))
    elif form.what == "records":
        many = tree.setdefault(name, [])
        many.append(_record(element, form.of, (*place, len(many)), lines))
    elif form.what == "rows":
        lines[place] = element.line
        tree[name] = _rows(form, element.text)
    elif form.what == "record":
        tree[name] = _record(element, form.of, place, lines)
    else:
        raise ModelError(f'line {element.line}: {name} is an attribute, not an element: {name}="..."')


def _attribute(form: Form, text: str) -> Any:
    if form.what in ("text", "records", "record", "map"):
        return text
    if form.what == "texts":
        return text.split()
    if form.what == "numbers":
        return _words(text)
    if form.what == "rows":
        return _rows(form, text)
    if form.what == "color":
        words = _words(text)
        return words if len(words) == 3 else text
    if form.what == "flag":
        return {"true": True, "false": False, "1": True, "0": False}.get(text, text)
    return _scalar(text)


def _words(text: str) -> list[Any]:
    return [_scalar(word) for word in text.split()]


def _rows(form: Form, text: str) -> list[list[Any]]:
    rows = text.split(";") if form.size is None or ";" in text else None
    if rows is not None:
        return [_words(row) for row in rows if row.strip()]
    words = _words(text)
    size = form.size or 1
    return [words[at : at + size] for at in range(0, len(words), size)]


def _scalar(text: str) -> Any:
    """Return a number, or the text where it is none: an expression, or a mistake that is told later."""
    for kind in (int, float):
        try:
            if "_" not in text:
                return kind(text)
        except ValueError:
            continue
    return text


# ------------------------------------------------------------- writing


def dump(tree: dict[str, Any]) -> str:
    """Return plain values as XML."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    _write(lines, "model", ModelData, tree, 0, {"xmlns": NAMESPACE})
    return "\n".join(lines) + "\n"


def _write(
    lines: list[str], tag: str, kind: Any, tree: dict[str, Any], depth: int, more: dict[str, str]
) -> None:
    """Write a record as an element."""
    known = settings_forms() if kind is Settings else forms(kind)
    attributes, inner = dict(more), list[str]()
    for name, value in tree.items():
        form = known.get(name)
        if form is None:  # a shorthand of actions
            for one in value if isinstance(value, list) else [value]:
                _write(inner, "action", known["actions"].of, {"type": name, **one}, depth + 1, {})
        elif form.what in ("records", "record", "map", "rows"):
            _write_inner(inner, name, form, value, depth + 1)
        else:
            attributes[name] = _written(value)
    words = "".join(f" {name}={_quoted(value)}" for name, value in attributes.items())
    space = "  " * depth
    if inner:
        lines += [f"{space}<{tag}{words}>", *inner, f"{space}</{tag}>"]
    else:
        lines.append(f"{space}<{tag}{words}/>")


def _write_inner(lines: list[str], name: str, form: Form, value: Any, depth: int) -> None:
    tag, space = SINGULAR.get(name, name), "  " * depth
    if form.what == "rows":
        text = "; ".join(_written(row) for row in value)
        lines.append(f"{space}<{name}>{escape(text)}</{name}>")
    elif form.what == "record":
        _write(lines, name, form.of, value, depth, {})
    elif form.what == "map" or form.of is Parameter:
        for own, one in value.items():
            lines.append(f"{space}<{tag} name={_quoted(own)} value={_quoted(_written(one))}/>")
    elif isinstance(form.of, tuple):
        for pair in value:
            words = " ".join(f"{end}={_quoted(one)}" for end, one in zip(form.of, pair, strict=True))
            lines.append(f"{space}<{tag} {words}/>")
    elif form.named:
        for own, one in value.items():
            own_tree = one if isinstance(one, dict) else {"position": one}  # of a marker
            _write(lines, tag, form.of, own_tree, depth, {"name": own})
    else:
        for one in value:
            _write(lines, tag, form.of, one, depth, {})


def _written(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(
            _written(one).replace(" ", "") if isinstance(one, str) else _written(one) for one in value
        )
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    for sign in text:
        if (sign < " " and sign not in "\t\n\r") or "\ud800" <= sign <= "\udfff" or sign in "\ufffe\uffff":
            raise ModelError(f"{text!r} cannot be written as XML, which has no {sign!r}; write TOML or JSON")
    return quoteattr(text, {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})

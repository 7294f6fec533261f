"""Write the reference of all that is public from the docstrings.

`python docs/api.py --write docs/api.md` does.

Public is what `stoss.engine`, `stoss.collision`, `stoss.scenes` and `stoss.viewer` name in `__all__`,
and what `stoss` itself names from anywhere.
`--gaps` prints what is not described: a class, function or property without a first line, an argument without
a word on what it is, a number with neither unit nor the word that it has none, an array without a shape.
"""

import argparse
import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from stoss.docstrings import sections

PACKAGES = ("stoss", "stoss.engine", "stoss.collision", "stoss.scenes", "stoss.viewer")

# A number has a unit in brackets, or one of these words says why it has none.
_UNIT = re.compile(
    r"\[[^\]]+\]|\(n|\b(rad|seconds?|steps?|pixels?|factor|share|ratio|number|count|coefficient|times|bits|rows?|"
    r"degrees|opacity|0 to 1|part|gain|order|unit|group|scale|fraction|per)\b|²|N s|m/s"
)
_SHAPE = re.compile(
    r"\(\w+(, ?\w+)*,?\)|\d numbers|shape|vector|point|quaternion|direction|axis|pair|color|colour|array"
)


# Handles, which a world gives: nobody makes them by their class.
GIVEN = (
    *("Body", "Contact", "Contacts", "CurvedLimit", "Drive", "Integral", "Joint", "JointFriction"),
    *("Limit", "Load", "LoadContext", "Marker", "PidDrive", "Recording", "Rotor", "Shape", "Snapshot"),
    *("SweepTable", "SwingLimit", "TwistLimit", "Viewer", "WorldContacts"),
)


@dataclass
class Entry:
    """Something public: a class with its members, a function, or a value.

    Attributes:
        name: dotted, as a user writes it.
        thing: what it is.
        members: of a class.
    """

    name: str
    thing: Any
    members: "list[Entry]" = field(default_factory=list)


def entries(package: str) -> list[Entry]:
    """Return what a package makes public, in alphabetical order; its modules are left out."""
    module = importlib.import_module(package)
    short = package.removeprefix("stoss.")
    # `stoss` gives away what the sub-packages name: they tell of it; it adds what they do not.
    elsewhere = {own for other in PACKAGES[1:] for own in importlib.import_module(other).__all__}
    names = {*module.__all__} - (elsewhere | {*PACKAGES, "__version__"} if package == "stoss" else set())
    found = []
    for name in sorted(names, key=lambda name: (name.lower(), name)):
        thing = getattr(module, name)
        if package == "stoss" and inspect.ismodule(thing):
            continue
        if inspect.ismodule(thing):
            prefix = f"{short}.{name}"
            found += [Entry(f"{prefix}.{own}", getattr(thing, own)) for own in getattr(thing, "__all__", ())]
            continue
        members = [*_members(thing)] if inspect.isclass(thing) else []
        found.append(Entry(f"{short}.{name}", thing, members))
    return found


@cache
def _public_classes() -> frozenset[type]:
    """Return the classes that packages make public."""
    modules = [importlib.import_module(package) for package in PACKAGES]
    named = [getattr(module, name) for module in modules for name in module.__all__]
    return frozenset(one for one in named if inspect.isclass(one))


def _members(kind: type) -> Iterator[Entry]:
    """Give public methods and properties of a class, those of its bases within stoss too."""
    fields = {item.name for item in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    for name in sorted(dir(kind)):
        # What a class does in place of a public one is described there.
        bases = (base for base in kind.__mro__[1:] if base in _public_classes())
        if name.startswith("_") or name in fields or any(hasattr(base, name) for base in bases):
            continue
        value = inspect.getattr_static(kind, name)
        if isinstance(value, staticmethod | classmethod):
            value = value.__func__
        if not str(getattr(_function(value), "__module__", "")).startswith("stoss"):
            continue
        if isinstance(value, property) or inspect.isfunction(value):
            yield Entry(name, value)


def _function(thing: Any) -> Any:
    """Return the function of a property, or what a decorator wraps."""
    return inspect.unwrap(thing.fget) if isinstance(thing, property) else thing


def summary(thing: Any) -> str:
    """Return what a docstring says before its sections."""
    return _told(thing)[""][""]


def _told(thing: Any) -> dict[str, dict[str, str]]:
    return sections(_function(thing))


def arguments(thing: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function or class by name, without self and what begins with "_"."""
    if isinstance(thing, property) or (inspect.isclass(thing) and thing.__name__ in GIVEN):
        return {}
    try:
        signature = inspect.signature(_function(thing))
    except (TypeError, ValueError):
        return {}
    return {
        name: parameter
        for name, parameter in signature.parameters.items()
        if name not in ("self", "cls") and not name.startswith("_")
    }


def gaps(entry: Entry, owner: str = "") -> list[str]:
    """Return what is not said of an entry and of its members."""
    name = f"{owner}.{entry.name}" if owner else entry.name
    thing = entry.thing
    if not (inspect.isclass(thing) or isinstance(thing, property) or callable(thing)):
        return []
    missing = [] if summary(thing).strip() else [f"{name}: no word on what it is"]
    if inspect.isclass(thing) and issubclass(thing, tuple | BaseException):
        return missing
    told = _told(thing)
    known = {**told.get("Attributes", {}), **told.get("Args", {})}
    text = " ".join(known.values()) + summary(thing)
    for argument, parameter in arguments(thing).items():
        # A docstring of few words may name its arguments in passing.
        words = known.get(argument) or (re.search(rf"\b{argument}\b", summary(thing)) and summary(thing))
        if not words:
            missing.append(f"{name}: argument {argument} is not described")
            continue
        kind = inspect.formatannotation(parameter.annotation)
        if re.match(r"^'?float\b", kind) and not _UNIT.search(words + text):
            missing.append(f"{name}: argument {argument} has no unit")
        if re.search(r"ndarray|ArrayLike", kind) and not _SHAPE.search(words + text):
            missing.append(f"{name}: argument {argument} has no shape")
    if isinstance(thing, property):
        kind = inspect.formatannotation(_function(thing).__annotations__.get("return", ""))
        if "ndarray" in kind and not _SHAPE.search(summary(thing)):
            missing.append(f"{name}: it has no shape")
        if kind == "float" and not _UNIT.search(summary(thing)):
            missing.append(f"{name}: it has no unit")
    return missing + [gap for member in entry.members for gap in gaps(member, name)]


def page() -> str:
    """Return the reference."""
    import stoss

    lines = [
        "# Reference",
        "",
        "Written by `python docs/api.py --write docs/api.md` from the docstrings. What stands as `st.World`",
        "is in `stoss` itself (`import stoss as st`), the rest in the sub-package that is named.",
        "",
    ]
    seen: dict[int, Any] = {}  # keeps what it knows by its number
    for package in PACKAGES:
        lines += [f"## {package}", ""]
        for entry in entries(package):
            if id(entry.thing) in seen and callable(entry.thing):
                continue
            seen[id(entry.thing)] = entry.thing
            last = entry.name.rpartition(".")[2]
            direct = last in stoss.__all__ and entry.name.count(".") <= 1
            lines += _section(entry, f"st.{last}" if direct else f"stoss.{entry.name}")
    return "\n".join(lines).rstrip() + "\n"


def _section(entry: Entry, name: str) -> list[str]:
    thing = entry.thing
    if not callable(thing):
        return [f"### {name}", "", f"A {type(thing).__name__.lstrip('_').lower()}.", ""]
    given = inspect.isclass(thing) and thing.__name__ in GIVEN
    call = "Given by a world." if given else f"`{name.rpartition('.')[2]}{_signature(thing)}`"
    lines = [f"### {name}", "", call, "", _prose(summary(thing)), ""]
    lines += _items(thing)
    for member in entry.members:
        is_property = isinstance(member.thing, property)
        call = f"`.{member.name}`" if is_property else f"`.{member.name}{_signature(member.thing)}`"
        settable = " May be assigned." if is_property and member.thing.fset is not None else ""
        lines += [f"- {call}: {_flat(summary(member.thing))}{settable}"]
        lines += [f"  {line}" for line in _items(member.thing) if line]
    if entry.members:
        lines.append("")
    return lines


def _items(thing: Any) -> list[str]:
    """Return arguments, attributes, results and errors as a list."""
    told = _told(thing)
    lines = []
    for section in ("Args", "Attributes"):
        for name, words in told.get(section, {}).items():
            if name and words:
                lines.append(f"- `{name}`: {_flat(words)}")
    for section in ("Returns", "Yields"):
        if told.get(section, {}).get(""):
            lines.append(f"- {section.lower()} {_flat(told[section][''])}")
    for name, words in told.get("Raises", {}).items():
        if name:
            lines.append(f"- raises `{name}`: {_flat(words)}")
    return [*lines, ""] if lines else []


def _signature(thing: Any) -> str:
    parts, keyword_only = [], False
    for name, parameter in arguments(thing).items():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        keyword_only = keyword_only or stars == "*"
        default = "" if parameter.default is parameter.empty else f"={_default(parameter.default)}"
        parts.append(f"{stars}{name}{default}")
    return f"({', '.join(parts)})"


def _default(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 40 and " at 0x" not in text and "object" not in text else "..."


def _flat(text: str) -> str:
    return " ".join(text.split())


def _prose(text: str) -> str:
    """Return the text of a docstring; indented parts stay what they are."""
    return text.replace("\n\n\n", "\n\n")


def main(words: list[str] | None = None) -> int:
    """Print the reference or its gaps, or write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--gaps", action="store_true", help="print what is not described")
    parser.add_argument("--write", type=Path, metavar="FILE")
    options = parser.parse_args(words)
    if options.gaps:
        found = [gap for package in PACKAGES for entry in entries(package) for gap in gaps(entry)]
        print("\n".join(found) or "no gaps")
        return bool(found)
    if options.write:
        options.write.write_text(page(), encoding="utf-8")
    else:
        print(page(), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

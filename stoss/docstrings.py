"""What docstrings say, also where Python runs with -OO and keeps none: then they are read from the source."""

import ast
import functools
import inspect
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["KEPT", "argument_descriptions", "docstring", "first_line", "sections"]

# Whether Python keeps docstrings.
KEPT = sys.flags.optimize < 2


def docstring(what: Callable[..., Any] | ModuleType) -> str:
    """Return the docstring of a function, class or module; empty if it has none, or no source is there."""
    text = inspect.getdoc(what)
    if text is None and not KEPT:
        try:
            text = _read(what)
        except (OSError, TypeError, SyntaxError):  # installed without sources
            text = None
    return text or ""


def first_line(what: Callable[..., Any] | ModuleType | str) -> str:
    """Return the first line of the docstring of a function, a module, or the module of that name."""
    if isinstance(what, str):
        what = sys.modules[what]
    return docstring(what).partition("\n")[0]


def argument_descriptions(docstring: str) -> dict[str, str]:
    """Read the `Args:` section of a docstring in Google layout; names that share a text each get it."""
    descriptions: dict[str, str] = {}
    inside = False
    current = ""
    for line in docstring.splitlines():
        if line.strip() == "Args:":
            inside = True
        elif inside and line and not line.startswith(" "):
            break
        elif inside and line.startswith("    ") and not line.startswith("     ") and ":" in line:
            current, text = line.strip().split(":", 1)
            descriptions[current] = text.strip()
        elif inside and current and line.strip():
            descriptions[current] += " " + line.strip()
    return {name: text for names, text in descriptions.items() for name in names.split(", ")}


def _read(what: Callable[..., Any] | ModuleType) -> str | None:
    path = inspect.getsourcefile(what)
    if path is None:
        return None
    if isinstance(what, ModuleType):
        return ast.get_docstring(_tree(path))
    first = 0 if isinstance(what, type) else what.__code__.co_firstlineno
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ClassDef) and isinstance(what, type) and node.name == what.__name__:
            return ast.get_docstring(node)
        if isinstance(node, ast.FunctionDef):
            lines = [node.lineno, *(decorator.lineno for decorator in node.decorator_list)]
            if min(lines) == first:
                return ast.get_docstring(node)
    return None


@functools.cache
def _tree(path: str) -> ast.Module:
    with open(path, "rb") as file:
        return ast.parse(file.read())


# A line that begins a section, and one that begins an item within: "name, other: what they are".
_SECTION = re.compile(r"^(Args|Attributes|Raises|Returns|Yields):$")
_ITEM = re.compile(r"^(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*): ?(.*)$")


def sections(what: Callable[..., Any] | ModuleType) -> dict[str, dict[str, str]]:
    """Return what the sections of a docstring say of each name: `sections(f)["Args"]["x"]`.

    The text before the first section is under "" and "", that of sections without names under the name "".
    """
    found: dict[str, dict[str, list[str]]] = {"": {"": []}}
    section, names = "", [""]
    for line in docstring(what).splitlines():
        head = _SECTION.match(line)
        if head:
            section, names = head[1], [""]
            found[section] = {"": []}
            continue
        if line and not line.startswith(" ") and section:
            section, names = "", [""]  # text after the sections
        item = _ITEM.match(line[4:]) if section in ("Args", "Attributes", "Raises") else None
        text = line
        if item and line.startswith("    ") and not line.startswith("     "):
            names, text = item[1].replace("*", "").split(", "), item[2]
        for name in names:
            found[section].setdefault(name, []).append(text if section == "" else text.strip())
    return {
        part: {name: ("\n" if part == "" else " ").join(lines).strip() for name, lines in items.items()}
        for part, items in found.items()
    }

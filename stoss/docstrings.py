"""What docstrings say, also where Python runs with -OO and keeps none: then they are read from the source."""

import ast
import functools
import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["KEPT", "argument_descriptions", "docstring", "first_line"]

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

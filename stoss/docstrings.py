"""What docstrings say, also where Python runs with -OO and keeps none: then they are read from the source."""

import ast
import functools
import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["KEPT", "docstring", "first_line"]

# Whether Python keeps docstrings.
KEPT = sys.flags.optimize < 2


def docstring(what: Callable[..., Any] | ModuleType) -> str:
    """Return the docstring of a function or module; empty if it has none, or its source is not there."""
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


def _read(what: Callable[..., Any] | ModuleType) -> str | None:
    path = inspect.getsourcefile(what)
    if path is None:
        return None
    if isinstance(what, ModuleType):
        return ast.get_docstring(_tree(path))
    first = what.__code__.co_firstlineno
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef):
            lines = [node.lineno, *(decorator.lineno for decorator in node.decorator_list)]
            if min(lines) == first:
                return ast.get_docstring(node)
    return None


@functools.cache
def _tree(path: str) -> ast.Module:
    with open(path, "rb") as file:
        return ast.parse(file.read())

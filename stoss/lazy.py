"""Packages whose names are loaded when they are first asked for: importing them is cheap."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["declared_names", "names_of"]


def declared_names(stub: str, package: str) -> dict[str, str]:
    """Return what a stub imports as it is called, "from package.module import name as name", for `names_of`.

    Args:
        stub: path of the file, which has a name in a line, or several with commas between them.
        package: full name of the package that gives the names away.
    """
    found: dict[str, str] = {}
    module = ""
    with open(stub, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("from "):
                module = line.split()[1].removeprefix(package).removeprefix(".")
                line = line.partition(" import ")[2]
            for part in line.split(","):
                name, renamed, _ = part.strip(" ()\n").partition(" as ")
                if renamed:
                    found[module] = f"{found.get(module, '')} {name}"
    return found


def names_of(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions `__getattr__` and `__dir__` of a package.

    Args:
        package: its full name, `__name__` within it.
        modules: names, with blanks between them, by the module below the package that has them; those by ""
            are modules themselves.
    """
    home = {name: module for module, names in modules.items() for name in names.split()}
    namespace = vars(sys.modules[package])

    def load(name: str) -> Any:
        if name not in home:
            from stoss.foreign_names import CLASSES
            from stoss.names import hint

            known = f"; it is called {CLASSES[name]} here" if CLASSES.get(name) in home else hint(name, home)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{known}", name=name)
        if not home[name]:
            return import_module(f"{package}.{name}")
        value = namespace[name] = getattr(import_module(f"{package}.{home[name]}"), name)
        return value

    def listed() -> list[str]:
        return sorted({*home, *namespace.get("__all__", ()), *(n for n in namespace if n.startswith("__"))})

    return load, listed

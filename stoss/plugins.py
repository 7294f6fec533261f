"""Plug-ins: what other packages add to stoss, by entry points, looked up when they are first needed.

A package names them in its pyproject.toml:

    [project.entry-points."stoss.scenes"]
    marbles = "marbles.scenes"

- `stoss.scenes`: a module; its scenes are those that it registers by `@stoss.scenes.scene(...)`.
- `stoss.loads`: a class of loads, for instance a subclass of those in `stoss`, by its name.
- `stoss.formats`: an object with `suffix` (".sdf"), and `load(path)`, which returns a `stoss.Model`, or
  `save(model, path)`, or both: `Model.load` and `Model.save` know the suffix then. `save` may return names
  of what the format cannot hold.

A plug-in that cannot be loaded is told of in a warning that names it, and is left out.
"""

import functools
import warnings
from dataclasses import dataclass
from typing import Any

__all__ = ["GROUPS", "Plugin", "find_plugins", "format_plugin"]

GROUPS = ("stoss.scenes", "stoss.loads", "stoss.formats")


@dataclass(frozen=True)
class Plugin:
    """Something that another package adds.

    Attributes:
        group: one of `GROUPS`.
        name: of the entry point.
        package: that it comes with, and its version.
        value: where it is, "module" or "module:attribute".
        thing: what was found there; None: it could not be loaded.
        error: why it could not, empty if it could.
    """

    group: str
    name: str
    package: str
    value: str
    thing: Any
    error: str


@functools.cache
def find_plugins(group: str) -> tuple[Plugin, ...]:
    """Return the plug-ins of a group, sorted by their names, and load them when first asked.

    Args:
        group: one of `GROUPS`.

    Raises:
        ValueError: there is no such group.
    """
    if group not in GROUPS:
        raise ValueError(f"group = {group!r} must be one of {', '.join(GROUPS)}")
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=group), key=lambda point: (point.name, point.value))
    return tuple(_load(group, point) for point in found)


def _load(group: str, point: Any) -> Plugin:
    package = "an unknown package" if point.dist is None else f"{point.dist.name} {point.dist.version}"
    thing, error = None, ""
    try:
        thing = point.load()
        _check(group, thing)
    except Exception as cause:  # whatever code of others raises
        thing, error = None, f"{type(cause).__name__}: {cause}"
        warnings.warn(
            f"plug-in {point.name!r} of {group}, {point.value} of {package}, cannot be loaded and is left "
            f"out: {error}",
            stacklevel=4,
        )
    return Plugin(group, point.name, package, point.value, thing, error)


def _check(group: str, thing: Any) -> None:
    """Raise TypeError unless a plug-in is what its group takes."""
    if group == "stoss.loads" and not isinstance(thing, type):
        raise TypeError(f"{thing!r} must be a class of loads")
    if group == "stoss.formats":
        suffix = getattr(thing, "suffix", None)
        if not isinstance(suffix, str) or not suffix.startswith("."):
            raise TypeError(f"{thing!r} has suffix = {suffix!r}, which must be a text such as '.sdf'")
        if not callable(getattr(thing, "load", None)) and not callable(getattr(thing, "save", None)):
            raise TypeError(f"{thing!r} has neither load(path) nor save(model, path)")


def format_plugin(suffix: str, what: str) -> Any:
    """Return the format of others for files of a suffix, None if there is none.

    Args:
        suffix: with its dot, in small letters.
        what: "load" or "save", which it is to have.
    """
    for plugin in find_plugins("stoss.formats"):
        if plugin.thing is not None and plugin.thing.suffix == suffix and hasattr(plugin.thing, what):
            return plugin.thing
    return None

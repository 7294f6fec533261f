"""What `--grid` of `stoss sweep` says: kp=10,20,50 or kd=0.1:1:5."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stoss.command_line.options.values import truth
from stoss.engine import Settings
from stoss.errors import UsageError
from stoss.scenes.registry import Scene, suggestion

__all__ = ["read_grids"]

Value = float | int | str | bool

_HOW = "write NAME=10,20,50 or NAME=FIRST:LAST:COUNT, such as kd=0.1:1:5"
MOST_VALUES = 1_000_000


def read_grids(words: Sequence[str], scene: Scene) -> dict[str, list[Value]]:
    """Return values by the names of parameters, settings, or "time_step".

    Args:
        words: what was written behind --grid, each time.
        scene: of which these are parameters.

    Raises:
        UsageError: no such name, or no values.
    """
    kinds = _kinds(scene)
    found: dict[str, list[Value]] = {}
    for word in words:
        name, equals, text = word.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UsageError(f"--grid: {word!r} is no grid; {_HOW}")
        if name not in kinds:
            plain = name.replace("-", "_")
            close = f" (did you mean {plain}?)" if plain in kinds else suggestion(name, list(kinds))
            there = ", ".join(one.name for one in scene.parameters) or "none"
            raise UsageError(
                f"--grid: no parameter named {name!r}{close}; there are {there}; "
                "time_step and the settings too"
            )
        if name in found:
            raise UsageError(f"--grid: {name} is given twice; write all its values at once")
        choices = next((one.choices for one in scene.parameters if one.name == name), ())
        found[name] = _read(name, text, kinds[name], choices)
    return found


def _kinds(scene: Scene) -> dict[str, type]:
    """Return the type of all that may be varied; what a scene and the settings both have is the scene's."""
    usual = scene.settings or Settings()
    settings = {field.name: type(getattr(usual, field.name)) for field in dataclasses.fields(usual)}
    return {**settings, "time_step": float, **{one.name: one.type for one in scene.parameters}}


def _read(name: str, text: str, kind: type, choices: Sequence[str]) -> list[Value]:
    if kind in (int, float) and ":" in text:
        return _range(name, text, kind)
    values: list[Value] = []
    for part in text.split(","):
        try:
            values.append(_READ.get(kind, str)(part.strip()))
        except ValueError:
            raise UsageError(
                f"--grid: {name} is {part!r}; give {_WANTED.get(kind, 'a word')}: {_HOW}"
            ) from None
        if choices and values[-1] not in choices:
            close = suggestion(part.strip(), [*choices])
            raise UsageError(f"--grid: {name} is {part!r}{close}; choose from {', '.join(choices)}")
        if part.strip() == "":
            raise UsageError(f"--grid: {name} has an empty value in {text!r}; {_HOW}")
    return values


def _range(name: str, text: str, kind: type) -> list[Value]:
    """Return numbers from the first to the last, both included, evenly spaced or (":log") by a ratio."""
    parts = text.split(":")
    logarithmic = len(parts) == 4 and parts[3] == "log"
    try:
        if len(parts) != 3 and not logarithmic:
            raise ValueError(text)
        first, last, count = float(parts[0]), float(parts[1]), int(parts[2])
    except ValueError:
        raise UsageError(
            f"--grid: {name} is {text!r}; write FIRST:LAST:COUNT, or FIRST:LAST:COUNT:log for equal ratios"
        ) from None
    if not np.isfinite([first, last]).all() or not 2 <= count <= MOST_VALUES or first == last:
        raise UsageError(f"--grid: {name} is {text!r}; give two different numbers and a count of at least 2")
    if logarithmic and not (first > 0.0 and last > 0.0):
        raise UsageError(f"--grid: {name} is {text!r}; equal ratios need numbers above zero")
    spaced = (np.geomspace if logarithmic else np.linspace)(first, last, count)
    values = [
        float(f"{value:.12g}") for value in spaced
    ]  # 0.3, as one would write it, not 0.30000000000000004
    values[0], values[-1] = first, last
    if kind is int:
        if any(value != round(value) for value in values):
            raise UsageError(
                f"--grid: {name} takes whole numbers, {text!r} gives {values[0]:g}, {values[1]:g}, ...; "
                "choose a count that fits, or write them one by one"
            )
        return [round(value) for value in values]
    return list(values)


def _number(text: str) -> float:
    value = float(text)
    if not np.isfinite(value):
        raise ValueError(text)
    return value


_READ: dict[type, Callable[[str], Any]] = {bool: truth, int: int, float: _number, str: str}
_WANTED = {bool: "true or false", int: "whole numbers", float: "finite numbers"}

"""The plan of a sweep: what is run, and what is wanted of each run."""

import dataclasses
import hashlib
import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.scenes.experiments.metrics import Metric
from stoss.scenes.experiments.source import TIME_STEP, Source
from stoss.scenes.registry import suggestion
from stoss.scenes.running.report import versions

if TYPE_CHECKING:
    from stoss.engine import Settings

__all__ = ["Plan", "Point", "points_of"]

Value = float | int | str | bool
Point = dict[str, Value]

MOST_RUNS = 1_000_000
FORMAT = 1  # of the record of a run, and of its result


@dataclass(frozen=True)
class Plan:
    """What all runs of a sweep have in common; a point says what is varied.

    Attributes:
        source: what is run.
        duration: simulated time [s].
        parameters: values of parameters, others have those of the source.
        time_step: [s], None: that of the source.
        settings: None: those of the source.
        metrics: what is worked out of each run.
        channels: what is recorded, as patterns.
        every: time between two records [s], None: each step.
        keep: whether the records are kept in the folders of the runs.
    """

    source: Source
    duration: float
    parameters: Mapping[str, Any] = field(default_factory=dict)
    time_step: float | None = None
    settings: "Settings | None" = None
    metrics: tuple[Metric, ...] = ()
    channels: tuple[str, ...] = ()
    every: float | None = None
    keep: bool = False

    def varied(self, point: Mapping[str, Any]) -> tuple[Point, float | None, "Settings | None"]:
        """Return parameters, time step and settings of the run at a point.

        Raises:
            ValueError, TypeError: no such parameter or setting, or not such a value.
        """
        settings, time_step = self.settings, self.time_step
        own = {**self.source.defaults(), **self.parameters}
        usual = settings or self.source.settings
        fields = {} if usual is None else {one.name: one for one in dataclasses.fields(usual)}
        changes = {}
        for name, value in point.items():
            if name in own or name not in (*fields, TIME_STEP):
                own[name] = self._checked(name, value, fields)
            elif name == TIME_STEP:
                time_step = _positive(TIME_STEP, value)
            else:
                changes[name] = value
        if changes:
            assert usual is not None
            settings = dataclasses.replace(usual, **changes)
        return own, time_step, settings

    def _checked(self, name: str, value: Any, fields: Mapping[str, Any]) -> Any:
        try:
            return self.source.checked(name, value)
        except ValueError as error:
            close = suggestion(name, [*fields, TIME_STEP])
            if close and "has no parameter" in str(error):
                raise ValueError(f"{error}; or the setting{close}") from None
            raise

    def record(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a run is, as JSON values: the same record gives the same result, bit for bit."""
        parameters, time_step, settings = self.varied(point)
        settings = settings or self.source.settings
        return {
            "format": FORMAT,
            "source": {
                "kind": self.source.kind,
                "name": self.source.name,
                "digest": self.source.digest,
            },
            "parameters": parameters,
            "duration": self.duration,
            "time_step": self.source.time_step if time_step is None else time_step,
            "settings": None if settings is None else dataclasses.asdict(settings),
            "metrics": [{"name": one.name, "text": one.text, "digest": one.digest} for one in self.metrics],
            "channels": list(self.channels),
            "every": self.every,
            "keep": self.keep,
            "versions": versions(),
        }

    def key(self, point: Mapping[str, Any]) -> str:
        """Return what tells a run from all others: a digest of its record."""
        record = self.record(point)
        if self.source.kind == "model":  # wherever its file is
            record["source"].pop("name")
        text = json.dumps(record, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def points_of(grid: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> list[Point]:
    """Return the points of a grid: all combinations of the values of each name, the last one varying fastest.

    Args:
        grid: values by name; or the points themselves.

    Raises:
        TypeError: neither, or a value that is no number, text or truth value.
        ValueError: no points, too many, or one twice.
    """
    if isinstance(grid, Mapping):
        axes = {_name(name): _values(name, values) for name, values in grid.items()}
        count = math.prod(len(values) for values in axes.values())
        _check_count(count)
        return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    if isinstance(grid, str) or not isinstance(grid, Sequence | Iterable):
        raise TypeError(
            f"grid = {grid!r}: give values by name, such as {{'kp': [10, 20]}}, or a list of points"
        )
    points: list[Point] = []
    for number, point in enumerate(grid):
        if not isinstance(point, Mapping):
            raise TypeError(
                f"grid[{number}] = {point!r}: give a point as values by name, such as {{'kp': 10}}"
            )
        points.append({_name(name): _value(f"grid[{number}]: {name}", one) for name, one in point.items()})
    _check_count(len(points))
    seen: dict[tuple[Any, ...], int] = {}
    for number, plain in enumerate(points):
        first = seen.setdefault(tuple(sorted(plain.items())), number)
        if first != number:
            raise ValueError(f"grid[{number}] is the same point as grid[{first}]; give each once")
    return points


def _check_count(count: int) -> None:
    if not 1 <= count <= MOST_RUNS:
        raise ValueError(f"the grid has {count} points; give 1 to {MOST_RUNS}")


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"grid: {name!r} is no name of a parameter; give a text")
    return name


def _values(name: str, values: Any) -> list[Value]:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        values = [values]
    found = [_value(f"grid: {name}", one) for one in values]
    if not found:
        raise ValueError(f"grid: {name} has no values; give one or more")
    for number, value in enumerate(found):
        if value in found[:number]:
            raise ValueError(f"grid: {name} has the value {value!r} twice; give each once")
    return found


def _value(name: str, value: Any) -> Value:
    """Return a value as plain Python, so that JSON holds it."""
    from stoss.collision import plain_numbers

    if isinstance(value, str | bool | int):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    return plain_numbers.number(name, value)


def _positive(name: str, value: Any) -> float:
    from stoss.collision import plain_numbers

    return plain_numbers.number(name, value, "s", above=0.0)

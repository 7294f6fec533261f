"""The list of cases: reported bugs of other engines, each rebuilt, measured and judged.

A case is a function that builds worlds, runs them, and returns the figures it measured with their bounds.
The command `stoss cases` runs it with its default parameters, the tests with shorter ones.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from stoss.docstrings import first_line
from stoss.scenes.registry import suggestion

__all__ = ["CASES", "Case", "Figure", "at_least", "at_most", "case", "find_cases", "near"]


@dataclass(frozen=True)
class Figure:
    """What a case measured, and the range in which it must lie.

    Attributes:
        what: the quantity, in words.
        measured: its value; NaN lies in no range.
        lowest, highest: the range, both ends included.
        unit: of all three, such as "m"; empty for a number.
    """

    what: str
    measured: float
    lowest: float
    highest: float
    unit: str = ""

    @property
    def passed(self) -> bool:
        """Return whether the measured value lies in the range."""
        return self.lowest <= self.measured <= self.highest

    @property
    def bound(self) -> str:
        """Return the range for the eye."""
        if self.lowest == -math.inf and self.highest == math.inf:
            return "any"
        if self.lowest == -math.inf:
            return f"<= {self.highest:.4g}"
        if self.highest == math.inf:
            return f">= {self.lowest:.4g}"
        middle, half = 0.5 * (self.lowest + self.highest), 0.5 * (self.highest - self.lowest)
        return f"{middle:.6g} +- {half:.2g}" if half > 0.0 else f"{middle:.6g}"


def at_most(what: str, measured: float, bound: float, unit: str = "") -> Figure:
    """Return a figure that must not exceed a bound."""
    return Figure(what, float(measured), -math.inf, float(bound), unit)


def at_least(what: str, measured: float, bound: float, unit: str = "") -> Figure:
    """Return a figure that must not fall below a bound."""
    return Figure(what, float(measured), float(bound), math.inf, unit)


def near(what: str, measured: float, expected: float, tolerance: float, unit: str = "") -> Figure:
    """Return a figure that must lie within a tolerance of what is expected."""
    return Figure(what, float(measured), float(expected - tolerance), float(expected + tolerance), unit)


@dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
        name: of its function, unique.
        number: of the report that it rebuilds, such as "R23"; several cases may share it.
        source: where the fault was reported, such as "bullet3#1530".
        function: runs it and returns the figures.
        short: parameters with which the tests run it.
    """

    name: str
    number: str
    source: str
    function: Callable[..., list[Figure]]
    short: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """Return what must hold, on one line."""
        return first_line(self.function)

    def run(self, **parameters: Any) -> list[Figure]:
        """Run the case and return its figures.

        Raises:
            SimulationError: a body ran away.
        """
        return self.function(**parameters)


CASES: dict[str, Case] = {}


def case(
    number: str, source: str, **short: Any
) -> Callable[[Callable[..., list[Figure]]], Callable[..., list[Figure]]]:
    """Register a function as a case; the function itself is returned unchanged.

    Args:
        number: of the report, such as "R23".
        source: where it was reported.
        **short: parameters for the tests, where the defaults take long.

    Raises:
        ValueError: the name of the function is taken.
    """

    def register(function: Callable[..., list[Figure]]) -> Callable[..., list[Figure]]:
        name = function.__name__
        if name in CASES:
            raise ValueError(f"case {name!r} is taken by {CASES[name].function.__module__}")
        CASES[name] = Case(name, number, source, function, short)
        return function

    return register


def find_cases(words: Iterable[str]) -> list[Case]:
    """Return the cases of these numbers or names, all when there are no words, by number.

    Raises:
        ValueError: there is no such case; the message names the closest.
    """
    cases = sorted(CASES.values(), key=lambda entry: (int(entry.number[1:]), entry.name))
    wanted = list(words)
    if not wanted:
        return cases
    numbers = list(dict.fromkeys(entry.number for entry in cases))
    for word in wanted:
        if word.upper() not in numbers and word not in CASES:
            close = suggestion(word, [*CASES]) or suggestion(word.upper(), numbers)
            raise ValueError(f"no case {word!r}{close}; stoss cases --list names all {len(cases)}")
    chosen = {word.upper() for word in wanted} | set(wanted)
    return [entry for entry in cases if entry.number in chosen or entry.name in chosen]

"""What a word of the command line may be: numbers, sizes, choices, each with its own advice."""

import argparse
import math
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from stoss.scenes.registry import Parameter, suggestion

__all__ = [
    "Interval",
    "choice",
    "count",
    "factor",
    "gigabytes",
    "interval",
    "not_negative",
    "of_parameter",
    "plain_number",
    "positive",
    "rate",
    "size",
    "truth",
]

_SMALLEST_EDGE, _LARGEST_EDGE = 16, 8192  # of a picture [pixels]


def of_parameter(parameter: Parameter) -> Callable[[str], object]:
    """Return what reads the value of a scene's parameter."""
    if parameter.type is int:
        return _whole
    if parameter.type is float:
        return _number
    return choice(parameter.choices) if parameter.choices else str


def choice(words: Iterable[str]) -> Callable[[str], str]:
    """Return what reads one of some words."""
    allowed = list(words)

    def choose(text: str) -> str:
        if text not in allowed:
            raise argparse.ArgumentTypeError(
                f"{text!r} is unknown{suggestion(text, allowed)}; choose from {', '.join(allowed)}"
            )
        return text

    return choose


def size(text: str) -> tuple[int, int]:
    """Read width and height of a picture [pixels]."""
    match = re.fullmatch(r"(\d+)x(\d+)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; give width and height in pixels: 1280x720")
    if not all(_SMALLEST_EDGE <= int(edge) <= _LARGEST_EDGE for edge in match.groups()):
        raise argparse.ArgumentTypeError(
            f"{text!r} cannot be drawn; give {_SMALLEST_EDGE} to {_LARGEST_EDGE} pixels each: 1280x720"
        )
    return int(match[1]), int(match[2])


def count(text: str) -> int:
    """Read a whole number of at least 1."""
    value = _whole(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is too small; give a whole number of at least 1")
    return value


class Interval(NamedTuple):
    """How often something is kept: every so many steps, or every so many seconds."""

    steps: int | None
    seconds: float | None

    def in_steps(self, time_step: float) -> int:
        """Return it as a number of steps of a length [s]."""
        return self.steps or max(1, round((self.seconds or 0.0) / time_step))

    def in_seconds(self, time_step: float) -> float | None:
        """Return it as a time [s], nothing for every step."""
        if self.seconds is not None:
            return self.seconds
        return None if self.steps in (None, 1) else (self.steps or 1) * time_step


def interval(text: str) -> Interval:
    """Read how often: a whole number of steps, or a time such as 0.05 or 2s."""
    if text.isdecimal():
        return Interval(count(text), None)
    try:
        return Interval(None, positive(text.removesuffix("s")))
    except argparse.ArgumentTypeError as error:
        told = "give a number of steps, as 5, of at least 1, or a time, as 0.05 or 2s"
        raise argparse.ArgumentTypeError(f"{text!r}: {str(error).partition(';')[0]}; {told}") from None


def positive(text: str) -> float:
    """Read a number above zero."""
    value = _number(text)
    if value <= 0.0:
        raise argparse.ArgumentTypeError(f"{text} is not above zero; give a time in seconds, such as 0.01")
    return value


def factor(text: str) -> float:
    """Read a factor above zero."""
    value = _number(text)
    if value <= 0.0:
        raise argparse.ArgumentTypeError(f"{text} is not above zero; give a factor, such as 4")
    return value


def plain_number(text: str) -> float:
    """Read any finite number."""
    return _number(text)


def rate(text: str) -> float:
    """Read a number per second, above zero."""
    value = _number(text)
    if value <= 0.0:
        raise argparse.ArgumentTypeError(f"{text} is not above zero; give a number per second, such as 30")
    return value


def gigabytes(text: str) -> float:
    """Read an amount of memory above zero [GB]."""
    value = _number(text)
    if value <= 0.0:
        raise argparse.ArgumentTypeError(
            f"{text} is not above zero; give an amount of memory in GB, such as 4"
        )
    return value


def not_negative(text: str) -> float:
    """Read a number that is not below zero."""
    value = _number(text)
    if value < 0.0:
        raise argparse.ArgumentTypeError(f"{text} is below zero; give a time in seconds, such as 1.5")
    return value


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number; write digits alone: 30") from None


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number; write one such as 0.5") from None
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not finite; give a finite number")
    return value


def truth(text: str) -> bool:
    """Return what "true" or "false" says.

    Raises:
        ValueError: it is neither.
    """
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"

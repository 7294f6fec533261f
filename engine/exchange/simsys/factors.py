"""Arithmetic of factors, which are numbers, or expressions where these name parameters or the time."""

import math
import re

from stoss.engine.model.errors import ModelError

__all__ = ["LARGEST", "Factor", "negative", "over", "plus", "power", "short", "times"]

Factor = float | int | str  # a number, or an expression of parameters and of the time

LONGEST = 1000  # characters of a factor
LARGEST = 2**53  # whole numbers


def _atom(factor: Factor) -> str:
    text = factor if isinstance(factor, str) else repr(factor)
    return text if re.fullmatch(r"[\w.]+(\(.*\))?", text) and text.count("(") <= 1 else f"({text})"


def negative(factor: Factor) -> Factor:
    """Return -factor."""
    if not isinstance(factor, str):
        return -factor
    if factor.startswith("-") and _atom(factor[1:]) == factor[1:]:
        return factor[1:]
    if factor.startswith("-(") and _closes(factor, 1) == len(factor) - 1:
        return factor[2:-1]
    return f"-{_atom(factor)}"


def _closes(text: str, opening: int) -> int:
    """Return where the parenthesis at `opening` is closed."""
    depth = 0
    for place in range(opening, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
    return len(text)


def plus(one: Factor, other: Factor) -> Factor:
    """Return the sum."""
    if not isinstance(one, str) and not isinstance(other, str):
        return _bounded(one + other)
    if one == 0:
        return other
    if other == 0:
        return one
    text = other if isinstance(other, str) else repr(other)
    if text.startswith("-") and _atom(text[1:]) == text[1:]:
        return short(f"{one} - {text[1:]}")
    return short(f"{one} + ({text})" if text.startswith("-") else f"{one} + {text}")


def short(text: str) -> str:
    """Return an expression, which must not be too long."""
    if len(text) > LONGEST:
        raise ModelError(f"arithmetic of more than {LONGEST} characters")
    return text


def _bounded(value: float | int) -> float | int:
    """Return a number, which must not be a whole one beyond those that are exact."""
    if isinstance(value, int) and abs(value) > LARGEST:
        raise ModelError(f"a whole number beyond {LARGEST}")
    return value


def times(one: Factor, other: Factor) -> Factor:
    """Return the product."""
    if not isinstance(one, str) and not isinstance(other, str):
        return _bounded(one * other)
    if one == 0 or other == 0:
        return 0
    if one in (1, -1):
        return other if one == 1 else negative(other)
    if other in (1, -1):
        return one if other == 1 else negative(one)
    one, other = (other, one) if isinstance(one, str) and not isinstance(other, str) else (one, other)
    return short(f"{_atom(one)}*{_atom(other)}")


def over(one: Factor, other: Factor) -> Factor:
    """Return the quotient, of whole numbers as C has it."""
    if not isinstance(one, str) and not isinstance(other, str):
        if isinstance(one, int) and isinstance(other, int):
            return int(math.copysign(abs(one) // abs(other), one * other))
        return one / other
    return short(f"{_atom(one)}/{_atom(other)}")


def power(one: Factor, other: Factor) -> Factor:
    """Return the expression of a power."""
    return short(f"{_atom(one)}**{_atom(other)}")

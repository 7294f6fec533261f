"""Checks on the parameters of scenes: a wrong value is named where it enters."""

import math

__all__ = ["check_count", "check_finite", "check_positive", "check_range"]


def check_count(name: str, value: int, lowest: int = 1) -> None:
    """Raise unless the value is a whole number of at least `lowest`.

    Raises:
        TypeError: not an int.
        ValueError: too small.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is {value!r}; give a whole number")
    if value < lowest:
        raise ValueError(f"{name} is {value}; give a whole number of at least {lowest}")


def check_finite(name: str, value: float) -> None:
    """Raise ValueError unless the value is a finite number."""
    check_range(name, value, -math.inf, math.inf)


def check_positive(name: str, value: float) -> None:
    """Raise unless the value is a finite number above zero."""
    check_range(name, value, -math.inf)
    if value <= 0.0:
        raise ValueError(f"{name} is {value:g}; give a number above zero")


def check_range(name: str, value: float, lowest: float, highest: float = math.inf) -> None:
    """Raise unless the value is a finite number from `lowest` to `highest`, both included.

    Raises:
        TypeError: not a number.
        ValueError: out of range, infinite or NaN.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} is {value!r}; give a number")
    if not math.isfinite(value):
        raise ValueError(f"{name} is {value}; give a finite number")
    if not lowest <= value <= highest:
        bounds = f"of at least {lowest:g}" if highest == math.inf else f"from {lowest:g} to {highest:g}"
        raise ValueError(f"{name} is {value:g}; give a number {bounds}")

"""Values against what is declared of them: annotations of fields say what a file may bring."""

import math
import types
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

__all__ = ["LARGEST_INT", "check", "check_version", "fits"]

LARGEST_INT = 2**64  # of whole numbers: masks have 64 bits


def check(name: str, value: Any, declared: Any) -> None:
    """Raise ValueError, naming it, unless a value is what is declared; see `fits`."""
    if not fits(value, declared):
        told = repr(value)
        told = told if len(told) <= 60 else told[:57] + "..."
        wanted = declared.__name__ if isinstance(declared, type) else str(declared).replace("typing.", "")
        raise ValueError(f"{name} is {told}, which is no {wanted}")


def check_version(version: Any, newest: int) -> None:
    """Raise ValueError unless a format has a version, up to the newest one that is known."""
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ValueError(f"its format is {version!r}, which is no version")
    if version > newest:
        raise ValueError(f"format {version} is newer than {newest}; update stoss")


def fits(value: Any, declared: Any) -> bool:
    """Return whether a value is what an annotation says.

    Whole numbers pass for numbers, numbers of numpy for those of Python; `Any` is a number, a text, nothing,
    an array, or a list or tuple of such. Numbers may be infinite, and not NaN.
    """
    if declared is Any:
        return _is_plain(value)
    if declared is None or declared is type(None):
        return value is None
    if declared is bool:
        return isinstance(value, bool | np.bool_)
    if declared is int:
        return (
            isinstance(value, int | np.integer)
            and not isinstance(value, bool)
            and abs(int(value)) <= LARGEST_INT
        )
    if declared is float:
        return fits(value, int) or (isinstance(value, float | np.floating) and not math.isnan(value))
    if isinstance(declared, type) and get_origin(declared) is None:
        return isinstance(value, declared)
    origin: Any = get_origin(declared)
    inner = get_args(declared)
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if not isinstance(origin, type) or not isinstance(value, origin):
        return False
    content: Any = value
    if origin is tuple and not (len(inner) == 2 and inner[1] is Ellipsis):
        return len(content) == len(inner) and all(fits(*pair) for pair in zip(content, inner, strict=True))
    if origin is dict:
        return all(fits(key, inner[0]) and fits(one, inner[1]) for key, one in content.items())
    return all(fits(one, inner[0]) for one in content)


def _is_plain(value: Any) -> bool:
    if value is None or isinstance(value, bool | str | np.bool_ | np.ndarray):
        return True
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(one) for key, one in value.items())
    return fits(value, float)

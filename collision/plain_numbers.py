"""The one rule of what counts as a number, a whole number, a switch, a choice or an orientation.

Everything that users give passes here before anything is changed, whatever it is for: shapes, bodies, joints,
settings, queries. A number is what Python and numpy take for one, and what says its value by `__float__`
(`Decimal`, `Fraction`): text, truth values, complex numbers, dates and arrays with axes are none. Errors name
argument, value and what to give in its place.
"""

import operator
from collections.abc import Sequence
from math import inf, isfinite
from typing import Any

import numpy as np

__all__ = [
    "bits",
    "choice",
    "finite_array",
    "flag",
    "float_array",
    "float_of",
    "number",
    "plain_floats",
    "shown",
    "whole",
]

_FLOAT64 = np.dtype(np.float64)
_NUMBERS = frozenset((float, int, np.float64, np.int64))
_NOT_NUMBERS = (
    *(str, bytes, bytearray, bool, np.bool_, complex, np.complexfloating),
    *(np.character, np.timedelta64, np.datetime64),
)
_SHOWN = 120  # characters of a value in a message


def shown(value: Any) -> str:
    """Return a value as messages show it: in one line, cut short."""
    try:
        text = " ".join(repr(value).split())
    except Exception as error:  # a message about a bad value must not fail on it: an int of 5000 digits
        text = f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 4] + " ..."


def plain_floats(value: Any, length: int) -> tuple[float, ...] | None:
    """Return `value` as finite floats if it plainly is that many numbers.

    It is the fast way, without numpy, where three numbers are checked ten thousand times.

    Args:
        value: a tuple, list or array of numbers.
        length: how many.

    Returns:
        None if it is anything else: then a thorough check takes it as it may be meant, or says what is wrong.
    """
    if type(value) is np.ndarray and value.dtype is _FLOAT64 and value.ndim == 1:
        numbers = tuple(value.tolist())
    elif type(value) in (tuple, list) and _NUMBERS.issuperset(map(type, value)):
        try:
            numbers = tuple(map(float, value))
        except OverflowError:
            return None
    else:
        return None
    total = 0.0
    for x in numbers:
        total += x
    # NaN and infinity stay in a sum; one that overflows is left to the thorough check too
    return numbers if len(numbers) == length and isfinite(total) else None


def float_of(value: Any) -> float:
    """Return a number as a float; integers beyond all floats are infinite.

    Raises:
        TypeError: no number, see above.
    """
    if type(value) is float:
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    of = type(value)
    if isinstance(value, _NOT_NUMBERS) or np.ma.is_masked(value) or getattr(value, "shape", ()) != ():
        raise TypeError(f"{of.__name__} is no number")
    if not (hasattr(of, "__float__") or hasattr(of, "__index__")):
        raise TypeError(f"{of.__name__} is no number")
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf
    except ValueError as error:
        raise TypeError(f"{of.__name__} is no number") from error


def float_array(value: Any) -> np.ndarray:
    """Return numbers in any nesting as a new float64 array in C order.

    Raises:
        TypeError: no numbers, see above, or rows of different lengths.
    """
    if np.ma.is_masked(value):
        raise TypeError("masked values are no numbers")
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError, RecursionError) as error:
        raise TypeError("no array of numbers") from error
    if array.dtype.kind == "O" and array.ndim > 0:
        return np.array([float_of(x) for x in array.flat]).reshape(array.shape)
    if array.dtype.kind not in "iuf" or _holds_truth(value):
        raise TypeError(f"{array.dtype} is no number")
    return np.array(array, dtype=np.float64, order="C", subok=False)


def _holds_truth(value: Any) -> bool:
    """Return whether a truth value hides among the numbers of a list."""
    if isinstance(value, np.ndarray):
        return value.dtype == np.bool_
    if not isinstance(value, list | tuple):
        return isinstance(value, bool | np.bool_)
    kinds = set(map(type, value))
    if kinds <= _NUMBERS:
        return False
    return any(map(_holds_truth, value))


def number(
    name: str,
    value: Any,
    unit: str = "",
    *,
    least: float = -inf,
    most: float = inf,
    above: float = -inf,
    finite: bool = True,
    cure: str = "",
) -> float:
    """Return `value` as a float within bounds.

    Args:
        name: what it is called in messages.
        value: what the user gave.
        unit: for messages.
        least, most: smallest and largest value.
        above: the value must be above this.
        finite: infinity is refused.
        cure: what to do else, for messages.

    Raises:
        TypeError: not a number.
        ValueError: NaN, out of bounds, or infinite where it must be finite.
    """
    try:
        found = float_of(value)
    except TypeError:
        if isinstance(value, np.ndarray) and value.size == 1:
            cure += "; of an array of one number, value.item() is the number"
        raise TypeError(
            f"{name} = {shown(value)} must be {_wanted(unit, least, most, above, finite)}{cure}"
        ) from None
    if not (least <= found <= most and (found > above or above == -inf)) or (finite and not isfinite(found)):
        raise ValueError(f"{name} = {shown(value)} must be {_wanted(unit, least, most, above, finite)}{cure}")
    return found


def _wanted(unit: str, least: float, most: float, above: float, finite: bool) -> str:
    """Return which number is wanted, in words."""
    bounds = []
    if above > -inf:
        bounds.append("above zero" if above == 0.0 else f"above {above:g}")
    if least > -inf:
        bounds.append("not negative, at least 0" if least == 0.0 and most == inf else f"at least {least:g}")
    if most < inf:
        bounds.append(f"at most {most:g}")
    words = "a finite number" if finite else "a number"
    words += f", {' and '.join(bounds)}" if bounds else ""
    return words + (f" [{unit}]" if unit else "")


def whole(name: str, value: Any, *, least: int = 0, most: int = 2**62, cure: str = "") -> int:
    """Return `value` as an int within bounds.

    Raises:
        TypeError: not a whole number; a float is none, whatever its value.
        ValueError: out of bounds.
    """
    try:
        if isinstance(value, _NOT_NUMBERS):
            raise TypeError
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} = {shown(value)} must be a whole number of at least {least}{cure}") from None
    if not least <= found <= most:
        limits = f"at least {least}" if found < least else f"at most {most}"
        raise ValueError(f"{name} = {shown(value)} must be a whole number of {limits}{cure}")
    return found


def bits(name: str, value: Any) -> int:
    """Return 64 bits that name groups as a signed number: -1 and 0xFFFFFFFFFFFFFFFF are all of them.

    Raises:
        TypeError, ValueError: not a whole number of 64 bits.
    """
    cure = ", whose bits name groups; -1 is all of them"
    try:
        found = whole(name, value, least=-(2**63), most=2**64 - 1, cure=cure)
    except TypeError:
        raise TypeError(f"{name} = {shown(value)} must be a whole number{cure}") from None
    except ValueError:
        raise ValueError(f"{name} = {shown(value)} must be a whole number of 64 bits{cure}") from None
    return found if found < 2**63 else found - 2**64


def flag(name: str, value: Any) -> bool:
    """Return `value`, which must be True or False.

    Raises:
        TypeError: it is not; numbers are no truth values.
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} = {shown(value)} must be True or False")
    return bool(value)


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """Return `value`, which must be one of the words `allowed`.

    Raises:
        ValueError: it is not.
    """
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} = {shown(value)} is unknown; choose one of {', '.join(allowed)}")
    return str(value)


def finite_array(name: str, value: Any, shape: tuple[int, ...], cure: str = "") -> np.ndarray:
    """Return `value` as a new array of finite numbers; -1 in `shape` stands for any length.

    Args:
        name: what it is called in messages.
        value: what the user gave.
        shape: that it must have.
        cure: what else messages say to one of another shape.

    Raises:
        TypeError: not numbers.
        ValueError: another shape, or a value that is not finite.
    """
    wanted = f"{shape[0]} numbers" if len(shape) == 1 else f"numbers of shape {shape}"
    wanted = wanted.replace("-1 numbers", "numbers in a row").replace("-1", "n")
    try:
        out = float_array(value)
    except TypeError:
        raise TypeError(f"{name} = {shown(value)} must be {wanted}{cure}") from None
    fits = out.ndim == len(shape) and all(
        want in (-1, have) for want, have in zip(shape, out.shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{name} = {shown(value)} has shape {out.shape}; give {wanted}{cure}")
    if not np.isfinite(out).all():
        raise ValueError(f"{name} = {shown(value)} holds NaN or infinity; give finite numbers")
    return out

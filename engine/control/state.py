"""State of objects as plain values: for snapshots and their files, and for the way back from a step.

What users keep in a controller is found by looking: numbers, texts, arrays, containers of these, generators
of random numbers, and objects of the user's own classes, all by the attributes that hold them. Everything
else, such as handles of bodies or functions, is referred to and no state; it stays what it is.

A value becomes itself, or a tuple whose first member says what it was: `("list", ...)`, `("object", ...)`.
"""

import math
import random
from collections import deque
from typing import Any, TypeVar

import numpy as np

__all__ = ["Stateful", "give_back", "reading", "state_of"]

_T = TypeVar("_T", bound=type)

_PLAIN = frozenset({type(None), bool, int, float, str})
_MOST = 2**63  # beyond it, whole numbers go as texts
_KEPT = ("kept",)


class Stateful:
    """An object of ours that is a part of the state of whoever holds it, by all of its attributes."""


def state_of(owner: Any, without: frozenset[str] = frozenset()) -> tuple[Any, ...]:
    """Return the state that an object holds in its attributes, as plain values that are shared with no one.

    Args:
        owner: the object.
        without: attributes that are no state.
    """
    return _object(owner, without, _home(owner), {id(owner)})


def give_back(owner: Any, state: Any, what: str) -> None:
    """Let an object have a state again that `state_of` returned.

    Args:
        owner: the object.
        state: its state.
        what: what it is called in messages.

    Raises:
        ValueError: the state is not one of such an object; the attribute is named.
    """
    if not isinstance(state, tuple) or not state or state[0] != "object":
        raise ValueError(f"{what}: {str(state)[:40]!r} is no state of an object")
    for pair in state[1:]:
        name, value = _pair(pair, what)
        now = vars(owner).get(name)
        vars(owner)[name] = _value(now, value, f"{what}.{name}")


def _home(owner: Any) -> str:
    return type(owner).__module__.partition(".")[0]


def _object(owner: Any, without: frozenset[str], home: str, seen: set[int]) -> tuple[Any, ...]:
    pairs = [
        (name, plain)
        for name, value in vars(owner).items()
        if name not in without and (plain := _plain(value, home, seen)) is not _KEPT
    ]
    return ("object", *pairs)


def _plain(value: Any, home: str, seen: set[int]) -> Any:
    """Return a value as plain values, `_KEPT` if it is none."""
    kind = type(value)
    if kind in _PLAIN:
        if kind is float and math.isnan(value):
            return ("nan",)
        return ("int", str(value)) if kind is int and not -_MOST <= value < _MOST else value
    if kind is np.ndarray:
        return _KEPT if value.dtype.hasobject else value.copy()
    if isinstance(value, np.generic):
        return ("scalar", np.array(value))
    if id(value) in seen:
        return _KEPT
    inner = seen | {id(value)}
    if kind in (list, tuple, deque):
        if _is_simple(value):
            return (kind.__name__, *value)
        return (kind.__name__, *(_plain(one, home, inner) for one in value))
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return ("named", kind.__name__, *(_plain(one, home, inner) for one in value))
    if kind in (set, frozenset):
        members = sorted(value, key=repr)  # so that equal sets give equal states
        return (kind.__name__, *(_plain(one, home, inner) for one in members))
    if kind is dict:
        return ("dict", *((_plain(key, home, inner), _plain(one, home, inner)) for key, one in value.items()))
    if isinstance(value, np.random.Generator):
        return ("generator", _plain(value.bit_generator.state, home, inner))
    if kind is random.Random:
        return ("random", _plain(value.getstate(), home, inner))
    if isinstance(value, Stateful) or _is_own(kind, home) and hasattr(value, "__dict__"):
        return _object(value, frozenset(), home, inner)
    return _KEPT


_SAFE = frozenset({type(None), bool, str})
_FLOATS = {float}


def _is_simple(values: Any) -> bool:
    """Return whether all members are plain as they are, found quickly for a long log of numbers."""
    kinds = set(map(type, values))
    return kinds <= _SAFE or (kinds == _FLOATS and not math.isnan(sum(values)))


def _is_own(kind: type, home: str) -> bool:
    """Return whether a class is one of the user's, beside that of the object that holds it."""
    own = kind.__module__.partition(".")[0] == home and home not in ("stoss", "builtins")
    return own and kind.__reduce_ex__ is object.__reduce_ex__ and kind.__reduce__ is object.__reduce__


def _value(now: Any, plain: Any, what: str) -> Any:
    """Return the value that plain values stand for; what is there now takes them, if it can."""
    if isinstance(plain, np.ndarray):
        same = isinstance(now, np.ndarray) and now.shape == plain.shape and now.dtype == plain.dtype
        if same and now.flags.writeable:
            now[...] = plain
            return now
        return plain.copy()
    if not isinstance(plain, tuple):
        return plain
    if not plain or not isinstance(plain[0], str):
        raise ValueError(f"{what}: {str(plain)[:40]!r} is no state")
    tag, content = plain[0], plain[1:]
    if tag == "kept":
        return now
    if tag == "nan":
        return math.nan
    if tag in ("list", "deque", "tuple"):
        return _sequence(now, tag, content, what)
    if tag == "named" and content:
        return _named(now, content, what)
    if tag in ("set", "frozenset"):
        members = {_value(None, one, what) for one in content}
        return members if tag == "set" else frozenset(members)
    if tag == "dict":
        return _dict(now, content, what)
    if tag == "object":
        if not hasattr(now, "__dict__"):
            raise ValueError(f"{what} is {type(now).__name__} now, and was an object that has a state")
        give_back(now, plain, what)
        return now
    return _odd(now, tag, content, what)


def _odd(now: Any, tag: str, content: tuple[Any, ...], what: str) -> Any:
    """Return a number that is not plain, or a generator of random numbers in its state."""
    if len(content) != 1:
        raise ValueError(f"{what}: {tag!r} has {len(content)} values")
    (inner,) = content
    if tag == "int" and isinstance(inner, str):
        return int(inner)
    if tag == "scalar" and isinstance(inner, np.ndarray) and inner.ndim == 0:
        return inner[()]
    if tag == "generator" and isinstance(now, np.random.Generator):
        now.bit_generator.state = _value(None, inner, what)
        return now
    if tag == "random" and type(now) is random.Random:
        now.setstate(_value(None, inner, what))
        return now
    raise ValueError(f"{what}: a state of {tag!r} does not go with {type(now).__name__}")


def _sequence(now: Any, tag: str, content: tuple[Any, ...], what: str) -> Any:
    before = list(now) if type(now).__name__ == tag else []
    if len(before) != len(content) and _KEPT in content:
        raise ValueError(
            f"{what} has {len(before)} members now and had {len(content)}, some of which are no plain values"
        )
    before += [None] * (len(content) - len(before))
    values = [_value(*pair, f"{what}[{i}]") for i, pair in enumerate(zip(before, content, strict=False))]
    if tag == "tuple":
        return tuple(values)
    if type(now).__name__ != tag:
        return values if tag == "list" else deque(values)
    now.clear()
    now.extend(values)
    return now


def _named(now: Any, content: tuple[Any, ...], what: str) -> Any:
    """Return a named tuple, of one of our classes or of that which is there now."""
    name, values = content[0], content[1:]
    kind = _READINGS.get(name) or (type(now) if type(now).__name__ == name else None)
    if kind is None or not hasattr(kind, "_fields") or len(kind._fields) != len(values):
        raise ValueError(f"{what} is {type(now).__name__} now and was a {name}; let it be one at the start")
    before = now if type(now) is kind else [None] * len(values)
    pairs = zip(kind._fields, before, values, strict=True)
    return kind(*(_value(old, one, f"{what}.{field}") for field, old, one in pairs))


_READINGS: dict[str, Any] = {}  # named tuples of ours, by their names


def reading(kind: _T) -> _T:
    """Let a named tuple of ours be known to states that come from files."""
    _READINGS[kind.__name__] = kind
    return kind


def _dict(now: Any, content: tuple[Any, ...], what: str) -> Any:
    known = now if type(now) is dict else {}
    values = {}
    for pair in content:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(f"{what}: {str(pair)[:40]!r} is no entry of a dict")
        key = _value(None, pair[0], what)
        values[key] = _value(known.get(key), pair[1], f"{what}[{key!r}]")
    known.clear()
    known.update(values)
    return known


def _pair(pair: Any, what: str) -> tuple[str, Any]:
    if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):
        raise ValueError(f"{what}: {str(pair)[:40]!r} is no attribute")
    return pair[0], pair[1]

"""Names that users get wrong, and the errors that name the right ones.

One mechanism for all that is public: `closed` makes a class refuse attributes that it does not have and
explain calls that do not fit, `takes_names` does the latter for a function. What was meant is found among
names that are near, and in a table of what other engines call it (`foreign_names`). It costs next to nothing
where names are right: Python's own errors are explained after they happened.
"""

import functools
import re
import sys
from collections.abc import Callable, Iterable
from types import FunctionType, MemberDescriptorType
from typing import Any, TypeVar

from stoss.foreign_names import ELSEWHERE, REMARKS, WORDS

__all__ = ["closed", "hint", "takes_names"]

_F = TypeVar("_F", bound=Callable[..., Any])
_C = TypeVar("_C", bound=type)


def hint(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" for a wrong name, empty if nothing is like it.

    Args:
        name: what was given.
        known: the names that there are.
    """
    from difflib import get_close_matches

    names = list(known)
    plain = _plain(name)
    words = plain, _VERB.sub("", plain)
    meant = next(filter(None, ([one for one in names if _plain(one) == word] for word in words)), [])
    for word in () if meant else words:
        cures = [cure for cure in REMARKS.get(word, ()) if _beginning(cure) in names]
        meant = cures[:1] or [one for one in WORDS.get(word, word).split() if one in names][:1]
        if meant:
            break
        if word in ELSEWHERE:
            return f"; {ELSEWHERE[word]}"
    meant = meant or [one for one in names if len(name) > 2 and one.startswith(name)][:3]
    meant = meant or get_close_matches(name, names, 3, _NEAR)
    return f"; did you mean {' or '.join(meant)}?" if meant else ""


def _cure(name: str) -> str:
    """Return what else to do than to call or assign what a dotted name says."""
    cure = ELSEWHERE.get(name.lower())
    return f"; {cure}" if cure else ""


_VERB = re.compile("^(get|set|is|num)")  # what others put in front of a name
_NEAR = 0.7  # share of letters in common: at 0.6 "render" is near "ledger"


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _beginning(cure: str) -> str:
    """Return the name with which a cure begins."""
    return re.split(r"\W", cure, maxsplit=1)[0]


def takes_names(function: _F) -> _F:
    """Have calls of a function that do not fit its arguments explained: which one is meant, or missing."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except TypeError:
            wrong = _wrong_call(function, args, named)
            if wrong is None:
                raise
            raise TypeError(wrong) from None

    return call  # type: ignore[return-value]


def _wrong_call(function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> str | None:
    """Return what is wrong with the arguments of a call, None if they fit."""
    import inspect

    signature = inspect.signature(function)
    try:
        signature.bind(*args, **named)
    except TypeError:
        pass
    else:
        return None
    kinds = {name: parameter.kind for name, parameter in signature.parameters.items()}
    values = list(args)
    if next(iter(kinds), "") in ("self", "cls"):
        del kinds[next(iter(kinds))]
        values = values[1:]
    called = function.__qualname__.removesuffix(".__init__")
    takes = f"it takes {', '.join(kinds) or 'no arguments'}"
    for name, value in named.items():
        if name not in kinds:
            return f"{called}: there is no argument {name} (= {_shown(value)}){hint(name, kinds)}; {takes}"
    of = inspect.Parameter
    places = [n for n, k in kinds.items() if k in (of.POSITIONAL_ONLY, of.POSITIONAL_OR_KEYWORD)]
    if len(values) > len(places) and of.VAR_POSITIONAL not in kinds.values():
        given = ", ".join(map(_shown, values))
        by_name = [n for n, k in kinds.items() if k is of.KEYWORD_ONLY]
        more = f"; give {', '.join(by_name)} by name" if by_name else ""
        vectors = [n for n in places if signature.parameters[n].annotation not in _SCALARS]
        together = _together(called, values, vectors)
        return f"{called}({given}): {len(values)} values, but {takes}{more}{together}{_cure(called)}"
    for name in places[: len(values)]:
        if name in named:
            return f"{called}: {name} = {_shown(named[name])} is given twice, by its place and by its name"
    needed = [
        name
        for name, parameter in signature.parameters.items()
        if name in kinds
        and parameter.default is of.empty
        and parameter.kind not in (of.VAR_POSITIONAL, of.VAR_KEYWORD)
    ]
    missing = [name for name in needed if name not in places[: len(values)] and name not in named]
    return f"{called}: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing; {takes}"


_SCALARS = (float, int, str, bool, "float", "int", "str", "bool")


def _together(called: str, values: list[Any], places: list[str]) -> str:
    """Return the call with three numbers in a row put together, as a vector.

    Args:
        called: what is called.
        values: what was given.
        places: arguments that may be vectors.
    """
    for first in range(len(values) - 2):
        if all(isinstance(value, int | float) for value in values[first : first + 3]):
            own = [_shown(value) for value in values]
            vector = f"({', '.join(own[first : first + 3])})"
            cure = [*own[:first], vector, *own[first + 3 :]]
            if len(cure) <= len(places):
                return f"; three numbers go together: {called}({', '.join(cure)})"
    return ""


def closed(cls: _C) -> _C:
    """Let a class refuse attributes that it does not have, naming the one that is meant, and explain calls.

    Names that begin with "_" are the class's own affair.
    """
    for name, value in list(vars(cls).items()):
        if isinstance(value, FunctionType) and (name == "__init__" or not name.startswith("_")):
            setattr(cls, name, takes_names(value))
        elif isinstance(value, classmethod | staticmethod) and not name.startswith("_"):
            setattr(cls, name, type(value)(takes_names(value.__func__)))
    frozen = getattr(getattr(cls, "__dataclass_params__", None), "frozen", False)
    cls.__setattr__ = _refuse_all if frozen else _set  # type: ignore[method-assign, assignment]
    cls.__getattr__ = _explain_missing  # type: ignore[attr-defined]
    return cls


def _set(self: Any, name: str, value: Any) -> None:
    """Set an attribute that the class has."""
    if name[0] == "_" or hasattr(type(self), name) or name in _fields(type(self)):
        try:
            object.__setattr__(self, name, value)
            return
        except AttributeError:
            if _may_be_set(getattr(type(self), name, None)):
                raise  # from within the setter
    kind = type(self)
    if hasattr(kind, name):
        raise AttributeError(
            f"{kind.__name__}.{name} = {_shown(value)} cannot be assigned, only read"
            f"{_cure(f'{kind.__name__}.{name}')}",
            name=name,
            obj=self,
        )
    raise AttributeError(
        f"{kind.__name__} has no attribute {name} (= {_shown(value)} was assigned)"
        f"{hint(name, _public(kind)) or '; keep values of your own in a dict of your own'}",
        name=name,
        obj=self,
    )


def _may_be_set(attribute: Any) -> bool:
    """Return whether a property or another descriptor has a setter."""
    if isinstance(attribute, property):
        return attribute.fset is not None
    return hasattr(type(attribute), "__set__") and not isinstance(attribute, MemberDescriptorType)


def _refuse_all(self: Any, name: str, value: Any) -> None:
    """Refuse to change what does not change."""
    from dataclasses import FrozenInstanceError

    kind = type(self)
    fields = _fields(kind)
    if name in fields:
        cure = f"make another with dataclasses.replace(it, {name}=...)"
        raise FrozenInstanceError(f"{kind.__name__}.{name} = {_shown(value)}: it does not change; {cure}")
    raise FrozenInstanceError(
        f"{kind.__name__} has no attribute {name} (= {_shown(value)} was assigned){hint(name, fields)}"
    )


def _explain_missing(self: Any, name: str) -> Any:
    """Raise the error for an attribute that is not there, with the name of the one that is meant."""
    kind = type(self)
    if name.startswith("__") or hasattr(kind, name):
        return object.__getattribute__(self, name)  # a slot that is empty, or an error within a property
    raise AttributeError(
        f"{kind.__name__} has no attribute {name}{hint(name, _public(kind))}", name=name, obj=self
    )


def _public(kind: type) -> list[str]:
    """Return the names of the public attributes of a class."""
    return sorted({*(name for name in dir(kind) if not name.startswith("_")), *_fields(kind)})


def _fields(kind: type) -> set[str]:
    """Return the names of the attributes that a class declares."""
    return {name for one in kind.__mro__ for name in vars(one).get("__annotations__", ())}


def _shown(value: Any) -> str:
    """Return a value as messages show it; see `stoss.collision.plain_numbers.shown`."""
    module = sys.modules.get("stoss.collision.plain_numbers")
    return repr(value) if module is None else str(module.shown(value))

"""Attributes that users may assign and that are checked then, for classes that keep them as plain values."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

__all__ = ["Given"]

_T = TypeVar("_T")


class Given(Generic[_T]):
    """An attribute that is checked when it is assigned.

    Args:
        check: f(name, value) returns the value as it is kept, or raises.
        doc: what it is.
    """

    def __init__(self, check: Callable[[str, Any], _T], doc: str) -> None:
        self._check, self.__doc__ = check, doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, of: None, owner: type) -> "Given[_T]": ...
    @overload
    def __get__(self, of: object, owner: type) -> _T: ...
    def __get__(self, of: object | None, owner: type) -> "_T | Given[_T]":
        if of is None:
            return self
        value: _T = of.__dict__[self._name]
        return value

    def __set__(self, of: object, value: Any) -> None:
        of.__dict__[self._name] = self._check(self._name, value)

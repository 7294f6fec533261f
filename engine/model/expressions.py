"""Numbers that are written as arithmetic of named ones: `2*length + 5*mm`. Nothing is executed."""

from collections.abc import Callable, Mapping
from typing import Any

from stoss.engine import expressions
from stoss.engine.expressions import CONSTANTS, FUNCTIONS, ExpressionError
from stoss.engine.model.errors import ModelError

__all__ = ["CONSTANTS", "FUNCTIONS", "Expression", "evaluate", "evaluate_parameters"]


class Expression(float):
    """A number that remembers the expression it came from, so that it can follow other parameters.

    Args:
        value: the number, with the parameters as they are.
        text: how it was written, such as "2*length".
    """

    __slots__ = ("text",)

    text: str

    def __new__(cls, value: float, text: str) -> "Expression":
        """Return the number."""
        self = super().__new__(cls, value)
        self.text = text
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (float(self), self.text)

    def __repr__(self) -> str:
        return f"Expression({float(self)!r}, {self.text!r})"


def evaluate(text: str, names: Mapping[str, float]) -> float:
    """Return the value of an expression; see `stoss.engine.expressions.evaluate`.

    Args:
        text: the expression.
        names: values of parameters.

    Raises:
        ModelError: it is none, a name is not known, or its value is no finite or infinite number.
    """
    try:
        return expressions.evaluate(text, names)
    except ExpressionError as error:
        raise ModelError(str(error)) from error


def evaluate_parameters(given: Mapping[str, float | str]) -> dict[str, float]:
    """Return the values of parameters, which may be expressions of one another in any order.

    Args:
        given: names and values.

    Raises:
        ModelError: a name is none or taken, an expression is wrong, or parameters depend on themselves.
    """
    for name in given:
        if not name.isidentifier():
            raise ModelError(f"params: {name!r} is no name; use letters, digits and '_', not a digit first")
        if name in CONSTANTS or name in FUNCTIONS:
            raise ModelError(
                f"params.{name}: the name is taken by a unit, constant or function; choose another"
            )
    values: dict[str, float] = {}
    begun: list[str] = []

    def find(name: str) -> float:
        if name in values:
            return values[name]
        if name in begun:
            circle = " -> ".join([*begun[begun.index(name) :], name])
            raise ModelError(f"params.{name}: it depends on itself: {circle}; give one of them a number")
        begun.append(name)
        written = given[name]
        text = written.text if isinstance(written, Expression) else written
        if isinstance(text, str):
            try:
                values[name] = evaluate(text, _Names(given, find))
            except ModelError as error:
                raise (
                    error if str(error).startswith("params.") else ModelError(f"params.{name}: {error}")
                ) from None
        else:
            values[name] = float(text)
        begun.pop()
        return values[name]

    for name in given:
        find(name)
    return values


class _Names(Mapping[str, float]):
    """Values of parameters, found when they are asked for."""

    def __init__(self, own: Mapping[str, Any], find: Callable[[str], float]) -> None:
        self._own, self._find = own, find

    def __getitem__(self, name: str) -> float:
        if name not in self._own:
            raise KeyError(name)
        return self._find(name)

    def __iter__(self) -> Any:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)

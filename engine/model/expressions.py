"""Numbers that are written as arithmetic of named ones: `2*length + 5*mm`. Nothing is executed."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from stoss.engine.model.errors import ModelError
from stoss.names import hint

__all__ = ["CONSTANTS", "FUNCTIONS", "Expression", "evaluate", "evaluate_parameters"]

LONGEST = 1000  # characters of an expression
DEEPEST = 50  # expressions within one another

# Units are factors: 20*mm, 45*deg, 3000*rpm.
CONSTANTS: dict[str, float] = {
    "pi": math.pi,
    "tau": math.tau,
    "e": math.e,
    "inf": math.inf,
    "mm": 1e-3,
    "cm": 1e-2,
    "km": 1e3,
    "ms": 1e-3,
    "deg": math.pi / 180.0,
    "rpm": math.tau / 60.0,
}

# Name: function, fewest and most arguments.
FUNCTIONS: dict[str, tuple[Callable[..., float], int, int]] = {
    **{
        name: (getattr(math, name), 1, 1)
        for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "floor", "ceil")
    },
    "atan2": (math.atan2, 2, 2),
    "hypot": (math.hypot, 1, 9),
    "abs": (abs, 1, 1),
    "min": (min, 1, 9),
    "max": (max, 1, 9),
    "deg": (math.radians, 1, 1),
    "degrees": (math.degrees, 1, 1),
    "radians": (math.radians, 1, 1),
}

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: math.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


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
    """Return the value of an expression.

    Args:
        text: numbers, names, + - * / // % **, parentheses, and the functions of `FUNCTIONS`.
        names: values of parameters; those of `CONSTANTS` are known besides.

    Raises:
        ModelError: it is none, a name is not known, or its value is no finite or infinite number.
    """
    if len(text) > LONGEST:
        raise ModelError(f"an expression of {len(text)} characters; the longest has {LONGEST}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        value = _value(tree.body, names, 0)
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        cure = "write a number, the name of a parameter, or arithmetic of them such as '2*length'"
        raise ModelError(f"{text!r} is no number and no expression; {cure}") from error
    except (ArithmeticError, TypeError) as error:
        raise ModelError(f"{text!r} has no value: {error}") from error
    if math.isnan(value):
        raise ModelError(f"{text!r} is not a number")
    return value


def _value(node: ast.expr, names: Mapping[str, float], depth: int) -> float:
    if depth > DEEPEST:
        raise ModelError(f"expressions within one another deeper than {DEEPEST}")
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    ):
        return float(node.value)
    if isinstance(node, ast.Name):
        if node.id in names:
            return float(names[node.id])
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        known = [*names, *CONSTANTS]
        defined = ", ".join(names) or "none"
        raise ModelError(
            f"{node.id!r} is no parameter{hint(node.id, known)}; there are {defined}: add it to [params]"
        )
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, names, depth + 1))
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _value(node.left, names, depth + 1), _value(node.right, names, depth + 1)
        return float(_BINARY[type(node.op)](left, right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _call(node.func.id, [_value(one, names, depth + 1) for one in node.args])
    raise ModelError(f"{ast.unparse(node)!r} is no arithmetic; use numbers, names, + - * / ** and functions")


def _call(name: str, values: list[float]) -> float:
    if name not in FUNCTIONS:
        raise ModelError(f"{name!r} is no function{hint(name, FUNCTIONS)}; there are {', '.join(FUNCTIONS)}")
    function, fewest, most = FUNCTIONS[name]
    if not fewest <= len(values) <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise ModelError(f"{name} takes {wanted} numbers, not {len(values)}")
    return float(function(*values))


def evaluate_parameters(
    given: Mapping[str, float | str], outer: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the values of parameters, which may be expressions of one another in any order.

    Args:
        given: names and values.
        outer: values of parameters outside, which expressions may name too.

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
                values[name] = evaluate(text, _Names(given, outer or {}, find))
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

    def __init__(
        self, own: Mapping[str, Any], outer: Mapping[str, float], find: Callable[[str], float]
    ) -> None:
        self._own, self._outer, self._find = own, outer, find

    def __getitem__(self, name: str) -> float:
        return self._find(name) if name in self._own else self._outer[name]

    def __iter__(self) -> Any:
        return iter({**self._own, **self._outer})

    def __len__(self) -> int:
        return len({**self._own, **self._outer})

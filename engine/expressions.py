"""Numbers that are written as arithmetic of named ones: `2*length + 5*mm`. Nothing is executed."""

import ast
import math
import operator
from collections.abc import Callable, Iterable, Mapping

from stoss.errors import UsageError
from stoss.names import hint

__all__ = ["CONSTANTS", "FUNCTIONS", "ExpressionError", "TimeFunction", "evaluate", "with_numbers"]

TIME = "t"  # [s], in functions of the time
LONGEST = 1000  # characters of an expression
ADD = "add it to [params]"  # what to do about a name that is not known
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


class ExpressionError(UsageError, ValueError):
    """An expression is wrong; the message says what, and the cure."""


def evaluate(text: str, names: Mapping[str, float]) -> float:
    """Return the value of an expression.

    Args:
        text: numbers, names, + - * / // % **, parentheses, and the functions of `FUNCTIONS`.
        names: values of parameters; those of `CONSTANTS` are known besides.

    Raises:
        ExpressionError: it is none, a name is not known, or its value is no finite or infinite number.
    """
    try:
        value = _value(_parsed(text), names, 0)
    except (ArithmeticError, TypeError) as error:
        raise ExpressionError(f"{text!r} has no value: {error}") from error
    except ValueError as error:
        if isinstance(error, UsageError):  # of this, or of what a name stands for
            raise
        raise ExpressionError(f"{text!r} has no value: {error}") from error
    if math.isnan(value):
        raise ExpressionError(f"{text!r} is not a number")
    return value


def _parsed(text: str) -> ast.expr:
    """Return the tree of an expression."""
    if len(text) > LONGEST:
        raise ExpressionError(f"an expression of {len(text)} characters; the longest has {LONGEST}")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        cure = "write a number, the name of a parameter, or arithmetic of them such as '2*length'"
        raise ExpressionError(f"{text!r} is no number and no expression; {cure}") from error


def _check(node: ast.expr, names: tuple[str, ...], cure: str, depth: int) -> None:
    """Raise unless an expression is arithmetic of known names, whatever its value."""
    if depth > DEEPEST:
        raise ExpressionError(f"expressions within one another deeper than {DEEPEST}")
    if isinstance(node, ast.Name):
        if node.id not in names and node.id not in CONSTANTS:
            raise _unknown(node.id, names, cure)
    elif isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        _check(node.operand, names, cure, depth + 1)
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        _check(node.left, names, cure, depth + 1)
        _check(node.right, names, cure, depth + 1)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        _function(node.func.id, len(node.args))
        for one in node.args:
            _check(one, names, cure, depth + 1)
    elif not _is_number(node):
        raise _no_arithmetic(node)


def _is_number(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    )


def _unknown(name: str, names: Iterable[str], cure: str) -> ExpressionError:
    known = [*names, *CONSTANTS]
    defined = ", ".join(names) or "none"
    return ExpressionError(f"{name!r} is no parameter{hint(name, known)}; there are {defined}: {cure}")


def _no_arithmetic(node: ast.expr) -> ExpressionError:
    text = ast.unparse(node)
    return ExpressionError(f"{text!r} is no arithmetic; use numbers, names, + - * / ** and functions")


def _function(name: str, count: int) -> Callable[..., float]:
    """Return a function that takes so many numbers."""
    if name not in FUNCTIONS:
        raise ExpressionError(
            f"{name!r} is no function{hint(name, FUNCTIONS)}; there are {', '.join(FUNCTIONS)}"
        )
    function, fewest, most = FUNCTIONS[name]
    if not fewest <= count <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise ExpressionError(f"{name} takes {wanted} numbers, not {count}")
    return function


def _value(node: ast.expr, names: Mapping[str, float], depth: int) -> float:
    if depth > DEEPEST:
        raise ExpressionError(f"expressions within one another deeper than {DEEPEST}")
    if isinstance(node, ast.Constant) and _is_number(node):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        if node.id in names:
            return float(names[node.id])
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        raise _unknown(node.id, names, ADD)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, names, depth + 1))
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _value(node.left, names, depth + 1), _value(node.right, names, depth + 1)
        return float(_BINARY[type(node.op)](left, right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _function(node.func.id, len(node.args))
        return float(function(*[_value(one, names, depth + 1) for one in node.args]))
    raise _no_arithmetic(node)


class TimeFunction:
    """An expression of the time `t` [s], such as "sin(2*pi*5*t)**2".

    Args:
        text: the expression; it may name `t`, and `CONSTANTS`.

    Raises:
        ExpressionError: it is none, or names something else.
    """

    __slots__ = ("_tree", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._tree = _parsed(text)
        _check(self._tree, (TIME,), "functions of the time have t alone", 0)

    def __call__(self, time: float) -> float:
        """Return its value.

        Args:
            time: [s].

        Raises:
            ExpressionError: it has none, or none that is finite.
        """
        try:
            value = _value(self._tree, {TIME: time}, 0)
        except (ArithmeticError, ValueError, TypeError) as error:
            raise ExpressionError(f"{self.text!r} has no value at t = {time:g} s: {error}") from error
        if not math.isfinite(value):
            raise ExpressionError(f"{self.text!r} is {value} at t = {time:g} s")
        return value


def with_numbers(text: str, names: Mapping[str, float]) -> str:
    """Return an expression of the time with numbers in place of parameters.

    Args:
        text: the expression, of names and `t`.
        names: values of the parameters, which may be called `t` too: then that one is meant.

    Raises:
        ExpressionError: it is none, or names what is not there.
    """
    tree = _parsed(text)
    _check(tree, (*names, TIME), ADD, 0)
    if not any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(tree)):
        return text
    return ast.unparse(_Numbers(names).visit(tree))


class _Numbers(ast.NodeTransformer):
    """Put numbers in place of names, but not of those of functions."""

    def __init__(self, names: Mapping[str, float]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802 - as ast calls it
        """Return the number of a name."""
        return ast.Constant(float(self._names[node.id])) if node.id in self._names else node

    def visit_Call(self, node: ast.Call) -> ast.expr:  # noqa: N802
        """Change the arguments alone."""
        node.args = [self.visit(one) for one in node.args]
        return node

"""What code of simsys means, as far as it is arithmetic: sums of what can be sensed, with factors.

Code is not run. It is followed with *values* that say of a variable: 2 times the angle of joint 3, less its
angle at the beginning, plus a parameter. What code does beyond that makes a value unknown, with the reason.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from stoss.engine.exchange.simsys.c_code import Function, Tree, statements
from stoss.engine.exchange.simsys.factors import LARGEST, Factor, negative, over, plus, power, short, times
from stoss.engine.model.errors import ModelError

__all__ = ["CONSTANT", "TIME", "Meaning", "Signal", "Sum", "Unknown", "Value"]

Signal = tuple[str, int]  # what is sensed, and the number, from 0, of what it is sensed of

CONSTANT: Signal = ("", 0)
TIME = "zt"

MOST_STATEMENTS = 100_000
DEEPEST = 40  # calls within one another

# name of an array, field: what is sensed
_SENSED = {
    ("GelWinkel", ""): "angle",
    ("GelWinGeschw", ""): "rate",
    ("var", ""): "integral",
    ("z", ".phi"): "turn",
    ("z", ".vphi"): "spin",
    ("z", ".x"): "x",
    ("z", ".z"): "z",
    ("z", ".vx"): "vx",
    ("z", ".vz"): "vz",
}
_FUNCTIONS: dict[str, tuple[str, Callable[..., float]]] = {
    name: (name, getattr(math, name)) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp")
}
_FUNCTIONS |= {"log": ("log", math.log), "fabs": ("abs", abs), "atan2": ("atan2", math.atan2)}
_FUNCTIONS |= {"floor": ("floor", math.floor), "ceil": ("ceil", math.ceil), "pow": ("pow", math.pow)}


@dataclass(frozen=True)
class Sum:
    """Signals with factors, added; the factor of `CONSTANT` stands alone."""

    terms: Mapping[Signal, Factor]

    @property
    def constant(self) -> Factor | None:
        """Return the value if nothing is sensed, otherwise None."""
        return None if set(self.terms) - {CONSTANT} else self.terms.get(CONSTANT, 0)

    @property
    def varies(self) -> bool:
        """Return whether a factor names the time."""
        return any(isinstance(one, str) and re.search(rf"\b{TIME}\b", one) for one in self.terms.values())


@dataclass(frozen=True)
class Unknown:
    """A value that cannot be said, and why."""

    why: str


Value = Sum | Unknown
Key = tuple[str | int, ...]  # ("phi0",), ("GelWinSoll", 2), ("z", 0, ".phi")


def fixed(value: Factor) -> Sum:
    """Return a value that senses nothing."""
    return Sum({CONSTANT: value})


@dataclass
class _Scope:
    """Variables of a function, and its arguments that stand for what the program calls otherwise."""

    own: dict[Key, Value] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    local: set[str] = field(default_factory=set)


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class Meaning:
    """What is known while pieces of code are followed, one after the other.

    Args:
        known: values of variables as they are written: of parameters, "KoeZahl", "m[0]".
        functions: of the user.
        counts: how many angles, integrals and bodies there are: indices beyond are errors.
    """

    def __init__(
        self, known: Mapping[str, Factor], functions: Mapping[str, Function], counts: Mapping[str, int]
    ) -> None:
        self._known, self._functions, self._counts = known, functions, counts
        self._globals: dict[Key, Value] = {}
        self._scopes: list[_Scope] = []
        self._starting = False
        self._budget = MOST_STATEMENTS

    def follow(self, body: tuple[Tree, ...], extra: Mapping[str, Value] | None = None) -> None:
        """Follow a piece of code; what it sets beyond its own variables stays.

        Args:
            body: its statements.
            extra: values of further names in it.

        Raises:
            ModelError: it does more than `MOST_STATEMENTS`.
        """
        scope = _Scope({(name,): value for name, value in (extra or {}).items()})
        scope.local |= set(extra or {})
        self._scopes.append(scope)
        try:
            self._run(body)
        except _Return:
            pass
        except RecursionError:
            raise ModelError("arithmetic too deep within itself") from None
        finally:
            self._scopes.pop()

    def value(self, name: str, *indices: int) -> Value:
        """Return what a variable was set to."""
        key: Key = (name, *indices)
        return self._globals.get(key, Unknown(f"{_written(key)} is not set"))

    def rates(self, function: Function, count: int) -> list[Value]:
        """Return the rates of the user's integrals, as the function BerechneVars sets them.

        Args:
            function: of the arguments varp, var, zs, z, zt, IntegVar, in this order.
            count: of integrals.
        """
        usual = ("varp", "var", "zs", "z", TIME, "IntegVar")
        scope = _Scope({("IntegVar",): fixed(count)}, dict(zip(function.arguments, usual, strict=False)))
        scope.local.add("IntegVar")
        self._scopes.append(scope)
        try:
            self._run(statements(function.body))
        except _Return:
            pass
        except RecursionError:
            raise ModelError("arithmetic too deep within itself") from None
        finally:
            self._scopes.pop()
        return [self.value("varp", number) for number in range(count)]

    # ------------------------------------------------------------- statements

    def _run(self, body: Sequence[Tree]) -> None:
        for statement in body:
            self._budget -= 1
            if self._budget < 0:
                raise ModelError(f"code of more than {MOST_STATEMENTS} statements, loops counted out")
            self._one(statement)

    def _one(self, tree: Tree) -> None:
        kind = tree[0]
        if kind == "block":
            self._run(tree[1])
        elif kind == "set":
            self._set(tree[1], self._value(tree[2]))
        elif kind == "do":
            self._value(tree[1])
        elif kind == "declare":
            scope = self._scopes[-1]
            scope.local.add(tree[1])
            if tree[2] is not None:
                scope.own[(tree[1],)] = self._value(tree[2])
        elif kind == "return":
            raise _Return(self._value(tree[1]))
        elif kind == "if":
            self._if(tree[1], tree[2], tree[3])
        elif kind == "for":
            self._one(tree[1])
            while True:
                test = self._number(tree[2])
                if test is None:
                    raise ModelError("a loop whose end depends on what is sensed or on parameters")
                if not test:
                    return
                self._run((tree[4], tree[3]))

    def _if(self, test: Tree, yes: Tree, no: Tree) -> None:
        if test[0] == "binary" and test[1] == "==" and self._is_start(test[2], test[3]):
            before, self._starting = self._starting, True
            self._one(yes)
            self._starting = before
            self._one(no)
            return
        known = self._number(test)
        if known is not None:
            self._one(yes if known else no)
            return
        stores = [self._globals, *(scope.own for scope in self._scopes)]
        before_all = [dict(store) for store in stores]
        self._one(yes)
        first = [dict(store) for store in stores]
        for store, old in zip(stores, before_all, strict=True):
            store.clear()
            store.update(old)
        self._one(no)
        for store, other in zip(stores, first, strict=True):
            for key in {*store, *other}:
                if store.get(key) != other.get(key):
                    store[key] = Unknown(f"{_written(key)} depends on a condition")

    def _is_start(self, one: Tree, other: Tree) -> bool:
        names = [tree for tree in (one, other) if tree == ("name", TIME)]
        zeros = [tree for tree in (one, other) if tree[:2] == ("number", 0.0)]
        return bool(names and zeros)

    def _set(self, place: Tree, value: Value) -> None:
        key = self._key(place)
        if key is None:
            return
        inner = self._scopes[-1]
        store = inner.own if key[0] in inner.local else self._globals
        store[key] = value

    def _key(self, tree: Tree) -> Key | None:
        """Return which variable is meant, None if that cannot be said."""
        if tree[0] == "name":
            own = str(tree[1])
            return (self._scopes[-1].names.get(own, own),)
        if tree[0] == "index":
            base, index = self._key(tree[1]), self._number(tree[2])
            if base is None or index is None or not abs(index) < LARGEST:
                return None
            return (*base, int(index))
        if tree[0] == "field":
            base = self._key(tree[1])
            return None if base is None else (*base, f".{tree[2]}")
        return None

    # ------------------------------------------------------------- expressions

    def _number(self, tree: Tree) -> float | int | None:
        """Return the value of what is a plain number, otherwise None."""
        value = self._value(tree)
        found = value.constant if isinstance(value, Sum) else None
        return None if isinstance(found, str) else found

    def _value(self, tree: Tree) -> Value:
        kind = tree[0]
        if kind == "number":
            return fixed(int(tree[1]) if tree[2] else tree[1])
        if kind in ("name", "index", "field"):
            return self._read(tree)
        if kind == "unary":
            return self._unary(tree[1], self._value(tree[2]))
        if kind == "binary":
            return self._binary(tree[1], self._value(tree[2]), self._value(tree[3]))
        if kind == "choice":
            test = self._number(tree[1])
            if test is None:
                return Unknown("a choice by a condition")
            return self._value(tree[2] if test else tree[3])
        if kind == "call":
            return self._call(tree[1], tree[2])
        return Unknown("an address" if kind == "address" else "a text")

    def _read(self, tree: Tree) -> Value:
        key = self._key(tree)
        if key is None:
            return Unknown("an index that depends on what is sensed")
        inner = self._scopes[-1]
        if key[0] in inner.local:
            return inner.own.get(key, Unknown(f"{_written(key)} is not set"))
        if key in self._globals:
            return self._globals[key]
        if key == (TIME,):
            return fixed(0.0) if self._starting else fixed(TIME)
        if _written(key) in self._known:
            return fixed(self._known[_written(key)])
        name, numbers, last = str(key[0]), key[1:], ""
        if numbers and isinstance(numbers[-1], str):
            last, numbers = numbers[-1], numbers[:-1]
        sensed = _SENSED.get((name, last))
        if sensed is None or len(numbers) != 1:
            return Unknown(f"{_written(key)} is not known here")
        number = int(numbers[0])
        if not 0 <= number < self._counts[name]:
            return Unknown(f"{_written(key)}: there are {self._counts[name]}, counted from 0")
        return Sum({(f"start {sensed}" if self._starting else sensed, number): 1})

    def _unary(self, sign: str, value: Value) -> Value:
        if isinstance(value, Unknown) or sign == "+":
            return value
        if sign == "-":
            return Sum({signal: negative(factor) for signal, factor in value.terms.items()})
        found = value.constant
        return (
            Unknown("'!' of what is sensed")
            if found is None or isinstance(found, str)
            else fixed(int(not found))
        )

    def _binary(self, sign: str, one: Value, other: Value) -> Value:
        for value in (one, other):
            if isinstance(value, Unknown):
                return value
        assert isinstance(one, Sum) and isinstance(other, Sum)
        if sign in "+-":
            if sign == "-":
                other = Sum({signal: negative(factor) for signal, factor in other.terms.items()})
            found = dict(one.terms)
            for signal, factor in other.terms.items():
                found[signal] = plus(found[signal], factor) if signal in found else factor
            return Sum(
                {signal: factor for signal, factor in found.items() if factor != 0 or signal == CONSTANT}
            )
        a, b = one.constant, other.constant
        if sign == "*" and (a is not None or b is not None):
            factor, rest = (a, other) if a is not None else (b or 0, one)
            return Sum({signal: times(own, factor) for signal, own in rest.terms.items()})
        if sign == "/" and b is not None:
            if b == 0:
                return Unknown("a division by zero")
            return Sum({signal: over(factor, b) for signal, factor in one.terms.items()})
        if isinstance(a, str) or isinstance(b, str) or a is None or b is None:
            return Unknown(f"a product or comparison ({sign}) of what is sensed")
        return fixed(_compared(sign, a, b))

    def _call(self, name: str, arguments: tuple[Tree, ...]) -> Value:
        values = [self._value(one) for one in arguments]
        for tree in arguments:
            if tree[0] == "address":
                self._set(tree[1], Unknown(f"what {name} writes is not known"))
        if name in self._functions:
            return self._user(self._functions[name], values)
        if name not in _FUNCTIONS:
            return Unknown(f"the function {name} is not known")
        told, function = _FUNCTIONS[name]
        factors: list[Factor] = []
        for value in values:
            if isinstance(value, Unknown):
                return value
            if value.constant is None:
                return Unknown(f"{name} of what is sensed")
            factors.append(value.constant)
        numbers = [one for one in factors if not isinstance(one, str)]
        if len(numbers) == len(factors):
            try:
                return fixed(float(function(*numbers)))
            except (ArithmeticError, ValueError, TypeError) as error:
                return Unknown(f"{name}: {error}")
        if name == "pow":
            return fixed(power(factors[0], factors[-1]))
        return fixed(short(f"{told}({', '.join(map(str, factors))})"))

    def _user(self, function: Function, values: list[Value]) -> Value:
        if len(self._scopes) > DEEPEST:
            return Unknown(f"{function.name} calls itself too often")
        own: dict[Key, Value] = {(name,): one for name, one in zip(function.arguments, values, strict=False)}
        self._scopes.append(_Scope(own, {}, {str(key[0]) for key in own}))
        try:
            self._run(statements(function.body))
        except _Return as found:
            return found.value
        finally:
            self._scopes.pop()
        return Unknown(f"{function.name} returns nothing")


def _compared(sign: str, a: float, b: float) -> int | float:
    if sign == "%":
        return math.fmod(a, b) if b else 0
    found = {"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}
    return int({**found, "&&": bool(a and b), "||": bool(a or b)}[sign])


def _written(key: Key) -> str:
    parts = [str(one) if isinstance(one, str) else f"[{one}]" for one in key]
    return "".join(parts)

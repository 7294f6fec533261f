"""Kernels: one signature from annotations, calls by address, rules that keep them sound."""

import ast
from pathlib import Path

import numpy as np
import pytest

from stoss import collision, engine
from stoss.collision.kernels.cache import KernelFiles
from stoss.collision.kernels.decorators import KERNELS, Inner, inner, kernel
from stoss.collision.kernels.prepare import all_kernels
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats


@inner
def twice(x):
    return x + x


@kernel
def halved(values: Floats, factor: float) -> float:
    """Halve values in place and return what is left of the first."""
    for i in range(len(values)):
        values[i] *= 0.5
    return twice(0.5 * factor * values[0])


@kernel
def quartered(values: Floats, factor: float) -> float:
    """Call another kernel twice."""
    halved(values, factor)
    return halved(values, factor)


def test_kernels_call_each_other_by_address() -> None:
    """Make ready what is called, whichever way it is first called, and return what it returns."""
    values = np.array([8.0, 4.0])
    assert quartered(values, 3.0) == 6.0
    assert halved.is_ready
    assert values.tolist() == [2.0, 1.0]


def test_arguments_are_converted_to_the_one_signature() -> None:
    """Take an int for a float, and refuse another array, without compiling anything."""
    assert quartered(np.array([8.0]), 3) == 6.0
    with pytest.raises(TypeError, match="No matching definition"):
        quartered(np.array([8, 4]), 3.0)
    assert len(quartered.dispatcher.signatures) == len(halved.dispatcher.signatures) == 1


class Pair(Struct):
    """Two numbers."""

    first: float
    second: float


class Other(Struct):
    """Another struct."""

    first: int


@kernel
def sum_of(pair: Pair, k: int) -> float:
    """Take nothing but structs and numbers."""
    return pair.first + k * pair.second


def test_structs_are_looked_at_in_the_first_call() -> None:
    """Refuse another struct at first, whenever the right one comes, and convert numbers in every call."""
    with pytest.raises(TypeError, match="No matching definition"):
        sum_of(Other(3), 1)
    for _ in range(3):
        assert sum_of(Pair(1, 2.0), np.int64(3)) == 7.0
    with pytest.raises(SystemError):
        sum_of(np.zeros(2), 3)


def test_annotations_are_complete() -> None:
    """Refuse a kernel whose signature is not known, naming what is missing."""
    with pytest.raises(TypeError, match="annotate b, return"):

        @kernel
        def unclear(a: int, b):
            return a + b

    with pytest.raises(TypeError, match="no type of kernels"):

        @kernel
        def wrong(a: str) -> None:
            pass


def test_inner_functions_run_uncompiled_from_python() -> None:
    """Call an inner function from Python as it stands."""
    assert isinstance(twice, Inner) and twice("ab") == "abab"


@inner
def scaled(values, k, on):
    return values[k] if on else 0.0


@kernel
def with_literals(values: Floats, k: int) -> float:
    """Pass literals and variables of the same types."""
    return scaled(values, 0, True) + scaled(values, 1, k > 0) + scaled(values, k, False)


def test_literals_compile_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile an inner function once for a type, whatever literals it is called with."""
    monkeypatch.setattr(KernelFiles, "load_overload", lambda *_: None)  # as if nothing were on disk
    assert with_literals(np.array([1.0, 2.0]), 1) == 3.0
    assert len(scaled.dispatcher.signatures) == 1


def test_symbols_are_unique() -> None:
    """Name every kernel once: its symbol finds its address in what lies on disk."""
    kernels = all_kernels()
    assert len({k.symbol for k in kernels}) == len(kernels) > 80
    assert all(KERNELS[k.name] is k for k in kernels)


FILES = sorted(
    path for package in (collision, engine) for path in Path(package.__file__ or "").parent.rglob("*.py")
)


def _allocates(decorator: ast.expr) -> bool | None:
    """Return whether a decorator is that of a compiled function which allocates; None for any other."""
    call = decorator if isinstance(decorator, ast.Call) else None
    name = call.func if call is not None else decorator
    if not isinstance(name, ast.Name) or name.id not in ("kernel", "inner"):
        return None
    return call is not None and any(k.arg == "allocates" for k in call.keywords)


def _uncounted(path: Path) -> list[ast.FunctionDef]:
    functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    return [f for f in functions if any(_allocates(d) is False for d in f.decorator_list)]


def _arrays_returned(function: ast.FunctionDef) -> list[str]:
    """Return what a function returns that it, or its caller, could index: names, slices and fields."""
    indexed = {
        node.value.id
        for node in ast.walk(function)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
    }
    found = []
    for node in ast.walk(function):
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for part in parts:
            is_name = isinstance(part, ast.Name) and part.id in indexed
            is_slice = isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Slice)
            is_field = isinstance(part, ast.Attribute) and ast.unparse(part) != "np.inf"
            if is_name or is_slice or is_field:
                found.append(ast.unparse(part))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_uncounted_functions_return_no_arrays(path: Path) -> None:
    """Return only numbers from functions without reference counts: else the caller frees what others own."""
    assert {f.name: found for f in _uncounted(path) if (found := _arrays_returned(f))} == {}


def test_the_rule_sees_what_it_is_for() -> None:
    """Find an array, a slice and a field that a function returns."""
    source = "@inner\ndef f(a, s):\n    if a[0] > 0:\n        return a, 1\n    return a[:2], s.x\n"
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef) and _allocates(function.decorator_list[0]) is False
    assert sorted(_arrays_returned(function)) == ["a", "a[:2]", "s.x"]

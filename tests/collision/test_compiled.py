"""Kernels that do not count references return no arrays."""

import ast
from pathlib import Path

import pytest

from stoss import collision, engine

UNCOUNTED = {"kernel", "kernel_numpy", "inner", "inner_numpy", "inlined", "inlined_numpy"}
FILES = sorted(
    path for package in (collision, engine) for path in Path(package.__file__ or "").parent.rglob("*.py")
)


def _uncounted(path: Path) -> list[ast.FunctionDef]:
    functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    return [
        function
        for function in functions
        if any(isinstance(name, ast.Name) and name.id in UNCOUNTED for name in function.decorator_list)
    ]


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
def test_uncounted_kernels_return_no_arrays(path: Path) -> None:
    """Return only numbers from kernels without reference counts: else the caller frees what others own."""
    assert {f.name: found for f in _uncounted(path) if (found := _arrays_returned(f))} == {}


def test_the_rule_sees_what_it_is_for() -> None:
    """Find an array, a slice and a field that a kernel returns."""
    source = "def f(a, s):\n    if a[0] > 0:\n        return a, 1\n    return a[:2], s.x\n"
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert sorted(_arrays_returned(function)) == ["a", "a[:2]", "s.x"]

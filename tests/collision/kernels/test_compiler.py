"""How kernels are compiled: as numba does it, in all bits, and each inner function once."""

import math
import os
import re
import subprocess
import sys
from collections import Counter
from typing import Annotated

import numba
import numpy as np
import pytest

from stoss.collision.kernels import compiler, decorators
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Floats2, Ints

SMALL = 1e-9
LAST = -1
BIG = False


class Cloud(Struct):
    """Points with numbers."""

    place: Annotated[Floats, "points", 3]
    number: Annotated[Ints, "points"]
    scale: float


@inner
def square(x, y, z):
    return x * x + y * y + z**2


@inner
def length(x, y, z):
    return math.sqrt(square(x, y, z))


@inner
def turned(v, angle):
    c, s = math.cos(angle), math.sin(angle)
    return c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]


@inner
def walk(place, number, scale, out):
    """Meet what the passes of the compiler are for: branches, early ends, literals, tuples."""
    found, best = -1, 0.0
    for i in range(len(number)):
        if BIG:
            out[i, 0] = 7.0
        if number[i] < 0:
            continue
        v = turned((place[i, 0], place[i, 1], place[i, 2]), scale * number[i])
        far = length(v[0], v[1], v[2])
        if far < SMALL:
            out[i, 0] = 0
            continue
        k = 0
        while k < 3:
            out[i, k] += v[k] / far + length(far, 0.1, square(far, 1.0, 2.0)) ** 0.5
            k += 1
        if found < 0 or far > best:
            found, best = i, far
        if number[i] == 99:
            break
    if found < 0:
        return found, math.nan
    return found, best % 0.37 + min(best, 1) + max(0, scale)


@kernel
def walk_cloud(cloud: Cloud, out: Annotated[Floats, "points", 3]) -> tuple[int, float]:
    return walk(cloud.place, cloud.number, cloud.scale, out)


def by_numba():
    """Return the same function, compiled in numba's own way."""
    names = dict(walk.function.__globals__)
    options = {"error_model": "numpy"}
    for one in (square, length, turned):
        names[one.__name__] = numba.njit(**options)(type(one.function)(one.function.__code__, names))
    return numba.njit(**options)(type(walk.function)(walk.function.__code__, names))


@pytest.mark.parametrize("seed", range(3))
def test_bits_are_those_of_numba(seed):
    """Return and write what numba's own compiler makes of the same functions, to the last bit."""
    random = np.random.default_rng(seed)
    place, number = random.normal(size=(200, 3)), random.integers(-2, 90, 200)
    place[3:6] = 0.0
    number[150] = 99
    mine, its = np.zeros((200, 3)), np.zeros((200, 3))
    found = walk_cloud(Cloud(place, number, 0.3), mine)
    assert found == by_numba()(place, number, 0.3, its)
    assert mine.tobytes() == its.tobytes() and mine.any()
    nobody = walk_cloud(Cloud(place, number - 100, 0.3), mine)
    assert nobody[0] == -1 and math.isnan(nobody[1])


@kernel
def count_from_end(x: Floats2, i: int) -> float:
    last = -1
    x[i, -1] = x[-2, i] + 0.5
    x[LAST, -2] += x[i][-1]
    return x[i, last] + x[-1][-1]


def test_constant_indices_count_from_the_end():
    """Take a constant index below 0 from the end, alone, in a tuple, by name: as numpy does."""
    mine, its = np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4)
    assert count_from_end(mine, 0) == count_from_end.function(its, 0)
    assert mine.tobytes() == its.tobytes() and its[2, 2] != 10.0


@kernel
def gather(x: Floats, places: Ints, out: Floats) -> None:
    for i in range(len(places)):
        out[i] = x[places[i]]


def test_indices_that_vary_are_taken_as_they_are(monkeypatch):
    """Look at no index in a loop whether it is below 0: the code has nothing to choose between."""
    monkeypatch.setattr("stoss.collision.kernels.cache.KernelFiles.load_overload", lambda *_: None)
    gather(np.arange(3.0), np.array([2, 0]), np.zeros(2))
    (result,) = gather.dispatcher.overloads.values()
    (own,) = [f for f in result.library._final_module.functions if f.name == result.fndesc.llvm_func_name]
    assert " getelementptr " in str(own) and " select " not in str(own)


def test_inner_functions_are_linked_once_and_never_made_machine_code(monkeypatch):
    """Optimise a kernel once, with one copy of each function below it, and nothing else."""
    optimised: list[Counter] = []

    def watch(library):
        known = "below", "left", "right", "top"
        names = [one.name for one in library._final_module.functions if not one.is_declaration]
        optimised.append(Counter(next((w for w in known if w in n), n) for n in names))
        original(library)

    original = compiler.codegen.CPUCodeLibrary._optimize_final_module
    monkeypatch.setattr(compiler.codegen.CPUCodeLibrary, "_optimize_final_module", watch)
    monkeypatch.setattr("stoss.collision.kernels.cache.KernelFiles.load_overload", lambda *_: None)

    @inner
    def below(x):
        return 1.5 * x

    @inner
    def left(x):
        return below(x) + 1.0

    @inner
    def right(x):
        return below(x) - 1.0

    @kernel
    def top(x: float) -> float:
        return left(x) * right(x)

    assert top(2.0) == 8.0
    (names,) = optimised
    assert names == {"top": 3, "left": 1, "right": 1, "below": 1}  # the kernel has two wrappers


def test_what_is_kept(monkeypatch):
    """Keep no code to be linked of a kernel, and no machine code of an inner function."""
    kept: list[tuple] = []
    monkeypatch.setattr("stoss.collision.kernels.cache.KernelFiles.load_overload", lambda *_: None)
    monkeypatch.setattr(
        "stoss.collision.kernels.cache.KernelFiles.save_overload",
        lambda _, signature, result: kept.append(compiler.kept_form(result)),
    )

    @inner
    def below(x):
        return 1.5 * x

    @kernel
    def top(x: float) -> float:
        return below(x)

    assert top(2.0) == 3.0
    (_, (_, code), _), (_, (_, (machine_code, names)), _) = kept
    assert code[:4] == b"BC\xc0\xde" and machine_code[:4] == b"\x7fELF"
    assert sum("top" in name for name in names) >= 3  # itself, and called from C and from Python


PRINTS = """
from stoss.collision.kernels.decorators import inner, kernel

@inner
def below(x, count):
    print("below", x, count)
    return 1.5 * x

@inner
def between(x, count):
    for k in range(count):
        x = below(x, k)
    print((x, count))
    return x

@kernel
def first(x: float) -> float:
    return between(x, 1)

@kernel
def second(x: float) -> float:
    print("second", first(x))
    return below(x, 7)

print(second(2.0))
"""


@pytest.mark.parametrize("kept", [False, True])
def test_inner_functions_print(tmp_path_factory, kept):
    """Print in inner functions that are just compiled, or were kept, and in those of several kernels."""
    folder = tmp_path_factory.getbasetemp() / "printing"
    assert folder.exists() == kept
    program = subprocess.run(
        [sys.executable, "-c", PRINTS],
        env={**os.environ, "STOSS_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert program.stdout.split("\n") == [
        *["below 2.0 0", "(3.0, 1)", "second 3.0", "below 2.0 7", "3.0", ""],
    ], program.stderr


@inner
def too_large(x):
    if x > 1.0:
        raise ValueError("too large")
    return x


@inner
def with_list(x):
    several = [x, 2.0]
    several.append(x)
    return several[0]


@inner
def with_array(x):
    several = np.zeros(3)
    return several[0] + x


@inner
def with_dict(x):
    several = {1: x}
    return several[1]


@inner
def computed_words(x):
    if x > 1.0:
        raise ValueError("too large", x)
    return x


@inner
def unknown_function(x):
    return np.sqroot(x)


@inner
def unknown_attribute(x):
    return (x, x).shap


@inner
def unknown_name(x):
    return x * scal  # noqa: F821


@inner
def too_many(x):
    return too_large(x, 2.0)


@inner
def made_in_it(x):
    return sum([k * x for k in range(3)])


@inner
def with_file(x):
    with open("file") as file:
        return x + file.tell()


@inner
def in_steps(x):
    yield x


@inner
def goes_on(x):
    return x if x < 1.0 else goes_on(x - 1.0)


@inner
def there(x):
    return and_back(x)


@inner
def and_back(x):
    return there(x)


@pytest.mark.parametrize(
    ("function", "line", "words"),
    [
        (with_list, 1, "allocates=True"),
        (with_array, 1, "allocates=True"),
        (with_dict, 2, "allocates=True"),
        (computed_words, 2, "Unsupported"),
        (unknown_function, 1, "unsupported NumPy function 'numpy.sqroot'"),
        (unknown_attribute, 1, "Unknown attribute 'shap'"),
        (unknown_name, -1, "name 'scal' is not defined"),
        (too_many, 1, "too many positional arguments"),
        (made_in_it, 1, "listcomp"),
        (with_file, -1, "'with (context manager) as (variable):' construct is not supported"),
        (in_steps, -1, ""),
        (goes_on, -1, "calls itself: an inner function is part of its callers"),
        (there, -1, "calls itself, over and_back ("),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_mistakes_in_inner_functions_are_named_with_their_place(function, line, words, monkeypatch):
    """Name file and line (of the function, where numba knows none inside) of what cannot be compiled."""
    # what cannot be compiled is not left among the kernels that others prepare
    monkeypatch.setattr(decorators, "KERNELS", {})

    @kernel
    def top(x: float) -> float:
        return function(x)

    with pytest.raises(Exception) as caught:  # noqa: B017, PT011 (numba's, and Python's own)
        top(2.0)
    told = f"{caught.value} {' '.join(getattr(caught.value, '__notes__', []))}"
    assert words in told
    number = function.function.__code__.co_firstlineno
    number += 0 if line < 0 else 1 + line
    assert re.search(rf"test_compiler\.py(:|\", line | \(){number}\b", told), told


def test_errors_of_inner_functions_are_raised():
    """Raise what an inner function raises, with the line in which it does."""

    @kernel
    def top(x: float) -> float:
        return too_large(x)

    assert top(1.0) == 1.0
    with pytest.raises(ValueError, match="too large") as caught:
        top(2.0)
    *_, last = caught.traceback
    assert str(last.path) == __file__
    assert last.lineno == too_large.function.__code__.co_firstlineno + 2  # counted from 0


def test_words_and_calls_of_itself():
    """Take strings as arguments of inner functions, and let a kernel call itself."""

    @inner
    def part(x, which):
        return 0.5 * x if which == "half" else x

    @kernel
    def top(x: float) -> float:
        return part(x, "half") + len("abc")

    assert top(2.0) == 4.0
    assert fibonacci(10) == 55


@kernel
def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

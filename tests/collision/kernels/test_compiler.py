"""How kernels are compiled: as numba does it, in all bits, and each inner function once."""

import math
from collections import Counter
from typing import Annotated

import numba
import numpy as np
import pytest

from stoss.collision.kernels import compiler
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints

SMALL = 1e-9
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

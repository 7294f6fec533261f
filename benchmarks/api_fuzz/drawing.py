"""Drawing of plain values, numbers, vectors and words: those that fit, and those that certainly do not."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = [
    "COLORS",
    "Draw",
    "INF",
    "JUNK",
    "NAN",
    "Rng",
    "TEXT",
    "any_of",
    "bad_quaternion",
    "bits",
    "choice",
    "flag",
    "number",
    "pick",
    "quaternion",
    "rows",
    "vector",
    "whole",
]

Rng = np.random.Generator
Draw = Callable[["World", Rng], Any]

NAN, INF = float("nan"), float("inf")

# No number, no vector, no word, no handle, whatever is asked for.
JUNK: list[Any] = [
    *(b"1.0", bytearray(b"12"), 1j, np.complex128(1j), {}, {"x": 1}, object(), float, len, NotImplemented),
    *(
        datetime.timedelta(1),
        np.timedelta64(1, "s"),
        [[1], [1, 2]],
        [None] * 3,
        {1.0, 2.0},
        ...,
        Exception("x"),
    ),
    *(
        np.array(["a", "b"]),
        np.zeros((2, 2, 2, 2)),
        np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]),
        range(0),
        iter(()),
    ),
]
TEXT: list[Any] = ["", "1.0", "123", "none", "x" * 500, "1,2,3", "\n", "ä"]
BAD_NUMBERS: list[Any] = [
    NAN,
    *TEXT,
    True,
    np.True_,
    [1.0],
    (1.0,),
    np.array([1.0]),
    np.array([[2.0]]),
    *JUNK,
]
BAD_NUMBERS += [Decimal("NaN"), np.float32("nan"), np.array("1.0"), np.str_("2"), np.array(True)]
NUMBERS: list[Any] = [
    0,
    1,
    -1,
    0.5,
    2.0,
    1e-3,
    1e3,
    np.float32(0.25),
    np.int16(2),
    Fraction(1, 3),
    Decimal("0.1"),
]
NUMBERS += [1e9, -1e9, 1e-300, 1e300, -0.0, np.array(0.5)]
HUGE: list[Any] = [10**400, -(10**400), INF, -INF, Fraction(10**400)]
COLORS: list[Any] = ["red", "#ff8800", (1, 0, 0), None]


def pick(values: list[Any], rng: Rng) -> Any:
    """Return one of some values."""
    return values[int(rng.integers(len(values)))]


def number(least: float = -INF, infinite: bool = False) -> tuple[Draw, Draw]:
    """Return what draws a number, and what draws none."""
    good = [x for x in NUMBERS if float(x) >= least] + ([INF] if infinite else [])
    bad = BAD_NUMBERS + ([x for x in HUGE if x < least] if infinite else HUGE)
    bad += [-1.0, -5] if least >= 0.0 else []
    return (lambda w, r: pick(good, r)), (lambda w, r: pick(bad, r))


def vector(width: int = 3) -> tuple[Draw, Draw]:
    """Return what draws a vector of so many numbers, and what draws none."""

    def good(world: "World", rng: Rng) -> Any:
        numbers = rng.normal(size=width) * 10.0 ** rng.integers(-3, 3)
        forms = [
            tuple(numbers),
            list(numbers),
            numbers,
            numbers.astype(np.float32),
            np.asfortranarray(numbers),
        ]
        return pick([*forms, tuple(range(width)), [Fraction(1, 3)] * width], rng)

    def bad(world: "World", rng: Rng) -> Any:
        wrong: list[Any] = [
            (NAN,) * width,
            (INF,) * width,
            (0.0,) * (width + 1),
            (1.0,) * (width - 1),
            ("1",) * width,
        ]
        wrong += [(True,) * width, (10**400,) * width, [[0.0] * width] * 2, 5.0, None, (None,) * width]
        return pick([*wrong, *TEXT, *JUNK], rng)

    return good, bad


def quaternion(world: "World", rng: Rng) -> Any:
    """Draw a unit quaternion, in one of its forms."""
    from scipy.spatial.transform import Rotation

    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    turn = Rotation.from_quat(q)
    return pick([tuple(q), q, list(q), q.astype(np.float32), turn, (1, 0, 0, 0)], rng)


def bad_quaternion(world: "World", rng: Rng) -> Any:
    """Draw what is no unit quaternion."""
    from scipy.spatial.transform import Rotation

    wrong = [
        (0, 0, 0, 0),
        (2, 0, 0, 0),
        (1, 0, 0),
        np.eye(3),
        Rotation.identity(3),
        Rotation,
        (NAN, 0, 0, 0),
        1.0,
    ]
    return pick([*wrong, ("1", 0, 0, 0), (True, 0, 0, 0), *TEXT, *JUNK], rng)


def rows(width: int) -> tuple[Draw, Draw]:
    """Return what draws rows of so many numbers, one for each body or a few, and what draws none."""

    def good(world: "World", rng: Rng) -> Any:
        count = len(world.bodies) if rng.random() < 0.5 else int(rng.integers(1, 4))
        return rng.normal(size=(count, width))

    def bad(world: "World", rng: Rng) -> Any:
        wrong = [np.full((2, width), NAN), np.zeros((2, width + 1)), np.zeros(5), [["1"] * width], 5.0]
        return pick([*wrong, [[True] * width], *TEXT, *JUNK], rng)

    return good, bad


def choice(*words: str) -> tuple[Draw, Draw]:
    """Return what draws one of some words, and what draws none."""
    bad = [5, 1.0, True, b"x", ["static"], {}, NAN, np.array(["a", "b"]), "no such word", "", object()]
    return (lambda w, r: pick(list(words), r)), (lambda w, r: pick(bad, r))


def whole(least: int = 0, most: int = 3) -> tuple[Draw, Draw]:
    """Return what draws a whole number, and what draws none."""
    bad = [1.0, 2.5, "2", True, NAN, INF, [1], np.array([1]), np.float64(1.0), 10**30, least - 1, *JUNK]
    return (lambda w, r: int(r.integers(least, most + 1))), (lambda w, r: pick(bad, r))


def bits() -> tuple[Draw, Draw]:
    """Return what draws bits, and what draws none."""
    good = [1, -1, 0, 2**63, 2**64 - 1, 0xFFFF, np.uint64(2**64 - 1), np.int8(-1), -(2**63)]
    bad = [2**64, -(2**63) - 1, 1.0, "all", True, NAN, [1], *JUNK]
    return (lambda w, r: pick(good, r)), (lambda w, r: pick(bad, r))


def flag() -> tuple[Draw, Draw]:
    """Return what draws true or false, and what draws neither."""
    bad = [1, 0, 1.0, "yes", "True", [True], np.array([True]), *JUNK]
    return (lambda w, r: pick([True, False, np.True_], r)), (lambda w, r: pick(bad, r))


def any_of(*values: Any) -> Draw:
    """Return what draws one of some values."""
    return lambda w, r: pick(list(values), r)

"""Structs: declared fields, what is refused, replaced arrays, copies."""

import pickle
from typing import Annotated

import numpy as np
import pytest

from stoss.collision.kernels.addresses import address_of
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints


class Points(Struct):
    """Points with what a field may be."""

    place: Annotated[Floats, "points", 3]
    start: Annotated[Ints, "points+1"]
    table: Annotated[Floats, "rows", "columns"]
    chosen: Annotated[Bools, "points"]
    scale: float
    count: int
    flipped: bool


class Pair(Struct):
    """A struct of structs."""

    first: Points
    second: Points


@kernel
def weigh(pair: Pair, power: int) -> float:
    """Return a number that depends on every field."""
    total = 0.0
    for points in (pair.first, pair.second):
        sign = -1.0 if points.flipped else 1.0
        for i in range(len(points.place)):
            for k in range(3):
                if points.chosen[i]:
                    total += sign * points.scale * points.place[i, k] ** power
        for i in range(points.table.shape[0]):
            for k in range(points.table.shape[1]):
                total += points.table[i, k]
        total += points.count * points.start[len(points.start) - 1]
    return total


def example(points: int) -> Points:
    out = Points.zeros(points=points, rows=2, columns=3)
    out.place[:] = np.arange(3 * points).reshape(points, 3)
    out.chosen[::2] = True
    out.start[-1] = 7
    out.table[:] = 0.5
    out.scale, out.count, out.flipped = 2.5, 3, False
    return out


def plain(pair: Pair, power: int) -> float:
    total = 0.0
    for p in pair:
        sign = -1.0 if p.flipped else 1.0
        total += sign * p.scale * (p.place[p.chosen] ** power).sum() + p.table.sum()
        total += p.count * int(p.start[-1])
    return total


def test_kernels_read_every_kind_of_field() -> None:
    """Read arrays with fixed and open axes, numbers, flags and inner structs as numpy does."""
    pair = Pair(example(4), example(9))
    assert weigh(pair, 2) == pytest.approx(plain(pair, 2), rel=1e-14)


def test_what_is_replaced_is_seen() -> None:
    """See longer arrays, other numbers and other inner structs, without making the outer struct anew."""
    pair = Pair(example(4), example(9))
    pair.first.place, pair.first.chosen = np.ones((5, 3)), np.ones(5, np.bool_)
    pair.first.scale, pair.first.flipped = -0.5, True
    assert weigh(pair, 1) == pytest.approx(plain(pair, 1), rel=1e-14)
    pair.second = example(1)
    assert weigh(pair, 1) == pytest.approx(plain(pair, 1), rel=1e-14)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros((4, 2)), "Points.place"),
        (np.zeros((4, 3), np.float32), "float32"),
        (np.zeros((3, 4)).T, "C order"),
        (np.zeros(12), "Points.place"),
    ],
)
def test_other_arrays_are_refused(value: np.ndarray, message: str) -> None:
    """Refuse arrays of other lengths, types, orders and numbers of axes, naming the field."""
    points = example(4)
    with pytest.raises(TypeError, match=message):
        points.place = value
    assert points.place.shape == (4, 3)


def test_addresses_are_those_of_the_first_elements() -> None:
    """Find where arrays and views of them begin, as numpy tells it."""
    array = np.zeros((4, 3))
    for view in (array, array[1:], array[:0], np.zeros(0), np.ones(1, bool)):
        assert address_of(view) == view.ctypes.data


def test_fields_are_complete() -> None:
    """Refuse a field that is missing, unknown or given twice, and an inner struct of another class."""
    good = dict(example(2).items())
    with pytest.raises(TypeError, match="scale"):
        Points(**{name: value for name, value in good.items() if name != "scale"})
    with pytest.raises(TypeError, match="colour"):
        Points(**good, colour=1)
    with pytest.raises(TypeError, match="twice"):
        Points(good["place"], **good)
    with pytest.raises(TypeError, match="another struct"):
        Pair(example(1), Pair(example(1), example(1)))


def test_axes_of_fixed_length_come_last() -> None:
    """Refuse a declaration that numba could not lay out."""
    with pytest.raises(TypeError, match="open axes"):

        class Wrong(Struct):
            """An open axis behind a fixed one."""

            field: Annotated[Floats, 3, "points"]


def test_copies_are_independent() -> None:
    """Copy arrays, also through pickle and of inner structs; share them in `replace`."""
    pair = Pair(example(4), example(2))
    for twin in (pair.copy(), pickle.loads(pickle.dumps(pair))):
        pair.first.place[0] = 9.0
        assert twin.first.place[0, 0] == 0.0
        assert weigh(twin, 1) == pytest.approx(plain(twin, 1), rel=1e-14)
        pair.first.place[0] = (0.0, 1.0, 2.0)
    other = pair.first.replace(scale=1.0)
    assert other.place is pair.first.place and pair.first.scale == 2.5

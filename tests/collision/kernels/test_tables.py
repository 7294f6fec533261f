"""Tables: arrays of a struct that grow, shrink, lose entries and take over values."""

import copy
import pickle
from collections.abc import Callable
from typing import Annotated

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Floats, Ints


class Chain(Struct):
    """Two axes, an array one longer than its axis, and one with both."""

    start: Annotated[Ints, "blocks+1"]
    place: Annotated[Floats, "rows", 3]
    number: Annotated[Ints, "rows"]
    both: Annotated[Floats, "blocks", "rows"]


def test_lengths_follow_their_axes() -> None:
    """Give every array the length of its axis, and keep the struct."""
    table = Table(Chain)
    arrays = table.arrays
    assert table.resize(blocks=2, rows=5) is arrays
    assert arrays.start.shape == (3,) and arrays.place.shape == (5, 3) and arrays.both.shape == (2, 5)
    table.resize(rows=1)
    assert arrays.start.shape == (3,) and arrays.number.shape == (1,) and arrays.both.shape == (2, 1)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=12))
def test_entries_are_kept_and_new_ones_zero(lengths: list[int]) -> None:
    """Keep what fits through any changes of length; what comes is zero, also where something was before."""
    table, expected = Table(Chain), np.zeros((0, 3))
    for number, length in enumerate(lengths):
        arrays = table.resize(rows=length)
        grown = np.zeros((length, 3))
        common = min(length, len(expected))
        grown[:common] = expected[:common]
        assert (arrays.place == grown).all()
        arrays.place[:] = expected = np.full((length, 3), number + 1.0)


@given(st.lists(st.sampled_from(["append", "three", "remove", "cut", "read"]), max_size=40))
def test_appended_entries_are_zero_and_seen(moves: list[str]) -> None:
    """Append entries that are zero whatever was there before, and show them when the arrays are read."""
    table, expected = Table(Chain, rows=1, blocks=2), [0]
    views = table.arrays
    for step, move in enumerate(moves):
        if move in ("append", "three"):
            count = 1 if move == "append" else 3
            assert table.append("rows", count) == len(expected)
            assert (table.storage.place[len(expected) : len(expected) + count] == 0.0).all()
            expected += [0] * count
        elif move == "remove" and expected:
            table.remove("rows", np.array([step % len(expected)]))
            del expected[step % len(expected)]
        elif move == "cut":
            table.resize(rows=len(expected) // 2)
            del expected[len(expected) // 2 :]
        else:
            assert table.arrays.number.tolist() == expected and table.arrays.both.shape == (2, len(expected))
        if expected:
            table.storage.number[len(expected) - 1] = expected[-1] = step + 1
            table.storage.place[len(expected) - 1] = step + 1.0
    assert table.arrays is views and views.number.tolist() == expected
    assert (views.both == 0.0).all()


def test_appending_keeps_an_array_that_is_longer_than_its_axis() -> None:
    """Append to an axis of an array with one entry more; what is beyond the length is not lost."""
    table = Table(Chain)
    for block in range(30):
        assert table.append("blocks") == block
        table.storage.start[block + 1] = block + 7
    assert table.arrays.start.tolist() == [0, *range(7, 37)] and table.lengths["blocks"] == 30


def test_entries_are_removed_and_taken_over() -> None:
    """Move entries up when one goes, and copy those of another struct with their number."""
    table = Table(Chain, blocks=1, rows=4)
    table.arrays.number[:] = (5, 6, 7, 8)
    table.arrays.both[:] = (1.0, 2.0, 3.0, 4.0)
    table.remove("rows", np.array([1]))
    assert table.arrays.number.tolist() == [5, 7, 8]
    other = Chain.zeros(blocks=3, rows=2)
    other.number[:], other.start[-1], other.both[2, 1] = (1, 2), 9, 4.0
    table.take(other)
    assert table.lengths == {"blocks": 3, "rows": 2}
    for mine, theirs in zip(table.arrays, other, strict=True):
        assert (mine == theirs).all() and not np.shares_memory(mine, theirs)


def test_wrong_lengths_are_refused() -> None:
    """Name the axes if there is no such one, or a length is negative."""
    table = Table(Chain)
    with pytest.raises(ValueError, match="axes are blocks, rows"):
        table.resize(columns=1)
    with pytest.raises(ValueError, match="rows = -1"):
        table.resize(rows=-1)


@kernel
def lengths_in_kernels(chain: Chain) -> tuple[int, int, float]:
    """Return lengths, and the last number, as kernels see them."""
    return len(chain.place), len(chain.number), chain.number[-1] + 0.0


def test_kernels_see_lengths_that_change_in_the_same_memory() -> None:
    """Show kernels the present lengths and the same memory, whether entries are kept or not."""
    table = Table(Chain)
    for keep, rows in ((False, 5), (False, 3), (False, 4), (True, 2), (False, 40), (False, 8)):
        arrays = table.resize(keep=keep, blocks=1, rows=rows)
        arrays.number[:] = np.arange(rows)
        assert lengths_in_kernels(arrays) == (rows, rows, rows - 1)
        assert arrays.place.shape == (rows, 3)


@kernel
def _sum_of_rows(chain: Chain) -> int:
    total = 0
    for row in range(len(chain.number)):
        total += chain.number[row]
    return total


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
def test_copies_grow_by_themselves(copied: Callable[[Table[Chain]], Table[Chain]]) -> None:
    """Let kernels and views see what a copy takes in and loses, within the room of the first table or not."""
    table = Table(Chain, rows=1, blocks=2)
    for _ in range(20):
        table.arrays.number[table.append("rows") :] = 1
    table.resize(rows=3, keep=False)
    twin = copied(table)
    for rows in (10, 4, 12, 70, 2):
        twin.resize(rows=rows, keep=False)
        twin.arrays.number[:] = 2
        assert _sum_of_rows(twin.arrays) == twin.arrays.number.sum() == 2 * rows
        twin.storage.number[twin.append("rows")] = 5
        assert _sum_of_rows(twin.arrays) == twin.arrays.number.sum() == 2 * rows + 5
    assert len(table.arrays.number) == 3

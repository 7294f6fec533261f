"""Axes that several tables share, and that kernels make longer and shorter."""

from typing import Annotated

import numpy as np

from stoss.collision.kernels.axes import Axis, CommonAxis, set_length
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.tables import Table
from stoss.collision.kernels.types import Floats, Ints


class First(Struct):
    """One array as long as the axis, one that is longer by one."""

    number: Annotated[Ints, "rows"]
    start: Annotated[Ints, "rows+1"]


class Second(Struct):
    """Another name for the axis, and an array of another axis."""

    place: Annotated[Floats, "lines", 3]
    other: Annotated[Floats, "columns"]


@kernel
def _sizes(first: First, second: Second) -> tuple[int, int, int]:
    return len(first.number), len(first.start), len(second.place)


@kernel
def _change(axis: Axis, length: int, first: First, second: Second) -> tuple[bool, tuple[int, int, int]]:
    fits = set_length(axis, length)
    return fits, _sizes(first, second)


def tables() -> tuple[CommonAxis, Table, Table]:
    """Return an axis of two tables, with room for at least ten."""
    axis, first, second = CommonAxis(), Table(First), Table(Second, columns=4)
    axis.add_all(first, name="rows")
    axis.add_all(second, name="lines")
    axis.reserve(10)
    return axis, first, second


def test_kernels_see_the_length_that_a_kernel_sets():
    """Let what is called afterwards see all arrays of the axis at their new length, and Python too."""
    axis, first, second = tables()
    for length in (7, 0, 10, 3):
        assert _change(axis.arrays, length, first.arrays, second.arrays) == (
            True,
            (length, length + 1, length),
        )
        assert first.arrays.number.shape == (length,) and first.arrays.start.shape == (length + 1,)
        assert second.arrays.place.shape == (length, 3) and second.arrays.other.shape == (4,)
        assert axis.length == length


def test_a_length_without_room_changes_nothing():
    """Refuse what does not fit, and take it once there is room; what was beyond the length is kept."""
    axis, first, second = tables()
    axis.set(6)
    first.arrays.number[:] = np.arange(6)
    axis.set(2)
    most = axis.room + 1
    assert _change(axis.arrays, most, first.arrays, second.arrays) == (False, (2, 3, 2))
    axis.reserve(most)
    assert axis.length == 2 and len(first.arrays.number) == 2
    assert _change(axis.arrays, most, first.arrays, second.arrays)[0]
    assert first.arrays.number[:6].tolist() == [0, 1, 2, 3, 4, 5] and len(first.arrays.number) == most

"""Sorting in kernels: numba's own takes a second to compile in each kernel that asks for it."""

from stoss.collision.kernels.decorators import inner

__all__ = ["place_among", "sort_numbers"]


@inner
def sort_numbers(values, begin, end):
    """Sort values[begin:end] in place: Shell's sort by 1, 4, 13, ..., few numbers by insertion alone."""
    gap = 1
    while 3 * gap + 1 < end - begin:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(begin + gap, end):
            value, j = values[i], i
            while j - gap >= begin and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


@inner
def place_among(values, begin, end, value):
    """Return where a value stands in values[begin:end], which are sorted: the first that is not below it."""
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin

"""Lanes from places in memory that are not side by side, and back: one place for each lane."""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from stoss.collision.kernels.lanes import (
    FOUR_LANES,
    LANES,
    WIDE,
    WIDE_LANES,
    LanesType,
    place_of,
    read_vector,
    shuffled,
    transposed,
    vector_of,
    write_vector,
)

__all__ = ["RECORD", "gather", "load_each", "load_places", "load_turned", "scatter"]

RECORD = 8  # numbers of a record, what `gather` and `scatter` move: a line of the cache

_intrinsic: Any = intrinsic  # whose first parameter, the context of types, its callers do not see
_record = types.UniTuple(WIDE_LANES, RECORD)
_places = types.UniTuple(types.int64, WIDE)
_i32, _i64 = ir.IntType(32), ir.IntType(64)


def _entries(context: Any, builder: Any, sig: Any, args: Any) -> list[Any]:
    """Return where array[stride * place + offset] stands for some places: what `load_each` takes."""
    out = []
    for place in cgutils.unpack_tuple(builder, args[1], sig.args[1].count):
        index = builder.add(builder.mul(place, args[2]), args[3])
        out.append(place_of(context, builder, sig.args[0], args[0], index))
    return out


def _kind_of(places: Any) -> LanesType:
    """Return the type of lanes that are taken from a tuple of places."""
    return WIDE_LANES if places.count == WIDE else FOUR_LANES


@_intrinsic
def load_each(typing: Any, array: Any, places: Any, stride: Any, offset: Any) -> Any:
    """Return lanes with the numbers array[stride * place + offset] for some places (a tuple)."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        out = ir.Constant(vector_of(sig.return_type.count), ir.Undefined)
        for lane, entry in enumerate(_entries(context, builder, sig, args)):
            out = builder.insert_element(out, builder.load(entry), ir.Constant(_i32, lane))
        return out

    return _kind_of(places)(array, places, types.int64, types.int64), code


@_intrinsic
def load_turned(typing: Any, array: Any, places: Any, stride: Any, offset: Any) -> Any:
    """Return the four numbers from array[stride * place + offset] on, each place in a lane: four lanes."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        rows = [read_vector(builder, entry, LANES) for entry in _entries(context, builder, sig, args)]
        parts = [transposed(builder, rows[i : i + LANES]) for i in range(0, len(rows), LANES)]
        return cgutils.pack_array(builder, [_joined(builder, part) for part in zip(*parts, strict=True)])

    kind = _kind_of(places)
    return types.UniTuple(kind, LANES)(array, places, types.int64, types.int64), code


def _joined(builder: Any, parts: Any) -> Any:
    """Return vectors one behind the other, as one."""
    first, *others = parts
    return shuffled(builder, first, others[0], list(range(2 * LANES))) if others else first


@_intrinsic
def load_places(typing: Any, array: Any, at: Any, offset: Any) -> Any:
    """Return as many places as there are wide lanes: the integers from `at` on of a vector, plus `offset`."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        out = []
        for lane in range(WIDE):
            at = builder.add(args[1], ir.Constant(_i64, lane))
            number = builder.load(place_of(context, builder, sig.args[0], args[0], at))
            out.append(builder.add(number, args[2]))
        return cgutils.pack_array(builder, out)

    return _places(array, types.int64, types.int64), code


def _record_places(context: Any, builder: Any, sig: Any, args: Any) -> list[Any]:
    """Return where the records of all wide lanes begin."""
    places = []
    for lane in range(WIDE):
        at = builder.add(args[2], ir.Constant(_i64, lane))
        number = builder.load(place_of(context, builder, sig.args[1], args[1], at))
        begin = builder.mul(number, ir.Constant(_i64, RECORD))
        places.append(place_of(context, builder, sig.args[0], args[0], begin))
    return places


def _second_half(builder: Any, place: Any) -> Any:
    return builder.gep(place, [ir.Constant(_i64, RECORD // 2)])


def _turned_eight(builder: Any, rows: list[Any]) -> list[Any]:
    """Return the transpose of eight vectors of eight numbers."""
    low, high = [0, 8, 2, 10, 4, 12, 6, 14], [1, 9, 3, 11, 5, 13, 7, 15]
    pairs = [
        [shuffled(builder, rows[i], rows[i + 1], order) for i in range(0, 8, 2)] for order in (low, high)
    ]
    even, odd = [0, 1, 4, 5, 8, 9, 12, 13], [2, 3, 6, 7, 10, 11, 14, 15]
    out: list[Any] = [None] * 8
    for parity, four in enumerate(pairs):
        for first, order in enumerate((even, odd)):
            x, y = (shuffled(builder, four[i], four[i + 1], order) for i in (0, 2))
            out[2 * first + parity] = shuffled(builder, x, y, even)
            out[2 * first + parity + 4] = shuffled(builder, x, y, odd)
    return out


@_intrinsic
def gather(typing: Any, records: Any, numbers: Any, at: Any) -> Any:
    """Return the records of the numbers from `at` on: one lane each, as many wide lanes as a record has."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        places = _record_places(context, builder, sig, args)
        if WIDE == RECORD:
            out = _turned_eight(builder, [read_vector(builder, place, RECORD) for place in places])
        else:
            halves = [places, [_second_half(builder, place) for place in places]]
            out = []
            for half in halves:
                out += transposed(builder, [read_vector(builder, place, LANES) for place in half])
        return cgutils.pack_array(builder, out)

    return _record(records, numbers, types.int64), code


@_intrinsic
def scatter(typing: Any, records: Any, numbers: Any, at: Any, values: Any) -> Any:
    """Write a record for each wide lane, in the form that `gather` returns."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = cgutils.unpack_tuple(builder, args[3], RECORD)
        places = _record_places(context, builder, sig, args)
        if WIDE == RECORD:
            for place, row in zip(places, _turned_eight(builder, values), strict=True):
                write_vector(builder, row, place)
        else:
            for half in range(2):
                rows = transposed(builder, values[LANES * half : LANES * (half + 1)])
                for place, row in zip(places, rows, strict=True):
                    write_vector(builder, row, _second_half(builder, place) if half else place)
        return context.get_dummy_value()

    return types.void(records, numbers, types.int64, _record), code

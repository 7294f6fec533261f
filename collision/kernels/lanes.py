"""Four numbers at once: a type of kernels over the vector registers of the processor.

`Lanes` holds four float64 numbers, one of each of four independent problems. `+ - * /` and the functions
below work on each lane as their scalar forms do, rounding included, so that a problem has the same solution
in whichever lane it is computed. The compiler is handed vectors, and does not have to find a loop to make
them of; a processor without such registers gets two or four instructions in place of one.

Lanes live within kernels: an array of them is an array of float64, four of one kind side by side.
All of it stands at the level of the module: what is made within functions numba does not find on disk again.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

__all__ = [
    "LANES",
    "RECORD",
    "absolute",
    "gather",
    "join",
    "lanes_of",
    "largest",
    "load",
    "load_each",
    "load_turned",
    "load_two",
    "numbers",
    "scatter",
    "select_equal",
    "select_greater",
    "select_not_greater",
    "splat",
    "square_root",
    "store",
    "store_two",
    "total",
    "turned",
    "upper_two",
]

LANES = 4
RECORD = 2 * LANES  # numbers of a record, what `gather` and `scatter` move: a line of the cache

_intrinsic: Any = intrinsic  # whose first parameter, the context of types, its callers do not see


class LanesType(types.Type):
    """Four float64 numbers."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


_lanes = LanesType()
_record = types.UniTuple(_lanes, RECORD)
_quarter = types.UniTuple(_lanes, LANES)
_places = types.UniTuple(types.int64, LANES)
_vector = ir.VectorType(ir.DoubleType(), LANES)
_two = ir.VectorType(ir.DoubleType(), 2)
_i32, _i64 = ir.IntType(32), ir.IntType(64)


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _vector)


@infer_global(operator.add)
@infer_global(operator.sub)
@infer_global(operator.mul)
@infer_global(operator.truediv)
class _Arithmetic(ConcreteTemplate):
    cases = (signature(_lanes, _lanes, _lanes),)


def _shuffled(builder: Any, a: Any, b: Any, order: list[int]) -> Any:
    """Return the vector of the numbers at these places of a followed by b."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_i32, len(order)), order))


def _spread(builder: Any, number: Any) -> Any:
    """Return a vector that holds a number four times."""
    nothing = ir.Constant(_vector, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(_i32, 0))
    return _shuffled(builder, first, nothing, [0] * LANES)


def _lower(operation: Any, name: str) -> None:
    """Teach numba an operation between lanes by its name in LLVM."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, name)(*args)

    lower_builtin(operation, _lanes, _lanes)(code)


_lower(operator.add, "fadd")
_lower(operator.sub, "fsub")
_lower(operator.mul, "fmul")
_lower(operator.truediv, "fdiv")


def _turned(builder: Any, rows: list[Any]) -> list[Any]:
    """Return the transpose of four vectors of four numbers."""
    a, b, c, d = rows
    low, high = [0, 4, 2, 6], [1, 5, 3, 7]
    p, q = _shuffled(builder, a, b, low), _shuffled(builder, a, b, high)
    r, s = _shuffled(builder, c, d, low), _shuffled(builder, c, d, high)
    low, high = [0, 1, 4, 5], [2, 3, 6, 7]
    return [
        _shuffled(builder, p, r, low),
        _shuffled(builder, q, s, low),
        _shuffled(builder, p, r, high),
        _shuffled(builder, q, s, high),
    ]


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Return where the number at `index` of a vector stands."""
    return builder.gep(context.make_array(kind)(context, builder, array).data, [index])


def _wide(builder: Any, place: Any) -> Any:
    return builder.bitcast(place, _vector.as_pointer())


def _called(name: str, builder: Any, args: Any) -> Any:
    """Call a function of LLVM on lanes."""
    kind = ir.FunctionType(_vector, [_vector] * len(args))
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{LANES}f64")
    return builder.call(function, args)


@_intrinsic
def splat(typing: Any, number: Any) -> Any:
    """Return lanes that all hold a number."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _spread(builder, args[0])

    return _lanes(types.float64), code


@_intrinsic
def load(typing: Any, array: Any, at: Any) -> Any:
    """Return the four numbers from `at` on of a vector."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _place(context, builder, sig.args[0], args[0], args[1])
        return builder.load(_wide(builder, place), align=8)

    return _lanes(array, types.int64), code


@_intrinsic
def store(typing: Any, array: Any, at: Any, value: Any) -> Any:
    """Write lanes to the four places from `at` on of a vector."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _place(context, builder, sig.args[0], args[0], args[1])
        builder.store(args[2], _wide(builder, place), align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, _lanes), code


@_intrinsic
def load_two(typing: Any, array: Any, at: Any) -> Any:
    """Return the two numbers from `at` on of a vector in the first two lanes; the others hold anything."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _place(context, builder, sig.args[0], args[0], args[1])
        two = builder.load(builder.bitcast(place, _two.as_pointer()), align=8)
        return _shuffled(builder, two, ir.Constant(_two, ir.Undefined), [0, 1, 2, 3])

    return _lanes(array, types.int64), code


@_intrinsic
def store_two(typing: Any, array: Any, at: Any, value: Any) -> Any:
    """Write the first two lanes to the two places from `at` on of a vector."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _place(context, builder, sig.args[0], args[0], args[1])
        two = _shuffled(builder, args[2], ir.Constant(_vector, ir.Undefined), [0, 1])
        builder.store(two, builder.bitcast(place, _two.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, _lanes), code


@_intrinsic
def lanes_of(typing: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return lanes that hold these four numbers."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        out = ir.Constant(_vector, ir.Undefined)
        for lane, number in enumerate(args):
            out = builder.insert_element(out, number, ir.Constant(_i32, lane))
        return out

    return _lanes(types.float64, types.float64, types.float64, types.float64), code


@_intrinsic
def turned(typing: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the first lanes of all four, then the second ones, and so on: four lanes."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return cgutils.pack_array(builder, _turned(builder, list(args)))

    return _quarter(_lanes, _lanes, _lanes, _lanes), code


@_intrinsic
def join(typing: Any, a: Any, b: Any) -> Any:
    """Return the first two lanes of a, then those of b."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _shuffled(builder, args[0], args[1], [0, 1, 4, 5])

    return _lanes(_lanes, _lanes), code


@_intrinsic
def upper_two(typing: Any, a: Any) -> Any:
    """Return the last two lanes in the place of the first two; the others hold anything."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _shuffled(builder, args[0], args[0], [2, 3, 2, 3])

    return _lanes(_lanes), code


@_intrinsic
def total(typing: Any, a: Any) -> Any:
    """Return the sum of all lanes: of the first and third, and of the others."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        halves = builder.fadd(args[0], _shuffled(builder, args[0], args[0], [2, 3, 2, 3]))
        first, second = (builder.extract_element(halves, ir.Constant(_i32, k)) for k in range(2))
        return builder.fadd(first, second)

    return types.float64(_lanes), code


def _entries(context: Any, builder: Any, sig: Any, args: Any) -> list[Any]:
    """Return where array[stride * place + offset] stands for four places: what `load_each` takes."""
    out = []
    for place in cgutils.unpack_tuple(builder, args[1], LANES):
        index = builder.add(builder.mul(place, args[2]), args[3])
        out.append(_place(context, builder, sig.args[0], args[0], index))
    return out


@_intrinsic
def load_each(typing: Any, array: Any, places: Any, stride: Any, offset: Any) -> Any:
    """Return lanes with the numbers array[stride * place + offset] for four places (a tuple)."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        out = ir.Constant(_vector, ir.Undefined)
        for lane, entry in enumerate(_entries(context, builder, sig, args)):
            out = builder.insert_element(out, builder.load(entry), ir.Constant(_i32, lane))
        return out

    return _lanes(array, _places, types.int64, types.int64), code


@_intrinsic
def load_turned(typing: Any, array: Any, places: Any, stride: Any, offset: Any) -> Any:
    """Return the four numbers from array[stride * place + offset] on, each place in a lane: four lanes."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        entries = _entries(context, builder, sig, args)
        rows = [builder.load(_wide(builder, entry), align=8) for entry in entries]
        return cgutils.pack_array(builder, _turned(builder, rows))

    return _quarter(array, _places, types.int64, types.int64), code


@_intrinsic
def square_root(typing: Any, a: Any) -> Any:
    """Return the square root of each lane."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _called("sqrt", builder, args)

    return _lanes(_lanes), code


@_intrinsic
def absolute(typing: Any, a: Any) -> Any:
    """Return each lane without its sign."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _called("fabs", builder, args)

    return _lanes(_lanes), code


def _select(relation: str) -> Callable[..., Any]:
    """Return the code of a choice by a relation, which does not hold where a number is nan."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(relation, args[0], args[1]), args[2], args[3])

    return code


@_intrinsic
def select_greater(typing: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return in each lane x where a > b, else y."""
    return _lanes(_lanes, _lanes, _lanes, _lanes), _select(">")


@_intrinsic
def select_not_greater(typing: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return in each lane x where a <= b, else y."""
    return _lanes(_lanes, _lanes, _lanes, _lanes), _select("<=")


@_intrinsic
def select_equal(typing: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return in each lane x where a equals b, else y."""
    return _lanes(_lanes, _lanes, _lanes, _lanes), _select("==")


@_intrinsic
def largest(typing: Any, a: Any) -> Any:
    """Return the largest number of all lanes; one that is nan counts only in the first lane."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found = builder.extract_element(args[0], ir.Constant(_i32, 0))
        for lane in range(1, LANES):
            number = builder.extract_element(args[0], ir.Constant(_i32, lane))
            found = builder.select(builder.fcmp_ordered(">", number, found), number, found)
        return found

    return types.float64(_lanes), code


@_intrinsic
def numbers(typing: Any, a: Any) -> Any:
    """Return the numbers of all lanes."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        parts = [builder.extract_element(args[0], ir.Constant(_i32, lane)) for lane in range(LANES)]
        return cgutils.pack_array(builder, parts)

    return types.UniTuple(types.float64, LANES)(_lanes), code


def _record_places(context: Any, builder: Any, sig: Any, args: Any) -> list[Any]:
    """Return where the records of the four lanes begin."""
    places = []
    for lane in range(LANES):
        at = builder.add(args[2], ir.Constant(_i64, lane))
        number = builder.load(_place(context, builder, sig.args[1], args[1], at))
        begin = builder.mul(number, ir.Constant(_i64, RECORD))
        places.append(_place(context, builder, sig.args[0], args[0], begin))
    return places


def _half(builder: Any, place: Any, half: int) -> Any:
    return _wide(builder, builder.gep(place, [ir.Constant(_i64, LANES * half)]))


@_intrinsic
def gather(typing: Any, records: Any, numbers: Any, at: Any) -> Any:
    """Return the records of the four numbers from `at` on: one lane each, as many lanes as a record has."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        places = _record_places(context, builder, sig, args)
        out = []
        for half in range(2):
            rows = [builder.load(_half(builder, place, half), align=8) for place in places]
            out += _turned(builder, rows)
        return cgutils.pack_array(builder, out)

    return _record(records, numbers, types.int64), code


@_intrinsic
def scatter(typing: Any, records: Any, numbers: Any, at: Any, values: Any) -> Any:
    """Write a record for each lane, in the form that `gather` returns."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = cgutils.unpack_tuple(builder, args[3], RECORD)
        places = _record_places(context, builder, sig, args)
        for half in range(2):
            rows = _turned(builder, values[LANES * half : LANES * (half + 1)])
            for place, row in zip(places, rows, strict=True):
                builder.store(row, _half(builder, place, half), align=8)
        return context.get_dummy_value()

    return types.void(records, numbers, types.int64, _record), code

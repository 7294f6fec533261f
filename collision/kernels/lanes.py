"""Four or eight numbers at once: types of kernels over the vector registers of the processor.

Lanes hold four float64 numbers, or `WIDE` of them, one of each of so many independent problems. `+ - * /` and
the functions below work on each lane as their scalar forms do, rounding included, so that a problem has the
same solution in whichever lane it is computed, and of how many. The compiler is handed vectors, and does not
have to find a loop to make them of; a processor without such registers gets several instructions for one.

Lanes live within kernels: an array of them is an array of float64, those of one kind side by side.
All of it stands at the level of the module: what is made within functions numba does not find on disk again.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.registry import cpu_target
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

__all__ = [
    "FOUR_LANES",
    "LANES",
    "WIDE",
    "WIDE_LANES",
    "LanesType",
    "absolute",
    "join",
    "lanes_of",
    "largest",
    "load",
    "load_two",
    "load_wide",
    "numbers",
    "place_of",
    "read_vector",
    "select_equal",
    "select_greater",
    "select_not_greater",
    "shuffled",
    "splat",
    "splat_wide",
    "square_root",
    "store",
    "store_two",
    "total",
    "transposed",
    "turned",
    "upper_two",
    "vector_of",
    "write_vector",
]

LANES = 4
# Lanes of what has more problems than that: as many as a register of the processor holds. Where that is four,
# eight in two of its sixteen registers each cost more, by what does not fit into these, than they save.
WIDE = 8 if "+avx512f" in cpu_target.target_context.codegen().magic_tuple()[2] else LANES

_intrinsic: Any = intrinsic  # whose first parameter, the context of types, its callers do not see


class LanesType(types.Type):
    """So many float64 numbers."""

    def __init__(self, count: int) -> None:
        super().__init__(name=f"Lanes({count})")
        self.count = count


FOUR_LANES, WIDE_LANES = LanesType(LANES), LanesType(WIDE)
_kinds = tuple({kind.count: kind for kind in (FOUR_LANES, WIDE_LANES)}.values())
_quarter = types.UniTuple(FOUR_LANES, LANES)
_vector = ir.VectorType(ir.DoubleType(), LANES)
_two = ir.VectorType(ir.DoubleType(), 2)
_i32, _i64 = ir.IntType(32), ir.IntType(64)


def vector_of(count: int) -> Any:
    """Return LLVM's type of so many numbers."""
    return ir.VectorType(ir.DoubleType(), count)


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, vector_of(kind.count))


@infer_global(operator.add)
@infer_global(operator.sub)
@infer_global(operator.mul)
@infer_global(operator.truediv)
class _Arithmetic(ConcreteTemplate):
    cases = tuple(signature(kind, kind, kind) for kind in _kinds)


def shuffled(builder: Any, a: Any, b: Any, order: list[int]) -> Any:
    """Return the vector of the numbers at these places of a followed by b."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_i32, len(order)), order))


def _spread(builder: Any, number: Any, count: int) -> Any:
    """Return a vector that holds a number so many times."""
    nothing = ir.Constant(vector_of(count), ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(_i32, 0))
    return shuffled(builder, first, nothing, [0] * count)


def _lower(operation: Any, name: str) -> None:
    """Teach numba an operation between lanes by its name in LLVM."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, name)(*args)

    for kind in _kinds:
        lower_builtin(operation, kind, kind)(code)


_lower(operator.add, "fadd")
_lower(operator.sub, "fsub")
_lower(operator.mul, "fmul")
_lower(operator.truediv, "fdiv")


def transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Return the transpose of four vectors of four numbers."""
    a, b, c, d = rows
    low, high = [0, 4, 2, 6], [1, 5, 3, 7]
    p, q = shuffled(builder, a, b, low), shuffled(builder, a, b, high)
    r, s = shuffled(builder, c, d, low), shuffled(builder, c, d, high)
    low, high = [0, 1, 4, 5], [2, 3, 6, 7]
    return [
        shuffled(builder, p, r, low),
        shuffled(builder, q, s, low),
        shuffled(builder, p, r, high),
        shuffled(builder, q, s, high),
    ]


def place_of(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Return where the number at `index` of a vector stands."""
    return builder.gep(context.make_array(kind)(context, builder, array).data, [index])


def read_vector(builder: Any, place: Any, count: int) -> Any:
    """Return the numbers that stand at a place, as a vector."""
    return builder.load(builder.bitcast(place, vector_of(count).as_pointer()), align=8)


def write_vector(builder: Any, vector: Any, place: Any) -> None:
    """Write a vector to a place."""
    builder.store(vector, builder.bitcast(place, vector.type.as_pointer()), align=8)


def _called(name: str, builder: Any, args: Any) -> Any:
    """Call a function of LLVM on lanes."""
    vector = args[0].type
    kind = ir.FunctionType(vector, [vector] * len(args))
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{vector.count}f64")
    return builder.call(function, args)


def _code_of_splat(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _spread(builder, args[0], sig.return_type.count)


@_intrinsic
def splat(typing: Any, number: Any) -> Any:
    """Return four lanes that all hold a number."""
    return FOUR_LANES(types.float64), _code_of_splat


@_intrinsic
def splat_wide(typing: Any, number: Any) -> Any:
    """Return `WIDE` lanes that all hold a number."""
    return WIDE_LANES(types.float64), _code_of_splat


def _code_of_load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    place = place_of(context, builder, sig.args[0], args[0], args[1])
    return read_vector(builder, place, sig.return_type.count)


@_intrinsic
def load(typing: Any, array: Any, at: Any) -> Any:
    """Return the four numbers from `at` on of a vector."""
    return FOUR_LANES(array, types.int64), _code_of_load


@_intrinsic
def load_wide(typing: Any, array: Any, at: Any) -> Any:
    """Return the `WIDE` numbers from `at` on of a vector."""
    return WIDE_LANES(array, types.int64), _code_of_load


@_intrinsic
def store(typing: Any, array: Any, at: Any, value: Any) -> Any:
    """Write lanes to as many places from `at` on of a vector."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        write_vector(builder, args[2], place_of(context, builder, sig.args[0], args[0], args[1]))
        return context.get_dummy_value()

    return types.void(array, types.int64, value), code


@_intrinsic
def load_two(typing: Any, array: Any, at: Any) -> Any:
    """Return the two numbers from `at` on of a vector in the first two lanes; the others hold anything."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = place_of(context, builder, sig.args[0], args[0], args[1])
        two = builder.load(builder.bitcast(place, _two.as_pointer()), align=8)
        return shuffled(builder, two, ir.Constant(_two, ir.Undefined), [0, 1, 2, 3])

    return FOUR_LANES(array, types.int64), code


@_intrinsic
def store_two(typing: Any, array: Any, at: Any, value: Any) -> Any:
    """Write the first two lanes to the two places from `at` on of a vector."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = place_of(context, builder, sig.args[0], args[0], args[1])
        two = shuffled(builder, args[2], ir.Constant(_vector, ir.Undefined), [0, 1])
        builder.store(two, builder.bitcast(place, _two.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, FOUR_LANES), code


@_intrinsic
def lanes_of(typing: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return lanes that hold these four numbers."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        out = ir.Constant(_vector, ir.Undefined)
        for lane, number in enumerate(args):
            out = builder.insert_element(out, number, ir.Constant(_i32, lane))
        return out

    return FOUR_LANES(types.float64, types.float64, types.float64, types.float64), code


@_intrinsic
def turned(typing: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the first lanes of all four, then the second ones, and so on: four lanes."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return cgutils.pack_array(builder, transposed(builder, list(args)))

    return _quarter(FOUR_LANES, FOUR_LANES, FOUR_LANES, FOUR_LANES), code


@_intrinsic
def join(typing: Any, a: Any, b: Any) -> Any:
    """Return the first two lanes of a, then those of b."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return shuffled(builder, args[0], args[1], [0, 1, 4, 5])

    return FOUR_LANES(FOUR_LANES, FOUR_LANES), code


@_intrinsic
def upper_two(typing: Any, a: Any) -> Any:
    """Return the last two lanes in the place of the first two; the others hold anything."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return shuffled(builder, args[0], args[0], [2, 3, 2, 3])

    return FOUR_LANES(FOUR_LANES), code


@_intrinsic
def total(typing: Any, a: Any) -> Any:
    """Return the sum of all lanes: of the first and third, and of the others."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        halves = builder.fadd(args[0], shuffled(builder, args[0], args[0], [2, 3, 2, 3]))
        first, second = (builder.extract_element(halves, ir.Constant(_i32, k)) for k in range(2))
        return builder.fadd(first, second)

    return types.float64(FOUR_LANES), code


@_intrinsic
def square_root(typing: Any, a: Any) -> Any:
    """Return the square root of each lane."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _called("sqrt", builder, args)

    return a(a), code


@_intrinsic
def absolute(typing: Any, a: Any) -> Any:
    """Return each lane without its sign."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _called("fabs", builder, args)

    return a(a), code


def _select(relation: str) -> Callable[..., Any]:
    """Return the code of a choice by a relation, which does not hold where a number is nan."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(relation, args[0], args[1]), args[2], args[3])

    return code


@_intrinsic
def select_greater(typing: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return in each lane x where a > b, else y."""
    return x(a, a, x, x), _select(">")


@_intrinsic
def select_not_greater(typing: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return in each lane x where a <= b, else y."""
    return x(a, a, x, x), _select("<=")


@_intrinsic
def select_equal(typing: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return in each lane x where a equals b, else y."""
    return x(a, a, x, x), _select("==")


@_intrinsic
def largest(typing: Any, a: Any) -> Any:
    """Return the largest number of all lanes; one that is nan counts only in the first lane."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found = builder.extract_element(args[0], ir.Constant(_i32, 0))
        for lane in range(1, sig.args[0].count):
            number = builder.extract_element(args[0], ir.Constant(_i32, lane))
            found = builder.select(builder.fcmp_ordered(">", number, found), number, found)
        return found

    return types.float64(a), code


@_intrinsic
def numbers(typing: Any, a: Any) -> Any:
    """Return the numbers of all lanes."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        lanes = range(sig.args[0].count)
        return cgutils.pack_array(
            builder, [builder.extract_element(args[0], ir.Constant(_i32, k)) for k in lanes]
        )

    return types.UniTuple(types.float64, a.count)(a), code

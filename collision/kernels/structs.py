"""Groups of arrays that kernels take as one pointer.

Numba passes a tuple of arrays by value: seven numbers and more per array, a thousand for a whole system,
which are copied at each call and which LLVM has to see through again in each caller. A `Struct` is an object
for Python, and for kernels the address of a table with where its arrays begin and how long they are:

    class Bodies(Struct):
        positions: Annotated[Floats, "bodies", 3]  # [m]
        masses: Annotated[Floats, "bodies"]  # [kg]

    bodies = Bodies.zeros(bodies=10)

An array that is replaced is entered in the table, nothing else is done per call. The table does not change
while a kernel runs, which LLVM is told (`invariant.load`): such a load leaves the loops. A kernel must return
no array of a struct: it has no owner there.
"""

import hashlib
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)
from numba.np.arrayobj import make_array, populate_array

from stoss.collision.kernels.addresses import address_of
from stoss.collision.kernels.types import ArrayField, numba_type

__all__ = ["Struct", "StructType", "axis_length"]

_WORD = 8  # bytes

Fields = tuple[tuple[str, types.Type, tuple[int, ...]], ...]


class StructType(types.Type):
    """What kernels know of a class of structs: at which word of the table each field begins."""

    def __init__(self, module: str, name: str, fields: Fields) -> None:
        # What is on disk must not serve a struct that changed: the name of the type tells them apart.
        told = repr((module, [(field, str(kind), inner) for field, kind, inner in fields]))
        super().__init__(name=f"{name}.{hashlib.sha1(told.encode()).hexdigest()[:8]}")
        self.struct: type[Struct] = Struct
        self.places: dict[str, tuple[int, types.Type, tuple[int, ...]]] = {}
        self.words = 0
        for field, kind, inner in fields:
            self.places[field] = self.words, kind, inner
            self.words += 1 + (kind.ndim - len(inner) if isinstance(kind, types.Array) else 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return _type_of, (self.struct.__module__, self.struct.__qualname__)


def _type_of(module: str, name: str) -> StructType:
    return getattr(import_module(module), name)._numba_type_


@dataclass_transform()
class Struct:
    """Base of structs: annotate the fields, see the module and `types`.

    A field is an array, another struct, or an `int`, `float` or `bool`.
    """

    _numba_type_: ClassVar[StructType]
    _fields: ClassVar[tuple[str, ...]] = ()
    _arrays: ClassVar[dict[str, ArrayField]] = {}
    _places: ClassVar[dict[str, int]] = {}
    # of each field: its place, and of an array the number of axes, the lengths of the inner ones and the type
    _forms: ClassVar[dict[str, tuple[int, int, tuple[int, ...], np.dtype | None]]] = {}
    _address: ClassVar[int]  # of each struct its own

    def __init_subclass__(cls) -> None:
        fields, arrays = [], {}
        for name, annotation in cls.__annotations__.items():
            array = ArrayField.of(annotation)
            if array is not None:
                arrays[name] = array
            fields.append((name, numba_type(annotation), array.inner if array is not None else ()))
        kind = StructType(cls.__module__, cls.__name__, tuple(fields))
        kind.struct = cls
        cls._numba_type_ = kind
        cls._fields = tuple(cls.__annotations__)
        cls._arrays = arrays
        cls._places = {name: place for name, (place, _, _) in kind.places.items()}
        cls._forms = {name: (place, 0, (), None) for name, place in cls._places.items()}
        for name, array in arrays.items():
            cls._forms[name] = cls._places[name], len(array.axes), array.inner, array.dtype

    def __init__(self, *values: Any, **named: Any) -> None:
        kind = type(self)
        if len(values) > len(kind._fields):
            raise TypeError(f"{kind.__name__} takes {len(kind._fields)} fields, not {len(values)}")
        words = np.zeros(kind._numba_type_.words, np.int64)
        self.__dict__["_words"] = words
        self.__dict__["_address"] = address_of(words)
        given = dict(zip(kind._fields, values, strict=False)) | named
        if len(given) != len(values) + len(named) or len(given) != len(kind._fields):
            wrong = set(kind._fields).symmetric_difference(given)
            raise TypeError(f"{kind.__name__}: fields that are missing, unknown or given twice: {wrong}")
        for name, value in given.items():
            setattr(self, name, value)

    @classmethod
    def zeros(cls, **lengths: int) -> Self:
        """Return a struct of arrays of zeros, structs of such, and numbers that are zero.

        Args:
            **lengths: of the axes, by name; an axis that is not named has none.
        """
        out: list[Any] = []
        for name in cls._fields:
            array = cls._arrays.get(name)
            if array is None:
                kind = cls._numba_type_.places[name][1]
                out.append(kind.struct.zeros(**lengths) if isinstance(kind, StructType) else 0)
            else:
                shape = [axis_length(axis, lengths) for axis in array.axes]
                out.append(np.zeros(shape, array.dtype))
        return cls(*out)

    def __setattr__(self, name: str, value: Any) -> None:
        place, shape, inner, dtype = self._forms[name]
        known = self.__dict__
        if dtype is not None:
            actual = value.shape
            if (
                len(actual) != shape
                or (inner and actual[-len(inner) :] != inner)
                or value.dtype is not dtype
                and value.dtype != dtype
                or not value.flags.c_contiguous
            ):
                raise TypeError(self._mistaken(name, value))
            words = known["_words"]
            words[place] = address_of(value)
            for axis in range(shape - len(inner)):
                words[place + 1 + axis] = actual[axis]
            if "_memory" in known:
                known["_seen"].add(name)
        else:
            self._set_other(place, name, value)
        known[name] = value

    def _mistaken(self, name: str, value: np.ndarray) -> str:
        kind, array = type(self).__name__, self._arrays[name]
        return f"{kind}.{name}: {value.dtype} {value.shape} is not {array.dtype} {array.axes}, C order"

    def _set_other(self, place: int, name: str, value: Any) -> None:
        """Enter a struct or a number in the table."""
        words, kind = self.__dict__["_words"], self._numba_type_.places[name][1]
        if isinstance(value, Struct):
            if kind is not type(value)._numba_type_:
                raise TypeError(f"{type(self).__name__}.{name}: {type(value).__name__} is another struct")
            words[place] = value._address
        elif kind is types.float64:
            words.view(np.float64)[place] = value
        else:
            words[place] = value

    def show(self, memory: "Struct", names: frozenset[str], words: np.ndarray, lengths: np.ndarray) -> None:
        """Let some arrays be the beginnings of those of `memory`, where they begin already.

        Kernels are told at once, by `lengths` in `words` of the table. The views of Python, of which a step
        looks at few, are made when they are first looked at.
        """
        known = self.__dict__
        known["_words"][words] = lengths
        seen = known.get("_seen")
        if seen is None:
            seen = known["_seen"] = set(self._arrays)
        known["_memory"] = memory
        for name in seen & names:
            del known[name]
        seen -= names

    def follow(self, memory: "Struct", names: frozenset[str]) -> None:
        """Let some arrays always be as long as kernels say: the beginnings of those of `memory`.

        Their views are made whenever they are looked at.
        """
        known = self.__dict__
        known["_memory"], known["_following"] = memory, known.get("_following", frozenset()) | names
        known["_seen"] = known.get("_seen", set(self._arrays)) - names
        for name in names:
            del known[name]

    def move(self, name: str, memory: np.ndarray) -> None:
        """Tell kernels that an array begins elsewhere."""
        self.__dict__["_words"][type(self)._places[name]] = address_of(memory)

    if not TYPE_CHECKING:  # which knows the fields by their annotations

        def __getattr__(self, name: str) -> Any:
            """Return an array that is looked at for the first time since `show`, or that has to `follow`."""
            known, place = self.__dict__, type(self)._places.get(name)
            if place is None or "_memory" not in known:
                raise AttributeError(f"{type(self).__name__} has no {name}")
            view = getattr(known["_memory"], name)[: known["_words"][place + 1]]
            if name not in known.get("_following", ()):
                known[name] = view
                known["_seen"].add(name)
            return view

    def address_of_words(self, words: np.ndarray) -> np.ndarray:
        """Return the addresses of some words of the table."""
        return self._address + _WORD * words

    def set_words(self, words: np.ndarray, values: np.ndarray) -> None:
        """Set some words of the table: lengths of arrays that `follow`."""
        self.__dict__["_words"][words] = values

    def point(self, name: str, struct: "Struct") -> None:
        """Let a field that is a struct be another one of the same class, without a look at which."""
        self.__dict__["_words"][type(self)._places[name]] = struct._address
        self.__dict__[name] = struct

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, name) for name in self._fields])

    def items(self) -> list[tuple[str, Any]]:
        """Return names and values of the fields."""
        return [(name, getattr(self, name)) for name in self._fields]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self)

    def __repr__(self) -> str:
        lengths = {
            axis: getattr(self, name).shape[k]
            for name, array in self._arrays.items()
            for k, axis in enumerate(array.axes)
            if isinstance(axis, str) and axis
        }
        return f"{type(self).__name__}({', '.join(f'{axis}={n}' for axis, n in lengths.items())})"

    def copy(self) -> Self:
        """Return a struct with copies of the arrays, and of those of inner structs."""
        return type(self)(*(v.copy() if isinstance(v, np.ndarray | Struct) else v for v in self))

    def pick(self, index: np.ndarray) -> Self:
        """Return copies of the entries chosen along the first axis of all arrays: by indices, or a mask."""
        return type(self)(*(field[index] for field in self))

    def joined(self, other: Self) -> Self:
        """Return the entries of both along the first axis of all arrays, those of `other` last."""
        return type(self)(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))

    def replace(self, **changes: Any) -> Self:
        """Return a struct that shares all but some fields."""
        return type(self)(**(dict(self.items()) | changes))

    def update(self, *values: Any) -> None:
        """Take over values of the fields, most of them the present ones: quicker than a new struct."""
        known = self.__dict__
        for name, value in zip(self._fields, values, strict=True):
            if known.get(name) is not value:
                setattr(self, name, value)

    @classmethod
    def word_of(cls, field: str) -> int:
        """Return at which word of the table a field begins: an array where it lies, its length behind."""
        return cls._places[field]

    @classmethod
    def array_fields(cls) -> dict[str, ArrayField]:
        """Return how the fields that are arrays were declared, by name."""
        return cls._arrays

    @classmethod
    def axis_names(cls) -> list[str]:
        """Return the names of the open axes."""
        named = (axis for field in cls._arrays.values() for axis in field.axes if isinstance(axis, str))
        return list(dict.fromkeys(axis.partition("+")[0] for axis in named))


def axis_length(axis: str | int, lengths: dict[str, int]) -> int:
    """Return the length of an axis: `rows` or `rows+1` by the number of rows."""
    if isinstance(axis, int):
        return axis
    name, _, more = axis.partition("+")
    return lengths.get(name, 0) + int(more or 0)


register_model(StructType)(models.OpaqueModel)


@infer_getattr
class _StructAttributes(AttributeTemplate):
    key = StructType

    def generic_resolve(self, value: Any, attr: str) -> Any:  # type: ignore[override]
        found = value.places.get(attr)
        return None if found is None else found[1]


@lower_getattr_generic(StructType)
def _read(context: Any, builder: Any, kind: StructType, pointer: Any, name: str) -> Any:
    """Load a field of a struct: a number, the address of another struct, or an array without an owner."""
    place, field, inner = kind.places[name]
    never_changes = builder.module.add_metadata([])
    integer = context.get_value_type(types.intp)

    def word(index: int, of: Any) -> Any:
        at = builder.gep(pointer, [ir.Constant(ir.IntType(64), _WORD * index)])
        value = builder.load(builder.bitcast(at, of.as_pointer()))
        value.set_metadata("invariant.load", never_changes)
        return value

    if isinstance(field, StructType):
        return word(place, cgutils.voidptr_t)
    if field == types.boolean:
        return builder.icmp_unsigned("!=", word(place, integer), ir.Constant(integer, 0))
    if not isinstance(field, types.Array):
        return word(place, context.get_value_type(field))
    item = context.get_data_type(field.dtype)
    size = context.get_abi_sizeof(item)
    shape = [word(place + 1 + axis, integer) for axis in range(field.ndim - len(inner))]
    shape += [ir.Constant(integer, n) for n in inner]
    strides = [ir.Constant(integer, size)]
    for n in shape[:0:-1]:
        known = isinstance(n, ir.Constant) and isinstance(strides[0], ir.Constant)
        stride = (
            ir.Constant(integer, n.constant * strides[0].constant)
            if known
            else builder.mul(strides[0], n, flags=["nsw"])
        )
        strides.insert(0, stride)
    array = make_array(field)(context, builder)
    populate_array(
        array,
        data=word(place, item.as_pointer()),
        shape=shape,
        strides=strides,
        itemsize=ir.Constant(integer, size),
        meminfo=None,
    )
    return array._getvalue()


@unbox(StructType)
def _unbox(kind: StructType, value: Any, c: Any) -> NativeValue:
    """Take the address that a struct keeps."""
    number = c.pyapi.object_getattr_string(value, "_address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    return NativeValue(c.builder.inttoptr(address, cgutils.voidptr_t), is_error=failed)

"""Objects as plain values and arrays, and back: by the fields that their classes declare, so without code.

Which classes there may be follows from the annotations of one of them, and of theirs: dataclasses, named
tuples, structs of arrays, and subclasses of stoss. Nothing else is made of a file, whatever it names. A class
that is none of these says what it is made of: `plain_fields`, names and annotations, and `from_plain`.

A value is written as JSON: numbers, texts and nothing as they are; what JSON does not know as an object with
one entry, `{"tuple": [...]}`. Arrays and objects are numbered, since several may share one: `{"ref": 5}`.
"""

import dataclasses
from collections.abc import Iterable
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import numpy as np

from stoss.collision.kernels.structs import Struct, StructType
from stoss.declared import check

__all__ = ["DTYPES", "Classes", "Reader", "Writer"]

DTYPES = tuple(np.dtype(name) for name in ("bool", "int64", "uint64", "int32", "uint8", "float64", "float32"))
_SEQUENCES: dict[str, type] = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}
_ODD_NUMBERS = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}


class Classes:
    """The classes that may be written and read.

    Args:
        root: the class of what is written.
        more: classes of the user, whose bases are among them.

    Attributes:
        by_name: the classes.
        fields: of each class, names and annotations.
    """

    def __init__(self, root: type, more: Iterable[type] = ()) -> None:
        self.by_name: dict[str, type] = {}
        self.fields: dict[type, dict[str, Any]] = {}
        self._add(root)
        for kind in more:
            if not any(base in self.fields for base in kind.__mro__[1:]):
                raise TypeError(f"{kind!r} is no kind of what {root.__name__} holds, such as a JointKind")
            self._add(kind)

    def _add(self, kind: type) -> None:
        if kind in self.fields:
            return
        fields = fields_of(kind)
        if fields is None:
            raise TypeError(f"{kind.__qualname__} declares no fields: plain_fields, or make it a dataclass")
        if kind.__name__ in self.by_name:
            raise TypeError(f"there are two classes named {kind.__name__}")
        self.by_name[kind.__name__] = kind
        self.fields[kind] = fields
        for declared in fields.values():
            for one in _classes_in(declared):
                self._add(one)
        subclasses: list[type] = kind.__subclasses__()
        for subclass in subclasses:
            if subclass.__module__.startswith("stoss."):
                self._add(subclass)


def fields_of(kind: type) -> dict[str, Any] | None:
    """Return names and annotations of what an object of a class is made of, None if it does not say."""
    given: dict[str, Any] | None = getattr(kind, "plain_fields", None)
    if given is not None:
        return given
    if issubclass(kind, Struct):
        places = kind._numba_type_.places
        inner = {name: place[1] for name, place in places.items()}
        return {n: one.struct if isinstance(one, StructType) else Any for n, one in inner.items()}
    if dataclasses.is_dataclass(kind):
        names = {field.name for field in dataclasses.fields(kind)}
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        names = set(kind._fields)
    else:
        return None
    return {name: one for name, one in get_type_hints(kind).items() if name in names}


def _classes_in(declared: Any) -> Iterable[type]:
    """Return the classes of ours that an annotation names."""
    if get_origin(declared) in (ClassVar, Literal):
        return
    if get_args(declared):
        for one in get_args(declared):
            yield from _classes_in(one)
    elif isinstance(declared, type) and declared.__module__.startswith("stoss."):
        yield declared


class Writer:
    """Turn objects into plain values.

    Args:
        classes: which there may be.

    Attributes:
        objects: what was numbered: arrays as dtype, shape and whether they may be written, others as class
            and fields.
        arrays: of each dtype, in their order.
    """

    def __init__(self, classes: Classes) -> None:
        self._classes = classes
        self.objects: list[Any] = []
        self.arrays: dict[str, list[np.ndarray]] = {}
        self._numbers: dict[int, int] = {}  # by identity
        self._held: list[Any] = []  # so that no identity is used twice

    def plain(self, value: Any) -> Any:
        """Return a value as JSON.

        Raises:
            TypeError: it holds an object of another class, which is named.
        """
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if np.isfinite(value) else {"number": str(value)}
        if isinstance(value, np.generic):
            return {"scalar": [self._dtype(value.dtype), self.plain(value.item())]}
        for name, kind in _SEQUENCES.items():
            if type(value) is kind:
                members: Any = value
                content = sorted(members) if "set" in name else members
                return {name: [self.plain(one) for one in content]}
        if type(value) is dict:
            return {"dict": [[self.plain(key), self.plain(one)] for key, one in value.items()]}
        if id(value) not in self._numbers:
            record = self._array(value) if isinstance(value, np.ndarray) else self._object(value)
            self._held.append(value)
            self._numbers[id(value)] = len(self.objects)
            self.objects.append(record)
        return {"ref": self._numbers[id(value)]}

    def _dtype(self, dtype: np.dtype[Any]) -> str:
        if dtype not in DTYPES:
            raise TypeError(f"arrays of {dtype} cannot be written")
        return dtype.name

    def _array(self, array: np.ndarray) -> Any:
        name = self._dtype(array.dtype)
        self.arrays.setdefault(name, []).append(np.ascontiguousarray(array).reshape(-1))
        return [name, list(array.shape), bool(array.flags.writeable)]

    def _object(self, value: Any) -> Any:
        kind = type(value)
        if kind not in self._classes.fields:
            raise TypeError(
                f"{kind.__module__}.{kind.__qualname__} cannot be written: it is no class of stoss; name it "
                "in classes=[...], and again when reading, or use pickle"
            )
        fields = {name: self.plain(getattr(value, name)) for name in self._classes.fields[kind]}
        return {"class": kind.__name__, "fields": fields}


class Reader:
    """Turn plain values into objects.

    Args:
        classes: which there may be.
        objects: what was numbered.
        arrays: of each dtype, one after the other.

    Raises:
        ValueError: anything that `Writer` does not write, names it.
    """

    def __init__(self, classes: Classes, objects: Any, arrays: dict[str, np.ndarray]) -> None:
        self._classes, self._arrays = classes, arrays
        self._used = dict.fromkeys(arrays, 0)
        self._made: list[Any] = []
        check("objects", objects, list[Any])
        for record in objects:
            self._made.append(self._array(record) if isinstance(record, list) else self._object(record))
        for name, used in self._used.items():
            if used != len(arrays[name]):
                raise ValueError(f"{len(arrays[name]) - used} values of {name} belong to nothing")

    def value(self, plain: Any) -> Any:
        """Return the value that JSON stands for."""
        if plain is None or isinstance(plain, bool | int | float | str):
            return plain
        if not isinstance(plain, dict) or len(plain) != 1:
            raise ValueError(f"{str(plain)[:40]!r} is no value")
        ((what, inner),) = plain.items()
        if what == "ref" and isinstance(inner, int) and 0 <= inner < len(self._made):
            return self._made[inner]
        if what in _SEQUENCES and isinstance(inner, list):
            return _SEQUENCES[what](self.value(one) for one in inner)
        if what == "dict" and isinstance(inner, list):
            return {self.value(key): self.value(one) for key, one in inner}
        if what == "number" and inner in _ODD_NUMBERS:
            return float(_ODD_NUMBERS[inner])
        if what == "scalar" and isinstance(inner, list) and len(inner) == 2:
            return self._dtype(inner[0]).type(self.value(inner[1]))
        raise ValueError(f"{str(plain)[:40]!r} is no value")

    @staticmethod
    def _dtype(name: Any) -> np.dtype[Any]:
        for dtype in DTYPES:
            if dtype.name == name:
                return dtype
        raise ValueError(f"there are no arrays of {name!r}")

    def _array(self, record: list[Any]) -> np.ndarray:
        if len(record) != 3 or not isinstance(record[1], list) or not isinstance(record[2], bool):
            raise ValueError(f"{str(record)[:40]} is no array")
        name, shape, writeable = record
        dtype = self._dtype(name)
        check("a shape", shape, list[int])
        length = 1
        for axis in shape:
            if isinstance(axis, bool) or not 0 <= axis < 2**48:
                raise ValueError(f"{shape} is no shape of an array")
            length *= axis
        data = self._arrays.get(name, np.zeros(0, dtype))
        begin = self._used.get(name, 0)
        if length > len(data) - begin:
            raise ValueError(f"an array of shape {shape} is longer than what is left of {name}")
        self._used[name] = begin + length
        out = data[begin : begin + length].copy().reshape(shape)
        out.flags.writeable = writeable
        return out

    def _object(self, record: Any) -> Any:
        check("an object", record, dict[str, Any])
        name, plain = record["class"], record["fields"]
        if len(record) != 2 or not isinstance(name, str) or name not in self._classes.by_name:
            raise ValueError(f"there is no class {str(name)[:60]!r} of stoss")
        kind = self._classes.by_name[name]
        declared = self._classes.fields[kind]
        check(f"fields of {name}", plain, dict[str, Any])
        for field in plain:
            if field not in declared:
                raise ValueError(f"{name} has no field {field!r}; it has {', '.join(declared)}")
        values = {field: self.value(one) for field, one in plain.items()}
        values |= {f: default for f, default in _defaults(kind).items() if f not in values}
        for field, one in declared.items():
            if field not in values:
                raise ValueError(f"{name}.{field} is missing")
            check(f"{name}.{field}", values[field], one)
        return _build(kind, values)


def _defaults(kind: type) -> dict[str, Any]:
    """Return the values of fields that files of before may leave out."""
    if dataclasses.is_dataclass(kind):
        fields, none = dataclasses.fields(kind), dataclasses.MISSING
        made = {f.name: f.default_factory() for f in fields if f.default_factory is not none}
        return made | {f.name: f.default for f in fields if f.default is not none}
    return dict(getattr(kind, "_field_defaults", {}))


def _build(kind: Any, values: dict[str, Any]) -> Any:
    """Return an object of a class with these fields, exactly, if its class takes them."""
    if hasattr(kind, "from_plain"):
        return kind.from_plain(**values)
    if issubclass(kind, Struct):
        out = kind(**values)
        _check_axes(out)
        return out
    if issubclass(kind, tuple):
        return kind(**values)
    made = _with_fields(kind, values)
    if hasattr(kind, "__post_init__"):
        # It checks. What it makes may differ in the last bit, where it divides by a length, and is without
        # what was derived in another order; so that is only looked at.
        _with_fields(kind, values).__post_init__()
    if hasattr(made, "check_restored"):
        made.check_restored()
    return made


def _with_fields(kind: type, values: dict[str, Any]) -> Any:
    made: Any = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def _check_axes(struct: Struct) -> None:
    """Raise ValueError unless the arrays of a struct agree on the lengths of its axes."""
    lengths: dict[str, int] = {}
    for name, field in struct.array_fields().items():
        for axis, length in zip(field.axes, getattr(struct, name).shape, strict=True):
            if isinstance(axis, str):
                axis, _, more = axis.partition("+")
                length -= int(more or 0)
                if lengths.setdefault(axis, length) != length or length < 0:
                    raise ValueError(f"{type(struct).__name__}.{name} has another length than the others")

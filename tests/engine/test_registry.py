"""The registry of bodies and joints: rows, keys, names and handles that come and go."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoss.engine.world.registry import Registry


@dataclass(frozen=True)
class Record:
    key: int
    name: str


class Handle:
    def __init__(self, record: Record) -> None:
        self._key = record.key
        self.name = record.name


def filled(names: str = "abcd") -> Registry[Record, Handle]:
    registry: Registry[Record, Handle] = Registry("thing", "things")
    for name in names:
        add(registry, name)
    return registry


def add(registry: Registry[Record, Handle], name: str | None = None) -> Handle:
    record = Record(registry.next_key, registry.new_name(name))
    handle = Handle(record)
    registry.append(record, handle)
    return handle


@given(st.lists(st.integers(-1, 9), max_size=40))
def test_rows_follow_what_is_added_and_removed(commands):
    """Agree with a plain list of handles after any additions (-1) and removals (which row)."""
    registry: Registry[Record, Handle] = Registry("thing", "things")
    plain: list[Handle] = []
    gone: list[Handle] = []
    for command in commands:
        if command < 0:
            plain.append(add(registry))
        elif command < len(plain):
            gone.append(plain.pop(command))
            assert registry.drop(command).key == gone[-1]._key
            assert not registry.has(gone[-1])
            assert registry.compact() == [command]
    assert registry.handles == plain and len(registry) == len(plain)
    assert [registry.row(handle) for handle in plain] == list(range(len(plain)))
    assert [registry.row_of_key(handle._key) for handle in plain] == list(range(len(plain)))
    assert [registry.named(handle.name) for handle in plain] == plain
    assert [record.key for record in registry.records] == [handle._key for handle in plain]
    assert not any(map(registry.has, gone))
    assert registry.next_key == len(plain) + len(gone)


def test_names():
    """Name a thing by its key unless it is given a name; refuse what is taken or no string; free a name."""
    registry = filled("ab")
    assert registry.new_name(None) == "thing 2" and registry.new_name("c") == "c"
    with pytest.raises(ValueError, match="'a' is taken by another thing; names of things are unique"):
        registry.new_name("a")
    with pytest.raises(TypeError, match="name = 3 must be a string"):
        registry.new_name(3)
    registry.drop(0)
    assert registry.new_name("a") == "a"


def test_unknown_names_and_handles():
    """Say what is near an unknown name, and refuse handles of others, also with a key that exists here."""
    registry, other = filled(["wheel", "axle"]), filled(["wheel", "axle"])
    with pytest.raises(KeyError, match="there is no thing 'whel' among 2; did you mean 'wheel'"):
        registry.named("whel")
    with pytest.raises(ValueError, match="thing 'axle' is not in this world"):
        registry.row(other.named("axle"))
    assert not registry.has(other.named("axle"))


def test_replaced_records_keep_the_handles_that_last():
    """Keep handles of records that are held already, make those that are missing, and drop the others."""
    registry = filled()
    saved, before = tuple(registry.records), list(registry.handles)
    registry.drop(1)
    registry.compact()
    late = add(registry, "late")
    assert not registry.holds(saved)
    registry.replace(saved, 4, Handle)
    assert registry.holds(saved) and registry.next_key == 4
    assert [registry.has(handle) for handle in before] == [True, False, True, True]
    assert registry.named("b").name == "b" and not registry.has(late)
    assert registry.new_name("late") == "late"

"""User integrals: numbers that follow a rate of the user's, advanced with the step."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import checks
from stoss.engine.world.exclusive import enters_world
from stoss.engine.world.handle import Handle
from stoss.engine.world.load_kind import IntegralRecord, UserCode
from stoss.engine.world.registry import Registry
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Integral", "IntegralStore"]


@closed
@enters_world("remove", light=("value",))
class Integral(Handle):
    """One user integral: its value follows the rate that a function of the user returns."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self._store.registry.has(self):
            return f"<Integral {self._name!r}, removed>"
        return f"<Integral {self._name!r} = {self.value}>"

    @property
    def _store(self) -> "IntegralStore":
        store = self._world._loads
        assert store is not None
        return store.integrals

    @property
    def value(self) -> Any:
        """The integral at the present time, a number or an array as `start` was; assign to set it."""
        row = self._store.registry.row(self)
        return self._store.shown(row, self._store.values[self._key])

    @value.setter
    def value(self, value: Any) -> None:
        self._store.registry.row(self)
        known = self._store.values[self._key]
        known[:] = checks.array(f"integral {self._name!r}: value", value, self._record.shape).reshape(-1)

    @property
    def rate(self) -> Any:
        """Return the rate in the last step, at its middle."""
        return self._store.shown(self._store.registry.row(self), self._store.rates[self._key])

    @property
    def _record(self) -> IntegralRecord:
        return self._store.registry.records[self._store.registry.row(self)]

    def remove(self) -> None:
        """Remove it; the handle becomes invalid."""
        self._store.remove(self)


class IntegralStore:
    """Keep the user integrals of a world.

    Args:
        world: whose they are.

    Attributes:
        registry: records, handles and names.
        values: at the present time, by the keys, flat.
        rates: of the last step.
    """

    def __init__(self, world: "World") -> None:
        self._world = world
        self.registry: Registry[IntegralRecord, Integral] = Registry("integral", "integrals")
        self.values: dict[int, np.ndarray] = {}
        self.rates: dict[int, np.ndarray] = {}
        self._half = 0.0  # [s] by which values of the middle of a step are ahead

    def add(self, name: Any, rate: UserCode, start: Any) -> Integral:
        """Add an integral; see `World.add_integral`."""
        own = self.registry.new_name(checks.text("name", name))
        array = checks.float_array(f"integral {own!r}: start", start, "a number, or an array of numbers")
        if not np.isfinite(array).all():
            raise ValueError(f"integral {own!r}: start = {checks.shown(start)} is not finite")
        record = IntegralRecord(self.registry.next_key, own, rate, array.shape)
        handle = self._handle(record)
        self.registry.append(record, handle)
        self.values[record.key] = array.reshape(-1).astype(np.float64)
        self.rates[record.key] = np.zeros(array.size)
        return handle

    def _handle(self, record: IntegralRecord) -> Integral:
        return Integral(self._world, record.key, record.name)

    def remove(self, integral: Integral) -> None:
        """Remove an integral."""
        record = self.registry.drop(self.registry.row(integral))
        self.registry.compact()
        del self.values[record.key], self.rates[record.key]

    def shown(self, row: int, flat: np.ndarray) -> Any:
        """Return a value as users see it: a number, or an array of the shape that was given."""
        shape = self.registry.records[row].shape
        return float(flat[0]) if shape == () else flat.reshape(shape).copy()

    def middle(self, name: str) -> Any:
        """Return the value at the middle of the step, by the rate of the last one.

        Raises:
            KeyError: there is none of that name.
        """
        handle = self.registry.named(name)
        flat = self.values[handle._key] + self._half * self.rates[handle._key]
        return self.shown(self.registry.row(handle), flat)

    def flat(self) -> np.ndarray:
        """Return all values at the middle of the step, one after the other."""
        parts = [self.values[r.key] + self._half * self.rates[r.key] for r in self.registry.records]
        return np.concatenate(parts) if parts else np.zeros(0)

    def begin(self, h: float) -> None:
        """Begin a step of length h [s]."""
        self._half = 0.5 * h

    def advance(self, row: int, rate: Any, h: float) -> None:
        """Take the rate of the middle of a step of length h [s], and go on by it."""
        key = self.registry.records[row].key
        self.rates[key] = rate
        self.values[key] = self.values[key] + h * rate

    def checked_rate(self, row: int, value: Any) -> np.ndarray:
        """Return the rate that a function returned, flat.

        Raises:
            TypeError, ValueError: no numbers, another shape, or not finite.
        """
        record = self.registry.records[row]
        return checks.array("the rate", value, record.shape).reshape(-1)

    def restore(
        self,
        records: Sequence[IntegralRecord],
        next_key: int,
        values: dict[int, np.ndarray],
        rates: dict[int, np.ndarray],
        handles: Sequence[Integral] | None,
    ) -> None:
        """Return to saved integrals; handles of those that lasted stay valid."""
        self.registry.replace(records, max(next_key, self.registry.next_key), self._handle, handles)
        self.values = {key: value.copy() for key, value in values.items()}
        self.rates = {key: value.copy() for key, value in rates.items()}

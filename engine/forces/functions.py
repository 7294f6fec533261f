"""Functions of users that are loads or rates of integrals: called in the middle of each step."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import checks
from stoss.engine.forces.arrays import Motion
from stoss.engine.forces.context import LoadContext
from stoss.engine.forces.motion import work_on_bodies
from stoss.engine.forces.user_loads import (
    CompiledContext,
    FunctionLoad,
    checked_function,
    compile_for,
    is_compiled,
    parameter_tuple,
    parameters_of,
)
from stoss.engine.world.load_kind import LoadKind, SavedLoads, UserCode

if TYPE_CHECKING:
    from stoss.engine.forces.store import LoadStore

__all__ = ["UserFunctions"]


class UserFunctions:
    """Call the functions of a world, and keep what they remember and gave.

    Args:
        store: the loads.

    Attributes:
        scratch: memory of the functions that are loads, by their keys.
        given: forces and torques (n, 6) that each gave in the last step.
        now: forces and torques (n, 3) that the present function gives.
    """

    def __init__(self, store: "LoadStore") -> None:
        self._store, self._world = store, store.world
        self.scratch: dict[int, np.ndarray] = {}
        self.given: dict[int, np.ndarray] = {}
        self.now = np.zeros((0, 3)), np.zeros((0, 3))
        self._known: dict[str, Any] = {}  # by the name of their load or integral
        self._kinds: dict[int, bool] = {}  # loads that are functions; whether numba compiled them
        self._tuples: dict[int, Any] = {}  # parameters of those, as they get them

    def __len__(self) -> int:
        """Return how many loads are functions."""
        return len(self._kinds)

    # ------------------------------------------------------------- coming and going

    def checked(self, function: Any, what: str, parameters: Any, scratch: Any) -> FunctionLoad:
        """Return a load of a function, which is compiled if numba is to."""
        checked_function(what, function)
        values = parameters_of(f"{what}: parameters", parameters)
        if scratch is None:
            memory = np.zeros(0)
        elif isinstance(scratch, int) and not isinstance(scratch, bool):
            memory = np.zeros(checks.whole(f"{what}: scratch", scratch))
        else:
            memory = checks.array(f"{what}: scratch", scratch, (-1,))
        kind = FunctionLoad(UserCode(function), values, memory)
        if is_compiled(function):
            compile_for(what, function, self._compiled_context(0.0, parameter_tuple(values), memory))
        return kind

    def learn(self, name: str, function: Any) -> None:
        """Keep a function for snapshots of files, which hold its name alone."""
        self._known[name] = function

    def take(self, key: int, kind: FunctionLoad, *, scratch: bool = True) -> None:
        """Take up a load, or what it is now, with the memory that it begins with."""
        self._kinds[key] = is_compiled(kind.code.function)
        self._tuples[key] = parameter_tuple(kind.parameters)
        if scratch:
            self.scratch[key] = kind.scratch.copy()

    def drop(self, key: int) -> None:
        """Let go of a load."""
        for of in (self._kinds, self._tuples, self.scratch, self.given):
            of.pop(key, None)

    @property
    def all(self) -> list[tuple[str, Any]]:
        """Return what they are, and the functions, of loads and integrals."""
        store = self._store
        loads = [(store.what(key), self._function(key)) for key in self._kinds]
        return loads + [
            (f"integral {record.name!r}", record.rate.function) for record in store.integrals.registry.records
        ]

    def _function(self, key: int) -> Any:
        kind = self._store.kinds[key]
        assert isinstance(kind, FunctionLoad)
        return kind.code.function

    # ------------------------------------------------------------- in a step

    def call(self, h: float, total: np.ndarray) -> None:
        """Call all functions, loads first, then rates of integrals, and add what they give to `total`.

        Args:
            h: length of the step [s].
            total: (n, 6) forces and torques.

        Raises:
            LoadError: one of them raised, or gave what is no number.
        """
        store, world = self._store, self._world
        records = store.integrals.registry.records
        if not self._kinds and not records:
            return
        count = world._all_bodies.table.count
        store.integrals.begin(h)
        context: LoadContext | None = None
        for key, compiled in self._kinds.items():
            given = self.given.get(key)
            if given is None or len(given) != count:
                given = self.given[key] = np.zeros((count, 6))
            given[:] = 0.0
            if not store.enabled[key]:
                continue
            self._clear(count)
            kind, scratch = store.kinds[key], self.scratch[key]
            assert isinstance(kind, FunctionLoad)
            if compiled:
                argument: Any = self._compiled_context(h, self._tuples[key], scratch)
            else:
                context = context or LoadContext(store, world.time, world.step_count)
                context._begin(store.what(key), kind.parameters, scratch)
                argument = context
            try:
                world._entry.call((kind.code.function,), argument)
            except Exception as error:
                raise store.failure(store.what(key), f"raised {type(error).__name__}: {error}") from error
            given[:, :3], given[:, 3:] = self.now
            self._check(key, given, scratch)
            total += given
        rates = []
        for row, record in enumerate(records):
            context = context or LoadContext(store, world.time, world.step_count)
            what = f"integral {record.name!r}"
            rates.append(self._rate(what, row, record.rate.function, context, h))
        for row, rate in enumerate(rates):
            store.integrals.advance(row, rate, h)

    def _clear(self, count: int) -> None:
        """Begin with no forces, on `count` bodies."""
        if len(self.now[0]) != count:
            self.now = np.zeros((count, 3)), np.zeros((count, 3))
        for array in self.now:
            array[:] = 0.0

    def _check(self, key: int, given: np.ndarray, scratch: np.ndarray) -> None:
        """Refuse what a function gave, if it is no number."""
        what, failure = self._store.what, self._store.failure
        if not np.isfinite(given).all():
            row = int(np.argmin(np.isfinite(given).all(axis=1)))
            body = self._world._all_bodies.handles[row].name
            numbers = given[row].tolist()
            raise failure(what(key), f"gave body {body!r} a force that is not finite: {numbers}")
        if len(scratch) and not np.isfinite(scratch).all():
            raise failure(what(key), f"left scratch = {scratch.tolist()}, which is not finite")

    def _rate(self, what: str, row: int, function: Any, context: LoadContext, h: float) -> np.ndarray:
        """Return the rate of an integral."""
        self._clear(self._world._all_bodies.table.count)  # which nobody takes
        argument: Any = context
        if is_compiled(function):
            argument = self._compiled_context(h, parameter_tuple({}), np.zeros(0))
        else:
            context._begin(what, {}, np.zeros(0))
        found: list[Any] = []
        try:
            self._world._entry.call((lambda one: found.append(function(one)),), argument)
            return self._store.integrals.checked_rate(row, found[0])
        except Exception as error:
            raise self._store.failure(what, f"raised {type(error).__name__}: {error}") from error

    def _compiled_context(self, h: float, parameters: Any, scratch: np.ndarray) -> CompiledContext:
        b = self._store.bodies
        return CompiledContext(
            float(self._world.time),
            float(h),
            int(self._world.step_count),
            b.positions,
            b.quaternions,
            b.velocities,
            b.angular_velocities,
            b.masses,
            parameters,
            self._store.integrals.flat(),
            scratch,
            *self.now,
        )

    # ------------------------------------------------------------- results

    def on_first(self, key: int) -> np.ndarray:
        """Return the sum (6,) of what a function gave to all bodies."""
        return np.asarray(self.given.get(key, np.zeros((0, 6))).sum(axis=0))

    def on_body(self, key: int, row: int) -> np.ndarray:
        """Return force and torque (6,) on a body."""
        given = self.given.get(key)
        return np.zeros(6) if given is None or row >= len(given) else given[row].copy()

    def add_wrenches(self, out: np.ndarray) -> None:
        """Add what all functions gave to each body in the last step to `out` (n, 6)."""
        for given in self.given.values():
            out[: len(given)] += given[: len(out)]

    def works(self, motion: Motion, h: float) -> Iterator[tuple[int, float]]:
        """Yield the work [J] of each function since a start h [s] ago."""
        for key, given in self.given.items():
            yield key, float(work_on_bodies(given, self._store.bodies, motion, h))

    # ------------------------------------------------------------- snapshots

    def with_functions(self, saved: SavedLoads) -> tuple[dict[int, LoadKind], tuple[Any, ...]]:
        """Return saved loads and integrals with their functions, which a file does not hold.

        Raises:
            ValueError: one is not known here.
        """
        names = {record.key: record.name for record in saved.records}
        kinds = {
            key: replace(kind, code=self._found(names[key], "load", kind.code))
            if isinstance(kind, FunctionLoad)
            else kind
            for key, kind in saved.kinds.items()
        }
        integrals = tuple(
            [replace(one, rate=self._found(one.name, "integral", one.rate)) for one in saved.integrals]
        )
        return kinds, integrals

    def _found(self, name: str, noun: str, code: UserCode) -> UserCode:
        """Return code with its function."""
        if code.function is not None:
            self._known[name] = code.function
            return code
        if name not in self._known:
            raise ValueError(
                f"{noun} {name!r} of the snapshot is the function {code.name}, which files do not hold; add "
                f"a load or an integral of that name to the world with the function, and restore again"
            )
        return UserCode(self._known[name])

    def begin_with(self, kinds: dict[int, LoadKind], states: dict[int, np.ndarray]) -> None:
        """Let other loads be the functions of the world, with what they remember."""
        self._kinds, self._tuples, self.scratch, self.given = {}, {}, {}, {}
        for key, kind in kinds.items():
            if isinstance(kind, FunctionLoad):
                self.take(key, kind)
                if key in states:
                    self.scratch[key] = states[key].copy()

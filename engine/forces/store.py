"""The loads of a world: which there are, what they are like, and what they gave."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import checks
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.forces.constant import ReadyLoad
from stoss.engine.forces.ends import by_handles, by_keys
from stoss.engine.forces.functions import UserFunctions
from stoss.engine.forces.integrals import Integral, IntegralStore
from stoss.engine.forces.load import Load
from stoss.engine.forces.rows import RowLoads, is_row
from stoss.engine.forces.saving import restore_loads, saved_loads
from stoss.engine.forces.stepping import LoadStep
from stoss.engine.forces.stick_slip import TOUCH_STATES, StickSlipContact
from stoss.engine.forces.table import LoadTable
from stoss.engine.forces.user_loads import FunctionLoad, checked_function, parameters_of
from stoss.engine.world.load_kind import End, JointEnd, LoadKind, LoadRecord, SavedLoads, UserCode
from stoss.engine.world.registry import Registry
from stoss.engine.world.report import LoadError

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["LoadStore"]


class LoadStore:
    """Keep the loads and the user integrals of a world.

    Implicit ones are rows for the solvers, explicit ready-made ones are rows of a table that kernels
    evaluate, and functions are called.

    Args:
        world: whose they are.

    Attributes:
        registry: records, handles and names of the loads.
        kinds: what they are, by their keys.
        enabled: which of them act.
        energies: [J] that they gave since they were added.
        works: [J] that they gave in the last step.
        integrals: the user integrals.
        rows, table, functions: those that are implicit, explicit, and functions.
        stepping: what is done in a step.
    """

    def __init__(self, world: "World") -> None:
        self.world = world
        self.registry: Registry[LoadRecord, Load] = Registry("load", "loads")
        self.kinds: dict[int, LoadKind] = {}
        self.enabled: dict[int, bool] = {}
        self.energies: dict[int, float] = {}
        self.works: dict[int, float] = {}
        self.integrals = IntegralStore(world)
        self.rows = RowLoads(world)
        self.table = LoadTable(self)
        self.functions = UserFunctions(self)
        self.stepping = LoadStep(self)

    @property
    def bodies(self) -> BodyArrays:
        """Return the arrays of the bodies."""
        return self.world._all_bodies.arrays

    @property
    def length(self) -> float:
        """Return the length of the present step [s]."""
        return self.stepping.length

    @property
    def is_new(self) -> bool:
        """Return whether there never was a load or an integral."""
        return self.registry.next_key == 0 and self.integrals.registry.next_key == 0

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to evaluate."""
        return len(self.kinds) == len(self.rows.places) and not self.integrals.values

    def arrange(self) -> None:
        """Put all loads in place, if bodies, joints or loads are others than before."""
        self.table.arrange()
        self.stepping.follow_bodies()

    # ------------------------------------------------------- coming and going

    def add(self, load: Any, name: Any, parameters: Any, scratch: Any) -> Load:
        """Add a load and return its handle; see `World.add_load`."""
        own = self.registry.new_name(name)
        what = f"load {own!r}"
        if isinstance(load, LoadKind):
            for argument, value in (("parameters", parameters), ("scratch", scratch)):
                if value is not None:
                    raise ValueError(f"{what}: {argument} is for functions; a {type(load).__name__} has none")
            kind = self._checked(load, what)
        else:
            kind = self.functions.checked(load, what, parameters, scratch)
            self.functions.learn(own, load)
        record = LoadRecord(self.registry.next_key, own)
        if is_row(kind):
            self.rows.add(record.key, own, kind, True)
        handle = self.handle(record)
        self.registry.append(record, handle)
        self._take(record.key, kind)
        return handle

    def handle(self, record: LoadRecord) -> Load:
        """Return a handle of a load."""
        return Load(self.world, record.key, record.name)

    def _take(self, key: int, kind: LoadKind) -> None:
        self.kinds[key], self.enabled[key], self.energies[key] = kind, True, 0.0
        if isinstance(kind, FunctionLoad):
            self.functions.take(key, kind)
        self.table.version += 1

    def _checked(self, load: LoadKind, what: str) -> LoadKind:
        """Return a ready-made load by keys, with numbers that fit the world."""
        kind = by_keys(load, what, self.world)
        if not isinstance(kind, ReadyLoad):
            raise TypeError(
                f"{what}: {type(load).__name__} does not say what it does; derive it from ReadyLoad"
            )
        kind = kind._checked(what, self.world)
        kind._rows(self.world)  # so that what is wrong is told now
        return kind

    def remove(self, load: Any) -> None:
        """Remove a load; see `World.remove_load`."""
        if not isinstance(load, Load):
            raise TypeError(f"load = {checks.shown(load)} must be a Load; world.load(name) finds one")
        self._drop(self.registry.row(load))

    def _drop(self, row: int) -> None:
        key = self.registry.drop(row).key
        self.registry.compact()
        self.rows.remove(key)
        for of in (self.kinds, self.enabled, self.energies, self.works):
            of.pop(key, None)
        self.functions.drop(key)
        self.table.forget(key)

    def remove_with(self, *, body: int | None = None, joint: int | None = None) -> None:
        """Remove the loads of a body, or of a joint, given by its key, that is about to be removed."""
        gone = [key for key, kind in self.kinds.items() if _refers(kind, body, joint)]
        gone += [] if joint is None else self.rows.of_joint(joint)
        for key in dict.fromkeys(gone):
            self._drop(self.registry.row_of_key(key))

    def add_integral(self, name: Any, rate: Any, start: Any) -> Integral:
        """Add a user integral; see `World.add_integral`."""
        checked_function("rate", rate)
        handle = self.integrals.add(name, UserCode(rate), start)
        self.functions.learn(handle.name, rate)
        return handle

    # ------------------------------------------------------------- what they are like

    def kind_of(self, key: int) -> Any:
        """Return a load as a user gave it."""
        kind = self.kinds[key]
        return kind.code.function if isinstance(kind, FunctionLoad) else by_handles(kind, self.world)

    def title(self, key: int) -> str:
        """Return what it is, for messages."""
        kind = self.kinds[key]
        return f"function {kind.code.name}" if isinstance(kind, FunctionLoad) else type(kind).__name__

    def what(self, key: int) -> str:
        """Return how messages call it."""
        return f"load {self._name(key)!r}"

    def _name(self, key: int) -> str:
        return self.registry.records[self.registry.row_of_key(key)].name

    def change(self, key: int, value: Any) -> None:
        """Let a load be another one of the same class."""
        known, what = self.kinds[key], self.what(key)
        new: LoadKind
        if isinstance(known, FunctionLoad):
            new = self.functions.checked(value, what, known.parameters, known.scratch)
            self.functions.learn(self._name(key), value)
            self.functions.take(key, new, scratch=False)
        elif isinstance(value, LoadKind) and type(value) is type(known):
            new = self._checked(value, what)
        else:
            raise TypeError(
                f"{what}: kind = {checks.shown(value)} must be a {type(known).__name__}, as it is; "
                "add another load for what is not"
            )
        self.table.save_states()
        if key in self.rows.places or is_row(new):
            self.rows.remove(key)
            if is_row(new):
                self.rows.add(key, self._name(key), new, self.enabled[key])
        self.kinds[key] = new
        self.table.version += 1

    def amount(self, key: int) -> Any:
        """Return what a load gives that is given."""
        return getattr(self.kinds[key], self._amount_of(key))

    def _amount_of(self, key: int) -> str:
        kind = self.kinds[key]
        if not isinstance(kind, ReadyLoad) or not kind._amount:
            raise AttributeError(f"{self.what(key)}: a {self.title(key)} has no amount; assign load.kind")
        return kind._amount

    def set_amount(self, key: int, value: Any) -> None:
        """Change what a load gives that is given."""
        field, kind, what = self._amount_of(key), self.kinds[key], self.what(key)
        known = getattr(kind, field)
        if isinstance(known, tuple):
            value = checks.triple(f"{what}: amount", value)
            frame = getattr(kind, "frame", "world")
            if self.world.plane is not None and frame == "world":
                flat = self.world.plane.turn if field == "torque" else self.world.plane.place
                value = flat(f"{what}: amount", value)
        else:
            value = checks.number(f"{what}: amount", value)
        assert isinstance(kind, ReadyLoad)
        self.kinds[key] = replace(kind, **{field: value})  # which checks it once more
        self.table.set_numbers(key, kind._amount_at, value)

    def give(self, key: int, value: float) -> None:
        """Change what a load gives to a number that is known to be finite: for actuators, in every step."""
        known = self.kinds[key]
        assert isinstance(known, ReadyLoad)
        new = self.kinds[key] = object.__new__(type(known))
        vars(new).update(vars(known))
        vars(new)[known._amount] = value
        self.table.set_numbers(key, known._amount_at, value)

    def enable(self, key: int, wanted: bool) -> None:
        """Switch a load on or off."""
        self.enabled[key] = wanted
        if key in self.rows.places:
            self.rows.enable(key, wanted)

    def is_implicit(self, key: int) -> bool:
        """Return whether a load is a row for the solvers."""
        return key in self.rows.places

    def parameters(self, key: int) -> Mapping[str, float]:
        """Return the parameters of a function."""
        return dict(self._as_function(key, "parameters").parameters)

    def set_parameters(self, key: int, value: Any) -> None:
        """Change the parameters of a function, all or some of them."""
        kind, what = self._as_function(key, "parameters"), self.what(key)
        given = parameters_of(f"{what}: parameters", value)
        for name in given:
            if name not in kind.parameters:
                known = ", ".join(kind.parameters) or "none"
                raise ValueError(f"{what}: parameters has no {name!r}; it was added with {known}")
        new = self.kinds[key] = replace(kind, parameters={**kind.parameters, **given})
        self.functions.take(key, new, scratch=False)

    def scratch(self, key: int) -> np.ndarray:
        """Return the memory of a function."""
        self._as_function(key, "scratch")
        return self.functions.scratch[key]

    def _as_function(self, key: int, argument: str) -> FunctionLoad:
        kind = self.kinds[key]
        if not isinstance(kind, FunctionLoad):
            raise AttributeError(f"{self.what(key)}: {argument} is of functions, not of a {self.title(key)}")
        return kind

    # ------------------------------------------------------------- results

    def result(self, key: int, name: str) -> Any:
        """Return effort, value or rate of a load in the last step."""
        if isinstance(self.kinds[key], FunctionLoad):
            return None
        if key in self.rows.places:
            if name == "effort":
                return self.rows.effort(key)
            return self.rows.value_and_rate(key)[name == "rate"]
        return self.table.result(key, name)

    def states(self, key: int) -> tuple[str, ...]:
        """Return the states of the points of a contact."""
        if not isinstance(self.kinds[key], StickSlipContact):
            raise ValueError(f"{self.title(key)} has no points that stick or slip; a StickSlipContact has")
        return tuple(TOUCH_STATES[state] for state in self.table.touch_states(key))

    def on_first(self, key: int) -> np.ndarray:
        """Return force and torque (6,) on the first body."""
        if isinstance(self.kinds[key], FunctionLoad):
            return self.functions.on_first(key)
        return self.rows.on_ends(key)[0][1] if key in self.rows.places else self.table.on_first(key)

    def on_body(self, key: int, row: int) -> np.ndarray:
        """Return force and torque (6,) on a body."""
        if isinstance(self.kinds[key], FunctionLoad):
            return self.functions.on_body(key, row)
        if key in self.rows.places:
            return sum((wrench for at, wrench in self.rows.on_ends(key) if at == row), np.zeros(6))
        return self.table.on_body(key, row)

    def wrenches(self, count: int) -> np.ndarray:
        """Return what explicit loads gave to each body in the last step: force and torque (count, 6)."""
        out = np.zeros((count, 6))
        self.functions.add_wrenches(out)
        self.table.add_wrenches(out)
        return out

    def potential(self, key: int) -> float:
        """Return the energy [J] that a load stores at the present state."""
        if isinstance(self.kinds[key], FunctionLoad) or not self.enabled[key]:
            return 0.0
        if key in self.rows.places:
            return self.rows.potential(key, self.kinds[key])
        return self.table.potential(key)

    def power(self, key: int) -> float:
        """Return the mean power [W] in the last step."""
        return self.works.get(key, 0.0) / self.length

    def energy(self, key: int) -> float:
        """Return the energy [J] given since the load was added."""
        return self.energies[key]

    def failure(self, what: str, text: str) -> LoadError:
        """Return the error that a load or an integral keeps the present step from being made.

        Args:
            what: how messages call it.
            text: what it did.
        """
        step = self.world.step_count + 1
        return LoadError(
            f"{what} {text}, in step {step} at {self.world.time:.6g} s; the world is as it was before it",
            step,
            what,
        )

    # ------------------------------------------------------------- for the world

    def begin(self, h: float) -> tuple[np.ndarray, np.ndarray] | None:
        """Evaluate all loads at the middle of a step; see `LoadStep.begin`."""
        return self.stepping.begin(h)

    def finish(self) -> None:
        """End a step that was made."""
        self.stepping.finish()

    def roll_back(self) -> None:
        """Return to the start of the step, which was not made."""
        self.stepping.roll_back()

    def save(self) -> SavedLoads:
        """Return all of it."""
        return saved_loads(self)

    def restore(
        self,
        saved: SavedLoads,
        handles: Sequence[Load] | None = None,
        integrals: Sequence[Integral] | None = None,
    ) -> None:
        """Return to saved loads; see `restore_loads`."""
        restore_loads(self, saved, handles, integrals)


def _refers(kind: LoadKind, body: int | None, joint: int | None) -> bool:
    """Return whether a load acts on a body or a joint."""
    for name in (*kind._ends, *kind._joints):
        value = getattr(kind, name)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, End) and body is not None and one.body == body:
                return True
            if isinstance(one, JointEnd) and joint is not None and one.joint == joint:
                return True
    return False

"""The loads of a world: which there are, how they are evaluated in a step, and what they gave."""

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import checks
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.forces.arrays import CONTACT, STATES, LoadArrays, LoadRows, Motion, Probe, Probes
from stoss.engine.forces.constant import ReadyLoad
from stoss.engine.forces.contacts import STACK, evaluate_contacts
from stoss.engine.forces.context import LoadContext
from stoss.engine.forces.ends import by_handles, by_keys
from stoss.engine.forces.evaluate import evaluate_loads, measure_probes
from stoss.engine.forces.integrals import Integral, IntegralStore
from stoss.engine.forces.load import Load
from stoss.engine.forces.motion import learn_motion, leave_middle, to_middle, work_on_bodies, work_on_rows
from stoss.engine.forces.rows import RowLoads, RowPlace, is_row
from stoss.engine.forces.user_loads import (
    CompiledContext,
    FunctionLoad,
    checked_function,
    compile_for,
    is_compiled,
    parameter_tuple,
    parameters_of,
)
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.joints.placement import new_joint_frames
from stoss.engine.motion.free_motion import METHODS
from stoss.engine.world.load_kind import End, JointEnd, LoadKind, LoadRecord, SavedLoads, UserCode
from stoss.engine.world.registry import Registry
from stoss.engine.world.report import LoadError

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["LoadStore"]

# (h omega)^2 of a stiffness, or 2 h / tau of a damping, above which a warning names the load: six steps in a
# period, where the leapfrog is off by 4 % of the frequency. It runs away at 4.
TOO_STIFF = 1.0


class LoadStore:
    """Keep the loads and the user integrals of a world.

    Args:
        world: whose they are.

    Attributes:
        registry: records, handles and names of the loads.
        enabled: which of them act, by their keys.
        integrals: the user integrals.
        length: of the present step [s].
    """

    def __init__(self, world: "World") -> None:
        self.world = world
        self.registry: Registry[LoadRecord, Load] = Registry("load", "loads")
        self.enabled: dict[int, bool] = {}
        self.integrals = IntegralStore(world)
        self._rows = RowLoads(world)
        self.length = world.time_step
        self._kinds: dict[int, LoadKind] = {}
        self._energies: dict[int, float] = {}
        self._works: dict[int, float] = {}  # of the last step
        self._scratch: dict[int, np.ndarray] = {}  # of functions
        self._given: dict[int, np.ndarray] = {}  # (n, 6) forces of functions in the last step
        self.given = np.zeros((0, 3)), np.zeros((0, 3))  # forces and torques, by the present function
        self._warned: set[int] = set()
        self._known_functions: dict[str, Any] = {}  # by the name of their load or integral
        self._arrays = LoadArrays.zeros()
        self._states: dict[int, np.ndarray] = {}  # of ready-made loads that are not in place yet
        self._spans: dict[int, tuple[int, int]] = {}
        self._has_contacts = False
        self._stack = np.empty(STACK, np.int64)
        self._probes = Probes(*_no_probes())
        self._probe_joints: list[int] = []  # keys of their joints
        self._values = np.zeros((0, 2))
        self._single: dict[Any, tuple[LoadArrays, Probes, np.ndarray]] = {}
        self._placed_for: Any = None  # bodies, joints and loads that the arrays are of
        self._version = 0
        self._motion = Motion.zeros()
        self._body_keys = np.zeros(0, np.int64)
        self._applied = np.zeros((0, 6))
        self._asleep = np.zeros(0, np.bool_)
        self._begun: Any = None  # what a step that is not made returns to
        self._whole = np.zeros((0, 6))  # forces and torques of the whole step
        # of the present sub-step of a composition: its start, length [s], and what was given before it
        self._stage, self._stage_length = Motion.zeros(), 0.0
        self._stage_works: dict[int, float] = {}

    @property
    def bodies(self) -> BodyArrays:
        """Return the arrays of the bodies."""
        return self.world._all_bodies.arrays

    @property
    def is_new(self) -> bool:
        """Return whether there never was a load or an integral."""
        return self.registry.next_key == 0 and self.integrals.registry.next_key == 0

    @property
    def _is_empty(self) -> bool:
        return len(self._kinds) == len(self._rows.places) and not self.integrals.values

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
            kind = self._function(load, what, parameters, scratch)
            self._known_functions[own] = kind.code.function
        record = LoadRecord(self.registry.next_key, own)
        if is_row(kind):
            self._rows.add(record.key, own, kind, True)
        handle = self._handle(record)
        self.registry.append(record, handle)
        self._take(record.key, kind)
        return handle

    def _handle(self, record: LoadRecord) -> Load:
        return Load(self.world, record.key, record.name)

    def _take(self, key: int, kind: LoadKind) -> None:
        self._kinds[key], self.enabled[key], self._energies[key] = kind, True, 0.0
        if isinstance(kind, FunctionLoad):
            self._scratch[key] = kind.scratch.copy()
        self._version += 1

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

    def _function(self, function: Any, what: str, parameters: Any, scratch: Any) -> FunctionLoad:
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
            compile_for(what, function, self._compiled_context(0.0, kind, memory))
        return kind

    def remove(self, load: Any) -> None:
        """Remove a load; see `World.remove_load`."""
        if not isinstance(load, Load):
            raise TypeError(f"load = {checks.shown(load)} must be a Load; world.load(name) finds one")
        self._drop(self.registry.row(load))

    def _drop(self, row: int) -> None:
        key = self.registry.drop(row).key
        self.registry.compact()
        self._rows.remove(key)
        for of in (self._kinds, self.enabled, self._energies, self._works, self._scratch, self._given):
            of.pop(key, None)
        self._save_states()
        self._states.pop(key, None)
        self._version += 1

    def remove_with(self, *, body: int | None = None, joint: int | None = None) -> None:
        """Remove the loads of a body, or of a joint, given by its key, that is about to be removed."""
        gone = [key for key, kind in self._kinds.items() if _refers(kind, body, joint)]
        gone += [] if joint is None else self._rows.of_joint(joint)
        for key in dict.fromkeys(gone):
            self._drop(self.registry.row_of_key(key))

    def add_integral(self, name: Any, rate: Any, start: Any) -> Integral:
        """Add a user integral; see `World.add_integral`."""
        checked_function("rate", rate)
        handle = self.integrals.add(name, UserCode(rate), start)
        self._known_functions[handle.name] = rate
        return handle

    # ------------------------------------------------------------- what they are like

    def kind_of(self, key: int) -> Any:
        """Return a load as a user gave it."""
        kind = self._kinds[key]
        return kind.code.function if isinstance(kind, FunctionLoad) else by_handles(kind, self.world)

    def title(self, key: int) -> str:
        """Return what it is, for messages."""
        kind = self._kinds[key]
        return f"function {kind.code.name}" if isinstance(kind, FunctionLoad) else type(kind).__name__

    def _what(self, key: int) -> str:
        return f"load {self._name(key)!r}"

    def _name(self, key: int) -> str:
        return self.registry.records[self.registry.row_of_key(key)].name

    def change(self, key: int, value: Any) -> None:
        """Let a load be another one of the same class."""
        known, what = self._kinds[key], self._what(key)
        new: LoadKind
        if isinstance(known, FunctionLoad):
            new = self._function(value, what, known.parameters, known.scratch)
            self._known_functions[self._name(key)] = value
        elif isinstance(value, LoadKind) and type(value) is type(known):
            new = self._checked(value, what)
        else:
            raise TypeError(
                f"{what}: kind = {checks.shown(value)} must be a {type(known).__name__}, as it is; "
                "add another load for what is not"
            )
        self._save_states()
        if key in self._rows.places or is_row(new):
            self._rows.remove(key)
            if is_row(new):
                self._rows.add(key, self._name(key), new, self.enabled[key])
        self._kinds[key] = new
        self._version += 1

    def amount(self, key: int) -> Any:
        """Return what a load gives that is given."""
        return getattr(self._kinds[key], self._amount_of(key))

    def _amount_of(self, key: int) -> str:
        kind = self._kinds[key]
        if not isinstance(kind, ReadyLoad) or not kind._amount:
            raise AttributeError(f"{self._what(key)}: a {self.title(key)} has no amount; assign load.kind")
        return kind._amount

    def set_amount(self, key: int, value: Any) -> None:
        """Change what a load gives that is given."""
        field, kind, what = self._amount_of(key), self._kinds[key], self._what(key)
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
        self._kinds[key] = replace(kind, **{field: value})  # which checks it once more
        if key in self._spans and self._is_placed():
            row, first = self._spans[key][0], kind._amount_at
            self._arrays.numbers[row, first : first + np.size(value)] = value

    def give(self, key: int, value: float) -> None:
        """Change what a load gives to a number that is known to be finite: for actuators, in every step."""
        known = self._kinds[key]
        assert isinstance(known, ReadyLoad)
        new = self._kinds[key] = object.__new__(type(known))
        vars(new).update(vars(known))
        vars(new)[known._amount] = value
        if key in self._spans and self._is_placed():
            self._arrays.numbers[self._spans[key][0], known._amount_at] = value

    def enable(self, key: int, wanted: bool) -> None:
        """Switch a load on or off."""
        self.enabled[key] = wanted
        if key in self._rows.places:
            self._rows.enable(key, wanted)

    def is_implicit(self, key: int) -> bool:
        """Return whether a load is a row for the solvers."""
        return key in self._rows.places

    def parameters(self, key: int) -> Mapping[str, float]:
        """Return the parameters of a function."""
        return dict(self._as_function(key, "parameters").parameters)

    def set_parameters(self, key: int, value: Any) -> None:
        """Change the parameters of a function, all or some of them."""
        kind, what = self._as_function(key, "parameters"), self._what(key)
        given = parameters_of(f"{what}: parameters", value)
        for name in given:
            if name not in kind.parameters:
                known = ", ".join(kind.parameters) or "none"
                raise ValueError(f"{what}: parameters has no {name!r}; it was added with {known}")
        self._kinds[key] = replace(kind, parameters={**kind.parameters, **given})

    def scratch(self, key: int) -> np.ndarray:
        """Return the memory of a function."""
        self._as_function(key, "scratch")
        return self._scratch[key]

    def _as_function(self, key: int, argument: str) -> FunctionLoad:
        kind = self._kinds[key]
        if not isinstance(kind, FunctionLoad):
            raise AttributeError(f"{self._what(key)}: {argument} is of functions, not of a {self.title(key)}")
        return kind

    # ------------------------------------------------------------- results

    def result(self, key: int, name: str) -> Any:
        """Return effort, value or rate of a load in the last step."""
        if isinstance(self._kinds[key], FunctionLoad):
            return None
        if key in self._rows.places:
            if name == "effort":
                return self._rows.effort(key)
            return self._rows.value_and_rate(key)[name == "rate"]
        if key not in self._spans:
            self._arrange()
        first, last = self._spans[key]
        numbers = getattr(self._arrays, name)[first:last]
        return float(numbers[0]) if last - first == 1 else numbers.copy()

    def on_first(self, key: int) -> np.ndarray:
        """Return force and torque (6,) on the first body."""
        if isinstance(self._kinds[key], FunctionLoad):
            return np.asarray(self._given.get(key, np.zeros((0, 6))).sum(axis=0))
        if key in self._rows.places:
            return self._rows.on_ends(key)[0][1]
        if key not in self._spans:
            self._arrange()
        return self._arrays.first[self._spans[key][0]].copy()

    def on_body(self, key: int, row: int) -> np.ndarray:
        """Return force and torque (6,) on a body."""
        if isinstance(self._kinds[key], FunctionLoad):
            given = self._given.get(key)
            return np.zeros(6) if given is None or row >= len(given) else given[row].copy()
        if key in self._rows.places:
            return sum((wrench for at, wrench in self._rows.on_ends(key) if at == row), np.zeros(6))
        if key not in self._spans:
            self._arrange()
        span, out = slice(*self._spans[key]), np.zeros(6)
        for which, wrench in enumerate((self._arrays.first, self._arrays.second)):
            out += wrench[span][self._arrays.bodies[span, which] == row].sum(axis=0)
        return out

    def wrenches(self, count: int) -> np.ndarray:
        """Return what explicit loads gave to each body in the last step: force and torque (count, 6)."""
        out = np.zeros((count, 6))
        for key, given in self._given.items():
            if isinstance(self._kinds.get(key), FunctionLoad):
                out[: len(given)] += given[:count]
        if self._spans:
            for which, wrench in enumerate((self._arrays.first, self._arrays.second)):
                bodies = self._arrays.bodies[: len(wrench), which]
                np.add.at(out, bodies[bodies >= 0], wrench[bodies >= 0])
        return out

    def potential(self, key: int) -> float:
        """Return the energy [J] that a load stores at the present state."""
        if isinstance(self._kinds[key], FunctionLoad):
            return 0.0
        if not self.enabled[key]:
            return 0.0
        if key in self._rows.places:
            return self._rows.potential(key, self._kinds[key])
        self._arrange()
        self._switch()
        arrays, values = self._arrays.copy(), self._values.copy()
        if len(values):
            measure_probes(self._probes, self.bodies, values)
        total = np.zeros((len(self.bodies.kinds), 6))
        evaluate_loads(arrays, self._probes, self.bodies, self.length, values, total)
        if self._has_contacts:
            self._touch(arrays, self.length, total)
        return float(arrays.potential[slice(*self._spans[key])].sum())

    def power(self, key: int) -> float:
        """Return the mean power [W] in the last step."""
        return self._works.get(key, 0.0) / self.length

    def energy(self, key: int) -> float:
        """Return the energy [J] given since the load was added."""
        return self._energies[key]

    # ------------------------------------------------------------- the arrays

    def _present(self) -> Any:
        """Return what the arrays depend on."""
        bodies, joints = self.world._body_store, self.world._joint_store
        return (
            self._version,
            bodies.table,
            bodies.registry.next_key,
            len(bodies.registry),
            joints.table.version,
            joints.table.count,
        )

    def _is_placed(self) -> bool:
        return self._placed_for is not None and self._placed_for == self._present()

    def _arrange(self) -> None:
        """Put all loads in place, if bodies, joints or loads are others than before."""
        present = self._present()
        if present == self._placed_for:
            return
        self._save_states()
        self._placed_for = present
        self._single.clear()
        blocks: list[LoadRows] = []
        probes: list[Probe] = []
        self._spans, first = {}, 0
        probe_of: list[int] = []
        for key, kind in self._kinds.items():
            if not isinstance(kind, ReadyLoad) or key in self._rows.places:
                continue
            rows = kind._rows(self.world)
            count = len(rows.code)
            self._spans[key] = first, first + count
            first += count
            probe_of += [len(probes) if rows.probe else -1] * count
            if rows.probe:
                probes.append(rows.probe)
            blocks.append(rows)
        self._arrays = _together(blocks, probe_of)
        self._has_contacts = bool((self._arrays.code == CONTACT).any())
        self._probes, self._values = _probes(probes, self.world)
        self._probe_joints = [-1 if probe.joint is None else probe.joint for probe in probes]
        for key, (begin, end) in self._spans.items():
            state = self._states.get(key)
            if state is not None and len(state) == end - begin:
                self._arrays.state[begin:end] = state
                for r in range(begin, end):
                    if self._arrays.probe[r] >= 0 and state[r - begin, STATES - 1] != 0.0:
                        self._values[self._arrays.probe[r], 0] = state[r - begin, STATES - 2]
        self._follow_bodies()

    def _save_states(self) -> None:
        """Keep what rows remember, by the keys of the loads; the last two numbers are of coordinates."""
        for key, (first, last) in self._spans.items():
            if key in self._kinds:
                state = self._arrays.state[first:last].copy()
                for r in range(first, last):
                    if self._arrays.probe[r] >= 0:
                        state[r - first, STATES - 2] = self._values[self._arrays.probe[r], 0]
                        state[r - first, STATES - 1] = 1.0
                self._states[key] = state

    def _follow_bodies(self) -> None:
        """Let what is known of the motion of bodies be in the order of their arrays."""
        keys = np.array([record.key for record in self.world._body_store.registry.records], np.int64)
        if np.array_equal(keys, self._body_keys):
            return
        old = {int(key): row for row, key in enumerate(self._body_keys)}
        rows = np.array([old.get(int(key), -1) for key in keys], np.int64)
        motion, known = Motion.zeros(bodies=len(keys)), rows >= 0
        motion.accelerations[known] = self._motion.accelerations[rows[known]]
        applied, asleep = np.zeros((len(keys), 6)), np.zeros(len(keys), np.bool_)
        applied[known], asleep[known] = self._applied[rows[known]], self._asleep[rows[known]]
        self._motion, self._applied, self._asleep, self._body_keys = motion, applied, asleep, keys

    # ------------------------------------------------------------- a step

    def begin(self, h: float) -> tuple[np.ndarray, np.ndarray] | None:
        """Evaluate all loads at the middle of the step of length h [s] that begins.

        Returns:
            Forces and torques (n, 6) [N, N m] of the bodies, and rows of bodies asleep that are to wake,
            since what acts on them changed. None: there is nothing.

        Raises:
            LoadError: a function raised, or returned what is no number; bodies are as they were.
        """
        self.length = h
        self._rows.begin()
        if self._is_empty and not self._applied.any():
            return None
        self._arrange()
        self._begun = (
            self._arrays.state.copy(),
            self._values.copy(),
            {key: array.copy() for key, array in self._scratch.items()},
            dict(self.integrals.values),
            dict(self.integrals.rates),
        )
        asleep = self.world._stages.state.sleepers.asleep_among(self.world._all_bodies.table.count)
        self._stage_length, self._stage_works = 0.0, {}
        total = self._evaluate(h, asleep, self._motion, 0.0)
        wake = self._to_wake(total, asleep)
        self._whole = total.copy() if self.world.settings.order > 2 else total
        return total, wake

    def _evaluate(self, h: float, asleep: np.ndarray, motion: Motion, offset: float) -> np.ndarray:
        """Return the forces and torques (n, 6) of all loads at the middle of the next h [s].

        Args:
            h: length [s].
            asleep: (n,) bodies that sleep.
            motion: receives how bodies were.
            offset: time [s] since the start of the step.
        """
        world, bodies = self.world, self.bodies
        method, time = METHODS[world.settings.motion], world.time
        self._motion.total[:] = 0.0
        to_middle(method, bodies, asleep, True, h, motion)
        vars(world)["time"] = time + offset + 0.5 * h
        try:
            self._ready_made(h)
            self._functions(h)
        finally:
            vars(world)["time"] = time
            leave_middle(bodies, motion)
        plane = world.plane
        if plane is not None:  # which holds what leads out of it
            total = self._motion.total
            total[:, plane.normal] = total[:, 3 + plane.first] = total[:, 3 + plane.second] = 0.0
        return self._motion.total

    # ------------------------------------------------------------- compositions

    def change_to(self, offset: float, h: float) -> np.ndarray:
        """Evaluate all loads for a sub-step of a composition, from where the bodies are.

        What the evaluation for the whole step did to memory and integrals is taken back by the first one.

        Args:
            offset: time [s] since the start of the step.
            h: length of the sub-step [s], which may be negative.

        Returns:
            Forces and torques (n, 6).
        """
        self._end_stage()
        if offset == 0.0:
            self._return_to(self._begun)
            self._stage_works = {}
        count = len(self.bodies.kinds)
        if len(self._stage.positions) != count:
            self._stage = Motion.zeros(bodies=count)
        self._stage.accelerations[:] = self._motion.accelerations
        self._stage_length = h
        asleep = self.world._stages.state.sleepers.asleep_among(count)
        return self._evaluate(h, asleep, self._stage, offset)

    def whole(self) -> np.ndarray:
        """Return the forces and torques (n, 6) of the whole step anew, which is no composition after all."""
        if self._stage_length != 0.0 or self._stage_works:
            self._return_to(self._begun)
            self._stage_length, self._stage_works = 0.0, {}
            asleep = self.world._stages.state.sleepers.asleep_among(len(self.bodies.kinds))
            self._whole = self._evaluate(self.length, asleep, self._motion, 0.0).copy()
        return self._whole

    @property
    def of_whole_step(self) -> np.ndarray:
        """Return the forces and torques (n, 6) of the whole step as they were worked out."""
        return self._whole

    def _end_stage(self) -> None:
        """Add up what loads gave in the present sub-step."""
        if self._stage_length != 0.0:
            for key, work in self._works_over(self._stage, self._stage_length):
                self._stage_works[key] = self._stage_works.get(key, 0.0) + work

    def _works_over(self, motion: Motion, h: float) -> Iterator[tuple[int, float]]:
        """Yield the work [J] of each load since a start h [s] ago."""
        if len(self._arrays.code):
            work = np.zeros(len(self._arrays.code))
            work_on_rows(self._arrays, self.bodies, motion, h, work)
            for key, (first, last) in self._spans.items():
                yield key, float(work[first:last].sum())
        for key, given in self._given.items():
            yield key, float(work_on_bodies(given, self.bodies, motion, h))

    def _ready_made(self, h: float) -> None:
        """Evaluate ready-made loads."""
        arrays = self._arrays
        if not len(arrays.code):
            return
        if len(self._values):
            measure_probes(self._probes, self.bodies, self._values)
        self._switch()
        evaluate_loads(arrays, self._probes, self.bodies, h, self._values, self._motion.total)
        if self._has_contacts:
            self._touch(arrays, h, self._motion.total)
        if not np.isfinite(self._motion.total).all():
            self._name_bad_row()
        if arrays.stiff.max() > TOO_STIFF:
            self._warn_of_stiffness(h)

    def _touch(self, arrays: LoadArrays, h: float, total: np.ndarray) -> None:
        """Evaluate contacts of points."""
        shapes = self.world._all_bodies.detector.table
        solids = shapes.polyhedra.arrays
        evaluate_contacts(arrays, shapes.arrays, solids, self.bodies, h, self._stack, total)

    def _switch(self) -> None:
        """See which rows act: those of loads that are on, and of joints that hold."""
        arrays, joints = self._arrays, self.world._all_joints
        for key, (first, last) in self._spans.items():
            arrays.active[first:last] = self.enabled[key]
        if self._probe_joints:
            enabled, row = joints.table.arrays.enabled, joints.registry.row_of_key
            on = np.array([key < 0 or enabled[row(key)] for key in self._probe_joints])
            measured = arrays.probe >= 0
            arrays.active[measured] &= on[arrays.probe[measured]]

    def _name_bad_row(self) -> None:
        arrays = self._arrays
        for key, (first, last) in self._spans.items():
            if not (
                np.isfinite(arrays.first[first:last]).all() and np.isfinite(arrays.second[first:last]).all()
            ):
                raise self._error(
                    key, f"gave a force that is not finite: {arrays.first[first, :3].tolist()} N"
                )

    def _warn_of_stiffness(self, h: float) -> None:
        """Name loads for whose stiffness the step is too long, each once."""
        for key, (first, last) in self._spans.items():
            stiff = float(self._arrays.stiff[first:last].max(initial=0.0))
            if stiff <= TOO_STIFF or key in self._warned:
                continue
            self._warned.add(key)
            warnings.warn(
                f"{self._what(key)} ({self.title(key)}), step {self.world.step_count}: time_step = {h:g} s "
                f"is long for its stiffness or damping, (h omega)^2 = {stiff:.3g} with the bodies free; it "
                f"is inaccurate above 1 and runs away above 4. Give time_step = {h / np.sqrt(stiff):.2g} s "
                "or less, or a linear law, which is implicit",
                stacklevel=_levels_to_user(),
            )

    # ------------------------------------------------------------- functions

    @property
    def functions(self) -> list[tuple[str, Any]]:
        """Return names and functions of the user, of loads and integrals."""
        loads = [
            (self._what(key), kind.code.function)
            for key, kind in self._kinds.items()
            if isinstance(kind, FunctionLoad)
        ]
        records = self.integrals.registry.records
        return loads + [(f"integral {record.name!r}", record.rate.function) for record in records]

    def _functions(self, h: float) -> None:
        """Call functions of the user, loads first, then rates of integrals."""
        integrals = self.integrals
        functions = [(key, kind) for key, kind in self._kinds.items() if isinstance(kind, FunctionLoad)]
        records = integrals.registry.records
        if not functions and not records:
            return
        world, count = self.world, self.world._all_bodies.table.count
        integrals.begin(h)
        context = LoadContext(self, world.time, world.step_count)
        for key, kind in functions:
            given = self._given.get(key)
            if given is None or len(given) != count:
                given = self._given[key] = np.zeros((count, 6))
            given[:] = 0.0
            if not self.enabled[key]:
                continue
            self._clear_given(count)
            scratch = self._scratch[key]
            if is_compiled(kind.code.function):
                argument: Any = self._compiled_context(h, kind, scratch)
            else:
                context._begin(self._what(key), kind.parameters, scratch)
                argument = context
            try:
                world._entry.call((kind.code.function,), argument)
            except Exception as error:
                raise self._error(key, f"raised {type(error).__name__}: {error}") from error
            given[:, :3], given[:, 3:] = self.given
            self._take_forces(key, given, scratch)
        rates = []
        for row, record in enumerate(records):
            what = f"integral {record.name!r}"
            rates.append(self._rate(what, row, record.rate.function, context, h))
        for row, rate in enumerate(rates):
            integrals.advance(row, rate, h)

    def _clear_given(self, count: int) -> None:
        """Begin with no forces, on `count` bodies."""
        if len(self.given[0]) != count:
            self.given = np.zeros((count, 3)), np.zeros((count, 3))
        for array in self.given:
            array[:] = 0.0

    def _take_forces(self, key: int, given: np.ndarray, scratch: np.ndarray) -> None:
        """Add up what a function gave, if it is good."""
        if not np.isfinite(given).all():
            row = int(np.argmin(np.isfinite(given).all(axis=1)))
            body = self.world._all_bodies.handles[row].name
            raise self._error(key, f"gave body {body!r} a force that is not finite: {given[row].tolist()}")
        if not np.isfinite(scratch).all():
            raise self._error(key, f"left scratch = {scratch.tolist()}, which is not finite")
        self._motion.total[:] += given

    def _rate(self, what: str, row: int, function: Any, context: LoadContext, h: float) -> np.ndarray:
        """Return the rate of an integral."""
        self._clear_given(self.world._all_bodies.table.count)  # which nobody takes
        argument: Any = context
        if is_compiled(function):
            none = FunctionLoad(UserCode(function), {}, np.zeros(0))
            argument = self._compiled_context(h, none, none.scratch)
        else:
            context._begin(what, {}, np.zeros(0))
        found: list[Any] = []
        try:
            self.world._entry.call((lambda one: found.append(function(one)),), argument)
            return self.integrals.checked_rate(row, found[0])
        except Exception as error:
            raise self._failure(what, f"raised {type(error).__name__}: {error}") from error

    def _compiled_context(self, h: float, kind: FunctionLoad, scratch: np.ndarray) -> CompiledContext:
        b = self.bodies
        return CompiledContext(
            float(self.world.time),
            float(h),
            int(self.world.step_count),
            b.positions,
            b.quaternions,
            b.velocities,
            b.angular_velocities,
            b.masses,
            parameter_tuple(kind.parameters),
            self.integrals.flat(),
            scratch,
            *self.given,
        )

    def act_once(self, kind: ReadyLoad) -> list[tuple[int, np.ndarray]]:
        """Evaluate a load for a function; return rows of bodies, -1 for the world, and what acts on them."""
        sizes = kind._amount, type(getattr(kind, kind._amount))
        what = tuple(sorted((name, str(value)) for name, value in vars(kind).items() if name != kind._amount))
        known = self._single.get((type(kind), sizes, what))
        if known is None:
            rows = kind._rows(self.world)
            probes = [rows.probe] if rows.probe else []
            arrays = _together([rows], [0 if probes else -1])
            known = self._single[type(kind), sizes, what] = (arrays, *_probes(probes, self.world))
        arrays, probes_, values = known
        amount = getattr(kind, kind._amount)
        arrays.numbers[0, : np.size(amount)] = amount
        return self._once(arrays, probes_, values)

    def evaluate_once(self, rows: LoadRows) -> list[tuple[int, np.ndarray]]:
        """Evaluate the row of a load at the present state, as `act_once`."""
        probes = [rows.probe] if rows.probe else []
        arrays = _together([rows], [0 if probes else -1])
        return self._once(arrays, *_probes(probes, self.world))

    def _once(self, arrays: LoadArrays, probes: Probes, values: np.ndarray) -> list[tuple[int, np.ndarray]]:
        if len(values):
            measure_probes(probes, self.bodies, values)
        total = np.zeros((len(self.bodies.kinds), 6))
        evaluate_loads(arrays, probes, self.bodies, self.length, values, total)
        return list(zip(arrays.bodies[0].tolist(), (arrays.first[0], arrays.second[0]), strict=True))

    def _error(self, key: int, text: str) -> LoadError:
        return self._failure(self._what(key), text)

    def _failure(self, what: str, text: str) -> LoadError:
        step = self.world.step_count
        return LoadError(
            f"{what} {text}, in step {step} at {self.world.time:.6g} s; the world is as it was before it",
            step,
            what,
        )

    # ------------------------------------------------------------- sleep, end of the step

    def _to_wake(self, total: np.ndarray, asleep: np.ndarray) -> np.ndarray:
        """Return rows of bodies asleep on which other forces act than when they fell asleep.

        In the first step after that a small change is no reason, since the force before was that of a body
        that still moved a little: one by which it would go farther than the distance of rest in its time.
        """
        if not asleep.any() and not self._asleep.any():
            self._applied[:] = total
            return np.zeros(0, np.int64)
        bodies, limits = self.bodies, self.world.settings.rest_limits
        other = np.abs(total - self._applied)
        masses = np.maximum(bodies.masses, 1e-300)
        sizes = np.sqrt(bodies.inertias.max(axis=1) / masses)
        size = (
            np.maximum(other[:, :3].max(axis=1), other[:, 3:].max(axis=1) / np.maximum(sizes, 1e-300))
            / masses
        )
        least = np.where(self._asleep, 0.0, 2.0 * limits.distance / max(limits.time, self.length) ** 2)
        wake = asleep & (size > least)
        self._applied[:] = total
        self._asleep = asleep & ~wake
        return np.flatnonzero(wake)

    def finish(self) -> None:
        """End a step that was made: energies, and accelerations to go on from."""
        for key, one in self._rows.works().items():
            self._works[key] = one
            self._energies[key] += one
        if self._begun is None:
            return
        world, bodies, motion, h = self.world, self.bodies, self._motion, self.length
        system = world._stages.system.system
        self._end_stage()
        works = self._stage_works if self._stage_length != 0.0 else dict(self._works_over(motion, h))
        for key, one in works.items():
            self._works[key] = one
            self._energies[key] += one
        impacts = world._impacts
        learn_motion(system, bodies, impacts is not None and impacts.found > 0, h, motion)
        self._begun = None

    def roll_back(self) -> None:
        """Return to the start of the step, which was not made."""
        if self._begun is None:
            return
        self._return_to(self._begun)
        self._begun = None

    def _return_to(self, begun: Any) -> None:
        """Let rows, functions and integrals remember what they did when the step began."""
        state, values, scratch, integrals, rates = begun
        if len(state) == len(self._arrays.state):
            self._arrays.state[:] = state
        if len(values) == len(self._values):
            self._values[:] = values
        self._scratch.update({key: array.copy() for key, array in scratch.items() if key in self._kinds})
        self.integrals.values, self.integrals.rates = dict(integrals), dict(rates)

    # ------------------------------------------------------------- snapshots

    def save(self) -> SavedLoads:
        """Return all of it."""
        self._arrange()
        self._save_states()
        states = {key: self._states[key].copy() for key in self._spans}
        states |= {key: array.copy() for key, array in self._scratch.items()}
        places = self._rows.places
        own = self.integrals
        return SavedLoads(
            records=tuple(self.registry.records),
            next_key=self.registry.next_key,
            kinds=dict(self._kinds),
            enabled=dict(self.enabled),
            states=states,
            rows={key: (place.joint, place.drives, place.own) for key, place in places.items()},
            energies=dict(self._energies),
            warned=frozenset(self._warned),
            integrals=tuple(own.registry.records),
            next_integral=own.registry.next_key,
            values={key: value.copy() for key, value in own.values.items()},
            rates={key: value.copy() for key, value in own.rates.items()},
            accelerations=self._motion.accelerations.copy(),
            applied=self._applied.copy(),
            asleep=self._asleep.copy(),
        )

    def restore(
        self,
        saved: SavedLoads,
        handles: Sequence[Load] | None = None,
        integrals: Sequence[Integral] | None = None,
    ) -> None:
        """Return to saved loads; bodies and joints are in place.

        Args:
            saved: the state.
            handles, integrals: of these; None: new ones for those that are not here.

        Raises:
            ValueError: a function is not known here: a file holds its name alone.
        """
        kinds = {key: self._with_function(saved, key, kind) for key, kind in saved.kinds.items()}
        records = tuple(self._with_rate(record) for record in saved.integrals)
        self.registry.replace(
            saved.records, max(saved.next_key, self.registry.next_key), self._handle, handles
        )
        self._kinds, self.enabled = kinds, dict(saved.enabled)
        self._rows.places = {key: RowPlace(*place) for key, place in saved.rows.items()}
        self._energies, self._works, self._given = dict(saved.energies), {}, {}
        self._warned = set(saved.warned)
        self._scratch, self._states, self._spans = {}, {}, {}
        for key, kind in kinds.items():
            target = self._scratch if isinstance(kind, FunctionLoad) else self._states
            if key in saved.states:
                target[key] = saved.states[key].copy()
        self.integrals.restore(records, saved.next_integral, saved.values, saved.rates, integrals)
        self._version += 1
        self._body_keys = np.array(
            [record.key for record in self.world._body_store.registry.records], np.int64
        )
        self._motion = Motion.zeros(bodies=len(self._body_keys))
        self._motion.accelerations[:] = saved.accelerations
        self._applied, self._asleep = saved.applied.copy(), saved.asleep.copy()
        self._begun = None

    def _with_function(self, saved: SavedLoads, key: int, kind: LoadKind) -> LoadKind:
        """Return a load with its function, which a file does not hold."""
        if not isinstance(kind, FunctionLoad):
            return kind
        name = next(record.name for record in saved.records if record.key == key)
        if kind.code.function is not None:
            self._known_functions[name] = kind.code.function
            return kind
        return replace(kind, code=UserCode(self._known(name, f"load {name!r}", kind.code)))

    def _with_rate(self, record: Any) -> Any:
        if record.rate.function is not None:
            self._known_functions[record.name] = record.rate.function
            return record
        what = f"integral {record.name!r}"
        return replace(record, rate=UserCode(self._known(record.name, what, record.rate)))

    def _known(self, name: str, what: str, code: UserCode) -> Any:
        if name not in self._known_functions:
            raise ValueError(
                f"{what} of the snapshot is the function {code.name}, which files do not hold; add a load or "
                f"an integral of that name to the world with the function, and restore again"
            )
        return self._known_functions[name]


def _levels_to_user() -> int:
    """Return how many frames up, from the caller, the first one is that is not of this package."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("stoss."):
        frame, levels = frame.f_back, levels + 1
    return levels


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


def _together(blocks: Sequence[LoadRows], probes: Sequence[int]) -> LoadArrays:
    """Return the arrays of the rows of several loads."""
    arrays = LoadArrays.zeros(rows=len(probes))
    if blocks:
        for name in ("code", "bodies", "points", "frame", "turn", "numbers"):
            getattr(arrays, name)[:] = np.concatenate([getattr(block, name) for block in blocks])
    arrays.probe[:] = probes
    arrays.active[:] = True
    return arrays


_FRAMES = ("point_a", "quaternion_a", "point_b", "quaternion_b")


def _no_probes() -> tuple[JointArrays, Any]:
    joints = JointArrays.zeros(joints=0)
    return joints, new_joint_frames(joints)


def _probes(wanted: Sequence[Probe], world: "World") -> tuple[Probes, np.ndarray]:
    """Return what measures coordinates, each with a part of its own, and their values and rates (m, 2)."""
    if not wanted:
        return Probes(*_no_probes()), np.zeros((0, 2))
    joints = JointArrays.zeros(joints=1, parts=len(wanted), rows=len(wanted))
    table, registry = world._joint_store.table, world._joint_store.registry
    values = np.zeros((len(wanted), 2))
    for i, probe in enumerate(wanted):
        part, measure, axis = probe.place
        joints.part[i], joints.measure[i], joints.axis[i] = i, measure, axis
        if probe.joint is None:
            joints.ends[i] = probe.ends
            for name, value in zip(_FRAMES, probe.frames, strict=True):
                getattr(joints, name)[i] = value
            continue
        own = table.probe(registry.row_of_key(probe.joint), part, measure, axis)
        for name in ("ends", *_FRAMES):
            getattr(joints, name)[i] = getattr(own, name)[part]
        values[i, 0] = own.value[0]
    joints.part_start[1] = joints.row_start[1] = len(wanted)
    return Probes(joints, new_joint_frames(joints)), values

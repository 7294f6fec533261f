"""Ready-made loads of a world in arrays: where they act, and what they gave."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine.expressions import ExpressionError, TimeFunction
from stoss.engine.forces.arrays import (
    CONTACT,
    STATES,
    STICK_SLIP,
    LoadArrays,
    LoadRows,
    Motion,
    Probe,
    Probes,
)
from stoss.engine.forces.constant import ReadyLoad
from stoss.engine.forces.contacts import STACK, evaluate_contacts
from stoss.engine.forces.evaluate import evaluate_loads, measure_probes
from stoss.engine.forces.motion import work_on_rows
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.joints.excerpts import probe_of
from stoss.engine.joints.placement import new_joint_frames

if TYPE_CHECKING:
    from stoss.engine.forces.store import LoadStore

__all__ = ["LoadTable"]

Wrenches = list[tuple[int, np.ndarray]]  # rows of bodies, -1 for the world, and what acts on them (6,)


class LoadTable:
    """Keep the rows of all explicit ready-made loads, arranged anew when bodies, joints or loads change.

    Args:
        store: the loads.

    Attributes:
        arrays: the rows.
        spans: first row and the one after the last of each load, by its key.
        version: counts changes of loads.
    """

    def __init__(self, store: "LoadStore") -> None:
        self._store, self._world = store, store.world
        self.arrays = LoadArrays.zeros()
        self.spans: dict[int, tuple[int, int]] = {}
        self.version = 0
        self._states: dict[int, np.ndarray] = {}  # of loads that are not in place yet
        self._has_contacts = False
        self._stack = np.empty(STACK, np.int64)
        self._probes = Probes(*_no_probes())
        self._probe_joints: list[int] = []  # keys of their joints
        self._values = np.zeros((0, 2))
        self._single: dict[Any, tuple[LoadArrays, Probes, np.ndarray]] = {}
        self._placed_for: Any = None  # bodies, joints and loads that the arrays are of
        self._factors: dict[int, TimeFunction] = {}  # of loads that change with the time

    # ------------------------------------------------------------- in place

    def _present(self) -> Any:
        """Return what the arrays depend on."""
        bodies, joints = self._world._body_store, self._world._joint_store
        return (
            self.version,
            bodies.table,
            bodies.registry.next_key,
            len(bodies.registry),
            joints.table.version,
            joints.table.count,
        )

    def is_arranged(self) -> bool:
        """Return whether all loads are in place."""
        return self._placed_for is not None and self._placed_for == self._present()

    def arrange(self) -> None:
        """Put all loads in place, if bodies, joints or loads are others than before."""
        present = self._present()
        if present == self._placed_for:
            return
        self.save_states()
        self._placed_for = present
        self._single.clear()
        blocks: list[LoadRows] = []
        probes: list[Probe] = []
        self.spans, first = {}, 0
        self._factors = {}
        probe_of: list[int] = []
        for key, kind in self._store.kinds.items():
            if not isinstance(kind, ReadyLoad) or key in self._store.rows.places:
                continue
            rows = kind._rows(self._world)
            count = len(rows.code)
            if kind._factor is not None:
                self._factors[key] = TimeFunction(kind._factor)
            self.spans[key] = first, first + count
            first += count
            probe_of += [len(probes) if rows.probe else -1] * count
            if rows.probe:
                probes.append(rows.probe)
            blocks.append(rows)
        self.arrays = _together(blocks, probe_of)
        self._has_contacts = bool(np.isin(self.arrays.code, (CONTACT, STICK_SLIP)).any())
        self._probes, self._values = self._measured(probes)
        self._probe_joints = [-1 if probe.joint is None else probe.joint for probe in probes]
        for key, (begin, end) in self.spans.items():
            state = self._states.get(key)
            if state is not None and len(state) == end - begin:
                self.arrays.state[begin:end] = state
                for r in range(begin, end):
                    if self.arrays.probe[r] >= 0 and state[r - begin, STATES - 1] != 0.0:
                        self._values[self.arrays.probe[r], 0] = state[r - begin, STATES - 2]

    def _measured(self, wanted: Sequence[Probe]) -> tuple[Probes, np.ndarray]:
        """Return what measures coordinates, a part of its own for each, and their values and rates (m, 2)."""
        if not wanted:
            return Probes(*_no_probes()), np.zeros((0, 2))
        joints = JointArrays.zeros(joints=1, parts=len(wanted), rows=len(wanted))
        table, registry = self._world._joint_store.table, self._world._joint_store.registry
        values = np.zeros((len(wanted), 2))
        for i, probe in enumerate(wanted):
            part, measure, axis = probe.place
            joints.part[i], joints.measure[i], joints.axis[i] = i, measure, axis
            if probe.joint is None:
                joints.ends[i] = probe.ends
                for name, value in zip(_FRAMES, probe.frames, strict=True):
                    getattr(joints, name)[i] = value
                continue
            own = probe_of(table.arrays, registry.row_of_key(probe.joint), (part, measure, axis))
            for name in ("ends", *_FRAMES):
                getattr(joints, name)[i] = getattr(own, name)[part]
            values[i, 0] = own.value[0]
        joints.part_start[1] = joints.row_start[1] = len(wanted)
        return Probes(joints, new_joint_frames(joints)), values

    # ------------------------------------------------------------- what rows remember

    def save_states(self) -> None:
        """Keep what rows remember, by the keys of the loads; the last two numbers are of coordinates."""
        for key, (first, last) in self.spans.items():
            if key in self._store.kinds:
                state = self.arrays.state[first:last].copy()
                for r in range(first, last):
                    if self.arrays.probe[r] >= 0:
                        state[r - first, STATES - 2] = self._values[self.arrays.probe[r], 0]
                        state[r - first, STATES - 1] = 1.0
                self._states[key] = state

    def forget(self, key: int) -> None:
        """Let go of a load that was removed."""
        self.save_states()
        self._states.pop(key, None)
        self.version += 1

    def states(self) -> dict[int, np.ndarray]:
        """Return what the rows of each load remember (rows, 8)."""
        self.arrange()
        self.save_states()
        return {key: self._states[key].copy() for key in self.spans}

    def begin_with(self, states: dict[int, np.ndarray]) -> None:
        """Let other loads come into place, with what they remember."""
        self._states, self.spans = states, {}
        self.version += 1

    def mark(self) -> tuple[np.ndarray, np.ndarray]:
        """Return what rows remember at present, for `return_to`."""
        return self.arrays.state.copy(), self._values.copy()

    def return_to(self, mark: tuple[np.ndarray, np.ndarray]) -> None:
        """Let rows remember what they did, if they are the same ones."""
        for array, kept in zip((self.arrays.state, self._values), mark, strict=True):
            if len(array) == len(kept):
                array[:] = kept

    # ------------------------------------------------------------- in a step

    def evaluate(self, h: float, total: np.ndarray) -> bool:
        """Evaluate all rows where the bodies are, and add what they give to `total` (n, 6).

        Returns:
            Whether that is finite.
        """
        arrays = self.arrays
        if not len(arrays.code):
            return True
        if len(self._values):
            measure_probes(self._probes, self._store.bodies, self._values)
        self._switch()
        if self._factors:
            self._change_with_time()
        evaluate_loads(arrays, self._probes, self._store.bodies, h, self._values, total)
        if self._has_contacts:
            self._touch(arrays, h, total)
        return bool(np.isfinite(total).all())

    def _touch(self, arrays: LoadArrays, h: float, total: np.ndarray) -> None:
        """Evaluate contacts of points."""
        shapes = self._world._all_bodies.detector.table
        solids = shapes.polyhedra.arrays
        evaluate_contacts(arrays, shapes.arrays, solids, self._store.bodies, h, self._stack, total)

    def _change_with_time(self) -> None:
        """Give loads that change with the time what they are at present."""
        for key, factor in self._factors.items():
            if not self._store.enabled[key]:
                continue
            kind: Any = self._store.kinds[key]
            try:
                amount = np.multiply(getattr(kind, kind._amount), factor(self._world.time))
            except ExpressionError as error:
                raise self._store.failure(self._store.what(key), f"failed, {error}") from error
            at = kind._amount_at
            self.arrays.numbers[self.spans[key][0], at : at + amount.size] = amount

    def _switch(self) -> None:
        """See which rows act: those of loads that are on, and of joints that hold."""
        arrays, joints = self.arrays, self._world._all_joints
        for key, (first, last) in self.spans.items():
            arrays.active[first:last] = self._store.enabled[key]
        if self._probe_joints:
            enabled, row = joints.table.arrays.enabled, joints.registry.row_of_key
            on = np.array([key < 0 or enabled[row(key)] for key in self._probe_joints])
            measured = arrays.probe >= 0
            arrays.active[measured] &= on[arrays.probe[measured]]

    def bad(self) -> tuple[int, str] | None:
        """Return the key of a load that gave no finite force, and what it gave."""
        arrays = self.arrays
        for key, (first, last) in self.spans.items():
            wrenches = arrays.first[first:last], arrays.second[first:last]
            if not all(np.isfinite(one).all() for one in wrenches):
                return key, f"{arrays.first[first, :3].tolist()} N"
        return None

    def stiffer_than(self, bound: float) -> list[tuple[int, float]]:
        """Return keys of loads whose stiffness or damping is above a bound in this step, and how large."""
        stiff = self.arrays.stiff
        if not len(stiff) or stiff.max() <= bound:
            return []
        largest = [(key, float(stiff[a:b].max(initial=0.0))) for key, (a, b) in self.spans.items()]
        return [(key, size) for key, size in largest if size > bound]

    def works(self, motion: Motion, h: float) -> Iterator[tuple[int, float]]:
        """Yield the work [J] of each load since a start h [s] ago."""
        if len(self.arrays.code):
            work = np.zeros(len(self.arrays.code))
            work_on_rows(self.arrays, self._store.bodies, motion, h, work)
            for key, (first, last) in self.spans.items():
                yield key, float(work[first:last].sum())

    # ------------------------------------------------------------- results

    def _span(self, key: int) -> slice:
        if key not in self.spans:
            self.arrange()
        return slice(*self.spans[key])

    def result(self, key: int, name: str) -> Any:
        """Return effort, value or rate of a load in the last step: a number, or (k,)."""
        span = self._span(key)
        numbers = getattr(self.arrays, name)[span]
        return float(numbers[0]) if len(numbers) == 1 else numbers.copy()

    def touch_states(self, key: int) -> list[int]:
        """Return what the points of a load do: 0 apart, 1 slip, 2 stick."""
        self.arrange()  # a snapshot may have brought them
        return [int(state) for state in self.arrays.state[self._span(key), 0]]

    def on_first(self, key: int) -> np.ndarray:
        """Return force and torque (6,) on the first body."""
        span = self._span(key)
        return self.arrays.first[span.start].copy()

    def on_body(self, key: int, row: int) -> np.ndarray:
        """Return force and torque (6,) on a body."""
        span, out = self._span(key), np.zeros(6)
        for which, wrench in enumerate((self.arrays.first, self.arrays.second)):
            out += wrench[span][self.arrays.bodies[span, which] == row].sum(axis=0)
        return out

    def add_wrenches(self, out: np.ndarray) -> None:
        """Add what all loads gave to each body in the last step to `out` (n, 6)."""
        if not self.spans:
            return
        for which, wrench in enumerate((self.arrays.first, self.arrays.second)):
            bodies = self.arrays.bodies[: len(wrench), which]
            np.add.at(out, bodies[bodies >= 0], wrench[bodies >= 0])

    def potential(self, key: int) -> float:
        """Return the energy [J] that a load stores at the present state."""
        self.arrange()
        self._switch()
        arrays, values, bodies = self.arrays.copy(), self._values.copy(), self._store.bodies
        if len(values):
            measure_probes(self._probes, bodies, values)
        total = np.zeros((len(bodies.kinds), 6))
        evaluate_loads(arrays, self._probes, bodies, self._store.length, values, total)
        if self._has_contacts:
            self._touch(arrays, self._store.length, total)
        return float(arrays.potential[slice(*self.spans[key])].sum())

    def set_numbers(self, key: int, first: int, values: Any) -> None:
        """Change numbers of the row of a load, if it is in place."""
        if key in self.spans and self.is_arranged():
            self.arrays.numbers[self.spans[key][0], first : first + np.size(values)] = values

    # ------------------------------------------------------------- one load for once

    def act_once(self, kind: ReadyLoad) -> Wrenches:
        """Evaluate a load that is given, for a function, at the present state."""
        sizes = kind._amount, type(getattr(kind, kind._amount))
        what = tuple(sorted((name, str(value)) for name, value in vars(kind).items() if name != kind._amount))
        known = self._single.get((type(kind), sizes, what))
        if known is None:
            known = self._single[type(kind), sizes, what] = self._alone(kind._rows(self._world))
        amount = getattr(kind, kind._amount)
        known[0].numbers[0, : np.size(amount)] = amount
        return self._once(*known)

    def evaluate_once(self, rows: LoadRows) -> Wrenches:
        """Evaluate the row of a load at the present state."""
        return self._once(*self._alone(rows))

    def _alone(self, rows: LoadRows) -> tuple[LoadArrays, Probes, np.ndarray]:
        probes = [rows.probe] if rows.probe else []
        return (_together([rows], [0 if probes else -1]), *self._measured(probes))

    def _once(self, arrays: LoadArrays, probes: Probes, values: np.ndarray) -> Wrenches:
        bodies = self._store.bodies
        if len(values):
            measure_probes(probes, bodies, values)
        total = np.zeros((len(bodies.kinds), 6))
        evaluate_loads(arrays, probes, bodies, self._store.length, values, total)
        return list(zip(arrays.bodies[0].tolist(), (arrays.first[0], arrays.second[0]), strict=True))


_FRAMES = ("point_a", "quaternion_a", "point_b", "quaternion_b")


def _no_probes() -> tuple[JointArrays, Any]:
    joints = JointArrays.zeros(joints=0)
    return joints, new_joint_frames(joints)


def _together(blocks: Sequence[LoadRows], probes: Sequence[int]) -> LoadArrays:
    """Return the arrays of the rows of several loads."""
    arrays = LoadArrays.zeros(rows=len(probes))
    if blocks:
        for name in ("code", "bodies", "points", "frame", "turn", "numbers"):
            getattr(arrays, name)[:] = np.concatenate([getattr(block, name) for block in blocks])
    arrays.probe[:] = probes
    arrays.active[:] = True
    return arrays

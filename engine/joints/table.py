"""The table of joints: how their arrays follow joints, rows, schedules and controllers that come and go."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stoss.collision.kernels.tables import Table
from stoss.engine.constraints.rows import FRESH
from stoss.engine.joints.arrays import DRIVE, LIMIT, MESH, NO_KEY, SUM, JointArrays
from stoss.engine.joints.curves import Curve
from stoss.engine.laws.friction_arrays import NO_LAW

__all__ = ["CoupledValues", "HoldValues", "JointTable", "PartValues"]

PartValues = tuple[Any, ...]  # point_a, quaternion_a, point_b, quaternion_b, in the bodies' frames; radii
HoldValues = tuple[int, int, int, float]  # part number within the joint, measure, axis, target
Place = tuple[int, int, int]  # part number within the joint, measure, axis
# q1 and q2, their values, ratio or curve, target, and the part in which teeth meet, -1: they do not
CoupledValues = tuple[Place, Place, tuple[float, float], float | Curve, float, int]


# Values of a row that are not zero where nothing else is said.
ROW_DEFAULTS: dict[str, Any] = {
    "active": True,
    "lower": -np.inf,
    "upper": np.inf,
    "led": np.inf,
    "told": np.inf,
    "max_force": np.inf,
    "schedule": -1,
    "pid": -1,
    "curve": -1,
    "piece": -1,
    "state": FRESH,
    "row_key": NO_KEY,
    "law": NO_LAW,
    "slid": -1.0,
}


def _axis(name: str) -> tuple[str, int]:
    """Return the axis of a field, and how many entries more than that it has: starts have one."""
    axis, _, more = str(JointArrays.array_fields()[name].axes[0]).partition("+")
    return axis, int(more or 0)


AXES = {name: _axis(name) for name in JointArrays.array_fields()}
ROW_FIELDS = [name for name, (axis, _) in AXES.items() if axis == "rows"]


class JointTable:
    """Hold the arrays of joints while these come and go.

    New rows wait until someone asks for the arrays, so that rows for many older joints are put in place
    together.

    Attributes:
        version: grows with every change of structure: joints, rows, what is enabled or active.
        kept_probes: what measures single coordinates, kept as long as the structure lasts.
    """

    def __init__(self) -> None:
        self.version = 0
        self._table = Table(JointArrays)
        self._waiting: list[tuple[int, dict[str, Any]]] = []  # joint and values of new rows
        self._next_key = 0
        self._last_rows: dict[int, int] = {}  # where keys were found last
        self.kept_probes: dict[tuple[int, ...], Any] = {}  # see `engine.joints.probes`

    @property
    def count(self) -> int:
        """Return the number of joints."""
        return self._table.lengths["joints"]

    @property
    def arrays(self) -> JointArrays:
        """Return the arrays, always the same struct: it follows what is added and removed."""
        if self._waiting:
            self.place_waiting()
        return self._table.arrays

    def _cut(self, axis: str, first: int, last: int) -> None:
        """Remove the entries first to last - 1 of an axis; starts lose the entry behind each of them."""
        for name, (of, more) in AXES.items():
            if of == axis:
                array = getattr(self._table.arrays, name)
                array[first + more : len(array) - (last - first)] = array[last + more :].copy()
        self._table.resize(keep=True, **{axis: self._table.lengths[axis] - (last - first)})

    def add_joint(
        self,
        body_a: int,
        body_b: int,
        parts: Sequence[PartValues],
        holds: Sequence[HoldValues] = (),
        watches: Sequence[tuple[int, int, int]] = (),
        coupled: Sequence[CoupledValues] = (),
        ends: Sequence[tuple[int, int]] | None = None,
    ) -> int:
        """Add a joint at the end and return its number.

        Args:
            body_a, body_b: rows of the bodies, -1 for the world.
            parts: for each part point_a, quaternion_a, point_b, quaternion_b in the bodies' frames.
            holds: for each row that is held its part (from 0 within the joint), measure, axis and target.
            watches: the same without target for rows that are only measured (inactive rows of role DRIVE).
            coupled: for each pair of coordinates that is coupled, both as in `watches`, and the rest of
                `CoupledValues`.
            ends: rows of the bodies of each part, if others than those of the joint.
        """
        if self._waiting:
            self.place_waiting()
        row_count = len(holds) + len(watches) + 3 * len(coupled)
        j, first_part = self._table.append("joints"), self._table.append("parts", len(parts))
        first_row, s = self._table.append("rows", row_count), self._table.storage
        s.bodies[j] = body_a, body_b
        s.enabled[j] = True
        s.break_force[j] = s.break_torque[j] = np.inf
        s.part_start[j + 1], s.row_start[j + 1] = first_part + len(parts), first_row + row_count
        for p, (point_a, quaternion_a, point_b, quaternion_b, *radii) in enumerate(parts, first_part):
            s.joint[p] = j
            s.ends[p] = (body_a, body_b) if ends is None else ends[p - first_part]
            s.point_a[p], s.quaternion_a[p] = point_a, quaternion_a
            s.point_b[p], s.quaternion_b[p] = point_b, quaternion_b
            s.radii[p] = radii[0] if radii else 1.0
        for name, value in ROW_DEFAULTS.items():
            getattr(s, name)[first_row : first_row + row_count] = value
        for m, (part, measure, axis, target) in enumerate(holds, first_row):
            s.part[m], s.measure[m], s.axis[m] = first_part + part, measure, axis
            s.target[m] = s.value[m] = target
        for m, (part, measure, axis) in enumerate(watches, first_row + len(holds)):
            s.part[m], s.measure[m], s.axis[m] = first_part + part, measure, axis
            s.role[m], s.active[m] = DRIVE, False
        m = first_row + len(holds) + len(watches)
        curves: list[tuple[int, Curve]] = []
        for first, second, values, ratio, target, mesh in coupled:
            for (part, measure, axis), value in zip((first, second), values, strict=True):
                s.part[m], s.measure[m], s.axis[m] = first_part + part, measure, axis
                s.role[m], s.active[m], s.value[m] = DRIVE, False, value
                m += 1
            s.part[m], s.measure[m] = first_part + second[0], SUM
            if isinstance(ratio, Curve):
                s.ratio[m] = ratio(values[0], 1)
                curves.append((m, ratio))
            else:
                s.ratio[m] = ratio
            if mesh >= 0:
                s.part[m], s.measure[m] = first_part + mesh, MESH
            s.target[m] = s.value[m] = target
            m += 1
        for row, curve in curves:
            self.set_schedule(row, tuple(np.array(curve.knots).T))
        self.version += 1
        return j

    def add_row(self, joint: int, part: int, measure: int, axis: int, role: int, **values: Any) -> int:
        """Add a row to a joint and return the key under which `row` finds it.

        Args:
            joint: number of the joint.
            part: number of the part within the joint.
            measure, axis, role: what is measured, and what happens with it.
            values: further fields of the row. Its `value` goes on from what is known of its coordinate.
        """
        key = self._next_key
        self._next_key += 1
        self._waiting.append(
            (joint, dict(part=part, measure=measure, axis=axis, role=role, row_key=key, **values))
        )
        self.version += 1
        return key

    def add_curved_stop(
        self,
        joint: int,
        part: int,
        measure: int,
        curve: np.ndarray,
        rows: tuple[dict[str, Any], dict[str, Any]],
    ) -> int:
        """Add both rows of a stop along a curve, one after the other, and return the key of the first.

        The second one has none: it goes with the first.

        Args:
            joint, part: number of the joint, and of the part within it.
            measure: CONE or TWIST_RANGE.
            curve: its numbers, see `engine.joints.stop_curves`.
            rows: further fields of each row.
        """
        number = self._table.append("curves")
        first = self._table.append("curve values", len(curve))
        arrays = self._table.arrays
        arrays.curve_value[first:] = curve
        arrays.curve_start[number + 1] = first + len(curve)
        key = self.add_row(joint, part, measure, 0, LIMIT, curve=number, **rows[0])
        second = dict(part=part, measure=measure, axis=1, role=LIMIT, row_key=NO_KEY, curve=number)
        self._waiting.append((joint, second | rows[1]))
        return key

    @property
    def has_waiting(self) -> bool:
        """Return whether new rows wait to be put in place."""
        return bool(self._waiting)

    def place_waiting(self) -> None:
        """Put new rows behind the others of their joints, moving what is behind."""
        waiting = sorted(
            self._waiting, key=lambda entry: entry[0]
        )  # stable: rows of a joint keep their order
        self._waiting = []
        joints = np.array([joint for joint, _ in waiting])
        s = self._table.arrays
        place = s.row_start[joints + 1]  # rows in front of each new one, of the old ones
        new = place + np.arange(len(place))
        old_count, first = self._table.append("rows", len(waiting)), int(place[0])
        s = self._table.arrays
        old = np.arange(first, old_count)
        moved = old + np.searchsorted(place, old, side="right")
        for name in ROW_FIELDS:
            array = getattr(s, name)
            array[moved] = array[first:old_count].copy()
            array[new] = ROW_DEFAULTS.get(name, 0)
        s.row_start[:] += np.searchsorted(joints, np.arange(self.count + 1), side="left")
        for m, (joint, values) in zip(new.tolist(), waiting, strict=True):
            part = s.part_start[joint] + values.pop("part")
            s.part[m] = part
            s.value[m] = self._known_value(joint, part, values["measure"], values["axis"], m)
            for name, value in values.items():
                getattr(s, name)[m] = value
            stops = s.role[m] == LIMIT
            s.told[m] = (s.lower[m], s.upper[m]) if stops else (s.target_rate[m], s.target[m])

    def _known_value(self, joint: int, part: int, measure: int, axis: int, before: int) -> float:
        """Return the last value of a coordinate from an older row, 0 if there is none."""
        s = self._table.arrays
        for m in range(s.row_start[joint], before):
            if s.part[m] == part and s.measure[m] == measure and s.axis[m] == axis:
                return float(s.value[m])
        return 0.0

    def row(self, joint: int, key: int) -> int:
        """Return the present row of a key within a joint, -1 if it is gone."""
        arrays, hint = self.arrays, self._last_rows.get(key, -1)
        first, last = arrays.row_start.item(joint), arrays.row_start.item(joint + 1)
        if first <= hint < last and arrays.row_key.item(hint) == key:  # a key is given once
            return hint
        found = np.flatnonzero(arrays.row_key[first:last] == key)
        if not len(found):
            return -1
        row = self._last_rows[key] = first + int(found[0])
        return row

    def remove_row(self, row: int) -> None:
        """Remove a row, and the schedule, the controller and the curve that are its own; of this both."""
        arrays = self.arrays
        self._last_rows.clear()
        self.set_schedule(row, None)
        self._remove_controller(row)
        count = 1 if arrays.curve[row] < 0 else 2
        self._remove_curve(row)
        arrays.row_start[:] -= count * (arrays.row_start > row)
        self._cut("rows", row, row + count)
        self.version += 1

    def _remove_curve(self, row: int) -> None:
        arrays = self.arrays
        number = int(arrays.curve[row])
        if number >= 0:
            first, last = int(arrays.curve_start[number]), int(arrays.curve_start[number + 1])
            arrays.curve_start[number + 1 :] -= last - first
            self._cut("curve values", first, last)
            self._cut("curves", number, number + 1)
            arrays.curve[:] -= arrays.curve > number

    def remove(self, joints: np.ndarray) -> None:
        """Remove joints (ascending numbers) with their rows; those behind move up, in their order."""
        self._last_rows.clear()
        if len(joints) == 0:
            return
        a, gone = self.arrays, {}
        gone["joints"] = np.zeros(self.count, np.bool_)
        gone["joints"][joints] = True
        gone["parts"] = gone["joints"][a.joint]
        gone["rows"] = gone["parts"][a.part]
        for axis, used in (("schedules", a.schedule), ("controllers", a.pid), ("curves", a.curve)):
            gone[axis] = np.zeros(self._table.lengths[axis], np.bool_)
            gone[axis][used[gone["rows"] & (used >= 0)]] = True
        gone["points"] = np.repeat(gone["schedules"], np.diff(a.schedule_start))
        gone["curve values"] = np.repeat(gone["curves"], np.diff(a.curve_start))
        # what is left is numbered anew: by how much is gone before it
        before = {axis: np.append(0, np.cumsum(mask)) for axis, mask in gone.items()}
        for starts, axis in (
            *((a.part_start, "parts"), (a.row_start, "rows")),
            *((a.schedule_start, "points"), (a.curve_start, "curve values")),
        ):
            starts -= before[axis][starts]
        for numbers, axis in (
            *((a.joint, "joints"), (a.part, "parts")),
            *((a.schedule, "schedules"), (a.pid, "controllers"), (a.curve, "curves")),
        ):
            numbers -= np.where(numbers >= 0, before[axis][numbers], 0)
        for axis, mask in gone.items():
            self._table.remove(axis, np.flatnonzero(mask))
        self.version += 1

    def renumber_bodies(self, removed_rows: np.ndarray) -> None:
        """Follow the removal of bodies (ascending rows), which have no joints: those behind moved up.

        Raises:
            ValueError: one of the bodies still has joints.
        """
        bodies, ends = self.arrays.bodies, self.arrays.ends
        if np.isin(ends, removed_rows).any() or np.isin(bodies, removed_rows).any():
            raise ValueError(f"body rows {removed_rows} still have joints; remove them first")
        bodies -= np.searchsorted(removed_rows, bodies)
        ends -= np.searchsorted(removed_rows, ends)
        self.version += 1

    def set_enabled(self, joint: int, enabled: bool) -> None:
        """Switch a joint on or off; it is then not broken."""
        arrays = self.arrays
        arrays.enabled[joint], arrays.broken[joint] = enabled, False
        self._forget(slice(arrays.row_start[joint], arrays.row_start[joint + 1]))
        self.version += 1

    def break_joint(self, joint: int) -> None:
        """Disable a joint because it broke; its reaction stays as it was, to be read."""
        arrays = self.arrays
        arrays.enabled[joint], arrays.broken[joint] = False, True
        self.version += 1

    def set_active(self, row: int, active: bool) -> None:
        """Switch a row on or off."""
        self.arrays.active[row] = active
        self._forget(slice(row, row + 1))
        self.version += 1

    def _forget(self, rows: slice) -> None:
        """Let rows start anew, without impulses of an earlier life; what they gave in the last step stays."""
        arrays = self.arrays
        arrays.impulse[rows] = arrays.bent[rows] = 0.0
        arrays.work[rows] = arrays.work_at_start[rows] = 0.0
        arrays.slid[rows] = -1.0
        arrays.state[rows] = FRESH
        for controller in arrays.pid[rows]:
            if controller >= 0:
                arrays.history_count[controller] = 0

    def set_schedule(self, row: int, points: tuple[np.ndarray, ...] | None) -> None:
        """Give a row set points (times, values), or the knots of a curve, or take them away.

        Args:
            row: the row.
            points: world times (k,) [s], growing, and set points (k,); of a curve its slopes (k,) too.
        """
        arrays = self.arrays
        number = int(arrays.schedule[row])
        if number >= 0:
            first, last = int(arrays.schedule_start[number]), int(arrays.schedule_start[number + 1])
            arrays.schedule_start[number + 1 :] -= last - first
            self._cut("points", first, last)
            self._cut("schedules", number, number + 1)
            arrays.schedule[:] -= arrays.schedule > number
            arrays.schedule[row] = -1
        if points is not None:
            times, values, *slopes = points
            first, number = self._table.append("points", len(times)), self._table.append("schedules")
            arrays = self._table.arrays
            arrays.schedule_time[first:], arrays.schedule_value[first:] = times, values
            arrays.schedule_slope[first:] = slopes[0] if slopes else 0.0
            arrays.schedule_start[number + 1] = first + len(times)
            arrays.schedule[row] = number
        self.version += 1

    def add_controller(self, gain: float, reset_time: float, derivative_time: float, window: float) -> int:
        """Add a PID controller and return its number, which a row of role FORCE takes as `pid`."""
        number = self._table.append("controllers")
        s = self._table.arrays
        s.gain[number], s.reset_time[number] = gain, reset_time
        s.derivative_time[number], s.window[number] = derivative_time, window
        self.version += 1
        return number

    def _remove_controller(self, row: int) -> None:
        arrays = self.arrays
        number = int(arrays.pid[row])
        if number >= 0:
            self._cut("controllers", number, number + 1)
            arrays.pid[:] -= arrays.pid > number
            arrays.pid[row] = -1

    def copy_arrays(self) -> JointArrays:
        """Return independent copies of the arrays."""
        return self.arrays.copy()

    def set_arrays(self, arrays: JointArrays) -> None:
        """Take over the values of `arrays` (copied), which may have other joints."""
        self._waiting = []
        self._table.take(arrays)
        if len(arrays.row_key):
            self._next_key = max(self._next_key, int(arrays.row_key.max()) + 1)
        self.version += 1

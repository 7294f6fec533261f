"""All joints as a structure of arrays: joints, their parts and rows, schedules and controllers.

A joint has parts (a frame on either body) and rows. A row is one number that a part measures, and what is
to happen with it: it is held, limited or driven. The rows of a joint follow each other, and so do its parts.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.constraints.rows import FRESH

__all__ = [
    "ALIGN",
    "CROSS",
    "DRIVE",
    "ANGLE_1",
    "FORCE",
    "HOLD",
    "JointArrays",
    "JointParts",
    "JointStops",
    "JointTable",
    "LENGTH",
    "LIMIT",
    "NO_KEY",
    "PID_HISTORY",
    "ANGLE_2",
    "SLIDE",
    "SWING",
    "TURN",
    "TWIST",
    "UNWRAPPED",
]

# What a row measures between the frames A (first body, origin a) and B (second body, origin b) of its part.
# SLIDE k = A.k . (b - a) [m]
# LENGTH = |b - a| [m]
# TURN k = component k, in A, of the rotation vector from A to B [rad]
# ALIGN k = component k (0 or 1), in A, of the rotation vector that takes A.z to B.z [rad]
# CROSS = angle between A.x and B.y [rad]
# TWIST = angle about z of the swing-twist decomposition [rad], unwrapped
# SWING = angle between A.z and B.z [rad]
# ANGLE_1, ANGLE_2 = angle about A.x and about B.y of a double rotation [rad], unwrapped
SLIDE, LENGTH, TURN, ALIGN, CROSS, TWIST, SWING, ANGLE_1, ANGLE_2 = range(9)

# Measures that go on beyond a full turn: their last value must be kept.
UNWRAPPED = (TWIST, ANGLE_1, ANGLE_2)

# What happens with the number: HOLD: value = target; LIMIT: lower <= value <= upper; DRIVE: spring, damper
# and rate, with a bounded force; FORCE: explicit controller (PID).
HOLD, LIMIT, DRIVE, FORCE = range(4)

# Errors that a controller keeps: its window may span that many steps (20 s at 10 ms, 2 s at 1 ms).
PID_HISTORY = 2048

# Key of rows that no handle stands for: what a joint holds, and what it measures only.
NO_KEY = -1


class JointParts(NamedTuple):
    """Where joints sit on their bodies: one row per part, a pair of frames A and B (z: the joint's axis).

    Points [m] and quaternions are in the principal axes of the body, or of the world where it is -1.
    """

    joint: np.ndarray  # (p,) number of the joint
    bodies: np.ndarray  # (p, 2)
    point_a: np.ndarray  # (p, 3)
    quaternion_a: np.ndarray  # (p, 4)
    point_b: np.ndarray  # (p, 3)
    quaternion_b: np.ndarray  # (p, 4)


class JointStops(NamedTuple):
    """The limits of joints: one row per limit."""

    part: np.ndarray  # (l,) row of the part in `JointParts`
    measure: np.ndarray  # (l,) SLIDE ... ANGLE_2
    axis: np.ndarray  # (l,) 0, 1, 2 of SLIDE, TURN and ALIGN
    lower: np.ndarray  # (l,) [m or rad]
    upper: np.ndarray  # (l,)


class JointArrays(Struct):
    """Arrays of all joints, as kernels take them; j joints, p parts, m rows, s schedules, c controllers."""

    # joints
    bodies: Annotated[Ints, "joints", 2]  # rows in the body arrays, -1 for the world
    enabled: Annotated[Bools, "joints"]  # bool
    part_start: Annotated[Ints, "joints+1"]  # first part of each joint
    row_start: Annotated[Ints, "joints+1"]  # first row of each joint
    break_force: Annotated[Floats, "joints"]  # [N], inf: never
    break_torque: Annotated[Floats, "joints"]  # [N m]
    reaction: Annotated[Floats, "joints", 6]  # impulse on the second body over the last step [N s, N m s]
    # parts
    joint: Annotated[Ints, "parts"]  # joint of each part
    point_a: Annotated[
        Floats, "parts", 3
    ]  # origin of A [m] in the first body's principal axes, or the world's frame
    quaternion_a: Annotated[Floats, "parts", 4]  # A to the first body's principal axes, or to the world
    point_b: Annotated[Floats, "parts", 3]  # the same for the second body
    quaternion_b: Annotated[Floats, "parts", 4]
    # rows
    part: Annotated[Ints, "rows"]  # part that measures
    measure: Annotated[Ints, "rows"]  # SLIDE ... ANGLE_2
    axis: Annotated[Ints, "rows"]  # 0, 1, 2 of SLIDE, TURN and ALIGN
    role: Annotated[Ints, "rows"]  # HOLD, LIMIT, DRIVE, FORCE
    active: Annotated[Bools, "rows"]  # bool; a row that is not active is only measured
    target: Annotated[Floats, "rows"]  # [m or rad]
    target_rate: Annotated[Floats, "rows"]  # [m/s or rad/s]
    lower: Annotated[Floats, "rows"]  # of LIMIT [m or rad]
    upper: Annotated[Floats, "rows"]
    restitution: Annotated[Floats, "rows"]  # of LIMIT
    stiffness: Annotated[Floats, "rows"]  # [N/m or N m/rad]; LIMIT: inf is rigid
    damping: Annotated[Floats, "rows"]  # [N s/m or N m s/rad]; DRIVE: inf is rigid (a motor)
    max_force: Annotated[Floats, "rows"]  # [N or N m]
    schedule: Annotated[Ints, "rows"]  # number of its schedule, -1: none
    pid: Annotated[Ints, "rows"]  # number of its controller, -1: none
    # state of the rows
    value: Annotated[Floats, "rows"]  # [m or rad], unwrapped, as last measured
    impulse: Annotated[Floats, "rows"]  # of the last phase, for the next one to start from
    state: Annotated[Ints, "rows"]  # of the direct solver
    total: Annotated[Floats, "rows"]  # impulse over the last step [N s or N m s]
    # schedules and controllers
    schedule_start: Annotated[Ints, "schedules+1"]  # first point of each schedule
    schedule_time: Annotated[Floats, "points"]  # world time [s]
    schedule_value: Annotated[Floats, "points"]  # set point
    gain: Annotated[Floats, "controllers"]  # [N/m or N m/rad]
    reset_time: Annotated[Floats, "controllers"]  # [s], inf: no integral
    derivative_time: Annotated[Floats, "controllers"]  # [s]
    window: Annotated[Floats, "controllers"]  # [s] of the integral
    history: Annotated[Floats, "controllers", PID_HISTORY]  # errors of recent steps, a ring
    history_count: Annotated[Ints, "controllers"]  # errors ever stored
    last_error: Annotated[Floats, "controllers"]
    # bookkeeping, of no use to kernels
    broken: Annotated[Bools, "joints"]  # bool: disabled because a break limit was exceeded
    row_key: Annotated[Ints, "rows"]  # number by which handles find their row, NO_KEY if there is none


_GROUPS = {
    "joints": ("bodies", "enabled", "break_force", "break_torque", "reaction", "broken"),
    "parts": ("joint", "point_a", "quaternion_a", "point_b", "quaternion_b"),
    "rows": tuple(JointArrays._fields[JointArrays._fields.index("part") :][:19]) + ("row_key",),
    "points": ("schedule_time", "schedule_value"),
    "controllers": (
        "gain",
        "reset_time",
        "derivative_time",
        "window",
        "history",
        "history_count",
        "last_error",
    ),
}
# Starts: one entry more than there are joints or schedules, the first of which is 0.
_STARTS = {"part_start": "joints", "row_start": "joints", "schedule_start": "schedules"}
_GROUP_OF = {name: group for group, names in _GROUPS.items() for name in names} | _STARTS
_WIDTHS = {
    "bodies": (2,),
    "reaction": (6,),
    "point_a": (3,),
    "quaternion_a": (4,),
    "point_b": (3,),
    "quaternion_b": (4,),
    "history": (PID_HISTORY,),
}
_BOOLEANS = {"enabled", "active", "broken"}
_INTEGERS = {
    *("bodies", "joint", "part", "measure", "axis", "role", "schedule", "pid", "state", "row_key"),
    *("history_count", *_STARTS),
}
# Values of a row that are not zero where nothing else is said.
_ROW_DEFAULTS: dict[str, Any] = {
    "active": True,
    "lower": -np.inf,
    "upper": np.inf,
    "max_force": np.inf,
    "schedule": -1,
    "pid": -1,
    "state": FRESH,
    "row_key": NO_KEY,
}

PartValues = tuple[Any, Any, Any, Any]  # point_a, quaternion_a, point_b, quaternion_b, in the bodies' frames
HoldValues = tuple[int, int, int, float]  # part number within the joint, measure, axis, target


def _dtype(name: str) -> Any:
    return np.bool_ if name in _BOOLEANS else np.int64 if name in _INTEGERS else np.float64


class JointTable:
    """Hold the arrays of `count` joints, growing by doubling; `arrays` are views of the exact sizes.

    New rows wait until someone asks for the arrays, so that rows for many older joints are put in place
    together.

    Attributes:
        count: number of joints.
        version: grows with every change of structure: joints, rows, what is enabled or active.
    """

    def __init__(self) -> None:
        self.count = 0
        self.version = 0
        self._sizes = {"joints": 0, "parts": 0, "rows": 0, "schedules": 0, "points": 0, "controllers": 0}
        self._storage = {
            name: np.zeros((int(name in _STARTS), *_WIDTHS.get(name, ())), _dtype(name))
            for name in JointArrays._fields
        }
        self._waiting: list[tuple[int, dict[str, Any]]] = []  # joint and values of new rows
        self._next_key = 0
        self._arrays = self._view()

    @property
    def arrays(self) -> JointArrays:
        """Return the arrays; the same tuple until something is added or removed."""
        if self._waiting:
            self._place_waiting()
        return self._arrays

    def _view(self) -> JointArrays:
        sizes, storage = self._sizes, self._storage
        return JointArrays(
            *(storage[name][: sizes[_GROUP_OF[name]] + (name in _STARTS)] for name in JointArrays._fields)
        )

    def _changed(self) -> None:
        self.count = self._sizes["joints"]
        self.version += 1
        self._arrays = self._view()

    def _names(self, group: str) -> Iterable[str]:
        return (name for name in JointArrays._fields if _GROUP_OF[name] == group)

    def _grow(self, group: str, count: int) -> int:
        """Make room for `count` entries more at the end of a group; return the first new one."""
        first = self._sizes[group]
        last = self._sizes[group] = first + count
        for name in self._names(group):
            old = self._storage[name]
            if len(old) < last + 1:
                new = np.zeros((max(8, 2 * last), *old.shape[1:]), old.dtype)
                new[: len(old)] = old
                self._storage[name] = new
        return first

    def add_joint(
        self,
        body_a: int,
        body_b: int,
        parts: Sequence[PartValues],
        holds: Sequence[HoldValues] = (),
        watches: Sequence[tuple[int, int, int]] = (),
    ) -> int:
        """Add a joint at the end and return its number.

        Args:
            body_a, body_b: rows of the bodies, -1 for the world.
            parts: for each part point_a, quaternion_a, point_b, quaternion_b in the bodies' frames.
            holds: for each row that is held its part (from 0 within the joint), measure, axis and target.
            watches: the same without target for rows that are only measured (inactive rows of role DRIVE).
        """
        if self._waiting:
            self._place_waiting()
        s = self._storage
        first_part, first_row = self._grow("parts", len(parts)), self._grow("rows", len(holds) + len(watches))
        j = self._grow("joints", 1)
        s = self._storage
        s["bodies"][j] = body_a, body_b
        s["enabled"][j] = True
        s["break_force"][j] = s["break_torque"][j] = np.inf
        s["part_start"][j + 1], s["row_start"][j + 1] = self._sizes["parts"], self._sizes["rows"]
        for p, (point_a, quaternion_a, point_b, quaternion_b) in enumerate(parts, first_part):
            s["joint"][p] = j
            s["point_a"][p], s["quaternion_a"][p] = point_a, quaternion_a
            s["point_b"][p], s["quaternion_b"][p] = point_b, quaternion_b
        rows = slice(first_row, self._sizes["rows"])
        for name, value in _ROW_DEFAULTS.items():
            s[name][rows] = value
        for m, (part, measure, axis, target) in enumerate(holds, first_row):
            s["part"][m], s["measure"][m], s["axis"][m] = first_part + part, measure, axis
            s["target"][m] = s["value"][m] = target
        for m, (part, measure, axis) in enumerate(watches, first_row + len(holds)):
            s["part"][m], s["measure"][m], s["axis"][m] = first_part + part, measure, axis
            s["role"][m], s["active"][m] = DRIVE, False
        self._changed()
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

    def _place_waiting(self) -> None:
        """Put new rows behind the others of their joints, moving what is behind."""
        waiting = sorted(
            self._waiting, key=lambda entry: entry[0]
        )  # stable: rows of a joint keep their order
        self._waiting = []
        joints = np.array([joint for joint, _ in waiting])
        old_count, s = self._sizes["rows"], self._storage
        place = s["row_start"][joints + 1]  # rows in front of each new one, of the old ones
        new = place + np.arange(len(place))
        self._grow("rows", len(waiting))
        s = self._storage
        first = int(place[0])
        if first < old_count:
            old = np.arange(first, old_count)
            moved = old + np.searchsorted(place, old, side="right")
            for name in self._names("rows"):
                s[name][moved] = s[name][first:old_count].copy()
        j = np.arange(self._sizes["joints"] + 1)
        s["row_start"][j] += np.searchsorted(joints, j, side="left")
        for name in self._names("rows"):
            s[name][new] = _ROW_DEFAULTS.get(name, 0)
        for m, (joint, values) in zip(new.tolist(), waiting, strict=True):
            part = s["part_start"][joint] + values.pop("part")
            known = self._known_value(joint, part, values["measure"], values["axis"], m)
            s["part"][m], s["value"][m] = part, known
            for name, value in values.items():
                s[name][m] = value
        self._arrays = self._view()

    def _known_value(self, joint: int, part: int, measure: int, axis: int, before: int) -> float:
        """Return the last value of a coordinate from an older row, 0 if there is none."""
        s = self._storage
        for m in range(s["row_start"][joint], before):
            if s["part"][m] == part and s["measure"][m] == measure and s["axis"][m] == axis:
                return float(s["value"][m])
        return 0.0

    def row(self, joint: int, key: int) -> int:
        """Return the present row of a key within a joint, -1 if it is gone."""
        arrays = self.arrays
        first = arrays.row_start[joint]
        found = np.flatnonzero(arrays.row_key[first : arrays.row_start[joint + 1]] == key)
        return int(first + found[0]) if len(found) else -1

    def remove_row(self, row: int) -> None:
        """Remove a row, and the schedule and the controller that are its own."""
        arrays = self.arrays
        self.set_schedule(row, None)
        self._remove_controller(row)
        arrays.row_start[:] -= arrays.row_start > row
        self._cut("rows", row, row + 1)
        self._changed()

    def remove(self, joint: int) -> None:
        """Remove a joint with its rows; those behind it move up by one, in their order."""
        arrays = self.arrays
        for row in range(arrays.row_start[joint], arrays.row_start[joint + 1]):
            self.set_schedule(row, None)
            self._remove_controller(row)
        arrays, s = self._arrays, self._storage
        for starts, group in (("part_start", "parts"), ("row_start", "rows")):
            first, last = int(s[starts][joint]), int(s[starts][joint + 1])
            s[starts][joint + 1 :] -= last - first
            self._cut(group, first, last)
            if group == "parts":
                s["joint"][first : self._sizes["parts"]] -= 1
                s["part"][arrays.row_start[joint + 1] : self._sizes["rows"]] -= last - first
        self._cut("joints", joint, joint + 1)
        self._changed()

    def _cut(self, group: str, first: int, last: int) -> None:
        """Remove the entries first to last - 1 of a group; starts lose the entry behind each of them."""
        size = self._sizes[group]
        for name in self._names(group):
            field, shift = self._storage[name], int(name in _STARTS)
            end = size + shift
            field[first + shift : end - (last - first)] = field[last + shift : end].copy()
            field[end - (last - first) : end] = 0
        self._sizes[group] = size - (last - first)

    def renumber_body(self, removed_row: int) -> None:
        """Follow the removal of a body, which has no joints any more: bodies behind it moved up by one.

        Raises:
            ValueError: the body still has joints.
        """
        bodies = self.arrays.bodies
        if (bodies == removed_row).any():
            raise ValueError(f"body row {removed_row} still has joints; remove them first")
        bodies -= bodies > removed_row
        self.version += 1

    def set_enabled(self, joint: int, enabled: bool) -> None:
        """Switch a joint on or off; it is then not broken."""
        arrays = self.arrays
        arrays.enabled[joint], arrays.broken[joint] = enabled, False
        self._forget(slice(arrays.row_start[joint], arrays.row_start[joint + 1]))
        arrays.reaction[joint] = 0.0
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
        """Let rows start anew, without impulses of an earlier life."""
        arrays = self.arrays
        arrays.impulse[rows] = arrays.total[rows] = 0.0
        arrays.state[rows] = FRESH
        for controller in arrays.pid[rows]:
            if controller >= 0:
                arrays.history_count[controller] = 0

    def set_schedule(self, row: int, points: tuple[np.ndarray, np.ndarray] | None) -> None:
        """Give a row set points (times, values), or take them away.

        Args:
            row: the row.
            points: world times (k,) [s], growing, and set points (k,).
        """
        arrays, s = self.arrays, self._storage
        number = int(arrays.schedule[row])
        if number >= 0:
            first, last = int(s["schedule_start"][number]), int(s["schedule_start"][number + 1])
            s["schedule_start"][number + 1 :] -= last - first
            self._cut("points", first, last)
            self._cut("schedules", number, number + 1)
            arrays.schedule[:] -= arrays.schedule > number
            arrays.schedule[row] = -1
        if points is not None:
            times, values = points
            first = self._grow("points", len(times))
            number = self._grow("schedules", 1)
            s["schedule_time"][first : first + len(times)] = times
            s["schedule_value"][first : first + len(times)] = values
            s["schedule_start"][number + 1] = first + len(times)
            arrays.schedule[row] = number
        self._changed()

    def add_controller(self, gain: float, reset_time: float, derivative_time: float, window: float) -> int:
        """Add a PID controller and return its number, which a row of role FORCE takes as `pid`."""
        number = self._grow("controllers", 1)
        s = self._storage
        s["gain"][number], s["reset_time"][number] = gain, reset_time
        s["derivative_time"][number], s["window"][number] = derivative_time, window
        self._changed()
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
        return JointArrays(*(field.copy() for field in self.arrays))

    def set_arrays(self, arrays: JointArrays) -> None:
        """Take over the values of `arrays` (copied), which may have other joints."""
        self._waiting = []
        for name, theirs in arrays.items():
            group = _GROUP_OF[name]
            self._sizes[group] = len(theirs) - (name in _STARTS)
        for name, theirs in arrays.items():
            mine = self._storage[name]
            if len(mine) < len(theirs):
                mine = self._storage[name] = np.zeros_like(theirs)
            mine[: len(theirs)] = theirs
            mine[len(theirs) :] = 0
        if len(arrays.row_key):
            self._next_key = max(self._next_key, int(arrays.row_key.max()) + 1)
        self._changed()

    def of_joint(self, joint: int) -> JointArrays:
        """Return the arrays of one joint alone, renumbered from 0 (schedules and controllers are left out).

        Fields of joints, parts and rows are views where they hold no numbers of joints or parts.
        """
        arrays = self.arrays
        bounds = {
            "joints": (joint, joint + 1),
            "parts": (arrays.part_start[joint], arrays.part_start[joint + 1]),
            "rows": (arrays.row_start[joint], arrays.row_start[joint + 1]),
            "schedules": (0, 0),
            "points": (0, 0),
            "controllers": (0, 0),
        }
        fields = {}
        for name, field in arrays.items():
            first, last = bounds[_GROUP_OF[name]]
            fields[name] = field[first : last + (name in _STARTS)]
        for name in ("part_start", "row_start", "part"):
            own = bounds["rows"][0] if name == "row_start" else bounds["parts"][0]
            fields[name] = fields[name] - own
        fields["joint"] = fields["joint"] - joint
        return JointArrays(**fields)

    def probe(self, joint: int, part: int, measure: int, axis: int) -> JointArrays:
        """Return the arrays of one joint with a single row that measures a coordinate, with its last value.

        Args:
            joint: number of the joint.
            part: number of the part within the joint.
            measure, axis: what is measured.
        """
        own = self.of_joint(joint)
        match = (own.part == part) & (own.measure == measure) & (own.axis == axis)
        known = own.value[match]
        row = {name: np.full(1, _ROW_DEFAULTS.get(name, 0), _dtype(name)) for name in _GROUPS["rows"]}
        row["part"][0], row["measure"][0], row["axis"][0] = part, measure, axis
        row["value"][0] = known[0] if len(known) else 0.0
        return own.replace(row_start=np.array([0, 1]), **row)

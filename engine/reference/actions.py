"""What acts on coordinates of joints, as functions of value, rate and time: the reference's own."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine.joints.arrays import DRIVE, FORCE, HOLD, LIMIT, ROTOR
from stoss.engine.reference.rows import unsupported

if TYPE_CHECKING:
    from stoss.engine.joints.arrays import JointArrays
    from stoss.engine.reference.controllers import ServoLaw

__all__ = ["Actions"]


@dataclass(frozen=True)
class _Action:
    """A spring, damper, servo, controller or soft stop on a coordinate; see `Actions`."""

    role: int
    stiffness: float
    damping: float
    target: float
    target_rate: float
    max_force: float
    lower: float
    upper: float
    reset_time: float
    derivative_time: float
    times: np.ndarray
    values: np.ndarray

    @property
    def gains(self) -> tuple[float, float, float]:
        """Return proportional, integral and derivative gain, away from stops."""
        if self.role == FORCE:
            return self.stiffness, self.stiffness / self.reset_time, self.stiffness * self.derivative_time
        return (0.0, 0.0, 0.0) if self.role == LIMIT else (self.stiffness, 0.0, self.damping)

    def wanted(self, time: float) -> tuple[float, float]:
        """Return target and target rate at a time, from the schedule if there is one."""
        if not len(self.times):
            return self.target, self.target_rate
        value = float(np.interp(time, self.times, self.values))
        if self.role == DRIVE and self.stiffness == 0.0:
            return self.target, value
        k = int(np.searchsorted(self.times, time, side="right"))
        if not 0 < k < len(self.times):
            return value, 0.0
        return value, float((self.values[k] - self.values[k - 1]) / (self.times[k] - self.times[k - 1]))

    def force(self, value: float, rate: float, time: float, integral: float) -> tuple[float, float]:
        """Return the force, and the rate of the integral of the error."""
        if self.role == LIMIT:
            below, above = self.lower - value, value - self.upper
            force = max(self.stiffness * below - self.damping * rate, 0.0) if below > 0.0 else 0.0
            force -= max(self.stiffness * above + self.damping * rate, 0.0) if above > 0.0 else 0.0
            return force, 0.0
        target, target_rate = self.wanted(time)
        error = target - value
        if self.role == DRIVE:
            force = self.stiffness * error + self.damping * (target_rate - rate)
            return min(max(force, -self.max_force), self.max_force), 0.0
        moved = 0.0 if not len(self.times) else target_rate
        force = error + integral / self.reset_time + self.derivative_time * (moved - rate)
        bounded = min(max(self.stiffness * force, -self.max_force), self.max_force)
        return bounded, error if bounded == self.stiffness * force else 0.0


class Actions:
    """All that acts on coordinates: forces along them [N or N m].

    Args:
        arrays: of the joints.
        names: of the joints.
        servos: what acts besides the rows of the arrays, with part, measure and axis of their coordinates.

    Raises:
        ValueError: something acts that has no smooth law: dry friction, a motor that holds a rate exactly.

    Attributes:
        places: parts, measures and axes (k, 3) of the coordinates that are acted on.
        stops: rows that are rigid stops, and must not be reached.
        rotors: rows that are inertias.
        first: integrals of errors at the beginning (k,).
    """

    def __init__(
        self,
        arrays: "JointArrays",
        names: list[str],
        servos: "list[tuple[tuple[int, int, int], ServoLaw]]",
    ) -> None:
        rows, stops, rotors = [], [], []
        self._actions: list[_Action | ServoLaw] = []
        for m in np.flatnonzero((arrays.role != HOLD) & arrays.active):
            joint = int(arrays.joint[arrays.part[m]])
            if not arrays.enabled[joint]:
                continue
            if arrays.role[m] == ROTOR:
                rotors.append(m)
                continue
            if arrays.curve[m] >= 0:
                raise unsupported(names[joint], "stops along curves", "switch them off")
            if arrays.role[m] == LIMIT and arrays.stiffness[m] == np.inf:
                stops.append(m)
                continue
            if arrays.role[m] == DRIVE and arrays.damping[m] == np.inf:
                dry = arrays.max_force[m] < np.inf
                what = (
                    "dry friction, or a motor with a largest force"
                    if dry
                    else "motors that hold a rate exactly"
                )
                raise unsupported(names[joint], what, "give it a damping")
            rows.append(m)
            self._actions.append(_action(arrays, int(m)))
        own = np.array(rows, np.int64)
        measured = np.stack([arrays.part[own], arrays.measure[own], arrays.axis[own]], axis=1)
        more = np.array([place for place, _ in servos], np.int64).reshape(-1, 3)
        self.places = np.concatenate([measured, more])
        self._actions += [law for _, law in servos]
        self.first = np.array([getattr(one, "integral", 0.0) for one in self._actions])
        self.stops, self.rotors = np.array(stops, np.int64), np.array(rotors, np.int64)
        self.bounds = np.stack([arrays.lower[self.stops], arrays.upper[self.stops]], axis=1)

    def __len__(self) -> int:
        return len(self._actions)

    def gains(self, number: int) -> tuple[float, float, float]:
        """Return proportional, integral and derivative gain of an action, for coordinates away from stops."""
        return self._actions[number].gains

    def forces(
        self, values: np.ndarray, rates: np.ndarray, time: float, integrals: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return forces along the coordinates (k,), and the rates of the integrals of errors (k,)."""
        found = [
            action.force(value, rate, time, integral)
            for action, value, rate, integral in zip(
                self._actions, values.tolist(), rates.tolist(), integrals.tolist(), strict=True
            )
        ]
        table = np.array(found).reshape(-1, 2)
        return table[:, 0], table[:, 1]


def _action(arrays: "JointArrays", m: int) -> _Action:
    role, pid, schedule = int(arrays.role[m]), int(arrays.pid[m]), int(arrays.schedule[m])
    times = values = np.zeros(0)
    if schedule >= 0:
        piece = slice(*arrays.schedule_start[schedule : schedule + 2])
        times, values = arrays.schedule_time[piece].copy(), arrays.schedule_value[piece].copy()
    stiffness = float(arrays.gain[pid]) if role == FORCE else float(arrays.stiffness[m])
    return _Action(
        role,
        stiffness,
        float(arrays.damping[m]),
        float(arrays.target[m]),
        float(arrays.target_rate[m]),
        float(arrays.max_force[m]),
        float(arrays.lower[m]),
        float(arrays.upper[m]),
        float(arrays.reset_time[pid]) if role == FORCE else np.inf,
        float(arrays.derivative_time[pid]) if role == FORCE else 0.0,
        times,
        values,
    )

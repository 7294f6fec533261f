"""Handles of what acts on a coordinate of a joint: limits, drives and controllers."""

from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

import numpy as np

from stoss.engine import checks
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.laws.friction_book import FrictionBook
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.laws.friction_with_memory import stored_energy
from stoss.engine.world.exclusive import Entry, enters_world
from stoss.engine.world.joint_checks import (
    DAMPING_UNIT,
    check_stop,
    checked_bounds,
    checked_reset_time,
    checked_switch,
    checked_window,
)
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.joint import Joint

__all__ = ["STIFFNESS_UNIT", "Drive", "JointFriction", "Limit", "PidDrive", "Rotor", "RowHandle", "RowValue"]

STIFFNESS_UNIT = "N/m or N m/rad"


class RowValue:
    """A number of a row that may be read and assigned.

    Args:
        doc: what it is, with its unit.
        unit: SI units of displacements and of angles.
        least, most: bounds of the value.
        above: what it must be above.
        finite: infinity is refused.
    """

    def __init__(
        self,
        doc: str,
        unit: str,
        *,
        least: float = -np.inf,
        most: float = np.inf,
        above: float | None = None,
        finite: bool = True,
    ) -> None:
        self.__doc__ = doc
        self.unit = unit
        self.bounds: dict[str, Any] = dict(least=least, most=most, finite=finite)
        if above is not None:
            self.bounds |= dict(above=above)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, handle: None, owner: type) -> "RowValue": ...
    @overload
    def __get__(self, handle: "RowHandle", owner: type) -> float: ...
    def __get__(self, handle: "RowHandle | None", owner: type) -> "float | RowValue":
        if handle is None:
            return self
        return float(getattr(handle._arrays, self.name)[handle.index])

    def __set__(self, handle: "RowHandle", value: float) -> None:
        handle._entry.check(self.name)
        row, number = handle.index, self.check(handle.joint, value)
        handle._check_together(**{self.name: number})
        getattr(handle._arrays, self.name)[row] = number

    def check(self, joint: "Joint", value: Any) -> float:
        """Return the value, or raise naming joint and argument."""
        return checks.number(joint._what(self.name), value, self.unit, **self.bounds)


@closed
@enters_world("remove")
class RowHandle:
    """What limits and drives have in common: a joint, a coordinate of it, and a switch."""

    __slots__ = ("__weakref__", "_coordinate", "_joint", "_key")
    _row_count: ClassVar[int] = 1  # rows that it has, one after the other

    def __init__(self, joint: "Joint", key: int, coordinate: str) -> None:
        self._joint = joint
        self._key = key
        self._coordinate = coordinate

    def __repr__(self) -> str:
        world, gone = self._joint.world, ""
        if not world._all_joints.registry.has(self._joint) or self._row() < 0:
            gone = ", removed"
        return f"<{type(self).__name__} on {self._coordinate!r} of joint {self._joint.name!r}{gone}>"

    def __copy__(self) -> Self:
        """Return itself: there is one handle of each. `copy.deepcopy` copies the world with it."""
        return self

    @property
    def joint(self) -> "Joint":
        """Return the joint."""
        return self._joint

    @property
    def coordinate(self) -> str:
        """Return the name of the coordinate."""
        return self._coordinate

    @property
    def _entry(self) -> Entry:
        return self._joint.world._entry

    @property
    def _arrays(self) -> JointArrays:
        return self._joint._table.arrays

    @property
    def index(self) -> int:
        """Return the present row in the arrays of the joints.

        Raises:
            ValueError: it was removed, or its joint was.
        """
        row = self._row()
        if row < 0:
            raise ValueError(f"this {type(self).__name__} of joint {self._joint.name!r} was removed")
        return row

    def _row(self) -> int:
        return self._joint._table.row(self._joint._row, self._key)

    @property
    def enabled(self) -> bool:
        """Whether it acts; assign to switch it on or off."""
        return bool(self._arrays.active[self.index])

    @enabled.setter
    def enabled(self, value: bool) -> None:
        wanted, row, world = checked_switch(self._joint, value), self.index, self._joint.world
        if self._arrays.active[row] != wanted:
            for one in range(row, row + self._row_count):
                self._joint._table.set_active(one, wanted)
            world._changed()

    @property
    def force(self) -> float:
        """Return the force [N] or torque [N m] on the second body along the coordinate.

        It is the mean over the last step.
        """
        return float(self._arrays.total[self.index] / self._joint.world._steps.force_step)

    def _check_together(self, **new: float) -> None:
        """Refuse new values that do not go with the other ones."""

    def remove(self) -> None:
        """Remove it; the handle becomes invalid."""
        world = self._joint.world
        self._joint._table.remove_row(self.index)
        world._changed()


@closed
@enters_world("set")
class Limit(RowHandle):
    """A stop on a coordinate, rigid with restitution, or soft with stiffness and damping.

    Bounds that are assigned in every step move: they are where they were put at the end of the step, with the
    velocity and acceleration that the last steps say, and carry what leans on them, at order 2. One that is
    changed once has jumped: what is beyond it is brought back without a velocity.
    """

    __slots__ = ()

    restitution = RowValue("Restitution of a rigid stop, 0 to 1.", "1", least=0.0, most=1.0)
    stiffness = RowValue(
        "Stiffness [N/m or N m/rad]; infinite: rigid.", STIFFNESS_UNIT, least=0.0, finite=False
    )
    damping = RowValue("Damping [N s/m or N m s/rad] of a soft stop.", DAMPING_UNIT, least=0.0)

    @property
    def lower(self) -> float:
        """Lower bound [m or rad]; assign to change it. -inf: none."""
        return float(self._arrays.lower[self.index])

    @lower.setter
    def lower(self, value: float) -> None:
        self.set(value, self.upper)

    @property
    def upper(self) -> float:
        """Upper bound [m or rad]; assign to change it. inf: none."""
        return float(self._arrays.upper[self.index])

    @upper.setter
    def upper(self, value: float) -> None:
        self.set(self.lower, value)

    def set(self, lower: float, upper: float) -> None:
        """Change both bounds [m or rad] at once.

        Args:
            lower, upper: bounds of the coordinate [m or rad]; infinite ones stop nothing.

        Raises:
            ValueError: they are in the wrong order, or NaN.
        """
        row = self.index
        self._arrays.lower[row], self._arrays.upper[row] = checked_bounds(
            self._joint, self._coordinate, lower, upper
        )

    def _check_together(self, **new: float) -> None:
        now = dict(restitution=self.restitution, stiffness=self.stiffness, damping=self.damping)
        check_stop(self._joint, **(now | new))


@closed
@enters_world("schedule")
class _Actuator(RowHandle):
    """What drives and controllers have in common: a set point, a bound and a schedule."""

    __slots__ = ()

    max_force = RowValue(
        "Largest force [N] or torque [N m]; may be infinite.", "N or N m", least=0.0, finite=False
    )

    @property
    def target(self) -> float:
        """Wanted value [m or rad]; assign to change it, which ends a schedule.

        Of a `Drive` it is that of the end of a step, see `Drive.target_rate`; of a `PidDrive` of its start.
        """
        return float(self._arrays.target[self.index])

    @target.setter
    def target(self, value: float) -> None:
        number = checks.number(self._joint._what("target"), value, "m or rad")
        self._end_schedule()
        self._arrays.target[self.index] = number

    def schedule(self, times: Any, values: Any) -> None:
        """Give set points over world time, linear between, constant before and after.

        For a drive without stiffness (a motor) they are rates [m/s or rad/s], otherwise values [m or rad]; a
        servo then has their slope as its target rate, so that its damping does not make it late.

        Args:
            times: (k,) world times [s], each later than the one before.
            values: (k,) set points.

        Raises:
            TypeError, ValueError: not numbers, different lengths, or times out of order.
        """
        what = self._joint._what
        t = checks.array(what("times"), times, (-1,))
        v = checks.array(what("values"), values, (-1,))
        if len(t) != len(v) or len(t) == 0:
            raise ValueError(
                f"{what('times')} and values have {len(t)} and {len(v)} entries; give one value for each time"
            )
        steps = np.diff(t)
        if (steps <= 0.0).any():
            k = int(np.argmax(steps <= 0.0))
            raise ValueError(
                f"{what('times')} = {t.tolist()} are not sorted: {t[k + 1]:g} s follows {t[k]:g} s; "
                "give each time once, the earliest first"
            )
        self._joint._table.set_schedule(self.index, (t, v))

    def _end_schedule(self) -> None:
        row = self.index
        if self._arrays.schedule[row] >= 0:
            self._joint._table.set_schedule(row, None)
            self._arrays.target_rate[row] = 0.0


@closed
@enters_world()
class Drive(_Actuator):
    """A motor, servo, spring, damper or dry friction.

    force = stiffness (target - value) + damping (target_rate - rate), bounded by max_force, as it will be at
    the end of the step: stable at any stiffness. With infinite damping the rate is held exactly.
    """

    __slots__ = ()

    stiffness = RowValue("Stiffness [N/m or N m/rad].", STIFFNESS_UNIT, least=0.0)
    damping = RowValue(
        "Damping [N s/m or N m s/rad]; infinite: a motor.", DAMPING_UNIT, least=0.0, finite=False
    )

    def _check_together(self, **new: float) -> None:
        now = dict(stiffness=self.stiffness, damping=self.damping) | new
        if now["stiffness"] > 0.0 and now["damping"] == np.inf:
            raise ValueError(
                f"{self._joint._what('stiffness')} = {now['stiffness']:g} with infinite damping: a motor "
                "holds its rate exactly and takes no stiffness; set a finite damping first"
            )

    @property
    def target_rate(self) -> float:
        """Wanted rate [m/s or rad/s] at the end of a step; assigned, it ends the schedule of a motor.

        Assigned in every step, as by a loop of control, it changes evenly within the steps, at order 2: the
        value follows the integral of the rates, and forces are those of the acceleration that they say. One
        that is changed once, or turns round suddenly, has jumped and holds in the whole step.
        """
        return float(self._arrays.target_rate[self.index])

    @target_rate.setter
    def target_rate(self, value: float) -> None:
        number = checks.number(self._joint._what("target_rate"), value, "m/s or rad/s")
        if self.stiffness == 0.0:
            self._end_schedule()
        self._arrays.target_rate[self.index] = number


@closed
@enters_world()
class JointFriction(RowHandle):
    """A friction law on a coordinate of a joint."""

    __slots__ = ()

    @property
    def law(self) -> FrictionLaw:
        """Return the law; another one is added in its place, after `remove`."""
        return self._joint.world._laws.laws[int(self._arrays.law[self.index])]

    @property
    def state(self) -> float:
        """Return what it remembers: a force [N or N m] of a filter, a deflection [m or rad] of bristles."""
        return float(self._arrays.bent[self.index])

    @property
    def book(self) -> FrictionBook:
        """Return its energy since it was added, and its mean power over the last step."""
        arrays, row = self._arrays, self.index
        work = float(arrays.work[row])
        power = (float(arrays.work_at_start[row]) - work) / self._joint.world._steps.force_step
        return FrictionBook(work, stored_energy(self.law, self.state), power)


@closed
@enters_world()
class Rotor(RowHandle):
    """An inertia that goes with a coordinate: the rotor of a geared motor, a flywheel on a belt.

    It resists the acceleration of the coordinate alone, in impacts too: the joint's bodies are as heavy and
    as hard to turn as before, and what they exchange with the rotor is a force or torque between them.
    """

    __slots__ = ()

    inertia = RowValue(
        "Inertia [kg] on a displacement, [kg m^2] on an angle; that of a rotor times its gear ratio squared.",
        "kg or kg m^2",
        above=0.0,
    )

    @property
    def energy(self) -> float:
        """Return its kinetic energy [J]; bodies have theirs besides."""
        return 0.5 * self.inertia * self._joint.rate_of(self._coordinate) ** 2


class _PidValue(RowValue):
    """A number of a controller."""

    @overload
    def __get__(self, handle: None, owner: type) -> "RowValue": ...
    @overload
    def __get__(self, handle: "RowHandle", owner: type) -> float: ...
    def __get__(self, handle: "RowHandle | None", owner: type) -> "float | RowValue":
        if handle is None:
            return self
        return float(getattr(handle._arrays, self.name)[handle._arrays.pid[handle.index]])

    def __set__(self, handle: "RowHandle", value: float) -> None:
        handle._entry.check(self.name)
        number = self.check(handle.joint, value)
        getattr(handle._arrays, self.name)[handle._arrays.pid[handle.index]] = number


@closed
@enters_world()
class PidDrive(_Actuator):
    """An explicit PID controller (Bender 2007, section 3.2.5): its force is constant during a step.

    It is that of value and target at the start, as of a digital controller, so of order 1 in the step.

    force = gain (e + integral of e over the window / reset_time + derivative_time de/dt), e = target - value.
    """

    __slots__ = ()

    gain = _PidValue("Gain [N/m or N m/rad].", "N/m or N m/rad", least=0.0)
    derivative_time = _PidValue("Derivative time [s].", "s", least=0.0)

    @property
    def reset_time(self) -> float:
        """Reset time [s], infinite without integral."""
        return float(self._arrays.reset_time[self._arrays.pid[self.index]])

    @reset_time.setter
    def reset_time(self, value: float) -> None:
        self._arrays.reset_time[self._arrays.pid[self.index]] = checked_reset_time(self._joint, value)

    @property
    def window(self) -> float:
        """Time [s] over which the integral goes back."""
        return float(self._arrays.window[self._arrays.pid[self.index]])

    @window.setter
    def window(self, value: float) -> None:
        self._arrays.window[self._arrays.pid[self.index]] = checked_window(self._joint, value)

"""A servo: PD and PID on a coordinate of a joint, as a row of the solver or as a torque (explicit)."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.engine import checks
from stoss.engine.constraints.leading import lead
from stoss.engine.control.actuators import Actuator, Handle
from stoss.engine.control.signals import limited
from stoss.engine.joints.leading import hold_in_step
from stoss.engine.world.drives import RowHandle
from stoss.engine.world.given import Given
from stoss.engine.world.joint import Joint
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Servo"]


class _Gain(Given[float]):
    """A gain, which may be assigned."""

    def __init__(self, doc: str) -> None:
        super().__init__(self._checked, doc)

    @staticmethod
    def _checked(name: str, value: Any) -> float:
        return checks.number(f"Servo.{name}", value, "force per error", least=0.0)

    def __set__(self, of: Any, value: Any) -> None:
        super().__set__(of, value)
        of._steady = False


# What has been told nothing yet: any change is a jump.
_NOTHING = (math.inf, 0.0, 0.0)


@closed
class Servo(Actuator):
    """Hold a coordinate of a joint at a target by PD or PID, which may move.

        force = kp (target - value) + ki (integral of the error) + kd (target_rate - rate)

    Implicit, it is a row of the solver that takes value and rate as they will be at the end of the step, so
    that it is stable at any gains and steps (Bender 2007, section 3.2.7, taken implicitly). Explicit, it is
    a force that is constant during the step, from value and rate at its start, as a digital controller gives
    it (Bender 2007, section 3.2.5). The integral rests while the force is at its limit and the error would
    drive it further. Target and target rate that are assigned in every step are those of its end, implicit,
    and change evenly within it (see `Drive.target_rate`); explicit, they are those of its start.

    Args:
        joint: the joint.
        coordinate: name of the coordinate, may be left out where there is one.
        kp, ki, kd: gains [N/m, N/(m s), N s/m, or N m/rad, N m/(rad s), N m s/rad].
        target: wanted value [m or rad]; "initial": as it is when the servo is added (captured); or a function
            of time [s], whose slope is the target rate.
        limit: largest force [N] or torque [N m], explicit also the lowest and the highest one.
        implicit: whether it is; None: yes, unless it has a delay, a lag or noise, which only an explicit one
            can have.
        delay: by how much the force comes late [s].
        lag: time constant with which it follows what is wanted [s].
        noise: standard deviation of the force from step to step [N or N m].
        seed: of the noise; by default one of its own.
    """

    kp = _Gain("Gain of the error [N/m or N m/rad].")
    ki = _Gain("Gain of its integral [N/(m s) or N m/(rad s)].")
    kd = _Gain("Gain of the rate [N s/m or N m s/rad].")

    def __init__(
        self,
        joint: Joint,
        coordinate: str | None = None,
        *,
        kp: float,
        ki: float = 0.0,
        kd: float = 0.0,
        target: Any = "initial",
        limit: Any = np.inf,
        implicit: bool | None = None,
        delay: float = 0.0,
        lag: float = 0.0,
        noise: float = 0.0,
        seed: int | None = None,
    ) -> None:
        checks.number("noise", noise, "N or N m", least=0.0)
        super().__init__(joint, coordinate, limit, delay, lag, noise, seed)
        self.kp, self.ki, self.kd = kp, ki, kd
        wanted = self._signal.is_plain if implicit is None else checks.flag("implicit", implicit)
        if wanted and not self._signal.is_plain:
            raise ValueError(
                "implicit = True does not go with a delay, a lag or noise: the row of an implicit servo acts "
                "at once; give implicit=False"
            )
        low, high = self._signal.limit
        if wanted and -low != high:
            raise ValueError(f"limit = {checks.shown(limit)} of an implicit servo must be one number")
        if not (kp or ki or kd) or (wanted and not (kp or kd)):
            raise ValueError(
                f"kp = {kp:g}, ki = {ki:g}, kd = {kd:g}: a servo needs one of them, an implicit one kp or kd"
            )
        if wanted and ki and not kp:
            raise ValueError(f"ki = {ki:g} needs kp above 0 in an implicit servo; give kp or implicit=False")
        self._implicit = wanted
        self._captures = isinstance(target, str)
        self._path: Callable[[float], float] | None = None
        if self._captures:
            checks.choice("target", target, ("initial",))
        elif callable(target):
            self._path = target
        else:
            self.target = target
        self._target_rate = 0.0
        self._integral = 0.0
        self._last: tuple[float, float] | None = None  # error [m or rad] and step [s], not integrated yet
        # target, and target rate: as told for the last step, by what rate they had changed, and this
        self._told = (_NOTHING, _NOTHING)

    @property
    def implicit(self) -> bool:
        """Return whether it is a row of the solver."""
        return self._implicit

    @property
    def target(self) -> float:
        """Wanted value [m or rad]; assign to change it, which ends a function of time."""
        return float(self._command)

    @target.setter
    def target(self, value: float) -> None:
        self._tell(checks.number("Servo.target", value, "m or rad"))
        self._captures, self._path = False, None

    @property
    def command(self) -> float:
        """The same as `target`: what a controller gives [m or rad]."""
        return float(self._command)

    @command.setter
    def command(self, value: float) -> None:
        self.target = value

    @property
    def target_rate(self) -> float:
        """Wanted rate [m/s or rad/s], 0 for a target that rests; assign to change it."""
        return self._target_rate

    @target_rate.setter
    def target_rate(self, value: float) -> None:
        self._target_rate = checks.number("Servo.target_rate", value, "m/s or rad/s")
        self._steady = False

    @property
    def integral(self) -> float:
        """Integral of the error [m s or rad s]; assign to change it."""
        return self._integral

    @integral.setter
    def integral(self, value: float) -> None:
        self._integral = checks.number("Servo.integral", value, "m s or rad s")
        self._last = None

    def capture(self) -> None:
        """Take the present value of the coordinate as the target."""
        self.target = self._joint.value_of(self._coordinate)

    def _added(self, world: "World") -> None:
        super()._added(world)
        if self._captures:
            self.capture()

    def _new(self) -> Handle:
        if not self._implicit:
            return self._new_load(0.0, coordinate=self._coordinate)
        return self._joint.servo(
            self.target,
            stiffness=self.kp,
            damping=self.kd,
            max_force=self._signal.limit[1],
            coordinate=self._coordinate,
        )

    def _follow(self, time: float, h: float) -> tuple[float, float, float]:
        """Return the target at the start of a step of length h [s] and in its middle, and its rate there."""
        if self._path is not None:
            at = (time, time + 0.5 * h, time + h)
            first, middle, last = (checks.number("Servo.target", self._path(t), "m or rad") for t in at)
            self._command = middle if self._implicit else first
            self._target_rate = (last - first) / h
            return first, middle, self._target_rate
        given = float(self._command), self._target_rate
        if not self._implicit:
            return given[0], given[0], given[1]
        # those that were told are of the end of the step
        ways = [lead(now, *last, h) for now, last in zip(given, self._told, strict=True)]
        target, rate = ((now, way[2], way[3]) for now, way in zip(given, ways, strict=True))
        self._told = target, rate
        way = ways[0][0] * h
        return given[0] - way, given[0] - 0.5 * way, given[1] - 0.5 * h * ways[1][0]

    def _integrate(self, error: float, h: float) -> float:
        """Return the integral of the error up to the step that begins, by the trapezoidal rule."""
        if self._last is not None:
            before, length = self._last
            self._integral += 0.5 * length * (before + error)
        self._last = (error, h)
        return self._integral

    def _drive(self, given: Handle, time: float, h: float) -> None:
        start, middle, rate = self._follow(time, h)
        if isinstance(given, RowHandle):
            self._drive_row(given, start, middle, rate, h)
        else:
            given._store.give(given._key, self._signal.command(self._torque(start, h), time, h))

    def _drive_row(self, row: RowHandle, start: float, target: float, rate: float, h: float) -> None:
        """Let the row hold a target, and its rate, in the step that begins, of length h [s]."""
        if self.ki > 0.0:
            error = start - self._joint.value_of(self._coordinate)
            if abs(row.force) >= self._signal.limit[1] * (1.0 - 1e-9) and row.force * error > 0.0:
                self._last = None  # at its limit
            integral = self._integrate(error, h) + 0.5 * h * error  # in the middle of the step
            target += self.ki / self.kp * integral
        arrays, m = row._arrays, row.index
        hold_in_step(arrays, m, rate, target)
        arrays.stiffness[m], arrays.damping[m] = self.kp, self.kd
        self._steady = self.ki == 0.0 and self._path is None and not any(last[1] for last in self._told)

    def _torque(self, target: float, h: float) -> float:
        """Return the force or torque that is wanted in the step that begins, within the limit."""
        value, rate = self._joint._measure(self._coordinate)
        error = target - value
        force = self.kp * error + self.kd * (self._target_rate - rate)
        if self.ki > 0.0:
            force += self.ki * self._integrate(error, h)
            if limited(force, self._signal.limit) != force and force * error > 0.0:
                self._last = None  # at its limit
        if not math.isfinite(force):
            raise ValueError(f"the force of {self!r} is {force}, at an error of {error:.3g}")
        return float(limited(force, self._signal.limit))

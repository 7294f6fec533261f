"""Actuators of a world as the reference sees them: servos as laws that are continuous in time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine.control.actuators import TorqueActuator
from stoss.engine.control.servo import Servo
from stoss.engine.reference.rows import unsupported

if TYPE_CHECKING:
    from stoss.engine.world.joint import Joint
    from stoss.engine.world.world import World

__all__ = ["ServoLaw", "servos_of"]

_SPAN = 1e-6  # [s] over which the slope of a moving target is found


@dataclass(frozen=True)
class ServoLaw:
    """PD and PID on a coordinate: kp error + ki integral + kd rate of the error, within a limit.

    Args:
        joint, coordinate: on what it acts.
        kp, ki, kd: gains.
        target: wanted value [m or rad], a function of the time [s] or a number.
        target_rate: wanted rate, where the target is a number.
        lower, upper: limits of the force [N or N m].
        feed: a force that is given besides.
        integral: of the error at the beginning.
    """

    joint: "Joint"
    coordinate: str
    kp: float
    ki: float
    kd: float
    target: "float | Callable[[float], float]"
    target_rate: float
    lower: float
    upper: float
    feed: float = 0.0
    integral: float = 0.0

    @property
    def gains(self) -> tuple[float, float, float]:
        """Return kp, ki and kd."""
        return self.kp, self.ki, self.kd

    def force(self, value: float, rate: float, time: float, integral: float) -> tuple[float, float]:
        """Return the force, and the rate of the integral of the error."""
        target, target_rate = self.target, self.target_rate
        if callable(target):
            before, after = float(target(time - _SPAN)), float(target(time + _SPAN))
            target, target_rate = float(target(time)), (after - before) / (2.0 * _SPAN)
        error = target - value
        free = self.feed + self.kp * error + self.ki * integral + self.kd * (target_rate - rate)
        bounded = min(max(free, self.lower), self.upper)
        winds_up = bounded != free and free * error > 0.0
        return bounded, 0.0 if winds_up else error


def servos_of(world: "World") -> list[ServoLaw]:
    """Return the laws of the actuators of a world, which are taken out of it.

    Args:
        world: the reference's own copy.

    Raises:
        ValueError: something in it acts at steps, and not at all times; names it.
    """
    world.after_step = []  # they look at steps, of which there are none
    if world.before_step:
        raise ValueError(
            "functions before steps act at steps, which the reference does not have; add them as loads"
        )
    if world.controllers:
        known = ", ".join(map(repr, world.controllers))
        raise ValueError(f"controllers {known} act at steps, which the reference does not have; remove them")
    found = []
    for name, actuator in list(world.actuators.items()):
        signal = actuator._signal
        if not signal.is_plain:
            raise unsupported(
                actuator.joint.name, f"the delay, lag or noise of actuator {name!r}", "leave it out"
            )
        lower, upper = (float(bound) for bound in signal.limit)
        ends = actuator.joint, actuator.coordinate
        if isinstance(actuator, Servo):
            path = actuator._path
            law = ServoLaw(
                *ends,
                actuator.kp,
                actuator.ki,
                actuator.kd,
                actuator.target if path is None else path,
                actuator.target_rate,
                lower,
                upper,
                integral=actuator.integral,
            )
        elif isinstance(actuator, TorqueActuator) and np.ndim(actuator.command) == 0:
            command = float(actuator.command)
            law = ServoLaw(*ends, 0.0, 0.0, 0.0, 0.0, 0.0, lower, upper, feed=command)
        else:
            raise unsupported(
                actuator.joint.name, f"actuator {name!r}, a {type(actuator).__name__}", "take a servo"
            )
        if actuator.enabled:
            found.append(law)
        actuator.remove()
    return found

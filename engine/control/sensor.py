"""Sensors: what they have in common, and the encoder of a joint."""

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from stoss.engine import checks
from stoss.engine.control.part import Part
from stoss.engine.control.signals import Signal
from stoss.engine.control.state import reading
from stoss.engine.world.joint import Joint
from stoss.engine.world.joint_checks import checked_coordinate
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Encoder", "EncoderReading", "Sensor", "SignalSensor"]


class Sensor(Part):
    """Something that is measured in a world: derive from it to make one of your own, with `read`.

    `world.add_sensor(sensor)` adds it. What a sensor keeps in attributes belongs to the state of the world.
    """

    noun: ClassVar[str] = "sensor"

    def read(self) -> Any:
        """Return what it measures."""
        raise NotImplementedError(f"{type(self).__name__} has no read()")

    def _begin(self) -> None:
        """Take note of the world as it is when a step begins."""

    def _end(self, time: float, h: float) -> None:
        """Measure after a step of length h [s] that ends at `time`."""


class SignalSensor(Sensor):
    """A sensor of a few numbers, which may come late, slowly and with noise.

    Args:
        delay, lag, noise, seed: see `Signal`.
    """

    def __init__(self, delay: Any, lag: Any, noise: Any, seed: Any) -> None:
        self._signal = Signal(delay, lag, noise, seed)
        self._last = np.zeros(0)

    def _mark(self) -> Any:
        return vars(self).copy()  # what changes before a step is replaced, and never written into

    def _return(self, mark: Any) -> None:
        vars(self).update(mark)

    def _measure(self) -> np.ndarray:
        """Return the numbers as they are."""
        raise NotImplementedError

    def _numbers(self) -> np.ndarray:
        """Return the numbers as the sensor tells them."""
        self._in_world()
        return self._measure() if self._signal.is_plain else self._last

    def _added(self, world: "World") -> None:
        self._signal.start(self._name)
        if not self._signal.is_plain:
            self._last = self._signal.sample(self._measure(), world.time, world.time_step)

    def _end(self, time: float, h: float) -> None:
        if not self._signal.is_plain:
            self._last = self._signal.sample(self._measure(), time, h)


@reading
class EncoderReading(NamedTuple):
    """What an `Encoder` tells.

    Attributes:
        value: of the coordinate [m or rad], angles counted on over full turns.
        rate: of the coordinate [m/s or rad/s].
    """

    value: float
    rate: float


@closed
class Encoder(SignalSensor):
    """Measure a coordinate of a joint and its rate.

    Args:
        joint: the joint.
        coordinate: name of the coordinate, may be left out where there is one.
        delay: by how much the reading is late [s].
        lag: time constant of a first-order lag [s].
        noise: standard deviation of each sample of the value [m or rad], or two numbers, of value and rate.
        seed: of the noise; by default one of its own.
    """

    def __init__(
        self,
        joint: Joint,
        coordinate: str | None = None,
        *,
        delay: float = 0.0,
        lag: float = 0.0,
        noise: Any = 0.0,
        seed: int | None = None,
    ) -> None:
        self._joint = checks.instance("joint", joint, Joint, "world.joint('elbow')")
        self._coordinate = checked_coordinate(joint, coordinate)
        loud = checks.float_array("noise", noise, "a standard deviation, or two")
        if loud.shape not in ((), (2,)):
            raise ValueError(
                f"noise = {checks.shown(noise)} must be a standard deviation, or two, of value and rate"
            )
        super().__init__(delay, lag, np.array([float(loud), 0.0]) if loud.ndim == 0 else loud, seed)

    def _at(self) -> tuple[Joint, ...]:
        return (self._joint,)

    def _measure(self) -> np.ndarray:
        return np.array(self._joint._measure(self._coordinate))

    def read(self) -> EncoderReading:
        """Return value and rate of the coordinate."""
        value, rate = self._numbers().tolist()
        return EncoderReading(value, rate)

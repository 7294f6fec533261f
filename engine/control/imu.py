"""An inertial measurement unit: what an accelerometer and a gyroscope on a body feel."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stoss.collision.quaternions import conjugate, rotate
from stoss.engine import checks
from stoss.engine.control.part import checked_place
from stoss.engine.control.sensor import SignalSensor
from stoss.engine.control.state import reading
from stoss.engine.world.body import Body
from stoss.engine.world.marker import Marker
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Imu", "ImuReading"]


@reading
class ImuReading(NamedTuple):
    """What an `Imu` tells, in its own frame, in the mean over the last step.

    Attributes:
        acceleration: proper acceleration (3,) [m/s^2]: at rest 9.81 upward, 0 in free fall.
        angular_velocity: (3,) [rad/s].
    """

    acceleration: np.ndarray
    angular_velocity: np.ndarray


@closed
class Imu(SignalSensor):
    """Measure proper acceleration and angular velocity in the frame of a marker or a body.

    The acceleration is the change of velocity of the marker's origin over the last step, impacts included,
    less gravity; it is told in the frame as it stood half-way. Before the first step it is that of rest.

    Args:
        at: marker whose frame it is, or a body: the frame of its shapes.
        delay: by how much the reading is late [s].
        lag: time constant of a first-order lag [s].
        acceleration_noise: standard deviation of each component of each sample [m/s^2].
        rate_noise: the same of the angular velocity [rad/s].
        seed: of the noise; by default one of its own.
    """

    def __init__(
        self,
        at: Marker | Body,
        *,
        delay: float = 0.0,
        lag: float = 0.0,
        acceleration_noise: float = 0.0,
        rate_noise: float = 0.0,
        seed: int | None = None,
    ) -> None:
        loud = [
            checks.number("acceleration_noise", acceleration_noise, "m/s^2", least=0.0),
            checks.number("rate_noise", rate_noise, "rad/s", least=0.0),
        ]
        self._frame = checked_place(at)
        self._start: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self._felt = np.zeros(6)
        super().__init__(delay, lag, np.repeat(loud, 3), seed)

    def _at(self) -> tuple[Marker | Body, ...]:
        return (self._frame,)

    def _motion(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return velocity, angular velocity and orientation of the frame, in the world."""
        at = self._frame
        if isinstance(at, Marker):
            return np.array(at.velocity), np.array(at.angular_velocity), np.array(at.quaternion)
        velocity = at.velocity + np.cross(at.angular_velocity, at.position - at.center_of_mass)
        return velocity, np.array(at.angular_velocity), np.array(at.quaternion)

    def _begin(self) -> None:
        self._start = self._motion()

    def _added(self, world: "World") -> None:
        _, rate, turn = self._motion()
        self._felt = _felt(-world.gravity, rate, turn)
        super()._added(world)

    def _end(self, time: float, h: float) -> None:
        if self._start is not None:
            velocity, rate, turn = self._start
            new_velocity, new_rate, new_turn = self._motion()
            middle = turn + (new_turn if turn @ new_turn >= 0.0 else -new_turn)
            acceleration = (new_velocity - velocity) / h - self._in_world().gravity
            self._felt = _felt(acceleration, np.zeros(3), middle / np.linalg.norm(middle))
            # each in the frame of its time: so a turn about an axis of the body has the same rate at both
            for speed, frame in ((rate, turn), (new_rate, new_turn)):
                self._felt[3:] += 0.5 * _felt(np.zeros(3), speed, frame)[3:]
        super()._end(time, h)

    def _measure(self) -> np.ndarray:
        return self._felt.copy()

    def read(self) -> ImuReading:
        """Return acceleration and angular velocity."""
        numbers = self._numbers()
        return ImuReading(numbers[:3].copy(), numbers[3:].copy())


def _felt(acceleration: np.ndarray, rate: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Return two vectors (3,) of the world as they are in a frame, one after the other."""
    w, x, y, z = turn.tolist()
    back = conjugate((w, x, y, z))
    parts = [rotate(back, (v[0], v[1], v[2])) for v in (acceleration.tolist(), rate.tolist())]
    return np.array([*parts[0], *parts[1]])

"""Hold a coordinate of a joint at a value that somebody sets: by a velocity joint (Bender 2007, 3.2.6).

A motor with a bounded force drives the coordinate to the value, so nothing is displaced and other joints and
contacts are heeded, as when the mouse pulls a body.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from stoss.engine import Drive, checks
from stoss.engine.joints.arrays import LENGTH
from stoss.engine.joints.leading import hold_in_step
from stoss.engine.world.joint_checks import checked_coordinate

if TYPE_CHECKING:
    from stoss.engine import Body, Joint, World

__all__ = ["JointGrip", "JointPull", "can_be_driven", "is_angle"]

_RATE = 12.0  # [1/s] at which the distance to the value is made up for
_ACCELERATION = 100.0  # [m/s^2] what the motor can give to all that moves, beyond carrying it
_SPEEDS = (10.0, 6.0)  # [m/s], [rad/s] fastest


def is_angle(joint: "Joint", coordinate: str) -> bool:
    """Return whether a coordinate is an angle [rad], not a length [m]."""
    return bool(joint._coordinates[coordinate][1] > LENGTH)


def can_be_driven(joint: "Joint", coordinate: str) -> bool:
    """Return whether a coordinate takes drives: it is not held by the joint itself."""
    try:
        checked_coordinate(joint, coordinate, drive=True)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class JointGrip:
    """How a coordinate is held, without handles: what a `JointPull` goes on from.

    Attributes:
        joint, coordinate: names.
        value: where it is to go [m or rad].
        drive: number of the motor among the drives of the joint.
    """

    joint: str
    coordinate: str
    value: float
    drive: int

    def resume(self, world: "World") -> "JointPull":
        """Return the pull on a world that has its motor already."""
        return JointPull(world, self)


class JointPull:
    """One hold on a coordinate, from `begin` to `end`; call `follow` before every step.

    Args:
        world: the world, which has the motor.
        grip: how the coordinate is held.
    """

    def __init__(self, world: "World", grip: JointGrip) -> None:
        self.grip = grip
        self._world = world
        self._joint = world.joint(grip.joint)
        self._drive = cast(Drive, self._joint.drives[grip.drive])
        self._speed = _SPEEDS[is_angle(self._joint, grip.coordinate)]

    @classmethod
    def begin(cls, world: "World", joint: str, coordinate: str, value: Any) -> "JointPull":
        """Hold a coordinate.

        Raises:
            KeyError: there is no such joint.
            TypeError, ValueError: no such coordinate, one that is held already, or no number.
        """
        held, goal = world.joint(joint), checks.number("value", value, "m or rad")
        moving = [body for body in world.bodies if body.kind == "dynamic"]
        mass = sum(body.mass for body in moving)
        strength = mass * (_ACCELERATION + float(np.linalg.norm(world.gravity)))
        motor = held.motor(coordinate=coordinate)
        if is_angle(held, coordinate):
            places = np.array([body.center_of_mass for body in moving])
            strength *= max(float(np.ptp(places, axis=0).max()), 0.1) if len(moving) else 1.0
        motor.max_force = max(strength, 1e-6)
        return cls(world, JointGrip(joint, coordinate, goal, held.drives.index(motor)))

    @property
    def point(self) -> np.ndarray:
        """Return where the joint is (3,) [m], world."""
        return self._joint.second_point

    @property
    def pointer(self) -> np.ndarray:
        """Return the same: there is no way to be shown."""
        return self._joint.second_point

    @property
    def whole(self) -> bool:
        """Return whether its joint and its motor are still there."""
        joints, drive = self._world.joints, self._drive
        return any(joint is self._joint for joint in joints) and any(d is drive for d in self._joint.drives)

    def holds(self, body: "Body") -> bool:
        """Return whether it ends when a body goes."""
        return body is self._joint.first or body is self._joint.second

    def move(self, value: Any) -> None:
        """Say where the coordinate is to go [m or rad]."""
        self.grip = replace(self.grip, value=checks.number("value", value, "m or rad"))

    def follow(self) -> None:
        """Set the rate that the motor has in the whole of the next step."""
        rate = min(_RATE, 0.5 / self._world.time_step)
        wanted = rate * (self.grip.value - self._joint.value_of(self.grip.coordinate))
        hold_in_step(self._drive._arrays, self._drive.index, np.clip(wanted, -self._speed, self._speed))

    def end(self) -> None:
        """Let go."""
        self._drive.remove()

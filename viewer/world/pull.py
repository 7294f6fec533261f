"""Reach into a world: pull a body towards a place that moves, by a velocity joint (Bender 2007, 3.2.6).

The place is a kinematic body without a shape; between it and the body act motors with a bounded force. So
joints are never broken and nothing is displaced: the body follows as far as joints and contacts let it.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from stoss.collision.algebra import rotate, rotate_inverse
from stoss.engine import Drive, Free, checks
from stoss.engine.joints.leading import hold_in_step

if TYPE_CHECKING:
    from stoss.engine import Body, World

__all__ = ["MODES", "POINTER", "Grip", "Pull"]

MODES = ("drag", "rope", "grab")  # a point; by a rope; a point and the orientation
POINTER = "(the pointer of the mouse)"  # name of the kinematic body and of the joint, free for users' bodies

_CALM = 2.0  # [1/s] rate at which the turning of a pulled body dies away
_PLACE = ("x", "y", "z")
_TURN = ("rotation x", "rotation y", "rotation z")


@dataclass(frozen=True)
class Grip:
    """How a body is held, without handles: what `Pull.resume` goes on from.

    Attributes:
        body: name of the body.
        mode: "drag" pulls the point to the pointer and leaves the body to turn, "rope" only while they are
            farther apart than the rope is long, "grab" holds the orientation too.
        acceleration: [m/s^2] what the pull can give to the body beyond carrying its weight.
        speed: [m/s] fastest motion of the pointer.
        rate: [1/s] at which the distance to the pointer is made up for.
        length: [m] of the rope.
        goal: where the pointer is to go (3,) [m].
        turn: by how much "grab" is to turn the body in all.
    """

    body: str
    mode: str = "drag"
    acceleration: float = 100.0
    speed: float = 10.0
    rate: float = 12.0
    length: float = 0.5
    goal: tuple[float, ...] = (0.0, 0.0, 0.0)
    turn: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)

    def resume(self, world: "World") -> "Pull":
        """Return the pull on a world that has its pointer and joint already."""
        return Pull(world, self)


class Pull:
    """One pull on a body, from `begin` to `end`; call `follow` before every step.

    Args:
        world: the world, which has the pointer and its joint.
        grip: how the body is held.
    """

    def __init__(self, world: "World", grip: Grip) -> None:
        self.grip = grip
        self.body = world.body(grip.body)
        self._world = world
        self._pointer = world.body(POINTER)
        self._joint = world.joint(POINTER)
        self._drives = cast(list[Drive], self._joint.drives)

    @classmethod
    def begin(cls, world: "World", grip: Grip) -> "Pull":
        """Take a body at the point `grip.goal`, world.

        Raises:
            KeyError: there is no such body.
            ValueError: the body does not react, an unknown mode, or a number out of range.
        """
        body = world.body(grip.body)
        if body.kind != "dynamic":
            raise ValueError(f"body {body.name!r} is {body.kind}: only dynamic bodies can be pulled")
        checks.choice("mode", grip.mode, MODES)
        point = tuple(checks.vector("point", grip.goal))
        units = {"acceleration": "m/s^2", "speed": "m/s", "rate": "1/s", "length": "m"}
        for name, unit in units.items():
            checks.positive(name, getattr(grip, name), unit)
        strength = body.mass * (grip.acceleration + float(np.linalg.norm(world.gravity)))
        pointer = world.add_body(position=point, kind="kinematic", name=POINTER, group=0, mask=0)
        joint = world.add_joint(Free(point, second_point=point), pointer, body, name=POINTER)
        for name in ("distance",) if grip.mode == "rope" else _PLACE:
            joint.motor(max_force=strength, coordinate=name)
        if grip.mode == "grab":
            reach = float(np.sqrt(body.inertia.max() / body.mass))
            for name in _TURN:
                joint.motor(max_force=strength * reach, coordinate=name)
        return cls(world, grip)

    @property
    def point(self) -> np.ndarray:
        """Return where the body is held now (3,) [m], world."""
        return self._joint.second_point

    @property
    def pointer(self) -> np.ndarray:
        """Return where the pointer is now (3,) [m]; it follows its goal with bounded speed."""
        return self._pointer.position

    @property
    def whole(self) -> bool:
        """Return whether its pointer is still joined to the body."""
        return any(joint.name == POINTER for joint in self._world.joints)

    def holds(self, body: "Body") -> bool:
        """Return whether it ends when a body goes."""
        return body is self.body

    def move(self, goal: Any, quaternion: Any = None) -> None:
        """Say where the pointer is to go (3,) [m], and by how much "grab" is to turn the body in all."""
        turn = self.grip.turn if quaternion is None else tuple(checks.quaternion("quaternion", quaternion))
        self.grip = replace(self.grip, goal=tuple(checks.vector("goal", goal)), turn=turn)

    def follow(self) -> None:
        """Set the rates of the pointer, and those that motors have in the whole of the next step."""
        h = self._world.time_step
        self._calm(min(_CALM, 0.5 / h))
        rate = min(self.grip.rate, 0.5 / h)
        self._pointer.velocity = _bounded(
            (np.array(self.grip.goal) - self._pointer.position) / h, self.grip.speed
        )
        self._pointer.angular_velocity = self._spin(h)
        if self.grip.mode == "rope":
            slack = self._joint.value_of("distance") - self.grip.length
            rope = self._drives[0]
            rope.enabled = slack > 0.0
            hold_in_step(rope._arrays, rope.index, -rate * max(slack, 0.0))
            return
        gap = np.array([self._joint.value_of(name) for name in _PLACE])
        for drive, wanted in zip(self._drives, _bounded(-rate * gap, self.grip.speed), strict=False):
            hold_in_step(drive._arrays, drive.index, wanted)
        for drive, name in zip(self._drives[3:], _TURN, strict=False):
            hold_in_step(drive._arrays, drive.index, -rate * self._joint.value_of(name))

    def _calm(self, rate: float) -> None:
        """Brake the turning of the body at a rate [1/s], as a hand does."""
        row = self.body.index
        turn = self._world.principal_quaternions[row].copy()
        spin = rotate_inverse(turn, *self._world.angular_velocities[row])
        self.body.apply_torque(rotate(turn, *(-rate * self._world.inertias[row] * spin)))

    def _spin(self, h: float) -> np.ndarray:
        """Return the angular velocity [rad/s] that turns the pointer to its wanted orientation, bounded."""
        have, wanted = self._pointer.quaternion, np.array(self.grip.turn)
        w = float(have @ wanted)
        axis = have[0] * wanted[1:] - wanted[0] * have[1:] - np.cross(wanted[1:], have[1:])
        sine = float(np.linalg.norm(axis))
        if sine < 1e-12:
            return np.zeros(3)
        angle = 2.0 * np.arctan2(sine, abs(w))
        return np.copysign(min(angle / h, self.grip.speed), w) / sine * axis

    def end(self) -> None:
        """Let go; the body keeps its velocity."""
        self._world.remove_joint(self._joint)
        self._world.remove_body(self._pointer)


def _bounded(vector: np.ndarray, most: float) -> np.ndarray:
    """Return the vector, shortened to a length of at most `most`."""
    length = float(np.linalg.norm(vector))
    return vector if length <= most else vector * (most / length)

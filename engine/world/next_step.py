"""What bodies were told for the next step alone: loads, and poses to which they move."""

from collections.abc import Callable, Container
from math import atan2, sqrt

import numpy as np

from stoss.collision.quaternions import Quaternion, Vector, multiply_grouped
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.world.poses import body_pose

__all__ = ["NextStep"]


class NextStep:
    """Keep what bodies, by their keys, were told for the next step.

    Attributes:
        loads: forces and torques (6,) [N, N m].
        moves: poses of kinematic bodies after the step.
        moving: those that have the velocity of such a step.
    """

    def __init__(
        self,
        loads: dict[int, np.ndarray] | None = None,
        moves: dict[int, tuple[Vector, Quaternion]] | None = None,
        moving: set[int] | None = None,
    ) -> None:
        self.loads = loads or {}
        self.moves = moves or {}
        self.moving = moving or set()

    def copy(self) -> "NextStep":
        """Return another one of the same content."""
        return NextStep(dict(self.loads), dict(self.moves), set(self.moving))

    def forget(self, key: int) -> None:
        """Forget what a body was told."""
        self.loads.pop(key, None)
        self.stop_moving(key)

    def keep(self, keys: Container[int]) -> None:
        """Forget what all bodies but these were told."""
        self.loads = {key: load for key, load in self.loads.items() if key in keys}
        self.moves = {key: pose for key, pose in self.moves.items() if key in keys}
        self.moving = {key for key in self.moving if key in keys}

    def add_load(self, key: int, load: np.ndarray) -> None:
        """Add a force and a torque (6,) [N, N m]."""
        self.loads[key] = self.loads.get(key, np.zeros(6)) + load

    def take_loads(self, row: Callable[[int], int]) -> dict[int, np.ndarray]:
        """Return forces and torques (6,) for the step that begins, by rows of bodies, and forget them."""
        if not self.loads:
            return {}
        loads, self.loads = self.loads, {}
        return {row(key): load for key, load in loads.items()}

    def stop_moving(self, key: int) -> None:
        """Let a body have the velocity that it was given, not one that leads to a pose."""
        self.moves.pop(key, None)
        self.moving.discard(key)

    def start_moves(self, b: BodyArrays, row: Callable[[int], int], h: float) -> None:
        """Give kinematic bodies the velocities that lead to their poses in a step of length h [s]."""
        if not self.moves and not self.moving:
            return
        for key in self.moving - self.moves.keys():
            b.velocities[row(key)] = b.angular_velocities[row(key)] = 0.0
        for key, (place, turn) in self.moves.items():
            i = row(key)
            px, py, pz = b.frame_positions[i].tolist()
            w, x, y, z = b.frame_quaternions[i].tolist()
            center, principal = body_pose(place, turn, (px, py, pz), (w, x, y, z))
            w, x, y, z = b.quaternions[i].tolist()
            w, x, y, z = multiply_grouped(principal, (w, -x, -y, -z))
            sign = 1.0 if w >= 0.0 else -1.0
            sine = sqrt(x * x + y * y + z * z)
            scale = sign * 2.0 * atan2(sine, abs(w)) / (sine * h) if sine > 0.0 else 0.0
            b.velocities[i] = (np.array(center) - b.positions[i]) / h
            b.angular_velocities[i] = scale * x, scale * y, scale * z
        self.moving = set(self.moves)
        self.moves = {}

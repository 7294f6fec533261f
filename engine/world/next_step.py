"""What bodies were told for the next step alone: loads, poses to which they move, motions of surfaces."""

from collections.abc import Callable, Container
from math import atan2, sqrt
from typing import NamedTuple

import numpy as np

from stoss.collision.quaternions import Quaternion, Vector, multiply_grouped
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.constraints.leading import lead
from stoss.engine.world.poses import body_pose

__all__ = ["NextStep", "Surface", "Way"]


class Way(NamedTuple):
    """How a kinematic body moved that was given a pose or a velocity for a step."""

    rates: np.ndarray  # mean velocity and angular velocity (6,) [m/s, rad/s]
    changes: np.ndarray  # of these since the step before, per time (6,) [m/s^2, rad/s^2]
    length: float  # of the step [s]
    stops: bool  # whether it stands still afterwards: it was given a pose, not a velocity


class Surface(NamedTuple):
    """How the motion of a surface changed in a step for which it was given another one."""

    rates: np.ndarray  # per second (6,) [m/s^2, rad/s^2]
    changes: np.ndarray  # of these since the step before, per second (6,)


class NextStep:
    """Keep what bodies, by their keys, were told for the next step.

    Attributes:
        loads: forces and torques (6,) [N, N m].
        moves: poses of kinematic bodies after the step.
        moving: the ways of those that were told how to move in the last step.
        steered: kinematic bodies that were given a velocity since then.
        surfaces: how those changed that were given another motion for the last step.
        conveying: motions (6,) of the surfaces that were given another one since then, before it.
    """

    def __init__(
        self,
        loads: dict[int, np.ndarray] | None = None,
        moves: dict[int, tuple[Vector, Quaternion]] | None = None,
        moving: dict[int, Way] | None = None,
        steered: set[int] | None = None,
        surfaces: dict[int, Surface] | None = None,
        conveying: dict[int, np.ndarray] | None = None,
    ) -> None:
        self.loads = loads or {}
        self.moves = moves or {}
        self.moving = moving or {}
        self.steered = steered or set()
        self.surfaces = surfaces or {}
        self.conveying = conveying or {}
        self._given: dict[int, np.ndarray] = {}  # motions (6,) at the end of the present step

    def copy(self) -> "NextStep":
        """Return another one of the same content."""
        return NextStep(
            *(dict(self.loads), dict(self.moves), dict(self.moving), set(self.steered)),
            *(dict(self.surfaces), dict(self.conveying)),
        )

    def forget(self, key: int) -> None:
        """Forget what a body was told."""
        self.loads.pop(key, None)
        self.stop_moving(key)
        self.steered.discard(key)
        self.surfaces.pop(key, None)
        self.conveying.pop(key, None)

    def keep(self, keys: Container[int]) -> None:
        """Forget what all bodies but these were told."""
        self.loads = {key: load for key, load in self.loads.items() if key in keys}
        self.moves = {key: pose for key, pose in self.moves.items() if key in keys}
        self.moving = {key: way for key, way in self.moving.items() if key in keys}
        self.steered = {key for key in self.steered if key in keys}
        self.surfaces = {key: how for key, how in self.surfaces.items() if key in keys}
        self.conveying = {key: motion for key, motion in self.conveying.items() if key in keys}

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
        """Let a body keep the velocity that it has, not one that leads to a pose."""
        self.moves.pop(key, None)
        self.moving.pop(key, None)

    def steer(self, key: int) -> None:
        """Let a kinematic body go on with the velocity that it was given just now."""
        self.moves.pop(key, None)
        self.steered.add(key)

    @property
    def moves_bodies(self) -> bool:
        """Return whether there is anything for `start_moves` to do."""
        return bool(self.moves or self.moving or self.steered)

    @property
    def moves_surfaces(self) -> bool:
        """Return whether there is anything for `start_surfaces` to do."""
        return bool(self.surfaces or self.conveying)

    def start_moves(self, b: BodyArrays, row: Callable[[int], int], h: float) -> None:
        """Give kinematic bodies the rates that lead to their poses in a step of length h [s].

        At its end they are as fast as their last rates say. What is carried goes on with that speed: with the
        mean one it would be late by half a step, and leave what is slowed down by half of gravity.
        """
        if not self.moves_bodies:
            return
        rates = {}
        for key in self.steered:
            i = row(key)
            rates[key] = np.concatenate((b.velocities[i], b.angular_velocities[i]))
        for key, (place, turn) in self.moves.items():
            rates[key] = _mean_rates(b, row(key), place, turn, h)
        ways = {}
        for key, rate in rates.items():
            i = row(key)
            last = self.moving.get(key)
            if last is None:
                now = np.concatenate((b.velocities[i], b.angular_velocities[i]))
                last = Way(now, np.zeros(6), h, True)
            changes = (rate - last.rates) / (0.5 * (h + last.length))
            ways[key] = Way(rate, changes, h, key in self.moves)
            b.told[i, :3] = _lasting(changes[:3], last.changes[:3])
            b.told[i, 3:6] = _lasting(changes[3:], last.changes[3:])
            b.told[i, 6:] = rate[3:]
            start = rate - 0.5 * h * b.told[i, :6]
            b.velocities[i], b.angular_velocities[i] = start[:3], start[3:]
        for key, way in self.moving.items():
            if way.stops and key not in rates:
                b.velocities[row(key)] = b.angular_velocities[row(key)] = 0.0
        self.moving, self.moves, self.steered = ways, {}, set()

    def start_surfaces(self, b: BodyArrays, row: Callable[[int], int], h: float) -> None:
        """Let surfaces come to the motion that they were given within a step of length h [s].

        What was given in the last step as well changes evenly, what is given once holds at once.
        """
        ways = {}
        for key, before in self.conveying.items():
            i = row(key)
            given = b.surface_motion[i].copy()
            last = self.surfaces.get(key, Surface(np.zeros(6), np.zeros(6)))
            way = np.array([lead(*one, h) for one in zip(given, before, *last, strict=True)])
            ways[key] = Surface(way[:, 2], way[:, 3])
            b.surface_motion[i], b.surface_change[i] = given - h * way[:, 0], way[:, 0]
            b.conveys[i] = int(given.any() or way[:, 0].any())
            self._given[key] = given
        self.surfaces, self.conveying = ways, {}

    def end_surfaces(self, b: BodyArrays, row: Callable[[int], int]) -> None:
        """Let surfaces have the motion that they were given."""
        for key, given in self._given.items():
            i = row(key)
            b.surface_motion[i], b.surface_change[i] = given, 0.0
            b.conveys[i] = int(given.any())
        self._given = {}

    def end_moves(self, b: BodyArrays, row: Callable[[int], int]) -> None:
        """End the accelerations of the step; who was given a velocity has that one."""
        if not self.moving:
            return
        b.told.fill(0.0)
        for key, way in self.moving.items():
            if not way.stops:
                b.velocities[row(key)], b.angular_velocities[row(key)] = way.rates[:3], way.rates[3:]


def _mean_rates(b: BodyArrays, i: int, place: Vector, turn: Quaternion, h: float) -> np.ndarray:
    """Return the constant velocity and angular velocity (6,) by which body i comes to a pose in h [s]."""
    px, py, pz = b.frame_positions[i].tolist()
    w, x, y, z = b.frame_quaternions[i].tolist()
    center, principal = body_pose(place, turn, (px, py, pz), (w, x, y, z))
    w, x, y, z = b.quaternions[i].tolist()
    w, x, y, z = multiply_grouped(principal, (w, -x, -y, -z))
    sign = 1.0 if w >= 0.0 else -1.0
    sine = sqrt(x * x + y * y + z * z)
    scale = sign * 2.0 * atan2(sine, abs(w)) / (sine * h) if sine > 0.0 else 0.0
    return np.array([*(np.array(center) - b.positions[i]) / h, scale * x, scale * y, scale * z])


def _lasting(change: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return a change (3,) as far as it lasts: at most twice the last one, nothing where it turns round.

    So a jump of the velocity is no acceleration: who starts at once is at once as fast as he goes.
    """
    if float(change @ last) <= 0.0:
        return np.zeros(3)
    size, bound = float(np.linalg.norm(change)), 2.0 * float(np.linalg.norm(last))
    return change if size <= bound else change * (bound / size)

"""Bodies as the reference sees them: where they are, their mass matrix, and all of it as one vector."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Bodies", "Motion", "cross", "matrices"]


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the cross products of rows, as many of both: `np.cross` takes ten times as long for a few."""
    found = np.empty_like(a if a.ndim >= b.ndim else b)
    found[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    found[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    found[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return found


def matrices(quaternions: np.ndarray) -> np.ndarray:
    """Return the rotation matrices (n, 3, 3) of quaternions (n, 4) of any length."""
    w, x, y, z = (quaternions / np.linalg.norm(quaternions, axis=1)[:, None]).T
    found = np.empty((len(quaternions), 3, 3))
    found[:, 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    found[:, 0, 1] = 2.0 * (x * y - w * z)
    found[:, 0, 2] = 2.0 * (x * z + w * y)
    found[:, 1, 0] = 2.0 * (x * y + w * z)
    found[:, 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    found[:, 1, 2] = 2.0 * (y * z - w * x)
    found[:, 2, 0] = 2.0 * (x * z - w * y)
    found[:, 2, 1] = 2.0 * (y * z + w * x)
    found[:, 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    return found


@dataclass
class Motion:
    """Poses and velocities at one time; the last row is the world itself, at rest.

    Args:
        x, q: centres of mass (n + 1, 3) [m], principal axes to world (n + 1, 4).
        v, w: velocities (n + 1, 3) [m/s], [rad/s], both in the world.
        angles: in a plane the angles (n + 1,) [rad], which count turns, about the normal.
    """

    x: np.ndarray
    q: np.ndarray
    v: np.ndarray
    w: np.ndarray
    angles: np.ndarray | None = None

    def __post_init__(self) -> None:
        self.turn = matrices(self.q)


class Bodies:
    """Masses and the state of the bodies of a world.

    Args:
        world: the world.

    Attributes:
        count: number of bodies.
        names: of the bodies.
        size: of a state. In space 13 numbers for each body: centres, quaternions, velocities, angular
            velocities; in a plane 6: two coordinates, an angle, and their rates.
        first: the state at the beginning (size,).
    """

    def __init__(self, world: "World") -> None:
        b = world._bodies
        self.count = n = len(b.kinds)
        self.names = [body.name for body in world.bodies]
        dynamic = np.array([body.kind == "dynamic" for body in world.bodies], bool)
        self.masses = np.where(dynamic, b.masses, 0.0)
        self.inertias = np.where(dynamic[:, None], b.inertias, 0.0)
        # the world, and what does not react, have no inverse mass; in a plane, what would leave it neither
        free, turning = np.ones(3), np.ones(3)
        if world.plane is not None:
            free[world.plane.normal] = 0.0
            turning -= free
        self._inverse_masses = np.zeros((n + 1, 3))
        self._inverse_inertias = np.zeros((n + 1, 3))
        self._inverse_masses[:n][dynamic] = free / b.masses[dynamic, None]
        self._inverse_inertias[:n][dynamic] = 1.0 / b.inertias[dynamic]
        self._turning = turning
        self._plane = world.plane
        if self._plane is not None:
            self._axes = [self._plane.first, self._plane.second]
            self._normal = self._plane.normal
            self._sign = self._plane.turning(np.eye(3)[self._normal])
        moving = np.array([body.kind != "static" for body in world.bodies], bool)
        still = np.where(moving[:, None], 1.0, 0.0)
        self.size = (13 if self._plane is None else 6) * n
        self.first = self.state(
            np.array(b.positions), np.array(b.quaternions), b.velocities * still, b.angular_velocities * still
        )

    def state(self, x: np.ndarray, q: np.ndarray, v: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return the state (size,) of bodies: centres, quaternions, velocities, angular velocities."""
        if self._plane is None:
            return np.concatenate([x.ravel(), q.ravel(), v.ravel(), w.ravel()])
        sign, normal = self._sign, self._normal
        angles = 2.0 * np.arctan2(sign * q[:, 1 + normal], q[:, 0])
        across = self._axes
        return np.concatenate([x[:, across].ravel(), angles, v[:, across].ravel(), sign * w[:, normal]])

    def motion(self, state: np.ndarray) -> Motion:
        """Return the motion that the beginning of a state says."""
        n = self.count
        x, q = np.zeros((n + 1, 3)), np.zeros((n + 1, 4))
        v, w = np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
        q[n, 0] = 1.0
        if self._plane is None:
            x[:n], q[:n] = state[: 3 * n].reshape(n, 3), state[3 * n : 7 * n].reshape(n, 4)
            v[:n], w[:n] = state[7 * n : 10 * n].reshape(n, 3), state[10 * n : 13 * n].reshape(n, 3)
            return Motion(x, q, v, w)
        sign, normal = self._sign, self._normal
        x[:n, self._axes], half = state[: 2 * n].reshape(n, 2), 0.5 * state[2 * n : 3 * n]
        q[:n, 0], q[:n, 1 + normal] = np.cos(half), sign * np.sin(half)
        v[:n, self._axes], w[:n, normal] = state[3 * n : 5 * n].reshape(n, 2), sign * state[5 * n : 6 * n]
        return Motion(x, q, v, w, np.append(sign * state[2 * n : 3 * n], 0.0))

    def speeds(self, state: np.ndarray) -> np.ndarray:
        """Return the speeds (n,) [m/s] of the centres of mass."""
        n = self.count
        part = state[7 * n : 10 * n] if self._plane is None else state[3 * n : 5 * n]
        return np.asarray(np.linalg.norm(part.reshape(n, -1), axis=1)) if n else np.zeros(0)

    def distances(self, state: np.ndarray) -> np.ndarray:
        """Return the distances (n,) [m] of the centres of mass from the origin."""
        n = self.count
        part = state[: 3 * n] if self._plane is None else state[: 2 * n]
        return np.asarray(np.linalg.norm(part.reshape(n, -1), axis=1)) if n else np.zeros(0)

    def rates(self, motion: Motion, linear: np.ndarray, angular: np.ndarray) -> np.ndarray:
        """Return the rates of a state with accelerations (n + 1, 3)."""
        n = self.count
        w, q = motion.w[:n], motion.q[:n]
        if self._plane is not None:
            sign, normal = self._sign, self._normal
            across = self._axes
            return np.concatenate(
                [
                    motion.v[:n, across].ravel(),
                    sign * w[:, normal],
                    linear[:n, across].ravel(),
                    sign * angular[:n, normal],
                ]
            )
        turning = np.empty((n, 4))
        turning[:, 0] = -0.5 * (w * q[:, 1:]).sum(axis=1)
        turning[:, 1:] = 0.5 * (w * q[:, :1] + cross(w, q[:, 1:]))
        return np.concatenate(
            [motion.v[:n].ravel(), turning.ravel(), linear[:n].ravel(), angular[:n].ravel()]
        )

    def inverse_mass(self, motion: Motion) -> tuple[np.ndarray, np.ndarray]:
        """Return inverse masses (n + 1, 3) along the axes, inverse inertias (n + 1, 3, 3) in the world."""
        turn = motion.turn
        inertia = (turn * self._inverse_inertias[:, None, :]) @ turn.transpose(0, 2, 1)
        return self._inverse_masses, inertia * np.outer(self._turning, self._turning)

    def gyroscopic(self, motion: Motion) -> np.ndarray:
        """Return the torques (n + 1, 3) that turning bodies need, less: -w x I w."""
        n = self.count
        own = np.einsum("bji,bj->bi", motion.turn[:n], motion.w[:n]) * self.inertias
        found = np.zeros((n + 1, 3))
        found[:n] = -cross(motion.w[:n], np.einsum("bij,bj->bi", motion.turn[:n], own))
        return found

    def energy(self, motion: Motion) -> float:
        """Return the kinetic energy [J]."""
        n = self.count
        own = np.einsum("bji,bj->bi", motion.turn[:n], motion.w[:n])
        return float(
            0.5 * (self.masses * (motion.v[:n] ** 2).sum(axis=1)).sum() + 0.5 * (self.inertias * own**2).sum()
        )

    def angular_momentum(self, motion: Motion) -> np.ndarray:
        """Return the angular momentum (3,) about the origin of the world [kg m^2/s]."""
        n = self.count
        own = np.einsum("bji,bj->bi", motion.turn[:n], motion.w[:n]) * self.inertias
        spin = np.einsum("bij,bj->bi", motion.turn[:n], own)
        found: np.ndarray = (spin + self.masses[:, None] * cross(motion.x[:n], motion.v[:n])).sum(axis=0)
        return found

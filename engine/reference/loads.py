"""Loads and user integrals of a world, evaluated wherever the reference asks for them."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.engine.reference.bodies import Motion

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["WorldLoads"]


class WorldLoads:
    """What loads give, and the rates of user integrals, at any time and motion.

    The laws are those that the world itself has; functions of the user are called with the bodies of the
    world put where the reference has them. What such functions keep in their memory is as it was at the
    beginning, in each call: an integrator tries steps, and goes back.

    Args:
        world: a copy that is the reference's own.

    Attributes:
        first: values of all user integrals at the beginning, one after the other.
    """

    def __init__(self, world: "World") -> None:
        self._world = world
        self._store = world._loads
        self._keys: list[int] = []
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._sizes: list[int] = []
        self.first = np.zeros(0)
        if self._store is None:
            return
        integrals = self._store.integrals
        for record in integrals.registry.records:
            self._keys.append(record.key)
            self._shapes[record.name] = record.shape
            self._sizes.append(integrals.values[record.key].size)
        if self._keys:
            self.first = np.concatenate([integrals.values[key] for key in self._keys])

    def at(self, time: float, motion: Motion, integrals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return forces and torques (n, 6) of all loads, and the rates of the user integrals."""
        world, store = self._world, self._store
        count = len(motion.x) - 1
        if store is None:
            return np.zeros((count, 6)), np.zeros(0)
        arrays = world._bodies
        arrays.positions[:], arrays.quaternions[:] = motion.x[:-1], motion.q[:-1]
        arrays.quaternions[:] /= np.linalg.norm(arrays.quaternions, axis=1)[:, None]
        arrays.velocities[:], arrays.angular_velocities[:] = motion.v[:-1], motion.w[:-1]
        vars(world)["time"] = time
        begin = 0
        for key, size in zip(self._keys, self._sizes, strict=True):
            store.integrals.values[key] = integrals[begin : begin + size].copy()
            begin += size
        # a step of no length, in which nothing moves: its middle is the present
        store.arrange()
        scratch = {key: array.copy() for key, array in store.functions.scratch.items()}
        total = store.stepping.evaluate(0.0, np.ones(count, np.bool_), store.stepping.motion, 0.0).copy()
        store.functions.scratch.update(scratch)
        rates = [store.integrals.rates[key] for key in self._keys]
        return total, np.concatenate(rates) if rates else np.zeros(0)

    def shown(self, integrals: np.ndarray) -> dict[str, np.ndarray]:
        """Return user integrals over time (t, all of them) by their names."""
        found, begin = {}, 0
        for (name, shape), size in zip(self._shapes.items(), self._sizes, strict=True):
            found[name] = integrals[:, begin : begin + size].reshape(len(integrals), *shape).copy()
            begin += size
        return found

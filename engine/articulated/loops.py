"""Loops of a tree: how far they are open, and what closes them (Stelzner 2008, sections 1.3.5 and 2.3)."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.engine.articulated.closures import write_closures
from stoss.engine.articulated.placement import Placement
from stoss.engine.joints.arrays import HOLD
from stoss.engine.joints.placement import new_joint_frames

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Loops"]

# Rounds of Newton's method that close loops, and the error at which they end [m or rad].
MOST_ROUNDS, CLOSED = 50, 1e-13
# Share of the largest singular value below which a row says what others say.
RANK = 1e-10
# Displacement [rad or m] over which the change of a jacobian along the motion is measured.
AHEAD = 1e-4


class Loops:
    """Joints of a world that its tree does not carry anything by, as rows between coordinates.

    Attributes:
        joints, frames: arrays of all joints of the world.
        rows: which of their rows are of loops (r,).
    """

    def __init__(self, world: "World", placement: Placement) -> None:
        self._world, self._placement = world, placement
        self.take_rows()

    def __len__(self) -> int:
        return len(self.rows)

    def take_rows(self) -> None:
        """Look at the rows of joints as they are now; motors and limits that come and go move them."""
        self.joints = self._world._joint_table.copy_arrays()
        self.frames = new_joint_frames(self.joints)
        self.frames.places.turns[:] = True
        numbers = [joint.index for joint in self._placement.structure.closures]
        owner = self.joints.joint[self.joints.part]
        held = (self.joints.role == HOLD) & self.joints.active & np.isin(owner, numbers)
        self.rows = np.flatnonzero(held)

    def closures(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return by how much rows are open (r,), and how that changes with the coordinates (r, n)."""
        errors, jacobian = np.zeros(len(self.rows)), np.zeros((len(self.rows), len(self._placement)))
        moved = self._placement.moved(q)
        write_closures(self._placement.tree, self.joints, self.frames, moved, self.rows, errors, jacobian)
        return errors, jacobian

    def bias(self, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """Return the second derivative (r,) of the errors of loops at constant rates."""
        fastest = max(float(np.abs(rates).max(initial=0.0)), 0.1 if self._placement.driven else 0.0)
        if fastest == 0.0:
            return np.zeros(len(self.rows))
        h = AHEAD / fastest
        if self._placement.driven:
            steps = [self._after(q, k * h, rates) for k in range(-2, 3)]
            both = 16.0 * (steps[1] + steps[3]) - steps[0] - steps[4] - 30.0 * steps[2]
            return np.asarray(both / (12.0 * h * h))
        steps = [(self.closures(q + k * h * rates)[1] @ rates) for k in (-2, -1, 1, 2)]
        return np.asarray((steps[0] - 8.0 * steps[1] + 8.0 * steps[2] - steps[3]) / (12.0 * h))

    def _after(self, q: np.ndarray, h: float, rates: np.ndarray) -> np.ndarray:
        """Return the errors of loops a time h [s] later, at constant rates."""
        now, self._placement.time = self._placement.time, self._placement.time + h
        try:
            return self.closures(q + h * rates)[0]
        finally:
            self._placement.time = now

    def drift(self, q: np.ndarray) -> np.ndarray:
        """Return the rates (r,) of the errors of loops that time alone makes."""
        if not self._placement.driven:
            return np.zeros(len(self.rows))
        h, still = 1e-3, np.zeros(len(self._placement))
        steps = [self._after(q, k * h, still) for k in (-2, -1, 1, 2)]
        return np.asarray((steps[0] - 8.0 * steps[1] + 8.0 * steps[2] - steps[3]) / (12.0 * h))

    def _mass_matrix(self, q: np.ndarray) -> np.ndarray:
        self._placement.place(q)
        return self._placement.mass_matrix()

    def towards(
        self, q: np.ndarray, jacobian: np.ndarray, wanted: np.ndarray, mass: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the change (n,) of least mass-weighted size that changes what rows measure as wanted."""
        return self.impulses(q, jacobian, wanted, mass)[0]

    def impulses(
        self, q: np.ndarray, jacobian: np.ndarray, wanted: np.ndarray, mass: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return what `towards` does, and what the rows (r,) give for it: the least that do."""
        moved = np.linalg.solve(self._mass_matrix(q) if mass is None else mass, jacobian.T)
        given = np.linalg.lstsq(jacobian @ moved, wanted, RANK)[0]
        return np.asarray(moved @ given), np.asarray(given)

    def assemble(self, q: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates (n,) nearest to q at which loops are closed, and rates: `Articulation`."""
        errors = np.zeros(0)
        for _ in range(MOST_ROUNDS):
            errors, jacobian = self.closures(q)
            if np.abs(errors).max(initial=0.0) <= CLOSED:
                break
            q = q + self.towards(q, jacobian, -errors)
        if not np.abs(errors).max(initial=0.0) <= 1e3 * CLOSED:
            worst = int(np.argmax(np.abs(errors)))
            part = self.joints.part[self.rows[worst]]
            name = self._world.joints[self.joints.joint[part]].name
            raise ValueError(
                f"loops cannot be closed: joint {name!r} stays open by {abs(errors[worst]):.3g} m or rad; "
                "begin nearer to a pose in which it is closed, or look whether lengths reach"
            )
        jacobian = self.closures(q)[1]
        if not len(self.rows):
            return q, rates
        return q, rates - self.towards(q, jacobian, jacobian @ rates + self.drift(q))

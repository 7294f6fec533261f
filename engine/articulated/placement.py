"""The tree of a world, placed at given coordinates."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.engine.articulated.structure import PATTERNS, Structure
from stoss.engine.articulated.tree import place_tree
from stoss.engine.articulated.tree_bodies import write_poses, write_velocities
from stoss.engine.articulated.tree_dynamics import accelerate, add_mass_matrix, add_rotors
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["CHANGED", "Placement"]

CHANGED = (
    "the world has other bodies or joints than when this Articulation was made; make a new one: "
    "Articulation(world)"
)


class Placement:
    """A tree with the masses that the bodies of its world have, and where it puts them.

    Attributes:
        structure, tree: of the world.
        own: axis whose displacement each coordinate is (n,).
        moves: which bodies move (b,).
        bodies: a copy of the arrays of the bodies, at the coordinates that were asked for last.
        time: at which coordinates that follow it are taken [s].
    """

    def __init__(self, world: "World", structure: Structure) -> None:
        self._world = world
        self.structure, self.tree = structure, structure.tree
        self.own = np.array(structure.own, np.int64)
        self.bodies: BodyArrays = world._bodies.copy()
        self.moves = world._bodies.kinds == DYNAMIC
        self.time: float = world.time
        self._rotors: tuple[int, np.ndarray, np.ndarray] = (-1, np.zeros(0, int), np.zeros(0, int))

    def __len__(self) -> int:
        return len(self.structure.names)

    @property
    def driven(self) -> bool:
        """Return whether anything follows the time."""
        return any(coordinate < 0 for _, coordinate, _ in self.structure.curves)

    def place(self, q: np.ndarray) -> None:
        """Place the tree at coordinates q (n,).

        Raises:
            ValueError: the world has not the bodies any more that it had.
        """
        tree, bodies = self.tree, self._world._bodies
        if len(bodies.masses) != len(tree.mass):
            raise ValueError(CHANGED)
        np.copyto(tree.mass, bodies.masses)
        np.copyto(tree.inertia, bodies.inertias)
        self._take_rotors()
        for k, coordinate, laws in self.structure.curves:
            value = at = float(q[coordinate]) if coordinate >= 0 else self.time
            slope, bend = 1.0, 0.0
            for law in laws:
                value, own, own_bend = law(value)
                slope, bend = own * slope, own_bend * slope * slope + own * bend
            if coordinate >= 0:
                tree.slope[k], tree.bend[k], tree.start[k] = slope, bend, value - slope * at
            else:
                tree.start[k], tree.drift[k], tree.push[k] = value, slope, bend
        place_tree(tree, q)

    def moved(self, q: np.ndarray) -> BodyArrays:
        """Return the arrays of the bodies as they are at q, but for velocities."""
        self.place(q)
        write_poses(self.tree, self.moves, self.bodies.positions, self.bodies.quaternions)
        return self.bodies

    def _take_rotors(self) -> None:
        """Give the axes the inertias of the rotors of their joints."""
        table = self._world._joint_table
        if self._rotors[0] != table.version:
            found = [
                (joint.axes[k], rotor.index)
                for joint in self.structure.joints
                for rotor in (() if joint.joint is None else joint.joint.rotors)
                for k, (_, name) in enumerate(PATTERNS[joint.kind])
                if name == rotor.coordinate
            ]
            axes, rows = np.array(found, np.int64).reshape(-1, 2).T
            self._rotors = table.version, axes, rows
        _, axes, rows = self._rotors
        if len(axes):
            arrays = table.arrays
            self.tree.rotor[:] = 0.0
            np.add.at(self.tree.rotor, axes, np.where(arrays.active[rows], arrays.inertia[rows], 0.0))

    def mass_matrix(self, *, rotors: bool = True) -> np.ndarray:
        """Return the mass matrix (n, n) where the tree is placed, with that of rotors or of links alone."""
        out = np.zeros((len(self), len(self)))
        add_mass_matrix(self.tree, out)
        if rotors:
            add_rotors(self.tree, out)
        return out

    def drift(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the velocities of bodies (b, 3) that time alone makes, where the tree is placed."""
        still, count = np.zeros(len(self)), len(self.moves)
        linear, angular = np.zeros((count, 3)), np.zeros((count, 3))
        if self.tree.drift.any():
            accelerate(self.tree, still, still, np.zeros(3))
            write_velocities(self.tree, self.moves, linear, angular)
        return linear, angular

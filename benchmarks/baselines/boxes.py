"""Chains and trees of boxes with ball joints, as plain arrays that scenes of the engine can share."""

from typing import NamedTuple

import numpy as np

from benchmarks.baselines.model import BallJointModel

__all__ = ["JointedBoxes", "chain_boxes", "chain_model", "tree_boxes", "tree_model"]

TREE_DENSITY = 600.0  # of experiment E-02 [kg/m^3]
TREE_TORQUE = 10.0  # on the root during the first step, in experiment E-02 [N m]


class JointedBoxes(NamedTuple):
    """Boxes along the axes of the world, each joined to one earlier box or to the world."""

    sizes: np.ndarray  # (n, 3) edge lengths along x, y, z [m]
    masses: np.ndarray  # (n,) [kg]
    positions: np.ndarray  # (n, 3) centres [m]
    parents: np.ndarray  # (n,) the box it hangs on, -1 for the world
    joint_points: np.ndarray  # (n, 3) where it hangs, in the world [m]

    def model(
        self,
        velocities: np.ndarray | None = None,
        torques: np.ndarray | None = None,
        torque_steps: int = 0,
        gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    ) -> BallJointModel:
        """Return the boxes with ball joints as a model.

        Args:
            velocities: (n, 3) velocities of the centres [m/s]; None: at rest.
            torques: (n, 3) external torques [N m]; None: none.
            torque_steps: number of steps during which the torques act.
            gravity: gravitational acceleration [m/s^2].
        """
        squares = self.sizes**2
        parent_positions = np.where(self.parents[:, None] >= 0, self.positions[self.parents], 0.0)
        return BallJointModel(
            masses=self.masses,
            inertias=self.masses[:, None] / 12.0 * (squares.sum(axis=1)[:, None] - squares),
            positions=self.positions,
            quaternions=np.tile([1.0, 0.0, 0.0, 0.0], (len(self.masses), 1)),
            velocities=velocities,
            joint_bodies=np.column_stack((self.parents, np.arange(len(self.masses)))),
            points_a=self.joint_points - parent_positions,
            points_b=self.joint_points - self.positions,
            gravity=gravity,
            torques=torques,
            torque_steps=torque_steps,
        )


def chain_boxes(bodies: int, *, horizontal: bool = False) -> JointedBoxes:
    """Return a straight chain on the origin: boxes of 1 m x 0.1 m x 0.1 m, 1 kg each (E-01).

    Args:
        bodies: number of boxes.
        horizontal: let it start along x instead of hanging down.
    """
    if bodies < 1:
        raise ValueError(f"bodies = {bodies!r}: give 1 or more")
    along = np.array([1.0, 0.0, 0.0] if horizontal else [0.0, 0.0, -1.0])
    number = np.arange(bodies, dtype=np.float64)[:, None]
    return JointedBoxes(
        sizes=np.tile(np.where(along != 0.0, 1.0, 0.1), (bodies, 1)),
        masses=np.ones(bodies),
        positions=(number + 0.5) * along,
        parents=np.arange(-1, bodies - 1),
        joint_points=number * along,
    )


def chain_model(bodies: int, *, speed: float = 2.0, seed: int = 0) -> BallJointModel:
    """Return the chain of experiment E-01: every centre starts with the same speed in a random direction.

    These velocities pull the joints apart: `consistent_velocities` gives the nearest ones that do not.

    Args:
        bodies: number of boxes.
        speed: speed of the centres [m/s].
        seed: of the random directions, which the thesis does not state.
    """
    directions = np.random.default_rng(seed).normal(size=(bodies, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    return chain_boxes(bodies).model(velocities=speed * directions)


def tree_boxes(levels: int, *, drop: float = 0.0) -> JointedBoxes:
    """Return a balanced mobile: a binary tree whose boxes carry two children, one at each end (E-02).

    Boxes of a level are `0.1 m * 1.5^(levels - 1 - level)` long and 4 cm thick, of density 600 kg/m^3, and
    lie along x and y in turn. Each hangs on its own centre (thesis: not stated), the root on the origin.
    Box k has the children 2 k + 1 and 2 k + 2.

    With `drop` = 0 each box is balanced however its children are turned. So a box feels no torque from
    its neighbours and turns as a free body would, with the masses of both branches at its ends.

    Args:
        levels: number of levels; there are 2^levels - 1 boxes.
        drop: how far below its joint the centre of each child hangs [m] (0.1: the pendulum variant).
    """
    if levels < 1:
        raise ValueError(f"levels = {levels!r}: give 1 or more")
    bodies = 2**levels - 1
    level = np.array([(k + 1).bit_length() - 1 for k in range(bodies)])
    lengths = 0.1 * 1.5 ** (levels - 1.0 - level)
    sizes = np.full((bodies, 3), 0.04)
    sizes[np.arange(bodies), level % 2] = lengths
    positions, joint_points = np.zeros((bodies, 3)), np.zeros((bodies, 3))
    parents = (np.arange(bodies) - 1) // 2
    for k in range(1, bodies):
        joint_points[k] = positions[parents[k]]
        joint_points[k, level[parents[k]] % 2] += (-0.5 if k % 2 else 0.5) * lengths[parents[k]]
        positions[k] = joint_points[k] - (0.0, 0.0, drop)
    return JointedBoxes(sizes, TREE_DENSITY * sizes.prod(axis=1), positions, parents, joint_points)


def tree_model(levels: int, *, drop: float = 0.0, torque: float = TREE_TORQUE) -> BallJointModel:
    """Return the tree of experiments E-02, E-03 and E-07: a torque about z on the root in the first step.

    Args:
        levels: number of levels; there are 2^levels - 1 boxes.
        drop: how far below its joint the centre of each child hangs [m].
        torque: about the vertical, on the root, during one step [N m].
    """
    boxes = tree_boxes(levels, drop=drop)
    torques = np.zeros((len(boxes.masses), 3))
    torques[0, 2] = torque
    return boxes.model(torques=torques, torque_steps=1)

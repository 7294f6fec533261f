"""The chains and trees of `stoss.scenes.mechanisms.jointed_boxes` as models of the baselines."""

import numpy as np

from stoss.benchmarks.baselines.model import BallJointModel
from stoss.scenes.mechanisms.jointed_boxes import TREE_TORQUE, JointedBoxes, chain_boxes, tree_boxes

__all__ = ["box_model", "chain_model", "tree_model"]


def box_model(
    boxes: JointedBoxes,
    velocities: np.ndarray | None = None,
    torques: np.ndarray | None = None,
    torque_steps: int = 0,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
) -> BallJointModel:
    """Return boxes with ball joints as a model.

    Args:
        boxes: the boxes.
        velocities: (n, 3) velocities of the centres [m/s]; None: at rest.
        torques: (n, 3) external torques [N m]; None: none.
        torque_steps: number of steps during which the torques act.
        gravity: gravitational acceleration [m/s^2].
    """
    squares = boxes.sizes**2
    parent_positions = np.where(boxes.parents[:, None] >= 0, boxes.positions[boxes.parents], 0.0)
    return BallJointModel(
        masses=boxes.masses,
        inertias=boxes.masses[:, None] / 12.0 * (squares.sum(axis=1)[:, None] - squares),
        positions=boxes.positions,
        quaternions=np.tile([1.0, 0.0, 0.0, 0.0], (len(boxes.masses), 1)),
        velocities=velocities,
        joint_bodies=np.column_stack((boxes.parents, np.arange(len(boxes.masses)))),
        points_a=boxes.joint_points - parent_positions,
        points_b=boxes.joint_points - boxes.positions,
        gravity=gravity,
        torques=torques,
        torque_steps=torque_steps,
    )


def chain_model(bodies: int, *, speed: float = 2.0, seed: int = 0) -> BallJointModel:
    """Return the chain of Table 3.1: every centre starts with the same speed in a random direction.

    These velocities pull the joints apart: `consistent_velocities` gives the nearest ones that do not.

    Args:
        bodies: number of boxes.
        speed: speed of the centres [m/s].
        seed: of the random directions, which the thesis does not state.
    """
    directions = np.random.default_rng(seed).normal(size=(bodies, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    return box_model(chain_boxes(bodies), velocities=speed * directions)


def tree_model(levels: int, *, drop: float = 0.0, torque: float = TREE_TORQUE) -> BallJointModel:
    """Return a tree of the thesis (Tables 3.2 to 3.4, 3.7): a torque about z on the root in the first step.

    Args:
        levels: number of levels; there are 2^levels - 1 boxes.
        drop: how far below its joint the centre of each child hangs [m].
        torque: about the vertical, on the root, during one step [N m].
    """
    boxes = tree_boxes(levels, drop=drop)
    torques = np.zeros((len(boxes.masses), 3))
    torques[0, 2] = torque
    return box_model(boxes, torques=torques, torque_steps=1)

"""Chains and trees of boxes with ball joints: plain arrays, and the same in a world."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stoss.scenes.building.checks import check_count, check_finite, check_positive

if TYPE_CHECKING:
    from stoss.engine import Body, World

__all__ = ["TREE_DENSITY", "TREE_TORQUE", "JointedBoxes", "add_jointed_boxes", "chain_boxes", "tree_boxes"]

TREE_DENSITY = 600.0  # of the trees of Bender 2007, section 3.3.3.1 [kg/m^3]
TREE_TORQUE = 10.0  # on the root during the first step [N m]


class JointedBoxes(NamedTuple):
    """Boxes along the axes of the world, each joined to one earlier box or to the world."""

    sizes: np.ndarray  # (n, 3) edge lengths along x, y, z [m]
    masses: np.ndarray  # (n,) [kg]
    positions: np.ndarray  # (n, 3) centres [m]
    parents: np.ndarray  # (n,) the box it hangs on, -1 for the world
    joint_points: np.ndarray  # (n, 3) where it hangs, in the world [m]


def chain_boxes(
    bodies: int, *, horizontal: bool = False, length: float = 1.0, thickness: float = 0.1
) -> JointedBoxes:
    """Return a straight chain on the origin, of boxes of 1 kg; the default sizes are those of Table 3.1.

    Args:
        bodies: number of boxes.
        horizontal: let it start along x instead of hanging down.
        length: of a box [m]; the joints are on its ends.
        thickness: of a box across [m].

    Raises:
        ValueError, TypeError: a number makes no sense.
    """
    check_count("bodies", bodies)
    check_positive("length", length)
    check_positive("thickness", thickness)
    along = np.array([1.0, 0.0, 0.0] if horizontal else [0.0, 0.0, -1.0])
    number = np.arange(bodies, dtype=np.float64)[:, None]
    return JointedBoxes(
        sizes=np.tile(np.where(along != 0.0, length, thickness), (bodies, 1)),
        masses=np.ones(bodies),
        positions=(number + 0.5) * length * along,
        parents=np.arange(-1, bodies - 1),
        joint_points=number * length * along,
    )


def tree_boxes(levels: int, *, drop: float = 0.0) -> JointedBoxes:
    """Return a balanced mobile: a binary tree whose boxes carry two children, one at each end.

    Boxes of a level are `0.1 m * 1.5^(levels - 1 - level)` long and 4 cm thick, of density 600 kg/m^3, and
    lie along x and y in turn. Each hangs on its own centre (thesis: not stated), the root on the origin.
    Box k has the children 2 k + 1 and 2 k + 2.

    With `drop` = 0 each box is balanced however its children are turned. So a box feels no torque from
    its neighbours and turns as a free body would, with the masses of both branches at its ends.

    Args:
        levels: number of levels; there are 2^levels - 1 boxes.
        drop: how far below its joint the centre of each child hangs [m] (0.1: the pendulum variant).

    Raises:
        ValueError, TypeError: a number makes no sense.
    """
    check_count("levels", levels)
    check_finite("drop", drop)
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


def add_jointed_boxes(world: "World", boxes: JointedBoxes) -> "list[Body]":
    """Add the boxes, named "box 0", "box 1" and so on, each with the ball joint it hangs on.

    They pass through each other: what is looked at is the joints.

    Args:
        world: the world.
        boxes: the boxes.
    """
    from stoss.collision import Box
    from stoss.engine import Ball

    added: list[Body] = []
    for k, (size, mass, position) in enumerate(zip(boxes.sizes, boxes.masses, boxes.positions, strict=True)):
        added.append(
            world.add_body(
                Box(tuple(size.tolist())), position=position, mass=float(mass), name=f"box {k}", mask=0
            )
        )
    for k, (parent, point) in enumerate(zip(boxes.parents, boxes.joint_points, strict=True)):
        world.add_joint(Ball(point), added[parent] if parent >= 0 else None, added[k], name=f"joint {k}")
    return added

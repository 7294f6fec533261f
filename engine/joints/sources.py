"""Blocks that joints make: one each, and more of those that couple three or four bodies."""

from typing import NamedTuple

import numpy as np

from stoss.engine.joints.couplings import join_far

__all__ = ["JointSources", "find_sources"]


class JointSources(NamedTuple):
    """Blocks of joints, in their order.

    Attributes:
        bodies: (k, 2) that each is between.
        joint: (k,) whose it is, -1 for what a coupling has besides its own.
        rows: (k,) how many it has.
        empty: how many of them have none.
    """

    bodies: np.ndarray
    joint: np.ndarray
    rows: np.ndarray
    empty: int


def find_sources(acting: np.ndarray, bodies: np.ndarray, far: np.ndarray, rows: np.ndarray) -> JointSources:
    """Return the blocks of joints.

    Args:
        acting: (a,) numbers of the joints that take part.
        bodies: (joints, 2) of the joints.
        far: (joints, 2) that react besides, -1: none.
        rows: (joints,) how many each has.
    """
    if not len(acting) or not (far[acting, 0] >= 0).any():
        return JointSources(bodies[acting], acting, rows[acting], 0)
    ends, joint, count = [], [], []
    found = np.empty((6, 2), np.int64)
    for j in acting.tolist():
        x, y = bodies[j].tolist()
        z, w = far[j].tolist()
        if z < 0:
            ends.append([x, y])
            joint.append(j)
            count.append(int(rows[j]))
            continue
        size = join_far(found, 1, x, y, (z, w))
        ends += found[:size].tolist()
        joint += [-1, j] + [-1] * (size - 2)
        count += [1, int(rows[j])] + [0] * (size - 2)
    return JointSources(np.array(ends), np.array(joint), np.array(count), count.count(0))

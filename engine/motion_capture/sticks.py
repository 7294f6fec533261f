"""Stick figures: a model as lines from joint to joint, at any coordinates, while its world stays as it is."""

from typing import Any

import numpy as np

from stoss.engine.articulated import Articulation

__all__ = ["stick_figure"]


def stick_figure(articulation: Articulation, q: Any = None) -> np.ndarray:
    """Return lines (k, 2, 3) [m] from centres of mass to the joints that they carry, and on to the next ones.

    Args:
        articulation: the bodies.
        q: (n,) coordinates; None: as they are now.
    """
    articulation._placed(q)
    tree, lines = articulation._tree, []
    for joint in articulation._structure.joints:
        row, other = joint.bodies if joint.reversed else joint.bodies[::-1]
        if joint.joint is None:
            continue
        place = tree.origins[joint.axes[0]] if joint.axes else tree.centres[row]
        if other >= 0:
            lines.append((tree.centres[other].copy(), place.copy()))
        if joint.axes:
            lines.append((place.copy(), tree.centres[row].copy()))
    return np.array(lines).reshape(-1, 2, 3)

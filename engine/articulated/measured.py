"""Generalised coordinates out of the poses of bodies (Stelzner 2008, section 1.3; turns are counted on)."""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import quaternion_multiply, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Floats2, Ints
from stoss.engine.articulated.structure import PATTERNS, Structure
from stoss.engine.joints.combined_kinds import Universal

__all__ = ["Measured", "measure_axes", "measured_of"]

NO_TURN, ABOUT_Z, TWO_AXES, THREE_AXES = range(4)


class Measured(Struct):
    """How the joints of a tree are measured: a frame on either body, and which axes say what between them."""

    ends: Annotated[Ints, "joints", 2]  # rows of the bodies, -1: the world
    point_a: Annotated[Floats, "joints", 3]  # [m], in the principal axes of the first body, or the world
    quaternion_a: Annotated[Floats, "joints", 4]
    point_b: Annotated[Floats, "joints", 3]
    quaternion_b: Annotated[Floats, "joints", 4]
    turns: Annotated[Ints, "joints"]  # NO_TURN ... THREE_AXES
    slide_axes: Annotated[Ints, "joints", 3]  # axis of the tree that slides along x, y, z of A, -1: none
    turn_axes: Annotated[Ints, "joints", 3]  # those that turn, in the order of the chain


def measured_of(structure: Structure) -> Measured:
    """Return how the joints of a tree are measured."""
    found = Measured.zeros(joints=len(structure.joints))
    found.slide_axes[:] = found.turn_axes[:] = -1
    for j, joint in enumerate(structure.joints):
        found.ends[j] = joint.bodies
        found.point_a[j], found.quaternion_a[j] = joint.frame_a
        found.point_b[j], found.quaternion_b[j] = joint.frame_b
        letters = [letter for letter, _ in PATTERNS[joint.kind]]
        turning = [k for letter, k in zip(letters, joint.axes, strict=True) if letter.islower()]
        for letter, k in zip(letters, joint.axes, strict=True):
            if letter.isupper():
                found.slide_axes[j, "XYZ".index(letter)] = k
        found.turn_axes[j, : len(turning)] = turning
        found.turns[j] = (
            TWO_AXES if joint.kind is Universal else (NO_TURN, ABOUT_Z, 0, THREE_AXES)[len(turning)]
        )
    return found


@inner
def _nearest(angle, old):
    return angle + 2.0 * np.pi * np.rint((old - angle) / (2.0 * np.pi))


@kernel
def measure_axes(joints: Measured, positions: Floats2, quaternions: Floats2, displacements: Floats) -> None:
    """Write the displacement of each axis; angles go on from what is there.

    Args:
        joints: what is measured.
        positions, quaternions: (n, 3), (n, 4) of the bodies' principal axes.
        displacements: (axes,) [m or rad].
    """
    for j in range(len(joints.turns)):
        a, b = joints.ends[j, 0], joints.ends[j, 1]
        p, q = _placed(a, joints.point_a, joints.quaternion_a, j, positions, quaternions)
        r, t = _placed(b, joints.point_b, joints.quaternion_b, j, positions, quaternions)
        away = rotate_inverse(q, r[0] - p[0], r[1] - p[1], r[2] - p[2])
        for n in range(3):
            if joints.slide_axes[j, n] >= 0:
                displacements[joints.slide_axes[j, n]] = away[n]
        if joints.turns[j] == NO_TURN:
            continue
        w, x, y, z = quaternion_multiply(q[0], -q[1], -q[2], -q[3], t[0], t[1], t[2], t[3])
        first, second, third = joints.turn_axes[j, 0], joints.turn_axes[j, 1], joints.turn_axes[j, 2]
        if joints.turns[j] == ABOUT_Z:
            angle = 2.0 * np.arctan2(z, w)
            displacements[first] = _nearest(angle, displacements[first])
            continue
        if joints.turns[j] == TWO_AXES:
            angle = np.arctan2(2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + z * z))
            displacements[first] = _nearest(angle, displacements[first])
            angle = np.arctan2(2.0 * (x * z + w * y), 1.0 - 2.0 * (y * y + z * z))
            displacements[second] = _nearest(angle, displacements[second])
            continue
        angle = np.arctan2(2.0 * (w * x - y * z), 1.0 - 2.0 * (x * x + y * y))
        displacements[first] = _nearest(angle, displacements[first])
        angle = np.arcsin(min(max(2.0 * (x * z + w * y), -1.0), 1.0))
        displacements[second] = _nearest(angle, displacements[second])
        angle = np.arctan2(2.0 * (w * z - x * y), 1.0 - 2.0 * (y * y + z * z))
        displacements[third] = _nearest(angle, displacements[third])


@inner
def _placed(body, points, turns, j, positions, quaternions):
    """Return the pose of a frame on a body, or on the world, in the world."""
    x, y, z = points[j, 0], points[j, 1], points[j, 2]
    s, e, f, g = turns[j, 0], turns[j, 1], turns[j, 2], turns[j, 3]
    if body >= 0:
        w, a, b, c = quaternions[body, 0], quaternions[body, 1], quaternions[body, 2], quaternions[body, 3]
        x, y, z = rotate((w, a, b, c), x, y, z)
        x, y, z = x + positions[body, 0], y + positions[body, 1], z + positions[body, 2]
        s, e, f, g = quaternion_multiply(w, a, b, c, s, e, f, g)
    return (x, y, z), (s, e, f, g)

"""Joints that close loops of a tree: what they hold, as rows in generalised coordinates (Stelzner, 1.4)."""

from stoss.collision.algebra import cross, dot
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Floats2, Ints
from stoss.engine.articulated.tree import Tree
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.joints.arrays import LENGTH, SUM, JointArrays
from stoss.engine.joints.curves import follow
from stoss.engine.joints.measures import gradient, lever_arms, measure
from stoss.engine.joints.placement import JointFrames, place_parts

__all__ = ["write_closures"]


@kernel
def write_closures(
    tree: Tree,
    joints: JointArrays,
    frames: JointFrames,
    bodies: BodyArrays,
    rows: Ints,
    errors: Floats,
    jacobian: Floats2,
) -> None:
    """Write by how much rows of joints miss their targets, and how that changes with the coordinates.

    Args:
        tree: placed.
        joints: of the world.
        frames: memory.
        bodies: in the pose of the tree.
        rows: (r,) which ones.
        errors: (r,) [m or rad].
        jacobian: (r, n).
    """
    place_parts(joints, bodies.positions, bodies.quaternions, frames.places)
    for at in range(len(rows)):
        m = rows[at]
        for n in range(jacobian.shape[1]):
            jacobian[at, n] = 0.0
        if joints.measure[m] >= SUM:
            t = m - 2
            first = measure(joints.measure[t], joints.axis[t], joints.part[t], frames.places, joints.value[t])
            followed, slope = follow(joints, m, first)
            _add(tree, joints, frames, bodies, t, -slope, jacobian, at)
            value = _add(tree, joints, frames, bodies, m - 1, 1.0, jacobian, at) - followed
        else:
            value = _add(tree, joints, frames, bodies, m, 1.0, jacobian, at)
        errors[at] = value - joints.target[m]


@inner
def _add(tree, joints, frames, bodies, m, weight, jacobian, at):
    """Add the rate of row m to row `at` of the jacobian; return its measure."""
    p = joints.part[m]
    kind, axis, places = joints.measure[m], joints.axis[m], frames.places
    d = gradient(kind, axis, p, places)
    a, b = joints.ends[p, 0], joints.ends[p, 1]
    arms = lever_arms(kind, p, a, b, places, bodies.positions)
    for end in range(2):
        i, arm, sign = (a, arms[0], -weight) if end == 0 else (b, arms[1], weight)
        if i < 0:
            continue
        k, c, r = tree.holder[i], tree.centres[i], tree.reference
        x, y, z = c[0] + arm[0] - r[0], c[1] + arm[1] - r[1], c[2] + arm[2] - r[2]
        while k >= 0:
            q = tree.motions[k]
            if kind <= LENGTH:
                u, v, w = cross(q[0], q[1], q[2], x, y, z)
                rate = dot(d[0], d[1], d[2], q[3] + u, q[4] + v, q[5] + w)
            else:
                rate = dot(d[0], d[1], d[2], q[0], q[1], q[2])
            jacobian[at, tree.coordinate[k]] += sign * tree.slope[k] * rate
            k = tree.carrier[k]
    return measure(kind, axis, p, places, joints.value[m])

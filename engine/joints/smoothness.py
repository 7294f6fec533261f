"""Which joints act smoothly: a step under them may be composed of steps forwards and backwards in time."""

import numpy as np

from stoss.collision.algebra import cross, rotate
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.joints.arrays import DRIVE, FORCE, LAW, LENGTH, LIMIT, SLIDE, TWIST, JointArrays

__all__ = ["CONSERVATIVE", "ROUGH", "SMOOTH", "find_rough_joints", "find_smoothness", "find_smooth_bodies"]

# What a joint does: something one-sided or bounded, or so much damping that no step backwards would be
# stable; nothing of that; nothing that changes the energy either.
ROUGH, SMOOTH, CONSERVATIVE = range(3)

# Share of a rate that a damper may take in half a step of a composition.
MOST_DAMPED = 0.25


@kernel
def find_smoothness(
    joints: JointArrays, bodies: BodyArrays, aside: Bools, lengths: Floats, h: float, out: Ints
) -> int:
    """Write into out (j,) how smooth each joint is: ROUGH, SMOOTH, CONSERVATIVE.

    A stop is smooth while nothing touches it, a bounded drive while its bound is not reached: as it was in
    the last stage. Whether that lasts is seen afterwards (`find_rough_joints`).

    Args:
        joints, bodies: all of them.
        aside: (j,) which joints belong to mechanisms that were set aside.
        lengths: (2,) of the last sub-step of the rest, and of these mechanisms [s].
        h: length of the step [s].
        out: (j,); CONSERVATIVE for joints that are disabled.

    Returns:
        The least of them.
    """
    least = CONSERVATIVE
    for j in range(len(joints.enabled)):
        out[j] = CONSERVATIVE
        if not joints.enabled[j]:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.active[m]:
                out[j] = min(out[j], _row_smoothness(joints, bodies, j, m, lengths[int(aside[j])], h))
        least = min(least, out[j])
    return least


@inner
def _row_smoothness(joints, bodies, j, m, last, h):
    role, d, most = joints.role[m], joints.damping[m], joints.max_force[m]
    if role == LIMIT:
        return ROUGH if joints.impulse[m] != 0.0 else SMOOTH
    if role == FORCE:
        return SMOOTH
    if role == LAW:
        return ROUGH
    if role != DRIVE or (d == 0.0 and most == np.inf):
        return CONSERVATIVE
    if last != 0.0 and _reaches_bound(joints, m, 0.5 * last):
        return ROUGH
    if d < np.inf:
        mobility = _mobility(joints, bodies, joints.bodies[j, 0], m, joints.point_a, joints.quaternion_a)
        mobility += _mobility(joints, bodies, joints.bodies[j, 1], m, joints.point_b, joints.quaternion_b)
        if 0.5 * h * d * mobility > MOST_DAMPED:
            return ROUGH
    return SMOOTH


@inner
def _reaches_bound(joints, m, half):
    """Return whether drive m gave as much in the last stage as it may in half a step."""
    return abs(joints.impulse[m]) >= joints.max_force[m] * abs(half) * (1.0 - 1e-9)


@inner
def _mobility(joints, bodies, i, m, points, turns):
    """Return how easily body i gives way to row m, by an estimate from above."""
    if i < 0 or bodies.kinds[i] != DYNAMIC:
        return 0.0
    roots, part, kind = bodies.sqrt_inverse_inertias[i], joints.part[m], joints.measure[m]
    most = max(roots[0], roots[1], roots[2])
    q0, q1, q2, q3 = turns[part, 0], turns[part, 1], turns[part, 2], turns[part, 3]
    k = joints.axis[m] if kind == SLIDE else 2
    n0, n1, n2 = rotate((q0, q1, q2, q3), 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
    p0, p1, p2 = points[part, 0], points[part, 1], points[part, 2]
    if kind == TWIST:
        return (roots[0] * n0) ** 2 + (roots[1] * n1) ** 2 + (roots[2] * n2) ** 2
    if kind == SLIDE:
        x, y, z = cross(p0, p1, p2, n0, n1, n2)
        return bodies.inverse_masses[i] + (roots[0] * x) ** 2 + (roots[1] * y) ** 2 + (roots[2] * z) ** 2
    if kind == LENGTH:
        return bodies.inverse_masses[i] + most * most * (p0 * p0 + p1 * p1 + p2 * p2)
    return most * most


@kernel
def find_rough_joints(joints: JointArrays, chosen: Bools, h: float, rough: Bools) -> bool:
    """Mark in rough (j,) the chosen joints that touched a stop in this step, or reached a bound just now.

    Args:
        joints: the joints.
        chosen: (j,) which of them to look at.
        h: length of the last sub-step [s].
        rough: (j,) receives True for those that were rough; others are left as they are.

    Returns:
        Whether any was.
    """
    found = False
    for j in range(len(joints.enabled)):
        if not (chosen[j] and joints.enabled[j]):
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if not joints.active[m]:
                continue
            stopped = joints.role[m] == LIMIT and (joints.impulse[m] != 0.0 or joints.total[m] != 0.0)
            if stopped or (joints.role[m] == DRIVE and _reaches_bound(joints, m, 0.5 * h)):
                rough[j] = found = True
    return found


@kernel
def find_smooth_bodies(
    joints: JointArrays,
    smoothness: Ints,
    least: int,
    bodies: BodyArrays,
    taken: Bools,
    group: Ints,
    out: Bools,
) -> int:
    """Find the bodies of mechanisms that touch nothing and whose joints are smooth enough.

    Args:
        joints, smoothness: the joints, and how smooth they are (j,).
        least: smoothness that they must have.
        bodies: the bodies.
        taken: (n,) bodies that touch something, or must stay with the others for another reason.
        group: (n,) memory.
        out: (n,) receives whether each body is one of theirs.

    Returns:
        How many bodies.
    """
    count = len(bodies.kinds)
    for i in range(count):
        group[i] = i
        out[i] = False
    for j in range(len(joints.enabled)):
        a, b = joints.bodies[j, 0], joints.bodies[j, 1]
        if not joints.enabled[j] or a < 0 or b < 0:
            continue
        if bodies.kinds[a] != DYNAMIC or bodies.kinds[b] != DYNAMIC:
            continue
        a, b = _root(group, a), _root(group, b)
        group[max(a, b)] = min(a, b)
    for j in range(len(joints.enabled)):
        for half in range(2):
            i = joints.bodies[j, half]
            if joints.enabled[j] and i >= 0 and bodies.kinds[i] == DYNAMIC:
                out[_root(group, i)] = True
    for i in range(count):
        if taken[i] and bodies.kinds[i] == DYNAMIC:
            out[_root(group, i)] = False
    for j in range(len(joints.enabled)):
        for half in range(2):
            i = joints.bodies[j, half]
            if joints.enabled[j] and i >= 0 and (smoothness[j] < least or taken[i]):
                for other in range(2):
                    k = joints.bodies[j, other]
                    if k >= 0 and bodies.kinds[k] == DYNAMIC:
                        out[_root(group, k)] = False
    found = 0
    for i in range(count):
        out[i] = out[_root(group, i)] and bodies.kinds[i] == DYNAMIC
        found += out[i]
    return found


@inner
def _root(group, i):
    while group[i] != i:
        i = group[i]
    return i

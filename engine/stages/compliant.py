"""Overlap that contacts have by their laws: none that is to be displaced."""

import numpy as np

from stoss.collision.algebra import cross, dot, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.material_pairs import CONTACT
from stoss.engine.constraints.mass_weighting import symmetric_times
from stoss.engine.contacts.compliance import BEGUN, follows_impact

__all__ = ["leave_compliant", "return_compliant"]


@inner
def _way(s, i, point):
    """Return how a point of body i, now at `point` (3), moved in the step (3) [m]."""
    bodies, old = s.bodies, s.old
    p, q = bodies.positions[i], old.positions[i]
    x, y, z = rotate_inverse(bodies.quaternions[i], point[0] - p[0], point[1] - p[1], point[2] - p[2])
    x, y, z = rotate(old.quaternions[i], x, y, z)
    return point[0] - x - q[0], point[1] - y - q[1], point[2] - z - q[2]


@inner
def _response(s, i, point, n):
    """Return the velocity that body i has at a point (3) along n (3) by a unit impulse there."""
    p, m = s.bodies.positions[i], s.bodies.sqrt_inverse_masses[i]
    x, y, z = cross(point[0] - p[0], point[1] - p[1], point[2] - p[2], n[0], n[1], n[2])
    x, y, z = symmetric_times(s.scratch.sqrt_inverse_inertia[i], x, y, z)
    return m * m + dot(x, y, z, x, y, z)


@inner
def _yielded(s, pairs, c, h, touch, resting_speed):
    """Return by how much [m] the overlap of contact c is left alone.

    All of it, if surfaces touched as the step began and met no faster than what rests, or if their impact is
    followed in time. One that is not is met where it began: what its law would store of the way of a step
    that nothing slowed down, nobody has paid for.
    """
    contacts, bodies = s.contacts, s.bodies
    gap = contacts.gap[c]
    a, b = contacts.body_a[c], contacts.body_b[c]
    own = pairs[bodies.pair_group[a], bodies.pair_group[b]]
    if gap >= 0.0 or np.isnan(own[CONTACT]):
        return 0.0
    x, y, z = _way(s, a, contacts.point_a[c])
    u, v, w = _way(s, b, contacts.point_b[c])
    n = contacts.normal[c]
    moved = dot(n[0], n[1], n[2], x - u, y - v, z - w)
    before, speed = gap - moved, -moved / h
    if before < touch and (speed <= resting_speed or -before > BEGUN * speed * h):
        return -gap
    mass = 1.0 / (_response(s, a, contacts.point_a[c], n) + _response(s, b, contacts.point_b[c], n))
    if follows_impact(int(own[CONTACT]), own[CONTACT + 1 :], speed, mass, h):
        return -gap
    return max(-before, 0.0)


@inner
def leave_compliant(s, pairs, yielded, h, touch, resting_speed):
    """Take what contacts give way by their laws from their overlaps; `yielded` (contacts,) receives it [m].

    Surfaces touch from a gap of `touch` [m] on, and hit each other from `resting_speed` [m/s] on.
    """
    if len(pairs) == 1:
        return
    for c in range(len(s.touching)):
        yielded[c] = _yielded(s, pairs, c, h, touch, resting_speed)
        s.contacts.gap[c] += yielded[c]


@inner
def return_compliant(s, pairs, yielded):
    """Add it again."""
    if len(pairs) == 1:
        return
    for c in range(len(s.touching)):
        s.contacts.gap[c] -= yielded[c]

"""Overlap that contacts have by their laws: none that is to be displaced."""

import numpy as np

from stoss.collision.algebra import dot, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.material_pairs import CONTACT
from stoss.engine.contacts.compliance import follows_impact

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
def _yielded(s, pairs, c, h, touch):
    """Return by how much [m] the overlap of contact c is left alone.

    All of it, if surfaces touched as the step began, or if its impact is followed in time. One that is not is
    met at the surface, as between rigid bodies.
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
    if gap - moved < touch:
        return -gap
    mass = 1.0 / (bodies.sqrt_inverse_masses[a] ** 2 + bodies.sqrt_inverse_masses[b] ** 2)
    speed = -moved / h
    return -gap if follows_impact(int(own[CONTACT]), own[CONTACT + 1 :], speed, mass, h) else 0.0


@inner
def leave_compliant(s, pairs, yielded, h, touch):
    """Take what contacts give way by their laws from their overlaps; `yielded` (contacts,) receives it [m].

    Surfaces touch from a gap of `touch` [m] on.
    """
    if len(pairs) == 1:
        return
    for c in range(len(s.touching)):
        yielded[c] = _yielded(s, pairs, c, h, touch)
        s.contacts.gap[c] += yielded[c]


@inner
def return_compliant(s, pairs, yielded):
    """Add it again."""
    if len(pairs) == 1:
        return
    for c in range(len(s.touching)):
        s.contacts.gap[c] -= yielded[c]

"""Overlaps of links that displacement was to lessen and did not, and what is asked of them then.

Rows say what gaps will be if turns are small, and if bodies go on touching where they do. A box whose corner
is inside a ball on the same joint touches it with another corner once it is turned: found anew, the overlap
is as deep as it was, and links would be turned to and fro without end, each time for less than it seems.

So each body keeps how deep its deepest overlap was, and how deep it was left. Where less than half of the
difference is gone when it is found anew, but for what has approached since, links are asked for as much as
they gave, in one round, and for more each time that they gave it. The joints contradict such contacts until
they are asked for no less than others.
"""

import numpy as np

from stoss.collision.algebra import cross, dot
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import DYNAMIC

__all__ = ["LESS", "forget_overlaps", "judge_promises", "keep_overlaps"]

LESS = 0.01  # share of an overlap by which it must shrink in a step, unless it is jammed
KEPT = 0.5  # share of what was to go that must be gone
MORE = 2.0  # times as much may be asked for each time


@inner
def judge_promises(s, w, h):
    """Look which overlaps are still as deep as before they were displaced.

    Writes by how much each is to shrink at most, `most` (contacts,) [m], whether it is `contradicted`
    (contacts,), and which islands have such, `doubted` (islands,).

    Args:
        s, w: system, and what its displacement works on.
        h: length of the sub-step [s].
    """
    bodies, contacts, starts = s.bodies, s.contacts, s.layout.contact_start
    for island in range(len(w.displaced)):
        w.doubted[island] = False
        for at in range(starts[island], starts[island + 1]):
            c = s.layout.contacts[at]
            w.most[c] = np.inf
            if not (s.has_joints[island] and w.displaced[island]):
                continue
            a, b, depth = contacts.body_a[c], contacts.body_b[c], -contacts.gap[c]
            i = a if bodies.kinds[b] != DYNAMIC or bodies.overlaps[a, 0] < bodies.overlaps[b, 0] else b
            i = b if bodies.kinds[a] != DYNAMIC else i
            found, left = bodies.overlaps[i, 0], bodies.overlaps[i, 1]
            if depth <= w.margin or found <= w.margin:
                continue
            came = max(h * _approach(s, c), 0.0)
            promised, gone = found - left, found + came - depth
            broken = promised > w.slop and gone < KEPT * promised
            w.contradicted[c] = broken
            w.doubted[island] = w.doubted[island] or broken
            w.most[c] = came + max(MORE * (gone if broken else promised), LESS * depth)


@inner
def _approach(s, c):
    """Return the speed at which the surfaces of contact c approach each other [m/s]."""
    bodies, contacts, speed = s.bodies, s.contacts, 0.0
    n, p, q = contacts.normal[c], contacts.point_a[c], contacts.point_b[c]
    for half in range(2):
        i = contacts.body_a[c] if half == 0 else contacts.body_b[c]
        v, w, place = bodies.velocities[i], bodies.angular_velocities[i], bodies.positions[i]
        x, y, z = 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2])
        x, y, z = cross(w[0], w[1], w[2], x - place[0], y - place[1], z - place[2])
        along = dot(n[0], n[1], n[2], v[0] + x, v[1] + y, v[2] + z)
        speed += along if half == 1 else -along
    return speed


@inner
def keep_overlaps(s, w):
    """Note for each body how deep its deepest overlap was, and how deep it is left [m]."""
    bodies, contacts = s.bodies, s.contacts
    forget_overlaps(bodies)
    for c in range(len(s.touching)):
        depth = -w.before[c]
        if depth > w.margin:
            for half in range(2):
                i = contacts.body_a[c] if half == 0 else contacts.body_b[c]
                if depth > bodies.overlaps[i, 0]:
                    bodies.overlaps[i, 0], bodies.overlaps[i, 1] = depth, -contacts.gap[c]


@inner
def forget_overlaps(bodies):
    """Note that no body overlaps any other."""
    for i in range(len(bodies.kinds)):
        bodies.overlaps[i, 0] = bodies.overlaps[i, 1] = 0.0

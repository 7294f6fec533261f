"""Contacts that fling bodies: impulses of a contradiction, which no press can give."""

from stoss.collision.algebra import cross, dot
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import KINEMATIC
from stoss.engine.stages.energy_account import FALL, PASSED_ON, motion_of, slack_of, sum_over
from stoss.engine.stages.ledger import DRIVEN

__all__ = ["flung"]

# Multiples of the energy there is, that of the island at the speed of what is driven and presses it included,
# beyond which contacts fling bodies.
FLUNG = 1e3


@inner
def flung(s, o, island, h, motion):
    """Return by how much energy [J] contacts have flung an island without joints beyond any speed of a press.

    What bodies that are moved give is theirs, and no gain. But bodies that stand in each other between a
    floor and a press have no solution, and what a search leaves then may be anything.
    """
    if s.has_joints[island] or s.ledger[DRIVEN] == 0.0:
        return 0.0
    energy = motion_of(s, island, s.bodies)
    least = motion + slack_of(s, o, island, h, FALL, PASSED_ON)
    if energy <= FLUNG * least:
        return 0.0
    fastest, contacts, bodies = 0.0, s.contacts, s.bodies
    for k in range(s.layout.contact_start[island], s.layout.contact_start[island + 1]):
        drift = s.frames.drift[k]
        if s.frames.conveys[k] != 0:
            fastest = max(fastest, drift[0] * drift[0] + drift[1] * drift[1])
        for half in range(2):
            i = contacts.body_a[s.frames.contact[k]] if half == 0 else contacts.body_b[s.frames.contact[k]]
            arm = s.frames.lever_a[k] if half == 0 else s.frames.lever_b[k]
            if bodies.kinds[i] == KINEMATIC:
                v, w = bodies.velocities[i], bodies.angular_velocities[i]
                x, y, z = cross(w[0], w[1], w[2], arm[0], arm[1], arm[2])
                x, y, z = x + v[0], y + v[1], z + v[2]
                fastest = max(fastest, dot(x, y, z, x, y, z))
    pressed = 0.5 * sum_over(s, island, bodies.masses) * fastest
    # written so that NaN is flung
    return 0.0 if energy <= FLUNG * (least + pressed) else energy - least - pressed

"""Displacement lifts bodies: who pays for it, and how."""

import numpy as np

from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Bools, Floats, Floats2
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.bodies.energy import kinetic_energy
from stoss.engine.constraints.islands import Islands, Layout
from stoss.engine.contacts.frames import approach_speed

__all__ = ["find_old_overlaps", "pay_for_lift"]

# An overlap is of this sub-step if it is no deeper than this many times what the bodies approached in it.
FRESH = 1.5


@kernel
def pay_for_lift(
    islands: Islands, paying: Bools, bodies: BodyArrays, before: Floats2, gravity: Floats
) -> None:
    """Take what the displacement of some islands added to their potential energy off their kinetic energy.

    Bodies that fall while a joint is closed, or while links are pushed apart, would else be lifted for
    nothing in every step, and gain speed without end. Their velocities are scaled, so that joints stay
    settled.

    Args:
        islands: the islands.
        paying: (islands,) which of them pay.
        bodies: as they are now.
        before: (n, 3) positions before the displacement.
        gravity: (3,) [m/s^2].
    """
    for island in range(len(paying)):
        if not paying[island]:
            continue
        lift = motion = 0.0
        for at in range(islands.body_start[island], islands.body_start[island + 1]):
            i = islands.bodies[at]
            v, w = bodies.velocities[i], bodies.angular_velocities[i]
            for k in range(3):
                lift -= bodies.masses[i] * gravity[k] * (bodies.positions[i, k] - before[i, k])
            motion += kinetic_energy(bodies, i, bodies.quaternions[i], v, w)
        if lift <= 0.0 or motion == 0.0:
            continue
        scale = np.sqrt(max(1.0 - lift / motion, 0.0))
        for at in range(islands.body_start[island], islands.body_start[island + 1]):
            i = islands.bodies[at]
            for k in range(3):
                bodies.velocities[i, k] *= scale
                bodies.angular_velocities[i, k] *= scale


@kernel
def find_old_overlaps(
    contacts: ContactArrays, layout: Layout, bodies: BodyArrays, h: float, slop: float, out: Bools
) -> None:
    """Set out (islands,) where a contact overlaps by more than its bodies approached in this sub-step."""
    for island in range(len(out)):
        for k in range(layout.contact_start[island], layout.contact_start[island + 1]):
            c = layout.contacts[k]
            if contacts.gap[c] < -slop:
                a, b, normal = contacts.body_a[c], contacts.body_b[c], contacts.normal[c]
                approach = approach_speed(a, b, contacts.point_a[c], normal, bodies)
                out[island] = out[island] or -contacts.gap[c] > max(FRESH * approach * h, slop)

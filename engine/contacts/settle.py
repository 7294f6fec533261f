"""Rows of contacts for `settle`, the velocity-level solve: what touches stops or bounces at t + h."""

import numpy as np

from stoss.collision.algebra import dot
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.constraints.bounces import least_bounce
from stoss.engine.contacts.compliance import is_pushed_through, is_resolved, settle_compliant
from stoss.engine.contacts.frames import (
    ANYONE,
    accelerations_along,
    contact_velocity,
    gap_at,
    vector,
    write_velocities,
)
from stoss.engine.contacts.rolling_friction import row_count
from stoss.engine.laws.contact_functions import RIGID

__all__ = ["meet", "prepare_settle"]


@inner
def meet(
    loaded,
    rows,
    frames,
    contacts,
    bodies,
    old,
    scratch,
    touching,
    options,
    contact_start,
    chosen,
    displaced,
    lifted,
    h,
    settled,
):
    """Find with what speed the surfaces of touching contacts met in this step (frames.approach).

    And what acceleration presses them together meanwhile (frames.pressing), and from which speed on they
    bounce (frames.least_bounce): what carries load already, or is pressed together by what acted in this
    step, does so from the resting speed on.

    From the start of the step, before its forces and impulses, the contact met with u^2 = u0^2 - 2 a gap0. A
    body that rests has u0 = 0 and gap0 = 0 and so never bounces, however large the step is.

    That says which contacts bounce. What they leave with is taken from u^2 = u1^2 - 2 f d, u1 the present
    speed, d by how much displacement has opened the gap since, and f the acceleration against which it did:
    then displacement and an elastic impact together keep the energy, also where bodies turn meanwhile. Where
    there are joints, and between bodies of a heap, their islands pay (`lift`).

    Args:
        loaded: (rows,) impulses that the rows started with in this stage.
        rows: of the system.
        frames, contacts, bodies: of the end of the step.
        old: bodies as they were at its start.
        scratch: accelerations, and `met_body`, whom the bodies have just met (see `time_of_impact`): at the
            speed they have now, ANYONE only from a gap.
        touching: (contacts,) which contacts are considered.
        options: of the step; a contact was open at its start if its gap was above `touch_distance`.
        contact_start, chosen: contacts of the islands, and those that are considered.
        displaced, lifted: (islands,) whether bodies were displaced, and (contacts,) by how much gaps grew
            then, times the effective mass that they had before [kg m].
        h: length of the step [s].
        settled: whether all that is not hit has come to rest already: then the acceleration a is what the
            contact had on average in the step, not that of free fall, and loads are known.

    Returns:
        Whether any contact met and has restitution. The biases receive the present velocities.
    """
    bounces = False
    island, grounded_island, grounded = 0, -1, False
    for k in range(len(frames.contact)):
        while contact_start[island + 1] <= k:
            island += 1
        if not chosen[island]:
            continue
        if island != grounded_island:
            grounded_island = island
            grounded = _is_grounded(contacts, frames, bodies, touching, contact_start, island)
        c = frames.contact[k]
        frames.approach[k] = 0.0
        frames.least_bounce[k] = options.resting_speed
        a, b = contacts.body_a[c], contacts.body_b[c]
        u1 = write_velocities(rows, frames, k, a, b, bodies.velocities, bodies.angular_velocities)
        if not touching[c]:
            continue
        axis = vector(frames.axes[k, 0])
        x, y, z = contact_velocity(frames, k, a, b, old.velocities, old.angular_velocities)
        u0 = dot(axis[0], axis[1], axis[2], x, y, z)
        first, second = accelerations_along(axis, a, b, scratch.accelerations)
        acceleration = first - second
        mean = (u1 - u0) / h
        if not loaded[frames.row[k]] > 0.0:
            pressing = max(-mean, -acceleration)
            if grounded:
                # what falls with the other body now is stopped with it next
                pressing = max(pressing, max(-first, second))
            frames.least_bounce[k] = least_bounce(
                pressing, frames.restitution[k], options.step, options.resting_speed
            )
        if u1 >= 0.0:
            continue
        before = gap_at(frames, k, a, b, axis, old.positions, old.quaternions)
        gap0 = max(before, 0.0)
        if settled:
            acceleration = mean
        frames.pressing[k] = max(-acceleration, 0.0)
        met_body = scratch.met_body
        if met_body[a] == b or met_body[b] == a or (met_body[a] == ANYONE and gap0 > options.touch_distance):
            frames.approach[k] = -u1
        elif u0 < 0.0:
            frames.approach[k] = np.sqrt(max(u0 * u0 - 2.0 * acceleration * gap0, 0.0))
        else:
            frames.approach[k] = np.sqrt(max(-2.0 * acceleration * gap0, 0.0))
        mass = rows.effective_mass[frames.row[k]]
        if frames.approach[k] > 0.0 and is_resolved(frames, k, before, frames.approach[k], mass, h):
            frames.approach[k] = 0.0
            continue
        if frames.restitution[k] > 0.0:
            bounces = True
            # in heaps on the ground, where one stands as the other falls, their island pays
            alone = not grounded or bodies.kinds[a] != DYNAMIC or bodies.kinds[b] != DYNAMIC
            hit = frames.approach[k] > frames.least_bounce[k] and frames.contact_law[k] == RIGID
            if alone and hit and not settled:
                e, way = frames.restitution[k], lifted[c] / mass if displaced[island] else 0.0
                # of what they had met by before, earlier impacts have taken their share
                way = max(way + (1.0 - e * e) * min(before, 0.0), min(way, 0.0))
                frames.approach[k] = np.sqrt(max(u1 * u1 + 2.0 * acceleration * way, 0.0))
    return bounces


@inner
def _is_grounded(contacts, frames, bodies, touching, contact_start, island):
    """Return whether an island touches anything that does not react."""
    for k in range(contact_start[island], contact_start[island + 1]):
        c = frames.contact[k]
        a, b = contacts.body_a[c], contacts.body_b[c]
        if touching[c] and (bodies.kinds[a] != DYNAMIC or bodies.kinds[b] != DYNAMIC):
            return True
    return False


@inner
def prepare_settle(rows, frames, contacts, bodies, old, touching, h, known):
    """Set the rows so that touching contacts do not approach and do not slide at the end of the step.

    Those that give way by a law get what that says; the impact of one that was hit is over, and it is rigid.
    A wall that broke asks for nothing. If velocities are `known`, they are in the biases (`meet`).
    """
    for k in range(len(frames.contact)):
        c = frames.contact[k]
        a, b = contacts.body_a[c], contacts.body_b[c]
        r = frames.row[k]
        frames.broken[k] = frames.broken[k] or is_pushed_through(frames, k, contacts.gap[c])
        rows.upper[r] = np.inf if touching[c] and not frames.broken[k] else 0.0
        if rows.upper[r] == 0.0:
            for i in range(row_count(frames.resists[k])):
                rows.impulse[r + i] = 0.0
        if not known:
            write_velocities(rows, frames, k, a, b, bodies.velocities, bodies.angular_velocities)
        if frames.contact_law[k] != RIGID:
            rows.lower[r] = 0.0
            rows.softness[r] = 0.0
            if not frames.broken[k] and not frames.approach[k] > frames.least_bounce[k]:
                settle_compliant(rows, frames, k, a, b, contacts.gap[c], old, h)

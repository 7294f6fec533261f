"""Rows of contacts for `correct`, the position-level solve: resting contacts are to hold at t + h."""

import numpy as np

from stoss.collision.algebra import dot, rotate
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.constraints.bounces import least_bounce
from stoss.engine.contacts.compliance import hold_compliant, is_resolved
from stoss.engine.contacts.conveyors import add_turning_change, mean_drift
from stoss.engine.contacts.frames import (
    accelerations_along,
    anchor_separation,
    contact_velocity,
    gap_at,
    turned_normal,
    vector,
    write_velocities,
)
from stoss.engine.contacts.rolling import write_rolling
from stoss.engine.contacts.rolling_friction import row_count
from stoss.engine.laws.contact_functions import RIGID

__all__ = ["ROLLING_SHARE", "prepare_contacts_correct", "preview_curvature", "preview_velocities"]

# Gap at which resting contacts are held, as a share of the position tolerance: well above rounding.
SLACK = 1e-3
# By how much more than a gap counts how far what rolls slides in the step: friction works along it.
ROLLING_SHARE = 1e3
# Share of its bound, squared, up to which friction sticks without doubt.
STICKING = 0.999


@inner
def preview_velocities(bodies, scratch, h):
    """Write the velocities that free motion has half-way through a step of length h [s]."""
    for i in range(len(bodies.kinds)):
        for k in range(3):
            scratch.middle_velocities[i, k] = bodies.velocities[i, k] + 0.5 * h * scratch.accelerations[i, k]
            scratch.middle_angular_velocities[i, k] = (
                bodies.angular_velocities[i, k] + 0.5 * h * scratch.accelerations[i, 3 + k]
            )


@inner
def _sticks(rows, r):
    """Return whether friction of the contact whose first row is r is well within its bound."""
    most = rows.friction[r + 1] * rows.impulse[r]
    first, second = rows.impulse[r + 1], rows.impulse[r + 2]
    return most > 0.0 and first * first + second * second < STICKING * most * most


@inner
def _add_mean_drift(rows, frames, k, a, b, bodies, scratch, h):
    """Add the mean motion of the surfaces to the tangents: each takes along the point that the other has."""
    places, turns = scratch.next_positions, scratch.next_quaternions
    p, q = vector(frames.anchor_a[k]), vector(frames.anchor_b[k])
    x, y, z = rotate(turns[a], p[0], p[1], p[2])
    u, v, w = rotate(turns[b], q[0], q[1], q[2])
    dx, dy, dz = places[b, 0] - places[a, 0], places[b, 1] - places[a, 1], places[b, 2] - places[a, 2]
    arm_a, arm_b = (u + dx, v + dy, w + dz), (x - dx, y - dy, z - dz)
    first, second = mean_drift(bodies, a, b, turns, arm_a, arm_b, frames.axes[k], frames.drift[k], h)
    rows.bias[frames.row[k] + 1] += first
    rows.bias[frames.row[k] + 2] += second


@inner
def prepare_contacts_correct(
    rows, frames, contacts, bodies, scratch, options, h, first, last, first_pass, by_velocity, applied
):
    """Set biases and limits so that resting contacts hold at t + h, for the contacts of one island.

    Normal: the gap at t + h, by the preview of the poses, must not be below a little slack, or not smaller
    than it is now: an overlap must not grow, and rounding in the gaps of a body at rest asks for nothing
    (divided by h, and in contradiction to each other, such gaps would stir the impulses of the whole pile).
    Tangents: no sliding, by the preview too, or where surfaces roll, on average (`rolling`). A contact that
    approaches fast, from a gap or with restitution, is left to `settle`, else this row would swallow its
    bounce. So is one across a gap where sub-steps end at impacts; after the first pass, what takes part
    stays.

    Args:
        rows, frames, contacts, bodies: of time t.
        scratch: previewed poses, and the velocities of `preview_velocities`.
        options: of the step.
        h: length of the step [s].
        first, last: the contacts of the island, of the order of `frames`, last excluded.
        first_pass: whether nothing has been solved in this step yet.
        by_velocity: whether the preview is of first order: by the velocities half-way through the step.
        applied: (rows,) whether the preview has the impulse that a row has now.

    Returns:
        The largest violation [m] of the preview, 0 if there is none, how far [m] what rolls and sticks
        would slide, and the lever [m] whose turn tells how far linear rows are off; see `preview_curvature`.
    """
    slack, touch = SLACK * options.position_tolerance, options.touch_distance
    leave = touch if options.exact else np.inf
    worst = slid = farthest = 0.0
    share = 1.0
    for k in range(first, last):
        c = frames.contact[k]
        a, b = contacts.body_a[c], contacts.body_b[c]
        r = frames.row[k]
        gap = contacts.gap[c]
        flat = frames.curved[k] == 0 and frames.radius_sum[k] == 0.0
        if not flat:
            share = ROLLING_SHARE
        farthest = max(
            farthest,
            max(_square_lever(bodies, a, frames.lever_a[k]), _square_lever(bodies, b, frames.lever_b[k])),
        )
        left = gap > leave or frames.broken[k]
        # decided in the first pass: what has been given to the bodies since is not to be forgotten
        if (gap > touch or frames.restitution[k] > 0.0) and (first_pass or rows.upper[r] == 0.0):
            x, y, z = contact_velocity(frames, k, a, b, bodies.velocities, bodies.angular_velocities)
            axis = frames.axes[k, 0]
            speed = options.resting_speed
            if not rows.impulse[r] > 0.0 and frames.restitution[k] > 0.0:
                first, second = accelerations_along(axis, a, b, scratch.accelerations)
                speed = least_bounce(second - first, frames.restitution[k], options.step, speed)
            rate = dot(axis[0], axis[1], axis[2], x, y, z)
            left = left or (
                rate < -speed and not is_resolved(frames, k, gap, -rate, rows.effective_mass[r], h)
            )
        if left or by_velocity or not flat or frames.resists[k] != 0:  # else the preview says it all
            velocities, turning = scratch.middle_velocities, scratch.middle_angular_velocities
            write_velocities(rows, frames, k, a, b, velocities, turning)
            if frames.conveys[k] != 0 and frames.resists[k] != 0:
                axes, drift = frames.axes[k], frames.drift[k]
                add_turning_change(rows.bias, r + 3, frames.resists[k], bodies, a, b, axes, drift, 0.5 * h)
        if frames.contact_law[k] != RIGID:
            rows.lower[r] = 0.0
            rows.softness[r] = 0.0
        if left:
            rows.upper[r] = 0.0
            for i in range(row_count(frames.resists[k])):
                rows.impulse[r + i] = 0.0
            continue
        rows.upper[r] = np.inf
        if by_velocity:
            rows.bias[r] += (gap - min(gap, slack)) / h
            continue
        normal = turned_normal(frames, k, scratch.next_quaternions)
        if flat:
            # points fixed on both bodies; asked not to slide from where they are, which is one above the
            # other unless `separate` has moved the bodies: that offset is not for friction to undo in a step
            p, q = vector(frames.anchor_a[k]), vector(frames.anchor_b[k])
            x, y, z = anchor_separation(a, b, p, q, scratch.next_positions, scratch.next_quaternions)
            p, q, axis = contacts.point_a[c], contacts.point_b[c], frames.axes[k, 0]
            u, v, w = p[0] - q[0], p[1] - q[1], p[2] - q[2]
            # by how much the gap grows, of the points as they are rounded: a gap is found more closely
            miss = dot(normal[0], normal[1], normal[2], x, y, z) - dot(axis[0], axis[1], axis[2], u, v, w)
            miss += gap - min(gap, slack)
            x, y, z = x - u, y - v, z - w
            for i in range(1, 3):
                axis = frames.axes[k, i]
                rows.bias[r + i] = dot(axis[0], axis[1], axis[2], x, y, z) / h
            if frames.conveys[k] != 0:
                _add_mean_drift(rows, frames, k, a, b, bodies, scratch, h)
        else:
            miss = gap_at(frames, k, a, b, normal, scratch.next_positions, scratch.next_quaternions)
            miss -= min(gap, slack)
            if rows.friction[r + 1] > 0.0 and _sticks(rows, r):
                # what slides instead has the direction that it has at either end of the step
                slip = write_rolling(contacts, frames, k, bodies, scratch, normal, h, rows)
                if not first_pass:
                    slid = max(slid, abs(slip * h))
        if frames.contact_law[k] != RIGID:
            following, tolerance = miss + min(gap, slack), options.position_tolerance
            miss = hold_compliant(rows, frames, k, gap, following, applied[r], h, tolerance)
            worst = max(worst, miss)
            continue
        worst = max(worst, abs(miss) if rows.impulse[r] > 0.0 else -miss)
        rows.bias[r] = miss / h
    return worst, slid, share * np.sqrt(farthest)


@inner
def _square_lever(bodies, i, lever):
    """Return the square of the lever of a contact on body i, 0 if that does not react."""
    return dot(*vector(lever), *vector(lever)) if bodies.kinds[i] == DYNAMIC else 0.0


@inner
def preview_curvature(islands, bodies, h, chosen, lever, tolerance):
    """Choose no longer the islands whose contact points leave their tangents by less than `tolerance` [m].

    A point at distance r from a fixed axis does so by r (omega h)^2 / 2: the error of linear rows. `lever`
    (islands,) is the largest r of each, or where surfaces roll, which slide by that, a multiple of it.
    """
    for island in range(len(chosen)):
        if not chosen[island]:
            continue
        fastest = 0.0
        for at in range(islands.body_start[island], islands.body_start[island + 1]):
            w = bodies.angular_velocities[islands.bodies[at]]
            fastest = max(fastest, w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        if 0.5 * lever[island] * fastest * h * h <= tolerance:
            chosen[island] = False

"""Sliding where surfaces roll: how fast two bodies move past each other, on average over a step.

While a body rolls its lever arm turns, relative to the body or with the normal. The velocity of the point of
contact half-way through the step is therefore v + w x r with all three taken there. For r that is the mean of
the arm at t and of the one at t + h by the preview; with that at t alone rolling would do work, in proportion
to h. The impulses themselves act at t, at one place for both bodies.
"""

import numpy as np

from stoss.collision.algebra import cross, dot, quaternion_multiply, rotate
from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays, BodyScratch
from stoss.engine.constraints.rows import Rows
from stoss.engine.contacts.conveyors import mean_drift
from stoss.engine.contacts.curved_surfaces import CURVED_A, CURVED_B
from stoss.engine.contacts.frames import ContactFrames, vector

__all__ = ["write_rolling"]

# Turn [rad] in a step up to which a mean angular velocity is defined by the poses at its ends.
LARGEST_TURN = 2.0
# Cosine of the angle up to which the normal between rounded surfaces may turn within a step.
LEAST_COSINE = 0.5


@inner
def _mean_turning(bodies, scratch, i, h):
    """Return the constant angular velocity that turns body i as the preview does.

    That half-way, w + h/2 dw/dt, lacks the gyroscopic part where moments of inertia differ.
    """
    w0, w1, w2 = vector(scratch.middle_angular_velocities[i])
    j = bodies.inertias[i]
    if bodies.kinds[i] != DYNAMIC or (j[0] == j[1] and j[1] == j[2]):
        return w0, w1, w2
    if (w0 * w0 + w1 * w1 + w2 * w2) * h * h > LARGEST_TURN * LARGEST_TURN:
        return w0, w1, w2
    q, p = bodies.quaternions[i], scratch.next_quaternions[i]
    d0, d1, d2, d3 = quaternion_multiply(p[0], p[1], p[2], p[3], q[0], -q[1], -q[2], -q[3])
    sine = np.sqrt(d1 * d1 + d2 * d2 + d3 * d3)
    if sine < 1e-12:
        return w0, w1, w2
    rate = 2.0 * np.arctan2(sine if d0 >= 0.0 else -sine, abs(d0)) / (sine * h)
    return rate * d1, rate * d2, rate * d3


@inner
def _turning_speed(bodies, scratch, i, lever, x, y, z, h):
    """Return w x r half-way through the step, r the mean of `lever` and of the one to (x, y, z) at t + h."""
    p = scratch.next_positions[i]
    w0, w1, w2 = _mean_turning(bodies, scratch, i, h)
    r0, r1, r2 = 0.5 * (lever[0] + x - p[0]), 0.5 * (lever[1] + y - p[1]), 0.5 * (lever[2] + z - p[2])
    return cross(w0, w1, w2, r0, r1, r2)


@inner
def _rounded_points(contacts, frames, k, a, b, normal, scratch):
    """Return the points at t + h of the surfaces of contact k, where none of them is curved."""
    c, p, q = frames.contact[k], scratch.next_positions[a], scratch.next_positions[b]
    x, y, z = rotate(scratch.next_quaternions[a], *vector(frames.anchor_a[k]))
    u, v, w = rotate(scratch.next_quaternions[b], *vector(frames.anchor_b[k]))
    x, y, z, u, v, w = x + p[0], y + p[1], z + p[2], u + q[0], v + q[1], w + q[2]
    n0, n1, n2 = normal
    if frames.reference_body[k] < 0:
        d0, d1, d2 = x - u, y - v, z - w
        size = np.sqrt(dot(d0, d1, d2, d0, d1, d2))
        if dot(n0, n1, n2, d0, d1, d2) > LEAST_COSINE * size:
            n0, n1, n2 = d0 / size, d1 / size, d2 / size
    r, s = contacts.radius_a[c], contacts.radius_b[c]
    point_a, point_b = (x - r * n0, y - r * n1, z - r * n2), (u + s * n0, v + s * n1, w + s * n2)
    return point_a, point_b, (n0, n1, n2)


@kernel
def write_rolling(
    contacts: ContactArrays,
    frames: ContactFrames,
    k: int,
    bodies: BodyArrays,
    scratch: BodyScratch,
    normal: tuple[float, float, float],
    h: float,
    rows: Rows,
) -> float:
    """Write the mean sliding of contact k over the step into its tangent rows; return its speed [m/s].

    Args:
        contacts, frames, bodies: of time t.
        k: number of the contact in the frames, whose surfaces are rounded or curved.
        scratch: previewed poses, and the velocities of `preview_velocities`.
        normal: (3,) at t + h, in the world.
        h: length of the step [s].
        rows: the biases of the tangents are written.
    """
    c, r, reference = frames.contact[k], frames.row[k], frames.reference_body[k]
    a, b = contacts.body_a[c], contacts.body_b[c]
    if frames.curved[k] != 0:
        near = frames.nearest[k]
        f, g, n = vector(near[1]), vector(near[2]), vector(near[0])
    else:
        f, g, n = _rounded_points(contacts, frames, k, a, b, normal, scratch)
    # the contact is where the rounded surface is; where both are, in the middle, whatever their order
    on_a = (frames.curved[k] & CURVED_A) != 0 or contacts.radius_a[c] > 0.0
    on_b = (frames.curved[k] & CURVED_B) != 0 or contacts.radius_b[c] > 0.0
    share = 0.5
    if not on_b or (on_a and reference == b):
        share = 1.0
    elif not on_a or reference == a:
        share = 0.0
    # each arm ends at the own surface, half of the gap at t outside: that of the preview is to be closed yet
    u, v, w = f[0] - g[0], f[1] - g[1], f[2] - g[2]
    across, half = dot(n[0], n[1], n[2], u, v, w), 0.5 * contacts.gap[c]
    u, v, w = u - across * n[0], v - across * n[1], w - across * n[2]
    part = share - 1.0
    x, y, z = f[0] + part * u - half * n[0], f[1] + part * v - half * n[1], f[2] + part * w - half * n[2]
    on_first = _turning_speed(bodies, scratch, a, frames.lever_a[k], x, y, z, h)
    ends = x, y, z
    x, y, z = g[0] + share * u + half * n[0], g[1] + share * v + half * n[1], g[2] + share * w + half * n[2]
    on_second = _turning_speed(bodies, scratch, b, frames.lever_b[k], x, y, z, h)
    last = x, y, z
    u, v, w = on_first
    x, y, z = on_second
    va, vb = scratch.middle_velocities[a], scratch.middle_velocities[b]
    x, y, z = va[0] + u - vb[0] - x, va[1] + v - vb[1] - y, va[2] + w - vb[2] - z
    t, s = frames.axes[k, 1], frames.axes[k, 2]
    first, second = dot(t[0], t[1], t[2], x, y, z), dot(s[0], s[1], s[2], x, y, z)
    if frames.conveys[k] != 0:
        p, q = scratch.next_positions[a], scratch.next_positions[b]
        arm_a = ends[0] - p[0], ends[1] - p[1], ends[2] - p[2]
        arm_b = last[0] - q[0], last[1] - q[1], last[2] - q[2]
        turns = scratch.next_quaternions
        along, across = mean_drift(bodies, a, b, turns, arm_a, arm_b, frames.axes[k], frames.drift[k], h)
        first, second = first + along, second + across
    rows.bias[r + 1], rows.bias[r + 2] = first, second
    return np.sqrt(first * first + second * second)

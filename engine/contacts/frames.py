"""Geometry of contacts at one time level: axes, lever arms, and gaps for any other poses of the bodies.

Each body has an anchor, a point fixed in it that lies the radius of its surface inside: the centre of a
ball's curvature, or the point of contact itself where the surface is not rounded. The gap for other poses is
the distance of the anchors along the normal, less the sum of both radii. Where no anchor is right, because
the curvature differs from place to place, the surfaces themselves are kept (`curved_surfaces`).
"""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import cross, dot, perpendicular, rotate, rotate_inverse
from stoss.collision.contacts import NORMAL_ON_A, NORMAL_ON_B, ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Codes, Floats, Ints
from stoss.collision.shapes.shape_table import ShapeArrays
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.contacts.conveyors import DRIFT, add_drift, add_turning_drift, place_drift
from stoss.engine.contacts.curved_surfaces import (
    CURVED_A,
    CURVED_B,
    RIM,
    SURFACE,
    curved_gap,
    has_curved_surface,
    place_surface,
)
from stoss.engine.contacts.rolling_friction import write_turning
from stoss.engine.laws.contact_functions import LAW_NUMBERS
from stoss.engine.laws.friction_arrays import STATE

__all__ = [
    "ANYONE",
    "NOBODY",
    "ContactFrames",
    "accelerations_along",
    "anchor_separation",
    "approach_speed",
    "contact_velocity",
    "gap_at",
    "gap_before",
    "place_contact",
    "place_contacts",
    "turned_normal",
    "vector",
    "write_velocities",
]

# Values of `BodyScratch.partner`: whom a body has met at the present instant, besides the row of a body.
NOBODY, ANYONE = -1, -2


class ContactFrames(Struct):
    """Geometry of the contacts in the order of their blocks of rows."""

    contact: Annotated[Ints, "contacts"]  # index of the contact
    row: Annotated[Ints, "contacts"]  # its first row in the system
    axes: Annotated[Floats, "contacts", 3, 3]  # normal and two tangents
    lever_a: Annotated[Floats, "contacts", 3]  # from the centre of mass to the contact, first body [m]
    lever_b: Annotated[Floats, "contacts", 3]  # the same for the second body
    anchor_a: Annotated[Floats, "contacts", 3]  # radius_a inside the first body, in its frame [m]
    anchor_b: Annotated[Floats, "contacts", 3]
    local_normal: Annotated[Floats, "contacts", 3]  # normal in the frame of the reference body
    reference_body: Annotated[Ints, "contacts"]  # whose face the normal belongs to, -1 for none
    radius_sum: Annotated[Floats, "contacts"]  # radius_a + radius_b [m]
    curved: Annotated[Codes, "contacts"]  # which surfaces are no balls: see `curved_surfaces`; 0 for most
    surfaces: Annotated[Floats, "contacts", 2, SURFACE]  # of both bodies where curved, in their frames [m]
    nearest: Annotated[Floats, "contacts", 3, 3]  # there, at poses looked at: normal, points on a and b
    restitution: Annotated[Floats, "contacts"]
    resists: Annotated[Codes, "contacts"]  # what turning it resists, besides sliding (`rolling_friction`)
    law: Annotated[Codes, "contacts"]  # of impacts
    approach: Annotated[Floats, "contacts"]  # speed when the surfaces met in this step [m/s], 0 if not
    least_bounce: Annotated[Floats, "contacts"]  # approach up to which there is no bounce [m/s]
    conveys: Annotated[Codes, "contacts"]  # 1 where a surface moves along its body, and
    drift: Annotated[Floats, "contacts", DRIFT]  # how, the first relative to the second (`conveyors`)
    friction_law: Annotated[Ints, "contacts"]  # NO_LAW: Coulomb's, by the coefficients of the rows
    friction_scale: Annotated[Floats, "contacts"]  # by which what the law says is multiplied
    friction_state: Annotated[Floats, "contacts", STATE]  # what it remembers at this time level
    friction_next: Annotated[Floats, "contacts", STATE]  # the same after the first half of the step from here
    friction_work: Annotated[Floats, "contacts", 2]  # since it was last entered there [J], and before a solve
    friction_seen: Annotated[Floats, "contacts", 5]  # velocities and impulses last looked at, and response
    friction_slides: Annotated[Bools, "contacts"]  # whether it slid then, of laws that stick
    contact_law: Annotated[Codes, "contacts"]  # by which it gives way (`laws.contact_functions`), or RIGID
    contact_numbers: Annotated[Floats, "contacts", LAW_NUMBERS]
    pressing: Annotated[Floats, "contacts"]  # acceleration of the approach while an impact lasts [m/s^2]
    was_settled: Annotated[Bools, "contacts"]  # whether it is known what settled it, see `warm_start`
    broken: Annotated[Bools, "contacts"]  # a wall that has been broken through


@inner
def vector(row):
    """Return three numbers of an array as a vector by value."""
    return row[0], row[1], row[2]


@inner(always=True)
def _reference_body(contacts, c):
    """Return the body whose face has the normal of contact c; -1 for none, between rounded surfaces."""
    side = contacts.normal_side[c]
    if side == NORMAL_ON_A:
        return contacts.body_a[c]
    if side == NORMAL_ON_B:
        return contacts.body_b[c]
    return -1


@inner(always=True)
def _local_anchor(bodies, i, point, inset, normal):
    """Return, in the frame of body i, the point that lies `inset` [m] along the normal (3) from a point."""
    return rotate_inverse(
        bodies.quaternions[i],
        point[0] + inset * normal[0] - bodies.positions[i, 0],
        point[1] + inset * normal[1] - bodies.positions[i, 1],
        point[2] + inset * normal[2] - bodies.positions[i, 2],
    )


@inner(always=True)
def _normal_in_body(normal, reference, quaternions):
    """Return the normal (3) in the frame of its reference body; without one (-1) as it is."""
    n0, n1, n2 = normal
    if reference < 0:
        return n0, n1, n2
    return rotate_inverse(quaternions[reference], n0, n1, n2)


@inner
def anchor_separation(a, b, anchor_a, anchor_b, positions, quaternions):
    """Return the vector from the anchor of body b to that of body a, for any poses.

    The bodies are near each other, but may be far from the origin: their places are subtracted first.
    """
    x, y, z = rotate(quaternions[a], anchor_a[0], anchor_a[1], anchor_a[2])
    p, q, r = rotate(quaternions[b], anchor_b[0], anchor_b[1], anchor_b[2])
    return (
        (x - p) + (positions[a, 0] - positions[b, 0]),
        (y - q) + (positions[a, 1] - positions[b, 1]),
        (z - r) + (positions[a, 2] - positions[b, 2]),
    )


@inner
def _gap_along(normal, separation, reference, radius_sum):
    """Return the gap along a normal (3) in the world, for the separation (3) of the anchors.

    Where no face has the normal, a rounded surface meets a point or another rounded surface, and the gap is
    the distance of their anchors: along the old normal a roller would seem to sink into an edge it leaves.
    """
    x, y, z = separation
    along = dot(normal[0], normal[1], normal[2], x, y, z)
    if reference < 0 and radius_sum > 0.0 and along > 0.0:
        along = np.sqrt(dot(x, y, z, x, y, z))
    return along - radius_sum


@inner
def turned_normal(frames, k, quaternions):
    """Return the normal of contact k in the world, turned with the body whose face has it."""
    reference = frames.reference_body[k]
    n0, n1, n2 = vector(frames.local_normal[k])
    if reference >= 0:
        return rotate(quaternions[reference], n0, n1, n2)
    return n0, n1, n2


@inner
def _curved_gap_at(frames, k, a, b, normal, positions, quaternions):
    """Return the gap of contact k as `gap_at` does, of other surfaces than balls; NaN for none."""
    fixed, nearest = frames.reference_body[k] >= 0, frames.nearest[k]
    gap = curved_gap(frames.surfaces[k], a, b, positions, quaternions, normal, fixed, nearest)
    if np.isnan(gap):
        frames.curved[k] = 0  # from now on the points that touch are the best that is known
    return gap


@inner(always=True)
def gap_at(frames, k, a, b, normal, positions, quaternions):
    """Return the gap of contact k along a normal (3) in the world, for any poses."""
    if frames.curved[k] != 0:
        gap = _curved_gap_at(frames, k, a, b, normal, positions, quaternions)
        if not np.isnan(gap):
            return gap
    reference = frames.reference_body[k]
    p, q = vector(frames.anchor_a[k]), vector(frames.anchor_b[k])
    separation = anchor_separation(a, b, p, q, positions, quaternions)
    return _gap_along(normal, separation, reference, frames.radius_sum[k])


@inner
def gap_before(contacts, c, bodies, old):
    """Return the gap that a contact of the present poses had in `old` ones, as `gap_at` does of anchors."""
    a, b, normal = contacts.body_a[c], contacts.body_b[c], vector(contacts.normal[c])
    first, second = contacts.radius_a[c], contacts.radius_b[c]
    p = _local_anchor(bodies, a, contacts.point_a[c], first, normal)
    q = _local_anchor(bodies, b, contacts.point_b[c], -second, normal)
    separation = anchor_separation(a, b, p, q, old.positions, old.quaternions)
    reference = _reference_body(contacts, c)
    if reference >= 0:
        x, y, z = _normal_in_body(normal, reference, bodies.quaternions)
        normal = rotate(old.quaternions[reference], x, y, z)
    return _gap_along(normal, separation, reference, first + second)


@inner(always=True)
def _first_tangent(plane, n0, n1, n2):
    """Return a unit vector perpendicular to a normal, in a plane (1 to 3: across x to z) one within it."""
    if plane == 0:
        return perpendicular(n0, n1, n2)
    x, y, z = cross(1.0 * (plane == 1), 1.0 * (plane == 2), 1.0 * (plane == 3), n0, n1, n2)
    size = np.sqrt(x * x + y * y + z * z)
    if size < 1e-9:  # surfaces that face each other across the plane: any direction within it
        return 1.0 * (plane != 1), 1.0 * (plane == 1), 0.0
    return x / size, y / size, z / size


@inner(always=True)
def _is_like(contacts, c, d, frames, k):
    """Return whether contact d, the k-th of the frames, has the bodies, the normal and its owner of c."""
    axis, normal = frames.axes[k, 0], contacts.normal[c]
    return (
        contacts.body_a[c] == contacts.body_a[d]
        and contacts.body_b[c] == contacts.body_b[d]
        and contacts.normal_side[c] == contacts.normal_side[d]
        and normal[0] == axis[0]
        and normal[1] == axis[1]
        and normal[2] == axis[2]
    )


@inner(always=True)
def place_contact(contacts, shapes, c, bodies, frames, k):
    """Write the geometry of contact c as the k-th of the frames, after that of the ones before.

    Points of one face have their axes in common, found for the first of them.
    """
    a, b = contacts.body_a[c], contacts.body_b[c]
    n0, n1, n2 = contacts.normal[c, 0], contacts.normal[c, 1], contacts.normal[c, 2]
    axes, local = frames.axes[k], frames.local_normal[k]
    if k > 0 and _is_like(contacts, c, frames.contact[k - 1], frames, k - 1):
        for i in range(3):
            for j in range(3):
                axes[i, j] = frames.axes[k - 1, i, j]
            local[i] = frames.local_normal[k - 1, i]
        reference = frames.reference_body[k - 1]
    else:
        t0, t1, t2 = _first_tangent(bodies.plane[a], n0, n1, n2)
        axes[0, 0], axes[0, 1], axes[0, 2] = n0, n1, n2
        axes[1, 0], axes[1, 1], axes[1, 2] = t0, t1, t2
        axes[2, 0], axes[2, 1], axes[2, 2] = cross(n0, n1, n2, t0, t1, t2)
        if bodies.plane[a] != 0:  # to the bit: nothing slides across the plane
            for i in range(3):
                axes[2, i] = 1.0 * (i == bodies.plane[a] - 1)
        reference = _reference_body(contacts, c)
        local[0], local[1], local[2] = _normal_in_body((n0, n1, n2), reference, bodies.quaternions)
    frames.reference_body[k] = reference
    for i in range(3):
        middle = 0.5 * (contacts.point_a[c, i] + contacts.point_b[c, i])
        frames.lever_a[k, i] = middle - bodies.positions[a, i]
        frames.lever_b[k, i] = middle - bodies.positions[b, i]
    frames.conveys[k] = place_drift(bodies, a, b, frames.lever_a[k], frames.lever_b[k], axes, frames.drift[k])
    normal, ra, rb = (n0, n1, n2), contacts.radius_a[c], contacts.radius_b[c]
    x, y, z = _local_anchor(bodies, a, contacts.point_a[c], ra, normal)
    frames.anchor_a[k, 0], frames.anchor_a[k, 1], frames.anchor_a[k, 2] = x, y, z
    x, y, z = _local_anchor(bodies, b, contacts.point_b[c], -rb, normal)
    frames.anchor_b[k, 0], frames.anchor_b[k, 1], frames.anchor_b[k, 2] = x, y, z
    frames.radius_sum[k] = ra + rb
    frames.curved[k] = 0
    i, j = contacts.shape_a[c], contacts.shape_b[c]
    if has_curved_surface(shapes.kind[i]) or has_curved_surface(shapes.kind[j]):
        p, q, out = vector(contacts.point_a[c]), vector(contacts.point_b[c]), frames.surfaces[k]
        on_a = place_surface(shapes, i, bodies, a, p, (-n0, -n1, -n2), ra, out[0])
        on_b = place_surface(shapes, j, bodies, b, q, normal, rb, out[1])
        # a rim at a corner has no curvature that says how the normal turns
        sharp = reference < 0 and ((on_a == RIM and on_b + rb == 0.0) or (on_b == RIM and on_a + ra == 0.0))
        if not sharp:
            frames.curved[k] = CURVED_A * (on_a != 0) + CURVED_B * (on_b != 0)


@kernel
def place_contacts(
    contacts: ContactArrays, shapes: ShapeArrays, bodies: BodyArrays, frames: ContactFrames
) -> None:
    """Write the geometry of all contacts in their own order, apart from any rows."""
    for c in range(len(frames.contact)):
        frames.contact[c] = c
        place_contact(contacts, shapes, c, bodies, frames, c)


@inner
def approach_speed(a, b, point, normal, bodies):
    """Return the speed [m/s] at which bodies a and b approach at a point, along a normal (3) from b to a."""
    u = 0.0
    for half in range(2):
        i = a if half == 0 else b
        w = bodies.angular_velocities[i]
        x, y, z = cross(
            w[0],
            w[1],
            w[2],
            point[0] - bodies.positions[i, 0],
            point[1] - bodies.positions[i, 1],
            point[2] - bodies.positions[i, 2],
        )
        v = bodies.velocities[i]
        speed = dot(normal[0], normal[1], normal[2], v[0] + x, v[1] + y, v[2] + z)
        u += -speed if half == 0 else speed
    return u


@inner
def accelerations_along(axis, a, b, accelerations):
    """Return the free accelerations [m/s^2] of two bodies along an axis (3)."""
    p, q = accelerations[a], accelerations[b]
    return (
        axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2],
        axis[0] * q[0] + axis[1] * q[1] + axis[2] * q[2],
    )


@inner
def contact_velocity(frames, k, a, b, velocities, angular_velocities):
    """Return the velocity of the point of contact k on its first body a relative to that on b."""
    wa, wb, p, q = angular_velocities[a], angular_velocities[b], frames.lever_a[k], frames.lever_b[k]
    x, y, z = cross(wa[0], wa[1], wa[2], p[0], p[1], p[2])
    u, v, w = cross(wb[0], wb[1], wb[2], q[0], q[1], q[2])
    return (
        velocities[a, 0] + x - velocities[b, 0] - u,
        velocities[a, 1] + y - velocities[b, 1] - v,
        velocities[a, 2] + z - velocities[b, 2] - w,
    )


@inner(always=True)
def write_velocities(rows, frames, k, a, b, velocities, angular_velocities):
    """Write the velocity of the surfaces at contact k along its axes into the biases; return the normal part.

    That of the bodies, and where a surface moves along its body, that motion too.
    """
    x, y, z = contact_velocity(frames, k, a, b, velocities, angular_velocities)
    axes = frames.axes[k]
    r = frames.row[k]
    rows.bias[r] = axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z
    rows.bias[r + 1] = axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z
    rows.bias[r + 2] = axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z
    if frames.resists[k] != 0:
        write_turning(rows.bias, r + 3, frames.resists[k], axes, angular_velocities[a], angular_velocities[b])
    if frames.conveys[k] != 0:
        add_drift(rows.bias, r + 1, frames.drift[k])
        if frames.resists[k] != 0:
            add_turning_drift(rows.bias, r + 3, frames.resists[k], frames.drift[k])
    return rows.bias[r]

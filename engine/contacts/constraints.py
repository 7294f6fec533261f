"""Contacts become rows: normal and two tangents each, for impacts, for rest and for the preview.

Rows are built once per detection and serve `settle` at that time and `correct` of the step that follows:
the same instant, the same matrix. Between the two only biases and limits change.

Source: Bender 2007, sections 5.1 to 5.3, with the corrections P-12 to P-14, P-23 to P-25.
"""

from typing import Annotated

import numpy as np
from stoss.collision.algebra import (
    cross,
    dot,
    matrix_from_quaternion,
    perpendicular,
    rotate,
    rotate_inverse,
)
from stoss.collision.contacts import NORMAL_ON_A, NORMAL_ON_B, ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Floats2, Floats3, Ints
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.bodies.material import combine
from stoss.engine.bodies.material_pairs import LAW, RESTITUTION, SLIDE, STICK
from stoss.engine.constraints.rows import BOUNDED, FRESH, FRICTION, PARTNER, Rows, finish_rows
from stoss.engine.contacts.rolling_friction import add_turning_rows, row_count, write_turning

__all__ = [
    "ANYONE",
    "NOBODY",
    "ContactFrames",
    "FrameStore",
    "apply_rows",
    "build_rows",
    "free_accelerations",
    "prepare_correct",
    "prepare_settle",
    "preview_curvature",
    "world_root_inverse_inertias",
    "write_velocities",
]


# Values of `BodyScratch.partner`: whom a body has met at the present instant, besides the row of a body.
NOBODY, ANYONE = -1, -2


class ContactFrames(Struct):
    """Geometry of the contacts in the order of their blocks of rows."""

    contact: Annotated[Ints, "contacts"]  # index of the contact
    row: Annotated[Ints, "contacts"]  # its first row in the system
    axes: Annotated[Floats, "contacts", 3, 3]  # normal and two tangents
    arm_a: Annotated[Floats, "contacts", 3]  # from the centre of mass to the contact, first body [m]
    arm_b: Annotated[Floats, "contacts", 3]  # the same for the second body
    core_a: Annotated[
        Floats, "contacts", 3
    ]  # point fixed on the first body (body frame) that lies radius_a inside
    core_b: Annotated[Floats, "contacts", 3]
    local_normal: Annotated[Floats, "contacts", 3]  # normal in the frame of the body that carries it
    carrier: Annotated[Ints, "contacts"]  # that body, -1 for none
    rounding: Annotated[Floats, "contacts"]  # radius_a + radius_b [m]
    restitution: Annotated[Floats, "contacts"]
    resists: Annotated[Ints, "contacts"]  # what turning it resists, besides sliding (`rolling_friction`)
    law: Annotated[Ints, "contacts"]  # of impacts
    approach: Annotated[
        Floats, "contacts"
    ]  # speed of approach when the surfaces met in this step [m/s], 0 if they did not


_INTEGER = {"contact", "row", "carrier", "resists", "law"}
_WIDTH = {
    "axes": (3, 3),
    "arm_a": (3,),
    "arm_b": (3,),
    "core_a": (3,),
    "core_b": (3,),
    "local_normal": (3,),
}


class FrameStore:
    """Own the memory of the frames and hand out views of the wanted size."""

    def __init__(self) -> None:
        self._memory: dict[str, np.ndarray] = {}
        self._frames = ContactFrames(*(self._field(name, 0) for name in ContactFrames._fields))

    def _field(self, name: str, length: int) -> np.ndarray:
        memory = self._memory.get(name)
        if memory is None or len(memory) < length:
            dtype = np.int64 if name in _INTEGER else np.float64
            memory = np.zeros((max(64, 3 * length // 2), *_WIDTH.get(name, ())), dtype)
            self._memory[name] = memory
        return memory[:length]

    def resize(self, count: int) -> ContactFrames:
        """Return frames for `count` contacts, contents undefined: the same tuple while the size stays."""
        if count != len(self._frames.contact):
            self._frames = ContactFrames(*(self._field(name, count) for name in ContactFrames._fields))
        return self._frames


@kernel
def world_root_inverse_inertias(bodies: BodyArrays, out: Floats2) -> None:
    """Fill out (n, 9) with R diag(I^(-1/2)) R^T of each body; zero where it does not react."""
    for i in range(len(bodies.kinds)):
        if bodies.kinds[i] != DYNAMIC:
            for k in range(9):
                out[i, k] = 0.0
            continue
        r = matrix_from_quaternion(bodies.quaternions[i])
        s0, s1, s2 = (
            bodies.root_inverse_inertias[i, 0],
            bodies.root_inverse_inertias[i, 1],
            bodies.root_inverse_inertias[i, 2],
        )
        xx = r[0] * s0 * r[0] + r[1] * s1 * r[1] + r[2] * s2 * r[2]
        xy = r[0] * s0 * r[3] + r[1] * s1 * r[4] + r[2] * s2 * r[5]
        xz = r[0] * s0 * r[6] + r[1] * s1 * r[7] + r[2] * s2 * r[8]
        yy = r[3] * s0 * r[3] + r[4] * s1 * r[4] + r[5] * s2 * r[5]
        yz = r[3] * s0 * r[6] + r[4] * s1 * r[7] + r[5] * s2 * r[8]
        zz = r[6] * s0 * r[6] + r[7] * s1 * r[7] + r[8] * s2 * r[8]
        out[i, 0], out[i, 1], out[i, 2] = xx, xy, xz
        out[i, 3], out[i, 4], out[i, 5] = xy, yy, yz
        out[i, 6], out[i, 7], out[i, 8] = xz, yz, zz


@inner
def symmetric_times(w, x, y, z):
    """Return the product of a 3x3 matrix (nine numbers) with a vector."""
    return (
        w[0] * x + w[1] * y + w[2] * z,
        w[3] * x + w[4] * y + w[5] * z,
        w[6] * x + w[7] * y + w[8] * z,
    )


@inner
def free_accelerations(bodies, gravity, roots, out):
    """Fill out (n, 6) with the accelerations by gravity, forces and torques, without the gyroscopic term."""
    for i in range(len(bodies.kinds)):
        if bodies.kinds[i] != DYNAMIC:
            for k in range(6):
                out[i, k] = 0.0
            continue
        for k in range(3):
            out[i, k] = gravity[k] + bodies.forces[i, k] * bodies.inverse_masses[i]
        x, y, z = symmetric_times(roots[i], bodies.torques[i, 0], bodies.torques[i, 1], bodies.torques[i, 2])
        x, y, z = symmetric_times(roots[i], x, y, z)
        out[i, 3], out[i, 4], out[i, 5] = x, y, z


@inner
def _write_half(jacobian, offset, sign, root_mass, roots, d0, d1, d2, r0, r1, r2):
    """Write one body's half of a row for direction d at arm r: sign * (d m^-1/2, W (r x d))."""
    a0, a1, a2 = cross(r0, r1, r2, d0, d1, d2)
    a0, a1, a2 = symmetric_times(roots, a0, a1, a2)
    jacobian[offset] = sign * root_mass * d0
    jacobian[offset + 1] = sign * root_mass * d1
    jacobian[offset + 2] = sign * root_mass * d2
    jacobian[offset + 3] = sign * a0
    jacobian[offset + 4] = sign * a1
    jacobian[offset + 5] = sign * a2


@kernel
def build_rows(
    contacts: ContactArrays,
    order: Ints,
    blocks: Ints,
    resists: Ints,
    bodies: BodyArrays,
    roots: Floats2,
    friction_rule: int,
    restitution_rule: int,
    law: int,
    pairs: Floats3,
    rows: Rows,
    frames: ContactFrames,
) -> None:
    """Build three rows per contact, contacts taken in `order`: everything but biases and limits.

    `blocks` are the blocks of the contacts taken, whose first rows are in place; `resists` says which
    contacts have more rows, against rolling and spinning. `law` is that of impacts; `pairs` holds the values
    of pairs of materials that have their own.

    Both bodies take the impulse at the same point, half-way between their surfaces, so that angular
    momentum is conserved across a gap or an overlap (P-40).
    """
    run = last = rows.start[blocks[0]] if len(order) > 0 else 0  # rows that follow each other
    for k in range(len(order)):
        c = order[k]
        a = contacts.body_a[c]
        b = contacts.body_b[c]
        n0, n1, n2 = contacts.normal[c, 0], contacts.normal[c, 1], contacts.normal[c, 2]
        t0, t1, t2 = perpendicular(n0, n1, n2)
        s0, s1, s2 = cross(n0, n1, n2, t0, t1, t2)
        axes = frames.axes[k]
        axes[0, 0], axes[0, 1], axes[0, 2] = n0, n1, n2
        axes[1, 0], axes[1, 1], axes[1, 2] = t0, t1, t2
        axes[2, 0], axes[2, 1], axes[2, 2] = s0, s1, s2
        frames.contact[k] = c
        for i in range(3):
            middle = 0.5 * (contacts.point_a[c, i] + contacts.point_b[c, i])
            frames.arm_a[k, i] = middle - bodies.positions[a, i]
            frames.arm_b[k, i] = middle - bodies.positions[b, i]
        ra = contacts.radius_a[c]
        rb = contacts.radius_b[c]
        x, y, z = rotate_inverse(
            bodies.quaternions[a],
            contacts.point_a[c, 0] + ra * n0 - bodies.positions[a, 0],
            contacts.point_a[c, 1] + ra * n1 - bodies.positions[a, 1],
            contacts.point_a[c, 2] + ra * n2 - bodies.positions[a, 2],
        )
        frames.core_a[k, 0], frames.core_a[k, 1], frames.core_a[k, 2] = x, y, z
        x, y, z = rotate_inverse(
            bodies.quaternions[b],
            contacts.point_b[c, 0] - rb * n0 - bodies.positions[b, 0],
            contacts.point_b[c, 1] - rb * n1 - bodies.positions[b, 1],
            contacts.point_b[c, 2] - rb * n2 - bodies.positions[b, 2],
        )
        frames.core_b[k, 0], frames.core_b[k, 1], frames.core_b[k, 2] = x, y, z
        frames.rounding[k] = ra + rb
        side = contacts.normal_side[c]
        carrier = a if side == NORMAL_ON_A else (b if side == NORMAL_ON_B else -1)
        frames.carrier[k] = carrier
        x, y, z = n0, n1, n2
        if carrier >= 0:
            x, y, z = rotate_inverse(bodies.quaternions[carrier], n0, n1, n2)
        frames.local_normal[k, 0], frames.local_normal[k, 1], frames.local_normal[k, 2] = x, y, z
        frames.restitution[k] = combine(restitution_rule, bodies.restitution[a], bodies.restitution[b])
        frames.law[k] = law
        frames.approach[k] = 0.0

        slide = combine(friction_rule, bodies.friction[a], bodies.friction[b])
        stick = max(slide, combine(friction_rule, bodies.static_friction[a], bodies.static_friction[b]))
        if bodies.pair_group[a] > 0 and bodies.pair_group[b] > 0:
            own = pairs[bodies.pair_group[a], bodies.pair_group[b]]
            if not np.isnan(own[RESTITUTION]):
                frames.restitution[k] = own[RESTITUTION]
            if not np.isnan(own[SLIDE]):
                slide, stick = own[SLIDE], own[STICK]
            if not np.isnan(own[LAW]):
                frames.law[k] = int(own[LAW])
        block = blocks[k]
        first = rows.start[block]
        frames.row[k] = first
        rows.bodies[block, 0] = a if bodies.kinds[a] == DYNAMIC else -1
        rows.bodies[block, 1] = b if bodies.kinds[b] == DYNAMIC else -1
        for i in range(3):
            r = first + i
            d0, d1, d2 = axes[i, 0], axes[i, 1], axes[i, 2]
            p, q = frames.arm_a[k], frames.arm_b[k]
            jacobian = rows.jacobian[r]
            _write_half(
                jacobian, 0, 1.0, bodies.root_inverse_masses[a], roots[a], d0, d1, d2, p[0], p[1], p[2]
            )
            _write_half(
                jacobian, 6, -1.0, bodies.root_inverse_masses[b], roots[b], d0, d1, d2, q[0], q[1], q[2]
            )
            rows.softness[r] = 0.0
            rows.limiting[r] = first
            rows.friction[r] = slide
            rows.static_friction[r] = stick
            rows.lower[r] = 0.0 if i == 0 else -np.inf
            rows.upper[r] = np.inf
            rows.kind[r] = BOUNDED if i == 0 else (FRICTION if i == 1 else PARTNER)
            rows.impulse[r] = 0.0
            rows.state[r] = FRESH
        if first != last:
            finish_rows(rows, run, last)
            run = first
        last = first + 3
        frames.resists[k] = resists[c]
        if resists[c] != 0:
            last = add_turning_rows(
                rows, last, resists[c], axes, a, b, bodies, roots[a], roots[b], friction_rule
            )
    finish_rows(rows, run, last)


@inner
def _relative(arm_a, arm_b, va, wa, vb, wb):
    """Return the velocity of the contact point of the first body relative to that of the second."""
    x, y, z = cross(wa[0], wa[1], wa[2], arm_a[0], arm_a[1], arm_a[2])
    p, q, r = cross(wb[0], wb[1], wb[2], arm_b[0], arm_b[1], arm_b[2])
    return va[0] + x - vb[0] - p, va[1] + y - vb[1] - q, va[2] + z - vb[2] - r


@inner
def write_velocities(rows, frames, k, a, b, velocities, angular_velocities):
    """Write the relative velocity of contact k along its axes into the biases; return the normal part."""
    x, y, z = _relative(
        frames.arm_a[k],
        frames.arm_b[k],
        velocities[a],
        angular_velocities[a],
        velocities[b],
        angular_velocities[b],
    )
    axes = frames.axes[k]
    r = frames.row[k]
    rows.bias[r] = axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z
    rows.bias[r + 1] = axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z
    rows.bias[r + 2] = axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z
    if frames.resists[k] != 0:
        write_turning(rows.bias, r + 3, frames.resists[k], axes, angular_velocities[a], angular_velocities[b])
    return rows.bias[r]


@inner
def _cores(frames, k, a, b, positions, quaternions):
    """Return the vector from the core of the second body to that of the first, for any poses."""
    x, y, z = rotate(quaternions[a], frames.core_a[k, 0], frames.core_a[k, 1], frames.core_a[k, 2])
    p, q, r = rotate(quaternions[b], frames.core_b[k, 0], frames.core_b[k, 1], frames.core_b[k, 2])
    return (
        x + positions[a, 0] - p - positions[b, 0],
        y + positions[a, 1] - q - positions[b, 1],
        z + positions[a, 2] - r - positions[b, 2],
    )


@inner
def _gap(frames, k, n0, n1, n2, x, y, z):
    """Return the gap of contact k along the normal n for the vector (x, y, z) between its cores.

    Where no face carries the normal, a rounded surface meets a point or another rounded surface, and the gap
    is the distance of their cores: along the old normal a roller would seem to sink into an edge it leaves.
    """
    along = dot(n0, n1, n2, x, y, z)
    if frames.carrier[k] < 0 and frames.rounding[k] > 0.0 and along > 0.0:
        along = np.sqrt(dot(x, y, z, x, y, z))
    return along - frames.rounding[k]


@inner
def prepare_correct(
    rows,
    frames,
    contacts,
    bodies,
    accelerations,
    middle_velocities,
    middle_angular_velocities,
    next_positions,
    next_quaternions,
    h,
    resting_speed,
    touch,
    leave,
    slack,
    contact_start,
    chosen,
    first_pass,
    worst,
):
    """Set biases and limits so that resting contacts hold at t + h, for the chosen islands.

    Normal: the gap at t + h, by the preview of the poses, must not be below `slack`, or not smaller than it
    is now: an overlap must not grow, and rounding in the gaps of a body at rest asks for nothing (divided by
    h, and in contradiction to each other, such gaps would stir the impulses of the whole pile). Tangents:
    no sliding, by the preview too, or where surfaces roll, u + a h/2 = 0. A contact that approaches fast,
    from a gap or with restitution, is left to `settle`, else this row would swallow its bounce. So is one
    whose gap exceeds `leave` [m]; after the first pass, what takes part stays. `worst` (islands,) receives
    the largest violation [m] of the preview.
    """
    for i in range(len(bodies.kinds)):
        for k in range(3):
            middle_velocities[i, k] = bodies.velocities[i, k] + 0.5 * h * accelerations[i, k]
            middle_angular_velocities[i, k] = (
                bodies.angular_velocities[i, k] + 0.5 * h * accelerations[i, 3 + k]
            )
    island = 0
    for k in range(len(frames.contact)):
        while contact_start[island + 1] <= k:
            island += 1
        if not chosen[island]:
            continue
        c = frames.contact[k]
        a = contacts.body_a[c]
        b = contacts.body_b[c]
        r = frames.row[k]
        gap = contacts.gap[c]
        write_velocities(rows, frames, k, a, b, middle_velocities, middle_angular_velocities)
        left = gap > leave
        # decided in the first pass: what has been given to the bodies since is not to be forgotten
        if (gap > touch or frames.restitution[k] > 0.0) and (first_pass or rows.upper[r] == 0.0):
            x, y, z = _relative(
                frames.arm_a[k],
                frames.arm_b[k],
                bodies.velocities[a],
                bodies.angular_velocities[a],
                bodies.velocities[b],
                bodies.angular_velocities[b],
            )
            axis = frames.axes[k, 0]
            left = left or dot(axis[0], axis[1], axis[2], x, y, z) < -resting_speed
        if left:
            rows.upper[r] = 0.0
            for i in range(row_count(frames.resists[k])):
                rows.impulse[r + i] = 0.0
            continue
        rows.upper[r] = np.inf
        carrier = frames.carrier[k]
        n0, n1, n2 = frames.local_normal[k, 0], frames.local_normal[k, 1], frames.local_normal[k, 2]
        if carrier >= 0:
            n0, n1, n2 = rotate(next_quaternions[carrier], n0, n1, n2)
        x, y, z = _cores(frames, k, a, b, next_positions, next_quaternions)
        miss = _gap(frames, k, n0, n1, n2, x, y, z) - min(gap, slack)
        if frames.rounding[k] == 0.0:
            # points fixed on both bodies, which started out one above the other
            for i in range(1, 3):
                axis = frames.axes[k, i]
                rows.bias[r + i] = dot(axis[0], axis[1], axis[2], x, y, z) / h
        worst[island] = max(worst[island], abs(miss) if rows.impulse[r] > 0.0 else -miss)
        rows.bias[r] = miss / h


@inner
def preview_curvature(frames, contacts, bodies, h, contact_start, chosen, tolerance):
    """Choose no longer the islands whose contact points leave their tangents by less than `tolerance` [m].

    A point at distance r from a fixed axis does so by r (omega h)^2 / 2: the error of linear rows.
    """
    for island in range(len(chosen)):
        if not chosen[island]:
            continue
        fastest = 0.0
        farthest = 0.0
        for k in range(contact_start[island], contact_start[island + 1]):
            c = frames.contact[k]
            for half in range(2):
                i = contacts.body_a[c] if half == 0 else contacts.body_b[c]
                if bodies.kinds[i] != DYNAMIC:
                    continue
                w = bodies.angular_velocities[i]
                arm = frames.arm_a[k] if half == 0 else frames.arm_b[k]
                fastest = max(fastest, w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
                farthest = max(farthest, arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2])
        if 0.5 * np.sqrt(farthest) * fastest * h * h <= tolerance:
            chosen[island] = False


@inner
def meet(frames, contacts, bodies, accelerations, old, partner, touching, touch, contact_start, chosen, h):
    """Find with what speed the surfaces of touching contacts met in this step (frames.approach).

    `old` holds the bodies as they were at the start of the step, before its forces and impulses: from there
    the contact met with u^2 = u0^2 - 2 a gap0. A body that rests has u0 = 0 and gap0 = 0 and so never
    bounces, however large the step is. The acceleration a is that of free fall, or with h > 0, for bodies on
    joints, what the contact had on average in the step of that length. Bodies that are `partner` (bodies,) of
    each other, see `time_of_impact`, have just met: from a gap above `touch` [m] at the speed they have.
    Contacts of the `chosen` islands (islands,) are considered. Returns whether any contact met and has
    restitution.
    """
    bounces = False
    island = 0
    for k in range(len(frames.contact)):
        while contact_start[island + 1] <= k:
            island += 1
        if not chosen[island]:
            continue
        c = frames.contact[k]
        frames.approach[k] = 0.0
        if not touching[c]:
            continue
        a = contacts.body_a[c]
        b = contacts.body_b[c]
        axis, p, q = frames.axes[k, 0], frames.arm_a[k], frames.arm_b[k]
        x, y, z = _relative(
            p,
            q,
            bodies.velocities[a],
            bodies.angular_velocities[a],
            bodies.velocities[b],
            bodies.angular_velocities[b],
        )
        u1 = dot(axis[0], axis[1], axis[2], x, y, z)
        if u1 >= 0.0:
            continue
        x, y, z = _relative(
            p,
            q,
            old.velocities[a],
            old.angular_velocities[a],
            old.velocities[b],
            old.angular_velocities[b],
        )
        u0 = dot(axis[0], axis[1], axis[2], x, y, z)
        x, y, z = _cores(frames, k, a, b, old.positions, old.quaternions)
        gap0 = max(_gap(frames, k, axis[0], axis[1], axis[2], x, y, z), 0.0)
        acceleration = 0.0
        for i in range(3):
            acceleration += axis[i] * (accelerations[a, i] - accelerations[b, i])
        if h > 0.0:
            acceleration = (u1 - u0) / h
        if partner[a] == b or partner[b] == a or (partner[a] == ANYONE and gap0 > touch):
            frames.approach[k] = -u1
        elif u0 < 0.0:
            frames.approach[k] = np.sqrt(max(u0 * u0 - 2.0 * acceleration * gap0, 0.0))
        else:
            frames.approach[k] = np.sqrt(max(-2.0 * acceleration * gap0, 0.0))
        if frames.restitution[k] > 0.0:
            bounces = True
    return bounces


@inner
def prepare_settle(rows, frames, contacts, bodies, touching):
    """Set the rows so that touching contacts do not approach and do not slide at the end of the step."""
    for k in range(len(frames.contact)):
        c = frames.contact[k]
        a = contacts.body_a[c]
        b = contacts.body_b[c]
        r = frames.row[k]
        rows.upper[r] = np.inf if touching[c] else 0.0
        if rows.upper[r] == 0.0:
            for i in range(row_count(frames.resists[k])):
                rows.impulse[r + i] = 0.0
        write_velocities(rows, frames, k, a, b, bodies.velocities, bodies.angular_velocities)


@inner
def apply_rows(z, members, bodies, roots):
    """Add the mass-weighted change z to the velocities of the bodies `members`, and clear it."""
    for i in members:
        m = bodies.root_inverse_masses[i]
        x, y, w = symmetric_times(roots[i], z[i, 3], z[i, 4], z[i, 5])
        bodies.velocities[i, 0] += m * z[i, 0]
        bodies.velocities[i, 1] += m * z[i, 1]
        bodies.velocities[i, 2] += m * z[i, 2]
        bodies.angular_velocities[i, 0] += x
        bodies.angular_velocities[i, 1] += y
        bodies.angular_velocities[i, 2] += w
        for k in range(6):
            z[i, k] = 0.0

"""Centre of mass and angular momentum of islands whose bodies were displaced.

A displacement by equal and opposite impulses keeps the centre of mass of an island, but for the rounding of
large ones, as where joints and contacts contradict each other. It does not keep its angular momentum: two
bodies that move past each other a little farther apart than they did would have more of it. Where nothing
from outside has pushed, the island must keep both. The velocities of an island are

    v_i = V + w x r_i + s u_i,        w_i = w + s (rest of the angular velocity),

with w = J^-1 L of the island turning as if it were rigid, and the rest u, which has neither momentum nor
angular momentum. Given new places, w follows from the old L, and s from the old energy. Where no body was
turned (balls are pushed through their centres), only the motion of the centres takes part: spins stay.
"""

import numpy as np

from stoss.collision.algebra import cross, dot, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats2
from stoss.engine.bodies.arrays import BodyArrays, OldBodies
from stoss.engine.constraints.islands import Islands, Layout
from stoss.engine.constraints.rows import Rows

__all__ = [
    "add_inertia",
    "angular_momentum",
    "angular_velocity",
    "centre_of_mass",
    "keep_angular_momenta",
    "leave_out_held",
    "restore_momenta",
]

# Change of angular momentum, or of a place, as a share of its terms that is rounding.
ROUNDING = 1e-14
# By how much the motion within an island may grow to make up for energy: where there is hardly any, what is
# there is not the motion that is to have it.
MOST_GROWTH = 1.1
# Rounds of restoring, for what `POINT` leaves: the share of a body's inertia that keeps the inertia of two
# centres regular about the line through them.
ROUNDS, POINT = 6, 1e-3


@inner
def centre_of_mass(bodies, members):
    """Return mass [kg], place and velocity of the centre of mass of some bodies."""
    mass = x = y = z = u = v = w = 0.0
    for i in members:
        m = bodies.masses[i]
        mass += m
        x, y, z = (
            x + m * bodies.positions[i, 0],
            y + m * bodies.positions[i, 1],
            z + m * bodies.positions[i, 2],
        )
        u, v, w = (
            u + m * bodies.velocities[i, 0],
            v + m * bodies.velocities[i, 1],
            w + m * bodies.velocities[i, 2],
        )
    return (x / mass, y / mass, z / mass), (u / mass, v / mass, w / mass)


@inner
def _motion(bodies, i, centre, velocity):
    """Return place and velocity of body i relative to the centre of mass, and its spin in the world."""
    r = (
        bodies.positions[i, 0] - centre[0],
        bodies.positions[i, 1] - centre[1],
        bodies.positions[i, 2] - centre[2],
    )
    v = (
        bodies.velocities[i, 0] - velocity[0],
        bodies.velocities[i, 1] - velocity[1],
        bodies.velocities[i, 2] - velocity[2],
    )
    q, w, j = bodies.quaternions[i], bodies.angular_velocities[i], bodies.inertias[i]
    x, y, z = rotate_inverse(q, w[0], w[1], w[2])
    return r, v, rotate(q, j[0] * x, j[1] * y, j[2] * z)


@inner
def angular_momentum(bodies, members, centre, velocity, spins):
    """Return the angular momentum about the centre of mass, its kinetic energy, and the size of the terms.

    Without `spins`, of the centres of the bodies alone.
    """
    l0 = l1 = l2 = energy = size = 0.0
    for i in members:
        m, w = bodies.masses[i], bodies.angular_velocities[i]
        r, v, s = _motion(bodies, i, centre, velocity)
        x, y, z = cross(r[0], r[1], r[2], m * v[0], m * v[1], m * v[2])
        if not spins:
            s = (0.0, 0.0, 0.0)
        l0, l1, l2 = l0 + x + s[0], l1 + y + s[1], l2 + z + s[2]
        size += abs(x) + abs(y) + abs(z) + abs(s[0]) + abs(s[1]) + abs(s[2])
        energy += 0.5 * m * dot(v[0], v[1], v[2], v[0], v[1], v[2])
        energy += 0.5 * dot(w[0], w[1], w[2], s[0], s[1], s[2])
    return (l0, l1, l2), energy, size


@inner
def add_inertia(bodies, i, centre, inertia, spins):
    """Return an inertia with that of body i about the centre added: xx, xy, xz, yy, yz, zz."""
    m, q, share = bodies.masses[i], bodies.quaternions[i], 1.0 if spins else POINT
    j = share * bodies.inertias[i, 0], share * bodies.inertias[i, 1], share * bodies.inertias[i, 2]
    x, y, z = (
        bodies.positions[i, 0] - centre[0],
        bodies.positions[i, 1] - centre[1],
        bodies.positions[i, 2] - centre[2],
    )
    xx, xy, xz, yy, yz, zz = inertia
    a, b, c = rotate(q, 1.0, 0.0, 0.0), rotate(q, 0.0, 1.0, 0.0), rotate(q, 0.0, 0.0, 1.0)
    return (
        xx + m * (y * y + z * z) + j[0] * a[0] * a[0] + j[1] * b[0] * b[0] + j[2] * c[0] * c[0],
        xy - m * x * y + j[0] * a[0] * a[1] + j[1] * b[0] * b[1] + j[2] * c[0] * c[1],
        xz - m * x * z + j[0] * a[0] * a[2] + j[1] * b[0] * b[2] + j[2] * c[0] * c[2],
        yy + m * (x * x + z * z) + j[0] * a[1] * a[1] + j[1] * b[1] * b[1] + j[2] * c[1] * c[1],
        yz - m * y * z + j[0] * a[1] * a[2] + j[1] * b[1] * b[2] + j[2] * c[1] * c[2],
        zz + m * (x * x + y * y) + j[0] * a[2] * a[2] + j[1] * b[2] * b[2] + j[2] * c[2] * c[2],
    )


@inner
def angular_velocity(inertia, momentum):
    """Return the angular velocity with which a body of this inertia has an angular momentum."""
    xx, xy, xz, yy, yz, zz = inertia
    c0, c1, c2 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    scale = 1.0 / (xx * c0 + xy * c1 + xz * c2)
    d1, d2, e2 = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    return (
        scale * (c0 * momentum[0] + c1 * momentum[1] + c2 * momentum[2]),
        scale * (c1 * momentum[0] + d1 * momentum[1] + d2 * momentum[2]),
        scale * (c2 * momentum[0] + d2 * momentum[1] + e2 * momentum[2]),
    )


@kernel
def keep_angular_momenta(bodies: BodyArrays, islands: Islands, chosen: Bools, out: Floats2) -> None:
    """Write angular momentum (3) about the centre of mass and kinetic energy of the chosen islands (n, 4)."""
    for island in range(len(chosen)):
        if not chosen[island]:
            continue
        members = islands.bodies[islands.body_start[island] : islands.body_start[island + 1]]
        centre, velocity = centre_of_mass(bodies, members)
        momentum, energy, _ = angular_momentum(bodies, members, centre, velocity, True)
        out[island, 0], out[island, 1], out[island, 2] = momentum
        out[island, 3] = energy


@kernel
def leave_out_held(touching: Bools, layout: Layout, rows: Rows, chosen: Bools) -> None:
    """Choose the islands no longer that something from outside holds: bodies that do not react.

    Args:
        touching: (contacts,) which of them touched before bodies were displaced.
        layout, rows: rows of the displacement, solved.
        chosen: (islands,) is written.
    """
    for island in range(len(chosen)):
        for k in range(layout.contact_start[island], layout.contact_start[island + 1]):
            block = layout.contact_block[k]
            outside = rows.bodies[block, 0] < 0 or rows.bodies[block, 1] < 0
            if outside and (touching[layout.contacts[k]] or rows.impulse[rows.start[block]] != 0.0):
                chosen[island] = False
    for j in range(len(layout.joint_block)):
        block = layout.joint_block[j]
        if block >= 0 and (rows.bodies[block, 0] < 0 or rows.bodies[block, 1] < 0):
            chosen[layout.joint_island[j]] = False


@kernel
def restore_momenta(
    bodies: BodyArrays,
    old: OldBodies,
    islands: Islands,
    chosen: Bools,
    kept: Floats2,
    positions: Floats2,
    quaternions: Floats2,
) -> None:
    """Give the chosen islands the centre of mass and the angular momentum that they had.

    And with it, if possible, their energy.

    What is added to velocities is added to those of the start of the sub-step, too, by which impacts are
    judged: else they would see surfaces meet at another speed than they have.

    Args:
        bodies, old: velocities are written.
        islands: their members.
        chosen: (islands,) which of them.
        kept: (islands, 4) of `keep_angular_momenta` before bodies were displaced.
        positions, quaternions: (n, 3) and (n, 4) before that.
    """
    for island in range(len(chosen)):
        if not chosen[island]:
            continue
        members = islands.bodies[islands.body_start[island] : islands.body_start[island + 1]]
        _return_centre(bodies, members, positions)
        spins = False
        for i in members:
            for k in range(4):
                spins = spins or bodies.quaternions[i, k] != quaternions[i, k]
        for _ in range(ROUNDS):
            _restore(bodies, old, members, kept[island], spins)


@inner
def _return_centre(bodies, members, positions):
    """Move some bodies together to where their centre of mass is that of `positions` (n, 3)."""
    for k in range(3):
        mass = way = size = 0.0
        for i in members:
            m, before = bodies.masses[i], positions[i, k]
            mass, way = mass + m, way + m * (bodies.positions[i, k] - before)
            size += m * abs(before)
        if abs(way) > ROUNDING * size:
            for i in members:
                bodies.positions[i, k] -= way / mass


@inner
def _restore(bodies, old, members, kept, spins):
    """Give some bodies the angular momentum (3) and energy `kept`; see `restore_momenta`."""
    centre, velocity = centre_of_mass(bodies, members)
    now, energy, size = angular_momentum(bodies, members, centre, velocity, True)
    k0, k1, k2 = kept[0], kept[1], kept[2]
    kept_energy = kept[3]
    if abs(k0 - now[0]) + abs(k1 - now[1]) + abs(k2 - now[2]) <= ROUNDING * size:
        return
    if not spins:
        orbit, part, _ = angular_momentum(bodies, members, centre, velocity, False)
        k0, k1, k2 = k0 + orbit[0] - now[0], k1 + orbit[1] - now[1], k2 + orbit[2] - now[2]
        kept_energy += part - energy
        now, energy = orbit, part
    inertia = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in members:
        inertia = add_inertia(bodies, i, centre, inertia, spins)
    a, b = angular_velocity(inertia, now), angular_velocity(inertia, (k0, k1, k2))
    within = energy - 0.5 * dot(a[0], a[1], a[2], now[0], now[1], now[2])
    wanted = kept_energy - 0.5 * dot(b[0], b[1], b[2], k0, k1, k2)
    s = 1.0
    if within > 0.0:  # less energy than that of the turning alone there cannot be
        s = min(np.sqrt(max(wanted, 0.0) / within), MOST_GROWTH)
    for i in members:
        r, v, _ = _motion(bodies, i, centre, velocity)
        x, y, z = cross(b[0] - s * a[0], b[1] - s * a[1], b[2] - s * a[2], r[0], r[1], r[2])
        change, w = (x, y, z), bodies.angular_velocities[i]
        for k in range(3):
            change_v, change_w = (s - 1.0) * v[k] + change[k], b[k] - a[k] + (s - 1.0) * (w[k] - a[k])
            bodies.velocities[i, k] += change_v
            old.velocities[i, k] += change_v
            if spins:
                w[k] += change_w
                old.angular_velocities[i, k] += change_w

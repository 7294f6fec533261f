"""Kinematics and dynamics of a tree of axes, in world coordinates (Stelzner 2008, sections 1.3 and 1.4).

A joint is a chain of axes, each of which turns about or slides along one direction: a hinge is one, a ball
joint three that turn, what is free three that slide and three that turn. Links are the bodies; each is fixed
to the frame behind an axis, and several or none to the same. The displacement of an axis is one generalised
coordinate, or follows one along a line or a curve, of which slope and bend are those at the present
coordinates. Axes may share one: so joints are coupled, and guided; or they follow the time, and are driven.

Everything is told in the axes of the world, momenta and velocities of bodies at one common point of
reference, so what is passed along the tree is only added. A motion has its angular part first, a force its
torque.
"""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import cross, dot
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Floats2, Ints

__all__ = [
    "Tree",
    "accelerate",
    "add_centre_jacobian",
    "add_mass_matrix",
    "add_point_mass",
    "add_momenta",
    "inverse_dynamics",
    "link_jacobian",
    "place_tree",
    "points_and_jacobian",
    "write_accelerations",
    "write_poses",
    "write_velocities",
]


class Tree(Struct):
    """Axes and links: what they are, and where they are in the last pose that was looked at.

    A carrier is numbered below what it carries. Rotations are matrices, one row after the other.
    """

    # axes
    carrier: Annotated[Ints, "axes"]  # axis that carries it, -1: the world
    slides: Annotated[Bools, "axes"]  # or turns
    rotation: Annotated[Floats, "axes", 9]  # from its own frame to that of its carrier, at displacement 0
    offset: Annotated[Floats, "axes", 3]  # its origin in the frame of its carrier [m]
    direction: Annotated[Floats, "axes", 3]  # in its own frame, unit
    coordinate: Annotated[Ints, "axes"]  # generalised coordinate
    slope: Annotated[Floats, "axes"]  # displacement = slope coordinate + start
    start: Annotated[Floats, "axes"]  # [rad or m]
    bend: Annotated[Floats, "axes"]  # by which slope changes with the coordinate
    drift: Annotated[Floats, "axes"]  # rate of the displacement with time alone, and how that changes
    push: Annotated[Floats, "axes"]
    # links
    holder: Annotated[Ints, "links"]  # axis that they are behind, -1: the world
    link_rotation: Annotated[Floats, "links", 9]  # from the principal axes to the frame of the holder
    link_place: Annotated[Floats, "links", 3]  # centre of mass in that frame [m]
    mass: Annotated[Floats, "links"]  # [kg]
    inertia: Annotated[Floats, "links", 3]  # principal moments [kg m^2]
    # the pose
    reference: Annotated[Floats, 3]  # common point [m]
    frames: Annotated[Floats, "axes", 9]
    origins: Annotated[Floats, "axes", 3]  # [m]
    motions: Annotated[Floats, "axes", 6]  # of unit rate, at the reference
    link_frames: Annotated[Floats, "links", 9]
    centres: Annotated[Floats, "links", 3]  # [m]
    # mass, first moment and inertia (xx, yy, zz, xy, xz, yz) at the reference, of the links behind each axis
    bulk: Annotated[Floats, "axes", 10]
    # motion and forces
    rates: Annotated[Floats, "axes", 6]  # velocity of what is behind the axis, at the reference
    changes: Annotated[Floats, "axes", 6]  # acceleration of it, gravity taken off
    forces: Annotated[Floats, "axes", 6]  # on it from its carrier, at the reference


@inner
def _apply(m, k, x, y, z):
    """Return the matrix in row k of m times a vector."""
    return (
        m[k, 0] * x + m[k, 1] * y + m[k, 2] * z,
        m[k, 3] * x + m[k, 4] * y + m[k, 5] * z,
        m[k, 6] * x + m[k, 7] * y + m[k, 8] * z,
    )


@inner
def _product(a, i, b, j, out, k):
    """Write the product of two matrices; a row of -1 stands for the unit matrix."""
    if i < 0:
        for n in range(9):
            out[k, n] = b[j, n]
        return
    for r in range(3):
        for c in range(3):
            out[k, 3 * r + c] = (
                a[i, 3 * r] * b[j, c] + a[i, 3 * r + 1] * b[j, 3 + c] + a[i, 3 * r + 2] * b[j, 6 + c]
            )


@inner
def _turn(frames, k, direction, angle):
    """Turn the frame in row k about a direction of its own."""
    x, y, z = direction[k, 0], direction[k, 1], direction[k, 2]
    s, c = np.sin(angle), np.cos(angle)
    t = 1.0 - c
    a = (
        (t * x * x + c, t * x * y - s * z, t * x * z + s * y),
        (t * x * y + s * z, t * y * y + c, t * y * z - s * x),
        (t * x * z - s * y, t * y * z + s * x, t * z * z + c),
    )
    for r in range(3):
        u, v, w = frames[k, 3 * r], frames[k, 3 * r + 1], frames[k, 3 * r + 2]
        for n in range(3):
            frames[k, 3 * r + n] = u * a[0][n] + v * a[1][n] + w * a[2][n]


@kernel
def place_tree(tree: Tree, q: Floats) -> None:
    """Find where axes and links are at coordinates q (n,) [rad or m]."""
    frames, origins, reference = tree.frames, tree.origins, tree.reference
    for k in range(len(tree.carrier)):
        p = tree.carrier[k]
        _product(frames, p, tree.rotation, k, frames, k)
        x, y, z = tree.offset[k, 0], tree.offset[k, 1], tree.offset[k, 2]
        if p >= 0:
            x, y, z = _apply(frames, p, x, y, z)
            x, y, z = x + origins[p, 0], y + origins[p, 1], z + origins[p, 2]
        d0, d1, d2 = _apply(frames, k, tree.direction[k, 0], tree.direction[k, 1], tree.direction[k, 2])
        s = tree.slope[k] * q[tree.coordinate[k]] + tree.start[k]
        if tree.slides[k]:
            x, y, z = x + s * d0, y + s * d1, z + s * d2
        else:
            _turn(frames, k, tree.direction, s)
        origins[k, 0], origins[k, 1], origins[k, 2] = x, y, z
        # for what comes after the reference is known
        tree.motions[k, 0], tree.motions[k, 1], tree.motions[k, 2] = d0, d1, d2
    heaviest = 0
    for i in range(len(tree.holder)):
        p = tree.holder[i]
        _product(frames, p, tree.link_rotation, i, tree.link_frames, i)
        x, y, z = tree.link_place[i, 0], tree.link_place[i, 1], tree.link_place[i, 2]
        if p >= 0:
            x, y, z = _apply(frames, p, x, y, z)
            x, y, z = x + origins[p, 0], y + origins[p, 1], z + origins[p, 2]
        tree.centres[i, 0], tree.centres[i, 1], tree.centres[i, 2] = x, y, z
        if tree.mass[i] > tree.mass[heaviest]:
            heaviest = i
    for n in range(3):  # near the bodies, so that far from the origin no digits are lost
        reference[n] = tree.centres[heaviest, n] if len(tree.holder) > 0 else 0.0
    _write_motions(tree)
    _write_bulk(tree)


@inner
def _write_motions(tree):
    motions, origins, reference = tree.motions, tree.origins, tree.reference
    for k in range(len(tree.carrier)):
        d0, d1, d2 = motions[k, 0], motions[k, 1], motions[k, 2]
        if tree.slides[k]:
            motions[k, 0] = motions[k, 1] = motions[k, 2] = 0.0
            motions[k, 3], motions[k, 4], motions[k, 5] = d0, d1, d2
        else:
            x, y, z = origins[k, 0] - reference[0], origins[k, 1] - reference[1], origins[k, 2] - reference[2]
            motions[k, 3], motions[k, 4], motions[k, 5] = cross(x, y, z, d0, d1, d2)


@inner
def add_point_mass(bulk, k, m, x, y, z):
    """Add to row k of `bulk` mass, its moments and its inertia about the reference: m [kg] at x, y, z [m]."""
    bulk[k, 0] += m
    bulk[k, 1] += m * x
    bulk[k, 2] += m * y
    bulk[k, 3] += m * z
    bulk[k, 4] += m * (y * y + z * z)
    bulk[k, 5] += m * (x * x + z * z)
    bulk[k, 6] += m * (x * x + y * y)
    bulk[k, 7] -= m * x * y
    bulk[k, 8] -= m * x * z
    bulk[k, 9] -= m * y * z


@inner
def _write_bulk(tree):
    bulk, reference = tree.bulk, tree.reference
    for k in range(len(bulk)):
        for n in range(10):
            bulk[k, n] = 0.0
    for i in range(len(tree.holder)):
        k = tree.holder[i]
        if k < 0:
            continue
        m, f = tree.mass[i], tree.link_frames
        x, y, z = (
            tree.centres[i, 0] - reference[0],
            tree.centres[i, 1] - reference[1],
            tree.centres[i, 2] - reference[2],
        )
        add_point_mass(bulk, k, m, x, y, z)
        for n in range(3):
            own, u, v, w = tree.inertia[i, n], f[i, n], f[i, 3 + n], f[i, 6 + n]
            bulk[k, 4] += own * u * u
            bulk[k, 5] += own * v * v
            bulk[k, 6] += own * w * w
            bulk[k, 7] += own * u * v
            bulk[k, 8] += own * u * w
            bulk[k, 9] += own * v * w


@inner
def _momentum(b, k, w0, w1, w2, v0, v1, v2):
    """Return the angular and the linear momentum at the reference of bulk k that moves."""
    c0, c1, c2 = b[k, 1], b[k, 2], b[k, 3]
    x, y, z = cross(c0, c1, c2, v0, v1, v2)
    u, v, w = cross(w0, w1, w2, c0, c1, c2)
    return (
        b[k, 4] * w0 + b[k, 7] * w1 + b[k, 8] * w2 + x,
        b[k, 7] * w0 + b[k, 5] * w1 + b[k, 9] * w2 + y,
        b[k, 8] * w0 + b[k, 9] * w1 + b[k, 6] * w2 + z,
        b[k, 0] * v0 + u,
        b[k, 0] * v1 + v,
        b[k, 0] * v2 + w,
    )


@inner
def _work(motions, k, f):
    """Return the product of motion k with a force."""
    m = motions[k]
    return m[0] * f[0] + m[1] * f[1] + m[2] * f[2] + m[3] * f[3] + m[4] * f[4] + m[5] * f[5]


@kernel
def accelerate(tree: Tree, qd: Floats, qdd: Floats, gravity: Floats) -> None:
    """Find velocities and accelerations, less gravity (3,) [m/s^2], of what is behind each axis.

    Args:
        tree: placed.
        qd, qdd: (n,) rates and their changes [rad/s or m/s, per second].
        gravity: what is taken off [m/s^2].
    """
    rates, changes, motions = tree.rates, tree.changes, tree.motions
    for k in range(len(tree.carrier)):
        p = tree.carrier[k]
        own = qd[tree.coordinate[k]]
        rate = tree.slope[k] * own + tree.drift[k]
        change = tree.slope[k] * qdd[tree.coordinate[k]] + tree.bend[k] * own * own + tree.push[k]
        for n in range(6):
            carried = changes[p, n] if p >= 0 else (-gravity[n - 3] if n >= 3 else 0.0)
            rates[k, n] = (rates[p, n] if p >= 0 else 0.0) + motions[k, n] * rate
            changes[k, n] = carried + motions[k, n] * change
        # the axis turns with what carries it
        r, m = rates[k], motions[k]
        x, y, z = cross(r[0], r[1], r[2], m[0], m[1], m[2])
        changes[k, 0] += rate * x
        changes[k, 1] += rate * y
        changes[k, 2] += rate * z
        x, y, z = cross(r[3], r[4], r[5], m[0], m[1], m[2])
        u, v, w = cross(r[0], r[1], r[2], m[3], m[4], m[5])
        changes[k, 3] += rate * (x + u)
        changes[k, 4] += rate * (y + v)
        changes[k, 5] += rate * (z + w)


@kernel
def inverse_dynamics(tree: Tree, loads: Floats2, out: Floats) -> None:
    """Add to out (n,) the generalised forces that the motion of `accelerate` takes, less what loads give.

    Args:
        tree: placed, with its motion.
        loads: (links, 6) force at the centre of mass [N] and torque [N m] on each link, world.
        out: [N m or N].
    """
    forces, rates, changes, bulk = tree.forces, tree.rates, tree.changes, tree.bulk
    for k in range(len(tree.carrier)):
        r, a = rates[k], changes[k]
        h = _momentum(bulk, k, r[0], r[1], r[2], r[3], r[4], r[5])
        f = _momentum(bulk, k, a[0], a[1], a[2], a[3], a[4], a[5])
        x, y, z = cross(r[0], r[1], r[2], h[0], h[1], h[2])
        u, v, w = cross(r[3], r[4], r[5], h[3], h[4], h[5])
        forces[k, 0], forces[k, 1], forces[k, 2] = f[0] + x + u, f[1] + y + v, f[2] + z + w
        x, y, z = cross(r[0], r[1], r[2], h[3], h[4], h[5])
        forces[k, 3], forces[k, 4], forces[k, 5] = f[3] + x, f[4] + y, f[5] + z
    for i in range(len(loads)):
        k = tree.holder[i]
        if k >= 0:
            _add_load(tree, i, k, loads, -1.0)
    for k in range(len(tree.carrier) - 1, -1, -1):
        out[tree.coordinate[k]] += tree.slope[k] * _work(tree.motions, k, forces[k])
        p = tree.carrier[k]
        if p >= 0:
            for n in range(6):
                forces[p, n] += forces[k, n]


@inner
def _add_load(tree, i, k, loads, sign):
    """Add a force at the centre of link i, and a torque, to what axis k passes on."""
    f, c, r = loads[i], tree.centres[i], tree.reference
    x, y, z = cross(c[0] - r[0], c[1] - r[1], c[2] - r[2], f[0], f[1], f[2])
    tree.forces[k, 0] += sign * (f[3] + x)
    tree.forces[k, 1] += sign * (f[4] + y)
    tree.forces[k, 2] += sign * (f[5] + z)
    for n in range(3):
        tree.forces[k, 3 + n] += sign * f[n]


@kernel
def add_momenta(tree: Tree, velocities: Floats2, out: Floats) -> None:
    """Add to out (n,) the generalised momenta of links that move with these velocities.

    Args:
        tree: placed.
        velocities: (links, 6) of the centres of mass [m/s], and angular [rad/s], world.
        out: [N m s or N s].
    """
    forces = tree.forces
    for k in range(len(tree.carrier)):
        for n in range(6):
            forces[k, n] = 0.0
    for i in range(len(tree.holder)):
        k = tree.holder[i]
        if k < 0:
            continue
        c, r, v, f = tree.centres[i], tree.reference, velocities[i], tree.link_frames
        p0, p1, p2 = tree.mass[i] * v[0], tree.mass[i] * v[1], tree.mass[i] * v[2]
        x, y, z = cross(c[0] - r[0], c[1] - r[1], c[2] - r[2], p0, p1, p2)
        for n in range(3):
            own = tree.inertia[i, n] * dot(f[i, n], f[i, 3 + n], f[i, 6 + n], v[3], v[4], v[5])
            x, y, z = x + own * f[i, n], y + own * f[i, 3 + n], z + own * f[i, 6 + n]
        forces[k, 0] += x
        forces[k, 1] += y
        forces[k, 2] += z
        forces[k, 3] += p0
        forces[k, 4] += p1
        forces[k, 5] += p2
    for k in range(len(tree.carrier) - 1, -1, -1):
        out[tree.coordinate[k]] += tree.slope[k] * _work(tree.motions, k, forces[k])
        p = tree.carrier[k]
        if p >= 0:
            for n in range(6):
                forces[p, n] += forces[k, n]


@kernel
def add_mass_matrix(tree: Tree, out: Floats2) -> None:
    """Add the mass matrix to out (n, n); `bulk` becomes that of all that each axis carries."""
    bulk, motions = tree.bulk, tree.motions
    for k in range(len(tree.carrier) - 1, -1, -1):
        p = tree.carrier[k]
        if p >= 0:
            for n in range(10):
                bulk[p, n] += bulk[k, n]
        m = motions[k]
        force = _momentum(bulk, k, m[0], m[1], m[2], m[3], m[4], m[5])
        i = tree.coordinate[k]
        own = tree.slope[k]
        out[i, i] += own * own * _work(motions, k, force)
        while p >= 0:
            j = tree.coordinate[p]
            entry = own * tree.slope[p] * _work(motions, p, force)
            out[i, j] += entry
            out[j, i] += entry
            p = tree.carrier[p]


@kernel
def link_jacobian(tree: Tree, k: int, point: Floats, out: Floats2) -> None:
    """Add to out (6, n) the velocity of a point behind axis k, then the angular velocity, per unit rate.

    Args:
        tree: placed.
        k: the axis, -1: the world.
        point: (3,) world [m].
        out: linear rows first.
    """
    r = tree.reference
    x, y, z = point[0] - r[0], point[1] - r[1], point[2] - r[2]
    while k >= 0:
        m, j, share = tree.motions[k], tree.coordinate[k], tree.slope[k]
        u, v, w = cross(m[0], m[1], m[2], x, y, z)
        out[0, j] += share * (m[3] + u)
        out[1, j] += share * (m[4] + v)
        out[2, j] += share * (m[5] + w)
        for n in range(3):
            out[3 + n, j] += share * m[n]
        k = tree.carrier[k]


@kernel
def write_poses(tree: Tree, moves: Bools, positions: Floats2, quaternions: Floats2) -> None:
    """Write centres and principal axes of the links that move, of the placed tree, as poses of bodies."""
    for i in range(len(tree.holder)):
        if not moves[i]:
            continue
        for n in range(3):
            positions[i, n] = tree.centres[i, n]
        w, x, y, z = _quaternion(tree.link_frames, i)
        q = quaternions[i]
        sign = -1.0 if w * q[0] + x * q[1] + y * q[2] + z * q[3] < 0.0 else 1.0
        size = sign / np.sqrt(w * w + x * x + y * y + z * z)
        q[0], q[1], q[2], q[3] = size * w, size * x, size * y, size * z


@inner
def _quaternion(m, k):
    """Return the quaternion of the matrix in row k, by its largest component; about a unit one."""
    a, b, c = m[k, 0], m[k, 4], m[k, 8]
    if a + b + c > 0.0:
        w = 0.5 * np.sqrt(1.0 + a + b + c)
        s = 0.25 / w
        return w, s * (m[k, 7] - m[k, 5]), s * (m[k, 2] - m[k, 6]), s * (m[k, 3] - m[k, 1])
    if a >= b and a >= c:
        x = 0.5 * np.sqrt(1.0 + a - b - c)
        s = 0.25 / x
        return s * (m[k, 7] - m[k, 5]), x, s * (m[k, 1] + m[k, 3]), s * (m[k, 2] + m[k, 6])
    if b >= c:
        y = 0.5 * np.sqrt(1.0 - a + b - c)
        s = 0.25 / y
        return s * (m[k, 2] - m[k, 6]), s * (m[k, 1] + m[k, 3]), y, s * (m[k, 5] + m[k, 7])
    z = 0.5 * np.sqrt(1.0 - a - b + c)
    s = 0.25 / z
    return s * (m[k, 3] - m[k, 1]), s * (m[k, 2] + m[k, 6]), s * (m[k, 5] + m[k, 7]), z


@kernel
def write_velocities(tree: Tree, moves: Bools, velocities: Floats2, angular_velocities: Floats2) -> None:
    """Write the velocities of the links that move, after `accelerate`: of their centres, and angular."""
    for i in range(len(tree.holder)):
        k = tree.holder[i]
        if not moves[i]:
            continue
        if k < 0:  # held by the world
            for n in range(3):
                velocities[i, n] = angular_velocities[i, n] = 0.0
            continue
        r, p, c = tree.rates[k], tree.reference, tree.centres[i]
        x, y, z = cross(r[0], r[1], r[2], c[0] - p[0], c[1] - p[1], c[2] - p[2])
        velocities[i, 0], velocities[i, 1], velocities[i, 2] = r[3] + x, r[4] + y, r[5] + z
        for n in range(3):
            angular_velocities[i, n] = r[n]


@kernel
def write_accelerations(tree: Tree, moves: Bools, out: Floats2) -> None:
    """Write accelerations (links, 6) of what moves, after `accelerate`, into zeros: linear ones first."""
    for i in range(len(tree.holder)):
        k = tree.holder[i]
        if not moves[i] or k < 0:
            continue
        r, a, p, c = tree.rates[k], tree.changes[k], tree.reference, tree.centres[i]
        d0, d1, d2 = c[0] - p[0], c[1] - p[1], c[2] - p[2]
        x, y, z = cross(r[0], r[1], r[2], d0, d1, d2)
        x, y, z = cross(r[0], r[1], r[2], r[3] + x, r[4] + y, r[5] + z)
        u, v, w = cross(a[0], a[1], a[2], d0, d1, d2)
        out[i, 0], out[i, 1], out[i, 2] = a[3] + x + u, a[4] + y + v, a[5] + z + w
        for n in range(3):
            out[i, 3 + n] = a[n]


@kernel
def add_centre_jacobian(tree: Tree, out: Floats2) -> float:
    """Add to out (3, n) the momentum of all links per unit rate; return their mass. For a fresh `bulk`."""
    bulk, motions = tree.bulk, tree.motions
    mass = 0.0
    for k in range(len(tree.carrier) - 1, -1, -1):
        p = tree.carrier[k]
        if p >= 0:
            for n in range(10):
                bulk[p, n] += bulk[k, n]
        else:
            mass += bulk[k, 0]
        m, j = motions[k], tree.coordinate[k]
        force = _momentum(bulk, k, m[0], m[1], m[2], m[3], m[4], m[5])
        out[0, j] += tree.slope[k] * force[3]
        out[1, j] += tree.slope[k] * force[4]
        out[2, j] += tree.slope[k] * force[5]
    return mass


@kernel
def points_and_jacobian(tree: Tree, axes: Ints, local: Floats2, places: Floats2, jacobian: Floats2) -> None:
    """Write where points are, and how they move with the coordinates.

    Args:
        tree: placed.
        axes: (m,) axis that each point is behind, -1: the world.
        local: (m, 3) in the frame behind that axis [m].
        places: (m, 3) [m].
        jacobian: (3 m, n), three rows for each point.
    """
    reference = tree.reference
    for i in range(len(axes)):
        k = axes[i]
        x, y, z = local[i, 0], local[i, 1], local[i, 2]
        if k >= 0:
            x, y, z = _apply(tree.frames, k, x, y, z)
            o = tree.origins[k]
            x, y, z = x + o[0], y + o[1], z + o[2]
        places[i, 0], places[i, 1], places[i, 2] = x, y, z
        for r in range(3 * i, 3 * i + 3):
            for n in range(jacobian.shape[1]):
                jacobian[r, n] = 0.0
        x, y, z = x - reference[0], y - reference[1], z - reference[2]
        while k >= 0:
            m, j, share = tree.motions[k], tree.coordinate[k], tree.slope[k]
            u, v, w = cross(m[0], m[1], m[2], x, y, z)
            jacobian[3 * i, j] += share * (m[3] + u)
            jacobian[3 * i + 1, j] += share * (m[4] + v)
            jacobian[3 * i + 2, j] += share * (m[5] + w)
            k = tree.carrier[k]

"""Velocities, accelerations and forces in a tree of axes (Stelzner 2008, sections 1.3 and 1.4)."""

from stoss.collision.algebra import cross, dot
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Floats2
from stoss.engine.articulated.tree import Tree

__all__ = [
    "accelerate",
    "add_centre_jacobian",
    "add_mass_matrix",
    "add_momenta",
    "add_rotors",
    "inverse_dynamics",
]


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
        tree.own_changes[k] = change
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
        taken = _work(tree.motions, k, forces[k]) + tree.rotor[k] * tree.own_changes[k]
        out[tree.coordinate[k]] += tree.slope[k] * taken
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
    """Add the mass matrix of the links to out (n, n); `bulk` becomes that of all that each axis carries."""
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
def add_rotors(tree: Tree, out: Floats2) -> None:
    """Add what rotors are to the mass matrix (n, n)."""
    for k in range(len(tree.carrier)):
        i = tree.coordinate[k]
        out[i, i] += tree.slope[k] * tree.slope[k] * tree.rotor[k]


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

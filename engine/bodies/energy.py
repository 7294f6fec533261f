"""Energy, momentum and the check for runaway values, over all bodies."""

import numpy as np

from stoss.collision.algebra import cross, dot, rotate, rotate_inverse
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats, Ints
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays

__all__ = [
    "add_energy_and_momentum",
    "bad_bodies",
    "energies",
    "energy_and_momentum",
    "is_good",
    "kinetic_energy",
]


@inner
def kinetic_energy(bodies, i, quaternion, v, w):
    """Return the kinetic energy [J] of body i with this orientation and velocities (3), (3)."""
    inertia = bodies.inertias[i]
    x, y, z = rotate_inverse(quaternion, w[0], w[1], w[2])
    linear = bodies.masses[i] * dot(v[0], v[1], v[2], v[0], v[1], v[2])
    return 0.5 * (linear + inertia[0] * x * x + inertia[1] * y * y + inertia[2] * z * z)


@inner
def energies(bodies, gravity):
    """Return kinetic and potential energy of all bodies [J], as `energy_and_momentum` does."""
    kinetic = potential = 0.0
    for i in range(len(bodies.kinds)):
        if bodies.kinds[i] != DYNAMIC:
            continue
        m, inertia = bodies.masses[i], bodies.inertias[i]
        v, w, s = bodies.velocities[i], bodies.angular_velocities[i], bodies.positions[i]
        x, y, z = rotate_inverse(bodies.quaternions[i], w[0], w[1], w[2])
        kinetic += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        kinetic += 0.5 * (inertia[0] * x * x + inertia[1] * y * y + inertia[2] * z * z)
        potential -= m * (gravity[0] * s[0] + gravity[1] * s[1] + gravity[2] * s[2])
    return kinetic, potential


@kernel(allocates=True)
def energy_and_momentum(bodies: BodyArrays, gravity: Floats) -> Floats:
    """Return (8,): kinetic and potential energy [J], momentum (3) [N s], angular momentum (3) [N m s].

    Angular momentum is about the world's origin. Potential energy is -m g . x, zero at the origin.
    """
    out = np.zeros(8)
    add_energy_and_momentum(bodies, gravity, out)
    return out


@inner
def add_energy_and_momentum(bodies, gravity, out):
    """Add to `out` what `energy_and_momentum` returns."""
    for i in range(len(bodies.kinds)):
        if bodies.kinds[i] != DYNAMIC:
            continue
        m = bodies.masses[i]
        v, w, s = bodies.velocities[i], bodies.angular_velocities[i], bodies.positions[i]
        inertia = bodies.inertias[i]
        x, y, z = rotate_inverse(bodies.quaternions[i], w[0], w[1], w[2])
        out[0] += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        out[0] += 0.5 * (inertia[0] * x * x + inertia[1] * y * y + inertia[2] * z * z)
        out[1] -= m * (gravity[0] * s[0] + gravity[1] * s[1] + gravity[2] * s[2])
        x, y, z = rotate(bodies.quaternions[i], inertia[0] * x, inertia[1] * y, inertia[2] * z)
        a, b, c = cross(s[0], s[1], s[2], m * v[0], m * v[1], m * v[2])
        out[2] += m * v[0]
        out[3] += m * v[1]
        out[4] += m * v[2]
        out[5] += a + x
        out[6] += b + y
        out[7] += c + z


@inner
def is_good(bodies, i, speed_limit):
    """Return whether the pose of body i is finite and it is no faster than the limit [m/s]."""
    v, w, s, q = (
        bodies.velocities[i],
        bodies.angular_velocities[i],
        bodies.positions[i],
        bodies.quaternions[i],
    )
    # written so that NaN, for which every comparison is false, is caught as well
    good = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= speed_limit * speed_limit
    good = good and w[0] * w[0] + w[1] * w[1] + w[2] * w[2] < np.inf
    good = good and s[0] * s[0] + s[1] * s[1] + s[2] * s[2] < np.inf
    return good and abs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) < 1e-3


@kernel(allocates=True)
def bad_bodies(bodies: BodyArrays, speed_limit: float) -> Ints:
    """Return the bodies whose pose is not finite or that are faster than the limit [m/s]."""
    bad = np.empty(len(bodies.kinds), np.int64)
    count = 0
    for i in range(len(bodies.kinds)):
        if not is_good(bodies, i, speed_limit):
            bad[count] = i
            count += 1
    return bad[:count].copy()

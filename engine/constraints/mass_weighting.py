"""Mass-weighted form: roots of inverse inertias in the world, and velocities from changes in that form."""

from stoss.collision.algebra import matrix_from_quaternion
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2
from stoss.engine.bodies.arrays import DYNAMIC, KINEMATIC, BodyArrays

__all__ = ["apply_rows", "free_accelerations", "symmetric_times", "world_sqrt_inverse_inertias"]


@kernel
def world_sqrt_inverse_inertias(bodies: BodyArrays, out: Floats2) -> None:
    """Fill out (n, 9) with R diag(I^(-1/2)) R^T of each body; zero where it does not react.

    In a plane the axis across it is a principal axis, and a body does not give way about any other.
    """
    for i in range(len(bodies.kinds)):
        if bodies.kinds[i] != DYNAMIC:
            for k in range(9):
                out[i, k] = 0.0
            continue
        if bodies.plane[i] != 0:
            across = bodies.plane[i] - 1
            for k in range(9):
                out[i, k] = 0.0
            out[i, 4 * across] = bodies.sqrt_inverse_inertias[i, across]
            continue
        r = matrix_from_quaternion(bodies.quaternions[i])
        s0, s1, s2 = (
            bodies.sqrt_inverse_inertias[i, 0],
            bodies.sqrt_inverse_inertias[i, 1],
            bodies.sqrt_inverse_inertias[i, 2],
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
def free_accelerations(bodies, gravity, sqrt_inverse_inertia, out):
    """Fill out (n, 6) with the accelerations by gravity, forces and torques, without the gyroscopic term.

    Kinematic bodies have those that they were told.
    """
    for i in range(len(bodies.kinds)):
        if bodies.kinds[i] != DYNAMIC:
            for k in range(6):
                out[i, k] = bodies.told[i, k] if bodies.kinds[i] == KINEMATIC else 0.0
            continue
        for k in range(3):
            out[i, k] = gravity[k] + bodies.forces[i, k] * bodies.inverse_masses[i]
        x, y, z = symmetric_times(
            sqrt_inverse_inertia[i], bodies.torques[i, 0], bodies.torques[i, 1], bodies.torques[i, 2]
        )
        x, y, z = symmetric_times(sqrt_inverse_inertia[i], x, y, z)
        out[i, 3], out[i, 4], out[i, 5] = x, y, z


@inner
def apply_rows(z, members, bodies, sqrt_inverse_inertia):
    """Add the mass-weighted change z to the velocities of the bodies `members`, and clear it."""
    for i in members:
        m = bodies.sqrt_inverse_masses[i]
        x, y, w = symmetric_times(sqrt_inverse_inertia[i], z[i, 3], z[i, 4], z[i, 5])
        bodies.velocities[i, 0] += m * z[i, 0]
        bodies.velocities[i, 1] += m * z[i, 1]
        bodies.velocities[i, 2] += m * z[i, 2]
        bodies.angular_velocities[i, 0] += x
        bodies.angular_velocities[i, 1] += y
        bodies.angular_velocities[i, 2] += w
        for k in range(6):
            z[i, k] = 0.0

"""Small algebra for kernels: 3-vectors as scalars or tuples, quaternions (w, x, y, z) as array rows.

Everything is written out, because numpy calls on 3-vectors cost ten times as much inside a kernel.
Quaternions turn body coordinates into world coordinates (column form, Bender 2007, appendix A; equation 3.1
there has the axes of the body as rows).
"""

import numpy as np

from stoss.collision.kernels.decorators import inner

__all__ = [
    "cross",
    "dot",
    "matrix_from_quaternion",
    "norm",
    "perpendicular",
    "quaternion_multiply",
    "rotate",
    "rotate_inverse",
    "rotation_vector_to_quaternion",
]


@inner
def dot(a0, a1, a2, b0, b1, b2):
    """Return a . b."""
    return a0 * b0 + a1 * b1 + a2 * b2


@inner
def cross(a0, a1, a2, b0, b1, b2):
    """Return a x b."""
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@inner
def norm(a0, a1, a2):
    """Return |a|."""
    return np.sqrt(a0 * a0 + a1 * a1 + a2 * a2)


@inner
def rotate(q, x, y, z):
    """Return R(q) v: body coordinates to world coordinates. `q` is an array row of four numbers."""
    w, a, b, c = q[0], q[1], q[2], q[3]
    tx = 2.0 * (b * z - c * y)
    ty = 2.0 * (c * x - a * z)
    tz = 2.0 * (a * y - b * x)
    return x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx


@inner
def rotate_inverse(q, x, y, z):
    """Return R(q)^T v: world coordinates to body coordinates."""
    w, a, b, c = q[0], -q[1], -q[2], -q[3]
    tx = 2.0 * (b * z - c * y)
    ty = 2.0 * (c * x - a * z)
    tz = 2.0 * (a * y - b * x)
    return x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx


@inner
def quaternion_multiply(p0, p1, p2, p3, q0, q1, q2, q3):
    """Return the product p q of two quaternions."""
    return (
        p0 * q0 - p1 * q1 - p2 * q2 - p3 * q3,
        p0 * q1 + p1 * q0 + p2 * q3 - p3 * q2,
        p0 * q2 + p2 * q0 + p3 * q1 - p1 * q3,
        p0 * q3 + p3 * q0 + p1 * q2 - p2 * q1,
    )


@inner
def matrix_from_quaternion(q):
    """Return the nine elements of R(q), row by row."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - z * w),
        2.0 * (z * x + y * w),
        2.0 * (x * y + z * w),
        1.0 - 2.0 * (z * z + x * x),
        2.0 * (y * z - x * w),
        2.0 * (z * x - y * w),
        2.0 * (y * z + x * w),
        1.0 - 2.0 * (x * x + y * y),
    )


@inner
def rotation_vector_to_quaternion(x, y, z):
    """Return the quaternion of a rotation by |v| [rad] about v."""
    half = 0.5 * np.sqrt(x * x + y * y + z * z)
    # sin(a)/a by its series below 1e-4: the error of the two kept terms is a^4/120 < 1e-18
    s = 0.5 * (1.0 - half * half / 6.0) if half < 1e-4 else 0.5 * np.sin(half) / half
    return np.cos(half), s * x, s * y, s * z


@inner
def perpendicular(x, y, z):
    """Return a unit vector perpendicular to the unit vector v; the same for the same v."""
    if abs(x) < 0.7:
        scale = 1.0 / np.sqrt(y * y + z * z)
        return 0.0, z * scale, -y * scale
    scale = 1.0 / np.sqrt(x * x + z * z)
    return -z * scale, 0.0, x * scale

"""The algebra of the cone in which a contact's impulse lies, for the way through its inside.

A vector (first, two tangents) is in the cone if its first number is no less than the length of the rest. Two
vectors inside, an impulse x and a velocity y, have a scaling: the symmetric matrix that takes x to y and maps
the cone onto itself (Nesterov and Todd 1998). Its axes are the eigenvectors (1, ray) / sqrt(2),
(1, -ray) / sqrt(2) and what is across both; `along`, `against` and `across` are the inverse eigenvalues.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner

__all__ = ["cone_target", "find_scaling", "from_axes", "to_axes", "way_to_cone"]

HALF = np.sqrt(0.5)
ROUNDING = 1e-28  # share of its square that the determinant of a vector inside has at least


@inner
def _size(x0, x1, x2):
    """Return the root of the determinant of a vector inside."""
    r = np.sqrt(x1 * x1 + x2 * x2)
    return np.sqrt(max((x0 - r) * (x0 + r), ROUNDING * x0 * x0))


@inner
def find_scaling(x0, x1, x2, y0, y1, y2):
    """Return the scaling of an impulse and a velocity: along, against, across, and the ray (2)."""
    x, y = _size(x0, x1, x2), _size(y0, y1, y2)
    # the product of two vectors inside is at least that of their sizes, but for rounding
    g = np.sqrt(0.5 * (1.0 + max((x0 * y0 + x1 * y1 + x2 * y2) / (x * y), 1.0)))
    # J (y / |y| + J x / |x|) / 2 g, whose first entry follows from the others
    u1, u2 = 0.5 / g * (x1 / x - y1 / y), 0.5 / g * (x2 / x - y2 / y)
    u = np.sqrt(u1 * u1 + u2 * u2)
    grown = u + np.sqrt(1.0 + u * u)
    k = x / y
    if u > 0.0:
        u1, u2 = u1 / u, u2 / u
    else:
        u1, u2 = 1.0, 0.0
    return k * grown * grown, k / (grown * grown), k, u1, u2


@inner
def to_axes(a, b, c, u, v):
    """Return the numbers of a vector along the axes of the ray (u, v)."""
    along = u * b + v * c
    return HALF * (a + along), HALF * (a - along), u * c - v * b


@inner
def from_axes(p, q, c, u, v):
    """Return the vector that has these numbers along the axes of the ray (u, v)."""
    along = HALF * (p - q)
    return HALF * (p + q), u * along - v * c, v * along + u * c


@inner
def cone_target(x, dx, dy, aim, scaling, u, v):
    """Return what a velocity and the scaled change of the impulse are to be together.

    In the scaled space, in which impulse and velocity are one vector l, that is l divided into aim - dx o dy
    by the product o of the cone's algebra (Mehrotra 1992).

    Args:
        x: impulse.
        dx, dy: changes of impulse and velocity that were found before.
        aim: what the product of impulse and velocity is to be.
        scaling: along, against, across.
        u, v: the ray.
    """
    along, against, across = np.sqrt(scaling[0]), np.sqrt(scaling[1]), np.sqrt(scaling[2])
    # in the frame of the ray, for which products know no direction
    p, q, c = to_axes(x[0], x[1], x[2], u, v)
    l0, l1, l2 = from_axes(p / along, q / against, c / across, 1.0, 0.0)
    p, q, c = to_axes(dx[0], dx[1], dx[2], u, v)
    x0, x1, x2 = from_axes(p / along, q / against, c / across, 1.0, 0.0)
    p, q, c = to_axes(dy[0], dy[1], dy[2], u, v)
    y0, y1, y2 = from_axes(p * along, q * against, c * across, 1.0, 0.0)
    c0 = aim - (x0 * y0 + x1 * y1 + x2 * y2)
    c1, c2 = -(x0 * y1 + y0 * x1), -(x0 * y2 + y0 * x2)
    size = _size(l0, l1, l2)
    d0 = (l0 * c0 - l1 * c1 - l2 * c2) / (size * size)
    p, q, c = to_axes(d0, (c1 - l1 * d0) / l0, (c2 - l2 * d0) / l0, 1.0, 0.0)
    return from_axes(p / along, q / against, c / across, u, v)


@inner
def way_to_cone(x0, x1, x2, d0, d1, d2):
    """Return how much of d can be gone until x leaves the cone."""
    r = np.sqrt(x1 * x1 + x2 * x2)
    c = (x0 - r) * (x0 + r)
    a = d0 * d0 - d1 * d1 - d2 * d2
    b = x0 * d0 - x1 * d1 - x2 * d2
    square = b * b - a * c
    if square < 0.0:
        return np.inf
    last = np.sqrt(square) - b
    return c / last if last > 0.0 else np.inf

"""Rows over lanes: z of both bodies of a block in three registers, twelve numbers as a jacobian has them.

The rows of a block share their bodies. Their z are read once, met by each row with three products in place of
twelve, and written once. Sums are those of lanes, so they round otherwise than `rows.half_velocity`; sweeps,
which are compared bit by bit with one row after the other, have their own form (`solvers.wide_rows`).
"""

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.lanes import (
    LANES,
    join,
    load,
    load_two,
    splat,
    store,
    store_two,
    total,
    turned,
    upper_two,
)

__all__ = [
    "force_halves",
    "halves_along",
    "pushed",
    "rate_along",
    "read_motion",
    "row_distance",
    "three_rates",
    "write_motion",
    "write_three",
]

ROW, HALF = 12, 6  # numbers of a jacobian, and of a body's z


@inner(always=True)
def read_motion(z, a, b):
    """Return z of bodies a and b in three lanes; zeros for one that does not react (-1)."""
    nothing = splat(0.0)
    first = last = end = begin = nothing
    if a >= 0:
        first = join(load_two(z, HALF * a), load_two(z, HALF * a + 2))
        end = load_two(z, HALF * a + LANES)
    if b >= 0:
        begin = load_two(z, HALF * b)
        last = join(load_two(z, HALF * b + 2), load_two(z, HALF * b + LANES))
    return first, join(end, begin), last


@inner(always=True)
def write_motion(z, a, b, motion):
    """Write three lanes to z of bodies a and b."""
    first, middle, last = motion
    if a >= 0:
        store_two(z, HALF * a, first)
        store_two(z, HALF * a + 2, upper_two(first))
        store_two(z, HALF * a + LANES, middle)
    if b >= 0:
        store_two(z, HALF * b, upper_two(middle))
        store_two(z, HALF * b + 2, last)
        store_two(z, HALF * b + LANES, upper_two(last))


@inner(always=True)
def _products(jacobian, at, motion):
    """Return the products of the row at a place of the jacobians and z, in lanes whose sum is J z."""
    first, middle, last = motion
    return (
        load(jacobian, at) * first
        + load(jacobian, at + LANES) * middle
        + load(jacobian, at + 2 * LANES) * last
    )


@inner(always=True)
def rate_along(jacobian, r, motion):
    """Return jacobian z of row r."""
    return total(_products(jacobian, ROW * r, motion))


@inner(always=True)
def three_rates(jacobian, r, motion):
    """Return jacobian z of rows r to r + 2, one in each lane: the sums of `rate_along`."""
    p = _products(jacobian, ROW * r, motion)
    q = _products(jacobian, ROW * (r + 1), motion)
    s = _products(jacobian, ROW * (r + 2), motion)
    a, b, c, d = turned(p, q, s, splat(0.0))
    return (a + c) + (b + d)


@inner(always=True)
def halves_along(jacobian, r, motion):
    """Return jacobian z of row r, of the first and of the second body."""
    at = ROW * r
    first, middle, last = motion
    nothing, shared = splat(0.0), load(jacobian, at + LANES) * middle
    return (
        total(load(jacobian, at) * first + join(shared, nothing)),
        total(load(jacobian, at + 2 * LANES) * last + join(upper_two(shared), nothing)),
    )


@inner(always=True)
def pushed(jacobian, r, amount, motion):
    """Return z after an impulse on row r: z + jacobian^T amount."""
    at, f = ROW * r, splat(amount)
    first, middle, last = motion
    return (
        first + load(jacobian, at) * f,
        middle + load(jacobian, at + LANES) * f,
        last + load(jacobian, at + 2 * LANES) * f,
    )


@inner(always=True)
def row_distance(p, q, r):
    """Return the sum of the squares by which row r of two arrays of jacobians differs."""
    at = ROW * r
    d = load(p, at) - load(q, at)
    e = load(p, at + LANES) - load(q, at + LANES)
    f = load(p, at + 2 * LANES) - load(q, at + 2 * LANES)
    return total(d * d + e * e + f * f)


@inner(always=True)
def force_halves(sign, m, w, lever, x, y, z):
    """Return one body's halves of rows that are forces, one in each lane: six lanes; see `rows.write_force`.

    Args:
        sign: 1 or -1, in which direction the impulses act on this body.
        m, w: roots of its inverse mass and, nine numbers, of its inverse inertia in the world.
        lever: from the centre of mass to where the impulses act (3) [m].
        x, y, z: lanes of the directions.
    """
    f, s, p, q, r = splat(sign * m), splat(sign), splat(lever[0]), splat(lever[1]), splat(lever[2])
    u, v, t = q * z - r * y, r * x - p * z, p * y - q * x
    return (
        f * x,
        f * y,
        f * z,
        s * (splat(w[0]) * u + splat(w[1]) * v + splat(w[2]) * t),
        s * (splat(w[3]) * u + splat(w[4]) * v + splat(w[5]) * t),
        s * (splat(w[6]) * u + splat(w[7]) * v + splat(w[8]) * t),
    )


@inner(always=True)
def write_three(jacobian, r, a, b):
    """Write the jacobians of rows r to r + 2 from the halves of both bodies, as `force_halves` returns them.

    Returns:
        The products of each row with itself, a row in each lane, and of the second with the third.
    """
    first = turned(a[0], a[1], a[2], a[3])
    middle = turned(a[4], a[5], b[0], b[1])
    last = turned(b[2], b[3], b[4], b[5])
    at = ROW * r
    store(jacobian, at, first[0])
    store(jacobian, at + LANES, middle[0])
    store(jacobian, at + 2 * LANES, last[0])
    store(jacobian, at + ROW, first[1])
    store(jacobian, at + ROW + LANES, middle[1])
    store(jacobian, at + ROW + 2 * LANES, last[1])
    store(jacobian, at + 2 * ROW, first[2])
    store(jacobian, at + 2 * ROW + LANES, middle[2])
    store(jacobian, at + 2 * ROW + 2 * LANES, last[2])
    squares = (((a[0] * a[0] + a[4] * a[4]) + b[2] * b[2]) + ((a[2] * a[2] + b[0] * b[0]) + b[4] * b[4])) + (
        ((a[1] * a[1] + a[5] * a[5]) + b[3] * b[3]) + ((a[3] * a[3] + b[1] * b[1]) + b[5] * b[5])
    )
    return squares, total(first[1] * first[2] + middle[1] * middle[2] + last[1] * last[2])

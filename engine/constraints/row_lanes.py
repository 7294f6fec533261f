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
    store_two,
    total,
    upper_two,
)

__all__ = ["halves_along", "pushed", "rate_along", "read_motion", "row_distance", "write_motion"]

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
def rate_along(jacobian, r, motion):
    """Return jacobian z of row r."""
    at = ROW * r
    first, middle, last = motion
    return total(
        load(jacobian, at) * first
        + load(jacobian, at + LANES) * middle
        + load(jacobian, at + 2 * LANES) * last
    )


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

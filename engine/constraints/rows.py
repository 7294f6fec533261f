"""Rows: the one form in which joints, stops, motors, impacts and contacts reach the solvers.

A row asks for a relative velocity: J v + bias + softness * impulse = 0, or >= 0 where its impulse is at
its lower limit, <= 0 where it is at its upper one. Consecutive rows between the same two bodies form a
block (a contact: normal and two tangents; a ball joint: three). Pairs of friction stand last in theirs: the
impulse of its first row, the normal row, bounds them. A row over three or four bodies, a coupling
of two joints, is in two halves: one that is SHARED, and in the block in front of its own the REST of it,
between other bodies, with the same impulse. Their velocities count together. Empty blocks behind say which
bodies it brings together.

Rows are kept in mass-weighted form: jacobian = J M^(-1/2), and the solvers work on z, the mass-weighted
change of velocity, M^(1/2) dv = jacobian^T impulse, which starts at zero; J v of the velocities before the
solve is part of the bias. So the matrix of the direct solver has the identity in place of the mass
matrix, bodies that do not react need no special case (their half of the jacobian is zero), and masses of
1 g and 1000 t in one system cost no digits.
"""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import cross
from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Codes, Floats, Ints
from stoss.engine.constraints.mass_weighting import symmetric_times
from stoss.engine.constraints.row_lanes import pushed, read_motion, write_motion

__all__ = [
    "ACTIVE",
    "BOUNDED",
    "FRESH",
    "FRICTION",
    "OFF",
    "REST",
    "SECOND_TANGENT",
    "SHARED",
    "SLIDING",
    "Rows",
    "across_plane",
    "add_impulse",
    "apply_warm_start",
    "finish_by_size",
    "finish_pair",
    "finish_row",
    "finish_rows",
    "half_velocity",
    "pair_terms",
    "row_product",
    "row_velocity",
    "share_row",
    "soft_effective_mass",
    "start_row",
    "write_force",
    "write_nothing",
    "write_torque",
    "plus_velocity",
    "redress",
    "yield_row",
    "within_plane",
]

# What a unit direction may have along one that is perpendicular to it, by rounding. A row of nothing else
# would be divided by it.
ROUNDING = 1e-9

# Share of the effective mass by which the impulse of a row that yields depends on the velocity at least: an
# impulse that is given is next to that, and is so anew in each solve.
GIVEN = 1e-12

# kind of a row
BOUNDED = 0  # impulse within [lower, upper]
FRICTION = 1  # first row of a pair whose impulse lies in a disc of radius mu times that of its normal row
SECOND_TANGENT = 2  # second row of such a pair; empty, with a jacobian of zero, where the disc is a line
SHARED = 3  # unbounded, over more than two bodies: its other half is the row in front of it
REST = 4  # that half: it has the impulse of the row behind it, and no bias

# state of a row in the direct solver
OFF = 0  # impulse fixed at a limit (for friction: zero)
ACTIVE = 1  # equality
SLIDING = (
    2  # friction pair at the edge of its disc (static or dynamic): impulse follows that of the normal row
)
FRESH = 3  # not solved before


class Rows(Struct):
    """Arrays of blocks and rows, as kernels take them."""

    bodies: Annotated[Ints, "blocks", 2]  # first and second body, -1 where it does not react
    start: Annotated[Ints, "blocks+1"]  # first row of each block
    jacobian: Annotated[Floats, "rows", 12]  # mass-weighted: first body (linear, angular), second body
    effective_mass: Annotated[Floats, "rows"]  # 1 / (jacobian . jacobian) [effective mass]
    softness: Annotated[Floats, "rows"]  # [velocity per impulse]
    bias: Annotated[Floats, "rows"]  # [m/s or rad/s]
    lower: Annotated[Floats, "rows"]  # least impulse
    upper: Annotated[Floats, "rows"]  # largest impulse
    kind: Annotated[Codes, "rows"]  # BOUNDED, FRICTION, SECOND_TANGENT, SHARED, REST
    inverse_effective_mass: Annotated[
        Floats, "rows"
    ]  # jacobian . jacobian; of a FRICTION row the largest eigenvalue of its pair
    friction: Annotated[Floats, "rows"]  # coefficient while sliding
    static_friction: Annotated[Floats, "rows"]  # coefficient while sticking
    active_friction: Annotated[
        Floats, "rows"
    ]  # coefficient in force while SLIDING: static until the surfaces do slide
    impulse: Annotated[Floats, "rows"]  # solution
    state: Annotated[Codes, "rows"]  # OFF, ACTIVE, SLIDING, FRESH


@inner
def within_plane(plane, d0, d1, d2):
    """Return a unit direction without its share across a plane; none where only rounding is left of it.

    Args:
        plane: 1, 2, 3: the one across x, y, z.
        d0, d1, d2: the direction.
    """
    if plane == 1:
        d0 = 0.0
    elif plane == 2:
        d1 = 0.0
    else:
        d2 = 0.0
    if d0 * d0 + d1 * d1 + d2 * d2 < ROUNDING * ROUNDING:
        return 0.0, 0.0, 0.0
    return d0, d1, d2


@inner
def across_plane(plane, d0, d1, d2):
    """Return the share of a unit direction across a plane, none where it is rounding; see `within_plane`."""
    x, y, z = d0 * (plane == 1), d1 * (plane == 2), d2 * (plane == 3)
    if x * x + y * y + z * z < ROUNDING * ROUNDING:
        return 0.0, 0.0, 0.0
    return x, y, z


@inner
def write_force(rows, r, half, sign, direction, lever, bodies, sqrt_inverse_inertia, i):
    """Write the half of row r for body i, mass-weighted: a unit impulse along `direction` at a lever arm.

    sign (d m^(-1/2), W (lever x d)), with W the root of the inverse inertia in the world.

    Args:
        rows: receives the jacobian.
        r: row.
        half: 0 for the first body of the block, 1 for the second.
        sign: 1 or -1, in which direction the impulse acts on this body.
        direction: d (3), in the world.
        lever: from the centre of mass to where the impulse acts (3) [m].
        bodies, roots, i: bodies, roots of their inverse inertias (n, 9), and which of them.
    """
    d0, d1, d2 = direction
    if bodies.plane[i] != 0:
        d0, d1, d2 = within_plane(bodies.plane[i], d0, d1, d2)
    jacobian, at, m = rows.jacobian[r], 6 * half, sign * bodies.sqrt_inverse_masses[i]
    x, y, z = cross(lever[0], lever[1], lever[2], d0, d1, d2)
    x, y, z = symmetric_times(sqrt_inverse_inertia[i], x, y, z)
    jacobian[at], jacobian[at + 1], jacobian[at + 2] = m * d0, m * d1, m * d2
    jacobian[at + 3], jacobian[at + 4], jacobian[at + 5] = sign * x, sign * y, sign * z


@inner
def write_torque(rows, r, half, sign, direction, bodies, sqrt_inverse_inertia, i):
    """Write the half of row r for body i, mass-weighted: a unit angular impulse about `direction`."""
    jacobian, at = rows.jacobian[r], 6 * half
    d0, d1, d2 = direction
    if bodies.plane[i] != 0:
        d0, d1, d2 = across_plane(bodies.plane[i], d0, d1, d2)
    x, y, z = symmetric_times(sqrt_inverse_inertia[i], d0, d1, d2)
    jacobian[at] = jacobian[at + 1] = jacobian[at + 2] = 0.0
    jacobian[at + 3], jacobian[at + 4], jacobian[at + 5] = sign * x, sign * y, sign * z


@inner
def write_nothing(rows, r, half):
    """Clear the half of row r for a body that does not react."""
    for k in range(6 * half, 6 * half + 6):
        rows.jacobian[r, k] = 0.0


@inner
def start_row(rows, r, kind, lower, upper):
    """Let a row begin: rigid, without friction, without an impulse."""
    rows.kind[r] = kind
    rows.lower[r] = lower
    rows.upper[r] = upper
    rows.softness[r] = 0.0
    rows.friction[r] = rows.static_friction[r] = 0.0
    rows.impulse[r] = 0.0
    rows.state[r] = FRESH


@inner
def half_velocity(jacobian, r, offset, z, i):
    """Return one body's half of jacobian z; offset 0 for the first, 6 for the second.

    Summed as a tree: in one running sum each addition would wait for the one before it.
    """
    return (
        (jacobian[r, offset] * z[i, 0] + jacobian[r, offset + 1] * z[i, 1])
        + (jacobian[r, offset + 2] * z[i, 2] + jacobian[r, offset + 3] * z[i, 3])
    ) + (jacobian[r, offset + 4] * z[i, 4] + jacobian[r, offset + 5] * z[i, 5])


@inner
def plus_velocity(v, jacobian, r, a, b, z):
    """Return v + jacobian z of row r; a and b are the bodies of its block, or their rows of z."""
    if a >= 0:
        v += half_velocity(jacobian, r, 0, z, a)
    if b >= 0:
        v += half_velocity(jacobian, r, 6, z, b)
    return v


@inner
def row_velocity(rows, r, a, b, z):
    """Return jacobian z of row r; a and b are the bodies of its block."""
    return plus_velocity(0.0, rows.jacobian, r, a, b, z)


@inner
def add_impulse(jacobian, r, a, b, amount, z):
    """Add jacobian^T amount of row r to z; a and b as for `plus_velocity`."""
    if a >= 0:
        for k in range(6):
            z[a, k] += jacobian[r, k] * amount
    if b >= 0:
        for k in range(6):
            z[b, k] += jacobian[r, 6 + k] * amount


@inner
def pair_terms(k0, k1, c):
    """Return the largest eigenvalue and the inverse (00, 01, 11) of the 2x2 matrix of a pair: k0, k1; c."""
    largest = 0.5 * (k0 + k1) + np.sqrt(0.25 * (k0 - k1) * (k0 - k1) + c * c)
    determinant = k0 * k1 - c * c
    if determinant > 1e-12 * k0 * k1:
        inverse = 1.0 / determinant
        return largest, k1 * inverse, -c * inverse, k0 * inverse
    inverse = 1.0 / largest if largest > 0.0 else 0.0
    return largest, inverse, 0.0, inverse


@inner
def soft_effective_mass(rows, r):
    """Return what impulse of row r changes its velocity by one, with its softness; 0 if nothing moves it."""
    k = rows.inverse_effective_mass[r]
    return 1.0 / (k + rows.softness[r]) if k > 0.0 else 0.0


@inner
def yield_row(rows, r, impulse, velocity, slope):
    """Let row r give `impulse` at a velocity, and less by `slope` for each that it is more.

    Its bias is the velocity before.
    """
    slope = max(slope, GIVEN * rows.effective_mass[r])
    softness = 1.0 / slope if slope > 0.0 else 0.0
    rows.softness[r] = softness
    rows.bias[r] -= velocity + softness * impulse


@inner
def redress(rows, r):
    """Return by what share of the velocity that row r misses its own impulse would change its velocity.

    That is what counts of a soft row: of one that almost gives its impulse the rest is that, in other units.
    """
    if rows.softness[r] == 0.0:
        return 1.0
    return rows.inverse_effective_mass[r] * soft_effective_mass(rows, r)


@inner
def row_product(jacobian, r, s):
    """Return the product of the jacobians of rows r and s, summed in the order of `row_lanes`."""
    p, q = jacobian[r], jacobian[s]
    return (((p[0] * q[0] + p[4] * q[4]) + p[8] * q[8]) + ((p[2] * q[2] + p[6] * q[6]) + p[10] * q[10])) + (
        ((p[1] * q[1] + p[5] * q[5]) + p[9] * q[9]) + ((p[3] * q[3] + p[7] * q[7]) + p[11] * q[11])
    )


@inner
def finish_by_size(rows, r, k):
    """Fill what follows from the jacobian of a row, whose product with itself is k."""
    rows.inverse_effective_mass[r] = k
    rows.effective_mass[r] = 1.0 / k if k > 0.0 else 0.0


@inner
def finish_row(rows, r):
    """Fill what follows from the jacobian of a row that belongs to no pair."""
    finish_by_size(rows, r, row_product(rows.jacobian, r, r))


@inner
def share_row(rows, r):
    """Finish a SHARED row and the REST of it in front, from their jacobians."""
    start_row(rows, r - 1, REST, -np.inf, np.inf)
    rows.kind[r], rows.bias[r - 1] = SHARED, 0.0
    finish_row(rows, r - 1)
    finish_row(rows, r)
    k = rows.inverse_effective_mass[r - 1] + rows.inverse_effective_mass[r]
    for half in range(r - 1, r + 1):
        rows.inverse_effective_mass[half] = k
        rows.effective_mass[half] = 1.0 / k if k > 0.0 else 0.0
        rows.softness[half] = 0.0


@inner
def finish_rows(rows, first, last):
    """Fill what follows from jacobians, for rows first to last - 1."""
    for r in range(first, last):
        finish_row(rows, r)
        if rows.inverse_effective_mass[r] == 0.0 and rows.kind[r] == SECOND_TANGENT:
            rows.effective_mass[r] = rows.effective_mass[r - 1]  # an empty partner: weighed, it adds nothing
    for r in range(first, last):
        if rows.kind[r] == FRICTION:
            finish_pair(rows, r, row_product(rows.jacobian, r, r + 1))


@inner
def finish_pair(rows, r, c):
    """Fill what follows from the jacobians of a friction pair, r the first row; c is their product."""
    largest = pair_terms(rows.inverse_effective_mass[r], rows.inverse_effective_mass[r + 1], c)[0]
    rows.inverse_effective_mass[r] = largest


@inner
def apply_warm_start(rows, z, applied):
    """Add the effect of the impulses that the rows start with to z, but for rows where that is done already.

    Args:
        rows: the rows.
        z: (bodies, 6).
        applied: (rows,) whether it is done; all true afterwards.
    """
    for block in range(len(rows.bodies)):
        a = rows.bodies[block, 0]
        b = rows.bodies[block, 1]
        motion = read_motion(z, a, b)
        for r in range(rows.start[block], rows.start[block + 1]):
            if not applied[r] and rows.impulse[r] != 0.0:
                motion = pushed(rows.jacobian, r, rows.impulse[r], motion)
            applied[r] = True
        write_motion(z, a, b, motion)

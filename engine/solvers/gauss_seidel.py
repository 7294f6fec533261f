"""Gauss-Seidel sweeps over rows: the iterative method, which may be stopped after any sweep.

Bender 2007, sections 3.3.1, 5.2.1, 5.2.5 and 5.3. Equation 5.7 sums impulses before they are clamped; here
those that were applied are accumulated. Equation 5.8 adds friction also where a later iteration takes normal
impulse back; here the cone, a circular one, bounds the accumulated impulse.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Floats2, Ints
from stoss.engine.constraints.rows import (
    ACTIVE,
    BOUNDED,
    FRICTION,
    SECOND_TANGENT,
    SLIDING,
    Rows,
    pair_terms,
    plus_velocity,
    row_velocity,
)

__all__ = ["friction_impulse", "sweep"]

# Slip [last changes of a row in a sweep, or tolerances] from which on a pair that was given all of its static
# friction counts as sliding: less may be what the sweeps have not come to yet.
SLIP = 10.0
# A pair counts as being at the edge of its disc within this share of it.
EDGE = 1e-9


@inner
def friction_impulse(p0, p1, v0, v1, inverse0, inverse1, inverse2, soft_effective_mass, limit):
    """Return the new impulse (p0, p1) of a friction pair whose tangential velocity is (v0, v1).

    First the exact 2x2 solve that stops the sliding (one impulse along it, as in equation 5.9,
    would leave some across), kept if it lies in the disc of radius `limit`.
    Else the projection of p - soft_effective_mass * v on that disc: its fixed point is Coulomb's law, the
    impulse exactly opposite to the velocity. (Projecting the exact solve instead would turn it to K v.)
    """
    s0 = p0 - (inverse0 * v0 + inverse1 * v1)
    s1 = p1 - (inverse1 * v0 + inverse2 * v1)
    if s0 * s0 + s1 * s1 <= limit * limit:
        return s0, s1
    s0 = p0 - soft_effective_mass * v0
    s1 = p1 - soft_effective_mass * v1
    size = s0 * s0 + s1 * s1
    if size > limit * limit:
        scale = limit / np.sqrt(size)
        return s0 * scale, s1 * scale
    return s0, s1


@inner
def _half_product(jacobian, r, s, offset):
    """Return the product of one body's halves of rows r and s; offset 0 for the first, 6 for the second."""
    k = 0.0
    for i in range(offset, offset + 6):
        k += jacobian[r, i] * jacobian[s, i]
    return k


@inner
def _begin_to_slide(rows, blocks, z, threshold):
    """Give the dynamic coefficient to pairs that slide in spite of all their static friction; return if any.

    Decided between sweeps: within them a pair may lack the normal impulse that it will have at the end.
    """
    any_slips = False
    for block in blocks:
        a, b = rows.bodies[block, 0], rows.bodies[block, 1]
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] != FRICTION or rows.active_friction[r] <= rows.friction[r]:
                continue
            edge = rows.active_friction[r] * max(rows.impulse[rows.normal_row[r]], 0.0) * (1.0 - EDGE)
            if edge == 0.0 or rows.impulse[r] ** 2 + rows.impulse[r + 1] ** 2 < edge * edge:
                continue
            v = row_velocity(rows, r, a, b, z) + rows.bias[r]
            w = row_velocity(rows, r + 1, a, b, z) + rows.bias[r + 1]
            if v * v + w * w > threshold * threshold:
                rows.active_friction[r] = rows.friction[r]
                any_slips = True
    return any_slips


@inner
def _first_grips(rows, blocks):
    """Set the coefficients that pairs start with: the dynamic one for those that were sliding.

    Returns whether it can change in any pair.
    """
    hesitant = False
    for block in blocks:
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] != FRICTION:
                continue
            rows.active_friction[r] = rows.static_friction[r]
            if rows.static_friction[r] <= rows.friction[r]:
                continue
            hesitant = True
            if rows.state[r] == SLIDING:
                edge = rows.friction[r] * rows.impulse[rows.normal_row[r]] * (1.0 + EDGE)
                if rows.impulse[r] ** 2 + rows.impulse[r + 1] ** 2 <= edge * edge:
                    rows.active_friction[r] = rows.friction[r]
    return hesitant


@inner
def _remember_sliding(rows, blocks):
    """Write into the states of pairs whether they slide, where it matters, for the next solve of the rows."""
    for block in blocks:
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] != FRICTION or rows.static_friction[r] <= rows.friction[r]:
                continue
            edge = rows.active_friction[r] * max(rows.impulse[rows.normal_row[r]], 0.0) * (1.0 - EDGE)
            slides = edge > 0.0 and rows.impulse[r] ** 2 + rows.impulse[r + 1] ** 2 >= edge * edge
            rows.state[r] = rows.state[r + 1] = SLIDING if slides else ACTIVE


@kernel(allocates=True)
def sweep(
    rows: Rows,
    blocks: Ints,
    z: Floats2,
    sweeps: int,
    tolerance: float,
    level: Ints,
    below: int,
    remember: bool,
) -> tuple[int, float]:
    """Sweep over blocks, forwards and backwards in turn, until nothing changes by more than `tolerance`.

    Args:
        rows: the rows.
        blocks: the blocks to sweep over, in this order.
        z: (bodies, 6) what the impulses of the rows do; changed with them.
        sweeps: most sweeps.
        tolerance: [m/s]
        level, below: impulses do not move bodies whose `level` (bodies,) is less than `below`; with -1 they
            move all.
        remember: whether to leave in the states of the rows which pairs slide.

    Returns:
        The sweeps made and the largest change of a row's velocity in the last one [m/s].
    """
    return _sweep(rows, blocks, np.empty(len(blocks), np.int64), z, sweeps, tolerance, level, below, remember)


@inner
def _sweep(rows, blocks, acting, z, sweeps, tolerance, level, below, remember):
    """Sweep over `blocks`; `acting` is memory for as many."""
    # blocks that can act at all: a contact whose normal impulse is fixed at zero has no friction either
    count = 0
    for block in blocks:
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] == BOUNDED and (
                rows.lower[r] < rows.upper[r] or rows.impulse[r] != rows.lower[r]
            ):
                acting[count] = block
                count += 1
                break
    acting = acting[:count]
    hesitant = _first_grips(rows, acting)
    jacobian, impulse, bias, kind = rows.jacobian, rows.impulse, rows.bias, rows.kind
    change = 0.0
    made = sweeps
    for number in range(sweeps):
        change = 0.0
        for i in range(count):
            block = acting[i] if number % 2 == 0 else acting[count - 1 - i]
            a = rows.bodies[block, 0]
            b = rows.bodies[block, 1]
            moves_a = a >= 0 and (below < 0 or level[a] >= below)
            moves_b = b >= 0 and (below < 0 or level[b] >= below)
            part = (a >= 0 and not moves_a) or (b >= 0 and not moves_b)
            for r in range(rows.start[block], rows.start[block + 1]):
                if kind[r] == SECOND_TANGENT or rows.soft_effective_mass[r] == 0.0:
                    continue
                v = plus_velocity(bias[r], jacobian, r, a, b, z)
                size = rows.inverse_effective_mass[r]
                soft_effective_mass = rows.soft_effective_mass[r]
                if kind[r] == BOUNDED:
                    if part:
                        size = _half_product(jacobian, r, r, 0 if moves_a else 6)
                        soft_effective_mass = 1.0 / (size + rows.softness[r]) if size > 0.0 else 0.0
                    old = impulse[r]
                    v += rows.softness[r] * old
                    new = old - v * soft_effective_mass
                    new = min(max(new, rows.lower[r]), rows.upper[r])
                    d = new - old
                    if d != 0.0:
                        impulse[r] = new
                        if moves_a:
                            for k in range(6):
                                z[a, k] += jacobian[r, k] * d
                        if moves_b:
                            for k in range(6):
                                z[b, k] += jacobian[r, 6 + k] * d
                        change = max(change, abs(d) * size)
                    continue
                limit = max(impulse[rows.normal_row[r]], 0.0)
                old0 = impulse[r]
                old1 = impulse[r + 1]
                if limit == 0.0 and old0 == 0.0 and old1 == 0.0:
                    continue
                w = plus_velocity(bias[r + 1], jacobian, r + 1, a, b, z)
                i0, i1, i2 = rows.pair_inverse[r, 0], rows.pair_inverse[r, 1], rows.pair_inverse[r, 2]
                if part:
                    offset = 0 if moves_a else 6
                    k0 = _half_product(jacobian, r, r, offset)
                    k1 = _half_product(jacobian, r + 1, r + 1, offset)
                    size, i0, i1, i2 = pair_terms(k0, k1, _half_product(jacobian, r, r + 1, offset))
                    soft_effective_mass = 1.0 / size if size > 0.0 else 0.0
                new0, new1 = friction_impulse(
                    old0, old1, v, w, i0, i1, i2, soft_effective_mass, rows.active_friction[r] * limit
                )
                impulse[r] = new0
                impulse[r + 1] = new1
                d = new0 - old0
                e = new1 - old1
                if moves_a:
                    for k in range(6):
                        z[a, k] += jacobian[r, k] * d + jacobian[r + 1, k] * e
                if moves_b:
                    for k in range(6):
                        z[b, k] += jacobian[r, 6 + k] * d + jacobian[r + 1, 6 + k] * e
                change = max(change, max(abs(d), abs(e)) * size)
        converged = change <= tolerance
        if hesitant and (converged or number + 1 == sweeps // 2 or number + 1 == 3 * sweeps // 4):
            threshold = SLIP * max(change, tolerance)
            if _begin_to_slide(rows, acting, z, threshold):
                converged = False
        if converged:
            made = number + 1
            break
    if remember and hesitant:
        _remember_sliding(rows, acting)
    return made, change

"""Gauss-Seidel sweeps over rows: the iterative method, which may be stopped after any sweep.

Bender 2007, sections 3.3.1, 5.2.1 and 5.3; accumulated impulses are clamped (eq. 5.7 with P-28), friction
in the accumulated form (P-14) with a circular cone.
"""

import numpy as np
from numba import njit

from engine.rows import BOUNDED, PARTNER, half_velocity

__all__ = ["friction_impulse", "sweep"]


@njit(cache=True, error_model="numpy")
def friction_impulse(p0, p1, v0, v1, inverse, relaxation, stick_limit, slide_limit):
    """Return the new impulse (p0, p1) of a friction pair whose tangential velocity is (v0, v1).

    First the exact 2x2 solve that stops the sliding (P-29), kept if it lies in the static disc. Else the
    projection of p - relaxation * v on the dynamic disc: its fixed point is Coulomb's law, the impulse
    exactly opposite to the velocity. (Projecting the exact solve instead would turn it to K v.)
    """
    s0 = p0 - (inverse[0] * v0 + inverse[1] * v1)
    s1 = p1 - (inverse[1] * v0 + inverse[2] * v1)
    if s0 * s0 + s1 * s1 <= stick_limit * stick_limit:
        return s0, s1
    s0 = p0 - relaxation * v0
    s1 = p1 - relaxation * v1
    size = s0 * s0 + s1 * s1
    if size > slide_limit * slide_limit:
        scale = slide_limit / np.sqrt(size)
        return s0 * scale, s1 * scale
    return s0, s1


@njit(cache=True, error_model="numpy")
def sweep(rows, first_block, last_block, z, sweeps, tolerance):
    """Sweep over blocks, forwards and backwards in turn, until nothing changes by more than `tolerance`.

    Returns the sweeps made and the largest change of a row's velocity in the last one [m/s].
    """
    # blocks that can act at all: a contact whose normal impulse is fixed at zero has no friction either
    acting = np.empty(last_block - first_block, np.int64)
    count = 0
    for block in range(first_block, last_block):
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.kind[r] == BOUNDED and (
                rows.lower[r] < rows.upper[r] or rows.impulse[r] != rows.lower[r]
            ):
                acting[count] = block
                count += 1
                break
    jacobian, impulse, bias, kind = rows.jacobian, rows.impulse, rows.bias, rows.kind
    relaxation = rows.relaxation
    change = 0.0
    for number in range(sweeps):
        change = 0.0
        for i in range(count):
            block = acting[i] if number % 2 == 0 else acting[count - 1 - i]
            a = rows.bodies[block, 0]
            b = rows.bodies[block, 1]
            for r in range(rows.start[block], rows.start[block + 1]):
                if kind[r] == PARTNER or relaxation[r] == 0.0:
                    continue
                v = bias[r]
                if a >= 0:
                    v += half_velocity(jacobian, r, 0, z, a)
                if b >= 0:
                    v += half_velocity(jacobian, r, 6, z, b)
                if kind[r] == BOUNDED:
                    old = impulse[r]
                    v += rows.softness[r] * old
                    new = old - v * relaxation[r]
                    new = min(max(new, rows.lower[r]), rows.upper[r])
                    d = new - old
                    if d != 0.0:
                        impulse[r] = new
                        if a >= 0:
                            for k in range(6):
                                z[a, k] += jacobian[r, k] * d
                        if b >= 0:
                            for k in range(6):
                                z[b, k] += jacobian[r, 6 + k] * d
                        change = max(change, abs(d) * rows.k[r])
                    continue
                limit = max(impulse[rows.limiting[r]], 0.0)
                old0 = impulse[r]
                old1 = impulse[r + 1]
                if limit == 0.0 and old0 == 0.0 and old1 == 0.0:
                    continue
                w = bias[r + 1]
                if a >= 0:
                    w += half_velocity(jacobian, r + 1, 0, z, a)
                if b >= 0:
                    w += half_velocity(jacobian, r + 1, 6, z, b)
                new0, new1 = friction_impulse(
                    old0,
                    old1,
                    v,
                    w,
                    rows.pair_inverse[r],
                    relaxation[r],
                    rows.static_friction[r] * limit,
                    rows.friction[r] * limit,
                )
                impulse[r] = new0
                impulse[r + 1] = new1
                d = new0 - old0
                e = new1 - old1
                if a >= 0:
                    for k in range(6):
                        z[a, k] += jacobian[r, k] * d + jacobian[r + 1, k] * e
                if b >= 0:
                    for k in range(6):
                        z[b, k] += jacobian[r, 6 + k] * d + jacobian[r + 1, 6 + k] * e
                change = max(change, max(abs(d), abs(e)) * rows.k[r])
        if change <= tolerance:
            return number + 1, change
    return sweeps, change

"""Gauss-Seidel sweeps over rows: the iterative method, which may be stopped after any sweep.

Bender 2007, sections 3.3.1, 5.2.1 and 5.3; accumulated impulses are clamped (eq. 5.7 with P-28), friction
in the accumulated form (P-14) with a circular cone.
"""

import numpy as np
from numba import njit

from engine.rows import BOUNDED, FRICTION, add_impulse, row_velocity

__all__ = ["friction_impulse", "sweep"]


@njit(cache=True)
def friction_impulse(p0, p1, v0, v1, k0, k1, coupling, relaxation, stick_limit, slide_limit):
    """Return the new impulse (p0, p1) of a friction pair whose tangential velocity is (v0, v1).

    First the exact 2x2 solve that stops the sliding (P-29), kept if it lies in the static disc. Else the
    projection of p - relaxation * v on the dynamic disc: its fixed point is Coulomb's law, the impulse
    exactly opposite to the velocity. (Projecting the exact solve instead would turn it to K v.)
    """
    determinant = k0 * k1 - coupling * coupling
    if determinant > 1e-12 * k0 * k1:
        s0 = p0 - (k1 * v0 - coupling * v1) / determinant
        s1 = p1 - (k0 * v1 - coupling * v0) / determinant
    else:
        s0 = p0 - relaxation * v0
        s1 = p1 - relaxation * v1
    if s0 * s0 + s1 * s1 <= stick_limit * stick_limit:
        return s0, s1
    s0 = p0 - relaxation * v0
    s1 = p1 - relaxation * v1
    size = np.sqrt(s0 * s0 + s1 * s1)
    if size > slide_limit:
        scale = slide_limit / size
        return s0 * scale, s1 * scale
    return s0, s1


@njit(cache=True)
def sweep(rows, first_block, last_block, z, sweeps, tolerance):
    """Sweep over blocks, forwards and backwards in turn, until no row's velocity changes by more than `tolerance`.

    Returns the sweeps made and the largest change of a row's velocity in the last one [m/s].
    """
    change = 0.0
    for count in range(sweeps):
        change = 0.0
        for i in range(last_block - first_block):
            block = first_block + i if count % 2 == 0 else last_block - 1 - i
            a = rows.bodies[block, 0]
            b = rows.bodies[block, 1]
            for r in range(rows.start[block], rows.start[block + 1]):
                if rows.inverse_k[r] == 0.0:
                    continue
                if rows.kind[r] == BOUNDED:
                    if rows.lower[r] == rows.upper[r] and rows.impulse[r] == rows.lower[r]:
                        continue
                    old = rows.impulse[r]
                    v = row_velocity(rows, r, a, b, z) + rows.bias[r] + rows.softness[r] * old
                    new = old - v / (1.0 / rows.inverse_k[r] + rows.softness[r])
                    new = min(max(new, rows.lower[r]), rows.upper[r])
                    if new != old:
                        rows.impulse[r] = new
                        add_impulse(rows, r, a, b, new - old, z)
                        change = max(change, abs(new - old) / rows.inverse_k[r])
                elif rows.kind[r] == FRICTION:
                    limit = max(rows.impulse[rows.limiting[r]], 0.0)
                    old0 = rows.impulse[r]
                    old1 = rows.impulse[r + 1]
                    if limit == 0.0 and old0 == 0.0 and old1 == 0.0:
                        continue
                    new0, new1 = friction_impulse(
                        old0,
                        old1,
                        row_velocity(rows, r, a, b, z) + rows.bias[r],
                        row_velocity(rows, r + 1, a, b, z) + rows.bias[r + 1],
                        1.0 / rows.inverse_k[r],
                        1.0 / rows.inverse_k[r + 1],
                        rows.coupling[r],
                        rows.relaxation[r],
                        rows.static_friction[r] * limit,
                        rows.friction[r] * limit,
                    )
                    rows.impulse[r] = new0
                    rows.impulse[r + 1] = new1
                    add_impulse(rows, r, a, b, new0 - old0, z)
                    add_impulse(rows, r + 1, a, b, new1 - old1, z)
                    moved = np.sqrt((new0 - old0) ** 2 + (new1 - old1) ** 2)
                    change = max(change, moved / rows.relaxation[r])
        if change <= tolerance:
            return count + 1, change
    return sweeps, change

"""Gauss-Seidel sweeps over one row after the other, uncompiled: what the wide ones are tested against."""

import numpy as np

from stoss.engine.constraints.rows import (
    BOUNDED,
    SECOND_TANGENT,
    Rows,
    pair_terms,
    plus_velocity,
    row_product,
    soft_effective_mass,
)
from stoss.engine.solvers.gauss_seidel import SLIP, begin_to_slide, first_grips, remember_sliding
from stoss.engine.solvers.wide_rows import half_product


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


def plain_sweep(
    rows: Rows,
    blocks: np.ndarray,
    z: np.ndarray,
    sweeps: int,
    tolerance: float,
    level: np.ndarray,
    below: int,
    remember: bool,
) -> tuple[int, float]:
    """Sweep one block after the other; arguments and result as those of `sweep`."""
    acting = np.empty(len(blocks), np.int64)
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
    hesitant = first_grips(rows, acting)
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
                if kind[r] == SECOND_TANGENT or rows.inverse_effective_mass[r] == 0.0:
                    continue
                v = plus_velocity(bias[r], jacobian, r, a, b, z)
                size = rows.inverse_effective_mass[r]
                mass = soft_effective_mass(rows, r)
                if kind[r] == BOUNDED:
                    if part:
                        size = half_product(jacobian, r, r, 0 if moves_a else 6)
                        mass = 1.0 / (size + rows.softness[r]) if size > 0.0 else 0.0
                    old = impulse[r]
                    v += rows.softness[r] * old
                    new = old - v * mass
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
                limit = max(impulse[rows.start[block]], 0.0)
                old0 = impulse[r]
                old1 = impulse[r + 1]
                if limit == 0.0 and old0 == 0.0 and old1 == 0.0:
                    continue
                w = plus_velocity(bias[r + 1], jacobian, r + 1, a, b, z)
                k0, k1 = row_product(jacobian, r, r), row_product(jacobian, r + 1, r + 1)
                _, i0, i1, i2 = pair_terms(k0, k1, row_product(jacobian, r, r + 1))
                if part:
                    offset = 0 if moves_a else 6
                    k0 = half_product(jacobian, r, r, offset)
                    k1 = half_product(jacobian, r + 1, r + 1, offset)
                    size, i0, i1, i2 = pair_terms(k0, k1, half_product(jacobian, r, r + 1, offset))
                    mass = 1.0 / size if size > 0.0 else 0.0
                new0, new1 = friction_impulse(
                    old0, old1, v, w, i0, i1, i2, mass, rows.active_friction[r] * limit
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
            if begin_to_slide(rows, acting, z, threshold):
                converged = False
        if converged:
            made = number + 1
            break
    if remember and hesitant:
        remember_sliding(rows, acting)
    return made, change

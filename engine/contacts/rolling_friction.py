"""Rolling and torsional friction: rows of a contact against turning, besides those against sliding.

A pair of rows on the relative angular velocity about the two tangents, whose impulse lies in a disc of
radius rolling friction [m] times the normal impulse, resists rolling in all directions alike; one on that
about the normal, whose partner is empty, resists spinning. They are friction pairs like that against sliding
and need nothing of the solvers. Contacts without such values do not have these rows.

What resists spinning is what resists sliding, on a patch: it holds more while it sticks by the same factor.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner, kernel
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.bodies.material import combine
from stoss.engine.constraints.islands import Sources
from stoss.engine.constraints.rows import FRICTION, SECOND_TANGENT, start_row, write_nothing, write_torque

__all__ = [
    "ROLLING",
    "TORSION",
    "add_turning_rows",
    "find_resistance",
    "recall_turning",
    "remember_turning",
    "row_count",
    "write_turning",
]

# What a contact resists: the sum of these, each a pair of rows.
ROLLING, TORSION = 1, 2


@inner
def row_count(resists):
    """Return how many rows a contact has: normal, two tangents, and a pair for each that it resists."""
    return 3 + 2 * (resists & ROLLING) + (resists & TORSION)


@kernel
def find_resistance(sources: Sources, bodies: BodyArrays, rule: int, any_resists: bool) -> None:
    """Write what each contact resists besides sliding, if anyone does, and how many rows that takes."""
    for c in range(len(sources.resists)):
        resists = 0
        if any_resists:
            a, b = sources.first[c], sources.second[c]
            if combine(rule, bodies.rolling_friction[a], bodies.rolling_friction[b]) > 0.0:
                resists += ROLLING
            if combine(rule, bodies.torsional_friction[a], bodies.torsional_friction[b]) > 0.0:
                resists += TORSION
        sources.resists[c], sources.extra[c] = resists, row_count(resists) - 3


@inner
def _add_row(rows, r, coefficient, sticking, axis, a, b, bodies, sqrt_inverse_inertia):
    """Write a row on the angular velocity of body a relative to b about `axis` (3)."""
    direction = (axis[0], axis[1], axis[2])
    write_torque(rows, r, 0, 1.0, direction, bodies, sqrt_inverse_inertia, a)
    write_torque(rows, r, 1, -1.0, direction, bodies, sqrt_inverse_inertia, b)
    rows.friction[r], rows.static_friction[r] = coefficient, sticking


@inner
def add_turning_rows(rows, r, resists, axes, a, b, bodies, sqrt_inverse_inertia, rule):
    """Build the rows from r on, behind the three of their contact; return the row behind them."""
    normal = r - 3
    for i in range(row_count(resists) - 3):
        start_row(rows, r + i, FRICTION if i % 2 == 0 else SECOND_TANGENT, -np.inf, np.inf)
    if resists & ROLLING:
        rolling = combine(rule, bodies.rolling_friction[a], bodies.rolling_friction[b])
        _add_row(rows, r, rolling, rolling, axes[1], a, b, bodies, sqrt_inverse_inertia)
        _add_row(rows, r + 1, rolling, rolling, axes[2], a, b, bodies, sqrt_inverse_inertia)
        r += 2
    if resists & TORSION:
        torsion = combine(rule, bodies.torsional_friction[a], bodies.torsional_friction[b])
        slides, sticks = rows.friction[normal + 1], rows.static_friction[normal + 1]
        sticking = torsion * sticks / slides if sticks > slides > 0.0 else torsion
        _add_row(rows, r, torsion, sticking, axes[0], a, b, bodies, sqrt_inverse_inertia)
        write_nothing(rows, r + 1, 0)
        write_nothing(rows, r + 1, 1)
        rows.friction[r + 1], rows.static_friction[r + 1] = torsion, sticking
        r += 2
    return r


@inner
def write_turning(bias, r, resists, axes, wa, wb):
    """Write the relative angular velocity [rad/s] into the biases of the rows from r on."""
    x, y, z = wa[0] - wb[0], wa[1] - wb[1], wa[2] - wb[2]
    if resists & ROLLING:
        bias[r] = axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z
        bias[r + 1] = axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z
        r += 2
    if resists & TORSION:
        bias[r] = axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z
        bias[r + 1] = 0.0


@inner
def remember_turning(impulse, state, r, resists, axes, turn_impulse, states):
    """Write the impulses of the rows from r on as a world vector, and their states."""
    turn_impulse[:] = 0.0
    if resists & ROLLING:
        for i in range(3):
            turn_impulse[i] += impulse[r] * axes[1, i] + impulse[r + 1] * axes[2, i]
        states[2] = state[r]
        r += 2
    if resists & TORSION:
        for i in range(3):
            turn_impulse[i] += impulse[r] * axes[0, i]
        states[3] = state[r]


@inner
def recall_turning(impulse, state, r, resists, axes, turn_impulse, states):
    """Give the rows from r on the impulses and states that `remember_turning` wrote."""
    p = q = s = 0.0
    for i in range(3):
        p += axes[0, i] * turn_impulse[i]
        q += axes[1, i] * turn_impulse[i]
        s += axes[2, i] * turn_impulse[i]
    if resists & ROLLING:
        impulse[r], impulse[r + 1] = q, s
        state[r] = state[r + 1] = states[2]
        r += 2
    if resists & TORSION:
        impulse[r], impulse[r + 1] = p, 0.0
        state[r] = state[r + 1] = states[3]

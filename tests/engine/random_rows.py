"""Random systems of rows for the tests of the solvers, and a slow dense reference."""

import numpy as np

from stoss.engine.constraints.rows import BOUNDED, FRICTION, SECOND_TANGENT, Rows, finish_rows


def make_rows(blocks: list[tuple[int, int]], rows_per_block: int, rng: np.random.Generator) -> Rows:
    """Return equality rows with random jacobians between the given pairs of bodies (-1: does not react)."""
    rows = Rows.zeros(blocks=len(blocks), rows=rows_per_block * len(blocks))
    rows.bodies[:] = blocks
    rows.start[:] = rows_per_block * np.arange(len(blocks) + 1)
    rows.jacobian[:] = rng.normal(size=rows.jacobian.shape)
    for k, (a, b) in enumerate(blocks):
        part = rows.jacobian[rows.start[k] : rows.start[k + 1]]
        if a < 0:
            part[:, :6] = 0.0
        if b < 0:
            part[:, 6:] = 0.0
    rows.softness[:] = 0.0
    rows.bias[:] = rng.normal(size=len(rows.bias))
    rows.lower[:], rows.upper[:] = -np.inf, np.inf
    rows.kind[:] = BOUNDED
    rows.impulse[:] = 0.0
    rows.state[:] = 0
    rows.friction[:] = rows.static_friction[:] = 0.0
    finish_rows(rows, 0, len(rows.bias))
    return rows


def make_contacts(blocks: list[tuple[int, int]], mu: float, rng: np.random.Generator) -> Rows:
    """Return contact rows (normal and two tangents) with random jacobians and approaching normals."""
    rows = make_rows(blocks, 3, rng)
    rows.lower[0::3] = 0.0
    rows.kind[1::3], rows.kind[2::3] = FRICTION, SECOND_TANGENT
    rows.friction[:] = rows.static_friction[:] = mu
    finish_rows(rows, 0, len(rows.bias))
    return rows


def dense(rows: Rows, bodies: int) -> np.ndarray:
    """Return the mass-weighted Jacobian as a dense matrix (rows, 6 bodies)."""
    full = np.zeros((len(rows.bias), 6 * bodies))
    for k, (a, b) in enumerate(rows.bodies):
        for r in range(rows.start[k], rows.start[k + 1]):
            if a >= 0:
                full[r, 6 * a : 6 * a + 6] += rows.jacobian[r, :6]
            if b >= 0:
                full[r, 6 * b : 6 * b + 6] += rows.jacobian[r, 6:]
    return full

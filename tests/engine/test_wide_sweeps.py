"""Sweeps over several blocks at once: bit by bit the numbers of sweeps over one block after the other."""

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Ball, Hinge, Material, Settings, World
from stoss.engine.constraints.rows import BOUNDED, FRESH, FRICTION, SECOND_TANGENT, SLIDING, Rows, finish_rows
from stoss.engine.solvers.gauss_seidel import sweep, sweep_islands
from tests.engine.plain_sweep import plain_sweep
from tests.engine.worlds import random_quaternion, world_with_floor


def random_system(rng: np.random.Generator, bodies: int, blocks: int, *, kinds: str) -> Rows:
    """Return rows of random blocks between random bodies; `kinds` names those there are.

    c: contacts with sliding friction, r: also with rolling and torsional friction, j: joints of one to six
    rows with limits, motors and springs, s: single rows, as of a separation.
    """
    pairs = []
    while len(pairs) < blocks:
        a, b = rng.integers(-1 if rng.random() < 0.3 else 0, bodies, 2)
        if a != b:
            # several contacts between the same two, as between faces of boxes
            pairs += [(int(a), int(b))] * int(rng.integers(1, 5))
    pairs = pairs[:blocks]
    chosen = rng.choice(list(kinds), len(pairs))
    counts = {"c": 3, "r": 3, "s": 1}
    sizes = np.array([counts.get(kind) or int(rng.integers(1, 7)) for kind in chosen])
    turning = np.array([2 * int(rng.integers(1, 3)) if kind == "r" else 0 for kind in chosen])
    rows = Rows.zeros(blocks=len(pairs), rows=int((sizes + turning).sum()))
    rows.bodies[:] = pairs
    rows.start[1:] = np.cumsum(sizes + turning)
    rows.jacobian[:] = rng.normal(size=rows.jacobian.shape) * 10.0 ** rng.uniform(-1, 1, (len(rows.bias), 1))
    rows.bias[:] = rng.normal(size=len(rows.bias))
    rows.impulse[:] = np.where(rng.random(len(rows.bias)) < 0.5, rng.normal(size=len(rows.bias)), 0.0)
    rows.state[:] = rng.choice([FRESH, SLIDING], len(rows.bias))
    for block, kind in enumerate(chosen):
        _fill_block(rows, block, kind, rng)
    finish_rows(rows, 0, len(rows.bias))
    return rows


def _fill_block(rows: Rows, block: int, kind: str, rng: np.random.Generator) -> None:
    first, last = rows.start[block], rows.start[block + 1]
    part = slice(first, last)
    for half in range(2):
        if rows.bodies[block, half] < 0:
            rows.jacobian[part, 6 * half : 6 * half + 6] = 0.0
    rows.kind[part] = BOUNDED
    rows.lower[part], rows.upper[part] = -np.inf, np.inf
    if kind == "j":
        soft = rng.random(last - first) < 0.3
        rows.softness[part] = np.where(soft, rng.uniform(0.1, 2.0, last - first), 0.0)
        limited = rng.random(last - first) < 0.3
        rows.lower[part] = np.where(limited, rng.choice([0.0, -0.3], last - first), -np.inf)
        rows.upper[part] = np.where(rng.random(last - first) < 0.3, 0.5, np.inf)
        return
    rows.lower[first] = 0.0
    rows.impulse[first] = abs(rows.impulse[first])
    if rng.random() < 0.3:
        rows.upper[first] = rows.impulse[first] = 0.0
        rows.impulse[part] = 0.0
    rows.kind[first + 1 : last : 2], rows.kind[first + 2 : last : 2] = FRICTION, SECOND_TANGENT
    rows.friction[part] = rng.uniform(0.0, 1.0)
    rows.static_friction[part] = rows.friction[first] + rng.choice([0.0, 0.3])
    if kind == "r" and rng.random() < 0.5:  # what resists spinning has an empty partner
        rows.jacobian[last - 1] = rows.impulse[last - 1] = 0.0


@pytest.mark.parametrize("kinds", ["c", "s", "j", "cr", "cj", "crj"])
@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_wide_sweeps_are_sweeps(kinds, frozen, seed):
    """Come to the same impulses, velocities, states and last change as sweeps over one row after the other.

    With `frozen` some bodies are not moved, as in shock propagation.
    """
    rng = np.random.default_rng([seed, *kinds.encode()])
    bodies = int(rng.integers(2, 40))
    rows = random_system(rng, bodies, int(rng.integers(1, 120)), kinds=kinds)
    level, below = (rng.integers(0, 4, bodies), 2) if frozen else (np.zeros(0, np.int64), -1)
    blocks = np.flatnonzero(rng.random(len(rows.bodies)) < 0.9)
    if frozen:  # each block has a body that moves
        blocks = blocks[((rows.bodies[blocks] >= 0) & (level[rows.bodies[blocks]] >= below)).any(axis=1)]
    z = rng.normal(size=(bodies, 6))
    other, other_z = rows.copy(), z.copy()
    sweeps = int(rng.integers(1, 12))
    tolerance = 10.0 ** rng.uniform(-3, 0)
    result = sweep(rows, blocks, z, sweeps, tolerance, level, below, True)
    assert result == plain_sweep(other, blocks, other_z, sweeps, tolerance, level, below, True)
    assert np.array_equal(z, other_z)
    for (name, mine), plain in zip(rows.items(), other, strict=True):
        assert np.array_equal(mine, plain), name


@pytest.mark.parametrize("seed", range(12))
def test_islands_that_share_lanes_are_swept_as_alone(seed):
    """Sweep each of several islands as if it were the only one, until it alone has converged."""
    rng = np.random.default_rng(seed)
    islands, each = int(rng.integers(2, 9)), 12
    rows = random_system(rng, each * islands, 16 * islands, kinds="crj" if seed % 2 else "c")
    # bodies of island k are those from each k on
    home = np.sort(rng.integers(0, islands, len(rows.bodies)))
    rows.bodies[:] = np.where(rows.bodies >= 0, rows.bodies % each + each * home[:, None], -1)
    apart = rows.bodies[:, 0] != rows.bodies[:, 1]
    blocks = np.flatnonzero(apart)
    start = np.searchsorted(home[blocks], np.arange(islands + 1))
    z = rng.normal(size=(each * islands, 6))
    other, other_z, changes = rows.copy(), z.copy(), np.full(islands, np.nan)
    nothing = np.zeros(0, np.int64)
    still = rng.uniform(0.1, 0.5, islands)
    made = sweep_islands(rows, blocks, start, z, 30, still, nothing, -1, True, changes)
    alone = [
        plain_sweep(other, blocks[start[k] : start[k + 1]], other_z, 30, still[k], nothing, -1, True)
        for k in range(islands)
    ]
    assert made == max(count for count, _ in alone)
    assert changes.tolist() == [change for _, change in alone]
    assert np.array_equal(z, other_z)
    for (name, mine), plain in zip(rows.items(), other, strict=True):
        assert np.array_equal(mine, plain), name


def heap_with_joints(seed: int) -> World:
    """Return a heap of boxes and balls with hinges, stops, a ball joint and all kinds of friction."""
    rng = np.random.default_rng(seed)
    world = world_with_floor(settings=Settings(solver="gauss_seidel"))
    bodies = []
    for k in range(18):
        turning = 0.01 if k % 3 == 0 else 0.0
        material = Material(
            friction=0.3,
            static_friction=0.6 if k % 2 else 0.3,
            rolling_friction=turning,
            torsional_friction=turning if k % 6 else 0.0,
        )
        bodies.append(
            world.add_body(
                Box((0.5, 0.4, 0.3)) if k % 4 else Sphere(0.25),
                position=(0.55 * (k % 3), 0.55 * (k // 3 % 3), 0.3 + 0.5 * (k // 9)),
                quaternion=random_quaternion(rng),
                mass=float(rng.uniform(0.5, 2.0)),
                material=material,
            )
        )
    for k in range(3):
        middle = 0.5 * (bodies[4 * k].position + bodies[4 * k + 1].position)
        hinge = world.add_joint(Hinge(middle, (0, 1, 0)), bodies[4 * k], bodies[4 * k + 1])
        hinge.limit(-0.5, 0.5)
    world.add_joint(Ball(bodies[16].position), bodies[16], bodies[17])
    return world


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_a_heap_are_swept_as_one_by_one(seed):
    """Come to the same numbers with rows of a heap in motion: joints, stops, static and turning friction."""
    world = heap_with_joints(seed)
    for _ in range(2):
        world.step(20)
        system = world._stepper.system
        rows, level = system.rows.copy(), np.zeros(0, np.int64)
        assert len(rows.bodies) > 20 and system.system.has_joints.any()
        rows.bias += np.random.default_rng(seed).normal(size=len(rows.bias))
        z = np.zeros((len(world.positions), 6))
        other, other_z = rows.copy(), z.copy()
        blocks = np.arange(len(rows.bodies))
        result = sweep(rows, blocks, z, 6, 1e-9, level, -1, True)
        assert result == plain_sweep(other, blocks, other_z, 6, 1e-9, level, -1, True)
        assert np.array_equal(z, other_z) and np.array_equal(rows.impulse, other.impulse)
        assert np.array_equal(rows.state, other.state)

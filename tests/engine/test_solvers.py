"""The two solvers on random systems of rows, against dense algebra and against each other."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace
from stoss.collision.kernels.tables import Table
from stoss.engine import Fixed, World
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.constraints.islands import Islands, find_islands
from stoss.engine.constraints.rows import Rows, redress, yield_row
from stoss.engine.solvers.arrays import DIRECT, SolverArrays
from stoss.engine.solvers.contact_graph import ContactGraph
from stoss.engine.solvers.direct import solve_island
from stoss.engine.solvers.elimination import FactorStructure, analyse
from stoss.engine.solvers.factors import DirectWorkspace
from stoss.engine.solvers.gauss_seidel import sweep
from tests.engine.random_rows import dense, make_contacts, make_rows

TOLERANCE = 1e-9


def one_island(pairs: np.ndarray, bodies: int) -> tuple[Islands, FactorStructure]:
    """Return the island of blocks between pairs of bodies (p, 2), and its structure."""
    islands = find_islands(pairs[:, 0].copy(), pairs[:, 1].copy(), np.full(bodies, DYNAMIC))
    assert len(islands.block_start) == 2, "the tests build one island"
    columns, room = len(islands.bodies), bodies * bodies
    table = Table(
        FactorStructure, bodies=bodies, columns=columns, islands=1, pairs=len(islands.pairs), blocks=room
    )
    old, limits, match = FactorStructure.zeros(), np.array([np.inf]), np.array([-1])
    table.resize(blocks=analyse(islands, limits, match, old, table.arrays))
    return islands, table.arrays


def solve_directly(rows: Rows, bodies: int, tolerance: float = TOLERANCE) -> tuple[np.ndarray, tuple]:
    """Return z and the statistics of the direct solver, all blocks as one island.

    It starts from the impulses that the rows have, which are in z then.
    """
    islands, structure = one_island(rows.bodies, bodies)
    solver = SolverArrays(
        methods=np.array([DIRECT]),
        known=np.zeros(1, bool),
        failed=np.zeros(1, bool),
        yields=np.zeros(1, bool),
        patient=np.zeros(1, bool),
        enough=np.zeros(1),
        still=np.zeros(1),
        structure=structure,
        work=DirectWorkspace.zeros(columns=bodies, blocks=len(structure.row), rows=len(rows.bias)),
        graph=ContactGraph.zeros(bodies=bodies, islands=1, blocks=len(rows.bodies)),
        step=np.zeros(1, np.int64),
        searches=np.zeros((bodies, 3), np.int64),
        splits=np.zeros((bodies, 3), np.int64),
    )
    z = (rows.impulse @ dense(rows, bodies)).reshape(bodies, 6)
    return z, solve_island(rows, z, islands, solver, 0, tolerance, False, True, np.inf, True)[:4]


def chain(count: int) -> list[tuple[int, int]]:
    """Return the blocks of a chain of bodies hung at one end."""
    return [(-1, 0)] + [(i, i + 1) for i in range(count - 1)]


@pytest.mark.parametrize("seed", range(5))
def test_direct_solves_equalities_like_dense_algebra(seed):
    """Solve random equality rows of a graph with loops as the dense least-norm solution does."""
    rng = np.random.default_rng(seed)
    bodies = 12
    blocks = chain(bodies) + [(int(a), int(b)) for a, b in rng.integers(0, bodies, (3, 2)) if a != b]
    rows = make_rows(blocks, 3, rng)
    z, (_, _, sweeps, residual) = solve_directly(rows, bodies)
    g = dense(rows, bodies)
    expected = -np.linalg.lstsq(g @ g.T, rows.bias, rcond=1e-12)[0] @ g
    assert sweeps == 0 and residual <= TOLERANCE
    assert np.abs(z.ravel() - expected).max() < 1e-7
    assert np.abs(rows.impulse @ g - z.ravel()).max() < 1e-10


def test_redundant_rows_need_no_care():
    """Meet consistent redundant rows (each row twice) to the tolerance, with the same motion as without."""
    rng = np.random.default_rng(1)
    rows = make_rows(chain(6), 3, rng)
    once, _ = solve_directly(rows, 6)
    twice = make_rows([b for b in chain(6) for _ in range(2)], 3, rng)
    for k in range(6):
        for copy in range(2):
            twice.jacobian[3 * (2 * k + copy) : 3 * (2 * k + copy) + 3] = rows.jacobian[3 * k : 3 * k + 3]
            twice.bias[3 * (2 * k + copy) : 3 * (2 * k + copy) + 3] = rows.bias[3 * k : 3 * k + 3]
    twice.effective_mass[:] = 1.0 / (twice.jacobian**2).sum(axis=1)
    z, (_, _, sweeps, residual) = solve_directly(twice, 6)
    assert sweeps == 0 and residual <= TOLERANCE
    assert np.abs(z - once).max() < 1e-7


@pytest.mark.parametrize("seed", range(20))
def test_direct_obeys_signorini_and_coulomb(seed):
    """Find impulses that push only where surfaces meet and that oppose sliding at the edge of the cone."""
    rng = np.random.default_rng(seed)
    bodies, mu = 8, 0.6
    rows = make_contacts(chain(bodies) + [(-1, 3), (0, 2), (4, 7)], mu, rng)
    z, (_, _, _, residual) = solve_directly(rows, bodies)
    velocity = dense(rows, bodies) @ z.ravel() + rows.bias
    normal, vn = rows.impulse[0::3], velocity[0::3]
    tangent = np.stack([rows.impulse[1::3], rows.impulse[2::3]], axis=1)
    vt = np.stack([velocity[1::3], velocity[2::3]], axis=1)
    assert residual <= 1e-6
    assert normal.min() >= -1e-7 and vn.min() >= -1e-6
    assert np.abs(normal * vn).max() < 1e-5
    size = np.linalg.norm(tangent, axis=1)
    assert (size <= mu * normal + 1e-6).all()
    sliding = np.linalg.norm(vt, axis=1) > 1e-5
    assert np.abs(size - mu * normal)[sliding].max(initial=0) < 1e-5
    assert (tangent * vt).sum(axis=1)[sliding] == pytest.approx(
        -(size * np.linalg.norm(vt, axis=1))[sliding], rel=1e-4, abs=1e-7
    )


@pytest.mark.parametrize("seed", range(5))
def test_direct_and_sweeps_agree(seed):
    """Give the same impulses by both solvers where rows are independent and the solution is unique."""
    rng = np.random.default_rng(100 + seed)
    bodies = 6
    direct = make_contacts(chain(bodies), 0.3, rng)
    swept = Rows(*(field.copy() for field in direct))
    z, _ = solve_directly(direct, bodies, 1e-11)
    y = np.zeros((bodies, 6))
    _, change = sweep(swept, np.arange(len(swept.bodies)), y, 20000, 1e-13, np.zeros(0, np.int64), -1, False)
    assert change <= 1e-13
    assert np.abs(z - y).max() < 1e-8
    assert np.abs(direct.impulse - swept.impulse).max() < 1e-7


def yielding(seed: int, slopes: list[float]) -> tuple[Rows, np.ndarray, np.ndarray]:
    """Return rows of a chain, some of which yield by these slopes, in units of their effective mass.

    They have given something else before. Also which they are, and what they are to give at rest.
    """
    rng = np.random.default_rng(seed)
    rows = make_rows(chain(6), 2, rng)
    chosen = rng.permutation(len(rows.bias))[: len(slopes)]
    given = rng.normal(size=len(slopes))
    rows.impulse[chosen] = 5.0 * rng.normal(size=len(slopes))
    for r, impulse, slope in zip(chosen, given, slopes, strict=True):
        # the biases are the velocities now: with what the rows have given so far, which z holds
        yield_row(rows, r, impulse, rows.bias[r], slope * rows.effective_mass[r])
    return rows, chosen, given


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("slope", [0.0, 1e-9, 1e-3, 1.0, 1e3])
def test_what_yields_gives_its_impulse_anew(seed, slope):
    """Give what a row is set to give at a velocity, whatever it gave before, and less by its slope."""
    rows, chosen, given = yielding(seed, [slope, slope])
    before = rows.bias[chosen] + given * rows.softness[chosen]  # less the velocity at which it is given
    z, (_, _, sweeps, _) = solve_directly(rows, 6)
    assert sweeps == 0
    moved = (dense(rows, 6) @ z.ravel())[chosen]
    wanted = given - slope * rows.effective_mass[chosen] * (moved + before)
    assert rows.impulse[chosen] == pytest.approx(wanted, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_are_given_count_by_what_they_move(seed):
    """Solve what is next to rows that only give an impulse to the tolerance; they hinder it in nothing.

    They miss their velocity by 1e12 times what they would change it.
    """
    rows, chosen, _ = yielding(seed, [0.0, 0.0, 1e-8, 2.0])
    z, (factorisations, passes, sweeps, residual) = solve_directly(rows, 6)
    assert sweeps == 0 and residual <= TOLERANCE and factorisations <= 2 and passes <= 8
    held = np.setdiff1d(np.arange(len(rows.bias)), chosen)
    assert np.abs((dense(rows, 6) @ z.ravel() + rows.bias)[held]).max() <= TOLERANCE
    for r in range(len(rows.bias)):
        own = rows.inverse_effective_mass[r]
        assert redress(rows, r) == pytest.approx(own / (own + rows.softness[r]), rel=1e-12)


def test_chain_has_no_fill():
    """Eliminate a chain and a tree without fill: as many off-diagonal blocks as joints."""
    for blocks in (chain(40), [(-1, 0)] + [((i - 1) // 2, i) for i in range(1, 63)]):
        bodies = len(blocks)
        _, structure = one_island(np.array(blocks), bodies)
        assert len(structure.row) == bodies - 1


def test_patience_is_for_contacts_that_lean_on_each_other():
    """Search long for the active set of stones at rest, and not where joints may contradict what touches."""
    found = []
    for jointed in (False, True):
        world = World()
        world.add_body(Box((2.0, 2.0, 0.2)), kind="static", position=(0.0, 0.0, -0.1))
        stones = [world.add_body(Box((0.2, 0.2, 0.2)), position=(0.0, 0.0, 0.1 + 0.2 * k)) for k in range(3)]
        if jointed:
            for one, other in zip(stones, stones[1:], strict=False):
                world.add_joint(Fixed(one.position), one, other, collide=True)
        world.step(2)
        found.append(bool(world._stepper.system.solver.arrays.patient.any()))
    assert found == [True, False]


def thrown_box(seed: int) -> World:
    """Return a world in which a box spins and falls on the ground."""
    rng = np.random.default_rng(seed)
    world = World()
    world.add_body(HalfSpace(), kind="static")
    turn, size = rng.normal(size=4), tuple(rng.uniform(0.2, 1.0, 3))
    quaternion = turn / np.linalg.norm(turn)
    box = world.add_body(Box(size), position=(0.0, 0.0, 1.0), quaternion=quaternion, mass=1.0)
    box.velocity = (*(2.0 * rng.normal(size=2)), 0.0)
    box.angular_velocity = 4.0 * rng.normal(size=3)
    return world


@pytest.mark.parametrize("seed", [2, 4, 6, 7, 8, 12, 14, 18, 19, 20, 21, 25, 27, 28, 35, 49, 66, 118, 128])
def test_what_sticks_and_what_slides_is_found_in_few_factorisations(seed):
    """Let a box slide to rest on four corners, which hold it several times over."""
    world = thrown_box(seed)
    for _ in range(150):
        report = world.step()
        assert report.factorisations <= 80  # of two searches, and of one more from what sweeps make
        assert report.residual < 1e-5


@pytest.mark.parametrize("mu", [0.3, 0.6])
def test_random_contacts_need_few_factorisations(mu):
    """Find the set of three bodies with four contacts, none of which is known before."""
    counts = []
    for seed in range(100):
        rows = make_contacts([*chain(3), (0, 2)], mu, np.random.default_rng(seed))
        _, (factorisations, _, sweeps, _) = solve_directly(rows, 3)
        assert sweeps == 0
        counts.append(factorisations)
    assert max(counts) <= 20

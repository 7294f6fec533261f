"""Levels of the contact graph, and sweeps that are ended by a traversal from the ground up."""

from dataclasses import replace

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Ball, Settings, World
from stoss.engine.bodies.arrays import DYNAMIC, STATIC
from stoss.engine.constraints.islands import Islands, find_islands
from stoss.engine.constraints.rows import Rows, finish_rows
from stoss.engine.solvers.arrays import SWEEPS
from stoss.engine.solvers.contact_graph import ContactGraph, find_graph
from stoss.engine.solvers.gauss_seidel import sweep
from stoss.engine.solvers.shock_propagation import propagate_shock
from tests.engine.random_rows import make_contacts
from tests.engine.worlds import G, check_momentum_of_meeting_cubes, tower, world_with_floor

FEW = Settings(solver="gauss_seidel", sweeps=10)
SHOCK = replace(FEW, shock_propagation=True)


def graph_of(
    reacts: list[bool], contacts: list[tuple[int, int]], joints: list[tuple[int, int]]
) -> tuple[Islands, ContactGraph]:
    """Return islands and graph of contacts and joints between bodies (-1: the world), all wanted."""
    pairs = np.array(contacts + joints)
    kinds = np.where(reacts, DYNAMIC, STATIC)
    islands = find_islands(pairs[:, 0].copy(), pairs[:, 1].copy(), kinds)
    count = len(islands.body_start) - 1
    graph = ContactGraph.zeros(bodies=len(reacts), islands=count, blocks=len(pairs))
    find_graph(islands, len(contacts), True, np.full(count, SWEEPS), graph)
    return islands, graph


def test_levels_of_a_brick_wall():
    """Give each course of a wall one level: cycles of bricks do not merge."""
    courses, columns = 4, 5
    contacts = []

    def brick(course: int, column: int) -> int:
        return 1 + course * columns + column

    for course in range(courses):
        for column in range(columns):
            if course == 0:
                contacts.append((brick(0, column), 0))
            else:
                contacts.append((brick(course, column), brick(course - 1, column)))
                if column + 1 < columns:
                    contacts.append((brick(course, column), brick(course - 1, column + 1)))
            if column > 0:
                contacts.append((brick(course, column), brick(course, column - 1)))
    contacts.reverse()
    islands, graph = graph_of([False] + [True] * courses * columns, contacts, [])
    assert graph.grounded.tolist() == [True]
    assert graph.level[0] == -1
    assert (graph.level[1:].reshape(courses, columns) == np.arange(1, courses + 1)[:, None]).all()
    edges = [
        max(graph.level[a], graph.level[b]) for a, b in (contacts[islands.order[k]] for k in graph.order)
    ]
    assert edges == sorted(edges)


def test_ground_is_what_is_touched_else_what_is_joined_to():
    """Count levels from static bodies that are touched; joints to the world count where none is."""
    reacts = [False] + [True] * 8
    # a pendulum (3) that leans on a stack of two on the ground; a chain 4-5-6 on a joint; 7-8 in free flight
    contacts = [(1, 0), (2, 1), (3, 2), (7, 8)]
    joints = [(-1, 3), (4, -1), (4, 5), (5, 6)]
    _, graph = graph_of(reacts, contacts, joints)
    assert graph.level.tolist() == [-1, 1, 2, 3, 1, 2, 3, 0, 1]
    assert graph.grounded.tolist() == [True, True, False]


@pytest.mark.parametrize("seed", range(5))
def test_levels_are_shortest_distances(seed):
    """Find the distances that relaxation of all edges ends with, and sort the blocks of each island."""
    rng = np.random.default_rng(seed)
    bodies = 40
    reacts = (rng.random(bodies) > 0.1).tolist()
    pairs = [
        (int(a), int(b)) for a, b in rng.integers(0, bodies, (50, 2)) if a != b and (reacts[a] or reacts[b])
    ]
    islands, graph = graph_of(reacts, pairs, [])
    expected = np.full(bodies, 10**6)
    for island in range(len(graph.grounded)):
        members = islands.bodies[islands.body_start[island] : islands.body_start[island + 1]]
        if not graph.grounded[island]:
            expected[members[0]] = 0
    for _ in range(bodies):
        for a, b in pairs:
            for i, j in ((a, b), (b, a)):
                if reacts[i]:
                    expected[i] = min(expected[i], expected[j] + 1 if reacts[j] else 1)
    member = np.isin(np.arange(bodies), islands.bodies)
    assert (graph.level[member] == expected[member]).all()
    for island in range(len(graph.grounded)):
        part = graph.order[islands.block_start[island] : islands.block_start[island + 1]]
        heights = [max(graph.level[i] for i in pairs[islands.order[k]]) for k in part]
        assert heights == sorted(heights)
        for height in set(heights):  # blocks of one level in their own order
            same = [k for k, level in zip(part, heights, strict=True) if level == height]
            assert same == sorted(same)
    assert (np.sort(graph.order) == np.arange(len(pairs))).all()


def copied(rows: Rows) -> Rows:
    """Return a copy of rows."""
    return Rows(*(field.copy() for field in rows))


def test_frozen_bodies_are_as_the_ground():
    """Solve with frozen bodies as if their halves of the rows were constant velocities of the ground."""
    rng = np.random.default_rng(3)
    blocks = [(0, 1), (1, 2), (2, -1), (0, 2)]
    rows = make_contacts(blocks, 0.4, rng)
    rows.kind[3:6], rows.lower[3:6] = 0, -np.inf  # the second block is a joint
    z = rng.normal(size=(3, 6))
    level = np.array([1, 2, 3])
    rows.softness[4] = 0.5
    finish_rows(rows, 0, len(rows.bias))
    frozen, plain = copied(rows), copied(rows)
    for k, (a, _) in enumerate(blocks):
        if a == 0:
            part = slice(rows.start[k], rows.start[k + 1])
            plain.bias[part] += plain.jacobian[part, :6] @ z[0]
            plain.jacobian[part, :6] = 0.0
            plain.bodies[k, 0] = -1
    finish_rows(plain, 0, len(rows.bias))
    y, x = z.copy(), z.copy()
    order = np.arange(len(blocks))
    for changed, out, below in ((frozen, y, 2), (plain, x, -1)):
        sweep(changed, order, out, 30, 0.0, level, below, False)
    assert np.abs(frozen.impulse).max() > 0.1
    assert (y[0] == z[0]).all()
    assert np.abs(frozen.impulse - plain.impulse).max() < 1e-11
    assert np.abs(y - x).max() < 1e-11


def test_traversal_satisfies_a_tower_of_rows():
    """Leave no row of a chain of contacts violated, and impulses only on the upper body of each."""
    rng = np.random.default_rng(5)
    bodies = 12
    blocks = [(0, -1)] + [(i + 1, i) for i in range(bodies - 1)]
    rows = make_contacts(blocks, 0.2, rng)
    level = np.arange(1, bodies + 1)
    z = np.zeros((bodies, 6))
    change = propagate_shock(rows, np.arange(bodies), z, level, 1e-12)
    assert change <= 1e-12
    for k in range(bodies):
        r = rows.start[k]
        assert np.abs(rows.impulse[r : r + 3] @ rows.jacobian[r : r + 3, :6] - z[k]).max() < 1e-11
        below = rows.jacobian[r, 6:] @ z[k - 1] if k > 0 else 0.0
        v = rows.jacobian[r, :6] @ z[k] + below + rows.bias[r]
        assert v > -1e-11 and abs(v * rows.impulse[r]) < 1e-11


@pytest.mark.parametrize("bodies", [20, 50])
def test_tower_stands_with_ten_sweeps(bodies):
    """Keep a tower of cubes standing for 5 s with ten sweeps, which alone let it lean, or fall.

    A row of the correction is left with a change of at most position_tolerance / h in its velocity, and is
    right to about that: each of the gaps below a cube may miss by position_tolerance, at any time, on one
    side of the cube or the other, so each level may tilt by twice that, and the top moves by the sum.
    """
    worlds = [tower(bodies, settings=settings) for settings in (SHOCK, FEW)]
    start = worlds[0].positions.copy()
    moved = []
    for world in worlds:
        world.step(500)
        moved.append(np.abs(world.positions - start).max())
    assert moved[0] < bodies**2 * 1e-6
    assert moved[1] > 10.0 * bodies**2 * 1e-6
    assert worlds[0].report.kinetic_energy < 1e-9


def test_fallen_tower_comes_to_rest():
    """Stop a tower that falls by 20 cm onto the floor at once, cubes on each other, without much overlap."""
    depths = []
    for settings in (SHOCK, FEW):
        world = tower(10, offset=0.0, settings=settings)
        lifted = world.positions.copy()
        lifted[1:, 2] += 0.2
        world.positions = lifted
        world.step(24)
        depths.append(max(world.step().max_overlap for _ in range(30)))
        if settings.shock_propagation:
            assert np.abs(world.positions[1:, 2] - (0.5 + np.arange(10))).max() < 1e-4
            assert np.abs(world.velocities).max() < 1e-4
    assert depths[0] < 0.1 * depths[1]


def test_body_may_wish_for_sweeps():
    """End the sweeps of a single island by shock propagation, in a world that is solved directly."""
    world = tower(20, settings=replace(SHOCK, solver="direct"))
    world.bodies[5].solver = "gauss_seidel"
    start = world.positions.copy()
    world.step(200)
    assert world.report.direct_islands == 0 and world.report.sweeps > 0
    assert np.abs(world.positions - start).max() < 20**2 * 1e-6


def test_frozen_bodies_are_free_again():
    """Let all cubes of a tower rise together when gravity turns round: nothing stays frozen."""
    world = tower(8, settings=SHOCK)
    world.step(50)
    world.gravity = (0, 0, G)
    world.step(40)
    assert np.abs(world.velocities[1:, 2] - 0.4 * G).max() < 1e-3


def test_hanging_chain_stays_closed():
    """Keep the joints of a chain that hangs on the world closed with three sweeps a phase."""
    errors = []
    for settings in (SHOCK, FEW):
        world = World(settings=replace(settings, sweeps=3))
        before = None
        for k in range(12):
            link = world.add_body(Box((0.1, 0.1, 0.5)), position=(0, 0, -0.25 - 0.5 * k), mass=1.0)
            world.add_joint(Ball((0, 0, -0.5 * k)), before, link)
            before = link
        world.velocities[-1] = (0.5, 0, 0)
        errors.append(max(world.step().joint_error for _ in range(50)))
    assert errors[0] < 1e-5
    assert errors[0] < 0.1 * errors[1]


def test_momentum_in_free_space():
    """Keep momentum and angular momentum of bodies that stand on nothing: their sweeps are left alone."""
    check_momentum_of_meeting_cubes(replace(SHOCK, sweeps=1), 60)


def test_saved_world_continues_bitwise():
    """Continue from a saved state with the same bits, whether or not the step between is redone."""
    world = tower(12, settings=SHOCK)
    world.add_body(Sphere(0.3), position=(0.9, 0.1, 3.2), velocity=(-2, 0, 0), mass=3.0)
    world.step(10)
    state = world.save()
    world.step(30)
    ended = world.state_hash()
    world.restore(state)
    world.step(30)
    assert world.state_hash() == ended


def test_setting_off_changes_nothing():
    """Move bit for bit alike with and without the setting where sweeps that start cold converge."""
    hashes = []
    for shock in (False, True):
        world = world_with_floor(
            settings=Settings(solver="gauss_seidel", sweeps=5000, shock_propagation=shock, warm_start=False)
        )
        world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), velocity=(1, 0, 0), mass=1.0)
        world.step(30)
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("value", [1, "yes", None])
def test_setting_refuses(value):
    """Refuse what is neither true nor false, by name."""
    with pytest.raises(ValueError, match=f"shock_propagation = {value!r} must be True or False"):
        Settings(shock_propagation=value)

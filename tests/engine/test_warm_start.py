"""Phases that start from nothing solve the same rows; starting from the last impulses only saves work."""

import numpy as np
import pytest

from stoss.benchmarks.studies import warm_start
from stoss.collision import Box
from stoss.collision.contacts import ContactArrays
from stoss.engine import Ball, Settings, World
from stoss.engine.contacts.warm_start import ImpulseMemory, find_partner
from tests.engine.worlds import G, tower

COLD = Settings(solver="direct", warm_start=False)


def test_the_direct_solver_finds_the_same_from_a_cold_start():
    """Keep a stack at rest with the same impulses from either start, from nothing with more work."""
    warm, cold = tower(5, settings=Settings(solver="direct")), tower(5, settings=COLD)
    passes = np.zeros(2)
    for _ in range(50):
        passes += warm.step().refinements, cold.step().refinements
    assert np.abs(cold.positions - warm.positions).max() < 1e-9
    floor = warm.contacts.body_a[: warm.contacts.count] == 0
    for world in (warm, cold):
        # both ends of the step count: the whole weight over the whole step
        assert np.abs(world.contact_impulses[floor, 2].sum()) == pytest.approx(5 * G * 0.01, rel=1e-6)
    # from nothing each of the two phases of a step needs a pass at least
    assert passes[1] >= 2 * 50 and passes[0] < passes[1]


def test_sweeps_gain_by_a_warm_start():
    """Let a stack sink deeper when its sweeps start from nothing in every phase."""
    overlaps = []
    for start in (True, False):
        world = tower(10, settings=Settings(solver="gauss_seidel", warm_start=start))
        overlaps.append(max(world.step().max_overlap for _ in range(100)))
    assert overlaps[1] > overlaps[0]


@pytest.mark.parametrize(
    "old, new, partners",
    [
        ({1: 0.0, 2: 1.0}, {2: 1.1, 1: 0.1}, [1, 0]),  # by their features, wherever they are
        ({1: 0.0, 2: 1.0}, {1: 0.1, 7: 1.1}, [0, 1]),  # the nearest that has lost its feature
        ({1: 0.0, 2: 1.0}, {1: 0.9, 7: 1.1}, [0, 1]),
        ({1: 0.0, 2: 1.0}, {7: 0.1, 2: 1.1}, [0, 1]),
        ({1: 0.0, 2: 1.0}, {1: 0.0, 2: 1.0, 7: 0.9}, [0, 1, -1]),  # no one's place is taken
        ({1: 0.0}, {7: 0.2, 8: -0.1}, [-1, 0]),  # the nearer one of two
        ({1: 0.0, 2: 1.0}, {7: 0.9, 8: 0.2}, [1, 0]),
        ({}, {1: 0.0}, [-1]),
    ],
)
def test_a_point_that_changes_its_feature_keeps_its_impulse(old, new, partners):
    """Find old points again, given as features with their places on a line."""
    memory, contacts = ImpulseMemory.zeros(contacts=len(old)), ContactArrays.zeros(contacts=len(new))
    memory.feature[:], memory.place[:, 0] = list(old), list(old.values())
    contacts.feature[:] = list(new)
    contacts.point_a[:, 0] = contacts.point_b[:, 0] = list(new.values())
    count = len(new)
    assert [find_partner(memory, 0, len(old), contacts, 0, count, k) for k in range(count)] == partners


def test_joint_reactions_count_both_ends_of_a_cold_step():
    """Report the weight that hangs on a joint, whatever the rows started from."""
    world = World(settings=COLD)
    bob = world.add_body(Box((0.1, 0.1, 0.1)), position=(0, 0, -1), mass=2.0)
    joint = world.add_joint(Ball((0, 0, 0)), None, bob)
    world.step(20)
    assert joint.force == pytest.approx((0, 0, 2 * G), rel=1e-6, abs=1e-6)


def test_restore_continues_bitwise_from_a_cold_start():
    """Run on from a saved state with the same bits without warm start."""
    world = tower(3, settings=COLD)
    world.step(7)
    state = world.save()
    world.step(10)
    expected = world.state_hash()
    world.restore(state)
    world.step(10)
    assert world.state_hash() == expected


def test_the_setting_is_checked():
    """Refuse anything but True and False."""
    with pytest.raises(ValueError, match="warm_start = 0 must be True or False"):
        Settings(warm_start=0)


def test_the_table_has_a_line_per_start(capsys):
    """Print one line for each case, solver and start, and name wrong arguments."""
    assert warm_start.main(["stack20", "--steps", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [
        ["stack20", solver, start] for solver in warm_start.SOLVERS for start in ("warm", "cold")
    ]
    with pytest.raises(SystemExit):
        warm_start.main(["stack21"])
    assert "no case 'stack21'" in capsys.readouterr().err

"""Models and runs of the baselines: trees, loops, velocities, samples, tables, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from stoss.benchmarks.baselines import (
    BallJointModel,
    BaraffMultipliers,
    DenseMultipliers,
    PenaltyJoint,
    SpringJoint,
    box_model,
    chain_boxes,
    chain_model,
    consistent_velocities,
    evaluate,
    simulate,
    tree_boxes,
    tree_model,
)
from stoss.benchmarks.baselines.__main__ import main
from stoss.benchmarks.baselines.model import tree_order
from stoss.benchmarks.baselines.table import CASES, chain_rows, format_rows, tree_rows
from tests.benchmarks.baseline_models import random_tree, rods, square

MULTIPLIERS = (BaraffMultipliers, DenseMultipliers)
GRAVITY = np.array([0.0, 0.0, -9.81])


@pytest.mark.parametrize("seed", range(3))
def test_tree_order(seed):
    """List every body once, after all bodies whose way to the root leads through it."""
    model = random_tree(seed, bodies=30)
    order = tree_order(model)
    assert sorted(order.body) == list(range(30))
    place = np.argsort(order.body)
    for body in range(30):
        joint, parent = order.joint[body], order.parent[body]
        assert model.joint_bodies[joint, order.side[body]] == body
        assert model.joint_bodies[joint, 1 - order.side[body]] == parent
        assert parent < 0 or place[parent] > place[body]


def test_loops():
    """Hold a loop with the dense method, energy falling as h^4, and refuse it where a tree is needed."""
    model = square()
    drifts = [simulate(model, h, round(0.5 / h), DenseMultipliers()).energy_drift for h in (0.01, 0.005)]
    assert drifts[1] < 1e-6
    assert np.log2(drifts[0] / drifts[1]) > 3.5
    assert simulate(model, 1e-3, 10, SpringJoint(1e4, 1.0)).completed_steps == 10
    for method in (BaraffMultipliers(), PenaltyJoint()):
        with pytest.raises(ValueError, match="closes a loop.*DenseMultipliers"):
            simulate(model, 0.01, 1, method)
    doubled = replace(
        rods(1, 1.0),
        joint_bodies=[[-1, 0], [-1, 0]],
        points_a=np.zeros((2, 3)),
        points_b=[[-0.5, 0, 0]] * 2,
    )
    with pytest.raises(ValueError, match="joint 1 closes a loop"):
        simulate(doubled, 0.01, 1, BaraffMultipliers())


def test_redundant_joints_are_named():
    """Say which joint is one too many instead of dividing by zero."""
    boxes = box_model(chain_boxes(3))
    ends = replace(
        boxes,
        joint_bodies=[*boxes.joint_bodies, [1, 2]],
        points_a=[*boxes.points_a, boxes.points_a[2]],
        points_b=[*boxes.points_b, boxes.points_b[2]],
    )
    with pytest.raises(ValueError, match="remove joint 3"):
        simulate(ends, 0.01, 1, DenseMultipliers())


def test_consistent_velocities_are_a_projection():
    """Leave no joint speed, change nothing the second time, and lose exactly the energy of the change."""
    model = chain_model(10)
    assert np.linalg.norm(model.velocities, axis=1) == pytest.approx(np.full(10, 2.0), rel=1e-14)
    once = consistent_velocities(model)
    twice = consistent_velocities(once)
    assert simulate(once, 0.01, 0, BaraffMultipliers()).joint_speeds[0] < 1e-13
    assert np.abs(twice.velocities - once.velocities).max() < 1e-13
    change = replace(
        model,
        velocities=model.velocities - once.velocities,
        angular_velocities=model.angular_velocities - once.angular_velocities,
    )
    before, after, lost = (
        simulate(replace(part, gravity=(0, 0, 0)), 0.01, 0, BaraffMultipliers()).energies[0]
        for part in (model, once, change)
    )
    assert before == pytest.approx(after + lost, rel=1e-13)
    assert before == pytest.approx(0.5 * 10 * 4.0, rel=1e-13)


@pytest.mark.parametrize(("levels", "mass", "longest"), [(5, 4.686, 0.506), (8, 44.231, 1.709)])
def test_tree_has_the_numbers_of_the_thesis(levels, mass, longest):
    """Have 2^levels - 1 boxes with the total mass and the longest box of the thesis's trees."""
    boxes = tree_boxes(levels)
    assert len(boxes.masses) == 2**levels - 1
    assert boxes.masses.sum() == pytest.approx(mass, abs=5e-4)
    assert boxes.sizes.max() == pytest.approx(longest, abs=5e-4)
    assert boxes.masses[-1] == pytest.approx(0.096, rel=1e-12)
    for drop in (0.0, 0.1):
        assert simulate(tree_model(levels, drop=drop), 0.01, 0, BaraffMultipliers()).joint_error < 1e-15


def test_hanging_chain_stays():
    """Hang at rest, each joint carrying the weight below it."""
    model = box_model(chain_boxes(6))
    for method in MULTIPLIERS:
        acceleration, forces = evaluate(model, method())
        assert np.abs(acceleration).max() < 1e-12
        assert np.abs(forces - np.outer(np.arange(6, 0, -1), -GRAVITY)).max() < 1e-12
    level = chain_boxes(6, horizontal=True)
    assert np.array_equal(level.sizes, np.tile([1.0, 0.1, 0.1], (6, 1)))
    assert np.array_equal(level.positions[:, 0], np.arange(6) + 0.5) and not level.positions[:, 1:].any()


@pytest.mark.parametrize("method", [BaraffMultipliers(5.0, 5.0), DenseMultipliers(), SpringJoint(50.0, 0.1)])
def test_sampling_changes_nothing(method):
    """End in the same bits whether the run is measured after every step or every seven steps."""
    model = replace(tree_model(3, drop=0.1), torque_steps=4)
    often, seldom = (simulate(model, 0.01, 20, method, sample_every=every) for every in (1, 7))
    assert often.completed_steps == 20
    assert np.array_equal(often.positions, seldom.positions)
    assert np.array_equal(often.angular_velocities, seldom.angular_velocities)
    assert seldom.times == pytest.approx([0.0, 0.04, 0.07, 0.14, 0.2])
    assert np.array_equal(seldom.energies, often.energies[[0, 4, 7, 14, 20]])
    assert often.seconds_per_step > 0.0 and often.wall_seconds_per_step > 0.0


@pytest.mark.parametrize(
    "method",
    [SpringJoint(1e9), BaraffMultipliers(2e3, 2e3), DenseMultipliers(2e3, 2e3), PenaltyJoint(1e6, 2e3)],
)
def test_a_run_that_blows_up_says_so(method):
    """Stop, and report the step and infinite errors, when the step is far too long for the stiffness."""
    model = consistent_velocities(chain_model(3))
    result = simulate(model, 0.05, 2000, method)
    assert 0 < result.completed_steps < 2000
    assert result.energy_drift == np.inf and result.joint_error == np.inf
    assert len(result.energies) == result.completed_steps + 1


GOOD = {
    "masses": [1.0, 1.0],
    "inertias": np.ones((2, 3)),
    "positions": np.zeros((2, 3)),
    "quaternions": [[1, 0, 0, 0], [0, 1, 0, 0]],
    "joint_bodies": [[-1, 0], [0, 1]],
    "points_a": np.zeros((2, 3)),
    "points_b": np.zeros((2, 3)),
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"masses": [1.0, 0.0]}, "masses"),
        ({"inertias": [[1, 1, 1], [1, -1, 1]]}, "inertias"),
        ({"inertias": [1, 1, 1]}, "inertias has shape"),
        ({"positions": [[0, 0, np.nan], [0, 0, 0]]}, "(?s)positions.*finite"),
        ({"quaternions": [[1, 0, 0, 0], [1, 1, 0, 0]]}, "quaternions have lengths"),
        ({"velocities": np.zeros((3, 3))}, "velocities has shape"),
        ({"joint_bodies": [[-1, 0], [0, 2]]}, r"joint_bodies\[1\] = \(0, 2\)"),
        ({"joint_bodies": [[-1, 0], [0, -1]]}, r"joint_bodies\[1\]"),
        ({"joint_bodies": [[-1, 0], [1, 1]]}, "two different bodies"),
        ({"joint_bodies": [[-1, 0], [0.5, 1]]}, "whole numbers"),
        ({"joint_bodies": [-1, 0]}, "two columns"),
        ({"points_a": np.zeros((1, 3))}, "points_a has shape"),
        ({"gravity": (0, 0)}, "gravity has shape"),
        ({"torque_steps": -1}, "torque_steps"),
    ],
)
def test_models_refuse_bad_values(change, message):
    """Raise ValueError that names the value."""
    assert BallJointModel(**GOOD).joint_count == 2
    with pytest.raises(ValueError, match=message):
        BallJointModel(**{**GOOD, **change})


def test_methods_and_runs_refuse_bad_values():
    """Raise ValueError or TypeError that names the value."""
    for make, name in (
        (lambda: BaraffMultipliers(alpha=-1.0), "alpha"),
        (lambda: DenseMultipliers(beta=np.nan), "beta"),
        (lambda: PenaltyJoint(strength=0.0), "strength"),
        (lambda: PenaltyJoint(damping=-0.1), "damping"),
        (lambda: SpringJoint(stiffness=np.inf), "stiffness"),
        (lambda: chain_boxes(0), "bodies"),
        (lambda: tree_boxes(0), "levels"),
        (lambda: simulate(chain_model(1), 0.0, 1, BaraffMultipliers()), "time_step"),
        (lambda: simulate(chain_model(1), 0.1, -1, BaraffMultipliers()), "steps"),
        (lambda: simulate(chain_model(1), 0.1, 1, BaraffMultipliers(), sample_every=0), "sample_every"),
    ):
        with pytest.raises(ValueError, match=f"^{name} (=|is) "):
            make()
    with pytest.raises(TypeError, match="method = 'baraff'"):
        simulate(chain_model(1), 0.1, 1, "baraff")


def test_table(capsys):
    """Print one line for each method and model, with the thesis's time beside where there is one."""
    rows = tree_rows(5, steps=2, dense_steps=1) + chain_rows(2, steps=2)
    assert [row.method for row in rows] == 2 * [case.name for case in CASES]
    assert [row.completed_steps for row in rows] == [1] + 9 * [2]
    assert rows[1].thesis_seconds_per_step == pytest.approx(7.72e-3)
    assert len(format_rows(rows).splitlines()) == 12
    assert main(["--levels", "2", "--chains", "--whips", "2", "--steps", "2"]) == 0
    assert "Baraff, 10 divisions" in capsys.readouterr().out

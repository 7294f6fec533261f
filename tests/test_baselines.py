"""Lagrange multipliers and penalty joints: closed forms, reference motions, conservation, a slow oracle."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm
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

MULTIPLIERS = (BaraffMultipliers, DenseMultipliers)
GRAVITY = np.array([0.0, 0.0, -9.81])


def _quaternion(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def _matrix(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _star(r):
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def _rods(count, length):
    """Uniform thin rods of 1 kg in a row along x, hung on the origin, at rest."""
    half = length / 2
    return BallJointModel(
        masses=np.ones(count),
        inertias=np.tile([1e-3, length**2 / 12, length**2 / 12], (count, 1)),
        positions=[[length * (k + 0.5), 0, 0] for k in range(count)],
        quaternions=np.tile([1.0, 0, 0, 0], (count, 1)),
        joint_bodies=[[k - 1, k] for k in range(count)],
        points_a=[[0, 0, 0]] + [[half, 0, 0]] * (count - 1),
        points_b=[[-half, 0, 0]] * count,
    )


def _random_tree(seed, bodies=9, on_world=True):
    """A tree in a random pose and motion, numbered and joined in random order, its joints closed."""
    rng = np.random.default_rng(seed)
    name = rng.permutation(bodies)
    q = np.array([_quaternion(rng) for _ in range(bodies)])
    positions = np.zeros((bodies, 3))
    joints = []
    for k in range(bodies):
        parent = -1 if k == 0 else int(rng.integers(k))
        own, at = rng.normal(size=3), rng.normal(size=3)
        i = name[k]
        if parent < 0:
            positions[i] = at - _matrix(q[i]) @ own
            if on_world:
                joints.append((-1, i, at, own))
            continue
        p = name[parent]
        positions[i] = positions[p] + _matrix(q[p]) @ at - _matrix(q[i]) @ own
        joints.append((p, i, at, own) if rng.random() < 0.5 else (i, p, own, at))
    joints = [joints[k] for k in rng.permutation(len(joints))]
    return BallJointModel(
        masses=rng.uniform(0.5, 2.0, bodies),
        inertias=rng.uniform(1.0, 1.5, (bodies, 3)),
        positions=positions,
        quaternions=q,
        velocities=rng.normal(size=(bodies, 3)),
        angular_velocities=rng.normal(size=(bodies, 3)),
        joint_bodies=[joint[:2] for joint in joints],
        points_a=[joint[2] for joint in joints],
        points_b=[joint[3] for joint in joints],
        gravity=rng.normal(size=3),
        torques=rng.normal(size=(bodies, 3)),
        torque_steps=1,
    )


def _slow_terms(model):
    """Mass matrix, Jacobian, forces, c, C and C' with plain matrices."""
    n, m = model.body_count, model.joint_count
    mass, force = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    v = np.hstack((model.velocities, model.angular_velocities)).ravel()
    for i in range(n):
        rotation = _matrix(model.quaternions[i])
        inertia = rotation @ np.diag(model.inertias[i]) @ rotation.T
        w = model.angular_velocities[i]
        mass[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = model.masses[i] * np.eye(3)
        mass[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = inertia
        force[6 * i : 6 * i + 3] = model.masses[i] * model.gravity
        force[6 * i + 3 : 6 * i + 6] = model.torques[i] - np.cross(w, inertia @ w)
    jacobian, c, gap = np.zeros((3 * m, 6 * n)), np.zeros(3 * m), np.zeros(3 * m)
    for j in range(m):
        rows = slice(3 * j, 3 * j + 3)
        for sign, i, point in zip(
            (-1, 1), model.joint_bodies[j], (model.points_a[j], model.points_b[j]), strict=True
        ):
            if i < 0:
                gap[rows] += sign * point
                continue
            r, w = _matrix(model.quaternions[i]) @ point, model.angular_velocities[i]
            jacobian[rows, 6 * i : 6 * i + 6] = sign * np.hstack((np.eye(3), -_star(r)))
            c[rows] += sign * np.cross(w, np.cross(w, r))
            gap[rows] += sign * (model.positions[i] + r)
    return mass, jacobian, force, c, gap, jacobian @ v


@pytest.mark.parametrize("on_world", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_solves_agree_with_the_whole_system(seed, on_world):
    """Give the accelerations and joint forces of the system of all bodies and joints, solved by numpy."""
    model = _random_tree(seed, on_world=on_world)
    alpha, beta = 3.0, 7.0
    mass, jacobian, force, c, gap, rate = _slow_terms(model)
    for method, compliance, rate_factor, value_factor in (
        (DenseMultipliers(alpha, beta), 0.0, 2 * alpha, beta**2),
        (BaraffMultipliers(alpha, beta), 0.0, 2 * alpha, beta**2),
        (PenaltyJoint(50.0, 4.0, 0.5), 1 / 50.0, 4.0, 16.0),
    ):
        size = len(c)
        whole = np.block([[mass, -jacobian.T], [jacobian, compliance * np.eye(size)]])
        solution = np.linalg.solve(
            whole, np.concatenate((force, -c - rate_factor * rate - value_factor * gap))
        )
        acceleration, forces = evaluate(model, method)
        # conditioned like 1e3 at most, in numbers of size 1e3
        scale = 1e-10 * (1.0 + np.abs(solution).max())
        assert np.abs(acceleration.ravel() - solution[: -size or None]).max() < scale
        assert np.abs(forces.ravel() - solution[-size:]).max() < scale
    expected = -100.0 * gap - 3.0 * rate
    acceleration, forces = evaluate(model, SpringJoint(100.0, 3.0))
    assert np.abs(forces.ravel() - expected).max() < 1e-9
    assert np.abs(mass @ acceleration.ravel() - force - jacobian.T @ expected).max() < 1e-9


def test_dense_and_linear_methods_run_alike():
    """End in the same state to rounding, unit quaternions included, after 30 steps of a moving tree."""
    model = tree_model(5, drop=0.1)
    dense, linear = (
        simulate(model, 1 / 120, 30, method()) for method in (DenseMultipliers, BaraffMultipliers)
    )
    assert np.abs(dense.positions - linear.positions).max() < 1e-11
    assert np.abs(dense.angular_velocities - linear.angular_velocities).max() < 1e-9
    assert np.abs(dense.energies - linear.energies).max() < 1e-9
    assert np.abs(np.linalg.norm(linear.quaternions, axis=1) - 1.0).max() < 4e-16


@pytest.mark.parametrize("method", MULTIPLIERS)
def test_pendulum(method):
    """Swing as the closed form does, with an error that falls as h^4.

    A rod of length 3/2 hung on its end has the reduced length I / (m s) = 1 of the reference.
    """
    reference = np.array([-0.2750874626, -0.9614192051])  # after 10 s, from (-1, 0)
    errors = []
    for h in (0.01, 0.005, 0.0025):
        result = simulate(_rods(1, 1.5), h, round(10 / h), method(), sample_every=100)
        x, y, z = result.positions[0] / 0.75
        assert y == 0.0
        errors.append(np.hypot(-x - reference[0], z - reference[1]))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(orders - 4.0) < 0.1)


@pytest.mark.parametrize(
    ("t", "tip"),
    [
        (0.25, (1.926820576, -0.281262121)),
        (0.5, (1.296688536, -1.405779923)),
        (1.0, (-1.662115136, -1.041466637)),
        (1.5, (-1.776547134, 0.095901431)),
        (2.0, (0.313524776, -1.914746618)),
        (3.0, (1.330436825, -1.398644861)),
    ],
)
def test_double_rod_pendulum(t, tip):
    """Follow the reference within the error that RK4 has by the difference of two steps."""
    tips = []
    for h in (0.005, 0.0025):
        result = simulate(_rods(2, 1.0), h, round(t / h), BaraffMultipliers(), sample_every=1000)
        end = result.positions[1] + 0.5 * _matrix(result.quaternions[1])[:, 0]
        tips.append(end[[0, 2]])
    estimate = np.linalg.norm(tips[1] - tips[0]) / 15.0
    assert np.linalg.norm(tips[1] - tip) < 2.0 * estimate + 1e-9  # the reference has nine digits


@pytest.mark.parametrize("method", [BaraffMultipliers(), DenseMultipliers(), SpringJoint()])
def test_free_body_turns_by_its_gyroscopic_term(method):
    """Tumble like the reference, which nothing but w x J w turns."""
    model = BallJointModel(
        masses=[1.0],
        inertias=[[0.2, 0.5, 0.4]],
        positions=[[0, 0, 0]],
        quaternions=[[1, 0, 0, 0]],
        velocities=[[1, 2, 3]],
        angular_velocities=[[0.7, -0.5, 0.9]],
        joint_bodies=[],
        points_a=[],
        points_b=[],
        gravity=(0, 0, 0),
    )
    result = simulate(model, 0.002, 500, method)
    turned = _matrix(result.quaternions[0]).T @ result.angular_velocities[0]
    assert np.abs(turned - [0.512786658, -0.261457693, 1.072648482]).max() < 1e-9
    assert np.abs(result.quaternions[0] - [0.818162211, 0.268739923, -0.188884232, 0.471923932]).max() < 1e-9
    assert np.abs(result.positions[0] - [1, 2, 3]).max() < 1e-12
    assert result.joint_error == 0.0


def test_energy_error_falls_as_the_fourth_power():
    """Lose 16 times less energy at half the step, without Baumgarte, in a tree that swings in space."""
    model = consistent_velocities(_random_tree(3, bodies=5))
    model = replace(model, torque_steps=0)
    drifts = [
        simulate(model, h, round(1.0 / h), BaraffMultipliers(), sample_every=round(0.02 / h)).energy_drift
        for h in (0.01, 0.005, 0.0025)
    ]
    orders = np.log2(np.array(drifts[:-1]) / drifts[1:])
    assert np.all(np.abs(orders - 4.0) < 0.5), orders


@pytest.mark.parametrize("method", MULTIPLIERS)
def test_baumgarte_closes_a_gap_by_its_equation(method):
    """Let an open joint close as C'' + 2 a C' + a^2 C = 0 does, and drift with its speed without."""
    h, steps, a = 0.002, 500, 5.0
    model = consistent_velocities(_rods(2, 1.0))
    offset, speed = np.array([0.003, 0.004, 0.012]), np.array([0.04, -0.03, 0.0])
    positions, velocities = model.positions.copy(), model.velocities.copy()
    positions[1] += offset
    velocities[1] += speed
    model = replace(model, positions=positions, velocities=velocities)
    t = h * np.arange(steps + 1)[:, None]
    free = offset + speed * t
    damped = np.exp(-a * t) * (offset + (speed + a * offset) * t)
    for alpha, expected in ((0.0, free), (a, damped)):
        result = simulate(model, h, steps, method(alpha, alpha))
        # RK4: h^4 times derivatives of the order of the rods' angular velocities (6 rad/s) to the fifth
        assert np.abs(result.joint_errors - np.linalg.norm(expected, axis=1)).max() < 1e-7


def test_baumgarte_bounds_the_drift():
    """Let joints drift apart without, and keep them together with it, from the same start."""
    model = consistent_velocities(chain_model(5))
    free = simulate(model, 0.02, 500, BaraffMultipliers())
    held = simulate(model, 0.02, 500, BaraffMultipliers(10.0, 10.0))
    assert free.joint_errors[500] > 2.0 * free.joint_errors[100]
    assert held.joint_error < 0.1 * free.joint_error


@pytest.mark.parametrize(
    ("method", "inertia", "rate", "stiffness"),
    [(PenaltyJoint(5.0, 6.0, 0.3), 5.0, 18.0, 180.0), (SpringJoint(180.0, 18.0), 0.0, 18.0, 180.0)],
)
def test_penalty_joint_is_an_oscillator(method, inertia, rate, stiffness):
    """Move a body held at its centre as (m + i) z'' + d z' + k z = -m g does."""
    mass, h, steps = 2.0, 0.002, 500
    model = BallJointModel(
        masses=[mass],
        inertias=[[1, 1, 1]],
        positions=[[0.1, 0, 0]],
        quaternions=[[1, 0, 0, 0]],
        joint_bodies=[[-1, 0]],
        points_a=[[0, 0, 0]],
        points_b=[[0, 0, 0]],
    )
    result = simulate(model, h, steps, method)
    total = mass + inertia
    matrix = np.array([[0, 1, 0], [-stiffness / total, -rate / total, -mass * 9.81 / total], [0, 0, 0]])
    z = expm(matrix * h * steps) @ [0.0, 0.0, 1.0]
    x = expm(matrix * h * steps) @ [0.1, 0.0, 0.0]
    # frequency below 10 rad/s: RK4 is within (10 h)^4 / 120 per radian
    assert np.abs(result.positions[0] - [x[0], 0.0, z[0]]).max() < 1e-8
    assert np.abs(result.velocities[0] - [x[1], 0.0, z[1]]).max() < 1e-7


def test_strong_penalty_is_baumgarte():
    """Come ten times closer to Lagrange multipliers with ten times the strength."""
    model = _random_tree(1)
    limit, _ = evaluate(model, BaraffMultipliers(4.0, 8.0))
    gaps = [
        np.abs(evaluate(model, PenaltyJoint(strength, 8.0, 0.5))[0] - limit).max()
        for strength in (1e4, 1e5, 1e6)
    ]
    assert gaps[0] / gaps[1] == pytest.approx(10.0, rel=0.02)
    assert gaps[1] / gaps[2] == pytest.approx(10.0, rel=0.02)


def test_balanced_tree_turns_at_its_root():
    """Turn the root of the mobile at torque * h / (I + 2 M r^2), for ever, and no other box.

    Its angle is rate * (t - h / 2), as the rate grows evenly in the first step.
    """
    levels, h = 7, 1 / 30
    boxes = tree_boxes(levels)
    length = boxes.sizes[0, 0]
    branch = 0.5 * boxes.masses[1:].sum()
    inertia = boxes.masses[0] * (length**2 + 0.04**2) / 12 + 2 * branch * (length / 2) ** 2
    rate = 10.0 * h / inertia
    result = simulate(tree_model(levels), h, 60, BaraffMultipliers())
    assert np.abs(result.angular_velocities[0] - [0, 0, rate]).max() < 1e-9
    assert np.abs(result.angular_velocities[1:]).max() < 1e-9
    angle = rate * (60 - 0.5) * h
    assert 2 * np.arctan2(result.quaternions[0, 3], result.quaternions[0, 0]) == pytest.approx(
        angle, abs=1e-8
    )
    child = boxes.positions[2] - boxes.positions[0]
    turned = length / 2 * np.array([np.cos(angle), np.sin(angle), 0.0])
    assert np.abs(child - [length / 2, 0, 0]).max() < 1e-15
    assert np.abs(result.positions[2] - turned).max() < 1e-8
    assert result.energies[1] - result.energies[0] == pytest.approx(0.5 * inertia * rate**2, rel=1e-6)
    assert result.energy_drift < 1e-8  # counted from the end of the torque


def test_free_tree_keeps_its_momentum():
    """Keep the momentum of a tree that hangs on nothing; all joint forces come in pairs."""
    model = replace(
        consistent_velocities(_random_tree(5, on_world=False)), gravity=(0.0, 0.0, 0.0), torque_steps=0
    )
    for method in (BaraffMultipliers(), DenseMultipliers(), PenaltyJoint(1e3, 5.0), SpringJoint(50.0, 1.0)):
        result = simulate(model, 0.005, 100, method)
        change = model.masses @ (result.velocities - model.velocities)
        assert np.abs(change).max() < 1e-11


@pytest.mark.parametrize("seed", range(3))
def test_tree_order(seed):
    """List every body once, after all bodies whose way to the root leads through it."""
    model = _random_tree(seed, bodies=30)
    order = tree_order(model)
    assert sorted(order.body) == list(range(30))
    place = np.argsort(order.body)
    for body in range(30):
        joint, parent = order.joint[body], order.parent[body]
        assert model.joint_bodies[joint, order.side[body]] == body
        assert model.joint_bodies[joint, 1 - order.side[body]] == parent
        assert parent < 0 or place[parent] > place[body]


def _square():
    """Four rods of a closed loop, one corner held by the world, that starts to fall."""
    centres = [[0.5, 0, 0], [1, 0, -0.5], [0.5, 0, -1], [0, 0, -0.5]]
    corners = [[1, 0, 0], [1, 0, -1], [0, 0, -1], [0, 0, 0]]
    pairs = [(k, (k + 1) % 4) for k in range(4)]
    return BallJointModel(
        masses=np.ones(4),
        inertias=np.full((4, 3), 0.1),
        positions=centres,
        quaternions=np.tile([1.0, 0, 0, 0], (4, 1)),
        angular_velocities=np.zeros((4, 3)),
        joint_bodies=[*pairs, (-1, 0)],
        points_a=[*(np.subtract(corners[k], centres[a]) for k, (a, _) in enumerate(pairs)), [0, 0, 0]],
        points_b=[
            *(np.subtract(corners[k], centres[b]) for k, (_, b) in enumerate(pairs)),
            np.subtract([0, 0, 0], centres[0]),
        ],
    )


def test_loops():
    """Hold a loop with the dense method, energy falling as h^4, and refuse it where a tree is needed."""
    model = _square()
    drifts = [simulate(model, h, round(0.5 / h), DenseMultipliers()).energy_drift for h in (0.01, 0.005)]
    assert drifts[1] < 1e-6
    assert np.log2(drifts[0] / drifts[1]) > 3.5
    assert simulate(model, 1e-3, 10, SpringJoint(1e4, 1.0)).completed_steps == 10
    for method in (BaraffMultipliers(), PenaltyJoint()):
        with pytest.raises(ValueError, match="closes a loop.*DenseMultipliers"):
            simulate(model, 0.01, 1, method)
    doubled = replace(
        _rods(1, 1.0),
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
    """Have 2^levels - 1 boxes with the total mass and the longest box of experiment E-03."""
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

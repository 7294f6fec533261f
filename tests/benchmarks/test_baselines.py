"""Methods of the baselines: closed forms, reference motions, conservation, a slow oracle."""

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
    chain_model,
    consistent_velocities,
    evaluate,
    simulate,
    tree_boxes,
    tree_model,
)
from tests.benchmarks.baseline_models import matrix, random_tree, rods

MULTIPLIERS = (BaraffMultipliers, DenseMultipliers)


def _star(r):
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def _slow_terms(model):
    """Mass matrix, Jacobian, forces, c, C and C' with plain matrices."""
    n, m = model.body_count, model.joint_count
    mass, force = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    v = np.hstack((model.velocities, model.angular_velocities)).ravel()
    for i in range(n):
        rotation = matrix(model.quaternions[i])
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
            r, w = matrix(model.quaternions[i]) @ point, model.angular_velocities[i]
            jacobian[rows, 6 * i : 6 * i + 6] = sign * np.hstack((np.eye(3), -_star(r)))
            c[rows] += sign * np.cross(w, np.cross(w, r))
            gap[rows] += sign * (model.positions[i] + r)
    return mass, jacobian, force, c, gap, jacobian @ v


@pytest.mark.parametrize("on_world", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_solves_agree_with_the_whole_system(seed, on_world):
    """Give the accelerations and joint forces of the system of all bodies and joints, solved by numpy."""
    model = random_tree(seed, on_world=on_world)
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
        result = simulate(rods(1, 1.5), h, round(10 / h), method(), sample_every=100)
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
        result = simulate(rods(2, 1.0), h, round(t / h), BaraffMultipliers(), sample_every=1000)
        end = result.positions[1] + 0.5 * matrix(result.quaternions[1])[:, 0]
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
    turned = matrix(result.quaternions[0]).T @ result.angular_velocities[0]
    assert np.abs(turned - [0.512786658, -0.261457693, 1.072648482]).max() < 1e-9
    assert np.abs(result.quaternions[0] - [0.818162211, 0.268739923, -0.188884232, 0.471923932]).max() < 1e-9
    assert np.abs(result.positions[0] - [1, 2, 3]).max() < 1e-12
    assert result.joint_error == 0.0


def test_energy_error_falls_as_the_fourth_power():
    """Lose 16 times less energy at half the step, without Baumgarte, in a tree that swings in space."""
    model = consistent_velocities(random_tree(3, bodies=5))
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
    model = consistent_velocities(rods(2, 1.0))
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
    model = random_tree(1)
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
        consistent_velocities(random_tree(5, on_world=False)), gravity=(0.0, 0.0, 0.0), torque_steps=0
    )
    for method in (BaraffMultipliers(), DenseMultipliers(), PenaltyJoint(1e3, 5.0), SpringJoint(50.0, 1.0)):
        result = simulate(model, 0.005, 100, method)
        change = model.masses @ (result.velocities - model.velocities)
        assert np.abs(change).max() < 1e-11

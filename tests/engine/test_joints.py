"""Each joint between two free bodies: freedoms, conservation, and how exactly it is kept.

The bodies have different masses and three different moments of inertia each, the anchors are off both
centres, and everything turns and drifts without gravity.
"""

import numpy as np
import pytest

from stoss.engine import Joint
from stoss.engine.joints.arrays import HOLD
from stoss.engine.joints.measures import measure_joints
from tests.engine.joint_worlds import (
    KINDS,
    free_pair,
    numerical_jacobian,
    own_arrays,
    relative_twist,
    totals,
)

STEPS = 1000  # of 10 ms
TOLERANCE = 1e-6  # [m] and [rad], the default tolerance of the preview
each_kind = pytest.mark.parametrize("name", KINDS)


def held_jacobian(joint: Joint) -> np.ndarray:
    """Return the rows of the numerical Jacobian that belong to what the joint holds."""
    return numerical_jacobian(joint)[own_arrays(joint).role == HOLD]


def velocities(joint: Joint) -> np.ndarray:
    """Return velocity and angular velocity of the first, then of the second body (12,)."""
    pair = (joint.first, joint.second)
    return np.concatenate([np.concatenate([b.velocity, b.angular_velocity]) for b in pair])


def rank(rows: np.ndarray) -> int:
    """Return the rank; central differences of step 1e-5 are exact to about 1e-10."""
    return 0 if len(rows) == 0 else int(np.linalg.matrix_rank(rows, tol=1e-6))


@each_kind
def test_degrees_of_freedom(name):
    """Take away as many degrees of freedom as the kind is said to, in one row each, also on the move."""
    make, taken = KINDS[name]
    joint = free_pair(make)
    for _ in range(3):
        held = held_jacobian(joint)
        assert len(held) == taken
        assert rank(held) == taken
        assert rank(held[:, 6:]) == taken  # the second body alone, the first one at rest
        joint.world.step(40)


@each_kind
def test_row_gradients(name):
    """Give every held row as rate the derivative of its value along the motion of both bodies."""
    joint = free_pair(KINDS[name][0])
    # other velocities than those which the joint allows, for which all these rates are zero
    joint.first.velocity, joint.second.angular_velocity = (0.3, 0.5, -0.7), (0.9, -0.8, 0.4)
    own, bodies = own_arrays(joint), joint.world._bodies
    value, rate = own.value.copy(), np.zeros(len(own.value))
    measure_joints(own, bodies, value, rate)
    expected = numerical_jacobian(joint) @ velocities(joint)
    held = own.role == HOLD
    assert rate[held] == pytest.approx(expected[held], abs=1e-8)


@each_kind
def test_conservation_and_closure(name):
    """Keep both momenta to 1e-9 and the joint to 1e-6 m and 1e-6 rad in every step of ten seconds.

    The bodies turn at 2 to 5 rad/s, so a step turns them by up to 0.05 rad.
    """
    joint = free_pair(KINDS[name][0], speed=4.0)
    world = joint.world
    before = totals(world)
    worst = np.zeros(4)
    for _ in range(STEPS):
        report = world.step()
        errors = (joint.error, joint.angle_error, report.joint_error, report.joint_angle_error)
        worst = np.maximum(worst, errors)
    assert (worst <= TOLERANCE).all(), worst
    after = totals(world)
    for part in (slice(0, 3), slice(3, 6)):
        assert np.linalg.norm(after[part] - before[part]) <= 1e-9 * np.linalg.norm(before[part])
    assert after[6] == pytest.approx(report.kinetic_energy, rel=1e-12)


@each_kind
def test_energy_order(name):
    """Keep the energy within a bound that falls with the square of the step: four times for half of it.

    A symplectic method of order 2 keeps an energy that differs from the true one by c h^2 + O(h^4). Turning
    by w h = 0.02 rad in a step, the neglected term is below 1e-3 of that; what is left is the maximum over
    time, found at other instants. Kinds that the free motion keeps by itself stay at rounding.
    """
    make = KINDS[name][0]
    peaks = []
    for h in (0.01, 0.005):
        joint = free_pair(make, h=h, speed=2.0)
        start = totals(joint.world)[6]
        energies = [joint.world.step().kinetic_energy for _ in range(round(2.0 / h))]
        peaks.append(np.abs(np.array(energies) / start - 1.0).max())
    # (w h)^2, with w = 2 rad/s and levers of the size of the bodies
    assert peaks[0] < (2.0 * 0.01) ** 2
    if peaks[0] > 1e-12:
        assert 3.5 < peaks[0] / peaks[1] < 4.5


@each_kind
def test_freedoms_are_used(name):
    """Leave all remaining degrees of freedom: seen from the first body, the second moves in all of them."""
    make, taken = KINDS[name]
    joint = free_pair(make)
    held_rate, twists = 0.0, []
    for _ in range(60):
        joint.world.step(4)
        twists.append(relative_twist(joint))
        if taken:
            held_rate = max(held_rate, np.abs(held_jacobian(joint) @ velocities(joint)).max())
    assert held_rate < 1e-8
    assert rank(np.array(twists)) >= 6 - taken

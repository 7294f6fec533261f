"""Inverse kinematics against the benchmarks of the specification, scipy, and poses that are known."""

import numpy as np
import pytest
from scipy.optimize import least_squares

import stoss as st
from stoss.benchmarks.stelzner.mechanisms import planar_arm


def tip_at(world, last, x, z, **values):
    return st.IKTarget(last, position=(x, 0, z), point=(0.5, 0, 0), **values)


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        ("closest", (-0.384593, 0.830154, 1.460819)),
        ("least step", (-0.485726, 1.008018, 1.302233)),
        ("few joints", (-0.271256, 0.630210, 1.623031)),
    ],
)
def test_three_rules_of_three_bars(rule, wanted, monkeypatch):
    """Find the solutions of B-07, one for each rule, with steps as long as those of the thesis."""
    monkeypatch.setattr("stoss.engine.articulated.inverse_kinematics.LARGEST_STEP", np.inf)
    world, last = planar_arm()
    arm = st.Articulation(world)
    found = arm.solve_ik(tip_at(world, last, 1.5, 1.0), (0.3, 0.4, 0.5), rule=rule, tolerance=1e-10)
    assert found.reached and found.distances[0] < 1e-10
    np.testing.assert_allclose(found.q, wanted, atol=1e-5)


def test_rules_do_what_they_say():
    """With bounded steps, too, end closest to the start by one rule, move the fewest joints by another."""
    world, last = planar_arm()
    arm, start = st.Articulation(world), np.array([0.3, 0.4, 0.5])
    found = {
        rule: arm.solve_ik(tip_at(world, last, 1.5, 1.0), start, rule=rule).q
        for rule in ("closest", "least step", "few joints")
    }
    away = {rule: np.linalg.norm(q - start) for rule, q in found.items()}
    assert away["closest"] == min(away.values()) == pytest.approx(1.255736, abs=1e-6)
    assert (np.abs(found["few joints"] - start) > 1e-9).sum() == 2
    assert (np.abs(found["least step"] - start) > 1e-9).all()


def six_axes(seed=0):
    """Return an arm of six hinges whose last three meet, and its last body."""
    world = st.World()
    points = [(0, 0, 0.1), (0, 0, 0.3), (0.4, 0, 0.3), (0.8, 0, 0.3), (0.8, 0, 0.3), (0.8, 0, 0.3)]
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
    last = None
    for k, (point, axis) in enumerate(zip(points, axes, strict=True)):
        body = world.add_body(st.Box((0.1, 0.1, 0.1)), position=np.add(point, (0.1, 0, 0)), mass=1.0)
        world.add_joint(st.Hinge(point, axis), last, body, name=f"axis {k}")
        last = body
    return world, last


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rule", ["closest", "least step", "few joints", "least squares"])
def test_poses_of_an_arm_are_reached(rule, seed):
    """Reach a pose that some coordinates have, from others nearby."""
    world, hand = six_axes()
    arm = st.Articulation(world)
    rng = np.random.default_rng(seed)
    wanted = rng.uniform(-1.0, 1.0, 6) + (0, 0, 1.0, 0, 1.5, 0)
    positions, quaternions = arm.poses(wanted)
    target = st.IKTarget(hand, positions[hand.index], quaternions[hand.index])
    found = arm.solve_ik(target, wanted + rng.uniform(-0.3, 0.3, 6), rule=rule)
    assert found.reached and found.distances[0] < 1e-6 and found.angles[0] < 1e-6
    again = arm.poses(found.q)
    np.testing.assert_allclose(again[0][hand.index], positions[hand.index], atol=1e-6)


def test_the_closest_solution_is_the_closest():
    """Agree with a constrained minimiser on the distance from the start."""
    from scipy.optimize import minimize

    world, last = planar_arm((0.5, 0.4, 0.3, 0.2, 0.2))
    arm = st.Articulation(world)
    start = np.array([0.2, 0.3, -0.4, 0.5, 0.1])
    target = st.IKTarget(last, position=(0.7, 0, 0.6), point=(0.1, 0, 0))

    def missed(q):
        place = arm.poses(q)[0][last.index] + 0.1 * np.array([np.cos(q.sum()), 0, np.sin(q.sum())])
        return (place - target.position)[[0, 2]]

    found = arm.solve_ik(target, start, tolerance=1e-9)
    best = minimize(
        lambda q: ((q - start) ** 2).sum(), found.q, constraints={"type": "eq", "fun": missed}, tol=1e-14
    )
    assert found.reached
    assert np.linalg.norm(found.q - start) == pytest.approx(np.linalg.norm(best.x - start), abs=1e-6)


def test_limits_hold_and_the_others_make_up_for_it():
    """Reach a place within limits, where without them one joint would leave its own."""
    limits = [(-0.2, 2.0), (-2.0, 2.0), (-2.0, 2.0)]
    world, last = planar_arm(limits=limits)
    arm = st.Articulation(world)
    np.testing.assert_allclose(arm.limits, limits)
    for rule in ("closest", "least step", "few joints", "least squares"):
        found = arm.solve_ik(tip_at(world, last, 1.5, 1.0), (0.3, 0.4, 0.5), rule=rule)
        assert found.reached, rule
        assert (found.q >= arm.limits[:, 0] - 1e-12).all() and (found.q <= arm.limits[:, 1] + 1e-12).all()
    free = arm.solve_ik(tip_at(world, last, 1.5, 1.0), (0.3, 0.4, 0.5), limits=False)
    assert free.q[0] < -0.2


def test_what_is_out_of_reach_is_missed_by_as_little_as_can_be():
    """Stretch towards a place out of reach, and say how far it is."""
    world, last = planar_arm()
    arm = st.Articulation(world)
    found = arm.solve_ik(tip_at(world, last, 0.0, 4.0), (0.3, 0.4, 0.5), rule="least squares")
    assert not found.reached and found.distances[0] == pytest.approx(1.0, abs=1e-6)
    found = arm.solve_ik(tip_at(world, last, 0.0, 4.0), (0.3, 0.4, 0.5))
    assert not found.reached and found.distances[0] > 0.99


def test_targets_that_contradict_each_other_are_weighed():
    """Agree with scipy on a compromise between two places of two weights."""
    world, last = planar_arm()
    arm = st.Articulation(world)
    first = world.bodies[1]
    targets = [
        st.IKTarget(first, position=(1.0, 0, 1.5), point=(0.5, 0, 0), weight=2.0),
        tip_at(world, last, -1.0, -1.0, weight=0.5),
    ]
    start = np.array([0.3, 0.4, 0.5])
    found = arm.solve_ik(targets, start, rule="least squares")

    def missed(q):
        a, b, c = np.cumsum(q)
        elbow = np.array([np.cos(a) + np.cos(b), np.sin(a) + np.sin(b)])
        tip = elbow + (np.cos(c), np.sin(c))
        return np.concatenate([np.sqrt(2.0) * (elbow - (1.0, 1.5)), np.sqrt(0.5) * (tip - (-1.0, -1.0))])

    wanted = least_squares(missed, start, xtol=1e-15, ftol=1e-15, gtol=1e-15)
    assert (missed(found.q) ** 2).sum() == pytest.approx(2.0 * wanted.cost, rel=1e-9)
    np.testing.assert_allclose(found.q, wanted.x, atol=1e-5)


def test_loops_stay_closed():
    """Turn the rocker of a four-bar by wishing for a place of the coupler."""
    world = st.SCENES["four_bar"].build()
    bars = st.Articulation(world)
    q, _ = bars.assemble(bars.q + (0.2, 0, 0))
    coupler = world.bodies[-1]
    place = bars.poses(q)[0][coupler.index]
    found = bars.solve_ik(st.IKTarget(coupler, position=place), limits=False)
    assert found.reached and found.loops < 1e-6


def test_wrong_wishes_are_told():
    """Name what makes no sense in a target, and the rule that is not there."""
    world, last = planar_arm()
    arm = st.Articulation(world)
    with pytest.raises(ValueError, match="nothing is wanted"):
        st.IKTarget(last)
    with pytest.raises(ValueError, match="weight = 0"):
        st.IKTarget(last, position=(0, 0, 0), weight=0.0)
    with pytest.raises(TypeError, match="body = 'hand'"):
        st.IKTarget("hand", position=(0, 0, 0))
    with pytest.raises(ValueError, match="nothing"):
        arm.solve_ik([])
    with pytest.raises(ValueError, match="rule = 'nearest'"):
        arm.solve_ik(tip_at(world, last, 1, 1), rule="nearest")
    other = st.World().add_body(st.Sphere(0.1))
    with pytest.raises(ValueError, match="world"):
        arm.solve_ik(st.IKTarget(other, position=(0, 0, 0)))

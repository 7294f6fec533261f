"""A whole body: inverse kinematics and marker tracking of 40 coordinates (Stelzner's B-08, B-13, B-14)."""

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.stelzner.human import human, reach, recorded_human, start

CLOSEST = [
    *(0.0831, -0.0023, 0.9382, -0.0097, -0.0396, 0.035),
    *(0.014, 0.0224, -0.032, 0.2363, -0.2195, -0.005, 0),
    *(0.0131, -0.0112, -0.0319, 0.2879, -0.2376, -0.0052, 0),
    *(-0.7432, -0.2431, 0.1203, 0, 0, 0),
    *(-0.473, -0.7281, -0.1631, 0.7236, -0.0001, -0.0076, 0),
    *(0.192, -0.3475, 0.0146, 0.6564, 0, -0.0054, 0),
]


@pytest.fixture(scope="module")
def person():
    return human()


def test_the_start_is_that_of_the_benchmark(person):
    """Have hands and feet where they are printed."""
    world, both, order = person
    assert len(both) == 40
    places, _ = both.poses(start(both, order))
    for side, sign in (("R", -1.0), ("L", 1.0)):
        hand, foot = (places[world.body(f"{part} {side}").index] for part in ("hand", "foot"))
        np.testing.assert_allclose(hand, (0.138007, sign * 0.271765, 0.825689), atol=1e-6)
        np.testing.assert_allclose(foot, (0.001412, sign * 0.10348, 0.018912), atol=1e-6)


def test_hands_are_reached_with_the_feet_where_they_are(person):
    """Find the posture of B-08 by the rule that stays closest, and others by other rules."""
    world, both, order = person
    q = start(both, order)
    targets = reach(world, both, q)
    found = {rule: both.solve_ik(targets, q, rule=rule) for rule in ("closest", "least step", "few joints")}
    away = {rule: float(np.linalg.norm(result.q - q)) for rule, result in found.items()}
    moved = {rule: int((np.abs(result.q - q) > 1e-6).sum()) for rule, result in found.items()}
    assert all(result.reached for result in found.values())
    np.testing.assert_allclose(found["closest"].q[order], CLOSEST, atol=1e-4)
    assert away["closest"] == pytest.approx(1.2498, abs=1e-4)
    assert away["closest"] < away["least step"] < away["few joints"]
    assert moved["few joints"] < moved["closest"] == moved["least step"] == 33


def test_markers_of_a_body_are_followed(person):
    """Leave between 55 markers what theory says for noise of 0, 1 and 5 mm (B-13)."""
    both, q, data = recorded_human()
    rng, errors = np.random.default_rng(6), []
    for noise in (0.0, 1e-3, 5e-3):
        seen = data.positions + rng.normal(0.0, 1.0, data.positions.shape) * noise
        motion = st.track_markers(both, st.MarkerData(data.names, data.times, seen), q[0])
        left = float((motion.residuals**2).sum(axis=1).mean())
        errors.append(float(np.sqrt(((motion.q - q) ** 2)[:, 6:].mean())))
        if noise == 0.0:
            assert left < 1e-15 and errors[0] < 1e-6
        else:
            assert left == pytest.approx(noise**2 * (3 * 55 - 40), rel=0.1)
    assert errors[2] == pytest.approx(5.0 * errors[1], rel=0.3) and errors[1] < 0.02


def test_spines_bend_as_far_as_they_are_said_to(person):
    """Turn pelvis to head by 170, 110, 80 and 126 degrees with all six coordinates at their limits (B-14)."""
    world, both, _ = person
    for names, limits, wanted in (
        (("flexion", "neck flexion"), (85, 85), 170),
        (("lateral", "neck lateral"), (40, 40), 80),
        (("axial", "neck axial"), (41, 85), 126),
    ):
        q = np.zeros(40)
        for name, limit in zip(names, limits, strict=True):
            q[both.index(name)] = np.radians(limit)
        _, turns = both.poses(q)
        assert np.degrees(2.0 * np.arccos(abs(turns[world.body("head").index, 0]))) == pytest.approx(
            min(wanted, 360 - wanted), abs=1e-6
        )

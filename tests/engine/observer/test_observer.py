"""Observers: equal to Kalman's filter where that is exact, and better the more a model knows."""

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.specker import gait_trainer as leg
from stoss.collision.kernels.decorators import compiled


@compiled
def _see(x):
    return np.array([x[0], x[2]])


def filter_of(model, states, noise=1e-6):
    """Return an observer of the leg with the noise model of the thesis."""
    start = np.zeros(states)
    start[[0, 2]] = leg.equilibrium()
    process = np.zeros((states, states))
    process[:4, :4] = st.acceleration_noise(0.01, (1.0, 1.0))
    if states == 6:
        process[4, 4], process[5, 5] = 1.0, 100.0
    measurement = noise * np.diag([15.0, 4.0])
    return st.CentralDifferenceKalmanFilter(
        model, _see, 0.01, start, 1e-6 * np.eye(states), process, measurement
    )


def test_linear_systems():
    """Equal Kalman's filter on a linear system to rounding (T-17)."""
    rng = np.random.default_rng(3)
    a, c = (
        np.array([[1.0, 0.1, 0.0], [-0.2, 0.95, 0.1], [0.0, 0.1, 0.9]]),
        np.array([[1.0, 0, 0], [0, 0, 1.0]]),
    )
    b, q, r = np.array([0.0, 1.0, 0.5]), np.diag([1e-2, 2e-2, 1e-2]), np.diag([0.1, 0.2])
    observer = st.CentralDifferenceKalmanFilter(
        lambda x, u: a @ x + b * u[0], lambda x: c @ x, None, np.zeros(3), np.eye(3), q, r
    )
    x, p = np.zeros(3), np.eye(3)
    for _ in range(100):
        y, u = rng.normal(size=2), rng.normal(size=1)
        found = observer.update(y, u)
        x, p = a @ x + b * u[0], a @ p @ a.T + q
        s = c @ p @ c.T + r
        k = p @ c.T @ np.linalg.inv(s)
        x, p = x + k @ (y - c @ x), p - k @ s @ k.T
        assert found == pytest.approx(x, abs=1e-12)
    assert observer.covariance == pytest.approx(p, abs=1e-12)
    assert observer.state == pytest.approx(x, abs=1e-12)


def test_friction_as_a_state_follows_the_load():
    """Know the moment that holds a leg at rest, the better the surer its speed is: doubt about it leaks."""
    q = leg.equilibrium()
    u = np.array([(min(3.0, 0.03 * k), 0.0) for k in range(300)])
    seen = np.tile(q, (len(u), 1))
    missing = []
    for noise in (1e-6, 1e-8, 1e-10):
        found = filter_of(leg.leg_rates_s2, 6, noise=noise).run(seen, u)[-1]
        missing.append(3.0 - found[4])
        assert found[0] == pytest.approx(q[0], abs=3e-4)
    # a third as much for each hundredth of the variance or better, from 14 per cent of the load
    assert 0.0 < missing[2] < missing[1] / 3.0 < missing[0] / 9.0 < 0.05
    # without memory the leg is believed to have moved
    drifted = filter_of(leg.leg_rates_s1, 4).run(seen, u)[-1]
    assert drifted[0] > q[0] + 0.01


def test_ranking_of_models():
    """Estimate worse without memory of friction, and worse without the stop (X-14, X-15)."""
    errors = {}
    for experiment in (1, 2):
        u, truth, seen = leg.twin(experiment)
        for name, model, n in (
            ("S1", leg.leg_rates_s1, 4),
            ("S2", leg.leg_rates_s2, 6),
            ("S3", leg.leg_rates_s3, 6),
        ):
            found = filter_of(model, n).run(seen, u)
            errors[experiment, name] = np.sqrt(np.mean((found[100:, :4] - truth[100:]) ** 2, axis=0))
    assert (errors[1, "S2"] < 0.75 * errors[1, "S1"]).all()
    assert (errors[2, "S2"] < 0.75 * errors[2, "S1"]).all()
    assert (errors[2, "S3"][:2] < 0.7 * errors[2, "S2"][:2]).all()


def test_compiled_and_plain_are_the_same():
    """Give the same estimates from numba functions and from Python's."""
    model = compiled(_swing)
    values = 0.01, (0.1, 0.0), np.eye(2), st.acceleration_noise(0.01, [1.0]), [[1e-4]]
    plain = st.CentralDifferenceKalmanFilter(_swing, _first, *values)
    fast = st.CentralDifferenceKalmanFilter(model, compiled(_first), *values)
    seen = 0.1 * np.cos(3.0 * np.arange(50) * 0.01)[:, np.newaxis]
    assert fast.run(seen) == pytest.approx(plain.run(seen), rel=1e-9)
    assert fast.surprise == pytest.approx(plain.surprise, abs=1e-12)


def _swing(x, u):
    return np.array([x[1], -9.0 * np.sin(x[0])])


def _first(x):
    return x[:1].copy()


def test_stop_from_data():
    """Find transition, place, strength and damping of a stop from what it gave."""
    rng = np.random.default_rng(2)
    law = st.RestrictionContact(50.0, 0.0529, 1.5)
    x, v = rng.uniform(-0.06, 0.03, 200), rng.normal(size=200)
    fit = st.fit_stop(x + 0.4, law.force(x, v), v)
    assert fit.offset == pytest.approx(0.4, abs=1e-9)
    assert fit.law._numbers == pytest.approx(law._numbers, rel=1e-6)
    # at rest, from noisy data, as far as the noise lets it
    noisy = st.fit_stop(x + 0.4, law.force(x) + 0.1 * rng.normal(size=200), max_force=50.0)
    assert noisy.law.compression == pytest.approx(0.0529, rel=0.02)
    assert noisy.offset == pytest.approx(0.4, abs=5e-4)
    assert noisy.residual == pytest.approx(0.1, rel=0.2)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"covariance": -np.eye(2)}, "covariance must be positive definite"),
        ({"measurement": np.ones((1, 2))}, "measurement"),
        ({"time_step": 0.0}, "time_step = 0.0"),
        ({"measure": lambda x: x}, r"measure\(state\) has shape \(2,\), not \(1,\)"),
        ({"process": [[1.0, 0.0], [0.5, 1.0]]}, "symmetric"),
    ],
)
def test_bad_values(values, words):
    """Name what makes no sense."""
    good = {
        "model": _swing, "measure": _first, "time_step": 0.01, "state": (0.0, 0.0), "covariance": np.eye(2),
        "process": np.eye(2), "measurement": [[1.0]],
    }  # fmt: skip
    with pytest.raises(ValueError, match=words):
        st.CentralDifferenceKalmanFilter(**{**good, **values})


def test_models_that_fail():
    """Say at which sample a model left the numbers, and keep the estimate from before."""
    observer = st.CentralDifferenceKalmanFilter(
        lambda x, u: x / (u[0] < 1.0), _first, None, (1.0, 0.0), np.eye(2), np.eye(2), [[1.0]]
    )
    with pytest.raises(ValueError, match="sample 2 is not finite"):
        observer.run(np.zeros((4, 1)), [[0.0], [0.0], [2.0], [0.0]])
    assert observer.state == pytest.approx([1.0, 0.0])


def test_functions_that_cannot_be_called_by_address():
    """Say what a numba function must return."""
    with pytest.raises(TypeError, match="measure returns .* return a contiguous array of float64"):
        st.CentralDifferenceKalmanFilter(
            leg.leg_rates_s1, compiled(lambda x: x[::2]), 0.01, np.ones(4), np.eye(4), np.eye(4), np.eye(2)
        )

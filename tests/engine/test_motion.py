"""Free motion: closed forms, conservation laws, reversal, order of convergence, preview."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stoss.engine.bodies.arrays import DYNAMIC, KINEMATIC, STATIC, BodyArrays
from stoss.engine.motion.free_motion import METHODS, preview_bodies
from tests.engine.free_bodies import (
    NAMES,
    NUMBERS,
    RATES,
    SPREADS,
    STEP_ROUNDING,
    UNIT_QUATERNIONS,
    Bodies,
    advance,
    body_rates,
    difference,
    energy,
    exact,
    matrix,
    momentum,
    product,
    turn,
)


@settings(max_examples=50)
@given(
    st.tuples(NUMBERS, NUMBERS, NUMBERS),
    st.tuples(NUMBERS, NUMBERS, NUMBERS),
    st.floats(0.01, 100.0),
    st.sampled_from([1e-3, 0.01, 0.1]),
    st.sampled_from(list(METHODS)),
)
def test_free_fall_is_exact(velocity, force, mass, time_step, method):
    """Follow the parabola of free fall under gravity and a constant force, at any step size."""
    body = Bodies()
    body.velocities[0], body.forces[0], body.inverse_masses[0] = velocity, force, 1.0 / mass
    body.gravity[:] = 0.0, 0.0, -9.81
    body.run(time_step, 100, method)
    time, acceleration = 100 * time_step, body.gravity + np.array(force) / mass
    v = np.array(velocity) + acceleration * time
    s = np.array(velocity) * time + 0.5 * acceleration * time**2
    size = np.abs(velocity).max() + np.abs(acceleration).max() * time
    np.testing.assert_allclose(body.velocities[0], v, atol=1e-12 * (1e-3 + size))
    np.testing.assert_allclose(body.positions[0], s, atol=1e-12 * (1e-3 + size * time))


REFERENCE = {
    1: ((0.512786658, -0.261457693, 1.072648482), (0.818162211, 0.268739923, -0.188884232, 0.471923932)),
    5: ((0.791573024, 0.599391593, 0.777893451), (-0.797686956, -0.516030284, 0.044639399, 0.308894141)),
    10: ((0.445346187, 0.129099112, -1.116915467), (0.052863086, 0.637105806, -0.701969880, -0.313910775)),
}


@pytest.mark.parametrize("method", ["symmetric", "rk4", "adaptive", "taylor"])
def test_reference_free_body(method):
    """Meet the tabulated free body at 1, 5 and 10 s, to 1e-6 at h = 1 ms (table: 9 digits)."""
    body = Bodies(inertia=(0.2, 0.5, 0.4), spin=(0.7, -0.5, 0.9))
    q, w = body.run(1e-3, 10_000, method)
    for second, (spin, quaternion) in REFERENCE.items():
        np.testing.assert_allclose(body_rates(q, w)[second * 1000], spin, atol=1e-6)
        assert difference(q[second * 1000], quaternion) < 1e-6


def test_free_spin_flips_as_the_true_body():
    """Flip 20 times in 100 s about the middle axis, as the true body does, with its rates and attitude.

    I = (1, 2, 3) kg m^2, start (0.01, 5, 0.01) rad/s, h = 0.01 s. Nearly all the way the axis is close to
    unstable, errors grow e-fold every 0.35 s and shrink again in each flip: 1e-12 may become 1e-7.
    """
    inertia, spin = (1.0, 2.0, 3.0), (0.01, 5.0, 0.01)
    times = np.linspace(0.0, 100.0, 10_001)
    q_true, w_true = exact(inertia, (1, 0, 0, 0), spin, np.zeros(3), 100.0, times)
    q, w = Bodies(inertia=inertia, spin=spin).run(0.01, 10_000)
    local = body_rates(q, w)
    flips = np.flatnonzero(np.diff(np.sign(local[:, 1])))
    assert len(flips) == 20
    np.testing.assert_array_equal(flips, np.flatnonzero(np.diff(np.sign(w_true[:, 1]))))
    np.testing.assert_allclose(local[-1], w_true[-1], atol=1e-7)
    assert difference(q[-1], q_true[-1] / np.linalg.norm(q_true[-1])) < 1e-7
    # conserved up to rounding that adds up like a random walk, with a margin for a drift
    assert np.abs(energy(q, w, inertia) / energy(q, w, inertia)[0] - 1.0).max() < 1e-11
    start = momentum(q, w, inertia)[0]
    assert np.linalg.norm(momentum(q, w, inertia) - start, axis=1).max() < 1e-11 * np.linalg.norm(start)


def test_acceptance_t01():
    """Keep energy to 1e-7 and angular momentum to 1e-6 over 100 s with RK4 (T-01), far better by default."""
    inertia, spin = (1.0, 2.0, 3.5), (1.0, 2.0, -1.5)
    for method, energy_limit, momentum_limit in [("rk4", 1e-7, 1e-6), ("symmetric", 1e-11, 1e-11)]:
        q, w = Bodies(inertia=inertia, spin=spin).run(0.01, 10_000, method)
        e, m = energy(q, w, inertia), momentum(q, w, inertia)
        assert np.abs(e / e[0] - 1.0).max() < energy_limit
        assert np.linalg.norm(m - m[0], axis=1).max() < momentum_limit * np.linalg.norm(m[0])


@settings(max_examples=60)
@given(
    SPREADS,
    st.tuples(RATES, RATES, RATES),
    UNIT_QUATERNIONS,
    st.tuples(NUMBERS, NUMBERS, NUMBERS),
    st.sampled_from([1e-4, 0.01, 0.2]),
)
def test_momentum_follows_the_torque(spread, spin, quaternion, torque, time_step):
    """Change the angular momentum by exactly torque times time, whatever the body and the step."""
    inertia = sum(spread) - np.array(spread)
    body = Bodies(inertia=inertia, spin=spin, quaternion=quaternion)
    body.torques[0] = torque
    q, w = body.run(time_step, 50)
    m = momentum(q, w, inertia)
    expected = m[0] + np.outer(np.arange(51) * time_step, torque)
    size = np.abs(m[0]).max() + np.abs(torque).max() * 50 * time_step
    # dividing by the smallest and multiplying by the largest moment amplifies rounding of the rates
    limit = 50 * STEP_ROUNDING * inertia.max() / inertia.min() * (size + 1e-300)
    np.testing.assert_allclose(m, expected, atol=limit)
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=1e-15)


@settings(max_examples=60)
@given(
    SPREADS,
    st.tuples(RATES, RATES, RATES),
    UNIT_QUATERNIONS,
    st.tuples(NUMBERS, NUMBERS, NUMBERS),
    st.sampled_from([1e-3, 0.01, 0.05]),
)
def test_time_reversal(spread, spin, quaternion, torque, time_step):
    """Return to the start when the same steps are run backwards."""
    inertia = sum(spread) - np.array(spread)
    body = Bodies(inertia=inertia, spin=spin, quaternion=quaternion)
    body.torques[0], body.forces[0], body.velocities[0] = torque, (1, 2, 3), (3, 2, 1)
    start = [x.copy() for x in body.state()]
    body.run(time_step, 20)
    fastest = np.abs(body.angular_velocities).max() + np.abs(spin).max()
    body.run(-time_step, 20)
    # rounding of one step, amplified by the spread of the moments and by how far 20 steps turn; a step
    # whose angle lies on the edge between two schemes adds their difference, below 1e-12
    growth = (1.0 + 20 * time_step * fastest) ** 2 * inertia.max() / inertia.min()
    limit = 40 * (STEP_ROUNDING + 1e-14) * growth
    for now, then, size in zip(body.state(), start, (1, 1, 1, 1.0 + fastest), strict=True):
        np.testing.assert_allclose(now, then, atol=limit * size)


@pytest.mark.parametrize("moments", [(1.0, 2.0, 3.0), (1.0, 1.0, 1.5), (1.0, 1.6, 1.6), (2.0, 2.0, 2.0)])
@pytest.mark.parametrize("time_step", [1e-4, 1e-3, 0.01, 0.1])
def test_one_free_step_is_exact(moments, time_step):
    """Agree with the true motion in one step, in every order of the three moments.

    Largest error of the composition at its largest angle: 6e-13 (see `SPLIT_ANGLE`), and per part.
    """
    quaternion, spin = np.array([0.5, -0.1, 0.7, 0.5]), (1.0, -2.0, 1.5)
    for inertia in set(itertools.permutations(moments)):
        q_true, w_true = exact(inertia, quaternion, spin, np.zeros(3), time_step)
        q, w = Bodies(inertia=inertia, spin=spin, quaternion=quaternion).run(time_step, 1)
        assert difference(q[1], q_true[0] / np.linalg.norm(q_true[0])) < 2e-12
        np.testing.assert_allclose(body_rates(q, w)[1], w_true[0], atol=2e-12)


@settings(max_examples=60)
@given(st.floats(0.1, 1.9), st.tuples(RATES, RATES, RATES), UNIT_QUATERNIONS, st.sampled_from([0, 1, 2]))
def test_symmetric_top_is_exact(ratio, spin, quaternion, axis):
    """Follow the closed form of the symmetric top at any step: precession about L, spin about the axis.

    q(t) = exp(L t / J1) q(0) exp(e (1 / J3 - 1 / J1) P_3 t), e the axis of the moment J3.
    """
    inertia, along = np.ones(3), np.eye(3)[axis]
    inertia[axis] = ratio
    body = Bodies(inertia=inertia, spin=spin, quaternion=quaternion)
    momentum_body = inertia * np.array(spin)
    momentum_world = matrix(quaternion) @ momentum_body
    q, _ = body.run(0.5, 4)
    expected = product(turn(momentum_world * 2.0), quaternion)
    expected = product(expected, turn(along * (1.0 / ratio - 1.0) * momentum_body[axis] * 2.0))
    # angles of up to 700 rad are rounded to 1e-13, in the closed form too
    assert difference(q[-1], expected) < 1e-11


def error_after_one_second(method, time_step, torque):
    """Return the largest error of attitude and rates of the body (1, 2, 3) after 1 s."""
    inertia, spin, quaternion = (1.0, 2.0, 3.0), (1.0, 2.0, -1.5), np.array([0.5, 0.5, -0.5, 0.5])
    q_true, w_true = exact(inertia, quaternion, spin, torque, 1.0)
    body = Bodies(inertia=inertia, spin=spin, quaternion=quaternion)
    body.torques[0] = torque
    q, w = body.run(time_step, round(1.0 / time_step), method)
    turned = difference(q[-1], q_true[0] / np.linalg.norm(q_true[0]))
    return max(turned, np.abs(body_rates(q, w)[-1] - w_true[0]).max())


@pytest.mark.parametrize(
    ("method", "order", "time_step"),
    [("symmetric", 2, 0.01), ("rk4", 4, 0.01), ("taylor", 6, 0.04), ("euler", 1, 5e-4)],
)
def test_order_of_convergence(method, order, time_step):
    """Converge, under a torque constant in the world, with the order of the method."""
    torque = np.array([2.0, -1.0, 3.0])
    coarse = error_after_one_second(method, time_step, torque)
    fine = error_after_one_second(method, time_step / 2, torque)
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.15)


def test_adaptive_keeps_its_tolerance():
    """Stay near the tolerance whatever the step: 1e-10 per sub-step, some tens of sub-steps per second."""
    for time_step in (0.01, 0.1, 1.0):
        assert error_after_one_second("adaptive", time_step, np.array([2.0, -1.0, 3.0])) < 1e-8


@pytest.mark.parametrize("method", list(METHODS))
def test_body_at_rest_stays(method):
    """Leave a body without velocity and load bitwise as it is."""
    for inertia in [(1, 1, 1), (1, 1, 2), (1, 2, 3)]:
        body = Bodies(inertia=inertia, quaternion=(0.5, 0.5, -0.5, 0.5))
        start = [x.copy() for x in body.state()]
        body.run(0.01, 3, method)
        for now, then in zip(body.state(), start, strict=True):
            np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize("rate", [100.0, 1000.0, 1e5])
def test_fast_spin_stays_bounded(rate):
    """Keep momentum and the bounds of the energy |L|^2/(2 J_max) to |L|^2/(2 J_min) at any speed."""
    inertia = np.array([1.0, 2.0, 3.0])
    q, w = Bodies(inertia=inertia, spin=(rate, -0.7 * rate, 0.3 * rate)).run(0.01, 200)
    m, e = momentum(q, w, inertia), energy(q, w, inertia)
    assert np.isfinite(q).all() and np.isfinite(w).all()
    size = np.linalg.norm(m[0])
    assert np.linalg.norm(m - m[0], axis=1).max() < 200 * STEP_ROUNDING * size
    assert (e > size**2 / 6.0 * (1 - 1e-12)).all() and (e < size**2 / 2.0 * (1 + 1e-12)).all()
    if rate <= 1000.0:  # not yet at the limit of parts: 1e-12 per part, at most 100 parts
        assert np.abs(e / e[0] - 1.0).max() < 1e-10


@settings(max_examples=40)
@given(st.tuples(RATES, RATES, RATES), UNIT_QUATERNIONS, st.sampled_from([0.001, 0.1]))
def test_kinematic_body_turns_as_told(spin, quaternion, time_step):
    """Turn a kinematic body by exactly w t and move it by v t, whatever its inertia and loads."""
    body = Bodies(inertia=(1, 2, 3), spin=spin, quaternion=quaternion)
    body.kinds[0] = KINEMATIC
    body.velocities[0], body.forces[0], body.torques[0] = (1, -2, 3), (5, 5, 5), (5, 5, 5)
    body.gravity[:] = 0, 0, -9.81
    w = body.angular_velocities[0].copy()
    body.run(time_step, 10)
    np.testing.assert_array_equal(body.velocities[0], [1, -2, 3])
    np.testing.assert_array_equal(body.angular_velocities[0], w)
    np.testing.assert_allclose(body.positions[0], np.array([1, -2, 3]) * 10 * time_step, rtol=1e-14)
    expected = product(turn(w * 10 * time_step), quaternion)
    assert difference(body.quaternions[0], expected) < 10 * STEP_ROUNDING + 1e-15 * np.linalg.norm(w)


def crowd() -> Bodies:
    """Return static, kinematic and dynamic bodies of all kinds of inertia, under load."""
    random = np.random.default_rng(7)
    bodies = Bodies(count=60)
    bodies.kinds[:] = np.tile([STATIC, KINEMATIC, DYNAMIC], 20)
    bodies.inertias[:] = 3.0 - random.uniform(0.0, 1.0, (60, 3))
    bodies.inertias[20:40, 1] = bodies.inertias[20:40, 0]
    bodies.inertias[30:40, 2] = bodies.inertias[30:40, 0]
    for array in (*bodies.state(), bodies.forces, bodies.torques, bodies.gravity):
        array[:] = random.normal(size=array.shape)
    bodies.quaternions /= np.linalg.norm(bodies.quaternions, axis=1)[:, None]
    bodies.angular_velocities *= 10.0 ** random.integers(-4, 3, (60, 1))
    bodies.torques[::2] = 0.0
    return bodies


@pytest.mark.parametrize("method", list(METHODS))
def test_preview_is_advance(method):
    """Preview bitwise the poses that advance gives, change nothing, and write only the listed rows."""
    bodies, code = crowd(), METHODS[method]
    before = [x.copy() for x in bodies.all_arrays()]
    chosen = np.array([5, 0, 1, 2, 40, 59, 58, 32, 33, 20])
    positions, quaternions = np.full((60, 3), 7.0), np.full((60, 4), 7.0)
    preview_bodies(code, chosen, bodies.arrays, bodies.gravity, 0.01, positions, quaternions)
    for now, then in zip(bodies.all_arrays(), before, strict=True):
        np.testing.assert_array_equal(now, then)
    bodies.advance(code, 0.01)
    np.testing.assert_array_equal(positions[chosen], bodies.positions[chosen])
    np.testing.assert_array_equal(quaternions[chosen], bodies.quaternions[chosen])
    others = np.setdiff1d(np.arange(60), chosen)
    assert (positions[others] == 7.0).all() and (quaternions[others] == 7.0).all()
    for now, then in zip(bodies.state(), before[:4], strict=True):
        np.testing.assert_array_equal(now[::3], then[::3])  # static bodies


@pytest.mark.parametrize("method", list(METHODS))
def test_bodies_do_not_depend_on_their_neighbours(method):
    """Move every body bitwise as it moves alone."""
    bodies, code = crowd(), METHODS[method]
    alone = [BodyArrays(*(field[i : i + 1].copy() for field in bodies.arrays)) for i in range(60)]
    bodies.advance(code, 0.01)
    for i, one in enumerate(alone):
        advance(code, one, bodies.gravity, 0.01)
        for name in NAMES[:4]:
            np.testing.assert_array_equal(getattr(one, name)[0], getattr(bodies, name)[i])


@settings(max_examples=30)
@given(UNIT_QUATERNIONS, st.tuples(RATES, RATES, RATES), st.floats(1e-3, 1e3))
def test_world_axes_and_mass_scale_do_not_matter(view, spin, scale):
    """Move the same when the whole scene is turned, or masses and torques are scaled."""
    inertia, torque = np.array([1.0, 2.0, 2.5]), np.array([1.0, -2.0, 0.5])
    plain = Bodies(inertia=inertia, spin=spin)
    plain.torques[0] = torque
    other = Bodies(inertia=inertia * scale, spin=spin, quaternion=view)
    other.torques[0] = matrix(view) @ torque * scale
    plain.run(0.02, 10)
    other.run(0.02, 10)
    size = 1.0 + np.abs(spin).max()
    # rounding may put a step on the other side of the edge between two schemes: 1e-12 apart
    assert difference(product(view, plain.quaternions[0]), other.quaternions[0]) < 1e-11 * size
    turned = matrix(view) @ plain.angular_velocities[0]
    np.testing.assert_allclose(other.angular_velocities[0], turned, atol=1e-11 * size)


def test_nan_stays_with_its_body():
    """Carry NaN on visibly, without hanging and without touching other bodies."""
    for method in METHODS.values():
        bodies = Bodies(count=2, inertia=(1, 2, 3), spin=(1, 1, 1))
        bodies.angular_velocities[0, 1] = np.nan
        bodies.advance(method, 0.01)
        assert np.isnan(bodies.quaternions[0]).any() and np.isnan(bodies.angular_velocities[0]).any()
        assert np.isfinite(bodies.quaternions[1]).all() and np.isfinite(bodies.angular_velocities[1]).all()

"""Systems of Specker 2016 in the engine: a double pendulum and a cube on a floor, beside his models."""

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.specker.cube import leavings, run_cube
from stoss.benchmarks.specker.oracle import run_pendulum
from stoss.benchmarks.specker.worlds import cube_leaves
from stoss.collision.kernels.decorators import compiled
from stoss.engine.contacts.impact_path import BY_LAW, collide
from stoss.scenes import SCENES


def pendulum(friction, h, duration=1.0):
    """Return forces (n, 2) on both balls, inner first, when they first push, energies and the world.

    Forces are means of the steps: an impact may be over at the end of one.
    """
    kinetic, static = friction
    world = SCENES["double_pendulum_floor"].build(
        friction=kinetic, static_friction=static, radius=1e-4, time_step=h
    )
    balls = [world.body("inner"), world.body("outer")]
    forces, energies = [], []
    for _ in range(round(duration / h)):
        world.step()
        forces.append([sum(c.impulse_along_normal for c in world.contacts.of(ball)) / h for ball in balls])
        energies.append(world.report.energy + world.contacts.stored_energy.sum())
    forces = np.array(forces)
    first = [h * (1 + np.argmax(force > 1.0)) if (force > 1.0).any() else np.inf for force in forces.T]
    return forces, first, np.array(energies), world


def test_a_pendulum_without_friction():
    """Touch when the reference does to a step, come to rest flat, and gain no energy (X-09, T-09)."""
    seen = run_pendulum(h=1e-4)
    forces, first, energies, world = pendulum((0.0, 0.0), 1e-3)
    for which in (0, 1):
        assert first[which] == pytest.approx(seen.contacts(which)[0], abs=1.1e-3)
    assert forces[-1] == pytest.approx([0.981, 0.981], rel=1e-4)
    heights = [world.body(name).position[2] for name in ("inner", "outer")]
    assert heights == pytest.approx(seen.gaps[-1], abs=2e-8)
    assert np.diff(energies).max() < 1e-5


def test_a_pendulum_in_long_steps():
    """Touch in the steps of 10 ms in which the reference does, and rest the same (X-09)."""
    forces, first, _, _ = pendulum((0.0, 0.0), 1e-2, 0.7)
    seen = run_pendulum(h=1e-4)
    for which in (0, 1):
        assert seen.contacts(which)[0] < first[which] + 1e-9 < seen.contacts(which)[0] + 0.0101
    assert forces[-1] == pytest.approx([0.981, 0.981], rel=1e-4)


def test_a_pendulum_stands_as_an_arch():
    """Never let the inner ball touch where friction is high, and carry what statics say (X-10, T-10)."""
    seen = run_pendulum((0.36, 0.4))
    forces, first, _, world = pendulum((0.36, 0.4), 2e-3)
    assert first[0] == np.inf
    assert forces[-1, 1] == pytest.approx(1.4715, rel=5e-3)
    push = np.linalg.norm(world.contacts[0].impulse[:2]) / 2e-3
    assert push == pytest.approx(seen.friction[-1], rel=0.05) and push < 0.36 * 1.4715
    # it does not creep, which the filter of the thesis does
    assert np.abs(world.body("outer").velocity).max() < 1e-5
    assert world.body("inner").position[2] == pytest.approx(0.01 + 0.1 * np.sin(0.8911), abs=1.5e-3)


@pytest.mark.parametrize(("friction", "count", "close"), [((0.0, 0.0), 4, 0.01), ((0.25, 0.3), 3, 0.02)])
def test_a_cube_tumbles(friction, count, close):
    """Leave the floor as the reference does, with impacts followed in time (X-11, X-12).

    With friction the fourth contact is left out: by then an error of 0.1 % in how fast it turns at first has
    grown to 20 %. The filter of the thesis's friction, of 0.1 ms, is left out too, which is as much as 4 %.
    """
    right = leavings(run_cube(friction, 0.46, h=1e-6, every=10, filter_time=0.0))
    found = cube_leaves(friction, 1e-4, count)
    for ours, exact in zip(found, right[:count], strict=True):
        v, w = exact.velocity, exact.angular_velocity
        assert ours.time == pytest.approx(exact.time, abs=1.5e-4)
        assert np.linalg.norm(ours.velocity - v) < close * np.linalg.norm(v)
        assert np.linalg.norm(ours.angular_velocity - w) < close * np.linalg.norm(w)
        if friction[0] == 0.0:
            assert ours.velocity[:2] == pytest.approx([2.0, 1.0], abs=1e-12)
            assert abs(ours.angular_velocity[2]) < 1e-9


def test_oblique_impacts_in_the_impulse_domain():
    """Do what the equations of motion in time do, whatever couples normal and tangents (5.2 e).

    Followed by small steps of the normal impulse, of which the activation is the integral.
    """
    rng = np.random.default_rng(5)
    for damping in (0.0, 0.3, 2.0):
        for _ in range(4):
            root = rng.normal(size=(3, 3)) + 2.0 * np.eye(3)
            k, u, mu = root @ root.T, np.append(-rng.uniform(1, 3), rng.normal(size=2)), 0.3
            e = st.RestrictionContact(1.0, 1.0, damping).restitution(-u[0])
            found = np.array(collide(k[np.triu_indices(3)], tuple(u), mu, mu, e, BY_LAW, -u[0], damping))
            p = found[:3] + found[3:6]
            v = _by_small_impulses(k, u, mu, damping)
            assert u + k @ p == pytest.approx(v, abs=3e-3)


@compiled
def _by_small_impulses(k, v, mu, damping):
    """Return the velocity after an impact, by midpoint steps of the normal impulse."""
    inside, dp, f = 0.0, 2e-5, np.array([1.0, 0.0, 0.0])
    v, w = v.copy(), v.copy()
    while inside <= 0.0:
        for half in range(2):
            slip = np.sqrt(w[1] ** 2 + w[2] ** 2)
            grip = -mu * np.tanh(slip / 1e-4) / slip
            f[1], f[2] = grip * w[1], grip * w[2]
            if half == 0:
                w = v + 0.5 * dp * (k @ f)
        inside += dp * w[0] * (1.0 + np.exp(2.0 * damping * w[0]))
        v = v + dp * (k @ f)
        w = v.copy()
    return v


def test_an_oblique_impact_of_the_cube():
    """Have the outcome of the map of the specification where a step does not resolve the impact (5.5)."""
    k, arm = np.zeros((3, 3)), np.array([-0.04745, 0.02451, -0.06817])
    across = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
    inertia = 0.1 * 0.01 / 6.0
    k = np.eye(3) / 0.1 - across @ across / inertia
    order = [2, 0, 1]  # normal first
    velocity, turn = np.array([2.0, 1.0, -4.2708]), np.array([10.002, 1.005, 0.0])
    u = velocity + np.cross(turn, arm)
    k, u = k[np.ix_(order, order)], u[order]
    assert u[0] == pytest.approx(-3.97709, abs=2e-3)
    e = st.RestrictionContact(1.0, 1.0, 0.3).restitution(-u[0])
    out = np.array(collide(k[np.triu_indices(3)], tuple(u), 0.25, 0.3, e, BY_LAW, -u[0], 0.3))
    p = (out[:3] + out[3:6])[[1, 2, 0]]
    after, spin = velocity + p / 0.1, turn + np.cross(arm, p) / inertia
    # Coulomb with a static coefficient here, the thesis's curve there
    assert after[2] == pytest.approx(-1.676, abs=0.02)
    assert spin == pytest.approx([27.5, 66.8, 11.5], rel=0.02)
    out = np.array(collide(k[np.triu_indices(3)], tuple(u), 0.0, 0.0, e, BY_LAW, -u[0], 0.3))
    assert -4.2708 + (out[0] + out[3]) / 0.1 == pytest.approx(-1.949, abs=3e-3)


def test_balls_bounce_by_their_laws():
    """Rebound to what the laws say at the speed of the fall, and rest or go on as they do."""
    world = SCENES["bouncing_sphere"].build(height=1.0)
    speed = np.sqrt(2.0 * 9.81)
    tops = {body.name: 0.0 for body in world.bodies if body.kind == "dynamic"}
    fell = dict.fromkeys(tops, False)
    for _ in range(100):
        world.step()
        for name in tops:
            body = world.body(name)
            fell[name] = fell[name] or body.velocity[2] > 0.0
            tops[name] = max(tops[name], body.position[2] - 0.1) if fell[name] else 0.0
    for name, top in tops.items():
        law = world.body(name).material.contact_law
        e = 0.7 if law is None else law.restitution(speed, 1.0)
        # at 10 ms the bounce is at the end of a step, and the top between two
        assert top == pytest.approx(e * e, abs=0.01 * (1.0 + e) * speed), name


def test_a_law_of_a_user_of_scenes_is_checked():
    """Say which argument of a scene makes no sense."""
    with pytest.raises(ValueError, match="static_friction"):
        SCENES["tumbling_cube"].build(friction=0.3, static_friction=0.1)
    assert isinstance(SCENES["bouncing_sphere"].build(), st.World)

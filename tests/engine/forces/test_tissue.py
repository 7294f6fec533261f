"""Muscles, wobbling masses, drag."""

import numpy as np
import pytest

import stoss as st


def soft_and_bone(h=0.001, bone_kind="dynamic", planar=None):
    """Return a world with a bone of 10 kg and a soft body of 2 kg in it, without shapes."""
    world = st.World(gravity=(0, 0, 0), time_step=h, planar=planar)
    bone = world.add_body((), mass_properties=st.from_values(10.0, (0.4, 0.5, 0.1)), name="bone")
    soft = world.add_body((), mass_properties=st.from_values(2.0, (0.02, 0.03, 0.01)), name="soft")
    bone.kind = bone_kind
    return world, soft, bone


@pytest.mark.parametrize("direction", [(0, 0, 1), (1, 0, 0)])
def test_cubic_coupling_has_its_period(direction):
    """Swing as m r'' = -c r^3 does: 7.4163 / (A sqrt(c / m)), along the axis and across it."""
    world, soft, bone = soft_and_bone(1e-4, "static")
    world.add_load(st.WobblingMass(soft, bone, stiffness=1e7))
    amplitude, way = 0.02, np.array(direction, float)
    soft.position = amplitude * way
    places, last = [], soft.position @ way
    for _ in range(2200):
        world.step()
        now = soft.position @ way
        if last > 0 >= now or last < 0 <= now:
            places.append(world.time - world.time_step * now / (now - last))
        last = now
    period = places[2] - places[0]
    assert period == pytest.approx(0.16583, rel=1e-3)
    assert period == pytest.approx(7.416299 / (amplitude * np.sqrt(1e7 / 2.0)), rel=1e-4)


def test_wobbling_keeps_momentum_and_angular_momentum():
    """Give nothing to both bodies together, for any pose and velocity, and take energy by its dampers."""
    rng = np.random.default_rng(5)
    world, soft, bone = soft_and_bone(1e-3)
    law = dict(stiffness=3e4, damping=200.0, stiffness_across=1e4, damping_across=500.0, area=0.1, power=2.0)
    load = world.add_load(
        st.WobblingMass(soft, (bone, (0.1, 0, 0.2)), (1, 2, 3), **law, turn_stiffness=3.0, turn_damping=0.1)
    )
    for body in (soft, bone):
        body.position = 0.1 * rng.normal(size=3)
        body.quaternion = (q := rng.normal(size=4)) / np.linalg.norm(q)
        body.velocity, body.angular_velocity = rng.normal(size=3), rng.normal(size=3)
    before, start = world.report, world.report.energy + load.potential
    world.step(1)
    own = load.on(soft)
    assert np.allclose(own[:3], -load.on(bone)[:3], rtol=1e-12)
    world.step(200)
    after = world.report
    assert np.allclose(after.momentum, before.momentum, rtol=0, atol=1e-11)
    # over a step the mean place of a body is that of the middle, along its force: so this is exact too
    assert np.allclose(after.angular_momentum, before.angular_momentum, rtol=0, atol=1e-11)
    assert after.energy + load.potential < start


def test_torques_of_a_wobbling_mass_balance_to_rounding():
    """Leave no moment about any point, at the instant at which the forces are worked out."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        world, soft, bone = soft_and_bone(1e-15)
        load = world.add_load(
            st.WobblingMass(soft, bone, rng.normal(size=3), 5e4, 300.0, 2e4, 100.0, turn_stiffness=30.0)
        )
        for body in (soft, bone):
            body.position, body.velocity = 0.1 * rng.normal(size=3), rng.normal(size=3)
            body.quaternion = (q := rng.normal(size=4)) / np.linalg.norm(q)
            body.angular_velocity = rng.normal(size=3)
        world.step()
        moment = sum(
            np.cross(body.center_of_mass, load.on(body)[:3]) + load.on(body)[3:] for body in (soft, bone)
        )
        size = np.linalg.norm(load.on(bone)[3:]) + 1.0
        assert np.abs(moment).max() < 1e-11 * size


def test_linear_coupling_swings_as_two_masses_on_a_spring():
    """Swing with sqrt(k / m) of the reduced mass, damped as d / (2 m)."""
    world, soft, bone = soft_and_bone(2e-4)
    world.add_load(st.WobblingMass(soft, bone, stiffness=2e4, damping=20.0, power=1.0, damping_by=0.0))
    soft.position = 0, 0, 0.01
    reduced = 1 / (1 / 2.0 + 1 / 10.0)
    rate = 20.0 / (2 * reduced)
    omega = np.sqrt(2e4 / reduced - rate**2)
    for _ in range(5):
        world.step(100)
        t = world.time
        wanted = 0.01 * np.exp(-rate * t) * (np.cos(omega * t) + rate / omega * np.sin(omega * t))
        assert soft.position[2] - bone.position[2] == pytest.approx(wanted, abs=5e-5)


def test_soft_body_turns_back_in_its_bone():
    """Be without torque as it was added, whatever that was, and also after it was given anew."""
    turn = np.array([0.9, 0.1, -0.3, 0.2]) / np.linalg.norm([0.9, 0.1, -0.3, 0.2])
    world, soft, bone = soft_and_bone(1e-9)
    soft.quaternion = turn
    load = world.add_load(st.WobblingMass(soft, bone, turn_stiffness=7.0))
    world.step()
    assert np.abs(load.on(soft)).max() < 1e-12
    soft.quaternion = 1, 0, 0, 0
    load.kind = load.kind
    world.step()
    angle = 2 * np.arccos(turn[0])
    assert np.linalg.norm(load.on(soft)[3:]) == pytest.approx(7.0 * angle, rel=1e-6)


@pytest.mark.parametrize(
    ("length", "rate", "activation", "wanted"),
    [
        (0.3, 0.0, 1.0, 100.0),
        (0.3, 0.0, 0.25, 25.0),
        (0.375, 0.0, 1.0, 100.0 * np.exp(-0.25)),
        (0.225, 0.0, 1.0, 100.0 * np.exp(-0.25)),
        (0.3, -0.5, 1.0, 100.0 * 0.5 / 3.0),
        (0.3, -1.5, 1.0, 0.0),
        (0.3, 1e6, 1.0, 150.0),
    ],
)
def test_muscle_pulls_by_length_and_speed(length, rate, activation, wanted):
    """Give the bell curve of the length, Hill's hyperbola of the speed, and the share that is active."""
    world = st.World(gravity=(0, 0, 0), time_step=1e-12)
    ball = world.add_body(st.Sphere(0.1), mass=1.0, position=(length, 0, 0), velocity=(rate, 0, 0))
    muscle = st.Muscle(None, ball, 100.0, optimal_length=0.3, width=0.5, max_speed=1.0)
    load = world.add_load(muscle)
    load.amount = activation
    world.step()
    assert load.effort == pytest.approx(wanted, rel=1e-4, abs=1e-9)
    assert load.on(ball)[0] == pytest.approx(-wanted, rel=1e-4, abs=1e-9)
    with pytest.raises(ValueError, match="activation"):
        load.amount = 1.5


def test_a_ball_falls_as_drag_lets_it():
    """Fall at v tanh(g t / v), and drift with the wind at last."""
    world = st.World(time_step=0.01)
    ball = world.add_body(st.Sphere(0.1), mass=0.5)
    load = world.add_load(st.Drag(ball, area=np.pi * 0.01, coefficient=0.47, density=1.2))
    speed = np.sqrt(2 * 0.5 * 9.81 / (1.2 * np.pi * 0.01 * 0.47))
    world.step(200)
    assert ball.velocity[2] == pytest.approx(-speed * np.tanh(9.81 * 2.0 / speed), rel=2e-5)
    assert load.energy == pytest.approx(world.ledger.load_work)
    world.gravity = (0, 0, 0)
    load.kind = st.Drag(ball, linear=2.0, wind=(3, 0, 0))
    world.step(1000)
    assert ball.velocity == pytest.approx([3, 0, 0], abs=1e-6)
    load.amount = (0, 1, 0)
    world.step(1000)
    assert ball.velocity == pytest.approx([0, 1, 0], abs=1e-6)

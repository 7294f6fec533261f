"""Loads that are functions of the user, and user integrals: order, errors, copies, snapshots."""

import pickle

import numba
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stoss as st


def cubic_spring(c):
    """Pull a ball to the origin by 30 N/m^3, with a drag of 0.3 N s^2/m^2."""
    ball = c.body("ball")
    x, v = ball.position, ball.velocity
    c.force(ball, -30.0 * x * (x @ x) - 0.3 * v * np.linalg.norm(v))


@numba.njit
def compiled_spring(c):
    x, v = c.centers_of_mass[0], c.velocities[0]
    size = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    for k in range(3):
        c.forces[0, k] -= c.parameters.stiffness * x[k] * square + 0.3 * v[k] * size
    c.scratch[0] += 1.0


def place(c):
    """Return where the ball is along x."""
    return c.body("ball").position[0]


def ball_world(h=0.01):
    world = st.World(time_step=h)
    world.add_body(st.Sphere(0.1), mass=1.0, position=(1, 0, 0), velocity=(0, 0.5, 0), name="ball")
    return world


def ratios(errors):
    return np.array(errors[:-1]) / np.array(errors[1:])


def test_function_loads_and_integrals_are_of_order_two():
    """Halve the step: the errors of position, velocity and integral go to a quarter."""

    def rate(t, y):
        x, v = y[:3], y[3:6]
        force = -30.0 * x * (x @ x) - 0.3 * v * np.linalg.norm(v)
        return np.r_[v, force + [0, 0, -9.81], x[0]]

    exact = solve_ivp(rate, (0, 1), [1, 0, 0, 0, 0.5, 0, 0], rtol=1e-12, atol=1e-13, method="DOP853")
    wanted, errors = exact.y[:, -1], []
    for h in (0.01, 0.005, 0.0025):
        world = ball_world(h)
        world.add_load(cubic_spring)
        integral = world.add_integral("way", place)
        world.step(round(1.0 / h))
        ball = world.body("ball")
        got = np.r_[ball.position, ball.velocity, integral.value]
        errors.append([np.abs((got - wanted)[part]).max() for part in (slice(3), slice(3, 6), slice(6, 7))])
    assert ((ratios(errors) > 3.6) & (ratios(errors) < 4.4)).all(), ratios(errors)


def test_order_two_holds_at_joints():
    """Halve the step of a pendulum with a spring to the world and a damper that are functions."""
    inertia = 2 / 12 * 1.01 + 2 * 0.25

    def act(c):
        away = c.body("rod").world_point((0.5, 0, 0)) - (0.5, 0, 1.0)
        c.force("rod", -40.0 * away * (away @ away), at=(0.5, 0, 0))
        c.joint_torque("hinge", -0.5 * c.joint("hinge").rate)

    def rate(t, y):
        q, u = y
        away = np.array([np.cos(q), 0, -np.sin(q)]) - (0.5, 0, 1.0)
        along = np.array([-np.sin(q), 0, -np.cos(q)])
        torque = -40.0 * away * (away @ away) @ along + 9.81 * np.cos(q) - 0.5 * u
        return [u, torque / inertia]

    wanted = solve_ivp(rate, (0, 1), [0, 0], rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
    errors = []
    for h in (0.01, 0.005, 0.0025):
        world = st.World(time_step=h)
        rod = world.add_body(st.Box((1, 0.1, 0.1)), mass=2.0, position=(0.5, 0, 0), name="rod")
        hinge = world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, rod, name="hinge")
        world.add_load(act)
        world.step(round(1.0 / h))
        errors.append(np.abs([hinge.value - wanted[0], hinge.rate - wanted[1]]))
    assert ((ratios(errors) > 3.6) & (ratios(errors) < 4.4)).all(), ratios(errors)


def test_compiled_functions_do_the_same():
    """Get the same motion from a function that numba compiles, to rounding, and keep its memory."""
    plain, quick = ball_world(), ball_world()
    plain.add_load(cubic_spring)
    load = quick.add_load(compiled_spring, parameters={"stiffness": 30.0}, scratch=1)
    for world in (plain, quick):
        world.step(100)
    assert np.allclose(plain.body("ball").position, quick.body("ball").position, rtol=0, atol=1e-12)
    assert load.scratch.tolist() == [100.0]
    load.parameters = {"stiffness": 0.0}
    assert load.parameters == {"stiffness": 0.0}
    with pytest.raises(ValueError, match="no 'k'; it was added with stiffness"):
        load.parameters = {"k": 1.0}


def test_a_function_that_numba_cannot_compile_is_refused_when_added():
    """Name the load and the reason."""

    @numba.njit
    def wrong(c):
        c.no_such_thing[0] = 1.0

    with pytest.raises(TypeError, match=r"load 'w': .*does not compile as f\(context\)") as caught:
        ball_world().add_load(wrong, name="w")
    assert "no_such_thing" in str(caught.value)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda c: 1 / 0, "ZeroDivisionError"),
        (lambda c: c.force("ball", (0, 0, np.nan)), "NaN"),
        (lambda c: c.force("ball", (0, 1)), "shape"),
        (lambda c: c.forces.__setitem__(0, np.inf), "gave body 'ball' a force that is not finite"),
        (lambda c: c.force("balls", (0, 0, 1)), "no body 'balls'"),
        (lambda c: c.joint_torque("elbow", 1.0), "no joint 'elbow'"),
        (lambda c: c.world.step(), "was called within world.step"),
    ],
)
def test_errors_name_load_and_step_and_leave_the_world(function, says):
    """Return to the state before the step, to the bit, with memory and integrals, and go on without it."""
    world, twin = ball_world(), ball_world()
    for one in (world, twin):
        one.add_load(compiled_spring, parameters={"stiffness": 30.0}, scratch=1, name="spring")
        one.add_integral("way", place)
        one.step(5)
    bad = world.add_load(function, name="bad")
    with pytest.raises(st.LoadError, match=r"load 'bad'.*step 6 at 0\.0") as caught:
        world.step()
    assert says in str(caught.value) and caught.value.step == 6 and caught.value.load == "load 'bad'"
    assert world.state_hash() == twin.state_hash() and world.step_count == 5
    assert world.load("spring").scratch.tolist() == [5.0]
    assert world.integral("way").value == twin.integral("way").value
    bad.remove()
    for one in (world, twin):
        one.step(5)
    assert np.allclose(world.positions, twin.positions, rtol=0, atol=1e-14)


@pytest.mark.parametrize("rate", [lambda c: "x", lambda c: np.nan, lambda c: (1.0, 2.0), lambda c: None])
def test_rates_that_are_no_numbers_are_told(rate):
    """Name the integral; its value stays."""
    world = ball_world()
    integral = world.add_integral("way", rate, 3.0)
    with pytest.raises(st.LoadError, match="integral 'way' raised .*the rate"):
        world.step()
    assert integral.value == 3.0 and world.step_count == 0


def test_integrals_may_be_arrays_and_of_each_other():
    """Integrate a vector, and a first-order lag of the time: x' = (t - x) / T."""
    world = ball_world(0.001)
    total = world.add_integral("velocity", lambda c: c.body("ball").velocity, (1.0, 0.0, 0.0))
    lag = world.add_integral("lag", lambda c: (c.time - c.integrals["lag"]) / 0.2)
    world.step(1000)
    assert np.allclose(total.value, world.body("ball").position, rtol=0, atol=1e-5)
    assert lag.value == pytest.approx(1.0 - 0.2 + 0.2 * np.exp(-5.0), abs=1e-6)
    lag.value = 2.0
    assert lag.value == 2.0
    with pytest.raises(ValueError, match="value = .* has shape"):
        total.value = (1.0, 2.0)


def test_copies_and_snapshots_go_on_with_the_same_bits():
    """Keep functions, memory, integrals, and what is extrapolated from the last step."""
    world = ball_world()
    world.add_load(cubic_spring, name="spring")
    world.add_integral("way", place)
    world.add_load(compiled_spring, parameters={"stiffness": 3.0}, scratch=1, name="quick")
    world.step(7)
    twin, other, saved = world.copy(), pickle.loads(pickle.dumps(world)), world.save()
    ends = []
    for one in (world, twin, other):
        one.step(9)
        ends.append((one.state_hash(), one.integral("way").value, one.load("quick").scratch[0]))
    assert ends[0] == ends[1] == ends[2]
    world.restore(saved)
    world.step(9)
    assert (world.state_hash(), world.integral("way").value, world.load("quick").scratch[0]) == ends[0]
    assert twin.load("spring").world is twin


def test_files_hold_the_names_of_functions(tmp_path):
    """Find the functions of a snapshot file by the names of loads, or say which are missing."""
    world = ball_world()
    world.add_load(cubic_spring, name="spring")
    world.add_load(st.Force(world.body("ball"), (0, 0, 1)), name="lift")
    world.add_integral("way", place)
    world.step(5)
    world.save().write(tmp_path / "a.npz")
    world.step(5)
    wanted = world.state_hash(), world.integral("way").value
    saved = st.Snapshot.read(tmp_path / "a.npz")
    world.restore(saved)
    world.step(5)
    assert (world.state_hash(), world.integral("way").value) == wanted
    with pytest.raises(ValueError, match="load 'spring' of the snapshot is the function cubic_spring"):
        ball_world().restore(saved)
    other = ball_world()
    other.add_load(cubic_spring, name="spring")
    other.add_integral("way", place)
    other.restore(saved)
    other.step(5)
    assert (other.state_hash(), other.integral("way").value) == wanted


def test_functions_that_hold_a_body_of_the_world_are_not_copied():
    """Refuse to copy what would act on the original."""
    world = ball_world()
    ball = world.body("ball")
    world.add_load(lambda c: c.force(ball, (0, 0, 1)))
    with pytest.raises(ValueError, match="load 'load 0': .* refers to ball"):
        world.copy()


def test_the_ledger_closes_and_loads_know_what_they_gave():
    """Add up the work of loads to what the ledger says, and to the change of the energy."""
    world = ball_world()
    spring = world.add_load(cubic_spring)
    lift = world.add_load(st.Force(world.body("ball"), (0, 0, 5)))
    before = world.report.energy
    world.step(50)
    assert spring.energy + lift.energy == pytest.approx(world.ledger.load_work, abs=1e-12)
    assert world.report.energy - before == pytest.approx(world.ledger.load_work, abs=1e-12)
    assert lift.power == pytest.approx(5 * world.body("ball").velocity[2], rel=0.2)


def test_a_world_without_loads_is_as_before():
    """Give the same bits with no load, with loads that were removed, and with one that is off."""
    plain, removed, off = ball_world(), ball_world(), ball_world()
    removed.add_load(cubic_spring).remove()
    off.add_load(cubic_spring).enabled = False
    for world in (plain, removed, off):
        world.step(20)
    assert plain.state_hash() == removed.state_hash() == off.state_hash()


def test_context_acts_in_frames_and_at_points():
    """Give forces in the frame of a turned body, at its points, and along a line."""
    world = st.World(gravity=(0, 0, 0))
    turn = np.sqrt(0.5), 0, 0, np.sqrt(0.5)
    box = world.add_body(st.Box((1, 1, 1)), mass=2.0, quaternion=turn, name="box")
    tip = world.add_marker("tip", box, position=(0.5, 0, 0))

    def one(act):
        load = world.add_load(act)
        saved = world.save()
        world.step()
        given = load.on(box).copy()
        world.restore(saved)
        load.remove()
        return given

    assert np.allclose(one(lambda c: c.force("box", (1, 0, 0), frame="local")), [0, 1, 0, 0, 0, 0])
    # the tip is at (0, 0.5, 0) of the world
    assert np.allclose(one(lambda c: c.force(tip_of(c), (1, 0, 0))), [1, 0, 0, 0, 0, -0.5])
    assert np.allclose(one(lambda c: c.force("box", (1, 0, 0), at=(0.5, 0, 0))), [1, 0, 0, 0, 0, -0.5])
    assert np.allclose(one(lambda c: c.torque("box", (1, 0, 0), frame="local")), [0, 0, 0, 0, 1, 0])
    assert np.allclose(one(lambda c: c.line_force("box:tip", (0, 2, 0), 3.0)), [0, 3, 0, 0, 0, 0])
    assert tip.body is box


def tip_of(c):
    return c.marker("box:tip")

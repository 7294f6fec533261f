"""The engine and the equations of generalised coordinates on one world, and known motions."""

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.stelzner.mechanisms import double_pendulum, four_bar, knee


def test_a_double_pendulum_moves_as_known():
    """Agree with B-03 to its digits, the engine to order 2, and keep energy."""
    both = double_pendulum().run_both(1.0)
    assert both.coordinates == ("q1", "q2") and both.ended == "" and len(both.times) == 1001
    known = {
        0.25: (0.375150537, -0.460404252),
        0.5: (1.122653701, -0.593820261),
        1.0: (2.778512565, -0.393325215),
    }
    rates = {
        0.25: (2.759194178, -2.842112685),
        0.5: (2.414308313, 3.534796623),
        1.0: (3.406517533, -2.890472061),
    }
    for time, wanted in known.items():
        k = round(1000 * time)
        np.testing.assert_allclose(both.reduced[k], wanted, atol=1e-8)
        np.testing.assert_allclose(both.reduced_rates[k], rates[time], atol=1e-7)
        np.testing.assert_allclose(both.engine[k], wanted, atol=2e-5)
    assert np.ptp(both.reduced_energy) < 1e-8
    coarse = double_pendulum(0.004).run_both(1.0)
    # at the end the errors of steps of 4 ms are 16 times those of 1 ms
    np.testing.assert_allclose(coarse.differences[-1] / both.differences[-1], 16.0, rtol=0.02)
    assert np.ptp(coarse.engine_energy) / np.ptp(both.engine_energy) == pytest.approx(16.0, rel=0.05)
    assert both.largest == np.abs(both.differences).max()
    engine, reduced = both.coordinate("q2")
    np.testing.assert_array_equal(engine - reduced, both.differences[:, 1])
    assert "q2" in str(both) and "largest difference" in repr(both)


def test_a_loop_moves_as_known():
    """Agree with B-04, whose loop is closed by a whole hinge: three of its five rows are redundant."""
    both = four_bar().run_both(1.0)
    assert both.coordinates == ("crank", "rocker", "coupler")
    begin = np.radians((90.0, 101.541940806, -66.433360014))
    known = {
        0.25: (94.967531, 103.902506, -71.775130),
        0.5: (114.933409, 113.776402, -92.303811),
        1.0: (317.872235, 125.584418, -244.693912),
    }
    for time, wanted in known.items():
        k = round(1000 * time)
        np.testing.assert_allclose(both.reduced[k], np.radians(wanted) - begin, atol=2e-8)
        np.testing.assert_allclose(both.engine[k], np.radians(wanted) - begin, atol=1e-4)


@pytest.mark.parametrize(
    ("kind", "known"),
    [
        ("hinge", (79.442760, 48.470200, 26.689152)),
        ("spline", (79.770625, 49.991342, 29.120629)),
        ("custom", (79.770625, 49.991342, 29.120629)),
        ("four-bar", (79.770625, 49.991342, 29.120629)),
    ],
)
def test_knees_swing_as_known(kind, known):
    """Agree with B-02: the spline stands for its rods to its own accuracy; the hinge does not."""
    both = knee(kind).run_both(0.25)
    at = {"hinge": 0, "spline": 0, "custom": 0, "four-bar": 2}[kind]
    sign = -1 if kind == "custom" else 1
    found, reduced = (sign * np.degrees(run[[100, 200, 250], at]) for run in (both.engine, both.reduced))
    np.testing.assert_allclose(reduced, known, atol=2e-6)
    np.testing.assert_allclose(found, known, atol=5e-4)
    assert sign * both.reduced_rates[-1, at] == pytest.approx(
        -8.119450 if kind == "hinge" else -7.786503, abs=1e-6
    )


def test_both_end_where_bodies_touch_or_joints_stop():
    """Say what happened; a soft stop is a law that both know."""
    world = knee("hinge")
    world.joint("knee").limit(np.radians(60.0), np.radians(100.0))
    both = world.run_both(0.5)
    assert both.ended.startswith("joint 'knee' reaches a stop at 0.17")
    assert both.reduced[-1, 0] > np.radians(60.0) > both.solver.q[0]
    ground = st.World()
    ground.add_body(st.HalfSpace(), kind="static", name="ground")
    ground.add_body(st.Sphere(0.1), position=(0, 0, 0.2), name="ball")
    assert ground.run_both(1.0).ended.startswith("'ground' touches 'ball' at 0.1")
    soft = knee("hinge")
    soft.joint("knee").limit(np.radians(60.0), np.radians(100.0), stiffness=100.0, damping=1.0)
    both = soft.run_both(0.4)
    assert both.ended == "" and both.largest < 1e-3
    assert np.degrees(both.reduced.min()) < 58.0 and both.reduced_rates[-1, 0] > 0.0


def test_springs_servos_and_loads_act_in_both():
    """Agree with all that has a smooth law, on trees, and leave the world as it is."""
    world = double_pendulum()
    world.joint("q1").spring(20.0, 0.5)
    world.joint("q2").servo(0.3, stiffness=30.0, damping=1.0)
    tip = world.bodies[1]
    world.add_load(st.Force(world.add_marker("tip", tip, position=(1.0, 0, 0)), (0, 0, 3.0)))
    state = world.state_hash()
    both = world.run_both(0.5)
    assert world.state_hash() == state and both.largest < 1e-5
    free = double_pendulum().run_both(0.5)
    assert np.abs(both.reduced[-1] - free.reduced[-1]).max() > 0.1


def test_free_bodies_tumble_the_same():
    """Turn on past where three angles have no rates, as the engine does."""
    world = st.World(gravity=(0, 0, 0), time_step=0.001)
    world.add_body(
        mass_properties=st.from_values(1.0, np.diag([1.0, 2.0, 3.0])), angular_velocity=(0.1, 4.0, 0.0)
    )
    both = world.run_both(1.5)
    turn = both.solver.world.bodies[0].quaternion
    np.testing.assert_allclose(np.abs(turn @ both.world.bodies[0].quaternion), 1.0, atol=1e-9)
    np.testing.assert_allclose(both.reduced_energy, 16.0 + 0.005, atol=1e-8)


def test_a_crank_that_is_driven_leads_its_four_bar():
    """Drive by a motor in the engine, by a function of the time in the equations, to order 2."""

    def angle(time, order=0):
        return (0.5 - 0.5 * np.cos(2.0 * time), np.sin(2.0 * time), 2.0 * np.cos(2.0 * time))[order]

    errors = []
    for time_step in (4e-3, 2e-3):
        world = four_bar(time_step)
        times = np.arange(0.0, 1.1, time_step)
        world.joint("crank").motor(0.0).schedule(times, angle(times, 1))
        both = world.run_both(0.8, follow={"crank": angle})
        assert both.coordinates == ("rocker", "coupler")
        np.testing.assert_allclose(both.world.joint("crank").value, angle(0.8), atol=2 * time_step**2)
        errors.append(both.largest)
    assert errors[1] < 2e-5 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    with pytest.raises(ValueError, match="joint 'crank'"):
        world.run_both(0.1)
    world.joint("rocker").pid(1.0, gain=0.1)
    assert len(world.run_both(0.01, follow={"crank": angle}).times) > 1


def test_what_it_cannot_run_is_told():
    """Refuse what has no smooth law, and arguments that make no sense."""
    world = knee("hinge")
    with pytest.raises(ValueError, match="duration"):
        world.run_both(-1.0)
    with pytest.raises(ValueError, match="tolerance"):
        world.run_both(1.0, tolerance=0.0)
    with pytest.raises(ValueError, match="no coordinate 'hip'"):
        world.run_both(1.0, follow={"hip": ("knee", 1.0)})
    with pytest.raises(KeyError, match="'hip' is not one of knee"):
        world.run_both(0.01).coordinate("hip")
    with pytest.raises(TypeError, match="world"):
        st.ReducedSolver("world")
    with pytest.raises(ValueError, match="h = -1"):
        st.ReducedSolver(world).step(-1.0)
    world.joint("knee").motor(1.0, max_force=5.0)
    with pytest.raises(ValueError, match="joint 'knee'"):
        world.run_both(1.0)

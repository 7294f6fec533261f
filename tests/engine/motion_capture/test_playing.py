"""Motions that servos drive in the engine: what the servos give is what inverse dynamics asks for."""

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.stelzner.recordings import played_squat


@pytest.mark.parametrize("time_step", [0.005, 0.01])
def test_servos_on_the_ground_give_what_inverse_dynamics_asks_for(time_step):
    """Get the torques of all servos, and nothing for the pelvis, out of motion and contact forces."""
    h = time_step
    both, player, given, wanted = played_squat(h)
    missed, world = wanted - given, both.world
    # rates are those of the middle to order h^2; forces act at both ends of the step
    assert np.abs(missed).max() < 1e-3 * (h / 0.005) ** 2 * np.abs(given).max()
    assert np.abs(given[:, both.index("right knee")]).max() > 50.0
    assert (given[:, :6] == 0.0).all()
    assert np.abs(player.errors()[6:]).max() < 0.05
    feet = [world.body(f"{side} foot").position[2] for side in ("right", "left")]
    np.testing.assert_allclose(feet, 0.045409, atol=1e-3)


def arm(**servo):
    """Return an arm of a ball and a hinge, which hangs in the world, and one that plays a motion."""
    world = st.World(time_step=0.002)
    upper = world.add_body(st.Capsule(0.05, 0.2), position=(0, 0, -0.15), mass=2.0, name="upper")
    fore = world.add_body(st.Capsule(0.04, 0.2), position=(0, 0, -0.45), mass=1.5, name="fore")
    world.add_joint(st.Ball((0, 0, 0)), None, upper, name="shoulder")
    world.add_joint(st.Hinge((0, 0, -0.3), (0, -1, 0)), upper, fore, name="elbow")
    both = st.Articulation(world)
    times = np.arange(51) * 0.02
    turn = 2.0 * np.pi * times[:, None]
    q = np.array((0.4, -0.3, 0.5, 0.6)) * np.sin(turn + np.arange(4)) + (0, 0, 0, 0.8)
    motion = st.Motion(both.coordinates, times, q)
    return world, both, motion, st.MotionPlayer(both, motion, **servo)


def test_stiff_servos_follow_and_give_the_torques_of_the_motion():
    """Follow a motion in the air, with the torques that inverse dynamics finds in the motion alone."""
    world, both, motion, player = arm(stiffness=2e4, damping=200.0)
    motion.show(both, 0.0)
    world.add_controller(player)
    wanted = motion.forces(both)
    for k in range(1, 500):
        world.step()
        if k % 10 == 5 and k > 50:  # forces are those of the middle of a step, and frames at every tenth end
            ahead = motion.at(world.time - 0.001)
            found = both.inverse_dynamics(
                ahead,
                motion._curve()(world.time - 0.001, 1),
                motion._curve()(world.time - 0.001, 2),
            )
            np.testing.assert_allclose(player.forces(), found, atol=0.02 * np.abs(wanted).max())
    assert np.abs(player.errors()).max() < 2e-3


def test_players_are_copied_saved_and_restored():
    """Go on the same way from a snapshot and in a copy of the world."""
    world, both, motion, player = arm()
    motion.show(both, 0.0)
    world.add_controller(player)
    world.step(50)
    saved, other = world.save(), world.copy()
    world.step(50)
    other.step(50)
    np.testing.assert_array_equal(other.positions, world.positions)
    after = world.positions.copy()
    world.restore(saved)
    world.step(50)
    np.testing.assert_array_equal(world.positions, after)


def test_playing_slower_and_taking_servos_off():
    """Stand at the end of the motion, reach it later at half the speed, and hang free without servos."""
    world, both, motion, player = arm(stiffness=2e4, damping=200.0, speed=0.5)
    world.add_controller(player)
    motion.show(both, 0.0)
    world.step(500)
    np.testing.assert_allclose(both.q, motion.at(0.5), atol=5e-3)
    world.step(1000)
    np.testing.assert_allclose(both.q, motion.at(1.0), atol=5e-3)
    world.remove_controller(player)
    player.remove()
    assert not any(joint.drives for joint in world.joints)
    assert player.driven == ("shoulder", "elbow")


def test_what_cannot_be_played_is_told():
    """Refuse motions of others, gains of joints that are not there, and bodies without joints."""
    world, both, motion, _ = arm()
    with pytest.raises(ValueError, match="no coordinate 'elbow'"):
        st.MotionPlayer(both, motion.renamed({"elbow": "knee"}))
    with pytest.raises(ValueError, match=r"stiffness\['knee'\]: no such joint is driven"):
        st.MotionPlayer(both, motion, stiffness={"knee": 1.0})
    with pytest.raises(ValueError, match="speed = 0"):
        st.MotionPlayer(both, motion, speed=0.0)
    with pytest.raises(TypeError, match="motion"):
        st.MotionPlayer(both, both)
    loose = st.World()
    loose.add_body(st.Sphere(0.1))
    ball = st.Articulation(loose)
    with pytest.raises(ValueError, match="no joint with a coordinate"):
        st.MotionPlayer(ball, st.Motion(ball.coordinates, [0.0], np.zeros((1, 6))))
    turned = st.Motion(both.coordinates, [0.0, 0.1], [[3.0, 0, 0, 0], [3.3, 0, 0, 0]])
    with pytest.raises(ValueError, match="'shoulder' turns beyond half a turn"):
        st.MotionPlayer(both, turned)

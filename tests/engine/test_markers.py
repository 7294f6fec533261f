"""Markers: frames with names that move along with their bodies."""

import copy
import pickle

import numpy as np
import pytest

import stoss as st
from stoss.engine import Framed


def _world():
    world = st.World(gravity=(0, 0, 0))
    arm = world.add_body(st.Box((1, 1, 1)), name="arm", position=(1, 0, 0), angular_velocity=(0, 0, 2))
    return world, arm


def test_a_marker_moves_along_with_its_body():
    """Have pose and velocity of the place on the body: v + w x r."""
    world, arm = _world()
    tip = world.add_marker(
        "tip", arm, position=(0, 0.5, 0), quaternion=st.rotation.from_axis_angle((0, 0, 1), 1)
    )
    assert tip is world.marker("arm:tip") and world.markers == [tip]
    assert tip.body is arm and tip.name == "arm:tip"
    np.testing.assert_allclose(tip.position, (1, 0.5, 0))
    np.testing.assert_allclose(tip.velocity, (-1, 0, 0))
    world.step(100)
    np.testing.assert_allclose(tip.position, arm.world_point((0, 0.5, 0)), atol=1e-14)
    angle = 2.0 + 1.0
    np.testing.assert_allclose(tip.quaternion, (np.cos(angle / 2), 0, 0, np.sin(angle / 2)), atol=1e-12)
    np.testing.assert_allclose(tip.world_point((1, 0, 0)) - tip.position, (np.cos(angle), np.sin(angle), 0))


def test_a_marker_of_the_world_stays():
    """Stand where it was put, under its own name alone."""
    world, _ = _world()
    home = world.add_marker("home", position=(1, 2, 3))
    world.step(3)
    assert home.body is None and home.position.tolist() == [1, 2, 3] and home.velocity.tolist() == [0, 0, 0]


def test_markers_come_and_go_with_their_bodies():
    """Be gone with the body, and back when an older state is restored."""
    world, arm = _world()
    tip, home = world.add_marker("tip", arm), world.add_marker("home")
    saved = world.save()
    world.remove_body(arm)
    assert world.markers == [home] and "removed" in repr(tip)
    world.restore(saved)
    assert [one.name for one in world.markers] == ["arm:tip", "home"]
    world.remove_marker(world.marker("home"))
    assert [one.name for one in world.markers] == ["arm:tip"]


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda world: pickle.loads(pickle.dumps(world))])
def test_markers_are_copied_with_the_world(twin_of):
    """Belong to the copy, and follow the bodies there."""
    world, arm = _world()
    world.add_marker("tip", arm, position=(0, 0.5, 0))
    twin = twin_of(world)
    assert twin.marker("arm:tip").world is twin
    twin.body("arm").position = (5, 0, 0)
    assert twin.marker("arm:tip").position[0] == 5 and world.marker("arm:tip").position[0] == 1


def test_markers_are_kept_in_files(tmp_path):
    """Be read with a snapshot; one that is on no body is refused."""
    world, arm = _world()
    world.add_marker("tip", arm, position=(0, 0.5, 0))
    world.save().write(tmp_path / "state.npz")
    other = st.World()
    other.restore(st.Snapshot.read(tmp_path / "state.npz"))
    assert other.marker("arm:tip").local_position.tolist() == [0, 0.5, 0]


def test_errors_name_the_nearest_marker():
    """Say what is near, and what is wrong with a value."""
    world, arm = _world()
    world.add_marker("tip", arm)
    with pytest.raises(KeyError, match="arm:tip"):
        world.marker("arm:tipp")
    with pytest.raises(ValueError, match="taken"):
        world.add_marker("tip", arm)
    with pytest.raises(TypeError, match="body"):
        world.add_marker("other", "arm")
    assert len(world.markers) == 1


def test_a_framed_joint_is_the_same_wherever_the_bodies_are():
    """Hold the frames together, not places of the world: bodies that are apart are drawn together."""
    hinge = Framed(st.Hinge((0, 0, 0), (0, 0, 1)), first_position=(1, 0, 0), second_position=(-1, 0, 0))
    worlds = []
    for apart in (0.0, 0.3):
        world = st.World(gravity=(0, 0, 0))
        a = world.add_body(st.Box((2, 1, 1)), kind="static")
        b = world.add_body(st.Box((2, 1, 1)), position=(2 + apart, 0, 0))
        joint = world.add_joint(hinge, a, b)
        assert joint.error == pytest.approx(apart)
        world.step(200)
        assert joint.error < 1e-6
        np.testing.assert_allclose(b.position, (2, 0, 0), atol=1e-5)
        worlds.append(joint)
    assert worlds[0].coordinates == ("angle",)


def test_a_framed_joint_turns_about_the_axis_of_its_frames():
    """Take z of the frame for the axis, on a body whose principal axes are others."""
    turn = st.rotation.from_axis_angle((0, 1, 0), 90, degrees=True)
    world = st.World(gravity=(0, 0, 0))
    shape = [st.Placed(st.Box((2, 0.5, 0.5)), (1, 0, 0)), st.Placed(st.Box((0.5, 2, 0.3)), (0, 1, 0.1))]
    body = world.add_body(shape, position=(3, 0, 0), angular_velocity=(1, 0, 0))
    frame = Framed(st.Hinge((0, 0, 0), (0, 0, 1)), (3, 0, 0), turn, (0, 0, 0), turn)
    joint = world.add_joint(frame, None, body)
    world.step(50)
    np.testing.assert_allclose(body.position, (3, 0, 0), atol=1e-5)
    assert joint.rate == pytest.approx(body.angular_velocity[0])
    assert abs(body.angular_velocity[1]) < 1e-4 and abs(body.angular_velocity[2]) < 1e-4


def test_a_framed_joint_refuses_what_has_no_frames():
    """Name kind and cure."""
    for kind, error in ((st.Gear("a", "b", 2.0), "cannot be joined"), ("hinge", "must be a JointKind")):
        with pytest.raises((TypeError, NotImplementedError), match=error):
            Framed(kind)

"""The camera as a sensor: depth and segmentation in the frame of its marker."""

import numpy as np
import pytest

import stoss as st

SIZE = (64, 48)


def scene(turn: np.ndarray) -> tuple[st.World, st.CameraSensor]:
    """A robot with a camera 0.3 m in front of its middle, and a wall 3 m from there, all turned about."""
    world = st.World(gravity=(0, 0, 0))
    robot = world.add_body(st.Box((0.8, 0.8, 0.8)), quaternion=turn, mass=1.0, name="robot")
    place = st.rotation.rotate(turn, (3.4, 0.0, 0.0))
    world.add_body(st.Box((0.2, 20, 20)), kind="static", position=place, quaternion=turn, name="wall")
    ball = st.rotation.rotate(turn, (2.3, 0.5, 0.2))
    world.add_body(st.Sphere(0.2), position=ball, mass=1.0, name="ball")
    eye = world.add_marker("eye", robot, position=(0.3, 0, 0))
    return world, world.add_sensor(st.CameraSensor(eye, SIZE), name="camera")


@pytest.mark.parametrize("angles", [(0, 0, 0), (0.7, -0.5, 2.1), (3.0, 1.2, 0.4)])
def test_depth_is_that_of_rays_in_the_frame_of_the_marker(angles: tuple[float, float, float]) -> None:
    """See the wall 3 m ahead and the ball where it is, upright to the marker, whichever way it is turned."""
    world, camera = scene(st.rotation.from_euler("xyz", angles))
    image = camera.read()
    wall, ball = world.body("wall").index, world.body("ball").index
    assert image.depth.shape == image.segmentation.shape == SIZE[::-1] and image.rgb.shape == (*SIZE[::-1], 3)
    assert set(np.unique(image.segmentation)) == {wall, ball}  # the robot is around the camera, and not seen
    assert image.depth[image.segmentation == wall] == pytest.approx(3.0, abs=1e-5)
    y, x = np.nonzero(image.segmentation == ball)
    slope = np.tan(np.pi / 6) / (SIZE[1] / 2)  # per pixel
    # the ball, 2 m ahead, is 0.5 m to the left and 0.2 m up
    assert (SIZE[0] / 2 - 0.5 - x.mean()) * slope == pytest.approx(0.5 / 2.0, abs=0.01)
    assert (SIZE[1] / 2 - 0.5 - y.mean()) * slope == pytest.approx(0.2 / 2.0, abs=0.01)
    assert image.depth[image.segmentation == ball].min() == pytest.approx(1.8, abs=0.01)


def test_camera_moves_with_its_body() -> None:
    """See the wall nearer when the robot has come nearer, and the robot itself where that is asked for."""
    world, camera = scene(np.array([1.0, 0, 0, 0]))
    robot, wall = world.body("robot"), world.body("wall").index
    robot.velocity = (1, 0, 0)
    world.step(50)
    image = camera.read()
    assert image.depth[image.segmentation == wall] == pytest.approx(2.5, abs=1e-5)
    top = world.add_marker("top", robot, position=(-0.3, 0, 0.6))
    seen = world.add_sensor(st.CameraSensor(top, SIZE, own_body=True)).read()
    assert (seen.segmentation == robot.index).any()
    twin = world.copy()
    assert (twin.sensors["camera"].read().depth == image.depth).all()


def test_wrong_cameras_are_refused() -> None:
    """Name argument and value."""
    world, camera = scene(np.array([1.0, 0, 0, 0]))
    with pytest.raises(TypeError, match="at = .* must be a Marker or a Body"):
        st.CameraSensor("eye")
    with pytest.raises(ValueError, match="field_of_view = 4"):
        st.CameraSensor(world.body("robot"), field_of_view=4.0)
    with pytest.raises(ValueError, match="nearest = 0"):
        st.CameraSensor(world.body("robot"), nearest=0.0)
    with pytest.raises(ValueError, match="quality"):
        st.CameraSensor(world.body("robot"), quality="best")

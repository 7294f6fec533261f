"""What is only drawn: shapes on bodies, and rods for joints that hold a distance."""

import dataclasses

import numpy as np
import pytest

import stoss as st
from stoss.scenes.running.trajectory import Recorder, load_trajectory
from stoss.viewer.drawing.context import ensure_context
from stoss.viewer.drawing.geometry import rotate
from stoss.viewer.drawing.renderer import Renderer
from stoss.viewer.drawing.rods import rod_instances, rod_parts
from stoss.viewer.exporting.motion import motion_of_trajectory
from stoss.viewer.exporting.sources import motion_of_world
from stoss.viewer.world.frames import Describer, describe_trajectory, describe_world, frame_of

RED = (0.9, 0.1, 0.1)
SEEN = {"size": (96, 96), "camera": "front", "quality": "low"}


def redness(pixels: np.ndarray) -> int:
    values = np.asarray(pixels).astype(int)
    return int((values[..., 0] > values[..., 1:].max(axis=-1) + 60).sum())


def sign_post() -> st.World:
    """Return a leaning body whose centre of mass is off its origin, with a red board drawn at its end."""
    world = st.World()
    body = world.add_body(
        [st.Placed(st.Box((0.2, 0.2, 0.2)), position=(0.5, 0.0, 0.0)), st.Sphere(0.1)],
        position=(0.0, 0.0, 1.0),
        quaternion=(0.8, 0.0, 0.6, 0.0),
        name="post",
        color="white",
    )
    body.display = [st.Drawn(st.Box((0.3, 0.3, 0.3)), position=(0.0, 0.0, 1.0), color=RED)]
    return world


def test_shapes_stand_where_their_body_says() -> None:
    """Place what is drawn in the frame of the body's shapes, wherever its centre of mass is."""
    world = sign_post()
    made, frame = describe_world(world), frame_of(world)
    (row,) = made.drawn
    turn = frame.quaternions[made.shape_body[row]]
    place = frame.positions[made.shape_body[row]] + rotate(turn, made.shape_position[row])
    body = world.body("post")
    assert place == pytest.approx(body.position + rotate(body.quaternion, np.array([0.0, 0.0, 1.0])))
    assert made.drawn[row] == RED


def test_shapes_are_drawn_in_their_colour_and_recorded(tmp_path) -> None:
    """Show it in pictures of the world, of its recording, and in exported motions."""
    world = sign_post()
    seen = redness(st.picture(world, **SEEN))
    assert seen > 100
    recorder = Recorder(world)
    recorder.write(tmp_path / "a.npz")
    st.render(tmp_path / "a.npz", tmp_path / "a.png", **SEEN)
    motion = load_trajectory(tmp_path / "a.npz")
    made = describe_trajectory(motion)
    assert list(made.drawn.values()) == [RED] and made.shapes == describe_world(world).shapes
    for exported in (motion_of_trajectory(motion, None), motion_of_world(world.copy(), 0.1, 30.0)):
        (row,) = exported.description.drawn
        assert exported.color_of(row) == pytest.approx(RED)
        assert exported.color_of(0) == pytest.approx((1.0, 1.0, 1.0))
    world.body("post").display = ()
    assert redness(st.picture(world, **SEEN)) == 0


def test_a_window_sees_that_something_else_is_drawn() -> None:
    """Describe a world anew when what is drawn on a body changes, and only then."""
    world, describer = sign_post(), Describer()
    first = describer.describe(world)
    world.step()
    assert describer.describe(world) is first
    world.body("post").display = [st.Drawn(st.Sphere(0.2), color=RED)]
    assert describer.describe(world).shapes[-1] == st.Sphere(0.2)


def test_a_plane_that_is_drawn_leaves_its_body_as_it_is() -> None:
    """Give the plane the colour of a ground, the body its own, and keep the body's name in overlays."""
    world = sign_post()
    world.body("post").display = [st.Drawn(st.HalfSpace(), (0.0, 0.0, -1.0))]
    made = describe_world(world)
    assert made.endless == set()
    assert np.asarray(st.picture(world, **SEEN)).std() > 5.0


def held_apart() -> st.World:
    world = st.World(gravity=(0.0, 0.0, 0.0))
    for k in range(2):
        world.add_body(st.Sphere(0.3), position=(3.0 * k, 0.0, 1.0 * k), name=f"ball {k}")
    first, second = world.bodies
    world.add_joint(st.Distance(first.position, second.position), first, second, name="rod")
    return world


def test_distances_are_drawn_as_rods() -> None:
    """Draw a cylinder between the points that a joint holds apart, also when the bodies have moved."""
    world = held_apart()
    world.body("ball 1").velocity = (-1.0, 0.0, 3.0)
    world.step(20)
    made, frame = describe_world(world), frame_of(world)
    table = rod_instances(made, frame, rod_parts(made), np.zeros(3), 0.6, 2).astype(float)
    half = rotate(table[0, 4:8], np.array([0.0, 0.0, 0.5 * table[0, 10]]))
    ends = np.array([table[0, :3] - half, table[0, :3] + half])
    assert ends == pytest.approx(frame.positions, abs=1e-5)
    assert table[0, 10] == pytest.approx(np.sqrt(10.0), abs=1e-5)


def test_rods_are_seen_but_not_picked() -> None:
    """Show a rod between its bodies, where the pointer finds nothing and the depth is that behind it."""
    ensure_context()
    world = held_apart()
    made, frame = describe_world(world), frame_of(world)
    without = dataclasses.replace(made, joint_kinds=("Ball",))
    look = {**SEEN, "size": (192, 96)}
    with_rod, bare = (st.picture((one, frame), **look) for one in (made, without))
    middle = np.abs(with_rod.astype(int) - bare)[:, 86:106].max()
    assert middle > 60
    camera = st.viewer.drawing.looks.camera_of("camera", "front", made, [frame], (192, 96))
    renderer = Renderer(made, "low")
    assert renderer.pick(frame, camera, (192, 96), 96.0, 48.0) is None
    renderer.delete()


def test_rods_of_joints_that_hold_nothing_are_gone() -> None:
    """Show no rod where its joint is disabled, and show it again when it is in force."""
    world = held_apart()
    look = {**SEEN, "size": (192, 96)}
    shown = st.picture(world, **look)
    world.joint("rod").enabled = False
    bare = st.picture(world, **look)
    assert np.abs(shown.astype(int) - bare)[:, 86:106].max() > 60
    assert not frame_of(world).enabled.any()
    world.joint("rod").enabled = True
    assert (np.asarray(st.picture(world, **look)) == np.asarray(shown)).all()

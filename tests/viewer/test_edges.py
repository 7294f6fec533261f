"""Wireframes, hulls, inertia boxes, frames of joints, the joint that is marked, and what is seen of marks."""

import dataclasses

import numpy as np
import pytest

import stoss as st
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.colouring import body_colours, colour_legend
from stoss.viewer.drawing.edges import hull_edges, inertia_box_edges, shape_edges
from stoss.viewer.drawing.geometry import rotate
from stoss.viewer.drawing.joint_marks import joint_frames, marked_joint
from stoss.viewer.drawing.joint_picking import joint_under
from stoss.viewer.drawing.marks import arrows
from stoss.viewer.drawing.overlay_batches import arrow_rims
from stoss.viewer.drawing.overlays import OverlayOptions, overlay_geometry
from stoss.viewer.drawing.style import Style
from stoss.viewer.window.hand import Hand, Picked
from stoss.viewer.workbench.actions import ACTIONS
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.frames import Description, Frame, describe_world, frame_of
from stoss.viewer.world.simulation import Simulation

TURN = (0.5, 0.5, -0.1, 0.7)


def made_of(*shapes: object, **values: object) -> tuple[Description, Frame]:
    """Return what a world of one leaning body with these shapes is drawn from."""
    world = st.World()
    world.add_body(shapes, position=(1.0, -2.0, 3.0), quaternion=TURN, name="body", **values)
    return describe_world(world), frame_of(world)


def sorted_edges(edges: np.ndarray) -> np.ndarray:
    """Return edges (k, 2, 3) in an order that does not depend on where they begin."""
    ends = np.sort(edges.round(6).view([("", float)] * 3).reshape(len(edges), 2), axis=1)
    return np.sort(ends, axis=0)


def corners(size: tuple[float, float, float], frame: Frame, made: Description) -> np.ndarray:
    places = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    places = rotate(made.shape_quaternion[0], places) + made.shape_position[0]
    return rotate(frame.quaternions[0], places) + frame.positions[0]


def test_a_box_has_twelve_edges_and_is_its_own_inertia_box() -> None:
    """Have the box's corners as ends, each of three edges, for the wire and for the box of its inertia."""
    size = (0.3, 0.7, 1.9)
    made, frame = made_of(st.Box(size), density=345.0)
    for edges in (shape_edges(made, frame), inertia_box_edges(made, frame)):
        assert edges.shape == (12, 2, 3)
        far = np.linalg.norm(edges.reshape(-1, 1, 3) - corners(size, frame, made), axis=2)
        assert far.min(axis=1).max() < 1e-6
        assert (np.bincount(far.argmin(axis=1)) == 3).all()


def test_the_inertia_box_of_a_rod_has_its_mass_and_inertia() -> None:
    """Give a box whose own moments are those of the body, whatever the body's shape."""
    made, frame = made_of(st.Capsule(0.2, 1.5), st.Placed(st.Sphere(0.4), position=(0, 0, 0.9)), mass=3.0)
    edges = rotate(
        frame.quaternions[0] * (1, -1, -1, -1), inertia_box_edges(made, frame) - frame.positions[0]
    )
    a, b, c = np.ptp(edges.reshape(-1, 3), axis=0)
    moments = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) * made.masses[0] / 12.0
    assert moments == pytest.approx(made.inertias[0], rel=1e-9)
    bare = dataclasses.replace(made, masses=np.full(1, np.nan))
    assert len(inertia_box_edges(bare, frame)) == 0


def test_meshes_show_all_edges_and_hulls_those_that_bend() -> None:
    """Count the edges of a cube that is a mesh, a hull, and one of many; draw none for a plane."""
    points = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    made, frame = made_of(st.ConvexHull(points))
    assert len(shape_edges(made, frame)) == 12 and len(hull_edges(made, frame)) == 12
    hull = st.ConvexHull(points)
    fans = [(f[0], f[k], f[k + 1]) for f in map(list, hull.faces) for k in range(1, len(f) - 1)]
    world = st.World()
    world.add_body(st.TriangleMesh(hull.vertices, fans), kind="static", name="mesh")
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    made, frame = describe_world(world), frame_of(world)
    assert len(shape_edges(made, frame)) == 18  # with a diagonal in each face
    assert len(hull_edges(made, frame)) == 12
    assert len(shape_edges(*made_of(st.Sphere(1.0)))) > 100


def test_a_hull_holds_all_parts_of_a_compound() -> None:
    """Reach as far as two boxes and what lies between them, and leave what is only drawn out."""
    world = st.World()
    parts = [st.Placed(st.Box((0.2, 0.2, 0.2)), position=(side, 0.0, 0.0)) for side in (-1.0, 1.0)]
    body = world.add_body(parts, name="dumb-bell")
    body.display = [st.Drawn(st.Sphere(5.0))]
    world.add_body(st.Box((1.0, 1.0, 1.0)), position=(0.0, 5.0, 0.0), name="single")
    edges = hull_edges(describe_world(world), frame_of(world))
    assert np.ptp(edges.reshape(-1, 3), axis=0) == pytest.approx((2.2, 0.2, 0.2))
    assert len(edges) == 12


def pendulum() -> st.World:
    world = st.World()
    bob = world.add_body(st.Box((0.2, 0.2, 0.2)), position=(0.0, 0.0, -1.0), name="bob")
    world.add_joint(st.Hinge((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)), None, bob, name="hinge")
    ball = world.add_body(st.Sphere(0.2), position=(2.0, 0.0, -1.0), name="ball")
    world.add_joint(st.Distance((1.0, 0.0, 0.0), ball.position), None, ball, name="rod")
    return world


LOOK = Camera(target=(1.0, 0.0, -0.5), distance=5.0, azimuth=-1.3, elevation=0.2)
SIZE = (400, 300)


def test_frames_of_joints_are_drawn_on_both_bodies() -> None:
    """Draw three axes at both points of each part, as the frames lie."""
    world = pendulum()
    made, frame = describe_world(world), frame_of(world)
    table = overlay_geometry(made, frame, OverlayOptions.of(["joint_frames"])).lines
    point_a, turn_a, *_ = joint_frames(made, frame)
    assert len(table) == 2 * 3 * len(made.joint_parts.joint)
    first = table[: len(point_a)]
    assert first[:, :3] == pytest.approx(point_a)
    along = (first[:, 4:7] - first[:, :3]) / np.linalg.norm(first[:, 4:7] - first[:, :3], axis=1)[:, None]
    assert along == pytest.approx(rotate(turn_a, np.array([1.0, 0.0, 0.0])), abs=1e-9)


def test_the_selected_joint_is_marked() -> None:
    """Mark its points and its name, also where no overlay is on, and nothing of one that is gone."""
    world = pendulum()
    made, frame = describe_world(world), frame_of(world)
    shown = overlay_geometry(made, frame, OverlayOptions(), joint="hinge")
    assert [text for text, _ in shown.texts] == ["hinge"]
    assert len(shown.lines) == len(shown.halos) >= 3
    assert not len(marked_joint(made, frame, "gone", 0.1).lines)


@pytest.mark.parametrize(
    ("place", "marked", "name"),
    [
        ((0.0, 0.0, 0.0), True, "hinge"),
        ((0.0, 0.0, 0.0), False, ""),
        ((1.5, 0.0, -0.5), False, "rod"),
        ((1.5, 0.0, 0.5), True, ""),
    ],
)
def test_joints_are_found_under_the_pointer(place: tuple, marked: bool, name: str) -> None:
    """Find a joint by its point where that is drawn, and a rod anywhere along it."""
    world = pendulum()
    x, y, _ = LOOK.project(np.array(place), SIZE)
    made, frame = describe_world(world), frame_of(world)
    assert joint_under(made, frame, LOOK, SIZE, (x + 3.0, y), 9.0, marked) == name


def test_a_key_tells_of_velocities_joints_limits_and_can_be_switched_off() -> None:
    """Have a part for each overlay that needs one, with amounts; the menu switches the key."""
    world = pendulum()
    names = ["velocities", "joints", "limits", "joint_frames", "contacts"]
    world.step(3)
    shown = overlay_geometry(describe_world(world), frame_of(world, True), OverlayOptions.of(names))
    told = {legend.title.split(":")[0]: legend for legend in shown.legends}
    assert set(told) == {"Motion", "Joints"}
    assert [entry.text.split(",")[0] for entry in told["Motion"].entries] == ["velocity", "angular velocity"]
    assert "m/s" in told["Motion"].entries[0].text and "rad/s" in told["Motion"].entries[1].text
    assert {"stops", "x of its frames"} <= {entry.text for entry in told["Joints"].entries}
    bench = Workbench(Simulation(world, paused=True))
    key = next(action for action in ACTIONS if action.label == "Key")
    assert key.checked(bench)
    key.run(bench)
    assert not key.checked(bench) and not bench.style.legend


def test_a_world_at_rest_has_the_colour_of_rest() -> None:
    """Give speeds that are rounding alone the first colour, not the last one, and tell a scale above zero."""
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static")
    world.add_body(st.Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5), mass=2.0)
    world.step(50)
    made, frame = describe_world(world), frame_of(world, True)
    assert np.abs(frame.velocities).max() < 1e-6
    style = Style(colour_by="speed")
    still = dataclasses.replace(frame, velocities=np.zeros_like(frame.velocities))
    assert body_colours(made, frame, style) == pytest.approx(body_colours(made, still, style), abs=1e-5)
    legend = colour_legend(made, frame, style)
    assert 0.1 < float(legend.ramp.greatest.split()[0]) < 1.0
    force = colour_legend(made, frame, Style(colour_by="force"))
    assert float(force.ramp.greatest.split()[0]) == pytest.approx(2.0 * 9.81, rel=1e-2)


def test_arrows_have_rims_of_the_other_tone() -> None:
    """Stick out all around by about a pixel, light around dark and dark around light."""
    colours = np.array([[0.05, 0.5, 0.36, 1.0], [1.0, 0.9, 0.3, 1.0]])
    table = arrows(np.zeros((2, 3)), np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]), colours, 0.1)
    rims = arrow_rims(table, LOOK, SIZE)
    pixel = LOOK.metres_per_pixel(SIZE)
    assert ((rims[:, 8] - table[:, 8]) > pixel).all()
    reach = rims[:, 10] + rims[:, 11] - np.linalg.norm(rims[:, :3] - table[:, :3], axis=1)
    assert ((reach - table[:, 10] - table[:, 11]) > pixel).all()
    assert (rims[0, 12:15] == 1.0).all() and (rims[1, 12:15] < 0.1).all()
    assert len(arrow_rims(np.zeros((0, 16)), LOOK, SIZE)) == 0


@pytest.mark.parametrize("colour", ["#e6b433", "black", "white", "#d64e3b"])
def test_culprits_are_outlined_on_any_colour(colour: str) -> None:
    """Draw a rim that differs from the body and from the ground, by its dark edge or its own colour."""
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static")
    world.add_body(st.Sphere(0.5), position=(0.0, 0.0, 0.5), color=colour, name="ball")
    pictures = [
        st.picture(world, (200, 150), quality="low", style=Style(highlighted=rows, grid=False)).astype(int)
        for rows in ((), (1,))
    ]
    changed = np.abs(pictures[1] - pictures[0]).max(axis=-1) > 60
    assert changed.sum() > 150
    rim = pictures[1][changed]
    assert (rim[:, 0] - rim[:, 1] > 100).sum() > 60  # its own colour
    assert (rim.max(axis=1) < 70).sum() > 40  # the dark edge around it


def test_a_click_on_the_mark_of_a_joint_selects_it() -> None:
    """Select the joint where its mark is shown, else the body behind; a click on nothing selects nothing."""
    bench = Workbench(Simulation(pendulum(), paused=True))
    bench.simulation.turn()
    bench.refresh()
    bench.camera, bench.size = LOOK, SIZE
    bob = bench.view.description.names.index("bob")
    hand = Hand(bench, lambda x, y: Picked(bob, np.zeros(3)) if x < 390.0 else None)

    def click(x: float, y: float) -> tuple[str, str]:
        hand.press(x, y, "left")
        assert hand.release()
        return bench.selected_body, bench.selected_joint

    x, y, _ = LOOK.project(np.zeros(3), SIZE)
    assert click(x, y) == ("bob", "")
    bench.overlays.joints = True
    assert click(x, y) == ("bob", "hinge")
    assert any(text == "hinge" for text, _ in bench.overlay_geometry().texts)
    assert click(395.0, 5.0) == ("", "")

"""Overlays: each shows what it says, at the right place and of the right length. No display is needed."""

import dataclasses

import numpy as np
import pytest

from stoss.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, HalfSpace, Placed, Sphere
from stoss.command_line.options import COLOURS, OVERLAYS
from stoss.engine import Ball, Hinge, Slider, World
from stoss.viewer.drawing.bounds import body_bounds, typical_size
from stoss.viewer.drawing.colouring import COLOUR_MODES
from stoss.viewer.drawing.geometry import instance_size, rotate, shape_mesh
from stoss.viewer.drawing.marks import arrows
from stoss.viewer.drawing.overlays import OverlayOptions, overlay_geometry
from stoss.viewer.drawing.trails import Trails
from stoss.viewer.world.frames import Description, Frame, describe_world, frame_of


def shown(world: World, *names: str, **values: float):
    options = dataclasses.replace(OverlayOptions.of(names), **values)
    return overlay_geometry(describe_world(world), frame_of(world, options.needs_contacts), options)


def world_of_shapes() -> World:
    rng = np.random.default_rng(8)
    world = World()
    world.add_body(HalfSpace(), kind="static", name="ground")
    shapes = [Sphere(0.5), Box((0.4, 0.8, 1.2)), Capsule(0.2, 0.9), Cylinder(0.4, 0.7), Cone(0.5, 1.1)]
    shapes += [Ellipsoid((0.3, 0.5, 0.8)), ConvexHull(rng.normal(size=(20, 3)))]
    shapes.append([Placed(Box((0.2, 0.2, 0.9)), (0.5, 0.0, 0.0)), Placed(Sphere(0.3), (0.0, 0.2, 0.4))])
    for number, shape in enumerate(shapes):
        q = rng.normal(size=4)
        world.add_body(
            shape, position=(3.0 * number, 1.0, 5.0), quaternion=q / np.linalg.norm(q), name=f"body {number}"
        )
    return world


def resting_box() -> World:
    world = World()
    world.add_body(HalfSpace(), kind="static", name="ground")
    world.add_body(Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5), mass=2.0, name="box")
    world.step(20)
    return world


def test_bounds_are_exact() -> None:
    """Bound all bodies as the vertices of fine meshes do, to what polygons cut off."""
    world = world_of_shapes()
    description, frame = describe_world(world), frame_of(world)
    low, high = body_bounds(description, frame)
    for body in range(1, len(description.names)):
        clouds = []
        for row in np.flatnonzero(description.shape_body == body):
            mesh = shape_mesh(description.shapes[row], 96)[1]
            points = rotate(
                description.shape_quaternion[row], mesh.placed(instance_size(description.shapes[row]))
            )
            points = points + description.shape_position[row]
            clouds.append(rotate(frame.quaternions[body], points) + frame.positions[body])
        cloud = np.concatenate(clouds)
        assert low[body] == pytest.approx(cloud.min(axis=0), abs=2e-3)
        assert high[body] == pytest.approx(cloud.max(axis=0), abs=2e-3)
    assert (low[0] > high[0]).all()  # the ground has no end


def test_boxes_have_twelve_edges_per_body() -> None:
    """Draw the edges of the bounding boxes, not of the ground."""
    world = world_of_shapes()
    low, high = body_bounds(describe_world(world), frame_of(world))
    lines = shown(world, "boxes").lines
    assert len(lines) == 12 * 8
    ends = np.concatenate([lines[:12, :3], lines[:12, 4:7]])
    assert ends.min(axis=0) == pytest.approx(low[1]) and ends.max(axis=0) == pytest.approx(high[1])
    edges = lines[:12, 4:7] - lines[:12, :3]
    assert (np.count_nonzero(np.abs(edges) > 1e-12, axis=1) == 1).all()


def test_impulses_add_up_to_the_weight() -> None:
    """Draw impulses of a resting box as arrows whose sum is that of its weight over the step."""
    world = resting_box()
    geometry = shown(world, "impulses", impulse_scale=0.5)
    assert len(geometry.arrows) == frame_of(world, True).contacts.points.shape[0] == 4
    vectors = rotate(geometry.arrows[:, 4:8], np.array([0.0, 0.0, 1.0])) * geometry.arrows[:, 10:12].sum(
        axis=1, keepdims=True
    )
    assert vectors.sum(axis=0) == pytest.approx([0.0, 0.0, 0.5 * 2.0 * 9.81 * 0.01], abs=1e-6)
    assert geometry.arrows[:, 2] == pytest.approx(np.zeros(4), abs=1e-6)


def test_contacts_and_friction_cones_stand_on_the_points() -> None:
    """Draw points, normals from them, and cones with their apex there and the angle of friction."""
    world = resting_box()
    contacts = frame_of(world, True).contacts
    geometry = shown(world, "contacts", "friction_cones", size=0.4)
    normals, dots = geometry.lines[:4], geometry.lines[4:8]
    assert dots[:, :3] == pytest.approx(contacts.points) and dots[:, 4:7] == pytest.approx(contacts.points)
    assert normals[:, 4:7] - normals[:, :3] == pytest.approx(np.tile([0.0, 0.0, 0.2], (4, 1)))
    cones = geometry.cones
    apex = cones[:, :3] + rotate(cones[:, 4:8], np.array([0.0, 0.0, 0.5])) * cones[:, 10:11]
    assert apex == pytest.approx(contacts.points)
    assert cones[:, 8] / cones[:, 10] == pytest.approx(contacts.friction)


def test_velocities_are_arrows_from_the_centres() -> None:
    """Draw velocities to scale, and no arrow for what stands."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Sphere(0.5), position=(1.0, 2.0, 3.0), velocity=(0.0, 2.0, 0.0), name="ball")
    world.add_body(Sphere(0.5), position=(5.0, 2.0, 3.0), name="still")
    arrow = shown(world, "velocities", velocity_scale=0.25).arrows
    assert len(arrow) == 1
    assert arrow[0, :3] == pytest.approx([1.0, 2.0, 3.0])
    assert arrow[0, 10] + arrow[0, 11] == pytest.approx(0.5)
    assert rotate(arrow[0, 4:8], np.array([0.0, 0.0, 1.0])) == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)


def jointed() -> World:
    world = World()
    arm = world.add_body(Box((1.0, 0.2, 0.2)), position=(0.5, 0.0, 2.0), name="arm")
    sled = world.add_body(Box((0.3, 0.3, 0.3)), position=(0.0, 3.0, 1.0), name="sled")
    hinge = world.add_joint(Hinge((0.0, 0.0, 2.0), (0.0, 1.0, 0.0)), None, arm, name="hinge")
    rail = world.add_joint(Slider((0.0, 3.0, 1.0), (1.0, 0.0, 0.0)), None, sled, name="rail")
    hinge.limit(-0.5, 0.8)
    rail.limit(-0.2, 0.6)
    return world


def test_joints_sit_where_they_hold() -> None:
    """Draw points, axes and arms of joints at their places in the world, wherever the bodies are."""
    world = jointed()
    world.step(10)
    lines = shown(world, "joints", size=1.0).lines
    dots = lines[(lines[:, :3] == lines[:, 4:7]).all(axis=1)]
    assert [0.0, 0.0, 2.0] == pytest.approx(dots[0, :3].tolist(), abs=1e-6)
    along = lines[:, 4:7] - lines[:, :3]
    axes = along[np.abs(np.linalg.norm(along, axis=1) - 1.2) < 1e-9] / 1.2
    assert np.abs(axes) == pytest.approx(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), abs=1e-6)
    arm = world.bodies[0].position
    assert any(np.allclose(line[:3], arm) and np.allclose(line[4:7], [0, 0, 2], atol=1e-6) for line in lines)


def test_limits_are_drawn_where_they_stop() -> None:
    """Draw the arc of a hinge between its stops, and the stretch of a slider."""
    lines = shown(jointed(), "limits", size=1.0).lines
    near_hinge = lines[np.linalg.norm(lines[:, :3] - [0.0, 0.0, 2.0], axis=1) < 1.0]
    arc = near_hinge[:32]
    assert np.linalg.norm(arc[:, :3] - [0.0, 0.0, 2.0], axis=1) == pytest.approx(np.full(32, 0.8))
    first, last = arc[0, :3] - [0.0, 0.0, 2.0], arc[-1, 4:7] - [0.0, 0.0, 2.0]
    assert first @ last / 0.64 == pytest.approx(np.cos(1.3))
    rail = lines[np.linalg.norm(lines[:, :3] - [0.0, 3.0, 1.0], axis=1) < 1.0]
    assert rail[:, [0, 4]].min() == pytest.approx(-0.2) and rail[:, [0, 4]].max() == pytest.approx(0.6)


def test_cones_and_twists_over_the_swing_are_drawn_where_they_stop() -> None:
    """Draw the closed cone, not a circle, and the arc of the twist that the present swing leaves."""
    world = World(gravity=(0.0, 0.0, 0.0))
    arm = world.add_body(Box((0.2, 0.2, 0.2)), position=(0.0, 0.0, 1.0), name="arm")
    joint = world.add_joint(Ball((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), x_axis=(1.0, 0.0, 0.0)), None, arm)
    cone = joint.limit_swing(polygon=[(0.9, 0.4), (-0.5, 0.6), (-0.3, -0.8)])
    lines = shown(world, "limits", size=2.0).lines
    ring = cone.outline(64) * 2.0 + (0.0, 0.0, 1.0)
    for start, end in zip(ring[:-1], ring[1:], strict=True):
        assert (np.abs(lines[:, :3] - start) + np.abs(lines[:, 4:7] - end)).sum(axis=1).min() < 1e-9
    cone.remove()
    joint.limit_twist([(0.0, -1.0, 1.2), (1.0, -0.4, 0.6)])
    half = 0.5
    arm.quaternion = (np.cos(half), np.sin(half), 0.0, 0.0)  # swung by 1 rad about x
    lines = shown(world, "limits", size=1.0).lines
    arc = lines[np.abs(np.linalg.norm(lines[:, :3] - (0, 0, 1), axis=1) - 0.8) < 1e-9]
    first, last = arc[0, :3] - (0, 0, 1), arc[-1, 4:7] - (0, 0, 1)
    assert first @ last / 0.64 == pytest.approx(np.cos(1.0), abs=1e-6)
    # square to the axis that was swung; x, about which it was, is a twist of 0
    axis = np.array((0.0, -np.sin(1.0), np.cos(1.0)))
    assert np.abs((arc[:, :3] - (0, 0, 1)) @ axis).max() < 1e-9
    assert np.cross(np.array((1.0, 0.0, 0.0)), last) @ axis == pytest.approx(0.8 * np.sin(0.6), abs=1e-6)


def test_arrows_keep_their_length_when_short() -> None:
    """Shrink the head of short arrows; leave out those of no length."""
    vectors = np.array([[0.0, 0.0, 2.0], [0.05, 0.0, 0.0], [0.0, 0.0, 0.0]])
    table = arrows(np.zeros((3, 3)), vectors, (1.0, 0.0, 0.0, 1.0), 0.1)
    assert table[:, 10] + table[:, 11] == pytest.approx([2.0, 0.05])
    assert (table[:, 11] > 0.0).all()


def test_trails_keep_the_last_frames() -> None:
    """Keep paths up to a length, once per time, and begin anew for another world or an earlier time."""
    description = Description(
        ("a",), ("dynamic",), np.ones(1), np.ones((1, 3)), (Sphere(1.0),), np.zeros(1, int), np.zeros((1, 3)),
        np.array([[1.0, 0, 0, 0]]),
    )  # fmt: skip
    trails = Trails(length=4)

    def frame(time: float) -> Frame:
        return Frame(time, 0, np.array([[time, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0, 0.0]]))

    for time in (0.0, 1.0, 1.0, 2.0, 3.0, 4.0):
        trails.add(description, frame(time))
    assert trails.lines()[:, 0] == pytest.approx([1.0, 2.0, 3.0])
    assert trails.lines()[:, 4] == pytest.approx([2.0, 3.0, 4.0])
    trails.add(description, frame(0.5))
    assert len(trails.lines()) == 0


def test_names_are_labels_at_the_bodies() -> None:
    """Give names with their places, not of the ground; and names of joints."""
    world = jointed()
    world.add_body(HalfSpace(), kind="static", name="ground")
    geometry = shown(world, "names", "joint_names")
    assert [text for text, _ in geometry.labels] == ["arm", "sled", "hinge", "rail"]
    assert geometry.labels[2][1] == pytest.approx([0.0, 0.0, 2.0])


def test_empty_world_and_unknown_names() -> None:
    """Draw nothing for an empty world with everything on; refuse unknown overlays and name the others."""
    geometry = shown(World(), *OverlayOptions.switches())
    assert not len(geometry.lines) and not len(geometry.arrows) and not geometry.labels
    assert typical_size(describe_world(World())) == 1.0
    with pytest.raises(ValueError, match="choose from contacts"):
        OverlayOptions.of(["contract"])


def test_geometries_add_up() -> None:
    """Put overlays together."""
    world = resting_box()
    both = shown(world, "contacts") + shown(world, "impulses")
    assert len(both.lines) == 8 and len(both.arrows) == 4


def test_the_help_of_render_names_all_overlays():
    """Name in the options of the command line what can be switched on, no more and no less."""
    assert OverlayOptions.switches() == OVERLAYS
    assert COLOUR_MODES == COLOURS

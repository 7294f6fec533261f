"""Axes about which bodies turn relative to others at the moment."""

import numpy as np
import pytest

import stoss as st
from stoss.viewer.world.canvas import Canvas, marks_of
from stoss.viewer.world.instant_centers import InstantCenters


def crossed(angle=0.2):
    """Return a world with a coupler on crossed rods, as ligaments hold a knee, and the rods' fixed ends."""
    world = st.World()
    ends = np.array((-0.02, 0.0, 0.0)), np.array((0.025, 0.0, 0.01))  # on the world
    others = np.array((0.02, 0.0, -0.03)), np.array((-0.015, 0.0, -0.035))  # on the coupler
    coupler = world.add_body(st.Box((0.1, 0.05, 0.3)), position=(0, 0, -0.18), mass=2.0, name="shank", mask=0)
    for k, (end, other) in enumerate(zip(ends, others, strict=True)):
        middle = 0.5 * (end + other)
        rod = world.add_body(st.Sphere(0.02), position=middle, mass=0.2, name=f"rod {k}", mask=0)
        world.add_joint(st.Hinge(tuple(end), (0, 1, 0)), None, rod)
        world.add_joint(st.Hinge(tuple(other), (0, 1, 0)), rod, coupler)
    coupler.angular_velocity = (0.0, angle, 0.0)
    return world, ends


def test_the_centre_of_a_coupler_is_where_its_rods_cross():
    """Find the instant centre of a crossed four-bar where the lines of both rods meet, at each step."""
    world, ends = crossed()
    coupler, rods = world.body("shank"), [world.body(f"rod {k}") for k in range(2)]
    for _ in range(30):
        world.step()
        axis = st.instant_axis(None, coupler)
        ways = [rod.position - end for rod, end in zip(rods, ends, strict=True)]
        flat = np.array([[way[2], -way[0]] for way in ways])
        x, z = np.linalg.solve(flat, [row @ end[[0, 2]] for row, end in zip(flat, ends, strict=True)])
        np.testing.assert_allclose(axis.point[[0, 2]], (x, z), atol=1e-8)
        assert abs(axis.direction[1]) == pytest.approx(1.0, abs=1e-9) and abs(axis.slip) < 1e-9


def test_axes_of_joints_are_found_from_moving_bodies():
    """Find the axis of a hinge and the slip of a screw between two bodies that both fly and turn."""
    rng = np.random.default_rng(0)
    for kind, slip in (
        (st.Hinge((0.3, 0, 0), (0, 0.6, 0.8)), 0.0),
        (st.Screw((0.3, 0, 0), (0, 0.6, 0.8), pitch=0.1), 0.1),
    ):
        world = st.World(gravity=(0, 0, 0))
        one = world.add_body(st.Box((0.2, 0.3, 0.4)), name="one")
        two = world.add_body(st.Box((0.3, 0.1, 0.2)), position=(0.5, 0.1, 0), name="two")
        joint = world.add_joint(kind, one, two)
        one.angular_velocity, one.velocity = rng.normal(size=3), rng.normal(size=3)
        two.angular_velocity = rng.normal(size=3)
        world.step(20)
        axis = st.instant_axis(one, two)
        wanted = one.world_point((0.3, 0.6, 0.8)) - one.world_point((0.3, 0, 0))
        assert abs(axis.direction @ wanted) == pytest.approx(1.0, abs=1e-6)
        away = axis.point - joint.first_point
        np.testing.assert_allclose(away - (away @ wanted) * wanted, 0.0, atol=1e-5)
        turns_per_metre = slip / (2.0 * np.pi)
        assert abs(axis.slip) == pytest.approx(turns_per_metre * axis.rate, abs=1e-6)
        back = st.instant_axis(two, one)
        np.testing.assert_allclose(back.direction, -axis.direction, atol=1e-12)


def test_what_only_slides_has_no_axis():
    """Return nothing for bodies that do not turn relative to each other, and refuse what is none."""
    world = st.World()
    one = world.add_body(st.Box((0.2, 0.3, 0.4)), angular_velocity=(0, 0, 1))
    two = world.add_body(st.Box((0.2, 0.3, 0.4)), position=(1, 0, 0), angular_velocity=(0, 0, 1))
    assert st.instant_axis(one, two) is None
    with pytest.raises(TypeError, match="second"):
        st.instant_axis(None, "box")
    with pytest.raises(ValueError, match="two worlds"):
        st.instant_axis(one, st.World().add_body(st.Sphere(1)))


def test_centres_are_drawn_with_their_path():
    """Draw axis, centre and path of a rolling ball: on the ground its way; going back clears the path."""
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static", name="ground", material=st.Material(friction=1.0))
    ball = world.add_body(
        st.Sphere(0.1), position=(0, 0, 0.1), name="ball", material=st.Material(friction=1.0)
    )
    ball.velocity, ball.angular_velocity = (0.5, 0, 0), (0, 5.0, 0)
    centers, canvas = InstantCenters(world, [("ground", "ball")]), Canvas()
    start = world.save()
    for _ in range(10):
        world.step()
        centers(canvas, world)
        centers(canvas, world)  # a second picture of the same moment
        marks = marks_of(canvas)
    path = centers.path()
    assert len(path) == 10 and len(marks.lines) == 2 * (1 + 1 + 9)
    np.testing.assert_allclose(path[:, 0], 0.5 * 0.01 * np.arange(1, 11), atol=1e-4)
    np.testing.assert_allclose(path[:, 2], 0.0, atol=1e-4)
    world.restore(start)
    centers(canvas, world)
    assert len(centers.path()) == 1
    with pytest.raises(KeyError, match="did you mean"):
        InstantCenters(world, [("ground", "bal")])
    with pytest.raises(ValueError, match="pairs"):
        InstantCenters(world, [])

"""The pose in which a model begins, from places and angles."""

import math
from pathlib import Path

import numpy as np
import pytest

import stoss as st

ARM = Path(__file__).parents[3] / "examples" / "models" / "arm_with_drill.toml"

# Krieg 1992: what the initial values of the example assemble to [m, degrees].
KRIEG = {
    "trunk": (0.343604, 0.990711, 0),
    "upper_arm": (0.540381, 1.413934, 45),
    "forearm": (0.858579, 1.378579, -45),
    "hand": (1.0, 1.54, 0),
    "drill": (1.18, 1.6, 90),
}


def test_the_nine_bodies_of_krieg_are_assembled():
    """Find centres, angles and joints of the example from one anchor for each chain."""
    world = st.Model.load(ARM).build()
    assert len(world.bodies) == 9 and world.masses.sum() == pytest.approx(188.9)
    for name, (x, y, angle) in KRIEG.items():
        motion = world.plane.motion(world.body(name))
        np.testing.assert_allclose(motion.position, (x, y), atol=1e-6)
        assert math.degrees(motion.angle) == pytest.approx(angle, abs=1e-12)
        if f"{name}_soft" in [body.name for body in world.bodies]:
            np.testing.assert_allclose(world.body(f"{name}_soft").position, world.body(name).position)
    np.testing.assert_allclose(world.joint("shoulder").first_point, (0.363604, 1.590711, 0), atol=1e-6)
    np.testing.assert_allclose(world.joint("elbow").second_point, (0.717157, 1.237157, 0), atol=1e-6)
    np.testing.assert_allclose(world.marker("drill:tip").position, (1.36, 1.6, 0), atol=1e-12)
    assert max(joint.error for joint in world.joints) < 1e-15
    assert world.joint("elbow").value == pytest.approx(math.radians(-90))
    before = world.centers_of_mass[5:].copy()
    world.step(100)
    np.testing.assert_allclose(world.centers_of_mass[5:], before, atol=1e-9)  # nothing acts on soft tissue
    assert max(joint.error for joint in world.joints) < 1e-6


CHAIN = """
[bodies.base]
kind = "static"
markers = { top = [0, 0, 1] }
[bodies.upper]
mass = 1
inertia = 0.1
position = [5, 5, 5]
markers = { a = [0, 0, -0.5], b = [0, 0, 0.5] }
[bodies.lower]
mass = 1
inertia = 0.1
markers = { a = [-0.3, 0, 0], b = [0.3, 0, 0] }
[joints.one]
type = "hinge"
first = "base:top"
second = "upper:a"
axis = [0, 1, 0]
[joints.two]
type = "cylindrical"
first = "upper:b"
second = "lower:a"
[coordinates.bend]
joint = "one"
[coordinates.out]
joint = "two"
coordinate = "displacement"
[coordinates.turn]
joint = "two"
coordinate = "angle"
"""


def test_relative_angles_place_a_chain_in_space():
    """Place each body from the one before by the coordinates of its joint."""
    said = '[initial]\ncoordinates = { bend = "pi/2", out = 0.2, turn = "deg(30)" }\n'
    world = st.Model.loads(CHAIN + said).build()
    assert world.joint("one").value == pytest.approx(math.pi / 2)
    assert world.joint("two").value_of("displacement") == pytest.approx(0.2)
    assert world.joint("two").value_of("angle") == pytest.approx(math.radians(30))
    np.testing.assert_allclose(world.body("upper").position, (0.5, 0, 1), atol=1e-15)
    np.testing.assert_allclose(world.marker("lower:a").position, (1.2, 0, 1), atol=1e-15)
    assert max(joint.error for joint in world.joints) < 1e-15


LOOP = """
[world]
planar = "xy"
[bodies.crank]
mass = 1
inertia = 0.1
markers = { a = [-0.5, 0], b = [0.5, 0] }
[bodies.rod]
mass = 1
inertia = 0.1
markers = { a = [-1, 0], b = [1, 0] }
[bodies.rocker]
mass = 1
inertia = 0.1
markers = { a = [-0.75, 0], b = [0.75, 0] }
[markers]
left = [0, 0]
right = [2, 0]
[joints.1]
type = "hinge"
first = "left"
second = "crank:a"
[joints.2]
type = "hinge"
first = "crank:b"
second = "rod:a"
[joints.3]
type = "hinge"
first = "rod:b"
second = "rocker:b"
[joints.4]
type = "hinge"
first = "right"
second = "rocker:a"
[initial]
angles = { crank = "deg(60)", rod = 0.3, rocker = 1.5 }
"""


def test_loops_are_closed():
    """Correct angles that do not fit until a four-bar closes, to the tolerance."""
    world = st.Model.loads(LOOP).build()
    assert max(joint.error for joint in world.joints) < 1e-6
    for name, wanted in (("crank", math.radians(60)), ("rod", 0.3), ("rocker", 1.5)):
        assert abs(world.plane.motion(world.body(name)).angle - wanted) < 0.7
    world.step(20)
    assert max(joint.error for joint in world.joints) < 1e-6


def test_what_cannot_be_reached_is_told_with_its_distance():
    """Name joints and anchors that are missed, and by how much; nothing is built then."""
    with pytest.raises(st.ModelError, match="line .*initial: .*joint '.' misses by [0-9.]+ m"):
        st.Model.loads(LOOP.replace("right = [2, 0]", "right = [9, 0]")).build()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("anchors = { upperr = [0, 0, 0] }", "upperr.*did you mean upper"),
        ("at = { upper = 'lowr' }", "lowr.*did you mean lower"),
        ("angles = { upper = 1 }", "not planar"),
        ("coordinates = { two = 1 }", "coordinate"),
        ("coordinates = { three = 1 }", "three"),
        ("weights = { three = 1 }", "three"),
        ("anchors = { upper = [0, 0] }", "length 3"),
    ],
)
def test_wrong_initial_values_are_told(said, told):
    """Name what is not known, and the nearest."""
    with pytest.raises(st.ModelError, match=told):
        st.Model.loads(f"{CHAIN}[initial]\n{said}\n").build()

"""Coordinates of joints: what they measure, without jumps, and their rates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stoss.collision import Box, Sphere
from stoss.engine import Ball, Cylindrical, Free, Hinge, Joint, Planar, Slider, Universal, World
from stoss.engine.joints.excerpts import probe_of
from tests.engine.joint_worlds import inertias, measures, moved, rotation, wheel
from tests.engine.worlds import axis_angle, product

unit = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)
vector = st.tuples(*[st.floats(-2, 2)] * 3)


def pair(kind) -> Joint:
    """Return a joint of this kind between two bodies that turn differently."""
    world = World(gravity=(0, 0, 0))
    a = world.add_body(Box((0.4, 0.3, 0.2)), mass=1.0, position=(0.1, 0.2, 0.3))
    b = world.add_body(Box((0.3, 0.5, 0.2)), position=(0.5, 0, 0), mass=2.0)
    return world.add_joint(kind, a, b)


def pose(joint: Joint, first: tuple, second: tuple) -> None:
    """Turn both bodies by quaternions that need not be normalised yet."""
    for body, q in ((joint.first, first), (joint.second, second)):
        body.quaternion = np.asarray(q) / np.linalg.norm(q)


@pytest.mark.parametrize("rate", [7.0, -7.0, 170.0, -290.0])
def test_angle_counts_turns(rate):
    """Count the angle of a hinge on over many turns in both directions, up to half a turn a step."""
    joint = wheel(rate=rate)
    for _ in range(300):
        joint.world.step()
        assert joint.value == pytest.approx(rate * joint.world.time, rel=1e-9, abs=1e-9)
        assert joint.rate == pytest.approx(rate, rel=1e-12)


@pytest.mark.parametrize("rate", [400.0, -1000.0])
@pytest.mark.parametrize("state", ["turning", "disabled", "driven"])
def test_angle_of_a_fast_wheel(rate, state):
    """Count the angle of a wheel that turns by more than half a turn in a step, driven from rest or not.

    A balanced wheel on its axle has no lever that turns, so the step is not split.
    """
    joint = wheel(rate=0.0 if state == "driven" else rate)
    world = joint.world
    world.gravity = (0, 0, 0)
    joint.enabled = state != "disabled"
    if state == "driven":
        joint.motor(rate)
    report = world.step(200)
    assert joint.value == pytest.approx(rate * world.time, rel=1e-9)
    assert report.sub_steps == 1


def test_angle_counts_back_and_forth():
    """Come back to the same angle after many turns forth and as many back."""
    joint = wheel()
    motor = joint.motor(20.0)
    joint.world.step(500)
    assert joint.value == pytest.approx(20.0 * joint.world.time, abs=1e-4)
    motor.target_rate = -20.0
    joint.world.step(1000)
    assert joint.value == pytest.approx(-20.0 * 5.0, abs=1e-4)


def test_angle_counts_while_disabled():
    """Go on counting turns while the joint is switched off."""
    joint = wheel(rate=-9.0)
    world = joint.world
    world.gravity = (0, 0, 0)
    joint.enabled = False
    world.step(500)
    assert joint.value == pytest.approx(-45.0, rel=1e-9)
    joint.enabled = True
    world.step(500)
    assert joint.value == pytest.approx(-90.0, rel=1e-9)


def test_angles_of_all_kinds_count_turns():
    """Count turns of a planar and a cylindrical joint, and of a twist that a limit watches."""
    world = World(gravity=(0, 0, 0))
    kinds = {
        "angle": [Planar((0, 0, 0), (0, 0, 1)), Cylindrical((0, 0, 0), (0, 0, 1))],
        "twist": [Ball((0, 0, 0)), Free((0, 0, 0))],
    }
    joints = []
    for name, some in kinds.items():
        for kind in some:
            body = world.add_body(mass_properties=inertias(1.0, (1.0, 1.0, 1.5)), angular_velocity=(0, 0, 11))
            # on the second place the world: the body is first, and the coordinate runs backwards
            joints += [(world.add_joint(kind, None, body), name, 11.0)]
            body = world.add_body(mass_properties=inertias(1.0, (1.0, 1.0, 1.5)), angular_velocity=(0, 0, 11))
            joints += [(world.add_joint(kind, body, None), name, -11.0)]
    for joint, name, _ in joints:
        if name == "twist":
            joint.limit(-1e3, 1e3, coordinate=name)
    world.step(400)
    for joint, name, rate in joints:
        assert joint.value_of(name) == pytest.approx(4.0 * rate, rel=1e-9)
        assert joint.rate_of(name) == pytest.approx(rate, rel=1e-9)


def test_universal_angles_count_turns():
    """Count the turns of both angles of a universal joint."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(mass_properties=inertias(1.0, (1.0, 1.0, 1.0)), angular_velocity=(6, 0, 0))
    joint = world.add_joint(Universal((0, 0, 0), (1, 0, 0), (0, 1, 0)), None, body)
    world.step(300)
    assert joint.value_of("angle_1") == pytest.approx(18.0, rel=1e-9)
    assert joint.value_of("angle_2") == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("swap", [False, True])
def test_displacement(swap):
    """Measure along the axis of the first body, positive when the second is ahead, in any pose."""
    world = World(gravity=(0, 0, 0))
    a, b = (world.add_body(Box((0.4, 0.3, 0.2)), mass=1.0, position=(x, 0, 0)) for x in (0.0, 1.0))
    joint = world.add_joint(Slider((0.5, 0, 0), (1, 0, 0)), *((b, a) if swap else (a, b)))
    turn = axis_angle((1, 2, -1), 2.0)
    for body, place in ((a, (0, 0, 0)), (b, (1.7, 0, 0))):
        body.quaternion = turn
        body.position = rotation(turn) @ place
    sign = -1.0 if swap else 1.0
    assert joint.value == pytest.approx(sign * 0.7, abs=1e-12)
    assert joint.error < 1e-12 and joint.angle_error < 1e-12
    a.velocity, b.velocity = (rotation(turn) @ (v, 0.3, 0) for v in (0.5, -1.0))
    assert joint.rate == pytest.approx(sign * -1.5, abs=1e-12)


@given(
    first=unit,
    swing=st.floats(1e-3, 3.0),
    around=st.floats(-3.1, 3.1),
    twist=st.floats(-3.1, 3.1),
)
def test_swing_and_twist(first, swing, around, twist):
    """Take apart a turn into a twist about z, then a swing about an axis perpendicular to it."""
    joint = pair(Ball((0.3, 0.1, 0.1)))
    pose(joint, first, first)
    start = joint.first.quaternion
    swinging = axis_angle((np.cos(around), np.sin(around), 0), swing)
    joint.second.quaternion = product(start, product(swinging, axis_angle((0, 0, 1), twist)))
    assert joint.value_of("swing") == pytest.approx(swing, abs=1e-7)
    assert joint.value_of("twist") == pytest.approx(twist, abs=1e-7)
    # the rotation vector, as angle and axis of the whole turn
    vector = np.array([joint.value_of(f"rotation {k}") for k in "xyz"])
    whole = product(swinging, axis_angle((0, 0, 1), twist))
    again = axis_angle(vector, float(np.linalg.norm(vector)))
    assert abs(again @ whole) == pytest.approx(1.0, abs=1e-9)
    assert np.linalg.norm(vector) <= np.pi + 1e-12


@given(first=unit, one=st.floats(-3.0, 3.0), two=st.floats(-3.0, 3.0))
def test_two_angles(first, one, two):
    """Take apart the turn of a universal joint into one about the first body's axis, then the second's."""
    joint = pair(Universal((0.3, 0.1, 0.1), (1, 0, 0), (0, 1, 0)))
    start = np.asarray(first) / np.linalg.norm(first)
    pose(joint, first, product(start, product(axis_angle((1, 0, 0), one), axis_angle((0, 1, 0), two))))
    assert joint.value_of("angle_1") == pytest.approx(one, abs=1e-9)
    assert joint.value_of("angle_2") == pytest.approx(two, abs=1e-9)
    assert joint.angle_error < 1e-9


RATES = {
    "free": Free((0.3, 0.1, 0.1), axis=(0.3, 0.2, 1), second_point=(0.8, 0.3, -0.2)),
    "ball": Ball((0.3, 0.1, 0.1), axis=(0.3, 0.2, 1)),
    "universal": Universal((0.3, 0.1, 0.1), (1, 0, 0), (0, 1, 0)),
}
STEP = 1e-5  # of central differences, exact to STEP^2 times third derivatives, and to rounding / STEP


def defined(joint: Joint, coordinate: str) -> bool:
    """Return whether a coordinate is smooth near here: no half turn, no swing of 0, no parallel axes.

    Where the second of three turns is near a right angle the axes of the others are parallel.
    """
    if coordinate in ("swing", "twist"):
        swing = joint.value_of("swing")
        return swing < 2.8 and (coordinate == "twist" or swing > 0.1)
    if coordinate.startswith("rotation"):
        return float(np.linalg.norm([joint.value_of(f"rotation {k}") for k in "xyz"])) < 2.8
    if coordinate.startswith("turn_"):
        return bool(np.cos(joint.value_of("turn_y")) > 0.15)
    if coordinate.startswith("angle_"):
        x = rotation(joint.first.quaternion)[:, 0]
        turned = abs(joint.value_of(coordinate)) > 3.0  # where the angle jumps by a full turn
        return not turned and bool(abs(x @ rotation(joint.second.quaternion)[:, 1]) < 0.9)
    return True


@pytest.mark.parametrize("name", RATES)
@settings(max_examples=40)
@given(first=unit, second=unit, spins=st.tuples(vector, vector))
def test_rates(name, first, second, spins):
    """Give as rate of every coordinate its derivative along the motion, at any pose."""
    joint = pair(RATES[name])
    pose(joint, first, second)
    ahead = behind = joint.world._bodies
    for body, spin in zip((joint.first, joint.second), spins, strict=True):
        body.velocity, body.angular_velocity = spin[::-1], spin
        twist = STEP * np.array([*spin[::-1], *spin])
        ahead, behind = moved(ahead, body.index, twist), moved(behind, body.index, -twist)
    for coordinate in joint.coordinates:
        if not defined(joint, coordinate):
            continue
        row = probe_of(joint.world._joint_table.arrays, joint.index, joint._coordinates[coordinate])
        row = row.replace(value=np.array([joint.value_of(coordinate)]))
        expected = (measures(row, ahead)[0] - measures(row, behind)[0]) / (2.0 * STEP)
        assert joint.rate_of(coordinate) == pytest.approx(expected, abs=1e-6, rel=1e-6), coordinate


def test_hinge_error_is_measured():
    """Report by how much a joint is open: the distance of its points, the angle between its axes."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(Box((0.4, 0.3, 0.2)), mass=1.0)
    kind = Hinge((0, 0, 0), (0, 0, 1), second_point=(0.1, 0, 0), second_axis=(0, np.sin(0.2), np.cos(0.2)))
    joint = world.add_joint(kind, None, body)
    assert joint.error == pytest.approx(0.1, abs=1e-12)
    assert joint.angle_error == pytest.approx(0.2, abs=1e-12)


@pytest.mark.parametrize("tilt", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("rate", [30.0, -170.0, 250.0])
def test_turns_are_those_of_the_motion_also_where_axes_are_open(tilt, rate):
    """Count the turns of a hinge whose body turns about another axis, by several turns in a step."""
    world = World(gravity=(0, 0, 0), time_step=0.1)
    body = world.add_body(Sphere(0.1), mass=1.0)
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    joint = world.add_joint(Hinge((0, 0, 0), (0, 0, 1)), None, body)
    joint.enabled = False
    body.angular_velocity = rate * axis
    for _ in range(3):
        world.step()
    angles = np.linspace(0.0, 0.3 * rate, 20_000)
    twist = np.unwrap(2.0 * np.arctan2(axis[2] * np.sin(0.5 * angles), np.cos(0.5 * angles)))
    assert joint.value == pytest.approx(twist[-1], abs=1e-6)

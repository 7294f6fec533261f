"""Scenes of parts of people: they do what they are there to show."""

import numpy as np
import pytest

import stoss as st
from stoss.scenes import SCENES
from stoss.scenes.people.identify_from_markers import record_shoulders
from stoss.scenes.people.retarget_dishwasher import dishwasher_motions
from stoss.viewer.world.commands import Grab, MovePointer
from stoss.viewer.world.stage import Stage


def test_knees_of_rods_and_of_their_curves_swing_alike():
    """Have the shank on curves where the one on rods is, and not the one on a hinge (B-02)."""
    world = SCENES["knee_variants"].build()
    world.step(50)
    flexion = {
        kind: world.joint(f"{kind} knee").value_of("angle") for kind in ("hinge", "spline", "four-bar")
    }
    assert np.degrees(flexion["spline"]) == pytest.approx(29.12, abs=0.02)
    assert flexion["four-bar"] == pytest.approx(flexion["spline"], abs=1e-5)
    assert np.degrees(flexion["hinge"]) == pytest.approx(26.69, abs=0.02)


def test_knees_stop_in_three_ways():
    """Bounce by the restitution at the impulse, and by what B-10 tells at the others."""
    world = SCENES["knee_stop"].build(time_step=1e-4)
    knees = {name: world.joint(f"{name} knee") for name in ("impulse", "spring", "law")}
    left: dict[str, float] = {}
    was = dict.fromkeys(knees, 2.0)
    for _ in range(3500):
        world.step()
        for name, knee in knees.items():
            if was[name] <= np.radians(2.0) + 1e-9 < knee.value:
                left.setdefault(name, knee.rate)
            was[name] = knee.value
    assert left["impulse"] == pytest.approx(0.15 * 8.587319, rel=2e-3)
    assert left["law"] == pytest.approx(0.979686, rel=0.01)
    assert 0.5 < left["spring"] < 1.6


def test_shoulder_blades_glide_and_arms_rise():
    """Keep both points of each blade on the ribs while the arms go where they are wanted, mirrored."""
    world = SCENES["shoulder_girdle"].build()
    start = world.body("right scapula").position
    for _ in range(50):
        world.step(10)
        assert world.report.joint_error < 1e-6
    joint = world.joint("right shoulder")
    assert np.degrees(joint.value_of("turn_x")) == pytest.approx(-80.0, abs=10.0)
    right, left = (world.body(f"{side} scapula").position for side in ("right", "left"))
    np.testing.assert_allclose(right, left * (1, -1, 1), atol=1e-6)
    assert right[2] - start[2] > 0.02


def test_a_spine_bends_as_far_as_it_is_told():
    """Turn the head by what is wanted of back and neck, but for what the weight takes."""
    for wanted in ({"flexion_deg": 60.0}, {"axial_deg": 30.0, "neck_axial_deg": 60.0}):
        still = {"flexion_deg": 0.0, "lateral_deg": 0.0, "axial_deg": 0.0}
        neck = {"neck_flexion_deg": 0.0, "neck_axial_deg": 0.0}
        world = SCENES["spine_bend"].build(**{**still, **neck, **wanted})
        world.step(560)
        turn = 2.0 * np.degrees(np.arccos(abs(world.body("head").quaternion[0])))
        assert turn == pytest.approx(sum(wanted.values()), abs=5.0)


def test_a_hand_holds_a_ball():
    """Close on balls of several sizes and keep them."""
    for radius in (0.025, 0.035):
        world = SCENES["hand_grasp_pose"].build(radius=radius, time_step=0.004)
        world.step(500)
        place = world.body("ball").position
        world.step(250)
        np.testing.assert_allclose(world.body("ball").position, place, atol=1e-4)
        assert place[2] > 0.6 and len(world.contacts) >= 3


def test_a_double_pendulum_is_where_it_is_known_to_be():
    """Agree with B-03 half a second after the start."""
    world = SCENES["double_pendulum"].build(time_step=1e-3)
    world.step(500)
    assert world.joint("q1").value == pytest.approx(1.122653701, abs=5e-5)
    assert world.joint("q2").value == pytest.approx(-0.593820261, abs=5e-5)
    assert isinstance(world, st.World)


def test_a_person_reaches_and_stands():
    """Have hands where they are wanted, feet where they were, within all limits; and be led."""
    for rule in ("closest", "least squares"):
        world = SCENES["ik_playground"].build(rule=rule)
        both = st.Articulation(world)
        lower, upper = both.limits.T
        assert len(both) == 40 and (both.q >= lower - 1e-9).all() and (both.q <= upper + 1e-9).all()
        feet = [world.body(f"{side} foot") for side in ("right", "left")]
        for foot, y in zip(feet, (-0.10348, 0.10348), strict=True):
            np.testing.assert_allclose(foot.position[1], y, atol=1e-5)
            np.testing.assert_allclose(np.abs(foot.quaternion[0]), 1.0, atol=1e-9)
        hands = world.body("right hand").position, world.body("left hand").position
        assert hands[0][2] - hands[1][2] > 0.3 and min(hand[0] for hand in hands) > 0.35
        world.step(20)
        np.testing.assert_allclose(world.body("right hand").position, hands[0], atol=1e-6)
    stage = Stage(world)
    hand, standing = world.body("left hand"), [foot.position for foot in feet]
    stage.carry_out(Grab("left hand", tuple(hand.position.tolist()), "pose"))
    goal = hand.position + (-0.05, 0.1, 0.3)
    stage.carry_out(MovePointer(tuple(goal.tolist())))
    np.testing.assert_allclose(hand.position, goal, atol=5e-3)
    for foot, place in zip(feet, standing, strict=True):
        np.testing.assert_allclose(foot.position, place, atol=1e-3)
    q = st.Articulation(world).q
    assert (q >= lower - 1e-9).all() and (q <= upper + 1e-9).all()
    far = SCENES["ik_playground"].build(right_forward=0.6, right_up=0.6)
    assert np.isfinite(far.positions).all()


def test_a_robot_does_what_it_can_of_what_a_person_does():
    """Miss the markers of the recording by more than the person, by noise alone, and go along."""
    by_person, by_robot = dishwasher_motions(3.0, 0.001)
    assert 1e-3 < by_person.residual < 2e-3 and 4.0 * by_person.residual < by_robot.residual < 0.03
    assert len(by_robot.coordinates) == 24 and len(by_person.coordinates) == 40
    world = SCENES["retarget_dishwasher"].build(seconds=3.0)
    player = world.controllers["player"]
    lowest = world.body("person right hand").position[2]
    for _ in range(60):
        world.step(10)
        assert np.abs(player.errors()).max() < 0.25
    hands = [world.body(f"{who} right hand").position for who in ("person", "robot")]
    assert abs(hands[1][1] - hands[0][1] + 1.2) < 0.1 and abs(lowest - hands[0][2]) < 0.1


def test_what_markers_tell_is_what_made_them():
    """Find three balls and a hinge, and follow the recording to its noise."""
    world = SCENES["identify_from_markers"].build(noise=0.001)
    kinds = {joint.name: type(joint.kind) for joint in world.joints}
    assert kinds.pop("stand") is st.Fixed
    assert kinds.pop("right arm - right forearm") is st.Hinge and set(kinds.values()) == {st.Ball}
    data, _ = record_shoulders(4.0, 0.0)
    for _ in range(7):
        world.step(100)
        k = round(50 * world.time)
        off = [marker.position - data.marker(marker.name.split(":")[-1])[k] for marker in world.markers]
        assert np.linalg.norm(off, axis=1).max() < 0.015

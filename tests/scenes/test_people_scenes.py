"""Scenes of parts of people: they do what they are there to show."""

import numpy as np
import pytest

import stoss as st
from stoss.scenes import SCENES


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

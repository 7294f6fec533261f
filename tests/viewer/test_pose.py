"""Poses in the window: coordinates that are set, bodies that are led while joints follow."""

import numpy as np
import pytest

import stoss as st
from stoss.viewer.world.commands import (
    Freeze,
    Grab,
    MovePointer,
    Release,
    SetCoordinate,
    command_from_record,
)
from stoss.viewer.world.pose import coordinate_outlines
from stoss.viewer.world.stage import Stage


def person(variant="26dof"):
    """Return a stage with a person that stands on the ground, and its humanoid."""
    world = st.World(time_step=0.005)
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    human = st.build_humanoid(world, variant=variant)
    return Stage(world), human


def arm():
    """Return a stage with a crane-like arm that is bolted to the world."""
    world = st.World()
    last = None
    for k in range(4):
        body = world.add_body(st.Capsule(0.05, 0.3), position=(0, 0, 0.25 + 0.5 * k), name=f"link {k}")
        joint = world.add_joint(st.Hinge((0, 0, 0.5 * k), (0, 1, 0)), last, body, name=f"hinge {k}")
        joint.limit(-1.0, 1.0)
        last = body
    return Stage(world)


def test_coordinates_are_told_and_set():
    """Tell values and limits, set one of them also while it stands, and do it again from the record."""
    stage = arm()
    told = coordinate_outlines(stage)
    assert [c.name for c in told] == [f"hinge {k}" for k in range(4)]
    assert all(c.angle and (c.lower, c.upper) == (-1.0, 1.0) for c in told)
    stage.carry_out(SetCoordinate("hinge 1", 0.5))
    stage.carry_out(
        command_from_record({"command": "set_coordinate", "coordinate": "hinge 3", "value": -0.2})
    )
    np.testing.assert_allclose([c.value for c in coordinate_outlines(stage)], (0, 0.5, 0, -0.2), atol=1e-12)
    tip = stage.world.body("link 3")
    wanted = (np.sin(0.5) + 0.25 * np.sin(0.3), 0.0, 0.5 + np.cos(0.5) + 0.25 * np.cos(0.3))
    np.testing.assert_allclose(tip.position, wanted, atol=1e-12)
    assert (tip.velocity == 0).all()
    with pytest.raises(KeyError, match="hinge 9"):
        stage.carry_out(SetCoordinate("hinge 9", 0.5))
    again = arm()
    again.replay(stage.log, 0)
    np.testing.assert_array_equal(again.world.positions, stage.world.positions)


def test_a_hand_is_led_and_the_body_follows_while_feet_stand():
    """Bring a forearm where it is led, the feet where they were, joints closed and within their limits."""
    stage, human = person()
    hand, feet = human.bodies["right forearm"], [human.bodies[f"{side} foot"] for side in ("right", "left")]
    before = [foot.position.copy() for foot in feet]
    point, goal = hand.position.copy(), hand.position + (0.25, -0.1, 0.1)
    stage.carry_out(Grab(hand.name, tuple(point), "pose"))
    assert {name for name, _, _ in stage.pull.grip.standing} == {foot.name for foot in feet}
    for part in np.linspace(0.1, 1.0, 6):
        stage.carry_out(MovePointer(tuple(point + part * (goal - point))))
    np.testing.assert_allclose(stage.pull.point, goal, atol=2e-3)
    for foot, place in zip(feet, before, strict=True):
        np.testing.assert_allclose(foot.position, place, atol=1e-3)
    both = st.Articulation(stage.world)
    assert (both.q >= both.limits[:, 0] - 1e-6).all() and (both.q <= both.limits[:, 1] + 1e-6).all()
    assert max(joint.error for joint in stage.world.joints) < 1e-9
    stage.carry_out(Release())
    assert stage.pull is None
    stage.step()


def test_what_is_out_of_reach_is_missed_and_feet_do_not_slip():
    """Stretch towards a goal that is far away; feet slip by less than a hundredth of what is missed."""
    stage, human = person()
    hand, foot = human.bodies["left forearm"], human.bodies["left foot"]
    before = foot.position.copy()
    stage.carry_out(Grab(hand.name, tuple(hand.position), "pose"))
    for x in (0.5, 1.0, 2.0):
        stage.carry_out(MovePointer((x, 0.2, 1.5)))
    missed = np.linalg.norm(stage.pull.point - (2.0, 0.2, 1.5))
    assert missed > 0.3 and np.linalg.norm(foot.position - before) < 0.02 * missed


def test_loops_stay_closed():
    """Lead a body of a loop that frozen bodies close, and set a coordinate of it."""
    stage = arm()
    stage.carry_out(SetCoordinate("hinge 1", 0.8))
    stage.carry_out(SetCoordinate("hinge 2", -0.9))
    stage.carry_out(Freeze("link 3"))
    world = stage.world
    assert stage.articulation.loops
    link = world.body("link 1")
    stage.carry_out(Grab("link 1", tuple(link.position), "pose"))
    stage.carry_out(MovePointer(tuple(link.position + (0.02, 0.0, 0.0))))
    assert max(joint.error for joint in world.joints) < 1e-9
    stage.carry_out(Release())
    stage.carry_out(SetCoordinate("hinge 0", 0.1))
    assert max(joint.error for joint in world.joints) < 1e-9


def test_states_are_gone_back_to_with_what_is_led():
    """Have the same hold after going back to a moment, and refuse what does not move."""
    stage, human = person("22dof")
    pelvis = human.bodies["pelvis"]
    stage.carry_out(Grab("pelvis", tuple(pelvis.position), "pose"))
    moment = stage.save()
    down = tuple(pelvis.position - (0, 0, 0.05))
    stage.carry_out(MovePointer(down))
    first = stage.world.positions.copy()
    assert abs(pelvis.position[2] - down[2]) < 2e-3
    stage.restore(moment)
    assert stage.pull is not None and stage.pull.whole and stage.pull.holds(pelvis)
    stage.carry_out(MovePointer(down))
    np.testing.assert_allclose(stage.world.positions, first, atol=1e-9)
    with pytest.raises(ValueError, match="only dynamic bodies can be led"):
        stage.carry_out(Grab("ground", (0, 0, 0), "pose"))


def test_outlines_wait_while_the_pointer_is_a_body():
    """Tell no coordinates while a pull by motors adds a body of its own to the world."""
    stage = arm()
    stage.carry_out(Grab("link 3", (0, 0, 1.75), "drag"))
    assert coordinate_outlines(stage) == ()
    stage.carry_out(Release())
    assert len(coordinate_outlines(stage)) == 4

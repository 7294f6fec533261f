"""Joints are given motors, servos and stops, and are moved by hand, while the world runs."""

import json

import numpy as np
import pytest

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.collision import Box
from stoss.engine import Hinge, World
from stoss.scenes.registry import SCENES
from stoss.viewer.world.commands import (
    AddLimit,
    AddMotor,
    AddServo,
    Delete,
    HoldJoint,
    Push,
    Release,
    RemoveDrive,
    RemoveLimit,
    command_from_record,
)
from stoss.viewer.world.driven import Driven
from stoss.viewer.world.film_strip import FilmStrip
from stoss.viewer.world.history import History
from stoss.viewer.world.outline import joint_outlines
from stoss.viewer.world.session import Session, load_session
from stoss.viewer.world.stage import Stage
from stoss.viewer.world.timeline import Timeline


def door() -> Stage:
    """Return a door of 1 m and 2 kg that turns about z, at rest; gravity acts along its hinge."""
    world = World()
    body = world.add_body(Box((1.0, 0.1, 1.0)), position=(0.5, 0.0, 0.0), mass=2.0, name="door")
    world.add_joint(Hinge((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), None, body, name="hinge")
    return Stage(world)


def advance(stage: Stage, count: int) -> float:
    for _ in range(count):
        stage.step()
    return stage.world.joint("hinge").value


def test_a_motor_turns_at_its_rate_from_the_next_step_on():
    stage = door()
    stage.carry_out(AddMotor("hinge", "angle", 0.5, 100.0))
    assert advance(stage, 100) == pytest.approx(0.5, abs=0.006)  # to one step
    stage.carry_out(RemoveDrive("hinge", 0))
    assert stage.world.joint("hinge").drives == []


def test_a_servo_goes_to_its_value_and_a_stop_ends_the_way():
    stage = door()
    stage.carry_out(AddServo("hinge", "angle", 1.0, 400.0, 40.0, 1e4))
    assert advance(stage, 200) == pytest.approx(1.0, abs=1e-3)
    stage.carry_out(AddLimit("hinge", "angle", -0.2, 1.5))
    stage.carry_out(RemoveDrive("hinge", 0))
    stage.carry_out(Push("door", (np.cos(1.0), np.sin(1.0), 0.0), (-2.0, 1.0, 0.0)))
    advance(stage, 300)
    assert advance(stage, 200) == pytest.approx(1.5, abs=1e-6)
    stage.carry_out(RemoveLimit("hinge", 0))
    assert stage.world.joint("hinge").limits == []


def test_a_held_coordinate_goes_where_the_slider_is_and_is_free_when_it_is_let_go():
    stage = door()
    stage.carry_out(HoldJoint("hinge", "angle", 0.3))
    advance(stage, 20)
    stage.carry_out(HoldJoint("hinge", "angle", -0.7))
    assert advance(stage, 150) == pytest.approx(-0.7, abs=1e-3)
    assert len(stage.world.joint("hinge").drives) == 1
    stage.carry_out(Release())
    assert stage.world.joint("hinge").drives == [] and stage.pull is None


def test_deleting_the_body_ends_the_hold():
    stage = door()
    stage.carry_out(HoldJoint("hinge", "angle", 0.3))
    stage.carry_out(Delete("door"))
    assert stage.pull is None and len(stage.world.bodies) == 0


SESSION = [
    (0, HoldJoint("slew", "angle", 0.4)),
    (20, HoldJoint("slew", "angle", -0.2)),
    (25, Release()),
    (26, AddServo("slew", "angle", 0.5, 1e6, 1e5, np.inf)),
    (27, AddLimit("trolley", "displacement", 0.0, 30.0)),
    (30, RemoveDrive("slew", 1)),
    (31, AddMotor("slew", "angle", 0.1, 1e5)),
    (35, RemoveLimit("trolley", 0)),
]


def crane_session() -> list:
    world = SCENES["crane"].build()
    slide = next(iter(world.joint("trolley").coordinates))
    return [
        (step, AddLimit("trolley", slide, 0.0, 30.0) if isinstance(command, AddLimit) else command)
        for step, command in SESSION
    ]


def test_a_session_with_them_is_replayed_bitwise_from_its_file(tmp_path):
    stage, log = Stage(SCENES["crane"].build()), crane_session()
    stage.replay(log, 50)
    session = Session("crane", {}, {}, 0.01, stage.log, 50, stage.world.state_hash())
    session.write(tmp_path / "session.json")
    assert load_session(tmp_path / "session.json").replay().state_hash() == stage.world.state_hash()
    for _, command in log:
        assert command_from_record(json.loads(json.dumps(command.record()))) == command


@pytest.mark.parametrize("step", [0, 10, 22, 28])
def test_going_back_into_the_middle_of_a_hold_gives_the_same_bits(step):
    stage, log, hashes = Stage(SCENES["crane"].build()), crane_session(), []
    timeline = Timeline(stage, History(), FilmStrip())
    for number in range(40):
        hashes.append(stage.world.positions.copy())
        while log and log[0][0] == number:
            timeline.carry_out(log.pop(0)[1])
        stage.step()
        timeline.note_step(0.0, surely=number % 4 == 0)
    timeline.seek(step)
    assert np.array_equal(stage.world.positions, hashes[step])
    timeline.cut()
    assert stage.pull is None


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (AddMotor("hinge", "displacement", 0.0, 1.0), "coordinate.*'displacement' is unknown"),
        (AddMotor("door", "angle", 0.0, 1.0), "door"),
        (AddMotor("hinge", "angle", 0.0, -1.0), "max_force"),
        (AddServo("hinge", "angle", float("nan"), 1.0, 1.0, 1.0), "target"),
        (AddLimit("hinge", "angle", 1.0, 0.0), "the lower bound must be below"),
        (RemoveDrive("hinge", 0), "drive = 0 is not there: the joint has 0"),
        (RemoveLimit("hinge", -1), "limit = -1 is not there"),
        (HoldJoint("hinge", "angle", float("inf")), "value"),
    ],
)
def test_wrong_ones_are_not_noted_and_change_nothing(command, told):
    stage = door()
    stage.carry_out(HoldJoint("hinge", "angle", 0.3)) if isinstance(command, AddLimit) else None
    before, log = stage.world.state_hash(), list(stage.log)
    with pytest.raises((ValueError, KeyError, TypeError), match=told):
        stage.carry_out(command)
    assert (stage.world.state_hash(), stage.log) == (before, log)


def test_a_loop_of_its_own_that_goes_back_ends_the_hold():
    stage = door()
    driven = Driven(stage.world)
    beginning = stage.world.save()
    driven.post(HoldJoint("hinge", "angle", 0.3))
    driven.turn()
    stage.world.step(3)
    driven.note()
    stage.world.restore(beginning)
    driven.note()
    driven.turn()
    assert driven.stage.pull is None and stage.world.before_step == []
    assert stage.world.joint("hinge").drives == []


def test_outlines_tell_what_can_be_driven_and_in_which_unit():
    outlines = {joint.name: joint for joint in joint_outlines(Stage(SCENES["crane"].build()), most=5)}
    assert len(outlines) == 5
    slew, trolley = outlines["slew"], outlines["trolley"]
    assert slew.free == ("angle",) and slew.angles == {"angle"}
    assert len(trolley.free) == 1 and not trolley.angles


def test_what_holds_a_joint_is_not_shown_as_a_drive_of_it():
    stage = door()
    stage.carry_out(AddMotor("hinge", "angle", 0.5, 100.0))
    stage.carry_out(HoldJoint("hinge", "angle", 0.3))
    (hinge,) = joint_outlines(stage, most=5)
    assert [drive.values["target_rate"] for drive in hinge.drives] == [0.5]

"""Commands and sessions: what was done is kept and can be done again bitwise."""

import dataclasses
import json

import numpy as np
import pytest

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.engine import Settings
from stoss.scenes.registry import SCENES
from stoss.viewer.world import commands
from stoss.viewer.world.commands import (
    AddLimit,
    AddMotor,
    AddServo,
    ChangeSetting,
    Command,
    Delete,
    Duplicate,
    Freeze,
    Grab,
    HoldJoint,
    MovePointer,
    Push,
    Release,
    RemoveDrive,
    RemoveLimit,
    SetBreakLoad,
    SetCoordinate,
    SetDrive,
    SetGravity,
    SetLimit,
    SetMass,
    SetMaterial,
    SetTimeStep,
    SetVelocity,
    SwitchJoint,
    Throw,
    Unfreeze,
    WakeAll,
    command_from_record,
)
from stoss.viewer.world.history import History, bytes_of
from stoss.viewer.world.pull import POINTER
from stoss.viewer.world.session import Session, load_session
from stoss.viewer.world.stage import Stage

SESSION = [
    (0, Push("load", (3.5, 0.0, 3.5), (50.0, 20.0, 0.0))),
    (5, Grab("load", (3.5, 0.0, 3.4))),
    (6, MovePointer((5.0, 1.0, 3.0))),
    (12, MovePointer((5.0, 2.0, 4.0))),
    (20, Release()),
    (20, Throw((0.0, -4.0, 6.0), (0.0, 8.0, 1.0))),
    (22, Duplicate("load", (0.0, 0.0, 3.0))),
    (25, SetMass("load", 150.0)),
    (25, SetMaterial("load", "friction", 0.2)),
    (26, ChangeSetting("impact_law", "newton")),
    (27, SetTimeStep(0.005)),
    (28, SetGravity((0.0, 0.5, -9.0))),
    (29, SetDrive("trolley", 0, "stiffness", 1e5)),
    (30, Freeze("trolley")),
    (34, Unfreeze("trolley")),
    (36, SetVelocity("ball 1", (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))),
    (38, SetBreakLoad("hook", 1e6, 1e6)),
    (38, SwitchJoint("link 3", False)),
    (40, Delete("link 11")),
    (41, WakeAll()),
    (42, SetCoordinate("slew", 0.3)),
]


def crane_stage() -> Stage:
    return Stage(SCENES["crane"].build())


def test_a_session_is_replayed_bitwise_from_its_file(tmp_path):
    stage = crane_stage()
    stage.replay(SESSION, 60)
    world = stage.world
    session = Session("crane", {}, {}, 0.01, stage.log, world.step_count, world.state_hash())
    session.write(tmp_path / "session.json")
    again = load_session(tmp_path / "session.json")
    assert again == session
    assert again.replay().state_hash() == world.state_hash()


def test_the_commands_matter():
    stage = crane_stage()
    stage.replay(SESSION[:-8], 60)
    other = crane_stage()
    other.replay([], 60)
    assert stage.world.state_hash() != other.world.state_hash()


def test_every_command_survives_a_record():
    kinds = {kind for kind in vars(commands).values() if isinstance(kind, type) and issubclass(kind, Command)}
    kinds -= {Command, commands.Edit}
    samples = [command for _, command in SESSION] + [SetLimit("slew", 0, -1.0, 1.0)]
    samples += [AddMotor("slew", "angle", 0.1, np.inf), AddServo("slew", "angle", 0.5, 1e6, 1e5, np.inf)]
    samples += [AddLimit("slew", "angle", -1.0, 1.0), HoldJoint("slew", "angle", 0.4)]
    samples += [RemoveDrive("slew", 0), RemoveLimit("slew", 0)]
    samples += [
        commands.PressKey("UP"),
        commands.Build(),
        commands.BeginHere(),
        commands.UndoEdit(),
        commands.RedoEdit(),
    ]
    samples += [
        commands.AddThing("bodies", "arm", {"shapes": [{"type": "box", "size": [1.0, "2*mm", 0.5]}]}),
        commands.AddBodyOfMesh("part", "part.stl", "convex_hull", {"position": [0.0, 1.0, 2.0]}),
        commands.AddShapeOfMesh("part", "display", "part.stl", "triangle_mesh"),
        commands.ChangeThing("joints", "pin", {"limit": None, "point": [0.5, 0.0, 0.0]}, "field 3 point"),
        commands.ChangeWorld({"gravity": [0.0, 0.0, -1.6]}),
        commands.RenameThing("bodies", "arm", "upper arm"),
        commands.RemoveThing("markers", "arm:tip"),
        commands.MoveJoint("pin", (0.0, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0), (0.5, 0.0, 0.0), "handles 1"),
    ]
    assert {type(sample) for sample in samples} == kinds
    for sample in samples:
        assert command_from_record(json.loads(json.dumps(sample.record()))) == sample


def test_limits_and_settings_act():
    world = SCENES["thesis_stops"].build()
    stage = Stage(world)
    joint = next(joint for joint in world.joints if joint.limits)
    stage.carry_out(SetLimit(joint.name, 0, -0.25, 0.25))
    assert (joint.limits[0].lower, joint.limits[0].upper) == (-0.25, 0.25)
    stage.carry_out(ChangeSetting("sweeps", 44))
    assert world.settings == dataclasses.replace(Settings(), sweeps=44)


@pytest.mark.parametrize(
    "command",
    [
        Push("nobody", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
        SetMass("load", -1.0),
        SetMaterial("load", "friction", -0.5),
        ChangeSetting("sweeps", 0),
        ChangeSetting("collision", "fcl"),
        SetTimeStep(0.0),
        SetDrive("trolley", 0, "colour", 1.0),
        Grab("mast", (0.0, 0.0, 0.0)),
        Duplicate("load", (np.inf, 0.0, 0.0)),
    ],
)
def test_rejected_commands_are_not_noted_and_change_nothing(command):
    stage = crane_stage()
    before = stage.world.state_hash(), len(stage.world.bodies), stage.world.settings
    with pytest.raises((ValueError, KeyError, TypeError)):
        stage.carry_out(command)
    assert stage.log == []
    assert (stage.world.state_hash(), len(stage.world.bodies), stage.world.settings) == before


@pytest.mark.parametrize(
    "command",
    [
        Grab("mast", (0.0, 0.0, 0.0)),
        Delete(POINTER),
        SetVelocity("load", (1.0, 0.0, 0.0), (np.nan, 0.0, 0.0)),
        SetBreakLoad("hook", 5.0, -1.0),
    ],
)
def test_a_command_that_fails_halfway_leaves_the_pull_and_the_session_as_they_were(command):
    """Keep what is held, and the bits of the session, when a later command is rejected."""
    ends = []
    for disturbed in (False, True):
        stage = crane_stage()
        stage.replay(SESSION[:3], 10)
        if disturbed:
            with pytest.raises((ValueError, KeyError, TypeError)):
                stage.carry_out(command)
            assert stage.pull is not None
            assert np.isinf(stage.world.joint("hook").break_force)
        stage.replay(SESSION[3:5], 30)
        ends.append(stage.world.state_hash())
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"format": 1}', '{"format": 99}', '{"format": 1, "commands": [[0, {"command": "fly"}]]}'],
)
def test_broken_session_files_are_named(tmp_path, text):
    path = tmp_path / "broken.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="broken.json: no session of stoss"):
        load_session(path)


def test_history_keeps_the_beginning_and_the_recent_past():
    stage = Stage(SCENES["stack"].build(bodies=3))
    size = bytes_of(stage.save().snapshot)
    history = History(budget=20 * size)
    history.keep(stage.save())
    for _ in range(100):
        stage.step()
        history.keep(stage.save())
    assert len(history) < 30
    assert history.ends == (0, 100)
    assert history.steps[-3:] == [98, 99, 100]
    assert history.at(99).step == 99
    assert history.at(-5).step == 0
    history.forget_after(50)
    assert history.ends[1] <= 50

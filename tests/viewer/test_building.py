"""A model is built by commands: its world follows, all can be undone, and all is done again bit for bit."""

import json
import os
import random

import numpy as np
import pytest

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.engine.model import Model
from stoss.scenes.registry import SCENES
from stoss.viewer.workbench.project import read_source
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.commands import (
    AddBodyOfMesh,
    AddMotor,
    AddShapeOfMesh,
    AddThing,
    BeginHere,
    Build,
    ChangeThing,
    ChangeWorld,
    Delete,
    Duplicate,
    Freeze,
    Grab,
    MoveJoint,
    MovePointer,
    Push,
    RedoEdit,
    Release,
    RemoveThing,
    RenameThing,
    SetMass,
    SetMaterial,
    Throw,
    UndoEdit,
)
from stoss.viewer.world.session import Source, load_session, source_of_model
from stoss.viewer.world.simulation import Simulation
from tests.viewer.falling_box import falling_box

BOX = {"shapes": [{"type": "box", "size": [1.0, 0.1, 0.1]}]}
MOTOR = {"actions": [{"type": "motor", "velocity": 2.0, "max_force": 400.0}]}
PENDULUM = (
    AddThing("bodies", "upper", {**BOX, "position": [0.5, 0.0, 0.0]}),
    AddThing("bodies", "lower", {**BOX, "position": [1.5, 0.0, 0.0]}),
    AddThing(
        "joints", "shoulder", {"type": "hinge", "second": "upper", "point": [0, 0, 0], "axis": [0, 1, 0]}
    ),
    AddThing(
        "joints",
        "elbow",
        {"type": "hinge", "first": "upper", "second": "lower", "point": [1, 0, 0], "axis": [0, 1, 0]},
    ),
    ChangeThing("joints", "elbow", MOTOR),
)


class Builder:
    """A simulation without a thread, with what one does to it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.simulation = Simulation(source.stage, paused=True)
        self.turn()

    def turn(self, count: int = 4) -> None:
        for _ in range(count):
            self.simulation.turn()

    def do(self, *commands) -> None:
        for command in commands:
            self.simulation.post(command)
            self.turn()

    def run(self, steps: int) -> None:
        self.simulation.step(steps)
        self.turn(steps + 4)

    @property
    def stage(self):
        return self.simulation.stage

    @property
    def world(self):
        return self.simulation.stage.world

    @property
    def draft(self):
        return self.simulation.stage.draft

    @property
    def model(self):
        return self.draft.model

    def refusal(self) -> str:
        refused = self.simulation.refused
        return "" if refused is None else str(refused[1])

    def replayed(self, folder):
        """Return the world of the session, done again from its file."""
        path = folder / "session.json"
        self.source.session(self.stage).write(path)
        session = load_session(path)
        world = session.replay()
        assert world.state_hash() == session.state_hash == self.world.state_hash()
        return world


@pytest.fixture
def builder():
    return Builder(source_of_model(Model()))


def moved(model, steps):
    """Return the hash of the world of a model after some steps."""
    world = model.build()
    world.step(steps)
    return world.state_hash()


def test_what_is_built_moves_as_its_file_does(builder, tmp_path):
    """Have the same bits as what is saved and read again."""
    builder.do(*PENDULUM)
    builder.model.save(tmp_path / "pendulum.toml")
    builder.run(50)
    assert builder.world.state_hash() == moved(Model.load(tmp_path / "pendulum.toml"), 50)
    assert builder.world.joint("elbow").rate_of() == pytest.approx(2.0, abs=1e-6)
    builder.replayed(tmp_path)


def test_every_edit_is_undone_and_redone(builder):
    """Return through all models to the empty one and back, and move as each of them."""
    models, hashes = [builder.model], []
    for command in PENDULUM:
        builder.do(command)
        models.append(builder.model)
        hashes.append(moved(builder.model, 10))
    for model in reversed(models[:-1]):
        builder.do(UndoEdit())
        assert builder.model is model and len(builder.world.bodies) == len(model.bodies)
    builder.do(UndoEdit())
    assert "no edit to be undone" in builder.refusal()
    for model in models[1:]:
        builder.do(RedoEdit())
        assert builder.model is model
    assert [version.label for version in builder.draft.past][-2:] == ["add elbow", "change elbow"]
    builder.do(RedoEdit())
    assert "no edit was undone" in builder.refusal()
    builder.run(10)
    assert builder.world.state_hash() == hashes[-1]


def test_a_drag_is_undone_as_one(builder):
    """Take commands of one stroke together; another stroke, or an undo between them, begins anew."""
    builder.do(PENDULUM[0])
    for stroke in ("handles 1", "handles 2"):
        for x in (0.6, 0.7, 0.8):
            builder.do(ChangeThing("bodies", "upper", {"position": [x, 0, 0]}, stroke))
    assert len(builder.draft.past) == 3
    builder.do(UndoEdit())
    assert builder.world.body("upper").position[0] == 0.8 and len(builder.draft.past) == 2
    builder.do(ChangeThing("bodies", "upper", {"position": [0.9, 0, 0]}, "handles 1"))
    assert len(builder.draft.past) == 3 and not builder.draft.future


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (AddThing("bodies", "ball", {"shapes": [{"type": "sphere", "radius": -0.1}]}), "above zero"),
        (ChangeThing("bodies", "upper", {"mass": -1.0}), "mass"),
        (ChangeThing("joints", "elbow", {"second": "upper"}), "two different bodies"),
        (ChangeThing("joints", "elbow", {"axis": [0, 0, 0]}), "axis"),
        (AddBodyOfMesh("part", "/nowhere/part.stl", "convex_hull"), "no such file"),
        (MoveJoint("wrist", (0.0, 0.0, 1.0)), "wrist"),
        (RenameThing("bodies", "upper", "lower"), "taken"),
        (RemoveThing("bodies", "hand"), "hand"),
        (ChangeWorld({"time_step": 0.0}), "time_step"),
        (ChangeWorld({"planar": "xz"}), "planar"),
    ],
)
def test_what_is_refused_changes_nothing(builder, command, words):
    builder.do(*PENDULUM)
    draft, state = builder.draft, builder.world.state_hash()
    count = len(builder.simulation.log)
    builder.do(command)
    assert words in builder.refusal() and builder.simulation.refused[0] == command
    assert builder.draft is draft and builder.world.state_hash() == state
    assert len(builder.simulation.log) == count
    builder.do(ChangeThing("bodies", "upper", {"mass": 2.0}))
    assert builder.refusal() == ""


def test_a_mesh_that_is_open_is_refused_for_what_moves(builder, tmp_path):
    """Say so where it is to have the mass; take its triangles for a static body, and its hull."""
    import trimesh

    open_box = trimesh.creation.box((1.0, 1.0, 1.0))
    open_box.update_faces(np.arange(len(open_box.faces)) > 1)
    file = str(tmp_path / "open.stl")
    open_box.export(file)
    builder.do(AddBodyOfMesh("bowl", file, "triangle_mesh"))
    assert "make the body static" in builder.refusal()
    assert not builder.model.bodies and not builder.model.meshes  # nothing is left of it
    builder.do(AddBodyOfMesh("bowl", file, "triangle_mesh", {"kind": "static"}))
    builder.do(AddBodyOfMesh("block", file, "convex_hull", {"position": [0.0, 0.0, 3.0]}))
    builder.do(AddShapeOfMesh("block", "display", file, "triangle_mesh"))
    assert builder.refusal() == "" and builder.model.body("block").display[0].mesh == "open"
    assert [one.name for one in builder.model.meshes] == ["open"]  # one for all
    builder.do(ChangeThing("bodies", "block", {"mass_mesh": "open"}))
    assert "10 triangles do not close" in builder.refusal()
    builder.run(20)
    builder.replayed(tmp_path)
    (tmp_path / "models").mkdir()
    builder.model.save(tmp_path / "models" / "bowl.toml")  # in another folder: the mesh goes into the file
    os.remove(file)
    assert moved(Model.load(tmp_path / "models" / "bowl.toml"), 20) == builder.world.state_hash()


# ------------------------------------------------------------- while it runs


def test_a_motor_that_is_added_while_it_runs_acts_in_the_next_step(builder, tmp_path):
    """Hold its rate after one step, with the motion going on; the model keeps its beginning."""
    builder.do(*PENDULUM[:-1])
    builder.run(30)
    before = builder.world.positions.copy()
    builder.do(ChangeThing("joints", "elbow", {"actions": [{"type": "motor", "velocity": -1.5}]}))
    assert np.array_equal(builder.world.positions, before)
    builder.run(1)
    assert builder.world.joint("elbow").rate_of() == pytest.approx(-1.5, abs=1e-9)
    assert builder.model.body("upper").position == (0.5, 0.0, 0.0) and builder.draft.begun == 0
    builder.do(UndoEdit())
    assert builder.world.joint("elbow").drives == [] and builder.world.step_count == 31
    builder.run(5)
    builder.replayed(tmp_path)


def test_a_joint_that_is_added_while_it_runs_acts_in_the_next_step(builder, tmp_path):
    """Join what falls where it is; the model begins there, with the velocities that all have."""
    builder.do(*PENDULUM[:2])
    builder.run(20)
    here = builder.world.positions.copy()
    point = [0.0, 0.0, float(here[0, 2])]
    values = {"type": "hinge", "second": "upper", "point": point, "axis": [0, 1, 0]}
    builder.do(AddThing("joints", "shoulder", values))
    assert builder.draft.begun == 20 and builder.world.time == pytest.approx(0.2)
    assert np.array_equal(builder.world.positions, here)
    builder.run(40)
    joint = builder.world.joint("shoulder")
    assert joint.error < 1e-6 and joint.first_point == pytest.approx(point, abs=1e-6)
    assert builder.world.body("lower").position[2] < builder.world.body("upper").position[2]
    assert builder.world.state_hash() == moved(builder.model, 40)
    builder.do(UndoEdit())  # to the state in which it was joined
    assert np.array_equal(builder.world.positions, here) and builder.world.step_count == 60
    builder.run(5)
    builder.do(RedoEdit())
    assert len(builder.world.joints) == 1
    builder.run(5)
    builder.replayed(tmp_path)


def test_what_is_put_elsewhere_while_it_runs_keeps_angles_and_stops(builder):
    """Let the model begin here without losing the zero of a hinge."""
    builder.do(*PENDULUM)
    builder.run(25)
    angle = builder.world.joint("elbow").value_of()
    builder.do(
        AddThing("bodies", "ball", {"shapes": [{"type": "sphere", "radius": 0.1}], "position": [5, 0, 0]})
    )
    assert builder.world.joint("elbow").value_of() == pytest.approx(angle, abs=1e-12) and abs(angle) > 0.3
    assert builder.model.build().joint("elbow").value_of() == pytest.approx(angle, abs=1e-12)


def test_the_beginning_has_what_was_built_at_it(builder, tmp_path):
    """Go back to it and find all edits; a change there cuts off what came, which can be put back."""
    builder.do(*PENDULUM)
    begun = builder.world.state_hash()
    builder.run(40)
    end = builder.world.state_hash()
    builder.simulation.reset()
    builder.turn()
    assert builder.simulation.view.looking_back and builder.world.state_hash() == begun
    assert len(builder.simulation.view.draft.model.joints) == 2
    builder.do(SetMass("lower", 1.0))
    assert builder.model.body("lower").mass == 1.0 and len(builder.simulation.log) == len(PENDULUM) + 1
    builder.run(10)
    builder.replayed(tmp_path)
    builder.simulation.undo_cut()
    builder.turn()
    builder.simulation.go_to(40)
    builder.turn(60)
    assert builder.world.state_hash() == end and builder.model.body("lower").mass is None
    builder.replayed(tmp_path)


# ------------------------------------------------------------- what other panels and the mouse do


def test_what_other_panels_change_belongs_to_the_model(builder, tmp_path):
    """Take over masses, surfaces, motors, copies and what is deleted, each as an edit that is undone."""
    builder.do(*PENDULUM)
    builder.do(
        SetMass("lower", 3.0),
        SetMaterial("lower", "friction", 0.9),
        AddMotor("shoulder", "angle", 0.5, 10.0),
        Duplicate("lower", (0.0, 0.0, 2.0)),
    )
    model = builder.model
    assert model.body("lower").mass == 3.0
    assert [one.friction for one in model.materials] == [0.9] and model.body("lower").material
    assert model.joint("shoulder").actions[0].velocity == 0.5
    assert model.body("lower copy 1").position == (1.5, 0.0, 2.0)
    assert model.body("lower").shapes == builder.draft.past[0].model.bodies + model.body("lower").shapes
    builder.do(Delete("upper"))
    assert [one.name for one in builder.model.bodies] == [
        "lower",
        "lower copy 1",
    ] and not builder.model.joints
    assert builder.draft.past[-1].label == "delete"
    builder.do(*[UndoEdit()] * 5)
    assert len(builder.draft.past) == len(PENDULUM) and builder.model.body("lower").mass is None
    builder.run(5)
    assert builder.world.state_hash() == moved(builder.model, 5)
    builder.replayed(tmp_path)


def test_play_is_no_part_of_the_model_once_it_runs(builder, tmp_path):
    """Keep what is pulled, pushed and thrown out of it; where it begins, that is part of it."""
    builder.do(*PENDULUM)
    builder.do(Push("upper", (0.5, 0.0, 0.0), (0.0, 1.0, 0.0)), Freeze("lower"))
    assert builder.model.body("upper").velocity[1] > 0.0 and builder.model.joint("freeze lower")
    builder.do(UndoEdit(), UndoEdit())
    builder.run(5)
    model = builder.model
    builder.do(
        Grab("upper", (0.5, 0.0, 0.0)),
        MovePointer((0.5, 0.5, 0.0)),
        Release(),
        Throw((3.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    )
    assert builder.model is model and len(builder.world.bodies) == 3
    builder.run(5)
    builder.do(BeginHere())  # what is seen: the ball too
    assert [one.name for one in builder.model.bodies] == ["upper", "lower", "ball 1"]
    builder.run(5)
    assert builder.world.state_hash() == moved(builder.model, 5)
    builder.replayed(tmp_path)


def test_what_is_pulled_is_let_go_for_an_edit(builder):
    builder.do(*PENDULUM)
    builder.do(Grab("upper", (0.5, 0.0, 0.0)))
    builder.do(ChangeThing("bodies", "upper", {"mass": 2.0}))
    assert builder.stage.pull is None and len(builder.world.bodies) == 2


# ------------------------------------------------------------- scenes, files, other worlds


@pytest.mark.parametrize("name", ["crane", "ragdoll", "stack"])
def test_scenes_are_built_on(name, tmp_path):
    """Take a scene in the middle of its motion as a model, change it, and do it all again."""
    scene = SCENES[name]
    builder = Builder(Source(scene, {}, {}, scene.time_step))
    builder.run(10)
    state = builder.world.state_hash()
    builder.do(Build())
    assert builder.draft.begun == 10 and builder.world.state_hash() == state
    first = builder.model.bodies[-1].name
    builder.do(ChangeThing("bodies", first, {"color": [1.0, 0.0, 0.0]}))
    builder.do(AddThing("bodies", "more", {**BOX, "position": [0.0, 0.0, 30.0]}))
    builder.run(10)
    assert builder.world.state_hash() == moved(builder.model, 10)
    builder.replayed(tmp_path)


def test_a_model_keeps_its_expressions_while_other_things_change(tmp_path):
    """Save what was not touched as it was written, parameters included."""
    path = tmp_path / "arm.toml"
    path.write_text(
        '[params]\nlength = 0.8\n[bodies.rod]\nshapes = [{ type = "capsule", radius = 0.02, '
        'length = "length" }]\nposition = [0, 0, "-length/2"]\n'
    )
    builder = Builder(read_source(path))
    builder.do(ChangeThing("bodies", "rod", {"mass": 1.5}), ChangeThing("params", "length", {"value": 1.0}))
    builder.model.save(path)
    text = path.read_text()
    assert 'length = "length"' in text and '"-length/2"' in text and "mass = 1.5" in text
    assert builder.world.body("rod").position[2] == -0.5


def test_a_broken_file_is_opened_and_mended(tmp_path):
    """Build what is sound, name what is wrong by its thing, and take in what is mended."""
    path = tmp_path / "broken.toml"
    path.write_text(
        '[bodies.good]\nshapes = [{ type = "sphere", radius = 0.1 }]\n'
        '[bodies.bad]\nshapes = [{ type = "sphere", radius = -0.1 }]\nposition = [1, 0, 0]\n'
        '[joints.pin]\ntype = "ball"\nfirst = "good"\nsecond = "bad"\npoint = [0.5, 0, 0]\n'
        '[joints.lost]\ntype = "ball"\nfirst = "good"\nsecond = "gone"\npoint = [0, 0, 0]\n'
    )
    builder = Builder(read_source(path))
    assert [body.name for body in builder.world.bodies] == ["good"]
    assert "above zero" in builder.draft.problem_of("bodies", "bad")
    assert "'gone'" in builder.draft.problem_of("joints", "lost")
    assert builder.draft.problem_of("bodies", "good") == ""
    builder.do(ChangeThing("bodies", "good", {"mass": 2.0}))  # others can be changed meanwhile
    builder.do(ChangeThing("bodies", "good", {"mass": -2.0}))
    assert "mass" in builder.refusal() and builder.model.body("good").mass == 2.0
    builder.run(5)
    builder.do(ChangeThing("bodies", "bad", {"shapes": [{"type": "sphere", "radius": 0.1}]}))
    assert builder.refusal() == "" and builder.draft.broken == {("joints", "lost")}
    assert [joint.name for joint in builder.world.joints] == ["pin"]
    builder.do(RemoveThing("joints", "lost"))
    assert not builder.draft.problems
    builder.run(5)
    assert builder.world.state_hash() == moved(builder.model, 5)
    builder.replayed(tmp_path)


def test_a_world_of_a_program_is_left_to_it():
    """Refuse to build on it, and say how it can be done."""
    simulation = Simulation(falling_box(), paused=True)
    simulation.turn()
    simulation.post(Build())
    simulation.turn()
    assert "Model.of(world).save" in str(simulation.refused[1]) and simulation.stage.draft is None


CONTROL = {"type": "control", "kp": 3e4, "ki": 3e4, "kd": 2e3, "target": 0.4, "limit": 2e3}


def acting(*actions):
    return ChangeThing("joints", "elbow", {"actions": list(actions)})


def test_controls_are_built_changed_undone_and_saved(builder, tmp_path):
    """Have the motion of the file at each version, and go on as it was after each way back."""
    builder.do(*PENDULUM, acting(CONTROL))
    assert builder.refusal() == "" and builder.model.joint("elbow").actions[0].type == "control"
    builder.run(30)
    held = builder.world.state_hash()
    assert held == moved(builder.model, 30)
    assert builder.world.joint("elbow").value == pytest.approx(0.4, abs=0.2)
    builder.do(UndoEdit())
    assert not builder.world.actuators and len(builder.world.joint("elbow").drives) == 1
    builder.do(RedoEdit())
    assert [*builder.world.actuators] == ["elbow"] and not builder.world.joint("elbow").drives
    builder.run(200)
    assert len(builder.world.joint("elbow").drives) == 1
    assert builder.world.joint("elbow").value == pytest.approx(0.4, abs=0.02)
    path = tmp_path / "pendulum.toml"
    builder.model.save(path)
    assert Model.load(path) == builder.model
    again = Builder(read_source(path))
    again.do(Build())
    again.run(30)
    assert again.world.state_hash() == moved(builder.model, 30)
    builder.replayed(tmp_path)


def test_a_control_that_is_changed_while_it_runs_acts_at_once(builder, tmp_path):
    """Take other gains and targets as it is, and keep its integral; take it away, and bring it back."""
    builder.do(*PENDULUM, acting(CONTROL, {"type": "friction", "max_force": 2.0}))
    builder.run(100)
    servo = builder.world.actuators["elbow"]
    integral, step = servo.integral, builder.draft.begun
    assert integral != 0.0
    builder.do(acting({**CONTROL, "target": -0.3}, {"type": "friction", "max_force": 3.0}))
    servo = builder.world.actuators["elbow"]
    assert (servo.integral, servo.target) == (integral, -0.3) and builder.draft.begun == step
    assert builder.world.joint("elbow").drives[0].max_force == 3.0
    builder.run(300)
    assert builder.world.joint("elbow").value == pytest.approx(-0.3, abs=0.02)
    builder.do(acting())
    assert not builder.world.actuators and not builder.world.joint("elbow").drives
    builder.run(5)
    builder.do(UndoEdit(), UndoEdit())
    assert builder.world.actuators["elbow"].target == 0.4
    builder.run(300)
    assert builder.world.joint("elbow").value == pytest.approx(0.4, abs=0.02)
    builder.do(acting({**CONTROL, "kp": 0.0, "kd": 0.0}))
    assert "kp" in builder.refusal() and builder.world.actuators["elbow"].kp == 3e4
    builder.replayed(tmp_path)


def test_looking_back_shows_controls_as_they_were(builder):
    """Go back to before there was one, and forth again, without a warning."""
    builder.do(*PENDULUM)
    builder.run(10)
    builder.do(acting(CONTROL))
    builder.run(20)
    after = builder.world.state_hash()
    for step in (5, 25, 3, 30):
        builder.simulation.go_to(step)
        builder.turn(40)
        assert builder.world.step_count == step
        assert [*builder.world.actuators] == (["elbow"] if step > 10 else [])
    assert builder.world.state_hash() == after


def test_a_control_without_a_target_holds_where_the_model_begins(builder):
    """Capture the value at the beginning, also where it is added while the world moves."""
    builder.do(*PENDULUM)
    builder.run(40)
    value = builder.world.joint("elbow").value
    bare = {name: number for name, number in CONTROL.items() if name != "target"}
    builder.do(acting(bare))
    assert builder.draft.begun == builder.world.step_count  # it begins here
    assert builder.world.actuators["elbow"].target == value
    builder.run(10)
    builder.do(acting({**bare, "kp": 5e4}))
    assert builder.world.actuators["elbow"].target == value and builder.draft.begun == 40


def test_a_world_with_callbacks_is_not_built_on():
    def world():
        made = falling_box()
        made.before_step.append(lambda world: None)
        return made

    simulation = Simulation(world, paused=True)
    simulation.turn()
    simulation.post(Build())
    simulation.turn()
    assert "Python code" in str(simulation.refused[1])


def test_a_model_with_parts_and_a_pose_to_be_worked_out_is_opened(tmp_path):
    """Take models within it apart, and keep the pose as places; move as the file does."""
    (tmp_path / "leg.toml").write_text(
        '[bodies.bone]\nshapes = [{ type = "box", size = [0.1, 0.1, 1] }]\nposition = [0, 0, -0.5]\n'
        '[joints.hip]\ntype = "hinge"\nsecond = "bone"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n'
    )
    path = tmp_path / "walker.toml"
    path.write_text(
        '[models.left]\nfile = "leg.toml"\n[models.right]\nfile = "leg.toml"\nposition = [0, 1, 0]\n'
        '[initial]\ncoordinates = { "left/hip" = 0.4 }\n'
    )
    builder = Builder(read_source(path))
    assert [one.name for one in builder.model.bodies] == ["left/bone", "right/bone"]
    assert builder.world.joint("left/hip").value_of() == pytest.approx(0.4, abs=1e-6)
    reference = Model.load(path).build()
    assert np.abs(reference.positions - builder.world.positions).max() < 1e-12
    builder.do(ChangeThing("bodies", "right/bone", {"mass": 2.0}))
    builder.run(5)
    builder.replayed(tmp_path)


# ------------------------------------------------------------- at random


@pytest.mark.parametrize("seed", range(6))
def test_random_edits_keep_world_model_and_session_together(seed, tmp_path):
    """Move as the saved model at any time where it begins, and do the whole again bit for bit."""
    rng = random.Random(seed)
    builder = Builder(source_of_model(Model()))
    names = []
    for turn in range(40):
        builder.do(_random_edit(rng, builder, names))
        if rng.random() < 0.2:
            builder.run(rng.randrange(1, 8))
        if builder.world.step_count == builder.draft.begun and turn % 5 == 0:
            text = builder.model.dumps("json")
            assert Model.loads(text, "json").build().state_hash() == builder.world.state_hash()
    builder.run(3)
    builder.replayed(tmp_path)


def _random_edit(rng, builder, names):
    bodies = [one.name for one in builder.model.bodies]
    joints = [one.name for one in builder.model.joints]
    place = [rng.uniform(-3, 3) for _ in range(3)]
    choice = rng.randrange(11)
    if choice < 3 or not bodies:
        names.append(f"body {len(names)}")
        shape = rng.choice(
            [{"type": "box", "size": [0.3, 0.2, 0.4]}, {"type": "capsule", "radius": 0.1, "length": 0.4}]
        )
        return AddThing("bodies", names[-1], {"shapes": [shape], "position": place})
    if choice == 3:
        names.append(f"joint {len(names)}")
        kind = rng.choice(["hinge", "ball", "slider", "fixed"])
        values = {"type": kind, "second": rng.choice(bodies), "point": place}
        if kind in ("hinge", "slider"):
            values["axis"] = [0.0, 1.0, 0.0]
        if rng.random() < 0.5:
            values["first"] = rng.choice(bodies)
        return AddThing("joints", names[-1], values)
    if choice == 4:
        return UndoEdit()
    if choice == 5:
        return RedoEdit()
    if choice == 6:
        return ChangeThing("bodies", rng.choice(bodies), {"position": place}, rng.choice(["", "a"]))
    if choice == 7:
        return ChangeThing("bodies", rng.choice(bodies), {"mass": rng.uniform(-0.1, 3)})
    if choice == 8 and joints:
        return ChangeThing("joints", rng.choice(joints), MOTOR)
    if choice == 9 and joints:
        return MoveJoint(rng.choice(joints), tuple(place), (0.8, 0.6, 0.0, 0.0), tuple(place))
    if choice == 10:
        return rng.choice([RemoveThing("bodies", rng.choice(bodies)), Delete(rng.choice(bodies))])
    return SetMass(rng.choice(bodies), rng.uniform(0.5, 2.0))


# ------------------------------------------------------------- files of a window


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setenv("STOSS_CONFIG_DIR", str(tmp_path / "config"))
    source = source_of_model(Model())
    made = Workbench(Simulation(source.stage, paused=True), source)
    look(made)
    return made


def look(bench, *commands):
    """Give commands, and draw as often as it takes."""
    bench.post(*commands)
    for _ in range(3):
        simulation = bench.successor.simulation or bench.simulation
        if simulation._thread is None:
            simulation.turn()
        else:
            simulation.wait(60.0)
        bench.refresh()


def test_a_model_is_saved_and_known_to_be(bench, tmp_path):
    """Tell whether the model is that of its file, also after undo; list the file among the recent ones."""
    project = bench.project
    assert not project.unsaved and project.title == "untitled"
    look(bench, PENDULUM[0])
    assert project.unsaved and "not saved" in bench.title
    bench.save()
    assert project.saving_as  # it has no name yet
    assert not project.save_as(tmp_path / "arm.txt") and ".toml" in project.trouble
    path = tmp_path / "arm.toml"
    assert project.save_as(path)
    assert not project.unsaved and not project.saving_as and Model.load(path).bodies[0].name == "upper"
    look(bench, PENDULUM[1])
    assert project.unsaved
    look(bench, UndoEdit())
    assert not project.unsaved
    assert project.recent.read() == [str(path)] and bench.title == "stoss: arm.toml"
    look(bench, RedoEdit())
    bench.save()
    assert len(Model.load(path).bodies) == 2


def test_a_file_that_cannot_be_written_is_as_it_was(bench, tmp_path, monkeypatch):
    """Keep the older file whole, and the model unsaved, with a message."""
    path = tmp_path / "arm.toml"
    look(bench, PENDULUM[0])
    bench.project.save_as(path)
    before = path.read_bytes()
    look(bench, PENDULUM[1])

    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    bench.save()
    monkeypatch.undo()
    assert path.read_bytes() == before and bench.project.unsaved
    assert "disk is full" in bench.notices[-1]
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".stoss")] == []


@pytest.mark.parametrize("answer", ["save", "discard", "cancel"])
def test_closing_asks_what_is_to_become_of_changes(bench, tmp_path, answer):
    path = tmp_path / "arm.toml"
    look(bench, PENDULUM[0])
    bench.project.save_as(path)
    bench.quit()
    assert bench.closing  # nothing would be lost
    bench.closing = False
    look(bench, PENDULUM[1])
    bench.quit()
    assert not bench.closing and bench.project.question is not None
    bench.project.answer(answer)
    assert bench.closing == (answer != "cancel") and bench.project.question is None
    assert len(Model.load(path).bodies) == (2 if answer == "save" else 1)


def test_closing_waits_for_a_name(bench, tmp_path):
    """Close when the model without a name is saved; not if that is given up."""
    look(bench, PENDULUM[0])
    bench.quit()
    bench.project.answer("save")
    assert bench.project.saving_as and not bench.closing
    bench.project.cancel()
    assert not bench.closing
    bench.quit()
    bench.project.answer("save")
    assert bench.project.save_as(tmp_path / "arm.json") and bench.closing


def test_another_model_or_scene_asks_too(bench, tmp_path):
    look(bench, PENDULUM[0])
    for action in (
        bench.project.new,
        bench.project.ask_for_file,
        lambda: bench.open_scene(SCENES["stack"], {"bodies": 2}, 0.01),
    ):
        action()
        assert bench.project.question is not None
        bench.project.answer("cancel")
    bench.project.new()
    bench.project.answer("discard")
    look(bench)
    assert bench.project.draft is not None and not bench.project.draft.model.bodies
    assert not bench.project.unsaved


def test_a_file_is_opened_beside_a_model_and_a_wrong_one_is_told(bench, tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text("[bodies.arm]\nshaps = []\n")
    bench.project.ask_for_file()
    assert bench.project.opening
    assert not bench.project.open(path) and "arm.toml:2" in bench.project.trouble
    path.write_text('[bodies.arm]\nshapes = [{ type = "sphere", radius = 1 }]\n')
    assert bench.project.open(path) and not bench.project.opening
    look(bench)
    assert bench.project.path == path and bench.view.description.names == ("arm",)
    assert bench.simulation.paused and bench.project.recent.read() == [str(path)]


def test_ctrl_z_undoes_edits_first_and_then_cuts(bench):
    look(bench, *PENDULUM[:2])
    bench.undo()
    look(bench)
    assert len(bench.project.draft.model.bodies) == 1
    bench.redo()
    look(bench)
    assert len(bench.project.draft.model.bodies) == 2
    bench.undo()
    bench.undo()
    look(bench)
    bench.undo()
    look(bench)
    assert bench.notices[-1] == "nothing was cut off from the recording"


def test_what_is_renamed_stays_selected(bench):
    from stoss.viewer.workbench.focus import Focus

    look(bench, *PENDULUM)
    bench.project.look_at(Focus("bodies", "upper"))
    bench.project.renaming = Focus("bodies", "upper"), "arm"
    look(bench, RenameThing("bodies", "upper", "arm"))
    assert bench.project.focus == Focus("bodies", "arm") and bench.selected_body == "arm"


def test_the_list_of_recent_files_is_kept_and_a_damaged_one_is_told(tmp_path):
    from stoss.viewer.workbench.recent_files import MOST_FILES, RecentFiles

    recent = RecentFiles(tmp_path)
    paths = [tmp_path / f"{number}.toml" for number in range(MOST_FILES + 2)]
    for path in paths:
        path.write_text("")
        recent.add(path)
    recent.add(paths[-2])
    assert recent.read()[:2] == [str(paths[-2]), str(paths[-1])] and len(recent.read()) == MOST_FILES
    paths[-1].unlink()
    assert str(paths[-1]) not in recent.read()
    (tmp_path / "recent.json").write_text("{")
    assert recent.read() == [] and "recent.json" in recent.trouble
    recent.add(paths[0])
    assert (tmp_path / "recent.json").read_text() == "{"  # left as it is
    (tmp_path / "recent.json").write_text(json.dumps({"format": 99, "files": []}))
    assert recent.read() == [] and "newer" in recent.trouble

"""Models are changed thing by thing, begin where their world is, and change it while it runs."""

import math

import numpy as np
import pytest

import stoss as st
from stoss.engine.model import Model, ModelError, editing
from stoss.engine.model.beginning import beginning_here, with_joint_moved
from stoss.engine.model.live import change_live, is_live
from stoss.engine.model.sound import sound_part

TEXT = """
[params]
length = 1.0

[materials.steel]
friction = 0.3

[meshes.wedge]
vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]

[bodies.upper]
shapes = [{ type = "box", size = ["length", 0.1, 0.1] }]
position = ["length/2", 0, 0]
material = "steel"
markers = { tip = ["length/2", 0, 0] }

[bodies.lower]
shapes = [{ type = "box", size = [0.8, 0.1, 0.1] }]
position = [1.4, 0, 0]
axis_angle = [0, 1, 0, 0.0]

[joints.shoulder]
type = "hinge"
second = "upper"
point = [0, 0, 0]
axis = [0, 1, 0]

[joints.elbow]
type = "hinge"
first = "upper:tip"
second = "lower"
point = [0, 0, 0]
axis = [0, 1, 0]
motor = { velocity = 1.0, max_force = 2.0 }

[joints.coupled]
type = "gear"
joint_1 = "shoulder"
joint_2 = "elbow"
ratio = 1.0
enabled = false

[coordinates.bend]
joint = "elbow"

[forces.pull]
type = "spring_damper"
first = "upper:tip"
stiffness = 5.0

[forces.drive]
type = "joint_torque"
joint = "shoulder"
torque = 0.1
"""


@pytest.fixture
def model():
    return Model.loads(TEXT)


def written(model, section, name):
    return editing.tree_of(model, section, name)


def test_what_is_said_of_a_thing_is_what_a_file_says(model):
    """Return keys as in a file, expressions as texts, and what acts as one list."""
    assert written(model, "bodies", "upper")["position"] == ["length/2", 0.0, 0.0]
    assert written(model, "joints", "elbow")["actions"] == [
        {"type": "motor", "velocity": 1.0, "max_force": 2.0}
    ]
    assert written(model, "markers", "upper:tip") == {"position": ["length/2", 0.0, 0.0]}
    assert written(model, "params", "length") == {"value": 1.0}


@pytest.mark.parametrize("section", editing.SECTIONS)
def test_a_thing_that_is_taken_away_and_added_again_is_the_same(model, section):
    """Have equal records, whatever the section; those that others need stay."""
    bare = model.replace(joints=(), coordinates=(), bodies=model.bodies[1:])
    for name in editing.names_of(model, section):
        values = written(model, section, name)
        alone = editing.added(_without(bare, section, name), section, name, values)
        assert editing.find(alone, section, name) == editing.find(model, section, name)


def _without(model, section, name):
    if section == "markers":
        return editing.added(model, "bodies", "upper", {"shapes": [{"type": "sphere", "radius": 1.0}]})
    if section in ("joints", "coordinates"):
        source = Model.loads(TEXT)
        kept = tuple(one for one in getattr(source, section) if one.name != name)
        if section == "joints":
            kept = tuple(one for one in kept if name not in (one.joint_1, one.joint_2))
            return source.replace(joints=kept, coordinates=())
        return source.replace(coordinates=kept)
    return model.replace(**{section: tuple(one for one in getattr(model, section) if one.name != name)})


def test_values_are_changed_and_keys_taken_away(model):
    changed = editing.changed(model, "bodies", "upper", {"mass": "2*length", "material": None})
    body = changed.body("upper")
    assert body.mass == 2.0 and body.mass.text == "2*length" and body.material is None
    assert body.position == model.body("upper").position and changed.body("lower") is model.body("lower")
    assert changed.build().body("upper").mass == 2.0
    assert editing.with_world(model, {"gravity": [0, 0, -1.6]}).build().gravity.tolist() == [0.0, 0.0, -1.6]


def test_a_name_changes_wherever_it_is_named(model):
    """Build the same world, bit for bit, under other names."""
    renamed = model
    for section, old, new in (
        ("bodies", "upper", "arm"),
        ("markers", "arm:tip", "arm:end"),
        ("joints", "elbow", "knee"),
        ("materials", "steel", "iron"),
        ("meshes", "wedge", "tooth"),
    ):
        renamed = editing.renamed(renamed, section, old, new)
    assert renamed.joint("knee").first == "arm:end" and renamed.joint("coupled").joint_2 == "knee"
    assert renamed.forces[0].first == "arm:end"
    assert renamed.coordinates[0].joint == "knee" and renamed.body("arm").material == "iron"
    one, other = model.build(), renamed.build()
    one.step(20)
    other.step(20)
    assert one.state_hash() == other.state_hash()
    assert editing.renamed(renamed, "bodies", "arm", "arm") is renamed


def test_with_a_body_go_its_joints_and_what_couples_them(model):
    """Leave nothing that names what is gone."""
    left = editing.removed(model, "bodies", "lower")
    assert [one.name for one in left.joints] == ["shoulder"] and not left.coordinates
    assert [one.name for one in editing.removed(model, "bodies", "upper").forces] == []
    assert [one.name for one in editing.removed(model, "joints", "shoulder").forces] == ["pull"]
    assert [one.name for one in editing.removed(model, "joints", "shoulder").joints] == ["elbow"]
    left.build()


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        (lambda m: editing.changed(m, "bodies", "upper", {"mas": 1.0}), ("bodies", "upper", "mas"), "mass"),
        (lambda m: editing.changed(m, "bodies", "upper", {"mass": "x"}), ("bodies", "upper", "mass"), "'x'"),
        (
            lambda m: editing.changed(m, "markers", "upper:tip", {"position": [1.0]}),
            ("markers", "upper:tip", "position"),
            "length",
        ),
        (
            lambda m: editing.changed(m, "joints", "elbow", {"first": "a"}),
            ("joints", "elbow", "first"),
            "'a'",
        ),
        (lambda m: editing.added(m, "bodies", "upper", {}), ("bodies", "upper"), "taken"),
        (lambda m: editing.added(m, "bodies", "", {}), ("bodies", ""), "name"),
        (lambda m: editing.renamed(m, "bodies", "upper", "lower"), ("bodies", "upper", "name"), "taken"),
        (
            lambda m: editing.renamed(m, "markers", "upper:tip", "tip"),
            ("markers", "upper:tip", "name"),
            "upper:",
        ),
        (lambda m: editing.removed(m, "bodies", "uper"), ("bodies", "uper"), "upper"),
        (lambda m: editing.removed(m, "materials", "steel"), ("bodies", "upper", "material"), "steel"),
        (lambda m: editing.removed(m, "markers", "upper:tip"), ("joints", "elbow", "first"), "tip"),
        (lambda m: editing.with_world(m, {"gravty": [0, 0, 0]}), ("world", "gravty"), "gravity"),
        (lambda m: editing.added(m, "things", "a", {}), (), "bodies"),
    ],
)
def test_what_is_wrong_is_told_by_its_place(model, change, place, words):
    with pytest.raises(ModelError, match=words) as caught:
        change(model)
    assert caught.value.place == place and caught.value.reason


def test_what_cannot_be_built_names_the_thing(model):
    wrong = editing.changed(model, "bodies", "lower", {"shapes": [{"type": "sphere", "radius": -1.0}]})
    with pytest.raises(ModelError) as caught:
        wrong.build()
    assert caught.value.place == ("bodies", "lower")
    assert caught.value.reason.startswith("shapes[0]: Sphere: radius = -1.0")


# ------------------------------------------------------------- the present as the beginning


def test_a_model_that_begins_in_the_present_goes_on_from_there(model):
    """Move as the world it was taken from, to the tolerance of its joints; angles keep their zero."""
    world = model.build()
    world.step(80)
    here = beginning_here(model, world)
    twin = here.build()
    assert twin.state_hash() == world.state_hash()
    for name in ("shoulder", "elbow"):
        assert twin.joint(name).value_of() == pytest.approx(world.joint(name).value_of(), abs=1e-12)
    world.step(50)
    twin.step(50)
    tolerance = 50 * world.settings.position_tolerance
    assert np.abs(world.positions - twin.positions).max() < tolerance
    assert here.body("upper").shapes == model.body("upper").shapes  # as it was written
    assert here.joint("elbow").actions == model.joint("elbow").actions


def test_what_came_and_went_meanwhile_comes_and_goes_in_the_model(model):
    world = model.build()
    world.step(5)
    hull = st.ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    world.add_body(hull, position=(4, 0, 0), name="stone", material=st.Material(friction=0.9, name="rough"))
    world.remove_body(world.body("lower"))
    here = beginning_here(model, world)
    assert [one.name for one in here.bodies] == ["upper", "stone"]
    assert here.body("stone").material in [one.name for one in here.materials]
    assert here.build().state_hash() == world.state_hash()


@pytest.mark.parametrize("after", [0, 60])
def test_a_joint_that_is_moved_moves_with_both_its_ends(model, after):
    """Shift and turn it by what was asked for, in the world, whatever it is given by; bodies stay."""
    model = editing.changed(model, "joints", "elbow", {"first": "upper", "point": ["length", 0, 0]})
    world = model.build()
    if after:
        world.step(after)
    here = beginning_here(model, world) if after else model
    turn = st.rotation.from_axis_angle((1.0, 2.0, 0.5), 0.4)
    about = tuple(world.joint("elbow").first_point.tolist())
    moved = with_joint_moved(here, "elbow", (0.1, -0.2, 0.3), tuple(turn), about)
    before, now = here.build(), moved.build()
    assert before.state_hash() == now.state_hash()
    way = now.joint("elbow").first_point - before.joint("elbow").first_point
    assert way == pytest.approx((0.1, -0.2, 0.3), abs=1e-12)
    assert now.joint("elbow").error < before.joint("elbow").error + 1e-12
    assert now.joint("elbow").angle_error < 1e-9
    axis = st.rotation.rotate(turn, axis_of(before))
    assert axis_of(now) == pytest.approx(axis, abs=1e-12)


def axis_of(world):
    """Return the direction of the elbow in the world."""
    parts = world.joint_parts
    row = parts.joint.tolist().index([one.name for one in world.joints].index("elbow"))
    body = parts.bodies[row, 0]
    return st.rotation.rotate(
        world.principal_quaternions[body], st.rotation.rotate(parts.quaternion_a[row], (0.0, 0.0, 1.0))
    )


def test_a_joint_on_markers_is_moved_with_them(model):
    with pytest.raises(ModelError, match="move that"):
        with_joint_moved(model, "elbow", (0.1, 0.0, 0.0))
    with pytest.raises(ModelError, match="has no place"):
        with_joint_moved(model, "coupled", (0.1, 0.0, 0.0))


# ------------------------------------------------------------- while it runs


@pytest.mark.parametrize(
    ("section", "name", "values"),
    [
        ("bodies", "lower", {"mass": 3.0}),
        ("bodies", "lower", {"density": 500.0}),
        ("bodies", "lower", {"material": "steel"}),
        ("bodies", "lower", {"color": [1, 0, 0]}),
        ("bodies", "lower", {"solver": "gauss_seidel"}),
        ("bodies", "lower", {"display": [{"type": "sphere", "radius": 0.2, "color": "red"}]}),
        ("bodies", "lower", {"markers": {"end": [0.4, 0, 0]}}),
        ("materials", "steel", {"friction": 0.7}),
        ("joints", "elbow", {"actions": []}),
        ("joints", "elbow", {"actions": [{"type": "motor", "velocity": -2.0}]}),
        (
            "joints",
            "elbow",
            {"actions": [{"type": "limit", "lower": -0.1}, {"type": "damper", "damping": 2}]},
        ),
        ("joints", "shoulder", {"actions": [{"type": "servo", "target": 1, "stiffness": 9, "damping": 1}]}),
        ("joints", "shoulder", {"break_force": 100.0}),
        ("joints", "shoulder", {"enabled": False}),
    ],
)
def test_a_change_while_it_runs_is_that_of_the_model_at_its_beginning(model, section, name, values):
    """Give a world that has not moved what a world of the other model has, and back."""
    other = editing.changed(model, section, name, values)
    old, new = model.flat(), other.flat()
    assert is_live(old, new) and is_live(new, old)
    world, twin = model.build(), other.build()
    change_live(world, old, new)
    assert described(world) == described(twin)
    change_live(world, new, old)
    assert described(world) == described(model.build())


def described(world):
    """Return what a model says of a world; masses and densities as masses."""
    model = Model.of(world)
    bodies = tuple(
        one.replace(mass=float(f"{world.body(one.name).mass:.12g}"), density=None, inertia=None)
        for one in model.bodies
    )
    return model.replace(bodies=bodies)


@pytest.mark.parametrize(
    ("section", "name", "values"),
    [
        ("bodies", "lower", {"position": [1.4, 0, 0.1]}),
        ("bodies", "lower", {"kind": "static"}),
        ("bodies", "lower", {"shapes": [{"type": "sphere", "radius": 0.1}]}),
        ("joints", "shoulder", {"point": [0, 0, 0.1]}),
        ("joints", "shoulder", {"collide": True}),
        ("params", "length", {"value": 1.2}),
    ],
)
def test_what_is_put_elsewhere_does_not_change_while_it_runs(model, section, name, values):
    assert not is_live(model.flat(), editing.changed(model, section, name, values).flat())


def test_a_motor_that_is_added_while_it_runs_acts_in_the_next_step(model):
    """Hold the wanted rate exactly after one step."""
    world = model.build()
    world.step(30)
    other = editing.changed(model, "joints", "shoulder", {"actions": [{"type": "motor", "velocity": 0.7}]})
    change_live(world, model.flat(), other.flat())
    world.step()
    assert world.joint("shoulder").rate_of() == pytest.approx(0.7, abs=1e-9)


def test_a_controller_that_is_tuned_keeps_its_integral(model):
    """Change the gain of the controller that is there; make no new one."""
    pid = {"type": "pid", "target": 0.2, "gain": 20.0, "reset_time": 0.5}
    model = editing.changed(model, "joints", "shoulder", {"actions": [pid]})
    tuned = editing.changed(model, "joints", "shoulder", {"actions": [{**pid, "gain": 30.0}]})
    world = model.build()
    world.step(40)
    drive = world.joint("shoulder").drives[0]
    change_live(world, model.flat(), tuned.flat())
    assert world.joint("shoulder").drives == [drive] and drive.gain == 30.0
    twin = model.build()
    twin.step(40)
    twin.joint("shoulder").drives[0].gain = 30.0
    world.step(20)
    twin.step(20)
    assert world.state_hash() == twin.state_hash()


# ------------------------------------------------------------- what is wrong in a part of it


def test_the_sound_part_of_a_broken_model_is_built(model):
    """Leave out what is wrong and what needs it, each with its place; the rest moves as if alone."""
    broken = model.replace(
        bodies=(
            *model.bodies,
            *Model.loads('[bodies.ball]\nshapes = [{ type = "sphere", radius = -1 }]').bodies,
        ),
        joints=(
            *model.joints,
            model.joints[0].replace(name="to the ball", second="ball"),
            model.joints[0].replace(name="to itself", first="upper"),
        ),
    )
    sound, world, problems = sound_part(broken.flat())
    assert [place[:2] for place, _ in problems] == [
        ("bodies", "ball"),
        ("joints", "to the ball"),
        ("joints", "to itself"),
    ]
    assert "two different bodies" in problems[2][1] and "above zero" in problems[0][1]
    assert sound.bodies == model.flat().bodies
    world.step(10)
    alone = model.build()
    alone.step(10)
    assert world.state_hash() == alone.state_hash()


def test_what_is_wrong_with_the_world_itself_is_raised():
    with pytest.raises(ModelError, match="time_step"):
        sound_part(Model(world=Model().world.replace(time_step=-1.0)).flat())
    assert math.isclose(Model().build().time_step, 0.01)


def test_a_hull_of_any_mesh_is_saved_as_the_hull(tmp_path):
    """Have the mass of the hull before and after, where the mesh is written into the model."""
    import trimesh

    corner = trimesh.creation.icosphere(subdivisions=1)
    corner.vertices[0] *= 0.3  # a dent
    corner.export(tmp_path / "corner.stl")
    model = Model(meshes=(st.engine.model.Mesh(name="corner", file=str(tmp_path / "corner.stl")),))
    model = editing.added(model, "bodies", "part", {"shapes": [{"type": "convex_hull", "mesh": "corner"}]})
    mass = model.build().body("part").mass
    assert mass == pytest.approx(1000.0 * corner.convex_hull.volume, rel=1e-6)  # of single precision
    text = model.dumps()  # without the file
    (tmp_path / "corner.stl").unlink()
    assert Model.loads(text).build().body("part").mass == mass


def test_joints_of_bodies_that_have_moved_come_back_and_are_moved():
    """Describe them to the last bit where rounding shows, and move one by its frames on the shapes."""
    world = st.World(gravity=(0, 0, 0))
    rod, tip = (
        world.add_body(
            [st.Placed(st.Box((1, 0.2, 0.3)), (0.1, 0.2, 0.3)), st.Placed(st.Sphere(0.3), (0.5, 0, 0))],
            position=(0.1 + i, 0.2, 0.7),
            name=name,
        )
        for i, name in enumerate(("rod", "tip"))
    )
    world.add_joint(st.Ball((0.7, 0.1, 0.2), (1, 2, 3)), rod, tip, name="ball")
    world.add_joint(st.Hinge((0.3, 0.1, 0.2), (1, 2, 3)), None, rod, name="hinge")
    tip.angular_velocity = (0.1, 2.0, 0.3)
    world.step(40)
    model = st.Model.of(world)
    assert model.joint("ball").principal
    twin = model.build()
    for name in ("point_a", "point_b", "quaternion_a", "quaternion_b"):
        mine, own = (getattr(one._joint_store.table.arrays, name) for one in (twin, world))
        np.testing.assert_array_equal(mine, own)
    moved = with_joint_moved(model, "ball", shift=(0.0, 0.3, 0.0))
    assert not moved.joint("ball").principal
    before, after = world.joint("ball"), moved.build().joint("ball")
    np.testing.assert_allclose(after.first_point, before.first_point + (0, 0.3, 0), atol=1e-12)
    np.testing.assert_allclose(after.second_point, before.second_point + (0, 0.3, 0), atol=1e-12)

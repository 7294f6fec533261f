"""Models in files: the same content in all forms, named numbers, includes, models within models."""

import math

import numpy as np
import pytest

import stoss as st
from stoss.engine.model import Body, Expression, Joint, Shape
from stoss.scenes import SCENES
from tests.engine.model.test_worlds import small

FORMS = ("toml", "json", "xml")

PENDULUM = """
name = "pendulum"
[params]
length = 0.8            # of the rod [m]
mass = "2.5*length"
swing = "deg(30)"
[world]
gravity = [0, 0, "-9.81"]
time_step = "5*ms"
[world.settings]
sweeps = 20
[materials.steel]
friction = 0.3
[bodies.rod]
shapes = { type = "capsule", radius = "20*mm", length = "length" }
position = ["length/2*sin(swing)", 0, "-length/2*cos(swing)"]
axis_angle = [0, 1, 0, "-swing"]
mass = "mass"
material = "steel"
markers = { tip = [0, 0, "-length/2"] }
[joints.pin]
type = "hinge"
second = "rod"
point = [0, 0, 0]
axis = [0, 1, 0]
friction = { max_force = 0.01 }
limit = { lower = -2, upper = 2 }
"""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SCENES)
def test_a_scene_is_the_same_in_all_forms(name, form):
    """Be equal to the bit after a round trip by text."""
    model = st.Model.of(small(name))
    again = st.Model.loads(model.dumps(form), form)
    assert again == model
    one, other = model.build(), again.build()
    assert one.state_hash() == other.state_hash()
    one.step(3)
    other.step(3)
    assert one.state_hash() == other.state_hash()


def test_numbers_may_be_expressions_of_parameters():
    """Follow the parameters that are given, and those that follow from them."""
    model = st.Model.loads(PENDULUM)
    world = model.build()
    assert world.body("rod").mass == pytest.approx(2.0) and world.time_step == 0.005
    assert world.settings.sweeps == 20 and world.body("rod").material.name == "steel"
    np.testing.assert_allclose(world.body("rod").world_point((0, 0, 0.4)), (0, 0, 0), atol=1e-15)
    np.testing.assert_allclose(world.marker("rod:tip").position, (0.4, 0, -0.8 * math.cos(math.pi / 6)))
    longer = model.build({"length": 1.6})
    assert longer.body("rod").mass == pytest.approx(4.0)
    np.testing.assert_allclose(longer.body("rod").world_point((0, 0, 0.8)), (0, 0, 0), atol=1e-15)
    assert model.build({"mass": 7}).body("rod").mass == 7.0
    assert [type(one).__name__ for one in world.joint("pin").drives] == ["Drive"]
    with pytest.raises(st.ModelError, match="lenght.*did you mean length"):
        model.build({"lenght": 1})
    with pytest.raises(st.ModelError, match="mass.*no number"):
        model.build({"mass": None})


@pytest.mark.parametrize("form", FORMS)
def test_expressions_are_kept_in_files(form, tmp_path):
    """Write what was written, so that a model that was saved can be varied as well."""
    model = st.Model.loads(PENDULUM)
    model.save(tmp_path / f"pendulum.{form}")
    again = st.Model.load(tmp_path / f"pendulum.{form}")
    assert again == model
    assert isinstance(again.bodies[0].mass, Expression) and again.bodies[0].mass.text == "mass"
    assert again.build({"length": 1.6}).state_hash() == model.build({"length": 1.6}).state_hash()


def test_files_include_files(tmp_path):
    """Take in what another file says; the including one has the last word on parameters and the world."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "ground.toml").write_text(
        "[params]\nfriction = 0.5\n[world]\ntime_step = 0.02\n[materials.ground]\nfriction = 'friction'\n"
        "[bodies.ground]\nkind = 'static'\nshapes = [{ type = 'half_space' }]\nmaterial = 'ground'\n"
    )
    (tmp_path / "box.toml").write_text(
        "include = ['parts/ground.toml']\n[params]\nfriction = 0.9\n"
        "[bodies.box]\nshapes = [{ type = 'box', size = [1, 1, 1] }]\nposition = [0, 0, 0.5]\n"
    )
    world = st.Model.load(tmp_path / "box.toml").build()
    assert [body.name for body in world.bodies] == ["ground", "box"]
    assert world.body("ground").material.friction == 0.9 and world.time_step == 0.02
    for name, text in (("a.toml", "include = ['b.toml']"), ("b.toml", "include = ['a.toml']")):
        (tmp_path / name).write_text(text)
    with pytest.raises(st.ModelError, match="a.toml -> b.toml -> a.toml"):
        st.Model.load(tmp_path / "a.toml")
    (tmp_path / "twice.toml").write_text("include = ['box.toml']\n[bodies.box]\nkind = 'static'\n")
    with pytest.raises(st.ModelError, match="twice.toml:2: bodies.box: box.toml has one of that name"):
        st.Model.load(tmp_path / "twice.toml")
    (tmp_path / "parts" / "ground.toml").write_text("[bodies.ground]\nkind = 'static'\nmasss = 3\n")
    with pytest.raises(st.ModelError, match="ground.toml:3: bodies.ground.masss.*mass"):
        st.Model.load(tmp_path / "box.toml")


LEG = """
[params]
length = 0.4
[bodies.thigh]
shapes = { type = "capsule", radius = 0.05, length = "length" }
position = [0, 0, "-length/2"]
[bodies.shank]
shapes = { type = "capsule", radius = 0.04, length = "length" }
position = [0, 0, "-1.5*length"]
[joints.knee]
type = "hinge"
first = "thigh"
second = "shank"
point = [0, 0, "-length"]
axis = [0, 1, 0]
[joints.hip]
type = "ball"
second = "thigh"
point = [0, 0, 0]
"""


def test_models_are_repeated_within_a_model(tmp_path):
    """Place a model several times, with prefixes and parameters of its own; joints go along."""
    (tmp_path / "leg.toml").write_text(LEG)
    (tmp_path / "both.toml").write_text(
        "[params]\nsize = 0.5\n"
        "[models.left]\nfile = 'leg.toml'\nposition = [0, 0.2, 1]\n"
        "[models.right]\nfile = 'leg.toml'\nposition = [0, -0.2, 1]\nprefix = 'r_'\n"
        "axis_angle = [0, 0, 1, 'pi/2']\nparams = { length = 'size' }\n"
    )
    model = st.Model.load(tmp_path / "both.toml")
    for one in (model, st.Model.loads(model.dumps("xml"), "xml"), st.Model.loads(model.dumps())):
        world = one.build()
        assert [body.name for body in world.bodies] == ["left/thigh", "left/shank", "r_thigh", "r_shank"]
        np.testing.assert_allclose(world.body("r_shank").position, (0, -0.2, 1 - 0.75))
        np.testing.assert_allclose(world.joint("r_hip").first_point, (0, -0.2, 1), atol=1e-15)
        np.testing.assert_allclose(world.joint("left/knee").first_point, (0, 0.2, 0.6), atol=1e-15)
        assert max(joint.error for joint in world.joints) < 1e-15
    world = model.build({"size": 0.6})
    np.testing.assert_allclose(world.joint("r_knee").second_point, (0, -0.2, 0.4), atol=1e-15)
    world.body("r_shank").angular_velocity = (1, 0, 0)  # about y of the leg, which was turned to -x
    world.body("left/shank").angular_velocity = (0, 1, 0)
    world.gravity = (0, 0, 0)
    assert abs(world.joint("r_knee").rate) == pytest.approx(1) and world.joint("left/knee").rate == 1


def test_joints_sit_at_markers():
    """Join bodies where their markers are, about the z axes of these, whatever the bodies' poses."""
    model = st.Model.loads("""
[bodies.a]
shapes = { type = "box", size = [1, 1, 1] }
kind = "static"
markers = { end = { position = [0.5, 0, 0], axis_angle = [1, 0, 0, "-pi/2"] } }
[bodies.b]
shapes = { type = "box", size = [1, 1, 1] }
position = [1, 0, 0]
markers = { end = { position = [-0.5, 0, 0], axis_angle = [1, 0, 0, "-pi/2"] } }
[joints.both]
type = "hinge"
first = "a:end"
second = "b:end"
[joints.one]
type = "hinge"
first = "a:end"
second = "b"
[joints.rod]
type = "distance"
first = "a:end"
second = "b"
second_frame = { position = [0.5, 0, 0] }
""")
    world = model.build()
    world.body("b").angular_velocity = (0, 2, 0)
    for name in ("both", "one"):
        joint = world.joint(name)
        assert joint.error == 0.0 and joint.rate == pytest.approx(2)
    assert world.joint("rod").value == pytest.approx(1.0)
    assert st.Model.of(st.Model.of(world).build()) == st.Model.of(world)


def test_a_planar_model_is_written_in_two_numbers():
    """Take two coordinates and an angle, in the plane of the model; hinges turn about its normal."""
    model = st.Model.loads("""
[world]
planar = "xz"
[bodies.rod]
mass = 2
inertia = 0.3
position = [0.5, 0]
angle = "pi/2"
angular_velocity = 1.5
markers = { pin = [0, 0.5] }
[joints.pin]
type = "hinge"
second = "rod:pin"
""")
    world = model.build()
    np.testing.assert_allclose(world.joint("pin").second_point, (0, 0, 0), atol=1e-15)
    assert world.joint("pin").rate == pytest.approx(1.5)
    assert world.plane.motion(world.body("rod")).angle == pytest.approx(math.pi / 2)
    twin = st.Model.of(world).build()
    for one in (world, twin):
        one.step(100)
    assert twin.planar == "xz" and twin.state_hash() == world.state_hash()
    with pytest.raises(st.ModelError, match="line 3: bodies.a: angle.*not planar"):
        st.Model.loads("\n\n[bodies.a]\nangle = 3\n")


def test_meshes_of_files_are_found_beside_the_model(tmp_path):
    """Read them from the folder of the model; write their geometry where the folder is another one."""
    (tmp_path / "meshes").mkdir()
    folder = tmp_path / "meshes"
    (folder / "tetra.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    (tmp_path / "model.toml").write_text(
        "[meshes.tetra]\nfile = 'meshes/tetra.obj'\nscale = [2, 1, 1]\n[bodies.t]\n"
        "shapes = [{ type = 'convex_hull', mesh = 'tetra' }]\n"
        "[bodies.solid]\nmass_mesh = 'tetra'\ndensity = 12\n"
    )
    model = st.Model.load(tmp_path / "model.toml")
    world = model.build()
    assert world.body("t").mass == pytest.approx(1000 / 3) and world.body("solid").mass == pytest.approx(4)
    model.save(tmp_path / "copy.json")
    assert "meshes/tetra.obj" in (tmp_path / "copy.json").read_text()
    (tmp_path / "other").mkdir()
    model.save(tmp_path / "other" / "model.xml")
    assert "tetra.obj" not in (tmp_path / "other" / "model.xml").read_text()
    assert st.Model.load(tmp_path / "other" / "model.xml").build().body("solid").mass == pytest.approx(4)
    (tmp_path / "other" / "up.toml").write_text("[meshes.tetra]\nfile = '../meshes/tetra.obj'\n")
    with pytest.raises(st.ModelError, match=r"up.toml:2: meshes.tetra.file: .*outside"):
        st.Model.load(tmp_path / "other" / "up.toml")
    assert st.Model.load(tmp_path / "other" / "up.toml", folder=tmp_path).meshes[0].name == "tetra"


def test_models_are_made_in_python_too():
    """Build what records say, and write it."""
    model = st.Model(
        name="door",
        bodies=(Body(name="leaf", shapes=(Shape(type="box", size=(1.0, 0.05, 2.0)),), position=(0.5, 0, 1)),),
        joints=(Joint(name="hinges", type="hinge", second="leaf", point=(0, 0, 0), axis=(0, 0, 1)),),
    )
    assert st.Model.loads(model.dumps()).build().joint("hinges").coordinates == ("angle",)
    assert '[joints.hinges]\ntype = "hinge"\nsecond = "leaf"\n' in model.dumps()


def test_names_and_texts_of_any_kind_survive():
    """Keep quotes, signs of all scripts and line ends in all forms; XML says what it cannot write."""
    name = "a \"b\" 'c' \\ [x] = #1 é 漢 𝄞 <&>\n\t."
    model = st.Model(description=name, bodies=(Body(name=name, kind="static"),), exclude=((name, name),))
    for form in FORMS:
        assert st.Model.loads(model.dumps(form), form) == model
    with pytest.raises(st.ModelError, match="XML"):
        st.Model(description="\x00").dumps("xml")
    assert st.Model.loads(st.Model(description="\x00\x7f").dumps()).description == "\x00\x7f"


def test_zero_keeps_its_sign_and_infinity_is_written():
    """Write -0.0 and infinity so that they are read with the same bits."""
    body = Body(name="a", kind="kinematic", velocity=(-0.0, 0.0, 1e-300))
    joint = Joint(name="j", type="fixed", first="a", break_force=math.inf)
    model = st.Model(bodies=(body, Body(name="b", mass=1.0, inertia=(1.0, 1, 1))), joints=(joint,))
    for form in FORMS:
        again = st.Model.loads(model.dumps(form), form)
        assert math.copysign(1, again.bodies[0].velocity[0]) == -1 and again.joints[0].break_force == math.inf

"""Worlds become models and worlds again, bit for bit."""

import dataclasses

import numpy as np
import pytest

import stoss as st
from stoss.engine import Framed
from stoss.engine.model.errors import ModelError
from stoss.scenes import SCENES
from tests.scenes.test_scenes import SMALL


def small(name):
    """Return a small world of a scene, without its Python callbacks and controllers."""
    world = SCENES[name].build(**SMALL[name])
    for controller in list(world.controllers.values()):
        world.remove_controller(controller)
    world.before_step, world.after_step = [], []
    return world


@pytest.mark.filterwarnings("ignore:load 'law stop':UserWarning")  # of knee_stop, as its page says
@pytest.mark.parametrize("name", SCENES)
def test_a_scene_moves_the_same_when_built_of_its_model(name):
    """Have equal bits at once and after a second; describing what was built gives the same model."""
    world = small(name)
    model = st.Model.of(world)
    twin = model.build()
    assert twin.state_hash() == world.state_hash()
    assert [one.name for one in twin.bodies] == [one.name for one in world.bodies]
    assert [one.name for one in twin.joints] == [one.name for one in world.joints]
    assert st.Model.of(twin) == model
    for one in (world, twin):
        one.step(round(1.0 / one.time_step))
    assert twin.state_hash() == world.state_hash()


def test_building_twice_gives_two_worlds():
    """Share nothing that one of them could change."""
    model = st.Model.of(small("ragdoll"))
    one, other = model.build(), model.build()
    one.step(10)
    assert other.step_count == 0 and one.state_hash() != other.state_hash()
    other.step(10)
    assert one.state_hash() == other.state_hash()


def _hinge_world():
    world = st.World(gravity=(0, 0, -9.81))
    first = world.add_body(
        [st.Placed(st.Box((1, 0.2, 0.3)), (0.1, 0.2, 0.3)), st.Placed(st.Sphere(0.3), (0.5, 0, 0))],
        position=(0.1, 0.2, 0.7),
        quaternion=st.rotation.from_axis_angle((1, 2, 3), 0.3),
        name="first",
    )
    second = world.add_body(st.Capsule(0.1, 1), position=(1, 0.3, 0.5), mass=0.7, name="second")
    return world, first, second


KINDS = {
    "ball": st.Ball((0.3, 0.1, 0.2), (1, 2, 3), x_axis=(0, 1, 0.3)),
    "parallel_axes": st.ParallelAxes((1, 2, 3)),
    "distance": st.Distance((0.3, 0.1, 0.2), (1, 0.2, 0.1)),
    "constant_angle": st.ConstantAngle((1, 2, 3), (3, -1, 2)),
    "point_on_line": st.PointOnLine((0.3, 0.1, 0.2), (1, 2, 3)),
    "fixed_orientation": st.FixedOrientation(),
    "point_on_plane": st.PointOnPlane((0.3, 0.1, 0.2), (1, 2, 3), x_axis=(0, 1, 0.3)),
    "compose": st.Compose(st.PointOnLine((0.3, 0.1, 0.2), (1, 2, 3)), st.ParallelAxes((3, 2, 1))),
    "cylindrical": st.Cylindrical((0.3, 0.1, 0.2), (1, 2, 3), second_axis=(1, 2, 2.9)),
    "fixed": st.Fixed(),
    "free": st.Free((0.3, 0.1, 0.2), (1, 2, 3)),
    "hinge": st.Hinge((0.3, 0.1, 0.2), (1, 2, 3), second_point=(0.31, 0.1, 0.2)),
    "planar": st.Planar((0.3, 0.1, 0.2), (1, 2, 3), x_axis=(0, 1, 0.3)),
    "slider": st.Slider((0.3, 0.1, 0.2), (1, 2, 3)),
    "universal": st.Universal((0.3, 0.1, 0.2), (1, 2, 3), (3, -1, 2)),
    "screw": st.Screw((0.3, 0.1, 0.2), (1, 2, 3), pitch=0.2),
    "point_on_ellipsoid": st.PointOnEllipsoid(
        (0, 0.1, 0.2), (0.3, 0.2, 0.1), (0, 0.1, 0.3), x_axis=(1, 2, 0)
    ),
    "spline_joint": st.SplineJoint((0.3, 0.1, 0.2), (1, 2, 3), ((-1, 0.1), (0, 0), (1, 0.3))),
    "custom_joint": st.CustomJoint(
        (0.3, 0.1, 0.2), x=("turn_z", ((-1, 0.1), (0, 0), (1, 0.3))), y=None, turn_z=None, axis=(1, 2, 3)
    ),
    "framed": Framed(st.Hinge((0, 0, 0), (0, 0, 1)), (0.5, 0, 0), (0.8, 0.6, 0, 0), (-0.5, 0.1, 0.2)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_joints_of_all_kinds_are_described(kind):
    """Give equal bits for a joint of each kind, in the pose in which it was added."""
    world, first, second = _hinge_world()
    world.add_joint(KINDS[kind], first, second, name="joint", collide=True)
    model = st.Model.of(world)
    twin = model.build()
    assert twin.joint("joint").kind == world.joint("joint").kind
    world.step(20)
    twin.step(20)
    assert twin.state_hash() == world.state_hash()


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_is_described_where_the_bodies_have_come_to(kind):
    """Hold the same frames in a world that has moved, whatever the coordinates of the world were."""
    world, first, second = _hinge_world()
    world.add_joint(KINDS[kind], first, second, name="joint", collide=True)
    world.step(30)
    joint, twin = world.joint("joint"), st.Model.of(world).build().joint("joint")
    np.testing.assert_allclose(twin.first_point, joint.first_point, atol=1e-12)
    np.testing.assert_allclose(twin.second_point, joint.second_point, atol=1e-12)
    assert twin.error == pytest.approx(joint.error, abs=1e-11)
    assert twin.angle_error == pytest.approx(joint.angle_error, abs=1e-7)  # half the digits near zero
    for name in joint.coordinates:
        assert twin.value_of(name) == pytest.approx(joint.value_of(name), abs=1e-7)


def test_all_that_acts_on_a_joint_is_described():
    """Keep limits, drives and controllers in their order, with schedules, switches and bounds."""
    world, first, second = _hinge_world()
    joint = world.add_joint(st.Cylindrical((0, 0, 0), (1, 1, 0)), first, second, name="joint")
    joint.limit(-1, 2, coordinate="angle", restitution=0.3)
    joint.motor(2.0, max_force=3.0, coordinate="displacement")
    joint.limit(upper=0.5, coordinate="displacement", stiffness=100, damping=2)
    joint.servo(0.4, stiffness=30, damping=2, coordinate="angle").target_rate = 0.1
    joint.spring(20, 1, 0.1, coordinate="displacement").enabled = False
    joint.damper(0.5, coordinate="angle")
    joint.friction(0.2, coordinate="displacement")
    joint.pid(0.3, gain=5, reset_time=2, derivative_time=0.1, max_force=9, coordinate="angle")
    joint.motor(damping=3, coordinate="angle").schedule((0, 0.1, 0.4), (0, 2, -1))
    joint.break_force, joint.break_torque = 1e5, 2e5
    twin = st.Model.of(world).build()
    for _ in range(40):
        world.step()
        twin.step()
        assert twin.state_hash() == world.state_hash()
    mine, theirs = world.joint("joint"), twin.joint("joint")
    assert theirs.break_force == mine.break_force and theirs.break_torque == mine.break_torque
    assert [drive.force for drive in theirs.drives] == [drive.force for drive in mine.drives]
    assert [limit.upper for limit in theirs.limits] == [limit.upper for limit in mine.limits]


def test_all_that_a_body_has_is_described():
    """Keep groups, colours, loads, conveyors, solvers, materials and their pairs, and what passes through."""
    ice, mud = st.Material(friction=0.01, name="ice"), st.Material(friction=0.9, restitution=0.1)
    settings = dataclasses.replace(st.Settings(), sweeps=20, impact_law="newton")
    world = st.World(gravity=(0, 0.1, -5), time_step=0.004, settings=settings)
    world.add_body(st.HalfSpace((0.1, 0, 1)), kind="static", material=ice, name="ground")
    box = world.add_body(st.Box((1, 1, 1)), position=(0, 0, 0.5), material=mud, color="orange", name="box")
    ball = world.add_body(st.Sphere(0.3), position=(3, 0, 1), group=2, mask=5, density=300, name="ball")
    belt = world.add_body(st.Box((2, 2, 0.1)), position=(6, 0, 0), kind="kinematic", name="belt")
    belt.surface_velocity, belt.velocity = (1, 0, 0), (0, 0, 0.1)
    box.solver = "gauss_seidel"
    world.forces = np.array([[0, 0, 0], [1, 2, 3], [0, 0, 1], [0, 0, 0]])
    ball.apply_force((0, 0, 30), point=(3, 0.1, 1))
    ball.mass = 17.0
    world.exclude_collision(box, ball)
    world.set_material_pair(ice, mud, friction=0.2, static_friction=0.3, impact_law="stronge")
    world.add_marker("top", box, position=(0, 0, 0.5))
    model = st.Model.of(world)
    twin = model.build()
    assert twin.body("box").material.friction == 0.9 and twin.body("box").color == box.color
    assert twin.marker("box:top").position.tolist() == [0, 0, 1]
    assert twin.settings == world.settings and twin.time_step == 0.004
    for _ in range(60):
        world.step()
        twin.step()
    assert twin.state_hash() == world.state_hash()


def test_what_cannot_be_described_is_named():
    """Refuse callbacks and joint kinds of the user's own by name, or say so in the model."""

    class Own(st.Hinge):
        pass

    world, first, second = _hinge_world()
    world.add_joint(Own((0, 0, 0), (0, 0, 1)), first, second, name="mine")
    world.before_step.append(_callback)
    with pytest.raises(st.ModelError, match="_callback.*mine.*strict=False"):
        st.Model.of(world)
    model = st.Model.of(world, strict=False)
    assert len(model.left_out) == 2 and "_callback" in model.left_out[0] and "mine" in model.left_out[1]
    assert model.build().joints == []


def _callback(world):
    pass


def test_turns_that_were_counted_are_named():
    """Say that an angle begins anew where it has gone on over full turns."""
    world, first, second = _hinge_world()
    joint = world.add_joint(st.Hinge((0, 0, 0), (0, 0, 1)), None, second, name="crank")
    joint.motor(30.0)
    world.step(100)
    assert any("crank" in one for one in st.Model.of(world, strict=False).left_out)


def test_a_model_cannot_be_changed():
    """Refuse assignment; `replace` makes another model."""
    model = st.Model.of(small("stack"))
    with pytest.raises(AttributeError):
        model.bodies[0].mass = 3.0
    heavier = model.replace(bodies=tuple(one.replace(mass=7.0) for one in model.bodies if one.mass))
    assert set(heavier.build().masses) == {7.0} and 7.0 not in model.build().masses


def test_parts_are_found_by_name_or_the_nearest_is_named():
    """Name what is near in the error."""
    model = st.Model.of(small("four_bar"))
    assert model.body(model.bodies[1].name) is model.bodies[1]
    with pytest.raises(st.ModelError, match="did you mean"):
        model.joint(model.joints[0].name + "x")


def test_poses_of_centres_of_mass_are_kept_to_the_bit():
    """Put a body where its centre of mass is exactly in the origin, which no position of its shapes gives."""
    world = st.World()
    turn = st.rotation.from_axis_angle((1, 2, 3), 0.7)
    shapes = [st.Placed(st.Box((0.1, 0.2, 0.3)), (0.1, 0.7, 0.3)), st.Placed(st.Box((0.3, 0.2, 0.1)))]
    world.add_body(shapes, quaternion=turn, name="a")
    b = world._all_bodies.arrays
    for place in ((0.0, 0.0, 0.0), (1e-17, 0.1, -0.0), (1e-9, 1 / 3, 1e5)):
        b.positions[0] = place
        assert st.Model.of(world).build().state_hash() == world.state_hash()


@pytest.mark.parametrize("form", ["toml", "json", "xml"])
def test_stops_along_curves_are_described(form):
    """Keep closed cones of all forms and twists over the swing, to the bit, in files of all kinds."""
    world, first, second = _hinge_world()
    joint = world.add_joint(st.Ball((0, 0, 0), (1, 1, 0)), first, second, name="joint")
    joint.limit_swing(ellipse=(0.4, 0.7), restitution=0.3)
    joint.limit(upper=2.0, coordinate="swing")
    joint.limit_twist([(0, -0.5, 0.6), (1.2, -0.1, 0.2)], stiffness=50, damping=1).enabled = False
    joint.limit_swing(ellipse=(-0.4, 0.9, -1.0, 0.5))
    joint.limit_swing(spline=[(1.0, 0.1, 1), (0, 1, 1), (-1, 0, 1), (0, -1.5, 1)])
    joint.limit_swing(
        polygon=[(1.2, 0.1), (0, 1), (-1, 0), (0, -0.5)], inside=(0.1, 0, 1), damping=3, stiffness=9
    )
    model = st.Model.loads(st.Model.of(world).dumps(form), form)
    twin = model.build()
    mine, theirs = joint.curved_limits, twin.joint("joint").curved_limits
    assert [type(one) for one in theirs] == [type(one) for one in mine] and len(theirs) == 5
    for one, other in zip(mine, theirs, strict=True):
        for name in ("restitution", "stiffness", "damping", "enabled", "coordinate"):
            assert getattr(one, name) == getattr(other, name)
        assert one._curve.tobytes() == other._curve.tobytes()
    for _ in range(40):
        world.step()
        twin.step()
        assert twin.state_hash() == world.state_hash()


def test_stops_along_curves_in_a_file():
    """Read the keys of `limit_swing` and `limit_twist`, with expressions; refuse what they do not have."""
    text = """
    [bodies.arm]
    shapes = { type = "box", size = [1, 0.2, 0.2] }
    mass = 1
    [joints.shoulder]
    type = "ball"
    second = "arm"
    point = [0, 0, 0]
    limit_swing = { ellipse = ["deg(40)", 1], restitution = 0.2 }
    limit_twist = { ranges = [[0, -0.5, 0.5], ["pi/2", -0.2, 0.2]] }
    """
    swing, twist = st.Model.loads(text, "toml").build().joint("shoulder").curved_limits
    assert swing.rows.tolist() == [[np.radians(40), 1.0]] and swing.restitution == 0.2
    assert twist.ranges.tolist() == [[0.0, -0.5, 0.5], [np.pi / 2, -0.2, 0.2]]
    for wrong, told in (
        (text.replace("restitution", "coordinate"), "coordinate"),
        (text.replace("ellipse", "ellipses"), "ellipse"),
        (text.replace(" restitution = 0.2", " times = [0, 1], values = [0, 1]"), "schedule"),
        (text.replace("-0.2, 0.2", "0.2, -0.2"), "lowest twist"),
    ):
        with pytest.raises(ModelError, match=told):
            st.Model.loads(wrong, "toml").build()


@pytest.mark.parametrize("name", ["velocities", "angular_velocities", "forces", "torques"])
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_nan_that_was_written_into_an_array_is_no_model(name, wrong):
    """Say which row of which array is no number, before a file is written that nobody can load."""
    world, _, _ = _hinge_world()
    getattr(world, name)[1, 2] = wrong
    with pytest.raises(ModelError, match=rf"^world\.{name}\[1\] = \[.*\] holds NaN or infinity; give finite"):
        st.Model.of(world)
    getattr(world, name)[1] = 0.0
    assert len(st.Model.of(world).build().bodies) == 2

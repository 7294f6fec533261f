"""USD with physics, written and read: by pxr itself, and back into models that move the same."""

import numpy as np
import pytest

import stoss as st
from stoss.command_line.main import main
from stoss.engine.exchange import import_model
from stoss.engine.exchange.usd_writer import Samples, save
from stoss.engine.model.errors import ModelError
from stoss.engine.model.records import Action, Body, Joint, Marker, Material, Mesh, Shape
from stoss.scenes.running.trajectory import Recorder
from tests.engine.exchange.test_export import KINDS, accelerations, chain

pxr = pytest.importorskip("pxr")
from pxr import Gf, Usd, UsdGeom, UsdPhysics  # noqa: E402

SINGLE = 5e-7  # relative: most numbers of USD have 24 bits


def right_angled(model):
    """Return a model whose universal joints have axes at right angles, which USD can hold."""
    joints = tuple(
        one.replace(second_axis=tuple(np.cross(one.axis, (1.0, 0.0, 0.0)).tolist()))
        if one.type == "universal"
        else one
        for one in model.joints
    )
    return model.replace(joints=joints)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("ending", [".usda", ".usdc"])
def test_joints_of_all_kinds_come_back(tmp_path, reverse, ending):
    """Write and read joints of all kinds; the first accelerations are the same but for single precision."""
    model = right_angled(chain(KINDS, reverse))
    assert model.save(tmp_path / f"chain{ending}") == ()
    again = import_model(tmp_path / f"chain{ending}")
    assert again.left_out == ()
    assert [(joint.name, joint.type) for joint in again.joints] == [
        (joint.name, joint.type) for joint in model.joints
    ]
    assert again.exclude == tuple(dict.fromkeys(again.exclude)) and len(again.exclude) == 28
    wanted = accelerations(model)
    np.testing.assert_allclose(accelerations(again), wanted, atol=SINGLE * np.abs(wanted).max() * 4)


SHAPES = (
    Shape(type="box", size=(0.4, 0.3, 0.2), position=(0.1, 0.2, 0.3)),
    Shape(type="sphere", radius=0.2, position=(0.5, 0.0, 0.0)),
    Shape(type="capsule", radius=0.1, length=0.5, quaternion=(0.6, 0.8, 0.0, 0.0)),
    Shape(type="cylinder", radius=0.1, length=0.3, position=(0.0, 0.7, 0.0)),
    Shape(type="cone", radius=0.2, length=0.3, position=(0.0, -0.7, 0.0)),
    Shape(type="ellipsoid", radii=(0.1, 0.2, 0.3), position=(0.0, 0.0, 0.9)),
    Shape(type="convex_hull", mesh="gem", position=(1.0, 0.0, 0.0)),
)


def scene():
    """Return a model with all shapes, surfaces, markers, display shapes, motion and things that act."""
    gem = Mesh(name="gem", vertices=((0, 0, 0), (0.5, 0, 0), (0, 0.5, 0), (0, 0, 0.5), (0.25, 0.25, 0.5)))
    bodies = (
        Body(name="ground", kind="static", shapes=(Shape(type="half_space", offset=-2.0),), material="rough"),
        Body(
            name="all of them",
            shapes=SHAPES,
            position=(0.0, 0.0, 1.0),
            velocity=(1.0, 2.0, 3.0),
            angular_velocity=(0.1, 0.2, 0.3),
            material="rough",
            color="red",
            markers=(Marker(name="tip", position=(0.1, 0.2, 0.3), quaternion=(0.6, 0.0, 0.8, 0.0)),),
        ),
        Body(name="lift", kind="kinematic", shapes=(Shape(type="box", size=(1, 1, 1)),), position=(5, 0, 0)),
        Body(
            name="pretty",
            shapes=(Shape(type="box", size=(1, 1, 1)),),
            display=(Shape(type="sphere", radius=0.6, color=(0.25, 0.5, 0.75)),),
            position=(0.0, 8.0, 0.0),
            mass=3.0,
        ),
    )
    acting = (
        Action(type="limit", lower=-0.5, upper=1.25),
        Action(type="servo", target=0.5, stiffness=40.0, damping=2.5, max_force=8.0),
    )
    joints = (
        Joint(
            name="door",
            type="hinge",
            second="pretty",
            point=(0, 8, 0),
            axis=(0, 0, 1),
            actions=acting,
            break_force=100.0,
        ),
        Joint(
            name="rod",
            type="distance",
            first="pretty",
            second="all of them",
            point=(0, 8, 0),
            second_point=(0, 0, 1),
        ),
    )
    return st.Model(
        materials=(Material(name="rough", friction=0.75, static_friction=1.0, restitution=0.125),),
        meshes=(gem,),
        bodies=bodies,
        joints=joints,
        exclude=(("lift", "pretty"),),
    )


def test_pxr_reads_what_is_written(tmp_path):
    """Let pxr itself read bodies, masses, colliders, joints with limits and drives, and gravity."""
    model = scene()
    world = model.build()
    assert model.save(tmp_path / "scene.usda") == ()
    stage = Usd.Stage.Open(str(tmp_path / "scene.usda"))
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    prim = stage.GetPrimAtPath("/World/all_of_them")
    body = world.body("all of them")
    mass = UsdPhysics.MassAPI(prim)
    assert mass.GetMassAttr().Get() == pytest.approx(body.mass, rel=1e-6)
    np.testing.assert_allclose(mass.GetDiagonalInertiaAttr().Get(), body.inertia, rtol=1e-6)
    place = (
        UsdGeom.XformCache()
        .GetLocalToWorldTransform(prim)
        .Transform(Gf.Vec3d(*mass.GetCenterOfMassAttr().Get()))
    )
    np.testing.assert_allclose(place, body.center_of_mass, atol=1e-6)
    rates = UsdPhysics.RigidBodyAPI(prim).GetAngularVelocityAttr().Get()
    np.testing.assert_allclose(rates, np.degrees(body.angular_velocity), rtol=1e-6)
    colliders = [one for one in prim.GetChildren() if one.HasAPI(UsdPhysics.CollisionAPI)]
    assert len(colliders) == len(SHAPES)
    lift = stage.GetPrimAtPath("/World/lift")
    assert UsdPhysics.RigidBodyAPI(lift).GetKinematicEnabledAttr().Get()
    assert not stage.GetPrimAtPath("/World/ground").HasAPI(UsdPhysics.RigidBodyAPI)
    door = UsdPhysics.RevoluteJoint(stage.GetPrimAtPath("/World/door"))
    assert door.GetLowerLimitAttr().Get() == pytest.approx(np.degrees(-0.5))
    drive = UsdPhysics.DriveAPI(door.GetPrim(), "angular")
    assert drive.GetStiffnessAttr().Get() == pytest.approx(np.radians(40.0))
    assert drive.GetTargetPositionAttr().Get() == pytest.approx(np.degrees(0.5))
    gravity = UsdPhysics.Scene(stage.GetPrimAtPath("/World/PhysicsScene"))
    assert gravity.GetGravityMagnitudeAttr().Get() == pytest.approx(9.81)


def test_scenes_come_back(tmp_path):
    """Write and read shapes, surfaces, markers, colours, velocities, limits, drives and pairs."""
    model = scene()
    model.save(tmp_path / "scene.usda")
    again = import_model(tmp_path / "scene.usda")
    assert again.left_out == () and again.world.gravity == (0.0, 0.0, -9.81)
    assert again.materials == model.materials and again.exclude == model.exclude
    assert [(one.name, one.kind) for one in again.bodies] == [
        (one.name, one.kind) for one in (*model.bodies[1:], model.bodies[0])
    ]
    whole = again.body("all of them")
    assert [shape.type for shape in whole.shapes] == [shape.type for shape in SHAPES]
    assert whole.velocity == (1.0, 2.0, 3.0) and whole.color == (1.0, 0.0, 0.0)
    assert whole.markers[0].name == "tip"
    np.testing.assert_allclose(whole.markers[0].quaternion, (0.6, 0.0, 0.8, 0.0), atol=1e-12)
    assert again.body("pretty").display[0].color == (0.25, 0.5, 0.75)
    servo = again.joint("door").actions[1]
    assert (servo.target, servo.stiffness, servo.damping) == pytest.approx((0.5, 40.0, 2.5), rel=1e-6)
    assert servo.max_force == 8.0 and again.joint("door").break_force == 100.0
    assert again.joint("rod").length == pytest.approx(np.sqrt(65.0), rel=1e-6)
    one, two = model.build(), again.build()
    for name in ("all of them", "pretty"):
        a, b = one.body(name), two.body(name)
        np.testing.assert_allclose(b.center_of_mass, a.center_of_mass, atol=1e-6)
        assert b.mass == pytest.approx(a.mass, rel=1e-6)
    for first, second in zip(SHAPES, whole.shapes, strict=True):
        np.testing.assert_allclose(second.position, first.position, atol=1e-12)


def test_a_motion_is_in_time_samples(tmp_path, capsys):
    """Write a recorded motion, by the command too; pxr finds the bodies where they were."""
    model = chain(("hinge", "ball"), False)
    model.save(tmp_path / "chain.toml")
    world = model.build()
    recorder = Recorder(world)
    for _ in range(20):
        world.step()
        recorder.after_step(world)
    recorder.write(tmp_path / "run.npz")
    words = ["convert", str(tmp_path / "chain.toml"), str(tmp_path / "chain.usda")]
    assert main([*words, "--motion", str(tmp_path / "run.npz")]) == 0
    world = model.build()
    stage = Usd.Stage.Open(str(tmp_path / "chain.usda"))
    prim = stage.GetPrimAtPath("/World/body_1")
    second = stage.GetTimeCodesPerSecond()
    assert stage.GetEndTimeCode() == pytest.approx(0.2 * second)
    for step in range(0, 21, 5):
        time = Usd.TimeCode(step * world.time_step * second)
        place = UsdGeom.XformCache(time).GetLocalToWorldTransform(prim)
        np.testing.assert_allclose(place.ExtractTranslation(), world.body("body 1").position, atol=1e-9)
        q = place.ExtractRotation().GetQuat()
        turn = np.array([q.GetReal(), *q.GetImaginary()])
        assert abs(turn @ world.body("body 1").quaternion) == pytest.approx(1.0, abs=1e-9)
        world.step(5)
    assert main([*words[:2], str(tmp_path / "chain.glb"), "--motion", str(tmp_path / "run.npz")]) == 0
    assert (tmp_path / "chain.glb").read_bytes()[:4] == b"glTF"
    assert main([*words[:2], str(tmp_path / "again.json"), "--motion", str(tmp_path / "run.npz")]) == 2
    assert "holds no motion" in capsys.readouterr().err


def test_motions_of_others_are_refused(tmp_path):
    """Refuse a motion of bodies that are not in the model."""
    samples = Samples(("who",), np.zeros(1), np.zeros((1, 1, 3)), np.ones((1, 1, 4)))
    with pytest.raises(ModelError, match="who"):
        save(chain(("hinge",), False), tmp_path / "a.usda", samples)


CENTIMETRES = """#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Y"
)
def Xform "World" {
    def PhysicsScene "scene" { }
    def Xform "ball" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {
        double3 xformOp:translate = (0, 200, 100)
        double3 xformOp:scale = (2, 2, 2)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
        def Sphere "s" ( prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI", "PhysxThing"] ) {
            double radius = 10
            float physics:density = 0.001
        }
        def Capsule "c" ( prepend apiSchemas = ["PhysicsCollisionAPI"] ) {
            uniform token axis = "X"
            double radius = 5
            double height = 30
        }
    }
    def PhysicsRevoluteJoint "pin" {
        uniform token physics:axis = "X"
        rel physics:body1 = </World/ball>
        point3f physics:localPos0 = (0, 200, 100)
        point3f physics:localPos1 = (0, 0, 0)
    }
    def Cube "floor" ( prepend apiSchemas = ["PhysicsCollisionAPI"] ) {
        double size = 100
    }
    def SphereLight "lamp" { }
}
"""


def test_other_units_and_axes_are_taken_over(tmp_path):
    """Read a stage in centimetres whose y axis is up, with scales and masses of parts."""
    (tmp_path / "a.usda").write_text(CENTIMETRES)
    model = import_model(tmp_path / "a.usda")
    ball = model.body("ball")
    np.testing.assert_allclose(ball.position, (0.0, -1.0, 2.0), atol=1e-12)
    assert ball.shapes[0].radius == pytest.approx(0.2) and ball.density == pytest.approx(1000.0)
    assert (ball.shapes[1].radius, ball.shapes[1].length) == pytest.approx((0.1, 0.6))
    assert model.world.gravity == (0.0, 0.0, -9.81)
    assert model.body("floor").kind == "static" and model.body("floor").shapes[0].size == (1.0, 1.0, 1.0)
    told = " ".join(model.left_out)
    assert "PhysxThing" in told and "SphereLight" in told
    world = model.build()
    # the capsule lies along x, about which the hinge turns
    assert np.abs(world.body("ball").inertia).argmin() >= 0
    joint = world.joint("pin")
    np.testing.assert_allclose(joint.first_point, (0.0, -1.0, 2.0), atol=1e-9)
    world.body("ball").angular_velocity = (1.0, 0.0, 0.0)
    assert joint.rate == pytest.approx(1.0)


@pytest.mark.parametrize("word", ["references", "payload"])
def test_layers_elsewhere_are_refused(tmp_path, word):
    """Refuse layers outside of the folder, before they are opened, unless that is allowed."""
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "part.usda").write_text(CENTIMETRES)
    text = f'#usda 1.0\ndef "a" (prepend {word} = @../out/part.usda@</World>) {{ }}\n'
    (inside / "a.usda").write_text(text)
    with pytest.raises(ModelError, match="outside"):
        import_model(inside / "a.usda")
    assert import_model(inside / "a.usda", folders=[outside]).body("ball").kind == "dynamic"


@pytest.mark.parametrize("text", ["", "noise \x01\x02", "#usda 1.0\ndef Xform {", "PXR-USDC" + "\0" * 90])
def test_broken_files_are_told_in_a_line(tmp_path, text):
    """Say in one line that a file cannot be read."""
    for ending in (".usda", ".usdc", ".usd"):
        path = tmp_path / f"broken{ending}"
        path.write_text(text)
        with pytest.raises(ModelError) as told:
            import_model(path)
        assert "\n" not in str(told.value) and "broken" in str(told.value)


def test_an_elliptic_cone_goes_both_ways(tmp_path):
    """Write both angles of a cone about z, and read them back as an ellipse."""
    world = st.World()
    body = world.add_body(st.Box((1, 1, 1)), name="arm")
    joint = world.add_joint(st.Ball((0, 0, 1), (0, 0, 1)), None, body, name="hip")
    joint.limit_swing(ellipse=(0.5, 0.25))
    model = st.Model.of(world)
    assert model.save(tmp_path / "hip.usda") == ()
    stage = Usd.Stage.Open(str(tmp_path / "hip.usda"))
    (prim,) = (one for one in stage.Traverse() if one.IsA(UsdPhysics.SphericalJoint))
    cone = UsdPhysics.SphericalJoint(prim)
    assert cone.GetConeAngle0LimitAttr().Get() == pytest.approx(np.degrees(0.5))
    assert cone.GetConeAngle1LimitAttr().Get() == pytest.approx(np.degrees(0.25))
    again = st.Model.load(tmp_path / "hip.usda").build()
    (limit,) = again.joint("hip").curved_limits
    np.testing.assert_allclose(limit.rows, [[0.5, 0.25]], rtol=1e-6)

"""Exports to URDF and MJCF, read back by Pinocchio and MuJoCo."""

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.robots.files import wheel_folders
from stoss.engine.exchange import import_model, read_urdf
from stoss.engine.model.records import Action, Body, Frame, Joint, Marker, Shape, WorldSettings
from stoss.scenes import SCENES
from tests.engine.exchange.test_import import robot, written


def through_toml(model, tmp_path):
    """Return a model that was written as TOML and read again."""
    model.save(tmp_path / "model.toml")
    return st.Model.load(tmp_path / "model.toml")


# ------------------------------------------------------------------ URDF


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("seed", [1, 2])
def test_urdf_comes_back_with_the_same_dynamics(tmp_path, fixed, seed):
    """Go from URDF to TOML to URDF: Pinocchio finds mass, inertias, torques and accelerations as before."""
    pin = pytest.importorskip("pinocchio")
    path = written(tmp_path, robot(seed))
    told = through_toml(read_urdf(path, fixed_base=fixed), tmp_path).save(tmp_path / "again.urdf")
    assert told == ()
    base = () if fixed else (pin.JointModelFreeFlyer(),)
    one, two = (pin.buildModelFromUrdf(str(file), *base) for file in (path, tmp_path / "again.urdf"))
    assert list(one.names) == list(two.names)
    first, second = one.createData(), two.createData()
    rng = np.random.default_rng(seed)
    for _ in range(20):
        q = pin.integrate(one, pin.neutral(one), rng.uniform(-2.0, 2.0, one.nv))
        v, torque = rng.normal(size=one.nv), rng.normal(size=one.nv)
        for find in (
            lambda m, d, q=q: pin.crba(m, d, q),
            lambda m, d, q=q: pin.computeGeneralizedGravity(m, d, q),
            lambda m, d, q=q, v=v, torque=torque: pin.aba(m, d, q, v, torque),
            lambda m, d, q=q: pin.centerOfMass(m, d, q),
        ):
            wanted = np.array(find(one, first))
            np.testing.assert_allclose(find(two, second), wanted, atol=1e-10 * np.abs(wanted).max())
    assert pin.computeTotalMass(two) == pytest.approx(pin.computeTotalMass(one), rel=1e-14)
    limits = np.clip(one.lowerPositionLimit, -1e9, 1e9), np.clip(two.lowerPositionLimit, -1e9, 1e9)
    np.testing.assert_allclose(*limits)


def test_urdf_holds_limits_friction_mimics_and_frames(tmp_path):
    """Keep limits, damping, friction, a mimic, colours, shapes and frames; tell of the spring."""
    bodies = tuple(
        Body(
            name=name,
            shapes=(Shape(type="box", size=(0.2, 0.1, 0.1), position=(0.1, 0.0, 0.0)),),
            position=(0.3 * number, 0.0, 1.0),
            color="red",
            markers=(Marker(name=f"tip of {name}", position=(0.2, 0.0, 0.0)),),
        )
        for number, name in enumerate(("a", "b"))
    )
    limit = Action(type="limit", lower=-1.0)
    acting = (limit, Action(type="damper", damping=0.5), Action(type="friction", max_force=0.1))
    spring = Action(type="spring", stiffness=5.0, rest=0.2)
    joints = (
        Joint(name="one", type="hinge", second="a", point=(0, 0, 1), axis=(0, 0, 1), actions=acting),
        Joint(name="two", type="slider", second="b", point=(0, 0, 1), axis=(1, 0, 0), actions=(spring,)),
        Joint(name="three", type="rack", joint_1="one", joint_2="two", ratio=0.1),
    )
    told = st.Model(bodies=bodies, joints=joints).save(tmp_path / "pair.urdf")
    assert any("spring of 5 about 0.2" in line for line in told)
    text = (tmp_path / "pair.urdf").read_text()
    assert all(line in text for line in told)
    again = import_model(tmp_path / "pair.urdf")
    assert again.joint("one").actions == acting
    assert again.joint("two").actions == ()
    assert (again.joint("three").ratio if "three" in text else again.joints[2].ratio) == 0.1
    assert [marker.name for marker in again.body("a").markers] == ["tip of a"]
    assert again.body("b").color == (1.0, 0.0, 0.0)
    assert again.body("a").shapes[0].size == (0.2, 0.1, 0.1)
    masses = [again.body(name).mass for name in "ab"]
    assert masses == pytest.approx([2.0, 2.0])


def test_urdf_writes_meshes_beside_it(tmp_path):
    """Write meshes that are in no file, and read the same hull from there."""
    points = np.random.default_rng(1).normal(size=(20, 3))
    world = st.World()
    body = world.add_body(st.ConvexHull(points), mass=2.0)
    st.Model.of(world).save(tmp_path / "hull.urdf")
    assert [path.suffix for path in (tmp_path / "hull_meshes").iterdir()] == [".obj"]
    again = import_model(tmp_path / "hull.urdf").build()
    np.testing.assert_allclose(again.bodies[0].inertia, body.inertia, rtol=1e-12)
    hull = again.bodies[0].shapes[0].shape
    assert hull.volume == pytest.approx(body.shapes[0].shape.volume, rel=1e-12)


# ------------------------------------------------------------------ MJCF

MJCF = """<mujoco><compiler angle="radian"/><option timestep="0.002" gravity="0 1 -9"/>
<worldbody><geom type="plane" size="5 5 1" pos="0 0 -3"/>
<body name="arm" pos="0 0 1" euler="0.3 0.2 0.1"><joint name="a" axis="0 1 0" pos="0.1 0 0" damping="0.3"
 range="-1 2" stiffness="3" springref="0.4"/>
<geom type="capsule" fromto="0 0 0 0.4 0 0.1" size="0.04"/>
<body name="tip" pos="0.4 0 0.1"><joint name="b" type="slide" axis="1 0.2 0" frictionloss="0.2"/>
<joint name="c" axis="0 0 1"/><joint name="d" axis="0.1 1 0" pos="0 0 0.1"/>
<geom type="box" size="0.1 0.05 0.02" euler="0.1 0.4 0"/>
<body name="ball" pos="0 0 0.1" quat="1 0.2 0 0.3"><joint name="e" type="ball"/>
<geom type="ellipsoid" size="0.05 0.1 0.06"/><site name="eye" pos="0 0.1 0"/></body></body></body>
<body name="free" pos="1 1 1" quat="0.2 0.4 0.1 0.5"><freejoint/><geom type="cylinder" size="0.1 0.2"/>
<body name="flag" pos="0 0.2 0"><joint name="f" pos="0 0.3 0.1"/><geom type="box" size="0.1 0.2 0.3"/></body>
</body></worldbody>
<equality><connect body1="arm" body2="ball" anchor="0.1 0 0.1"/><weld body1="free" body2="flag"/>
<joint joint1="b" joint2="a" polycoef="0.1 -2 0 0 0"/></equality>
<actuator><position joint="c" kp="20" kv="1" forcerange="-3 3"/><velocity joint="b" kv="2"/></actuator>
</mujoco>"""


def test_mjcf_comes_back_with_the_same_dynamics(tmp_path):
    """Go from MJCF to TOML to MJCF: MuJoCo finds the same torques and accelerations, constraints too."""
    mujoco = pytest.importorskip("mujoco")
    path = written(tmp_path, MJCF, "robot.xml")
    told = through_toml(import_model(path), tmp_path).save(tmp_path / "again.mjcf")
    assert told == ()
    one, two = (mujoco.MjModel.from_xml_path(str(file)) for file in (path, tmp_path / "again.mjcf"))
    assert two.nu == one.nu and two.neq == one.neq and two.nsite >= one.nsite
    first, second = mujoco.MjData(one), mujoco.MjData(two)
    rng = np.random.default_rng(2)
    for _ in range(20):
        # torsos of both files come in the same order
        v = rng.normal(size=one.nv)
        mujoco.mj_resetData(one, first)
        mujoco.mj_integratePos(one, first.qpos, v, 1.0)
        second.qpos[:] = first.qpos
        first.qvel[:] = second.qvel[:] = rng.normal(size=one.nv)
        first.ctrl[:] = rng.normal(size=2)
        second.ctrl[:] = first.ctrl[::-1]  # actuators come in the order of their joints
        for model, data in ((one, first), (two, second)):
            mujoco.mj_forward(model, data)
        assert first.nefc > 5
        for name in ("subtree_com", "qfrc_bias", "qfrc_passive", "qfrc_actuator", "qacc_smooth", "qacc"):
            wanted, found = getattr(first, name), getattr(second, name)
            if name == "subtree_com":
                wanted, found = wanted[1:], found[1:]
            np.testing.assert_allclose(found, wanted, atol=1e-7 * np.abs(wanted).max(), err_msg=name)
        matrices = np.zeros((2, one.nv, one.nv))
        for model, data, matrix in ((one, first, matrices[0]), (two, second, matrices[1])):
            mujoco.mj_fullM(model, data, matrix)
        np.testing.assert_allclose(matrices[1], matrices[0], atol=1e-9 * np.abs(matrices[0]).max())


def chain(kinds, reverse, seed=4):
    """Return a model of bodies in a chain, by frames, with joints that do not begin at 0."""
    rng = np.random.default_rng(seed)
    bodies, joints, before = [], [], None
    for number, kind in enumerate(kinds):
        name = f"body {number}"
        turn = rng.normal(size=4)
        bodies.append(
            Body(
                name=name,
                shapes=(
                    Shape(type="box", size=tuple(rng.uniform(0.1, 0.5, 3).tolist()), position=(0.1, 0, 0)),
                ),
                position=tuple(rng.uniform(-1, 1, 3).tolist()),
                quaternion=tuple((turn / np.linalg.norm(turn)).tolist()),
                mask=0,
            )
        )
        joints.append((kind, before, name, rng.normal(size=3), rng.normal(size=3)))
        before = name
    made = []
    for kind, first, second, axis, other in joints:
        ends = (second, first) if reverse and first is not None else (first, second)
        own = {"type": kind, "name": f"{kind} of {second}"}
        if kind != "fixed":
            own["normal" if kind == "planar" else "axis"] = tuple(axis.tolist())
        if kind == "universal":
            own["second_axis"] = tuple(other.tolist())
        own["point"] = tuple(rng.uniform(-0.3, 0.3, 3).tolist())
        made.append(Joint(first=ends[0], second=ends[1], **own))
    return st.Model(world=WorldSettings(gravity=(1.0, -2.0, -9.0)), bodies=tuple(bodies), joints=tuple(made))


KINDS = ("hinge", "slider", "ball", "universal", "cylindrical", "planar", "fixed", "hinge")


def accelerations(model, step=2e-3):
    """Return linear and angular accelerations (n, 6) of bodies from rest, of the engine's first step."""
    found = []
    for h in (step, step / 2, step / 4):
        world = model.replace(world=model.world.replace(time_step=h)).build()
        world.step()
        found.append(np.hstack((world.velocities, world.angular_velocities)) / h)
    first, second = (4.0 * found[1] - found[0]) / 3.0, (4.0 * found[2] - found[1]) / 3.0
    return (16.0 * second - first) / 15.0


def of_mujoco(mujoco, path, names):
    """Return linear and angular accelerations (n, 6) that MuJoCo finds, at the centres of mass."""
    judge = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(judge)
    if judge.nkey:
        mujoco.mj_resetDataKeyframe(judge, data, 0)
    mujoco.mj_forward(judge, data)
    mujoco.mj_rnePostConstraint(judge, data)
    found, row = [], np.zeros(6)
    for name in names:
        body = judge.body(name).id
        mujoco.mj_objectAcceleration(judge, data, mujoco.mjtObj.mjOBJ_BODY, body, row, 0)
        found.append([*row[3:], *row[:3]])
    found = np.array(found)
    found[:, :3] += judge.opt.gravity
    return found


@pytest.mark.parametrize("reverse", [False, True])
def test_mjcf_moves_as_the_engine_does(tmp_path, reverse):
    """Write joints of all kinds, either way round; MuJoCo's first accelerations are those of the engine."""
    mujoco = pytest.importorskip("mujoco")
    model = chain(KINDS, reverse)
    told = model.save(tmp_path / "chain.mjcf")
    assert told == ()
    wanted = accelerations(model)
    names = [body.name for body in model.bodies]
    found = of_mujoco(mujoco, tmp_path / "chain.mjcf", names)
    np.testing.assert_allclose(found, wanted, atol=1e-6 * np.abs(wanted).max())


def test_joints_that_do_not_begin_at_0(tmp_path):
    """Write the values at the start as references, so that limits, springs and targets mean the same."""
    mujoco = pytest.importorskip("mujoco")
    acting = (
        Action(type="limit", lower=0.2, upper=1.0),
        Action(type="spring", stiffness=7.0, damping=0.2, rest=0.1),
        Action(type="servo", target=0.7, stiffness=11.0, damping=0.4, max_force=4.0),
    )
    turned = Frame(quaternion=(np.cos(0.3), 0.0, 0.0, np.sin(0.3)))
    body = Body(name="rod", shapes=(Shape(type="box", size=(1, 0.1, 0.1), position=(0.5, 0, 0)),))
    body = body.replace(quaternion=(np.cos(0.3), 0.0, 0.0, np.sin(0.3)), angular_velocity=(0.0, 0.0, 0.25))
    joint = Joint(
        name="pin", type="hinge", second="rod", first_frame=Frame(), second_frame=Frame(), actions=acting
    )
    model = st.Model(bodies=(body,), joints=(joint,))
    assert turned is not None and model.build().joint("pin").value == pytest.approx(0.6)
    assert model.save(tmp_path / "rod.mjcf") == ()
    judge = mujoco.MjModel.from_xml_path(str(tmp_path / "rod.mjcf"))
    data = mujoco.MjData(judge)
    mujoco.mj_resetDataKeyframe(judge, data, 0)
    mujoco.mj_forward(judge, data)
    assert data.qpos[0] == pytest.approx(0.6) and judge.jnt_range[0].tolist() == [0.2, 1.0]
    assert data.qvel[0] == pytest.approx(0.25)
    assert data.qfrc_spring[0] == pytest.approx(-7.0 * 0.5)
    assert data.qfrc_damper[0] == pytest.approx(-0.2 * 0.25)
    assert data.actuator_force[0] == pytest.approx(11.0 * 0.1 - 0.4 * 0.25)


@pytest.mark.parametrize("name", ["ant", "humanoid", "half_cheetah", "walker2d"])
def test_robots_of_gymnasium_come_back_with_the_same_dynamics(tmp_path, name):
    """Go from MJCF to TOML to MJCF, links without mass between: have the same masses and accelerations."""
    mujoco = pytest.importorskip("mujoco")
    folders = wheel_folders()
    if "gymnasium" not in folders:
        pytest.skip("needs the files of gymnasium")
    path = folders["gymnasium"] / "assets" / f"{name}.xml"
    assert through_toml(import_model(path), tmp_path).save(tmp_path / "again.mjcf") == ()
    models = [mujoco.MjModel.from_xml_path(str(file)) for file in (path, tmp_path / "again.mjcf")]
    rng, off = np.random.default_rng(4), mujoco.mjtDisableBit
    found: list[list[np.ndarray]] = [[], []]
    turns = rng.normal(scale=0.5, size=(5, models[0].nv))
    for model, own in zip(models, found, strict=True):
        model.dof_damping[:] = model.jnt_stiffness[:] = 0.0
        model.opt.density = model.opt.viscosity = 0.0
        model.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_ACTUATION | off.mjDSBL_CONSTRAINT
        data = mujoco.MjData(model)
        for turn in turns:
            mujoco.mj_resetData(model, data)
            mujoco.mj_integratePos(model, data.qpos, turn, 1.0)
            mujoco.mj_forward(model, data)
            own.append(data.qacc.copy())
    assert models[1].body_mass.sum() == pytest.approx(models[0].body_mass.sum(), rel=1e-12)
    np.testing.assert_allclose(found[1], found[0], atol=1e-10 * np.abs(found[0]).max())


def test_mjcf_lets_the_same_bodies_collide(tmp_path):
    """Keep who collides: by groups, by exclusion, and by joints."""
    mujoco = pytest.importorskip("mujoco")
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    for number, (group, mask) in enumerate([(1, -1), (2, -1), (4, 1), (1, 3), (1, -1)]):
        place = (0.05 * number, 0.02 * number, 0.1)
        world.add_body(st.Sphere(0.2), position=place, group=group, mask=mask, name=f"b{number}")
    world.exclude_collision(world.body("b0"), world.body("b1"))
    world.add_joint(st.Hinge((0, 0, 0), (0, 0, 1)), world.body("b1"), world.body("b3"))
    world.add_joint(st.Slider((0, 0, 0), (0, 0, 1)), world.body("ground"), world.body("b4"))
    st.Model.of(world).save(tmp_path / "balls.mjcf")
    judge = mujoco.MjModel.from_xml_path(str(tmp_path / "balls.mjcf"))
    data = mujoco.MjData(judge)
    mujoco.mj_forward(judge, data)
    bodies = [judge.body(i).name for i in range(judge.nbody)]
    found = {
        frozenset(bodies[judge.geom_bodyid[g]] for g in (data.contact[k].geom1, data.contact[k].geom2))
        for k in range(data.ncon)
    }
    wanted = {frozenset((one.first.name, one.second.name)) for one in world.contacts}
    assert found == wanted and len(wanted) > 5


def test_every_scene_is_written_and_compiled(tmp_path):
    """Write scenes of mechanisms as MJCF and URDF; MuJoCo compiles both, and finds the mass."""
    mujoco = pytest.importorskip("mujoco")
    for name in ("ragdoll", "crane", "cradle", "bricard"):
        world = SCENES[name].build()
        model = st.Model.of(world, strict=False)
        for ending in (".mjcf", ".urdf"):
            model.save(tmp_path / f"scene{ending}")
        judge = mujoco.MjModel.from_xml_path(str(tmp_path / "scene.mjcf"))
        assert judge.body_mass.sum() == pytest.approx(world.masses.sum(), rel=1e-6)
        again = import_model(tmp_path / "scene.urdf", fixed_base=None)
        mass = sum(body.mass or 0.0 for body in again.bodies)
        assert mass == pytest.approx(world.masses.sum(), rel=1e-6)
